//! Several people at one device: each has a session with a client and a channel of its own, exactly as if everyone
//! had a device. The page shows the table as one of them sees it; the sessions of the others follow silently, and
//! agree when the shown person has agreed.

use texas42_client::{ClientCore, ClientEvent, Credentials, Ticket};
use texas42_protocol::{GameView, Grant, Role, SecretKey};
use texas42_vocab::{Action, Seat};

use super::{Connection, ask, change, pump, send, with_client};
use crate::{
    app::App,
    browser::{self, COMPANIONS, now},
    table_model::{HostKind, TableModel},
};

/// The session of a person who is not shown.
pub(super) struct CompanionSession {
    pub(super) client: ClientCore,
    pub(super) channel: u8,
    seat: Seat,
}

/// Rejoins the table with every stored companion of its game.
pub(super) fn resume(app: App, ticket: &Ticket) {
    let stored = COMPANIONS.all().into_iter().filter_map(|companion| Some((companion.seat, companion.ticket?)));
    for (seat, ticket) in stored.filter(|(_, other)| other.game_id == ticket.game_id) {
        connect(app, seat, ClientCore::resume(ticket, browser::random()));
        // Nobody knows who looks at the screen after a reload.
        app.hot_seat.cover();
    }
}

/// Adds the seat of the shown person, which a resumed session knows only when it has joined.
pub(super) fn note_shown_seat(app: App) {
    let seat = ask(|connection| connection.client.seat().filter(|_| !connection.companions.is_empty()));
    app.hot_seat.add(seat.flatten().into_iter().collect());
}

/// Requests an invite for the next companion who has not joined yet.
pub(super) fn invite_next(app: App) {
    let Some(companion) = COMPANIONS.next_to_join() else { return };
    let grant = Grant { seat: Some(companion.seat), ..Grant::of(Role::Player) };
    with_client(app, |client, now| client.invite(now, grant, None));
}

/// Joins with the invite for the next companion.
pub(super) fn join(app: App, key: SecretKey) {
    let Some(companion) = COMPANIONS.next_to_join() else { return };
    let Some(game_id) = ask(|connection| connection.client.game_id().cloned()).flatten() else { return };
    let credentials = Credentials::Join {
        game_id,
        invite: Some(key),
        name: companion.name,
        role: Some(Role::Player),
        seat: Some(companion.seat),
        capabilities: None,
        entropy: browser::entropy(),
    };
    connect(app, companion.seat, ClientCore::new(credentials, browser::random()));
}

/// Opens the next channel for a companion.
fn connect(app: App, seat: Seat, mut client: ClientCore) {
    client.handle_connected(now());
    change(|connection| {
        let channel = connection.companions.len() as u8 + 1;
        connection.companions.push(CompanionSession { client, channel, seat });
    });
    app.hot_seat.add(vec![seat]);
    note_shown_seat(app);
    pump(app);
}

/// Carries out the companions' requests.
pub(super) fn pump_all(app: App) {
    let events = change(|connection| {
        agree(connection);
        let mut events = Vec::new();
        for companion in &mut connection.companions {
            while let Some(frame) = companion.client.poll_frame() {
                send(app, &connection.transport, companion.channel, &frame);
            }
            while let Some(event) = companion.client.poll_event() {
                events.push((companion.seat, event, companion.client.ticket().cloned()));
            }
        }
        events
    });
    for (seat, event, ticket) in events.unwrap_or_default() {
        handle_event(app, seat, &event, ticket.as_ref());
    }
}

fn handle_event(app: App, seat: Seat, event: &ClientEvent, ticket: Option<&Ticket>) {
    match (event, ticket) {
        (ClientEvent::Joined, Some(ticket)) => {
            COMPANIONS.note_joined(seat, ticket);
            invite_next(app);
        }
        (ClientEvent::Refused { error, .. } | ClientEvent::Over { error }, _) => app.refused(error),
        _ => {}
    }
}

/// Lets companions agree to what the shown person has agreed to: they sit together, so one tap is enough.
fn agree(connection: &mut Connection) {
    let Connection { client, companions, .. } = connection;
    let (Some((_, view)), Some(shown)) = (client.table(), client.seat()) else { return };
    for companion in companions.iter_mut().filter(|companion| !companion.client.is_waiting()) {
        if let Some(action) = agreement(view, shown, companion) {
            companion.client.execute(now(), action);
        }
    }
}

/// What a companion agrees to.
fn agreement(view: &GameView, shown: Seat, companion: &CompanionSession) -> Option<Action> {
    if let Some(undo) = &view.metadata.undo {
        let is_asked = undo.agreed.contains(&shown) && !undo.agreed.contains(&companion.seat);
        return is_asked.then_some(Action::Undo { to: undo.to });
    }
    let agrees = |action: &Action| {
        matches!(action, Action::AgreeCompleteTrick { .. } | Action::AgreeScoreHand { .. })
            && action.player() == Some(companion.seat)
    };
    let mut offered = companion.client.valid_actions().iter().map(|valid| valid.action);
    offered.find(agrees).filter(|_| view.state.agreed.contains(&shown))
}

/// Shows the table as the person on a seat of this device sees it.
pub(crate) fn show_person(app: App, seat: Seat) {
    let table = change(|connection| {
        let Connection { client, channel, companions, .. } = connection;
        if let Some(companion) = companions.iter_mut().find(|companion| companion.seat == seat) {
            let shown = client.seat().unwrap_or(companion.seat);
            core::mem::swap(client, &mut companion.client);
            core::mem::swap(channel, &mut companion.channel);
            companion.seat = shown;
        }
        TableModel::of_client(client, HostKind::Browser)
    });
    if let Some(table) = table.flatten() {
        app.show_person(table);
    }
    pump(app);
}
