//! A player at the table: name, team, bid, turn, shaker, and the number of dominoes left.

use leptos::prelude::*;
use texas42_vocab::{Domino, Phase, Seat};

use crate::{
    computed::Computed,
    domino::sorted,
    erased_view::{Part, drawn, keyed, listed, live, number_of, part, when},
    shown_table::{ShownTable, shown},
    table_model::TableModel,
    tile::{Back, Tile},
    words::{Words, fill},
};

/// What is shown of a seat; it is redrawn only when this changes.
#[derive(Clone, Debug, PartialEq)]
pub struct Plate {
    seat: Seat,
    name: String,
    /// "computer", with its level if it is known.
    bot: Option<String>,
    is_away: bool,
    is_ready: bool,
    is_first_team: bool,
    is_partner: bool,
    /// Whether the table waits for this seat.
    pub is_turn: bool,
    is_shaker: bool,
    is_bidder: bool,
    /// Whether the seat does not play in this hand.
    pub sits_out: bool,
    call: Option<String>,
    is_pass: bool,
    has_trick: bool,
    /// What a bot intends, for sessions that may see it.
    intent: Option<String>,
}

impl Plate {
    /// What is shown of a seat of a table.
    pub fn of(table: &TableModel, seat: Seat, shown: ShownTable) -> Self {
        let words = shown.words();
        let state = &table.view.state;
        let call = table.call(seat);
        let contract = state.contract;
        let is_bidder =
            contract.map_or(table.standing().map(|(seat, _)| seat), |contract| Some(contract.bidder)) == Some(seat);
        Self {
            seat,
            name: table.name_or_you(seat, words),
            bot: table.bot_text(seat, shown.bot_level(), words),
            is_away: table.is_away(seat),
            is_ready: table.view.metadata.ready.contains(&seat),
            is_first_team: seat.team() == table.first_team(),
            is_partner: table.seat.map(Seat::partner) == Some(seat),
            is_turn: table.view.derived.to_act == Some(seat),
            is_shaker: state.shaker == Some(seat),
            is_bidder,
            sits_out: contract.and_then(|contract| contract.sits_out) == Some(seat),
            call: call.map(|call| match call.bid {
                Some(bid) => words.bid_text(bid),
                None => words.pass.to_owned(),
            }),
            is_pass: call.is_some_and(|call| call.bid.is_none()),
            has_trick: table.view.derived.trick_winner == Some(seat),
            intent: table.intent(seat, words),
        }
    }

    /// The CSS classes.
    fn class(&self, place: usize) -> String {
        let side = if self.is_first_team { "first" } else { "second" };
        let signs =
            [(self.is_turn, "turn"), (self.sits_out, "out"), (self.is_away, "away"), (self.has_trick, "winning")];
        let signs = signs.into_iter().filter(|(is_on, _)| *is_on).map(|(_, name)| name);
        let names: Vec<&str> = ["seat", side].into_iter().chain(signs).collect();
        format!("{} place-{place}", names.join(" "))
    }

    /// The player's role in a few words.
    fn role(&self, words: &Words) -> String {
        let role = [
            self.is_partner.then_some(words.partner),
            self.bot.as_deref(),
            self.is_away.then_some(words.away),
            self.is_ready.then_some(words.ready),
            self.sits_out.then_some(words.sits_out),
        ];
        role.into_iter().flatten().collect::<Vec<_>>().join("\u{a0}· ")
    }

    /// The accessible label, with everything about the seat.
    fn label(&self, hand_count: u8, place: usize, words: &Words) -> String {
        let place = match place {
            1 => words.left_of_you,
            2 => words.across,
            _ => words.right_of_you,
        };
        let mut parts = vec![self.name.clone(), place.to_owned()];
        let mut add = |when: bool, text: &str| {
            if when {
                parts.push(text.to_owned());
            }
        };
        add(self.is_partner, words.partner);
        add(self.bot.is_some(), self.bot.as_deref().unwrap_or_default());
        add(self.is_away, words.away);
        add(self.is_ready, words.ready);
        add(self.is_shaker, words.shaker);
        add(self.sits_out, words.sits_out);
        if let Some(call) = &self.call {
            parts.push(if self.is_pass { words.pass.to_owned() } else { fill(words.bids, &[call]) });
        }
        parts.push(fill(words.dominoes_left, &[&hand_count.to_string()]));
        parts.join(", ")
    }
}

/// Draws something at a plate, such as what was said last at its seat.
pub type PlateAddition = fn(Computed<Option<Seat>>) -> AnyView;

/// One of the other three seats by its position: 1 left, 2 across, 3 right.
#[component]
pub fn SeatAt(
    /// The position.
    place: usize,
    /// Whether to draw the dominoes face down, even if they are visible.
    #[prop(into)]
    is_face_down: Signal<bool>,
    /// What else is drawn at the plate.
    #[prop(optional)]
    addition: Option<PlateAddition>,
) -> impl IntoView {
    let shown = shown();
    let plate = Computed::new(move || shown.with(|table| Plate::of(table, table.seats_from_bottom()[place], shown)));
    let hand = Computed::new(move || {
        shown.with(|table| {
            let seat = table.seats_from_bottom()[place];
            let hand = if is_face_down.get() { Vec::new() } else { sorted(table.hand(seat), table.trump()) };
            (hand, table.hand_count(seat), table.phase())
        })
    });
    let label = move || Some(plate.get()?.label(hand.get()?.1, place, shown.words()));
    view! {
        <section
            class=live(move || plate.with(|plate| plate.as_ref().map(|plate| plate.class(place)).unwrap_or_default()))
            role="group"
            aria-label=live(label)
        >
            {plate_face(plate, addition)}
            <div class="held" aria-hidden="true">
                {listed(move || hand.get().map_or_else(Vec::new, |(hand, count, phase)| held(hand, count, phase)))}
            </div>
        </section>
    }
}

/// The dominoes of a player, face up if the table shows them. Existing elements are kept.
fn held(hand: Vec<Domino>, count: u8, phase: Phase) -> Vec<Part> {
    if hand.is_empty() || phase == Phase::Setup {
        // A played domino leaves its place empty, so that the others do not move.
        let lies = |at| part(at, || view! { <span class="mini"><Back/></span> });
        let gone = |at| part(1 << 9 | at, || view! { <span class="mini gone"></span> });
        let count = u64::from(count);
        let places = if phase == Phase::Setup { count } else { 7 };
        return (0..count).map(lies).chain((count..places).map(gone)).collect();
    }
    let open = |domino: Domino| {
        part(1 << 8 | domino.index() as u64, move || view! { <span class="mini open"><Tile domino/></span> })
    };
    hand.into_iter().map(open).collect()
}

/// The name, team and signs of a seat. The parts that change with nearly every move are drawn individually, because
/// redrawing the whole plate costs more than the rest of the move.
pub fn plate_face(plate: Computed<Option<Plate>>, addition: Option<PlateAddition>) -> AnyView {
    let words = shown().words();
    let is = move |ask: fn(&Plate) -> bool| plate.with(|plate| plate.as_ref().is_some_and(ask));
    let text = move |say: fn(&Plate, &Words) -> String| {
        drawn(move || plate.with(|plate| plate.as_ref().map(|plate| say(plate, words))))
    };
    let call = move || plate.with(|plate| plate.as_ref().and_then(|plate| plate.call.clone()));
    let call_number = move || number_of(&call().unwrap_or_default()) << 1 | u64::from(is(|plate| plate.is_bidder));
    let called = move || {
        let (is_pass, is_bidder) = (is(|plate| plate.is_pass), is(|plate| plate.is_bidder));
        call().map(|call| view! { <span class="call" class:pass=is_pass class:high=is_bidder>{call}</span> })
    };
    let intent = move || plate.with(|plate| plate.as_ref().and_then(|plate| plate.intent.clone()));
    let seat = Computed::new(move || plate.with(|plate| plate.as_ref().map(|plate| plate.seat)));
    view! {
        <div class="plate" aria-hidden="true">
            <span class="avatar">
                <i class="badge"></i>{text(|plate, _| plate.name.chars().take(1).collect())}
                {when(move || is(|plate| plate.is_shaker), move || view! { <span class="chip shaker" title=words.shaker>{words.shaker}</span> })}
            </span>
            <span class="who"><b>{text(|plate, _| plate.name.clone())}</b><small>{text(Plate::role)}</small></span>
            <span class="signs">{keyed(call_number, called)}</span>
            {drawn(move || intent().map(|intent| view! { <span class="intent">{intent}</span> }))}
            {when(move || seat.get().is_some(), move || addition.map(|draw| draw(seat)))}
            {when(move || is(|plate| plate.is_turn), || view! { <span class="dots"><i></i><i></i><i></i></span> })}
        </div>
    }    .into_any()
}
