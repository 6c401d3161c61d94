//! `texas42 simulate`: plays many games between chosen players and counts the results. The same seed gives the same counts on
//! every machine.

use std::{
    collections::BTreeMap,
    fmt,
    path::PathBuf,
    str::FromStr,
    time::{Duration, Instant},
};

use anyhow::Context;
use serde::Serialize;
use texas42_ai::Strategy;
use texas42_room::{HeadlessRoom, RandomPlayer};
use texas42_vocab::{Action, BidKind, Config, Seat, SeedText, Team, Trump};

use super::arena::{Player, decide};
use crate::{files, output, progress, wording};

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// How many games to play
    #[arg(long, default_value_t = 1000, value_parser = clap::value_parser!(u64).range(1..=1_000_000_000))]
    games: u64,
    /// The seed of all deals and choices
    #[arg(long, default_value = "42")]
    seed: SeedText,
    /// The configuration, a JSON file; "-" reads standard input; without it, straight 42 to seven marks
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Who plays: one name for all seats, two for the sides (seats 1 and 3, seats 2 and 4), or four for seats 1 to 4.
    /// Names are random, beginner, intermediate and expert; expert:50 looks at 50 worlds for each play
    #[arg(long, value_name = "PLAYER,…", default_value = "random")]
    players: Seating,
    /// Print JSON instead of a table
    #[arg(long)]
    json: bool,
}

/// The players of the four seats.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Seating([Player; 4]);

impl FromStr for Seating {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let player = |name: &str| name.trim().parse::<Player>().map_err(|error| format!("{name:?}: {error}"));
        let players: Vec<Player> = text.split(',').map(player).collect::<Result<_, _>>()?;
        match players[..] {
            [all] => Ok(Self([all; 4])),
            [one, other] => Ok(Self([one, other, one, other])),
            [one, two, three, four] => Ok(Self([one, two, three, four])),
            _ => Err("name one, two or four players, separated by commas".to_owned()),
        }
    }
}

impl Seating {
    fn is_random(&self) -> bool {
        self.0.iter().all(|player| player.strategy == Strategy::Random)
    }
}

impl fmt::Display for Seating {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let named = Seat::ALL.map(|seat| format!("{}: {}", wording::seat(seat), self.0[seat.index()]));
        f.write_str(&named.join(", "))
    }
}

/// Counts over all games.
#[derive(Debug, Default, PartialEq, Eq, Serialize)]
struct Summary {
    games: u64,
    hands: u64,
    redeals: u64,
    actions: u64,
    wins: [u64; 2],
    scored: [u64; 2],
    claims: ContractCount,
    contracts: BTreeMap<&'static str, ContractCount>,
}

/// Contracts made and set, or claims that stood and failed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
struct ContractCount {
    made: u64,
    set: u64,
}

impl ContractCount {
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
        play(&game_config(&config, &args.seed, number)?, &args.players, number, &mut summary)?;
        bar.inc(1);
    }
    bar.finish_and_clear();
    if args.json {
        output::print_json(&summary)?;
    } else {
        if !args.players.is_random() {
            output::print(format_args!("{}\n", args.players))?;
        }
        output::print(&summary)?;
    }
    report_speed(&summary, started.elapsed());
    Ok(())
}

/// The speed goes to standard error, so that standard output is the same on every machine.
fn report_speed(summary: &Summary, elapsed: Duration) {
    let rate = summary.actions as f64 / elapsed.as_secs_f64();
    eprintln!("{} actions in {:.2} s, {rate:.0} a second", summary.actions, elapsed.as_secs_f64());
}

fn game_config(config: &Config, seed: &SeedText, number: u64) -> anyhow::Result<Config> {
    let seed = format!("{seed}.{number}").parse().context("the seed is too long to be numbered")?;
    Ok(Config { seed: Some(seed), ..config.clone() })
}

fn play(config: &Config, players: &Seating, number: u64, summary: &mut Summary) -> anyhow::Result<()> {
    let mut room = HeadlessRoom::new(config)?;
    let mut random = RandomPlayer::new(number);
    while let Some(action) = next(&room, players, number, &mut random)? {
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

/// The next action: the decision of the player whose turn it is, or a random legal action.
fn next(
    room: &HeadlessRoom,
    players: &Seating,
    number: u64,
    random: &mut RandomPlayer,
) -> anyhow::Result<Option<Action>> {
    let offers = room.legal();
    match room.state().to_act().map(|seat| (seat, players.0[seat.index()])) {
        Some((seat, player)) if player.strategy != Strategy::Random && offers.len() > 1 => {
            Ok(Some(decide(room, player, seat, number)?.action))
        }
        _ => Ok(random.pick(&offers)),
    }
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
        let [one, other] = Team::BOTH.map(wording::side);
        writeln!(f, "won    {one}: {}, {other}: {}", self.wins[0], self.wins[1])?;
        writeln!(f, "scored {one}: {}, {other}: {}", self.scored[0], self.scored[1])?;
        writeln!(f, "claims stood: {}, failed: {}\n", self.claims.made, self.claims.set)?;
        writeln!(f, "{:14} {:>10} {:>10} {:>7}", "contract", "made", "set", "made %")?;
        for (kind, ContractCount { made, set }) in &self.contracts {
            let share = 100.0 * *made as f64 / (made + set) as f64;
            writeln!(f, "{kind:14} {made:>10} {set:>10} {share:>7.1}")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn players_are_named_for_all_seats_for_sides_or_one_by_one() {
        let seating = |text: &str| text.parse::<Seating>().map(|seating| seating.to_string());
        let expected = "seat 1: beginner, seat 2: random, seat 3: beginner, seat 4: random";
        assert_eq!(seating("beginner,random").as_deref(), Ok(expected));
        assert_eq!(seating("beginner, random, beginner, random").as_deref(), Ok(expected));
        assert!("random".parse::<Seating>().is_ok_and(|seating| seating.is_random()));
        assert!(seating("beginner,random,expert").is_err_and(|error| error.contains("one, two or four")));
        assert!(seating("beginner,oracle").is_err_and(|error| error.contains("\"oracle\"")));
    }
}
