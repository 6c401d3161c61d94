//! Whole hands of every contract, rebuilt from the announcements alone and compared with the game at every step.

#![allow(clippy::unwrap_used, reason = "a test reports where it fails by panicking")]

use std::collections::BTreeSet;

use texas42_engine::{Context, Game};
use texas42_kernel::{TableMetadata, Viewer, view};
use texas42_protocol::{GameId, GameView, Name, PlayerId, PlayerView};
use texas42_vocab::{Action, BidKind, Config, Control, Layer, Phase, Seat, Trump};
use texas42_web::{
    announce::news,
    table_model::{HostKind, TableModel},
    words::{Language, Words},
};

const NAMES: [&str; 4] = ["Ann", "Bob", "Cid", "Dan"];

/// The table as Ann on the first seat sees it, or a spectator.
fn look(game: &Game, seat: Option<Seat>) -> TableModel {
    let viewer = seat.map_or_else(Viewer::spectator, Viewer::player);
    let events = game.log().len() as u16;
    let player = |(at, name): (usize, &&str)| PlayerView {
        player_id: PlayerId::try_from(name.to_lowercase().as_str()).unwrap(),
        player_index: Some(Seat::ALL[at]),
        name: Name::try_from(*name).unwrap(),
        control_type: Control::Human,
        is_connected: true,
        waits_for_deal: false,
        capabilities: Vec::new(),
    };
    let players: Vec<PlayerView> = NAMES.iter().enumerate().map(player).collect();
    let view = view(game.ctx(), game.state(), &viewer, &TableMetadata { events, ..TableMetadata::default() });
    TableModel {
        game: GameId::try_from("abc").unwrap(),
        home: HostKind::Server,
        version: 1,
        view: GameView { players: players.into(), ..view },
        player_id: seat.and_then(|seat| PlayerId::try_from(NAMES[seat.index()].to_lowercase().as_str()).ok()),
        seat,
        capabilities: Vec::new(),
        bottom: Seat::ALL[0],
        best: None,
        expert: Vec::new(),
    }
}

/// The values of the placeholders of a text, in order of their numbers, if the sentence begins with it. Also what follows.
fn read<'a>(text: &str, sentence: &'a str) -> Option<(Vec<&'a str>, &'a str)> {
    let mut values: Vec<(usize, &str)> = Vec::new();
    let (first, mut rest_of_text) = text.split_once('{').map_or((text, None), |(first, rest)| (first, Some(rest)));
    let mut rest = sentence.strip_prefix(first)?;
    while let Some(text) = rest_of_text {
        let (number, behind) = text.split_once('}')?;
        let (literal, next) = behind.split_once('{').map_or((behind, None), |(literal, next)| (literal, Some(next)));
        let end = if literal.is_empty() { rest.len() } else { rest.find(literal)? };
        values.push((number.parse().ok()?, &rest[..end]));
        rest = &rest[end + literal.len()..];
        rest_of_text = next;
    }
    values.sort_by_key(|(number, _)| *number);
    Some((values.into_iter().map(|(_, value)| value).collect(), rest))
}

/// What a listener knows of a hand.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Heard {
    /// The person's own dominoes.
    dealt: BTreeSet<String>,
    /// A call: who, and the bid.
    calls: Vec<(String, Option<String>)>,
    bidder: Option<(String, String)>,
    trump: Option<(String, String)>,
    sits_out: Option<String>,
    plays: Vec<(String, String)>,
    /// A trick: who took it, its points, and the points of both teams after it.
    tricks: Vec<(String, String, [String; 2])>,
    outcome: Option<(bool, String, String)>,
    claim: Option<(String, bool)>,
    /// The score of both sides after the hand.
    score: Option<[String; 2]>,
}

impl Heard {
    fn hear(&mut self, sentence: &str, words: &Words) {
        let you = || words.you.to_owned();
        let whole =
            |text: &str| read(text, sentence).filter(|(_, rest)| rest.is_empty()).map(|(values, _)| owned(&values));
        if let Some((values, rest)) = read(words.says_trick_you, sentence) {
            return self.take(you(), values[0], rest);
        }
        if let Some(values) = whole(words.says_undone) {
            return values[0].split_inclusive(". ").for_each(|undone| self.undo(undone.trim(), words));
        }
        if let Some(values) = whole(words.says_trumps_you) {
            self.trump = Some((you(), values[0].clone()));
        } else if whole(words.says_sits_out_you).is_some() {
            self.sits_out = Some(you());
        } else if let Some(values) = whole(words.says_wins_bid_you) {
            self.bidder = Some((you(), values[0].clone()));
        } else if let Some(values) = whole(words.says_bid_you) {
            self.calls.push((you(), Some(values[0].clone())));
        } else if whole(words.says_pass_you).is_some() {
            self.calls.push((you(), None));
        } else if let Some(values) = whole(words.says_play_you) {
            self.plays.push((you(), values[0].clone()));
        } else if whole(words.claim_stood_you).is_some() || whole(words.claim_failed_you).is_some() {
            self.claim = Some((you(), whole(words.claim_stood_you).is_some()));
        } else {
            self.hear_of_others(sentence, words);
        }
    }

    fn hear_of_others(&mut self, sentence: &str, words: &Words) {
        let whole =
            |text: &str| read(text, sentence).filter(|(_, rest)| rest.is_empty()).map(|(values, _)| owned(&values));
        if let Some((values, rest)) = read(words.says_trick, sentence) {
            self.take(values[0].to_owned(), values[1], rest);
        } else if let Some(values) = whole(words.says_trumps) {
            self.trump = Some((values[0].clone(), values[1].clone()));
        } else if let Some(values) = whole(words.says_sits_out) {
            self.sits_out = Some(values[0].clone());
        } else if let Some(values) = whole(words.says_wins_bid) {
            self.bidder = Some((values[0].clone(), values[1].clone()));
        } else if let Some(values) = whole(words.says_bid) {
            self.calls.push((values[0].clone(), Some(values[1].clone())));
        } else if let Some(values) = whole(words.says_pass) {
            self.calls.push((values[0].clone(), None));
        } else if let Some(values) = whole(words.says_play) {
            self.plays.push((values[0].clone(), values[1].clone()));
        } else if let Some(values) = whole(words.claim_failed) {
            self.claim = Some((values[0].clone(), false));
        } else if let Some(values) = whole(words.claim_stood) {
            self.claim = Some((values[0].clone(), true));
        } else if let Some(values) = whole(words.says_made) {
            self.outcome = Some((true, values[0].clone(), values[1].clone()));
        } else if let Some(values) = whole(words.says_set) {
            self.outcome = Some((false, values[0].clone(), values[1].clone()));
        } else if let Some(values) = whole(words.says_deal) {
            self.dealt = values[1].split(", ").map(str::to_owned).collect();
        } else if let Some(values) = whole(words.says_score).or_else(|| whole(words.says_sides)) {
            self.score = Some([values[0].clone(), values[1].clone()]);
        }
    }

    /// A trick, followed by the totals: "Us 11, Them 0."
    fn take(&mut self, winner: String, points: &str, totals: &str) {
        let (first, second) = totals.trim_end_matches('.').split_once(", ").unwrap();
        let total = |side: &str| side.rsplit(' ').next().unwrap().to_owned();
        self.tricks.push((winner, points.to_owned(), [total(first), total(second)]));
    }

    /// Forgets a move, which must be known, and what followed from it.
    fn undo(&mut self, sentence: &str, words: &Words) {
        let mut undone = Self::default();
        undone.hear(sentence, words);
        let known = |known: bool| assert!(known, "{sentence} was not announced before");
        match &undone {
            Self { calls, .. } if !calls.is_empty() => {
                known(calls.iter().all(|call| self.calls.contains(call)));
                self.calls.retain(|call| !calls.contains(call));
                self.bidder = None;
            }
            Self { trump: Some(_), .. } => {
                known(undone.trump == self.trump);
                (self.trump, self.sits_out) = (None, None);
            }
            Self { plays, .. } if !plays.is_empty() => {
                known(plays.iter().all(|play| self.plays.contains(play)));
                self.plays.retain(|play| !plays.contains(play));
                self.tricks.truncate(self.plays.len() / if self.sits_out.is_some() { 3 } else { 4 });
            }
            _ => self.claim = None,
        }
        self.outcome = None;
    }
}

fn owned(values: &[&str]) -> Vec<String> {
    values.iter().map(|value| (*value).to_owned()).collect()
}

/// What happened in the hand, from the state of the game.
fn happened(game: &Game, seat: Option<Seat>, words: &Words) -> Heard {
    let state = game.state();
    let name = |of: Seat| if seat == Some(of) { words.you.to_owned() } else { NAMES[of.index()].to_owned() };
    let named_contract = state.contract.map(|contract| (name(contract.declarer), contract.trump));
    let mut totals = [0_u8; 2];
    let mut trick_of = |winner: Seat, points: u8| {
        totals[winner.team().index()] += points;
        (name(winner), points.to_string(), totals.map(|points| points.to_string()))
    };
    let mut tricks: Vec<_> = state.taken_by().map(|(trick, winner)| trick_of(winner, trick.points())).collect();
    if state.phase == Phase::Playing && state.is_trick_complete() {
        tricks.push(trick_of(state.trick_winner().unwrap(), state.trick.points()));
    }
    let on_table = state.taken().iter().chain((!state.trick.is_empty()).then_some(&state.trick));
    let plays = on_table.flat_map(texas42_engine::Trick::plays);
    let team = |of: Seat| match (seat, of.team().index()) {
        (Some(own), _) => {
            if own.team() == of.team() {
                words.us
            } else {
                words.them
            }
        }
        (None, 0) => words.side_even,
        (None, _) => words.side_odd,
    };
    let standing = state.auction.standing().filter(|_| state.auction.is_closed());
    Heard {
        calls: state.auction.calls().map(|(of, bid)| (name(of), bid.map(|bid| words.bid_text(bid)))).collect(),
        bidder: standing.map(|(of, bid)| (name(of), words.bid_text(bid))),
        trump: named_contract.map(|(declarer, trump)| (declarer, words.trump_text(trump).to_owned())),
        sits_out: state.terms.and_then(|terms| terms.sits_out).map(name),
        plays: plays.map(|(of, domino)| (name(of), words.domino_text(domino))).collect(),
        tricks,
        outcome: state.outcome.filter(|_| state.phase != Phase::Playing).zip(standing).map(|(outcome, (bidder, _))| {
            let points = words.points_text(state.tally.points[bidder.team().index()]);
            (outcome.made, points, team(bidder).to_owned())
        }),
        claim: state.claim.map(|claim| (name(claim.seat), claim.stands)),
        ..Heard::default()
    }
}

/// The dominoes that a seat was dealt, at the beginning of a hand.
fn dealt(game: &Game, seat: Option<Seat>, words: &Words) -> BTreeSet<String> {
    let dominoes = seat.into_iter().flat_map(|seat| game.state().hands[seat.index()]);
    dominoes.map(|domino| words.domino_text(domino)).collect()
}

/// Goes on to the next hand, as far as the result allows. Returns the score that a listener hears.
fn score_hand(game: &mut Game, before: &TableModel, seat: Option<Seat>, words: &Words) -> Option<[String; 2]> {
    while game.state().phase == Phase::Scoring {
        let goes_on = |action: &Action| !matches!(action, Action::Undo { .. });
        let action = game.legal().iter().find(goes_on).expect("a result can be left");
        game.apply(action).unwrap();
    }
    let mut heard = Heard::default();
    let after = look(game, seat);
    news(Some(before), &after, words).iter().for_each(|sentence| heard.hear(sentence, words));
    heard.score
}

/// A team with points has at least one trick, also after a claim.
fn tricks_match_points(table: &TableModel) {
    let state = &table.view.state;
    if table.trump() != Some(Trump::Nello) {
        for (points, tricks) in state.points.into_iter().zip(state.tricks_taken) {
            assert_eq!(points > 0, tricks > 0, "{points} points with {tricks} tricks after {:?}", state.claim);
        }
    }
    if state.claim.is_some_and(|claim| claim.stands) {
        assert_eq!(state.tricks_taken.iter().sum::<u8>(), 7);
    }
}

/// A random number below a bound, from a seed.
fn below(seed: &mut u64, bound: usize) -> usize {
    *seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    (*seed >> 33) as usize % bound
}

/// A move of a player who likes special contracts and rarely claims.
fn choose(game: &Game, random: &mut u64, may_claim: bool) -> Action {
    let offers: Vec<Action> = game.legal().iter().filter(|action| !matches!(action, Action::Claim { .. })).collect();
    let claim = game.legal().iter().find(|action| may_claim && matches!(action, Action::Claim { .. }));
    let special = |action: &Action| match action {
        Action::Bid { bid, .. } => matches!(bid.kind, BidKind::Plunge | BidKind::Splash) || bid.worth() == 42,
        _ => false,
    };
    let pass = offers.iter().find(|action| matches!(action, Action::Pass { .. }));
    let bid = offers.iter().rev().find(|action| special(action));
    match (bid, pass, claim) {
        (_, _, Some(claim)) if below(random, 40) == 0 => claim,
        (Some(bid), _, _) if below(random, 3) > 0 => *bid,
        (None, Some(pass), _) if below(random, 4) > 0 => *pass,
        _ => offers[below(random, offers.len())],
    }
}

/// Plays hands and compares what is heard with what happened. Returns the trumps and kinds of bids that were played.
fn play_hands(seat: Option<Seat>, words: &Words, hands: u64, layers: &[Layer]) -> BTreeSet<String> {
    let mut played = BTreeSet::new();
    for number in 0..hands {
        let config = Config {
            layers: layers.to_vec(),
            seed: format!("heard-{number}").as_str().parse().ok(),
            players: [Control::Ai; 4],
            play_on: number % 2 == 0,
            ..Config::default()
        };
        let mut game = Game::new(Context::compose(&config).unwrap());
        // A slow page sees only some of the views. A claim removes the unfinished trick, so then it could miss a play.
        let is_slow = number % 3 == 0;
        let (mut random, mut before) = (number + 1, look(&game, seat));
        let (mut heard, mut undos) = (Heard::default(), 3);
        news(None, &before, words).iter().for_each(|sentence| heard.hear(sentence, words));
        let dealt = dealt(&game, seat, words);
        while game.state().hand_number == 0 && game.state().phase != Phase::Scoring {
            if undos > 0 && game.log().len() > 2 && below(&mut random, 12) == 0 {
                undos -= 1;
                let to = game.log().len() - 1 - below(&mut random, game.log().len().min(7) - 1);
                game.apply(Action::Undo { to: to as u16 }).unwrap();
            } else {
                let action = choose(&game, &mut random, !is_slow);
                game.apply(action).unwrap();
            }
            if game.state().hand_number > 0 {
                break;
            }
            if is_slow && below(&mut random, 3) == 0 && game.state().phase != Phase::Scoring {
                continue;
            }
            let after = look(&game, seat);
            let said = news(Some(&before), &after, words);
            said.iter().for_each(|sentence| heard.hear(sentence, words));
            let (outcome, dealt) = (heard.outcome.clone(), dealt.clone());
            let known = Heard { outcome, dealt, ..happened(&game, seat, words) };
            assert_eq!(heard, known, "hand {number} after {:?}: {said:#?}", game.log().last());
            before = after;
        }
        if game.state().phase == Phase::Scoring {
            assert_eq!(heard, Heard { dealt, ..happened(&game, seat, words) }, "hand {number}");
            tricks_match_points(&before);
            let contract = game.state().contract.unwrap();
            played.extend([format!("{:?}", contract.bid.kind), format!("{:?}", contract.trump)]);
            played.extend(game.state().claim.map(|claim| format!("claim {}", claim.stands)));
            let score = score_hand(&mut game, &before, seat, words);
            assert_eq!(score, Some(game.state().score.map(|marks| marks.to_string())), "hand {number}");
        }
    }
    played
}

#[test]
fn hands_of_every_contract_can_be_rebuilt_from_the_announcements() {
    let special: Vec<Layer> = Layer::every().into_iter().filter(Layer::is_special_contract).collect();
    for language in [Language::English, Language::Spanish] {
        let played = play_hands(Some(Seat::ALL[0]), language.words(), 400, &special);
        for trump in Trump::ALL {
            assert!(played.contains(&format!("{trump:?}")), "no hand was played with {trump:?}: {played:?}");
        }
        for kind in [BidKind::Points, BidKind::Marks, BidKind::Plunge, BidKind::Splash] {
            assert!(played.contains(&format!("{kind:?}")), "no hand was played with {kind:?}: {played:?}");
        }
        assert!(played.contains("claim true") && played.contains("claim false"), "{played:?}");
    }
}

#[test]
fn spectators_hear_the_same_hands_with_the_names_of_the_sides() {
    let special: Vec<Layer> = Layer::every().into_iter().filter(Layer::is_special_contract).collect();
    play_hands(None, Language::English.words(), 60, &special);
}

#[test]
fn hands_of_tables_that_wait_after_each_trick_can_be_rebuilt() {
    let waits = Layer::every().into_iter().find(|layer| matches!(layer, Layer::Consensus(_)));
    play_hands(Some(Seat::ALL[0]), Language::English.words(), 60, waits.as_slice());
}
