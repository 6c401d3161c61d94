//! House rules by their names, for flags and for the start form: which there are, and which exclude each other.

use anyhow::{Context, bail};
use texas42_protocol::{DealKind, TableOptions};
use texas42_vocab::{Config, Consensus, Control, ForcedBid, Layer, Nello, SeedText};

/// The house rules that a person can switch on one by one, in the order in which a table asks them.
pub fn choices() -> Vec<Layer> {
    let is_choice = |layer: &Layer| match layer {
        Layer::Nello(_)
        | Layer::Plunge(_)
        | Layer::Splash(_)
        | Layer::Sevens(_)
        | Layer::Tournament(_)
        | Layer::ForcedBid(_)
        | Layer::Speed(_)
        | Layer::Hints(_)
        | Layer::Consensus(_) => true,
        Layer::OneHand(_) | Layer::DailyChallenge(_) => false,
    };
    Layer::every().into_iter().filter(is_choice).collect()
}

/// Whether two house rules cannot be combined: a tournament has no special contracts.
fn exclude_each_other(one: &Layer, other: &Layer) -> bool {
    let is_tournament = |layer: &Layer| matches!(layer, Layer::Tournament(_));
    (is_tournament(one) && is_special(other)) || (is_special(one) && is_tournament(other))
}

const fn is_special(layer: &Layer) -> bool {
    match layer {
        Layer::Nello(_) | Layer::Plunge(_) | Layer::Splash(_) | Layer::Sevens(_) => true,
        Layer::Tournament(_)
        | Layer::ForcedBid(_)
        | Layer::Speed(_)
        | Layer::Hints(_)
        | Layer::Consensus(_)
        | Layer::OneHand(_)
        | Layer::DailyChallenge(_) => false,
    }
}

/// A set of house rules that can be combined.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HouseRules(Vec<Layer>);

impl HouseRules {
    /// What most tables play: nello, the shaker has to bid, and everybody sees each trick before it is turned over.
    pub fn casual() -> Self {
        let layers =
            [Layer::Nello(Nello::default()), Layer::ForcedBid(ForcedBid::default()), Layer::Consensus(Consensus {})];
        Self(layers.into())
    }

    /// Reads a list of names such as `nello`, `forced-bid`.
    ///
    /// # Errors
    /// When a name is unknown, or two rules exclude each other.
    pub fn read(names: &[String]) -> anyhow::Result<Self> {
        let mut rules = Self::default();
        for name in names.iter().map(|name| name.trim()).filter(|name| !name.is_empty()) {
            let known = || choices().iter().map(Layer::name).collect::<Vec<_>>().join(", ");
            let layer = choices().into_iter().find(|layer| layer.name() == name);
            let layer = layer.with_context(|| format!("{name:?} is not a house rule; there are {}", known()))?;
            if let Some(other) = rules.0.iter().find(|other| exclude_each_other(&layer, other)) {
                bail!("{} and {} exclude each other; leave one out", other.name(), layer.name());
            }
            rules.switch_on(layer);
        }
        Ok(rules)
    }

    /// Whether a rule is on.
    pub fn has(&self, layer: &Layer) -> bool {
        self.0.iter().any(|other| other.name() == layer.name())
    }

    /// Switches a rule on or off. Rules that it excludes are switched off.
    pub fn toggle(&mut self, layer: Layer) {
        if self.has(&layer) {
            self.0.retain(|other| other.name() != layer.name());
        } else {
            self.0.retain(|other| !exclude_each_other(&layer, other));
            self.switch_on(layer);
        }
    }

    /// Layers stay in the order in which tables ask them.
    fn switch_on(&mut self, layer: Layer) {
        if !self.has(&layer) {
            self.0.push(layer);
        }
        let place = |layer: &Layer| choices().iter().position(|other| other.name() == layer.name());
        self.0.sort_by_key(place);
    }
}

/// A table that is to be created.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewTable {
    /// The house rules.
    pub rules: HouseRules,
    /// The score that ends the game; without it, seven marks.
    pub target: Option<u16>,
    /// How many people play. Computer players take the other seats.
    pub people: u8,
    /// Whether anybody may watch without a key.
    pub open_to_spectators: bool,
    /// Deals the same hands in every game with this seed.
    pub seed: Option<SeedText>,
    /// Milliseconds for which a complete trick lies on the table, where nobody has to confirm it.
    pub pause: Option<u16>,
}

impl NewTable {
    /// A table for one person and three computer players.
    pub const fn new(rules: HouseRules) -> Self {
        Self { rules, target: None, people: 1, open_to_spectators: false, seed: None, pause: None }
    }

    /// What is played, and how the table is run.
    pub fn config(&self) -> (Config, TableOptions) {
        let players =
            std::array::from_fn(|seat| if seat < usize::from(self.people) { Control::Human } else { Control::Ai });
        let layers = self.rules.0.clone();
        let usual = TableOptions::default();
        let table = TableOptions {
            deal: if self.seed.is_some() { DealKind::Seeded } else { DealKind::Secret },
            hints: layers.iter().any(|layer| matches!(layer, Layer::Hints(_))),
            ready: self.people > 1,
            open_to_spectators: self.open_to_spectators,
            pause: self.pause.unwrap_or(usual.pause),
            ..usual
        };
        (Config { players, layers, target: self.target, seed: self.seed, ..Config::default() }, table)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(names: &str) -> anyhow::Result<HouseRules> {
        HouseRules::read(&names.split(',').map(str::to_owned).collect::<Vec<_>>())
    }

    fn names(rules: &HouseRules) -> String {
        rules.0.iter().map(Layer::name).collect::<Vec<_>>().join(",")
    }

    #[test]
    fn rules_are_read_in_any_order_and_once() {
        assert_eq!(names(&read("forced-bid, nello,nello").unwrap()), "nello,forced-bid");
        assert_eq!(names(&read("").unwrap()), "");
        let error = read("nillo").unwrap_err().to_string();
        assert!(error.contains("\"nillo\" is not a house rule; there are nello, plunge, splash"), "{error}");
    }

    #[test]
    fn a_tournament_and_a_special_contract_cannot_be_combined() {
        for special in ["nello", "plunge", "splash", "sevens"] {
            let error = read(&format!("{special},tournament")).unwrap_err().to_string();
            assert!(error.contains("exclude each other"), "{error}");
        }
        assert!(read("tournament,forced-bid,hints").is_ok());
    }

    #[test]
    fn switching_a_rule_on_switches_off_what_it_excludes() {
        let mut rules = read("nello,plunge,forced-bid").unwrap();
        let layer = |name: &str| choices().into_iter().find(|layer| layer.name() == name).unwrap();
        rules.toggle(layer("tournament"));
        assert_eq!(names(&rules), "tournament,forced-bid");
        rules.toggle(layer("sevens"));
        assert_eq!(names(&rules), "sevens,forced-bid");
        rules.toggle(layer("sevens"));
        assert_eq!(names(&rules), "forced-bid");
    }

    #[test]
    fn a_seed_makes_the_deals_public() {
        let table = NewTable { seed: "lubbock".parse().ok(), ..NewTable::new(HouseRules::casual()) };
        let (config, options) = table.config();
        assert_eq!((config.seed, options.deal), ("lubbock".parse().ok(), DealKind::Seeded));
        assert!(!options.ready && options.pause == TableOptions::default().pause);
    }
}
