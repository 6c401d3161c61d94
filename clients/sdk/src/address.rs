//! The address of a server.

use core::fmt;

use texas42_protocol::GameId;

/// Why a text is not the address of a server or an invite link.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct LinkError(pub(crate) String);

/// The address of a server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServerAddress {
    /// `host` or `host:port`.
    host: String,
    /// Whether the server uses TLS, as behind a proxy or on the edge.
    is_secure: bool,
}

impl ServerAddress {
    /// Parses `https://host`, `http://host:port`, `wss://host`, `ws://host:port` or `host:port`.
    ///
    /// # Errors
    /// When the text is none of these.
    pub fn parse(text: &str) -> Result<Self, LinkError> {
        let (scheme, rest) = text.trim().split_once("://").unwrap_or(("http", text.trim()));
        let is_secure = match scheme.to_ascii_lowercase().as_str() {
            "http" | "ws" => false,
            "https" | "wss" => true,
            _ => return Err(LinkError(format!("{text:?}: the address of a server begins with http:// or https://"))),
        };
        let host = rest.split(['/', '#', '?']).next().unwrap_or_default();
        if host.is_empty() || host.contains(char::is_whitespace) {
            let error = format!("{text:?} is not the address of a server, such as http://localhost:4242");
            return Err(LinkError(error));
        }
        Ok(Self { host: host.to_owned(), is_secure })
    }

    /// The URL of the WebSocket. It names an existing table, so that the edge can route the connection to the table's Durable
    /// Object.
    pub(crate) fn socket_url(&self, table: Option<&GameId>) -> String {
        let scheme = if self.is_secure { "wss" } else { "ws" };
        match table {
            Some(table) => format!("{scheme}://{}/api/games/{table}/ws", self.host),
            None => format!("{scheme}://{}/api/ws", self.host),
        }
    }
}

impl fmt::Display for ServerAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}://{}", if self.is_secure { "https" } else { "http" }, self.host)
    }
}

impl core::str::FromStr for ServerAddress {
    type Err = LinkError;

    fn from_str(text: &str) -> Result<Self, LinkError> {
        Self::parse(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn server_addresses_are_read_back() {
        let server = ServerAddress::parse("http://localhost:4242/").unwrap();
        assert_eq!(server, ServerAddress::parse("localhost:4242").unwrap());
        assert_eq!(server, ServerAddress::parse("ws://localhost:4242").unwrap());
        assert_eq!(server.socket_url(None), "ws://localhost:4242/api/ws");
        let secure = ServerAddress::parse("https://example.org/#join/a/b").unwrap();
        assert_eq!(secure, ServerAddress::parse("wss://example.org").unwrap());
        assert_eq!(secure.socket_url(Some(&"t".try_into().unwrap())), "wss://example.org/api/games/t/ws");
        assert_eq!(secure.to_string(), "https://example.org");
        for wrong in ["", "ftp://example.org", "http://", "two words"] {
            assert!(ServerAddress::parse(wrong).is_err(), "{wrong:?}");
        }
    }
}
