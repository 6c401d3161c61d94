//! A game: a context and a log. The state is derived from them, at any point of the log, the same on every host.
//!
//! Going back is an event like any other: `undo {to}` means that the table stands again where it stood after the first
//! `to` events, and nothing is ever taken out of the log.

use alloc::vec::Vec;

use sha2::{Digest, Sha256};
use texas42_phrases::Refusal;
use texas42_vocab::{Action, Control, Seat};

use crate::{apply::apply, context::Context, legal::legal, offers::Offers, state::State};

/// The most events that a game can have; a seven-mark game has about 400.
pub const MOST_EVENTS: usize = 16_384;

/// A claim ends its hand, so more of them than hands have been taken back. Claims are the one thing that takes time to
/// decide, and a log that asks for the same one over and over is not the log of a game that people played.
const MOST_UNDONE_CLAIMS: u32 = 64;

/// A snapshot is kept after every so many events.
const SNAPSHOT_EVERY: usize = 64;

/// A log that does not follow from its configuration.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("event {at} cannot happen: {refusal}")]
pub struct ReplayError {
    /// The event, counted from 0.
    pub at: usize,
    /// Why it cannot happen.
    pub refusal: Refusal,
}

/// The state after so many events, with a hash by which any host can check its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Snapshot {
    /// After how many events.
    pub at: usize,
    /// The state then.
    pub state: State,
}

impl Snapshot {
    /// The hash of the state.
    pub fn hash(&self) -> u64 {
        state_hash(&self.state)
    }
}

/// A game in progress or at its end.
#[derive(Debug)]
pub struct Game {
    ctx: Context,
    log: Vec<Action>,
    timeline: Timeline,
}

impl Game {
    /// A game of which nothing has happened yet.
    pub fn new(ctx: Context) -> Self {
        let timeline = Timeline::new(&ctx);
        Self { ctx, log: Vec::new(), timeline }
    }

    /// A game from its log.
    ///
    /// # Errors
    /// When the log has an event that could not happen.
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

    /// Everything that has happened.
    pub fn log(&self) -> &[Action] {
        &self.log
    }

    /// Where the game stands.
    pub fn state(&self) -> &State {
        &self.timeline.state
    }

    /// What may be done now.
    pub fn legal(&self) -> Offers {
        legal(&self.ctx, self.state())
    }

    /// Applies a move, or an event of the table (undo, change of control), and writes it down.
    ///
    /// # Errors
    /// When it cannot happen now; then nothing has changed.
    pub fn apply(&mut self, action: Action) -> Result<&State, Refusal> {
        self.timeline.step(&self.ctx, &self.log, action)?;
        self.log.push(action);
        Ok(self.state())
    }

    /// Where the game stood after the first `events` events.
    pub fn state_at(&self, events: usize) -> Option<State> {
        (events <= self.log.len()).then(|| self.timeline.state_at(&self.ctx, &self.log, events))
    }

    /// The snapshots that were kept on the way, the first one before anything happened.
    pub fn snapshots(&self) -> &[Snapshot] {
        &self.timeline.snapshots
    }

    /// Replays the log from the start and compares every snapshot, by its hash, with what the replay finds there.
    pub fn snapshots_hold(&self) -> bool {
        let mut again = Timeline::new(&self.ctx);
        let mut events = self.log.iter().enumerate();
        events.all(|(at, action)| again.step(&self.ctx, &self.log[..at], *action).is_ok())
            && self.snapshots().iter().map(Snapshot::hash).eq(again.snapshots.iter().map(Snapshot::hash))
    }
}

/// The state that a log leads to.
///
/// # Errors
/// When the log has an event that could not happen.
pub fn replay(ctx: &Context, log: &[Action]) -> Result<State, ReplayError> {
    let mut timeline = Timeline::new(ctx);
    for (at, action) in log.iter().enumerate() {
        timeline.step(ctx, &log[..at], *action).map_err(|refusal| ReplayError { at, refusal })?;
    }
    Ok(timeline.state)
}

/// The states along a log. There is a snapshot right behind every undo, so that between a snapshot and the next there
/// are only moves, and any state is at most [`SNAPSHOT_EVERY`] moves away however wildly a log jumps.
#[derive(Debug)]
pub(crate) struct Timeline {
    state: State,
    snapshots: Vec<Snapshot>,
    /// How many claims there were, also those that were taken back.
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

    /// Takes one event further; `log` is everything before it.
    pub(crate) fn step(&mut self, ctx: &Context, log: &[Action], action: Action) -> Result<(), Refusal> {
        self.state = self.after(ctx, log, action)?;
        self.claims += u32::from(matches!(action, Action::Claim { .. }));
        let at = log.len() + 1;
        if at.is_multiple_of(SNAPSHOT_EVERY) || matches!(action, Action::Undo { .. }) {
            self.snapshots.push(Snapshot { at, state: self.state });
        }
        Ok(())
    }

    /// The state that an event would lead to.
    fn after(&self, ctx: &Context, log: &[Action], action: Action) -> Result<State, Refusal> {
        if log.len() >= MOST_EVENTS {
            return Err(Refusal::LogFull);
        }
        let is_claim = matches!(action, Action::Claim { .. });
        if is_claim && self.claims >= self.state.hand_number + MOST_UNDONE_CLAIMS {
            return Err(Refusal::TooManyClaims);
        }
        match action {
            Action::Undo { to } if usize::from(to) < log.len() => Ok(self.state_at(ctx, log, to.into())),
            Action::Undo { .. } => Err(Refusal::NoSuchEvent { events: log.len() as u32 }),
            _ => advance(ctx, &self.state, action),
        }
    }

    fn state_at(&self, ctx: &Context, log: &[Action], events: usize) -> State {
        let after = self.snapshots.partition_point(|snapshot| snapshot.at <= events);
        let from = self.snapshots[after - 1];
        log[from.at..events].iter().fold(from.state, |state, action| {
            advance(ctx, &state, *action).expect("the log was accepted once, and between snapshots there is no undo")
        })
    }
}

/// A move, or a change of control.
fn advance(ctx: &Context, state: &State, action: Action) -> Result<State, Refusal> {
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

/// A hash of everything that decides how a game goes on from a state, the same on every host and in every version that
/// plays by the same rules.
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
    u64::from_be_bytes(digest[..8].try_into().expect("eight of 32 bytes"))
}
