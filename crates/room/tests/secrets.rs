//! No message contains a seed, secret, share or key too early, or for anybody but its owner.

#![allow(clippy::unwrap_used, reason = "a failed unwrap fails the test")]

mod support;

use std::collections::BTreeMap;

use serde_json::{Value, json};
use support::*;
use texas42_engine::deal::{Hex, Key, hand_share, key_from_hex, secret_hand_key};
use texas42_protocol::{SecretKey, ServerMessage};
use texas42_room::{ConnectionId, Effect, Event, RandomPlayer};
use texas42_vocab::Phase;

const ALPHABETS: [&[u8; 64]; 2] = [
    b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/",
    b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_",
];

/// All encodings of bytes in a text. The last base64 digit may carry other bits, so it is omitted.
fn encodings(bytes: &[u8]) -> Vec<String> {
    let hex = Hex(bytes).to_string();
    let list = serde_json::to_string(bytes).unwrap();
    let base64 = ALPHABETS.map(|alphabet| {
        let bits = bytes.iter().flat_map(|byte| (0..8).rev().map(move |bit| byte >> bit & 1));
        let bits: Vec<u8> = bits.collect();
        let digits = bits.chunks_exact(6).map(|six| six.iter().fold(0, |digit, bit| digit << 1 | bit));
        digits.map(|digit| char::from(alphabet[usize::from(digit)])).collect::<String>()
    });
    [hex.to_uppercase(), hex, list].into_iter().chain(base64).collect()
}

fn assert_absent(text: &str, secret: &[u8], what: &str) {
    for encoding in encodings(secret) {
        assert!(!text.contains(&encoding), "{what} is in {text}");
    }
}

/// The secret of each game, from the log.
fn dealing_secrets(host: &Host) -> Vec<Key> {
    let secret = |event: &Event| serde_json::to_value(event).unwrap()["secret"].as_str().and_then(key_from_hex);
    host.log.iter().filter_map(|stored| secret(&stored.event)).collect()
}

/// The combined randomness of the players, revealed when the first hand is over.
fn entropy(host: &Host) -> Option<Key> {
    let shown = host.view(ANN).metadata.deal.as_ref()?.revealed.as_ref()?.entropy.clone();
    key_from_hex(&shown)
}

/// What must not be revealed yet in the current state.
fn hidden(host: &Host, entropy: Key) -> Vec<(String, Key)> {
    let secret = *dealing_secrets(host).last().unwrap();
    let state = host.room.state().unwrap();
    if state.phase.is_over() {
        return Vec::new();
    }
    let first = state.hand_number + u32::from(state.phase == Phase::Scoring);
    let mut hidden = vec![("the secret".to_owned(), secret)];
    for hand in first..first + 3 {
        let share = hand_share(&secret, hand);
        hidden.push((format!("the share of hand {hand}"), share));
        hidden.push((format!("the key of hand {hand}"), secret_hand_key(&share, &entropy)));
    }
    hidden
}

/// A table with people, bots, spectators and an unused invite.
fn crowded(table: &Value) -> Host {
    let mut host = Host::seated(2, json!({ "layers": [{ "type": "hints" }], "target": 2 }), table);
    for (connection, grant) in [
        (20, json!({ "role": "spectator" })),
        (21, json!({ "role": "spectator", "openHands": true })),
        (22, json!({ "role": "spectator", "delayHands": 1 })),
        (23, json!({ "role": "coach", "seat": 1 })),
    ] {
        let key = host.invite(&grant);
        host.join(connection, &key, json!({}));
    }
    host.invite(&json!({ "role": "player" }));
    host
}

/// The combined randomness does not change during a game, so it can be learned by playing one to its end.
fn entropy_of(table: &Value, seed: u64) -> Key {
    let mut host = crowded(table);
    host.play_to_the_end(&mut RandomPlayer::new(seed));
    entropy(&host).unwrap()
}

#[test]
fn deal_secrets_are_not_sent_before_their_hand_is_over() {
    let table = json!({ "pause": 20, "openHands": true });
    for seed in 0..4 {
        let entropy = entropy_of(&table, seed);
        let mut host = crowded(&table);
        let (mut random, mut since) = (RandomPlayer::new(seed), 0);
        while !host.phase().is_over() {
            host.step(&mut random);
            let sent: String =
                host.sent[since..].iter().map(|(_, message)| serde_json::to_string(message).unwrap()).collect();
            hidden(&host, entropy).iter().for_each(|(what, secret)| assert_absent(&sent, secret, what));
            since = host.sent.len();
        }
        let secret = dealing_secrets(&host)[0];
        let end: String =
            host.sent[since - 20..].iter().map(|(_, message)| serde_json::to_string(message).unwrap()).collect();
        assert!(end.contains(&Hex(&secret).to_string()), "at the end the secret is shown");
    }
}

/// Every key, and the only connection that may receive it. Bots get their keys from the host, not in a message.
fn keys(host: &Host) -> Vec<(SecretKey, Option<ConnectionId>)> {
    let requested = host.effects.iter().filter_map(|effect| match effect {
        Effect::RequestBot { key, .. } => Some((key.clone(), None)),
        _ => None,
    });
    let issued = host.sent.iter().filter_map(|(to, message)| match message {
        ServerMessage::GameCreated { key, .. }
        | ServerMessage::Joined { key, .. }
        | ServerMessage::Invited { key, .. } => Some((key.clone()?, Some(*to))),
        _ => None,
    });
    requested.chain(issued).collect()
}

#[test]
fn a_key_is_sent_once_and_only_to_its_owner() {
    let mut host = crowded(&json!({ "pause": 20, "openHands": true }));
    let mut random = RandomPlayer::new(1);
    host.play_until(&mut random, |host| host.phase() == Phase::Playing);
    let bob = host.keys[&BOB].clone();
    host.disconnect(BOB);
    host.join(BOB, &bob, json!({}));
    host.set_control(BOB, 1, "ai");
    host.seat_bots();
    host.play_to_the_end(&mut random);
    let texts: Vec<(ConnectionId, String)> =
        host.sent.iter().map(|(to, message)| (*to, serde_json::to_string(message).unwrap())).collect();
    for (key, holder) in keys(&host) {
        let encodings = encodings(key.bytes());
        let recipients = texts.iter().filter(|(_, text)| encodings.iter().any(|encoding| text.contains(encoding)));
        let recipients: Vec<ConnectionId> = recipients.map(|(to, _)| *to).collect();
        assert_eq!(recipients, Vec::from_iter(holder));
    }
    let hashes = host.log.iter().flat_map(|stored| key_hashes(&serde_json::to_value(&stored.event).unwrap()));
    for hash in hashes {
        assert!(texts.iter().all(|(_, text)| !text.contains(&hash)), "not even the hash of a key is sent");
    }
    let log = serde_json::to_string(&host.log).unwrap();
    for (key, _) in keys(&host) {
        assert_absent(&log, key.bytes(), "a key");
    }
}

fn key_hashes(event: &Value) -> Vec<String> {
    let hashes = [&event["key"], &event["session"]["key"]];
    hashes.into_iter().filter_map(|hash| hash.as_str().map(str::to_owned)).collect()
}

#[test]
fn a_public_seed_is_sent_when_the_game_is_over() {
    let config = json!({ "seed": "not-before-the-end", "target": 1 });
    let mut host = Host::seated(1, config, &json!({ "deal": "seeded", "pause": 0 }));
    let mut random = RandomPlayer::new(2);
    while !host.phase().is_over() {
        let sent = serde_json::to_string(&host.sent.iter().map(|(_, message)| message).collect::<Vec<_>>()).unwrap();
        assert!(!sent.contains("not-before-the-end"));
        host.step(&mut random);
    }
    let result = host.view(ANN).metadata.result.clone().unwrap();
    assert_eq!(result.seed.unwrap().as_str(), "not-before-the-end");
    assert!(texas42_room::HeadlessRoom::from_code(&result.code.unwrap()).is_ok(), "and the link of the game plays it");
}

#[test]
fn nothing_secret_is_printed_by_accident() {
    let host = crowded(&json!({ "openHands": true }));
    let printed = format!("{:?} {:?} {:?}", host.room, host.log, host.effects);
    let mut counted = BTreeMap::new();
    for (key, _) in keys(&host) {
        assert_absent(&printed, key.bytes(), "a key");
        *counted.entry("keys").or_insert(0) += 1;
    }
    for secret in dealing_secrets(&host) {
        assert_absent(&printed, &secret, "the secret");
        *counted.entry("secrets").or_insert(0) += 1;
    }
    assert_eq!(counted.len(), 2, "{counted:?}");
}
