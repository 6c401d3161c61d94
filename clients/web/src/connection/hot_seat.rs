//! Several people at one device: each has a session with a client and a channel of its own, exactly as if everyone
//! had a device. The page shows the table as one of them sees it; the sessions of the others follow silently, and
//! agree when the shown person has agreed.

use texas42_client::{ClientCore, ClientEvent, Credentials, Ticket};
use texas42_protocol::{GameView, Grant, Role, SecretKey};
use texas42_vocab::{Action, Seat};

use super::{Connection, ask, change, pump, send, with_client};
use crate::{
    app::App,
    browser::{self, HOT_SEAT_PLAYERS, now},
    table_model::{HostKind, TableModel},
};

/// The session of a person who is not shown.
pub(super) struct HotSeatSession {
    pub(super) client: ClientCore,
    pub(super) channel: u8,
    seat: Seat,
}

/// Rejoins the table with every stored hot-seat player of its game.
pub(super) fn resume(app: App, ticket: &Ticket) {
    let stored = HOT_SEAT_PLAYERS.all().into_iter().filter_map(|player| Some((player.seat, player.ticket?)));
    for (seat, ticket) in stored.filter(|(_, other)| other.game_id == ticket.game_id) {
        connect(app, seat, ClientCore::resume(ticket, browser::random()));
        // Nobody knows who looks at the screen after a reload.
        app.hot_seat.cover();
    }
}

/// Adds the seat of the shown person, which a resumed session knows only when it has joined.
pub(super) fn note_shown_seat(app: App) {
    let seat = ask(|connection| connection.client.seat().filter(|_| !connection.hot_seat.is_empty()));
    app.hot_seat.add(seat.flatten().into_iter().collect());
}

/// Requests an invite for the next hot-seat player who has not joined yet.
pub(super) fn invite_next(app: App) {
    let Some(player) = HOT_SEAT_PLAYERS.next_to_join() else { return };
    let grant = Grant { seat: Some(player.seat), ..Grant::of(Role::Player) };
    with_client(app, |client, now| client.invite(now, grant, None));
}

/// Joins with the invite for the next hot-seat player.
pub(super) fn join(app: App, key: SecretKey) {
    let Some(player) = HOT_SEAT_PLAYERS.next_to_join() else { return };
    let Some(game_id) = ask(|connection| connection.client.game_id().cloned()).flatten() else { return };
    let credentials = Credentials::Join {
        game_id,
        invite: Some(key),
        name: player.name,
        role: Some(Role::Player),
        seat: Some(player.seat),
        capabilities: None,
        entropy: browser::entropy(),
    };
    connect(app, player.seat, ClientCore::new(credentials, browser::random()));
}

/// Opens the next channel for a hot-seat player.
fn connect(app: App, seat: Seat, mut client: ClientCore) {
    client.handle_connected(now());
    change(|connection| {
        let channel = connection.hot_seat.len() as u8 + 1;
        connection.hot_seat.push(HotSeatSession { client, channel, seat });
    });
    app.hot_seat.add(vec![seat]);
    note_shown_seat(app);
    pump(app);
}

/// Carries out the hot-seat players' requests.
pub(super) fn pump_all(app: App) {
    let events = change(|connection| {
        agree(connection);
        let mut events = Vec::new();
        for player in &mut connection.hot_seat {
            while let Some(frame) = player.client.poll_frame() {
                send(app, &connection.transport, player.channel, &frame);
            }
            while let Some(event) = player.client.poll_event() {
                events.push((player.seat, event, player.client.ticket().cloned()));
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
            HOT_SEAT_PLAYERS.note_joined(seat, ticket);
            invite_next(app);
        }
        (ClientEvent::Refused { error, .. } | ClientEvent::Over { error }, _) => app.refused(error),
        _ => {}
    }
}

/// Lets hot-seat players agree to what the shown person has agreed to: they sit together, so one tap is enough.
fn agree(connection: &mut Connection) {
    let Connection { client, hot_seat, .. } = connection;
    let (Some((_, view)), Some(shown)) = (client.table(), client.seat()) else { return };
    for player in hot_seat.iter_mut().filter(|player| !player.client.is_waiting()) {
        if let Some(action) = agreement(view, shown, player) {
            player.client.execute(now(), action);
        }
    }
}

/// What a hot-seat player agrees to.
fn agreement(view: &GameView, shown: Seat, player: &HotSeatSession) -> Option<Action> {
    if let Some(undo) = &view.metadata.undo {
        let is_asked = undo.agreed.contains(&shown) && !undo.agreed.contains(&player.seat);
        return is_asked.then_some(Action::Undo { to: undo.to });
    }
    let agrees = |action: &Action| {
        matches!(action, Action::AgreeCompleteTrick { .. } | Action::AgreeScoreHand { .. })
            && action.player() == Some(player.seat)
    };
    let mut offered = player.client.valid_actions().iter().map(|valid| valid.action);
    offered.find(agrees).filter(|_| view.state.agreed.contains(&shown))
}

/// Shows the table as the person on a seat of this device sees it.
pub(crate) fn show_person(app: App, seat: Seat) {
    let table = change(|connection| {
        let Connection { client, channel, hot_seat, .. } = connection;
        if let Some(player) = hot_seat.iter_mut().find(|player| player.seat == seat) {
            let shown = client.seat().unwrap_or(player.seat);
            core::mem::swap(client, &mut player.client);
            core::mem::swap(channel, &mut player.channel);
            player.seat = shown;
        }
        TableModel::of_client(client, HostKind::Browser)
    });
    if let Some(table) = table.flatten() {
        app.show_person(table);
    }
    pump(app);
}
