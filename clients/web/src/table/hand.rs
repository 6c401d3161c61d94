//! The person's seat: status, hand, and the ways to play a domino: tap, click, drag it up, or type its ends.

use std::{cell::Cell, time::Duration};

use leptos::{ev, prelude::*};
use texas42_display::{
    advice::Advice,
    seat::{Plate, plate_face},
    status::Status,
    tile::{domino_label, worth},
};
use texas42_protocol::ActionGroup;
use texas42_vocab::{Action, Domino, Phase, Seat};
use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlElement};

use crate::{
    analysis,
    app::{App, Dialog, app},
    browser,
    computed::Computed,
    connection,
    domino::sorted,
    erased_view::{AllDrawn, drawn, listed, live, part, when},
    table::{Tile, bidding::shortcut_keys, tray::speech_bubble, undo::UndoControl},
    table_model::TableModel,
    words::{capitalized, fill},
};

/// How far a domino must be dragged up to be played, in pixels.
const PLAY_DISTANCE: f64 = 56.0;
/// How far the pointer must move to start a drag, in pixels.
const DRAG_THRESHOLD: f64 = 8.0;

thread_local! {
    /// Where a drag started.
    static DRAG: Cell<Option<(f64, f64)>> = const { Cell::new(None) };
    /// Whether the pointer has moved far enough that releasing it is not a tap.
    static DRAGGED: Cell<bool> = const { Cell::new(false) };
}

#[component]
pub(crate) fn OwnSeat() -> impl IntoView {
    let app = app();
    let bottom = Computed::new(move || app.with_table(|table| table.bottom));
    let plate = Computed::new(move || app.with_table(|table| Plate::of(table, table.bottom, app.shown)));
    let owner = move || app.with_table(|table| table.name_or_you(table.bottom, app.words()));
    let is = move |ask: fn(&Plate) -> bool| plate.with(|plate| plate.as_ref().is_some_and(ask));
    view! {
        <section class="own first" aria-label=live(owner) class:turn=live(move || is(|plate| plate.is_turn)) class:out=live(move || is(|plate| plate.sits_out))>
            <div class="own-bar">
                {plate_face(plate, Some(speech_bubble))}
                <Status/>
                <TurnClock/>
                <HandWorth/>
                <Claim/>
                <UndoControl/>
                <Perspective/>
            </div>
            <Advice group=ActionGroup::Play on_tap=app.notice_callback()/>
            {drawn(move || bottom.get().map(|seat| view! { <HandOfSeat seat/> }))}
        </section>
    }
}

/// From this number of seconds on, the clock is highlighted.
const FEW_SECONDS: u64 = 10;

/// The time left for the decision. Screen readers can read it at any time, but it is not announced every second.
#[component]
fn TurnClock() -> impl IntoView {
    let app = app();
    let deadline = Computed::new(move || app.with_table(TableModel::deadline).flatten());
    let left = RwSignal::new(None::<u64>);
    let count = move || {
        let (before, now) = (left.get_untracked(), deadline.get_untracked().and_then(|at| app.table.seconds_left(at)));
        left.set(now);
        // Announced once.
        if before > Some(FEW_SECONDS)
            && now.is_some_and(|now| now <= FEW_SECONDS)
            && app.with_table(TableModel::is_my_turn) == Some(true)
        {
            app.announcements.log(vec![app.words().says_hurry.to_owned()]);
        }
    };
    Effect::new(move || {
        let is_running = deadline.get().is_some();
        count();
        if is_running && let Ok(timer) = set_interval_with_handle(count, Duration::from_secs(1)) {
            on_cleanup(move || timer.clear());
        }
    });
    let text = move || left.get().map(|seconds| fill(app.words().seconds_left, &[&seconds.to_string()]));
    view! {
        {when(move || left.with(Option::is_some), move || view! {
            <span class="turn-clock" class:late=live(move || left.get() <= Some(FEW_SECONDS)) role="timer" title=app.words().clock>{drawn(text)}</span>
        })}
    }
}

/// Asks an expert what the hand is worth. The answer is a notice, so nothing moves.
#[component]
fn HandWorth() -> impl IntoView {
    let app = app();
    let ask = move |_| {
        if let Some(table) = app.table.now() {
            analysis::ask_expert(app, &table);
        }
    };
    when(
        move || app.with_table(TableModel::may_ask_worth) == Some(true),
        move || view! { <button class="small quiet worth-asked" on:click=ask>{app.words().ask_worth}</button> },
    )
}

/// The buttons to claim the rest, and to take the seat back from a bot.
#[component]
fn Claim() -> impl IntoView {
    let app = app();
    let may_claim = move || {
        app.with_table(|table| {
            table.offered(ActionGroup::Play).iter().any(|valid| matches!(valid.action, Action::Claim { .. }))
        })
    };
    let take_back = move |_| {
        let Some(seat) = app.with_table(|table| table.seat).flatten() else { return };
        connection::with_client(app, |client, now| client.set_control(now, seat, texas42_vocab::Control::Human));
    };
    view! {
        {when(move || may_claim() == Some(true), move || view! {
            <button class="small quiet claim" aria-label=app.words().claim title=app.words().claim on:click=move |_| app.dialogs.open(Dialog::Claim)>{app.words().claim_yes}</button>
        })}
        {when(move || app.with_table(TableModel::waits_for_deal) == Some(true), move || view! {
            <small class="waits-for-deal">{app.words().waits_for_deal}</small>
        })}
        {when(move || app.with_table(|table| table.is_replaced() && !table.waits_for_deal()) == Some(true), move || view! {
            <button class="small" on:click=take_back>{app.words().take_back_seat}</button>
        })}
    }
}

/// Lets spectators choose their perspective.
#[component]
fn Perspective() -> impl IntoView {
    let app = app();
    let turn = move |_| {
        let Some(table) = app.table.now() else { return };
        app.table.look_from(table.bottom.left());
        app.show(std::sync::Arc::new((*table).clone()));
    };
    let text = move || {
        let words = app.words();
        app.with_table(|table| fill(words.perspective, &[&table.name(table.bottom.left(), words)]))
    };
    view! {
        {when(move || app.with_table(|table| table.seat.is_none()) == Some(true), move || view! {
            <button class="small quiet" on:click=turn>{drawn(text)}</button>
        })}
    }
}

#[component]
fn HandOfSeat(seat: Seat) -> impl IntoView {
    let app = app();
    let dominoes =
        Computed::new(move || app.with_table(|table| sorted(table.hand(seat), app.trump())).unwrap_or_default());
    let hidden = Computed::new(move || {
        app.with_table(|table| if table.hand(seat).is_empty() { table.hand_count(seat) } else { 0 }).unwrap_or(0)
    });
    // Keys include game and hand, so that a new hand is dealt in instead of being sorted into the old one.
    let held = move |domino: Domino| {
        let numbers = |table: &TableModel| (table.view.metadata.game_number, table.view.state.hand_number);
        let (game, hand) = app.table.now().as_deref().map_or((0, 0), numbers);
        part(
            u64::from(game) << 40 | u64::from(hand) << 8 | domino.index() as u64,
            move || view! { <HandTile domino seat/> },
        )
    };
    let label = move || {
        let words = app.words();
        app.with_table(|table| match table.seat == Some(seat) {
            true => words.your_hand.to_owned(),
            false => fill(words.hand_of, &[&table.name(seat, words)]),
        })
    };
    view! {
        <div class="hand" id="hand" role="group" aria-label=live(label)>
            {listed(move || dominoes.get().into_iter().map(held).collect())}
            {drawn(move || (0..hidden.get()).map(|_| view! { <span class="tile"><super::Back/></span> }).all_drawn())}
        </div>
    }
}

/// Whether a domino of the hand can be played.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Playability {
    /// It can be played now.
    Playable,
    /// It is the person's turn, but this domino is not legal.
    Blocked,
    /// It is not the person's turn.
    Resting,
}

#[component]
fn HandTile(domino: Domino, seat: Seat) -> impl IntoView {
    let app = app();
    let playability = Computed::new(move || {
        app.with_table(|table| match (table.play_offer(domino).is_some(), table.why_blocked(domino).is_some()) {
            (true, _) => Playability::Playable,
            (_, true) => Playability::Blocked,
            _ => Playability::Resting,
        })
        .unwrap_or(Playability::Resting)
    });
    let is_own = Computed::new(move || app.with_table(|table| table.seat == Some(seat)).unwrap_or(false));
    let play = Action::Play { player: seat, domino };
    let hint = Computed::new(move || app.with_table(|table| table.remark(play, app.words())).flatten());
    let is_coached = Computed::new(move || app.with_table(|table| table.may_point_at(seat)) == Some(true));
    let pointed_by = Computed::new(move || app.speech.pointing_at(domino));
    let is_best = Computed::new(move || app.with_table(|table| table.is_best(play)) == Some(true));
    let class = move || {
        let playability = match playability.get() {
            Playability::Playable => "tile playable",
            Playability::Blocked => "tile blocked",
            Playability::Resting => "tile",
        };
        let chosen = if app.table.chosen.get() == Some(play) { " chosen" } else { "" };
        let hinted = if hint.get().is_some() { " hinted" } else { "" };
        let best = if is_best.get() { " best" } else { "" };
        let sent = if app.table.is_on_its_way(play) { " sent" } else { "" };
        let pointed = if pointed_by.with(Option::is_some) { " pointed" } else { "" };
        format!("{playability}{chosen}{hinted}{best}{sent}{pointed}")
    };
    let label = move || {
        let words = app.words();
        let mut parts = domino_label(domino, words);
        if playability.get() == Playability::Blocked {
            parts.push(words.blocked.to_owned());
        }
        parts.extend(pointed_by.get().map(|name| fill(words.points_at_it, &[&name])));
        parts.extend(hint.get());
        parts.join(", ")
    };
    view! {
        <button
            class=live(class)
            data-domino=domino.to_string()
            aria-label=live(label)
            aria-disabled=live(move || (playability.get() != Playability::Playable && !is_coached.get()).to_string())
            aria-keyshortcuts=shortcut_keys(&format!("{}{}", domino.high(), domino.low()))
            title=live(move || hint.get().or_else(|| is_coached.get().then(|| app.words().point_at.to_owned())))
            disabled=live(move || !is_own.get() && !is_coached.get())
            on:click=move |event| match is_own.get_untracked() {
                true => tapped(app, domino, event.detail() > 0),
                false => app.point_at(domino),
            }
            on:keydown=move |event| walk(&event)
            on:pointerdown=move |event| if is_own.get_untracked() { drag_begins(&event) }
            on:pointermove=move |event| drag_moves(&event)
            on:pointerup=move |event| drag_ends(app, &event, domino)
            on:pointercancel=move |event| drag_stops(&event)
        >
            <Tile domino/>
            {when(move || pointed_by.with(Option::is_some), || view! { <i class="pointer" aria-hidden="true"></i> })}
            {worth(domino)}
        </button>
    }
}

/// A tap plays a domino or says why it cannot be played. `by_hand` is false for a click triggered by a key.
fn tapped(app: App, domino: Domino, by_hand: bool) {
    if DRAGGED.replace(false) {
        return;
    }
    let words = app.words();
    let Some(table) = app.table.now() else { return };
    if let Some(offer) = table.play_offer(domino) {
        if !app.asks_again(offer.action) {
            let_go(by_hand);
            app.act(offer.action);
        }
    } else if let Some(reason) = table.why_blocked(domino) {
        app.show_notice(capitalized(&words.refusal(reason)));
    } else if table.phase() == Phase::Playing && !app.pick_up_and_lead(&table, domino) {
        app.show_notice(words.not_your_turn);
    }
}

/// Prepares the focus before the played domino disappears. Removing a focused element forces the browser to lay out the
/// whole page, so a domino played by pointer loses the focus first. For keyboard players, the next domino, or the one
/// before the last, gets the focus.
fn let_go(by_hand: bool) {
    let Some(tile) = browser::focused() else { return };
    if by_hand {
        tile.blur().ok();
    } else {
        focus(tile.next_element_sibling().or_else(|| tile.previous_element_sibling()));
    }
}

fn focus(element: Option<Element>) {
    if let Some(element) = element.and_then(|element| element.dyn_into::<HtmlElement>().ok()) {
        element.focus().ok();
    }
}

/// Moves the focus within the hand with the arrow keys.
fn walk(event: &ev::KeyboardEvent) {
    let Some(tile) = event.current_target().and_then(|target| target.dyn_into::<Element>().ok()) else { return };
    let next = match event.key().as_str() {
        "ArrowRight" => tile.next_element_sibling(),
        "ArrowLeft" => tile.previous_element_sibling(),
        "Home" => tile.parent_element().and_then(|hand| hand.first_element_child()),
        "End" => tile.parent_element().and_then(|hand| hand.last_element_child()),
        _ => return,
    };
    event.prevent_default();
    focus(next);
}

fn moved(event: &ev::PointerEvent) -> Option<(f64, f64)> {
    let (x, y) = DRAG.get()?;
    Some((f64::from(event.client_x()) - x, f64::from(event.client_y()) - y))
}

fn tile_of(event: &ev::PointerEvent) -> Option<HtmlElement> {
    event.current_target()?.dyn_into().ok()
}

fn drag_begins(event: &ev::PointerEvent) {
    DRAGGED.set(false);
    if event.button() == 0 {
        DRAG.set(Some((f64::from(event.client_x()), f64::from(event.client_y()))));
    }
}

fn drag_moves(event: &ev::PointerEvent) {
    let (Some((x, y)), Some(tile)) = (moved(event), tile_of(event)) else { return };
    if !DRAGGED.get() && x.hypot(y) > DRAG_THRESHOLD {
        DRAGGED.set(true);
        tile.set_pointer_capture(event.pointer_id()).ok();
        tile.class_list().add_1("dragged").ok();
    }
    if DRAGGED.get() {
        tile.style().set_property("translate", &format!("{}px {}px", x as i32, y as i32)).ok();
        tile.class_list().toggle_with_force("far", -y > PLAY_DISTANCE).ok();
    }
}

fn drag_ends(app: App, event: &ev::PointerEvent, domino: Domino) {
    let is_far = moved(event).is_some_and(|(_, y)| -y > PLAY_DISTANCE);
    let was_dragged = DRAGGED.get();
    drag_stops(event);
    if was_dragged && is_far {
        DRAGGED.set(false);
        let offer = app.table.now().and_then(|table| table.play_offer(domino).map(|offer| offer.action));
        match offer {
            Some(action) => app.act(action),
            None => tapped(app, domino, true),
        }
        // The click that follows a drag is not another tap.
        DRAGGED.set(true);
    }
}

fn drag_stops(event: &ev::PointerEvent) {
    DRAG.set(None);
    if let Some(tile) = tile_of(event) {
        tile.style().remove_property("translate").ok();
        tile.class_list().remove_2("dragged", "far").ok();
    }
}
