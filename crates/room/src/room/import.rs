//! Imports a game that was started on a player's device.
//!
//! The log comes from a client, so nothing in it is trusted. It is replayed, and a new log is written from the
//! resulting table. The new log contains only what a client may import: the rules, the actions of the current game, and
//! the client's seat. Anything by which a client could grant itself more is rejected or dropped.
//!
//! The device has dealt the hands so far, so the table stays marked
//! ([`TableOptions::brought`](texas42_protocol::TableOptions::brought)), and the game is never rated. The secrets of its
//! later hands and of the next game are generated here, and their hashes are shown from the beginning. Other people play
//! from the next hand on (`Table::must_newcomer_wait`), so that they share no hand with a person who could know the deal.

use alloc::{boxed::Box, string::ToString, vec::Vec};

use serde::Deserialize;
use texas42_kernel::{KeyHash, Session};
use texas42_phrases::Problem;
use texas42_protocol::{
    Capability, DealKind, Name, PlayerId, RequestId, Role, SecretKey, ServerMessage, TableOptions, WireError,
};
use texas42_vocab::{Config, Control, Seat};

use super::{NewTable, RestoreError, Room, check_client_key, check_options, config_error, join::check_name};
use crate::{
    clock::Clock,
    event::{Event, LaterDeals, Secret, StoredEvent},
    keys::Keys,
    table::{DealSources, Table},
};

/// The name of the request in replies.
const REQUEST: &str = "IMPORT_GAME";

/// A table as a client uploads it.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, expecting = "struct ImportedTable without other fields", rename_all = "camelCase")]
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

/// The secrets of an imported table that its device does not know.
#[derive(Clone, Copy)]
struct NewSecrets {
    /// For the next game.
    next: Secret,
    /// For the later hands of the current game.
    later: Secret,
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
        imported: &ImportedTable,
    ) -> Result<Self, Box<ServerMessage>> {
        let refuse = |error| Box::new(ServerMessage::refusal(Some(REQUEST), imported.request_id.clone(), error));
        let mut keys = Keys::new(&new.randomness);
        let secrets = NewSecrets { next: keys.secret(), later: keys.secret() };
        let log = imported_log(now, key, &imported.log, secrets).map_err(refuse)?;
        let table = Table::of(log.iter().enumerate()).map_err(|error| refuse(unreadable_reply(&error)))?;
        let player = player_id();
        let mut room = Self { unstored: log, ..Self::empty(new.id, keys, table, Clock::new(now, now)) };
        room.answer_creator(new.connection, player, None, imported.request_id.clone());
        room.request_bots();
        room.settle();
        Ok(room)
    }
}

/// The log of the imported table as this host would have written it, had the table been created here and only the
/// current game been played.
fn imported_log(
    now: u64,
    key: &SecretKey,
    log: &[StoredEvent],
    secrets: NewSecrets,
) -> Result<Vec<StoredEvent>, WireError> {
    check_client_key(Some(key), "key")?;
    let starts_game = |stored: &StoredEvent| matches!(stored.event, Event::Started { .. } | Event::Rematch { .. });
    let Some(start) = log.iter().rposition(starts_game) else {
        return Err(WireError::new(Problem::NoGameBegun).at("log"));
    };
    let mut table =
        Table::of(game_events(log).filter(|(at, _)| *at <= start)).map_err(|error| unreadable_reply(&error))?;
    let players = Seat::ALL.map(|seat| table.control(seat));
    let DealSources { secret, entropy, earlier, secret_draw } = table.deal_sources();
    table.resume(game_events(log).filter(|(at, _)| *at > start)).map_err(|error| unreadable_reply(&error))?;
    let options = imported_options(&table)?;
    let importer = importer(&table, key)?;
    if Seat::ALL.into_iter().any(|seat| seat != importer.seat && entropy[seat.index()].is_some()) {
        return Err(in_log(Problem::OthersRandomness));
    }
    let config = Config { players, ..table.config.clone() };
    let entropy = entropy[importer.seat.index()].clone();
    let joined = Event::Joined { session: session(&importer, key), entropy, waits: false };
    let is_secret = options.deal == DealKind::Secret;
    let later = is_secret.then_some(LaterDeals { from_hand: table.hands_dealt, secret: secrets.later });
    let set_up = [
        Event::Created { config, table: options, secret, earlier, later },
        joined,
        Event::Started { next: secrets.next, secret_draw },
    ];
    let moves = log[start..].iter().filter_map(|stored| imported_action(&stored.event, &importer));
    // The times in the log come from another clock.
    Ok(set_up.into_iter().chain(moves).map(|event| StoredEvent { at: now, event }).collect())
}

/// The events that affect the game, with their indices. Skips visitors, invites and undo requests, which can be numerous.
fn game_events(log: &[StoredEvent]) -> impl Iterator<Item = (usize, &StoredEvent)> {
    let is_game_event = |event: &Event| match event {
        Event::Joined { session, .. } => session.seat.is_some(),
        Event::Invited { .. }
        | Event::Revoked { .. }
        | Event::CoachAllowed { .. }
        | Event::UndoAsked { .. }
        | Event::UndoDeclined { .. }
        | Event::PersonAbsent { .. }
        | Event::PersonReturned { .. }
        | Event::HostPassed { .. }
        | Event::WaitsForDeal { .. } => false,
        _ => true,
    };
    log.iter().enumerate().filter(move |(_, stored)| is_game_event(&stored.event))
}

/// The table options, if this host accepts them.
fn imported_options(table: &Table) -> Result<TableOptions, WireError> {
    let options = TableOptions { brought: false, ..table.options.clone() };
    let invalid = |field: &str, problem: Problem| Err(WireError::new(problem).at(field));
    if options.rated {
        return invalid("table.rated", Problem::ImportedCannotBeRated);
    }
    if options.open_hands {
        return invalid("table.openHands", Problem::ImportedHasNoOpenHands);
    }
    check_options(&table.config, &options)?;
    Ok(TableOptions { brought: true, ..options })
}

/// The person with this key, who must be the only person at the table and have no more capabilities than a creator.
fn importer(table: &Table, key: &SecretKey) -> Result<Importer, WireError> {
    let people = || table.sessions.iter().filter(|session| session.control == Control::Human);
    let own = people().find(|session| session.key.is_of(key));
    let Some((session, seat)) = own.and_then(|session| Some((session, session.seat?))) else {
        return Err(WireError::new(Problem::WrongPersonKey));
    };
    let is_granted_here = |extra: &Capability| {
        capabilities(seat).contains(extra) || (table.options.hints && *extra == Capability::SeeHints)
    };
    if let Some(extra) = session.capabilities.iter().find(|extra| !is_granted_here(extra)) {
        return Err(in_log(Problem::CapabilityNotImported { right: name_of(*extra) }));
    }
    if let Some(other) = people().find(|other| other.player_id != session.player_id || other.seat != session.seat) {
        return Err(in_log(Problem::MustReinvite { name: other.name.to_string() }));
    }
    if let Some(empty) = table.human_seats().find(|human| *human != seat) {
        return Err(in_log(Problem::SeatHasNoPlayer { seat: empty }));
    }
    check_name(&session.name)?;
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
        declines_hints: false,
        invite: None,
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
