//! An adapter of the shared [`TableHost`] with a store, connections and bots. It performs outputs in order and may crash
//! between any two of them. It is then restored from the store, and from the bindings of connections that survived.

use std::{
    collections::{BTreeMap, BTreeSet},
    rc::Rc,
    sync::Arc,
};

use texas42_hosting::{Binding, BotSettings, CallId, DecisionRequest, HttpResponse, Output, TableCall, TableHost};
use texas42_protocol::{
    Capability, ClientMessage, ErrorCode, Follower, GameId, MAX_MESSAGE_BYTES, PlayerId, Role, SecretKey, ServerMessage,
};
use texas42_room::{ConnectionId, Room, StoredEvent};
use texas42_vocab::{Control, Hand};

mod decision;
mod expectation;
mod inspection;
#[cfg(test)]
mod tests;

use self::{decision::TrackedAction, expectation::Expectation};
use crate::{
    audit::Audit, checks, dice::Dice, http::TableRequest, report::Report, setup::GeneratedTable, trace::Trace,
};

/// An observable effect of a host.
pub(crate) enum HostOutcome {
    Sent {
        to: ConnectionId,
        message: Rc<ServerMessage>,
    },
    /// The host answered the request that created the table.
    Created(Rc<ServerMessage>),
    /// The host closed a connection.
    Closed {
        to: ConnectionId,
    },
    /// A bot needs a decision, which arrives later.
    DecisionRequested(Box<DecisionRequest>),
    /// The host crashed.
    Crashed {
        keeps_links: bool,
    },
}

/// What happens to the connections when a host dies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Death {
    /// They are closed.
    Cut,
    /// They stay open, but lose their bindings.
    Forgotten,
    /// They stay open with their bindings, because the host was idle and hibernates.
    Asleep,
}

/// The parts of the world that a host uses.
pub(crate) struct Environment<'a> {
    pub(crate) dice: &'a mut Dice,
    pub(crate) report: &'a mut Report,
    pub(crate) trace: &'a mut Trace,
    /// Every key that any table has issued.
    pub(crate) keys: &'a mut BTreeSet<String>,
}

/// The expected state of a connection: its player, and a follower that receives everything sent over it.
#[derive(Default)]
struct TrackedConnection {
    player: Option<PlayerId>,
    is_subscribed: bool,
    follower: Follower,
}

pub(crate) struct Host {
    pub(crate) id: GameId,
    table: Option<TableHost>,
    bots: BotSettings,
    pub(crate) log: Vec<StoredEvent>,
    pub(crate) audit: Audit,
    /// Keys that are no longer valid.
    pub(crate) dead_keys: Vec<SecretKey>,
    /// The key that the creator generated, if any.
    pub(crate) creator_key: Option<SecretKey>,
    session_keys: BTreeMap<PlayerId, SecretKey>,
    /// The keys in the current request.
    request_keys: RequestKeys,
    invite_keys: BTreeMap<u32, SecretKey>,
    tracked: BTreeMap<ConnectionId, TrackedConnection>,
    /// The bindings that survive hibernation.
    bindings: BTreeMap<ConnectionId, Binding>,
    /// Connections whose output is backed up.
    backlogged: BTreeSet<ConnectionId>,
    /// The HTTP call being answered.
    pending_call: Option<PendingCall>,
    /// The last frame and its parsed message, cached because several connections get the same frame.
    parsed: Option<(Arc<str>, Rc<ServerMessage>)>,
    /// The offset of its clock from the world's, in milliseconds.
    pub(crate) clock: i64,
    /// The number of outputs after which it crashes.
    pub(crate) dies_after: Option<u64>,
    /// Whether faults are switched off.
    pub(crate) is_healed: bool,
    /// The dominoes that the current request names.
    echo: Hand,
    errors: u64,
}

/// An HTTP call being answered.
struct PendingCall {
    id: CallId,
    /// The player whose view the answer may contain.
    viewer: Option<PlayerId>,
    expectation: Expectation,
    /// The number of events stored before the call.
    before: usize,
    answer: Option<HttpResponse>,
}

/// The keys in a request.
#[derive(Debug, Default)]
struct RequestKeys {
    own: Option<SecretKey>,
    opening: Option<SecretKey>,
}

impl RequestKeys {
    fn of(message: &ClientMessage) -> Self {
        match message {
            ClientMessage::CreateGame { session_key, .. } => Self { own: session_key.clone(), opening: None },
            ClientMessage::JoinGame { session_key, key, .. } => Self { own: session_key.clone(), opening: key.clone() },
            ClientMessage::Invite { key, .. } => Self { own: None, opening: key.clone() },
            _ => Self::default(),
        }
    }
}

impl Host {
    /// Creates the adapter of a new table. It may crash before it answers the creator, but only if the creator has a key to
    /// return with.
    pub(crate) fn new(
        new_table: GeneratedTable,
        env: &mut Environment<'_>,
    ) -> Result<(Self, Vec<HostOutcome>), String> {
        let GeneratedTable { mut table, bots, creator_key } = new_table;
        let Some(Output::Store { first: 0, events: log, .. }) = table.poll_output() else {
            return Err("the first output of a table must be a store".into());
        };
        let mut audit = Audit::new(&log[0])?;
        log[1..].iter().try_for_each(|stored| audit.apply(stored, env.report))?;
        let mut host = Self {
            id: table.id().clone(),
            table: Some(*table),
            bots,
            log,
            audit,
            dead_keys: Vec::new(),
            request_keys: RequestKeys { own: creator_key.clone(), opening: None },
            creator_key,
            session_keys: BTreeMap::new(),
            invite_keys: BTreeMap::new(),
            tracked: BTreeMap::new(),
            bindings: BTreeMap::new(),
            backlogged: BTreeSet::new(),
            pending_call: None,
            parsed: None,
            clock: 0,
            dies_after: None,
            is_healed: true,
            echo: Hand::EMPTY,
            errors: 0,
        };
        if host.creator_key.is_some() && env.dice.once_in(6) {
            host.dies_after = Some(env.dice.below(4));
        }
        let outcomes = host.drain(0, env)?;
        host.is_healed = false;
        env.report.tables += 1;
        Ok((host, outcomes))
    }

    /// The room, unless the host is down.
    pub(crate) fn room(&self) -> Option<&Room> {
        self.table.as_ref().map(TableHost::room)
    }

    /// When the host wants to be woken.
    pub(crate) fn wake_at(&self) -> Option<u64> {
        self.table.as_ref().and_then(TableHost::wake_at)
    }

    /// The time on the host's clock.
    pub(crate) fn time(&self, now: u64) -> u64 {
        now.saturating_add_signed(self.clock)
    }

    /// The player of a connection.
    pub(crate) fn player(&self, link: ConnectionId) -> Option<&PlayerId> {
        self.tracked.get(&link)?.player.as_ref()
    }

    /// Whether a connection has a session or is a spectator.
    pub(crate) fn is_at_table(&self, link: ConnectionId) -> bool {
        let is_there = |player: &PlayerId| match self.audit.participants.contains_key(player) {
            true => self.audit.participant_at(player, self.audit.version()).is_some(),
            false => self.audit.options.open_to_spectators,
        };
        self.player(link).is_some_and(is_there)
    }

    /// Restores the host if it is down.
    pub(crate) fn wake(&mut self, now: u64, env: &mut Environment<'_>) -> Result<Vec<HostOutcome>, String> {
        if self.table.is_some() {
            return Ok(Vec::new());
        }
        env.report.restores += 1;
        let (seed, bound) = (env.dice.bytes(), self.bindings.values().cloned());
        let table = TableHost::restore(self.time(now), self.id.clone(), &self.log, bound, self.bots, seed);
        self.table = Some(table.map_err(|error| format!("a stored log cannot be restored: {}", error.message))?);
        self.check_sessions()?;
        self.drain(now, env)
    }

    /// Handles a message from a client. Before an invalid message, the room completes all pending work, so that any change
    /// afterwards is caused by the message.
    pub(crate) fn receive(
        &mut self,
        now: u64,
        link: ConnectionId,
        text: &str,
        is_invalid: bool,
        env: &mut Environment<'_>,
    ) -> Result<Vec<HostOutcome>, String> {
        let mut outcomes = self.wake(now, env)?;
        if is_invalid {
            outcomes.extend(self.catch_up(now, env)?);
        }
        if self.table.is_none() {
            return Ok(outcomes);
        }
        let is_invalid = is_invalid && !self.is_entitled(link, text);
        let version = self.audit.version();
        let errors = self.errors;
        self.echo = checks::dominoes_in(text);
        outcomes.extend(self.receive_text(now, link, text, env)?);
        self.echo = Hand::EMPTY;
        if is_invalid {
            env.report.invalid_messages += 1;
            env.report.refused_invalid_messages += self.errors - errors;
            let live = self.room().map_or(version, Room::version);
            if live != version || self.audit.version() != version {
                return Err(format!("an invalid message changed the table: {text}"));
            }
        }
        Ok(outcomes)
    }

    /// Whether a message that was invalid when sent is valid by now: the table's manager may have left since, which makes
    /// the sender its manager, and the sender may have joined again on another seat. After a long wait, every person may
    /// ask for a bot; the audit checks the time.
    fn is_entitled(&self, link: ConnectionId, text: &str) -> bool {
        let participant = self.player(link).and_then(|player| self.audit.participant_at(player, self.audit.version()));
        let is_manager = participant.is_some_and(|participant| participant.session.may(Capability::ConfigureVariant));
        match serde_json::from_str(text) {
            Ok(ClientMessage::Invite { grant: Some(grant), .. }) => match grant.role {
                Role::Admin => is_manager && self.audit.options.open_hands,
                Role::Ai => is_manager && !self.audit.options.rated && !self.audit.has_known_deals(),
                _ => false,
            },
            Ok(ClientMessage::SetPlayerControl { player, control_type, .. }) => {
                let own_seat = Capability::ActAsPlayer { player_index: player };
                let asks_for_bot = control_type == Control::Ai
                    && participant.is_some_and(|participant| participant.session.seat.is_some());
                is_manager || asks_for_bot || participant.is_some_and(|participant| participant.session.may(own_seat))
            }
            _ => false,
        }
    }

    fn catch_up(&mut self, now: u64, env: &mut Environment<'_>) -> Result<Vec<HostOutcome>, String> {
        let mut outcomes = Vec::new();
        loop {
            let before = self.log.len();
            outcomes.extend(self.tick(now, env)?);
            if self.log.len() == before {
                return Ok(outcomes);
            }
        }
    }

    fn receive_text(
        &mut self,
        now: u64,
        link: ConnectionId,
        text: &str,
        env: &mut Environment<'_>,
    ) -> Result<Vec<HostOutcome>, String> {
        let time = self.time(now);
        let Some(table) = &mut self.table else { return Ok(Vec::new()) };
        if text.len() > MAX_MESSAGE_BYTES {
            self.errors += 1;
            return self.close_oversized(now, link, env);
        }
        table.handle_connected(time, link);
        table.handle_text(time, link, text);
        let Ok(message) = serde_json::from_str::<ClientMessage>(text) else { return self.drain(now, env) };
        self.note_request(link, &message, env);
        let decision = TrackedAction::of(&message, self.player(link), &self.audit);
        let own_session = self.session_of(&message);
        let outcomes = self.drain(now, env)?;
        decision.map_or(Ok(()), |decision| decision.check(&self.audit))?;
        match own_session.filter(|_| outcomes.iter().any(|outcome| is_refused_join(outcome, link))) {
            Some(player) => Err(format!("the holder of session {player} was refused")),
            None => Ok(outcomes),
        }
    }

    /// Notes the details of a request before it is handled.
    fn note_request(&mut self, link: ConnectionId, message: &ClientMessage, env: &mut Environment<'_>) {
        let connection = self.tracked.entry(link).or_default();
        match message {
            ClientMessage::Subscribe { game_id } if *game_id == self.id && connection.player.is_some() => {
                connection.is_subscribed = true;
            }
            ClientMessage::Unsubscribe { game_id } if *game_id == self.id && connection.player.is_some() => {
                connection.is_subscribed = false;
                env.report.unsubscribed += 1;
            }
            _ => {}
        }
        env.report.requests += 1;
        self.request_keys = RequestKeys::of(message);
    }

    /// Closes a connection that sent a message over the size limit.
    fn close_oversized(
        &mut self,
        now: u64,
        link: ConnectionId,
        env: &mut Environment<'_>,
    ) -> Result<Vec<HostOutcome>, String> {
        let mut outcomes = self.close(now, link, env)?;
        outcomes.push(HostOutcome::Closed { to: link });
        Ok(outcomes)
    }

    /// Handles an HTTP request and compares the answer with what the log permits. Before a call that must change nothing,
    /// the table completes all pending work, so that any change afterwards is caused by the call.
    pub(crate) fn call(
        &mut self,
        now: u64,
        request: &TableRequest,
        env: &mut Environment<'_>,
    ) -> Result<(Vec<HostOutcome>, Option<HttpResponse>), String> {
        let mut outcomes = self.wake(now, env)?;
        env.report.calls += 1;
        let call = match request.read(&self.id) {
            Ok(call) => call,
            Err(answer) => return check_unreadable(answer, env).map(|answer| (outcomes, Some(answer))),
        };
        if Expectation::of(&call, &self.audit).changes_nothing() {
            outcomes.extend(self.catch_up(now, env)?);
        }
        if self.table.is_none() {
            return Ok((outcomes, None));
        }
        self.echo = checks::dominoes_in(&request.body);
        let answer = self.answer(now, call, &mut outcomes, env);
        self.echo = Hand::EMPTY;
        answer.map(|answer| (outcomes, answer))
    }

    /// Passes a call to the table. There is exactly one answer, unless the host crashes first.
    fn answer(
        &mut self,
        now: u64,
        call: TableCall,
        outcomes: &mut Vec<HostOutcome>,
        env: &mut Environment<'_>,
    ) -> Result<Option<HttpResponse>, String> {
        let (time, before) = (self.time(now), self.log.len());
        let expectation = Expectation::of(&call, &self.audit);
        let viewer = expectation.viewer();
        let decision = match &call {
            TableCall::Message { message, .. } => TrackedAction::of(message, viewer.as_ref(), &self.audit),
            _ => None,
        };
        self.request_keys = match &call {
            TableCall::Message { message, .. } => RequestKeys::of(message),
            _ => RequestKeys::default(),
        };
        let Some(table) = &mut self.table else { return Ok(None) };
        let id = table.handle_call(time, call);
        self.pending_call = Some(PendingCall { id, viewer, expectation, before, answer: None });
        outcomes.extend(self.drain(now, env)?);
        let pending_call = self.pending_call.take().ok_or("a call ended before it was answered")?;
        pending_call.expectation.check_stored(&self.log[before..])?;
        decision.map_or(Ok(()), |decision| decision.check(&self.audit))?;
        match pending_call.answer {
            None if self.table.is_some() => Err("a call was not answered".into()),
            answer => Ok(answer),
        }
    }

    /// Handles the decision, or the failure, of a bot.
    pub(crate) fn decide(
        &mut self,
        now: u64,
        request: &DecisionRequest,
        env: &mut Environment<'_>,
    ) -> Result<Vec<HostOutcome>, String> {
        let time = self.time(now);
        let Some(table) = &mut self.table else { return Ok(Vec::new()) };
        let answer = if env.dice.once_in(10) { None } else { request.decide() };
        env.report.failed_thoughts += u64::from(answer.is_none());
        table.handle_decision(time, request.id, answer.as_ref());
        self.drain(now, env)
    }

    /// Handles a connection whose output backs up or has drained.
    pub(crate) fn stall(
        &mut self,
        now: u64,
        link: ConnectionId,
        env: &mut Environment<'_>,
    ) -> Result<Vec<HostOutcome>, String> {
        let time = self.time(now);
        let Some(table) = self.table.as_mut().filter(|table| table.is_connected(link)) else { return Ok(Vec::new()) };
        if self.backlogged.remove(&link) {
            table.handle_caught_up(time, link);
        } else {
            env.report.stalls += 1;
            self.backlogged.insert(link);
            table.handle_backlog(link);
        }
        self.drain(now, env)
    }

    /// Drains all backed-up connections.
    pub(crate) fn catch_up_all(&mut self, now: u64, env: &mut Environment<'_>) -> Result<Vec<HostOutcome>, String> {
        let mut outcomes = Vec::new();
        for link in self.backlogged.clone() {
            outcomes.extend(self.stall(now, link, env)?);
        }
        Ok(outcomes)
    }

    /// The session that a client rejoins with one of its keys, which must never be refused.
    fn session_of(&self, message: &ClientMessage) -> Option<PlayerId> {
        let ClientMessage::JoinGame { game_id, session_key, key, .. } = message else { return None };
        let mut keys = session_key.iter().chain(key).filter(|_| *game_id == self.id);
        keys.find_map(|key| self.audit.holder(key))
    }

    /// Handles a closed connection. This wakes a hibernating host, so that it notifies the others.
    pub(crate) fn close(
        &mut self,
        now: u64,
        link: ConnectionId,
        env: &mut Environment<'_>,
    ) -> Result<Vec<HostOutcome>, String> {
        let mut outcomes = if self.bindings.contains_key(&link) { self.wake(now, env)? } else { Vec::new() };
        self.forget(link);
        let time = self.time(now);
        let Some(table) = &mut self.table else { return Ok(outcomes) };
        table.handle_closed(time, link);
        outcomes.extend(self.drain(now, env)?);
        Ok(outcomes)
    }

    fn forget(&mut self, link: ConnectionId) {
        self.tracked.remove(&link);
        self.bindings.remove(&link);
        self.backlogged.remove(&link);
    }

    /// Handles a timer, which may fire early, late or twice.
    pub(crate) fn tick(&mut self, now: u64, env: &mut Environment<'_>) -> Result<Vec<HostOutcome>, String> {
        let time = self.time(now);
        let Some(table) = &mut self.table else { return Ok(Vec::new()) };
        table.handle_time(time);
        self.drain(now, env)
    }

    /// Stops the host. It hibernates only if no work is pending.
    pub(crate) fn die(&mut self, death: Death) {
        self.table = None;
        self.dies_after = None;
        if death != Death::Asleep || !self.backlogged.is_empty() {
            self.tracked.clear();
            self.bindings.clear();
            self.backlogged.clear();
        }
    }

    /// Runs the bots and performs all outputs in order.
    fn drain(&mut self, now: u64, env: &mut Environment<'_>) -> Result<Vec<HostOutcome>, String> {
        let mut outcomes = Vec::new();
        loop {
            self.start_decisions(now, &mut outcomes, env);
            let Some(output) = self.table.as_mut().and_then(TableHost::poll_output) else { break };
            if self.is_crash_due() {
                env.report.crashes_between_effects += 1;
                return Ok(self.crash(outcomes, env));
            }
            if !self.carry_out(output, &mut outcomes, env)? {
                return self.fail_to_store(outcomes, env);
            }
        }
        self.check_live(env)?;
        Ok(outcomes)
    }

    /// Starts decisions: some finish at once, some later, and some never.
    fn start_decisions(&mut self, now: u64, outcomes: &mut Vec<HostOutcome>, env: &mut Environment<'_>) {
        let time = self.time(now);
        if let Some(request) = self.table.as_mut().and_then(TableHost::poll_hint_request) {
            let hints = request.compute();
            self.table.iter_mut().for_each(|table| table.handle_hints(time, request.point, hints.clone()));
        }
        while let Some(request) = self.table.as_mut().and_then(TableHost::poll_decision_request) {
            env.report.thoughts += 1;
            match env.dice.below(20) {
                0 => env.report.lost_thoughts += 1,
                1..=9 => outcomes.push(HostOutcome::DecisionRequested(Box::new(request))),
                _ => {
                    let answer = request.decide();
                    self.table.iter_mut().for_each(|table| table.handle_decision(time, request.id, answer.as_ref()));
                }
            }
        }
    }

    /// Performs one output. Returns whether storing succeeded.
    fn carry_out(
        &mut self,
        output: Output,
        outcomes: &mut Vec<HostOutcome>,
        env: &mut Environment<'_>,
    ) -> Result<bool, String> {
        match output {
            Output::Store { first, events, .. } => {
                if first != self.log.len() as u64 {
                    return Err(format!("events starting at {first} do not continue a log of {}", self.log.len()));
                }
                return self.store(events, env);
            }
            Output::Send { to, text, .. } => outcomes.push(self.send(to, &text, env)?),
            Output::Answer { call, answer } => outcomes.extend(self.take_answer(call, answer, env)?),
            // Nobody opens a lobby here: it has no events.
            Output::ClaimCode(_) | Output::ReleaseCode(_) => return Err("a table asks for a code".to_owned()),
            Output::Bind(binding) => drop(self.bindings.insert(binding.connection, binding)),
            Output::Close { to, .. } => {
                env.report.closed += 1;
                self.forget(to);
                outcomes.push(HostOutcome::Closed { to });
            }
        }
        Ok(true)
    }

    /// Counts down to a scheduled crash. Returns whether it is due before the next output.
    fn is_crash_due(&mut self) -> bool {
        match &mut self.dies_after {
            Some(0) => true,
            Some(left) => {
                *left -= 1;
                false
            }
            None => false,
        }
    }

    fn crash(&mut self, mut outcomes: Vec<HostOutcome>, env: &mut Environment<'_>) -> Vec<HostOutcome> {
        let keeps_links = env.dice.once_in(3);
        self.die(if keeps_links { Death::Forgotten } else { Death::Cut });
        outcomes.push(HostOutcome::Crashed { keeps_links });
        outcomes
    }

    /// Reports a store failure to the table, and checks that it sends nothing but errors.
    fn fail_to_store(
        &mut self,
        mut outcomes: Vec<HostOutcome>,
        env: &mut Environment<'_>,
    ) -> Result<Vec<HostOutcome>, String> {
        self.table.iter_mut().for_each(|table| table.handle_store_failure("the disk is full"));
        while let Some(output) = self.table.as_mut().and_then(TableHost::poll_output) {
            if self.is_crash_due() {
                break;
            }
            if announces_change(&output) {
                return Err("a message was sent although its events were not stored".into());
            }
            self.carry_out(output, &mut outcomes, env)?;
        }
        self.die(Death::Cut);
        outcomes.push(HostOutcome::Crashed { keeps_links: false });
        Ok(outcomes)
    }

    /// Stores all events or none. The store may also report a failure after a successful write.
    fn store(&mut self, events: Vec<StoredEvent>, env: &mut Environment<'_>) -> Result<bool, String> {
        let fails = !self.is_healed && env.dice.once_in(80);
        if fails && env.dice.once_in(2) {
            env.report.store_failures += 1;
            return Ok(false);
        }
        for stored in &events {
            let text = serde_json::to_string(stored).map_err(|error| error.to_string())?;
            env.trace.note(b'S', stored.at, &text);
            self.audit.apply(stored, env.report)?;
            self.invalidate_keys(&stored.event);
        }
        self.audit.check_seats()?;
        self.log.extend(events);
        env.report.doubtful_stores += u64::from(fails);
        Ok(!fails)
    }
}

/// Whether this refuses a join for good. A join that could not be stored may be repeated.
fn is_refused_join(outcome: &HostOutcome, link: ConnectionId) -> bool {
    let HostOutcome::Sent { to, message } = outcome else { return false };
    match &**message {
        ServerMessage::Error { request_type: Some(kind), error, .. } => {
            *to == link && kind == "JOIN_GAME" && error.code != ErrorCode::NotStored
        }
        _ => false,
    }
}

/// Whether an output stores events or sends anything other than an error.
const fn announces_change(output: &Output) -> bool {
    match output {
        Output::Store { .. } | Output::Send { is_refusal: false, .. } => true,
        Output::Answer { answer, .. } => answer.status < 400,
        Output::Send { is_refusal: true, .. }
        | Output::Bind(_)
        | Output::Close { .. }
        | Output::ClaimCode(_)
        | Output::ReleaseCode(_) => false,
    }
}

/// Checks that a malformed request is refused before it reaches the table.
fn check_unreadable(answer: HttpResponse, env: &mut Environment<'_>) -> Result<HttpResponse, String> {
    env.report.refused_calls += 1;
    if answer.status >= 400 { Ok(answer) } else { Err(format!("a malformed call succeeded: {}", answer.body)) }
}
