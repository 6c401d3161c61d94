//! Chooses among plays that the search cannot tell apart: the one that a textbook recommends.
//!
//! A sampled chance has an error. A play that is ahead by less than that is not known to be better, and it must not teach a
//! bad habit. The principle: play no count on a trick that the opponents are sure to take, and play count on one that
//! the seat's own team is sure to take.

use core::cmp::Reverse;

use texas42_engine::{Goal, Terms};
use texas42_vocab::{Domino, Team};

use super::play::Judged;
use crate::{beginner::trumps_of, knowledge::Knowledge};

/// The position of the chosen play among these, which are sorted best first.
pub(super) fn chosen(knowledge: &Knowledge, terms: &Terms, judged: &[Judged]) -> usize {
    let Some(best) = judged.first() else { return 0 };
    let close = judged.iter().enumerate().filter(|(_, play)| best.is_about_equal_to(play));
    // The first of those with the same merit.
    let merit = |(at, play): &(usize, &Judged)| (merit(knowledge, terms, play.domino), Reverse(*at));
    close.max_by_key(merit).map_or(0, |(at, _)| at)
}

/// The count that a play is sure to give to the seat's own team; negative if it goes to the opponents. A lead is no
/// answer to a trick, and a trump is not thrown on one that needs none.
fn merit(knowledge: &Knowledge, terms: &Terms, domino: Domino) -> i8 {
    let count = domino.count() as i8;
    match (terms.goal, sure_taker(knowledge, terms, domino)) {
        (Goal::Points(_), Some(team)) if team != knowledge.seat.team() => -count,
        (Goal::Points(_), Some(_)) if is_called(knowledge, terms, domino) || !is_trump(terms, domino) => count,
        _ => 0,
    }
}

fn is_trump(terms: &Terms, domino: Domino) -> bool {
    trumps_of(terms.suits).contains(domino)
}

/// Whether the domino follows the lead.
fn is_called(knowledge: &Knowledge, terms: &Terms, domino: Domino) -> bool {
    let lead = knowledge.on_table().and_then(|trick| trick.dominoes.first());
    lead.is_some_and(|lead| terms.suits.members(terms.suits.called(*lead)).contains(domino))
}

/// The team that takes the trick on the table after this play, for any hidden hands; `None` for a lead.
fn sure_taker(knowledge: &Knowledge, terms: &Terms, domino: Domino) -> Option<Team> {
    let trick = knowledge.on_table()?;
    let called = terms.suits.called(*trick.dominoes.first()?);
    let power = |domino| terms.suits.power(called, domino);
    let held = knowledge.best_on_table()?;
    let (holder, best) = if power(domino) > power(held.1) { (knowledge.seat, domino) } else { held };
    let later = terms.trick_size().saturating_sub(trick.dominoes.len() + 1);
    let next = |seat: &_| Some(terms.next_player(*seat));
    let is_safe_from = |seat: texas42_vocab::Seat| {
        let may_hold = knowledge.shown[seat.index()].unwrap_or(knowledge.unseen() - knowledge.lacks[seat.index()]);
        seat.team() == holder.team() || may_hold.into_iter().all(|other| power(other) < power(best))
    };
    let mut others = core::iter::successors(next(&knowledge.seat), next).take(later);
    others.all(is_safe_from).then(|| holder.team())
}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;

    use texas42_vocab::{Action, Bid, Phase, Seat, Trump};

    use super::*;
    use crate::{
        DecisionPoint, Strategy,
        knowledge::tests::{bid_alone, table, table_with},
    };

    fn d(text: &str) -> Domino {
        text.parse().unwrap()
    }

    /// Seat 0 leads this with sixes as trumps, and seat 1, which is void, has to throw something off.
    fn after_lead(lead: &str) -> (Knowledge, Terms) {
        let mut room = table_with("{}", &["6-6 6-5 6-4 6-3 6-2 6-1 6-0", "5-0 4-1 3-1 2-1 1-0 0-0 5-1"]);
        bid_alone(&mut room, Bid::points(31));
        room.execute(Action::SelectTrump { player: Seat::ALL[0], trump: Trump::Sixes }).unwrap();
        room.execute(Action::Play { player: Seat::ALL[0], domino: d(lead) }).unwrap();
        let knowledge = Knowledge::new(&room.view(Seat::ALL[1]), Seat::ALL[1]).unwrap();
        let terms = knowledge.terms.unwrap();
        (knowledge, terms)
    }

    fn judged(plays: &[(&str, u32)]) -> Vec<Judged> {
        plays.iter().map(|(domino, good)| Judged::sampled(d(domino), 300, *good)).collect()
    }

    #[test]
    fn a_difference_within_the_error_throws_no_count_on_a_lost_trick() {
        let (knowledge, terms) = after_lead("6-6");
        let chosen = |plays: &[(&str, u32)]| chosen(&knowledge, &terms, &judged(plays));
        assert_eq!(chosen(&[("5-0", 190), ("3-1", 187), ("2-1", 187)]), 1, "one percent is no difference");
        assert_eq!(chosen(&[("3-1", 190), ("5-0", 190)]), 0);
        assert_eq!(chosen(&[("5-0", 190), ("3-1", 150)]), 0, "a real difference counts");
        assert_eq!(chosen(&[("5-0", 190), ("4-1", 189)]), 0, "neither is better by the book");
    }

    #[test]
    fn a_trick_that_can_still_be_beaten_is_not_lost_for_sure() {
        let (knowledge, terms) = after_lead("6-1");
        // Seat 1 does not see that seat 0 holds all trumps, so its partner might go over 6-1.
        assert_eq!(chosen(&knowledge, &terms, &judged(&[("5-0", 190), ("3-1", 188)])), 0);
    }

    /// In whole games no play that is at most one percent behind is left for one that gives count away for sure.
    #[test]
    fn an_expert_gives_no_count_away_for_one_percent() {
        let mut followed = 0;
        for seed in 0..2 {
            let mut room = table(&alloc::format!("textbook-{seed}"));
            while room.state().hand_number < 2 && !room.state().phase.is_over() {
                let Some(seat) = room.state().to_act() else {
                    let next = room.legal().nth(0).unwrap();
                    room.execute(next).unwrap();
                    continue;
                };
                let view = room.view(seat);
                let point = DecisionPoint { worlds: Some(24), ..DecisionPoint::new(&view, seat, seed) };
                let decision = Strategy::Expert.decide(&point).unwrap();
                let knowledge = Knowledge::new(&view, seat).unwrap();
                if let (Phase::Playing, Some(terms), Action::Play { domino, .. }) =
                    (room.state().phase, knowledge.terms, decision.action)
                {
                    let best = decision.choices.first().map_or(0.0, |choice| choice.chance);
                    let close = decision.choices.iter().filter(|choice| best - choice.chance <= 0.01);
                    let merits = close.filter_map(|choice| crate::decision::played(choice.action));
                    let most = merits.map(|domino| merit(&knowledge, &terms, domino)).max().unwrap_or(0);
                    assert!(merit(&knowledge, &terms, domino) >= most.min(0), "{domino}: {:?}", decision.choices);
                    followed += usize::from(sure_taker(&knowledge, &terms, domino).is_some());
                }
                room.execute(decision.action).unwrap();
            }
        }
        assert!(followed > 20, "{followed}");
    }
}
