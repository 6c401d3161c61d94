//! `texas42 arena`: compares players. Every deal is played twice, with the sides swapped, so that both players get the same
//! dominoes. The same seed gives the same deals, decisions and results.

mod journal;
mod pairing;
mod table;

use std::{collections::BTreeSet, path::PathBuf};

use anyhow::{anyhow, ensure};
use clap::ValueEnum;
use serde::Serialize;
use texas42_vocab::{Config, DealOrigin, Layer, SeedText};

use crate::{exit_code::usage, files, output, progress};
use journal::{Heading, Journal};
use pairing::Pairing;
pub(crate) use table::{MAX_WORLDS, Player, decide, finish, numbered, play_out};

/// Let players compete on the same deals and compare them.
///
/// Each pair of players plays every deal twice, with the sides swapped. Shares are printed with their 95 % intervals.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Two or more of random, beginner, intermediate, expert and sampler, an expert without playouts.
    /// A number after a colon is how many worlds (possible deals) a player looks at for each play: expert:50 instead of 300,
    /// intermediate:50 instead of 10. With fewer than 29 worlds an expert runs no playouts; with fewer than 119, none in
    /// the first two tricks; with more than 300, it plays out more worlds. Bids use at most the usual number of worlds
    #[arg(required = true, num_args = 2.., value_name = "PLAYER")]
    players: Vec<Player>,
    /// Deals for each pair of players; each deal is played twice
    #[arg(long, default_value_t = 100, value_parser = clap::value_parser!(u64).range(1..=10_000_000))]
    deals: u64,
    /// The seed of all deals and decisions
    #[arg(long, default_value = "42")]
    seed: SeedText,
    /// What to play
    #[arg(long, value_enum, default_value_t = League::Play)]
    league: League,
    /// The rules of whole games, a JSON file; without it, straight 42 to seven marks
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Save results to this file, and continue from it when the command runs again
    #[arg(long, value_name = "FILE")]
    journal: Option<PathBuf>,
    /// Print JSON instead of a table
    #[arg(long)]
    json: bool,
}

/// The kind of game that is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum League {
    /// Single hands: the same seat declares the same trumps for 30 both times
    Play,
    /// Whole games with their auctions
    Games,
}

pub(crate) fn run(args: &Args) -> anyhow::Result<()> {
    if args.config.is_some() && args.league != League::Games {
        return usage(Err(anyhow!("--config needs --league games")));
    }
    let rules = files::read_config(args.config.as_deref())?;
    ensure!(
        !fixes_the_deal(&rules),
        "the rules name the deal, so every game would have the same hands: leave out `deals`, the `seed` of one-hand and \
         daily-challenge; --seed gives every game its own deal"
    );
    let heading = Heading { seed: &args.seed, league: args.league, rules: &rules };
    let mut journal = Journal::open(args.journal.as_deref(), &heading)?;
    let pairs = pairs(&args.players);
    let bar = progress::counted(args.deals * pairs.len() as u64, "deals");
    let mut summaries = Vec::new();
    for (one, other) in pairs {
        check_players(args, &rules, &journal, [one, other])?;
        let mut summary = Pairing::new(one, other, args.league);
        for deal in 0..args.deals {
            let result = match journal.known(one, other, deal) {
                Some(result) => result,
                None => {
                    let result = play_twice(args, &rules, [one, other], deal)?;
                    journal.append(one, other, deal, &result)?;
                    result
                }
            };
            summary.add(&result);
            bar.inc(1);
        }
        summaries.push(summary);
    }
    bar.finish_and_clear();
    print(args, &summaries)
}

fn print(args: &Args, summaries: &[Pairing]) -> anyhow::Result<()> {
    if args.json {
        let reports: Vec<_> = summaries.iter().map(Pairing::report).collect();
        return output::print_json(&reports);
    }
    for summary in summaries {
        output::print(summary.report())?;
    }
    Ok(())
}

/// Every pair of players, in the order of the arguments.
fn pairs(players: &[Player]) -> Vec<(Player, Player)> {
    let after = |at: usize| players[at + 1..].iter().copied();
    players.iter().enumerate().flat_map(|(at, one)| after(at).map(move |other| (*one, other))).collect()
}

/// Plays a deal twice, the second time with the sides swapped.
fn play_twice(args: &Args, rules: &Config, players: [Player; 2], deal: u64) -> anyhow::Result<pairing::Pair> {
    let play = |players| match args.league {
        League::Play => table::play_hand(players, &args.seed, deal),
        League::Games => table::play_game(rules, players, &args.seed, deal),
    };
    let [one, other] = players;
    let (straight, swapped) = (play([one, other])?, play([other, one])?);
    Ok(pairing::Pair::new(&straight, &swapped))
}

/// Whether the rules fix the dominoes that are dealt, regardless of the game's seed.
fn fixes_the_deal(rules: &Config) -> bool {
    let fixes = |layer: &Layer| match layer.deal_source() {
        DealOrigin::Seed(_) | DealOrigin::Day(_) => true,
        DealOrigin::Table | DealOrigin::Search(_) => false,
    };
    !rules.deals.is_empty() || rules.layers.iter().any(fixes)
}

/// Checks that the players still play as they did when the journal was written, so that a journal does not mix two versions of a
/// player. Plays the first, the middle and the last deal of the journal again.
fn check_players(args: &Args, rules: &Config, journal: &Journal, [one, other]: [Player; 2]) -> anyhow::Result<()> {
    let known = |deal: u64| Some((deal, journal.known(one, other, deal)?));
    let known: Vec<_> = (0..args.deals).filter_map(known).collect();
    let Some(last) = known.len().checked_sub(1) else { return Ok(()) };
    for at in BTreeSet::from([0, last / 2, last]) {
        let (deal, before) = &known[at];
        let again = play_twice(args, rules, [one, other], *deal)?;
        ensure!(
            before.has_same_actions(&again),
            "the journal was written by another version of {one} or {other}: deal {} now plays differently",
            deal + 1
        );
    }
    Ok(())
}
