//! Whether a session may initiate an action. Whether the rules allow it now is up to the engine.

use texas42_phrases::Problem;
use texas42_protocol::{Capability, WireError};
use texas42_vocab::Action;

/// Checks an action against capabilities.
///
/// # Errors
/// If the capabilities do not allow the action. An action of a seat needs the capability for that seat, and an undo
/// needs `undo-actions`. Nobody may send actions that the table performs automatically.
pub fn authorise(capabilities: &[Capability], action: Action) -> Result<(), WireError> {
    let (needed, problem) = match action {
        Action::Undo { .. } => (Capability::UndoActions, Problem::UndoNotAllowed),
        Action::SetControl { .. } => {
            return Err(WireError::new(Problem::ControlByRequest));
        }
        _ => match action.player() {
            Some(player_index) => (Capability::ActAsPlayer { player_index }, Problem::CannotActForSeat),
            None => return Err(WireError::new(Problem::AutomaticAction)),
        },
    };
    if capabilities.contains(&needed) { Ok(()) } else { Err(WireError::new(problem)) }
}
