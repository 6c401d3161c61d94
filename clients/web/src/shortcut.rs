//! Keyboard shortcuts: the table gives each action a short text (`64`, `31`, `m1`, `p`) to type.

/// How a typed text matches the available shortcuts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Typed {
    /// It is the shortcut with this index.
    Is(usize),
    /// It is the beginning of a shortcut.
    Begins,
    /// It matches none.
    Nothing,
}

/// Matches a typed text against the shortcuts. The ends of a domino may be typed in either order.
pub fn typed(text: &str, shortcuts: &[String]) -> Typed {
    let turned: String = text.chars().rev().collect();
    let is_pair = text.len() == 2 && text.bytes().all(|byte| byte.is_ascii_digit());
    let is_it = |shortcut: &&String| shortcut.eq_ignore_ascii_case(text);
    if let Some(at) = shortcuts.iter().position(|shortcut| is_it(&shortcut)) {
        return Typed::Is(at);
    }
    if let Some(at) = shortcuts.iter().position(|shortcut| is_pair && *shortcut == turned) {
        return Typed::Is(at);
    }
    let begins = |shortcut: &String| {
        let is_start = shortcut.get(..text.len()).is_some_and(|start| start.eq_ignore_ascii_case(text));
        shortcut.len() > text.len() && (is_start || shortcut.ends_with(text))
    };
    if shortcuts.iter().any(begins) { Typed::Begins } else { Typed::Nothing }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn typing_selects_an_offer() {
        let offers = ["64", "30", "m1", "p"].map(str::to_owned);
        assert_eq!(typed("6", &offers), Typed::Begins);
        assert_eq!(typed("64", &offers), Typed::Is(0));
        assert_eq!(typed("46", &offers), Typed::Is(0));
        assert_eq!(typed("P", &offers), Typed::Is(3));
        assert_eq!(typed("m", &offers), Typed::Begins);
        assert_eq!(typed("x", &offers), Typed::Nothing);
        assert_eq!(typed("66", &offers), Typed::Nothing);
    }
}
