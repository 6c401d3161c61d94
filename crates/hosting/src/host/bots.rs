//! The bots of a table: ordinary clients inside the host.
//!
//! A bot that is gone for any reason is rebuilt with the key that the table issued for its seat, and resumes its
//! session. This also allows the host to suspend bots while nobody is connected and none of them is to act.

use alloc::{boxed::Box, vec::Vec};

use sha2::{Digest, Sha256};
use texas42_ai::{Decision, DecisionPoint, Strategy};
use texas42_client::{Answer, Bot, Credentials, GameClient, Pace, Question};
use texas42_protocol::{ClientMessage, DealKind, GameId, GameView, Intent, Name, SecretKey, ServerMessage};
use texas42_room::ConnectionId;
use texas42_vocab::{Action, Seat};

/// How long a decision may take, in milliseconds, before the bot acts without it.
const THINKING_LIMIT: u64 = 20_000;

/// The name of the bot at a seat. It is the same on every host, so that a moved game keeps its bots' names.
pub fn bot_name(seat: Seat) -> Name {
    let names = ["Ruby", "Otis", "Hazel", "Walt"];
    Name::try_from(names[seat.index()]).expect("bot names are valid names")
}

/// How the bots of a host play.
#[derive(Clone, Copy, Debug)]
pub struct BotSettings {
    /// The range of delays before they act.
    pub pace: Pace,
    /// How they decide.
    pub strategy: Strategy,
    /// The number of sampled worlds, for hosts with little computing time.
    pub worlds: Option<u32>,
}

/// When bots make their decisions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DecisionTiming {
    /// As soon as there is something to decide. They wait afterwards until it is time to act.
    Early,
    /// When it is time to act, for hosts that sleep in between.
    WhenDue,
}

/// Identifies a decision. Answers that come too late are ignored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DecisionId {
    seat: Seat,
    /// Counts the bots that have held the seat.
    generation: u32,
    version: u64,
}

/// A decision that a bot needs. It can be made on any thread.
#[derive(Clone, Debug)]
pub struct DecisionRequest {
    /// To be returned with the decision.
    pub ticket: DecisionId,
    /// What to decide.
    pub question: Question,
    /// The seed of all randomness in the decision.
    pub seed: u64,
    /// How to decide.
    pub settings: BotSettings,
}

impl DecisionRequest {
    /// Whether the deals come from a public seed. All players of such a hand face the same bots, so the decision must
    /// depend on the question and the seed alone.
    pub fn is_seeded(&self) -> bool {
        is_seeded(&self.question.view)
    }

    /// Decides. The same question and seed lead to the same decision on every host.
    pub fn decide(&self) -> Option<Answer> {
        let Question { view, seat, .. } = &self.question;
        let worlds = self.settings.worlds.filter(|_| !self.is_seeded());
        let ask = DecisionPoint { worlds, ..DecisionPoint::new(view, *seat, self.seed) };
        let Decision { action, why, .. } = self.settings.strategy.decide(&ask)?;
        Some(Answer { action, why: Intent::from_remarks(why) })
    }
}

fn is_seeded(view: &GameView) -> bool {
    view.metadata.table.deal == DealKind::Seeded
}

/// The seed of a decision. With a public seed, all players of the same hand face the same bots. Otherwise nobody can
/// predict them.
fn seed_of(view: &GameView, seat: Seat, secret: u64) -> u64 {
    let at = (u64::from(view.state.events) << 2) | seat.index() as u64;
    if is_seeded(view) { at } else { secret.wrapping_add(at) }
}

/// The connection id of the bot at a seat.
pub(super) const fn connection_at(seat: Seat) -> ConnectionId {
    seat.index() as ConnectionId
}

/// The seat of a bot's connection.
pub(super) fn seat_of(connection: ConnectionId) -> Option<Seat> {
    Seat::ALL.into_iter().find(|seat| connection_at(*seat) == connection)
}

/// A seat that needs a bot.
#[derive(Debug)]
struct BotSeat {
    key: SecretKey,
    generation: u32,
    /// The bot; `None` while it is suspended. Boxed, because idle tables have none.
    bot: Option<Box<Bot>>,
    /// The version of the pending decision, and its timeout.
    thinking: Option<(u64, u64)>,
    /// Whether the bot was rejected. It is not seated again before the next input.
    is_rejected: bool,
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

    pub(super) fn count(&self) -> usize {
        self.seats.iter().flatten().count()
    }

    /// The number of suspended bots.
    #[cfg(test)]
    pub(super) fn suspended(&self) -> usize {
        self.seats.iter().flatten().filter(|seat| seat.bot.is_none()).count()
    }

    fn seats_mut(&mut self) -> impl Iterator<Item = (Seat, &mut BotSeat)> {
        Seat::ALL.into_iter().zip(&mut self.seats).filter_map(|(seat, bot)| Some((seat, &mut **bot.as_mut()?)))
    }

    fn awake(&self) -> impl Iterator<Item = &Bot> {
        self.seats.iter().flatten().filter_map(|seat| seat.bot.as_deref())
    }

    /// When a bot wants to act, or a decision times out.
    pub(super) fn wake_at(&self) -> Option<u64> {
        let acts = self.awake().filter_map(Bot::acts_at);
        let without = self.seats.iter().flatten().filter_map(|seat| Some(seat.thinking?.1));
        acts.chain(without).min()
    }

    /// Notes that the table needs a bot at this seat, with this key.
    pub(super) fn want(&mut self, seat: Seat, key: SecretKey) {
        let generation = self.seats[seat.index()].as_ref().map_or(0, |before| before.generation + 1);
        let wanted = BotSeat { key, generation, bot: None, thinking: None, is_rejected: false };
        self.seats[seat.index()] = Some(Box::new(wanted));
    }

    pub(super) fn release(&mut self, seat: Seat) {
        self.seats[seat.index()] = None;
    }

    /// Builds and seats every bot that is missing or was rejected.
    pub(super) fn seat_missing(&mut self, now: u64, game: &GameId) {
        for seat in Seat::ALL {
            let is_missing = self.seats[seat.index()].as_deref_mut().is_some_and(BotSeat::is_missing);
            if is_missing {
                let bot = self.bot(now, game, seat);
                self.seats[seat.index()].as_mut().into_iter().zip(bot).for_each(|(wanted, bot)| wanted.seat(bot));
            }
        }
    }

    /// A new bot that asks to join.
    fn bot(&mut self, now: u64, game: &GameId, seat: Seat) -> Option<Bot> {
        let random = self.random();
        let key = self.seats[seat.index()].as_ref()?.key.clone();
        let entrance = Credentials::join(game.clone(), Some(key), bot_name(seat));
        let client = GameClient::new(entrance, core::array::from_fn(|at| random[at]));
        let secret = u64::from_le_bytes(core::array::from_fn(|at| random[24 + at]));
        let mut bot = Bot::new(client, self.settings.pace, secret);
        bot.client_mut().handle_connected(now);
        Some(bot)
    }

    /// Allows rejected bots to try again after new input.
    pub(super) fn allow_retries(&mut self) {
        self.seats_mut().for_each(|(_, bot)| bot.is_rejected = false);
    }

    /// Suspends all bots, if none has anything to do, and returns their seats.
    pub(super) fn suspend(&mut self) -> Vec<Seat> {
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

    /// The messages that bots want to send.
    pub(super) fn poll_frames(&mut self, now: u64) -> Vec<(ConnectionId, ClientMessage)> {
        let mut frames = Vec::new();
        for (seat, wanted) in self.seats_mut() {
            wanted.decide_on_timeout(now);
            let Some(bot) = &mut wanted.bot else { continue };
            bot.act_when_due(now);
            frames.extend(core::iter::from_fn(|| bot.poll_frame()).map(|frame| (connection_at(seat), frame)));
        }
        frames
    }

    /// The next decision that a bot needs.
    pub(super) fn poll_decision_request(&mut self, now: u64, thinking: DecisionTiming) -> Option<DecisionRequest> {
        let (settings, secret) = (self.settings, u64::from_le_bytes(core::array::from_fn(|at| self.seed[at])));
        self.seats_mut().find_map(|(seat, wanted)| {
            let bot = wanted.bot.as_mut()?;
            let is_due = bot.acts_at().is_some_and(|at| at <= now);
            let question = if is_due || thinking == DecisionTiming::Early { bot.poll_question() } else { None }?;
            wanted.thinking = Some((question.version, now.saturating_add(THINKING_LIMIT)));
            let ticket = DecisionId { seat, generation: wanted.generation, version: question.version };
            let seed = seed_of(&question.view, seat, secret);
            Some(DecisionRequest { ticket, question, seed, settings })
        })
    }

    /// Passes a decision to its bot. `None` means that deciding failed; then the bot takes the first offered action.
    pub(super) fn decide(&mut self, now: u64, ticket: DecisionId, answer: Option<&Answer>) {
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
    /// Whether a bot must be seated. A rejected bot is seated again once, because the table may have changed.
    fn is_missing(&mut self) -> bool {
        match &self.bot {
            None => true,
            Some(bot) => bot.client().is_over() && !core::mem::replace(&mut self.is_rejected, true),
        }
    }

    fn seat(&mut self, bot: Bot) {
        self.generation += 1;
        self.thinking = None;
        self.bot = Some(Box::new(bot));
    }

    /// Acts without a decision that has timed out, so that it cannot block the table.
    fn decide_on_timeout(&mut self, now: u64) {
        if let Some((version, _)) = self.thinking.take_if(|(_, until)| *until <= now)
            && let Some(bot) = &mut self.bot
            && let Some(seat) = bot.client().seat()
        {
            bot.handle_decision(now, version, &Answer::from(Action::Pass { player: seat }));
        }
    }
}
