//! Tests of the screens, against golden files in `tests/golden/screens`, and of the keys.

use std::sync::Arc;

use ratatui::{
    Frame, Terminal,
    backend::TestBackend,
    crossterm::event::{KeyCode, KeyEvent, KeyModifiers},
};
use texas42_client::Lobby;
use texas42_conformance::scratch::Scratch;
use texas42_house_rules::Setting;
use texas42_phrases::{Hint, Phrase, Remark};
use texas42_protocol::{
    ActionHint, BotLevel, Capability, GameView, LobbyGuest, Metadata, PlayerView, ResultView, Role, StoryHand, UndoView,
};
use texas42_room::{HeadlessRoom, RandomPlayer};
use texas42_vocab::{Action, Bid, Config, Control, DailyChallenge, Layer, Phase, Seat, Team, Trump};

use super::{
    draw::draw,
    form::{self, Form, FormMode, Start},
    form_keys::{self, FormResult},
    keys::{Command, command},
    model::{Overlay, TableModel},
};
use crate::{
    invites::{LobbyCommand, MadeLink},
    show,
    speech::SpeechCommand,
};

const ANN: Seat = Seat::ALL[0];
const SIZES: [(u16, u16); 2] = [(80, 24), (40, 24)];

// Fixtures.

fn layers(names: &[&str]) -> Vec<Layer> {
    Layer::house_rules().filter(|layer| names.contains(&layer.name())).collect()
}

/// Ann bids 30 and the others pass. She names the first trumps, and everybody plays the first legal domino.
fn next_action(room: &HeadlessRoom) -> Action {
    let legal = room.legal();
    let all: Vec<Action> = (0..legal.len()).filter_map(|number| legal.nth(number)).collect();
    let wanted = |action: &&Action| match action {
        Action::Bid { player, .. } => *player == ANN,
        Action::Pass { player } => *player != ANN,
        _ => true,
    };
    *all.iter().find(wanted).or(all.first()).expect("something can be done")
}

/// Plays a game to one mark with these house rules until the condition holds.
fn played(names: &[&str], is_reached: impl Fn(&GameView) -> bool) -> HeadlessRoom {
    let config = Config {
        layers: layers(names),
        target: Some(1),
        seed: "screens".parse().ok(),
        shaker: Some(Seat::ALL[3]),
        ..Config::default()
    };
    let mut room = HeadlessRoom::new(&config).unwrap();
    while !is_reached(&room.view(ANN)) {
        room.execute(next_action(&room)).unwrap();
    }
    room
}

fn seated(view: GameView) -> GameView {
    let player = |(seat, name): (Seat, &str)| PlayerView {
        player_id: name.try_into().unwrap(),
        player_index: Some(seat),
        name: name.try_into().unwrap(),
        control_type: if seat == ANN { Control::Human } else { Control::Ai },
        is_connected: true,
        waits_for_deal: false,
        capabilities: Vec::new(),
    };
    let players = Seat::ALL.into_iter().zip(["Ann", "Otis", "Hazel", "Walt"]).map(player).collect::<Vec<_>>();
    GameView { players: players.into(), ..view }
}

/// The model of Ann's terminal.
fn model(view: GameView) -> TableModel {
    let mut model = TableModel {
        seat: Some(ANN),
        capabilities: Role::Player.capabilities(Some(ANN)),
        is_offline: true,
        is_joined: true,
        ..TableModel::default()
    };
    model.show(seated(view));
    model
}

fn bidding() -> TableModel {
    model(played(&["nello"], |view| view.derived.to_act == Some(ANN)).view(ANN))
}

fn naming_trumps() -> TableModel {
    model(played(&["nello"], |view| view.state.phase == Phase::TrumpSelection).view(ANN))
}

fn playing() -> TableModel {
    let third = |view: &GameView| view.state.tricks.len() == 2 && view.derived.to_act == Some(ANN);
    model(played(&[], third).view(ANN))
}

/// The host's hint replaces the rule of thumb, which is the same for all bids.
#[test]
fn a_hint_of_the_host_shows_the_recommendation_and_the_chance() {
    let mut model = bidding();
    let choice = model.choices()[1];
    let (action, label) = (choice.action, choice.label.clone());
    model.hints = vec![ActionHint {
        action,
        recommended: true,
        chance: Some(834),
        expected_marks: Some(412),
        reasons: vec![Remark::DoubleWalks],
    }];
    let screen = drawn((80, 24), |frame| draw(frame, &model));
    assert!(screen.contains(&format!("Hint: {label} (recommended, 83 %, +0.41 marks).")), "{screen}");
}

/// Moving the cursor shows what the expert thinks of each choice, not only of the one that it recommends.
#[test]
fn every_choice_with_a_hint_shows_it_when_it_is_selected() {
    let mut model = bidding();
    let (first, others) = (model.choices()[0].action, model.choices().len());
    let actions: Vec<Action> = model.choices().iter().map(|choice| choice.action).collect();
    let hint = |(number, action): (usize, &Action)| ActionHint {
        action: *action,
        recommended: number == 1,
        chance: Some(100 + 10 * number as u16),
        expected_marks: None,
        reasons: Vec::new(),
    };
    model.hints = actions.iter().enumerate().map(hint).collect();
    for selected in 0..others {
        model.selected = Some(selected);
        let screen = drawn((80, 24), |frame| draw(frame, &model));
        let expected = format!("{} %).", 10 + selected);
        assert!(screen.contains("Hint: ") && screen.contains(&expected), "{expected} in\n{screen}");
    }
    // A choice that only the table comments on.
    let view = model.view.as_mut().unwrap();
    view.valid_actions[0].hint = Some(Hint::BeatsTheTable);
    model.hints.retain(|hint| hint.action != first);
    model.selected = Some(0);
    let screen = drawn((80, 24), |frame| draw(frame, &model));
    assert!(screen.contains("It's winning so far"), "{screen}");
}

/// "You" is the default name of `texas42 play`.
#[test]
fn sentences_about_the_own_seat_say_you_and_conjugate() {
    let named_you = |mut view: GameView| {
        let mut players: Vec<PlayerView> = seated(view.clone()).players.iter().cloned().collect();
        players[0].name = "You".try_into().unwrap();
        view.players = players.into();
        view
    };
    let wrong = ["You passes", "You plays", "You takes", "You bids", "You calls", "You is", "You has", "You lays"];
    let mut seen = String::new();
    for seed in 0..20 {
        let config = Config { target: Some(1), seed: format!("you-{seed}").parse().ok(), ..Config::default() };
        let (mut room, mut random) = (HeadlessRoom::new(&config).unwrap(), RandomPlayer::new(seed));
        let mut model = TableModel { seat: Some(ANN), is_joined: true, ..TableModel::default() };
        while let Some(action) = random.pick(&room.legal()) {
            model.show(named_you(room.view(ANN)));
            seen += &drawn((80, 24), |frame| draw(frame, &model));
            seen += &show::table(model.view.as_ref().unwrap(), Some(ANN), 80);
            room.execute(action).unwrap();
        }
        model.show(named_you(room.view(ANN)));
        seen += &model.events.iter().cloned().collect::<Vec<_>>().join("\n");
    }
    for sentence in wrong {
        assert!(!seen.contains(sentence), "{sentence}");
    }
    for sentence in ["You pass.", "You play ", "You take the trick", "You bid ", "You call "] {
        assert!(seen.contains(sentence), "{sentence}");
    }
}

fn scored() -> TableModel {
    model(played(&["consensus"], |view| view.state.phase == Phase::Scoring).view(ANN))
}

fn over() -> TableModel {
    let mut view = played(&[], |view| view.state.phase.is_over()).view(ANN);
    let hand = StoryHand {
        bidder: ANN,
        bid: Bid::points(30),
        trump: Trump::Blanks,
        made: view.derived.winner == Some(ANN.team()),
        points: [20, 22],
        gained: [0, 1],
    };
    let result = ResultView {
        winner: view.derived.winner,
        score: view.state.score,
        seed: None,
        code: None,
        replay_link: None,
        stars: None,
        challenge: None,
        share_text: None,
        hands: vec![hand],
    };
    view.metadata = Arc::new(Metadata { result: Some(result), ..Metadata::default() });
    model(view)
}

fn lobby() -> TableModel {
    let mut view = bidding().view.unwrap();
    view.state.phase = Phase::Setup;
    view.state.players.iter_mut().for_each(|player| (player.hand, player.hand_count) = Default::default());
    view.valid_actions.clear();
    view.derived.to_act = None;
    let mut metadata = Metadata { ready: vec![Seat::ALL[2]], ..Metadata::default() };
    metadata.table.ready = true;
    view.metadata = metadata.into();
    let mut players: Vec<PlayerView> = seated(view.clone()).players.iter().take(3).cloned().collect();
    players[2].control_type = Control::Human;
    let link = "http://localhost:4242/#join/k3xw8mzq0abc/AQIDBAUGBwgJCgsMDQ4PEA".to_owned();
    TableModel {
        view: Some(GameView { players: players.into(), ..view }),
        links: vec![MadeLink { number: Some(1), purpose: "Invite players", link }],
        must_declare_ready: true,
        is_offline: false,
        events: ["Hazel is here.".to_owned(), "Hazel is ready.".to_owned()].into(),
        ..model(bidding().view.unwrap())
    }
}

fn watching() -> TableModel {
    let view = played(&[], |view| view.state.tricks.len() == 1 && view.derived.to_act == Some(ANN));
    let mut model = TableModel { is_joined: true, ..TableModel::default() };
    model.show(seated(view.view_of(&texas42_kernel::Viewer::default())));
    model
}

// Screens.

fn drawn((width, height): (u16, u16), draw: impl FnOnce(&mut Frame<'_>)) -> String {
    let mut terminal = Terminal::new(TestBackend::new(width, height)).unwrap();
    terminal.draw(draw).unwrap();
    let buffer = terminal.backend().buffer().clone();
    let row = |y: u16| (0..width).map(|x| buffer[(x, y)].symbol()).collect::<String>().trim_end().to_owned() + "\n";
    (0..height).map(row).collect()
}

/// Compares the screens with a file; with `UPDATE_GOLDEN=1` in the environment, writes the file instead.
fn assert_screens(name: &str, look: impl Fn(&mut Frame<'_>)) {
    let screen = |(width, height)| format!("== {width} x {height}\n{}", drawn((width, height), &look));
    let text: String = SIZES.map(screen).concat();
    let path = format!("{}/tests/golden/screens/{name}.txt", env!("CARGO_MANIFEST_DIR"));
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        std::fs::write(&path, &text).unwrap();
    }
    let kept = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(kept == text, "{path} says otherwise; UPDATE_GOLDEN=1 writes this there:\n{text}");
}

fn assert_table(name: &str, model: &TableModel) {
    assert_screens(name, |frame| draw(frame, model));
}

#[test]
fn the_bidding_shows_the_calls_and_every_bid() {
    assert_table("bidding", &bidding());
}

#[test]
fn naming_trumps_shows_a_key_for_each() {
    let mut model = naming_trumps();
    model.type_in('5');
    assert_table("naming-trumps", &model);
}

#[test]
fn playing_shows_the_trick_and_what_may_be_played() {
    let mut model = playing();
    model.selected = Some(0);
    assert_table("playing", &model);
}

#[test]
fn the_result_of_a_hand_says_what_it_was_worth() {
    assert_table("hand-result", &scored());
}

#[test]
fn the_end_of_a_game_lists_its_hands() {
    assert_table("game-end", &over());
}

/// A daily challenge with the goal 10, 15 and 20 points.
fn daily(is_reached: impl Fn(&GameView) -> bool) -> TableModel {
    let challenge = DailyChallenge { star_thresholds: [10, 15, 20], ..DailyChallenge::default() };
    let config = Config { layers: vec![Layer::DailyChallenge(challenge)], play_on: true, ..Config::default() };
    let mut room = HeadlessRoom::new(&config).unwrap();
    while !is_reached(&room.view(ANN)) {
        room.execute(next_action(&room)).unwrap();
    }
    let view = room.view(ANN);
    let metadata = Metadata { result: room.result(), ..Metadata::default() };
    model(GameView { metadata: Arc::new(metadata), ..view })
}

#[test]
fn the_goal_of_a_daily_challenge_is_shown_from_the_first_bid() {
    let goal = "Goal: 3 stars: 20 points · 2 stars: 15 points · 1 star: 10 points";
    let shows = |model: &TableModel, text: &str| {
        let screen = drawn((80, 24), |frame| draw(frame, model));
        assert!(screen.contains(text), "{text}: {screen}");
    };
    shows(&daily(|view| view.derived.to_act == Some(ANN)), "· one hand");
    shows(&daily(|view| view.derived.to_act == Some(ANN)), goal);
    shows(&daily(|view| view.state.tricks.len() == 2), goal);
    let over = daily(|view| view.state.phase.is_over());
    let stars = over.view.as_ref().unwrap().metadata.result.as_ref().unwrap().stars.unwrap();
    shows(&over, &format!("{stars} of 3 stars"));
    let view = over.view.as_ref().unwrap();
    let shareable_lines = show::shareable_lines(view, Some("http://localhost:4242"));
    assert_eq!(shareable_lines[0], format!("Texas 42, 2026-01-01 (medium): {stars} of 3 stars"));
    assert!(shareable_lines[1].starts_with("replay: http://localhost:4242/#replay/b"), "{shareable_lines:?}");
}

#[test]
fn the_lobby_shows_who_is_ready_and_the_link() {
    assert_table("lobby", &lobby());
}

#[test]
fn the_help_lies_over_the_table() {
    assert_table("help", &TableModel { overlay: Some(Overlay::Help), ..playing() });
}

#[test]
fn leaving_asks_first() {
    assert_table("leave", &TableModel { overlay: Some(Overlay::Quit), is_offline: false, ..playing() });
}

#[test]
fn a_spectator_sees_no_hand() {
    assert_table("spectator", &watching());
}

#[test]
fn the_form_has_the_house_rules() {
    let form = Form { focus: 3, ..Form::new(FormMode::Online, "Ann", "http://localhost:4242") };
    assert_screens("form", |frame| form::draw(frame, &form));
}

/// A long value continues on the next line.
#[test]
fn every_value_of_the_form_is_readable_in_forty_columns() {
    let mut form = Form::new(FormMode::Online, "Ann", "http://localhost:4242");
    for focus in 0..form.rows().len() {
        form.focus = focus;
        let screen = drawn((40, 24), |frame| form::draw(frame, &form));
        let inside = screen.lines().filter_map(|line| line.strip_prefix('│')?.strip_suffix('│').map(str::trim));
        let text = inside.collect::<Vec<_>>().join(" ");
        if let form::Row::Setting(setting) = form.rows()[focus]
            && setting.switch(true).is_none()
        {
            let line = form.line(form.rows()[focus]);
            assert!(text.contains(&line), "{line} in\n{screen}");
        }
    }
}

#[test]
fn no_terminal_is_too_small() {
    for model in [bidding(), naming_trumps(), playing(), scored(), over(), lobby(), watching()] {
        for size in [(1, 1), (10, 3), (40, 12), (20, 60), (120, 40), (300, 100)] {
            for overlay in [None, Some(Overlay::Help), Some(Overlay::Quit), Some(Overlay::Links)] {
                drawn(size, |frame| draw(frame, &TableModel { overlay, ..model.clone() }));
            }
        }
    }
}

/// A line that is wider than the terminal would be cut off.
#[test]
fn every_choice_is_readable_in_forty_columns() {
    for model in [bidding(), naming_trumps()] {
        let screen = drawn((40, 24), |frame| draw(frame, &model));
        for choice in model.choices() {
            let text = super::model::words().action_text(choice.action);
            assert!(screen.contains(&text), "{text} in\n{screen}");
        }
    }
}

#[test]
fn no_information_is_in_color_alone() {
    for model in [bidding(), playing(), scored(), lobby()] {
        let colored = TableModel { has_color: true, ..model.clone() };
        assert_eq!(drawn((80, 24), |frame| draw(frame, &colored)), drawn((80, 24), |frame| draw(frame, &model)));
    }
}

// Keys.

fn key(code: KeyCode) -> KeyEvent {
    KeyEvent::new(code, KeyModifiers::NONE)
}

/// The command of the last of these keys, after the others were typed.
fn pressed(model: &TableModel, keys: &str) -> Option<Command> {
    let mut model = model.clone();
    let mut last = None;
    for letter in keys.chars() {
        let code = if letter == '\n' { KeyCode::Enter } else { KeyCode::Char(letter) };
        last = command(key(code), &model);
        if let Some(Command::Type(letter)) = last {
            model.type_in(letter);
        }
    }
    last
}

fn act(action: Action) -> Option<Command> {
    Some(Command::Act(action))
}

#[test]
fn bids_are_typed_or_chosen_and_p_passes() {
    let model = bidding();
    assert_eq!(pressed(&model, "p"), act(Action::Pass { player: ANN }));
    assert!(matches!(pressed(&playing(), "p"), Some(Command::Notify(_))), "there is nothing to pass");
    assert_eq!(pressed(&model, "31\n"), act(Action::Bid { player: ANN, bid: Bid::points(31) }));
    assert_eq!(pressed(&model, "m1\n"), act(Action::Bid { player: ANN, bid: Bid::marks(1) }));
    assert!(matches!(pressed(&model, "\n"), Some(Command::Notify(_))), "nothing was chosen");
    assert!(matches!(pressed(&model, "nonsense\n"), Some(Command::Notify(_))));
    let first = command(key(KeyCode::Right), &model);
    assert_eq!(first, Some(Command::Select(0)));
    let chosen = TableModel { selected: Some(1), ..model };
    assert_eq!(pressed(&chosen, "\n"), act(chosen.choices()[1].action));
    let last = chosen.choices().len() - 1;
    let at_end = TableModel { selected: Some(last), ..chosen };
    assert_eq!(command(key(KeyCode::Right), &at_end), Some(Command::Select(0)), "around the end");
}

/// Some letters act at once at the start of a line. After a colon, none does.
#[test]
fn a_command_after_a_colon_acts_only_on_enter() {
    let as_host = |model: TableModel| {
        let capabilities = Role::Player.capabilities(Some(ANN)).into_iter().chain([Capability::ConfigureVariant]);
        let (is_asked_to_undo, must_declare_ready) = (true, true);
        TableModel {
            capabilities: capabilities.collect(),
            is_offline: false,
            is_asked_to_undo,
            must_declare_ready,
            ..model
        }
    };
    let commands = [
        ":?",
        ":a",
        ":admit 2 4",
        ":b",
        ":bot",
        ":c",
        ":code",
        ":coach off",
        ":deny",
        ":end code",
        ":give up",
        ":help",
        ":i",
        ":invite admin",
        ":leave",
        ":links",
        ":mute all",
        ":new code",
        ":no",
        ":p",
        ":q",
        ":quit",
        ":r",
        ":ready",
        ":rematch",
        ":revoke 1",
        ":rules",
        ":say thanks",
        ":show",
        ":u",
        ":undo",
        ":unmute all",
        ":w",
        ":y",
    ];
    for model in [bidding(), naming_trumps(), playing(), scored(), over(), lobby()].map(as_host) {
        for line in commands {
            for end in 1..=line.len() {
                let last = line[..end].chars().last().unwrap();
                assert_eq!(pressed(&model, &line[..end]), Some(Command::Type(last)), "{line}");
            }
            let entered = pressed(&model, &format!("{line}\n"));
            assert!(!matches!(entered, None | Some(Command::Type(_))), "{line}");
        }
    }
}

/// No single key quits, leaves the table or gives the seat up.
#[test]
fn what_ends_the_session_asks_first() {
    for model in [bidding(), playing(), scored(), over(), lobby()] {
        let model = TableModel { is_offline: false, ..model };
        for letter in (' '..='~').map(String::from) {
            let command = pressed(&model, &letter);
            let ends = matches!(command, Some(Command::Quit | Command::Leave | Command::GiveUp | Command::Revoke(_)));
            assert!(!ends, "{letter}: {command:?}");
        }
        assert_eq!(pressed(&model, "q"), Some(Command::Open(Overlay::Quit)));
    }
}

#[test]
fn trumps_are_named_by_their_key() {
    let named = |trump| act(Action::SelectTrump { player: ANN, trump });
    assert_eq!(pressed(&naming_trumps(), "5\n"), named(Trump::Fives));
    assert_eq!(pressed(&naming_trumps(), "f\n"), named(Trump::FollowMe));
    assert_eq!(pressed(&naming_trumps(), "doubles\n"), named(Trump::Doubles));
}

#[test]
fn dominoes_are_played_by_number_or_by_their_ends() {
    let model = playing();
    let Action::Play { domino, .. } = model.choices()[0].action else { panic!("{:?}", model.choices()) };
    let ends = domino.to_string();
    for text in ["1\n".to_owned(), format!("{ends}\n"), format!("{}\n", ends.replace('-', ""))] {
        assert_eq!(pressed(&model, &text), act(Action::Play { player: ANN, domino }), "{text:?}");
    }
}

#[test]
fn a_move_is_taken_back_and_a_request_agreed_to() {
    let mut model = playing();
    model.view.as_mut().unwrap().state.events = 12;
    assert!(matches!(pressed(&model, "u"), Some(Command::Notify(_))), "no move yet");
    let moved = TableModel { moved_at: Some(5), ..model.clone() };
    assert_eq!(pressed(&moved, "u"), act(Action::Undo { to: 5 }));
    let mut asked = model.clone();
    let view = asked.view.as_mut().unwrap();
    let undo = Some(UndoView { to: 7, agreed: vec![Seat::ALL[2]] });
    view.metadata = Arc::new(Metadata { undo, ..Metadata::default() });
    assert_eq!(pressed(&asked, "u"), act(Action::Undo { to: 7 }));
    let screen = drawn((80, 24), |frame| draw(frame, &asked));
    assert!(screen.contains("Hazel wants to undo a move."), "{screen}");
    assert_ne!(pressed(&asked, "n"), Some(Command::DeclineUndo), "the client does not wait for this person");
    assert_eq!(pressed(&TableModel { is_asked_to_undo: true, ..asked.clone() }, "n"), Some(Command::DeclineUndo));
    let mut declined = asked.view.clone().unwrap();
    declined.metadata = Arc::new(Metadata { undo_declined: Some(Seat::ALL[2]), ..Metadata::default() });
    asked.show(declined);
    assert_eq!(asked.events.back().unwrap(), "Hazel said no to the undo.");
    let mut may_not = moved;
    may_not.capabilities.retain(|capability| *capability != Capability::UndoActions);
    assert!(matches!(pressed(&may_not, "u"), Some(Command::Notify(_))));
}

#[test]
fn enter_goes_on_and_r_plays_again() {
    assert_eq!(pressed(&scored(), "\n"), act(Action::AgreeScoreHand { player: ANN }));
    assert_eq!(pressed(&over(), "r"), Some(Command::Rematch));
    assert_eq!(pressed(&lobby(), "y"), Some(Command::Ready));
    assert_eq!(pressed(&lobby(), "i"), Some(Command::Invite(Role::Player)));
}

#[test]
fn leaving_asks_for_confirmation_and_any_key_closes_help() {
    let model = playing();
    assert_eq!(pressed(&model, "q"), Some(Command::Open(Overlay::Quit)));
    let leaving = TableModel { overlay: Some(Overlay::Quit), is_offline: false, ..model.clone() };
    assert_eq!(pressed(&leaving, "\n"), Some(Command::Quit));
    assert_eq!(pressed(&leaving, "l"), Some(Command::Leave));
    assert_eq!(pressed(&leaving, "g"), Some(Command::GiveUp));
    assert_eq!(command(key(KeyCode::Esc), &leaving), Some(Command::Close));
    assert_eq!(pressed(&model, "?"), Some(Command::Open(Overlay::Help)));
    assert_eq!(pressed(&TableModel { overlay: Some(Overlay::Help), ..model.clone() }, "p"), Some(Command::Close));
    let interrupt = KeyEvent::new(KeyCode::Char('c'), KeyModifiers::CONTROL);
    assert_eq!(command(interrupt, &leaving), Some(Command::Quit));
}

#[test]
fn the_commands_of_the_line_mode_can_be_typed() {
    let model = TableModel { is_offline: false, ..playing() };
    for (line, expected) in [
        ("a\n", Command::Control(Control::Ai)),
        ("b\n", Command::Control(Control::Human)),
        ("invite\n", Command::Invite(Role::Player)),
        ("invite watch\n", Command::Invite(Role::Spectator)),
        ("invite coach\n", Command::Invite(Role::Coach)),
        ("invite student\n", Command::Invite(Role::Student)),
        ("invite admin\n", Command::Invite(Role::Admin)),
        ("invite bot\n", Command::Invite(Role::Ai)),
        ("code\n", Command::Lobby(LobbyCommand::Open)),
        ("new code\n", Command::Lobby(LobbyCommand::Renew)),
        ("admit 2 4\n", Command::Lobby(LobbyCommand::Admit(2, Some(Seat::ALL[3])))),
        ("deny\n", Command::Lobby(LobbyCommand::TurnAway(1))),
        ("ready\n", Command::Ready),
        ("no\n", Command::DeclineUndo),
        ("rematch\n", Command::Rematch),
        ("rules\n", Command::Notify("The host changes the rules before the first game and between games.")),
        ("leave\n", Command::Leave),
        ("give up\n", Command::GiveUp),
        ("w\n", Command::Clear),
        ("say\n", Command::Open(Overlay::Say)),
        ("say thanks\n", Command::Speak(SpeechCommand::Say(Phrase::Thanks, None))),
        ("coach off\n", Command::Speak(SpeechCommand::AllowCoach(false))),
        ("mute all\n", Command::Speak(SpeechCommand::Mute { whom: None, is_muted: true })),
    ] {
        assert_eq!(pressed(&model, line), Some(expected), "{line:?}");
    }
}

/// Without the colon, `n` declines an undo that was asked for, and `u` agrees to it.
#[test]
fn after_a_colon_no_letter_acts_at_once() {
    let model = TableModel { is_offline: false, is_asked_to_undo: true, must_declare_ready: true, ..playing() };
    for (line, expected) in [
        (":new code\n", Command::Lobby(LobbyCommand::Renew)),
        (":unmute all\n", Command::Speak(SpeechCommand::Mute { whom: None, is_muted: false })),
        (":invite watch\n", Command::Invite(Role::Spectator)),
        (":ready\n", Command::Ready),
    ] {
        assert_eq!(pressed(&model, line), Some(expected), "{line:?}");
    }
    assert_eq!(pressed(&model, "n"), Some(Command::DeclineUndo));
}

/// Between games, `r` plays again, so a link is revoked in the list of links.
#[test]
fn a_number_in_the_list_of_links_revokes_one() {
    let mut model = lobby();
    assert_eq!(pressed(&model, "revoke 1\n"), Some(Command::Revoke(1)));
    model.overlay = Some(Overlay::Links);
    assert!(drawn((80, 24), |frame| draw(frame, &model)).contains("1. Invite players:"));
    assert_eq!(pressed(&model, "1"), Some(Command::Revoke(1)));
    assert_eq!(pressed(&model, "2"), Some(Command::Close), "there is no such link");
    assert_eq!(pressed(&model, "r"), Some(Command::Close));
}

/// Only the form for an online table asks what the creator does there.
#[test]
fn the_form_for_an_online_table_has_the_role_of_its_creator() {
    let mut form = Form::new(FormMode::Online, "Ann", "http://localhost:4242");
    focus(&mut form, "role");
    press_all(&mut form, &[KeyCode::Right, KeyCode::Right]);
    assert!(form.table.open_hands, "a coach needs open hands");
    press_all(&mut form, &[KeyCode::Right]);
    let FormResult::Begin(start) = press_all(&mut form, &[KeyCode::Enter]) else { panic!("it does not begin") };
    let Start::Online(_, table, _) = *start else { panic!("{start:?}") };
    assert_eq!((table.creator().0, table.players), (Some(Role::Spectator), [Control::Ai; 4]));
    form.mode = FormMode::Offline;
    assert!(!form.rows().iter().any(|row| matches!(row, form::Row::Setting(Setting::Role))));
    let Ok(FormResult::Begin(start)) = form.result() else { panic!("it does not begin") };
    assert!(matches!(*start, Start::Offline(table, _) if table.creator().0.is_none() && table.people() == 1));
}

#[test]
fn a_phrase_is_said_by_its_letter_and_heard_unless_muted() {
    let model = TableModel { is_offline: false, ..playing() };
    assert_eq!(pressed(&model, "/"), Some(Command::Open(Overlay::Say)));
    let mut talking = TableModel { overlay: Some(Overlay::Say), ..model };
    let first = Phrase::offered(false).next().unwrap();
    assert_eq!(pressed(&talking, "a"), Some(Command::Speak(SpeechCommand::Say(first, None))));
    assert_eq!(pressed(&talking, "."), Some(Command::Close));
    let screen = drawn((80, 24), |frame| draw(frame, &talking));
    assert!(screen.contains("a: Howdy!") && !screen.contains("Lead this"), "{screen}");

    let hazel = talking.player_on(Seat::ALL[2]).unwrap().player_id.clone();
    talking.hear(&hazel, Phrase::NicePlay, None);
    assert_eq!(talking.events.back().map(String::as_str), Some("Hazel: Nice play!"));
    talking.hear(&hazel, Phrase::Look, "6-4".parse().ok());
    assert_eq!(talking.notice.as_deref(), Some("Hazel points at 6-4"));
    talking.muted.set(Some(hazel.clone()), true);
    let before = talking.events.clone();
    talking.hear(&hazel, Phrase::Sorry, None);
    assert_eq!(talking.events, before);
}

#[test]
fn a_coach_points_at_the_domino_under_the_cursor() {
    let coach = Role::Coach.capabilities(Some(ANN));
    let model = TableModel { seat: None, capabilities: coach, selected: Some(0), is_offline: false, ..playing() };
    let Action::Play { domino, .. } = model.choices()[0].action else { panic!("{:?}", model.choices()) };
    assert!(model.sayings().contains(&(Phrase::LeadThis, Some(domino))), "{:?}", model.sayings());
    let player = TableModel { seat: Some(ANN), ..model };
    assert!(player.sayings().iter().all(|(phrase, _)| !phrase.kind().is_for_coaches()));
}

#[test]
fn a_spectator_cannot_act() {
    let coach = TableModel { seat: None, capabilities: Role::Coach.capabilities(Some(ANN)), ..playing() };
    assert!(matches!(pressed(&coach, "1\n"), Some(Command::Notify(_))));
    assert_eq!(coach.bottom(), ANN);
    assert_eq!(watching().team_name(Team::BOTH[0]), "Team A");
}

#[test]
fn a_waiting_request_is_not_sent_twice() {
    let waiting = TableModel { is_waiting: true, ..bidding() };
    assert!(matches!(pressed(&waiting, "p"), Some(Command::Notify(_))));
}

/// The code has a key, because `c` changes the rules.
#[test]
fn the_host_gets_a_code_and_is_asked_about_guests() {
    let host = |model: TableModel| {
        let capabilities = [Capability::ConfigureVariant].into_iter().chain(model.capabilities.clone()).collect();
        TableModel { capabilities, is_offline: false, ..model }
    };
    assert_eq!(pressed(&host(lobby()), "o"), Some(Command::Lobby(LobbyCommand::Open)));
    assert_ne!(pressed(&lobby(), "o"), Some(Command::Lobby(LobbyCommand::Open)), "only the host");
    let mut model = host(playing());
    let guest = LobbyGuest { guest: "g1".try_into().unwrap(), name: "Cid".try_into().unwrap(), until: 0 };
    let waiting = Lobby { code: None, guests: vec![guest] };
    model.show_lobby(&waiting);
    let screen = drawn((80, 24), |frame| draw(frame, &model));
    assert!(screen.contains("Cid wants to join. admit lets them in, deny does not."), "{screen}");
    model.notice = None;
    model.show_lobby(&waiting);
    assert_eq!(model.notice, None, "a guest is announced once");
}

// The form.

fn press_all(form: &mut Form, keys: &[KeyCode]) -> FormResult {
    keys.iter().fold(FormResult::Open, |_, code| form_keys::press(form, key(*code)))
}

/// Moves the cursor to the line of a setting.
fn focus(form: &mut Form, name: &str) {
    let is_there = |row: &form::Row| matches!(row, form::Row::Setting(setting) if setting.name() == name);
    form.focus = form.rows().iter().position(is_there).unwrap();
}

/// The holder of `configure-variant` opens a form with the rules of the table.
#[test]
fn the_host_changes_the_rules_before_the_first_game_and_between_games() {
    let as_host = |model: TableModel| {
        let host = [Capability::ConfigureVariant].into_iter().chain(model.capabilities.clone()).collect();
        TableModel { capabilities: host, ..model }
    };
    for model in [lobby(), over()] {
        assert_ne!(pressed(&model, "c"), Some(Command::ChangeRules), "only the host");
        assert_eq!(pressed(&as_host(model), "c"), Some(Command::ChangeRules));
    }
    assert_ne!(pressed(&as_host(playing()), "c"), Some(Command::ChangeRules), "a running game keeps its rules");

    let view = lobby().view.unwrap();
    let mut form = Form::of_table(&view, false).unwrap();
    let screen = drawn((80, 24), |frame| form::draw(frame, &form));
    assert!(!screen.contains("Server") && screen.contains("Enter use these rules"), "{screen}");
    focus(&mut form, "nello");
    let before = form.table.clone();
    let FormResult::Change(settings) = press_all(&mut form, &[KeyCode::Char(' '), KeyCode::Enter]) else {
        panic!("no settings")
    };
    assert_ne!(settings.rules.layers(), before.rules.layers());
    assert_eq!(settings.players, before.players);
    assert_eq!(press_all(&mut form, &[KeyCode::Esc]), FormResult::Quit);

    let offline = Form::of_table(&view, true).unwrap();
    let shows = |form: &Form, name: &str| {
        form.rows().iter().any(|row| matches!(row, form::Row::Setting(setting) if setting.name() == name))
    };
    assert!(shows(&form, "rated") && !shows(&offline, "rated"), "nobody is invited to a table in the process");
}

#[test]
fn the_form_sets_the_parameters_of_a_rule_and_the_points_game() {
    let mut form = Form::new(FormMode::Offline, "Ann", "");
    for (name, key) in [("nello-lead", KeyCode::Right), ("target-marks", KeyCode::Left), ("clock", KeyCode::Right)] {
        focus(&mut form, name);
        press_all(&mut form, &[key]);
    }
    // The lines of the bots follow each other, in the order of the seats.
    focus(&mut form, "bot");
    press_all(
        &mut form,
        &[KeyCode::Left, KeyCode::Down, KeyCode::Right, KeyCode::Down, KeyCode::Right, KeyCode::Right],
    );
    let (config, options) = form.table.table();
    assert_eq!(options.bots, [None, Some(BotLevel::Expert), Some(BotLevel::Random), Some(BotLevel::Beginner)]);
    let nello = Layer::Nello(texas42_vocab::Nello { lead: texas42_vocab::Lead::Left, ..Default::default() });
    assert!(config.layers.contains(&nello), "{:?}", config.layers);
    assert_eq!((config.target(), options.turn_seconds), (5, Some(5)));

    // Nello is played for marks.
    focus(&mut form, "scoring");
    press_all(&mut form, &[KeyCode::Right]);
    assert_eq!(form.table.table().0.target(), 250);
    let has_parameters = form.rows().iter().any(|row| matches!(row, form::Row::Setting(Setting::NelloLead)));
    assert!(!has_parameters, "the parameters of a rule that is off are not shown");
}

#[test]
fn rules_are_saved_under_a_name_and_selected_again() {
    let folder = Scratch::new();
    let mut form = Form::new(FormMode::Offline, "Ann", "").with_saved_rules(folder.path().to_owned());
    focus(&mut form, "sevens");
    press_all(&mut form, &[KeyCode::Char(' ')]);
    let own = form.table.rules.clone();
    form.focus = form.rows().len() - 1;
    assert_eq!(press_all(&mut form, &[KeyCode::Enter]), FormResult::Open);
    assert!(form.notice.as_ref().is_some_and(|notice| notice.contains("enter a name")), "{:?}", form.notice);
    press_all(&mut form, &[KeyCode::Char('M'), KeyCode::Char('y'), KeyCode::Enter]);
    assert_eq!(form.notice.as_deref(), Some("Saved as \"My\"."));

    let mut again = Form::new(FormMode::Offline, "Ann", "").with_saved_rules(folder.path().to_owned());
    again.focus = 2;
    // Casual, family, points, My.
    press_all(&mut again, &[KeyCode::Right, KeyCode::Right, KeyCode::Right]);
    assert_eq!(again.table.rules, own);
}

#[test]
fn the_form_begins_a_game_offline() {
    let mut form = Form::new(FormMode::Offline, "Ann", "");
    assert_eq!(press_all(&mut form, &[KeyCode::Down, KeyCode::Char('a')]), FormResult::Open);
    focus(&mut form, "plunge");
    assert_eq!(press_all(&mut form, &[KeyCode::Char(' ')]), FormResult::Open);
    let FormResult::Begin(start) = press_all(&mut form, &[KeyCode::Enter]) else { panic!("it does not begin") };
    let Start::Offline(table, name) = *start else { panic!("{start:?}") };
    assert_eq!(name.as_str(), "Anna");
    assert!(layers(&["nello", "plunge", "forced-bid", "consensus"]).iter().all(|layer| table.rules.has(layer)));
}

#[test]
fn selecting_a_tournament_deselects_the_special_contracts() {
    let mut form = Form::new(FormMode::Offline, "Ann", "");
    focus(&mut form, "tournament");
    press_all(&mut form, &[KeyCode::Char(' ')]);
    let has = |name| layers(&[name]).iter().all(|layer| form.table.rules.has(layer));
    assert!(has("tournament") && !has("nello") && has("forced-bid"));
}

#[test]
fn the_form_reports_an_invalid_link() {
    let mut form = Form::new(FormMode::Link, "Ann", "http://localhost:4242");
    assert_eq!(press_all(&mut form, &[KeyCode::Enter]), FormResult::Open);
    assert!(form.notice.is_some());
    form.link = "#watch/abc".to_owned();
    assert!(matches!(press_all(&mut form, &[KeyCode::Enter]), FormResult::Begin(_)));
    assert_eq!(press_all(&mut form, &[KeyCode::Esc]), FormResult::Quit);
}
