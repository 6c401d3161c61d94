//! What follows from what happened: events are written down, everybody is told what changed for them, and the table goes
//! on with what it does by itself.

use alloc::{boxed::Box, format, sync::Arc, vec::Vec};

use texas42_kernel::{KeyHash, Session};
use texas42_protocol::{
    Ack, Capability, GameView, Grant, Name, PlayerId, RequestId, Role, SecretKey, ServerMessage, Status, ViewPatch,
};
use texas42_vocab::{Action, Control, Seat};

use super::{Connection, ConnectionId, Effect, MOST_AUTOMATIC, Problem, Room, error_message};
use crate::event::{Event, Stored};

impl Room {
    /// Writes an event down and tells everybody what it changed for them.
    pub(super) fn commit(&mut self, event: Event, last_action: Option<Action>) {
        let request = event.request().map(|(player, request)| (player.clone(), request.clone()));
        self.table.apply(self.now, &event).expect("every event is checked before it is committed");
        self.unstored.push(Stored { at: self.now, event });
        self.broadcast(request.as_ref(), last_action);
    }

    pub(super) fn broadcast(&mut self, request: Option<&(PlayerId, RequestId)>, last_action: Option<Action>) {
        let version = self.table.version;
        let around = self.around();
        let subscribed: Vec<ConnectionId> =
            self.connections.iter().filter(|(_, c)| c.shown.is_some()).map(|(id, _)| *id).collect();
        self.answer_unsubscribed(request);
        for id in subscribed {
            let Some(connection) = self.connections.get(&id) else { continue };
            let player = connection.player_id.clone();
            let after = self.table.view(self.table.session(&player), &around);
            let is_behind = self.table.session(&player).is_some_and(|session| session.delay_hands > 0);
            let Some(connection) = self.connections.get_mut(&id) else { continue };
            let before = connection.shown.replace(Box::new(after));
            let patch = before.zip(connection.shown.as_ref()).map(|(before, after)| ViewPatch::between(&before, after));
            let ack = request
                .filter(|(who, _)| *who == player)
                .map(|(_, request_id)| Ack { request_id: request_id.clone(), version });
            let message = ServerMessage::StateUpdate {
                game_id: self.id.clone(),
                version,
                ack,
                last_action: last_action.filter(|_| !is_behind),
                view: None,
                patch,
            };
            self.send(id, message);
        }
    }

    /// Who made the request is answered also without being subscribed.
    fn answer_unsubscribed(&mut self, request: Option<&(PlayerId, RequestId)>) {
        let Some((player, request_id)) = request else { return };
        let asked = |connection: &Connection| connection.shown.is_none() && connection.player_id == *player;
        let Some((id, _)) = self.connections.iter().find(|(_, connection)| asked(connection)) else { return };
        let version = self.table.version;
        let message = ServerMessage::StateUpdate {
            game_id: self.id.clone(),
            version,
            ack: Some(Ack { request_id: request_id.clone(), version }),
            last_action: None,
            view: None,
            patch: None,
        };
        self.send(*id, message);
    }

    /// Goes on with everything that happens by itself, and lets the host store before it sends.
    pub(super) fn settle(&mut self) {
        for _ in 0..MOST_AUTOMATIC {
            if !self.take_over_when_late() && !self.act_when_due() {
                break;
            }
        }
        self.flush();
    }

    pub(super) fn act_when_due(&mut self) -> bool {
        let Some((action, delay)) = self.table.automatic() else { return false };
        if self.now < self.table.decision_since + delay {
            return false;
        }
        self.act(None, None, action).is_ok()
    }

    pub(super) fn take_over_when_late(&mut self) -> bool {
        match self.table.deadline() {
            Some((seat, at)) if self.now >= at => self.change_control(seat, Control::Ai, None, None).is_ok(),
            _ => false,
        }
    }

    /// What happened is stored before anything that follows from it, and after everything that happened before.
    pub(super) fn flush(&mut self) {
        if !self.unstored.is_empty() {
            self.effects.push_back(Effect::Store(core::mem::take(&mut self.unstored)));
        }
        self.effects.extend(self.unsettled.drain(..));
    }

    pub(super) fn start_when_complete(&mut self) {
        if self.table.game.is_none() && self.table.is_complete() {
            self.commit(Event::Started, None);
        }
    }

    pub(super) fn call_programs(&mut self) {
        for seat in Seat::ALL {
            if self.table.control(seat) == Control::Ai {
                self.call_program(seat);
            }
        }
    }

    /// Every call has a key of its own; one that is called again loses the old one.
    pub(super) fn call_program(&mut self, seat: Seat) {
        let is_for = |grant: &Grant| grant.role == Role::Ai && grant.seat == Some(seat);
        let old: Vec<u32> =
            self.table.invitations.iter().filter(|old| is_for(&old.grant)).map(|old| old.number).collect();
        for number in old {
            self.commit(Event::Revoked { number }, None);
        }
        let grant = Grant { role: Role::Ai, seat: Some(seat), open_hands: false, delay_hands: 0 };
        let (_, key) = self.commit_invitation(grant);
        self.unsettled.push(Effect::WantAi { seat, key });
    }

    pub(super) fn new_session(
        &mut self,
        name: Name,
        seat: Option<Seat>,
        control: Control,
        capabilities: Vec<Capability>,
        delay_hands: u8,
    ) -> (Session, SecretKey) {
        let key = self.keys.key();
        // The version is new for every session, so the public id is too; it says nothing about the key.
        let id = format!("p{}", self.table.version);
        let player_id = PlayerId::try_from(id.as_str()).expect("a letter and a number make an id");
        let key_hash = KeyHash::of(&key);
        (Session { player_id, seat, name, control, capabilities, key: key_hash, delay_hands }, key)
    }

    /// Binds a connection to a session and shows it the table.
    pub(super) fn attach(&mut self, connection: ConnectionId, player: &PlayerId) -> GameView {
        if self.connections.get(&connection).is_some_and(|bound| bound.player_id != *player) {
            self.detach(connection);
        }
        let was_there = self.is_connected(player);
        self.connections.insert(connection, Connection { player_id: player.clone(), shown: None, is_passing: false });
        if !was_there {
            self.announce_presence(player);
        }
        let view = self.view_of(player);
        if let Some(connection) = self.connections.get_mut(&connection) {
            connection.shown = Some(Box::new(view.clone()));
        }
        view
    }

    /// Whoever was behind a connection is there no more.
    pub(super) fn detach(&mut self, connection: ConnectionId) {
        if let Some(connection) = self.connections.remove(&connection) {
            self.announce_presence(&connection.player_id);
        }
    }

    /// Presence is not part of the numbered events, so the views that the others have change beside them.
    pub(super) fn announce_presence(&mut self, player: &PlayerId) {
        let is_connected = self.is_connected(player);
        for connection in self.connections.values_mut() {
            let players = connection.shown.iter_mut().flat_map(|view| Arc::make_mut(&mut view.players));
            players.filter(|shown| shown.player_id == *player).for_each(|shown| shown.is_connected = is_connected);
        }
        self.announce(player, if is_connected { Status::Connected } else { Status::Disconnected });
    }

    pub(super) fn announce(&mut self, player: &PlayerId, status: Status) {
        let Some(session) = self.table.session(player) else { return };
        let control = session.seat.map_or(session.control, |seat| self.table.control(seat));
        let shown = session.view(control, self.is_connected(player));
        let others: Vec<ConnectionId> =
            self.connections.iter().filter(|(_, c)| c.shown.is_some()).map(|(id, _)| *id).collect();
        for id in others {
            let message = ServerMessage::PlayerStatus { game_id: self.id.clone(), player: shown.clone(), status };
            self.send(id, message);
        }
    }

    pub(super) fn refuse(&mut self, to: ConnectionId, name: &str, request_id: Option<RequestId>, problem: Problem) {
        let mut message = error_message(name, request_id, problem.error);
        if let (true, Some(fresh), ServerMessage::Error { version, view, .. }) =
            (problem.with_view, self.view_for(to), &mut message)
        {
            *version = Some(self.table.version);
            *view = Some(fresh);
        }
        self.send(to, message);
    }

    pub(super) fn send(&mut self, to: ConnectionId, message: ServerMessage) {
        self.unsettled.push(Effect::Send { to, message: Box::new(message) });
    }

    /// A clock that jumps back does not make the table younger.
    pub(super) fn note_time(&mut self, now: u64) {
        self.now = self.now.max(now);
    }
}
