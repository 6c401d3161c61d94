//! The limits of the edge: measures on workerd what spectators cost one object, and simulates from it what ten million
//! players a day would ask of relays, a lobby and the daily challenge. docs/scale.md shows the output.

use std::{
    sync::{Arc, atomic::Ordering},
    time::Duration,
};

use texas42_edge_tests::Workerd;
use texas42_room::RandomPlayer;
use tokio::task::JoinSet;

use crate::{
    client::{Client, Run},
    process::{cpu_of, proc},
    scenario::{JoinUrl, collect, seat_four, start_playing},
};

/// Numbers of spectators at one table. A room accepts 4,096 connections and then replies `full`.
const SPECTATOR_COUNTS: [usize; 3] = [100, 1000, 4000];
/// Microseconds between two actions: twice as fast as people play.
const ACTION_PERIOD: u64 = 500_000;
/// Assumed, not measured: latency between two data centers in milliseconds.
const HOP_MILLIS: f64 = 30.0;
/// Number of connections per relay.
const FAN_OUT: u64 = 1000;
/// Number of data centers that run the Worker and cache responses.
const DATA_CENTERS: f64 = 300.0;
const SECONDS: usize = 86_400;
/// Games per day: ten million players, two games each, two people per table.
const GAMES: usize = 10_000_000;
/// Distribution of games over the hours of a day: the evening is three times as busy as the average, as if all players
/// lived in one time zone.
const HOURLY_LOAD: [f64; 24] = [
    0.6, 0.4, 0.3, 0.25, 0.25, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0, 1.0, 1.0, 1.1, 1.2, 1.5, 2.0, 2.6, 3.0, 2.4,
    1.4, 0.8,
];

/// Runs measurement and simulation and prints them.
pub(crate) async fn run(seconds: u64) -> anyhow::Result<()> {
    println!("measured on workerd: one table, two actions per second, and spectators");
    println!("  {:>10}{:>16}{:>16}{:>26}", "spectators", "p50 of players", "p99 of players", "CPU time per message");
    let mut micros = 0.0;
    for spectators in SPECTATOR_COUNTS {
        let crowd = crowd(spectators, seconds).await?;
        println!("  {spectators:>10}{:>13.1} ms{:>13.1} ms{:>23.1} µs", crowd.p50, crowd.p99, crowd.micros);
        micros = crowd.micros;
    }
    println!("simulated: {FAN_OUT} connections per relay, {micros:.0} µs per message, {HOP_MILLIS} ms between relays");
    println!(
        "  {:>10}{:>10}{:>10}{:>24}{:>24}",
        "spectators", "layers", "relays", "players wait at most", "last spectator updated"
    );
    for spectators in [1000, 10_000, 100_000, 1_000_000] {
        let tree = Tree::over(spectators, micros);
        println!(
            "  {spectators:>10}{:>10}{:>10}{:>21.1} ms{:>21.0} ms",
            tree.layers, tree.relays, tree.players, tree.last
        );
    }
    simulate_day();
    Ok(())
}

struct Crowd {
    p50: f64,
    p99: f64,
    micros: f64,
}

/// Measures the players' latency with spectators present, and the CPU time per message to a spectator.
async fn crowd(spectators: usize, seconds: u64) -> anyhow::Result<Crowd> {
    let host = Workerd::new();
    let clients = seat_four(host.address(), 1, JoinUrl::PerTable).await?;
    let (run, game) = (Run::new(), clients[0].game.clone());
    let mut crowd = JoinSet::new();
    for number in 0..spectators as u64 {
        let mut spectator = Client::connect_to(host.address(), &game, 1000 + number).await?;
        spectator.join(&game, None).await?;
        crowd.spawn(spectator.watch(Arc::clone(&run)));
    }
    run.is_measured.store(true, Ordering::Relaxed);
    let cpu = cpu_of(&proc(host.process(), "stat"));
    let playing = start_playing(vec![clients], &run, ACTION_PERIOD);
    tokio::time::sleep(Duration::from_secs(seconds)).await;
    run.is_over.store(true, Ordering::Relaxed);
    let (mut times, _) = collect(playing).await?;
    while let Some(spectator) = crowd.join_next().await {
        spectator??;
    }
    let cpu = cpu_of(&proc(host.process(), "stat")) - cpu;
    let micros = cpu * 1e6 / run.messages.load(Ordering::Relaxed).max(1) as f64;
    Ok(Crowd { p50: times.percentile(0.5), p99: times.percentile(0.99), micros })
}

/// A tree of relays below a table, with [`FAN_OUT`] connections each.
struct Tree {
    layers: u32,
    relays: u64,
    /// How long the table itself takes to send an update, in milliseconds.
    players: f64,
    /// How long an update takes to reach the last spectator, in milliseconds.
    last: f64,
}

impl Tree {
    fn over(spectators: u64, micros: f64) -> Self {
        let (mut layers, mut relays, mut above) = (0, 0, spectators);
        let mut last = 0.0;
        while above > FAN_OUT {
            last += FAN_OUT as f64 * micros / 1000.0 + HOP_MILLIS;
            above = above.div_ceil(FAN_OUT);
            relays += above;
            layers += 1;
        }
        let players = (above + 4) as f64 * micros / 1000.0;
        Self { layers, relays, players, last: last + players }
    }
}

fn simulate_day() {
    println!("simulated: a day of ten million players, {GAMES} games, the evening three times as busy as the average");
    println!("  {:<50}{:>9}{:>22}{:>16}", "", "objects", "per second, average", "busiest second");
    let mut dice = RandomPlayer::new(42);
    let day = Day::new();
    print_row("tables created worldwide", 0, &day.distribute(&mut dice, GAMES, 1), 0.0);
    // A table reports to the lobby when it opens, when someone joins, and when it is full.
    let reads = DATA_CENTERS / 5.0;
    print_row("lobby of one region: reports and reads", 16, &day.distribute(&mut dice, 3 * GAMES, 16), reads);
    print_row("daily challenge: results", 64, &day.distribute(&mut dice, GAMES, 64), 0.0);
    // Each shard reports every ten seconds, and each data center asks every ten seconds.
    print_row("daily challenge: totals", 1, &[], 64.0 / 10.0 + DATA_CENTERS / 10.0);
    println!("  tables at once, games of half an hour: {} at the busiest moment", day.peak_tables(&mut dice));
}

fn print_row(label: &str, objects: usize, counts: &[u16], reads: f64) {
    let average = counts.iter().map(|count| f64::from(*count)).sum::<f64>() / (counts.len() as f64).max(1.0) + reads;
    let max = f64::from(counts.iter().max().copied().unwrap_or(0)) + reads;
    let objects = if objects == 0 { "-".to_owned() } else { objects.to_string() };
    println!("  {label:<50}{objects:>9}{average:>22.1}{max:>16.0}");
}

/// Distribution of a day's games.
struct Day {
    /// Cumulative share of the day's games by the end of each hour.
    started: Vec<f64>,
}

impl Day {
    fn new() -> Self {
        let all: f64 = HOURLY_LOAD.iter().sum();
        let mut sum = 0.0;
        let started = HOURLY_LOAD.iter().map(|hour| {
            sum += hour / all;
            sum
        });
        Self { started: started.collect() }
    }

    /// A random second of the day, weighted by hour.
    fn second(&self, dice: &mut RandomPlayer) -> usize {
        let share = dice.below(1 << 32) as f64 / (1_u64 << 32) as f64;
        let hour = self.started.iter().position(|started| share < *started).unwrap_or(23);
        hour * 3600 + dice.below(3600) as usize
    }

    /// Sends each message to a random object at a random second; returns the counts per second and object.
    fn distribute(&self, dice: &mut RandomPlayer, messages: usize, objects: usize) -> Vec<u16> {
        let mut counts = vec![0_u16; SECONDS * objects];
        for _ in 0..messages {
            counts[self.second(dice) * objects + dice.below(objects as u64) as usize] += 1;
        }
        counts
    }

    fn peak_tables(&self, dice: &mut RandomPlayer) -> i64 {
        let mut changes = vec![0_i64; SECONDS];
        for _ in 0..GAMES {
            let second = self.second(dice);
            changes[second] += 1;
            changes[(second + 1800) % SECONDS] -= 1;
        }
        // Games that started before midnight are still running when the day begins.
        let mut running = 0;
        let mut min = 0;
        let mut max = i64::MIN;
        for change in changes {
            running += change;
            min = min.min(running);
            max = max.max(running);
        }
        max - min
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn adds_relays_layer_by_layer() {
        let few = Tree::over(900, 10.0);
        assert_eq!((few.layers, few.relays, few.players), (0, 0, 9.04));
        let many = Tree::over(10_000, 10.0);
        assert_eq!((many.layers, many.relays), (1, 10));
        assert!(many.players < 1.0 && many.last > HOP_MILLIS + 10.0);
        assert_eq!(Tree::over(1_000_001, 10.0).layers, 2);
        assert_eq!(Tree::over(1_000_001, 10.0).relays, 1001 + 2);
    }

    #[test]
    fn a_day_loses_no_message_and_the_evening_is_busiest() {
        let (day, mut dice) = (Day::new(), RandomPlayer::new(1));
        let counts = day.distribute(&mut dice, 100_000, 4);
        assert_eq!(counts.iter().map(|count| usize::from(*count)).sum::<usize>(), 100_000);
        let hour =
            |at: usize| counts[at * 3600 * 4..(at + 1) * 3600 * 4].iter().map(|count| u32::from(*count)).sum::<u32>();
        assert!(hour(20) > 8 * hour(3));
    }
}
