//! House rules that a person saved under a name.

use alloc::{string::String, vec::Vec};

use serde::{Deserialize, Serialize};

use crate::HouseRules;

/// The maximum number of saved sets of rules on a device.
pub const MAX_SAVED_RULES: usize = 20;
/// The maximum length of a name in characters.
const MAX_NAME: usize = 40;

/// The saved house rules of a device, in the order in which they were saved. They serialize as a list.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct SavedRules(Vec<Entry>);

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Entry {
    name: String,
    rules: HouseRules,
}

impl SavedRules {
    /// The names and rules.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &HouseRules)> {
        self.0.iter().map(|entry| (entry.name.as_str(), &entry.rules))
    }

    /// Saves rules under a name, and replaces those of the same name. Returns whether it did: a name must not be blank,
    /// and the number of names is limited.
    pub fn save(&mut self, name: &str, rules: &HouseRules) -> bool {
        let name: String = name.trim().chars().filter(|letter| !letter.is_control()).take(MAX_NAME).collect();
        if name.is_empty() {
            return false;
        }
        let entry = Entry { name, rules: rules.clone() };
        match self.0.iter().position(|other| other.name == entry.name) {
            Some(at) => self.0[at] = entry,
            None if self.0.len() >= MAX_SAVED_RULES => return false,
            None => self.0.push(entry),
        }
        true
    }

    /// Removes the rules with this name.
    pub fn remove(&mut self, name: &str) {
        self.0.retain(|entry| entry.name != name);
    }
}

#[cfg(test)]
mod tests {
    use alloc::{format, vec::Vec};

    use super::*;
    use crate::Preset;

    fn names(saved: &SavedRules) -> Vec<&str> {
        saved.iter().map(|(name, _)| name).collect()
    }

    #[test]
    fn rules_are_saved_replaced_and_removed_by_name() {
        let mut saved = SavedRules::default();
        assert!(saved.save(" Sunday ", &Preset::Family.rules()) && saved.save("Club", &Preset::Tournament.rules()));
        assert!(saved.save("Sunday", &Preset::Points.rules()));
        assert_eq!(names(&saved), ["Sunday", "Club"]);
        assert_eq!(saved.iter().next().unwrap().1, &Preset::Points.rules());
        saved.remove("Sunday");
        assert_eq!(names(&saved), ["Club"]);
    }

    #[test]
    fn a_blank_name_and_more_than_the_maximum_are_refused() {
        let mut saved = SavedRules::default();
        assert!(!saved.save(" \t ", &HouseRules::default()));
        for number in 0..MAX_SAVED_RULES {
            assert!(saved.save(&format!("{number}"), &HouseRules::default()));
        }
        assert!(!saved.save("one more", &HouseRules::default()));
        assert!(saved.save("7", &Preset::Casual.rules()), "an existing name can always be replaced");
    }

    #[test]
    fn saved_rules_survive_json() {
        let mut saved = SavedRules::default();
        saved.save("Sunday", &Preset::Points.rules());
        let json = serde_json::to_string(&saved).unwrap();
        assert_eq!(serde_json::from_str::<SavedRules>(&json).unwrap(), saved);
        assert!(json.starts_with(r#"[{"name":"Sunday","rules":{"layers":[{"type":"forced-bid""#), "{json}");
    }
}
