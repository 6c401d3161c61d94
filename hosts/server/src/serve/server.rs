//! The server as a whole: settings, shared state, startup and shutdown.

use std::{
    fmt,
    net::{IpAddr, SocketAddr},
    path::PathBuf,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use hyper::{Request, body::Incoming, service::service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use texas42_client::{BotDecision, Pace};
use texas42_hosting::{BotSettings, ConnectionIds, Rate, Retention};
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
    clock,
    codes::Codes,
    http,
    limits::{AddressLimits, Addresses, BodyLimits},
    metrics::Metrics,
    socket,
    store::{Store, StoreError, StoreSettings},
    tables::Tables,
    write_timeout::WriteTimeout,
};

/// How long open connections and tables get to finish at shutdown.
const SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(5);

/// Decides for bots: takes the view of a seat, the seat, and a seed.
pub type DecideFn = Arc<dyn Fn(&GameView, Seat, u64) -> BotDecision + Send + Sync>;

/// The configuration of a [`Server`]. [`Settings::new`] has defaults for everything but address and folder.
#[derive(Clone)]
pub struct Settings {
    /// The address to listen on.
    pub address: SocketAddr,
    /// The data folder.
    pub data: PathBuf,
    /// Maximum size of the database in bytes; `None` for no limit.
    pub max_bytes: Option<u64>,
    /// Whether tables share commits.
    pub is_grouped: bool,
    /// Allowed cross-origin origins.
    pub origins: Vec<String>,
    /// Rate limit for the messages of one connection.
    pub messages: Rate,
    /// Limits per client address.
    pub per_address: AddressLimits,
    /// Limits of the memory for request bodies.
    pub bodies: BodyLimits,
    /// The token that grants access to the metrics at [`Settings::address`]. Without a token, they are not served there.
    pub metrics_token: Option<String>,
    /// A second address to listen on, which serves the metrics to everyone who can reach it.
    pub metrics_address: Option<SocketAddr>,
    /// Header that the reverse proxy sets; its last entry is the client address.
    pub address_header: Option<String>,
    /// Maximum number of open connections.
    pub max_connections: usize,
    /// Maximum number of tables in memory.
    pub max_tables: usize,
    /// How long a deserted table stays in memory.
    pub evict_after: Duration,
    /// Connections that are silent for this long are closed.
    pub idle: Duration,
    /// Connections of browsers at a table that are silent for this long are closed, so that the others see soon that a
    /// person is away. Browsers answer pings even while the page is busy; a program may compute for longer.
    pub browser_idle: Duration,
    /// Timeout for reading the head of a request.
    pub head: Duration,
    /// Timeout for a whole request, including body and response, and for a stalled write of the response.
    pub request: Duration,
    /// How long an inactive table is stored.
    pub keep: Retention,
    /// Timeout for a write to a WebSocket.
    pub slow: Duration,
    /// How long bots wait before they move.
    pub pace: Pace,
    /// Decides for bots.
    pub strategy: DecideFn,
}

impl Settings {
    /// The default settings for an address and a data folder.
    pub fn new(address: SocketAddr, data: PathBuf) -> Self {
        Self {
            address,
            data,
            max_bytes: None,
            is_grouped: true,
            origins: Vec::new(),
            messages: Rate { burst: 60.0, per_second: 20.0 },
            per_address: AddressLimits {
                connections: 256,
                streams: 256,
                tables: Rate { burst: 30.0, per_second: 0.5 },
                requests: Rate { burst: 300.0, per_second: 50.0 },
                codes: AddressLimits::CODES,
            },
            bodies: BodyLimits::default(),
            metrics_token: None,
            metrics_address: None,
            address_header: None,
            max_connections: 25_000,
            max_tables: 25_000,
            evict_after: Duration::from_secs(60),
            idle: Duration::from_secs(90),
            browser_idle: Duration::from_secs(4),
            head: Duration::from_secs(10),
            request: Duration::from_secs(30),
            keep: Retention::FOREVER,
            slow: Duration::from_secs(15),
            pace: Pace::NATURAL,
            strategy: crate::strategies::by_name("random").expect("`random` is in NAMES"),
        }
    }

    /// Settings for the table hosts. Decisions run outside of the host, with [`Settings::strategy`].
    pub(crate) const fn bots(&self) -> BotSettings {
        BotSettings {
            pace: self.pace,
            strategy: texas42_ai::Strategy::Random,
            adviser: texas42_ai::Strategy::Expert,
            worlds: None,
        }
    }
}

impl fmt::Debug for Settings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Settings").field("address", &self.address).field("data", &self.data).finish_non_exhaustive()
    }
}

/// State shared by all tasks of a server.
#[derive(Debug)]
pub(crate) struct Shared {
    pub(crate) settings: Settings,
    pub(crate) store: Store,
    pub(crate) tables: Tables,
    /// The codes of lobbies.
    pub(crate) codes: Codes,
    pub(crate) metrics: Arc<Metrics>,
    pub(crate) addresses: Arc<Addresses>,
    /// Permits for bot decisions and deal searches: as many as there are CPUs.
    pub(crate) thinking_permits: Arc<Semaphore>,
    /// Changes when the server shuts down.
    pub(crate) shutdown: watch::Receiver<bool>,
    connections: Mutex<ConnectionIds>,
}

impl Shared {
    /// Opens the store, but does not listen yet.
    pub(crate) fn open(settings: Settings, shutdown: watch::Receiver<bool>) -> Result<Arc<Self>, StartError> {
        let metrics = Arc::new(Metrics::new());
        Ok(Arc::new(Self {
            store: open_store(&settings, &metrics)?,
            addresses: Arc::new(Addresses::new(settings.per_address, settings.bodies)),
            settings,
            tables: Tables::default(),
            codes: Codes::default(),
            metrics,
            thinking_permits: Arc::new(Semaphore::new(std::thread::available_parallelism().map_or(2, usize::from))),
            shutdown,
            connections: Mutex::default(),
        }))
    }

    /// A new, unique connection id.
    pub(crate) fn next_connection(&self) -> ConnectionId {
        self.connections.lock().unwrap_or_else(PoisonError::into_inner).next(|_| false)
    }
}

/// A running server.
///
/// [`Server::start`] opens the store and listens; [`Server::stop`] shuts down gracefully. Dropping it without calling
/// `stop` also shuts down, but does not wait.
#[derive(Debug)]
pub struct Server {
    address: SocketAddr,
    metrics_address: Option<SocketAddr>,
    shutdown: watch::Sender<bool>,
    accepting: JoinHandle<()>,
    metrics: Arc<Metrics>,
    tables_at_start: u64,
}

/// Why a server did not start.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// The store cannot be opened.
    #[error("the data folder {folder} cannot be used: {error}", folder = .folder.display())]
    Store {
        /// The data folder.
        folder: PathBuf,
        /// The cause.
        error: StoreError,
    },
    /// The server cannot listen on the address.
    #[error("cannot listen on {address}: {error}")]
    Listen {
        /// The address.
        address: SocketAddr,
        /// The cause.
        error: std::io::Error,
    },
}

impl Server {
    /// Opens the store and starts to listen.
    ///
    /// # Errors
    /// When the data folder cannot be used or the address cannot be listened on.
    pub async fn start(settings: Settings) -> Result<Self, StartError> {
        let (address, metrics_address) = (settings.address, settings.metrics_address);
        let (shutdown, shutdown_receiver) = watch::channel(false);
        let shared = Shared::open(settings, shutdown_receiver)?;
        let tables_at_start = shared.store.count_games().unwrap_or(0);
        let (listener, address) = listen(address).await?;
        let metrics = Arc::clone(&shared.metrics);
        let metrics_address = match metrics_address {
            Some(address) => Some(serve_metrics(&shared, address).await?),
            None => None,
        };
        let accepting = tokio::spawn(run(shared, listener));
        Ok(Self { address, metrics_address, shutdown, accepting, metrics, tables_at_start })
    }

    /// The address it listens on, with the actual port.
    pub const fn address(&self) -> SocketAddr {
        self.address
    }

    /// The address that serves the metrics, with the actual port.
    pub const fn metrics_address(&self) -> Option<SocketAddr> {
        self.metrics_address
    }

    /// The number of stored tables at startup.
    pub const fn tables_at_start(&self) -> u64 {
        self.tables_at_start
    }

    /// The metrics.
    pub fn metrics(&self) -> &Metrics {
        &self.metrics
    }

    /// Shuts down: accepts no new connections, asks clients to reconnect later, and waits until everything is stored.
    pub async fn stop(self) {
        self.shutdown.send(true).ok();
        self.accepting.await.ok();
    }
}

fn open_store(settings: &Settings, metrics: &Arc<Metrics>) -> Result<Store, StartError> {
    let store =
        StoreSettings { folder: settings.data.clone(), max_bytes: settings.max_bytes, is_grouped: settings.is_grouped };
    Store::open(&store, Arc::clone(metrics)).map_err(|error| StartError::Store { folder: settings.data.clone(), error })
}

async fn listen(address: SocketAddr) -> Result<(TcpListener, SocketAddr), StartError> {
    let failed = |error| StartError::Listen { address, error };
    let listener = TcpListener::bind(address).await.map_err(failed)?;
    let actual = listener.local_addr().map_err(failed)?;
    Ok((listener, actual))
}

/// Starts to serve the metrics at a separate address. Returns the address with the actual port.
async fn serve_metrics(shared: &Arc<Shared>, address: SocketAddr) -> Result<SocketAddr, StartError> {
    let (listener, address) = listen(address).await?;
    let (shared, router) = (Arc::clone(shared), http::metrics_router(Arc::clone(shared)));
    tokio::spawn(async move { accept(&shared, &router, listener).await });
    Ok(address)
}

/// Serves until shutdown, then waits until everything is stored.
async fn run(shared: Arc<Shared>, listener: TcpListener) {
    let deletion = tokio::spawn(delete_inactive_tables(Arc::clone(&shared)));
    accept(&shared, &http::router(Arc::clone(&shared)), listener).await;
    deletion.abort();
    shared.tables.stop().await;
    wait_for_tables_and_connections(&shared).await;
    shared.store.end().await;
    tracing::info!("everything is written");
}

/// Accepts connections until shutdown.
async fn accept(shared: &Arc<Shared>, router: &axum::Router, listener: TcpListener) {
    let mut shutdown = shared.shutdown.clone();
    loop {
        tokio::select! {
            accepted = listener.accept() => match accepted {
                Ok((stream, peer)) => serve(shared, router, stream, peer.ip()),
                // For example, too many open files: a later attempt may succeed.
                Err(error) => {
                    tracing::warn!(%error, "accepting a connection failed");
                    tokio::time::sleep(Duration::from_millis(50)).await;
                }
            },
            _ = shutdown.changed() => break,
        }
    }
}

/// Periodically deletes tables that have been inactive for [`Settings::keep`].
async fn delete_inactive_tables(shared: Arc<Shared>) {
    let keep = shared.settings.keep;
    let Some(time) = keep.time() else { return };
    let mut next = tokio::time::interval((time / 10).clamp(Duration::from_millis(10), Duration::from_secs(3600)));
    loop {
        next.tick().await;
        let Some(before) = keep.inactive_before(clock::now()) else { return };
        match shared.tables.delete_untouched(&shared.store, before).await {
            Ok(0) => {}
            Ok(deleted) => {
                shared.metrics.tables_forgotten.add(deleted);
                tracing::info!(deleted, "inactive tables were deleted");
            }
            Err(error) => tracing::warn!(%error, "inactive tables could not be deleted"),
        }
    }
}

/// Waits until tables have stored their last events and connections have closed, up to [`SHUTDOWN_TIMEOUT`].
async fn wait_for_tables_and_connections(shared: &Shared) {
    let deadline = tokio::time::Instant::now() + SHUTDOWN_TIMEOUT;
    let metrics = &shared.metrics;
    let is_busy = || metrics.rooms.value() + metrics.connections.value() + metrics.streams.value() > 0;
    while is_busy() && tokio::time::Instant::now() < deadline {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

/// Serves one TCP connection. An upgraded connection continues as a [`super::socket`] and is counted separately.
fn serve(shared: &Arc<Shared>, router: &axum::Router, stream: TcpStream, address: IpAddr) {
    stream.set_nodelay(true).ok();
    let open = shared.metrics.connections.value() + shared.metrics.streams.value();
    if open >= shared.settings.max_connections as u64 {
        tracing::warn!(open, "a connection was dropped: the server has reached its limit");
        return;
    }
    // Behind a reverse proxy, every stream comes from the proxy's address.
    let counted = match shared.settings.address_header {
        Some(_) => None,
        None => match shared.addresses.open_stream(address) {
            Some(counted) => Some(counted),
            None => return reject(shared, stream),
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
        .serve_connection(TokioIo::new(WriteTimeout::new(stream, shared.settings.request)), service)
        .with_upgrades();
    let shared = Arc::clone(shared);
    tokio::spawn(async move {
        let _counted = (shared.metrics.streams.track(), counted);
        let mut shutdown = shared.shutdown.clone();
        let mut connection = std::pin::pin!(connection);
        let is_over = tokio::select! {
            _ = connection.as_mut() => true,
            _ = shutdown.changed() => false,
        };
        if !is_over {
            connection.as_mut().graceful_shutdown();
            connection.await.ok();
        }
    });
}

/// Sends a 429 response to an address with too many streams and closes the connection.
fn reject(shared: &Shared, mut stream: TcpStream) {
    shared.metrics.rate_limited.add(1);
    let body = texas42_hosting::HttpResponse::refusal(None, WireError::new(Problem::TooManyConnections)).body;
    let answer = format!(
        "HTTP/1.1 429 Too Many Requests\r\nRetry-After: 2\r\nConnection: close\r\n\
         Content-Type: application/json\r\nX-Content-Type-Options: nosniff\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    );
    tokio::spawn(async move {
        tokio::time::timeout(Duration::from_secs(1), stream.write_all(answer.as_bytes())).await.ok();
    });
}

/// The stream behind an upgraded request.
pub(crate) fn stream_of(upgraded: hyper::upgrade::Upgraded) -> Option<socket::UpgradedStream> {
    let parts = upgraded.downcast::<TokioIo<WriteTimeout<TcpStream>>>().ok()?;
    Some(socket::UpgradedStream { stream: parts.io.into_inner().into_inner(), read: parts.read_buf.to_vec() })
}
