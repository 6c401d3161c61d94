//! Phrases reach exactly those whom the protocol names.

use serde_json::{Value, json};
use texas42_phrases::Phrase;
use texas42_protocol::{Grant, Role, TableOptions};
use texas42_vocab::{Config, Domino, Phase};

use crate::{
    Host,
    player::{Player, catch_up, grant, seat_grant, seats},
};

/// Ann and Bob with two bots, in the auction, at a table with these options.
fn in_auction(host: &mut dyn Host, table: &TableOptions, visitors: &[Grant]) -> (Player, Player, Vec<Player>) {
    let config = Config { players: seats("hhaa"), ..Config::default() };
    let mut ann = Player::create_with(host, config, TableOptions { pause: 0, ..table.clone() });
    let mut joined = Vec::new();
    for (number, grant) in visitors.iter().enumerate() {
        let (key, _) = ann.invite(grant.clone());
        joined.push(Player::join(host, &ann.game(), Some(key), &format!("Visitor {number}")));
    }
    let (key, _) = ann.invite(seat_grant(1));
    let mut bob = Player::join(host, &ann.game(), Some(key), "Bob");
    catch_up(&mut [&mut ann, &mut bob]);
    ann.wait("the auction", |ann| ann.view().state.phase == Phase::Bidding && !ann.hand().is_empty());
    (ann, bob, joined)
}

/// Whether a player has heard a phrase that somebody else said.
fn has_heard(player: &Player, phrase: Phrase) -> bool {
    let is_it = |message: &Value| message["type"] == "SAID" && message["phrase"] == json!(phrase);
    player.heard.iter().any(|message| is_it(message) && message["requestId"].is_null())
}

fn wait_to_hear(player: &mut Player, phrase: Phrase) {
    player.wait("a phrase", |player| has_heard(player, phrase));
}

/// `SAY`, `SAID`: everybody hears a player, also who watches without an invite, and nobody at a rated table.
pub fn people_say_phrases(host: &mut dyn Host) {
    let open = TableOptions { open_to_spectators: true, ..TableOptions::default() };
    let (mut ann, mut bob, _) = in_auction(host, &open, &[]);
    let mut onlooker = Player::join(host, &ann.game(), None, "Dora");
    let said = ann.talk(Phrase::NicePlay, None);
    assert_eq!((&said["type"], &said["player"]), (&json!("SAID"), &json!(ann.client.player_id())));
    wait_to_hear(&mut bob, Phrase::NicePlay);
    wait_to_hear(&mut onlooker, Phrase::NicePlay);
    assert_eq!(bob.talk(Phrase::Thanks, None)["type"], "SAID");
    wait_to_hear(&mut ann, Phrase::Thanks);
    assert!(!has_heard(&ann, Phrase::NicePlay), "nobody hears what they say themselves");
    assert_eq!(onlooker.talk(Phrase::Hello, None)["error"]["code"], "not-allowed");
    let late = Player::join(host, &ann.game(), None, "Eli");
    assert!(late.heard.iter().all(|message| message["type"] != "SAID"), "{:?}", late.heard);

    let rated = TableOptions { rated: true, ..TableOptions::default() };
    let (mut ann, _, _) = in_auction(host, &rated, &[]);
    assert_eq!(ann.talk(Phrase::Hello, None)["error"]["reason"]["code"], "no-talk-where-it-counts");
}

/// `SAY` under the id of an earlier one, over a connection and over HTTP: nothing is said, and the answer names what was.
pub fn a_repeated_phrase_is_said_once_and_gets_the_same_answer(host: &mut dyn Host) {
    let (mut ann, mut bob, _) = in_auction(host, &TableOptions::default(), &[]);
    let game = ann.game();
    let say = |phrase| json!({ "type": "SAY", "gameId": game, "requestId": "again", "phrase": phrase });
    ann.say(&say(Phrase::Hello));
    let first = ann.next("SAID");
    assert_eq!(first["phrase"], json!(Phrase::Hello));
    for phrase in [Phrase::Hello, Phrase::Thanks] {
        ann.say(&say(phrase));
        assert_eq!(ann.next("SAID"), first);
    }
    let key = String::from(ann.client.ticket().unwrap().key.clone());
    let body = json!({ "requestId": "again", "phrase": Phrase::Thanks });
    if let Some((status, answer)) = host.request("POST", &format!("/api/games/{game}/say"), Some(&key), &body) {
        assert_eq!((status, answer), (200, first));
    }
    // The order of messages shows that Bob has missed nothing.
    ann.talk(Phrase::GoodLuck, None);
    wait_to_hear(&mut bob, Phrase::GoodLuck);
    let heard = bob.heard.iter().filter(|message| message["type"] == "SAID").map(|said| said["phrase"].clone());
    assert_eq!(heard.collect::<Vec<_>>(), [json!(Phrase::Hello), json!(Phrase::GoodLuck)]);
}

/// `SAY` of a coach, `ALLOW_COACH`.
pub fn a_coach_points_and_the_student_turns_it_off(host: &mut dyn Host) {
    let (mut ann, mut bob, mut visitors) = in_auction(host, &TableOptions::default(), &[grant(Role::Coach, Some(0))]);
    let coach = &mut visitors[0];
    let domino: Domino = ann.hand()[0];
    assert_eq!(coach.talk(Phrase::LeadThis, Some(domino))["domino"], json!(domino));
    wait_to_hear(&mut ann, Phrase::LeadThis);
    let hidden = Domino::all().find(|other| !ann.hand().contains(other)).unwrap();
    assert_eq!(coach.talk(Phrase::Look, Some(hidden))["error"]["reason"]["code"], "not-in-students-hand");

    ann.allow_coach(false);
    coach.wait("the switch", |coach| coach.view().metadata.coach_off == [ann.seat()]);
    assert_eq!(coach.talk(Phrase::Look, Some(domino))["error"]["reason"]["code"], "coach-is-off");
    // The order of messages shows that Bob has missed nothing.
    ann.talk(Phrase::Hello, None);
    wait_to_hear(&mut bob, Phrase::Hello);
    assert!(!has_heard(&bob, Phrase::LeadThis) && !has_heard(&ann, Phrase::Look));
    // It is stored.
    host.restart();
    ann.reconnect(host);
    assert_eq!(ann.view().metadata.coach_off, [ann.seat()]);
}

/// `SAY` of spectators who see hands, during a hand.
pub fn a_session_that_sees_hands_is_silent_during_a_hand(host: &mut dyn Host) {
    let open = TableOptions { open_hands: true, ..TableOptions::default() };
    let watching = |delay_hands| Grant { open_hands: true, delay_hands, ..grant(Role::Spectator, None) };
    let grants = [watching(0), watching(1), grant(Role::Admin, None), grant(Role::Spectator, None)];
    let (mut ann, mut bob, mut visitors) = in_auction(host, &open, &grants);
    for visitor in &mut visitors[..3] {
        let refused = visitor.talk(Phrase::Wow, None);
        assert_eq!(refused["error"]["reason"]["code"], "sees-hands-silent", "{refused}");
    }
    assert_eq!(visitors[3].talk(Phrase::Oops, None)["type"], "SAID", "who sees no hands may talk");
    wait_to_hear(&mut ann, Phrase::Oops);
    wait_to_hear(&mut bob, Phrase::Oops);
    assert!(!has_heard(&ann, Phrase::Wow) && !has_heard(&bob, Phrase::Wow));
    ann.talk(Phrase::Thanks, None);
    wait_to_hear(&mut visitors[0], Phrase::Thanks);
    wait_to_hear(&mut visitors[3], Phrase::Thanks);
    visitors[1].say(&json!({ "type": "PING", "nonce": 1 }));
    visitors[1].next("PONG");
    assert!(!has_heard(&visitors[1], Phrase::Thanks), "a delayed view hears nothing of the hand");
}

/// `SAY` of many sessions that joined with one invite.
pub fn the_visitors_of_a_link_cannot_silence_the_players(host: &mut dyn Host) {
    let config = Config { players: seats("haaa"), ..Config::default() };
    let mut ann = Player::create_with(host, config, TableOptions { pause: 0, ..TableOptions::default() });
    let (link, _) = ann.invite(grant(Role::Spectator, None));
    let mut crowd: Vec<Player> = (0..12)
        .map(|number| Player::join(host, &ann.game(), Some(link.clone()), &format!("Visitor {number}")))
        .collect();
    // Each of them may say three at once. Only after a minute could they say all of it.
    let replies: Vec<Value> = (0..36).map(|turn| crowd[turn % 12].talk(Phrase::Wow, None)).collect();
    let refused: Vec<&Value> = replies.iter().filter(|reply| reply["type"] == "ERROR").collect();
    assert!(!refused.is_empty() && replies[..6].iter().all(|reply| reply["type"] == "SAID"), "{replies:?}");
    assert!(refused.iter().all(|reply| reply["error"]["reason"]["code"] == "too-many-phrases"), "{refused:?}");
    assert_eq!(ann.talk(Phrase::Hello, None)["type"], "SAID");
    wait_to_hear(&mut crowd[0], Phrase::Hello);
}
