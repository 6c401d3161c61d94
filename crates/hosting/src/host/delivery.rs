//! What leaves a host: events first, then messages, each written once however many it goes to.

use alloc::{
    collections::{BTreeMap, VecDeque},
    sync::Arc,
    vec::Vec,
};

use texas42_client::close;
use texas42_protocol::{PlayerId, ServerMessage};
use texas42_room::ConnectionId;

use super::{Binding, Line, Output, Queued, TableHost, calls, json};

impl TableHost {
    /// The next thing to carry out. Nothing is left when everything that was taken in is done.
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
                Queued::Message { to, message } => self.delivered(to, message),
            };
            if output.is_some() {
                return output;
            }
        }
        self.asked.clear();
        self.written = None;
        if self.lines.is_empty() {
            self.shrink();
        }
        None
    }

    /// A table at which nobody is may wait for long, beside many others: it keeps no room for what is not there.
    fn shrink(&mut self) {
        self.room.shrink();
        self.lines = BTreeMap::new();
        self.queue = VecDeque::new();
        self.asked = Vec::new();
        self.touched = Vec::new();
    }

    /// Says something of the host's own to a connection.
    pub(super) fn send(&mut self, to: ConnectionId, message: ServerMessage) {
        self.queue.push_back(Queued::Message { to, message: Arc::new(message) });
    }

    /// Something for a connection or a call.
    pub(super) fn tell(&mut self, to: ConnectionId, message: Arc<ServerMessage>) {
        if calls::is_call(to) {
            return self.answer_call(to, &message);
        }
        match &*message {
            ServerMessage::GameCreated { player_id, .. } | ServerMessage::Joined { player_id, .. } => {
                self.displace(player_id, to);
                self.note_player(to, Some(player_id));
            }
            ServerMessage::Left { .. } => self.note_player(to, None),
            _ => {}
        }
        self.queue.push_back(Queued::Message { to, message });
    }

    fn note_player(&mut self, connection: ConnectionId, player: Option<&PlayerId>) {
        self.touched.push(connection);
        if let Some(line) = self.lines.get_mut(&connection) {
            line.player = player.cloned();
        }
    }

    /// One connection a session: the older one is told to end, so that it does not come back and fight.
    fn displace(&mut self, player: &PlayerId, by: ConnectionId) {
        let is_older = |(id, line): &(&ConnectionId, &Line)| **id != by && line.player.as_ref() == Some(player);
        let Some(older) = self.lines.iter().find(is_older).map(|(id, _)| *id) else { return };
        self.lines.remove(&older);
        self.queue.push_back(Queued::Output(Output::Bind(Binding::new(older))));
        self.queue.push_back(Queued::Output(Output::Close { to: older, code: close::DISPLACED }));
    }

    /// A message as it goes over the wire, unless it is to be held back. Those who see the same get the same text.
    fn delivered(&mut self, to: ConnectionId, message: Arc<ServerMessage>) -> Option<Output> {
        let is_behind = self.lines.get(&to).is_some_and(|line| line.is_behind);
        let message = if is_behind { kept_for_slow(message)? } else { message };
        let is_refusal = matches!(*message, ServerMessage::Error { .. });
        let text = match &self.written {
            Some((last, text)) if Arc::ptr_eq(last, &message) => Arc::clone(text),
            _ => Arc::from(json(&*message)),
        };
        self.written = Some((message, Arc::clone(&text)));
        Some(Output::Send { to, text, is_refusal })
    }
}

/// What somebody is told who reads too slowly: the answers to its own requests, and no update. It is shown the table when it
/// has caught up.
fn kept_for_slow(message: Arc<ServerMessage>) -> Option<Arc<ServerMessage>> {
    match &*message {
        ServerMessage::PlayerStatus { .. } | ServerMessage::StateUpdate { ack: None, view: None, .. } => None,
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
