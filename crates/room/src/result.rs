//! The result of a finished game, the same at a table and for tools.

use alloc::vec::Vec;

use texas42_engine::{Game, State, code};
use texas42_phrases::Language;
use texas42_protocol::{ChallengeView, ResultView};

/// The result of a game in its final state, without its hands. The seed, the code and the link lead to the deals, so a
/// table with secret deals adds the link itself, from the deals that it has revealed.
pub(crate) fn result_view(game: &Game, state: &State, is_public: bool) -> ResultView {
    let ctx = game.ctx();
    let code = is_public.then(|| code::encode(game));
    let (stars, challenge) = (ctx.stars(state), ctx.challenge().map(ChallengeView::from));
    ResultView {
        winner: ctx.winner(state),
        score: state.score,
        seed: is_public.then(|| *ctx.seed()),
        replay_link: code.as_deref().map(code::link),
        code,
        stars,
        challenge,
        share_text: challenge.zip(stars).map(|(challenge, stars)| {
            Language::English.words().share_line(challenge.date, challenge.difficulty, stars)
        }),
        hands: Vec::new(),
    }
}
