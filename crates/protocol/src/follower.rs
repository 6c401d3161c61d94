//! How a client follows a table: full views and patches go in, a current view or the wish for a full one comes out.
//!
//! Invariant: a gap is never rendered. A patch is applied only to the version right before it; anything else makes the
//! follower ask for a full view and keep the old one until it comes.

use alloc::sync::Arc;

use crate::{
    message::{ServerMessage, Status},
    patch::ViewPatch,
    view::{GameView, PlayerView},
};

/// What a client holds of a table.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Follower {
    table: Option<(u64, GameView)>,
}

/// What became of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Heard {
    /// There is a new view.
    Changed,
    /// It was known already, or says nothing about the table.
    Nothing,
    /// Something is missing: ask for a full view.
    Gap,
}

impl Follower {
    /// The view and its version.
    pub fn table(&self) -> Option<(u64, &GameView)> {
        self.table.as_ref().map(|(version, view)| (*version, view))
    }

    /// Takes in a message of the table.
    pub fn hear(&mut self, message: &ServerMessage) -> Heard {
        match message {
            ServerMessage::GameCreated { version, view, .. } | ServerMessage::Joined { version, view, .. } => {
                self.replace(*version, view)
            }
            ServerMessage::StateUpdate { version, view: Some(view), .. } => self.replace(*version, view),
            ServerMessage::Error { version: Some(version), view: Some(view), .. } => self.replace(*version, view),
            ServerMessage::StateUpdate { version, patch: Some(patch), .. } => self.patch(*version, patch),
            ServerMessage::PlayerStatus { player, status, .. } => self.note_presence(player, *status),
            ServerMessage::StateUpdate { .. }
            | ServerMessage::Error { .. }
            | ServerMessage::Invited { .. }
            | ServerMessage::Left { .. }
            | ServerMessage::Progress { .. }
            | ServerMessage::Pong { .. } => Heard::Nothing,
        }
    }

    /// A full view always counts, but never takes the client back.
    fn replace(&mut self, version: u64, view: &GameView) -> Heard {
        if self.table.as_ref().is_some_and(|(held, _)| *held > version) {
            return Heard::Nothing;
        }
        self.table = Some((version, view.clone()));
        Heard::Changed
    }

    fn patch(&mut self, version: u64, patch: &ViewPatch) -> Heard {
        let Some((held, view)) = &self.table else { return Heard::Gap };
        if version <= *held {
            return Heard::Nothing;
        }
        match (version == held + 1).then(|| patch.apply(view)).flatten() {
            Some(view) => {
                self.table = Some((version, view));
                Heard::Changed
            }
            None => Heard::Gap,
        }
    }

    /// Presence is not part of the numbered events: it changes the view in between them.
    fn note_presence(&mut self, player: &PlayerView, status: Status) -> Heard {
        let Some((_, view)) = &mut self.table else { return Heard::Nothing };
        if !matches!(status, Status::Connected | Status::Disconnected) {
            return Heard::Nothing;
        }
        let players = Arc::make_mut(&mut view.players);
        match players.iter_mut().find(|known| known.player_id == player.player_id) {
            Some(known) if known.is_connected != player.is_connected => {
                known.is_connected = player.is_connected;
                Heard::Changed
            }
            _ => Heard::Nothing,
        }
    }
}
