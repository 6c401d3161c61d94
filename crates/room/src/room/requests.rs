//! What clients ask for, one method for each request: checked first, then turned into events. A request that is refused
//! has changed nothing.

use texas42_engine::Refusal;
use texas42_kernel::{Session, authorise};
use texas42_phrases::Problem;
use texas42_protocol::{
    Ack, Capability, ClientMessage, DealKind, Entropy, Intent, PlayerId, RequestId, ServerMessage, Status, WireError,
};
use texas42_vocab::{Action, Control, Layer, Seat};

use super::{ConnectionId, Effect, Rejection, Room, coming::Wish, reject};
use crate::{event::Event, table::UndoAsk};

/// The most times that seats are handed over by their people in one game.
const MOST_SWAPS: u16 = 400;
/// The most times that taking back is asked for between two moves.
const MOST_UNDO_ASKS: u8 = 16;

/// A move, and what a program has in mind with it.
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
                self.created_before(from, request_id, session_key.as_ref())
            }
            ClientMessage::JoinGame {
                request_id, key, session_key, name, role, seat, capabilities, entropy, ..
            } => {
                let wish = Wish { name, role, seat, capabilities, entropy, session_key };
                self.join(from, request_id, key.as_ref(), wish)
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
        let player = self.here(from)?.clone();
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
        self.here(from)?;
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
        let player = self.joined(from)?.player_id.clone();
        if self.answered_before(from, &player, &request_id) {
            return Ok(());
        }
        let session = self.joined(from)?;
        authorise(&session.capabilities, action)?;
        self.check_control(session, action)?;
        self.check_version(version)?;
        if let Action::Undo { to } = action {
            return self.ask_undo(&player, request_id, to);
        }
        let intent = intent.filter(|_| session.control == Control::Ai && self.table.is_intent_seen());
        self.act(Some(player), Some(request_id), Move { action, intent })
    }

    fn check_version(&self, version: u64) -> Result<(), Rejection> {
        if self.table.is_current(version) {
            return Ok(());
        }
        Err(reject(Problem::MovedOn).with_view())
    }

    /// A person moves a seat that people move, a program one that programs move.
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
        self.check_log()?;
        self.try_commit(Event::Acted { by, request_id, action, intent }, Some(action)).map_err(refused)
    }

    fn set_control(
        &mut self,
        from: ConnectionId,
        request_id: RequestId,
        (seat, control): (Seat, Control),
        version: Option<u64>,
    ) -> Result<(), Rejection> {
        let session = self.joined(from)?.clone();
        if self.answered_before(from, &session.player_id, &request_id) {
            return Ok(());
        }
        if !self.may_set_control(&session, seat, control) {
            return Err(reject(Problem::CannotChangeControl));
        }
        version.map_or(Ok(()), |version| self.check_version(version))?;
        if self.table.control(seat) == control {
            return Err(reject(Problem::SameControl));
        }
        self.check_swaps()?;
        self.change_control(seat, control, Some(session.player_id), Some(request_id))?;
        self.start_when_complete();
        Ok(())
    }

    /// People decide about their own seat. Who looks after the table may also put a program on the seat of somebody who
    /// is not there, so that the others can go on; where results count and there is a clock, that is left to the clock.
    fn may_set_control(&self, session: &Session, seat: Seat, control: Control) -> bool {
        let is_own = session.may(Capability::ActAsPlayer { player_index: seat }) && session.control == Control::Human;
        let is_away = || self.table.person(seat).is_none_or(|person| !self.is_connected(&person.player_id));
        let has_clock = self.table.options.rated && self.table.options.turn_seconds.is_some();
        match control {
            Control::Human => is_own && session.may(Capability::ReplaceAi),
            Control::Ai => is_own || (session.may(Capability::ConfigureVariant) && !has_clock && is_away()),
        }
    }

    /// Hands a seat from a person to a program or back, in the middle of anything.
    pub(super) fn change_control(
        &mut self,
        seat: Seat,
        control_type: Control,
        by: Option<PlayerId>,
        request_id: Option<RequestId>,
    ) -> Result<(), Rejection> {
        self.check_log()?;
        let action = Action::SetControl { player: seat, control_type };
        self.commit(Event::Acted { by, request_id, action, intent: None }, Some(action));
        match control_type {
            Control::Ai => self.call_program(seat),
            Control::Human => {
                self.called[seat.index()] = None;
                self.unsettled.push(Effect::ReleaseAi { seat });
            }
        }
        if let Some(mover) = self.table.on_seat(seat, Control::Human).map(|session| session.player_id.clone()) {
            self.announce(&mover, Status::ControlChanged);
        }
        Ok(())
    }

    /// A game has so many events at most; one that is full takes no more.
    pub(super) fn check_log(&self) -> Result<(), Rejection> {
        if self.table.is_full() { Err(refused(Refusal::LogFull)) } else { Ok(()) }
    }

    /// People can hand their seats over and back so often in a game; nobody fills the log with it.
    fn check_swaps(&self) -> Result<(), Rejection> {
        if self.table.swaps >= MOST_SWAPS {
            return Err(reject(Problem::TooManyHandovers));
        }
        Ok(())
    }

    /// A table writes down so many events at most, its games together; what is left is for the game.
    pub(super) fn check_pages(&self) -> Result<(), Rejection> {
        if self.table.is_written_full() {
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
        let session = self.joined(from)?.clone();
        let player = session.player_id.clone();
        if self.answered_before(from, &player, &request_id) {
            return Ok(());
        }
        let acts = |seat: Seat| session.may(Capability::ActAsPlayer { player_index: seat });
        if !session.seat.is_some_and(acts) || session.control != Control::Human {
            return Err(reject(Problem::OnlyPlayersRematch));
        }
        // A game that has no room for another event is over too, unless somebody could have wanted that.
        let is_over = self.table.state().is_some_and(|state| state.phase.is_over());
        if !is_over && (!self.table.is_full() || self.table.options.rated) {
            return Err(reject(Problem::GameNotOver));
        }
        self.check_pages()?;
        let next = self.keys.secret();
        self.commit(Event::Rematch { by: player, request_id, entropy, next }, None);
        Ok(())
    }

    /// A person is ready. It is said once for a seat, so nobody fills the log with it.
    fn note_ready(&mut self, from: ConnectionId, request_id: RequestId) -> Result<(), Rejection> {
        let session = self.joined(from)?.clone();
        let player = session.player_id;
        if self.answered_before(from, &player, &request_id) {
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
        self.check_pages()?;
        self.commit(Event::Ready { by: player, request_id }, None);
        self.start_when_complete();
        Ok(())
    }

    /// Who is behind a connection, with a session or only to watch.
    pub(super) fn here(&self, from: ConnectionId) -> Result<&PlayerId, Rejection> {
        let connection = self.connections.get(&from);
        connection.map(|connection| &connection.player_id).ok_or_else(|| reject(Problem::JoinFirst))
    }

    pub(super) fn joined(&self, from: ConnectionId) -> Result<&Session, Rejection> {
        let session = self.table.session(self.here(from)?);
        session.ok_or_else(|| reject(Problem::OnlyWatches))
    }

    /// The same request again gets the same answer, with the table as it stands now.
    pub(super) fn answered_before(&mut self, from: ConnectionId, player: &PlayerId, request_id: &RequestId) -> bool {
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

// Taking back.
impl Room {
    /// A question that says nothing new is not written down again, nor are very many about one decision.
    fn check_ask(&self, player: &PlayerId, to: u16) -> Result<(), Rejection> {
        let Some(seat) = self.table.session(player).and_then(|session| session.seat) else {
            return Err(reject(Problem::OnlyPlayersUndo));
        };
        let has_agreed = |ask: &UndoAsk| ask.to == to && ask.agreed.contains(seat);
        if self.table.undo.as_ref().is_some_and(has_agreed) {
            return Err(reject(Problem::UndoAsked));
        }
        if self.table.undo_asks >= MOST_UNDO_ASKS {
            return Err(reject(Problem::UndoAskedTooOften));
        }
        Ok(())
    }

    /// Everybody who plays has to agree. Where hidden dominoes have been seen since, that is not enough at a table that
    /// counts.
    fn ask_undo(&mut self, player: &PlayerId, request_id: RequestId, to: u16) -> Result<(), Rejection> {
        let Some(game) = &self.table.game else {
            return Err(reject(Problem::Gathering));
        };
        self.check_log()?;
        self.check_pages()?;
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
        self.check_ask(player, to)?;
        self.commit(Event::UndoAsked { by: player.clone(), request_id, to }, None);
        self.announce(player, Status::UndoAsked);
        let everybody =
            self.table.undo.is_some_and(|ask| self.table.asked_for_undo(to).all(|seat| ask.agreed.contains(seat)));
        if everybody {
            let action = Action::Undo { to };
            self.commit(Event::Acted { by: None, request_id: None, action, intent: None }, Some(action));
        }
        Ok(())
    }
}
