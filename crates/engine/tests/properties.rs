//! Properties that hold in every game, tested on random tables with random layers. A failing case can be reproduced from
//! its seed.

#![allow(clippy::unwrap_used, reason = "a failed unwrap fails the test")]

mod support;

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use proptest::{prelude::ProptestConfig, prelude::any, prop_assert, prop_assert_eq, proptest};
use sha2::{Digest, Sha256};
use support::*;
use texas42_engine::{
    Context, Game, MAX_EVENTS, Refusal, State, Trick, apply, code, code::Code, record::Record, record::RecordError,
    replay, state_hash,
};
use texas42_vocab::{Action, Bid, BidKind, Config, Control, Domino, Hand, Phase, Scoring, Seat, Trump};

/// Every action that can be represented, within reason.
fn all_conceivable_actions() -> Vec<Action> {
    let mut all = vec![Action::CompleteTrick, Action::ScoreHand, Action::Redeal, Action::EndGame];
    all.extend([0, 1, 20].map(|to| Action::Undo { to }));
    for player in Seat::ALL {
        all.extend([
            Action::Pass { player },
            Action::AgreeCompleteTrick { player },
            Action::AgreeScoreHand { player },
            Action::Claim { player },
            Action::SetControl { player, control_type: Control::Ai },
            Action::SetControl { player, control_type: Control::Human },
        ]);
        let kinds = [(BidKind::Points, 50), (BidKind::Marks, 8), (BidKind::Plunge, 8), (BidKind::Splash, 8)];
        for (kind, most) in kinds {
            all.extend((0..=most).chain([84, 255]).map(|value| Action::Bid { player, bid: Bid { kind, value } }));
        }
        let trumps = Trump::STRAIGHT.into_iter().chain([Trump::Nello, Trump::Sevens]);
        all.extend(trumps.map(|trump| Action::SelectTrump { player, trump }));
        all.extend(Domino::all().map(|domino| Action::Play { player, domino }));
    }
    all
}

/// A random configuration, a game with it, and a generator.
fn table(seed: u64) -> (Config, Game, Rng) {
    let mut rng = Rng::new(seed);
    let config = random_config(&mut rng);
    let game = Game::new(compose(&config));
    (config, game, rng)
}

/// A refused action changes nothing and has a reason.
#[test]
fn apply_accepts_exactly_what_is_legal() {
    let all = all_conceivable_actions();
    for seed in 0..200 {
        let (config, mut game, mut rng) = table(seed);
        while !game.state().phase.is_over() && game.log().len() < 250 {
            check_all(&game, &all, &config);
            let action = random_action(&game, &mut rng);
            game.apply(action).unwrap();
        }
        check_all(&game, &all, &config);
    }
}

fn check_all(game: &Game, all: &[Action], config: &Config) {
    let (ctx, state, offers) = (game.ctx(), game.state(), moves(game));
    assert_eq!(offers.is_empty(), state.phase.is_over(), "a table that is not over goes on: {config:?} {state:#?}");
    assert!(offers.iter().all(|action| all.contains(action)), "{offers:?}");
    for action in all.iter().copied().filter(|action| !is_claim(*action) || !offers.contains(action)) {
        match apply(ctx, state, action) {
            Ok(_) => assert!(offers.contains(&action), "{action} is accepted and not offered in {config:?}"),
            Err(refusal) => {
                assert!(!offers.contains(&action), "{action} is offered and refused in {config:?}");
                assert!(!refusal.to_string().is_empty());
            }
        }
    }
}

/// A refused event leaves the game as it was: state, log and snapshots.
#[test]
fn a_refused_event_changes_nothing() {
    let all = all_conceivable_actions();
    for seed in 0..40 {
        let (_, mut game, mut rng) = table(seed);
        random_events(&mut game, &mut rng, 60);
        let (state, events, snapshots) = (*game.state(), game.log().len(), game.snapshots().len());
        let offers = moves(&game);
        for action in all.iter().copied().filter(|action| action.is_move() && !offers.contains(action)) {
            assert!(game.apply(action).is_err());
        }
        assert!(matches!(game.apply(Action::Undo { to: events as _ }), Err(Refusal::NoSuchEvent { .. })));
        let seat = rng.pick(&Seat::ALL);
        let same = if state.humans.contains(seat) { Control::Human } else { Control::Ai };
        let again = Action::SetControl { player: seat, control_type: same };
        assert_eq!(game.apply(again), Err(Refusal::SameControl { player: seat }));
        assert_eq!((*game.state(), game.log().len(), game.snapshots().len()), (state, events, snapshots));
    }
}

/// `replay(configuration, log)` gives the live state, and the state after `n` events is the replay of `n` events, even
/// with undos, undos of undos and changes of control in the log.
#[test]
fn replay_reproduces_every_state_of_the_log() {
    for seed in 0..60 {
        let (config, mut game, mut rng) = table(seed);
        let mut states = vec![*game.state()];
        for _ in 0..300 {
            let before = game.log().len();
            random_events(&mut game, &mut rng, 1);
            if game.log().len() > before {
                states.push(*game.state());
            }
        }
        let ctx = compose(&config);
        assert_eq!(replay(&ctx, game.log()).unwrap(), *game.state(), "seed {seed}");
        for (events, state) in states.iter().enumerate() {
            assert_eq!(game.state_at(events).as_ref(), Some(state), "seed {seed} after {events} events");
        }
        for events in [0, 1, 63, 64, 65, 128, 200].into_iter().filter(|events| *events < states.len()) {
            assert_eq!(replay(&ctx, &game.log()[..events]).unwrap(), states[events]);
        }
        assert_eq!(game.state_at(states.len()), None);
        assert!(game.verify_snapshots());
        check_undos(game.log(), &states);
    }
}

/// After `undo {to}` the state is the one after the first `to` events.
fn check_undos(log: &[Action], states: &[State]) {
    for (at, action) in log.iter().enumerate() {
        if let Action::Undo { to } = action {
            assert_eq!(states[at + 1], states[*to as usize]);
        }
    }
}

#[test]
fn an_undo_can_be_undone() {
    let mut game = dealt("{}", 3, &[["", "", "", ""]]);
    drive(&mut game, "bid 30; pass; bid 31");
    let three = *game.state();
    drive(&mut game, "undo 1; pass; undo 3; 0 ai; undo 4");
    // Events: bid, pass, bid, undo 1, pass, undo 3, control, undo 4.
    assert_eq!(*game.state(), game.state_at(1).unwrap());
    drive(&mut game, "undo 6");
    assert_eq!(*game.state(), three);
    assert!(game.state().humans.contains(seat(0)), "control goes back with everything else");
    drive(&mut game, "undo 7");
    assert!(!game.state().humans.contains(seat(0)));
    assert_eq!(refused(&mut game, "undo 10"), "there are only 10 events to go back over");
}

/// The hands, the taken tricks and the trick on the table partition the 28 dominoes; the auction has at most four calls,
/// and bids rise; the points are those of the taken tricks.
#[test]
fn every_state_satisfies_the_invariants() {
    for seed in 0..600 {
        let (config, mut game, mut rng) = table(seed);
        while !game.state().phase.is_over() && game.log().len() < 400 {
            check_partition(game.state());
            check_auction(game.state());
            let action = random_action(&game, &mut rng);
            let before = *game.state();
            game.apply(action).unwrap();
            check_scored_hand(&config, &before, game.state());
        }
        check_partition(game.state());
    }
}

fn check_partition(state: &State) {
    let tricks: Vec<Hand> = state.taken().iter().chain([&state.trick]).map(Trick::dominoes).collect();
    let parts: Vec<Hand> = state.hands.into_iter().chain(tricks).collect();
    assert_eq!(parts.iter().map(|part| part.len()).sum::<usize>(), 28);
    assert_eq!(parts.into_iter().fold(Hand::EMPTY, |all, part| all | part), Hand::FULL);
}

fn check_auction(state: &State) {
    let calls: Vec<Option<Bid>> = state.auction.calls().map(|(_, bid)| bid).collect();
    let worth: Vec<u16> = calls.iter().flatten().map(|bid| bid.worth()).collect();
    assert!(calls.len() <= 4 && worth.windows(2).all(|pair| pair[0] < pair[1]), "{calls:?}");
    assert_eq!(state.auction.standing().map(|(_, bid)| bid.worth()), worth.last().copied());
}

/// Exactly one team gains from a hand with marks scoring, and a hand that was played out is worth 42 points.
fn check_scored_hand(config: &Config, before: &State, after: &State) {
    if before.phase != Phase::Scoring || after.phase == Phase::Scoring {
        return;
    }
    let result = after.last_hand.expect("a scored hand has a result");
    let gained: Vec<u16> = (0..2).map(|team| after.score[team] - before.score[team]).collect();
    assert_eq!(gained, result.gained);
    if config.scoring == Scoring::Marks {
        assert_eq!(gained.iter().filter(|gain| **gain > 0).count(), 1);
        let bidders = result.contract.bidder.team().index();
        assert_eq!(gained[bidders] > 0, result.outcome.made);
        assert_eq!(gained.iter().sum::<u16>(), u16::from(result.contract.bid.stake()));
    }
    let (points, tricks) = (result.points.iter().sum::<u8>(), before.tally.tricks_played());
    let all_play = result.contract.trump != Trump::Nello;
    assert!(points <= 42);
    assert!(!(all_play && (tricks == 7 || before.claim.is_some())) || points == 42, "{result:?}");
}

/// With any layers, claims, undos and changes of control.
#[test]
fn codes_round_trip() {
    for seed in 0..400 {
        let (config, mut game, mut rng) = table(seed);
        random_events(&mut game, &mut rng, (seed as usize * 7) % 400);
        let text = code::encode(&game);
        assert!(text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte)), "{text}");
        let again = decode(&text).unwrap_or_else(|error| panic!("seed {seed}: {error}"));
        assert_eq!(again.ctx().config(), &config);
        assert_eq!((again.log(), again.state()), (game.log(), game.state()), "seed {seed}");
    }
}

/// Rejects a code with any one character changed, removed or added.
#[test]
fn rejects_damaged_codes() {
    let mut short = game(r#"{"seed":"damage","target":1,"layers":[{"type":"nello"}]}"#);
    play_out(&mut short, &mut Rng::new(4));
    let (_, mut long, mut rng) = table(12);
    random_events(&mut long, &mut rng, 120);
    let alphabet = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_=. \x00";
    for (game, step) in [(&short, 1), (&long, 13)] {
        let text = code::encode(game);
        for at in 0..text.len() {
            for byte in alphabet.iter().copied().skip(at % step).step_by(step) {
                let mut damaged = text.clone().into_bytes();
                if damaged[at] == byte {
                    continue;
                }
                damaged[at] = byte;
                let damaged = String::from_utf8(damaged).unwrap();
                assert!(decode(&damaged).is_err(), "{text} became {damaged}");
            }
            assert!(decode(&text[..at]).is_err(), "{text} cut after {at}");
        }
        for more in ["A", "AA", "AAAA", "x", "-_", "\u{e4}"] {
            assert!(decode(&format!("{text}{more}")).is_err(), "{text} with {more}");
        }
    }
    for stranger in ["", "c", "cAAAA"] {
        let sentence = "this is not the code of a game, or one from another version";
        assert_eq!(decode(stranger).map(|_| ()).unwrap_err(), sentence);
    }
    assert_eq!(decode(&"a".repeat(100_001)).map(|_| ()).unwrap_err(), "the code is longer than 100000 characters");
}

/// Reads the code of a game by the rules of another configuration, as a version with other rules would.
fn read_by_other_rules(original: &Game, rules: &str) -> Result<Game, code::CodeError> {
    Code::parse(&code::encode(original)).unwrap().game(Context::compose(&config(rules)).unwrap())
}

/// A code says what happened, so rules that offer further actions read the same game.
#[test]
fn a_code_survives_rules_that_offer_more() {
    let mut original = game(r#"{"seed":"rules"}"#);
    play_out(&mut original, &mut Rng::new(7));
    let more = r#"{"seed":"rules","layers":[{"type":"nello"},{"type":"plunge"},{"type":"splash"},{"type":"sevens"}]}"#;
    let again = read_by_other_rules(&original, more).unwrap();
    assert_eq!(again.log(), original.log());
    assert_ne!(again.ctx().config(), original.ctx().config());
}

#[test]
fn a_code_of_other_rules_is_refused_with_that_reason() {
    let mut nello = game(r#"{"seed":"rules","layers":[{"type":"nello"}]}"#);
    drive(&mut nello, "bid 1 mark; pass; pass; pass; trump nello");
    let error = read_by_other_rules(&nello, r#"{"seed":"rules"}"#).map(|_| ()).unwrap_err();
    assert_eq!(error, code::CodeError::OtherRules { rules: 1, event: 4 });
}

#[test]
fn a_code_of_later_rules_asks_for_an_update() {
    let mut bytes = URL_SAFE_NO_PAD.decode(&code::encode(&game(r#"{"seed":"later"}"#))[1..]).unwrap();
    bytes.truncate(bytes.len() - 3);
    bytes[0] = code::RULES + 1;
    let checksum: [u8; 32] = Sha256::digest(&bytes).into();
    bytes.extend(&checksum[..3]);
    let error = decode(&format!("b{}", URL_SAFE_NO_PAD.encode(&bytes))).map(|_| ()).unwrap_err();
    assert_eq!(error, "the game of this code has rules of version 2, and this version knows rules up to 1: update it");
}

/// Claims are expensive to decide, so a game limits how many may be undone. A code can contain that many.
#[test]
fn limits_undone_claims() {
    let mut game = dealt(r#"{"layers":[{"type":"nello"}]}"#, 3, &[["", "", "", ""]]);
    drive(&mut game, "bid 1 mark; pass; pass; pass; trump nello");
    let before = game.log().len();
    for _ in 0..64 {
        drive(&mut game, "claim");
        game.apply(Action::Undo { to: before as _ }).unwrap();
    }
    let claim = Action::Claim { player: game.state().turn };
    assert_eq!(game.apply(claim).unwrap_err(), Refusal::TooManyClaims);
    let text = code::encode(&game);
    assert_eq!(decode(&text).map(|game| code::encode(&game)), Ok(text));
}

/// A link is decoded by the rules that it names, or the error names them. Links without a version are from version 1.
#[test]
fn a_link_leads_to_its_game_as_a_whole_or_in_part() {
    let mut played = game(r#"{"seed":"game-1"}"#);
    drive(&mut played, "bid 30; pass; pass; pass; trump fives");
    let code = code::encode(&played);
    let link = code::link(&code);
    assert_eq!(link, format!("#replay/{code}"));
    for same in [link.clone(), format!("https://example.org/42/{link}"), code.clone()] {
        assert_eq!(Code::parse_link(&same).map(|code| code.config().seed), Ok(played.ctx().config().seed), "{same}");
    }
    for unknown in ["1", "x.", "nonsense", ""] {
        assert!(Code::parse_link(&format!("#replay/{unknown}")).is_err(), "{unknown}");
    }
}

/// A complete seven-mark game of straight 42 fits in 200 characters, both for random players and for careful ones who
/// bid as low as they can, which makes the game long.
#[test]
fn a_typical_game_is_a_short_link() {
    for (name, careful) in [("random", false), ("careful", true)] {
        let mut lengths: Vec<usize> = (0..200).map(|seed| length_of_a_game(seed, careful)).collect();
        lengths.sort_unstable();
        let at = |percent: usize| lengths[(lengths.len() - 1) * percent / 100];
        println!("{name}: least {}, median {}, 95 % {}, most {}", at(0), at(50), at(95), at(100));
        assert!(at(100) <= 200, "{name}: {}", at(100));
    }
}

fn length_of_a_game(seed: u64, careful: bool) -> usize {
    let mut rng = Rng::new(seed);
    let mut game = game(&format!(r#"{{"seed":"game-{seed}"}}"#));
    if careful {
        while !game.state().phase.is_over() {
            let action = careful_action(&game, &mut rng);
            game.apply(action).unwrap();
        }
    } else {
        play_out_without_claims(&mut game, &mut rng);
    }
    code::encode(&game).len()
}

/// Passes most of the time, otherwise makes the lowest bid. Plays at random.
fn careful_action(game: &Game, rng: &mut Rng) -> Action {
    let mut choices = moves(game);
    choices.retain(|action| !is_claim(*action));
    match game.state().phase {
        Phase::Bidding if choices.len() > 1 => choices[usize::from(rng.once_in(2))],
        _ => rng.pick(&choices),
    }
}

/// A record gives the same game, even after a round trip through JSON, and its checkpoints match.
#[test]
fn records_round_trip() {
    for seed in 0..60 {
        let (config, mut game, mut rng) = table(seed);
        random_events(&mut game, &mut rng, 250);
        let record = Record::of(&game);
        let read = Record::from_json(&record.to_json()).unwrap();
        assert_eq!(read, record);
        assert_eq!(read.config, config);
        let again = read.replay(compose(&read.config)).unwrap();
        assert_eq!((again.log(), again.state()), (game.log(), game.state()));
        assert_eq!(state_hash(again.state()), record.checkpoints.last().unwrap().hash);
    }
}

/// Detects a record in which one event was replaced by another legal one.
#[test]
fn detects_a_changed_event() {
    let mut noticed = 0;
    for seed in 0..40 {
        let (_, mut game, mut rng) = table(seed);
        random_events(&mut game, &mut rng, 150);
        let mut record = Record::of(&game);
        let at = rng.below(record.actions.len());
        let Some(other) = other_choice(&game, at, &mut rng) else { continue };
        record.actions[at] = other;
        match record.replay(compose(&record.config)) {
            Ok(again) => assert_eq!(again.state(), game.state(), "another way to the same place, by an undo"),
            Err(RecordError::Replay(_) | RecordError::Diverged { .. }) => noticed += 1,
            Err(other) => panic!("{other}"),
        }
    }
    assert!(noticed > 20, "{noticed}");
}

fn other_choice(game: &Game, at: usize, rng: &mut Rng) -> Option<Action> {
    let state = game.state_at(at)?;
    let mut others = moves_in(game.ctx(), &state);
    others.retain(|action| *action != game.log()[at]);
    (!others.is_empty()).then(|| rng.pick(&others))
}

/// The length of a log is bounded, and so is the time to replay it.
#[test]
fn a_log_is_bounded() {
    let mut game = dealt("{}", 3, &[["", "", "", ""]]);
    while game.log().len() < MAX_EVENTS {
        let human = game.state().humans.contains(seat(0));
        let control_type = if human { Control::Ai } else { Control::Human };
        game.apply(Action::SetControl { player: seat(0), control_type }).unwrap();
    }
    assert_eq!(game.apply(Action::Undo { to: 0 }), Err(Refusal::LogFull));
    assert!(game.verify_snapshots());

    // A log of only undos, each of which keeps a snapshot.
    let mut jumping = dealt("{}", 3, &[["", "", "", ""]]);
    drive(&mut jumping, "pass");
    let mut rng = Rng::new(1);
    while jumping.log().len() < MAX_EVENTS {
        let to = rng.below(jumping.log().len()) as _;
        jumping.apply(Action::Undo { to }).unwrap();
    }
    assert!(jumping.verify_snapshots());
}

/// The same configuration and log give the same hash.
#[test]
fn hashes_tell_states_apart() {
    let mut hashes = std::collections::BTreeMap::new();
    for seed in 0..30 {
        let (_, mut game, mut rng) = table(seed);
        for _ in 0..80 {
            let state = *game.state();
            if let Some(same) = hashes.insert(state_hash(&state), state) {
                assert_eq!(comparable(same), comparable(state));
            }
            random_events(&mut game, &mut rng, 1);
        }
    }
}

/// The state without the terms and the last result, which the hash does not cover.
fn comparable(state: State) -> State {
    State { terms: None, last_hand: None, ..state }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    /// Arbitrary text never causes a panic.
    #[test]
    fn rejects_arbitrary_text_as_code(text in "\\PC{0,200}") {
        prop_assert!(decode(&text).is_err());
    }

    /// Text that looks like a code is rejected too.
    #[test]
    fn rejects_text_that_looks_like_a_code(text in "a[A-Za-z0-9_-]{0,300}") {
        prop_assert!(decode(&text).is_err());
    }

    /// Arbitrary text is not a record.
    #[test]
    fn rejects_arbitrary_text_as_record(text in "\\PC{0,200}") {
        prop_assert!(Record::from_json(&text).is_err());
    }

    /// A configuration survives a round trip through JSON and composes with the same result.
    #[test]
    fn configurations_round_trip(seed in any::<u64>()) {
        let config = random_config(&mut Rng::new(seed));
        let again: Config = serde_json::from_str(&serde_json::to_string(&config).unwrap()).unwrap();
        prop_assert_eq!(&again, &config);
        prop_assert_eq!(compose(&again).first_state(), Context::compose(&config).unwrap().first_state());
    }

    /// Actions survive a round trip through JSON.
    #[test]
    fn actions_round_trip(at in 0..all_conceivable_actions().len()) {
        let action = all_conceivable_actions()[at];
        let json = serde_json::to_string(&action).unwrap();
        prop_assert_eq!(serde_json::from_str::<Action>(&json).unwrap(), action);
    }
}
