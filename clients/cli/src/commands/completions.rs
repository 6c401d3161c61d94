//! `texas42 completions`: prints a shell's completion script. Deprecated and test flags are not completed.

use clap::Command;
use clap_complete::{Shell, generate};

use crate::{help, output};

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The shell to complete in
    #[arg(value_enum)]
    shell: Shell,
}

pub(crate) fn run(args: &Args) -> anyhow::Result<()> {
    let mut script = Vec::new();
    generate(args.shell, &mut visible_command(), "texas42", &mut script);
    Ok(output::print(String::from_utf8(script)?)?)
}

/// The command line without its hidden flags, which clap_complete would offer.
fn visible_command() -> Command {
    let whole = help::command();
    let root = with_visible_args(Command::new("texas42").version(env!("TEXAS42_VERSION")), &whole);
    let names = help::GROUPS.iter().flat_map(|(_, names)| names.iter().copied());
    names.fold(root, |root, name| match whole.find_subcommand(name) {
        Some(subcommand) => root.subcommand(with_visible_args(Command::new(name), subcommand)),
        None => root,
    })
}

fn with_visible_args(command: Command, whole: &Command) -> Command {
    let visible = whole.get_arguments().filter(|arg| !arg.is_hide_set()).cloned();
    command.about(whole.get_about().cloned().unwrap_or_default()).args(visible)
}
