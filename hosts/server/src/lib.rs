//! The native server of Texas 42 as a library. [`serve::Server`] runs it; `texas42 serve` (in `clients/cli`) is its program.

pub mod serve;
pub mod strategies;
