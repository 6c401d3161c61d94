//! Hints: annotates every choice of a seat with a hint. Capabilities decide who sees the hints, not this layer.
//!
//! Invariant: a hint depends only on the seat's own hand and the dominoes played.

use texas42_phrases::Hint;
use texas42_vocab::{Action, Domino, Hand, Hints, Phase, Seat, Trump};

use crate::{claim, offers::Annotated, rules::Rules, state::State, terms::Terms};

impl Rules for Hints {
    fn name(&self) -> &'static str {
        Self::NAME
    }

    fn annotates_in(&self) -> &'static [Phase] {
        &[Phase::Bidding, Phase::TrumpSelection, Phase::Playing]
    }

    fn annotate(&self, state: &State, offers: &mut Annotated) {
        let only = state.to_act().is_some_and(|seat| crate::offers::only_choice(offers, seat).is_some());
        for offer in offers.iter_mut() {
            offer.meta.hint = match offer.action {
                Action::Play { .. } if only => Some(Hint::OnlyChoice),
                action => hint(state, action),
            };
        }
    }
}

fn hint(state: &State, action: Action) -> Option<Hint> {
    let hand = state.hands[action.player()?.index()];
    match action {
        Action::Bid { .. } | Action::Pass { .. } => Some(Hint::SureTricks { tricks: sure_tricks(hand) }),
        Action::SelectTrump { trump, .. } => Some(suit_length(hand, trump)),
        Action::Play { player, domino } => play_hint(state, state.terms.as_ref()?, player, domino),
        Action::Claim { player } if claim::stands(state, player) => Some(Hint::RestIsYours),
        Action::Claim { .. } => Some(Hint::RestIsOpen),
        _ => None,
    }
}

/// The tricks that look certain under the best pip trump: the unbroken run from the top trump, plus the other doubles.
fn sure_tricks(hand: Hand) -> u8 {
    (0..=6).map(|pip| top_run(hand, pip) + side_doubles(hand, pip)).max().unwrap_or(0)
}

fn top_run(hand: Hand, pip: u8) -> u8 {
    let suits = crate::suits::Suits::Trumps(pip);
    let missing = (suits.members(pip) - hand).into_iter().map(|domino| suits.power(pip, domino)).max().unwrap_or(0);
    (hand & suits.members(pip)).into_iter().filter(|domino| suits.power(pip, *domino) > missing).count() as u8
}

fn side_doubles(hand: Hand, pip: u8) -> u8 {
    hand.into_iter().filter(|domino| domino.is_double() && !domino.has(pip)).count() as u8
}

fn suit_length(hand: Hand, trump: Trump) -> Hint {
    let (suit, double) = match trump.pip() {
        Some(pip) => (hand.into_iter().filter(|domino| domino.has(pip)).count(), Domino::new(pip, pip)),
        None => (hand.doubles(), Domino::new(6, 6)),
    };
    Hint::SuitLength { held: suit as u8, with_double: double.is_some_and(|double| hand.contains(double)) }
}

fn play_hint(state: &State, terms: &Terms, player: Seat, domino: Domino) -> Option<Hint> {
    let called = terms.called(&state.trick).unwrap_or_else(|| terms.led_suit(domino));
    let power = terms.rank_in_trick(called, domino);
    let unseen = !(state.seen() | state.hands[player.index()]);
    let wins = power > terms.best_power(&state.trick);
    let beatable = unseen.into_iter().any(|other| terms.rank_in_trick(called, other) > power);
    let partner_has_it = terms.trick_winner(&state.trick) == Some(player.partner());
    Some(match (wins, domino.count() > 0) {
        (true, _) if !beatable => Hint::CannotBeBeaten,
        (true, _) => Hint::BeatsTheTable,
        (false, true) if partner_has_it => Hint::CountToPartner,
        (false, true) => Hint::GivesCountAway,
        (false, false) => Hint::Safe,
    })
}
