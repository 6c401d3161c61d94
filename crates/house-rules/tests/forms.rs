//! Every state of the form gives a table that can be created, and every value of every line can be selected.

use proptest::{prelude::any, proptest, sample::Index, test_runner::TestCaseResult};
use texas42_house_rules::{HouseRules, Preset, Setting, SettingValue, TableSettings};
use texas42_phrases::Language;
use texas42_protocol::{BotLevel, ClientMessage, DealKind, GameView, Metadata, Role, SecretKey};
use texas42_room::{NewTable, Room};
use texas42_vocab::{Control, Layer, Phase, Plunge, Scoring, Seat, Tournament};

const KEY: &str = "plAHrhWuAhCSy0UDBh8hWw";

/// A table with these settings as its creator sees it, or why it does not accept them.
fn create(settings: &TableSettings) -> Result<GameView, String> {
    let (config, table) = settings.table();
    let (role, seat) = settings.creator();
    let name = "Ann".try_into().expect("a valid name");
    let key = SecretKey::try_from(KEY.to_owned()).expect("a valid key");
    let message = ClientMessage::CreateGame {
        request_id: None,
        config,
        table,
        name,
        role,
        seat,
        entropy: None,
        session_key: Some(key.clone()),
    };
    let new = NewTable { id: "table-1".try_into().expect("a valid id"), randomness: [7; 32], connection: 1 };
    let room = Room::create(0, new, message).map_err(|reply| format!("{reply:?}"))?;
    Ok(room.view_with_key(Some(&key)).expect("the creator has joined").1)
}

fn check_walk(steps: &[(Index, Index)]) -> TestCaseResult {
    let mut settings = TableSettings::new(Preset::default().rules());
    for (line, value) in steps {
        let shown: Vec<Setting> = settings.shown().collect();
        let choice = *value.get(&line.get(&shown).choices());
        settings.choose(choice);
        proptest::prop_assert!(settings.is_chosen(choice), "{choice:?}");
        let view = create(&settings).map_err(proptest::test_runner::TestCaseError::fail)?;
        check_form_of_table(&settings, &view)?;
    }
    Ok(())
}

/// A form for a table that waits for people shows the settings with which the table was created, and requests them unchanged.
fn check_form_of_table(settings: &TableSettings, view: &GameView) -> TestCaseResult {
    let shown = TableSettings::of_table(view);
    if settings.company() == 1 {
        proptest::prop_assert_eq!(shown, None, "a game is being played");
        return Ok(());
    }
    let shown = shown.expect("the game has not begun");
    // The host has not seated its bots yet, and a table does not tell what its creator does.
    let shown = TableSettings { players: settings.players, role: settings.role, ..shown };
    proptest::prop_assert_eq!(shown.changed(view), settings.table());
    proptest::prop_assert_eq!(&shown, settings);
    Ok(())
}

proptest! {
    #[test]
    fn a_table_can_be_created_from_every_state_of_the_form(steps in proptest::collection::vec(any::<(Index, Index)>(), 1..40)) {
        check_walk(&steps)?;
    }
}

#[test]
fn rules_are_summarized_with_the_length_of_the_game() {
    let english = Language::English.words();
    let mut rules = Preset::Casual.rules();
    assert_eq!(rules.summary(english), "Casual, to 7 marks");
    rules.target = Some(14);
    let (config, _) = TableSettings::new(rules).table();
    let mut rules = HouseRules::of_config(&config);
    assert_eq!(rules.summary(english), "Casual, to 14 marks");
    rules.switch(Layer::Plunge(Plunge {}), true);
    assert_eq!(rules.summary(Language::Spanish.words()), "Reglas de la casa, a 14 marcas");
    assert_eq!(Preset::Points.rules().summary(english), "Points, to 250 points");
}

#[test]
fn the_rules_of_a_running_game_can_be_read() {
    let english = Language::English.words();
    let mut view = waiting();
    view.state.phase = Phase::Playing;
    let mut said = vec!["Scoring: marks", "Play to: 7 marks", "Turn timer: off"];
    assert_eq!(TableSettings::summary(&view, english).as_deref(), Some("Casual, to 7 marks"));
    let sentences = TableSettings::sentences(&view, english);
    assert_eq!(sentences[..3], said);
    for rule in [
        "Nello: lose every trick; your partner sits out. Takes a bid of marks.",
        "Nello: who leads first: the bidder",
        "Dealer's stuck: if everybody else passes, the shaker has to bid.",
        "Wait for everyone after each trick",
    ] {
        assert!(sentences.iter().any(|sentence| sentence == rule), "{rule}: {sentences:#?}");
    }
    assert!(!sentences.iter().any(|sentence| sentence.starts_with("Plunge") || sentence.starts_with("Seat")));
    view.state.one_hand = true;
    said.drain(..2);
    assert_eq!(TableSettings::sentences(&view, english)[..1], said, "one hand has no length");
    assert_eq!(TableSettings::summary(&view, english), None);
}

#[test]
fn each_line_has_exactly_one_selected_value() {
    for preset in Preset::ALL {
        let settings = TableSettings::new(preset.rules());
        for setting in settings.shown() {
            let chosen = setting.choices().into_iter().filter(|choice| settings.is_chosen(*choice)).count();
            assert_eq!(chosen, 1, "{preset:?}, {setting:?}");
        }
    }
}

#[test]
fn stepping_through_a_line_visits_every_value_and_returns() {
    let mut settings = TableSettings::new(Preset::Casual.rules());
    for setting in Setting::all().filter(|setting| setting.is_shown(&settings)).collect::<Vec<_>>() {
        let before = settings.clone();
        let count = setting.choices().len();
        for is_forward in [true, false] {
            let mut visited = Vec::new();
            for _ in 0..count {
                let choice = settings.neighbor(setting, is_forward);
                assert!(!visited.contains(&choice), "{setting:?}");
                visited.push(choice);
                settings.choose(choice);
            }
        }
        // A tournament switches the special contracts off for good, and a coach open hands on.
        match setting {
            Setting::Rule(Layer::Tournament(_)) | Setting::Scoring | Setting::Role => settings = before,
            _ => assert_eq!(settings, before, "{setting:?}"),
        }
    }
}

#[test]
fn every_line_and_every_value_has_a_text_of_its_own() {
    for language in [Language::English, Language::Spanish] {
        let words = language.words();
        for setting in Setting::all() {
            assert!(!setting.text(words).is_empty(), "{setting:?}");
            let texts: Vec<String> = setting.choices().into_iter().map(|choice| choice.text(words)).collect();
            let is_switch = setting.switch(true).is_some();
            let mut distinct = texts.clone();
            distinct.sort();
            distinct.dedup();
            assert_eq!(distinct.len(), if is_switch { 1 } else { texts.len() }, "{setting:?}: {texts:?}");
            assert_eq!(texts.iter().all(String::is_empty), is_switch, "{setting:?}: {texts:?}");
        }
    }
}

/// Rules from a file or a flag can contain numbers that no line lists.
#[test]
fn a_number_that_a_line_does_not_list_is_shown_and_kept() {
    let mut settings = TableSettings::new(HouseRules::read(&["speed".to_owned()]).expect("a rule"));
    settings.choose(SettingValue::Target(Scoring::Marks, 4));
    settings.choose(SettingValue::Clock(Some(33)));
    settings.choose(SettingValue::SpeedDelay(1234));
    settings.choose(SettingValue::Pause(777));
    for setting in settings.shown().collect::<Vec<_>>() {
        let chosen = settings.choices(setting).into_iter().filter(|choice| settings.is_chosen(*choice)).count();
        assert_eq!(chosen, 1, "{setting:?}");
    }
    let (config, table) = settings.table();
    assert_eq!((config.target(), table.turn_seconds, table.pause), (4, Some(33), 777));
}

#[test]
fn each_bot_has_a_strength_of_its_own() {
    let mut settings = TableSettings::new(HouseRules::default());
    settings.choose(SettingValue::Bot(Seat::ALL[1], Some(BotLevel::Expert)));
    settings.choose(SettingValue::Bot(Seat::ALL[3], Some(BotLevel::Beginner)));
    assert_eq!(settings.table().1.bots, [None, Some(BotLevel::Expert), None, Some(BotLevel::Beginner)]);
    settings.choose(SettingValue::Player(Seat::ALL[1], Control::Human));
    assert!(settings.shown().all(|setting| setting != Setting::Bot(Seat::ALL[1])), "a person has no strength");
}

#[test]
fn the_points_game_has_a_target_in_points() {
    let mut settings = TableSettings::new(Preset::Casual.rules());
    settings.choose(SettingValue::Target(Scoring::Marks, 3));
    settings.choose(SettingValue::Scoring(Scoring::Points));
    assert_eq!(settings.table().0.target(), 250);
    assert!(settings.shown().all(|setting| setting != Setting::TargetMarks));
    settings.choose(SettingValue::Target(Scoring::Points, 100));
    assert_eq!(settings.table().0.target(), 100);
}

#[test]
fn a_rated_table_has_closed_hands_and_secret_deals() {
    let mut settings = TableSettings { seed: "lubbock".parse().ok(), ..TableSettings::new(HouseRules::default()) };
    settings.choose(SettingValue::OpenHands(true));
    settings.choose(SettingValue::Rated(true));
    assert_eq!((settings.open_hands, settings.seed), (false, None));
    settings.choose(SettingValue::OpenHands(true));
    assert!(!settings.rated);
}

#[test]
fn the_role_of_the_creator_and_what_it_needs_go_together() {
    let mut settings = TableSettings::new(HouseRules::default());
    let seat_of_creator = Setting::Player(Seat::ALL[0]);
    assert_eq!((settings.creator(), settings.company()), ((None, None), 1));
    settings.choose(SettingValue::Rated(true));
    settings.choose(SettingValue::Role(Role::Coach));
    assert_eq!((settings.open_hands, settings.rated), (true, false));
    assert_eq!((settings.creator(), settings.company()), ((Some(Role::Coach), Some(Seat::ALL[0])), 2));
    settings.choose(SettingValue::OpenHands(false));
    assert_eq!(settings.role, Role::Player, "a coach needs open hands");
    settings.choose(SettingValue::Role(Role::Student));
    assert_eq!(settings.creator(), (Some(Role::Student), None));
    settings.choose(SettingValue::Rated(true));
    assert_eq!(settings.role, Role::Player, "a rated table has no students");
    assert!(!settings.shown().any(|setting| setting == seat_of_creator));
    settings.choose(SettingValue::Role(Role::Spectator));
    assert_eq!((settings.players, settings.company()), ([Control::Ai; 4], 1), "bots play, and the creator watches");
    assert!(settings.shown().any(|setting| setting == seat_of_creator) && create(&settings).is_ok());
    settings.choose(SettingValue::Player(Seat::ALL[0], Control::Human));
    assert_eq!((settings.people(), settings.company()), (1, 2));
    settings.choose(SettingValue::Player(Seat::ALL[0], Control::Ai));
    settings.choose(SettingValue::Role(Role::Player));
    assert_eq!(settings.players[0], Control::Human);
}

#[test]
fn a_second_person_removes_the_public_seed() {
    let mut settings = TableSettings { seed: "lubbock".parse().ok(), ..TableSettings::new(HouseRules::default()) };
    settings.choose(SettingValue::Player(Seat::ALL[2], Control::Human));
    assert_eq!(settings.seed, None);
    assert!(create(&settings).is_ok() && settings.table().1.ready);
}

#[test]
fn layers_that_are_not_house_rules_or_conflict_are_dropped() {
    let every = HouseRules::of_layers(Layer::every());
    let names: Vec<&str> = every.layers().iter().map(Layer::name).collect();
    assert_eq!(names, ["tournament", "forced-bid", "speed", "hints", "consensus"]);
    assert!(every.has(&Layer::Tournament(Tournament {})));
}

/// Ann waits at a table for two people; a bot has the seat opposite her, and the others are free.
fn waiting() -> GameView {
    let mut settings = TableSettings::new(Preset::Casual.rules());
    settings.choose(SettingValue::Player(Seat::ALL[1], Control::Human));
    let mut view = create(&settings).expect("a table");
    let mut bot = view.players[0].clone();
    (bot.player_index, bot.control_type) = (Some(Seat::ALL[2]), Control::Ai);
    bot.capabilities = Role::Ai.capabilities(bot.player_index);
    view.players = vec![view.players[0].clone(), bot].into();
    view
}

#[test]
fn people_keep_their_seats_when_the_rules_change() {
    let view = waiting();
    let settings = TableSettings::of_table(&view).expect("the game has not begun");
    assert_eq!(settings.players, [Control::Human, Control::Human, Control::Ai, Control::Human]);
    let can_change = |view: &GameView, seat: usize| Setting::Player(Seat::ALL[seat]).can_change(view);
    assert_eq!([1, 2, 3].map(|seat| can_change(&view, seat)), [true, true, true]);
    let mut seated = view.clone();
    let mut ben = view.players[0].clone();
    ben.player_index = Some(Seat::ALL[3]);
    seated.players = vec![view.players[0].clone(), ben].into();
    assert_eq!([1, 2, 3].map(|seat| can_change(&seated, seat)), [true, true, false]);
    let mut over = view;
    over.state.phase = Phase::GameEnd;
    assert_eq!([1, 2, 3].map(|seat| can_change(&over, seat)), [false, false, false]);
    assert!(Setting::Bot(Seat::ALL[2]).can_change(&over));
}

#[test]
fn rules_change_only_between_games_and_without_chosen_deals() {
    let with_phase = |phase| {
        let mut view = waiting();
        view.state.phase = phase;
        TableSettings::of_table(&view).is_some()
    };
    let open = [Phase::Setup, Phase::GameEnd];
    for phase in [Phase::Setup, Phase::Bidding, Phase::TrumpSelection, Phase::Playing, Phase::Scoring, Phase::GameEnd] {
        assert_eq!(with_phase(phase), open.contains(&phase), "{phase:?}");
    }
    let mut one_hand = waiting();
    (one_hand.state.phase, one_hand.state.one_hand) = (Phase::OneHandComplete, true);
    assert_eq!(TableSettings::of_table(&one_hand), None);
    let mut seeded = waiting();
    let mut metadata = Metadata::clone(&seeded.metadata);
    metadata.table.deal = DealKind::Seeded;
    seeded.metadata = metadata.into();
    assert_eq!(TableSettings::of_table(&seeded), None);
}
