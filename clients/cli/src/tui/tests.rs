//! Screens of tables, compared with kept texts in `tests/golden/screens`, and what keys mean.

use std::sync::Arc;

use ratatui::{
    Frame, Terminal,
    backend::TestBackend,
    crossterm::event::{KeyCode, KeyEvent, KeyModifiers},
};
use texas42_protocol::{Capability, GameView, Metadata, PlayerView, ResultView, Role, StoryHand, UndoView};
use texas42_room::HeadlessRoom;
use texas42_vocab::{Action, Bid, Config, Control, Layer, Phase, Seat, Team, Trump};

use super::{
    draw::draw,
    form::{self, Form, Start, Way},
    form_keys::{self, Answer},
    keys::{Command, command},
    model::{Overlay, TableModel},
};
use crate::house_rules::choices;

const ANN: Seat = Seat::ALL[0];
const SIZES: [(u16, u16); 2] = [(80, 24), (40, 24)];

// Arranging.

fn layers(names: &[&str]) -> Vec<Layer> {
    choices().into_iter().filter(|layer| names.contains(&layer.name())).collect()
}

/// Ann bids 30, the others pass; she names the first trumps, and everybody plays the first domino that may be played.
fn usual(room: &HeadlessRoom) -> Action {
    let legal = room.legal();
    let all: Vec<Action> = (0..legal.len()).filter_map(|number| legal.nth(number)).collect();
    let wanted = |action: &&Action| match action {
        Action::Bid { player, .. } => *player == ANN,
        Action::Pass { player } => *player != ANN,
        _ => true,
    };
    *all.iter().find(wanted).or(all.first()).expect("something can be done")
}

/// A game with these house rules to one mark, until something holds.
fn played(names: &[&str], is_there: impl Fn(&GameView) -> bool) -> HeadlessRoom {
    let config = Config {
        layers: layers(names),
        target: Some(1),
        seed: "screens".parse().ok(),
        shaker: Some(Seat::ALL[3]),
        ..Config::default()
    };
    let mut room = HeadlessRoom::new(&config).unwrap();
    while !is_there(&room.view(ANN)) {
        room.execute(usual(&room)).unwrap();
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
        capabilities: Vec::new(),
    };
    let players = Seat::ALL.into_iter().zip(["Ann", "Otis", "Hazel", "Walt"]).map(player).collect::<Vec<_>>();
    GameView { players: players.into(), ..view }
}

/// What Ann sees.
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
        stars: None,
        challenge: None,
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
        links: vec![("Invite players", link)],
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

// Looking.

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
fn the_end_of_a_game_tells_its_story() {
    assert_table("game-end", &over());
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
    assert_table("leave", &TableModel { overlay: Some(Overlay::Leave), is_offline: false, ..playing() });
}

#[test]
fn a_spectator_sees_no_hand() {
    assert_table("spectator", &watching());
}

#[test]
fn the_form_has_the_house_rules() {
    let form = Form { focus: 3, ..Form::new(Way::Online, "Ann", "http://localhost:4242") };
    assert_screens("form", |frame| form::draw(frame, &form));
}

#[test]
fn no_terminal_is_too_small() {
    for model in [bidding(), naming_trumps(), playing(), scored(), over(), lobby(), watching()] {
        for size in [(1, 1), (10, 3), (40, 12), (20, 60), (120, 40), (300, 100)] {
            for overlay in [None, Some(Overlay::Help), Some(Overlay::Leave), Some(Overlay::Links)] {
                drawn(size, |frame| draw(frame, &TableModel { overlay, ..model.clone() }));
            }
        }
    }
}

/// A view that is wider than the terminal would be cut off; every choice has to be readable.
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
fn nothing_is_told_by_colour_alone() {
    for model in [bidding(), playing(), scored(), lobby()] {
        let coloured = TableModel { has_colour: true, ..model.clone() };
        assert_eq!(drawn((80, 24), |frame| draw(frame, &coloured)), drawn((80, 24), |frame| draw(frame, &model)));
    }
}

// Keys.

fn key(code: KeyCode) -> KeyEvent {
    KeyEvent::new(code, KeyModifiers::NONE)
}

/// What the last of these keys means; the others are typed before.
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
    assert!(matches!(pressed(&playing(), "p"), Some(Command::Tell(_))), "there is nothing to pass");
    assert_eq!(pressed(&model, "31\n"), act(Action::Bid { player: ANN, bid: Bid::points(31) }));
    assert_eq!(pressed(&model, "m1\n"), act(Action::Bid { player: ANN, bid: Bid::marks(1) }));
    assert!(matches!(pressed(&model, "\n"), Some(Command::Tell(_))), "nothing was chosen");
    assert!(matches!(pressed(&model, "nonsense\n"), Some(Command::Tell(_))));
    let first = command(key(KeyCode::Right), &model);
    assert_eq!(first, Some(Command::Select(0)));
    let chosen = TableModel { selected: Some(1), ..model };
    assert_eq!(pressed(&chosen, "\n"), act(chosen.choices()[1].action));
    let last = chosen.choices().len() - 1;
    let at_end = TableModel { selected: Some(last), ..chosen };
    assert_eq!(command(key(KeyCode::Right), &at_end), Some(Command::Select(0)), "around the end");
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
    assert!(matches!(pressed(&model, "u"), Some(Command::Tell(_))), "no move yet");
    let moved = TableModel { moved_at: Some(5), ..model.clone() };
    assert_eq!(pressed(&moved, "u"), act(Action::Undo { to: 5 }));
    let mut asked = model.clone();
    let view = asked.view.as_mut().unwrap();
    let undo = Some(UndoView { to: 7, agreed: vec![Seat::ALL[2]] });
    view.metadata = Arc::new(Metadata { undo, ..Metadata::default() });
    assert_eq!(pressed(&asked, "u"), act(Action::Undo { to: 7 }));
    let screen = drawn((80, 24), |frame| draw(frame, &asked));
    assert!(screen.contains("Hazel would like to take a move back."), "{screen}");
    let mut may_not = moved;
    may_not.capabilities.retain(|capability| *capability != Capability::UndoActions);
    assert!(matches!(pressed(&may_not, "u"), Some(Command::Tell(_))));
}

#[test]
fn enter_goes_on_and_r_plays_again() {
    assert_eq!(pressed(&scored(), "\n"), act(Action::AgreeScoreHand { player: ANN }));
    assert_eq!(pressed(&over(), "r"), Some(Command::Rematch));
    assert_eq!(pressed(&lobby(), "y"), Some(Command::Ready));
    assert_eq!(pressed(&lobby(), "i"), Some(Command::Invite(Role::Player)));
}

#[test]
fn leaving_is_asked_and_help_is_closed_by_any_key() {
    let model = playing();
    assert_eq!(pressed(&model, "q"), Some(Command::Open(Overlay::Leave)));
    let leaving = TableModel { overlay: Some(Overlay::Leave), is_offline: false, ..model.clone() };
    assert_eq!(pressed(&leaving, "\n"), Some(Command::Quit));
    assert_eq!(pressed(&leaving, "l"), Some(Command::Leave));
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
        ("invite coach\n", Command::Invite(Role::Coach)),
        ("ready\n", Command::Ready),
        ("rematch\n", Command::Rematch),
        ("leave\n", Command::Leave),
        ("w\n", Command::Clear),
    ] {
        assert_eq!(pressed(&model, line), Some(expected), "{line:?}");
    }
}

#[test]
fn a_spectator_does_nothing() {
    let coach = TableModel { seat: None, capabilities: Role::Coach.capabilities(Some(ANN)), ..playing() };
    assert!(matches!(pressed(&coach, "1\n"), Some(Command::Tell(_))));
    assert_eq!(coach.bottom(), ANN);
    assert_eq!(watching().team_name(Team::BOTH[0]), "Side A");
}

#[test]
fn a_waiting_request_is_not_sent_twice() {
    let waiting = TableModel { is_waiting: true, ..bidding() };
    assert!(matches!(pressed(&waiting, "p"), Some(Command::Tell(_))));
}

// The form.

fn answered(form: &mut Form, keys: &[KeyCode]) -> Answer {
    keys.iter().fold(Answer::Open, |_, code| form_keys::press(form, key(*code)))
}

#[test]
fn the_form_begins_a_game_offline() {
    let mut form = Form::new(Way::Offline, "Ann", "");
    // Name, nello, plunge.
    let keys = [KeyCode::Down, KeyCode::Char('a'), KeyCode::Down, KeyCode::Down, KeyCode::Char(' ')];
    assert_eq!(answered(&mut form, &keys), Answer::Open);
    let Answer::Begin(start) = answered(&mut form, &[KeyCode::Enter]) else { panic!("it does not begin") };
    let Start::Offline(table, name) = *start else { panic!("{start:?}") };
    assert_eq!(name.as_str(), "Anna");
    assert!(layers(&["nello", "plunge", "forced-bid", "consensus"]).iter().all(|layer| table.rules.has(layer)));
}

#[test]
fn a_tournament_in_the_form_takes_the_special_contracts_away() {
    let mut form = Form::new(Way::Offline, "Ann", "");
    form.focus = form.rows().iter().position(|row| matches!(row, form::Row::Rule(Layer::Tournament(_)))).unwrap();
    answered(&mut form, &[KeyCode::Char(' ')]);
    let has = |name| layers(&[name]).iter().all(|layer| form.table.rules.has(layer));
    assert!(has("tournament") && !has("nello") && has("forced-bid"));
}

#[test]
fn a_wrong_link_is_told_in_the_form() {
    let mut form = Form::new(Way::Link, "Ann", "http://localhost:4242");
    assert_eq!(answered(&mut form, &[KeyCode::Enter]), Answer::Open);
    assert!(form.notice.is_some());
    form.link = "#watch/abc".to_owned();
    assert!(matches!(answered(&mut form, &[KeyCode::Enter]), Answer::Begin(_)));
    assert_eq!(answered(&mut form, &[KeyCode::Esc]), Answer::Quit);
}
