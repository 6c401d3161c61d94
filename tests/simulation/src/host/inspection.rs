//! Inspects everything that a host sends, and checks the invariants of an idle host.

use std::{rc::Rc, sync::Arc};

use texas42_hosting::{CallId, HttpResponse};
use texas42_protocol::{ErrorCode, FollowOutcome, Follower, PlayerId, SecretKey, ServerMessage};
use texas42_room::{ConnectionId, Event, Room};
use texas42_vocab::Seat;

use super::{Environment, Host, HostOutcome, TrackedConnection};
use crate::checks::{self, TextCheck};

impl Host {
    /// Notes which keys an event invalidates or makes valid again.
    pub(super) fn invalidate_keys(&mut self, event: &Event) {
        match event {
            Event::Revoked { number, .. } => self.dead_keys.extend(self.invite_keys.remove(number)),
            // A client joined again with the key of a session that had ended.
            Event::Joined { session, .. } => self.dead_keys.retain(|dead| !session.key.is_of(dead)),
            _ => {}
        }
        let version = self.audit.version();
        let ended = self.audit.participants.values().filter(|participant| participant.ended_at == Some(version));
        let ended = ended.filter_map(|participant| self.session_keys.remove(&participant.session.player_id));
        self.dead_keys.extend(ended);
    }

    pub(super) fn send(
        &mut self,
        to: ConnectionId,
        text: &Arc<str>,
        env: &mut Environment<'_>,
    ) -> Result<HostOutcome, String> {
        let message = self.parse(text)?;
        env.trace.note(b'M', to, text);
        env.report.messages += 1;
        self.note_message(&message, env);
        self.note_connection(to, &message);
        self.check_message(to, &message, text, env).map_err(|error| format!("to connection {to}: {error}"))?;
        Ok(HostOutcome::Sent { to, message })
    }

    /// Parses a frame. A frame sent to several receivers is parsed once.
    fn parse(&mut self, text: &Arc<str>) -> Result<Rc<ServerMessage>, String> {
        if let Some((last, message)) = &self.parsed
            && Arc::ptr_eq(last, text)
        {
            return Ok(Rc::clone(message));
        }
        let message: ServerMessage = serde_json::from_str(text).map_err(|error| format!("{error}: {text}"))?;
        let message = Rc::new(message);
        self.parsed = Some((Arc::clone(text), Rc::clone(&message)));
        Ok(message)
    }

    /// Updates the expected state of a connection from a message sent over it.
    fn note_connection(&mut self, to: ConnectionId, message: &ServerMessage) {
        match message {
            ServerMessage::GameCreated { player_id, .. } | ServerMessage::Joined { player_id, .. } => {
                self.bind(to, player_id);
            }
            ServerMessage::Left { .. } => {
                self.tracked.remove(&to);
            }
            _ => {}
        }
    }

    /// Notes new sessions, invites and keys in a message.
    fn note_message(&mut self, message: &ServerMessage, env: &mut Environment<'_>) {
        if let Some(key) = checks::key_of(message) {
            env.keys.insert(key);
        }
        match message {
            ServerMessage::GameCreated { player_id, key, .. } => {
                self.note_session(player_id, key.as_ref(), env);
            }
            ServerMessage::Joined { player_id, key, .. } => {
                let is_new = self.note_session(player_id, key.as_ref(), env);
                env.report.joins += u64::from(is_new);
                env.report.comebacks += u64::from(!is_new);
            }
            ServerMessage::Left { is_seat_kept: true, .. } => env.report.seats_kept += 1,
            ServerMessage::Invited { is_revoked: true, .. } => env.report.revocations += 1,
            ServerMessage::Invited { invite, key, .. } => {
                env.report.invites += 1;
                if let Some(key) = key.as_ref().or(self.request_keys.opening.as_ref()) {
                    env.keys.insert(String::from(key.clone()));
                    self.invite_keys.entry(*invite).or_insert_with(|| key.clone());
                }
            }
            ServerMessage::Error { error, .. } => {
                self.errors += 1;
                env.report.stale += u64::from(error.code == ErrorCode::Stale);
            }
            ServerMessage::StateUpdate { ack: Some(ack), version, .. } => {
                env.report.acks += 1;
                env.report.repeated_acks += u64::from(ack.version != *version);
            }
            _ => {}
        }
    }

    /// Notes the key of a session: the one sent by the table, or the one in the request. Returns whether the session is
    /// new; a spectator without a key has no session.
    fn note_session(&mut self, player: &PlayerId, sent_key: Option<&SecretKey>, env: &mut Environment<'_>) -> bool {
        let is_known = self.session_keys.contains_key(player) || !self.audit.participants.contains_key(player);
        let key = sent_key.or(self.request_keys.own.as_ref()).or(self.request_keys.opening.as_ref());
        let Some(key) = key.filter(|_| !is_known).cloned() else { return false };
        env.keys.insert(String::from(key.clone()));
        self.session_keys.insert(player.clone(), key);
        true
    }

    /// Binds a connection to a session. A session has one connection, and a connection one session.
    fn bind(&mut self, link: ConnectionId, player: &PlayerId) {
        for connection in self.tracked.values_mut().filter(|connection| connection.player.as_ref() == Some(player)) {
            connection.player = None;
        }
        let connection =
            TrackedConnection { player: Some(player.clone()), is_subscribed: true, follower: Follower::default() };
        self.tracked.insert(link, connection);
    }

    fn check_message(
        &mut self,
        to: ConnectionId,
        message: &ServerMessage,
        text: &str,
        env: &mut Environment<'_>,
    ) -> Result<(), String> {
        let connection = self.tracked.entry(to).or_default();
        let player = connection.player.as_ref();
        checks::stored_first(&self.audit, player, message)?;
        TextCheck { audit: &self.audit, player, keys: env.keys, echo: self.echo }.check(message, text)?;
        if let ServerMessage::Said { request_id: None, player: speaker, phrase, .. } = message {
            // Updates arrive in order, so the listener was at the version at which the phrase was said.
            let said_at = connection.follower.table().map_or(self.audit.version(), |(version, _)| version);
            checks::phrase(&self.audit, said_at, speaker, player)?;
            env.report.phrases += 1;
            env.report.phrases_of_coaches += u64::from(phrase.kind().is_for_coaches());
        }
        let is_update = matches!(message, ServerMessage::StateUpdate { patch: Some(_), .. });
        if is_update && !connection.is_subscribed {
            return Err("an update was sent to an unsubscribed connection".into());
        }
        let held = connection.follower.table().map(|(version, _)| version);
        let outcome = connection.follower.handle_message(message);
        let Some((version, view)) = connection.follower.table() else { return Ok(()) };
        let sees_hints = view.valid_actions.iter().any(|valid| valid.hint.is_some());
        if matches!(message, ServerMessage::Hints { .. }) && !sees_hints {
            return Err("hints were sent to a session that may not see them".into());
        }
        if is_update && (outcome == FollowOutcome::Gap || held.is_none_or(|held| held + 1 != version)) {
            return Err(format!("an update from {held:?} to {:?} leaves a gap", message.version()));
        }
        if outcome != FollowOutcome::Changed {
            return Ok(());
        }
        let player = player.ok_or("a view was sent to a connection without a session")?;
        if let Some(ended) = self.audit.participants.get(player).and_then(|participant| participant.ended_at)
            && is_update
            && version > ended
        {
            return Err(format!("{player} left at version {ended} but received version {version}"));
        }
        checks::view(&self.audit, player, version, view, env.report)
    }

    /// Checks that the live state equals the stored state, and that every connection has received it.
    pub(super) fn check_live(&self, env: &mut Environment<'_>) -> Result<(), String> {
        let Some(room) = self.room() else { return Ok(()) };
        let stored = self.log.len() as u64;
        if room.version() != stored || self.audit.version() != stored {
            return Err(format!("the room is at version {}, {stored} events are stored", room.version()));
        }
        if room.state() != self.audit.now().state.as_ref() {
            return Err("the state of the room differs from its log".into());
        }
        if self.is_healed || env.dice.once_in(6) {
            self.check_views(room)?;
            self.check_bots(room, env)?;
        }
        Ok(())
    }

    /// Checks the views of bots, which are not sent over the network.
    fn check_bots(&self, room: &Room, env: &mut Environment<'_>) -> Result<(), String> {
        for seat in Seat::ALL {
            let connection = seat.index() as ConnectionId;
            let (Some((player, _)), Some(view)) = (room.bound(connection), room.view_for(connection)) else { continue };
            checks::view(&self.audit, player, room.version(), &view, env.report)?;
        }
        Ok(())
    }

    fn check_views(&self, room: &Room) -> Result<(), String> {
        for (link, connection) in &self.tracked {
            let shown = room.view_for(*link);
            let Some(player) = connection.player.as_ref().filter(|_| self.is_at_table(*link)) else {
                if shown.is_some() {
                    return Err(format!("connection {link} has no session but can see the table"));
                }
                continue;
            };
            let Some(shown) = shown else { return Err(format!("the room has lost {player} on connection {link}")) };
            if connection.is_subscribed
                && !self.backlogged.contains(link)
                && connection.follower.table() != Some((room.version(), &shown))
            {
                let held = connection.follower.table().map(|(_, view)| serde_json::to_string(view).unwrap_or_default());
                let shown = serde_json::to_string(&shown).unwrap_or_default();
                return Err(format!("the view of {player} is out of date:\n{held:?}\n{shown}"));
            }
        }
        Ok(())
    }

    /// Handles the answer to a call, or to the request that created the table.
    pub(super) fn take_answer(
        &mut self,
        call: CallId,
        answer: HttpResponse,
        env: &mut Environment<'_>,
    ) -> Result<Option<HostOutcome>, String> {
        let Ok(message) = serde_json::from_str::<ServerMessage>(&answer.body) else {
            return Err(format!("invalid answer to a call: {}", answer.body));
        };
        env.trace.note(b'A', answer.status.into(), &answer.body);
        self.note_message(&message, env);
        self.check_answer(&message, &answer.body, env).map_err(|error| format!("to a call: {error}"))?;
        if call == CallId::CREATION {
            return Ok(Some(HostOutcome::Created(Rc::new(message))));
        }
        let Some(pending_call) =
            self.pending_call.as_mut().filter(|pending_call| pending_call.id == call && pending_call.answer.is_none())
        else {
            return Err(format!("an unexpected answer: {}", answer.body));
        };
        pending_call.expectation.check_answer(&message, &self.log[pending_call.before..], &self.audit, env.report)?;
        pending_call.answer = Some(answer);
        Ok(None)
    }

    fn check_answer(&self, message: &ServerMessage, text: &str, env: &mut Environment<'_>) -> Result<(), String> {
        let joined = match message {
            ServerMessage::GameCreated { player_id, .. } | ServerMessage::Joined { player_id, .. } => Some(player_id),
            _ => None,
        };
        let player = joined.or_else(|| self.pending_call.as_ref()?.viewer.as_ref());
        checks::stored_first(&self.audit, player, message)?;
        TextCheck { audit: &self.audit, player, keys: env.keys, echo: self.echo }.check(message, text)?;
        let shown = match message {
            ServerMessage::GameCreated { version, view, .. } | ServerMessage::Joined { version, view, .. } => {
                Some((*version, view))
            }
            ServerMessage::StateUpdate { version, view: Some(view), .. } => Some((*version, view)),
            _ => None,
        };
        match (player, shown) {
            (Some(player), Some((version, view))) => checks::view(&self.audit, player, version, view, env.report),
            _ => Ok(()),
        }
    }

    /// Checks that a restored table knows every session whose key was exchanged.
    pub(super) fn check_sessions(&self) -> Result<(), String> {
        let Some(room) = self.room() else { return Ok(()) };
        for (player, key) in &self.session_keys {
            let found = room.view_with_key(Some(key)).and_then(|(player, _)| player);
            if found.as_ref() != Some(player) {
                return Err(format!("{player} has joined, but the restored table does not know the key"));
            }
        }
        Ok(())
    }
}
