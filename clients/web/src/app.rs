//! The page as a whole: its state, split into small handles, and the root component.

mod actions;
mod announcements;
mod dialog_state;
mod frame_log;
mod invitations;
mod join_form;
mod keyboard;
mod motion;
mod navigation;
mod table_state;
mod updates;
mod window_state;

pub(crate) use dialog_state::Dialog;
pub(crate) use navigation::{Screen, keep_focus};

use leptos::{ev, prelude::*};
use texas42_protocol::{Name, WireError};
use texas42_vocab::Trump;

use crate::{
    app::{
        announcements::{Announcements, LiveRegions},
        dialog_state::DialogState,
        frame_log::FrameLog,
        invitations::Invitations,
        join_form::JoinForm,
        motion::Motion,
        navigation::Navigation,
        table_state::TableState,
        window_state::{Update, WindowState},
    },
    browser,
    connection::{self, ConnectionState},
    erased_view::drawn,
    screens::{Create, Dialogs, Join, NewTableForm, Start},
    settings::{Settings, Theme},
    table::Table,
    table_model::TableModel,
    words::{Words, fill},
};

/// The state of the page. A cheap handle that is copied freely.
#[derive(Clone, Copy)]
pub(crate) struct App {
    pub(crate) settings: RwSignal<Settings>,
    pub(crate) navigation: Navigation,
    /// The form for a new table.
    pub(crate) plan: NewTableForm,
    pub(crate) join_form: JoinForm,
    pub(crate) connection: RwSignal<ConnectionState>,
    pub(crate) table: TableState,
    pub(crate) motion: Motion,
    pub(crate) announcements: Announcements,
    pub(crate) dialogs: DialogState,
    pub(crate) invitations: Invitations,
    pub(crate) frame_log: FrameLog,
    pub(crate) window: WindowState,
}

impl App {
    fn new() -> Self {
        let settings = browser::kept("settings").map(|text| Settings::from_json(&text)).unwrap_or_default();
        Self {
            settings: RwSignal::new(settings),
            navigation: Navigation::new(),
            plan: NewTableForm::new(),
            join_form: JoinForm::new(),
            connection: RwSignal::new(ConnectionState::None),
            table: TableState::new(),
            motion: Motion::new(),
            announcements: Announcements::new(),
            dialogs: DialogState::new(),
            invitations: Invitations::new(),
            frame_log: FrameLog::new(),
            window: WindowState::new(),
        }
    }

    /// The catalogue of the current language. The whole page is redrawn when the language changes, so this does not
    /// subscribe.
    pub(crate) fn words(self) -> &'static Words {
        browser::with_language(|browser| self.settings.with_untracked(|settings| settings.language(browser))).words()
    }

    /// Reads something of the current table; `None` if there is no table. Subscribes to the table.
    pub(crate) fn with_table<T>(self, ask: impl FnOnce(&TableModel) -> T) -> Option<T> {
        self.table.get().as_deref().map(ask)
    }

    /// The trumps of the current hand.
    pub(crate) fn trump(self) -> Option<Trump> {
        self.with_table(TableModel::trump).flatten()
    }

    /// Shows a notice for a few seconds.
    pub(crate) fn tell(self, text: impl Into<String>) {
        self.announcements.tell(text.into());
    }

    /// Shows why a request was refused.
    pub(crate) fn refused(self, error: &WireError) {
        self.tell(self.refusal_text(error));
    }

    /// The sentence for a refused request.
    pub(crate) fn refusal_text(self, error: &WireError) -> String {
        let words = self.words();
        fill(words.refused, &[&error.said(words)])
    }

    /// The person's name, or the word for a guest.
    pub(crate) fn name(self) -> Name {
        self.settings
            .with_untracked(Settings::called)
            .or_else(|| Name::try_from(self.words().guest).ok())
            .expect("the word for a guest is a valid name in every language")
    }

    /// Clears everything about the shown table.
    pub(crate) fn forget_table(self) {
        self.table.forget();
        self.motion.forget();
        self.invitations.forget();
        self.announcements.forget();
    }
}

/// The page's state, from anywhere in the component tree.
pub(crate) fn app() -> App {
    expect_context::<App>()
}

/// The root component.
#[component]
pub(crate) fn Page() -> impl IntoView {
    let app = App::new();
    provide_context(app);
    Effect::new(move || keep_settings(app));
    listen(app);
    navigation::follow_address(app);
    if let Some(hello) = document().query_selector("#hello").ok().flatten() {
        hello.remove();
    }
    let language = Memo::new(move |_| app.settings.with(|settings| settings.language.clone()));
    view! {
        {drawn(move || match (language.get(), app.navigation.screen.get()).1 {
            Screen::Home => Start().into_any(),
            Screen::Create => Create().into_any(),
            Screen::Join(link) => view! { <Join link/> }.into_any(),
            Screen::Table => Table().into_any(),
        })}
        <Dialogs/>
        <LiveRegions/>
        <Update/>
    }
}

/// Registers the window's event listeners.
fn listen(app: App) {
    window_event_listener(ev::keydown, move |event| keyboard::handle_key(app, &event));
    window_event_listener(ev::hashchange, move |_| navigation::follow_address(app));
    let elsewhere = ev::Custom::<ev::Event>::new("texas42-elsewhere");
    window_event_listener(elsewhere, move |_| connection::yield_game(app));
    app.window.listen();
}

/// Stores the settings and applies them to the document.
fn keep_settings(app: App) {
    let settings = app.settings.get();
    browser::keep("settings", &settings.to_json());
    let theme = match settings.theme {
        Theme::Auto => "auto",
        Theme::Light => "light",
        Theme::Dark => "dark",
        Theme::Contrast => "contrast",
    };
    browser::set_root("data-theme", theme);
    browser::set_root("data-pips", if settings.coloured_pips { "coloured" } else { "classic" });
    browser::set_root("data-motion", if settings.still { "still" } else { "auto" });
    browser::set_root("lang", app.words().code);
    browser::set_title(app.words().title);
}
