//! Invites: who may create which, and what happens when one is revoked.

use alloc::vec::Vec;

use texas42_kernel::{KeyHash, Session};
use texas42_phrases::Problem;
use texas42_protocol::{Capability, Grant, PlayerId, RequestId, Role, SecretKey, ServerMessage, WireError};
use texas42_vocab::Control;

use super::{ConnectionId, MAX_INVITES, Rejection, Room, check_client_key, reject};
use crate::event::Event;

/// The maximum number of open coach invites per seat.
const MAX_COACH_INVITES: usize = 4;
/// The maximum number of uses of an invite.
const MAX_USES: u8 = 100;

/// Whose key an invite gets.
pub(super) enum InviteKey {
    /// A key of the person who invites, or a new one.
    Own(Option<SecretKey>),
    /// The key that a guest in the lobby has sent.
    Guest(PlayerId),
}

impl Room {
    pub(super) fn invite(
        &mut self,
        from: ConnectionId,
        request_id: RequestId,
        grant: Option<Grant>,
        key: InviteKey,
        revoke: Option<u32>,
    ) -> Result<(), Rejection> {
        let session = self.session_on(from)?.clone();
        match (grant, revoke) {
            (Some(grant), None) => self.create_invite(from, &session, request_id, grant, key),
            (None, Some(number)) if matches!(key, InviteKey::Own(_)) => self.revoke(from, &session, request_id, number),
            _ => Err(reject(Problem::GrantOrRevoke)),
        }
    }

    fn create_invite(
        &mut self,
        from: ConnectionId,
        session: &Session,
        request_id: RequestId,
        grant: Grant,
        key: InviteKey,
    ) -> Result<(), Rejection> {
        if let Some(version) = self.table.accepted(&session.player_id, &request_id) {
            return self.repeat_invite_reply(from, request_id, version);
        }
        self.check_may_invite(session, &grant)?;
        self.check_grant(&grant)?;
        self.check_table_limit()?;
        self.check_invite_limit(&grant)?;
        if !session.may(Capability::ConfigureVariant) {
            self.check_invites_per_hand(&session.player_id)?;
        }
        let (hash, issued, grant) = self.key_of_invite(&key, grant)?;
        let invite = self.table.next_invite;
        let by = session.player_id.clone();
        self.commit(Event::Invited { by, request_id: request_id.clone(), number: invite, key: hash, grant }, None);
        self.send(from, ServerMessage::Invited { request_id, invite, key: issued, is_revoked: false });
        if let InviteKey::Guest(guest) = key {
            self.admit(&guest);
        }
        Ok(())
    }

    /// The hash of the key of a new invite, the key if the table has generated it, and what the invite grants. A guest is
    /// let in alone.
    fn key_of_invite(
        &mut self,
        key: &InviteKey,
        grant: Grant,
    ) -> Result<(KeyHash, Option<SecretKey>, Grant), Rejection> {
        match key {
            InviteKey::Own(key) => {
                check_client_key(key.as_ref(), "key")?;
                self.check_new_key(key.as_ref())?;
                let (hash, issued) = self.hash_or_generate_key(key.as_ref());
                Ok((hash, issued, grant))
            }
            InviteKey::Guest(guest) => {
                let grant = Grant { uses: Some(1), ..grant };
                Ok((self.key_of_guest(guest, &grant)?, None, grant))
            }
        }
    }

    /// Limits the number of open invites. Those for coaches are counted per student, so that nobody can block the
    /// invites of others.
    fn check_invite_limit(&self, grant: &Grant) -> Result<(), Rejection> {
        let is_alike = |other: &Grant| match grant.role {
            Role::Coach => other.role == Role::Coach && other.seat == grant.seat,
            _ => other.role != Role::Coach,
        };
        let open = self.table.invites.iter().filter(|open| !open.is_used_up() && is_alike(&open.grant)).count();
        let max = if grant.role == Role::Coach { MAX_COACH_INVITES } else { MAX_INVITES };
        if open >= max {
            return Err(reject(Problem::TooManyInvites));
        }
        Ok(())
    }

    /// A key belongs to one session or one invite only.
    pub(super) fn check_new_key(&self, key: Option<&SecretKey>) -> Result<(), Rejection> {
        let is_known = |key: &SecretKey| self.player_with_key(key).is_some() || self.is_invite_key(key);
        match key {
            Some(key) if is_known(key) => Err(reject(Problem::KeyInUse)),
            _ => Ok(()),
        }
    }

    pub(super) fn is_invite_key(&self, key: &SecretKey) -> bool {
        self.table.invites.iter().any(|invite| invite.key.is_of(key))
    }

    /// Repeats the reply to an accepted request. A key that the table generated is not shown again.
    fn repeat_invite_reply(
        &mut self,
        from: ConnectionId,
        request_id: RequestId,
        version: u64,
    ) -> Result<(), Rejection> {
        let invite = self.table.invites.iter().find(|invite| invite.created_at == version);
        let Some(invite) = invite.map(|invite| invite.number) else {
            return Err(reject(Problem::InviteGone));
        };
        self.send(from, ServerMessage::Invited { request_id, invite, key: None, is_revoked: false });
        Ok(())
    }

    /// Only the host may invite. Only the student may invite a coach, because a coach sees the student's hand; with open
    /// hands the host may too.
    fn check_may_invite(&self, session: &Session, grant: &Grant) -> Result<(), Rejection> {
        let is_own_seat =
            |seat| session.control == Control::Human && session.may(Capability::ActAsPlayer { player_index: seat });
        let is_host = session.may(Capability::ConfigureVariant);
        let may = match grant.role {
            Role::Coach => grant.seat.is_some_and(is_own_seat) || (self.table.options.open_hands && is_host),
            _ => is_host,
        };
        match (may, grant.role) {
            (true, _) => Ok(()),
            (false, Role::Coach) if grant.seat.is_none() => Err(reject(Problem::CoachNeedsSeat)),
            (false, Role::Coach) => Err(reject(Problem::CoachInvitedByStudent)),
            (false, _) => Err(reject(Problem::CannotInvite)),
        }
    }

    /// Rejects grants that nobody may receive, and those that need a table with open hands.
    fn check_grant(&self, grant: &Grant) -> Result<(), Rejection> {
        let (options, is_spectator) = (&self.table.options, grant.role == Role::Spectator);
        match grant.role {
            Role::Ai => self.check_bots_are_welcome()?,
            Role::Admin if !options.open_hands => {
                return Err(reject(Problem::AdminNeedsOpenHands));
            }
            Role::Coach if grant.seat.is_none() => {
                return Err(reject(Problem::CoachNeedsSeat));
            }
            Role::Coach if options.rated => {
                return Err(reject(Problem::RatedAllowsNoCoach));
            }
            Role::Student if options.rated => {
                return Err(reject(Problem::RatedAllowsNoHints));
            }
            Role::Player | Role::Student => self.check_deals_are_secret()?,
            _ => {}
        }
        if grant.seat.is_some() && matches!(grant.role, Role::Spectator | Role::Admin) {
            return Err(WireError::new(Problem::SpectatorHasNoSeat).at("grant.seat").into());
        }
        if !is_spectator && (grant.open_hands || grant.delay_hands > 0) {
            return Err(reject(Problem::OnlyForSpectators));
        }
        if grant.open_hands && options.rated {
            return Err(reject(Problem::RatedShowsNoHands));
        }
        if grant.open_hands && grant.delay_hands == 0 && !options.open_hands {
            return Err(reject(Problem::NeedsOpenHands));
        }
        if grant.uses.is_some_and(|uses| !(1..=MAX_USES).contains(&uses)) {
            return Err(reject(Problem::InviteUses { most: MAX_USES.into() }));
        }
        Ok(())
    }

    /// Revokes an invite and ends the sessions that joined with it. A rated table removes nobody from a seat.
    fn revoke(
        &mut self,
        from: ConnectionId,
        session: &Session,
        request_id: RequestId,
        number: u32,
    ) -> Result<(), Rejection> {
        let by = session.player_id.clone();
        if self.table.accepted(&by, &request_id).is_some() {
            self.send(from, ServerMessage::Invited { request_id, invite: number, key: None, is_revoked: true });
            return Ok(());
        }
        let Some(invite) = self.table.invites.iter().find(|invite| invite.number == number) else {
            return Err(reject(Problem::NoSuchInvite));
        };
        if !session.may(Capability::ConfigureVariant) {
            self.check_may_invite(session, &invite.grant)?;
        }
        let holders: Vec<Session> =
            self.table.sessions.iter().filter(|holder| holder.invite == Some(number)).cloned().collect();
        if self.table.options.rated && holders.iter().any(|holder| holder.seat.is_some()) {
            return Err(reject(Problem::InvitePlays));
        }
        self.commit(Event::Revoked { by, request_id: request_id.clone(), number }, None);
        self.send(from, ServerMessage::Invited { request_id, invite: number, key: None, is_revoked: true });
        for holder in holders {
            self.end_session(&holder.player_id);
        }
        Ok(())
    }
}
