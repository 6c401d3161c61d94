//! The shuffle. It is reproducible and specified in `docs/deal.md`, with test vectors.
//!
//! A game has a 256-bit *root*, which for a seeded game is a hash of the seed. ChaCha20 derives a *key* for every hand
//! from the root, and the key alone determines the deal. Derivation is one-way, so the key of a finished hand can be
//! published without revealing anything about other hands.

use alloc::vec::Vec;
use core::fmt::{self, Write};

use chacha20::{
    ChaCha20,
    cipher::{KeyIvInit, StreamCipher},
};
use sha2::{Digest, Sha256};
use texas42_vocab::{Deal, Domino, Hand, Seat, SeedText};

/// 256 bits that determine a shuffle.
pub type Key = [u8; 32];

/// Displays a key, hash or secret as lowercase hexadecimal digits.
pub struct Hex<'a>(pub &'a [u8]);

impl fmt::Display for Hex<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const DIGITS: &[u8; 16] = b"0123456789abcdef";
        let digit = |of: u8| f.write_char(char::from(DIGITS[usize::from(of)]));
        self.0.iter().flat_map(|byte| [byte >> 4, byte & 15]).try_for_each(digit)
    }
}

/// Parses 64 hexadecimal digits, the inverse of [`Hex`].
pub fn key_from_hex(text: &str) -> Option<Key> {
    if text.len() != 64 || !text.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return None;
    }
    let mut key = [0; 32];
    for (byte, digits) in key.iter_mut().zip(text.as_bytes().chunks_exact(2)) {
        *byte = u8::from_str_radix(core::str::from_utf8(digits).ok()?, 16).ok()?;
    }
    Some(key)
}

/// The commitment to a hand's share or to the whole secret: a hash that is published before the value itself.
pub fn commitment(secret: &Key) -> Key {
    Sha256::new().chain_update(b"texas42 commitment v1\0").chain_update(secret).finalize().into()
}

/// Hashes the players' entropy together, in seat order. A seat without entropy counts as empty.
pub fn combined_entropy<'a>(given: impl IntoIterator<Item = &'a [u8]>) -> Key {
    let mut hash = Sha256::new_with_prefix(b"texas42 entropy v1\0");
    for entropy in given {
        hash.update([entropy.len() as u8]);
        hash.update(entropy);
    }
    hash.finalize().into()
}

/// The hash of a game's log as text. It is part of the entropy of the next game at the same table.
pub fn log_hash(text: &[u8]) -> Key {
    Sha256::new_with_prefix(b"texas42 log v1\0").chain_update(text).finalize().into()
}

/// Derives the share of a hand from the table's secret. Derivation is one-way, so the share can be published after the
/// hand.
pub fn hand_share(secret: &Key, hand_number: u32) -> Key {
    hand_key(secret, hand_number)
}

/// The key of a hand that is dealt from a share of the table's secret and the players' entropy.
pub fn secret_hand_key(share: &Key, entropy: &Key) -> Key {
    Sha256::new().chain_update(b"texas42 hand v1\0").chain_update(share).chain_update(entropy).finalize().into()
}

/// The root of the draw for the first shaker of a game with secret deals. Derivation is one-way, so the shaker reveals
/// nothing about the secret.
pub fn secret_draw_root(secret: &Key, entropy: &Key) -> Key {
    let share = derive(secret, *b"draw", 0);
    Sha256::new().chain_update(b"texas42 draw v1\0").chain_update(share).chain_update(entropy).finalize().into()
}

/// The root of a seeded game.
pub fn seed_root(seed: &SeedText) -> Key {
    Sha256::new().chain_update(b"texas42 seed v1\0").chain_update(seed.as_str().as_bytes()).finalize().into()
}

/// The key of a hand, counted from 0.
pub fn hand_key(root: &Key, hand_number: u32) -> Key {
    derive(root, *b"hand", hand_number)
}

/// The dominoes in shuffled order. Seat 0 gets the first seven, seat 1 the next seven, and so on.
pub fn shuffle(key: &Key) -> [Domino; Domino::COUNT] {
    let mut dominoes = IN_ORDER;
    let mut draws = Draws::new(key);
    for last in (1..Domino::COUNT).rev() {
        dominoes.swap(last, draws.below(last + 1));
    }
    dominoes
}

const IN_ORDER: [Domino; Domino::COUNT] = {
    let mut dominoes = [Domino::from_index(0).expect("0 is a domino"); Domino::COUNT];
    let mut index = 0;
    while index < Domino::COUNT {
        dominoes[index] = Domino::from_index(index as u8).expect("the index stays below 28");
        index += 1;
    }
    dominoes
};

/// The four hands that a key deals.
pub fn deal(key: &Key) -> Deal {
    let shuffled = shuffle(key);
    let mut hands = [Hand::EMPTY; 4];
    for (hand, dealt) in hands.iter_mut().zip(shuffled.chunks_exact(Hand::DEALT)) {
        *hand = dealt.iter().copied().collect();
    }
    hands
}

/// Draws the first shaker: every seat draws a domino, the most pips shakes, and tied seats draw again.
pub fn draw_first_shaker(root: &Key) -> Seat {
    for round in 0.. {
        let order = shuffle(&derive(root, *b"draw", round));
        if let Some(seat) = draw_from(&order) {
            return seat;
        }
    }
    unreachable!("some shuffle has a draw without ties")
}

/// The seat that wins the draw, or `None` if the dominoes run out during a tie.
fn draw_from(order: &[Domino]) -> Option<Seat> {
    let mut order = order.iter();
    let mut drawing: Vec<Seat> = Seat::ALL.to_vec();
    while drawing.len() > 1 {
        let drawn: Vec<(Seat, u8)> =
            drawing.iter().map(|seat| Some((*seat, order.next()?.pips()))).collect::<Option<_>>()?;
        let most = drawn.iter().map(|(_, pips)| *pips).max()?;
        drawing = drawn.into_iter().filter(|(_, pips)| *pips == most).map(|(seat, _)| seat).collect();
    }
    drawing.first().copied()
}

/// The first 32 bytes of the keystream with a nonce of label and number.
fn derive(root: &Key, label: [u8; 4], number: u32) -> Key {
    let mut nonce = [0; 12];
    nonce[..4].copy_from_slice(&label);
    nonce[4..8].copy_from_slice(&number.to_le_bytes());
    let mut key = [0; 32];
    ChaCha20::new(root.into(), &nonce.into()).apply_keystream(&mut key);
    key
}

/// Unbiased small numbers from a keystream with an all-zero nonce, two bytes at a time, low byte first.
struct Draws {
    cipher: ChaCha20,
    block: [u8; 64],
    at: usize,
}

impl Draws {
    fn new(key: &Key) -> Self {
        Self { cipher: ChaCha20::new(key.into(), &[0; 12].into()), block: [0; 64], at: 64 }
    }

    fn next(&mut self) -> u16 {
        if self.at + 2 > self.block.len() {
            self.block = [0; 64];
            self.cipher.apply_keystream(&mut self.block);
            self.at = 0;
        }
        let word = u16::from_le_bytes([self.block[self.at], self.block[self.at + 1]]);
        self.at += 2;
        word
    }

    /// A uniform number below `bound`. Rejects words beyond the largest multiple of `bound`, to avoid modulo bias.
    fn below(&mut self, bound: usize) -> usize {
        loop {
            let word = self.next();
            if word <= LAST_UNBIASED[bound] {
                return usize::from(word) % bound;
            }
        }
    }
}

/// For each bound, the last word before rejection: the largest multiple of the bound, minus one.
const LAST_UNBIASED: [u16; Domino::COUNT + 1] = {
    let mut unbiased = [u16::MAX; Domino::COUNT + 1];
    let mut bound = 1;
    while bound <= Domino::COUNT {
        unbiased[bound] = (0x1_0000 / bound * bound - 1) as u16;
        bound += 1;
    }
    unbiased
};

/// Deals the hands of a game: explicit deals first, then from a source.
#[derive(Clone)]
pub(crate) struct Dealer {
    source: DealSource,
    given: Vec<Deal>,
}

/// What the keys of the hands are derived from.
#[derive(Clone, Copy)]
pub enum DealSource {
    /// The root of a public seed.
    Seeded(Key),
    /// A secret of the table and the players' entropy.
    Secret(SecretDeals),
}

/// The deals of a game from a secret that only the table knows until the game is over.
#[derive(Clone, Copy)]
pub struct SecretDeals {
    /// 256 random bits.
    pub secret: Key,
    /// The players' entropy, hashed together.
    pub entropy: Key,
    /// Whether the draw for the first shaker depends on the secret. In games of earlier versions it depended on the
    /// entropy alone.
    pub secret_draw: bool,
    /// Another secret for the later hands, if the game moved to another table.
    pub later: Option<LaterSecret>,
}

/// The secret of the hands that the second table of a game deals.
#[derive(Clone, Copy)]
pub struct LaterSecret {
    /// The number of the first of these hands.
    pub from_hand: u32,
    /// 256 random bits.
    pub secret: Key,
}

impl SecretDeals {
    /// The share of a hand, whose hash is published before the hand is dealt.
    pub fn share(&self, hand_number: u32) -> Key {
        let later = self.later.filter(|later| hand_number >= later.from_hand);
        hand_share(&later.map_or(self.secret, |later| later.secret), hand_number)
    }

    /// The key of a hand.
    pub fn key(&self, hand_number: u32) -> Key {
        secret_hand_key(&self.share(hand_number), &self.entropy)
    }

    fn first_shaker(&self) -> Seat {
        match self.secret_draw {
            true => draw_first_shaker(&secret_draw_root(&self.secret, &self.entropy)),
            false => draw_first_shaker(&self.entropy),
        }
    }
}

impl DealSource {
    /// The key of a hand.
    pub fn key(&self, hand_number: u32) -> Key {
        match self {
            Self::Seeded(root) => hand_key(root, hand_number),
            Self::Secret(deals) => deals.key(hand_number),
        }
    }

    /// Who shakes first.
    fn first_shaker(&self) -> Seat {
        match self {
            Self::Seeded(root) => draw_first_shaker(root),
            Self::Secret(deals) => deals.first_shaker(),
        }
    }
}

impl Dealer {
    pub(crate) fn new(source: DealSource, given: Vec<Deal>) -> Self {
        Self { source, given }
    }

    pub(crate) fn deal(&self, hand_number: u32) -> Deal {
        match self.given.get(hand_number as usize) {
            Some(given) => *given,
            None => deal(&self.source.key(hand_number)),
        }
    }

    pub(crate) fn first_shaker(&self) -> Seat {
        self.source.first_shaker()
    }
}

/// Omits the keys and secrets.
impl fmt::Debug for Dealer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Dealer(…)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shuffle_is_a_permutation() {
        for number in 0..200 {
            let hands = deal(&hand_key(&[7; 32], number));
            assert!(hands.iter().all(|hand| hand.len() == 7));
            assert_eq!(hands.into_iter().fold(Hand::EMPTY, |all, hand| all | hand), Hand::FULL);
        }
    }

    #[test]
    fn rejects_words_that_would_bias_small_numbers() {
        // 65536 = 2340 * 28 + 16: the last 16 words would favor small numbers and must be rejected.
        assert_eq!(LAST_UNBIASED[28], 65_519);
        assert_eq!(LAST_UNBIASED[2], u16::MAX);
        for (bound, unbiased) in LAST_UNBIASED.iter().enumerate().skip(1) {
            assert_eq!((usize::from(*unbiased) + 1) % bound, 0);
        }
    }

    #[test]
    fn shuffles_are_uniform() {
        let mut seen = [[0_u32; 28]; 28];
        let rounds = 28_000;
        for number in 0..rounds {
            for (place, domino) in shuffle(&hand_key(&[1; 32], number)).into_iter().enumerate() {
                seen[place][domino.index()] += 1;
            }
        }
        // 1000 expected per cell. Chi-squared with 729 degrees of freedom exceeds 900 once in 100,000 runs.
        let chi: f64 = seen.iter().flatten().map(|n| (f64::from(*n) - 1000.0).powi(2) / 1000.0).sum();
        assert!(chi < 900.0, "{chi}");
    }

    #[test]
    fn tied_seats_draw_again() {
        let d = |text: &str| text.parse::<Domino>().unwrap();
        // Seats 1 and 2 tie at ten pips; seat 1 then draws 2-0, seat 2 draws 6-6.
        assert_eq!(draw_from(&["0-0", "6-4", "5-5", "1-0", "2-0", "6-6"].map(d)), Some(Seat::ALL[2]));
        assert_eq!(draw_from(&["6-6", "0-0", "1-0", "1-1"].map(d)), Some(Seat::ALL[0]));
        assert_eq!(draw_from(&["6-4", "5-5", "1-0", "1-1"].map(d)), None);
    }

    fn secret_deals(secret: u8, entropy: u8) -> SecretDeals {
        SecretDeals { secret: [secret; 32], entropy: [entropy; 32], secret_draw: true, later: None }
    }

    #[test]
    fn neither_the_secret_nor_the_entropy_alone_determines_the_first_shaker() {
        let shakers = |deals: &dyn Fn(u8) -> SecretDeals| {
            let drawn = (0..200).map(|number| deals(number).first_shaker().index());
            drawn.fold([0; 4], |mut shakers, seat| {
                shakers[seat] += 1;
                shakers
            })
        };
        let by_secret = shakers(&|secret| secret_deals(secret, 1));
        let by_entropy = shakers(&|entropy| secret_deals(1, entropy));
        assert!(by_secret.iter().chain(&by_entropy).all(|n| *n > 25), "{by_secret:?} {by_entropy:?}");
        assert_eq!(secret_deals(3, 4).first_shaker(), secret_deals(3, 4).first_shaker());
    }

    #[test]
    fn a_later_secret_deals_only_the_later_hands() {
        let first = secret_deals(1, 2);
        let both = SecretDeals { later: Some(LaterSecret { from_hand: 3, secret: [9; 32] }), ..first };
        for hand in 0..6 {
            let expected = if hand < 3 { first } else { secret_deals(9, 2) };
            assert_eq!((both.share(hand), both.key(hand)), (expected.share(hand), expected.key(hand)));
        }
        assert_eq!(both.first_shaker(), first.first_shaker());
    }

    #[test]
    fn first_shakers_are_uniform() {
        let mut shakers = [0; 4];
        for number in 0..4000_u32 {
            shakers[draw_first_shaker(&hand_key(&[9; 32], number)).index()] += 1;
        }
        assert!(shakers.iter().all(|n| (850..1150).contains(n)), "{shakers:?}");
    }
}
