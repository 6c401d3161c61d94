//! Creates tables that may need a search for a deal.
//!
//! Daily challenges and one-hand tables without a seed get a deal of a given difficulty. The search runs in slices with
//! progress in between, so that it never blocks a host, and can be canceled by dropping the [`Creation`].
//!
//! A daily challenge is always played to its last trick, for stars that depend on the par of its deal and count the points
//! of its person's team. The creator can change neither that nor the deal. Tables of earlier versions keep the rules in
//! their logs.
//!
//! Difficulty and par depend on a search, which is not part of this crate: the host provides it. The result becomes
//! part of the configuration, so replaying the log needs no search.

use alloc::{boxed::Box, format};

use texas42_engine::{Context, daily_seed, star_thresholds};
use texas42_protocol::{ClientMessage, DealKind, Operation, ServerMessage, TableOptions};
use texas42_vocab::{Config, Control, DailyChallenge, Deal, DealOrigin, Difficulty, OneHand, Script, Seat, SeedText};

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

/// Computes par: the most points that the team of a seat takes with perfect play, if that seat names trumps.
pub type Par = fn(&Deal, Seat) -> u8;

/// A search for a deal, in slices.
pub trait DealSearch: Send {
    /// Examines a few more deals.
    fn advance(&mut self) -> SearchStep;
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
    par: Par,
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
    /// Starts with a `CREATE_GAME` message. The host provides `begin`, which starts a search if the table needs one, and
    /// `par`.
    pub fn new(
        now: u64,
        new: NewTable,
        mut message: ClientMessage,
        begin: impl FnOnce(DealRequest) -> Box<dyn DealSearch>,
        par: Par,
    ) -> Self {
        take_away_challenge(&mut message);
        let required = match &message {
            ClientMessage::CreateGame { config, table, .. } => required_deal(&new.randomness, config, table),
            _ => None,
        };
        let search = required.map(|(layer, deal)| Search { layer, deals: begin(deal), has_begun: false });
        Self { now, new, message, par, search }
    }

    /// Whether the next poll may take long.
    pub const fn is_searching(&self) -> bool {
        self.search.is_some()
    }

    /// Does one slice of the work. Do not poll again after `Ready` or `Refused`.
    pub fn poll(&mut self) -> Step {
        // Reject invalid tables before searching; the check is cheap compared to a slice.
        let room = match self.create() {
            Err(answer) => return Step::Refused(answer),
            Ok(room) => room,
        };
        if let Some(progress) = self.advance_search() {
            return Step::Progress(Box::new(ServerMessage::Progress { operation: Operation::SeedFinding, progress }));
        }
        let room = if set_challenge(&mut self.message, self.par) { self.create() } else { Ok(room) };
        room.map_or_else(Step::Refused, |room| Step::Ready(Box::new(room)))
    }

    fn create(&self) -> Result<Room, Box<ServerMessage>> {
        Room::create(self.now, self.new.clone(), self.message.clone())
    }

    /// Continues the search, if there is one, and returns its progress in percent. Reports 0 before the first slice,
    /// and 100 once the deal is found.
    fn advance_search(&mut self) -> Option<u8> {
        let search = self.search.as_mut()?;
        if !core::mem::replace(&mut search.has_begun, true) {
            return Some(0);
        }
        match search.deals.advance() {
            SearchStep::NotYet(progress) => Some(progress),
            SearchStep::Found { number, seed } => {
                set_deal(&mut self.message, search.layer, number, seed);
                self.search = None;
                Some(100)
            }
        }
    }
}

/// Whether a table with these rules needs a search for its deal.
pub(crate) fn needs_search(config: &Config, table: &TableOptions) -> bool {
    required_deal(&[0; 32], config, table).is_some()
}

/// The deal that must be searched for, and the index of the layer that needs it. `None` for secret deals, and if a later
/// layer, the seed or the configured deals determine the deal.
fn required_deal(randomness: &[u8; 32], config: &Config, table: &TableOptions) -> Option<(usize, DealRequest)> {
    if table.deal != DealKind::Seeded || !config.deals.is_empty() {
        return None;
    }
    let mut last_one_hand = None;
    for (at, layer) in config.layers.iter().enumerate().rev() {
        match layer.deal_source() {
            DealOrigin::Day(daily) => return daily.deal.is_none().then(|| (at, daily_request(daily))),
            DealOrigin::Seed(_) => return None,
            DealOrigin::Search(one_hand) => last_one_hand = Some((at, one_hand)),
            DealOrigin::Table => {}
        }
    }
    let (at, one_hand) = last_one_hand?;
    Some((at, one_hand_request(randomness, config, one_hand)?))
}

/// The seat for which a daily challenge is searched. Its par is computed for this seat, unless the person plays in the other
/// team.
const CHALLENGER: Seat = Seat::ALL[0];

/// A daily challenge has the same deal for everybody, regardless of their seat.
fn daily_request(daily: &DailyChallenge) -> DealRequest {
    DealRequest { words: daily_seed(daily), difficulty: daily.difficulty, seat: CHALLENGER, script: None }
}

/// The deal to search for, for one hand. `None` for a table with a seed but no difficulty, which is dealt from that seed.
fn one_hand_request(randomness: &[u8; 32], config: &Config, one_hand: &OneHand) -> Option<DealRequest> {
    let [a, b, c, d, ..] = *randomness;
    let random_words = || format!("hand-{:08x}", u32::from_le_bytes([a, b, c, d])).parse().ok();
    let words = match config.seed {
        Some(seed) => one_hand.difficulty.map(|_| seed),
        None => random_words(),
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
    if let Some(layer) = config.layers.get_mut(layer) {
        *layer = layer.with_deal(Some((number, seed)));
    }
}

/// Takes away what a client says about the deal and the stars of a daily challenge, which the host decides.
fn take_away_challenge(message: &mut ClientMessage) {
    let ClientMessage::CreateGame { config, .. } = message else { return };
    if let Some(daily) = config.daily_challenge_mut() {
        (daily.deal, daily.seat) = (None, None);
    }
}

/// The seat of the person if that person plays in the other team than the challenger of the search.
fn person_in_other_team(config: &Config) -> Option<Seat> {
    let person = Seat::ALL.into_iter().find(|seat| config.players[seat.index()] == Control::Human);
    person.filter(|seat| seat.team() != CHALLENGER.team())
}

/// Sets what the host decides about a daily challenge: its hand is played to the last trick, and the stars depend on
/// the par of the team of its person. Returns whether the table is a daily challenge.
fn set_challenge(message: &mut ClientMessage, par: Par) -> bool {
    let ClientMessage::CreateGame { config, .. } = message else { return false };
    let Some(deal) = Context::compose(config).ok().map(|ctx| ctx.deal(0)) else { return false };
    let seat = person_in_other_team(config);
    let Some(daily) = config.daily_challenge_mut() else { return false };
    daily.seat = seat;
    daily.star_thresholds = star_thresholds(par(&deal, seat.unwrap_or(CHALLENGER)));
    config.play_on = true;
    true
}
