//! Clients and bots at a table in one process, with connections that drop: whole games, each request executed once.

#![allow(clippy::unwrap_used, reason = "a failed unwrap fails the test")]

use std::collections::BTreeMap;

use texas42_client::{Answer, Bot, ClientEvent, Credentials, GameClient, Pace, Question, close};
use texas42_protocol::{
    Capability, ClientMessage, ErrorCode, GameId, GameView, Grant, Intent, Metadata, RequestId, Role, SecretKey,
    ServerMessage, UndoView,
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
    dice: u64,
    /// Messages that are not delivered yet.
    line: Vec<(ConnectionId, ServerMessage)>,
    bots: BTreeMap<ConnectionId, Bot>,
    next_link: ConnectionId,
    /// One message in this many is lost together with its connection.
    drops: Option<u64>,
}

/// Bytes that look random but are reproducible.
fn dice(first: u8) -> [u8; 24] {
    std::array::from_fn(|at| first.wrapping_add((at as u8).wrapping_mul(37)))
}

fn id() -> GameId {
    GameId::try_from("table").unwrap()
}

fn founder(people: usize) -> GameClient {
    let players = std::array::from_fn(|seat| if seat < people { Control::Human } else { Control::Ai });
    let table = texas42_protocol::TableOptions { pause: 0, open_hands: true, ready: true, ..Default::default() };
    let config = Config { players, target: Some(7), ..Config::default() };
    GameClient::new(Credentials::Create { config, table, name: "Ann".try_into().unwrap(), entropy: None }, dice(9))
}

impl World {
    fn new(drops: Option<u64>) -> Self {
        Self {
            room: None,
            log: Vec::new(),
            now: 0,
            dice: 42,
            line: Vec::new(),
            bots: BTreeMap::new(),
            next_link: 1,
            drops,
        }
    }

    fn roll(&mut self, bound: u64) -> u64 {
        self.dice = self.dice.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.dice >> 33) % bound
    }

    fn add(&mut self, mut bot: Bot) -> ConnectionId {
        let link = self.next_link;
        self.next_link += 1;
        bot.client_mut().handle_connected(self.now);
        self.bots.insert(link, bot);
        link
    }

    fn receive(&mut self, link: ConnectionId, message: ClientMessage) {
        match &mut self.room {
            None => {
                let new = NewTable { id: id(), randomness: [3; 32], connection: link };
                self.room = Some(Room::create(self.now, new, message).unwrap());
            }
            Some(room) => room.handle_message(self.now, link, message),
        }
        self.drain();
    }

    fn drain(&mut self) {
        while let Some(effect) = self.room.as_mut().and_then(Room::poll_effect) {
            match effect {
                Effect::Store(events) => self.log.extend(events),
                Effect::Send { to, message } => self.line.push((to, ServerMessage::clone(&message))),
                Effect::RequestBot { seat, key } => {
                    let name = "Program".try_into().unwrap();
                    let mut randomness = dice(100 + seat.index() as u8);
                    randomness[0] = self.roll(256) as u8;
                    let client = GameClient::new(Credentials::join(id(), Some(key), name), randomness);
                    let seed = self.roll(1000);
                    self.add(Bot::new(client, Pace::NATURAL, seed));
                }
                Effect::ReleaseBot { seat } => self.bots.retain(|_, bot| bot.client().seat() != Some(seat)),
            }
        }
    }

    /// One round: deliver messages in both directions, advance the time, and possibly drop a connection.
    fn turn(&mut self) {
        self.send_frames();
        for (link, message) in std::mem::take(&mut self.line) {
            if let Some(bot) = self.bots.get_mut(&link) {
                bot.handle_message(self.now, &message);
            }
        }
        self.answer_questions();
        self.now += 100;
        if let Some(room) = &mut self.room {
            room.handle_time(self.now);
        }
        self.drain();
        self.connect_again();
        self.bots.values_mut().for_each(|bot| bot.handle_time(self.now));
    }

    fn send_frames(&mut self) {
        for link in self.bots.keys().copied().collect::<Vec<_>>() {
            while let Some(frame) = self.bots.get_mut(&link).and_then(Bot::poll_frame) {
                let is_cut = self.drops.is_some_and(|once_in| self.roll(once_in) == 0);
                if is_cut && self.roll(2) == 0 {
                    self.cut(link);
                    break;
                }
                self.receive(link, frame);
                if is_cut {
                    self.cut(link);
                    break;
                }
            }
        }
    }

    /// Drops a connection, with all messages on their way to the client.
    fn cut(&mut self, link: ConnectionId) {
        if self.log.len() < 4 {
            return;
        }
        self.line.retain(|(to, _)| *to != link);
        if let Some(room) = &mut self.room {
            room.handle_disconnect(self.now, link);
        }
        self.drain();
        if let Some(bot) = self.bots.get_mut(&link) {
            bot.client_mut().handle_disconnected(self.now, None);
        }
    }

    fn connect_again(&mut self) {
        let due = |bot: &Bot| bot.client().connect_at().is_some_and(|at| at <= self.now);
        let links: Vec<ConnectionId> = self.bots.iter().filter(|(_, bot)| due(bot)).map(|(link, _)| *link).collect();
        for link in links {
            let bot = self.bots.remove(&link).unwrap();
            self.add(bot);
        }
    }

    fn answer_questions(&mut self) {
        for link in self.bots.keys().copied().collect::<Vec<_>>() {
            let Some(Question { version, view, seat }) = self.bots.get_mut(&link).and_then(Bot::poll_question) else {
                continue;
            };
            let own: Vec<Action> = view.valid_actions.iter().map(|valid| valid.action).collect();
            let own: Vec<Action> = own
                .into_iter()
                .filter(|action| action.player() == Some(seat) && !matches!(action, Action::Claim { .. }))
                .collect();
            let action = own[self.roll(own.len() as u64) as usize];
            let answer = Answer { action, why: Intent::try_from(WHY).ok() };
            self.bots.get_mut(&link).unwrap().handle_decision(self.now, version, &answer);
        }
    }

    fn play_out(&mut self) {
        for _ in 0..40_000 {
            if self.room.as_ref().is_some_and(|room| room.phase() == Phase::GameEnd) {
                return;
            }
            self.turn();
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
    world.add(Bot::new(founder(1), Pace::IMMEDIATE, 1));
    world.play_out();
    let acted = world.log.iter().filter(|stored| matches!(stored.event, Event::Acted { by: Some(_), .. })).count();
    assert!(acted > 20, "{acted}");
}

#[test]
fn dropped_connections_neither_lose_nor_repeat_requests() {
    let mut world = World::new(Some(6));
    world.add(Bot::new(founder(1), Pace::IMMEDIATE, 1));
    world.play_out();
    let mut requests = world.requests();
    let all = requests.len();
    requests.sort();
    requests.dedup();
    assert_eq!(all, requests.len(), "a request was executed twice");
}

/// Exchanges messages between a client and a room until both are idle.
fn talk(world: &mut World, link: ConnectionId, client: &mut GameClient) -> Vec<ClientEvent> {
    loop {
        let mut is_silent = true;
        while let Some(frame) = client.poll_frame() {
            is_silent = false;
            world.receive(link, frame);
        }
        for (to, message) in std::mem::take(&mut world.line) {
            if to == link {
                client.handle_message(world.now, &message);
            }
        }
        if is_silent {
            return std::iter::from_fn(|| client.poll_event()).collect();
        }
    }
}

fn at_table(people: usize) -> (World, GameClient) {
    let mut world = World::new(None);
    let mut client = founder(people);
    client.handle_connected(0);
    let news = talk(&mut world, 0, &mut client);
    assert!(news.contains(&ClientEvent::Joined), "{news:?}");
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
    world.line.clear();
    assert!(client.is_waiting());
    world.room.as_mut().unwrap().handle_disconnect(0, 0);
    client.handle_disconnected(10, Some(close::TOO_SLOW));
    assert!(client.connect_at().is_some_and(|at| at > 10 && at < 1000));
    client.handle_connected(500);
    let news = talk(&mut world, 77, &mut client);
    assert!(
        news.iter().any(|news| matches!(news, ClientEvent::Answered { request: answered, .. } if *answered == request))
    );
    assert!(!client.is_waiting());
    assert_eq!(world.requests(), [request]);
}

#[test]
fn another_client_resumes_the_seat_with_a_ticket() {
    let (mut world, client) = at_table(2);
    let text = serde_json::to_string(client.ticket().unwrap()).unwrap();
    world.room.as_mut().unwrap().handle_disconnect(0, 0);
    let mut again = GameClient::resume(serde_json::from_str(&text).unwrap(), dice(1));
    again.handle_connected(0);
    talk(&mut world, 5, &mut again);
    assert_eq!((again.seat(), again.player_id()), (client.seat(), client.player_id()));
    assert_eq!(again.ticket(), client.ticket());
}

#[test]
fn an_invite_is_created_used_and_revoked() {
    let (mut world, mut ann) = at_table(2);
    let grant = Grant { seat: Seat::new(1), ..Grant::of(Role::Player) };
    ann.invite(0, grant.clone(), None).unwrap();
    let news = talk(&mut world, 0, &mut ann);
    let key = news.iter().find_map(|news| match news {
        ClientEvent::Invited { key: Some(key), .. } => Some(key.clone()),
        _ => None,
    });
    let mut bob = GameClient::new(Credentials::join(id(), key, "Bob".try_into().unwrap()), dice(2));
    bob.handle_connected(0);
    talk(&mut world, 1, &mut bob);
    assert_eq!(bob.seat(), Seat::new(1));
    ann.invite(0, Grant::of(Role::Spectator), None).unwrap();
    let news = talk(&mut world, 0, &mut ann);
    let Some(ClientEvent::Invited { invitation, .. }) =
        news.iter().find(|news| matches!(news, ClientEvent::Invited { .. }))
    else {
        panic!("{news:?}");
    };
    ann.revoke(0, *invitation).unwrap();
    let news = talk(&mut world, 0, &mut ann);
    assert!(news.iter().any(|news| matches!(news, ClientEvent::Invited { key: None, .. })), "{news:?}");
}

/// Bots give reasons only if somebody may see them.
#[test]
fn bots_give_reasons_only_to_sessions_that_may_see_them() {
    for has_listener in [false, true] {
        let (mut world, mut ann) = at_table(1);
        if has_listener {
            let key = SecretKey::new(std::array::from_fn(|at| 11 * at as u8 + 7));
            ann.invite(0, Grant::of(Role::Admin), Some(key.clone())).unwrap();
            talk(&mut world, 0, &mut ann);
            let mut eve = GameClient::new(Credentials::join(id(), Some(key), "Eve".try_into().unwrap()), dice(2));
            eve.handle_connected(0);
            talk(&mut world, 99, &mut eve);
            assert!(eve.capabilities().contains(&Capability::SeeAiIntent), "{:?}", eve.capabilities());
        }
        ann.set_control(0, ann.seat().unwrap(), Control::Ai).unwrap();
        talk(&mut world, 0, &mut ann);
        (0..200).for_each(|_| world.turn());
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
    let mut eve = GameClient::new(Credentials::join(id(), Some(key), "Eve".try_into().unwrap()), dice(2));
    eve.handle_connected(0);
    let news = talk(&mut world, 3, &mut eve);
    assert!(matches!(&news[..], [ClientEvent::Over { error }] if error.code == ErrorCode::BadKey), "{news:?}");
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
    talk(&mut world, 0, &mut ann);
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
    let refused_at = |ann: &mut GameClient, action, version, view: &GameView| {
        let request = ann.execute(0, action).unwrap();
        while ann.poll_frame().is_some() {}
        let error = texas42_protocol::WireError::new(texas42_phrases::Problem::MovedOn);
        let (request_type, request_id) = (Some("EXECUTE_ACTION".to_owned()), Some(request));
        let (version, view) = (Some(version), Some(view.clone()));
        ann.handle_message(0, &ServerMessage::Error { request_type, request_id, error, version, view });
        let refused = std::iter::from_fn(|| ann.poll_event()).any(|news| matches!(news, ClientEvent::Refused { .. }));
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
    let client = GameClient::new(Credentials::join(id(), None, "Program".try_into().unwrap()), dice(1));
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
    assert!(bot.acts_at().unwrap() <= 1_000 + Pace::NATURAL.most);
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
    assert!(later.unwrap() > 2_000 + 3 * Pace::NATURAL.most, "{later:?}");
    bot.handle_message(3_000, &update(7, asked(vec![seat.left()])));
    assert_eq!(bot.acts_at(), later, "but not forever");
}
