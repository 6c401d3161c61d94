//! The scenarios against the native server, and how their results are printed.

use std::{
    net::SocketAddr,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

use anyhow::Context;
use serde_json::json;
use tokio::{sync::Semaphore, task::JoinSet};

use crate::{
    Play,
    client::{Client, Run, Table},
    process::{Server, cpu_of},
    times::Times,
};

/// How many tables are created at the same time.
const MAX_CONCURRENT_SETUPS: usize = 64;

/// The URL over which clients with an invite connect.
#[derive(Clone, Copy)]
pub(crate) enum JoinUrl {
    /// The URL that serves every table.
    Shared,
    /// The table's own URL.
    PerTable,
}

/// Creates a table and seats four clients.
pub(crate) async fn seat_four(address: SocketAddr, number: u64, join_url: JoinUrl) -> anyhow::Result<Vec<Client>> {
    let mut first = Client::connect(address, number * 4).await?;
    first.create().await?;
    let mut keys = Vec::new();
    for seat in 1..4 {
        keys.push(first.invite(json!({ "role": "player", "seat": seat })).await?);
    }
    let game = first.game.clone();
    let mut clients = vec![first];
    for (seat, key) in keys.iter().enumerate() {
        let number = number * 4 + seat as u64 + 1;
        let mut client = match join_url {
            JoinUrl::Shared => Client::connect(address, number).await?,
            JoinUrl::PerTable => Client::connect_to(address, &game, number).await?,
        };
        client.join(&game, Some(key)).await?;
        clients.push(client);
    }
    Ok(clients)
}

pub(crate) async fn seat_all(
    address: SocketAddr,
    tables: usize,
    join_url: JoinUrl,
) -> anyhow::Result<Vec<Vec<Client>>> {
    let permits = Arc::new(Semaphore::new(MAX_CONCURRENT_SETUPS));
    let mut seating = JoinSet::new();
    for number in 0..tables as u64 {
        let permits = Arc::clone(&permits);
        seating.spawn(async move {
            let _permit = permits.acquire_owned().await?;
            seat_four(address, number, join_url).await
        });
    }
    let mut all = Vec::new();
    while let Some(seated) = seating.join_next().await {
        all.push(seated.context("a table could not be created")??);
    }
    Ok(all)
}

pub(crate) fn start_playing(all: Vec<Vec<Client>>, run: &Arc<Run>, period: u64) -> JoinSet<anyhow::Result<Client>> {
    let mut playing = JoinSet::new();
    let count = all.len().max(1) as u64;
    for (number, clients) in all.into_iter().enumerate() {
        let start = run.started.elapsed().as_micros() as u64 + period * number as u64 / count;
        let table = Arc::new(Table { next: AtomicU64::new(start), period });
        for (seat, client) in clients.into_iter().enumerate() {
            playing.spawn(client.play(Arc::clone(run), Arc::clone(&table), seat == 0));
        }
    }
    playing
}

pub(crate) async fn collect(
    mut playing: JoinSet<anyhow::Result<Client>>,
) -> anyhow::Result<(Times, Vec<(String, String)>)> {
    let (mut times, mut acknowledged) = (Times::default(), Vec::new());
    while let Some(client) = playing.join_next().await {
        let client = client??;
        times.extend(&client.times);
        acknowledged.extend(client.acknowledged);
    }
    Ok((times, acknowledged))
}

fn own_cpu() -> f64 {
    cpu_of(&std::fs::read_to_string("/proc/self/stat").unwrap_or_default())
}

/// The result of a measured run.
#[derive(Clone, Debug, Default)]
pub(crate) struct PlayResult {
    pub(crate) seconds: f64,
    /// The latency of each action.
    pub(crate) times: Times,
}

impl PlayResult {
    pub(crate) fn add(&mut self, other: &Self) {
        self.seconds += other.seconds;
        self.times.extend(&other.times);
    }

    pub(crate) fn actions_a_second(&self) -> f64 {
        self.times.len() as f64 / self.seconds
    }
}

/// Plays full games.
pub(crate) async fn play(server: Server, play: &Play) -> anyhow::Result<PlayResult> {
    let rate =
        if play.rate == 0 { "as fast as they can".to_owned() } else { format!("{} actions/s offered", play.rate) };
    let store = if play.no_grouping { "one commit per table" } else { "group commits" };
    println!("{} tables, 4 clients each, {rate}, {store}", play.tables);
    let all = seat_all(server.address, play.tables, JoinUrl::Shared).await?;
    let run = Run::new();
    let period = (play.tables as u64 * 1_000_000).checked_div(play.rate).unwrap_or(0);
    run.is_measured.store(true, Ordering::Relaxed);
    let (cpu, own, commits) = (server.cpu(), own_cpu(), server.metric("texas42_commits_total").await?);
    let started = Instant::now();
    let playing = start_playing(all, &run, period);
    tokio::time::sleep(Duration::from_secs(play.seconds)).await;
    run.is_measured.store(false, Ordering::Relaxed);
    let seconds = started.elapsed().as_secs_f64();
    let (cpu, own) = ((server.cpu() - cpu) / seconds, (own_cpu() - own) / seconds);
    let commits = server.metric("texas42_commits_total").await? - commits;
    let messages = run.messages.load(Ordering::Relaxed);
    let memory = server.memory();
    run.is_over.store(true, Ordering::Relaxed);
    let (mut times, acknowledged) = collect(playing).await?;
    println!("  actions                 {:.0} a second", times.len() as f64 / seconds);
    println!("  messages to clients     {:.0} a second", messages as f64 / seconds);
    println!("  send to own update      {}", times.summary());
    let each = times.len() as f64 / (commits as f64).max(1.0);
    println!("  commits                 {:.0} a second, {each:.1} actions each", commits as f64 / seconds);
    println!("  processor               server {cpu:.2}, generator {own:.2} cores");
    println!("  memory                  {:.0} MiB", memory as f64 / 1024.0);
    server.end(&acknowledged).await?;
    Ok(PlayResult { seconds, times })
}

/// Seats four players at each table, who then do nothing.
pub(crate) async fn idle(server: Server, tables: usize) -> anyhow::Result<()> {
    println!("{tables} tables, {} connections, nobody moves", tables * 4);
    let before = server.memory();
    let all = seat_all(server.address, tables, JoinUrl::Shared).await?;
    tokio::time::sleep(Duration::from_secs(2)).await;
    let cpu = server.cpu();
    tokio::time::sleep(Duration::from_secs(3)).await;
    let cpu = (server.cpu() - cpu) / 3.0;
    let (after, connections) = (server.memory(), server.metric("texas42_connections").await?);
    let grown = (after - before) as f64;
    println!("  connections             {connections}");
    println!("  memory                  {:.0} MiB, {:.0} MiB before", after as f64 / 1024.0, before as f64 / 1024.0);
    println!(
        "  a table of four         {:.1} KiB, {:.1} KiB a connection",
        grown / tables as f64,
        grown / tables as f64 / 4.0
    );
    println!("  processor               {cpu:.2} cores");
    drop(all);
    server.end(&[]).await
}

/// At each table, a person joins three bots and disconnects.
pub(crate) async fn deserted(server: Server, tables: usize) -> anyhow::Result<()> {
    println!("{tables} tables with three bots, nobody is connected");
    let before = server.memory();
    for number in 0..tables as u64 {
        let mut person = Client::connect(server.address, number).await?;
        person.create_for(["human", "ai", "ai", "ai"]).await?;
    }
    tokio::time::sleep(Duration::from_secs(15)).await;
    let (after, rooms) = (server.memory(), server.metric("texas42_rooms").await?);
    println!("  tables in memory        {rooms}");
    println!("  a table                 {:.1} KiB", (after - before) as f64 / tables as f64);
    server.end(&[]).await
}

/// One table with four players and many spectators.
pub(crate) async fn crowd(server: Server, spectators: usize, seconds: u64) -> anyhow::Result<()> {
    println!("1 table, 4 clients as fast as they can, {spectators} spectators");
    let clients = seat_four(server.address, 1, JoinUrl::Shared).await?;
    let run = Run::new();
    let mut crowd = JoinSet::new();
    for number in 0..spectators as u64 {
        let mut spectator = Client::connect(server.address, 1000 + number).await?;
        spectator.join(&clients[0].game, None).await?;
        crowd.spawn(spectator.watch(Arc::clone(&run)));
    }
    run.is_measured.store(true, Ordering::Relaxed);
    let started = Instant::now();
    let playing = start_playing(vec![clients], &run, 0);
    tokio::time::sleep(Duration::from_secs(seconds)).await;
    let seconds = started.elapsed().as_secs_f64();
    let messages = run.messages.load(Ordering::Relaxed);
    let slow = server.metric("texas42_slow_clients_total").await?;
    run.is_over.store(true, Ordering::Relaxed);
    let (mut times, acknowledged) = collect(playing).await?;
    while let Some(spectator) = crowd.join_next().await {
        spectator??;
    }
    println!("  actions                 {:.0} a second", times.len() as f64 / seconds);
    println!("  messages to clients     {:.0} a second", messages as f64 / seconds);
    println!("  send to own update      {}", times.summary());
    println!("  clients closed as slow  {slow}");
    server.end(&acknowledged).await
}
