//! `texas42 bot`: a computer player that joins a table of any server with an invitation.

use anyhow::{Context, bail};
use texas42_cli::wire::{Happened, Place, Wire, read_invitation};
use texas42_client::{Bot, Credentials, GameClient};
use texas42_protocol::{ErrorCode, Name};
use texas42_server::{
    serve::{now, random},
    strategies,
};
use texas42_vocab::{Phase, Team};

use crate::{output, wording};

/// Let a computer player take a seat at a table of any server.
///
/// It joins with an invitation, sees only what its seat may see, and reconnects when the connection is lost.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The invitation: http://localhost:4242/#join/TABLE/KEY
    #[arg(long, env = "TEXAS42_URL", value_name = "LINK", hide_env_values = true)]
    url: String,

    /// How it plays
    #[arg(long, default_value = strategies::USUAL, value_parser = strategies::NAMES)]
    strategy: String,

    /// The name that the others at the table see
    #[arg(long, default_value = "Program")]
    name: String,

    /// Milliseconds to wait before a move: one number, or from-to
    #[arg(long, default_value = "700-1900", value_name = "MS[-MS]")]
    pace: String,

    /// The seed of its choices; random without it
    #[arg(long)]
    seed: Option<u64>,

    /// Stay at the table for the next game when the game is over
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
    let entrance = Credentials::join(game, Some(key), Name::try_from(args.name.as_str())?);
    let mut bot = Bot::new(GameClient::new(entrance, random()), super::serve::pace(&args.pace)?, seed);
    let mut wire = Wire::new(Place::parse(&args.url)?);
    while !is_done(&bot, args.stay)? {
        match wire.turn(bot.client(), bot.wake_at()).await {
            Happened::Connected => bot.client_mut().handle_connected(now()),
            Happened::FollowOutcome(message) => bot.handle_message(now(), &message),
            Happened::Gone(code) => {
                bot.client_mut().handle_disconnected(now(), code);
                eprintln!("the connection to {} is lost, trying again", wire.place());
            }
            Happened::Unreachable(reason) => {
                bot.client_mut().handle_disconnected(now(), None);
                wire.check_hope(bot.client().failed_attempts(), &reason)?;
                if bot.client().failed_attempts() == 1 {
                    eprintln!("{} cannot be reached ({reason}), trying again", wire.place());
                }
            }
            Happened::Time => bot.handle_time(now()),
        }
        while let Some(question) = bot.poll_question() {
            let answer = strategy(&question.view, question.seat, seed ^ question.version);
            bot.handle_decision(now(), question.version, &answer);
        }
        if bot.client_mut().poll_close() {
            wire.close().await;
            bot.client_mut().handle_disconnected(now(), None);
        }
        while let Some(frame) = bot.poll_frame() {
            wire.send(&frame).await;
        }
    }
    if let Some((_, view)) = bot.client().table() {
        let [one, other] = view.state.score;
        let [first, second] = Team::BOTH.map(wording::side);
        output::print(format_args!("the game is over: {first} have {one}, {second} have {other}\n"))?;
    }
    wire.close().await;
    Ok(())
}

fn is_done(bot: &Bot, stays: bool) -> anyhow::Result<bool> {
    if bot.client().is_over() {
        match bot.client().over() {
            Some(error) if error.code != ErrorCode::NotJoined => bail!("the table refuses: {}", error.message),
            _ => return Ok(true),
        }
    }
    let phase = bot.client().table().map(|(_, view)| view.state.phase);
    let is_over = matches!(phase, Some(Phase::GameEnd | Phase::OneHandComplete));
    Ok(is_over && !stays && !bot.client().is_waiting())
}
