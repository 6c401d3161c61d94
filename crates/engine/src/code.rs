//! A game as a short, URL-safe text, for links.
//!
//! The first character is the version of the format. In format `b`, which is written, the rest is base64url: the
//! version of the rules (`RULES`), the arithmetic-coded game, and a checksum of both. The game is its configuration as
//! JSON, and then each event (`events`). Format `a`, which can still be read, has no version of the rules, and
//! depends on the actions that are legal (`legal_events`).
//!
//! Decoding time is bounded by the length of the code, and any modified code is rejected. Encoding and decoding are the
//! same walk over `Bits`, so they cannot disagree. The predictions of the coder (the primer of `config_text`, the
//! numbers and chances of `events`) are part of the format: changing them requires a new format.

mod bits;
mod config_text;
mod events;
mod legal_events;

use alloc::{string::String, vec::Vec};

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use sha2::{Digest, Sha256};
use texas42_vocab::{Action, Config, read, to_json};

use crate::{
    context::Context,
    game::{Game, MAX_EVENTS, Timeline},
    legal::legal,
    state::State,
};
use bits::{Bits, Reader, Writer, walk_number};
use config_text::walk_text;
use events::Events;
use legal_events::walk_event;

/// The maximum length of a code. The longest game needs less.
pub const MAX_CHARACTERS: usize = 100_000;

/// The version of the rules that codes are written with.
///
/// It rises when a configuration that could be written before gets another meaning. A new option does not need that: it
/// is part of the configuration, and its default is what was played before. The version that raises it must read the
/// configuration of an earlier code as what it meant then, like [`record`](crate::record) does with older records.
pub const RULES: u8 = 1;

/// The length of the checksum in bytes.
const CHECKSUM: usize = 3;

/// Why a code cannot be decoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CodeError {
    /// Longer than [`MAX_CHARACTERS`].
    #[error("the code is longer than {MAX_CHARACTERS} characters")]
    TooLong,
    /// From an unknown version.
    #[error("this is not the code of a game, or one from another version")]
    Version,
    /// Not valid base64url.
    #[error("the code contains invalid characters or is cut off")]
    Characters,
    /// Modified or truncated.
    #[error("the code is damaged: it does not lead to a game")]
    Damaged,
    /// Intact, but from a version with later rules.
    #[error(
        "the game of this code has rules of version {rules}, and this version knows rules up to {RULES}: update it"
    )]
    LaterRules {
        /// The version of the rules.
        rules: u8,
    },
    /// Intact, but an event is not legal by the rules of this version.
    #[error("the game of this code was played by other rules (version {rules}): event {event} is not legal")]
    OtherRules {
        /// The version of the rules.
        rules: u8,
        /// The index of the event.
        event: usize,
    },
}

/// How the events are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Format {
    /// `a`: as indexes among the legal ones.
    Legal,
    /// `b`: as what happened.
    Events,
}

/// A code with its configuration decoded. Compose [`Code::config`] and pass the context to [`Code::game`] to decode the
/// events.
#[derive(Clone, Debug)]
pub struct Code {
    text: String,
    format: Format,
    rules: u8,
    /// The arithmetic-coded game.
    body: Vec<u8>,
    /// The configuration as it was written, which another version may write differently.
    config_json: Vec<u8>,
    config: Config,
}

/// Encodes a game.
pub fn encode(game: &Game) -> String {
    let config = to_json(game.ctx().config());
    encode_events(game, config.as_bytes(), RULES)
}

/// Encodes a game in format `b`.
fn encode_events(game: &Game, config: &[u8], rules: u8) -> String {
    let mut bytes = [rules].to_vec();
    let mut events = Events::new();
    bytes.extend(coded(game, config, |writer, _, state, at, action| {
        events.walk(writer, state, at, Some(action));
    }));
    let digest: [u8; 32] = Sha256::digest(&bytes).into();
    bytes.extend(&digest[..CHECKSUM]);
    String::from('b') + &URL_SAFE_NO_PAD.encode(&bytes)
}

/// Encodes a game in format `a`.
fn encode_legal(game: &Game, config: &[u8]) -> String {
    let mut bytes = coded(game, config, |writer, ctx, state, at, action| {
        walk_event(writer, &legal(ctx, state), at, Some(action));
    });
    let mut hash = Sha256::new_with_prefix(config);
    for action in game.log() {
        hash.update(to_json(action));
    }
    let digest: [u8; 32] = hash.finalize().into();
    bytes.extend(&digest[..CHECKSUM]);
    String::from('a') + &URL_SAFE_NO_PAD.encode(&bytes)
}

/// Writes the configuration, the number of events, and each event with `walk`.
fn coded(game: &Game, config: &[u8], mut walk: impl FnMut(&mut Writer, &Context, &State, usize, Action)) -> Vec<u8> {
    let (ctx, log) = (game.ctx(), game.log());
    let mut writer = Writer::default();
    walk_text(&mut writer, config);
    walk_number(&mut writer, log.len(), MAX_EVENTS + 1);
    let mut timeline = Timeline::new(ctx);
    for (at, action) in log.iter().enumerate() {
        walk(&mut writer, ctx, timeline.state(), at, *action);
        if timeline.step(ctx, &log[..at], *action).is_err() {
            unreachable!("the log of a game replays");
        }
    }
    writer.finish()
}

/// What precedes the code in a replay link.
pub const REPLAY: &str = "#replay/";

/// The replay link with a code: the part of a URL from `#` on. The code names the version of the rules.
pub fn link(code: &str) -> String {
    [REPLAY, code].concat()
}

impl Code {
    /// Reads the configuration of a replay link: a whole URL, its fragment, or what follows `#replay/`.
    ///
    /// # Errors
    /// Fails if its code cannot be parsed; see [`Self::parse`].
    pub fn parse_link(link: &str) -> Result<Self, CodeError> {
        Self::parse(link.rsplit_once(REPLAY).map_or(link, |(_, code)| code))
    }

    /// Reads the configuration of a code.
    ///
    /// # Errors
    /// Fails if the text is not a code of a known version, or is damaged.
    pub fn parse(text: &str) -> Result<Self, CodeError> {
        let (format, bytes) = bytes_of(text)?;
        let (rules, body) = match format {
            Format::Legal => (1, bytes),
            Format::Events => verified(&bytes)?,
        };
        let config_json = walk_text(&mut Reader::new(&body), &[]);
        let json = core::str::from_utf8(&config_json).map_err(|_| CodeError::Damaged)?;
        let config = read(json).map_err(|_| CodeError::Damaged)?;
        Ok(Self { text: text.into(), format, rules, body, config_json, config })
    }

    /// The configuration of the game.
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// The version of the rules that the game was played by. See [`RULES`].
    pub fn rules(&self) -> u8 {
        self.rules
    }

    /// Reads the events, by the composed rules of [`Code::config`].
    ///
    /// # Errors
    /// Fails if the code is damaged, or the game was played by other rules.
    pub fn game(&self, ctx: Context) -> Result<Game, CodeError> {
        let mut reader = Reader::new(&self.body);
        walk_text(&mut reader, &[]);
        let count = walk_number(&mut reader, 0, MAX_EVENTS + 1);
        let (mut game, mut events) = (Game::new(ctx), Events::new());
        for at in 0..count {
            let action = match self.format {
                Format::Legal => Some(walk_event(&mut reader, &game.legal(), at, None)),
                Format::Events => events.walk(&mut reader, game.state(), at, None),
            };
            if reader.is_exhausted() {
                return Err(CodeError::Damaged);
            }
            let applied = action.is_some_and(|action| game.apply(action).is_ok());
            if !applied {
                return Err(self.not_replayable(at));
            }
        }
        // Each game has exactly one code of a format, so this detects any other modification.
        if self.encode_again(&game) == self.text { Ok(game) } else { Err(CodeError::Damaged) }
    }

    fn encode_again(&self, game: &Game) -> String {
        match self.format {
            Format::Legal => encode_legal(game, &self.config_json),
            Format::Events => encode_events(game, &self.config_json, self.rules),
        }
    }

    /// Why an event cannot be applied. A code of format `a` does not show whether it is damaged.
    fn not_replayable(&self, event: usize) -> CodeError {
        match self.format {
            Format::Legal => CodeError::Damaged,
            Format::Events => CodeError::OtherRules { rules: self.rules, event },
        }
    }
}

fn bytes_of(text: &str) -> Result<(Format, Vec<u8>), CodeError> {
    if text.len() > MAX_CHARACTERS {
        return Err(CodeError::TooLong);
    }
    let (format, rest) = match text.split_at_checked(1) {
        Some(("a", rest)) => (Format::Legal, rest),
        Some(("b", rest)) => (Format::Events, rest),
        _ => return Err(CodeError::Version),
    };
    Ok((format, URL_SAFE_NO_PAD.decode(rest).map_err(|_| CodeError::Characters)?))
}

/// Checks the checksum and the version of the rules, and returns that version and the game.
fn verified(bytes: &[u8]) -> Result<(u8, Vec<u8>), CodeError> {
    let (content, checksum) = bytes.split_last_chunk::<CHECKSUM>().ok_or(CodeError::Damaged)?;
    let digest: [u8; 32] = Sha256::digest(content).into();
    let (rules, body) = content.split_first().ok_or(CodeError::Damaged)?;
    match *rules {
        _ if digest[..CHECKSUM] != *checksum => Err(CodeError::Damaged),
        0 => Err(CodeError::Damaged),
        rules if rules > RULES => Err(CodeError::LaterRules { rules }),
        rules => Ok((rules, body.to_vec())),
    }
}
