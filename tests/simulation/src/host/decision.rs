//! Checks that no action is executed that was decided on a stale version of the table.

use std::ops::RangeInclusive;

use texas42_protocol::{ClientMessage, PlayerId, RequestId};

use crate::audit::Audit;

/// An action that has not been executed yet, and the versions on which it may have been decided.
pub(super) struct TrackedAction {
    player: PlayerId,
    request: RequestId,
    version: u64,
    fresh: RangeInclusive<u64>,
}

impl TrackedAction {
    pub(super) fn of(message: &ClientMessage, player: Option<&PlayerId>, audit: &Audit) -> Option<Self> {
        let ClientMessage::ExecuteAction { request_id, version, .. } = message else { return None };
        let player = player.filter(|player| audit.executed_at(player, request_id).is_none())?.clone();
        let fresh = audit.game_version..=audit.version();
        Some(Self { player, request: request_id.clone(), version: *version, fresh })
    }

    pub(super) fn check(&self, audit: &Audit) -> Result<(), String> {
        let Self { player, request, version, fresh } = self;
        match audit.executed_at(player, request) {
            Some(_) if !fresh.contains(version) => Err(format!(
                "{player}'s {request} was decided on the stale version {version}; fresh versions were {fresh:?}"
            )),
            _ => Ok(()),
        }
    }
}
