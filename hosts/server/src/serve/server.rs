//! The server as a whole: what everything in it shares, how it starts, and how it ends.

use std::{
    fmt,
    net::{IpAddr, SocketAddr},
    path::PathBuf,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use hyper::{Request, body::Incoming, service::service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use texas42_client::{Answer, Pace};
use texas42_hosting::{BotSettings, ConnectionIds, Rate};
use texas42_phrases::Problem;
use texas42_protocol::{GameView, WireError};
use texas42_room::ConnectionId;
use texas42_vocab::Seat;
use tokio::{
    io::AsyncWriteExt,
    net::{TcpListener, TcpStream},
    sync::{Semaphore, watch},
    task::JoinHandle,
};
use tower_service::Service;

use super::{
    clock, http,
    limits::{AddressLimits, Addresses},
    metrics::Metrics,
    patient::Patient,
    socket,
    store::{Store, StoreError, StoreSettings},
    tables::Tables,
};

/// How long open connections get to end when the server does.
const LAST_WORDS: Duration = Duration::from_secs(5);

/// What decides for programs: from what the seat sees, which seat it is, and a seed.
pub type Strategy = Arc<dyn Fn(&GameView, Seat, u64) -> Answer + Send + Sync>;

/// How a server is run.
#[derive(Clone)]
pub struct Settings {
    /// Where it listens.
    pub address: SocketAddr,
    /// Where it keeps everything.
    pub data: PathBuf,
    /// The most bytes that the database may take.
    pub most_bytes: Option<u64>,
    /// Whether tables share a commit.
    pub is_grouped: bool,
    /// Origins of other sites whose pages may use this server.
    pub origins: Vec<String>,
    /// What one connection may say.
    pub messages: Rate,
    /// What one address may do.
    pub per_address: AddressLimits,
    /// The address of a client is taken from the last entry of this header, which a proxy sets.
    pub address_header: Option<String>,
    /// The most connections at once.
    pub most_connections: usize,
    /// The most tables in memory at once.
    pub most_tables: usize,
    /// After how long without anybody a table is put away.
    pub evict_after: Duration,
    /// After how long a connection that says nothing is closed.
    pub idle: Duration,
    /// How long a request's head may take to arrive.
    pub head: Duration,
    /// How long a whole request may take, its body and its answer included, and how long a client may read nothing of
    /// the answer.
    pub request: Duration,
    /// For how long a table is kept at which nothing happens any more; without it, for ever.
    pub keep: Option<Duration>,
    /// How long a client may take to read what is written to it.
    pub slow: Duration,
    /// How long a program waits before it moves.
    pub pace: Pace,
    /// What decides for programs.
    pub strategy: Strategy,
}

impl Settings {
    /// The usual settings for a place and a folder.
    pub fn new(address: SocketAddr, data: PathBuf) -> Self {
        Self {
            address,
            data,
            most_bytes: None,
            is_grouped: true,
            origins: Vec::new(),
            messages: Rate { burst: 60.0, per_second: 20.0 },
            per_address: AddressLimits {
                connections: 256,
                streams: 256,
                tables: Rate { burst: 30.0, per_second: 0.5 },
                requests: Rate { burst: 300.0, per_second: 50.0 },
            },
            address_header: None,
            most_connections: 25_000,
            most_tables: 25_000,
            evict_after: Duration::from_secs(60),
            idle: Duration::from_secs(90),
            head: Duration::from_secs(10),
            request: Duration::from_secs(30),
            keep: None,
            slow: Duration::from_secs(15),
            pace: Pace::NATURAL,
            strategy: crate::strategies::by_name("random").expect("random is always there"),
        }
    }

    /// How bots play. They think elsewhere, by [`Settings::strategy`].
    pub(crate) const fn bots(&self) -> BotSettings {
        BotSettings { pace: self.pace, strategy: texas42_ai::Strategy::Random, worlds: None }
    }
}

impl fmt::Debug for Settings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Settings").field("address", &self.address).field("data", &self.data).finish_non_exhaustive()
    }
}

/// What everything in a server shares.
#[derive(Debug)]
pub(crate) struct Shared {
    pub(crate) settings: Settings,
    pub(crate) store: Store,
    pub(crate) tables: Tables,
    pub(crate) metrics: Arc<Metrics>,
    pub(crate) addresses: Arc<Addresses>,
    /// So many programs think at once.
    pub(crate) thinkers: Arc<Semaphore>,
    /// Whether the server ends.
    pub(crate) ending: watch::Receiver<bool>,
    connections: Mutex<ConnectionIds>,
}

impl Shared {
    /// Opens the store; nobody listens yet.
    pub(crate) fn open(settings: Settings, ending: watch::Receiver<bool>) -> Result<Arc<Self>, StartError> {
        let metrics = Arc::new(Metrics::new());
        Ok(Arc::new(Self {
            store: open_store(&settings, &metrics)?,
            addresses: Arc::new(Addresses::new(settings.per_address)),
            settings,
            tables: Tables::default(),
            metrics,
            thinkers: Arc::new(Semaphore::new(std::thread::available_parallelism().map_or(2, usize::from))),
            ending,
            connections: Mutex::default(),
        }))
    }

    /// An id that no connection had before.
    pub(crate) fn next_connection(&self) -> ConnectionId {
        self.connections.lock().unwrap_or_else(PoisonError::into_inner).next(|_| false)
    }
}

/// A server that runs.
#[derive(Debug)]
pub struct Server {
    address: SocketAddr,
    ending: watch::Sender<bool>,
    accepting: JoinHandle<()>,
    metrics: Arc<Metrics>,
    tables_at_start: u64,
}

/// Why a server does not start.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// The store does not open.
    #[error("the data folder {folder} cannot be used: {error}", folder = .folder.display())]
    Store {
        /// Which folder.
        folder: PathBuf,
        /// Why.
        error: StoreError,
    },
    /// The port cannot be listened on.
    #[error("cannot listen on {address}: {error}")]
    Listen {
        /// Where.
        address: SocketAddr,
        /// Why.
        error: std::io::Error,
    },
}

impl Server {
    /// Opens the store and listens.
    ///
    /// # Errors
    /// When the data folder cannot be used or the address cannot be listened on.
    pub async fn start(settings: Settings) -> Result<Self, StartError> {
        let address = settings.address;
        let (ending, heard) = watch::channel(false);
        let shared = Shared::open(settings, heard)?;
        let tables_at_start = shared.store.count_games().unwrap_or(0);
        let listen = |error| StartError::Listen { address, error };
        let listener = TcpListener::bind(address).await.map_err(listen)?;
        let address = listener.local_addr().map_err(listen)?;
        let metrics = Arc::clone(&shared.metrics);
        let accepting = tokio::spawn(accept(shared, listener));
        Ok(Self { address, ending, accepting, metrics, tables_at_start })
    }

    /// Where it listens.
    pub const fn address(&self) -> SocketAddr {
        self.address
    }

    /// How many tables the store had at the start.
    pub const fn tables_at_start(&self) -> u64 {
        self.tables_at_start
    }

    /// What it counts.
    pub fn metrics(&self) -> &Metrics {
        &self.metrics
    }

    /// Ends: nobody new comes in, everybody is told to come back later, everything is written.
    pub async fn stop(self) {
        self.ending.send(true).ok();
        self.accepting.await.ok();
    }
}

fn open_store(settings: &Settings, metrics: &Arc<Metrics>) -> Result<Store, StartError> {
    let store = StoreSettings {
        folder: settings.data.clone(),
        most_bytes: settings.most_bytes,
        is_grouped: settings.is_grouped,
    };
    Store::open(&store, Arc::clone(metrics)).map_err(|error| StartError::Store { folder: settings.data.clone(), error })
}

async fn accept(shared: Arc<Shared>, listener: TcpListener) {
    let mut ending = shared.ending.clone();
    let router = http::router(Arc::clone(&shared));
    let sweeping = tokio::spawn(sweep(Arc::clone(&shared)));
    loop {
        tokio::select! {
            accepted = listener.accept() => match accepted {
                Ok((stream, peer)) => serve(&shared, &router, stream, peer.ip()),
                // Too many open files, for instance: the next try may work.
                Err(error) => {
                    tracing::warn!(%error, "a connection could not be accepted");
                    tokio::time::sleep(Duration::from_millis(50)).await;
                }
            },
            _ = ending.changed() => break,
        }
    }
    drop(listener);
    sweeping.abort();
    shared.tables.stop().await;
    wait_for_the_last(&shared).await;
    shared.store.end().await;
    tracing::info!("everything is written");
}

/// Forgets tables at which nothing happens any more, now and then.
async fn sweep(shared: Arc<Shared>) {
    let Some(keep) = shared.settings.keep else { return };
    let mut next = tokio::time::interval((keep / 10).clamp(Duration::from_millis(10), Duration::from_secs(3600)));
    loop {
        next.tick().await;
        let before = clock::now().saturating_sub(u64::try_from(keep.as_millis()).unwrap_or(u64::MAX));
        match shared.tables.forget_old(&shared.store, before).await {
            Ok(0) => {}
            Ok(forgotten) => {
                shared.metrics.tables_forgotten.add(forgotten);
                tracing::info!(forgotten, "tables at which nothing happened any more were removed");
            }
            Err(error) => tracing::warn!(%error, "old tables could not be removed"),
        }
    }
}

/// Tables end as soon as they have stored what they were doing, connections when they have said so.
async fn wait_for_the_last(shared: &Shared) {
    let deadline = tokio::time::Instant::now() + LAST_WORDS;
    let metrics = &shared.metrics;
    let are_there = || metrics.rooms.value() + metrics.connections.value() + metrics.streams.value() > 0;
    while are_there() && tokio::time::Instant::now() < deadline {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

/// Serves one stream. An upgraded one goes on as a [`super::socket`], with a count of its own.
fn serve(shared: &Arc<Shared>, router: &axum::Router, stream: TcpStream, address: IpAddr) {
    stream.set_nodelay(true).ok();
    let open = shared.metrics.connections.value() + shared.metrics.streams.value();
    if open >= shared.settings.most_connections as u64 {
        tracing::warn!(open, "the server has as many connections as it can hold");
        return;
    }
    // Behind a proxy all streams are the proxy's.
    let counted = match shared.settings.address_header {
        Some(_) => None,
        None => match shared.addresses.open_stream(address) {
            Some(counted) => Some(counted),
            None => return turn_away(shared, stream),
        },
    };
    let router = router.clone();
    let service = service_fn(move |mut request: Request<Incoming>| {
        request.extensions_mut().insert(http::Peer(address));
        router.clone().call(request)
    });
    let connection = hyper::server::conn::http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(shared.settings.head)
        .max_buf_size(16 * 1024)
        .serve_connection(TokioIo::new(Patient::new(stream, shared.settings.request)), service)
        .with_upgrades();
    let shared = Arc::clone(shared);
    tokio::spawn(async move {
        let _counted = (shared.metrics.streams.enter(), counted);
        let mut ending = shared.ending.clone();
        let mut connection = std::pin::pin!(connection);
        let is_over = tokio::select! {
            _ = connection.as_mut() => true,
            _ = ending.changed() => false,
        };
        if !is_over {
            connection.as_mut().graceful_shutdown();
            connection.await.ok();
        }
    });
}

/// The stream behind an upgraded request.
pub(crate) fn stream_of(upgraded: hyper::upgrade::Upgraded) -> Option<socket::Upgraded> {
    let parts = upgraded.downcast::<TokioIo<Patient<TcpStream>>>().ok()?;
    Some(socket::Upgraded { stream: parts.io.into_inner().into_inner(), read: parts.read_buf.to_vec() })
}

/// An address with too many streams is told so, if it reads, and that is all that it gets.
fn turn_away(shared: &Shared, mut stream: TcpStream) {
    shared.metrics.rate_limited.add(1);
    let body = texas42_hosting::Answer::refusal(None, WireError::new(Problem::TooManyConnections)).body;
    let answer = format!(
        "HTTP/1.1 429 Too Many Requests\r\nRetry-After: 2\r\nConnection: close\r\n\
         Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    );
    tokio::spawn(async move {
        tokio::time::timeout(Duration::from_secs(1), stream.write_all(answer.as_bytes())).await.ok();
    });
}
