//! Consensus: a trick is taken in, and a hand is scored, only when every person at the table has said so. Programs do
//! not vote, so a table of programs never waits.
//!
//! Of the two agreements only the one that belongs to the phase has a place among the offers.

use texas42_vocab::{Action, Consensus, Phase};

use crate::{offers::Offers, rules::Rules, state::State};

impl Rules for Consensus {
    fn name(&self) -> &'static str {
        Self::NAME
    }

    fn offers_in(&self) -> &'static [Phase] {
        &[Phase::Playing, Phase::Scoring]
    }

    fn offer(&self, state: &State, offers: &mut Offers) {
        let waiting_for = state.humans.without(state.agreed);
        let goes_on = Action::CompleteTrick;
        match state.phase {
            Phase::Playing if !offers.contains(&goes_on) => return,
            _ if waiting_for.is_empty() => return,
            Phase::Playing => offers.remove(goes_on),
            _ => [Action::ScoreHand, Action::EndGame].into_iter().for_each(|scores| offers.remove(scores)),
        }
        for player in waiting_for.seats() {
            offers.push(Action::AgreeCompleteTrick { player });
            offers.push(Action::AgreeScoreHand { player });
        }
    }
}
