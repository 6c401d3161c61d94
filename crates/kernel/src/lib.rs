//! Sessions and their capabilities, authorization, and views.
//!
//! Everything is a pure function of its arguments. Permissions come from capabilities, never from identities. A view is
//! built field by field from what the viewer may know: two states that differ only in hidden information produce
//! byte-identical views.

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
pub use view::{Scene, TableMetadata, Viewer, setup_view, story_hand, view};
