//! Checks the documents: their examples print what they show, and the files and names that they mention exist.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has to say where")]

mod support;

use std::{path::Path, process::Command};

use support::{TEXAS42, assert_golden, file, texas42, text_of};

const RUN: &str = "cargo run --quiet --";

/// The documents whose examples are run.
const WITH_EXAMPLES: [&str; 2] = ["README.md", "docs/tools.md"];

/// A README fits on one screen.
const README_LINES: usize = 45;

/// Runs every example that starts with `$ ` and calls the binary.
#[cfg(unix)]
#[test]
fn the_examples_of_the_documents_are_true() {
    let examples: usize = WITH_EXAMPLES.into_iter().map(run_examples).sum();
    assert!(examples >= 4, "the examples are gone");
}

/// Compares the examples of a document with what they print, and counts them.
fn run_examples(document: &str) -> usize {
    let mut expected = String::new();
    let mut examples = 0;
    let mut is_output = false;
    for line in text_of(document).lines() {
        let starts = line.starts_with("$ ") && line.contains(RUN);
        is_output = is_output && !line.starts_with("```") && !line.starts_with("$ ");
        if !is_output {
            expected += &format!("{line}\n");
        }
        if starts {
            examples += 1;
            is_output = true;
            expected += &shell(&line[2..]);
        }
    }
    assert_golden(document, &expected);
    examples
}

/// The standard output of a shell command.
fn shell(line: &str) -> String {
    let script = line.replace(RUN, TEXAS42);
    let output = Command::new("sh").args(["-c", &script]).current_dir(file(".")).output().unwrap();
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn the_readme_fits_on_a_screen_and_its_picture_is_small() {
    let lines = text_of("README.md").lines().count();
    assert!(lines <= README_LINES, "{lines} lines");
    let picture = std::fs::metadata(file("docs/screenshot.jpg")).unwrap().len();
    assert!(picture < 60_000, "{picture} bytes; `cargo xtask screenshot` makes it");
}

/// Commands such as `cargo run --release -- join --name Ann` use existing subcommands and flags.
#[test]
fn the_documents_call_the_program_correctly() {
    let mut calls = 0;
    for document in documents() {
        let text = text_of(&document);
        let lines = text.lines().filter_map(|line| line.split_once("cargo run ")?.1.split_once("-- "));
        for (_, call) in lines.filter(|(options, _)| !options.contains("--example")) {
            assert_call_exists(&document, call.split(['`', '|', '#']).next().unwrap());
            calls += 1;
        }
    }
    assert!(calls >= 10, "{calls}");
}

fn assert_call_exists(document: &str, call: &str) {
    let mut words = call.split_whitespace();
    let command = words.next().unwrap();
    let help = texas42(&[command, "--help"], b"");
    assert_eq!(help.code, Some(0), "{document}: there is no `texas42 {command}`");
    for flag in words.filter(|word| word.starts_with("--")) {
        let flag = flag.split('=').next().unwrap();
        assert!(help.stdout.contains(flag), "{document}: `texas42 {command}` has no {flag}");
    }
}

#[test]
fn the_documents_name_every_command() {
    let overview = texas42(&["--help"], b"").stdout;
    let (_, groups) = overview.split_once("Play and study games").unwrap();
    let (groups, _) = groups.split_once("Options:").unwrap();
    let names = groups.lines().filter(|line| line.starts_with("  ") && !line.starts_with("   "));
    for name in names.filter_map(|line| line.split_whitespace().next()).filter(|name| *name != "help") {
        let is_named = [format!("`{name}`"), format!("`texas42 {name}`")]
            .iter()
            .any(|text| text_of("docs/tools.md").contains(text));
        assert!(is_named, "docs/tools.md does not name `{name}`");
    }
}

/// The changelog starts with what is unreleased, then the version of the workspace.
#[test]
fn the_changelog_has_a_section_for_this_version() {
    let text = text_of("CHANGELOG.md");
    let headings: Vec<&str> = text.lines().filter_map(|line| line.strip_prefix("## ")).collect();
    let [unreleased, released, ..] = headings[..] else { panic!("two sections: {headings:?}") };
    assert_eq!(unreleased, "Unreleased");
    let (version, date) = released.split_once(" - ").unwrap();
    assert_eq!(version, env!("CARGO_PKG_VERSION"));
    assert!(date.len() == 10 && date.split('-').count() == 3, "{date}");
    let sections = text.lines().filter_map(|line| line.strip_prefix("### "));
    let known = ["Added", "Changed", "Deprecated", "Removed", "Fixed", "Security"];
    sections.for_each(|section| assert!(known.contains(&section), "{section}"));
}

#[test]
fn the_javascript_client_has_the_version_of_the_workspace() {
    let package: serde_json::Value = serde_json::from_str(&text_of("clients/js/package.json")).unwrap();
    assert_eq!(package["version"], env!("CARGO_PKG_VERSION"));
}

fn documents() -> Vec<String> {
    let in_folder = |folder: &str| {
        let entries = std::fs::read_dir(file(folder)).unwrap_or_else(|error| panic!("{folder}: {error}"));
        let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
        let documents = names.filter(|name| name.ends_with(".md"));
        documents.map(|name| format!("{folder}/{name}")).collect::<Vec<_>>()
    };
    [".", "docs", "docs/adr"].into_iter().flat_map(in_folder).collect()
}

#[test]
fn relative_links_lead_to_files() {
    let mut links = 0;
    for document in documents() {
        let text = text_of(&document);
        let folder = Path::new(&document).parent().unwrap();
        let targets = text.split("](").skip(1).filter_map(|rest| rest.split_once(')')).map(|(target, _)| target);
        for target in targets.filter(|target| !target.starts_with("http") && !target.starts_with('#')) {
            let path = folder.join(target.split('#').next().unwrap());
            assert!(file(path.to_str().unwrap()).exists(), "{document} points at {target}");
            links += 1;
        }
    }
    assert!(links > 10);
}

/// Paths in backticks exist; in `path::name`, the file contains the name.
#[test]
fn paths_and_names_in_the_documents_exist() {
    let mut named = 0;
    for document in documents() {
        for (number, line) in text_of(&document).lines().enumerate() {
            for quoted in line.split('`').skip(1).step_by(2).filter(|quoted| is_path(quoted)) {
                let (path, name) = quoted.split_once("::").unwrap_or((quoted, ""));
                let found = file(path);
                assert!(found.exists(), "{document}:{}: there is no {path}", number + 1);
                let has_name = name.is_empty() || std::fs::read_to_string(&found).is_ok_and(|text| text.contains(name));
                assert!(has_name, "{document}:{}: there is no {name} in {path}", number + 1);
                named += 1;
            }
        }
    }
    assert!(named > 100, "{named}");
}

/// Every section of the specification has a status of the legend, and a proof or a text that says what is missing.
#[test]
fn the_spec_map_proves_every_section() {
    let text = text_of("docs/spec-map.md");
    let rows =
        text.lines().filter(|line| line.starts_with('|') && !line.starts_with("| §") && !line.starts_with("|---"));
    let mut sections = 0;
    for row in rows {
        let cells: Vec<&str> = row.trim_matches('|').split('|').map(str::trim).collect();
        let [_, section, status, _, proof] = cells[..] else { panic!("five cells: {row}") };
        match status {
            "" => assert_eq!(proof, "", "{section}: a heading has no proof"),
            "works" | "otherwise" => assert!(is_proof(proof), "{section}: {proof}"),
            "partly" | "open" => assert!(!proof.is_empty(), "{section}: what is missing?"),
            other => panic!("{section}: {other}"),
        }
        sections += usize::from(!status.is_empty());
    }
    assert!(sections > 150, "{sections}");
}

/// Whether a text names a test or a command, and no file that is neither.
fn is_proof(text: &str) -> bool {
    let is_command = |quoted: &&str| quoted.starts_with("cargo ");
    let quoted: Vec<&str> = text.split('`').skip(1).step_by(2).filter(|it| is_path(it) || is_command(it)).collect();
    let is_test = |quoted: &&str| match quoted.split_once("::") {
        _ if is_command(quoted) => true,
        Some((path, name)) => text_of(path).contains(&format!("fn {name}(")),
        None => quoted.starts_with("tests/") || quoted.contains("/tests/"),
    };
    !quoted.is_empty() && quoted.iter().all(is_test)
}

/// Every guarantee names tests that exist and are run.
#[test]
fn every_promise_has_a_test() {
    const HOSTS: [&str; 10] =
        ["all hosts", "room", "table host", "simulation", "browser", "page", "server", "edge", "clients", "bots"];
    let text = text_of("docs/promises.md");
    let is_row = |line: &&str| line.starts_with('|') && !line.starts_with("| guarantee") && !line.starts_with("|---");
    let mut guarantees = 0;
    for row in text.lines().filter(is_row) {
        let cells: Vec<&str> = row.trim_matches('|').split('|').map(str::trim).collect();
        let [guarantee, hosts, proof] = cells[..] else { panic!("three cells: {row}") };
        assert!(hosts.split(", ").all(|host| HOSTS.contains(&host)), "{guarantee}: {hosts}");
        assert!(is_proof(proof), "{guarantee}: {proof}");
        let named = proof.split('`').skip(1).step_by(2).filter_map(|quoted| quoted.split_once("::"));
        for (path, name) in named {
            assert!(is_run(path, name), "{guarantee}: nothing runs {name} of {path}");
        }
        guarantees += 1;
    }
    assert!(guarantees > 60, "{guarantees}");
}

/// Whether a function is a test, a case of the conformance suite, or a check that something in its folder calls.
fn is_run(path: &str, name: &str) -> bool {
    let text = text_of(path);
    let Some((before, _)) = text.split_once(&format!("fn {name}(")) else { return false };
    let is_test = before.lines().rev().take(3).any(|line| line.trim() == "#[test]");
    let is_case = || text_of("tests/conformance/src/lib.rs").contains(&format!(" {name},"));
    let is_called = || {
        let folder = Path::new(path).parent().unwrap().to_str().unwrap();
        let files = std::fs::read_dir(file(folder)).unwrap().map(|entry| entry.unwrap().path());
        let calls = files.filter_map(|file| std::fs::read_to_string(file).ok());
        calls.map(|text| text.matches(&format!("{name}(")).count()).sum::<usize>() > 1
    };
    match path {
        path if path.starts_with("tests/conformance/src/") => is_case(),
        path if path.starts_with("tests/") && path.contains("/src/") => is_test || is_called(),
        _ => is_test,
    }
}

fn is_path(quoted: &str) -> bool {
    let folders = ["clients/", "crates/", "hosts/", "tests/", "xtask/", "docs/", "examples/", "fuzz/", ".github/"];
    folders.iter().any(|folder| quoted.starts_with(folder)) && !quoted.contains([' ', '*', '<', '{', '…'])
}

#[test]
fn decision_records_are_numbered_without_gaps() {
    let mut numbers: Vec<String> =
        documents().iter().filter_map(|path| Some(path.strip_prefix("docs/adr/")?[..4].to_owned())).collect();
    numbers.sort();
    let expected: Vec<String> = (1..=numbers.len()).map(|number| format!("{number:04}")).collect();
    assert_eq!(numbers, expected);
}

#[test]
fn the_map_names_every_source_file() {
    let map = text_of("ARCHITECTURE.md");
    let mut folders = ["clients", "crates", "hosts"].map(str::to_owned).to_vec();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(file(&folder)).unwrap().map(Result::unwrap) {
            let path = format!("{folder}/{}", entry.file_name().into_string().unwrap());
            let is_source = path.contains("/src/") && path.ends_with(".rs");
            assert!(!is_source || map.contains(&format!("`{path}`")), "ARCHITECTURE.md lacks {path}");
            if entry.file_type().unwrap().is_dir() {
                folders.push(path);
            }
        }
    }
}
