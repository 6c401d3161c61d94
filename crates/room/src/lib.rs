//! Games with and without a table around them. This is the only crate that composes a configuration into rules.
//!
//! [`Room`] is a table with people and bots, as a sans-I/O state machine. [`HeadlessRoom`] runs a game without sessions
//! or transport, for tools, simulations, replays and tests.
//!
//! ```
//! use texas42_room::HeadlessRoom;
//!
//! let mut room = HeadlessRoom::new(&Default::default()).unwrap();
//! let pass = room.legal().nth(0).unwrap();
//! room.execute(pass).unwrap();
//! assert_eq!(room.view(room.state().turn).state.auction.len(), 1);
//! ```

#![no_std]
#![forbid(unsafe_code)]

extern crate alloc;

mod allowance;
mod attendance;
mod clock;
mod creation;
mod event;
mod fair;
mod headless;
mod keys;
mod random_player;
mod result;
mod room;
mod seen_hands;
mod table;
mod visitor_limits;

pub use clock::Clock;
pub use creation::{Creation, DealRequest, DealSearch, Par, SearchStep, Step};
pub use event::{EarlierGames, Event, LaterDeals, Secret, StoredEvent};
pub use fair::{FairRecord, FairnessError, LaterRecord};
pub use headless::{HeadlessRoom, OpenError};
pub use random_player::RandomPlayer;
pub use room::{
    CodeClaim, ConnectionId, ConnectionOwner, Effect, HintPoint, ImportedTable, NewTable, OpenCode, RestoreError, Room,
    SurvivingConnection, WaitingGuest,
};
