//! A table with people and bots as a state machine: messages and the time go in, effects come out.
//!
//! A room contains no sockets, storage, clock, randomness or strategy. Everything that happens becomes an [`Event`].
//! The order of the [`Effect`]s makes the host store an event before it delivers its consequences. A room restored from
//! its log is in the same state as the room that wrote it.

use alloc::{
    boxed::Box,
    collections::{BTreeSet, VecDeque},
    format,
    string::String,
    sync::Arc,
    vec::Vec,
};

use texas42_engine::ConfigError;
use texas42_kernel::{Session, TableMetadata};
use texas42_phrases::Problem;
use texas42_protocol::{
    ClientMessage, DealKind, GameId, GameView, PlayerId, SecretKey, ServerMessage, TableOptions, WireError,
};
use texas42_vocab::{Config, Control, Layer, Phase, Seat};

mod broadcast;
mod connections;
mod http_calls;
mod import;
mod invites;
mod join;
mod presence;
mod rehydrate;
mod requests;

pub use rehydrate::{ConnectionOwner, SurvivingConnection};

use connections::{Connection, Connections};

use crate::{
    clock::Clock,
    event::{Event, StoredEvent},
    fair::FairRecord,
    keys::Keys,
    table::Table,
};

/// A connection, identified by a number that the host assigns.
pub type ConnectionId = u64;

/// The maximum number of guests without a seat. Every view lists them.
const MAX_GUESTS: usize = 32;
/// The maximum number of such guests over the lifetime of a table. Each one is logged.
const MAX_VISITS: u16 = 10_000;
/// The maximum number of connections to a table, including spectators without a key.
const MAX_CONNECTIONS: usize = 4096;
/// The maximum number of open invites.
const MAX_INVITES: usize = 64;
/// The maximum number of consecutive automatic actions before control returns to the host.
const MAX_AUTOMATIC_ACTIONS: usize = 64;

/// An instruction to the host.
///
/// Effects must be carried out in the order in which [`Room::poll_effect`] returns them. In particular, no effect after
/// a [`Store`](Self::Store) may be carried out before the events are durable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Effect {
    /// Store these events durably, all or none.
    Store(Vec<StoredEvent>),
    /// Send a message.
    Send {
        /// The recipient.
        to: ConnectionId,
        /// The message. Connections with the same view share it, so that the host can serialize it once.
        message: Arc<ServerMessage>,
    },
    /// The seat needs a bot: let one join with this key.
    RequestBot {
        /// The seat.
        seat: Seat,
        /// The key that the bot joins and reconnects with. It is never stored; a restored room issues a new one.
        key: SecretKey,
    },
    /// The seat no longer needs a bot.
    ReleaseBot {
        /// The seat.
        seat: Seat,
    },
}

/// A table with people and bots.
///
/// A room performs no I/O. The host creates it with [`create`](Self::create) (or through a
/// [`Creation`](crate::Creation)), [`adopt`](Self::adopt) or [`restore`](Self::restore), and then drives it:
///
/// 1. Pass input to one of the `handle_*` methods, with the current time in milliseconds.
/// 2. Call [`poll_effect`](Self::poll_effect) until it returns `None`, and carry out each [`Effect`] in order.
/// 3. Call [`handle_time`](Self::handle_time) at the time that [`wake_at`](Self::wake_at) returns, if any.
///
/// If storing fails, drop the room and restore it from the log: it has already applied the events. The room rejects
/// invalid requests with messages to the sender, so the `handle_*` methods return no errors.
///
/// ```
/// use texas42_room::{Effect, NewTable, Room};
///
/// let new = NewTable { id: "table-1".try_into().unwrap(), randomness: [7; 32], connection: 1 };
/// let message = serde_json::from_str(r#"{"type":"CREATE_GAME","name":"Ann"}"#).unwrap();
/// let mut room = Room::create(0, new, message).unwrap();
/// let mut log = Vec::new();
/// while let Some(effect) = room.poll_effect() {
///     match effect {
///         Effect::Store(events) => log.extend(events),
///         Effect::Send { to, .. } => assert_eq!(to, 1),
///         Effect::RequestBot { .. } | Effect::ReleaseBot { .. } => {}
///     }
/// }
/// assert_eq!(room.version(), log.len() as u64);
///
/// let restored = Room::restore(0, room.id().clone(), &[8; 32], &log).unwrap();
/// assert_eq!(restored.state(), room.state());
/// ```
#[derive(Debug)]
pub struct Room {
    id: GameId,
    keys: Keys,
    table: Table,
    connections: Connections,
    /// The keys issued to bots, by seat.
    bot_keys: [Option<SecretKey>; 4],
    unstored: Vec<StoredEvent>,
    /// Effects that depend on events that are not stored yet.
    pending_effects: Vec<Effect>,
    effects: VecDeque<Effect>,
    /// Sessions whose presence has changed since it was last broadcast.
    changed_presence: BTreeSet<PlayerId>,
    clock: Clock,
}

/// Why a log cannot be restored to a room.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RestoreError {
    /// The log does not start with the creation of the table.
    #[error("the log does not begin with the creation of the table")]
    NoBeginning,
    /// The configuration is not playable.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// An event violates the rules.
    #[error("event {at} cannot happen: {refusal}")]
    Refused {
        /// The index of the event, starting at 0.
        at: usize,
        /// Why the rules reject it.
        refusal: texas42_engine::Refusal,
    },
    /// An event occurs where it cannot have happened.
    #[error("event {at} happens too early, too late or twice")]
    Misplaced {
        /// The index of the event, starting at 0.
        at: usize,
    },
}

pub use import::ImportedTable;

/// The parameters of a new table that the host provides.
#[derive(Clone, Debug)]
pub struct NewTable {
    /// The id of the table.
    pub id: GameId,
    /// 32 unpredictable bytes.
    pub randomness: [u8; 32],
    /// The connection that requested the table.
    pub connection: ConnectionId,
}

// Getters.
impl Room {
    /// The id of the table.
    pub fn id(&self) -> &GameId {
        &self.id
    }

    /// The number of events so far.
    pub fn version(&self) -> u64 {
        self.table.version
    }

    /// The state of the game with nothing hidden, or `None` before the first deal. For tools and tests.
    pub fn state(&self) -> Option<&texas42_engine::State> {
        self.table.state()
    }

    /// The current view of a connection.
    pub fn view_for(&self, connection: ConnectionId) -> Option<GameView> {
        let connection = self.connections.get(&connection)?;
        Some(self.view_of(&connection.player_id))
    }

    /// When the host must call [`Room::handle_time`], if the room waits for something.
    pub fn wake_at(&self) -> Option<u64> {
        let automatic = self.table.automatic().map(|(_, delay)| self.table.decision_since.saturating_add(delay));
        let deadline = self.table.deadline().map(|(_, at)| at);
        automatic.into_iter().chain(deadline).min().map(|at| self.clock.to_host_time(at))
    }

    /// The proof that a finished game was dealt fairly, for tables with secret deals.
    pub fn fair_record(&self) -> Option<FairRecord> {
        self.table.fair_record()
    }

    /// The finished hands as JSON, for tools: the fairness proof of a finished game with secret deals, otherwise a
    /// record of the engine. `None` before a hand is finished.
    pub fn record(&self) -> Option<String> {
        self.table.record()
    }

    /// The phase of the game.
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

    /// The table as a session sees it, or a spectator without one.
    fn view_as(&self, session: Option<&Session>) -> GameView {
        let around = self.around();
        self.table.view(session, &self.table.scene(&around), &around)
    }

    fn around(&self) -> TableMetadata {
        let shown = self.connections.values().find_map(|connection| connection.shown.as_ref());
        self.table.around(&|player| self.is_connected(player), shown.map(|view| &view.players))
    }

    fn is_connected(&self, player: &PlayerId) -> bool {
        self.connections.values().any(|connection| connection.player_id == *player && !connection.is_transient)
    }
}

// Input.
impl Room {
    /// Creates a table from a `CREATE_GAME` message.
    ///
    /// # Errors
    /// If it is another message, or its configuration is not playable. The error is the reply to send.
    pub fn create(now: u64, new: NewTable, message: ClientMessage) -> Result<Self, Box<ServerMessage>> {
        let request = message.request_id().cloned();
        let refuse = |error| Box::new(ServerMessage::refusal(Some("CREATE_GAME"), request.clone(), error));
        let ClientMessage::CreateGame { config, table: options, name, entropy, session_key, .. } = message else {
            return Err(refuse(WireError::new(Problem::CreateFirst)));
        };
        check_options(&config, &options).map_err(&refuse)?;
        check_client_key(session_key.as_ref(), "sessionKey").map_err(&refuse)?;
        let mut keys = Keys::new(&new.randomness);
        let secret = keys.secret();
        let created = Event::Created { config: config.clone(), table: options.clone(), secret, earlier: None };
        let table = Table::created(now, config, options, secret).map_err(|error| refuse(config_error(&error)))?;
        let unstored = Vec::from([StoredEvent { at: now, event: created }]);
        let mut room = Self { unstored, ..Self::empty(new.id, keys, table, Clock::new(now, now)) };
        room.seat_creator(new.connection, name, entropy, session_key.as_ref(), request);
        room.request_bots();
        room.settle();
        Ok(room)
    }

    /// Restores the room that wrote a log. Nobody is connected, and bots are requested again.
    ///
    /// # Errors
    /// If the log was not written by a room.
    pub fn restore(now: u64, id: GameId, randomness: &[u8; 32], log: &[StoredEvent]) -> Result<Self, RestoreError> {
        Self::restore_with_connections(now, id, randomness, log, &[])
    }

    /// The room as its log left it, before it resumes.
    fn from_log(now: u64, id: GameId, randomness: &[u8; 32], log: &[StoredEvent]) -> Result<Self, RestoreError> {
        let table = Table::of(log.iter().enumerate())?;
        // The clock may be behind the log, on another host or after a correction.
        let clock = Clock::new(now, log.last().map_or(now, |last| now.max(last.at)));
        Ok(Self::empty(id, Keys::for_restored(randomness, log.len() as u64), table, clock))
    }

    /// Continues with the pending work of a restored room.
    fn resume(&mut self) {
        self.start_when_complete();
        self.request_bots();
        self.settle();
    }

    /// A table without connections.
    fn empty(id: GameId, keys: Keys, table: Table, clock: Clock) -> Self {
        Self {
            id,
            keys,
            table,
            connections: Connections::default(),
            bot_keys: [const { None }; 4],
            unstored: Vec::new(),
            pending_effects: Vec::new(),
            effects: VecDeque::new(),
            changed_presence: BTreeSet::new(),
            clock,
        }
    }

    /// Handles a message from a connection.
    pub fn handle_message(&mut self, now: u64, from: ConnectionId, message: ClientMessage) {
        self.clock.note(now);
        let name = message.name();
        let request = message.request_id().cloned();
        if let Err(problem) = self.dispatch(from, message) {
            self.refuse(from, name, request, problem);
        }
        self.settle();
    }

    /// Handles the loss of a connection. Its session keeps its seat.
    pub fn handle_disconnect(&mut self, now: u64, from: ConnectionId) {
        self.clock.note(now);
        self.detach(from);
        self.settle();
    }

    /// Handles the passing of time; see [`Room::wake_at`]. Calling it early or repeatedly is harmless.
    pub fn handle_time(&mut self, now: u64) {
        self.clock.note(now);
        self.settle();
    }

    /// The next effect to carry out, or `None` if there is nothing left to do.
    pub fn poll_effect(&mut self) -> Option<Effect> {
        if self.effects.is_empty() && !self.changed_presence.is_empty() {
            self.broadcast_presence();
            self.flush();
        }
        self.effects.pop_front()
    }

    /// Frees the memory of empty queues, for a room that may stay idle for long.
    pub fn shrink(&mut self) {
        self.effects.shrink_to_fit();
        self.pending_effects.shrink_to_fit();
        self.unstored.shrink_to_fit();
    }
}

/// Why a request is rejected; some rejections include the current view.
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

/// Rejects client-generated keys that could be guessed.
fn check_client_key(key: Option<&SecretKey>, field: &str) -> Result<(), WireError> {
    match key {
        Some(key) if !key.looks_random() => Err(WireError::new(Problem::KeyNotRandom).at(field)),
        _ => Ok(()),
    }
}

/// The maximum pause between two actions of bots, in milliseconds.
const MAX_PAUSE: u16 = 10_000;

/// Validates table options. With a public seed anybody could compute the hands, so tables for several people need
/// secret deals. The daily challenge is an exception: it is the same hand for everybody.
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
    let has_difficulty = |layer: &Layer| matches!(layer, Layer::OneHand(one_hand) if one_hand.difficulty.is_some());
    if !is_seeded && config.layers.iter().any(has_difficulty) {
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
    if options.pause > MAX_PAUSE {
        return bad("table.pause", Problem::PauseTooLong { most: MAX_PAUSE });
    }
    Ok(())
}

/// Whether the creator can compute the hands. Only one person may play at such a table. The daily challenge is an
/// exception: it is the same hand for everybody.
fn has_known_deals(config: &Config, options: &TableOptions) -> bool {
    let is_daily = config.layers.iter().any(|layer| matches!(layer, Layer::DailyChallenge(_)));
    !is_daily && (options.deal == DealKind::Seeded || !config.deals.is_empty())
}
