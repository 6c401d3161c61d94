//! `texas42 seeds`: deals for games of one hand that are as hard as wanted. The same words give the same seeds.

use indicatif::ProgressBar;
use serde::Serialize;
use texas42_ai::seeds::{Search, numbered};
use texas42_vocab::{Difficulty, Seat, SeedText};

use crate::{output, progress};

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Words that the seeds begin with
    words: SeedText,
    /// How hard the first hand is for the seat that bids 30
    #[arg(long, value_parser = difficulty, default_value = "medium")]
    difficulty: Difficulty,
    /// The seat, 0 to 3
    #[arg(long, value_parser = seat, default_value = "0")]
    seat: Seat,
    /// How many seeds
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=1000))]
    count: u32,
    /// Print JSON instead of lines
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Serialize)]
struct Line {
    seed: SeedText,
    chance: f64,
}

fn difficulty(text: &str) -> Result<Difficulty, String> {
    let all = [Difficulty::Easy, Difficulty::Medium, Difficulty::Hard];
    all.into_iter().find(|difficulty| difficulty.name() == text).ok_or_else(|| "easy, medium or hard".to_owned())
}

fn seat(text: &str) -> Result<Seat, String> {
    text.parse().ok().and_then(Seat::new).ok_or_else(|| "a seat is a number from 0 to 3".to_owned())
}

pub(crate) fn run(args: &Args) -> anyhow::Result<()> {
    let bar = progress::in_percent(100 * u64::from(args.count));
    let mut lines = Vec::new();
    for number in 0..args.count {
        lines.push(find(args, number, &bar)?);
    }
    bar.finish_and_clear();
    if args.json {
        return output::print_json(&lines);
    }
    for Line { seed, chance } in &lines {
        output::print(format_args!("{seed}  {:.0} %\n", 100.0 * chance))?;
    }
    Ok(())
}

fn find(args: &Args, number: u32, bar: &ProgressBar) -> anyhow::Result<Line> {
    let mut search = Search::new(numbered(&args.words, number), args.difficulty, args.seat);
    loop {
        search.look(1);
        bar.set_position(100 * u64::from(number) + u64::from(search.progress()));
        if let Some(found) = search.found() {
            return Ok(Line { seed: found.seed, chance: found.chance });
        }
    }
}
