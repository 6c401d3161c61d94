//! The platform-independent part of the objects behind the codes of lobbies. Each code has an object that knows the table
//! it leads to, and each network has one that counts how often it looks codes up. So no request passes through an object
//! that others share.
//!
//! Invariant: an object stores one [`CodeEntry`], and nothing once its time is over.

use serde::{Deserialize, Serialize};
use texas42_protocol::{GameId, LobbyCode};

/// How long a network has to wait for each lookup beyond its burst, in milliseconds.
const LOOKUP_TIME: u64 = 10_000;

/// A request to an object.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum CodeRequest {
    /// Let the code lead to this table, unless it leads to another one.
    Claim {
        /// The table.
        game: GameId,
        /// Until when, in milliseconds.
        until: u64,
    },
    /// The code no longer leads to this table.
    Release {
        /// The table.
        game: GameId,
    },
    /// The table that the code leads to.
    Find,
    /// Count a lookup of a network.
    Count {
        /// How many lookups in a row are allowed.
        burst: u32,
    },
}

/// The answer to a request.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CodeAnswer {
    /// Whether the request was granted.
    pub is_granted: bool,
    /// The table that the code leads to.
    pub game: Option<GameId>,
}

impl CodeAnswer {
    const GRANTED: Self = Self { is_granted: true, game: None };
    const REFUSED: Self = Self { is_granted: false, game: None };
}

/// What an object stores.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CodeEntry {
    /// The table; a network has none.
    game: Option<GameId>,
    /// When the entry can be deleted: the code has expired, or the network has waited for all its lookups.
    pub until: u64,
}

impl CodeEntry {
    /// Handles a request. Returns the answer and the entry to store; `None` deletes it.
    pub fn handle(stored: Option<Self>, now: u64, request: CodeRequest) -> (CodeAnswer, Option<Self>) {
        let stored = stored.filter(|entry| entry.until > now);
        let game = stored.as_ref().and_then(|entry| entry.game.clone());
        match request {
            CodeRequest::Claim { game: claiming, .. } if game.as_ref().is_some_and(|game| *game != claiming) => {
                (CodeAnswer::REFUSED, stored)
            }
            CodeRequest::Claim { game, until } => (CodeAnswer::GRANTED, Some(Self { game: Some(game), until })),
            CodeRequest::Release { game: releasing } if game.as_ref() == Some(&releasing) => {
                (CodeAnswer::GRANTED, None)
            }
            CodeRequest::Release { .. } => (CodeAnswer::REFUSED, stored),
            CodeRequest::Find => (CodeAnswer { is_granted: game.is_some(), game }, stored),
            CodeRequest::Count { burst } => {
                let until = stored.as_ref().map_or(now, |entry| entry.until);
                match until + LOOKUP_TIME <= now + u64::from(burst) * LOOKUP_TIME {
                    true => (CodeAnswer::GRANTED, Some(Self { game: None, until: until + LOOKUP_TIME })),
                    false => (CodeAnswer::REFUSED, stored),
                }
            }
        }
    }
}

/// The name of the object of a code.
pub fn object_of_code(code: LobbyCode) -> String {
    format!("code-{code}")
}

/// The name of the object of a client's network. All clients without an address share one.
pub fn object_of_client(address: Option<&str>) -> String {
    let network = address.and_then(|address| address.trim().parse().ok()).map(texas42_hosting::client_network);
    network.map_or_else(|| "network".to_owned(), |network| format!("network-{network}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An object whose storage is this value.
    #[derive(Default)]
    struct Object(Option<CodeEntry>);

    impl Object {
        fn ask(&mut self, now: u64, request: CodeRequest) -> CodeAnswer {
            let (answer, entry) = CodeEntry::handle(self.0.take(), now, request);
            self.0 = entry;
            answer
        }

        fn claim(&mut self, now: u64, name: &str) -> bool {
            self.ask(now, CodeRequest::Claim { game: game(name), until: now + 100 }).is_granted
        }
    }

    fn game(name: &str) -> GameId {
        GameId::try_from(name).unwrap()
    }

    #[test]
    fn a_code_leads_to_one_table_until_it_expires() {
        let mut object = Object::default();
        assert!(object.claim(0, "ann") && object.claim(10, "ann"), "the same table may claim it again");
        assert!(!object.claim(20, "bob"));
        assert_eq!(object.ask(109, CodeRequest::Find).game, Some(game("ann")));
        assert_eq!(object.ask(110, CodeRequest::Find), CodeAnswer::default());
        assert!(object.claim(110, "bob"));
    }

    #[test]
    fn a_table_releases_only_its_own_code() {
        let mut object = Object::default();
        object.claim(0, "ann");
        assert!(!object.ask(1, CodeRequest::Release { game: game("bob") }).is_granted);
        assert!(object.ask(1, CodeRequest::Find).is_granted);
        object.ask(2, CodeRequest::Release { game: game("ann") });
        assert_eq!(object.0, None);
    }

    #[test]
    fn a_network_looks_up_a_few_codes_and_then_waits() {
        let mut object = Object::default();
        let mut count = |now: u64| object.ask(now, CodeRequest::Count { burst: 3 }).is_granted;
        assert_eq!([0, 0, 0, 0].map(&mut count), [true, true, true, false]);
        assert_eq!([LOOKUP_TIME - 1, LOOKUP_TIME, LOOKUP_TIME].map(&mut count), [false, true, false]);
        assert_eq!([4 * LOOKUP_TIME; 4].map(&mut count), [true, true, true, false]);
    }

    #[test]
    fn clients_of_one_network_share_an_object() {
        assert_eq!(object_of_client(Some("2001:db8::1")), object_of_client(Some("2001:db8::2")));
        assert_ne!(object_of_client(Some("192.0.2.1")), object_of_client(Some("192.0.2.2")));
        assert_eq!(object_of_client(Some("nonsense")), object_of_client(None));
    }
}
