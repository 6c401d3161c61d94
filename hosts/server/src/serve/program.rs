//! A program at a seat of this server: a client like any other, over a way that stays in the process.

use std::{pin::pin, sync::Arc, time::Duration};

use texas42_client::{Answer, Bot, Entrance, GameClient, Question};
use texas42_hosting::bot_name;
use texas42_protocol::{GameId, SecretKey, ServerMessage};
use texas42_room::ConnectionId;
use texas42_vocab::Seat;
use tokio::sync::mpsc;

use super::{clock, server::Shared, table::ToTable};
use crate::strategies;

/// So long a program waits for a place to think.
const PATIENCE: Duration = Duration::from_secs(1);

/// Where a program sits.
pub(crate) struct Seated {
    pub(crate) game: GameId,
    pub(crate) seat: Seat,
    pub(crate) key: SecretKey,
    pub(crate) connection: ConnectionId,
}

/// Plays until nobody speaks to it any more.
pub(crate) async fn run(
    shared: Arc<Shared>,
    seated: Seated,
    table: mpsc::WeakSender<ToTable>,
    mut heard: mpsc::Receiver<Arc<ServerMessage>>,
) {
    let _counted = shared.metrics.programs.enter();
    let entrance = Entrance::join(seated.game, Some(seated.key), bot_name(seated.seat));
    let seed = u64::from_le_bytes(clock::random());
    let mut bot = Bot::new(GameClient::new(entrance, clock::random()), shared.settings.pace, seed);
    bot.client_mut().handle_connected(clock::now());
    loop {
        while let Some(question) = bot.poll_question() {
            let version = question.version;
            let mut deciding = pin!(decide(&shared, question, seed));
            // It listens while it thinks: what is said meanwhile would pile up until the table let it go.
            let answer = loop {
                tokio::select! {
                    answer = &mut deciding => break answer,
                    message = heard.recv() => match message {
                        Some(message) => bot.handle_message(clock::now(), &message),
                        None => return,
                    },
                }
            };
            bot.handle_decision(clock::now(), version, &answer);
        }
        while let Some(message) = bot.poll_frame() {
            let Some(table) = table.upgrade() else { return };
            if table.send(ToTable::Message { from: seated.connection, message }).await.is_err() {
                return;
            }
        }
        let wait = bot.wake_at().map(|at| Duration::from_millis(at.saturating_sub(clock::now())));
        tokio::select! {
            message = heard.recv() => match message {
                Some(message) => bot.handle_message(clock::now(), &message),
                None => return,
            },
            () = tokio::time::sleep(wait.unwrap_or(Duration::from_secs(3600))) => {
                bot.handle_time(clock::now());
            }
        }
        if bot.client().is_over() {
            return;
        }
    }
}

/// Thinking may take long, so it is not done where messages are handled, and only so many think at once. Whoever finds no
/// place in time goes by rules of thumb, which cost nothing: many tables make the players weaker and not the game slower.
async fn decide(shared: &Arc<Shared>, question: Question, seed: u64) -> Answer {
    let fallback = question.view.valid_actions.first().map(|valid| valid.action.into());
    let place = tokio::time::timeout(PATIENCE, shared.thinkers.acquire()).await;
    let strategy = match &place {
        Ok(_) => Arc::clone(&shared.settings.strategy),
        Err(_) => strategies::by_name(strategies::QUICK).expect("it is one of the names"),
    };
    let seed = seed ^ question.version;
    let thought = tokio::task::spawn_blocking(move || strategy(&question.view, question.seat, seed)).await;
    thought.ok().or(fallback).expect("a question has something to choose from")
}
