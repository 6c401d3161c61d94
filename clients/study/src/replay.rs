//! A replay: its steps, and the table at a step as the page draws it.

use texas42_display::{
    table_model::{HostKind, TableModel},
    words::{Words, fill},
};
use texas42_protocol::{GameId, GameView, Name, PlayerId, PlayerView};
use texas42_vocab::{Control, Seat};
use texas42_worker_protocol::ReplayFault;

/// A step to go to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Jump {
    /// The first deal.
    First,
    /// One step back.
    Back,
    /// One step forward.
    Next,
    /// The result.
    Last,
}

impl Jump {
    /// The jump of a key.
    pub fn of_key(key: &str) -> Option<Self> {
        match key {
            "Home" => Some(Self::First),
            "ArrowLeft" => Some(Self::Back),
            "ArrowRight" => Some(Self::Next),
            "End" => Some(Self::Last),
            _ => None,
        }
    }

    /// The target step from `step`; `None` if that is `step` itself.
    pub fn from(self, step: u32, steps: u32) -> Option<u32> {
        let to = match self {
            Self::First => 0,
            Self::Back => step.saturating_sub(1),
            Self::Next => steps.min(step + 1),
            Self::Last => steps,
        };
        (to != step).then_some(to)
    }
}

/// The table at a step, from the seat at the bottom. The seats get numbers as names, because a code has no names.
pub fn table(view: GameView, step: u32, bottom: Seat, words: &Words) -> Option<TableModel> {
    let players = Seat::ALL.into_iter().map(|seat| player(seat, words)).collect::<Option<Vec<_>>>()?;
    Some(TableModel {
        game: GameId::try_from("replay").ok()?,
        home: HostKind::Browser,
        version: step.into(),
        view: GameView { players: players.into(), ..view },
        player_id: None,
        seat: None,
        capabilities: Vec::new(),
        bottom,
        best: None,
        expert: Vec::new(),
    })
}

fn player(seat: Seat, words: &Words) -> Option<PlayerView> {
    Some(PlayerView {
        player_id: PlayerId::try_from(seat.index().to_string()).ok()?,
        player_index: Some(seat),
        name: Name::try_from(seat_name(seat, words).as_str()).ok()?,
        control_type: Control::Human,
        is_connected: true,
        capabilities: Vec::new(),
        waits_for_deal: false,
    })
}

/// The name of a seat, counted from 1.
pub fn seat_name(seat: Seat, words: &Words) -> String {
    fill(words.seat, &[&(seat.index() + 1).to_string()])
}

/// The sentence for a link that leads to no game.
pub fn fault_text(fault: ReplayFault, words: &Words) -> &'static str {
    match fault {
        ReplayFault::Damaged => words.replay_damaged,
        ReplayFault::LaterRules => words.replay_later_rules,
        ReplayFault::OtherRules => words.replay_other_rules,
    }
}

#[cfg(test)]
mod tests {
    use texas42_display::words::Language;
    use texas42_protocol::PlayerView;

    use super::*;

    #[test]
    fn keys_lead_through_the_steps_and_stop_at_the_ends() {
        let go = |key, step| Jump::of_key(key).and_then(|jump| jump.from(step, 9));
        assert_eq!(["Home", "ArrowLeft", "ArrowRight", "End"].map(|key| go(key, 4)), [0, 3, 5, 9].map(Some));
        assert_eq!(["Home", "ArrowLeft"].map(|key| go(key, 0)), [None; 2]);
        assert_eq!(["End", "ArrowRight"].map(|key| go(key, 9)), [None; 2]);
        assert_eq!(go("x", 4), None);
    }

    #[test]
    fn every_language_names_the_seats() {
        for language in Language::ALL {
            let names = Seat::ALL.map(|seat| player(seat, language.words()).map(|PlayerView { name, .. }| name));
            assert!(names.iter().all(Option::is_some), "{language:?}");
        }
    }
}
