//! Creates tables that may need a search for a deal.
//!
//! Daily challenges and one-hand tables without a seed get a deal of a given difficulty. The search runs in slices with
//! progress in between, so that it never blocks a host, and can be canceled by dropping the [`Creation`].
//!
//! Difficulty depends on strategy, which is not part of this crate: the host provides the search. The result becomes
//! part of the configuration, so replaying the log needs no search.

use alloc::{boxed::Box, format};

use texas42_engine::daily_seed;
use texas42_protocol::{ClientMessage, DealKind, Operation, ServerMessage};
use texas42_vocab::{Config, Control, DailyChallenge, Difficulty, Layer, OneHand, Script, Seat, SeedText};

use crate::room::{NewTable, Room};

/// The deal that a table requests. The same request finds the same deal on every host.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DealRequest {
    /// The prefix of the candidate seeds; a number follows it.
    pub words: SeedText,
    /// The difficulty.
    pub difficulty: Difficulty,
    /// The player for whom the deal has this difficulty.
    pub seat: Seat,
    /// The contract to make, if it is fixed before the deal.
    pub script: Option<Script>,
}

/// A search for a deal, in slices.
pub trait DealSearch: Send {
    /// Examines a few more deals.
    fn look(&mut self) -> SearchStep;
}

/// The result of one slice of a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SearchStep {
    /// Nothing yet; the progress in percent of the longest possible search.
    NotYet(u8),
    /// A deal.
    Found {
        /// The number of its seed among the candidates.
        number: u32,
        /// Its seed.
        seed: SeedText,
    },
}

/// A table that is being created.
///
/// Call [`poll`](Self::poll) until it returns [`Step::Ready`] or [`Step::Refused`]. Dropping a creation cancels it.
pub struct Creation {
    now: u64,
    new: NewTable,
    message: ClientMessage,
    search: Option<Search>,
}

/// The result of one [`Creation::poll`].
#[derive(Debug)]
pub enum Step {
    /// The search continues: send this to the creator, then poll again.
    Progress(Box<ServerMessage>),
    /// The table has been created.
    Ready(Box<Room>),
    /// The table cannot be created: the reply to send.
    Refused(Box<ServerMessage>),
}

/// A search, and the index of the layer that requested it.
struct Search {
    layer: usize,
    deals: Box<dyn DealSearch>,
    has_begun: bool,
}

impl Creation {
    /// Starts with a `CREATE_GAME` message. If it needs a search, `begin` provides it.
    pub fn new(
        now: u64,
        new: NewTable,
        message: ClientMessage,
        begin: impl FnOnce(DealRequest) -> Box<dyn DealSearch>,
    ) -> Self {
        let search =
            wanted(&new, &message).map(|(layer, wanted)| Search { layer, deals: begin(wanted), has_begun: false });
        Self { now, new, message, search }
    }

    /// Whether the next poll may take long.
    pub const fn is_searching(&self) -> bool {
        self.search.is_some()
    }

    /// Does one slice of the work. Do not poll again after `Ready` or `Refused`.
    pub fn poll(&mut self) -> Step {
        // Reject invalid tables before searching; the check is cheap compared to a slice.
        match Room::create(self.now, self.new.clone(), self.message.clone()) {
            Err(answer) => Step::Refused(answer),
            Ok(room) => match self.look() {
                None => Step::Ready(Box::new(room)),
                Some(progress) => {
                    Step::Progress(Box::new(ServerMessage::Progress { operation: Operation::SeedFinding, progress }))
                }
            },
        }
    }

    /// Continues the search, if there is one, and returns its progress in percent. Reports 0 before the first slice,
    /// and 100 once the deal is found.
    fn look(&mut self) -> Option<u8> {
        let search = self.search.as_mut()?;
        if !core::mem::replace(&mut search.has_begun, true) {
            return Some(0);
        }
        match search.deals.look() {
            SearchStep::NotYet(progress) => Some(progress),
            SearchStep::Found { number, seed } => {
                set_deal(&mut self.message, search.layer, number, seed);
                self.search = None;
                Some(100)
            }
        }
    }
}

/// The search that a table needs, and the layer it is for. Secret deals allow no search, and none is needed if a later
/// layer, the seed or the configured deals determine the deal.
fn wanted(new: &NewTable, message: &ClientMessage) -> Option<(usize, DealRequest)> {
    let ClientMessage::CreateGame { config, table, .. } = message else { return None };
    if table.deal != DealKind::Seeded || !config.deals.is_empty() {
        return None;
    }
    let mut last = None;
    for (at, layer) in config.layers.iter().enumerate().rev() {
        match layer {
            Layer::DailyChallenge(daily) => return daily.deal.is_none().then(|| (at, daily_request(daily))),
            Layer::OneHand(OneHand { seed: Some(_), .. }) => return None,
            Layer::OneHand(one_hand) => last = Some((at, one_hand)),
            _ => {}
        }
    }
    let (at, one_hand) = last?;
    Some((at, one_hand_request(new, config, one_hand)?))
}

/// A daily challenge is the same for everybody: it is searched for the seat that earns the stars.
fn daily_request(daily: &DailyChallenge) -> DealRequest {
    DealRequest { words: daily_seed(daily), difficulty: daily.difficulty, seat: Seat::ALL[0], script: None }
}

/// A table with a seed but no difficulty is dealt from that seed.
fn one_hand_request(new: &NewTable, config: &Config, one_hand: &OneHand) -> Option<DealRequest> {
    let [a, b, c, d, ..] = new.randomness;
    let any = || format!("hand-{:08x}", u32::from_le_bytes([a, b, c, d])).parse().ok();
    let words = match config.seed {
        Some(seed) => one_hand.difficulty.map(|_| seed),
        None => any(),
    };
    let person = || Seat::ALL.into_iter().find(|seat| config.players[seat.index()] == Control::Human);
    Some(DealRequest {
        words: words?,
        difficulty: one_hand.difficulty.unwrap_or(Difficulty::Medium),
        seat: one_hand.script.map(|script| script.player).or_else(person)?,
        script: one_hand.script,
    })
}

fn set_deal(message: &mut ClientMessage, layer: usize, number: u32, seed: SeedText) {
    let ClientMessage::CreateGame { config, .. } = message else { return };
    match config.layers.get_mut(layer) {
        Some(Layer::DailyChallenge(daily)) => daily.deal = Some(number),
        Some(Layer::OneHand(one_hand)) => one_hand.seed = Some(seed),
        _ => {}
    }
}
