//! A table with people and programs around it, as a state machine: messages and the time go in, effects come out.
//!
//! No socket, no storage, no clock, no randomness and no strategy is in here. Everything that happens becomes an
//! [`Event`]; the host stores it before it delivers what follows from it, because the [`Effect`]s come in that order.
//! A room that is restored from its log is the same room.

use alloc::{
    boxed::Box,
    collections::{BTreeSet, VecDeque},
    format,
    string::String,
    sync::Arc,
    vec::Vec,
};

use texas42_engine::ConfigError;
use texas42_kernel::{Around, Session};
use texas42_phrases::Problem;
use texas42_protocol::{
    ClientMessage, DealKind, GameId, GameView, PlayerId, SecretKey, ServerMessage, TableOptions, WireError,
};
use texas42_vocab::{Config, Control, Layer, Phase, Seat};

mod bringing;
mod calls;
mod coming;
mod connections;
mod inviting;
mod presence;
mod requests;
mod surviving;
mod telling;

pub use surviving::{Survived, Survivor};

use connections::{Connection, Connections};

use crate::{
    clock::Clock,
    event::{Event, Stored},
    fair::FairRecord,
    keys::Keys,
    table::Table,
};

/// A connection, by the number that the host gave it.
pub type ConnectionId = u64;

/// The most guests without a seat at one table: everybody is shown them.
const MOST_GUESTS: usize = 32;
/// The most such guests in the life of a table: each is written down.
const MOST_VISITS: u16 = 10_000;
/// The most connections to one table, those of watchers without a key included.
const MOST_CONNECTIONS: usize = 4096;
/// The most invitations that are open at once.
const MOST_INVITATIONS: usize = 64;
/// What the table may do by itself in a row before the host gets a turn.
const MOST_AUTOMATIC: usize = 64;

/// What a host has to do, in this order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Effect {
    /// Write these events down, durably and all or none. Only then go on with the effects behind it.
    Store(Vec<Stored>),
    /// Send a message.
    Send {
        /// To whom.
        to: ConnectionId,
        /// What. Connections that see the same share it, so that a host has to write it out once.
        message: Arc<ServerMessage>,
    },
    /// This seat wants a program: let one join with this key.
    WantAi {
        /// Which seat.
        seat: Seat,
        /// The key that it joins and comes back with. It is written down nowhere, and a restored room makes another.
        key: SecretKey,
    },
    /// This seat wants no program any more.
    ReleaseAi {
        /// Which seat.
        seat: Seat,
    },
}

/// A table with people and programs around it.
#[derive(Debug)]
pub struct Room {
    id: GameId,
    keys: Keys,
    table: Table,
    connections: Connections,
    /// The keys of the programs that were called, by seat.
    called: [Option<SecretKey>; 4],
    unstored: Vec<Stored>,
    /// What follows from the events that are not stored yet.
    unsettled: Vec<Effect>,
    effects: VecDeque<Effect>,
    /// Sessions that have come or gone since readers were last told who is there.
    changed_presence: BTreeSet<PlayerId>,
    clock: Clock,
}

/// Why a log cannot be turned back into a room.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RestoreError {
    /// The log does not begin with the table being set up.
    #[error("the log does not begin with the creation of the table")]
    NoBeginning,
    /// The configuration cannot be played any more.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// An event could not happen.
    #[error("event {at} cannot happen: {refusal}")]
    Refused {
        /// Which, counted from 0.
        at: usize,
        /// Why.
        refusal: texas42_engine::Refusal,
    },
    /// An event stands where it cannot have happened.
    #[error("event {at} happens too early, too late or twice")]
    Misplaced {
        /// Which, counted from 0.
        at: usize,
    },
}

pub use bringing::Brought;

/// What a new table is made from.
#[derive(Clone, Debug)]
pub struct NewTable {
    /// Its id, chosen by the host.
    pub id: GameId,
    /// 32 bytes that nobody can guess.
    pub randomness: [u8; 32],
    /// The connection that asked for it.
    pub connection: ConnectionId,
}

// Getters.
impl Room {
    /// The id of the table.
    pub fn id(&self) -> &GameId {
        &self.id
    }

    /// How many events have happened.
    pub fn version(&self) -> u64 {
        self.table.version
    }

    /// Where the game stands, with nothing hidden; nothing before the first deal. For tools and tests.
    pub fn state(&self) -> Option<&texas42_engine::State> {
        self.table.state()
    }

    /// The view that a connection should have.
    pub fn view_for(&self, connection: ConnectionId) -> Option<GameView> {
        let connection = self.connections.get(&connection)?;
        Some(self.view_of(&connection.player_id))
    }

    /// When the room has to be woken up, if it has something to wait for.
    pub fn wake_at(&self) -> Option<u64> {
        let automatic = self.table.automatic().map(|(_, delay)| self.table.decision_since.saturating_add(delay));
        let deadline = self.table.deadline().map(|(_, at)| at);
        automatic.into_iter().chain(deadline).min().map(|at| self.clock.by_host(at))
    }

    /// The proof that a finished game was dealt fairly, for tables with secret deals.
    pub fn fair_record(&self) -> Option<FairRecord> {
        self.table.fair_record()
    }

    /// What happened in the hands that are over, for tools, as JSON: the proof of a finished game where the deals were
    /// secret, a record of the engine otherwise. Nothing before a hand is over.
    pub fn record(&self) -> Option<String> {
        self.table.record()
    }

    /// The part of the game that the table is in.
    pub fn phase(&self) -> Phase {
        self.table.state().map_or(Phase::Setup, |state| state.phase)
    }

    /// Whether nobody is connected.
    pub fn is_idle(&self) -> bool {
        self.connections.is_empty()
    }

    fn view_of(&self, player: &PlayerId) -> GameView {
        self.view_as(self.table.session(player))
    }

    /// The table as a session sees it, or somebody without one.
    fn view_as(&self, session: Option<&Session>) -> GameView {
        let around = self.around();
        self.table.view(session, &self.table.scene(&around), &around)
    }

    fn around(&self) -> Around {
        let shown = self.connections.values().find_map(|connection| connection.shown.as_ref());
        self.table.around(&|player| self.is_connected(player), shown.map(|view| &view.players))
    }

    fn is_connected(&self, player: &PlayerId) -> bool {
        self.connections.values().any(|connection| connection.player_id == *player && !connection.is_passing)
    }
}

// What goes in.
impl Room {
    /// Sets up a table for a `CREATE_GAME`.
    ///
    /// # Errors
    /// When the message is another one or its configuration cannot be played: the answer to send back.
    pub fn create(now: u64, new: NewTable, message: ClientMessage) -> Result<Self, Box<ServerMessage>> {
        let request = message.request_id().cloned();
        let refuse = |error| Box::new(ServerMessage::refusal(Some("CREATE_GAME"), request.clone(), error));
        let ClientMessage::CreateGame { config, table: options, name, entropy, session_key, .. } = message else {
            return Err(refuse(WireError::new(Problem::CreateFirst)));
        };
        check_options(&config, &options).map_err(&refuse)?;
        check_own_key(session_key.as_ref(), "sessionKey").map_err(&refuse)?;
        let mut keys = Keys::new(&new.randomness);
        let secret = keys.secret();
        let created = Event::Created { config: config.clone(), table: options.clone(), secret, earlier: None };
        let table = Table::created(now, config, options, secret).map_err(|error| refuse(config_error(&error)))?;
        let unstored = Vec::from([Stored { at: now, event: created }]);
        let mut room = Self { unstored, ..Self::empty(new.id, keys, table, Clock::new(now, now)) };
        room.seat_creator(new.connection, name, entropy, session_key.as_ref(), request);
        room.call_programs();
        room.settle();
        Ok(room)
    }

    /// Turns a stored log back into the room that wrote it. Nobody is connected; programs are asked for again.
    ///
    /// # Errors
    /// When the log is not one of a room.
    pub fn restore(now: u64, id: GameId, randomness: &[u8; 32], log: &[Stored]) -> Result<Self, RestoreError> {
        Self::restore_under(now, id, randomness, log, &[])
    }

    /// The room as its log left it, before it goes on.
    fn from_log(now: u64, id: GameId, randomness: &[u8; 32], log: &[Stored]) -> Result<Self, RestoreError> {
        let table = Table::of(log.iter().enumerate())?;
        // The clock of another host, or of the same one after a correction, may be behind the log.
        let clock = Clock::new(now, log.last().map_or(now, |last| now.max(last.at)));
        Ok(Self::empty(id, Keys::again(randomness, log.len() as u64), table, clock))
    }

    /// A room that was built again goes on with what it was about to do.
    fn go_on(&mut self) {
        self.start_when_complete();
        self.call_programs();
        self.settle();
    }

    /// A table at which nobody is connected.
    fn empty(id: GameId, keys: Keys, table: Table, clock: Clock) -> Self {
        Self {
            id,
            keys,
            table,
            connections: Connections::default(),
            called: [const { None }; 4],
            unstored: Vec::new(),
            unsettled: Vec::new(),
            effects: VecDeque::new(),
            changed_presence: BTreeSet::new(),
            clock,
        }
    }

    /// Takes in a message of a connection.
    pub fn handle_message(&mut self, now: u64, from: ConnectionId, message: ClientMessage) {
        self.clock.note(now);
        let name = message.name();
        let request = message.request_id().cloned();
        if let Err(problem) = self.dispatch(from, message) {
            self.refuse(from, name, request, problem);
        }
        self.settle();
    }

    /// A connection is gone; its session keeps its seat.
    pub fn handle_disconnect(&mut self, now: u64, from: ConnectionId) {
        self.clock.note(now);
        self.detach(from);
        self.settle();
    }

    /// The time has come that [`Room::wake_at`] named. Coming too early or twice does no harm.
    pub fn handle_time(&mut self, now: u64) {
        self.clock.note(now);
        self.settle();
    }

    /// The next thing to do; nothing when everything is done.
    pub fn poll_effect(&mut self) -> Option<Effect> {
        if self.effects.is_empty() && !self.changed_presence.is_empty() {
            self.tell_presence();
            self.flush();
        }
        self.effects.pop_front()
    }

    /// Gives back the memory of queues that are empty, for a room that may wait for long.
    pub fn shrink(&mut self) {
        self.effects.shrink_to_fit();
        self.unsettled.shrink_to_fit();
        self.unstored.shrink_to_fit();
    }
}

/// Why a request is refused; some refusals carry a fresh view.
struct Rejection {
    error: WireError,
    with_view: bool,
}

impl From<WireError> for Rejection {
    fn from(error: WireError) -> Self {
        Self { error, with_view: false }
    }
}

impl Rejection {
    fn with_view(self) -> Self {
        Self { with_view: true, ..self }
    }
}

fn reject(problem: Problem) -> Rejection {
    WireError::new(problem).into()
}

fn config_error(error: &ConfigError) -> WireError {
    WireError::new(error.problem.clone()).at(format!("config.{}", error.field))
}

/// A key that a client made for itself has to be one that nobody guesses.
fn check_own_key(key: Option<&SecretKey>, field: &str) -> Result<(), WireError> {
    match key {
        Some(key) if !key.looks_random() => Err(WireError::new(Problem::KeyNotRandom).at(field)),
        _ => Ok(()),
    }
}

/// The longest pause between two moves of bots, in milliseconds.
const MOST_PAUSE: u16 = 10_000;

/// A public seed would let everybody compute the hands: where several people play, the deals are secret, except in
/// the daily challenge, which is one and the same hand for everybody.
fn check_options(config: &Config, options: &TableOptions) -> Result<(), WireError> {
    let bad = |field: &str, problem: Problem| Err(WireError::new(problem).at(field));
    let people = config.players.iter().filter(|control| **control == Control::Human).count();
    let is_daily = config.layers.iter().any(|layer| matches!(layer, Layer::DailyChallenge(_)));
    let is_seeded = options.deal == DealKind::Seeded;
    if people == 0 {
        return bad("config.players", Problem::NoPerson);
    }
    if options.brought {
        return bad("table.brought", Problem::NotBrought);
    }
    if is_daily && !is_seeded {
        return bad("table.deal", Problem::DailyIsSeeded);
    }
    let wishes = |layer: &Layer| matches!(layer, Layer::OneHand(one_hand) if one_hand.difficulty.is_some());
    if !is_seeded && config.layers.iter().any(wishes) {
        return bad("table.deal", Problem::SearchIsSeeded);
    }
    if people > 1 && has_known_deals(config, options) {
        let field = if is_seeded { "table.deal" } else { "config.deals" };
        return bad(field, Problem::PeopleNeedSecretDeals);
    }
    if options.rated && (is_seeded || !config.deals.is_empty()) {
        return bad("table.rated", Problem::RatedNeedsSecretDeals);
    }
    if options.rated && options.open_hands {
        return bad("table.openHands", Problem::RatedShowsNoHands);
    }
    if options.turn_seconds.is_some_and(|seconds| !(5..=3600).contains(&seconds)) {
        return bad("table.turnSeconds", Problem::TurnSeconds);
    }
    if options.pause > MOST_PAUSE {
        return bad("table.pause", Problem::PauseTooLong { most: MOST_PAUSE });
    }
    Ok(())
}

/// Whether whoever set the table up can compute the hands: only one person may play there, unless it is the day's
/// hand, one and the same for everybody.
fn has_known_deals(config: &Config, options: &TableOptions) -> bool {
    let is_daily = config.layers.iter().any(|layer| matches!(layer, Layer::DailyChallenge(_)));
    !is_daily && (options.deal == DealKind::Seeded || !config.deals.is_empty())
}
