//! Which table is set up: one and the same for one key, so that a creation whose answer was lost finds its table again.

use alloc::{format, string::String};

use sha2::{Digest, Sha256};
use texas42_protocol::{ClientMessage, GameId, Name, RequestId, SecretKey};

/// The id of the table that the holder of a key sets up. It tells nothing about the key and opens nothing.
pub fn id_of(key: &SecretKey) -> GameId {
    let hash = Sha256::new().chain_update("texas42 table ").chain_update(key.bytes()).finalize();
    readable_id(&hash[..12])
}

/// An id that is short enough to read out.
pub fn readable_id(bytes: &[u8]) -> GameId {
    const LETTERS: &[u8; 32] = b"abcdefghjkmnpqrstuvwxyz023456789";
    let text: String = bytes.iter().map(|byte| char::from(LETTERS[usize::from(byte % 32)])).collect();
    GameId::try_from(text).expect("letters and digits make an id")
}

/// Where the maker of a table sees it, with the key that came with the answer.
pub fn place_of(game: &GameId) -> String {
    format!("/api/games/{game}/state")
}

/// How the maker of a table that stands comes back to it, instead of setting it up again.
pub fn come_back_instead(message: &ClientMessage) -> Option<ClientMessage> {
    let ClientMessage::CreateGame { request_id, name, session_key: Some(key), .. } = message else { return None };
    Some(back_to_own(key, request_id.clone(), name.clone()))
}

/// The way back to the table that the holder of a key has set up.
pub fn back_to_own(key: &SecretKey, request_id: Option<RequestId>, name: Name) -> ClientMessage {
    ClientMessage::JoinGame {
        game_id: id_of(key),
        request_id,
        key: None,
        session_key: Some(key.clone()),
        name,
        role: None,
        seat: None,
        capabilities: None,
        entropy: None,
        version: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_leads_to_one_table_and_another_to_another() {
        let (one, two) = (SecretKey::new([1; 16]), SecretKey::new([2; 16]));
        assert_eq!(id_of(&one), id_of(&one));
        assert_ne!(id_of(&one), id_of(&two));
        assert_eq!(id_of(&one).as_str().len(), 12);
    }
}
