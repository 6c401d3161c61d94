//! The settings of a new table, and what choosing a value changes.

use alloc::vec::Vec;

use texas42_protocol::{BotLevel, DealKind, Role, TableOptions};
use texas42_vocab::{Config, Control, ForcedBid, Layer, Nello, Scoring, Seat, SeedText, Speed};

use crate::{HouseRules, Setting, SettingValue, setting::parameters};

/// The settings of a new table: its house rules, and how it is run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TableSettings {
    /// The house rules.
    pub rules: HouseRules,
    /// What the creator does at the table. A player and a student have the first seat, and a coach helps the person on it. A
    /// coach needs open hands, and neither a coach nor a student is at a rated table.
    pub role: Role,
    /// Who plays on each seat.
    pub players: [Control; 4],
    /// Seconds for a decision, if it is limited.
    pub turn_seconds: Option<u16>,
    /// Milliseconds that a complete trick stays on the table where nobody has to confirm it.
    pub pause: u16,
    /// Whether the results count.
    pub rated: bool,
    /// Whether anybody may watch without an invite.
    pub open_to_spectators: bool,
    /// Whether invites may show hands during play.
    pub open_hands: bool,
    /// How strong the bot on each seat is; `None` for the host's usual bots.
    pub bots: [Option<BotLevel>; 4],
    /// The public seed of the deals. It needs a table with one person that is not rated.
    pub seed: Option<SeedText>,
}

impl TableSettings {
    /// A table for one person and three bots.
    pub fn new(rules: HouseRules) -> Self {
        let TableOptions { pause, .. } = TableOptions::default();
        Self {
            rules,
            role: Role::Player,
            players: [Control::Human, Control::Ai, Control::Ai, Control::Ai],
            turn_seconds: None,
            pause,
            rated: false,
            open_to_spectators: false,
            open_hands: false,
            bots: [None; 4],
            seed: None,
        }
    }

    /// The number of people who play.
    pub fn people(&self) -> u8 {
        self.players.into_iter().map(|control| u8::from(control == Control::Human)).sum()
    }

    /// The number of people who play and, if it is somebody else, the creator.
    pub fn company(&self) -> u8 {
        self.people() + u8::from(!self.role.is_seated())
    }

    /// The role and the seat to create the table with. `None` stands for what the table chooses: a player, and the first
    /// seat for a person.
    pub fn creator(&self) -> (Option<Role>, Option<Seat>) {
        let role = Some(self.role).filter(|role| *role != Role::Player);
        (role, (self.role == Role::Coach).then_some(Self::CREATOR_SEAT))
    }

    /// The seat of the creator or, for a coach, of the student.
    const CREATOR_SEAT: Seat = Seat::ALL[0];

    /// The lines of a form for these settings, in order.
    pub fn shown(&self) -> impl Iterator<Item = Setting> {
        Setting::all().filter(|setting| setting.is_shown(self))
    }

    /// The values of a line. Saved rules and flags can contain a number that the line does not list; it is added.
    pub fn choices(&self, setting: Setting) -> Vec<SettingValue> {
        let mut choices = setting.choices();
        choices.extend(self.own_value(setting).filter(|value| !choices.contains(value)));
        choices
    }

    /// The selected value of a line whose list is not complete.
    fn own_value(&self, setting: Setting) -> Option<SettingValue> {
        let target =
            |scoring| (self.rules.scoring() == scoring).then(|| SettingValue::Target(scoring, self.rules.target()));
        match setting {
            Setting::TargetMarks => target(Scoring::Marks),
            Setting::TargetPoints => target(Scoring::Points),
            Setting::SpeedDelay => self.rules.layers().iter().find_map(|layer| match *layer {
                Layer::Speed(Speed { delay }) => Some(SettingValue::SpeedDelay(delay)),
                _ => None,
            }),
            Setting::Clock => Some(SettingValue::Clock(self.turn_seconds)),
            Setting::Pause => Some(SettingValue::Pause(self.pause)),
            Setting::Rule(_)
            | Setting::NelloMinimum
            | Setting::NelloLead
            | Setting::NelloDoubles
            | Setting::ForcedMinimum
            | Setting::WhoMustBid
            | Setting::Scoring
            | Setting::PlayOn
            | Setting::Role
            | Setting::Player(_)
            | Setting::Bot(_)
            | Setting::Spectators
            | Setting::OpenHands
            | Setting::Rated => None,
        }
    }

    /// Whether a value is selected: choosing it would change nothing.
    pub fn is_chosen(&self, choice: SettingValue) -> bool {
        let mut chosen = self.clone();
        chosen.choose(choice);
        chosen == *self
    }

    /// The next or the previous value of a line, wrapping around at the ends.
    pub fn neighbor(&self, setting: Setting, is_forward: bool) -> SettingValue {
        let choices = self.choices(setting);
        let at = choices.iter().position(|choice| self.is_chosen(*choice));
        let last = choices.len() - 1;
        choices[match (at, is_forward) {
            (Some(at), true) if at < last => at + 1,
            (Some(at), false) if at > 0 => at - 1,
            (_, true) => 0,
            (_, false) => last,
        }]
    }

    /// Selects a value, and corrects the values that it excludes.
    pub fn choose(&mut self, choice: SettingValue) {
        match choice {
            SettingValue::Rule(layer, is_on) => self.rules.switch(layer, is_on),
            SettingValue::Scoring(scoring) => self.rules.set_scoring(scoring),
            SettingValue::Target(scoring, target) => {
                self.rules.set_scoring(scoring);
                self.rules.target = (target != scoring.default_target()).then_some(target);
            }
            SettingValue::PlayOn(is_on) => self.rules.play_on = is_on,
            SettingValue::Clock(seconds) => self.turn_seconds = seconds,
            SettingValue::Pause(pause) => self.pause = pause,
            SettingValue::Role(role) => self.set_role(role),
            SettingValue::Player(seat, control) => self.players[seat.index()] = control,
            SettingValue::Bot(seat, level) => self.bots[seat.index()] = level,
            SettingValue::Spectators(is_on) => self.open_to_spectators = is_on,
            // A rated table shows no hand in play, and deals secretly.
            SettingValue::OpenHands(is_on) => (self.open_hands, self.rated) = (is_on, self.rated && !is_on),
            SettingValue::Rated(true) => (self.rated, self.open_hands, self.seed) = (true, false, None),
            SettingValue::Rated(false) => self.rated = false,
            SettingValue::NelloMinimum(marks) => self.rules.change(as_nello, |nello| nello.minimum = marks),
            SettingValue::NelloLead(lead) => self.rules.change(as_nello, |nello| nello.lead = lead),
            SettingValue::NelloDoubles(doubles) => self.rules.change(as_nello, |nello| nello.doubles = doubles),
            SettingValue::ForcedMinimum(points) => self.rules.change(as_forced_bid, |forced| forced.minimum = points),
            SettingValue::WhoMustBid(who) => self.rules.change(as_forced_bid, |forced| forced.who = who),
            SettingValue::SpeedDelay(delay) => self.rules.change(as_speed, |speed| speed.delay = delay),
        }
        let may_have_role = match self.role {
            Role::Coach => self.open_hands,
            Role::Student => !self.rated,
            _ => true,
        };
        if !may_have_role {
            self.set_role(Role::Player);
        }
        if self.people() > 1 {
            // Nobody may know the deals where several people play.
            self.seed = None;
        }
    }

    /// Sets what the creator does, and corrects what excludes it. The creator's seat is for a person, unless the creator only
    /// watches.
    fn set_role(&mut self, role: Role) {
        if (role == Role::Spectator) != (self.role == Role::Spectator) {
            let control = if role == Role::Spectator { Control::Ai } else { Control::Human };
            self.players[Self::CREATOR_SEAT.index()] = control;
        }
        self.role = role;
        self.open_hands |= role == Role::Coach;
        self.rated &= !matches!(role, Role::Coach | Role::Student);
    }

    /// The rules of the game, and the options of the table.
    pub fn table(&self) -> (Config, TableOptions) {
        let HouseRules { layers, scoring, target, play_on } = self.rules.clone();
        // Every field is named, so that a new one does not compile before the form offers it or this says why not.
        let options = TableOptions {
            deal: if self.seed.is_some() { DealKind::Seeded } else { DealKind::Secret },
            // A person alone with bots need not declare themselves ready.
            ready: self.people() > 1,
            turn_seconds: self.turn_seconds,
            pause: self.pause,
            rated: self.rated,
            open_to_spectators: self.open_to_spectators,
            open_hands: self.open_hands,
            hints: layers.iter().any(Layer::gives_hints),
            bots: self.bots,
            // Set by the table.
            brought: false,
        };
        // The shaker is drawn, and nobody chooses deals.
        let (shaker, deals) = (None, Vec::new());
        let config = Config { layers, scoring, target, play_on, shaker, seed: self.seed, deals, players: self.players };
        (config, options)
    }
}

const fn as_nello(layer: &mut Layer) -> Option<&mut Nello> {
    if let Layer::Nello(nello) = layer { Some(nello) } else { None }
}

const fn as_forced_bid(layer: &mut Layer) -> Option<&mut ForcedBid> {
    if let Layer::ForcedBid(forced) = layer { Some(forced) } else { None }
}

const fn as_speed(layer: &mut Layer) -> Option<&mut Speed> {
    if let Layer::Speed(speed) = layer { Some(speed) } else { None }
}

impl Setting {
    /// Whether the line matters with these settings: parameters only with their rule, a target only with its scoring.
    pub fn is_shown(self, settings: &TableSettings) -> bool {
        let layers = settings.rules.layers();
        match self {
            Self::NelloMinimum
            | Self::NelloLead
            | Self::NelloDoubles
            | Self::ForcedMinimum
            | Self::WhoMustBid
            | Self::SpeedDelay => layers.iter().any(|layer| parameters(layer).contains(&self)),
            Self::Pause => !layers.iter().any(Layer::asks_for_agreement),
            Self::TargetMarks => settings.rules.scoring == Scoring::Marks,
            Self::TargetPoints => settings.rules.scoring == Scoring::Points,
            // Everybody who creates a table has the first seat or coaches there, except a spectator.
            Self::Player(seat) => seat != TableSettings::CREATOR_SEAT || settings.role == Role::Spectator,
            Self::Bot(seat) => settings.players[seat.index()] == Control::Ai,
            Self::Rule(_)
            | Self::Scoring
            | Self::PlayOn
            | Self::Clock
            | Self::Role
            | Self::Spectators
            | Self::OpenHands
            | Self::Rated => true,
        }
    }

    /// Whether the line is only about playing with others.
    pub const fn is_social(self) -> bool {
        matches!(self, Self::Role | Self::Spectators | Self::OpenHands | Self::Rated)
    }
}
