//! Straight 42, the base layer.
//!
//! Every table has it, so it is not part of a configuration. It is called first and offers all actions of straight 42.

use texas42_vocab::{Action, Bid, BidKind, Config, Phase, Scoring, Seat};

use crate::{
    offers::{Annotated, Authority, Offers},
    rules::Rules,
    state::State,
    suits::Suits,
    terms::{Contract, Goal, Terms},
};

/// Straight 42 with the options that are not layers: scoring, target, playing on.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Base {
    scoring: Scoring,
    target: u16,
    play_on: bool,
}

/// The highest marks bid until somebody has bid two marks.
const OPENING_MARKS: u8 = 2;

impl Base {
    pub(crate) fn new(config: &Config) -> Self {
        Self { scoring: config.scoring, target: config.target(), play_on: config.play_on }
    }

    /// The terms before any layer changes them.
    pub(crate) fn first_terms(&self, contract: &Contract) -> Terms {
        Terms {
            bidder: contract.bidder,
            leader: contract.declarer,
            sits_out: None,
            suits: Suits::straight(contract.trump),
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

/// The worth of the standing bid, or 0 if nobody has bid.
pub(super) fn standing_worth(state: &State) -> u16 {
    state.auction.standing().map_or(0, |(_, bid)| bid.worth())
}

/// The seat to bid, if it holds at least `least` doubles.
pub(super) fn bidder_with_doubles(state: &State, least: usize) -> Option<Seat> {
    let holds = state.hands[state.turn.index()].doubles();
    (!state.auction.is_closed() && holds >= least).then_some(state.turn)
}

/// The marks bids that beat the standing bid: up to two marks, then exactly one more than the standing bid.
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

/// Any seat may claim the rest on its turn. In nello, only the bidder can claim.
fn may_claim(state: &State, terms: &Terms) -> bool {
    terms.goal != Goal::NoTrick || state.turn == terms.bidder
}
