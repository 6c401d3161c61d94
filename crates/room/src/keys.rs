//! Generates keys and secrets from 32 random bytes provided by the host. A room has no other randomness.

use chacha20::{
    ChaCha20,
    cipher::{KeyIvInit, StreamCipher},
};
use texas42_protocol::{LobbyCode, SecretKey};

use crate::event::Secret;

/// A stream of unpredictable bytes.
pub(crate) struct Keys(ChaCha20);

impl Keys {
    pub(crate) fn new(randomness: &[u8; 32]) -> Self {
        Self(ChaCha20::new(randomness.into(), &[0; 12].into()))
    }

    /// The stream of a restored room. It differs from earlier streams even if the host reuses the same randomness.
    pub(crate) fn for_restored(randomness: &[u8; 32], events: u64) -> Self {
        let mut nonce = [0; 12];
        nonce[0] = 1;
        nonce[4..].copy_from_slice(&events.to_le_bytes());
        Self(ChaCha20::new(randomness.into(), &nonce.into()))
    }

    pub(crate) fn key(&mut self) -> SecretKey {
        SecretKey::new(self.bytes())
    }

    pub(crate) fn secret(&mut self) -> Secret {
        Secret(self.bytes())
    }

    pub(crate) fn code(&mut self) -> LobbyCode {
        LobbyCode::new(u64::from_le_bytes(self.bytes()))
    }

    fn bytes<const N: usize>(&mut self) -> [u8; N] {
        let mut bytes = [0; N];
        self.0.apply_keystream(&mut bytes);
        bytes
    }
}

impl core::fmt::Debug for Keys {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str("Keys(…)")
    }
}
