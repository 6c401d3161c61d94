//! The house rules that a person saved: a file in the data folder.

use std::{fs, io, path::Path};

use anyhow::Context;
use texas42_house_rules::{HouseRules, MAX_SAVED_RULES, Preset, SavedRules};
use texas42_phrases::Language;

/// The file of the saved rules.
const FILE: &str = "house-rules.json";

/// The presets and the saved rules, with their names.
pub fn sets(saved: &SavedRules) -> impl Iterator<Item = (&str, HouseRules)> {
    let name = |preset: Preset| preset.texts(Language::English.words()).0;
    let presets = Preset::ALL.into_iter().map(move |preset| (name(preset), preset.rules()));
    presets.chain(saved.iter().map(|(name, rules)| (name, rules.clone())))
}

/// The preset or the saved rules with this name. Case does not matter, and hyphens stand for spaces.
///
/// # Errors
/// When there are none.
pub fn named(saved: &SavedRules, name: &str) -> anyhow::Result<HouseRules> {
    let plain = |name: &str| name.trim().to_lowercase().replace(' ', "-");
    if let Some((_, rules)) = sets(saved).find(|(other, _)| plain(other) == plain(name)) {
        return Ok(rules);
    }
    let known: Vec<String> = sets(saved).map(|(name, _)| plain(name)).collect();
    anyhow::bail!("there are no rules named {name:?}; there are {}", known.join(", "))
}

/// The saved rules in a folder; none if there is no file.
///
/// # Errors
/// When the file cannot be read. It is not overwritten then.
pub fn read(folder: &Path) -> anyhow::Result<SavedRules> {
    let path = folder.join(FILE);
    match fs::read_to_string(&path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(SavedRules::default()),
        text => {
            let failed = || format!("{} does not contain house rules; move it away to save new ones", path.display());
            serde_json::from_str(&text.with_context(failed)?).with_context(failed)
        }
    }
}

/// Saves rules under a name, next to those in the folder.
///
/// # Errors
/// When the file cannot be read or written, or the name is refused.
pub fn save(folder: &Path, name: &str, rules: &HouseRules) -> anyhow::Result<SavedRules> {
    let mut saved = read(folder)?;
    if !saved.save(name, rules) {
        anyhow::bail!("enter a name; at most {MAX_SAVED_RULES} sets of rules are saved");
    }
    let failed = || format!("the rules cannot be saved in {}", folder.display());
    fs::create_dir_all(folder).with_context(failed)?;
    let new = folder.join(format!("{FILE}.new"));
    fs::write(&new, serde_json::to_string_pretty(&saved)? + "\n").with_context(failed)?;
    fs::rename(new, folder.join(FILE)).with_context(failed)?;
    Ok(saved)
}

#[cfg(test)]
mod tests {
    use texas42_conformance::scratch::Scratch;
    use texas42_house_rules::Preset;

    use super::*;

    #[test]
    fn rules_are_named_like_presets_and_saved_sets() {
        let folder = Scratch::new();
        let saved = save(folder.path(), "Friday Night", &Preset::Points.rules()).unwrap();
        for (name, expected) in
            [("family", Preset::Family), ("Casual", Preset::Casual), ("friday-night", Preset::Points)]
        {
            assert_eq!(named(&saved, name).unwrap(), expected.rules(), "{name}");
        }
        assert_eq!(named(&SavedRules::default(), "tournament").unwrap(), Preset::Tournament.rules());
        let error = named(&saved, "sunday").unwrap_err().to_string();
        assert!(error.contains("\"sunday\"") && error.ends_with("points, friday-night"), "{error}");
    }

    #[test]
    fn saved_rules_are_found_again_and_a_damaged_file_is_kept() {
        let folder = Scratch::new();
        assert_eq!(read(folder.path()).unwrap(), SavedRules::default());
        let saved = save(folder.path(), "Sunday", &Preset::Points.rules()).unwrap();
        assert_eq!(read(folder.path()).unwrap(), saved);
        assert!(save(folder.path(), "  ", &Preset::Points.rules()).is_err());

        fs::write(folder.path().join(FILE), "[{").unwrap();
        let error = save(folder.path(), "Club", &Preset::Casual.rules()).unwrap_err().to_string();
        assert!(error.contains("does not contain house rules"), "{error}");
        assert_eq!(fs::read_to_string(folder.path().join(FILE)).unwrap(), "[{");
    }
}
