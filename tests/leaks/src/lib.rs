//! The leak audit: what a table sends to a person does not depend on dominoes that this person may not see.
//!
//! [`audit_game`] plays one random game at a table with every role, over connections and over HTTP, and records every byte
//! that each role receives. Then, for each role, it deals the hidden dominoes differently, repeats the same public
//! actions at the same times, and requires that the role receives the same bytes. The repeated game is called a *twin*.
//!
//! - `participants`: who is at the table, and whose hand each role sees.
//! - `deals`: deals that a viewer cannot tell from the real ones.
//! - `inputs`: the inputs of a table, which a twin repeats.
//! - `recorded_table`: a table host with given deals, and everything that it sends.
//! - `game`: plays a game, and compares it with its twins.
//!
//! The inputs and outputs are those of the table host, which every host shares: the text of a frame is what a WebSocket or
//! a worker receives, and an answer is the status and the body of an HTTP response.
//!
//! A table with given deals is for one person. Therefore the audit creates a table with secret deals, lets everyone join,
//! and restores it from a log that contains the deals: such a table keeps its commitments but deals the given hands.

mod deals;
mod game;
mod inputs;
mod participants;
mod recorded_table;

pub use game::{Leak, Totals, audit_game, audit_games};
