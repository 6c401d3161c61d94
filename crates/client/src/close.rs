//! The codes with which a host closes a connection, beyond those of the WebSocket standard, and what a client does then.

/// The host stops or restarts: come back.
pub const GOING_AWAY: u16 = 1001;
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
