//! The programs at the seats of a table: clients like any other, whose line is a queue in the same worker.

use texas42_ai::{Ask, Decision, Strategy};
use texas42_client::{Answer, Bot, Entrance, GameClient, Pace};
use texas42_protocol::{ClientMessage, GameId, Name, SecretKey, ServerMessage};
use texas42_room::ConnectionId;
use texas42_vocab::Seat;

/// What the programs are called, by seat.
const NAMES: [&str; 4] = ["Ruby", "Otis", "Hazel", "Walt"];

/// A program at a seat.
#[derive(Debug)]
pub(crate) struct Program {
    pub(crate) connection: ConnectionId,
    pub(crate) seat: Seat,
    bot: Bot,
    strategy: Strategy,
    seed: u64,
}

/// How the programs of a browser play.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Manner {
    pub(crate) pace: Pace,
    pub(crate) strategy: Strategy,
}

impl Program {
    /// A program that comes with the key that the table made for it.
    pub(crate) fn called(
        connection: ConnectionId,
        game_id: GameId,
        seat: Seat,
        key: SecretKey,
        manner: Manner,
        randomness: [u8; 24],
    ) -> Self {
        let name = Name::try_from(NAMES[seat.index()]).expect("the names of programs are names");
        let client = GameClient::new(Entrance::join(game_id, Some(key), name), randomness);
        let seed = u64::from_le_bytes(core::array::from_fn(|at| randomness[at]));
        let bot = Bot::new(client, manner.pace, seed);
        Self { connection, seat, bot, strategy: manner.strategy, seed }
    }

    pub(crate) fn handle_connected(&mut self, now: u64) {
        self.bot.client_mut().handle_connected(now);
    }

    pub(crate) fn handle_message(&mut self, now: u64, message: &ServerMessage) {
        self.bot.handle_message(now, message);
    }

    pub(crate) fn handle_time(&mut self, now: u64) {
        self.bot.handle_time(now);
    }

    /// Thinks about what is asked, if something is.
    pub(crate) fn think(&mut self, now: u64) -> bool {
        let Some(question) = self.bot.poll_question() else { return false };
        let seed = self.seed.wrapping_add(question.version);
        let decision = self.strategy.decide(&Ask::new(&question.view, question.seat, seed));
        if let Some(Decision { action, why, .. }) = decision {
            self.bot.handle_decision(now, question.version, &Answer { action, why });
        }
        true
    }

    pub(crate) fn poll_frame(&mut self) -> Option<ClientMessage> {
        self.bot.poll_frame()
    }

    /// When it wants to be woken. The line inside a worker does not drop, so only its decisions count.
    pub(crate) fn wake_at(&self) -> Option<u64> {
        self.bot.wake_at()
    }
}
