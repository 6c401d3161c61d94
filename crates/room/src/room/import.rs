//! Imports a game that was started on a player's device.
//!
//! The log comes from a client, so nothing in it is trusted. It is replayed, and a new log is written from the
//! resulting table. The new log contains only what a client may import: the rules, the actions of the current game, and
//! the client's seat. Anything by which a client could grant itself more is rejected or dropped.
//!
//! The device has dealt the hands, so everybody who joins is told
//! ([`TableOptions::brought`](texas42_protocol::TableOptions::brought)), and the game is never rated. The secret of the
//! next game is generated here, and its hash is shown from the beginning.

use alloc::{boxed::Box, string::ToString, vec::Vec};

use serde::Deserialize;
use texas42_kernel::{KeyHash, Session};
use texas42_phrases::Problem;
use texas42_protocol::{
    Capability, Name, PlayerId, RequestId, Role, SecretKey, ServerMessage, TableOptions, WireError,
};
use texas42_vocab::{Config, Control, Seat};

use super::{NewTable, RestoreError, Room, check_client_key, check_options, config_error};
use crate::{
    clock::Clock,
    event::{Event, Secret, StoredEvent},
    keys::Keys,
    table::Table,
};

/// The name of the request in replies.
const REQUEST: &str = "IMPORT_GAME";

/// A table as a client uploads it.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct ImportedTable {
    /// The client's id for this request.
    #[serde(default)]
    pub request_id: Option<RequestId>,
    /// The complete log of the table on the device, in order.
    pub log: Vec<StoredEvent>,
}

/// The player who imports a table.
struct Importer {
    seat: Seat,
    name: Name,
    /// The player's id in the imported log.
    logged_id: PlayerId,
}

impl Room {
    /// Imports a table that was started elsewhere. The key must belong to the only seat controlled by a person. That
    /// person keeps the seat; bots are requested for the others.
    ///
    /// # Errors
    /// If the log is not valid, or contains something that cannot be imported. The error is the reply to send.
    pub fn adopt(
        now: u64,
        new: NewTable,
        key: &SecretKey,
        brought: &ImportedTable,
    ) -> Result<Self, Box<ServerMessage>> {
        let refuse = |error| Box::new(ServerMessage::refusal(Some(REQUEST), brought.request_id.clone(), error));
        let mut keys = Keys::new(&new.randomness);
        let log = imported_log(now, key, &brought.log, keys.secret()).map_err(refuse)?;
        let table = Table::of(log.iter().enumerate()).map_err(|error| refuse(unreadable_reply(&error)))?;
        let player = player_id();
        let mut room = Self { unstored: log, ..Self::empty(new.id, keys, table, Clock::new(now, now)) };
        room.answer_creator(new.connection, player, None, brought.request_id.clone());
        room.request_bots();
        room.settle();
        Ok(room)
    }
}

/// The log of the imported table as this host would have written it, had the table been created here and only the
/// current game been played.
fn imported_log(now: u64, key: &SecretKey, log: &[StoredEvent], next: Secret) -> Result<Vec<StoredEvent>, WireError> {
    check_client_key(Some(key), "key")?;
    let begins = |stored: &StoredEvent| matches!(stored.event, Event::Started { .. } | Event::Rematch { .. });
    let Some(beginning) = log.iter().rposition(begins) else {
        return Err(WireError::new(Problem::NoGameBegun).at("log"));
    };
    let mut table =
        Table::of(game_events(log).filter(|(at, _)| *at <= beginning)).map_err(|error| unreadable_reply(&error))?;
    let players = Seat::ALL.map(|seat| table.control(seat));
    let (secret, entropy, earlier) = table.deal_sources();
    let entropy = entropy.clone();
    table.resume(game_events(log).filter(|(at, _)| *at > beginning)).map_err(|error| unreadable_reply(&error))?;
    let options = imported_options(&table)?;
    let importer = importer(&table, key)?;
    if Seat::ALL.into_iter().any(|seat| seat != importer.seat && entropy[seat.index()].is_some()) {
        return Err(in_log(Problem::OthersRandomness));
    }
    let config = Config { players, ..table.config.clone() };
    let session_on =
        Event::Joined { session: session(&importer, key), entropy: entropy[importer.seat.index()].clone() };
    let set_up = [Event::Created { config, table: options, secret, earlier }, session_on, Event::Started { next }];
    let moves = log[beginning..].iter().filter_map(|stored| imported_action(&stored.event, &importer));
    // The times in the log come from another clock.
    Ok(set_up.into_iter().chain(moves).map(|event| StoredEvent { at: now, event }).collect())
}

/// The events that affect the game, with their indices. Skips guests, invites and undo requests, which can be numerous.
fn game_events(log: &[StoredEvent]) -> impl Iterator<Item = (usize, &StoredEvent)> {
    let is_game_event = |event: &Event| match event {
        Event::Joined { session, .. } => session.seat.is_some(),
        Event::Invited { .. } | Event::Revoked { .. } | Event::UndoAsked { .. } => false,
        _ => true,
    };
    log.iter().enumerate().filter(move |(_, stored)| is_game_event(&stored.event))
}

/// The table options, if this host accepts them.
fn imported_options(table: &Table) -> Result<TableOptions, WireError> {
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

/// The person whom the key belongs to. It must be the only person at the table, with the capabilities of a player.
fn importer(table: &Table, key: &SecretKey) -> Result<Importer, WireError> {
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
    Ok(Importer { seat, name: session.name.clone(), logged_id: session.player_id.clone() })
}

/// The capabilities of the importing player, equal to those of a creator.
fn capabilities(seat: Seat) -> Vec<Capability> {
    let mut capabilities = Role::Player.capabilities(Some(seat));
    capabilities.push(Capability::ConfigureVariant);
    capabilities
}

fn session(importer: &Importer, key: &SecretKey) -> Session {
    Session {
        player_id: player_id(),
        seat: Some(importer.seat),
        name: importer.name.clone(),
        control: Control::Human,
        capabilities: capabilities(importer.seat),
        key: KeyHash::of(key),
        delay_hands: 0,
        invitation: None,
    }
}

/// The first session of every table has this id, so no later one gets it.
fn player_id() -> PlayerId {
    PlayerId::try_from("p1").expect("a letter and a number form a valid id")
}

/// The event, if it is part of the game. Everything else is dropped, and so are request ids.
fn imported_action(event: &Event, importer: &Importer) -> Option<Event> {
    let Event::Acted { by, action, .. } = event else { return None };
    let by = by.as_ref().filter(|by| **by == importer.logged_id).map(|_| player_id());
    Some(Event::Acted { by, request_id: None, action: *action, intent: None })
}

fn name_of(capability: Capability) -> alloc::string::String {
    let value = serde_json::to_value(capability).unwrap_or_default();
    value["type"].as_str().unwrap_or("do more").to_string()
}

fn in_log(problem: Problem) -> WireError {
    WireError::new(problem).at("log")
}

fn unreadable_reply(error: &RestoreError) -> WireError {
    match error {
        RestoreError::Config(error) => config_error(error),
        error => in_log(Problem::LogUnreadable { detail: error.to_string() }),
    }
}
