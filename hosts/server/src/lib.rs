//! The native server of Texas 42 as a library. [`serve::Server`] runs it; the `texas42 serve` command is in
//! `clients/cli`.

pub mod serve;
pub mod strategies;
