//! The page as a whole: its state, split into small handles, and the root component.

mod actions;
mod announcements;
mod catalogue;
mod dialog_state;
mod frame_log;
mod hot_seat;
mod invites;
mod join_form;
mod keyboard;
mod lobby;
mod motion;
mod navigation;
mod speech;
mod table_state;
mod updates;
mod window_state;

pub(crate) use announcements::{LiveRegions, Place};
pub(crate) use dialog_state::Dialog;
pub(crate) use lobby::FoundTable;
pub(crate) use navigation::{Screen, USUAL, keep_focus};
pub(crate) use texas42_display::catalogue::Catalogue;

use leptos::{ev, prelude::*};
use texas42_display::ShownTable;
use texas42_protocol::{Name, WireError};
use texas42_vocab::Trump;

use crate::{
    app::{
        announcements::Announcements,
        dialog_state::DialogState,
        frame_log::FrameLog,
        hot_seat::HotSeat,
        invites::Invites,
        join_form::JoinForm,
        lobby::LobbyState,
        motion::Motion,
        navigation::Navigation,
        speech::Speech,
        table_state::TableState,
        window_state::{Update, WindowState},
    },
    browser,
    connection::{self, ConnectionState},
    erased_view::drawn,
    screens::{Create, Dialogs, Join, Lobby, Start, Study, TableForm},
    settings::{Settings, Theme},
    table::Table,
    table_model::TableModel,
    words::{Language, Words, fill},
};

/// The state of the page. A cheap handle that is copied freely.
#[derive(Clone, Copy)]
pub(crate) struct App {
    pub(crate) settings: RwSignal<Settings>,
    /// The table on the screen.
    pub(crate) shown: ShownTable,
    /// The catalogue of the current language.
    pub(crate) catalogue: RwSignal<Catalogue>,
    pub(crate) navigation: Navigation,
    /// The form for a new table.
    pub(crate) table_form: TableForm,
    pub(crate) join_form: JoinForm,
    pub(crate) connection: RwSignal<ConnectionState>,
    pub(crate) table: TableState,
    pub(crate) hot_seat: HotSeat,
    pub(crate) motion: Motion,
    pub(crate) announcements: Announcements,
    pub(crate) speech: Speech,
    pub(crate) dialogs: DialogState,
    pub(crate) invites: Invites,
    pub(crate) lobby: LobbyState,
    pub(crate) frame_log: FrameLog,
    pub(crate) window: WindowState,
}

impl App {
    fn new(settings: Settings, catalogue: Catalogue) -> Self {
        let (dialogs, shown) = (DialogState::new(), ShownTable::new(catalogue));
        Self {
            settings: RwSignal::new(settings),
            shown,
            catalogue: shown.catalogue(),
            navigation: Navigation::new(),
            table_form: TableForm::new(),
            join_form: JoinForm::new(),
            connection: RwSignal::new(ConnectionState::None),
            table: TableState::new(shown),
            hot_seat: HotSeat::new(),
            motion: Motion::new(),
            announcements: Announcements::new(dialogs),
            speech: Speech::new(),
            dialogs,
            invites: Invites::new(),
            lobby: LobbyState::new(),
            frame_log: FrameLog::new(),
            window: WindowState::new(),
        }
    }

    /// The texts of the current language. The whole page is redrawn when the language changes, so this does not
    /// subscribe.
    pub(crate) fn words(self) -> &'static Words {
        self.shown.words()
    }

    /// The current language.
    pub(crate) fn language(self) -> Language {
        self.catalogue.get_untracked().language
    }

    /// Reads something of the current table; `None` if there is no table. Subscribes to the table.
    pub(crate) fn with_table<T>(self, ask: impl FnOnce(&TableModel) -> T) -> Option<T> {
        self.shown.with(ask)
    }

    /// The trumps of the current hand.
    pub(crate) fn trump(self) -> Option<Trump> {
        self.shown.trump()
    }

    /// Shows a notice for a few seconds.
    pub(crate) fn show_notice(self, text: impl Into<String>) {
        self.announcements.show_notice(text.into());
    }

    /// Shows notices from event handlers of shared drawings.
    pub(crate) fn notice_callback(self) -> Callback<String> {
        Callback::new(move |text| self.announcements.show_notice(text))
    }

    /// Copies a text and says so.
    pub(crate) fn copy(self, text: &str) {
        browser::copy(text);
        self.show_notice(self.words().copied);
    }

    /// Shows why a request was refused.
    pub(crate) fn refused(self, error: &WireError) {
        self.show_notice(self.refusal_text(error));
    }

    /// The sentence for a refused request.
    pub(crate) fn refusal_text(self, error: &WireError) -> String {
        let words = self.words();
        let table = self.table.now();
        let named =
            table.as_deref().map(|table| error.sentence_naming(words, table.seat, |seat| table.name(seat, words)));
        fill(words.refused, &[&named.unwrap_or_else(|| error.sentence(words))])
    }

    /// The person's name, or the default name.
    pub(crate) fn name(self) -> Name {
        self.settings
            .with_untracked(Settings::called)
            .or_else(|| Name::try_from(self.words().default_name).ok())
            .expect("the default name is valid in every language")
    }

    /// The person's name at the table of somebody else, where another person without a name may be.
    pub(crate) fn name_or_numbered(self) -> Name {
        let number = 100 + u16::from_le_bytes(browser::random()) % 900;
        let numbered = || Name::try_from(format!("{} {number}", self.words().default_name)).ok();
        self.settings.with_untracked(Settings::called).or_else(numbered).unwrap_or_else(|| self.name())
    }

    /// Clears everything about the shown table.
    pub(crate) fn forget_table(self) {
        self.table.forget();
        self.hot_seat.forget();
        self.motion.forget();
        self.invites.forget();
        self.lobby.forget();
        self.announcements.forget();
        self.speech.forget();
        browser::set_root("data-turn", "");
    }
}

/// The page's state, from anywhere in the component tree.
pub(crate) fn app() -> App {
    expect_context::<App>()
}

/// Mounts the page, once the catalogue of the person's language is loaded.
pub(crate) async fn start() {
    let settings = browser::load("settings").map(|text| Settings::from_json(&text)).unwrap_or_default();
    let catalogue = Catalogue::load(catalogue::chosen(&settings)).await;
    mount_to_body(move || view! { <Page settings catalogue=catalogue.unwrap_or_default()/> });
}

/// The root component.
#[component]
fn Page(settings: Settings, catalogue: Catalogue) -> impl IntoView {
    let app = App::new(settings, catalogue);
    provide_context(app);
    provide_context(app.shown);
    Effect::new(move || keep_settings(app));
    Effect::new(move || catalogue::follow_settings(app));
    listen(app);
    navigation::follow_address(app);
    if let Some(hello) = document().query_selector("#hello").ok().flatten() {
        hello.remove();
    }
    view! {
        {drawn(move || match (app.catalogue.get(), app.navigation.screen.get()).1 {
            Screen::Home => Start().into_any(),
            Screen::Create => Create().into_any(),
            Screen::Join(link) => view! { <Join link/> }.into_any(),
            Screen::Lobby(found) => view! { <Lobby found=*found/> }.into_any(),
            Screen::Study(fragment) => view! { <Study fragment/> }.into_any(),
            Screen::Table => Table().into_any(),
        })}
        <Dialogs/>
        <LiveRegions place=Place::Page/>
        <Update/>
    }
}

/// Registers the window's event listeners.
fn listen(app: App) {
    window_event_listener(ev::keydown, move |event| keyboard::handle_key(app, &event));
    window_event_listener(ev::hashchange, move |_| navigation::follow_address(app));
    let elsewhere = ev::Custom::<ev::Event>::new("texas42-elsewhere");
    window_event_listener(elsewhere, move |_| connection::yield_game(app));
    window_event_listener(ev::offline, move |_| connection::lose_network(app));
    window_event_listener(ev::online, move |_| connection::check_network(app));
    window_event_listener(ev::focus, move |_| connection::check_network(app));
    app.window.listen();
}

/// Stores the settings and applies them to the document.
fn keep_settings(app: App) {
    let settings = app.settings.get();
    browser::store("settings", &settings.to_json());
    let theme = match settings.theme {
        Theme::Auto => "auto",
        Theme::Light => "light",
        Theme::Dark => "dark",
        Theme::Contrast => "contrast",
    };
    browser::set_root("data-theme", theme);
    browser::set_root("data-pips", if settings.colored_pips { "colored" } else { "classic" });
    browser::set_root("data-alerts", if settings.alerts { "on" } else { "off" });
    browser::set_root("data-motion", if settings.still { "still" } else { "auto" });
    let Catalogue { language, words } = app.catalogue.get();
    browser::set_root("lang", language.code());
    browser::set_title(words.title);
}
