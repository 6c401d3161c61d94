//! `texas42 headless`: plays a game in JSON lines ([`texas42_cli::headless`]) on standard input and output.

use std::io;

use texas42_cli::headless::{End, converse};

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Exit with code 1 at the first invalid request instead of continuing
    #[arg(long)]
    strict: bool,
}

pub(crate) fn run(args: &Args) -> anyhow::Result<()> {
    let end = converse(io::stdin().lock(), io::stdout().lock(), args.strict)?;
    anyhow::ensure!(end == End::Finished, "the last line was invalid");
    Ok(())
}
