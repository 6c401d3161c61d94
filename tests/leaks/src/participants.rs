//! The participants of a game: their roles, their connections, and whose hands they see.

use texas42_protocol::SecretKey;
use texas42_room::ConnectionId;
use texas42_vocab::Seat;

/// The hands that a participant sees while they are played.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum VisibleHands {
    /// No hand.
    None,
    /// The hand of one seat.
    One(Seat),
    /// All hands, at a table with open hands.
    All,
}

impl VisibleHands {
    /// The seats whose hands are hidden.
    pub(crate) fn hidden(self) -> Vec<Seat> {
        let is_hidden = |seat: &Seat| match self {
            Self::None => true,
            Self::One(own) => *seat != own,
            Self::All => false,
        };
        Seat::ALL.into_iter().filter(is_hidden).collect()
    }
}

/// How a participant communicates with the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Transport {
    /// A connection, which receives updates.
    Connection(ConnectionId),
    /// HTTP requests, without a connection.
    HttpOnly,
}

/// A participant of the audited game: a session, or a stranger who only sends requests.
#[derive(Clone, Debug)]
pub(crate) struct Participant {
    /// The role, for reports and totals.
    pub(crate) role: &'static str,
    pub(crate) transport: Transport,
    /// The key of the session or of an unused invite; `None` for a stranger.
    pub(crate) key: Option<SecretKey>,
    pub(crate) visible_hands: VisibleHands,
}

impl Participant {
    pub(crate) const fn connection(&self) -> Option<ConnectionId> {
        match self.transport {
            Transport::Connection(connection) => Some(connection),
            Transport::HttpOnly => None,
        }
    }

    /// The seat of a player.
    pub(crate) fn seat(&self) -> Option<Seat> {
        match self.visible_hands {
            VisibleHands::One(seat) if self.role != "coach" => Some(seat),
            _ => None,
        }
    }
}
