//! What clients ask for, one method for each request: checked first, then turned into events. A request that is refused
//! has changed nothing.

use alloc::{boxed::Box, string::ToString, vec::Vec};

use texas42_engine::{Refusal, apply};
use texas42_kernel::{KeyHash, Session, authorise, granted};
use texas42_protocol::{
    Ack, Capability, ClientMessage, DealKind, Entropy, ErrorCode, Grant, Name, PlayerId, RequestId, Role, SecretKey,
    ServerMessage, Status, WireError,
};
use texas42_vocab::{Action, Control, Layer, Seat};

use super::{ConnectionId, Effect, MOST_INVITATIONS, MOST_SESSIONS, Problem, Room, problem};
use crate::event::Event;

/// What a newcomer asks for.
struct Wish {
    name: Name,
    role: Option<Role>,
    seat: Option<Seat>,
    capabilities: Option<Vec<Capability>>,
    entropy: Option<texas42_protocol::Entropy>,
}

/// What an open table grants to anybody: to watch, and to see no hand before it is over.
const fn open_grant() -> Grant {
    Grant { role: Role::Spectator, seat: None, open_hands: false, delay_hands: 0 }
}

fn refused(refusal: Refusal) -> Problem {
    let reason = serde_json::to_value(refusal).ok().map(Box::new);
    let error = WireError::new(ErrorCode::Refused, refusal.to_string()).at("action");
    Problem { error: WireError { reason, ..error }, with_view: true }
}

impl Room {
    pub(super) fn dispatch(&mut self, from: ConnectionId, message: ClientMessage) -> Result<(), Problem> {
        self.check_game(&message)?;
        match message {
            ClientMessage::CreateGame { .. } => Err(problem(ErrorCode::BadMessage, "this table is set up already")),
            ClientMessage::JoinGame { request_id, key, name, role, seat, capabilities, entropy, .. } => {
                let wish = Wish { name, role, seat, capabilities, entropy };
                self.join(from, request_id, key.as_ref(), wish)
            }
            ClientMessage::LeaveGame { .. } => self.leave(from),
            ClientMessage::Subscribe { .. } => self.subscribe(from),
            ClientMessage::Unsubscribe { .. } => self.unsubscribe(from),
            ClientMessage::ExecuteAction { request_id, version, action, .. } => {
                self.execute(from, request_id, version, action.0)
            }
            ClientMessage::SetPlayerControl { request_id, player, control_type, .. } => {
                self.set_control(from, request_id, player, control_type)
            }
            ClientMessage::Invite { request_id, grant, revoke, .. } => self.invite(from, request_id, grant, revoke),
            ClientMessage::Rematch { request_id, .. } => self.rematch(from, request_id),
            ClientMessage::Ping { nonce } => {
                self.send(from, ServerMessage::Pong { nonce });
                Ok(())
            }
        }
    }

    fn check_game(&self, message: &ClientMessage) -> Result<(), Problem> {
        match message {
            ClientMessage::JoinGame { game_id, .. }
            | ClientMessage::LeaveGame { game_id }
            | ClientMessage::Subscribe { game_id }
            | ClientMessage::Unsubscribe { game_id }
            | ClientMessage::ExecuteAction { game_id, .. }
            | ClientMessage::SetPlayerControl { game_id, .. }
            | ClientMessage::Invite { game_id, .. }
            | ClientMessage::Rematch { game_id, .. }
                if *game_id != self.id =>
            {
                Err(problem(ErrorCode::NoSuchGame, "there is no such game here"))
            }
            _ => Ok(()),
        }
    }

    pub(super) fn seat_creator(
        &mut self,
        connection: ConnectionId,
        name: Name,
        entropy: Option<Entropy>,
        request_id: Option<RequestId>,
    ) {
        let seat = self.table.human_seats().next().expect("the options were checked: there is a person");
        let mut capabilities = Role::Player.capabilities(Some(seat));
        capabilities.push(Capability::ConfigureVariant);
        let (session, key) = self.new_session(name, Some(seat), Control::Human, capabilities, 0);
        let player_id = session.player_id.clone();
        self.commit(Event::Joined { session, entropy }, None);
        self.start_when_complete();
        let view = self.attach(connection, &player_id);
        let message = ServerMessage::GameCreated {
            request_id,
            game_id: self.id.clone(),
            player_id,
            key,
            version: self.table.version,
            view,
        };
        self.send(connection, message);
    }

    /// The key of a session brings it back; the key of an invitation makes a new one; without a key there is only
    /// watching, where the table is open to it.
    fn join(
        &mut self,
        from: ConnectionId,
        request_id: Option<RequestId>,
        key: Option<&SecretKey>,
        wish: Wish,
    ) -> Result<(), Problem> {
        let known = key.and_then(|key| self.table.sessions.iter().find(|session| session.key.is_of(key)));
        if let Some(player_id) = known.map(|session| session.player_id.clone()) {
            return self.come_back(from, request_id, &player_id);
        }
        let grant = self.grant_for(key, &wish)?;
        self.sit_down(from, request_id, &grant, wish)
    }

    fn grant_for(&self, key: Option<&SecretKey>, wish: &Wish) -> Result<Grant, Problem> {
        let grant = match key {
            Some(key) => self.table.invitations.iter().find(|invitation| invitation.key.is_of(key)),
            None if self.table.options.open_to_spectators => return Ok(open_grant()),
            None => return Err(problem(ErrorCode::BadKey, "this table is by invitation; a key is needed")),
        };
        let grant =
            grant.ok_or_else(|| problem(ErrorCode::BadKey, "the key opens nothing at this table"))?.grant.clone();
        if wish.role.is_some_and(|role| role != grant.role) {
            return Err(problem(ErrorCode::NotAllowed, "the invitation is for another role"));
        }
        Ok(grant)
    }

    fn come_back(
        &mut self,
        from: ConnectionId,
        request_id: Option<RequestId>,
        player: &PlayerId,
    ) -> Result<(), Problem> {
        // One connection a session: the newer one is the one that is alive.
        self.connections.retain(|_, connection| connection.player_id != *player);
        let seat = self.table.session(player).and_then(|session| session.seat);
        self.take_back_seat(player);
        let view = self.attach(from, player);
        let capabilities = self.table.session(player).map(|session| session.capabilities.clone()).unwrap_or_default();
        let message = ServerMessage::Joined {
            request_id,
            game_id: self.id.clone(),
            player_id: player.clone(),
            seat,
            capabilities,
            key: None,
            version: self.table.version,
            view,
        };
        self.send(from, message);
        Ok(())
    }

    /// A person who was replaced by a program for being away gets the seat back by coming back.
    fn take_back_seat(&mut self, player: &PlayerId) {
        let Some(session) = self.table.session(player) else { return };
        let Some(seat) = session.seat.filter(|_| session.control == Control::Human) else { return };
        if self.table.control(seat) == Control::Ai && self.table.was_taken_over(seat) {
            // Where that cannot be written down any more, the program goes on.
            self.change_control(seat, Control::Human, Some(player.clone()), None).ok();
        }
    }

    fn sit_down(
        &mut self,
        from: ConnectionId,
        request_id: Option<RequestId>,
        grant: &Grant,
        wish: Wish,
    ) -> Result<(), Problem> {
        // There are four seats, and no crowd keeps a player from one.
        if !grant.role.is_seated() && self.table.sessions.len() >= MOST_SESSIONS {
            return Err(problem(ErrorCode::Full, "the table is full"));
        }
        let seat = self.free_seat(grant, wish.seat)?;
        let capabilities = granted(grant, seat, wish.capabilities.as_deref());
        let control = if grant.role == Role::Ai { Control::Ai } else { Control::Human };
        let replaced = seat.filter(|seat| control == Control::Human && self.table.control(*seat) == Control::Ai);
        if replaced.is_some() {
            self.check_log()?;
        }
        let (session, key) = self.new_session(wish.name, seat, control, capabilities.clone(), grant.delay_hands);
        let player_id = session.player_id.clone();
        self.detach(from);
        self.commit(Event::Joined { session, entropy: wish.entropy }, None);
        self.drop_strangers();
        if let Some(seat) = replaced {
            self.change_control(seat, Control::Human, Some(player_id.clone()), None)?;
        }
        self.start_when_complete();
        let view = self.attach(from, &player_id);
        let message = ServerMessage::Joined {
            request_id,
            game_id: self.id.clone(),
            player_id: player_id.clone(),
            seat,
            capabilities,
            key: Some(key),
            version: self.table.version,
            view,
        };
        self.send(from, message);
        self.announce(&player_id, Status::Joined);
        Ok(())
    }

    /// The seat of a newcomer. A person takes a seat without a person, also one that a program moves; a program takes
    /// one that is given to programs.
    fn free_seat(&self, grant: &Grant, wanted: Option<Seat>) -> Result<Option<Seat>, Problem> {
        if !grant.role.is_seated() {
            return Ok(None);
        }
        if grant.seat.is_some() && wanted.is_some() && grant.seat != wanted {
            return Err(problem(ErrorCode::NotAllowed, "the invitation is for another seat"));
        }
        let is_free = |seat: &Seat| match grant.role {
            Role::Ai => self.table.control(*seat) == Control::Ai,
            _ => self.table.person(*seat).is_none(),
        };
        let empty_first = |seat: &Seat| self.table.control(*seat) == Control::Ai;
        let mut candidates: Vec<Seat> = match grant.seat.or(wanted) {
            Some(seat) => Vec::from([seat]),
            None => Seat::ALL.to_vec(),
        };
        candidates.retain(is_free);
        candidates.sort_by_key(empty_first);
        match candidates.first() {
            Some(seat) => Ok(Some(*seat)),
            None => Err(problem(ErrorCode::SeatTaken, "that seat is taken, or none is free")),
        }
    }

    fn leave(&mut self, from: ConnectionId) -> Result<(), Problem> {
        let session = self.joined(from)?.clone();
        self.connections.retain(|_, connection| connection.player_id != session.player_id);
        self.announce(&session.player_id, Status::Left);
        let is_mover = session.seat.is_some_and(|seat| self.table.control(seat) == session.control);
        self.commit(Event::Left { player_id: session.player_id.clone() }, None);
        match session.seat.filter(|_| is_mover) {
            // An abandoned seat goes on with a program, so that the others can play.
            Some(seat) if session.control == Control::Human => {
                self.change_control(seat, Control::Ai, None, None).ok();
            }
            Some(seat) => self.call_program(seat),
            None => {}
        }
        Ok(())
    }

    fn subscribe(&mut self, from: ConnectionId) -> Result<(), Problem> {
        let player = self.joined(from)?.player_id.clone();
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

    fn unsubscribe(&mut self, from: ConnectionId) -> Result<(), Problem> {
        self.joined(from)?;
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
        action: Action,
    ) -> Result<(), Problem> {
        let session = self.joined(from)?.clone();
        let player = session.player_id.clone();
        if self.answered_before(from, &player, &request_id) {
            return Ok(());
        }
        authorise(&session.capabilities, action)?;
        self.check_control(&session, action)?;
        if !self.table.is_current(version) {
            return Err(Problem {
                error: WireError::new(ErrorCode::Stale, "the table has moved on; here is how it stands now"),
                with_view: true,
            });
        }
        if let Action::Undo { to } = action {
            return self.ask_undo(&player, request_id, to);
        }
        self.act(Some(player), Some(request_id), action)
    }

    /// A person moves a seat that people move, a program one that programs move.
    fn check_control(&self, session: &Session, action: Action) -> Result<(), Problem> {
        match action.player() {
            Some(seat) if self.table.control(seat) != session.control => {
                Err(problem(ErrorCode::NotAllowed, "somebody else moves this seat now; take it back first"))
            }
            _ => Ok(()),
        }
    }

    pub(super) fn act(
        &mut self,
        by: Option<PlayerId>,
        request_id: Option<RequestId>,
        action: Action,
    ) -> Result<(), Problem> {
        let Some(game) = &self.table.game else {
            return Err(problem(ErrorCode::NotStarted, "the players are still gathering"));
        };
        if action.is_move() {
            apply(game.ctx(), game.state(), action).map_err(refused)?;
        }
        self.check_log()?;
        self.commit(Event::Acted { by, request_id, action }, Some(action));
        Ok(())
    }

    fn set_control(
        &mut self,
        from: ConnectionId,
        request_id: RequestId,
        seat: Seat,
        control: Control,
    ) -> Result<(), Problem> {
        let session = self.joined(from)?.clone();
        let player = session.player_id.clone();
        if self.answered_before(from, &player, &request_id) {
            return Ok(());
        }
        let is_own = session.may(Capability::ActAsPlayer { player_index: seat }) && session.control == Control::Human;
        let may = match control {
            Control::Human => is_own && session.may(Capability::ReplaceAi),
            Control::Ai => is_own || session.may(Capability::ConfigureVariant),
        };
        if !may {
            return Err(problem(ErrorCode::NotAllowed, "this session cannot change who moves that seat"));
        }
        if self.table.control(seat) == control {
            return Err(problem(ErrorCode::Refused, "that seat is moved like that already"));
        }
        self.change_control(seat, control, Some(player), Some(request_id))?;
        self.start_when_complete();
        Ok(())
    }

    /// Hands a seat from a person to a program or back, in the middle of anything.
    pub(super) fn change_control(
        &mut self,
        seat: Seat,
        control_type: Control,
        by: Option<PlayerId>,
        request_id: Option<RequestId>,
    ) -> Result<(), Problem> {
        self.check_log()?;
        let program = self.table.on_seat(seat, Control::Ai).map(|session| session.player_id.clone());
        let action = Action::SetControl { player: seat, control_type };
        self.commit(Event::Acted { by, request_id, action }, Some(action));
        match control_type {
            Control::Ai => self.call_program(seat),
            Control::Human => {
                self.connections.retain(|_, connection| Some(&connection.player_id) != program.as_ref());
                self.unsettled.push(Effect::ReleaseAi { seat });
            }
        }
        if let Some(mover) = self.table.on_seat(seat, Control::Human).map(|session| session.player_id.clone()) {
            self.announce(&mover, Status::ControlChanged);
        }
        Ok(())
    }

    /// A game has so many events at most; one that is full takes no more.
    fn check_log(&self) -> Result<(), Problem> {
        if self.table.is_full() { Err(refused(Refusal::LogFull)) } else { Ok(()) }
    }

    /// A connection whose session is gone is bound to nobody.
    fn drop_strangers(&mut self) {
        let table = &self.table;
        self.connections.retain(|_, connection| table.session(&connection.player_id).is_some());
    }

    fn invite(
        &mut self,
        from: ConnectionId,
        request_id: RequestId,
        grant: Option<Grant>,
        revoke: Option<u32>,
    ) -> Result<(), Problem> {
        let session = self.joined(from)?;
        if !session.may(Capability::ConfigureVariant) {
            return Err(problem(ErrorCode::NotAllowed, "this session cannot invite"));
        }
        match (grant, revoke) {
            (Some(grant), None) => self.make_invitation(from, request_id, grant),
            (None, Some(number)) => self.revoke(from, request_id, number),
            _ => Err(problem(ErrorCode::BadMessage, "an INVITE has either a grant or a number to revoke")),
        }
    }

    fn make_invitation(&mut self, from: ConnectionId, request_id: RequestId, grant: Grant) -> Result<(), Problem> {
        if matches!(grant.role, Role::Admin) {
            return Err(problem(ErrorCode::NotAllowed, "nobody can be invited to see and change everything"));
        }
        if grant.role == Role::Coach && grant.seat.is_none() {
            return Err(problem(ErrorCode::BadMessage, "a coach needs the seat of a student"));
        }
        if grant.role != Role::Spectator && (grant.open_hands || grant.delay_hands > 0) {
            return Err(problem(ErrorCode::BadMessage, "openHands and delayHands are for spectators"));
        }
        if self.table.invitations.len() >= MOST_INVITATIONS {
            return Err(problem(ErrorCode::Full, "too many invitations are open; revoke some"));
        }
        let (number, key) = self.commit_invitation(grant);
        self.send(from, ServerMessage::Invited { request_id, invitation: number, key: Some(key) });
        Ok(())
    }

    pub(super) fn commit_invitation(&mut self, grant: Grant) -> (u32, SecretKey) {
        let key = self.keys.key();
        let number = self.table.next_invitation;
        self.commit(Event::Invited { number, key: KeyHash::of(&key), grant }, None);
        (number, key)
    }

    fn revoke(&mut self, from: ConnectionId, request_id: RequestId, number: u32) -> Result<(), Problem> {
        if !self.table.invitations.iter().any(|invitation| invitation.number == number) {
            return Err(problem(ErrorCode::BadKey, "there is no such invitation"));
        }
        self.commit(Event::Revoked { number }, None);
        self.send(from, ServerMessage::Invited { request_id, invitation: number, key: None });
        Ok(())
    }

    fn rematch(&mut self, from: ConnectionId, request_id: RequestId) -> Result<(), Problem> {
        let session = self.joined(from)?.clone();
        let player = session.player_id.clone();
        if self.answered_before(from, &player, &request_id) {
            return Ok(());
        }
        let is_player = session.seat.is_some() && session.control == Control::Human;
        if !is_player {
            return Err(problem(ErrorCode::NotAllowed, "only players ask for another game"));
        }
        if !self.table.state().is_some_and(|state| state.phase.is_over()) {
            return Err(problem(ErrorCode::Refused, "the game is not over yet"));
        }
        let secret = self.keys.secret();
        self.commit(Event::Rematch { by: player, request_id, secret }, None);
        Ok(())
    }

    fn joined(&self, from: ConnectionId) -> Result<&Session, Problem> {
        let player = self.connections.get(&from).map(|connection| &connection.player_id);
        player
            .and_then(|player| self.table.session(player))
            .ok_or_else(|| problem(ErrorCode::NotJoined, "join the table first"))
    }

    /// The same request again gets the same answer, with the table as it stands now.
    fn answered_before(&mut self, from: ConnectionId, player: &PlayerId, request_id: &RequestId) -> bool {
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
    /// Everybody who plays has to agree. Where hidden dominoes have been seen since, that is not enough at a table that
    /// counts.
    fn ask_undo(&mut self, player: &PlayerId, request_id: RequestId, to: u16) -> Result<(), Problem> {
        let Some(game) = &self.table.game else {
            return Err(problem(ErrorCode::NotStarted, "the players are still gathering"));
        };
        self.check_log()?;
        if usize::from(to) >= game.log().len() {
            return Err(problem(ErrorCode::Refused, "there is nothing to take back").with_view());
        }
        if self.table.options.deal == DealKind::Secret && game.state().phase.is_over() {
            return Err(problem(ErrorCode::Refused, "the secret of the deals is out, so the game is over; play again"));
        }
        let counts = self.table.options.rated
            || self.table.config.layers.iter().any(|layer| matches!(layer, Layer::Tournament(_)));
        if counts && self.table.was_revealed_since(to) {
            return Err(problem(ErrorCode::Refused, "hidden dominoes have been seen since; this table counts"));
        }
        self.commit(Event::UndoAsked { by: player.clone(), request_id, to }, None);
        self.announce(player, Status::UndoAsked);
        let everybody =
            self.table.undo.is_some_and(|ask| self.table.asked_for_undo(to).all(|seat| ask.agreed.contains(seat)));
        if everybody {
            let action = Action::Undo { to };
            self.commit(Event::Acted { by: None, request_id: None, action }, Some(action));
        }
        Ok(())
    }
}
