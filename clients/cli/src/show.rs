//! A table as text for a terminal. Everything comes from the view; this module implements no rule.

use std::fmt::Write;

use texas42_phrases::{Language, capitalized, fill};
use texas42_protocol::{ActionHint, GameView, PlayerView, ValidAction};
use texas42_vocab::{Action, Bid, BidKind, Domino, Phase, Seat};

/// Terminals with fewer columns get narrower seat columns.
const WIDE: usize = 60;

/// The table as the player on `seat` sees it, wrapped to `columns`, with numbered choices at the end.
pub fn table(view: &GameView, seat: Option<Seat>, columns: usize) -> String {
    let mut text = String::new();
    let state = &view.state;
    writeln!(text, "\n── {} · hand {} · {}", phase_text(state.phase), state.hand_number + 1, score(view, seat)).ok();
    if let Some(goal) = goal(view) {
        writeln!(text, "   {goal}").ok();
    }
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
    if let Some(stars) = stars(view) {
        writeln!(text, "   {stars}").ok();
    }
    // Not wrapped, so that they can be copied.
    let shareable_lines: String = shareable_lines(view, None).iter().map(|line| format!("   {line}\n")).collect();
    fit(&text, columns) + &shareable_lines
}

/// The goal of a daily challenge: how many points each star needs.
pub fn goal(view: &GameView) -> Option<String> {
    let words = Language::English.words();
    let [one, two, three] = view.state.challenge?.star_thresholds.map(|points| points.to_string());
    // Tables of an early version do not show their goal.
    if one == "0" {
        return None;
    }
    let stars = |number: &str, points: &str| fill(words.goal_stars, &[number, points]);
    let texts = [stars("3", &three), stars("2", &two), fill(words.goal_one_star, &[&one])];
    Some(format!("{}: {}", words.goal, texts.join(" · ")))
}

/// The stars of a finished daily challenge.
pub fn stars(view: &GameView) -> Option<String> {
    let stars = view.metadata.result.as_ref()?.stars?;
    Some(fill(Language::English.words().stars, &[&stars.to_string()]))
}

/// The lines about a finished game that a person may want to keep: the text to share, and the link that replays it. Without
/// a server, the link is the part of a page's address from `#` on, which `texas42 replay` reads too.
pub fn shareable_lines(view: &GameView, server: Option<&str>) -> Vec<String> {
    let Some(result) = view.metadata.result.as_ref() else { return Vec::new() };
    let page = server.map_or_else(String::new, |server| format!("{server}/"));
    let link = result.replay_link.as_ref().map(|link| format!("replay: {page}{link}"));
    result.share_text.iter().cloned().chain(link).collect()
}

/// Whether a view differs from the shown one in a way that is worth printing. Arrivals and departures count only before the game
/// starts.
pub fn is_new(view: &GameView, shown: &GameView) -> bool {
    let is_gathering = view.state.phase == Phase::Setup;
    view.state != shown.state
        || view.valid_actions != shown.valid_actions
        || is_gathering && (&view.players, &view.metadata.ready) != (&shown.players, &shown.metadata.ready)
}

/// Wraps lines that are longer than `columns` between words, and indents the continuation. A longer word, such as a link, stays
/// whole, so that it can be copied.
pub fn fit(text: &str, columns: usize) -> String {
    text.split_inclusive('\n')
        .map(|line| if width(line.trim_end()) > columns { wrap_line(line, columns) } else { line.to_owned() })
        .collect()
}

fn wrap_line(line: &str, columns: usize) -> String {
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
    // One hand is the whole game, regardless of the score.
    let to = if view.state.one_hand { String::new() } else { format!(", to {}", view.state.target) };
    match seat.map(|seat| seat.index() % 2) {
        Some(0) => format!("we {even}, they {odd}{to}"),
        Some(_) => format!("we {odd}, they {even}{to}"),
        None => format!("{even} to {odd}{to}"),
    }
}

fn seat_line(text: &mut String, view: &GameView, player: Seat, own: Option<Seat>, columns: usize) {
    let state = &view.state;
    let mark = if view.derived.to_act == Some(player) { '▶' } else { ' ' };
    let calls: Vec<String> = state
        .auction
        .iter()
        .filter(|call| call.player == player)
        .map(|call| call.bid.map_or("pass".to_owned(), |bid| Language::English.words().bid_text(bid)))
        .collect();
    let hand = &state.players[player.index()];
    let held = if hand.hand_count == 1 { "1 domino".to_owned() } else { format!("{} dominoes", hand.hand_count) };
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

/// The name of the player on a seat, or the number of the seat.
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
    let words = Language::English.words();
    let trump = contract.trump.map_or("trumps are not called yet", |trump| words.trump_text(trump));
    let [even, odd] = view.state.points;
    let bidder = name(view, contract.bidder);
    writeln!(text, "   {bidder} bid {}; {trump}; points {even} : {odd}", words.bid_text(contract.bid)).ok();
}

fn trick(text: &mut String, view: &GameView) {
    let Some(trick) = &view.state.trick else { return };
    let plays: Vec<String> =
        trick.plays.iter().map(|play| format!("{} {}", name(view, play.player), domino(play.domino))).collect();
    if plays.is_empty() {
        return;
    }
    let winner = trick
        .winner
        .map_or(String::new(), |winner| format!("  ({}: {})", Language::English.words().winning, name(view, winner)));
    writeln!(text, "   on the table: {}{winner}", plays.join(" · ")).ok();
}

fn choices(text: &mut String, view: &GameView) {
    for (number, valid) in view.valid_actions.iter().enumerate() {
        let hint =
            valid.hint.as_ref().map_or(String::new(), |hint| format!("   — {}", Language::English.words().hint(*hint)));
        let shortcut = if valid.shortcut.is_empty() { String::new() } else { format!(" [{}]", valid.shortcut) };
        writeln!(text, "  {:>2}. {}{shortcut}{hint}", number + 1, choice_text(valid.action)).ok();
    }
}

/// A choice in the words of players: `Bid 31`, `Fives`, `Play 6-4`.
pub fn choice_text(action: Action) -> String {
    let words = Language::English.words();
    match action {
        Action::Bid { bid: bid @ Bid { kind: BidKind::Points | BidKind::Marks, .. }, .. } => {
            format!("{} {}", words.bid, words.bid_text(bid))
        }
        _ => capitalized(&words.action_text(action)),
    }
}

/// The host's opinion of a choice: whether it recommends it, the chance and the expected marks, and the reasons.
pub fn expert_hint(action: Action, hint: &ActionHint) -> String {
    let thousandths = |value: i32| f64::from(value) / 1000.0;
    let facts = [
        hint.recommended.then(|| "recommended".to_owned()),
        hint.chance.map(|chance| format!("{:.0} %", f64::from(chance) / 10.0)),
        hint.expected_marks.map(|marks| format!("{:+.2} marks", thousandths(marks))),
    ];
    let facts = facts.into_iter().flatten().collect::<Vec<_>>().join(", ");
    let reasons = Language::English.words().remarks(&hint.reasons);
    format!("{} ({facts}). {reasons}", choice_text(action)).trim_end().to_owned()
}

/// The action that a typed line selects; see `find_choice`.
pub fn choose(view: &GameView, input: &str) -> Option<Action> {
    let choices: Vec<&ValidAction> = view.valid_actions.iter().collect();
    find_choice(&choices, input.trim()).map(|number| choices[number].action)
}

/// The position of the choice that a text names by its shortcut, its number in the list, its text here, its label on the wire,
/// or its domino. A shortcut can be a number too, such as 5 for fives or 30 for a bid; it takes precedence.
pub(crate) fn find_choice(choices: &[&ValidAction], text: &str) -> Option<usize> {
    let found = |test: &dyn Fn(&ValidAction) -> bool| choices.iter().position(|valid| test(valid));
    let by_shortcut = || found(&|valid| valid.shortcut.eq_ignore_ascii_case(text));
    let by_number = || text.parse::<usize>().ok()?.checked_sub(1).filter(|number| *number < choices.len());
    let by_text = || found(&|valid| choice_text(valid.action).eq_ignore_ascii_case(text));
    let by_label = || found(&|valid| valid.label.eq_ignore_ascii_case(text));
    let by_domino = || {
        let wanted: Domino = text.parse().ok()?;
        found(&|valid| matches!(valid.action, Action::Play { domino, .. } if domino == wanted))
    };
    by_shortcut().or_else(by_number).or_else(by_text).or_else(by_label).or_else(by_domino)
}

/// The name of a phase of a game.
pub const fn phase_text(phase: Phase) -> &'static str {
    match phase {
        Phase::Setup => "waiting for players",
        Phase::Bidding => "bidding",
        Phase::TrumpSelection => "calling trumps",
        Phase::Playing => "playing",
        Phase::Scoring => "scoring",
        Phase::GameEnd | Phase::OneHandComplete => "game over",
    }
}

fn domino(domino: Domino) -> String {
    let text = domino.to_string();
    format!("[{}]", text.replace('-', "|"))
}

/// Draws dominoes side by side, as many in a row as fit.
pub fn draw(dominoes: &[Domino], columns: usize) -> String {
    // A whole hand fits into 40 columns only without gaps.
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
    use texas42_protocol::ActionGroup;
    use texas42_vocab::Trump;

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
    fn a_choice_is_typed_by_the_text_in_the_list_or_by_its_label() {
        let valid = |action, label: &str| ValidAction {
            action,
            label: label.into(),
            shortcut: "".into(),
            group: ActionGroup::Play,
            auto_execute: false,
            delay: None,
            hint: None,
            reason: None,
        };
        let player = Seat::ALL[0];
        let choices = [
            valid(Action::Bid { player, bid: Bid::points(31) }, "Bid 31"),
            valid(Action::SelectTrump { player, trump: Trump::FollowMe }, "Follow me"),
            valid(Action::Claim { player }, "Lay down and claim the rest"),
            valid(Action::CompleteTrick, "Take in the trick"),
        ];
        let choices: Vec<&ValidAction> = choices.iter().collect();
        let texts: Vec<String> = choices.iter().map(|valid| choice_text(valid.action)).collect();
        assert_eq!(texts, ["Bid 31", "Follow me", "Lay down: the rest are mine", "Pick up the trick"]);
        for (number, (text, valid)) in texts.iter().zip(&choices).enumerate() {
            assert_eq!(find_choice(&choices, &text.to_lowercase()), Some(number), "{text}");
            assert_eq!(find_choice(&choices, &valid.label), Some(number), "{}", valid.label);
        }
    }

    #[test]
    fn arrivals_make_a_view_new_only_before_the_game_starts() {
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
