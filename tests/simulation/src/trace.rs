//! A running hash of everything that happens in a world. Equal hashes mean identical runs.

use sha2::{Digest, Sha256};

#[derive(Default)]
pub(crate) struct Trace(Sha256);

impl Trace {
    pub(crate) fn note(&mut self, kind: u8, number: u64, text: &str) {
        self.0.update([kind]);
        self.0.update(number.to_le_bytes());
        self.0.update((text.len() as u64).to_le_bytes());
        self.0.update(text);
    }

    pub(crate) fn hash(&self) -> u64 {
        let digest: [u8; 32] = self.0.clone().finalize().into();
        u64::from_be_bytes(digest[..8].try_into().expect("a SHA-256 digest has 32 bytes"))
    }
}
