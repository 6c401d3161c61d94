//! Seats, sides and moves in the words of the text output. People count seats and hands from 1; JSON keeps the ids from 0.

use texas42_vocab::{Action, Control, Seat, Team, Trump};

/// A seat as people count it: `seat 1` to `seat 4`.
pub(crate) fn seat(seat: Seat) -> String {
    format!("seat {}", seat.index() + 1)
}

/// Both seats of a side.
pub(crate) const fn side(team: Team) -> &'static str {
    if team.index() == 0 { "seats 1 and 3" } else { "seats 2 and 4" }
}

/// A hand as people count it.
pub(crate) const fn hand(number: u32) -> u32 {
    number + 1
}

/// Reads a seat as people count it.
pub(crate) fn parse_seat(text: &str) -> Result<Seat, String> {
    let number: Option<u8> = text.parse().ok();
    let seat = number.and_then(|number| Seat::new(number.checked_sub(1)?));
    seat.ok_or_else(|| "a seat is a number from 1 to 4".to_owned())
}

/// Reads the id of a seat, for flags that are older than counting from 1.
pub(crate) fn parse_seat_id(text: &str) -> Result<Seat, String> {
    text.parse().ok().and_then(Seat::new).ok_or_else(|| "this flag takes a seat id from 0 to 3".to_owned())
}

/// What happened, with the seat that did it: `seat 4: bid 32`.
pub(crate) fn event(action: Action) -> String {
    match action.player() {
        Some(player) => format!("{}: {}", seat(player), choice(action)),
        None => choice(action),
    }
}

/// What is done, without the seat: `bid 32`.
pub(crate) fn choice(action: Action) -> String {
    let fixed = match action {
        Action::Bid { bid, .. } => return format!("bid {bid}"),
        Action::SelectTrump { trump, .. } => return format!("name {}", trump_name(trump)),
        Action::Play { domino, .. } => return format!("play {domino}"),
        Action::Undo { to } => return format!("go back to event {to}"),
        Action::Pass { .. } => "pass",
        Action::Claim { .. } => "claim the rest",
        Action::AgreeCompleteTrick { .. } => "agree to take in the trick",
        Action::AgreeScoreHand { .. } => "agree to score the hand",
        Action::CompleteTrick => "take in the trick",
        Action::ScoreHand => "score the hand",
        Action::Redeal => "shake again",
        Action::EndGame => "end the game",
        Action::SetControl { control_type: Control::Human, .. } => "a person plays",
        Action::SetControl { control_type: Control::Ai, .. } => "a computer plays",
    };
    fixed.to_owned()
}

/// What players call a declaration.
pub(crate) fn trump_name(trump: Trump) -> String {
    trump.name().replace('-', " ")
}

/// A text that starts a sentence.
pub(crate) fn capitalized(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
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
    fn events_are_told_in_the_words_of_players() {
        let player = Seat::ALL[3];
        assert_eq!(event(Action::Bid { player, bid: Bid::marks(2) }), "seat 4: bid 2 marks");
        assert_eq!(event(Action::SelectTrump { player, trump: Trump::FollowMe }), "seat 4: name follow me");
        assert_eq!(event(Action::Redeal), "shake again");
    }
}
