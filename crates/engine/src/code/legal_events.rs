//! The events of a code of format `a`: each as its index among the actions that are legal by the rules of today, so that
//! a forced play costs nothing. A change of these rules would make such a code unreadable.

use texas42_vocab::{Action, Control, Seat};

use super::bits::{Bits, EVEN_CHANCE, walk_number};
use crate::offers::Offers;

/// The chance that an event is a rare one.
const RARE_CHANCE: u16 = 1 << 8;

/// One event, as its index among the legal ones. An escape bit precedes rare events, so that common ones stay short.
pub(super) fn walk_event(bits: &mut impl Bits, offers: &Offers, at: usize, event: Option<Action>) -> Action {
    let usual = offers.iter().filter(|action| !is_rare(*action));
    let count = usual.clone().count();
    if count == 0 || bits.bit(event.is_some_and(is_rare), RARE_CHANCE) {
        return walk_rare(bits, offers, at, event);
    }
    let index = event.and_then(|event| usual.clone().position(|action| action == event)).unwrap_or(0);
    let index = walk_number(bits, index, count);
    usual.clone().nth(index).expect("the index is below the count")
}

const fn is_rare(action: Action) -> bool {
    !action.is_move() || matches!(action, Action::Claim { .. })
}

fn walk_rare(bits: &mut impl Bits, offers: &Offers, at: usize, event: Option<Action>) -> Action {
    let kind = match event {
        Some(Action::Undo { .. }) => 1,
        Some(Action::SetControl { .. }) => 2,
        _ => 0,
    };
    match walk_number(bits, kind, 3) {
        1 => {
            let to = if let Some(Action::Undo { to }) = event { to.into() } else { 0 };
            Action::Undo { to: walk_number(bits, to, at.max(1)) as u16 }
        }
        2 => walk_control(bits, event),
        _ => offers.iter().find(|action| is_rare(*action)).unwrap_or(Action::Undo { to: u16::MAX }),
    }
}

pub(super) fn walk_control(bits: &mut impl Bits, event: Option<Action>) -> Action {
    let (player, control) = match event {
        Some(Action::SetControl { player, control_type }) => (player, control_type),
        _ => (Seat::ALL[0], Control::Human),
    };
    let player = Seat::ALL[walk_number(bits, player.index(), Seat::ALL.len())];
    let is_ai = bits.bit(control == Control::Ai, EVEN_CHANCE);
    Action::SetControl { player, control_type: if is_ai { Control::Ai } else { Control::Human } }
}
