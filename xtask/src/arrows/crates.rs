//! Checks which crate may depend on which.
//!
//! Only normal dependencies count, including optional ones. Tests may use anything.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use crate::metadata::Package;

/// What each pure crate may depend on. A crate in `crates/` without a row is a finding, so that the place of a new crate is
/// a deliberate decision. Rows for crates that do not exist are ignored.
const ALLOWED: &[(&str, &[&str])] = &[
    ("texas42-vocab", &[]),
    ("texas42-phrases", &["texas42-vocab"]),
    ("texas42-engine", &["texas42-phrases", "texas42-vocab"]),
    ("texas42-protocol", &["texas42-phrases", "texas42-vocab"]),
    ("texas42-client", &["texas42-phrases", "texas42-protocol", "texas42-vocab"]),
    ("texas42-worker-protocol", &["texas42-phrases", "texas42-protocol", "texas42-vocab"]),
    ("texas42-house-rules", &["texas42-phrases", "texas42-protocol", "texas42-vocab"]),
    ("texas42-kernel", &["texas42-engine", "texas42-phrases", "texas42-protocol", "texas42-vocab"]),
    ("texas42-room", &["texas42-kernel", "texas42-engine", "texas42-phrases", "texas42-protocol", "texas42-vocab"]),
    ("texas42-solver", &["texas42-engine", "texas42-vocab"]),
    (
        "texas42-ai",
        &["texas42-solver", "texas42-kernel", "texas42-engine", "texas42-phrases", "texas42-protocol", "texas42-vocab"],
    ),
    (
        "texas42-hosting",
        &["texas42-ai", "texas42-client", "texas42-phrases", "texas42-protocol", "texas42-room", "texas42-vocab"],
    ),
];

/// Pairs where the first may not depend on the second, directly or indirectly. The page only displays what the server
/// sends, so it must not link the rules. The screens that study a game only display what their worker sends.
const NEVER_REACHES: &[(&str, &str)] = &[
    ("texas42-web", "texas42-engine"),
    ("texas42-web", "texas42-kernel"),
    ("texas42-web", "texas42-room"),
    ("texas42-web", "texas42-solver"),
    ("texas42-display", "texas42-engine"),
    ("texas42-study", "texas42-engine"),
    ("texas42-study", "texas42-kernel"),
    ("texas42-study", "texas42-room"),
    ("texas42-study", "texas42-solver"),
    // Each module of the page contains only its own screens and its own worker.
    ("texas42-app", "texas42-study"),
    ("texas42-app", "texas42-study-host"),
    ("texas42-study-app", "texas42-web"),
    ("texas42-study-app", "texas42-browser"),
    // A client of a table needs no host but its own table in this process.
    ("texas42-sdk", "texas42-server"),
    ("texas42-sdk", "texas42-browser"),
    ("texas42-sdk", "texas42-cli"),
];

/// Crates that do I/O, run threads, read the clock or draw random numbers. Most impure crates depend on one of these. Only
/// hosts, clients and tests may use them.
const IMPURE: &[&str] = &[
    "async-io",
    "async-std",
    "axum",
    "crossbeam-channel",
    "fastrand",
    "getrandom",
    "hyper",
    "iana-time-zone",
    "instant",
    "js-sys",
    "libsqlite3-sys",
    "memmap2",
    "mio",
    "num_cpus",
    "polling",
    "rayon",
    "reqwest",
    "rusqlite",
    "smol",
    "socket2",
    "sqlx",
    "tempfile",
    "tokio",
    "tungstenite",
    "ureq",
    "wasm-bindgen",
    "web-sys",
    "web-time",
];

/// The dependencies between our own packages.
type Arrows = BTreeMap<String, BTreeSet<String>>;

/// Checks the dependencies between our packages.
pub(super) fn findings(packages: &[Package]) -> Vec<String> {
    let arrows = arrows(packages);
    let mut findings: Vec<String> = packages
        .iter()
        .filter(|package| package.is_pure())
        .flat_map(|package| forbidden(&package.name, &arrows))
        .collect();
    findings.extend(NEVER_REACHES.iter().filter_map(|(from, to)| reached(&arrows, from, to)));
    findings
}

/// The crates in a dependency tree (one `name version` per line) that no pure crate may use.
pub(super) fn impure(package: &str, tree: &str) -> Vec<String> {
    let names: BTreeSet<&str> = tree.lines().filter_map(|line| line.split_whitespace().next()).collect();
    let found = names.into_iter().filter(|name| IMPURE.contains(name));
    found.map(|name| format!("{package} is pure and may not depend on {name}; see `cargo tree -i {name}`")).collect()
}

fn arrows(packages: &[Package]) -> Arrows {
    let ours: BTreeSet<&str> = packages.iter().filter(|p| p.is_ours()).map(|p| p.name.as_str()).collect();
    let targets = |package: &Package| {
        let normal = package.dependencies.iter().filter(|dependency| dependency.is_normal);
        normal.map(|dependency| dependency.name.clone()).filter(|name| ours.contains(name.as_str())).collect()
    };
    packages.iter().filter(|p| p.is_ours()).map(|p| (p.name.clone(), targets(p))).collect()
}

fn forbidden(name: &str, arrows: &Arrows) -> Vec<String> {
    let Some((_, allowed)) = ALLOWED.iter().find(|(crate_name, _)| *crate_name == name) else {
        return vec![format!(
            "{name} has no row in the table of xtask/src/arrows/crates.rs: say what it may depend on"
        )];
    };
    let extra = arrows[name].iter().filter(|target| !allowed.contains(&target.as_str()));
    extra.map(|target| format!("{name} may not depend on {target}")).collect()
}

/// Reports a forbidden dependency path from one package to another, if there is one.
fn reached(arrows: &Arrows, from: &str, to: &str) -> Option<String> {
    let path = shortest_path(arrows, from, to)?;
    Some(format!("{from} may not reach {to}, but it does: {}", path.join(" -> ")))
}

fn shortest_path(arrows: &Arrows, from: &str, to: &str) -> Option<Vec<String>> {
    let mut queue = VecDeque::from([vec![from.to_owned()]]);
    let mut seen = BTreeSet::from([from.to_owned()]);
    while let Some(path) = queue.pop_front() {
        let last = path.last().expect("a path is not empty");
        if last == to {
            return Some(path);
        }
        for next in arrows.get(last).into_iter().flatten() {
            if seen.insert(next.clone()) {
                queue.push_back([&path[..], std::slice::from_ref(next)].concat());
            }
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metadata::Dependency;

    fn package(folder: &str, name: &str, dependencies: &[&str]) -> Package {
        let normal = |name: &&str| Dependency { name: (*name).to_owned(), is_normal: true };
        Package {
            name: name.to_owned(),
            folder: Some(folder.to_owned()),
            dependencies: dependencies.iter().map(normal).collect(),
            ..Package::default()
        }
    }

    fn vocab() -> Package {
        package("crates/vocab", "texas42-vocab", &[])
    }

    fn engine() -> Package {
        package("crates/engine", "texas42-engine", &["texas42-vocab"])
    }

    #[test]
    fn intended_dependencies_pass() {
        let server = package("hosts/server", "texas42-server", &["texas42-engine", "texas42-vocab", "tokio"]);
        assert_eq!(findings(&[vocab(), engine(), server]), [""; 0]);
    }

    #[test]
    fn a_reversed_dependency_is_found() {
        let vocab = package("crates/vocab", "texas42-vocab", &["texas42-engine"]);
        assert_eq!(findings(&[vocab, engine()]), ["texas42-vocab may not depend on texas42-engine"]);
    }

    #[test]
    fn a_pure_crate_may_not_use_a_host() {
        let server = package("hosts/server", "texas42-server", &[]);
        let engine = package("crates/engine", "texas42-engine", &["texas42-server"]);
        assert_eq!(findings(&[engine, server]), ["texas42-engine may not depend on texas42-server"]);
    }

    #[test]
    fn tests_may_use_anything() {
        let mut vocab = package("crates/vocab", "texas42-vocab", &["texas42-engine"]);
        vocab.dependencies[0].is_normal = false;
        assert_eq!(findings(&[vocab, engine()]), [""; 0]);
    }

    #[test]
    fn a_new_crate_needs_a_row() {
        let found = findings(&[package("crates/extras", "texas42-extras", &[])]);
        assert!(found[0].contains("texas42-extras has no row"), "{found:?}");
    }

    #[test]
    fn the_page_may_not_reach_the_engine_through_another_crate() {
        let session = package("clients/session", "texas42-session", &["texas42-engine"]);
        let web = package("clients/web", "texas42-web", &["texas42-session"]);
        let found = findings(&[vocab(), engine(), session, web]);
        let path = "texas42-web -> texas42-session -> texas42-engine";
        assert_eq!(found, [format!("texas42-web may not reach texas42-engine, but it does: {path}")]);
    }

    #[test]
    fn the_screens_that_study_a_game_may_not_reach_the_engine() {
        let host = package("hosts/study", "texas42-study-host", &["texas42-engine"]);
        let study = package("clients/study", "texas42-study", &["texas42-study-host"]);
        let found = findings(&[vocab(), engine(), host, study]);
        let path = "texas42-study -> texas42-study-host -> texas42-engine";
        assert_eq!(found, [format!("texas42-study may not reach texas42-engine, but it does: {path}")]);
    }

    #[test]
    fn a_visitor_does_not_load_the_screens_that_study_a_game() {
        let study = package("clients/study", "texas42-study", &[]);
        let app = package("clients/app", "texas42-app", &["texas42-study"]);
        let found = findings(&[study, app]);
        let path = "texas42-app -> texas42-study";
        assert_eq!(found, [format!("texas42-app may not reach texas42-study, but it does: {path}")]);
    }

    #[test]
    fn the_client_library_may_not_use_a_server() {
        let server = package("hosts/server", "texas42-server", &[]);
        let sdk = package("clients/sdk", "texas42-sdk", &["texas42-server"]);
        let found = findings(&[server, sdk]);
        let path = "texas42-sdk -> texas42-server";
        assert_eq!(found, [format!("texas42-sdk may not reach texas42-server, but it does: {path}")]);
    }

    #[test]
    fn a_dependency_that_does_io_is_found_at_any_depth() {
        let tree = "texas42-engine v0.1.0\nrand v0.9.0\ngetrandom v0.3.1\ngetrandom v0.3.1 (*)\n";
        let found = impure("texas42-engine", tree);
        assert_eq!(found.len(), 1);
        assert!(found[0].contains("may not depend on getrandom"), "{found:?}");
        assert_eq!(impure("texas42-engine", "texas42-engine v0.1.0\nserde v1.0.0\n"), [""; 0]);
    }
}
