//! A text is either rejected as a record, or it is a game that survives a round trip.

use texas42_room::{HeadlessRoom, RandomPlayer};

use crate::choices::any_game;

/// Checks the law for `data` as text.
pub fn record_replays_or_is_refused(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let room = match HeadlessRoom::from_record(text) {
        Ok(room) => room,
        Err(error) => return assert!(!error.to_string().is_empty()),
    };
    let again = HeadlessRoom::from_record(&room.record().to_json()).expect("a written record can be read");
    assert_eq!((again.state(), again.game().log()), (room.state(), room.game().log()));
    assert!(room.game().verify_snapshots(), "a replay must reach the same states");
}

pub(crate) fn sample(dice: &mut RandomPlayer) -> Vec<u8> {
    match dice.below(10) {
        0 => br#"{"version":1,"seed":"old","variants":["nello"],"history":["3 bid marks 2","0 pass","1 pass","2 pass","3 trump nello","3 play 6-5"]}"#.to_vec(),
        _ => any_game(dice).record().to_json().into_bytes(),
    }
}
