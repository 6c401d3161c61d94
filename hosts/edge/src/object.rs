//! The Durable Object of one game: its SQLite is the log, its sockets sleep when it does, its alarm moves the programs.
//!
//! Nothing here waits between a change and its writing, so nobody sees one without the other: the platform holds back
//! whatever leaves the object until what was written before is safe. When writing fails, the home is thrown away and
//! every socket is closed with the code that says "come back".

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

/// The words of a client that asks whether anybody is there, and the answer, which the platform gives without waking the
/// object.
const STILL_THERE: (&str, &str) = (r#"{"type":"PING","nonce":0}"#, r#"{"type":"PONG","nonce":0}"#);
/// The header in which the front says what it asks an object for, as JSON. It replaces one that comes from outside.
const ERRAND: &str = "x-texas42-errand";

/// The least wait of an alarm, in milliseconds. The clock of an object may be some behind the one that rings, so an object
/// may be woken before its time, or speak again in the same instant; and setting the very alarm that is ringing sets none.
const CLOCK_GRAIN: u64 = 20;

/// One game.
#[durable_object]
pub struct Table {
    state: State,
    settings: Settings,
    home: RefCell<Option<Home>>,
    /// The alarm that is set, as far as is known.
    alarm: Cell<Option<u64>>,
}

impl DurableObject for Table {
    fn new(state: State, env: Env) -> Self {
        let settings = Settings::read(|name| variable(&env, name));
        if let Ok(pair) = WebSocketRequestResponsePair::new(STILL_THERE.0, STILL_THERE.1) {
            state.set_websocket_auto_response(&pair);
        }
        Self { state, settings, home: RefCell::default(), alarm: Cell::default() }
    }

    async fn fetch(&self, mut req: worker::Request) -> Result<Response> {
        let url = req.inner().url();
        let Some(Asked { game, errand }) = Asked::read(&req)? else { return answer(&Answer::refused_as(404)) };
        if let ObjectRequest::Socket { may_create } = errand {
            return self.accept(&game, may_create);
        }
        let body = match read_body(&mut req, errand.max_bytes()).await? {
            Some(body) => body,
            None => return answer(&Answer::refused_as(413)),
        };
        let key = req.headers().get("authorization")?;
        let query = url.split_once('?').map_or("", |(_, query)| query);
        let request = Request { errand, query, key: key.as_deref(), body: &body };
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
        let Some(carried) = Carried::by(&ws) else { return Ok(()) };
        let from = carried.attachment.connection;
        let text = match message {
            WebSocketIncomingMessage::String(text) => text,
            // Not JSON, and said so by the one who reads JSON.
            WebSocketIncomingMessage::Binary(_) => "messages are JSON text".to_owned(),
        };
        self.with(Some(carried.game), Some(&carried.attachment), |home, now| home.handle_text(now, from, &text))
            .await
            .ok();
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

/// What the front asks for, and of which game: an object does not know its own name.
#[derive(Serialize, Deserialize)]
pub(crate) struct Asked {
    pub(crate) game: GameId,
    pub(crate) errand: ObjectRequest,
}

impl Asked {
    fn read(req: &worker::Request) -> Result<Option<Self>> {
        Ok(req.headers().get(ERRAND)?.and_then(|text| serde_json::from_str(&text).ok()))
    }

    pub(crate) fn write(&self, headers: &Headers) -> Result<()> {
        headers.set(ERRAND, &serde_json::to_string(self)?)
    }
}

/// What a socket carries: which game it is at, since an object does not know its own name, and who is behind it. As JSON, like
/// everything else here: the ways of the platform to keep values are another few kilobytes of code each.
#[derive(Serialize, Deserialize)]
struct Carried {
    game: GameId,
    attachment: Attachment,
}

impl Carried {
    fn by(socket: &WebSocket) -> Option<Self> {
        let text = socket.as_ref().deserialize_attachment().ok()?.as_string()?;
        serde_json::from_str(&text).ok()
    }

    fn give(&self, socket: &WebSocket) -> Result<()> {
        Ok(socket.as_ref().serialize_attachment(serde_json::to_string(self)?.into())?)
    }
}

impl Table {
    /// The home gives the socket its id, so it is built first; building one writes nothing.
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
        Carried { game: id.clone(), attachment }.give(&server)?;
        Response::from_websocket(client)
    }

    async fn lost(&self, ws: &WebSocket) -> Result<()> {
        let Some(carried) = Carried::by(ws) else { return Ok(()) };
        let from = carried.attachment.connection;
        self.with(Some(carried.game), Some(&carried.attachment), |home, now| home.handle_closed(now, from)).await.ok();
        Ok(())
    }

    /// Lets the home do something, carries out the outputs that follow, and sets the alarm. The answer to a request is given only
    /// when everything is written.
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
                self.tell_not_stored(home, &error);
                return Err(lost(&error));
            }
        }
        Ok((home.take_answer(), home.wake_at()))
    }

    /// Those who asked are told that nothing has happened.
    fn tell_not_stored(&self, home: &mut Home, error: &Error) {
        home.handle_store_failure(&error.to_string());
        while let Some(output) = home.poll_output() {
            self.carry_out(home.id(), output).ok();
        }
    }

    /// Builds the home from what is stored and from what the sockets carry.
    fn wake(&self, id: Option<GameId>, speaker: Option<&Attachment>) -> core::result::Result<Home, WireError> {
        let (stored_id, log) = self.read().map_err(|error| lost(&error))?;
        let id = stored_id.or(id).ok_or_else(|| WireError::new(Problem::NoSuchGame))?;
        let sockets = self.state.get_websockets();
        let mut sockets: Vec<Attachment> =
            sockets.iter().filter_map(Carried::by).map(|carried| carried.attachment).collect();
        let missing = speaker.filter(|speaker| sockets.iter().all(|known| known.connection != speaker.connection));
        sockets.extend(missing.cloned());
        Home::new(now(), id, &log, sockets, self.settings, random)
    }

    /// The log; nothing when there is no table. Looking writes nothing.
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

    /// The texts in the first column of what is asked for.
    fn column(&self, question: &str) -> Result<Vec<String>> {
        let mut texts = Vec::new();
        for row in self.sql().exec(question, None)?.raw() {
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
            // A socket that is gone in the meantime is told of by the platform.
            Output::Send { to, text, .. } => self.each(to, |socket| drop(socket.send_with_str(&text))),
            Output::Bind(binding) => self.each(binding.connection, |socket| {
                drop(Carried { game: id.clone(), attachment: binding.clone().into() }.give(socket));
            }),
            Output::Close { to, code } => {
                self.each(to, |socket| drop(socket.close(Some(code), Some(close::reason(code)))));
            }
            // The home keeps it until everything is written.
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

    /// An alarm that comes early does no harm, so one that is set and comes first is left alone: that saves a write.
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

    /// What could not be written has not happened: whoever comes back finds the table as it is stored.
    fn begin_again(&self) {
        self.home.take();
        self.alarm.set(None);
        let code = close::RESTORED;
        for socket in self.state.get_websockets() {
            socket.close(Some(code), Some(close::reason(code))).ok();
        }
    }
}

/// A socket that ends with a code: a page cannot read why a socket was not opened.
fn closed_at_once(code: u16) -> Result<Response> {
    let WebSocketPair { client, server } = WebSocketPair::new()?;
    server.accept()?;
    server.close(Some(code), Some(close::reason(code)))?;
    Response::from_websocket(client)
}

/// A variable of the deployment. One that is there and has no value is not there.
pub(crate) fn variable(env: &Env, name: &str) -> Option<String> {
    worker::js_sys::Reflect::get(env, &name.into()).ok()?.as_string()
}

fn js_date(at: u64) -> worker::js_sys::Date {
    worker::js_sys::Date::new(&(at as f64).into())
}

/// The body, unless it is longer than any can be.
pub(crate) async fn read_body(req: &mut worker::Request, most: usize) -> Result<Option<Vec<u8>>> {
    let length = req.headers().get("content-length")?.and_then(|length| length.parse::<usize>().ok());
    if length.is_some_and(|length| length > most) {
        return Ok(None);
    }
    let body = req.bytes().await?;
    Ok((body.len() <= most).then_some(body))
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

/// Bytes that nobody can guess.
pub(crate) fn random<const N: usize>() -> [u8; N] {
    let mut bytes = [0; N];
    getrandom::fill(&mut bytes).expect("every Worker has crypto.getRandomValues");
    bytes
}
