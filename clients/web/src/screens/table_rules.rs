//! The dialog that changes the rules of a table, before its first game and between games.

use leptos::prelude::*;
use texas42_house_rules::Setting;

use crate::{
    app::app,
    erased_view::AllDrawn,
    screens::create::{RulesFields, line},
};

#[component]
pub(super) fn TableRules() -> impl IntoView {
    let app = app();
    let form = app.with_table(|table| app.table_form.of_table(table)).flatten()?;
    let submit = move |event: leptos::ev::SubmitEvent| {
        event.prevent_default();
        app.dialogs.close();
        app.change_rules(&form.settings());
    };
    let is_seat = |setting: &Setting| matches!(setting, Setting::Player(_) | Setting::Bot(_));
    Some(view! {
        <form class="table-rules" on:submit=submit>
            <RulesFields form/>
            <fieldset>
                <legend>{app.words().seats}</legend>
                <div class="switches">{Setting::all().filter(is_seat).map(|setting| line(app, form, setting)).all_drawn()}</div>
            </fieldset>
            <button class="primary" data-do="use-rules">{app.words().use_rules}</button>
        </form>
    })
}
