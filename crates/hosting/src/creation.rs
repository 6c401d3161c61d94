//! New tables: turns a `CREATE_GAME` or an import into a [`TableHost`].
//!
//! The id of a table follows from the creator's key, so a repeated creation finds its table again.

use alloc::{
    boxed::Box,
    format,
    string::{String, ToString},
};

use sha2::{Digest, Sha256};
use texas42_phrases::Problem;
use texas42_protocol::{ClientMessage, GameId, Name, RequestId, SecretKey, ServerMessage, WireError};
use texas42_room::{ConnectionId, Creation, ImportedTable, NewTable, Room, Step};

use crate::{
    BotSettings, CallId, TableCall, TableHost, bearer,
    deals::{par, search_for},
    text_of,
};

/// The name of an import in replies.
pub const IMPORT: &str = "IMPORT_GAME";

/// Who creates a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Creator {
    /// A connection. It is connected to the table from the start.
    Connection(ConnectionId),
    /// A request without a connection, answered as [`CallId::CREATION`].
    Call,
}

impl Creator {
    pub(crate) const fn connection(self) -> ConnectionId {
        match self {
            Self::Connection(connection) => connection,
            Self::Call => CallId::CREATION.connection(),
        }
    }
}

/// What a host provides for a new table. Both arrays are unpredictable bytes.
#[derive(Clone, Debug)]
pub struct NewHost {
    /// The current time.
    pub now: u64,
    /// The id of the table: [`id_for`] or [`id_of`].
    pub id: GameId,
    /// Who creates it.
    pub creator: Creator,
    /// How its bots play.
    pub bots: BotSettings,
    /// For its keys and deals.
    pub randomness: [u8; 32],
    /// For its bots.
    pub seed: [u8; 32],
}

impl NewHost {
    fn table(&self) -> NewTable {
        NewTable { id: self.id.clone(), randomness: self.randomness, connection: self.creator.connection() }
    }

    fn host(&self, room: Room, kind: &'static str, request: Option<RequestId>) -> TableHost {
        let mut host = TableHost::new(self.now, room, self.creator, self.bots, self.seed);
        host.note_request(self.creator.connection(), kind, request);
        host
    }
}

/// A table that is being created.
///
/// Call [`poll`](Self::poll) until it returns [`SetupStep::Ready`] or [`SetupStep::Refused`]. Dropping a setup cancels
/// it.
pub struct Setup {
    new: NewHost,
    message: ClientMessage,
    creation: Creation,
}

/// The result of one [`Setup::poll`].
#[derive(Debug)]
pub enum SetupStep {
    /// The search for a deal continues: send this to the creator, then poll again.
    Progress(Box<ServerMessage>),
    /// The table has been created but is not stored yet.
    Ready(Box<TableHost>),
    /// The table cannot be created: the reply to send.
    Refused(Box<ServerMessage>),
}

impl Setup {
    /// Starts with a `CREATE_GAME` message.
    pub fn new(new: NewHost, message: ClientMessage) -> Self {
        let creation = Creation::new(new.now, new.table(), message.clone(), search_for, par);
        Self { new, message, creation }
    }

    /// Whether the next poll may take long.
    pub const fn is_searching(&self) -> bool {
        self.creation.is_searching()
    }

    /// Who creates the table.
    pub const fn creator(&self) -> Creator {
        self.new.creator
    }

    /// Whether a message is a repetition of the request that started this setup.
    pub fn is_for(&self, message: &ClientMessage) -> bool {
        is_repeated(&self.message, message)
    }

    /// Does one slice of the work. Do not poll again after `Ready` or `Refused`.
    pub fn poll(&mut self) -> SetupStep {
        match self.creation.poll() {
            Step::Progress(message) => SetupStep::Progress(message),
            Step::Refused(answer) => SetupStep::Refused(answer),
            Step::Ready(room) => {
                let request = self.message.request_id().cloned();
                SetupStep::Ready(Box::new(self.new.host(*room, self.message.name(), request)))
            }
        }
    }
}

/// Imports a table that a client uploads. Its id must be [`id_of`] the key.
///
/// # Errors
/// The reply to send, if the body cannot be read or contains something that cannot be imported.
pub fn import(new: &NewHost, key: &SecretKey, body: &[u8]) -> Result<TableHost, Box<ServerMessage>> {
    let refuse = |error| Box::new(ServerMessage::refusal(Some(IMPORT), None, error));
    let unreadable = |error: serde_json::Error| WireError::new(Problem::Unreadable { detail: error.to_string() });
    let imported: ImportedTable =
        text_of(body).and_then(|text| serde_json::from_str(text).map_err(unreadable)).map_err(refuse)?;
    let room = Room::adopt(new.now, new.table(), key, &imported)?;
    Ok(new.host(room, IMPORT, imported.request_id))
}

/// The key for an import, from the `Authorization` header.
///
/// # Errors
/// If there is no key.
pub fn import_key(header: Option<&str>) -> Result<SecretKey, WireError> {
    bearer(header)?.ok_or_else(|| WireError::new(Problem::KeyMissing))
}

/// The call that replaces a repeated import: the creator joins the imported table.
pub fn rejoin_import_call(key: SecretKey) -> TableCall {
    let name = Name::try_from("Guest").expect("a valid name");
    let message = join_own_table(&key, None, name);
    TableCall::Message { key: Some(key), message }
}

/// The id of the table that a `CREATE_GAME` creates. Without a key, it is derived from the random bytes.
pub fn id_for(message: &ClientMessage, random: [u8; 12]) -> GameId {
    key_in(message).map_or_else(|| readable_id(&random), id_of)
}

/// Whether the second message repeats the `CREATE_GAME` in the first, as clients do when they get no reply for a while.
pub fn is_repeated(create: &ClientMessage, message: &ClientMessage) -> bool {
    key_in(message).is_some_and(|key| key_in(create) == Some(key))
}

const fn key_in(message: &ClientMessage) -> Option<&SecretKey> {
    match message {
        ClientMessage::CreateGame { session_key, .. } => session_key.as_ref(),
        _ => None,
    }
}

/// The id of the table that the holder of a key creates. It reveals nothing about the key and grants no access.
pub fn id_of(key: &SecretKey) -> GameId {
    let hash = Sha256::new().chain_update("texas42 table ").chain_update(key.bytes()).finalize();
    readable_id(&hash[..12])
}

/// An id that is short enough to read out.
fn readable_id(bytes: &[u8]) -> GameId {
    const LETTERS: &[u8; 32] = b"abcdefghjkmnpqrstuvwxyz023456789";
    let text: String = bytes.iter().map(|byte| char::from(LETTERS[usize::from(byte % 32)])).collect();
    GameId::try_from(text).expect("letters and digits form a valid id")
}

/// The path at which the creator can get the table, with the key from the reply.
pub fn state_path(game: &GameId) -> String {
    format!("/api/games/{game}/state")
}

/// The message that replaces a repeated creation: the creator joins the existing table.
pub fn rejoin_message(message: &ClientMessage) -> Option<ClientMessage> {
    let ClientMessage::CreateGame { request_id, name, session_key: Some(key), .. } = message else { return None };
    Some(join_own_table(key, request_id.clone(), name.clone()))
}

/// A message with which the holder of a key joins the table that it created.
fn join_own_table(key: &SecretKey, request_id: Option<RequestId>, name: Name) -> ClientMessage {
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
    fn each_key_leads_to_its_own_table() {
        let (one, two) = (SecretKey::new([1; 16]), SecretKey::new([2; 16]));
        assert_eq!(id_of(&one), id_of(&one));
        assert_ne!(id_of(&one), id_of(&two));
        assert_eq!(id_of(&one).as_str().len(), 12);
    }

    fn create(key: Option<&SecretKey>) -> ClientMessage {
        let key = key.map(|key| String::from(key.clone()));
        let message = serde_json::json!({ "type": "CREATE_GAME", "name": "Ann", "requestId": "c", "sessionKey": key });
        serde_json::from_value(message).unwrap()
    }

    #[test]
    fn without_a_key_five_bits_of_each_random_byte_make_the_id() {
        let id = |first: u8| id_for(&create(None), core::array::from_fn(|at| first + at as u8));
        assert_eq!(id(0).as_str(), "abcdefghjkmn");
        assert_eq!(id(20).as_str(), "xyz023456789");
        assert_eq!(id(32), id(0), "only the lowest bits count");
        let key = SecretKey::new([1; 16]);
        assert_eq!(id_for(&create(Some(&key)), [0; 12]), id_of(&key));
    }

    #[test]
    fn a_creation_is_repeated_if_it_has_the_same_key() {
        let (one, two) = (SecretKey::new([1; 16]), SecretKey::new([2; 16]));
        assert!(is_repeated(&create(Some(&one)), &create(Some(&one))));
        assert!(!is_repeated(&create(Some(&one)), &create(Some(&two))));
        assert!(!is_repeated(&create(None), &create(None)), "two people may create tables at the same time");
        assert!(!is_repeated(&create(Some(&one)), &ClientMessage::Ping { nonce: 1 }));
    }

    #[test]
    fn the_creator_of_an_existing_table_joins_it() {
        let key = SecretKey::new([1; 16]);
        let Some(ClientMessage::JoinGame { game_id, request_id, session_key, .. }) =
            rejoin_message(&create(Some(&key)))
        else {
            panic!("a creation with a key can be repeated");
        };
        assert_eq!((game_id, session_key), (id_of(&key), Some(key)));
        assert_eq!(request_id, RequestId::try_from("c").ok());
        assert!(rejoin_message(&create(None)).is_none());
    }

    #[test]
    fn an_import_needs_a_key() {
        let key = SecretKey::new([7; 16]);
        let header = format!("Bearer {}", String::from(key.clone()));
        assert_eq!(import_key(Some(&header)).unwrap(), key);
        assert!(import_key(None).is_err() && import_key(Some("Bearer x")).is_err());
    }

    #[test]
    fn a_new_table_is_where_the_route_of_its_state_is() {
        use crate::routes::{Endpoint, TableEndpoint};
        let game = id_of(&SecretKey::new([1; 16]));
        let route = Endpoint::Table(TableEndpoint::State).route();
        assert_eq!(state_path(&game), route.path.replace("{id}", game.as_str()));
    }
}
