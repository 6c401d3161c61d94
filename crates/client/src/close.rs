//! The codes with which a host closes a connection, their texts, and how a client reacts. Codes below 4000 belong to
//! the WebSocket standard.

/// The host stops or restarts: reconnect.
pub const GOING_AWAY: u16 = 1001;
/// The data is not a WebSocket frame.
pub const NOT_A_FRAME: u16 = 1002;
/// The message is not text.
pub const NOT_TEXT: u16 = 1007;
/// The message exceeds the size limit.
pub const TOO_LONG: u16 = 1009;
/// The client violated the limits of the connection, for example by flooding it: do not reconnect automatically.
pub const FLOODED: u16 = 4000;
/// The session has connected elsewhere: do not reconnect automatically, or the two clients would replace each other
/// forever.
pub const DISPLACED: u16 = 4001;
/// The client did not read fast enough: reconnect and get a full view.
pub const TOO_SLOW: u16 = 4002;
/// The connection was idle for too long: reconnect when there is something to send.
pub const IDLE: u16 = 4003;
/// The table could not store an event and restarts from its log: reconnect and repeat the request.
pub const RESTORED: u16 = 4004;

/// Whether a client should reconnect automatically after this code.
pub const fn should_reconnect(code: Option<u16>) -> bool {
    !matches!(code, Some(FLOODED | DISPLACED))
}

/// The text that a host sends with a code.
pub const fn reason(code: u16) -> &'static str {
    match code {
        GOING_AWAY => "the server is stopping; reconnect in a moment",
        NOT_A_FRAME => "not a WebSocket frame",
        NOT_TEXT => "messages are text in UTF-8",
        TOO_LONG => "the message is too long",
        FLOODED => "too many messages",
        DISPLACED => "this session is connected elsewhere now",
        TOO_SLOW => "too many unread messages; reconnect",
        IDLE => "the connection was idle for too long",
        RESTORED => "the table restarts from its log; reconnect",
        _ => "",
    }
}
