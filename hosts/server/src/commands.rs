//! One file for each command.

pub(crate) mod explain;
pub(crate) mod headless;
pub(crate) mod replay;
pub(crate) mod schema;
pub(crate) mod simulate;
pub(crate) mod verify_deal;
