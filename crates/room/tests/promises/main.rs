//! What a table promises to those who sit at it, one test for each promise.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has to say where")]

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
