//! Single requests over plain HTTP, without a lasting connection. A call neither marks its player as present nor
//! replaces an open connection.

use alloc::string::String;

use texas42_phrases::Problem;
use texas42_protocol::{ClientMessage, GameView, PlayerId, RequestId, SecretKey, WireError};

use super::{Connection, ConnectionId, Room, reject};
use crate::table::Invite;

impl Room {
    /// The session with this key and its current view. An invited player gets a view without hands, as a spectator
    /// would see it. Without a key, only open tables return a view.
    pub fn view_with_key(&self, key: Option<&SecretKey>) -> Option<(Option<PlayerId>, GameView)> {
        let outside = || (None, self.view_as(None));
        let Some(key) = key else {
            return self.table.options.open_to_spectators.then(outside);
        };
        let Some(player) = self.player_with_key(key) else {
            return self.is_invited_to_play(key).then(outside);
        };
        let view = self.view_of(&player);
        Some((Some(player), view))
    }

    fn is_invited_to_play(&self, key: &SecretKey) -> bool {
        let opens = |invitation: &&Invite| invitation.key.is_of(key) && !invitation.is_used_up();
        self.table.invitations.iter().find(opens).is_some_and(|invitation| invitation.grant.role.is_seated())
    }

    /// The record of the game for the session with this key; see [`Room::record`]. A session with a delayed view gets
    /// it when the game is over.
    ///
    /// # Errors
    /// If no session has this key, or there is nothing to record yet.
    pub fn record_with_key(&self, key: Option<&SecretKey>) -> Result<String, WireError> {
        let player = key.and_then(|key| self.player_with_key(key));
        let session = player.and_then(|player| self.table.session(&player));
        let session = session.ok_or_else(|| WireError::new(Problem::UnknownKey))?;
        let is_over = self.state().is_some_and(|state| state.phase.is_over());
        if session.delay_hands > 0 && !is_over {
            return Err(Problem::RecordComesLater.into());
        }
        self.record().ok_or_else(|| WireError::new(Problem::NoHandOver))
    }

    /// Handles a request of the session with this key. The reply is sent to `from`, an id that no connection uses.
    pub fn handle_call(&mut self, now: u64, from: ConnectionId, key: Option<&SecretKey>, message: ClientMessage) {
        self.clock.note(now);
        let own = match &message {
            ClientMessage::JoinGame { session_key, key, .. } => [session_key.as_ref(), key.as_ref()],
            _ => [None; 2],
        };
        let player = key.into_iter().chain(own.into_iter().flatten()).find_map(|key| self.player_with_key(key));
        match (player, message) {
            (
                _,
                message @ (ClientMessage::Subscribe { .. }
                | ClientMessage::Unsubscribe { .. }
                | ClientMessage::CreateGame { .. }),
            ) => {
                let error = reject(Problem::NeedsConnection);
                self.refuse(from, message.name(), message.request_id().cloned(), error);
            }
            (Some(player), ClientMessage::JoinGame { request_id, .. }) => self.send_joined(from, request_id, player),
            (Some(player), message) => {
                let passing = Connection { player_id: player, shown: None, is_transient: true, is_spectator: false };
                self.connections.insert(from, passing);
                self.handle_message(now, from, message);
                self.connections.remove(&from);
            }
            (None, message @ ClientMessage::JoinGame { .. }) => {
                self.handle_message(now, from, message);
                self.detach(from);
            }
            (None, message) => {
                let error = reject(Problem::UnknownKey);
                self.refuse(from, message.name(), message.request_id().cloned(), error);
            }
        }
        self.settle();
    }

    fn send_joined(&mut self, to: ConnectionId, request_id: Option<RequestId>, player_id: PlayerId) {
        let view = self.view_of(&player_id);
        self.send(to, self.joined_message(request_id, player_id, None, view));
    }
}
