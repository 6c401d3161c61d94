//! `texas42 review`: reviews a recorded game. Shows how well each seat played, where the hands turned, and the value of each
//! choice of each decision: by the seat's knowledge, and with all hands open.

use std::fmt;

use anyhow::{Context, ensure};
use serde::Serialize;
use texas42_ai::{
    DecisionPoint, POINTS_PER_HAND,
    review::{EvaluatedAction, Verdict, review},
};
use texas42_kernel::{TableMetadata, Viewer, view};
use texas42_phrases::Language;
use texas42_room::HeadlessRoom;
use texas42_vocab::{Action, Scoring, Seat};

use super::arena::MAX_WORLDS;
use crate::{
    color::{STRONG, styled},
    game_source::GameSource,
    output, progress, wording,
};

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    source: GameSource,
    /// Possible deals to look at for each decision: fewer are faster, more are more exact; without it, as many as an expert
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=i64::from(MAX_WORLDS)))]
    worlds: Option<u32>,
    /// Review only this hand, counted from 1
    #[arg(long, value_name = "HAND", value_parser = clap::value_parser!(u32).range(1..))]
    only_hand: Option<u32>,
    /// The older form of --only-hand, counted from 0
    #[arg(long, hide = true, conflicts_with = "only_hand")]
    hand: Option<u32>,
    /// Print JSON instead of text
    #[arg(long)]
    json: bool,
}

/// A decision with a lower regret, in marks, counts as good as the best.
const NEGLIGIBLE: f64 = 0.05;

impl Args {
    /// The number of the only hand to review, from 0 as in JSON.
    fn wanted(&self) -> Option<u32> {
        self.only_hand.map(|hand| hand - 1).or(self.hand)
    }
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Reviewed {
    event: usize,
    hand_number: u32,
    seat: Seat,
    #[serde(flatten)]
    verdict: Verdict,
}

/// How well a seat played.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
struct Accuracy {
    decisions: u32,
    /// The decisions that gave nothing away.
    good: u32,
    /// Marks given away.
    regret: f64,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct GameReview {
    /// What the game counts. With points scoring, one mark in the review stands for 40 points.
    scoring: Scoring,
    decisions: Vec<Reviewed>,
    /// For each hand, the event that turned it or gave most away, if there is one.
    turning_points: Vec<usize>,
    seats: [Accuracy; 4],
}

pub(crate) fn run(args: &Args) -> anyhow::Result<()> {
    let room = args.source.open()?;
    let report = GameReview::new(room.game().ctx().config().scoring, review_all(args, &room)?);
    if args.json { output::print_json(&report) } else { Ok(output::print(&report)?) }
}

fn review_all(args: &Args, room: &HeadlessRoom) -> anyhow::Result<Vec<Reviewed>> {
    let (game, log) = (room.game(), room.game().log());
    check_hand(args, room.state().hand_number)?;
    let effective = effective_events(log);
    let bar = progress::counted(effective.len() as u64, "events");
    let mut decisions = Vec::new();
    for (at, event) in effective.iter().copied().enumerate() {
        bar.inc(1);
        let action = log[event];
        let Some(seat) = action.player().filter(|_| action.is_move()) else { continue };
        let before = game.state_at(event).context("an event of the log has a state before it")?;
        let hand_number = before.hand_number;
        if args.wanted().is_some_and(|wanted| wanted != hand_number) {
            continue;
        }
        let view = view(game.ctx(), &before, &Viewer::player(seat), &TableMetadata::default());
        let ask = DecisionPoint { worlds: args.worlds, ..DecisionPoint::new(&view, seat, event as u64) };
        if let Some(mut verdict) = review(&ask, before.hands, action) {
            let after = effective[at + 1..].iter().map(|later| log[*later]);
            verdict.turned &= !is_overbid(action, after);
            decisions.push(Reviewed { event, hand_number, seat, verdict });
        }
    }
    bar.finish_and_clear();
    Ok(decisions)
}

fn check_hand(args: &Args, last: u32) -> anyhow::Result<()> {
    let first = u32::from(args.hand.is_none());
    ensure!(
        args.wanted().is_none_or(|wanted| wanted <= last),
        "there is no such hand in this game: its hands are {first} to {}",
        last + first
    );
    Ok(())
}

/// The indices of the events that were not undone, in order. Walks backwards, because an undo may return to a state before an
/// earlier undo.
fn effective_events(log: &[Action]) -> Vec<usize> {
    let mut effective = Vec::new();
    let mut events = log.len();
    while let Some(last) = events.checked_sub(1) {
        events = last;
        match log[last] {
            Action::Undo { to } => events = to.into(),
            _ => effective.push(last),
        }
    }
    effective.reverse();
    effective
}

/// Whether an action is a bid that another seat went over. Such a bid cannot turn a hand.
fn is_overbid(action: Action, mut after: impl Iterator<Item = Action>) -> bool {
    let call = after.find(|later| !matches!(later, Action::Pass { .. } | Action::SetControl { .. }));
    matches!((action, call), (Action::Bid { .. }, Some(Action::Bid { .. })))
}

impl GameReview {
    fn new(scoring: Scoring, decisions: Vec<Reviewed>) -> Self {
        let mut seats = [Accuracy::default(); 4];
        for decision in &decisions {
            let seat = &mut seats[decision.seat.index()];
            seat.decisions += 1;
            seat.good += u32::from(decision.verdict.regret < NEGLIGIBLE);
            seat.regret += decision.verdict.regret;
        }
        Self { scoring, turning_points: turning_points(&decisions), decisions, seats }
    }
}

/// For each hand, the event of the decision that turned it or gave most away.
fn turning_points(decisions: &[Reviewed]) -> Vec<usize> {
    let hands = decisions.chunk_by(|one, other| one.hand_number == other.hand_number);
    let weight = |decision: &&Reviewed| decision.verdict.regret + f64::from(u8::from(decision.verdict.turned));
    let points = hands.filter_map(|hand| {
        let most = hand.iter().max_by(|one, other| weight(one).total_cmp(&weight(other)))?;
        (weight(&most) >= NEGLIGIBLE).then_some(most.event)
    });
    points.collect()
}

impl fmt::Display for GameReview {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write_summary(f)?;
        self.write_turning_points(f)?;
        for decision in &self.decisions {
            write_decision(f, self.scoring, decision, self.is_turning_point(decision))?;
        }
        Ok(())
    }
}

impl GameReview {
    fn is_turning_point(&self, decision: &Reviewed) -> bool {
        self.turning_points.contains(&decision.event)
    }

    /// How well each seat played.
    fn write_summary(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (unit, _) = in_units(self.scoring, 0.0);
        let heading = format!("seat  decisions  as good as the best  {:>16}", format!("{unit} given away"));
        writeln!(f, "{}", styled(STRONG, &heading))?;
        for (seat, Accuracy { decisions, good, regret }) in self.seats.iter().enumerate() {
            let share = 100.0 * f64::from(*good) / f64::from((*decisions).max(1));
            let (_, regret) = in_units(self.scoring, *regret);
            writeln!(f, "{:>4}  {decisions:>9}  {share:>17.0} %  {regret:>16.2}", seat + 1)?;
        }
        writeln!(f)
    }

    /// The decision that mattered most in each hand.
    fn write_turning_points(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let turning_points: Vec<&Reviewed> =
            self.decisions.iter().filter(|decision| self.is_turning_point(decision)).collect();
        if turning_points.is_empty() {
            return Ok(());
        }
        writeln!(f, "{}", styled(STRONG, "Turning points"))?;
        for Reviewed { event, hand_number, verdict, .. } in turning_points {
            let (hand, done) = (wording::hand(*hand_number), wording::event(verdict.done));
            writeln!(f, "  hand {hand}, event {event}: {done}; better: {}", wording::choice(verdict.best))?;
        }
        writeln!(f)
    }
}

/// The unit that a game counts in, and an amount of marks in this unit.
fn in_units(scoring: Scoring, marks: f64) -> (&'static str, f64) {
    match scoring {
        Scoring::Marks => ("marks", marks),
        Scoring::Points => ("points", f64::from(POINTS_PER_HAND) * marks),
    }
}

fn write_decision(
    f: &mut fmt::Formatter<'_>,
    scoring: Scoring,
    decision: &Reviewed,
    is_turning_point: bool,
) -> fmt::Result {
    let (unit, regret) = in_units(scoring, decision.verdict.regret);
    let Reviewed { event, hand_number, verdict, .. } = decision;
    let turned = if is_turning_point { "  <- the turning point" } else { "" };
    let (hand, done) = (wording::hand(*hand_number), wording::event(verdict.done));
    writeln!(f, "hand {hand}, event {event}: {done}, {regret:.2} {unit} given away{turned}")?;
    if verdict.regret >= NEGLIGIBLE || is_turning_point {
        let best = wording::choice(verdict.best);
        writeln!(f, "    {best} was better: {}", Language::English.words().remarks(&verdict.why))?;
    }
    let is_shown = |(place, choice): &(usize, &EvaluatedAction)| *place < MAX_CHOICES || choice.action == verdict.done;
    for (_, choice) in verdict.choices.iter().enumerate().filter(is_shown) {
        write_choice(f, scoring, choice, verdict.done)?;
    }
    Ok(())
}

/// How many of the best choices are printed. The choice that was made is always printed; the others are in the JSON.
const MAX_CHOICES: usize = 7;

fn write_choice(f: &mut fmt::Formatter<'_>, scoring: Scoring, choice: &EvaluatedAction, done: Action) -> fmt::Result {
    let (unit, gain) = in_units(scoring, choice.marks);
    let sign = if choice.action == done { '>' } else { ' ' };
    write!(f, "  {sign} {:<26} {:>4.0} %  {gain:+.2} {unit}", wording::choice(choice.action), 100.0 * choice.chance)?;
    match choice.open {
        Some(open) => {
            let points = open.points.map_or_else(String::new, |points| format!(" with {points}"));
            writeln!(f, "   open: {}{points}", if open.made { "made" } else { "set" })
        }
        None => writeln!(f),
    }
}

#[cfg(test)]
mod tests {
    use texas42_vocab::Bid;

    use super::*;

    #[test]
    fn undone_events_do_not_count_even_if_the_undo_is_undone() {
        let [one, other] = [Seat::ALL[0], Seat::ALL[1]].map(|player| Action::Pass { player });
        let undo = |to| Action::Undo { to };
        assert_eq!(effective_events(&[one, other, undo(1), other]), [0, 3]);
        assert_eq!(effective_events(&[one, other, undo(0), one, undo(2), other]), [0, 1, 5]);
        assert_eq!(effective_events(&[one, undo(0)]), [0; 0]);
    }

    #[test]
    fn only_the_last_bid_can_turn_a_hand() {
        let bid = |seat: usize, points| Action::Bid { player: Seat::ALL[seat], bid: Bid::points(points) };
        let pass = |seat: usize| Action::Pass { player: Seat::ALL[seat] };
        assert!(is_overbid(bid(0, 30), [pass(1), bid(2, 31), pass(3)].into_iter()));
        assert!(!is_overbid(bid(2, 31), [pass(3)].into_iter()));
        assert!(!is_overbid(pass(1), [bid(2, 31)].into_iter()));
    }
}
