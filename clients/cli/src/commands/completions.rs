//! `texas42 completions`: prints the script with which a shell completes commands and flags.

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
    generate(args.shell, &mut help::command(), "texas42", &mut script);
    Ok(output::print(String::from_utf8(script)?)?)
}
