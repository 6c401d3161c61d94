//! The header: menu, score, connection status, and the buttons that open dialogs.

use leptos::prelude::*;
use texas42_vocab::{Phase, Scoring, Team};

use crate::{
    announce::visitors,
    app::{Dialog, app},
    computed::Computed,
    connection::ConnectionState,
    domino::end,
    erased_view::{drawn, keyed, live, number_of, when},
    table::tray::SayButton,
    table_model::{ALL_POINTS, HostKind, TableModel, TeamTotal},
    tally::strokes,
    words::{capitalized, fill},
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
                {when(invites, move || view! {
                    {tool(Dialog::Invite, app.words().invite, "M12 5v14M5 12h14")}
                })}
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

#[component]
pub(crate) fn Icon(path: &'static str) -> impl IntoView {
    view! { <svg class="glyph" viewBox="0 0 24 24" aria-hidden="true"><path d=path/></svg> }
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

/// The score of both teams.
#[component]
pub(super) fn Score() -> impl IntoView {
    let app = app();
    let first = Computed::new(move || app.with_table(TableModel::first_team));
    view! {
        <div class="score" role="group" aria-label=app.words().score>
            {drawn(move || first.get().map(|first| view! { <Side team=first is_first=true/> <Side team=first.other() is_first=false/> }))}
        </div>
    }
}

/// The score of a team, the target, and the unit. A table of one hand shows the points of the hand.
fn standing(table: &TableModel, team: Team) -> (u16, u16, Scoring) {
    let state = &table.view.state;
    match state.one_hand {
        true => (state.points[team.index()].into(), 42, Scoring::Points),
        false => (state.score[team.index()], state.target, state.scoring),
    }
}

#[component]
fn Side(team: Team, is_first: bool) -> impl IntoView {
    let app = app();
    let score = Computed::new(move || app.with_table(|table| standing(table, team)));
    let name = move || app.with_table(|table| table.team_name(team, app.words()));
    let text = move || {
        score.get().map(|(score, target, scoring)| {
            let words = app.words();
            let text = match scoring {
                Scoring::Marks if target == 1 => words.of_one_mark,
                Scoring::Marks => words.of_marks,
                _ => words.of_points,
            };
            fill(text, &[&score.to_string(), &target.to_string()])
        })
    };
    let drawing = move || {
        let (score, target, _) = score.get().filter(|(_, _, scoring)| *scoring == Scoring::Marks)?;
        let (svg, width) = strokes(score, target)?;
        Some(view! { <svg class="tally" viewBox=format!("0 0 {width} 60") aria-hidden="true" inner_html=svg></svg> })
    };
    view! {
        <div class="side" class:first=is_first class:second=!is_first title=text>
            <span class="team"><i class="badge" aria-hidden="true"></i>{drawn(name)}</span>
            {drawn(drawing)}
            <b class="number" aria-hidden="true">{drawn(move || score.get().map(|(score, ..)| score.to_string()))}</b>
            <span class="unseen">{drawn(text)}</span>
        </div>
    }
}

/// The contract: the bid, the trumps, the suit led, and the points so far.
#[component]
pub(crate) fn Contract() -> impl IntoView {
    let app = app();
    let contract = Computed::new(move || app.with_table(|table| table.view.state.contract).flatten());
    let led = Computed::new(move || app.with_table(|table| table.view.derived.led_suit).flatten());
    let text = move || {
        let words = app.words();
        let contract = contract.get()?;
        app.with_table(|table| {
            format!("{} · {}", table.name_or_you(contract.bidder, words), words.bid_text(contract.bid))
        })
    };
    let said = move || app.with_table(|table| table.bid_text(app.words())).flatten();
    let trump = move || {
        let words = app.words();
        let trump = contract.get()?.trump?;
        let drawing = trump.pip().map(
            |pip| view! { <svg class="pip-tile" viewBox="0 0 100 100" aria-hidden="true" inner_html=end(pip)></svg> },
        );
        Some(view! {
            <div class="fact trumps">
                <dt>{words.trumps}</dt>
                <dd>{drawing}<span>{capitalized(words.trump_text(trump))}</span></dd>
            </div>
        })
    };
    // Always present, so that nothing moves when a trick starts.
    let led_text = move || led.get().map_or_else(|| "–".to_owned(), |suit| capitalized(app.words().suit_text(suit)));
    view! {
        {when(move || contract.get().is_some(), move || view! {
            <dl class="contract" aria-label=app.words().contract>
                <div class="fact bid" title=live(said)><dt>{app.words().bid}</dt><dd>{drawn(text)}</dd></div>
                {drawn(trump)}
                <div class="fact led"><dt>{app.words().led}</dt><dd>{drawn(led_text)}</dd></div>
            </dl>
            <Count/>
        })}
    }
}

/// How the 42 points are split so far, with a tick at the bid, and what each team still needs.
#[component]
pub(super) fn Count() -> impl IntoView {
    let app = app();
    let facts = Computed::new(move || {
        let words = app.words();
        app.with_table(|table| {
            table.taken(words).map(|taken| {
                let needs = table.needs(&taken, words);
                (taken, needs)
            })
        })
    });
    let points = move |which: usize| facts.with(|facts| facts.as_ref().map_or(0, |facts| facts[which].0.points));
    let side = move |which: usize, class: &'static str| {
        let text = move || {
            let shown = |(TeamTotal { name, points, .. }, needs): &(TeamTotal, String)| {
                view! { <span class=class>{*name} " " <b>{points.to_string()}</b> <small>{needs.clone()}</small></span> }
            };
            facts.with_untracked(|facts| facts.as_ref().map(|facts| shown(&facts[which])))
        };
        let number = move || {
            let number = |(taken, needs): &(TeamTotal, String)| number_of(taken.name) ^ number_of(needs) << 1;
            facts.with(|facts| facts.as_ref().map_or(0, |facts| number(&facts[which])))
        };
        keyed(move || number() << 6 | u64::from(points(which)), text)
    };
    // Integers, because formatting fractions needs much code. The bar is clipped, which moves nothing.
    let missing = move |which: usize| 100 - share(points(which));
    let tick = Computed::new(move || app.with_table(TableModel::bid_on_meter).flatten());
    view! {
        <div class="count">
            {side(0, "side-count first")}
            <span class="meter" aria-hidden="true">
                <i class="first" style:clip-path=live(move || format!("inset(0 {}% 0 0)", missing(0)))></i>
                <i class="second" style:clip-path=live(move || format!("inset(0 0 0 {}%)", missing(1)))></i>
                {drawn(move || tick.get().map(|points| view! { <i class="tick" style:left=format!("{}%", share(points))></i> }))}
            </span>
            {side(1, "side-count second")}
        </div>
    }
}

/// Points as a percentage of all.
fn share(points: u8) -> u32 {
    u32::from(points) * 100 / u32::from(ALL_POINTS)
}
