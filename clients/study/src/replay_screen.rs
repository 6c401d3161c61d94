//! The screen that steps through a finished game. It draws the table like a game in progress, for nobody in particular.

use leptos::{ev, prelude::*};
use texas42_display::{
    advice::{Advice, AuctionHeading, TrumpHeading},
    browser,
    computed::Computed,
    domino::sorted,
    ending::{ending_title, final_score, star_result},
    erased_view::{AllDrawn, drawn, keyed, listed, live, number_of, part, when},
    goal::Goal,
    result::{HandFacts, result_title},
    score::{Contract, Score},
    seat::{Plate, SeatAt, plate_face},
    shown,
    status::Status,
    table_model::TableModel,
    tile::{Icon, Tile, domino_label, worth},
    trick::trick,
    words::fill,
};
use texas42_protocol::ActionGroup;
use texas42_vocab::{Action, Domino, Phase, Seat};

use crate::{
    page::page,
    replay::{Jump, fault_text, seat_name},
    replay_state::ReplayState,
    review_screen::ReviewSection,
};

/// The replay of the game of a code.
#[component]
pub(crate) fn Replay(code: String) -> impl IntoView {
    let replay = ReplayState::open(code);
    provide_context(replay);
    let keys = window_event_listener(ev::keydown, move |event| step_by_key(replay, &event));
    on_cleanup(move || keys.remove());
    let words = shown().words();
    let state = Computed::new(move || (replay.fault(), replay.place().is_some()));
    drawn(move || match state.get() {
        (Some(fault), _) => notice(fault_text(fault, words)).into_any(),
        (None, false) => notice(words.loading).into_any(),
        (None, true) => view! { <Replayed/> }.into_any(),
    })
}

/// Steps through the game, unless the focused element or a dialog uses the key.
fn step_by_key(replay: ReplayState, event: &ev::KeyboardEvent) {
    let is_taken = event.ctrl_key() || event.meta_key() || event.alt_key();
    if is_taken || browser::is_writing() || browser::is_dialog_open() {
        return;
    }
    if let Some(jump) = Jump::of_key(&event.key()) {
        event.prevent_default();
        replay.jump(jump);
    }
}

pub(crate) fn replay() -> ReplayState {
    expect_context::<ReplayState>()
}

/// A sentence instead of a game, and the way out.
fn notice(text: &'static str) -> impl IntoView {
    let (page, words) = (page(), shown().words());
    view! {
        <main class="waiting" tabindex="-1">
            <p role="status">{text}</p>
            <button class="quiet" on:click=move |_| page.go_home()>{words.home}</button>
        </main>
    }
}

#[component]
fn Replayed() -> impl IntoView {
    let (page, shown) = (page(), shown());
    let words = shown.words();
    let phase = Computed::new(move || shown.with(|table| table.phase().name()));
    view! {
        <div class="table-page replaying" data-phase=move || phase.get()>
            <header class="bar">
                <button class="icon" on:click=move |_| page.go_home() aria-label=words.home title=words.home>
                    <Icon path="M4 11l8-7 8 7M6 10v10h12V10"/>
                </button>
                <h1>{words.replay}</h1>
                <Score/>
            </header>
            <Goal/>
            <main class="felt" id="table" tabindex="-1">
                <div class="rail"></div>
                {[1, 2, 3].into_iter().map(|place| view! { <SeatAt place is_face_down=false/> }).all_drawn()}
                <Center/>
            </main>
            <section class="own first" aria-label=live(move || shown.with(|table| table.name_or_you(table.bottom, words)))>
                <div class="own-bar"><Below/><Status/></div>
                {hand()}
            </section>
            <Controls/>
        </div>
        <ReviewSection/>
    }
}

/// The middle of the table: the trick during play, otherwise the pending decision or the result.
#[component]
fn Center() -> impl IntoView {
    let shown = shown();
    let phase = Computed::new(move || shown.with(TableModel::phase));
    keyed(
        move || phase.get().map_or(0, |phase| number_of(phase.name())),
        move || {
            let content = match phase.get_untracked() {
                Some(Phase::Bidding) => decision(ActionGroup::Bid),
                Some(Phase::TrumpSelection) => decision(ActionGroup::Trump),
                Some(Phase::Playing) => view! { <Contract/> {trick(().into_any(), ().into_any())} }.into_any(),
                Some(Phase::Scoring) => view! { <HandResult/> }.into_any(),
                Some(Phase::GameEnd | Phase::OneHandComplete) => view! { <GameResult/> }.into_any(),
                Some(Phase::Setup) | None => ().into_any(),
            };
            view! { <div class="center">{content}</div> }
        },
    )
}

/// A decision: whose turn it is, and the hint for it, if the table gives hints.
fn decision(group: ActionGroup) -> AnyView {
    let (page, shown) = (page(), shown());
    let on_tap = Callback::new(move |text: String| page.show_notice(&text));
    let to_act = Computed::new(move || shown.with(|table| table.view.derived.to_act).flatten());
    keyed(
        move || to_act.get().map_or(4, Seat::index) as u64,
        move || match group {
            ActionGroup::Bid => {
                view! { <div class="panel auction calm"><AuctionHeading/><Advice group on_tap/></div> }.into_any()
            }
            _ => view! { <div class="panel naming calm"><TrumpHeading/><Advice group on_tap/></div> }.into_any(),
        },
    )
}

/// The result of a hand.
#[component]
fn HandResult() -> impl IntoView {
    let shown = shown();
    view! {
        <div class="panel result" tabindex="0" role="region" aria-label=shown.words().result>
            <h2>{drawn(move || shown.with(|table| result_title(table, shown.words())))}</h2>
            <HandFacts/>
        </div>
    }
}

/// The result of the game.
#[component]
fn GameResult() -> impl IntoView {
    let shown = shown();
    let words = shown.words();
    let is_one_hand = move || shown.with(|table| table.phase() == Phase::OneHandComplete) == Some(true);
    let result = move || shown.with(|table| table.view.metadata.result.clone()).flatten();
    let stars = move || result().and_then(|result| result.stars);
    let shared = move || {
        let result = result()?;
        let (challenge, stars) = result.challenge.zip(result.stars)?;
        Some(view! { <p class="share-text">{words.share_line(challenge.date, challenge.difficulty, stars)}</p> })
    };
    view! {
        <div class="panel ending" tabindex="0" role="region" aria-label=words.result>
            <h2>{drawn(move || shown.with(|table| ending_title(table, words)))}</h2>
            {drawn(move || stars().map(|stars| star_result(shown, stars)))}
            {drawn(shared)}
            {when(is_one_hand, || view! { <HandFacts/> })}
            {when(move || !is_one_hand(), move || view! {
                <p class="final">{drawn(move || shown.with(|table| final_score(table, words)))}</p>
            })}
        </div>
    }
}

/// The name of the seat at the bottom.
#[component]
fn Below() -> impl IntoView {
    let shown = shown();
    let plate = Computed::new(move || shown.with(|table| Plate::of(table, table.bottom, shown)));
    plate_face(plate, None)
}

/// The hand at the bottom. A hand of another seat is a new element.
fn hand() -> AnyView {
    let shown = shown();
    let bottom = Computed::new(move || shown.with(|table| table.bottom));
    keyed(
        move || bottom.get().map_or(4, Seat::index) as u64,
        move || bottom.get_untracked().map(|seat| view! { <HandOfSeat seat/> }),
    )
}

#[component]
fn HandOfSeat(seat: Seat) -> impl IntoView {
    let shown = shown();
    let dominoes =
        Computed::new(move || shown.with(|table| sorted(table.hand(seat), shown.trump())).unwrap_or_default());
    // Keys include the hand, so that a new hand is dealt in instead of being sorted into the old one.
    let held = move |domino: Domino| {
        let hand = shown.now().map_or(0, |table| table.view.state.hand_number);
        part(u64::from(hand) << 8 | domino.index() as u64, move || view! { <HandTile domino seat/> })
    };
    let label = move || shown.with(|table| fill(shown.words().hand_of, &[&table.name(seat, shown.words())]));
    view! {
        <div class="hand" id="hand" role="group" aria-label=live(label)>
            {listed(move || dominoes.get().into_iter().map(held).collect())}
        </div>
    }
}

/// A domino of the hand, with the hint for it, if the table gives hints.
#[component]
fn HandTile(domino: Domino, seat: Seat) -> impl IntoView {
    let shown = shown();
    let words = shown.words();
    let play = Action::Play { player: seat, domino };
    let hint = Computed::new(move || shown.with(|table| table.remark(play, words)).flatten());
    let label = move || domino_label(domino, words).into_iter().chain(hint.get()).collect::<Vec<_>>().join(", ");
    view! {
        <button
            class=live(move || if hint.with(Option::is_some) { "tile hinted" } else { "tile" })
            data-domino=domino.to_string()
            aria-label=live(label)
            aria-disabled="true"
            title=live(move || hint.get())
            disabled=true
        >
            <Tile domino/>
            {worth(domino)}
        </button>
    }
}

/// The buttons that lead to other steps, and the choice of the seat and of the open hands.
#[component]
fn Controls() -> impl IntoView {
    let replay = replay();
    let words = shown().words();
    let at_start = Computed::new(move || replay.place().is_none_or(|(step, _)| step == 0));
    let at_end = Computed::new(move || replay.place().is_none_or(|(step, steps)| step == steps));
    let position =
        move || replay.place().map(|(step, steps)| fill(words.replay_at, &[&step.to_string(), &steps.to_string()]));
    view! {
        <section class="steps" aria-label=words.replay_controls>
            {button(Jump::First, words.replay_first, "M6 5v14M19 5l-10 7 10 7z", at_start)}
            {button(Jump::Back, words.replay_back, "M17 5L7 12l10 7z", at_start)}
            <output>{drawn(position)}</output>
            {button(Jump::Next, words.replay_next, "M7 5l10 7-10 7z", at_end)}
            {button(Jump::Last, words.replay_last, "M18 5v14M5 5l10 7-10 7z", at_end)}
            <Viewpoint/>
            // The review is below the table, where nobody would look for it.
            <button
                class="icon" data-do="to-review" aria-label=words.review title=words.review
                on:click=|_| browser::focus("#review-title")
            ><Icon path="M4 4v16h16M8 15l3-4 3 2 5-7"/></button>
        </section>
    }
}

/// A button that stays focusable where it leads nowhere, so that the focus is not lost at the ends.
fn button(jump: Jump, name: &'static str, path: &'static str, is_off: Computed<bool>) -> AnyView {
    let replay = replay();
    let keys = match jump {
        Jump::First => "Home",
        Jump::Back => "ArrowLeft",
        Jump::Next => "ArrowRight",
        Jump::Last => "End",
    };
    view! {
        <button
            class="icon" data-jump=keys aria-keyshortcuts=keys aria-label=name title=name
            aria-disabled=live(move || is_off.get().to_string())
            on:click=move |_| replay.jump(jump)
        ><Icon path/></button>
    }
    .into_any()
}

#[component]
fn Viewpoint() -> impl IntoView {
    let replay = replay();
    let words = shown().words();
    let choose = move |event| {
        let chosen = event_target_value(&event);
        if let Some(seat) = Seat::ALL.into_iter().find(|seat| seat.index().to_string() == chosen) {
            replay.look_from(seat);
        }
    };
    let option = move |seat: Seat| {
        let is_chosen = move || replay.seat() == seat;
        view! { <option value=seat.index().to_string() prop:selected=is_chosen>{seat_name(seat, words)}</option> }
    };
    view! {
        <select aria-label=words.replay_from on:change=choose>{Seat::ALL.into_iter().map(option).all_drawn()}</select>
        <label class="open-hands">
            <input type="checkbox" prop:checked=move || replay.is_open()
                on:change=move |event| replay.open_hands(event_target_checked(&event))/>
            {words.replay_open}
        </label>
    }
}
