//! The codes with which a host closes a connection, what it says with them, and what a client does then. Those below 4000 are
//! of the WebSocket standard.

/// The host stops or restarts: come back.
pub const GOING_AWAY: u16 = 1001;
/// What came is no frame.
pub const NOT_A_FRAME: u16 = 1002;
/// What came is no text.
pub const NOT_TEXT: u16 = 1007;
/// The message is longer than any can be.
pub const TOO_LONG: u16 = 1009;
/// The client broke the rules of the connection, for instance by never stopping to send: do not come back by itself.
pub const FLOODED: u16 = 4000;
/// The same session has connected elsewhere: do not come back by itself, or the two would take turns for ever.
pub const DISPLACED: u16 = 4001;
/// The client did not read fast enough: come back and take a full view.
pub const TOO_SLOW: u16 = 4002;
/// Nothing was heard for too long: come back when there is something to say.
pub const IDLE: u16 = 4003;
/// The table could not write down what happened and begins again from what it has: come back and ask again.
pub const RESTORED: u16 = 4004;

/// Whether a client should come back by itself after this code.
pub const fn comes_back(code: Option<u16>) -> bool {
    !matches!(code, Some(FLOODED | DISPLACED))
}

/// What a host says with a code.
pub const fn reason(code: u16) -> &'static str {
    match code {
        GOING_AWAY => "the server stops; come back in a moment",
        NOT_A_FRAME => "this is no frame of a WebSocket",
        NOT_TEXT => "messages are text in UTF-8",
        TOO_LONG => "the message is longer than any can be",
        FLOODED => "too many messages",
        DISPLACED => "this session is connected elsewhere now",
        TOO_SLOW => "too many messages wait to be read; come back",
        IDLE => "nothing was heard for too long",
        RESTORED => "the table begins again from what is stored; come back",
        _ => "",
    }
}
