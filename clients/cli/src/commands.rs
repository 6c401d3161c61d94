//! One file for each command.

pub(crate) mod arena;
pub(crate) mod backup;
pub(crate) mod bot;
pub(crate) mod calibrate;
pub(crate) mod completions;
pub(crate) mod explain;
pub(crate) mod headless;
pub(crate) mod join;
pub(crate) mod man;
pub(crate) mod play;
pub(crate) mod replay;
pub(crate) mod review;
pub(crate) mod schema;
pub(crate) mod seeds;
pub(crate) mod serve;
pub(crate) mod simulate;
pub(crate) mod verify_data;
pub(crate) mod verify_deal;
