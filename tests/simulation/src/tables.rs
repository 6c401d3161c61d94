//! Random table configurations that cover every layer and option.

use texas42_protocol::{BotLevel, ClientMessage, DealKind, Entropy, Name, RequestId, SecretKey, TableOptions};
use texas42_vocab::{
    Bid, BidKind, Config, Consensus, Control, DailyChallenge, Date, Difficulty, ForcedBid, Hints, Layer, Nello,
    OneHand, Plunge, Scoring, Script, Seat, SeedText, Sevens, Speed, Splash, Tournament, Trump, WhoMustBid,
};

use crate::dice::Dice;

/// A random `CREATE_GAME`. The room rejects invalid ones.
pub(crate) fn creation(dice: &mut Dice) -> ClientMessage {
    let mut config = config(dice);
    let table = options(dice, &config);
    preset_deals(&mut config, &table, dice);
    ClientMessage::CreateGame {
        request_id: Some(RequestId::try_from("create").expect("a word is an id")),
        table,
        config,
        name: Name::try_from("Founder").expect("a word is a name"),
        role: None,
        seat: None,
        entropy: entropy(dice),
        session_key: dice.percent(70).then(|| SecretKey::new(dice.bytes())),
    }
}

/// A `CREATE_GAME` for a local game of one person, which can be imported later.
pub(crate) fn local_creation(key: &SecretKey, dice: &mut Dice) -> ClientMessage {
    let mut players = [Control::Ai; 4];
    players[dice.below(4) as usize] = Control::Human;
    let mut config = Config { players, ..config(dice) };
    let options = options(dice, &config);
    preset_deals(&mut config, &options, dice);
    ClientMessage::CreateGame {
        request_id: None,
        table: TableOptions { pause: 0, ready: false, rated: dice.once_in(20), open_hands: false, ..options },
        config,
        name: Name::try_from("Founder").expect("a word is a name"),
        role: None,
        seat: None,
        entropy: entropy(dice),
        session_key: Some(key.clone()),
    }
}

/// Fixes the deal of most puzzles in advance, because a deal search takes as long as ten worlds.
fn preset_deals(config: &mut Config, options: &TableOptions, dice: &mut Dice) {
    if options.deal != DealKind::Seeded || dice.once_in(40) {
        return;
    }
    for layer in &mut config.layers {
        match layer {
            Layer::OneHand(one_hand) => one_hand.seed = one_hand.seed.or_else(|| any_seed(dice)),
            Layer::DailyChallenge(daily) => daily.deal = daily.deal.or_else(|| Some(dice.below(30) as u32)),
            Layer::Nello(_)
            | Layer::Plunge(_)
            | Layer::Splash(_)
            | Layer::Sevens(_)
            | Layer::Tournament(_)
            | Layer::ForcedBid(_)
            | Layer::Speed(_)
            | Layer::Hints(_)
            | Layer::Consensus(_) => {}
        }
    }
}

fn any_seed(dice: &mut Dice) -> Option<SeedText> {
    format!("puzzle-{}", dice.below(1000)).parse().ok()
}

/// Random entropy for the deals, or none.
pub(crate) fn entropy(dice: &mut Dice) -> Option<Entropy> {
    let number = dice.below(u64::MAX);
    dice.percent(70).then(|| Entropy::try_from(format!("e{number:x}")).expect("letters and digits are entropy"))
}

fn config(dice: &mut Dice) -> Config {
    let layers = layers(dice);
    let scoring = if dice.once_in(8) { Scoring::Points } else { Scoring::Marks };
    let target = if scoring == Scoring::Points { 60 } else { dice.pick(&[1, 1, 2, 3, 7]) };
    Config {
        layers,
        scoring,
        target: Some(target),
        play_on: dice.once_in(3),
        players: players(dice),
        ..Config::default()
    }
}

/// Random seats with at least one person.
fn players(dice: &mut Dice) -> [Control; 4] {
    let mut players = Seat::ALL.map(|_| if dice.percent(45) { Control::Human } else { Control::Ai });
    players[dice.below(4) as usize] = Control::Human;
    players
}

fn layers(dice: &mut Dice) -> Vec<Layer> {
    let mut layers = special_contracts(dice);
    let mut sometimes = |times: u64, layer: Layer, dice: &mut Dice| {
        if dice.once_in(times) {
            layers.push(layer);
        }
    };
    let minimum = dice.pick(&[30, 31, 42]);
    let who = dice.pick(&[WhoMustBid::Shaker, WhoMustBid::First]);
    let delay = dice.pick(&[0, 40, 300]);
    sometimes(3, Layer::ForcedBid(ForcedBid { minimum, who }), dice);
    sometimes(3, Layer::Speed(Speed { delay }), dice);
    sometimes(3, Layer::Hints(Hints {}), dice);
    sometimes(3, Layer::Consensus(Consensus {}), dice);
    layers.extend(puzzle(dice));
    layers
}

fn special_contracts(dice: &mut Dice) -> Vec<Layer> {
    if dice.once_in(6) {
        return vec![Layer::Tournament(Tournament {})];
    }
    let specials =
        [Layer::Nello(Nello::default()), Layer::Plunge(Plunge {}), Layer::Splash(Splash {}), Layer::Sevens(Sevens {})];
    specials.into_iter().filter(|_| dice.once_in(3)).collect()
}

fn puzzle(dice: &mut Dice) -> Option<Layer> {
    match dice.below(8) {
        0 | 1 => Some(Layer::OneHand(OneHand::default())),
        2 => Some(Layer::OneHand(OneHand {
            seed: "a-lesson".parse().ok(),
            difficulty: Some(Difficulty::Hard),
            script: Some(script(dice)),
        })),
        3 => Some(Layer::DailyChallenge(daily(dice))),
        _ => None,
    }
}

/// A daily challenge; on odd days its deal is already known.
fn daily(dice: &mut Dice) -> DailyChallenge {
    let day = dice.between(1, 28) as u8;
    DailyChallenge {
        date: Date::new(2026, 2, day).expect("February has these days"),
        difficulty: dice.pick(&[Difficulty::Easy, Difficulty::Medium, Difficulty::Hard]),
        deal: (day % 2 == 1).then(|| day.into()),
        ..DailyChallenge::default()
    }
}

fn script(dice: &mut Dice) -> Script {
    let bid = dice.pick(&[Bid { kind: BidKind::Points, value: 31 }, Bid { kind: BidKind::Marks, value: 1 }]);
    Script { player: dice.pick(&Seat::ALL), bid: bid.kind, value: bid.value, trump: dice.pick(&Trump::STRAIGHT) }
}

fn options(dice: &mut Dice, config: &Config) -> TableOptions {
    let people = config.players.iter().filter(|control| **control == Control::Human).count();
    // Sometimes an invalid table: several people and a public seed.
    let may_be_seeded = people == 1 || dice.once_in(10);
    TableOptions {
        deal: if may_be_seeded && dice.percent(50) { DealKind::Seeded } else { DealKind::Secret },
        turn_seconds: dice.percent(40).then(|| dice.between(5, 20) as u16),
        pause: dice.pick(&[0, 0, 30, 300, 2000]),
        ready: dice.once_in(3),
        rated: dice.once_in(4),
        open_to_spectators: dice.percent(50),
        hints: dice.percent(50),
        open_hands: dice.once_in(3),
        bots: levels(dice),
        brought: false,
    }
}

/// Random strengths of quick bots for some seats.
fn levels(dice: &mut Dice) -> [Option<BotLevel>; 4] {
    Seat::ALL.map(|_| dice.once_in(4).then(|| dice.pick(&[BotLevel::Random, BotLevel::Beginner])))
}

/// Random changes to the options of a table, which keep where its deals come from.
pub(crate) fn changed_options(old: &TableOptions, dice: &mut Dice) -> TableOptions {
    TableOptions {
        turn_seconds: dice.percent(40).then(|| dice.between(5, 20) as u16),
        pause: dice.pick(&[0, 30, 300]),
        rated: dice.once_in(4),
        hints: dice.percent(50),
        open_hands: old.open_hands != dice.once_in(6),
        bots: levels(dice),
        ..old.clone()
    }
}

/// Random rules without a puzzle, for a table whose people play the seats `people`.
pub(crate) fn changed_rules(people: &[Seat], dice: &mut Dice) -> Config {
    let mut config = config(dice);
    config.layers.retain(|layer| !layer.is_one_hand());
    // Sometimes an invalid table: a person's seat is given to a bot.
    for seat in people.iter().filter(|_| !dice.once_in(10)) {
        config.players[seat.index()] = Control::Human;
    }
    config
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_layer_is_generated() {
        let played: BTreeSet<&str> =
            (0..200).flat_map(|seed| layers(&mut Dice::new(seed))).map(|layer| layer.name()).collect();
        assert_eq!(played, Layer::every().iter().map(Layer::name).collect());
    }
}
