//! `texas42 review`: reviews a recorded game. Shows how well each seat played, where the hands turned, and the value of each
//! choice of each decision: by the seat's knowledge, and with all hands open.

use std::{
    fmt,
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
};

use anyhow::ensure;
use texas42_ai::{
    POINTS_PER_HAND,
    review::{Review, ReviewOptions, punished_line},
};
use texas42_engine::Game;
use texas42_phrases::Language;
use texas42_protocol::review::{GameReview, MoveClass, PunishedLine, ReviewedChoice, ReviewedDecision, SeatAccuracy};
use texas42_solver::Solver;
use texas42_vocab::Scoring;

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
    /// Possible deals to look at for each decision: fewer are faster, more are more exact
    #[arg(
        long,
        default_value_t = ReviewOptions::WORLDS,
        value_parser = clap::value_parser!(u32).range(1..=i64::from(MAX_WORLDS)),
    )]
    worlds: u32,
    /// Draws other deals to look at. The same seed gives the same numbers, also in the page
    #[arg(long, value_name = "NUMBER", default_value_t = 0)]
    seed: u64,
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

/// A decision with a lower regret, in marks, is not explained.
const NEGLIGIBLE: f64 = 0.05;

impl Args {
    fn options(&self) -> ReviewOptions {
        let hand = self.only_hand.map(|hand| hand - 1).or(self.hand);
        ReviewOptions { worlds: self.worlds, seed: self.seed, hand }
    }
}

pub(crate) fn run(args: &Args) -> anyhow::Result<()> {
    let room = args.source.open()?;
    check_hand(args, room.state().hand_number)?;
    let report = reviewed(room.game(), args.options());
    if args.json { output::print_json(&report) } else { Ok(output::print(Shown::new(room.game(), &report))?) }
}

fn check_hand(args: &Args, last: u32) -> anyhow::Result<()> {
    let first = u32::from(args.hand.is_none());
    ensure!(
        args.options().hand.is_none_or(|wanted| wanted <= last),
        "there is no such hand in this game: its hands are {first} to {}",
        last + first
    );
    Ok(())
}

/// Reviews the game on all cores. The result of a step does not depend on who computes it.
fn reviewed(game: &Game, options: ReviewOptions) -> GameReview {
    let review = Review::new(game, options);
    let bar = progress::counted(review.total() as u64, "steps");
    let (next, found) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    thread::scope(|scope| {
        for _ in 0..thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(|| {
                let mut solver = Solver::new();
                loop {
                    let step = next.fetch_add(1, Ordering::Relaxed);
                    if step >= review.total() {
                        return;
                    }
                    let finding = review.evaluate(game, step, &mut solver);
                    found.lock().unwrap_or_else(PoisonError::into_inner).push((step, finding));
                    bar.inc(1);
                }
            });
        }
    });
    bar.finish_and_clear();
    let mut review = review;
    for (step, finding) in found.into_inner().unwrap_or_else(PoisonError::into_inner) {
        review.insert(step, finding);
    }
    review.report()
}

/// A review as text.
struct Shown<'a> {
    report: &'a GameReview,
    /// What follows from each error, by event.
    lines: Vec<(u32, PunishedLine)>,
}

impl<'a> Shown<'a> {
    fn new(game: &Game, report: &'a GameReview) -> Self {
        let mut solver = Solver::new();
        let errors = report.decisions.iter().filter(|decision| decision.class.is_error());
        let line = |decision: &ReviewedDecision| {
            Some((decision.event, punished_line(game, decision.event as usize, decision.done, &mut solver)?))
        };
        Self { report, lines: errors.filter_map(line).collect() }
    }

    fn is_turning_point(&self, decision: &ReviewedDecision) -> bool {
        self.report.turning_points.contains(&decision.event)
    }

    /// How well each seat played.
    fn write_summary(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (unit, _) = in_units(self.report.scoring, 0.0);
        let heading = format!("seat  decisions  accuracy  as good as the best  {:>16}", format!("{unit} given away"));
        writeln!(f, "{}", styled(STRONG, &heading))?;
        for (seat, SeatAccuracy { decisions, good, regret, accuracy, .. }) in self.report.seats.iter().enumerate() {
            let share = 100.0 * f64::from(*good) / f64::from((*decisions).max(1));
            let (_, regret) = in_units(self.report.scoring, *regret);
            let accuracy = accuracy.map_or_else(|| "-".to_owned(), |accuracy| format!("{accuracy:.0}"));
            writeln!(f, "{:>4}  {decisions:>9}  {accuracy:>8}  {share:>17.0} %  {regret:>16.2}", seat + 1)?;
        }
        writeln!(f)
    }

    /// The decision that mattered most in each hand.
    fn write_turning_points(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let turning_points: Vec<&ReviewedDecision> =
            self.report.decisions.iter().filter(|decision| self.is_turning_point(decision)).collect();
        if turning_points.is_empty() {
            return Ok(());
        }
        writeln!(f, "{}", styled(STRONG, "Turning points"))?;
        for ReviewedDecision { event, hand_number, done, best, .. } in turning_points {
            let (hand, done) = (wording::hand(*hand_number), wording::event(*done));
            writeln!(f, "  hand {hand}, event {event}: {done}; better: {}", wording::choice(*best))?;
        }
        writeln!(f)
    }

    /// The chance to make the contract after each bid and trick.
    fn write_charts(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut hands = self.report.hands.iter().filter(|hand| !hand.chart.is_empty()).peekable();
        if hands.peek().is_none() {
            return Ok(());
        }
        writeln!(f, "{}", styled(STRONG, "Chance of the contract, as its bidder could know"))?;
        for hand in hands {
            let chance = |chance: f64| format!("{:.0} %", 100.0 * chance);
            let chances: Vec<String> = hand.chart.iter().map(|point| chance(point.chance)).collect();
            writeln!(f, "  hand {}: {}", wording::hand(hand.hand_number), chances.join(", "))?;
        }
        writeln!(f)
    }

    fn write_decision(&self, f: &mut fmt::Formatter<'_>, decision: &ReviewedDecision) -> fmt::Result {
        let scoring = self.report.scoring;
        let (unit, regret) = in_units(scoring, decision.regret);
        let is_turning_point = self.is_turning_point(decision);
        let ReviewedDecision { event, hand_number, done, best, class, .. } = decision;
        let turned = if is_turning_point { "  <- the turning point" } else { "" };
        let (hand, done_text) = (wording::hand(*hand_number), wording::event(*done));
        let class = class_text(*class, decision.punished);
        writeln!(f, "hand {hand}, event {event}: {done_text}, {class}, {regret:.2} {unit} given away{turned}")?;
        if best != done && (decision.regret >= NEGLIGIBLE || is_turning_point) {
            let better = wording::choice(*best);
            writeln!(f, "    {better} was better: {}", Language::English.words().remarks(&decision.why))?;
        }
        self.write_line(f, *event)?;
        let is_shown = |(place, choice): &(usize, &ReviewedChoice)| *place < MAX_CHOICES || choice.action == *done;
        for (_, choice) in decision.choices.iter().enumerate().filter(is_shown) {
            write_choice(f, scoring, choice, decision)?;
        }
        Ok(())
    }

    /// What follows from an error with all hands open.
    fn write_line(&self, f: &mut fmt::Formatter<'_>, event: u32) -> fmt::Result {
        let is_shown = |line: &PunishedLine| line.punished && !line.plays.is_empty();
        let Some((_, line)) = self.lines.iter().find(|(of, line)| *of == event && is_shown(line)) else {
            return Ok(());
        };
        let plays = line.plays.iter().map(|play| format!("{} {}", wording::seat(play.seat), play.domino));
        let plays: Vec<String> = plays.collect();
        writeln!(f, "    punished with all hands open by {}", plays.join(", "))
    }
}

impl fmt::Display for Shown<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write_summary(f)?;
        self.write_turning_points(f)?;
        self.write_charts(f)?;
        self.report.decisions.iter().try_for_each(|decision| self.write_decision(f, decision))
    }
}

/// A class, and whether an error was punished.
fn class_text(class: MoveClass, punished: Option<bool>) -> String {
    match punished {
        Some(true) => format!("{}, punished", class.name()),
        Some(false) => format!("{}, not punished", class.name()),
        None => class.name().to_owned(),
    }
}

/// The unit that a game counts in, and an amount of marks in this unit.
fn in_units(scoring: Scoring, marks: f64) -> (&'static str, f64) {
    match scoring {
        Scoring::Marks => ("marks", marks),
        Scoring::Points => ("points", f64::from(POINTS_PER_HAND) * marks),
    }
}

/// How many of the best choices are printed. The choice that was made is always printed; the others are in the JSON.
const MAX_CHOICES: usize = 7;

fn write_choice(
    f: &mut fmt::Formatter<'_>,
    scoring: Scoring,
    choice: &ReviewedChoice,
    decision: &ReviewedDecision,
) -> fmt::Result {
    let (unit, gain) = in_units(scoring, choice.marks);
    let sign = if choice.action == decision.done { '>' } else { ' ' };
    write!(f, "  {sign} {:<26} {:>4.0} %  {gain:+.2} {unit}", wording::choice(choice.action), 100.0 * choice.chance)?;
    if choice.behind > 0.0 {
        // Two standard errors.
        write!(f, "  {:>5.1} ± {:.1} behind", 100.0 * choice.behind, 200.0 * choice.error)?;
    }
    match choice.open {
        Some(open) => {
            let points = open.points.map_or_else(String::new, |points| format!(" with {points}"));
            writeln!(f, "   open: {}{points}", if open.made { "made" } else { "set" })
        }
        None => writeln!(f),
    }
}
