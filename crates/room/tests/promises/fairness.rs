//! Fair deals: committed before they are dealt, revealed afterwards, and verifiable by anybody.

use std::collections::BTreeSet;

use serde_json::json;
use texas42_engine::deal::{Hex, commitment, deal, key_from_hex, secret_hand_key};
use texas42_protocol::DealProof;
use texas42_room::{FairRecord, FairnessError, HeadlessRoom, RandomPlayer};
use texas42_vocab::{Action, Deal, Phase, Seat};

use crate::support::*;

fn proof(host: &Host) -> DealProof {
    proof_of(host, ANN)
}

fn proof_of(host: &Host, connection: u64) -> DealProof {
    DealProof::clone(host.view(connection).metadata.deal.as_ref().unwrap())
}

fn hash_of(hex: &str) -> String {
    Hex(&commitment(&key_from_hex(hex).unwrap())).to_string()
}

/// The current hands of all seats.
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
    let entropies: Vec<_> = record.entropy.iter().flatten().map(texas42_protocol::Entropy::as_str).collect();
    assert_eq!(entropies, ["ann", "bob"], "the randomness of each player");
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
        let record = host.room.record().unwrap();
        host.play_until(&mut random, |host| host.phase() == Phase::Playing);
        assert_eq!(host.room.record(), Some(record.clone()), "the current hand is not included");
        let room = HeadlessRoom::from_record(&record).unwrap();
        assert_eq!(room.state().hand_number, number);
        let record: serde_json::Value = serde_json::from_str(&record).unwrap();
        let deals = record["config"]["deals"].as_array().map_or(0, Vec::len);
        assert_eq!(deals, if is_secret { number as usize + 1 } else { 0 });
    }
}

/// All four pass, and the table shakes again.
fn throw_in(host: &mut Host) {
    let number = host.room.state().unwrap().hand_number;
    while host.room.state().unwrap().hand_number == number {
        match host.room.state().unwrap().to_act() {
            Some(seat) => drop(host.act(seat.index() as u64, Action::Pass { player: seat })),
            None => host.wait(1_000),
        }
    }
}

/// Nobody may learn the hands of a deal that an undo could bring back: not from a record, and not from the share of the
/// secret, from which the deal could be computed.
#[test]
fn a_deal_that_was_thrown_in_stays_hidden_while_an_undo_can_restore_it() {
    let mut host = Host::seated(4, json!({}), &json!({ "pause": 10 }));
    let dealt = dealt(&host);
    throw_in(&mut host);
    assert_eq!((host.room.record(), proof(&host).revealed), (None, None));
    // The next hands do not reveal it, either.
    let mut random = RandomPlayer::new(6);
    host.play_until(&mut random, |host| host.phase() == Phase::Scoring);
    assert_eq!(host.room.record(), None);
    assert!(proof(&host).revealed.unwrap().hand_number > 0);
    for connection in [ANN, BOB, CID, DAN] {
        host.undo(connection, 0);
    }
    assert_eq!(host.room.state().unwrap().hands, dealt, "the undo has restored the deal");
    host.play_to_the_end(&mut random);
    assert!(host.room.fair_record().unwrap().verify().is_ok(), "the end of the game reveals everything");
}

/// Earlier hands are in the record as before, and at a rated table no undo brings a deal back.
#[test]
fn a_record_ends_before_a_deal_that_was_thrown_in() {
    for is_rated in [false, true] {
        let mut host = Host::seated(4, json!({}), &json!({ "pause": 10, "rated": is_rated }));
        let mut random = RandomPlayer::new(6);
        host.play_until(&mut random, |host| host.phase() == Phase::Scoring);
        let number = host.room.state().unwrap().hand_number;
        host.play_until(&mut random, |host| host.room.state().unwrap().hand_number > number);
        let (before, deals) = (host.room.record().unwrap(), |record: &str| {
            let record: serde_json::Value = serde_json::from_str(record).unwrap();
            record["config"]["deals"].as_array().map_or(0, Vec::len)
        });
        throw_in(&mut host);
        let after = host.room.record().unwrap();
        assert_eq!((deals(&after) > deals(&before), proof(&host).revealed.is_some()), (is_rated, is_rated));
        assert!(HeadlessRoom::from_record(&after).is_ok());
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
    assert!(HeadlessRoom::from_record(&record.replace("ann", "eve")).is_err(), "an invalid proof is rejected");
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
    assert!(forged.verify().is_err(), "another previous game leads to other deals");
}

/// What everybody may know or choose about two games at a table: names, entropies, request ids and times.
struct PublicData(u8);

impl PublicData {
    /// The first hand and shaker of both games, with this secret randomness of the host.
    fn deals(&self, secret: u8) -> [(Deal, Seat); 2] {
        let dealt = |host: &Host| (dealt(host), host.room.state().unwrap().shaker);
        let mut create = create_game(&json!({ "players": people(1), "target": 1 }), &json!({ "pause": 0 }));
        create["entropy"] = json!(format!("ann-{}", self.0));
        let mut host = Host::created(&create, [secret; 32]);
        host.seat_bots();
        let first = dealt(&host);
        host.play_to_the_end(&mut RandomPlayer::new(self.0.into()));
        host.now = 1_000_000 + u64::from(self.0);
        let entropy = format!("again-{}", self.0);
        host.say(ANN, json!({ "type": "REMATCH", "requestId": format!("r-{}", self.0), "entropy": entropy }));
        [first, dealt(&host)]
    }
}

/// Two tables with the same public data, created with different secrets, have different deals, and the same data lead to
/// the same deals.
#[test]
fn only_the_secret_distinguishes_tables_with_the_same_public_data() {
    for public in (0..12).map(PublicData) {
        let games: Vec<[(Deal, Seat); 2]> = (0..6).map(|secret| public.deals(secret)).collect();
        for game in 0..2 {
            let deals: BTreeSet<String> = games.iter().map(|dealt| format!("{:?}", dealt[game].0)).collect();
            assert_eq!(deals.len(), games.len(), "public data {}, game {game}", public.0);
        }
        assert_eq!(public.deals(3), games[3]);
    }
}

#[test]
fn the_secret_draws_the_first_shaker() {
    let mut shakers = [[0; 4]; 2];
    for secret in 0..100 {
        for (game, (_, shaker)) in PublicData(1).deals(secret).into_iter().enumerate() {
            shakers[game][shaker.index()] += 1;
        }
    }
    assert!(shakers.iter().flatten().all(|count| *count >= 10), "{shakers:?}");
}

/// Bob tries many rematches at copies of the table, each with its own secret. The results do not predict the shaker at his
/// own table, which plays the first accepted request.
#[test]
fn nobody_chooses_the_shaker_of_a_rematch() {
    let mut host = Host::seated(2, json!({ "target": 1 }), &json!({ "pause": 0 }));
    host.play_to_the_end(&mut RandomPlayer::new(6));
    let committed = proof(&host).next_commitment;
    let rematch = |host: &mut Host, number: u64| {
        host.now += number;
        let (request, entropy) = (format!("again{number}"), format!("e{number}"));
        host.say(BOB, json!({ "type": "REMATCH", "requestId": request, "entropy": entropy }))
    };
    let mut shakers = BTreeSet::new();
    for number in 0..40 {
        let mut copy = host.restored(host.now);
        copy.join(BOB, &host.keys[&BOB].clone(), json!({}));
        rematch(&mut copy, number);
        assert_eq!(Some(proof_of(&copy, BOB).secret_commitment), committed, "no request changes the secret");
        shakers.insert(copy.room.state().unwrap().shaker);
    }
    assert_eq!(shakers.len(), 4, "the entropy is part of the draw");
    rematch(&mut host, 1);
    let shaker = host.room.state().unwrap().shaker;
    for number in 2..40 {
        rematch(&mut host, number);
        assert_eq!((host.room.state().unwrap().shaker, host.view(BOB).metadata.game_number), (shaker, 1));
    }
    assert!(proof(&host).secret_draw && proof(&host).secret.is_none());
}

#[test]
fn the_proof_covers_the_first_shaker() {
    let mut differs = 0;
    for secret in 0..8 {
        let create = create_game(&json!({ "players": people(1), "target": 1 }), &json!({ "pause": 0 }));
        let mut host = Host::created(&create, [secret; 32]);
        host.seat_bots();
        let shaker = host.room.state().unwrap().shaker;
        host.play_to_the_end(&mut RandomPlayer::new(2));
        let record = host.room.fair_record().unwrap();
        assert_eq!((record.shaker, record.proves_shaker()), (Some(shaker), true));
        assert!(record.verify().is_ok());
        let forged = FairRecord { shaker: Some(shaker.left()), ..record.clone() };
        assert_eq!(forged.verify(), Err(FairnessError::ShakerMismatch));
        let public = FairRecord { secret_draw: false, ..record };
        assert!(!public.proves_shaker());
        differs += usize::from(public.verify().is_err());
    }
    assert!(differs > 3, "another draw has another shaker in most games");
}

#[test]
fn a_shaker_that_the_rules_name_is_not_proven() {
    let mut host = Host::seated(2, json!({ "shaker": 3, "target": 1 }), &json!({ "pause": 0 }));
    assert!(!proof(&host).secret_draw);
    host.play_to_the_end(&mut RandomPlayer::new(2));
    let record = host.room.fair_record().unwrap();
    assert_eq!((record.verify().is_ok(), record.proves_shaker(), record.shaker), (true, false, Seat::new(3)));
}

#[test]
fn an_invalid_proof_names_the_hand_from_1() {
    let mut host = Host::seated(2, json!({}), &json!({ "pause": 0 }));
    host.play_to_the_end(&mut RandomPlayer::new(6));
    let record = host.room.fair_record().unwrap();
    let refused = |record: FairRecord| record.verify().unwrap_err().to_string();
    let mut forged = record.clone();
    forged.hand_commitments[1] = forged.hand_commitments[0].clone();
    assert!(refused(forged).starts_with("hand 2: its share of the secret"));
    let mut forged = record.clone();
    forged.deals[0] = forged.deals[1];
    assert!(refused(forged).starts_with("hand 1: the secret and the players' randomness deal different dominoes"));
    let mut forged = record;
    forged.config.deals = vec![forged.deals[0]];
    assert!(refused(forged).starts_with("hand 1: it was chosen"));
}
