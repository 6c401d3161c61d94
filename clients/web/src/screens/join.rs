//! An invitation was opened: a name, and in.

use leptos::prelude::*;
use texas42_client::Entrance;
use texas42_protocol::{GameId, Role, SecretKey};
use texas42_vocab::Seat;

use crate::{
    app::{Screen, app},
    browser,
    drawing::{AllDrawn, Drawing, drawn},
    line,
    screens::create::{NameField, is_name_fine},
    seen::Home,
    words::fill,
};

#[component]
pub(crate) fn Join(game: GameId, key: Option<SecretKey>) -> impl IntoView {
    let app = app();
    let seat = RwSignal::new(None::<Seat>);
    let has_key = key.is_some();
    let submit = move |event: leptos::ev::SubmitEvent| {
        event.prevent_default();
        if !is_name_fine(app) {
            return;
        }
        let entropy = browser::entropy();
        let role = (!has_key).then_some(Role::Spectator);
        let entrance = Entrance::Join {
            game_id: game.clone(),
            invitation: key.clone(),
            name: app.name(),
            role,
            seat: seat.get_untracked(),
            capabilities: None,
            entropy,
        };
        app.wait_for_table();
        line::open(app, Home::Server, entrance);
    };
    view! {
        <main class="form narrow" tabindex="-1">
            <form on:submit=submit>
                <h1>{app.words().invited}</h1>
                <NameField/>
                {has_key.then(|| view! {
                    <label class="field">{app.words().seats}
                        <select on:change=move |event| seat.set(event_target_value(&event).parse().ok().and_then(Seat::new))>
                            <option value="">{app.words().any_seat}</option>
                            {(0..4_u8).map(|seat| view! {
                                <option value=seat.to_string()>{drawn(move || fill(app.words().seat, &[&(seat + 1).to_string()]))}</option>
                            }).all_drawn()}
                        </select>
                    </label>
                }).erased()}
                <div class="row">
                    <button class="primary big">{drawn(move || if has_key { app.words().sit_down } else { app.words().watch })}</button>
                    <button type="button" class="quiet" on:click=move |_| app.go(Screen::Home)>{app.words().home}</button>
                </div>
            </form>
        </main>
    }
}
