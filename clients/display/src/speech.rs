//! Who may talk at a table.

use texas42_protocol::{Capability, PlayerView};
use texas42_vocab::{Control, Phase, Seat};

use crate::{
    table_model::{HostKind, TableModel},
    words::{Words, fill},
};

impl TableModel {
    /// Whether people talk at this table, and this session can.
    pub fn may_talk(&self) -> bool {
        self.is_for_talking() && self.own_session().is_some() && self.other_people().next().is_some()
    }

    /// Whether people talk at this table: online, where it does not count.
    fn is_for_talking(&self) -> bool {
        self.home == HostKind::Server && !self.view.metadata.table.rated
    }

    /// This session among the players.
    fn own_session(&self) -> Option<&PlayerView> {
        self.view.players.iter().find(|player| Some(&player.player_id) == self.player_id.as_ref())
    }

    /// The other people at the table, with and without a seat.
    pub fn other_people(&self) -> impl Iterator<Item = &PlayerView> {
        let is_person = |player: &PlayerView| {
            player.player_index.is_none() || player.control_type == Control::Human || player.waits_for_deal
        };
        let others = self.view.players.iter().filter(|player| Some(&player.player_id) != self.player_id.as_ref());
        others.filter(move |player| self.is_for_talking() && is_person(player))
    }

    /// Whether this session sees hands that it could give away, so that nobody hears it for now.
    pub fn must_be_silent(&self) -> bool {
        let sights = [Capability::ObserveAllHands, Capability::ObserveFullState];
        let knows_hands = self.waits_for_deal() || sights.iter().any(|sight| self.capabilities.contains(sight));
        self.is_hand_in_progress() && self.coached().is_none() && knows_hands
    }

    fn is_hand_in_progress(&self) -> bool {
        matches!(self.phase(), Phase::Bidding | Phase::TrumpSelection | Phase::Playing)
    }

    /// The seat that this session coaches.
    pub fn coached(&self) -> Option<Seat> {
        self.student().filter(|_| self.seat.is_none())
    }

    /// Whether this session points at dominoes of a seat.
    pub fn may_point_at(&self, seat: Seat) -> bool {
        self.coached() == Some(seat) && self.is_hand_in_progress() && self.may_talk() && !self.is_coach_off(seat)
    }

    /// Whether the player on a seat does not let a coach talk.
    pub fn is_coach_off(&self, seat: Seat) -> bool {
        self.view.metadata.coach_off.contains(&seat)
    }

    /// Whether somebody coaches the person at this device.
    pub fn is_own_coach(&self, player: &PlayerView) -> bool {
        let sees = |seat: Seat| {
            let sight = Capability::ObserveHand { player_index: seat };
            player.player_index.is_none() && player.capabilities.contains(&sight)
        };
        self.seat.is_some_and(sees)
    }

    /// What to request so that the table knows whether the person's coach may talk; `None` if it does.
    pub fn coach_request(&self, is_allowed: bool) -> Option<bool> {
        let seat = self.seat.filter(|_| self.is_for_talking())?;
        let has_coach = self.view.players.iter().any(|player| self.is_own_coach(player));
        let is_off = self.is_coach_off(seat);
        ((has_coach && !is_allowed && !is_off) || (is_allowed && is_off)).then_some(is_allowed)
    }
}

/// Says to a coach that the student plays without one now.
pub fn coach_news(before: &TableModel, after: &TableModel, words: &Words) -> Option<String> {
    let seat = after.coached().filter(|seat| after.is_coach_off(*seat) && !before.is_coach_off(*seat))?;
    Some(fill(words.coach_is_off, &[&after.name(seat, words)]))
}
