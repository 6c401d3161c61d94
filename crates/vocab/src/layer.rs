//! The layers: optional rules on top of straight 42.
//!
//! A layer is a plain value with its parameters, and the rules of a table are a list of layers. The engine implements
//! each layer in a file of the same name.

use core::{fmt, ops::Range, str::FromStr};

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::{Bid, BidKind, ParseError, Seat, SeedText, Team, Trump};

/// What a layer is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LayerKind {
    /// Adds a contract beside straight 42.
    SpecialContract,
    /// Restricts the bids.
    Bidding,
    /// Runs the table; games are played by the same rules without it.
    Conduct,
    /// Ends the game after one hand.
    OneHand,
}

/// Declares the layers: the documentation, the parameter struct, the kind and the JSON name of each.
macro_rules! layers {
    ($($(#[$doc:meta])+ $layer:ident: $kind:ident = $word:literal,)+) => {
        crate::tagged! {
            "Layer": tag = "type";
            /// One layer of rules. Later layers in a list see what the earlier ones decided, and have the last word.
            #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
            #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
            pub enum Layer {
                $($(#[$doc])+ #[serde(rename = $word)] $layer($layer),)+
            }
        }

        impl Layer {
            /// The name of this layer in JSON.
            pub const fn name(&self) -> &'static str {
                match self {
                    $(Self::$layer(_) => $layer::NAME,)+
                }
            }

            /// What this layer is for.
            pub const fn kind(&self) -> LayerKind {
                match self {
                    $(Self::$layer(_) => LayerKind::$kind,)+
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
    Nello: SpecialContract = "nello",
    /// Bid on four doubles; partner names trumps.
    Plunge: SpecialContract = "plunge",
    /// Bid on three doubles; partner names trumps.
    Splash: SpecialContract = "splash",
    /// Nearest to seven takes the trick.
    Sevens: SpecialContract = "sevens",
    /// Straight 42 only.
    Tournament: Bidding = "tournament",
    /// Somebody has to bid.
    ForcedBid: Bidding = "forced-bid",
    /// The only choice of a seat is made automatically.
    Speed: Conduct = "speed",
    /// Every choice comes with a hint, for those who may see hints.
    Hints: Conduct = "hints",
    /// People confirm each trick and each result.
    Consensus: Conduct = "consensus",
    /// A game of one hand.
    OneHand: OneHand = "one-hand",
    /// The hand of the day.
    DailyChallenge: OneHand = "daily-challenge",
}

/// How a layer determines the deal of its game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DealOrigin<'a> {
    /// It does not: the table deals.
    Table,
    /// By a seed of its own.
    Seed(&'a SeedText),
    /// By the hand that the host finds for it.
    Search(&'a OneHand),
    /// By its day, and by the number that the host finds for it.
    Day(&'a DailyChallenge),
}

impl Layer {
    /// Whether a game with this layer is over after one hand.
    pub const fn is_one_hand(&self) -> bool {
        match self.kind() {
            LayerKind::OneHand => true,
            LayerKind::SpecialContract | LayerKind::Bidding | LayerKind::Conduct => false,
        }
    }

    /// Whether this layer adds a special contract.
    pub const fn is_special_contract(&self) -> bool {
        match self.kind() {
            LayerKind::SpecialContract => true,
            LayerKind::Bidding | LayerKind::Conduct | LayerKind::OneHand => false,
        }
    }

    /// Whether this layer changes bids, trumps or the play of a hand. The others choose a deal or run the table.
    pub const fn affects_play(&self) -> bool {
        match self.kind() {
            LayerKind::SpecialContract | LayerKind::Bidding => true,
            LayerKind::Conduct | LayerKind::OneHand => false,
        }
    }

    /// Whether this layer cancels the special contracts of the layers before it.
    pub const fn cancels_earlier_contracts(&self) -> bool {
        match self {
            Self::DailyChallenge(daily) => match daily.difficulty {
                Difficulty::Hard => true,
                Difficulty::Easy | Difficulty::Medium => false,
            },
            Self::Nello(_)
            | Self::Plunge(_)
            | Self::Splash(_)
            | Self::Sevens(_)
            | Self::Tournament(_)
            | Self::ForcedBid(_)
            | Self::Speed(_)
            | Self::Hints(_)
            | Self::Consensus(_)
            | Self::OneHand(_) => false,
        }
    }

    /// Whether this layer and another cannot be combined: a tournament has no special contracts.
    pub const fn excludes(&self, other: &Self) -> bool {
        self.forbids_special_contracts() && other.is_special_contract()
            || other.forbids_special_contracts() && self.is_special_contract()
    }

    /// Whether this layer cannot be combined with special contracts.
    pub const fn forbids_special_contracts(&self) -> bool {
        match self {
            Self::Tournament(_) => true,
            Self::Nello(_)
            | Self::Plunge(_)
            | Self::Splash(_)
            | Self::Sevens(_)
            | Self::ForcedBid(_)
            | Self::Speed(_)
            | Self::Hints(_)
            | Self::Consensus(_)
            | Self::OneHand(_)
            | Self::DailyChallenge(_) => false,
        }
    }

    /// Whether this layer makes a seat bid.
    pub const fn forces_bid(&self) -> bool {
        match self {
            Self::ForcedBid(_) => true,
            Self::Nello(_)
            | Self::Plunge(_)
            | Self::Splash(_)
            | Self::Sevens(_)
            | Self::Tournament(_)
            | Self::Speed(_)
            | Self::Hints(_)
            | Self::Consensus(_)
            | Self::OneHand(_)
            | Self::DailyChallenge(_) => false,
        }
    }

    /// Whether this layer gives hints.
    pub const fn gives_hints(&self) -> bool {
        match self {
            Self::Hints(_) => true,
            Self::Nello(_)
            | Self::Plunge(_)
            | Self::Splash(_)
            | Self::Sevens(_)
            | Self::Tournament(_)
            | Self::ForcedBid(_)
            | Self::Speed(_)
            | Self::Consensus(_)
            | Self::OneHand(_)
            | Self::DailyChallenge(_) => false,
        }
    }

    /// Whether people confirm each trick and each result with this layer.
    pub const fn asks_for_agreement(&self) -> bool {
        match self {
            Self::Consensus(_) => true,
            Self::Nello(_)
            | Self::Plunge(_)
            | Self::Splash(_)
            | Self::Sevens(_)
            | Self::Tournament(_)
            | Self::ForcedBid(_)
            | Self::Speed(_)
            | Self::Hints(_)
            | Self::OneHand(_)
            | Self::DailyChallenge(_) => false,
        }
    }

    /// Whether this layer asks for a hand of a difficulty, already found or not.
    pub const fn asks_for_difficulty(&self) -> bool {
        match self {
            Self::OneHand(one_hand) => one_hand.difficulty.is_some(),
            Self::Nello(_)
            | Self::Plunge(_)
            | Self::Splash(_)
            | Self::Sevens(_)
            | Self::Tournament(_)
            | Self::ForcedBid(_)
            | Self::Speed(_)
            | Self::Hints(_)
            | Self::Consensus(_)
            | Self::DailyChallenge(_) => false,
        }
    }

    /// How this layer determines the deal of its game.
    pub const fn deal_source(&self) -> DealOrigin<'_> {
        match self {
            Self::OneHand(OneHand { seed: Some(seed), .. }) => DealOrigin::Seed(seed),
            Self::OneHand(one_hand) => DealOrigin::Search(one_hand),
            Self::DailyChallenge(daily) => DealOrigin::Day(daily),
            Self::Nello(_)
            | Self::Plunge(_)
            | Self::Splash(_)
            | Self::Sevens(_)
            | Self::Tournament(_)
            | Self::ForcedBid(_)
            | Self::Speed(_)
            | Self::Hints(_)
            | Self::Consensus(_) => DealOrigin::Table,
        }
    }

    /// This layer with the deal that the host has found for it: the number of the deal, and its seed. `None` takes the
    /// deal away, so that a player cannot compute it.
    #[must_use]
    pub const fn with_deal(self, deal: Option<(u32, SeedText)>) -> Self {
        let (number, seed) = match deal {
            Some((number, seed)) => (Some(number), Some(seed)),
            None => (None, None),
        };
        match self {
            Self::OneHand(one_hand) => Self::OneHand(OneHand { seed, ..one_hand }),
            Self::DailyChallenge(daily) => Self::DailyChallenge(DailyChallenge { deal: number, ..daily }),
            Self::Nello(_)
            | Self::Plunge(_)
            | Self::Splash(_)
            | Self::Sevens(_)
            | Self::Tournament(_)
            | Self::ForcedBid(_)
            | Self::Speed(_)
            | Self::Hints(_)
            | Self::Consensus(_) => self,
        }
    }

    /// The layers that a person can switch on one by one, in the order in which a table consults them.
    pub fn house_rules() -> impl Iterator<Item = Self> {
        Self::every().into_iter().filter(|layer| !layer.is_one_hand())
    }
}

/// Nello: the bidder takes no trick while the partner sits out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields, expecting = "struct Nello without other fields", rename_all = "camelCase")]
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
#[serde(deny_unknown_fields, expecting = "struct Plunge without other fields")]
pub struct Plunge {}

/// Splash: a bid on three or more doubles.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, expecting = "struct Splash without other fields")]
pub struct Splash {}

/// Sevens: no suits; nearest to seven dots takes the trick.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, expecting = "struct Sevens without other fields")]
pub struct Sevens {}

/// Tournament: no special contracts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, expecting = "struct Tournament without other fields")]
pub struct Tournament {}

/// Forced bid: somebody may not pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields, expecting = "struct ForcedBid without other fields", rename_all = "camelCase")]
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
#[serde(default, deny_unknown_fields, expecting = "struct Speed without other fields", rename_all = "camelCase")]
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
#[serde(deny_unknown_fields, expecting = "struct Hints without other fields")]
pub struct Hints {}

/// Consensus: every person confirms a trick and a result before the game goes on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, expecting = "struct Consensus without other fields")]
pub struct Consensus {}

/// One hand: the game is over when its first played hand is scored.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields, expecting = "struct OneHand without other fields", rename_all = "camelCase")]
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
#[serde(deny_unknown_fields, expecting = "struct Script without other fields", rename_all = "camelCase")]
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
#[serde(
    default,
    deny_unknown_fields,
    expecting = "struct DailyChallenge without other fields",
    rename_all = "camelCase"
)]
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
    /// The seat whose team earns the stars, chosen by the host if its person plays in team 1. Without it, team 0 earns them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seat: Option<Seat>,
}

impl DailyChallenge {
    /// The team that earns the stars.
    pub const fn team(&self) -> Team {
        match self.seat {
            Some(seat) => seat.team(),
            None => Team::BOTH[0],
        }
    }
}

impl Default for DailyChallenge {
    fn default() -> Self {
        Self {
            date: Date { year: 2026, month: 1, day: 1 },
            difficulty: Difficulty::Medium,
            star_thresholds: [25, 35, 42],
            deal: None,
            seat: None,
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

    /// The next day; `None` after the year 9999.
    pub fn next(self) -> Option<Self> {
        let Self { year, month, day } = self;
        Self::new(year, month, day + 1).or_else(|| Self::new(year, month + 1, 1)).or_else(|| Self::new(year + 1, 1, 1))
    }

    /// The day before; `None` before the year 2000.
    pub fn previous(self) -> Option<Self> {
        let Self { year, month, day } = self;
        let last_of = |year, month| (28..=31).rev().find_map(|day| Self::new(year, month, day));
        Self::new(year, month, day - 1).or_else(|| last_of(year, month - 1)).or_else(|| last_of(year - 1, 12))
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
        let is_date_shaped = text.len() == 10
            && text
                .bytes()
                .enumerate()
                .all(|(at, byte)| if at == 4 || at == 7 { byte == b'-' } else { byte.is_ascii_digit() });
        if !is_date_shaped {
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
    fn only_games_of_one_hand_have_a_deal_that_can_be_taken_away() {
        let seed: SeedText = "lesson-1".parse().unwrap();
        for layer in Layer::every() {
            let dealt = layer.with_deal(Some((7, seed)));
            assert_eq!(dealt != layer, layer.is_one_hand(), "{layer:?}");
            assert_eq!(dealt.with_deal(None), layer);
            assert_eq!(layer.deal_source() == DealOrigin::Table, !layer.is_one_hand());
        }
        let one_hand = Layer::OneHand(OneHand::default());
        assert_eq!(one_hand.with_deal(Some((7, seed))).deal_source(), DealOrigin::Seed(&seed));
    }

    #[test]
    fn a_tournament_and_a_special_contract_exclude_each_other() {
        let tournament = Layer::Tournament(Tournament {});
        for layer in Layer::every() {
            assert_eq!(tournament.excludes(&layer), layer.is_special_contract());
            assert_eq!(layer.excludes(&tournament), layer.is_special_contract());
            assert!(!layer.excludes(&Layer::Nello(Nello::default())) || layer == tournament);
        }
    }

    #[test]
    fn some_questions_have_one_layer_as_their_answer() {
        for layer in Layer::every() {
            let name = layer.name();
            assert_eq!(layer.forbids_special_contracts(), name == Tournament::NAME, "{name}");
            assert_eq!(layer.forces_bid(), name == ForcedBid::NAME, "{name}");
            assert_eq!(layer.gives_hints(), name == Hints::NAME, "{name}");
            assert_eq!(layer.asks_for_agreement(), name == Consensus::NAME, "{name}");
        }
        let easy = OneHand { difficulty: Some(Difficulty::Easy), ..OneHand::default() };
        assert!(Layer::OneHand(easy).asks_for_difficulty());
        assert!(!Layer::every().iter().any(Layer::asks_for_difficulty));
    }

    #[test]
    fn dates_follow_the_calendar() {
        assert!("2024-02-29".parse::<Date>().is_ok());
        for wrong in ["2023-02-29", "2026-13-01", "2026-1-1", "1999-12-31", "2026-01-00", "+026-01-01", "2026‐01‐01"]
        {
            assert_eq!(wrong.parse::<Date>(), Err(ParseError::Date), "{wrong}");
        }
    }

    #[test]
    fn days_follow_each_other_over_the_ends_of_months_and_years() {
        let day = |text: &str| text.parse::<Date>().unwrap();
        for (first, second) in [
            ("2026-11-17", "2026-11-18"),
            ("2026-11-30", "2026-12-01"),
            ("2026-12-31", "2027-01-01"),
            ("2028-02-28", "2028-02-29"),
            ("2026-02-28", "2026-03-01"),
        ] {
            assert_eq!((day(first).next(), day(second).previous()), (Some(day(second)), Some(day(first))));
        }
        assert_eq!((day("2000-01-01").previous(), day("9999-12-31").next()), (None, None));
    }
}
