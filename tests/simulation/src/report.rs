//! Counts of what happened in a world, and failures with the seed that reproduces them.

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
    /// Tables that were refused.
    refused_tables,
    /// Tables that were created over HTTP.
    tables_by_call,
    /// Tables that were imported from a local game.
    imported_tables,
    /// Searches for a deal of the requested difficulty.
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
    /// Rooms that hibernated with open connections.
    evictions,
    /// Rooms that were restored from the store.
    restores,
    /// Writes that failed without storing anything.
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
    /// Calls that joined.
    calls_to_join,
    /// Calls that rejoined.
    calls_to_rejoin,
    /// Calls to watch without an invite.
    calls_to_watch,
    /// Calls that left.
    calls_to_leave,
    /// Calls that created or revoked an invite.
    calls_to_invite,
    /// Calls that were refused: with an invalid key, stale, or malformed.
    refused_calls,
    /// Answers to calls that were lost on the way.
    lost_answers,
    /// Decisions that bots started.
    thoughts,
    /// Decisions that were never delivered.
    lost_thoughts,
    /// Decisions that failed.
    failed_thoughts,
    /// Sessions that came back with their key.
    comebacks,
    /// Requests that were repeated with the same id.
    retries,
    /// Requests that were acknowledged.
    acks,
    /// Acknowledgements of a request that had been executed before.
    repeated_acks,
    /// Phrases that somebody heard.
    phrases,
    /// Phrases of coaches that their students heard.
    phrases_of_coaches,
    /// Changes of whether coaches may talk.
    coach_changes,
    /// Actions that came too late and were refused as stale.
    stale,
    /// Invalid messages that arrived: forged, foreign, stale or malformed.
    invalid_messages,
    /// Invalid messages that were answered with an error.
    refused_invalid_messages,
    /// Bursts of messages.
    floods,
    /// Players, bots and spectators that joined.
    joins,
    /// Visitors who left for good, and sessions whose invite was revoked.
    leaves,
    /// Players who gave up their seat for good.
    give_ups,
    /// Players who left and kept their seat.
    seats_kept,
    /// Invited bots that were away for too long.
    bot_absences,
    /// Invited bots that did not decide in time.
    late_bots,
    /// Invited bots that returned to their seat.
    bot_returns,
    /// People who were absent while others were at the table.
    absences,
    /// Absent people who returned.
    returns,
    /// People who became host because the hosts were absent.
    hosts_passed,
    /// Choices of acting, silent and vanished people under which a table was checked to continue.
    continuations,
    /// Sessions that took a seat and waited for the next deal.
    newcomers,
    /// Players who left their seat to a bot in a rated game and waited for a deal.
    waits_for_deal,
    /// Clients that asked for fewer capabilities than they were granted.
    limited_clients,
    /// Clients that lost their seat because the answer to their join was lost.
    locked_out,
    /// Requests to stop updates.
    unsubscribed,
    /// Invites for people.
    invites,
    /// Invites that were revoked.
    revocations,
    /// Players who were ready to start.
    readies,
    /// Undo requests and agreements.
    undo_asks,
    /// Undo requests that were declined.
    undo_refusals,
    /// Undos.
    undos,
    /// Requested changes between person and bot.
    swaps,
    /// Changes in the middle of a trick.
    swaps_in_tricks,
    /// Players who ran out of time.
    takeovers,
    /// Rematches.
    rematches,
    /// Changes of the rules or options.
    configurations,
    /// Games that ended.
    games,
    /// Hands that were scored.
    hands,
    /// Hands in which every domino was played.
    full_hands,
    /// Claims of the rest.
    claims,
    /// Deals that were reproduced from revealed secrets.
    proofs,
    /// Tables that were found to deal other hands from another secret.
    secret_deals,
    /// Finished games whose records were verified.
    fair_records,
}

/// A violated invariant, and where it happened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// The seed of the world.
    pub seed: u64,
    /// The step, counted from 1.
    pub step: u64,
    /// A description of the violation.
    pub what: String,
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { seed, step, what } = self;
        write!(f, "seed {seed}, step {step}: {what}\nto reproduce: cargo xtask worlds --seed {seed} --count 1")
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
