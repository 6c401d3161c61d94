//! Tests of the files that other programs read: workflows, Dockerfile, compose file, systemd unit, documents. They fail when a
//! file refers to a command, package, variable or file that was renamed.

use std::path::PathBuf;

use yaml_rust2::{Yaml, YamlLoader};

use crate::play::RELEASE;
use crate::process::root;
use crate::{command, metadata};

/// The files that build and run the program.
const BUILDS: [&str; 4] = [".github/workflows/release.yml", "Dockerfile", "docs/server.md", "xtask/src/play.rs"];

/// The files that read the environment variables of the project.
const READS_VARIABLES: [&str; 4] = [
    "clients/cli/src/commands/play.rs",
    "clients/cli/src/commands/serve.rs",
    "clients/cli/build.rs",
    "hosts/server/build.rs",
];

fn text(path: &str) -> String {
    std::fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// The files directly in a folder whose names have this ending.
fn files(folder: &str, ending: &str) -> Vec<String> {
    let entries = std::fs::read_dir(root().join(folder)).unwrap_or_else(|error| panic!("{folder}: {error}"));
    let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    names
        .filter(|name| name.ends_with(ending))
        .map(|name| PathBuf::from(folder).join(name).display().to_string())
        .collect()
}

fn workflows() -> Vec<String> {
    let found = files(".github/workflows", ".yml");
    assert!(found.len() >= 2, "{found:?}");
    found
}

/// The files that may name commands and variables of the project.
fn callers() -> Vec<String> {
    let documents = [".", "docs", "docs/adr", ".github"].into_iter().flat_map(|folder| files(folder, ".md"));
    let others = ["Dockerfile", "compose.yaml", "deny.toml", ".ci/run"].map(str::to_owned);
    documents.chain(workflows()).chain(others).collect()
}

fn yaml(path: &str) -> Yaml {
    let documents = YamlLoader::load_from_str(&text(path)).unwrap_or_else(|error| panic!("{path}: {error}"));
    documents.into_iter().next().unwrap_or_else(|| panic!("{path} is empty"))
}

/// The steps of all jobs of a workflow.
fn steps(workflow: &Yaml) -> Vec<&Yaml> {
    let jobs = workflow["jobs"].as_hash().expect("a workflow has jobs").values();
    jobs.flat_map(|job| job["steps"].as_vec().expect("a job has steps")).collect()
}

/// The words after each occurrence of a phrase, up to the end of the line.
fn words_after<'a>(text: &'a str, phrase: &'a str) -> impl Iterator<Item = Vec<&'a str>> {
    text.lines().flat_map(move |line| line.split(phrase).skip(1)).map(|rest| rest.split_whitespace().collect())
}

fn is_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '-' || c == '_'
}

#[test]
fn every_yaml_file_parses() {
    let templates = files(".github/ISSUE_TEMPLATE", ".yml");
    assert!(templates.len() >= 2, "{templates:?}");
    for path in templates.into_iter().filter(|path| !path.ends_with("config.yml")) {
        assert!(yaml(&path)["body"].as_vec().is_some_and(|fields| !fields.is_empty()), "{path} asks nothing");
    }
    assert!(!yaml("compose.yaml")["services"]["texas42"].is_badvalue());
}

#[test]
fn jobs_wait_for_jobs_that_exist() {
    for path in workflows() {
        let workflow = yaml(&path);
        let jobs = workflow["jobs"].as_hash().unwrap();
        for needed in jobs.values().filter_map(|job| job["needs"].as_str()) {
            assert!(jobs.contains_key(&Yaml::String(needed.to_owned())), "{path}: there is no job {needed}");
        }
    }
}

/// A step either runs commands or uses an action with a version.
#[test]
fn every_step_runs_commands_or_a_versioned_action() {
    for path in workflows() {
        let workflow = yaml(&path);
        for step in steps(&workflow) {
            let action = step["uses"]
                .as_str()
                .map(|action| action.split_once('@').is_some_and(|(_, version)| !version.is_empty()));
            assert!(action.unwrap_or(step["run"].as_str().is_some()), "{path}: {step:?}");
        }
    }
}

#[test]
fn the_hosted_ci_runs_the_local_one_and_the_advisories() {
    let workflow = yaml(".github/workflows/ci.yml");
    let commands: Vec<&str> = steps(&workflow).into_iter().filter_map(|step| step["run"].as_str()).collect();
    assert!(commands.contains(&".ci/run") && commands.contains(&"cargo xtask deny advisories"), "{commands:?}");
}

#[cfg(unix)]
#[test]
fn the_local_ci_is_executable() {
    use std::os::unix::fs::PermissionsExt;
    let mode = std::fs::metadata(root().join(".ci/run")).unwrap().permissions().mode();
    assert!(mode & 0o111 != 0, "{mode:o}");
}

#[test]
fn every_command_that_is_named_exists() {
    let mut named = 0;
    for path in callers() {
        let text = text(&path);
        for words in words_after(&text, "cargo xtask ") {
            let name: String = words.first().unwrap_or(&"").chars().take_while(|c| is_word(*c)).collect();
            assert!(
                name.is_empty() || name == "help" || command(&name).is_ok(),
                "{path}: there is no `cargo xtask {name}`"
            );
            named += 1;
        }
    }
    assert!(named > 30, "{named}");
}

#[test]
fn every_variable_that_is_set_is_read() {
    let readers: String = READS_VARIABLES.map(text).concat();
    let mut set = 0;
    for path in callers() {
        for rest in text(&path).split("TEXAS42_").skip(1) {
            let name: String = rest.chars().take_while(|c| c.is_ascii_uppercase() || *c == '_').collect();
            assert!(
                readers.contains(&format!("\"TEXAS42_{name}\"")) || name == "VERSION",
                "{path}: nothing reads TEXAS42_{name}"
            );
            set += 1;
        }
    }
    assert!(set > 8, "{set}");
}

/// `cargo xtask play`, the container, the systemd service and the releases are the same build, with the page inside.
#[test]
fn every_release_build_is_the_same() {
    let built = format!("cargo build {}", RELEASE.join(" "));
    let package = RELEASE[3];
    assert!(metadata::packages().unwrap().iter().any(|ours| ours.is_ours() && ours.name == package), "no {package}");
    assert!(text("clients/cli/Cargo.toml").contains("name = \"texas42\""));
    for path in BUILDS.into_iter().filter(|path| !path.ends_with(".rs")) {
        let text = text(path);
        assert!(text.contains(&built), "{path} builds otherwise than `{built}`");
        assert!(text.contains("TEXAS42_WEB_DIST") && text.contains("target/web-dist"), "{path} forgets the page");
        assert!(text.contains("cargo xtask bundle"), "{path} does not bundle the page");
        assert!(text.contains("target/release/texas42"), "{path} does not take the program");
    }
}

#[test]
fn the_container_matches_the_project() {
    let dockerfile = text("Dockerfile");
    let toolchain = text("rust-toolchain.toml");
    let channel = toolchain.split("channel = \"").nth(1).unwrap().split('"').next().unwrap();
    assert!(dockerfile.contains(&format!("FROM rust:{channel}-")), "the image has another Rust than {channel}");
    for instruction in ["USER 4242", "HEALTHCHECK ", "VOLUME /data", "TEXAS42_DATA=/data", "ENTRYPOINT [\"texas42\"]"] {
        assert!(dockerfile.contains(instruction), "no {instruction}");
    }
    for words in words_after(&dockerfile, "COPY --from=") {
        assert!(dockerfile.contains(&format!(" AS {}\n", words[0])), "there is no stage {}", words[0]);
    }
    assert!(dockerfile.contains("/healthz") && text("crates/hosting/src/routes.rs").contains("/healthz"));
    assert!(root().join("clients/cli/src/commands/serve.rs").exists() && dockerfile.ends_with("CMD [\"serve\"]\n"));
    assert_eq!(yaml("compose.yaml")["services"]["texas42"]["volumes"][0].as_str(), Some("data:/data"));
}

/// The container build needs every file that cargo reads.
#[test]
fn no_source_is_ignored_by_docker() {
    for ignored in text(".dockerignore").lines() {
        let ignored = ignored.trim_start_matches("**").trim_matches('/');
        let sources = ["Cargo", "clients", "crates", "hosts", "tests", "xtask", ".cargo", "rust-toolchain", "docs"];
        assert!(!sources.iter().any(|name| ignored.starts_with(name)), "{ignored} is needed");
    }
}

#[test]
fn dependabot_looks_into_folders_with_a_manifest() {
    let file = yaml(".github/dependabot.yml");
    for update in file["updates"].as_vec().unwrap() {
        let manifest = match update["package-ecosystem"].as_str().unwrap() {
            "cargo" => "Cargo.toml",
            "npm" => "package.json",
            "docker" => "Dockerfile",
            "github-actions" => ".github/workflows",
            other => panic!("{other}: say which file it reads"),
        };
        let several = update["directories"].as_vec().cloned();
        for folder in several.unwrap_or_else(|| vec![update["directory"].clone()]) {
            let folder = folder.as_str().unwrap().trim_start_matches('/');
            assert!(root().join(folder).join(manifest).exists(), "there is no {folder}/{manifest}");
        }
    }
}

/// Checks the files that workflows copy or hash for a cache key.
#[test]
fn workflows_name_files_that_exist() {
    let mut named = 0;
    for path in workflows() {
        let text = text(&path);
        let hashed = text.split("hashFiles('").skip(1).filter_map(|rest| rest.split('\'').next());
        let copied = words_after(&text, "cp ").flatten().filter(|word| *word == "LICENSE" || word.ends_with(".md"));
        for file in hashed.map(str::to_owned).chain(copied.map(str::to_owned)) {
            assert!(root().join(&file).exists(), "{path}: there is no {file}");
            named += 1;
        }
    }
    assert!(named >= 5, "{named}");
}

#[test]
fn the_systemd_unit_runs_the_server() {
    let manual = text("docs/server.md");
    let unit = manual.split("```ini\n").nth(1).and_then(|rest| rest.split("```").next()).expect("a unit");
    for line in
        ["ExecStart=/usr/local/bin/texas42 serve", "DynamicUser=yes", "StateDirectory=texas42", "ProtectSystem=strict"]
    {
        assert!(unit.lines().any(|found| found == line), "no {line}");
    }
    for line in unit.lines().filter(|line| !line.is_empty() && !line.starts_with('[')) {
        assert!(line.contains('='), "{line}");
    }
}
