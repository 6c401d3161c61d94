//! The configuration of a code: JSON, each character predicted from the ones before it.

use alloc::{vec, vec::Vec};

use super::bits::{Bits, EVEN_CHANCE, Trainer};

/// The longest configuration, in bytes of JSON.
const MAX_BYTES: usize = 65_536;

/// Characters up to a zero, each bit predicted from the five characters before it.
pub(super) fn walk_text(bits: &mut impl Bits, text: &[u8]) -> Vec<u8> {
    let mut model = Model::primed();
    let mut walked = Vec::new();
    while walked.len() < MAX_BYTES && !bits.is_exhausted() {
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
        let mut model = Self { chances: vec![EVEN_CHANCE; 1 << Self::SLOTS_LOG2], last: 0 };
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
