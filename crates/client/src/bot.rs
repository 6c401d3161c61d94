//! A client whose decisions are made by its host: a bot at a seat. It joins and sees the table like any other client,
//! waits as long as a person would, and acts. How long it waits is drawn before anyone decides, and does not depend on
//! what there is to decide.
//!
//! The host decides: [`Bot::poll_question`] returns what is to be decided, and [`Bot::handle_decision`] takes the
//! answer, immediately or much later. Answers to outdated questions are ignored.

use rand_xoshiro::{
    SplitMix64,
    rand_core::{Rng, SeedableRng},
};
use texas42_protocol::{Capability, ClientMessage, GameView, Intent, ServerMessage};
use texas42_vocab::{Action, Seat};

use crate::client::ClientCore;

/// The range of delays before a bot acts, in milliseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pace {
    /// The shortest delay.
    pub min: u64,
    /// The longest delay.
    pub max: u64,
}

impl Pace {
    /// Without delay.
    pub const IMMEDIATE: Self = Self { min: 0, max: 0 };
    /// Like a person who knows the game.
    pub const NATURAL: Self = Self { min: 700, max: 1900 };
}

/// How many of its longest delays a bot waits while others decide about an undo.
const UNDO_WAIT_FACTOR: u64 = 6;

/// A decision that the host must make.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Question {
    /// The version of the view.
    pub version: u64,
    /// What the bot sees.
    pub view: GameView,
    /// The bot's seat.
    pub seat: Seat,
}

/// A decision, with its reason.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BotDecision {
    /// The chosen action.
    pub action: Action,
    /// The reason, if the strategy provides one.
    pub why: Option<Intent>,
}

impl From<Action> for BotDecision {
    fn from(action: Action) -> Self {
        Self { action, why: None }
    }
}

/// The progress of the current decision.
#[derive(Clone, Debug)]
enum DecisionState {
    /// There is nothing to decide.
    Idle,
    /// Waiting for a decision since `since`; do not act before `not_before`.
    Asked { question: Question, since: u64, not_before: u64, is_handed_out: bool },
    /// Decided; to be sent at this time.
    Decided { question: Question, action: Action, intent: Option<Intent>, at: u64 },
    /// Sent; waiting for the reply.
    Sent { question: Question },
}

/// A client that plays a seat, with decisions made by its host.
///
/// Drive it like its [`ClientCore`]: connect it through [`client_mut`](Self::client_mut), pass it messages and the
/// time, and send every [`poll_frame`](Self::poll_frame). In addition, answer every
/// [`poll_question`](Self::poll_question) with [`handle_decision`](Self::handle_decision). A bot reports no
/// [`ClientEvent`](crate::ClientEvent): it consumes them.
///
/// ```
/// use texas42_client::{Bot, BotDecision, ClientCore, Credentials, Pace};
/// use texas42_protocol::{ClientMessage, ServerMessage};
///
/// /// Handles one message of the table, and returns what to send.
/// fn turn(bot: &mut Bot, now: u64, message: &ServerMessage) -> Vec<ClientMessage> {
///     bot.handle_message(now, message);
///     while let Some(question) = bot.poll_question() {
///         let first = BotDecision::from(question.view.valid_actions[0].action);
///         bot.handle_decision(now, question.version, &first);
///     }
///     std::iter::from_fn(|| bot.poll_frame()).collect()
/// }
///
/// let credentials = Credentials::join("table-1".try_into().unwrap(), None, "Ruby".try_into().unwrap());
/// let mut bot = Bot::new(ClientCore::new(credentials, core::array::from_fn(|at| at as u8)), Pace::IMMEDIATE, 1);
/// bot.client_mut().handle_connected(0);
/// assert!(matches!(bot.poll_frame(), Some(ClientMessage::JoinGame { .. })));
/// assert!(turn(&mut bot, 10, &ServerMessage::Pong { nonce: 1, time: None }).is_empty());
/// ```
#[derive(Clone, Debug)]
pub struct Bot {
    client: ClientCore,
    pace: Pace,
    random: SplitMix64,
    decision: DecisionState,
    /// Whether it has declared itself ready.
    has_declared_ready: bool,
}

impl Bot {
    /// A bot that plays through this client. The seed determines its delays.
    pub fn new(client: ClientCore, pace: Pace, seed: u64) -> Self {
        Self {
            client,
            pace,
            random: SplitMix64::seed_from_u64(seed),
            decision: DecisionState::Idle,
            has_declared_ready: false,
        }
    }

    /// The client.
    pub const fn client(&self) -> &ClientCore {
        &self.client
    }

    /// The client, to connect it or to send other requests.
    pub const fn client_mut(&mut self) -> &mut ClientCore {
        &mut self.client
    }

    /// When [`Bot::handle_time`] is due.
    pub fn wake_at(&self) -> Option<u64> {
        let decided = match &self.decision {
            DecisionState::Decided { at, .. } => Some(*at),
            _ => None,
        };
        self.client.wake_at().into_iter().chain(decided).min()
    }

    /// When the bot wants to act, whether it has decided or not. A host that sleeps until then can make the decision
    /// then. Ignores keep-alive timeouts, for hosts whose connections cannot fail silently.
    pub const fn acts_at(&self) -> Option<u64> {
        match &self.decision {
            DecisionState::Asked { not_before: at, is_handed_out: false, .. } | DecisionState::Decided { at, .. } => {
                Some(*at)
            }
            DecisionState::Idle | DecisionState::Asked { .. } | DecisionState::Sent { .. } => None,
        }
    }

    /// Since when there is a decision to make that [`Bot::poll_question`] has not returned yet.
    pub const fn asks_since(&self) -> Option<u64> {
        match &self.decision {
            DecisionState::Asked { since, is_handed_out: false, .. } => Some(*since),
            _ => None,
        }
    }

    /// The decision that [`Bot::poll_question`] has returned and that is still not made, and when it is time to act.
    pub const fn undecided(&self) -> Option<(&Question, u64)> {
        match &self.decision {
            DecisionState::Asked { question, not_before, is_handed_out: true, .. } => Some((question, *not_before)),
            _ => None,
        }
    }

    /// Handles a message from the table.
    pub fn handle_message(&mut self, now: u64, message: &ServerMessage) {
        self.client.handle_message(now, message);
        self.update_decision(now);
    }

    /// Handles the passing of time.
    pub fn handle_time(&mut self, now: u64) {
        self.client.handle_time(now);
        self.act_when_due(now);
    }

    /// Handles the decision for the view of this version. A decision about another version is ignored. An action that
    /// is not offered is replaced by the first one that is, so that a faulty strategy cannot block a table. The reason
    /// is sent only if somebody may see it.
    pub fn handle_decision(&mut self, now: u64, version: u64, answer: &BotDecision) {
        if let DecisionState::Asked { question, not_before, .. } = &self.decision
            && question.version == version
        {
            let intent = answer.why.clone().filter(|_| shows_intents(&question.view));
            let action = offered_or_first(question, answer.action);
            self.decision = DecisionState::Decided { question: question.clone(), action, intent, at: *not_before };
            self.act_when_due(now);
        }
    }

    /// The decision to make, returned once.
    pub fn poll_question(&mut self) -> Option<Question> {
        match &mut self.decision {
            DecisionState::Asked { question, is_handed_out, .. } if !*is_handed_out => {
                *is_handed_out = true;
                Some(question.clone())
            }
            _ => None,
        }
    }

    /// The next message to send.
    pub fn poll_frame(&mut self) -> Option<ClientMessage> {
        self.client.poll_frame()
    }

    /// Checks whether there is a new decision to make.
    fn update_decision(&mut self, now: u64) {
        while self.client.poll_event().is_some() {}
        self.declare_ready_once(now);
        let Some((version, view, seat)) = self.to_decide() else {
            self.decision = DecisionState::Idle;
            return;
        };
        let before = match &self.decision {
            DecisionState::Idle => None,
            DecisionState::Sent { .. } if !self.client.is_waiting() => None,
            DecisionState::Asked { question, .. }
            | DecisionState::Decided { question, .. }
            | DecisionState::Sent { question } => Some(&question.view),
        };
        if let Some(before) = before.filter(|before| is_same_decision(before, view)) {
            if view.metadata.undo.is_some() && before.metadata.undo.is_none() {
                let asked = view.clone();
                self.wait_for_undo_replies(now, asked);
            }
            return;
        }
        let question = Question { version, view: view.clone(), seat };
        let not_before = now + self.random_delay();
        self.decision = DecisionState::Asked { question, since: now, not_before, is_handed_out: false };
    }

    /// Gives the others time to answer an undo request, which an action would cancel.
    fn wait_for_undo_replies(&mut self, now: u64, asked: GameView) {
        let later = now + self.pace.max * UNDO_WAIT_FACTOR;
        if let DecisionState::Asked { question, not_before: at, .. } | DecisionState::Decided { question, at, .. } =
            &mut self.decision
        {
            question.view = asked;
            *at = later.max(*at);
        }
    }

    /// Declares the bot ready, once: a bot that uses a person's invite has nothing to wait for.
    fn declare_ready_once(&mut self, now: u64) {
        let is_asked = self.client.must_declare_ready();
        if is_asked && !self.has_declared_ready {
            self.client.declare_ready(now);
        }
        self.has_declared_ready = is_asked;
    }

    /// The view, if this seat has a decision to make that the table does not make automatically.
    fn to_decide(&self) -> Option<(u64, &GameView, Seat)> {
        let seat = self.client.seat().filter(|_| self.client.is_joined())?;
        let (version, view) = self.client.table()?;
        let decides = view.valid_actions.iter().any(|valid| valid.action.player() == Some(seat) && !valid.auto_execute);
        decides.then_some((version, view, seat))
    }

    fn random_delay(&mut self) -> u64 {
        let Pace { min, max } = self.pace;
        min + self.random.next_u64() % (max.saturating_sub(min) + 1)
    }

    /// Sends a decision whose time has come. Hosts whose connections cannot fail silently call this instead of
    /// [`Bot::handle_time`].
    pub fn act_when_due(&mut self, now: u64) {
        if let DecisionState::Decided { question, action, intent, at } = &self.decision
            && now >= *at
        {
            self.client.execute_at(now, question.version, *action, intent.clone());
            self.decision = DecisionState::Sent { question: question.clone() };
        }
    }
}

/// Whether any session at the table may see the bots' reasons.
fn shows_intents(view: &GameView) -> bool {
    view.players.iter().any(|player| player.capabilities.contains(&Capability::SeeAiIntent))
}

fn offered_or_first(question: &Question, action: Action) -> Action {
    let mut actions = question.view.valid_actions.iter().map(|valid| valid.action);
    let is_offered = actions.clone().any(|offered| offered == action);
    let first = actions.find(|offered| offered.player() == Some(question.seat));
    first.filter(|_| !is_offered).unwrap_or(action)
}

/// Whether the decision is unchanged. Presence and sessions do not affect it.
fn is_same_decision(before: &GameView, after: &GameView) -> bool {
    before.valid_actions == after.valid_actions
        && before.state == after.state
        && before.metadata.game_number == after.metadata.game_number
}
