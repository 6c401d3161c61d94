//! The table on the screen, and the language of the texts about it: what every drawing of a table needs.

use std::sync::Arc;

use leptos::prelude::*;
use texas42_protocol::BotLevel;
use texas42_vocab::Trump;

use crate::{catalogue::Catalogue, table_model::TableModel, words::Words};

/// The table on the screen. A cheap handle that is copied freely. Provide it with `provide_context` above everything that draws a table.
#[derive(Clone, Copy)]
pub struct ShownTable {
    catalogue: RwSignal<Catalogue>,
    model: RwSignal<Option<Arc<TableModel>>>,
    bot_level: StoredValue<Option<BotLevel>>,
}

impl ShownTable {
    /// No table yet.
    pub fn new(catalogue: Catalogue) -> Self {
        let (catalogue, model) = (RwSignal::new(catalogue), RwSignal::new(None));
        Self { catalogue, model, bot_level: StoredValue::new(None) }
    }

    /// The catalogue of the current language.
    pub const fn catalogue(self) -> RwSignal<Catalogue> {
        self.catalogue
    }

    /// The texts of the current language. The whole page is redrawn when the language changes, so this does not subscribe.
    pub fn words(self) -> &'static Words {
        self.catalogue.get_untracked().words
    }

    /// The table. Subscribes to it.
    pub fn get(self) -> Option<Arc<TableModel>> {
        self.model.get()
    }

    /// The table, without subscribing to it.
    pub fn now(self) -> Option<Arc<TableModel>> {
        self.model.get_untracked()
    }

    /// Shows a table, or none.
    pub fn set(self, table: Option<Arc<TableModel>>) {
        self.model.set(table);
    }

    /// Reads something of the table; `None` if there is no table. Subscribes to the table.
    pub fn with<T>(self, ask: impl FnOnce(&TableModel) -> T) -> Option<T> {
        self.get().as_deref().map(ask)
    }

    /// The trumps of the current hand. Subscribes to the table.
    pub fn trump(self) -> Option<Trump> {
        self.with(TableModel::trump).flatten()
    }

    /// How strong the bots are, where the table does not say.
    pub fn bot_level(self) -> Option<BotLevel> {
        self.bot_level.get_value()
    }

    /// Sets how strong the bots are.
    pub fn set_bot_level(self, level: Option<BotLevel>) {
        self.bot_level.set_value(level);
    }
}

/// The table on the screen, from anywhere in the component tree.
pub fn shown() -> ShownTable {
    expect_context::<ShownTable>()
}
