//! One file for each command.

pub(crate) mod explain;
pub(crate) mod headless;
pub(crate) mod replay;
pub(crate) mod simulate;
