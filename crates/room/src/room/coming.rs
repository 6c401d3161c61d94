//! Coming to a table, coming back, watching, and leaving.
//!
//! A session belongs to whoever has its key. A client that makes that key itself can lose any answer and ask again: the
//! same key finds the same session, so that nobody is seated twice and nobody loses a seat.

use alloc::{format, vec::Vec};

use texas42_kernel::{KeyHash, Session, granted};
use texas42_phrases::Problem;
use texas42_protocol::{Capability, Entropy, Grant, Name, PlayerId, RequestId, Role, SecretKey, ServerMessage, Status};
use texas42_vocab::{Control, Seat};

use super::{
    ConnectionId, MOST_CONNECTIONS, MOST_GUESTS, MOST_VISITS, Rejection, Room, check_own_key, has_known_deals, reject,
};
use crate::event::Event;

/// What a newcomer asks for.
pub(super) struct Wish {
    pub(super) name: Name,
    pub(super) role: Option<Role>,
    pub(super) seat: Option<Seat>,
    pub(super) capabilities: Option<Vec<Capability>>,
    pub(super) entropy: Option<Entropy>,
    pub(super) session_key: Option<SecretKey>,
}

/// What a key opens.
struct Opened {
    grant: Grant,
    /// The invitation that grants it; none for a program that was called.
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
        let seat = self.table.human_seats().next().expect("the options were checked: there is a person");
        let mut capabilities = Role::Player.capabilities(Some(seat));
        capabilities.push(Capability::ConfigureVariant);
        let (key, issued) = self.own_or_fresh(session_key);
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

    /// A `CREATE_GAME` that comes again, because its answer was lost, is answered again.
    pub(super) fn created_before(
        &mut self,
        from: ConnectionId,
        request_id: Option<RequestId>,
        session_key: Option<&SecretKey>,
    ) -> Result<(), Rejection> {
        let Some(player) = session_key.and_then(|key| self.holder(key)) else {
            return Err(reject(Problem::AlreadySetUp));
        };
        self.replace_connection(&player, from);
        self.answer_creator(from, player, None, request_id);
        Ok(())
    }

    /// The hash of the key that somebody brought, or of a fresh one, which then has to be told.
    pub(super) fn own_or_fresh(&mut self, own: Option<&SecretKey>) -> (KeyHash, Option<SecretKey>) {
        match own {
            Some(own) => (KeyHash::of(own), None),
            None => {
                let fresh = self.keys.key();
                (KeyHash::of(&fresh), Some(fresh))
            }
        }
    }

    /// Whose session a key is.
    pub(super) fn holder(&self, key: &SecretKey) -> Option<PlayerId> {
        self.table.sessions.iter().find(|session| session.key.is_of(key)).map(|session| session.player_id.clone())
    }

    /// The key of a session brings it back; that of a called program or of an invitation makes a new one; without a key
    /// there is only watching, where the table is open to it.
    pub(super) fn join(
        &mut self,
        from: ConnectionId,
        request_id: Option<RequestId>,
        key: Option<&SecretKey>,
        wish: Wish,
    ) -> Result<(), Rejection> {
        check_own_key(wish.session_key.as_ref(), "sessionKey")?;
        if wish.session_key.as_ref().is_some_and(|own| self.is_invitation(own)) {
            return Err(reject(Problem::InvitationKey));
        }
        let mut own = wish.session_key.iter().chain(key);
        if let Some(player) = own.find_map(|key| self.holder(key)) {
            return self.come_back(from, request_id, &player);
        }
        let called = key.and_then(|key| self.called_with(key));
        if let Some(program) = called.and_then(|seat| self.table.on_seat(seat, Control::Ai)) {
            let player = program.player_id.clone();
            return self.come_back(from, request_id, &player);
        }
        match (called, key) {
            (Some(seat), _) => {
                let grant = Grant { seat: Some(seat), ..Grant::of(Role::Ai) };
                // It comes back with the key that it was called with, unless it made one.
                let wish = Wish { session_key: wish.session_key.or_else(|| key.cloned()), ..wish };
                self.sit_down(from, request_id, &Opened { grant, invitation: None }, wish)
            }
            (None, Some(key)) => {
                let opened = self.opened_by(key, &wish)?;
                self.sit_down(from, request_id, &opened, wish)
            }
            (None, None) => self.watch(from, request_id, &wish),
        }
    }

    /// The seat to which a program was called with this key.
    fn called_with(&self, key: &SecretKey) -> Option<Seat> {
        let is_called = |seat: &Seat| {
            let called = self.called[seat.index()].as_ref();
            called.is_some_and(|called| KeyHash::of(called).is_of(key))
        };
        Seat::ALL.into_iter().find(is_called)
    }

    fn opened_by(&self, key: &SecretKey, wish: &Wish) -> Result<Opened, Rejection> {
        let invitation = self.table.invitations.iter().find(|invitation| invitation.key.is_of(key));
        let invitation = invitation.ok_or_else(|| reject(Problem::UnknownKey))?;
        if wish.role.is_some_and(|role| role != invitation.grant.role) {
            return Err(reject(Problem::OtherRole));
        }
        if invitation.is_used_up() {
            return Err(reject(Problem::InvitationUsed));
        }
        Ok(Opened { grant: invitation.grant.clone(), invitation: Some(invitation.number) })
    }

    /// Anybody may watch an open table, and sees no hand before it is over. Nothing is written down about watchers, so
    /// that a crowd costs the table nothing but its connections.
    fn watch(&mut self, from: ConnectionId, request_id: Option<RequestId>, wish: &Wish) -> Result<(), Rejection> {
        if !self.table.options.open_to_spectators {
            return Err(reject(Problem::KeyNeeded));
        }
        if wish.role.is_some_and(|role| role != Role::Spectator) {
            return Err(reject(Problem::OnlyWatchUninvited));
        }
        if self.connections.len() >= MOST_CONNECTIONS {
            return Err(reject(Problem::TableFull));
        }
        let player = Self::watcher_id(from);
        let view = self.attach(from, &player);
        self.send(from, self.joined_message(request_id, player, None, view));
        Ok(())
    }

    /// Watchers are told apart by their connections.
    pub(super) fn watcher_id(from: ConnectionId) -> PlayerId {
        let id = format!("w{from}");
        PlayerId::try_from(id.as_str()).expect("a letter and a number make an id")
    }

    fn come_back(
        &mut self,
        from: ConnectionId,
        request_id: Option<RequestId>,
        player: &PlayerId,
    ) -> Result<(), Rejection> {
        self.replace_connection(player, from);
        self.take_back_seat(player);
        let view = self.attach(from, player);
        self.send(from, self.joined_message(request_id, player.clone(), None, view));
        Ok(())
    }

    /// One connection a session: the newer one is the one that is alive.
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

    /// A person who was replaced by a program for being away gets the seat back by coming back.
    fn take_back_seat(&mut self, player: &PlayerId) {
        let Some(session) = self.table.session(player) else { return };
        let Some(seat) = session.seat.filter(|_| session.control == Control::Human) else { return };
        if self.table.control(seat) == Control::Ai && self.table.was_taken_over(seat) {
            // Where that cannot be written down any more, the program goes on.
            self.change_control(seat, Control::Human, Some(player.clone()), None).ok();
        }
    }

    fn sit_down(
        &mut self,
        from: ConnectionId,
        request_id: Option<RequestId>,
        opened: &Opened,
        wish: Wish,
    ) -> Result<(), Rejection> {
        let grant = &opened.grant;
        // There are four seats, and no crowd keeps a player or a called program from one.
        match grant.role {
            Role::Ai => {}
            Role::Player | Role::Student => self.check_pages()?,
            Role::Spectator | Role::Coach | Role::Admin => self.make_room_for_guest()?,
        }
        let seat = self.free_seat(grant, wish.seat)?;
        let control = if grant.role == Role::Ai { Control::Ai } else { Control::Human };
        let replaces = seat.filter(|seat| control == Control::Human && self.table.control(*seat) == Control::Ai);
        if replaces.is_some() {
            self.check_log()?;
        }
        let (session, issued) = self.new_session(seat, control, opened, &wish);
        let player = session.player_id.clone();
        self.detach(from);
        self.commit(Event::Joined { session, entropy: wish.entropy }, None);
        if let Some(seat) = replaces {
            self.change_control(seat, Control::Human, Some(player.clone()), None)?;
        }
        self.start_when_complete();
        let view = self.attach(from, &player);
        self.send(from, self.joined_message(request_id, player.clone(), issued, view));
        self.announce(&player, Status::Joined);
        Ok(())
    }

    /// So many guests without a seat are at a table at most. One more takes the place of one who is not there.
    fn make_room_for_guest(&mut self) -> Result<(), Rejection> {
        self.check_pages()?;
        if self.table.visits >= MOST_VISITS {
            return Err(reject(Problem::TooManyGuests));
        }
        let guests = || self.table.sessions.iter().filter(|session| session.seat.is_none());
        if guests().count() < MOST_GUESTS {
            return Ok(());
        }
        let absent = guests().find(|guest| !self.is_connected(&guest.player_id)).map(|guest| guest.player_id.clone());
        let absent = absent.ok_or_else(|| reject(Problem::TableFull))?;
        self.end_session(&absent);
        Ok(())
    }

    /// A session and the key that has to be told, where the newcomer brought none.
    fn new_session(
        &mut self,
        seat: Option<Seat>,
        control: Control,
        opened: &Opened,
        wish: &Wish,
    ) -> (Session, Option<SecretKey>) {
        let (key, issued) = self.own_or_fresh(wish.session_key.as_ref());
        let session = Session {
            player_id: self.next_player_id(),
            seat,
            name: wish.name.clone(),
            control,
            capabilities: granted(&opened.grant, seat, wish.capabilities.as_deref()),
            key,
            delay_hands: opened.grant.delay_hands,
            invitation: opened.invitation,
        };
        (session, issued)
    }

    /// The version is new for every session, so the public id is too; it says nothing about the key.
    fn next_player_id(&self) -> PlayerId {
        let id = format!("p{}", self.table.version);
        PlayerId::try_from(id.as_str()).expect("a letter and a number make an id")
    }

    /// The seat of a newcomer. A person takes a seat without a person, also one that a program moves; a program takes
    /// the one to which it was called.
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
        self.check_company()?;
        let mut candidates: Vec<Seat> = match grant.seat.or(wanted) {
            Some(seat) => Vec::from([seat]),
            None => Seat::ALL.to_vec(),
        };
        candidates.retain(|seat| self.table.person(*seat).is_none());
        let is_program = |seat: &Seat| self.table.control(*seat) == Control::Ai;
        candidates.sort_by_key(is_program);
        match candidates.first() {
            Some(seat) => Ok(Some(*seat)),
            None => Err(reject(Problem::SeatTaken)),
        }
    }

    /// Where somebody can compute the hands, nobody else may play.
    pub(super) fn check_company(&self) -> Result<(), Rejection> {
        let is_played = Seat::ALL.into_iter().any(|seat| self.table.person(seat).is_some());
        if is_played && has_known_deals(&self.table.config, &self.table.options) {
            return Err(reject(Problem::DealsAreKnown));
        }
        Ok(())
    }

    pub(super) fn leave(&mut self, from: ConnectionId, request_id: Option<RequestId>) -> Result<(), Rejection> {
        let player = self.here(from)?.clone();
        self.connections.remove(&from);
        self.end_session(&player);
        self.send(from, ServerMessage::Left { request_id, game_id: self.id.clone() });
        Ok(())
    }

    /// Ends a session for good. An abandoned seat goes on with a program, so that the others can play; before the game it waits
    /// for somebody else.
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
            Some(seat) => self.call_program(seat),
            None => {}
        }
    }
}
