//! What a call has to be answered, by what is stored alone: who comes, comes back, watches, leaves or is refused.

use texas42_hosting::Call;
use texas42_protocol::{ClientMessage, ErrorCode, PlayerId, RequestId, Role, SecretKey, ServerMessage};
use texas42_room::{Event, StoredEvent};
use texas42_vocab::Control;

use crate::{audit::Audit, report::Report};

/// What the log lets a caller do.
pub(super) enum Allowed {
    /// Nothing: a refusal, and nothing is stored.
    Nothing,
    /// To see how the table stands, as this player or as everybody does; nothing is stored.
    Look(Option<PlayerId>),
    /// To act as this player, as far as the rules allow.
    Act(PlayerId),
    /// To watch without a session; nothing is stored.
    Watch,
    /// To come back as this player; nothing is stored.
    ComeBack(PlayerId),
    /// To come with an invitation, once, where there is room; with the key that the client made.
    Join { invitation: u32, own_key: Option<SecretKey> },
    /// To leave as this player.
    Leave(PlayerId),
}

/// What a call has to be answered.
pub(super) struct Expectation {
    pub(super) allowed: Allowed,
    request: Option<RequestId>,
}

impl Expectation {
    pub(super) fn of(call: &Call, audit: &Audit) -> Self {
        let (allowed, request) = match call {
            Call::State(key) | Call::Actions { key, .. } | Call::Record(key) => (to_look(key.as_ref(), audit), None),
            Call::Message { key, message } => (to_ask(key.as_ref(), message, audit), message.request_id().cloned()),
        };
        Self { allowed, request }
    }

    /// Whose view the answer may hold; everybody else who looks on has none of their own.
    pub(super) fn viewer(&self) -> Option<PlayerId> {
        match &self.allowed {
            Allowed::Act(player) | Allowed::ComeBack(player) | Allowed::Leave(player) => Some(player.clone()),
            Allowed::Look(Some(player)) => Some(player.clone()),
            Allowed::Look(None) | Allowed::Watch => PlayerId::try_from("onlooker").ok(),
            Allowed::Nothing | Allowed::Join { .. } => None,
        }
    }

    /// Whether nothing may be stored because of it.
    pub(super) const fn changes_nothing(&self) -> bool {
        match self.allowed {
            Allowed::Nothing | Allowed::Look(_) | Allowed::Watch | Allowed::ComeBack(_) => true,
            Allowed::Act(_) | Allowed::Join { .. } | Allowed::Leave(_) => false,
        }
    }

    /// Checks what was stored: also where the host died before it could answer.
    pub(super) fn check_stored(&self, stored: &[StoredEvent]) -> Result<(), String> {
        let joined = people_in(stored).count();
        match &self.allowed {
            _ if self.changes_nothing() && !stored.is_empty() => {
                Err("a call that may change nothing changed the table".into())
            }
            Allowed::Join { .. } if joined > 1 => Err(format!("one call made {joined} people join")),
            Allowed::Act(_) | Allowed::Leave(_) if joined > 0 => Err("somebody joined who did not ask".into()),
            Allowed::Leave(player) if left_in(stored).any(|gone| gone != player) => {
                Err(format!("{player} left, and somebody else did too"))
            }
            _ => Ok(()),
        }
    }

    /// Checks an answer that follows from what was stored before it.
    pub(super) fn check_answer(
        &self,
        answer: &ServerMessage,
        stored: &[StoredEvent],
        audit: &Audit,
        report: &mut Report,
    ) -> Result<(), String> {
        if let ServerMessage::Error { error, .. } = answer {
            report.refused_calls += 1;
            // What is reported as not stored may be stored.
            return if error.code == ErrorCode::NotStored { Ok(()) } else { self.check_refusal(stored) };
        }
        if echoed(answer).is_some_and(|request| request != self.request.as_ref()) {
            return Err(format!("{answer:?} answers another request than {:?}", self.request));
        }
        match (&self.allowed, answer) {
            (Allowed::Look(_), ServerMessage::StateUpdate { ack: None, .. }) => Ok(()),
            (Allowed::Act(_), ServerMessage::StateUpdate { ack, .. }) => self.check_ack(ack.is_some()),
            (Allowed::Watch, ServerMessage::Joined { player_id, key: None, seat: None, .. })
                if !audit.guests.contains_key(player_id) =>
            {
                report.calls_to_watch += 1;
                Ok(())
            }
            (Allowed::ComeBack(player), ServerMessage::Joined { player_id, key: None, .. }) if player == player_id => {
                report.calls_to_come_back += 1;
                Ok(())
            }
            (Allowed::Join { .. }, ServerMessage::Joined { .. }) => {
                report.calls_to_join += 1;
                self.check_joined(answer, stored)
            }
            (Allowed::Leave(player), ServerMessage::Left { .. }) => {
                report.calls_to_leave += 1;
                check_left(player, stored, audit)
            }
            _ => Err(format!("this is no answer to what was asked: {answer:?}")),
        }
    }

    /// Coming back, leaving and looking are not refused to those who may; nobody who is refused has joined or left.
    fn check_refusal(&self, stored: &[StoredEvent]) -> Result<(), String> {
        match &self.allowed {
            Allowed::Look(_) | Allowed::Watch => Err("somebody was refused who may look on".into()),
            Allowed::ComeBack(player) => Err(format!("a call was refused the own session {player}")),
            Allowed::Leave(player) => Err(format!("{player} was not allowed to leave")),
            Allowed::Nothing | Allowed::Act(_) | Allowed::Join { .. } if people_in(stored).next().is_some() => {
                Err("somebody joined and was told otherwise".into())
            }
            Allowed::Nothing | Allowed::Act(_) | Allowed::Join { .. } => Ok(()),
        }
    }

    fn check_ack(&self, is_acknowledged: bool) -> Result<(), String> {
        if is_acknowledged { Ok(()) } else { Err(format!("{:?} was done and not acknowledged", self.request)) }
    }

    /// What an answer says about a new session is stored: who it is, where it sits, and the key that opens it.
    fn check_joined(&self, answer: &ServerMessage, stored: &[StoredEvent]) -> Result<(), String> {
        let ServerMessage::Joined { player_id, seat, key: told, .. } = answer else { return Ok(()) };
        let Allowed::Join { invitation, own_key } = &self.allowed else { return Ok(()) };
        let is_meant = |event: &&Event| match event {
            Event::Joined { session, .. } => session.player_id == *player_id,
            _ => false,
        };
        let Some(Event::Joined { session, .. }) = stored.iter().map(|stored| &stored.event).find(is_meant) else {
            return Err(format!("{player_id} is told to have joined, and that is not stored"));
        };
        let key = own_key.as_ref().xor(told.as_ref()).ok_or("a session has one key: its own or one that is told")?;
        match session.key.is_of(key) && session.seat == *seat && session.invitation == Some(*invitation) {
            true => Ok(()),
            false => Err(format!("{player_id} is told otherwise than it is stored: {answer:?}")),
        }
    }
}

/// Who has left is stored as gone.
fn check_left(player: &PlayerId, stored: &[StoredEvent], audit: &Audit) -> Result<(), String> {
    let is_gone = audit.guests.get(player).is_some_and(|guest| guest.ended_at.is_some());
    match is_gone && left_in(stored).any(|gone| gone == player) {
        true => Ok(()),
        false => Err(format!("{player} is told to have left, and that is not stored")),
    }
}

fn to_look(key: Option<&SecretKey>, audit: &Audit) -> Allowed {
    let player = key.and_then(|key| audit.holder(key));
    let may = match key {
        None => audit.options.open_to_spectators,
        Some(key) => player.is_some() || audit.open_invitation(key).is_some_and(|(_, grant)| grant.role.is_seated()),
    };
    if may { Allowed::Look(player) } else { Allowed::Nothing }
}

fn to_ask(key: Option<&SecretKey>, message: &ClientMessage, audit: &Audit) -> Allowed {
    let own = key.and_then(|key| audit.holder(key));
    match message {
        ClientMessage::JoinGame { session_key, key: invitation, role, .. } => {
            let own = own.or_else(|| session_key.iter().chain(invitation).find_map(|key| audit.holder(key)));
            own.map_or_else(|| to_join(session_key, invitation.as_ref(), *role, audit), Allowed::ComeBack)
        }
        ClientMessage::LeaveGame { .. } => own.map_or(Allowed::Nothing, Allowed::Leave),
        _ => own.map_or(Allowed::Nothing, Allowed::Act),
    }
}

fn to_join(own_key: &Option<SecretKey>, key: Option<&SecretKey>, role: Option<Role>, audit: &Audit) -> Allowed {
    let Some(key) = key else {
        let may = audit.options.open_to_spectators && role.is_none_or(|role| role == Role::Spectator);
        return if may { Allowed::Watch } else { Allowed::Nothing };
    };
    match audit.open_invitation(key) {
        Some((invitation, _)) => Allowed::Join { invitation, own_key: own_key.clone() },
        None => Allowed::Nothing,
    }
}

/// The people who joined.
fn people_in(stored: &[StoredEvent]) -> impl Iterator<Item = &PlayerId> {
    stored.iter().filter_map(|stored| match &stored.event {
        Event::Joined { session, .. } if session.control == Control::Human => Some(&session.player_id),
        _ => None,
    })
}

/// Those who left.
fn left_in(stored: &[StoredEvent]) -> impl Iterator<Item = &PlayerId> {
    stored.iter().filter_map(|stored| match &stored.event {
        Event::Left { player_id } => Some(player_id),
        _ => None,
    })
}

/// The number of the request that an answer names, where its kind names one.
fn echoed(answer: &ServerMessage) -> Option<Option<&RequestId>> {
    match answer {
        ServerMessage::Joined { request_id, .. } | ServerMessage::Left { request_id, .. } => Some(request_id.as_ref()),
        ServerMessage::StateUpdate { ack: Some(ack), .. } => Some(Some(&ack.request_id)),
        _ => None,
    }
}
