//! Texts with placeholders.

use alloc::string::String;

/// Replaces the placeholders `{0}`, `{1}`, … of a text by `values`. A placeholder without a value stays as it is.
pub fn fill(text: &str, values: &[&str]) -> String {
    let (mut filled, mut rest) = (String::new(), text);
    while let Some((before, behind)) = rest.split_once('{') {
        filled.push_str(before);
        let value = |(number, after): (&str, &'_ str)| Some((*values.get(number.parse::<usize>().ok()?)?, after.len()));
        match behind.split_once('}').and_then(value) {
            Some((value, left)) => {
                filled.push_str(value);
                rest = &behind[behind.len() - left..];
            }
            None => {
                filled.push('{');
                rest = behind;
            }
        }
    }
    filled + rest
}

/// The text with its first letter capitalized, if it is a letter of a catalogue's language. The capital letters of all
/// scripts would take more of the page than the texts of a screen.
pub fn capitalized(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map(capital).into_iter().chain(letters).collect()
}

/// The capital of a letter of a Western European language.
fn capital(letter: char) -> char {
    match letter {
        'à'..='ö' | 'ø'..='þ' => char::from_u32(u32::from(letter) - 0x20).unwrap_or(letter),
        _ => letter.to_ascii_uppercase(),
    }
}

/// The text in lowercase, letter by letter. `str::to_lowercase` also knows the two small sigmas of Greek, which takes
/// 5,000 bytes of code.
pub fn lowercase(text: &str) -> String {
    text.chars().flat_map(char::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn does_not_expand_placeholders_inside_values() {
        assert_eq!(fill("{0} bids {1}.", &["{1}{0}", "31"]), "{1}{0} bids 31.");
        assert_eq!(fill("{ {2} {x} }", &["a"]), "{ {2} {x} }");
    }

    #[test]
    fn writes_every_letter_small() {
        assert_eq!(["Última", "THE BID", "6-4"].map(lowercase), ["última", "the bid", "6-4"]);
    }

    #[test]
    fn capitalizes_the_first_letter() {
        assert_eq!(["última", "the bid", "6-4", ""].map(capitalized), ["Última", "The bid", "6-4", ""]);
        // The capitals of these are no letters of Latin-1.
        let is_special = |letter: &char| matches!(letter, 'µ' | 'ß' | 'ÿ');
        for letter in ('\0'..='ÿ').filter(|letter| !is_special(letter)) {
            assert!(letter.to_uppercase().eq([capital(letter)]), "{letter}");
        }
    }
}
