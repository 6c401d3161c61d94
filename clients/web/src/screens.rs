//! The screens other than the table: start page, new table, joining; and the dialogs.

mod create;
mod dialogs;
mod invite;
mod join;
mod start;

pub(crate) use create::{Create, NewTableForm};
pub(crate) use dialogs::{Dialogs, SaveRecord};
pub(crate) use invite::InviteBox;
pub(crate) use join::Join;
pub(crate) use start::Start;
