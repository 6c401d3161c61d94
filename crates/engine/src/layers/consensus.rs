//! Consensus: a trick is completed and a hand is scored only after every person at the table agrees. Bots do not vote,
//! so a table of bots never waits.

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
        let complete_trick = Action::CompleteTrick;
        match state.phase {
            Phase::Playing if !offers.contains(&complete_trick) => return,
            _ if waiting_for.is_empty() => return,
            Phase::Playing => offers.remove(complete_trick),
            _ => [Action::ScoreHand, Action::EndGame].into_iter().for_each(|score| offers.remove(score)),
        }
        // `Offers` ignores the agreement that does not belong to the phase.
        for player in waiting_for.seats() {
            offers.push(Action::AgreeCompleteTrick { player });
            offers.push(Action::AgreeScoreHand { player });
        }
    }
}
