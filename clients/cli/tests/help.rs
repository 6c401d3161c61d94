//! The help, the examples in it, completions, manual pages, colors and exit codes.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has to say where")]

mod support;

use std::{path::Path, process::Command};

use support::{TEXAS42, command, file, texas42, text_of};
use texas42_conformance::scratch::Scratch;

/// The names of the commands, as `texas42 --help` lists them.
fn commands() -> Vec<String> {
    let help = texas42(&["--help"], b"").stdout;
    let (_, rest) = help.split_once("Play and study games:").unwrap();
    let (list, _) = rest.split_once("Options:").unwrap();
    // Deeper indentation continues a description.
    let lines = list.lines().filter(|line| line.starts_with("  ") && !line.starts_with("   "));
    lines.map(|line| line.split_whitespace().next().unwrap().to_owned()).filter(|name| name != "help").collect()
}

/// The command lines in the examples of the help.
fn examples(name: &str) -> Vec<String> {
    let help = texas42(&[name, "--help"], b"").stdout;
    let (_, examples) = help.split_once("Examples:").unwrap_or_else(|| panic!("{name} has no examples: {help}"));
    examples.lines().filter_map(|line| line.trim().strip_prefix("$ ").map(str::to_owned)).collect()
}

/// Whether to run an example. Those that need a server, a pager or minutes are only parsed, by a unit test.
fn is_run(line: &str) -> bool {
    let not_run = [
        "texas42 serve",
        "texas42 join",
        "texas42 bot",
        "texas42 review game.json",
        "texas42 calibrate --deals 400",
        "texas42 arena expert",
        "texas42 man |",
        // They need the data of a server; `data.rs` runs them.
        "texas42 backup",
        "texas42 verify-data",
    ];
    !not_run.iter().any(|start| line.starts_with(start))
}

/// A folder with the files that the examples name.
fn folder() -> Scratch {
    let folder = Scratch::new();
    std::fs::copy(file("crates/room/tests/compatibility/records/secret.json"), folder.path().join("game.json"))
        .unwrap();
    std::fs::write(folder.path().join("rules.json"), r#"{"layers":[{"type":"nello"}]}"#).unwrap();
    std::fs::write(folder.path().join("quit"), "q\n").unwrap();
    for path in [".local/share/bash-completion/completions", ".config/fish/completions"] {
        std::fs::create_dir_all(folder.path().join(path)).unwrap();
    }
    folder
}

#[cfg(unix)]
#[test]
fn the_examples_of_the_help_run() {
    let folder = folder();
    let path = format!("{}:{}", Path::new(TEXAS42).parent().unwrap().display(), std::env::var("PATH").unwrap());
    let mut runs = 0;
    for line in commands().iter().flat_map(|name| examples(name)).filter(|line| is_run(line)) {
        let mut shell = Command::new("sh");
        // `play` reads it: a game that ends with its input would have failed.
        shell.stdin(std::fs::File::open(folder.path().join("quit")).unwrap());
        shell.args(["-c", &line]).current_dir(folder.path()).env("PATH", &path).env("HOME", folder.path());
        let output = shell.output().unwrap();
        assert!(output.status.success(), "{line}: {}", String::from_utf8_lossy(&output.stderr));
        runs += 1;
    }
    assert!(runs > 20, "{runs}");
}

/// A bot plays with an invite. For any other link, the error names what is wrong with it.
#[test]
fn a_link_that_leads_a_bot_to_no_seat_is_explained() {
    for (link, why) in [
        ("foo", "\"foo\" has no key"),
        ("http://localhost:1/#watch/table", "has no key"),
        ("BCD-FGH", "\"BCD-FGH\" is the code of a lobby"),
        ("http://localhost:1/#code/BCDFGH", "is the code of a lobby"),
        ("http://localhost:1", "\"http://localhost:1\" names no table"),
        ("http://localhost:1/#sit/table/key", "an invite link looks like"),
    ] {
        let run = texas42(&["bot", "--url", link], b"");
        assert!(run.code == Some(1) && run.stderr.contains(why), "{link}: {}", run.stderr);
    }
}

#[test]
fn completions_know_every_command() {
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let script = texas42(&["completions", shell], b"");
        assert_eq!(script.code, Some(0), "{shell}");
        for name in commands() {
            assert!(script.stdout.contains(&name), "{name} in {shell}");
        }
        assert!(script.stdout.contains("only-hand") && script.stdout.contains("bidder"), "{shell}");
    }
}

/// Deprecated flags and flags for tests work, but no shell offers them.
#[test]
fn completions_offer_no_hidden_flags() {
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let script = texas42(&["completions", shell], b"").stdout;
        let words: Vec<&str> = script.split(|letter: char| !letter.is_ascii_alphanumeric() && letter != '-').collect();
        let is_offered = |flag: &str| {
            words.contains(&format!("--{flag}").as_str()) || words.windows(2).any(|pair| *pair == ["-l", flag])
        };
        for hidden in ["test-seed", "test-clock", "no-grouping", "seat", "hand", "most-connections"] {
            assert!(!is_offered(hidden), "--{hidden} in {shell}");
        }
        for visible in ["listen", "viewer", "color", "version"] {
            assert!(is_offered(visible), "--{visible} in {shell}");
        }
    }
}

#[test]
fn there_is_a_manual_page_for_each_command() {
    let folder = Scratch::new();
    let out = folder.path().join("man1");
    assert_eq!(texas42(&["man", "--out", out.to_str().unwrap()], b"").code, Some(0));
    for name in commands() {
        let page = std::fs::read_to_string(out.join(format!("texas42-{name}.1"))).unwrap();
        assert!(page.contains(".TH") && page.contains("Examples"), "{name}: {page}");
    }
    let page = texas42(&["man"], b"").stdout;
    assert!(page.contains(".SH SYNOPSIS") && !page.contains('\u{1b}'), "{page}");
    assert_eq!(page, std::fs::read_to_string(out.join("texas42.1")).unwrap());
    let wrong = texas42(&["man", "--out", &format!("{TEXAS42}/man1")], b"");
    assert!(wrong.code == Some(1) && wrong.stderr.contains("cannot be created"), "{wrong:?}");
}

const STYLED: [&[&str]; 4] = [
    &["--help"],
    &["explain"],
    &["replay", "--code", "aSenyngE-40rg8N-erZke88Wzr4fAFcQ"],
    &["replay", "--code", "nonsense"],
];

/// The output of a command, on both streams.
fn printed(args: &[&str], color: &[&str], variables: &[(&str, &str)]) -> String {
    let mut command = command(&[args, color].concat());
    command.env_remove("NO_COLOR").env_remove("CLICOLOR_FORCE").envs(variables.iter().copied());
    let output = command.stdin(std::process::Stdio::null()).output().unwrap();
    String::from_utf8([output.stdout, output.stderr].concat()).unwrap()
}

#[test]
fn a_pipe_has_no_escape_codes() {
    for args in STYLED {
        for color in [&[][..], &["--color", "auto"], &["--color", "never"], &["--color=never"]] {
            assert!(!printed(args, color, &[]).contains('\u{1b}'), "{args:?} {color:?}");
        }
        let forced = [("CLICOLOR_FORCE", "1")];
        assert!(!printed(args, &["--color", "never"], &forced).contains('\u{1b}'), "{args:?}");
        assert!(!printed(args, &[], &[("NO_COLOR", "1")]).contains('\u{1b}'), "{args:?}");
    }
}

#[test]
fn colors_can_be_forced_and_carry_no_information() {
    for args in STYLED {
        let styled = printed(args, &["--color", "always"], &[]);
        assert!(styled.contains('\u{1b}'), "{args:?}: {styled}");
        assert_eq!(without_escape_codes(&styled), printed(args, &[], &[]), "{args:?}");
    }
}

fn without_escape_codes(text: &str) -> String {
    let mut parts = text.split('\u{1b}');
    let first = parts.next().unwrap_or_default().to_owned();
    first + &parts.map(|part| part.split_once('m').unwrap().1).collect::<String>()
}

#[test]
fn exit_codes_are_as_documented() {
    let help = texas42(&["--help"], b"").stdout;
    let (_, codes) = help.split_once("Exit codes:\n").unwrap();
    let codes: Vec<(i32, &str)> = codes
        .lines()
        .filter_map(|line| line.trim().split_once("  "))
        .map(|(code, meaning)| (code.parse().unwrap(), meaning))
        .collect();
    assert_eq!(codes.iter().map(|(code, _)| *code).collect::<Vec<_>>(), [0, 1, 2, 3], "{help}");
    let document = text_of("docs/headless.md");
    for (code, meaning) in codes {
        assert!(document.contains(&format!("| {code} | {meaning} |")), "docs/headless.md lacks {code}: {meaning}");
    }
    assert_eq!(texas42(&["explain"], b"").code, Some(0));
    assert_eq!(texas42(&["replay", "no-such-file.json"], b"").code, Some(1));
    assert_eq!(texas42(&["headless", "--strict"], b"nonsense\n").code, Some(1));
    assert_eq!(texas42(&["bot", "--url", "no link"], b"").code, Some(1));
    for wrong in [&[][..], &["shuffle"], &["bot"], &["replay", "--at", "soon", "--code", "a"]] {
        assert_eq!(texas42(wrong, b"").code, Some(2), "{wrong:?}");
    }
    assert_eq!(texas42(&["bot", "--url", "http://localhost:1/#bot/table"], b"").code, Some(1));
    let folder = Scratch::new();
    let data = folder.path().to_str().unwrap();
    // Values that only the commands can refuse.
    for wrong in [
        &["play", "--new", "--rules", "tournament,nello"][..],
        &["play", "--new", "--rules", "nelo"],
        &["play", "--new", "--preset", "nobody"],
        &["play", "--new", "--name", ""],
        &["play", "--new", "--one-hand", "seed", "--target", "3"],
        &["play", "--new", "--target", "0"],
        &["play", "--new", "--clock", "4"],
        &["play", "--new", "--pause", "10001"],
        &["join", "--target", "101"],
        &["play", "--new", "--daily", "easy", "--day", "2026-02-30"],
        &["play", "--new", "--daily", "easy", "--day", "9999-12-31"],
        &["join", "--rules", "tournament,nello"],
        &["join", "--server", "ftp://example.org"],
        &["join", "--role", "coach", "--rated"],
        &["join", "--bots", "expert,random"],
        &["bot", "--url", "#bot/table/AAAAAAAAAAAAAAAAAAAAAA", "--pace", "9-1"],
        &["serve", "--listen", "127.0.0.1:0", "--data", data, "--idle-seconds", "1"],
        &["arena", "beginner", "random", "--deals", "1", "--config", "rules.json"],
    ] {
        let run = texas42(wrong, b"");
        assert_eq!(run.code, Some(2), "{wrong:?}: {}", run.stderr);
        assert!(run.stderr.starts_with("error: ") && run.stderr.contains("--help"), "{wrong:?}: {}", run.stderr);
    }
    // A pipe that ends in mid-game.
    let play = ["play", "--plain", "--pace", "0", "--data", data];
    let ended = texas42(&play, b"");
    assert!(ended.code == Some(1) && ended.stderr.contains("the input ended before the game was over"), "{ended:?}");
    assert_eq!(texas42(&play, b"q\n").code, Some(0));
    // Nothing listens on port 1.
    let link = "http://127.0.0.1:1/#join/table/AAAAAAAAAAAAAAAAAAAAAA";
    assert_eq!(texas42(&["bot", "--url", link], b"").code, Some(3));
    assert_eq!(texas42(&["join", "BCD-FGH", "--server", "http://127.0.0.1:1"], b"").code, Some(3));
}
