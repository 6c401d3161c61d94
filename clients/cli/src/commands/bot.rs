//! `texas42 bot`: a computer player that joins a table of any server with an invite link.

use anyhow::{Context, bail};
use sha2::{Digest, Sha256};
use texas42_client::{Bot, ClientCore};
use texas42_phrases::Problem;
use texas42_protocol::{ErrorCode, Name, WireError};
use texas42_sdk::{ConnectionEvent, DEFAULT_SERVER, InviteLink, Target, WebSocketConnection};
use texas42_server::{
    serve::{now, random},
    strategies,
};
use texas42_vocab::{Phase, Team};

use crate::{exit_code::usage, output, wording};

/// Let a computer player take a seat at a table of any server.
///
/// It joins with an invite link, sees only what its seat may see, and reconnects when the connection is lost. With an invite for a
/// bot it is listed as one: a person may take its seat at any time, and a bot of the server plays while it is away. Started again
/// with the same link and name, it returns to its seat. If the session ends before the game, it says why, and exits with 1.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The invite link: http://localhost:4242/#bot/TABLE/KEY, or a link to play (#join)
    #[arg(long, env = "TEXAS42_URL", value_name = "LINK", hide_env_values = true)]
    url: String,

    /// How it plays
    #[arg(long, default_value = strategies::DEFAULT, value_parser = strategies::NAMES)]
    strategy: String,

    /// Its name at the table; without it, `Bot` and a number that follows from the link
    #[arg(long)]
    name: Option<String>,

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
    let invite = invite(&args.url)?;
    let server = invite.server.clone();
    let seed = args.seed.unwrap_or_else(|| u64::from_le_bytes(random()));
    let name = usage(Name::try_from(args.name.clone().unwrap_or_else(|| default_name(&invite))))?;
    let randomness = client_randomness(&invite, &name);
    let client = ClientCore::new(invite.credentials(name), randomness);
    let mut bot = Bot::new(client, usage(super::serve::pace(&args.pace))?, seed);
    let mut connection = WebSocketConnection::new(server);
    while !is_done(&bot, args.stay)? {
        match connection.next_event(bot.client(), bot.wake_at()).await {
            ConnectionEvent::Connected => bot.client_mut().handle_connected(now()),
            ConnectionEvent::Message(message) => bot.handle_message(now(), &message),
            ConnectionEvent::Closed(code) => {
                bot.client_mut().handle_disconnected(now(), code);
                eprintln!("the connection to {} is lost, trying again", connection.server());
            }
            ConnectionEvent::Unreachable(reason) => {
                bot.client_mut().handle_disconnected(now(), None);
                // A lost connection has been reported already; a server that never answers ends the program with this error.
                connection.check_attempts(bot.client().failed_attempts(), &reason)?;
            }
            ConnectionEvent::Timer => bot.handle_time(now()),
        }
        while let Some(question) = bot.poll_question() {
            let answer = strategy(&question.view, question.seat, seed ^ question.version);
            bot.handle_decision(now(), question.version, &answer);
        }
        if bot.client_mut().poll_close() {
            connection.close().await;
            bot.client_mut().handle_disconnected(now(), None);
        }
        while let Some(frame) = bot.poll_frame() {
            connection.send(&frame).await;
        }
    }
    if let Some((_, view)) = bot.client().table() {
        let [one, other] = view.state.score;
        let [first, second] = Team::BOTH.map(wording::side);
        output::print(format_args!("the game is over: {first} have {one}, {second} have {other}\n"))?;
    }
    connection.close().await;
    Ok(())
}

/// The name without `--name`, derived from the invite: several bots at one table have different names, and a restarted bot
/// keeps its name.
fn default_name(invite: &InviteLink) -> String {
    let hash = invite.key.iter().map(|key| Sha256::digest(String::from(key.clone()))).next();
    let number = hash.map_or_else(|| u16::from_le_bytes(random()), |hash| u16::from_le_bytes([hash[0], hash[1]]));
    format!("Bot {}", 100 + number % 900)
}

/// The randomness of the client, whose first 16 bytes become the key of its session. Derived from the invite and the name, so
/// that a bot that is restarted with the same link returns to its seat, although the invite is used up.
fn client_randomness(invite: &InviteLink, name: &Name) -> [u8; 24] {
    let mut randomness = random();
    if let Some(key) = &invite.key {
        let key = String::from(key.clone());
        let hash = Sha256::digest([b"texas42 bot\0", key.as_bytes(), b"\0", name.as_str().as_bytes()].concat());
        randomness[..16].copy_from_slice(&hash[..16]);
    }
    randomness
}

const EXAMPLE: &str = "an invite link looks like http://localhost:4242/#bot/TABLE/KEY";

/// Reads a link that leads a bot to a seat.
fn invite(text: &str) -> anyhow::Result<InviteLink> {
    match Target::read(text, DEFAULT_SERVER)? {
        Target::Table(invite) if invite.key.is_some() => Ok(invite),
        Target::Table(_) => bail!("{text:?} has no key, so it leads to no seat; {EXAMPLE}"),
        Target::Code(..) => bail!("{text:?} is the code of a lobby, where people wait; {EXAMPLE}"),
        Target::Server(_) => bail!("{text:?} names no table; {EXAMPLE}"),
    }
}

fn is_done(bot: &Bot, stays: bool) -> anyhow::Result<bool> {
    let phase = bot.client().table().map(|(_, view)| view.state.phase);
    let is_over = matches!(phase, Some(Phase::GameEnd | Phase::OneHandComplete));
    match bot.client().over() {
        Some(_) if is_over => Ok(true),
        Some(error) => bail!(why_it_ended(error)),
        // An invite to watch or to coach.
        None if phase.is_some() && bot.client().seat().is_none() => bail!("this invite leads to no seat; {EXAMPLE}"),
        None => Ok(is_over && !stays && !bot.client().is_waiting()),
    }
}

/// Why the session ended before its game.
fn why_it_ended(error: &WireError) -> String {
    if error.reason.as_deref() == Some(&Problem::SessionLeft.into()) {
        return "the session has ended before the game: a person took the seat, or the invite was revoked".to_owned();
    }
    match error.code {
        ErrorCode::NotJoined => format!("the session has ended before the game: {}", error.message),
        _ => format!("the table refuses: {}", error.message),
    }
}
