//! A player at a table over any connection: a [`GameClient`] that is driven until a condition holds.

use serde_json::{Value, json};
use texas42_client::{ClientEvent, Credentials, GameClient, Ticket};
use texas42_protocol::{GameId, GameView, Grant, Role, SecretKey, ServerMessage, TableOptions};
use texas42_vocab::{Action, Config, Control, Phase, Seat};

use crate::{Host, Line};

/// A client and its connection.
pub struct Player {
    /// The client.
    pub client: GameClient,
    line: Box<dyn Line>,
    /// All received messages.
    pub heard: Vec<Value>,
    news: Vec<ClientEvent>,
    now: u64,
}

/// Maximum number of messages to wait for.
const MAX_MESSAGES: usize = 20_000;

/// The seats of a table: `h` for a person, `a` for a bot.
pub fn seats(text: &str) -> [Control; 4] {
    let kinds: Vec<Control> = text.chars().map(|kind| if kind == 'h' { Control::Human } else { Control::Ai }).collect();
    kinds.try_into().unwrap()
}

/// A grant for a player on a seat.
pub fn seat_grant(seat: u8) -> Grant {
    serde_json::from_value(json!({ "role": "player", "seat": seat })).unwrap()
}

/// A grant for a role.
pub fn grant(role: Role, seat: Option<u8>) -> Grant {
    serde_json::from_value(json!({ "role": role, "seat": seat })).unwrap()
}

impl Player {
    /// Creates a table as Ann.
    pub fn create(host: &mut dyn Host, seats_text: &str, target: u16) -> Self {
        let config = Config { players: seats(seats_text), target: Some(target), ..Config::default() };
        Self::create_with(host, config, TableOptions { pause: 0, ..TableOptions::default() })
    }

    /// Creates a table with this configuration as Ann.
    pub fn create_with(host: &mut dyn Host, config: Config, table: TableOptions) -> Self {
        let name = "Ann".try_into().unwrap();
        Self::enter(host, Credentials::Create { config, table, name, entropy: None })
    }

    /// Joins a table with an invite.
    pub fn join(host: &mut dyn Host, game: &GameId, key: Option<SecretKey>, name: &str) -> Self {
        Self::enter(host, Credentials::join(game.clone(), key, name.try_into().unwrap()))
    }

    /// Connects and waits until the player has joined or was refused.
    pub fn enter(host: &mut dyn Host, entrance: Credentials) -> Self {
        Self::begin(host, GameClient::new(entrance, texas42_server::serve::random()))
    }

    /// Rejoins with a ticket.
    pub fn resume(host: &mut dyn Host, ticket: Ticket) -> Self {
        Self::begin(host, GameClient::resume(ticket, texas42_server::serve::random()))
    }

    fn begin(host: &mut dyn Host, client: GameClient) -> Self {
        let mut player = Self { client, line: host.connect(), heard: Vec::new(), news: Vec::new(), now: 1 };
        player.client.handle_connected(1);
        player.wait("to join", |player| player.client.is_joined() || player.client.is_over());
        player
    }

    /// Disconnects and rejoins over a new connection.
    pub fn reconnect(&mut self, host: &mut dyn Host) {
        self.client.handle_disconnected(self.now, None);
        self.now = self.client.connect_at().unwrap();
        self.line = host.connect();
        self.client.handle_connected(self.now);
        self.wait("to rejoin", |player| player.client.is_joined());
    }

    /// The table's id.
    pub fn game(&self) -> GameId {
        self.client.game_id().unwrap().clone()
    }

    /// The player's seat.
    pub fn seat(&self) -> Seat {
        self.client.seat().unwrap()
    }

    /// The current view.
    pub fn view(&self) -> &GameView {
        self.client.table().unwrap().1
    }

    /// The version of the view.
    pub fn version(&self) -> u64 {
        self.client.table().unwrap().0
    }

    /// Sends all frames that the client has queued.
    pub fn send(&mut self) {
        while let Some(frame) = self.client.poll_frame() {
            self.line.send(&serde_json::to_string(&frame).unwrap());
        }
    }

    /// Sends a message past the client.
    pub fn say(&mut self, message: &Value) {
        self.line.send(&message.to_string());
    }

    /// Receives one message; returns whether there was one.
    pub fn hear(&mut self) -> bool {
        self.send();
        let Some(value) = self.line.receive() else { return false };
        let message: ServerMessage = serde_json::from_value(value.clone()).unwrap_or_else(|e| panic!("{e}: {value}"));
        self.heard.push(value);
        self.client.handle_message(self.now, &message);
        self.news.extend(std::iter::from_fn(|| self.client.poll_event()));
        true
    }

    /// Receives until the connection closes or is silent; returns the close code, if any.
    pub fn closed(&mut self) -> Option<u16> {
        while self.hear() {}
        self.line.closed()
    }

    /// Receives until a condition holds.
    pub fn wait(&mut self, what: &str, mut is_there: impl FnMut(&Self) -> bool) {
        for _ in 0..MAX_MESSAGES {
            self.send();
            if is_there(self) {
                return;
            }
            if !self.hear() {
                let last: Vec<_> = self.heard.iter().rev().take(2).collect();
                panic!("waiting for {what}: nothing more came after {last:?}");
            }
        }
        panic!("waiting for {what}: too many messages");
    }

    /// Receives until a message of this type comes, and returns it.
    pub fn next(&mut self, kind: &str) -> Value {
        let from = self.heard.len();
        let is_kind = |message: &&Value| message["type"] == kind;
        self.wait(kind, |player| player.heard[from..].iter().any(|message| is_kind(&message)));
        self.heard[from..].iter().find(is_kind).unwrap().clone()
    }

    /// Sends a message, waits for an error, and returns its code.
    pub fn refused(&mut self, message: &Value) -> String {
        self.say(message);
        let error = self.next("ERROR");
        assert!(error["error"]["message"].as_str().is_some_and(|text| text.len() > 8), "{error}");
        error["error"]["code"].as_str().unwrap().to_owned()
    }

    /// Creates an invite; returns its key and its number.
    pub fn invite(&mut self, grant: Grant) -> (SecretKey, u32) {
        self.client.invite(self.now, grant, None).unwrap();
        let invited = self.next("INVITED");
        let key = SecretKey::try_from(invited["key"].as_str().unwrap().to_owned()).unwrap();
        (key, invited["invitation"].as_u64().unwrap() as u32)
    }

    /// Changes the control of a seat and waits for the reply.
    pub fn set_control(&mut self, seat: Seat, control: Control) {
        self.client.set_control(self.now, seat, control).unwrap();
        self.wait("the reply to a change of control", |player| !player.client.is_waiting());
    }

    /// Declares the player ready and waits for the reply.
    pub fn declare_ready(&mut self) {
        self.client.declare_ready(self.now).unwrap();
        self.wait("the reply to being ready", |player| !player.client.is_waiting());
    }

    /// The last valid action that is not a claim, if it is this player's turn.
    pub fn choice(&self) -> Option<Action> {
        let valid = self.client.valid_actions().iter().filter(|valid| valid.action.player().is_some());
        let mut plain = valid.filter(|valid| !matches!(valid.action, Action::Claim { .. }));
        plain.next_back().map(|valid| valid.action)
    }

    /// Executes an action and waits for the reply.
    pub fn act(&mut self, action: Action) {
        self.client.execute(self.now, action).unwrap();
        self.wait("the reply to an action", |player| !player.client.is_waiting());
    }

    /// Whether the game is over.
    pub fn is_over(&self) -> bool {
        matches!(self.view().state.phase, Phase::GameEnd | Phase::OneHandComplete)
    }
}

/// Lets everyone play until a condition holds; earlier players in the list act first.
pub fn play_until(players: &mut [&mut Player], mut is_there: impl FnMut(&[&mut Player]) -> bool) {
    for _ in 0..MAX_MESSAGES {
        if is_there(players) {
            return;
        }
        match players.iter_mut().find_map(|player| player.choice().map(|action| (player, action))) {
            Some((player, action)) => player.act(action),
            None => {
                // A player may not have received the update about a turn or the end that others already have.
                catch_up(players);
                if is_there(players) || players.iter().any(|player| player.choice().is_some()) {
                    continue;
                }
                let version = players[0].version();
                players[0]
                    .wait("the table to continue", |player| player.version() > version || player.choice().is_some());
            }
        }
        catch_up(players);
    }
    panic!("the condition was never met");
}

/// Receives until all players have the newest version.
pub fn catch_up(players: &mut [&mut Player]) {
    let newest = players.iter().map(|player| player.version()).max().unwrap();
    for player in players.iter_mut() {
        player.wait("the newest version", |player| player.version() >= newest);
    }
}
