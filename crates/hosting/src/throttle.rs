//! How fast a connection may speak. A limit answers; it does not silently cut. A client that does not listen to the answers is
//! cut off in the end.

use core::time::Duration;

use texas42_phrases::Problem;
use texas42_protocol::{ClientMessage, ServerMessage, WireError};

use crate::{Bucket, Rate};

/// A client that is told so often in a row to slow down, and does not, is cut off.
const MOST_WARNINGS: u32 = 200;

/// What one connection has said lately.
#[derive(Debug)]
pub struct Throttle {
    bucket: Bucket,
    warnings: u32,
}

/// Whether a frame is heard.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Admitted {
    /// It is.
    Yes,
    /// It came too fast: answer with [`too_fast`].
    Warned,
    /// It came too fast once too often: close the connection with `close::FLOODED`.
    Cut,
}

impl Throttle {
    /// A connection that has said nothing yet.
    pub fn new(rate: Rate, now: Duration) -> Self {
        Self { bucket: Bucket::full(rate, now), warnings: 0 }
    }

    /// A frame comes.
    pub fn admit(&mut self, rate: Rate, now: Duration) -> Admitted {
        if self.bucket.take(rate, now) {
            self.warnings = 0;
            return Admitted::Yes;
        }
        self.warnings += 1;
        if self.warnings > MOST_WARNINGS { Admitted::Cut } else { Admitted::Warned }
    }
}

/// The answer to a message that came too fast.
pub fn too_fast(message: Option<&ClientMessage>) -> ServerMessage {
    let error = WireError::new(Problem::TooManyMessages);
    let request = message.and_then(|message| message.request_id().cloned());
    ServerMessage::refusal(message.map(ClientMessage::name), request, error)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_connection_is_warned_and_cut_off_when_it_does_not_listen() {
        let (rate, start) = (Rate { burst: 1.0, per_second: 1.0 }, Duration::from_secs(100));
        let mut throttle = Throttle::new(rate, start);
        assert_eq!(throttle.admit(rate, start), Admitted::Yes);
        for _ in 0..MOST_WARNINGS {
            assert_eq!(throttle.admit(rate, start), Admitted::Warned);
        }
        assert_eq!(throttle.admit(rate, start), Admitted::Cut);
        let later = start + Duration::from_secs(2);
        assert_eq!(throttle.admit(rate, later), Admitted::Yes);
        assert_eq!(throttle.admit(rate, later), Admitted::Warned, "and begins anew");
    }
}
