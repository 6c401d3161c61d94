//! Single requests of a session that has no connection, or has one elsewhere: what comes over plain HTTP. A call is
//! answered and forgotten; it neither shows its player as present nor takes the place of a living connection.

use texas42_protocol::{ClientMessage, ErrorCode, GameView, PlayerId, RequestId, SecretKey, ServerMessage};

use super::{Connection, ConnectionId, Room, problem};

impl Room {
    /// The session with this key, with the view that it has now. Without a key there is a view only of a table that is
    /// open to everybody.
    pub fn view_with_key(&self, key: Option<&SecretKey>) -> Option<(Option<PlayerId>, GameView)> {
        let Some(key) = key else {
            return self.table.options.open_to_spectators.then(|| (None, self.table.view(None, &self.around())));
        };
        let player = self.player_with_key(key)?;
        let view = self.view_of(&player);
        Some((Some(player), view))
    }

    /// Takes in a request of the session with this key. The answer is sent to `from`, a number that no connection has.
    pub fn handle_call(&mut self, now: u64, from: ConnectionId, key: Option<&SecretKey>, message: ClientMessage) {
        self.note_time(now);
        let player = key.and_then(|key| self.player_with_key(key));
        match (player, message) {
            (Some(player), ClientMessage::JoinGame { request_id, .. }) => self.send_joined(from, request_id, player),
            (Some(player), message) => {
                let passing = Connection { player_id: player, shown: None, is_passing: true };
                self.connections.insert(from, passing);
                self.handle_message(now, from, message);
                self.connections.remove(&from);
            }
            (None, message @ ClientMessage::JoinGame { .. }) => {
                self.handle_message(now, from, message);
                self.detach(from);
            }
            (None, message) => {
                let error = problem(ErrorCode::BadKey, "the key opens nothing at this table");
                self.refuse(from, message.name(), message.request_id().cloned(), error);
            }
        }
        self.settle();
    }

    fn player_with_key(&self, key: &SecretKey) -> Option<PlayerId> {
        let session = self.table.sessions.iter().find(|session| session.key.is_of(key));
        session.map(|session| session.player_id.clone())
    }

    fn send_joined(&mut self, to: ConnectionId, request_id: Option<RequestId>, player_id: PlayerId) {
        let session = self.table.session(&player_id);
        let message = ServerMessage::Joined {
            request_id,
            game_id: self.id.clone(),
            seat: session.and_then(|session| session.seat),
            capabilities: session.map(|session| session.capabilities.clone()).unwrap_or_default(),
            key: None,
            version: self.table.version,
            view: self.view_of(&player_id),
            player_id,
        };
        self.send(to, message);
    }
}
