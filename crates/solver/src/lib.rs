//! An exact double-dummy solver for Texas 42: computes the result of a hand with perfect play and all hands open, from
//! any point of the play and for every contract.
//!
//! ```
//! use texas42_engine::{Context, advance};
//! use texas42_solver::{SearchStopped, Position, Solver};
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
//! // The best move has the value of the position, and so has the end of the principal variation.
//! let best = solver.moves(&position).into_iter().max_by_key(|(_, value)| *value).unwrap();
//! assert_eq!(best.1, value);
//! let end = solver.principal_variation(&position).iter().fold(position.clone(), |at, (_, domino)| at.play(*domino).unwrap());
//! assert_eq!(solver.value(&end), value);
//!
//! // A node budget bounds the search.
//! solver.forget();
//! assert_eq!(solver.with_budget(10).value(&position), Err(SearchStopped));
//! ```
//!
//! - [`Position`]: a hand in play, from a state or from assumed hands.
//! - [`Solver`]: solves positions. [`BudgetedSolver`]: the same with a node budget and cancellation.
//! - [`Value`]: the result.
//! - [`par`]: what a deal is worth to a seat that names trumps.
//!
//! The solver's tables are generated from the engine's [`Suits`](texas42_engine::Suits), so both use the same rules.

#![no_std]
#![forbid(unsafe_code)]

extern crate alloc;

mod board;
mod bounds;
mod order;
mod par;
mod position;
mod search;
mod solver;
mod tables;
mod transposition;
mod value;

pub use par::par;
pub use position::Position;
pub use solver::{BudgetedSolver, MoveValues, PrincipalVariation, SearchStopped, Solver};
pub use value::Value;
