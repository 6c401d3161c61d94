//! The help of the program: grouped commands, examples for each command, and exit codes. Each has one list, which tests check.

use std::fmt::Write;

use clap::{Command, CommandFactory};
use texas42_cli::show::fit;

use crate::{
    Cli,
    color::{HEADING, STRONG},
    exit_code, output,
};

/// The commands in the groups in which `texas42 --help` shows them.
pub(crate) const GROUPS: [(&str, &[&str]); 4] = [
    ("Play and study games", &["play", "join", "replay", "review", "seeds", "verify-deal"]),
    ("Host games", &["serve", "bot", "backup", "verify-data"]),
    ("Developer tools", &["headless", "explain", "simulate", "arena", "calibrate", "schema"]),
    ("Shell integration", &["completions", "man", "help"]),
];

/// What an example does, and the line to type.
type Example = (&'static str, &'static str);

/// Examples for each command. They work in a folder with `game.json`, the record of a game, and `rules.json`, a configuration.
pub(crate) const EXAMPLES: [(&str, &[Example]); 18] = [
    (
        "play",
        &[
            ("Play three computer players without a server", "texas42 play --name Ann"),
            ("Start a new game with nello and plunge", "texas42 play --new --rules nello,plunge"),
            (
                "Choose who leads in nello, and how strong each computer player is",
                "texas42 play --new --rules nello --nello-lead left --bots expert,usual,beginner",
            ),
            ("Play the hand of the day, or that of an earlier day", "texas42 play --new --daily easy --day 2026-11-01"),
            ("Play the hand of a seed that `texas42 seeds` found", "texas42 play --new --one-hand lubbock-0-3"),
        ],
    ),
    (
        "join",
        &[
            ("Play with three computer players on the server of this machine", "texas42 join --name Ann"),
            ("Set up a table for two people and get a link for the second", "texas42 join --name Ann --people 2"),
            (
                "Force the first bidder to bid at least 31",
                "texas42 join --name Ann --rules forced-bid --forced-who first --forced-minimum 31",
            ),
            ("Join with an invite link", "texas42 join --name Bob 'http://localhost:4242/#join/TABLE/KEY'"),
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
            ("Take a seat with an invite for a bot", "texas42 bot --url 'http://localhost:4242/#bot/TABLE/KEY'"),
            (
                "Play as an expert, also in the next game",
                "texas42 bot --url 'http://localhost:4242/#bot/TABLE/KEY' --strategy expert --stay",
            ),
            ("Take a person's seat", "texas42 bot --url 'http://localhost:4242/#join/TABLE/KEY'"),
        ],
    ),
    (
        "backup",
        &[
            ("Copy the data of a running server", "texas42 backup --data /srv/texas42 /backup/texas42-monday"),
            ("Copy the data in the default folder", "texas42 backup monday"),
        ],
    ),
    (
        "verify-data",
        &[
            ("Check the data of a stopped server", "texas42 verify-data /srv/texas42"),
            ("Check a backup", "texas42 verify-data /backup/texas42-monday"),
            ("Continue without what is lost", "texas42 verify-data --accept-loss /srv/texas42"),
        ],
    ),
    (
        "headless",
        &[
            ("Start a game", r#"echo '{"cmd":"new"}' | texas42 headless"#),
            ("Stop a script at the first invalid request", r#"echo '{"cmd":"new"}' | texas42 headless --strict"#),
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
const FIRST_STEPS: [Example; 4] = [
    ("Play three computer players", "texas42 play"),
    ("Serve tables on this machine", "texas42 serve"),
    ("Sit down at one, in another terminal", "texas42 join --name Ann"),
    ("Read more about a command", "texas42 replay --help"),
];

/// The command line with its complete help.
pub(crate) fn command() -> Command {
    let command = Cli::command();
    let groups = groups(&command, output::columns());
    let command = command
        .help_template(format!("{{about-with-newline}}\n{{usage-heading}} {{usage}}\n\n{groups}{HEADING}Options:{HEADING:#}\n{{options}}{{after-help}}"))
        .after_help(format!("{}\n{}", examples(&FIRST_STEPS), exit_codes()));
    EXAMPLES.into_iter().fold(command, |command, (name, list)| {
        command.mut_subcommand(name, |subcommand| subcommand.after_help(examples(list)))
    })
}

/// The width of the column with the names of the commands.
const NAMES: usize = 16;

/// The commands with what they do, group by group. Descriptions are wrapped if the terminal is narrow.
fn groups(command: &Command, columns: usize) -> String {
    let mut text = String::new();
    let indent = format!("\n{:NAMES$}", "");
    for (heading, names) in GROUPS {
        writeln!(text, "{HEADING}{heading}:{HEADING:#}").ok();
        for name in names {
            let about = fit(&about(command, name), columns.saturating_sub(NAMES)).replace("\n  ", &indent);
            writeln!(text, "  {STRONG}{name:<13}{STRONG:#} {about}").ok();
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
                assert_eq!(parsed_command(line), name, "{line}");
            }
        }
        for (_, line) in FIRST_STEPS.iter().filter(|(_, line)| !line.ends_with("--help")) {
            parsed_command(line);
        }
    }

    /// Parses an example as the program would, and returns the name of its command.
    fn parsed_command(line: &str) -> String {
        let words = shlex::split(line).unwrap_or_else(|| panic!("the quotes of {line}"));
        let words =
            words.iter().skip_while(|word| *word != "texas42").take_while(|word| !["|", ">"].contains(&word.as_str()));
        let matches = command().try_get_matches_from(words).unwrap_or_else(|error| panic!("{line}: {error}"));
        matches.subcommand_name().unwrap_or_default().to_owned()
    }

    /// Examples can be copied only if the terminal does not wrap them.
    #[test]
    fn examples_and_descriptions_fit_a_usual_terminal() {
        let lines = EXAMPLES.iter().flat_map(|(_, list)| list.iter());
        for (what, line) in lines.chain(&FIRST_STEPS) {
            assert!(what.len() < 76 && line.len() < 92, "{line}");
        }
        let long: Vec<String> = groups(&Cli::command(), usize::MAX)
            .lines()
            .map(|line| anstream::adapter::strip_str(line).to_string())
            .filter(|line| line.chars().count() > 80)
            .collect();
        assert_eq!(long, Vec::<String>::new());
    }

    #[test]
    fn descriptions_are_wrapped_on_a_narrow_terminal() {
        let text = groups(&Cli::command(), 40);
        let text = anstream::adapter::strip_str(&text).to_string();
        assert!(text.lines().all(|line| line.chars().count() <= 40), "{text}");
        assert!(text.contains(&format!("\n{:NAMES$}", "")), "{text}");
    }
}
