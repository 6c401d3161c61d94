//! The inputs of a table, which a twin repeats.

use texas42_hosting::{Binding, routes::TableEndpoint};
use texas42_protocol::SecretKey;
use texas42_room::{ConnectionId, Event, RandomPlayer};
use texas42_vocab::{Action, Seat};

/// An HTTP request.
#[derive(Clone, Debug)]
pub(crate) struct Request {
    /// The index of the participant who sends it.
    pub(crate) by: usize,
    pub(crate) endpoint: TableEndpoint,
    pub(crate) key: Option<SecretKey>,
    pub(crate) body: String,
}

/// An input of a table.
#[derive(Clone, Debug)]
pub(crate) enum Input {
    /// A frame on a connection.
    Frame { from: ConnectionId, text: String },
    /// An HTTP request.
    Request(Request),
    /// The clock of the table advances to `at`.
    Time { at: u64 },
    /// A connection is lost.
    Lost { connection: ConnectionId },
    /// A connection is made.
    Connected { connection: ConnectionId },
    /// The host restarts, after a session has joined over this connection.
    Adopted { event: Box<Event>, binding: Binding },
}

/// A random option. With `passes`, most likely a pass, so that everyone passes and the hand is thrown in.
pub(crate) fn draw<T: Copy>(
    options: &[T],
    action: impl Fn(&T) -> Action,
    passes: bool,
    random: &mut RandomPlayer,
) -> Option<T> {
    let pass = options.iter().find(|option| matches!(action(option), Action::Pass { .. }));
    match pass.filter(|_| passes && random.below(10) > 0) {
        Some(pass) => Some(*pass),
        None if options.is_empty() => None,
        None => Some(options[random.below(options.len() as u64) as usize]),
    }
}

/// A decision of one of the host's bots. Twins repeat the decisions in the order in which the table requests them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct BotMove {
    pub(crate) seat: Seat,
    pub(crate) version: u64,
    pub(crate) action: Action,
}
