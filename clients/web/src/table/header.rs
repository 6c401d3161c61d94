//! The header: menu, score, connection status, and the buttons that open dialogs.

use leptos::prelude::*;
use texas42_display::score::Score;
pub(crate) use texas42_display::{score::Contract, tile::Icon};
use texas42_protocol::LobbyGuest;
use texas42_vocab::Phase;

use crate::{
    announce::visitors,
    app::{Dialog, app},
    computed::Computed,
    connection::ConnectionState,
    erased_view::{drawn, live, when},
    table::tray::SayButton,
    table_model::{HostKind, TableModel},
    words::fill,
};

#[component]
pub(crate) fn Header() -> impl IntoView {
    let app = app();
    let is_playing = move || app.with_table(|table| table.phase() != Phase::Setup).unwrap_or(false);
    let invites = move || app.with_table(|table| !table.invites_to().is_empty()).unwrap_or(false);
    let is_open = move || app.with_table(TableModel::sees_everything).unwrap_or(false);
    view! {
        <header class="bar">
            <h1 class="unseen">{app.words().title}</h1>
            {tool(Dialog::Leave, app.words().menu, "M4 7h16M4 12h16M4 17h16")}
            <Score/>
            <ConnectionStatus/>
            <nav class="tools" aria-label=app.words().menu>
                <Visitors/>
                {when(move || app.with_table(TableModel::may_talk) == Some(true), move || view! { <SayButton/> })}
                {when(invites, move || view! { <InviteButton/> })}
                {when(move || app.hot_seat.is_shared(), move || {
                    let name = app.words().switch_player;
                    view! {
                        <button class="icon" data-do="switch-player" on:click=move |_| app.cover_now() aria-label=name title=name>
                            <Icon path="M4 8h13M13 4l4 4-4 4M20 16H7M11 12l-4 4 4 4"/>
                        </button>
                    }
                })}
                {when(is_playing, move || view! {
                    {tool(Dialog::LastTrick, app.words().last_trick, "M4 5v5h5M4.500 10A8 8 0 1 1 4 14")}
                    {tool(Dialog::History, app.words().history, "M8 6h12M8 12h12M8 18h12M4 6h.01M4 12h.01M4 18h.01")}
                })}
                {when(is_open, move || view! {
                    {tool(Dialog::Developer, app.words().developer, "M8 7l-5 5 5 5M16 7l5 5-5 5")}
                })}
                {tool(Dialog::Rules, app.words().rules, "M9 9a3 3 0 1 1 4 2.800c-.7.300-1 .8-1 1.600v.6M12 17.500v.01")}
                {tool(Dialog::Settings, app.words().settings, "M4 7h9M17 7h3M15 5v4M4 12h3M11 12h9M9 10v4M4 17h7M15 17h5M13 15v4")}
            </nav>
        </header>
    }
}

/// How many people watch or coach; their names on a tap. On small screens the menu has them.
#[component]
fn Visitors() -> impl IntoView {
    let app = app();
    let visitors = Computed::new(move || app.with_table(|table| visitors(table, app.words())).unwrap_or_default());
    let number = move || visitors.with(Vec::len);
    let said = move || visitors.get().join(" ");
    let name = move || format!("{}: {}", fill(app.words().visitors, &[&number().to_string()]), said());
    view! {
        {when(move || number() > 0, move || view! {
            <button class="icon extra visitors" on:click=move |_| app.show_notice(said()) aria-label=live(name) title=live(said)>
                <Icon path="M2 12s4-7 10-7 10 7 10 7-4 7-10 7S2 12 2 12zM12 9a3 3 0 1 0 0 6 3 3 0 0 0 0-6z"/>
                <b>{drawn(move || number().to_string())}</b>
            </button>
        })}
    }
}

/// Opens the invite dialog. On small screens, where the guests in the lobby have no line of their own, it has a dot while somebody waits,
/// its name says who, and the dialog has the answers.
#[component]
fn InviteButton() -> impl IntoView {
    let app = app();
    let words = app.words();
    let name = move || {
        let add = |name: String, guest: &LobbyGuest| {
            [&name, ". ", &fill(words.wants_to_join, &[guest.name.as_str()])].concat()
        };
        app.lobby.with(|lobby| lobby.guests.iter().fold(words.invite.to_owned(), add))
    };
    let has_guests = move || app.lobby.with(|lobby| !lobby.guests.is_empty());
    let open = move |_| app.dialogs.open(Dialog::Invite);
    view! {
        <button class="icon" class:knocked=live(has_guests) data-do="invite" on:click=open aria-label=live(name) title=live(name)>
            <Icon path="M12 5v14M5 12h14"/>
        </button>
    }
}

/// A button that opens a dialog.
fn tool(dialog: Dialog, name: &'static str, path: &'static str) -> AnyView {
    let app = app();
    let class = match dialog {
        Dialog::History => "icon history",
        // The menu has these too.
        Dialog::Rules | Dialog::Settings => "icon extra",
        _ => "icon",
    };
    let open = move |_| app.dialogs.open(dialog);
    view! { <button class=class on:click=open aria-label=name title=name><Icon path/></button> }.into_any()
}

/// The status of the connection, if there is something to report.
#[component]
fn ConnectionStatus() -> impl IntoView {
    let app = app();
    let text = move || {
        let words = app.words();
        match (app.connection.get(), app.with_table(|table| table.home)) {
            (ConnectionState::Down { is_waiting: true }, _) => Some(words.reconnecting_waiting),
            (ConnectionState::Down { is_waiting: false }, _) => Some(words.reconnecting),
            (ConnectionState::Connecting, Some(HostKind::Server)) => Some(words.connecting),
            _ => None,
        }
    };
    view! { <p class="line" role="status" class:on=live(move || text().is_some())>{drawn(text)}</p> }
}
