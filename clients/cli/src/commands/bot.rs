//! `texas42 bot`: a computer player that comes to a table from outside, like anybody with an invitation.

use anyhow::{Context, bail};
use texas42_cli::wire::{Happened, Place, Wire, read_invitation};
use texas42_client::{Bot, Entrance, GameClient};
use texas42_protocol::{ErrorCode, Name};
use texas42_server::{
    serve::{now, random},
    strategies,
};
use texas42_vocab::Phase;

/// Let a computer player take a seat at a table of any server.
///
/// It comes with an invitation, sees what its seat may see and nothing more, and comes back when the line drops.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The invitation: `http://localhost:4242/#join/TABLE/KEY`
    #[arg(long, env = "TEXAS42_URL", value_name = "LINK", hide_env_values = true)]
    url: String,

    /// How it plays
    #[arg(long, default_value = strategies::USUAL, value_parser = strategies::NAMES)]
    strategy: String,

    /// What it is called
    #[arg(long, default_value = "Program")]
    name: String,

    /// Milliseconds that it waits before it moves: one number, or from-to
    #[arg(long, default_value = "700-1900", value_name = "MS[-MS]")]
    pace: String,

    /// The seed of its choices; without it, a random one
    #[arg(long)]
    seed: Option<u64>,

    /// Stay when the game is over, for the next one
    #[arg(long)]
    stay: bool,
}

pub(crate) fn run(args: &Args) -> anyhow::Result<()> {
    tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(play(args))
}

async fn play(args: &Args) -> anyhow::Result<()> {
    let strategy = strategies::by_name(&args.strategy).context("there is no such strategy")?;
    let (game, key) = read_invitation(&args.url)?;
    let seed = args.seed.unwrap_or_else(|| u64::from_le_bytes(random()));
    let entrance = Entrance::join(game, Some(key), Name::try_from(args.name.as_str())?);
    let mut bot = Bot::new(GameClient::new(entrance, random()), super::serve::pace(&args.pace)?, seed);
    let mut wire = Wire::new(Place::parse(&args.url)?);
    while !is_done(&bot, args.stay)? {
        match wire.turn(bot.client(), bot.wake_at()).await {
            Happened::Connected => bot.client_mut().handle_connected(now()),
            Happened::Heard(message) => bot.handle_message(now(), &message),
            Happened::Gone(code) => {
                bot.client_mut().handle_disconnected(now(), code);
                eprintln!("the line is gone, trying again");
            }
            Happened::Unreachable(reason) => {
                bot.client_mut().handle_disconnected(now(), None);
                wire.check_hope(bot.client().failed_tries(), &reason)?;
                eprintln!("{} cannot be reached ({reason}), trying again", wire.place());
            }
            Happened::Time => bot.handle_time(now()),
        }
        while let Some(question) = bot.poll_question() {
            let answer = strategy(&question.view, question.seat, seed ^ question.version);
            bot.handle_decision(now(), question.version, &answer);
        }
        if bot.client_mut().poll_hang_up() {
            wire.close().await;
            bot.client_mut().handle_disconnected(now(), None);
        }
        while let Some(frame) = bot.poll_frame() {
            wire.send(&frame).await;
        }
    }
    if let Some((_, view)) = bot.client().table() {
        println!("the game is over, {} to {}", view.state.score[0], view.state.score[1]);
    }
    wire.close().await;
    Ok(())
}

fn is_done(bot: &Bot, stays: bool) -> anyhow::Result<bool> {
    if bot.client().is_over() {
        match bot.client().over() {
            Some(error) if error.code != ErrorCode::NotJoined => bail!("the table says: {}", error.message),
            _ => return Ok(true),
        }
    }
    let phase = bot.client().table().map(|(_, view)| view.state.phase);
    let is_over = matches!(phase, Some(Phase::GameEnd | Phase::OneHandComplete));
    Ok(is_over && !stays && !bot.client().is_waiting())
}
