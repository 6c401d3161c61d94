//! The one WebAssembly module of a browser. The page and its worker share it, so that the code that both need (messages,
//! views, the client) is downloaded once. Each instantiates it and calls its own entry point, `start_page` or `Worker`.
//!
//! Only this crate links both the page and the rules. They exchange messages and do not depend on each other.

#![forbid(unsafe_code)]

use texas42_browser as _;
use texas42_web as _;
