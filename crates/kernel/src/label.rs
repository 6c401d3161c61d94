//! Labels, keyboard shortcuts and groups of action buttons.

use compact_str::{CompactString, ToCompactString, format_compact};
use texas42_protocol::ActionGroup;
use texas42_vocab::{Action, Bid, BidKind, Trump};

/// The label of the button.
pub(crate) fn label(action: Action) -> CompactString {
    let fixed = match action {
        Action::Bid { bid, .. } => return bid_label(bid),
        Action::SelectTrump { trump, .. } => return trump_label(trump),
        Action::Play { domino, .. } => return CompactString::from("Play ") + domino.text(),
        Action::Pass { .. } => "Pass",
        Action::AgreeCompleteTrick { .. } | Action::AgreeScoreHand { .. } => "Go on",
        Action::CompleteTrick => "Take in the trick",
        Action::ScoreHand => "Score the hand",
        Action::Redeal => "Shake again",
        Action::Claim { .. } => "Lay down and claim the rest",
        Action::EndGame => "See the result",
        Action::Undo { .. } => "Take back",
        Action::SetControl { .. } => "Change who plays",
    };
    CompactString::const_new(fixed)
}

fn bid_label(bid: Bid) -> CompactString {
    match bid.kind {
        BidKind::Points | BidKind::Marks => format_compact!("Bid {bid}"),
        BidKind::Plunge | BidKind::Splash => capitalized(bid.to_compact_string()),
    }
}

fn trump_label(trump: Trump) -> CompactString {
    capitalized(trump.name().replace('-', " ").into())
}

fn capitalized(mut text: CompactString) -> CompactString {
    text.get_mut(..1).map(str::make_ascii_uppercase);
    text
}

/// The group that the button belongs to.
pub(crate) const fn group(action: Action) -> ActionGroup {
    match action {
        Action::Bid { .. } | Action::Pass { .. } => ActionGroup::Bid,
        Action::SelectTrump { .. } => ActionGroup::Trump,
        Action::Play { .. } | Action::Claim { .. } => ActionGroup::Play,
        _ => ActionGroup::Table,
    }
}

/// The keyboard shortcut, unique within one decision: a domino's two digits, the value of a bid, `m1` for marks, the
/// digit or first letter of a trump.
pub(crate) fn shortcut(action: Action) -> CompactString {
    match action {
        Action::Bid { bid, .. } => match bid.kind {
            BidKind::Points => bid.value.to_compact_string(),
            kind => format_compact!("{}{}", &kind.name()[..1], bid.value),
        },
        Action::Pass { .. } => CompactString::const_new("p"),
        Action::SelectTrump { trump, .. } => trump_key(trump),
        Action::Play { domino, .. } => domino.text().chars().filter(char::is_ascii_digit).collect(),
        Action::Claim { .. } => CompactString::const_new("c"),
        _ => CompactString::const_new("Enter"),
    }
}

fn trump_key(trump: Trump) -> CompactString {
    match (trump.pip(), trump) {
        (Some(pip), _) => pip.to_compact_string(),
        (None, Trump::Sevens) => CompactString::const_new("7"),
        (None, trump) => trump.name()[..1].into(),
    }
}

#[cfg(test)]
mod tests {
    use alloc::{collections::BTreeSet, vec::Vec};

    use texas42_vocab::{Control, Domino, Seat};

    use super::*;

    const PLAYER: Seat = Seat::ALL[1];

    fn bid(kind: BidKind, value: u8) -> Action {
        Action::Bid { player: PLAYER, bid: Bid { kind, value } }
    }

    const fn naming(trump: Trump) -> Action {
        Action::SelectTrump { player: PLAYER, trump }
    }

    #[test]
    fn each_action_has_a_label_a_shortcut_and_a_group() {
        let play = Action::Play { player: PLAYER, domino: Domino::new(6, 4).unwrap() };
        for (action, expected, key, place) in [
            (bid(BidKind::Points, 30), "Bid 30", "30", ActionGroup::Bid),
            (bid(BidKind::Marks, 2), "Bid 2 marks", "m2", ActionGroup::Bid),
            (bid(BidKind::Plunge, 4), "Plunge for 4 marks", "p4", ActionGroup::Bid),
            (bid(BidKind::Splash, 2), "Splash for 2 marks", "s2", ActionGroup::Bid),
            (Action::Pass { player: PLAYER }, "Pass", "p", ActionGroup::Bid),
            (naming(Trump::Fives), "Fives", "5", ActionGroup::Trump),
            (naming(Trump::FollowMe), "Follow me", "f", ActionGroup::Trump),
            (naming(Trump::Sevens), "Sevens", "7", ActionGroup::Trump),
            (play, "Play 6-4", "64", ActionGroup::Play),
            (Action::Claim { player: PLAYER }, "Lay down and claim the rest", "c", ActionGroup::Play),
            (Action::AgreeScoreHand { player: PLAYER }, "Go on", "Enter", ActionGroup::Table),
            (Action::CompleteTrick, "Take in the trick", "Enter", ActionGroup::Table),
            (Action::Undo { to: 3 }, "Take back", "Enter", ActionGroup::Table),
            (
                Action::SetControl { player: PLAYER, control_type: Control::Ai },
                "Change who plays",
                "Enter",
                ActionGroup::Table,
            ),
        ] {
            assert_eq!((&*label(action), &*shortcut(action), group(action)), (expected, key, place), "{action}");
        }
    }

    #[test]
    fn shortcuts_of_one_decision_are_unique() {
        let bids =
            [(BidKind::Points, 30..=41), (BidKind::Marks, 1..=7), (BidKind::Plunge, 4..=7), (BidKind::Splash, 2..=3)];
        let calls = bids.into_iter().flat_map(|(kind, values)| values.map(move |value| bid(kind, value)));
        let calls: Vec<Action> = calls.chain([Action::Pass { player: PLAYER }]).collect();
        let special = [Trump::Nello, Trump::Sevens];
        let trumps: Vec<Action> = Trump::STRAIGHT.into_iter().chain(special).map(naming).collect();
        for decision in [calls, trumps] {
            let keys: BTreeSet<CompactString> = decision.iter().map(|action| shortcut(*action)).collect();
            assert_eq!(keys.len(), decision.len(), "{keys:?}");
        }
    }
}
