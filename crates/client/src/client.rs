//! The client of one table.
//!
//! Invariants: a request keeps its id until it is answered, so it is executed at most once and never lost.
//! [`ClientCore::table`] always returns a version that the table had, never a prediction.

use alloc::{
    collections::VecDeque,
    format,
    string::{String, ToString},
    vec::Vec,
};

use texas42_phrases::{Phrase, Problem};
use texas42_protocol::{
    Ack, ActionHint, ActionMessage, Capability, ClientMessage, Entropy, ErrorCode, FollowOutcome, Follower, GameId,
    GameView, Grant, Intent, KnockStatus, LobbyCode, LobbyGuest, Operation, PlayerId, PlayerView, RequestId, SecretKey,
    ServerMessage, Status, TableOptions, ValidAction, WireError,
};
use texas42_vocab::{Action, Config, Control, Domino, Seat};

use crate::{
    backoff::Backoff,
    close,
    credentials::{Credentials, Ticket},
};

/// How long to wait for a reply before repeating the request, in milliseconds.
const REPLY_TIMEOUT: u64 = 5_000;
/// How long to wait before repeating a request that the table asked to send later.
const RETRY_DELAY: u64 = 1_000;
/// How a client notices that its connection is dead although nothing has closed it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Heartbeat {
    /// After how much silence the client sends a ping, in milliseconds.
    pub ping_after: u64,
    /// How long it then waits for any message before it considers the connection dead.
    pub answer_within: u64,
}

impl Heartbeat {
    /// For programs, which have nothing to show meanwhile.
    pub const CALM: Self = Self { ping_after: 20_000, answer_within: 25_000 };
    /// For people: a lost connection is noticed within five seconds.
    pub const QUICK: Self = Self { ping_after: 2_000, answer_within: 2_900 };
}

/// How often a client in a lobby asks how its request stands. The answer comes by itself over a connection; without one,
/// the guest counts as gone after four times as long.
const REPEAT_KNOCK: u64 = 5_000;

/// The maximum number of unanswered requests.
const MAX_PENDING: usize = 32;

/// The lobby of a table, as the person who manages it sees it. Times are on the clock of the table.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Lobby {
    /// The valid code, and until when it is valid.
    pub code: Option<(LobbyCode, u64)>,
    /// The guests who wait.
    pub guests: Vec<LobbyGuest>,
}

/// A notification for the owner of a client. The table itself is in [`ClientCore::table`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ClientEvent {
    /// The client has joined, or reconnected.
    Joined,
    /// The view has changed.
    Changed,
    /// A request was accepted.
    Answered {
        /// The request.
        request: RequestId,
        /// The resulting version.
        version: u64,
    },
    /// A request was rejected; nothing has happened.
    Refused {
        /// The request, if it is known.
        request: Option<RequestId>,
        /// What went wrong.
        error: WireError,
    },
    /// An invite was created or revoked.
    Invited {
        /// The request.
        request: RequestId,
        /// The number of the invite.
        invite: u32,
        /// Its key, if it was created.
        key: Option<SecretKey>,
    },
    /// A guest of the lobby was let in.
    Admitted {
        /// The request.
        request: RequestId,
        /// The number of the guest's invite.
        invite: u32,
    },
    /// The lobby of the table has changed, or a request about it was executed: [`ClientCore::lobby`].
    LobbyChanged {
        /// The request, if it answers one.
        request: Option<RequestId>,
    },
    /// The client waits in the lobby until the host of the table decides.
    Waiting,
    /// The table has executed a request to leave or to give up the seat. The client has ended.
    Left {
        /// The request.
        request: RequestId,
        /// Whether the ticket still leads back to the seat.
        is_seat_kept: bool,
    },
    /// Somebody said a phrase.
    Said {
        /// The request, if this client said it. It is answered with this.
        request: Option<RequestId>,
        /// Who said it.
        player: PlayerId,
        /// The phrase.
        phrase: Phrase,
        /// The domino of the student's hand that the coach points at.
        domino: Option<Domino>,
    },
    /// A player joined, left, or changed.
    Status {
        /// The player.
        player: PlayerView,
        /// What happened.
        status: Status,
    },
    /// Hints for the current decision have arrived: [`ClientCore::hints`].
    Hinted,
    /// Progress of a long operation.
    Progress {
        /// The operation.
        operation: Operation,
        /// How much is done, in percent.
        percent: u8,
    },
    /// The connection is lost. The client will reconnect at [`ClientCore::connect_at`].
    Disconnected,
    /// The client has ended and will not reconnect automatically.
    Over {
        /// The reason.
        error: WireError,
    },
}

/// The state of the connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ConnectionState {
    /// Disconnected; the next attempt is at this time.
    Down { try_at: u64 },
    /// Connected; the request to join was sent at this time.
    Joining { since: u64 },
    /// Connected, and in the lobby of the table; the request is repeated at this time.
    Waiting { repeat_at: u64 },
    /// At the table.
    Joined,
    /// Ended; no further attempts.
    Over,
}

/// A request that is not answered yet.
#[derive(Clone, Debug)]
struct PendingRequest {
    request: RequestId,
    message: ClientMessage,
    resend_at: u64,
}

/// A client of one table.
///
/// The client performs no I/O. Its owner holds the connection and drives it:
///
/// 1. Connect when [`connect_at`](Self::connect_at) is due, then call [`handle_connected`](Self::handle_connected). If
///    connecting fails or the connection is lost, call [`handle_disconnected`](Self::handle_disconnected).
/// 2. Pass every message to [`handle_message`](Self::handle_message), and call [`handle_time`](Self::handle_time) at
///    [`wake_at`](Self::wake_at).
/// 3. After each call, send every [`poll_frame`](Self::poll_frame), process every [`poll_event`](Self::poll_event), and
///    close the connection if [`poll_close`](Self::poll_close) returns `true`.
///
/// Requests such as [`execute`](Self::execute) return the id under which [`poll_event`](Self::poll_event) later reports
/// the result. They survive a lost connection. To resume in another process, store the [`ticket`](Self::ticket) and
/// pass it to [`resume`](Self::resume).
#[derive(Clone, Debug)]
pub struct ClientCore {
    credentials: Credentials,
    /// Generated by the client, so that a lost reply costs no seat.
    session_key: SecretKey,
    ticket: Option<Ticket>,
    state: ConnectionState,
    backoff: Backoff,
    follower: Follower,
    player_id: Option<PlayerId>,
    seat: Option<Seat>,
    capabilities: Vec<Capability>,
    lobby: Lobby,
    pending: VecDeque<PendingRequest>,
    frames: VecDeque<ClientMessage>,
    events: VecDeque<ClientEvent>,
    heartbeat: Heartbeat,
    last_heard_at: u64,
    /// When the unanswered ping was sent. The answer has its own deadline: the clock of a suspended program may jump.
    pinged_at: Option<u64>,
    should_close: bool,
    prefix: String,
    requests_made: u64,
    has_requested_view: bool,
    over: Option<WireError>,
}

// Constructors.
impl ClientCore {
    /// A client that has not joined yet. The random bytes become its session key and the prefix of its request ids;
    /// keep them secret.
    pub fn new(credentials: Credentials, randomness: [u8; 24]) -> Self {
        let prefix = u64::from_le_bytes(core::array::from_fn(|at| randomness[16 + at]));
        Self {
            credentials,
            session_key: SecretKey::new(core::array::from_fn(|at| randomness[at])),
            ticket: None,
            state: ConnectionState::Down { try_at: 0 },
            backoff: Backoff::new(prefix),
            follower: Follower::default(),
            player_id: None,
            seat: None,
            capabilities: Vec::new(),
            lobby: Lobby::default(),
            pending: VecDeque::new(),
            frames: VecDeque::new(),
            events: VecDeque::new(),
            heartbeat: Heartbeat::CALM,
            last_heard_at: 0,
            pinged_at: None,
            should_close: false,
            prefix: format!("{prefix:x}"),
            requests_made: 0,
            has_requested_view: false,
            over: None,
        }
    }

    /// The client with another heartbeat than [`Heartbeat::CALM`].
    #[must_use]
    pub const fn with_heartbeat(mut self, heartbeat: Heartbeat) -> Self {
        self.heartbeat = heartbeat;
        self
    }

    /// A client that reconnects to its session.
    pub fn resume(ticket: Ticket, randomness: [u8; 24]) -> Self {
        let Ticket { game_id, key, name } = ticket.clone();
        Self { ticket: Some(ticket), session_key: key, ..Self::new(Credentials::join(game_id, None, name), randomness) }
    }
}

// Getters.
impl ClientCore {
    /// The current view of the table and its version.
    pub fn table(&self) -> Option<(u64, &GameView)> {
        self.follower.table()
    }

    /// What this client may do now.
    pub fn valid_actions(&self) -> &[ValidAction] {
        self.table().map_or(&[], |(_, view)| &view.valid_actions)
    }

    /// The host's hints for the current decision, if the session may see hints. They arrive some time after the view;
    /// see [`ClientEvent::Hinted`].
    pub fn hints(&self) -> &[ActionHint] {
        self.follower.hints()
    }

    /// What to store for reconnecting later. `None` before the client has joined.
    pub const fn ticket(&self) -> Option<&Ticket> {
        self.ticket.as_ref()
    }

    /// The table, once it is known.
    pub fn game_id(&self) -> Option<&GameId> {
        match (&self.ticket, &self.credentials) {
            (Some(ticket), _) => Some(&ticket.game_id),
            (None, Credentials::Join { game_id, .. } | Credentials::Knock { game_id, .. }) => Some(game_id),
            (None, Credentials::Create { .. }) => None,
        }
    }

    /// The public id of the session.
    pub const fn player_id(&self) -> Option<&PlayerId> {
        self.player_id.as_ref()
    }

    /// The seat, if the session has one.
    pub const fn seat(&self) -> Option<Seat> {
        self.seat
    }

    /// What the session may do and see. It changes when the table is configured or its host leaves.
    pub fn capabilities(&self) -> &[Capability] {
        let listed = self.table().and_then(|(_, view)| {
            view.players.iter().find(|player| Some(&player.player_id) == self.player_id.as_ref())
        });
        listed.map_or(&self.capabilities, |own| &own.capabilities)
    }

    /// Whether the client is at the table now.
    pub fn is_joined(&self) -> bool {
        self.state == ConnectionState::Joined
    }

    /// The lobby of the table, for the person who manages it.
    pub const fn lobby(&self) -> &Lobby {
        &self.lobby
    }

    /// Whether the client waits in the lobby of a table.
    pub const fn is_in_lobby(&self) -> bool {
        matches!(self.state, ConnectionState::Waiting { .. })
    }

    /// Whether a request is still unanswered. Its effect is not visible yet.
    pub fn is_waiting(&self) -> bool {
        !self.pending.is_empty()
    }

    /// Whether the table waits for this client to declare itself ready.
    pub fn must_declare_ready(&self) -> bool {
        self.table().is_some_and(|(_, view)| view.not_ready().any(|seat| Some(seat) == self.seat))
    }

    /// Whether somebody asks for an undo that this client has neither allowed nor declined.
    pub fn is_asked_to_undo(&self) -> bool {
        let is_open =
            |seat: Seat, view: &GameView| view.metadata.undo.as_ref().is_some_and(|undo| !undo.agreed.contains(&seat));
        let may = self.capabilities().contains(&Capability::UndoActions);
        may && self.seat.zip(self.table()).is_some_and(|(seat, (_, view))| is_open(seat, view))
    }

    /// Whether the client has ended and will not reconnect automatically.
    pub fn is_over(&self) -> bool {
        self.state == ConnectionState::Over
    }

    /// Why the client has ended, for owners that do not process events, such as those of bots.
    pub const fn over(&self) -> Option<&WireError> {
        self.over.as_ref()
    }

    /// The number of consecutive failed connection attempts.
    pub const fn failed_attempts(&self) -> u32 {
        self.backoff.failures()
    }

    /// When to connect, if the client is disconnected and should reconnect.
    pub const fn connect_at(&self) -> Option<u64> {
        match self.state {
            ConnectionState::Down { try_at } => Some(try_at),
            _ => None,
        }
    }

    /// When [`ClientCore::handle_time`] is due, if the client is connected.
    pub fn wake_at(&self) -> Option<u64> {
        let Heartbeat { ping_after, answer_within } = self.heartbeat;
        let silence = self.pinged_at.map_or(self.last_heard_at + ping_after, |at| at + answer_within);
        match self.state {
            ConnectionState::Down { .. } | ConnectionState::Over => None,
            ConnectionState::Joining { since } => Some(silence.min(since + REPLY_TIMEOUT)),
            ConnectionState::Waiting { repeat_at } => Some(silence.min(repeat_at)),
            ConnectionState::Joined => self.pending.iter().map(|pending| pending.resend_at).chain([silence]).min(),
        }
    }
}

// Requests. They return `None` if the client has ended or has too many unanswered requests.
impl ClientCore {
    /// Executes an action based on the current view. Returns `None` if there is no view.
    pub fn execute(&mut self, now: u64, action: Action) -> Option<RequestId> {
        let (version, _) = self.table()?;
        self.execute_at(now, version, action, None)
    }

    /// Executes an action based on an earlier version, with a bot's reason.
    pub fn execute_at(&mut self, now: u64, version: u64, action: Action, intent: Option<Intent>) -> Option<RequestId> {
        let action = ActionMessage(action);
        self.send_request(now, |game_id, request_id| ClientMessage::ExecuteAction {
            game_id,
            request_id,
            version,
            action,
            intent,
        })
    }

    /// Lets a bot play a seat, or takes the seat back from a bot.
    pub fn set_control(&mut self, now: u64, player: Seat, control_type: Control) -> Option<RequestId> {
        self.send_request(now, |game_id, request_id| ClientMessage::SetPlayerControl {
            game_id,
            request_id,
            player,
            control_type,
            version: None,
        })
    }

    /// Asks for bots on the seats that the table waits for, except the seat of this client. The table refuses until it has
    /// waited long enough.
    pub fn ask_for_bots(&mut self, now: u64) {
        let waits_for = self.table().map(|(_, view)| view.waits_for().collect::<Vec<Seat>>());
        let others = waits_for.unwrap_or_default().into_iter().filter(|seat| self.seat != Some(*seat));
        for seat in others.collect::<Vec<Seat>>() {
            self.set_control(now, seat, Control::Ai);
        }
    }

    /// Creates an invite. The key must be 16 random bytes; if omitted, the table generates one and shows it once.
    pub fn invite(&mut self, now: u64, grant: Grant, key: Option<SecretKey>) -> Option<RequestId> {
        let grant = Some(grant);
        self.send_request(now, |game_id, request_id| ClientMessage::Invite {
            game_id,
            request_id,
            grant,
            key,
            revoke: None,
            guest: None,
        })
    }

    /// Revokes an invite.
    pub fn revoke(&mut self, now: u64, invite: u32) -> Option<RequestId> {
        let revoke = Some(invite);
        self.send_request(now, |game_id, request_id| ClientMessage::Invite {
            game_id,
            request_id,
            grant: None,
            key: None,
            revoke,
            guest: None,
        })
    }

    /// Opens the lobby of the table for others with a code, or replaces the code. The code is in [`lobby`](Self::lobby)
    /// when [`ClientEvent::LobbyChanged`] answers the request.
    pub fn open_lobby(&mut self, now: u64, renew: bool) -> Option<RequestId> {
        self.send_request(now, |game_id, request_id| ClientMessage::OpenLobby { game_id, request_id, renew })
    }

    /// Closes the lobby of the table.
    pub fn close_lobby(&mut self, now: u64) -> Option<RequestId> {
        self.send_request(now, |game_id, request_id| ClientMessage::CloseLobby { game_id, request_id })
    }

    /// Lets a guest in who waits in the lobby.
    pub fn admit(&mut self, now: u64, guest: PlayerId, grant: Grant) -> Option<RequestId> {
        self.send_request(now, |game_id, request_id| ClientMessage::Invite {
            game_id,
            request_id,
            grant: Some(grant),
            key: None,
            revoke: None,
            guest: Some(guest),
        })
    }

    /// Turns a guest away who waits in the lobby.
    pub fn turn_away(&mut self, now: u64, guest: PlayerId) -> Option<RequestId> {
        self.send_request(now, |game_id, request_id| ClientMessage::TurnAway { game_id, request_id, guest })
    }

    /// Starts another game at the same table. Without `entropy`, reuses the randomness of the last game.
    pub fn rematch(&mut self, now: u64, entropy: Option<Entropy>) -> Option<RequestId> {
        self.rematch_with(now, entropy, None, None)
    }

    /// Starts another game with new rules or options, for sessions with `configure-variant`. What is absent stays.
    pub fn rematch_with(
        &mut self,
        now: u64,
        entropy: Option<Entropy>,
        config: Option<Config>,
        table: Option<TableOptions>,
    ) -> Option<RequestId> {
        self.send_request(now, |game_id, request_id| ClientMessage::Rematch {
            game_id,
            request_id,
            entropy,
            config,
            table,
        })
    }

    /// Changes rules or options before the first game, for sessions with `configure-variant`. What is absent stays.
    pub fn configure(&mut self, now: u64, config: Option<Config>, table: Option<TableOptions>) -> Option<RequestId> {
        self.send_request(now, |game_id, request_id| ClientMessage::Configure { game_id, request_id, config, table })
    }

    /// Declares the client ready, if the table waits for it.
    pub fn declare_ready(&mut self, now: u64) -> Option<RequestId> {
        let is_declared = self.pending.iter().any(|pending| matches!(pending.message, ClientMessage::Ready { .. }));
        if is_declared || !self.must_declare_ready() {
            return None;
        }
        self.send_request(now, |game_id, request_id| ClientMessage::Ready { game_id, request_id })
    }

    /// Declines the pending undo request, if this client is asked for its consent. To allow it, [`execute`](Self::execute) the
    /// same undo.
    pub fn decline_undo(&mut self, now: u64) -> Option<RequestId> {
        if !self.is_asked_to_undo() {
            return None;
        }
        self.send_request(now, |game_id, request_id| ClientMessage::DeclineUndo { game_id, request_id })
    }

    /// Says a phrase. A coach points at a domino with some of them.
    pub fn say(&mut self, now: u64, phrase: Phrase, domino: Option<Domino>) -> Option<RequestId> {
        self.send_request(now, |game_id, request_id| ClientMessage::Say { game_id, request_id, phrase, domino })
    }

    /// Allows the coaches of this player to talk, or ends it.
    pub fn allow_coach(&mut self, now: u64, allowed: bool) -> Option<RequestId> {
        self.send_request(now, |game_id, request_id| ClientMessage::AllowCoach { game_id, request_id, allowed })
    }

    /// Leaves the table. A player keeps the seat, which a bot plays meanwhile; the [`ticket`](Self::ticket) leads back to it.
    /// Like every request, it is repeated until the table has answered, with [`ClientEvent::Left`]. To leave without waiting for
    /// the answer, call [`end`](Self::end) next.
    pub fn leave(&mut self, now: u64) -> Option<RequestId> {
        self.send_request(now, |game_id, request| ClientMessage::LeaveGame { game_id, request_id: Some(request) })
    }

    /// Gives up the seat for good; the ticket is then invalid. It is answered like [`leave`](Self::leave).
    pub fn give_up_seat(&mut self, now: u64) -> Option<RequestId> {
        self.send_request(now, |game_id, request| ClientMessage::GiveUpSeat { game_id, request_id: Some(request) })
    }

    /// Ends the client, for owners that do not wait for the answers to their requests. The frames that are already queued can
    /// still be sent. Requests that a disconnected client has not sent are dropped.
    pub fn end(&mut self) {
        self.state = ConnectionState::Over;
        self.pending.clear();
    }

    /// Reconnects after the client has ended, for example when the owner wants to continue here and not elsewhere.
    pub const fn come_back(&mut self, now: u64) {
        if matches!(self.state, ConnectionState::Over) {
            self.state = ConnectionState::Down { try_at: now };
        }
    }

    fn send_request(
        &mut self,
        now: u64,
        message: impl FnOnce(GameId, RequestId) -> ClientMessage,
    ) -> Option<RequestId> {
        if self.pending.len() >= MAX_PENDING || self.is_over() {
            return None;
        }
        let game_id = self.game_id()?.clone();
        let request = self.next_request();
        let message = message(game_id, request.clone());
        if self.is_joined() {
            self.frames.push_back(message.clone());
        }
        self.pending.push_back(PendingRequest { request: request.clone(), message, resend_at: now + REPLY_TIMEOUT });
        Some(request)
    }

    fn next_request(&mut self) -> RequestId {
        self.requests_made += 1;
        let text = format!("{}-{}", self.prefix, self.requests_made);
        RequestId::try_from(text).expect("hexadecimal digits and a number form a valid id")
    }
}

// Input and output.
impl ClientCore {
    /// Handles a new connection: asks to join.
    pub fn handle_connected(&mut self, now: u64) {
        self.last_heard_at = now;
        self.pinged_at = None;
        self.frames.clear();
        self.send_join(now);
    }

    /// Handles a lost connection or a failed attempt, with the close code if there is one.
    pub fn handle_disconnected(&mut self, now: u64, code: Option<u16>) {
        self.frames.clear();
        self.should_close = false;
        if self.is_over() {
            return;
        }
        if !close::should_reconnect(code) {
            let error = WireError::new(Problem::ConnectionClosed);
            return self.give_up(error);
        }
        self.state = ConnectionState::Down { try_at: now + self.backoff.next_delay() };
        self.events.push_back(ClientEvent::Disconnected);
    }

    /// Handles the passing of time. Calling it early or repeatedly is harmless.
    pub fn handle_time(&mut self, now: u64) {
        match self.state {
            ConnectionState::Down { .. } | ConnectionState::Over => return,
            ConnectionState::Joining { since } if now >= since + REPLY_TIMEOUT => self.send_join(now),
            ConnectionState::Waiting { repeat_at } if now >= repeat_at => self.repeat_knock(now),
            ConnectionState::Joining { .. } | ConnectionState::Waiting { .. } => {}
            ConnectionState::Joined => self.resend_overdue(now),
        }
        match self.pinged_at {
            Some(at) if now >= at + self.heartbeat.answer_within => self.should_close = true,
            None if now >= self.last_heard_at + self.heartbeat.ping_after => self.ping(now),
            _ => {}
        }
    }

    /// Handles a hint that the network has changed: pings a connection, or reconnects now instead of later.
    pub fn handle_network_change(&mut self, now: u64) {
        match &mut self.state {
            ConnectionState::Down { try_at } => *try_at = (*try_at).min(now),
            ConnectionState::Joining { .. } | ConnectionState::Waiting { .. } | ConnectionState::Joined
                if self.pinged_at.is_none() =>
            {
                self.ping(now);
            }
            ConnectionState::Joining { .. }
            | ConnectionState::Waiting { .. }
            | ConnectionState::Joined
            | ConnectionState::Over => {}
        }
    }

    /// Handles a message from the table.
    pub fn handle_message(&mut self, now: u64, message: &ServerMessage) {
        self.last_heard_at = now;
        self.pinged_at = None;
        let outcome = self.follower.handle_message(message);
        self.process_message(now, message);
        match outcome {
            FollowOutcome::Changed => {
                self.has_requested_view = false;
                self.events.push_back(ClientEvent::Changed);
            }
            FollowOutcome::Gap => self.request_full_view(),
            FollowOutcome::Nothing => {}
        }
    }

    /// The next message to send.
    pub fn poll_frame(&mut self) -> Option<ClientMessage> {
        self.frames.pop_front()
    }

    /// The next notification.
    pub fn poll_event(&mut self) -> Option<ClientEvent> {
        self.events.pop_front()
    }

    /// Whether the connection is dead. If so, the owner must close it and call [`ClientCore::handle_disconnected`].
    pub const fn poll_close(&mut self) -> bool {
        core::mem::replace(&mut self.should_close, false)
    }
}

// Internals.
impl ClientCore {
    fn ping(&mut self, now: u64) {
        self.pinged_at = Some(now);
        // The message is always the same, so that a host can answer it without waking its table.
        self.frames.push_back(ClientMessage::Ping { nonce: 0 });
    }

    fn send_join(&mut self, now: u64) {
        self.state = ConnectionState::Joining { since: now };
        let request = self.next_request();
        let version = self.table().map(|(version, _)| version);
        let key = Some(self.session_key.clone());
        let is_leaving = self.executed_leave(None, false).is_some();
        let message = match (&self.ticket, &self.credentials) {
            // A client that leaves must not take another seat with its invite.
            (Some(ticket), credentials) if is_leaving || matches!(credentials, Credentials::Create { .. }) => {
                let name = credentials.name().clone();
                Credentials::join(ticket.game_id.clone(), None, name).message(request, key, version)
            }
            (_, credentials) => credentials.message(request, key, version),
        };
        self.frames.push_back(message);
    }

    /// Asks how the request of a client in a lobby stands, which also keeps a client without a connection there.
    fn repeat_knock(&mut self, now: u64) {
        self.state = ConnectionState::Waiting { repeat_at: now + REPEAT_KNOCK };
        let request = self.next_request();
        self.frames.push_back(self.credentials.message(request, None, None));
    }

    fn resend_overdue(&mut self, now: u64) {
        for pending in self.pending.iter_mut().filter(|pending| now >= pending.resend_at) {
            pending.resend_at = now + REPLY_TIMEOUT;
            self.frames.push_back(pending.message.clone());
        }
    }

    /// Requests a full view, once, after a gap.
    fn request_full_view(&mut self) {
        if !core::mem::replace(&mut self.has_requested_view, true)
            && let Some(game_id) = self.game_id().cloned()
        {
            self.frames.push_back(ClientMessage::Subscribe { game_id });
        }
    }

    fn process_message(&mut self, now: u64, message: &ServerMessage) {
        match message {
            ServerMessage::GameCreated { game_id, player_id, key, view, .. } => {
                let seat = view.players.iter().find(|known| known.player_id == *player_id);
                self.seat = seat.and_then(|known| known.player_index);
                self.capabilities = seat.map(|known| known.capabilities.clone()).unwrap_or_default();
                self.process_joined(now, game_id, player_id, key.as_ref());
            }
            ServerMessage::Joined { game_id, player_id, seat, capabilities, key, .. } => {
                self.seat = *seat;
                self.capabilities.clone_from(capabilities);
                self.process_joined(now, game_id, player_id, key.as_ref());
            }
            ServerMessage::Invited { request_id, invite, key, is_revoked } => {
                let asked = self.pending.iter().find(|pending| pending.request == *request_id);
                let (sent_key, guest) = asked.map_or((None, None), |pending| match &pending.message {
                    ClientMessage::Invite { key, guest, .. } => (key.clone(), guest.clone()),
                    _ => (None, None),
                });
                self.remove_pending(request_id);
                if guest.is_some() {
                    let (request, invite) = (request_id.clone(), *invite);
                    return self.events.push_back(ClientEvent::Admitted { request, invite });
                }
                let (request, invite, key) = (request_id.clone(), *invite, key.clone().or(sent_key));
                self.events.push_back(ClientEvent::Invited { request, invite, key: key.filter(|_| !is_revoked) });
            }
            ServerMessage::Lobby { request_id, code, until, guests, .. } => {
                let code = code.zip(*until);
                self.lobby = Lobby { code, guests: guests.clone() };
                if let Some(request) = request_id {
                    self.remove_pending(request);
                }
                self.events.push_back(ClientEvent::LobbyChanged { request: request_id.clone() });
            }
            ServerMessage::Knocked { status, .. } if !self.is_joined() && !self.is_over() => {
                self.process_knocked(now, *status);
            }
            ServerMessage::Knocked { .. } | ServerMessage::LobbyFound { .. } => {}
            ServerMessage::Left { .. } if self.is_over() => {}
            ServerMessage::Left { request_id, is_seat_kept, .. } => {
                self.process_left(request_id.as_ref(), *is_seat_kept);
            }
            ServerMessage::StateUpdate { ack: Some(ack), .. } => self.process_ack(ack),
            ServerMessage::PlayerStatus { player, status, .. } => {
                self.events.push_back(ClientEvent::Status { player: player.clone(), status: *status });
            }
            ServerMessage::Hints { .. } => self.events.push_back(ClientEvent::Hinted),
            ServerMessage::Said { request_id, player, phrase, domino, .. } => {
                let request = request_id.clone().filter(|request| self.remove_pending(request));
                // The second reply to a request that was repeated.
                if request.is_some() || request_id.is_none() {
                    let (player, phrase, domino) = (player.clone(), *phrase, *domino);
                    self.events.push_back(ClientEvent::Said { request, player, phrase, domino });
                }
            }
            ServerMessage::Progress { operation, progress } => {
                self.events.push_back(ClientEvent::Progress { operation: *operation, percent: *progress });
            }
            ServerMessage::Error { request_type, request_id, error, .. } => {
                self.process_error(now, request_type.as_deref(), request_id.as_ref(), error);
            }
            ServerMessage::StateUpdate { ack: None, .. } | ServerMessage::Pong { .. } => {}
        }
    }

    fn process_joined(&mut self, now: u64, game_id: &GameId, player_id: &PlayerId, key: Option<&SecretKey>) {
        let has_other_session = self.player_id.as_ref().is_some_and(|held| held != player_id);
        if let Some(left) = self.executed_leave(None, false).filter(|_| has_other_session) {
            return self.process_left(Some(&left), false);
        }
        self.player_id = Some(player_id.clone());
        if let Some(key) = key {
            self.session_key = key.clone();
        }
        let (key, name) = (self.session_key.clone(), self.credentials.name().clone());
        self.ticket = Some(Ticket { game_id: game_id.clone(), key, name });
        self.state = ConnectionState::Joined;
        // If anything is in the lobby, the table sends it next.
        if core::mem::take(&mut self.lobby) != Lobby::default() {
            self.events.push_back(ClientEvent::LobbyChanged { request: None });
        }
        self.backoff.reset();
        self.has_requested_view = false;
        self.events.push_back(ClientEvent::Joined);
        // Repeat unanswered requests unchanged. If the table has already executed them, it only repeats its reply.
        for pending in &mut self.pending {
            pending.resend_at = now + REPLY_TIMEOUT;
            self.frames.push_back(pending.message.clone());
        }
    }

    /// The table has taken the client into its lobby, or its host has decided.
    fn process_knocked(&mut self, now: u64, status: KnockStatus) {
        match status {
            KnockStatus::Waiting => {
                if !self.is_in_lobby() {
                    self.events.push_back(ClientEvent::Waiting);
                }
                self.backoff.reset();
                self.state = ConnectionState::Waiting { repeat_at: now + REPEAT_KNOCK };
            }
            KnockStatus::Admitted => {
                self.credentials = self.credentials.admitted();
                self.send_join(now);
            }
            KnockStatus::TurnedAway => self.give_up(WireError::new(Problem::TurnedAway)),
            KnockStatus::Expired => self.give_up(WireError::new(Problem::KnockExpired)),
            KnockStatus::Closed => self.give_up(WireError::new(Problem::LobbyClosed)),
        }
    }

    fn process_ack(&mut self, ack: &Ack) {
        if self.remove_pending(&ack.request_id) {
            let (request, version) = (ack.request_id.clone(), ack.version);
            self.events.push_back(ClientEvent::Answered { request, version });
        }
    }

    /// The session has left: at the request of this client, or of somebody with the same key.
    fn process_left(&mut self, answered: Option<&RequestId>, is_seat_kept: bool) {
        match self.executed_leave(answered, is_seat_kept) {
            Some(request) => {
                self.end();
                self.events.push_back(ClientEvent::Left { request, is_seat_kept });
            }
            None if is_seat_kept => self.give_up(WireError::new(Problem::ConnectionClosed)),
            None => self.give_up(WireError::new(Problem::SessionLeft)),
        }
    }

    /// The request to leave or to give up the seat that the table has executed. Without the id of the request, any of them
    /// whose effect has come about.
    fn executed_leave(&self, answered: Option<&RequestId>, is_seat_kept: bool) -> Option<RequestId> {
        let is_executed = |pending: &&PendingRequest| {
            let is_answered = answered.map(|answered| pending.request == *answered);
            match pending.message {
                ClientMessage::LeaveGame { .. } => is_answered.unwrap_or(true),
                ClientMessage::GiveUpSeat { .. } => is_answered.unwrap_or(!is_seat_kept),
                _ => false,
            }
        };
        self.pending.iter().find(is_executed).map(|pending| pending.request.clone())
    }

    fn remove_pending(&mut self, request: &RequestId) -> bool {
        let before = self.pending.len();
        self.pending.retain(|pending| pending.request != *request);
        self.pending.len() < before
    }

    fn process_error(&mut self, now: u64, kind: Option<&str>, request: Option<&RequestId>, error: &WireError) {
        let is_join = matches!(kind, Some("JOIN_GAME" | "CREATE_GAME" | "KNOCK"));
        if let Some(left) = self.leave_without_answer(is_join, request, error.code) {
            return self.process_left(Some(&left), false);
        }
        match error.code {
            ErrorCode::NotStored | ErrorCode::RateLimited => self.retry_later(now, request),
            ErrorCode::NotJoined if self.is_joined() => self.send_join(now),
            _ if is_join && !self.is_joined() => self.give_up(error.clone()),
            _ => {
                let asked = request.and_then(|request| self.take_pending(request));
                if error.code == ErrorCode::Stale && asked.is_some_and(|message| self.repeat_agreement(now, &message)) {
                    return;
                }
                self.events.push_back(ClientEvent::Refused { request: request.cloned(), error: error.clone() });
            }
        }
    }

    /// The request to leave that the table has executed, if an error shows that the session is gone: the answer was lost, and
    /// joining again or repeating the request is refused.
    fn leave_without_answer(&self, is_join: bool, request: Option<&RequestId>, code: ErrorCode) -> Option<RequestId> {
        let is_gone = matches!(code, ErrorCode::BadKey | ErrorCode::NoSuchGame);
        let is_about_session = if is_join { !self.is_joined() } else { request.is_some() };
        if !is_gone || !is_about_session || self.player_id.is_none() {
            return None;
        }
        self.executed_leave(request.filter(|_| !is_join), false)
    }

    fn take_pending(&mut self, request: &RequestId) -> Option<ClientMessage> {
        let at = self.pending.iter().position(|pending| pending.request == *request)?;
        self.pending.remove(at).map(|pending| pending.message)
    }

    /// Repeats an agreement that became stale because another player agreed at the same moment, if the table still
    /// waits for it.
    fn repeat_agreement(&mut self, now: u64, message: &ClientMessage) -> bool {
        let ClientMessage::ExecuteAction { action: ActionMessage(action), .. } = message else { return false };
        let is_agreement = matches!(action, Action::AgreeCompleteTrick { .. } | Action::AgreeScoreHand { .. });
        let is_offered = |view: &GameView| view.valid_actions.iter().any(|valid| valid.action == *action);
        let is_wanted = is_agreement && self.table().is_some_and(|(_, view)| is_offered(view));
        is_wanted && self.execute(now, *action).is_some()
    }

    /// Schedules a request that the table could not take now.
    fn retry_later(&mut self, now: u64, request: Option<&RequestId>) {
        if let ConnectionState::Joining { since } = &mut self.state {
            *since = now.saturating_sub(REPLY_TIMEOUT - RETRY_DELAY);
        }
        let asked = self.pending.iter_mut().filter(|pending| Some(&pending.request) == request);
        asked.for_each(|pending| pending.resend_at = now + RETRY_DELAY);
    }

    fn give_up(&mut self, error: WireError) {
        self.state = ConnectionState::Over;
        self.pending.clear();
        self.over = Some(error.clone());
        self.events.push_back(ClientEvent::Over { error });
    }
}

impl core::fmt::Display for ClientEvent {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        let text = match self {
            Self::Joined => "at the table".to_string(),
            Self::Changed => "the table has changed".to_string(),
            Self::Answered { request, version } => format!("{request} was done, version {version}"),
            Self::Refused { error, .. } => format!("refused: {}", error.message),
            Self::Invited { invite, key: Some(_), .. } => format!("invite {invite} was created"),
            Self::Invited { invite, key: None, .. } => format!("invite {invite} was revoked"),
            Self::Admitted { invite, .. } => format!("a guest was let in with invite {invite}"),
            Self::LobbyChanged { .. } => "the lobby has changed".to_string(),
            Self::Waiting => "waiting in the lobby".to_string(),
            Self::Left { .. } => "the client has left the table".to_string(),
            Self::Said { player, phrase, domino: None, .. } => format!("{player} says {}", phrase.name()),
            Self::Said { player, phrase, domino: Some(domino), .. } => {
                format!("{player} says {} about {domino}", phrase.name())
            }
            Self::Status { player, status } => format!("{}: {status:?}", player.name),
            Self::Hinted => "hints have arrived".to_string(),
            Self::Progress { percent, .. } => format!("{percent} %"),
            Self::Disconnected => "disconnected".to_string(),
            Self::Over { error } => format!("over: {}", error.message),
        };
        f.write_str(&text)
    }
}
