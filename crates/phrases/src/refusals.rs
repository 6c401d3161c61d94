//! Renders refusals, hints and outcomes.

use alloc::{
    borrow::ToOwned,
    string::{String, ToString},
};

use texas42_vocab::Seat;

use crate::{Hint, OutcomeReason, Reason, Refusal, Words, fill, nouns::seat_number};

impl Words {
    /// Why a request is refused: a sentence without capitalization or a period.
    pub fn reason(&self, reason: &Reason) -> String {
        match reason {
            Reason::Rule(refusal) => self.refusal(*refusal),
            Reason::Request(problem) => self.problem(problem),
        }
    }

    /// Why a move is refused: a sentence without capitalization or a period.
    pub fn refusal(&self, refusal: Refusal) -> String {
        let seat = |text, seat: Seat| fill(text, &[&seat_number(seat).to_string()]);
        match refusal {
            Refusal::WrongPhase { action, phase } => {
                fill(self.refusal_wrong_phase, &[self.action_phrase(action), self.phase_phrase(phase)])
            }
            Refusal::NotYourTurn { turn } => seat(self.refusal_not_your_turn, turn),
            Refusal::BidTooLow { standing } => fill(self.refusal_bid_too_low, &[&self.bid_in_sentence(standing)]),
            Refusal::BidNotOffered { bid } => fill(self.refusal_bid_not_offered, &[&self.bid_in_sentence(bid)]),
            Refusal::TrumpNotOffered { trump } => fill(self.refusal_trump_not_offered, &[self.trump_text(trump)]),
            Refusal::NotInHand { player, domino } => {
                fill(self.refusal_not_in_hand, &[&seat_number(player).to_string(), &self.domino_text(domino)])
            }
            Refusal::MustFollow { suit } => fill(self.refusal_must_follow, &[self.suit_text(suit)]),
            Refusal::NoAgreementWanted { player } => seat(self.refusal_no_agreement_wanted, player),
            Refusal::NotAMove { action } => fill(self.refusal_not_a_move, &[self.action_phrase(action)]),
            Refusal::NoSuchEvent { events } => fill(self.refusal_no_such_event, &[&events.to_string()]),
            Refusal::SameControl { player } => seat(self.refusal_same_control, player),
            Refusal::GameOver => self.refusal_game_over.to_owned(),
            Refusal::TrickComplete => self.refusal_trick_complete.to_owned(),
            Refusal::TrickIncomplete => self.refusal_trick_incomplete.to_owned(),
            Refusal::MustBid => self.refusal_must_bid.to_owned(),
            Refusal::MustPlayNearest => self.refusal_must_play_nearest.to_owned(),
            Refusal::OnlyBidderClaims => self.refusal_only_bidder_claims.to_owned(),
            Refusal::WaitingForAgreement => self.refusal_waiting_for_agreement.to_owned(),
            Refusal::LogFull => self.refusal_log_full.to_owned(),
            Refusal::TooManyClaims => self.refusal_too_many_claims.to_owned(),
            Refusal::NotOffered => self.refusal_not_offered.to_owned(),
        }
    }

    /// Why a request is refused, for a reader who knows the players: `own` is the reader's seat, and `name` the name of
    /// the player on another seat.
    pub fn reason_naming(&self, reason: &Reason, own: Option<Seat>, name: impl Fn(Seat) -> String) -> String {
        match reason {
            Reason::Rule(refusal) => self.refusal_naming(*refusal, own, name),
            Reason::Request(problem) => self.problem(problem),
        }
    }

    fn refusal_naming(&self, refusal: Refusal, own: Option<Seat>, name: impl Fn(Seat) -> String) -> String {
        let other = |seat: Seat| (Some(seat) != own).then(|| name(seat));
        let named = match refusal {
            Refusal::NotYourTurn { turn } => other(turn).map(|name| fill(self.refusal_turn_of, &[&name])),
            Refusal::NotInHand { player, domino } => {
                other(player).map(|name| fill(self.refusal_not_in_hand_of, &[&name, &self.domino_text(domino)]))
            }
            Refusal::NoAgreementWanted { player } => {
                other(player).map(|name| fill(self.refusal_no_agreement_wanted_of, &[&name]))
            }
            Refusal::SameControl { player } => other(player).map(|name| fill(self.refusal_same_control_of, &[&name])),
            _ => None,
        };
        named.unwrap_or_else(|| self.refusal(refusal))
    }

    /// A hint as a complete sentence.
    pub fn hint(&self, hint: Hint) -> String {
        match hint {
            Hint::OnlyChoice => self.hint_only_choice.to_owned(),
            Hint::CannotBeBeaten => self.hint_cannot_be_beaten.to_owned(),
            Hint::BeatsTheTable => self.hint_beats_the_table.to_owned(),
            Hint::CountToPartner => self.hint_count_to_partner.to_owned(),
            Hint::GivesCountAway => self.hint_gives_count_away.to_owned(),
            Hint::Safe => self.hint_safe.to_owned(),
            Hint::SuitLength { held: 0, .. } => self.hint_suit_empty.to_owned(),
            Hint::SuitLength { held, with_double: true } => fill(self.hint_suit_with_double, &[&held.to_string()]),
            Hint::SuitLength { held, with_double: false } => fill(self.hint_suit_without_double, &[&held.to_string()]),
            Hint::SureTricks { tricks } => fill(self.hint_sure_tricks, &[&tricks.to_string()]),
            Hint::RestIsYours => self.hint_rest_is_yours.to_owned(),
            Hint::RestIsOpen => self.hint_rest_is_open.to_owned(),
        }
    }

    /// What decided a hand: a sentence without capitalization or a period.
    pub const fn outcome(&self, reason: OutcomeReason) -> &'static str {
        match reason {
            OutcomeReason::BidReached => self.outcome_bid_reached,
            OutcomeReason::BidOutOfReach => self.outcome_bid_out_of_reach,
            OutcomeReason::TrickLost => self.outcome_trick_lost,
            OutcomeReason::TrickTaken => self.outcome_trick_taken,
            OutcomeReason::PlayedOut => self.outcome_played_out,
            OutcomeReason::ClaimStood => self.outcome_claim_stood,
            OutcomeReason::ClaimFailed => self.outcome_claim_failed,
        }
    }
}

#[cfg(test)]
mod tests {
    use alloc::string::ToString;

    use texas42_vocab::Domino;

    use super::*;
    use crate::Language;

    #[test]
    fn a_refusal_names_the_players_that_the_reader_knows() {
        let [ann, bob] = [Seat::ALL[0], Seat::ALL[1]];
        let lacks = |player| Reason::Rule(Refusal::NotInHand { player, domino: Domino::new(6, 4).unwrap() });
        let turn = Reason::Rule(Refusal::NotYourTurn { turn: bob });
        for (language, bobs, own, waits) in [
            (Language::English, "Bob doesn't have 6-4", "you don't have 6-4", "it's Bob's turn"),
            (Language::Spanish, "Bob no tiene 6-4", "no tienes 6-4", "le toca a Bob"),
        ] {
            let words = language.words();
            let said = |reason: &Reason| words.reason_naming(reason, Some(ann), |_| "Bob".to_string());
            assert_eq!([said(&lacks(bob)), said(&lacks(ann)), said(&turn)], [bobs, own, waits]);
            assert_eq!(words.reason(&lacks(bob)), own, "without names, a player is told about their own hand");
        }
    }
}
