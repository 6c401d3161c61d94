//! People who take a seat in the middle of a hand, or leave one to a bot in a rated game, and wait for the next deal: a bot
//! plays until then.

use texas42_kernel::Session;
use texas42_phrases::Problem;
use texas42_protocol::PlayerId;
use texas42_vocab::{Control, Seat};

use super::{ConnectionId, Rejection, Room, join::JoinGrant, reject};
use crate::event::Event;

impl Room {
    /// Whether a newcomer on this connection has to wait for the next deal. The user of a connection has seen every hand
    /// that its session sees.
    pub(super) fn must_wait(&self, from: ConnectionId, join_grant: &JoinGrant) -> bool {
        let is_bot_of_host = join_grant.invite.is_none();
        let previous = self.connections.get(&from).and_then(|connection| self.table.session(&connection.player_id));
        let has_seen = previous.is_some_and(|session| self.table.sees_hand_in_play(session));
        !is_bot_of_host && (has_seen || self.table.must_newcomer_wait(join_grant.invite))
    }

    /// Rejects a request to play a seat before the next deal.
    pub(super) fn check_may_play(&self, session: &Session) -> Result<(), Rejection> {
        if self.table.waits_for_deal(session) { Err(reject(Problem::PlaysFromNextDeal)) } else { Ok(()) }
    }

    /// In a rated game, makes a player who left the seat to a bot wait until the hand is over.
    pub(super) fn wait_after_control_change(&mut self, player: &PlayerId) {
        let Some(first_deal) = self.table.deal_after_control_change() else { return };
        self.commit(Event::WaitsForDeal { player_id: player.clone(), first_deal }, None);
    }

    /// Lets a bot play the seat of a newcomer who waits, if a person would have played it.
    pub(super) fn seat_waiting_newcomer(&mut self, seat: Seat) -> Result<(), Rejection> {
        match self.table.control(seat) {
            Control::Human => self.change_control(seat, Control::Ai, None, None),
            Control::Ai => Ok(()),
        }
    }

    /// Seats the newcomers who are connected and no longer wait, and lets bots play for those who have to wait again
    /// after an undo. Returns whether something changed.
    pub(super) fn seat_newcomers(&mut self) -> bool {
        let before = self.table.version;
        let early = self.table.early_newcomers().next().cloned();
        let is_here = |session: &&Session| self.is_connected(&session.player_id);
        let due = self.table.due_newcomers().find(is_here).map(|session| session.player_id.clone());
        match (early, due) {
            (Some(early), _) => self.hand_to_bot(&early),
            (None, Some(player)) => self.seat_due_newcomer(&player),
            (None, None) => {}
        }
        self.table.version != before
    }

    fn hand_to_bot(&mut self, newcomer: &Session) {
        let Some(seat) = newcomer.seat else { return };
        if newcomer.is_invited_bot() {
            self.let_host_bot_play(&newcomer.player_id, false);
        } else {
            // Fails only if the log of the game is full; then it cannot go on anyway.
            self.change_control(seat, Control::Ai, None, None).ok();
        }
    }

    /// Gives a newcomer who no longer waits the seat. Those without a connection get it with their next call.
    pub(super) fn seat_due_newcomer(&mut self, player: &PlayerId) {
        self.return_bot(player);
        let session = self.table.due_newcomers().find(|session| session.player_id == *player);
        let person = session.filter(|session| session.control == Control::Human);
        if let Some(seat) = person.and_then(|session| session.seat) {
            self.change_control(seat, Control::Human, None, None).ok();
        }
    }

    pub(super) fn is_due(&self, player: &PlayerId) -> bool {
        self.table.due_newcomers().any(|session| session.player_id == *player)
    }
}
