//! `texas42 simulate`: many random games and their sum. The same seed gives the same sum.

use std::{
    collections::BTreeMap,
    fmt,
    path::PathBuf,
    time::{Duration, Instant},
};

use anyhow::Context;
use serde::Serialize;
use texas42_room::{HeadlessRoom, RandomPlayer};
use texas42_vocab::{Action, BidKind, Config, SeedText, Trump};

use crate::{files, output, progress};

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// How many games
    #[arg(long, default_value_t = 1000, value_parser = clap::value_parser!(u64).range(1..=1_000_000_000))]
    games: u64,
    /// The seed of the whole run: deals and choices follow from it
    #[arg(long, default_value = "42")]
    seed: SeedText,
    /// What is played, a JSON file; without it, straight 42 to seven marks
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Print JSON instead of a table
    #[arg(long)]
    json: bool,
}

/// What happened in all the games.
#[derive(Debug, Default, PartialEq, Eq, Serialize)]
struct Summary {
    games: u64,
    hands: u64,
    redeals: u64,
    actions: u64,
    wins: [u64; 2],
    scored: [u64; 2],
    claims: Tally,
    contracts: BTreeMap<&'static str, Tally>,
}

/// Contracts made and set, or claims that stood and failed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
struct Tally {
    made: u64,
    set: u64,
}

impl Tally {
    fn add(&mut self, made: bool) {
        *if made { &mut self.made } else { &mut self.set } += 1;
    }
}

pub(crate) fn run(args: &Args) -> anyhow::Result<()> {
    let config = files::read_config(args.config.as_deref())?;
    let bar = progress::counted(args.games, "games");
    let started = Instant::now();
    let mut summary = Summary::default();
    for number in 0..args.games {
        play(&game_config(&config, &args.seed, number)?, number, &mut summary)?;
        bar.inc(1);
    }
    bar.finish_and_clear();
    if args.json {
        output::print_json(&summary)?;
    } else {
        output::print(&summary)?;
    }
    report_speed(&summary, started.elapsed());
    Ok(())
}

/// Speed goes to standard error, so that the sum on standard output is the same on every machine.
fn report_speed(summary: &Summary, elapsed: Duration) {
    let rate = summary.actions as f64 / elapsed.as_secs_f64();
    eprintln!("{} actions in {:.2} s, {rate:.0} a second", summary.actions, elapsed.as_secs_f64());
}

fn game_config(config: &Config, seed: &SeedText, number: u64) -> anyhow::Result<Config> {
    let seed = format!("{seed}.{number}").parse().context("the seed is too long to be numbered")?;
    Ok(Config { seed: Some(seed), ..config.clone() })
}

fn play(config: &Config, number: u64, summary: &mut Summary) -> anyhow::Result<()> {
    let mut room = HeadlessRoom::new(config)?;
    let mut player = RandomPlayer::new(number);
    while let Some(action) = player.pick(&room.legal()) {
        room.execute(action).context("a legal action was refused")?;
        summary.note(&room, action);
    }
    summary.games += 1;
    summary.actions += room.game().log().len() as u64;
    if let Some(winner) = room.game().ctx().winner(room.state()) {
        summary.wins[winner.index()] += 1;
    }
    for (sum, score) in summary.scored.iter_mut().zip(room.state().score) {
        *sum += u64::from(score);
    }
    Ok(())
}

impl Summary {
    fn note(&mut self, room: &HeadlessRoom, action: Action) {
        match action {
            Action::Redeal => self.redeals += 1,
            Action::Claim { .. } => self.claims.add(room.state().claim.is_some_and(|claim| claim.stands)),
            Action::ScoreHand | Action::EndGame => self.note_hand(room),
            _ => {}
        }
    }

    fn note_hand(&mut self, room: &HeadlessRoom) {
        let Some(hand) = room.state().last_hand else { return };
        let kind = match (hand.contract.trump, hand.contract.bid.kind) {
            (trump @ (Trump::Nello | Trump::Sevens), _) => trump.name(),
            (_, BidKind::Marks) if hand.contract.bid.value > 1 => "several marks",
            (_, kind) => kind.name(),
        };
        self.hands += 1;
        self.contracts.entry(kind).or_default().add(hand.outcome.made);
    }
}

impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "{} games, {} hands, {} thrown in, {} actions",
            self.games, self.hands, self.redeals, self.actions
        )?;
        writeln!(f, "won    seats 0 and 2: {}, seats 1 and 3: {}", self.wins[0], self.wins[1])?;
        writeln!(f, "scored seats 0 and 2: {}, seats 1 and 3: {}", self.scored[0], self.scored[1])?;
        writeln!(f, "claims stood: {}, failed: {}\n", self.claims.made, self.claims.set)?;
        writeln!(f, "{:14} {:>10} {:>10} {:>7}", "contract", "made", "set", "made %")?;
        for (kind, Tally { made, set }) in &self.contracts {
            let share = 100.0 * *made as f64 / (made + set) as f64;
            writeln!(f, "{kind:14} {made:>10} {set:>10} {share:>7.1}")?;
        }
        Ok(())
    }
}
