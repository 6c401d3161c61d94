//! What people say: the button and the tray with the phrases, and the bubbles.

use leptos::prelude::*;
use texas42_vocab::{Domino, Seat};

use crate::{
    app::{App, app},
    computed::Computed,
    connection,
    erased_view::{AllDrawn, ErasedView, drawn, keyed, live, when},
    table::header::Icon,
    table_model::TableModel,
    words::{Phrase, capitalized, fill},
};

/// The button in the header. Somebody who sees everything has other buttons there, and finds it in the menu on a phone.
#[component]
pub(crate) fn SayButton() -> impl IntoView {
    let app = app();
    let name = app.words().say;
    let has_others = Computed::new(move || app.with_table(TableModel::sees_everything) == Some(true));
    view! {
        <button class=live(move || if has_others.get() { "icon extra" } else { "icon" }) data-do="say"
            aria-expanded=live(move || app.speech.is_tray_open().to_string()) aria-controls="tray"
            aria-label=name title=name on:click=move |_| app.speech.toggle_tray()>
            <Icon path="M5 5h14v10h-8l-4 4v-4H5z"/>
        </button>
    }
}

/// The phrases that the person can say, below the header. It leaves the hand free, and the table can be used meanwhile.
#[component]
pub(crate) fn Tray() -> impl IntoView {
    let app = app();
    keep_wish_about_coach(app);
    let is_shown = move || app.speech.is_tray_open() && app.with_table(TableModel::may_talk) == Some(true);
    // Redrawn only when one of these changes, so that the focus stays where it is.
    let who = Computed::new(move || who_hears(app));
    let student = Computed::new(move || app.with_table(|table| student_of(table, app)).flatten());
    let is_coach = Computed::new(move || student.with(Option::is_some));
    let pointed = Computed::new(move || app.speech.pointed());
    when(is_shown, move || {
        view! {
            <dialog id="tray" class="tray" open=true aria-label=app.words().say aria-describedby="who-hears">
                <p class="sub" id="who-hears">{drawn(move || who.get())}</p>
                {drawn(move || student.get().map(|student| pointing(app, &student, pointed.get())))}
                <div class="sayings">{drawn(move || Phrase::offered(is_coach.get()).map(|phrase| saying(app, phrase, None)).all_drawn())}</div>
            </dialog>
        }
    })
}

/// The name of the player whom the person coaches.
fn student_of(table: &TableModel, app: App) -> Option<String> {
    table.coached().map(|seat| table.name(seat, app.words()))
}

/// Tells the table whether the person's coach may talk, whenever it does not know.
fn keep_wish_about_coach(app: App) {
    let request = Computed::new(move || {
        let is_allowed = app.settings.with(|settings| settings.coach);
        let request = app.with_table(|table| Some((table.version, table.coach_request(is_allowed)?)));
        request.flatten()
    });
    Effect::new(move || {
        let Some((_, is_allowed)) = request.get() else { return };
        connection::with_client(app, |client, now| {
            if !client.is_waiting() {
                client.allow_coach(now, is_allowed);
            }
        });
    });
}

/// Who hears the person.
fn who_hears(app: App) -> String {
    let words = app.words();
    let of_coach = |table: &TableModel| {
        let seat = table.coached()?;
        let text = if table.is_coach_off(seat) { words.coach_is_off } else { words.say_to_student };
        Some(fill(text, &[&table.name(seat, words)]))
    };
    let of_others = |table: &TableModel| match table.must_be_silent() {
        true => capitalized(words.problem_sees_hands_silent) + ".",
        false => words.say_more.to_owned(),
    };
    app.with_table(|table| of_coach(table).unwrap_or_else(|| of_others(table))).unwrap_or_default()
}

/// A button that says a phrase.
fn saying(app: App, phrase: Phrase, domino: Option<Domino>) -> AnyView {
    let text = app.words().phrase_label(phrase);
    let say = move |_| {
        app.say(phrase, domino);
        app.speech.close_tray();
    };
    view! { <button data-phrase=phrase.name() on:click=say>{text}</button> }.erased()
}

/// What a coach can say about the domino that was tapped last.
fn pointing(app: App, student: &str, pointed: Option<Domino>) -> AnyView {
    let words = app.words();
    let Some(domino) = pointed else {
        return view! { <p class="sub">{fill(words.point_more, &[student])}</p> }.erased();
    };
    let about = Phrase::pointing().filter(|phrase| *phrase != Phrase::Look);
    view! {
        <h2>{words.domino_text(domino)}</h2>
        <div class="sayings">{about.map(|phrase| saying(app, phrase, Some(domino))).all_drawn()}</div>
    }
    .erased()
}

/// What was said last at a seat, or by a visitor. Screen readers hear it from the log.
#[component]
pub(crate) fn SpeechBubble(seat: Computed<Option<Seat>>) -> impl IntoView {
    let app = app();
    let bubble = Computed::new(move || app.speech.bubble(seat.get()));
    keyed(
        move || bubble.with(|bubble| bubble.as_ref().map_or(0, |bubble| bubble.number)),
        move || {
            bubble.get_untracked().map(|bubble| view! { <span class="bubble" aria-hidden="true">{bubble.text}</span> })
        },
    )
}

/// A speech bubble at the plate of a seat.
pub(super) fn speech_bubble(seat: Computed<Option<Seat>>) -> AnyView {
    view! { <SpeechBubble seat/> }.into_any()
}
