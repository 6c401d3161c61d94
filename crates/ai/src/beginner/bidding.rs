//! What a hand looks worth before anything is played: trumps from the top, doubles that walk, offs that may be lost with
//! count on them.

use alloc::{format, string::ToString};

use texas42_engine::{HAND_POINTS, Suits};
use texas42_vocab::{Action, Bid, BidKind, Domino, Hand, Trump};

use crate::{
    ask::Decision,
    sight::Sight,
    words::{capitalised, whole},
};

/// What others throw on a trick that is lost, on average.
const COUNT_LOST: f64 = 5.0;
/// With fewer trumps than this the others have too many.
const ENOUGH_TRUMPS: usize = 3;
/// Drawn by each trump that is led, on average.
const DRAWN: f64 = 1.6;
/// Bidding the last ones is better than letting the others have the hand.
const HOPE: f64 = 1.5;

/// What a hand looks worth with a trump.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Outlook {
    /// What to name.
    pub trump: Trump,
    /// The points that the side takes, about.
    pub points: f64,
    /// The tricks that are lost, about.
    pub lost: f64,
}

impl Outlook {
    /// The outlook of a hand with one of the nine trumps.
    pub fn new(hand: Hand, trump: Trump) -> Self {
        let suits = suits(trump);
        let trumps = trumps_of(suits) & hand;
        let losses =
            trump_losses(suits, trumps).chain((hand - trumps).into_iter().map(|off| off_loss(suits, hand, off)));
        let (lost, points) =
            losses.fold((0.0, 0.0), |(lost, points), (chance, worth)| (lost + chance, points + chance * worth));
        let short = if suits == Suits::DoublesHigh { 0 } else { ENOUGH_TRUMPS.saturating_sub(trumps.len()) };
        let points = f64::from(HAND_POINTS) - points - 7.0 * short as f64;
        Self { trump, points, lost: lost + short as f64 }
    }

    /// The best of the nine.
    pub fn best(hand: Hand) -> Self {
        let all = Trump::STRAIGHT.map(|trump| Self::new(hand, trump));
        all.into_iter().reduce(|best, next| if next.points > best.points { next } else { best }).unwrap_or(all[0])
    }
}

fn suits(trump: Trump) -> Suits {
    match (trump.pip(), trump) {
        (Some(pip), _) => Suits::Trumps(pip),
        (None, Trump::Doubles) => Suits::DoublesTrump,
        (None, Trump::Nello) => Suits::DoublesOwn,
        (None, _) => Suits::DoublesHigh,
    }
}

pub(super) fn trumps_of(suits: Suits) -> Hand {
    match suits {
        Suits::Trumps(pip) => suits.members(pip),
        Suits::DoublesTrump => suits.members(texas42_engine::DOUBLES),
        _ => Hand::EMPTY,
    }
}

/// The chance that each trump is lost, and what goes with it.
fn trump_losses(suits: Suits, trumps: Hand) -> impl Iterator<Item = (f64, f64)> {
    let missing = trumps_of(suits) - trumps;
    let power = move |domino| suits.power(0, domino);
    trumps.into_iter().map(move |trump| {
        let above = |set: Hand| set.into_iter().filter(|other| power(*other) > power(trump)).count() as f64;
        let chance = (0.6 * (above(missing) - DRAWN * above(trumps))).clamp(0.0, 1.0);
        (chance, 1.0 + f64::from(trump.count()) + COUNT_LOST)
    })
}

/// The chance that a domino beside trumps is lost, and what goes with it.
fn off_loss(suits: Suits, hand: Hand, off: Domino) -> (f64, f64) {
    let called = suits.called(off);
    let above = |other: &Domino| suits.power(called, *other) > suits.power(called, off);
    let higher = (suits.members(called) - hand).into_iter().filter(above).count() as f64;
    let chance = if higher == 0.0 { 0.1 } else { (0.35 + 0.12 * higher).min(0.8) };
    (chance, 1.0 + f64::from(off.count()) + COUNT_LOST)
}

/// How many dominoes of a hand are likely to be caught in a nello: high ones without low ones beneath.
pub(crate) fn caught(hand: Hand) -> f64 {
    let suits = Suits::DoublesOwn;
    let risk = |domino: Domino| {
        let called = suits.called(domino);
        let power = |domino| suits.power(called, domino);
        let below = (suits.members(called) - hand).into_iter().filter(|other| power(*other) < power(domino)).count();
        let cover = (suits.members(called) & hand).into_iter().filter(|other| power(*other) < power(domino)).count();
        (below as f64 / 6.0 - 0.3 * cover as f64).max(0.0)
    };
    hand.into_iter().map(risk).sum()
}

pub(super) fn decide(sight: &Sight, valid: &[Action]) -> Option<Decision> {
    let names_trumps = valid.iter().any(|action| matches!(action, Action::SelectTrump { .. }));
    if names_trumps { declare(sight, valid) } else { bid(sight, valid) }
}

/// A nello that is not caught is better than offs that are. About one hand in 25 is below this.
const SAFE_NELLO: f64 = 0.3;
/// So few tricks may be lost for a bid of all of them, and for two marks.
const MARK: f64 = 0.45;
const TWO_MARKS: f64 = 0.25;

fn declare(sight: &Sight, valid: &[Action]) -> Option<Decision> {
    let named = |action: &Action| match action {
        Action::SelectTrump { trump, .. } => Some((*action, *trump)),
        _ => None,
    };
    let nello = valid.iter().filter_map(named).find(|(_, trump)| *trump == Trump::Nello);
    let straight = valid.iter().filter_map(named).filter(|(_, trump)| Trump::STRAIGHT.contains(trump));
    let (action, outlook) = straight
        .map(|(action, trump)| (action, Outlook::new(sight.hand, trump)))
        .reduce(|best, next| if next.1.points > best.1.points { next } else { best })?;
    match nello {
        Some((action, _)) if caught(sight.hand) < SAFE_NELLO && outlook.lost > MARK => {
            Some(Decision::plain(action, "Low all over: nobody gives me a trick."))
        }
        _ => Some(Decision::plain(
            action,
            format!("{} look best, about {} points.", capitalised(&outlook.trump.to_string()), whole(outlook.points)),
        )),
    }
}

fn bid(sight: &Sight, valid: &[Action]) -> Option<Decision> {
    let outlook = Outlook::best(sight.hand);
    let points = outlook.points;
    let of = |action: &Action| match action {
        Action::Bid { bid, .. } => Some((*action, *bid)),
        _ => None,
    };
    let wanted = |bid: Bid| match (bid.kind, bid.value) {
        (BidKind::Points, value) => f64::from(value) <= points + HOPE && !partner_has_it(sight),
        (BidKind::Marks, 1) => outlook.lost < MARK || is_nello_hand(sight),
        (BidKind::Marks, 2) => outlook.lost < TWO_MARKS,
        (BidKind::Plunge | BidKind::Splash, _) => outlook.lost < MARK,
        _ => false,
    };
    let bids = valid.iter().filter_map(of);
    // Of what the hand is good for, the higher stake; of point bids the lowest.
    let best = bids.filter(|(_, bid)| wanted(*bid)).max_by_key(|(_, bid)| (bid.stake(), core::cmp::Reverse(bid.value)));
    if let Some((action, bid)) = best {
        let is_for_nello = bid == Bid::marks(1) && outlook.lost >= MARK;
        let trumps = capitalised(&outlook.trump.to_string());
        let why = match is_for_nello {
            true => format!("Low all over, a hand for nello: {bid}."),
            false => format!("{trumps} as trumps look like {} points: {bid}.", whole(points)),
        };
        return Some(Decision::plain(action, why));
    }
    let pass = valid.iter().find(|action| matches!(action, Action::Pass { .. }));
    if let Some(pass) = pass {
        return Some(Decision::plain(*pass, format!("At best about {} points: not enough.", whole(points))));
    }
    let least = valid.iter().filter_map(of).min_by_key(|(_, bid)| bid.worth())?;
    Some(Decision::plain(least.0, "Somebody has to bid, so as little as can be."))
}

fn partner_has_it(sight: &Sight) -> bool {
    sight.standing().is_some_and(|(seat, _)| seat == sight.seat.partner())
}

fn is_nello_hand(sight: &Sight) -> bool {
    let is_played = sight
        .rules
        .layers
        .iter()
        .any(|layer| matches!(layer, texas42_vocab::Layer::Nello(nello) if nello.minimum == 1));
    is_played && caught(sight.hand) < SAFE_NELLO
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hand(text: &str) -> Hand {
        text.split(' ').map(|domino| domino.parse::<Domino>().unwrap()).collect()
    }

    #[test]
    fn more_and_higher_trumps_look_better() {
        let strong = Outlook::best(hand("5-5 6-5 5-4 5-3 6-6 4-4 1-0"));
        assert_eq!(strong.trump, Trump::Fives);
        assert!(strong.points > 34.0, "{strong:?}");
        let weak = Outlook::best(hand("6-1 5-0 4-1 3-0 2-1 6-3 4-2"));
        assert!(weak.points < 26.0, "{weak:?}");
    }

    #[test]
    fn low_dominoes_are_a_nello() {
        assert!(caught(hand("1-0 2-0 3-0 4-0 2-1 3-1 0-0")) < SAFE_NELLO);
        assert!(caught(hand("6-6 6-5 5-4 5-3 6-4 4-4 3-3")) > 2.0);
    }
}
