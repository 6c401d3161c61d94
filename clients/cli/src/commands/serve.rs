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
    serve::{AddressLimits, HeaderName, Rate, Retention, Server, Settings},
    strategies,
};

use crate::exit_code::usage;

/// Serve tables to browsers and programs.
///
/// The server includes the page and computer players, and speaks HTTP and WebSocket. Every event of a table is written to the
/// data folder before it is sent to anyone. The program may be stopped or killed at any moment; clients reconnect by themselves.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The address to listen on; 0.0.0.0:4242 accepts connections from other machines
    #[arg(long, env = "TEXAS42_LISTEN", default_value = "127.0.0.1:4242", value_name = "ADDRESS:PORT")]
    listen: SocketAddr,

    /// The data folder; created if missing
    #[arg(long, env = "TEXAS42_DATA", default_value = "texas42-data", value_name = "FOLDER")]
    data: PathBuf,

    /// The computer player on seats without a person
    #[arg(long, env = "TEXAS42_STRATEGY", default_value = strategies::DEFAULT, value_parser = strategies::NAMES)]
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

    /// The token that `GET /metrics` requires; without one, it refuses all requests. Prefer the environment variable, because
    /// every user of this machine can read the arguments of a program
    #[arg(long, env = "TEXAS42_METRICS_TOKEN", hide_env_values = true, value_name = "TOKEN")]
    metrics_token: Option<String>,

    /// A second address to listen on, which serves the metrics without a token
    #[arg(long, env = "TEXAS42_METRICS_ADDRESS", value_name = "ADDRESS:PORT")]
    metrics_address: Option<SocketAddr>,

    /// The maximum size of the database in megabytes
    #[arg(long, env = "TEXAS42_MAX_MEGABYTES", value_name = "MB", value_parser = clap::value_parser!(u64).range(1..))]
    max_megabytes: Option<u64>,

    /// Days without a move after which a table is removed; 0 keeps every table
    #[arg(long, env = "TEXAS42_KEEP_DAYS", default_value_t = Retention::DEFAULT_DAYS, value_name = "DAYS")]
    keep_days: u32,

    /// The maximum number of connections [default: 25000]
    #[arg(long, env = "TEXAS42_MAX_CONNECTIONS", value_name = "N")]
    max_connections: Option<usize>,

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

    /// Commit the events of each table separately, to measure the gain of group commits
    #[arg(long, hide = true)]
    no_grouping: bool,

    /// For tests: deal the same hands in every run. Anybody who knows the seed can compute every hand and every key
    #[arg(long, hide = true, value_name = "N")]
    test_seed: Option<u64>,

    /// For tests: stop the clock of the tables. Each line on standard input says how many milliseconds pass
    #[arg(long, hide = true)]
    test_clock: bool,

    /// The older form of --max-megabytes
    #[arg(long, hide = true, env = "TEXAS42_MOST_MEGABYTES", value_parser = clap::value_parser!(u64).range(1..))]
    most_megabytes: Option<u64>,

    /// The older form of --max-connections
    #[arg(long, hide = true, env = "TEXAS42_MOST_CONNECTIONS")]
    most_connections: Option<usize>,
}

/// The shortest token for the metrics.
const MIN_TOKEN_LENGTH: usize = 16;

#[derive(Clone, Copy, Debug, ValueEnum)]
enum LogFormat {
    /// For people
    Text,
    /// One JSON object per line
    Json,
}

pub(crate) fn run(args: &Args) -> anyhow::Result<()> {
    usage(start_log(args))?;
    raise_open_files();
    let settings = usage(settings(args))?;
    if let Some(seed) = args.test_seed {
        seed_random(args.listen, seed)?;
    }
    if args.test_clock {
        hold_clock(args.listen)?;
    }
    tokio::runtime::Builder::new_multi_thread().enable_all().build()?.block_on(serve(settings))
}

/// Derives all randomness of the server from a seed. Only for addresses of this machine, because the seed reveals every hand.
fn seed_random(listen: SocketAddr, seed: u64) -> anyhow::Result<()> {
    usage(check_test_flag("--test-seed", listen))?;
    tracing::warn!(seed, "the deals and the keys of this server follow from a seed: it is for tests only");
    texas42_server::serve::seed_random(seed);
    Ok(())
}

/// Stops the clock of the tables; lines on standard input advance it.
fn hold_clock(listen: SocketAddr) -> anyhow::Result<()> {
    usage(check_test_flag("--test-clock", listen))?;
    tracing::warn!("the clock of this server is stopped: it is for tests only");
    texas42_server::serve::hold_clock();
    std::thread::spawn(|| {
        let lines = io::stdin().lines().map_while(Result::ok);
        lines.filter_map(|line| line.trim().parse().ok()).for_each(texas42_server::serve::advance_clock);
    });
    Ok(())
}

fn check_test_flag(flag: &str, listen: SocketAddr) -> anyhow::Result<()> {
    if !listen.ip().is_loopback() {
        bail!("{flag} is for tests: it needs a --listen address of this machine, such as 127.0.0.1:0");
    }
    Ok(())
}

fn start_log(args: &Args) -> anyhow::Result<()> {
    check_filter(&args.log)?;
    let filter = tracing_subscriber::EnvFilter::try_new(&args.log).context("--log is not a filter")?;
    let log = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .log_internal_errors(false)
        .with_writer(|| BestEffortStderr)
        .with_ansi(AutoStream::choice(&io::stderr()) != ColorChoice::Never);
    match args.log_format {
        LogFormat::Text => log.with_target(false).init(),
        LogFormat::Json => log.json().init(),
    }
    Ok(())
}

/// Rejects words that are not log levels. tracing would treat such a word as the name of a module, and silence all others.
fn check_filter(filter: &str) -> anyhow::Result<()> {
    let is_level = |word: &str| word.trim().parse::<tracing_subscriber::filter::LevelFilter>().is_ok();
    let wrong = filter.split(',').find(|word| !word.contains('=') && !is_level(word));
    wrong.map_or(Ok(()), |word| bail!("--log: {word:?} is none of off, error, warn, info, debug, trace or part=level"))
}

/// Standard error without write errors: a log on a full disk must not stop the server.
struct BestEffortStderr;

impl Write for BestEffortStderr {
    fn write(&mut self, text: &[u8]) -> io::Result<usize> {
        Ok(io::stderr().write(text).unwrap_or(text.len()))
    }

    fn flush(&mut self) -> io::Result<()> {
        io::stderr().flush().or(Ok(()))
    }
}

/// Raises the limit on open files to the maximum that the system allows. Every connection is an open file, and the default
/// limit is low.
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
        bail!("--allow-origin: {origin:?} is not an origin; write one as https://example.org, with nothing after it");
    }
    if let Some(name) = args.address_header.as_ref().filter(|name| name.parse::<HeaderName>().is_err()) {
        bail!("--address-header: {name:?} is not the name of a header");
    }
    if args.metrics_token.as_ref().is_some_and(|token| !is_token(token)) {
        bail!("--metrics-token has at least {MIN_TOKEN_LENGTH} printable ASCII characters and no spaces");
    }
    let tables = Rate { burst: args.address_tables as f32, per_second: args.address_tables as f32 / 60.0 };
    let requests = Rate { burst: args.address_requests as f32 * 6.0, per_second: args.address_requests as f32 };
    let max_megabytes = args.max_megabytes.or(args.most_megabytes);
    let defaults = Settings::new(args.listen, std::path::absolute(&args.data)?);
    let max_connections = args.max_connections.or(args.most_connections).unwrap_or(defaults.max_connections);
    Ok(Settings {
        max_bytes: max_megabytes.map(|megabytes| megabytes << 20),
        is_grouped: !args.no_grouping,
        origins: args.origins.clone(),
        messages: Rate { burst: args.messages as f32 * 3.0, per_second: args.messages as f32 },
        per_address: AddressLimits {
            connections: args.address_connections,
            streams: args.address_connections,
            tables,
            requests,
            codes: AddressLimits::CODES,
        },
        metrics_token: args.metrics_token.clone(),
        metrics_address: args.metrics_address,
        address_header: args.address_header.clone(),
        max_connections,
        max_tables: max_connections,
        keep: Retention::days(args.keep_days),
        evict_after: Duration::from_secs(args.evict_seconds),
        idle: Duration::from_secs(args.idle_seconds),
        pace: pace(&args.pace)?,
        strategy: strategies::by_name(&args.strategy).context("there is no such strategy")?,
        ..defaults
    })
}

fn is_token(text: &str) -> bool {
    text.len() >= MIN_TOKEN_LENGTH && text.bytes().all(|byte| byte.is_ascii_graphic())
}

fn is_origin(text: &str) -> bool {
    text == "*" || text.split_once("://").is_some_and(|(_, host)| !host.is_empty() && !host.contains('/'))
}

/// Parses milliseconds: `500`, or a range such as `700-1900`.
pub(crate) fn pace(text: &str) -> anyhow::Result<Pace> {
    let (min, max) = text.split_once('-').unwrap_or((text, text));
    let number = |text: &str| text.trim().parse().with_context(|| format!("--pace: {text:?} is not a number"));
    let pace = Pace { min: number(min)?, max: number(max)? };
    if pace.min > pace.max || pace.max > 60_000 {
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
    if let Some(address) = server.metrics_address() {
        tracing::info!("metrics are served at http://{address}/metrics");
    }
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

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[derive(Parser)]
    struct Program {
        #[command(flatten)]
        args: Args,
    }

    #[test]
    fn older_names_of_flags_are_accepted() {
        let limits = |flags: &[&str]| {
            let program = Program::try_parse_from([&["serve"], flags].concat()).expect("valid flags");
            let settings = settings(&program.args).expect("valid settings");
            (settings.max_bytes, settings.max_connections, settings.max_tables)
        };
        assert_eq!(limits(&[]), (None, 25_000, 25_000));
        let limited = (Some(2 << 20), 7, 7);
        assert_eq!(limits(&["--max-megabytes", "2", "--max-connections", "7"]), limited);
        assert_eq!(limits(&["--most-megabytes", "2", "--most-connections", "7"]), limited);
    }
}
