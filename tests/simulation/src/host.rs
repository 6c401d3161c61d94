//! A host: a room, its store, and the connections. It does effects in their order and may die between any two of them;
//! then only what was stored is left, and the room is built again from that.

use std::{
    collections::{BTreeMap, BTreeSet},
    ops::RangeInclusive,
};

use texas42_protocol::{
    Capability, ClientMessage, ErrorCode, Follower, GameId, Heard, MOST_MESSAGE_BYTES, PlayerId, RequestId, Role,
    SecretKey, ServerMessage, WireError,
};
use texas42_room::{ConnectionId, Effect, Event, NewTable, Room, Stored};
use texas42_vocab::{Hand, Seat};

use crate::{
    audit::Audit,
    checks::{self, Bytes},
    dice::Dice,
    report::Report,
    tables,
    trace::Trace,
};

/// What a host did that others notice.
pub(crate) enum Outcome {
    Sent {
        to: ConnectionId,
        text: String,
    },
    Wanted {
        seat: Seat,
        key: SecretKey,
    },
    Released {
        seat: Seat,
    },
    /// The room is gone; with it the connections, unless they outlive it.
    Died {
        keeps_links: bool,
    },
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
    pub(crate) room: Option<Room>,
    pub(crate) log: Vec<Stored>,
    pub(crate) audit: Audit,
    /// Keys that open nothing any more.
    pub(crate) dead_keys: Vec<SecretKey>,
    /// The key that the creator made, if it made one.
    pub(crate) founder_key: Option<SecretKey>,
    session_keys: BTreeMap<PlayerId, SecretKey>,
    /// The keys of the programs that were called last, by seat.
    called: BTreeMap<Seat, SecretKey>,
    /// The keys that the request at hand brings along: its own, and the one that it opens the table with.
    brought: Brought,
    invitation_keys: BTreeMap<u32, SecretKey>,
    visitors: BTreeMap<ConnectionId, Visitor>,
    /// How far its clock is from the world's, in milliseconds.
    pub(crate) clock: i64,
    /// It dies after so many more effects.
    pub(crate) dies_after: Option<u64>,
    /// Nothing goes wrong any more.
    pub(crate) is_healed: bool,
    /// The connection whose message is being handled.
    asking: Option<ConnectionId>,
    echo: Hand,
    errors: u64,
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
    /// Sets up a table for a connection; nothing goes wrong before its creator sits.
    pub(crate) fn create(
        number: usize,
        link: ConnectionId,
        around: &mut Around<'_>,
    ) -> Result<(Self, Vec<Outcome>), String> {
        let id = GameId::try_from(format!("table-{number}").as_str()).map_err(|error| error.to_string())?;
        let (mut room, founder_key) = loop {
            let new = NewTable { id: id.clone(), randomness: around.dice.bytes(), connection: link };
            let message = tables::creation(around.dice);
            let brought = Brought::by(&message);
            match Room::create(0, new, message) {
                Ok(room) => break (room, brought.own),
                Err(_) => around.report.refused_tables += 1,
            }
        };
        let Some(Effect::Store(log)) = room.poll_effect() else { return Err("a table begins with a store".into()) };
        let mut audit = Audit::new(&log[0])?;
        log[1..].iter().try_for_each(|stored| audit.take(stored, around.report))?;
        let mut host = Self {
            id,
            room: Some(room),
            log,
            audit,
            dead_keys: Vec::new(),
            brought: Brought { own: founder_key.clone(), opening: None },
            founder_key,
            session_keys: BTreeMap::new(),
            called: BTreeMap::new(),
            invitation_keys: BTreeMap::new(),
            visitors: BTreeMap::new(),
            clock: 0,
            dies_after: None,
            is_healed: true,
            asking: None,
            echo: Hand::EMPTY,
            errors: 0,
        };
        let outcomes = host.drain(around)?;
        host.is_healed = false;
        around.report.tables += 1;
        Ok((host, outcomes))
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

    /// Builds the room again if it is gone.
    pub(crate) fn wake(&mut self, now: u64, around: &mut Around<'_>) -> Result<Vec<Outcome>, String> {
        if self.room.is_some() {
            return Ok(Vec::new());
        }
        around.report.restores += 1;
        let randomness = around.dice.bytes();
        let room = Room::restore(self.time(now), self.id.clone(), &randomness, &self.log);
        self.room = Some(room.map_err(|error| format!("a stored log cannot be restored: {error}"))?);
        self.drain(around)
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
        if self.room.is_none() {
            return Ok(outcomes);
        }
        let is_lie = is_lie && !self.is_entitled(link, text);
        let version = self.audit.version();
        let errors = self.errors;
        self.asking = Some(link);
        self.echo = checks::dominoes_in(text);
        outcomes.extend(self.take_in(now, link, text, around)?);
        self.asking = None;
        self.echo = Hand::EMPTY;
        if is_lie {
            around.report.lies += 1;
            around.report.refused_lies += self.errors - errors;
            let live = self.room.as_ref().map_or(version, Room::version);
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
        match read(text) {
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
        let message = match read(text) {
            Ok(message) => message,
            Err(problem) => return Ok(vec![self.answer(link, problem)]),
        };
        let visitor = self.visitors.entry(link).or_default();
        let is_joined = visitor.player.is_some();
        match message {
            ClientMessage::Subscribe { ref game_id } if *game_id == self.id && is_joined => {
                visitor.is_subscribed = true;
            }
            ClientMessage::Unsubscribe { ref game_id } if *game_id == self.id && is_joined => {
                visitor.is_subscribed = false;
                around.report.unsubscribed += 1;
            }
            _ => {}
        }
        around.report.requests += 1;
        self.brought = Brought::by(&message);
        let decision = Decision::of(&message, self.player(link), &self.audit);
        let own_session = self.session_of(&message);
        let Some(room) = &mut self.room else { return Ok(Vec::new()) };
        room.handle_message(time, link, message);
        let outcomes = self.drain(around)?;
        decision.map_or(Ok(()), |decision| decision.check(&self.audit))?;
        match own_session.filter(|_| outcomes.iter().any(|outcome| is_refused_join(outcome, link))) {
            Some(player) => Err(format!("somebody was refused the own session {player}")),
            None => Ok(outcomes),
        }
    }

    /// The session to which a client comes back with the key that it made itself. Nobody is refused that.
    fn session_of(&self, message: &ClientMessage) -> Option<PlayerId> {
        let ClientMessage::JoinGame { game_id, session_key: Some(key), .. } = message else { return None };
        let mut there = self.audit.guests.values().filter(|guest| guest.ended_at.is_none() && *game_id == self.id);
        there.find(|guest| guest.session.key.is_of(key)).map(|guest| guest.session.player_id.clone())
    }

    /// The host's own answer to what no room can read.
    fn answer(&mut self, to: ConnectionId, error: WireError) -> Outcome {
        self.errors += 1;
        let message = ServerMessage::Error { request_type: None, request_id: None, error, version: None, view: None };
        Outcome::Sent { to, text: serde_json::to_string(&message).expect("a message is JSON") }
    }

    /// A connection is gone.
    pub(crate) fn close(
        &mut self,
        now: u64,
        link: ConnectionId,
        around: &mut Around<'_>,
    ) -> Result<Vec<Outcome>, String> {
        self.visitors.remove(&link);
        let time = self.time(now);
        let Some(room) = &mut self.room else { return Ok(Vec::new()) };
        room.handle_disconnect(time, link);
        self.drain(around)
    }

    /// A timer fires, in time or not.
    pub(crate) fn tick(&mut self, now: u64, around: &mut Around<'_>) -> Result<Vec<Outcome>, String> {
        let time = self.time(now);
        let Some(room) = &mut self.room else { return Ok(Vec::new()) };
        room.handle_time(time);
        self.drain(around)
    }

    /// The host dies.
    pub(crate) fn die(&mut self) {
        self.room = None;
        self.visitors.clear();
        self.dies_after = None;
    }

    /// Does every effect, in order.
    fn drain(&mut self, around: &mut Around<'_>) -> Result<Vec<Outcome>, String> {
        let mut outcomes = Vec::new();
        while let Some(effect) = self.room.as_mut().and_then(Room::poll_effect) {
            if self.is_dying() {
                around.report.crashes_between_effects += 1;
                return Ok(self.fail(outcomes, around));
            }
            match effect {
                Effect::Store(events) => {
                    if !self.store(events, around)? {
                        return Ok(self.fail_to_store(outcomes, around));
                    }
                }
                Effect::Send { to, message } => outcomes.extend(self.send(to, &message, around)?),
                Effect::WantAi { seat, key } => {
                    around.keys.insert(String::from(key.clone()));
                    let old = self.called.insert(seat, key.clone());
                    self.bury_call(old);
                    outcomes.push(Outcome::Wanted { seat, key });
                }
                Effect::ReleaseAi { seat } => {
                    let old = self.called.remove(&seat);
                    self.bury_call(old);
                    outcomes.push(Outcome::Released { seat });
                }
            }
        }
        self.check_live(around)?;
        Ok(outcomes)
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
        self.die();
        outcomes.push(Outcome::Died { keeps_links: around.dice.once_in(3) });
        outcomes
    }

    /// The one who asked may be told that nothing was written down; nobody is told anything else.
    fn fail_to_store(&mut self, mut outcomes: Vec<Outcome>, around: &mut Around<'_>) -> Vec<Outcome> {
        if let Some(link) = self.asking.filter(|_| around.dice.once_in(2)) {
            let error = WireError::new(ErrorCode::NotStored, "the table could not write it down; try again");
            outcomes.push(self.answer(link, error));
        }
        self.fail(outcomes, around)
    }

    /// Writes events down, all or none. A store may also fail after it has written.
    fn store(&mut self, events: Vec<Stored>, around: &mut Around<'_>) -> Result<bool, String> {
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
        self.log.extend(events);
        around.report.doubtful_stores += u64::from(fails);
        Ok(!fails)
    }

    /// The key of a call that is over opens nothing, unless the program that came with it is still at the table.
    fn bury_call(&mut self, key: Option<SecretKey>) {
        let is_used = |key: &SecretKey| self.session_keys.values().any(|used| used == key);
        self.dead_keys.extend(key.filter(|key| !is_used(key)));
    }

    /// Notes which keys an event makes useless.
    fn bury_keys(&mut self, event: &Event) {
        if let Event::Revoked { number, .. } = event {
            self.dead_keys.extend(self.invitation_keys.remove(number));
        }
        let version = self.audit.version();
        let ended = self.audit.guests.values().filter(|guest| guest.ended_at == Some(version));
        let ended = ended.filter_map(|guest| self.session_keys.remove(&guest.session.player_id));
        self.dead_keys.extend(ended);
    }

    fn send(
        &mut self,
        to: ConnectionId,
        message: &ServerMessage,
        around: &mut Around<'_>,
    ) -> Result<Option<Outcome>, String> {
        let text = serde_json::to_string(message).map_err(|error| error.to_string())?;
        around.trace.note(b'M', to, &text);
        around.report.messages += 1;
        self.note(to, message, around);
        self.check_message(to, message, &text, around).map_err(|error| format!("to connection {to}: {error}"))?;
        Ok(Some(Outcome::Sent { to, text }))
    }

    /// What the host learns from what it sends.
    fn note(&mut self, to: ConnectionId, message: &ServerMessage, around: &mut Around<'_>) {
        if let Some(key) = checks::key_of(message) {
            around.keys.insert(key);
        }
        match message {
            ServerMessage::GameCreated { player_id, key, .. } => {
                self.note_session(player_id, key.as_ref(), around);
                self.seat(to, player_id);
            }
            ServerMessage::Joined { player_id, key, .. } => {
                let is_new = self.note_session(player_id, key.as_ref(), around);
                around.report.joins += u64::from(is_new);
                around.report.comebacks += u64::from(!is_new);
                self.seat(to, player_id);
            }
            ServerMessage::Left { .. } => {
                self.visitors.remove(&to);
            }
            ServerMessage::Invited { is_revoked: true, .. } => around.report.revocations += 1,
            ServerMessage::Invited { invitation, key, .. } => {
                around.report.invitations += 1;
                if let Some(key) = key.as_ref().or(self.brought.opening.as_ref()) {
                    around.keys.insert(String::from(key.clone()));
                    self.invitation_keys.entry(*invitation).or_insert_with(|| key.clone());
                }
            }
            ServerMessage::Error { error, .. } => {
                self.errors += 1;
                around.report.stale += u64::from(error.code == ErrorCode::Stale);
            }
            ServerMessage::StateUpdate { ack: Some(ack), version, .. } => {
                around.report.acks += 1;
                around.report.repeated_acks += u64::from(ack.version != *version);
            }
            _ => {}
        }
    }

    /// The key of a session is the one that the table tells, the one that the client brought, or the one that a program
    /// was called with. Says whether the session is new; watchers without a key have none.
    fn note_session(&mut self, player: &PlayerId, told: Option<&SecretKey>, around: &mut Around<'_>) -> bool {
        let is_known = self.session_keys.contains_key(player) || !self.audit.guests.contains_key(player);
        let key = told.or(self.brought.own.as_ref()).or(self.brought.opening.as_ref());
        let Some(key) = key.filter(|_| !is_known).cloned() else { return false };
        around.keys.insert(String::from(key.clone()));
        self.session_keys.insert(player.clone(), key);
        true
    }

    /// One connection a session, and one session a connection.
    fn seat(&mut self, link: ConnectionId, player: &PlayerId) {
        for visitor in self.visitors.values_mut().filter(|visitor| visitor.player.as_ref() == Some(player)) {
            visitor.player = None;
        }
        let visitor = Visitor { player: Some(player.clone()), is_subscribed: true, shadow: Follower::default() };
        self.visitors.insert(link, visitor);
    }

    fn check_message(
        &mut self,
        to: ConnectionId,
        message: &ServerMessage,
        text: &str,
        around: &mut Around<'_>,
    ) -> Result<(), String> {
        let visitor = self.visitors.entry(to).or_default();
        let player = visitor.player.as_ref();
        checks::stored_first(&self.audit, player, message)?;
        Bytes { audit: &self.audit, player, keys: around.keys, echo: self.echo }.check(message, text)?;
        let is_update = matches!(message, ServerMessage::StateUpdate { patch: Some(_), .. });
        if is_update && !visitor.is_subscribed {
            return Err("an update to somebody who asked for none".into());
        }
        let held = visitor.shadow.table().map(|(version, _)| version);
        let heard = visitor.shadow.hear(message);
        let Some((version, view)) = visitor.shadow.table() else { return Ok(()) };
        if is_update && (heard == Heard::Gap || held.is_none_or(|held| held + 1 != version)) {
            return Err(format!("an update from {held:?} to {:?} leaves a gap", message.version()));
        }
        if heard != Heard::Changed {
            return Ok(());
        }
        let player = player.ok_or("a view for somebody without a session")?;
        if let Some(ended) = self.audit.guests.get(player).and_then(|guest| guest.ended_at)
            && is_update
            && version > ended
        {
            return Err(format!("{player} left at version {ended} and is told of version {version}"));
        }
        checks::view(&self.audit, player, version, view, around.report)
    }

    /// What is live is what is stored, and everybody has been told how it stands.
    fn check_live(&self, around: &mut Around<'_>) -> Result<(), String> {
        let Some(room) = &self.room else { return Ok(()) };
        let stored = self.log.len() as u64;
        if room.version() != stored || self.audit.version() != stored {
            return Err(format!("the room is at version {}, {stored} events are stored", room.version()));
        }
        if room.state() != self.audit.now().state.as_ref() {
            return Err("the room and its log stand differently".into());
        }
        if self.is_healed || around.dice.once_in(6) {
            self.check_views(room)?;
        }
        Ok(())
    }

    fn check_views(&self, room: &Room) -> Result<(), String> {
        for (link, visitor) in &self.visitors {
            let shown = room.view_for(*link);
            let Some(player) = visitor.player.as_ref().filter(|_| self.is_at_table(*link)) else {
                if shown.is_some() {
                    return Err(format!("connection {link} has no session and is still shown the table"));
                }
                continue;
            };
            let Some(shown) = shown else { return Err(format!("{player} on connection {link} is forgotten")) };
            if visitor.is_subscribed && visitor.shadow.table() != Some((room.version(), &shown)) {
                let held = visitor.shadow.table().map(|(_, view)| serde_json::to_string(view).unwrap_or_default());
                let shown = serde_json::to_string(&shown).unwrap_or_default();
                return Err(format!("{player} was told otherwise than it stands:\n{held:?}\n{shown}"));
            }
        }
        Ok(())
    }
}

/// An action that has not been done yet, and the versions on which it may have been decided.
struct Decision {
    player: PlayerId,
    request: RequestId,
    version: u64,
    fresh: RangeInclusive<u64>,
}

impl Decision {
    fn of(message: &ClientMessage, player: Option<&PlayerId>, audit: &Audit) -> Option<Self> {
        let ClientMessage::ExecuteAction { request_id, version, .. } = message else { return None };
        let player = player.filter(|player| audit.done_at(player, request_id).is_none())?.clone();
        let fresh = audit.game_version..=audit.version();
        Some(Self { player, request: request_id.clone(), version: *version, fresh })
    }

    fn check(&self, audit: &Audit) -> Result<(), String> {
        let Self { player, request, version, fresh } = self;
        match audit.done_at(player, request) {
            Some(_) if !fresh.contains(version) => {
                Err(format!("{player}'s {request} was decided on version {version} and done after {fresh:?}"))
            }
            _ => Ok(()),
        }
    }
}

/// Everything from outside is bounded when it is read.
fn read(text: &str) -> Result<ClientMessage, WireError> {
    if text.len() > MOST_MESSAGE_BYTES {
        return Err(WireError::new(ErrorCode::BadMessage, "the message is too long"));
    }
    serde_json::from_str(text).map_err(|error| WireError::new(ErrorCode::BadMessage, error.to_string()))
}

/// Whether this refuses a connection a way to the table.
fn is_refused_join(outcome: &Outcome, link: ConnectionId) -> bool {
    let Outcome::Sent { to, text } = outcome else { return false };
    let is_refused = |message: &ServerMessage| matches!(message, ServerMessage::Error { request_type: Some(kind), .. } if kind == "JOIN_GAME");
    *to == link && serde_json::from_str(text).is_ok_and(|message| is_refused(&message))
}
