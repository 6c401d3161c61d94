//! The Durable Object of one game. It stores the log in SQLite, hibernates with its sockets, and moves bots by alarms.
//!
//! There is no `await` between a state change and its write, and the platform holds back outgoing messages until earlier
//! writes are durable. So clients never see state that is not stored. If a write fails, the object drops its [`Home`] and
//! closes every socket with [`close::RESTORED`], which tells clients to reconnect.

use std::cell::{Cell, RefCell};

use futures_util::future::try_join;
use serde::{Deserialize, Serialize};
use texas42_client::close;
use texas42_hosting::{HttpResponse, Output};
use texas42_phrases::Problem;
use texas42_protocol::{GameId, LobbyCode, WireError};
use texas42_room::{CodeClaim, ConnectionId, OpenCode, StoredEvent};
use worker::{
    Date, DurableObject, Env, Error, Headers, Response, ResponseBuilder, Result, ScheduledTime, SqlStorage,
    SqlStorageValue, State, WebSocket, WebSocketIncomingMessage, WebSocketPair, durable_object,
    js_sys::{Function, Reflect},
    wasm_bindgen::{JsCast, JsValue},
    worker_sys::{WebSocketRequestResponsePair, ext::WebSocketExt},
};

use crate::{
    Attachment, Home, HomeRequest, ObjectRequest, Settings,
    body::BufferedBody,
    code_object::ask,
    codes::{CodeRequest, object_of_code},
};

/// The keep-alive ping of clients and its answer, which the platform sends without waking the object.
const KEEP_ALIVE: (&str, &str) = (r#"{"type":"PING","nonce":0}"#, r#"{"type":"PONG","nonce":0}"#);
/// The header that carries an [`AddressedRequest`] as JSON. The Worker overwrites any value that a client sends.
const REQUEST_HEADER: &str = "x-texas42-errand";

/// The minimum delay of an alarm, in milliseconds. An object's clock may lag behind the alarm clock, so an alarm may fire
/// early, and setting an alarm for the time of the one that is firing has no effect.
const MIN_ALARM_DELAY: u64 = 20;

/// The delay in milliseconds before a failed deletion is tried again.
const DELETION_RETRY_DELAY: u64 = 60_000;

/// One game.
#[durable_object]
pub struct Table {
    state: State,
    env: Env,
    /// The same state, for what its Rust wrapper lacks.
    raw_state: JsValue,
    settings: Settings,
    home: RefCell<Option<Home>>,
    /// The time of the pending alarm, if known.
    alarm: Cell<Option<u64>>,
}

impl DurableObject for Table {
    fn new(state: State, env: Env) -> Self {
        let settings = Settings::read(|name| variable(&env, name));
        if let Ok(pair) = WebSocketRequestResponsePair::new(KEEP_ALIVE.0, KEEP_ALIVE.1) {
            state.set_websocket_auto_response(&pair);
        }
        let inner = state._inner();
        let raw_state = inner.clone().into();
        Self { state: inner.into(), env, raw_state, settings, home: RefCell::default(), alarm: Cell::default() }
    }

    async fn fetch(&self, mut req: worker::Request) -> Result<Response> {
        let url = req.inner().url();
        let Some(AddressedRequest { game, kind }) = AddressedRequest::read(&req)? else {
            return answer(&HttpResponse::refused_as(404));
        };
        if let ObjectRequest::Socket { may_create } = kind {
            return self.accept(&game, may_create);
        }
        let body = match BufferedBody::read(&mut req, kind.max_bytes()).await? {
            Ok(body) => body,
            Err(refused) => return answer(&refused),
        };
        let key = req.headers().get("authorization")?;
        let query = url.split_once('?').map_or("", |(_, query)| query);
        let request = HomeRequest { kind, query, key: key.as_deref(), body: &body.bytes };
        let done = self.with(Some(game), None, |home, now| home.handle_request(now, &request)).await;
        let answered = done.map(|answered| answered.unwrap_or_else(|| HttpResponse::refused_as(503)));
        answer(&answered.unwrap_or_else(|error| HttpResponse::refusal(None, error)))
    }

    async fn alarm(&self) -> Result<Response> {
        self.alarm.set(None);
        // An alarm may fire again after its table was deleted.
        if self.home.borrow().is_some() || self.is_stored()? {
            let last_ping = |connection| self.last_ping(connection);
            self.with(None, None, |home, now| home.handle_time(now, last_ping)).await.ok();
            self.delete_if_inactive().await?;
        }
        Response::empty()
    }

    async fn websocket_message(&self, ws: WebSocket, message: WebSocketIncomingMessage) -> Result<()> {
        let Some(data) = SocketData::read(&ws) else { return Ok(()) };
        let from = data.attachment.connection;
        let text = match message {
            WebSocketIncomingMessage::String(text) => text,
            // Not JSON, so the parser rejects it with the usual error.
            WebSocketIncomingMessage::Binary(_) => "messages are JSON text".to_owned(),
        };
        self.with(Some(data.game), Some(&data.attachment), |home, now| home.handle_text(now, from, &text)).await.ok();
        Ok(())
    }

    async fn websocket_close(&self, ws: WebSocket, code: usize, _: String, _: bool) -> Result<()> {
        self.handle_closed(&ws).await?;
        let code = u16::try_from(code).ok().filter(|code| (1000..5000).contains(code) && !(1004..=1006).contains(code));
        ws.close(code.or(Some(1000)), None::<&str>).ok();
        Ok(())
    }

    async fn websocket_error(&self, ws: WebSocket, _: Error) -> Result<()> {
        self.handle_closed(&ws).await
    }
}

/// A request with its game id, which the object needs because it does not know its own name.
#[derive(Serialize, Deserialize)]
pub(crate) struct AddressedRequest {
    pub(crate) game: GameId,
    #[serde(rename = "errand")]
    pub(crate) kind: ObjectRequest,
}

impl AddressedRequest {
    fn read(req: &worker::Request) -> Result<Option<Self>> {
        Ok(req.headers().get(REQUEST_HEADER)?.and_then(|text| serde_json::from_str(&text).ok()))
    }

    pub(crate) fn write(&self, headers: &Headers) -> Result<()> {
        headers.set(REQUEST_HEADER, &serde_json::to_string(self)?)
    }
}

/// The data attached to a socket: its [`Attachment`] and the game id, because an object does not know its own name. It is
/// stored as JSON; the platform's own serialization would add kilobytes of code.
#[derive(Serialize, Deserialize)]
struct SocketData {
    game: GameId,
    attachment: Attachment,
}

impl SocketData {
    fn read(socket: &WebSocket) -> Option<Self> {
        let text = socket.as_ref().deserialize_attachment().ok()?.as_string()?;
        serde_json::from_str(&text).ok()
    }

    fn write(&self, socket: &WebSocket) -> Result<()> {
        Ok(socket.as_ref().serialize_attachment(serde_json::to_string(self)?.into())?)
    }
}

/// What follows from one input, once its outputs are performed.
#[derive(Default)]
struct Turn {
    answer: Option<HttpResponse>,
    wake: Option<u64>,
    code_updates: Vec<CodeUpdate>,
}

/// A request to the object of a code, to make after the outputs.
enum CodeUpdate {
    Claim(GameId, OpenCode),
    Release(GameId, LobbyCode),
}

impl CodeUpdate {
    fn of(game: &GameId, output: &Output) -> Option<Self> {
        match output {
            Output::ClaimCode(code) => Some(Self::Claim(game.clone(), *code)),
            Output::ReleaseCode(code) => Some(Self::Release(game.clone(), *code)),
            Output::Store { .. }
            | Output::Send { .. }
            | Output::Answer { .. }
            | Output::Bind(_)
            | Output::Close { .. } => None,
        }
    }
}

impl Table {
    /// Accepts a socket. The home assigns its connection id, so the home is built first; that writes nothing.
    fn accept(&self, id: &GameId, may_create: bool) -> Result<Response> {
        let mut slot = self.home.borrow_mut();
        let home = match &mut *slot {
            Some(home) => home,
            None => match self.wake(Some(id.clone()), None) {
                Ok(home) => slot.insert(home),
                Err(error) => {
                    worker::console_error!("{}", error.message);
                    return closed_at_once(close::RESTORED);
                }
            },
        };
        let WebSocketPair { client, server } = WebSocketPair::new()?;
        let attachment = home.handle_connected(now(), may_create);
        self.state.accept_websocket_with_tags(&server, &[&tag(attachment.connection)]);
        SocketData { game: id.clone(), attachment }.write(&server)?;
        Response::from_websocket(client)
    }

    async fn handle_closed(&self, ws: &WebSocket) -> Result<()> {
        let Some(data) = SocketData::read(ws) else { return Ok(()) };
        let from = data.attachment.connection;
        self.with(Some(data.game), Some(&data.attachment), |home, now| home.handle_closed(now, from)).await.ok();
        Ok(())
    }

    /// Runs `act` on the home, performs the outputs and sets the alarm. Returns the answer to a request only after all
    /// writes.
    async fn with(
        &self,
        id: Option<GameId>,
        speaker: Option<&Attachment>,
        act: impl FnOnce(&mut Home, u64),
    ) -> core::result::Result<Option<HttpResponse>, WireError> {
        let mut done = self.act(id, speaker, act);
        let (mut answer, mut code_updates) = (None, Vec::new());
        loop {
            match done {
                Ok(turn) => {
                    self.wake_at(turn.wake).await.map_err(|error| storage_error(&error))?;
                    answer = answer.or(turn.answer);
                    code_updates.extend(turn.code_updates);
                }
                Err(error) => {
                    worker::console_error!("{}", error.message);
                    self.restart();
                    return Err(error);
                }
            }
            let Some(update) = code_updates.pop() else { return Ok(answer) };
            done = self.update_code(update).await;
        }
    }

    /// Claims or releases a code of the lobby. The object of the code decides; the table continues with its answer.
    async fn update_code(&self, update: CodeUpdate) -> core::result::Result<Turn, WireError> {
        match update {
            CodeUpdate::Claim(game, code) => {
                let claim = CodeRequest::Claim { game: game.clone(), until: code.until };
                let claim = match ask(&self.env, &object_of_code(code.code), &claim).await {
                    Ok(answer) if answer.is_granted => match self.store_code(code) {
                        Ok(()) => CodeClaim::Granted,
                        Err(error) => return Err(storage_error(&error)),
                    },
                    Ok(_) => CodeClaim::Taken,
                    Err(error) => {
                        worker::console_error!("{error}");
                        CodeClaim::Refused(Problem::TableUnavailable)
                    }
                };
                self.act(Some(game), None, |home, now| home.handle_claim(now, claim))
            }
            CodeUpdate::Release(game, code) => {
                // An object that cannot be reached forgets the code when its time is over.
                ask(&self.env, &object_of_code(code), &CodeRequest::Release { game }).await.ok();
                Ok(Turn::default())
            }
        }
    }

    /// Runs `act` on the home, which it builds first if needed, and performs the outputs.
    fn act(
        &self,
        id: Option<GameId>,
        speaker: Option<&Attachment>,
        act: impl FnOnce(&mut Home, u64),
    ) -> core::result::Result<Turn, WireError> {
        let mut slot = self.home.borrow_mut();
        let home = match &mut *slot {
            Some(home) => home,
            None => slot.insert(self.wake(id, speaker)?),
        };
        act(home, now());
        let mut code_updates = Vec::new();
        while let Some(output) = home.poll_output() {
            code_updates.extend(CodeUpdate::of(home.id(), &output));
            if let Err(error) = self.carry_out(output) {
                self.report_store_failure(home);
                return Err(storage_error(&error));
            }
        }
        while let Some(attachment) = home.poll_attachment() {
            self.attach(home.id(), &attachment);
        }
        Ok(Turn { answer: home.take_answer(), wake: home.wake_at(now()), code_updates })
    }

    /// Answers pending requests with an error.
    fn report_store_failure(&self, home: &mut Home) {
        home.handle_store_failure(STORAGE_FAILED);
        while let Some(output) = home.poll_output() {
            self.carry_out(output).ok();
        }
    }

    /// Builds the home from the stored log and the socket attachments.
    fn wake(&self, id: Option<GameId>, speaker: Option<&Attachment>) -> core::result::Result<Home, WireError> {
        let (stored_id, log) = self.read_log().map_err(|error| storage_error(&error))?;
        let id = stored_id.or(id).ok_or_else(|| WireError::new(Problem::NoSuchGame))?;
        let sockets = self.state.get_websockets();
        let mut sockets: Vec<Attachment> = sockets
            .iter()
            .filter(|socket| is_open(socket))
            .filter_map(SocketData::read)
            .map(|data| data.attachment)
            .collect();
        let missing = speaker.filter(|speaker| sockets.iter().all(|known| known.connection != speaker.connection));
        sockets.extend(missing.cloned());
        let code = self.read_code().map_err(|error| storage_error(&error))?;
        Ok(Home::new(now(), id, &log, sockets, self.settings, random)?.with_code(code))
    }

    /// The code of the lobby, which may have expired.
    fn read_code(&self) -> Result<Option<OpenCode>> {
        if self.column("SELECT name FROM sqlite_master WHERE type = 'table' AND name = 'lobby'")?.is_empty() {
            return Ok(None);
        }
        Ok(self.column("SELECT code FROM lobby")?.pop().and_then(|code| serde_json::from_str(&code).ok()))
    }

    fn store_code(&self, code: OpenCode) -> Result<()> {
        let sql = self.sql();
        sql.exec("CREATE TABLE IF NOT EXISTS lobby (code TEXT)", None)?;
        sql.exec("DELETE FROM lobby", None)?;
        sql.exec("INSERT INTO lobby VALUES (?)", Some(vec![serde_json::to_string(&code)?.into()]))?;
        Ok(())
    }

    /// Reads the game id and the log, which is empty if there is no table. This never writes.
    fn read_log(&self) -> Result<(Option<GameId>, Vec<StoredEvent>)> {
        if !self.is_stored()? {
            return Ok((None, Vec::new()));
        }
        let id = self.column("SELECT id FROM game")?.pop().and_then(|id| GameId::try_from(id).ok());
        let mut log = Vec::new();
        for events in self.column("SELECT events FROM log ORDER BY first")? {
            log.extend(serde_json::from_str::<Vec<StoredEvent>>(&events)?);
        }
        Ok((id, log))
    }

    fn is_stored(&self) -> Result<bool> {
        Ok(!self.column("SELECT name FROM sqlite_master WHERE type = 'table' AND name = 'log'")?.is_empty())
    }

    /// Returns the text values in the first column of a query's result.
    fn column(&self, query: &str) -> Result<Vec<String>> {
        let mut texts = Vec::new();
        for row in self.sql().exec(query, None)?.raw() {
            if let Some(SqlStorageValue::String(text)) = row?.into_iter().next() {
                texts.push(text);
            }
        }
        Ok(texts)
    }

    fn sql(&self) -> SqlStorage {
        self.state.storage().sql()
    }

    fn carry_out(&self, output: Output) -> Result<()> {
        match output {
            Output::Store { game, first, events } => self.store(&game, first, &events)?,
            // If the socket is gone, the platform reports that separately.
            Output::Send { to, text, .. } => self.each(to, |socket| drop(socket.send_with_str(&text))),
            Output::Bind(binding) => self.each(binding.connection, |socket| {
                if let Some(SocketData { game, attachment }) = SocketData::read(socket) {
                    drop(SocketData { game, attachment: attachment.bound(binding.clone()) }.write(socket));
                }
            }),
            Output::Close { to, code } => {
                self.each(to, |socket| drop(socket.close(Some(code), Some(close::reason(code)))));
            }
            // The lobby has no other code, so the table exists.
            Output::ReleaseCode(_) => drop(self.sql().exec("DELETE FROM lobby", None)?),
            // `Home::take_answer` returns the answer after all writes, and a claim is a [`CodeUpdate`].
            Output::Answer { .. } | Output::ClaimCode(_) => {}
        }
        Ok(())
    }

    fn store(&self, id: &GameId, first: u64, events: &[StoredEvent]) -> Result<()> {
        let (sql, events) = (self.sql(), serde_json::to_string(events)?);
        if first == 0 {
            sql.exec("CREATE TABLE game (id TEXT)", None)?;
            sql.exec("CREATE TABLE log (first INTEGER PRIMARY KEY, events TEXT NOT NULL)", None)?;
            sql.exec("INSERT INTO game VALUES (?)", Some(vec![id.as_str().into()]))?;
        }
        sql.exec("INSERT INTO log VALUES (?, ?)", Some(vec![(first as f64).into(), events.into()]))?;
        Ok(())
    }

    /// Writes a changed attachment to its socket.
    fn attach(&self, id: &GameId, attachment: &Attachment) {
        let data = SocketData { game: id.clone(), attachment: attachment.clone() };
        self.each(attachment.connection, |socket| drop(data.write(socket)));
    }

    /// When the platform last answered a keep-alive ping of a connection.
    fn last_ping(&self, of: ConnectionId) -> Option<u64> {
        let socket = self.state.get_websockets_with_tag(&tag(of)).pop()?;
        let ask = Reflect::get(&self.raw_state, &"getWebSocketAutoResponseTimestamp".into()).ok()?;
        let time = ask.dyn_into::<Function>().ok()?.call1(&self.raw_state, socket.as_ref()).ok()?;
        Some(time.dyn_into::<worker::js_sys::Date>().ok()?.get_time() as u64)
    }

    /// Runs `act` on the socket of a connection, if it is still open.
    fn each(&self, to: ConnectionId, act: impl Fn(&WebSocket)) {
        self.state.get_websockets_with_tag(&tag(to)).iter().for_each(act);
    }

    /// Sets the alarm. An early alarm is harmless, so an earlier pending one is kept, which saves a write.
    async fn wake_at(&self, wake: Option<u64>) -> Result<()> {
        let Some(wake) = wake else { return Ok(()) };
        if self.alarm.get().is_none() {
            self.alarm.set(self.state.storage().get_alarm().await?.and_then(|at| u64::try_from(at).ok()));
        }
        let now = now();
        if self.alarm.get().is_some_and(|set| set > now && set <= wake) {
            return Ok(());
        }
        let at = wake.max(now + MIN_ALARM_DELAY);
        self.alarm.set(Some(at));
        self.state.storage().set_alarm(ScheduledTime::new(js_date(at))).await
    }

    /// Deletes everything that is stored if the home has deleted its table. Both deletions start before anything else can
    /// happen to this object. If they fail, the home is rebuilt at the next alarm and deletes its table again.
    async fn delete_if_inactive(&self) -> Result<()> {
        if self.home.borrow_mut().take_if(|home| home.is_deleted()).is_none() {
            return Ok(());
        }
        let storage = self.state.storage();
        match try_join(storage.delete_alarm(), storage.delete_all()).await {
            Ok(_) => Ok(()),
            Err(error) => {
                worker::console_error!("{error}");
                self.wake_at(Some(now() + DELETION_RETRY_DELAY)).await
            }
        }
    }

    /// Discards unsaved state: drops the home and disconnects all clients, which reconnect to the table as stored.
    fn restart(&self) {
        self.home.take();
        self.alarm.set(None);
        let code = close::RESTORED;
        for socket in self.state.get_websockets() {
            socket.close(Some(code), Some(close::reason(code))).ok();
        }
    }
}

/// Whether this object has not closed a socket. The platform lists it until the client has answered, which a lost one
/// never does.
fn is_open(socket: &WebSocket) -> bool {
    socket.as_ref().ready_state() == worker::web_sys::WebSocket::OPEN
}

/// Opens a socket and closes it with `code`, because a page cannot read why an upgrade was refused.
fn closed_at_once(code: u16) -> Result<Response> {
    let WebSocketPair { client, server } = WebSocketPair::new()?;
    server.accept()?;
    server.close(Some(code), Some(close::reason(code)))?;
    Response::from_websocket(client)
}

/// Reads a variable of the deployment. A variable that is not a string counts as unset.
pub(crate) fn variable(env: &Env, name: &str) -> Option<String> {
    worker::js_sys::Reflect::get(env, &name.into()).ok()?.as_string()
}

pub(crate) fn js_date(at: u64) -> worker::js_sys::Date {
    worker::js_sys::Date::new(&(at as f64).into())
}

pub(crate) fn answer(answer: &HttpResponse) -> Result<Response> {
    let builder = ResponseBuilder::new()
        .with_status(answer.status)
        .with_header("content-type", "application/json")?
        .with_header("cache-control", "no-store")?
        .with_header("x-content-type-options", "nosniff")?;
    let builder = if answer.status == 429 { builder.with_header("retry-after", "2")? } else { builder };
    Ok(builder.fixed(answer.body.clone().into_bytes()))
}

/// What clients may know about a failure of the storage. The log of the Worker has the whole error.
const STORAGE_FAILED: &str = "the storage failed";

fn storage_error(error: &Error) -> WireError {
    worker::console_error!("{error}");
    WireError::new(Problem::NotWritten { detail: STORAGE_FAILED.to_owned() })
}

fn tag(connection: ConnectionId) -> String {
    connection.to_string()
}

pub(crate) fn now() -> u64 {
    Date::now().as_millis()
}

/// Cryptographically secure random bytes.
pub(crate) fn random<const N: usize>() -> [u8; N] {
    let mut bytes = [0; N];
    getrandom::fill(&mut bytes).expect("every Worker has crypto.getRandomValues");
    bytes
}
