//! A client that somebody else decides for: a program at a seat. It joins and sees like anybody, waits as long as a person
//! would, and sends.
//!
//! Thinking is the business of its host: [`Bot::poll_question`] hands out what is to be decided,
//! [`Bot::handle_decision`] takes the answer, at once or much later. An answer to a question that is no longer asked is
//! dropped.

use rand_xoshiro::{
    SplitMix64,
    rand_core::{Rng, SeedableRng},
};
use texas42_protocol::{Capability, ClientMessage, GameView, Intent, ServerMessage};
use texas42_vocab::{Action, Seat};

use crate::client::GameClient;

/// How long a program waits before it moves, in milliseconds: anything between the two.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pace {
    /// At least.
    pub least: u64,
    /// At most.
    pub most: u64,
}

impl Pace {
    /// As fast as it can.
    pub const AT_ONCE: Self = Self { least: 0, most: 0 };
    /// Like a person who knows the game.
    pub const NATURAL: Self = Self { least: 700, most: 1900 };
}

/// So many times its longest pause a program waits while others are asked whether a move is taken back.
const PAUSES_FOR_CONSENT: u64 = 6;

/// A decision that is wanted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Question {
    /// The version of the view.
    pub version: u64,
    /// What the program sees.
    pub view: GameView,
    /// The seat it moves.
    pub seat: Seat,
}

/// What was decided, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// What to do.
    pub action: Action,
    /// Why; absent for those who cannot say.
    pub why: Option<Intent>,
}

impl From<Action> for Answer {
    fn from(action: Action) -> Self {
        Self { action, why: None }
    }
}

/// Where the program stands with the present decision.
#[derive(Clone, Debug)]
enum Thought {
    /// Nothing is to be decided.
    Idle,
    /// Decide this, and act not before then.
    Asked { question: Question, not_before: u64, is_handed_out: bool },
    /// Decided; to be sent at this time.
    Decided { question: Question, action: Action, intent: Option<Intent>, at: u64 },
    /// Sent; the answer is on its way.
    Sent { question: Question },
}

/// A client and the wait before it acts.
#[derive(Clone, Debug)]
pub struct Bot {
    client: GameClient,
    pace: Pace,
    random: SplitMix64,
    thought: Thought,
    /// Whether it has said that it may begin.
    has_said_ready: bool,
}

impl Bot {
    /// A program that plays through this client.
    pub fn new(client: GameClient, pace: Pace, seed: u64) -> Self {
        Self { client, pace, random: SplitMix64::seed_from_u64(seed), thought: Thought::Idle, has_said_ready: false }
    }

    /// The client, to look at.
    pub const fn client(&self) -> &GameClient {
        &self.client
    }

    /// The client, to connect it or to say something else through it.
    pub const fn client_mut(&mut self) -> &mut GameClient {
        &mut self.client
    }

    /// When [`Bot::handle_time`] is due.
    pub fn wake_at(&self) -> Option<u64> {
        let decided = match &self.thought {
            Thought::Decided { at, .. } => Some(*at),
            _ => None,
        };
        self.client.wake_at().into_iter().chain(decided).min()
    }

    /// When the program wants to act, whether it has decided or not: a host that calls no sooner lets it think then. The
    /// silence of a line is not counted, for hosts whose lines cannot fall silent.
    pub const fn acts_at(&self) -> Option<u64> {
        match &self.thought {
            Thought::Asked { not_before: at, is_handed_out: false, .. } | Thought::Decided { at, .. } => Some(*at),
            Thought::Idle | Thought::Asked { .. } | Thought::Sent { .. } => None,
        }
    }

    /// The table says something.
    pub fn handle_message(&mut self, now: u64, message: &ServerMessage) {
        self.client.handle_message(now, message);
        self.look(now);
    }

    /// Some time has passed.
    pub fn handle_time(&mut self, now: u64) {
        self.client.handle_time(now);
        self.act_when_due(now);
    }

    /// The decision about the question of this version. One about anything else is dropped; one that is not offered
    /// becomes the first that is, so that a faulty strategy stops no table. The reason is told where somebody may hear it.
    pub fn handle_decision(&mut self, now: u64, version: u64, answer: &Answer) {
        if let Thought::Asked { question, not_before, .. } = &self.thought
            && question.version == version
        {
            let intent = answer.why.clone().filter(|_| is_intent_seen(&question.view));
            let action = offered_or_first(question, answer.action);
            self.thought = Thought::Decided { question: question.clone(), action, intent, at: *not_before };
            self.act_when_due(now);
        }
    }

    /// What is to be decided, handed out once.
    pub fn poll_question(&mut self) -> Option<Question> {
        match &mut self.thought {
            Thought::Asked { question, is_handed_out, .. } if !*is_handed_out => {
                *is_handed_out = true;
                Some(question.clone())
            }
            _ => None,
        }
    }

    /// The next frame to send.
    pub fn poll_frame(&mut self) -> Option<ClientMessage> {
        self.client.poll_frame()
    }

    /// Looks at the table: is there something to decide, and is it what was thought about before?
    fn look(&mut self, now: u64) {
        while self.client.poll_news().is_some() {}
        self.say_ready_once(now);
        let Some((version, view, seat)) = self.to_decide() else {
            self.thought = Thought::Idle;
            return;
        };
        let before = match &self.thought {
            Thought::Idle => None,
            Thought::Sent { .. } if !self.client.is_waiting() => None,
            Thought::Asked { question, .. } | Thought::Decided { question, .. } | Thought::Sent { question } => {
                Some(&question.view)
            }
        };
        if let Some(before) = before.filter(|before| is_same_decision(before, view)) {
            if view.metadata.undo.is_some() && before.metadata.undo.is_none() {
                let asked = view.clone();
                self.let_others_answer(now, asked);
            }
            return;
        }
        let question = Question { version, view: view.clone(), seat };
        let not_before = now + self.pause();
        self.thought = Thought::Asked { question, not_before, is_handed_out: false };
    }

    /// Somebody asks to take back: a move would end the question, so the others get a while to answer it.
    fn let_others_answer(&mut self, now: u64, asked: GameView) {
        let later = now + self.pace.most * PAUSES_FOR_CONSENT;
        if let Thought::Asked { question, not_before: at, .. } | Thought::Decided { question, at, .. } =
            &mut self.thought
        {
            question.view = asked;
            *at = later.max(*at);
        }
    }

    /// A program that came with a person's invitation has nothing to wait for. A table that refuses is not asked again.
    fn say_ready_once(&mut self, now: u64) {
        let is_asked = self.client.is_asked_ready();
        if is_asked && !self.has_said_ready {
            self.client.say_ready(now);
        }
        self.has_said_ready = is_asked;
    }

    /// The view, if this seat has something to decide that the table does not do by itself.
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

    /// Sends what was decided, once its time has come. A host whose lines cannot fall silent calls this and not
    /// [`Bot::handle_time`].
    pub fn act_when_due(&mut self, now: u64) {
        if let Thought::Decided { question, action, intent, at } = &self.thought
            && now >= *at
        {
            self.client.execute_at(now, question.version, *action, intent.clone());
            self.thought = Thought::Sent { question: question.clone() };
        }
    }
}

/// Whether anybody at the table may see what programs have in mind.
fn is_intent_seen(view: &GameView) -> bool {
    view.players.iter().any(|player| player.capabilities.contains(&Capability::SeeAiIntent))
}

fn offered_or_first(question: &Question, action: Action) -> Action {
    let mut own = question.view.valid_actions.iter().map(|valid| valid.action);
    let is_offered = own.clone().any(|offered| offered == action);
    let first = own.find(|offered| offered.player() == Some(question.seat));
    first.filter(|_| !is_offered).unwrap_or(action)
}

/// People coming and going around the game make no new decision.
fn is_same_decision(before: &GameView, after: &GameView) -> bool {
    before.valid_actions == after.valid_actions
        && before.state == after.state
        && before.metadata.game_number == after.metadata.game_number
}
