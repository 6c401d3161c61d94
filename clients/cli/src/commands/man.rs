//! `texas42 man`: prints or writes the manual pages, which are generated from the help texts.

use std::path::PathBuf;

use anyhow::Context;

use crate::{help, output};

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Write a page for the program and for each command to this folder; without it, print the page of the program
    #[arg(long, value_name = "FOLDER")]
    out: Option<PathBuf>,
}

pub(crate) fn run(args: &Args) -> anyhow::Result<()> {
    let Some(folder) = &args.out else { return print() };
    std::fs::create_dir_all(folder).with_context(|| format!("{} cannot be created", folder.display()))?;
    clap_mangen::generate_to(command(), folder)
        .with_context(|| format!("{} cannot be written to", folder.display()))?;
    Ok(output::print(format_args!("The manual pages are in {}\n", folder.display()))?)
}

/// The command line without `help`, which needs no page.
fn command() -> clap::Command {
    help::command().disable_help_subcommand(true)
}

fn print() -> anyhow::Result<()> {
    let mut page = Vec::new();
    clap_mangen::Man::new(command()).render(&mut page)?;
    Ok(output::print(String::from_utf8(page)?)?)
}
