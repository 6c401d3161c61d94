//! The recorded game that a command works on: a file, or a code.

use std::path::PathBuf;

use texas42_room::HeadlessRoom;

use crate::files;

/// The arguments that name a recorded game.
#[derive(Debug, clap::Args)]
pub(crate) struct GameSource {
    /// The record of a game, a JSON file; "-" reads standard input
    #[arg(value_name = "RECORD", required_unless_present = "code")]
    record: Option<PathBuf>,
    /// The code of a game, or a replay link, instead of a record
    #[arg(long, conflicts_with = "record")]
    code: Option<String>,
}

impl GameSource {
    /// Replays the game to its end and checks every event and checkpoint on the way.
    pub(crate) fn open(&self) -> anyhow::Result<HeadlessRoom> {
        Ok(match (&self.code, &self.record) {
            (Some(code), _) => HeadlessRoom::from_link(code)?,
            (None, Some(path)) => HeadlessRoom::from_record(&files::read(path)?)?,
            (None, None) => anyhow::bail!("name a record, or give a code after --code"),
        })
    }
}
