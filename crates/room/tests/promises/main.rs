//! What a table guarantees to its players, one test per guarantee.

#![allow(clippy::unwrap_used, reason = "a failed unwrap fails the test")]

mod acting;
mod control;
mod fairness;
mod import;
mod joining;
mod limits;
mod restoring;
#[path = "../support/mod.rs"]
mod support;
mod undo;
mod watching;
