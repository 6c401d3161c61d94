//! Clients and bots at a table in one process, with connections that drop: whole games, each request executed once.

#![allow(clippy::unwrap_used, reason = "a failed unwrap fails the test")]

use std::collections::BTreeMap;

use texas42_client::{Bot, BotDecision, ClientCore, ClientEvent, Credentials, Heartbeat, Pace, Question, close};
use texas42_phrases::{Phrase, Problem};
use texas42_protocol::{
    Capability, ClientMessage, ErrorCode, GameId, GameView, Grant, Intent, KnockStatus, LobbyCode, Metadata, PlayerId,
    RequestId, Role, SecretKey, ServerMessage, UndoView, WireError,
};
use texas42_room::{ConnectionId, Effect, Event, HeadlessRoom, NewTable, Room, StoredEvent};
use texas42_vocab::{Action, Config, Control, Phase, Seat};

/// The reason that every bot gives for each action.
const WHY: &str = "It looked good.";

/// A table and its bots, in one thread with a simulated clock.
struct World {
    room: Option<Room>,
    log: Vec<StoredEvent>,
    now: u64,
    rng_state: u64,
    /// Messages to clients that are not delivered yet.
    in_flight: Vec<(ConnectionId, ServerMessage)>,
    bots: BTreeMap<ConnectionId, Bot>,
    next_connection: ConnectionId,
    /// One message in this many is lost together with its connection.
    drops: Option<u64>,
}

/// Bytes that look random but are reproducible.
fn random_bytes(first: u8) -> [u8; 24] {
    std::array::from_fn(|at| first.wrapping_add((at as u8).wrapping_mul(37)))
}

fn id() -> GameId {
    GameId::try_from("table").unwrap()
}

fn creator(people: usize) -> ClientCore {
    let players = std::array::from_fn(|seat| if seat < people { Control::Human } else { Control::Ai });
    let table = texas42_protocol::TableOptions { pause: 0, open_hands: true, ready: true, ..Default::default() };
    let config = Config { players, target: Some(7), ..Config::default() };
    ClientCore::new(
        Credentials::Create { config, table, name: "Ann".try_into().unwrap(), role: None, seat: None, entropy: None },
        random_bytes(9),
    )
}

impl World {
    fn new(drops: Option<u64>) -> Self {
        Self {
            room: None,
            log: Vec::new(),
            now: 0,
            rng_state: 42,
            in_flight: Vec::new(),
            bots: BTreeMap::new(),
            next_connection: 1,
            drops,
        }
    }

    fn random_below(&mut self, bound: u64) -> u64 {
        self.rng_state = self.rng_state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.rng_state >> 33) % bound
    }

    fn add(&mut self, mut bot: Bot) -> ConnectionId {
        let connection = self.next_connection;
        self.next_connection += 1;
        bot.client_mut().handle_connected(self.now);
        self.bots.insert(connection, bot);
        connection
    }

    fn receive(&mut self, connection: ConnectionId, message: ClientMessage) {
        match &mut self.room {
            None => {
                let new = NewTable { id: id(), randomness: [3; 32], connection };
                self.room = Some(Room::create(self.now, new, message).unwrap());
            }
            Some(room) => room.handle_message(self.now, connection, message),
        }
        self.drain();
    }

    fn drain(&mut self) {
        while let Some(effect) = self.room.as_mut().and_then(Room::poll_effect) {
            match effect {
                Effect::Store(events) => self.log.extend(events),
                Effect::Send { to, message } => self.in_flight.push((to, ServerMessage::clone(&message))),
                Effect::RequestBot { seat, key } => {
                    let name = "Program".try_into().unwrap();
                    let mut randomness = random_bytes(100 + seat.index() as u8);
                    randomness[0] = self.random_below(256) as u8;
                    let client = ClientCore::new(Credentials::join(id(), Some(key), name), randomness);
                    let seed = self.random_below(1000);
                    self.add(Bot::new(client, Pace::NATURAL, seed));
                }
                Effect::ReleaseBot { seat } => self.bots.retain(|_, bot| bot.client().seat() != Some(seat)),
                Effect::ClaimCode(_) | Effect::ReleaseCode(_) => unreachable!("bots open no lobby"),
            }
        }
    }

    /// One round: deliver messages in both directions, advance the time, and possibly drop a connection.
    fn step(&mut self) {
        self.send_frames();
        for (connection, message) in std::mem::take(&mut self.in_flight) {
            if let Some(bot) = self.bots.get_mut(&connection) {
                bot.handle_message(self.now, &message);
            }
        }
        self.answer_questions();
        self.now += 100;
        if let Some(room) = &mut self.room {
            room.handle_time(self.now);
        }
        self.drain();
        self.reconnect();
        self.bots.values_mut().for_each(|bot| bot.handle_time(self.now));
    }

    fn send_frames(&mut self) {
        for connection in self.bots.keys().copied().collect::<Vec<_>>() {
            while let Some(frame) = self.bots.get_mut(&connection).and_then(Bot::poll_frame) {
                let is_dropped = self.drops.is_some_and(|once_in| self.random_below(once_in) == 0);
                if is_dropped && self.random_below(2) == 0 {
                    self.drop_connection(connection);
                    break;
                }
                self.receive(connection, frame);
                if is_dropped {
                    self.drop_connection(connection);
                    break;
                }
            }
        }
    }

    /// Drops a connection, with all messages on their way to the client.
    fn drop_connection(&mut self, connection: ConnectionId) {
        if self.log.len() < 4 {
            return;
        }
        self.in_flight.retain(|(to, _)| *to != connection);
        if let Some(room) = &mut self.room {
            room.handle_disconnect(self.now, connection);
        }
        self.drain();
        if let Some(bot) = self.bots.get_mut(&connection) {
            bot.client_mut().handle_disconnected(self.now, None);
        }
    }

    fn reconnect(&mut self) {
        let due = |bot: &Bot| bot.client().connect_at().is_some_and(|at| at <= self.now);
        let connections: Vec<ConnectionId> =
            self.bots.iter().filter(|(_, bot)| due(bot)).map(|(connection, _)| *connection).collect();
        for connection in connections {
            let bot = self.bots.remove(&connection).unwrap();
            self.add(bot);
        }
    }

    fn answer_questions(&mut self) {
        for connection in self.bots.keys().copied().collect::<Vec<_>>() {
            let Some(Question { version, view, seat }) = self.bots.get_mut(&connection).and_then(Bot::poll_question)
            else {
                continue;
            };
            let own: Vec<Action> = view.valid_actions.iter().map(|valid| valid.action).collect();
            let own: Vec<Action> = own
                .into_iter()
                .filter(|action| action.player() == Some(seat) && !matches!(action, Action::Claim { .. }))
                .collect();
            let action = own[self.random_below(own.len() as u64) as usize];
            let answer = BotDecision { action, why: Intent::try_from(WHY).ok() };
            self.bots.get_mut(&connection).unwrap().handle_decision(self.now, version, &answer);
        }
    }

    fn play_out(&mut self) {
        for _ in 0..40_000 {
            if self.room.as_ref().is_some_and(|room| room.phase() == Phase::GameEnd) {
                return;
            }
            self.step();
        }
        panic!("the game does not end: {:?}", self.room.as_ref().map(Room::phase));
    }

    /// The ids of all requests that became events.
    fn requests(&self) -> Vec<RequestId> {
        self.log.iter().filter_map(|stored| stored.event.request().map(|(_, request)| request.clone())).collect()
    }
}

#[test]
fn bots_play_a_whole_game_with_its_creator() {
    let mut world = World::new(None);
    world.add(Bot::new(creator(1), Pace::IMMEDIATE, 1));
    world.play_out();
    let acted = world.log.iter().filter(|stored| matches!(stored.event, Event::Acted { by: Some(_), .. })).count();
    assert!(acted > 20, "{acted}");
}

#[test]
fn dropped_connections_neither_lose_nor_repeat_requests() {
    let mut world = World::new(Some(6));
    world.add(Bot::new(creator(1), Pace::IMMEDIATE, 1));
    world.play_out();
    let mut requests = world.requests();
    let all = requests.len();
    requests.sort();
    requests.dedup();
    assert_eq!(all, requests.len(), "a request was executed twice");
}

/// Exchanges messages between a client and a room until both are idle.
fn exchange(world: &mut World, connection: ConnectionId, client: &mut ClientCore) -> Vec<ClientEvent> {
    loop {
        let mut is_silent = true;
        while let Some(frame) = client.poll_frame() {
            is_silent = false;
            world.receive(connection, frame);
        }
        for (to, message) in std::mem::take(&mut world.in_flight) {
            if to == connection {
                client.handle_message(world.now, &message);
            }
        }
        if is_silent {
            return std::iter::from_fn(|| client.poll_event()).collect();
        }
    }
}

fn at_table(people: usize) -> (World, ClientCore) {
    let mut world = World::new(None);
    let mut client = creator(people);
    client.handle_connected(0);
    let events = exchange(&mut world, 0, &mut client);
    assert!(events.contains(&ClientEvent::Joined), "{events:?}");
    (world, client)
}

#[test]
fn a_request_sent_to_a_dead_connection_is_executed_once_after_reconnecting() {
    let (mut world, mut client) = at_table(1);
    // Ann's turn comes after the bots', but she may always hand over her seat.
    let seat = client.seat().unwrap();
    let request = client.set_control(0, seat, Control::Ai).unwrap();
    let lost = client.poll_frame().unwrap();
    world.receive(0, lost);
    world.in_flight.clear();
    assert!(client.is_waiting());
    world.room.as_mut().unwrap().handle_disconnect(0, 0);
    client.handle_disconnected(10, Some(close::TOO_SLOW));
    assert!(client.connect_at().is_some_and(|at| at > 10 && at < 1000));
    client.handle_connected(500);
    let events = exchange(&mut world, 77, &mut client);
    assert!(
        events
            .iter()
            .any(|event| matches!(event, ClientEvent::Answered { request: answered, .. } if *answered == request))
    );
    assert!(!client.is_waiting());
    assert_eq!(world.requests(), [request]);
}

#[test]
fn another_client_resumes_the_seat_with_a_ticket() {
    let (mut world, client) = at_table(2);
    let text = serde_json::to_string(client.ticket().unwrap()).unwrap();
    world.room.as_mut().unwrap().handle_disconnect(0, 0);
    let mut again = ClientCore::resume(serde_json::from_str(&text).unwrap(), random_bytes(1));
    again.handle_connected(0);
    exchange(&mut world, 5, &mut again);
    assert_eq!((again.seat(), again.player_id()), (client.seat(), client.player_id()));
    assert_eq!(again.ticket(), client.ticket());
}

/// Loses the connection of the creator together with all messages to it.
fn lose_connection(world: &mut World, ann: &mut ClientCore) {
    while ann.poll_frame().is_some() {}
    world.in_flight.clear();
    world.room.as_mut().unwrap().handle_disconnect(0, 0);
    ann.handle_disconnected(0, None);
    while ann.poll_event().is_some() {}
}

/// Reconnects, and returns the reports of the client.
fn reconnect(world: &mut World, ann: &mut ClientCore) -> Vec<ClientEvent> {
    ann.handle_connected(20_000);
    exchange(world, 0, ann)
}

fn left(request: &RequestId, is_seat_kept: bool) -> ClientEvent {
    ClientEvent::Left { request: request.clone(), is_seat_kept }
}

#[test]
fn leaving_is_answered_and_keeps_the_seat() {
    let (mut world, mut ann) = at_table(2);
    let request = ann.leave(0).unwrap();
    assert!(ann.is_waiting() && !ann.is_over());
    assert!(exchange(&mut world, 0, &mut ann).contains(&left(&request, true)));
    assert!(ann.is_over() && ann.over().is_none() && !ann.is_waiting());
    let mut again = ClientCore::resume(ann.ticket().unwrap().clone(), random_bytes(1));
    again.handle_connected(0);
    exchange(&mut world, 5, &mut again);
    assert_eq!(again.seat(), ann.seat());
}

/// The request is made while disconnected, and lost once more.
#[test]
fn leaving_is_repeated_until_it_is_answered() {
    let (mut world, mut ann) = at_table(2);
    lose_connection(&mut world, &mut ann);
    let request = ann.leave(0).unwrap();
    assert!(ann.poll_frame().is_none() && ann.connect_at().is_some());
    ann.handle_connected(0);
    lose_connection(&mut world, &mut ann);
    assert!(reconnect(&mut world, &mut ann).contains(&left(&request, true)));
    assert!(ann.is_over());
}

#[test]
fn giving_up_is_done_when_its_answer_was_lost() {
    let (mut world, mut ann) = at_table(2);
    let request = ann.give_up_seat(0).unwrap();
    let frame = ann.poll_frame().unwrap();
    world.receive(0, frame.clone());
    lose_connection(&mut world, &mut ann);
    assert_eq!(reconnect(&mut world, &mut ann), [left(&request, false)]);
    assert!(ann.is_over() && ann.over().is_none());
    assert!(matches!(frame, ClientMessage::GiveUpSeat { request_id: Some(sent), .. } if sent == request));
}

/// With the invite, a client that gives up its seat would take one again.
#[test]
fn giving_up_does_not_use_the_invite_again() {
    let (mut world, mut ann) = at_table(2);
    ann.invite(0, Grant::of(Role::Player), None).unwrap();
    let events = exchange(&mut world, 0, &mut ann);
    let key = events.iter().find_map(|event| match event {
        ClientEvent::Invited { key, .. } => key.clone(),
        _ => None,
    });
    let mut bob = ClientCore::new(Credentials::join(id(), key, "Bob".try_into().unwrap()), random_bytes(2));
    bob.handle_connected(0);
    exchange(&mut world, 3, &mut bob);
    let request = bob.give_up_seat(0).unwrap();
    world.receive(3, bob.poll_frame().unwrap());
    world.in_flight.clear();
    bob.handle_disconnected(0, None);
    while bob.poll_event().is_some() {}
    bob.handle_connected(20_000);
    assert_eq!(exchange(&mut world, 4, &mut bob), [left(&request, false)]);
    exchange(&mut world, 0, &mut ann);
    lose_connection(&mut world, &mut ann);
    reconnect(&mut world, &mut ann);
    let (_, view) = ann.table().unwrap();
    assert!(view.players.iter().all(|player| player.name.as_str() != "Bob"), "{:?}", view.players);
}

#[test]
fn a_seat_is_not_given_up_when_somebody_else_leaves_with_the_same_key() {
    let (_, mut ann) = at_table(2);
    ann.give_up_seat(0).unwrap();
    ann.handle_message(0, &ServerMessage::Left { request_id: None, game_id: id(), is_seat_kept: true });
    let events: Vec<_> = std::iter::from_fn(|| ann.poll_event()).collect();
    assert!(matches!(events[..], [ClientEvent::Over { .. }]), "{events:?}");
}

/// Owners that stop at once send the request without waiting for its answer.
#[test]
fn an_ended_client_sends_what_is_queued_and_does_not_wait() {
    let (_, mut ann) = at_table(2);
    ann.leave(0).unwrap();
    ann.end();
    assert!(ann.is_over() && !ann.is_waiting() && ann.wake_at().is_none());
    assert!(matches!(ann.poll_frame(), Some(ClientMessage::LeaveGame { request_id: Some(_), .. })));
    ann.handle_disconnected(0, None);
    assert!(ann.connect_at().is_none() && ann.poll_event().is_none());
}

#[test]
fn an_invite_is_created_used_and_revoked() {
    let (mut world, mut ann) = at_table(2);
    let grant = Grant { seat: Seat::new(1), ..Grant::of(Role::Player) };
    ann.invite(0, grant.clone(), None).unwrap();
    let events = exchange(&mut world, 0, &mut ann);
    let key = events.iter().find_map(|event| match event {
        ClientEvent::Invited { key: Some(key), .. } => Some(key.clone()),
        _ => None,
    });
    let mut bob = ClientCore::new(Credentials::join(id(), key, "Bob".try_into().unwrap()), random_bytes(2));
    bob.handle_connected(0);
    exchange(&mut world, 1, &mut bob);
    assert_eq!(bob.seat(), Seat::new(1));
    ann.invite(0, Grant::of(Role::Spectator), None).unwrap();
    let events = exchange(&mut world, 0, &mut ann);
    let Some(ClientEvent::Invited { invite, .. }) =
        events.iter().find(|event| matches!(event, ClientEvent::Invited { .. }))
    else {
        panic!("{events:?}");
    };
    ann.revoke(0, *invite).unwrap();
    let events = exchange(&mut world, 0, &mut ann);
    assert!(events.iter().any(|event| matches!(event, ClientEvent::Invited { key: None, .. })), "{events:?}");
}

/// Bots give reasons only if somebody may see them.
#[test]
fn bots_give_reasons_only_to_sessions_that_may_see_them() {
    for has_listener in [false, true] {
        let (mut world, mut ann) = at_table(1);
        if has_listener {
            let key = SecretKey::new(std::array::from_fn(|at| 11 * at as u8 + 7));
            ann.invite(0, Grant::of(Role::Admin), Some(key.clone())).unwrap();
            exchange(&mut world, 0, &mut ann);
            let mut eve =
                ClientCore::new(Credentials::join(id(), Some(key), "Eve".try_into().unwrap()), random_bytes(2));
            eve.handle_connected(0);
            exchange(&mut world, 99, &mut eve);
            assert!(eve.capabilities().contains(&Capability::SeeAiIntent), "{:?}", eve.capabilities());
        }
        ann.set_control(0, ann.seat().unwrap(), Control::Ai).unwrap();
        exchange(&mut world, 0, &mut ann);
        (0..200).for_each(|_| world.step());
        let told: Vec<&Intent> = world
            .log
            .iter()
            .filter_map(|stored| match &stored.event {
                Event::Acted { intent, .. } => intent.as_ref(),
                _ => None,
            })
            .collect();
        assert_eq!(!told.is_empty(), has_listener);
        assert!(told.iter().all(|text| **text == Intent::try_from(WHY).unwrap()));
    }
}

#[test]
fn a_wrong_key_ends_the_client_with_an_error() {
    let (mut world, _) = at_table(2);
    let key = SecretKey::new([0; 16]);
    let mut eve = ClientCore::new(Credentials::join(id(), Some(key), "Eve".try_into().unwrap()), random_bytes(2));
    eve.handle_connected(0);
    let events = exchange(&mut world, 3, &mut eve);
    assert!(matches!(&events[..], [ClientEvent::Over { error }] if error.code == ErrorCode::BadKey), "{events:?}");
    assert!(eve.is_over() && eve.connect_at().is_none());
}

#[test]
fn a_displaced_client_does_not_reconnect() {
    let (_, mut ann) = at_table(2);
    ann.handle_disconnected(0, Some(close::DISPLACED));
    assert!(ann.is_over() && ann.connect_at().is_none());
    ann.come_back(7);
    assert_eq!(ann.connect_at(), Some(7));
}

#[test]
fn a_silent_connection_is_pinged_and_then_closed() {
    let (_, mut ann) = at_table(2);
    let ask_at = ann.wake_at().unwrap();
    ann.handle_time(ask_at);
    assert!(matches!(ann.poll_frame(), Some(ClientMessage::Ping { .. })));
    assert!(!ann.poll_close());
    ann.handle_time(ann.wake_at().unwrap());
    assert!(ann.poll_close());
}

/// A fake clock: at each step the client handles the time, its frames are lost, and so is everything that the table sends.
#[test]
fn a_quick_client_notices_a_silent_loss_within_five_seconds_and_repeats_its_request() {
    let (mut world, ann) = at_table(2);
    let mut ann = ann.with_heartbeat(Heartbeat::QUICK);
    ann.set_control(0, ann.seat().unwrap(), Control::Ai).unwrap();
    let mut now = 0;
    while !ann.poll_close() {
        now = ann.wake_at().unwrap();
        ann.handle_time(now);
        while ann.poll_frame().is_some() {}
    }
    assert!(now <= 5_000, "noticed after {now} ms");
    ann.handle_disconnected(now, None);
    assert!(ann.is_waiting() && !ann.is_joined());
    // The network is back: the client does not wait for its next attempt.
    now += 1;
    ann.handle_network_change(now);
    assert_eq!(ann.connect_at(), Some(now));
    ann.handle_connected(now);
    exchange(&mut world, 0, &mut ann);
    assert!(ann.is_joined() && !ann.is_waiting());
}

/// The answer has a deadline of its own, so a program that was suspended first asks whether the connection still lives.
#[test]
fn a_client_that_was_suspended_pings_before_it_gives_up_the_connection() {
    let (_, ann) = at_table(2);
    let mut ann = ann.with_heartbeat(Heartbeat::QUICK);
    ann.handle_time(3_600_000);
    assert!(matches!(ann.poll_frame(), Some(ClientMessage::Ping { .. })));
    assert!(!ann.poll_close());
    ann.handle_message(3_600_010, &ServerMessage::Pong { nonce: 0, time: None });
    ann.handle_time(3_601_000);
    assert!(!ann.poll_close() && ann.poll_frame().is_none());
    // A hint that the network has changed is checked at once, and only once.
    ann.handle_network_change(3_601_000);
    ann.handle_network_change(3_601_001);
    assert!(matches!(ann.poll_frame(), Some(ClientMessage::Ping { .. })));
    assert!(ann.poll_frame().is_none());
}

#[test]
fn retries_when_the_table_is_busy() {
    let (mut world, mut ann) = at_table(2);
    let request = ann.set_control(0, ann.seat().unwrap(), Control::Ai).unwrap();
    let frame = ann.poll_frame().unwrap();
    let error = texas42_protocol::WireError::new(texas42_phrases::Problem::TooManyMessages);
    let busy = ServerMessage::Error {
        request_type: None,
        request_id: Some(request.clone()),
        error,
        version: None,
        view: None,
    };
    ann.handle_message(0, &busy);
    assert!(ann.is_waiting());
    ann.handle_time(ann.wake_at().unwrap());
    assert_eq!(ann.poll_frame().as_ref(), Some(&frame));
    world.receive(0, frame);
    exchange(&mut world, 0, &mut ann);
    assert!(!ann.is_waiting());
}

/// Two players who agree at the same moment both succeed; a play that came too late is still rejected.
#[test]
fn repeats_an_agreement_that_lost_a_race() {
    let (_, mut ann) = at_table(2);
    let seat = ann.seat().unwrap();
    let (version, mut view) = ann.table().map(|(version, view)| (version, view.clone())).unwrap();
    let agreement = Action::AgreeCompleteTrick { player: seat };
    let offer = serde_json::json!({ "action": agreement, "label": "Go on", "shortcut": "g", "group": "table" });
    view.valid_actions = vec![serde_json::from_value(offer).unwrap()];
    let refused_at = |ann: &mut ClientCore, action, version, view: &GameView| {
        let request = ann.execute(0, action).unwrap();
        while ann.poll_frame().is_some() {}
        let error = texas42_protocol::WireError::new(texas42_phrases::Problem::MovedOn);
        let (request_type, request_id) = (Some("EXECUTE_ACTION".to_owned()), Some(request));
        let (version, view) = (Some(version), Some(view.clone()));
        ann.handle_message(0, &ServerMessage::Error { request_type, request_id, error, version, view });
        let refused = std::iter::from_fn(|| ann.poll_event()).any(|event| matches!(event, ClientEvent::Refused { .. }));
        (ann.poll_frame(), refused)
    };
    let (again, refused) = refused_at(&mut ann, agreement, version + 1, &view);
    let is_at = |message: &ClientMessage, at: u64| matches!(message, ClientMessage::ExecuteAction { version, .. } if *version == at);
    assert!(!refused && again.is_some_and(|message| is_at(&message, version + 1)));
    view.valid_actions.clear();
    let (again, refused) = refused_at(&mut ann, agreement, version + 2, &view);
    assert!(refused && again.is_none(), "the table no longer waits for it");
}

/// An action would cancel the undo request before anybody could answer it.
#[test]
fn a_bot_waits_while_an_undo_is_requested() {
    let room = HeadlessRoom::new(&Config::default()).unwrap();
    let seat = room.state().to_act().unwrap();
    let view = room.view(seat);
    let client = ClientCore::new(Credentials::join(id(), None, "Program".try_into().unwrap()), random_bytes(1));
    let mut bot = Bot::new(client, Pace::NATURAL, 7);
    bot.client_mut().handle_connected(0);
    let joined = ServerMessage::Joined {
        request_id: None,
        game_id: id(),
        player_id: "p1".try_into().unwrap(),
        seat: Some(seat),
        capabilities: Vec::new(),
        key: None,
        version: 5,
        view: view.clone(),
    };
    bot.handle_message(1_000, &joined);
    assert!(bot.acts_at().unwrap() <= 1_000 + Pace::NATURAL.max);
    let asked = |agreed: Vec<Seat>| {
        let metadata = Metadata { undo: Some(UndoView { to: 0, agreed }), ..(*view.metadata).clone() };
        GameView { metadata: metadata.into(), ..view.clone() }
    };
    let update = |version, view| ServerMessage::StateUpdate {
        game_id: id(),
        version,
        ack: None,
        last_action: None,
        view: Some(view),
        patch: None,
    };
    bot.handle_message(2_000, &update(6, asked(Vec::new())));
    let later = bot.acts_at();
    assert!(later.unwrap() > 2_000 + 3 * Pace::NATURAL.max, "{later:?}");
    bot.handle_message(3_000, &update(7, asked(vec![seat.left()])));
    assert_eq!(bot.acts_at(), later, "but not forever");
}

// The lobby.

fn guest() -> ClientCore {
    let credentials = Credentials::Knock {
        game_id: id(),
        code: LobbyCode::new(7),
        key: SecretKey::new([9; 16]),
        name: "Cid".try_into().unwrap(),
        entropy: None,
    };
    ClientCore::new(credentials, random_bytes(1))
}

fn knocked(status: KnockStatus) -> ServerMessage {
    ServerMessage::Knocked { request_id: None, game_id: id(), status, key: None }
}

fn is_knock(frame: Option<ClientMessage>) -> bool {
    matches!(frame, Some(ClientMessage::Knock { key: Some(key), .. }) if key == SecretKey::new([9; 16]))
}

#[test]
fn a_guest_asks_again_while_waiting_and_joins_with_the_same_key() {
    let mut cid = guest();
    cid.handle_connected(0);
    assert!(is_knock(cid.poll_frame()));
    cid.handle_message(10, &knocked(KnockStatus::Waiting));
    assert!(cid.is_in_lobby() && cid.poll_event() == Some(ClientEvent::Waiting));
    let again = cid.wake_at().unwrap();
    cid.handle_time(again);
    assert!(is_knock(cid.poll_frame()), "without a connection, the answer comes only when asked for");
    cid.handle_message(again, &knocked(KnockStatus::Waiting));
    assert_eq!(cid.poll_event(), None, "nothing has changed");
    // The answer to the last request was lost with the connection.
    cid.handle_disconnected(again, None);
    cid.handle_connected(again + 1);
    assert!(is_knock(cid.poll_frame()));
    cid.handle_message(again + 2, &knocked(KnockStatus::Admitted));
    let joins =
        |frame| matches!(frame, Some(ClientMessage::JoinGame { key: Some(key), .. }) if key == SecretKey::new([9; 16]));
    assert!(joins(cid.poll_frame()) && !cid.is_in_lobby());
    cid.handle_disconnected(again + 3, None);
    cid.handle_connected(again + 4);
    assert!(joins(cid.poll_frame()), "a guest who was let in does not ask again");
}

#[test]
fn a_guest_who_is_not_let_in_has_ended() {
    for (status, problem) in [
        (KnockStatus::TurnedAway, Problem::TurnedAway),
        (KnockStatus::Expired, Problem::KnockExpired),
        (KnockStatus::Closed, Problem::LobbyClosed),
    ] {
        let mut cid = guest();
        cid.handle_connected(0);
        cid.handle_message(1, &knocked(KnockStatus::Waiting));
        cid.handle_message(2, &knocked(status));
        assert_eq!(cid.over(), Some(&WireError::new(problem)));
    }
    let mut cid = guest();
    cid.handle_connected(0);
    let error = WireError::new(Problem::UnknownCode);
    cid.handle_message(1, &ServerMessage::refusal(Some("KNOCK"), None, error.clone()));
    assert_eq!(cid.over(), Some(&error));
}

#[test]
fn a_phrase_is_answered_once_and_the_phrases_of_others_are_heard() {
    let mut ann = creator(1);
    ann.handle_connected(0);
    let create = ann.poll_frame().unwrap();
    let mut room = Room::create(0, NewTable { id: id(), randomness: [3; 32], connection: 1 }, create).unwrap();
    let mut deliver = |ann: &mut ClientCore| {
        while let Some(frame) = ann.poll_frame() {
            room.handle_message(0, 1, frame);
        }
        while let Some(effect) = room.poll_effect() {
            if let Effect::Send { to: 1, message } = effect {
                ann.handle_message(0, &message);
            }
        }
    };
    let said = |ann: &mut ClientCore| -> Vec<Option<RequestId>> {
        let events: Vec<ClientEvent> = std::iter::from_fn(|| ann.poll_event()).collect();
        let request = |event| match event {
            ClientEvent::Said { request, phrase: Phrase::Thanks, domino: None, .. } => Some(request),
            _ => None,
        };
        events.into_iter().filter_map(request).collect()
    };
    deliver(&mut ann);
    let request = ann.say(0, Phrase::Thanks, None).unwrap();
    // The reply is late, so the request is repeated.
    let frame = ann.poll_frame().unwrap();
    ann.handle_time(5_000);
    assert_eq!(ann.poll_frame(), Some(frame.clone()));
    ann.handle_message(5_000, &answer(&frame, ann.player_id().unwrap()));
    ann.handle_message(5_000, &answer(&frame, ann.player_id().unwrap()));
    assert_eq!((said(&mut ann), ann.is_waiting()), (vec![Some(request)], false));
    let other = "p9".try_into().unwrap();
    let heard =
        ServerMessage::Said { game_id: id(), request_id: None, player: other, phrase: Phrase::Thanks, domino: None };
    ann.handle_message(5_000, &heard);
    assert_eq!(said(&mut ann), [None]);
}

/// The reply to a phrase.
fn answer(frame: &ClientMessage, player: &PlayerId) -> ServerMessage {
    let ClientMessage::Say { game_id, request_id, phrase, domino } = frame.clone() else { panic!("{frame:?}") };
    ServerMessage::Said { game_id, request_id: Some(request_id), player: player.clone(), phrase, domino }
}
