//! Setting up a table may take long work: a one-hand table that names no seed gets a hand worth playing, and looking for
//! one is done in slices, with progress in between, so that no host has to stand still.

use alloc::{boxed::Box, format};

use texas42_engine::{Hint, Offer};
use texas42_protocol::{ClientMessage, DealKind, Operation, ServerMessage};
use texas42_vocab::{Config, Control, Layer, OneHand, Seat, SeedText};

use crate::{
    headless::HeadlessRoom,
    room::{NewTable, Room},
};

/// How many deals are looked at, and how many of them between two reports.
const DEALS: u32 = 64;
const SLICE: u32 = 16;
/// A hand is worth playing when about so many tricks look certain.
const ENOUGH_TRICKS: u8 = 4;

/// A table that is being set up.
#[derive(Debug)]
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

impl Creation {
    /// Begins with a `CREATE_GAME`.
    pub fn new(now: u64, new: NewTable, message: ClientMessage) -> Self {
        let search = Search::wanted(&new, &message);
        Self { now, new, message, search }
    }

    /// Does one slice of the work. After `Ready` or `Refused` there is nothing left to poll.
    pub fn poll(&mut self) -> Step {
        if let Some(search) = &mut self.search {
            if search.look() {
                let progress = (search.looked * 100 / DEALS) as u8;
                return Step::Progress(Box::new(ServerMessage::Progress {
                    operation: Operation::SeedFinding,
                    progress,
                }));
            }
            let best = search.best.map(|(_, seed)| seed);
            set_seed(&mut self.message, best);
            self.search = None;
        }
        match Room::create(self.now, self.new.clone(), self.message.clone()) {
            Ok(room) => Step::Ready(Box::new(room)),
            Err(answer) => Step::Refused(answer),
        }
    }
}

/// The search for a deal in which the first person has something to bid on.
#[derive(Debug)]
struct Search {
    config: Config,
    prefix: u32,
    looked: u32,
    best: Option<(u8, SeedText)>,
}

impl Search {
    /// Only a seeded one-hand table without a seed wants one.
    fn wanted(new: &NewTable, message: &ClientMessage) -> Option<Self> {
        let ClientMessage::CreateGame { config, table, .. } = message else { return None };
        let names_none = config.seed.is_none()
            && config.layers.iter().any(|layer| matches!(layer, Layer::OneHand(OneHand { seed: None, .. })));
        let is_daily = config.layers.iter().any(|layer| matches!(layer, Layer::DailyChallenge(_)));
        let [a, b, c, d, ..] = new.randomness;
        (names_none && !is_daily && table.deal == DealKind::Seeded).then(|| Self {
            config: config.clone(),
            prefix: u32::from_le_bytes([a, b, c, d]),
            looked: 0,
            best: None,
        })
    }

    /// Looks at a slice of deals; says whether the search goes on.
    fn look(&mut self) -> bool {
        for _ in 0..SLICE {
            if self.looked == DEALS
                || self.best.is_some_and(|(tricks, _)| tricks >= ENOUGH_TRICKS && self.looked >= SLICE)
            {
                return false;
            }
            self.consider();
            self.looked += 1;
        }
        true
    }

    fn consider(&mut self) {
        let Ok(seed) = format!("hand-{:08x}-{}", self.prefix, self.looked).parse::<SeedText>() else { return };
        let Some(tricks) = sure_tricks(&self.config, seed) else { return };
        if self.best.is_none_or(|(best, _)| tricks > best) {
            self.best = Some((tricks, seed));
        }
    }
}

/// What the hints layer would tell the first person of this deal before the first bid.
fn sure_tricks(config: &Config, seed: SeedText) -> Option<u8> {
    let person = config.players.iter().position(|control| *control == Control::Human)?;
    let person = Seat::ALL[person];
    let layers = [Layer::Hints(texas42_vocab::Hints {})].into();
    // The person speaks first when the seat before shakes.
    let shaker = Some(person.left().left().left());
    let table = Config { layers, seed: Some(seed), shaker, deals: config.deals.clone(), ..Config::default() };
    let room = HeadlessRoom::new(&table).ok()?;
    room.offers().iter().find_map(|Offer { meta, .. }| match meta.hint {
        Some(Hint::SureTricks(tricks)) => Some(tricks),
        _ => None,
    })
}

fn set_seed(message: &mut ClientMessage, seed: Option<SeedText>) {
    let ClientMessage::CreateGame { config, .. } = message else { return };
    for layer in &mut config.layers {
        if let Layer::OneHand(one_hand) = layer {
            one_hand.seed = one_hand.seed.or(seed);
        }
    }
}
