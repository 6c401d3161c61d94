//! Deals that nobody chose: committed before, revealed after, and verifiable by anybody.

use std::collections::BTreeSet;

use serde_json::json;
use texas42_engine::deal::{Hex, commitment, deal, key_from_hex, secret_hand_key};
use texas42_protocol::DealProof;
use texas42_room::{HeadlessRoom, RandomPlayer};
use texas42_vocab::{Deal, Phase};

use crate::support::*;

fn proof(host: &Host) -> DealProof {
    DealProof::clone(host.view(ANN).metadata.deal.as_ref().unwrap())
}

fn hash_of(hex: &str) -> String {
    Hex(&commitment(&key_from_hex(hex).unwrap())).to_string()
}

/// The current deal, as seen by a spectator of every hand.
fn dealt(host: &Host) -> Deal {
    host.room.state().unwrap().hands
}

#[test]
fn each_deal_is_committed_before_and_verifiable_afterwards() {
    let mut host = Host::seated(2, json!({}), &json!({ "pause": 10 }));
    let mut random = RandomPlayer::new(6);
    let committed = proof(&host).secret_commitment;
    let mut hands = 0;
    while !host.phase().is_over() {
        let (number, before, hand) = (host.room.state().unwrap().hand_number, proof(&host), dealt(&host));
        assert!(before.revealed.is_none_or(|shown| shown.hand_number < number), "nothing of this hand is shown yet");
        host.play_until(&mut random, |host| {
            host.phase() == Phase::Scoring || host.room.state().unwrap().hand_number > number
        });
        let shown = proof(&host).revealed.unwrap();
        assert_eq!((shown.hand_number, hash_of(&shown.share)), (number, before.hand_commitment));
        let [share, entropy] = [&shown.share, &shown.entropy].map(|hex| key_from_hex(hex).unwrap());
        assert_eq!(deal(&secret_hand_key(&share, &entropy)), hand, "hand {number}");
        assert_eq!((proof(&host).secret, proof(&host).secret_commitment), (None, committed.clone()));
        host.play_until(&mut random, |host| host.phase().is_over() || host.room.state().unwrap().hand_number > number);
        hands += 1;
    }
    assert!(hands > 3);
    assert_eq!(hash_of(&proof(&host).secret.unwrap()), committed);
}

#[test]
fn the_record_of_a_finished_game_proves_itself() {
    let mut host = Host::seated(2, json!({}), &json!({ "pause": 10 }));
    assert!(host.room.fair_record().is_none(), "not before the end");
    host.play_to_the_end(&mut RandomPlayer::new(6));
    let record = host.room.fair_record().unwrap();
    assert!(record.verify().unwrap() > 3);
    let given: Vec<_> = record.entropy.iter().flatten().map(texas42_protocol::Entropy::as_str).collect();
    assert_eq!(given, ["ann", "bob"], "with what each of the players gave");
}

/// A record in the middle of a game reveals nothing about the current hand.
#[test]
fn a_record_ends_with_the_last_finished_hand() {
    for table in [json!({ "pause": 10 }), json!({ "pause": 10, "deal": "seeded" })] {
        let is_secret = table.get("deal").is_none();
        let config = if is_secret { json!({}) } else { json!({ "seed": "waco" }) };
        let mut host = Host::seated(1, config, &table);
        let mut random = RandomPlayer::new(6);
        assert_eq!(host.room.record(), None, "no hand is finished yet");
        host.play_until(&mut random, |host| host.phase() == Phase::Scoring);
        let scored = HeadlessRoom::from_record(&host.room.record().unwrap()).unwrap();
        assert_eq!((scored.state().phase, scored.state().hands), (Phase::Scoring, host.room.state().unwrap().hands));
        let number = host.room.state().unwrap().hand_number;
        host.play_until(&mut random, |host| host.room.state().unwrap().hand_number > number);
        let told = host.room.record().unwrap();
        host.play_until(&mut random, |host| host.phase() == Phase::Playing);
        assert_eq!(host.room.record(), Some(told.clone()), "the current hand is not included");
        let room = HeadlessRoom::from_record(&told).unwrap();
        assert_eq!(room.state().hand_number, number);
        let told: serde_json::Value = serde_json::from_str(&told).unwrap();
        let deals = told["config"]["deals"].as_array().map_or(0, Vec::len);
        assert_eq!(deals, if is_secret { number as usize + 1 } else { 0 });
    }
}

#[test]
fn the_proof_of_a_game_is_a_record_of_it() {
    let mut host = Host::seated(2, json!({}), &json!({ "pause": 10 }));
    host.play_to_the_end(&mut RandomPlayer::new(6));
    let record = host.room.record().unwrap();
    assert_eq!(serde_json::from_str::<texas42_room::FairRecord>(&record).unwrap(), host.room.fair_record().unwrap());
    let room = HeadlessRoom::from_record(&record).unwrap();
    assert_eq!(Some(room.state()), host.room.state());
    assert!(HeadlessRoom::from_record(&record.replace("ann", "eve")).is_err(), "a proof that does not hold is refused");
}

/// No player who contributes randomness can be dealt a hand that the table chose alone.
#[test]
fn the_randomness_of_every_player_changes_the_deal() {
    let table = |entropies: [&str; 4]| {
        let create = json!({
            "type": "CREATE_GAME", "name": "Ann", "entropy": entropies[0], "config": { "players": people(4) },
        });
        let mut host = Host::created(&create, [5; 32]);
        for (seat, entropy) in entropies.iter().enumerate().skip(1) {
            let key = host.invite(&json!({ "role": "player", "seat": seat }));
            host.join(seat as u64, &key, json!({ "entropy": entropy }));
        }
        dealt(&host)
    };
    let plain = ["a", "b", "c", "d"];
    let mut deals = BTreeSet::from([format!("{:?}", table(plain))]);
    for seat in 0..4 {
        let mut other = plain;
        other[seat] = "x";
        deals.insert(format!("{:?}", table(other)));
    }
    assert_eq!(deals.len(), 5);
}

#[test]
fn a_later_player_does_not_change_dealt_hands() {
    let mut host = Host::seated(1, json!({}), &json!({ "pause": 10 }));
    let key = host.invite(&json!({ "role": "player", "seat": 1 }));
    host.followers.remove(&bot(1));
    host.join(BOB, &key, json!({ "entropy": "late" }));
    host.play_to_the_end(&mut RandomPlayer::new(8));
    assert!(host.room.fair_record().unwrap().verify().is_ok());
}

/// Two tables that differ only in how their first game was played deal different second games.
#[test]
fn a_game_affects_the_deals_of_the_next() {
    let second_game = |player: u64| {
        let mut host = Host::seated(2, json!({}), &json!({ "pause": 10 }));
        host.play_to_the_end(&mut RandomPlayer::new(player));
        assert!(host.room.fair_record().unwrap().before.is_none(), "nothing was played before the first game");
        host.say(ANN, json!({ "type": "REMATCH", "requestId": "again" }));
        let hands = dealt(&host);
        host.play_to_the_end(&mut RandomPlayer::new(9));
        (hands, host.room.fair_record().unwrap())
    };
    let ((hands, record), (other_hands, other)) = (second_game(6), second_game(7));
    assert_eq!(record.secret, other.secret, "the table's secret is the same");
    assert_ne!(hands, other_hands);
    assert!(record.verify().is_ok() && other.verify().is_ok());
    let forged = texas42_room::FairRecord { before: other.before, ..record };
    assert!(forged.verify().is_err(), "another game before deals other hands");
}
