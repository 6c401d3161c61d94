//! The arithmetic coder: a stream of bits, each with its probability.

use alloc::vec::Vec;

pub(super) const EVEN_CHANCE: u16 = 1 << 15;

/// A uniform number below a bound.
pub(super) fn walk_number(bits: &mut impl Bits, number: usize, bound: usize) -> usize {
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

/// A stream of bits, each with its probability of being set, in 1/65,536. Implementations write, read, or only train.
pub(super) trait Bits {
    /// Writes `bit`, or reads one, and returns it.
    fn bit(&mut self, bit: bool, chance: u16) -> bool;

    /// Whether the reader has passed the end.
    fn is_exhausted(&self) -> bool {
        false
    }
}

pub(super) struct Trainer;

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
pub(super) struct Writer {
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
    pub(super) fn finish(mut self) -> Vec<u8> {
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

pub(super) struct Reader<'a> {
    interval: Interval,
    number: u32,
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Reader<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
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
