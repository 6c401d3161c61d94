//! The bots of a table: ordinary clients inside the host.
//!
//! A bot can be dropped at any time. The host rebuilds it with the key that the table issued for its seat, and it resumes
//! its session. The host uses this to suspend bots while nobody is connected and none of them is to act.

use alloc::{boxed::Box, vec::Vec};

use sha2::{Digest, Sha256};
use texas42_ai::{Decision, DecisionPoint, Strategy};
use texas42_client::{Bot, BotDecision, ClientCore, Credentials, Pace, Question};
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
    /// Who gives hints.
    pub adviser: Strategy,
    /// The number of sampled worlds, for hosts with little computing time.
    pub worlds: Option<u32>,
}

/// When bots make their decisions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DecisionTiming {
    /// As soon as there is something to decide. They wait afterwards until it is time to act.
    Early,
    /// When it is time to act, for hosts that sleep in between. At tables with several people it is earlier, so that the
    /// time of the action does not depend on the decision.
    WhenDue,
}

/// Identifies a decision. A decision for an earlier bot or version is ignored.
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
    /// The id to pass to [`TableHost::handle_decision`](super::TableHost::handle_decision) with the decision.
    pub id: DecisionId,
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

    /// The strength that the table chose for the seat, if it did.
    pub fn level(&self) -> Option<Strategy> {
        let Question { view, seat, .. } = &self.question;
        view.metadata.table.bots[seat.index()].map(Strategy::from)
    }

    /// Decides. The same question and seed lead to the same decision on every host.
    pub fn decide(&self) -> Option<BotDecision> {
        let Question { view, seat, .. } = &self.question;
        let worlds = self.settings.worlds.filter(|_| !self.is_seeded());
        let ask = DecisionPoint { worlds, ..DecisionPoint::new(view, *seat, self.seed) };
        let strategy = self.level().unwrap_or(self.settings.strategy);
        strategy.decide(&ask).map(decided)
    }
}

fn decided(Decision { action, why, .. }: Decision) -> BotDecision {
    BotDecision { action, why: Intent::from_remarks(why) }
}

/// When to make a decision that must not delay other outputs: after the turn in which it arose, because the outputs of
/// that turn would wait for it.
const fn decides_at(since: u64) -> u64 {
    since.saturating_add(1)
}

pub(super) fn is_seeded(view: &GameView) -> bool {
    view.metadata.table.deal == DealKind::Seeded
}

/// The seed of a decision. With a public seed, all players of the same hand face the same bots. Otherwise nobody can
/// predict them.
pub(super) fn seed_of(view: &GameView, seat: Seat, secret: u64) -> u64 {
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
    /// Whether bots act at the time that was drawn, however long they think.
    act_on_time: bool,
}

impl Bots {
    pub(super) const fn new(settings: BotSettings, seed: [u8; 32]) -> Self {
        Self { settings, seats: [const { None }; 4], seed, draws: 0, act_on_time: false }
    }

    pub(super) const fn settings(&self) -> BotSettings {
        self.settings
    }

    /// At tables with several people, the time that a bot takes must not reveal how hard its decision was. So it acts at
    /// the time that was drawn, and by rules of thumb if the decision is not made by then. Bots without a pause, for
    /// tests and measurements, act as soon as they have decided.
    pub(super) const fn hide_thinking(&mut self, is_hidden: bool) {
        self.act_on_time = is_hidden && self.settings.pace.max > 0;
    }

    /// The secret from which the seeds of decisions are derived.
    pub(super) fn secret(&self) -> u64 {
        u64::from_le_bytes(core::array::from_fn(|at| self.seed[at]))
    }

    pub(super) fn count(&self) -> usize {
        self.seats.iter().flatten().count()
    }

    /// When a bot began to wait for its decision.
    #[cfg(test)]
    pub(super) fn asked_since(&self) -> Option<u64> {
        self.awake().find_map(Bot::asks_since)
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
        let acts = self.awake().filter_map(|bot| self.next_time_of(bot));
        let timeouts = self.seats.iter().flatten().filter_map(|seat| Some(seat.thinking?.1));
        acts.chain(timeouts).min()
    }

    /// When a bot decides or acts next.
    fn next_time_of(&self, bot: &Bot) -> Option<u64> {
        if !self.act_on_time {
            return bot.acts_at();
        }
        let undecided = bot.undecided().map(|(_, at)| at);
        bot.asks_since().map(decides_at).or(undecided).or_else(|| bot.acts_at())
    }

    /// Notes that the table needs a bot at this seat, with this key.
    pub(super) fn request(&mut self, seat: Seat, key: SecretKey) {
        let generation = self.seats[seat.index()].as_ref().map_or(0, |before| before.generation + 1);
        let requested = BotSeat { key, generation, bot: None, thinking: None, is_rejected: false };
        self.seats[seat.index()] = Some(Box::new(requested));
    }

    pub(super) fn release(&mut self, seat: Seat) {
        self.seats[seat.index()] = None;
    }

    /// Builds every bot that is missing, or was rejected for the first time since the last input, and lets it join.
    pub(super) fn seat_missing(&mut self, now: u64, game: &GameId) {
        for seat in Seat::ALL {
            let is_missing = self.seats[seat.index()].as_deref_mut().is_some_and(BotSeat::is_missing);
            if is_missing {
                let bot = self.bot(now, game, seat);
                self.seats[seat.index()].as_mut().into_iter().zip(bot).for_each(|(seat, bot)| seat.seat(bot));
            }
        }
    }

    /// A new bot that asks to join.
    fn bot(&mut self, now: u64, game: &GameId, seat: Seat) -> Option<Bot> {
        let random = self.random();
        let key = self.seats[seat.index()].as_ref()?.key.clone();
        let credentials = Credentials::join(game.clone(), Some(key), bot_name(seat));
        let client = ClientCore::new(credentials, core::array::from_fn(|at| random[at]));
        let secret = u64::from_le_bytes(core::array::from_fn(|at| random[24 + at]));
        let mut bot = Bot::new(client, self.settings.pace, secret);
        bot.client_mut().handle_connected(now);
        Some(bot)
    }

    /// Allows rejected bots to try again after new input.
    pub(super) fn allow_retries(&mut self) {
        self.seats_mut().for_each(|(_, seat)| seat.is_rejected = false);
    }

    /// Suspends all bots, if none has anything to do, and returns their seats.
    pub(super) fn suspend(&mut self) -> Vec<Seat> {
        if self.wake_at().is_some() || self.seats.iter().flatten().any(|seat| seat.thinking.is_some()) {
            return Vec::new();
        }
        self.seats_mut().filter_map(|(seat, bot_seat)| bot_seat.bot.take().map(|_| seat)).collect()
    }

    pub(super) fn handle_message(&mut self, now: u64, seat: Seat, message: &ServerMessage) {
        if let Some(bot) = self.seats[seat.index()].as_mut().and_then(|seat| seat.bot.as_mut()) {
            bot.handle_message(now, message);
        }
    }

    /// The messages that bots want to send.
    pub(super) fn poll_frames(&mut self, now: u64) -> Vec<(ConnectionId, ClientMessage)> {
        let mut frames = Vec::new();
        let (act_on_time, secret) = (self.act_on_time, self.secret());
        for (seat, bot_seat) in self.seats_mut() {
            bot_seat.decide_on_timeout(now);
            if act_on_time {
                bot_seat.decide_on_time(now, secret);
            }
            let Some(bot) = &mut bot_seat.bot else { continue };
            bot.act_when_due(now);
            frames.extend(core::iter::from_fn(|| bot.poll_frame()).map(|frame| (connection_at(seat), frame)));
        }
        frames
    }

    /// The next decision that a bot needs.
    pub(super) fn poll_decision_request(&mut self, now: u64, timing: DecisionTiming) -> Option<DecisionRequest> {
        let (settings, secret, act_on_time) = (self.settings, self.secret(), self.act_on_time);
        self.seats_mut().find_map(|(seat, bot_seat)| {
            let bot = bot_seat.bot.as_mut()?;
            let due = if act_on_time { bot.asks_since().map(decides_at) } else { bot.acts_at() };
            let is_due = timing == DecisionTiming::Early || due.is_some_and(|at| at <= now);
            let question = if is_due { bot.poll_question() } else { None }?;
            bot_seat.thinking = Some((question.version, now.saturating_add(THINKING_LIMIT)));
            let id = DecisionId { seat, generation: bot_seat.generation, version: question.version };
            let seed = seed_of(&question.view, seat, secret);
            Some(DecisionRequest { id, question, seed, settings })
        })
    }

    /// Passes a decision to its bot. `None` means that deciding failed; then the bot takes the first offered action.
    pub(super) fn decide(&mut self, now: u64, id: DecisionId, answer: Option<&BotDecision>) {
        let Some(bot_seat) = self.seats[id.seat.index()].as_mut() else { return };
        let Some(bot) = bot_seat.bot.as_mut().filter(|_| bot_seat.generation == id.generation) else { return };
        bot_seat.thinking = bot_seat.thinking.filter(|(version, _)| *version != id.version);
        let fallback = BotDecision::from(Action::Pass { player: id.seat });
        bot.handle_decision(now, id.version, answer.unwrap_or(&fallback));
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

    /// Decides by rules of thumb if it is time to act and the decision is not made.
    fn decide_on_time(&mut self, now: u64, secret: u64) {
        let Some(bot) = &mut self.bot else { return };
        let Some((question, _)) = bot.undecided().filter(|(_, at)| *at <= now) else { return };
        let (seat, version) = (question.seat, question.version);
        let seed = seed_of(&question.view, seat, secret);
        let quick = Strategy::Beginner.decide(&DecisionPoint::new(&question.view, seat, seed));
        let decision = quick.map_or_else(|| Action::Pass { player: seat }.into(), decided);
        self.thinking = None;
        bot.handle_decision(now, version, &decision);
    }

    /// Acts without a decision that has timed out, so that it cannot block the table.
    fn decide_on_timeout(&mut self, now: u64) {
        if let Some((version, _)) = self.thinking.take_if(|(_, until)| *until <= now)
            && let Some(bot) = &mut self.bot
            && let Some(seat) = bot.client().seat()
        {
            bot.handle_decision(now, version, &BotDecision::from(Action::Pass { player: seat }));
        }
    }
}
