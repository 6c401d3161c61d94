//! Keeps a client's view of a table up to date from full views and patches.
//!
//! Invariant: a gap is never rendered. A patch applies only to the version right before it. Otherwise the follower
//! reports [`FollowOutcome::Gap`] and keeps the old view until a full one arrives.

use alloc::{sync::Arc, vec::Vec};

use crate::{
    hint::ActionHint,
    message::{ServerMessage, Status},
    patch::ViewPatch,
    view::{GameView, PlayerView},
};

/// A client's current view of a table, with its version.
///
/// Pass every message of the table to [`handle_message`](Self::handle_message). When it returns [`FollowOutcome::Gap`], send `SUBSCRIBE` to
/// get a full view.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Follower {
    table: Option<(u64, GameView)>,
    /// The latest hints, and the decision that they are about.
    hints: Option<(Decision, Vec<ActionHint>)>,
}

/// A decision at a table: the number of the game, and of its events so far.
type Decision = (u32, u16);

/// The effect of a message on a [`Follower`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FollowOutcome {
    /// The view has changed.
    Changed,
    /// The message is outdated or does not affect the view.
    Nothing,
    /// A version is missing: request a full view.
    Gap,
}

impl Follower {
    /// The current view and its version.
    pub fn table(&self) -> Option<(u64, &GameView)> {
        self.table.as_ref().map(|(version, view)| (*version, view))
    }

    /// The host's hints for the current decision; empty if there are none, or none yet.
    pub fn hints(&self) -> &[ActionHint] {
        let current = self.table.as_ref().map(|(_, view)| decision(view));
        self.hints.as_ref().filter(|(about, _)| Some(*about) == current).map_or(&[], |(_, hints)| hints)
    }

    /// Processes a message of the table.
    pub fn handle_message(&mut self, message: &ServerMessage) -> FollowOutcome {
        match message {
            ServerMessage::GameCreated { version, view, .. } | ServerMessage::Joined { version, view, .. } => {
                self.replace(*version, view)
            }
            ServerMessage::StateUpdate { version, view: Some(view), .. } => self.replace(*version, view),
            ServerMessage::Error { version: Some(version), view: Some(view), .. } => self.replace(*version, view),
            ServerMessage::StateUpdate { version, patch: Some(patch), .. } => self.patch(*version, patch),
            ServerMessage::PlayerStatus { player, status, .. } => self.note_presence(player, *status),
            ServerMessage::Hints { version, hints, .. } => {
                self.note_hints(*version, hints);
                FollowOutcome::Nothing
            }
            ServerMessage::StateUpdate { .. }
            | ServerMessage::Error { .. }
            | ServerMessage::Invited { .. }
            | ServerMessage::Lobby { .. }
            | ServerMessage::Knocked { .. }
            | ServerMessage::LobbyFound { .. }
            | ServerMessage::Left { .. }
            | ServerMessage::Said { .. }
            | ServerMessage::Progress { .. }
            | ServerMessage::Pong { .. } => FollowOutcome::Nothing,
        }
    }

    /// Accepts a full view, unless it is older than the current one.
    fn replace(&mut self, version: u64, view: &GameView) -> FollowOutcome {
        if self.table.as_ref().is_some_and(|(held, _)| *held > version) {
            return FollowOutcome::Nothing;
        }
        self.table = Some((version, view.clone()));
        FollowOutcome::Changed
    }

    fn patch(&mut self, version: u64, patch: &ViewPatch) -> FollowOutcome {
        let Some((held, view)) = &self.table else { return FollowOutcome::Gap };
        if version <= *held {
            return FollowOutcome::Nothing;
        }
        match (version == held + 1).then(|| patch.apply(view)).flatten() {
            Some(view) => {
                self.table = Some((version, view));
                FollowOutcome::Changed
            }
            None => FollowOutcome::Gap,
        }
    }

    /// Keeps hints for the current version.
    fn note_hints(&mut self, version: u64, hints: &[ActionHint]) {
        if let Some((held, view)) = &self.table
            && *held == version
        {
            self.hints = Some((decision(view), hints.to_vec()));
        }
    }

    /// Presence is not versioned: it changes the view between two versions.
    fn note_presence(&mut self, player: &PlayerView, status: Status) -> FollowOutcome {
        let Some((_, view)) = &mut self.table else { return FollowOutcome::Nothing };
        if !matches!(status, Status::Connected | Status::Disconnected) {
            return FollowOutcome::Nothing;
        }
        let players = Arc::make_mut(&mut view.players);
        match players.iter_mut().find(|known| known.player_id == player.player_id) {
            Some(known) if known.is_connected != player.is_connected => {
                known.is_connected = player.is_connected;
                FollowOutcome::Changed
            }
            _ => FollowOutcome::Nothing,
        }
    }
}

fn decision(view: &GameView) -> Decision {
    (view.metadata.game_number, view.state.events)
}
