//! Who may do and see what: sessions and their capabilities, authorisation, and views.
//!
//! Everything is a pure function of its arguments. Permission comes from capabilities alone, never from who somebody is,
//! and a view is built field by field from what a viewer may know: two states that differ only in what a viewer may not
//! see give byte-identical views.

#![no_std]
#![forbid(unsafe_code)]

extern crate alloc;

mod authorise;
mod composition;
mod key;
mod label;
mod session;
mod view;

pub use authorise::authorise;
pub use composition::composition;
pub use key::KeyHash;
pub use session::{Session, granted};
pub use view::{Around, Scene, Viewer, setup_view, story_hand, view};
