//! A client's WebSocket to a server, for programs and terminals. It does what a [`GameClient`]
//! says: connects when that is due, carries frames, and reports what happened.

use std::{fmt, io, time::Duration};

use anyhow::{Context, bail};
use futures_util::{SinkExt, StreamExt};
use texas42_client::GameClient;
use texas42_protocol::{ClientMessage, GameId, SecretKey, ServerMessage};
use tokio::net::TcpStream;
use tokio_tungstenite::{
    MaybeTlsStream, WebSocketStream,
    tungstenite::{Error, Message},
};

/// So often an address is tried at which nobody has answered yet.
const MAX_TRIES: u32 = 5;
/// How long a connection may take to be made.
const PATIENCE: Duration = Duration::from_secs(10);

/// Where a server is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// `host` or `host:port`.
    host: String,
    /// Whether it speaks TLS, as a server behind a proxy or on an edge does.
    is_secure: bool,
}

impl Place {
    /// Reads `https://host`, `http://host:port`, `wss://host`, `ws://host:port` or `host:port`.
    ///
    /// # Errors
    /// When it is none of them.
    pub fn parse(text: &str) -> anyhow::Result<Self> {
        let (scheme, rest) = text.trim().split_once("://").unwrap_or(("http", text.trim()));
        let is_secure = match scheme.to_ascii_lowercase().as_str() {
            "http" | "ws" => false,
            "https" | "wss" => true,
            _ => bail!("{text:?}: a server is reached by http:// or https://"),
        };
        let host = rest.split(['/', '#', '?']).next().unwrap_or_default();
        if host.is_empty() || host.contains(char::is_whitespace) {
            bail!("{text:?} is not the address of a server, such as http://localhost:4242");
        }
        Ok(Self { host: host.to_owned(), is_secure })
    }

    /// Where the frames go. A table that stands is named, so that a host with many homes finds its home.
    fn socket(&self, table: Option<&GameId>) -> String {
        let scheme = if self.is_secure { "wss" } else { "ws" };
        match table {
            Some(table) => format!("{scheme}://{}/api/games/{table}/ws", self.host),
            None => format!("{scheme}://{}/api/ws", self.host),
        }
    }

    /// The link that invites to a table. The key is behind the `#`, which browsers send to nobody.
    pub fn invitation(&self, game: &GameId, key: &SecretKey) -> String {
        format!("{self}/#join/{game}/{}", String::from(key.clone()))
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}://{}", if self.is_secure { "https" } else { "http" }, self.host)
    }
}

/// Reads the table and the key of an invitation link, or of its part behind the `#`.
///
/// # Errors
/// When it is not such a link.
pub fn read_invitation(link: &str) -> anyhow::Result<(GameId, SecretKey)> {
    let fragment = link.trim().rsplit('#').next().unwrap_or_default();
    let (game, key) = fragment
        .strip_prefix("join/")
        .and_then(|rest| rest.split_once('/'))
        .context("an invitation looks like http://localhost:4242/#join/<table>/<key>")?;
    Ok((GameId::try_from(game)?, SecretKey::try_from(key.to_owned())?))
}

/// What happened on the line.
#[derive(Debug)]
pub enum Happened {
    /// There is a connection now.
    Connected,
    /// The table said something.
    FollowOutcome(Box<ServerMessage>),
    /// The connection is gone, with the code that it was closed with.
    Gone(Option<u16>),
    /// There was no connection to be had.
    Unreachable(String),
    /// The time has come that was waited for.
    Time,
}

/// No server answered at an address.
#[derive(Debug, thiserror::Error)]
#[error(
    "{place} cannot be reached: {reason}. Check the address, and that a server runs there (`texas42 serve` starts one)"
)]
pub struct Unreachable {
    place: Place,
    reason: String,
}

/// The line to a server.
#[derive(Debug)]
pub struct Wire {
    place: Place,
    socket: Option<WebSocketStream<MaybeTlsStream<TcpStream>>>,
    has_connected: bool,
}

impl Wire {
    /// A line that is not connected yet.
    pub const fn new(place: Place) -> Self {
        Self { place, socket: None, has_connected: false }
    }

    /// Where it leads.
    pub const fn place(&self) -> &Place {
        &self.place
    }

    /// Waits for the next thing to happen: a connection when one is due, a message, or the time. It may be dropped
    /// while it waits, and nothing is lost.
    pub async fn turn(&mut self, client: &GameClient, wake_at: Option<u64>) -> Happened {
        if let Some(at) = client.connect_at() {
            self.socket = None;
            tokio::time::sleep(until(at)).await;
            return self.connect(client.game_id()).await;
        }
        let wait = wake_at.map_or(Duration::from_secs(3600), until);
        let Some(socket) = &mut self.socket else {
            tokio::time::sleep(wait).await;
            return Happened::Time;
        };
        loop {
            let next = tokio::select! {
                next = socket.next() => next,
                () = tokio::time::sleep(wait) => return Happened::Time,
            };
            match next {
                Some(Ok(Message::Text(text))) => {
                    if let Ok(message) = serde_json::from_str(text.as_str()) {
                        return Happened::FollowOutcome(Box::new(message));
                    }
                }
                Some(Ok(Message::Close(frame))) => {
                    self.socket = None;
                    return Happened::Gone(frame.map(|frame| frame.code.into()));
                }
                Some(Ok(_)) => {}
                Some(Err(_)) | None => {
                    self.socket = None;
                    return Happened::Gone(None);
                }
            }
        }
    }

    async fn connect(&mut self, table: Option<&GameId>) -> Happened {
        let connecting = tokio_tungstenite::connect_async_with_config(self.place.socket(table), None, true);
        match tokio::time::timeout(PATIENCE, connecting).await {
            Ok(Ok((socket, _))) => {
                self.socket = Some(socket);
                self.has_connected = true;
                Happened::Connected
            }
            Ok(Err(error)) => Happened::Unreachable(in_words(&error)),
            Err(_) => Happened::Unreachable(format!("no answer within {} seconds", PATIENCE.as_secs())),
        }
    }

    /// Whether to stop trying: an address at which nobody ever answered is a wrong one, a server that was there comes
    /// back.
    ///
    /// # Errors
    /// [`Unreachable`], when no further attempt is worth it.
    pub fn check_hope(&self, tries: u32, reason: &str) -> anyhow::Result<()> {
        if self.has_connected || tries < MAX_TRIES {
            return Ok(());
        }
        Err(Unreachable { place: self.place.clone(), reason: reason.to_owned() }.into())
    }

    /// Sends a frame. When that fails the line is gone, and the next turn says so.
    pub async fn send(&mut self, message: &ClientMessage) {
        let text = serde_json::to_string(message).expect("a message has only text keys");
        if let Some(socket) = &mut self.socket
            && let Err(error) = socket.send(Message::text(text)).await
            && !matches!(error, Error::ConnectionClosed | Error::AlreadyClosed)
        {
            socket.close(None).await.ok();
        }
    }

    /// Closes the line.
    pub async fn close(&mut self) {
        if let Some(mut socket) = self.socket.take() {
            socket.close(None).await.ok();
        }
    }
}

/// Why there is no connection, for a person.
fn in_words(error: &Error) -> String {
    match error {
        Error::Http(response) => match response.status().as_u16() {
            404 => "there is no Texas 42 at that address".to_owned(),
            429 => "the server has too many requests, try again later".to_owned(),
            status => format!("the server answers with status {status}"),
        },
        Error::Io(error) if error.kind() == io::ErrorKind::ConnectionRefused => "connection refused".to_owned(),
        Error::Io(error) => error.to_string(),
        Error::Tls(error) => format!("no secure connection: {error}"),
        error => error.to_string(),
    }
}

pub(crate) fn until(at: u64) -> Duration {
    Duration::from_millis(at.saturating_sub(texas42_server::serve::now()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_and_invitations_are_read_back() {
        let place = Place::parse("http://localhost:4242/").unwrap();
        assert_eq!(place, Place::parse("localhost:4242").unwrap());
        assert_eq!(place, Place::parse("ws://localhost:4242").unwrap());
        assert_eq!(place.socket(None), "ws://localhost:4242/api/ws");
        let (game, key) = ("table".try_into().unwrap(), SecretKey::new([3; 16]));
        let link = place.invitation(&game, &key);
        assert_eq!(read_invitation(&link).unwrap(), (game, key));
        assert_eq!(Place::parse(&link).unwrap(), place);
        assert!(read_invitation("http://localhost:4242/").is_err());
        let secure = Place::parse("https://example.org/#join/a/b").unwrap();
        assert_eq!(secure, Place::parse("wss://example.org").unwrap());
        assert_eq!(secure.socket(Some(&"t".try_into().unwrap())), "wss://example.org/api/games/t/ws");
        assert_eq!(secure.to_string(), "https://example.org");
        for wrong in ["", "ftp://example.org", "http://", "two words"] {
            assert!(Place::parse(wrong).is_err(), "{wrong:?}");
        }
    }
}
