//! Bidding and naming trumps: the valid actions and what each means.

use leptos::prelude::*;
use texas42_display::advice::{Advice, AuctionHeading, TrumpHeading};
use texas42_protocol::{ActionGroup, ValidAction};
use texas42_vocab::{Action, BidKind, Hand, Seat, Trump};

use crate::{
    app::{App, app},
    computed::Computed,
    domino::{end, face},
    erased_view::{AllDrawn, ErasedView, keyed, live, number_of},
    words::{capitalized, fill},
};

/// The auction: the person's choices, or whose turn it is.
#[component]
pub(crate) fn Auction() -> impl IntoView {
    card(ActionGroup::Bid, "panel auction", |offers| {
        view! {
            <AuctionHeading/>
            <Advice group=ActionGroup::Bid on_tap=app().notice_callback()/>
            {(!offers.is_empty()).then(|| view! { <Choices offers/> }).erased()}
        }
        .into_any()
    })
}

/// A card with the valid actions of a group, or with whose turn it is. Each decision gets a new card.
fn card(group: ActionGroup, class: &'static str, draw: fn(Vec<ValidAction>) -> AnyView) -> AnyView {
    let app = app();
    let offers = Computed::new(move || app.with_table(|table| table.offered(group)).unwrap_or_default());
    keyed(
        move || offers.with(|offers| decision(app, offers)),
        move || {
            let offers = offers.get_untracked();
            view! { <div class=class class:calm=offers.is_empty()>{draw(offers.clone())}</div> }
        },
    )
}

/// A key for the pending decision.
fn decision(app: App, offers: &[ValidAction]) -> u64 {
    let seat = app.with_table(|table| table.view.derived.to_act).flatten().map_or(4, Seat::index);
    offers.iter().fold(seat as u64, |number, offer| number.wrapping_mul(31).wrapping_add(number_of(&offer.shortcut)))
}

#[component]
fn Choices(offers: Vec<ValidAction>) -> impl IntoView {
    let app = app();
    let words = app.words();
    let is_shaker = app.with_table(|table| table.seat == table.view.state.shaker).unwrap_or(false);
    let of = |kind: fn(&Action) -> bool| offers.iter().filter(|valid| kind(&valid.action)).cloned().collect::<Vec<_>>();
    let points = of(|action| matches!(action, Action::Bid { bid, .. } if bid.kind == BidKind::Points));
    let marks = of(|action| matches!(action, Action::Bid { bid, .. } if bid.kind != BidKind::Points));
    let pass = of(|action| matches!(action, Action::Pass { .. }));
    let must_bid = pass.is_empty();
    view! {
        {must_bid.then(|| view! { <p class="hint">{if is_shaker { words.must_bid } else { words.first_must_bid }}</p> }).erased()}
        <div class="choices">
            <div class="offers">
            {(!points.is_empty()).then(|| view! {
                <div class="points" role="group" aria-label=words.points>
                    {points.into_iter().map(|offer| view! { <Choice offer class="point" more=None/> }).all_drawn()}
                </div>
                <p class="means">{words.points_bid_means}</p>
            }).erased()}
            <div class="marks" role="group" aria-label=words.marks_heading>
                {marks.into_iter().map(|offer| {
                    let more = Some(means(&offer, words));
                    view! { <Choice offer class="mark" more/> }
                }).all_drawn()}
            </div>
            </div>
            {pass.into_iter().map(|offer| view! { <Choice offer class="pass" more=None/> }).all_drawn()}
        </div>
    }
}

/// What a bid of marks commits to.
fn means(offer: &ValidAction, words: &crate::words::Words) -> String {
    match offer.action {
        Action::Bid { bid, .. } if matches!(bid.kind, BidKind::Plunge | BidKind::Splash) => {
            words.partner_names.to_owned()
        }
        _ => words.all_tricks.to_owned(),
    }
}

#[component]
fn Choice(offer: ValidAction, class: &'static str, more: Option<String>) -> impl IntoView {
    let app = app();
    let words = app.words();
    let action = offer.action;
    let text = words.action_text(action);
    view! {
        <button class=class_of(app, action, class) title=remark(app, action) on:click=move |_| app.choose(action) data-shortcut=offer.shortcut.to_string() aria-keyshortcuts=shortcut_keys(&offer.shortcut)>
            <span>{text}</span>
            {more.map(|more| view! { <small>{more}</small> }).erased()}
        </button>
    }
}

/// The class of a choice. Whether it is the expert's becomes known a while after it is offered, and it may wait for a second tap.
fn class_of(app: App, action: Action, class: &'static str) -> Box<dyn FnMut() -> String + Send> {
    let is_best = move || app.with_table(|table| table.is_best(action)) == Some(true);
    let is_chosen = move || app.table.chosen.get() == Some(action);
    let is_sent = move || app.table.is_on_its_way(action);
    let signs = move || {
        [(is_best(), " best"), (is_chosen(), " chosen"), (is_sent(), " sent")]
            .map(|(is_on, sign)| if is_on { sign } else { "" })
    };
    live(move || [class].into_iter().chain(signs()).collect())
}

/// The hint for a choice.
fn remark(app: App, action: Action) -> Box<dyn FnMut() -> Option<String> + Send> {
    live(move || app.with_table(|table| table.remark(action, app.words())).flatten())
}

/// The keys of a shortcut, separated for assistive technology.
pub(crate) fn shortcut_keys(shortcut: &str) -> String {
    if shortcut.len() == 2 {
        shortcut.chars().map(String::from).collect::<Vec<_>>().join(" ")
    } else {
        shortcut.to_owned()
    }
}

/// Naming trumps.
#[component]
pub(crate) fn NameTrumps() -> impl IntoView {
    card(ActionGroup::Trump, "panel naming", |offers| {
        view! {
            <TrumpHeading/>
            <Advice group=ActionGroup::Trump on_tap=app().notice_callback()/>
            <div class="suits">{offers.into_iter().map(|offer| view! { <SuitChoice offer/> }).all_drawn()}</div>
        }
        .into_any()
    })
}

#[component]
fn SuitChoice(offer: ValidAction) -> impl IntoView {
    let app = app();
    let words = app.words();
    let action = offer.action;
    let Action::SelectTrump { trump, .. } = action else { return ().into_any() };
    let drawing = match (trump.pip(), trump) {
        (Some(pip), _) => Some(view! { <svg class="pip-tile" viewBox="0 0 100 100" aria-hidden="true" inner_html=end(pip)></svg> }.into_any()),
        (None, Trump::Doubles) => {
            texas42_vocab::Domino::new(5, 5).map(|double| view! { <svg class="pip-tile double" viewBox="0 0 100 200" aria-hidden="true" inner_html=face(double)></svg> }.into_any())
        }
        _ => None,
    };
    // Doubles are shown as a suit; trumps without a picture get a sentence.
    let is_wide = drawing.is_none();
    let more = words.trump_description(trump).filter(|_| is_wide).map_or_else(|| in_hand(app, trump), str::to_owned);
    view! {
        <button class=class_of(app, action, if is_wide { "suit wide" } else { "suit" }) on:click=move |_| app.act(action) data-shortcut=offer.shortcut.to_string() aria-keyshortcuts=shortcut_keys(&offer.shortcut) title=remark(app, action)>
            {drawing}
            <span class="name">{capitalized(words.trump_text(trump))}</span>
            <small>{more}</small>
        </button>
    }
    .into_any()
}

/// How many dominoes of the person's hand have the suit, or are doubles.
fn in_hand(app: App, trump: Trump) -> String {
    let held = app.with_table(|table| {
        let hand = table.seat.map_or(Hand::EMPTY, |seat| table.hand(seat));
        hand.into_iter().filter(|domino| trump.pip().map_or(domino.is_double(), |pip| domino.has(pip))).count()
    });
    fill(app.words().in_hand, &[&held.unwrap_or(0).to_string()])
}
