//! What the capabilities of a session let it do and see.

use serde_json::{Value, json};
use texas42_client::Credentials;
use texas42_protocol::{Capability, ErrorCode, PlayerView, Role};
use texas42_vocab::{Action, Control, Phase, Seat};

use crate::{
    Host,
    newcomers::ann_in_mid_hand,
    player::{Player, catch_up, grant, play_until, seat_grant},
};

/// Flow 8.2 of the specification: the rules of the tutorial, and a student who takes a play back.
pub fn a_student_takes_back_a_play_in_the_tutorial(host: &mut dyn Host) {
    let config = json!({
        "layers": [
            { "type": "one-hand", "seed": "tutorial-1" }, { "type": "speed", "delay": 0 }, { "type": "hints" },
            { "type": "tournament" },
        ],
        "playOn": true,
        "players": ["human", "ai", "ai", "ai"],
    });
    let mut ann = Player::create_as(host, Role::Student, None, &config, &json!({ "deal": "seeded", "pause": 0 }));
    for capability in [Capability::SeeHints, Capability::UndoActions, Capability::ConfigureVariant] {
        assert!(ann.client.capabilities().contains(&capability), "{capability:?}");
    }
    // The table waits for Ann, so it cannot move on before her next request.
    let plays = |ann: &Player| {
        let waits = ann.client.valid_actions().iter().all(|valid| !valid.auto_execute);
        waits && ann.view().state.phase == Phase::Playing && matches!(ann.choice(), Some(Action::Play { .. }))
    };
    play_until(&mut [&mut ann], |players| plays(players[0]));
    assert!(ann.client.valid_actions().iter().all(|valid| valid.hint.is_some()), "every choice must have a hint");
    let layers: Vec<&str> = ann.view().state.layers.iter().map(texas42_vocab::Layer::name).collect();
    assert_eq!(layers, ["one-hand", "speed", "hints", "tournament"], "the view must list all layers");
    assert!(!ann.heard.iter().any(|message| message.to_string().contains("tutorial-1")), "the seed must stay hidden");
    let (to, hand, choice) = (ann.view().state.events, ann.view().state.players[0], ann.choice().unwrap());
    ann.act(choice);
    play_until(&mut [&mut ann], |players| plays(players[0]));
    assert_ne!(ann.view().state.players[0], hand);
    ann.act(Action::Undo { to });
    ann.wait("the play to be taken back", |ann| ann.view().state.players[0] == hand && ann.choice() == Some(choice));
    play_until(&mut [&mut ann], |players| players[0].is_over());
}

/// A player who joined without `undo-actions` cannot agree, so an undo past this player's turn is refused with the reason.
pub fn nothing_is_undone_past_a_player_without_undo(host: &mut dyn Host) {
    let mut ann = Player::create(host, "hhaa", 7);
    let (key, _) = ann.invite(seat_grant(1));
    let mut join = Credentials::join(ann.game(), Some(key), "Bob".try_into().unwrap());
    if let Credentials::Join { capabilities, .. } = &mut join {
        let act = Capability::ActAsPlayer { player_index: Seat::ALL[1] };
        *capabilities = Some(vec![act, Capability::ObserveOwnHand, Capability::ReplaceAi]);
    }
    let mut bob = Player::enter(host, join);
    play_until(&mut [&mut ann, &mut bob], |players| {
        players[0].view().state.events > 2 && players[0].choice().is_some()
    });
    let to = ann.view().state.events - 1;
    let undo = json!({
        "type": "EXECUTE_ACTION", "gameId": ann.game(), "requestId": "u", "version": ann.version(),
        "action": { "type": "undo", "to": to },
    });
    assert_eq!(ann.refused(&undo), "refused");
    let error = ann.heard.iter().rfind(|message| message["type"] == "ERROR").unwrap();
    assert_eq!(error["error"]["reason"], json!({ "code": "plays-without-undo", "seat": 1 }));
    assert_eq!(ann.view().metadata.undo, None);
}

/// The list of capabilities is correct: exactly the sessions that see hints are listed with `see-hints`.
pub fn a_table_with_hints_grants_see_hints_to_its_people(host: &mut dyn Host) {
    for hints in [false, true] {
        let layers = json!([{ "type": "hints" }]);
        let config = json!({ "layers": layers, "players": ["human", "human", "ai", "ai"] });
        let options = json!({ "pause": 0, "hints": hints });
        let mut ann = Player::create_with(
            host,
            serde_json::from_value(config).unwrap(),
            serde_json::from_value(options).unwrap(),
        );
        let (key, _) = ann.invite(seat_grant(1));
        let mut bob = Player::join(host, &ann.game(), Some(key), "Bob");
        assert_eq!(bob.client.capabilities().contains(&Capability::SeeHints), hints);
        play_until(&mut [&mut ann, &mut bob], |players| players[0].choice().is_some());
        assert_eq!(ann.client.valid_actions().iter().any(|valid| valid.hint.is_some()), hints);
        for player in ann.view().players.iter() {
            let is_person = player.control_type == Control::Human;
            assert_eq!(player.capabilities.contains(&Capability::SeeHints), hints && is_person, "{player:?}");
        }
    }
}

/// A view says when the table was created and when something last happened in the game.
pub fn a_view_contains_the_times_of_the_table(host: &mut dyn Host) {
    let mut ann = Player::create(host, "haaa", 7);
    let created_at = ann.view().metadata.created_at.unwrap();
    play_until(&mut [&mut ann], |players| players[0].choice().is_some());
    let choice = ann.choice().unwrap();
    let before = ann.view().metadata.last_action_at.unwrap();
    ann.act(choice);
    let metadata = ann.view().metadata.clone();
    assert!(created_at <= before && metadata.last_action_at >= Some(before));
    host.restart();
    ann.reconnect(host);
    assert_eq!(ann.view().metadata.created_at, Some(created_at), "a restart must keep the time of creation");
    assert!(ann.view().metadata.last_action_at >= metadata.last_action_at);
}

/// A creator who only watches gets a game of bots, and sees hands only if the table shows them.
pub fn a_creator_watches_a_game_of_bots(host: &mut dyn Host) {
    let config = json!({ "players": ["ai", "ai", "ai", "ai"], "target": 1 });
    for is_open in [false, true] {
        let table = json!({ "pause": 0, "openHands": is_open });
        let mut ann = Player::create_as(host, Role::Spectator, None, &config, &table);
        assert_eq!(ann.client.seat(), None);
        assert_eq!(ann.client.capabilities().contains(&Capability::ObserveAllHands), is_open);
        assert!(ann.client.capabilities().contains(&Capability::ConfigureVariant));
        play_until(&mut [&mut ann], |players| players[0].is_over());
        let bids = |message: &&Value| message["patch"]["state"]["phase"] == "bidding";
        let shown = ann.heard.iter().filter(bids).filter_map(|message| message["patch"]["state"]["players"].as_array());
        let mut hands = shown.flatten().map(|player| player["hand"].as_array().is_some_and(|hand| !hand.is_empty()));
        assert!(hands.all(|is_shown| is_shown == is_open));
    }
    let mut connection = host.connect();
    let mut create = json!({ "type": "CREATE_GAME", "name": "Ann", "config": config });
    connection.send(&create.to_string());
    assert_eq!(connection.receive().unwrap()["error"]["code"], json!(ErrorCode::BadConfig), "nobody plays");
    create["role"] = json!("admin");
    connection.send(&create.to_string());
    assert_eq!(connection.receive().unwrap()["error"]["code"], json!(ErrorCode::BadMessage), "creating grants no role");
}

/// A coach creates a table with open hands, and the game starts when the student has joined.
pub fn a_creator_coaches(host: &mut dyn Host) {
    let config = json!({ "layers": [{ "type": "hints" }], "players": ["ai", "human", "ai", "ai"] });
    let seat = Seat::new(1);
    let mut ann = Player::create_as(host, Role::Coach, seat, &config, &json!({ "pause": 0, "openHands": true }));
    assert_eq!((ann.client.seat(), ann.view().state.phase), (None, Phase::Setup));
    let (key, _) = ann.invite(grant(Role::Student, Some(1)));
    let mut bob = Player::join(host, &ann.game(), Some(key), "Bob");
    play_until(&mut [&mut bob], |players| players[0].choice().is_some());
    catch_up(&mut [&mut ann, &mut bob]);
    assert_eq!(ann.view().state.players[1], bob.view().state.players[1], "a coach must see the student's hand");
    assert!(ann.view().valid_actions.iter().all(|valid| valid.hint.is_some()));
    assert_eq!(ann.view().valid_actions, bob.view().valid_actions);
    let mut connection = host.connect();
    let create = json!({ "type": "CREATE_GAME", "name": "Ann", "config": config, "role": "coach", "seat": 1 });
    connection.send(&create.to_string());
    assert_eq!(connection.receive().unwrap()["error"]["field"], "table.openHands", "nobody sees a hand secretly");
}

fn configure(of: &Player, request: &str, config: &Value, table: &Value) -> Value {
    json!({
        "type": "CONFIGURE", "gameId": of.game(), "requestId": request, "config": config, "table": table,
    })
}

/// The holder of `configure-variant` changes rules, target, clock and bots until the game starts.
pub fn the_host_changes_the_rules_before_the_first_game(host: &mut dyn Host) {
    let mut ann = Player::create(host, "hhaa", 7);
    let (key, _) = ann.invite(seat_grant(2));
    let mut bob = Player::join(host, &ann.game(), Some(key), "Bob");
    let config = json!({ "target": 3, "layers": [{ "type": "nello" }], "players": ["human", "human", "human", "ai"] });
    let table = json!({ "pause": 0, "turnSeconds": 60, "bots": [null, null, null, "beginner"] });
    let message = configure(&ann, "c", &config, &table);
    assert_eq!(bob.refused(&message), "not-allowed", "Bob does not manage the table");
    ann.say(&message);
    ann.wait("the new rules", |ann| ann.view().state.target == 3);
    catch_up(&mut [&mut ann, &mut bob]);
    assert_eq!(bob.view().state.layers.len(), 1);
    assert_eq!(bob.view().metadata.table.turn_seconds, Some(60));
    assert_eq!(json!(bob.view().metadata.table)["bots"][3], "beginner");
    host.restart();
    ann.reconnect(host);
    bob.reconnect(host);
    assert_eq!(ann.view().state.target, 3, "a restart must keep the rules");
    let daily = json!({ "layers": [{ "type": "daily-challenge" }], "players": ["human", "ai", "human", "ai"] });
    for (config, table) in [
        (json!({ "players": ["human", "human", "ai", "ai"] }), json!(null)),
        (json!({ "target": 0 }), json!(null)),
        (daily, json!({ "deal": "seeded" })),
        (json!({}), json!({ "turnSeconds": 1 })),
    ] {
        assert_eq!(ann.refused(&configure(&ann, "n", &config, &table)), "bad-config", "{config} {table}");
    }
    // A bot takes the free seat, so nobody is missing.
    ann.say(&configure(&ann, "s", &json!({ "target": 2, "players": ["human", "ai", "human", "ai"] }), &json!(null)));
    ann.wait("the game to start", |ann| ann.view().state.phase != Phase::Setup);
    assert_eq!(ann.refused(&configure(&ann, "l", &json!({}), &json!(null))), "refused", "the game runs");
    play_until(&mut [&mut ann, &mut bob], |players| players[0].is_over());
    assert_eq!(ann.view().state.target, 2);
}

/// The holder of `configure-variant` changes rules and options between games. Everybody keeps the seat.
pub fn the_host_changes_the_rules_with_a_rematch(host: &mut dyn Host) {
    let mut ann = Player::create(host, "haha", 1);
    let (key, _) = ann.invite(seat_grant(2));
    let mut bob = Player::join(host, &ann.game(), Some(key), "Bob");
    play_until(&mut [&mut ann, &mut bob], |players| players[0].is_over());
    catch_up(&mut [&mut ann, &mut bob]);
    let config = json!({ "target": 2, "layers": [{ "type": "hints" }] });
    let table = json!({ "pause": 0, "hints": true });
    let rematch =
        json!({ "type": "REMATCH", "gameId": ann.game(), "requestId": "r", "config": config, "table": table });
    assert_eq!(bob.refused(&rematch), "not-allowed", "Bob may ask for another game, but not for other rules");
    ann.say(&rematch);
    ann.wait("another game", |ann| ann.view().metadata.game_number == 1);
    catch_up(&mut [&mut ann, &mut bob]);
    assert_eq!((bob.view().state.target, bob.seat()), (2, Seat::ALL[2]));
    assert!(bob.client.capabilities().contains(&Capability::SeeHints), "the new options show hints");
    host.restart();
    ann.reconnect(host);
    bob.reconnect(host);
    assert_eq!(bob.view().state.target, 2, "a restart must keep the rules");
    play_until(&mut [&mut ann, &mut bob], |players| players[1].choice().is_some());
    assert!(bob.client.valid_actions().iter().all(|valid| valid.hint.is_some()));
    play_until(&mut [&mut ann, &mut bob], |players| players[0].is_over());
    assert!(ann.view().state.score.iter().any(|score| *score >= 2));
}

/// The same over HTTP, if the host has it.
pub fn an_http_request_changes_the_rules(host: &mut dyn Host) {
    let create = json!({ "name": "Ann", "config": { "players": ["human", "human", "ai", "ai"] } });
    let Some((_, created)) = host.request("POST", "/api/games", None, &create) else { return };
    let (id, key) = (created["gameId"].as_str().unwrap(), created["key"].as_str().unwrap());
    let path = format!("/api/games/{id}/configure");
    let body = json!({ "requestId": "c", "config": { "target": 3, "players": ["human", "human", "ai", "ai"] } });
    for _ in 0..2 {
        let (status, answer) = host.request("POST", &path, Some(key), &body).unwrap();
        assert_eq!((status, &answer["ack"]["requestId"]), (200, &json!("c")), "{answer}");
    }
    let (_, state) = host.request("GET", &format!("/api/games/{id}/state"), Some(key), &json!(null)).unwrap();
    assert_eq!(state["view"]["state"]["target"], 3, "{state}");
    assert_eq!(host.request("POST", &path, None, &body).unwrap().0, 401);
}

/// How strong a bot is changes with the rules: before the first game, and with the next one.
pub fn new_rules_change_the_strength_of_a_bot(host: &mut dyn Host) {
    let config = json!({ "players": ["human", "ai", "human", "ai"], "target": 1 });
    let table = |level: &str| json!({ "pause": 0, "openHands": true, "bots": [null, "beginner", null, level] });
    let mut ann = Player::create_as(host, Role::Player, None, &config, &table("beginner"));
    let (key, _) = ann.invite(grant(Role::Admin, None));
    let mut eve = Player::join(host, &ann.game(), Some(key), "Eve");
    let alone = json!({ "players": ["human", "ai", "ai", "ai"], "target": 1 });
    let message = configure(&ann, "c", &alone, &table("random"));
    ann.say(&message);
    let is_random = |reason: &String| reason.contains("shot-in-the-dark");
    let mut check_game = |ann: &mut Player, number: u32, is_expected: bool| {
        let from = eve.heard.len();
        ann.wait("the game", |ann| ann.view().metadata.game_number == number && ann.view().state.phase != Phase::Setup);
        play_until(&mut [&mut *ann], |players| players[0].is_over());
        catch_up(&mut [&mut *ann, &mut eve]);
        let reasons = reasons_in(&eve.heard[from..], 3);
        assert!(!reasons.is_empty());
        assert_eq!(reasons.iter().any(is_random), is_expected, "game {number}: {reasons:?}");
        let others = reasons_in(&eve.heard[from..], 1);
        assert!(!others.is_empty() && !others.iter().any(is_random), "{others:?}");
    };
    check_game(&mut ann, 0, true);
    let rematch = |of: &Player, id: &str, level: &str| json!({ "type": "REMATCH", "gameId": of.game(), "requestId": id, "table": table(level) });
    let message = rematch(&ann, "r", "beginner");
    ann.say(&message);
    check_game(&mut ann, 1, false);
    let message = rematch(&ann, "s", "random");
    ann.say(&message);
    check_game(&mut ann, 2, true);
}

/// The reasons of a bot at a seat, among all messages that a player has received.
fn reasons_of(player: &Player, seat: usize) -> Vec<String> {
    reasons_in(&player.heard, seat)
}

/// The same among these messages.
fn reasons_in(heard: &[Value], seat: usize) -> Vec<String> {
    let lists = heard.iter().filter_map(|message| message["patch"]["derived"]["intents"].as_array());
    let own = lists.flatten().filter(|intent| intent["player"] == seat);
    own.map(|intent| intent["intent"].to_string()).collect()
}

/// A table chooses how strong its bots are. A session with `see-ai-intent` can tell it from their reasons.
pub fn a_table_chooses_the_strength_of_each_bot(host: &mut dyn Host) {
    let config = json!({ "players": ["human", "ai", "ai", "ai"], "target": 1 });
    let table = json!({ "pause": 0, "openHands": true, "bots": [null, "beginner", "random", "beginner"] });
    let mut ann = Player::create_as(host, Role::Player, None, &config, &table);
    let (key, _) = ann.invite(grant(Role::Admin, None));
    let mut eve = Player::join(host, &ann.game(), Some(key), "Eve");
    play_until(&mut [&mut ann], |players| players[0].is_over());
    catch_up(&mut [&mut ann, &mut eve]);
    let is_random = |reason: &String| reason.contains("shot-in-the-dark");
    assert!(reasons_of(&eve, 2).iter().any(is_random), "{:?}", reasons_of(&eve, 2));
    for seat in [1, 3] {
        let reasons = reasons_of(&eve, seat);
        assert!(!reasons.is_empty() && !reasons.iter().any(is_random), "{reasons:?}");
    }
}

/// A session gets what it asks for and is granted, and a table with hints makes no exception.
pub fn a_player_who_asks_for_no_hints_gets_none(host: &mut dyn Host) {
    let config = json!({ "layers": [{ "type": "hints" }], "players": ["human", "human", "ai", "ai"], "target": 1 });
    let table = json!({ "pause": 0, "hints": true });
    let mut ann = Player::create_as(host, Role::Player, None, &config, &table);
    let (key, _) = ann.invite(seat_grant(1));
    let asked = [Capability::ActAsPlayer { player_index: Seat::ALL[1] }, Capability::ObserveOwnHand];
    let mut bob = Player::join_with(host, &ann.game(), key, "Bob", &asked);
    play_until(&mut [&mut ann, &mut bob], |players| players[1].choice().is_some());
    host.restart();
    ann.reconnect(host);
    bob.reconnect(host);
    assert_eq!(bob.client.capabilities(), asked);
    play_until(&mut [&mut ann, &mut bob], |players| players[0].is_over());
    assert!(!bob.heard.iter().any(|message| message["type"] == "HINTS"));
    assert!(!bob.heard.iter().any(|message| message.to_string().contains("\"hint\"")));
    assert!(ann.client.capabilities().contains(&Capability::SeeHints), "the others see them");
}

/// What a client asks for that plays a seat and nothing else.
fn only_play(seat: u8) -> [Capability; 2] {
    [Capability::ActAsPlayer { player_index: Seat::new(seat).unwrap() }, Capability::ObserveOwnHand]
}

/// The seats that are listed with `replace-ai`.
fn marked(player: &Player) -> Vec<usize> {
    let makes_room = |shown: &&PlayerView| shown.capabilities.contains(&Capability::ReplaceAi);
    let mut seats: Vec<usize> =
        player.view().players.iter().filter(makes_room).map(|shown| shown.player_index.unwrap().index()).collect();
    seats.sort_unstable();
    seats
}

fn is_refused(player: &Player, code: ErrorCode) -> bool {
    player.client.over().is_some_and(|error| error.code == code)
}

/// Nobody takes its seat, neither while it plays nor while it waits for the deal, until its invite is revoked.
pub fn a_bot_without_replace_ai_keeps_its_seat(host: &mut dyn Host) {
    let (mut ann, keys) = ann_in_mid_hand(host, false, vec![grant(Role::Ai, Some(1)), seat_grant(1)]);
    let _playing = Player::join_with(host, &ann.game(), keys[0].clone(), "Outside", &only_play(1));
    assert!(is_refused(&Player::join(host, &ann.game(), Some(keys[1].clone()), "Bob"), ErrorCode::SeatTaken));
    let ((bots, number), (person, _)) = (ann.invite(grant(Role::Ai, Some(2))), ann.invite(seat_grant(2)));
    let waiting = Player::join_with(host, &ann.game(), bots, "Late", &only_play(2));
    assert!(waiting.waits_for_deal());
    assert!(is_refused(&Player::join(host, &ann.game(), Some(person.clone()), "Bob"), ErrorCode::SeatTaken));
    ann.wait("the waiting bot", |ann| ann.view().players.iter().any(|shown| shown.name.as_str() == "Late"));
    assert_eq!(marked(&ann), [3]);
    let revoke = json!({ "type": "INVITE", "gameId": ann.game(), "requestId": "revoke", "revoke": number });
    ann.say(&revoke);
    ann.next("INVITED");
    assert_eq!(Player::join(host, &ann.game(), Some(person), "Bob").seat().index(), 2);
}

/// `replace-ai` marks the seats that a person with an invite gets. A person who left, or who asked for less, keeps the seat.
pub fn only_seats_that_a_person_may_take_are_marked(host: &mut dyn Host) {
    let mut ann = Player::create(host, "hhaa", 7);
    let (key, _) = ann.invite(seat_grant(1));
    let mut bob = Player::join_with(host, &ann.game(), key, "Bob", &only_play(1));
    play_until(&mut [&mut ann, &mut bob], |players| players[0].choice().is_some());
    assert_eq!(marked(&ann), [2, 3]);
    let (taken, _) = ann.invite(seat_grant(1));
    bob.set_control(Seat::ALL[1], Control::Ai);
    catch_up(&mut [&mut ann, &mut bob]);
    assert_eq!(marked(&ann), [2, 3]);
    bob.set_control(Seat::ALL[1], Control::Human);
    let ticket = bob.client.ticket().unwrap().clone();
    bob.client.leave(0).unwrap();
    bob.next("LEFT");
    let is_away =
        |ann: &Player| ann.view().players.iter().any(|shown| shown.name.as_str() == "Bob" && !shown.is_connected);
    ann.wait("Bob to leave", is_away);
    assert_eq!(marked(&ann), [2, 3]);
    assert!(is_refused(&Player::join(host, &ann.game(), Some(taken), "Cid"), ErrorCode::SeatTaken));
    assert_eq!(Player::resume(host, ticket).seat().index(), 1);
}

/// It may return, so only a person takes its seat.
pub fn no_other_bot_takes_the_seat_of_an_absent_one(host: &mut dyn Host) {
    let (mut ann, keys) = ann_in_mid_hand(host, false, vec![grant(Role::Ai, Some(1)), grant(Role::Ai, Some(1))]);
    let mut bot = Player::join(host, &ann.game(), Some(keys[0].clone()), "Outside");
    let ticket = bot.client.ticket().unwrap().clone();
    bot.client.leave(0).unwrap();
    bot.next("LEFT");
    assert!(is_refused(&Player::join(host, &ann.game(), Some(keys[1].clone()), "Second"), ErrorCode::SeatTaken));
    let mut bot = Player::resume(host, ticket);
    assert_eq!(bot.seat().index(), 1);
    play_until(&mut [&mut ann, &mut bot], |players| players[1].choice().is_some());
}

/// The table waits for the agreement and the readiness of people only.
pub fn an_invited_bot_is_never_asked(host: &mut dyn Host) {
    let config = json!({
        "layers": [{ "type": "consensus" }], "target": 1, "players": ["human", "ai", "ai", "ai"],
    });
    let mut ann = Player::create_as(host, Role::Player, None, &config, &json!({ "pause": 0, "ready": true }));
    let (key, _) = ann.invite(grant(Role::Ai, Some(1)));
    let mut bot = Player::join(host, &ann.game(), Some(key), "Outside");
    let ready = json!({ "type": "READY", "gameId": ann.game(), "requestId": "ready" });
    assert_eq!(bot.refused(&ready), "not-allowed");
    ann.declare_ready();
    let is_agreement =
        |action: Action| matches!(action, Action::AgreeCompleteTrick { .. } | Action::AgreeScoreHand { .. });
    let mut agreements = 0;
    play_until(&mut [&mut ann, &mut bot], |players| {
        assert!(!players[1].client.valid_actions().iter().any(|valid| is_agreement(valid.action)));
        agreements += usize::from(players[0].choice().is_some_and(is_agreement));
        players[0].is_over()
    });
    assert!(agreements > 0, "Ann is asked");
}

/// A spectator sees the hands if the invite says so, and never at a rated table.
pub fn a_spectator_sees_the_hands_that_the_invite_shows(host: &mut dyn Host) {
    let config = json!({ "players": ["human", "ai", "ai", "ai"] });
    let open = json!({ "role": "spectator", "openHands": true });
    for is_open in [false, true] {
        let mut ann = Player::create_as(host, Role::Player, None, &config, &json!({ "pause": 0, "openHands": true }));
        let grant = if is_open { open.clone() } else { json!({ "role": "spectator" }) };
        let (key, _) = ann.invite(serde_json::from_value(grant).unwrap());
        let mut eve = Player::join(host, &ann.game(), Some(key), "Eve");
        play_until(&mut [&mut ann], |players| players[0].choice().is_some());
        catch_up(&mut [&mut ann, &mut eve]);
        assert!(eve.view().state.players.iter().all(|player| player.hand.is_empty() != is_open));
    }
    let (rated, closed) = (json!({ "rated": true, "ready": true }), json!({ "ready": true }));
    for (table, code) in [(rated, "bad-config"), (closed, "not-allowed")] {
        let mut ann = Player::create_as(host, Role::Player, None, &config, &table);
        let invite = json!({ "type": "INVITE", "gameId": ann.game(), "requestId": "open", "grant": open });
        assert_eq!(ann.refused(&invite), code, "{table}");
    }
}

/// An admin sees every hand, the log and the reasons of bots, and manages the table. Nobody else sees those.
pub fn an_admin_sees_what_is_withheld_from_others(host: &mut dyn Host) {
    let config = json!({ "players": ["human", "human", "ai", "ai"], "target": 1 });
    let table = json!({ "pause": 0, "openHands": true });
    let mut ann = Player::create_as(host, Role::Player, None, &config, &table);
    let ((admin, _), (player, _)) = (ann.invite(grant(Role::Admin, None)), ann.invite(seat_grant(1)));
    let mut eve = Player::join(host, &ann.game(), Some(admin), "Eve");
    let rules = json!({ "players": ["human", "human", "ai", "ai"], "target": 2 });
    let message = configure(&eve, "admin", &rules, &table);
    eve.say(&message);
    eve.wait("the new rules", |eve| eve.view().state.target == 2);
    let mut bob = Player::join(host, &ann.game(), Some(player), "Bob");
    play_until(&mut [&mut ann, &mut bob], |players| players[0].view().state.phase == Phase::Playing);
    catch_up(&mut [&mut ann, &mut bob, &mut eve]);
    assert!(eve.view().state.players.iter().all(|player| !player.hand.is_empty()));
    assert!(!eve.view().state.log.is_empty() && ann.view().state.log.is_empty());
    let act = json!({
        "type": "EXECUTE_ACTION", "gameId": eve.game(), "requestId": "act", "version": eve.version(),
        "action": { "type": "pass", "player": 0 },
    });
    assert_eq!(eve.refused(&act), "not-allowed");
    play_until(&mut [&mut ann, &mut bob], |players| players[0].is_over());
    catch_up(&mut [&mut ann, &mut bob, &mut eve]);
    assert!([2, 3].iter().all(|seat| !reasons_of(&eve, *seat).is_empty()));
    for other in [&ann, &bob] {
        assert!((0..4).all(|seat| reasons_of(other, seat).is_empty()), "the reasons of bots reveal their hands");
        assert!(!other.heard.iter().any(|message| message["patch"]["state"].get("log").is_some()));
    }
}
