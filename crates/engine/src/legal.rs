//! The legal actions of a state. This is the only authority on legality; [`crate::apply`] checks against the same set.

use crate::{context::Context, offers::Offers, state::State};

/// The legal actions of a state.
///
/// Events of the table around the game (undo, change of control) are not moves and are never offered; pass them to
/// [`Game::apply`](crate::Game::apply).
///
/// ```
/// # use texas42_engine::{Context, legal};
/// let ctx = Context::compose(&Default::default()).unwrap();
/// // Pass, 30 to 41, one mark, two marks.
/// assert_eq!(legal(&ctx, &ctx.first_state()).len(), 15);
/// ```
#[inline(always)]
pub fn legal(ctx: &Context, state: &State) -> Offers {
    ctx.offers(state)
}
