//! A minimal client: it parses only what it needs, because a load generator must cost less than what it measures. It
//! checks that versions have no gaps, takes its choices from the updates, and times its own actions.

use std::{
    net::SocketAddr,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

use anyhow::{Context, bail, ensure};
use futures_util::{SinkExt, StreamExt};
use serde::Deserialize;
use serde_json::{json, value::RawValue};
use texas42_room::RandomPlayer;
use tokio::net::TcpStream;
use tokio_tungstenite::{WebSocketStream, tungstenite::Message};

use crate::times::Times;

/// State shared by all clients of a run.
pub(crate) struct Run {
    pub(crate) is_measured: AtomicBool,
    pub(crate) is_over: AtomicBool,
    pub(crate) messages: AtomicU64,
    /// Bytes of JSON that clients received.
    pub(crate) bytes: AtomicU64,
    pub(crate) started: Instant,
}

impl Run {
    pub(crate) fn new() -> Arc<Self> {
        Arc::new(Self {
            is_measured: AtomicBool::new(false),
            is_over: AtomicBool::new(false),
            messages: AtomicU64::new(0),
            bytes: AtomicU64::new(0),
            started: Instant::now(),
        })
    }

    fn count(&self, text: &str) {
        if self.is_measured.load(Ordering::Relaxed) {
            self.messages.fetch_add(1, Ordering::Relaxed);
            self.bytes.fetch_add(text.len() as u64, Ordering::Relaxed);
        }
    }
}

/// State shared by the clients of one table: when the next action is due.
pub(crate) struct Table {
    pub(crate) next: AtomicU64,
    /// Microseconds between two actions; 0 for no pause.
    pub(crate) period: u64,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Frame<'a> {
    #[serde(rename = "type")]
    kind: &'a str,
    version: Option<u64>,
    #[serde(borrow)]
    ack: Option<Ack<'a>>,
    #[serde(borrow)]
    view: Option<ViewPart<'a>>,
    #[serde(borrow)]
    patch: Option<ViewPart<'a>>,
    key: Option<&'a str>,
    game_id: Option<&'a str>,
    #[serde(borrow)]
    error: Option<&'a RawValue>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Ack<'a> {
    request_id: &'a str,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ViewPart<'a> {
    #[serde(borrow)]
    valid_actions: Option<Vec<ValidAction<'a>>>,
    #[serde(borrow)]
    state: Option<State<'a>>,
}

#[derive(Deserialize)]
struct ValidAction<'a> {
    #[serde(borrow)]
    action: &'a RawValue,
}

#[derive(Deserialize)]
struct State<'a> {
    phase: Option<&'a str>,
}

/// One client.
pub(crate) struct Client {
    socket: WebSocketStream<TcpStream>,
    pub(crate) game: String,
    version: u64,
    choices: Vec<String>,
    is_game_over: bool,
    dice: RandomPlayer,
    number: u64,
    requests: u64,
    /// The request that was not answered yet, and when it was sent.
    sent: Option<(String, Instant)>,
    pub(crate) times: Times,
    /// Every acknowledged request: game id and request id.
    pub(crate) acknowledged: Vec<(String, String)>,
}

impl Client {
    pub(crate) async fn connect(address: SocketAddr, number: u64) -> anyhow::Result<Self> {
        Self::connect_at(address, "/api/ws", number).await
    }

    /// Connects to a table's own URL, as every client with an invite does.
    pub(crate) async fn connect_to(address: SocketAddr, game: &str, number: u64) -> anyhow::Result<Self> {
        Self::connect_at(address, &format!("/api/games/{game}/ws"), number).await
    }

    async fn connect_at(address: SocketAddr, path: &str, number: u64) -> anyhow::Result<Self> {
        let stream = TcpStream::connect(address).await?;
        stream.set_nodelay(true)?;
        let config = tokio_tungstenite::tungstenite::protocol::WebSocketConfig::default()
            .read_buffer_size(4096)
            .write_buffer_size(0);
        let url = format!("ws://{address}{path}");
        let (socket, _) = tokio_tungstenite::client_async_with_config(url, stream, Some(config)).await?;
        Ok(Self {
            socket,
            game: String::new(),
            version: 0,
            choices: Vec::new(),
            is_game_over: false,
            dice: RandomPlayer::new(number),
            number,
            requests: 0,
            sent: None,
            times: Times::default(),
            acknowledged: Vec::new(),
        })
    }

    /// Creates a table for four people that is open to spectators.
    pub(crate) async fn create(&mut self) -> anyhow::Result<()> {
        self.create_for(["human"; 4]).await
    }

    /// Creates a table for these players.
    pub(crate) async fn create_for(&mut self, players: [&str; 4]) -> anyhow::Result<()> {
        let table = json!({ "pause": 0, "openToSpectators": true });
        let config = json!({ "players": players });
        let create = json!({ "type": "CREATE_GAME", "name": "Load", "config": config, "table": table });
        self.send(create.to_string()).await?;
        self.receive_until("GAME_CREATED").await.map(drop)
    }

    pub(crate) async fn invite(&mut self, grant: serde_json::Value) -> anyhow::Result<String> {
        self.requests += 1;
        let request = format!("i{}", self.requests);
        let invite = json!({ "type": "INVITE", "gameId": self.game, "requestId": request, "grant": grant });
        self.send(invite.to_string()).await?;
        self.receive_until("INVITED").await?.context("the invite has no key")
    }

    /// Joins with an invite key, or as a spectator without one.
    pub(crate) async fn join(&mut self, game: &str, key: Option<&str>) -> anyhow::Result<()> {
        let join = json!({ "type": "JOIN_GAME", "gameId": game, "key": key, "name": "Load" });
        self.send(join.to_string()).await?;
        self.receive_until("JOINED").await.map(drop)
    }

    async fn send(&mut self, text: String) -> anyhow::Result<()> {
        Ok(self.socket.send(Message::text(text)).await?)
    }

    async fn receive_until(&mut self, kind: &str) -> anyhow::Result<Option<String>> {
        loop {
            let message = self.socket.next().await.context("the connection is closed")??;
            if let Message::Text(text) = message {
                let (heard, key) = self.handle(text.as_str(), true)?;
                if heard == kind {
                    return Ok(key);
                }
            }
        }
    }

    /// Handles a message; returns its type and its key, if any. Version gaps are errors unless `allow_gaps` is set.
    fn handle<'a>(&mut self, text: &'a str, allow_gaps: bool) -> anyhow::Result<(&'a str, Option<String>)> {
        let frame: Frame<'a> = serde_json::from_str(text).with_context(|| text.to_owned())?;
        if let Some(error) = frame.error {
            bail!("the server says {error}");
        }
        if let Some(version) = frame.version {
            let is_next = version == self.version + 1 || self.version == 0 || frame.view.is_some();
            ensure!(is_next || allow_gaps, "version {version} follows {}", self.version);
            self.version = version;
        }
        if frame.kind == "GAME_CREATED" || frame.kind == "JOINED" {
            self.game = frame.game_id.unwrap_or_default().to_owned();
        }
        for part in frame.view.iter().chain(&frame.patch) {
            self.update_choices(part);
        }
        if let Some(ack) = &frame.ack
            && let Some((request, sent)) = self.sent.take_if(|(request, _)| request == ack.request_id)
        {
            self.times.add(sent.elapsed().as_micros());
            self.acknowledged.push((self.game.clone(), request));
        }
        Ok((frame.kind, frame.key.map(str::to_owned)))
    }

    fn update_choices(&mut self, part: &ViewPart<'_>) {
        if let Some(valid) = &part.valid_actions {
            let is_claim = |action: &str| action.contains("\"claim\"");
            let plain = valid.iter().map(|valid| valid.action.get()).filter(|action| !is_claim(action));
            self.choices = plain.map(str::to_owned).collect();
        }
        if let Some(phase) = part.state.as_ref().and_then(|state| state.phase) {
            self.is_game_over = phase == "game-end";
        }
    }

    /// Plays until the run is over. The first client of a table starts the next game.
    pub(crate) async fn play(mut self, run: Arc<Run>, table: Arc<Table>, is_first: bool) -> anyhow::Result<Self> {
        let mut due: Option<tokio::time::Instant> = None;
        // Created once: a timer for each message would cost more than reading the message.
        let mut check = tokio::time::interval(Duration::from_millis(500));
        loop {
            let has_action = !self.choices.is_empty() || (self.is_game_over && is_first);
            if has_action && due.is_none() && self.sent.is_none() {
                due = Some(self.due(&run, &table));
            }
            let is_over = run.is_over.load(Ordering::Relaxed);
            if is_over && self.sent.is_none() {
                return Ok(self);
            }
            if !is_over && due.take_if(|due| *due <= tokio::time::Instant::now()).is_some() {
                self.act().await?;
            }
            tokio::select! {
                message = self.socket.next() => {
                    let message = message.context("the connection is closed")??;
                    if let Message::Text(text) = message {
                        self.handle(text.as_str(), false)?;
                        run.count(&text);
                    }
                    if self.choices.is_empty() && !self.is_game_over {
                        due = None;
                    }
                }
                () = tokio::time::sleep_until(due.unwrap_or_else(tokio::time::Instant::now)), if due.is_some() => {}
                _ = check.tick() => {}
            }
        }
    }

    /// The table's next slot in the schedule. A late table does not catch up with a burst.
    fn due(&self, run: &Run, table: &Table) -> tokio::time::Instant {
        let now = run.started.elapsed().as_micros() as u64;
        let at = table.next.load(Ordering::Relaxed).max(now.saturating_sub(table.period));
        table.next.store(at + table.period, Ordering::Relaxed);
        tokio::time::Instant::from_std(run.started + Duration::from_micros(at))
    }

    async fn act(&mut self) -> anyhow::Result<()> {
        self.requests += 1;
        let request = format!("{}-{}", self.number, self.requests);
        let text = match self.dice.below(self.choices.len().max(1) as u64) as usize {
            _ if self.choices.is_empty() => {
                self.is_game_over = false;
                format!(r#"{{"type":"REMATCH","gameId":"{}","requestId":"{request}"}}"#, self.game)
            }
            pick => format!(
                r#"{{"type":"EXECUTE_ACTION","gameId":"{}","requestId":"{request}","version":{},"action":{}}}"#,
                self.game, self.version, self.choices[pick]
            ),
        };
        self.choices.clear();
        self.sent = Some((request, Instant::now()));
        self.send(text).await
    }

    /// Reads messages until the run is over.
    pub(crate) async fn watch(mut self, run: Arc<Run>) -> anyhow::Result<()> {
        while !run.is_over.load(Ordering::Relaxed) {
            let next = tokio::time::timeout(Duration::from_millis(500), self.socket.next()).await;
            if let Ok(message) = next
                && let Message::Text(text) = message.context("the server disconnected a spectator")??
            {
                self.handle(text.as_str(), false)?;
                run.count(&text);
            }
        }
        Ok(())
    }
}
