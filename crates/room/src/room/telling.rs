//! What follows from what happened: events are written down, everybody is told what changed for them, and the table goes
//! on with what it does by itself.

use alloc::{sync::Arc, vec::Vec};

use texas42_engine::Refusal;
use texas42_kernel::{Around, Scene, Session};
use texas42_protocol::{Ack, CommonChanges, GameView, PlayerId, RequestId, ServerMessage, ViewPatch};
use texas42_vocab::{Action, Control, Seat};

use super::{Connection, ConnectionId, Effect, MOST_AUTOMATIC, Rejection, Room};
use crate::event::{Event, Stored};

/// What a connection sees from now on, and the message that says so.
type Update = (Arc<GameView>, Arc<ServerMessage>);

/// What happened, for everybody who is told.
struct News<'a> {
    scene: Scene<'a>,
    around: &'a Around,
    request: Option<&'a (PlayerId, RequestId)>,
    last_action: Option<Action>,
    /// What it changed for all who see the table as it stands, once the first of them was told.
    common: Option<Arc<CommonChanges>>,
}

impl Room {
    /// Writes an event down that cannot be refused, and tells everybody what it changed for them.
    pub(super) fn commit(&mut self, event: Event, last_action: Option<Action>) {
        self.try_commit(event, last_action).expect("the request was checked, and only moves are refused by the rules");
    }

    /// Applies an event, writes it down and tells everybody what it changed for them.
    ///
    /// # Errors
    /// When the rules refuse the move; then nothing has changed.
    pub(super) fn try_commit(&mut self, event: Event, last_action: Option<Action>) -> Result<(), Refusal> {
        // An invitation has an answer of its own, with its number.
        let is_answered = !matches!(event, Event::Invited { .. } | Event::Revoked { .. });
        let request = event.request().filter(|_| is_answered);
        let request = request.map(|(player, request)| (player.clone(), request.clone()));
        // What an event changes is worked out once for all readers, so they have to agree on who is there.
        self.tell_presence();
        let at = self.clock.now();
        self.table.apply(at, &event)?;
        self.unstored.push(Stored { at, event });
        self.drop_strangers();
        self.broadcast(request.as_ref(), last_action);
        Ok(())
    }

    fn broadcast(&mut self, request: Option<&(PlayerId, RequestId)>, last_action: Option<Action>) {
        self.answer_unsubscribed(request);
        let around = self.around();
        let mut news = News { scene: self.table.scene(&around), around: &around, request, last_action, common: None };
        let mut for_watchers = None;
        let mut shown = Vec::new();
        for (id, connection) in &self.connections {
            let Some(before) = &connection.shown else { continue };
            let update = match self.table.session(&connection.player_id) {
                Some(session) => self.update(Some(session), before, &mut news),
                None => for_watchers.get_or_insert_with(|| self.update(None, before, &mut news)).clone(),
            };
            shown.push((*id, update));
        }
        for (id, (view, message)) in shown {
            self.show(id, view, message);
        }
    }

    /// A connection whose session has ended is told so, and nothing more.
    fn drop_strangers(&mut self) {
        let table = &self.table;
        let is_over =
            |connection: &Connection| !connection.is_watching && table.session(&connection.player_id).is_none();
        let over: Vec<ConnectionId> =
            self.connections.iter().filter(|(_, connection)| is_over(connection)).map(|(id, _)| *id).collect();
        for id in over {
            self.connections.remove(&id);
            self.send(id, ServerMessage::Left { request_id: None, game_id: self.id.clone() });
        }
    }

    pub(super) fn subscribed(&self) -> Vec<ConnectionId> {
        self.connections.iter().filter(|(_, connection)| connection.shown.is_some()).map(|(id, _)| *id).collect()
    }

    /// What a session, or a watcher without one, sees after an event, and the message that takes it there.
    fn update(&self, session: Option<&Session>, before: &Arc<GameView>, news: &mut News<'_>) -> Update {
        let version = self.table.version;
        let after = Arc::new(self.table.view(session, &news.scene, news.around));
        let is_own = |(who, _): &&(PlayerId, RequestId)| session.is_some_and(|session| *who == session.player_id);
        let ack = news.request.filter(is_own).map(|(_, request)| Ack { request_id: request.clone(), version });
        let is_behind = session.is_some_and(is_behind);
        let patch = if is_behind {
            ViewPatch::between(before.clone(), after.clone())
        } else {
            let common = news.common.get_or_insert_with(|| Arc::new(CommonChanges::between(before, &after)));
            ViewPatch::sharing(before.clone(), after.clone(), common.clone())
        };
        let message = ServerMessage::StateUpdate {
            game_id: self.id.clone(),
            version,
            ack,
            last_action: news.last_action.filter(|_| !is_behind),
            view: None,
            patch: Some(patch),
        };
        (after, Arc::new(message))
    }

    fn show(&mut self, id: ConnectionId, shown: Arc<GameView>, update: Arc<ServerMessage>) {
        if let Some(connection) = self.connections.get_mut(&id) {
            connection.shown = Some(shown);
        }
        self.unsettled.push(Effect::Send { to: id, message: update });
    }

    /// Who made the request is answered also without being subscribed.
    fn answer_unsubscribed(&mut self, request: Option<&(PlayerId, RequestId)>) {
        let Some((player, request_id)) = request else { return };
        let asked = |connection: &Connection| connection.shown.is_none() && connection.player_id == *player;
        let asked = self.connections.iter().filter(|(_, connection)| asked(connection)).map(|(id, _)| *id);
        let asked: Vec<ConnectionId> = asked.collect();
        let version = self.table.version;
        let message = ServerMessage::StateUpdate {
            game_id: self.id.clone(),
            version,
            ack: Some(Ack { request_id: request_id.clone(), version }),
            last_action: None,
            view: None,
            patch: None,
        };
        asked.into_iter().for_each(|id| self.send(id, message.clone()));
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
        if self.clock.now() < self.table.decision_since.saturating_add(delay) {
            return false;
        }
        self.act(None, None, action.into()).is_ok()
    }

    pub(super) fn take_over_when_late(&mut self) -> bool {
        match self.table.deadline() {
            Some((seat, at)) if self.clock.now() >= at => self.change_control(seat, Control::Ai, None, None).is_ok(),
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
            let next = self.keys.secret();
            self.commit(Event::Started { next }, None);
        }
    }

    pub(super) fn call_programs(&mut self) {
        for seat in Seat::ALL {
            if self.table.control(seat) == Control::Ai {
                self.call_program(seat);
            }
        }
    }

    /// Every call has a key of its own; a seat that calls again does not know the old one any more.
    pub(super) fn call_program(&mut self, seat: Seat) {
        let key = self.keys.key();
        self.called[seat.index()] = Some(key.clone());
        self.unsettled.push(Effect::WantAi { seat, key });
    }

    /// Binds a connection to a session and shows it the table.
    pub(super) fn attach(&mut self, connection: ConnectionId, player: &PlayerId) -> GameView {
        if self.connections.get(&connection).is_some_and(|bound| bound.player_id != *player) {
            self.detach(connection);
        }
        let was_there = self.is_connected(player);
        self.connections.insert(
            connection,
            Connection {
                player_id: player.clone(),
                shown: None,
                is_passing: false,
                is_watching: self.table.session(player).is_none(),
            },
        );
        if !was_there {
            self.note_presence(player);
        }
        let shown = self.shown_to_watchers(player).unwrap_or_else(|| Arc::new(self.view_of(player)));
        let view = GameView::clone(&shown);
        if let Some(connection) = self.connections.get_mut(&connection) {
            connection.shown = Some(shown);
        }
        view
    }

    /// Watchers without a key all see the same.
    pub(super) fn shown_to_watchers(&self, player: &PlayerId) -> Option<Arc<GameView>> {
        let is_watcher = |player: &PlayerId| self.table.session(player).is_none();
        let others = || self.connections.values().filter(|connection| is_watcher(&connection.player_id));
        is_watcher(player).then(|| others().find_map(|connection| connection.shown.clone()))?
    }

    /// Whoever was behind a connection is there no more.
    pub(super) fn detach(&mut self, connection: ConnectionId) {
        if let Some(connection) = self.connections.remove(&connection) {
            self.note_presence(&connection.player_id);
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
        self.unsettled.push(Effect::Send { to, message: Arc::new(message) });
    }
}

/// Whether a session sees the game some hands later.
pub(super) const fn is_behind(session: &Session) -> bool {
    session.delay_hands > 0
}
