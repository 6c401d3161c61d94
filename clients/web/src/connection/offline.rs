//! The connection to the worker of this browser: its start, its messages, and requests to it.

use leptos::prelude::GetUntracked;
use texas42_protocol::GameId;
use texas42_worker_protocol::{FromWorker, OfflineBotSettings, ToWorker};

use super::{WorkerLink, ask, handle_frame, is_current, resume};
use crate::{
    app::{App, Screen},
    going_online, record,
    table_model::HostKind,
};

/// Starts the worker of connection `number`.
pub(super) fn start_worker(app: App, number: u32) -> WorkerLink {
    let worker = WorkerLink::spawn(move |_, message| {
        if is_current(number) {
            handle_worker_message(app, message);
        }
    });
    worker.on_error(move || {
        if is_current(number) {
            restart_worker(app);
        }
    });
    let settings = app.settings.get_untracked();
    let (min_delay, max_delay) = settings.pace.bot_wait();
    app.shown.set_bot_level(settings.bot_level());
    worker.post(&ToWorker::ConfigureBots(OfflineBotSettings { min_delay, max_delay, level: settings.level }));
    worker
}

/// After a failure, starts a new worker, which restores the table from its log.
fn restart_worker(app: App) {
    let ticket = ask(|connection| connection.client.ticket().cloned()).flatten();
    app.show_notice(app.words().worker_failed);
    match ticket {
        Some(ticket) => resume(app, HostKind::Browser, ticket),
        None => app.go(Screen::Home),
    }
}

fn handle_worker_message(app: App, message: FromWorker) {
    match message {
        FromWorker::Frame { channel, text } => handle_frame(app, channel, &text),
        FromWorker::StorageUnavailable => app.show_notice(app.words().not_kept),
        FromWorker::StorageFailed => restart_worker(app),
        FromWorker::Exported { log } => going_online::upload(app, log),
        FromWorker::Recorded { record } => record::save(app, &record.unwrap_or_default()),
        // Replies for `analysis`, which has its own workers. `WorkerLink` logs unreadable messages.
        FromWorker::Verified(_) | FromWorker::Advised { .. } | FromWorker::Unreadable { .. } => {}
    }
}

/// Requests the log of the worker's table; the worker pauses until it is released.
pub(crate) fn export() {
    post_to_worker(|game_id| ToWorker::Export { game_id });
}

/// Requests the record of the worker's table.
pub(crate) fn ask_for_record() {
    post_to_worker(|game_id| ToWorker::Record { game_id });
}

/// Resumes the worker after an export.
pub(crate) fn release() {
    post_to_worker(|_| ToWorker::Release);
}

fn post_to_worker(message: impl FnOnce(GameId) -> ToWorker) {
    ask(|connection| {
        if let (Some(worker), Some(game)) = (connection.transport.worker(), connection.client.game_id()) {
            worker.post(&message(game.clone()));
        }
    });
}
