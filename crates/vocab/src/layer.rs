//! The layers: optional rules on top of straight 42.
//!
//! A layer is a plain value with its parameters, and the rules of a table are a list of layers. The engine implements
//! each layer in a file of the same name.

use core::{fmt, ops::Range, str::FromStr};

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::{Bid, BidKind, ParseError, Seat, SeedText, Trump};

/// Declares the layers: the documentation, the parameter struct and the JSON name of each.
macro_rules! layers {
    ($($(#[$doc:meta])+ $layer:ident = $word:literal,)+) => {
        /// One layer of rules. Later layers in a list see what the earlier ones decided, and have the last word.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
        #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
        #[serde(tag = "type")]
        pub enum Layer {
            $($(#[$doc])+ #[serde(rename = $word)] $layer($layer),)+
        }

        impl Layer {
            /// The name of this layer in JSON.
            pub const fn name(&self) -> &'static str {
                match self {
                    $(Self::$layer(_) => $layer::NAME,)+
                }
            }

            /// One of each layer, with default parameters.
            pub fn every() -> [Self; [$($word),+].len()] {
                [$(Self::$layer($layer::default())),+]
            }
        }

        $(impl $layer {
            /// The name of this layer in JSON.
            pub const NAME: &'static str = $word;
        })+
    };
}

layers! {
    /// Take no trick, alone.
    Nello = "nello",
    /// Bid on four doubles; partner names trumps.
    Plunge = "plunge",
    /// Bid on three doubles; partner names trumps.
    Splash = "splash",
    /// Nearest to seven takes the trick.
    Sevens = "sevens",
    /// Straight 42 only.
    Tournament = "tournament",
    /// Somebody has to bid.
    ForcedBid = "forced-bid",
    /// The only choice of a seat is made automatically.
    Speed = "speed",
    /// Every choice comes with a hint, for those who may see hints.
    Hints = "hints",
    /// People confirm each trick and each result.
    Consensus = "consensus",
    /// A game of one hand.
    OneHand = "one-hand",
    /// The hand of the day.
    DailyChallenge = "daily-challenge",
}

impl Layer {
    /// Whether a game with this layer is over after one hand.
    pub const fn is_one_hand(&self) -> bool {
        match self {
            Self::OneHand(_) | Self::DailyChallenge(_) => true,
            Self::Nello(_)
            | Self::Plunge(_)
            | Self::Splash(_)
            | Self::Sevens(_)
            | Self::Tournament(_)
            | Self::ForcedBid(_)
            | Self::Speed(_)
            | Self::Hints(_)
            | Self::Consensus(_) => false,
        }
    }
}

/// Nello: the bidder takes no trick while the partner sits out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields, rename_all = "camelCase")]
pub struct Nello {
    /// The fewest marks with which it may be declared.
    pub minimum: u8,
    /// Who leads to the first trick.
    pub lead: Lead,
    /// Where doubles stand.
    pub doubles: Doubles,
}

impl Default for Nello {
    fn default() -> Self {
        Self { minimum: 1, lead: Lead::Bidder, doubles: Doubles::Own }
    }
}

/// Who leads to the first trick of a nello.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Lead {
    /// The bidder.
    #[default]
    Bidder,
    /// The seat to the bidder's left.
    Left,
}

/// Where the doubles stand when there are no trumps.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Doubles {
    /// A suit of their own, 6-6 highest.
    #[default]
    Own,
    /// The highest of their suits.
    High,
    /// The lowest of their suits.
    Low,
}

/// Plunge: a bid on four or more doubles.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Plunge {}

/// Splash: a bid on three or more doubles.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Splash {}

/// Sevens: no suits; nearest to seven dots takes the trick.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Sevens {}

/// Tournament: no special contracts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Tournament {}

/// Forced bid: somebody may not pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields, rename_all = "camelCase")]
pub struct ForcedBid {
    /// The least that the forced seat has to bid, 30 to 42.
    pub minimum: u8,
    /// Who is forced.
    pub who: WhoMustBid,
}

impl Default for ForcedBid {
    fn default() -> Self {
        Self { minimum: 30, who: WhoMustBid::Shaker }
    }
}

/// Whose bid is forced.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum WhoMustBid {
    /// The shaker, when the three others passed.
    #[default]
    Shaker,
    /// The seat that speaks first.
    First,
}

/// Speed: a seat with exactly one choice has it made after a delay.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields, rename_all = "camelCase")]
pub struct Speed {
    /// Milliseconds to wait, at most 10,000.
    pub delay: u16,
}

impl Default for Speed {
    fn default() -> Self {
        Self { delay: 300 }
    }
}

/// Hints: each choice carries a hint.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Hints {}

/// Consensus: every person confirms a trick and a result before the game goes on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Consensus {}

/// One hand: the game is over when its first played hand is scored.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields, rename_all = "camelCase")]
pub struct OneHand {
    /// The seed of the deal; without it, the table's own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seed: Option<SeedText>,
    /// The difficulty of the hand that the host searches for if there is no seed; without it, medium.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub difficulty: Option<Difficulty>,
    /// A scripted auction; without it, the seats bid.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub script: Option<Script>,
}

/// A scripted auction: everybody else passes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct Script {
    /// Who bids and declares.
    pub player: Seat,
    /// How: points or marks.
    pub bid: BidKind,
    /// How much.
    pub value: u8,
    /// What is named.
    pub trump: Trump,
}

impl Script {
    /// The scripted bid.
    pub const fn bid(&self) -> Bid {
        Bid { kind: self.bid, value: self.value }
    }
}

/// The hand of the day: the same deal for every player, rated with stars by points.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields, rename_all = "camelCase")]
pub struct DailyChallenge {
    /// The day.
    pub date: Date,
    /// The difficulty; "hard" removes the special contracts of the layers before it.
    pub difficulty: Difficulty,
    /// The points for one, two and three stars, rising.
    pub star_thresholds: [u8; 3],
    /// The number of the deal of that day, chosen by the host to match the difficulty: the 7 of the seed
    /// `daily-2026-01-01-medium-7`. Without it, the seed has no number.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deal: Option<u32>,
}

impl Default for DailyChallenge {
    fn default() -> Self {
        Self {
            date: Date { year: 2026, month: 1, day: 1 },
            difficulty: Difficulty::Medium,
            star_thresholds: [25, 35, 42],
            deal: None,
        }
    }
}

/// The difficulty of a hand or of a daily challenge.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, strum::IntoStaticStr)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
pub enum Difficulty {
    /// For beginners.
    Easy,
    /// For everybody.
    Medium,
    /// For experienced players; removes the special contracts of the layers before a daily challenge.
    Hard,
}

impl Difficulty {
    /// The name of this difficulty in JSON.
    pub fn name(self) -> &'static str {
        self.into()
    }
}

/// A calendar day from 2000-01-01 on.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Date {
    year: u16,
    month: u8,
    day: u8,
}

impl Date {
    /// The day, or `None` if it is not a day of the calendar or is before the year 2000.
    pub const fn new(year: u16, month: u8, day: u8) -> Option<Self> {
        let leap = year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
        let days = match month {
            1 | 3 | 5 | 7 | 8 | 10 | 12 => 31,
            4 | 6 | 9 | 11 => 30,
            2 if leap => 29,
            2 => 28,
            _ => 0,
        };
        if year >= 2000 && year <= 9999 && day >= 1 && day <= days { Some(Self { year, month, day }) } else { None }
    }

    /// Year, month and day.
    pub const fn parts(self) -> (u16, u8, u8) {
        (self.year, self.month, self.day)
    }
}

impl fmt::Display for Date {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:04}-{:02}-{:02}", self.year, self.month, self.day)
    }
}

impl fmt::Debug for Date {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl FromStr for Date {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Self, ParseError> {
        let shaped = text.len() == 10
            && text
                .bytes()
                .enumerate()
                .all(|(at, byte)| if at == 4 || at == 7 { byte == b'-' } else { byte.is_ascii_digit() });
        if !shaped {
            return Err(ParseError::Date);
        }
        let number = |range: Range<usize>| text[range].parse::<u16>().map_err(|_| ParseError::Date);
        Self::new(number(0..4)?, number(5..7)? as u8, number(8..10)? as u8).ok_or(ParseError::Date)
    }
}

impl Serialize for Date {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Date {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        crate::text::parse(deserializer, "a date like \"2026-01-15\"")
    }
}

#[cfg(test)]
mod tests {
    use alloc::string::ToString;

    use super::*;

    #[test]
    fn parameters_have_defaults_and_unknown_ones_are_rejected() {
        let layer: Layer = serde_json::from_str(r#"{"type":"nello"}"#).unwrap();
        assert_eq!(layer, Layer::Nello(Nello::default()));
        let layer: Layer = serde_json::from_str(r#"{"type":"forced-bid","minimum":31}"#).unwrap();
        assert_eq!(layer, Layer::ForcedBid(ForcedBid { minimum: 31, who: WhoMustBid::Shaker }));
        let error = serde_json::from_str::<Layer>(r#"{"type":"nello","min":2}"#).unwrap_err();
        assert!(error.to_string().contains("unknown field `min`"), "{error}");
        let error = serde_json::from_str::<Layer>(r#"{"type":"nello","who":"first"}"#).unwrap_err();
        assert!(
            error.to_string().contains("unknown field `who`, expected one of `minimum`, `lead`, `doubles`"),
            "{error}"
        );
        let error = serde_json::from_str::<Layer>(r#"{"type":"nillo"}"#).unwrap_err();
        assert!(error.to_string().contains("unknown variant `nillo`, expected one of `nello`, `plunge`"), "{error}");
    }

    #[test]
    fn difficulty_and_deal_are_optional() {
        let read = |text: &str| serde_json::from_str::<Layer>(text);
        for (short, long) in [
            (r#"{"type":"one-hand"}"#, r#"{"type":"one-hand","seed":"a-3","difficulty":"hard"}"#),
            (
                r#"{"type":"daily-challenge","date":"2026-01-15","difficulty":"easy","starThresholds":[1,2,3]}"#,
                r#"{"type":"daily-challenge","date":"2026-01-15","difficulty":"easy","starThresholds":[1,2,3],"deal":7}"#,
            ),
        ] {
            // Configurations written before these fields existed round-trip unchanged.
            for text in [short, long] {
                assert_eq!(serde_json::to_string(&read(text).unwrap()).unwrap(), text);
            }
        }
        for (wrong, problem) in [
            (r#"{"type":"one-hand","deal":7}"#, "unknown field `deal`, expected one of `seed`, `difficulty`, `script`"),
            (r#"{"type":"daily-challenge","deal":-1}"#, "invalid value"),
            (r#"{"type":"one-hand","difficulty":"simple"}"#, "unknown variant `simple`"),
        ] {
            let error = read(wrong).unwrap_err();
            assert!(error.to_string().contains(problem), "{error}");
        }
    }

    #[test]
    fn names_are_the_json_tags() {
        for layer in Layer::every() {
            let json = serde_json::to_value(layer).unwrap();
            assert_eq!(json["type"], layer.name());
            assert_eq!(serde_json::from_value::<Layer>(json).unwrap(), layer);
        }
    }

    #[test]
    fn dates_follow_the_calendar() {
        assert!("2024-02-29".parse::<Date>().is_ok());
        for wrong in ["2023-02-29", "2026-13-01", "2026-1-1", "1999-12-31", "2026-01-00", "+026-01-01", "2026‐01‐01"]
        {
            assert_eq!(wrong.parse::<Date>(), Err(ParseError::Date), "{wrong}");
        }
    }
}
