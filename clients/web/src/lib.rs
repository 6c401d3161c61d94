//! The web page: draws the view of a table and sends the person's choices. It contains no rules of the game.
//!
//! Everything that does not need a browser (texts, drawings, the difference between two views) is tested natively. The
//! rest exists for WebAssembly only.

#![forbid(unsafe_code)]
#![allow(clippy::needless_pass_by_value, reason = "a component owns what it is given")]
#![allow(unreachable_pub, reason = "the component macro makes components public within their module")]

pub mod address;
pub mod frames;
pub mod hot_seat_players;
pub mod invite_link;
pub mod presets;
pub mod settings;
pub mod shortcut;
pub mod storage;
pub mod tickets;
pub mod turn_clock;
pub mod witnesses;

/// The parts of the page that other modules of it draw with as well.
pub use texas42_display::{announce, domino, speech, table_model, tally};
#[cfg(target_arch = "wasm32")]
use texas42_display::{computed, erased_view};
/// The message catalogues.
pub use texas42_phrases as words;

#[cfg(target_arch = "wasm32")]
mod analysis;
#[cfg(target_arch = "wasm32")]
mod app;
#[cfg(target_arch = "wasm32")]
mod browser;
#[cfg(target_arch = "wasm32")]
mod connection;
#[cfg(target_arch = "wasm32")]
mod going_online;
#[cfg(target_arch = "wasm32")]
mod record;
#[cfg(target_arch = "wasm32")]
mod screens;
#[cfg(target_arch = "wasm32")]
mod sound;
#[cfg(target_arch = "wasm32")]
mod study_module;
#[cfg(target_arch = "wasm32")]
mod table;

#[cfg(target_arch = "wasm32")]
mod start {
    use js_sys::Function;
    use wasm_bindgen::prelude::wasm_bindgen;

    /// Mounts the page; called by its script once the module is loaded. `load_study` loads the study module and returns a
    /// promise of its class `Study`.
    #[wasm_bindgen]
    pub async fn start_page(load_study: Function) {
        crate::study_module::provide(load_study);
        crate::app::start().await;
    }
}
