//! A table on the screen: its model, the sentences about it, and its drawing. The modules of the page share this crate: the page itself
//! (`clients/web`) and the screens that study a game (`clients/study`). It contains no rules of the game, and nothing here sends an action.
//!
//! Everything that does not need a browser (texts, drawings, the difference between two views) is tested natively. The rest exists for
//! WebAssembly only. It draws the table of the `ShownTable` that the caller provides as a context.

#![forbid(unsafe_code)]
#![allow(unreachable_pub, reason = "the component macro makes components public within their module")]

pub mod announce;
pub mod domino;
pub mod speech;
pub mod table_model;
pub mod tally;

/// The message catalogues.
pub use texas42_phrases as words;

#[cfg(target_arch = "wasm32")]
pub mod advice;
#[cfg(target_arch = "wasm32")]
pub mod browser;
#[cfg(target_arch = "wasm32")]
pub mod catalogue;
#[cfg(target_arch = "wasm32")]
pub mod computed;
#[cfg(target_arch = "wasm32")]
pub mod ending;
#[cfg(target_arch = "wasm32")]
pub mod erased_view;
#[cfg(target_arch = "wasm32")]
pub mod goal;
#[cfg(target_arch = "wasm32")]
pub mod result;
#[cfg(target_arch = "wasm32")]
pub mod score;
#[cfg(target_arch = "wasm32")]
pub mod seat;
#[cfg(target_arch = "wasm32")]
pub mod shown_table;
#[cfg(target_arch = "wasm32")]
pub mod status;
#[cfg(target_arch = "wasm32")]
pub mod tile;
#[cfg(target_arch = "wasm32")]
pub mod trick;
#[cfg(target_arch = "wasm32")]
pub mod worker_script;

#[cfg(target_arch = "wasm32")]
pub use shown_table::{ShownTable, shown};
