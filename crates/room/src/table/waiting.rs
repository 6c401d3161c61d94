//! Determines whom a table waits for and for how long, so that absent or idle players cannot block the others.
//!
//! The results follow from the log alone. All times are times of the table's clock.

use texas42_engine::Game;
use texas42_kernel::Session;
use texas42_protocol::{Capability, PlayerId};
use texas42_vocab::{Control, Seat};

use super::Table;
use crate::{attendance::author, event::Event};

/// How long the people who are present wait for an absent one before a bot takes over, at a table without a time limit
/// and before the first game, in milliseconds.
const ABSENCE_TIME: u64 = 120_000;
/// How long an invited bot may take to decide at a table without a time limit, in milliseconds.
const BOT_TIME: u64 = 120_000;
/// How long all hosts are absent before another person acts as host, in milliseconds.
const HOST_ABSENCE_TIME: u64 = 300_000;
/// How long a person may take before the others may ask for a bot, at a table without a time limit and before the first
/// game, in milliseconds. It is long, so that nobody is disturbed while thinking.
const PATIENCE: u64 = 300_000;

/// Whether a session manages the table.
pub(super) fn is_host(session: &Session) -> bool {
    session.may(Capability::ConfigureVariant)
}

/// Whether the session belongs to a person who plays or manages the table. Visitors wait for nobody.
pub(crate) fn is_person(session: &Session) -> bool {
    session.control == Control::Human && (session.seat.is_some() || is_host(session))
}

// Absent people, and late bots.
impl Table {
    /// The people who play or manage the table.
    pub(crate) fn people(&self) -> impl Iterator<Item = &Session> {
        self.sessions.iter().filter(|session| is_person(session))
    }

    /// When a bot of the host takes over from a person who does not decide, or is absent, or from an invited bot that does
    /// not decide.
    pub(crate) fn deadline(&self) -> Option<(Seat, u64)> {
        match (&self.game, self.options.turn_seconds) {
            (Some(_), Some(seconds)) => {
                let at = self.decision_since.saturating_add(u64::from(seconds) * 1000);
                self.awaited().next().map(|seat| (seat, at))
            }
            (Some(_), None) => self.end_of_bots_time().or_else(|| {
                let people = self.awaited().filter(|seat| self.control(*seat) == Control::Human);
                self.end_of_absences(people, |_| self.decision_since)
            }),
            (None, _) if self.waits_only_for_readiness() => {
                self.end_of_absences(self.unready(), |seat| self.lobby.for_readiness(seat))
            }
            (None, _) => None,
        }
    }

    /// The deadline shown in views. Without a time limit, the deadline for an absent person.
    pub(crate) fn shown_deadline(&self) -> Option<u64> {
        let is_shown = |seat: Seat| self.options.turn_seconds.is_some() || self.control(seat) == Control::Human;
        self.deadline().filter(|(seat, _)| is_shown(*seat)).map(|(_, at)| at)
    }

    /// The seats of people and invited bots that a running game waits for, to decide or to agree.
    fn awaited(&self) -> impl Iterator<Item = Seat> {
        let game = self.game.as_ref().filter(|_| !self.is_full());
        let to_act = game.and_then(|game| game.state().to_act());
        let offers = game.filter(|_| to_act.is_none()).map(Game::legal);
        let must_agree =
            move |seat: Seat| offers.is_some_and(|offers| offers.iter().any(|action| action.player() == Some(seat)));
        let is_remote = |seat: &Seat| self.control(*seat) == Control::Human || self.invited_bot(*seat).is_some();
        let seats = Seat::ALL.into_iter().filter(is_remote);
        seats.filter(move |seat| to_act == Some(*seat) || must_agree(*seat))
    }

    /// At a table without a time limit, the seat of the invited bot that must decide, and the end of its time.
    fn end_of_bots_time(&self) -> Option<(Seat, u64)> {
        let bot = self.awaited().find(|seat| self.control(*seat) == Control::Ai);
        bot.map(|seat| (seat, self.decision_since.saturating_add(BOT_TIME)))
    }

    fn unready(&self) -> impl Iterator<Item = Seat> {
        self.human_seats().filter(|seat| self.options.ready && !self.ready.contains(*seat))
    }

    /// Whether every seat is taken, and somebody is ready.
    fn waits_only_for_readiness(&self) -> bool {
        !self.ready.is_empty() && self.human_seats().all(|seat| self.person(seat).is_some())
    }

    /// When a bot takes over the first of these seats whose person is absent.
    fn end_of_absences(
        &self,
        seats: impl Iterator<Item = Seat>,
        waiting_since: impl Fn(Seat) -> u64,
    ) -> Option<(Seat, u64)> {
        let ends = seats.filter_map(|seat| Some((seat, self.end_of_absence(seat, waiting_since(seat))?)));
        ends.min_by_key(|(_, at)| *at)
    }

    /// When a bot takes over a seat: after the time for an absent person, counted while another person waits.
    fn end_of_absence(&self, seat: Seat, waiting_since: u64) -> Option<u64> {
        let absent_since = match self.person(seat) {
            Some(person) => self.attendance.absent_since(&person.player_id)?,
            None => 0,
        };
        let others = self.people().filter(|person| person.seat != Some(seat));
        let waits_since = others.filter_map(|other| self.attendance.present_since(&other.player_id)).min()?;
        Some(waiting_since.max(absent_since).max(waits_since).saturating_add(ABSENCE_TIME))
    }
}

// People who left.
impl Table {
    /// Whether the person on a seat left the table, keeping the seat, and has not come back.
    pub(crate) fn has_left(&self, seat: Seat) -> bool {
        self.person(seat).is_some_and(|person| self.attendance.has_left(&person.player_id))
    }

    /// Whether a game is in play that waits for a person on this seat, while another seat has a person who did not leave.
    /// A game played alone waits for its person.
    pub(crate) fn keeps_others_waiting(&self, seat: Seat) -> bool {
        let is_running = self.state().is_some_and(|state| !state.phase.is_over());
        let waits = |other: Seat| other != seat && self.person(other).is_some() && !self.has_left(other);
        is_running && self.control(seat) == Control::Human && Seat::ALL.into_iter().any(waits)
    }
}

// Silent people.
impl Table {
    /// When the other people may start to ask for a bot on a seat that the table waits for. In a running game with a time
    /// limit, they never need to.
    pub(crate) fn end_of_patience(&self, seat: Seat) -> Option<u64> {
        let is_missing = || self.control(seat) == Control::Human && self.person(seat).is_none();
        let since = match &self.game {
            Some(_) if self.options.turn_seconds.is_some() => return None,
            Some(_) => self.awaited().any(|awaited| awaited == seat).then_some(self.decision_since),
            None if is_missing() => Some(self.lobby.for_person(seat)),
            None => self.unready().any(|unready| unready == seat).then(|| self.lobby.for_readiness(seat)),
        };
        since.map(|since| since.saturating_add(PATIENCE))
    }
}

// The host.
impl Table {
    /// Who will act as host if all hosts stay absent, and when: the person with a seat who has been present longest.
    pub(crate) fn next_acting_host(&self) -> Option<(&PlayerId, u64)> {
        let mut hosts = self.sessions.iter().filter(|session| is_host(session));
        let absent_since = hosts.try_fold(0, |latest: u64, host| {
            self.attendance.absent_since(&host.player_id).map(|since| latest.max(since))
        })?;
        let seated = self.people().filter(|person| person.seat.is_some() && !is_host(person));
        let present = seated.filter_map(|person| Some((self.attendance.present_since(&person.player_id)?, person)));
        let (present_since, heir) = present.min_by_key(|(since, person)| (*since, person.seat))?;
        Some((&heir.player_id, absent_since.max(present_since).saturating_add(HOST_ABSENCE_TIME)))
    }

    /// Lets a person act as host. A previous acting host is absent, and stops.
    pub(super) fn pass_host_rights(&mut self, player: &PlayerId) {
        self.end_acting_host();
        if let Some(session) = self.sessions.iter_mut().find(|session| session.player_id == *player) {
            session.capabilities.push(Capability::ConfigureVariant);
            self.attendance.acting_host = Some(player.clone());
        }
    }

    /// Ends the rights of the acting host when a host returns or requests something.
    pub(super) fn note_host_event(&mut self, event: &Event) {
        let Some(acting) = self.attendance.acting_host.clone() else { return };
        let returned = match event {
            Event::PersonReturned { player_id } => Some(player_id),
            event => author(event),
        };
        let is_other_host = |session: &&Session| is_host(session) && session.player_id != acting;
        let mut hosts = self.sessions.iter().filter(is_other_host);
        if returned.is_some_and(|player| hosts.any(|host| host.player_id == *player)) {
            self.end_acting_host();
        }
        // If the hosts have left for good, the acting host is the host. An acting host who left has no session.
        let has_other_host = self.sessions.iter().any(|session| is_other_host(&session));
        if !has_other_host || self.session(&acting).is_none() {
            self.attendance.acting_host = None;
        }
    }

    fn end_acting_host(&mut self) {
        let Some(acting) = self.attendance.acting_host.take() else { return };
        let acting = self.sessions.iter_mut().filter(|session| session.player_id == acting);
        acting.for_each(|session| session.capabilities.retain(|held| *held != Capability::ConfigureVariant));
    }
}
