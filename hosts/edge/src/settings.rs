//! How the tables of a deployment are run, from the variables of its configuration.

use texas42_ai::Strategy;
use texas42_client::Pace;
use texas42_hosting::{BotSettings, Rate};

/// How the tables are run.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    /// How bots play.
    pub bots: BotSettings,
    /// What one connection may say.
    pub messages: Rate,
}

impl Settings {
    /// What is not said, or cannot be read, is as usual: a typing error in a variable must not stop every table.
    ///
    /// - `PACE`: how long programs wait, in milliseconds: `700-1900`
    /// - `PLAYER`: how well they play: `random`, `beginner`, `intermediate`, `expert`
    /// - `WORLDS`: how many worlds they look at where the deals are secret, which bounds what a move costs
    /// - `MESSAGES`: how many messages a second one connection may send in the long run
    pub fn read(variable: impl Fn(&str) -> Option<String>) -> Self {
        let usual = Self::default();
        let number = |name: &str| variable(name).and_then(|text| text.trim().parse::<u32>().ok());
        let pace = variable("PACE").and_then(|text| read_pace(&text)).unwrap_or(usual.bots.pace);
        let strategy = variable("PLAYER").and_then(|text| text.parse().ok()).unwrap_or(usual.bots.strategy);
        let worlds = number("WORLDS").or(usual.bots.worlds);
        let messages = number("MESSAGES").map_or(usual.messages, rate);
        Self { bots: BotSettings { pace, strategy, worlds }, messages }
    }
}

impl Default for Settings {
    fn default() -> Self {
        let bots = BotSettings { pace: Pace::NATURAL, strategy: Strategy::Intermediate, worlds: Some(USUAL_WORLDS) };
        Self { bots, messages: rate(20) }
    }
}

/// A move may cost little where a second of thinking is paid for; strong players think in browsers or beside a server.
const USUAL_WORLDS: u32 = 6;

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
    fn variables_say_how_and_nonsense_says_nothing() {
        let said = |name: &str| match name {
            "PACE" => Some("5-9".to_owned()),
            "PLAYER" => Some("beginner".to_owned()),
            "WORLDS" => Some("many".to_owned()),
            "MESSAGES" => Some("100".to_owned()),
            _ => None,
        };
        let settings = Settings::read(said);
        assert_eq!(settings.bots.pace, Pace { least: 5, most: 9 });
        assert_eq!(settings.bots.strategy, Strategy::Beginner);
        assert_eq!(settings.bots.worlds, Some(USUAL_WORLDS));
        assert_eq!(settings.messages, Rate { burst: 300.0, per_second: 100.0 });
        assert_eq!(Settings::read(|_| Some("9-5".to_owned())).bots.pace, Pace::NATURAL);
    }
}
