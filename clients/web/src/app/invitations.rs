//! The invite link that is shown, and the one that was asked for.

use leptos::prelude::*;
use texas42_protocol::{GameId, Role, SecretKey};

use crate::{browser, invite_link::InviteLink};

/// The invitations of the present table.
#[derive(Clone, Copy)]
pub(crate) struct Invitations {
    /// The role and the URL of the link that is shown.
    shown: RwSignal<Option<(Role, String)>>,
    /// The role of the invitation that was asked for last.
    role: StoredValue<Role>,
    /// The table for which a link to play was asked for by itself.
    asked_for: StoredValue<Option<GameId>>,
}

impl Invitations {
    pub(super) fn new() -> Self {
        Self { shown: RwSignal::new(None), role: StoredValue::new(Role::Player), asked_for: StoredValue::new(None) }
    }

    /// The role and the URL of the link to show.
    pub(crate) fn shown(self) -> Option<(Role, String)> {
        self.shown.get()
    }

    /// The role of the link that is shown.
    pub(crate) fn shown_role(self) -> Option<Role> {
        self.shown.with(|link| link.as_ref().map(|(role, _)| *role))
    }

    /// Whether the page should ask for a link by itself: once for a table, since a refusal is final. Notes that it asks.
    pub(crate) fn begins_asking(self, game: Option<GameId>) -> bool {
        if self.shown.with_untracked(Option::is_some) || self.asked_for.get_value() == game {
            return false;
        }
        self.asked_for.set_value(game);
        true
    }

    /// An invitation for this role is being asked for.
    pub(crate) fn ask(self, role: Role) {
        self.role.set_value(role);
    }

    /// The table has sent the key of the invitation.
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
