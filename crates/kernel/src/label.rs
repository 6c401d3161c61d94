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
        BidKind::Plunge | BidKind::Splash => capitalised(bid.to_compact_string()),
    }
}

fn trump_label(trump: Trump) -> CompactString {
    capitalised(trump.name().replace('-', " ").into())
}

fn capitalised(mut text: CompactString) -> CompactString {
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
