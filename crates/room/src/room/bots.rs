//! Invited bots: clients that joined with an invite for a bot and play a seat.
//!
//! An invited bot is present while it has a connection or polls. When it is away, a bot of the host plays its seat, and the
//! invited bot gets the seat back when it returns. The same happens when it is present but does not decide in time; then
//! it gets the seat back with a move, or in the next hand. Each of these is an event, so that a restored table knows who
//! plays.

use alloc::vec::Vec;

use texas42_kernel::Session;
use texas42_protocol::{PlayerId, SecretKey};
use texas42_vocab::{Action, Control, Seat};

use super::{Effect, Rejection, Room};
use crate::event::Event;

/// How long an invited bot counts as present after a call, in milliseconds.
const POLLING_TIME: u64 = 20_000;
/// How long an invited bot may take to reconnect, in milliseconds.
const RECONNECT_TIME: u64 = 5_000;

impl Room {
    /// Notes that the session with this key reads the table without a connection. An invited bot that polls counts as
    /// present, and returns to its seat; a newcomer who waited for the deal gets the seat. Returns whether the
    /// session is one of these two kinds, so that the caller checks for pending work.
    pub fn handle_poll(&mut self, now: u64, key: Option<&SecretKey>) -> bool {
        let Some(player) = key.and_then(|key| self.player_with_key(key)) else { return false };
        let is_bot = self.table.session(&player).is_some_and(Session::is_invited_bot);
        let is_due = self.is_due(&player);
        if is_bot || is_due {
            self.clock.advance(now);
            self.note_bot_call(&player);
            self.seat_due_newcomer(&player);
            self.settle();
        }
        is_bot || is_due
    }

    /// Notes a call of an invited bot. Calls of other sessions do not affect their presence.
    pub(super) fn note_bot_call(&mut self, player: &PlayerId) {
        if self.table.session(player).is_some_and(Session::is_invited_bot) {
            self.expect_bot(player, POLLING_TIME);
            self.return_bot(player);
        }
    }

    /// Gives an invited bot time to reconnect after its connection was lost.
    pub(super) fn note_bot_disconnected(&mut self, player: &PlayerId) {
        let plays = |session: &Session| session.is_invited_bot() && !self.table.is_absent_bot(session);
        let holds_seat = |session: &Session| plays(session) || self.table.is_waiting_bot(session);
        if self.table.session(player).is_some_and(holds_seat) {
            self.expect_bot(player, RECONNECT_TIME);
        }
    }

    /// Gives the invited bots of a restored room time to reconnect.
    pub(super) fn expect_bots(&mut self) {
        let playing = Seat::ALL.into_iter().filter_map(|seat| self.table.invited_bot(seat));
        let players: Vec<PlayerId> = playing.map(|bot| bot.player_id.clone()).collect();
        players.iter().for_each(|player| self.expect_bot(player, RECONNECT_TIME));
    }

    fn expect_bot(&mut self, player: &PlayerId, time: u64) {
        if self.has_connection(player) {
            return;
        }
        let until = self.clock.now().saturating_add(time);
        let known = self.expected_bots.entry(player.clone()).or_insert(until);
        *known = until.max(*known);
        self.note_presence(player);
    }

    /// Lets a bot of the host play for an invited bot that has been away for too long.
    pub(super) fn replace_absent_bot(&mut self) -> bool {
        let now = self.clock.now();
        let mut expected = self.expected_bots.iter();
        let Some(player) = expected.find(|(_, until)| **until <= now).map(|(player, _)| player.clone()) else {
            return false;
        };
        self.dismiss_bot(&player);
        true
    }

    /// Lets a bot of the host play for an invited bot that is away, until it returns.
    pub(super) fn dismiss_bot(&mut self, player: &PlayerId) {
        self.expected_bots.remove(player);
        self.note_presence(player);
        self.let_host_bot_play(player, false);
    }

    /// Lets a bot of the host play for an invited bot that is away, or did not decide in time.
    pub(super) fn let_host_bot_play(&mut self, player: &PlayerId, is_late: bool) {
        let plays = |session: &&Session| session.is_invited_bot() && self.table.is_in_control(session);
        let Some(seat) = self.table.session(player).filter(plays).and_then(|session| session.seat) else { return };
        self.commit(Event::BotAbsent { player_id: player.clone(), is_late }, None);
        self.request_bot(seat);
    }

    /// Gives an invited bot that was away its seat back, unless it returns too often or did not decide in time in this
    /// hand.
    pub(super) fn return_bot(&mut self, player: &PlayerId) {
        if !self.table.session(player).is_some_and(|session| self.table.is_late_bot(session)) {
            self.give_seat_back(player);
        }
    }

    /// Gives an invited bot that did not decide in time its seat back for a move that is still legal.
    pub(super) fn return_late_bot(&mut self, player: &PlayerId, version: u64, action: Action) {
        let is_late = self.table.session(player).is_some_and(|session| self.table.is_late_bot(session));
        let is_legal = || self.table.game.as_ref().is_some_and(|game| game.legal().contains(&action));
        if is_late && self.table.is_current(version) && is_legal() {
            self.give_seat_back(player);
        }
    }

    /// Gives invited bots that are present their seats back, in the hand after the one in which they were late. Returns
    /// whether something changed.
    pub(super) fn return_present_bots(&mut self) -> bool {
        let before = self.table.version;
        let away = self.table.sessions.iter().filter(|session| self.table.is_absent_bot(session));
        let away = away.map(|session| &session.player_id).filter(|player| self.is_connected(player));
        let players: Vec<PlayerId> = away.cloned().collect();
        players.iter().for_each(|player| self.return_bot(player));
        self.table.version != before
    }

    fn give_seat_back(&mut self, player: &PlayerId) {
        let is_away = |session: &&Session| self.table.is_absent_bot(session) && !self.table.waits_for_deal(session);
        let absent = self.table.session(player).filter(is_away);
        let Some(seat) = absent.and_then(|session| session.seat) else { return };
        if self.check_control_changes(player).is_ok() && self.check_table_limit().is_ok() {
            self.commit(Event::BotReturned { player_id: player.clone() }, None);
            self.release_bot(seat);
        }
    }

    /// Seats an invited bot that has joined, in place of the host's bot or on a free seat.
    pub(super) fn seat_invited_bot(&mut self, seat: Seat, player: &PlayerId) -> Result<(), Rejection> {
        match self.table.control(seat) {
            Control::Ai => self.release_bot(seat),
            Control::Human => self.change_control(seat, Control::Ai, Some(player.clone()), None)?,
        }
        Ok(())
    }

    /// Releases the host's bot from a seat. Its key expires.
    pub(super) fn release_bot(&mut self, seat: Seat) {
        self.bot_keys[seat.index()] = None;
        self.pending_effects.push(Effect::ReleaseBot { seat });
    }
}
