//! The tables of a browser without the browser: frames, logs and the time go in, outputs come out, to be carried out in order.
//! Each table is a [`TableHost`]; this finds the table of a frame, reads the logs of tables, and sets new ones up.
//!
//! Invariant: what a table asks to store comes out before what it then sends, so a worker that carries out outputs in order
//! acknowledges nothing that is not written down.

use std::collections::{BTreeMap, VecDeque};

use texas42_ai::Strategy;
use texas42_client::Pace;
use texas42_hosting::{
    BotSettings, ConnectionIds, Founder, NewHost, Output, Setup, SetupStep, TableHost, Thinking, come_back_instead,
    id_for, id_of, unreadable,
};
use texas42_phrases::Problem;
use texas42_protocol::{ClientMessage, GameId, ServerMessage, WireError};
use texas42_room::{ConnectionId, Stored};

/// The most tables that are kept awake: a page plays at one.
const MOST_AWAKE: usize = 4;

/// A table that is being set up, for a connection.
struct SettingUp {
    from: ConnectionId,
    setup: Setup,
}

/// The tables of a browser, and what is to be done for them.
pub struct Tables {
    /// The one that was woken last stands last.
    awake: Vec<TableHost>,
    /// The table that a connection is at.
    places: BTreeMap<ConnectionId, GameId>,
    /// What was said to tables whose logs are being read.
    waiting: Vec<(GameId, ConnectionId, ClientMessage)>,
    setting_up: Option<SettingUp>,
    loads: VecDeque<GameId>,
    outputs: VecDeque<Output>,
    ids: ConnectionIds,
    random: Box<dyn FnMut() -> [u8; 32]>,
    bots: BotSettings,
}

impl Tables {
    /// No tables yet. Randomness comes from the browser.
    pub fn new(random: impl FnMut() -> [u8; 32] + 'static) -> Self {
        Self {
            awake: Vec::new(),
            places: BTreeMap::new(),
            waiting: Vec::new(),
            setting_up: None,
            loads: VecDeque::new(),
            outputs: VecDeque::new(),
            ids: ConnectionIds::new(),
            random: Box::new(random),
            bots: BotSettings { pace: Pace::NATURAL, strategy: Strategy::Intermediate, worlds: None },
        }
    }

    /// How long bots wait before they move, and how well they play, at tables that are woken from now on.
    pub fn set_bots(&mut self, pace: Pace, level: &str) {
        let strategy = level.parse().unwrap_or(self.bots.strategy);
        self.bots = BotSettings { pace, strategy, worlds: None };
    }

    /// When [`Tables::handle_time`] is due.
    pub fn wake_at(&self) -> Option<u64> {
        let setting_up = self.setting_up.as_ref().map(|_| 0);
        self.awake.iter().filter_map(TableHost::wake_at).chain(setting_up).min()
    }

    /// The next thing to carry out. When a store fails, call [`Tables::handle_not_stored`] and go on.
    pub fn poll_output(&mut self) -> Option<Output> {
        let own = self.outputs.pop_front();
        let output = own.or_else(|| self.awake.iter_mut().find_map(TableHost::poll_output));
        if let Some(Output::Close { to, .. }) = &output {
            self.places.remove(to);
        }
        output
    }

    /// The next table whose log is to be read, and given to [`Tables::handle_log`].
    pub fn poll_load(&mut self) -> Option<GameId> {
        self.loads.pop_front()
    }

    /// The id of a connection that is there from now on, at no table yet.
    pub fn connect(&mut self) -> ConnectionId {
        self.ids.next(|_| false)
    }

    /// A connection says something.
    pub fn handle_text(&mut self, now: u64, from: ConnectionId, text: &str) {
        match texas42_protocol::read(text) {
            Ok(message) => self.handle_message(now, from, message),
            Err(error) => self.send(from, &unreadable(text, &error)),
        }
    }

    /// A connection is gone. The page's own never is.
    pub fn handle_closed(&mut self, now: u64, from: ConnectionId) {
        self.setting_up.take_if(|table| table.from == from);
        self.part(now, from);
    }

    /// Some time has passed.
    pub fn handle_time(&mut self, now: u64) {
        self.set_up(now);
        for table in &mut self.awake {
            table.handle_time(now);
            table.think(now, Thinking::Early);
        }
    }

    /// What was written down about a table; empty when nothing was.
    pub fn handle_log(&mut self, now: u64, game: &GameId, log: &[Stored]) {
        let (waiting, others) = std::mem::take(&mut self.waiting).into_iter().partition(|(other, ..)| other == game);
        self.waiting = others;
        let waiting: Vec<(GameId, ConnectionId, ClientMessage)> = waiting;
        let seed = (self.random)();
        if let Ok(table) = TableHost::restore(now, game.clone(), log, [], self.bots, seed) {
            self.wake(table);
        }
        for (_, from, message) in waiting {
            match message {
                ClientMessage::CreateGame { .. } if !self.is_awake(game) => self.begin(now, from, message),
                message => self.forward(now, from, message),
            }
        }
    }

    /// The events of a table could not be written down. Those who asked are told, and the table begins again from its log.
    pub fn handle_not_stored(&mut self, game: &GameId, reason: &str) {
        if let Some(at) = self.awake.iter().position(|table| table.id() == game) {
            let mut table = self.awake.remove(at);
            table.handle_not_stored(reason);
            self.outputs.extend(std::iter::from_fn(|| table.poll_output()));
            self.places.retain(|_, place| place != game);
        }
    }

    /// What happened at a table in the hands that are over; see `Room::record`.
    pub fn record(&self, game: &str) -> Option<String> {
        self.awake.iter().find(|table| table.id().as_str() == game)?.room().record()
    }

    fn handle_message(&mut self, now: u64, from: ConnectionId, message: ClientMessage) {
        if let ClientMessage::Ping { nonce } = message {
            return self.send(from, &ServerMessage::Pong { nonce, time: None });
        }
        if self.is_being_done(from, &message) {
            return;
        }
        // A page plays at one table: who wants something else does not want the one that is being set up any more.
        self.setting_up.take_if(|table| table.from == from);
        match &message {
            ClientMessage::CreateGame { session_key: Some(key), .. } => {
                let game = id_of(key);
                match self.is_awake(&game) {
                    true => self.forward(now, from, message),
                    false => self.fetch(game, from, message),
                }
            }
            ClientMessage::CreateGame { .. } => self.begin(now, from, message),
            message => self.route(now, from, message.clone()),
        }
    }

    /// A client that hears nothing for a while asks again for the table that it is about to get.
    fn is_being_done(&self, from: ConnectionId, message: &ClientMessage) -> bool {
        self.setting_up.as_ref().is_some_and(|table| table.from == from && table.setup.is_for(message))
    }

    fn route(&mut self, now: u64, from: ConnectionId, message: ClientMessage) {
        let Some(game) = message.game_id().cloned() else { return };
        let is_there = self.places.get(&from) == Some(&game);
        if !is_there && !matches!(message, ClientMessage::JoinGame { .. }) {
            let error = WireError::new(Problem::JoinFirst);
            self.refuse(from, &message, error);
        } else if self.is_awake(&game) {
            self.forward(now, from, message);
        } else {
            self.fetch(game, from, message);
        }
    }

    /// Says something to the table that it is about, at which the connection is from now on.
    fn forward(&mut self, now: u64, from: ConnectionId, message: ClientMessage) {
        let message = come_back_instead(&message).unwrap_or(message);
        let Some(game) = message.game_id().filter(|game| self.is_awake(game)).cloned() else {
            let error = WireError::new(Problem::NoSuchGameInBrowser);
            return self.refuse(from, &message, error);
        };
        self.sit_down(now, from, &game);
        if let Some(table) = self.awake.iter_mut().find(|table| *table.id() == game) {
            table.handle_message(now, from, message);
            table.think(now, Thinking::Early);
        }
    }

    /// A connection is at one table at a time.
    fn sit_down(&mut self, now: u64, from: ConnectionId, game: &GameId) {
        if self.places.get(&from) != Some(game) {
            self.part(now, from);
            self.places.insert(from, game.clone());
        }
        if let Some(table) = self.awake.iter_mut().find(|table| table.id() == game) {
            table.handle_connected(now, from);
        }
    }

    fn part(&mut self, now: u64, from: ConnectionId) {
        let Some(game) = self.places.remove(&from) else { return };
        if let Some(table) = self.awake.iter_mut().find(|table| *table.id() == game) {
            table.handle_closed(now, from);
            table.think(now, Thinking::Early);
        }
    }

    fn begin(&mut self, now: u64, from: ConnectionId, message: ClientMessage) {
        let (randomness, id, seed) = ((self.random)(), (self.random)(), (self.random)());
        let id = id_for(&message, core::array::from_fn(|at| id[at]));
        let new = NewHost { now, id, founder: Founder::Connection(from), bots: self.bots, randomness, seed };
        self.setting_up = Some(SettingUp { from, setup: Setup::new(new, message) });
        self.set_up(now);
    }

    /// One slice of setting a table up; the next one comes with the time.
    fn set_up(&mut self, now: u64) {
        let Some(mut table) = self.setting_up.take() else { return };
        match table.setup.poll() {
            SetupStep::Progress(message) => {
                self.send(table.from, &message);
                self.setting_up = Some(table);
            }
            SetupStep::Refused(message) => self.send(table.from, &message),
            SetupStep::Ready(host) => self.host(now, table.from, *host),
        }
    }

    fn host(&mut self, now: u64, founder: ConnectionId, table: TableHost) {
        let game = table.id().clone();
        self.wake(table);
        self.sit_down(now, founder, &game);
        self.awake.iter_mut().for_each(|table| table.think(now, Thinking::Early));
    }

    fn wake(&mut self, table: TableHost) {
        if self.awake.len() >= MOST_AWAKE {
            let mut oldest = self.awake.remove(0);
            self.outputs.extend(std::iter::from_fn(|| oldest.poll_output()));
        }
        self.awake.push(table);
    }

    fn is_awake(&self, game: &GameId) -> bool {
        self.awake.iter().any(|table| table.id() == game)
    }

    fn fetch(&mut self, game: GameId, from: ConnectionId, message: ClientMessage) {
        let is_asked_for = self.waiting.iter().any(|(other, ..)| *other == game);
        self.waiting.push((game.clone(), from, message));
        if !is_asked_for {
            self.loads.push_back(game);
        }
    }

    fn send(&mut self, to: ConnectionId, message: &ServerMessage) {
        self.outputs.push_back(Output::say(to, message));
    }

    fn refuse(&mut self, to: ConnectionId, message: &ClientMessage, error: WireError) {
        self.send(to, &ServerMessage::refusal(Some(message.name()), message.request_id().cloned(), error));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The first connection.
    const PAGE: ConnectionId = 16;

    /// Every worker throws other dice.
    fn tables(dice: u8) -> Tables {
        let mut number = dice;
        let mut tables = Tables::new(move || {
            number += 1;
            core::array::from_fn(|at| number.wrapping_mul(37).wrapping_add(at as u8))
        });
        tables.set_bots(Pace { least: 10, most: 20 }, "random");
        assert_eq!(tables.connect(), PAGE);
        tables
    }

    fn create() -> String {
        serde_json::json!({
            "type": "CREATE_GAME", "name": "Ann", "requestId": "1",
            "config": { "target": 1, "players": ["human", "ai", "ai", "ai"] },
            "table": { "pause": 0 }
        })
        .to_string()
    }

    /// Carries outputs out like a browser with a perfect disk; what the page hears comes back.
    fn carry_out(tables: &mut Tables, now: u64, disk: &mut Vec<String>) -> Vec<ServerMessage> {
        let mut heard = Vec::new();
        loop {
            while let Some(output) = tables.poll_output() {
                match output {
                    Output::Store { first, events, .. } => {
                        assert_eq!(first, disk.len() as u64, "the log has no gap");
                        disk.extend(events.iter().map(|event| serde_json::to_string(event).unwrap()));
                    }
                    Output::Send { text, .. } => heard.push(serde_json::from_str(&text).unwrap()),
                    Output::Close { .. } | Output::Answer { .. } | Output::Bind(_) => {}
                }
            }
            let Some(game) = tables.poll_load() else { return heard };
            let log: Vec<Stored> = disk.iter().map(|event| serde_json::from_str(event).unwrap()).collect();
            tables.handle_log(now, &game, &log);
        }
    }

    /// Plays the first offered action whenever the page has one, until the game is over.
    fn play(tables: &mut Tables, disk: &mut Vec<String>, follower: &mut texas42_protocol::Follower, game: &str) -> u64 {
        let mut now = 1_000;
        for request in 0..4_000 {
            for message in carry_out(tables, now, disk) {
                assert!(!matches!(message, ServerMessage::Error { .. }), "{message:?}");
                follower.hear(&message);
            }
            let (version, view) = follower.table().unwrap();
            if view.state.phase.is_over() {
                return now;
            }
            if let Some(valid) = view.valid_actions.first() {
                let action = serde_json::json!({
                    "type": "EXECUTE_ACTION", "gameId": game, "requestId": format!("r{request}"),
                    "version": version, "action": valid.action
                });
                tables.handle_text(now, PAGE, &action.to_string());
            } else {
                now = tables.wake_at().expect("somebody is to move").max(now + 1);
                tables.handle_time(now);
            }
        }
        panic!("the game does not end");
    }

    #[test]
    fn a_person_plays_a_game_against_three_programs() {
        let (mut tables, mut disk) = (tables(0), Vec::new());
        tables.handle_text(1_000, PAGE, &create());
        let heard = carry_out(&mut tables, 1_000, &mut disk);
        assert!(!disk.is_empty(), "it is written down before it is said");
        let mut follower = texas42_protocol::Follower::default();
        let game = heard.iter().find_map(|message| match message {
            ServerMessage::GameCreated { game_id, .. } => Some(game_id.as_str().to_owned()),
            _ => None,
        });
        heard.iter().for_each(|message| {
            follower.hear(message);
        });
        let game = game.expect("the table stands");
        play(&mut tables, &mut disk, &mut follower, &game);
        let (_, view) = follower.table().unwrap();
        assert!(view.derived.winner.is_some());
        let record = tables.record(&game).expect("the game is over");
        assert!(texas42_room::HeadlessRoom::from_record(&record).is_ok());
        assert_eq!(tables.record("nowhere"), None);
    }

    #[test]
    fn a_worker_that_begins_again_finds_the_table_as_it_was() {
        let (mut first, mut disk) = (tables(0), Vec::new());
        first.handle_text(1_000, PAGE, &create());
        let heard = carry_out(&mut first, 1_000, &mut disk);
        let Some(ServerMessage::GameCreated { game_id, key, view: before, .. }) = heard.first() else {
            panic!("{heard:?}")
        };
        let mut second = tables(100);
        let join = serde_json::json!({ "type": "JOIN_GAME", "gameId": game_id, "name": "Ann", "key": key });
        second.handle_text(2_000, PAGE, &join.to_string());
        let heard = carry_out(&mut second, 2_000, &mut disk);
        let mut follower = texas42_protocol::Follower::default();
        heard.iter().for_each(|message| {
            follower.hear(message);
        });
        let (_, after) = follower.table().expect("the table is there again");
        assert_eq!(before.state.players[0], after.state.players[0]);
        play(&mut second, &mut disk, &mut follower, game_id.as_str());
    }

    fn daily(difficulty: &str) -> String {
        serde_json::json!({
            "type": "CREATE_GAME", "name": "Ann",
            "config": {
                "players": ["human", "ai", "ai", "ai"],
                "layers": [{ "type": "daily-challenge", "date": "2026-01-15", "difficulty": difficulty }]
            },
            "table": { "pause": 0, "deal": "seeded" }
        })
        .to_string()
    }

    /// Lets the time pass until the table stands, or nothing more comes.
    fn wait_for_table(tables: &mut Tables, disk: &mut Vec<String>) -> Vec<ServerMessage> {
        let mut heard = carry_out(tables, 1_000, disk);
        while tables.wake_at() == Some(0) {
            tables.handle_time(1_000);
            heard.extend(carry_out(tables, 1_000, disk));
        }
        heard
    }

    /// The day, as hard as it says, is dealt alike by every worker, and its log is all that is needed to deal it again.
    #[test]
    fn the_hand_of_the_day_is_as_hard_as_it_says() {
        use texas42_vocab::{DailyChallenge, Difficulty, Seat};
        let day = |difficulty, deal| {
            let date = "2026-01-15".parse().unwrap();
            texas42_engine::seed_of_day(&DailyChallenge { date, difficulty, deal, ..DailyChallenge::default() })
        };
        for (difficulty, band) in
            [(Difficulty::Easy, 0.75..=1.0), (Difficulty::Medium, 0.5..=0.75), (Difficulty::Hard, 0.25..=0.5)]
        {
            let (mut one, mut disk) = (tables(0), Vec::new());
            one.handle_text(1_000, PAGE, &daily(difficulty.name()));
            let heard = wait_for_table(&mut one, &mut disk);
            assert!(matches!(heard[0], ServerMessage::Progress { progress: 0, .. }), "{heard:?}");
            let Some(ServerMessage::GameCreated { game_id, key, view, .. }) =
                heard.iter().find(|message| matches!(message, ServerMessage::GameCreated { .. }))
            else {
                panic!("{heard:?}")
            };
            let created: serde_json::Value = serde_json::from_str(&disk[0]).unwrap();
            let deal = created["event"]["config"]["layers"][0]["deal"].as_u64().expect("the deal is written down");
            let chance = texas42_ai::seeds::chance_of(&day(difficulty, Some(deal as u32)), Seat::ALL[0]);
            assert!(band.contains(&chance), "{difficulty:?}: {chance}");

            let (mut other, mut elsewhere) = (tables(50), Vec::new());
            other.handle_text(1_000, PAGE, &daily(difficulty.name()));
            let again = wait_for_table(&mut other, &mut elsewhere);
            let same = |message: &ServerMessage| matches!(message, ServerMessage::GameCreated { view: other, .. } if other.state.players[0] == view.state.players[0]);
            assert!(again.iter().any(same), "everybody has the same hand");

            // The log alone leads to the same hand, and the game to a record that can be played again.
            let mut second = tables(100);
            let join = serde_json::json!({ "type": "JOIN_GAME", "gameId": game_id, "name": "Ann", "key": key });
            second.handle_text(2_000, PAGE, &join.to_string());
            let mut follower = texas42_protocol::Follower::default();
            for message in carry_out(&mut second, 2_000, &mut disk) {
                follower.hear(&message);
            }
            assert_eq!(follower.table().unwrap().1.state.players[0], view.state.players[0]);
            play(&mut second, &mut disk, &mut follower, game_id.as_str());
            let record = second.record(game_id.as_str()).expect("the game is over");
            let replayed = texas42_room::HeadlessRoom::from_record(&record).unwrap();
            assert_eq!(*replayed.game().ctx().seed(), day(difficulty, Some(deal as u32)));
        }
    }

    /// Whoever chooses another game while one is looked for gets that one, and nothing is written down about the first.
    #[test]
    fn a_game_that_is_chosen_meanwhile_wins() {
        let (mut tables, mut disk) = (tables(0), Vec::new());
        tables.handle_text(1_000, PAGE, &daily("easy"));
        assert_eq!(tables.wake_at(), Some(0), "it is being looked for");
        tables.handle_text(1_000, PAGE, r#"{"type":"PING","nonce":1}"#);
        assert_eq!(tables.wake_at(), Some(0), "a ping is no other wish");
        tables.handle_text(1_000, PAGE, &create());
        let heard = wait_for_table(&mut tables, &mut disk);
        let tables_made = heard.iter().filter(|message| matches!(message, ServerMessage::GameCreated { .. })).count();
        assert_eq!(tables_made, 1);
        assert!(!disk.iter().any(|event| event.contains("daily-challenge")));

        tables.handle_text(1_000, PAGE, &daily("easy"));
        tables.handle_text(1_000, PAGE, r#"{"type":"JOIN_GAME","gameId":"nowhere","name":"Ann"}"#);
        assert_ne!(tables.wake_at(), Some(0), "and so does another table");
    }

    #[test]
    fn what_is_not_there_and_what_cannot_be_read_is_answered() {
        let (mut tables, mut disk) = (tables(0), Vec::new());
        for text in [
            "{}",
            "no",
            r#"{"type":"JOIN_GAME","gameId":"nowhere","name":"Ann"}"#,
            r#"{"type":"SUBSCRIBE","gameId":"nowhere"}"#,
        ] {
            tables.handle_text(1, PAGE, text);
            let heard = carry_out(&mut tables, 1, &mut disk);
            assert!(matches!(heard[..], [ServerMessage::Error { .. }]), "{text}: {heard:?}");
        }
    }

    /// What could not be written down has not happened: the page is told, and finds the table as it was.
    #[test]
    fn a_store_that_fails_is_told_and_the_table_begins_again() {
        let (mut tables, mut disk) = (tables(0), Vec::new());
        tables.handle_text(1_000, PAGE, &create());
        let heard = carry_out(&mut tables, 1_000, &mut disk);
        let Some(ServerMessage::GameCreated { game_id, key, .. }) = heard.first() else { panic!("{heard:?}") };
        let leave = serde_json::json!({ "type": "LEAVE_GAME", "gameId": game_id, "requestId": "l" });
        tables.handle_text(2_000, PAGE, &leave.to_string());
        assert!(matches!(tables.poll_output(), Some(Output::Store { .. })));
        tables.handle_not_stored(game_id, "no space");
        assert!(matches!(tables.poll_output(), Some(Output::Send { text, .. }) if text.contains("not-stored")));
        assert!(matches!(tables.poll_output(), Some(Output::Close { to: PAGE, .. })));
        assert_eq!(tables.poll_output(), None);
        let join = serde_json::json!({ "type": "JOIN_GAME", "gameId": game_id, "name": "Ann", "key": key });
        tables.handle_text(3_000, PAGE, &join.to_string());
        let heard = carry_out(&mut tables, 3_000, &mut disk);
        assert!(heard.iter().any(|message| matches!(message, ServerMessage::Joined { .. })), "{heard:?}");
    }

    /// The rows that version 0.1.0 kept in a browser open, and their game is played to its end.
    #[test]
    fn a_table_that_version_0_1_0_stored_is_played_on() {
        let rows = include_str!("../../../crates/room/tests/compatibility/browser-rows.json");
        let rows: Vec<((String, u64), String)> = serde_json::from_str(rows).unwrap();
        let mut disk: Vec<String> = rows.into_iter().map(|(_, event)| event).collect();
        let (mut tables, mut follower) = (tables(0), texas42_protocol::Follower::default());
        let join = serde_json::json!({
            "type": "JOIN_GAME", "gameId": "table", "sessionKey": "AQIDBAUGBwgJCgsMDQ4PEA", "name": "Ann",
        });
        tables.handle_text(1_000, PAGE, &join.to_string());
        for message in carry_out(&mut tables, 1_000, &mut disk) {
            follower.hear(&message);
        }
        play(&mut tables, &mut disk, &mut follower, "table");
        assert!(follower.table().unwrap().1.derived.winner.is_some());
    }
}
