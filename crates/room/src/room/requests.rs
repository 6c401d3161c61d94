//! Client requests. Each method validates a request and turns it into events. A rejected request changes nothing.

use texas42_engine::{MAX_EVENTS, Refusal};
use texas42_kernel::{Session, authorise};
use texas42_phrases::Problem;
use texas42_protocol::{
    Ack, Capability, ClientMessage, DealKind, Entropy, Intent, PlayerId, RequestId, ServerMessage, Status, WireError,
};
use texas42_vocab::{Action, Control, Seat};

use super::{
    ConnectionId, Rejection, Room, configure::NewRules, invites::InviteKey, join::JoinRequest, lobby::KnockRequest,
    reject, speech::Saying,
};
use crate::{event::Event, table::UndoRequest};

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
            ClientMessage::GiveUpSeat { request_id, .. } => self.give_up_seat(from, request_id),
            ClientMessage::Subscribe { .. } => self.subscribe(from),
            ClientMessage::Unsubscribe { .. } => self.unsubscribe(from),
            ClientMessage::ExecuteAction { request_id, version, action, intent, .. } => {
                self.execute(from, request_id, version, Move { action: action.0, intent })
            }
            ClientMessage::SetPlayerControl { request_id, player, control_type, version, .. } => {
                self.set_control(from, request_id, (player, control_type), version)
            }
            ClientMessage::Invite { request_id, grant, key, revoke, guest, .. } => {
                let key = guest.map_or(InviteKey::Own(key), InviteKey::Guest);
                self.invite(from, request_id, grant, key, revoke)
            }
            ClientMessage::OpenLobby { request_id, renew, .. } => self.open_lobby(from, request_id, renew),
            ClientMessage::CloseLobby { request_id, .. } => self.close_lobby(from, request_id),
            ClientMessage::Knock { request_id, code, name, key, .. } => {
                self.knock(from, request_id, KnockRequest { code, name, key, is_call: false })
            }
            ClientMessage::TurnAway { request_id, guest, .. } => self.turn_away(from, request_id, &guest),
            ClientMessage::Configure { request_id, config, table, .. } => {
                self.configure(from, request_id, NewRules { config, table })
            }
            ClientMessage::Rematch { request_id, entropy, config, table, .. } => {
                self.rematch(from, request_id, entropy, NewRules { config, table })
            }
            ClientMessage::Ready { request_id, .. } => self.note_ready(from, request_id),
            ClientMessage::DeclineUndo { request_id, .. } => self.decline_undo(from, request_id),
            ClientMessage::Say { request_id, phrase, domino, .. } => {
                self.say(from, request_id, Saying { phrase, domino })
            }
            ClientMessage::AllowCoach { request_id, allowed, .. } => self.allow_coach(from, request_id, allowed),
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
        self.return_late_bot(&player, version, action);
        let session = self.session_on(from)?;
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

    /// People act only for seats controlled by people, and bots for seats that they control.
    fn check_control(&self, session: &Session, action: Action) -> Result<(), Rejection> {
        match action.player() {
            Some(_) if !self.table.is_in_control(session) => {
                self.check_may_play(session)?;
                Err(reject(Problem::SeatPlayedByOther))
            }
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
            return Err(reject(Problem::GameNotStarted));
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
        if !self.may_set_control(&session, seat, control)? {
            return Err(reject(Problem::CannotChangeControl));
        }
        version.map_or(Ok(()), |version| self.check_version(version))?;
        if control == Control::Human {
            self.check_may_play(&session)?;
        }
        if self.table.control(seat) == control {
            return Err(reject(Problem::SameControl));
        }
        // Requesting a bot for another seat has its own conditions and does not count against the requester.
        if session.seat == Some(seat) {
            self.check_control_changes(&session.player_id)?;
        }
        let player = session.player_id;
        self.change_control(seat, control, Some(player.clone()), Some(request_id))?;
        if control == Control::Ai && session.seat == Some(seat) {
            self.wait_after_control_change(&player);
        }
        self.start_when_complete();
        Ok(())
    }

    /// Whether a session may change who plays a seat.
    ///
    /// People decide about their own seats, in rated games only between hands, because a bot that plays part of a hand
    /// would help its person. The host may also hand the seat of an absent person to a bot, so that the others can
    /// continue; in a rated game with a time limit, that is left to the time limit. After a long wait for a seat, every
    /// person may ask for a bot.
    ///
    /// # Errors
    /// If the request would be allowed at another time.
    fn may_set_control(&self, session: &Session, seat: Seat, control: Control) -> Result<bool, Rejection> {
        let is_own = session.seat == Some(seat) && session.control == Control::Human;
        let decides = is_own && session.may(Capability::ActAsPlayer { player_index: seat });
        let is_away = || self.table.person(seat).is_none_or(|person| !self.is_connected(&person.player_id));
        let has_clock =
            self.table.options.rated && self.table.options.turn_seconds.is_some() && self.table.game.is_some();
        match control {
            Control::Human => Ok(decides),
            // Also of a host who may not play: over HTTP, the host counts as absent.
            Control::Ai if is_own && self.table.is_rated_hand_in_play() => {
                Err(reject(Problem::ControlChangeBetweenHands))
            }
            Control::Ai if decides => Ok(true),
            Control::Ai if session.may(Capability::ConfigureVariant) && !has_clock && is_away() => Ok(true),
            Control::Ai => self.check_patience(session, seat),
        }
    }

    /// Changes who plays a seat, a person or a bot. This is possible at any time.
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
            Control::Ai if self.table.needs_host_bot(seat) => self.request_bot(seat),
            Control::Ai => {}
            Control::Human => self.release_bot(seat),
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

    /// Reserves the last events of a table for the running game.
    pub(super) fn check_table_limit(&self) -> Result<(), Rejection> {
        if self.table.is_at_event_limit() {
            return Err(reject(Problem::TableLogFull));
        }
        Ok(())
    }

    fn rematch(
        &mut self,
        from: ConnectionId,
        request_id: RequestId,
        entropy: Option<Entropy>,
        new: NewRules,
    ) -> Result<(), Rejection> {
        let session = self.session_on(from)?.clone();
        let player = session.player_id.clone();
        if self.repeat_reply(from, &player, &request_id) {
            return Ok(());
        }
        let acts = |seat: Seat| session.may(Capability::ActAsPlayer { player_index: seat });
        let plays = session.seat.is_some_and(acts) && session.control == Control::Human;
        if !plays && !session.may(Capability::ConfigureVariant) {
            return Err(reject(Problem::OnlyPlayersRematch));
        }
        // A game that cannot take another event counts as over.
        let is_over = self.table.state().is_some_and(|state| state.phase.is_over());
        if !is_over && !self.table.is_full() {
            return Err(reject(Problem::GameNotOver));
        }
        self.check_table_limit()?;
        let NewRules { config, table } = self.rules_of_rematch(&session, new)?;
        let next = self.keys.secret();
        self.commit(Event::Rematch { by: player, request_id, entropy, next, secret_draw: true, config, table }, None);
        self.hand_over_left_seats();
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
            return Err(reject(Problem::ReadinessNotUsed).with_view());
        }
        if self.table.ready.contains(seat) {
            return Err(reject(Problem::AlreadyReady));
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
        let has_agreed = |undo: &UndoRequest| undo.to == to && undo.agreed.contains(seat);
        if self.table.undo.as_ref().is_some_and(has_agreed) {
            return Err(reject(Problem::UndoAsked));
        }
        if self.table.undo_requests >= MAX_UNDO_REQUESTS {
            return Err(reject(Problem::UndoAskedTooOften));
        }
        Ok(())
    }

    /// Requests an undo, or agrees to one. It is executed once everybody in `Table::must_agree_to_undo` has agreed, and
    /// rejected if one of them cannot. A rated table rejects it once hidden dominoes have been shown. None of this depends
    /// on the layers of the game.
    fn request_undo(&mut self, player: &PlayerId, request_id: RequestId, to: u16) -> Result<(), Rejection> {
        let Some(game) = &self.table.game else {
            return Err(reject(Problem::GameNotStarted));
        };
        self.check_game_limit()?;
        self.check_table_limit()?;
        if usize::from(to) >= game.log().len() {
            return Err(reject(Problem::NothingToUndo).with_view());
        }
        if self.table.options.deal == DealKind::Secret && game.state().phase.is_over() {
            return Err(reject(Problem::SecretPublished));
        }
        if self.table.options.rated && self.table.was_revealed_since(to) {
            return Err(reject(Problem::HiddenSeen));
        }
        // Otherwise a player could end a rated game early by filling its log.
        if self.table.options.rated && game.log().len() >= MAX_EVENTS / 2 {
            return Err(refused(Refusal::LogFull));
        }
        if self.table.leads_to_known_hand(to) && self.table.people_who_play() > 1 {
            return Err(reject(Problem::KnownHandIsOver));
        }
        self.check_undo_request(player, to)?;
        if let Some(seat) = self.table.cannot_agree_to_undo(to) {
            return Err(reject(Problem::PlaysWithoutUndo { seat }));
        }
        self.commit(Event::UndoAsked { by: player.clone(), request_id, to }, None);
        self.announce(player, Status::UndoAsked);
        let have_all_agreed = self
            .table
            .undo
            .is_some_and(|undo| self.table.must_agree_to_undo(to).all(|seat| undo.agreed.contains(seat)));
        if have_all_agreed {
            let action = Action::Undo { to };
            self.commit(Event::Acted { by: None, request_id: None, action, intent: None }, Some(action));
        }
        Ok(())
    }

    /// Declines the pending undo request, which ends it. Only a player whose consent it still needs can do so, so each
    /// request is declined once at most, and declining cannot fill the log.
    fn decline_undo(&mut self, from: ConnectionId, request_id: RequestId) -> Result<(), Rejection> {
        let session = self.session_on(from)?.clone();
        if self.repeat_reply(from, &session.player_id, &request_id) {
            return Ok(());
        }
        if !session.may(Capability::UndoActions) {
            return Err(reject(Problem::UndoNotAllowed));
        }
        let needs = |undo: UndoRequest, seat: Seat| {
            !undo.agreed.contains(seat) && self.table.must_agree_to_undo(undo.to).any(|asked| asked == seat)
        };
        if !self.table.undo.zip(session.seat).is_some_and(|(undo, seat)| needs(undo, seat)) {
            return Err(reject(Problem::NoUndoToDecline).with_view());
        }
        self.check_table_limit()?;
        self.commit(Event::UndoDeclined { by: session.player_id, request_id }, None);
        Ok(())
    }
}
