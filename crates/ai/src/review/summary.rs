//! What the findings of a review add up to: hands, their turning points, and how well each seat played.

use alloc::vec::Vec;

use texas42_engine::State;
use texas42_protocol::review::{ChartPoint, GameReview, MoveClass, ReviewedDecision, ReviewedHand, SeatAccuracy};
use texas42_vocab::{Action, Scoring, Seat};

use super::{ReviewOptions, class};

/// A decision with a lower regret, in marks, counts as good as the best.
const NEGLIGIBLE: f64 = 0.05;

/// What the log says about a hand.
#[derive(Clone, Debug)]
pub(super) struct HandFacts {
    pub(super) number: u32,
    /// The events of its bids.
    bids: Vec<usize>,
    /// Whether the contract was made, and by whom.
    result: Option<(Seat, bool)>,
}

impl HandFacts {
    pub(super) const fn new(number: u32) -> Self {
        Self { number, bids: Vec::new(), result: None }
    }

    /// Adds an event.
    pub(super) fn note(&mut self, event: usize, action: Action, after: &State) {
        if matches!(action, Action::Bid { .. }) {
            self.bids.push(event);
        }
        if after.hand_number == self.number
            && let Some((contract, outcome)) = after.contract.zip(after.outcome)
        {
            self.result = Some((contract.bidder, outcome.made));
        }
    }

    /// Whether the event is a bid that another seat went over. Such a bid cannot turn a hand.
    pub(super) fn was_overbid(&self, event: usize) -> bool {
        self.bids.contains(&event) && self.bids.last() != Some(&event)
    }

    /// Whether an error of a seat was punished: the hand ended badly for its team.
    pub(super) fn was_punished(&self, event: usize, seat: Seat) -> Option<bool> {
        let (bidder, made) = self.result?;
        Some(!self.was_overbid(event) && made != (bidder.team() == seat.team()))
    }
}

/// The report about these findings.
pub(super) fn report(
    scoring: Scoring,
    options: ReviewOptions,
    decisions: Vec<ReviewedDecision>,
    chart: &[(u32, ChartPoint)],
    hands: &[HandFacts],
) -> GameReview {
    let hands: Vec<ReviewedHand> = hands.iter().map(|hand| reviewed_hand(hand, &decisions, chart)).collect();
    GameReview {
        scoring,
        worlds: options.worlds,
        seed: options.seed,
        turning_points: hands.iter().filter_map(|hand| hand.turning_point).collect(),
        hands,
        seats: Seat::ALL.map(|seat| seat_accuracy(decisions.iter().filter(|decision| decision.seat == seat))),
        decisions,
    }
}

fn reviewed_hand(hand: &HandFacts, decisions: &[ReviewedDecision], chart: &[(u32, ChartPoint)]) -> ReviewedHand {
    let of_hand = decisions.iter().filter(|decision| decision.hand_number == hand.number);
    ReviewedHand {
        hand_number: hand.number,
        made: hand.result.map(|(_, made)| made),
        chart: chart.iter().filter(|(number, _)| *number == hand.number).map(|(_, point)| *point).collect(),
        turning_point: turning_point(of_hand),
    }
}

/// The event of the decision that turned a hand or gave most away.
fn turning_point<'a>(decisions: impl Iterator<Item = &'a ReviewedDecision>) -> Option<u32> {
    let weight = |decision: &ReviewedDecision| decision.regret + f64::from(u8::from(decision.turned));
    let most = decisions.max_by(|one, other| weight(one).total_cmp(&weight(other)))?;
    (weight(most) >= NEGLIGIBLE).then_some(most.event)
}

fn seat_accuracy<'a>(decisions: impl Iterator<Item = &'a ReviewedDecision>) -> SeatAccuracy {
    let mut seat = SeatAccuracy::default();
    let (mut sum, mut weights) = (0.0, 0.0);
    for decision in decisions {
        seat.decisions += 1;
        seat.good += u32::from(decision.regret < NEGLIGIBLE);
        seat.regret += decision.regret;
        let place = MoveClass::ALL.iter().position(|class| *class == decision.class).unwrap_or(0);
        seat.classes[place] += 1;
        if let Some((accuracy, weight)) = class::accuracy(decision) {
            sum += weight * accuracy;
            weights += weight;
        }
    }
    seat.accuracy = (weights > 0.0).then(|| (sum / weights).min(100.0));
    seat
}
