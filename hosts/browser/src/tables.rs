//! The host without a browser: frames, logs and the time go in, chores come out, to be done in order.
//!
//! Invariant: what a table asks to store comes out before what it then sends, so a host that does the chores in order
//! acknowledges nothing that is not written down.

use std::collections::VecDeque;

use texas42_ai::Strategy;
use texas42_client::Pace;
use texas42_hosting::{Manner, Program, let_speak, look_for};
use texas42_protocol::{ClientMessage, ErrorCode, GameId, RequestId, ServerMessage, WireError};
use texas42_room::{ConnectionId, Creation, Effect, NewTable, Room, Step, Stored};

/// The page's own connection; programs have the numbers above.
const PAGE: ConnectionId = 0;
/// The most tables that are kept awake: a page plays at one.
const MOST_AWAKE: usize = 4;

/// Something that the browser has to do, in order.
#[derive(Clone, Debug, PartialEq)]
pub enum Chore {
    /// Write the events of a table down, before anything behind it is done. The number is that of the first event.
    Store {
        /// Which table.
        game: GameId,
        /// Where in its log they stand.
        first: u64,
        /// The events as JSON, one by one.
        events: Vec<String>,
    },
    /// Read the log of a table, and give it to [`Tables::handle_log`].
    Load(GameId),
    /// Send to the page.
    Send(String),
}

struct Table {
    room: Room,
    stored: u64,
    programs: Vec<Program>,
}

/// The tables of a browser, and what is to be done for them.
pub struct Tables {
    /// The one that was used last stands last.
    awake: Vec<Table>,
    /// What the page said to tables whose logs are being read.
    waiting: Vec<(GameId, ClientMessage)>,
    creation: Option<Creation>,
    chores: VecDeque<Chore>,
    random: Box<dyn FnMut() -> [u8; 32]>,
    manner: Manner,
    connections: ConnectionId,
}

impl Tables {
    /// No tables yet. Randomness comes from the browser.
    pub fn new(random: impl FnMut() -> [u8; 32] + 'static) -> Self {
        Self {
            awake: Vec::new(),
            waiting: Vec::new(),
            creation: None,
            chores: VecDeque::new(),
            random: Box::new(random),
            manner: Manner { pace: Pace::NATURAL, strategy: Strategy::Intermediate, worlds: None },
            connections: PAGE,
        }
    }

    /// How long programs wait before they move, and how well they play.
    pub fn set_programs(&mut self, pace: Pace, level: &str) {
        let strategy = level.parse().unwrap_or(self.manner.strategy);
        self.manner = Manner { pace, strategy, worlds: None };
    }

    /// When [`Tables::handle_time`] is due.
    pub fn wake_at(&self) -> Option<u64> {
        let table = |table: &Table| {
            let programs = table.programs.iter().filter_map(Program::wake_at);
            table.room.wake_at().into_iter().chain(programs).min()
        };
        let creation = self.creation.as_ref().map(|_| 0);
        self.awake.iter().filter_map(table).chain(creation).min()
    }

    /// The next thing to do.
    pub fn poll_chore(&mut self) -> Option<Chore> {
        self.chores.pop_front()
    }

    /// The page says something.
    pub fn handle_text(&mut self, now: u64, text: &str) {
        match texas42_protocol::read(text) {
            Ok(message) => {
                // A page plays at one table: who wants something else does not want the one that is being set up any more.
                if !matches!(message, ClientMessage::Ping { .. }) {
                    self.creation = None;
                }
                self.handle_message(now, message);
            }
            Err(error) => self.refuse(None, None, WireError::new(ErrorCode::BadMessage, error.to_string())),
        }
    }

    /// Some time has passed.
    pub fn handle_time(&mut self, now: u64) {
        self.set_up();
        for table in &mut self.awake {
            table.room.handle_time(now);
            table.programs.iter_mut().for_each(|program| program.handle_time(now));
        }
        self.run_all(now);
    }

    /// What was written down about a table; empty when nothing was.
    pub fn handle_log(&mut self, now: u64, game: &GameId, log: &[Stored]) {
        let (waiting, others) = core::mem::take(&mut self.waiting).into_iter().partition(|(other, _)| other == game);
        self.waiting = others;
        let waiting: Vec<(GameId, ClientMessage)> = waiting;
        let randomness = (self.random)();
        match Room::restore(now, game.clone(), &randomness, log) {
            Ok(room) => self.wake(room, log.len() as u64),
            Err(_) => return waiting.iter().for_each(|(_, message)| self.refuse_game(message)),
        }
        self.run(now, game);
        waiting.into_iter().for_each(|(_, message)| self.handle_message(now, message));
    }

    /// What happened at a table in the hands that are over; see [`Room::record`].
    pub fn record(&self, game: &str) -> Option<String> {
        self.awake.iter().find(|table| table.room.id().as_str() == game)?.room.record()
    }

    fn handle_message(&mut self, now: u64, message: ClientMessage) {
        match (&message, message.game_id().cloned()) {
            (ClientMessage::Ping { nonce }, _) => {
                self.send(&ServerMessage::Pong { nonce: *nonce, time: None });
            }
            (ClientMessage::CreateGame { .. }, _) => self.create(now, message),
            (_, Some(game)) if self.awake.iter().any(|table| *table.room.id() == game) => {
                self.tell(now, &game, message);
            }
            (_, Some(game)) => self.fetch(game, message),
            (_, None) => self.refuse_game(&message),
        }
    }

    fn create(&mut self, now: u64, message: ClientMessage) {
        let randomness = (self.random)();
        let id = game_id((self.random)());
        let new = NewTable { id, randomness, connection: PAGE };
        self.creation = Some(Creation::new(now, new, message, look_for));
        self.set_up();
        self.run_all(now);
    }

    /// One slice of setting a table up; the next one comes with the time.
    fn set_up(&mut self) {
        match self.creation.as_mut().map(Creation::poll) {
            None => {}
            Some(Step::Progress(message)) => self.send(&message),
            Some(Step::Refused(message)) => {
                self.creation = None;
                self.send(&message);
            }
            Some(Step::Ready(room)) => {
                self.creation = None;
                self.wake(*room, 0);
            }
        }
    }

    fn wake(&mut self, room: Room, stored: u64) {
        if self.awake.len() >= MOST_AWAKE {
            self.awake.remove(0);
        }
        self.awake.push(Table { room, stored, programs: Vec::new() });
    }

    fn tell(&mut self, now: u64, game: &GameId, message: ClientMessage) {
        if let Some(table) = self.awake.iter_mut().find(|table| table.room.id() == game) {
            table.room.handle_message(now, PAGE, message);
        }
        self.run(now, game);
    }

    fn fetch(&mut self, game: GameId, message: ClientMessage) {
        let is_asked_for = self.waiting.iter().any(|(other, _)| *other == game);
        self.waiting.push((game.clone(), message));
        if !is_asked_for {
            self.chores.push_back(Chore::Load(game));
        }
    }

    fn run_all(&mut self, now: u64) {
        let games: Vec<GameId> = self.awake.iter().map(|table| table.room.id().clone()).collect();
        games.iter().for_each(|game| self.run(now, game));
    }

    /// Carries out what a table wants, and lets its programs say and think what they have to, until all is quiet.
    fn run(&mut self, now: u64, game: &GameId) {
        let Some(at) = self.awake.iter().position(|table| table.room.id() == game) else { return };
        let mut table = self.awake.remove(at);
        loop {
            while let Some(effect) = table.room.poll_effect() {
                self.carry_out(now, game, &mut table, effect);
            }
            if !let_speak(now, &mut table.programs, &mut table.room)
                && !table.programs.iter_mut().any(|program| program.think(now))
            {
                break;
            }
        }
        self.awake.push(table);
    }

    fn carry_out(&mut self, now: u64, game: &GameId, table: &mut Table, effect: Effect) {
        match effect {
            Effect::Store(events) => {
                let first = table.stored;
                table.stored += events.len() as u64;
                let events = events.iter().map(json).collect();
                self.chores.push_back(Chore::Store { game: game.clone(), first, events });
            }
            Effect::Send { to: PAGE, message } => self.send(&message),
            Effect::Send { to, message } => {
                let program = table.programs.iter_mut().find(|program| program.connection == to);
                program.into_iter().for_each(|program| program.handle_message(now, &message));
            }
            Effect::WantAi { seat, key } => {
                table.programs.retain(|program| program.seat != seat);
                self.connections += 1;
                let random = (self.random)();
                let bytes = core::array::from_fn(|at| random[at]);
                let mut program = Program::called(self.connections, game.clone(), seat, key, self.manner, bytes);
                program.handle_connected(now);
                table.programs.push(program);
            }
            Effect::ReleaseAi { seat } => table.programs.retain(|program| program.seat != seat),
        }
    }

    fn send(&mut self, message: &ServerMessage) {
        self.chores.push_back(Chore::Send(json(message)));
    }

    fn refuse_game(&mut self, message: &ClientMessage) {
        let error = WireError::new(ErrorCode::NoSuchGame, "there is no such game in this browser");
        self.refuse(Some(message.name()), message.request_id().cloned(), error);
    }

    fn refuse(&mut self, request_type: Option<&str>, request_id: Option<RequestId>, error: WireError) {
        let request_type = request_type.map(str::to_owned);
        self.send(&ServerMessage::Error { request_type, request_id, error, version: None, view: None });
    }
}

fn json(value: &impl serde::Serialize) -> String {
    serde_json::to_string(value).expect("messages and events have only text keys")
}

fn game_id(randomness: [u8; 32]) -> GameId {
    const LETTERS: &[u8; 32] = b"abcdefghijkmnpqrstuvwxyz23456789";
    let text: String = randomness[..12].iter().map(|byte| LETTERS[usize::from(byte % 32)] as char).collect();
    GameId::try_from(text).expect("letters and digits make an id")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every worker throws other dice.
    fn tables(dice: u8) -> Tables {
        let mut number = dice;
        let mut tables = Tables::new(move || {
            number += 1;
            core::array::from_fn(|at| number.wrapping_mul(37).wrapping_add(at as u8))
        });
        tables.set_programs(Pace { least: 10, most: 20 }, "random");
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

    /// Does the chores like a browser with a perfect disk; what the page hears comes back.
    fn do_chores(tables: &mut Tables, now: u64, disk: &mut Vec<String>) -> Vec<ServerMessage> {
        let mut heard = Vec::new();
        while let Some(chore) = tables.poll_chore() {
            match chore {
                Chore::Store { first, events, .. } => {
                    assert_eq!(first, disk.len() as u64, "the log has no gap");
                    disk.extend(events);
                }
                Chore::Load(game) => {
                    let log: Vec<Stored> = disk.iter().map(|event| serde_json::from_str(event).unwrap()).collect();
                    tables.handle_log(now, &game, &log);
                }
                Chore::Send(text) => heard.push(serde_json::from_str(&text).unwrap()),
            }
        }
        heard
    }

    /// Plays the first offered action whenever the page has one, until the game is over.
    fn play(tables: &mut Tables, disk: &mut Vec<String>, follower: &mut texas42_protocol::Follower, game: &str) -> u64 {
        let mut now = 1_000;
        for request in 0..4_000 {
            for message in do_chores(tables, now, disk) {
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
                tables.handle_text(now, &action.to_string());
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
        tables.handle_text(1_000, &create());
        let heard = do_chores(&mut tables, 1_000, &mut disk);
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
        first.handle_text(1_000, &create());
        let heard = do_chores(&mut first, 1_000, &mut disk);
        let Some(ServerMessage::GameCreated { game_id, key, view: before, .. }) = heard.first() else {
            panic!("{heard:?}")
        };
        let mut second = tables(100);
        let join = serde_json::json!({ "type": "JOIN_GAME", "gameId": game_id, "name": "Ann", "key": key });
        second.handle_text(2_000, &join.to_string());
        let heard = do_chores(&mut second, 2_000, &mut disk);
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
        let mut heard = do_chores(tables, 1_000, disk);
        while tables.wake_at() == Some(0) {
            tables.handle_time(1_000);
            heard.extend(do_chores(tables, 1_000, disk));
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
            one.handle_text(1_000, &daily(difficulty.name()));
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
            other.handle_text(1_000, &daily(difficulty.name()));
            let again = wait_for_table(&mut other, &mut elsewhere);
            let same = |message: &ServerMessage| matches!(message, ServerMessage::GameCreated { view: other, .. } if other.state.players[0] == view.state.players[0]);
            assert!(again.iter().any(same), "everybody has the same hand");

            // The log alone leads to the same hand, and the game to a record that can be played again.
            let mut second = tables(100);
            let join = serde_json::json!({ "type": "JOIN_GAME", "gameId": game_id, "name": "Ann", "key": key });
            second.handle_text(2_000, &join.to_string());
            let mut follower = texas42_protocol::Follower::default();
            for message in do_chores(&mut second, 2_000, &mut disk) {
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
        tables.handle_text(1_000, &daily("easy"));
        assert_eq!(tables.wake_at(), Some(0), "it is being looked for");
        tables.handle_text(1_000, r#"{"type":"PING","nonce":1}"#);
        assert_eq!(tables.wake_at(), Some(0), "a ping is no other wish");
        tables.handle_text(1_000, &create());
        let heard = wait_for_table(&mut tables, &mut disk);
        let tables_made = heard.iter().filter(|message| matches!(message, ServerMessage::GameCreated { .. })).count();
        assert_eq!(tables_made, 1);
        assert!(!disk.iter().any(|event| event.contains("daily-challenge")));

        tables.handle_text(1_000, &daily("easy"));
        tables.handle_text(1_000, r#"{"type":"JOIN_GAME","gameId":"nowhere","name":"Ann"}"#);
        assert_ne!(tables.wake_at(), Some(0), "and so does another table");
    }

    #[test]
    fn what_is_not_there_and_what_cannot_be_read_is_answered() {
        let (mut tables, mut disk) = (tables(0), Vec::new());
        for text in ["{}", "no", r#"{"type":"SUBSCRIBE","gameId":"nowhere"}"#] {
            tables.handle_text(1, text);
            let heard = do_chores(&mut tables, 1, &mut disk);
            assert!(matches!(heard[..], [ServerMessage::Error { .. }]), "{text}: {heard:?}");
        }
    }
}
