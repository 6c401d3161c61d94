//! A client whose decisions are made by its host: a bot at a seat. It joins and sees the table like any other client,
//! waits as long as a person would, and acts.
//!
//! The host decides: [`Bot::poll_question`] returns what is to be decided, and [`Bot::handle_decision`] takes the
//! answer, immediately or much later. Answers to outdated questions are ignored.

use rand_xoshiro::{
    SplitMix64,
    rand_core::{Rng, SeedableRng},
};
use texas42_protocol::{Capability, ClientMessage, GameView, Intent, ServerMessage};
use texas42_vocab::{Action, Seat};

use crate::client::GameClient;

/// The range of delays before a bot acts, in milliseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pace {
    /// The shortest delay.
    pub least: u64,
    /// The longest delay.
    pub most: u64,
}

impl Pace {
    /// Without delay.
    pub const IMMEDIATE: Self = Self { least: 0, most: 0 };
    /// Like a person who knows the game.
    pub const NATURAL: Self = Self { least: 700, most: 1900 };
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
pub struct Answer {
    /// The chosen action.
    pub action: Action,
    /// The reason, if the strategy provides one.
    pub why: Option<Intent>,
}

impl From<Action> for Answer {
    fn from(action: Action) -> Self {
        Self { action, why: None }
    }
}

/// The progress of the current decision.
#[derive(Clone, Debug)]
enum DecisionState {
    /// There is nothing to decide.
    Idle,
    /// Waiting for a decision; do not act before `not_before`.
    Asked { question: Question, not_before: u64, is_handed_out: bool },
    /// Decided; to be sent at this time.
    Decided { question: Question, action: Action, intent: Option<Intent>, at: u64 },
    /// Sent; waiting for the reply.
    Sent { question: Question },
}

/// A client that plays a seat, with decisions made by its host.
///
/// Drive it like its [`GameClient`]: connect it through [`client_mut`](Self::client_mut), pass it messages and the
/// time, and send every [`poll_frame`](Self::poll_frame). In addition, answer every
/// [`poll_question`](Self::poll_question) with [`handle_decision`](Self::handle_decision). A bot reports no
/// [`ClientEvent`](crate::ClientEvent): it consumes them.
#[derive(Clone, Debug)]
pub struct Bot {
    client: GameClient,
    pace: Pace,
    random: SplitMix64,
    decision: DecisionState,
    /// Whether it has declared itself ready.
    has_declared_ready: bool,
}

impl Bot {
    /// A bot that plays through this client. The seed determines its delays.
    pub fn new(client: GameClient, pace: Pace, seed: u64) -> Self {
        Self {
            client,
            pace,
            random: SplitMix64::seed_from_u64(seed),
            decision: DecisionState::Idle,
            has_declared_ready: false,
        }
    }

    /// The client.
    pub const fn client(&self) -> &GameClient {
        &self.client
    }

    /// The client, to connect it or to send other requests.
    pub const fn client_mut(&mut self) -> &mut GameClient {
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
    pub fn handle_decision(&mut self, now: u64, version: u64, answer: &Answer) {
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
        let not_before = now + self.pause();
        self.decision = DecisionState::Asked { question, not_before, is_handed_out: false };
    }

    /// Gives the others time to answer an undo request, which an action would cancel.
    fn wait_for_undo_replies(&mut self, now: u64, asked: GameView) {
        let later = now + self.pace.most * UNDO_WAIT_FACTOR;
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

    fn pause(&mut self) -> u64 {
        let Pace { least, most } = self.pace;
        least + self.random.next_u64() % (most.saturating_sub(least) + 1)
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
    let mut own = question.view.valid_actions.iter().map(|valid| valid.action);
    let is_offered = own.clone().any(|offered| offered == action);
    let first = own.find(|offered| offered.player() == Some(question.seat));
    first.filter(|_| !is_offered).unwrap_or(action)
}

/// Whether the decision is unchanged. Presence and sessions do not affect it.
fn is_same_decision(before: &GameView, after: &GameView) -> bool {
    before.valid_actions == after.valid_actions
        && before.state == after.state
        && before.metadata.game_number == after.metadata.game_number
}
