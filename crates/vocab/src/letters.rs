//! Bytes as text that may stand in a link: six bits a character, letters, digits, `-` and `_` (base64url without padding).

use alloc::{string::String, vec::Vec};

const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/// Writes bytes.
///
/// ```
/// assert_eq!(texas42_vocab::to_letters(&[0, 16, 131]), "ABCD");
/// ```
pub fn to_letters(bytes: &[u8]) -> String {
    let mut text = String::new();
    for three in bytes.chunks(3) {
        let bits = (0..3).fold(0, |bits, at| bits << 8 | usize::from(three.get(at).copied().unwrap_or(0)));
        text.extend((0..=three.len()).map(|at| char::from(LETTERS[bits >> (18 - 6 * at) & 63])));
    }
    text
}

/// Reads bytes; nothing where the text is not exactly how some bytes are written.
pub fn from_letters(text: &str) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    let (mut bits, mut count) = (0_u32, 0);
    for letter in text.bytes() {
        bits = bits << 6 | LETTERS.iter().position(|other| *other == letter)? as u32;
        count += 6;
        if count >= 8 {
            count -= 8;
            bytes.push((bits >> count) as u8);
            bits &= (1 << count) - 1;
        }
    }
    // No character too many, and nothing in the bits that are left over.
    (count < 6 && bits == 0).then_some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        for (bytes, text) in [(&b""[..], ""), (b"f", "Zg"), (b"fo", "Zm8"), (b"foo", "Zm9v"), (&[255, 239], "_-8")] {
            assert_eq!(to_letters(bytes), text);
            assert_eq!(from_letters(text).as_deref(), Some(bytes));
        }
        let all: Vec<u8> = (0..=255).collect();
        for end in 0..all.len() {
            assert_eq!(from_letters(&to_letters(&all[..end])).as_deref(), Some(&all[..end]));
        }
    }

    #[test]
    fn there_is_one_way_to_write_bytes() {
        for text in ["Z", "Zh", "Zm9", "Zg==", "Zm9vZ", "Z g", "Zm+v", "Zm/v", "é"] {
            assert_eq!(from_letters(text), None, "{text}");
        }
    }
}
