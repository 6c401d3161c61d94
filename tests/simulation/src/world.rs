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
use texas42_protocol::{Grant, Role, SecretKey, ServerMessage};
use texas42_room::{ConnectionId, Effect, Room, StoredEvent};
use texas42_vocab::{Control, Seat};

use crate::{
    audit::Audit,
    client::{Client, Insight, Kind, Wish, any_grant},
    dice::Dice,
    host::{Death, Environment, Host, Outcome},
    http::HttpRequest,
    network::{Direction, Network, Quality},
    report::{Failure, Report},
    setup::NewTable,
    tables,
    trace::Trace,
};

/// The range of steps before a world is healed and checked. Some end in the first auction, some play several games.
const STEPS: (u64, u64) = (200, 2200);
/// The step limit. A healed world settles long before it.
const MAX_STEPS: u64 = 20_000;

/// A scheduled event.
enum Event {
    /// A message reaches its host.
    Up { link: ConnectionId, text: Rc<str>, is_lie: bool },
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
    Call { client: usize, request: Rc<HttpRequest> },
    /// The answer to an HTTP request reaches its client.
    Answered { client: usize, message: Box<ServerMessage> },
    /// A stalled connection can be written to again.
    CaughtUp { link: ConnectionId },
    /// A fault may be injected.
    Fault,
}

impl Event {
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
    now: u64,
    queue: BTreeMap<(u64, u64), Event>,
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
    let mut world = World::new(seed);
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
    Err(Failure { seed, step: world.report.steps, what })
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
    fn new(seed: u64) -> Self {
        Self {
            dice: Dice::new(seed),
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
        let most = self.dice.between(STEPS.0, STEPS.1);
        for table in 0..self.dice.pick(&[1, 1, 2, 2, 3]) {
            self.set_up(table)?;
        }
        self.schedule(500, Event::Fault);
        while self.report.steps < most {
            if !self.step()? {
                break;
            }
        }
        self.heal()?;
        self.look_over()
    }

    fn schedule(&mut self, after: u64, event: Event) {
        self.next += 1;
        self.queue.insert((self.now + after, self.next), event);
    }

    fn step(&mut self) -> Result<bool, String> {
        let Some(((at, _), event)) = self.queue.pop_first() else { return Ok(false) };
        self.now = at;
        if let Event::Wake { client } = event
            && self.clients[client].wakes_at != at
        {
            // The client has rescheduled its wake-up.
            return Ok(true);
        }
        self.report.steps += 1;
        self.happen(event)?;
        Ok(true)
    }

    fn happen(&mut self, event: Event) -> Result<(), String> {
        match event {
            Event::Up { link, text, is_lie } => self.arrive_at_host(link, &text, is_lie),
            Event::Down { link, message } => self.arrive_at_client(link, &message),
            Event::Gone { link } => self.close_at_host(link),
            Event::Cut { link } => {
                self.close_at_client(link);
                Ok(())
            }
            Event::Wake { client } => self.wake(client),
            Event::Timer { table } => self.fire(table),
            Event::Restart { table } => self.restart(table),
            Event::Decided { table, decision } => {
                let outcomes = self.at_host(table, |host, now, env| host.decide(now, &decision, env))?;
                self.carry_out(table, outcomes)
            }
            Event::Call { client, request } => self.arrive_as_call(client, &request),
            Event::Answered { client, message } => {
                self.clients[client].hear_answer(&message, &mut self.report);
                Ok(())
            }
            Event::CaughtUp { link } => self.stall(link),
            Event::Fault => self.inject_fault(),
        }
    }

    /// Runs `work` on a host with its environment.
    fn at_host<T>(
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
        let founder = self.clients.len();
        let link = self.dice.percent(70).then(|| self.network.open(founder, table, Quality::Calm));
        let by = link.map_or(Creator::Call, Creator::Connection);
        let made = NewTable::any(by, &mut self.dice, &mut self.report);
        let mut env = Environment {
            dice: &mut self.dice,
            report: &mut self.report,
            trace: &mut self.trace,
            keys: &mut self.keys,
        };
        let (host, outcomes) = Host::new(made, &mut env)?;
        let mut client =
            Client::new(founder, table, Kind::Creator, &host.id).over(Quality::Calm).with_key(host.founder_key.clone());
        client.link = link;
        client.to_invite = self.guest_list(&host.audit);
        self.hosts.push(host);
        self.timers.push(None);
        self.add(client);
        self.carry_out(table, outcomes)?;
        self.fill(table);
        Ok(())
    }

    /// The grants of the missing players, and of some spectators.
    fn guest_list(&mut self, audit: &Audit) -> Vec<Grant> {
        let missing = Seat::ALL.into_iter().filter(|seat| audit.config.players[seat.index()] == Control::Human).skip(1);
        let seated = |seat| Grant { seat: Some(seat), ..Grant::of(Role::Player) };
        let mut list: Vec<Grant> = missing.map(seated).collect();
        for _ in 0..self.dice.below(3) {
            list.insert(0, any_grant(&mut self.dice));
        }
        list
    }

    /// Adds clients without an invite.
    fn fill(&mut self, table: usize) {
        let id = self.hosts[table].id.clone();
        if self.hosts[table].audit.options.open_to_spectators && self.dice.once_in(2) {
            let (quality, is_without_link) = (self.quality(), self.dice.once_in(3));
            let client = Client::new(self.clients.len(), table, Kind::Onlooker, &id).over(quality);
            self.add(client.without_link(is_without_link));
        }
        if self.dice.once_in(2) {
            self.add(Client::new(self.clients.len(), table, Kind::Stranger, &id).over(Quality::Calm));
        }
        if self.dice.once_in(6) {
            self.add(Client::new(self.clients.len(), table, Kind::Flooder, &id).over(Quality::Calm));
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
        self.schedule(after, Event::Wake { client });
    }

    fn welcome(&mut self, table: usize, grant: &Grant, key: SecretKey) {
        let kind = if grant.role.is_seated() { Kind::Person } else { Kind::Onlooker };
        let entropy = tables::entropy(&mut self.dice);
        let quality = self.quality();
        let id = self.hosts[table].id.clone();
        let client = Client::new(self.clients.len(), table, kind, &id);
        let own_key = self.dice.percent(70).then(|| SecretKey::new(self.dice.bytes()));
        let is_without_link = self.dice.once_in(6);
        let client = client.invited(Some(key), entropy).with_key(own_key).over(quality);
        self.add(client.without_link(is_without_link));
    }
}

// Message delivery.
impl World {
    fn carry_out(&mut self, table: usize, outcomes: Vec<Outcome>) -> Result<(), String> {
        for outcome in outcomes {
            match outcome {
                Outcome::Sent { to, message } => self.send_down(to, &message),
                Outcome::Founded(message) => self.tell_founder(table, &message),
                Outcome::Closed { to } => self.close_by_host(to),
                Outcome::Thinks(decision) => {
                    let after = self.dice.between(1, 1500);
                    self.schedule(after, Event::Decided { table, decision });
                }
                Outcome::Died { keeps_links } => self.handle_crash(table, keeps_links),
            }
        }
        self.set_timer(table);
        Ok(())
    }

    /// Delivers the answer to the founder without faults, because it may contain the only key.
    fn tell_founder(&mut self, table: usize, message: &ServerMessage) {
        let founder = self.clients.iter_mut().find(|client| client.table == table && client.kind == Kind::Creator);
        founder.into_iter().for_each(|founder| founder.hear_answer(message, &mut self.report));
    }

    /// Closes a connection at the host. Its client notices a little later.
    fn close_by_host(&mut self, link: ConnectionId) {
        if let Some(way) = self.network.links.get_mut(&link) {
            way.open_at_host = false;
        }
        let after = self.dice.between(1, 600);
        self.schedule(after, Event::Cut { link });
    }

    fn send_down(&mut self, link: ConnectionId, message: &Rc<ServerMessage>) {
        if !self.network.links.get(&link).is_some_and(|link| link.open_at_host) {
            return;
        }
        for at in self.network.carry(self.now, link, Direction::Down, &mut self.dice, &mut self.report) {
            self.schedule(at - self.now, Event::Down { link, message: Rc::clone(message) });
        }
    }

    fn send_up(&mut self, client: usize, text: &Rc<str>, is_lie: bool) {
        if self.goes_over_http(client, is_lie)
            && let Some(request) = self.as_request(client, text)
        {
            return self.send_call(client, request);
        }
        let Some(link) = self.clients[client].link else { return };
        for at in self.network.carry(self.now, link, Direction::Up, &mut self.dice, &mut self.report) {
            self.schedule(at - self.now, Event::Up { link, text: Rc::clone(text), is_lie });
        }
    }

    /// Whether a message goes over HTTP, because there is no connection or by chance.
    fn goes_over_http(&mut self, client: usize, is_lie: bool) -> bool {
        let has_link = self.clients[client].link.is_some();
        !has_link || (!is_lie && !self.network.is_healed && self.dice.once_in(12))
    }

    fn as_request(&self, client: usize, text: &str) -> Option<HttpRequest> {
        HttpRequest::of(&serde_json::from_str(text).ok()?, self.clients[client].session_key())
    }

    fn send_call(&mut self, client: usize, request: HttpRequest) {
        let (quality, request) = (self.clients[client].quality, Rc::new(request));
        for after in self.network.carry_request(quality, &mut self.dice, &mut self.report) {
            self.schedule(after, Event::Call { client, request: Rc::clone(&request) });
        }
    }

    fn arrive_at_host(&mut self, link: ConnectionId, text: &str, is_lie: bool) -> Result<(), String> {
        let Some(way) = self.network.links.get(&link).filter(|way| way.open_at_host) else { return Ok(()) };
        let table = way.table;
        self.trace.note(b'U', link, text);
        let outcomes = self.at_host(table, |host, now, env| host.receive(now, link, text, is_lie, env))?;
        self.carry_out(table, outcomes)
    }

    /// Delivers an HTTP request to its host. The answer may be lost.
    fn arrive_as_call(&mut self, client: usize, request: &HttpRequest) -> Result<(), String> {
        let Client { table, quality, .. } = self.clients[client];
        self.trace.note(b'C', client as u64, &request.body);
        let (outcomes, answer) = self.at_host(table, |host, now, env| host.call(now, request, env))?;
        let arrival = self.network.carry_answer(quality, &mut self.dice, &mut self.report);
        if let (Some(answer), Some(after)) = (answer, arrival) {
            let message = serde_json::from_str(&answer.body).map_err(|error| format!("{error}: {}", answer.body))?;
            self.schedule(after, Event::Answered { client, message: Box::new(message) });
        }
        self.carry_out(table, outcomes)
    }

    fn stall(&mut self, link: ConnectionId) -> Result<(), String> {
        let Some(way) = self.network.links.get(&link).filter(|way| way.open_at_host) else { return Ok(()) };
        let table = way.table;
        let outcomes = self.at_host(table, |host, now, env| host.stall(now, link, env))?;
        self.carry_out(table, outcomes)
    }

    fn arrive_at_client(&mut self, link: ConnectionId, message: &ServerMessage) -> Result<(), String> {
        let Some(way) = self.network.links.get(&link).filter(|way| way.open_at_client) else { return Ok(()) };
        let client = way.client;
        self.trace.note(b'D', link, "");
        if self.clients[client].link != Some(link) {
            return Ok(());
        }
        let wishes = self.clients[client].hear(self.now, message, &mut self.report)?;
        self.perform(client, wishes);
        // A message may make the client act before its next scheduled wake-up.
        let pause = if self.clients[client].is_settling { 1 } else { self.dice.between(5, 300) };
        if self.now + pause < self.clients[client].wakes_at {
            self.wake_after(client, pause);
        }
        Ok(())
    }

    fn close_at_host(&mut self, link: ConnectionId) -> Result<(), String> {
        let Some(way) = self.network.links.get_mut(&link).filter(|way| way.open_at_host) else { return Ok(()) };
        way.open_at_host = false;
        let table = way.table;
        let outcomes = self.at_host(table, |host, now, env| host.close(now, link, env))?;
        self.carry_out(table, outcomes)
    }

    fn close_at_client(&mut self, link: ConnectionId) {
        let Some(way) = self.network.links.get_mut(&link) else { return };
        way.open_at_client = false;
        let client = way.client;
        if self.clients[client].link == Some(link) {
            self.clients[client].cut();
            let after = self.dice.between(10, 800);
            self.wake_after(client, after);
        }
    }

    fn wake(&mut self, client: usize) -> Result<(), String> {
        let host = &self.hosts[self.clients[client].table];
        let insight = Insight { now: self.now, game_events: host.audit.game_events(), dead_keys: &host.dead_keys };
        let wishes = self.clients[client].wake(&insight, &mut self.dice, &mut self.report);
        let has_nothing_to_do = wishes.is_empty();
        self.perform(client, wishes);
        let pace = match self.clients[client].kind {
            _ if self.clients[client].is_settling => 500,
            // Any message wakes it up earlier.
            Kind::Creator | Kind::Person if has_nothing_to_do => self.dice.between(800, 3000),
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

    fn perform(&mut self, client: usize, wishes: Vec<Wish>) {
        for wish in wishes {
            match wish {
                Wish::Connect => self.connect(client),
                Wish::Close => self.hang_up(client),
                Wish::Send { text, is_lie } => self.send_up(client, &text, is_lie),
                Wish::Call(request) => self.send_call(client, request),
                Wish::Hand { grant, key } => {
                    let table = self.clients[client].table;
                    self.welcome(table, &grant, key);
                }
            }
        }
    }

    fn connect(&mut self, client: usize) {
        let Client { table, quality, .. } = self.clients[client];
        let link = self.network.open(client, table, quality);
        let wish = self.clients[client].connected(self.now, link);
        self.perform(client, wish.into_iter().collect());
    }

    /// Closes a connection at the client. The host notices later, perhaps much later.
    fn hang_up(&mut self, client: usize) {
        let Some(link) = self.clients[client].link else { return };
        self.report.disconnects += 1;
        let after = if self.dice.once_in(4) { self.dice.between(2000, 20_000) } else { self.dice.between(1, 300) };
        self.schedule(after, Event::Gone { link });
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
                self.schedule(after, Event::Timer { table });
            }
            _ => {}
        }
        self.schedule(after.max(1), Event::Timer { table });
    }

    fn fire(&mut self, table: usize) -> Result<(), String> {
        self.timers[table] = None;
        let outcomes = self.at_host(table, Host::tick)?;
        self.carry_out(table, outcomes)
    }

    fn restart(&mut self, table: usize) -> Result<(), String> {
        let outcomes = self.at_host(table, Host::wake)?;
        self.carry_out(table, outcomes)
    }

    /// Handles the crash of a host: schedules its restart and usually closes its connections.
    fn handle_crash(&mut self, table: usize, keeps_links: bool) {
        self.timers[table] = None;
        if keeps_links {
            self.report.evictions += 1;
        } else {
            self.report.crashes += 1;
            self.cut_all(table);
        }
        let after = self.dice.between(1, 1500);
        self.schedule(after, Event::Restart { table });
    }

    fn cut_all(&mut self, table: usize) {
        for link in self.network.of_table(table) {
            if let Some(way) = self.network.links.get_mut(&link) {
                way.open_at_host = false;
            }
            let after = self.dice.between(1, 600);
            self.schedule(after, Event::Cut { link });
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
            5 | 6 => self.cut_one(table),
            7 => self.look_without_connection(),
            8 => self.stall_one(table)?,
            _ => {}
        }
        let after = self.dice.between(300, 2500);
        self.schedule(after, Event::Fault);
        Ok(())
    }

    /// Requests the state of a table over HTTP, with a valid key, an invalid one, or none.
    fn look_without_connection(&mut self) {
        let client = self.dice.below(self.clients.len() as u64) as usize;
        let dead = &self.hosts[self.clients[client].table].dead_keys;
        let keys: Vec<&SecretKey> = self.clients.iter().filter_map(|client| client.key.as_ref()).collect();
        let key = match self.dice.below(4) {
            0 => None,
            1 if !dead.is_empty() => Some(self.dice.pick(dead)),
            _ if !keys.is_empty() => Some(self.dice.pick(&keys).clone()),
            _ => None,
        };
        self.send_call(client, HttpRequest::state(key.as_ref()));
    }

    /// Stalls a random connection for a while.
    fn stall_one(&mut self, table: usize) -> Result<(), String> {
        let links = self.network.of_table(table);
        if links.is_empty() {
            return Ok(());
        }
        let link = self.dice.pick(&links);
        let after = self.dice.between(100, 8000);
        self.schedule(after, Event::CaughtUp { link });
        self.stall(link)
    }

    /// A random clock jump: usually small, sometimes hours.
    fn clock_jump(&mut self, most: u64) -> i64 {
        let jump =
            if self.dice.once_in(6) { self.dice.between(3_600_000, 90_000_000) } else { self.dice.between(1, most) };
        jump as i64
    }

    /// Breaks a random connection. Each end notices at its own time.
    fn cut_one(&mut self, table: usize) {
        let links = self.network.of_table(table);
        if links.is_empty() {
            return;
        }
        let link = self.dice.pick(&links);
        self.report.disconnects += 1;
        let (here, there) = (self.dice.between(1, 500), self.dice.between(1, 5000));
        self.schedule(here, Event::Cut { link });
        self.schedule(there, Event::Gone { link });
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
            let outcomes = self.at_host(table, Host::catch_up_all)?;
            self.carry_out(table, outcomes)?;
            for link in self.network.of_table(table) {
                self.close_at_host(link)?;
            }
        }
        for number in 0..self.clients.len() {
            self.clients[number].cut();
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
        let most = self.report.steps + MAX_STEPS;
        while self.clients.iter().any(|client| !client.is_at_rest()) || self.has_messages() {
            if !self.step()? || self.report.steps > most {
                return Err("a healed world does not settle".into());
            }
        }
        Ok(())
    }

    fn has_messages(&self) -> bool {
        self.queue.values().any(Event::is_message)
    }

    /// Checks that the live state can be rebuilt from the store, and that every client has the current view.
    fn look_over(&mut self) -> Result<(), String> {
        for table in 0..self.hosts.len() {
            self.look_over_table(table)?;
        }
        for client in self.clients.iter().filter(|client| client.should_reconnect()) {
            self.look_over_client(client)?;
        }
        self.clients.iter().try_for_each(|client| self.look_over_promises(client))
    }

    /// Checks that everything a client was told is stored: each request once, each session with its key.
    fn look_over_promises(&self, client: &Client) -> Result<(), String> {
        let audit = &self.hosts[client.table].audit;
        for request in &client.acknowledged {
            let times = audit.times_done(request);
            if times != 1 {
                return Err(format!("{request} was acknowledged but is stored {times} times"));
            }
        }
        for (player, key) in &client.sessions {
            if !audit.guests.get(player).is_some_and(|guest| guest.session.key.is_of(key)) {
                return Err(format!("client {} was told that it joined as {player}, but that is lost", client.number));
            }
        }
        Ok(())
    }

    fn look_over_client(&self, client: &Client) -> Result<(), String> {
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

    fn look_over_table(&mut self, table: usize) -> Result<(), String> {
        let log = read_again(&self.hosts[table].log)?;
        let randomness: [u8; 32] = self.dice.bytes();
        let prefix = self.dice.between(1, log.len() as u64) as usize;
        self.look_over_stuck(table)?;
        for kept in [log.len(), prefix] {
            rebuild(&self.hosts[table], &log[..kept], &randomness)?;
        }
        self.look_over_proof(table)?;
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

    /// Checks that the record of a finished game with secret deals can be verified.
    fn look_over_proof(&mut self, table: usize) -> Result<(), String> {
        let Some(record) = self.hosts[table].room().and_then(Room::fair_record) else { return Ok(()) };
        self.report.fair_records += 1;
        record
            .verify()
            .map(|_| ())
            .map_err(|unfair| format!("the record of a finished game cannot be verified: {unfair}"))
    }

    /// Checks that every connected player whose turn it is has an action to take.
    fn look_over_stuck(&self, table: usize) -> Result<(), String> {
        let host = &self.hosts[table];
        let Some(seat) = host.audit.now().state.and_then(|state| state.to_act()) else { return Ok(()) };
        let control = host.audit.now().control[seat.index()];
        let acts = |client: &&Client| {
            let guest = client.link.and_then(|link| host.audit.guest_at(host.player(link)?, host.audit.version()));
            guest.is_some_and(|guest| guest.session.seat == Some(seat) && guest.session.control == control)
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

/// Serializes and deserializes a log, and checks that it is unchanged.
fn read_again(log: &[StoredEvent]) -> Result<Vec<StoredEvent>, String> {
    let text = serde_json::to_string(log).map_err(|error| error.to_string())?;
    let again: Vec<StoredEvent> = serde_json::from_str(&text).map_err(|error| error.to_string())?;
    if again == log { Ok(again) } else { Err("a log changes when it is stored and read".into()) }
}

/// Restores a room from a log or a prefix of one, and checks that it is in the state of the log. It may append events at
/// once.
fn rebuild(host: &Host, log: &[StoredEvent], randomness: &[u8; 32]) -> Result<(), String> {
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
