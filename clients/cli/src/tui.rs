//! The full-screen terminal: a table that is redrawn in place, and the form that starts a game.
//!
//! Drawing (`draw`, `form`) and the meaning of a key (`keys`) are pure functions of a model. Only `screen` and `app` access the
//! terminal and the clock.

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
pub use form::{Form, FormMode, Start};
pub use screen::Screen;
