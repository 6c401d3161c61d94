//! A client of one table: it gets in, follows, asks, and comes back.
//!
//! The host of a client owns the connection. It connects when [`GameClient::connect_at`] says so, reports what happened
//! with `handle_*`, sends every [`GameClient::poll_frame`], and calls [`GameClient::handle_time`] at
//! [`GameClient::wake_at`].
//!
//! Invariants: a request is sent under one number until it is answered, so it is done at most once and never lost; what
//! [`GameClient::table`] shows is always a version that the table had, never a guess.

use alloc::{
    collections::VecDeque,
    format,
    string::{String, ToString},
    vec::Vec,
};

use texas42_phrases::Problem;
use texas42_protocol::{
    Ack, ActionMessage, Capability, ClientMessage, Entropy, ErrorCode, Follower, GameId, GameView, Grant, Heard,
    Intent, Operation, PlayerId, PlayerView, RequestId, SecretKey, ServerMessage, Status, ValidAction, WireError,
};
use texas42_vocab::{Action, Control, Seat};

use crate::{
    backoff::Backoff,
    close,
    entrance::{Entrance, Ticket},
};

/// How long an answer may take before the same is asked again, in milliseconds.
const PATIENCE: u64 = 5_000;
/// How long to wait after being told to ask later.
const LATER: u64 = 1_000;
/// After how long a silence the client asks whether anybody is there.
const SILENCE: u64 = 20_000;
/// After how long a silence the connection counts as dead.
const DEAD: u64 = 45_000;
/// The most requests that wait for an answer at once.
const MOST_PENDING: usize = 32;

/// Something that the owner of a client wants to know. The table itself is in [`GameClient::table`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum News {
    /// The client is at the table, for the first time or again.
    Joined,
    /// The view has changed.
    Changed,
    /// A request was accepted.
    Answered {
        /// Which.
        request: RequestId,
        /// The version that it led to.
        version: u64,
    },
    /// Something was refused; nothing has happened.
    Refused {
        /// Which request, if it was one.
        request: Option<RequestId>,
        /// What was wrong.
        error: WireError,
    },
    /// An invitation was made, or taken back.
    Invited {
        /// Which request.
        request: RequestId,
        /// The number of the invitation.
        invitation: u32,
        /// Its key, if it was made.
        key: Option<SecretKey>,
    },
    /// Somebody came, went or changed.
    Status {
        /// Who.
        player: PlayerView,
        /// What.
        status: Status,
    },
    /// Long work goes on.
    Progress {
        /// Which.
        operation: Operation,
        /// In percent.
        percent: u8,
    },
    /// The line is gone; the client will try again at [`GameClient::connect_at`].
    Disconnected,
    /// It is over: the client will not come back by itself.
    Over {
        /// Why.
        error: WireError,
    },
}

/// Where the connection stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Line {
    /// Not connected; the next try is at this time.
    Down { try_at: u64 },
    /// Connected and asked to be let in at this time.
    AtDoor { asked_at: u64 },
    /// At the table.
    Joined,
    /// Not coming back.
    Over,
}

/// A request that was not answered yet.
#[derive(Clone, Debug)]
struct Pending {
    request: RequestId,
    message: ClientMessage,
    send_again_at: u64,
}

/// A client of one table.
#[derive(Clone, Debug)]
pub struct GameClient {
    entrance: Entrance,
    /// Made here, so that an answer that is lost costs no seat.
    session_key: SecretKey,
    ticket: Option<Ticket>,
    line: Line,
    backoff: Backoff,
    follower: Follower,
    player_id: Option<PlayerId>,
    seat: Option<Seat>,
    capabilities: Vec<Capability>,
    pending: VecDeque<Pending>,
    frames: VecDeque<ClientMessage>,
    news: VecDeque<News>,
    heard_at: u64,
    pinged: bool,
    hangs_up: bool,
    prefix: String,
    numbers: u64,
    has_asked_view: bool,
    over: Option<WireError>,
}

// Making one.
impl GameClient {
    /// A client that has not been at the table before. The random bytes become its session key and the beginning of its
    /// request numbers; nobody else may know them.
    pub fn new(entrance: Entrance, randomness: [u8; 24]) -> Self {
        let prefix = u64::from_le_bytes(core::array::from_fn(|at| randomness[16 + at]));
        Self {
            entrance,
            session_key: SecretKey::new(core::array::from_fn(|at| randomness[at])),
            ticket: None,
            line: Line::Down { try_at: 0 },
            backoff: Backoff::new(prefix),
            follower: Follower::default(),
            player_id: None,
            seat: None,
            capabilities: Vec::new(),
            pending: VecDeque::new(),
            frames: VecDeque::new(),
            news: VecDeque::new(),
            heard_at: 0,
            pinged: false,
            hangs_up: false,
            prefix: format!("{prefix:x}"),
            numbers: 0,
            has_asked_view: false,
            over: None,
        }
    }

    /// A client that comes back to its session.
    pub fn resume(ticket: Ticket, randomness: [u8; 24]) -> Self {
        let Ticket { game_id, key, name } = ticket.clone();
        Self { ticket: Some(ticket), session_key: key, ..Self::new(Entrance::join(game_id, None, name), randomness) }
    }
}

// Getters.
impl GameClient {
    /// The table and its version, as last heard.
    pub fn table(&self) -> Option<(u64, &GameView)> {
        self.follower.table()
    }

    /// What this client may do now.
    pub fn valid_actions(&self) -> &[ValidAction] {
        self.table().map_or(&[], |(_, view)| &view.valid_actions)
    }

    /// What to keep in order to come back later; nothing before the client was let in.
    pub const fn ticket(&self) -> Option<&Ticket> {
        self.ticket.as_ref()
    }

    /// Which table, once that is known.
    pub fn game_id(&self) -> Option<&GameId> {
        match (&self.ticket, &self.entrance) {
            (Some(ticket), _) => Some(&ticket.game_id),
            (None, Entrance::Join { game_id, .. }) => Some(game_id),
            (None, Entrance::Create { .. }) => None,
        }
    }

    /// The public id of the session.
    pub const fn player_id(&self) -> Option<&PlayerId> {
        self.player_id.as_ref()
    }

    /// The seat, for a client that sits.
    pub const fn seat(&self) -> Option<Seat> {
        self.seat
    }

    /// What the session may do and see.
    pub fn capabilities(&self) -> &[Capability] {
        &self.capabilities
    }

    /// Whether the client is at the table now.
    pub fn is_joined(&self) -> bool {
        self.line == Line::Joined
    }

    /// Whether a request waits for its answer. Nothing that is not answered is shown as done.
    pub fn is_waiting(&self) -> bool {
        !self.pending.is_empty()
    }

    /// Whether the table waits for this client to say that it may begin.
    pub fn is_asked_ready(&self) -> bool {
        self.table().is_some_and(|(_, view)| view.not_ready().any(|seat| Some(seat) == self.seat))
    }

    /// Whether the client will never come back by itself.
    pub fn is_over(&self) -> bool {
        self.line == Line::Over
    }

    /// Why it is over, where the table said so. A bot's owner has no news to look at.
    pub const fn over(&self) -> Option<&WireError> {
        self.over.as_ref()
    }

    /// How many tries to connect have failed in a row.
    pub const fn failed_tries(&self) -> u32 {
        self.backoff.failures()
    }

    /// When to connect, while there is no connection and one is wanted.
    pub const fn connect_at(&self) -> Option<u64> {
        match self.line {
            Line::Down { try_at } => Some(try_at),
            _ => None,
        }
    }

    /// When [`GameClient::handle_time`] is due, while there is a connection.
    pub fn wake_at(&self) -> Option<u64> {
        let silence = self.heard_at + if self.pinged { DEAD } else { SILENCE };
        match self.line {
            Line::Down { .. } | Line::Over => None,
            Line::AtDoor { asked_at } => Some(silence.min(asked_at + PATIENCE)),
            Line::Joined => self.pending.iter().map(|pending| pending.send_again_at).chain([silence]).min(),
        }
    }
}

// What the owner asks for.
impl GameClient {
    /// Does something at the table, decided on the view that the client shows. Without a view there is nothing to decide.
    pub fn execute(&mut self, now: u64, action: Action) -> Option<RequestId> {
        let (version, _) = self.table()?;
        self.execute_at(now, version, action, None)
    }

    /// The same, decided on an earlier version, with what a program has in mind.
    pub fn execute_at(&mut self, now: u64, version: u64, action: Action, intent: Option<Intent>) -> Option<RequestId> {
        let action = ActionMessage(action);
        self.ask(now, |game_id, request_id| ClientMessage::ExecuteAction {
            game_id,
            request_id,
            version,
            action,
            intent,
        })
    }

    /// Hands a seat to a program, or takes it back.
    pub fn set_control(&mut self, now: u64, player: Seat, control_type: Control) -> Option<RequestId> {
        self.ask(now, |game_id, request_id| ClientMessage::SetPlayerControl {
            game_id,
            request_id,
            player,
            control_type,
            version: None,
        })
    }

    /// Makes an invitation, with a key of 16 random bytes that the owner made or, without one, with a key that the table
    /// makes and tells once.
    pub fn invite(&mut self, now: u64, grant: Grant, key: Option<SecretKey>) -> Option<RequestId> {
        let grant = Some(grant);
        self.ask(now, |game_id, request_id| ClientMessage::Invite { game_id, request_id, grant, key, revoke: None })
    }

    /// Takes an invitation back.
    pub fn revoke(&mut self, now: u64, invitation: u32) -> Option<RequestId> {
        let revoke = Some(invitation);
        self.ask(now, |game_id, request_id| ClientMessage::Invite {
            game_id,
            request_id,
            grant: None,
            key: None,
            revoke,
        })
    }

    /// Plays again at the same table, with fresh randomness for the deals or with that of the last game.
    pub fn rematch(&mut self, now: u64, entropy: Option<Entropy>) -> Option<RequestId> {
        self.ask(now, |game_id, request_id| ClientMessage::Rematch { game_id, request_id, entropy })
    }

    /// Says that it may begin, where the table waits for that and this client has not said so.
    pub fn say_ready(&mut self, now: u64) -> Option<RequestId> {
        let is_said = self.pending.iter().any(|pending| matches!(pending.message, ClientMessage::Ready { .. }));
        if is_said || !self.is_asked_ready() {
            return None;
        }
        self.ask(now, |game_id, request_id| ClientMessage::Ready { game_id, request_id })
    }

    /// Gives the seat up for good.
    pub fn leave(&mut self) {
        let Some(game_id) = self.game_id().cloned() else { return };
        if self.is_joined() {
            self.frames.push_back(ClientMessage::LeaveGame { game_id, request_id: None });
        }
        self.line = Line::Over;
        self.pending.clear();
    }

    /// Comes back after it was over, for instance because the owner wants to play here and not elsewhere.
    pub const fn come_back(&mut self, now: u64) {
        if matches!(self.line, Line::Over) {
            self.line = Line::Down { try_at: now };
        }
    }

    fn ask(&mut self, now: u64, message: impl FnOnce(GameId, RequestId) -> ClientMessage) -> Option<RequestId> {
        if self.pending.len() >= MOST_PENDING || self.is_over() {
            return None;
        }
        let game_id = self.game_id()?.clone();
        let request = self.next_request();
        let message = message(game_id, request.clone());
        if self.is_joined() {
            self.frames.push_back(message.clone());
        }
        self.pending.push_back(Pending { request: request.clone(), message, send_again_at: now + PATIENCE });
        Some(request)
    }

    fn next_request(&mut self) -> RequestId {
        self.numbers += 1;
        let text = format!("{}-{}", self.prefix, self.numbers);
        RequestId::try_from(text).expect("hexadecimal digits and a number make an id")
    }
}

// What happens to it.
impl GameClient {
    /// There is a connection: the client asks to be let in.
    pub fn handle_connected(&mut self, now: u64) {
        self.heard_at = now;
        self.pinged = false;
        self.frames.clear();
        self.knock(now);
    }

    /// The connection is gone, or could not be made; with the code that it was closed with, if there was one.
    pub fn handle_disconnected(&mut self, now: u64, code: Option<u16>) {
        self.frames.clear();
        self.hangs_up = false;
        if self.is_over() {
            return;
        }
        if !close::comes_back(code) {
            let error = WireError::new(Problem::ConnectionClosed);
            return self.give_up(error);
        }
        self.line = Line::Down { try_at: now + self.backoff.next_wait() };
        self.news.push_back(News::Disconnected);
    }

    /// Some time has passed. Coming early or twice does no harm.
    pub fn handle_time(&mut self, now: u64) {
        let silence = now.saturating_sub(self.heard_at);
        match self.line {
            Line::Down { .. } | Line::Over => return,
            Line::AtDoor { asked_at } if now >= asked_at + PATIENCE => self.knock(now),
            Line::AtDoor { .. } => {}
            Line::Joined => self.ask_again(now),
        }
        if silence >= DEAD {
            self.hangs_up = true;
        } else if silence >= SILENCE && !self.pinged {
            self.pinged = true;
            // Always the same words, so that a host can answer them without waking its table.
            self.frames.push_back(ClientMessage::Ping { nonce: 0 });
        }
    }

    /// The table says something.
    pub fn handle_message(&mut self, now: u64, message: &ServerMessage) {
        self.heard_at = now;
        self.pinged = false;
        let heard = self.follower.hear(message);
        self.note(now, message);
        match heard {
            Heard::Changed => {
                self.has_asked_view = false;
                self.news.push_back(News::Changed);
            }
            Heard::Gap => self.ask_view(),
            Heard::Nothing => {}
        }
    }

    /// The next frame to send.
    pub fn poll_frame(&mut self) -> Option<ClientMessage> {
        self.frames.pop_front()
    }

    /// The next thing to know.
    pub fn poll_news(&mut self) -> Option<News> {
        self.news.pop_front()
    }

    /// Whether the connection is dead and should be closed and reported as gone.
    pub const fn poll_hang_up(&mut self) -> bool {
        core::mem::replace(&mut self.hangs_up, false)
    }
}

// Inside.
impl GameClient {
    fn knock(&mut self, now: u64) {
        self.line = Line::AtDoor { asked_at: now };
        let request = self.next_request();
        let version = self.table().map(|(version, _)| version);
        let key = Some(self.session_key.clone());
        let message = match (&self.ticket, &self.entrance) {
            (Some(ticket), Entrance::Create { name, .. }) => {
                Entrance::join(ticket.game_id.clone(), None, name.clone()).message(request, key, version)
            }
            (_, entrance) => entrance.message(request, key, version),
        };
        self.frames.push_back(message);
    }

    fn ask_again(&mut self, now: u64) {
        for pending in self.pending.iter_mut().filter(|pending| now >= pending.send_again_at) {
            pending.send_again_at = now + PATIENCE;
            self.frames.push_back(pending.message.clone());
        }
    }

    /// Something is missing: a full view is asked for, once.
    fn ask_view(&mut self) {
        if !core::mem::replace(&mut self.has_asked_view, true)
            && let Some(game_id) = self.game_id().cloned()
        {
            self.frames.push_back(ClientMessage::Subscribe { game_id });
        }
    }

    fn note(&mut self, now: u64, message: &ServerMessage) {
        match message {
            ServerMessage::GameCreated { game_id, player_id, key, view, .. } => {
                let seat = view.players.iter().find(|known| known.player_id == *player_id);
                self.seat = seat.and_then(|known| known.player_index);
                self.capabilities = seat.map(|known| known.capabilities.clone()).unwrap_or_default();
                self.let_in(now, game_id, player_id, key.as_ref());
            }
            ServerMessage::Joined { game_id, player_id, seat, capabilities, key, .. } => {
                self.seat = *seat;
                self.capabilities.clone_from(capabilities);
                self.let_in(now, game_id, player_id, key.as_ref());
            }
            ServerMessage::Invited { request_id, invitation, key, is_revoked } => {
                let asked = self.pending.iter().find(|pending| pending.request == *request_id);
                let own = asked.and_then(|pending| match &pending.message {
                    ClientMessage::Invite { key, .. } => key.clone(),
                    _ => None,
                });
                self.settle(request_id);
                let (request, invitation, key) = (request_id.clone(), *invitation, key.clone().or(own));
                self.news.push_back(News::Invited { request, invitation, key: key.filter(|_| !is_revoked) });
            }
            ServerMessage::Left { .. } => {
                self.give_up(WireError::new(Problem::PlaceGivenUp));
            }
            ServerMessage::StateUpdate { ack: Some(ack), .. } => self.note_answer(ack),
            ServerMessage::PlayerStatus { player, status, .. } => {
                self.news.push_back(News::Status { player: player.clone(), status: *status });
            }
            ServerMessage::Progress { operation, progress } => {
                self.news.push_back(News::Progress { operation: *operation, percent: *progress });
            }
            ServerMessage::Error { request_type, request_id, error, .. } => {
                self.note_error(now, request_type.as_deref(), request_id.as_ref(), error);
            }
            ServerMessage::StateUpdate { ack: None, .. } | ServerMessage::Pong { .. } => {}
        }
    }

    fn let_in(&mut self, now: u64, game_id: &GameId, player_id: &PlayerId, key: Option<&SecretKey>) {
        self.player_id = Some(player_id.clone());
        if let Some(key) = key {
            self.session_key = key.clone();
        }
        let (key, name) = (self.session_key.clone(), self.entrance.name().clone());
        self.ticket = Some(Ticket { game_id: game_id.clone(), key, name });
        self.line = Line::Joined;
        self.backoff.reset();
        self.has_asked_view = false;
        self.news.push_back(News::Joined);
        // What was not answered before is asked again, word for word; what was done is only answered again.
        for pending in &mut self.pending {
            pending.send_again_at = now + PATIENCE;
            self.frames.push_back(pending.message.clone());
        }
    }

    fn note_answer(&mut self, ack: &Ack) {
        if self.settle(&ack.request_id) {
            let (request, version) = (ack.request_id.clone(), ack.version);
            self.news.push_back(News::Answered { request, version });
        }
    }

    fn settle(&mut self, request: &RequestId) -> bool {
        let before = self.pending.len();
        self.pending.retain(|pending| pending.request != *request);
        self.pending.len() < before
    }

    fn note_error(&mut self, now: u64, kind: Option<&str>, request: Option<&RequestId>, error: &WireError) {
        let is_door = matches!(kind, Some("JOIN_GAME" | "CREATE_GAME"));
        match error.code {
            ErrorCode::NotStored | ErrorCode::RateLimited => self.ask_later(now, request),
            ErrorCode::NotJoined if self.is_joined() => self.knock(now),
            _ if is_door && !self.is_joined() => self.give_up(error.clone()),
            _ => {
                let asked = request.and_then(|request| self.take_pending(request));
                if error.code == ErrorCode::Stale && asked.is_some_and(|message| self.agree_again(now, &message)) {
                    return;
                }
                self.news.push_back(News::Refused { request: request.cloned(), error: error.clone() });
            }
        }
    }

    fn take_pending(&mut self, request: &RequestId) -> Option<ClientMessage> {
        let at = self.pending.iter().position(|pending| pending.request == *request)?;
        self.pending.remove(at).map(|pending| pending.message)
    }

    /// Two players who agree to go on at the same moment decide on the same version, and the second is stale. The agreement
    /// still stands when the table still asks for it.
    fn agree_again(&mut self, now: u64, message: &ClientMessage) -> bool {
        let ClientMessage::ExecuteAction { action: ActionMessage(action), .. } = message else { return false };
        let is_agreement = matches!(action, Action::AgreeCompleteTrick { .. } | Action::AgreeScoreHand { .. });
        let is_offered = |view: &GameView| view.valid_actions.iter().any(|valid| valid.action == *action);
        let asks = is_agreement && self.table().is_some_and(|(_, view)| is_offered(view));
        asks && self.execute(now, *action).is_some()
    }

    /// The table cannot take it now: the same again in a moment.
    fn ask_later(&mut self, now: u64, request: Option<&RequestId>) {
        if let Line::AtDoor { asked_at } = &mut self.line {
            *asked_at = now.saturating_sub(PATIENCE - LATER);
        }
        let asked = self.pending.iter_mut().filter(|pending| Some(&pending.request) == request);
        asked.for_each(|pending| pending.send_again_at = now + LATER);
    }

    fn give_up(&mut self, error: WireError) {
        self.line = Line::Over;
        self.pending.clear();
        self.over = Some(error.clone());
        self.news.push_back(News::Over { error });
    }
}

impl core::fmt::Display for News {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        let text = match self {
            Self::Joined => "at the table".to_string(),
            Self::Changed => "the table has changed".to_string(),
            Self::Answered { request, version } => format!("{request} was done, version {version}"),
            Self::Refused { error, .. } => format!("refused: {}", error.message),
            Self::Invited { invitation, key: Some(_), .. } => format!("invitation {invitation} was made"),
            Self::Invited { invitation, key: None, .. } => format!("invitation {invitation} was taken back"),
            Self::Status { player, status } => format!("{}: {status:?}", player.name),
            Self::Progress { percent, .. } => format!("{percent} %"),
            Self::Disconnected => "the line is gone".to_string(),
            Self::Over { error } => format!("over: {}", error.message),
        };
        f.write_str(&text)
    }
}
