//! A game: a context and an append-only log. The state at any point of the log is derived from them, identically on
//! every host.
//!
//! Undo is an event: `undo {to}` returns to the state after the first `to` events. Nothing is ever removed from the
//! log.

use alloc::vec::Vec;

use sha2::{Digest, Sha256};
use texas42_phrases::Refusal;
use texas42_vocab::{Action, Control, Seat};

use crate::{apply::apply, context::Context, legal::legal, offers::Offers, state::State};

/// The maximum number of events in a game. A seven-mark game has about 400.
pub const MAX_EVENTS: usize = 16_384;

/// The maximum number of undone claims. A claim ends its hand, so claims in excess of the hands played were undone.
///
/// Claims are the only events that are expensive to decide. The limit bounds the time to replay a malicious log.
const MAX_UNDONE_CLAIMS: u32 = 64;

/// The number of events between snapshots.
const SNAPSHOT_EVERY: usize = 64;

/// A log contains an event that is not legal at that point.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("event {at} cannot happen: {refusal}")]
pub struct ReplayError {
    /// The index of the event, counted from 0.
    pub at: usize,
    /// Why the event is not legal.
    pub refusal: Refusal,
}

/// The state after a number of events.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Snapshot {
    /// The number of events before it.
    pub at: usize,
    /// The state after those events.
    pub state: State,
}

impl Snapshot {
    /// The [`state_hash`] of the state.
    pub fn hash(&self) -> u64 {
        state_hash(&self.state)
    }
}

/// A game in progress or finished: a [`Context`], the log of events, and the state that follows from them.
///
/// Call [`Game::legal`] for the legal moves and [`Game::apply`] to make one. `apply` also accepts the events of the
/// table: undo and change of control. A refused event changes nothing. To resume a stored game, compose its
/// configuration and pass its log to [`Game::replayed`].
///
/// ```
/// use texas42_engine::{Context, Game};
/// use texas42_vocab::{Action, Config};
///
/// let mut game = Game::new(Context::compose(&Config::default()).unwrap());
/// let first = *game.state();
/// game.apply(Action::Pass { player: first.turn }).unwrap();
/// game.apply(Action::Undo { to: 0 }).unwrap();
/// assert_eq!((*game.state(), game.log().len()), (first, 2));
/// ```
#[derive(Debug)]
pub struct Game {
    ctx: Context,
    log: Vec<Action>,
    timeline: Timeline,
}

impl Game {
    /// A new game with an empty log.
    pub fn new(ctx: Context) -> Self {
        let timeline = Timeline::new(&ctx);
        Self { ctx, log: Vec::new(), timeline }
    }

    /// Replays a log.
    ///
    /// # Errors
    /// Fails if an event of the log is not legal.
    pub fn replayed(ctx: Context, log: &[Action]) -> Result<Self, ReplayError> {
        let mut game = Self::new(ctx);
        for (at, action) in log.iter().enumerate() {
            game.apply(*action).map_err(|refusal| ReplayError { at, refusal })?;
        }
        Ok(game)
    }

    /// The composed rules.
    pub fn ctx(&self) -> &Context {
        &self.ctx
    }

    /// The events so far.
    pub fn log(&self) -> &[Action] {
        &self.log
    }

    /// The current state.
    pub fn state(&self) -> &State {
        &self.timeline.state
    }

    /// The legal moves.
    pub fn legal(&self) -> Offers {
        legal(&self.ctx, self.state())
    }

    /// Applies a move or an event of the table (undo, change of control) and appends it to the log.
    ///
    /// # Errors
    /// Returns the reason if the event is not legal. The game is unchanged then.
    pub fn apply(&mut self, action: Action) -> Result<&State, Refusal> {
        self.timeline.step(&self.ctx, &self.log, action)?;
        self.log.push(action);
        Ok(self.state())
    }

    /// The state after the first `events` events, or `None` if the log is shorter.
    pub fn state_at(&self, events: usize) -> Option<State> {
        (events <= self.log.len()).then(|| self.timeline.state_at(&self.ctx, &self.log, events))
    }

    /// The snapshots, in order. The first one is the initial state.
    pub fn snapshots(&self) -> &[Snapshot] {
        &self.timeline.snapshots
    }

    /// Replays the log from the start and checks the hash of every snapshot.
    pub fn verify_snapshots(&self) -> bool {
        let mut again = Timeline::new(&self.ctx);
        let mut events = self.log.iter().enumerate();
        events.all(|(at, action)| again.step(&self.ctx, &self.log[..at], *action).is_ok())
            && self.snapshots().iter().map(Snapshot::hash).eq(again.snapshots.iter().map(Snapshot::hash))
    }
}

/// The state after a log, without keeping the game.
///
/// # Errors
/// Fails if an event of the log is not legal.
pub fn replay(ctx: &Context, log: &[Action]) -> Result<State, ReplayError> {
    let mut timeline = Timeline::new(ctx);
    for (at, action) in log.iter().enumerate() {
        timeline.step(ctx, &log[..at], *action).map_err(|refusal| ReplayError { at, refusal })?;
    }
    Ok(timeline.state)
}

/// The current state of a log, with snapshots of earlier ones.
///
/// There is a snapshot after every undo, so no undo lies between two snapshots, and any state can be computed from a
/// snapshot in at most [`SNAPSHOT_EVERY`] steps.
#[derive(Debug)]
pub(crate) struct Timeline {
    state: State,
    snapshots: Vec<Snapshot>,
    /// The number of claims in the log, including undone ones.
    claims: u32,
}

impl Timeline {
    pub(crate) fn new(ctx: &Context) -> Self {
        let state = ctx.first_state();
        Self { state, snapshots: Vec::from([Snapshot { at: 0, state }]), claims: 0 }
    }

    pub(crate) fn state(&self) -> &State {
        &self.state
    }

    /// Applies one event. `log` contains all events before it.
    pub(crate) fn step(&mut self, ctx: &Context, log: &[Action], action: Action) -> Result<(), Refusal> {
        self.state = self.after(ctx, log, action)?;
        self.claims += u32::from(matches!(action, Action::Claim { .. }));
        let at = log.len() + 1;
        if at.is_multiple_of(SNAPSHOT_EVERY) || matches!(action, Action::Undo { .. }) {
            self.snapshots.push(Snapshot { at, state: self.state });
        }
        Ok(())
    }

    /// The state after `action`.
    fn after(&self, ctx: &Context, log: &[Action], action: Action) -> Result<State, Refusal> {
        if log.len() >= MAX_EVENTS {
            return Err(Refusal::LogFull);
        }
        let is_claim = matches!(action, Action::Claim { .. });
        if is_claim && self.claims >= self.state.hand_number + MAX_UNDONE_CLAIMS {
            return Err(Refusal::TooManyClaims);
        }
        match action {
            Action::Undo { to } if usize::from(to) < log.len() => Ok(self.state_at(ctx, log, to.into())),
            Action::Undo { .. } => Err(Refusal::NoSuchEvent { events: log.len() as u32 }),
            _ => apply_event(ctx, &self.state, action),
        }
    }

    fn state_at(&self, ctx: &Context, log: &[Action], events: usize) -> State {
        let after = self.snapshots.partition_point(|snapshot| snapshot.at <= events);
        let from = self.snapshots[after - 1];
        log[from.at..events].iter().fold(from.state, |state, action| match apply_event(ctx, &state, *action) {
            Ok(state) => state,
            Err(_) => unreachable!("the log was accepted before, and there is no undo between snapshots"),
        })
    }
}

/// Applies a move or a change of control.
fn apply_event(ctx: &Context, state: &State, action: Action) -> Result<State, Refusal> {
    match action {
        Action::SetControl { player, control_type } => set_control(state, player, control_type),
        _ => apply(ctx, state, action),
    }
}

fn set_control(state: &State, player: Seat, control: Control) -> Result<State, Refusal> {
    let human = control == Control::Human;
    if state.humans.contains(player) == human {
        return Err(Refusal::SameControl { player });
    }
    Ok(State { humans: state.humans.set(player, human), ..*state })
}

/// A hash of everything that determines how a game continues from a state. It is stable across hosts, and across
/// versions as long as the rules do not change.
pub fn state_hash(state: &State) -> u64 {
    let mut hash = Sha256::new();
    hash.update([state.phase as u8, state.shaker.into(), state.turn.into()]);
    hash.update(state.hand_number.to_le_bytes());
    for hand in state.hands {
        hash.update(hand.bits().to_le_bytes());
    }
    for (seat, bid) in state.auction.calls() {
        hash.update([u8::from(seat), bid.map_or(255, |bid| bid.kind as u8), bid.map_or(0, |bid| bid.value)]);
    }
    let contract = state.contract.map_or([255; 2], |contract| [contract.declarer.into(), contract.trump as u8]);
    hash.update(contract);
    for trick in state.taken().iter().chain([&state.trick]) {
        hash.update([trick.len() as u8]);
        for (seat, domino) in trick.plays() {
            hash.update([seat.into(), domino.index() as u8]);
        }
    }
    hash.update([state.tally.points, state.tally.tricks].concat());
    hash.update(state.outcome.map_or([255; 2], |outcome| [outcome.made.into(), outcome.trick]));
    hash.update(state.claim.map_or([255; 2], |claim| [claim.seat.into(), claim.stands.into()]));
    for score in state.score {
        hash.update(score.to_le_bytes());
    }
    hash.update([state.agreed.bits(), state.humans.bits()]);
    let digest: [u8; 32] = hash.finalize().into();
    u64::from_be_bytes(digest[..8].try_into().expect("a digest has at least 8 bytes"))
}
