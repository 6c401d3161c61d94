//! The creator of a table: which role it may take, and what it may do and see.

use texas42_kernel::{Session, granted};
use texas42_phrases::Problem;
use texas42_protocol::{Capability, Entropy, Grant, Name, RequestId, Role, SecretKey, TableOptions, WireError};
use texas42_vocab::{Config, Control, Seat};

use super::{ConnectionId, Room};
use crate::event::Event;

/// The role and the seat of a creator, valid for the table.
#[derive(Clone, Copy, Debug)]
pub(super) struct CreatorRole {
    role: Role,
    /// The creator's own seat or, for a coach, the student's.
    seat: Option<Seat>,
}

/// What a creator sends besides the role and the seat.
pub(super) struct Introduction {
    pub(super) connection: ConnectionId,
    pub(super) name: Name,
    pub(super) entropy: Option<Entropy>,
    pub(super) session_key: Option<SecretKey>,
    pub(super) request_id: Option<RequestId>,
}

impl CreatorRole {
    /// The role for a new table. Without one, the creator plays. A player or a student without a seat takes the first
    /// seat for a person.
    ///
    /// A coach would see the student's hand without having been invited by the student, so the table must have open
    /// hands, as it must for a host who invites a coach.
    pub(super) fn new(
        role: Option<Role>,
        seat: Option<Seat>,
        config: &Config,
        options: &TableOptions,
    ) -> Result<Self, WireError> {
        let invalid = |problem: Problem, field: &str| Err(WireError::new(problem).at(field));
        let role = role.unwrap_or(Role::Player);
        let is_for_person = |seat: &Seat| config.players[seat.index()] == Control::Human;
        let first = || Seat::ALL.into_iter().find(is_for_person);
        let seat = if role.is_seated() { seat.or_else(first) } else { seat };
        match (role, seat) {
            (Role::Ai | Role::Admin, _) => invalid(Problem::CreatorRole, "role"),
            (Role::Player | Role::Student, None) => invalid(Problem::NoPerson, "config.players"),
            (Role::Player | Role::Student, Some(seat)) if !is_for_person(&seat) => {
                invalid(Problem::SeatForBot { seat }, "seat")
            }
            (Role::Student, _) if options.rated => invalid(Problem::RatedAllowsNoHints, "role"),
            (Role::Coach, None) => invalid(Problem::CoachNeedsSeat, "seat"),
            (Role::Coach, _) if !options.open_hands => invalid(Problem::NeedsOpenHands, "table.openHands"),
            (Role::Spectator, Some(_)) => invalid(Problem::SpectatorHasNoSeat, "seat"),
            (Role::Player | Role::Student | Role::Coach | Role::Spectator, _) => Ok(Self { role, seat }),
        }
    }

    fn seat(self) -> Option<Seat> {
        self.seat.filter(|_| self.role.is_seated())
    }

    /// The standard set of the role, and `configure-variant`. A spectating creator sees the hands if the table has open
    /// hands.
    fn capabilities(self, options: &TableOptions) -> alloc::vec::Vec<Capability> {
        let grant = Grant { seat: self.seat, open_hands: options.open_hands, ..Grant::of(self.role) };
        let mut capabilities = granted(&grant, self.seat(), None);
        capabilities.push(Capability::ConfigureVariant);
        capabilities
    }
}

impl Room {
    /// Lets the creator join the new table. The game starts if no other person is missing.
    pub(super) fn join_creator(&mut self, creator: CreatorRole, introduction: Introduction) {
        let Introduction { connection, name, entropy, session_key, request_id } = introduction;
        let (key, issued) = self.hash_or_generate_key(session_key.as_ref());
        let player_id = self.next_player_id();
        let session = Session {
            player_id: player_id.clone(),
            seat: creator.seat(),
            name,
            control: Control::Human,
            capabilities: creator.capabilities(&self.table.options),
            key,
            delay_hands: 0,
            declines_hints: false,
            invite: None,
        };
        self.commit(Event::Joined { session, entropy, waits: false }, None);
        self.start_when_complete();
        self.answer_creator(connection, player_id, issued, request_id);
    }
}
