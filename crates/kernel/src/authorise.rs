//! Whether a session may start an action at all. Whether the rules allow it now is for the engine to say.

use texas42_phrases::Problem;
use texas42_protocol::{Capability, WireError};
use texas42_vocab::Action;

/// Checks an action against capabilities.
///
/// # Errors
/// When the capabilities do not allow it: a seat's action needs that seat, taking back needs its own capability, and
/// what the table does by itself nobody can send.
pub fn authorise(capabilities: &[Capability], action: Action) -> Result<(), WireError> {
    let (needed, problem) = match action {
        Action::Undo { .. } => (Capability::UndoActions, Problem::UndoNotAllowed),
        Action::SetControl { .. } => {
            return Err(WireError::new(Problem::ControlByRequest));
        }
        _ => match action.player() {
            Some(player_index) => (Capability::ActAsPlayer { player_index }, Problem::CannotActForSeat),
            None => return Err(WireError::new(Problem::TableDoesThat)),
        },
    };
    if capabilities.contains(&needed) { Ok(()) } else { Err(WireError::new(problem)) }
}
