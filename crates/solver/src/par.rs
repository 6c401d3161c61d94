//! Par: what a seat's team takes if the seat names the best trump and all four play perfectly with open hands.

use texas42_engine::{Contract, HAND_POINTS, Tally, terms_under};
use texas42_vocab::{Bid, Config, Deal, Seat, Trump};

use crate::{position::Position, solver::Solver};

/// The lowest bid. Par counts points, so the bid only determines the contract that is solved.
const BID: u8 = 30;

/// The most points that the team of `declarer` takes with perfect play, over the nine trumps of straight 42. The declarer
/// leads.
///
/// ```
/// use texas42_engine::Context;
/// use texas42_solver::par;
/// use texas42_vocab::Seat;
///
/// let hands = Context::compose(&Default::default()).unwrap().deal(0);
/// assert!(par(&hands, Seat::ALL[0]) <= 42);
/// ```
pub fn par(hands: &Deal, declarer: Seat) -> u8 {
    let mut solver = Solver::new();
    let best = |best: u8, trump: Trump| best.max(points(&mut solver, hands, declarer, trump, best));
    Trump::STRAIGHT.into_iter().fold(0, best)
}

/// The points with one trump, if they exceed `known`; otherwise at most `known`.
fn points(solver: &mut Solver, hands: &Deal, declarer: Seat, trump: Trump, known: u8) -> u8 {
    let contract = Contract { bidder: declarer, bid: Bid::points(BID), declarer, trump };
    let terms = terms_under(&Config::default(), &contract);
    let position = Position::new(&terms, *hands, declarer, &[], &Tally::default());
    position.map_or(0, |position| solver.points_within(&position, known + 1, HAND_POINTS))
}

#[cfg(test)]
mod tests {
    use texas42_engine::Context;

    use super::*;

    /// Narrowing the search to what beats the best trump so far does not change the result.
    #[test]
    fn is_the_best_exact_value_of_all_trumps() {
        for seed in ["par-1", "par-2", "daily-2026-01-15-hard"] {
            let config = Config { seed: Some(seed.parse().unwrap()), ..Config::default() };
            let hands = Context::compose(&config).unwrap().deal(0);
            for declarer in Seat::ALL {
                let exact = |trump| {
                    let contract = Contract { bidder: declarer, bid: Bid::points(BID), declarer, trump };
                    let terms = terms_under(&config, &contract);
                    let position = Position::new(&terms, hands, declarer, &[], &Tally::default()).unwrap();
                    Solver::new().value(&position).points().unwrap()
                };
                assert_eq!(Some(par(&hands, declarer)), Trump::STRAIGHT.into_iter().map(exact).max(), "{seed}");
            }
        }
    }
}
