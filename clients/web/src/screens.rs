//! The screens other than the table: start page, new table, joining; and the dialogs.

mod create;
mod dialogs;
mod invite;
mod join;
mod lobby;
mod people;
mod start;
mod study;
mod table_rules;

pub(crate) use create::{Create, TableForm};
pub(crate) use dialogs::{ChangeRules, Dialogs, SaveRecord};
pub(crate) use invite::{InviteBox, MadeLinks};
pub(crate) use join::Join;
pub(crate) use lobby::{GuestsInGame, Lobby};
pub(crate) use start::Start;
pub(crate) use study::Study;
