//! Players for Texas 42: they see a [`GameView`](texas42_protocol::GameView) like anybody at the table, and say what they
//! do and why.
//!
//! ```
//! use texas42_ai::{Ask, Strategy};
//! use texas42_room::HeadlessRoom;
//!
//! let mut room = HeadlessRoom::new(&Default::default()).unwrap();
//! while let Some(seat) = room.state().to_act() {
//!     let view = room.view(seat);
//!     let decision = Strategy::Beginner.decide(&Ask::new(&view, seat, 42)).unwrap();
//!     assert!(view.valid_actions.iter().any(|valid| valid.action == decision.action));
//!     room.execute(decision.action).unwrap();
//! }
//! ```
//!
//! - [`Strategy`]: who decides; [`Ask`] and [`Decision`]: question and answer. The same question has the same answer.
//! - [`hints`]: what a friend would say. [`review`]: what a decision was worth. [`seeds`]: deals as hard as wanted.
//! - [`Sight`]: what a seat knows. [`Worlds`]: everything that it does not, counted and drawn.

#![no_std]
#![forbid(unsafe_code)]

extern crate alloc;

mod ask;
mod beginner;
pub mod calibration;
mod hints;
mod mind;
mod random;
mod reasons;
pub mod review;
pub mod seeds;
mod sight;
mod stakes;
mod worlds;

pub use ask::{Ask, Choice, Decision, Strategy, UnknownStrategy};
pub use beginner::Outlook;
pub use hints::{Advice, hints};
pub use mind::{Effort, OpenChance};
pub use random::Random;
pub use sight::{LaidTrick, Sight};
pub use stakes::POINTS_A_HAND;
pub use worlds::Worlds;
