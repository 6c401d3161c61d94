//! The bots of a table: clients like any other, fed directly by the host.
//!
//! A bot that is gone for any reason is built again with the key that the table made for its seat, and finds its session
//! as it was. So bots can also be put away while nobody is there and none of them is to act.

use alloc::{boxed::Box, vec::Vec};

use sha2::{Digest, Sha256};
use texas42_ai::{Ask, Decision, Strategy};
use texas42_client::{Answer, Bot, Entrance, GameClient, Pace, Question};
use texas42_protocol::{ClientMessage, DealKind, GameId, GameView, Intent, Name, SecretKey, ServerMessage};
use texas42_room::ConnectionId;
use texas42_vocab::{Action, Seat};

/// How long a decision may take, in milliseconds, before the bot does without it.
const THINKING_LIMIT: u64 = 20_000;

/// What the bot on a seat is called: the same at every host, so that a game that moves keeps its company.
pub fn bot_name(seat: Seat) -> Name {
    let names = ["Ruby", "Otis", "Hazel", "Walt"];
    Name::try_from(names[seat.index()]).expect("the names of bots are names")
}

/// How the bots of a host play.
#[derive(Clone, Copy, Debug)]
pub struct BotSettings {
    /// How long they wait.
    pub pace: Pace,
    /// How they decide.
    pub strategy: Strategy,
    /// How many worlds they look at, where the host's time is short.
    pub worlds: Option<u32>,
}

/// When bots think.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Thinking {
    /// As soon as there is something to decide; then they wait until it is time to act.
    Early,
    /// When it is time to act, for hosts that sleep in between.
    WhenDue,
}

/// Which decision an answer is about. An answer that comes too late is dropped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ticket {
    seat: Seat,
    /// Which of the bots that sat there.
    generation: u32,
    version: u64,
}

/// A decision that a bot wants made, on the thread of the adapter's choice.
#[derive(Clone, Debug)]
pub struct Thought {
    /// To be given back with the decision.
    pub ticket: Ticket,
    /// What is to be decided.
    pub question: Question,
    /// All the randomness that the decision may use.
    pub seed: u64,
    /// How it is to be decided.
    pub settings: BotSettings,
}

impl Thought {
    /// Whether the deals follow from a public seed. Everybody who plays such a hand meets the same bots, so the decision has
    /// to follow from the question and the seed alone.
    pub fn is_seeded(&self) -> bool {
        is_seeded(&self.question.view)
    }

    /// Decides. The same question and seed lead to the same decision on every host.
    pub fn decide(&self) -> Option<Answer> {
        let Question { view, seat, .. } = &self.question;
        let worlds = self.settings.worlds.filter(|_| !self.is_seeded());
        let ask = Ask { worlds, ..Ask::new(view, *seat, self.seed) };
        let Decision { action, why, .. } = self.settings.strategy.decide(&ask)?;
        Some(Answer { action, why: Intent::of_remarks(why) })
    }
}

fn is_seeded(view: &GameView) -> bool {
    view.metadata.table.deal == DealKind::Seeded
}

/// The seed of a decision. Where the deals follow from a public seed, the bots do too: everybody who plays the same hand meets
/// the same players. Elsewhere nobody can predict them.
fn seed_of(view: &GameView, seat: Seat, secret: u64) -> u64 {
    let at = (u64::from(view.state.events) << 2) | seat.index() as u64;
    if is_seeded(view) { at } else { secret.wrapping_add(at) }
}

/// The connection of the bot on a seat.
pub(super) const fn connection_at(seat: Seat) -> ConnectionId {
    seat.index() as ConnectionId
}

/// The seat of a bot's connection.
pub(super) fn seat_of(connection: ConnectionId) -> Option<Seat> {
    Seat::ALL.into_iter().find(|seat| connection_at(*seat) == connection)
}

/// A seat that the table wants a bot on.
#[derive(Debug)]
struct BotSeat {
    key: SecretKey,
    generation: u32,
    /// Boxed: a table at rest has none. Not there while the bot is put away.
    bot: Option<Box<Bot>>,
    /// The decision that is being made, and when the bot does without it.
    thinking: Option<(u64, u64)>,
    /// It was refused, and is not seated again before something else happens.
    is_refused: bool,
}

/// The bots of a table.
#[derive(Debug)]
pub(super) struct Bots {
    settings: BotSettings,
    seats: [Option<Box<BotSeat>>; 4],
    seed: [u8; 32],
    draws: u32,
}

impl Bots {
    pub(super) const fn new(settings: BotSettings, seed: [u8; 32]) -> Self {
        Self { settings, seats: [const { None }; 4], seed, draws: 0 }
    }

    pub(super) fn seated(&self) -> usize {
        self.seats.iter().flatten().count()
    }

    /// How many of them are put away.
    #[cfg(test)]
    pub(super) fn resting(&self) -> usize {
        self.seats.iter().flatten().filter(|seat| seat.bot.is_none()).count()
    }

    fn seats_mut(&mut self) -> impl Iterator<Item = (Seat, &mut BotSeat)> {
        Seat::ALL.into_iter().zip(&mut self.seats).filter_map(|(seat, bot)| Some((seat, &mut **bot.as_mut()?)))
    }

    fn awake(&self) -> impl Iterator<Item = &Bot> {
        self.seats.iter().flatten().filter_map(|seat| seat.bot.as_deref())
    }

    /// When a bot wants to act, or does without a decision that does not come.
    pub(super) fn wake_at(&self) -> Option<u64> {
        let acts = self.awake().filter_map(Bot::acts_at);
        let without = self.seats.iter().flatten().filter_map(|seat| Some(seat.thinking?.1));
        acts.chain(without).min()
    }

    /// The table wants a bot on this seat, which comes with this key.
    pub(super) fn want(&mut self, seat: Seat, key: SecretKey) {
        let generation = self.seats[seat.index()].as_ref().map_or(0, |before| before.generation + 1);
        let wanted = BotSeat { key, generation, bot: None, thinking: None, is_refused: false };
        self.seats[seat.index()] = Some(Box::new(wanted));
    }

    pub(super) fn release(&mut self, seat: Seat) {
        self.seats[seat.index()] = None;
    }

    /// Seats every wanted bot that is not there, or was turned away, from the state of the table.
    pub(super) fn seat_missing(&mut self, now: u64, game: &GameId) {
        for seat in Seat::ALL {
            let is_missing = self.seats[seat.index()].as_deref_mut().is_some_and(BotSeat::is_missing);
            if is_missing {
                let bot = self.bot(now, game, seat);
                self.seats[seat.index()].as_mut().into_iter().zip(bot).for_each(|(wanted, bot)| wanted.seat(bot));
            }
        }
    }

    /// A bot that asks to be let in.
    fn bot(&mut self, now: u64, game: &GameId, seat: Seat) -> Option<Bot> {
        let random = self.random();
        let key = self.seats[seat.index()].as_ref()?.key.clone();
        let entrance = Entrance::join(game.clone(), Some(key), bot_name(seat));
        let client = GameClient::new(entrance, core::array::from_fn(|at| random[at]));
        let secret = u64::from_le_bytes(core::array::from_fn(|at| random[24 + at]));
        let mut bot = Bot::new(client, self.settings.pace, secret);
        bot.client_mut().handle_connected(now);
        Some(bot)
    }

    /// Something new happens: a bot that was refused may try again.
    pub(super) fn forgive(&mut self) {
        self.seats_mut().for_each(|(_, bot)| bot.is_refused = false);
    }

    /// Puts every bot away, if none has anything to do. Their seats are kept; says which bots were there.
    pub(super) fn rest(&mut self) -> Vec<Seat> {
        if self.wake_at().is_some() || self.seats.iter().flatten().any(|seat| seat.thinking.is_some()) {
            return Vec::new();
        }
        self.seats_mut().filter_map(|(seat, wanted)| wanted.bot.take().map(|_| seat)).collect()
    }

    pub(super) fn hear(&mut self, now: u64, seat: Seat, message: &ServerMessage) {
        if let Some(bot) = self.seats[seat.index()].as_mut().and_then(|seat| seat.bot.as_mut()) {
            bot.handle_message(now, message);
        }
    }

    /// What the bots say.
    pub(super) fn poll_frames(&mut self, now: u64) -> Vec<(ConnectionId, ClientMessage)> {
        let mut said = Vec::new();
        for (seat, wanted) in self.seats_mut() {
            wanted.decide_without(now);
            let Some(bot) = &mut wanted.bot else { continue };
            bot.act_when_due(now);
            said.extend(core::iter::from_fn(|| bot.poll_frame()).map(|frame| (connection_at(seat), frame)));
        }
        said
    }

    /// The next decision that is wanted.
    pub(super) fn poll_thought(&mut self, now: u64, thinking: Thinking) -> Option<Thought> {
        let (settings, secret) = (self.settings, u64::from_le_bytes(core::array::from_fn(|at| self.seed[at])));
        self.seats_mut().find_map(|(seat, wanted)| {
            let bot = wanted.bot.as_mut()?;
            let is_due = bot.acts_at().is_some_and(|at| at <= now);
            let question = if is_due || thinking == Thinking::Early { bot.poll_question() } else { None }?;
            wanted.thinking = Some((question.version, now.saturating_add(THINKING_LIMIT)));
            let ticket = Ticket { seat, generation: wanted.generation, version: question.version };
            let seed = seed_of(&question.view, seat, secret);
            Some(Thought { ticket, question, seed, settings })
        })
    }

    /// The decision, or nothing where it failed: then the bot does the first thing that is offered.
    pub(super) fn decide(&mut self, now: u64, ticket: Ticket, answer: Option<&Answer>) {
        let Some(wanted) = self.seats[ticket.seat.index()].as_mut() else { return };
        let Some(bot) = wanted.bot.as_mut().filter(|_| wanted.generation == ticket.generation) else { return };
        wanted.thinking = wanted.thinking.filter(|(version, _)| *version != ticket.version);
        let anything = Answer::from(Action::Pass { player: ticket.seat });
        bot.handle_decision(now, ticket.version, answer.unwrap_or(&anything));
    }

    fn random(&mut self) -> [u8; 32] {
        self.draws += 1;
        Sha256::new()
            .chain_update("texas42 bot ")
            .chain_update(self.seed)
            .chain_update(self.draws.to_le_bytes())
            .finalize()
            .into()
    }
}

impl BotSeat {
    /// Whether a bot has to be seated. One that was turned away is seated again once; the table may have changed its mind.
    fn is_missing(&mut self) -> bool {
        match &self.bot {
            None => true,
            Some(bot) => bot.client().is_over() && !core::mem::replace(&mut self.is_refused, true),
        }
    }

    fn seat(&mut self, bot: Bot) {
        self.generation += 1;
        self.thinking = None;
        self.bot = Some(Box::new(bot));
    }

    /// A decision that does not come must not stop the table.
    fn decide_without(&mut self, now: u64) {
        if let Some((version, _)) = self.thinking.take_if(|(_, until)| *until <= now)
            && let Some(bot) = &mut self.bot
            && let Some(seat) = bot.client().seat()
        {
            bot.handle_decision(now, version, &Answer::from(Action::Pass { player: seat }));
        }
    }
}
