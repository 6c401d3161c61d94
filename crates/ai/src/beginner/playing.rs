//! Evaluates one trick: the chance that the team takes it, its worth, and the future worth of the domino.

use alloc::vec::Vec;

use texas42_engine::{Goal, Suit, Suits, Terms};
use texas42_phrases::Remark;
use texas42_vocab::{Action, Domino, Hand, Seat, sort_best_first};

use super::{SLIPS, Worth, bidding::trumps_of};
use crate::{decision::Decision, knowledge::Knowledge, random::Random};

pub(super) fn decide(knowledge: &Knowledge, plays: &[Domino], random: &mut Random) -> Option<Decision> {
    // A beginner does not track voids.
    let knowledge = &Knowledge { lacks: [Hand::EMPTY; 4], ..knowledge.clone() };
    let mut weighed = weighed(knowledge, plays, &Worth::SIMPLE);
    sort_best_first(&mut weighed, |(_, value)| *value);
    let slips = weighed.len() > 1 && random.share() < SLIPS;
    let domino = weighed.get(usize::from(slips))?.0;
    let why = if slips { Remark::WillDo } else { reason(knowledge, domino) };
    Some(Decision::plain(Action::Play { player: knowledge.seat, domino }, why))
}

/// Scores each play; higher is better.
pub(super) fn weighed(knowledge: &Knowledge, plays: &[Domino], worth: &Worth) -> Vec<(Domino, f64)> {
    let Some(terms) = knowledge.terms else { return Vec::new() };
    let trick = OneTrick::new(knowledge, terms, *worth);
    let weigh = |domino: Domino| match terms.goal {
        Goal::NoTrick => trick.ducking(domino),
        Goal::Points(_) | Goal::EveryTrick => trick.taking(domino),
    };
    plays.iter().map(|domino| (*domino, weigh(*domino))).collect()
}

/// The trick on the table, as the seat sees it.
struct OneTrick<'a> {
    knowledge: &'a Knowledge,
    thinks: Worth,
    terms: Terms,
    suits: Suits,
    unseen: Hand,
    trumps: Hand,
    called: Option<Suit>,
    best: Option<(Seat, Domino)>,
    /// The worth of the trick so far, including its own point.
    worth: f64,
    /// The seats that play after this one.
    later: Vec<Seat>,
}

impl<'a> OneTrick<'a> {
    fn new(knowledge: &'a Knowledge, terms: Terms, thinks: Worth) -> Self {
        let suits = terms.suits;
        let on_table = knowledge.on_table().map_or(&[][..], |trick| &trick.dominoes[..]);
        let later_count = terms.trick_size().saturating_sub(on_table.len() + 1);
        let mut later = Vec::new();
        let mut seat = knowledge.seat;
        for _ in 0..later_count {
            seat = terms.next_player(seat);
            later.push(seat);
        }
        let count: u8 = on_table.iter().map(|domino| domino.count()).sum();
        Self {
            knowledge,
            thinks,
            terms,
            suits,
            unseen: knowledge.unseen(),
            trumps: trumps_of(suits),
            called: on_table.first().map(|lead| suits.called(*lead)),
            best: knowledge.best_on_table(),
            worth: 1.0 + f64::from(count),
            later,
        }
    }

    fn is_ours(&self, seat: Seat) -> bool {
        seat.team() == self.knowledge.seat.team()
    }

    /// Scores a play in a contract in which the bidders want tricks.
    fn taking(&self, domino: Domino) -> f64 {
        let called = self.called.unwrap_or_else(|| self.suits.called(domino));
        let wins = self.chance(domino, called);
        let worth = self.worth + f64::from(domino.count()) + self.thinks.count_to_come * self.later.len() as f64;
        let draws = self.called.is_none() && self.trumps.contains(domino) && self.knowledge.is_bidders();
        let drawn = if draws { self.thinks.drawing * self.opposing_trumps() * wins } else { 0.0 };
        (2.0 * wins - 1.0) * worth + drawn - self.later_worth(domino)
    }

    /// The estimated number of opposing trumps that a trump lead draws.
    fn opposing_trumps(&self) -> f64 {
        let out = self.unseen & self.trumps;
        let may = |seat: Seat| !(out - self.knowledge.lacks[seat.index()]).is_empty();
        let others = Seat::ALL.into_iter().filter(|seat| !self.is_ours(*seat) && may(*seat)).count();
        (others as f64).min(out.len() as f64)
    }

    /// The chance that our team takes the trick after this play.
    fn chance(&self, domino: Domino, called: Suit) -> f64 {
        let power = |domino| self.suits.power(called, domino);
        let beats = self.best.is_none_or(|(_, best)| power(domino) > power(best));
        let (holder, best) = match self.best {
            Some(best) if !beats => best,
            _ => (self.knowledge.seat, domino),
        };
        let holds: f64 = self
            .later
            .iter()
            .filter(|seat| !self.is_ours(**seat))
            .map(|seat| 1.0 - self.beaten_by(*seat, best, called))
            .product();
        let partner = self.later.iter().find(|seat| self.is_ours(**seat));
        let rescue = partner.map_or(0.0, |partner| self.thinks.partner * self.beaten_by(*partner, best, called));
        if self.is_ours(holder) { holds + (1.0 - holds) * rescue * 0.5 } else { rescue * holds }
    }

    /// The chance that a seat that is still to play beats a domino.
    fn beaten_by(&self, seat: Seat, best: Domino, called: Suit) -> f64 {
        let may_hold = self.knowledge.shown[seat.index()].unwrap_or(self.unseen - self.knowledge.lacks[seat.index()]);
        let share = if self.knowledge.shown[seat.index()].is_some() { 1.0 } else { self.share(seat) };
        let members = self.suits.members(called);
        let higher: Hand = may_hold
            .into_iter()
            .filter(|other| self.suits.power(called, *other) > self.suits.power(called, best))
            .collect();
        let none_of = |set: Hand| (0..set.len()).fold(1.0, |chance, _| chance * (1.0 - share));
        let cannot_follow = none_of(may_hold & members);
        let trumps_in = cannot_follow * (1.0 - none_of(higher - members));
        1.0 - none_of(higher & members) * (1.0 - trumps_in)
    }

    /// The chance that a seat holds a given unseen domino.
    fn share(&self, seat: Seat) -> f64 {
        self.knowledge.counts[seat.index()] as f64 / (self.unseen.len() as f64).max(1.0)
    }

    /// The future worth of a domino.
    fn later_worth(&self, domino: Domino) -> f64 {
        let called = self.suits.called(domino);
        let power = self.suits.power(called, domino);
        let rank = f64::from(power % 16) * self.thinks.rank;
        let walks = !self
            .unseen
            .into_iter()
            .any(|other| self.suits.members(called).contains(other) && self.suits.power(called, other) > power);
        let trump = if self.trumps.contains(domino) { self.thinks.trump } else { 0.0 };
        let count = f64::from(domino.count()) * self.thinks.count;
        rank + trump + count + if walks { self.thinks.walker } else { 0.0 }
    }

    /// Scores a play in a nello.
    fn ducking(&self, domino: Domino) -> f64 {
        let called = self.called.unwrap_or_else(|| self.suits.called(domino));
        let rank = f64::from(self.suits.power(self.suits.called(domino), domino));
        let power = |domino| self.suits.power(called, domino);
        let beats = self.best.is_none_or(|(_, best)| power(domino) > power(best));
        if self.knowledge.seat == self.terms.bidder {
            // Stay below the best domino, and get rid of high ones.
            let stays: f64 = if beats {
                self.later.iter().map(|seat| 1.0 - self.beaten_by(*seat, domino, called)).product()
            } else {
                0.0
            };
            return rank - 100.0 * stays;
        }
        let bidder_has_it = self.best.is_some_and(|(seat, _)| seat == self.terms.bidder);
        let bidder_is_later = self.later.contains(&self.terms.bidder);
        match (bidder_has_it, bidder_is_later) {
            (true, _) => {
                if beats {
                    -100.0 - rank
                } else {
                    rank
                }
            }
            (false, true) => -rank,
            (false, false) => rank,
        }
    }
}

fn reason(knowledge: &Knowledge, domino: Domino) -> Remark {
    let Some(terms) = knowledge.terms else { return Remark::Something };
    let trumps = trumps_of(terms.suits);
    let lead = knowledge.on_table().and_then(|trick| trick.dominoes.first().copied());
    let leads = lead.is_none();
    let trumps_it = trumps.contains(domino) && !lead.is_some_and(|lead| trumps.contains(lead));
    let has_no_suits = terms.suits == Suits::NearestSeven;
    let best = knowledge.best_on_table();
    let partner_has_it = best.is_some_and(|(seat, _)| seat == knowledge.seat.partner());
    let takes_it = lead.zip(best).is_some_and(|(lead, (_, best))| {
        let power = |domino| terms.suits.power(terms.suits.called(lead), domino);
        power(domino) > power(best)
    });
    match (terms.goal, leads) {
        (Goal::NoTrick, _) if knowledge.is_bidders() => Remark::HighestBelow,
        (Goal::NoTrick, _) => Remark::BidderHasToTakeOne,
        (_, true) if trumps.contains(domino) => Remark::DrawTrumps,
        (_, true) if domino.is_double() && !has_no_suits => Remark::DoubleWalks,
        (_, true) => Remark::WhoHasTheRest,
        (_, false) if partner_has_it && domino.count() > 0 => Remark::CountForPartner,
        (_, false) if trumps_it => Remark::TrumpIt,
        (_, false) if takes_it => Remark::ShouldBeOurs,
        (_, false) if domino.count() > 0 => Remark::HasToGo,
        (_, false) => Remark::NothingToGiveAway,
    }
}
