//! Checks what files must not contain, which the compiler cannot check.

use anyhow::{Context, Result};

use crate::process::{capture, program, root};

/// The only folder where rules may be composed, so that all parts of a program play by the same rules.
const COMPOSES: &str = "crates/room/src/";

/// The call that composes them.
const COMPOSE: &str = "Context::compose";

/// The files that execute the rules. They query the composed rules and never name a contract.
const EXECUTORS: [&str; 2] = ["crates/engine/src/apply.rs", "crates/engine/src/legal.rs"];

/// Contracts that an executor may not name.
const CONTRACTS: [&str; 4] = ["nello", "plunge", "splash", "sevens"];

/// Folders of particular machines, spelled in two parts so that this file passes its own check.
const MACHINE_FOLDERS: [&str; 3] = [concat!("/wo", "rk/"), concat!("/ro", "ot/"), concat!("/Us", "ers/")];

/// A text file of the repository.
pub(super) struct Source {
    /// Below the root, with `/` between folders.
    pub(super) path: String,
    pub(super) text: String,
}

/// Reads every tracked or untracked text file that is not ignored.
pub(super) fn read_all() -> Result<Vec<Source>> {
    let list = ["ls-files", "-z", "--cached", "--others", "--exclude-standard"];
    let paths = capture(program("git", &list)).context("the checks need git to list the files")?;
    let paths = paths.split('\0').filter(|path| !path.is_empty());
    Ok(paths.filter_map(read).collect())
}

/// Returns `None` for a file that is not UTF-8 text or was deleted.
fn read(path: &str) -> Option<Source> {
    let text = std::fs::read_to_string(root().join(path)).ok()?;
    Some(Source { path: path.to_owned(), text })
}

/// Checks all sources.
pub(super) fn findings(sources: &[Source]) -> Vec<String> {
    let mut findings = missing_executors(sources);
    for source in sources {
        findings.extend(composition(source));
        findings.extend(contract_names(source));
        findings.extend(crate_root(source, sources));
        findings.extend(machine_folders(source));
    }
    findings
}

/// Checks that the executors exist, because a renamed one would silently escape its check.
fn missing_executors(sources: &[Source]) -> Vec<String> {
    let has = |path: &str| sources.iter().any(|source| source.path == path);
    if !has("crates/engine/src/lib.rs") {
        return Vec::new();
    }
    let missing = EXECUTORS.into_iter().filter(|path| !has(path));
    missing.map(|path| format!("{path} is gone: name the engine's executors in xtask/src/arrows/sources.rs")).collect()
}

fn composition(source: &Source) -> Vec<String> {
    if !source.path.ends_with(".rs") || source.path.starts_with(COMPOSES) || is_for_tests(&source.path) {
        return Vec::new();
    }
    let lines = production_lines(&source.text).filter(|(_, line)| !is_comment(line));
    // Skip this file, which names the call in a string.
    let calls = lines.filter(|(_, line)| line.contains(COMPOSE) && !line.contains(&format!("\"{COMPOSE}\"")));
    calls.map(|(number, _)| format!("{}:{number}: rules are composed in {COMPOSES} only", source.path)).collect()
}

fn contract_names(source: &Source) -> Vec<String> {
    if !EXECUTORS.contains(&source.path.as_str()) {
        return Vec::new();
    }
    let lines = production_lines(&source.text).filter_map(|(number, line)| Some((number, contract_in(line)?)));
    lines.map(|(number, name)| format!("{}:{number}: an executor may not name {name}", source.path)).collect()
}

fn contract_in(line: &str) -> Option<&'static str> {
    let line = line.to_lowercase();
    CONTRACTS.into_iter().find(|name| line.contains(name))
}

/// Checks that a crate in `crates/` is `no_std` and forbids unsafe code, in its root file or by the workspace lints.
fn crate_root(source: &Source, sources: &[Source]) -> Vec<String> {
    let Some(folder) = pure_crate(&source.path) else {
        return Vec::new();
    };
    let mut findings = Vec::new();
    if !declares_no_std(&source.text) {
        findings.push(format!("{} must say #![no_std]", source.path));
    }
    if !source.text.contains("#![forbid(unsafe_code)]") && !inherits_forbidden_unsafe(folder, sources) {
        findings.push(format!("{} must forbid unsafe code, or its manifest inherit the lints", source.path));
    }
    findings
}

/// The crate's folder, if this is the root file of a crate in `crates/`.
fn pure_crate(path: &str) -> Option<&str> {
    let folder = path.strip_suffix("/src/lib.rs")?;
    let name = folder.strip_prefix("crates/")?;
    (!name.contains('/')).then_some(folder)
}

/// Unit tests may use `std`, so `cfg_attr(not(test), no_std)` is accepted too.
fn declares_no_std(text: &str) -> bool {
    let spellings = ["#![no_std]", "#![cfg_attr(not(test), no_std)]"];
    text.lines().any(|line| spellings.contains(&line.trim()))
}

fn inherits_forbidden_unsafe(folder: &str, sources: &[Source]) -> bool {
    let manifest = |path: &str| sources.iter().find(|source| source.path == path).map_or("", |source| &source.text);
    section_has(manifest(&format!("{folder}/Cargo.toml")), "[lints]", "workspace = true")
        && section_has(manifest("Cargo.toml"), "[workspace.lints.rust]", "unsafe_code = \"forbid\"")
}

fn section_has(manifest: &str, heading: &str, entry: &str) -> bool {
    let body = manifest.lines().map(str::trim).skip_while(|line| *line != heading).skip(1);
    body.take_while(|line| !line.starts_with('[')).any(|line| line == entry)
}

fn machine_folders(source: &Source) -> Vec<String> {
    let lines = (1..).zip(source.text.lines());
    let found = lines.filter_map(|(number, line)| Some((number, machine_folder_in(line)?)));
    found.map(|(number, folder)| format!("{}:{number}: {folder} is a path of one machine", source.path)).collect()
}

/// Matches only at the start of a path, not inside a longer path or a URL.
fn machine_folder_in(line: &str) -> Option<&'static str> {
    let begins = |at: usize| !line[..at].ends_with(|c: char| c.is_alphanumeric() || "-_.~".contains(c));
    MACHINE_FOLDERS.into_iter().find(|folder| line.match_indices(folder).any(|(at, _)| begins(at)))
}

/// Integration tests, benchmarks and fuzz targets, of a crate or of the whole repository.
fn is_for_tests(path: &str) -> bool {
    path.split('/').any(|folder| ["tests", "benches", "fuzz"].contains(&folder))
}

fn is_comment(line: &str) -> bool {
    line.trim_start().starts_with("//")
}

/// The numbered lines before the unit tests, which are at the end of a file.
pub(super) fn production_lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let lines: Vec<&str> = text.lines().collect();
    let opens_tests = |pair: &[&str]| pair[0] == "#[cfg(test)]" && pair[1].starts_with("mod ");
    let end = lines.windows(2).position(opens_tests).unwrap_or(lines.len());
    (1..).zip(lines).take(end)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn source(path: &str, text: &str) -> Source {
        Source { path: path.to_owned(), text: text.to_owned() }
    }

    const CALL: &str = "fn f() {\n    let rules = Context::compose(&config);\n}\n";

    #[test]
    fn composing_outside_the_room_is_found() {
        let found = composition(&source("clients/cli/src/main.rs", CALL));
        assert_eq!(found, ["clients/cli/src/main.rs:2: rules are composed in crates/room/src/ only"]);
        assert_eq!(composition(&source("crates/engine/src/replay.rs", CALL)).len(), 1);
    }

    #[test]
    fn composing_in_the_room_in_tests_and_in_documents_is_fine() {
        let unit_test = format!("fn f() {{}}\n\n#[cfg(test)]\nmod tests {{\n{CALL}}}\n");
        let doctest = "//! let rules = Context::compose(&config);\n";
        for fine in [
            source("crates/room/src/room.rs", CALL),
            source("crates/engine/benches/replay.rs", CALL),
            source("tests/wasm-probe/src/lib.rs", CALL),
            source("crates/solver/src/lib.rs", &unit_test),
            source("crates/engine/src/lib.rs", doctest),
            source("docs/layers.md", CALL),
        ] {
            assert_eq!(composition(&fine), [""; 0], "{}", fine.path);
        }
    }

    #[test]
    fn a_contract_in_an_executor_is_found_in_any_case() {
        let text = "fn f() {}\nif trump == Trump::Nello {}\n// as in SPLASH\n";
        let found = contract_names(&source("crates/engine/src/apply.rs", text));
        assert_eq!(found.len(), 2, "{found:?}");
        assert_eq!(found[0], "crates/engine/src/apply.rs:2: an executor may not name nello");
    }

    #[test]
    fn contracts_may_be_named_in_layers_and_in_unit_tests() {
        assert_eq!(contract_names(&source("crates/engine/src/layers/nello.rs", "nello")), [""; 0]);
        let text = "fn f() {}\n#[cfg(test)]\nmod tests { fn nello() {} }\n";
        assert_eq!(contract_names(&source("crates/engine/src/legal.rs", text)), [""; 0]);
    }

    #[test]
    fn a_lone_test_attribute_does_not_hide_the_rest_of_a_file() {
        let text = "#[cfg(test)]\nuse x::y;\nfn f() { nello() }\n";
        assert_eq!(contract_names(&source("crates/engine/src/apply.rs", text)).len(), 1);
    }

    #[test]
    fn a_renamed_executor_is_found() {
        let found = missing_executors(&[source("crates/engine/src/lib.rs", ""), source(EXECUTORS[0], "")]);
        assert_eq!(found.len(), 1);
        assert!(found[0].contains("legal.rs"), "{found:?}");
        assert_eq!(missing_executors(&[]), [""; 0]);
    }

    #[test]
    fn a_crate_root_without_no_std_or_with_unsafe_code_allowed_is_found() {
        let bare = source("crates/vocab/src/lib.rs", "//! Words.\n");
        assert_eq!(crate_root(&bare, &[]).len(), 2);
        let only_in_a_comment = source("crates/vocab/src/lib.rs", "// #![no_std]\n#![forbid(unsafe_code)]\n");
        assert_eq!(crate_root(&only_in_a_comment, &[]).len(), 1);
        let good = source("crates/vocab/src/lib.rs", "#![no_std]\n#![forbid(unsafe_code)]\n");
        assert_eq!(crate_root(&good, &[]), [""; 0]);
    }

    #[test]
    fn the_lints_of_the_workspace_count_when_they_forbid_and_are_inherited() {
        let root = source("crates/vocab/src/lib.rs", "#![no_std]\n");
        let manifest = || source("crates/vocab/Cargo.toml", "[lints]\nworkspace = true\n");
        let forbid = || source("Cargo.toml", "[workspace.lints.rust]\nunsafe_code = \"forbid\"\n");
        let warn = source("Cargo.toml", "[workspace.lints.rust]\nunsafe_code = \"warn\"\n");
        assert_eq!(crate_root(&root, &[manifest(), forbid()]), [""; 0]);
        assert_eq!(crate_root(&root, &[manifest(), warn]).len(), 1);
        assert_eq!(crate_root(&root, &[forbid()]).len(), 1);
    }

    #[test]
    fn hosts_may_have_std() {
        assert_eq!(crate_root(&source("hosts/server/src/lib.rs", ""), &[]), [""; 0]);
    }

    #[test]
    fn a_path_of_one_machine_is_found() {
        for folder in MACHINE_FOLDERS {
            let found = machine_folders(&source("README.md", &format!("fine\nsee `{folder}main`\n")));
            assert_eq!(found, [format!("README.md:2: {folder} is a path of one machine")]);
        }
    }

    #[test]
    fn the_same_letters_inside_a_longer_path_are_fine() {
        let address = format!("https://example.org{}together", MACHINE_FOLDERS[0]);
        assert_eq!(machine_folder_in(&address), None);
    }
}
