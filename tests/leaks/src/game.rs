//! Plays a game and compares it with its twins.

use std::{collections::BTreeMap, fmt};

use serde_json::{Value, json};
use texas42_engine::State;
use texas42_hosting::{Binding, routes::TableEndpoint};
use texas42_phrases::Phrase;
use texas42_protocol::{ClientMessage, GameId, PlayerId, SecretKey};
use texas42_room::{ConnectionId, Event, RandomPlayer};
use texas42_vocab::{Action, Bid, BidKind, Config, Control, Deal, Domino, Layer, Phase, Seat, Trump};

use crate::{
    deals::{History, random_deals},
    inputs::{Input, Request, draw},
    participants::{Participant, Transport, VisibleHands},
    recorded_table::RecordedTable,
};

/// The connection of the creator. The players on the other seats have the next ones.
const CREATOR: ConnectionId = 100;
/// The connection of the person who takes the seat of a bot during a hand.
const NEWCOMER: ConnectionId = 120;
/// The number of deals to try for a twin. If none of them fits, the game has no twin for this viewer.
const TRIES: usize = 60;
/// The maximum number of steps of a game.
const MAX_STEPS: u64 = 160;
/// The number of random configurations to try until a table accepts one.
const MAX_TABLES: usize = 100;
/// How far the clock advances, in milliseconds, while nobody can act.
const PAUSE: u64 = 30_000;

/// A participant received bytes that depend on dominoes that are hidden from it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Leak {
    /// The seed of the game.
    pub seed: u64,
    /// The role of the participant.
    pub role: &'static str,
    /// What differs.
    pub what: String,
}

impl fmt::Display for Leak {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { seed, role, what } = self;
        write!(f, "seed {seed}, {role}: {what}\nto reproduce: cargo xtask leaks --seed {seed} --games 1")
    }
}

impl std::error::Error for Leak {}

/// Counts of what was compared.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    /// Games that were played.
    pub games: u64,
    /// Games with more than one person.
    pub shared_games: u64,
    /// The number of twins for each role.
    pub twins: BTreeMap<&'static str, u64>,
    /// Twins in which hands that were thrown in have different dominoes.
    pub thrown_in: u64,
    /// Messages and answers that were compared.
    pub messages: u64,
    /// Bytes that were compared.
    pub bytes: u64,
}

impl Totals {
    /// Adds the counts of other games.
    pub fn add(&mut self, other: &Self) {
        let Self { games, shared_games, twins, thrown_in, messages, bytes } = other;
        self.games += games;
        self.shared_games += shared_games;
        twins.iter().for_each(|(role, count)| *self.twins.entry(role).or_default() += count);
        self.thrown_in += thrown_in;
        self.messages += messages;
        self.bytes += bytes;
    }
}

impl fmt::Display for Totals {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { games, shared_games, twins, thrown_in, messages, bytes } = self;
        writeln!(f, "    {games} games, {shared_games} of them with several people")?;
        for (role, count) in twins {
            writeln!(f, "    {role:<24}{count:>8} twins")?;
        }
        writeln!(f, "    {thrown_in} twins have different dominoes in hands that were thrown in")?;
        write!(f, "    {messages} messages and answers with {bytes} bytes are identical")
    }
}

/// Audits games with consecutive seeds.
///
/// # Errors
/// The first leak.
pub fn audit_games(from: u64, count: u64) -> Result<Totals, Leak> {
    let mut totals = Totals::default();
    for seed in from..from + count {
        totals.add(&audit_game(seed)?);
    }
    Ok(totals)
}

/// Plays the game of a seed, and compares it with a twin for each role.
///
/// # Errors
/// If a participant received bytes that depend on hidden dominoes.
pub fn audit_game(seed: u64) -> Result<Totals, Leak> {
    let (play, mut random) = played(seed);
    let is_person = |participant: &&Participant| participant.seat().is_some() && participant.role != "invited bot";
    let is_shared = play.participants.iter().filter(is_person).count() > 1;
    let mut totals = Totals { games: 1, shared_games: u64::from(is_shared), ..Totals::default() };
    for number in 0..play.participants.len() {
        let role = play.participants[number].role;
        play.compare(number, &mut random, &mut totals).map_err(|what| Leak { seed, role, what })?;
    }
    Ok(totals)
}

/// The game of a seed.
fn played(seed: u64) -> (Play, RandomPlayer) {
    let mut random = RandomPlayer::new(seed);
    let mut play = Play::new(&mut random);
    let steps = random.below(MAX_STEPS);
    for _ in 0..steps {
        if !play.step(&mut random) {
            break;
        }
    }
    (play, random)
}

/// A game with its recorded inputs.
struct Play {
    /// The table before the first deal.
    gathered: RecordedTable,
    table: RecordedTable,
    config: Config,
    is_rated: bool,
    /// Whether most calls of the first hand are passes, so that it is likely thrown in. Then nobody requests an undo, which
    /// would reveal its dominoes.
    passes: bool,
    participants: Vec<Participant>,
    /// All inputs since the first deal.
    inputs: Vec<Input>,
    requests: u64,
    /// The highest number of a hand that was dealt.
    last_dealt: u32,
    /// The number of the hand during which the newcomer joined.
    newcomer_joined: Option<u32>,
    lost: Vec<ConnectionId>,
}

/// A key whose bytes differ, because a table refuses keys that are not random.
fn key(number: u8) -> SecretKey {
    SecretKey::new(core::array::from_fn(|at| number.wrapping_add(at as u8 * 13)))
}

fn table_id() -> GameId {
    GameId::try_from("table").expect("a valid id")
}

fn message(value: &Value) -> ClientMessage {
    serde_json::from_value(value.clone()).expect("the message is valid")
}

// Setup.
impl Play {
    fn new(random: &mut RandomPlayer) -> Self {
        (0..MAX_TABLES).find_map(|_| Self::try_new(random)).expect("most rules are accepted")
    }

    /// A table at which everyone is ready. `None` if the table refuses the rules.
    fn try_new(random: &mut RandomPlayer) -> Option<Self> {
        let people = 1 + random.below(4) as usize;
        let is_rated = random.below(4) == 0;
        let has_open_hands = !is_rated && random.below(2) == 0;
        let options = any_options(is_rated, has_open_hands, random);
        let config = any_config(people, random);
        let create = json!({
            "type": "CREATE_GAME", "name": "Ann", "entropy": "ann", "sessionKey": key(1), "config": config,
            "table": options,
        });
        let mut table = RecordedTable::create(&table_id(), [random.below(256) as u8; 32], CREATOR, message(&create))?;
        let player = |number: u8| Participant {
            role: "player",
            transport: Transport::Connection(CREATOR + u64::from(number)),
            key: Some(key(1 + number)),
            visible_hands: VisibleHands::One(Seat::ALL[usize::from(number)]),
        };
        let mut participants = vec![player(0)];
        for number in 1..people as u8 {
            let role = if random.below(3) == 0 { "student" } else { "player" };
            invite(&mut table, 20 + number, &json!({ "role": role, "seat": number }));
            let participant = Participant { role, ..player(number) };
            join(&mut table, &participant, Some(20 + number));
            participants.push(participant);
        }
        if !is_rated && people < 3 {
            let seat = people as u8;
            invite(&mut table, 20 + seat, &json!({ "role": "ai", "seat": seat }));
            let bot = Participant { role: "invited bot", ..player(seat) };
            join(&mut table, &bot, Some(20 + seat));
            participants.push(bot);
        }
        participants.extend(visitors(&mut table, has_open_hands, people, random));
        let mut play = Self::of(table, config, is_rated, participants, random);
        play.declare_everyone_ready(people);
        Some(play)
    }

    fn of(
        gathered: RecordedTable,
        config: Value,
        is_rated: bool,
        participants: Vec<Participant>,
        random: &mut RandomPlayer,
    ) -> Self {
        let mut config: Config = serde_json::from_value(config).expect("the configuration is valid");
        config.deals = random_deals(random);
        let passes = random.below(3) == 0;
        let table = gathered.dealt(&config.deals, passes, RandomPlayer::new(random.below(1 << 40)));
        Self {
            gathered,
            table,
            config,
            is_rated,
            passes,
            participants,
            inputs: Vec::new(),
            requests: 0,
            last_dealt: 0,
            newcomer_joined: None,
            lost: Vec::new(),
        }
    }

    fn declare_everyone_ready(&mut self, people: usize) {
        for number in 0..people {
            let request = self.request_id();
            self.send(CREATOR + number as u64, json!({ "type": "READY", "requestId": request }));
        }
        // The table draws the first shaker from its secret. A replay of the actions needs the result.
        let view = self.table.host().room().view_for(CREATOR);
        self.config.shaker = view.and_then(|view| view.state.shaker);
    }
}

/// Random options of a table that starts when everyone is ready.
fn any_options(is_rated: bool, has_open_hands: bool, random: &mut RandomPlayer) -> Value {
    let mut options = json!({
        "ready": true, "pause": random.below(2) * 50, "openToSpectators": true, "rated": is_rated,
        "openHands": has_open_hands, "hints": !is_rated && random.below(2) == 0,
    });
    if random.below(3) == 0 {
        options["turnSeconds"] = json!(30);
    }
    options
}

fn any_config(people: usize, random: &mut RandomPlayer) -> Value {
    let mut some = |names: &[&str]| -> Vec<Value> {
        names.iter().filter(|_| random.below(3) == 0).map(|name| json!({ "type": name })).collect()
    };
    let mut layers = some(&["nello", "plunge", "splash", "sevens"]);
    if layers.is_empty() {
        layers = some(&["tournament"]);
    }
    layers.extend(some(&["forced-bid", "speed", "hints", "consensus"]));
    let players: Vec<Control> = (0..4).map(|seat| if seat < people { Control::Human } else { Control::Ai }).collect();
    json!({ "layers": layers, "players": players, "playOn": random.below(2) == 0 })
}

/// The participants without a seat: spectators, a coach, an admin, an invitee who has not joined, a stranger.
fn visitors(
    table: &mut RecordedTable,
    has_open_hands: bool,
    people: usize,
    random: &mut RandomPlayer,
) -> Vec<Participant> {
    let watcher = |role, number: u8, visible_hands| Participant {
        role,
        transport: Transport::Connection(CREATOR + u64::from(number)),
        key: Some(key(number)),
        visible_hands,
    };
    let mut participants = vec![watcher("spectator", 10, VisibleHands::None)];
    join(table, &participants[0], None);
    if has_open_hands {
        let coached = Seat::ALL[random.below(4) as usize];
        for (participant, grant) in [
            (watcher("open spectator", 11, VisibleHands::All), json!({ "role": "spectator", "openHands": true })),
            (
                watcher("delayed spectator", 12, VisibleHands::None),
                json!({ "role": "spectator", "openHands": true, "delayHands": 1 }),
            ),
            (
                watcher("very delayed spectator", 14, VisibleHands::None),
                json!({ "role": "spectator", "openHands": true, "delayHands": 2 }),
            ),
            (watcher("coach", 13, VisibleHands::One(coached)), json!({ "role": "coach", "seat": coached })),
            (watcher("admin", 15, VisibleHands::All), json!({ "role": "admin" })),
        ] {
            let number = 30 + participants.len() as u8;
            invite(table, number, &grant);
            join(table, &participant, Some(number));
            participants.push(participant);
        }
    }
    if people < 4 {
        invite(table, 40, &json!({ "role": "player", "seat": 3 }));
        participants.push(Participant {
            role: "invitee",
            transport: Transport::HttpOnly,
            key: Some(key(40)),
            visible_hands: VisibleHands::None,
        });
    }
    participants.extend(waiting_guest(table, people, watcher("waiting guest", 16, VisibleHands::None)));
    participants.push(Participant {
        role: "stranger",
        transport: Transport::HttpOnly,
        key: None,
        visible_hands: VisibleHands::None,
    });
    participants
}

/// A guest who waits in the lobby, if a seat is free.
fn waiting_guest(table: &mut RecordedTable, people: usize, guest: Participant) -> Option<Participant> {
    let connection = guest.connection().filter(|_| people < 4)?;
    let open = json!({ "type": "OPEN_LOBBY", "gameId": "table", "requestId": "lobby" });
    table.feed(&Input::Frame { from: CREATOR, text: open.to_string() });
    let received = table.received_by(0, Some(CREATOR));
    let code = received.iter().rev().find_map(|line| {
        let message: Value = serde_json::from_str(line.split_once(' ')?.1).ok()?;
        message["code"].as_str().map(str::to_owned)
    });
    table.feed(&Input::Connected { connection });
    table.feed(&Input::Frame {
        from: connection,
        text: knock(&guest, &code.expect("an open lobby has a code")).to_string(),
    });
    Some(guest)
}

fn knock(guest: &Participant, code: &str) -> Value {
    json!({ "type": "KNOCK", "gameId": "table", "code": code, "name": "Wanda", "key": guest.key })
}

fn invite(table: &mut RecordedTable, number: u8, grant: &Value) {
    let text = json!({
        "type": "INVITE", "gameId": "table", "requestId": format!("i{number}"), "key": key(number), "grant": grant,
    });
    table.feed(&Input::Frame { from: CREATOR, text: text.to_string() });
}

fn join(table: &mut RecordedTable, participant: &Participant, invite: Option<u8>) {
    let Some(connection) = participant.connection() else { return };
    let text = joining(participant, invite);
    table.feed(&Input::Connected { connection });
    table.feed(&Input::Frame { from: connection, text });
}

fn joining(participant: &Participant, invite: Option<u8>) -> String {
    let name = format!("Person {}", participant.connection().unwrap_or_default());
    let mut join = json!({ "type": "JOIN_GAME", "gameId": "table", "sessionKey": participant.key, "name": name });
    if let Some(invite) = invite {
        join["key"] = json!(key(invite));
    }
    join.to_string()
}

// Playing.
impl Play {
    fn request_id(&mut self) -> String {
        self.requests += 1;
        format!("r{}", self.requests)
    }

    fn feed(&mut self, input: Input) {
        self.table.feed(&input);
        self.inputs.push(input);
        let dealt = self.table.host().room().state().map_or(0, |state| state.hand_number);
        self.last_dealt = self.last_dealt.max(dealt);
    }

    fn send(&mut self, from: ConnectionId, mut message: Value) {
        message["gameId"] = json!("table");
        self.feed(Input::Frame { from, text: message.to_string() });
    }

    fn request(&mut self, by: usize, endpoint: TableEndpoint, body: String) {
        let key = self.participants[by].key.clone();
        self.feed(Input::Request(Request { by, endpoint, key, body }));
    }

    /// Takes one random step. Returns whether the game continues.
    fn step(&mut self, random: &mut RandomPlayer) -> bool {
        if self.table.host().room().phase().is_over() {
            return false;
        }
        match random.below(40) {
            0..6 => self.read_something(random),
            6 => self.change_control(random),
            7 => self.lose_connection(random),
            8 => self.reconnect(),
            9 if !self.passes => self.ask_undo(random),
            10 => self.add_newcomer(),
            11 => self.knock_again(),
            12 | 13 => self.talk(random),
            _ => self.act_or_wait(random),
        }
        true
    }

    /// The guest in the lobby asks for the status of the request, which a table answers for any code.
    fn knock_again(&mut self) {
        let guest = self.participants.iter().find(|participant| participant.role == "waiting guest");
        let request = guest.and_then(|guest| Some((guest.connection()?, knock(guest, "BBBBBB"))));
        if let Some((from, message)) = request.filter(|(from, _)| !self.lost.contains(from)) {
            self.send(from, message);
        }
    }

    fn act_or_wait(&mut self, random: &mut RandomPlayer) {
        let choices = self.choices();
        let passes = self.passes && self.last_dealt == 0;
        let Some((participant, action)) = draw(&choices, |(_, action)| *action, passes, random) else {
            let now = self.table.now;
            let at = self.table.host().wake_at().map_or(now + PAUSE, |at| at.clamp(now, now + PAUSE));
            return self.feed(Input::Time { at });
        };
        self.act(participant, action, random.below(3) == 0);
    }

    fn act(&mut self, participant: usize, action: Action, over_http: bool) {
        let (request, version) = (self.request_id(), self.table.host().room().version());
        let body = json!({ "requestId": request, "version": version, "action": action });
        match self.participants[participant].connection() {
            Some(connection) if !over_http => {
                let mut message = body;
                message["type"] = json!("EXECUTE_ACTION");
                self.send(connection, message);
            }
            _ => self.request(participant, TableEndpoint::Act, body.to_string()),
        }
    }

    /// The legal actions of all players, apart from claims.
    fn choices(&self) -> Vec<(usize, Action)> {
        let players = self.participants.iter().enumerate().filter(|(_, participant)| participant.seat().is_some());
        let offered = players.flat_map(|(number, participant)| {
            let view = participant.connection().and_then(|connection| self.table.host().room().view_for(connection));
            let offered = view.map(|view| view.valid_actions).unwrap_or_default();
            offered.into_iter().map(move |valid| (number, valid.action))
        });
        offered.filter(|(_, action)| !matches!(action, Action::Claim { .. })).collect()
    }

    fn read_something(&mut self, random: &mut RandomPlayer) {
        let by = random.below(self.participants.len() as u64) as usize;
        let endpoints = [TableEndpoint::State, TableEndpoint::Actions, TableEndpoint::Record];
        self.request(by, endpoints[random.below(3) as usize], String::new());
    }

    fn any_player(&self, random: &mut RandomPlayer) -> (usize, Seat) {
        let seated = self
            .participants
            .iter()
            .enumerate()
            .filter_map(|(number, participant)| Some((number, participant.seat()?)));
        let seated: Vec<(usize, Seat)> = seated.collect();
        seated[random.below(seated.len() as u64) as usize]
    }

    /// Somebody says something, allowed or not. A coach most often points at a domino of the student's hand.
    fn talk(&mut self, random: &mut RandomPlayer) {
        let coach = self
            .participants
            .iter()
            .position(|participant| participant.role == "coach")
            .filter(|_| random.below(2) == 0);
        let by = coach.unwrap_or_else(|| random.below(self.participants.len() as u64) as usize);
        let Some(from) = self.participants[by].connection().filter(|from| !self.lost.contains(from)) else { return };
        let phrase = Phrase::ALL[random.below(Phrase::ALL.len() as u64) as usize];
        let view = self.table.host().room().view_for(from);
        let seen = view.into_iter().flat_map(|view| view.state.players).flat_map(|player| player.hand);
        let seen: Vec<Domino> = seen.collect();
        let domino = (!seen.is_empty()).then(|| seen[random.below(seen.len() as u64) as usize]);
        let request = self.request_id();
        let mut message = json!({ "type": "SAY", "requestId": request, "phrase": phrase });
        if let Some(domino) = domino.filter(|_| phrase.points()) {
            message["domino"] = json!(domino);
        }
        self.send(from, message);
    }

    fn change_control(&mut self, random: &mut RandomPlayer) {
        let (participant, seat) = self.any_player(random);
        let control = if random.below(3) == 0 { "ai" } else { "human" };
        let request = self.request_id();
        let body = json!({ "requestId": request, "player": seat, "controlType": control });
        self.request(participant, TableEndpoint::Control, body.to_string());
    }

    fn lose_connection(&mut self, random: &mut RandomPlayer) {
        let (participant, _) = self.any_player(random);
        if let Some(connection) = self.participants[participant].connection()
            && self.lost.is_empty()
        {
            self.lost.push(connection);
            self.feed(Input::Lost { connection });
        }
    }

    fn reconnect(&mut self) {
        let Some(connection) = self.lost.pop() else { return };
        let participant = self.participants.iter().find(|participant| participant.connection() == Some(connection));
        let Some(text) = participant.map(|participant| joining(participant, None)) else { return };
        self.feed(Input::Connected { connection });
        self.feed(Input::Frame { from: connection, text });
    }

    /// Every player requests the same undo of a few actions.
    fn ask_undo(&mut self, random: &mut RandomPlayer) {
        let events = self.table.actions().len() as u64;
        let Some(to) = events.checked_sub(1 + random.below(6)).filter(|to| *to > 0) else { return };
        for participant in 0..self.participants.len() {
            if self.participants[participant].seat().is_some() {
                self.act(participant, Action::Undo { to: to as u16 }, false);
            }
        }
    }

    /// Seats a newcomer in place of a bot; the newcomer plays from the next deal. A table with given deals would refuse a
    /// second person, so the event is added directly to its log.
    fn add_newcomer(&mut self) {
        let seat = Seat::ALL[3];
        let room = self.table.host().room();
        let hand = room.state().filter(|state| is_in_play(state.phase)).map(|state| state.hand_number);
        let is_bots = self.participants.iter().all(|participant| participant.seat() != Some(seat));
        let (Some(hand), true, None) = (hand, is_bots, self.newcomer_joined) else { return };
        let Some(event) = self.newcomer_event(seat) else { return };
        let Event::Joined { session, .. } = &event else { return };
        let binding =
            Binding { connection: NEWCOMER, player: Some(session.player_id.clone()), is_subscribed: true, guest: None };
        let visible_hands = VisibleHands::One(seat);
        let participant = Participant {
            role: "newcomer",
            transport: Transport::Connection(NEWCOMER),
            key: Some(key(50)),
            visible_hands,
        };
        self.participants.push(participant);
        self.newcomer_joined = Some(hand);
        self.feed(Input::Adopted { event: Box::new(event), binding });
        self.send(NEWCOMER, json!({ "type": "SUBSCRIBE" }));
    }

    fn newcomer_event(&self, seat: Seat) -> Option<Event> {
        let created = self.table.log.iter().find_map(|stored| match &stored.event {
            Event::Joined { session, .. } if session.seat == Some(Seat::ALL[0]) => Some(session),
            _ => None,
        })?;
        let mut session = serde_json::to_value(created).ok()?;
        let id = PlayerId::try_from(format!("p{}", self.table.log.len()).as_str()).ok()?;
        session["playerId"] = json!(id);
        session["seat"] = json!(seat);
        session["name"] = json!("Newcomer");
        session["capabilities"] = json!([
            { "type": "act-as-player", "playerIndex": seat }, { "type": "observe-own-hand" }, { "type": "replace-ai" },
        ]);
        session["key"] = json!(texas42_kernel::KeyHash::of(&key(50)));
        session["invitation"] = json!(0);
        serde_json::from_value(json!({ "type": "joined", "session": session, "waits": true })).ok()
    }
}

/// The first action in which two games differ.
fn difference_of_games(one: &[Action], other: &[Action]) -> String {
    let at = one.iter().zip(other).position(|(one, other)| one != other).unwrap_or(one.len().min(other.len()));
    format!("action {at} is {:?} and {:?}", one.get(at), other.get(at))
}

const fn is_in_play(phase: Phase) -> bool {
    matches!(phase, Phase::Bidding | Phase::TrumpSelection | Phase::Playing)
}

// Comparing.
impl Play {
    /// Compares what a participant received with what it receives at a twin table with different hidden dominoes.
    fn compare(&self, number: usize, random: &mut RandomPlayer, totals: &mut Totals) -> Result<(), String> {
        // After an undo to an earlier hand, dominoes of a later hand have been seen. After the game, nothing is hidden.
        let is_comparable = |state: &&State| state.hand_number == self.last_dealt && !state.phase.is_over();
        let Some(state) = self.table.host().room().state().filter(is_comparable) else { return Ok(()) };
        let participant = &self.participants[number];
        let is_waiting = participant.role == "newcomer" && self.newcomer_joined == Some(state.hand_number);
        let visible_hands = if is_waiting { VisibleHands::None } else { participant.visible_hands };
        let timed = self.table.actions();
        let actions: Vec<Action> = timed.iter().map(|(_, action)| *action).collect();
        let hidden_earlier = self.thrown_in();
        let has_thrown_in = !hidden_earlier.is_empty();
        let history = History { config: &self.config, actions: &actions, state, hidden_earlier };
        let Some(deals) = history.redealt(visible_hands, random, TRIES) else { return Ok(()) };
        let probes = self.probes(number);
        let (one, wakes) = self.repeated(&self.config.deals, &probes);
        let (other, other_wakes) = self.repeated(&deals, &probes);
        let taken =
            |table: &RecordedTable| -> Vec<Action> { table.actions().into_iter().map(|(_, action)| action).collect() };
        // A probe may return a seat to its person, who then acts. So the repeated game may have more actions.
        if !taken(&one).starts_with(&actions) {
            return Err("the same inputs lead to a different game".into());
        }
        // A probe of an invited bot whose seat was taken over returns the seat to it, and then counts as its move.
        let has_returned = taken(&one).iter().skip(actions.len()).any(|action| action.player() == participant.seat());
        if has_returned && participant.role == "invited bot" {
            return Ok(());
        }
        // With this layer, the table acts for a seat without a choice, which shows everybody that it has none.
        let shows_forced_moves = self.config.layers.iter().any(|layer| matches!(layer, Layer::Speed(_)));
        let (actions, others) = (taken(&one), taken(&other));
        if actions != others && !shows_forced_moves {
            return Err(format!("the game depends on hidden dominoes: {}", difference_of_games(&actions, &others)));
        }
        if actions != others {
            return Ok(());
        }
        if let Some(what) = self.difference_of_times(&one, &other, &wakes, &other_wakes) {
            if shows_forced_moves {
                return Ok(());
            }
            return Err(format!("the times depend on hidden dominoes: {what}\nother deals: {deals:?}"));
        }
        self.compare_received(number, &one, &other, totals)
            .map_err(|what| format!("{what}\nother deals: {deals:?}"))?;
        totals.thrown_in += u64::from(has_thrown_in);
        Ok(())
    }

    /// The first action that happens at a different time, or the first input after which the table sets a different timer.
    fn difference_of_times(
        &self,
        one: &RecordedTable,
        other: &RecordedTable,
        wakes: &[Option<u64>],
        other_wakes: &[Option<u64>],
    ) -> Option<String> {
        let (timed, other_timed) = (one.actions(), other.actions());
        if let Some((one, other)) = timed.iter().zip(&other_timed).find(|(one, other)| one != other) {
            return Some(format!("{one:?} and {other:?}"));
        }
        let at = wakes.iter().zip(other_wakes).position(|(one, other)| one != other)?;
        let input = self.inputs.get(at);
        Some(format!("after input {at} ({input:?}) the table waits until {:?} and {:?}", wakes[at], other_wakes[at]))
    }

    fn compare_received(
        &self,
        number: usize,
        one: &RecordedTable,
        other: &RecordedTable,
        totals: &mut Totals,
    ) -> Result<(), String> {
        let participant = &self.participants[number];
        let [first, second] = [one, other].map(|table| table.received_by(number, participant.connection()));
        if let Some((first, second)) = first.iter().zip(&second).find(|(first, second)| first != second) {
            return Err(format!("received\n{first}\nand with different hidden dominoes\n{second}"));
        }
        if first.len() != second.len() {
            return Err(format!(
                "received {} messages, and {} with different hidden dominoes",
                first.len(),
                second.len()
            ));
        }
        *totals.twins.entry(participant.role).or_default() += 1;
        totals.messages += first.len() as u64;
        totals.bytes += first.iter().map(|text| text.len() as u64).sum::<u64>();
        Ok(())
    }

    /// The hands that were thrown in and that nobody has seen since. An undo could restore them.
    fn thrown_in(&self) -> Vec<u32> {
        if self.is_rated {
            return Vec::new();
        }
        let actions: Vec<Action> = self.table.actions().into_iter().map(|(_, action)| action).collect();
        if actions.iter().any(|action| matches!(action, Action::Undo { .. })) {
            return Vec::new();
        }
        let ends = |action: &Action| matches!(action, Action::Redeal | Action::ScoreHand);
        let ended = actions.into_iter().filter(ends).enumerate();
        let thrown_in = ended.filter(|(_, action)| *action == Action::Redeal).map(|(hand, _)| hand as u32);
        thrown_in.filter(|hand| (*hand as usize) < self.config.deals.len()).collect()
    }

    /// Repeats the game from its first deal with these deals and additional inputs. Also returns when the table waits to be
    /// woken after each input.
    fn repeated(&self, deals: &[Deal], probes: &[Input]) -> (RecordedTable, Vec<Option<u64>>) {
        let mut table = self.gathered.twin(deals, &self.table.moves());
        let mut wakes = Vec::new();
        for input in self.inputs.iter().chain(probes) {
            table.feed(input);
            wakes.push(table.host().wake_at());
        }
        (table, wakes)
    }

    /// Requests for everything that a participant can read, and every action that it is not offered, over its connection and
    /// over HTTP.
    fn probes(&self, number: usize) -> Vec<Input> {
        let participant = &self.participants[number];
        let key = participant.key.clone();
        let request = |endpoint, body: String| Input::Request(Request { by: number, endpoint, key: key.clone(), body });
        let reads = [TableEndpoint::State, TableEndpoint::Actions, TableEndpoint::Record];
        let mut probes: Vec<Input> = reads.map(|endpoint| request(endpoint, String::new())).into();
        // The reason why somebody cannot point at a domino must not say where it is.
        for domino in Domino::all() {
            let body = json!({ "requestId": format!("point{domino}"), "phrase": Phrase::Look, "domino": domino });
            probes.push(request(TableEndpoint::Say, body.to_string()));
        }
        let version = self.table.host().room().version();
        for (at, action) in self.refused_actions(participant).into_iter().enumerate() {
            let mut body = json!({ "requestId": format!("probe{at}"), "version": version, "action": action });
            match participant.connection().filter(|connection| at % 2 == 0 && !self.lost.contains(connection)) {
                Some(from) => {
                    (body["type"], body["gameId"]) = (json!("EXECUTE_ACTION"), json!("table"));
                    probes.push(Input::Frame { from, text: body.to_string() });
                }
                None => probes.push(request(TableEndpoint::Act, body.to_string())),
            }
        }
        probes
    }

    fn refused_actions(&self, participant: &Participant) -> Vec<Action> {
        let mut all = vec![Action::CompleteTrick, Action::ScoreHand, Action::Redeal, Action::EndGame];
        for player in Seat::ALL {
            all.extend([Action::Pass { player }, Action::AgreeCompleteTrick { player }, Action::Claim { player }]);
            all.extend([Action::AgreeScoreHand { player }]);
            all.extend((29..44).map(|value| Action::Bid { player, bid: Bid { kind: BidKind::Points, value } }));
            for kind in [BidKind::Marks, BidKind::Plunge, BidKind::Splash] {
                all.extend((1..7).map(|value| Action::Bid { player, bid: Bid { kind, value } }));
            }
            all.extend(Trump::ALL.map(|trump| Action::SelectTrump { player, trump }));
            all.extend(Domino::all().map(|domino| Action::Play { player, domino }));
        }
        let view = self.table.host().room().view_with_key(participant.key.as_ref()).map(|(_, view)| view);
        let offered: Vec<Action> =
            view.map(|view| view.valid_actions.iter().map(|valid| valid.action).collect()).unwrap_or_default();
        all.retain(|action| !offered.contains(action));
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Makes the audit expect that an open spectator, who sees all hands, sees none.
    #[test]
    fn a_visible_hand_that_should_be_hidden_is_noticed() {
        let leaks = (1..30).filter(|seed| {
            let (mut play, mut random) = played(*seed);
            let Some(number) = play.participants.iter().position(|participant| participant.role == "open spectator")
            else {
                return false;
            };
            play.participants[number].visible_hands = VisibleHands::None;
            play.compare(number, &mut random, &mut Totals::default()).is_err()
        });
        assert!(leaks.count() >= 3);
    }
}
