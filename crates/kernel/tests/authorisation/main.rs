//! Tries every action with every standard session in every phase of the game. A session is represented by its
//! capabilities alone; the rules are checked after them.

#![allow(clippy::unwrap_used, reason = "a failed unwrap fails the test")]

use texas42_engine::{Context, Game, apply};
use texas42_kernel::{authorise, granted};
use texas42_protocol::{Capability, ErrorCode, Grant, Role};
use texas42_vocab::{Action, Bid, Config, Control, Seat, Trump};

fn seat(number: u8) -> Seat {
    Seat::new(number).unwrap()
}

/// The standard sessions: a player at each seat, a student, a bot, spectators, and a session without capabilities.
fn sessions() -> Vec<(&'static str, Vec<Capability>)> {
    let of = |role: Role, at: Option<u8>| role.capabilities(at.map(seat));
    let open = Grant { open_hands: true, ..Grant::of(Role::Spectator) };
    vec![
        ("P0", of(Role::Player, Some(0))),
        ("P1", of(Role::Player, Some(1))),
        ("P2", of(Role::Player, Some(2))),
        ("P3", of(Role::Player, Some(3))),
        ("S0", of(Role::Student, Some(0))),
        ("A0", of(Role::Ai, Some(0))),
        ("W", of(Role::Spectator, None)),
        ("O", granted(&open, None, None)),
        ("C0", of(Role::Coach, Some(0))),
        ("X", of(Role::Admin, None)),
        ("N", Vec::new()),
    ]
}

/// The actions to try: those of seat 0, those of seat 1, and those of no seat.
fn actions() -> Vec<(String, Action)> {
    let of = |number: u8| {
        let player = seat(number);
        [
            ("bid", Action::Bid { player, bid: Bid::points(30) }),
            ("pass", Action::Pass { player }),
            ("trump", Action::SelectTrump { player, trump: Trump::Blanks }),
            ("play", Action::Play { player, domino: if number == 0 { d("0-0") } else { d("3-1") } }),
            ("claim", Action::Claim { player }),
            ("agree trick", Action::AgreeCompleteTrick { player }),
            ("agree score", Action::AgreeScoreHand { player }),
            ("control", Action::SetControl { player, control_type: Control::Ai }),
        ]
        .map(|(name, action)| (format!("{number} {name}"), action))
    };
    let table = [
        ("take trick", Action::CompleteTrick),
        ("score", Action::ScoreHand),
        ("redeal", Action::Redeal),
        ("end", Action::EndGame),
        ("undo", Action::Undo { to: 0 }),
    ];
    of(0).into_iter().chain(of(1)).chain(table.map(|(name, action)| (name.to_owned(), action))).collect()
}

fn d(text: &str) -> texas42_vocab::Domino {
    text.parse().unwrap()
}

/// Seat 0 has the blanks and low dominoes, seat 3 all sixes. Seat 0 bids first, and people agree on tricks.
const TABLE: &str = r#"{
    "shaker": 3,
    "layers": [{ "type": "consensus" }],
    "deals": [[
        ["0-0", "1-0", "1-1", "2-0", "2-1", "2-2", "3-0"],
        ["3-1", "3-2", "3-3", "4-0", "4-1", "4-2", "4-3"],
        ["4-4", "5-0", "5-1", "5-2", "5-3", "5-4", "5-5"],
        ["6-0", "6-1", "6-2", "6-3", "6-4", "6-5", "6-6"]
    ]]
}"#;

/// A game after this many events.
fn game(events: usize) -> Game {
    let config: Config = serde_json::from_str(TABLE).unwrap();
    let pass = |number| Action::Pass { player: seat(number) };
    let play = |number, domino| Action::Play { player: seat(number), domino: d(domino) };
    let log = [
        Action::Bid { player: seat(0), bid: Bid::points(30) },
        pass(1),
        pass(2),
        pass(3),
        Action::SelectTrump { player: seat(0), trump: Trump::Blanks },
        play(0, "0-0"),
        play(1, "4-0"),
        play(2, "5-0"),
        play(3, "6-0"),
        Action::AgreeCompleteTrick { player: seat(0) },
        Action::AgreeCompleteTrick { player: seat(1) },
        Action::AgreeCompleteTrick { player: seat(2) },
        Action::AgreeCompleteTrick { player: seat(3) },
        Action::CompleteTrick,
        Action::Claim { player: seat(0) },
    ];
    Game::replayed(Context::compose(&config).unwrap(), &log[..events]).unwrap()
}

/// The expected result: `+` is done, `r` is rejected by the rules, `.` is not authorized. The columns of the tables
/// next to this file are players P0 to P3, a student S0 and a bot A0 at seat 0, a spectator W, one with open hands O, a
/// coach C0 of seat 0, an admin X, and a session without capabilities N.
fn verdict(game: &Game, capabilities: &[Capability], action: Action) -> char {
    match authorise(capabilities, action) {
        Err(error) => {
            assert_eq!(error.code, ErrorCode::NotAllowed);
            '.'
        }
        // The table decides undo requests, with everybody's consent.
        Ok(()) if !action.is_move() => '+',
        Ok(()) => match apply(game.ctx(), game.state(), action) {
            Ok(_) => '+',
            Err(_) => 'r',
        },
    }
}

fn matrix(events: usize) -> String {
    let (game, sessions) = (game(events), sessions());
    let heads: Vec<&str> = sessions.iter().map(|(name, _)| *name).collect();
    let mut lines = vec![format!("{:14}{}", "", spaced(&heads))];
    for (name, action) in actions() {
        let verdicts: Vec<String> =
            sessions.iter().map(|(_, session)| verdict(&game, session, action).to_string()).collect();
        lines.push(format!("{name:14}{}", spaced(&verdicts)));
    }
    lines.join("\n") + "\n"
}

fn spaced(cells: &[impl AsRef<str>]) -> String {
    let line: String = cells.iter().map(|cell| format!("{:3}", cell.as_ref())).collect();
    line.trim_end().to_owned()
}

fn assert_matrix(events: usize, expected: &str) {
    assert_eq!(matrix(events), expected, "\n{}\n", matrix(events));
}

#[test]
fn bidding_on_seat_0s_turn() {
    assert_matrix(0, include_str!("bidding.txt"));
}

#[test]
fn naming_trumps_on_seat_0s_turn() {
    assert_matrix(4, include_str!("trumps.txt"));
}

#[test]
fn playing_on_seat_0s_turn() {
    assert_matrix(5, include_str!("leading.txt"));
}

#[test]
fn playing_on_seat_1s_turn() {
    assert_matrix(6, include_str!("following.txt"));
}

#[test]
fn a_complete_trick_waits_for_people() {
    assert_matrix(9, include_str!("trick.txt"));
}

#[test]
fn a_finished_hand_waits_for_people() {
    assert_matrix(15, include_str!("scoring.txt"));
}
