//! Compares claims with brute force: every layout of the unseen dominoes that is consistent with the plays so far, and
//! every play of the other seats.
//!
//! Contracts for tricks and nello each have two brute-force searches. One enumerates the layouts, which is slow; the
//! other is fast enough for four dominoes.

#![allow(clippy::unwrap_used, reason = "a failed unwrap fails the test")]

mod support;

use std::collections::BTreeMap;

use support::*;
use texas42_engine::{Game, State, Suits, Trick, claim};
use texas42_vocab::{Action, Domino, Hand, Phase, Seat};

/// Public knowledge, computed independently of the engine.
#[derive(Clone, Debug)]
struct Public {
    suits: Suits,
    hand: Hand,
    /// The three other seats from the left of the claimant: the dominoes that they may hold, and how many they hold.
    may_hold: [Hand; 3],
    counts: [usize; 3],
    /// Whether they are still to play to the trick on the table, and whether they play at all.
    to_play: [bool; 3],
    plays: [bool; 3],
    /// The called suit of the trick on the table, its best strength so far, and the seat that played it.
    table: Option<(u8, u8, Seat)>,
}

impl Public {
    fn of(state: &State, claimant: Seat) -> Self {
        let terms = state.terms.unwrap();
        let others: Vec<Seat> = claimant.round().skip(1).collect();
        let hand = state.hands[claimant.index()];
        let unseen = !(state.seen() | hand);
        let tricks: Vec<Trick> = state.taken().iter().copied().chain([state.trick]).collect();
        let may_hold = |seat: Seat| {
            let plays = tricks.iter().filter_map(|trick| {
                let domino = trick.plays().find(|(who, _)| *who == seat)?.1;
                Some((trick.plays().next()?.1, domino))
            });
            plays.fold(unseen, |left, (led, domino)| left - shows_to_lack(terms.suits, led, domino))
        };
        let sits_out = |seat: Seat| terms.sits_out == Some(seat);
        let has_played = |seat: Seat| state.trick.plays().any(|(who, _)| who == seat);
        let by_seat = |at: usize| others[at];
        Self {
            suits: terms.suits,
            hand,
            may_hold: [0, 1, 2].map(by_seat).map(may_hold),
            counts: [0, 1, 2].map(by_seat).map(|seat| state.hands[seat.index()].len()),
            to_play: [0, 1, 2].map(by_seat).map(|seat| !sits_out(seat) && !has_played(seat)),
            plays: [0, 1, 2].map(by_seat).map(|seat| !sits_out(seat)),
            table: on_table(terms.suits, &state.trick),
        }
    }

    fn called(&self) -> Option<u8> {
        self.table.map(|table| table.0)
    }

    fn unseen(&self) -> Hand {
        self.may_hold.iter().fold(Hand::EMPTY, |all, hand| all | *hand)
    }
}

fn on_table(suits: Suits, trick: &Trick) -> Option<(u8, u8, Seat)> {
    let called = suits.called(trick.plays().next()?.1);
    let powers = trick.plays().map(|(seat, domino)| (called, suits.power(called, domino), seat));
    powers.reduce(|best, play| if play.1 > best.1 { play } else { best })
}

/// The dominoes that a seat cannot hold if it plays `domino` to a lead of `led`.
fn shows_to_lack(suits: Suits, led: Domino, domino: Domino) -> Hand {
    let away = |domino: Domino| domino.pips().abs_diff(7);
    if suits == Suits::NearestSeven {
        return Domino::all().filter(|other| away(*other) < away(domino)).collect();
    }
    let suit = suits.members(suits.called(led));
    if suit.contains(domino) { Hand::EMPTY } else { suit }
}

/// Whether hands of these sizes exist inside these sets (Hall's condition over the eight sets of seats).
fn has_layout(unseen: Hand, may_hold: [Hand; 3], counts: [usize; 3]) -> bool {
    (0..8_usize).all(|seats| {
        let inside = |at: &usize| seats >> at & 1 == 1;
        let elsewhere = (0..3).filter(|at| !inside(at)).fold(Hand::EMPTY, |all, at| all | may_hold[at]);
        let room: usize = (0..3).filter(inside).map(|at| counts[at]).sum();
        (unseen - elsewhere).len() <= room
    })
}

/// All subsets of this size.
fn choose(from: Hand, count: usize) -> Vec<Hand> {
    let Some(first) = from.into_iter().next() else {
        return if count == 0 { vec![Hand::EMPTY] } else { vec![] };
    };
    let rest = from.without(first);
    let mut sets = choose(rest, count);
    if count > 0 {
        sets.extend(choose(rest, count - 1).into_iter().map(|set| set.with(first)));
    }
    sets
}

/// A trick as the claimant would play it.
#[derive(Clone, Copy, Debug)]
struct Step {
    domino: Domino,
    on_table: bool,
}

/// All orders in which the claimant may play its dominoes, the first one to the trick on the table.
fn orders(public: &Public) -> Vec<Vec<Step>> {
    fn extend(public: &Public, left: Hand, order: &mut Vec<Step>, all: &mut Vec<Vec<Step>>) {
        if left.is_empty() {
            all.push(order.clone());
            return;
        }
        let on_table = order.is_empty() && public.table.is_some();
        for domino in public.suits.playable(left, if on_table { public.called() } else { None }) {
            order.push(Step { domino, on_table });
            extend(public, left.without(domino), order, all);
            order.pop();
        }
    }
    let mut all = Vec::new();
    extend(public, public.hand, &mut Vec::new(), &mut all);
    all
}

/// The called suit of a step, and the strength to beat.
fn called_and_power(public: &Public, step: Step) -> Option<(u8, u8)> {
    let (called, best) = match public.table.filter(|_| step.on_table) {
        Some((called, best, _)) => (called, best),
        None => (public.suits.called(step.domino), 0),
    };
    let power = public.suits.power(called, step.domino);
    (power > best).then_some((called, power))
}

/// Tries every complete layout and every play of all three other seats in every trick.
fn brute_force_jointly(public: &Public) -> bool {
    let layouts = layouts(public);
    orders(public).iter().any(|order| layouts.iter().all(|hands| all_plays_lose(public, order, *hands)))
}

fn layouts(public: &Public) -> Vec<[Hand; 3]> {
    let unseen = public.unseen();
    let mut all = Vec::new();
    for first in choose(public.may_hold[0], public.counts[0]) {
        for second in choose(public.may_hold[1] - first, public.counts[1]) {
            let third = unseen - first - second;
            if third.len() == public.counts[2] && (third - public.may_hold[2]).is_empty() {
                all.push([first, second, third]);
            }
        }
    }
    all
}

fn all_plays_lose(public: &Public, order: &[Step], hands: [Hand; 3]) -> bool {
    let Some((step, later)) = order.split_first() else { return true };
    let Some((called, power)) = called_and_power(public, *step) else { return false };
    let choices = |at: usize| -> Vec<Option<Domino>> {
        let takes_part = if step.on_table { public.to_play[at] } else { public.plays[at] };
        if !takes_part {
            return vec![None];
        }
        public.suits.playable(hands[at], Some(called)).into_iter().map(Some).collect()
    };
    for one in choices(0) {
        for two in choices(1) {
            for three in choices(2) {
                let plays = [one, two, three];
                let beaten = plays.iter().flatten().any(|domino| public.suits.power(called, *domino) > power);
                let without = |at: usize| plays[at].map_or(hands[at], |domino| hands[at].without(domino));
                if beaten || !all_plays_lose(public, later, [0, 1, 2].map(without)) {
                    return false;
                }
            }
        }
    }
    true
}

/// Tries each seat alone. The claimant leads every trick, so the plays of one seat never depend on the other two.
fn brute_force_by_seat(public: &Public) -> bool {
    let hands: Vec<Vec<Hand>> = (0..3).map(|at| possible_hands(public, at)).collect();
    orders(public)
        .iter()
        .any(|order| (0..3).all(|at| hands[at].iter().all(|hand| seat_never_wins(public, order, at, *hand))))
}

fn possible_hands(public: &Public, at: usize) -> Vec<Hand> {
    let fits = |hand: &Hand| {
        let (mut may_hold, mut counts) = (public.may_hold.map(|other| other - *hand), public.counts);
        (may_hold[at], counts[at]) = (Hand::EMPTY, 0);
        has_layout(public.unseen() - *hand, may_hold, counts)
    };
    choose(public.may_hold[at], public.counts[at]).into_iter().filter(fits).collect()
}

fn seat_never_wins(public: &Public, order: &[Step], at: usize, hand: Hand) -> bool {
    let Some((step, later)) = order.split_first() else { return true };
    let Some((called, power)) = called_and_power(public, *step) else { return false };
    if step.on_table && !public.to_play[at] {
        return seat_never_wins(public, later, at, hand);
    }
    public.suits.playable(hand, Some(called)).into_iter().all(|domino| {
        public.suits.power(called, domino) <= power && seat_never_wins(public, later, at, hand.without(domino))
    })
}

/// A random position in which the seat to play has `left` dominoes left.
fn position(declared: &str, layer: &str, left: usize, rng: &mut Rng) -> Option<State> {
    let layers = if layer.is_empty() { String::new() } else { layer.to_owned() };
    let seed = rng.next();
    let mut game = game(&format!(r#"{{"seed":"claim-{seed}","playOn":true,"layers":[{layers}]}}"#));
    drive(&mut game, "bid 1 mark; pass; pass; pass");
    drive(&mut game, &format!("trump {declared}"));
    let careful = rng.once_in(2);
    let mut wait = rng.below(4);
    while game.state().phase == Phase::Playing {
        let state = *game.state();
        let seat = state.to_act();
        let is_bidder = seat == state.terms.map(|terms| terms.bidder);
        if seat.is_some_and(|seat| state.hands[seat.index()].len() == left) && (declared != "nello" || is_bidder) {
            if wait == 0 || declared == "nello" {
                return Some(state);
            }
            wait -= 1;
        }
        let action = if declared == "nello" && is_bidder { duck(&game, rng) } else { spend(&game, careful, rng) };
        game.apply(action).unwrap();
    }
    None
}

/// A play that does not beat the trick so far, if there is one.
fn duck(game: &Game, rng: &mut Rng) -> Action {
    let (state, offers) = (game.state(), moves(game));
    let terms = state.terms.unwrap();
    let plays = offers.iter().copied().filter(|action| matches!(action, Action::Play { .. }));
    let strength = |action: &Action| match action {
        Action::Play { domino, .. } => {
            terms.rank_in_trick(terms.called(&state.trick).unwrap_or(terms.led_suit(*domino)), *domino)
        }
        _ => u8::MAX,
    };
    let below: Vec<Action> = plays.clone().filter(|action| strength(action) < terms.best_power(&state.trick)).collect();
    if below.is_empty() { plays.min_by_key(strength).unwrap_or(offers[0]) } else { rng.pick(&below) }
}

/// A random play. A careful seat keeps its strong dominoes, so that claims come up.
fn spend(game: &Game, careful: bool, rng: &mut Rng) -> Action {
    let (offers, seat) = (moves(game), game.state().turn);
    if careful && seat == seat_that_saves(game) && rng.below(4) > 0 {
        return duck(game, rng);
    }
    let plays: Vec<Action> = offers.iter().copied().filter(|action| !is_claim(*action)).collect();
    rng.pick(&plays)
}

fn seat_that_saves(game: &Game) -> Seat {
    game.state().terms.map_or(Seat::ALL[0], |terms| terms.bidder)
}

const KINDS: [(&str, &str); 10] = [
    ("blanks", ""),
    ("ones", ""),
    ("twos", ""),
    ("threes", ""),
    ("fours", ""),
    ("fives", ""),
    ("sixes", ""),
    ("doubles", ""),
    ("follow-me", ""),
    ("sevens", r#"{"type":"sevens"}"#),
];

/// Counts correct claims, false claims, and positions in the middle of a trick, with `left` dominoes left.
fn compare(left: usize, positions: usize, seed: u64, brute: impl Fn(&Public) -> bool) -> [usize; 3] {
    let mut seen = [0; 3];
    for (number, (declared, layer)) in KINDS.iter().enumerate() {
        let mut rng = Rng::new(seed + number as u64);
        for _ in 0..positions {
            let Some(state) = position(declared, layer, left, &mut rng) else { continue };
            let answer = claim::stands(&state, state.turn);
            let truth = brute(&Public::of(&state, state.turn));
            assert_eq!(answer, truth, "{declared}: seat {} in {state:#?}", state.turn);
            seen[usize::from(answer)] += 1;
            seen[2] += usize::from(!state.trick.is_empty());
        }
    }
    seen
}

#[test]
fn exact_with_two_and_three_left_over_all_layouts_and_plays() {
    for left in [1, 2, 3] {
        let [fail, stand, on_table] = compare(left, 150, 100, brute_force_jointly);
        println!("{left} left: {stand} stand, {fail} fail, {on_table} in the middle of a trick");
        assert!(stand > 50 && fail > 50 && on_table > 50);
    }
}

#[test]
fn exact_with_three_and_four_left_seat_by_seat() {
    for (left, positions) in [(3, 1000), (4, 1000)] {
        let [fail, stand, on_table] = compare(left, positions, 7, brute_force_by_seat);
        println!("{left} left: {stand} stand, {fail} fail, {on_table} in the middle of a trick");
        assert!(stand > 50 && fail > 50 && on_table > 50);
    }
}

/// An exhaustive nello search. It fixes what the defenders hold only as they play it.
struct Nello<'a> {
    public: &'a Public,
    known: BTreeMap<(u32, [u32; 3], usize), bool>,
}

#[derive(Clone, Copy)]
struct Table {
    hand: Hand,
    unseen: Hand,
    may_hold: [Hand; 3],
    counts: [usize; 3],
    /// Called suit, best power so far, and its seat (3 is the bidder).
    best: Option<(u8, u8, usize)>,
    played: usize,
    turn: usize,
}

impl Nello<'_> {
    const BIDDER: usize = 3;

    fn survives(&mut self, table: Table) -> bool {
        if table.played == 3 {
            return self.next_trick(table);
        }
        if table.turn == 1 {
            // The bidder's partner, the second of the three other seats, sits out.
            return self.survives(Table { turn: 2, ..table });
        }
        if table.turn == Self::BIDDER {
            let choices = self.public.suits.playable(table.hand, table.best.map(|best| best.0));
            return choices.into_iter().any(|domino| {
                let next = Table { hand: table.hand.without(domino), turn: 0, ..self.played(table, domino) };
                self.survives(next)
            });
        }
        let at = table.turn;
        table.may_hold[at].into_iter().all(|domino| match self.other_plays(table, at, domino) {
            Some(next) => self.survives(next),
            None => true,
        })
    }

    fn played(&self, table: Table, domino: Domino) -> Table {
        let called = table.best.map_or(self.public.suits.called(domino), |best| best.0);
        let power = self.public.suits.power(called, domino);
        let best = match table.best {
            Some(best) if best.1 >= power => best,
            _ => (called, power, table.turn),
        };
        Table { best: Some(best), played: table.played + 1, ..table }
    }

    /// The table after a play of another seat; `None` if no layout allows it.
    fn other_plays(&self, table: Table, at: usize, domino: Domino) -> Option<Table> {
        let mut next = self.played(table, domino);
        next.turn = at + 1;
        next.unseen = table.unseen.without(domino);
        next.may_hold = table.may_hold.map(|held| held.without(domino));
        next.counts[at] -= 1;
        if let Some((called, _, _)) = table.best {
            let suit = self.public.suits.members(called);
            if !suit.contains(domino) {
                next.may_hold[at] = next.may_hold[at] - suit;
            }
        }
        has_layout(next.unseen, next.may_hold, next.counts).then_some(next)
    }

    fn next_trick(&mut self, table: Table) -> bool {
        let (_, _, winner) = table.best.expect("a complete trick has a best domino");
        if winner == Self::BIDDER {
            return false;
        }
        if table.hand.is_empty() {
            return true;
        }
        let key = (table.hand.bits(), table.may_hold.map(Hand::bits), winner);
        if let Some(known) = self.known.get(&key) {
            return *known;
        }
        let answer = self.survives(Table { best: None, played: 0, turn: winner, ..table });
        self.known.insert(key, answer);
        answer
    }
}

fn nello_table(state: &State, public: &Public) -> Table {
    let best = public.table.map(|(called, power, winner)| {
        let at = (winner.index() + 4 - state.turn.left().index()) & 3;
        (called, power, at)
    });
    Table {
        hand: public.hand,
        unseen: public.unseen(),
        may_hold: public.may_hold,
        counts: public.counts,
        best,
        played: state.trick.len(),
        turn: Nello::BIDDER,
    }
}

/// A nello search over explicit layouts. Each play removes the layouts in which it was not legal.
struct Worlds<'a> {
    suits: Suits,
    plays: &'a [bool; 3],
}

impl Worlds<'_> {
    fn survives(&self, table: Table, worlds: &[[Hand; 3]]) -> bool {
        match (table.played, table.best) {
            (3, Some((_, _, Nello::BIDDER))) => false,
            (3, _) if table.hand.is_empty() => true,
            (3, best) => self.survives(Table { best: None, played: 0, turn: best.unwrap().2, ..table }, worlds),
            _ if table.turn == Nello::BIDDER => {
                let choices = self.suits.playable(table.hand, table.best.map(|best| best.0));
                let answer = |domino| Table { hand: table.hand.without(domino), ..self.played(table, domino) };
                choices.into_iter().any(|domino| self.survives(answer(domino), worlds))
            }
            _ if !self.plays[table.turn] => self.survives(Table { turn: table.turn + 1, ..table }, worlds),
            _ => Domino::all().all(|domino| {
                let left = self.after(table, worlds, domino);
                left.is_empty() || self.survives(self.played(table, domino), &left)
            }),
        }
    }

    fn after(&self, table: Table, worlds: &[[Hand; 3]], domino: Domino) -> Vec<[Hand; 3]> {
        let (at, called) = (table.turn, table.best.map(|best| best.0));
        let allowed = worlds.iter().filter(|hands| self.suits.playable(hands[at], called).contains(domino));
        allowed.map(|hands| hands.map(|hand| hand.without(domino))).collect()
    }

    fn played(&self, table: Table, domino: Domino) -> Table {
        let called = table.best.map_or(self.suits.called(domino), |best| best.0);
        let power = self.suits.power(called, domino);
        let is_best = table.best.is_none_or(|best| power > best.1);
        let best = if is_best { Some((called, power, table.turn)) } else { table.best };
        Table { best, played: table.played + 1, turn: (table.turn + 1) % 4, ..table }
    }
}

fn nello_over_all_layouts(public: &Public, table: Table) -> bool {
    Worlds { suits: public.suits, plays: &public.plays }.survives(table, &layouts(public))
}

fn nello_by_knowledge(public: &Public, table: Table) -> bool {
    Nello { public, known: BTreeMap::new() }.survives(table)
}

/// Doubles as their own suit, high and low, each with both leaders.
const NELLOS: [&str; 6] = [
    r#"{"type":"nello"}"#,
    r#"{"type":"nello","lead":"left"}"#,
    r#"{"type":"nello","doubles":"high"}"#,
    r#"{"type":"nello","doubles":"high","lead":"left"}"#,
    r#"{"type":"nello","doubles":"low"}"#,
    r#"{"type":"nello","doubles":"low","lead":"left"}"#,
];

/// Counts correct claims, false claims, and positions in the middle of a trick.
fn compare_nello(left: usize, positions: usize, seed: u64, brute: impl Fn(&Public, Table) -> bool) -> [usize; 3] {
    let mut seen = [0; 3];
    for (number, layer) in NELLOS.iter().enumerate() {
        let mut rng = Rng::new(seed + number as u64);
        let mut tried = 0;
        while tried < positions {
            let Some(state) = position("nello", layer, left, &mut rng).filter(is_hopeful) else { continue };
            let public = Public::of(&state, state.turn);
            let (answer, truth) = (claim::stands(&state, state.turn), brute(&public, nello_table(&state, &public)));
            assert_eq!(answer, truth, "{layer}: {state:#?}");
            seen[usize::from(answer)] += 1;
            seen[2] += usize::from(!state.trick.is_empty());
            tried += 1;
        }
    }
    seen
}

/// Whether the dominoes are low, so that a claim is not obviously false.
fn is_hopeful(state: &State) -> bool {
    let hand = state.hands[state.turn.index()];
    hand.into_iter().map(|domino| usize::from(domino.pips())).sum::<usize>() <= 5 * hand.len()
}

#[test]
fn nello_is_exact_over_all_layouts() {
    for (left, positions) in [(1, 200), (2, 100), (3, 4)] {
        let [fail, stand, on_table] = compare_nello(left, positions, 80, nello_over_all_layouts);
        println!("nello, {left} left: {stand} stand, {fail} fail, {on_table} in the middle of a trick");
        assert!(stand > 1 && fail > 5 && on_table > 5);
    }
}

#[test]
fn nello_is_exact_by_public_knowledge() {
    for (left, positions) in [(1, 300), (2, 1500), (3, 1000), (4, 60)] {
        let [fail, stand, on_table] = compare_nello(left, positions, 40, nello_by_knowledge);
        println!("nello, {left} left: {stand} stand, {fail} fail, {on_table} in the middle of a trick");
        assert!(stand > 20 && fail > 50 && on_table > 50);
    }
}
