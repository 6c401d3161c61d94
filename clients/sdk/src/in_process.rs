//! A table in this process, without a server: an adapter around [`TableHost`], as the browser has one.
//!
//! It behaves like a connection: it takes frames and yields a [`ConnectionEvent`] for each thing that happens. Bots decide on
//! blocking threads. A batch of events is stored before the client gets any message that follows from it.

use std::{collections::VecDeque, fmt, io};

use texas42_client::{BotDecision, ClientCore, Ticket};
use texas42_hosting::{
    BotSettings, ConnectionIds, Creator, DecisionId, NewHost, Output, Setup, SetupStep, TableHost, id_for, id_of,
    rejoin_message,
};
use texas42_phrases::Problem;
use texas42_protocol::{ActionHint, ClientMessage, ServerMessage};
use texas42_room::{CodeClaim, ConnectionId, HintPoint, StoredEvent};
use tokio::task::JoinSet;

use crate::{
    connection::ConnectionEvent,
    platform::{now, random, sleep_until},
};

/// A game as it was stored.
#[derive(Clone, Debug)]
pub struct SavedGame {
    /// The ticket with which the creator returns to the seat.
    pub ticket: Ticket,
    /// The events of the table.
    pub log: Vec<StoredEvent>,
}

/// What a blocking thread has computed.
#[derive(Debug)]
enum Computed {
    /// The decision of a bot.
    Decision(DecisionId, Option<BotDecision>),
    /// Hints for the person.
    Hints(HintPoint, Vec<ActionHint>),
}

/// Where the game of an [`InProcessTable`] is stored. The table calls [`begin`](Self::begin) when a client creates a game, then
/// [`append`](Self::append) for each batch of events, and [`load`](Self::load) when a client connects to a table that is not in
/// memory.
pub trait GameStore: fmt::Debug + Send {
    /// The stored game, if there is one.
    ///
    /// # Errors
    /// When it cannot be read.
    fn load(&mut self) -> io::Result<Option<SavedGame>>;

    /// Starts a new game, which replaces the stored one when its first batch is appended.
    fn begin(&mut self, ticket: Ticket);

    /// Stores a batch of events, all or none. No client learns of events that are not stored.
    ///
    /// # Errors
    /// When they could not be stored. The table then restarts from what is stored.
    fn append(&mut self, events: &[StoredEvent]) -> io::Result<()>;
}

/// Keeps a game as long as the process lives.
#[derive(Clone, Debug, Default)]
pub struct MemoryStore {
    game: Option<SavedGame>,
}

impl GameStore for MemoryStore {
    fn load(&mut self) -> io::Result<Option<SavedGame>> {
        Ok(self.game.clone())
    }

    fn begin(&mut self, ticket: Ticket) {
        self.game = Some(SavedGame { ticket, log: Vec::new() });
    }

    fn append(&mut self, events: &[StoredEvent]) -> io::Result<()> {
        let game = self.game.as_mut().ok_or_else(|| io::Error::other("no game was started"))?;
        game.log.extend_from_slice(events);
        Ok(())
    }
}

/// A table in this process, and its client's connection to it.
#[derive(Debug)]
pub struct InProcessTable {
    store: Box<dyn GameStore>,
    bots: BotSettings,
    person: ConnectionId,
    /// `None` before the table is created, and after a save has failed.
    host: Option<TableHost>,
    /// Events that the client has not received yet.
    pending: VecDeque<ConnectionEvent>,
    decisions: JoinSet<Computed>,
}

impl InProcessTable {
    /// A table that is kept in this store. A client from [`ClientCore::resume`] continues the stored game; a client that creates
    /// a table replaces it.
    pub fn new(store: Box<dyn GameStore>, bots: BotSettings) -> Self {
        let person = ConnectionIds::new().next(|_| false);
        Self { store, bots, person, host: None, pending: VecDeque::new(), decisions: JoinSet::new() }
    }

    /// Waits for the next event. Cancel-safe: dropping the future loses nothing.
    pub async fn next_event(&mut self, client: &ClientCore) -> ConnectionEvent {
        if let Some(at) = client.connect_at() {
            sleep_until(Some(at)).await;
            return self.connect();
        }
        loop {
            if let Some(event) = self.poll_event() {
                return event;
            }
            if self.wait(client.wake_at()).await {
                return ConnectionEvent::Timer;
            }
        }
    }

    /// The next event that has happened already.
    pub(crate) fn poll_event(&mut self) -> Option<ConnectionEvent> {
        self.process_outputs();
        self.pending.pop_front()
    }

    /// Waits for a decision of a bot or for a wake-up time. Returns whether the wake-up time of the client has come.
    /// Cancel-safe.
    pub(crate) async fn wait(&mut self, client_wakes: Option<u64>) -> bool {
        let host_wakes = self.host.as_ref().and_then(TableHost::wake_at);
        let wakes = host_wakes.into_iter().chain(client_wakes).min();
        tokio::select! {
            Some(decided) = self.decisions.join_next() => {
                // A decision that panicked is dropped; the host continues without it.
                match (&mut self.host, decided) {
                    (Some(host), Ok(Computed::Decision(id, answer))) => {
                        host.handle_decision(now(), id, answer.as_ref());
                    }
                    (Some(host), Ok(Computed::Hints(point, hints))) => host.handle_hints(now(), point, hints),
                    _ => {}
                }
            }
            () = sleep_until(wakes) => {
                if let Some(host) = &mut self.host {
                    host.handle_time(now());
                }
            }
        }
        client_wakes.is_some_and(|at| at <= now())
    }

    /// Restores the saved table, unless it is loaded already.
    pub(crate) fn connect(&mut self) -> ConnectionEvent {
        if self.host.is_none() {
            match self.store.load() {
                Ok(saved) => self.host = saved.and_then(|saved| self.restore(&saved)),
                Err(error) => return ConnectionEvent::Unreachable(format!("{error:#}")),
            }
        }
        if let Some(host) = &mut self.host {
            host.handle_connected(now(), self.person);
        }
        ConnectionEvent::Connected
    }

    fn restore(&self, saved: &SavedGame) -> Option<TableHost> {
        let id = saved.ticket.game_id.clone();
        TableHost::restore(now(), id, &saved.log, [], self.bots, random()).ok()
    }

    /// Passes a message of the person to the table. A message that creates a table replaces the current one.
    pub fn send(&mut self, message: &ClientMessage) {
        let table = self.host.as_ref().map(TableHost::id);
        let is_new =
            matches!(message, ClientMessage::CreateGame { session_key: Some(key), .. } if table != Some(&id_of(key)));
        if is_new {
            return self.set_up(message);
        }
        let message = rejoin_message(message).unwrap_or_else(|| message.clone());
        if let Some(host) = &mut self.host {
            host.handle_message(now(), self.person, message);
        }
    }

    fn set_up(&mut self, message: &ClientMessage) {
        let creator = Creator::Connection(self.person);
        let id = id_for(message, random());
        let new = NewHost { now: now(), id, creator, bots: self.bots, randomness: random(), seed: random() };
        let mut setup = Setup::new(new, message.clone());
        loop {
            match setup.poll() {
                SetupStep::Progress(message) => self.queue(*message),
                SetupStep::Refused(message) => return self.queue(*message),
                SetupStep::Ready(host) => {
                    self.host = Some(*host);
                    return self.store.begin(creator_ticket(message));
                }
            }
        }
    }

    fn queue(&mut self, message: ServerMessage) {
        self.pending.push_back(ConnectionEvent::Message(Box::new(message)));
    }

    /// Stores what is left to store. The messages belong to a client that has gone.
    pub(crate) fn close(&mut self) {
        self.process_outputs();
        self.pending.clear();
    }

    /// Starts the decisions of bots, and processes the outputs of the host in order.
    fn process_outputs(&mut self) {
        let Some(mut host) = self.host.take() else { return };
        while let Some(request) = host.poll_decision_request() {
            self.decisions.spawn_blocking(move || Computed::Decision(request.id, request.decide()));
        }
        if let Some(request) = host.poll_hint_request() {
            self.decisions.spawn_blocking(move || Computed::Hints(request.point, request.compute()));
        }
        let mut is_saved = true;
        while let Some(output) = host.poll_output() {
            is_saved &= self.process_output(&mut host, output);
        }
        self.host = Some(host).filter(|_| is_saved);
    }

    /// Returns whether the table can continue; it cannot after a failed save.
    fn process_output(&mut self, host: &mut TableHost, output: Output) -> bool {
        match output {
            Output::Store { events, .. } => {
                if let Err(error) = self.store.append(&events) {
                    host.handle_store_failure(&error.to_string());
                    return false;
                }
            }
            Output::Send { text, .. } => {
                if let Ok(message) = serde_json::from_str(&text) {
                    self.queue(message);
                }
            }
            Output::Close { code, .. } => self.pending.push_back(ConnectionEvent::Closed(Some(code))),
            // Nobody else can reach a table in this process.
            Output::ClaimCode(_) => host.handle_claim(CodeClaim::Refused(Problem::NoLobbyHere)),
            Output::Answer { .. } | Output::Bind(_) | Output::ReleaseCode(_) => {}
        }
        true
    }
}

/// The ticket with which the person who creates a table returns to it.
fn creator_ticket(message: &ClientMessage) -> Ticket {
    match message {
        ClientMessage::CreateGame { session_key: Some(key), name, .. } => {
            Ticket { game_id: id_of(key), key: key.clone(), name: name.clone() }
        }
        _ => unreachable!("only a creation with a key sets a table up"),
    }
}
