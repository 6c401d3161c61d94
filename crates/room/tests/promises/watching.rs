//! What spectators, coaches and admins may see.

use serde_json::{Value, json};
use texas42_protocol::{ErrorCode, GameView, Intent};
use texas42_room::RandomPlayer;
use texas42_vocab::{Action, Phase};

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
fn an_open_table_shows_spectators_no_hand_before_it_is_over() {
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
fn a_closed_table_rejects_spectators() {
    let mut host = Host::seated(1, json!({}), &json!({}));
    assert_eq!(code(&host.say(EVE, json!({ "type": "JOIN_GAME", "name": "Eve" }))), ErrorCode::BadKey);
    assert!(host.room.view_for(EVE).is_none());
}

#[test]
fn an_invite_can_show_open_hands() {
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
    assert!(host.view(EVE).valid_actions.is_empty(), "the actions of other players are not shown");
}

/// A spectator with a delay sees each hand as a whole, once it and enough later hands are over, and nothing of the
/// later ones.
#[test]
fn a_delayed_spectator_sees_only_whole_hands() {
    for delay in [1, 2] {
        let mut host = watched(&json!({ "role": "spectator", "openHands": true, "delayHands": delay }), 0);
        let mut random = RandomPlayer::new(4);
        assert_eq!(host.view(EVE).state.phase, Phase::Setup);
        while !host.phase().is_over() {
            let played = host.room.state().unwrap().hand_number;
            let view = host.view(EVE);
            assert_eq!(view.metadata.last_action_at, None, "the time of an action is not sent early");
            match played.checked_sub(delay) {
                None => assert_eq!(view.state.phase, Phase::Setup, "nothing is over for long enough"),
                Some(shown) => assert_eq!((view.state.hand_number, view.derived.to_act), (shown, None)),
            }
            host.step(&mut random);
        }
        assert!(host.view(EVE).state.phase.is_over());
        let received = host.sent.iter().filter(|(to, _)| *to == EVE);
        let received: Vec<Value> = received.map(|(_, message)| serde_json::to_value(message).unwrap()).collect();
        assert!(received.iter().all(|message| message.get("lastAction").is_none()), "actions are not sent either");
    }
}

/// Everybody passes until the next hand is dealt.
fn throw_in(host: &mut Host) {
    let hand = host.room.state().unwrap().hand_number;
    while host.room.state().unwrap().hand_number == hand {
        match host.choices().into_iter().find(|(_, action)| matches!(action, Action::Pass { .. })) {
            Some((connection, action)) => drop(host.act(connection, action)),
            None => host.wait(100),
        }
    }
}

/// An undo could bring its hands back into play.
#[test]
fn a_delayed_spectator_does_not_see_a_deal_that_was_thrown_in() {
    let mut host = Host::seated(2, json!({ "shaker": 3 }), &json!({ "pause": 0 }));
    let key = host.invite(&json!({ "role": "spectator", "openHands": true, "delayHands": 1 }));
    host.join(EVE, &key, json!({}));
    throw_in(&mut host);
    assert_eq!(host.view(EVE).state.phase, Phase::Setup, "nothing to see after the first hand");
    for _ in 0..2 {
        let hand = host.room.state().unwrap().hand_number;
        host.play_until(&mut RandomPlayer::new(4), |host| host.room.state().unwrap().hand_number > hand);
        assert_eq!(host.view(EVE).state.hand_number, hand);
    }
    throw_in(&mut host);
    assert_eq!(host.view(EVE).state.hand_number, 2, "the hand before is shown");
    for person in [ANN, BOB] {
        host.undo(person, 1);
    }
    assert_eq!(host.room.state().unwrap().hand_number, 0);
    assert_eq!(host.view(EVE).state.phase, Phase::Setup);
}

#[test]
fn undoing_a_score_reveals_nothing_to_a_delayed_spectator() {
    let mut host = watched(&json!({ "role": "spectator", "openHands": true, "delayHands": 2 }), 100);
    let mut random = RandomPlayer::new(4);
    host.play_until(&mut random, |host| host.room.state().unwrap().hand_number == 1);
    let acted = |stored: &&texas42_room::StoredEvent| matches!(stored.event, texas42_room::Event::Acted { .. });
    let events = host.log.iter().filter(acted).count() as u16;
    host.undo(ANN, events - 1);
    assert_eq!(host.room.state().unwrap().hand_number, 0);
    host.play_until(&mut random, |host| host.room.state().unwrap().hand_number == 1);
    assert_eq!(host.view(EVE).state.phase, Phase::Setup, "one hand is over, however often it was scored");
}

/// A bot's reason is visible only to sessions that may see it.
#[test]
fn bots_reasons_are_visible_only_to_authorized_sessions() {
    let mut host = watched(&json!({ "role": "admin" }), 10);
    let mut random = RandomPlayer::new(4);
    host.play_until(&mut random, |host| host.phase() == Phase::Playing && host.acting_bot().is_some());
    let (seat, action) = host.acting_bot().unwrap();
    host.act_with_intent(bot(seat.index()), action, "Fives are walked.");
    let shown = &host.view(EVE).derived.intents;
    assert_eq!(
        shown.iter().map(|shown| (shown.player, shown.intent.clone())).collect::<Vec<_>>(),
        [(seat, Intent::try_from("Fives are walked.").unwrap())]
    );
    for other in [ANN, bot(1), bot(2), bot(3)] {
        assert!(host.view(other).derived.intents.is_empty());
    }
    let again = host.restored(host.now);
    assert!(again.log == host.log, "and it is stored");
    let hand = host.room.state().unwrap().hand_number;
    host.play_until(&mut random, |host| host.room.state().unwrap().hand_number > hand || host.phase().is_over());
    assert!(host.view(EVE).derived.intents.is_empty(), "a new hand starts without reasons");
}

#[test]
fn bots_reasons_are_not_stored_if_nobody_may_see_them() {
    let mut host = Host::seated(1, json!({}), &json!({ "pause": 10 }));
    let mut random = RandomPlayer::new(4);
    host.play_until(&mut random, |host| host.phase() == Phase::Playing && host.acting_bot().is_some());
    let (seat, action) = host.acting_bot().unwrap();
    host.act_with_intent(bot(seat.index()), action, "Fives are walked.");
    assert!(!serde_json::to_string(&host.log).unwrap().contains("Fives"));
}

#[test]
fn intents_of_people_are_dropped() {
    let mut host = watched(&json!({ "role": "admin" }), 10);
    let mut random = RandomPlayer::new(4);
    host.play_until(&mut random, |host| {
        host.phase() == Phase::Playing && host.room.state().unwrap().to_act() == Some(seat(0))
    });
    let action = host.view(ANN).valid_actions[0].action;
    host.act_with_intent(ANN, action, "Look at me");
    assert!(!serde_json::to_string(&host.log).unwrap().contains("Look at me"));
}

#[test]
fn an_admin_sees_the_log_of_the_hand() {
    let mut host = watched(&json!({ "role": "admin" }), 10);
    let mut random = RandomPlayer::new(4);
    host.play_until(&mut random, |host| host.room.state().unwrap().hand_number == 1 && host.phase() == Phase::Playing);
    let log = &host.view(EVE).state.log;
    let first = log.first().and_then(|action| action.player());
    assert_eq!(first, Some(host.room.state().unwrap().shaker.left()), "it begins with the first call: {log:?}");
    assert!(log.len() >= 5 && host.view(ANN).state.log.is_empty());
}

#[test]
fn only_an_admin_sees_the_composition() {
    let layers = json!([{ "type": "plunge" }, { "type": "nello" }, { "type": "hints" }]);
    let config = json!({ "seed": "mayflower", "layers": layers });
    let mut host = Host::seated(1, config, &json!({ "deal": "seeded", "openHands": true, "pause": 10 }));
    let key = host.invite(&json!({ "role": "admin" }));
    host.join(EVE, &key, json!({ "name": "Eve" }));
    host.play_until(&mut RandomPlayer::new(4), |host| host.phase() == Phase::Playing);
    let composition = host.view(EVE).derived.composition.as_ref().unwrap();
    assert_eq!(composition.layers, ["base", "plunge", "nello", "hints"]);
    let decided_by = |rule: &str, case: &str| {
        let mut rulings = composition.rulings.iter();
        rulings.find(|ruling| ruling.rule == rule && ruling.case.contains(case)).map(|ruling| &*ruling.decided_by)
    };
    assert_eq!(decided_by("names trumps", "plunge"), Some("plunge"));
    assert_eq!(decided_by("sits out", "nello"), Some("nello"));
    assert_eq!(decided_by("sits out", "fives"), Some("base"));
    assert!(composition.effects.iter().any(|effect| effect.layer == "hints"));
    assert!(!serde_json::to_string(composition).unwrap().contains("mayflower"), "the seed stays hidden");
    assert!(host.view(ANN).derived.composition.is_none());
}

#[test]
fn an_admin_who_joins_early_sees_the_composition_at_the_start() {
    let mut host = Host::new(&json!({ "players": people(2) }), &json!({ "openHands": true, "pause": 10 }));
    let (admin, player) = (json!({ "role": "admin" }), json!({ "role": "player", "seat": BOB }));
    let (for_eve, for_bob) = (host.invite(&admin), host.invite(&player));
    host.join(EVE, &for_eve, json!({ "name": "Eve" }));
    assert_eq!((host.phase(), &host.view(EVE).derived.composition), (Phase::Setup, &None));
    host.join(BOB, &for_bob, json!({ "name": "Bob" }));
    host.seat_bots();
    host.play_until(&mut RandomPlayer::new(4), |host| host.phase() == Phase::Playing);
    assert!(host.view(EVE).derived.composition.is_some());
}

#[test]
fn a_result_lists_the_hands_of_the_game() {
    let mut host = Host::seated(1, json!({}), &json!({ "pause": 10 }));
    host.play_to_the_end(&mut RandomPlayer::new(6));
    let view = host.view(ANN);
    let story = &view.metadata.result.as_ref().unwrap().hands;
    let gained = |team: usize| story.iter().map(|hand| hand.gained[team]).sum::<u16>();
    assert_eq!([gained(0), gained(1)], view.state.score, "{story:?}");
    let last = view.state.last_hand.as_ref().unwrap();
    let shown = story.last().map(|hand| (hand.bidder, hand.bid, Some(hand.trump), hand.made));
    assert_eq!(shown, Some((last.contract.bidder, last.contract.bid, last.contract.trump, last.outcome.made)));
    assert_eq!(host.restored(host.now).room.fair_record(), host.room.fair_record());
}

/// The option does not help a session that asked for less than it needs to play.
#[test]
fn the_option_hints_grants_see_hints_to_people_who_play() {
    let table = json!({ "hints": true });
    let mut host = Host::new(&json!({ "layers": [{ "type": "hints" }], "players": people(3), "shaker": 3 }), &table);
    let key = host.invite(&json!({ "role": "player", "seat": 1 }));
    host.join(BOB, &key, json!({ "capabilities": [{ "type": "act-as-player", "playerIndex": 1 }] }));
    let key = host.invite(&json!({ "role": "player", "seat": 2 }));
    host.join(CID, &key, json!({}));
    host.seat_bots();
    let sees = |host: &Host| -> Vec<bool> {
        let players = host.view(ANN).players.iter();
        players.map(|player| player.capabilities.contains(&texas42_protocol::Capability::SeeHints)).collect()
    };
    assert_eq!(sees(&host), [true, false, true, false]);
    assert!(host.view(ANN).valid_actions.iter().all(|valid| valid.hint.is_some()));
    let mut restored = host.restored(host.now);
    let key = host.keys[&ANN].clone();
    restored.join(ANN, &key, json!({}));
    assert_eq!(sees(&restored), [true, false, true, false]);
}

/// A seat would have no effect, as in `CREATE_GAME`.
#[test]
fn an_invite_to_watch_names_no_seat() {
    for role in ["spectator", "admin"] {
        let mut host = Host::new(&json!({ "players": people(2) }), &json!({ "openHands": true }));
        let invite = json!({ "type": "INVITE", "requestId": "i", "grant": { "role": role, "seat": 1 } });
        let replies = host.say(ANN, invite);
        assert_eq!(error(&replies).field.as_deref(), Some("grant.seat"), "{replies:?}");
    }
}
