//! The lens with all hands open: exact results by the solver. Only this lens sees the true hands.

use texas42_engine::{HAND_POINTS, Tally};
use texas42_protocol::review::{LinePlay, OpenResult, PunishedLine};
use texas42_solver::{MoveValues, Position, Solver, Value};
use texas42_vocab::{Action, Bid, BidKind, Hand, Seat, Trump};

use crate::{
    expert::{claimed, position, rest_is_ours},
    knowledge::Knowledge,
};

/// Evaluates the choices of one decision with all hands open.
pub(super) struct OpenLens<'a> {
    knowledge: &'a Knowledge,
    hands: [Hand; 4],
    solver: &'a mut Solver,
    plays: Option<MoveValues>,
    /// The most points that the seat takes with any trump, computed on demand.
    most: Option<u8>,
}

impl<'a> OpenLens<'a> {
    pub(super) fn new(knowledge: &'a Knowledge, hands: [Hand; 4], solver: &'a mut Solver) -> Self {
        Self { knowledge, hands, solver, plays: None, most: None }
    }

    /// The result after an action; `None` for a pass, which leads to no contract.
    pub(super) fn after(&mut self, action: Action) -> Option<OpenResult> {
        match action {
            Action::Play { domino, .. } => {
                let value = self.plays().iter().find(|(played, _)| *played == domino);
                value.map(|(_, value)| result(*value))
            }
            Action::SelectTrump { trump, .. } => {
                let (bidder, bid) = self.knowledge.standing()?;
                self.contract(bidder, bid, trump)
            }
            Action::Bid { bid, .. } => self.bid(bid),
            Action::Claim { .. } => self.claim(),
            _ => None,
        }
    }

    fn plays(&mut self) -> &MoveValues {
        let (knowledge, hands) = (self.knowledge, self.hands);
        let moves = || position(knowledge, hands).map(|position| self.solver.moves(&position)).unwrap_or_default();
        self.plays.get_or_insert_with(moves)
    }

    fn claim(&self) -> Option<OpenResult> {
        let terms = self.knowledge.terms?;
        let (outcome, tally) = claimed(self.knowledge, rest_is_ours(self.knowledge))?;
        let points = tally.points[terms.bidder.team().index()];
        Some(OpenResult { made: outcome.made, points: (terms.goal != texas42_engine::Goal::NoTrick).then_some(points) })
    }

    fn contract(&mut self, bidder: Seat, bid: Bid, trump: Trump) -> Option<OpenResult> {
        let position = start(self.knowledge, (bidder, bid, trump), self.hands)?;
        Some(result(self.solver.value(&position)))
    }

    fn bid(&mut self, bid: Bid) -> Option<OpenResult> {
        match bid.kind {
            BidKind::Points => self.points(bid.value),
            BidKind::Marks => {
                let special = |(least, trump)| (least <= bid.value).then_some(trump);
                let specials = self.knowledge.special_contracts().into_iter().filter_map(special);
                let specials: alloc::vec::Vec<Trump> = specials.collect();
                self.points(HAND_POINTS).max(self.best_of(bid, &specials))
            }
            BidKind::Plunge | BidKind::Splash => self.best_of(bid, &Trump::STRAIGHT),
        }
    }

    pub(super) fn best_of(&mut self, bid: Bid, trumps: &[Trump]) -> Option<OpenResult> {
        trumps.iter().filter_map(|trump| self.contract(self.knowledge.seat, bid, *trump)).max()
    }

    /// The result of a bid of `wanted` points with the best trump. The most points are the same for every bid, so they
    /// are computed once.
    fn points(&mut self, wanted: u8) -> Option<OpenResult> {
        if self.most.is_none() {
            self.most = self.best_of(Bid::points(30), &Trump::STRAIGHT)?.points;
        }
        self.most.map(|most| OpenResult { made: most >= wanted, points: Some(most) })
    }
}

/// The first lead of a contract.
fn start(knowledge: &Knowledge, (bidder, bid, trump): (Seat, Bid, Trump), hands: [Hand; 4]) -> Option<Position> {
    let terms = knowledge.terms_if(bidder, bid, trump);
    Position::new(&terms, hands, terms.leader, &[], &Tally::default())
}

/// What follows from a play or from the naming of trumps if everybody plays perfectly from there; `None` for calls and
/// claims, and for an action that is not legal.
pub(super) fn line_after(
    knowledge: &Knowledge,
    hands: [Hand; 4],
    action: Action,
    solver: &mut Solver,
) -> Option<PunishedLine> {
    let mut known = knowledge.clone();
    let after = match action {
        Action::Play { player, domino } => {
            let after = position(knowledge, hands)?.play(domino)?;
            known.lay(player, domino);
            after
        }
        Action::SelectTrump { trump, .. } => {
            let (bidder, bid) = knowledge.standing()?;
            known.begin(bidder, bid, trump);
            start(knowledge, (bidder, bid, trump), hands)?
        }
        _ => return None,
    };
    let ours = known.is_bidders();
    let value = result(solver.value(&after));
    let terms = known.terms?;
    let mut plays = alloc::vec::Vec::new();
    for (seat, domino) in solver.principal_variation(&after) {
        if terms.outcome(&known.tally).is_some() {
            break;
        }
        known.lay(seat, domino);
        plays.push(LinePlay { seat, domino });
    }
    Some(PunishedLine { plays, result: value, punished: value.made != ours })
}

fn result(value: Value) -> OpenResult {
    OpenResult { made: value.makes(), points: value.points() }
}

#[cfg(test)]
mod tests {
    use alloc::format;

    use super::*;
    use crate::knowledge::tests::table;

    #[test]
    fn a_bid_is_evaluated_with_its_best_trump() {
        let mut made = [0; 2];
        for seed in 0..3 {
            let room = table(&format!("bid-{seed}"));
            let seat = room.state().to_act().unwrap();
            let (knowledge, hands) = (Knowledge::new(&room.view(seat), seat).unwrap(), room.state().hands);
            let mut solver = Solver::new();
            let mut lens = OpenLens::new(&knowledge, hands, &mut solver);
            for bid in [Bid::points(30), Bid::points(36), Bid::points(41), Bid::marks(1), Bid::marks(2)] {
                let named = if bid.kind == BidKind::Points { &Trump::STRAIGHT[..] } else { &Trump::ALL[..] };
                let open = lens.bid(bid).unwrap();
                assert_eq!(Some(open), lens.best_of(bid, named), "{bid} of {knowledge:?}");
                made[usize::from(open.made)] += 1;
            }
        }
        assert!(made.iter().all(|times| *times > 0), "{made:?}");
    }
}
