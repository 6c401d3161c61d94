//! Who is there: presence is not part of the numbered events, so readers are told of it beside them.
//!
//! A change is noted when it happens, and told before the next event or when the host has taken everything else. All that came
//! in between counts once: a reader is told only what differs from the view that it has, so a session that came and went again is no news, and
//! one that came and went many times is one message. The protocol has one message for each session; a list of several would
//! not be understood by earlier clients. Nobody is told about guests whom no view shows, so the messages for one reader
//! are at most as many as a view shows players.

use alloc::{sync::Arc, vec::Vec};

use texas42_kernel::Session;
use texas42_protocol::{GameView, PlayerId, PlayerView, ServerMessage, Status};

use super::{ConnectionId, Effect, Room, telling::is_behind};

impl Room {
    /// A session has come or gone. Watchers without one are not shown.
    pub(super) fn note_presence(&mut self, player: &PlayerId) {
        if self.table.session(player).is_some() {
            self.changed_presence.insert(player.clone());
        }
    }

    /// Tells every reader about those who are there, or not, otherwise than in the view that it has.
    pub(super) fn tell_presence(&mut self) {
        let changed = core::mem::take(&mut self.changed_presence);
        let now: Vec<PlayerView> = changed.iter().filter_map(|player| self.shown_player(player)).collect();
        for player in now {
            self.tell_presence_of(player);
        }
    }

    fn tell_presence_of(&mut self, player: PlayerView) {
        let mut views: Vec<(*const GameView, Arc<GameView>)> = Vec::new();
        let mut told = Vec::new();
        for (id, connection) in &mut self.connections {
            let Some(shown) = connection.shown.as_mut().filter(|shown| is_shown_otherwise(shown, &player)) else {
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
            told.push(*id);
        }
        let status = if player.is_connected { Status::Connected } else { Status::Disconnected };
        self.send_status(told, player, status);
    }

    /// Tells everybody about somebody; those who are some hands behind hear nothing about the game of now.
    pub(super) fn announce(&mut self, player: &PlayerId, status: Status) {
        let Some(shown) = self.shown_player(player) else { return };
        let hears = |id: &ConnectionId| status != Status::UndoAsked || !self.session_of(*id).is_some_and(is_behind);
        let told = self.subscribed().into_iter().filter(hears).collect();
        self.send_status(told, shown, status);
    }

    fn send_status(&mut self, told: Vec<ConnectionId>, player: PlayerView, status: Status) {
        let message = Arc::new(ServerMessage::PlayerStatus { game_id: self.id.clone(), player, status });
        self.unsettled.extend(told.into_iter().map(|to| Effect::Send { to, message: message.clone() }));
    }

    fn shown_player(&self, player: &PlayerId) -> Option<PlayerView> {
        let session = self.table.session(player)?;
        let control = session.seat.map_or(session.control, |seat| self.table.control(seat));
        Some(session.view(control, self.is_connected(player)))
    }

    fn session_of(&self, id: ConnectionId) -> Option<&Session> {
        self.table.session(&self.connections.get(&id)?.player_id)
    }
}

fn is_shown_otherwise(view: &GameView, now: &PlayerView) -> bool {
    let shown = view.players.iter().find(|shown| shown.player_id == now.player_id);
    shown.is_some_and(|shown| shown.is_connected != now.is_connected)
}

/// The same view, in which somebody is there or is not.
fn with_presence(view: &GameView, now: &PlayerView) -> Arc<GameView> {
    let mut view = view.clone();
    let players = Arc::make_mut(&mut view.players).iter_mut();
    players.filter(|shown| shown.player_id == now.player_id).for_each(|shown| shown.is_connected = now.is_connected);
    Arc::new(view)
}
