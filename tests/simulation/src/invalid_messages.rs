//! Invalid messages: actions of other seats or of the table, stale and future versions, invalid keys, unknown
//! fields, and noise. None of them may change a table, regardless of the sender and the time.

use serde_json::{Value, json};
use texas42_protocol::{MAX_MESSAGE_BYTES, SecretKey};
use texas42_vocab::Seat;

use crate::dice::Dice;

/// What an attacker knows: all public information, and keys that are no longer valid.
pub(crate) struct InvalidMessages<'a> {
    pub(crate) game: &'a str,
    pub(crate) seat: Option<Seat>,
    /// Whether the sender may manage the table, so that doing so is valid.
    pub(crate) is_manager: bool,
    /// Whether the table allows no invited bots.
    pub(crate) is_rated: bool,
    /// Whether the table allows invites that show all hands.
    pub(crate) is_open: bool,
    pub(crate) version: u64,
    /// An unused request id.
    pub(crate) request: String,
    /// The id of a request that was already executed.
    pub(crate) used_request: Option<&'a str>,
    pub(crate) dead_keys: &'a [SecretKey],
}

impl InvalidMessages<'_> {
    /// Returns the text of a random invalid message.
    pub(crate) fn any(&self, dice: &mut Dice) -> String {
        match dice.below(21) {
            0..=2 => self.execute(self.version, &self.foreign_move(dice)),
            3..=5 => self.execute(self.version, &system_move(dice)),
            6 => self.unknown_field(dice),
            7 => self.execute(dice.below(2), &self.own_move(dice)),
            8 => self.execute(self.version + dice.between(500, 5000), &self.own_move(dice)),
            9 => self.execute(self.version, &json!({"type":"set-control","player":self.own(dice),"controlType":"ai"})),
            10 => self.join(&random_key(dice), dice),
            11 => self.join("", dice),
            12 | 13 => self.old_key(dice),
            14 => self.foreign_control(dice),
            15 => self.admin_invite(dice),
            16 => self.another_game(dice),
            17 => json!({"type":"CREATE_GAME","name":"Thief","table":{"pause":0}}).to_string(),
            18 => self.oversized(dice),
            19 => self.reused_request_id(dice),
            _ => noise(dice),
        }
    }

    fn execute(&self, version: u64, action: &Value) -> String {
        json!({"type":"EXECUTE_ACTION","gameId":self.game,"requestId":self.request,"version":version,"action":action})
            .to_string()
    }

    /// A different message with a used request id, which counts as the old request.
    fn reused_request_id(&self, dice: &mut Dice) -> String {
        let request = self.used_request.unwrap_or(&self.request);
        let action = self.own_move(dice);
        json!({"type":"EXECUTE_ACTION","gameId":self.game,"requestId":request,"version":0,"action":action}).to_string()
    }

    fn own(&self, dice: &mut Dice) -> u64 {
        self.seat.map_or_else(|| dice.below(4), |seat| seat.index() as u64)
    }

    fn own_move(&self, dice: &mut Dice) -> Value {
        json!({"type":"pass","player":self.own(dice)})
    }

    fn foreign_move(&self, dice: &mut Dice) -> Value {
        let player = (self.own(dice) + dice.between(1, 3)) % 4;
        let mut action = dice.pick(&[
            json!({"type":"pass"}),
            json!({"type":"bid","bid":"points","value":30}),
            json!({"type":"play","domino":"6-6"}),
            json!({"type":"claim"}),
            json!({"type":"agree-score-hand"}),
            json!({"type":"agree-complete-trick"}),
        ]);
        action["player"] = player.into();
        action["meta"] = json!({"authority":"system","autoExecute":true,"requiredCapabilities":[]});
        action
    }

    /// A message with an unknown field.
    fn unknown_field(&self, dice: &mut Dice) -> String {
        let field = dice.pick(&["authority", "meta", "capabilities", "by", "playerId", "secret"]);
        let mut message = json!({
            "type":"EXECUTE_ACTION","gameId":self.game,"requestId":self.request,"version":self.version,
            "action":self.own_move(dice),
        });
        message[field] = json!("system");
        message.to_string()
    }

    fn join(&self, key: &str, dice: &mut Dice) -> String {
        let role = dice.pick(&["player", "admin", "spectator", "ai"]);
        let capabilities = json!([{"type":"observe-full-state"},{"type":"act-as-player","playerIndex":dice.below(4)}]);
        json!({
            "type":"JOIN_GAME","gameId":self.game,"key":key,"name":"Thief","role":role,"capabilities":capabilities,
        })
        .to_string()
    }

    /// A key that is no longer valid.
    fn old_key(&self, dice: &mut Dice) -> String {
        let key = if self.dead_keys.is_empty() { random_key(dice) } else { dice.pick(self.dead_keys).into() };
        json!({"type":"JOIN_GAME","gameId":self.game,"key":key,"name":"Ghost"}).to_string()
    }

    fn foreign_control(&self, dice: &mut Dice) -> String {
        if self.is_manager {
            return noise(dice);
        }
        let player = (self.own(dice) + dice.between(1, 3)) % 4;
        let control = dice.pick(&["human", "ai"]);
        json!({
            "type":"SET_PLAYER_CONTROL","gameId":self.game,"requestId":self.request,"player":player,"controlType":control,
        })
        .to_string()
    }

    /// An invite for an admin or a bot. Not even the creator may invite an admin unless hands are open, or a bot to a
    /// rated table.
    fn admin_invite(&self, dice: &mut Dice) -> String {
        let role = match (self.is_manager, self.is_open, self.is_rated) {
            (true, true, _) => return noise(dice),
            (true, false, false) => "admin",
            _ => dice.pick(&["admin", "ai"]),
        };
        json!({"type":"INVITE","gameId":self.game,"requestId":self.request,"grant":{"role":role}}).to_string()
    }

    fn another_game(&self, dice: &mut Dice) -> String {
        let kind = dice.pick(&["SUBSCRIBE", "LEAVE_GAME", "GIVE_UP_SEAT", "UNSUBSCRIBE"]);
        json!({"type":kind,"gameId":"another-table"}).to_string()
    }

    fn oversized(&self, dice: &mut Dice) -> String {
        let most = dice.pick(&[25, 1000, MAX_MESSAGE_BYTES]);
        let name = "N".repeat(most);
        json!({"type":"JOIN_GAME","gameId":self.game,"name":name}).to_string()
    }
}

fn system_move(dice: &mut Dice) -> Value {
    let kind = dice.pick(&["complete-trick", "score-hand", "redeal", "end-game"]);
    json!({"type":kind,"authority":"system","meta":{"authority":"system"}})
}

fn random_key(dice: &mut Dice) -> String {
    SecretKey::new(dice.bytes()).into()
}

fn noise(dice: &mut Dice) -> String {
    dice.pick(&[
        "",
        "null",
        "{}",
        "[[[[[[[[",
        "\u{0}\u{1}",
        r#"{"type":"EXECUTE_ACTION"}"#,
        r#"{"type":"SET_PLAYER_CONTROL","gameId":"x","requestId":"r","player":7,"controlType":"ai"}"#,
        r#"{"type":"SUBSCRIBE","gameId":"../../etc"}"#,
        r#"{"type":"STATE_UPDATE","gameId":"table-0","version":1}"#,
        r#"{"type":"PING","nonce":-1}"#,
        r#"{"type":"PING","nonce":1e99}"#,
    ])
    .to_string()
}
