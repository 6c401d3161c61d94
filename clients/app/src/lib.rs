//! The one module that a browser loads, for the page and for its worker: what both need (messages, views, the client)
//! travels once. Each begins its own instance of it and calls its own entrance, `start_page` or `Worker`.
//!
//! This is the only place where the page and the rules meet, and neither sees the other here: they talk in messages.

#![forbid(unsafe_code)]

use texas42_browser as _;
use texas42_web as _;
