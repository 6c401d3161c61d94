//! The terms of a hand: how it is played and what it is worth, as plain data.
//!
//! The layers are folded into one [`Terms`] when trumps are named. From then on `apply`, views and the solver ask only
//! this value, so the cost of a play does not depend on the number of layers. If a new rule does not fit, extend
//! `Terms`; never make `apply` check which contract is played.

use serde::{Deserialize, Serialize};
use texas42_phrases::OutcomeReason;
use texas42_vocab::{Bid, Domino, Hand, Scoring, Seat, Team, Trump};

use crate::{
    state::{Claim, Tally, Trick},
    suits::{Suit, Suits},
};

/// The result of the auction and the declaration.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Contract {
    /// Who won the auction.
    pub bidder: Seat,
    /// The winning bid.
    pub bid: Bid,
    /// Who named trumps.
    pub declarer: Seat,
    /// What the declarer named.
    pub trump: Trump,
}

/// What the bidding team has to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Goal {
    /// Take at least this many points.
    Points(u8),
    /// Take every trick.
    EveryTrick,
    /// Take no trick.
    NoTrick,
}

/// The rules of one hand.
///
/// [`Context::terms`](crate::Context::terms) computes them from a [`Contract`]. Layers change individual fields and
/// keep the rest with `..prev`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Terms {
    /// The seat that won the auction.
    pub bidder: Seat,
    /// Who leads to the first trick.
    pub leader: Seat,
    /// The seat that does not play, if any.
    pub sits_out: Option<Seat>,
    /// Suits, trumps and ranks.
    pub suits: Suits,
    /// What makes the contract.
    pub goal: Goal,
    /// The worth of the bid: points, or 42 per mark.
    pub worth: u16,
    /// Marks or points.
    pub scoring: Scoring,
    /// Whether a decided hand is played to its last trick.
    pub play_on: bool,
}

/// How a hand ended for the bidding team, and why.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Outcome {
    /// Whether the contract was made.
    pub made: bool,
    /// Why.
    pub reason: OutcomeReason,
    /// The trick that decided it, counted from 1.
    pub trick: u8,
}

/// The points of a whole hand.
pub const HAND_POINTS: u8 = 42;
/// The tricks of a whole hand.
pub const HAND_TRICKS: u8 = 7;

impl Terms {
    /// The number of dominoes in a trick.
    pub const fn trick_size(&self) -> usize {
        if self.sits_out.is_some() { 3 } else { 4 }
    }

    /// Who plays after `seat`.
    pub fn next_player(&self, seat: Seat) -> Seat {
        let next = seat.left();
        if self.sits_out == Some(next) { next.left() } else { next }
    }

    /// Whether every seat has played to the trick.
    pub const fn is_trick_complete(&self, trick: &Trick) -> bool {
        trick.len() == self.trick_size()
    }

    /// The suit that a led domino calls.
    pub fn led_suit(&self, led: Domino) -> Suit {
        self.suits.called(led)
    }

    /// The suits that a domino belongs to.
    pub fn suits_of(&self, domino: Domino) -> impl Iterator<Item = Suit> {
        self.suits.suits_of(domino)
    }

    /// Whether a hand holds a domino of the suit.
    pub fn can_follow(&self, hand: Hand, suit: Suit) -> bool {
        !(hand & self.suits.members(suit)).is_empty()
    }

    /// The strength of a domino in a trick that called `led`.
    pub fn rank_in_trick(&self, led: Suit, domino: Domino) -> u8 {
        self.suits.power(led, domino)
    }

    /// The suit that the trick called, or `None` before the lead.
    #[inline(always)]
    pub fn called(&self, trick: &Trick) -> Option<Suit> {
        trick.lead().map(|lead| self.led_suit(lead))
    }

    /// The dominoes that a hand may play to the trick.
    #[inline(always)]
    pub fn valid_plays(&self, hand: Hand, trick: &Trick) -> Hand {
        self.suits.playable(hand, self.called(trick))
    }

    /// Whether a domino may be played to the trick.
    pub fn is_valid_play(&self, hand: Hand, trick: &Trick, domino: Domino) -> bool {
        self.valid_plays(hand, trick).contains(domino)
    }

    /// The seat that is winning the trick, or `None` before the lead.
    pub fn trick_winner(&self, trick: &Trick) -> Option<Seat> {
        self.best(trick).map(|(seat, _)| seat)
    }

    /// The strength of the best domino of the trick; 0 before the lead.
    pub fn best_power(&self, trick: &Trick) -> u8 {
        self.best(trick).map_or(0, |(_, power)| power)
    }

    #[inline(always)]
    fn best(&self, trick: &Trick) -> Option<(Seat, u8)> {
        let called = self.called(trick)?;
        let powers = trick.plays().map(|(seat, domino)| (seat, self.suits.power(called, domino)));
        // The first played of equals wins.
        powers.reduce(|best, play| if play.1 > best.1 { play } else { best })
    }

    /// The marks at stake: one for a point bid, otherwise the marks bid.
    pub const fn stake(&self) -> u16 {
        if self.worth < Bid::HAND { 1 } else { self.worth / Bid::HAND }
    }

    /// The outcome of the hand, or `None` while further tricks can still decide it.
    pub fn outcome(&self, tally: &Tally) -> Option<Outcome> {
        let (made, reason) = self.verdict(tally)?;
        Some(Outcome { made, reason, trick: tally.tricks_played() })
    }

    fn verdict(&self, tally: &Tally) -> Option<(bool, OutcomeReason)> {
        let bidders = self.bidder.team();
        let (ours, theirs) = (bidders.index(), bidders.other().index());
        match self.goal {
            Goal::Points(bid) if tally.points[ours] >= bid => Some((true, OutcomeReason::BidReached)),
            Goal::Points(bid) if HAND_POINTS - tally.points[theirs] < bid => {
                Some((false, OutcomeReason::BidOutOfReach))
            }
            Goal::EveryTrick if tally.tricks[theirs] > 0 => Some((false, OutcomeReason::TrickLost)),
            Goal::NoTrick if tally.tricks[ours] > 0 => Some((false, OutcomeReason::TrickTaken)),
            _ if tally.tricks_played() == HAND_TRICKS => Some((true, OutcomeReason::PlayedOut)),
            _ => None,
        }
    }

    /// The outcome after a claim. A correct claim gives the remaining points to the claimant's team. A false claim
    /// gives them to the other team and costs the claimant's team the hand. An `earlier` outcome stands.
    pub fn settle(&self, claim: Claim, earlier: Option<Outcome>, tally: &mut Tally) -> Outcome {
        let claimants = claim.seat.team();
        let gains = if claim.stands { claimants } else { claimants.other() };
        if self.goal != Goal::NoTrick {
            tally.points[gains.index()] += HAND_POINTS - tally.points[0] - tally.points[1];
        }
        let bidders = self.bidder.team();
        let made = match (claim.stands, earlier, self.goal) {
            (_, Some(earlier), _) => earlier.made,
            (false, None, _) => claimants != bidders,
            (true, None, Goal::Points(bid)) => tally.points[bidders.index()] >= bid,
            (true, None, Goal::EveryTrick | Goal::NoTrick) => claimants == bidders,
        };
        let reason = if claim.stands { OutcomeReason::ClaimStood } else { OutcomeReason::ClaimFailed };
        Outcome { made, reason, trick: tally.tricks_played() + 1 }
    }

    /// Whether the hand ends now: all tricks are played, or the rest cannot change the score.
    pub fn is_hand_over(&self, outcome: Option<Outcome>, tally: &Tally) -> bool {
        tally.tricks_played() == HAND_TRICKS || (outcome.is_some() && !self.play_on && !self.counts_every_point())
    }

    /// Whether every point affects the score: with points scoring, each team keeps what it takes under a point bid.
    const fn counts_every_point(&self) -> bool {
        matches!((self.scoring, self.goal), (Scoring::Points, Goal::Points(_)))
    }

    /// What each team scores for a hand with this outcome.
    pub fn score(&self, outcome: Outcome, tally: &Tally) -> [u16; 2] {
        let bidders = self.bidder.team();
        let winners = if outcome.made { bidders } else { bidders.other() };
        let taken = tally.points.map(u16::from);
        match self.scoring {
            Scoring::Marks => only(winners, self.stake()),
            Scoring::Points if !self.counts_every_point() => only(winners, self.worth),
            Scoring::Points if outcome.made => taken,
            Scoring::Points => only(winners, taken[winners.index()] + self.worth),
        }
    }
}

fn only(team: Team, score: u16) -> [u16; 2] {
    let mut scores = [0; 2];
    scores[team.index()] = score;
    scores
}
