//! Texts with places for parameters.

use alloc::string::String;

/// Puts the values into the places of a text.
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

/// With a capital letter in front.
pub fn capitalised(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().into_iter().flat_map(char::to_uppercase).chain(letters).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_filled_in_is_not_filled_itself() {
        assert_eq!(fill("{0} bids {1}.", &["{1}{0}", "31"]), "{1}{0} bids 31.");
        assert_eq!(fill("{ {2} {x} }", &["a"]), "{ {2} {x} }");
    }

    #[test]
    fn the_first_letter_is_a_capital() {
        assert_eq!(["última", "the bid", "6-4", ""].map(capitalised), ["Última", "The bid", "6-4", ""]);
    }
}
