//! Whole scenarios at a table. Some are the message flows of the product's specification, with the numbers that they have there.

use serde_json::json;
use texas42_client::Ticket;
use texas42_hosting::id_of;
use texas42_protocol::{DealKind, PlayerView, Role, TableOptions};
use texas42_room::{FairRecord, HeadlessRoom};
use texas42_vocab::{Action, Config, Consensus, Control, Layer, Phase, Seat};

use crate::{
    Host,
    in_process::InProcess,
    newcomers::{ann_in_mid_hand, ann_in_mid_hand_with},
    player::{Player, catch_up, grant, play_until, seat_grant, seats},
};

/// Ann with a table for two people and two bots, and Bob on the third seat.
fn two_people(host: &mut dyn Host, target: u16) -> (Player, Player) {
    let mut ann = Player::create(host, "haha", target);
    let (key, _) = ann.invite(seat_grant(2));
    let bob = Player::join(host, &ann.game(), Some(key), "Bob");
    assert_eq!(bob.seat(), Seat::ALL[2]);
    ann.wait("the game to start", |ann| ann.view().state.phase != Phase::Setup);
    (ann, bob)
}

fn is_mid_trick(player: &Player) -> bool {
    let on_table = player.view().state.trick.as_ref().map_or(0, |trick| trick.plays.len());
    player.view().state.phase == Phase::Playing && (1..4).contains(&on_table)
}

/// Two people and two bots play to the end, and both people see the same result (flow 1).
pub fn two_people_and_two_bots_play_a_game(host: &mut dyn Host) {
    let (mut ann, mut bob) = two_people(host, 2);
    play_until(&mut [&mut ann, &mut bob], |players| players[0].is_over());
    catch_up(&mut [&mut ann, &mut bob]);
    assert_eq!(ann.view().state.score, bob.view().state.score);
    assert!(ann.view().derived.winner.is_some() && ann.view().metadata.result.is_some());
    assert!(ann.view().state.score.iter().any(|score| *score >= 2));
}

/// A person hands the seat to a bot in the middle of a trick, and takes it back (flow 3).
pub fn a_person_hands_over_and_takes_back_a_seat_mid_trick(host: &mut dyn Host) {
    let (mut ann, mut bob) = two_people(host, 7);
    play_until(&mut [&mut ann, &mut bob], |players| is_mid_trick(players[0]) && players[0].choice().is_some());
    let seat = ann.seat();
    let version = ann.version();
    ann.set_control(seat, Control::Ai);
    assert!(ann.choice().is_none(), "a bot must decide now");
    let plays = |ann: &Player| {
        ann.heard.iter().any(|m| m["lastAction"]["player"] == 0 && m["version"].as_u64() > Some(version))
    };
    ann.wait("the bot to play", plays);
    ann.set_control(seat, Control::Human);
    // The bots may have ended the game meanwhile.
    play_until(&mut [&mut ann, &mut bob], |players| players[0].choice().is_some() || players[0].is_over());
    if let Some(choice) = ann.choice() {
        ann.act(choice);
    }
}

/// A person with an invite from before the deal takes the seat of a bot, with its hand (flow 3).
pub fn a_person_takes_the_seat_of_a_bot(host: &mut dyn Host) {
    let (mut ann, keys) = ann_in_mid_hand(host, false, vec![seat_grant(1)]);
    let mut cid = Player::join(host, &ann.game(), keys.into_iter().next(), "Cid");
    assert_eq!(cid.seat(), Seat::ALL[1]);
    assert!(!cid.view().state.players[1].hand.is_empty(), "the newcomer must hold the bot's dominoes");
    play_until(&mut [&mut ann, &mut cid], |players| players[1].choice().is_some());
    let choice = cid.choice().unwrap();
    cid.act(choice);
    cid.set_control(Seat::ALL[1], Control::Ai);
    let hand = cid.view().state.hand_number;
    play_until(&mut [&mut ann], |players| players[0].view().state.hand_number > hand || players[0].is_over());
}

/// Nobody takes a bot's seat with `SET_PLAYER_CONTROL`; the refusal says how to take it.
fn assert_needs_an_invite(player: &mut Player, seat: u8) {
    let request = format!("take-{seat}");
    let take = json!({
        "type": "SET_PLAYER_CONTROL", "gameId": player.game(), "requestId": request, "player": seat,
        "controlType": "human",
    });
    assert_eq!(player.refused(&take), "not-allowed");
    let error = player.heard.iter().rfind(|message| message["type"] == "ERROR").unwrap();
    assert_eq!(error["error"]["reason"]["code"], "cannot-change-control", "{error}");
    assert!(error["error"]["message"].as_str().unwrap().contains("join with an invite for it"), "{error}");
}

/// Waits until a newcomer decides for a seat, alone. Who could have seen another hand does so from the next deal on.
fn assert_takes_over(ann: &mut Player, newcomer: &mut Player, seat: u8) {
    play_until(&mut [&mut *ann, &mut *newcomer], |players| players[1].choice().is_some());
    let choice = newcomer.choice().unwrap();
    newcomer.act(choice);
    catch_up(&mut [&mut *ann, &mut *newcomer]);
    let shown = players_on(ann, usize::from(seat));
    assert!(matches!(&shown[..], [person] if person.control_type == Control::Human), "{shown:?}");
}

/// With an invite for its seat, a person takes the place of a bot of the host, of an invited bot, and of a bot on a seat
/// that was given up for good (flow 5).
pub fn a_person_takes_any_seat_that_a_bot_plays(host: &mut dyn Host) {
    for seat in 1..4 {
        let (mut ann, keys) = ann_in_mid_hand(host, false, vec![seat_grant(seat)]);
        assert_needs_an_invite(&mut ann, seat);
        let mut bob = Player::join(host, &ann.game(), Some(keys[0].clone()), "Bob");
        assert_takes_over(&mut ann, &mut bob, seat);

        let (mut ann, keys) = ann_in_mid_hand(host, false, vec![grant(Role::Ai, Some(seat)), seat_grant(seat)]);
        let _bot = Player::join(host, &ann.game(), Some(keys[0].clone()), "Outside");
        assert_needs_an_invite(&mut ann, seat);
        let mut bob = Player::join(host, &ann.game(), Some(keys[1].clone()), "Bob");
        assert_takes_over(&mut ann, &mut bob, seat);

        let (mut ann, keys) = ann_in_mid_hand(host, false, vec![seat_grant(seat), seat_grant(seat)]);
        let mut bob = Player::join(host, &ann.game(), Some(keys[0].clone()), "Bob");
        bob.client.give_up_seat(0).unwrap();
        bob.next("LEFT");
        assert_needs_an_invite(&mut ann, seat);
        let mut cid = Player::join(host, &ann.game(), Some(keys[1].clone()), "Cid");
        assert_takes_over(&mut ann, &mut cid, seat);
    }
}

/// A bot plays the seat of an absent person, but the seat stays that person's (flow 5).
pub fn nobody_takes_the_seat_of_an_absent_person(host: &mut dyn Host) {
    let (mut ann, mut bob) = two_people(host, 7);
    let ticket = bob.client.ticket().unwrap().clone();
    bob.client.leave(0).unwrap();
    bob.next("LEFT");
    let plays = |ann: &Player, control| players_on(ann, 2).iter().any(|player| player.control_type == control);
    ann.wait("a bot to play", |ann| plays(ann, Control::Ai));
    assert_needs_an_invite(&mut ann, 2);
    let (key, _) = ann.invite(seat_grant(2));
    let cid = Player::join(host, &ann.game(), Some(key), "Cid");
    assert_eq!(cid.heard[0]["error"]["code"], "seat-taken");
    let again = Player::resume(host, ticket);
    assert_eq!(again.seat(), Seat::ALL[2]);
    ann.wait("Bob to play again", |ann| plays(ann, Control::Human));
}

/// A creator without a seat takes a bot's seat like everyone else, with an invite, which only the creator's session can
/// create (flow 5).
pub fn a_creator_without_a_seat_takes_that_of_a_bot(host: &mut dyn Host) {
    let config = json!({ "players": ["human", "ai", "ai", "ai"] });
    for (role, seat) in [(Role::Spectator, None), (Role::Coach, Seat::new(0))] {
        let table = json!({ "pause": 0, "openHands": role == Role::Coach });
        let mut ann = Player::create_as(host, role, seat, &config, &table);
        assert_eq!(ann.client.seat(), None);
        assert_needs_an_invite(&mut ann, 2);
        let (key, _) = ann.invite(seat_grant(2));
        let mut annie = Player::join(host, &ann.game(), Some(key), "Annie");
        assert_eq!(annie.seat(), Seat::ALL[2]);
        // Nobody else comes.
        ann.set_control(Seat::ALL[0], Control::Ai);
        play_until(&mut [&mut annie], |players| players[0].choice().is_some());
        let choice = annie.choice().unwrap();
        annie.act(choice);
    }
}

/// A spectator sees no hand, a coach only the student's, and neither may act (flow 6).
pub fn a_spectator_and_a_coach_watch(host: &mut dyn Host) {
    let (mut ann, mut bob) = two_people(host, 7);
    let (key, _) = ann.invite(grant(Role::Spectator, None));
    let mut eve = Player::join(host, &ann.game(), Some(key), "Eve");
    let (key, _) = ann.invite(grant(Role::Coach, Some(0)));
    let mut coach = Player::join(host, &ann.game(), Some(key), "Coach");
    play_until(&mut [&mut ann, &mut bob], |players| is_mid_trick(players[0]));
    catch_up(&mut [&mut ann, &mut bob, &mut eve, &mut coach]);
    assert!(eve.view().state.players.iter().all(|hand| hand.hand.is_empty()), "a spectator must see no hand");
    assert_eq!(eve.view().state.trick, ann.view().state.trick);
    let seen = &coach.view().state.players;
    assert_eq!(seen[0], ann.view().state.players[0], "a coach must see the student's hand");
    assert!(seen[1..].iter().all(|hand| hand.hand.is_empty()));
    assert!(eve.choice().is_none(), "a coach sees the student's valid actions; a spectator must not");
    for watcher in [&mut eve, &mut coach] {
        assert!(watcher.client.seat().is_none());
        let action = serde_json::json!({
            "type": "EXECUTE_ACTION", "gameId": watcher.game(), "requestId": "cheat", "version": watcher.version(),
            "action": { "type": "pass", "player": 0 },
        });
        assert_eq!(watcher.refused(&action), "not-allowed");
    }
    play_until(&mut [&mut ann, &mut bob], |players| players[0].view().state.hand_number > 0 || players[0].is_over());
    catch_up(&mut [&mut ann, &mut bob, &mut eve, &mut coach]);
}

/// A table with hints for Ann, who is the first to bid.
fn table_with_hints(host: &mut dyn Host) -> Player {
    let config = json!({ "players": ["human", "ai", "ai", "ai"], "layers": [{ "type": "hints" }], "shaker": 3, "seed": "hints" });
    let table = TableOptions { pause: 0, hints: true, deal: DealKind::Seeded, ..TableOptions::default() };
    Player::create_with(host, serde_json::from_value(config).unwrap(), table)
}

/// The host's expert evaluates each action, for the player to act and the coach, but for nobody else.
pub fn a_student_and_a_coach_get_hints(host: &mut dyn Host) {
    let mut ann = table_with_hints(host);
    ann.wait("hints", |ann| !ann.client.hints().is_empty());
    let hints = ann.client.hints().to_vec();
    let valid: Vec<Action> = ann.client.valid_actions().iter().map(|valid| valid.action).collect();
    assert_eq!(hints.iter().map(|hint| hint.action).collect::<Vec<_>>(), valid);
    assert_eq!(hints.iter().filter(|hint| hint.recommended).count(), 1);
    assert!(hints.iter().all(|hint| hint.expected_marks.is_some() && !hint.reasons.is_empty()), "{hints:?}");
    let bids = hints.iter().filter(|hint| matches!(hint.action, Action::Bid { .. }));
    let chances: Vec<u16> = bids.map(|hint| hint.chance.unwrap()).collect();
    assert!(chances.is_sorted_by(|lower, higher| lower >= higher), "a higher bid must not be easier: {chances:?}");
    assert!(chances.first() > chances.last(), "hints must differ between bids: {chances:?}");

    let (key, _) = ann.invite(grant(Role::Spectator, None));
    let mut eve = Player::join(host, &ann.game(), Some(key), "Eve");
    let (key, _) = ann.invite(grant(Role::Coach, Some(0)));
    let mut coach = Player::join(host, &ann.game(), Some(key), "Coach");
    coach.wait("the student's hints", |coach| !coach.client.hints().is_empty());
    assert_eq!(coach.client.hints(), hints);

    let best = hints.iter().find(|hint| hint.recommended).unwrap().action;
    ann.act(best);
    assert!(ann.client.hints().iter().all(|hint| !valid.contains(&hint.action)), "hints apply until the next action");
    ann.wait("hints for the next decision", |ann| !ann.client.hints().is_empty());
    catch_up(&mut [&mut ann, &mut coach, &mut eve]);
    assert!(eve.heard.iter().all(|message| message["type"] != "HINTS"), "a spectator must get no hints");
}

/// A person whose connection drops returns to the seat (flow 8).
pub fn a_dropped_connection_resumes(host: &mut dyn Host) {
    let (mut ann, mut bob) = two_people(host, 2);
    play_until(&mut [&mut ann, &mut bob], |players| players[0].view().state.phase == Phase::Playing);
    let seat = bob.seat();
    bob.reconnect(host);
    assert_eq!(bob.seat(), seat);
    assert!(!bob.view().state.players[2].hand.is_empty());
    // An action in flight when the connection drops is executed once.
    play_until(&mut [&mut ann, &mut bob], |players| players[1].choice().is_some());
    let choice = bob.choice().unwrap();
    let version = bob.version();
    bob.client.execute(0, choice).unwrap();
    bob.send();
    bob.reconnect(host);
    bob.wait("the reply", |bob| !bob.client.is_waiting());
    assert!(bob.version() > version);
    play_until(&mut [&mut ann, &mut bob], |players| players[0].is_over());
}

/// A host that crashes restores the table, and the people return to it (flow 8).
pub fn a_crash_of_the_host_loses_nothing(host: &mut dyn Host) {
    let (mut ann, mut bob) = two_people(host, 7);
    for _ in 0..3 {
        let version = ann.version();
        play_until(&mut [&mut ann, &mut bob], |players| players[0].version() > version + 6);
        let (held, hand) = (ann.version(), ann.view().state.players[0]);
        let auction = ann.view().state.auction.clone();
        host.restart();
        ann.reconnect(host);
        bob.reconnect(host);
        assert!(ann.version() >= held, "version {} after {held}", ann.version());
        if ann.view().state.hand_number == 0 && !auction.is_empty() {
            assert!(ann.view().state.players[0].hand_count <= hand.hand_count);
        }
    }
}

/// A rematch at the same table.
pub fn a_rematch_keeps_the_seats(host: &mut dyn Host) {
    let (mut ann, mut bob) = two_people(host, 1);
    play_until(&mut [&mut ann, &mut bob], |players| players[0].is_over());
    let seats = (ann.seat(), bob.seat());
    catch_up(&mut [&mut ann, &mut bob]);
    ann.client.rematch(0, None).unwrap();
    ann.wait("another game", |ann| ann.view().metadata.game_number == 1);
    catch_up(&mut [&mut ann, &mut bob]);
    assert_eq!((ann.seat(), bob.seat()), seats);
    play_until(&mut [&mut ann, &mut bob], |players| players[0].is_over());
}

/// At a table with the `ready` option, the deal waits until everyone is ready, even across a restart of the host.
pub fn a_game_starts_when_everyone_is_ready(host: &mut dyn Host) {
    let config = Config { players: seats("haha"), ..Config::default() };
    let options = TableOptions { pause: 0, ready: true, ..TableOptions::default() };
    let mut ann = Player::create_with(host, config, options);
    ann.declare_ready();
    let (key, _) = ann.invite(seat_grant(2));
    let mut bob = Player::join(host, &ann.game(), Some(key), "Bob");
    assert_eq!(bob.view().state.phase, Phase::Setup, "Bob is not ready yet");
    assert_eq!(bob.view().metadata.ready, [ann.seat()]);
    assert_eq!(ann.refused(&json!({ "type": "READY", "gameId": ann.game(), "requestId": "again" })), "refused");
    host.restart();
    ann.reconnect(host);
    bob.reconnect(host);
    assert_eq!(bob.view().metadata.ready, [ann.seat()], "a restart must keep who is ready");
    bob.declare_ready();
    ann.wait("the game to start", |ann| ann.view().state.phase == Phase::Bidding);
    assert!(ann.view().metadata.ready.is_empty());
    assert_eq!(ann.refused(&json!({ "type": "READY", "gameId": ann.game(), "requestId": "late" })), "refused");
}

/// Going online: a game started on a device continues at the host in the middle of a trick, and friends take the seats
/// of bots; see also `fairness`.
pub fn an_offline_game_continues_online_with_friends(host: &mut dyn Host) {
    let mut device = InProcess::new();
    let mut offline = Player::create(&mut device, "haaa", 2);
    play_until(&mut [&mut offline], |players| is_mid_trick(players[0]) && players[0].choice().is_some());
    let ticket = offline.client.ticket().unwrap().clone();
    let key = String::from(ticket.key.clone());
    let body = json!({ "requestId": "go", "log": device.log(&offline.game()) });
    let Some((status, created)) = host.request("POST", "/api/games/import", Some(&key), &body) else { return };
    assert_eq!((status, created["type"].as_str()), (201, Some("GAME_CREATED")), "{created}");
    assert_eq!((&created["requestId"], &created["key"]), (&json!("go"), &json!(null)));
    assert_eq!(created["gameId"], json!(id_of(&ticket.key)), "the id must derive from the creator's key");
    let game_id = serde_json::from_value(created["gameId"].clone()).unwrap();
    // If the reply was lost, the same import leads to the same table, also after a restart.
    let again = host.request("POST", "/api/games/import", Some(&key), &body).unwrap();
    assert_eq!((again.0, &again.1["gameId"]), (200, &created["gameId"]), "{}", again.1);
    host.restart();
    let again = host.request("POST", "/api/games/import", Some(&key), &body).unwrap();
    assert_eq!((again.0, &again.1["gameId"]), (200, &created["gameId"]), "{}", again.1);
    // A stranger may have the log, but not the key.
    let other = String::from(texas42_protocol::SecretKey::new(texas42_server::serve::random()));
    assert_eq!(host.request("POST", "/api/games/import", Some(&other), &body).unwrap().0, 401);
    assert_eq!(host.request("POST", "/api/games/import", None, &body).unwrap().0, 401);
    assert_eq!(host.request("POST", "/api/games/import", Some(&other), &json!({ "log": 1 })).unwrap().0, 400);

    let mut ann = Player::resume(host, Ticket { game_id, ..ticket });
    assert_eq!(ann.view().state.players[0], offline.view().state.players[0], "the hand must be the same");
    assert_eq!(ann.view().state.trick, offline.view().state.trick);
    assert_eq!(ann.choice(), offline.choice());
    assert!(ann.view().metadata.table.brought);
    let (key, _) = ann.invite(seat_grant(1));
    let mut bob = Player::join(host, &ann.game(), Some(key), "Bob");
    assert!(bob.view().metadata.table.brought, "a friend must see that the game was imported");
    // Ann has seen a hand of this deal, and she could be Bob.
    assert!(bob.view().state.players.iter().all(|hand| hand.hand.is_empty()), "Bob plays from the next deal on");
    play_until(&mut [&mut ann, &mut bob], |players| players[0].is_over());
    catch_up(&mut [&mut ann, &mut bob]);
    ann.client.rematch(0, None).unwrap();
    ann.wait("another game", |ann| ann.view().metadata.game_number == 1);
    assert!(ann.view().metadata.table.brought, "the table must stay marked");
}

/// A record contains the completed hands and nothing of the current one.
pub fn a_record_reveals_only_completed_hands(host: &mut dyn Host) {
    let (mut ann, mut bob) = two_people(host, 2);
    let key = String::from(ann.client.ticket().unwrap().key.clone());
    let path = format!("/api/games/{}/record", ann.game());
    let Some((status, refused)) = host.request("GET", &path, Some(&key), &json!(null)) else { return };
    assert_eq!((status, &refused["error"]["code"]), (409, &json!("not-started")), "no hand has been finished yet");
    play_until(&mut [&mut ann, &mut bob], |players| {
        players[0].is_over() || (players[0].view().state.hand_number == 1 && is_mid_trick(players[0]))
    });
    if !ann.is_over() {
        let (status, record) = host.request("GET", &path, Some(&key), &json!(null)).unwrap();
        let replayed = HeadlessRoom::from_record(&record.to_string()).unwrap();
        assert_eq!((status, replayed.state().phase, replayed.state().hand_number), (200, Phase::Scoring, 0));
        assert_eq!(record["config"]["deals"].as_array().map(Vec::len), Some(1), "one hand must be revealed: {record}");
    }
    play_until(&mut [&mut ann, &mut bob], |players| players[0].is_over());
    let (status, proof) = host.request("GET", &path, Some(&key), &json!(null)).unwrap();
    assert_eq!(status, 200, "{proof}");
    FairRecord::from_json(&proof.to_string()).unwrap().verify().unwrap();
    let replayed = HeadlessRoom::from_record(&proof.to_string()).unwrap();
    assert_eq!(replayed.state().score, ann.view().state.score);
    // The record is only for sessions of the table.
    let other = String::from(texas42_protocol::SecretKey::new(texas42_server::serve::random()));
    assert_eq!(host.request("GET", &path, Some(&other), &json!(null)).unwrap().0, 401);
    assert_eq!(host.request("GET", &path, None, &json!(null)).unwrap().0, 401);
    assert_eq!(host.request("POST", &path, Some(&key), &json!({})).unwrap().0, 405);
}

/// The players shown on a seat.
fn players_on(player: &Player, seat: usize) -> Vec<PlayerView> {
    let on_seat = |shown: &&PlayerView| shown.player_index.is_some_and(|index| index.index() == seat);
    player.view().players.iter().filter(on_seat).cloned().collect()
}

/// An invited bot: listed as a bot, back after a disconnect, and replaced by a person.
pub fn an_invited_bot_plays_and_a_person_replaces_it(host: &mut dyn Host) {
    let (layers, grants) = (vec![Layer::Consensus(Consensus {})], vec![grant(Role::Ai, Some(1)), seat_grant(1)]);
    let (mut ann, keys) = ann_in_mid_hand_with(host, layers, false, grants);
    let mut bot = Player::join(host, &ann.game(), Some(keys[0].clone()), "Outside");
    assert_eq!(bot.seat(), Seat::ALL[1]);
    catch_up(&mut [&mut ann, &mut bot]);
    let shown = players_on(&ann, 1);
    assert_eq!((shown.len(), shown[0].name.as_str(), shown[0].control_type), (1, "Outside", Control::Ai));
    play_until(&mut [&mut ann, &mut bot], |players| players[1].choice().is_some());
    let choice = bot.choice().unwrap();
    bot.act(choice);
    bot.reconnect(host);
    // Nobody but Ann has to agree to pick up a trick.
    let agree = Action::AgreeCompleteTrick { player: Seat::ALL[0] };
    play_until(&mut [&mut ann, &mut bot], |players| players[0].choice() == Some(agree));
    let tricks = ann.view().state.tricks.len();
    ann.act(agree);
    ann.wait("the next trick", |ann| ann.view().state.tricks.len() > tricks);
    play_until(&mut [&mut ann, &mut bot], |players| is_mid_trick(players[0]));
    let to = ann.view().state.events - 1;
    let undo = json!({
        "type": "EXECUTE_ACTION", "gameId": bot.game(), "requestId": "undo", "version": bot.version(),
        "action": { "type": "undo", "to": to },
    });
    assert_eq!(bot.refused(&undo), "not-allowed");
    let mut bob = Player::join(host, &ann.game(), Some(keys[1].clone()), "Bob");
    bot.next("LEFT");
    catch_up(&mut [&mut ann, &mut bob]);
    let shown = players_on(&ann, 1);
    assert_eq!((shown.len(), shown[0].name.as_str(), shown[0].control_type), (1, "Bob", Control::Human));
    play_until(&mut [&mut ann, &mut bob], |players| players[1].choice().is_some());
}

/// An AI service without a WebSocket: it is present while it polls. It leaves, a bot of the host plays, and it returns.
pub fn an_invited_bot_plays_over_http(host: &mut dyn Host) {
    let (mut ann, keys) = ann_in_mid_hand(host, false, vec![grant(Role::Ai, Some(2))]);
    let (path, key) = (format!("/api/games/{}", ann.game()), String::from(keys[0].clone()));
    let join = json!({ "name": "Service" });
    let Some((status, joined)) = host.request("POST", &format!("{path}/join"), Some(&key), &join) else {
        return;
    };
    assert_eq!((status, &joined["seat"]), (200, &json!(2)), "{joined}");
    let key = joined["key"].as_str().unwrap().to_owned();
    let is_listed =
        |ann: &Player| matches!(&players_on(ann, 2)[..], [bot] if bot.name.as_str() == "Service" && bot.is_connected);
    ann.wait("the service", is_listed);
    let mut acted = 0;
    while acted < 3 {
        let (status, state) = host.request("GET", &format!("{path}/state"), Some(&key), &json!(null)).unwrap();
        assert_eq!(status, 200, "{state}");
        match state["view"]["validActions"].as_array().unwrap().iter().find(|valid| valid["action"]["type"] != "claim")
        {
            Some(choice) => {
                let body = json!({ "requestId": format!("s{acted}"), "version": state["version"], "action": choice["action"] });
                let (status, answer) = host.request("POST", &format!("{path}/action"), Some(&key), &body).unwrap();
                assert_eq!(status, 200, "{answer}");
                acted += 1;
            }
            None if ann.choice().is_some() => {
                let choice = ann.choice().unwrap();
                ann.act(choice);
            }
            None => {
                let version = state["version"].as_u64().unwrap();
                let seat = state["view"]["derived"]["toAct"].as_u64();
                ann.wait("the table", |ann| ann.version() > version || (seat == Some(0) && ann.choice().is_some()));
            }
        }
    }
    assert_eq!(host.request("POST", &format!("{path}/leave"), Some(&key), &json!({})).unwrap().0, 200);
    ann.wait(
        "a bot of the host",
        |ann| matches!(&players_on(ann, 2)[..], [own, other] if !own.is_connected && other.is_connected),
    );
    assert_eq!(host.request("GET", &format!("{path}/actions"), Some(&key), &json!(null)).unwrap().0, 200);
    ann.wait("the return of the service", is_listed);
}

/// The host decides how a daily challenge is played and rated, and ignores what its creator requests. The result can be
/// shared, replayed by its link, and tried again with the same hand.
pub fn a_daily_challenge_is_played_to_its_last_trick(host: &mut dyn Host) {
    let daily =
        json!({ "type": "daily-challenge", "date": "2026-01-15", "difficulty": "easy", "starThresholds": [1, 2, 3] });
    let layers = serde_json::from_value(json!([{ "type": "forced-bid" }, daily])).unwrap();
    let config = Config { layers, players: seats("haaa"), ..Config::default() };
    let options = TableOptions { deal: DealKind::Seeded, pause: 0, ..TableOptions::default() };
    let mut ann = Player::create_with(host, config, options);
    let hand = |ann: &Player| ann.view().state.players[0].hand;
    let (dealt, challenge) = (hand(&ann), ann.view().state.challenge.unwrap());
    // Every host must compute this goal, which depends on the hand and the solver alone.
    assert_eq!(challenge.star_thresholds, [32, 37, 42]);
    play_until(&mut [&mut ann], |players| players[0].is_over());
    let state = &ann.view().state;
    let (points, tricks) = (state.points.iter().sum::<u8>(), state.tricks_taken.iter().sum::<u8>());
    assert!(points == 42 && (tricks == 7 || state.claim.is_some()), "{points} points in {tricks} tricks");
    let result = ann.view().metadata.result.clone().unwrap();
    let stars = challenge.star_thresholds.iter().filter(|least| state.points[0] >= **least).count();
    assert!(result.winner.is_some() && result.winner == ann.view().derived.winner && result.score == state.score);
    assert!(result.seed.unwrap().as_str().starts_with("daily-2026-01-15-easy-"), "{result:?}");
    assert_eq!((result.stars.map(usize::from), result.challenge), (Some(stars), Some(challenge)));
    assert_eq!(result.share_text.unwrap(), format!("Texas 42, 2026-01-15 (easy): {stars} of 3 stars"));
    let replayed = HeadlessRoom::from_link(&result.replay_link.unwrap()).unwrap();
    assert_eq!((replayed.state().phase, replayed.state().tally.points), (state.phase, state.points));
    ann.client.rematch(0, None).unwrap();
    ann.wait("another try", |ann| ann.view().metadata.game_number == 1);
    assert_eq!(hand(&ann), dealt);
}

/// An undo can bring back a deal that all four passed, so neither a view nor a record reveals its hands.
pub fn a_deal_that_was_thrown_in_stays_hidden(host: &mut dyn Host) {
    let mut ann = Player::create(host, "hhhh", 7);
    let game = ann.game();
    let mut others = [1, 2, 3].map(|seat| {
        let (key, _) = ann.invite(seat_grant(seat));
        Player::join(host, &game, Some(key), ["Bob", "Cid", "Dan"][usize::from(seat) - 1])
    });
    let later = json!({ "role": "spectator", "openHands": true, "delayHands": 1 });
    let (key, _) = ann.invite(serde_json::from_value(later).unwrap());
    let mut eve = Player::join(host, &game, Some(key), "Eve");
    let [bob, cid, dan] = &mut others;
    let mut players = [&mut ann, bob, cid, dan, &mut eve];
    catch_up(&mut players);
    while players[0].view().state.hand_number == 0 {
        let pass = |player: &&mut Player| Action::Pass { player: player.seat() };
        match players.iter().position(|player| player.choice().is_some()) {
            Some(next) => {
                let pass = pass(&players[next]);
                players[next].act(pass);
            }
            None => players[0].wait("the redeal", |ann| ann.view().state.hand_number > 0 || ann.choice().is_some()),
        }
        catch_up(&mut players);
    }
    for player in &players {
        assert!(player.view().metadata.deal.as_ref().unwrap().revealed.is_none(), "{:?}", player.view().metadata.deal);
    }
    let seen_later = &players[4].view().state.players;
    assert!(seen_later.iter().all(|player| player.hand.is_empty()), "a delayed spectator sees {seen_later:?}");
    let key = String::from(ann.client.ticket().unwrap().key.clone());
    if let Some((status, answer)) = host.request("GET", &format!("/api/games/{game}/record"), Some(&key), &json!(null))
    {
        assert_eq!((status, &answer["error"]["reason"]["code"]), (409, &json!("no-hand-over")), "{answer}");
    }
}
