//! The screens that study a game: the replay of a game, and its review. They are a WebAssembly module of their own, together with their worker
//! (`hosts/study`), which the page loads when a person opens one of them. They contain no rules of the game.
//!
//! Everything that does not need a browser is tested natively. The rest exists for WebAssembly only.

#![forbid(unsafe_code)]
#![allow(clippy::needless_pass_by_value, reason = "a component owns what it is given")]
#![allow(unreachable_pub, reason = "the component macro makes components public within their module")]

pub mod replay;
pub mod review;
pub mod study_screen;

#[cfg(target_arch = "wasm32")]
mod page;
#[cfg(target_arch = "wasm32")]
mod replay_screen;
#[cfg(target_arch = "wasm32")]
mod replay_state;
#[cfg(target_arch = "wasm32")]
mod review_chart;
#[cfg(target_arch = "wasm32")]
mod review_learn;
#[cfg(target_arch = "wasm32")]
mod review_screen;
#[cfg(target_arch = "wasm32")]
mod review_state;
#[cfg(target_arch = "wasm32")]
mod study;
#[cfg(target_arch = "wasm32")]
mod study_worker;
