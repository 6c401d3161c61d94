//! The expected answer to an HTTP call, derived from the log alone.

use texas42_hosting::TableCall;
use texas42_protocol::{ClientMessage, ErrorCode, PlayerId, RequestId, Role, SecretKey, ServerMessage};
use texas42_room::{Event, StoredEvent};
use texas42_vocab::Control;

use crate::{audit::Audit, report::Report};

/// What the log permits a caller to do.
pub(super) enum Allowed {
    /// Nothing: the call is refused, and nothing is stored.
    Nothing,
    /// To read the state, as this player or as the public; nothing is stored.
    Read(Option<PlayerId>),
    /// To act as this player, within the rules.
    Act(PlayerId),
    /// To watch without a session; nothing is stored.
    Watch,
    /// To rejoin as this player; nothing is stored.
    Rejoin(PlayerId),
    /// To join once with an invite, if a seat is free, with the key that the client generated.
    Join { invite: u32, own_key: Option<SecretKey> },
    /// To end the session of this player.
    End(PlayerId),
    /// To leave as this player, who keeps the seat.
    Leave(PlayerId),
}

/// The expected result of a call.
pub(super) struct Expectation {
    pub(super) allowed: Allowed,
    request: Option<RequestId>,
    /// Whether somebody else plays the caller's seat, and the call may take it back.
    may_return: bool,
}

impl Expectation {
    pub(super) fn of(call: &TableCall, audit: &Audit) -> Self {
        let (allowed, request) = match call {
            TableCall::State(key) | TableCall::Actions { key, .. } | TableCall::Record(key) => {
                (allowed_read(key.as_ref(), audit), None)
            }
            // Nobody opens a lobby here.
            TableCall::Lobby(_) => (Allowed::Nothing, None),
            TableCall::Message { key, message } => {
                (allowed_request(key.as_ref(), message, audit), message.request_id().cloned())
            }
        };
        let may_return = match &allowed {
            Allowed::Rejoin(player) => audit.is_replaced(player) || audit.has_left(player),
            Allowed::Read(Some(player)) => audit.is_absent_bot(player) || audit.is_newcomer(player),
            _ => false,
        };
        Self { allowed, request, may_return }
    }

    /// The player whose view the answer may contain: `onlooker` for the public view, `None` if no view is expected.
    pub(super) fn viewer(&self) -> Option<PlayerId> {
        match &self.allowed {
            Allowed::Act(player) | Allowed::Rejoin(player) | Allowed::End(player) | Allowed::Leave(player) => {
                Some(player.clone())
            }
            Allowed::Read(Some(player)) => Some(player.clone()),
            Allowed::Read(None) | Allowed::Watch => PlayerId::try_from("onlooker").ok(),
            Allowed::Nothing | Allowed::Join { .. } => None,
        }
    }

    /// Whether the call must store nothing.
    pub(super) const fn changes_nothing(&self) -> bool {
        match self.allowed {
            Allowed::Nothing | Allowed::Watch => true,
            Allowed::Read(_) | Allowed::Rejoin(_) => !self.may_return,
            Allowed::Act(_) | Allowed::Join { .. } | Allowed::End(_) | Allowed::Leave(_) => false,
        }
    }

    /// Checks the stored events, even if the host crashed before it answered.
    pub(super) fn check_stored(&self, stored: &[StoredEvent]) -> Result<(), String> {
        let joined = joined_in(stored).count();
        match &self.allowed {
            _ if self.changes_nothing() && !stored.is_empty() => Err("a read-only call changed the table".into()),
            Allowed::Join { .. } if joined > 1 => Err(format!("one call made {joined} people join")),
            Allowed::Act(_) | Allowed::End(_) | Allowed::Leave(_) | Allowed::Rejoin(_) if joined > 0 => {
                Err("a session joined without a request".into())
            }
            Allowed::End(player) if left_in(stored).any(|gone| gone != player) => {
                Err(format!("{player} left, and another session left too"))
            }
            Allowed::Leave(player) if left_in(stored).next().is_some() => {
                Err(format!("{player} keeps the seat, but a session ended"))
            }
            _ => Ok(()),
        }
    }

    /// Checks the answer against the stored events.
    pub(super) fn check_answer(
        &self,
        answer: &ServerMessage,
        stored: &[StoredEvent],
        audit: &Audit,
        report: &mut Report,
    ) -> Result<(), String> {
        if let ServerMessage::Error { error, .. } = answer {
            report.refused_calls += 1;
            // Events may be stored although the store reported a failure.
            return if error.code == ErrorCode::NotStored { Ok(()) } else { self.check_refusal(stored) };
        }
        if echoed(answer).is_some_and(|request| request != self.request.as_ref()) {
            return Err(format!("{answer:?} answers another request than {:?}", self.request));
        }
        match (&self.allowed, answer) {
            (Allowed::Read(_), ServerMessage::StateUpdate { ack: None, .. }) => Ok(()),
            (Allowed::Act(_), ServerMessage::StateUpdate { ack, .. }) => self.check_ack(ack.is_some()),
            (Allowed::Act(player), ServerMessage::Said { player: speaker, .. }) if player == speaker => Ok(()),
            (Allowed::Act(_), ServerMessage::Invited { .. }) => {
                report.calls_to_invite += 1;
                Ok(())
            }
            (Allowed::Watch, ServerMessage::Joined { player_id, key: None, seat: None, .. })
                if !audit.participants.contains_key(player_id) =>
            {
                report.calls_to_watch += 1;
                Ok(())
            }
            (Allowed::Rejoin(player), ServerMessage::Joined { player_id, key: None, .. }) if player == player_id => {
                report.calls_to_rejoin += 1;
                Ok(())
            }
            (Allowed::Join { .. }, ServerMessage::Joined { .. }) => {
                report.calls_to_join += 1;
                self.check_joined(answer, stored)
            }
            (Allowed::End(player), ServerMessage::Left { is_seat_kept: false, .. }) => {
                report.calls_to_leave += 1;
                check_left(player, stored, audit)
            }
            (Allowed::Leave(player), ServerMessage::Left { is_seat_kept: true, .. }) => {
                match audit.participant_at(player, audit.version()) {
                    Some(_) => Ok(()),
                    None => Err(format!("{player} was told to keep the seat, but the session ended")),
                }
            }
            _ => Err(format!("unexpected answer: {answer:?}")),
        }
    }

    /// Checks that permitted rejoins, leaves and reads are not refused, and that a refused caller did not join or leave.
    fn check_refusal(&self, stored: &[StoredEvent]) -> Result<(), String> {
        match &self.allowed {
            Allowed::Read(_) | Allowed::Watch => Err("a permitted read was refused".into()),
            Allowed::Rejoin(player) => Err(format!("the holder of session {player} was refused")),
            Allowed::End(player) | Allowed::Leave(player) => Err(format!("{player} was not allowed to leave")),
            Allowed::Nothing | Allowed::Act(_) | Allowed::Join { .. } if joined_in(stored).next().is_some() => {
                Err("a session joined, but the call was refused".into())
            }
            Allowed::Nothing | Allowed::Act(_) | Allowed::Join { .. } => Ok(()),
        }
    }

    fn check_ack(&self, is_acknowledged: bool) -> Result<(), String> {
        if is_acknowledged { Ok(()) } else { Err(format!("{:?} was executed but not acknowledged", self.request)) }
    }

    /// Checks that the new session in an answer is stored with the same player, seat and key.
    fn check_joined(&self, answer: &ServerMessage, stored: &[StoredEvent]) -> Result<(), String> {
        let ServerMessage::Joined { player_id, seat, key: sent_key, .. } = answer else { return Ok(()) };
        let Allowed::Join { invite, own_key } = &self.allowed else { return Ok(()) };
        let is_own = |event: &&Event| match event {
            Event::Joined { session, .. } => session.player_id == *player_id,
            _ => false,
        };
        let Some(Event::Joined { session, .. }) = stored.iter().map(|stored| &stored.event).find(is_own) else {
            return Err(format!("{player_id} was told that it joined, but that is not stored"));
        };
        let key = own_key
            .as_ref()
            .xor(sent_key.as_ref())
            .ok_or("a session must have exactly one key, from the client or from the table")?;
        match session.key.is_of(key) && session.seat == *seat && session.invite == Some(*invite) {
            true => Ok(()),
            false => Err(format!("the answer to {player_id} differs from the stored session: {answer:?}")),
        }
    }
}

/// Checks that a player's leave is stored.
fn check_left(player: &PlayerId, stored: &[StoredEvent], audit: &Audit) -> Result<(), String> {
    let is_gone = audit.participants.get(player).is_some_and(|participant| participant.ended_at.is_some());
    match is_gone && left_in(stored).any(|gone| gone == player) {
        true => Ok(()),
        false => Err(format!("{player} was told that it left, but that is not stored")),
    }
}

fn allowed_read(key: Option<&SecretKey>, audit: &Audit) -> Allowed {
    let player = key.and_then(|key| audit.holder(key));
    let may = match key {
        None => audit.options.open_to_spectators,
        Some(key) => player.is_some() || audit.open_invite(key).is_some_and(|(_, grant)| grant.role.is_seated()),
    };
    if may { Allowed::Read(player) } else { Allowed::Nothing }
}

fn allowed_request(key: Option<&SecretKey>, message: &ClientMessage, audit: &Audit) -> Allowed {
    let own = key.and_then(|key| audit.holder(key));
    match message {
        ClientMessage::JoinGame { session_key, key: invite, role, .. } => {
            let own = own.or_else(|| session_key.iter().chain(invite).find_map(|key| audit.holder(key)));
            own.map_or_else(|| allowed_join(session_key, invite.as_ref(), *role, audit), Allowed::Rejoin)
        }
        ClientMessage::LeaveGame { .. } if own.as_ref().is_some_and(|own| audit.has_seat(own)) => {
            own.map_or(Allowed::Nothing, Allowed::Leave)
        }
        ClientMessage::LeaveGame { .. } | ClientMessage::GiveUpSeat { .. } => {
            own.map_or(Allowed::Nothing, Allowed::End)
        }
        _ => own.map_or(Allowed::Nothing, Allowed::Act),
    }
}

fn allowed_join(own_key: &Option<SecretKey>, key: Option<&SecretKey>, role: Option<Role>, audit: &Audit) -> Allowed {
    let Some(key) = key else {
        let may = audit.options.open_to_spectators && role.is_none_or(|role| role == Role::Spectator);
        return if may { Allowed::Watch } else { Allowed::Nothing };
    };
    match audit.open_invite(key) {
        Some((invite, _)) => Allowed::Join { invite, own_key: own_key.clone() },
        None => Allowed::Nothing,
    }
}

/// The players who joined.
fn joined_in(stored: &[StoredEvent]) -> impl Iterator<Item = &PlayerId> {
    stored.iter().filter_map(|stored| match &stored.event {
        Event::Joined { session, .. } if session.control == Control::Human => Some(&session.player_id),
        _ => None,
    })
}

/// The players who left.
fn left_in(stored: &[StoredEvent]) -> impl Iterator<Item = &PlayerId> {
    stored.iter().filter_map(|stored| match &stored.event {
        Event::Left { player_id } | Event::GaveUp { player_id } => Some(player_id),
        _ => None,
    })
}

/// The request id in an answer, if its kind has one.
fn echoed(answer: &ServerMessage) -> Option<Option<&RequestId>> {
    match answer {
        ServerMessage::Joined { request_id, .. }
        | ServerMessage::Left { request_id, .. }
        | ServerMessage::Said { request_id, .. } => Some(request_id.as_ref()),
        ServerMessage::Invited { request_id, .. } => Some(Some(request_id)),
        ServerMessage::StateUpdate { ack: Some(ack), .. } => Some(Some(&ack.request_id)),
        _ => None,
    }
}
