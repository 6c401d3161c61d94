//! What people choose before a game: the house rules, the length of the game, the clock, and who sits where.
//!
//! A form shows one line per [`Setting`]. [`TableSettings::shown`] lists the lines that matter now,
//! [`Setting::choices`] the values of a line, and [`TableSettings::choose`] selects one. Selecting a value also corrects
//! the values that it excludes, so a table can be created from every state of the form. The page and the terminal share
//! this crate and differ only in how they draw a line. [`TableSettings::of_table`] fills the form for a table that exists.
//! [`daily`] and [`hand`] are tables without a form.
//!
//! ```
//! use texas42_house_rules::{Preset, Setting, SettingValue, TableSettings};
//! use texas42_vocab::Lead;
//!
//! let mut settings = TableSettings::new(Preset::Casual.rules());
//! assert!(settings.shown().any(|setting| setting == Setting::NelloLead));
//! settings.choose(SettingValue::NelloLead(Lead::Left));
//! assert!(settings.is_chosen(SettingValue::NelloLead(Lead::Left)));
//! let (config, options) = settings.table();
//! assert_eq!((config.target(), options.turn_seconds), (7, None));
//! ```

#![no_std]
#![forbid(unsafe_code)]

extern crate alloc;

mod change;
mod one_hand;
mod preset;
mod rules;
mod saved;
mod setting;
mod settings;

pub use one_hand::{ALONE, daily, hand};
pub use preset::Preset;
pub use rules::{HouseRules, RuleNameError};
pub use saved::{MAX_SAVED_RULES, SavedRules};
pub use setting::{Setting, SettingValue};
pub use settings::TableSettings;
