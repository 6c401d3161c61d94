//! Nobody knows or chooses the deals of other people.

use serde_json::{Value, json};
use texas42_client::Ticket;
use texas42_engine::deal::{commitment, draw_first_shaker, key_from_hex, secret_draw_root};
use texas42_protocol::Role;
use texas42_room::FairRecord;
use texas42_vocab::Control;

use crate::{
    Host,
    in_process::InProcess,
    player::{Player, catch_up, grant, play_until, seat_grant},
};

/// Sends a `CREATE_GAME`, and returns the error code of the reply.
fn refused_creation(host: &mut dyn Host, config: &Value, table: &Value) -> Value {
    let mut connection = host.connect();
    connection.send(&json!({ "type": "CREATE_GAME", "name": "Ann", "config": config, "table": table }).to_string());
    connection.receive().unwrap()["error"]["code"].clone()
}

/// Known deals are for one person. Others may watch.
pub fn known_deals_are_for_one_person(host: &mut dyn Host) {
    let daily = json!([{ "type": "daily-challenge", "date": "2026-01-15", "deal": 7 }]);
    let seeded = json!({ "deal": "seeded", "pause": 0 });
    for config in [json!({ "layers": daily }), json!({ "seed": "mine" }), json!({ "layers": daily, "seed": "mine" })] {
        let mut config = config;
        for players in [["human", "human", "ai", "ai"], ["human"; 4]] {
            config["players"] = json!(players);
            assert_eq!(refused_creation(host, &config, &seeded), "bad-config", "{config}");
        }
        config["players"] = json!(["human", "ai", "ai", "ai"]);
        let mut ann = Player::create_as(host, Role::Player, None, &config, &seeded);
        let invite = json!({
            "type": "INVITE", "gameId": ann.game(), "requestId": "p", "grant": { "role": "player", "seat": 1 },
        });
        assert_eq!(ann.refused(&invite), "not-allowed", "{config}");
        let invite = json!({ "type": "INVITE", "gameId": ann.game(), "requestId": "b", "grant": { "role": "ai" } });
        assert_eq!(ann.refused(&invite), "not-allowed", "a person may run the bot: {config}");
        let (key, _) = ann.invite(grant(Role::Spectator, None));
        let eve = Player::join(host, &ann.game(), Some(key), "Eve");
        assert!(ann.view().metadata.known_deals && eve.view().metadata.known_deals);
    }
}

/// People at a table cannot change to known deals, and the mark of known deals lasts.
pub fn a_rematch_has_no_known_deals(host: &mut dyn Host) {
    let config = json!({ "seed": "mine", "target": 1, "players": ["human", "ai", "ai", "ai"] });
    let mut ann = Player::create_as(host, Role::Player, None, &config, &json!({ "deal": "seeded", "pause": 0 }));
    play_until(&mut [&mut ann], |players| players[0].is_over());
    let rematch = |of: &Player, id: &str, config: &Value, table: &Value| json!({ "type": "REMATCH", "gameId": of.game(), "requestId": id, "config": config, "table": table });
    let secret = json!({ "deal": "secret", "pause": 0 });
    ann.say(&rematch(&ann, "a", &json!({ "target": 1 }), &secret));
    ann.wait("a game with secret deals", |ann| ann.view().metadata.game_number == 1);
    let (key, _) = ann.invite(seat_grant(1));
    let mut bob = Player::join(host, &ann.game(), Some(key), "Bob");
    host.restart();
    ann.reconnect(host);
    bob.reconnect(host);
    assert!(bob.view().metadata.known_deals, "an earlier game at this table had known deals");
    play_until(&mut [&mut ann, &mut bob], |players| players[0].is_over());
    catch_up(&mut [&mut ann, &mut bob]);
    let daily = json!({ "layers": [{ "type": "daily-challenge", "deal": 7 }] });
    let seeded = json!({ "deal": "seeded", "pause": 0 });
    for (config, id) in [(daily, "b"), (json!({ "seed": "mine" }), "c")] {
        assert_eq!(ann.refused(&rematch(&ann, id, &config, &seeded)), "bad-config", "{config}");
    }
}

/// The person who runs an invited bot sees its hand, so a rated table allows none.
pub fn a_rated_table_has_no_invited_bots(host: &mut dyn Host) {
    let config = json!({ "players": ["human", "ai", "ai", "ai"] });
    let mut ann = Player::create_as(host, Role::Player, None, &config, &json!({ "ready": true }));
    let rated = |of: &Player, id: &str| json!({ "type": "CONFIGURE", "gameId": of.game(), "requestId": id, "table": { "ready": true, "rated": true } });
    let (key, number) = ann.invite(grant(Role::Ai, Some(1)));
    assert_eq!(ann.refused(&rated(&ann, "a")), "refused", "a bot could join");
    let _eve = Player::join(host, &ann.game(), Some(key), "Eve");
    assert_eq!(ann.refused(&rated(&ann, "b")), "refused", "a bot is here");
    ann.say(&json!({ "type": "INVITE", "gameId": ann.game(), "requestId": "r", "revoke": number }));
    ann.say(&rated(&ann, "c"));
    ann.wait("a rated table", |ann| ann.view().metadata.table.rated);
    let invite = json!({ "type": "INVITE", "gameId": ann.game(), "requestId": "i", "grant": { "role": "ai" } });
    assert_eq!(ann.refused(&invite), "not-allowed");
}

/// The first shaker follows from the secret that was committed before.
pub fn the_committed_secret_draws_the_first_shaker(host: &mut dyn Host) {
    let mut ann = Player::create(host, "haaa", 1);
    let shaker = ann.view().state.shaker.unwrap();
    let committed = ann.view().metadata.deal.as_ref().unwrap().secret_commitment.clone();
    play_until(&mut [&mut ann], |players| players[0].is_over());
    let proof = ann.view().metadata.deal.clone().unwrap();
    let secret = key_from_hex(proof.secret.as_ref().unwrap()).unwrap();
    let entropy = key_from_hex(&proof.revealed.as_ref().unwrap().entropy).unwrap();
    assert!(proof.secret_draw);
    assert_eq!(key_from_hex(&committed), Some(commitment(&secret)));
    assert_eq!(draw_first_shaker(&secret_draw_root(&secret, &entropy)), shaker);
    let key = String::from(ann.client.ticket().unwrap().key.clone());
    let path = format!("/api/games/{}/record", ann.game());
    let Some((status, record)) = host.request("GET", &path, Some(&key), &json!(null)) else { return };
    let record = FairRecord::from_json(&record.to_string()).unwrap();
    assert_eq!((status, record.shaker, record.proves_shaker()), (200, Some(shaker), true));
    record.verify().unwrap();
}

/// A friend who joins an imported game plays from the next hand on, because the person who brought it could know the
/// current one.
pub fn friends_do_not_play_a_hand_of_the_device(host: &mut dyn Host) {
    let mut device = InProcess::new();
    let mut offline = Player::create(&mut device, "haaa", 7);
    play_until(&mut [&mut offline], |players| players[0].choice().is_some());
    let ticket = offline.client.ticket().unwrap().clone();
    let key = String::from(ticket.key.clone());
    let body = json!({ "log": device.log(&offline.game()) });
    let Some((201, created)) = host.request("POST", "/api/games/import", Some(&key), &body) else { return };
    let game_id = serde_json::from_value(created["gameId"].clone()).unwrap();
    let mut ann = Player::resume(host, Ticket { game_id, ..ticket });
    let (key, _) = ann.invite(seat_grant(1));
    let mut bob = Player::join(host, &ann.game(), Some(key), "Bob");
    let hand = bob.view().state.hand_number;
    assert!(bob.view().state.players[1].hand.is_empty() && bob.waits_for_deal());
    let take = json!({
        "type": "SET_PLAYER_CONTROL", "gameId": bob.game(), "requestId": "t", "player": 1, "controlType": "human",
    });
    assert_eq!(bob.refused(&take), "not-allowed");
    host.restart();
    ann.reconnect(host);
    bob.reconnect(host);
    assert!(bob.view().state.players[1].hand.is_empty(), "a restart must not end the wait");
    play_until(&mut [&mut ann, &mut bob], |players| players[0].view().state.hand_number > hand);
    catch_up(&mut [&mut ann, &mut bob]);
    let shown = bob.view().players.iter().find(|shown| Some(&shown.player_id) == bob.client.player_id());
    assert_eq!(shown.map(|shown| shown.control_type), Some(Control::Human));
    assert!(!bob.view().state.players[1].hand.is_empty() && !bob.waits_for_deal());
}

/// A creator chooses neither the deal of a daily challenge nor its goal, and the stars count the person's team.
pub fn a_creator_does_not_choose_the_hand_of_the_day(host: &mut dyn Host) {
    let daily = json!({ "type": "daily-challenge", "date": "2026-01-15", "difficulty": "easy", "deal": 3 });
    let seeded = json!({ "deal": "seeded", "pause": 0 });
    let one_hand = json!({ "type": "one-hand", "seed": "mine" });
    let deals = json!([[
        ["6-6", "6-5", "6-4", "6-3", "6-2", "6-1", "6-0"],
        ["5-5", "5-4", "5-3", "5-2", "5-1", "5-0", "4-4"],
        ["4-3", "4-2", "4-1", "4-0", "3-3", "3-2", "3-1"],
        ["3-0", "2-2", "2-1", "2-0", "1-1", "1-0", "0-0"],
    ]]);
    let players = ["human", "ai", "ai", "ai"];
    for config in [
        json!({ "layers": [daily, one_hand], "players": players }),
        json!({ "layers": [daily], "deals": deals, "players": players }),
    ] {
        assert_eq!(refused_creation(host, &config, &seeded), "bad-config", "{config}");
    }
    for (seat, team) in [(0, 0), (1, 1)] {
        let players: Vec<&str> = (0..4).map(|other| if other == seat { "human" } else { "ai" }).collect();
        let config = json!({ "layers": [{ "type": "forced-bid" }, daily], "players": players });
        let mut ann = Player::create_as(host, Role::Player, None, &config, &seeded);
        play_until(&mut [&mut ann], |players| players[0].is_over());
        let (challenge, state) = (ann.view().state.challenge.unwrap(), &ann.view().state);
        assert_eq!(challenge.team.index(), team);
        let result = ann.view().metadata.result.clone().unwrap();
        let stars = challenge.star_thresholds.iter().filter(|least| state.points[team] >= **least).count();
        assert_eq!(result.stars.map(usize::from), Some(stars));
        let plain = json!({ "layers": [{ "type": "daily-challenge", "date": "2026-01-15", "difficulty": "easy" }], "players": players });
        let mut again = Player::create_as(host, Role::Player, None, &plain, &seeded);
        play_until(&mut [&mut again], |players| players[0].is_over());
        assert_eq!(again.view().metadata.result.as_ref().unwrap().seed, result.seed, "the deal of the day");
    }
}
