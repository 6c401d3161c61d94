//! What happens when people are absent or silent: absences and returns become events, a bot takes over a seat that the
//! table waits for, and another person acts as host.
//!
//! Whom the table waits for, and for how long, follows from the log ([`Table`](crate::table::Table)), so a restored table
//! continues to wait instead of starting over. Only the first seconds after the loss of a connection are not logged.

use alloc::{collections::BTreeMap, vec::Vec};

use texas42_kernel::Session;
use texas42_phrases::Problem;
use texas42_protocol::PlayerId;
use texas42_vocab::{Control, Seat};

use super::{Rejection, Room, reject};
use crate::{
    attendance::{MAX_CONTROL_CHANGES, MAX_INVITES_PER_HAND},
    event::Event,
    table::is_person,
};

/// How long a person may take to reconnect before it counts as absent, in milliseconds.
const RECONNECT_TIME: u64 = 5_000;

// Absences.
impl Room {
    /// When the next absence must be logged, or the next person starts to act as host.
    pub(super) fn absence_due(&self) -> Option<u64> {
        let passing = self.table.next_acting_host().map(|(_, at)| at);
        self.missing.values().copied().chain(passing).min()
    }

    /// Logs returns and absences, and lets another person act as host. Returns whether it did anything.
    pub(super) fn note_absences(&mut self) -> bool {
        self.look_for_people();
        self.log_return() || self.log_absence() || self.pass_host_rights()
    }

    /// Notes who has lost the connection, if anyone's presence has changed. A person who is alone at the table is never
    /// absent, because nobody waits.
    fn look_for_people(&mut self) {
        if core::mem::replace(&mut self.are_people_known, true) {
            return;
        }
        let people: Vec<PlayerId> = self.table.people().map(|person| person.player_id.clone()).collect();
        let until = self.clock.now().saturating_add(RECONNECT_TIME);
        let is_missing = |person: &PlayerId| {
            people.len() > 1 && self.table.attendance.present_since(person).is_some() && !self.has_connection(person)
        };
        let mut missing = BTreeMap::new();
        for person in people.iter().filter(|person| is_missing(person)) {
            missing.insert(person.clone(), self.missing.get(person).copied().unwrap_or(until));
        }
        self.missing = missing;
    }

    fn log_return(&mut self) -> bool {
        let returned = self.table.attendance.returnable().find(|person| self.has_connection(person)).cloned();
        let Some(player_id) = returned else { return false };
        self.commit(Event::PersonReturned { player_id }, None);
        true
    }

    /// Logs the absence of a person who has been without a connection for too long.
    fn log_absence(&mut self) -> bool {
        let now = self.clock.now();
        let due = self.missing.iter().find(|(_, until)| **until <= now).map(|(player, _)| player.clone());
        let Some(player_id) = due else { return false };
        self.missing.remove(&player_id);
        // The other people may have left since.
        let is_still_here = self.table.session(&player_id).is_some_and(is_person);
        if is_still_here && self.table.people().count() > 1 {
            self.commit(Event::PersonAbsent { player_id, has_left: false }, None);
        }
        true
    }

    fn pass_host_rights(&mut self) -> bool {
        let now = self.clock.now();
        let Some((player, _)) = self.table.next_acting_host().filter(|(_, at)| *at <= now) else { return false };
        let player_id = player.clone();
        self.commit(Event::HostPassed { player_id }, None);
        true
    }

    /// Hands the seat of a person who ran out of time or is absent, or of an invited bot that ran out of time, to a bot
    /// of the host.
    pub(super) fn hand_over_when_late(&mut self) -> bool {
        let now = self.clock.now();
        let Some((seat, _)) = self.table.deadline().filter(|(_, at)| *at <= now) else { return false };
        if let Some(bot) = self.table.invited_bot(seat).map(|bot| bot.player_id.clone()) {
            self.let_host_bot_play(&bot, true);
            return true;
        }
        let is_done = self.change_control(seat, Control::Ai, None, None).is_ok();
        self.start_when_complete();
        is_done
    }
}

// Silent people, and limits for each person.
impl Room {
    /// Whether a person may put a bot on a seat because the table has waited for it long enough.
    ///
    /// # Errors
    /// If it has not, how long it still has to wait.
    pub(super) fn check_patience(&self, session: &Session, seat: Seat) -> Result<bool, Rejection> {
        let Some(end) = self.table.end_of_patience(seat).filter(|_| is_person(session)) else { return Ok(false) };
        match end.saturating_sub(self.clock.now()).div_ceil(1000) {
            0 => Ok(true),
            seconds => Err(reject(Problem::WaitLonger { seconds })),
        }
    }

    /// Limits how often a session changes who plays its seat in a hand, so that it cannot fill the log.
    pub(super) fn check_control_changes(&self, player: &PlayerId) -> Result<(), Rejection> {
        if self.table.attendance.control_changes(player) >= MAX_CONTROL_CHANGES {
            return Err(reject(Problem::TooManyControlChanges));
        }
        Ok(())
    }

    /// Limits how many invites a person who does not manage the table creates in a hand, so that they cannot fill the
    /// log of the table.
    pub(super) fn check_invites_per_hand(&self, player: &PlayerId) -> Result<(), Rejection> {
        if self.table.attendance.invites(player) >= MAX_INVITES_PER_HAND {
            return Err(reject(Problem::TooManyInvites));
        }
        Ok(())
    }
}
