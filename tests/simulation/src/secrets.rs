//! The law of secrets: the public data of a table does not determine its deals. A table with the same log and another
//! secret deals other hands, and the same secret deals the same hands again.

use serde_json::{Value, json};
use texas42_engine::deal::{Hex, Key};
use texas42_protocol::{DealKind, GameId};
use texas42_room::{Event, Room, StoredEvent};
use texas42_vocab::Hand;

/// Checks the first deal of a log. Returns whether it has one that is secret.
pub(crate) fn check_first_deal(id: &GameId, log: &[StoredEvent], other: &Key) -> Result<bool, String> {
    let Some(started) = log.iter().position(|stored| matches!(stored.event, Event::Started { .. })) else {
        return Ok(false);
    };
    let public = &log[..=started];
    if !public.iter().rev().find_map(|stored| has_secret_deals(&stored.event)).unwrap_or_default() {
        return Ok(false);
    }
    let [dealt, again] = [first_hands(id, public)?, first_hands(id, public)?];
    if dealt != again {
        return Err("the same log deals different hands".into());
    }
    if dealt == first_hands(id, &with_secret(public, other)?)? {
        return Err("the deals do not depend on the secret".into());
    }
    Ok(true)
}

/// Whether the deals come from the secret of the table, if the event says so.
fn has_secret_deals(event: &Event) -> Option<bool> {
    match event {
        Event::Created { config, table, .. } | Event::Configured { config, table, .. } => {
            Some(table.deal == DealKind::Secret && config.deals.is_empty())
        }
        _ => None,
    }
}

fn first_hands(id: &GameId, log: &[StoredEvent]) -> Result<[Hand; 4], String> {
    let room = Room::restore(0, id.clone(), &[1; 32], log).map_err(|error| error.to_string())?;
    room.state().map(|state| state.hands).ok_or_else(|| "a game that started has no hands".to_owned())
}

/// The log of a table that was created with another secret.
fn with_secret(log: &[StoredEvent], secret: &Key) -> Result<Vec<StoredEvent>, String> {
    let mut log: Value = serde_json::to_value(log).map_err(|error| error.to_string())?;
    log[0]["event"]["secret"] = json!(Hex(secret).to_string());
    serde_json::from_value(log).map_err(|error| error.to_string())
}
