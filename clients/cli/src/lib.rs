//! The parts of the `texas42` program that tools and tests also use: a game in JSON lines, a table as text, phrases, the saved game of a
//! person, and the full-screen terminal. The connections to tables are those of `texas42-sdk`.

pub mod headless;
pub mod invites;
pub mod save_file;
pub mod saved_rules;
pub mod show;
pub mod speech;
pub mod tui;
