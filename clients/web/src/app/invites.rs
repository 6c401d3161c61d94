//! The invites that this person made: the link that is shown, the pending request for one, and those that can be revoked.

use leptos::prelude::*;
use texas42_protocol::{GameId, Role, SecretKey};

use crate::{browser, invite_link::InviteLink};

/// Where the browser stores the numbers of the invites to the last table, to revoke them also after a reload.
const MADE: &str = "invites";

/// An invite: its number, and the role that it grants.
type MadeInvite = (u32, Role);

/// The invites of the current table.
#[derive(Clone, Copy)]
pub(crate) struct Invites {
    /// The invite of the shown link, and its URL.
    shown: RwSignal<Option<(MadeInvite, String)>>,
    /// The invites that were made and not revoked, in order.
    made: RwSignal<Vec<MadeInvite>>,
    /// The role of the last requested invite.
    role: StoredValue<Role>,
    /// The table for which the page has requested a player link automatically.
    asked_for: StoredValue<Option<GameId>>,
}

impl Invites {
    pub(super) fn new() -> Self {
        Self {
            shown: RwSignal::new(None),
            made: RwSignal::new(Vec::new()),
            role: StoredValue::new(Role::Player),
            asked_for: StoredValue::new(None),
        }
    }

    /// The role and URL of the link to show.
    pub(crate) fn shown(self) -> Option<(Role, String)> {
        self.shown.get().map(|((_, role), url)| (role, url))
    }

    /// The role of the shown link.
    pub(crate) fn shown_role(self) -> Option<Role> {
        self.shown.with(|link| link.as_ref().map(|((_, role), _)| *role))
    }

    /// The invites that can be revoked.
    pub(crate) fn made(self) -> Vec<MadeInvite> {
        self.made.get()
    }

    /// Finds the stored invites of a table to which the person has returned.
    pub(crate) fn recall(self, game: &GameId) {
        let stored =
            browser::load(MADE).and_then(|text| texas42_protocol::read::<(GameId, Vec<MadeInvite>)>(&text).ok());
        self.made.set(stored.filter(|(of, _)| of == game).map(|(_, made)| made).unwrap_or_default());
    }

    fn keep(self, game: &GameId) {
        browser::store(MADE, &texas42_protocol::to_json(&(game, self.made.get_untracked())));
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
    pub(crate) fn receive(self, game: Option<GameId>, number: u32, key: &SecretKey) {
        let role = self.role.get_value();
        let url = |game| InviteLink { game, key: Some(key.clone()), role }.url(&browser::address());
        self.made.update(|made| made.push((number, role)));
        game.iter().for_each(|game| self.keep(game));
        self.shown.set(game.map(|game| ((number, role), url(game))));
    }

    /// Removes an invite that the table has revoked.
    pub(crate) fn remove(self, game: Option<&GameId>, number: u32) {
        self.made.update(|made| made.retain(|(other, _)| *other != number));
        game.into_iter().for_each(|game| self.keep(game));
        if self.shown.with_untracked(|shown| shown.as_ref().is_some_and(|((other, _), _)| *other == number)) {
            self.shown.set(None);
        }
    }

    /// Removes the link and the list.
    pub(super) fn forget(self) {
        self.shown.set(None);
        self.made.set(Vec::new());
    }
}
