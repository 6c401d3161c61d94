//! Secret keys are stored as hashes only, and compared in constant time.

use core::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use sha2::{Digest, Sha256};
use texas42_protocol::{PlayerId, SecretKey};

/// The hash of a secret key. The key cannot be recovered from it.
#[derive(Clone, Copy)]
pub struct KeyHash([u8; 32]);

impl KeyHash {
    /// Hashes a key.
    pub fn of(key: &SecretKey) -> Self {
        Self(Sha256::new().chain_update(b"texas42 key v1\0").chain_update(key.bytes()).finalize().into())
    }

    /// A public id for the holder of the key. It reveals nothing about the key.
    pub fn public_id(&self) -> PlayerId {
        let id = alloc::format!("g{}", texas42_engine::deal::Hex(&self.0[..8]));
        PlayerId::try_from(id).expect("a letter and hexadecimal digits form a valid id")
    }

    /// Whether this is the hash of `key`. Compares in constant time.
    pub fn is_of(&self, key: &SecretKey) -> bool {
        *self == Self::of(key)
    }
}

/// Compares in constant time.
impl PartialEq for KeyHash {
    fn eq(&self, other: &Self) -> bool {
        self.0.iter().zip(other.0).fold(0, |difference, (one, other)| difference | (one ^ other)) == 0
    }
}

impl Eq for KeyHash {}

impl fmt::Debug for KeyHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("KeyHash(…)")
    }
}

impl Serialize for KeyHash {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&texas42_engine::deal::Hex(&self.0))
    }
}

impl<'de> Deserialize<'de> for KeyHash {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = alloc::string::String::deserialize(deserializer)?;
        texas42_engine::deal::key_from_hex(&text).map(Self).ok_or_else(|| de::Error::custom("64 hexadecimal digits"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hash_matches_only_its_key() {
        let hash = KeyHash::of(&SecretKey::new([1; 16]));
        assert!(hash.is_of(&SecretKey::new([1; 16])));
        assert!(!hash.is_of(&SecretKey::new([2; 16])));
        let json = serde_json::to_string(&hash).unwrap();
        assert_eq!(serde_json::from_str::<KeyHash>(&json).unwrap(), hash);
        assert!(!json.contains("AQEBAQEBAQEBAQEBAQEBAQ"));
    }

    /// A comparison that combines the differences of all bytes must not let two of them cancel out.
    #[test]
    fn hashes_with_equal_differences_in_two_bytes_differ() {
        let of = |bytes: [u8; 32]| KeyHash(bytes);
        let mut other = [7; 32];
        (other[3], other[30]) = (6, 6);
        assert!(of([7; 32]) == of([7; 32]));
        assert!(of([7; 32]) != of(other));
        assert!(of([0b01; 32]) != of([0b11; 32]));
    }

    #[test]
    fn a_hash_is_not_printed() {
        assert_eq!(alloc::format!("{:?}", KeyHash([7; 32])), "KeyHash(…)");
    }
}
