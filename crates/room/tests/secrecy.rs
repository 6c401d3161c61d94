//! Hidden information stays hidden: two tables that differ only in what a viewer may not see send that viewer the same
//! bytes, including the replies to every action that the viewer tries.

#![allow(clippy::unwrap_used, reason = "a failed unwrap fails the test")]

mod support;

use serde_json::{Value, json};
use support::*;
use texas42_engine::deal::{deal, hand_key};
use texas42_protocol::{ActionMessage, ClientMessage, GameView, RequestId, ServerMessage};
use texas42_room::{ConnectionId, Effect, Event, HeadlessRoom, RandomPlayer};
use texas42_vocab::{Action, Bid, BidKind, Config, Control, Deal, Domino, Hand, Phase, Seat, Trump};

const SPECTATOR: ConnectionId = 20;
const COACH: ConnectionId = 21;

/// Whose hand each connection sees.
fn viewers() -> [(ConnectionId, Option<usize>); 6] {
    let bots = [1, 2, 3].map(|seat| (bot(seat), Some(seat)));
    [(ANN, Some(0)), bots[0], bots[1], bots[2], (SPECTATOR, None), (COACH, Some(2))]
}

/// An input to one of the tables.
#[derive(Clone, Copy, Debug)]
enum Input {
    Act(ConnectionId, Action),
    Wait(u64),
}

/// Random layers. One person plays with bots, so that deals may be given.
fn config(random: &mut RandomPlayer) -> Value {
    let mut some = |names: &[&str]| -> Vec<Value> {
        names.iter().filter(|_| random.below(2) == 0).map(|name| json!({ "type": name })).collect()
    };
    let mut layers = some(&["nello", "plunge", "splash", "sevens"]);
    if layers.is_empty() {
        layers = some(&["tournament"]);
    }
    layers.extend(some(&["forced-bid", "speed", "hints", "consensus", "one-hand"]));
    json!({ "layers": layers, "shaker": random.below(4), "playOn": random.below(2) == 0 })
}

fn random_deal(random: &mut RandomPlayer) -> Deal {
    deal(&hand_key(&[3; 32], random.below(1 << 31) as u32))
}

fn table(deals: &[Deal], config: &Value) -> Host {
    let mut config = config.clone();
    config["deals"] = json!(deals);
    let mut host =
        Host::seated(1, config, &json!({ "pause": 50, "hints": true, "openToSpectators": true, "openHands": true }));
    host.say(SPECTATOR, json!({ "type": "JOIN_GAME", "name": "Eve" }));
    let key = host.invite(&json!({ "role": "coach", "seat": 2 }));
    host.join(COACH, &key, json!({ "name": "Coach" }));
    host
}

/// Plays at random and returns the inputs.
fn play(host: &mut Host, random: &mut RandomPlayer, moves: u64) -> Vec<Input> {
    let mut inputs = Vec::new();
    for _ in 0..moves {
        let choices = host.choices();
        let input = match (choices.len(), host.room.wake_at()) {
            (0, None) => break,
            (0, Some(at)) => Input::Wait(at.saturating_sub(host.now)),
            (count, _) => {
                let (connection, action) = choices[random.below(count as u64) as usize];
                Input::Act(connection, action)
            }
        };
        feed(host, input);
        inputs.push(input);
    }
    inputs
}

/// Passes an input to the table. Returns whether it was accepted.
fn feed(host: &mut Host, input: Input) -> bool {
    match input {
        Input::Wait(time) => host.wait(time),
        Input::Act(connection, action) => {
            let replies = host.act(connection, action);
            return !replies.iter().any(|message| matches!(message, ServerMessage::Error { .. }));
        }
    }
    true
}

/// All public actions, with their times.
fn public_actions(host: &Host) -> Vec<(u64, Action)> {
    let acted = |stored: &texas42_room::StoredEvent| match stored.event {
        Event::Acted { action, .. } => Some((stored.at, action)),
        _ => None,
    };
    host.log.iter().filter_map(acted).collect()
}

/// Deals that the viewer cannot distinguish from the real ones: hidden dominoes of this hand are dealt to other seats,
/// and later hands are arbitrary. `None` if all hands are open.
fn redealt(host: &Host, deals: &[Deal], sees: Option<usize>, random: &mut RandomPlayer) -> Option<Vec<Deal>> {
    let state = host.room.state().unwrap();
    let number = state.hand_number as usize;
    if number >= deals.len() || state.phase == Phase::Scoring || state.phase.is_over() {
        return None;
    }
    let hidden: Vec<usize> = (0..4).filter(|seat| Some(*seat) != sees).collect();
    let mut unseen: Vec<Domino> = hidden.iter().flat_map(|seat| state.hands[*seat]).collect();
    for last in (1..unseen.len()).rev() {
        unseen.swap(last, random.below(last as u64 + 1) as usize);
    }
    let mut unseen = unseen.into_iter();
    let mut others = deals.to_vec();
    for seat in hidden {
        let held = state.hands[seat];
        let played = deals[number][seat] - held;
        others[number][seat] = played | unseen.by_ref().take(held.len()).collect::<Hand>();
    }
    others[number + 1..].iter_mut().for_each(|later| *later = random_deal(random));
    (others != deals).then_some(others)
}

/// Whether the same actions are legal with other deals.
fn is_possible(host: &Host, deals: &[Deal], config: &Value) -> bool {
    let mut config: Config = serde_json::from_value(config.clone()).unwrap();
    config.players = [Control::Human, Control::Ai, Control::Ai, Control::Ai];
    config.deals = deals.to_vec();
    let actions: Vec<Action> = public_actions(host).into_iter().map(|(_, action)| action).collect();
    HeadlessRoom::replay(&config, &actions).is_ok()
}

/// A table with other deals and the same public actions, if they are possible there.
fn twin(host: &Host, deals: &[Deal], config: &Value, inputs: &[Input]) -> Option<Host> {
    let mut other = table(deals, config);
    let takes_all = inputs.iter().all(|input| feed(&mut other, *input));
    (takes_all && public_actions(&other) == public_actions(host)).then_some(other)
}

fn received(host: &Host, viewer: ConnectionId) -> Vec<String> {
    let to_viewer = host.sent.iter().filter(|(to, _)| *to == viewer);
    to_viewer.map(|(_, message)| serde_json::to_string(message).unwrap()).collect()
}

/// All actions that a viewer can try without changing anything: every action that is not offered to it.
fn rejected_actions(host: &Host, viewer: ConnectionId) -> Vec<Action> {
    let mut all = vec![Action::CompleteTrick, Action::ScoreHand, Action::Redeal, Action::EndGame];
    for player in Seat::ALL {
        all.extend([Action::Pass { player }, Action::AgreeCompleteTrick { player }, Action::Claim { player }]);
        all.extend([Action::AgreeScoreHand { player }, Action::SetControl { player, control_type: Control::Ai }]);
        for (kind, values) in [(BidKind::Points, 29..44), (BidKind::Marks, 0..9)] {
            all.extend(values.map(|value| Action::Bid { player, bid: Bid { kind, value } }));
        }
        for kind in [BidKind::Plunge, BidKind::Splash] {
            all.extend((2..7).map(|value| Action::Bid { player, bid: Bid { kind, value } }));
        }
        all.extend(Trump::ALL.map(|trump| Action::SelectTrump { player, trump }));
        all.extend(Domino::all().map(|domino| Action::Play { player, domino }));
    }
    let offered: Vec<Action> = host.view(viewer).valid_actions.iter().map(|valid| valid.action).collect();
    all.retain(|action| !offered.contains(action));
    all
}

/// The reply to an input that changes nothing.
fn answer(host: &mut Host, viewer: ConnectionId, action: Action) -> String {
    let (game_id, version) = (host.room.id().clone(), host.version());
    let request_id = RequestId::try_from("tried").unwrap();
    let message =
        ClientMessage::ExecuteAction { game_id, request_id, version, action: ActionMessage(action), intent: None };
    host.room.handle_message(host.now, viewer, message);
    let mut answer = String::new();
    while let Some(Effect::Send { to, message }) = host.room.poll_effect() {
        assert_eq!(to, viewer, "only the sender gets a reply");
        answer += &serde_json::to_string(&message).unwrap();
    }
    assert_eq!(host.version(), version, "{action} changes something");
    answer
}

/// Compares two tables for one viewer: all messages, and the replies to everything that can be tried.
fn assert_alike(one: &mut Host, other: &mut Host, viewer: ConnectionId, about: &str) {
    assert_eq!(received(one, viewer), received(other, viewer), "{about}");
    for action in rejected_actions(one, viewer) {
        let [first, second] = [&mut *one, &mut *other].map(|host| answer(host, viewer, action));
        assert_eq!(first, second, "{about}: {action}");
    }
    let [first, second] = [&*one, &*other].map(|host| serde_json::to_string(host.view(viewer)).unwrap());
    assert_eq!(first, second, "{about}");
}

#[test]
fn views_do_not_depend_on_hidden_information() {
    let mut compared = [0; 6];
    for seed in 0..30 {
        let mut random = RandomPlayer::new(seed);
        let config = config(&mut random);
        let deals = [random_deal(&mut random), random_deal(&mut random)];
        let mut host = table(&deals, &config);
        let moves = random.below(60);
        let inputs = play(&mut host, &mut random, moves);
        for (number, (viewer, sees)) in viewers().into_iter().enumerate() {
            // A play can show that a seat lacks a suit, so not every deal is possible.
            let others = (0..60).filter_map(|_| redealt(&host, &deals, sees, &mut random));
            let possible = others.filter(|other| is_possible(&host, other, &config)).take(2);
            let twins: Vec<Host> = possible.filter_map(|other| twin(&host, &other, &config, &inputs)).take(1).collect();
            for mut other in twins {
                assert_alike(&mut host, &mut other, viewer, &format!("seed {seed}, connection {viewer}, {config}"));
                compared[number] += 1;
            }
        }
    }
    println!("twins compared, by viewer: {compared:?}");
    assert!(compared.iter().all(|count| *count >= 15), "{compared:?}");
}

/// Whether everything in a view without a seat is also in the view of a seat.
fn contained(seatless: &GameView, seat: &GameView) -> bool {
    let hands = seatless.state.players.iter().zip(&seat.state.players);
    let mut hands =
        hands.map(|(one, other)| one.hand_count == other.hand_count && (one.hand.is_empty() || one.hand == other.hand));
    let open = |view: &GameView| {
        let mut state = view.state.clone();
        state.players.iter_mut().for_each(|player| player.hand = Hand::EMPTY);
        let mut derived = view.derived.clone();
        derived.blocked.clear();
        (state, derived, view.players.clone(), view.metadata.clone())
    };
    hands.all(|alike| alike) && open(seatless) == open(seat) && seatless.valid_actions.is_empty()
}

#[test]
fn a_spectators_view_is_contained_in_every_seats_view() {
    for seed in 0..30 {
        let mut random = RandomPlayer::new(seed);
        let config = config(&mut random);
        let mut host = table(&[], &config);
        for _ in 0..80 {
            play(&mut host, &mut random, 1);
            for (viewer, _) in viewers() {
                assert!(contained(host.view(SPECTATOR), host.view(viewer)), "seed {seed}: {viewer}");
            }
        }
    }
}
