//! Whole games through the protocol: four followers act on what they are shown, and what they hold is what the room
//! would show them, after every message.

use std::collections::BTreeMap;

use texas42_protocol::{
    ActionMessage, ClientMessage, Follower, GameId, Heard, Name, RequestId, SecretKey, ServerMessage,
};
use texas42_room::{ConnectionId, Effect, NewTable, RandomPlayer, Room, Stored};
use texas42_vocab::{Action, Seat};

fn create(json: &str) -> ClientMessage {
    serde_json::from_str(json).unwrap()
}

/// A host that does every effect at once, and clients that hear everything.
struct World {
    room: Room,
    log: Vec<Stored>,
    clients: BTreeMap<ConnectionId, Follower>,
    programs: Vec<(Seat, SecretKey)>,
    bytes: Vec<usize>,
    full: Vec<usize>,
}

impl World {
    fn new(message: ClientMessage) -> Self {
        let id = GameId::try_from("table").unwrap();
        let new = NewTable { id, randomness: [5; 32], connection: 0 };
        let room = Room::create(0, new, message).unwrap();
        let clients = BTreeMap::from([(0, Follower::default())]);
        let mut world =
            Self { room, log: Vec::new(), clients, programs: Vec::new(), bytes: Vec::new(), full: Vec::new() };
        world.deliver();
        world
    }

    fn deliver(&mut self) {
        while let Some(effect) = self.room.poll_effect() {
            match effect {
                Effect::Store(events) => self.log.extend(events),
                Effect::Send { to, message } => {
                    let text = serde_json::to_string(&message).unwrap();
                    match &*message {
                        ServerMessage::StateUpdate { patch: Some(_), .. } => self.bytes.push(text.len()),
                        ServerMessage::StateUpdate { view: Some(_), .. } => self.full.push(text.len()),
                        _ => {}
                    }
                    let message: ServerMessage = serde_json::from_str(&text).unwrap();
                    assert_ne!(self.clients.entry(to).or_default().hear(&message), Heard::Gap, "{text}");
                }
                Effect::WantAi { seat, key } => self.programs.push((seat, key)),
                Effect::ReleaseAi { .. } => {}
            }
        }
        for (connection, follower) in &self.clients {
            let (version, view) = follower.table().unwrap();
            assert_eq!(version, self.room.version());
            assert_eq!(Some(view), self.room.view_for(*connection).as_ref());
        }
    }

    fn seat_programs(&mut self) {
        for (seat, key) in std::mem::take(&mut self.programs) {
            let connection = 10 + seat.index() as u64;
            self.clients.insert(connection, Follower::default());
            let message = ClientMessage::JoinGame {
                game_id: self.room.id().clone(),
                request_id: None,
                key: Some(key),
                name: Name::try_from("Program").unwrap(),
                role: None,
                seat: None,
                capabilities: None,
                entropy: None,
                version: None,
            };
            self.clients.remove(&connection);
            self.room.handle_message(0, connection, message);
            self.deliver();
        }
    }

    fn act(&mut self, connection: ConnectionId, number: usize, action: Action) {
        let (version, _) = self.clients[&connection].table().unwrap();
        let request_id = RequestId::try_from(format!("r{number}").as_str()).unwrap();
        let game_id = self.room.id().clone();
        let message = ClientMessage::ExecuteAction { game_id, request_id, version, action: ActionMessage(action) };
        self.room.handle_message(0, connection, message);
        self.deliver();
    }
}

fn play(json: &str) -> World {
    let mut world = World::new(create(json));
    world.seat_programs();
    let mut random = RandomPlayer::new(3);
    for number in 0..20_000 {
        if world.room.phase().is_over() {
            return world;
        }
        let choices: Vec<(ConnectionId, Action)> = world
            .clients
            .iter()
            .flat_map(|(id, follower)| {
                let actions = follower.table().unwrap().1.valid_actions.iter();
                actions.map(|valid| (*id, valid.action)).collect::<Vec<_>>()
            })
            .filter(|(_, action)| !matches!(action, Action::Claim { .. }))
            .collect();
        let (connection, action) = choices[random.below(choices.len() as u64) as usize];
        world.act(connection, number, action);
    }
    panic!("the game never ends");
}

#[test]
fn a_person_and_three_programs_play_a_game_to_its_end() {
    let world = play(
        r#"{"type":"CREATE_GAME","name":"Ann","config":{"players":["human","ai","ai","ai"],"layers":[{"type":"nello"},{"type":"plunge"},{"type":"splash"},{"type":"sevens"},{"type":"consensus"},{"type":"hints"}]},"table":{"pause":0,"hints":true}}"#,
    );
    let average = world.bytes.iter().sum::<usize>() / world.bytes.len();
    println!("patches: {} of {average} bytes on average, most {:?}", world.bytes.len(), world.bytes.iter().max());
    let longest = world.clients.keys().map(|id| serde_json::to_string(&world.room.view_for(*id)).unwrap().len()).max();
    println!("longest view at the end {longest:?}");
    assert!(average <= 600, "{average}");
    let restored = Room::restore(9, world.room.id().clone(), &[1; 32], &world.log).unwrap();
    assert_eq!(restored.state(), world.room.state());
}
