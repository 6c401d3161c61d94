//! `texas42 verify-deal`: checks that a game was dealt fairly, and says why or why not.

use std::path::PathBuf;

use anyhow::bail;
use texas42_room::FairRecord;

use crate::{files, output};

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The record of a finished game with secret deals, a JSON file; "-" reads standard input
    #[arg(value_name = "RECORD")]
    record: PathBuf,
}

pub(crate) fn run(args: &Args) -> anyhow::Result<()> {
    match FairRecord::from_json(&files::read(&args.record)?).and_then(|record| record.verify()) {
        Ok(hands) => {
            let why = "the secret was committed before the game, and with the players' randomness it deals all";
            Ok(output::print(format_args!("yes: {why} {hands} hands\n"))?)
        }
        Err(why) => bail!("no: {why}"),
    }
}
