//! The screens of this module by their URL fragments. The page knows only how the fragments start (`clients/web/src/address.rs`).

/// A screen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StudyScreen {
    /// The replay of the game of a code. Only the worker can read the code.
    Replay(String),
}

impl StudyScreen {
    /// The screen of a fragment, without the `#`; `None` if it leads to no screen of this module.
    pub fn read(fragment: &str) -> Option<Self> {
        match fragment.split_once('/')? {
            ("replay", code) => Some(Self::Replay(code.to_owned())),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_fragment_leads_to_its_screen() {
        assert_eq!(StudyScreen::read("replay/bAB-_c"), Some(StudyScreen::Replay("bAB-_c".to_owned())));
        assert_eq!(StudyScreen::read("replay/"), Some(StudyScreen::Replay(String::new())));
        for other in ["", "replay", "play", "table/abc"] {
            assert_eq!(StudyScreen::read(other), None, "{other}");
        }
    }
}
