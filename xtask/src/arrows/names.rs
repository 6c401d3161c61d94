//! Checks that the name of a public type is unique within the reach of each crate.
//!
//! A crate reaches its own types and the types that its direct dependencies export. Within a crate, a type counts as public
//! if another module can name it: `pub`, `pub(crate)` or `pub(super)`. Private types and types in tests may repeat a name.

use std::collections::BTreeMap;

use super::sources::{Source, production_lines};
use crate::metadata::Package;

/// Names that several types of a crate may have.
const ALLOWED: [&str; 1] = [
    // The arguments of a command of `texas42`, one type in the module of each command.
    "Args",
];

/// The keywords that declare a type.
const KEYWORDS: [&str; 5] = ["struct ", "enum ", "trait ", "type ", "union "];

/// A declaration of a public type.
struct Declaration<'a> {
    name: &'a str,
    path: &'a str,
    /// Whether other crates can name it, as far as its own visibility decides.
    is_exported: bool,
}

/// Checks the names of all packages of the workspace.
pub(super) fn findings(packages: &[Package], sources: &[Source]) -> Vec<String> {
    let declared: BTreeMap<&str, Vec<Declaration<'_>>> = packages
        .iter()
        .filter_map(|package| Some((package.name.as_str(), declarations(package.folder.as_ref()?, sources))))
        .collect();
    packages.iter().filter(|package| package.is_ours()).flat_map(|package| repeated(package, &declared)).collect()
}

/// The names that several types within the reach of a package have.
fn repeated(package: &Package, declared: &BTreeMap<&str, Vec<Declaration<'_>>>) -> Vec<String> {
    let mut reach: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    let own = declared.get(package.name.as_str()).into_iter().flatten();
    let dependencies = package.dependencies.iter().filter(|dependency| dependency.is_normal);
    let exported = dependencies
        .filter_map(|dependency| declared.get(dependency.name.as_str()))
        .flatten()
        .filter(|declaration| declaration.is_exported);
    for declaration in own.chain(exported).filter(|declaration| !ALLOWED.contains(&declaration.name)) {
        reach.entry(declaration.name).or_default().push(declaration.path);
    }
    let repeated = reach.into_iter().filter(|(_, paths)| paths.len() > 1);
    repeated
        .map(|(name, paths)| format!("{} reaches several types named {name}: {}", package.name, paths.join(", ")))
        .collect()
}

/// The public types in the sources of a package, without those in tests.
fn declarations<'a>(folder: &str, sources: &'a [Source]) -> Vec<Declaration<'a>> {
    let sources_of = format!("{folder}/src/");
    let files = sources.iter().filter(|source| source.path.starts_with(&sources_of) && source.path.ends_with(".rs"));
    files
        .flat_map(|source| production_lines(&source.text).filter_map(|(_, line)| declaration(line, &source.path)))
        .collect()
}

fn declaration<'a>(line: &'a str, path: &'a str) -> Option<Declaration<'a>> {
    let declared = line.trim_start().strip_prefix("pub")?;
    let (is_exported, declared) = match declared.strip_prefix('(') {
        Some(restricted) => (false, restricted.split_once(") ")?.1),
        None => (true, declared.strip_prefix(' ')?),
    };
    let name = KEYWORDS.into_iter().find_map(|keyword| declared.strip_prefix(keyword))?;
    let end = name.find(|letter: char| !letter.is_alphanumeric() && letter != '_').unwrap_or(name.len());
    // A macro declares types whose name is one of its parameters.
    (end > 0).then(|| Declaration { name: &name[..end], path, is_exported })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metadata::Dependency;

    fn package(name: &str, folder: &str, dependencies: &[&str]) -> Package {
        let normal = |name: &&str| Dependency { name: (*name).to_owned(), is_normal: true };
        Package {
            name: name.to_owned(),
            folder: Some(folder.to_owned()),
            dependencies: dependencies.iter().map(normal).collect(),
            ..Package::default()
        }
    }

    fn source(path: &str, text: &str) -> Source {
        Source { path: path.to_owned(), text: text.to_owned() }
    }

    fn found(sources: &[Source]) -> Vec<String> {
        let packages = [
            package("engine", "crates/engine", &[]),
            package("solver", "crates/solver", &["engine"]),
            package("ai", "crates/ai", &["solver"]),
        ];
        findings(&packages, sources)
    }

    #[test]
    fn a_name_that_a_crate_declares_twice_is_found() {
        let one = source("crates/engine/src/state.rs", "pub struct Trick {\n");
        let other = source("crates/engine/src/search.rs", "    pub(super) enum Trick<'a> {\n");
        let paths = "crates/engine/src/state.rs, crates/engine/src/search.rs";
        assert_eq!(found(&[one, other]), [format!("engine reaches several types named Trick: {paths}")]);
    }

    #[test]
    fn a_name_that_a_direct_dependency_exports_is_found() {
        let engine = source("crates/engine/src/state.rs", "pub struct Trick;\n");
        let solver = source("crates/solver/src/search.rs", "pub(crate) struct Trick;\n");
        let paths = "crates/solver/src/search.rs, crates/engine/src/state.rs";
        assert_eq!(found(&[engine, solver]), [format!("solver reaches several types named Trick: {paths}")]);
    }

    #[test]
    fn names_out_of_reach_may_repeat() {
        let internal = source("crates/engine/src/state.rs", "pub(crate) trait Search {\n");
        let solver = source("crates/solver/src/search.rs", "pub type Search = u8;\n");
        let ai = source("crates/ai/src/state.rs", "struct Search;\n\n#[cfg(test)]\nmod tests {\npub struct Search;\n");
        let tests = source("crates/solver/tests/search.rs", "pub struct Search;\n");
        assert_eq!(found(&[internal, solver, ai, tests]), [""; 0]);
    }

    #[test]
    fn only_declarations_of_types_with_a_name_count() {
        let text = "pub struct $name;\npub fn trick() {}\npub use engine::Trick;\npub struct Args;\n";
        assert_eq!(found(&[source("crates/engine/src/a.rs", text), source("crates/engine/src/b.rs", text)]), [""; 0]);
    }
}
