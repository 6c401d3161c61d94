//! The help of the program: commands in groups, examples for each command, exit codes. Each of them is one list.

use std::fmt::Write;

use clap::{Command, CommandFactory};

use crate::{
    Cli,
    color::{HEADING, STRONG},
    exit_code,
};

/// The commands in the groups in which `texas42 --help` shows them.
pub(crate) const GROUPS: [(&str, &[&str]); 4] = [
    ("Play and study games", &["play", "join", "replay", "review", "seeds", "verify-deal"]),
    ("Host games", &["serve", "bot"]),
    ("Developer tools", &["headless", "explain", "simulate", "arena", "calibrate", "schema"]),
    ("Shell integration", &["completions", "man", "help"]),
];

/// What an example does, and the line to type.
type Example = (&'static str, &'static str);

/// Examples for each command. They work in a folder with `game.json`, the record of a game, and `rules.json`, a configuration.
pub(crate) const EXAMPLES: [(&str, &[Example]); 16] = [
    (
        "play",
        &[
            ("Play three computer players without a server", "texas42 play --name Ann"),
            ("Start a new game with nello and plunge", "texas42 play --new --rules nello,plunge"),
        ],
    ),
    (
        "join",
        &[
            ("Play with three computer players on the server of this machine", "texas42 join --name Ann"),
            ("Set up a table for two people and get a link for the second", "texas42 join --name Ann --people 2"),
            ("Accept an invitation", "texas42 join --name Bob 'http://localhost:4242/#join/TABLE/KEY'"),
        ],
    ),
    (
        "replay",
        &[
            ("Draw the table at the end of a game", "texas42 replay game.json"),
            ("Draw what seat 1 saw after 12 events", "texas42 replay --at 12 --viewer 1 game.json"),
            ("List the events of a game from its code", "texas42 replay --log --code aSenyngE-40rg8N-erZke88Wzr4fAFcQ"),
        ],
    ),
    (
        "review",
        &[
            ("Review a whole game", "texas42 review game.json"),
            ("Take a quick look at the first hand", "texas42 review --only-hand 1 --worlds 20 game.json"),
            ("Review a game from its code", "texas42 review --worlds 20 --code aSenyngE-40rg8N-erZke88Wzr4fAFcQ"),
        ],
    ),
    (
        "seeds",
        &[
            ("Find a deal that is hard for seat 1", "texas42 seeds lubbock --difficulty hard"),
            ("Find three easy deals for seat 3", "texas42 seeds amarillo --difficulty easy --bidder 3 --count 3"),
        ],
    ),
    (
        "verify-deal",
        &[
            ("Check a record that was saved when the game was over", "texas42 verify-deal game.json"),
            ("Check a record from a pipe", "cat game.json | texas42 verify-deal -"),
        ],
    ),
    (
        "serve",
        &[
            ("Serve tables on http://localhost:4242", "texas42 serve"),
            (
                "Let other machines in, and choose the data folder",
                "texas42 serve --listen 0.0.0.0:4242 --data /srv/texas42",
            ),
            ("Seat stronger computer players that move fast", "texas42 serve --strategy expert --pace 200-500"),
        ],
    ),
    (
        "bot",
        &[
            ("Take the seat of an invitation", "texas42 bot --url 'http://localhost:4242/#join/TABLE/KEY'"),
            (
                "Play as an expert, also in the next game",
                "texas42 bot --url 'http://localhost:4242/#join/TABLE/KEY' --strategy expert --stay",
            ),
        ],
    ),
    (
        "headless",
        &[
            ("Start a game", r#"echo '{"cmd":"new"}' | texas42 headless"#),
            ("Stop a script at the first wrong request", r#"echo '{"cmd":"new"}' | texas42 headless --strict"#),
        ],
    ),
    (
        "explain",
        &[
            ("Explain straight 42", "texas42 explain"),
            ("Explain the rules in a file", "texas42 explain --config rules.json"),
            ("Explain a table with nello", r#"echo '{"layers":[{"type":"nello"}]}' | texas42 explain --config -"#),
        ],
    ),
    (
        "simulate",
        &[
            ("Play 1000 random games", "texas42 simulate --games 1000 --seed 42"),
            ("Let beginners play against random players", "texas42 simulate --games 20 --players beginner,random"),
            (
                "Name the players of all four seats",
                "texas42 simulate --games 2 --players beginner,random,intermediate:3,random",
            ),
        ],
    ),
    (
        "arena",
        &[
            ("Compare two players on 50 deals", "texas42 arena beginner random --deals 50"),
            (
                "Play whole games, and continue after an interruption",
                "texas42 arena expert intermediate --league games --journal games.jsonl",
            ),
        ],
    ),
    (
        "calibrate",
        &[
            ("Measure how the bids of an expert turn out", "texas42 calibrate --deals 400"),
            ("Measure a faster player", "texas42 calibrate --deals 4 --player beginner --json"),
        ],
    ),
    ("schema", &[("Save the schema to a file", "texas42 schema > texas42.schema.json")]),
    (
        "completions",
        &[
            ("Complete in bash", "texas42 completions bash > ~/.local/share/bash-completion/completions/texas42"),
            ("Complete in fish", "texas42 completions fish > ~/.config/fish/completions/texas42.fish"),
        ],
    ),
    (
        "man",
        &[
            ("Read the manual page of the program", "texas42 man | man -l -"),
            ("Install a page for each command", "texas42 man --out ~/.local/share/man/man1"),
        ],
    ),
];

/// The examples below `texas42 --help`.
const FIRST_STEPS: [Example; 3] = [
    ("Serve tables on this machine", "texas42 serve"),
    ("Sit down at one, in another terminal", "texas42 join --name Ann"),
    ("Read more about a command", "texas42 replay --help"),
];

/// The command line with its complete help.
pub(crate) fn command() -> Command {
    let command = Cli::command();
    let groups = groups(&command);
    let command = command
        .help_template(format!("{{about-with-newline}}\n{{usage-heading}} {{usage}}\n\n{groups}{HEADING}Options:{HEADING:#}\n{{options}}{{after-help}}"))
        .after_help(format!("{}\n{}", examples(&FIRST_STEPS), exit_codes()));
    EXAMPLES.into_iter().fold(command, |command, (name, list)| {
        command.mut_subcommand(name, |subcommand| subcommand.after_help(examples(list)))
    })
}

/// The commands with what they do, group by group.
fn groups(command: &Command) -> String {
    let mut text = String::new();
    for (heading, names) in GROUPS {
        writeln!(text, "{HEADING}{heading}:{HEADING:#}").ok();
        for name in names {
            writeln!(text, "  {STRONG}{name:<13}{STRONG:#} {}", about(command, name)).ok();
        }
        text.push('\n');
    }
    text
}

fn about(command: &Command, name: &str) -> String {
    let about = command.find_subcommand(name).and_then(Command::get_about);
    about.map_or_else(|| "Print the help of a command".to_owned(), ToString::to_string)
}

fn examples(examples: &[Example]) -> String {
    let mut text = format!("{HEADING}Examples:{HEADING:#}\n");
    for (what, line) in examples {
        writeln!(text, "  {what}:\n    $ {line}").ok();
    }
    text
}

fn exit_codes() -> String {
    let mut text = format!("{HEADING}Exit codes:{HEADING:#}\n");
    for (code, meaning) in exit_code::ALL {
        writeln!(text, "  {code}  {meaning}").ok();
    }
    text
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    fn subcommands() -> Vec<String> {
        let mut command = command();
        command.build();
        command.get_subcommands().map(|subcommand| subcommand.get_name().to_owned()).collect()
    }

    #[test]
    fn every_command_is_in_exactly_one_group() {
        let listed: Vec<&str> = GROUPS.iter().flat_map(|(_, names)| names.iter().copied()).collect();
        let once: BTreeSet<&str> = listed.iter().copied().collect();
        assert_eq!(listed.len(), once.len(), "a command is in two groups");
        assert_eq!(once, subcommands().iter().map(String::as_str).collect());
        let help = command().render_help().to_string();
        for name in listed {
            let is_listed = |line: &&str| line.starts_with(&format!("  {name} "));
            assert_eq!(help.lines().filter(is_listed).count(), 1, "{name} in {help}");
        }
    }

    #[test]
    fn every_command_has_examples_that_parse() {
        let with_examples: BTreeSet<&str> = EXAMPLES.iter().map(|(name, _)| *name).collect();
        let all = subcommands();
        let wanted: BTreeSet<&str> = all.iter().map(String::as_str).filter(|name| *name != "help").collect();
        assert_eq!(with_examples, wanted);
        for (name, list) in EXAMPLES {
            for (_, line) in list {
                assert_eq!(parsed(line), name, "{line}");
            }
        }
        for (_, line) in FIRST_STEPS.iter().filter(|(_, line)| !line.ends_with("--help")) {
            parsed(line);
        }
    }

    /// The command that an example runs. The arguments are parsed as in a run.
    fn parsed(line: &str) -> String {
        let words = shlex::split(line).unwrap_or_else(|| panic!("the quotes of {line}"));
        let words =
            words.iter().skip_while(|word| *word != "texas42").take_while(|word| !["|", ">"].contains(&word.as_str()));
        let matches = command().try_get_matches_from(words).unwrap_or_else(|error| panic!("{line}: {error}"));
        matches.subcommand_name().unwrap_or_default().to_owned()
    }

    /// Lines that clap does not wrap can be copied.
    #[test]
    fn examples_and_descriptions_fit_a_usual_terminal() {
        let lines = EXAMPLES.iter().flat_map(|(_, list)| list.iter());
        for (what, line) in lines.chain(&FIRST_STEPS) {
            assert!(what.len() < 76 && line.len() < 92, "{line}");
        }
        let long: Vec<String> = groups(&Cli::command())
            .lines()
            .map(|line| anstream::adapter::strip_str(line).to_string())
            .filter(|line| line.chars().count() > 80)
            .collect();
        assert_eq!(long, Vec::<String>::new());
    }
}
