//! `texas42 backup`: copies the data of a server, which may be running.

use std::path::PathBuf;

use anyhow::{Context, bail};
use texas42_server::serve::backup;

use super::verify_data::described;
use crate::output;

/// Copy the data of a server, even while it runs, and check it.
///
/// The copy contains everything that was acknowledged before the command started. To restore it, stop the server and
/// replace its data folder with the copy. If the data is damaged, so is the copy: the command lists the damage and exits
/// with 1.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The folder for the copy; created if missing; it must not contain a copy already
    #[arg(value_name = "FOLDER")]
    folder: PathBuf,

    /// The data folder of the server
    #[arg(long, env = "TEXAS42_DATA", default_value = "texas42-data", value_name = "FOLDER")]
    data: PathBuf,
}

pub(crate) fn run(args: &Args) -> anyhow::Result<()> {
    let (data, folder) = (args.data.display(), args.folder.display());
    let report = backup(&args.data, &args.folder).with_context(|| format!("{data} cannot be copied into {folder}"))?;
    output::print(described(&report))?;
    if !report.findings.is_intact() {
        bail!("{data} is damaged, and so is the copy in {folder}");
    }
    Ok(output::print(format_args!("{data} is copied into {folder}\n"))?)
}
