//! A world: tables, clients and a network in virtual time, driven by one event queue. The seed alone determines everything
//! that happens.

use std::{
    collections::{BTreeMap, BTreeSet},
    panic::{AssertUnwindSafe, catch_unwind},
    rc::Rc,
    sync::{
        Mutex,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
};

use texas42_engine::state_hash;
use texas42_hosting::{Creator, DecisionRequest};
use texas42_kernel::Session;
use texas42_protocol::{Capability, Grant, Role, SecretKey, ServerMessage};
use texas42_room::{ConnectionId, Effect, Room, StoredEvent};
use texas42_vocab::{Control, Seat};

use crate::{
    audit::Audit,
    client::{Client, Command, Insight, Kind, any_grant, some_capabilities},
    dice::Dice,
    host::{Death, Environment, Host, HostOutcome},
    http::TableRequest,
    liveness::Group,
    network::{Direction, Network, Quality},
    report::{Failure, Report},
    secrets,
    setup::GeneratedTable,
    tables,
    trace::Trace,
};

/// The range of steps before a world is healed and checked. Some end in the first auction, some play several games.
const STEPS: (u64, u64) = (200, 2200);
/// The range for the world of a fuzzer, which tries many.
const FUZZED_STEPS: (u64, u64) = (20, 250);
/// How many choices of acting, silent and vanished people are checked at the end of a table.
const CONTINUATIONS: usize = 3;
/// The step limit. A healed world settles long before it.
const MAX_STEPS: u64 = 20_000;

/// A scheduled event.
enum ScheduledEvent {
    /// A message reaches its host.
    Up { link: ConnectionId, text: Rc<str>, is_invalid: bool },
    /// A message reaches its client.
    Down { link: ConnectionId, message: Rc<ServerMessage> },
    /// A host notices that a connection is gone.
    Gone { link: ConnectionId },
    /// A client notices that its connection is gone.
    Cut { link: ConnectionId },
    /// A client wakes up.
    Wake { client: usize },
    /// The timer of a host fires.
    Timer { table: usize },
    /// A host restarts.
    Restart { table: usize },
    /// A bot has decided.
    Decided { table: usize, decision: Box<DecisionRequest> },
    /// An HTTP request reaches its host.
    Call { client: usize, request: Rc<TableRequest> },
    /// The answer to an HTTP request reaches its client.
    Answered { client: usize, message: Box<ServerMessage> },
    /// A stalled connection can be written to again.
    CaughtUp { link: ConnectionId },
    /// A fault may be injected.
    Fault,
}

impl ScheduledEvent {
    /// Whether the event delivers something to a host or client.
    const fn is_message(&self) -> bool {
        match self {
            Self::Up { .. } | Self::Down { .. } | Self::Gone { .. } | Self::Call { .. } | Self::Answered { .. } => true,
            Self::Cut { .. }
            | Self::Wake { .. }
            | Self::Timer { .. }
            | Self::Restart { .. }
            | Self::Decided { .. }
            | Self::CaughtUp { .. }
            | Self::Fault => false,
        }
    }
}

struct World {
    dice: Dice,
    /// The range of steps before it is healed.
    steps: (u64, u64),
    now: u64,
    queue: BTreeMap<(u64, u64), ScheduledEvent>,
    next: u64,
    network: Network,
    hosts: Vec<Host>,
    /// The time of each host's timer, on the host's clock.
    timers: Vec<Option<u64>>,
    clients: Vec<Client>,
    keys: BTreeSet<String>,
    report: Report,
    trace: Trace,
}

/// Plays one world.
///
/// # Errors
/// If an invariant is violated. The failure names the seed and the step.
pub fn run_world(seed: u64) -> Result<Report, Failure> {
    play(World::new(Dice::new(seed), STEPS)).map_err(|(step, what)| Failure { seed, step, what })
}

/// Plays a short world in which these bytes decide what happens first.
///
/// # Errors
/// If an invariant is violated.
pub fn run_world_of(bytes: &[u8]) -> Result<Report, String> {
    play(World::new(Dice::given(bytes), FUZZED_STEPS)).map_err(|(step, what)| format!("step {step}: {what}"))
}

/// Plays a world to its end. Returns the step and a description of the first violation.
fn play(mut world: World) -> Result<Report, (u64, String)> {
    let outcome = catch_unwind(AssertUnwindSafe(|| world.run()));
    let what = match outcome {
        Ok(Ok(())) => {
            world.report.worlds = 1;
            world.report.trace = world.trace.hash();
            return Ok(world.report);
        }
        Ok(Err(what)) => what,
        Err(panic) => format!("panicked: {}", panic_text(&*panic)),
    };
    Err((world.report.steps, what))
}

fn panic_text(panic: &(dyn std::any::Any + Send)) -> &str {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("no message")
}

/// Plays `count` worlds with consecutive seeds on all cores and sums their reports. Calls `progress` with the number of
/// finished worlds.
///
/// # Errors
/// The failure with the lowest seed among those found before all threads stopped.
pub fn run_worlds(from: u64, count: u64, progress: &(dyn Fn(u64) + Sync)) -> Result<Report, Failure> {
    let (next, done, stopped) = (AtomicU64::new(0), AtomicU64::new(0), AtomicBool::new(false));
    let sum: Mutex<(Report, Option<Failure>)> = Mutex::default();
    let work = || {
        while !stopped.load(Ordering::Relaxed) {
            let number = next.fetch_add(1, Ordering::Relaxed);
            if number >= count {
                return;
            }
            let result = run_world(from.wrapping_add(number));
            let mut sum = sum.lock().expect("no thread panics while holding the lock");
            match result {
                Ok(report) => sum.0.add(&report),
                Err(failure) => {
                    stopped.store(true, Ordering::Relaxed);
                    if sum.1.as_ref().is_none_or(|known| failure.seed < known.seed) {
                        sum.1 = Some(failure);
                    }
                }
            }
            progress(done.fetch_add(1, Ordering::Relaxed) + 1);
        }
    };
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..cores {
            scope.spawn(work);
        }
    });
    let (report, failure) = sum.into_inner().expect("no thread panics while holding the lock");
    failure.map_or(Ok(report), Err)
}

impl World {
    fn new(dice: Dice, steps: (u64, u64)) -> Self {
        Self {
            dice,
            steps,
            now: 0,
            queue: BTreeMap::new(),
            next: 0,
            network: Network::default(),
            hosts: Vec::new(),
            timers: Vec::new(),
            clients: Vec::new(),
            keys: BTreeSet::new(),
            report: Report::default(),
            trace: Trace::default(),
        }
    }

    fn run(&mut self) -> Result<(), String> {
        let max_steps = self.dice.between(self.steps.0, self.steps.1);
        for table in 0..self.dice.pick(&[1, 1, 2, 2, 3]) {
            self.set_up(table)?;
        }
        self.schedule(500, ScheduledEvent::Fault);
        while self.report.steps < max_steps {
            if !self.step()? {
                break;
            }
        }
        self.heal()?;
        self.check_final_state()
    }

    fn schedule(&mut self, after: u64, event: ScheduledEvent) {
        self.next += 1;
        self.queue.insert((self.now + after, self.next), event);
    }

    fn step(&mut self) -> Result<bool, String> {
        let Some(((at, _), event)) = self.queue.pop_first() else { return Ok(false) };
        self.now = at;
        if let ScheduledEvent::Wake { client } = event
            && self.clients[client].wakes_at != at
        {
            // The client has rescheduled its wake-up.
            return Ok(true);
        }
        self.report.steps += 1;
        self.handle(event)?;
        Ok(true)
    }

    fn handle(&mut self, event: ScheduledEvent) -> Result<(), String> {
        match event {
            ScheduledEvent::Up { link, text, is_invalid } => self.deliver_to_host(link, &text, is_invalid),
            ScheduledEvent::Down { link, message } => self.deliver_to_client(link, &message),
            ScheduledEvent::Gone { link } => self.close_at_host(link),
            ScheduledEvent::Cut { link } => {
                self.close_at_client(link);
                Ok(())
            }
            ScheduledEvent::Wake { client } => self.wake(client),
            ScheduledEvent::Timer { table } => self.fire_timer(table),
            ScheduledEvent::Restart { table } => self.restart(table),
            ScheduledEvent::Decided { table, decision } => {
                let outcomes = self.with_host(table, |host, now, env| host.decide(now, &decision, env))?;
                self.carry_out(table, outcomes)
            }
            ScheduledEvent::Call { client, request } => self.deliver_call(client, &request),
            ScheduledEvent::Answered { client, message } => {
                let command = self.clients[client].handle_answer(&message, &mut self.report);
                self.perform(client, command.into_iter().collect());
                Ok(())
            }
            ScheduledEvent::CaughtUp { link } => self.stall(link),
            ScheduledEvent::Fault => self.inject_fault(),
        }
    }

    /// Runs `work` on a host with its environment.
    fn with_host<T>(
        &mut self,
        table: usize,
        work: impl FnOnce(&mut Host, u64, &mut Environment<'_>) -> Result<T, String>,
    ) -> Result<T, String> {
        let mut env = Environment {
            dice: &mut self.dice,
            report: &mut self.report,
            trace: &mut self.trace,
            keys: &mut self.keys,
        };
        work(&mut self.hosts[table], self.now, &mut env)
    }
}

// Setup.
impl World {
    fn set_up(&mut self, table: usize) -> Result<(), String> {
        let creator = self.clients.len();
        let link = self.dice.percent(70).then(|| self.network.open(creator, table, Quality::Calm));
        let by = link.map_or(Creator::Call, Creator::Connection);
        let new_table = GeneratedTable::any(by, &mut self.dice, &mut self.report);
        let mut env = Environment {
            dice: &mut self.dice,
            report: &mut self.report,
            trace: &mut self.trace,
            keys: &mut self.keys,
        };
        let (host, outcomes) = Host::new(new_table, &mut env)?;
        let mut client = Client::new(creator, table, Kind::Creator, &host.id)
            .with_quality(Quality::Calm)
            .with_key(host.creator_key.clone());
        client.link = link;
        client.to_invite = self.grants_to_invite(&host.audit);
        self.hosts.push(host);
        self.timers.push(None);
        self.add(client);
        self.carry_out(table, outcomes)?;
        self.add_uninvited(table);
        Ok(())
    }

    /// The grants of the missing players, and of some spectators.
    fn grants_to_invite(&mut self, audit: &Audit) -> Vec<Grant> {
        let missing = Seat::ALL.into_iter().filter(|seat| audit.config.players[seat.index()] == Control::Human).skip(1);
        let seated = |seat| Grant { seat: Some(seat), ..Grant::of(Role::Player) };
        let mut list: Vec<Grant> = missing.map(seated).collect();
        for _ in 0..self.dice.below(3) {
            list.insert(0, any_grant(&mut self.dice));
        }
        list
    }

    /// Adds clients without an invite.
    fn add_uninvited(&mut self, table: usize) {
        let id = self.hosts[table].id.clone();
        if self.hosts[table].audit.options.open_to_spectators && self.dice.once_in(2) {
            let (quality, is_http_only) = (self.quality(), self.dice.once_in(3));
            let client = Client::new(self.clients.len(), table, Kind::Onlooker, &id).with_quality(quality);
            self.add(client.http_only(is_http_only));
        }
        if self.dice.once_in(2) {
            self.add(Client::new(self.clients.len(), table, Kind::Stranger, &id).with_quality(Quality::Calm));
        }
        if self.dice.once_in(6) {
            self.add(Client::new(self.clients.len(), table, Kind::Flooder, &id).with_quality(Quality::Calm));
        }
    }

    fn quality(&mut self) -> Quality {
        self.dice.pick(&[Quality::Calm, Quality::Calm, Quality::Slow, Quality::Wild])
    }

    fn add(&mut self, client: Client) {
        let number = client.number;
        self.clients.push(client);
        let after = self.dice.between(1, 60);
        self.wake_after(number, after);
    }

    fn wake_after(&mut self, client: usize, after: u64) {
        self.clients[client].wakes_at = self.now + after;
        self.schedule(after, ScheduledEvent::Wake { client });
    }

    fn add_invited(&mut self, table: usize, grant: &Grant, key: SecretKey) {
        let kind = if grant.role.is_seated() { Kind::Person } else { Kind::Onlooker };
        let entropy = tables::entropy(&mut self.dice);
        let quality = self.quality();
        let id = self.hosts[table].id.clone();
        let client = Client::new(self.clients.len(), table, kind, &id);
        let own_key = self.dice.percent(70).then(|| SecretKey::new(self.dice.bytes()));
        let is_http_only = self.dice.once_in(6);
        // More often for bots, because those that may not act are late.
        let times = if grant.role == Role::Ai { 2 } else { 6 };
        let asked = self.dice.once_in(times).then(|| some_capabilities(&mut self.dice));
        self.report.limited_clients += u64::from(asked.is_some());
        let client = client.with_invite(Some(key), entropy).with_key(own_key).with_quality(quality);
        self.add(client.http_only(is_http_only).asking_for(asked));
    }
}

// Message delivery.
impl World {
    fn carry_out(&mut self, table: usize, outcomes: Vec<HostOutcome>) -> Result<(), String> {
        for outcome in outcomes {
            match outcome {
                HostOutcome::Sent { to, message } => self.send_down(to, &message),
                HostOutcome::Created(message) => self.deliver_to_creator(table, &message),
                HostOutcome::Closed { to } => self.close_by_host(to),
                HostOutcome::DecisionRequested(decision) => {
                    let after = self.dice.between(1, 1500);
                    self.schedule(after, ScheduledEvent::Decided { table, decision });
                }
                HostOutcome::Crashed { keeps_links } => self.handle_crash(table, keeps_links),
            }
        }
        self.set_timer(table);
        Ok(())
    }

    /// Delivers the answer to the creator without faults, because it may contain the only key.
    fn deliver_to_creator(&mut self, table: usize, message: &ServerMessage) {
        let creator = self.clients.iter_mut().find(|client| client.table == table && client.kind == Kind::Creator);
        creator.into_iter().for_each(|creator| drop(creator.handle_answer(message, &mut self.report)));
    }

    /// Closes a connection at the host. Its client notices a little later.
    fn close_by_host(&mut self, link: ConnectionId) {
        if let Some(connection) = self.network.links.get_mut(&link) {
            connection.open_at_host = false;
        }
        let after = self.dice.between(1, 600);
        self.schedule(after, ScheduledEvent::Cut { link });
    }

    fn send_down(&mut self, link: ConnectionId, message: &Rc<ServerMessage>) {
        if !self.network.links.get(&link).is_some_and(|link| link.open_at_host) {
            return;
        }
        for at in self.network.carry(self.now, link, Direction::Down, &mut self.dice, &mut self.report) {
            self.schedule(at - self.now, ScheduledEvent::Down { link, message: Rc::clone(message) });
        }
    }

    fn send_up(&mut self, client: usize, text: &Rc<str>, is_invalid: bool) {
        if self.goes_over_http(client, is_invalid)
            && let Some(request) = self.as_request(client, text)
        {
            return self.send_call(client, request);
        }
        let Some(link) = self.clients[client].link else { return };
        for at in self.network.carry(self.now, link, Direction::Up, &mut self.dice, &mut self.report) {
            self.schedule(at - self.now, ScheduledEvent::Up { link, text: Rc::clone(text), is_invalid });
        }
    }

    /// Whether a message goes over HTTP, because there is no connection or by chance.
    fn goes_over_http(&mut self, client: usize, is_invalid: bool) -> bool {
        let has_link = self.clients[client].link.is_some();
        !has_link || (!is_invalid && !self.network.is_healed && self.dice.once_in(12))
    }

    fn as_request(&self, client: usize, text: &str) -> Option<TableRequest> {
        TableRequest::of(&serde_json::from_str(text).ok()?, self.clients[client].session_key())
    }

    fn send_call(&mut self, client: usize, request: TableRequest) {
        let (quality, request) = (self.clients[client].quality, Rc::new(request));
        for after in self.network.carry_request(quality, &mut self.dice, &mut self.report) {
            self.schedule(after, ScheduledEvent::Call { client, request: Rc::clone(&request) });
        }
    }

    fn deliver_to_host(&mut self, link: ConnectionId, text: &str, is_invalid: bool) -> Result<(), String> {
        let Some(connection) = self.network.links.get(&link).filter(|connection| connection.open_at_host) else {
            return Ok(());
        };
        let table = connection.table;
        self.trace.note(b'U', link, text);
        let outcomes = self.with_host(table, |host, now, env| host.receive(now, link, text, is_invalid, env))?;
        self.carry_out(table, outcomes)
    }

    /// Delivers an HTTP request to its host. The answer may be lost.
    fn deliver_call(&mut self, client: usize, request: &TableRequest) -> Result<(), String> {
        let Client { table, quality, .. } = self.clients[client];
        self.trace.note(b'C', client as u64, &request.body);
        let (outcomes, answer) = self.with_host(table, |host, now, env| host.call(now, request, env))?;
        let arrival = self.network.carry_answer(quality, &mut self.dice, &mut self.report);
        if let (Some(answer), Some(after)) = (answer, arrival) {
            let message = serde_json::from_str(&answer.body).map_err(|error| format!("{error}: {}", answer.body))?;
            self.schedule(after, ScheduledEvent::Answered { client, message: Box::new(message) });
        }
        self.carry_out(table, outcomes)
    }

    fn stall(&mut self, link: ConnectionId) -> Result<(), String> {
        let Some(connection) = self.network.links.get(&link).filter(|connection| connection.open_at_host) else {
            return Ok(());
        };
        let table = connection.table;
        let outcomes = self.with_host(table, |host, now, env| host.stall(now, link, env))?;
        self.carry_out(table, outcomes)
    }

    fn deliver_to_client(&mut self, link: ConnectionId, message: &ServerMessage) -> Result<(), String> {
        let Some(connection) = self.network.links.get(&link).filter(|connection| connection.open_at_client) else {
            return Ok(());
        };
        let client = connection.client;
        self.trace.note(b'D', link, "");
        if self.clients[client].link != Some(link) {
            return Ok(());
        }
        let commands = self.clients[client].handle_message(self.now, message, &mut self.report)?;
        self.perform(client, commands);
        // A message may make the client act before its next scheduled wake-up.
        let pause = if self.clients[client].is_settling { 1 } else { self.dice.between(5, 300) };
        if self.now + pause < self.clients[client].wakes_at {
            self.wake_after(client, pause);
        }
        Ok(())
    }

    fn close_at_host(&mut self, link: ConnectionId) -> Result<(), String> {
        let Some(connection) = self.network.links.get_mut(&link).filter(|connection| connection.open_at_host) else {
            return Ok(());
        };
        connection.open_at_host = false;
        let table = connection.table;
        let outcomes = self.with_host(table, |host, now, env| host.close(now, link, env))?;
        self.carry_out(table, outcomes)
    }

    fn close_at_client(&mut self, link: ConnectionId) {
        let Some(connection) = self.network.links.get_mut(&link) else { return };
        connection.open_at_client = false;
        let client = connection.client;
        if self.clients[client].link == Some(link) {
            self.clients[client].handle_disconnected();
            let after = self.dice.between(10, 800);
            self.wake_after(client, after);
        }
    }

    fn wake(&mut self, client: usize) -> Result<(), String> {
        let host = &self.hosts[self.clients[client].table];
        let insight = Insight { now: self.now, game_events: host.audit.game_events(), dead_keys: &host.dead_keys };
        let commands = self.clients[client].wake(&insight, &mut self.dice, &mut self.report);
        let is_idle = commands.is_empty();
        self.perform(client, commands);
        let pace = match self.clients[client].kind {
            _ if self.clients[client].is_settling => 500,
            // Any message wakes it up earlier.
            Kind::Creator | Kind::Person if is_idle => self.dice.between(800, 3000),
            Kind::Creator | Kind::Person => self.dice.between(100, 1000),
            Kind::Onlooker => self.dice.between(1000, 6000),
            Kind::Stranger => self.dice.between(500, 4000),
            Kind::Flooder => self.dice.between(5000, 20_000),
        };
        if !self.clients[client].is_gone || self.clients[client].link.is_some() {
            self.wake_after(client, pace);
        }
        Ok(())
    }

    fn perform(&mut self, client: usize, commands: Vec<Command>) {
        for command in commands {
            match command {
                Command::Connect => self.connect(client),
                Command::Close => self.disconnect(client),
                Command::Send { text, is_invalid } => self.send_up(client, &text, is_invalid),
                Command::Call(request) => self.send_call(client, request),
                Command::PassInvite { grant, key } => {
                    let table = self.clients[client].table;
                    self.add_invited(table, &grant, key);
                }
            }
        }
    }

    fn connect(&mut self, client: usize) {
        let Client { table, quality, .. } = self.clients[client];
        let link = self.network.open(client, table, quality);
        let command = self.clients[client].handle_connected(self.now, link);
        self.perform(client, command.into_iter().collect());
    }

    /// Closes a connection at the client. The host notices later, perhaps much later.
    fn disconnect(&mut self, client: usize) {
        let Some(link) = self.clients[client].link else { return };
        self.report.disconnects += 1;
        let after = if self.dice.once_in(4) { self.dice.between(2000, 20_000) } else { self.dice.between(1, 300) };
        self.schedule(after, ScheduledEvent::Gone { link });
        self.close_at_client(link);
    }
}

// Hosts: timers, crashes, clocks.
impl World {
    /// Sets the timer of a host to the time that the host requests. It may fire early, late or twice.
    fn set_timer(&mut self, table: usize) {
        let host = &self.hosts[table];
        let wanted = host.wake_at();
        if wanted == self.timers[table] || host.is_healed {
            return;
        }
        self.timers[table] = wanted;
        let Some(at) = wanted else { return };
        let mut after = at.saturating_sub(host.time(self.now));
        match self.dice.below(12) {
            0 => {
                self.report.early_timers += 1;
                after /= 2;
            }
            1 => {
                self.report.late_timers += 1;
                after += self.dice.between(1, 1500);
            }
            2 => {
                self.report.double_timers += 1;
                self.schedule(after, ScheduledEvent::Timer { table });
            }
            _ => {}
        }
        self.schedule(after.max(1), ScheduledEvent::Timer { table });
    }

    fn fire_timer(&mut self, table: usize) -> Result<(), String> {
        self.timers[table] = None;
        let outcomes = self.with_host(table, Host::tick)?;
        self.carry_out(table, outcomes)
    }

    fn restart(&mut self, table: usize) -> Result<(), String> {
        let outcomes = self.with_host(table, Host::wake)?;
        self.carry_out(table, outcomes)
    }

    /// Handles the crash of a host: schedules its restart and usually closes its connections.
    fn handle_crash(&mut self, table: usize, keeps_links: bool) {
        self.timers[table] = None;
        if keeps_links {
            self.report.evictions += 1;
        } else {
            self.report.crashes += 1;
            self.disconnect_all(table);
        }
        let after = self.dice.between(1, 1500);
        self.schedule(after, ScheduledEvent::Restart { table });
    }

    fn disconnect_all(&mut self, table: usize) {
        for link in self.network.of_table(table) {
            if let Some(connection) = self.network.links.get_mut(&link) {
                connection.open_at_host = false;
            }
            let after = self.dice.between(1, 600);
            self.schedule(after, ScheduledEvent::Cut { link });
        }
    }

    fn inject_fault(&mut self) -> Result<(), String> {
        let table = self.dice.below(self.hosts.len() as u64) as usize;
        match self.dice.below(10) {
            0 | 1 => self.hosts[table].dies_after = Some(self.dice.below(20)),
            2 => {
                let death = self.dice.pick(&[Death::Cut, Death::Cut, Death::Forgotten, Death::Asleep]);
                self.hosts[table].die(death);
                self.handle_crash(table, death != Death::Cut);
            }
            3 => {
                self.report.clocks_forward += 1;
                self.hosts[table].clock += self.clock_jump(30_000);
                self.timers[table] = None;
                self.set_timer(table);
            }
            4 => {
                self.report.clocks_back += 1;
                self.hosts[table].clock -= self.clock_jump(1500);
            }
            5 | 6 => self.disconnect_one(table),
            7 => self.request_state(),
            8 => self.stall_one(table)?,
            _ => {}
        }
        let after = self.dice.between(300, 2500);
        self.schedule(after, ScheduledEvent::Fault);
        Ok(())
    }

    /// Requests the state of a table over HTTP, with a valid key, an invalid one, or none.
    fn request_state(&mut self) {
        let client = self.dice.below(self.clients.len() as u64) as usize;
        let dead = &self.hosts[self.clients[client].table].dead_keys;
        let keys: Vec<&SecretKey> = self.clients.iter().filter_map(|client| client.key.as_ref()).collect();
        let key = match self.dice.below(4) {
            0 => None,
            1 if !dead.is_empty() => Some(self.dice.pick(dead)),
            _ if !keys.is_empty() => Some(self.dice.pick(&keys).clone()),
            _ => None,
        };
        self.send_call(client, TableRequest::state(key.as_ref()));
    }

    /// Stalls a random connection for a while.
    fn stall_one(&mut self, table: usize) -> Result<(), String> {
        let links = self.network.of_table(table);
        if links.is_empty() {
            return Ok(());
        }
        let link = self.dice.pick(&links);
        let after = self.dice.between(100, 8000);
        self.schedule(after, ScheduledEvent::CaughtUp { link });
        self.stall(link)
    }

    /// A random clock jump: usually small, sometimes hours.
    fn clock_jump(&mut self, most: u64) -> i64 {
        let jump =
            if self.dice.once_in(6) { self.dice.between(3_600_000, 90_000_000) } else { self.dice.between(1, most) };
        jump as i64
    }

    /// Breaks a random connection. Each end notices at its own time.
    fn disconnect_one(&mut self, table: usize) {
        let links = self.network.of_table(table);
        if links.is_empty() {
            return;
        }
        let link = self.dice.pick(&links);
        self.report.disconnects += 1;
        let (here, there) = (self.dice.between(1, 500), self.dice.between(1, 5000));
        self.schedule(here, ScheduledEvent::Cut { link });
        self.schedule(there, ScheduledEvent::Gone { link });
    }
}

// Healing and final checks.
impl World {
    /// Ends all faults: every client reconnects and repeats its unanswered requests.
    fn heal(&mut self) -> Result<(), String> {
        self.network.is_healed = true;
        self.queue.clear();
        for table in 0..self.hosts.len() {
            self.hosts[table].is_healed = true;
            self.hosts[table].dies_after = None;
            self.restart(table)?;
            let outcomes = self.with_host(table, Host::catch_up_all)?;
            self.carry_out(table, outcomes)?;
            for link in self.network.of_table(table) {
                self.close_at_host(link)?;
            }
        }
        for number in 0..self.clients.len() {
            self.clients[number].handle_disconnected();
            self.clients[number].is_settling = true;
            self.clients[number].quality = Quality::Calm;
            if self.clients[number].should_reconnect() {
                self.wake_after(number, 1);
            }
        }
        self.settle()
    }

    /// Runs until no client waits for anything.
    fn settle(&mut self) -> Result<(), String> {
        let max_steps = self.report.steps + MAX_STEPS;
        while self.clients.iter().any(|client| !client.is_at_rest()) || self.has_messages() {
            if !self.step()? || self.report.steps > max_steps {
                return Err("a healed world does not settle".into());
            }
        }
        Ok(())
    }

    fn has_messages(&self) -> bool {
        self.queue.values().any(ScheduledEvent::is_message)
    }

    /// Checks that the live state can be rebuilt from the store, and that every client has the current view.
    fn check_final_state(&mut self) -> Result<(), String> {
        for table in 0..self.hosts.len() {
            self.check_table(table)?;
        }
        for client in self.clients.iter().filter(|client| client.should_reconnect()) {
            self.check_client(client)?;
        }
        self.clients.iter().try_for_each(|client| self.check_acknowledged(client))
    }

    /// Checks that everything a client was told is stored: each request once, each session with its key.
    fn check_acknowledged(&self, client: &Client) -> Result<(), String> {
        let audit = &self.hosts[client.table].audit;
        for request in &client.acknowledged {
            let times = audit.times_executed(request);
            if times != 1 {
                return Err(format!("{request} was acknowledged but is stored {times} times"));
            }
        }
        for (player, key) in &client.sessions {
            if !audit.participants.get(player).is_some_and(|participant| participant.session.key.is_of(key)) {
                return Err(format!("client {} was told that it joined as {player}, but that is lost", client.number));
            }
        }
        Ok(())
    }

    fn check_client(&self, client: &Client) -> Result<(), String> {
        let number = client.number;
        let host = &self.hosts[client.table];
        let room = host.room().ok_or("a healed table has no room")?;
        let link = client.link.ok_or_else(|| format!("client {number} has not reconnected"))?;
        if !host.is_at_table(link) {
            // Another client took over its key or seat. The host checks that this one sees nothing.
            return Ok(());
        }
        let shown = room.view_for(link).ok_or_else(|| format!("client {number} is not at the table"))?;
        if client.follower.table() != Some((room.version(), &shown)) {
            return Err(format!("the view of client {number} differs from the room's"));
        }
        Ok(())
    }

    /// Checks that the public data of a table does not determine its deals.
    fn check_secrets(&mut self, table: usize, log: &[StoredEvent]) -> Result<(), String> {
        let is_checked = secrets::check_first_deal(&self.hosts[table].id, log, &self.dice.bytes())?;
        self.report.secret_deals += u64::from(is_checked);
        Ok(())
    }

    fn check_table(&mut self, table: usize) -> Result<(), String> {
        let log = round_trip(&self.hosts[table].log)?;
        let randomness: [u8; 32] = self.dice.bytes();
        let prefix = self.dice.between(1, log.len() as u64) as usize;
        self.check_not_stuck(table)?;
        for kept in [log.len(), prefix] {
            check_restorable(&self.hosts[table], &log[..kept], &randomness)?;
        }
        self.check_fair_record(table)?;
        self.check_secrets(table, &log)?;
        self.check_liveness(table)?;
        let audit = Audit::of(&log)?;
        if audit.game.as_ref().is_some_and(|game| !game.verify_snapshots()) {
            return Err("a snapshot of the game cannot be restored".into());
        }
        let live = self.hosts[table].room().and_then(Room::state).map(state_hash);
        if audit.now().state.as_ref().map(state_hash) != live {
            return Err("the replayed log differs from the live room".into());
        }
        Ok(())
    }

    /// Checks that the table can continue under a few choices of acting, silent and vanished people.
    fn check_liveness(&mut self, table: usize) -> Result<(), String> {
        let host = &self.hosts[table];
        let people = host.audit.people().map(|participant| &participant.session);
        let (able, limited): (Vec<&Session>, Vec<&Session>) = people.partition(|session| can_play_or_manage(session));
        if able.is_empty() {
            return Ok(());
        }
        for _ in 0..CONTINUATIONS {
            let group = Group::any(&able, &limited, &mut self.dice);
            group.continues(&host.id, &host.log, &mut self.dice)?;
            self.report.continuations += 1;
        }
        Ok(())
    }

    /// Checks that the record of a finished game with secret deals can be verified.
    fn check_fair_record(&mut self, table: usize) -> Result<(), String> {
        let Some(record) = self.hosts[table].room().and_then(Room::fair_record) else { return Ok(()) };
        self.report.fair_records += 1;
        record
            .verify()
            .map(|_| ())
            .map_err(|unfair| format!("the record of a finished game cannot be verified: {unfair}"))
    }

    /// Checks that every connected player whose turn it is has an action to take.
    fn check_not_stuck(&self, table: usize) -> Result<(), String> {
        let host = &self.hosts[table];
        let Some(seat) = host.audit.now().state.and_then(|state| state.to_act()) else { return Ok(()) };
        let acts = |client: &&Client| {
            let participant =
                client.link.and_then(|link| host.audit.participant_at(host.player(link)?, host.audit.version()));
            participant.is_some_and(|participant| {
                participant.session.seat == Some(seat)
                    && host.audit.now().is_mover(&participant.session)
                    && can_play_or_manage(&participant.session)
            })
        };
        let is_stuck = |client: &Client| client.follower.table().is_some_and(|(_, view)| view.valid_actions.is_empty());
        let is_automatic = host.room().is_some_and(|room| room.wake_at().is_some());
        match self.clients.iter().filter(|client| client.table == table).find(acts) {
            Some(client) if is_stuck(client) && !is_automatic => {
                Err(format!("{seat} must act but is offered no action"))
            }
            _ => Ok(()),
        }
    }
}

/// Whether the session of a person has what a player needs, or manages the table without a seat. A client may ask for less.
fn can_play_or_manage(session: &Session) -> bool {
    let plays =
        |player_index| session.may(Capability::ActAsPlayer { player_index }) && session.may(Capability::ObserveOwnHand);
    session.seat.is_none_or(plays)
}

/// Serializes and deserializes a log, and checks that it is unchanged.
fn round_trip(log: &[StoredEvent]) -> Result<Vec<StoredEvent>, String> {
    let text = serde_json::to_string(log).map_err(|error| error.to_string())?;
    let again: Vec<StoredEvent> = serde_json::from_str(&text).map_err(|error| error.to_string())?;
    if again == log { Ok(again) } else { Err("a log changes when it is stored and read".into()) }
}

/// Restores a room from a log or a prefix of one, and checks that it is in the state of the log. It may append events at
/// once.
fn check_restorable(host: &Host, log: &[StoredEvent], randomness: &[u8; 32]) -> Result<(), String> {
    let at = log.last().map_or(0, |stored| stored.at);
    let mut room = Room::restore(at, host.id.clone(), randomness, log)
        .map_err(|error| format!("the first {} events cannot be restored: {error}", log.len()))?;
    let mut all = log.to_vec();
    while let Some(effect) = room.poll_effect() {
        if let Effect::Store(events) = effect {
            all.extend(events);
        }
    }
    let audit = Audit::of(&all)?;
    if room.version() == audit.version() && room.state() == audit.now().state.as_ref() {
        return Ok(());
    }
    Err(format!("a room restored from {} events differs from its log", log.len()))
}
