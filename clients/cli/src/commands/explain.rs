//! `texas42 explain`: why does this table play like that?

use std::path::PathBuf;

use texas42_room::HeadlessRoom;

use crate::{files, output};

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The configuration, a JSON file like {"layers":[{"type":"nello"}]}; "-" reads standard input
    #[arg(long, value_name = "FILE")]
    config: PathBuf,
    /// Print JSON instead of tables
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &Args) -> anyhow::Result<()> {
    let room = HeadlessRoom::new(&files::read_config(Some(&args.config))?)?;
    let explanation = room.explain();
    if args.json { output::print_json(&explanation) } else { Ok(output::print(&explanation)?) }
}
