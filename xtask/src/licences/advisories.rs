//! Known faults of the versions that we lock.
//!
//! The list, `xtask/advisories.json`, holds what we learnt of faults in crates that we use or might: each entry names the
//! crate, the affected versions (any one of several requirements), the advisory, and why it matters. It keeps us from
//! going back to a bad version; it cannot tell of a fault that nobody has written into it.

use anyhow::{Context, Result};
use semver::{Version, VersionReq};
use serde_json::Value;

use crate::metadata::Package;
use crate::process::{cargo, run, succeeds};

const LIST: &str = include_str!("../../advisories.json");

/// One known fault.
struct Advisory {
    id: String,
    name: String,
    affected: Vec<VersionReq>,
    why: String,
}

/// The locked packages that are on the list.
pub(super) fn findings(packages: &[Package]) -> Result<Vec<String>> {
    let advisories = parse(LIST).context("xtask/advisories.json is not in order")?;
    let mut findings = Vec::new();
    for package in packages {
        findings.extend(concerning(package, &advisories)?);
    }
    Ok(findings)
}

/// The RustSec database knows far more than our list, where it can be had.
pub(super) fn ask_cargo_deny() -> Result<()> {
    if !succeeds(cargo(&["deny", "--version"])) {
        println!("    note: cargo-deny is not installed, so the RustSec database was not asked");
        return Ok(());
    }
    if !succeeds(cargo(&["deny", "fetch", "db"])) {
        println!("    note: the RustSec database cannot be reached, so it was not asked");
        return Ok(());
    }
    run(cargo(&["deny", "check", "advisories"]))
}

fn concerning(package: &Package, advisories: &[Advisory]) -> Result<Vec<String>> {
    let Package { name, version, .. } = package;
    let parsed = Version::parse(version).with_context(|| format!("{name} has the odd version {version}"))?;
    let concerns = |advisory: &&Advisory| advisory.name == *name && advisory.affects(&parsed);
    let found = advisories.iter().filter(concerns);
    Ok(found.map(|advisory| format!("{name} {version}: {}, {}", advisory.id, advisory.why)).collect())
}

impl Advisory {
    fn affects(&self, version: &Version) -> bool {
        self.affected.iter().any(|requirement| requirement.matches(version))
    }
}

fn parse(list: &str) -> Result<Vec<Advisory>> {
    let list: Value = serde_json::from_str(list)?;
    let entries = list["advisories"].as_array().context("there is no list `advisories`")?;
    entries.iter().map(advisory).collect()
}

fn advisory(entry: &Value) -> Result<Advisory> {
    let text = |key: &str| entry[key].as_str().map(str::to_owned).with_context(|| format!("no `{key}` in {entry}"));
    let affected = entry["affected"].as_array().with_context(|| format!("no `affected` in {entry}"))?;
    let affected = affected.iter().map(requirement).collect::<Result<_>>()?;
    Ok(Advisory { id: text("id")?, name: text("crate")?, affected, why: text("why")? })
}

fn requirement(value: &Value) -> Result<VersionReq> {
    let text = value.as_str().with_context(|| format!("{value} is not a text"))?;
    VersionReq::parse(text).with_context(|| format!("`{text}` is no requirement on versions"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const SAMPLE: &str =
        r#"{"advisories": [{"id": "X-1", "crate": "thing", "affected": ["<1.2.3", ">=2, <2.1"], "why": "it leaks"}]}"#;

    fn thing(version: &str) -> Package {
        Package { name: "thing".to_owned(), version: version.to_owned(), ..Package::default() }
    }

    fn found(package: &Package) -> Vec<String> {
        concerning(package, &parse(SAMPLE).unwrap()).unwrap()
    }

    #[test]
    fn an_affected_version_is_found() {
        assert_eq!(found(&thing("1.2.2")), ["thing 1.2.2: X-1, it leaks"]);
        assert_eq!(found(&thing("2.0.5")).len(), 1);
    }

    #[test]
    fn a_mended_version_and_another_crate_are_fine() {
        assert_eq!(found(&thing("1.2.3")), [""; 0]);
        assert_eq!(found(&thing("2.1.0")), [""; 0]);
        assert_eq!(found(&Package { name: "other".to_owned(), ..thing("1.0.0") }), [""; 0]);
    }

    #[test]
    fn our_list_is_in_order() {
        let mut ids: Vec<String> = parse(LIST).unwrap().into_iter().map(|advisory| advisory.id).collect();
        let before = ids.clone();
        ids.sort();
        ids.dedup();
        assert_eq!(ids, before, "sorted by id, each once");
    }

    #[test]
    fn an_entry_without_a_reason_is_refused() {
        assert!(parse(r#"{"advisories": [{"id": "X-1", "crate": "thing", "affected": ["*"]}]}"#).is_err());
    }
}
