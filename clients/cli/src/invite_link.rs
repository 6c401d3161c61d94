//! Reads what a person gives to `texas42 join`: an invite link of any kind, a table id, or the address of a server.

use anyhow::{Context, bail};
use texas42_client::Credentials;
use texas42_protocol::{GameId, Name, Role, SecretKey};

use crate::wire::Place;

/// The first word behind the `#` of a link, and the role that it invites to. The key decides what is granted; the word only
/// says what to expect.
const WAYS: [(&str, Role); 4] =
    [("join", Role::Player), ("watch", Role::Spectator), ("coach", Role::Coach), ("behind", Role::Admin)];

/// A way to a table that exists.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InviteLink {
    /// The server of the table.
    pub place: Place,
    /// The table.
    pub game: GameId,
    /// The key of the invitation. A table that is open to spectators can be watched without one.
    pub key: Option<SecretKey>,
}

impl InviteLink {
    /// Enters the table through this link.
    pub fn entrance(self, name: Name) -> Credentials {
        Credentials::join(self.game, self.key, name)
    }
}

/// What a person may give to `texas42 join`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target {
    /// A server, to create a table there.
    Server(Place),
    /// A table that exists.
    Table(InviteLink),
}

impl Target {
    /// Reads a link (`https://host/#watch/TABLE/KEY`), the part behind its `#`, a table id, or a server address. `server` is
    /// where a table is looked for when the text names no server.
    ///
    /// # Errors
    /// When the text is none of these.
    pub fn read(text: &str, server: &str) -> anyhow::Result<Self> {
        let text = text.trim();
        if let Some((address, fragment)) = text.split_once('#') {
            let place = Place::parse(if address.is_empty() { server } else { address })?;
            return Ok(Self::Table(of_fragment(place, fragment)?));
        }
        if let Some(game) = table_id(text) {
            return Ok(Self::Table(InviteLink { place: Place::parse(server)?, game, key: None }));
        }
        Ok(Self::Server(Place::parse(text)?))
    }
}

fn of_fragment(place: Place, fragment: &str) -> anyhow::Result<InviteLink> {
    let mut parts = fragment.trim_matches('/').split('/');
    let (way, game, key) = (parts.next().unwrap_or_default(), parts.next(), parts.next());
    if !WAYS.iter().any(|(known, _)| *known == way) {
        bail!("an invite link looks like http://localhost:4242/#join/TABLE/KEY, with join, watch or coach");
    }
    let game = GameId::try_from(game.context("the link names no table")?)?;
    let key = key.map(|key| SecretKey::try_from(key.to_owned())).transpose()?;
    Ok(InviteLink { place, game, key })
}

/// An id is letters and digits; an address has a dot, a colon or a slash, or is `localhost`.
fn table_id(text: &str) -> Option<GameId> {
    let is_address = text.contains(['.', ':', '/']) || text.eq_ignore_ascii_case("localhost");
    GameId::try_from(text).ok().filter(|_| !is_address)
}

/// The link that invites to a table in a role.
pub fn link(place: &Place, role: Role, game: &GameId, key: &SecretKey) -> String {
    let way = WAYS.iter().find(|(_, other)| *other == role).map_or("join", |(way, _)| way);
    format!("{place}/#{way}/{game}/{}", String::from(key.clone()))
}

#[cfg(test)]
mod tests {
    use super::*;

    const SERVER: &str = "http://localhost:4242";

    fn table(text: &str) -> InviteLink {
        match Target::read(text, SERVER).unwrap() {
            Target::Table(link) => link,
            server => panic!("{text}: {server:?}"),
        }
    }

    #[test]
    fn links_of_every_role_are_read_back() {
        let (place, game) = (Place::parse("https://example.org").unwrap(), GameId::try_from("abc").unwrap());
        let key = SecretKey::new([7; 16]);
        for (_, role) in WAYS {
            let text = link(&place, role, &game, &key);
            let expected = InviteLink { place: place.clone(), game: game.clone(), key: Some(key.clone()) };
            assert_eq!(table(&text), expected, "{text}");
        }
    }

    #[test]
    fn a_table_without_a_key_is_watched() {
        for text in ["abc", " abc ", "http://localhost:4242/#watch/abc", "#join/abc", "localhost:4242/#watch/abc/"] {
            let expected =
                InviteLink { place: Place::parse(SERVER).unwrap(), game: GameId::try_from("abc").unwrap(), key: None };
            assert_eq!(table(text), expected, "{text}");
        }
    }

    #[test]
    fn an_address_is_a_server_and_nonsense_is_refused() {
        for text in ["localhost", "localhost:4242", "https://example.org", "http://example.org/"] {
            assert!(matches!(Target::read(text, SERVER), Ok(Target::Server(_))), "{text}");
        }
        for text in ["", "#", "#sit/abc", "#join", "#join/abc/short", "two words", "ftp://example.org/#join/abc"] {
            assert!(Target::read(text, SERVER).is_err(), "{text}");
        }
    }
}
