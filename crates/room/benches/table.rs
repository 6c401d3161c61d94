//! Measures the cost of a table: events broadcast to four people, idle rooms, and very many rooms.
//!
//! `record GAMES` plays games through a room, seats the people at new tables, and prints the number of actions. `serve
//! GAMES` also replays the games at these tables and serializes every message. Under an instruction counter, the
//! difference is the cost of the actions alone. Without
//! arguments (`cargo bench`), it prints times, sizes and memory. `cargo test` does the same with a hundredth of the work.

#![expect(clippy::disallowed_methods, reason = "a benchmark reads the clock and its arguments")]

use std::{hint::black_box, time::Instant};

use texas42_protocol::{
    ActionMessage, ClientMessage, GameId, Grant, Name, RequestId, Role, SecretKey, ServerMessage, to_json,
};
use texas42_room::{ConnectionId, Effect, NewTable, RandomPlayer, Room};
use texas42_vocab::{Action, Control};

fn main() {
    let (options, args): (Vec<String>, Vec<String>) = std::env::args().skip(1).partition(|arg| arg == "--bench");
    let words: Vec<&str> = args.iter().map(String::as_str).collect();
    match words[..] {
        ["record", games] => {
            println!("{}", record(number(games)).len());
            black_box(tables(number(games)));
        }
        ["serve", games] => {
            let recorded = record(number(games));
            println!("{}", recorded.len());
            black_box(serve(&recorded, tables(number(games))));
        }
        ["sizes", games] => sizes(number(games)),
        ["time", games] => time(number(games)),
        ["many", rooms] => many(number(rooms)),
        ["memory", rooms] => memory(number(rooms)),
        [] if options.is_empty() => everything(1),
        [] => everything(100),
        _ => panic!("record GAMES, serve GAMES, sizes GAMES, time GAMES, many ROOMS, memory ROOMS, or nothing"),
    }
}

fn number(text: &str) -> u64 {
    text.parse().expect("a number")
}

fn everything(scale: u64) {
    sizes(scale.div_ceil(5));
    time(scale.div_ceil(2));
    memory(20 * scale);
    many(1000 * scale);
}

/// The longest full views of running and of finished random games, and the average length of an update while a game
/// runs. A finished game has the link that replays it.
fn sizes(games: u64) {
    let (mut running, mut finished, mut served) = (0, 0, Served::default());
    for game in 0..games {
        let mut room = full_table(game);
        let mut random = RandomPlayer::new(game);
        for step in 0.. {
            let views = (0..4).filter_map(|connection| serde_json::to_vec(&room.view_for(connection)?).ok());
            let longest = views.map(|view| view.len()).max().unwrap_or(0);
            if room.phase().is_over() {
                finished = finished.max(longest);
                break;
            }
            running = running.max(longest);
            let (connection, action) = choice(&room, &mut random);
            execute(&mut room, step, connection, action);
            let mut sent = Served::default();
            drain(&mut room, &mut sent);
            if !room.phase().is_over() {
                served.messages += sent.messages;
                served.bytes += sent.bytes;
            }
        }
    }
    println!("sizes {running} {finished} {:.0}", served.bytes as f64 / served.messages as f64);
}

/// Measures the time for the actions of some games.
fn time(games: u64) {
    let recorded = record(games);
    let tables = tables(games);
    let started = Instant::now();
    black_box(serve(&recorded, tables));
    println!("time {} {:.6}", recorded.len(), started.elapsed().as_secs_f64());
}

/// An action of a connection in a game.
struct Move {
    game: u64,
    connection: ConnectionId,
    action: Action,
}

#[derive(Default)]
struct Served {
    messages: u64,
    bytes: u64,
}

fn new_room(game: u64) -> (Room, SecretKey) {
    let mut randomness = [0; 32];
    randomness[..8].copy_from_slice(&game.to_le_bytes());
    let id = GameId::try_from(format!("t{game}").as_str()).expect("an id");
    let create = r#"{"type":"CREATE_GAME","name":"Ann","table":{"pause":0}}"#;
    let message: ClientMessage = serde_json::from_str(create).expect("a message");
    let mut room = Room::create(0, NewTable { id, randomness, connection: 0 }, message).expect("a table");
    let invite = ClientMessage::Invite {
        game_id: room.id().clone(),
        request_id: RequestId::try_from("invite").expect("an id"),
        grant: Some(Grant { uses: Some(3), ..Grant::of(Role::Player) }),
        key: None,
        revoke: None,
        guest: None,
    };
    room.handle_message(0, 0, invite);
    let key = drain(&mut room, &mut Served::default()).expect("an invite has a key");
    (room, key)
}

fn full_table(game: u64) -> Room {
    let (mut room, key) = new_room(game);
    for (connection, name) in [(1, "Bob"), (2, "Cid"), (3, "Dee")] {
        let message = ClientMessage::JoinGame {
            game_id: room.id().clone(),
            request_id: None,
            key: Some(key.clone()),
            name: Name::try_from(name).expect("a name"),
            role: None,
            seat: None,
            capabilities: None,
            entropy: None,
            session_key: None,
            version: None,
        };
        room.handle_message(0, connection, message);
        drain(&mut room, &mut Served::default());
    }
    room
}

/// Carries out the effects without a disk or a network; returns the key of an invite.
fn drain(room: &mut Room, served: &mut Served) -> Option<SecretKey> {
    let mut invited = None;
    while let Some(effect) = room.poll_effect() {
        match effect {
            Effect::Store(events) => drop(black_box(to_json(&events))),
            Effect::Send { message, .. } => {
                served.messages += 1;
                served.bytes += to_json(&*message).len() as u64;
                if let ServerMessage::Invited { key, .. } = &*message {
                    invited.clone_from(key);
                }
            }
            Effect::RequestBot { .. } | Effect::ReleaseBot { .. } | Effect::ClaimCode(_) | Effect::ReleaseCode(_) => {}
        }
    }
    invited
}

fn execute(room: &mut Room, step: u64, connection: ConnectionId, action: Action) {
    let message = ClientMessage::ExecuteAction {
        game_id: room.id().clone(),
        request_id: RequestId::try_from(format!("r{step}").as_str()).expect("an id"),
        version: room.version(),
        action: ActionMessage(action),
        intent: None,
    };
    room.handle_message(0, connection, message);
}

fn record(games: u64) -> Vec<Move> {
    let mut moves = Vec::new();
    for game in 0..games {
        let mut room = full_table(game);
        let mut random = RandomPlayer::new(game);
        while !room.phase().is_over() {
            let (connection, action) = choice(&room, &mut random);
            execute(&mut room, moves.len() as u64, connection, action);
            drain(&mut room, &mut Served::default());
            moves.push(Move { game, connection, action });
        }
    }
    moves
}

fn choice(room: &Room, random: &mut RandomPlayer) -> (ConnectionId, Action) {
    let offered = (0..4).find_map(|connection| {
        let view = room.view_for(connection)?;
        let plays = view.valid_actions.into_iter().map(|valid| valid.action);
        let plays: Vec<Action> = plays.filter(|action| !matches!(action, Action::Claim { .. })).collect();
        (!plays.is_empty()).then_some((connection, plays))
    });
    let (connection, plays) = offered.expect("somebody has something to do");
    (connection, plays[random.below(plays.len() as u64) as usize])
}

fn tables(games: u64) -> Vec<Room> {
    (0..games).map(full_table).collect()
}

fn serve(moves: &[Move], mut tables: Vec<Room>) -> Served {
    let mut served = Served::default();
    for (step, Move { game, connection, action }) in moves.iter().enumerate() {
        let room = &mut tables[*game as usize];
        execute(room, step as u64, *connection, *action);
        drain(room, &mut served);
    }
    served
}

/// An idle table: everybody is seated, the hand is dealt, nobody is connected.
fn idle(game: u64) -> Room {
    let mut room = full_table(game);
    (0..4).for_each(|connection| room.handle_disconnect(0, connection));
    drain(&mut room, &mut Served::default());
    room
}

fn memory(rooms: u64) {
    let mut kept = Vec::with_capacity(rooms as usize);
    let counted = allocation_counter::measure(|| kept.extend((0..rooms).map(idle)));
    let bytes = counted.bytes_current as f64 / rooms as f64 + size_of::<Room>() as f64;
    println!("memory {} {bytes:.0}", kept.len());
}

/// Creates rooms for a person with three bots, and executes one action in each.
fn many(rooms: u64) {
    let started = Instant::now();
    for game in 0..rooms {
        let (mut room, _) = new_room(game);
        for player in texas42_vocab::Seat::ALL.into_iter().skip(1) {
            let request = RequestId::try_from(format!("ai{player}").as_str()).expect("an id");
            let message = ClientMessage::SetPlayerControl {
                game_id: room.id().clone(),
                request_id: request,
                player,
                control_type: Control::Ai,
                version: None,
            };
            room.handle_message(0, 0, message);
        }
        drain(&mut room, &mut Served::default());
        if let Some(valid) = room.view_for(0).and_then(|view| view.valid_actions.into_iter().next()) {
            execute(&mut room, 0, 0, valid.action);
            drain(&mut room, &mut Served::default());
        }
        black_box(room.version());
    }
    println!("many {rooms} {:.6}", started.elapsed().as_secs_f64());
}
