//! `texas42 serve`: runs the server with settings from flags and the environment.

use std::{
    io::{self, Write},
    net::SocketAddr,
    path::PathBuf,
    time::Duration,
};

use anstream::{AutoStream, ColorChoice};
use anyhow::{Context, bail};
use clap::ValueEnum;
use texas42_client::Pace;
use texas42_server::{
    serve::{AddressLimits, HeaderName, Rate, Server, Settings},
    strategies,
};

/// Serve tables to browsers and programs.
///
/// The server has the page and computer players in it, and speaks HTTP and WebSocket. Every event of a table is written to the data folder before it is sent to anyone. The program may be stopped or killed at
/// any moment; clients reconnect by themselves.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The address to listen on; 0.0.0.0:4242 accepts connections from other machines
    #[arg(long, env = "TEXAS42_LISTEN", default_value = "127.0.0.1:4242", value_name = "ADDRESS:PORT")]
    listen: SocketAddr,

    /// The data folder; it is created when it does not exist
    #[arg(long, env = "TEXAS42_DATA", default_value = "texas42-data", value_name = "FOLDER")]
    data: PathBuf,

    /// The computer player on seats without a person
    #[arg(long, env = "TEXAS42_STRATEGY", default_value = strategies::USUAL, value_parser = strategies::NAMES)]
    strategy: String,

    /// Milliseconds that a computer player waits before a move: one number, or from-to
    #[arg(long, env = "TEXAS42_PACE", default_value = "700-1900", value_name = "MS[-MS]")]
    pace: String,

    /// An origin (`https://example.org`) whose pages may open WebSockets to this server; may be given several times
    #[arg(long = "allow-origin", env = "TEXAS42_ALLOW_ORIGIN", value_delimiter = ',', value_name = "ORIGIN")]
    origins: Vec<String>,

    /// The header in which a reverse proxy passes the client's address, such as x-forwarded-for
    #[arg(long, env = "TEXAS42_ADDRESS_HEADER", value_name = "NAME")]
    address_header: Option<String>,

    /// The maximum size of the database in megabytes
    #[arg(long, env = "TEXAS42_MOST_MEGABYTES", value_name = "MB", value_parser = clap::value_parser!(u64).range(1..))]
    most_megabytes: Option<u64>,

    /// Days without a move after which a table is removed; 0 keeps every table
    #[arg(long, env = "TEXAS42_KEEP_DAYS", default_value_t = 90, value_name = "DAYS")]
    keep_days: u32,

    /// The maximum number of connections
    #[arg(long, env = "TEXAS42_MOST_CONNECTIONS", default_value_t = 25_000, value_name = "N")]
    most_connections: usize,

    /// The maximum number of connections from one address
    #[arg(long, env = "TEXAS42_ADDRESS_CONNECTIONS", default_value_t = 256, value_name = "N")]
    address_connections: u32,

    /// New tables per minute from one address
    #[arg(long, env = "TEXAS42_ADDRESS_TABLES", default_value_t = 30, value_name = "N")]
    address_tables: u32,

    /// HTTP requests and new connections per second from one address
    #[arg(long, env = "TEXAS42_ADDRESS_REQUESTS", default_value_t = 50, value_name = "N")]
    address_requests: u32,

    /// Messages per second on one connection
    #[arg(long, env = "TEXAS42_MESSAGES", default_value_t = 20, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    messages: u32,

    /// Seconds without connections after which a table is unloaded from memory (it stays on disk)
    #[arg(long, env = "TEXAS42_EVICT_SECONDS", default_value_t = 60, value_name = "S")]
    evict_seconds: u64,

    /// Seconds without a message after which a connection is closed
    #[arg(long, env = "TEXAS42_IDLE_SECONDS", default_value_t = 90, value_name = "S")]
    idle_seconds: u64,

    /// The format of the log on standard error
    #[arg(long, env = "TEXAS42_LOG_FORMAT", default_value = "text", value_name = "FORMAT")]
    log_format: LogFormat,

    /// The log level: error, warn, info, debug, or a filter such as texas42_server=debug
    #[arg(long, env = "TEXAS42_LOG", default_value = "info", value_name = "FILTER")]
    log: String,

    /// Commit for each table by itself, to measure what commits in common gain
    #[arg(long, hide = true)]
    no_grouping: bool,

    /// For tests: deal the same hands in every run. Anybody who knows the seed can compute every hand and every key
    #[arg(long, hide = true, value_name = "N")]
    test_seed: Option<u64>,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum LogFormat {
    /// For people
    Text,
    /// One JSON object a line
    Json,
}

pub(crate) fn run(args: &Args) -> anyhow::Result<()> {
    start_log(args)?;
    raise_open_files();
    let settings = settings(args)?;
    if let Some(seed) = args.test_seed {
        seed_random(args.listen, seed)?;
    }
    tokio::runtime::Builder::new_multi_thread().enable_all().build()?.block_on(serve(settings))
}

/// Takes the randomness of the server from a seed. No other machine may play at such a server.
fn seed_random(listen: SocketAddr, seed: u64) -> anyhow::Result<()> {
    if !listen.ip().is_loopback() {
        bail!("--test-seed is for tests: it needs a --listen address of this machine, such as 127.0.0.1:0");
    }
    tracing::warn!(seed, "the deals and the keys of this server follow from a seed: it is for tests only");
    texas42_server::serve::seed_random(seed);
    Ok(())
}

fn start_log(args: &Args) -> anyhow::Result<()> {
    check_filter(&args.log)?;
    let filter = tracing_subscriber::EnvFilter::try_new(&args.log).context("--log is not a filter")?;
    let log = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .log_internal_errors(false)
        .with_writer(|| WhereItCan)
        .with_ansi(AutoStream::choice(&io::stderr()) != ColorChoice::Never);
    match args.log_format {
        LogFormat::Text => log.with_target(false).init(),
        LogFormat::Json => log.json().init(),
    }
    Ok(())
}

/// A word that is no level would be taken for a part of the program of that name, and silence all others.
fn check_filter(filter: &str) -> anyhow::Result<()> {
    let is_level = |word: &str| word.trim().parse::<tracing_subscriber::filter::LevelFilter>().is_ok();
    let wrong = filter.split(',').find(|word| !word.contains('=') && !is_level(word));
    wrong.map_or(Ok(()), |word| bail!("--log: {word:?} is none of off, error, warn, info, debug, trace or part=level"))
}

/// Standard error, where it can be written: a log that fails, on a full disk for instance, must not take the game with it.
struct WhereItCan;

impl Write for WhereItCan {
    fn write(&mut self, text: &[u8]) -> io::Result<usize> {
        Ok(io::stderr().write(text).unwrap_or(text.len()))
    }

    fn flush(&mut self) -> io::Result<()> {
        io::stderr().flush().or(Ok(()))
    }
}

/// Every connection is an open file, and the usual bound on those is lower than what the system allows for the asking.
#[cfg(unix)]
fn raise_open_files() {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    let limit = getrlimit(Resource::Nofile);
    if let Err(error) = setrlimit(Resource::Nofile, Rlimit { current: limit.maximum, ..limit }) {
        tracing::debug!(%error, "the number of open files stays as it is");
    }
}

#[cfg(not(unix))]
fn raise_open_files() {}

fn settings(args: &Args) -> anyhow::Result<Settings> {
    if args.idle_seconds < 3 {
        bail!("--idle-seconds is at least 3");
    }
    if let Some(origin) = args.origins.iter().find(|origin| !is_origin(origin)) {
        bail!("--allow-origin: {origin:?} is no origin; one is written https://example.org, with nothing behind it");
    }
    if let Some(name) = args.address_header.as_ref().filter(|name| name.parse::<HeaderName>().is_err()) {
        bail!("--address-header: {name:?} is no name of a header");
    }
    let tables = Rate { burst: args.address_tables as f32, per_second: args.address_tables as f32 / 60.0 };
    let requests = Rate { burst: args.address_requests as f32 * 6.0, per_second: args.address_requests as f32 };
    Ok(Settings {
        most_bytes: args.most_megabytes.map(|megabytes| megabytes << 20),
        is_grouped: !args.no_grouping,
        origins: args.origins.clone(),
        messages: Rate { burst: args.messages as f32 * 3.0, per_second: args.messages as f32 },
        per_address: AddressLimits {
            connections: args.address_connections,
            streams: args.address_connections,
            tables,
            requests,
        },
        address_header: args.address_header.clone(),
        most_connections: args.most_connections,
        most_tables: args.most_connections,
        keep: (args.keep_days > 0).then(|| Duration::from_secs(u64::from(args.keep_days) * 86_400)),
        evict_after: Duration::from_secs(args.evict_seconds),
        idle: Duration::from_secs(args.idle_seconds),
        pace: pace(&args.pace)?,
        strategy: strategies::by_name(&args.strategy).context("there is no such strategy")?,
        ..Settings::new(args.listen, std::path::absolute(&args.data)?)
    })
}

fn is_origin(text: &str) -> bool {
    text == "*" || text.split_once("://").is_some_and(|(_, host)| !host.is_empty() && !host.contains('/'))
}

/// `500` or `700-1900`.
pub(crate) fn pace(text: &str) -> anyhow::Result<Pace> {
    let (least, most) = text.split_once('-').unwrap_or((text, text));
    let number = |text: &str| text.trim().parse().with_context(|| format!("--pace: {text:?} is not a number"));
    let pace = Pace { least: number(least)?, most: number(most)? };
    if pace.least > pace.most || pace.most > 60_000 {
        bail!("--pace goes from a smaller to a larger number of milliseconds, at most 60000");
    }
    Ok(pace)
}

async fn serve(settings: Settings) -> anyhow::Result<()> {
    let (data, strategy_pace) = (settings.data.clone(), settings.pace);
    let server = Server::start(settings).await?;
    let address = server.address();
    tracing::info!(data = %data.display(), tables = server.tables_at_start(), pace = ?strategy_pace, "data folder");
    tracing::info!("Texas 42 is served at http://{address}");
    crate::output::print(format_args!(
        "Texas 42 is served at http://{address}, everything is kept in {}\n",
        data.display()
    ))?;
    wait_for_signal().await?;
    tracing::info!("stopping");
    server.stop().await;
    Ok(())
}

#[cfg(unix)]
async fn wait_for_signal() -> anyhow::Result<()> {
    use tokio::signal::unix::{SignalKind, signal};
    let (mut terminate, mut interrupt) = (signal(SignalKind::terminate())?, signal(SignalKind::interrupt())?);
    tokio::select! {
        _ = terminate.recv() => {}
        _ = interrupt.recv() => {}
    }
    Ok(())
}

#[cfg(not(unix))]
async fn wait_for_signal() -> anyhow::Result<()> {
    Ok(tokio::signal::ctrl_c().await?)
}
