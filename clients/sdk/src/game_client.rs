//! The client of one table, for programs: every request is a call, and the table is followed in the background.

use std::sync::Arc;

use texas42_client::{ClientCore, Credentials, Lobby, Ticket};
use texas42_phrases::Phrase;
use texas42_protocol::{
    ActionHint, Capability, Entropy, GameId, GameView, Grant, Intent, Name, PlayerId, RequestId, Role, SecretKey,
    TableOptions, ValidAction, WireError,
};
use texas42_vocab::{Action, Config, Control, Domino, Seat};
use tokio::sync::{broadcast, mpsc, oneshot, watch};

use crate::{
    connection::ConnectionError,
    http::FoundLobby,
    mode::Mode,
    platform::random,
    task::{self, Answer, Command, ReplySender, Shown},
};

/// How many calls can wait for the background task.
const MAX_WAITING_CALLS: usize = 32;

/// How many phrases are kept for a slow listener.
const MAX_UNHEARD_PHRASES: usize = 32;

/// A phrase that somebody at the table said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SaidPhrase {
    /// The public id of the session that said it; its name is in the view.
    pub player: PlayerId,
    /// The phrase.
    pub phrase: Phrase,
    /// The domino of the student's hand that a coach points at.
    pub domino: Option<Domino>,
}

/// A table as one session sees it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VersionedView {
    /// The number of the events that led to this view.
    pub version: u64,
    /// The view.
    pub view: Arc<GameView>,
    /// The host's hints for the current decision, if the session may see hints. They arrive some time after the view.
    pub hints: Arc<[ActionHint]>,
}

/// A session at a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JoinedSession {
    /// The table.
    pub game_id: GameId,
    /// The public id of the session.
    pub player_id: PlayerId,
    /// The seat, if the session has one.
    pub seat: Option<Seat>,
    /// What the session may do and see.
    pub capabilities: Vec<Capability>,
    /// What to store for [`GameClient::resume_game`]. It contains a secret key.
    pub ticket: Ticket,
}

/// A new invite.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Invite {
    /// The number of the invite, needed to revoke it.
    pub number: u32,
    /// The key to pass on; see [`invite_url`](crate::invite_url).
    pub key: SecretKey,
}

/// Why a call failed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ClientError {
    /// The table refused the request, which had no effect. The `reason` of the error says why, as data.
    #[error("refused: {}", .0.message)]
    Refused(WireError),
    /// The client is at no table: join one first.
    #[error("the client is at no table")]
    NotJoined,
    /// The client is at a table already: leave it first.
    #[error("the client is at a table already")]
    AlreadyJoined,
    /// The session has ended for another reason than this request, which may or may not have been executed.
    #[error("the session has ended: {}", .0.message)]
    Ended(WireError),
    /// Too many requests wait for an answer, or there is nothing to request.
    #[error("the request cannot be made now")]
    NotNow,
    /// The table cannot be reached.
    #[error(transparent)]
    Unreachable(#[from] ConnectionError),
    /// The background task has ended, because its runtime was shut down.
    #[error("the client has been stopped")]
    Stopped,
}

/// A client of one table.
///
/// Order of calls: [`new`](Self::new), then one of [`create_game`](Self::create_game),
/// [`create_game_as`](Self::create_game_as), [`join_game`](Self::join_game), [`knock`](Self::knock) and
/// [`resume_game`](Self::resume_game), then any of the others in any order. There are three ways to stop: after
/// [`leave_game`](Self::leave_game), the seat is kept and a bot plays it meanwhile; after dropping all clones of the client,
/// the seat is kept and the table waits for its player; after [`give_up_seat`](Self::give_up_seat), the seat is given up for
/// good.
///
/// The client reconnects when the connection is lost, and repeats unanswered requests under their ids, so that each is
/// executed once. A call returns when the table has answered. Calls can be made from several tasks at once: clones share the
/// session. The crate documentation has an example.
#[derive(Clone, Debug)]
pub struct GameClient {
    commands: mpsc::Sender<Command>,
    views: watch::Receiver<Option<VersionedView>>,
    lobby: watch::Receiver<Lobby>,
    phrases: broadcast::Sender<SaidPhrase>,
}

impl GameClient {
    /// A client that is at no table yet. It runs in the background, on the current tokio runtime.
    ///
    /// # Panics
    /// If it is called outside of a tokio runtime.
    pub fn new(mode: Mode) -> Self {
        let (commands, received) = mpsc::channel(MAX_WAITING_CALLS);
        let (shown, views) = watch::channel(None);
        let (shown_lobby, lobby) = watch::channel(Lobby::default());
        let phrases = broadcast::Sender::new(MAX_UNHEARD_PHRASES);
        let shown = Shown { views: shown, lobby: shown_lobby, phrases: phrases.clone() };
        tokio::spawn(task::run(mode.connection(), received, shown));
        Self { commands, views, lobby, phrases }
    }

    /// Creates a table and takes its first human seat.
    ///
    /// # Errors
    /// If the configuration is refused, the table cannot be reached, or the client is at a table already.
    pub async fn create_game(
        &self,
        name: Name,
        config: Config,
        table: TableOptions,
    ) -> Result<JoinedSession, ClientError> {
        self.join_game(Credentials::Create { config, table, name, role: None, seat: None, entropy: None }).await
    }

    /// Creates a table in another role than that of a player: as a student, as a spectator, or as the coach of the person on
    /// `seat`, who joins later. Without a seat, a player or a student takes the first human seat.
    ///
    /// # Errors
    /// As [`create_game`](Self::create_game), and if a creator cannot have the role: a coach needs a table with open hands.
    pub async fn create_game_as(
        &self,
        name: Name,
        role: Role,
        seat: Option<Seat>,
        config: Config,
        table: TableOptions,
    ) -> Result<JoinedSession, ClientError> {
        self.join_game(Credentials::Create { config, table, name, role: Some(role), seat, entropy: None }).await
    }

    /// Joins a table: with an invite, or without one to watch an open table.
    ///
    /// # Errors
    /// If the table refuses, it cannot be reached, or the client is at a table already.
    pub async fn join_game(&self, credentials: Credentials) -> Result<JoinedSession, ClientError> {
        self.enter(ClientCore::new(credentials, random())).await
    }

    /// Asks the host of a table to be let in, and waits for the answer. Dropping the future does not withdraw the request;
    /// dropping the client does. [`find_lobby`](crate::find_lobby) looks up the table that a code leads to.
    ///
    /// # Errors
    /// If the host does not let the client in, the table refuses or cannot be reached, or the client is at a table already.
    pub async fn knock(&self, lobby: &FoundLobby, name: Name) -> Result<JoinedSession, ClientError> {
        self.join_game(lobby.credentials(name)).await
    }

    /// Returns to a session.
    ///
    /// # Errors
    /// If the session has ended, the table cannot be reached, or the client is at a table already.
    pub async fn resume_game(&self, ticket: Ticket) -> Result<JoinedSession, ClientError> {
        self.enter(ClientCore::resume(ticket, random())).await
    }

    /// Leaves the table. A player keeps the seat, which a bot plays meanwhile, and returns with the ticket. Returns when the table
    /// has answered; the client can then join another one. If the table is away, the client waits for it like with every
    /// request: a program that does not want to wait sets a timeout and drops the client.
    ///
    /// # Errors
    /// If the client is at no table, or the session ends for another reason.
    pub async fn leave_game(&self) -> Result<(), ClientError> {
        self.request(ClientCore::leave).await.map(drop)
    }

    /// Gives up the seat for good and leaves the table; the ticket is then invalid. Returns like
    /// [`leave_game`](Self::leave_game).
    ///
    /// # Errors
    /// If the table refuses, or the session ends for another reason.
    pub async fn give_up_seat(&self) -> Result<(), ClientError> {
        self.request(ClientCore::give_up_seat).await.map(drop)
    }

    /// The table as the session sees it now; `None` before the client has joined and after the session has ended.
    pub fn state(&self) -> Option<VersionedView> {
        self.views.borrow().clone()
    }

    /// What the session may do now.
    pub fn actions(&self) -> Vec<ValidAction> {
        self.state().map(|table| table.view.valid_actions.to_vec()).unwrap_or_default()
    }

    /// The host's hints for the current decision; see [`VersionedView::hints`].
    pub fn hints(&self) -> Vec<ActionHint> {
        self.state().map(|table| table.hints.to_vec()).unwrap_or_default()
    }

    /// Executes an action that is based on the current view. Returns the table after it.
    ///
    /// # Errors
    /// If the table refuses the action, for example because somebody else acted first, or the session has ended.
    pub async fn execute_action(&self, action: Action) -> Result<VersionedView, ClientError> {
        self.request(move |client, now| client.execute(now, action)).await?;
        self.state().ok_or(ClientError::NotJoined)
    }

    /// Executes an action that was decided on an earlier version, with a bot's reason for it. Returns the table after it. The
    /// table refuses the action if the version is too old.
    ///
    /// # Errors
    /// As [`execute_action`](Self::execute_action).
    pub async fn execute_action_at(
        &self,
        version: u64,
        action: Action,
        intent: Option<Intent>,
    ) -> Result<VersionedView, ClientError> {
        self.request(move |client, now| client.execute_at(now, version, action, intent)).await?;
        self.state().ok_or(ClientError::NotJoined)
    }

    /// Declares the player ready, if the table waits for it.
    ///
    /// # Errors
    /// If the table refuses, or does not wait for this player.
    pub async fn declare_ready(&self) -> Result<(), ClientError> {
        self.request(ClientCore::declare_ready).await.map(drop)
    }

    /// Declines the undo that another player asks for. To allow it, execute the same undo.
    ///
    /// # Errors
    /// If the table refuses, or nobody asks this player.
    pub async fn decline_undo(&self) -> Result<(), ClientError> {
        self.request(ClientCore::decline_undo).await.map(drop)
    }

    /// Lets a bot play a seat, or takes the seat back from a bot.
    ///
    /// # Errors
    /// If the table refuses, or the session has ended.
    pub async fn set_control(&self, seat: Seat, control: Control) -> Result<(), ClientError> {
        self.request(move |client, now| client.set_control(now, seat, control)).await.map(drop)
    }

    /// Creates an invite.
    ///
    /// # Errors
    /// If the table refuses, or the session has ended.
    pub async fn invite(&self, grant: Grant) -> Result<Invite, ClientError> {
        let key = SecretKey::new(random());
        match self.request(move |client, now| client.invite(now, grant, Some(key))).await? {
            Answer::Invited(invite) => Ok(invite),
            Answer::Done | Answer::Lobby | Answer::Left => Err(ClientError::NotNow),
        }
    }

    /// Revokes the invite with this number, and ends the sessions that joined with it.
    ///
    /// # Errors
    /// If the table refuses, for example because somebody plays a rated game with the invite, or the session has ended.
    pub async fn revoke(&self, invite: u32) -> Result<(), ClientError> {
        self.request(move |client, now| client.revoke(now, invite)).await.map(drop)
    }

    /// Opens the lobby of the table, or replaces its code. Returns the lobby with the code that others type.
    ///
    /// # Errors
    /// If the table refuses, or the session has ended.
    pub async fn open_lobby(&self, renew: bool) -> Result<Lobby, ClientError> {
        self.request(move |client, now| client.open_lobby(now, renew)).await.map(|_| self.lobby())
    }

    /// Ends the code of the table, and sends the guests who wait away.
    ///
    /// # Errors
    /// If the table refuses, or the session has ended.
    pub async fn close_lobby(&self) -> Result<(), ClientError> {
        self.request(ClientCore::close_lobby).await.map(drop)
    }

    /// Lets a guest in who waits in the lobby, with what an invite would grant.
    ///
    /// # Errors
    /// If the guest is gone, the table refuses, or the session has ended.
    pub async fn admit(&self, guest: PlayerId, grant: Grant) -> Result<(), ClientError> {
        self.request(move |client, now| client.admit(now, guest, grant)).await.map(drop)
    }

    /// Turns a guest away who waits in the lobby.
    ///
    /// # Errors
    /// If the table refuses, or the session has ended.
    pub async fn turn_away(&self, guest: PlayerId) -> Result<(), ClientError> {
        self.request(move |client, now| client.turn_away(now, guest)).await.map(drop)
    }

    /// The lobby of the table, for the person who manages it. Over HTTP, it is as the last request returned it;
    /// [`open_lobby`](Self::open_lobby) asks for it again.
    pub fn lobby(&self) -> Lobby {
        self.lobby.borrow().clone()
    }

    /// Waits until the lobby changes. Cancel-safe.
    pub async fn lobby_changed(&mut self) -> Option<Lobby> {
        self.lobby.changed().await.ok()?;
        Some(self.lobby.borrow_and_update().clone())
    }

    /// Changes the rules or options before the first game, for sessions with `configure-variant`. What is absent stays.
    ///
    /// # Errors
    /// If the table refuses, or the session has ended.
    pub async fn configure(&self, config: Option<Config>, table: Option<TableOptions>) -> Result<(), ClientError> {
        self.request(move |client, now| client.configure(now, config, table)).await.map(drop)
    }

    /// Starts another game at the same table. Without `entropy`, reuses the randomness of the last game.
    ///
    /// # Errors
    /// If the table refuses, or the session has ended.
    pub async fn rematch(&self, entropy: Option<Entropy>) -> Result<(), ClientError> {
        self.rematch_with(entropy, None, None).await
    }

    /// Starts another game with new rules or options, for sessions with `configure-variant`. What is absent stays.
    ///
    /// # Errors
    /// If the table refuses, or the session has ended.
    pub async fn rematch_with(
        &self,
        entropy: Option<Entropy>,
        config: Option<Config>,
        table: Option<TableOptions>,
    ) -> Result<(), ClientError> {
        self.request(move |client, now| client.rematch_with(now, entropy, config, table)).await.map(drop)
    }

    /// Says a phrase. A coach points at a domino of the student's hand with some of them.
    ///
    /// # Errors
    /// If the table refuses, or the session has ended.
    pub async fn say(&self, phrase: Phrase, domino: Option<Domino>) -> Result<(), ClientError> {
        self.request(move |client, now| client.say(now, phrase, domino)).await.map(drop)
    }

    /// Allows the coaches of this player to talk, or ends it.
    ///
    /// # Errors
    /// If the table refuses, or the session has ended.
    pub async fn allow_coach(&self, allowed: bool) -> Result<(), ClientError> {
        self.request(move |client, now| client.allow_coach(now, allowed)).await.map(drop)
    }

    /// Listens to what the others say from now on. A table that is reached over HTTP delivers nothing.
    pub fn listen(&self) -> Listener {
        Listener { phrases: self.phrases.subscribe() }
    }

    /// Follows the table. The subscription starts with the current view, if there is one.
    pub fn subscribe(&self) -> Subscription {
        let mut views = self.views.clone();
        views.mark_changed();
        Subscription { views, has_begun: false }
    }

    /// Makes a request of the client without I/O and waits for its answer.
    async fn request(
        &self,
        make: impl FnOnce(&mut ClientCore, u64) -> Option<RequestId> + Send + 'static,
    ) -> Result<Answer, ClientError> {
        self.call(|reply| Command::Request { make: Box::new(make), reply }).await
    }

    async fn enter(&self, client: ClientCore) -> Result<JoinedSession, ClientError> {
        self.call(|reply| Command::Enter { client: Box::new(client), reply }).await
    }

    async fn call<T>(&self, command: impl FnOnce(ReplySender<T>) -> Command) -> Result<T, ClientError> {
        let (reply, answer) = oneshot::channel();
        self.commands.send(command(reply)).await.map_err(|_| ClientError::Stopped)?;
        answer.await.unwrap_or(Err(ClientError::Stopped))
    }
}

/// The views of a table, in order. A slow reader skips views: it always gets the newest one.
#[derive(Debug)]
pub struct Subscription {
    views: watch::Receiver<Option<VersionedView>>,
    has_begun: bool,
}

impl Subscription {
    /// Waits for the next view. `None` when the session has ended or the client has been stopped. Cancel-safe.
    pub async fn next(&mut self) -> Option<VersionedView> {
        loop {
            self.views.changed().await.ok()?;
            let view = self.views.borrow_and_update().clone();
            if view.is_some() || self.has_begun {
                self.has_begun = view.is_some();
                return view;
            }
        }
    }
}

/// What the others say, in order. A listener that is far behind misses the oldest phrases.
#[derive(Debug)]
pub struct Listener {
    phrases: broadcast::Receiver<SaidPhrase>,
}

impl Listener {
    /// Waits for the next phrase. `None` when all clones of the client have been dropped. Cancel-safe.
    pub async fn next(&mut self) -> Option<SaidPhrase> {
        loop {
            match self.phrases.recv().await {
                Ok(said) => return Some(said),
                Err(broadcast::error::RecvError::Lagged(_)) => {}
                Err(broadcast::error::RecvError::Closed) => return None,
            }
        }
    }
}
