//! Answers to single HTTP requests: a status and JSON.

use alloc::string::String;

use serde::Serialize;
use texas42_phrases::Problem;
use texas42_protocol::{ErrorCode, ServerMessage, WireError};

use crate::request::request_id_in;

/// An HTTP answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HttpResponse {
    /// The status code.
    pub status: u16,
    /// The body as JSON.
    pub body: String,
}

impl HttpResponse {
    /// An answer with any JSON.
    pub fn json(status: u16, value: &impl Serialize) -> Self {
        Self { status, body: texas42_protocol::to_json(value) }
    }

    /// An answer with a message of a table.
    pub fn message(message: &ServerMessage) -> Self {
        let status = match message {
            ServerMessage::Error { error, .. } => status_of(error.code),
            ServerMessage::GameCreated { .. } => 201,
            _ => 200,
        };
        Self::json(status, message)
    }

    /// An answer with an error.
    pub fn refusal(kind: Option<&str>, error: WireError) -> Self {
        Self::message(&ServerMessage::refusal(kind, None, error))
    }

    /// The answer to a request whose body is no such message. It contains the id of the request if that can be found.
    pub fn unreadable(kind: Option<&str>, body: &[u8], error: WireError) -> Self {
        Self::message(&ServerMessage::refusal(kind, request_id_in(body), error))
    }

    /// An error for an HTTP status that the protocol has no code for.
    pub fn refused_as(status: u16) -> Self {
        let problem = match status {
            404 => Problem::NothingHere,
            405 => Problem::WrongMethod,
            408 => Problem::RequestTimeout,
            413 => Problem::TooLong,
            500.. => Problem::CannotAnswer,
            _ => Problem::UnreadableRequest,
        };
        Self { status, ..Self::refusal(None, WireError::new(problem)) }
    }
}

/// The HTTP status for each error code.
const fn status_of(code: ErrorCode) -> u16 {
    match code {
        ErrorCode::BadMessage => 400,
        ErrorCode::BadConfig => 422,
        ErrorCode::NoSuchGame => 404,
        ErrorCode::NotJoined | ErrorCode::BadKey => 401,
        ErrorCode::NotAllowed => 403,
        ErrorCode::SeatTaken | ErrorCode::NotStarted | ErrorCode::Refused | ErrorCode::Stale | ErrorCode::Full => 409,
        ErrorCode::RateLimited => 429,
        ErrorCode::NotStored => 503,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_has_the_status_of_its_code() {
        let answer = HttpResponse::refusal(Some("JOIN_GAME"), WireError::new(Problem::UnknownKey));
        assert_eq!(answer.status, 401);
        assert!(answer.body.contains(r#""requestType":"JOIN_GAME""#), "{}", answer.body);
    }

    #[test]
    fn a_status_without_an_error_code_is_an_error_message_too() {
        for status in [400, 404, 405, 408, 413, 431, 500] {
            let answer = HttpResponse::refused_as(status);
            let body: serde_json::Value = serde_json::from_str(&answer.body).unwrap();
            assert_eq!((answer.status, body["type"].as_str()), (status, Some("ERROR")));
            assert!(body["error"]["message"].is_string(), "{body}");
        }
    }

    #[test]
    fn a_status_without_an_error_code_says_what_is_wrong() {
        for (status, problem) in [
            (400, Problem::UnreadableRequest),
            (404, Problem::NothingHere),
            (405, Problem::WrongMethod),
            (408, Problem::RequestTimeout),
            (413, Problem::TooLong),
            (431, Problem::UnreadableRequest),
            (500, Problem::CannotAnswer),
            (507, Problem::CannotAnswer),
        ] {
            let refusal = HttpResponse::refusal(None, WireError::new(problem));
            assert_eq!(HttpResponse::refused_as(status).body, refusal.body, "{status}");
        }
    }
}
