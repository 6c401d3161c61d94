//! Explains a choice with remarks. They reveal only what the seat knows.

use alloc::{vec, vec::Vec};
use core::iter::successors;

use texas42_engine::{Goal, Suit, Suits, Terms, suit_name};
use texas42_phrases::{Chance, Gain, Neighbor, Neighbors, Remark};
use texas42_vocab::{Bid, Domino, Hand, Scoring, Seat, Trump, sort_by_rank};

use crate::{decision::Choice, knowledge::Knowledge, stakes::POINTS_PER_HAND};

/// A chance in percent.
pub(crate) fn percent(chance: f64) -> u8 {
    whole(100.0 * chance).clamp(0, 100) as u8
}

/// Points as a whole number, at least 0.
pub(crate) fn points(points: f64) -> u8 {
    whole(points).clamp(0, i32::from(u8::MAX)) as u8
}

/// The nearest whole number.
fn whole(number: f64) -> i32 {
    (number + if number < 0.0 { -0.5 } else { 0.5 }) as i32
}

/// A chance without a next best.
pub(crate) fn chance(chance: f64) -> Chance {
    Chance { percent: percent(chance), next: None }
}

/// A gain in hundredths of marks, or in points with points scoring.
pub(crate) fn gain(scoring: Scoring, marks: f64) -> Gain {
    match scoring {
        Scoring::Points => Gain::Points(whole(f64::from(POINTS_PER_HAND) * marks)),
        Scoring::Marks => Gain::HundredthsOfMark(whole(100.0 * marks)),
    }
}

/// Why a domino is played: its effect on the trick, known voids in its suit, and its chance next to the best other one.
/// It is the choice at `chosen`.
pub(crate) fn for_play(knowledge: &Knowledge, domino: Domino, chosen: usize, choices: &[Choice]) -> Vec<Remark> {
    let parts = [about(knowledge, domino), known_voids(knowledge, domino), Some(odds(knowledge, chosen, choices))];
    parts.into_iter().flatten().collect()
}

/// The effect of a domino on the trick.
fn about(knowledge: &Knowledge, domino: Domino) -> Option<Remark> {
    let candidate = Candidate::new(knowledge, domino)?;
    Some(match (candidate.terms.goal, candidate.leads) {
        (Goal::NoTrick, true) => candidate.led_without_wanting(),
        (Goal::NoTrick, false) if knowledge.is_bidders() => candidate.ducked(),
        (Goal::NoTrick, false) => candidate.against_nello(),
        (_, true) => candidate.led(),
        (_, false) => candidate.followed(),
    })
}

/// A candidate play, and the trick on the table.
struct Candidate<'a> {
    knowledge: &'a Knowledge,
    terms: Terms,
    domino: Domino,
    /// The called suit.
    called: Suit,
    leads: bool,
    /// The seat that is winning the trick before the play.
    holder: Option<Seat>,
    /// Whether the domino beats the trick so far.
    beats: bool,
    /// The seats that play after it.
    later: Vec<Seat>,
    /// The dominoes that beat it and that a later seat may hold, strongest first.
    higher: Vec<Domino>,
}

impl<'a> Candidate<'a> {
    fn new(knowledge: &'a Knowledge, domino: Domino) -> Option<Self> {
        let (terms, trick) = (knowledge.terms?, knowledge.on_table()?);
        let called = terms.suits.called(trick.dominoes.first().copied().unwrap_or(domino));
        let power = |domino| terms.suits.power(called, domino);
        let still_to_play = terms.trick_size().saturating_sub(trick.dominoes.len() + 1);
        let next = |seat: &Seat| Some(terms.next_player(*seat));
        let later: Vec<Seat> = successors(next(&knowledge.seat), next).take(still_to_play).collect();
        let may_hold = |seat: &Seat| knowledge.unseen() - knowledge.lacks[seat.index()];
        let out = later.iter().map(may_hold).fold(Hand::EMPTY, |out, held| out | held);
        let mut higher: Vec<Domino> = out.into_iter().filter(|other| power(*other) > power(domino)).collect();
        sort_by_rank(&mut higher, |domino| (u8::MAX - power(*domino)).into());
        let best = knowledge.best_on_table();
        Some(Self {
            knowledge,
            terms,
            domino,
            called,
            leads: trick.dominoes.is_empty(),
            holder: best.map(|(seat, _)| seat),
            beats: best.is_none_or(|(_, best)| power(domino) > power(best)),
            later,
            higher,
        })
    }

    fn led(&self) -> Remark {
        let domino = self.domino;
        if self.terms.suits == Suits::NearestSeven {
            return match self.higher[..] {
                [] => Remark::WalksNearest { domino },
                _ => Remark::AsksFor { domino, out: self.higher[..].into() },
            };
        }
        let (suit, members) = (suit_name(self.called), self.terms.suits.members(self.called));
        let of_the_suit: Vec<Domino> = self.higher.iter().copied().filter(|other| members.contains(*other)).collect();
        let power = |domino| self.terms.suits.power(self.called, domino);
        let own_is_higher = (self.knowledge.hand & members).into_iter().any(|own| power(own) > power(domino));
        match (self.higher.is_empty(), of_the_suit.is_empty()) {
            (true, _) if domino.is_double() => Remark::WalksAsDouble { domino, suit },
            (true, _) if own_is_higher => Remark::WalksBelowOwn { domino, suit },
            (true, _) => Remark::WalksAsHighestLeft { domino, suit },
            (false, true) => Remark::WalksUnlessTrumped { domino },
            (false, false) => Remark::AsksFor { domino, out: of_the_suit[..].into() },
        }
    }

    fn followed(&self) -> Remark {
        let domino = self.domino;
        if self.beats {
            return match (self.later.is_empty(), self.higher.is_empty()) {
                (true, _) => Remark::TakesTrick { domino },
                (false, true) => Remark::TakesUnbeaten { domino },
                (false, false) => Remark::CanBeBeaten { domino, out: self.higher[..].into() },
            };
        }
        match domino.count() {
            0 => Remark::CarriesNoCount { domino },
            count if self.holder == Some(self.knowledge.seat.partner()) => Remark::CountToPartner { count },
            _ => Remark::Spares { domino },
        }
    }

    fn led_without_wanting(&self) -> Remark {
        let domino = self.domino;
        match self.higher[..] {
            [] => Remark::LedUnbeaten { domino },
            _ if self.knowledge.is_bidders() => Remark::LedBelow { domino, out: self.higher[..].into() },
            _ => Remark::LedAtBidder { domino, out: self.higher[..].into() },
        }
    }

    fn ducked(&self) -> Remark {
        let domino = self.domino;
        match (self.beats, self.later.is_empty()) {
            (false, _) => Remark::StaysBelow { domino },
            (true, true) => Remark::TakesTrick { domino },
            (true, false) => Remark::MayBeCovered { domino, out: self.higher[..].into() },
        }
    }

    fn against_nello(&self) -> Remark {
        let (domino, bidder) = (self.domino, self.terms.bidder);
        match (self.holder == Some(bidder), self.beats) {
            (true, false) => Remark::LeavesToBidder { domino },
            (true, true) => Remark::MustCoverBidder { domino },
            _ if self.later.contains(&bidder) => Remark::LiesForBidder { domino },
            _ => Remark::GoesWhileBidderIsBelow { domino },
        }
    }
}

/// The seats that are known to be void in the led suit.
fn known_voids(knowledge: &Knowledge, domino: Domino) -> Option<Remark> {
    let terms = knowledge.terms?;
    let trick = knowledge.on_table()?;
    if !trick.dominoes.is_empty() {
        return None;
    }
    let called = terms.suits.called(domino);
    let members = terms.suits.members(called) & knowledge.unseen();
    let is_without = |seat: Seat| !members.is_empty() && (members - knowledge.lacks[seat.index()]).is_empty();
    let others = knowledge.seat.round().skip(1).zip([Neighbor::Left, Neighbor::Partner, Neighbor::Right]);
    let who = Neighbors(others.filter(|(seat, _)| is_without(*seat)).map(|(_, neighbor)| neighbor).collect());
    (!who.0.is_empty()).then(|| Remark::ShowsNo { who, suit: suit_name(called) })
}

fn odds(knowledge: &Knowledge, chosen: usize, choices: &[Choice]) -> Remark {
    let decided = knowledge.terms.is_none_or(|terms| terms.outcome(&knowledge.tally).is_some());
    let other = choices.get(usize::from(chosen == 0));
    match (choices.get(chosen), other) {
        _ if decided => Remark::ContractDecided,
        (None, _) | (_, None) => Remark::NoOther,
        (Some(best), Some(_)) => ends_well(knowledge, beside(best, other)),
    }
}

/// The chance to make the contract, or to set it.
pub(crate) fn ends_well(knowledge: &Knowledge, chance: Chance) -> Remark {
    if knowledge.is_bidders() { Remark::Made { chance } } else { Remark::Set { chance } }
}

/// A chance together with that of the second best.
fn beside(best: &Choice, next: Option<&Choice>) -> Chance {
    Chance { percent: percent(best.chance), next: next.map(|next| percent(next.chance)) }
}

/// Why a trump is named.
pub(crate) fn for_trump(knowledge: &Knowledge, trump: Trump, bid: Bid, choices: &[Choice]) -> Vec<Remark> {
    let held = match trump.pip() {
        Some(pip) => {
            let held = knowledge.hand.into_iter().filter(|domino| domino.has(pip)).count();
            Remark::SuitHeld { held: held as u8, trump }
        }
        None if trump == Trump::Nello => Remark::LowAllOver,
        None if trump == Trump::Sevens => Remark::NearSevenAllOver,
        None => Remark::DoublesHeld { held: knowledge.hand.doubles() as u8 },
    };
    let made = choices.first().map(|best| Remark::BidMade { bid, chance: beside(best, choices.get(1)) });
    [held].into_iter().chain(made).collect()
}

/// Why a bid is made.
pub(crate) fn for_bid(knowledge: &Knowledge, bid: Bid, trump: Option<Trump>, choice: &Choice) -> Vec<Remark> {
    let gain = gain(knowledge.rules.scoring, choice.marks);
    vec![Remark::BidWith { trump, bid, chance: chance(choice.chance), gain }]
}

/// Why a seat passes.
pub(crate) fn for_pass(knowledge: &Knowledge, partner_has_it: bool, marks: f64) -> Vec<Remark> {
    let who = if partner_has_it { Remark::PartnerHasBid } else { Remark::NothingPays };
    vec![who, Remark::PassBrings { gain: gain(knowledge.rules.scoring, marks) }]
}
