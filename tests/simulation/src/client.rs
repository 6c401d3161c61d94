//! Simulated clients: players and spectators. Each tracks the table with a [`Follower`], picks among the offered actions,
//! and repeats a request under the same id until it is answered.
//!
//! Players disconnect and return, ask for undos, hand their seat to a bot, leave, and play rematches. Some use only HTTP.
//! Some send invalid messages; strangers send nothing else.

use std::{collections::BTreeMap, rc::Rc};

use texas42_phrases::Phrase;
use texas42_protocol::{
    ActionMessage, Capability, ClientMessage, Entropy, ErrorCode, FollowOutcome, Follower, GameId, GameView, Grant,
    Intent, Name, PlayerId, RequestId, Role, SecretKey, ServerMessage, TableOptions,
};
use texas42_room::ConnectionId;
use texas42_vocab::{Action, Config, Control, Domino, Hand, Phase, Seat, Trump};

use crate::{
    dice::Dice, http::TableRequest, invalid_messages::InvalidMessages, network::Quality, report::Report, tables,
};

/// How long a client waits for an answer before it repeats a request, in milliseconds.
const RETRY_AFTER: u64 = 900;
/// After how many milliseconds of silence a client on a wild connection asks for the state of the table.
const SILENCE: u64 = 3000;

/// The kind of a client.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// The client that created the table.
    Creator,
    /// A player.
    Person,
    /// A spectator or coach.
    Onlooker,
    /// Has no key and sends invalid messages.
    Stranger,
    /// Has no key and floods the table with messages.
    Flooder,
}

/// A command of a client to the world.
pub(crate) enum Command {
    Connect,
    Close,
    Send {
        text: Rc<str>,
        is_invalid: bool,
    },
    /// Send an HTTP request.
    Call(TableRequest),
    /// Pass an invite on to a new client.
    PassInvite {
        grant: Grant,
        key: SecretKey,
    },
}

fn json(message: &ClientMessage) -> Rc<str> {
    serde_json::to_string(message).expect("a message can be serialized").into()
}

fn send(message: &ClientMessage) -> Command {
    Command::Send { text: json(message), is_invalid: false }
}

/// Information from the simulation that a real client would not have.
pub(crate) struct Insight<'a> {
    pub(crate) now: u64,
    pub(crate) game_events: usize,
    pub(crate) dead_keys: &'a [SecretKey],
}

struct Pending {
    request: RequestId,
    text: Rc<str>,
    sent_at: u64,
}

impl Pending {
    /// Repeats the request verbatim if it has not been answered in time.
    fn retry_if_due(&mut self, now: u64, report: &mut Report) -> Option<Command> {
        (now >= self.sent_at + RETRY_AFTER).then(|| {
            self.sent_at = now;
            report.retries += 1;
            Command::Send { text: Rc::clone(&self.text), is_invalid: false }
        })
    }
}

/// A request to leave, or to give up the seat, over HTTP.
struct Leaving {
    request: TableRequest,
    sent_at: u64,
}

impl Leaving {
    /// Repeats the request verbatim if it has not been answered in time.
    fn retry_if_due(&mut self, now: u64, report: &mut Report) -> Option<Command> {
        (now >= self.sent_at + RETRY_AFTER).then(|| {
            self.sent_at = now;
            report.retries += 1;
            Command::Call(self.request.clone())
        })
    }
}

pub(crate) struct Client {
    pub(crate) number: usize,
    pub(crate) table: usize,
    pub(crate) kind: Kind,
    pub(crate) quality: Quality,
    game: GameId,
    pub(crate) link: Option<ConnectionId>,
    /// Whether it uses only HTTP until faults end.
    pub(crate) is_http_only: bool,
    pub(crate) is_joined: bool,
    /// Whether it has left for good.
    pub(crate) is_gone: bool,
    pub(crate) follower: Follower,
    /// The session key that the table generated.
    pub(crate) key: Option<SecretKey>,
    /// The session key that the client generated.
    pub(crate) own_key: Option<SecretKey>,
    invite_key: Option<SecretKey>,
    entropy: Option<Entropy>,
    /// The capabilities that it asks for, if it wants fewer than it is granted.
    asked: Option<Vec<Capability>>,
    player: Option<PlayerId>,
    seat: Option<Seat>,
    pending: Option<Pending>,
    /// Its request to leave over HTTP, until it is answered.
    leaving: Option<Leaving>,
    /// Every request that was acknowledged.
    pub(crate) acknowledged: Vec<RequestId>,
    /// Every session that it has joined as, with its key.
    pub(crate) sessions: Vec<(PlayerId, SecretKey)>,
    invites: BTreeMap<RequestId, (Grant, Option<SecretKey>)>,
    open_invites: Vec<u32>,
    pub(crate) to_invite: Vec<Grant>,
    requests: u64,
    joins: u64,
    join_sent_at: u64,
    heard_at: u64,
    is_unsubscribed: bool,
    is_locked_out: bool,
    /// Whether it only reconnects and repeats unanswered requests.
    pub(crate) is_settling: bool,
    /// When it wakes up next.
    pub(crate) wakes_at: u64,
}

impl Client {
    pub(crate) fn new(number: usize, table: usize, kind: Kind, game: &GameId) -> Self {
        Self {
            number,
            table,
            kind,
            quality: Quality::Calm,
            game: game.clone(),
            link: None,
            is_http_only: false,
            is_joined: false,
            is_gone: false,
            follower: Follower::default(),
            key: None,
            own_key: None,
            invite_key: None,
            entropy: None,
            asked: None,
            player: None,
            seat: None,
            pending: None,
            leaving: None,
            acknowledged: Vec::new(),
            sessions: Vec::new(),
            invites: BTreeMap::new(),
            open_invites: Vec::new(),
            to_invite: Vec::new(),
            requests: 0,
            joins: 0,
            join_sent_at: 0,
            heard_at: 0,
            is_unsubscribed: false,
            is_locked_out: false,
            is_settling: false,
            wakes_at: 0,
        }
    }

    pub(crate) fn with_invite(self, key: Option<SecretKey>, entropy: Option<Entropy>) -> Self {
        Self { invite_key: key, entropy, ..self }
    }

    /// Limits its session to some capabilities.
    pub(crate) fn asking_for(self, asked: Option<Vec<Capability>>) -> Self {
        Self { asked, ..self }
    }

    /// Sets the client's own key, with which it can rejoin even if the answer to its join is lost.
    pub(crate) fn with_key(self, own_key: Option<SecretKey>) -> Self {
        Self { own_key, ..self }
    }

    pub(crate) fn with_quality(self, quality: Quality) -> Self {
        Self { quality, ..self }
    }

    pub(crate) fn http_only(self, is_http_only: bool) -> Self {
        Self { is_http_only, ..self }
    }

    /// The key of its session.
    pub(crate) fn session_key(&self) -> Option<&SecretKey> {
        self.own_key.as_ref().or(self.key.as_ref())
    }

    fn next_request(&mut self) -> RequestId {
        self.requests += 1;
        RequestId::try_from(format!("c{}-{}", self.number, self.requests)).expect("letters and digits form a valid id")
    }

    fn has_key(&self) -> bool {
        !matches!(self.kind, Kind::Stranger | Kind::Flooder)
    }

    /// Whether it returns to the table once the world is healed.
    pub(crate) fn should_reconnect(&self) -> bool {
        !self.is_gone && self.has_key()
    }

    /// Whether it waits for nothing: it has joined and every request is answered, or it has left for good.
    pub(crate) fn is_at_rest(&self) -> bool {
        !self.should_reconnect() || (self.is_joined && self.pending.is_none() && self.leaving.is_none())
    }

    /// Handles a new connection.
    pub(crate) fn handle_connected(&mut self, now: u64, link: ConnectionId) -> Option<Command> {
        self.link = Some(link);
        self.is_joined = false;
        self.is_unsubscribed = false;
        self.heard_at = now;
        self.joins += 1;
        self.has_key().then(|| self.join(now))
    }

    /// Handles the loss of its connection.
    pub(crate) fn handle_disconnected(&mut self) {
        self.link = None;
        self.is_joined = false;
    }

    /// Joins the table. Repeated joins over one connection have the same request id.
    fn join(&mut self, now: u64) -> Command {
        self.join_sent_at = now;
        let request = format!("j{}-{}", self.number, self.joins);
        send(&ClientMessage::JoinGame {
            game_id: self.game.clone(),
            request_id: RequestId::try_from(request).ok(),
            key: self.key.clone().or_else(|| self.invite_key.clone()),
            session_key: self.own_key.clone(),
            name: Name::try_from(format!("Client {}", self.number)).expect("a word and a number form a valid name"),
            role: None,
            seat: None,
            capabilities: self.asked.clone(),
            entropy: self.entropy.clone(),
            version: self.follower.table().map(|(version, _)| version),
        })
    }
}

// Incoming messages.
impl Client {
    /// Handles a message.
    pub(crate) fn handle_message(
        &mut self,
        now: u64,
        message: &ServerMessage,
        report: &mut Report,
    ) -> Result<Vec<Command>, String> {
        self.heard_at = now;
        let outcome = self.follower.handle_message(message);
        let mut commands: Vec<Command> = self.update_state(now, message, report).into_iter().collect();
        if outcome == FollowOutcome::Gap {
            if self.quality != Quality::Wild {
                let number = self.number;
                return Err(format!("client {number} missed an update on a lossless connection: {message:?}"));
            }
            report.gaps += 1;
            commands.push(self.subscribe());
        }
        Ok(commands)
    }

    /// Handles the answer to an HTTP call. A client with a connection ignores the view in it.
    pub(crate) fn handle_answer(&mut self, message: &ServerMessage, report: &mut Report) -> Option<Command> {
        if self.link.is_none() {
            self.follower.handle_message(message);
        }
        match message {
            ServerMessage::GameCreated { player_id, key, view, .. } => {
                self.note_session(player_id, key.as_ref(), creator_seat(view, player_id));
            }
            ServerMessage::Joined { request_id, player_id, key, seat, .. } => {
                self.record_own_session(request_id.as_ref(), player_id, key.as_ref());
                self.note_session(player_id, key.as_ref(), *seat);
            }
            ServerMessage::Left { is_seat_kept, .. } => self.handle_left(*is_seat_kept),
            ServerMessage::StateUpdate { ack: Some(ack), .. } => {
                self.clear_pending(&ack.request_id);
                self.acknowledged.push(ack.request_id.clone());
            }
            ServerMessage::Error { request_type: Some(kind), request_id, error, .. } => {
                self.handle_refused_call(kind, request_id.as_ref(), error.code, report);
            }
            ServerMessage::Said { request_id: Some(request), .. } => self.clear_pending(request),
            ServerMessage::Invited { request_id, invite, key, is_revoked } => {
                self.clear_pending(request_id);
                return self.note_invite(request_id, *invite, key.as_ref(), *is_revoked);
            }
            _ => {}
        }
        None
    }

    fn handle_refused_call(&mut self, kind: &str, request: Option<&RequestId>, code: ErrorCode, report: &mut Report) {
        let is_own = request.is_some_and(|request| !request.as_str().starts_with("stolen"));
        if !is_own || code == ErrorCode::NotStored {
            return;
        }
        request.into_iter().for_each(|request| self.clear_pending(request));
        match kind {
            "JOIN_GAME" if self.link.is_none() => drop(self.handle_refused_join(0, code, report)),
            // It had left already, and the answer was lost.
            "LEAVE_GAME" | "GIVE_UP_SEAT" if code == ErrorCode::BadKey => self.mark_gone(),
            _ => {}
        }
    }

    /// Handles `LEFT`. A client that keeps its seat joins again later.
    fn handle_left(&mut self, is_seat_kept: bool) {
        if is_seat_kept {
            self.leaving = None;
            self.is_joined = false;
        } else {
            self.mark_gone();
        }
    }

    fn mark_gone(&mut self) {
        self.leaving = None;
        self.is_gone = true;
        self.is_joined = false;
    }

    fn subscribe(&mut self) -> Command {
        self.is_unsubscribed = false;
        send(&ClientMessage::Subscribe { game_id: self.game.clone() })
    }

    fn update_state(&mut self, now: u64, message: &ServerMessage, report: &mut Report) -> Option<Command> {
        match message {
            ServerMessage::GameCreated { player_id, key, view, .. } => {
                self.handle_joined(player_id, key.as_ref(), creator_seat(view, player_id))
            }
            ServerMessage::Joined { request_id, player_id, key, seat, .. } => {
                self.record_own_session(request_id.as_ref(), player_id, key.as_ref());
                self.handle_joined(player_id, key.as_ref(), *seat)
            }
            ServerMessage::Invited { request_id, invite, key, is_revoked } => {
                self.clear_pending(request_id);
                self.note_invite(request_id, *invite, key.as_ref(), *is_revoked)
            }
            ServerMessage::Left { is_seat_kept, .. } => {
                self.handle_left(*is_seat_kept);
                None
            }
            ServerMessage::Said { request_id: Some(request), .. } => {
                self.clear_pending(request);
                None
            }
            ServerMessage::StateUpdate { ack: Some(ack), .. } => {
                self.clear_pending(&ack.request_id);
                self.acknowledged.push(ack.request_id.clone());
                None
            }
            ServerMessage::Error { request_type, request_id, error, .. } => {
                self.note_error(now, request_type.as_deref(), request_id.as_ref(), error.code, report)
            }
            _ => None,
        }
    }

    /// Records the session of a reply to one of its own join requests. The reply to an invalid message may open another
    /// client's session, if the key has been used again since.
    fn record_own_session(&mut self, request: Option<&RequestId>, player: &PlayerId, key: Option<&SecretKey>) {
        let is_own = request.is_some_and(|request| request.as_str().starts_with('j'));
        // A client that returns too late to an open table becomes a spectator without a session.
        let is_session = !player.as_str().starts_with('w');
        let is_known = self.sessions.iter().any(|(known, _)| known == player);
        if let Some(key) = key.or(self.own_key.as_ref()).filter(|_| is_own && is_session && !is_known) {
            self.sessions.push((player.clone(), key.clone()));
        }
    }

    fn note_session(&mut self, player: &PlayerId, key: Option<&SecretKey>, seat: Option<Seat>) {
        self.key = key.cloned().or_else(|| self.key.take());
        self.player = Some(player.clone());
        self.seat = seat;
        if self.is_locked_out {
            self.is_locked_out = false;
            self.is_gone = false;
        }
    }

    fn handle_joined(&mut self, player: &PlayerId, key: Option<&SecretKey>, seat: Option<Seat>) -> Option<Command> {
        self.note_session(player, key, seat);
        self.is_joined = true;
        // Repeat the unanswered request verbatim.
        self.pending.as_ref().map(|pending| Command::Send { text: Rc::clone(&pending.text), is_invalid: false })
    }

    fn clear_pending(&mut self, request: &RequestId) {
        self.pending.take_if(|pending| pending.request == *request);
    }

    /// Notes an invite. A repeated answer counts once.
    fn note_invite(
        &mut self,
        request: &RequestId,
        number: u32,
        key: Option<&SecretKey>,
        is_revoked: bool,
    ) -> Option<Command> {
        if is_revoked {
            self.open_invites.retain(|open| *open != number);
            return None;
        }
        let (grant, own) = self.invites.remove(request)?;
        self.open_invites.push(number);
        // A key generated by the table is sent once, and lost with the answer.
        let key = own.or_else(|| key.cloned())?;
        Some(Command::PassInvite { grant, key })
    }

    fn note_error(
        &mut self,
        now: u64,
        request_type: Option<&str>,
        request: Option<&RequestId>,
        code: ErrorCode,
        report: &mut Report,
    ) -> Option<Command> {
        match code {
            ErrorCode::NotJoined => {
                self.is_joined = false;
                return (self.has_key() && now >= self.join_sent_at + RETRY_AFTER).then(|| self.join(now));
            }
            ErrorCode::NotStored | ErrorCode::RateLimited => return None,
            _ => {}
        }
        if let Some(request) = request {
            self.clear_pending(request);
        }
        let own_join = request.is_some_and(|request| request.as_str().starts_with('j'));
        if request_type == Some("JOIN_GAME") && own_join && !self.is_joined {
            return self.handle_refused_join(now, code, report);
        }
        None
    }

    /// Handles a refused join: drops an invalid session key and falls back to the invite, or gives up.
    fn handle_refused_join(&mut self, now: u64, code: ErrorCode, report: &mut Report) -> Option<Command> {
        if code == ErrorCode::BadKey && self.key.take().is_some() && self.invite_key.is_some() {
            return Some(self.join(now));
        }
        if code == ErrorCode::SeatTaken && self.key.is_none() && self.player.is_none() && !self.is_locked_out {
            report.locked_out += u64::from(self.own_key.is_none());
            self.is_locked_out = true;
        }
        self.is_gone = true;
        None
    }
}

/// The creator's seat, taken from a view.
fn creator_seat(view: &GameView, player: &PlayerId) -> Option<Seat> {
    view.players.iter().find(|known| known.player_id == *player)?.player_index
}

// Behavior.
impl Client {
    /// Decides what to do next.
    pub(crate) fn wake(&mut self, insight: &Insight<'_>, dice: &mut Dice, report: &mut Report) -> Vec<Command> {
        if self.is_gone {
            return self.link.map(|_| Command::Close).into_iter().collect();
        }
        if let Some(leaving) = &mut self.leaving {
            return leaving.retry_if_due(insight.now, report).into_iter().collect();
        }
        if self.is_http_only && !self.is_settling {
            return self.wake_over_http(insight, dice, report).into_iter().collect();
        }
        if self.link.is_none() {
            return vec![Command::Connect];
        }
        match self.kind {
            Kind::Stranger => return vec![self.send_invalid_message(insight, dice)],
            Kind::Flooder => return self.flood(dice, report),
            _ => {}
        }
        if !self.is_joined {
            let is_overdue = insight.now >= self.join_sent_at + RETRY_AFTER;
            return if is_overdue { vec![self.join(insight.now)] } else { Vec::new() };
        }
        match &mut self.pending {
            Some(pending) => pending.retry_if_due(insight.now, report).into_iter().collect(),
            None if self.is_settling => Vec::new(),
            None => self.choose(insight, dice).into_iter().collect(),
        }
    }

    /// Joins, reads the state, acts or leaves over HTTP.
    fn wake_over_http(&mut self, insight: &Insight<'_>, dice: &mut Dice, report: &mut Report) -> Option<Command> {
        if self.player.is_none() {
            let is_overdue = self.joins == 0 || insight.now >= self.join_sent_at + RETRY_AFTER;
            self.joins = 1;
            return is_overdue.then(|| self.join(insight.now));
        }
        if let Some(pending) = &mut self.pending {
            return pending.retry_if_due(insight.now, report);
        }
        match dice.below(100) {
            0..=39 => Some(Command::Call(TableRequest::state(self.session_key()))),
            40..=44 => Some(self.join(insight.now)),
            45..=49 => Some(self.send_invalid_call(insight, dice)),
            50 => Some(self.leave_over_http(insight.now, dice)),
            51..=55 if self.kind != Kind::Onlooker => self.choose_as_player(insight, dice),
            _ => self.play(insight.now, dice),
        }
    }

    /// Leaves, or gives up its seat, over HTTP. The request is repeated until it is answered.
    fn leave_over_http(&mut self, now: u64, dice: &mut Dice) -> Command {
        let (game_id, request_id) = (self.game.clone(), Some(self.next_request()));
        let message = match self.seat.is_some() && dice.once_in(2) {
            true => ClientMessage::GiveUpSeat { game_id, request_id },
            false => ClientMessage::LeaveGame { game_id, request_id },
        };
        let request = TableRequest::of(&message, self.session_key()).expect("leaving has an endpoint");
        self.leaving = Some(Leaving { request: request.clone(), sent_at: now });
        Command::Call(request)
    }

    fn send_invalid_call(&self, insight: &Insight<'_>, dice: &mut Dice) -> Command {
        Command::Call(TableRequest::invalid(insight.dead_keys, self.invite_key.as_ref(), dice))
    }

    fn choose(&mut self, insight: &Insight<'_>, dice: &mut Dice) -> Option<Command> {
        if self.quality == Quality::Wild && insight.now >= self.heard_at + SILENCE {
            self.heard_at = insight.now;
            return Some(self.subscribe());
        }
        if self.is_unsubscribed && dice.percent(30) {
            return Some(self.subscribe());
        }
        match self.kind {
            Kind::Creator | Kind::Person => self.choose_as_player(insight, dice),
            _ => self.choose_as_spectator(insight, dice),
        }
    }

    fn choose_as_player(&mut self, insight: &Insight<'_>, dice: &mut Dice) -> Option<Command> {
        if self.kind == Kind::Creator
            && let Some(grant) = self.to_invite.pop()
        {
            return Some(self.invite(insight.now, grant, dice));
        }
        let (_, view) = self.follower.table()?;
        let is_new_hand = view.state.hand_number > 0 && view.state.auction.is_empty();
        let undo_request = view.metadata.undo.as_ref().map(|undo| (undo.to, undo.agreed.clone()));
        if view.state.phase.is_over() && dice.percent(50) {
            return Some(self.rematch(insight.now, dice));
        }
        if view.state.phase == Phase::Setup && self.is_manager() && dice.once_in(12) {
            let (config, table) = self.new_rules(dice);
            return Some(self.request(insight.now, |game_id, request_id| ClientMessage::Configure {
                game_id,
                request_id,
                config,
                table,
            }));
        }
        let is_asked = view.not_ready().any(|seat| Some(seat) == self.seat);
        // Some send it twice, or when it is not needed.
        if (is_asked && dice.percent(70)) || dice.once_in(400) {
            return Some(self.request(insight.now, |game_id, request_id| ClientMessage::Ready { game_id, request_id }));
        }
        if let Some((to, agreed)) = undo_request
            && !agreed.iter().any(|seat| Some(*seat) == self.seat)
            && dice.percent(60)
        {
            if dice.once_in(8) {
                return Some(
                    self.request(insight.now, |game_id, request_id| ClientMessage::DeclineUndo { game_id, request_id }),
                );
            }
            return self.execute(insight.now, Action::Undo { to });
        }
        // Undoing a score hides hands that were open.
        if is_new_hand && dice.percent(12) {
            let to = insight.game_events.saturating_sub(1) as u16;
            return self.execute(insight.now, Action::Undo { to });
        }
        match dice.below(100) {
            0..=1 => Some(Command::Close),
            2 => self.unsubscribe(),
            3 | 4 => self.ask_undo(insight, dice),
            5..=7 => self.swap_control(insight.now, dice),
            8 => self.manage(insight.now, dice),
            9 => Some(send(&ClientMessage::Ping { nonce: dice.below(1000) })),
            10..=13 => Some(self.send_invalid_message(insight, dice)),
            14 if dice.once_in(2) => Some(self.leave(insight.now, dice)),
            15 => Some(self.talk(insight.now, dice)),
            16 => Some(self.allow_coach(insight.now, dice)),
            _ => self.play(insight.now, dice),
        }
    }

    fn choose_as_spectator(&mut self, insight: &Insight<'_>, dice: &mut Dice) -> Option<Command> {
        match dice.below(100) {
            0..=6 => Some(Command::Close),
            7..=9 => self.unsubscribe(),
            10..=12 => Some(self.leave(insight.now, dice)),
            13..=30 => Some(self.send_invalid_message(insight, dice)),
            31..=50 => Some(send(&ClientMessage::Ping { nonce: dice.below(1000) })),
            51..=65 => Some(self.talk(insight.now, dice)),
            _ => None,
        }
    }

    fn request(&mut self, now: u64, message: impl FnOnce(GameId, RequestId) -> ClientMessage) -> Command {
        let request = self.next_request();
        let message = message(self.game.clone(), request.clone());
        let text = json(&message);
        self.pending = Some(Pending { request, text: Rc::clone(&text), sent_at: now });
        Command::Send { text, is_invalid: false }
    }

    fn execute(&mut self, now: u64, action: Action) -> Option<Command> {
        let (version, _) = self.follower.table()?;
        let action = ActionMessage(action);
        Some(self.request(now, |game_id, request_id| ClientMessage::ExecuteAction {
            game_id,
            request_id,
            version,
            action,
            intent: Intent::try_from("It looked good.").ok(),
        }))
    }

    /// Says a random phrase, and points at any domino that it sees. Much of that is refused.
    fn talk(&mut self, now: u64, dice: &mut Dice) -> Command {
        let phrase = dice.pick(Phrase::ALL);
        let players = self.follower.table().map(|(_, view)| view.state.players);
        let seen: Vec<Domino> = players.into_iter().flatten().flat_map(|player| player.hand).collect();
        let domino = (phrase.points() && !seen.is_empty()).then(|| dice.pick(&seen));
        self.request(now, |game_id, request_id| ClientMessage::Say { game_id, request_id, phrase, domino })
    }

    fn allow_coach(&mut self, now: u64, dice: &mut Dice) -> Command {
        let allowed = dice.once_in(2);
        self.request(now, |game_id, request_id| ClientMessage::AllowCoach { game_id, request_id, allowed })
    }

    /// Takes a random offered action; rarely a claim, because it ends the hand.
    fn play(&mut self, now: u64, dice: &mut Dice) -> Option<Command> {
        let (_, view) = self.follower.table()?;
        let claims = dice.once_in(20);
        let is_wanted = |action: &Action| claims || !matches!(action, Action::Claim { .. });
        let offered = view.valid_actions.iter().map(|valid| valid.action);
        let actions: Vec<Action> = offered.filter(is_wanted).collect();
        if actions.is_empty() {
            let guess = self.guess(view, dice)?;
            return self.execute(now, guess);
        }
        self.execute(now, dice.pick(&actions))
    }

    /// A random move of a client that asked not to see its hand, when it is its turn.
    fn guess(&self, view: &GameView, dice: &mut Dice) -> Option<Action> {
        let is_blind = self.asked.as_ref().is_some_and(|asked| !asked.contains(&Capability::ObserveOwnHand));
        let player = self.seat.filter(|seat| is_blind && view.derived.to_act == Some(*seat))?;
        let dominoes: Vec<Domino> = Hand::FULL.into_iter().collect();
        match view.state.phase {
            Phase::Bidding => Some(Action::Pass { player }),
            Phase::TrumpSelection => Some(Action::SelectTrump { player, trump: dice.pick(&Trump::STRAIGHT) }),
            Phase::Playing => Some(Action::Play { player, domino: dice.pick(&dominoes) }),
            Phase::Setup | Phase::Scoring | Phase::GameEnd | Phase::OneHandComplete => None,
        }
    }

    fn ask_undo(&mut self, insight: &Insight<'_>, dice: &mut Dice) -> Option<Command> {
        let back = dice.between(1, 9).min(insight.game_events as u64);
        let back = if dice.once_in(6) { dice.between(back, insight.game_events as u64) } else { back };
        self.execute(insight.now, Action::Undo { to: (insight.game_events as u64 - back) as u16 })
    }

    /// Hands its seat to a bot, or takes it back.
    fn swap_control(&mut self, now: u64, dice: &mut Dice) -> Option<Command> {
        let seat = self.seat?;
        let (_, view) = self.follower.table()?;
        let own = view.players.iter().find(|known| Some(&known.player_id) == self.player.as_ref())?;
        let control_type = if own.control_type == Control::Human { Control::Ai } else { Control::Human };
        // It takes its seat back soon.
        if control_type == Control::Ai && dice.percent(40) {
            return self.play(now, dice);
        }
        Some(self.set_control(now, seat, control_type))
    }

    fn set_control(&mut self, now: u64, player: Seat, control_type: Control) -> Command {
        self.request(now, |game_id, request_id| ClientMessage::SetPlayerControl {
            game_id,
            request_id,
            player,
            control_type,
            version: None,
        })
    }

    /// Manages the table, as only the creator may: creates and revokes invites, and puts bots on seats.
    fn manage(&mut self, now: u64, dice: &mut Dice) -> Option<Command> {
        if !self.is_manager() {
            return self.play(now, dice);
        }
        match dice.below(5) {
            0 | 1 if !self.open_invites.is_empty() => {
                let number = dice.pick(&self.open_invites);
                Some(self.request(now, |game_id, request_id| ClientMessage::Invite {
                    game_id,
                    request_id,
                    grant: None,
                    key: None,
                    revoke: Some(number),
                    guest: None,
                }))
            }
            0..=2 => {
                let grant = any_grant(dice);
                Some(self.invite(now, grant, dice))
            }
            _ => Some(self.set_control(now, dice.pick(&Seat::ALL), Control::Ai)),
        }
    }

    fn invite(&mut self, now: u64, grant: Grant, dice: &mut Dice) -> Command {
        let key = dice.percent(70).then(|| SecretKey::new(dice.bytes()));
        let command = self.request(now, |game_id, request_id| ClientMessage::Invite {
            game_id,
            request_id,
            grant: Some(grant.clone()),
            key: key.clone(),
            revoke: None,
            guest: None,
        });
        if let Some(pending) = &self.pending {
            self.invites.insert(pending.request.clone(), (grant, key));
        }
        command
    }

    /// Asks for another game, sometimes with new rules.
    fn rematch(&mut self, now: u64, dice: &mut Dice) -> Command {
        let entropy = tables::entropy(dice);
        let (config, table) = if self.is_manager() && dice.percent(40) { self.new_rules(dice) } else { (None, None) };
        self.request(now, |game_id, request_id| ClientMessage::Rematch { game_id, request_id, entropy, config, table })
    }

    /// Random changes to the rules, the options, or both.
    fn new_rules(&self, dice: &mut Dice) -> (Option<Config>, Option<TableOptions>) {
        let Some((_, view)) = self.follower.table() else { return (None, None) };
        let people = view.players.iter().filter(|player| player.control_type == Control::Human);
        let people: Vec<Seat> = people.filter_map(|player| player.player_index).collect();
        let config = dice.percent(60).then(|| tables::changed_rules(&people, dice));
        let table = dice.percent(60).then(|| tables::changed_options(&view.metadata.table, dice));
        (config, table)
    }

    fn unsubscribe(&mut self) -> Option<Command> {
        self.is_unsubscribed = true;
        Some(send(&ClientMessage::Unsubscribe { game_id: self.game.clone() }))
    }

    /// Leaves, or gives up its seat. Over the connection, it does not wait for the answer.
    fn leave(&mut self, now: u64, dice: &mut Dice) -> Command {
        if self.session_key().is_some() && dice.once_in(3) {
            return self.leave_over_http(now, dice);
        }
        let (game_id, request_id) = (self.game.clone(), None);
        match self.kind {
            // It keeps the seat, and joins again when the answer arrives.
            Kind::Creator | Kind::Person if dice.once_in(2) => send(&ClientMessage::LeaveGame { game_id, request_id }),
            Kind::Creator | Kind::Person => {
                self.is_gone = true;
                send(&ClientMessage::GiveUpSeat { game_id, request_id })
            }
            _ => {
                self.is_gone = true;
                send(&ClientMessage::LeaveGame { game_id, request_id })
            }
        }
    }

    /// Whether it manages the table: it created the table, or the creator left and it took over.
    fn is_manager(&self) -> bool {
        let (Some(player), Some((_, view))) = (&self.player, self.follower.table()) else { return false };
        let own = view.players.iter().find(|known| known.player_id == *player);
        own.is_some_and(|own| own.capabilities.contains(&Capability::ConfigureVariant))
    }

    fn send_invalid_message(&mut self, insight: &Insight<'_>, dice: &mut Dice) -> Command {
        if dice.once_in(5) {
            return self.send_invalid_call(insight, dice);
        }
        let request = self.next_request().to_string();
        let messages = InvalidMessages {
            game: self.game.as_str(),
            seat: self.seat,
            is_manager: self.is_manager(),
            is_rated: self.follower.table().is_some_and(|(_, view)| view.metadata.table.rated),
            is_open: self.follower.table().is_some_and(|(_, view)| view.metadata.table.open_hands),
            version: self.follower.table().map_or(1, |(version, _)| version),
            request,
            used_request: self.acknowledged.last().map(RequestId::as_str),
            dead_keys: insight.dead_keys,
        };
        Command::Send { text: messages.any(dice).into(), is_invalid: true }
    }

    fn flood(&mut self, dice: &mut Dice, report: &mut Report) -> Vec<Command> {
        report.floods += 1;
        let one = |dice: &mut Dice| match dice.below(3) {
            0 => ClientMessage::Subscribe { game_id: self.game.clone() },
            1 => ClientMessage::LeaveGame { game_id: self.game.clone(), request_id: None },
            _ => ClientMessage::Ping { nonce: dice.below(u64::MAX) },
        };
        let texts: Vec<ClientMessage> = (0..dice.between(10, 30)).map(|_| one(dice)).collect();
        texts.iter().map(|message| Command::Send { text: json(message), is_invalid: true }).collect()
    }
}

/// A random part of what a player may do and see, on any seat.
pub(crate) fn some_capabilities(dice: &mut Dice) -> Vec<Capability> {
    let act = Seat::ALL.map(|player_index| Capability::ActAsPlayer { player_index });
    let others = [Capability::ObserveOwnHand, Capability::ReplaceAi, Capability::UndoActions];
    let acts = dice.percent(80);
    let act = act.into_iter().filter(|_| acts);
    act.chain(others.into_iter().filter(|_| dice.percent(50))).collect()
}

/// A random grant: a player, spectator, coach, student or bot.
pub(crate) fn any_grant(dice: &mut Dice) -> Grant {
    let seat = dice.pick(&Seat::ALL);
    let watching = |open_hands, delay_hands| Grant { open_hands, delay_hands, ..Grant::of(Role::Spectator) };
    match dice.below(10) {
        0 => watching(false, 0),
        1 => watching(true, 0),
        2 => watching(false, dice.between(1, 2) as u8),
        3 => watching(true, 1),
        4 => Grant { seat: Some(seat), ..Grant::of(Role::Coach) },
        5..=7 => Grant { seat: dice.once_in(2).then_some(seat), ..Grant::of(Role::Ai) },
        8 => Grant { uses: Some(dice.between(1, 3) as u8), ..Grant::of(Role::Student) },
        _ => Grant { seat: Some(seat), ..Grant::of(Role::Player) },
    }
}
