//! Output of a host: first events to store, then messages, each serialized once for all recipients.

use alloc::{
    collections::{BTreeMap, VecDeque},
    sync::Arc,
    vec::Vec,
};

use texas42_client::close;
use texas42_protocol::{PlayerId, ServerMessage};
use texas42_room::ConnectionId;

use super::{Binding, Connection, Output, Queued, TableHost, calls, json};

impl TableHost {
    /// The next output to carry out, or `None` once all input has been processed.
    pub fn poll_output(&mut self) -> Option<Output> {
        self.run();
        if !self.unstored.is_empty() {
            let (first, events) = (self.stored, core::mem::take(&mut self.unstored));
            self.stored += events.len() as u64;
            return Some(Output::Store { game: self.id().clone(), first, events });
        }
        while let Some(next) = self.queue.pop_front() {
            let output = match next {
                Queued::Output(output) => Some(output),
                Queued::Message { to, message } => self.serialize(to, message),
            };
            if output.is_some() {
                return output;
            }
        }
        self.pending_requests.clear();
        self.last_serialized = None;
        if self.connections.is_empty() {
            self.shrink();
        }
        None
    }

    /// Frees the memory of empty collections. Many idle tables may stay in memory for long.
    fn shrink(&mut self) {
        self.room.shrink();
        self.connections = BTreeMap::new();
        self.queue = VecDeque::new();
        self.pending_requests = Vec::new();
        self.touched = Vec::new();
    }

    /// Sends a message of the host itself to a connection.
    pub(super) fn send(&mut self, to: ConnectionId, message: ServerMessage) {
        self.queue.push_back(Queued::Message { to, message: Arc::new(message) });
    }

    /// Delivers a message of the table to a connection or a call.
    pub(super) fn deliver(&mut self, to: ConnectionId, message: Arc<ServerMessage>) {
        if calls::is_call(to) {
            return self.answer_call(to, &message);
        }
        match &*message {
            ServerMessage::GameCreated { player_id, .. } | ServerMessage::Joined { player_id, .. } => {
                self.displace(player_id, to);
                self.note_player(to, Some(player_id));
            }
            ServerMessage::Left { .. } => self.note_player(to, None),
            ServerMessage::Knocked { .. } => self.touched.push(to),
            _ => {}
        }
        self.queue.push_back(Queued::Message { to, message });
    }

    fn note_player(&mut self, connection: ConnectionId, player: Option<&PlayerId>) {
        self.touched.push(connection);
        if let Some(connected) = self.connections.get_mut(&connection) {
            connected.player = player.cloned();
        }
    }

    /// Closes an older connection of the same session, with a code that keeps it from reconnecting. It may have joined
    /// again before it was closed. If it joined as the same session, it is the newer one; if it joined as somebody else,
    /// it leaves the table.
    fn displace(&mut self, player: &PlayerId, by: ConnectionId) {
        let is_older = |(id, connected): &(&ConnectionId, &Connection)| {
            let is_newer = || self.room.bound(**id).is_some_and(|(bound, _)| bound == player);
            **id != by && connected.player.as_ref() == Some(player) && !is_newer()
        };
        let Some(older) = self.connections.iter().find(is_older).map(|(id, _)| *id) else { return };
        self.connections.remove(&older);
        self.room.handle_disconnect(self.clock.now(), older);
        self.queue.push_back(Queued::Output(Output::Bind(Binding::new(older))));
        self.queue.push_back(Queued::Output(Output::Close { to: older, code: close::DISPLACED }));
    }

    /// Serializes a message, unless it is to be withheld. Recipients of the same message share the text.
    fn serialize(&mut self, to: ConnectionId, message: Arc<ServerMessage>) -> Option<Output> {
        let is_behind = self.connections.get(&to).is_some_and(|connected| connected.is_behind);
        let message = if is_behind { without_updates(message)? } else { message };
        let is_refusal = matches!(*message, ServerMessage::Error { .. });
        let text = match &self.last_serialized {
            Some((last, text)) if Arc::ptr_eq(last, &message) => Arc::clone(text),
            _ => Arc::from(json(&*message)),
        };
        self.last_serialized = Some((message, Arc::clone(&text)));
        Some(Output::Send { to, text, is_refusal })
    }
}

/// The message as sent to a connection with a backlog: replies without their patches, and no updates. The connection
/// gets a full view when it has caught up.
fn without_updates(message: Arc<ServerMessage>) -> Option<Arc<ServerMessage>> {
    match &*message {
        ServerMessage::PlayerStatus { .. }
        | ServerMessage::Hints { .. }
        | ServerMessage::Said { request_id: None, .. }
        | ServerMessage::StateUpdate { ack: None, view: None, .. } => None,
        ServerMessage::StateUpdate {
            game_id,
            version,
            ack: ack @ Some(_),
            last_action,
            view: None,
            patch: Some(_),
        } => Some(Arc::new(ServerMessage::StateUpdate {
            game_id: game_id.clone(),
            version: *version,
            ack: ack.clone(),
            last_action: *last_action,
            view: None,
            patch: None,
        })),
        _ => Some(message),
    }
}
