//! Downloads the record of a game, for `texas42 review` and `texas42 verify-deal`. The table includes only completed
//! hands.

use texas42_protocol::ServerMessage;
use texas42_vocab::Phase;
use wasm_bindgen_futures::spawn_local;

use crate::{
    app::App,
    browser::{self, TICKETS},
    connection,
    table_model::{HostKind, TableModel},
};

/// Whether there is a record to save. Spectators without a key cannot request it.
pub(crate) fn can_be_saved(table: &TableModel) -> bool {
    let is_over = table.phase() == Phase::Scoring || table.phase().is_over();
    table.player_id.is_some() && (is_over || table.view.state.hand_number > 0)
}

/// Requests the record of the table; [`save`] continues with it.
pub(crate) fn ask(app: App) {
    match app.with_table(|table| table.home) {
        Some(HostKind::Server) => ask_server(app),
        _ => connection::ask_for_record(),
    }
}

fn ask_server(app: App) {
    let Some(ticket) = TICKETS.get(HostKind::Server) else { return };
    spawn_local(async move {
        let path = format!("api/games/{}/record", ticket.game_id);
        let answer = browser::ask_server(Some(&ticket.key), &path, None).await.unwrap_or_default();
        match texas42_protocol::read(&answer) {
            Ok(ServerMessage::Error { error, .. }) => app.refused(&error),
            _ => save(app, &answer),
        }
    });
}

/// Downloads the record.
pub(crate) fn save(app: App, record: &str) {
    if record.is_empty() {
        app.show_notice(app.words().no_record);
    } else {
        browser::download("texas42-record.json", record);
    }
}
