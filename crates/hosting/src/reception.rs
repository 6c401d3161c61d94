//! Receives the frames of a connection: reads them as messages, and replies when no table can.

use alloc::boxed::Box;

use texas42_phrases::Problem;
use texas42_protocol::{ClientMessage, RequestId, ServerMessage, WireError};

use crate::request::unreadable_reply;

/// Reads a frame as a message.
///
/// # Errors
/// The reply to send if the text is not a message.
pub fn read_frame(text: &str) -> Result<ClientMessage, Box<ServerMessage>> {
    texas42_protocol::read(text).map_err(|error| Box::new(unreadable_reply(text, &error)))
}

/// The reply to a message from a connection that has not joined the table that it names: a ping needs no table, and all
/// other messages have to wait until the connection has joined.
pub fn reply_without_table(now: u64, message: &ClientMessage) -> ServerMessage {
    match message {
        ClientMessage::Ping { nonce } => ServerMessage::Pong { nonce: *nonce, time: Some(now) },
        message => RequestRef::of(message).refuse(WireError::new(Problem::JoinFirst)),
    }
}

/// Names the request that a reply is for, while its message may be elsewhere.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RequestRef {
    kind: &'static str,
    request_id: Option<RequestId>,
}

impl RequestRef {
    /// Refers to the request in a message.
    pub fn of(message: &ClientMessage) -> Self {
        Self { kind: message.name(), request_id: message.request_id().cloned() }
    }

    /// The reply that refuses the request.
    pub fn refuse(self, error: WireError) -> ServerMessage {
        ServerMessage::refusal(Some(self.kind), self.request_id, error)
    }
}

#[cfg(test)]
mod tests {
    use alloc::string::ToString;

    use serde_json::{Value, json};

    use super::*;

    fn reply_to(frame: &Value) -> Value {
        let reply = match read_frame(&frame.to_string()) {
            Ok(message) => reply_without_table(5, &message),
            Err(reply) => *reply,
        };
        serde_json::to_value(reply).unwrap()
    }

    #[test]
    fn every_frame_without_a_table_gets_a_reply() {
        assert_eq!(reply_to(&json!({ "type": "PING", "nonce": 7 })), json!({ "type": "PONG", "nonce": 7, "time": 5 }));
        let refused = reply_to(&json!({ "type": "GIVE_UP_SEAT", "gameId": "table", "requestId": "r" }));
        assert_eq!((&refused["error"]["code"], &refused["requestId"]), (&json!("not-joined"), &json!("r")));
        assert_eq!(refused["requestType"], "GIVE_UP_SEAT");
        let unreadable = reply_to(&json!({ "type": "JUGGLE", "requestId": "r" }));
        assert_eq!((&unreadable["error"]["code"], &unreadable["requestId"]), (&json!("bad-message"), &json!("r")));
    }
}
