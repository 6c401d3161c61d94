//! Estimates a hand before play: trumps from the top, doubles that walk, and offs that may be lost with count on them.

use texas42_engine::{HAND_POINTS, Suit, Suits};
use texas42_phrases::Remark;
use texas42_vocab::{Action, Bid, BidKind, Domino, Hand, Trump};

use crate::{decision::Decision, knowledge::Knowledge, reasons};

/// The average count that goes with a lost trick.
const COUNT_LOST: f64 = 5.0;
/// With fewer trumps than this, the opponents have too many.
const ENOUGH_TRUMPS: usize = 3;
/// The average number of trumps drawn by leading a trump.
const DRAWN: f64 = 1.6;
/// The points to bid beyond the estimate, because leaving the contract to the opponents is worse.
const HOPE: f64 = 1.5;

/// The estimated value of a hand with a trump.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HandEstimate {
    /// The trump to name.
    pub trump: Trump,
    /// The estimated points of the team.
    pub points: f64,
    /// The estimated number of lost tricks.
    pub lost: f64,
}

impl HandEstimate {
    /// Estimates a hand with one of the nine trumps.
    pub fn new(hand: Hand, trump: Trump) -> Self {
        let suits = Suits::straight(trump);
        let trumps = trumps_of(suits) & hand;
        let losses =
            trump_losses(suits, trumps).chain((hand - trumps).into_iter().map(|off| off_loss(suits, hand, off)));
        let (lost, points) =
            losses.fold((0.0, 0.0), |(lost, points), (chance, worth)| (lost + chance, points + chance * worth));
        let short = if suits == Suits::DoublesHigh { 0 } else { ENOUGH_TRUMPS.saturating_sub(trumps.len()) };
        let points = f64::from(HAND_POINTS) - points - 7.0 * short as f64;
        Self { trump, points, lost: lost + short as f64 }
    }

    /// The estimate with the best of the nine trumps.
    pub fn best(hand: Hand) -> Self {
        let all = Trump::STRAIGHT.map(|trump| Self::new(hand, trump));
        all.into_iter().reduce(|best, next| if next.points > best.points { next } else { best }).unwrap_or(all[0])
    }
}

pub(crate) fn trumps_of(suits: Suits) -> Hand {
    match suits {
        Suits::Trumps(pip) => suits.members(pip),
        Suits::DoublesTrump => suits.members(texas42_engine::DOUBLES),
        _ => Hand::EMPTY,
    }
}

/// The chance that each trump is lost, and the points that go with it.
fn trump_losses(suits: Suits, trumps: Hand) -> impl Iterator<Item = (f64, f64)> {
    let missing = trumps_of(suits) - trumps;
    let power = move |domino| suits.power(0, domino);
    trumps.into_iter().map(move |trump| {
        let above = |set: Hand| set.into_iter().filter(|other| power(*other) > power(trump)).count() as f64;
        let chance = (0.6 * (above(missing) - DRAWN * above(trumps))).clamp(0.0, 1.0);
        (chance, 1.0 + f64::from(trump.count()) + COUNT_LOST)
    })
}

/// The chance that an off is lost, and the points that go with it.
fn off_loss(suits: Suits, hand: Hand, off: Domino) -> (f64, f64) {
    let called = suits.called(off);
    let above = |other: &Domino| suits.power(called, *other) > suits.power(called, off);
    let higher = (suits.members(called) - hand).into_iter().filter(above).count() as f64;
    let chance = if higher == 0.0 { 0.1 } else { (0.35 + 0.12 * higher).min(0.8) };
    (chance, 1.0 + f64::from(off.count()) + COUNT_LOST)
}

/// The estimated number of dominoes that are caught in a nello with these suits: high ones without lower ones in the
/// same hand, in each suit that they follow and that can be called.
pub(crate) fn caught(hand: Hand, suits: Suits) -> f64 {
    let is_called = |suit: Suit, by: Domino| suits.called(by) == suit;
    let risk = |domino: Domino, suit: Suit| {
        if !is_called(suit, domino) && !(!hand).into_iter().any(|other| is_called(suit, other)) {
            return 0.0;
        }
        let members = suits.members(suit);
        let is_below = |other: &Domino| suits.power(suit, *other) < suits.power(suit, domino);
        let below = |set: Hand| set.into_iter().filter(is_below).count() as f64;
        (below(members - hand) / 6.0 - 0.3 * below(members & hand)).max(0.0)
    };
    hand.into_iter().flat_map(|domino| suits.suits_of(domino).map(move |suit| risk(domino, suit))).sum()
}

/// The total distance of the dominoes of a hand from seven pips.
pub(crate) fn from_seven(hand: Hand) -> u32 {
    hand.into_iter().map(|domino| u32::from(domino.pips().abs_diff(7))).sum()
}

pub(super) fn decide(knowledge: &Knowledge, valid: &[Action]) -> Option<Decision> {
    let names_trumps = valid.iter().any(|action| matches!(action, Action::SelectTrump { .. }));
    if names_trumps { declare(knowledge, valid) } else { bid(knowledge, valid) }
}

/// The limit of [`caught`] for a nello. About one hand in 36 is below it, or one in 80 to 100 if doubles are not a suit
/// of their own. Among beginners, at least two of three such nellos are made.
const SAFE_NELLO: f64 = 0.7;
/// The limit of [`from_seven`] for sevens. About one hand in 17 is within it, and three of four are made.
const SAFE_SEVENS: u32 = 11;
/// The limits of the estimated lost tricks for a bid of one mark and of two marks.
const MARK: f64 = 0.45;
const TWO_MARKS: f64 = 0.25;

/// Whether a hand suits nello or sevens by the rules of this table.
fn is_suited_for(knowledge: &Knowledge, trump: Trump, marks: u8) -> bool {
    match trump {
        Trump::Nello => {
            caught(knowledge.hand, knowledge.terms_if(knowledge.seat, Bid::marks(marks), trump).suits) < SAFE_NELLO
        }
        Trump::Sevens => from_seven(knowledge.hand) <= SAFE_SEVENS,
        _ => false,
    }
}

fn declare(knowledge: &Knowledge, valid: &[Action]) -> Option<Decision> {
    let named = |action: &Action| match action {
        Action::SelectTrump { trump, .. } => Some((*action, *trump)),
        _ => None,
    };
    let straight = valid.iter().filter_map(named).filter(|(_, trump)| Trump::STRAIGHT.contains(trump));
    let (action, outlook) = straight
        .map(|(action, trump)| (action, HandEstimate::new(knowledge.hand, trump)))
        .reduce(|best, next| if next.1.points > best.1.points { next } else { best })?;
    let marks = knowledge.standing().map_or(1, |(_, bid)| bid.stake());
    let special = valid.iter().filter_map(named).find(|(_, trump)| is_suited_for(knowledge, *trump, marks));
    match special {
        Some((action, trump)) if outlook.lost >= MARK => {
            Some(Decision::plain(action, Remark::HandFor { trump, bid: None }))
        }
        _ => Some(Decision::plain(
            action,
            Remark::LooksBest { trump: outlook.trump, points: reasons::points(outlook.points) },
        )),
    }
}

fn bid(knowledge: &Knowledge, valid: &[Action]) -> Option<Decision> {
    let outlook = HandEstimate::best(knowledge.hand);
    let points = outlook.points;
    let of = |action: &Action| match action {
        Action::Bid { bid, .. } => Some((*action, *bid)),
        _ => None,
    };
    let with_trumps = |bid: Bid| match (bid.kind, bid.value) {
        (BidKind::Points, value) => f64::from(value) <= points + HOPE && !partner_has_it(knowledge),
        (BidKind::Marks, 1) => outlook.lost < MARK,
        (BidKind::Marks, 2) => outlook.lost < TWO_MARKS,
        (BidKind::Plunge | BidKind::Splash, _) => outlook.lost < MARK,
        _ => false,
    };
    let special = |bid: Bid| special_for(knowledge, bid).filter(|_| outlook.lost >= MARK);
    let wanted = |bid: Bid| with_trumps(bid) || special(bid).is_some();
    let bids = valid.iter().filter_map(of);
    // The highest stake that the hand is good for, and the lowest of the point bids.
    let best = bids.filter(|(_, bid)| wanted(*bid)).max_by_key(|(_, bid)| (bid.stake(), core::cmp::Reverse(bid.value)));
    if let Some((action, bid)) = best {
        let why = match special(bid) {
            Some(trump) => Remark::HandFor { trump, bid: Some(bid) },
            None => Remark::LooksLike { trump: outlook.trump, points: reasons::points(points), bid },
        };
        return Some(Decision::plain(action, why));
    }
    let pass = valid.iter().find(|action| matches!(action, Action::Pass { .. }));
    if let Some(pass) = pass {
        return Some(Decision::plain(*pass, Remark::NotEnough { points: reasons::points(points) }));
    }
    let least = valid.iter().filter_map(of).min_by_key(|(_, bid)| bid.worth())?;
    Some(Decision::plain(least.0, Remark::LeastBid))
}

fn partner_has_it(knowledge: &Knowledge) -> bool {
    knowledge.standing().is_some_and(|(seat, _)| seat == knowledge.seat.partner())
}

/// Nello or sevens, if the hand suits it and the bid is exactly its minimum.
fn special_for(knowledge: &Knowledge, bid: Bid) -> Option<Trump> {
    let takes = |(least, trump): (u8, Trump)| (bid == Bid::marks(least)).then_some(trump);
    knowledge
        .special_contracts()
        .into_iter()
        .filter_map(takes)
        .find(|trump| is_suited_for(knowledge, *trump, bid.value))
}

#[cfg(test)]
mod tests {
    use alloc::format;

    use texas42_room::HeadlessRoom;
    use texas42_vocab::Seat;

    use super::*;
    use crate::{
        DecisionPoint, Strategy,
        knowledge::tests::{bid_alone, table_with},
    };

    fn hand(text: &str) -> Hand {
        text.split(' ').map(|domino| domino.parse::<Domino>().unwrap()).collect()
    }

    #[test]
    fn more_and_higher_trumps_look_better() {
        let strong = HandEstimate::best(hand("5-5 6-5 5-4 5-3 6-6 4-4 1-0"));
        assert_eq!(strong.trump, Trump::Fives);
        assert!(strong.points > 34.0, "{strong:?}");
        let weak = HandEstimate::best(hand("6-1 5-0 4-1 3-0 2-1 6-3 4-2"));
        assert!(weak.points < 26.0, "{weak:?}");
    }

    #[test]
    fn low_dominoes_suit_a_nello() {
        let suits = Suits::DoublesOwn;
        assert!(caught(hand("1-0 2-0 3-0 4-0 2-1 3-1 0-0"), suits) < SAFE_NELLO);
        assert!(caught(hand("6-6 6-5 5-4 5-3 6-4 4-4 3-3"), suits) > 2.0);
        // The lowest sixes and fives, but the highest twos and ones.
        assert!(caught(hand("6-2 6-1 6-0 5-2 5-1 5-0 0-0"), suits) > SAFE_NELLO);
    }

    /// What a beginner bids as the first seat, and what it names after the others pass.
    fn calls(rules: &str, hand: &str) -> (Option<Bid>, Option<Trump>) {
        let mut room = table_with(rules, &[hand]);
        let seat = Seat::ALL[0];
        let decide =
            |room: &HeadlessRoom| Strategy::Beginner.decide(&DecisionPoint::new(&room.view(seat), seat, 1)).unwrap();
        let Action::Bid { bid, .. } = decide(&room).action else { return (None, None) };
        bid_alone(&mut room, bid);
        let Action::SelectTrump { trump, .. } = decide(&room).action else { return (Some(bid), None) };
        (Some(bid), Some(trump))
    }

    #[test]
    fn nello_is_evaluated_by_the_doubles_rule_of_the_table() {
        let (low_doubles, high_doubles) = ("1-1 2-2 3-3 2-0 3-0 4-0 5-0", "1-0 2-0 2-1 4-1 4-4 6-2 6-6");
        for (doubles, hand, is_nello) in [
            ("own", low_doubles, true),
            ("high", low_doubles, false),
            ("own", high_doubles, false),
            ("low", high_doubles, true),
        ] {
            let rules = format!(r#"{{"layers":[{{"type":"nello","doubles":"{doubles}"}}]}}"#);
            let named = calls(&rules, hand);
            assert_eq!(named == (Some(Bid::marks(1)), Some(Trump::Nello)), is_nello, "{doubles} {hand}: {named:?}");
        }
    }

    #[test]
    fn bids_sevens_and_two_mark_nello_on_suitable_hands() {
        let (near_seven, low) = ("6-1 5-2 4-3 6-2 5-3 4-4 6-0", "0-0 1-1 2-1 2-0 3-0 3-1 4-0");
        let sevens = r#"{"layers":[{"type":"sevens"}]}"#;
        assert_eq!(calls(sevens, near_seven), (Some(Bid::marks(1)), Some(Trump::Sevens)));
        assert_ne!(calls(sevens, low).1, Some(Trump::Sevens));
        let nello = r#"{"layers":[{"type":"nello","minimum":2}]}"#;
        assert_eq!(calls(nello, low), (Some(Bid::marks(2)), Some(Trump::Nello)));
        assert_ne!(calls(nello, near_seven).1, Some(Trump::Nello));
        assert_eq!(calls("{}", low).0, Some(Bid::points(30)));
    }
}
