//! The browser host without browser APIs: frames, logs and the time go in, outputs come out, to be carried out in
//! order. Each table is a [`TableHost`]; [`Tables`] finds the table of a frame, loads logs, and creates tables.
//!
//! Invariant: a table's store output comes before the messages that depend on it, so a worker that carries out outputs
//! in order acknowledges nothing that is not stored.

use std::collections::VecDeque;

use texas42_ai::Strategy;
use texas42_client::Pace;
use texas42_hosting::{
    BotSettings, ConnectionIds, Creator, DecisionTiming, NewHost, Output, RequestRef, Setup, SetupStep, TableHost,
    id_for, id_of, read_frame, rejoin_message, reply_without_table,
};
use texas42_phrases::Problem;
use texas42_protocol::{ClientMessage, GameId, ServerMessage, WireError};
use texas42_room::{CodeClaim, ConnectionId, StoredEvent};

/// Maximum number of tables in memory; a page plays at one.
const MAX_OPEN_TABLES: usize = 4;

/// A table that a connection is creating.
struct PendingCreation {
    from: ConnectionId,
    setup: Setup,
}

/// The tables of a browser.
///
/// Feed it with the `handle_*` methods. After each call, carry out every [`Tables::poll_output`], then answer every
/// [`Tables::poll_load`] with [`Tables::handle_log`], and call [`Tables::handle_time`] at [`Tables::wake_at`].
pub struct Tables {
    /// Tables in memory, the most recently opened last.
    open: Vec<TableHost>,
    /// The table that each connection has joined. There are at most as many as people on a device.
    joined: Vec<(ConnectionId, GameId)>,
    /// Messages to tables whose logs are being loaded.
    queued: Vec<(GameId, ConnectionId, ClientMessage)>,
    pending: Option<PendingCreation>,
    loads: VecDeque<GameId>,
    outputs: VecDeque<Output>,
    ids: ConnectionIds,
    random: Box<dyn FnMut() -> [u8; 32]>,
    bots: BotSettings,
}

impl Tables {
    /// Creates a host without tables. `random` must return cryptographically secure bytes.
    pub fn new(random: impl FnMut() -> [u8; 32] + 'static) -> Self {
        Self {
            open: Vec::new(),
            joined: Vec::new(),
            queued: Vec::new(),
            pending: None,
            loads: VecDeque::new(),
            outputs: VecDeque::new(),
            ids: ConnectionIds::new(),
            random: Box::new(random),
            bots: BotSettings {
                pace: Pace::NATURAL,
                strategy: Strategy::Intermediate,
                adviser: Strategy::Intermediate,
                worlds: None,
            },
        }
    }

    /// Sets the pace and the level of bots at tables opened from now on.
    pub fn set_bots(&mut self, pace: Pace, level: &str) {
        let strategy = level.parse().unwrap_or(self.bots.strategy);
        self.bots = BotSettings { pace, strategy, adviser: Strategy::Intermediate, worlds: None };
    }

    /// When to call [`Tables::handle_time`].
    pub fn wake_at(&self) -> Option<u64> {
        let pending = self.pending.as_ref().map(|_| 0);
        self.open.iter().filter_map(TableHost::wake_at).chain(pending).min()
    }

    /// The next output to carry out. If a store fails, call [`Tables::handle_store_failure`] and continue.
    pub fn poll_output(&mut self) -> Option<Output> {
        let own = self.outputs.pop_front();
        let output = own.or_else(|| self.open.iter_mut().find_map(poll_table));
        if let Some(Output::Close { to, .. }) = &output {
            self.joined.retain(|(joined, _)| joined != to);
        }
        output
    }

    /// The next table whose log to load and pass to [`Tables::handle_log`].
    pub fn poll_load(&mut self) -> Option<GameId> {
        self.loads.pop_front()
    }

    /// Opens a connection and returns its id; it has not joined a table yet.
    pub fn connect(&mut self) -> ConnectionId {
        self.ids.next(|_| false)
    }

    /// Handles a text frame of a connection.
    pub fn handle_text(&mut self, now: u64, from: ConnectionId, text: &str) {
        match read_frame(text) {
            Ok(message) => self.handle_message(now, from, message),
            Err(reply) => self.send(from, &reply),
        }
    }

    /// Closes a connection. The page's own connection never closes.
    pub fn handle_closed(&mut self, now: u64, from: ConnectionId) {
        self.pending.take_if(|table| table.from == from);
        self.queued.retain(|(_, sender, _)| *sender != from);
        self.leave_table(now, from);
    }

    /// Advances the time.
    pub fn handle_time(&mut self, now: u64) {
        self.continue_creation(now);
        for table in &mut self.open {
            table.handle_time(now);
            table.think(now, DecisionTiming::Early);
        }
    }

    /// Handles the stored log of a table; empty if there is none.
    pub fn handle_log(&mut self, now: u64, game: &GameId, log: &[StoredEvent]) {
        let (queued, others) = std::mem::take(&mut self.queued).into_iter().partition(|(other, ..)| other == game);
        self.queued = others;
        let queued: Vec<(GameId, ConnectionId, ClientMessage)> = queued;
        let seed = (self.random)();
        if let Ok(table) = TableHost::restore(now, game.clone(), log, [], self.bots, seed) {
            self.open_table(table);
        }
        for (_, from, message) in queued {
            match message {
                ClientMessage::CreateGame { .. } if !self.is_open(game) => self.start_creation(now, from, message),
                message => self.forward(now, from, message),
            }
        }
    }

    /// Handles a failed store: requests are refused, and the table restarts from its log.
    pub fn handle_store_failure(&mut self, game: &GameId, reason: &str) {
        if let Some(at) = self.open.iter().position(|table| table.id() == game) {
            let mut table = self.open.remove(at);
            table.handle_store_failure(reason);
            self.outputs.extend(std::iter::from_fn(|| poll_table(&mut table)));
            self.joined.retain(|(_, joined_game)| joined_game != game);
        }
    }

    /// The record of a table's completed hands; see `Room::record`.
    pub fn record(&self, game: &str) -> Option<String> {
        self.open.iter().find(|table| table.id().as_str() == game)?.room().record()
    }

    fn handle_message(&mut self, now: u64, from: ConnectionId, message: ClientMessage) {
        if matches!(message, ClientMessage::Ping { .. }) {
            return self.send(from, &reply_without_table(now, &message));
        }
        if self.is_pending_creation(from, &message) {
            return;
        }
        // A page plays at one table: a different request cancels the pending creation.
        self.pending.take_if(|table| table.from == from);
        match &message {
            ClientMessage::CreateGame { session_key: Some(key), .. } => {
                let game = id_of(key);
                match self.is_open(&game) {
                    true => self.forward(now, from, message),
                    false => self.load_for(game, from, message),
                }
            }
            ClientMessage::CreateGame { .. } => self.start_creation(now, from, message),
            message => self.route(now, from, message.clone()),
        }
    }

    /// Whether `message` repeats the pending create request. Clients resend a request that gets no reply for a while.
    fn is_pending_creation(&self, from: ConnectionId, message: &ClientMessage) -> bool {
        self.pending.as_ref().is_some_and(|table| table.from == from && table.setup.is_for(message))
    }

    fn route(&mut self, now: u64, from: ConnectionId, message: ClientMessage) {
        let Some(game) = message.game_id().cloned() else { return };
        let is_joined = self.joined_game(from) == Some(&game);
        if !is_joined && !message.enters_table() {
            self.send(from, &reply_without_table(now, &message));
        } else if self.is_open(&game) {
            self.forward(now, from, message);
        } else {
            self.load_for(game, from, message);
        }
    }

    /// Forwards a message to its table and moves the connection there.
    fn forward(&mut self, now: u64, from: ConnectionId, message: ClientMessage) {
        let message = rejoin_message(&message).unwrap_or(message);
        let Some(game) = message.game_id().filter(|game| self.is_open(game)).cloned() else {
            let error = WireError::new(Problem::NoSuchGameInBrowser);
            return self.send(from, &RequestRef::of(&message).refuse(error));
        };
        self.move_to_table(now, from, &game);
        if let Some(table) = self.open.iter_mut().find(|table| *table.id() == game) {
            table.handle_message(now, from, message);
            table.think(now, DecisionTiming::Early);
        }
    }

    /// Moves a connection to a table, since it can be at only one.
    fn move_to_table(&mut self, now: u64, from: ConnectionId, game: &GameId) {
        if self.joined_game(from) != Some(game) {
            self.leave_table(now, from);
            self.joined.push((from, game.clone()));
        }
        if let Some(table) = self.open.iter_mut().find(|table| table.id() == game) {
            table.handle_connected(now, from);
        }
    }

    fn joined_game(&self, from: ConnectionId) -> Option<&GameId> {
        self.joined.iter().find(|(joined, _)| *joined == from).map(|(_, game)| game)
    }

    fn leave_table(&mut self, now: u64, from: ConnectionId) {
        let Some(game) = self.joined_game(from).cloned() else { return };
        self.joined.retain(|(joined, _)| *joined != from);
        if let Some(table) = self.open.iter_mut().find(|table| *table.id() == game) {
            table.handle_closed(now, from);
            table.think(now, DecisionTiming::Early);
        }
    }

    fn start_creation(&mut self, now: u64, from: ConnectionId, message: ClientMessage) {
        let (randomness, id, seed) = ((self.random)(), (self.random)(), (self.random)());
        let id = id_for(&message, core::array::from_fn(|at| id[at]));
        let new = NewHost { now, id, creator: Creator::Connection(from), bots: self.bots, randomness, seed };
        self.pending = Some(PendingCreation { from, setup: Setup::new(new, message) });
        self.continue_creation(now);
    }

    /// Runs one slice of a creation; the next one runs in [`Tables::handle_time`].
    fn continue_creation(&mut self, now: u64) {
        let Some(mut table) = self.pending.take() else { return };
        match table.setup.poll() {
            SetupStep::Progress(message) => {
                self.send(table.from, &message);
                self.pending = Some(table);
            }
            SetupStep::Refused(message) => self.send(table.from, &message),
            SetupStep::Ready(host) => self.add_created(now, table.from, *host),
        }
    }

    fn add_created(&mut self, now: u64, creator: ConnectionId, table: TableHost) {
        let game = table.id().clone();
        self.open_table(table);
        self.move_to_table(now, creator, &game);
        self.open.iter_mut().for_each(|table| table.think(now, DecisionTiming::Early));
    }

    fn open_table(&mut self, table: TableHost) {
        if self.open.len() >= MAX_OPEN_TABLES {
            let mut oldest = self.open.remove(0);
            self.outputs.extend(std::iter::from_fn(|| poll_table(&mut oldest)));
        }
        self.open.push(table);
    }

    fn is_open(&self, game: &GameId) -> bool {
        self.open.iter().any(|table| table.id() == game)
    }

    fn load_for(&mut self, game: GameId, from: ConnectionId, message: ClientMessage) {
        let is_loading = self.queued.iter().any(|(other, ..)| *other == game);
        self.queued.push((game.clone(), from, message));
        if !is_loading {
            self.loads.push_back(game);
        }
    }

    fn send(&mut self, to: ConnectionId, message: &ServerMessage) {
        self.outputs.push_back(Output::say(to, message));
    }
}

/// The next output of a table. Nobody else can reach a table in a browser, so no code leads to it.
fn poll_table(table: &mut TableHost) -> Option<Output> {
    loop {
        match table.poll_output()? {
            Output::ClaimCode(_) => table.handle_claim(CodeClaim::Refused(Problem::NoLobbyHere)),
            output => return Some(output),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The id of the first connection.
    const PAGE: ConnectionId = 16;

    /// A worker whose random bytes are determined by the seed.
    fn tables(seed: u8) -> Tables {
        let mut number = seed;
        let mut tables = Tables::new(move || {
            number += 1;
            core::array::from_fn(|at| number.wrapping_mul(37).wrapping_add(at as u8))
        });
        tables.set_bots(Pace { min: 10, max: 20 }, "random");
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

    /// Carries out outputs like a browser whose disk never fails; returns the messages to the page.
    fn carry_out(tables: &mut Tables, now: u64, disk: &mut Vec<String>) -> Vec<ServerMessage> {
        let mut received = Vec::new();
        loop {
            while let Some(output) = tables.poll_output() {
                match output {
                    Output::Store { first, events, .. } => {
                        assert_eq!(first, disk.len() as u64, "the log must have no gap");
                        disk.extend(events.iter().map(|event| serde_json::to_string(event).unwrap()));
                    }
                    Output::Send { text, .. } => received.push(serde_json::from_str(&text).unwrap()),
                    Output::ClaimCode(_) | Output::ReleaseCode(_) => unreachable!("a browser has no codes"),
                    Output::Close { .. } | Output::Answer { .. } | Output::Bind(_) => {}
                }
            }
            let Some(game) = tables.poll_load() else { return received };
            let log: Vec<StoredEvent> = disk.iter().map(|event| serde_json::from_str(event).unwrap()).collect();
            tables.handle_log(now, &game, &log);
        }
    }

    /// Plays the first valid action whenever it is the page's turn, until the game is over.
    fn play(tables: &mut Tables, disk: &mut Vec<String>, follower: &mut texas42_protocol::Follower, game: &str) -> u64 {
        let mut now = 1_000;
        for request in 0..4_000 {
            for message in carry_out(tables, now, disk) {
                assert!(!matches!(message, ServerMessage::Error { .. }), "{message:?}");
                follower.handle_message(&message);
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
                now = tables.wake_at().expect("a bot is to move").max(now + 1);
                tables.handle_time(now);
            }
        }
        panic!("the game did not end");
    }

    #[test]
    fn a_person_plays_a_game_against_three_bots() {
        let (mut tables, mut disk) = (tables(0), Vec::new());
        tables.handle_text(1_000, PAGE, &create());
        let received = carry_out(&mut tables, 1_000, &mut disk);
        assert!(!disk.is_empty(), "the table must be stored before it is announced");
        let mut follower = texas42_protocol::Follower::default();
        let game = received.iter().find_map(|message| match message {
            ServerMessage::GameCreated { game_id, .. } => Some(game_id.as_str().to_owned()),
            _ => None,
        });
        received.iter().for_each(|message| {
            follower.handle_message(message);
        });
        let game = game.expect("the table was created");
        play(&mut tables, &mut disk, &mut follower, &game);
        let (_, view) = follower.table().unwrap();
        assert!(view.derived.winner.is_some());
        let record = tables.record(&game).expect("the game is over");
        assert!(texas42_room::HeadlessRoom::from_record(&record).is_ok());
        assert_eq!(tables.record("nowhere"), None);
    }

    #[test]
    fn a_restarted_worker_restores_the_table() {
        let (mut first, mut disk) = (tables(0), Vec::new());
        first.handle_text(1_000, PAGE, &create());
        let received = carry_out(&mut first, 1_000, &mut disk);
        let Some(ServerMessage::GameCreated { game_id, key, view: before, .. }) = received.first() else {
            panic!("{received:?}")
        };
        let mut second = tables(100);
        let join = serde_json::json!({ "type": "JOIN_GAME", "gameId": game_id, "name": "Ann", "key": key });
        second.handle_text(2_000, PAGE, &join.to_string());
        let received = carry_out(&mut second, 2_000, &mut disk);
        let mut follower = texas42_protocol::Follower::default();
        received.iter().for_each(|message| {
            follower.handle_message(message);
        });
        let (_, after) = follower.table().expect("the table was restored");
        assert_eq!(before.state.players[0], after.state.players[0]);
        play(&mut second, &mut disk, &mut follower, game_id.as_str());
    }

    #[test]
    fn a_join_whose_sender_closes_while_the_log_is_loaded_leaves_nobody_at_the_table() {
        let (mut first, mut disk) = (tables(0), Vec::new());
        let open = create().replace(r#""pause":0"#, r#""pause":0,"openToSpectators":true"#);
        first.handle_text(1_000, PAGE, &open);
        let received = carry_out(&mut first, 1_000, &mut disk);
        let Some(ServerMessage::GameCreated { game_id, .. }) = received.first() else { panic!("{received:?}") };
        let mut second = tables(100);
        let other = second.connect();
        let watch = serde_json::json!({ "type": "JOIN_GAME", "gameId": game_id, "name": "Zoe" });
        second.handle_text(2_000, other, &watch.to_string());
        second.handle_closed(2_000, other);
        carry_out(&mut second, 2_000, &mut disk);
        assert!(second.open.iter().all(TableHost::is_deserted), "the spectator has left");
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

    /// Advances the time until the table is created or refused.
    fn wait_for_table(tables: &mut Tables, disk: &mut Vec<String>) -> Vec<ServerMessage> {
        let mut received = carry_out(tables, 1_000, disk);
        while tables.wake_at() == Some(0) {
            tables.handle_time(1_000);
            received.extend(carry_out(tables, 1_000, disk));
        }
        received
    }

    /// Every worker deals the same daily challenge at the requested difficulty, and its log suffices to deal it again.
    #[test]
    fn the_daily_challenge_has_the_requested_difficulty() {
        use texas42_vocab::{DailyChallenge, Difficulty, Seat};
        let day = |difficulty, deal| {
            let date = "2026-01-15".parse().unwrap();
            texas42_engine::daily_seed(&DailyChallenge { date, difficulty, deal, ..DailyChallenge::default() })
        };
        for (difficulty, band) in
            [(Difficulty::Easy, 0.75..=1.0), (Difficulty::Medium, 0.5..=0.75), (Difficulty::Hard, 0.25..=0.5)]
        {
            let (mut one, mut disk) = (tables(0), Vec::new());
            one.handle_text(1_000, PAGE, &daily(difficulty.name()));
            let received = wait_for_table(&mut one, &mut disk);
            assert!(matches!(received[0], ServerMessage::Progress { progress: 0, .. }), "{received:?}");
            let Some(ServerMessage::GameCreated { game_id, key, view, .. }) =
                received.iter().find(|message| matches!(message, ServerMessage::GameCreated { .. }))
            else {
                panic!("{received:?}")
            };
            let created: serde_json::Value = serde_json::from_str(&disk[0]).unwrap();
            let deal = created["event"]["config"]["layers"][0]["deal"].as_u64().expect("the deal number is stored");
            let chance = texas42_ai::seeds::chance_of(&day(difficulty, Some(deal as u32)), Seat::ALL[0]);
            assert!(band.contains(&chance), "{difficulty:?}: {chance}");

            let (mut other, mut elsewhere) = (tables(50), Vec::new());
            other.handle_text(1_000, PAGE, &daily(difficulty.name()));
            let again = wait_for_table(&mut other, &mut elsewhere);
            let same = |message: &ServerMessage| matches!(message, ServerMessage::GameCreated { view: other, .. } if other.state.players[0] == view.state.players[0]);
            assert!(again.iter().any(same), "everyone must get the same hand");

            // The log alone yields the same hand, and the game yields a record that replays.
            let mut second = tables(100);
            let join = serde_json::json!({ "type": "JOIN_GAME", "gameId": game_id, "name": "Ann", "key": key });
            second.handle_text(2_000, PAGE, &join.to_string());
            let mut follower = texas42_protocol::Follower::default();
            for message in carry_out(&mut second, 2_000, &mut disk) {
                follower.handle_message(&message);
            }
            assert_eq!(follower.table().unwrap().1.state.players[0], view.state.players[0]);
            play(&mut second, &mut disk, &mut follower, game_id.as_str());
            let record = second.record(game_id.as_str()).expect("the game is over");
            let replayed = texas42_room::HeadlessRoom::from_record(&record).unwrap();
            assert_eq!(*replayed.game().ctx().seed(), day(difficulty, Some(deal as u32)));
        }
    }

    /// A create request sent during a deal search replaces it, and nothing of the first is stored.
    #[test]
    fn a_new_request_cancels_a_pending_creation() {
        let (mut tables, mut disk) = (tables(0), Vec::new());
        tables.handle_text(1_000, PAGE, &daily("easy"));
        assert_eq!(tables.wake_at(), Some(0), "the search must be running");
        tables.handle_text(1_000, PAGE, r#"{"type":"PING","nonce":1}"#);
        assert_eq!(tables.wake_at(), Some(0), "a ping must not cancel the search");
        tables.handle_text(1_000, PAGE, &create());
        let received = wait_for_table(&mut tables, &mut disk);
        let created = received.iter().filter(|message| matches!(message, ServerMessage::GameCreated { .. })).count();
        assert_eq!(created, 1);
        assert!(!disk.iter().any(|event| event.contains("daily-challenge")));

        tables.handle_text(1_000, PAGE, &daily("easy"));
        tables.handle_text(1_000, PAGE, r#"{"type":"JOIN_GAME","gameId":"nowhere","name":"Ann"}"#);
        assert_ne!(tables.wake_at(), Some(0), "joining another table must cancel the search");
    }

    #[test]
    fn unknown_tables_and_unreadable_messages_get_an_error() {
        let (mut tables, mut disk) = (tables(0), Vec::new());
        for text in [
            "{}",
            "no",
            r#"{"type":"JOIN_GAME","gameId":"nowhere","name":"Ann"}"#,
            r#"{"type":"SUBSCRIBE","gameId":"nowhere"}"#,
        ] {
            tables.handle_text(1, PAGE, text);
            let received = carry_out(&mut tables, 1, &mut disk);
            assert!(matches!(received[..], [ServerMessage::Error { .. }]), "{text}: {received:?}");
        }
    }

    /// Events that could not be stored have not happened: the page gets an error and finds the table as it was.
    #[test]
    fn a_failed_store_is_reported_and_the_table_restarts() {
        let (mut tables, mut disk) = (tables(0), Vec::new());
        tables.handle_text(1_000, PAGE, &create());
        let received = carry_out(&mut tables, 1_000, &mut disk);
        let Some(ServerMessage::GameCreated { game_id, key, .. }) = received.first() else { panic!("{received:?}") };
        let leave = serde_json::json!({ "type": "GIVE_UP_SEAT", "gameId": game_id, "requestId": "l" });
        tables.handle_text(2_000, PAGE, &leave.to_string());
        assert!(matches!(tables.poll_output(), Some(Output::Store { .. })));
        tables.handle_store_failure(game_id, "no space");
        assert!(matches!(tables.poll_output(), Some(Output::Send { text, .. }) if text.contains("not-stored")));
        assert!(matches!(tables.poll_output(), Some(Output::Close { to: PAGE, .. })));
        assert_eq!(tables.poll_output(), None);
        let join = serde_json::json!({ "type": "JOIN_GAME", "gameId": game_id, "name": "Ann", "key": key });
        tables.handle_text(3_000, PAGE, &join.to_string());
        let received = carry_out(&mut tables, 3_000, &mut disk);
        assert!(received.iter().any(|message| matches!(message, ServerMessage::Joined { .. })), "{received:?}");
    }

    /// However far the clock of the device is set back, bots wait no longer than they would have.
    #[test]
    fn a_clock_that_is_set_back_delays_no_bot() {
        const DAY: u64 = 86_400_000;
        for back in [20_000, 2 * DAY] {
            let (mut tables, mut disk, mut now) = (tables(0), Vec::new(), 10 * DAY);
            tables.set_bots(Pace { min: 700, max: 1900 }, "random");
            let create = create().replace(r#""players""#, r#""shaker":0,"players""#);
            tables.handle_text(now, PAGE, &create);
            carry_out(&mut tables, now, &mut disk);
            // The three bots after the shaker bid before Ann.
            for _ in 0..3 {
                let (stored, wake) = (disk.len(), tables.wake_at().unwrap());
                assert!(wake <= now + 1900);
                now = wake - back;
                tables.handle_time(now);
                carry_out(&mut tables, now, &mut disk);
                let again = tables.wake_at().unwrap();
                assert!(again <= now + 1900, "waits {} ms", again - now);
                now = again;
                tables.handle_time(now);
                carry_out(&mut tables, now, &mut disk);
                assert!(disk.len() > stored, "a bot has bid");
            }
        }
    }

    /// Rows stored by version 0.1.0 in a browser can be restored and the game played to its end.
    #[test]
    fn a_table_stored_by_version_0_1_0_can_be_continued() {
        let rows = include_str!("../../../crates/room/tests/compatibility/browser-rows.json");
        let rows: Vec<((String, u64), String)> = serde_json::from_str(rows).unwrap();
        let mut disk: Vec<String> = rows.into_iter().map(|(_, event)| event).collect();
        let (mut tables, mut follower) = (tables(0), texas42_protocol::Follower::default());
        let join = serde_json::json!({
            "type": "JOIN_GAME", "gameId": "table", "sessionKey": "AQIDBAUGBwgJCgsMDQ4PEA", "name": "Ann",
        });
        tables.handle_text(1_000, PAGE, &join.to_string());
        for message in carry_out(&mut tables, 1_000, &mut disk) {
            follower.handle_message(&message);
        }
        play(&mut tables, &mut disk, &mut follower, "table");
        assert!(follower.table().unwrap().1.derived.winner.is_some());
    }
}
