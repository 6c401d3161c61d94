//! An adapter of the shared [`TableHost`]: its store, its connections, and the threads on which bots think. It carries outputs
//! out in their order and may die between any two of them; then only what was stored is left, and what the connections
//! carry where they outlive it, and the host is restored from that.

use std::{
    collections::{BTreeMap, BTreeSet},
    rc::Rc,
    sync::Arc,
};

use texas42_hosting::{Answer, Binding, BotSettings, Call, CallId, DecisionRequest, Output, TableHost};
use texas42_protocol::{
    Capability, ClientMessage, ErrorCode, Follower, GameId, MAX_MESSAGE_BYTES, PlayerId, Role, SecretKey, ServerMessage,
};
use texas42_room::{ConnectionId, Room, StoredEvent};
use texas42_vocab::Hand;

mod decision;
mod expectation;
mod inspection;
#[cfg(test)]
mod tests;

use self::{decision::Decision, expectation::Expectation};
use crate::{audit::Audit, checks, dice::Dice, http::HttpRequest, report::Report, setup::NewTable, trace::Trace};

/// What a host did that others notice.
pub(crate) enum Outcome {
    Sent {
        to: ConnectionId,
        message: Rc<ServerMessage>,
    },
    /// The request that set the table up is answered.
    Founded(Rc<ServerMessage>),
    /// The host closed a connection.
    Closed {
        to: ConnectionId,
    },
    /// A bot thinks, and will have decided later.
    Thinks(Box<DecisionRequest>),
    /// The host is gone; with it the connections, unless they outlive it.
    Died {
        keeps_links: bool,
    },
}

/// What is left of the connections of a host that dies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Death {
    /// They are cut.
    Cut,
    /// They stay, and nobody knows whose they are.
    Forgotten,
    /// They stay, with what they carry: the host was put to sleep when everything was done.
    Asleep,
}

/// What happens to everything that a host does.
pub(crate) struct Around<'a> {
    pub(crate) dice: &'a mut Dice,
    pub(crate) report: &'a mut Report,
    pub(crate) trace: &'a mut Trace,
    /// Every key that was ever handed out, at any table.
    pub(crate) keys: &'a mut BTreeSet<String>,
}

/// A connection as the host knows it: what was sent over it, heard by a follower who misses nothing.
#[derive(Default)]
struct Visitor {
    player: Option<PlayerId>,
    is_subscribed: bool,
    shadow: Follower,
}

pub(crate) struct Host {
    pub(crate) id: GameId,
    table: Option<TableHost>,
    bots: BotSettings,
    pub(crate) log: Vec<StoredEvent>,
    pub(crate) audit: Audit,
    /// Keys that open nothing any more.
    pub(crate) dead_keys: Vec<SecretKey>,
    /// The key that the creator made, if it made one.
    pub(crate) founder_key: Option<SecretKey>,
    session_keys: BTreeMap<PlayerId, SecretKey>,
    /// The keys that the request at hand brings along: its own, and the one that it opens the table with.
    brought: Brought,
    invitation_keys: BTreeMap<u32, SecretKey>,
    visitors: BTreeMap<ConnectionId, Visitor>,
    /// What the connections carry through the sleep of their host.
    bindings: BTreeMap<ConnectionId, Binding>,
    /// Those that read slower than the table speaks.
    behind: BTreeSet<ConnectionId>,
    /// The call that is being answered.
    calling: Option<Calling>,
    /// The frame that was sent last, as it reads: several connections get the same one.
    read: Option<(Arc<str>, Rc<ServerMessage>)>,
    /// How far its clock is from the world's, in milliseconds.
    pub(crate) clock: i64,
    /// It dies after so many more effects.
    pub(crate) dies_after: Option<u64>,
    /// Nothing goes wrong any more.
    pub(crate) is_healed: bool,
    /// The dominoes that the request at hand names.
    echo: Hand,
    errors: u64,
}

/// A call that is being answered.
struct Calling {
    id: CallId,
    /// Whose view the answer may hold.
    viewer: Option<PlayerId>,
    expectation: Expectation,
    /// How many events were stored before it.
    before: usize,
    answer: Option<Answer>,
}

/// The keys in a request.
#[derive(Debug, Default)]
struct Brought {
    own: Option<SecretKey>,
    opening: Option<SecretKey>,
}

impl Brought {
    fn by(message: &ClientMessage) -> Self {
        match message {
            ClientMessage::CreateGame { session_key, .. } => Self { own: session_key.clone(), opening: None },
            ClientMessage::JoinGame { session_key, key, .. } => Self { own: session_key.clone(), opening: key.clone() },
            ClientMessage::Invite { key, .. } => Self { own: None, opening: key.clone() },
            _ => Self::default(),
        }
    }
}

impl Host {
    /// The adapter of a table that was set up just now. It may die before its founder is answered, but only where the founder
    /// has a key to come back with.
    pub(crate) fn new(made: NewTable, around: &mut Around<'_>) -> Result<(Self, Vec<Outcome>), String> {
        let NewTable { mut table, bots, founder_key } = made;
        let Some(Output::Store { first: 0, events: log, .. }) = table.poll_output() else {
            return Err("a table begins with a store".into());
        };
        let mut audit = Audit::new(&log[0])?;
        log[1..].iter().try_for_each(|stored| audit.take(stored, around.report))?;
        let mut host = Self {
            id: table.id().clone(),
            table: Some(*table),
            bots,
            log,
            audit,
            dead_keys: Vec::new(),
            brought: Brought { own: founder_key.clone(), opening: None },
            founder_key,
            session_keys: BTreeMap::new(),
            invitation_keys: BTreeMap::new(),
            visitors: BTreeMap::new(),
            bindings: BTreeMap::new(),
            behind: BTreeSet::new(),
            calling: None,
            read: None,
            clock: 0,
            dies_after: None,
            is_healed: true,
            echo: Hand::EMPTY,
            errors: 0,
        };
        if host.founder_key.is_some() && around.dice.once_in(6) {
            host.dies_after = Some(around.dice.below(4));
        }
        let outcomes = host.drain(0, around)?;
        host.is_healed = false;
        around.report.tables += 1;
        Ok((host, outcomes))
    }

    /// The room, while the host lives.
    pub(crate) fn room(&self) -> Option<&Room> {
        self.table.as_ref().map(TableHost::room)
    }

    /// When the host wants to be woken.
    pub(crate) fn wake_at(&self) -> Option<u64> {
        self.table.as_ref().and_then(TableHost::wake_at)
    }

    /// The time of the host's own clock.
    pub(crate) fn time(&self, now: u64) -> u64 {
        now.saturating_add_signed(self.clock)
    }

    /// The player behind a connection.
    pub(crate) fn player(&self, link: ConnectionId) -> Option<&PlayerId> {
        self.visitors.get(&link)?.player.as_ref()
    }

    /// Whether there is a session behind a connection, or somebody who only watches.
    pub(crate) fn is_at_table(&self, link: ConnectionId) -> bool {
        let is_there = |player: &PlayerId| match self.audit.guests.contains_key(player) {
            true => self.audit.guest_at(player, self.audit.version()).is_some(),
            false => self.audit.options.open_to_spectators,
        };
        self.player(link).is_some_and(is_there)
    }

    /// Restores the host if it is gone.
    pub(crate) fn wake(&mut self, now: u64, around: &mut Around<'_>) -> Result<Vec<Outcome>, String> {
        if self.table.is_some() {
            return Ok(Vec::new());
        }
        around.report.restores += 1;
        let (seed, bound) = (around.dice.bytes(), self.bindings.values().cloned());
        let table = TableHost::restore(self.time(now), self.id.clone(), &self.log, bound, self.bots, seed);
        self.table = Some(table.map_err(|error| format!("a stored log cannot be restored: {}", error.message))?);
        self.check_sessions()?;
        self.drain(now, around)
    }

    /// A message from a client. A lie is told to a room that has nothing left to do by itself, so that whatever happens
    /// then is the liar's doing.
    pub(crate) fn receive(
        &mut self,
        now: u64,
        link: ConnectionId,
        text: &str,
        is_lie: bool,
        around: &mut Around<'_>,
    ) -> Result<Vec<Outcome>, String> {
        let mut outcomes = self.wake(now, around)?;
        if is_lie {
            outcomes.extend(self.catch_up(now, around)?);
        }
        if self.table.is_none() {
            return Ok(outcomes);
        }
        let is_lie = is_lie && !self.is_entitled(link, text);
        let version = self.audit.version();
        let errors = self.errors;
        self.echo = checks::dominoes_in(text);
        outcomes.extend(self.take_in(now, link, text, around)?);
        self.echo = Hand::EMPTY;
        if is_lie {
            around.report.lies += 1;
            around.report.refused_lies += self.errors - errors;
            let live = self.room().map_or(version, Room::version);
            if live != version || self.audit.version() != version {
                return Err(format!("a lie changed the table: {text}"));
            }
        }
        Ok(outcomes)
    }

    /// Whether the sender may do this by now. The liar decided on an older view, or on none: whoever looked after the table may
    /// have left since and handed that on to the liar, who may then change it.
    fn is_entitled(&self, link: ConnectionId, text: &str) -> bool {
        let guest = self.player(link).and_then(|player| self.audit.guest_at(player, self.audit.version()));
        let looks_after = guest.is_some_and(|guest| guest.session.may(Capability::ConfigureVariant));
        match serde_json::from_str(text) {
            Ok(ClientMessage::Invite { grant: Some(grant), .. }) => {
                looks_after && self.audit.options.open_hands && grant.role == Role::Admin
            }
            Ok(ClientMessage::SetPlayerControl { .. }) => looks_after,
            _ => false,
        }
    }

    fn catch_up(&mut self, now: u64, around: &mut Around<'_>) -> Result<Vec<Outcome>, String> {
        let mut outcomes = Vec::new();
        loop {
            let before = self.log.len();
            outcomes.extend(self.tick(now, around)?);
            if self.log.len() == before {
                return Ok(outcomes);
            }
        }
    }

    fn take_in(
        &mut self,
        now: u64,
        link: ConnectionId,
        text: &str,
        around: &mut Around<'_>,
    ) -> Result<Vec<Outcome>, String> {
        let time = self.time(now);
        let Some(table) = &mut self.table else { return Ok(Vec::new()) };
        if text.len() > MAX_MESSAGE_BYTES {
            self.errors += 1;
            return self.cut_off(now, link, around);
        }
        table.handle_connected(time, link);
        table.handle_text(time, link, text);
        let Ok(message) = serde_json::from_str::<ClientMessage>(text) else { return self.drain(now, around) };
        self.note_request(link, &message, around);
        let decision = Decision::of(&message, self.player(link), &self.audit);
        let own_session = self.session_of(&message);
        let outcomes = self.drain(now, around)?;
        decision.map_or(Ok(()), |decision| decision.check(&self.audit))?;
        match own_session.filter(|_| outcomes.iter().any(|outcome| is_refused_join(outcome, link))) {
            Some(player) => Err(format!("somebody was refused the own session {player}")),
            None => Ok(outcomes),
        }
    }

    /// Notes what somebody is about to ask for.
    fn note_request(&mut self, link: ConnectionId, message: &ClientMessage, around: &mut Around<'_>) {
        let visitor = self.visitors.entry(link).or_default();
        match message {
            ClientMessage::Subscribe { game_id } if *game_id == self.id && visitor.player.is_some() => {
                visitor.is_subscribed = true;
            }
            ClientMessage::Unsubscribe { game_id } if *game_id == self.id && visitor.player.is_some() => {
                visitor.is_subscribed = false;
                around.report.unsubscribed += 1;
            }
            _ => {}
        }
        around.report.requests += 1;
        self.brought = Brought::by(message);
    }

    /// A connection that says too much at once is closed.
    fn cut_off(&mut self, now: u64, link: ConnectionId, around: &mut Around<'_>) -> Result<Vec<Outcome>, String> {
        let mut outcomes = self.close(now, link, around)?;
        outcomes.push(Outcome::Closed { to: link });
        Ok(outcomes)
    }

    /// A request over HTTP. What it is answered is compared with what the log lets the caller do. A call that may change
    /// nothing is made to a table that has nothing left to do by itself, so that whatever happens then is the caller's doing.
    pub(crate) fn call(
        &mut self,
        now: u64,
        request: &HttpRequest,
        around: &mut Around<'_>,
    ) -> Result<(Vec<Outcome>, Option<Answer>), String> {
        let mut outcomes = self.wake(now, around)?;
        around.report.calls += 1;
        let call = match request.read(&self.id) {
            Ok(call) => call,
            Err(answer) => return check_unreadable(answer, around).map(|answer| (outcomes, Some(answer))),
        };
        if Expectation::of(&call, &self.audit).changes_nothing() {
            outcomes.extend(self.catch_up(now, around)?);
        }
        if self.table.is_none() {
            return Ok((outcomes, None));
        }
        self.echo = checks::dominoes_in(&request.body);
        let answer = self.answer(now, call, &mut outcomes, around);
        self.echo = Hand::EMPTY;
        answer.map(|answer| (outcomes, answer))
    }

    /// Lets the table answer a call. There is one answer, unless the host dies before.
    fn answer(
        &mut self,
        now: u64,
        call: Call,
        outcomes: &mut Vec<Outcome>,
        around: &mut Around<'_>,
    ) -> Result<Option<Answer>, String> {
        let (time, before) = (self.time(now), self.log.len());
        let expectation = Expectation::of(&call, &self.audit);
        let viewer = expectation.viewer();
        let decision = match &call {
            Call::Message { message, .. } => Decision::of(message, viewer.as_ref(), &self.audit),
            _ => None,
        };
        self.brought = match &call {
            Call::Message { message, .. } => Brought::by(message),
            _ => Brought::default(),
        };
        let Some(table) = &mut self.table else { return Ok(None) };
        let id = table.handle_call(time, call);
        self.calling = Some(Calling { id, viewer, expectation, before, answer: None });
        outcomes.extend(self.drain(now, around)?);
        let calling = self.calling.take().ok_or("a call is over before it is answered")?;
        calling.expectation.check_stored(&self.log[before..])?;
        decision.map_or(Ok(()), |decision| decision.check(&self.audit))?;
        match calling.answer {
            None if self.table.is_some() => Err("a call was not answered".into()),
            answer => Ok(answer),
        }
    }

    /// A bot has decided, or could not.
    pub(crate) fn decide(
        &mut self,
        now: u64,
        thought: &DecisionRequest,
        around: &mut Around<'_>,
    ) -> Result<Vec<Outcome>, String> {
        let time = self.time(now);
        let Some(table) = &mut self.table else { return Ok(Vec::new()) };
        let answer = if around.dice.once_in(10) { None } else { thought.decide() };
        around.report.failed_thoughts += u64::from(answer.is_none());
        table.handle_decision(time, thought.ticket, answer.as_ref());
        self.drain(now, around)
    }

    /// A connection cannot be written to as fast as the table speaks, or can again.
    pub(crate) fn stall(
        &mut self,
        now: u64,
        link: ConnectionId,
        around: &mut Around<'_>,
    ) -> Result<Vec<Outcome>, String> {
        let time = self.time(now);
        let Some(table) = self.table.as_mut().filter(|table| table.is_connected(link)) else { return Ok(Vec::new()) };
        if self.behind.remove(&link) {
            table.handle_caught_up(time, link);
        } else {
            around.report.stalls += 1;
            self.behind.insert(link);
            table.handle_backlog(link);
        }
        self.drain(now, around)
    }

    /// Nothing is behind any more.
    pub(crate) fn catch_up_all(&mut self, now: u64, around: &mut Around<'_>) -> Result<Vec<Outcome>, String> {
        let mut outcomes = Vec::new();
        for link in self.behind.clone() {
            outcomes.extend(self.stall(now, link, around)?);
        }
        Ok(outcomes)
    }

    /// The session to which a client comes back with one of its keys. Nobody is refused that.
    fn session_of(&self, message: &ClientMessage) -> Option<PlayerId> {
        let ClientMessage::JoinGame { game_id, session_key, key, .. } = message else { return None };
        let mut keys = session_key.iter().chain(key).filter(|_| *game_id == self.id);
        keys.find_map(|key| self.audit.holder(key))
    }

    /// A connection is gone. A host that sleeps is woken under it, so that the others hear of it.
    pub(crate) fn close(
        &mut self,
        now: u64,
        link: ConnectionId,
        around: &mut Around<'_>,
    ) -> Result<Vec<Outcome>, String> {
        let mut outcomes = if self.bindings.contains_key(&link) { self.wake(now, around)? } else { Vec::new() };
        self.forget(link);
        let time = self.time(now);
        let Some(table) = &mut self.table else { return Ok(outcomes) };
        table.handle_closed(time, link);
        outcomes.extend(self.drain(now, around)?);
        Ok(outcomes)
    }

    fn forget(&mut self, link: ConnectionId) {
        self.visitors.remove(&link);
        self.bindings.remove(&link);
        self.behind.remove(&link);
    }

    /// A timer fires, in time or not.
    pub(crate) fn tick(&mut self, now: u64, around: &mut Around<'_>) -> Result<Vec<Outcome>, String> {
        let time = self.time(now);
        let Some(table) = &mut self.table else { return Ok(Vec::new()) };
        table.handle_time(time);
        self.drain(now, around)
    }

    /// The host dies. Only one that nobody waits for is put to sleep.
    pub(crate) fn die(&mut self, death: Death) {
        self.table = None;
        self.dies_after = None;
        if death != Death::Asleep || !self.behind.is_empty() {
            self.visitors.clear();
            self.bindings.clear();
            self.behind.clear();
        }
    }

    /// Lets bots think and carries every output out, in order.
    fn drain(&mut self, now: u64, around: &mut Around<'_>) -> Result<Vec<Outcome>, String> {
        let mut outcomes = Vec::new();
        loop {
            self.think(now, &mut outcomes, around);
            let Some(output) = self.table.as_mut().and_then(TableHost::poll_output) else { break };
            if self.is_dying() {
                around.report.crashes_between_effects += 1;
                return Ok(self.fail(outcomes, around));
            }
            if !self.carry_out(output, &mut outcomes, around)? {
                return self.fail_to_store(outcomes, around);
            }
        }
        self.check_live(around)?;
        Ok(outcomes)
    }

    /// Some bots decide at once, some later, and some never do.
    fn think(&mut self, now: u64, outcomes: &mut Vec<Outcome>, around: &mut Around<'_>) {
        let time = self.time(now);
        while let Some(thought) = self.table.as_mut().and_then(TableHost::poll_decision_request) {
            around.report.thoughts += 1;
            match around.dice.below(20) {
                0 => around.report.lost_thoughts += 1,
                1..=9 => outcomes.push(Outcome::Thinks(Box::new(thought))),
                _ => {
                    let answer = thought.decide();
                    self.table
                        .iter_mut()
                        .for_each(|table| table.handle_decision(time, thought.ticket, answer.as_ref()));
                }
            }
        }
    }

    /// Carries one output out; whether everything was stored.
    fn carry_out(
        &mut self,
        output: Output,
        outcomes: &mut Vec<Outcome>,
        around: &mut Around<'_>,
    ) -> Result<bool, String> {
        match output {
            Output::Store { first, events, .. } => {
                if first != self.log.len() as u64 {
                    return Err(format!("events from {first} are to be stored behind {}", self.log.len()));
                }
                return self.store(events, around);
            }
            Output::Send { to, text, .. } => outcomes.push(self.send(to, &text, around)?),
            Output::Answer { call, answer } => outcomes.extend(self.take_answer(call, answer, around)?),
            Output::Bind(binding) => drop(self.bindings.insert(binding.connection, binding)),
            Output::Close { to, .. } => {
                around.report.closed += 1;
                self.forget(to);
                outcomes.push(Outcome::Closed { to });
            }
        }
        Ok(true)
    }

    fn is_dying(&mut self) -> bool {
        match &mut self.dies_after {
            Some(0) => true,
            Some(left) => {
                *left -= 1;
                false
            }
            None => false,
        }
    }

    fn fail(&mut self, mut outcomes: Vec<Outcome>, around: &mut Around<'_>) -> Vec<Outcome> {
        let keeps_links = around.dice.once_in(3);
        self.die(if keeps_links { Death::Forgotten } else { Death::Cut });
        outcomes.push(Outcome::Died { keeps_links });
        outcomes
    }

    /// Those who asked are told that nothing was written down, as long as the host lives; nobody is told anything else.
    fn fail_to_store(&mut self, mut outcomes: Vec<Outcome>, around: &mut Around<'_>) -> Result<Vec<Outcome>, String> {
        self.table.iter_mut().for_each(|table| table.handle_store_failure("the disk is full"));
        while let Some(output) = self.table.as_mut().and_then(TableHost::poll_output) {
            if self.is_dying() {
                break;
            }
            if is_told(&output) {
                return Err("something is told although it was not stored".into());
            }
            self.carry_out(output, &mut outcomes, around)?;
        }
        self.die(Death::Cut);
        outcomes.push(Outcome::Died { keeps_links: false });
        Ok(outcomes)
    }

    /// Writes events down, all or none. A store may also fail after it has written.
    fn store(&mut self, events: Vec<StoredEvent>, around: &mut Around<'_>) -> Result<bool, String> {
        let fails = !self.is_healed && around.dice.once_in(80);
        if fails && around.dice.once_in(2) {
            around.report.store_failures += 1;
            return Ok(false);
        }
        for stored in &events {
            let text = serde_json::to_string(stored).map_err(|error| error.to_string())?;
            around.trace.note(b'S', stored.at, &text);
            self.audit.take(stored, around.report)?;
            self.bury_keys(&stored.event);
        }
        self.audit.check_seats()?;
        self.log.extend(events);
        around.report.doubtful_stores += u64::from(fails);
        Ok(!fails)
    }
}

/// Whether this refuses a connection a way to the table. What could not be stored may be asked again.
fn is_refused_join(outcome: &Outcome, link: ConnectionId) -> bool {
    let Outcome::Sent { to, message } = outcome else { return false };
    match &**message {
        ServerMessage::Error { request_type: Some(kind), error, .. } => {
            *to == link && kind == "JOIN_GAME" && error.code != ErrorCode::NotStored
        }
        _ => false,
    }
}

/// Whether an output tells more than that something failed.
const fn is_told(output: &Output) -> bool {
    match output {
        Output::Store { .. } | Output::Send { is_refusal: false, .. } => true,
        Output::Answer { answer, .. } => answer.status < 400,
        Output::Send { is_refusal: true, .. } | Output::Bind(_) | Output::Close { .. } => false,
    }
}

/// A request that is none is refused before it comes to the table.
fn check_unreadable(answer: Answer, around: &mut Around<'_>) -> Result<Answer, String> {
    around.report.refused_calls += 1;
    if answer.status >= 400 { Ok(answer) } else { Err(format!("an unreadable call succeeds: {}", answer.body)) }
}
