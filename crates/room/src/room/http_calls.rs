//! Single requests over plain HTTP, without a lasting connection. A call neither marks a person as present nor replaces
//! an open connection. An invited bot is present while it calls.

use alloc::string::String;

use texas42_phrases::Problem;
use texas42_protocol::{ClientMessage, GameView, PlayerId, RequestId, SecretKey, WireError};

use super::{Connection, ConnectionId, Room, lobby::KnockRequest, reject};
use crate::table::Invite;

impl Room {
    /// The session with this key and its current view. The holder of an unused invite gets a view without hands, as a
    /// spectator with the delay of the invite would see it. Without a key, only open tables return a view.
    pub fn view_with_key(&self, key: Option<&SecretKey>) -> Option<(Option<PlayerId>, GameView)> {
        let Some(key) = key else {
            return self.table.options.open_to_spectators.then(|| (None, self.view_as(None)));
        };
        let Some(player) = self.player_with_key(key) else {
            return self.preview(key).map(|view| (None, view));
        };
        let view = self.view_of(&player);
        Some((Some(player), view))
    }

    /// The table as a person with an invite sees it before joining.
    fn preview(&self, key: &SecretKey) -> Option<GameView> {
        let is_usable = |invite: &&Invite| invite.key.is_of(key) && !invite.is_used_up();
        let invite = self.table.invites.iter().find(is_usable)?;
        let metadata = self.table_metadata();
        Some(self.table.preview(invite, &self.table.scene(&metadata), &metadata))
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
        self.clock.advance(now);
        let keys_in_message = match &message {
            ClientMessage::JoinGame { session_key, key, .. } => [session_key.as_ref(), key.as_ref()],
            _ => [None; 2],
        };
        let player =
            key.into_iter().chain(keys_in_message.into_iter().flatten()).find_map(|key| self.player_with_key(key));
        let leaves = matches!(message, ClientMessage::LeaveGame { .. } | ClientMessage::GiveUpSeat { .. });
        if let Some(player) = player.as_ref().filter(|_| !leaves) {
            self.note_bot_call(player);
            self.seat_due_newcomer(player);
        }
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
                let transient =
                    Connection { player_id: player, shown: None, lobby: None, is_transient: true, is_spectator: false };
                self.connections.insert(from, transient);
                self.handle_message(now, from, message);
                self.connections.remove(&from);
            }
            (None, message @ ClientMessage::JoinGame { .. }) => {
                self.handle_message(now, from, message);
                let joined = self.connections.get(&from).map(|connection| connection.player_id.clone());
                self.detach(from);
                joined.into_iter().for_each(|player| self.note_bot_call(&player));
            }
            (None, ClientMessage::Knock { request_id, code, name, key, .. }) => {
                let request = KnockRequest { code, name, key, is_call: true };
                if let Err(problem) = self.knock(from, request_id.clone(), request) {
                    self.refuse(from, "KNOCK", request_id, problem);
                }
            }
            (None, message) => {
                let error = reject(Problem::UnknownKey);
                self.refuse(from, message.name(), message.request_id().cloned(), error);
            }
        }
        self.settle();
    }

    fn send_joined(&mut self, to: ConnectionId, request_id: Option<RequestId>, player_id: PlayerId) {
        self.return_seat(&player_id);
        let view = self.view_of(&player_id);
        self.send(to, self.joined_message(request_id, player_id, None, view));
    }
}
