//! One function, built both natively and for WebAssembly, to show that both play the same games.
//!
//! `tests/same_as_native.rs` runs the two and compares what they return. In a browser and on the edge the engine runs as
//! WebAssembly, on a server natively; a game may move from one to the other, so a difference would break it.

/// What the tests compare: a digest of `games` games that follow from `seed`.
#[expect(unsafe_code, reason = "a host finds the function by this name; no other function of ours has it")]
#[unsafe(no_mangle)]
pub extern "C" fn probe(seed: u32, games: u32) -> u64 {
    digest(seed, games)
}

/// FILL IN: play `games` games from `seed` and fold every state into the digest. Until then it digests a sequence of
/// numbers, which shows that the way from here to the test works.
fn digest(seed: u32, games: u32) -> u64 {
    let mut digest = Digest::default();
    let mut number = u64::from(seed) + 1;
    for _ in 0..games {
        number = number.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        digest.add(&number.to_le_bytes());
    }
    digest.0
}

/// FNV-1a: short, the same everywhere, and good enough to tell two sequences apart.
struct Digest(u64);

impl Default for Digest {
    fn default() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }
}

impl Digest {
    fn add(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
    }
}
