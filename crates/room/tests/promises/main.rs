//! What a table guarantees to its players, one test per guarantee.

#![allow(clippy::unwrap_used, reason = "a failed unwrap fails the test")]

mod acting;
mod bringing;
mod control;
mod fairness;
mod joining;
mod limits;
mod restoring;
#[path = "../support/mod.rs"]
mod support;
mod taking_back;
mod watching;
