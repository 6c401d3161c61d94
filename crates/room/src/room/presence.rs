//! Presence: who is connected. Presence is not versioned; it is broadcast between events.
//!
//! A change is recorded when it happens, and sent before the next event or when the host has polled all other effects.
//! Changes in between are combined: a connection receives only differences from its last view. A session that connects
//! and disconnects again causes no message. One that ends in a different state causes one message, however often it
//! changed. There is one message per session; earlier clients would not understand a list. Visitors that no view shows are
//! not announced, so a connection receives at most as many messages as its view has players.

use alloc::{sync::Arc, vec::Vec};

use texas42_kernel::Session;
use texas42_protocol::{GameView, PlayerId, PlayerView, ServerMessage, Status};

use super::{ConnectionId, Effect, Room, broadcast::is_behind};

impl Room {
    /// Records that a session connected or disconnected. Spectators without a session are not shown.
    pub(super) fn note_presence(&mut self, player: &PlayerId) {
        self.are_people_known = false;
        if self.table.session(player).is_some() {
            self.changed_presence.insert(player.clone());
        }
    }

    /// Sends each subscribed connection the changes in presence since its last view.
    pub(super) fn broadcast_presence(&mut self) {
        let changed = core::mem::take(&mut self.changed_presence);
        let now: Vec<PlayerView> = changed.iter().filter_map(|player| self.shown_player(player)).collect();
        for player in now {
            self.broadcast_presence_of(player);
        }
    }

    fn broadcast_presence_of(&mut self, player: PlayerView) {
        let mut views: Vec<(*const GameView, Arc<GameView>)> = Vec::new();
        let mut recipients = Vec::new();
        for (id, connection) in &mut self.connections {
            let Some(shown) = connection.shown.as_mut().filter(|shown| shows_other_presence(shown, &player)) else {
                continue;
            };
            let old = Arc::as_ptr(shown);
            let known = views.iter().find(|(before, _)| *before == old).map(|(_, after)| after.clone());
            let after = known.unwrap_or_else(|| {
                let after = with_presence(shown, &player);
                views.push((old, after.clone()));
                after
            });
            *shown = after;
            recipients.push(*id);
        }
        let status = if player.is_connected { Status::Connected } else { Status::Disconnected };
        self.send_status(recipients, player, status);
    }

    /// Announces a change of a player to all connections. Those with a delayed view receive no undo requests.
    pub(super) fn announce(&mut self, player: &PlayerId, status: Status) {
        let Some(shown) = self.shown_player(player) else { return };
        let is_informed =
            |id: &ConnectionId| status != Status::UndoAsked || !self.session_of(*id).is_some_and(is_behind);
        let recipients = self.subscribed().into_iter().filter(is_informed).collect();
        self.send_status(recipients, shown, status);
    }

    fn send_status(&mut self, recipients: Vec<ConnectionId>, player: PlayerView, status: Status) {
        let message = Arc::new(ServerMessage::PlayerStatus { game_id: self.id.clone(), player, status });
        self.pending_effects.extend(recipients.into_iter().map(|to| Effect::Send { to, message: message.clone() }));
    }

    fn shown_player(&self, player: &PlayerId) -> Option<PlayerView> {
        let session = self.table.session(player)?;
        let control = session.seat.map_or(session.control, |seat| self.table.control(seat));
        Some(session.view(control, self.is_connected(player), self.table.waits_for_deal(session)))
    }

    fn session_of(&self, id: ConnectionId) -> Option<&Session> {
        self.table.session(&self.connections.get(&id)?.player_id)
    }
}

/// Whether the view lists the player with a different presence.
fn shows_other_presence(view: &GameView, now: &PlayerView) -> bool {
    let shown = view.players.iter().find(|shown| shown.player_id == now.player_id);
    shown.is_some_and(|shown| shown.is_connected != now.is_connected)
}

/// A copy of the view with the updated presence.
fn with_presence(view: &GameView, now: &PlayerView) -> Arc<GameView> {
    let mut view = view.clone();
    let players = Arc::make_mut(&mut view.players).iter_mut();
    players.filter(|shown| shown.player_id == now.player_id).for_each(|shown| shown.is_connected = now.is_connected);
    Arc::new(view)
}
