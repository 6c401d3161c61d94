//! Client requests. Each method validates a request and turns it into events. A rejected request changes nothing.

use texas42_engine::Refusal;
use texas42_kernel::{Session, authorise};
use texas42_phrases::Problem;
use texas42_protocol::{
    Ack, Capability, ClientMessage, DealKind, Entropy, Intent, PlayerId, RequestId, ServerMessage, Status, WireError,
};
use texas42_vocab::{Action, Control, Layer, Seat};

use super::{ConnectionId, Effect, Rejection, Room, join::JoinRequest, reject};
use crate::{event::Event, table::UndoRequest};

/// The maximum number of handovers by people in one game.
const MAX_HANDOVERS: u16 = 400;
/// The maximum number of undo requests between two actions.
const MAX_UNDO_REQUESTS: u8 = 16;

/// An action with a bot's reason.
pub(super) struct Move {
    action: Action,
    intent: Option<Intent>,
}

impl From<Action> for Move {
    fn from(action: Action) -> Self {
        Self { action, intent: None }
    }
}

fn refused(refusal: Refusal) -> Rejection {
    Rejection { error: WireError::new(refusal).at("action"), with_view: true }
}

impl Room {
    pub(super) fn dispatch(&mut self, from: ConnectionId, message: ClientMessage) -> Result<(), Rejection> {
        self.check_game(&message)?;
        match message {
            ClientMessage::CreateGame { session_key, request_id, .. } => {
                self.repeat_creation_reply(from, request_id, session_key.as_ref())
            }
            ClientMessage::JoinGame {
                request_id, key, session_key, name, role, seat, capabilities, entropy, ..
            } => {
                let request = JoinRequest { name, role, seat, capabilities, entropy, session_key };
                self.join(from, request_id, key.as_ref(), request)
            }
            ClientMessage::LeaveGame { request_id, .. } => self.leave(from, request_id),
            ClientMessage::Subscribe { .. } => self.subscribe(from),
            ClientMessage::Unsubscribe { .. } => self.unsubscribe(from),
            ClientMessage::ExecuteAction { request_id, version, action, intent, .. } => {
                self.execute(from, request_id, version, Move { action: action.0, intent })
            }
            ClientMessage::SetPlayerControl { request_id, player, control_type, version, .. } => {
                self.set_control(from, request_id, (player, control_type), version)
            }
            ClientMessage::Invite { request_id, grant, key, revoke, .. } => {
                self.invite(from, request_id, grant, key.as_ref(), revoke)
            }
            ClientMessage::Rematch { request_id, entropy, .. } => self.rematch(from, request_id, entropy),
            ClientMessage::Ready { request_id, .. } => self.note_ready(from, request_id),
            ClientMessage::Ping { nonce } => {
                self.send(from, ServerMessage::Pong { nonce, time: Some(self.clock.now()) });
                Ok(())
            }
        }
    }

    fn check_game(&self, message: &ClientMessage) -> Result<(), Rejection> {
        match message.game_id() {
            Some(game) if *game != self.id => Err(reject(Problem::NoSuchGame)),
            _ => Ok(()),
        }
    }

    fn subscribe(&mut self, from: ConnectionId) -> Result<(), Rejection> {
        let player = self.player_on(from)?.clone();
        let view = self.attach(from, &player);
        let version = self.table.version;
        let message = ServerMessage::StateUpdate {
            game_id: self.id.clone(),
            version,
            ack: None,
            last_action: None,
            view: Some(view),
            patch: None,
        };
        self.send(from, message);
        Ok(())
    }

    fn unsubscribe(&mut self, from: ConnectionId) -> Result<(), Rejection> {
        self.player_on(from)?;
        if let Some(connection) = self.connections.get_mut(&from) {
            connection.shown = None;
        }
        Ok(())
    }

    fn execute(
        &mut self,
        from: ConnectionId,
        request_id: RequestId,
        version: u64,
        Move { action, intent }: Move,
    ) -> Result<(), Rejection> {
        let player = self.session_on(from)?.player_id.clone();
        if self.repeat_reply(from, &player, &request_id) {
            return Ok(());
        }
        let session = self.session_on(from)?;
        authorise(&session.capabilities, action)?;
        self.check_control(session, action)?;
        self.check_version(version)?;
        if let Action::Undo { to } = action {
            return self.request_undo(&player, request_id, to);
        }
        let intent = intent.filter(|_| session.control == Control::Ai && self.table.shows_intents());
        self.act(Some(player), Some(request_id), Move { action, intent })
    }

    fn check_version(&self, version: u64) -> Result<(), Rejection> {
        if self.table.is_current(version) {
            return Ok(());
        }
        Err(reject(Problem::MovedOn).with_view())
    }

    /// People act only for seats controlled by people, and bots for seats controlled by bots.
    fn check_control(&self, session: &Session, action: Action) -> Result<(), Rejection> {
        match action.player() {
            Some(seat) if self.table.control(seat) != session.control => Err(reject(Problem::SeatMovedByOther)),
            _ => Ok(()),
        }
    }

    pub(super) fn act(
        &mut self,
        by: Option<PlayerId>,
        request_id: Option<RequestId>,
        Move { action, intent }: Move,
    ) -> Result<(), Rejection> {
        if self.table.game.is_none() {
            return Err(reject(Problem::Gathering));
        }
        self.check_game_limit()?;
        self.try_commit(Event::Acted { by, request_id, action, intent }, Some(action)).map_err(refused)
    }

    fn set_control(
        &mut self,
        from: ConnectionId,
        request_id: RequestId,
        (seat, control): (Seat, Control),
        version: Option<u64>,
    ) -> Result<(), Rejection> {
        let session = self.session_on(from)?.clone();
        if self.repeat_reply(from, &session.player_id, &request_id) {
            return Ok(());
        }
        if !self.may_set_control(&session, seat, control) {
            return Err(reject(Problem::CannotChangeControl));
        }
        version.map_or(Ok(()), |version| self.check_version(version))?;
        if self.table.control(seat) == control {
            return Err(reject(Problem::SameControl));
        }
        self.check_handovers()?;
        self.change_control(seat, control, Some(session.player_id), Some(request_id))?;
        self.start_when_complete();
        Ok(())
    }

    /// People decide about their own seats. The host may also hand the seat of an absent person to a bot, so that the
    /// others can continue. A rated table with a time limit leaves that to the time limit.
    fn may_set_control(&self, session: &Session, seat: Seat, control: Control) -> bool {
        let is_own = session.may(Capability::ActAsPlayer { player_index: seat }) && session.control == Control::Human;
        let is_away = || self.table.person(seat).is_none_or(|person| !self.is_connected(&person.player_id));
        let has_clock = self.table.options.rated && self.table.options.turn_seconds.is_some();
        match control {
            Control::Human => is_own && session.may(Capability::ReplaceAi),
            Control::Ai => is_own || (session.may(Capability::ConfigureVariant) && !has_clock && is_away()),
        }
    }

    /// Hands a seat over from a person to a bot or back, at any time.
    pub(super) fn change_control(
        &mut self,
        seat: Seat,
        control_type: Control,
        by: Option<PlayerId>,
        request_id: Option<RequestId>,
    ) -> Result<(), Rejection> {
        self.check_game_limit()?;
        let action = Action::SetControl { player: seat, control_type };
        self.commit(Event::Acted { by, request_id, action, intent: None }, Some(action));
        match control_type {
            Control::Ai => self.request_bot(seat),
            Control::Human => {
                self.bot_keys[seat.index()] = None;
                self.pending_effects.push(Effect::ReleaseBot { seat });
            }
        }
        if let Some(controller) = self.table.on_seat(seat, Control::Human).map(|session| session.player_id.clone()) {
            self.announce(&controller, Status::ControlChanged);
        }
        Ok(())
    }

    /// Rejects further events once a game has reached its maximum.
    pub(super) fn check_game_limit(&self) -> Result<(), Rejection> {
        if self.table.is_full() { Err(refused(Refusal::LogFull)) } else { Ok(()) }
    }

    /// Limits handovers, so that they cannot fill the log.
    fn check_handovers(&self) -> Result<(), Rejection> {
        if self.table.handovers >= MAX_HANDOVERS {
            return Err(reject(Problem::TooManyHandovers));
        }
        Ok(())
    }

    /// Reserves the last events of a table for the running game.
    pub(super) fn check_table_limit(&self) -> Result<(), Rejection> {
        if self.table.is_at_event_limit() {
            return Err(reject(Problem::TableWornOut));
        }
        Ok(())
    }

    fn rematch(
        &mut self,
        from: ConnectionId,
        request_id: RequestId,
        entropy: Option<Entropy>,
    ) -> Result<(), Rejection> {
        let session = self.session_on(from)?.clone();
        let player = session.player_id.clone();
        if self.repeat_reply(from, &player, &request_id) {
            return Ok(());
        }
        let acts = |seat: Seat| session.may(Capability::ActAsPlayer { player_index: seat });
        if !session.seat.is_some_and(acts) || session.control != Control::Human {
            return Err(reject(Problem::OnlyPlayersRematch));
        }
        // An unrated game that cannot take another event counts as over. Rated games do not, because players could
        // provoke it.
        let is_over = self.table.state().is_some_and(|state| state.phase.is_over());
        if !is_over && (!self.table.is_full() || self.table.options.rated) {
            return Err(reject(Problem::GameNotOver));
        }
        self.check_table_limit()?;
        let next = self.keys.secret();
        self.commit(Event::Rematch { by: player, request_id, entropy, next }, None);
        Ok(())
    }

    /// Marks a person as ready. Only the first time is logged, so that it cannot fill the log.
    fn note_ready(&mut self, from: ConnectionId, request_id: RequestId) -> Result<(), Rejection> {
        let session = self.session_on(from)?.clone();
        let player = session.player_id;
        if self.repeat_reply(from, &player, &request_id) {
            return Ok(());
        }
        let Some(seat) = session.seat.filter(|_| session.control == Control::Human) else {
            return Err(reject(Problem::OnlyPeopleAreReady));
        };
        if self.table.game.is_some() || !self.table.options.ready {
            return Err(reject(Problem::NobodyWaits).with_view());
        }
        if self.table.ready.contains(seat) {
            return Err(reject(Problem::SaidReady));
        }
        self.check_table_limit()?;
        self.commit(Event::Ready { by: player, request_id }, None);
        self.start_when_complete();
        Ok(())
    }

    /// The player on a connection, with or without a session.
    pub(super) fn player_on(&self, from: ConnectionId) -> Result<&PlayerId, Rejection> {
        let connection = self.connections.get(&from);
        connection.map(|connection| &connection.player_id).ok_or_else(|| reject(Problem::JoinFirst))
    }

    pub(super) fn session_on(&self, from: ConnectionId) -> Result<&Session, Rejection> {
        let session = self.table.session(self.player_on(from)?);
        session.ok_or_else(|| reject(Problem::OnlyWatches))
    }

    /// Repeats the reply to an accepted request, with the current view.
    pub(super) fn repeat_reply(&mut self, from: ConnectionId, player: &PlayerId, request_id: &RequestId) -> bool {
        let Some(version) = self.table.accepted(player, request_id) else { return false };
        let is_subscribed = self.connections.get(&from).is_some_and(|connection| connection.shown.is_some());
        let view = if is_subscribed { self.attach(from, player) } else { self.view_of(player) };
        let message = ServerMessage::StateUpdate {
            game_id: self.id.clone(),
            version: self.table.version,
            ack: Some(Ack { request_id: request_id.clone(), version }),
            last_action: None,
            view: Some(view),
            patch: None,
        };
        self.send(from, message);
        true
    }
}

// Undo.
impl Room {
    /// Rejects repeated undo requests and limits their number, so that they cannot fill the log.
    fn check_undo_request(&self, player: &PlayerId, to: u16) -> Result<(), Rejection> {
        let Some(seat) = self.table.session(player).and_then(|session| session.seat) else {
            return Err(reject(Problem::OnlyPlayersUndo));
        };
        let has_agreed = |ask: &UndoRequest| ask.to == to && ask.agreed.contains(seat);
        if self.table.undo.as_ref().is_some_and(has_agreed) {
            return Err(reject(Problem::UndoAsked));
        }
        if self.table.undo_requests >= MAX_UNDO_REQUESTS {
            return Err(reject(Problem::UndoAskedTooOften));
        }
        Ok(())
    }

    /// Requests an undo, or agrees to one. All players must agree. A rated table rejects it once hidden dominoes have
    /// been shown.
    fn request_undo(&mut self, player: &PlayerId, request_id: RequestId, to: u16) -> Result<(), Rejection> {
        let Some(game) = &self.table.game else {
            return Err(reject(Problem::Gathering));
        };
        self.check_game_limit()?;
        self.check_table_limit()?;
        if usize::from(to) >= game.log().len() {
            return Err(reject(Problem::NothingToUndo).with_view());
        }
        if self.table.options.deal == DealKind::Secret && game.state().phase.is_over() {
            return Err(reject(Problem::SecretIsOut));
        }
        let counts = self.table.options.rated
            || self.table.config.layers.iter().any(|layer| matches!(layer, Layer::Tournament(_)));
        if counts && self.table.was_revealed_since(to) {
            return Err(reject(Problem::HiddenSeen));
        }
        self.check_undo_request(player, to)?;
        self.commit(Event::UndoAsked { by: player.clone(), request_id, to }, None);
        self.announce(player, Status::UndoAsked);
        let everybody =
            self.table.undo.is_some_and(|ask| self.table.must_agree_to_undo(to).all(|seat| ask.agreed.contains(seat)));
        if everybody {
            let action = Action::Undo { to };
            self.commit(Event::Acted { by: None, request_id: None, action, intent: None }, Some(action));
        }
        Ok(())
    }
}
