//! A table in this process, without a server: an adapter around [`TableHost`], as the browser has one.
//!
//! It behaves like a connection: frames go in, [`Happened`] comes out. Bots think on threads of their own. Every batch of
//! events is saved before anything that follows from it is heard.

mod save;

use std::{collections::VecDeque, time::Duration};

use texas42_client::{Answer, GameClient, Ticket};
use texas42_hosting::{
    BotSettings, ConnectionIds, Creator, DecisionId, NewHost, Output, Setup, SetupStep, TableHost, id_for, id_of,
    rejoin_message,
};
use texas42_protocol::{ClientMessage, ServerMessage};
use texas42_room::ConnectionId;
use texas42_server::serve::{now, random};
use tokio::task::JoinSet;

pub use save::{SaveFile, Saved, user_folder};

use crate::wire::{Happened, until};

/// A table in this process, and the person's connection to it.
#[derive(Debug)]
pub struct OfflineTable {
    save: SaveFile,
    bots: BotSettings,
    person: ConnectionId,
    /// Not there before the table is created, or after a save failed.
    host: Option<TableHost>,
    heard: VecDeque<Happened>,
    thinking: JoinSet<(DecisionId, Option<Answer>)>,
}

impl OfflineTable {
    /// A table that is saved in this file. A client with [`GameClient::resume`] goes on with the saved game, a client that
    /// creates a table replaces it.
    pub fn new(save: SaveFile, bots: BotSettings) -> Self {
        let person = ConnectionIds::new().next(|_| false);
        Self { save, bots, person, host: None, heard: VecDeque::new(), thinking: JoinSet::new() }
    }

    /// Waits for the next thing to happen. It may be dropped while it waits, and nothing is lost.
    pub async fn turn(&mut self, client: &GameClient) -> Happened {
        if let Some(at) = client.connect_at() {
            tokio::time::sleep(until(at)).await;
            return self.connect();
        }
        loop {
            self.carry_out();
            if let Some(happened) = self.heard.pop_front() {
                return happened;
            }
            if self.wait(client.wake_at()).await {
                return Happened::Time;
            }
        }
    }

    /// Waits for a decision of a bot or for the time. Says whether the client's time has come.
    async fn wait(&mut self, client_wakes: Option<u64>) -> bool {
        let host_wakes = self.host.as_ref().and_then(TableHost::wake_at);
        let wait = host_wakes.into_iter().chain(client_wakes).min().map_or(Duration::from_secs(3600), until);
        tokio::select! {
            Some(decided) = self.thinking.join_next() => {
                // A decision that panicked never comes; the host goes on without it.
                if let (Some(host), Ok((ticket, answer))) = (&mut self.host, decided) {
                    host.handle_decision(now(), ticket, answer.as_ref());
                }
            }
            () = tokio::time::sleep(wait) => {
                if let Some(host) = &mut self.host {
                    host.handle_time(now());
                }
            }
        }
        client_wakes.is_some_and(|at| at <= now())
    }

    /// Restores the saved table, unless it is here already.
    fn connect(&mut self) -> Happened {
        if self.host.is_none() {
            match self.save.read() {
                Ok(saved) => self.host = saved.and_then(|saved| self.restore(&saved)),
                Err(error) => return Happened::Unreachable(format!("{error:#}")),
            }
        }
        if let Some(host) = &mut self.host {
            host.handle_connected(now(), self.person);
        }
        Happened::Connected
    }

    fn restore(&self, saved: &Saved) -> Option<TableHost> {
        let id = saved.ticket.game_id.clone();
        TableHost::restore(now(), id, &saved.log, [], self.bots, random()).ok()
    }

    /// The person says something.
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
        let founder = Creator::Connection(self.person);
        let id = id_for(message, random());
        let new = NewHost { now: now(), id, founder, bots: self.bots, randomness: random(), seed: random() };
        let mut setup = Setup::new(new, message.clone());
        loop {
            match setup.poll() {
                SetupStep::Progress(message) => self.hear(*message),
                SetupStep::Refused(message) => return self.hear(*message),
                SetupStep::Ready(host) => {
                    self.host = Some(*host);
                    return self.save.begin(own_seat(message));
                }
            }
        }
    }

    fn hear(&mut self, message: ServerMessage) {
        self.heard.push_back(Happened::FollowOutcome(Box::new(message)));
    }

    /// Lets bots think, and carries out what the table asks for, in its order.
    pub(crate) fn carry_out(&mut self) {
        let Some(mut host) = self.host.take() else { return };
        while let Some(thought) = host.poll_decision_request() {
            self.thinking.spawn_blocking(move || (thought.ticket, thought.decide()));
        }
        let mut is_saved = true;
        while let Some(output) = host.poll_output() {
            is_saved &= self.carry_out_one(&mut host, output);
        }
        self.host = Some(host).filter(|_| is_saved);
    }

    /// Says whether the table can go on.
    fn carry_out_one(&mut self, host: &mut TableHost, output: Output) -> bool {
        match output {
            Output::Store { events, .. } => {
                if let Err(error) = self.save.append(&events) {
                    host.handle_store_failure(&error.to_string());
                    return false;
                }
            }
            Output::Send { text, .. } => {
                if let Ok(message) = serde_json::from_str(&text) {
                    self.hear(message);
                }
            }
            Output::Close { code, .. } => self.heard.push_back(Happened::Gone(Some(code))),
            Output::Answer { .. } | Output::Bind(_) => {}
        }
        true
    }
}

/// How the person who creates a table comes back to it.
fn own_seat(message: &ClientMessage) -> Ticket {
    match message {
        ClientMessage::CreateGame { session_key: Some(key), name, .. } => {
            Ticket { game_id: id_of(key), key: key.clone(), name: name.clone() }
        }
        _ => unreachable!("only a creation with a key sets a table up"),
    }
}
