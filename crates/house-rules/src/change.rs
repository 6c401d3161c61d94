//! The rules of a table that exists: reading them at any time, and changing them before its first game and between
//! games.

use alloc::{format, string::String, vec::Vec};

use texas42_phrases::Words;
use texas42_protocol::{DealKind, GameView, PlayerView, TableOptions};
use texas42_vocab::{Config, Control, Phase, Seat};

use crate::{HouseRules, Setting, TableSettings};

impl TableSettings {
    /// The settings of a table, for a form that changes them. `None` if they cannot be changed now: while a game is being
    /// played, and at a table for certain deals, such as the hand of a seed.
    pub fn of_table(view: &GameView) -> Option<Self> {
        let (state, options) = (&view.state, &view.metadata.table);
        let is_between_games = state.phase == Phase::Setup || state.phase.is_over();
        let can_change = is_between_games && !state.one_hand && options.deal != DealKind::Seeded;
        can_change.then(|| Self::of_view(view))
    }

    /// The settings of a table, for people who read them.
    pub fn of_view(view: &GameView) -> Self {
        let (state, options) = (&view.state, &view.metadata.table);
        let layers = state.layers.iter().copied();
        let rules = HouseRules::of_parts(layers, state.scoring, Some(state.target), state.play_on);
        Self {
            players: Seat::ALL.map(|seat| control(view, seat)),
            turn_seconds: options.turn_seconds,
            pause: options.pause,
            rated: options.rated,
            open_to_spectators: options.open_to_spectators,
            open_hands: options.open_hands,
            bots: options.bots,
            ..Self::new(rules)
        }
    }

    /// What is played at a table in a few words, such as "Casual, to 7 marks"; `None` for a single hand.
    pub fn summary(view: &GameView, words: &Words) -> Option<String> {
        (!view.state.one_hand).then(|| Self::of_view(view).rules.summary(words))
    }

    /// The rules of a table as sentences: the switches that are on, and the value of every other line but who sits
    /// where.
    pub fn sentences(view: &GameView, words: &Words) -> Vec<String> {
        let settings = Self::of_view(view);
        let is_seat = |setting: &Setting| matches!(setting, Setting::Role | Setting::Player(_) | Setting::Bot(_));
        let is_length =
            |setting: &Setting| matches!(setting, Setting::Scoring | Setting::TargetMarks | Setting::TargetPoints);
        let is_left_out = |setting: &Setting| is_seat(setting) || (view.state.one_hand && is_length(setting));
        let lines = settings.shown().filter(|setting| !is_left_out(setting));
        let sentence = |setting: Setting| match setting.switch(true) {
            Some(on) => settings.is_chosen(on).then(|| setting.text(words)),
            None => {
                let chosen = settings.choices(setting).into_iter().find(|choice| settings.is_chosen(*choice))?;
                Some(format!("{}: {}", setting.text(words), chosen.text(words)))
            }
        };
        lines.filter_map(sentence).collect()
    }

    /// The rules and options to request for a table that exists. Whether it waits for everybody to be ready does not change.
    pub fn changed(&self, view: &GameView) -> (Config, TableOptions) {
        let (config, options) = self.table();
        (config, TableOptions { ready: view.metadata.table.ready, ..options })
    }
}

impl Setting {
    /// Whether a table that exists can still change the line. People keep their roles and seats, and between games everybody does.
    pub fn can_change(self, view: &GameView) -> bool {
        match self {
            Self::Role => false,
            Self::Player(seat) => {
                let plays =
                    |player: &PlayerView| player.player_index == Some(seat) && player.control_type == Control::Human;
                view.state.phase == Phase::Setup && !view.players.iter().any(plays)
            }
            _ => true,
        }
    }
}

/// Who controls a seat. A free seat waits for a person.
fn control(view: &GameView, seat: Seat) -> Control {
    let player = view.players.iter().find(|player| player.player_index == Some(seat));
    player.map_or(Control::Human, |player| player.control_type)
}
