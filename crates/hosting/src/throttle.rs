//! The rate limit of a connection. Messages over the limit get an error reply. A client that keeps ignoring them is
//! disconnected.

use core::time::Duration;

use texas42_phrases::Problem;
use texas42_protocol::{ClientMessage, ServerMessage, WireError};

use crate::{Bucket, Rate};

/// The number of consecutive warnings before a client is disconnected.
const MAX_WARNINGS: u32 = 200;

/// The message rate of one connection.
#[derive(Debug)]
pub struct Throttle {
    bucket: Bucket,
    warnings: u32,
}

/// Whether a message is accepted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Admission {
    /// The message is accepted.
    Yes,
    /// The message is over the limit: reply with [`rate_limited_reply`].
    Warned,
    /// The client ignores the limit: close the connection with `close::FLOODED`.
    Cut,
}

impl Throttle {
    /// A connection that has sent nothing yet.
    pub fn new(rate: Rate, now: Duration) -> Self {
        Self { bucket: Bucket::full(rate, now), warnings: 0 }
    }

    /// Counts a message and decides whether to accept it.
    pub fn admit(&mut self, rate: Rate, now: Duration) -> Admission {
        if self.bucket.take(rate, now) {
            self.warnings = 0;
            return Admission::Yes;
        }
        self.warnings += 1;
        if self.warnings > MAX_WARNINGS { Admission::Cut } else { Admission::Warned }
    }
}

/// The reply to a message over the rate limit.
pub fn rate_limited_reply(message: Option<&ClientMessage>) -> ServerMessage {
    let error = WireError::new(Problem::TooManyMessages);
    let request = message.and_then(|message| message.request_id().cloned());
    ServerMessage::refusal(message.map(ClientMessage::name), request, error)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_connection_is_warned_and_then_disconnected() {
        let (rate, start) = (Rate { burst: 1.0, per_second: 1.0 }, Duration::from_secs(100));
        let mut throttle = Throttle::new(rate, start);
        assert_eq!(throttle.admit(rate, start), Admission::Yes);
        for _ in 0..MAX_WARNINGS {
            assert_eq!(throttle.admit(rate, start), Admission::Warned);
        }
        assert_eq!(throttle.admit(rate, start), Admission::Cut);
        let later = start + Duration::from_secs(2);
        assert_eq!(throttle.admit(rate, later), Admission::Yes);
        assert_eq!(throttle.admit(rate, later), Admission::Warned, "warnings start over");
    }
}
