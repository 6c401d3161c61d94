//! `texas42 headless`: the conversation of [`texas42_cli::headless`] on standard input and output.

use std::io;

use texas42_cli::headless::{End, converse};

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Exit with an error at the first line that is wrong, instead of going on
    #[arg(long)]
    strict: bool,
}

pub(crate) fn run(args: &Args) -> anyhow::Result<()> {
    let end = converse(io::stdin().lock(), io::stdout().lock(), args.strict)?;
    anyhow::ensure!(end == End::Said, "the last line was wrong");
    Ok(())
}
