//! A table with people and bots as a state machine: messages and the time go in, effects come out.
//!
//! A room contains no sockets, storage, clock, randomness or strategy. Everything that happens becomes an [`Event`].
//! The order of the [`Effect`]s makes the host store an event before it delivers its consequences. A room restored from
//! its log is in the same state as the room that wrote it.

use alloc::{
    boxed::Box,
    collections::{BTreeMap, BTreeSet, VecDeque},
    format,
    string::String,
    sync::Arc,
    vec::Vec,
};

use texas42_engine::ConfigError;
use texas42_kernel::{Session, TableMetadata};
use texas42_phrases::Problem;
use texas42_protocol::{
    ClientMessage, DealKind, GameId, GameView, LobbyCode, PlayerId, SecretKey, ServerMessage, TableOptions, WireError,
};
use texas42_vocab::{Config, Control, DealOrigin, Layer, Phase, Seat};

mod absence;
mod bots;
mod broadcast;
mod configure;
mod connections;
mod creator;
mod hints;
mod http_calls;
mod import;
mod invites;
mod join;
mod lobby;
mod newcomers;
mod presence;
mod rehydrate;
mod requests;
mod speech;

pub use hints::HintPoint;
pub use import::ImportedTable;
pub use lobby::{CodeClaim, OpenCode, WaitingGuest};
pub use rehydrate::{ConnectionOwner, SurvivingConnection};

use connections::{Connection, Connections};
use creator::{CreatorRole, Introduction};
use lobby::Lobby;
use speech::Speech;

use crate::{
    clock::Clock,
    event::{Event, StoredEvent},
    fair::FairRecord,
    keys::Keys,
    table::Table,
};

/// A connection, identified by a number that the host assigns.
pub type ConnectionId = u64;

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
    /// The table needs this code for its lobby. Let it lead to the table if it leads to no other one, and answer with
    /// [`Room::handle_claim`], now or later. A table has at most one code; a restored room gets it with
    /// [`Room::reopen_lobby`].
    ClaimCode(OpenCode),
    /// The code no longer leads to the table.
    ReleaseCode(LobbyCode),
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
///         Effect::ClaimCode(_) | Effect::ReleaseCode(_) => {}
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
    /// Invited bots without a connection, and when each of them stops counting as present.
    expected_bots: BTreeMap<PlayerId, u64>,
    /// People without a connection, and when each of them will count as absent.
    missing: BTreeMap<PlayerId, u64>,
    /// Whether `missing` is up to date.
    are_people_known: bool,
    unstored: Vec<StoredEvent>,
    /// Effects that depend on events that are not stored yet.
    pending_effects: Vec<Effect>,
    effects: VecDeque<Effect>,
    lobby: Lobby,
    /// Sessions whose presence has changed since it was last broadcast.
    changed_presence: BTreeSet<PlayerId>,
    speech: Speech,
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

    /// The current view of a connection, or `None` if it has not joined.
    pub fn view_for(&self, connection: ConnectionId) -> Option<GameView> {
        let connection = self.connections.get(&connection)?;
        Some(self.view_of(&connection.player_id))
    }

    /// When the host must call [`Room::handle_time`], if the room waits for something.
    pub fn wake_at(&self) -> Option<u64> {
        let automatic = self.table.automatic().map(|(_, delay)| self.table.decision_since.saturating_add(delay));
        let deadline = self.table.deadline().map(|(_, at)| at);
        let expected = self.expected_bots.values().copied();
        let timers =
            automatic.into_iter().chain(deadline).chain(expected).chain(self.absence_due()).chain(self.lobby_due());
        timers.min().map(|at| self.clock.to_host_time(at))
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

    /// Whether several people play with secret deals, themselves or with a program that they run. Then the time that a bot of
    /// the host takes must not depend on its hand.
    pub fn hides_thinking(&self) -> bool {
        let is_outside = |session: &&Session| session.seat.is_some() && !session.is_host_bot();
        let outside = self.table.sessions.iter().filter(is_outside).count();
        outside > 1 && self.table.options.deal == DealKind::Secret
    }

    fn view_of(&self, player: &PlayerId) -> GameView {
        self.view_as(self.table.session(player))
    }

    /// The table as a session sees it, or a spectator without one.
    fn view_as(&self, session: Option<&Session>) -> GameView {
        let metadata = self.table_metadata();
        self.table.view(session, &self.table.scene(&metadata), &metadata)
    }

    fn table_metadata(&self) -> TableMetadata {
        let shown = self.connections.values().find_map(|connection| connection.shown.as_ref());
        self.table.table_metadata(&|player| self.is_connected(player), shown.map(|view| &view.players))
    }

    fn is_connected(&self, player: &PlayerId) -> bool {
        self.has_connection(player) || self.expected_bots.contains_key(player)
    }

    fn has_connection(&self, player: &PlayerId) -> bool {
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
        let ClientMessage::CreateGame { request_id, config, table: options, name, role, seat, entropy, session_key } =
            message
        else {
            return Err(refuse(WireError::new(Problem::CreateFirst)));
        };
        let creator = CreatorRole::new(role, seat, &config, &options).map_err(&refuse)?;
        check_options(&config, &options).map_err(&refuse)?;
        check_client_key(session_key.as_ref(), "sessionKey").map_err(&refuse)?;
        join::check_name(&name).map_err(&refuse)?;
        let mut keys = Keys::new(&new.randomness);
        let secret = keys.secret();
        let created =
            Event::Created { config: config.clone(), table: options.clone(), secret, earlier: None, later: None };
        let table = Table::created(now, config, options, secret).map_err(|error| refuse(config_error(&error)))?;
        let unstored = Vec::from([StoredEvent { at: now, event: created }]);
        let mut room = Self { unstored, ..Self::empty(new.id, keys, table, Clock::new(now, now)) };
        let connection = new.connection;
        room.join_creator(creator, Introduction { connection, name, entropy, session_key, request_id });
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
        self.expect_bots();
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
            expected_bots: BTreeMap::new(),
            missing: BTreeMap::new(),
            are_people_known: false,
            unstored: Vec::new(),
            pending_effects: Vec::new(),
            effects: VecDeque::new(),
            lobby: Lobby::default(),
            changed_presence: BTreeSet::new(),
            speech: Speech::default(),
            clock,
        }
    }

    /// Handles a message from a connection.
    pub fn handle_message(&mut self, now: u64, from: ConnectionId, message: ClientMessage) {
        self.clock.advance(now);
        let name = message.name();
        let request = message.request_id().cloned();
        if let Err(problem) = self.dispatch(from, message) {
            self.refuse(from, name, request, problem);
        }
        self.settle();
    }

    /// Handles the loss of a connection. Its session keeps its seat.
    pub fn handle_disconnect(&mut self, now: u64, from: ConnectionId) {
        self.clock.advance(now);
        self.note_guest_disconnected(from);
        self.detach(from);
        self.settle();
    }

    /// Handles the passing of time; see [`Room::wake_at`]. Calling it early or repeatedly is harmless.
    pub fn handle_time(&mut self, now: u64) {
        self.clock.advance(now);
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

/// Validates table options. Tables for several people need secret deals; see [`has_known_deals`].
fn check_options(config: &Config, options: &TableOptions) -> Result<(), WireError> {
    let invalid = |field: &str, problem: Problem| Err(WireError::new(problem).at(field));
    let people = config.players.iter().filter(|control| **control == Control::Human).count();
    let is_daily = config.daily_challenge().is_some();
    let is_seeded = options.deal == DealKind::Seeded;
    if is_daily && people > 1 {
        return invalid("config.layers", Problem::DailyIsForOne);
    }
    if options.brought {
        return invalid("table.brought", Problem::CannotMarkImported);
    }
    if is_daily && !config.deals.is_empty() {
        return invalid("config.deals", Problem::DailyHasOwnDeal);
    }
    if is_daily && has_other_deal(config) {
        return invalid("config.layers", Problem::DailyHasOwnDeal);
    }
    if is_daily && !is_seeded {
        return invalid("table.deal", Problem::DailyIsSeeded);
    }
    let is_searched = config.layers.iter().any(Layer::asks_for_difficulty);
    if is_searched && people > 1 {
        return invalid("config.layers", Problem::SearchIsForOne);
    }
    if is_searched && !is_seeded {
        return invalid("table.deal", Problem::SearchIsSeeded);
    }
    if people > 1 {
        check_secret_deals(config, options)?;
    }
    if options.rated && (is_seeded || !config.deals.is_empty()) {
        return invalid("table.rated", Problem::RatedNeedsSecretDeals);
    }
    if options.rated && config.shaker.is_some() {
        return invalid("config.shaker", Problem::RatedDrawsShaker);
    }
    if options.rated && options.open_hands {
        return invalid("table.openHands", Problem::RatedShowsNoHands);
    }
    if options.turn_seconds.is_some_and(|seconds| !(5..=3600).contains(&seconds)) {
        return invalid("table.turnSeconds", Problem::TurnSeconds);
    }
    if options.pause > MAX_PAUSE {
        return invalid("table.pause", Problem::PauseTooLong { most: MAX_PAUSE });
    }
    Ok(())
}

/// Whether more than one layer determines the deal.
fn has_other_deal(config: &Config) -> bool {
    let deals = config.layers.iter().filter(|layer| !matches!(layer.deal_source(), DealOrigin::Table));
    deals.count() > 1
}

/// Rejects known deals, for several people. The reason says what to change: the kind of the deals, or the seed or the
/// deals that were given.
fn check_secret_deals(config: &Config, options: &TableOptions) -> Result<(), WireError> {
    if !has_known_deals(config, options) {
        return Ok(());
    }
    let has_given_deals = config.seed.is_some() || !config.deals.is_empty();
    let problem = if has_given_deals { Problem::PeopleNeedSecretDeals } else { Problem::SeededIsForOne };
    let field = if options.deal == DealKind::Seeded { "table.deal" } else { "config.deals" };
    Err(WireError::new(problem).at(field))
}

/// Whether the hands can be computed from a public seed or were given by the creator. Only one person may play at such a
/// table. That includes the daily challenge, which is the same hand for everybody: each person plays it at a table of
/// their own.
pub(crate) fn has_known_deals(config: &Config, options: &TableOptions) -> bool {
    options.deal == DealKind::Seeded || !config.deals.is_empty()
}
