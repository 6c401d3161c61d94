//! A client's WebSocket to a server, for programs and terminals. It does what a [`GameClient`](texas42_client::GameClient)
//! says: connects when that is due, carries frames, and reports what happened.

use std::time::Duration;

use anyhow::{Context, bail};
use futures_util::{SinkExt, StreamExt};
use texas42_protocol::{ClientMessage, GameId, SecretKey, ServerMessage};
use tokio::net::TcpStream;
use tokio_tungstenite::{
    MaybeTlsStream, WebSocketStream,
    tungstenite::{Error, Message},
};

/// How long a connection may take to be made.
const PATIENCE: Duration = Duration::from_secs(10);

/// Where a server is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// `host:port`.
    host: String,
}

impl Place {
    /// Reads `http://host:port`, `ws://host:port` or `host:port`.
    ///
    /// # Errors
    /// When it is none of them.
    pub fn parse(text: &str) -> anyhow::Result<Self> {
        if text.starts_with("https:") || text.starts_with("wss:") {
            bail!("this program speaks no TLS; connect to the server itself or through a tunnel");
        }
        let rest = ["http://", "ws://"].iter().find_map(|start| text.strip_prefix(start)).unwrap_or(text);
        let host = rest.split(['/', '#', '?']).next().unwrap_or_default();
        if host.is_empty() {
            bail!("{text:?} is not the address of a server, such as http://localhost:4242");
        }
        let host = if host.contains(':') { host.to_owned() } else { format!("{host}:80") };
        Ok(Self { host })
    }

    fn socket(&self) -> String {
        format!("ws://{}/api/ws", self.host)
    }

    /// The link that invites to a table. The key is behind the `#`, which browsers send to nobody.
    pub fn invitation(&self, game: &GameId, key: &SecretKey) -> String {
        format!("http://{}/#join/{game}/{}", self.host, String::from(key.clone()))
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
    Heard(Box<ServerMessage>),
    /// The connection is gone, or was not made; with the code that it was closed with.
    Gone(Option<u16>),
    /// The time has come that was waited for.
    Time,
}

/// The line to a server.
#[derive(Debug)]
pub struct Wire {
    place: Place,
    socket: Option<WebSocketStream<MaybeTlsStream<TcpStream>>>,
}

impl Wire {
    /// A line that is not connected yet.
    pub const fn new(place: Place) -> Self {
        Self { place, socket: None }
    }

    /// Where it leads.
    pub const fn place(&self) -> &Place {
        &self.place
    }

    /// Waits for the next thing to happen: a connection when one is due, a message, or the time. It may be dropped
    /// while it waits, and nothing is lost.
    pub async fn turn(&mut self, connect_at: Option<u64>, wake_at: Option<u64>) -> Happened {
        if let Some(at) = connect_at {
            self.socket = None;
            tokio::time::sleep(until(at)).await;
            return self.connect().await;
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
                        return Happened::Heard(Box::new(message));
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

    async fn connect(&mut self) -> Happened {
        let connecting = tokio_tungstenite::connect_async_with_config(self.place.socket(), None, true);
        match tokio::time::timeout(PATIENCE, connecting).await {
            Ok(Ok((socket, _))) => {
                self.socket = Some(socket);
                Happened::Connected
            }
            _ => Happened::Gone(None),
        }
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

fn until(at: u64) -> Duration {
    Duration::from_millis(at.saturating_sub(crate::serve::now()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_and_invitations_are_read_back() {
        let place = Place::parse("http://localhost:4242/").unwrap();
        assert_eq!(place, Place::parse("localhost:4242").unwrap());
        let (game, key) = ("table".try_into().unwrap(), SecretKey::new([3; 16]));
        let link = place.invitation(&game, &key);
        assert_eq!(read_invitation(&link).unwrap(), (game, key));
        assert_eq!(Place::parse(&link).unwrap(), place);
        assert!(read_invitation("http://localhost:4242/").is_err());
        assert!(Place::parse("https://example.org").is_err());
    }
}
