//! What happened in a world, counted; and what went wrong, with the seed that brings it back.

use std::fmt;

macro_rules! counts {
    ($($(#[$doc:meta])* $name:ident),+ $(,)?) => {
        /// How often each thing happened.
        #[derive(Clone, Debug, Default, PartialEq, Eq)]
        pub struct Report {
            $($(#[$doc])* pub $name: u64,)+
            /// The hash of everything that happened.
            pub trace: u64,
        }

        impl Report {
            /// Every count with its name.
            pub fn rows(&self) -> Vec<(&'static str, u64)> {
                vec![$((stringify!($name), self.$name)),+]
            }

            /// Adds the counts of another world.
            pub fn add(&mut self, other: &Self) {
                $(self.$name += other.$name;)+
                self.trace = self.trace.wrapping_add(other.trace);
            }
        }
    };
}

counts! {
    /// Worlds that were played.
    worlds,
    /// Tables.
    tables,
    /// Tables that could not be set up, and were refused with a reason.
    refused_tables,
    /// Tables that were set up over HTTP.
    tables_by_call,
    /// Tables that were begun on a device and brought along.
    imported_tables,
    /// Searches for a deal that is as hard as a table wants it.
    searches,
    /// Steps of all worlds.
    steps,
    /// Messages from clients that arrived.
    requests,
    /// Messages that hosts sent.
    messages,
    /// Events that were stored.
    events,
    /// Messages that were lost on the way.
    drops,
    /// Messages that arrived twice.
    duplicates,
    /// Messages that overtook earlier ones.
    reorders,
    /// Gaps that a follower noticed, each healed by a full view.
    gaps,
    /// Hosts that died and lost their connections.
    crashes,
    /// Hosts that died between two effects of one message.
    crashes_between_effects,
    /// Rooms that were put to sleep while their connections stayed.
    evictions,
    /// Rooms that were built again from what was stored.
    restores,
    /// Writes that failed, and nothing was written.
    store_failures,
    /// Writes that were reported as failed although they succeeded.
    doubtful_stores,
    /// Clocks that jumped forwards.
    clocks_forward,
    /// Clocks that jumped back.
    clocks_back,
    /// Timers that fired too early.
    early_timers,
    /// Timers that fired too late.
    late_timers,
    /// Timers that fired twice.
    double_timers,
    /// Connections that were closed or cut.
    disconnects,
    /// Connections that a host closed: displaced by a newer one, or because nothing could be stored.
    closed,
    /// Connections to which updates were held back for a while.
    stalls,
    /// Requests without a connection.
    calls,
    /// Calls that made somebody join.
    calls_to_join,
    /// Calls with which somebody came back.
    calls_to_come_back,
    /// Calls to watch without an invitation.
    calls_to_watch,
    /// Calls with which somebody left.
    calls_to_leave,
    /// Calls that were refused: with a wrong or old key, too late, or written wrongly.
    refused_calls,
    /// Answers to calls that were lost on the way.
    lost_answers,
    /// Decisions that bots were to make.
    thoughts,
    /// Decisions that never came.
    lost_thoughts,
    /// Decisions that failed.
    failed_thoughts,
    /// Sessions that came back with their key.
    comebacks,
    /// Requests that were sent again with the same number.
    retries,
    /// Requests that were acknowledged.
    acks,
    /// Acknowledgements of a request that had been done before.
    repeated_acks,
    /// Actions that came too late and were refused as stale.
    stale,
    /// Lies that arrived: forged, foreign, old or unreadable.
    lies,
    /// Lies that were answered with an error.
    refused_lies,
    /// Bursts of messages.
    floods,
    /// People, programs and onlookers that joined.
    joins,
    /// Those who left for good.
    leaves,
    /// Those whose seat was lost with the answer to their joining.
    locked_out,
    /// Times that somebody asked for no more updates.
    unsubscribed,
    /// Invitations of people.
    invitations,
    /// Invitations that were taken back.
    revocations,
    /// People who said that it may begin.
    readies,
    /// Wishes to take back, and agreements to them.
    undo_asks,
    /// Things that were taken back.
    undos,
    /// Changes between person and program that somebody asked for.
    swaps,
    /// Changes in the middle of a trick.
    swaps_in_tricks,
    /// People whose time was up.
    takeovers,
    /// Games played again at the same table.
    rematches,
    /// Games that ended.
    games,
    /// Hands that were scored.
    hands,
    /// Hands in which every domino was played.
    full_hands,
    /// Claims of the rest.
    claims,
    /// Deals that were recomputed from what was revealed.
    proofs,
    /// Finished games that proved themselves from their records.
    fair_records,
}

/// What went wrong, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// The world.
    pub seed: u64,
    /// The step, counted from 1.
    pub step: u64,
    /// What.
    pub what: String,
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { seed, step, what } = self;
        write!(f, "seed {seed}, step {step}: {what}\nto see it again: cargo xtask worlds --seed {seed} --count 1")
    }
}

impl std::error::Error for Failure {}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (name, count) in self.rows() {
            writeln!(f, "    {:<26}{count:>12}", name.replace('_', " "))?;
        }
        write!(f, "    {:<26}{:016x}", "trace", self.trace)
    }
}
