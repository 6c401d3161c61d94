//! Joining, reconnecting, watching, and leaving.
//!
//! A session belongs to the holder of its key. A client that generates the key itself can repeat a request after a lost
//! reply: the same key finds the same session, so that nobody is seated twice or loses a seat.

use alloc::{format, vec::Vec};

use texas42_kernel::{KeyHash, Session, granted};
use texas42_phrases::Problem;
use texas42_protocol::{
    Capability, Entropy, Grant, Name, PlayerId, RequestId, Role, SecretKey, ServerMessage, Status, WireError,
};
use texas42_vocab::{Control, Seat};

use super::{ConnectionId, MAX_CONNECTIONS, Rejection, Room, check_client_key, has_known_deals, reject};
use crate::{
    event::Event,
    visitor_limits::{MAX_VISITORS, MAX_VISITORS_OF_INVITE},
};

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
pub(super) struct JoinGrant {
    grant: Grant,
    /// The invite that grants it. Absent for bots of the host.
    pub(super) invite: Option<u32>,
}

/// Rejects names that people cannot read.
pub(super) fn check_name(name: &Name) -> Result<(), WireError> {
    if name.is_readable() { Ok(()) } else { Err(WireError::new(Problem::NameUnreadable).at("name")) }
}

/// A name with a number, for example "Ruby 2".
fn numbered(name: &Name, number: u8) -> Name {
    let max = Name::MAX - " 99".len();
    let short: alloc::string::String = name.as_str().chars().take(max).collect();
    Name::try_from(format!("{} {number}", short.trim_end())).unwrap_or_else(|_| name.clone())
}

impl Room {
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
            return Err(reject(Problem::InviteKey));
        }
        let mut own = request.session_key.iter().chain(key);
        if let Some(player) = own.find_map(|key| self.player_with_key(key)) {
            return self.reconnect(from, request_id, &player);
        }
        let bot_seat = key.and_then(|key| self.seat_of_bot_key(key));
        if let Some(bot) = bot_seat.and_then(|seat| self.table.host_bot(seat)) {
            let player = bot.player_id.clone();
            return self.reconnect(from, request_id, &player);
        }
        match (bot_seat, key) {
            (Some(seat), _) => {
                let grant = Grant { seat: Some(seat), ..Grant::of(Role::Ai) };
                // A bot reconnects with the key that was issued to it, unless it sends its own.
                let request = JoinRequest { session_key: request.session_key.or_else(|| key.cloned()), ..request };
                self.create_session(from, request_id, &JoinGrant { grant, invite: None }, request)
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
        let invite = self.table.invites.iter().find(|invite| invite.key.is_of(key));
        let invite = invite.ok_or_else(|| reject(Problem::UnknownKey))?;
        if request.role.is_some_and(|role| role != invite.grant.role) {
            return Err(reject(Problem::OtherRole));
        }
        if invite.is_used_up() {
            return Err(reject(Problem::InviteUsed));
        }
        Ok(JoinGrant { grant: invite.grant.clone(), invite: Some(invite.number) })
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

    /// Drops the older connections of the session; a session has at most one.
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

    /// Returns the seat to a person whom a bot replaced without that person's request, and to an invited bot; a person
    /// who has reached the limit gets it back in the next hand, so that returning cannot block the bot.
    pub(super) fn return_seat(&mut self, player: &PlayerId) {
        self.note_return(player);
        self.return_bot(player);
        let Some(session) = self.table.session(player).filter(|session| !self.table.waits_for_deal(session)) else {
            return;
        };
        let Some(seat) = session.seat.filter(|_| session.control == Control::Human) else { return };
        let is_replaced = self.table.control(seat) == Control::Ai && self.table.was_taken_over(seat);
        if is_replaced && self.check_control_changes(player).is_ok() {
            // Fails only if the log of the game is full; then the bot continues.
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
        // The limit for visitors does not apply to seats, so visitors cannot keep out players or bots.
        let makes_room = match grant.role {
            Role::Ai if join_grant.invite.is_none() => None,
            Role::Ai | Role::Player | Role::Student => self.check_table_limit().map(|()| None)?,
            Role::Spectator | Role::Coach | Role::Admin => self.room_for_visitor(join_grant.invite)?,
        };
        let seat = match (grant.role, join_grant.invite) {
            (Role::Ai, None) => grant.seat,
            _ => self.free_seat(grant, request.seat)?,
        };
        let control = if grant.role == Role::Ai { Control::Ai } else { Control::Human };
        let request = JoinRequest { name: self.name_for(request.name, seat, control)?, ..request };
        let replaces = seat.filter(|seat| self.table.control(*seat) != control);
        if replaces.is_some() {
            self.check_game_limit()?;
        }
        if let Some(absent) = makes_room {
            self.end_session(&absent);
        }
        let waits = seat.is_some() && self.must_wait(from, join_grant);
        let (session, issued) = self.new_session(seat, control, join_grant, &request);
        let player = session.player_id.clone();
        self.detach(from);
        self.commit(Event::Joined { session, entropy: request.entropy, waits }, None);
        match (seat, replaces) {
            (Some(seat), _) if waits => self.seat_waiting_newcomer(seat)?,
            (Some(seat), _) if grant.role == Role::Ai && join_grant.invite.is_some() => {
                self.seat_invited_bot(seat, &player)?;
            }
            (_, Some(seat)) => self.change_control(seat, control, Some(player.clone()), None)?,
            _ => {}
        }
        self.start_when_complete();
        self.hand_over_left_seats();
        let view = self.attach(from, &player);
        self.send(from, self.joined_message(request_id, player.clone(), issued, view));
        self.announce(&player, Status::Joined);
        Ok(())
    }

    /// Limits the number of visitors. If the table is full, or the invite has its share of the places, a new
    /// visitor replaces one who is not connected and does not manage the table: one with the same invite, if there is one.
    /// Returns that visitor.
    fn room_for_visitor(&self, invite: Option<u32>) -> Result<Option<PlayerId>, Rejection> {
        self.check_table_limit()?;
        self.table.check_visitors(invite, self.clock.now()).map_err(reject)?;
        let visitors = || self.table.sessions.iter().filter(|session| session.seat.is_none());
        let is_own = |visitor: &Session| visitor.invite == invite;
        let has_share = visitors().filter(|visitor| is_own(visitor)).count() >= MAX_VISITORS_OF_INVITE;
        if !has_share && visitors().count() < MAX_VISITORS {
            return Ok(None);
        }
        let is_replaceable = |visitor: &&Session| {
            let manages = visitor.may(Capability::ConfigureVariant);
            !manages && !self.is_connected(&visitor.player_id) && (is_own(visitor) || !has_share)
        };
        let absent = visitors().filter(is_replaceable).min_by_key(|visitor| !is_own(visitor));
        absent.map(|visitor| Some(visitor.player_id.clone())).ok_or_else(|| reject(Problem::TableFull))
    }

    /// The name of a new session. A person's name must be readable, and must not resemble the name of anyone who stays
    /// at the table. A bot gets a number if its name is taken, so that no name can keep a bot out.
    fn name_for(&self, name: Name, seat: Option<Seat>, control: Control) -> Result<Name, Rejection> {
        check_name(&name)?;
        let is_replaced = |other: &Session| {
            other.seat.is_some() && other.seat == seat && (control == Control::Human || other.control == Control::Ai)
        };
        let is_taken =
            |name: &Name| self.table.sessions.iter().any(|other| !is_replaced(other) && other.name.looks_like(name));
        match control {
            _ if !is_taken(&name) => Ok(name),
            Control::Human => Err(WireError::new(Problem::NameTaken).at("name").into()),
            Control::Ai => {
                Ok((2..100).map(|number| numbered(&name, number)).find(|name| !is_taken(name)).unwrap_or(name))
            }
        }
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
        // An invite that an earlier version stored may show hands at a rated table.
        let is_open = join_grant.grant.open_hands && !self.table.options.rated;
        let grant = Grant { open_hands: is_open, ..join_grant.grant.clone() };
        let declines_hints = request.capabilities.as_ref().is_some_and(|asked| !asked.contains(&Capability::SeeHints));
        let session = Session {
            player_id: self.next_player_id(),
            seat,
            name: request.name.clone(),
            control,
            capabilities: granted(&grant, seat, request.capabilities.as_deref()),
            key,
            delay_hands: join_grant.grant.delay_hands,
            declines_hints,
            invite: join_grant.invite,
        };
        (session, issued)
    }

    /// A new public id. The version makes it unique, and it reveals nothing about the key.
    pub(super) fn next_player_id(&self) -> PlayerId {
        let id = format!("p{}", self.table.version);
        PlayerId::try_from(id.as_str()).expect("a letter and a number form a valid id")
    }

    /// The seat for a new session. A person takes a seat without a person, including the seat of a bot with `replace-ai`.
    /// If none is requested, the host's partner's seat comes first, because friends usually play together. An invited bot
    /// takes a seat of a bot of the host, or a free one, but not that of an invited bot that is away and may return.
    pub(super) fn free_seat(&self, grant: &Grant, wanted: Option<Seat>) -> Result<Option<Seat>, Rejection> {
        if !grant.role.is_seated() {
            return Ok(None);
        }
        if grant.seat.is_some() && wanted.is_some() && grant.seat != wanted {
            return Err(reject(Problem::OtherSeat));
        }
        let is_person = grant.role != Role::Ai;
        match is_person {
            true => self.check_deals_are_secret()?,
            false => self.check_bots_are_welcome()?,
        }
        let mut candidates: Vec<Seat> = match grant.seat.or(wanted) {
            Some(seat) => Vec::from([seat]),
            None => Seat::ALL.to_vec(),
        };
        let has_invited_bot = |seat: &Seat| self.table.belongs_to_invited_bot(*seat);
        candidates.retain(|seat| self.table.person(*seat).is_none() && (is_person || !has_invited_bot(seat)));
        let free_of_people = candidates.len();
        let is_present = |player: &PlayerId| self.is_connected(player);
        candidates.retain(|seat| !is_person || self.table.makes_room(*seat, is_present));
        let is_bot = |seat: &Seat| self.table.control(*seat) == Control::Ai;
        let beside_host = self.table.host_seat().map(Seat::partner).filter(|_| is_person);
        let preference = |seat: &Seat| (is_bot(seat) == is_person, has_invited_bot(seat), Some(*seat) != beside_host);
        match candidates.into_iter().min_by_key(preference) {
            Some(seat) => Ok(Some(seat)),
            None if free_of_people > 0 => Err(reject(Problem::BotKeepsSeat)),
            None => Err(reject(Problem::SeatTaken)),
        }
    }

    /// Rejects invited bots at rated tables and where somebody could know the hands, because a person could play through
    /// the bot.
    pub(super) fn check_bots_are_welcome(&self) -> Result<(), Rejection> {
        if self.table.options.rated {
            return Err(reject(Problem::InvitedBotsNotAllowed));
        }
        if has_known_deals(&self.table.config, &self.table.options) {
            return Err(reject(Problem::DealsAreKnown));
        }
        Ok(())
    }

    /// If somebody can compute the hands, nobody else may play.
    pub(super) fn check_deals_are_secret(&self) -> Result<(), Rejection> {
        match self.table.is_for_one_person() {
            true => Err(reject(Problem::DealsAreKnown)),
            false => Ok(()),
        }
    }

    /// Leaves the table. A person or an invited bot keeps the seat, and every connection of the session ends. All other
    /// sessions end.
    pub(super) fn leave(&mut self, from: ConnectionId, request_id: Option<RequestId>) -> Result<(), Rejection> {
        let player = self.player_on(from)?.clone();
        let session = self.table.session(&player);
        let keeps_seat = |session: &&Session| session.control == Control::Human || session.is_invited_bot();
        let seat = session.filter(keeps_seat).and_then(|session| session.seat);
        match seat {
            Some(seat) => self.leave_seat(from, &player, seat),
            None => {
                self.connections.remove(&from);
                self.end_session(&player);
            }
        }
        self.send_left(from, request_id, seat.is_some());
        Ok(())
    }

    /// Disconnects a session that keeps its seat. In a running game, a bot plays until its person returns, so that the
    /// other people can continue, and in a rated game at least until the hand is over. Otherwise the table remembers who
    /// left, and a bot plays from the next game on, or when somebody joins a game that was played alone.
    fn leave_seat(&mut self, from: ConnectionId, player: &PlayerId, seat: Seat) {
        self.disconnect_session(from, player);
        self.dismiss_bot(player);
        let is_person = self.table.person(seat).is_some_and(|person| person.player_id == *player);
        if is_person && self.check_control_changes(player).is_ok() && !self.hand_over_left_seat(seat, player) {
            self.note_left(seat, player);
        }
        self.start_when_complete();
    }

    /// Remembers that a person left a seat that waits for this person.
    fn note_left(&mut self, seat: Seat, player: &PlayerId) {
        let is_known = self.table.control(seat) == Control::Ai || self.table.has_left(seat);
        if !is_known && self.check_table_limit().is_ok() {
            self.commit(Event::PersonAbsent { player_id: player.clone(), has_left: true }, None);
        }
    }

    /// Notes that a person who left has joined again. Calls over HTTP count too, although they leave no connection.
    fn note_return(&mut self, player: &PlayerId) {
        if self.table.attendance.has_left(player) && self.table.attendance.may_return(player) {
            self.commit(Event::PersonReturned { player_id: player.clone() }, None);
        }
    }

    /// Lets bots play for the people who left before the game, so that nobody waits for them.
    pub(super) fn hand_over_left_seats(&mut self) {
        for seat in Seat::ALL.into_iter().filter(|seat| self.table.has_left(*seat)).collect::<Vec<_>>() {
            let player = self.table.person(seat).map(|person| person.player_id.clone());
            // The return of a person who came back very often is not logged.
            if let Some(player) = player.filter(|player| !self.has_connection(player)) {
                self.hand_over_left_seat(seat, &player);
            }
        }
    }

    /// Lets a bot play the seat of a person who left, if others wait. Returns whether it does. It fails if the log of the
    /// game is full; then the seat waits.
    fn hand_over_left_seat(&mut self, seat: Seat, player: &PlayerId) -> bool {
        let is_done =
            self.table.keeps_others_waiting(seat) && self.change_control(seat, Control::Ai, None, None).is_ok();
        if is_done {
            self.wait_after_control_change(player);
        }
        is_done
    }

    /// Ends all connections of a session that stays at the table, and notifies those other than `from`.
    fn disconnect_session(&mut self, from: ConnectionId, player: &PlayerId) {
        let of_session = self.connections.iter().filter(|(_, connection)| connection.player_id == *player);
        let ids: Vec<ConnectionId> = of_session.map(|(id, _)| *id).collect();
        for id in ids {
            self.connections.remove(&id);
            if id != from {
                self.send_left(id, None, true);
            }
        }
        self.note_presence(player);
    }

    /// Gives up the seat for good.
    pub(super) fn give_up_seat(&mut self, from: ConnectionId, request_id: Option<RequestId>) -> Result<(), Rejection> {
        let Session { player_id, seat, .. } = self.session_on(from)?.clone();
        self.connections.remove(&from);
        match seat {
            Some(_) => self.end_session_with(&player_id, Event::GaveUp { player_id: player_id.clone() }),
            None => self.end_session(&player_id),
        }
        self.send_left(from, request_id, false);
        Ok(())
    }

    pub(super) fn send_left(&mut self, to: ConnectionId, request_id: Option<RequestId>, is_seat_kept: bool) {
        self.send(to, ServerMessage::Left { request_id, game_id: self.id.clone(), is_seat_kept });
    }

    /// Ends a session for good.
    pub(super) fn end_session(&mut self, player: &PlayerId) {
        self.end_session_with(player, Event::Left { player_id: player.clone() });
    }

    /// Ends a session with this event. In a running game, a bot takes over an abandoned seat so that the others can
    /// continue. Before the game, the seat stays free.
    fn end_session_with(&mut self, player: &PlayerId, event: Event) {
        let Some(session) = self.table.session(player).cloned() else { return };
        self.announce(player, Status::Left);
        let is_in_control = self.table.is_in_control(&session);
        self.commit(event, None);
        match session.seat.filter(|_| is_in_control) {
            Some(_) if session.control == Control::Human && self.table.game.is_none() => {}
            Some(seat) if session.control == Control::Human => {
                self.change_control(seat, Control::Ai, None, None).ok();
            }
            Some(seat) => self.request_bot(seat),
            None => {}
        }
    }
}
