//! Joining, reconnecting, watching, and leaving.
//!
//! A session belongs to the holder of its key. A client that generates the key itself can repeat a request after a lost
//! reply: the same key finds the same session, so that nobody is seated twice or loses a seat.

use alloc::{format, vec::Vec};

use texas42_kernel::{KeyHash, Session, granted};
use texas42_phrases::Problem;
use texas42_protocol::{Capability, Entropy, Grant, Name, PlayerId, RequestId, Role, SecretKey, ServerMessage, Status};
use texas42_vocab::{Control, Seat};

use super::{
    ConnectionId, MAX_CONNECTIONS, MAX_GUESTS, MAX_VISITS, Rejection, Room, check_client_key, has_known_deals, reject,
};
use crate::event::Event;

/// What a client requests when it joins.
pub(super) struct JoinRequest {
    pub(super) name: Name,
    pub(super) role: Option<Role>,
    pub(super) seat: Option<Seat>,
    pub(super) capabilities: Option<Vec<Capability>>,
    pub(super) entropy: Option<Entropy>,
    pub(super) session_key: Option<SecretKey>,
}

/// What a key grants.
struct JoinGrant {
    grant: Grant,
    /// The invite that grants it. Absent for bots.
    invitation: Option<u32>,
}

impl Room {
    pub(super) fn seat_creator(
        &mut self,
        connection: ConnectionId,
        name: Name,
        entropy: Option<Entropy>,
        session_key: Option<&SecretKey>,
        request_id: Option<RequestId>,
    ) {
        let seat = self.table.human_seats().next().expect("`check_options` requires a human seat");
        let mut capabilities = Role::Player.capabilities(Some(seat));
        capabilities.push(Capability::ConfigureVariant);
        let (key, issued) = self.hash_or_generate_key(session_key);
        let player_id = self.next_player_id();
        let session = Session {
            player_id: player_id.clone(),
            seat: Some(seat),
            name,
            control: Control::Human,
            capabilities,
            key,
            delay_hands: 0,
            invitation: None,
        };
        self.commit(Event::Joined { session, entropy }, None);
        self.start_when_complete();
        self.answer_creator(connection, player_id, issued, request_id);
    }

    pub(super) fn answer_creator(
        &mut self,
        connection: ConnectionId,
        player_id: PlayerId,
        key: Option<SecretKey>,
        request_id: Option<RequestId>,
    ) {
        let view = self.attach(connection, &player_id);
        let (game_id, version) = (self.id.clone(), self.table.version);
        self.send(connection, ServerMessage::GameCreated { request_id, game_id, player_id, key, version, view });
    }

    /// Repeats the reply to a `CREATE_GAME` that a client sent again.
    pub(super) fn repeat_creation_reply(
        &mut self,
        from: ConnectionId,
        request_id: Option<RequestId>,
        session_key: Option<&SecretKey>,
    ) -> Result<(), Rejection> {
        let Some(player) = session_key.and_then(|key| self.player_with_key(key)) else {
            return Err(reject(Problem::AlreadySetUp));
        };
        self.replace_connection(&player, from);
        self.answer_creator(from, player, None, request_id);
        Ok(())
    }

    /// The hash of the given key, or of a new one. A new key is returned too, because the client needs it.
    pub(super) fn hash_or_generate_key(&mut self, own: Option<&SecretKey>) -> (KeyHash, Option<SecretKey>) {
        match own {
            Some(own) => (KeyHash::of(own), None),
            None => {
                let fresh = self.keys.key();
                (KeyHash::of(&fresh), Some(fresh))
            }
        }
    }

    /// The session that a key belongs to.
    pub(super) fn player_with_key(&self, key: &SecretKey) -> Option<PlayerId> {
        self.table.sessions.iter().find(|session| session.key.is_of(key)).map(|session| session.player_id.clone())
    }

    /// Joins a connection to the table. The key of a session reconnects it; the key of a bot or an invite creates a
    /// session. Without a key, a client can only watch, if the table allows it.
    pub(super) fn join(
        &mut self,
        from: ConnectionId,
        request_id: Option<RequestId>,
        key: Option<&SecretKey>,
        request: JoinRequest,
    ) -> Result<(), Rejection> {
        check_client_key(request.session_key.as_ref(), "sessionKey")?;
        if request.session_key.as_ref().is_some_and(|own| self.is_invite_key(own)) {
            return Err(reject(Problem::InvitationKey));
        }
        let mut own = request.session_key.iter().chain(key);
        if let Some(player) = own.find_map(|key| self.player_with_key(key)) {
            return self.reconnect(from, request_id, &player);
        }
        let bot_seat = key.and_then(|key| self.seat_of_bot_key(key));
        if let Some(bot) = bot_seat.and_then(|seat| self.table.on_seat(seat, Control::Ai)) {
            let player = bot.player_id.clone();
            return self.reconnect(from, request_id, &player);
        }
        match (bot_seat, key) {
            (Some(seat), _) => {
                let grant = Grant { seat: Some(seat), ..Grant::of(Role::Ai) };
                // A bot reconnects with the key that was issued to it, unless it brings another.
                let request = JoinRequest { session_key: request.session_key.or_else(|| key.cloned()), ..request };
                self.create_session(from, request_id, &JoinGrant { grant, invitation: None }, request)
            }
            (None, Some(key)) => {
                let join_grant = self.grant_of_key(key, &request)?;
                self.create_session(from, request_id, &join_grant, request)
            }
            (None, None) => self.watch(from, request_id, &request),
        }
    }

    /// The seat that this bot key was issued for.
    fn seat_of_bot_key(&self, key: &SecretKey) -> Option<Seat> {
        let is_issued = |seat: &Seat| {
            let issued = self.bot_keys[seat.index()].as_ref();
            issued.is_some_and(|issued| KeyHash::of(issued).is_of(key))
        };
        Seat::ALL.into_iter().find(is_issued)
    }

    fn grant_of_key(&self, key: &SecretKey, request: &JoinRequest) -> Result<JoinGrant, Rejection> {
        let invitation = self.table.invitations.iter().find(|invitation| invitation.key.is_of(key));
        let invitation = invitation.ok_or_else(|| reject(Problem::UnknownKey))?;
        if request.role.is_some_and(|role| role != invitation.grant.role) {
            return Err(reject(Problem::OtherRole));
        }
        if invitation.is_used_up() {
            return Err(reject(Problem::InvitationUsed));
        }
        Ok(JoinGrant { grant: invitation.grant.clone(), invitation: Some(invitation.number) })
    }

    /// Adds a spectator without a session to an open table. Nothing is logged, so spectators cost only their
    /// connections.
    fn watch(
        &mut self,
        from: ConnectionId,
        request_id: Option<RequestId>,
        request: &JoinRequest,
    ) -> Result<(), Rejection> {
        if !self.table.options.open_to_spectators {
            return Err(reject(Problem::KeyNeeded));
        }
        if request.role.is_some_and(|role| role != Role::Spectator) {
            return Err(reject(Problem::OnlyWatchUninvited));
        }
        if self.connections.len() >= MAX_CONNECTIONS {
            return Err(reject(Problem::TableFull));
        }
        let player = Self::spectator_id(from);
        let view = self.attach(from, &player);
        self.send(from, self.joined_message(request_id, player, None, view));
        Ok(())
    }

    /// The id of a spectator, derived from the connection.
    pub(super) fn spectator_id(from: ConnectionId) -> PlayerId {
        let id = format!("w{from}");
        PlayerId::try_from(id.as_str()).expect("a letter and a number form a valid id")
    }

    fn reconnect(
        &mut self,
        from: ConnectionId,
        request_id: Option<RequestId>,
        player: &PlayerId,
    ) -> Result<(), Rejection> {
        self.replace_connection(player, from);
        self.return_seat(player);
        let view = self.attach(from, player);
        self.send(from, self.joined_message(request_id, player.clone(), None, view));
        Ok(())
    }

    /// Drops other connections of the same session: the newest one is alive.
    fn replace_connection(&mut self, player: &PlayerId, by: ConnectionId) {
        self.connections.retain(|id, connection| connection.player_id != *player || *id == by);
    }

    pub(super) fn joined_message(
        &self,
        request_id: Option<RequestId>,
        player_id: PlayerId,
        key: Option<SecretKey>,
        view: texas42_protocol::GameView,
    ) -> ServerMessage {
        let session = self.table.session(&player_id);
        ServerMessage::Joined {
            request_id,
            game_id: self.id.clone(),
            seat: session.and_then(|session| session.seat),
            capabilities: session.map(|session| session.capabilities.clone()).unwrap_or_default(),
            player_id,
            key,
            version: self.table.version,
            view,
        }
    }

    /// Returns the seat to a person whom a bot replaced for being away.
    fn return_seat(&mut self, player: &PlayerId) {
        let Some(session) = self.table.session(player) else { return };
        let Some(seat) = session.seat.filter(|_| session.control == Control::Human) else { return };
        if self.table.control(seat) == Control::Ai && self.table.was_taken_over(seat) {
            // If the event log is full, the bot continues.
            self.change_control(seat, Control::Human, Some(player.clone()), None).ok();
        }
    }

    fn create_session(
        &mut self,
        from: ConnectionId,
        request_id: Option<RequestId>,
        join_grant: &JoinGrant,
        request: JoinRequest,
    ) -> Result<(), Rejection> {
        let grant = &join_grant.grant;
        // Seats are limited to four, so no crowd can keep out players or bots.
        match grant.role {
            Role::Ai => {}
            Role::Player | Role::Student => self.check_table_limit()?,
            Role::Spectator | Role::Coach | Role::Admin => self.make_room_for_guest()?,
        }
        let seat = self.free_seat(grant, request.seat)?;
        let control = if grant.role == Role::Ai { Control::Ai } else { Control::Human };
        let replaces = seat.filter(|seat| control == Control::Human && self.table.control(*seat) == Control::Ai);
        if replaces.is_some() {
            self.check_game_limit()?;
        }
        let (session, issued) = self.new_session(seat, control, join_grant, &request);
        let player = session.player_id.clone();
        self.detach(from);
        self.commit(Event::Joined { session, entropy: request.entropy }, None);
        if let Some(seat) = replaces {
            self.change_control(seat, Control::Human, Some(player.clone()), None)?;
        }
        self.start_when_complete();
        let view = self.attach(from, &player);
        self.send(from, self.joined_message(request_id, player.clone(), issued, view));
        self.announce(&player, Status::Joined);
        Ok(())
    }

    /// Limits the number of guests without a seat. If needed, a new guest replaces one who is not connected.
    fn make_room_for_guest(&mut self) -> Result<(), Rejection> {
        self.check_table_limit()?;
        if self.table.guests_joined >= MAX_VISITS {
            return Err(reject(Problem::TooManyGuests));
        }
        let guests = || self.table.sessions.iter().filter(|session| session.seat.is_none());
        if guests().count() < MAX_GUESTS {
            return Ok(());
        }
        let absent = guests().find(|guest| !self.is_connected(&guest.player_id)).map(|guest| guest.player_id.clone());
        let absent = absent.ok_or_else(|| reject(Problem::TableFull))?;
        self.end_session(&absent);
        Ok(())
    }

    /// A new session, and its key if the client needs to learn it.
    fn new_session(
        &mut self,
        seat: Option<Seat>,
        control: Control,
        join_grant: &JoinGrant,
        request: &JoinRequest,
    ) -> (Session, Option<SecretKey>) {
        let (key, issued) = self.hash_or_generate_key(request.session_key.as_ref());
        let session = Session {
            player_id: self.next_player_id(),
            seat,
            name: request.name.clone(),
            control,
            capabilities: granted(&join_grant.grant, seat, request.capabilities.as_deref()),
            key,
            delay_hands: join_grant.grant.delay_hands,
            invitation: join_grant.invitation,
        };
        (session, issued)
    }

    /// A new public id. The version makes it unique, and it reveals nothing about the key.
    fn next_player_id(&self) -> PlayerId {
        let id = format!("p{}", self.table.version);
        PlayerId::try_from(id.as_str()).expect("a letter and a number form a valid id")
    }

    /// The seat for a new session. A person takes a seat without a person, including one that a bot controls. A bot
    /// takes the seat that it was requested for.
    fn free_seat(&self, grant: &Grant, wanted: Option<Seat>) -> Result<Option<Seat>, Rejection> {
        if !grant.role.is_seated() {
            return Ok(None);
        }
        if grant.role == Role::Ai {
            return Ok(grant.seat);
        }
        if grant.seat.is_some() && wanted.is_some() && grant.seat != wanted {
            return Err(reject(Problem::OtherSeat));
        }
        self.check_deals_are_secret()?;
        let mut candidates: Vec<Seat> = match grant.seat.or(wanted) {
            Some(seat) => Vec::from([seat]),
            None => Seat::ALL.to_vec(),
        };
        candidates.retain(|seat| self.table.person(*seat).is_none());
        let is_bot = |seat: &Seat| self.table.control(*seat) == Control::Ai;
        candidates.sort_by_key(is_bot);
        match candidates.first() {
            Some(seat) => Ok(Some(*seat)),
            None => Err(reject(Problem::SeatTaken)),
        }
    }

    /// If somebody can compute the hands, nobody else may play.
    pub(super) fn check_deals_are_secret(&self) -> Result<(), Rejection> {
        let is_played = Seat::ALL.into_iter().any(|seat| self.table.person(seat).is_some());
        if is_played && has_known_deals(&self.table.config, &self.table.options) {
            return Err(reject(Problem::DealsAreKnown));
        }
        Ok(())
    }

    pub(super) fn leave(&mut self, from: ConnectionId, request_id: Option<RequestId>) -> Result<(), Rejection> {
        let player = self.player_on(from)?.clone();
        self.connections.remove(&from);
        self.end_session(&player);
        self.send(from, ServerMessage::Left { request_id, game_id: self.id.clone() });
        Ok(())
    }

    /// Ends a session for good. In a running game, a bot takes over an abandoned seat so that the others can continue.
    /// Before the game, the seat stays free.
    pub(super) fn end_session(&mut self, player: &PlayerId) {
        let Some(session) = self.table.session(player).cloned() else { return };
        self.announce(player, Status::Left);
        let is_mover = session.seat.is_some_and(|seat| self.table.control(seat) == session.control);
        self.commit(Event::Left { player_id: player.clone() }, None);
        match session.seat.filter(|_| is_mover) {
            Some(_) if session.control == Control::Human && self.table.game.is_none() => {}
            Some(seat) if session.control == Control::Human => {
                self.change_control(seat, Control::Ai, None, None).ok();
            }
            Some(seat) => self.request_bot(seat),
            None => {}
        }
    }
}
