//! The rules of a game as a house plays it: layers with their parameters, the scoring and the length.

use alloc::{string::String, vec::Vec};

use serde::{Deserialize, Serialize};
use texas42_vocab::{Config, Layer, Scoring, sort_by_rank};

/// House rules. They serialize like the fields of a configuration with the same names.
///
/// Invariant: the layers are house rules that exclude neither each other nor the scoring, in the order of
/// [`Layer::house_rules`].
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "StoredRules", rename_all = "camelCase")]
pub struct HouseRules {
    pub(crate) layers: Vec<Layer>,
    pub(crate) scoring: Scoring,
    /// The score that ends the game; `None` for the usual one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub target: Option<u16>,
    /// Whether a decided hand is played to its last trick.
    #[serde(skip_serializing_if = "core::ops::Not::not")]
    pub play_on: bool,
}

/// House rules as they are stored, before the combination is checked.
#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct StoredRules {
    layers: Vec<Layer>,
    scoring: Scoring,
    target: Option<u16>,
    play_on: bool,
}

impl From<StoredRules> for HouseRules {
    /// Drops what cannot be combined.
    fn from(stored: StoredRules) -> Self {
        let mut rules = Self::of_layers(stored.layers);
        rules.set_scoring(stored.scoring);
        Self { target: stored.target, play_on: stored.play_on, ..rules }
    }
}

/// Why a list of names is not a set of house rules.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RuleNameError {
    /// There is no such rule.
    #[error("{name:?} is not a house rule; there are {known}")]
    Unknown {
        /// The name.
        name: String,
        /// The names of all house rules.
        known: String,
    },
    /// Two rules cannot be combined.
    #[error("{0} and {1} exclude each other; leave one out")]
    Excluded(&'static str, &'static str),
}

impl HouseRules {
    /// Reads a list of names such as `nello`, `forced-bid`.
    ///
    /// # Errors
    /// When a name is unknown, or two rules exclude each other.
    pub fn read(names: &[String]) -> Result<Self, RuleNameError> {
        let mut rules = Self::default();
        for name in names.iter().map(|name| name.trim()).filter(|name| !name.is_empty()) {
            let layer = Layer::house_rules().find(|layer| layer.name() == name).ok_or_else(|| {
                let known = Layer::house_rules().map(|layer| layer.name()).collect::<Vec<_>>().join(", ");
                RuleNameError::Unknown { name: name.into(), known }
            })?;
            if let Some(other) = rules.layers.iter().find(|other| layer.excludes(other)) {
                return Err(RuleNameError::Excluded(other.name(), layer.name()));
            }
            rules.switch(layer, true);
        }
        Ok(rules)
    }

    /// The rules with these layers, as far as they are house rules that can be combined.
    pub fn of_layers(layers: impl IntoIterator<Item = Layer>) -> Self {
        let mut rules = Self::default();
        for layer in layers.into_iter().filter(|layer| !layer.is_one_hand()) {
            rules.switch(layer, true);
        }
        rules
    }

    /// The house rules of a configuration.
    pub fn of_config(config: &Config) -> Self {
        Self::of_parts(config.layers.iter().copied(), config.scoring, config.target, config.play_on)
    }

    /// The house rules with these layers, scoring and length.
    pub(crate) fn of_parts(
        layers: impl IntoIterator<Item = Layer>,
        scoring: Scoring,
        target: Option<u16>,
        play_on: bool,
    ) -> Self {
        let mut rules = Self::of_layers(layers);
        rules.set_scoring(scoring);
        let target = target.filter(|target| *target != scoring.default_target());
        Self { target, play_on, ..rules }
    }

    /// Marks or points.
    pub fn scoring(&self) -> Scoring {
        self.scoring
    }

    /// The layers, in the order in which a table consults them.
    pub fn layers(&self) -> &[Layer] {
        &self.layers
    }

    /// Whether a rule is on, regardless of its parameters.
    pub fn has(&self, layer: &Layer) -> bool {
        self.layers.iter().any(|other| other.name() == layer.name())
    }

    /// Switches a rule on or off. A rule that is on keeps its parameters; rules that a new one excludes are switched off.
    pub fn switch(&mut self, layer: Layer, is_on: bool) {
        if self.has(&layer) == is_on {
            return;
        }
        self.layers.retain(|other| other.name() != layer.name() && !(is_on && layer.excludes(other)));
        if is_on {
            self.layers.push(layer);
        }
        if is_on && layer.is_special_contract() {
            self.set_scoring(Scoring::Marks);
        }
        let place = |layer: &Layer| Layer::house_rules().position(|other| other.name() == layer.name());
        // Layers that are no house rules come first.
        sort_by_rank(&mut self.layers, |layer| place(layer).map_or(0, |place| place as u64 + 1));
    }

    /// Changes the parameters of a rule, if it is on.
    pub(crate) fn change<T>(&mut self, find: fn(&mut Layer) -> Option<&mut T>, change: impl FnOnce(&mut T)) {
        if let Some(parameters) = self.layers.iter_mut().find_map(find) {
            change(parameters);
        }
    }

    /// Sets the scoring. A new scoring has its usual target. Special contracts are played for marks, so points switch them
    /// off.
    pub fn set_scoring(&mut self, scoring: Scoring) {
        if self.scoring != scoring {
            (self.scoring, self.target) = (scoring, None);
        }
        if scoring == Scoring::Points {
            self.layers.retain(|layer| !layer.is_special_contract());
        }
    }

    /// The score that ends the game.
    pub fn target(&self) -> u16 {
        self.target.unwrap_or(self.scoring.default_target())
    }
}

#[cfg(test)]
mod tests {
    use alloc::{
        borrow::ToOwned,
        format,
        string::{String, ToString},
        vec::Vec,
    };

    use super::*;

    fn read(names: &str) -> Result<HouseRules, RuleNameError> {
        HouseRules::read(&names.split(',').map(str::to_owned).collect::<Vec<_>>())
    }

    fn names(rules: &HouseRules) -> String {
        rules.layers.iter().map(Layer::name).collect::<Vec<_>>().join(",")
    }

    fn layer(name: &str) -> Layer {
        Layer::house_rules().find(|layer| layer.name() == name).unwrap()
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
        rules.switch(layer("tournament"), true);
        assert_eq!(names(&rules), "tournament,forced-bid");
        rules.switch(layer("sevens"), true);
        assert_eq!(names(&rules), "sevens,forced-bid");
        rules.set_scoring(Scoring::Points);
        assert_eq!(names(&rules), "forced-bid");
        rules.switch(layer("splash"), true);
        assert_eq!((rules.scoring(), rules.target()), (Scoring::Marks, 7));
        rules.switch(layer("splash"), false);
        assert_eq!(names(&rules), "forced-bid");
    }
}
