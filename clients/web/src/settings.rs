//! The person's settings for this browser, stored as JSON in local storage.

use serde::{Deserialize, Serialize};
use texas42_protocol::{BotLevel, Name, PlayerView};

use crate::{table_model::TableModel, words::Language};

/// The color scheme.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Theme {
    /// Follows the device.
    #[default]
    Auto,
    /// Light.
    Light,
    /// Dark.
    Dark,
    /// High contrast.
    Contrast,
}

/// How long tricks and results stay on the table.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PaceSetting {
    /// Time to look.
    Slow,
    /// As people play.
    #[default]
    Normal,
    /// For experienced players.
    Fast,
    /// Continues only on a tap.
    Tap,
}

impl PaceSetting {
    /// How long a complete trick stays before the page agrees to continue, in milliseconds; `None` for a tap.
    pub const fn trick_pause(self) -> Option<u32> {
        match self {
            Self::Slow => Some(2400),
            Self::Normal => Some(1300),
            Self::Fast => Some(450),
            Self::Tap => None,
        }
    }

    /// The minimum and maximum wait of this browser's bots before a move, in milliseconds.
    pub const fn bot_wait(self) -> (u32, u32) {
        match self {
            Self::Slow => (1200, 2200),
            Self::Normal | Self::Tap => (550, 1200),
            Self::Fast => (120, 280),
        }
    }
}

/// The maximum number of muted names. The oldest ones are forgotten.
const MAX_MUTED: usize = 50;

/// All settings.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
#[allow(clippy::struct_excessive_bools, reason = "each is a separate switch on the screen")]
pub struct Settings {
    /// Language code; empty for the browser's language.
    pub language: String,
    /// The color scheme.
    pub theme: Theme,
    /// The pace.
    pub pace: PaceSetting,
    /// Whether each number of pips has its own color.
    #[serde(rename = "colouredPips")]
    pub colored_pips: bool,
    /// Whether animations are off.
    pub still: bool,
    /// Whether sounds are on.
    pub sounds: bool,
    /// Whether the page alerts the person to their turn.
    pub alerts: bool,
    /// Whether the history shows the trumps and the count that are still out. Without a choice, only that beside the
    /// table does, and only in casual games.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub still_out: Option<bool>,
    /// The same choice in earlier versions, which were off without one.
    #[serde(rename = "tracker", skip_serializing)]
    pub has_earlier_tracker: bool,
    /// Whether playing a domino needs a second tap.
    pub confirm: bool,
    /// Whether an unusual bid needs a second tap or key.
    pub confirm_bids: bool,
    /// Whether phrases and reactions of others are shown.
    pub phrases: bool,
    /// Whether the person's coach may talk.
    pub coach: bool,
    /// The names of people who are muted, the newest last.
    pub muted: Vec<String>,
    /// The person's name.
    pub name: String,
    /// The level of this browser's bots.
    pub level: String,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            language: String::new(),
            theme: Theme::Auto,
            pace: PaceSetting::Normal,
            colored_pips: false,
            still: false,
            sounds: false,
            alerts: false,
            still_out: None,
            has_earlier_tracker: false,
            confirm: false,
            confirm_bids: false,
            phrases: true,
            coach: true,
            muted: Vec::new(),
            name: String::new(),
            level: "intermediate".to_owned(),
        }
    }
}

impl Settings {
    /// The language to use; `browser` is the browser's preference.
    pub fn language(&self, browser: &str) -> Language {
        Language::from_code(if self.language.is_empty() { browser } else { &self.language })
    }

    /// The person's name, if it is valid.
    pub fn called(&self) -> Option<Name> {
        Name::try_from(self.name.trim().to_owned()).ok().filter(Name::is_readable)
    }

    /// The level of this browser's bots, if it is one that this version knows.
    pub fn bot_level(&self) -> Option<BotLevel> {
        texas42_protocol::read(&format!("\"{}\"", self.level)).ok()
    }

    /// Whether somebody with this name is muted.
    pub fn is_muted(&self, name: &Name) -> bool {
        self.muted.iter().any(|muted| muted == name.as_str())
    }

    /// Whether the person at a table hears somebody.
    pub fn hears(&self, table: &TableModel, player: &PlayerView) -> bool {
        let is_wanted = if table.is_own_coach(player) { self.coach } else { self.phrases };
        is_wanted && !self.is_muted(&player.name)
    }

    /// Mutes somebody with this name, or hears them again.
    pub fn toggle_muted(&mut self, name: &Name) {
        let is_muted = self.is_muted(name);
        self.muted.retain(|muted| muted != name.as_str());
        if !is_muted {
            self.muted.push(name.to_string());
        }
        let excess = self.muted.len().saturating_sub(MAX_MUTED);
        self.muted.drain(..excess);
    }

    /// Whether a name was entered that tables do not accept.
    pub fn has_bad_name(&self) -> bool {
        !self.name.trim().is_empty() && self.called().is_none()
    }

    /// Parses stored settings; falls back to the defaults.
    pub fn from_json(text: &str) -> Self {
        let settings: Self = texas42_protocol::read(text).unwrap_or_default();
        let still_out = settings.still_out.or(settings.has_earlier_tracker.then_some(true));
        Self { still_out, has_earlier_tracker: false, ..settings }
    }

    /// Serializes the settings.
    pub fn to_json(&self) -> String {
        texas42_protocol::to_json(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_empty_name_is_accepted_and_an_invisible_character_is_not() {
        for (name, is_bad, called) in [
            ("", false, None),
            ("  ", false, None),
            (" Ann ", false, Some("Ann")),
            ("A\u{200b}n", true, None),
            ("\u{301}", true, None),
        ] {
            let settings = Settings { name: name.to_owned(), ..Settings::default() };
            assert_eq!(settings.has_bad_name(), is_bad, "{name:?}");
            assert_eq!(settings.called(), called.and_then(|name| Name::try_from(name).ok()), "{name:?}");
        }
    }

    #[test]
    fn a_muted_name_is_heard_again_and_few_are_kept() {
        let mut settings = Settings::default();
        let name = |number: usize| Name::try_from(format!("Bob {number}")).unwrap();
        for number in 0..=MAX_MUTED {
            settings.toggle_muted(&name(number));
        }
        assert_eq!((settings.muted.len(), settings.is_muted(&name(0))), (MAX_MUTED, false));
        settings.toggle_muted(&name(MAX_MUTED));
        assert!(!settings.is_muted(&name(MAX_MUTED)) && settings.is_muted(&name(1)));
    }

    #[test]
    fn settings_round_trip_and_invalid_ones_become_defaults() {
        let settings = Settings { theme: Theme::Dark, pace: PaceSetting::Fast, ..Settings::default() };
        assert_eq!(Settings::from_json(&settings.to_json()), settings);
        assert_eq!(Settings::from_json("{\"theme\":\"purple\"}"), Settings::default());
        assert_eq!(Settings::from_json("{\"sounds\":true}").pace, PaceSetting::Normal);
        for (stored, still_out) in
            [("\"tracker\":true", Some(true)), ("\"tracker\":false", None), ("\"stillOut\":false", Some(false))]
        {
            let settings = Settings::from_json(&["{", stored, "}"].concat());
            assert_eq!(settings.still_out, still_out, "{stored}");
            assert_eq!(Settings::from_json(&settings.to_json()), settings);
        }
    }
}
