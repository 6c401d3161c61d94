//! Taking a seat in the middle of a hand: nobody sees a second hand of a deal.

use serde_json::json;
use texas42_protocol::{Capability, PlayerView, Role, SecretKey, TableOptions};
use texas42_vocab::{Config, Control, Layer, Phase, Seat};

use crate::{
    Host,
    player::{Player, catch_up, grant, play_until, seat_grant, seats},
};

/// Ann at a table with bots and these options, on her turn in the middle of a hand, and the keys of invites from before
/// the deal.
pub(crate) fn ann_in_mid_hand(
    host: &mut dyn Host,
    rated: bool,
    grants: Vec<texas42_protocol::Grant>,
) -> (Player, Vec<SecretKey>) {
    ann_in_mid_hand_with(host, Vec::new(), rated, grants)
}

/// The same with these layers.
pub(crate) fn ann_in_mid_hand_with(
    host: &mut dyn Host,
    layers: Vec<Layer>,
    rated: bool,
    grants: Vec<texas42_protocol::Grant>,
) -> (Player, Vec<SecretKey>) {
    let config = Config { players: seats("haaa"), layers, ..Config::default() };
    let options = TableOptions { pause: 0, ready: true, rated, ..TableOptions::default() };
    let mut ann = Player::create_with(host, config, options);
    let keys = grants.into_iter().map(|grant| ann.invite(grant).0).collect();
    ann.declare_ready();
    play_until(&mut [&mut ann], |players| {
        players[0].view().state.phase == Phase::Playing && players[0].choice().is_some()
    });
    (ann, keys)
}

fn shown(player: &Player, name: &str) -> PlayerView {
    player.view().players.iter().find(|shown| shown.name.as_str() == name).cloned().unwrap()
}

/// The number of hands that a player sees.
fn hands(player: &Player) -> usize {
    player.view().state.players.iter().filter(|shown| !shown.hand.is_empty()).count()
}

fn assert_waits(player: &Player, name: &str) {
    let shown = shown(player, name);
    assert!(shown.waits_for_deal && shown.control_type == Control::Ai, "{shown:?}");
    assert_eq!(hands(player), 0, "{name} sees a hand");
    assert!(player.client.valid_actions().is_empty());
}

/// A friend who was invited after the deal sits down, and plays from the next deal on. The others see it.
pub fn a_friend_invited_in_mid_hand_plays_from_the_next_deal(host: &mut dyn Host) {
    let (mut ann, _) = ann_in_mid_hand(host, false, Vec::new());
    let (key, _) = ann.invite(seat_grant(1));
    let mut bob = Player::join(host, &ann.game(), Some(key), "Bob");
    assert_eq!(bob.seat(), Seat::ALL[1]);
    assert_waits(&bob, "Bob");
    catch_up(&mut [&mut ann, &mut bob]);
    assert!(shown(&ann, "Bob").waits_for_deal);
    ann.wait("the announcement", |ann| ann.heard.iter().any(|message| message["status"] == "joined"));
    let take = json!({
        "type": "SET_PLAYER_CONTROL", "gameId": bob.game(), "requestId": "take", "player": 1, "controlType": "human",
    });
    assert_eq!(bob.refused(&take), "not-allowed");
    let reason = bob.heard.last().map(|error| error["error"]["reason"].clone()).unwrap();
    assert_eq!(reason["code"], "plays-from-next-deal", "{reason}");
    host.restart();
    ann.reconnect(host);
    bob.reconnect(host);
    assert_waits(&bob, "Bob");
    let deal = ann.view().state.hand_number;
    play_until(&mut [&mut ann, &mut bob], |players| players[0].view().state.hand_number > deal);
    catch_up(&mut [&mut ann, &mut bob]);
    bob.wait("the seat", |bob| shown(bob, "Bob").control_type == Control::Human);
    assert_eq!(hands(&bob), 1);
    play_until(&mut [&mut ann, &mut bob], |players| players[1].choice().is_some());
}

/// The attack: take a seat, read its hand, give it up, and take the next, with every kind of invite. A session that only
/// acts sees no hand, but could find it out by trying plays.
pub fn sitting_down_and_leaving_shows_one_hand(host: &mut dyn Host) {
    let any = |uses| serde_json::from_value(json!({ "role": "player", "uses": uses })).unwrap();
    let (mut ann, keys) = ann_in_mid_hand(host, false, vec![any(2), seat_grant(2), seat_grant(3)]);
    let late = [seat_grant(2), grant(Role::Ai, Some(3))].map(|grant| ann.invite(grant).0);
    let mut first = Player::join(host, &ann.game(), Some(keys[0].clone()), "Eve");
    assert_eq!(hands(&first), 1, "nobody else has used this invite");
    first.client.give_up_seat(0);
    first.next("LEFT");
    for key in [&keys[0], &keys[1], &keys[2], &late[0], &late[1]] {
        let mut eve = Player::join(host, &ann.game(), Some(key.clone()), "Eve");
        assert_waits(&eve, "Eve");
        eve.client.give_up_seat(0);
        eve.next("LEFT");
    }
    let (ann, keys) = ann_in_mid_hand(host, false, vec![seat_grant(2), seat_grant(3)]);
    let only_act = Capability::ActAsPlayer { player_index: Seat::ALL[2] };
    let mut blind = Player::join_with(host, &ann.game(), keys[0].clone(), "Eve", &[only_act]);
    assert!(hands(&blind) == 0 && !blind.waits_for_deal());
    blind.client.give_up_seat(0);
    blind.next("LEFT");
    let eve = Player::join(host, &ann.game(), Some(keys[1].clone()), "Eve");
    assert_waits(&eve, "Eve");
}

/// At a rated table, a bot plays no part of somebody's hand: nobody hands the seat over in the middle of one, and for
/// somebody who leaves, a bot plays until the hand is over.
pub fn a_rated_hand_is_not_handed_to_a_bot(host: &mut dyn Host) {
    let config = Config { players: seats("hhaa"), ..Config::default() };
    let mut ann = Player::create_with(host, config, TableOptions { pause: 0, rated: true, ..TableOptions::default() });
    let (key, _) = ann.invite(seat_grant(1));
    let mut bob = Player::join(host, &ann.game(), Some(key), "Bob");
    play_until(&mut [&mut ann, &mut bob], |players| players[1].choice().is_some());
    let hand_over = json!({
        "type": "SET_PLAYER_CONTROL", "gameId": bob.game(), "requestId": "help", "player": 1, "controlType": "ai",
    });
    assert_eq!(bob.refused(&hand_over), "not-allowed");
    let reason = bob.heard.last().map(|error| error["error"]["reason"].clone()).unwrap();
    assert_eq!(reason["code"], "handover-between-hands", "{reason}");
    bob.client.leave(0);
    bob.next("LEFT");
    let ticket = bob.client.ticket().unwrap().clone();
    // The hand cannot end before Ann has played a domino.
    let mut bob = Player::resume(host, ticket);
    assert_waits(&bob, "Bob");
    play_until(&mut [&mut ann, &mut bob], |players| players[0].view().state.hand_number > 0);
    bob.wait("the seat", |bob| shown(bob, "Bob").control_type == Control::Human);
    assert_eq!(hands(&bob), 1);
}

/// At a rated table, people take seats only between hands.
pub fn a_rated_table_seats_people_between_hands(host: &mut dyn Host) {
    let (mut ann, keys) = ann_in_mid_hand(host, true, vec![seat_grant(1)]);
    let mut bob = Player::join(host, &ann.game(), Some(keys[0].clone()), "Bob");
    assert_waits(&bob, "Bob");
    let deal = ann.view().state.hand_number;
    play_until(&mut [&mut ann, &mut bob], |players| players[0].view().state.hand_number > deal);
    bob.wait("the seat", |bob| shown(bob, "Bob").control_type == Control::Human);
    assert_eq!(hands(&bob), 1);
}
