//! A player at a table over any connection: a [`ClientCore`] that is driven until a condition holds.

use serde_json::{Value, json};
use texas42_client::{ClientCore, Credentials, Ticket};
use texas42_phrases::Phrase;
use texas42_protocol::{Capability, GameId, GameView, Grant, Role, SecretKey, ServerMessage, TableOptions};
use texas42_vocab::{Action, Config, Control, Domino, Phase, Seat};

use crate::{Connection, Host};

/// A client and its connection.
pub struct Player {
    /// The client.
    pub client: ClientCore,
    connection: Box<dyn Connection>,
    /// All received messages.
    pub heard: Vec<Value>,
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
        Self::enter(host, Credentials::Create { config, table, name, role: None, seat: None, entropy: None })
    }

    /// Creates a table with this configuration as Ann, in a role.
    pub fn create_as(host: &mut dyn Host, role: Role, seat: Option<Seat>, config: &Value, table: &Value) -> Self {
        let (config, table) =
            (serde_json::from_value(config.clone()).unwrap(), serde_json::from_value(table.clone()).unwrap());
        let name = "Ann".try_into().unwrap();
        Self::enter(host, Credentials::Create { config, table, name, role: Some(role), seat, entropy: None })
    }

    /// Joins a table with an invite.
    pub fn join(host: &mut dyn Host, game: &GameId, key: Option<SecretKey>, name: &str) -> Self {
        Self::enter(host, Credentials::join(game.clone(), key, name.try_into().unwrap()))
    }

    /// Joins a table with an invite, with these capabilities only.
    pub fn join_with(host: &mut dyn Host, game: &GameId, key: SecretKey, name: &str, asked: &[Capability]) -> Self {
        let mut credentials = Credentials::join(game.clone(), Some(key), name.try_into().unwrap());
        if let Credentials::Join { capabilities, .. } = &mut credentials {
            *capabilities = Some(asked.to_vec());
        }
        Self::enter(host, credentials)
    }

    /// Connects and waits until the player has joined, was refused, or waits in the lobby.
    pub fn enter(host: &mut dyn Host, entrance: Credentials) -> Self {
        Self::begin(host, ClientCore::new(entrance, texas42_server::serve::random()))
    }

    /// Rejoins with a ticket.
    pub fn resume(host: &mut dyn Host, ticket: Ticket) -> Self {
        Self::begin(host, ClientCore::resume(ticket, texas42_server::serve::random()))
    }

    fn begin(host: &mut dyn Host, client: ClientCore) -> Self {
        let mut player = Self { client, connection: host.connect(), heard: Vec::new(), now: 1 };
        player.client.handle_connected(1);
        let is_settled = |client: &ClientCore| client.is_joined() || client.is_over() || client.is_in_lobby();
        player.wait("to join", |player| is_settled(&player.client));
        player
    }

    /// Disconnects and rejoins over a new connection.
    pub fn reconnect(&mut self, host: &mut dyn Host) {
        self.client.handle_disconnected(self.now, None);
        self.now = self.client.connect_at().unwrap();
        self.connection = host.connect();
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

    /// Whether the player waits for the next deal.
    pub fn waits_for_deal(&self) -> bool {
        let own = self.view().players.iter().find(|shown| Some(&shown.player_id) == self.client.player_id());
        own.is_some_and(|shown| shown.waits_for_deal)
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
            self.connection.send(&serde_json::to_string(&frame).unwrap());
        }
    }

    /// Sends a message past the client.
    pub fn say(&mut self, message: &Value) {
        self.connection.send(&message.to_string());
    }

    /// Receives one message; returns whether there was one.
    pub fn receive_one(&mut self) -> bool {
        self.send();
        let Some(value) = self.connection.receive() else { return false };
        let message: ServerMessage = serde_json::from_value(value.clone()).unwrap_or_else(|e| panic!("{e}: {value}"));
        self.heard.push(value);
        self.client.handle_message(self.now, &message);
        while self.client.poll_event().is_some() {}
        true
    }

    /// Receives until the connection closes or is silent; returns the close code, if any.
    pub fn closed(&mut self) -> Option<u16> {
        while self.receive_one() {}
        self.connection.closed()
    }

    /// Receives until a condition holds.
    pub fn wait(&mut self, what: &str, mut condition: impl FnMut(&Self) -> bool) {
        for _ in 0..MAX_MESSAGES {
            self.send();
            if condition(self) {
                return;
            }
            if !self.receive_one() {
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

    /// Says a phrase, and returns the reply.
    pub fn talk(&mut self, phrase: Phrase, domino: Option<Domino>) -> Value {
        let request = json!(self.client.say(self.now, phrase, domino).unwrap());
        let is_reply = |message: &&Value| message["requestId"] == request;
        self.wait("the reply to a phrase", |player| player.heard.iter().any(|message| is_reply(&message)));
        self.heard.iter().find(is_reply).unwrap().clone()
    }

    /// Lets the player's coaches talk, or ends it, and waits for the reply.
    pub fn allow_coach(&mut self, allowed: bool) {
        self.client.allow_coach(self.now, allowed).unwrap();
        self.wait("the reply about the coach", |player| !player.client.is_waiting());
    }

    /// The player's own dominoes.
    pub fn hand(&self) -> Vec<Domino> {
        self.view().state.players[self.seat().index()].hand.into_iter().collect()
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
pub fn play_until(players: &mut [&mut Player], mut condition: impl FnMut(&[&mut Player]) -> bool) {
    for _ in 0..MAX_MESSAGES {
        if condition(players) {
            return;
        }
        match players.iter_mut().find_map(|player| player.choice().map(|action| (player, action))) {
            Some((player, action)) => player.act(action),
            None => {
                // A player may not have received the update about a turn or the end that others already have.
                catch_up(players);
                if condition(players) || players.iter().any(|player| player.choice().is_some()) {
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
