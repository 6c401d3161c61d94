//! Phrases: who may say what when, and who hears it.

use serde_json::{Value, json};
use texas42_phrases::{Phrase, Problem, Reason};
use texas42_protocol::{ErrorCode, ServerMessage, WireError};
use texas42_room::{ConnectionId, RandomPlayer};
use texas42_vocab::{Domino, Phase};

use crate::support::*;

/// More connections, named after what they may see.
const COACH: ConnectionId = 20;
const SPECTATOR: ConnectionId = 21;
const STRANGER: ConnectionId = 22;
const OPEN: ConnectionId = 23;
const DELAYED: ConnectionId = 24;
const ADMIN: ConnectionId = 25;

/// How long somebody who talked too much has to wait, and how many phrases are allowed at once.
const PHRASE_TIME: u64 = 2_000;
const BURST: usize = 3;

/// A table in its first auction, with everybody that a table with open hands can have: Ann and her coach, Bob, bots, and
/// spectators of each kind.
fn full_table() -> Host {
    let table = json!({ "openHands": true, "openToSpectators": true, "pause": 10_000 });
    let mut host = Host::seated(2, json!({ "shaker": 3 }), &table);
    for (connection, grant) in [
        (COACH, json!({ "role": "coach", "seat": 0 })),
        (SPECTATOR, json!({ "role": "spectator" })),
        (OPEN, json!({ "role": "spectator", "openHands": true })),
        (DELAYED, json!({ "role": "spectator", "openHands": true, "delayHands": 1 })),
        (ADMIN, json!({ "role": "admin" })),
    ] {
        let key = host.invite(&grant);
        host.join(connection, &key, json!({}));
    }
    host.say(STRANGER, json!({ "type": "JOIN_GAME", "name": "Stranger" }));
    assert_eq!(host.phase(), Phase::Bidding);
    host
}

/// Says a phrase once there is time for it, and returns the replies.
fn say(host: &mut Host, from: ConnectionId, phrase: Phrase, domino: Option<Domino>) -> Vec<ServerMessage> {
    host.now += PHRASE_TIME;
    say_at_once(host, from, phrase, domino)
}

fn say_at_once(host: &mut Host, from: ConnectionId, phrase: Phrase, domino: Option<Domino>) -> Vec<ServerMessage> {
    let request = host.fresh_request_id();
    let mut message = json!({ "type": "SAY", "requestId": request, "phrase": phrase });
    if let Some(domino) = domino {
        message["domino"] = json!(domino);
    }
    host.say(from, message)
}

fn problem(replies: &[ServerMessage]) -> Problem {
    match error(replies).reason.as_deref() {
        Some(Reason::Request(problem)) => problem.clone(),
        other => panic!("{other:?}"),
    }
}

/// Who receives anything when somebody says a phrase, apart from the reply.
fn listeners(host: &mut Host, from: ConnectionId, phrase: Phrase, domino: Option<Domino>) -> Vec<ConnectionId> {
    let since = host.sent.len();
    let replies = say(host, from, phrase, domino);
    assert!(matches!(replies[..], [ServerMessage::Said { request_id: Some(_), .. }]), "{replies:?}");
    let others = host.sent[since..].iter().filter(|(to, _)| *to != from);
    let heard = |message: &ServerMessage| match message {
        ServerMessage::Said { request_id: None, phrase: heard, domino: pointed, .. } => {
            *heard == phrase && *pointed == domino
        }
        _ => false,
    };
    let mut to: Vec<ConnectionId> = others
        .map(|(to, message)| {
            assert!(heard(message), "{message:?}");
            *to
        })
        .collect();
    to.sort_unstable();
    to
}

fn allow_coach(host: &mut Host, from: ConnectionId, allowed: bool) -> Vec<ServerMessage> {
    host.now += PHRASE_TIME;
    let request = host.fresh_request_id();
    host.say(from, json!({ "type": "ALLOW_COACH", "requestId": request, "allowed": allowed }))
}

fn hand(host: &Host, from: ConnectionId, seat: usize) -> Vec<Domino> {
    host.view(from).state.players[seat].hand.into_iter().collect()
}

#[test]
fn a_phrase_reaches_every_person_whose_view_is_not_delayed() {
    let mut host = full_table();
    assert_eq!(listeners(&mut host, ANN, Phrase::Hello, None), [BOB, COACH, SPECTATOR, STRANGER, OPEN, ADMIN]);
    assert_eq!(listeners(&mut host, SPECTATOR, Phrase::Wow, None), [ANN, BOB, COACH, STRANGER, OPEN, ADMIN]);
}

#[test]
fn the_listeners_learn_who_says_it() {
    let mut host = full_table();
    let since = host.sent.len();
    say(&mut host, BOB, Phrase::GoodLuck, None);
    let bob = host.view(ANN).players.iter().find(|player| player.name.as_str() == "Bob").unwrap().player_id.clone();
    let heard = host.messages_since(since, ANN);
    assert!(matches!(&heard[..], [ServerMessage::Said { player, .. }] if *player == bob), "{heard:?}");
}

#[test]
fn a_phrase_is_kept_nowhere() {
    let mut host = full_table();
    let (log, views) = (host.log.clone(), [ANN, BOB, SPECTATOR].map(|by| host.view(by).clone()));
    say(&mut host, ANN, Phrase::Oops, None);
    assert_eq!(host.log, log);
    assert_eq!([ANN, BOB, SPECTATOR].map(|by| host.view(by).clone()), views);
    let key = host.keys[&BOB].clone();
    host.disconnect(BOB);
    say(&mut host, ANN, Phrase::HurryUp, None);
    let back = host.join(BOB, &key, json!({}));
    assert_eq!(tags(&back), ["JOINED"], "those who come later do not hear it");
}

/// In every phase with hidden hands, and with every phrase for everybody.
#[test]
fn a_session_that_sees_hands_is_silent_during_a_hand() {
    let mut host = full_table();
    let mut random = RandomPlayer::new(3);
    for phase in [Phase::Bidding, Phase::TrumpSelection, Phase::Playing] {
        host.play_until(&mut random, |host| host.phase() == phase);
        for from in [OPEN, DELAYED, ADMIN] {
            for phrase in Phrase::offered(false) {
                assert_eq!(problem(&say(&mut host, from, phrase, None)), Problem::SeesHandsSilent, "{from} {phrase:?}");
            }
        }
        assert_eq!(listeners(&mut host, ANN, Phrase::Laugh, None).len(), 6, "the players go on talking");
    }
    host.play_until(&mut random, |host| host.phase() == Phase::Scoring);
    for from in [OPEN, DELAYED, ADMIN] {
        assert!(listeners(&mut host, from, Phrase::NicePlay, None).contains(&ANN), "{from}");
    }
}

/// A bot's intent tells about its hand.
#[test]
fn an_admin_who_sees_only_what_bots_intend_is_silent_during_a_hand() {
    let mut host = Host::seated(2, json!({ "shaker": 3 }), &json!({ "openHands": true }));
    let key = host.invite(&json!({ "role": "admin" }));
    host.join(ADMIN, &key, json!({ "capabilities": [{ "type": "see-ai-intent" }] }));
    assert_eq!(problem(&say(&mut host, ADMIN, Phrase::Hello, None)), Problem::SeesHandsSilent);
}

#[test]
fn somebody_who_waits_for_the_next_deal_is_silent_until_then() {
    let table = json!({ "openHands": true, "pause": 10_000 });
    let mut host = Host::seated(1, json!({ "shaker": 3 }), &table);
    let key = host.invite(&json!({ "role": "player", "seat": 1 }));
    host.join(BOB, &key, json!({ "name": "Bob" }));
    assert!(host.view(BOB).players.iter().any(|player| player.waits_for_deal), "{:?}", host.view(BOB).players);
    assert_eq!(problem(&say(&mut host, BOB, Phrase::Hello, None)), Problem::SeesHandsSilent);
    assert_eq!(listeners(&mut host, ANN, Phrase::Hello, None), [BOB]);
    host.play_until(&mut RandomPlayer::new(1), |host| host.phase() == Phase::Scoring);
    assert_eq!(listeners(&mut host, BOB, Phrase::Hello, None), [ANN]);
}

#[test]
fn what_a_coach_says_reaches_the_student_alone() {
    let mut host = full_table();
    for phrase in Phrase::offered(true) {
        assert_eq!(listeners(&mut host, COACH, phrase, None), [ANN], "{phrase:?}");
    }
    for phrase in Phrase::pointing() {
        let domino = hand(&host, ANN, 0)[0];
        assert_eq!(listeners(&mut host, COACH, phrase, Some(domino)), [ANN], "{phrase:?}");
    }
    host.play_until(&mut RandomPlayer::new(3), |host| host.phase() == Phase::Scoring);
    assert_eq!(listeners(&mut host, COACH, Phrase::NicePlay, None), [ANN], "between hands, too");
}

#[test]
fn a_coach_points_only_at_dominoes_of_the_students_hand() {
    let mut host = full_table();
    let own = hand(&host, ANN, 0);
    for domino in Domino::all() {
        let replies = say(&mut host, COACH, Phrase::Look, Some(domino));
        match own.contains(&domino) {
            true => assert!(matches!(replies[..], [ServerMessage::Said { .. }]), "{domino}: {replies:?}"),
            false => assert_eq!(problem(&replies), Problem::NotInStudentsHand, "{domino}"),
        }
    }
}

#[test]
fn only_a_phrase_that_points_names_a_domino_and_only_a_coach_points() {
    let mut host = full_table();
    let domino = hand(&host, ANN, 0)[0];
    for phrase in Phrase::ALL {
        let wrong = if phrase.points() { None } else { Some(domino) };
        for from in [ANN, COACH, SPECTATOR, OPEN] {
            assert_eq!(problem(&say(&mut host, from, *phrase, wrong)), Problem::PhraseOfCoaches, "{from} {phrase:?}");
        }
        if phrase.kind().is_for_coaches() {
            let right = phrase.points().then_some(domino);
            for from in [ANN, BOB, SPECTATOR, OPEN, DELAYED, ADMIN] {
                let problem = problem(&say(&mut host, from, *phrase, right));
                assert_eq!(problem, Problem::PhraseOfCoaches, "{from} {phrase:?}");
            }
        }
    }
}

/// The person only watches meanwhile, and a domino that a coach points at would be one that the person does not see.
#[test]
fn a_coach_is_silent_while_a_bot_plays_for_the_student() {
    let mut host = full_table();
    let domino = hand(&host, COACH, 0)[0];
    host.set_control(ANN, 0, "ai");
    host.seat_bots();
    for (phrase, domino) in [(Phrase::Look, Some(domino)), (Phrase::Bid, None)] {
        assert_eq!(problem(&say(&mut host, COACH, phrase, domino)), Problem::StudentAway);
    }
    host.set_control(ANN, 0, "human");
    assert_eq!(listeners(&mut host, COACH, Phrase::Look, Some(domino)), [ANN]);
    host.disconnect(ANN);
    assert_eq!(problem(&say(&mut host, COACH, Phrase::Look, Some(domino))), Problem::StudentAway);
}

#[test]
fn a_student_turns_the_coach_off_and_on() {
    let mut host = full_table();
    let domino = hand(&host, ANN, 0)[0];
    let replies = allow_coach(&mut host, ANN, false);
    assert_eq!(ack(&replies), Some(host.version()));
    assert_eq!(host.view(COACH).metadata.coach_off, [seat(0)], "the coach sees it");
    for (phrase, domino) in [(Phrase::Look, Some(domino)), (Phrase::Bid, None), (Phrase::Hello, None)] {
        assert_eq!(problem(&say(&mut host, COACH, phrase, domino)), Problem::CoachIsOff);
    }
    assert_eq!(problem(&allow_coach(&mut host, ANN, false)), Problem::CoachAlready);
    assert_eq!(listeners(&mut host, BOB, Phrase::Hello, None), [ANN, COACH, SPECTATOR, STRANGER, OPEN, ADMIN]);
    allow_coach(&mut host, ANN, true);
    assert!(host.view(COACH).metadata.coach_off.is_empty());
    assert_eq!(listeners(&mut host, COACH, Phrase::Look, Some(domino)), [ANN]);
}

#[test]
fn the_wish_to_play_without_a_coach_outlives_the_host_and_ends_with_the_student() {
    let mut host = full_table();
    allow_coach(&mut host, BOB, false);
    let mut restored = host.restored(host.now);
    let (ann, bob) = (host.keys[&ANN].clone(), host.keys[&BOB].clone());
    restored.join(ANN, &ann, json!({}));
    restored.join(BOB, &bob, json!({}));
    assert_eq!(restored.view(BOB).metadata.coach_off, [seat(1)]);
    restored.say(BOB, json!({ "type": "GIVE_UP_SEAT", "requestId": "gone" }));
    assert!(restored.view(ANN).metadata.coach_off.is_empty(), "the next player decides anew");
}

#[test]
fn only_players_decide_about_their_coach() {
    let mut host = full_table();
    for from in [COACH, SPECTATOR, OPEN, ADMIN, bot(2)] {
        assert_eq!(problem(&allow_coach(&mut host, from, false)), Problem::OnlyPlayersAllowCoach, "{from}");
    }
}

#[test]
fn nobody_talks_at_a_rated_table() {
    let mut host = Host::seated(2, json!({}), &json!({ "rated": true }));
    for phrase in Phrase::offered(false) {
        assert_eq!(problem(&say(&mut host, ANN, phrase, None)), Problem::NoTalkWhereItCounts);
    }
}

#[test]
fn bots_neither_talk_nor_listen() {
    let mut host = Host::seated(1, json!({ "shaker": 3 }), &json!({}));
    let key = host.invite(&json!({ "role": "ai", "seat": 2 }));
    host.join(EVE, &key, json!({ "name": "Program" }));
    for from in [bot(1), EVE] {
        let replies = say(&mut host, from, Phrase::Hello, None);
        assert!(error(&replies).code != ErrorCode::Full, "{replies:?}");
        assert_eq!(problem(&replies), Problem::BotsAreSilent);
    }
    assert!(listeners(&mut host, ANN, Phrase::Hello, None).is_empty());
}

#[test]
fn a_spectator_without_a_session_says_nothing() {
    let mut host = full_table();
    assert_eq!(problem(&say(&mut host, STRANGER, Phrase::Hello, None)), Problem::OnlyWatches);
}

#[test]
fn a_few_phrases_at_once_and_then_one_every_two_seconds() {
    let mut host = full_table();
    host.now += 60_000;
    for _ in 0..BURST {
        assert_eq!(tags(&say_at_once(&mut host, ANN, Phrase::Thanks, None)), ["SAID"]);
    }
    let refused = |host: &mut Host| {
        let replies = say_at_once(host, ANN, Phrase::Thanks, None);
        let WireError { code, .. } = error(&replies);
        // A client repeats what is refused with `rate-limited`.
        assert_eq!((*code, problem(&replies)), (ErrorCode::Refused, Problem::SpokeTooOften));
    };
    refused(&mut host);
    assert_eq!(tags(&say_at_once(&mut host, BOB, Phrase::Thanks, None)), ["SAID"], "the limit is each person's own");
    host.now += PHRASE_TIME - 1;
    refused(&mut host);
    host.now += 1;
    assert_eq!(tags(&say_at_once(&mut host, ANN, Phrase::Thanks, None)), ["SAID"]);
    refused(&mut host);
    // A clock that is set back gives no more time.
    host.now = 0;
    refused(&mut host);
}

/// Many sessions with one link say no more than a few, and neither players nor visitors of others wait for them.
#[test]
fn the_visitors_of_an_invite_share_an_allowance() {
    let mut host = full_table();
    let link = host.invite(&json!({ "role": "spectator" }));
    let crowd: Vec<ConnectionId> = (100..120).collect();
    for visitor in &crowd {
        host.join(*visitor, &link, json!({}));
    }
    host.now += 60_000;
    let mut said = 0;
    let replies: Vec<Problem> = crowd
        .iter()
        .filter_map(|visitor| {
            let replies = say_at_once(&mut host, *visitor, Phrase::Wow, None);
            if tags(&replies) == ["SAID"] {
                said += 1;
                return None;
            }
            Some(problem(&replies))
        })
        .collect();
    assert_eq!((said, replies), (6, vec![Problem::TooManyPhrases; 14]));
    for other in [ANN, BOB, COACH, SPECTATOR] {
        assert_eq!(tags(&say_at_once(&mut host, other, Phrase::Hello, None)), ["SAID"], "{other}");
    }
    host.now += 1_999;
    assert_eq!(problem(&say_at_once(&mut host, 119, Phrase::Wow, None)), Problem::TooManyPhrases);
    host.now += 1;
    assert_eq!(tags(&say_at_once(&mut host, 119, Phrase::Wow, None)), ["SAID"], "a refused request costs nothing");
}

#[test]
fn who_joins_again_cannot_say_more() {
    let mut host = full_table();
    let link = host.invite(&json!({ "role": "spectator" }));
    host.now += 60_000;
    let mut said = 0;
    for number in 0..20 {
        host.join(100, &link, json!({ "name": format!("Visitor {number}") }));
        said += usize::from(tags(&say_at_once(&mut host, 100, Phrase::Wow, None)) == ["SAID"]);
        host.say(100, json!({ "type": "LEAVE_GAME" }));
    }
    assert_eq!(said, 6);
}

#[test]
fn who_takes_the_seat_again_cannot_say_more() {
    let mut host = Host::new(&json!({ "players": people(4) }), &json!({}));
    let link = host.invite(&json!({ "role": "player", "seat": 1, "uses": 20 }));
    let mut said = 0;
    for _ in 0..10 {
        host.join(BOB, &link, json!({ "name": "Bob" }));
        said += usize::from(tags(&say_at_once(&mut host, BOB, Phrase::Wow, None)) == ["SAID"]);
        host.say(BOB, json!({ "type": "GIVE_UP_SEAT" }));
    }
    assert_eq!(said, BURST);
}

/// Visitors with several invites together do not talk without pause.
#[test]
fn all_visitors_of_a_table_share_an_allowance() {
    let mut host = full_table();
    let mut said = 0;
    host.now += 60_000;
    for link in 0..4 {
        let key = host.invite(&json!({ "role": "spectator" }));
        for visitor in 0..6 {
            let connection = 100 + link * 10 + visitor;
            host.join(connection, &key, json!({}));
            said += usize::from(tags(&say_at_once(&mut host, connection, Phrase::Wow, None)) == ["SAID"]);
        }
    }
    assert_eq!(said, 12);
    assert_eq!(tags(&say_at_once(&mut host, ANN, Phrase::Hello, None)), ["SAID"]);
}

/// The coaches of one student reach the student alone, and do not use up what others may say.
#[test]
fn the_coaches_of_a_student_share_an_allowance() {
    let mut host = full_table();
    let coaches = [COACH, 30, 31, 32];
    for coach in &coaches[1..] {
        let key = host.invite(&json!({ "role": "coach", "seat": 0 }));
        host.join(*coach, &key, json!({}));
    }
    host.now += 60_000;
    let mut said = 0;
    for coach in coaches {
        for _ in 0..BURST {
            said += usize::from(tags(&say_at_once(&mut host, coach, Phrase::Bid, None)) == ["SAID"]);
        }
    }
    assert_eq!(said, 6);
    assert_eq!(tags(&say_at_once(&mut host, SPECTATOR, Phrase::Hello, None)), ["SAID"]);
}

/// However long a hand takes.
#[test]
fn a_student_turns_the_coach_off_and_on_forty_times_in_a_hand() {
    let mut host = full_table();
    for number in 0..40 {
        assert!(ack(&allow_coach(&mut host, ANN, number % 2 == 1)).is_some(), "{number}");
    }
    let replies = allow_coach(&mut host, ANN, false);
    assert_eq!((code(&replies), problem(&replies)), (ErrorCode::Full, Problem::CoachSwitchedTooOften));
    assert!(ack(&allow_coach(&mut host, BOB, false)).is_some(), "the limit is each person's own");
    host.play_until(&mut RandomPlayer::new(3), |host| host.room.state().unwrap().hand_number == 1);
    assert!(ack(&allow_coach(&mut host, ANN, false)).is_some(), "the next hand has its own limit");
}

/// Otherwise a player could fill the log.
#[test]
fn a_student_changes_the_mind_as_often_as_others_talk() {
    let mut host = full_table();
    host.now += 60_000;
    let mut change = |allowed: bool, request: &str| {
        host.say(ANN, json!({ "type": "ALLOW_COACH", "requestId": request, "allowed": allowed }))
    };
    for number in 0..BURST {
        assert!(ack(&change(number % 2 == 1, &format!("c{number}"))).is_some());
    }
    assert_eq!(problem(&change(BURST % 2 == 1, "more")), Problem::SpokeTooOften);
    assert!(ack(&change(false, "c0")).is_some(), "a repeated request gets its reply again");
}

#[test]
fn a_repeated_request_is_said_once() {
    let mut host = full_table();
    let request = json!({ "type": "SAY", "requestId": "once", "phrase": "good-game" });
    host.now += PHRASE_TIME;
    let since = host.sent.len();
    let replies: Vec<Value> = (0..3).flat_map(|_| host.say(ANN, request.clone())).map(|reply| json!(reply)).collect();
    assert_eq!((replies.len(), &replies[0]["type"]), (3, &json!("SAID")), "{replies:?}");
    assert!(replies.iter().all(|reply| *reply == replies[0]), "{replies:?}");
    let changed = host.say(ANN, json!({ "type": "SAY", "requestId": "once", "phrase": "thanks" }));
    assert_eq!(json!(changed), json!([replies[0]]), "the reply names what was said");
    assert_eq!(host.messages_since(since, BOB).len(), 1);
}

/// A client whose connection was lost repeats everything that was not answered.
#[test]
fn an_older_request_is_not_said_again_either() {
    let mut host = full_table();
    let requests: Vec<Value> = (0..32)
        .map(|number| json!({ "type": "SAY", "requestId": format!("s{number}"), "phrase": "good-game" }))
        .collect();
    let say = |host: &mut Host, request: &Value| {
        host.now += PHRASE_TIME;
        host.say(ANN, request.clone())
    };
    let first: Vec<_> = requests.iter().map(|request| say(&mut host, request)).collect();
    let since = host.sent.len();
    let again: Vec<_> = requests.iter().map(|request| say(&mut host, request)).collect();
    assert_eq!(json!(again), json!(first));
    assert!(host.messages_since(since, BOB).is_empty());
}

#[test]
fn somebody_who_does_not_follow_the_table_hears_nothing() {
    let mut host = full_table();
    host.say(BOB, json!({ "type": "UNSUBSCRIBE" }));
    assert!(!listeners(&mut host, ANN, Phrase::Hello, None).contains(&BOB));
    assert_eq!(tags(&say(&mut host, BOB, Phrase::Hello, None)), ["SAID"], "and is answered");
}
