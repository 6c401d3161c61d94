//! Parses invite links, table ids, and the addresses of servers.

use texas42_client::Credentials;
use texas42_protocol::{GameId, InvalidText, LobbyCode, Name, Role, SecretKey};

use crate::address::{LinkError, ServerAddress};

/// The first word of the fragment of a link, and the role that it invites to. Only the key decides what is granted; the word is
/// informative.
const ROLE_WORDS: [(&str, Role); 5] = [
    ("join", Role::Player),
    ("watch", Role::Spectator),
    ("coach", Role::Coach),
    ("behind", Role::Admin),
    ("bot", Role::Ai),
];

/// The first word of the fragment of a link to a lobby.
const CODE_WORD: &str = "code";

/// The server of a link that names none.
pub const DEFAULT_SERVER: &str = "http://localhost:4242";

/// An invite link, or the id of a table that is open to spectators.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InviteLink {
    /// The server of the table.
    pub server: ServerAddress,
    /// The table.
    pub game: GameId,
    /// The key of the invite. A table that is open to spectators can be watched without one.
    pub key: Option<SecretKey>,
}

impl InviteLink {
    /// The credentials that join the table under this name.
    pub fn credentials(self, name: Name) -> Credentials {
        Credentials::join(self.game, self.key, name)
    }
}

impl core::str::FromStr for InviteLink {
    type Err = LinkError;

    fn from_str(text: &str) -> Result<Self, LinkError> {
        match Target::read(text, DEFAULT_SERVER)? {
            Target::Table(link) => Ok(link),
            Target::Server(server) | Target::Code(server, _) => Err(LinkError(format!(
                "an invite link looks like {DEFAULT_SERVER}/#join/TABLE/KEY; {server} names no table"
            ))),
        }
    }
}

/// What a link leads to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target {
    /// A server, to create a table there.
    Server(ServerAddress),
    /// A table that exists.
    Table(InviteLink),
    /// The table whose lobby has this code.
    Code(ServerAddress, LobbyCode),
}

impl Target {
    /// Parses a link (`https://host/#watch/TABLE/KEY`, `https://host/#code/CODE`), its fragment, the code of a lobby, a table
    /// id, or a server address.
    /// `server` is the server of the table when the text names none.
    ///
    /// # Errors
    /// When the text is none of these.
    pub fn read(text: &str, server: &str) -> Result<Self, LinkError> {
        let text = text.trim();
        if let Some((address, fragment)) = text.split_once('#') {
            let server = ServerAddress::parse(if address.is_empty() { server } else { address })?;
            return match fragment.trim_matches('/').split_once('/') {
                Some((CODE_WORD, code)) => Ok(Self::Code(server, parse_code(code)?)),
                _ => Ok(Self::Table(parse_fragment(server, fragment)?)),
            };
        }
        if let Some(code) = LobbyCode::typed(text) {
            return Ok(Self::Code(ServerAddress::parse(server)?, code));
        }
        if let Some(game) = table_id(text) {
            return Ok(Self::Table(InviteLink { server: ServerAddress::parse(server)?, game, key: None }));
        }
        Ok(Self::Server(ServerAddress::parse(text)?))
    }
}

fn parse_code(text: &str) -> Result<LobbyCode, LinkError> {
    LobbyCode::typed(text).ok_or_else(|| LinkError(format!("{text:?} is not the code of a table, such as BCD-FGH")))
}

fn parse_fragment(server: ServerAddress, fragment: &str) -> Result<InviteLink, LinkError> {
    let mut parts = fragment.trim_matches('/').split('/');
    let (word, game, key) = (parts.next().unwrap_or_default(), parts.next(), parts.next());
    if !ROLE_WORDS.iter().any(|(known, _)| *known == word) {
        return Err(LinkError(format!(
            "an invite link looks like {DEFAULT_SERVER}/#join/TABLE/KEY, with join, watch, coach or bot, or {DEFAULT_SERVER}/#code/CODE"
        )));
    }
    let invalid = |error: InvalidText| LinkError(error.to_string());
    let game = game.ok_or_else(|| LinkError("the link names no table".to_owned()))?;
    let game = GameId::try_from(game).map_err(invalid)?;
    let key = key.map(|key| SecretKey::try_from(key.to_owned())).transpose().map_err(invalid)?;
    Ok(InviteLink { server, game, key })
}

/// Parses a table id. A text with a dot, a colon or a slash is an address, and so is `localhost`.
fn table_id(text: &str) -> Option<GameId> {
    let is_address = text.contains(['.', ':', '/']) || text.eq_ignore_ascii_case("localhost");
    GameId::try_from(text).ok().filter(|_| !is_address)
}

/// The invite link of a table for a role.
pub fn link(server: &ServerAddress, role: Role, game: &GameId, key: &SecretKey) -> String {
    let word = ROLE_WORDS.iter().find(|(_, other)| *other == role).map_or("join", |(word, _)| word);
    format!("{server}/#{word}/{game}/{}", String::from(key.clone()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(text: &str) -> InviteLink {
        match Target::read(text, DEFAULT_SERVER).unwrap() {
            Target::Table(link) => link,
            server => panic!("{text}: {server:?}"),
        }
    }

    #[test]
    fn links_of_every_role_are_read_back() {
        let (server, game) = (ServerAddress::parse("https://example.org").unwrap(), GameId::try_from("abc").unwrap());
        let key = SecretKey::new([7; 16]);
        for (_, role) in ROLE_WORDS {
            let text = link(&server, role, &game, &key);
            let expected = InviteLink { server: server.clone(), game: game.clone(), key: Some(key.clone()) };
            assert_eq!(table(&text), expected, "{text}");
        }
    }

    #[test]
    fn a_table_can_be_named_without_a_key() {
        for text in ["abc", " abc ", "http://localhost:4242/#watch/abc", "#join/abc", "localhost:4242/#watch/abc/"] {
            let expected = InviteLink {
                server: ServerAddress::parse(DEFAULT_SERVER).unwrap(),
                game: GameId::try_from("abc").unwrap(),
                key: None,
            };
            assert_eq!(table(text), expected, "{text}");
        }
    }

    #[test]
    fn six_letters_are_a_code() {
        let server = ServerAddress::parse("https://example.org").unwrap();
        for text in ["BCDFGH", "bcd-fgh", " bcd fgh "] {
            let code = LobbyCode::typed("BCDFGH").unwrap();
            assert_eq!(Target::read(text, "https://example.org"), Ok(Target::Code(server.clone(), code)), "{text}");
        }
        assert!(matches!(Target::read("BCDFG", DEFAULT_SERVER), Ok(Target::Table(_))));
    }

    /// The page shows these links.
    #[test]
    fn a_link_with_a_code_leads_to_the_lobby() {
        let code = LobbyCode::typed("BCDFGH").unwrap();
        let target = |server: &str| Ok(Target::Code(ServerAddress::parse(server).unwrap(), code));
        for text in ["https://example.org/#code/BCDFGH", "https://example.org/#code/bcd-fgh/"] {
            assert_eq!(Target::read(text, DEFAULT_SERVER), target("https://example.org"), "{text}");
        }
        assert_eq!(Target::read("#code/BCDFGH", "https://example.com"), target("https://example.com"));
        for text in ["#code/short", "https://example.org/#code/", "#code", "#code/BCDFGH/more"] {
            assert!(Target::read(text, DEFAULT_SERVER).is_err(), "{text}");
        }
    }

    #[test]
    fn an_address_is_a_server_and_nonsense_is_refused() {
        for text in ["localhost", "localhost:4242", "https://example.org", "http://example.org/"] {
            assert!(matches!(Target::read(text, DEFAULT_SERVER), Ok(Target::Server(_))), "{text}");
        }
        for text in ["", "#", "#sit/abc", "#join", "#join/abc/short", "two words", "ftp://example.org/#join/abc"] {
            assert!(Target::read(text, DEFAULT_SERVER).is_err(), "{text}");
        }
    }
}
