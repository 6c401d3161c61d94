//! Bots for Texas 42. A bot sees the same [`GameView`](texas42_protocol::GameView) as any player in its seat, and
//! returns an action with its reasons.
//!
//! ```
//! use texas42_ai::{DecisionPoint, Strategy};
//! use texas42_room::HeadlessRoom;
//!
//! let mut room = HeadlessRoom::new(&Default::default()).unwrap();
//! while let Some(seat) = room.state().to_act() {
//!     let view = room.view(seat);
//!     let decision = Strategy::Beginner.decide(&DecisionPoint::new(&view, seat, 42)).unwrap();
//!     assert!(view.valid_actions.iter().any(|valid| valid.action == decision.action));
//!     room.execute(decision.action).unwrap();
//! }
//! ```
//!
//! - [`Strategy`]: the bots by strength. [`DecisionPoint`] is the input and [`Decision`] the output. A strategy is
//!   deterministic.
//! - [`hints`]: advice about each choice. [`review`]: rates the decisions of a game.
//!   [`seeds`]: deals of a given difficulty.
//! - [`Knowledge`]: what a seat knows. [`Worlds`]: every deal that is consistent with it.

#![no_std]
#![forbid(unsafe_code)]

extern crate alloc;

mod beginner;
pub mod calibration;
mod decision;
mod expert;
mod hints;
mod knowledge;
mod random;
mod reasons;
pub mod review;
pub mod seeds;
mod stakes;
mod worlds;

pub use beginner::HandEstimate;
pub use decision::{Choice, Decision, DecisionPoint, Strategy, UnknownStrategy};
pub use expert::{Effort, OpenHandChance};
pub use hints::{Advice, hints, hints_of};
pub use knowledge::{Knowledge, KnownTrick};
pub use random::Random;
pub use stakes::POINTS_PER_HAND;
pub use worlds::Worlds;
