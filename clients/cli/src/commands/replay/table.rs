//! Draws a table: the seats around it with the hands that the viewer knows, the trick in the middle, the score.

use texas42_cli::show;
use texas42_phrases::{Language, capitalized};
use texas42_protocol::{ContractView, GameView, TableView};
use texas42_vocab::{Scoring, Seat, Team};

use crate::{
    color::{STRONG, styled},
    text_table, wording,
};

/// The width of the seats on the left and on the right: enough for a label or seven dominoes.
const SIDE: usize = 29;
/// The width of the trick in the middle.
const MIDDLE: usize = 18;
const WIDTH: usize = SIDE + MIDDLE + SIDE;

/// Draws the table with the viewer at the bottom; without a viewer, seat 1. Narrow terminals get a list of the seats.
pub(super) fn draw(view: &GameView, viewer: Option<Seat>, place: &str, columns: usize) -> String {
    let heading = format!("Hand {}, {}", wording::hand(view.state.hand_number), show::phase_text(view.state.phase));
    let bottom = viewer.unwrap_or(Seat::ALL[0]);
    let seats = if columns < WIDTH { listed(view, bottom) } else { draw_seats(view, bottom) };
    let fit = |text: String| show::fit(&text, columns);
    let parts = [
        format!("{} ({place})\n", styled(STRONG, &heading)),
        fit(contract(&view.state)),
        format!("\n{seats}\n"),
        fit(trick(&view.state)),
        fit(outcome(view)),
        score(&view.state, columns),
    ];
    parts.concat()
}

fn contract(state: &TableView) -> String {
    let Some(ContractView { bidder, bid, declarer, trump, sits_out, .. }) = state.contract else {
        return String::new();
    };
    let mut text = format!("{} bid {bid}", capitalized(&wording::seat(bidder)));
    if let Some(trump) = trump {
        let caller = if declarer == bidder { " and".to_owned() } else { format!(", {}", wording::seat(declarer)) };
        text += &format!("{caller} called {}", wording::trump_name(trump));
    }
    if let Some(seat) = sits_out {
        text += &format!("; {} sits out", wording::seat(seat));
    }
    text + ".\n"
}

/// The seats around the table, clockwise from the bottom: left, top, right.
fn draw_seats(view: &GameView, bottom: Seat) -> String {
    let (left, top, right) = (bottom.left(), bottom.partner(), bottom.partner().left());
    let play = |seat| played(&view.state, seat);
    let lines = [
        centered(&label(view, top)),
        centered(&hand(view, top)),
        String::new(),
        row(&label(view, left), &format!("{:^MIDDLE$}", play(top)), &label(view, right)),
        row(&hand(view, left), &format!("{:<6}{:6}{:>6}", play(left), "", play(right)), &hand(view, right)),
        row("", &format!("{:^MIDDLE$}", play(bottom)), ""),
        String::new(),
        centered(&hand(view, bottom)),
        centered(&label(view, bottom)),
    ];
    lines.map(|line| format!("{}\n", line.trim_end())).concat()
}

fn row(left: &str, middle: &str, right: &str) -> String {
    format!("{left:<SIDE$}{middle}  {right}")
}

fn centered(text: &str) -> String {
    format!("{text:^WIDTH$}")
}

/// The seats in the order of play, ending with the one at the bottom.
fn listed(view: &GameView, bottom: Seat) -> String {
    let seat = |seat: Seat| {
        let played = played(&view.state, seat);
        let played = if played.is_empty() { played } else { format!(", played {played}") };
        format!("{}{played}\n    {}\n", label(view, seat), hand(view, seat))
    };
    bottom.left().round().map(seat).collect()
}

/// A seat with its call. `>` marks the seat that is to act.
fn label(view: &GameView, seat: Seat) -> String {
    let state = &view.state;
    let mark = if view.derived.to_act == Some(seat) { "> " } else { "  " };
    let mut label = format!("{mark}{}", capitalized(&wording::seat(seat)));
    if state.shaker == Some(seat) {
        label += " shakes";
    }
    let separator = if state.shaker == Some(seat) { ", " } else { " " };
    if let Some(call) = state.auction.iter().find(|call| call.player == seat) {
        label += separator;
        label += &call.bid.map_or_else(|| "passed".to_owned(), |bid| format!("bid {bid}"));
    }
    label
}

/// The dominoes that the viewer knows, or how many there are.
fn hand(view: &GameView, seat: Seat) -> String {
    let held = &view.state.players[seat.index()];
    let known: Vec<String> = held.hand.into_iter().map(|domino| domino.to_string()).collect();
    let text = match (known.len(), held.hand_count) {
        (0, 0) => "no dominoes".to_owned(),
        (0, 1) => "1 domino".to_owned(),
        (0, count) => format!("{count} dominoes"),
        _ => known.join(" "),
    };
    format!("  {text}")
}

/// The domino that a seat has played to the trick, with a star if it is winning.
fn played(state: &TableView, seat: Seat) -> String {
    let Some(trick) = &state.trick else { return String::new() };
    let star = if trick.winner == Some(seat) { "*" } else { "" };
    let play = trick.plays.iter().find(|play| play.player == seat);
    play.map_or_else(String::new, |play| format!("{}{star}", play.domino))
}

fn trick(state: &TableView) -> String {
    let plays = state.trick.as_ref().map(|trick| trick.plays.as_slice()).unwrap_or_default();
    let Some(lead) = plays.first() else { return String::new() };
    let wins = if plays.len() == 1 { "" } else { "; * wins the trick so far" };
    format!("{} led {}{wins}.\n\n", capitalized(&wording::seat(lead.player)), lead.domino)
}

fn outcome(view: &GameView) -> String {
    let mut text = String::new();
    if let Some(outcome) = &view.state.outcome {
        let made = if outcome.made { "Made" } else { "Set" };
        text += &format!("{made}: {}.\n", Language::English.words().outcome(outcome.reason));
    }
    if let Some(winner) = view.derived.winner {
        text += &format!("{} win the game.\n", capitalized(wording::side(winner)));
    }
    if text.is_empty() { text } else { text + "\n" }
}

fn score(state: &TableView, columns: usize) -> String {
    let unit = if state.scoring == Scoring::Marks { "marks" } else { "points" };
    let score = format!("{unit} (to {})", state.target);
    let row = |team: Team| {
        let at = team.index();
        let numbers = [state.score[at].to_string(), state.points[at].to_string(), state.tricks_taken[at].to_string()];
        [vec![wording::side(team).to_owned()], numbers.to_vec()].concat()
    };
    text_table::render(&["side", &score, "points this hand", "tricks"], Team::BOTH.map(row), 1, columns)
}

#[cfg(test)]
mod tests {
    use texas42_room::HeadlessRoom;
    use texas42_vocab::{Action, Config};

    use super::*;

    /// A game in the middle of its first trick.
    fn room() -> HeadlessRoom {
        let mut room = HeadlessRoom::new(&Config { seed: "game-1".parse().ok(), ..Config::default() }).expect("rules");
        while room.state().to_act().is_none_or(|_| room.game().log().len() < 7) {
            let offers = room.legal();
            let is_wanted = |action: &Action| !matches!(action, Action::Bid { bid, .. } if bid.value > 31);
            let action = offers.iter().find(is_wanted).expect("a move");
            room.execute(action).expect("a legal move");
        }
        room
    }

    fn drawn(columns: usize) -> String {
        let seat = Seat::ALL[1];
        let text = draw(&room().view(seat), Some(seat), "event 7 of 7", columns);
        anstream::adapter::strip_str(&text).to_string()
    }

    #[test]
    fn the_viewer_sits_at_the_bottom_and_sees_one_hand() {
        let text = drawn(usize::MAX);
        let lines: Vec<&str> = text.lines().collect();
        let at = |part: &str| {
            lines.iter().position(|line| line.contains(part)).unwrap_or_else(|| panic!("{part} in {text}"))
        };
        assert!(at("Seat 4") < at("Seat 3") && at("Seat 3") < at("Seat 2"), "{text}");
        assert_eq!(at("Seat 3"), at("Seat 1"), "{text}");
        let hands = lines.iter().filter(|line| line.matches('-').count() >= 6 && !line.contains("--")).count();
        assert_eq!(hands, 1, "{text}");
    }

    #[test]
    fn a_narrow_terminal_gets_a_list() {
        let text = drawn(50);
        assert!(text.lines().all(|line| line.chars().count() <= 50), "{text}");
        assert!(Seat::ALL.iter().all(|seat| text.contains(&capitalized(&wording::seat(*seat)))), "{text}");
    }
}
