//! Seats, sides and moves in the words of the text output. People count seats and hands from 1; JSON keeps the ids from 0.

use serde::de::DeserializeOwned;
use texas42_vocab::{Action, Control, Difficulty, Seat, Team, Trump};

/// A seat as people count it: `seat 1` to `seat 4`.
pub(crate) fn seat(seat: Seat) -> String {
    format!("seat {}", seat.index() + 1)
}

/// The name of a side: both of its seats.
pub(crate) const fn side(team: Team) -> &'static str {
    if team.index() == 0 { "seats 1 and 3" } else { "seats 2 and 4" }
}

/// The number of a hand, counted from 1.
pub(crate) const fn hand(number: u32) -> u32 {
    number + 1
}

/// Parses a seat, counted from 1.
pub(crate) fn parse_seat(text: &str) -> Result<Seat, String> {
    let number: Option<u8> = text.parse().ok();
    let seat = number.and_then(|number| Seat::new(number.checked_sub(1)?));
    seat.ok_or_else(|| "a seat is a number from 1 to 4".to_owned())
}

/// Parses a seat id from 0 to 3, for deprecated flags.
pub(crate) fn parse_seat_id(text: &str) -> Result<Seat, String> {
    text.parse().ok().and_then(Seat::new).ok_or_else(|| "this flag takes a seat id from 0 to 3".to_owned())
}

/// Parses a difficulty.
pub(crate) fn parse_difficulty(text: &str) -> Result<Difficulty, String> {
    let all = [Difficulty::Easy, Difficulty::Medium, Difficulty::Hard];
    all.into_iter().find(|difficulty| difficulty.name() == text).ok_or_else(|| "easy, medium or hard".to_owned())
}

/// Parses a value by its name in JSON.
pub(crate) fn parse_name<T: DeserializeOwned>(text: &str) -> Result<T, String> {
    serde_json::from_value(text.into()).map_err(|error| error.to_string())
}

/// An action with the seat that took it: `seat 4: bid 32`.
pub(crate) fn event(action: Action) -> String {
    match action.player() {
        Some(player) => format!("{}: {}", seat(player), choice(action)),
        None => choice(action),
    }
}

/// An action without its seat: `bid 32`.
pub(crate) fn choice(action: Action) -> String {
    let fixed = match action {
        Action::Bid { bid, .. } => return format!("bid {bid}"),
        Action::SelectTrump { trump, .. } => return format!("call {}", trump_name(trump)),
        Action::Play { domino, .. } => return format!("play {domino}"),
        Action::Undo { to } => return format!("undo to event {to}"),
        Action::Pass { .. } => "pass",
        Action::Claim { .. } => "lay down",
        Action::AgreeCompleteTrick { .. } => "agree to pick up the trick",
        Action::AgreeScoreHand { .. } => "agree to score the hand",
        Action::CompleteTrick => "pick up the trick",
        Action::ScoreHand => "score the hand",
        Action::Redeal => "reshake",
        Action::EndGame => "end the game",
        Action::SetControl { control_type: Control::Human, .. } => "a person plays",
        Action::SetControl { control_type: Control::Ai, .. } => "a computer plays",
    };
    fixed.to_owned()
}

/// The players' name for a trump declaration.
pub(crate) fn trump_name(trump: Trump) -> String {
    trump.name().replace('-', " ")
}

#[cfg(test)]
mod tests {
    use texas42_vocab::Bid;

    use super::*;

    #[test]
    fn people_count_seats_from_one() {
        assert_eq!(parse_seat("1"), Ok(Seat::ALL[0]));
        assert_eq!(parse_seat("4"), Ok(Seat::ALL[3]));
        for wrong in ["0", "5", "-1", "north", ""] {
            assert_eq!(parse_seat(wrong), Err("a seat is a number from 1 to 4".to_owned()), "{wrong:?}");
        }
        assert_eq!(parse_seat_id("0"), Ok(Seat::ALL[0]));
        assert_eq!(Seat::ALL.map(seat), ["seat 1", "seat 2", "seat 3", "seat 4"]);
        assert!(Seat::ALL.iter().all(|at| side(at.team()).contains(&seat(*at)[5..])));
    }

    #[test]
    fn events_use_the_words_of_players() {
        let player = Seat::ALL[3];
        assert_eq!(event(Action::Bid { player, bid: Bid::marks(2) }), "seat 4: bid 2 marks");
        assert_eq!(event(Action::SelectTrump { player, trump: Trump::FollowMe }), "seat 4: call follow me");
        assert_eq!(event(Action::Redeal), "reshake");
    }
}
