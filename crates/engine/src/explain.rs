//! Explains which layer decides what, to answer "why does this table play like that?".
//!
//! Calls the layers one by one, as the composition does, and attributes every change of an answer to the layer that
//! made it. Offers are explained for a few typical decisions of an example hand.

use alloc::{
    format,
    string::{String, ToString},
    vec::Vec,
};
use core::fmt;

use serde::Serialize;
use texas42_vocab::{Action, Bid, BidKind, Deal, Domino, Hand, Phase, Scoring, Seat, Trump};

use crate::{
    apply::execute,
    context::{Context, default_seed},
    offers::{Annotated, Meta, Offer, Offers},
    rules::Rules,
    state::{SeatSet, State},
    terms::{Contract, Terms},
};

/// What a composed table plays, and why.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Explanation {
    /// The layers in the order in which they are called.
    pub layers: Vec<&'static str>,
    /// The answer to each rule, and the layer that gave it.
    pub rulings: Vec<Ruling>,
    /// How each layer changes the offers.
    pub effects: Vec<LayerEffect>,
}

/// One answer of the rules.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Ruling {
    /// The question.
    pub rule: &'static str,
    /// In which case.
    pub case: String,
    /// The answer.
    pub answer: String,
    /// The layer that has the last word.
    pub decided_by: &'static str,
}

/// What one layer does to one decision.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct LayerEffect {
    /// The decision.
    pub decision: &'static str,
    /// The layer.
    pub layer: &'static str,
    /// What it adds, removes or says.
    pub effect: String,
}

/// The rule whose answer is the source of the deals. It reveals more than how a table plays.
pub const DEALS_FROM: &str = "deals from";

/// Explains a composed table.
pub fn explain(ctx: &Context) -> Explanation {
    let decisions = decisions(ctx);
    Explanation {
        layers: ctx.layers().map(Rules::name).collect(),
        rulings: rulings(ctx, &decisions),
        effects: decisions.iter().flat_map(|(name, state)| effects(ctx, name, state)).collect(),
    }
}

/// Calls the layers in turn and records which one changed the answer last.
fn decided<T: Copy + PartialEq>(ctx: &Context, first: T, ask: impl Fn(&dyn Rules, T) -> T) -> (T, &'static str) {
    decided_as_read(ctx, first, ask, |answer| *answer)
}

/// Like [`decided`], for one aspect of the answer.
fn decided_as_read<T: Copy, R: PartialEq>(
    ctx: &Context,
    first: T,
    ask: impl Fn(&dyn Rules, T) -> T,
    read: impl Fn(&T) -> R,
) -> (T, &'static str) {
    ctx.layers().skip(1).fold((first, "base"), |(prev, by), layer| {
        let answer = ask(layer, prev);
        let by = if read(&answer) == read(&prev) { by } else { layer.name() };
        (answer, by)
    })
}

fn rulings(ctx: &Context, decisions: &[(&'static str, State)]) -> Vec<Ruling> {
    let mut rulings = Vec::from([game_end(ctx), seed(ctx), early_end(ctx), score(ctx)]);
    let offered: Vec<Action> = decisions.iter().flat_map(|(_, state)| ctx.offers(state).iter()).collect();
    for kind in [BidKind::Points, BidKind::Marks, BidKind::Plunge, BidKind::Splash] {
        let bid = offered.iter().find_map(|action| match action {
            Action::Bid { bid, .. } if bid.kind == kind => Some(*bid),
            _ => None,
        });
        rulings.extend(bid.map(|bid| declarer(ctx, bid)));
    }
    for trump in [Trump::Fives, Trump::Doubles, Trump::FollowMe, Trump::Nello, Trump::Sevens] {
        if offered
            .iter()
            .any(|action| matches!(action, Action::SelectTrump { trump: offered, .. } if *offered == trump))
        {
            rulings.extend(terms(ctx, trump));
        }
    }
    rulings
}

fn game_end(ctx: &Context) -> Ruling {
    let state = ctx.first_state();
    let (phase, decided_by) = decided(ctx, Phase::Bidding, |layer, prev| layer.after_hand(&state, prev));
    let answer = match phase {
        Phase::Bidding => {
            let (target, unit) = (ctx.config().target(), format!("{:?}", ctx.config().scoring));
            let unit = if target == 1 { unit.trim_end_matches('s') } else { &unit };
            format!("the next hand, until a side has {target} {unit}")
        }
        phase => phase.to_string(),
    };
    Ruling { rule: "after a hand", case: String::new(), answer: answer.to_ascii_lowercase(), decided_by }
}

fn early_end(ctx: &Context) -> Ruling {
    let answer = if ctx.config().play_on { "is played to the last trick" } else { "ends at once" };
    Ruling { rule: "a decided hand", case: String::new(), answer: answer.to_string(), decided_by: "base" }
}

fn score(ctx: &Context) -> Ruling {
    let answer = match ctx.config().scoring {
        Scoring::Marks => "the marks at stake go to one side",
        Scoring::Points => "made: each side what it took; set: the other side what it took and the bid",
    };
    Ruling { rule: "score", case: String::new(), answer: answer.to_string(), decided_by: "base" }
}

fn seed(ctx: &Context) -> Ruling {
    let table_seed = ctx.config().seed.unwrap_or_else(default_seed);
    let (_, decided_by) = decided(ctx, table_seed, |layer, prev| layer.seed(prev));
    let answer = match ctx.config().deals.len() {
        0 => ctx.seed().to_string(),
        given => format!("{given} given, then {}", ctx.seed()),
    };
    Ruling { rule: DEALS_FROM, case: String::new(), answer, decided_by }
}

fn declarer(ctx: &Context, bid: Bid) -> Ruling {
    let bidder = Seat::ALL[0];
    let (seat, decided_by) = decided(ctx, bidder, |layer, prev| layer.declarer(bidder, bid, prev));
    let answer = if seat == bidder { "the bidder" } else { "the bidder's partner" };
    Ruling { rule: "names trumps", case: format!("a bid of {bid}"), answer: answer.to_string(), decided_by }
}

/// The terms of a hand, field by field.
fn terms(ctx: &Context, trump: Trump) -> Vec<Ruling> {
    let bid = Bid::marks(1);
    let contract = Contract { bidder: Seat::ALL[0], bid, declarer: Seat::ALL[0], trump };
    type Field = (&'static str, fn(&Terms) -> String);
    let fields: [Field; 4] = [
        ("leads first", |terms| {
            if terms.leader == terms.bidder { "the bidder" } else { "the bidder's left" }.to_string()
        }),
        ("sits out", |terms| if terms.sits_out.is_some() { "the bidder's partner" } else { "nobody" }.to_string()),
        ("suits", |terms| suits_in_words(terms)),
        ("is made by", |terms| goal_in_words(terms)),
    ];
    let first = ctx.first_terms(&contract);
    fields
        .map(|(rule, field)| {
            let (last, decided_by) = decided_as_read(ctx, first, |layer, prev| layer.terms(&contract, prev), field);
            Ruling { rule, case: format!("{trump} for {bid}"), answer: field(&last), decided_by }
        })
        .into()
}

fn suits_in_words(terms: &Terms) -> String {
    use crate::suits::Suits;
    match terms.suits {
        Suits::Trumps(pip) => return format!("{} are trumps, doubles high", crate::suit_name(pip)),
        Suits::DoublesTrump => "doubles are trumps",
        Suits::DoublesHigh => "no trumps, doubles high",
        Suits::DoublesOwn => "no trumps, doubles a suit of their own",
        Suits::DoublesLow => "no trumps, doubles low",
        Suits::NearestSeven => "no suits, nearest to seven must be played and wins",
    }
    .to_string()
}

fn goal_in_words(terms: &Terms) -> String {
    use crate::terms::Goal;
    match terms.goal {
        Goal::Points(points) => format!("{points} points"),
        Goal::EveryTrick => "every trick".to_string(),
        Goal::NoTrick => "no trick".to_string(),
    }
}

fn effects(ctx: &Context, decision: &'static str, state: &State) -> Vec<LayerEffect> {
    let mut offers = Offers::to(state.turn, state.phase);
    let mut effects = Vec::new();
    for layer in ctx.layers().filter(|layer| layer.offers_in().contains(&state.phase)) {
        let before = offers;
        layer.offer(state, &mut offers);
        effects.push((layer.name(), difference(&before, &offers)));
    }
    let mut annotated = Annotated::from(&offers);
    for layer in ctx.layers().filter(|layer| layer.annotates_in().contains(&state.phase)) {
        let before = annotated.clone();
        layer.annotate(state, &mut annotated);
        effects.push((layer.name(), remarks(&before, &annotated)));
    }
    effects
        .into_iter()
        .filter_map(|(layer, effect)| effect.map(|effect| LayerEffect { decision, layer, effect }))
        .collect()
}

fn difference(before: &Offers, after: &Offers) -> Option<String> {
    let list = |verb: &str, actions: Vec<Action>| match actions.len() {
        0 => None,
        1..=3 => Some(format!("{verb} {}", joined(&actions))),
        count => Some(format!("{verb} {count}: {} … {}", actions[0], actions[count - 1])),
    };
    let removed = list("removes", before.iter().filter(|action| !after.contains(action)).collect());
    let added = list("offers", after.iter().filter(|action| !before.contains(action)).collect());
    match (removed, added) {
        (Some(removed), Some(added)) => Some(format!("{removed}; {added}")),
        (removed, added) => removed.or(added),
    }
}

fn joined(actions: &[Action]) -> String {
    actions.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}

fn remarks(before: &[Offer], after: &[Offer]) -> Option<String> {
    let pairs = before.iter().zip(after);
    let hints = pairs.clone().filter(|(before, after)| before.meta.hint != after.meta.hint).count();
    let by_itself = |(before, after): (&Offer, &Offer)| {
        let Meta { auto_execute, reason, .. } = after.meta;
        let changed = (auto_execute, reason) != (before.meta.auto_execute, before.meta.reason);
        changed.then(|| match reason {
            Some(reason) => format!("does {} by itself ({reason})", after.action),
            None => format!("does {} by itself", after.action),
        })
    };
    let hinted = (hints > 0).then(|| format!("gives hints on {hints}"));
    hinted.or_else(|| pairs.clone().find_map(by_itself))
}

/// Typical decisions of an example hand: seat 0 holds four doubles and long fives, seat 1 a single five.
fn decisions(ctx: &Context) -> Vec<(&'static str, State)> {
    let first = State::opening(Seat::ALL[3], example_deal(), SeatSet::default().set(Seat::ALL[0], true));
    let after = |state: &State, actions: &[Action]| {
        let mut state = *state;
        actions.iter().for_each(|action| execute(ctx, &mut state, *action));
        state
    };
    let [zero, one, two, three] = Seat::ALL;
    let pass = |player| Action::Pass { player };
    let play = |player, ends: (u8, u8)| Action::Play { player, domino: Domino::new(ends.0, ends.1).expect("a domino") };
    let stuck = after(&first, &[pass(zero), pass(one), pass(two)]);
    let all_passed = after(&stuck, &[pass(three)]);
    let bid = Action::Bid { player: zero, bid: Bid::marks(1) };
    let naming = after(&first, &[bid, pass(one), pass(two), pass(three)]);
    let high = Action::Bid { player: zero, bid: Bid::marks(4) };
    let naming_high = after(&first, &[high, pass(one), pass(two), pass(three)]);
    let named = Action::SelectTrump { player: zero, trump: Trump::Fives };
    let forced = after(&naming, &[named, play(zero, (5, 5))]);
    let complete = after(&forced, &[play(one, (5, 3)), play(two, (5, 0)), play(three, (3, 2))]);
    let decided = after(&complete, &[Action::CompleteTrick, Action::Claim { player: zero }]);
    Vec::from([
        ("opening the auction with four doubles", first),
        ("the shaker after three passes", stuck),
        ("after four passes", all_passed),
        ("naming trumps after 1 mark", naming),
        ("naming trumps after 4 marks", naming_high),
        ("a play without a choice", forced),
        ("a complete trick", complete),
        ("a decided hand", decided),
    ])
}

fn example_deal() -> Deal {
    let hand =
        |ends: [(u8, u8); 7]| -> Hand { ends.into_iter().filter_map(|(high, low)| Domino::new(high, low)).collect() };
    [
        hand([(6, 6), (5, 5), (4, 4), (3, 3), (6, 5), (5, 4), (1, 0)]),
        hand([(5, 3), (6, 0), (6, 1), (6, 2), (6, 3), (6, 4), (0, 0)]),
        hand([(5, 0), (5, 1), (5, 2), (4, 0), (4, 1), (4, 2), (4, 3)]),
        hand([(1, 1), (2, 2), (2, 0), (2, 1), (3, 0), (3, 1), (3, 2)]),
    ]
}

impl fmt::Display for Explanation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "Layers, the last has the last word: {}\n", self.layers.join(" < "))?;
        let rulings = self.rulings.iter().map(|r| [r.rule, &*r.case, &*r.answer, r.decided_by]);
        table(f, ["rule", "case", "answer", "decided by"], &rulings.collect::<Vec<_>>())?;
        writeln!(f)?;
        let effects = self.effects.iter().map(|e| [e.decision, e.layer, &*e.effect]);
        table(f, ["decision", "layer", "what it does to the offers"], &effects.collect::<Vec<_>>())
    }
}

/// Formats rows as aligned columns. Omits a first cell that repeats the one above.
fn table<const N: usize>(f: &mut fmt::Formatter<'_>, head: [&str; N], rows: &[[&str; N]]) -> fmt::Result {
    let mut widths = head.map(|cell| cell.chars().count());
    for row in rows {
        for (width, cell) in widths.iter_mut().zip(row) {
            *width = (*width).max(cell.chars().count());
        }
    }
    line(f, &head, &widths)?;
    line(f, &widths.map(|width| "-".repeat(width)).each_ref().map(String::as_str), &widths)?;
    let mut last = "";
    for row in rows {
        let mut shown = *row;
        if row[0] == last {
            shown[0] = "";
        }
        last = row[0];
        line(f, &shown, &widths)?;
    }
    Ok(())
}

fn line<const N: usize>(f: &mut fmt::Formatter<'_>, cells: &[&str; N], widths: &[usize; N]) -> fmt::Result {
    let padded: Vec<String> =
        cells.iter().zip(widths).map(|(cell, width)| format!("{cell:width$}", width = *width)).collect();
    writeln!(f, "{}", padded.join("  ").trim_end())
}
