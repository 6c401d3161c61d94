//! The vocabulary of Texas 42: dominoes, hands, seats, bids, trumps, actions, layers and configurations.
//!
//! Everything here is a plain value that can be compared, printed and serialized as JSON. This crate contains no rules:
//! a [`Bid`] knows what it is worth, but only the engine knows whether it is legal. A client can draw a table with
//! these types alone.
//!
//! ```
//! use texas42_vocab::{Action, Domino, Seat};
//!
//! let play: Action = serde_json::from_str(r#"{"type":"play","player":2,"domino":"6-4"}"#).unwrap();
//! assert_eq!(play, Action::Play { player: Seat::new(2).unwrap(), domino: Domino::new(6, 4).unwrap() });
//! assert_eq!(Domino::new(6, 4).unwrap().count(), 10);
//! ```
//!
//! Each type has its own file: [`Domino`], [`Hand`], [`Seat`] and [`Team`], [`Bid`], [`Trump`], [`Phase`], [`Action`],
//! [`Layer`], [`Config`].

#![no_std]
#![forbid(unsafe_code)]

extern crate alloc;

mod action;
mod bid;
mod config;
mod domino;
mod hand;
pub mod json;
mod layer;
mod phase;
mod rank;
mod read;
#[cfg(feature = "schema")]
mod schema;
mod seat;
mod suit;
mod text;
mod trump;

pub use action::{Action, ActionKind, Control};
pub use bid::{Bid, BidKind};
pub use config::{Config, Deal, Scoring};
pub use domino::{Domino, Pip};
pub use hand::Hand;
pub use json::to_json;
pub use layer::*;
pub use phase::Phase;
pub use rank::{sort_best_first, sort_by_rank};
pub use read::{Tagged, read, read_value};
pub use seat::{Seat, Team};
pub use suit::SuitName;
pub use text::SeedText;
pub use trump::Trump;

/// Why a string or a number could not be parsed as one of the types of this crate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ParseError {
    /// Not a domino of the double-six set.
    #[error("a domino is written high-low with ends from 0 to 6, like \"6-4\"")]
    Domino,
    /// Not a seat.
    #[error("a seat is a number from 0 to 3")]
    Seat,
    /// Not a team.
    #[error("a team is 0 (seats 0 and 2) or 1 (seats 1 and 3)")]
    Team,
    /// Too long, empty, or with characters that are not URL-safe.
    #[error("a seed is 1 to 48 characters: letters, digits and - _ . : ~")]
    Seed,
    /// Not a calendar date.
    #[error("a date is written YYYY-MM-DD, from 2000-01-01 on")]
    Date,
}
