//! The settings of a deployment, read from its environment variables.

use texas42_ai::Strategy;
use texas42_client::Pace;
use texas42_hosting::{BotSettings, Rate};

/// The settings of all tables in a deployment.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    /// How bots play.
    pub bots: BotSettings,
    /// The rate limit for the messages of one connection.
    pub messages: Rate,
}

impl Settings {
    /// Reads the settings. A variable that is missing or malformed gets its default, because a typo must not stop every
    /// table.
    ///
    /// - `PACE`: how long bots wait before a move, in milliseconds: `700-1900`
    /// - `PLAYER`: the bots' strategy: `random`, `beginner`, `intermediate`, `expert`
    /// - `WORLDS`: how many worlds bots sample when deals are secret, which bounds the CPU time of a move
    /// - `MESSAGES`: the sustained rate limit of one connection, in messages per second
    pub fn read(variable: impl Fn(&str) -> Option<String>) -> Self {
        let default = Self::default();
        let number = |name: &str| variable(name).and_then(|text| text.trim().parse::<u32>().ok());
        let pace = variable("PACE").and_then(|text| read_pace(&text)).unwrap_or(default.bots.pace);
        let strategy = variable("PLAYER").and_then(|text| text.parse().ok()).unwrap_or(default.bots.strategy);
        let worlds = number("WORLDS").or(default.bots.worlds);
        let messages = number("MESSAGES").map_or(default.messages, rate);
        Self { bots: BotSettings { pace, strategy, worlds }, messages }
    }
}

impl Default for Settings {
    fn default() -> Self {
        let bots = BotSettings { pace: Pace::NATURAL, strategy: Strategy::Intermediate, worlds: Some(DEFAULT_WORLDS) };
        Self { bots, messages: rate(20) }
    }
}

/// Kept low because CPU time is billed; stronger bots run in browsers or next to a native server.
const DEFAULT_WORLDS: u32 = 6;

fn rate(per_second: u32) -> Rate {
    let per_second = per_second as f32;
    Rate { burst: per_second * 3.0, per_second }
}

fn read_pace(text: &str) -> Option<Pace> {
    let (least, most) = text.split_once('-')?;
    let pace = Pace { least: least.trim().parse().ok()?, most: most.trim().parse().ok()? };
    (pace.least <= pace.most).then_some(pace)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_variables_and_ignores_malformed_ones() {
        let variables = |name: &str| match name {
            "PACE" => Some("5-9".to_owned()),
            "PLAYER" => Some("beginner".to_owned()),
            "WORLDS" => Some("many".to_owned()),
            "MESSAGES" => Some("100".to_owned()),
            _ => None,
        };
        let settings = Settings::read(variables);
        assert_eq!(settings.bots.pace, Pace { least: 5, most: 9 });
        assert_eq!(settings.bots.strategy, Strategy::Beginner);
        assert_eq!(settings.bots.worlds, Some(DEFAULT_WORLDS));
        assert_eq!(settings.messages, Rate { burst: 300.0, per_second: 100.0 });
        assert_eq!(Settings::read(|_| Some("9-5".to_owned())).bots.pace, Pace::NATURAL);
    }
}
