//! The settings of a deployment, read from its environment variables.

use std::time::Duration;

use texas42_ai::Strategy;
use texas42_client::Pace;
use texas42_hosting::{BotSettings, Rate, Retention};

/// The settings of all tables in a deployment.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    /// How bots play.
    pub bots: BotSettings,
    /// The rate limit for the messages of one connection.
    pub messages: Rate,
    /// How many codes of lobbies a network may look up in a row; then one every ten seconds.
    pub lookups: u32,
    /// How long an inactive table is stored.
    pub keep: Retention,
}

impl Settings {
    /// Reads the settings. A variable that is missing or malformed gets its default, because a typo must not stop every
    /// table.
    ///
    /// - `PACE`: how long bots wait before a move, in milliseconds: `700-1900`
    /// - `PLAYER`: the bots' strategy: `random`, `beginner`, `intermediate`, `expert`
    /// - `WORLDS`: how many worlds bots sample when deals are secret, which bounds the CPU time of a move
    /// - `MESSAGES`: the sustained rate limit of one connection, in messages per second
    /// - `LOOKUPS`: how many codes of lobbies a network may look up in a row
    /// - `KEEP_DAYS`: days without a move after which a table is deleted; 0 keeps every table
    /// - `KEEP_MILLISECONDS`: the same for tests, which do not wait for days
    pub fn read(variable: impl Fn(&str) -> Option<String>) -> Self {
        let default = Self::default();
        let number = |name: &str| variable(name).and_then(|text| text.trim().parse::<u32>().ok());
        let pace = variable("PACE").and_then(|text| read_pace(&text)).unwrap_or(default.bots.pace);
        let strategy = variable("PLAYER").and_then(|text| text.parse().ok()).unwrap_or(default.bots.strategy);
        let worlds = number("WORLDS").or(default.bots.worlds);
        let messages = number("MESSAGES").map_or(default.messages, rate);
        let keep = number("KEEP_DAYS").map_or(default.keep, Retention::days);
        let tiny = number("KEEP_MILLISECONDS").map(|keep| Retention::of(Duration::from_millis(keep.into())));
        let bots = BotSettings { pace, strategy, adviser: Strategy::Expert, worlds };
        Self { bots, messages, lookups: number("LOOKUPS").unwrap_or(default.lookups), keep: tiny.unwrap_or(keep) }
    }
}

impl Default for Settings {
    fn default() -> Self {
        let bots = BotSettings {
            pace: Pace::NATURAL,
            strategy: Strategy::Intermediate,
            adviser: Strategy::Expert,
            worlds: Some(DEFAULT_WORLDS),
        };
        Self { bots, messages: rate(20), lookups: 10, keep: Retention::default() }
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
    let pace = Pace { min: least.trim().parse().ok()?, max: most.trim().parse().ok()? };
    (pace.min <= pace.max).then_some(pace)
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
            "KEEP_DAYS" => Some("7".to_owned()),
            _ => None,
        };
        let settings = Settings::read(variables);
        assert_eq!(settings.bots.pace, Pace { min: 5, max: 9 });
        assert_eq!(settings.bots.strategy, Strategy::Beginner);
        assert_eq!(settings.bots.worlds, Some(DEFAULT_WORLDS));
        assert_eq!(settings.messages, Rate { burst: 300.0, per_second: 100.0 });
        assert_eq!(settings.keep, Retention::days(7));
        let malformed = Settings::read(|_| Some("9-5".to_owned()));
        assert_eq!((malformed.bots.pace, malformed.keep), (Pace::NATURAL, Retention::default()));
    }
}
