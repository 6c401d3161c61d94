//! The WebAssembly module of the screens that study a game, which the page loads when somebody opens one. The page and the worker of
//! these screens share it. Each instantiates it and calls its own entry point, `Study` or `StudyWorker`.
//!
//! Only this crate links both the screens and the rules. They exchange messages and do not depend on each other.

#![forbid(unsafe_code)]

use texas42_study as _;
use texas42_study_host as _;
