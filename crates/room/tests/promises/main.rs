//! What a table guarantees to its players, one test per guarantee.

#![allow(clippy::unwrap_used, reason = "a failed unwrap fails the test")]

mod absence;
mod acting;
mod configuring;
mod control;
mod fairness;
mod import;
mod invited_bots;
mod joining;
mod known_deals;
mod limits;
mod lobby;
mod restoring;
mod second_verifier;
mod seen_hands;
mod speech;
#[path = "../support/mod.rs"]
mod support;
mod undo;
mod watching;
