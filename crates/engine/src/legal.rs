//! What may be done now. There is one authority on legality, and this is it: [`crate::apply`] asks the same list.

use crate::{context::Context, offers::Offers, state::State};

/// Everything that may be done in a state, in a fixed order.
///
/// Events of the table around the game (undo, change of control) are not moves and never offered; [`crate::Game`]
/// takes them.
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
