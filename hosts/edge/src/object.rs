//! The Durable Object of one game. It stores the log in SQLite, hibernates with its sockets, and moves bots by alarms.
//!
//! There is no `await` between a state change and its write, and the platform holds back outgoing messages until earlier
//! writes are durable. So clients never see state that is not stored. If a write fails, the object drops its [`Home`] and
//! closes every socket with [`close::RESTORED`], which tells clients to reconnect.

use std::cell::{Cell, RefCell};

use serde::{Deserialize, Serialize};
use texas42_client::close;
use texas42_hosting::{Answer, Output};
use texas42_phrases::Problem;
use texas42_protocol::{GameId, WireError};
use texas42_room::{ConnectionId, StoredEvent};
use worker::{
    Date, DurableObject, Env, Error, Headers, Response, ResponseBuilder, Result, ScheduledTime, SqlStorage,
    SqlStorageValue, State, WebSocket, WebSocketIncomingMessage, WebSocketPair, durable_object,
    worker_sys::{WebSocketRequestResponsePair, ext::WebSocketExt},
};

use crate::{Attachment, Home, ObjectRequest, Request, Settings};

/// The keep-alive ping of clients and its answer, which the platform sends without waking the object.
const KEEP_ALIVE: (&str, &str) = (r#"{"type":"PING","nonce":0}"#, r#"{"type":"PONG","nonce":0}"#);
/// The header that carries an [`AddressedRequest`] as JSON. The Worker overwrites any value that a client sends.
const REQUEST_HEADER: &str = "x-texas42-errand";

/// The minimum delay of an alarm, in milliseconds. An object's clock may lag behind the alarm clock, so an alarm may fire
/// early, and setting an alarm for the time of the one that is firing has no effect.
const CLOCK_GRAIN: u64 = 20;

/// One game.
#[durable_object]
pub struct Table {
    state: State,
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
        Self { state, settings, home: RefCell::default(), alarm: Cell::default() }
    }

    async fn fetch(&self, mut req: worker::Request) -> Result<Response> {
        let url = req.inner().url();
        let Some(AddressedRequest { game, kind }) = AddressedRequest::read(&req)? else {
            return answer(&Answer::refused_as(404));
        };
        if let ObjectRequest::Socket { may_create } = kind {
            return self.accept(&game, may_create);
        }
        let body = match read_body(&mut req, kind.max_bytes()).await? {
            Some(body) => body,
            None => return answer(&Answer::refused_as(413)),
        };
        let key = req.headers().get("authorization")?;
        let query = url.split_once('?').map_or("", |(_, query)| query);
        let request = Request { kind, query, key: key.as_deref(), body: &body };
        let done = self.with(Some(game), None, |home, now| home.handle_request(now, &request)).await;
        let answered = done.map(|answered| answered.unwrap_or_else(|| Answer::refused_as(503)));
        answer(&answered.unwrap_or_else(|error| Answer::refusal(None, error)))
    }

    async fn alarm(&self) -> Result<Response> {
        self.alarm.set(None);
        self.with(None, None, Home::handle_time).await.ok();
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
        self.lost(&ws).await?;
        let code = u16::try_from(code).ok().filter(|code| (1000..5000).contains(code) && !(1004..=1006).contains(code));
        ws.close(code.or(Some(1000)), None::<&str>).ok();
        Ok(())
    }

    async fn websocket_error(&self, ws: WebSocket, _: Error) -> Result<()> {
        self.lost(&ws).await
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

impl Table {
    /// Accepts a socket. The home assigns its connection id, so the home is built first; that writes nothing.
    fn accept(&self, id: &GameId, may_create: bool) -> Result<Response> {
        let mut place = self.home.borrow_mut();
        let home = match &mut *place {
            Some(home) => home,
            None => match self.wake(Some(id.clone()), None) {
                Ok(home) => place.insert(home),
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

    async fn lost(&self, ws: &WebSocket) -> Result<()> {
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
    ) -> core::result::Result<Option<Answer>, WireError> {
        match self.act(id, speaker, act) {
            Ok((answer, wake)) => {
                self.wake_at(wake).await.map_err(|error| lost(&error))?;
                Ok(answer)
            }
            Err(error) => {
                worker::console_error!("{}", error.message);
                self.begin_again();
                Err(error)
            }
        }
    }

    fn act(
        &self,
        id: Option<GameId>,
        speaker: Option<&Attachment>,
        act: impl FnOnce(&mut Home, u64),
    ) -> core::result::Result<(Option<Answer>, Option<u64>), WireError> {
        let mut place = self.home.borrow_mut();
        let home = match &mut *place {
            Some(home) => home,
            None => place.insert(self.wake(id, speaker)?),
        };
        act(home, now());
        while let Some(output) = home.poll_output() {
            if let Err(error) = self.carry_out(home.id(), output) {
                self.report_store_failure(home, &error);
                return Err(lost(&error));
            }
        }
        Ok((home.take_answer(), home.wake_at()))
    }

    /// Answers pending requests with an error.
    fn report_store_failure(&self, home: &mut Home, error: &Error) {
        home.handle_store_failure(&error.to_string());
        while let Some(output) = home.poll_output() {
            self.carry_out(home.id(), output).ok();
        }
    }

    /// Builds the home from the stored log and the socket attachments.
    fn wake(&self, id: Option<GameId>, speaker: Option<&Attachment>) -> core::result::Result<Home, WireError> {
        let (stored_id, log) = self.read().map_err(|error| lost(&error))?;
        let id = stored_id.or(id).ok_or_else(|| WireError::new(Problem::NoSuchGame))?;
        let sockets = self.state.get_websockets();
        let mut sockets: Vec<Attachment> =
            sockets.iter().filter_map(SocketData::read).map(|data| data.attachment).collect();
        let missing = speaker.filter(|speaker| sockets.iter().all(|known| known.connection != speaker.connection));
        sockets.extend(missing.cloned());
        Home::new(now(), id, &log, sockets, self.settings, random)
    }

    /// Reads the game id and the log, which is empty if there is no table. This never writes.
    fn read(&self) -> Result<(Option<GameId>, Vec<StoredEvent>)> {
        if self.column("SELECT name FROM sqlite_master WHERE type = 'table' AND name = 'log'")?.is_empty() {
            return Ok((None, Vec::new()));
        }
        let id = self.column("SELECT id FROM game")?.pop().and_then(|id| GameId::try_from(id).ok());
        let mut log = Vec::new();
        for events in self.column("SELECT events FROM log ORDER BY first")? {
            log.extend(serde_json::from_str::<Vec<StoredEvent>>(&events)?);
        }
        Ok((id, log))
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

    fn carry_out(&self, id: &GameId, output: Output) -> Result<()> {
        match output {
            Output::Store { game, first, events } => self.store(&game, first, &events)?,
            // If the socket is gone, the platform reports that separately.
            Output::Send { to, text, .. } => self.each(to, |socket| drop(socket.send_with_str(&text))),
            Output::Bind(binding) => self.each(binding.connection, |socket| {
                drop(SocketData { game: id.clone(), attachment: binding.clone().into() }.write(socket));
            }),
            Output::Close { to, code } => {
                self.each(to, |socket| drop(socket.close(Some(code), Some(close::reason(code)))));
            }
            // `Home::take_answer` returns it after all writes.
            Output::Answer { .. } => {}
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

    fn each(&self, to: ConnectionId, act: impl Fn(&WebSocket)) {
        self.state.get_websockets_with_tag(&tag(to)).iter().for_each(act);
    }

    /// Sets the alarm. An early alarm is harmless, so an earlier pending one is kept, which saves a write.
    async fn wake_at(&self, wake: Option<u64>) -> Result<()> {
        let Some(wake) = wake else { return Ok(()) };
        let now = now();
        if self.alarm.get().is_some_and(|set| set > now && set <= wake) {
            return Ok(());
        }
        let at = wake.max(now + CLOCK_GRAIN);
        self.alarm.set(Some(at));
        self.state.storage().set_alarm(ScheduledTime::new(js_date(at))).await
    }

    /// Discards unsaved state: drops the home and disconnects all clients. They reconnect to the table as stored.
    fn begin_again(&self) {
        self.home.take();
        self.alarm.set(None);
        let code = close::RESTORED;
        for socket in self.state.get_websockets() {
            socket.close(Some(code), Some(close::reason(code))).ok();
        }
    }
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

fn js_date(at: u64) -> worker::js_sys::Date {
    worker::js_sys::Date::new(&(at as f64).into())
}

/// Reads the body. Returns `None` if it is longer than `limit`.
pub(crate) async fn read_body(req: &mut worker::Request, limit: usize) -> Result<Option<Vec<u8>>> {
    let length = req.headers().get("content-length")?.and_then(|length| length.parse::<usize>().ok());
    if length.is_some_and(|length| length > limit) {
        return Ok(None);
    }
    let body = req.bytes().await?;
    Ok((body.len() <= limit).then_some(body))
}

pub(crate) fn answer(answer: &Answer) -> Result<Response> {
    let builder = ResponseBuilder::new()
        .with_status(answer.status)
        .with_header("content-type", "application/json")?
        .with_header("cache-control", "no-store")?;
    let builder = if answer.status == 429 { builder.with_header("retry-after", "2")? } else { builder };
    Ok(builder.fixed(answer.body.clone().into_bytes()))
}

fn lost(error: &Error) -> WireError {
    WireError::new(Problem::NotWritten { detail: error.to_string() })
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
