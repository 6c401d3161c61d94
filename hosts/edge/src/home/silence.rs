//! Closes connections of clients that have vanished without a notice, so that the others see within five seconds that
//! somebody is away.
//!
//! The platform answers the pings of clients without waking the object, and remembers when it last did. A client that
//! waits for a person pings after two seconds of silence (`Heartbeat::QUICK`), programs much more rarely. A client that
//! has sent two pings in short succession is expected to continue; if it falls silent, it has lost its network. A check
//! costs an alarm and keeps the object awake, so the object checks only while somebody else is connected to see the
//! result, and less often at a table at which nothing happens.

use texas42_client::close;
use texas42_hosting::Output;
use texas42_room::ConnectionId;

use super::Home;

/// How long a client with a quick heartbeat may be silent, in milliseconds: the time after which it pings, and as much
/// again for the ping to arrive.
const LONGEST_SILENCE: u64 = 4_500;
/// How long after the last event the object checks at every deadline, in milliseconds.
const PROMPT_CHECKS_TIME: u64 = 120_000;
/// Later, it waits between two checks for the time since the last event divided by this number.
const IDLE_DIVISOR: u64 = 8;

/// When one connection was last known to be alive.
#[derive(Clone, Copy, Debug)]
pub(super) struct HeartbeatWatch {
    /// The last message from or to the client. A client that receives something has no reason to ping.
    last_message: u64,
    /// The last ping that was seen.
    last_ping: Option<u64>,
}

impl HeartbeatWatch {
    pub(super) const fn new(now: u64) -> Self {
        Self { last_message: now, last_ping: None }
    }

    /// When the client is considered lost if nothing more is heard.
    fn deadline(self) -> u64 {
        self.last_message.max(self.last_ping.unwrap_or(0)) + LONGEST_SILENCE
    }

    /// Notes the last ping. Returns whether it followed the one before in short succession.
    fn note_ping(&mut self, at: u64) -> bool {
        let before = self.last_ping.replace(at);
        before.is_some_and(|before| before < at && at - before <= LONGEST_SILENCE)
    }
}

impl Home {
    /// When to check for silent connections. While only one client is connected, nobody would see the result.
    pub(super) fn next_silence_check(&self) -> Option<u64> {
        self.silence_check.filter(|_| self.connections.len() > 1)
    }

    /// A rebuilt home does not know what its connections did last, so each of them gets the whole time again.
    pub(super) fn watch_after_restart(&mut self, now: u64) {
        let is_watched = self.connections.values().any(|connection| connection.attachment.has_quick_heartbeat);
        self.silence_check = is_watched.then_some(now + LONGEST_SILENCE);
    }

    /// Notes a message from or to a client.
    pub(super) fn note_message(&mut self, of: ConnectionId) {
        if let Some(connection) = self.connections.get_mut(&of) {
            connection.heartbeat.last_message = self.now;
        }
    }

    /// Schedules a check after a client has sent something, because it may ping from then on.
    pub(super) fn watch_for_silence(&mut self) {
        self.silence_check.get_or_insert(self.now + LONGEST_SILENCE);
    }

    /// Closes the connections that are silent, and schedules the next check.
    pub(super) fn check_silence(&mut self, now: u64, last_ping: impl Fn(ConnectionId) -> Option<u64>) {
        if self.next_silence_check().is_none_or(|at| at > now) {
            return;
        }
        let mut next = None;
        for (id, connection) in &mut self.connections {
            let ping = last_ping(*id);
            let is_quick = ping.is_some_and(|at| connection.heartbeat.note_ping(at));
            if is_quick && !connection.attachment.has_quick_heartbeat {
                connection.attachment.has_quick_heartbeat = true;
                self.changed_attachments.push_back(connection.attachment.clone());
            }
            let deadline = match connection.attachment.has_quick_heartbeat {
                true => Some(connection.heartbeat.deadline()),
                // Another ping in time would show that its heartbeat is quick.
                false => ping.map(|at| at + LONGEST_SILENCE).filter(|until| *until > now),
            };
            next = next.into_iter().chain(deadline).min();
        }
        self.silence_check = next.map(|at| at.max(now + self.shortest_pause(now)));
        self.close_silent(now);
    }

    fn close_silent(&mut self, now: u64) {
        let is_lost = |connection: &super::Connection| {
            connection.attachment.has_quick_heartbeat && connection.heartbeat.deadline() <= now
        };
        let lost = self.connections.iter().filter(|(_, connection)| is_lost(connection));
        for to in lost.map(|(id, _)| *id).collect::<Vec<_>>() {
            self.outputs.push_back(Output::Close { to, code: close::IDLE });
            // The platform reports the end of the socket only when the client has answered.
            self.handle_closed(now, to);
        }
    }

    /// The shortest time to the next check, which grows with the time since the last event.
    fn shortest_pause(&self, now: u64) -> u64 {
        let idle = now.saturating_sub(self.last_stored);
        if idle < PROMPT_CHECKS_TIME { 0 } else { idle / IDLE_DIVISOR }
    }
}
