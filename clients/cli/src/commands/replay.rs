//! `texas42 replay`: replays a recorded game, checks every event, and shows the table at any point.

mod table;

use anyhow::Context;
use serde_json::json;
use texas42_engine::state_hash;
use texas42_kernel::{TableMetadata, Viewer, view};
use texas42_vocab::{Action, Seat};

use crate::{game_source::GameSource, output, wording};

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    source: GameSource,
    /// Show the table after this many events instead of at the end
    #[arg(long, value_name = "EVENTS")]
    at: Option<usize>,
    /// Show only what this seat sees, 1 to 4; without it, every hand is shown
    #[arg(long, value_name = "SEAT", value_parser = wording::parse_seat)]
    viewer: Option<Seat>,
    /// The older form of --viewer, with seat ids from 0
    #[arg(long, hide = true, value_parser = wording::parse_seat_id, conflicts_with = "viewer")]
    seat: Option<Seat>,
    /// List the events instead of the table
    #[arg(long)]
    log: bool,
    /// Print the view of the table as JSON
    #[arg(long, conflicts_with = "log")]
    json: bool,
}

pub(crate) fn run(args: &Args) -> anyhow::Result<()> {
    let room = args.source.open()?;
    let game = room.game();
    let events = args.at.unwrap_or(game.log().len());
    let state = game.state_at(events).with_context(|| format!("the game has only {} events", game.log().len()))?;
    eprintln!("{} events replayed and checked; the code of this game: {}", game.log().len(), room.code());
    if args.log {
        return Ok(output::print(log(&game.log()[..events]))?);
    }
    let seat = args.viewer.or(args.seat);
    let viewer = seat.map_or_else(Viewer::all_hands, Viewer::player);
    let table = TableMetadata { events: events as u16, ..TableMetadata::default() };
    let view = view(game.ctx(), &state, &viewer, &table);
    if args.json {
        let hash = format!("{:016x}", state_hash(&state));
        return output::print_json(&json!({ "at": events, "hash": hash, "view": view }));
    }
    let place = format!("event {events} of {}", game.log().len());
    Ok(output::print(table::draw(&view, seat, &place, output::columns()))?)
}

fn log(actions: &[Action]) -> String {
    let line = |(at, action): (usize, &Action)| format!("{at:5}  {}\n", wording::event(*action));
    actions.iter().enumerate().map(line).collect()
}
