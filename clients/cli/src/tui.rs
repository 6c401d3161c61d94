//! The full-screen terminal: a table that is redrawn in place, and the form that starts a game.
//!
//! What is shown is a pure function of a model (`draw`, `form`), and so is what a key means (`keys`). Only `screen` and
//! `app` know a terminal and the time.

mod app;
mod draw;
mod events;
mod form;
mod form_keys;
mod keys;
mod model;
mod screen;
#[cfg(test)]
mod tests;

pub use app::{Ending, play};
pub use form::{Form, Start, Way};
pub use screen::Screen;
