//! Phrases that people say to each other. They are delivered at once and kept nowhere: a phrase is no event, no view
//! contains it, and those who come later do not hear it ([why](../../../../docs/adr/0037-phrases-and-coaches.md)).
//!
//! Invariant: what somebody who sees hands says during a hand reaches nobody but that person's own student, who sees the
//! same hand.

use alloc::{sync::Arc, vec::Vec};

use texas42_kernel::Session;
use texas42_phrases::{Phrase, Problem};
use texas42_protocol::{Capability, PlayerId, RequestId, ServerMessage};
use texas42_vocab::{Control, Domino, Phase, Seat};

use super::{Connection, ConnectionId, Effect, Rejection, Room, reject};
use crate::{
    allowance::{Allowance, Limit},
    attendance::MAX_COACH_SWITCHES,
    event::Event,
};

/// How many phrases a session can say.
const OF_SESSION: Limit = Limit { burst: 3, interval: 2_000 };
/// How many phrases all coaches of a student can say.
const OF_COACHES: Limit = Limit { burst: 6, interval: 2_000 };
/// How many phrases all visitors with the same invite can say.
const OF_INVITE: Limit = Limit { burst: 6, interval: 2_000 };
/// How many phrases all visitors of the table can say.
const OF_VISITORS: Limit = Limit { burst: 12, interval: 1_000 };
/// How many requests of a session are remembered: as many as our clients leave unanswered before they stop sending.
const MAX_REMEMBERED: usize = 32;

/// A phrase, and the domino that a coach points at.
#[derive(Clone, Copy, Debug)]
pub(super) struct Saying {
    pub(super) phrase: Phrase,
    pub(super) domino: Option<Domino>,
}

/// Who hears a phrase.
enum Audience {
    /// Every person whose view is not delayed.
    Everybody,
    /// The student of the coach who talks.
    Student(PlayerId),
}

/// How much a session has said lately.
#[derive(Debug)]
pub(super) struct Speaker {
    player: PlayerId,
    allowance: Allowance,
    /// Its last requests and what they said, so that a repeated one gets the same reply and is not said twice.
    recent: Vec<(RequestId, Saying)>,
}

/// Sessions that share an allowance, so that nobody can say more by joining again or with several sessions. The people at
/// the table and the visitors have their own allowances, so that no visitor can silence a player.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum SpeakerGroup {
    /// Who has this seat.
    Seat(Seat),
    /// The coaches of this seat.
    Coaches(Seat),
    /// Visitors with this invite.
    Invite(u32),
    /// All visitors with an invite.
    Visitors,
    /// The creator of the table without a seat.
    Creator,
}

impl SpeakerGroup {
    /// The groups of a session. Its phrases count in each.
    fn of(session: &Session) -> Vec<Self> {
        match (session.seat, student_seat(session), session.invite) {
            (Some(seat), ..) => Vec::from([Self::Seat(seat)]),
            (None, Some(seat), _) => Vec::from([Self::Coaches(seat)]),
            (None, None, Some(invite)) => Vec::from([Self::Invite(invite), Self::Visitors]),
            (None, None, None) => Vec::from([Self::Creator]),
        }
    }

    const fn limit(self) -> Limit {
        match self {
            Self::Seat(_) | Self::Creator => OF_SESSION,
            Self::Coaches(_) => OF_COACHES,
            Self::Invite(_) => OF_INVITE,
            Self::Visitors => OF_VISITORS,
        }
    }
}

/// How much has been said lately, by whom.
#[derive(Debug, Default)]
pub(super) struct Speech {
    sessions: Vec<Speaker>,
    groups: Vec<(SpeakerGroup, Allowance)>,
}

impl Speech {
    fn speaker(&self, player: &PlayerId) -> Option<&Speaker> {
        self.sessions.iter().find(|speaker| speaker.player == *player)
    }

    /// Uses up the allowances for one phrase of a session.
    fn take_turn(&mut self, session: &Session, now: u64) -> Result<&mut Speaker, Rejection> {
        self.groups.retain(|(_, allowance)| !allowance.is_unused(now));
        let known = self.speaker(&session.player_id).map_or_else(Allowance::default, |speaker| speaker.allowance);
        if !known.is_free(OF_SESSION, now) {
            return Err(reject(Problem::SpokeTooOften));
        }
        let groups = SpeakerGroup::of(session);
        if groups.iter().any(|group| !self.of_group(*group).is_free(group.limit(), now)) {
            return Err(reject(Problem::TooManyPhrases));
        }
        groups.into_iter().for_each(|group| self.note_group(group, now));
        let speaker = self.speaker_mut(&session.player_id);
        speaker.allowance.note(OF_SESSION, now);
        Ok(speaker)
    }

    fn of_group(&self, group: SpeakerGroup) -> Allowance {
        let known = self.groups.iter().find(|(known, _)| *known == group);
        known.map_or_else(Allowance::default, |(_, allowance)| *allowance)
    }

    fn note_group(&mut self, group: SpeakerGroup, now: u64) {
        let mut allowance = self.of_group(group);
        allowance.note(group.limit(), now);
        self.groups.retain(|(known, _)| *known != group);
        self.groups.push((group, allowance));
    }

    fn speaker_mut(&mut self, player: &PlayerId) -> &mut Speaker {
        let known = self.sessions.iter().position(|speaker| speaker.player == *player);
        let at = known.unwrap_or_else(|| {
            self.sessions.push(Speaker { player: player.clone(), allowance: Allowance::default(), recent: Vec::new() });
            self.sessions.len() - 1
        });
        &mut self.sessions[at]
    }
}

impl Speaker {
    fn note(&mut self, request: RequestId, saying: Saying) {
        self.recent.push((request, saying));
        let excess = self.recent.len().saturating_sub(MAX_REMEMBERED);
        self.recent.drain(..excess);
    }

    fn said(&self, request: &RequestId) -> Option<Saying> {
        self.recent.iter().find(|(known, _)| known == request).map(|(_, saying)| *saying)
    }
}

impl Room {
    /// Says a phrase, and repeats only the reply to a repeated request.
    pub(super) fn say(&mut self, from: ConnectionId, request: RequestId, saying: Saying) -> Result<(), Rejection> {
        let session = self.session_on(from)?.clone();
        let speaker = self.speech.speaker(&session.player_id);
        if let Some(said) = speaker.and_then(|speaker| speaker.said(&request)) {
            self.send(from, self.said(Some(request), session.player_id, said));
            return Ok(());
        }
        let audience = self.audience(&session, saying)?;
        self.take_turn(&session)?.note(request.clone(), saying);
        self.deliver(from, &session.player_id, saying, &audience);
        self.send(from, self.said(Some(request), session.player_id, saying));
        Ok(())
    }

    /// Lets a player's coaches talk, or ends it.
    pub(super) fn allow_coach(
        &mut self,
        from: ConnectionId,
        request_id: RequestId,
        allowed: bool,
    ) -> Result<(), Rejection> {
        let session = self.session_on(from)?.clone();
        if self.repeat_reply(from, &session.player_id, &request_id) {
            return Ok(());
        }
        let Some(seat) = session.seat.filter(|_| session.control == Control::Human) else {
            return Err(reject(Problem::OnlyPlayersAllowCoach));
        };
        if self.table.coach_off.contains(seat) != allowed {
            return Err(reject(Problem::CoachAlready));
        }
        self.check_table_limit()?;
        // Every change is logged.
        if self.table.attendance.coach_switches(&session.player_id) >= MAX_COACH_SWITCHES {
            return Err(reject(Problem::CoachSwitchedTooOften));
        }
        self.take_turn(&session)?;
        self.commit(Event::CoachAllowed { by: session.player_id, request_id, allowed }, None);
        Ok(())
    }

    /// Uses up the allowances for one phrase of a session.
    fn take_turn(&mut self, session: &Session) -> Result<&mut Speaker, Rejection> {
        let table = &self.table;
        self.speech.sessions.retain(|speaker| table.session(&speaker.player).is_some());
        self.speech.take_turn(session, self.clock.now())
    }

    /// Who may hear a phrase of a session. What the table refuses does not depend on dominoes that the session cannot see.
    fn audience(&self, session: &Session, saying: Saying) -> Result<Audience, Rejection> {
        if self.table.options.rated {
            return Err(reject(Problem::NoTalkWhereItCounts));
        }
        if session.control == Control::Ai {
            return Err(reject(Problem::BotsAreSilent));
        }
        let student = student_seat(session);
        let is_complete = saying.phrase.points() == saying.domino.is_some();
        if !is_complete || (saying.phrase.kind().is_for_coaches() && student.is_none()) {
            return Err(reject(Problem::PhraseOfCoaches));
        }
        if let Some(seat) = student {
            return self.student_who_hears(session, seat, saying.domino).map(Audience::Student);
        }
        if self.is_hand_in_progress() && self.knows_hands(session) {
            return Err(reject(Problem::SeesHandsSilent));
        }
        Ok(Audience::Everybody)
    }

    /// The student, if the student is there, plays the seat, and lets the coach talk. A domino must be in the hand as both of
    /// them see it.
    fn student_who_hears(&self, coach: &Session, seat: Seat, domino: Option<Domino>) -> Result<PlayerId, Rejection> {
        let is_there = |student: &&Session| {
            let is_playing = self.table.is_in_control(student) && !self.table.waits_for_deal(student);
            self.has_connection(&student.player_id) && (is_playing || !self.is_hand_in_progress())
        };
        let student = self.table.person(seat).filter(is_there).ok_or_else(|| reject(Problem::StudentAway))?;
        if self.table.coach_off.contains(seat) {
            return Err(reject(Problem::CoachIsOff));
        }
        let is_seen_by = |session: &Session, domino: Domino| {
            self.view_as(Some(session)).state.players[seat.index()].hand.contains(domino)
        };
        match domino {
            Some(domino) if !is_seen_by(coach, domino) || !is_seen_by(student, domino) => {
                Err(reject(Problem::NotInStudentsHand))
            }
            _ => Ok(student.player_id.clone()),
        }
    }

    /// Whether hands are hidden that somebody could give away.
    fn is_hand_in_progress(&self) -> bool {
        match self.phase() {
            Phase::Bidding | Phase::TrumpSelection | Phase::Playing => true,
            Phase::Setup | Phase::Scoring | Phase::GameEnd | Phase::OneHandComplete => false,
        }
    }

    /// Whether a session sees hands that are not its own, or what bots make of theirs, or may have seen one of this deal.
    fn knows_hands(&self, session: &Session) -> bool {
        let one_hand = Seat::ALL.map(|player_index| Capability::ObserveHand { player_index });
        let sights = one_hand.into_iter().chain([
            Capability::ObserveAllHands,
            Capability::ObserveFullState,
            Capability::SeeAiIntent,
        ]);
        sights.into_iter().any(|sight| session.may(sight))
            || session.delay_hands > 0
            || self.table.waits_for_deal(session)
    }

    fn deliver(&mut self, from: ConnectionId, by: &PlayerId, saying: Saying, audience: &Audience) {
        let hears = |connection: &Connection| connection.shown.is_some() && self.hears(connection, audience);
        let listeners = self.connections.iter().filter(|(id, connection)| **id != from && hears(connection));
        let listeners: Vec<ConnectionId> = listeners.map(|(id, _)| *id).collect();
        let message = Arc::new(self.said(None, by.clone(), saying));
        self.pending_effects.extend(listeners.into_iter().map(|to| Effect::Send { to, message: message.clone() }));
    }

    fn hears(&self, connection: &Connection, audience: &Audience) -> bool {
        match (audience, self.table.session(&connection.player_id)) {
            (Audience::Student(student), session) => session.is_some_and(|session| session.player_id == *student),
            (Audience::Everybody, Some(session)) => session.control == Control::Human && session.delay_hands == 0,
            (Audience::Everybody, None) => true,
        }
    }

    fn said(
        &self,
        request_id: Option<RequestId>,
        player: PlayerId,
        Saying { phrase, domino }: Saying,
    ) -> ServerMessage {
        ServerMessage::Said { game_id: self.id.clone(), request_id, player, phrase, domino }
    }
}

/// The seat that a session coaches.
fn student_seat(session: &Session) -> Option<Seat> {
    let coaches = |seat: &Seat| session.may(Capability::ObserveHand { player_index: *seat });
    Seat::ALL.into_iter().find(coaches).filter(|_| session.seat.is_none())
}
