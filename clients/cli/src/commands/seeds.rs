//! `texas42 seeds`: finds deals of a given difficulty for games of one hand. The same words give the same seeds.

use indicatif::ProgressBar;
use serde::Serialize;
use texas42_ai::seeds::{Search, numbered};
use texas42_vocab::{Difficulty, Seat, SeedText};

use crate::{output, progress, wording};

/// Find deals of a given difficulty
///
/// The same words give the same seeds. `texas42 play --one-hand SEED` plays the hand of a seed, and so does the page with
/// `#hand/SEED`.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The text that every seed begins with, without spaces
    words: SeedText,
    /// How hard it is for the bidder to make 30: easy, medium or hard
    #[arg(long, value_parser = wording::parse_difficulty, default_value = "medium")]
    difficulty: Difficulty,
    /// The seat that bids, 1 to 4
    #[arg(long, value_name = "SEAT", value_parser = wording::parse_seat, default_value = "1")]
    bidder: Seat,
    /// The older form of --bidder, with seat ids from 0
    #[arg(long, hide = true, value_parser = wording::parse_seat_id, conflicts_with = "bidder")]
    seat: Option<Seat>,
    /// How many seeds to find
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=1000))]
    count: u32,
    /// Print JSON instead of lines
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Serialize)]
struct FoundSeed {
    seed: SeedText,
    chance: f64,
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
    for FoundSeed { seed, chance } in &lines {
        output::print(format_args!("{seed}  {:.0} % to make 30\n", 100.0 * chance))?;
    }
    Ok(())
}

fn find(args: &Args, number: u32, bar: &ProgressBar) -> anyhow::Result<FoundSeed> {
    let mut search = Search::new(numbered(&args.words, number), args.difficulty, args.seat.unwrap_or(args.bidder));
    loop {
        search.advance(1);
        bar.set_position(100 * u64::from(number) + u64::from(search.progress()));
        if let Some(found) = search.found() {
            return Ok(FoundSeed { seed: found.seed, chance: found.chance });
        }
    }
}
