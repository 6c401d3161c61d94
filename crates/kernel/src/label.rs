//! Actions in the words of players: what to write on a button, the key for it, and which buttons belong together.

use alloc::{
    format,
    string::{String, ToString},
};

use texas42_vocab::{Action, Bid, BidKind, Trump};

/// What to write on the button.
pub(crate) fn label(action: Action) -> String {
    match action {
        Action::Bid { bid, .. } => bid_label(bid),
        Action::Pass { .. } => "Pass".to_string(),
        Action::SelectTrump { trump, .. } => capitalised(&trump.to_string().replace('-', " ")),
        Action::Play { domino, .. } => ["Play ", domino.text()].concat(),
        Action::AgreeCompleteTrick { .. } | Action::AgreeScoreHand { .. } => "Go on".to_string(),
        Action::CompleteTrick => "Take in the trick".to_string(),
        Action::ScoreHand => "Score the hand".to_string(),
        Action::Redeal => "Shake again".to_string(),
        Action::Claim { .. } => "Lay down and claim the rest".to_string(),
        Action::EndGame => "See the result".to_string(),
        Action::Undo { .. } => "Take back".to_string(),
        Action::SetControl { .. } => "Change who plays".to_string(),
    }
}

fn bid_label(bid: Bid) -> String {
    match bid.kind {
        BidKind::Points => format!("Bid {}", bid.value),
        BidKind::Marks => format!("Bid {bid}"),
        BidKind::Plunge | BidKind::Splash => capitalised(&bid.to_string()),
    }
}

fn capitalised(text: &str) -> String {
    let mut text = String::from(text);
    text.get_mut(..1).map(str::make_ascii_uppercase);
    text
}

/// Which buttons belong together.
pub(crate) const fn group(action: Action) -> &'static str {
    match action {
        Action::Bid { .. } | Action::Pass { .. } => "bid",
        Action::SelectTrump { .. } => "trump",
        Action::Play { .. } | Action::Claim { .. } => "play",
        _ => "table",
    }
}

/// The key that does it. Within one decision no two actions share a key: dominoes have the digits of both ends, bids
/// their number, marks `m1`, trumps their digit or first letter.
pub(crate) fn shortcut(action: Action) -> String {
    match action {
        Action::Bid { bid, .. } => match bid.kind {
            BidKind::Points => bid.value.to_string(),
            kind => format!("{}{}", &kind.name()[..1], bid.value),
        },
        Action::Pass { .. } => "p".to_string(),
        Action::SelectTrump { trump, .. } => trump_key(trump),
        Action::Play { domino, .. } => domino.text().replace('-', ""),
        Action::Claim { .. } => "c".to_string(),
        _ => "Enter".to_string(),
    }
}

fn trump_key(trump: Trump) -> String {
    match (trump.pip(), trump) {
        (Some(pip), _) => pip.to_string(),
        (None, Trump::Sevens) => "7".to_string(),
        (None, trump) => trump.name()[..1].to_string(),
    }
}
