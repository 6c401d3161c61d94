//! An exact solver for one hand of Texas 42 with all hands open: what the bidders can get if everybody plays as well as
//! can be, from any moment of the play and for every contract.
//!
//! ```
//! use texas42_engine::{Context, advance};
//! use texas42_solver::{OutOfNodes, Position, Solver};
//! use texas42_vocab::{Action, Bid, Trump};
//!
//! let ctx = Context::compose(&Default::default()).unwrap();
//! let mut state = ctx.first_state();
//! let player = state.turn;
//! advance(&ctx, &mut state, Action::Bid { player, bid: Bid::points(30) }).unwrap();
//! for _ in 0..3 {
//!     let player = state.turn;
//!     advance(&ctx, &mut state, Action::Pass { player }).unwrap();
//! }
//! advance(&ctx, &mut state, Action::SelectTrump { player, trump: Trump::Fives }).unwrap();
//!
//! let position = Position::from_state(&state).unwrap();
//! let mut solver = Solver::new();
//! let value = solver.value(&position);
//! assert_eq!(value.makes(), value.points().unwrap() >= 30);
//! assert_eq!(value.makes(), solver.makes(&position));
//!
//! // The best of the moves is worth what the position is worth, and a line of best play ends there.
//! let best = solver.moves(&position).into_iter().max_by_key(|(_, value)| *value).unwrap();
//! assert_eq!(best.1, value);
//! let end = solver.line(&position).iter().fold(position.clone(), |at, (_, domino)| at.play(*domino).unwrap());
//! assert_eq!(solver.value(&end), value);
//!
//! // A budget stops a search that would take too long.
//! solver.forget();
//! assert_eq!(solver.with_budget(10).value(&position), Err(OutOfNodes));
//! ```
//!
//! - [`Position`]: a hand in play; from a state, or from hands that are only supposed.
//! - [`Solver`]: the questions. [`Limited`]: the same with a budget and a way to cancel.
//! - [`Value`]: the answer.
//!
//! Suits, followers and winners are tables compiled from the engine's, so the solver plays by the same rules.

#![no_std]
#![forbid(unsafe_code)]

extern crate alloc;

mod board;
mod bounds;
mod memory;
mod order;
mod position;
mod search;
mod solver;
mod tables;
mod value;

pub use position::Position;
pub use solver::{Limited, Line, MoveValues, OutOfNodes, Solver};
pub use value::Value;
