//! Who sees what: views of a state, built field by field from what a viewer may know.
//!
//! Invariant: two states that differ only in what a viewer may not see give byte-identical views.

#![no_std]
#![forbid(unsafe_code)]

extern crate alloc;

mod label;
mod view;

pub use view::{Viewer, view};
