//! The lines of a form and their values, with their texts.

use alloc::{string::String, string::ToString, vec::Vec};

use texas42_phrases::{Words, fill};
use texas42_protocol::{BotLevel, Role};
use texas42_vocab::{Control, Doubles, ForcedBid, Layer, Lead, Nello, Scoring, Seat, Speed, WhoMustBid};

/// One line of the form.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::IntoStaticStr)]
#[strum(serialize_all = "kebab-case")]
pub enum Setting {
    /// Whether a house rule is on. The layer has default parameters.
    Rule(Layer),
    /// The fewest marks for a nello.
    NelloMinimum,
    /// Who leads to the first trick of a nello.
    NelloLead,
    /// Where doubles stand in a nello.
    NelloDoubles,
    /// The least that the forced seat has to bid.
    ForcedMinimum,
    /// Whose bid is forced.
    WhoMustBid,
    /// The wait before the only choice is made automatically.
    SpeedDelay,
    /// Marks or points.
    Scoring,
    /// The score that ends a game for marks.
    TargetMarks,
    /// The score that ends a game for points.
    TargetPoints,
    /// Whether a decided hand is played to its last trick.
    PlayOn,
    /// The time for a turn.
    Clock,
    /// How long a trick stays on the table.
    Pause,
    /// What the creator does at the table.
    Role,
    /// Who plays on a seat.
    Player(Seat),
    /// How strong the bot on a seat is.
    Bot(Seat),
    /// Whether anybody may watch.
    Spectators,
    /// Whether invites may show hands.
    OpenHands,
    /// Whether results count.
    Rated,
}

/// A value of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SettingValue {
    /// A house rule, on or off.
    Rule(Layer, bool),
    /// See [`Setting::NelloMinimum`].
    NelloMinimum(u8),
    /// See [`Setting::NelloLead`].
    NelloLead(Lead),
    /// See [`Setting::NelloDoubles`].
    NelloDoubles(Doubles),
    /// See [`Setting::ForcedMinimum`].
    ForcedMinimum(u8),
    /// See [`Setting::WhoMustBid`].
    WhoMustBid(WhoMustBid),
    /// See [`Setting::SpeedDelay`], in milliseconds.
    SpeedDelay(u16),
    /// See [`Setting::Scoring`].
    Scoring(Scoring),
    /// See [`Setting::TargetMarks`] and [`Setting::TargetPoints`].
    Target(Scoring, u16),
    /// See [`Setting::PlayOn`].
    PlayOn(bool),
    /// See [`Setting::Clock`], in seconds.
    Clock(Option<u16>),
    /// See [`Setting::Pause`], in milliseconds.
    Pause(u16),
    /// See [`Setting::Role`].
    Role(Role),
    /// See [`Setting::Player`].
    Player(Seat, Control),
    /// See [`Setting::Bot`]; `None` for the host's usual bots.
    Bot(Seat, Option<BotLevel>),
    /// See [`Setting::Spectators`].
    Spectators(bool),
    /// See [`Setting::OpenHands`].
    OpenHands(bool),
    /// See [`Setting::Rated`].
    Rated(bool),
}

impl Setting {
    /// All lines, in order. The parameters of a rule follow it.
    pub fn all() -> impl Iterator<Item = Self> {
        let length = [Self::Scoring, Self::TargetMarks, Self::TargetPoints, Self::PlayOn, Self::Clock];
        let rules = Layer::house_rules()
            .flat_map(|layer| core::iter::once(Self::Rule(layer)).chain(parameters(&layer).iter().copied()));
        let rest = [Self::Pause, Self::Spectators, Self::OpenHands, Self::Rated];
        let seats = Seat::ALL.into_iter().flat_map(|seat| [Self::Player(seat), Self::Bot(seat)]);
        length.into_iter().chain(rules).chain([Self::Role]).chain(seats).chain(rest)
    }

    /// The values of the line, in order.
    pub fn choices(self) -> Vec<SettingValue> {
        match self {
            Self::Rule(layer) => [false, true].map(|is_on| SettingValue::Rule(layer, is_on)).into(),
            Self::NelloMinimum => [1, 2, 3, 4].map(SettingValue::NelloMinimum).into(),
            Self::NelloLead => [Lead::Bidder, Lead::Left].map(SettingValue::NelloLead).into(),
            Self::NelloDoubles => [Doubles::Own, Doubles::High, Doubles::Low].map(SettingValue::NelloDoubles).into(),
            Self::ForcedMinimum => (30..=42).map(SettingValue::ForcedMinimum).collect(),
            Self::WhoMustBid => [WhoMustBid::Shaker, WhoMustBid::First].map(SettingValue::WhoMustBid).into(),
            Self::SpeedDelay => [0, 300, 1000, 2000].map(SettingValue::SpeedDelay).into(),
            Self::Scoring => [Scoring::Marks, Scoring::Points].map(SettingValue::Scoring).into(),
            Self::TargetMarks => {
                [1, 2, 3, 5, 7, 10, 14].map(|marks| SettingValue::Target(Scoring::Marks, marks)).into()
            }
            Self::TargetPoints => {
                [50, 100, 150, 250, 500].map(|points| SettingValue::Target(Scoring::Points, points)).into()
            }
            Self::PlayOn => [false, true].map(SettingValue::PlayOn).into(),
            Self::Clock => [None, Some(5), Some(10), Some(20), Some(45), Some(90), Some(300), Some(600)]
                .map(SettingValue::Clock)
                .into(),
            Self::Pause => [500, 1200, 2500, 5000].map(SettingValue::Pause).into(),
            Self::Role => [Role::Player, Role::Student, Role::Coach, Role::Spectator].map(SettingValue::Role).into(),
            Self::Player(seat) => {
                [Control::Human, Control::Ai].map(|control| SettingValue::Player(seat, control)).into()
            }
            Self::Bot(seat) => {
                let levels = [BotLevel::Random, BotLevel::Beginner, BotLevel::Intermediate, BotLevel::Expert];
                let levels = levels.into_iter().map(Some);
                core::iter::once(None).chain(levels).map(|level| SettingValue::Bot(seat, level)).collect()
            }
            Self::Spectators => [false, true].map(SettingValue::Spectators).into(),
            Self::OpenHands => [false, true].map(SettingValue::OpenHands).into(),
            Self::Rated => [false, true].map(SettingValue::Rated).into(),
        }
    }

    /// The value that switches the line on, if it is a switch.
    pub fn switch(self, is_on: bool) -> Option<SettingValue> {
        match self {
            Self::Rule(layer) => Some(SettingValue::Rule(layer, is_on)),
            Self::PlayOn => Some(SettingValue::PlayOn(is_on)),
            Self::Spectators => Some(SettingValue::Spectators(is_on)),
            Self::OpenHands => Some(SettingValue::OpenHands(is_on)),
            Self::Rated => Some(SettingValue::Rated(is_on)),
            Self::NelloMinimum
            | Self::NelloLead
            | Self::NelloDoubles
            | Self::ForcedMinimum
            | Self::WhoMustBid
            | Self::SpeedDelay
            | Self::Scoring
            | Self::TargetMarks
            | Self::TargetPoints
            | Self::Clock
            | Self::Pause
            | Self::Role
            | Self::Player(_)
            | Self::Bot(_) => None,
        }
    }

    /// A short name for programs, such as `nello` or `target-marks`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Rule(layer) => layer.name(),
            other => other.into(),
        }
    }

    /// The name of the line for people, or a sentence about it.
    pub fn text(self, words: &Words) -> String {
        match self {
            Self::Rule(layer) => words.layer_text(&layer).unwrap_or_default(),
            Self::NelloMinimum => words.setting_nello_minimum,
            Self::NelloLead => words.setting_nello_lead,
            Self::NelloDoubles => words.setting_nello_doubles,
            Self::ForcedMinimum => words.setting_forced_minimum,
            Self::WhoMustBid => words.setting_who_must_bid,
            Self::SpeedDelay => words.setting_speed_delay,
            Self::Scoring => words.setting_scoring,
            Self::TargetMarks | Self::TargetPoints => words.target,
            Self::PlayOn => words.setting_play_on,
            Self::Clock => words.clock,
            Self::Pause => words.setting_pause,
            Self::Role => words.setting_role,
            Self::Player(seat) => return fill(words.seat, &[&(seat.index() + 1).to_string()]),
            Self::Bot(seat) => return fill(words.bot_of_seat, &[&(seat.index() + 1).to_string()]),
            Self::Spectators => words.watchers,
            Self::OpenHands => words.open_hands,
            Self::Rated => words.setting_rated,
        }
        .into()
    }
}

/// The lines for the parameters of a layer. The patterns name every parameter, so that none is forgotten.
pub(crate) const fn parameters(layer: &Layer) -> &'static [Setting] {
    match layer {
        Layer::Nello(Nello { minimum: _, lead: _, doubles: _ }) => {
            &[Setting::NelloMinimum, Setting::NelloLead, Setting::NelloDoubles]
        }
        Layer::ForcedBid(ForcedBid { minimum: _, who: _ }) => &[Setting::ForcedMinimum, Setting::WhoMustBid],
        Layer::Speed(Speed { delay: _ }) => &[Setting::SpeedDelay],
        Layer::Plunge(_)
        | Layer::Splash(_)
        | Layer::Sevens(_)
        | Layer::Tournament(_)
        | Layer::Hints(_)
        | Layer::Consensus(_)
        | Layer::OneHand(_)
        | Layer::DailyChallenge(_) => &[],
    }
}

impl SettingValue {
    /// The value in words. Switches have none.
    pub fn text(self, words: &Words) -> String {
        let seconds = |milliseconds: u16| {
            let tenths = milliseconds / 100;
            let text = match tenths % 10 {
                0 => (tenths / 10).to_string(),
                rest => alloc::format!("{}.{rest}", tenths / 10),
            };
            fill(words.seconds, &[&text])
        };
        match self {
            Self::NelloMinimum(marks) => words.marks_text(u16::from(marks)),
            Self::NelloLead(Lead::Bidder) => words.lead_bidder.into(),
            Self::NelloLead(Lead::Left) => words.lead_left.into(),
            Self::NelloDoubles(Doubles::Own) => words.doubles_own.into(),
            Self::NelloDoubles(Doubles::High) => words.doubles_high.into(),
            Self::NelloDoubles(Doubles::Low) => words.doubles_low.into(),
            Self::ForcedMinimum(points) => points.to_string(),
            Self::WhoMustBid(WhoMustBid::Shaker) => words.forced_shaker.into(),
            Self::WhoMustBid(WhoMustBid::First) => words.forced_first.into(),
            Self::SpeedDelay(delay) | Self::Pause(delay) => seconds(delay),
            Self::Scoring(Scoring::Marks) => words.scoring_marks.into(),
            Self::Scoring(Scoring::Points) => words.scoring_points.into(),
            Self::Target(Scoring::Marks, marks) => words.marks_text(marks),
            Self::Target(Scoring::Points, points) => fill(words.some_points, &[&points.to_string()]),
            Self::Clock(None) => words.no_clock.into(),
            Self::Clock(Some(limit)) => fill(words.seconds, &[&limit.to_string()]),
            Self::Role(Role::Player) => words.role_player.into(),
            Self::Role(Role::Student) => words.role_student.into(),
            Self::Role(Role::Coach) => words.role_coach.into(),
            Self::Role(Role::Spectator) => words.role_spectator.into(),
            Self::Player(_, Control::Human) => words.seat_person.into(),
            Self::Player(_, Control::Ai) => words.seat_for_bot.into(),
            Self::Bot(_, None) => words.level_usual.into(),
            Self::Bot(_, Some(BotLevel::Random)) => words.level_random.into(),
            Self::Bot(_, Some(BotLevel::Beginner)) => words.level_beginner.into(),
            Self::Bot(_, Some(BotLevel::Intermediate)) => words.level_intermediate.into(),
            Self::Bot(_, Some(BotLevel::Expert)) => words.level_expert.into(),
            // Nobody creates a table in another role.
            Self::Role(Role::Ai | Role::Admin) => String::new(),
            Self::Rule(..) | Self::PlayOn(_) | Self::Spectators(_) | Self::OpenHands(_) | Self::Rated(_) => {
                String::new()
            }
        }
    }
}
