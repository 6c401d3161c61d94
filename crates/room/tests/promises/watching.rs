//! Watching, in ways that cannot be used to cheat.

use serde_json::{Value, json};
use texas42_protocol::{ErrorCode, GameView};
use texas42_room::RandomPlayer;
use texas42_vocab::Phase;

use crate::support::*;

fn dominoes_shown(view: &GameView) -> usize {
    view.state.players.iter().map(|player| player.hand.len()).sum()
}

fn watched(grant: &Value, pause: u16) -> Host {
    let mut host = Host::seated(1, json!({}), &json!({ "pause": pause, "openHands": true }));
    let key = host.invite(grant);
    host.join(EVE, &key, json!({ "name": "Eve" }));
    host
}

#[test]
fn an_open_table_shows_visitors_no_hand_before_it_is_over() {
    let mut host = Host::seated(1, json!({}), &json!({ "openToSpectators": true, "pause": 10 }));
    host.say(EVE, json!({ "type": "JOIN_GAME", "name": "Eve" }));
    let mut random = RandomPlayer::new(1);
    let mut open = 0;
    while !host.phase().is_over() {
        let view = host.view(EVE);
        let is_over = view.state.phase == Phase::Scoring;
        assert!(is_over || dominoes_shown(view) == 0, "{:?}", view.state);
        assert!(view.valid_actions.is_empty() && view.derived.blocked.is_empty());
        open += usize::from(is_over);
        host.step(&mut random);
    }
    assert!(open > 0, "once the hand is over, everybody sees it");
}

#[test]
fn a_closed_table_shows_visitors_nothing() {
    let mut host = Host::seated(1, json!({}), &json!({}));
    assert_eq!(code(&host.say(EVE, json!({ "type": "JOIN_GAME", "name": "Eve" }))), ErrorCode::BadKey);
    assert!(host.room.view_for(EVE).is_none());
}

#[test]
fn hands_are_open_where_the_invitation_says_so() {
    let host = watched(&json!({ "role": "spectator", "openHands": true }), 0);
    assert_eq!(dominoes_shown(host.view(EVE)), 28);
    assert!(host.view(EVE).valid_actions.is_empty());
}

#[test]
fn a_coach_sees_one_hand() {
    let host = watched(&json!({ "role": "coach", "seat": 2 }), 0);
    assert_eq!(dominoes_shown(host.view(EVE)), 7);
    assert_eq!(host.view(EVE).state.players[2].hand.len(), 7);
}

#[test]
fn a_coach_sees_the_hints_for_the_student_and_cannot_act() {
    let mut host = Host::seated(1, json!({ "layers": [{ "type": "hints" }], "shaker": 3 }), &json!({}));
    let key = host.invite(&json!({ "role": "coach", "seat": 0 }));
    host.join(EVE, &key, json!({}));
    let offered = host.view(EVE).valid_actions.clone();
    assert!(!offered.is_empty() && offered.iter().all(|valid| valid.hint.is_some()), "{offered:?}");
    assert_eq!(code(&host.act(EVE, offered[0].action)), ErrorCode::NotAllowed);
    host.act(ANN, offered[0].action);
    assert!(host.view(EVE).valid_actions.is_empty(), "what others are offered is not shown");
}

/// Who is some hands behind sees each hand whole, when it is over and so many more are, and nothing of the later ones.
#[test]
fn who_is_behind_sees_whole_hands_late_and_nothing_earlier() {
    for delay in [1, 2] {
        let mut host = watched(&json!({ "role": "spectator", "openHands": true, "delayHands": delay }), 0);
        let mut random = RandomPlayer::new(4);
        assert_eq!(host.view(EVE).state.phase, Phase::Setup);
        while !host.phase().is_over() {
            let played = host.room.state().unwrap().hand_number;
            let view = host.view(EVE);
            match played.checked_sub(delay) {
                None => assert_eq!(view.state.phase, Phase::Setup, "nothing is over for long enough"),
                Some(shown) => assert_eq!((view.state.hand_number, view.derived.to_act), (shown, None)),
            }
            host.step(&mut random);
        }
        assert!(host.view(EVE).state.phase.is_over());
        let told = host.sent.iter().filter(|(to, _)| *to == EVE);
        let told: Vec<Value> = told.map(|(_, message)| serde_json::to_value(message).unwrap()).collect();
        assert!(told.iter().all(|message| message.get("lastAction").is_none()), "nor what was just done");
    }
}

#[test]
fn taking_back_a_score_shows_nothing_earlier_to_who_is_behind() {
    let mut host = watched(&json!({ "role": "spectator", "openHands": true, "delayHands": 2 }), 100);
    let mut random = RandomPlayer::new(4);
    host.play_until(&mut random, |host| host.room.state().unwrap().hand_number == 1);
    let acted = |stored: &&texas42_room::Stored| matches!(stored.event, texas42_room::Event::Acted { .. });
    let events = host.log.iter().filter(acted).count() as u16;
    host.undo(ANN, events - 1);
    assert_eq!(host.room.state().unwrap().hand_number, 0);
    host.play_until(&mut random, |host| host.room.state().unwrap().hand_number == 1);
    assert_eq!(host.view(EVE).state.phase, Phase::Setup, "one hand is over, however often it was scored");
}
