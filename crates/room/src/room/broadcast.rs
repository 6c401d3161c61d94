//! Commits events: stores them, broadcasts what changed to each connection, and runs automatic actions.

use alloc::{sync::Arc, vec::Vec};

use texas42_engine::Refusal;
use texas42_kernel::{Scene, Session, TableMetadata};
use texas42_protocol::{Ack, CommonChanges, GameView, PlayerId, RequestId, ServerMessage, ViewPatch};
use texas42_vocab::{Action, Seat};

use super::{Connection, ConnectionId, Effect, MAX_AUTOMATIC_ACTIONS, Rejection, Room};
use crate::event::{Event, StoredEvent};

/// The new view of a connection, and the message that updates the client to it.
type Update = (Arc<GameView>, Arc<ServerMessage>);

/// An event that is being broadcast.
struct EventBroadcast<'a> {
    scene: Scene<'a>,
    metadata: &'a TableMetadata,
    request: Option<&'a (PlayerId, RequestId)>,
    last_action: Option<Action>,
    /// The changes common to all current views, once the first of them has been computed.
    common: Option<Arc<CommonChanges>>,
}

impl Room {
    /// Commits an event that cannot be rejected.
    pub(super) fn commit(&mut self, event: Event, last_action: Option<Action>) {
        // Without `expect`: the page does not need code that prints refusals for debugging.
        if self.try_commit(event, last_action).is_err() {
            unreachable!("the request was checked, and the rules reject only actions");
        }
    }

    /// Applies an event, stores it, and broadcasts what it changed.
    ///
    /// # Errors
    /// If the rules reject the action. Then nothing has changed.
    pub(super) fn try_commit(&mut self, event: Event, last_action: Option<Action>) -> Result<(), Refusal> {
        // Requests about invites have their own replies instead of an acknowledgement.
        let has_ack = !matches!(event, Event::Invited { .. } | Event::Revoked { .. });
        let request = event.request().filter(|_| has_ack);
        let request = request.map(|(player, request)| (player.clone(), request.clone()));
        // Common changes are computed once for all viewers, so all views must agree on presence first.
        self.broadcast_presence();
        let at = self.clock.now();
        self.table.apply(at, &event)?;
        self.unstored.push(StoredEvent { at, event });
        self.drop_ended_sessions();
        self.broadcast(request.as_ref(), last_action);
        Ok(())
    }

    fn broadcast(&mut self, request: Option<&(PlayerId, RequestId)>, last_action: Option<Action>) {
        self.answer_unsubscribed(request);
        let metadata = self.table_metadata();
        let scene = self.table.scene(&metadata);
        let mut event = EventBroadcast { scene, metadata: &metadata, request, last_action, common: None };
        let mut for_spectators = None;
        let mut shown = Vec::new();
        for (id, connection) in &self.connections {
            let Some(before) = &connection.shown else { continue };
            let update = match self.table.session(&connection.player_id) {
                Some(session) => self.update(Some(session), before, &mut event),
                None => for_spectators.get_or_insert_with(|| self.update(None, before, &mut event)).clone(),
            };
            shown.push((*id, update));
        }
        for (id, (view, message)) in shown {
            self.show(id, view, message);
        }
    }

    /// Drops connections whose session has ended, and sends them `LEFT`.
    fn drop_ended_sessions(&mut self) {
        let table = &self.table;
        let has_ended =
            |connection: &Connection| !connection.is_spectator && table.session(&connection.player_id).is_none();
        let ended: Vec<ConnectionId> =
            self.connections.iter().filter(|(_, connection)| has_ended(connection)).map(|(id, _)| *id).collect();
        for id in ended {
            self.connections.remove(&id);
            self.send_left(id, None, false);
        }
    }

    pub(super) fn subscribed(&self) -> Vec<ConnectionId> {
        self.connections.iter().filter(|(_, connection)| connection.shown.is_some()).map(|(id, _)| *id).collect()
    }

    /// The view of a session, or of a spectator without one, after an event, and the message that updates the client.
    fn update(&self, session: Option<&Session>, before: &Arc<GameView>, event: &mut EventBroadcast<'_>) -> Update {
        let version = self.table.version;
        let after = Arc::new(self.table.view(session, &event.scene, event.metadata));
        let is_own = |(who, _): &&(PlayerId, RequestId)| session.is_some_and(|session| *who == session.player_id);
        let ack = event.request.filter(is_own).map(|(_, request)| Ack { request_id: request.clone(), version });
        let is_behind = session.is_some_and(is_behind);
        let patch = if is_behind {
            ViewPatch::between(before.clone(), after.clone())
        } else {
            let common = event.common.get_or_insert_with(|| Arc::new(CommonChanges::between(before, &after)));
            ViewPatch::sharing(before.clone(), after.clone(), common.clone())
        };
        let message = ServerMessage::StateUpdate {
            game_id: self.id.clone(),
            version,
            ack,
            last_action: event.last_action.filter(|_| !is_behind),
            view: None,
            patch: Some(patch),
        };
        (after, Arc::new(message))
    }

    fn show(&mut self, id: ConnectionId, shown: Arc<GameView>, update: Arc<ServerMessage>) {
        if let Some(connection) = self.connections.get_mut(&id) {
            connection.shown = Some(shown);
        }
        self.pending_effects.push(Effect::Send { to: id, message: update });
    }

    /// Acknowledges the request to its sender, even if the connection is not subscribed.
    fn answer_unsubscribed(&mut self, request: Option<&(PlayerId, RequestId)>) {
        let Some((player, request_id)) = request else { return };
        let is_sender = |connection: &Connection| connection.shown.is_none() && connection.player_id == *player;
        let senders = self.connections.iter().filter(|(_, connection)| is_sender(connection)).map(|(id, _)| *id);
        let senders: Vec<ConnectionId> = senders.collect();
        let version = self.table.version;
        let message = ServerMessage::StateUpdate {
            game_id: self.id.clone(),
            version,
            ack: Some(Ack { request_id: request_id.clone(), version }),
            last_action: None,
            view: None,
            patch: None,
        };
        senders.into_iter().for_each(|id| self.send(id, message.clone()));
    }

    /// Runs automatic actions, then queues the effects so that the host stores before it sends.
    pub(super) fn settle(&mut self) {
        self.expire_lobby();
        for _ in 0..MAX_AUTOMATIC_ACTIONS {
            let has_changed = self.seat_newcomers()
                || self.return_present_bots()
                || self.replace_absent_bot()
                || self.note_absences()
                || self.hand_over_when_late()
                || self.act_when_due();
            if !has_changed {
                break;
            }
        }
        self.show_lobby();
        self.flush();
    }

    /// Executes the automatic action if its delay has passed.
    pub(super) fn act_when_due(&mut self) -> bool {
        let Some((action, delay)) = self.table.automatic() else { return false };
        if self.clock.now() < self.table.decision_since.saturating_add(delay) {
            return false;
        }
        self.act(None, None, action.into()).is_ok()
    }

    /// Queues new events for storage, followed by the effects that depend on them.
    pub(super) fn flush(&mut self) {
        if !self.unstored.is_empty() {
            self.effects.push_back(Effect::Store(core::mem::take(&mut self.unstored)));
        }
        self.effects.extend(self.pending_effects.drain(..));
    }

    pub(super) fn start_when_complete(&mut self) {
        if self.table.game.is_none() && self.table.is_complete() {
            let next = self.keys.secret();
            self.commit(Event::Started { next, secret_draw: true }, None);
            self.hand_over_left_seats();
        }
    }

    pub(super) fn request_bots(&mut self) {
        for seat in Seat::ALL {
            if self.table.needs_host_bot(seat) {
                self.request_bot(seat);
            }
        }
    }

    /// Requests a bot for a seat. Each request has a new key, which invalidates the previous one.
    pub(super) fn request_bot(&mut self, seat: Seat) {
        let key = self.keys.key();
        self.bot_keys[seat.index()] = Some(key.clone());
        self.pending_effects.push(Effect::RequestBot { seat, key });
    }

    /// Binds a connection to a session and returns the view.
    pub(super) fn attach(&mut self, connection: ConnectionId, player: &PlayerId) -> GameView {
        if self.connections.get(&connection).is_some_and(|bound| bound.player_id != *player) {
            self.detach(connection);
        }
        let was_there = self.is_connected(player);
        self.forget_guest(connection);
        self.connections.insert(
            connection,
            Connection {
                player_id: player.clone(),
                shown: None,
                lobby: None,
                is_transient: false,
                is_spectator: self.table.session(player).is_none(),
            },
        );
        self.expected_bots.remove(player);
        if !was_there {
            self.note_presence(player);
        }
        let shown = self.spectator_view(player).unwrap_or_else(|| Arc::new(self.view_of(player)));
        let view = GameView::clone(&shown);
        if let Some(connection) = self.connections.get_mut(&connection) {
            connection.shown = Some(shown);
        }
        view
    }

    /// The view shared by all spectators without a key.
    pub(super) fn spectator_view(&self, player: &PlayerId) -> Option<Arc<GameView>> {
        let is_spectator_id = |player: &PlayerId| self.table.session(player).is_none();
        let others = || self.connections.values().filter(|connection| is_spectator_id(&connection.player_id));
        is_spectator_id(player).then(|| others().find_map(|connection| connection.shown.clone()))?
    }

    /// Unbinds a connection, and records the change in presence.
    pub(super) fn detach(&mut self, connection: ConnectionId) {
        if let Some(connection) = self.connections.remove(&connection) {
            self.note_presence(&connection.player_id);
            self.note_bot_disconnected(&connection.player_id);
        }
    }

    pub(super) fn refuse(&mut self, to: ConnectionId, name: &str, request_id: Option<RequestId>, problem: Rejection) {
        let mut message = ServerMessage::refusal(Some(name), request_id, problem.error);
        if let (true, Some(fresh), ServerMessage::Error { version, view, .. }) =
            (problem.with_view, self.view_for(to), &mut message)
        {
            *version = Some(self.table.version);
            *view = Some(fresh);
        }
        self.send(to, message);
    }

    pub(super) fn send(&mut self, to: ConnectionId, message: ServerMessage) {
        self.pending_effects.push(Effect::Send { to, message: Arc::new(message) });
    }
}

/// Whether a session's view is delayed.
pub(super) const fn is_behind(session: &Session) -> bool {
    session.delay_hands > 0
}
