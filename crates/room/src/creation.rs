//! Setting up a table may take long work: the hand of a day, and a table for one hand that names no seed, get a deal that is
//! as hard as wanted. Looking for it is done in slices, with progress in between, so that no host has to stand still and
//! every host can stop: a creation that is dropped leaves nothing behind.
//!
//! How hard a deal is, is a matter of strategy, and no strategy is in this crate: the host brings the search along. What it
//! finds is written into the configuration, so whoever reads the table's log needs no search.

use alloc::{boxed::Box, format};

use texas42_engine::seed_of_day;
use texas42_protocol::{ClientMessage, DealKind, Operation, ServerMessage};
use texas42_vocab::{Config, Control, DailyChallenge, Difficulty, Layer, OneHand, Script, Seat, SeedText};

use crate::room::{NewTable, Room};

/// The deal that a table wants. The same wish leads to the same deal, on every host.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wanted {
    /// What the seeds to choose from begin with; a number stands behind it.
    pub words: SeedText,
    /// How hard it is.
    pub difficulty: Difficulty,
    /// For whom.
    pub seat: Seat,
    /// The contract that it is hard to make, where it stands before the deal.
    pub script: Option<Script>,
}

/// A search for a deal, which goes on as long as it is asked to.
pub trait DealSearch: Send {
    /// Looks at a few more deals.
    fn look(&mut self) -> Looked;
}

/// What has come of a look.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Looked {
    /// Nothing yet; so much of the longest search is done, in percent.
    NotYet(u8),
    /// A deal.
    Found {
        /// Its number among the seeds to choose from.
        number: u32,
        /// Its seed.
        seed: SeedText,
    },
}

/// A table that is being set up.
pub struct Creation {
    now: u64,
    new: NewTable,
    message: ClientMessage,
    search: Option<Search>,
}

/// What has come of it.
#[derive(Debug)]
pub enum Step {
    /// The work goes on: tell the creator, then poll again.
    Progress(Box<ServerMessage>),
    /// The table stands.
    Ready(Box<Room>),
    /// It cannot be set up: the answer to send back.
    Refused(Box<ServerMessage>),
}

/// A search, and the layer that it is for.
struct Search {
    layer: usize,
    deals: Box<dyn DealSearch>,
    has_begun: bool,
}

impl Creation {
    /// Begins with a `CREATE_GAME`. Where it takes a search, `begin` gives one.
    pub fn new(
        now: u64,
        new: NewTable,
        message: ClientMessage,
        begin: impl FnOnce(Wanted) -> Box<dyn DealSearch>,
    ) -> Self {
        let search =
            wanted(&new, &message).map(|(layer, wanted)| Search { layer, deals: begin(wanted), has_begun: false });
        Self { now, new, message, search }
    }

    /// Whether the next poll may take long.
    pub const fn is_searching(&self) -> bool {
        self.search.is_some()
    }

    /// Does one slice of the work. After `Ready` or `Refused` there is nothing left to poll.
    pub fn poll(&mut self) -> Step {
        // For a table that cannot stand nobody looks; to try it costs nothing beside a look.
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

    /// Looks on, where something is looked for: how far it is, in percent. The creator hears at once that it begins, and
    /// that it is found before the table is made of it.
    fn look(&mut self) -> Option<u8> {
        let search = self.search.as_mut()?;
        if !core::mem::replace(&mut search.has_begun, true) {
            return Some(0);
        }
        match search.deals.look() {
            Looked::NotYet(progress) => Some(progress),
            Looked::Found { number, seed } => {
                set_deal(&mut self.message, search.layer, number, seed);
                self.search = None;
                Some(100)
            }
        }
    }
}

/// What a table leaves open, and the layer that wants to know it. Where the deals are secret nobody may look, and where the
/// last layer with a say, the table's own seed or its deals name one, nobody need.
fn wanted(new: &NewTable, message: &ClientMessage) -> Option<(usize, Wanted)> {
    let ClientMessage::CreateGame { config, table, .. } = message else { return None };
    if table.deal != DealKind::Seeded || !config.deals.is_empty() {
        return None;
    }
    let mut last = None;
    for (at, layer) in config.layers.iter().enumerate().rev() {
        match layer {
            Layer::DailyChallenge(daily) => return daily.deal.is_none().then(|| (at, of_a_day(daily))),
            Layer::OneHand(OneHand { seed: Some(_), .. }) => return None,
            Layer::OneHand(one_hand) => last = Some((at, one_hand)),
            _ => {}
        }
    }
    let (at, one_hand) = last?;
    Some((at, of_one_hand(new, config, one_hand)?))
}

/// The hand of a day is one and the same for everybody, so it is looked for from the seat that gets the stars, whoever
/// sits there.
fn of_a_day(daily: &DailyChallenge) -> Wanted {
    Wanted { words: seed_of_day(daily), difficulty: daily.difficulty, seat: Seat::ALL[0], script: None }
}

/// A table with a seed of its own and no wish is dealt what the seed deals.
fn of_one_hand(new: &NewTable, config: &Config, one_hand: &OneHand) -> Option<Wanted> {
    let [a, b, c, d, ..] = new.randomness;
    let any = || format!("hand-{:08x}", u32::from_le_bytes([a, b, c, d])).parse().ok();
    let words = match config.seed {
        Some(seed) => one_hand.difficulty.map(|_| seed),
        None => any(),
    };
    let person = || Seat::ALL.into_iter().find(|seat| config.players[seat.index()] == Control::Human);
    Some(Wanted {
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
