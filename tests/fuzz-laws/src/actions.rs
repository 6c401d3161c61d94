//! For any table and any sequence of actions: exactly the legal actions are accepted, a refused action changes nothing,
//! the dominoes remain a complete set, hidden dominoes do not affect a seat's view, and the log replays to the same
//! state.

use texas42_engine::State;
use texas42_kernel::{TableMetadata, Viewer, view};
use texas42_room::{HeadlessRoom, RandomPlayer};
use texas42_vocab::{Action, Control, Domino, Hand, Phase, Seat};

use crate::{choices::Choices, inputs};

/// Checks the law for the table and the actions encoded in `data`.
pub fn actions_apply_exactly_when_legal(data: &[u8]) {
    let mut choices = Choices::new(data);
    let config = choices.config();
    let Ok(mut room) = HeadlessRoom::new(&config) else { return };
    while !choices.is_empty() {
        let action = choices.action(&room);
        check_action(&mut room, action);
        if choices.below(8) == 0 {
            check_views(&room, choices.below(21).into());
        }
    }
    let again = HeadlessRoom::replay(&config, room.game().log()).expect("the log of a game replays");
    assert_eq!(again.state(), room.state());
    assert!(room.game().verify_snapshots());
}

fn check_action(room: &mut HeadlessRoom, action: Action) {
    let (before, events) = (*room.state(), room.game().log().len());
    let expected = is_possible(room, action);
    assert!(
        room.offers().iter().map(|offer| offer.action).eq(room.legal().iter()),
        "annotated offers must be the legal actions"
    );
    match room.execute(action) {
        Ok(_) => assert!(expected, "{action} was accepted but not offered"),
        Err(refusal) => {
            assert!(!expected, "{action} was offered but refused: {refusal}");
            assert_eq!((&before, events), (room.state(), room.game().log().len()), "{action} was refused: {refusal}");
        }
    }
    check_dominoes(room);
}

/// Whether an action must be accepted: a change of control or an undo by its own rule, any other if it is offered.
fn is_possible(room: &HeadlessRoom, action: Action) -> bool {
    match action {
        Action::Undo { to } => usize::from(to) < room.game().log().len(),
        Action::SetControl { player, control_type } => {
            room.state().humans.contains(player) != (control_type == Control::Human)
        }
        _ => room.legal().contains(&action),
    }
}

fn check_dominoes(room: &HeadlessRoom) {
    let state = room.state();
    let sets = state.hands.into_iter().chain([state.seen()]);
    let (all, count) = sets.fold((Hand::EMPTY, 0), |(all, count), set| (all | set, count + set.len()));
    assert_eq!((all, count), (Hand::FULL, Domino::COUNT), "hands and tricks must hold every domino once");
    assert!(state.tally.points.iter().sum::<u8>() <= 42);
    assert_eq!(state.phase.is_over(), room.legal().is_empty(), "there must be a legal action until the game is over");
}

/// The view of a seat and its valid actions must not change when hidden dominoes are exchanged.
fn check_views(room: &HeadlessRoom, rotation: usize) {
    let (state, ctx) = (room.state(), room.game().ctx());
    let is_open = matches!(state.phase, Phase::Scoring | Phase::GameEnd | Phase::OneHandComplete);
    for seat in Seat::ALL {
        let viewer = Viewer { hints: true, ..Viewer::player(seat) };
        let shown = view(ctx, state, &viewer, &TableMetadata::default());
        assert!(shown.valid_actions.iter().all(|valid| room.legal().contains(&valid.action)));
        let mixed = view(ctx, &with_hidden_hands_mixed(state, seat, rotation), &viewer, &TableMetadata::default());
        assert!(is_open || shown == mixed, "the view of seat {seat} depends on hidden dominoes");
    }
}

/// The same state with the hands of the other seats mixed.
fn with_hidden_hands_mixed(state: &State, seat: Seat, rotation: usize) -> State {
    let mut mixed = *state;
    let others = seat.round().skip(1);
    let mut hidden: Vec<Domino> = others.clone().flat_map(|other| state.hands[other.index()]).collect();
    let count = hidden.len().max(1);
    hidden.rotate_left(rotation % count);
    for other in others {
        mixed.hands[other.index()] = hidden.drain(..state.hands[other.index()].len()).collect();
    }
    mixed
}

pub(crate) fn sample(dice: &mut RandomPlayer) -> Vec<u8> {
    inputs::noise(dice, 900)
}
