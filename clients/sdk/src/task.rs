//! The background task of a [`GameClient`](crate::GameClient): drives a client without I/O over its connection, and answers calls.
//!
//! Invariant: the view that an answer is about is shown before the call returns.

use std::{collections::BTreeMap, sync::Arc};

use texas42_client::{ClientCore, ClientEvent, Lobby};
use texas42_phrases::Problem;
use texas42_protocol::{RequestId, WireError};
use tokio::sync::{broadcast, mpsc, oneshot, watch};

use crate::{
    connection::{ClientSession, Connection, ConnectionError},
    game_client::{ClientError, Invite, JoinedSession, SaidPhrase, VersionedView},
    platform::now,
};

/// Where the result of a call goes.
pub(crate) type ReplySender<T> = oneshot::Sender<Result<T, ClientError>>;

/// A request of the client without I/O; it returns the id of the request.
pub(crate) type MakeRequest = Box<dyn FnOnce(&mut ClientCore, u64) -> Option<RequestId> + Send>;

/// The positive answer to a request.
#[derive(Debug)]
pub(crate) enum Answer {
    /// It was executed.
    Done,
    /// An invite was created.
    Invited(Invite),
    /// A request about the lobby was executed.
    Lobby,
    /// The session has left the table.
    Left,
}

/// A call of a program.
pub(crate) enum Command {
    /// Create, join or resume a game.
    Enter { client: Box<ClientCore>, reply: ReplySender<JoinedSession> },
    /// Make a request.
    Request { make: MakeRequest, reply: ReplySender<Answer> },
}

impl Command {
    /// Fails a call for which the client is in the wrong state.
    fn reject(self, error: ClientError) {
        match self {
            Self::Enter { reply, .. } => drop(reply.send(Err(error))),
            Self::Request { reply, .. } => drop(reply.send(Err(error))),
        }
    }
}

/// What the calls of a program read without waiting.
pub(crate) struct Shown {
    pub(crate) views: watch::Sender<Option<VersionedView>>,
    pub(crate) lobby: watch::Sender<Lobby>,
    pub(crate) phrases: broadcast::Sender<SaidPhrase>,
}

/// Runs until all clones of the client are dropped.
pub(crate) async fn run(mut connection: Connection, mut commands: mpsc::Receiver<Command>, shown: Shown) {
    while let Some(command) = commands.recv().await {
        match command {
            Command::Enter { client, reply } => {
                let session = ClientSession { client: *client, connection };
                let (entering, waiting) = (Some(reply), BTreeMap::new());
                let mut table = AtTable { session, entering, waiting, shown: &shown };
                let end = table.play(&mut commands).await;
                connection = table.end(end).await;
            }
            other => other.reject(ClientError::NotJoined),
        }
    }
}

/// Why a client is no longer at its table.
enum End {
    /// The table has executed the request to leave, of this call.
    Left(Option<ReplySender<Answer>>),
    /// The table ended the session.
    Over(WireError),
    /// The table cannot be reached.
    Unreachable(ConnectionError),
    /// The program dropped the client.
    Dropped,
}

/// A client between joining a table and leaving it.
struct AtTable<'a> {
    session: ClientSession,
    /// The call that joins, until the client has joined.
    entering: Option<ReplySender<JoinedSession>>,
    /// The calls that wait for an answer.
    waiting: BTreeMap<RequestId, ReplySender<Answer>>,
    shown: &'a Shown,
}

impl AtTable<'_> {
    async fn play(&mut self, commands: &mut mpsc::Receiver<Command>) -> End {
        loop {
            tokio::select! {
                command = commands.recv() => match command {
                    Some(command) => self.run_command(command),
                    None => return End::Dropped,
                },
                event = self.session.wait() => {
                    if let Err(error) = self.session.handle(event).await {
                        return End::Unreachable(error);
                    }
                }
            }
            self.show();
            while let Some(event) = self.session.client.poll_event() {
                if let ClientEvent::Left { request, .. } = &event {
                    return End::Left(self.waiting.remove(request));
                }
                self.handle_event(event);
            }
            self.session.send().await;
            if self.session.client.is_over() {
                let over = self.session.client.over().cloned();
                return End::Over(over.unwrap_or_else(|| WireError::new(Problem::SessionLeft)));
            }
        }
    }

    fn run_command(&mut self, command: Command) {
        match command {
            Command::Request { make, reply } if self.entering.is_none() => {
                match make(&mut self.session.client, now()) {
                    Some(request) => drop(self.waiting.insert(request, reply)),
                    None => drop(reply.send(Err(ClientError::NotNow))),
                }
            }
            Command::Request { reply, .. } => drop(reply.send(Err(ClientError::NotJoined))),
            command => command.reject(ClientError::AlreadyJoined),
        }
    }

    /// Shows the current view and its hints, if either has changed.
    fn show(&self) {
        self.shown.lobby.send_if_modified(|shown| {
            let lobby = self.session.client.lobby();
            let is_new = shown != lobby;
            if is_new {
                shown.clone_from(lobby);
            }
            is_new
        });
        let Some((version, view)) = self.session.client.table() else { return };
        let hints = self.session.client.hints();
        let is_shown =
            |shown: &VersionedView| shown.version == version && *shown.view == *view && *shown.hints == *hints;
        self.shown.views.send_if_modified(|shown| {
            let is_new = !shown.as_ref().is_some_and(is_shown);
            if is_new {
                *shown = Some(VersionedView { version, view: Arc::new(view.clone()), hints: hints.into() });
            }
            is_new
        });
    }

    fn handle_event(&mut self, event: ClientEvent) {
        match event {
            ClientEvent::Joined => {
                if let (Some(reply), Some(session)) = (self.entering.take(), session_of(&self.session.client)) {
                    reply.send(Ok(session)).ok();
                }
            }
            ClientEvent::Answered { request, .. } | ClientEvent::Said { request: Some(request), .. } => {
                self.answer(&request, Ok(Answer::Done));
            }
            // Nobody may be listening.
            ClientEvent::Said { request: None, player, phrase, domino } => {
                self.shown.phrases.send(SaidPhrase { player, phrase, domino }).ok();
            }
            ClientEvent::Invited { request, invite: number, key } => {
                let answer = key.map_or(Answer::Done, |key| Answer::Invited(Invite { number, key }));
                self.answer(&request, Ok(answer));
            }
            ClientEvent::LobbyChanged { request: Some(request) } => self.answer(&request, Ok(Answer::Lobby)),
            ClientEvent::Admitted { request, .. } => self.answer(&request, Ok(Answer::Done)),
            ClientEvent::Refused { request: Some(request), error } => {
                self.answer(&request, Err(ClientError::Refused(error)));
            }
            _ => {}
        }
    }

    fn answer(&mut self, request: &RequestId, answer: Result<Answer, ClientError>) {
        if let Some(reply) = self.waiting.remove(request) {
            reply.send(answer).ok();
        }
    }

    /// Fails the open calls and closes the connection, which can be used again.
    async fn end(self, end: End) -> Connection {
        self.shown.views.send_if_modified(|shown| shown.take().is_some());
        self.shown.lobby.send_replace(Lobby::default());
        let (error, left) = match end {
            End::Left(reply) => (ClientError::NotJoined, reply),
            End::Over(error) if self.entering.is_some() => (ClientError::Refused(error), None),
            End::Over(error) => (ClientError::Ended(error), None),
            End::Unreachable(error) => (ClientError::Unreachable(error), None),
            End::Dropped => (ClientError::Stopped, None),
        };
        if let Some(reply) = self.entering {
            reply.send(Err(error.clone())).ok();
        }
        self.waiting.into_values().for_each(|reply| drop(reply.send(Err(error.clone()))));
        let connection = self.session.close().await;
        left.map(|reply| reply.send(Ok(Answer::Left)));
        connection
    }
}

fn session_of(client: &ClientCore) -> Option<JoinedSession> {
    Some(JoinedSession {
        game_id: client.game_id()?.clone(),
        player_id: client.player_id()?.clone(),
        seat: client.seat(),
        capabilities: client.capabilities().to_vec(),
        ticket: client.ticket()?.clone(),
    })
}
