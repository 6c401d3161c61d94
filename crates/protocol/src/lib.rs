//! What goes over the wire: views of a table, and nothing that a client could not be shown.
//!
//! Clients and bots need this crate and `texas42-vocab`; they never see the engine.

#![no_std]
#![forbid(unsafe_code)]

extern crate alloc;

mod view;

pub use view::{
    Call, ClaimView, ContractView, Derived, GameView, HandSummary, OutcomeView, PlayView, Playable, PlayerHand,
    TableView, TrickView, ValidAction,
};
