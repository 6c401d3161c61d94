//! A table host with given deals, which records everything that it sends.

use std::collections::{BTreeMap, VecDeque};

use texas42_ai::Strategy;
use texas42_client::{BotDecision, Pace};
use texas42_hosting::{
    Binding, BotSettings, CallId, Creator, DecisionRequest, HttpRequest, HttpResponse, NewHost, Output, Setup,
    SetupStep, TableCall, TableHost,
};
use texas42_protocol::{ClientMessage, GameId, Intent};
use texas42_room::{CodeClaim, ConnectionId, Event, RandomPlayer, StoredEvent};
use texas42_vocab::{Action, Deal};

use crate::inputs::{BotMove, Input, Request, draw};

/// The bots wait before they move, so that the audit notices if their delays depend on hidden dominoes.
const BOTS: BotSettings = BotSettings {
    pace: Pace { min: 50, max: 400 },
    strategy: Strategy::Random,
    adviser: Strategy::Beginner,
    worlds: None,
};

/// The seed of the bots, which all twins share.
const SEED: [u8; 32] = [6; 32];

/// The recipient of an output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Receiver {
    Connection(ConnectionId),
    /// The index of the participant who sent a request.
    Participant(usize),
}

/// Where the decisions of bots come from.
#[derive(Debug)]
enum Decisions {
    /// Random decisions, which are recorded.
    Drawn { random: RandomPlayer, passes: bool, moves: Vec<BotMove> },
    /// Decisions that were recorded before.
    Recorded(VecDeque<BotMove>),
}

/// A table before or during a game.
pub(crate) struct RecordedTable {
    host: TableHost,
    pub(crate) now: u64,
    pub(crate) log: Vec<StoredEvent>,
    bindings: BTreeMap<ConnectionId, Binding>,
    requests: BTreeMap<CallId, usize>,
    decisions: Decisions,
    received: Vec<(Receiver, String)>,
}

impl RecordedTable {
    /// A new table, created over a connection. `None` if it was refused.
    pub(crate) fn create(
        id: &GameId,
        randomness: [u8; 32],
        creator: ConnectionId,
        message: ClientMessage,
    ) -> Option<Self> {
        let creator = Creator::Connection(creator);
        let new = NewHost { now: 0, id: id.clone(), creator, bots: BOTS, randomness, seed: SEED };
        let mut setup = Setup::new(new, message);
        let host = loop {
            match setup.poll() {
                SetupStep::Progress(_) => {}
                SetupStep::Ready(host) => break *host,
                SetupStep::Refused(_) => return None,
            }
        };
        let decisions = Decisions::Recorded(VecDeque::new());
        let mut table = Self::with(host, 0, Vec::new(), BTreeMap::new(), decisions);
        table.settle();
        Some(table)
    }

    const fn with(
        host: TableHost,
        now: u64,
        log: Vec<StoredEvent>,
        bindings: BTreeMap<ConnectionId, Binding>,
        decisions: Decisions,
    ) -> Self {
        Self { host, now, log, bindings, requests: BTreeMap::new(), decisions, received: Vec::new() }
    }

    /// The same table with given deals and random decisions of its bots. With `passes`, the bots most likely pass in the
    /// first hand.
    pub(crate) fn dealt(&self, deals: &[Deal], passes: bool, random: RandomPlayer) -> Self {
        self.restored(deals, Decisions::Drawn { random, passes, moves: Vec::new() })
    }

    /// The same table with given deals, and with recorded decisions of its bots.
    pub(crate) fn twin(&self, deals: &[Deal], moves: &[BotMove]) -> Self {
        self.restored(deals, Decisions::Recorded(moves.iter().copied().collect()))
    }

    fn restored(&self, deals: &[Deal], decisions: Decisions) -> Self {
        let log = with_deals(&self.log, deals);
        let host = restored(self.now, self.host.id(), &log, &self.bindings);
        let mut table = Self::with(host, self.now, log, self.bindings.clone(), decisions);
        table.settle();
        table
    }

    /// Adds an event to the log and restarts the host. The session of the event has the connection of `binding`.
    fn adopt(&mut self, event: Event, binding: Binding) {
        self.log.push(StoredEvent { at: self.now, event });
        self.bindings.insert(binding.connection, binding);
        self.host = restored(self.now, self.host.id(), &self.log, &self.bindings);
        self.settle();
    }

    pub(crate) const fn host(&self) -> &TableHost {
        &self.host
    }

    /// The recorded decisions of bots.
    pub(crate) fn moves(&self) -> Vec<BotMove> {
        match &self.decisions {
            Decisions::Drawn { moves, .. } => moves.clone(),
            Decisions::Recorded(left) => left.iter().copied().collect(),
        }
    }

    /// The actions of the game, with their times.
    pub(crate) fn actions(&self) -> Vec<(u64, Action)> {
        let acted = |stored: &StoredEvent| match stored.event {
            Event::Acted { action, .. } => Some((stored.at, action)),
            _ => None,
        };
        self.log.iter().filter_map(acted).collect()
    }

    /// The texts that a participant received, in order.
    pub(crate) fn received_by(&self, participant: usize, connection: Option<ConnectionId>) -> Vec<&str> {
        let is_to = |to: &Receiver| match *to {
            Receiver::Connection(to) => Some(to) == connection,
            Receiver::Participant(to) => to == participant,
        };
        self.received.iter().filter(|(to, _)| is_to(to)).map(|(_, text)| text.as_str()).collect()
    }

    /// Passes an input to the table and carries out all resulting outputs.
    pub(crate) fn feed(&mut self, input: &Input) {
        match input {
            Input::Frame { from, text } => self.host.handle_text(self.now, *from, text),
            Input::Request(request) => self.call(request),
            Input::Time { at } => {
                self.now = self.now.max(*at);
                self.host.handle_time(self.now);
            }
            Input::Lost { connection } => {
                self.bindings.remove(connection);
                self.host.handle_closed(self.now, *connection);
            }
            Input::Connected { connection } => self.host.handle_connected(self.now, *connection),
            Input::Adopted { event, binding } => return self.adopt((**event).clone(), binding.clone()),
        }
        self.settle();
    }

    fn call(&mut self, request: &Request) {
        let key = request.key.as_ref().map(|key| format!("Bearer {}", String::from(key.clone())));
        let asked =
            HttpRequest { endpoint: request.endpoint, query: "", key: key.as_deref(), body: request.body.as_bytes() };
        match TableCall::read(self.host.id(), &asked) {
            Ok(call) => {
                let id = self.host.handle_call(self.now, call);
                self.requests.insert(id, request.by);
            }
            Err(answer) => self.note_answer(request.by, &answer),
        }
    }

    fn note_answer(&mut self, participant: usize, answer: &HttpResponse) {
        let text = format!("{} HTTP {} {}", self.now, answer.status, answer.body);
        self.received.push((Receiver::Participant(participant), text));
    }

    /// Makes all decisions and carries out all outputs.
    fn settle(&mut self) {
        loop {
            while let Some(request) = self.host.poll_hint_request() {
                self.host.handle_hints(self.now, request.point, request.compute());
            }
            while let Some(request) = self.host.poll_decision_request() {
                let decision = self.decide(&request);
                self.host.handle_decision(self.now, request.id, decision.as_ref());
            }
            let Some(output) = self.host.poll_output() else { return };
            self.carry_out(output);
        }
    }

    /// The decision of a bot. Its reason contains its hand, so that the audit notices if a participant receives it.
    fn decide(&mut self, request: &DecisionRequest) -> Option<BotDecision> {
        let (view, seat, version) = (&request.question.view, request.question.seat, request.question.version);
        let action = match &mut self.decisions {
            Decisions::Drawn { random, passes, moves } => {
                let offered = view.valid_actions.iter().map(|valid| valid.action);
                let offered: Vec<Action> = offered.filter(|action| !matches!(action, Action::Claim { .. })).collect();
                let passes = *passes && view.state.hand_number == 0;
                let action = draw(&offered, |action| *action, passes, random)?;
                moves.push(BotMove { seat, version, action });
                action
            }
            Decisions::Recorded(moves) => {
                moves.pop_front().filter(|next| (next.seat, next.version) == (seat, version))?.action
            }
        };
        let hand = format!("{:?}", view.state.players[seat.index()].hand);
        Some(BotDecision { action, why: Intent::try_from(hand.as_str()).ok() })
    }

    fn carry_out(&mut self, output: Output) {
        match output {
            Output::Store { events, .. } => self.log.extend(events),
            Output::Send { to, text, .. } => {
                self.received.push((Receiver::Connection(to), format!("{} {text}", self.now)));
            }
            Output::Answer { call, answer } => {
                if let Some(participant) = self.requests.remove(&call) {
                    self.note_answer(participant, &answer);
                }
            }
            Output::ClaimCode(_) => self.host.handle_claim(CodeClaim::Granted),
            Output::ReleaseCode(_) => {}
            Output::Bind(binding) => drop(self.bindings.insert(binding.connection, binding)),
            Output::Close { to, code } => {
                self.received.push((Receiver::Connection(to), format!("{} closed {code}", self.now)));
            }
        }
    }
}

fn restored(now: u64, id: &GameId, log: &[StoredEvent], bindings: &BTreeMap<ConnectionId, Binding>) -> TableHost {
    let restored = TableHost::restore(now, id.clone(), log, bindings.values().cloned(), BOTS, SEED);
    restored.expect("the log comes from a table")
}

/// The log with these deals in its configuration.
fn with_deals(log: &[StoredEvent], deals: &[Deal]) -> Vec<StoredEvent> {
    let mut log = log.to_vec();
    let first = log.first_mut().expect("a log has a first event");
    if let Event::Created { config, .. } = &mut first.event {
        config.deals = deals.to_vec();
    }
    log
}
