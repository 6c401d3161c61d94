//! Renders bids, trumps, dominoes, numbers and actions in players' terms.

use alloc::{
    borrow::ToOwned,
    format,
    string::{String, ToString},
};

use texas42_vocab::{Action, ActionKind, Bid, BidKind, Date, Difficulty, Domino, Layer, Phase, Seat, SuitName, Trump};

use crate::{Words, fill, lowercase};

/// The number that people read for something that counts from 0.
pub(crate) fn number(index: impl Into<u32>) -> u32 {
    index.into() + 1
}

/// The number that people read for a seat: 1 to 4.
pub(crate) fn seat_number(seat: Seat) -> u32 {
    number(u8::from(seat))
}

impl Words {
    /// A bid on its own, as on a button.
    pub fn bid_text(&self, bid: Bid) -> String {
        match bid.kind {
            BidKind::Points => bid.value.to_string(),
            BidKind::Marks => self.marks_text(u16::from(bid.value)),
            BidKind::Plunge => format!("{} · {}", self.plunge, self.marks_text(u16::from(bid.value))),
            BidKind::Splash => format!("{} · {}", self.splash, self.marks_text(u16::from(bid.value))),
        }
    }

    /// A bid inside a sentence.
    pub(crate) fn bid_in_sentence(&self, bid: Bid) -> String {
        match bid.kind {
            BidKind::Points | BidKind::Marks => self.bid_text(bid),
            BidKind::Plunge => fill(self.bid_plunge, &[&self.marks_text(u16::from(bid.value))]),
            BidKind::Splash => fill(self.bid_splash, &[&self.marks_text(u16::from(bid.value))]),
        }
    }

    /// A number of marks.
    pub fn marks_text(&self, marks: u16) -> String {
        if marks == 1 { self.mark.to_owned() } else { fill(self.marks, &[&marks.to_string()]) }
    }

    /// A number of points.
    pub fn points_text(&self, points: u8) -> String {
        if points == 1 { self.one_point.to_owned() } else { fill(self.some_points, &[&points.to_string()]) }
    }

    /// A number of tricks.
    pub fn tricks_text(&self, tricks: u8) -> String {
        if tricks == 1 { self.one_trick.to_owned() } else { fill(self.some_tricks, &[&tricks.to_string()]) }
    }

    /// The name of a declaration.
    pub const fn trump_text(&self, trump: Trump) -> &'static str {
        match trump {
            Trump::Blanks => self.blanks,
            Trump::Ones => self.ones,
            Trump::Twos => self.twos,
            Trump::Threes => self.threes,
            Trump::Fours => self.fours,
            Trump::Fives => self.fives,
            Trump::Sixes => self.sixes,
            Trump::Doubles => self.doubles,
            Trump::FollowMe => self.follow_me,
            Trump::Nello => self.nello,
            Trump::Sevens => self.sevens,
        }
    }

    /// What a declaration means, if it is more than a pip suit.
    pub const fn trump_description(&self, trump: Trump) -> Option<&'static str> {
        match trump {
            Trump::Doubles => Some(self.means_doubles),
            Trump::FollowMe => Some(self.means_follow_me),
            Trump::Nello => Some(self.means_nello),
            Trump::Sevens => Some(self.means_sevens),
            _ => None,
        }
    }

    /// The name of a suit.
    pub const fn suit_text(&self, suit: SuitName) -> &'static str {
        self.trump_text(suit.trump())
    }

    /// The name of a domino.
    pub fn domino_text(&self, domino: Domino) -> String {
        domino.to_string()
    }

    /// The name of a layer with what it does, or `None` for layers that players do not choose.
    pub const fn layer_text(&self, layer: &Layer) -> Option<&'static str> {
        match layer {
            Layer::Nello(_) => Some(self.layer_nello),
            Layer::Plunge(_) => Some(self.layer_plunge),
            Layer::Splash(_) => Some(self.layer_splash),
            Layer::Sevens(_) => Some(self.layer_sevens),
            Layer::Tournament(_) => Some(self.layer_tournament),
            Layer::ForcedBid(_) => Some(self.layer_forced_bid),
            Layer::Speed(_) => Some(self.layer_speed),
            Layer::Hints(_) => Some(self.layer_hints),
            Layer::Consensus(_) => Some(self.layer_consensus),
            Layer::OneHand(_) | Layer::DailyChallenge(_) => None,
        }
    }

    /// The label of an action's button.
    pub fn action_text(&self, action: Action) -> String {
        match action {
            Action::Bid { bid, .. } => self.bid_text(bid),
            Action::Play { domino, .. } => fill(self.play_domino, &[&self.domino_text(domino)]),
            Action::SelectTrump { trump, .. } => self.trump_text(trump).to_owned(),
            Action::Pass { .. } => self.pass.to_owned(),
            Action::Claim { .. } => self.claim.to_owned(),
            Action::AgreeCompleteTrick { .. } | Action::AgreeScoreHand { .. } => self.go_on.to_owned(),
            Action::CompleteTrick => self.complete_trick.to_owned(),
            Action::ScoreHand => self.score_hand.to_owned(),
            Action::Redeal => self.redeal.to_owned(),
            Action::EndGame => self.end_game.to_owned(),
            Action::Undo { .. } => self.undo.to_owned(),
            Action::SetControl { .. } => self.set_control.to_owned(),
        }
    }

    /// The difficulty of a hand of the day.
    pub const fn difficulty_text(&self, difficulty: Difficulty) -> &'static str {
        match difficulty {
            Difficulty::Easy => self.easy,
            Difficulty::Medium => self.medium,
            Difficulty::Hard => self.hard,
        }
    }

    /// The line to share after a hand of the day.
    pub fn share_line(&self, date: Date, difficulty: Difficulty, stars: u8) -> String {
        let difficulty = lowercase(self.difficulty_text(difficulty));
        fill(self.share_text, &[&date.to_string(), &difficulty, &stars.to_string()])
    }

    /// An action inside a sentence.
    pub(crate) const fn action_phrase(&self, action: ActionKind) -> &'static str {
        match action {
            ActionKind::Bid => self.doing_bid,
            ActionKind::Pass => self.doing_pass,
            ActionKind::SelectTrump => self.doing_select_trump,
            ActionKind::Play => self.doing_play,
            ActionKind::AgreeCompleteTrick => self.doing_agree_complete_trick,
            ActionKind::CompleteTrick => self.doing_complete_trick,
            ActionKind::AgreeScoreHand => self.doing_agree_score_hand,
            ActionKind::ScoreHand => self.doing_score_hand,
            ActionKind::Redeal => self.doing_redeal,
            ActionKind::Claim => self.doing_claim,
            ActionKind::EndGame => self.doing_end_game,
            ActionKind::Undo => self.doing_undo,
            ActionKind::SetControl => self.doing_set_control,
        }
    }

    /// A phase inside a sentence.
    pub(crate) const fn phase_phrase(&self, phase: Phase) -> &'static str {
        match phase {
            Phase::Setup => self.during_setup,
            Phase::Bidding => self.during_bidding,
            Phase::TrumpSelection => self.during_trump_selection,
            Phase::Playing => self.during_playing,
            Phase::Scoring => self.during_scoring,
            Phase::GameEnd | Phase::OneHandComplete => self.during_end,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Language;

    #[test]
    fn formats_bids() {
        let words = Language::English.words();
        assert_eq!(words.bid_text(Bid::marks(1)), "1 mark");
        assert_eq!(words.bid_text(Bid::marks(2)), "2 marks");
        assert_eq!(words.bid_text(Bid::points(31)), "31");
        let plunge = Bid { kind: BidKind::Plunge, value: 4 };
        assert_eq!(words.bid_in_sentence(plunge), "plunge for 4 marks");
    }

    #[test]
    fn share_line_is_localized() {
        let date: Date = "2026-11-17".parse().unwrap();
        let shared = |language: Language| language.words().share_line(date, Difficulty::Hard, 2);
        assert_eq!(shared(Language::English), "Texas 42, 2026-11-17 (hard): 2 of 3 stars");
        assert_eq!(shared(Language::Spanish), "Texas 42, 2026-11-17 (difícil): 2 de 3 estrellas");
    }
}
