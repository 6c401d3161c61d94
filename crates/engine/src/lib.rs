//! The rules of Texas 42 as a pure state machine.
//!
//! `STATE -> ACTION -> NEW STATE`, reproducible on every host: no clock, no I/O, no randomness except the documented
//! shuffle. [`Context::compose`] turns a configuration into rules, [`legal`] lists the legal actions of a [`State`],
//! [`apply`] accepts exactly those, and a [`Game`] keeps the log from which any of its states can be replayed.
//!
//! ```
//! use texas42_engine::{Context, Game, replay};
//! use texas42_vocab::Config;
//!
//! let config: Config = serde_json::from_str(r#"{"seed":"a-doctest","layers":[{"type":"nello"}]}"#).unwrap();
//! let mut game = Game::new(Context::compose(&config).unwrap());
//! for _ in 0..40 {
//!     let first = game.legal().nth(0).unwrap();
//!     game.apply(first).unwrap();
//! }
//! assert_eq!(replay(&Context::compose(&config).unwrap(), game.log()).unwrap(), *game.state());
//! ```
//!
//! - [`Suits`] and [`Terms`]: how one hand is played, as data.
//! - [`Rules`]: the trait that every layer implements; `layers/` has one file per layer.
//! - [`deal`]: the shuffle. [`claim`]: lay-downs. [`record`] and [`code`]: games as JSON and as a link. [`explain()`]: which
//!   layer decides what.

#![no_std]
#![forbid(unsafe_code)]

extern crate alloc;

mod apply;
pub mod claim;
pub mod code;
mod context;
pub mod deal;
mod explain;
mod game;
mod layers;
mod legal;
mod offers;
pub mod record;
mod refusal;
mod rules;
mod state;
mod suits;
mod terms;

pub use apply::{advance, apply};
pub use context::{ConfigError, Context, declarer_under, limits, terms_under};

pub use explain::{DEALS_FROM, Explanation, LayerEffect, Ruling, explain};
pub use game::{Game, MAX_EVENTS, ReplayError, Snapshot, replay, state_hash};
pub use layers::{daily_seed, star_thresholds, stars};
pub use legal::legal;
pub use offers::{Annotated, Authority, Meta, Offer, Offers};
pub use refusal::suit_name;
pub use rules::Rules;
pub use state::{Auction, Claim, HandResult, SeatSet, State, Tally, Trick};
pub use suits::{DOUBLES, Suit, Suits};
pub use terms::{Contract, Goal, HAND_POINTS, HAND_TRICKS, Outcome, Terms};
pub use texas42_phrases::{Hint, OutcomeReason, Refusal};

/// Compiles and runs the worked example of CONTRIBUTING.md.
#[cfg(doctest)]
#[doc = include_str!("../../../CONTRIBUTING.md")]
struct Contributing;
