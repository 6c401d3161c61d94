//! Tests that a request is executed once even if it is repeated very late. No simulated world lasts long enough for that.

use texas42_protocol::{ClientMessage, GameId};
use texas42_room::{NewTable, Room};

fn message(json: &str) -> ClientMessage {
    serde_json::from_str(json).expect("a valid message")
}

fn control(request: u32, control: &str) -> ClientMessage {
    message(&format!(
        r#"{{"type":"SET_PLAYER_CONTROL","gameId":"table","requestId":"r{request}","player":0,"controlType":"{control}"}}"#
    ))
}

#[test]
fn a_request_repeated_very_late_is_executed_once() {
    let create = r#"{"type":"CREATE_GAME","name":"Ann","config":{"players":["human","ai","ai","ai"]}}"#;
    let new = NewTable { id: GameId::try_from("table").unwrap(), randomness: [7; 32], connection: 1 };
    let mut room = Room::create(0, new, message(create)).unwrap();
    for request in 0..1000 {
        room.handle_message(0, 1, control(request, if request % 2 == 0 { "ai" } else { "human" }));
        while room.poll_effect().is_some() {}
    }
    let version = room.version();
    room.handle_message(0, 1, control(0, "ai"));
    assert_eq!(room.version(), version);
}
