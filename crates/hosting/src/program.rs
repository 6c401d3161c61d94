//! The programs at the seats of a table: clients like any other, whose line is a queue inside their host.

use alloc::vec::Vec;

use texas42_ai::{Ask, Decision, Strategy};
use texas42_client::{Answer, Bot, Entrance, GameClient, Pace};
use texas42_protocol::{ClientMessage, DealKind, GameId, GameView, Name, SecretKey, ServerMessage};
use texas42_room::{ConnectionId, Room};
use texas42_vocab::Seat;

/// What the program on a seat is called: the same at every host, so that a game that moves keeps its company.
pub fn name_of(seat: Seat) -> Name {
    let names = ["Ruby", "Otis", "Hazel", "Walt"];
    Name::try_from(names[seat.index()]).expect("the names of programs are names")
}

/// A program at a seat.
#[derive(Debug)]
pub struct Program {
    /// The number of its line.
    pub connection: ConnectionId,
    /// Where it sits.
    pub seat: Seat,
    bot: Bot,
    manner: Manner,
    seed: u64,
}

/// Passes on what the programs of a table say; whether anybody said something.
pub fn let_speak(now: u64, programs: &mut [Program], room: &mut Room) -> bool {
    let mut said = Vec::new();
    for program in programs {
        while let Some(message) = program.poll_frame() {
            said.push((program.connection, message));
        }
    }
    let anybody = !said.is_empty();
    said.into_iter().for_each(|(from, message)| room.handle_message(now, from, message));
    anybody
}

/// How the programs of a host play.
#[derive(Clone, Copy, Debug)]
pub struct Manner {
    /// How long they wait.
    pub pace: Pace,
    /// How they decide.
    pub strategy: Strategy,
    /// How many worlds they look at, where the host's time is short.
    pub worlds: Option<u32>,
}

impl Program {
    /// A program that comes with the key that the table made for it.
    pub fn called(
        connection: ConnectionId,
        game_id: GameId,
        seat: Seat,
        key: SecretKey,
        manner: Manner,
        randomness: [u8; 24],
    ) -> Self {
        let client = GameClient::new(Entrance::join(game_id, Some(key), name_of(seat)), randomness);
        let seed = u64::from_le_bytes(core::array::from_fn(|at| randomness[at]));
        let bot = Bot::new(client, manner.pace, seed);
        Self { connection, seat, bot, manner, seed }
    }

    /// It has a line now, and asks to be let in.
    pub fn handle_connected(&mut self, now: u64) {
        self.bot.client_mut().handle_connected(now);
    }

    /// The table says something.
    pub fn handle_message(&mut self, now: u64, message: &ServerMessage) {
        self.bot.handle_message(now, message);
    }

    /// Some time has passed.
    pub fn handle_time(&mut self, now: u64) {
        self.bot.handle_time(now);
    }

    /// Thinks about what is asked, if something is.
    pub fn think(&mut self, now: u64) -> bool {
        let Some(question) = self.bot.poll_question() else { return false };
        let seed = self.dice(&question.view);
        let ask = Ask { worlds: self.manner.worlds, ..Ask::new(&question.view, question.seat, seed) };
        if let Some(Decision { action, why, .. }) = self.manner.strategy.decide(&ask) {
            self.bot.handle_decision(now, question.version, &Answer { action, why });
        }
        true
    }

    /// Where the deals follow from a public seed, the programs do too: whoever plays the same hand meets the same players.
    fn dice(&self, view: &GameView) -> u64 {
        let at = (u64::from(view.state.events) << 2) | self.seat.index() as u64;
        match view.metadata.table.deal {
            DealKind::Seeded => at,
            DealKind::Secret => self.seed.wrapping_add(at),
        }
    }

    /// What it says.
    pub fn poll_frame(&mut self) -> Option<ClientMessage> {
        self.bot.poll_frame()
    }

    /// When it wants to act, whether it has thought already or not: a host with little time lets it think only then.
    pub fn acts_at(&self) -> Option<u64> {
        self.bot.acts_at()
    }

    /// When it wants to be woken.
    pub fn wake_at(&self) -> Option<u64> {
        self.bot.wake_at()
    }
}
