//! Helpers for the engine tests: a seeded generator, random configurations, and actions as short texts.
//!
//! A test calls `drive(&mut game, "0 bid 31; pass; pass; pass; trump fives; trick 6-6 6-1 3-2 1-0")` and then compares
//! texts. A step that the engine refuses fails the test with the engine's reason.

#![allow(dead_code, reason = "each test file uses a different part of this module")]
#![allow(unreachable_pub, reason = "a test module has no public API")]

use rand_xoshiro::{
    SplitMix64,
    rand_core::{Rng as _, SeedableRng},
};
use texas42_engine::{Annotated, Context, Game, Meta, State, code::Code};
use texas42_vocab::{Action, Bid, BidKind, Config, Control, Deal, Domino, Hand, Layer, Phase, Seat, Trump};

/// A seeded generator, so that a failing case can be reproduced from its seed.
#[derive(Clone, Debug)]
pub struct Rng(SplitMix64);

impl Rng {
    pub fn new(seed: u64) -> Self {
        Self(SplitMix64::seed_from_u64(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x5851_f42d_4c95_7f2d))
    }

    pub fn next(&mut self) -> u64 {
        self.0.next_u64()
    }

    pub fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound as u64) as usize
    }

    /// True once in `n`.
    pub fn once_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }

    pub fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())]
    }

    pub fn shuffle<T>(&mut self, list: &mut [T]) {
        for last in (1..list.len()).rev() {
            list.swap(last, self.below(last + 1));
        }
    }
}

pub fn config(json: &str) -> Config {
    serde_json::from_str(json).unwrap_or_else(|error| panic!("{json}: {error}"))
}

pub fn compose(config: &Config) -> Context {
    Context::compose(config).unwrap_or_else(|error| panic!("{error}: {config:?}"))
}

pub fn context(json: &str) -> Context {
    compose(&config(json))
}

pub fn game(json: &str) -> Game {
    Game::new(context(json))
}

/// The error of an invalid configuration.
pub fn config_error(json: &str) -> String {
    match Context::compose(&config(json)) {
        Ok(_) => panic!("{json} is accepted"),
        Err(error) => error.to_string(),
    }
}

pub fn d(text: &str) -> Domino {
    text.parse().unwrap_or_else(|error| panic!("{text:?}: {error}"))
}

pub fn hand(text: &str) -> Hand {
    text.split_whitespace().map(d).collect()
}

pub fn seat(number: u8) -> Seat {
    Seat::new(number).expect("a seat is 0 to 3")
}

pub fn trump(name: &str) -> Trump {
    serde_json::from_str(&format!("{name:?}")).unwrap_or_else(|_| panic!("{name:?} is not a trump"))
}

/// A deal from the dominoes that matter. Every seat is filled up to seven with the rest, lowest first.
pub fn deal(hands: [&str; 4]) -> Deal {
    let mut deal = hands.map(hand);
    let mut left = deal.iter().fold(Hand::FULL, |left, hand| left - *hand).into_iter();
    for hand in &mut deal {
        while hand.len() < Hand::DEALT {
            *hand = hand.with(left.next().expect("28 dominoes are enough for four seats"));
        }
    }
    deal
}

/// A game with explicit deals. `shaker` is the first shaker, so the seat on its left bids first.
pub fn dealt(json: &str, shaker: u8, deals: &[[&str; 4]]) -> Game {
    let mut config = config(json);
    config.shaker = Some(seat(shaker));
    config.deals = deals.iter().map(|hands| deal(*hands)).collect();
    Game::new(compose(&config))
}

/// A configuration with the named layers and default parameters.
pub fn with_layers(names: &[&str]) -> String {
    let layers: Vec<String> = names.iter().map(|name| format!(r#"{{"type":"{name}"}}"#)).collect();
    format!(r#"{{"layers":[{}]}}"#, layers.join(","))
}

/// Parses an action from a short text: `2 bid 31`, `bid 2 marks`, `bid plunge 4`, `pass`, `trump fives`, `play 6-4`, `claim`,
/// `agree`, `take`, `score`, `end`, `redeal`, `undo 5`, `2 ai`. Without a seat, the seat whose turn it is.
pub fn action(state: &State, text: &str) -> Action {
    let mut words: Vec<&str> = text.split_whitespace().collect();
    let named = words.first().and_then(|word| word.parse::<u8>().ok());
    let player = match named {
        Some(number) => {
            words.remove(0);
            seat(number)
        }
        None => state.turn,
    };
    let number = |word: &str| word.parse::<u8>().unwrap_or_else(|_| panic!("{text:?}: {word} is not a number"));
    match words[..] {
        ["pass"] => Action::Pass { player },
        ["bid", value] => Action::Bid { player, bid: Bid::points(number(value)) },
        ["bid", value, "mark" | "marks"] => Action::Bid { player, bid: Bid::marks(number(value)) },
        ["bid", "plunge", value] => Action::Bid { player, bid: Bid { kind: BidKind::Plunge, value: number(value) } },
        ["bid", "splash", value] => Action::Bid { player, bid: Bid { kind: BidKind::Splash, value: number(value) } },
        ["trump", name] => Action::SelectTrump { player, trump: trump(name) },
        ["play", domino] => Action::Play { player, domino: d(domino) },
        ["claim"] => Action::Claim { player },
        ["agree"] if state.phase == Phase::Scoring => Action::AgreeScoreHand { player },
        ["agree"] => Action::AgreeCompleteTrick { player },
        ["take"] => Action::CompleteTrick,
        ["score"] => Action::ScoreHand,
        ["end"] => Action::EndGame,
        ["redeal"] => Action::Redeal,
        ["undo", to] => Action::Undo { to: number(to).into() },
        ["human"] => Action::SetControl { player, control_type: Control::Human },
        ["ai"] => Action::SetControl { player, control_type: Control::Ai },
        _ => panic!("{text:?} is not an action"),
    }
}

/// Plays steps separated by `;`. `trick a b c d` plays the dominoes in turn and completes the trick.
pub fn drive(game: &mut Game, words: &str) {
    for word in words.split(';').map(str::trim).filter(|word| !word.is_empty()) {
        match word.strip_prefix("trick ") {
            Some(dominoes) => {
                dominoes.split_whitespace().for_each(|domino| drive_one(game, &format!("play {domino}")));
                drive_one(game, "take");
            }
            None => drive_one(game, word),
        }
    }
}

fn drive_one(game: &mut Game, word: &str) {
    let action = action(game.state(), word);
    let hands = game.state().hands;
    game.apply(action).map(|_| ()).unwrap_or_else(|refusal| panic!("{word:?} is refused: {refusal}; {hands:?}"));
}

/// The reason for which a step is refused.
pub fn refused(game: &mut Game, word: &str) -> String {
    let action = action(game.state(), word);
    match game.apply(action) {
        Ok(_) => panic!("{word:?} is accepted"),
        Err(refusal) => refusal.to_string(),
    }
}

/// The text of an action in expectations: the bid, trump or domino alone, otherwise the name of the action.
pub fn word(action: Action) -> String {
    match action {
        Action::Bid { bid, .. } => bid.to_string(),
        Action::SelectTrump { trump, .. } => trump.to_string(),
        Action::Play { domino, .. } => domino.to_string(),
        Action::AgreeCompleteTrick { player } | Action::AgreeScoreHand { player } => format!("{player} agrees"),
        other => other.name().to_owned(),
    }
}

/// The texts of all offers, in order.
pub fn offered(game: &Game) -> String {
    moves(game).into_iter().map(word).collect::<Vec<_>>().join(", ")
}

/// All offers, as a list.
pub fn moves(game: &Game) -> Vec<Action> {
    moves_in(game.ctx(), game.state())
}

/// All offers in a state, as a list.
pub fn moves_in(ctx: &Context, state: &State) -> Vec<Action> {
    texas42_engine::legal(ctx, state).iter().collect()
}

/// The dominoes that are offered, without the claim.
pub fn playable(game: &Game) -> String {
    let plays = moves(game).into_iter().filter(|action| matches!(action, Action::Play { .. }));
    plays.map(word).collect::<Vec<_>>().join(" ")
}

/// The annotations of the offer with this text.
pub fn meta(annotated: &Annotated, wanted: &str) -> Meta {
    let offer = annotated.iter().find(|offer| word(offer.action) == wanted);
    offer.unwrap_or_else(|| panic!("{wanted:?} is not offered")).meta
}

/// A random offer. Picks a claim only once in fifty times that one is offered.
pub fn random_action(game: &Game, rng: &mut Rng) -> Action {
    let claims = rng.once_in(50);
    let usual: Vec<Action> = moves(game).into_iter().filter(|action| claims || !is_claim(*action)).collect();
    rng.pick(&usual)
}

pub fn is_claim(action: Action) -> bool {
    matches!(action, Action::Claim { .. })
}

/// Plays at random to the end of the game, with few claims.
pub fn play_out(game: &mut Game, rng: &mut Rng) {
    while !game.state().phase.is_over() {
        let action = random_action(game, rng);
        game.apply(action).unwrap();
    }
}

/// Plays at random to the end of the game, without claims.
pub fn play_out_without_claims(game: &mut Game, rng: &mut Rng) {
    while !game.state().phase.is_over() {
        let usual: Vec<Action> = moves(game).into_iter().filter(|action| !is_claim(*action)).collect();
        let action = rng.pick(&usual);
        game.apply(action).unwrap();
    }
}

/// Plays the first offer until the phase is reached.
pub fn play_first_until(game: &mut Game, phase: Phase) {
    while game.state().phase != phase {
        let first = moves(game)[0];
        game.apply(first).unwrap();
    }
}

/// Plays random events: moves, and now and then an undo or a change of control.
pub fn random_events(game: &mut Game, rng: &mut Rng, events: usize) {
    for _ in 0..events {
        let event = random_event(game, rng);
        if let Some(event) = event {
            game.apply(event).unwrap();
        }
    }
}

fn random_event(game: &Game, rng: &mut Rng) -> Option<Action> {
    let (state, past) = (game.state(), game.log().len());
    if past > 0 && (state.phase.is_over() || rng.once_in(40)) {
        return Some(Action::Undo { to: rng.below(past) as _ });
    }
    if rng.once_in(40) {
        let player = rng.pick(&Seat::ALL);
        let control_type = if state.humans.contains(player) { Control::Ai } else { Control::Human };
        return Some(Action::SetControl { player, control_type });
    }
    (!state.phase.is_over()).then(|| random_action(game, rng))
}

/// A valid configuration with random layers in random order, random parameters and options.
pub fn random_config(rng: &mut Rng) -> Config {
    let mut layers: Vec<Layer> = random_layers(rng).into_iter().filter(|_| rng.below(10) < 4).collect();
    rng.shuffle(&mut layers);
    let has_special = layers.iter().any(Layer::is_special_contract);
    if has_special {
        layers.retain(|layer| !layer.forbids_special_contracts());
    }
    let points = !has_special && rng.once_in(4);
    let seed = format!("random-{}", rng.below(1_000_000));
    let mut config = config(&format!(
        r#"{{"seed":"{seed}","scoring":"{}","playOn":{}}}"#,
        if points { "points" } else { "marks" },
        rng.once_in(3)
    ));
    config.target = rng.once_in(2).then_some(if points { 60 } else { 2 });
    config.players = [(); 4].map(|()| if rng.once_in(3) { Control::Ai } else { Control::Human });
    config.shaker = rng.once_in(4).then(|| rng.pick(&Seat::ALL));
    config.layers = layers;
    config
}

/// One of each layer with random parameters.
pub fn random_layers(rng: &mut Rng) -> Vec<Layer> {
    let mut one = |texts: &[&str]| {
        let text = rng.pick(texts);
        serde_json::from_str(text).unwrap_or_else(|error| panic!("{text}: {error}"))
    };
    vec![
        one(&[
            r#"{"type":"nello"}"#,
            r#"{"type":"nello","minimum":2,"lead":"left","doubles":"high"}"#,
            r#"{"type":"nello","lead":"left","doubles":"low"}"#,
        ]),
        one(&[r#"{"type":"plunge"}"#]),
        one(&[r#"{"type":"splash"}"#]),
        one(&[r#"{"type":"sevens"}"#]),
        one(&[r#"{"type":"tournament"}"#]),
        one(&[
            r#"{"type":"forced-bid"}"#,
            r#"{"type":"forced-bid","minimum":31}"#,
            r#"{"type":"forced-bid","minimum":42,"who":"first"}"#,
        ]),
        one(&[r#"{"type":"speed"}"#, r#"{"type":"speed","delay":0}"#]),
        one(&[r#"{"type":"hints"}"#]),
        one(&[r#"{"type":"consensus"}"#]),
        one(&[r#"{"type":"one-hand"}"#, r#"{"type":"one-hand","seed":"lesson-1"}"#]),
        one(&[
            r#"{"type":"daily-challenge"}"#,
            r#"{"type":"daily-challenge","date":"2026-02-03","difficulty":"hard","starThresholds":[1,2,3]}"#,
        ]),
    ]
}

/// Decodes a code with its own configuration.
pub fn decode(text: &str) -> Result<Game, String> {
    let code = Code::parse(text).map_err(|error| error.to_string())?;
    let ctx = Context::compose(code.config()).map_err(|error| error.to_string())?;
    code.game(ctx).map_err(|error| error.to_string())
}

/// Plays one trick of four dominoes (three in nello), led by seat 0 under its own contract, and returns who takes it.
///
/// The hands are filled so that each play is legal: a seat that does not follow suit holds no domino of it.
pub fn one_trick(json: &str, declared: &str, plays: &str) -> (u8, u8) {
    let plays: Vec<Domino> = plays.split_whitespace().map(d).collect();
    let seats: &[usize] = if plays.len() == 3 { &[0, 1, 3] } else { &[0, 1, 2, 3] };
    let mut config = config(json);
    config.shaker = Some(seat(3));
    let suits = terms_for(&config, declared).suits;
    let suit = suits.members(suits.called(plays[0]));
    let played: Hand = plays.iter().copied().collect();
    let (mut in_suit, mut off_suit): (Vec<Domino>, Vec<Domino>) =
        (!played).into_iter().partition(|domino| suit.contains(*domino));
    let mut hands = [Hand::EMPTY; 4];
    for (at, domino) in seats.iter().zip(&plays) {
        hands[*at] = Hand::EMPTY.with(*domino);
    }
    let mut order = [0, 1, 2, 3];
    order.sort_by_key(|at| !(seats.contains(at) && (hands[*at] & suit).is_empty()));
    for at in order {
        let must_lack = seats.contains(&at) && (hands[at] & suit).is_empty();
        while hands[at].len() < 7 {
            let from = if must_lack || in_suit.is_empty() { &mut off_suit } else { &mut in_suit };
            hands[at] = hands[at].with(from.pop().expect("enough dominoes are left"));
        }
    }
    config.deals = vec![hands];
    let mut game = Game::new(compose(&config));
    drive(&mut game, "bid 2 marks; pass; pass; pass");
    drive(&mut game, &format!("trump {declared}"));
    for domino in plays {
        drive(&mut game, &format!("play {domino}"));
    }
    let winner = game.state().trick_winner().expect("something was played");
    (winner.into(), game.state().trick.points())
}

/// The terms of a contract of seat 0 for two marks.
pub fn terms_for(config: &Config, declared: &str) -> texas42_engine::Terms {
    terms_of(&compose(config), Bid::marks(2), declared)
}

/// The terms of a contract of seat 0.
pub fn terms_of(ctx: &Context, bid: Bid, declared: &str) -> texas42_engine::Terms {
    let contract = texas42_engine::Contract { bidder: seat(0), bid, declarer: seat(0), trump: trump(declared) };
    ctx.terms(&contract)
}
