//! What the native host has beside its commands: the conversation in JSON lines, which tools and tests hold as well.

pub mod headless;
pub mod serve;
pub mod show;
pub mod strategies;
pub mod wire;
