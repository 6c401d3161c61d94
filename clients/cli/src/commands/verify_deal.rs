//! `texas42 verify-deal`: checks that a game was dealt fairly, and prints the reason.

use std::path::PathBuf;

use anyhow::bail;
use texas42_room::FairRecord;

use crate::{files, output, wording};

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The record of a finished game with secret deals, a JSON file; "-" reads standard input
    #[arg(value_name = "RECORD")]
    record: PathBuf,
}

pub(crate) fn run(args: &Args) -> anyhow::Result<()> {
    let record = FairRecord::from_json(&files::read(&args.record)?);
    match record.and_then(|record| record.verify().map(|hands| (record, hands))) {
        Ok((record, hands)) => {
            let why = "the secret was committed before the game, and with the players' randomness it deals all";
            let (device, shaker) = (device_remark(&record), shaker_remark(&record));
            Ok(output::print(format_args!("yes: {why} {hands} hands{device}{shaker}\n"))?)
        }
        Err(why) => bail!("no: {why}"),
    }
}

fn device_remark(record: &FairRecord) -> String {
    match record.hands_from_device() {
        0 => String::new(),
        hands => format!("; a player's device dealt the first {hands} and could know them"),
    }
}

fn shaker_remark(record: &FairRecord) -> String {
    match (record.config.shaker, record.shaker.filter(|_| record.proves_shaker())) {
        (Some(shaker), _) => format!("; the rules named {} as the first shaker", wording::seat(shaker)),
        (None, Some(shaker)) => format!(" and draws {} as the first shaker", wording::seat(shaker)),
        (None, None) => "; the first shaker was drawn from the players' randomness alone".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use texas42_vocab::Seat;

    use super::*;

    #[test]
    fn the_first_shaker_is_a_seat_from_1() {
        let old = include_str!("../../../../crates/room/tests/compatibility/records/secret.json");
        let mut record = FairRecord::from_json(old).unwrap();
        (record.shaker, record.secret_draw) = (Seat::new(2), true);
        assert_eq!(shaker_remark(&record), " and draws seat 3 as the first shaker");
        record.config.shaker = Seat::new(0);
        assert_eq!(shaker_remark(&record), "; the rules named seat 1 as the first shaker");
    }
}
