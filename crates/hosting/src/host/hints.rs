//! Hints for the decisions of people: an expert's opinion of each action, computed like a bot's decision.
//!
//! There is at most one computation per decision, from the view of the seat to act alone, and only if somebody is
//! connected or asks over HTTP who may see the hints. They are not stored: a restored host computes them again.

use alloc::{sync::Arc, vec::Vec};

use texas42_ai::{Advice, DecisionPoint};
use texas42_protocol::{ActionHint, GameView, ServerMessage};
use texas42_room::{ConnectionId, HintPoint, Room};

use super::{
    BotSettings, Queued, TableHost,
    bots::{is_seeded, seed_of},
};

/// Hints that a person needs. They can be computed on any thread.
#[derive(Clone, Debug)]
pub struct HintRequest {
    /// The id to pass to [`TableHost::handle_hints`] with the hints.
    pub point: HintPoint,
    /// What the seat sees.
    pub view: GameView,
    /// The seed of all randomness.
    pub seed: u64,
    settings: BotSettings,
}

impl HintRequest {
    /// Whether the deals come from a public seed. Then the hints depend on the view and the seed alone.
    pub fn is_seeded(&self) -> bool {
        is_seeded(&self.view)
    }

    /// Computes the hints. The same view and seed lead to the same hints on every host.
    pub fn compute(&self) -> Vec<ActionHint> {
        let worlds = self.settings.worlds.filter(|_| !self.is_seeded());
        let point = DecisionPoint { worlds, ..DecisionPoint::new(&self.view, self.point.seat, self.seed) };
        texas42_ai::hints_of(self.settings.adviser, &point).into_iter().map(action_hint).collect()
    }
}

fn action_hint(advice: Advice) -> ActionHint {
    let Advice { action, why, chance, marks, recommended } = advice;
    ActionHint {
        action,
        recommended,
        chance: chance.map(|chance| thousandths(chance) as u16),
        expected_marks: marks.map(thousandths),
        reasons: why,
    }
}

fn thousandths(number: f64) -> i32 {
    // `f64::round` needs the standard library.
    let scaled = number * 1_000.0;
    (if scaled < 0.0 { scaled - 0.5 } else { scaled + 0.5 }) as i32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_rounded_to_the_nearest_thousandth() {
        for (number, rounded) in
            [(0.0, 0), (0.0004, 0), (0.0006, 1), (1.25, 1_250), (-0.0004, 0), (-0.0006, -1), (-1.25, -1_250)]
        {
            assert_eq!(thousandths(number), rounded, "{number}");
        }
    }
}

/// The hints for the current decision.
#[derive(Debug)]
pub(super) struct HintState {
    point: HintPoint,
    progress: Progress,
    /// The connections that have received the hints.
    recipients: Vec<ConnectionId>,
}

#[derive(Debug)]
enum Progress {
    /// Nobody has asked for them.
    Idle,
    /// Somebody may see them, and they are not being computed yet.
    Due,
    Computing,
    Done(Vec<ActionHint>),
}

impl TableHost {
    /// The hints that somebody needs, returned once per decision. Pass the result to
    /// [`handle_hints`](Self::handle_hints), or call [`think`](Self::think), which does both.
    pub fn poll_hint_request(&mut self) -> Option<HintRequest> {
        self.run();
        let hints = self.hints.as_mut().filter(|hints| matches!(hints.progress, Progress::Due))?;
        hints.progress = Progress::Computing;
        let point = hints.point;
        let view = self.room.seat_view(point.seat);
        let seed = seed_of(&view, point.seat, self.bots.secret());
        Some(HintRequest { point, view, seed, settings: self.bots.settings() })
    }

    /// Handles computed hints; hints for an earlier decision are ignored. An empty list means that there are none.
    pub fn handle_hints(&mut self, now: u64, point: HintPoint, computed: Vec<ActionHint>) {
        self.note_input(now);
        if let Some(hints) = self.hints.as_mut().filter(|hints| hints.point == point) {
            hints.progress = Progress::Done(computed);
        }
    }

    /// Whether hints wait to be computed.
    pub(super) fn is_hint_due(&self) -> bool {
        self.hints.as_ref().is_some_and(|hints| matches!(hints.progress, Progress::Due))
    }

    /// The hints for a session that reads the table without a connection and sees this view. If they are not computed yet,
    /// there are none, and a later call gets them.
    pub(super) fn hints_for(&mut self, view: &GameView) -> Vec<ActionHint> {
        let point = self.room.hint_point();
        let is_shown = |hints: &&mut HintState| Some(hints.point) == point && Room::shows_hints(view, hints.point.seat);
        let Some(hints) = self.hints.as_mut().filter(is_shown) else { return Vec::new() };
        match &hints.progress {
            Progress::Done(computed) => return computed.clone(),
            Progress::Idle => hints.progress = Progress::Due,
            Progress::Due | Progress::Computing => {}
        }
        Vec::new()
    }

    /// Lets a connection that may have missed the hints receive them again.
    pub(super) fn forget_hinted(&mut self, connection: ConnectionId) {
        self.hints.iter_mut().for_each(|hints| hints.recipients.retain(|recipient| *recipient != connection));
    }

    /// Follows the table to the current decision, and sends its hints to connections that have not received them.
    pub(super) fn update_hints(&mut self) {
        let point = self.room.hint_point();
        if self.hints.as_ref().map(|hints| hints.point) != point {
            self.hints = point.map(|point| HintState { point, progress: Progress::Idle, recipients: Vec::new() });
        }
        let Some(hints) = &mut self.hints else { return };
        let mut new_recipients = self.room.hinted(hints.point.seat);
        new_recipients
            .retain(|connection| self.connections.contains_key(connection) && !hints.recipients.contains(connection));
        match &hints.progress {
            Progress::Idle if !new_recipients.is_empty() => hints.progress = Progress::Due,
            Progress::Done(computed) if !computed.is_empty() && !new_recipients.is_empty() => {
                let (game_id, version) = (self.room.id().clone(), self.room.version());
                let message = Arc::new(ServerMessage::Hints { game_id, version, hints: computed.clone() });
                hints.recipients.extend(&new_recipients);
                let messages = new_recipients.into_iter().map(|to| Queued::Message { to, message: message.clone() });
                self.queue.extend(messages);
            }
            _ => {}
        }
    }
}
