//! The person's settings for this browser, stored as JSON in local storage.

use serde::{Deserialize, Serialize};
use texas42_protocol::Name;

use crate::words::Language;

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
pub enum Pace {
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

impl Pace {
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
    pub pace: Pace,
    /// Whether each number of pips has its own color.
    pub coloured_pips: bool,
    /// Whether animations are off.
    pub still: bool,
    /// Whether sounds are on.
    pub sounds: bool,
    /// Whether playing a domino needs a second tap.
    pub confirm: bool,
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
            pace: Pace::Normal,
            coloured_pips: false,
            still: false,
            sounds: false,
            confirm: false,
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
        Name::try_from(self.name.trim().to_owned()).ok()
    }

    /// Whether a name was entered that tables do not accept.
    pub fn has_bad_name(&self) -> bool {
        !self.name.trim().is_empty() && self.called().is_none()
    }

    /// Parses stored settings; falls back to the defaults.
    pub fn from_json(text: &str) -> Self {
        texas42_protocol::read(text).unwrap_or_default()
    }

    /// Serializes the settings.
    pub fn to_json(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_empty_name_is_accepted_and_an_invisible_character_is_not() {
        for (name, is_bad, called) in
            [("", false, None), ("  ", false, None), (" Ann ", false, Some("Ann")), ("A\u{200b}n", true, None)]
        {
            let settings = Settings { name: name.to_owned(), ..Settings::default() };
            assert_eq!(settings.has_bad_name(), is_bad, "{name:?}");
            assert_eq!(settings.called(), called.and_then(|name| Name::try_from(name).ok()), "{name:?}");
        }
    }

    #[test]
    fn settings_round_trip_and_invalid_ones_become_defaults() {
        let settings = Settings { theme: Theme::Dark, pace: Pace::Fast, ..Settings::default() };
        assert_eq!(Settings::from_json(&settings.to_json()), settings);
        assert_eq!(Settings::from_json("{\"theme\":\"purple\"}"), Settings::default());
        assert_eq!(Settings::from_json("{\"sounds\":true}").pace, Pace::Normal);
    }
}
