//! The record of a game as a file, for `texas42 review` and `texas42 verify-deal`. The table says what may be in it: hands that
//! are over.

use texas42_vocab::Phase;

use crate::{
    app::App,
    browser, line,
    seen::{Home, Seen},
};

/// Whether there is something to save, and a table here that can be asked for it.
pub(crate) fn can_be_saved(seen: &Seen) -> bool {
    let is_over = seen.phase() == Phase::Scoring || seen.phase().is_over();
    seen.home == Home::Browser && (is_over || seen.view.state.hand_number > 0)
}

/// Asks the table for its record; [`save`] goes on with it.
pub(crate) fn ask() {
    line::ask_for_record();
}

/// Saves it where the browser keeps what a person downloads.
pub(crate) fn save(app: App, record: &str) {
    if record.is_empty() {
        app.tell(app.words().no_record);
    } else {
        browser::download("texas42-record.json", record);
    }
}
