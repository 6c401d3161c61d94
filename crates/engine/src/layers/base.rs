//! Straight 42: the ground that every other layer stands on.
//!
//! It offers everything that the plain game knows and answers every question first; it is not part of a configuration,
//! because every table has it.

use texas42_vocab::{Action, Bid, BidKind, Config, Phase, Scoring, Seat, Trump};

use crate::{
    offers::{Annotated, Authority, Offers},
    rules::Rules,
    state::State,
    suits::Suits,
    terms::{Contract, Goal, Terms},
};

/// The plain game with the options that are no layers: scoring, target, playing on.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Base {
    scoring: Scoring,
    target: u16,
    play_on: bool,
}

/// The most that may be bid at a stroke before two marks stand.
const OPENING_MARKS: u8 = 2;

impl Base {
    pub(crate) fn new(config: &Config) -> Self {
        Self { scoring: config.scoring, target: config.target(), play_on: config.play_on }
    }

    /// The terms before any layer has changed them.
    pub(crate) fn first_terms(&self, contract: &Contract) -> Terms {
        Terms {
            bidder: contract.bidder,
            leader: contract.declarer,
            sits_out: None,
            suits: straight_suits(contract.trump),
            goal: goal_of(contract.bid),
            worth: contract.bid.worth(),
            scoring: self.scoring,
            play_on: self.play_on,
        }
    }
}

fn goal_of(bid: Bid) -> Goal {
    match bid.kind {
        BidKind::Points => Goal::Points(bid.value),
        _ => Goal::EveryTrick,
    }
}

fn straight_suits(trump: Trump) -> Suits {
    match (trump.pip(), trump) {
        (Some(pip), _) => Suits::Trumps(pip),
        (None, Trump::Doubles) => Suits::DoublesTrump,
        (None, _) => Suits::DoublesHigh,
    }
}

impl Rules for Base {
    fn name(&self) -> &'static str {
        "base"
    }

    fn offers_in(&self) -> &'static [Phase] {
        &[Phase::Bidding, Phase::TrumpSelection, Phase::Playing, Phase::Scoring]
    }

    #[inline(always)]
    fn offer(&self, state: &State, offers: &mut Offers) {
        match state.phase {
            Phase::Bidding => offer_calls(state, offers),
            Phase::TrumpSelection => offers.push_straight_trumps(),
            Phase::Playing => offer_plays(state, offers),
            Phase::Scoring => offers.push(Action::ScoreHand),
            Phase::Setup | Phase::GameEnd | Phase::OneHandComplete => {}
        }
    }

    fn annotates_in(&self) -> &'static [Phase] {
        self.offers_in()
    }

    fn annotate(&self, _state: &State, offers: &mut Annotated) {
        for offer in offers.iter_mut().filter(|offer| offer.action.player().is_none()) {
            offer.meta.authority = Authority::System;
            offer.meta.auto_execute = true;
        }
    }

    fn after_hand(&self, state: &State, _prev: Phase) -> Phase {
        if state.score.iter().any(|score| *score >= self.target) { Phase::GameEnd } else { Phase::Bidding }
    }
}

#[inline(always)]
fn offer_calls(state: &State, offers: &mut Offers) {
    if state.auction.is_closed() {
        offers.push(Action::Redeal);
        return;
    }
    let player = state.turn;
    offers.push(Action::Pass { player });
    let standing = standing_worth(state);
    offers.push_points_from((standing + 1).min(Bid::HAND) as u8);
    for value in marks_over(standing) {
        offers.push(Action::Bid { player, bid: Bid::marks(value) });
    }
}

/// The standing bid's place on the ladder, 0 when nobody has bid.
pub(super) fn standing_worth(state: &State) -> u16 {
    state.auction.standing().map_or(0, |(_, bid)| bid.worth())
}

/// Whose bid it is, for contracts that take so many doubles.
pub(super) fn bidder_with_doubles(state: &State, least: usize) -> Option<Seat> {
    let holds = state.hands[state.turn.index()].doubles();
    (!state.auction.is_closed() && holds >= least).then_some(state.turn)
}

/// One or two marks open; once two marks or more stand, exactly one more.
fn marks_over(standing: u16) -> core::ops::RangeInclusive<u8> {
    let next = (standing / Bid::HAND) as u8 + 1;
    next..=next.max(OPENING_MARKS)
}

#[inline(always)]
fn offer_plays(state: &State, offers: &mut Offers) {
    let Some(terms) = &state.terms else { return };
    if terms.is_trick_complete(&state.trick) {
        offers.push(Action::CompleteTrick);
        return;
    }
    let player = state.turn;
    offers.push_plays(terms.valid_plays(state.hands[player.index()], &state.trick));
    if may_claim(state, terms) {
        offers.push(Action::Claim { player });
    }
}

/// Any seat may claim the rest on its turn; where the contract is to take nothing, only the bidder has something to claim.
fn may_claim(state: &State, terms: &Terms) -> bool {
    terms.goal != Goal::NoTrick || state.turn == terms.bidder
}
