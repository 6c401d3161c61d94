//! Consensus: a trick is taken in, and a hand is scored, only when every person at the table has said so. Programs do
//! not vote, so a table of programs never waits.

use texas42_vocab::{Action, Consensus, Phase};

use crate::{offers::Offers, rules::Rules, state::State};

impl Rules for Consensus {
    fn name(&self) -> &'static str {
        "consensus"
    }

    fn speaks_in(&self) -> &'static [Phase] {
        &[Phase::Playing, Phase::Scoring]
    }

    fn offer(&self, state: &State, offers: &mut Offers) {
        let waiting_for = state.humans.without(state.agreed);
        if waiting_for.is_empty() || !offers.iter().any(|action| goes_on(*action)) {
            return;
        }
        offers.retain(|action| !goes_on(action));
        for player in waiting_for.seats() {
            offers.push(match state.phase {
                Phase::Scoring => Action::AgreeScoreHand { player },
                _ => Action::AgreeCompleteTrick { player },
            });
        }
    }
}

/// The actions that take the table on and so wait for everybody.
const fn goes_on(action: Action) -> bool {
    matches!(action, Action::CompleteTrick | Action::ScoreHand | Action::EndGame)
}
