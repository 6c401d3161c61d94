//! Deals that somebody chose or can compute are for one person, and stay marked.

use serde_json::{Value, json};
use texas42_phrases::{Problem, Reason};
use texas42_protocol::{Capability, ErrorCode, GameId, PlayerView, ServerMessage};
use texas42_room::{NewTable, RandomPlayer, Room, StoredEvent};

use crate::support::*;

/// Every domino in order, seven for each seat.
pub(crate) fn chosen_deal() -> Value {
    let mut dominoes = (0..7).flat_map(|high| (0..=high).map(move |low| format!("{high}-{low}")));
    let deal: Vec<Vec<String>> = (0..4).map(|_| dominoes.by_ref().take(7).collect()).collect();
    json!([deal])
}

fn daily(of_the_day: &Value) -> Value {
    let mut layer = json!({ "type": "daily-challenge", "date": "2026-01-15" });
    layer.as_object_mut().unwrap().extend(of_the_day.as_object().unwrap().clone());
    layer
}

/// Every way to choose or know the deals, as a configuration and table options.
fn known_deals() -> Vec<(Value, Value)> {
    let seeded = json!({ "deal": "seeded" });
    vec![
        (json!({ "deals": chosen_deal() }), json!({})),
        (json!({ "deals": chosen_deal() }), seeded.clone()),
        (json!({ "seed": "mine" }), seeded.clone()),
        (json!({}), seeded.clone()),
        (json!({ "layers": [{ "type": "one-hand", "seed": "mine" }] }), seeded.clone()),
        (json!({ "layers": [daily(&json!({}))] }), seeded.clone()),
        (json!({ "layers": [daily(&json!({ "deal": 7 }))] }), seeded),
    ]
}

fn with_people(config: &Value, count: usize) -> Value {
    let mut config = config.clone();
    config["players"] = people(count);
    config
}

fn creation(config: &Value, table: &Value) -> Result<Room, Box<ServerMessage>> {
    let new = NewTable { id: GameId::try_from("table").unwrap(), randomness: [7; 32], connection: ANN };
    Room::create(0, new, read(&create_game(config, table)))
}

/// A table of one person with chosen deals.
fn solo() -> Host {
    let config = json!({ "players": people(1), "deals": chosen_deal(), "target": 1 });
    let mut host = Host::new(&config, &json!({ "pause": 0 }));
    host.seat_bots();
    host
}

fn invite_to_play(host: &mut Host) -> Vec<ServerMessage> {
    let grant = json!({ "role": "player", "seat": 1 });
    host.say(ANN, json!({ "type": "INVITE", "requestId": "i", "grant": grant }))
}

#[test]
fn a_new_table_with_known_deals_has_one_seat_for_a_person() {
    for (config, table) in known_deals() {
        assert!(creation(&with_people(&config, 1), &table).is_ok(), "{config} {table}");
        for count in 2..=4 {
            let Err(answer) = creation(&with_people(&config, count), &table) else {
                panic!("{count} people play {config} {table}");
            };
            assert_eq!(code(&[*answer]), ErrorCode::BadConfig, "{config} {table}");
        }
    }
}

/// Each could be a person who plays with the creator.
#[test]
fn no_invited_bots_play_known_deals() {
    let bot = json!({ "role": "ai", "seat": 1 });
    let mut host = solo();
    let refused = host.say(ANN, json!({ "type": "INVITE", "requestId": "i", "grant": bot }));
    assert_eq!(error(&refused).reason.as_deref(), Some(&Reason::Request(Problem::DealsAreKnown)));

    let (mut host, keys) = Host::with_invites(json!({ "target": 1 }), &json!({ "pause": 0 }), &[bot]);
    host.join(EVE, &keys[0], json!({}));
    host.play_to_the_end(&mut RandomPlayer::new(1));
    let rematch = json!({ "type": "REMATCH", "requestId": "again", "table": { "deal": "seeded" } });
    assert_eq!(error(&host.say(ANN, rematch)).reason.as_deref(), Some(&Reason::Request(Problem::SomeoneSeesMore)));
}

#[test]
fn a_daily_challenge_of_several_people_is_refused_with_its_reason() {
    let config = json!({ "players": people(2), "layers": [daily(&json!({}))] });
    for table in [json!({}), json!({ "deal": "seeded" })] {
        let Err(answer) = creation(&config, &table) else { panic!("two people play the daily challenge") };
        let answer = [*answer];
        assert_eq!(error(&answer).field.as_deref(), Some("config.layers"));
        assert_eq!(error(&answer).reason.as_deref(), Some(&Reason::Request(Problem::DailyIsForOne)));
    }
}

#[test]
fn nobody_else_is_invited_to_known_deals() {
    for (config, table) in known_deals() {
        let mut host = Host::new(&with_people(&config, 1), &table);
        host.seat_bots();
        assert_eq!(code(&invite_to_play(&mut host)), ErrorCode::NotAllowed, "{config} {table}");
        let spectators = host.invite(&json!({ "role": "spectator" }));
        let replies = tags(&host.join(EVE, &spectators, json!({})));
        assert!(replies.contains(&"JOINED".to_owned()), "others may watch: {replies:?}");
        assert!(host.view(EVE).metadata.known_deals && host.view(ANN).metadata.known_deals);
    }
}

/// What everybody sees is true: nobody can take the seat of a bot there.
#[test]
fn no_seat_is_listed_as_free_for_a_person_where_one_plays_known_deals() {
    let marked = |host: &Host, viewer| {
        let is_marked = |player: &&PlayerView| player.capabilities.contains(&Capability::ReplaceAi);
        host.view(viewer).players.iter().filter(is_marked).count()
    };
    for (config, table) in known_deals() {
        let mut host = Host::new(&with_people(&config, 1), &table);
        host.seat_bots();
        assert_eq!(marked(&host, ANN), 0, "{config} {table}");
    }
    let mut host = Host::new(&json!({ "players": people(1) }), &json!({}));
    host.seat_bots();
    assert_eq!(marked(&host, ANN), 3, "with secret deals, somebody could");

    // Nobody plays yet, so somebody can.
    let config = with_people(&json!({ "deals": chosen_deal() }), 0);
    let mut create = create_game(&config, &json!({}));
    create["role"] = json!("spectator");
    let mut host = Host::created(&create, [5; 32]);
    host.seat_bots();
    assert_eq!(marked(&host, ANN), 4);
    let key = host.invite(&json!({ "role": "player", "uses": 4 }));
    assert!(tags(&host.join(BOB, &key, json!({ "seat": 1 }))).contains(&"JOINED".to_owned()));
    assert_eq!(marked(&host, ANN), 0, "now somebody plays");
    host.say(BOB, json!({ "type": "GIVE_UP_SEAT", "requestId": "gone" }));
    host.seat_bots();
    assert_eq!(marked(&host, ANN), 4, "the seat is free again");
}

/// An invite from before the first person sat down seats no second one.
#[test]
fn a_watching_creator_gives_known_deals_to_one_person() {
    let mut create = create_game(&json!({ "players": people(1), "deals": chosen_deal() }), &json!({}));
    create["role"] = json!("spectator");
    let mut host = Host::created(&create, [5; 32]);
    let key = host.invite(&json!({ "role": "player", "uses": 4 }));
    assert!(tags(&host.join(BOB, &key, json!({}))).contains(&"JOINED".to_owned()));
    assert_eq!(code(&host.join(CID, &key, json!({ "seat": 1 }))), ErrorCode::NotAllowed);
}

#[test]
fn people_at_a_table_cannot_change_to_known_deals() {
    let mut gathering = Host::new(&json!({ "players": people(3), "target": 1 }), &json!({}));
    let key = gathering.invite(&json!({ "role": "player", "seat": 1 }));
    gathering.join(BOB, &key, json!({}));
    let mut over = Host::seated(2, json!({ "target": 1 }), &json!({ "pause": 0 }));
    over.play_to_the_end(&mut RandomPlayer::new(3));
    for (number, (config, table)) in known_deals().into_iter().enumerate() {
        for (host, request) in [(&mut gathering, "CONFIGURE"), (&mut over, "REMATCH")] {
            for count in [1, 2] {
                // Who controls the seats now does not matter, but who sits there.
                let config = with_people(&config, count);
                let id = format!("{number}-{count}");
                let message = json!({ "type": request, "requestId": id, "config": config, "table": table });
                assert_eq!(code(&host.say(ANN, message)), ErrorCode::BadConfig, "{request} {config} {table}");
            }
        }
    }
}

#[test]
fn known_deals_stay_marked_after_a_game_with_secret_deals() {
    let mut host = solo();
    assert!(host.view(ANN).metadata.known_deals);
    host.play_to_the_end(&mut RandomPlayer::new(3));
    let config = json!({ "target": 1, "players": people(1) });
    host.say(ANN, json!({ "type": "REMATCH", "requestId": "a", "config": config }));
    assert_eq!(host.view(ANN).metadata.game_number, 1);
    assert!(host.view(ANN).metadata.known_deals, "the table had chosen deals");
    let key = host.invite(&json!({ "role": "player", "seat": 1 }));
    host.join(BOB, &key, json!({}));
    for _ in 0..2 {
        assert!(host.view(BOB).metadata.known_deals);
        let mut restored = host.restored(host.now);
        let key = host.keys[&BOB].clone();
        restored.join(BOB, &key, json!({}));
        assert!(restored.view(BOB).metadata.known_deals);
        host.play_to_the_end(&mut RandomPlayer::new(3));
        let request = host.fresh_request_id();
        host.say(BOB, json!({ "type": "REMATCH", "requestId": request }));
        assert!(!host.view(BOB).state.players[1].hand.is_empty(), "nobody knows the deals of this game");
    }
}

#[test]
fn a_table_with_secret_deals_has_no_mark() {
    let mut host = Host::seated(2, json!({ "target": 1 }), &json!({ "pause": 0 }));
    host.play_to_the_end(&mut RandomPlayer::new(3));
    host.say(BOB, json!({ "type": "REMATCH", "requestId": "again" }));
    assert!(!host.view(ANN).metadata.known_deals && !host.view(ANN).metadata.table.brought);
}

/// Earlier versions let several people play a daily challenge. Such a table can be played to its end, but not repeated.
#[test]
fn an_old_daily_challenge_of_two_people_is_not_repeated() {
    let host = Host::seated(2, json!({}), &json!({ "pause": 0 }));
    let log: Vec<Value> = host.log.iter().map(|stored| serde_json::to_value(stored).unwrap()).collect();
    let is_old = |stored: &Value| stored["event"]["type"] != "acted";
    let mut log: Vec<Value> = log.into_iter().filter(is_old).collect();
    log[0]["event"]["table"]["deal"] = json!("seeded");
    log[0]["event"]["config"]["layers"] = json!([daily(&json!({ "deal": 7 }))]);
    let log: Vec<StoredEvent> = serde_json::from_value(json!(log)).unwrap();
    let room = Room::restore(0, GameId::try_from("table").unwrap(), &[8; 32], &log).unwrap();
    let mut old = Host::of(room, 0, log);
    for connection in [ANN, BOB] {
        old.join(connection, &host.keys[&connection], json!({}));
    }
    old.seat_bots();
    old.play_to_the_end(&mut RandomPlayer::new(4));
    let refused = old.say(BOB, json!({ "type": "REMATCH", "requestId": "again" }));
    assert_eq!((code(&refused), error(&refused).field.as_deref()), (ErrorCode::BadConfig, Some("table.deal")));
    let config = json!({ "players": people(2), "target": 1 });
    let table = json!({ "deal": "secret" });
    old.say(ANN, json!({ "type": "REMATCH", "requestId": "b", "config": config, "table": table }));
    assert_eq!(old.view(BOB).metadata.game_number, 1);
    assert!(old.view(BOB).metadata.known_deals);
}

#[test]
fn a_rated_table_draws_its_first_shaker() {
    for players in [people(1), people(4)] {
        let config = json!({ "players": players, "shaker": 2 });
        let Err(answer) = creation(&config, &json!({ "rated": true })) else { panic!("the creator chose the shaker") };
        assert_eq!(error(&[*answer]).field.as_deref(), Some("config.shaker"));
        assert!(creation(&config, &json!({})).is_ok());
    }
}
