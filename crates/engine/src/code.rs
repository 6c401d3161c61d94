//! A game as a short, URL-safe text, for links.
//!
//! An arithmetic coder writes the configuration as JSON, each character predicted from the ones before it, and then
//! each event as its index among the legal ones, so that a forced play costs nothing. A checksum ends the code.
//! Decoding time is bounded by the length of the code, and any modified code is rejected.
//!
//! Encoding and decoding are the same walk over `Bits`, so they cannot disagree. The first character is the version
//! of the format. `PRIMER` is part of the version: changing it requires a new version.

use alloc::{string::String, vec, vec::Vec};

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use sha2::{Digest, Sha256};
use texas42_vocab::{Action, Config, Control, Seat};

use crate::{
    context::Context,
    game::{Game, MAX_EVENTS, Timeline},
    legal::legal,
    offers::Offers,
};

/// The maximum length of a code. The longest game needs less.
pub const MAX_CHARACTERS: usize = 100_000;

const VERSION: char = 'a';
/// The longest configuration, in bytes of JSON.
const MAX_CONFIG_BYTES: usize = 65_536;

/// Why a code cannot be decoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CodeError {
    /// Too long to be one.
    #[error("the code is longer than {MAX_CHARACTERS} characters")]
    TooLong,
    /// From an unknown version.
    #[error("this is not the code of a game, or one from another version")]
    Version,
    /// Contains characters that a code cannot have.
    #[error("the code has characters that no code has, or misses some at the end")]
    Characters,
    /// Modified or truncated.
    #[error("the code is damaged: it does not lead to a game")]
    Damaged,
}

/// A code with its configuration decoded. Compose [`Code::config`] and pass the context to [`Code::game`] to decode the
/// events.
#[derive(Clone, Debug)]
pub struct Code {
    text: String,
    config: Config,
}

/// Encodes a game.
pub fn encode(game: &Game) -> String {
    let (ctx, log) = (game.ctx(), game.log());
    let config = serde_json::to_vec(ctx.config()).expect("a configuration has only text keys");
    let mut writer = Writer::default();
    walk_text(&mut writer, &config);
    walk_number(&mut writer, log.len(), MAX_EVENTS + 1);
    let mut timeline = Timeline::new(ctx);
    for (at, action) in log.iter().enumerate() {
        walk_event(&mut writer, &legal(ctx, timeline.state()), at, Some(*action));
        timeline.step(ctx, &log[..at], *action).expect("the log of a game replays");
    }
    let mut bytes = writer.finish();
    bytes.extend(checksum(&config, log));
    String::from(VERSION) + &URL_SAFE_NO_PAD.encode(&bytes)
}

impl Code {
    /// Reads the configuration of a code.
    ///
    /// # Errors
    /// Fails if the text is not a code of this version, or is damaged.
    pub fn parse(text: &str) -> Result<Self, CodeError> {
        let bytes = bytes_of(text)?;
        let config = read_config(&mut Reader::new(&bytes))?;
        Ok(Self { text: text.into(), config })
    }

    /// The configuration of the game.
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// Reads the events, by the composed rules of [`Code::config`].
    ///
    /// # Errors
    /// When the code is damaged.
    pub fn game(&self, ctx: Context) -> Result<Game, CodeError> {
        let bytes = bytes_of(&self.text)?;
        let mut reader = Reader::new(&bytes);
        read_config(&mut reader)?;
        let events = walk_number(&mut reader, 0, MAX_EVENTS + 1);
        let mut game = Game::new(ctx);
        for at in 0..events {
            let action = walk_event(&mut reader, &game.legal(), at, None);
            if reader.is_exhausted() {
                return Err(CodeError::Damaged);
            }
            game.apply(action).map_err(|_| CodeError::Damaged)?;
        }
        // Each game has exactly one code, so this detects any other modification.
        if encode(&game) == self.text { Ok(game) } else { Err(CodeError::Damaged) }
    }
}

fn bytes_of(text: &str) -> Result<Vec<u8>, CodeError> {
    if text.len() > MAX_CHARACTERS {
        return Err(CodeError::TooLong);
    }
    let rest = text.strip_prefix(VERSION).ok_or(CodeError::Version)?;
    URL_SAFE_NO_PAD.decode(rest).map_err(|_| CodeError::Characters)
}

fn read_config(reader: &mut Reader<'_>) -> Result<Config, CodeError> {
    let json = walk_text(reader, &[]);
    serde_json::from_slice(&json).map_err(|_| CodeError::Damaged)
}

fn checksum(config: &[u8], log: &[Action]) -> [u8; 3] {
    let mut hash = Sha256::new_with_prefix(config);
    for action in log {
        hash.update(serde_json::to_vec(action).expect("an action has only text keys"));
    }
    let digest: [u8; 32] = hash.finalize().into();
    [digest[0], digest[1], digest[2]]
}

/// One event, as its index among the legal ones. An escape bit precedes rare events, so that common ones stay short.
fn walk_event(bits: &mut impl Bits, offers: &Offers, at: usize, event: Option<Action>) -> Action {
    let usual = offers.iter().filter(|action| !is_rare(*action));
    let count = usual.clone().count();
    if count == 0 || bits.bit(event.is_some_and(is_rare), RARELY) {
        return walk_rare(bits, offers, at, event);
    }
    let index = event.and_then(|event| usual.clone().position(|action| action == event)).unwrap_or(0);
    let index = walk_number(bits, index, count);
    usual.clone().nth(index).expect("the index is below the count")
}

const fn is_rare(action: Action) -> bool {
    !action.is_move() || matches!(action, Action::Claim { .. })
}

fn walk_rare(bits: &mut impl Bits, offers: &Offers, at: usize, event: Option<Action>) -> Action {
    let kind = match event {
        Some(Action::Undo { .. }) => 1,
        Some(Action::SetControl { .. }) => 2,
        _ => 0,
    };
    match walk_number(bits, kind, 3) {
        1 => {
            let to = if let Some(Action::Undo { to }) = event { to.into() } else { 0 };
            Action::Undo { to: walk_number(bits, to, at.max(1)) as u16 }
        }
        2 => walk_control(bits, event),
        _ => offers.iter().find(|action| is_rare(*action)).unwrap_or(Action::Undo { to: u16::MAX }),
    }
}

fn walk_control(bits: &mut impl Bits, event: Option<Action>) -> Action {
    let (player, control) = match event {
        Some(Action::SetControl { player, control_type }) => (player, control_type),
        _ => (Seat::ALL[0], Control::Human),
    };
    let player = Seat::ALL[walk_number(bits, player.index(), Seat::ALL.len())];
    let is_ai = bits.bit(control == Control::Ai, EVENLY);
    Action::SetControl { player, control_type: if is_ai { Control::Ai } else { Control::Human } }
}

/// A uniform number below a bound.
fn walk_number(bits: &mut impl Bits, number: usize, bound: usize) -> usize {
    let (mut low, mut high) = (0, bound);
    while high - low > 1 {
        let middle = low + (high - low) / 2;
        let chance = (high - middle) * usize::from(u16::MAX) / (high - low);
        if bits.bit(number >= middle, chance as u16) {
            low = middle;
        } else {
            high = middle;
        }
    }
    low
}

/// Characters up to a zero, each bit predicted from the five characters before it.
fn walk_text(bits: &mut impl Bits, text: &[u8]) -> Vec<u8> {
    let mut model = Model::primed();
    let mut walked = Vec::new();
    while walked.len() < MAX_CONFIG_BYTES && !bits.is_exhausted() {
        match model.byte(bits, text.get(walked.len()).copied().unwrap_or(0)) {
            0 => break,
            byte => walked.push(byte),
        }
    }
    walked
}

/// Typical configurations that train the model.
const PRIMER: &[u8] = br#"{"layers":[{"type":"nello","minimum":1,"lead":"bidder","doubles":"own"},{"type":"plunge"},{"type":"splash"},{"type":"sevens"},{"type":"forced-bid","minimum":30,"who":"shaker"},{"type":"speed","delay":300},{"type":"hints"},{"type":"consensus"},{"type":"one-hand","seed":"abc","script":{"player":0,"bid":"points","value":30,"trump":"fives"}},{"type":"daily-challenge","date":"2026-01-01","difficulty":"medium","starThresholds":[25,35,42]}],"scoring":"points","target":250,"seed":"texas-42","deals":[[["6-6","6-5"],["5-4","4-3"],["3-2","2-1"],["1-0","0-0"]]],"shaker":1,"playOn":true,"players":["ai","human","ai","ai"]}{"layers":[{"type":"tournament"},{"type":"hints"}],"scoring":"marks","target":5,"seed":"game-1","shaker":0,"players":["human","ai","ai","ai"]}{"layers":[],"scoring":"marks","seed":"","players":["human","human","human","human"]}{"layers":[],"scoring":"marks","seed":"","players":["human","human","human","human"]}"#;

/// The probability that the next bit is set, by the last five characters and the bits of the current one so far.
struct Model {
    chances: Vec<u16>,
    last: u64,
}

impl Model {
    const SLOTS_LOG2: u32 = 16;

    fn primed() -> Self {
        let mut model = Self { chances: vec![EVENLY; 1 << Self::SLOTS_LOG2], last: 0 };
        for byte in PRIMER {
            model.byte(&mut Trainer, *byte);
        }
        model
    }

    fn byte(&mut self, bits: &mut impl Bits, byte: u8) -> u8 {
        let mut walked = 1_u32;
        for place in (0..8).rev() {
            let slot = (self.last ^ u64::from(walked)).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (64 - Self::SLOTS_LOG2);
            let chance = &mut self.chances[slot as usize];
            let bit = bits.bit(byte >> place & 1 == 1, *chance);
            // Adapt quickly: configurations repeat their words, and the primer shows each only once.
            *chance = if bit { u16::MAX - (u16::MAX - *chance) / 8 } else { *chance / 8 };
            walked = walked << 1 | u32::from(bit);
        }
        // Five characters, and room for the bits of the next one below them.
        self.last = (self.last | u64::from(walked & 0xff)) << 8 & 0xffff_ffff_ff00;
        walked as u8
    }
}

const EVENLY: u16 = 1 << 15;
const RARELY: u16 = 1 << 8;

/// A stream of bits, each with its probability of being set, in 1/65,536. Implementations write, read, or only train.
trait Bits {
    /// Writes `bit`, or reads one, and returns it.
    fn bit(&mut self, bit: bool, chance: u16) -> bool;

    /// Whether the reader has passed the end.
    fn is_exhausted(&self) -> bool {
        false
    }
}

struct Trainer;

impl Bits for Trainer {
    fn bit(&mut self, bit: bool, _chance: u16) -> bool {
        bit
    }
}

/// The current interval of the arithmetic coder. Every bit divides it by its probability.
#[derive(Clone, Copy)]
struct Interval {
    low: u32,
    high: u32,
}

impl Default for Interval {
    fn default() -> Self {
        Self { low: 0, high: u32::MAX }
    }
}

impl Interval {
    /// The last number of the part that belongs to a set bit.
    fn split(self, chance: u16) -> u32 {
        let chance = u64::from(chance.max(1));
        self.low + ((u64::from(self.high - self.low) * chance) >> 16) as u32
    }

    fn narrow(&mut self, split: u32, bit: bool) {
        if bit {
            self.high = split;
        } else {
            self.low = split + 1;
        }
    }

    /// The next byte, once both ends agree on it.
    fn settled(&mut self) -> Option<u8> {
        let byte = (self.high >> 24) as u8;
        if (self.low ^ self.high) >> 24 != 0 {
            return None;
        }
        self.low <<= 8;
        self.high = self.high << 8 | 0xff;
        Some(byte)
    }
}

#[derive(Default)]
struct Writer {
    interval: Interval,
    bytes: Vec<u8>,
}

impl Bits for Writer {
    fn bit(&mut self, bit: bool, chance: u16) -> bool {
        self.interval.narrow(self.interval.split(chance), bit);
        while let Some(byte) = self.interval.settled() {
            self.bytes.push(byte);
        }
        bit
    }
}

impl Writer {
    /// Flushes the shortest bytes that identify the interval.
    fn finish(mut self) -> Vec<u8> {
        let Interval { low, high } = self.interval;
        let end = (1..=4).map(|bytes| 32 - 8 * bytes).find_map(|shift| {
            let end = (u64::from(low) + (1 << shift) - 1) >> shift << shift;
            (end + (1 << shift) - 1 <= u64::from(high)).then_some((end as u32, shift))
        });
        let (end, shift) = end.unwrap_or((low, 0));
        self.bytes.extend(end.to_be_bytes().into_iter().take(4 - shift as usize / 8));
        self.bytes
    }
}

struct Reader<'a> {
    interval: Interval,
    number: u32,
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Reader<'a> {
    fn new(bytes: &'a [u8]) -> Self {
        let mut reader = Self { interval: Interval::default(), number: 0, bytes, at: 0 };
        for _ in 0..4 {
            reader.shift_in();
        }
        reader
    }

    fn shift_in(&mut self) {
        self.number = self.number << 8 | u32::from(self.bytes.get(self.at).copied().unwrap_or(0));
        self.at += 1;
    }
}

impl Bits for Reader<'_> {
    fn bit(&mut self, _bit: bool, chance: u16) -> bool {
        let split = self.interval.split(chance);
        let bit = self.number <= split;
        self.interval.narrow(split, bit);
        while self.interval.settled().is_some() {
            self.shift_in();
        }
        bit
    }

    fn is_exhausted(&self) -> bool {
        self.at > self.bytes.len() + 4
    }
}
