//! Compares workerd with the native server under the same load, one after the other in one run. Also measures how long
//! a sleeping object takes to answer, and what a game costs in the platform's billing units.

use std::{
    fmt::Write as _,
    sync::atomic::Ordering,
    time::{Duration, Instant},
};

use anyhow::{Context, ensure};
use serde_json::Value;
use texas42_conformance::{native::http, player::Player};
use texas42_edge_tests::{Workerd, play_alone, watched};

use crate::{
    Args,
    client::{Client, Run},
    journal::Journal,
    process::{Server, cpu_of, proc},
    scenario::{JoinUrl, collect, seat_all, start_playing},
    times::Times,
};

/// Number of tables for the wake-up measurement.
const WAKE_TABLES: usize = 40;
/// Long enough for workerd to evict an idle object, which it does after ten seconds.
const EVICTION_TIME: Duration = Duration::from_secs(12);

/// The size of the measurement.
#[derive(Clone, Copy, Debug, clap::Args)]
pub(crate) struct Edge {
    /// How many tables play at once
    #[arg(long, default_value_t = 200)]
    tables: usize,
    /// How long each load is measured
    #[arg(long, default_value_t = 8)]
    seconds: u64,
}

/// Runs all comparisons and prints them.
pub(crate) async fn compare(args: &Args, edge: Edge) -> anyhow::Result<()> {
    println!("{:<44}{:>12}{:>12}", "the same load on both, in one run", "native", "workerd");
    for load in loads(edge) {
        let native = measure(Host::native(args).await?, load).await?;
        let workerd = measure(Host::Edge(Workerd::new()), load).await?;
        print!("{}", side_by_side(load, &native, &workerd));
    }
    measure_wake_up().await?;
    tokio::task::block_in_place(print_costs)
}

fn loads(edge: Edge) -> [Load; 3] {
    let load = |tables, rate| Load { tables, rate, seconds: edge.seconds };
    // People play fewer than one action per second and table.
    [load(1, 0), load(edge.tables, 0), load(edge.tables, edge.tables as u64)]
}

#[derive(Clone, Copy, Debug)]
struct Load {
    tables: usize,
    /// Total number of actions per second; 0 for no limit.
    rate: u64,
    seconds: u64,
}

impl Load {
    fn title(self) -> String {
        let tables = if self.tables == 1 { "1 table".to_owned() } else { format!("{} tables", self.tables) };
        match self.rate {
            0 => format!("{tables}, as fast as they can"),
            rate => format!("{tables}, {rate} actions a second offered"),
        }
    }
}

enum Host {
    Native(Server),
    Edge(Workerd),
}

impl Host {
    async fn native(args: &Args) -> anyhow::Result<Self> {
        Server::start(&args.server, &args.data, true).await.map(Self::Native)
    }

    fn address(&self) -> std::net::SocketAddr {
        match self {
            Self::Native(server) => server.address,
            Self::Edge(workerd) => workerd.address(),
        }
    }

    /// CPU time used so far, in seconds.
    fn cpu(&self) -> f64 {
        match self {
            Self::Native(server) => server.cpu(),
            Self::Edge(workerd) => cpu_of(&proc(workerd.process(), "stat")),
        }
    }

    /// Kills the host and reads its journal.
    async fn end(self) -> anyhow::Result<Journal> {
        match self {
            Self::Native(server) => server.end_and_read().await,
            Self::Edge(mut workerd) => {
                workerd.kill();
                Journal::of_objects(workerd.folder())
            }
        }
    }
}

/// The results of one host under one load; per action unless noted otherwise.
#[derive(Clone, Copy, Debug, Default)]
struct Figures {
    actions_a_second: f64,
    p50: f64,
    p99: f64,
    rows: f64,
    bytes: f64,
    bytes_sent: f64,
    processor: f64,
}

async fn measure(host: Host, load: Load) -> anyhow::Result<Figures> {
    let all = seat_all(host.address(), load.tables, JoinUrl::PerTable).await?;
    let (run, cpu) = (Run::new(), host.cpu());
    run.is_measured.store(true, Ordering::Relaxed);
    let started = Instant::now();
    let period = (load.tables as u64 * 1_000_000).checked_div(load.rate).unwrap_or(0);
    let playing = start_playing(all, &run, period);
    tokio::time::sleep(Duration::from_secs(load.seconds)).await;
    run.is_over.store(true, Ordering::Relaxed);
    let (mut times, acknowledged) = collect(playing).await?;
    let (seconds, cpu) = (started.elapsed().as_secs_f64(), host.cpu() - cpu);
    let journal = host.end().await?;
    journal.check(&acknowledged)?;
    let (written, actions) = (journal.written(&acknowledged), times.len() as f64);
    Ok(Figures {
        actions_a_second: actions / seconds,
        p50: times.percentile(0.5),
        p99: times.percentile(0.99),
        rows: written.rows as f64 / actions,
        bytes: written.bytes as f64 / actions,
        bytes_sent: run.bytes.load(Ordering::Relaxed) as f64 / actions,
        processor: cpu * 1000.0 / actions,
    })
}

fn side_by_side(load: Load, native: &Figures, workerd: &Figures) -> String {
    let mut text = format!("{}\n", load.title());
    let mut line = |what: &str, digits: usize, figure: fn(&Figures) -> f64| {
        let (left, right) = (figure(native), figure(workerd));
        let _ = writeln!(text, "  {what:<42}{left:>12.digits$}{right:>12.digits$}");
    };
    line("actions a second", 0, |figures| figures.actions_a_second);
    line("send to own update, p50, ms", 2, |figures| figures.p50);
    line("send to own update, p99, ms", 2, |figures| figures.p99);
    line("writes for an action", 3, |figures| figures.rows);
    line("bytes written for an action", 0, |figures| figures.bytes);
    line("bytes sent to clients for an action", 0, |figures| figures.bytes_sent);
    line("CPU time for an action, ms", 2, |figures| figures.processor);
    text
}

/// Measures the latency of a request to an object that is awake, one that sleeps, and one whose runtime was killed.
async fn measure_wake_up() -> anyhow::Result<()> {
    let mut host = watched(&[]);
    let (games, actions) = play_briefly(&host).await?;
    let counts = counts(&host)?;
    let count = |what: &str| counts[what].as_f64().unwrap_or(0.0);
    tokio::task::block_in_place(|| {
        let (mut awake, mut asleep, mut killed) = (Times::default(), Times::default(), Times::default());
        ask_all(&host, &games, &mut Times::default())?;
        ask_all(&host, &games, &mut awake)?;
        std::thread::sleep(EVICTION_TIME);
        let before = count_constructed(&host)?;
        ask_all(&host, &games, &mut asleep)?;
        let hibernated = count_constructed(&host)? - before;
        host.kill();
        let started = Instant::now();
        host.start_again();
        ask_all(&host, &games[..1], &mut Times::default())?;
        let again = started.elapsed().as_secs_f64() * 1000.0;
        ask_all(&host, &games[1..], &mut killed)?;
        host.kill();
        let events = Journal::of_objects(host.folder())?.events_per_table();
        println!("the first request to an object, workerd, {} tables with {events:.0} events each", games.len());
        println!("  awake                                     {}", awake.summary());
        println!("  asleep, built again from its log          {}; {hibernated} had slept", asleep.summary());
        println!("  after the runtime was killed              {}", killed.summary());
        println!("  from starting the runtime to its first answer from a table    {again:.0} ms");
        println!("what the platform counts, four people, {actions:.0} actions and setting up");
        println!("  rows written {}, alarms set {}", count("rows written"), count("alarms set"));
        Ok(())
    })
}

async fn play_briefly(host: &Workerd) -> anyhow::Result<(Vec<String>, f64)> {
    let all = seat_all(host.address(), WAKE_TABLES, JoinUrl::PerTable).await?;
    let games = all.iter().map(|clients: &Vec<Client>| clients[0].game.clone()).collect();
    let run = Run::new();
    let playing = start_playing(all, &run, 0);
    tokio::time::sleep(Duration::from_secs(6)).await;
    run.is_over.store(true, Ordering::Relaxed);
    let (times, _) = collect(playing).await?;
    Ok((games, times.len() as f64))
}

fn ask_all(host: &Workerd, games: &[String], times: &mut Times) -> anyhow::Result<()> {
    for game in games {
        let started = Instant::now();
        let (status, body) = http(host.address(), "GET", &format!("/api/games/{game}/state"), &[], "");
        ensure!(status == 200, "{game} says {status}: {body}");
        times.add(started.elapsed().as_micros());
    }
    Ok(())
}

/// The counters of the instrumented Worker.
fn counts(host: &Workerd) -> anyhow::Result<Value> {
    serde_json::from_str(&http(host.address(), "GET", "/test/counts", &[], "").1).context("no counts")
}

/// How many times an object was constructed.
fn count_constructed(host: &Workerd) -> anyhow::Result<u64> {
    let counts = counts(host)?;
    let fields = counts.as_object().into_iter().flatten();
    Ok(fields.filter(|(name, _)| name.starts_with("built ")).filter_map(|(_, count)| count.as_u64()).sum())
}

/// The cost of a game of one person and three bots in Cloudflare's billing units; docs/deploy.md has the arithmetic.
fn print_costs() -> anyhow::Result<()> {
    // As in a real game, no two bots move at the same moment.
    let mut host = watched(&[("PACE", "50-90"), ("PLAYER", "intermediate")]);
    let mut ann = Player::create(&mut host, "haaa", 7);
    let cpu = cpu_of(&proc(host.process(), "stat"));
    let requests = play_alone(&mut ann);
    let cpu = (cpu_of(&proc(host.process(), "stat")) - cpu) * 1000.0;
    let (events, hands) = (ann.version(), ann.view().state.hand_number + 1);
    let counts = counts(&host)?;
    host.kill();
    let bytes = Journal::of_objects(host.folder())?.bytes();
    println!("a game to seven marks, one person and three bots (intermediate), workerd");
    println!("  hands {hands}, events {events}, messages of the person {requests}");
    println!("  alarms rung {}, alarms set {}", counts["alarms rung"], counts["alarms set"]);
    println!("  rows written {}, bytes of log {bytes}", counts["rows written"]);
    println!("  processor {cpu:.0} ms in all");
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prints_both_hosts_side_by_side() {
        let native = Figures { actions_a_second: 5000.0, rows: 1.0, ..Figures::default() };
        let workerd = Figures { actions_a_second: 600.0, rows: 1.25, ..Figures::default() };
        let text = side_by_side(Load { tables: 1, rate: 0, seconds: 1 }, &native, &workerd);
        let line = |what: &str| {
            let found = text.lines().find(|line| line.contains(what)).unwrap();
            found.split_whitespace().rev().take(2).map(str::to_owned).collect::<Vec<_>>()
        };
        assert!(text.starts_with("1 table, as fast as they can\n"), "{text}");
        assert_eq!(line("actions a second"), ["600", "5000"]);
        assert_eq!(line("writes for an action"), ["1.250", "1.000"]);
    }

    #[test]
    fn the_title_names_the_rate() {
        let [one, all, paced] = loads(Edge { tables: 200, seconds: 8 });
        assert_eq!((one.tables, all.tables, paced.rate), (1, 200, 200));
        assert_eq!(paced.title(), "200 tables, 200 actions a second offered");
    }
}
