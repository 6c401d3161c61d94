//! The lobby of a table: a short code that leads to it, and the guests who ask the host to be let in.
//!
//! A code grants nothing. A guest who knocks with it has no session and sees no view; the host admits the guest with an
//! invite for the key that the guest has sent. Invariant: nothing in the lobby is an event, and no seat depends on it. The
//! adapter keeps the code and the guests of open connections, so that a restored room continues with them.

use alloc::{collections::VecDeque, vec::Vec};

use serde::{Deserialize, Serialize};
use texas42_kernel::{KeyHash, Session};
use texas42_phrases::Problem;
use texas42_protocol::{
    Capability, Grant, KnockStatus, LobbyCode, LobbyGuest, LobbyPlayer, Name, PlayerId, RequestId, Role, SecretKey,
    ServerMessage, WireError,
};
use texas42_vocab::{Config, Control, Seat};

use super::{Connection, ConnectionId, Effect, Rejection, Room, check_client_key, join, reject};
use crate::allowance::{Allowance, Limit};

/// How long a code is valid, in milliseconds.
const CODE_TIME: u64 = 15 * 60_000;
/// How long a guest waits, in milliseconds.
const WAITING_TIME: u64 = 5 * 60_000;
/// How long a guest without a connection counts as waiting after a call, in milliseconds.
const POLLING_TIME: u64 = 20_000;
/// How long a guest may take to reconnect, in milliseconds.
const RECONNECT_TIME: u64 = 5_000;
/// The maximum number of guests who wait. The host sees all of them.
const MAX_WAITING: usize = 8;
/// The maximum number of requests with one code, so that nobody can keep pestering the host.
const MAX_KNOCKS: u8 = 40;
/// The number of decisions that are remembered for guests who ask without a connection.
const MAX_DECIDED: usize = 16;
/// How often a table asks for another code because a code is taken.
const MAX_CLAIMS: u8 = 4;
/// The maximum number of requests that wait for the same code.
const MAX_CLAIMING: usize = 8;
/// How many wrong codes a table answers.
const WRONG_CODES: Limit = Limit { burst: 10, interval: 30_000 };

/// A code, and when it expires on the clock of the adapter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OpenCode {
    /// The code.
    pub code: LobbyCode,
    /// When it expires, in milliseconds.
    pub until: u64,
}

/// The answer of the host to [`Effect::ClaimCode`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CodeClaim {
    /// The code leads to the table now.
    Granted,
    /// The code leads to another table.
    Taken,
    /// The host has no code for the table.
    Refused(Problem),
}

/// A guest who waits in the lobby, for hosts whose connections outlive the room.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct WaitingGuest {
    name: Name,
    key: KeyHash,
    /// When the guest stops waiting, on the clock of the adapter.
    until: u64,
}

/// What a guest requests.
pub(super) struct KnockRequest {
    pub(super) code: LobbyCode,
    pub(super) name: Name,
    pub(super) key: Option<SecretKey>,
    /// Whether the request comes without a connection, and is repeated.
    pub(super) is_call: bool,
}

/// The lobby. Its times are on the clock of the table.
#[derive(Debug, Default)]
pub(super) struct Lobby {
    code: Option<OpenCode>,
    claim: Option<Claim>,
    guests: Vec<Guest>,
    /// The decisions about the last guests.
    decided: VecDeque<(KeyHash, KnockStatus)>,
    /// The number of guests who have knocked with the current code.
    knocks: u8,
    /// The wrong codes that were tried lately.
    wrong_codes: Allowance,
    /// Incremented with each change that the host sees.
    version: u64,
}

/// A code that the table has asked its host for.
#[derive(Debug)]
struct Claim {
    code: OpenCode,
    attempts: u8,
    requests: Vec<(ConnectionId, RequestId)>,
}

#[derive(Debug)]
struct Guest {
    id: PlayerId,
    name: Name,
    key: KeyHash,
    until: u64,
    connection: Option<ConnectionId>,
    /// When a guest without a connection stops counting as waiting.
    expected_until: Option<u64>,
}

impl Guest {
    fn new(name: Name, key: KeyHash, until: u64) -> Self {
        Self { id: key.public_id(), name, key, until, connection: None, expected_until: None }
    }

    fn due(&self) -> u64 {
        self.expected_until.map_or(self.until, |expected| expected.min(self.until))
    }
}

impl Lobby {
    const fn is_empty(&self) -> bool {
        self.code.is_none() && self.guests.is_empty()
    }

    fn due(&self) -> Option<u64> {
        self.code.iter().map(|open| open.until).chain(self.guests.iter().map(Guest::due)).min()
    }
}

// Requests of the person who manages the table.
impl Room {
    /// Asks for a code, or returns the one that is still valid.
    pub(super) fn open_lobby(&mut self, from: ConnectionId, request: RequestId, renew: bool) -> Result<(), Rejection> {
        self.check_manages(from)?;
        self.check_deals_are_secret()?;
        if self.lobby.code.is_some() && !renew {
            self.answer_with_lobby(from, request);
            return Ok(());
        }
        // A request without a connection does not wait together with others, because its host answers one at a time.
        let is_call = self.connections.get(&from).is_some_and(|connection| connection.is_transient);
        match &mut self.lobby.claim {
            Some(claim) if !is_call && claim.requests.len() < MAX_CLAIMING => claim.requests.push((from, request)),
            Some(_) => return Err(reject(Problem::TooManyRequests)),
            None => {
                self.release_code();
                self.claim_code(1, Vec::from([(from, request)]));
            }
        }
        Ok(())
    }

    /// Ends the code and tells the guests who wait.
    pub(super) fn close_lobby(&mut self, from: ConnectionId, request: RequestId) -> Result<(), Rejection> {
        self.check_manages(from)?;
        self.release_code();
        while let Some(guest) = self.lobby.guests.pop() {
            self.decide(&guest, KnockStatus::Closed);
        }
        self.lobby.version += 1;
        self.answer_with_lobby(from, request);
        Ok(())
    }

    /// Turns a guest away. One who is no longer there needs no answer.
    pub(super) fn turn_away(
        &mut self,
        from: ConnectionId,
        request: RequestId,
        guest: &PlayerId,
    ) -> Result<(), Rejection> {
        self.check_manages(from)?;
        if let Some(guest) = self.take_guest(guest) {
            self.decide(&guest, KnockStatus::TurnedAway);
        }
        self.answer_with_lobby(from, request);
        Ok(())
    }

    /// The key of a guest who is about to be let in with this grant.
    pub(super) fn key_of_guest(&mut self, guest: &PlayerId, grant: &Grant) -> Result<KeyHash, Rejection> {
        let Some(key) = self.lobby.guests.iter().find(|waiting| waiting.id == *guest).map(|waiting| waiting.key) else {
            // The session that asks may still see the guest.
            self.lobby.version += 1;
            return Err(reject(Problem::GuestGone));
        };
        self.free_seat(grant, None)?;
        Ok(key)
    }

    /// Tells a guest that the invite for its key has been created.
    pub(super) fn admit(&mut self, guest: &PlayerId) {
        if let Some(guest) = self.take_guest(guest) {
            self.tell(&guest, KnockStatus::Admitted);
        }
    }

    fn check_manages(&self, from: ConnectionId) -> Result<(), Rejection> {
        let manages = self.session_on(from)?.may(Capability::ConfigureVariant);
        if manages { Ok(()) } else { Err(reject(Problem::CannotInvite)) }
    }
}

// The code.
impl Room {
    /// Handles the answer of the host to [`Effect::ClaimCode`].
    pub fn handle_claim(&mut self, answer: CodeClaim) {
        let Some(Claim { code, attempts, requests }) = self.lobby.claim.take() else { return };
        match answer {
            CodeClaim::Granted => {
                (self.lobby.code, self.lobby.knocks) = (Some(code), 0);
                self.lobby.version += 1;
                requests.into_iter().for_each(|(from, request)| self.answer_with_lobby(from, request));
            }
            CodeClaim::Taken if attempts < MAX_CLAIMS => self.claim_code(attempts + 1, requests),
            CodeClaim::Taken => self.refuse_code(requests, &Problem::ServerFull),
            CodeClaim::Refused(problem) => self.refuse_code(requests, &problem),
        }
        self.settle();
    }

    /// Whether a request waits for the answer of the host.
    pub fn awaits_code(&self, from: ConnectionId) -> bool {
        self.lobby.claim.as_ref().is_some_and(|claim| claim.requests.iter().any(|(other, _)| *other == from))
    }

    /// Continues with a code that is still valid, in a restored room.
    pub fn reopen_lobby(&mut self, OpenCode { code, until }: OpenCode) {
        let until = self.clock.to_table_time(until);
        self.lobby.code = Some(OpenCode { code, until }).filter(|_| until > self.clock.now());
    }

    /// What a stranger with a code may know about the table.
    ///
    /// # Errors
    /// If the code is not valid.
    pub fn find_lobby(&mut self, now: u64, code: LobbyCode) -> Result<ServerMessage, WireError> {
        self.clock.advance(now);
        if !self.is_valid(code) {
            return Err(WireError::new(Problem::UnknownCode));
        }
        let hosts = self.table.sessions.iter().filter(|session| session.may(Capability::ConfigureVariant));
        let host = hosts.map(|host| host.name.clone()).next();
        let config = Config { seed: None, deals: Vec::new(), ..self.table.config.clone() };
        let players = Seat::ALL.into_iter().filter_map(|seat| self.player_for_strangers(seat)).collect();
        Ok(ServerMessage::LobbyFound { game_id: self.id.clone(), code, host, config, players })
    }

    fn player_for_strangers(&self, seat: Seat) -> Option<LobbyPlayer> {
        let sitter = self.table.person(seat).or_else(|| self.table.on_seat(seat, Control::Ai))?;
        Some(LobbyPlayer { player_index: seat, name: sitter.name.clone(), control_type: sitter.control })
    }

    fn is_valid(&self, code: LobbyCode) -> bool {
        self.lobby.code.is_some_and(|open| open.code == code && open.until > self.clock.now())
    }

    fn claim_code(&mut self, attempts: u8, requests: Vec<(ConnectionId, RequestId)>) {
        let (code, until) = (self.keys.code(), self.clock.now().saturating_add(CODE_TIME));
        self.lobby.claim = Some(Claim { code: OpenCode { code, until }, attempts, requests });
        let until = self.clock.to_host_time(until);
        self.pending_effects.push(Effect::ClaimCode(OpenCode { code, until }));
    }

    fn release_code(&mut self) {
        if let Some(OpenCode { code, .. }) = self.lobby.code.take() {
            self.pending_effects.push(Effect::ReleaseCode(code));
        }
    }

    fn refuse_code(&mut self, requests: Vec<(ConnectionId, RequestId)>, problem: &Problem) {
        for (from, request) in requests {
            self.refuse(from, "OPEN_LOBBY", Some(request), reject(problem.clone()));
        }
        // The code that was to be replaced is gone.
        self.lobby.version += 1;
    }

    /// Rejects a wrong code, and every code once too many wrong ones were tried.
    fn check_code(&mut self, code: LobbyCode) -> Result<(), Rejection> {
        let now = self.clock.now();
        if !self.lobby.wrong_codes.is_free(WRONG_CODES, now) {
            return Err(reject(Problem::TooManyCodes));
        }
        if self.is_valid(code) {
            return Ok(());
        }
        self.lobby.wrong_codes.note(WRONG_CODES, now);
        Err(WireError::new(Problem::UnknownCode).at("code").into())
    }
}

// The guests.
impl Room {
    /// Adds a guest to the lobby, or repeats the status of a guest who has knocked before.
    pub(super) fn knock(
        &mut self,
        from: ConnectionId,
        request_id: Option<RequestId>,
        request: KnockRequest,
    ) -> Result<(), Rejection> {
        if self.session_on(from).is_ok() {
            return Err(reject(Problem::AlreadyAtTable));
        }
        check_client_key(request.key.as_ref(), "key")?;
        if let Some(status) = self.status_of_knock(from, &request) {
            self.send_knocked(from, request_id, status, None);
            return Ok(());
        }
        self.check_new_key(request.key.as_ref())?;
        self.check_code(request.code)?;
        self.check_newcomer(&request.name)?;
        let (key, issued) = self.hash_or_generate_key(request.key.as_ref());
        let until = self.clock.now().saturating_add(WAITING_TIME);
        self.lobby.guests.retain(|guest| guest.connection != Some(from));
        self.lobby.guests.push(Guest::new(request.name, key, until));
        self.lobby.knocks += 1;
        self.lobby.version += 1;
        self.note_guest_present(from, &key, request.is_call);
        self.send_knocked(from, request_id, KnockStatus::Waiting, issued);
        Ok(())
    }

    /// The status of an earlier request of the same guest. Asking keeps a waiting guest present.
    fn status_of_knock(&mut self, from: ConnectionId, request: &KnockRequest) -> Option<KnockStatus> {
        let Some(key) = &request.key else {
            let is_here = self.lobby.guests.iter().any(|guest| guest.connection == Some(from));
            return is_here.then_some(KnockStatus::Waiting);
        };
        if self.is_invite_key(key) {
            return Some(KnockStatus::Admitted);
        }
        let hash = KeyHash::of(key);
        if self.note_guest_present(from, &hash, request.is_call) {
            return Some(KnockStatus::Waiting);
        }
        self.lobby.decided.iter().find(|(decided, _)| *decided == hash).map(|(_, status)| *status)
    }

    /// Notes that a guest is present; returns whether the guest waits.
    fn note_guest_present(&mut self, from: ConnectionId, key: &KeyHash, is_call: bool) -> bool {
        let expected_until = self.clock.now().saturating_add(POLLING_TIME);
        let Some(guest) = self.lobby.guests.iter_mut().find(|guest| guest.key == *key) else { return false };
        match is_call {
            false => (guest.connection, guest.expected_until) = (Some(from), None),
            true if guest.connection.is_none() => guest.expected_until = Some(expected_until),
            true => {}
        }
        true
    }

    /// Rejects a guest whom the table could not seat, or whose name is taken.
    fn check_newcomer(&self, name: &Name) -> Result<(), Rejection> {
        join::check_name(name)?;
        let names = self.table.sessions.iter().map(|session| &session.name);
        let mut others = names.chain(self.lobby.guests.iter().map(|guest| &guest.name));
        if others.any(|other| other.looks_like(name)) {
            return Err(WireError::new(Problem::NameTaken).at("name").into());
        }
        self.free_seat(&Grant::of(Role::Player), None)?;
        if self.lobby.guests.len() >= MAX_WAITING || self.lobby.knocks >= MAX_KNOCKS {
            return Err(reject(Problem::LobbyFull));
        }
        Ok(())
    }

    /// A guest whose connection is lost has a moment to reconnect.
    pub(super) fn note_guest_disconnected(&mut self, connection: ConnectionId) {
        let expected_until = Some(self.clock.now().saturating_add(RECONNECT_TIME));
        for guest in self.lobby.guests.iter_mut().filter(|guest| guest.connection == Some(connection)) {
            (guest.connection, guest.expected_until) = (None, expected_until);
        }
    }

    /// Somebody who has joined on this connection no longer waits.
    pub(super) fn forget_guest(&mut self, connection: ConnectionId) {
        let before = self.lobby.guests.len();
        self.lobby.guests.retain(|guest| guest.connection != Some(connection));
        self.lobby.version += u64::from(self.lobby.guests.len() < before);
    }

    fn take_guest(&mut self, id: &PlayerId) -> Option<Guest> {
        let at = self.lobby.guests.iter().position(|guest| guest.id == *id)?;
        self.lobby.version += 1;
        Some(self.lobby.guests.remove(at))
    }

    /// Tells a guest that it is not let in, and remembers the decision in case the guest asks again.
    fn decide(&mut self, guest: &Guest, status: KnockStatus) {
        self.tell(guest, status);
        self.lobby.decided.push_back((guest.key, status));
        if self.lobby.decided.len() > MAX_DECIDED {
            self.lobby.decided.pop_front();
        }
    }

    fn tell(&mut self, guest: &Guest, status: KnockStatus) {
        if let Some(connection) = guest.connection {
            self.send_knocked(connection, None, status, None);
        }
    }

    fn send_knocked(
        &mut self,
        to: ConnectionId,
        request_id: Option<RequestId>,
        status: KnockStatus,
        key: Option<SecretKey>,
    ) {
        self.send(to, ServerMessage::Knocked { request_id, game_id: self.id.clone(), status, key });
    }

    /// The guest on a connection. An adapter keeps it to restore the connection later.
    pub fn guest_on(&self, connection: ConnectionId) -> Option<WaitingGuest> {
        let guest = self.lobby.guests.iter().find(|guest| guest.connection == Some(connection))?;
        let until = self.clock.to_host_time(guest.until);
        Some(WaitingGuest { name: guest.name.clone(), key: guest.key, until })
    }

    /// Continues with a guest whose connection outlived the room.
    pub(super) fn restore_guest(&mut self, connection: ConnectionId, guest: &WaitingGuest) {
        let WaitingGuest { name, key, until } = guest.clone();
        self.lobby.guests.retain(|other| other.key != key);
        let guest = Guest::new(name, key, self.clock.to_table_time(until));
        self.lobby.guests.push(Guest { connection: Some(connection), ..guest });
    }
}

// Time, and what the person who manages the table sees.
impl Room {
    /// When the code expires, or the next guest stops waiting.
    pub(super) fn lobby_due(&self) -> Option<u64> {
        self.lobby.due()
    }

    /// Removes the code and the guests whose time is over. The adapter forgets an expired code by itself.
    pub(super) fn expire_lobby(&mut self) {
        let now = self.clock.now();
        if self.lobby.due().is_none_or(|due| due > now) {
            return;
        }
        self.lobby.version += 1;
        self.lobby.code.take_if(|open| open.until <= now);
        for guest in self.lobby.guests.extract_if(.., |guest| guest.due() <= now).collect::<Vec<_>>() {
            // Somebody who has left needs no answer, and may come back.
            if guest.until <= now {
                self.decide(&guest, KnockStatus::Expired);
            }
        }
    }

    /// Sends the lobby to the people who manage the table and have not seen it as it is.
    pub(super) fn show_lobby(&mut self) {
        let (version, is_empty) = (self.lobby.version, self.lobby.is_empty());
        if version == 0 && is_empty {
            return;
        }
        let is_outdated = |connection: &Connection| match connection.lobby {
            Some(shown) => shown != version,
            None => !is_empty,
        };
        let manages = |session: &Session| session.may(Capability::ConfigureVariant);
        let is_due = |connection: &Connection| {
            let is_shown = connection.shown.is_some() && !connection.is_spectator && is_outdated(connection);
            is_shown && self.table.session(&connection.player_id).is_some_and(manages)
        };
        let due = self.connections.iter().filter(|(_, connection)| is_due(connection)).map(|(id, _)| *id);
        for id in due.collect::<Vec<ConnectionId>>() {
            self.send_lobby(id, None);
        }
    }

    fn answer_with_lobby(&mut self, to: ConnectionId, request: RequestId) {
        self.send_lobby(to, Some(request));
    }

    fn send_lobby(&mut self, to: ConnectionId, request_id: Option<RequestId>) {
        if let Some(connection) = self.connections.get_mut(&to) {
            connection.lobby = Some(self.lobby.version);
        }
        let (code, until) = self.lobby.code.map(|open| (open.code, open.until)).unzip();
        let guest =
            |guest: &Guest| LobbyGuest { guest: guest.id.clone(), name: guest.name.clone(), until: guest.until };
        let guests = self.lobby.guests.iter().map(guest).collect();
        self.send(to, ServerMessage::Lobby { request_id, game_id: self.id.clone(), code, until, guests });
    }
}
