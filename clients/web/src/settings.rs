//! What a person has chosen for this browser, kept as JSON in its local storage.

use serde::{Deserialize, Serialize};
use texas42_protocol::Name;

use crate::words::Language;

/// Colours.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Theme {
    /// As the device.
    #[default]
    Auto,
    /// Light.
    Light,
    /// Dark.
    Dark,
    /// Few, strong colours.
    Contrast,
}

/// How long things lie on the table.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Pace {
    /// Time to look.
    Slow,
    /// As people play.
    #[default]
    Normal,
    /// For those who know.
    Fast,
    /// Nothing goes on before a tap.
    Tap,
}

impl Pace {
    /// How long a complete trick lies before this page agrees to go on, in milliseconds; never, where a tap is wanted.
    pub const fn trick_pause(self) -> Option<u32> {
        match self {
            Self::Slow => Some(2400),
            Self::Normal => Some(1300),
            Self::Fast => Some(450),
            Self::Tap => None,
        }
    }

    /// How long the programs of this browser wait before they move, in milliseconds.
    pub const fn program_wait(self) -> (u32, u32) {
        match self {
            Self::Slow => (1200, 2200),
            Self::Normal | Self::Tap => (550, 1200),
            Self::Fast => (120, 280),
        }
    }
}

/// Everything that can be chosen.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
#[allow(clippy::struct_excessive_bools, reason = "each is a switch of its own on the screen")]
pub struct Settings {
    /// The code of the language; empty for the browser's own.
    pub language: String,
    /// Colours.
    pub theme: Theme,
    /// How long things lie.
    pub pace: Pace,
    /// A colour for each number of dots.
    pub coloured_pips: bool,
    /// Nothing moves.
    pub still: bool,
    /// Sounds.
    pub sounds: bool,
    /// A second tap before a domino is played.
    pub confirm: bool,
    /// What the person is called.
    pub name: String,
    /// How the programs of this browser play.
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
    /// The language that is spoken; `browser` is what the browser prefers.
    pub fn language(&self, browser: &str) -> Language {
        Language::of_code(if self.language.is_empty() { browser } else { &self.language })
    }

    /// What the person wants to be called, where that is a name.
    pub fn called(&self) -> Option<Name> {
        Name::try_from(self.name.trim().to_owned()).ok()
    }

    /// Whether something was written that no table takes for a name.
    pub fn has_bad_name(&self) -> bool {
        !self.name.trim().is_empty() && self.called().is_none()
    }

    /// From what was kept; what cannot be read any more is as usual.
    pub fn from_json(text: &str) -> Self {
        texas42_protocol::read(text).unwrap_or_default()
    }

    /// To be kept.
    pub fn to_json(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_name_is_fine_and_one_that_cannot_be_seen_is_not() {
        for (name, is_bad, called) in
            [("", false, None), ("  ", false, None), (" Ann ", false, Some("Ann")), ("A\u{200b}n", true, None)]
        {
            let settings = Settings { name: name.to_owned(), ..Settings::default() };
            assert_eq!(settings.has_bad_name(), is_bad, "{name:?}");
            assert_eq!(settings.called(), called.and_then(|name| Name::try_from(name).ok()), "{name:?}");
        }
    }

    #[test]
    fn what_was_kept_comes_back_and_nonsense_does_no_harm() {
        let settings = Settings { theme: Theme::Dark, pace: Pace::Fast, ..Settings::default() };
        assert_eq!(Settings::from_json(&settings.to_json()), settings);
        assert_eq!(Settings::from_json("{\"theme\":\"purple\"}"), Settings::default());
        assert_eq!(Settings::from_json("{\"sounds\":true}").pace, Pace::Normal);
    }
}
