//! `texas42 replay`: a recorded game, checked event by event, and the table at any point of it.

use std::path::PathBuf;

use anyhow::Context;
use serde_json::json;
use texas42_engine::state_hash;
use texas42_kernel::{Around, Viewer, view};
use texas42_room::HeadlessRoom;
use texas42_vocab::Seat;

use crate::{files, output};

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// A record (a JSON file, "-" for standard input), or the code of a link after --code
    #[arg(value_name = "RECORD", required_unless_present = "code")]
    record: Option<PathBuf>,
    /// The code of a game instead of a record
    #[arg(long, conflicts_with = "record")]
    code: Option<String>,
    /// Show the table after so many events instead of at the end
    #[arg(long, value_name = "EVENTS")]
    at: Option<usize>,
    /// Through the eyes of a seat, 0 to 3; without it, every hand is shown
    #[arg(long, value_parser = parse_seat)]
    seat: Option<Seat>,
    /// List the events instead of the table
    #[arg(long)]
    log: bool,
}

fn parse_seat(text: &str) -> Result<Seat, String> {
    text.parse().ok().and_then(Seat::new).ok_or_else(|| "a seat is a number from 0 to 3".to_string())
}

pub(crate) fn run(args: &Args) -> anyhow::Result<()> {
    let room = open(args)?;
    let game = room.game();
    let events = args.at.unwrap_or(game.log().len());
    let state = game.state_at(events).with_context(|| format!("the game has only {} events", game.log().len()))?;
    eprintln!("{} events replayed and checked; the code of this game: {}", game.log().len(), room.code());
    if args.log {
        let lines = game.log().iter().take(events).enumerate().map(|(at, action)| format!("{at:5}  {action}\n"));
        return Ok(output::print(lines.collect::<String>())?);
    }
    let viewer = args.seat.map_or_else(Viewer::all_hands, Viewer::player);
    let view = view(game.ctx(), &state, &viewer, &Around::default());
    output::print_json(&json!({ "at": events, "hash": format!("{:016x}", state_hash(&state)), "view": view }))
}

fn open(args: &Args) -> anyhow::Result<HeadlessRoom> {
    Ok(match (&args.code, &args.record) {
        (Some(code), _) => HeadlessRoom::from_code(code)?,
        (None, Some(path)) => HeadlessRoom::from_record(&files::read(path)?)?,
        (None, None) => anyhow::bail!("name a record, or give a code after --code"),
    })
}
