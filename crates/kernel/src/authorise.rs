//! Whether a session may start an action at all. Whether the rules allow it now is for the engine to say.

use texas42_protocol::{Capability, ErrorCode, WireError};
use texas42_vocab::Action;

/// Checks an action against capabilities.
///
/// # Errors
/// When the capabilities do not allow it: a seat's action needs that seat, taking back needs its own capability, and
/// what the table does by itself nobody can send.
pub fn authorise(capabilities: &[Capability], action: Action) -> Result<(), WireError> {
    let (needed, message) = match action {
        Action::Undo { .. } => (Capability::UndoActions, "taking back is not open to this session"),
        Action::SetControl { .. } => {
            return Err(WireError::new(ErrorCode::NotAllowed, "control is changed with SET_PLAYER_CONTROL"));
        }
        _ => match action.player() {
            Some(player_index) => (Capability::ActAsPlayer { player_index }, "this session cannot act for that seat"),
            None => return Err(WireError::new(ErrorCode::NotAllowed, "the table does that by itself")),
        },
    };
    if capabilities.contains(&needed) { Ok(()) } else { Err(WireError::new(ErrorCode::NotAllowed, message)) }
}
