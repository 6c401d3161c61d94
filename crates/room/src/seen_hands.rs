//! Who has seen or knows a hand of the current deal, and which newcomers wait for the next one.
//!
//! A newcomer waits for one of two reasons:
//!
//! - A player's device dealt the hand, so that player could know all hands.
//! - The newcomer could have seen another hand of the deal, because the same person may return with the same invite or
//!   with another one. So a newcomer gets a hand in play only with an invite from before the deal, and only if everybody
//!   who has seen a hand of the deal still plays it.
//!
//! A newcomer who waits has the seat, and a bot plays it until the next deal. At a rated table, a player who leaves or hands
//! the seat over waits in the same way, so that no bot helps in the middle of a hand. Everything here derives from the log,
//! except who waits, which [`Event::Joined`](crate::Event::Joined) and [`Event::WaitsForDeal`](crate::Event::WaitsForDeal)
//! record.

use alloc::vec::Vec;

use texas42_engine::State;
use texas42_kernel::{Session, Viewer};
use texas42_protocol::{Capability, PlayerId};
use texas42_vocab::{Control, Phase, Seat};

use crate::table::{Invite, Table};

/// The newest deal of the game, and the sessions that joined after its first deal.
#[derive(Clone, Debug, Default)]
pub(crate) struct SeenHands {
    newest: Option<SeenDeal>,
    newcomers: Vec<Newcomer>,
}

#[derive(Clone, Copy, Debug)]
struct SeenDeal {
    number: u32,
    /// The version after the deal.
    version: u64,
    /// Whether somebody has seen a hand and does not play it: the hand is over, or a session that saw one has ended.
    is_exposed: bool,
}

/// A session that took a seat after the deal, or left it to a bot at a rated table.
#[derive(Clone, Debug)]
struct Newcomer {
    player_id: PlayerId,
    /// The first deal whose hand it may see and play.
    first_deal: u32,
    /// Whether a bot plays the seat only because the newcomer waits.
    is_due: bool,
}

/// Whether a hand is in play, from the bidding to the last trick, so that its dominoes are hidden.
const fn is_hand_in_play(state: &State) -> bool {
    matches!(state.phase, Phase::Bidding | Phase::TrumpSelection | Phase::Playing)
}

/// Whether a session may act for its seat.
fn acts_for_seat(session: &Session) -> bool {
    session.seat.is_some_and(|player_index| session.may(Capability::ActAsPlayer { player_index }))
}

/// The number of the hand in play, or of the next one.
pub(crate) const fn hand_to_play(state: &State) -> u32 {
    if is_hand_in_play(state) { state.hand_number } else { state.hand_number.saturating_add(1) }
}

impl SeenHands {
    /// Notes the deal after an event.
    pub(crate) fn note_state(&mut self, state: Option<&State>, version: u64) {
        let Some(state) = state else { return };
        if self.newest.is_none_or(|newest| newest.number < state.hand_number) {
            self.newest = Some(SeenDeal { number: state.hand_number, version, is_exposed: false });
        }
        if let Some(newest) = &mut self.newest {
            newest.is_exposed |= !is_hand_in_play(state);
        }
    }

    /// Notes that a player whose seat a bot plays waits for this deal.
    pub(crate) fn note_wait(&mut self, player: &PlayerId, first_deal: u32) {
        let known = self.newcomers.iter().position(|newcomer| newcomer.player_id == *player);
        let known = known.map_or(0, |known| self.newcomers.remove(known).first_deal);
        let (player_id, first_deal) = (player.clone(), first_deal.max(known));
        self.newcomers.push(Newcomer { player_id, first_deal, is_due: true });
    }

    /// Forgets the deals of the game before.
    pub(crate) fn note_new_game(&mut self) {
        self.newest = None;
        self.newcomers.retain(|newcomer| newcomer.is_due);
        self.newcomers.iter_mut().for_each(|newcomer| newcomer.first_deal = 0);
    }

    /// Notes that a session that has seen a hand ended.
    fn note_departure(&mut self) {
        if let Some(newest) = &mut self.newest {
            newest.is_exposed = true;
        }
    }

    fn first_deal(&self, player: &PlayerId) -> u32 {
        let newcomer = self.newcomers.iter().find(|newcomer| newcomer.player_id == *player);
        newcomer.map_or(0, |newcomer| newcomer.first_deal)
    }

    fn is_due(&self, player: &PlayerId) -> bool {
        self.newcomers.iter().any(|newcomer| newcomer.is_due && newcomer.player_id == *player)
    }
}

// Who has seen a hand.
impl Table {
    fn state_in_play(&self) -> Option<&State> {
        self.state().filter(|state| is_hand_in_play(state))
    }

    /// Whether the holder of this session sees a hand in play or can infer it: a session may act for its seat without
    /// seeing the hand, and then refusals reveal it. A bot of the host shows its hand to nobody.
    pub(crate) fn sees_hand_in_play(&self, session: &Session) -> bool {
        let is_shown = || session.delay_hands == 0 && self.viewer(Some(session)).sees.contains(&true);
        // A bot's intent tells about its hand.
        let is_told = || session.may(Capability::SeeAiIntent);
        let may_try = || acts_for_seat(session) && !self.waits_for_deal(session);
        self.state_in_play().is_some() && !session.is_host_bot() && (is_shown() || is_told() || may_try())
    }

    /// Whether somebody who uses this session could have seen a hand of the newest deal. After an undo to an earlier hand,
    /// nobody sees that deal now.
    fn could_have_seen_newest(&self, session: &Session) -> bool {
        let is_back =
            self.state().zip(self.seen_hands.newest).is_some_and(|(now, newest)| now.hand_number < newest.number);
        let is_shown =
            || session.delay_hands == 0 && Viewer::with(&session.capabilities, session.seat).sees.contains(&true);
        let is_told = || session.may(Capability::SeeAiIntent);
        let could_see = || !session.is_host_bot() && (is_shown() || is_told() || acts_for_seat(session));
        self.sees_hand_in_play(session) || (is_back && could_see())
    }

    /// Whether a newcomer with this invite has to wait for the next deal: because a player's device dealt this one, or
    /// because the newcomer could have seen a hand of it. At a rated table, people take seats only between hands.
    pub(crate) fn must_newcomer_wait(&self, invite_number: Option<u32>) -> bool {
        let (Some(state), Some(newest)) = (self.state_in_play(), self.seen_hands.newest) else { return false };
        let is_exposed = newest.is_exposed || state.hand_number < newest.number;
        let is_known = state.hand_number < self.first_unknown_hand();
        let viewers = || self.sessions.iter().filter(|session| self.sees_hand_in_play(session));
        if self.options.rated || is_known || is_exposed {
            return true;
        }
        if viewers().next().is_none() {
            return false;
        }
        let is_later = |invite: &Invite| invite.created_at > newest.version;
        let invite = self.invites.iter().find(|invite| Some(invite.number) == invite_number);
        let is_used = |viewer: &Session| viewer.invite == invite_number;
        invite.is_none_or(is_later) || viewers().any(|viewer| is_used(viewer) || !self.is_in_control(viewer))
    }

    /// Notes the sessions that are about to end.
    pub(crate) fn note_departures(&mut self, ends: impl Fn(&Session) -> bool) {
        if self.sessions.iter().any(|session| ends(session) && self.could_have_seen_newest(session)) {
            self.seen_hands.note_departure();
        }
        let ended = |newcomer: &Newcomer| {
            let session = self.sessions.iter().find(|session| session.player_id == newcomer.player_id);
            session.is_none_or(&ends)
        };
        self.seen_hands.newcomers.retain(|newcomer| !ended(newcomer));
    }
}

// Newcomers.
impl Table {
    /// Whether a player must not let a bot play the seat, because a rated hand is in play.
    pub(crate) fn is_rated_hand_in_play(&self) -> bool {
        self.options.rated && self.state_in_play().is_some()
    }

    /// The first deal for which a player gets the seat back after leaving it to a bot now. Only in rated games.
    pub(crate) fn deal_after_control_change(&self) -> Option<u32> {
        let state = self.state().filter(|state| self.options.rated && !state.phase.is_over())?;
        Some(hand_to_play(state).saturating_add(1))
    }

    /// Notes a session that took a seat. An undo gives it no earlier hand, nor this hand if it joined when the hand was
    /// over.
    pub(crate) fn note_newcomer(&mut self, session: &Session, waits: bool) {
        let (Some(newest), Some(_), false) = (self.seen_hands.newest, session.seat, session.is_host_bot()) else {
            return;
        };
        let is_late = waits || self.state_in_play().is_none();
        let first_deal = self.first_unknown_hand().max(newest.number + u32::from(is_late));
        self.seen_hands.newcomers.push(Newcomer { player_id: session.player_id.clone(), first_deal, is_due: waits });
    }

    /// Notes who plays a seat now.
    pub(crate) fn note_seat_control(&mut self, seat: Seat, control: Control) {
        let Some(person) = self.person(seat).map(|person| person.player_id.clone()) else { return };
        self.note_control_change(&person, control == Control::Human);
    }

    /// Notes that a session plays its seat now, or that it does not.
    pub(crate) fn note_control_change(&mut self, player: &PlayerId, plays: bool) {
        let waits = self.session(player).is_some_and(|session| self.waits_for_deal(session));
        let newcomers = &mut self.seen_hands.newcomers;
        if let Some(newcomer) = newcomers.iter_mut().find(|newcomer| newcomer.player_id == *player) {
            newcomer.is_due = waits && !plays;
        }
    }

    /// Whether a session waits for the next deal: it may neither see nor play the hand of its seat.
    pub(crate) fn waits_for_deal(&self, session: &Session) -> bool {
        let first_deal = || self.seen_hands.first_deal(&session.player_id);
        let state = self.state().filter(|state| !state.phase.is_over() && !self.seen_hands.newcomers.is_empty());
        state.is_some_and(|state| hand_to_play(state) < first_deal())
    }

    /// How many people have a seat and do not wait for a deal.
    pub(crate) fn people_who_play(&self) -> usize {
        let plays = |person: &Session| !self.seen_hands.is_due(&person.player_id);
        Seat::ALL.into_iter().filter(|seat| self.person(*seat).is_some_and(plays)).count()
    }

    /// The sessions that waited and may play their seats now.
    pub(crate) fn due_newcomers(&self) -> impl Iterator<Item = &Session> {
        let due = self.seen_hands.newcomers.iter().filter(|newcomer| newcomer.is_due);
        due.filter_map(|newcomer| self.session(&newcomer.player_id)).filter(|session| !self.waits_for_deal(session))
    }

    /// The sessions that wait and nevertheless play their seats, after an undo to a hand before they came.
    pub(crate) fn early_newcomers(&self) -> impl Iterator<Item = &Session> {
        let newcomers = self.seen_hands.newcomers.iter();
        let sessions = newcomers.filter_map(|newcomer| self.session(&newcomer.player_id));
        sessions.filter(|session| self.waits_for_deal(session) && self.is_in_control(session))
    }

    /// Hides the hands of newcomers who wait, from themselves and, unless the table has open hands, from their coaches.
    pub(crate) fn without_withheld_hands(&self, session: &Session, mut viewer: Viewer) -> Viewer {
        if self.seen_hands.newcomers.is_empty() || viewer.sees == [true; 4] {
            return viewer;
        }
        for newcomer in self.sessions.iter().filter(|newcomer| self.waits_for_deal(newcomer)) {
            let Some(seat) = newcomer.seat else { continue };
            let is_coach = session.may(Capability::ObserveHand { player_index: seat }) && !self.options.open_hands;
            if is_coach || session.player_id == newcomer.player_id {
                viewer.sees[seat.index()] = false;
                viewer.advises[seat.index()] = false;
                viewer.seat = viewer.seat.filter(|own| *own != seat);
            }
        }
        viewer
    }
}
