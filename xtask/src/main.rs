//! The project's own commands, run as `cargo xtask <command>`.
//!
//! Each command has its own file; [`COMMANDS`] lists them. Several commands share these modules: [`process`] runs programs,
//! [`steps`] announces and times steps, [`metadata`] reads cargo's metadata of the workspace, [`options`] parses options,
//! [`targets`] adds compilation targets, [`tools`] finds and installs programs of other projects.

mod arrows;
mod bench;
mod bundle;
mod ci;
mod deny;
mod e2e;
mod edge;
mod fuzz;
mod javascript;
mod leaks;
mod load;
mod metadata;
mod mutants;
mod options;
mod play;
mod process;
#[cfg(test)]
mod project_files;
mod screenshot;
mod steps;
mod targets;
mod test;
mod tools;
mod worlds;

use std::process::ExitCode;

use anyhow::{Result, bail};

/// A command with its help texts.
struct Command {
    name: &'static str,
    summary: &'static str,
    help: &'static str,
    run: fn(&[String]) -> Result<()>,
}

const COMMANDS: &[Command] = &[
    Command { name: "play", summary: "play on http://localhost:4242", help: play::HELP, run: play::run },
    Command { name: "test", summary: "run every test, on a fresh machine too", help: test::HELP, run: test::run },
    Command { name: "e2e", summary: "drive the page in a real browser", help: e2e::HELP, run: e2e::run },
    Command { name: "javascript", summary: "test the JavaScript client", help: javascript::HELP, run: javascript::run },
    Command { name: "ci", summary: "run everything that a change must pass", help: ci::HELP, run: ci::run },
    Command { name: "arrows", summary: "check the architecture", help: arrows::HELP, run: arrows::run },
    Command { name: "deny", summary: "check every dependency", help: deny::HELP, run: deny::run },
    Command { name: "fuzz", summary: "check the laws on random inputs", help: fuzz::HELP, run: fuzz::run },
    Command { name: "worlds", summary: "simulate whole tables", help: worlds::HELP, run: worlds::run },
    Command { name: "leaks", summary: "look for leaks of hidden hands", help: leaks::HELP, run: leaks::run },
    Command { name: "mutants", summary: "look for missing tests", help: mutants::HELP, run: mutants::run },
    Command { name: "bundle", summary: "bundle the page", help: bundle::HELP, run: bundle::run },
    Command { name: "screenshot", summary: "take the README's picture", help: screenshot::HELP, run: screenshot::run },
    Command { name: "edge", summary: "run the game as on Cloudflare", help: edge::HELP, run: edge::run },
    Command { name: "bench", summary: "run the benchmarks", help: bench::HELP, run: bench::run },
];

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    match dispatch(&args) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn dispatch(args: &[String]) -> Result<()> {
    let Some((name, rest)) = args.split_first() else {
        print!("{}", overview());
        return Ok(());
    };
    match name.as_str() {
        "help" | "--help" | "-h" => help(rest),
        name if asks_for_help(rest) => help(&[name.to_owned()]),
        name => (command(name)?.run)(rest),
    }
}

/// Whether the arguments ask for help. `--help` after `--` is for the program that the command runs.
fn asks_for_help(args: &[String]) -> bool {
    args.iter().take_while(|arg| *arg != "--").any(|arg| arg == "--help" || arg == "-h")
}

fn help(args: &[String]) -> Result<()> {
    match args.first() {
        None => print!("{}", overview()),
        Some(name) => println!("{}", command(name)?.help),
    }
    Ok(())
}

fn command(name: &str) -> Result<&'static Command> {
    match COMMANDS.iter().find(|command| command.name == name) {
        Some(command) => Ok(command),
        None => bail!("there is no command `{name}`\n\n{}", overview()),
    }
}

fn overview() -> String {
    let mut text = String::from("usage: cargo xtask <command> [arguments]\n\ncommands:\n");
    for command in COMMANDS {
        text.push_str(&format!("  {:<12}{}\n", command.name, command.summary));
    }
    text.push_str("\n`cargo xtask help <command>` says more about one of them.\n");
    text
}

/// Refuses arguments of a command that takes none, so that a typing error is not silently ignored.
fn no_arguments(name: &str, args: &[String]) -> Result<()> {
    match args.first() {
        None => Ok(()),
        Some(first) => bail!("`cargo xtask {name}` takes no arguments, but got `{first}`"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(line: &str) -> Vec<String> {
        line.split_whitespace().map(str::to_owned).collect()
    }

    #[test]
    fn every_command_has_a_usage_line() {
        for command in COMMANDS {
            let usage = format!("cargo xtask {}", command.name);
            assert!(command.help.contains(&usage), "the help of `{}` lacks `{usage}`", command.name);
            assert!(overview().contains(command.summary));
        }
    }

    #[test]
    fn an_unknown_command_is_named_and_the_known_ones_are_listed() {
        let error = dispatch(&words("tset")).unwrap_err().to_string();
        assert!(error.contains("no command `tset`") && error.contains("arrows"), "{error}");
    }

    #[test]
    fn help_after_the_dashes_is_for_the_program() {
        assert!(asks_for_help(&words("--help")));
        assert!(!asks_for_help(&words("-- --help")));
    }

    #[test]
    fn a_stray_argument_is_refused() {
        assert!(no_arguments("ci", &words("fast")).is_err());
        assert!(no_arguments("ci", &[]).is_ok());
    }
}
