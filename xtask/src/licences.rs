//! `cargo xtask licences`: what we depend on, and whether we may and should.
//!
//! It reads the lock file through cargo and needs no network beyond the package registry. It covers, for every locked
//! package and every platform:
//!
//! - the licence: the SPDX expression of the package can be satisfied with [`ALLOWED`] licences;
//! - the source: crates.io or a folder of this repository, and no requirement of ours is `*`;
//! - [`yanked`] versions, as far as the registry could be asked;
//! - [`advisories`], as far as our own short list goes. That list is kept by hand and is **not** the RustSec database;
//!   where `cargo-deny` is installed and can fetch that database, it is asked as well, and otherwise the command says
//!   that it was not.

mod advisories;
mod yanked;

use anyhow::{Result, bail};
use spdx::{Expression, LicenseReq, ParseMode};

use crate::metadata::{self, Package};
use crate::no_arguments;

pub(crate) const HELP: &str = "\
usage: cargo xtask licences

Checks every package of the lock file: its licence is one that we accept, it comes from crates.io, its version has not
been yanked, and no advisory in xtask/advisories.json concerns it. That list is short and kept by hand. When cargo-deny
is installed and its database can be fetched, `cargo deny check advisories` runs too.";

/// Licences under which we may pass on somebody's work inside ours, asking no more than to keep a notice.
const ALLOWED: &[&str] = &[
    "0BSD",
    "Apache-2.0",
    "Apache-2.0 WITH LLVM-exception",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "BSL-1.0",
    "CC0-1.0",
    "ISC",
    "MIT",
    "MIT-0",
    "Unicode-3.0",
    "Unlicense",
    "Zlib",
];

/// How cargo writes crates.io into every lock file, whichever mirror the packages really came from.
const CRATES_IO: &str = "registry+https://github.com/rust-lang/crates.io-index";

/// Runs the checks.
pub(crate) fn run(args: &[String]) -> Result<()> {
    no_arguments("licences", args)?;
    check()
}

/// All findings at once, so that one run shows everything there is to mend.
pub(crate) fn check() -> Result<()> {
    let packages = metadata::packages()?;
    let (ours, theirs): (Vec<_>, Vec<_>) = packages.into_iter().partition(Package::is_ours);
    let mut findings: Vec<String> = ours.iter().flat_map(open_requirements).collect();
    findings.extend(theirs.iter().filter_map(licence));
    findings.extend(theirs.iter().filter_map(source));
    findings.extend(yanked::findings(&theirs)?);
    findings.extend(advisories::findings(&theirs)?);
    report(&findings, theirs.len())?;
    advisories::ask_cargo_deny()
}

fn report(findings: &[String], packages: usize) -> Result<()> {
    if findings.is_empty() {
        println!("    {packages} dependencies: licences, sources, versions and our list of advisories are fine");
        return Ok(());
    }
    for finding in findings {
        eprintln!("  - {finding}");
    }
    bail!("{} finding(s) about the dependencies, listed above", findings.len())
}

fn licence(package: &Package) -> Option<String> {
    let Package { name, version, licence, .. } = package;
    let Some(text) = licence else {
        return Some(format!("{name} {version} states no licence"));
    };
    match may_use(text) {
        Ok(true) => None,
        Ok(false) => Some(format!("{name} {version} is under {text}, which we do not accept")),
        Err(reason) => Some(format!("{name} {version}: the licence `{text}` cannot be read: {reason}")),
    }
}

/// Whether some choice among an expression's `OR`s needs accepted licences only. Old packages write `/` for `OR`.
fn may_use(expression: &str) -> Result<bool, String> {
    let mode = ParseMode { allow_slash_as_or_operator: true, ..ParseMode::STRICT };
    let expression = Expression::parse_mode(expression, mode).map_err(|error| error.reason.to_string())?;
    Ok(expression.evaluate(is_allowed))
}

/// The exception after `WITH` is a part of the name: some exceptions take away what the licence gives.
fn is_allowed(licence: &LicenseReq) -> bool {
    ALLOWED.contains(&licence.to_string().as_str())
}

fn source(package: &Package) -> Option<String> {
    match package.source.as_deref() {
        Some(CRATES_IO) => None,
        Some(source) => {
            Some(format!("{} {} comes from {source} and not from crates.io", package.name, package.version))
        }
        None => Some(format!("{} {} lies outside of the repository", package.name, package.version)),
    }
}

/// A requirement `*` would take whatever comes next; folders of ours have no version to ask for.
fn open_requirements(package: &Package) -> Vec<String> {
    let open = package.dependencies.iter().filter(|dependency| dependency.requirement == "*" && !dependency.is_path);
    open.map(|dependency| format!("{} asks for any version of {}", package.name, dependency.name)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metadata::Dependency;

    fn package(licence: Option<&str>, source: Option<&str>) -> Package {
        Package {
            name: "thing".to_owned(),
            version: "1.0.0".to_owned(),
            licence: licence.map(str::to_owned),
            source: source.map(str::to_owned),
            ..Package::default()
        }
    }

    #[test]
    fn expressions_are_understood() {
        let fine = ["MIT", "MIT/Apache-2.0", "GPL-3.0-only OR MIT", "(MIT OR GPL-2.0-only) AND Unicode-3.0"];
        for expression in fine {
            assert_eq!(may_use(expression), Ok(true), "{expression}");
        }
        for expression in ["GPL-3.0-only", "MIT AND GPL-3.0-only", "(MIT OR ISC) AND GPL-3.0-only"] {
            assert_eq!(may_use(expression), Ok(false), "{expression}");
        }
    }

    #[test]
    fn and_binds_closer_than_or() {
        assert_eq!(may_use("MIT OR GPL-2.0-only AND ISC"), Ok(true));
        assert_eq!(may_use("MIT AND GPL-2.0-only OR AGPL-3.0-only"), Ok(false));
    }

    #[test]
    fn an_exception_is_a_part_of_the_licence() {
        assert_eq!(may_use("Apache-2.0 WITH LLVM-exception"), Ok(true));
        assert_eq!(may_use("GPL-2.0-only WITH Classpath-exception-2.0"), Ok(false));
        assert_eq!(may_use("MIT WITH LLVM-exception"), Ok(false));
    }

    #[test]
    fn a_missing_or_unreadable_licence_is_found() {
        assert!(licence(&package(None, None)).unwrap().contains("states no licence"));
        assert!(licence(&package(Some("do what you like"), None)).unwrap().contains("cannot be read"));
        assert!(licence(&package(Some("AGPL-3.0-only"), None)).unwrap().contains("do not accept"));
        assert_eq!(licence(&package(Some("MIT"), None)), None);
    }

    #[test]
    fn a_source_other_than_crates_io_is_found() {
        assert_eq!(source(&package(None, Some(CRATES_IO))), None);
        let git = package(None, Some("git+https://example.org/thing.git#0123"));
        assert!(source(&git).unwrap().contains("not from crates.io"));
        assert!(source(&package(None, None)).unwrap().contains("outside"));
    }

    #[test]
    fn an_open_requirement_is_found_unless_it_is_a_folder() {
        let open = Dependency { name: "serde".to_owned(), requirement: "*".to_owned(), ..Dependency::default() };
        let folder = Dependency { is_path: true, ..open.clone() };
        let mut ours = package(None, None);
        ours.dependencies = vec![open, folder];
        assert_eq!(open_requirements(&ours), ["thing asks for any version of serde"]);
    }
}
