//! Creates the fixtures: plays on a running server of the version whose journal is to be kept, and records what each
//! session sees. Existing fixtures are never regenerated, so this is an ignored test that writes to another folder; see the
//! README.

use std::{net::SocketAddr, path::PathBuf};

use serde_json::{Value, json};
use texas42_conformance::{
    Connection, Host,
    native::SocketConnection,
    player::{Player, catch_up, grant, play_until, seat_grant, seats},
};
use texas42_protocol::{Role, SecretKey, TableOptions};
use texas42_vocab::{Action, Config, Control, Phase, Seat};

use crate::{Facts, Session, StoredTable, StoredTables};

/// A server that was started separately.
struct Running(SocketAddr);

impl Host for Running {
    fn connect(&mut self) -> Box<dyn Connection> {
        Box::new(SocketConnection::open(self.0, "/api/ws").unwrap())
    }

    fn restart(&mut self) {
        unreachable!("the server runs in another process");
    }

    fn request(&mut self, _: &str, _: &str, _: Option<&str>, _: &Value) -> Option<(u16, Value)> {
        None
    }
}

#[test]
#[ignore = "fixtures are created once and kept"]
fn make_fixtures() {
    let variable = |name: &str| std::env::var(name).unwrap_or_else(|_| panic!("{name} is not set; see the README"));
    let host = &mut Running(variable("SERVER").parse().unwrap());
    let tables = StoredTables::from([
        ("gathering".to_owned(), gathering(host)),
        ("bidding".to_owned(), bidding(host)),
        ("mid-trick".to_owned(), mid_trick(host)),
        ("scored-hand".to_owned(), scored_hand(host)),
        ("bots-only".to_owned(), bots_only(host)),
        ("rematch".to_owned(), rematch(host)),
    ]);
    let path = PathBuf::from(variable("FIXTURES")).join("expected.json");
    std::fs::write(path, serde_json::to_string_pretty(&tables).unwrap() + "\n").unwrap();
}

fn stored_table(players: &mut [&mut Player], invite: Option<SecretKey>) -> StoredTable {
    catch_up(players);
    let session =
        |player: &&mut Player| Session { ticket: player.client.ticket().unwrap().clone(), facts: Facts::of(player) };
    StoredTable { sessions: players.iter().map(session).collect(), invite }
}

fn create(host: &mut dyn Host, config: &Value, table: &Value) -> Player {
    let config: Config = serde_json::from_value(config.clone()).unwrap();
    let table: TableOptions = serde_json::from_value(table.clone()).unwrap();
    Player::create_with(host, config, TableOptions { pause: 0, ..table })
}

fn invited(host: &mut dyn Host, ann: &mut Player, seat: u8, name: &str) -> Player {
    let (key, _) = ann.invite(seat_grant(seat));
    Player::join(host, &ann.game(), Some(key), name)
}

/// Ann is ready and waits for somebody who has an invite to the seat on her left.
fn gathering(host: &mut dyn Host) -> StoredTable {
    let mut ann = create(host, &json!({ "players": seats("hhaa"), "target": 1 }), &json!({ "ready": true }));
    let (key, _) = ann.invite(seat_grant(1));
    ann.declare_ready();
    stored_table(&mut [&mut ann], Some(key))
}

/// Four people and a spectator in the middle of the auction.
fn bidding(host: &mut dyn Host) -> StoredTable {
    let mut ann = create(host, &json!({ "players": seats("hhhh"), "target": 1 }), &json!({}));
    let (watch, _) = ann.invite(grant(Role::Spectator, None));
    let mut eve = Player::join(host, &ann.game(), Some(watch), "Eve");
    let mut bob = invited(host, &mut ann, 1, "Bob");
    let mut cid = invited(host, &mut ann, 2, "Cid");
    let mut dee = invited(host, &mut ann, 3, "Dee");
    let mut everybody = [&mut ann, &mut bob, &mut cid, &mut dee, &mut eve];
    catch_up(&mut everybody);
    // The first to bid bids 30, the next passes.
    for nth in [1, 0] {
        let bidder = everybody.iter_mut().find(|player| player.choice().is_some()).unwrap();
        let call = bidder.client.valid_actions()[nth].action;
        bidder.act(call);
        catch_up(&mut everybody);
    }
    stored_table(&mut everybody, None)
}

/// A person and three bots in the middle of a trick, with public deals; an admin sees the bots' reasons.
fn mid_trick(host: &mut dyn Host) -> StoredTable {
    let config = json!({ "players": seats("haaa"), "target": 2, "seed": "journal" });
    let mut ann = create(host, &config, &json!({ "deal": "seeded", "hints": true, "openHands": true }));
    let (admin, _) = ann.invite(grant(Role::Admin, None));
    let mut eve = Player::join(host, &ann.game(), Some(admin), "Eve");
    pass(&mut ann);
    play_until(&mut [&mut ann], |players| in_trick(players[0]) > 0 && players[0].choice().is_some());
    stored_table(&mut [&mut ann, &mut eve], None)
}

/// Lets the others bid, and waits until one of them has the contract.
fn pass(player: &mut Player) {
    while player.view().state.phase != Phase::Playing {
        player.wait("a decision", |player| player.choice().is_some() || player.view().state.phase == Phase::Playing);
        if player.view().state.phase == Phase::Bidding {
            let first = player.client.valid_actions()[0].action;
            player.act(first);
        }
    }
}

/// The number of dominoes in the current trick.
fn in_trick(player: &Player) -> usize {
    player.view().state.trick.as_ref().map_or(0, |trick| trick.plays.len())
}

/// Two people and two bots after the first hand: Ann has agreed to continue, Bob has not.
fn scored_hand(host: &mut dyn Host) -> StoredTable {
    let config = json!({ "players": seats("hhaa"), "target": 7, "layers": [{ "type": "consensus" }] });
    let mut ann = create(host, &config, &json!({}));
    let mut bob = invited(host, &mut ann, 1, "Bob");
    play_until(&mut [&mut ann, &mut bob], |players| players[0].view().state.phase == Phase::Scoring);
    let agree = ann.choice().unwrap();
    ann.act(agree);
    stored_table(&mut [&mut ann, &mut bob], None)
}

/// Ann has handed her seat to a bot, and four bots have played the game to its end.
fn bots_only(host: &mut dyn Host) -> StoredTable {
    let mut ann = create(host, &json!({ "players": seats("haaa"), "target": 2 }), &json!({}));
    ann.set_control(Seat::ALL[0], Control::Ai);
    ann.wait("the end of the game", Player::is_over);
    stored_table(&mut [&mut ann], None)
}

/// The second game of a table with every special contract. In the first one a play was undone, an invite was revoked and
/// Cid left at the end.
fn rematch(host: &mut dyn Host) -> StoredTable {
    let layers = ["nello", "plunge", "splash", "sevens"].map(|name| json!({ "type": name }));
    let mut ann = create(host, &json!({ "players": seats("hhha"), "target": 1, "layers": layers }), &json!({}));
    let mut bob = invited(host, &mut ann, 1, "Bob");
    let mut cid = invited(host, &mut ann, 2, "Cid");
    let (_, number) = ann.invite(grant(Role::Spectator, None));
    ann.client.revoke(0, number).unwrap();
    ann.wait("the answer to the revocation", |ann| !ann.client.is_waiting());
    undo_a_play(&mut [&mut ann, &mut bob, &mut cid]);
    play_until(&mut [&mut ann, &mut bob, &mut cid], |players| players[0].is_over());
    cid.client.leave(0).unwrap();
    cid.next("LEFT");
    ann.client.rematch(0, None).unwrap();
    ann.wait("another game", |ann| ann.view().metadata.game_number == 1);
    let is_playing = |players: &[&mut Player]| {
        players[0].view().state.phase == Phase::Playing && players.iter().any(|player| player.choice().is_some())
    };
    play_until(&mut [&mut ann, &mut bob], is_playing);
    stored_table(&mut [&mut ann, &mut bob], None)
}

/// Starts a trick and undoes its last play with everybody's consent.
fn undo_a_play(everybody: &mut [&mut Player]) {
    play_until(everybody, |players| in_trick(players[0]) > 0 && players.iter().any(|player| player.choice().is_some()));
    let to = everybody[0].view().state.events - 1;
    for player in everybody.iter_mut() {
        player.act(Action::Undo { to });
    }
    catch_up(everybody);
}
