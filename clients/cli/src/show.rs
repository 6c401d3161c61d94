//! A table in text, for a terminal: everything comes from the view, no rule is known here.

use std::fmt::Write;

use texas42_phrases::Language;
use texas42_protocol::{GameView, PlayerView};
use texas42_vocab::{Action, Bid, Domino, Phase, Seat, Trump};

/// Below so many columns the seats stand closer together.
const WIDE: usize = 60;

/// The table as the one on `seat` sees it, with numbered choices at the end, in so many columns.
pub fn table(view: &GameView, seat: Option<Seat>, columns: usize) -> String {
    let mut text = String::new();
    let state = &view.state;
    writeln!(text, "\n── {} · hand {} · {}", phase(state.phase), state.hand_number + 1, score(view, seat)).ok();
    for player in Seat::ALL {
        seat_line(&mut text, view, player, seat, columns);
    }
    contract(&mut text, view);
    trick(&mut text, view);
    if let Some(outcome) = &state.outcome {
        writeln!(text, "   {}", Language::English.words().outcome(outcome.reason)).ok();
    }
    let own: Vec<Domino> = seat.map_or_else(Vec::new, |seat| state.players[seat.index()].hand.into_iter().collect());
    if !own.is_empty() {
        text.push_str(&draw(&own, columns));
    }
    if view.not_ready().any(|waiting| Some(waiting) == seat) {
        text.push_str("   the game begins when everybody is ready: type y when you are\n");
    }
    choices(&mut text, view);
    fit(&text, columns)
}

/// Whether there is something to look at that was not there before. Who comes and goes is worth a look while players gather,
/// and no more when everybody plays.
pub fn is_new(view: &GameView, shown: &GameView) -> bool {
    let is_gathering = view.state.phase == Phase::Setup;
    view.state != shown.state
        || view.valid_actions != shown.valid_actions
        || is_gathering && (&view.players, &view.metadata.ready) != (&shown.players, &shown.metadata.ready)
}

/// A text in lines of at most so many columns, broken between words and set in. A word that is longer, such as a link, stays
/// whole, so that it can be copied.
pub fn fit(text: &str, columns: usize) -> String {
    text.split_inclusive('\n')
        .map(|line| if width(line.trim_end()) > columns { broken(line, columns) } else { line.to_owned() })
        .collect()
}

fn broken(line: &str, columns: usize) -> String {
    let indent = width(line) - width(line.trim_start());
    let mut text = " ".repeat(indent);
    let mut used = indent;
    for (number, word) in line.split_whitespace().enumerate() {
        if number > 0 && used + 1 + width(word) > columns {
            used = indent + 2;
            write!(text, "\n{:used$}{word}", "").ok();
        } else {
            let space = if number > 0 { " " } else { "" };
            used += space.len();
            write!(text, "{space}{word}").ok();
        }
        used += width(word);
    }
    text + if line.ends_with('\n') { "\n" } else { "" }
}

fn width(text: &str) -> usize {
    text.chars().count()
}

fn score(view: &GameView, seat: Option<Seat>) -> String {
    let [even, odd] = view.state.score;
    let target = view.state.target;
    match seat.map(|seat| seat.index() % 2) {
        Some(0) => format!("we {even}, they {odd}, to {target}"),
        Some(_) => format!("we {odd}, they {even}, to {target}"),
        None => format!("{even} to {odd}, to {target}"),
    }
}

fn seat_line(text: &mut String, view: &GameView, player: Seat, own: Option<Seat>, columns: usize) {
    let state = &view.state;
    let mark = if view.derived.to_act == Some(player) { '▶' } else { ' ' };
    let calls: Vec<String> = state
        .auction
        .iter()
        .filter(|call| call.player == player)
        .map(|call| call.bid.map_or("pass".to_owned(), bid))
        .collect();
    let hand = &state.players[player.index()];
    let held = format!("{} dominoes", hand.hand_count);
    let you = match own {
        Some(seat) if seat == player => " (you)",
        Some(seat) if seat.partner() == player => " (partner)",
        _ => "",
    };
    let shakes = if state.shaker == Some(player) { ", shakes" } else { "" };
    let ready = if view.metadata.ready.contains(&player) { ", ready" } else { "" };
    let name = format!("{}{you}{shakes}{ready}", name(view, player));
    let (named, counted) = if columns < WIDE { (17, 10) } else { (28, 12) };
    let line = format!(" {mark} {name:<named$} {held:<counted$} {}", calls.join(", "));
    writeln!(text, "{}", line.trim_end()).ok();
}

/// What a seat is called.
pub fn name(view: &GameView, seat: Seat) -> String {
    let mut players = view.players.iter().filter(|player| player.player_index == Some(seat));
    let shown = |player: &PlayerView| {
        let away = if player.is_connected { "" } else { ", away" };
        format!("{}{away}", player.name)
    };
    players.next().map_or_else(|| format!("seat {}", seat.index() + 1), shown)
}

fn contract(text: &mut String, view: &GameView) {
    let Some(contract) = view.state.contract else { return };
    let trump = contract.trump.map_or("trumps are not named yet".to_owned(), trump_name);
    let [even, odd] = view.state.points;
    let bidder = name(view, contract.bidder);
    writeln!(text, "   {bidder} bid {}; {trump}; points {even} : {odd}", bid(contract.bid)).ok();
}

fn trick(text: &mut String, view: &GameView) {
    let Some(trick) = &view.state.trick else { return };
    let plays: Vec<String> =
        trick.plays.iter().map(|play| format!("{} {}", name(view, play.player), domino(play.domino))).collect();
    if plays.is_empty() {
        return;
    }
    let winner = trick.winner.map_or(String::new(), |winner| format!("  ({} has it)", name(view, winner)));
    writeln!(text, "   on the table: {}{winner}", plays.join(" · ")).ok();
}

fn choices(text: &mut String, view: &GameView) {
    for (number, valid) in view.valid_actions.iter().enumerate() {
        let hint =
            valid.hint.as_ref().map_or(String::new(), |hint| format!("   — {}", Language::English.words().hint(*hint)));
        let shortcut = if valid.shortcut.is_empty() { String::new() } else { format!(" [{}]", valid.shortcut) };
        writeln!(text, "  {:>2}. {}{shortcut}{hint}", number + 1, valid.label).ok();
    }
}

/// The action that somebody chose: by its number, its shortcut, its label, or its domino.
pub fn choose(view: &GameView, input: &str) -> Option<Action> {
    let input = input.trim();
    let valid = &view.valid_actions;
    // A shortcut may be a number too (a bid of 30): the shown number wins only where no shortcut is meant.
    let by_shortcut = || valid.iter().find(|valid| valid.shortcut.eq_ignore_ascii_case(input));
    let by_number = || input.parse::<usize>().ok().and_then(|number| valid.get(number.checked_sub(1)?));
    let by_label = || valid.iter().find(|valid| valid.label.eq_ignore_ascii_case(input));
    let by_domino = || {
        let wanted: Domino = input.parse().ok()?;
        valid.iter().find(|valid| matches!(valid.action, Action::Play { domino, .. } if domino == wanted))
    };
    by_number().or_else(by_shortcut).or_else(by_label).or_else(by_domino).map(|valid| valid.action)
}

fn phase(phase: Phase) -> &'static str {
    match phase {
        Phase::Setup => "waiting for players",
        Phase::Bidding => "bidding",
        Phase::TrumpSelection => "naming trumps",
        Phase::Playing => "playing",
        Phase::Scoring => "scoring",
        Phase::GameEnd | Phase::OneHandComplete => "the game is over",
    }
}

fn bid(bid: Bid) -> String {
    serde_json::to_value(bid).ok().map_or_else(String::new, |value| {
        let word = value["bid"].as_str().unwrap_or_default().to_owned();
        match (word.as_str(), value["value"].as_u64()) {
            ("points", Some(points)) => points.to_string(),
            ("marks", Some(1)) => "1 mark".to_owned(),
            (_, Some(number)) => format!("{number} {word}"),
            (_, None) => word,
        }
    })
}

fn trump_name(trump: Trump) -> String {
    serde_json::to_value(trump).ok().and_then(|value| value.as_str().map(str::to_owned)).unwrap_or_default()
}

fn domino(domino: Domino) -> String {
    let text = domino.to_string();
    format!("[{}]", text.replace('-', "|"))
}

/// Dominoes side by side, drawn with lines, as many in a row as there is place for.
pub fn draw(dominoes: &[Domino], columns: usize) -> String {
    // A whole hand fits into 40 columns when nothing is between its dominoes.
    let gap = if 3 + 6 * dominoes.len() <= columns { " " } else { "" };
    let in_a_row = (columns.saturating_sub(3) / (5 + gap.len())).max(1);
    dominoes.chunks(in_a_row).map(|row| draw_row(row, gap)).collect()
}

fn draw_row(dominoes: &[Domino], gap: &str) -> String {
    let ends: Vec<(String, String)> = dominoes
        .iter()
        .map(|domino| {
            let text = domino.to_string();
            let (high, low) = text.split_once('-').unwrap_or((&text, ""));
            (high.to_owned(), low.to_owned())
        })
        .collect();
    let row = |piece: &dyn Fn(&(String, String)) -> String| {
        let pieces: Vec<String> = ends.iter().map(piece).collect();
        format!("   {}\n", pieces.join(gap))
    };
    [
        row(&|_| "┌───┐".to_owned()),
        row(&|(high, _)| format!("│ {high} │")),
        row(&|_| "├───┤".to_owned()),
        row(&|(_, low)| format!("│ {low} │")),
        row(&|_| "└───┘".to_owned()),
    ]
    .concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dominoes_are_drawn_side_by_side() {
        let hand: Vec<Domino> = ["6-4", "1-1"].iter().map(|text| text.parse().unwrap()).collect();
        let expected = "   ┌───┐ ┌───┐\n   │ 6 │ │ 1 │\n   ├───┤ ├───┤\n   │ 4 │ │ 1 │\n   └───┘ └───┘\n";
        assert_eq!(draw(&hand, usize::MAX), expected);
        for (columns, lines) in [(80, 5), (40, 5), (20, 15)] {
            let drawn = draw(&[hand[0]; 7], columns);
            assert!(drawn.lines().count() == lines && drawn.lines().all(|line| width(line) <= columns), "{drawn}");
        }
    }

    #[test]
    fn only_what_happens_is_worth_a_new_look() {
        let mut room = texas42_room::HeadlessRoom::new(&texas42_vocab::Config::default()).unwrap();
        let before = room.view(Seat::ALL[0]);
        let bob: PlayerView = serde_json::from_value(serde_json::json!({
            "playerId": "p1", "playerIndex": 1, "name": "Bob", "controlType": "human", "isConnected": true, "capabilities": [],
        }))
        .unwrap();
        let mut with_bob = GameView { players: vec![bob].into(), ..before.clone() };
        assert!(!is_new(&with_bob, &before), "somebody came while all play");
        with_bob.state.phase = Phase::Setup;
        let gathering = GameView { players: before.players.clone(), ..with_bob.clone() };
        assert!(is_new(&with_bob, &gathering), "somebody came while players gather");
        room.execute(room.legal().nth(0).unwrap()).unwrap();
        assert!(is_new(&room.view(Seat::ALL[0]), &before));
    }

    #[test]
    fn long_lines_are_broken_between_words() {
        let text = "short\n   a line    that is too long for it\n  http://localhost/#join/a/key is whole\n";
        let expected =
            "short\n   a line that is\n     too long for\n     it\n  http://localhost/#join/a/key\n    is whole\n";
        assert_eq!(fit(text, 18), expected);
        assert_eq!(fit(text, 80), text);
    }
}
