//! The invite link that is shown, and the pending request for one.

use leptos::prelude::*;
use texas42_protocol::{GameId, Role, SecretKey};

use crate::{browser, invite_link::InviteLink};

/// The invites of the current table.
#[derive(Clone, Copy)]
pub(crate) struct Invitations {
    /// The role and URL of the shown link.
    shown: RwSignal<Option<(Role, String)>>,
    /// The role of the last requested invite.
    role: StoredValue<Role>,
    /// The table for which the page has requested a player link automatically.
    asked_for: StoredValue<Option<GameId>>,
}

impl Invitations {
    pub(super) fn new() -> Self {
        Self { shown: RwSignal::new(None), role: StoredValue::new(Role::Player), asked_for: StoredValue::new(None) }
    }

    /// The role and URL of the link to show.
    pub(crate) fn shown(self) -> Option<(Role, String)> {
        self.shown.get()
    }

    /// The role of the shown link.
    pub(crate) fn shown_role(self) -> Option<Role> {
        self.shown.with(|link| link.as_ref().map(|(role, _)| *role))
    }

    /// Whether the page should request a link automatically, and marks it as requested: once per table, since a refusal
    /// is final.
    pub(crate) fn begins_asking(self, game: Option<GameId>) -> bool {
        if self.shown.with_untracked(Option::is_some) || self.asked_for.get_value() == game {
            return false;
        }
        self.asked_for.set_value(game);
        true
    }

    /// Remembers the role of the requested invite.
    pub(crate) fn ask(self, role: Role) {
        self.role.set_value(role);
    }

    /// Shows the link for the invite's key that the table has sent.
    pub(crate) fn receive(self, game: Option<GameId>, key: &SecretKey) {
        let role = self.role.get_value();
        let url = |game| InviteLink { game, key: Some(key.clone()), role }.url(&browser::address());
        self.shown.set(game.map(|game| (role, url(game))));
    }

    /// Removes the link.
    pub(super) fn forget(self) {
        self.shown.set(None);
    }
}
