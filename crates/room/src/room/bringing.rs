//! A game that was begun elsewhere, on the device of its first player, goes on at this host.
//!
//! What comes from a client is a log, and a log could say anything. So nothing of it is taken over as it stands: it is
//! replayed, and from the table that it leads to a new log is written, with what a client may bring and nothing else:
//! the rules, the moves of the present game, and one's own seat. Everything that a client could grant itself by
//! writing it down is refused by name or left behind.
//!
//! The device has dealt, so whoever comes is told ([`TableOptions::brought`](texas42_protocol::TableOptions::brought)),
//! and such a game never counts. The secret of the next game is made here, and its hash is shown from the beginning.

use alloc::{boxed::Box, string::ToString, vec::Vec};

use serde::Deserialize;
use texas42_kernel::{KeyHash, Session};
use texas42_phrases::Problem;
use texas42_protocol::{
    Capability, Name, PlayerId, RequestId, Role, SecretKey, ServerMessage, TableOptions, WireError,
};
use texas42_vocab::{Config, Control, Seat};

use super::{NewTable, RestoreError, Room, check_options, check_own_key, config_error};
use crate::{
    clock::Clock,
    event::{Event, Secret, Stored},
    keys::Keys,
    table::Table,
};

/// What the request is called in answers.
const REQUEST: &str = "IMPORT_GAME";

/// A table as a client brings it along.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct Brought {
    /// The client's number for this request.
    #[serde(default)]
    pub request_id: Option<RequestId>,
    /// Everything that the device has stored about the table, in order.
    pub log: Vec<Stored>,
}

/// The one who brings a table.
struct Bringer {
    seat: Seat,
    name: Name,
    /// By what name the log calls them.
    called: PlayerId,
}

impl Room {
    /// Goes on with a table that was begun elsewhere. Whoever brings it has the key of the seat that a person moves
    /// there, and keeps that seat; programs are called to the others.
    ///
    /// # Errors
    /// When the log does not make a table, or holds what nobody can bring: the answer to send back.
    pub fn adopt(now: u64, new: NewTable, key: &SecretKey, brought: &Brought) -> Result<Self, Box<ServerMessage>> {
        let refuse = |error| Box::new(ServerMessage::refusal(Some(REQUEST), brought.request_id.clone(), error));
        let mut keys = Keys::new(&new.randomness);
        let log = own_log(now, key, &brought.log, keys.secret()).map_err(refuse)?;
        let table = Table::of(log.iter().enumerate()).map_err(|error| refuse(unreadable(&error)))?;
        let player = player_id();
        let mut room = Self { unstored: log, ..Self::empty(new.id, keys, table, Clock::new(now, now)) };
        room.answer_creator(new.connection, player, None, brought.request_id.clone());
        room.call_programs();
        room.settle();
        Ok(room)
    }
}

/// The log of a table that was brought, as this host writes it: as if the table had been set up here and only the
/// present game had been played.
fn own_log(now: u64, key: &SecretKey, log: &[Stored], next: Secret) -> Result<Vec<Stored>, WireError> {
    check_own_key(Some(key), "key")?;
    let begins = |stored: &Stored| matches!(stored.event, Event::Started { .. } | Event::Rematch { .. });
    let Some(beginning) = log.iter().rposition(begins) else {
        return Err(WireError::new(Problem::NoGameBegun).at("log"));
    };
    let mut table = Table::of(telling(log).filter(|(at, _)| *at <= beginning)).map_err(|error| unreadable(&error))?;
    let players = Seat::ALL.map(|seat| table.control(seat));
    let (secret, entropy, earlier) = table.dealt_from();
    let entropy = entropy.clone();
    table.go_on(telling(log).filter(|(at, _)| *at > beginning)).map_err(|error| unreadable(&error))?;
    let options = own_options(&table)?;
    let bringer = bringer(&table, key)?;
    if Seat::ALL.into_iter().any(|seat| seat != bringer.seat && entropy[seat.index()].is_some()) {
        return Err(in_log(Problem::OthersRandomness));
    }
    let config = Config { players, ..table.config.clone() };
    let joined = Event::Joined { session: session(&bringer, key), entropy: entropy[bringer.seat.index()].clone() };
    let set_up = [Event::Created { config, table: options, secret, earlier }, joined, Event::Started { next }];
    let moves = log[beginning..].iter().filter_map(|stored| own_move(&stored.event, &bringer));
    // The times are those of another clock.
    Ok(set_up.into_iter().chain(moves).map(|event| Stored { at: now, event }).collect())
}

/// What decides how the game stands, numbered as in the log. Guests, invitations and questions do not, and there may be
/// very many of them.
fn telling(log: &[Stored]) -> impl Iterator<Item = (usize, &Stored)> {
    let tells = |event: &Event| match event {
        Event::Joined { session, .. } => session.seat.is_some(),
        Event::Invited { .. } | Event::Revoked { .. } | Event::UndoAsked { .. } => false,
        _ => true,
    };
    log.iter().enumerate().filter(move |(_, stored)| tells(&stored.event))
}

/// How the table is run, where it may be run like that here.
fn own_options(table: &Table) -> Result<TableOptions, WireError> {
    let options = TableOptions { brought: false, ..table.options.clone() };
    let bad = |field: &str, problem: Problem| Err(WireError::new(problem).at(field));
    if options.rated {
        return bad("table.rated", Problem::BroughtNeverCounts);
    }
    if options.open_hands {
        return bad("table.openHands", Problem::BroughtShowsNoHands);
    }
    check_options(&table.config, &options)?;
    Ok(TableOptions { brought: true, ..options })
}

/// The person whose key it is: the only one at the table, with no more than a player may do.
fn bringer(table: &Table, key: &SecretKey) -> Result<Bringer, WireError> {
    let people = || table.sessions.iter().filter(|session| session.control == Control::Human);
    let own = people().find(|session| session.key.is_of(key));
    let Some((session, seat)) = own.and_then(|session| Some((session, session.seat?))) else {
        return Err(WireError::new(Problem::NotBringersKey));
    };
    if let Some(more) = session.capabilities.iter().find(|more| !capabilities(seat).contains(more)) {
        return Err(in_log(Problem::RightNotBrought { right: name_of(*more) }));
    }
    if let Some(other) = people().find(|other| other.player_id != session.player_id || other.seat != session.seat) {
        return Err(in_log(Problem::InvitedAnew { name: other.name.to_string() }));
    }
    if let Some(empty) = table.human_seats().find(|human| *human != seat) {
        return Err(in_log(Problem::SeatUnmoved { seat: empty }));
    }
    Ok(Bringer { seat, name: session.name.clone(), called: session.player_id.clone() })
}

/// What whoever brings a table may do there: what somebody who sets one up may.
fn capabilities(seat: Seat) -> Vec<Capability> {
    let mut capabilities = Role::Player.capabilities(Some(seat));
    capabilities.push(Capability::ConfigureVariant);
    capabilities
}

fn session(bringer: &Bringer, key: &SecretKey) -> Session {
    Session {
        player_id: player_id(),
        seat: Some(bringer.seat),
        name: bringer.name.clone(),
        control: Control::Human,
        capabilities: capabilities(bringer.seat),
        key: KeyHash::of(key),
        delay_hands: 0,
        invitation: None,
    }
}

/// The first who sits down has the same id at every table, so nobody who comes later gets it.
fn player_id() -> PlayerId {
    PlayerId::try_from("p1").expect("a letter and a number make an id")
}

/// What happened in the game; who came, went, invited and asked stays behind. Nobody's requests are known here.
fn own_move(event: &Event, bringer: &Bringer) -> Option<Event> {
    let Event::Acted { by, action, .. } = event else { return None };
    let by = by.as_ref().filter(|by| **by == bringer.called).map(|_| player_id());
    Some(Event::Acted { by, request_id: None, action: *action, intent: None })
}

fn name_of(capability: Capability) -> alloc::string::String {
    let value = serde_json::to_value(capability).unwrap_or_default();
    value["type"].as_str().unwrap_or("do more").to_string()
}

fn in_log(problem: Problem) -> WireError {
    WireError::new(problem).at("log")
}

fn unreadable(error: &RestoreError) -> WireError {
    match error {
        RestoreError::Config(error) => config_error(error),
        error => in_log(Problem::LogUnreadable { detail: error.to_string() }),
    }
}
