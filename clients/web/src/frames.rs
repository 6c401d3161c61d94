//! Redacts messages for the developer dialog: neither an onlooker nor a screenshot may reveal keys.

/// The secret fields of messages.
const SECRET: [&str; 3] = ["\"key\":\"", "\"sessionKey\":\"", "\"entropy\":\""];

/// The message with every key replaced by `…`.
pub fn without_keys(message: &str) -> String {
    let mut shown = message.to_owned();
    for field in SECRET {
        let mut from = 0;
        while let Some(at) = shown[from..].find(field) {
            let begin = from + at + field.len();
            let end = shown[begin..].find('"').map_or(shown.len(), |length| begin + length);
            shown.replace_range(begin..end, "…");
            from = begin;
        }
    }
    shown
}

#[cfg(test)]
mod tests {
    use texas42_protocol::{ClientMessage, Entropy, GameId, Name, SecretKey};

    use super::*;

    #[test]
    fn redacts_keys_and_nothing_else() {
        let key = |first| SecretKey::new(core::array::from_fn(|at| first + 13 * at as u8));
        let [invite, own] = [key(1), key(2)].map(String::from);
        let entropy = "0123456789abcdefghijklmnopqrstuvwxyz";
        let message = ClientMessage::JoinGame {
            request_id: None,
            game_id: GameId::try_from("abcdefghjkmnpqrs").unwrap(),
            key: SecretKey::try_from(invite.clone()).ok(),
            session_key: SecretKey::try_from(own.clone()).ok(),
            name: Name::try_from("Key \"key\":\"Ann").unwrap(),
            role: None,
            seat: None,
            capabilities: None,
            entropy: Entropy::try_from(entropy).ok(),
            version: Some(3),
        };
        let text = serde_json::to_string(&message).unwrap();
        let shown = without_keys(&text);
        for secret in [&invite, &own, entropy] {
            assert!(text.contains(secret) && !shown.contains(secret), "{shown}");
        }
        assert!(shown.contains("\"gameId\":\"abcdefghjkmnpqrs\"") && shown.contains("Ann"), "{shown}");
    }
}
