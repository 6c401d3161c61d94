//! Who is present and who is absent, and how long each has been, according to the log.
//!
//! The log records an absence once a connection has been lost for some seconds, and the return. It does not record
//! presence itself. So a restored table knows whom it waits for and when the wait began, and every time limit follows
//! from the log alone.
//!
//! This module also knows when the table began to wait for each seat before the first game, and counts the requests
//! that are limited. The limits apply to each session and start over with each hand, so that one person cannot exhaust
//! the limits of the others.

use alloc::collections::BTreeMap;

use crate::event::Event;
use texas42_protocol::PlayerId;
use texas42_vocab::Seat;

/// How often one session may change who plays its seat in one hand. Each change is logged.
pub(crate) const MAX_CONTROL_CHANGES: u16 = 100;
/// How often the return of one person is logged in one hand. A person who drops more often counts as absent for the
/// rest of the hand, and keeps the seat.
const MAX_RETURNS: u16 = 400;
/// How many invites one person may create in one hand without managing the table. Each one is logged.
pub(crate) const MAX_INVITES_PER_HAND: u16 = 40;
/// How often one player may turn the coaches of the seat on and off in one hand. Each change is logged.
pub(crate) const MAX_COACH_SWITCHES: u16 = 40;

/// One session.
#[derive(Clone, Copy, Debug, Default)]
struct Attendance {
    /// When the session became present or absent.
    since: u64,
    is_absent: bool,
    /// Whether the person asked to leave, and has requested nothing since.
    has_left: bool,
    last_request: u64,
    used: UsageCounts,
}

/// The limited requests of a session in this hand.
#[derive(Clone, Copy, Debug, Default)]
struct UsageCounts {
    control_changes: u16,
    returns: u16,
    invites: u16,
    coach_switches: u16,
}

/// The attendance at a table.
#[derive(Debug, Default)]
pub(crate) struct AttendanceBook {
    sessions: BTreeMap<PlayerId, Attendance>,
    /// Who acts as host while the hosts are absent.
    pub(crate) acting_host: Option<PlayerId>,
}

impl AttendanceBook {
    /// Notes an event, and the session that changed who plays its own seat.
    pub(crate) fn note(&mut self, at: u64, event: &Event, control_changed_by: Option<&PlayerId>) {
        if let Some(by) = author(event) {
            let attendance = self.entry(by);
            (attendance.last_request, attendance.has_left) = (at, false);
        }
        match event {
            Event::Joined { session, .. } => {
                let attendance = Attendance { since: at, last_request: at, ..Attendance::default() };
                self.sessions.insert(session.player_id.clone(), attendance);
            }
            Event::Left { player_id } | Event::GaveUp { player_id } => drop(self.sessions.remove(player_id)),
            Event::PersonAbsent { player_id, has_left } => {
                let attendance = self.entry(player_id);
                (attendance.is_absent, attendance.has_left, attendance.since) = (true, *has_left, at);
            }
            Event::PersonReturned { player_id } => {
                let attendance = self.entry(player_id);
                (attendance.is_absent, attendance.has_left, attendance.since) = (false, false, at);
                attendance.used.returns = attendance.used.returns.saturating_add(1);
            }
            Event::Invited { by, .. } => {
                let used = &mut self.entry(by).used;
                used.invites = used.invites.saturating_add(1);
            }
            Event::CoachAllowed { by, .. } => {
                let used = &mut self.entry(by).used;
                used.coach_switches = used.coach_switches.saturating_add(1);
            }
            Event::Started { .. } | Event::Rematch { .. } => self.begin_hand(),
            _ => {}
        }
        if let Some(player) = control_changed_by {
            let used = &mut self.entry(player).used;
            used.control_changes = used.control_changes.saturating_add(1);
        }
    }

    /// Resets the limits of each hand.
    pub(crate) fn begin_hand(&mut self) {
        self.sessions.values_mut().for_each(|attendance| attendance.used = UsageCounts::default());
    }

    fn entry(&mut self, player: &PlayerId) -> &mut Attendance {
        self.sessions.entry(player.clone()).or_default()
    }

    fn of(&self, player: &PlayerId) -> Attendance {
        self.sessions.get(player).copied().unwrap_or_default()
    }

    /// When a person became absent or, if later, made the last request. `None` for people who are present.
    pub(crate) fn absent_since(&self, player: &PlayerId) -> Option<u64> {
        let Attendance { since, is_absent, last_request, .. } = self.of(player);
        is_absent.then_some(since.max(last_request))
    }

    /// Whether a person left and has not come back.
    pub(crate) fn has_left(&self, player: &PlayerId) -> bool {
        self.of(player).has_left
    }

    /// When a person became present. `None` for people who are absent.
    pub(crate) fn present_since(&self, player: &PlayerId) -> Option<u64> {
        let Attendance { since, is_absent, .. } = self.of(player);
        (!is_absent).then_some(since)
    }

    /// The absent people who may return.
    pub(crate) fn returnable(&self) -> impl Iterator<Item = &PlayerId> {
        self.sessions.keys().filter(|player| self.may_return(player))
    }

    /// Whether the return of this person is logged.
    pub(crate) fn may_return(&self, player: &PlayerId) -> bool {
        let attendance = self.of(player);
        attendance.is_absent && attendance.used.returns < MAX_RETURNS
    }

    /// How often a session has changed who plays its seat in this hand.
    pub(crate) fn control_changes(&self, player: &PlayerId) -> u16 {
        self.of(player).used.control_changes
    }

    /// How often a player has turned the coaches of the seat on and off in this hand.
    pub(crate) fn coach_switches(&self, player: &PlayerId) -> u16 {
        self.of(player).used.coach_switches
    }

    /// How many invites a session has created in this hand.
    pub(crate) fn invites(&self, player: &PlayerId) -> u16 {
        self.of(player).used.invites
    }
}

/// The person or bot who caused an event.
pub(crate) fn author(event: &Event) -> Option<&PlayerId> {
    match event {
        Event::Acted { by, .. } => by.as_ref(),
        event => event.request().map(|(by, _)| by),
    }
}

/// How often the wait for a seat starts over before the first game. Without this limit, somebody who repeatedly takes the
/// seat and gives it up would keep the others waiting forever.
const MAX_LOBBY_RESTARTS: u8 = 5;

/// When the table began to wait for each seat before the first game. Changes of control do not matter: somebody who
/// repeatedly takes the seat back from a bot gains no time.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LobbyWaits {
    since: [u64; 4],
    restarts: [u8; 4],
    /// When the first person became ready, after nobody was.
    ready_since: u64,
}

impl LobbyWaits {
    pub(crate) const fn new(created_at: u64) -> Self {
        Self { since: [created_at; 4], restarts: [0; 4], ready_since: created_at }
    }

    /// Notes an event before the first game, and the seat that somebody takes or gives up with it. Only that seat's wait
    /// starts over. New rules give everybody new time, because everybody has to be ready again; their number is limited.
    pub(crate) fn note(&mut self, at: u64, event: &Event, seat: Option<Seat>) {
        if matches!(event, Event::Configured { .. }) {
            self.since = [at; 4];
        }
        let Some(seat) = seat.map(Seat::index).filter(|seat| self.restarts[*seat] < MAX_LOBBY_RESTARTS) else { return };
        self.restarts[seat] += 1;
        self.since[seat] = at;
    }

    pub(crate) const fn note_first_ready(&mut self, at: u64) {
        self.ready_since = at;
    }

    /// When the table began to wait for somebody to take a seat.
    pub(crate) const fn for_person(&self, seat: Seat) -> u64 {
        self.since[seat.index()]
    }

    /// When the table began to wait for the person on a seat to be ready.
    pub(crate) fn for_readiness(&self, seat: Seat) -> u64 {
        self.since[seat.index()].max(self.ready_since)
    }
}
