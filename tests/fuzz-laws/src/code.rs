//! A text is either rejected as a code, or it leads to one game. In the format that is written, it is the only code of
//! that game.

use texas42_room::{HeadlessRoom, RandomPlayer};

use crate::choices::any_game;

/// Checks the law for `data` as text.
pub fn code_leads_to_one_game(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    match HeadlessRoom::from_code(text) {
        Ok(room) if text.starts_with('a') => {
            let again = HeadlessRoom::from_code(&room.code()).expect("the code of a game can be read");
            assert_eq!(again.game().log(), room.game().log());
        }
        Ok(room) => assert_eq!(room.code(), text, "a game must have exactly one code"),
        Err(error) => assert!(!error.to_string().is_empty()),
    }
}

pub(crate) fn sample(dice: &mut RandomPlayer) -> Vec<u8> {
    let room = any_game(dice);
    let code = room.code();
    let again = HeadlessRoom::from_code(&code).expect("the code of a game can be read");
    assert_eq!((again.state(), again.game().log()), (room.state(), room.game().log()));
    code.into_bytes()
}
