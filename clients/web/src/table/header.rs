//! The header: the way home, the score of both sides, what is played, and the buttons for everything else.

use leptos::prelude::*;
use texas42_vocab::{Phase, Scoring, Team};

use crate::{
    app::{Dialog, app, live},
    domino::end,
    line::LineState,
    seen::{Home, Seen},
    tally::strokes,
    words::{capitalised, fill},
};

#[component]
pub(crate) fn Header() -> impl IntoView {
    let app = app();
    let open = move |dialog| move |_| app.dialog.set(Some(dialog));
    let is_playing = Memo::new(move |_| app.look(|seen| seen.phase() != Phase::Setup).unwrap_or(false));
    let invites = Memo::new(move |_| app.look(|seen| seen.home == Home::Server && seen.configures()).unwrap_or(false));
    let is_open = Memo::new(move |_| app.look(Seen::sees_everything).unwrap_or(false));
    view! {
        <header class="bar">
            <button class="icon" on:click=open(Dialog::Leave) aria-label=app.words().menu title=app.words().menu>
                <Icon path="M4 7h16M4 12h16M4 17h16"/>
            </button>
            <Score/>
            <Line/>
            <nav class="tools" aria-label=app.words().menu>
                <Show when=move || invites.get()>
                    <button class="icon" on:click=open(Dialog::Invite) aria-label=app.words().invite title=app.words().invite>
                        <Icon path="M12 5v14M5 12h14"/>
                    </button>
                </Show>
                <Show when=move || is_playing.get()>
                    <button class="icon" on:click=open(Dialog::LastTrick) aria-label=app.words().last_trick title=app.words().last_trick>
                        <Icon path="M4 5v5h5M4.500 10A8 8 0 1 1 4 14"/>
                    </button>
                    <button class="icon history" on:click=open(Dialog::History) aria-label=app.words().history title=app.words().history>
                        <Icon path="M8 6h12M8 12h12M8 18h12M4 6h.01M4 12h.01M4 18h.01"/>
                    </button>
                </Show>
                <Show when=move || is_open.get()>
                    <button class="icon" on:click=open(Dialog::Developer) aria-label=app.words().developer title=app.words().developer>
                        <Icon path="M8 7l-5 5 5 5M16 7l5 5-5 5"/>
                    </button>
                </Show>
                <button class="icon" on:click=open(Dialog::Rules) aria-label=app.words().rules title=app.words().rules>
                    <Icon path="M9 9a3 3 0 1 1 4 2.800c-.7.300-1 .8-1 1.600v.6M12 17.500v.01"/>
                </button>
                <button class="icon" on:click=open(Dialog::Settings) aria-label=app.words().settings title=app.words().settings>
                    <Icon path="M4 7h9M17 7h3M15 5v4M4 12h3M11 12h9M9 10v4M4 17h7M15 17h5M13 15v4"/>
                </button>
            </nav>
        </header>
    }
}

#[component]
pub(crate) fn Icon(path: &'static str) -> impl IntoView {
    view! { <svg class="glyph" viewBox="0 0 24 24" aria-hidden="true"><path d=path/></svg> }
}

/// How the line stands, where there is one to speak of.
#[component]
fn Line() -> impl IntoView {
    let app = app();
    let text = move || {
        let words = app.words();
        match (app.line.get(), app.look(|seen| seen.home)) {
            (LineState::Down, _) => Some(words.reconnecting),
            (LineState::Connecting, Some(Home::Server)) => Some(words.connecting),
            _ => None,
        }
    };
    view! { <p class="line" role="status" class:on=live(move || text().is_some())>{live(text)}</p> }
}

/// Both sides with their marks.
#[component]
fn Score() -> impl IntoView {
    let app = app();
    let first = Memo::new(move |_| app.look(Seen::first_team));
    view! {
        <div class="score" role="group" aria-label=app.words().score>
            {live(move || first.get().map(|first| view! { <Side team=first is_first=true/> <Side team=first.other() is_first=false/> }))}
        </div>
    }
}

#[component]
fn Side(team: Team, is_first: bool) -> impl IntoView {
    let app = app();
    let score = Memo::new(move |_| {
        app.look(|seen| (seen.view.state.score[team.index()], seen.view.state.target, seen.view.state.scoring))
    });
    let name = move || app.look(|seen| seen.team_name(team, app.words()));
    let text = move || {
        score.get().map(|(score, target, scoring)| {
            let words = app.words();
            let text = if scoring == Scoring::Marks { words.of_marks } else { words.of_points };
            fill(text, &[&score.to_string(), &target.to_string()])
        })
    };
    let drawing = move || {
        let (score, target, _) = score.get()?;
        let (svg, width) = strokes(score, target)?;
        Some(view! { <svg class="tally" viewBox=format!("0 0 {width} 60") aria-hidden="true" inner_html=svg></svg> })
    };
    view! {
        <div class="side" class:first=is_first class:second=!is_first title=text>
            <span class="team"><i class="badge" aria-hidden="true"></i>{live(name)}</span>
            {live(drawing)}
            <b class="number" aria-hidden="true">{live(move || score.get().map(|(score, ..)| score))}</b>
            <span class="unseen">{live(text)}</span>
        </div>
    }
}

/// What is played: the bid, the trumps, the suit that was led, and the count so far.
#[component]
pub(crate) fn Contract() -> impl IntoView {
    let app = app();
    let contract = Memo::new(move |_| app.look(|seen| seen.view.state.contract).flatten());
    let led = Memo::new(move |_| app.look(|seen| seen.view.derived.led_suit.clone()).flatten());
    let text = move || {
        let words = app.words();
        let contract = contract.get()?;
        app.look(|seen| format!("{} · {}", seen.name_or_you(contract.bidder, words), words.bid_text(contract.bid)))
    };
    let trump = move || {
        let words = app.words();
        let trump = contract.get()?.trump?;
        let drawing = trump.pip().map(
            |pip| view! { <svg class="pip-tile" viewBox="0 0 100 100" aria-hidden="true" inner_html=end(pip)></svg> },
        );
        Some(view! {
            <div class="fact trumps">
                <dt>{words.trumps}</dt>
                <dd>{drawing}<span>{capitalised(words.trump_text(trump))}</span></dd>
            </div>
        })
    };
    let led_fact = move || {
        let words = app.words();
        let suit = led.get()?;
        Some(view! { <div class="fact led"><dt>{words.led}</dt><dd>{capitalised(&words.suit_text(&suit))}</dd></div> })
    };
    view! {
        <Show when=move || contract.get().is_some()>
            <dl class="contract" aria-label=app.words().contract>
                <div class="fact bid"><dt>{app.words().bid}</dt><dd>{live(text)}</dd></div>
                {live(trump)}
                {live(led_fact)}
            </dl>
            <Count/>
        </Show>
    }
}

/// Who has taken how much of the 42, and what the bidders need.
#[component]
fn Count() -> impl IntoView {
    let app = app();
    let facts = Memo::new(move |_| {
        app.look(|seen| {
            let first = seen.first_team();
            let state = &seen.view.state;
            let of = |team: Team| (state.points[team.index()], state.tricks_taken[team.index()]);
            (of(first), of(first.other()), first)
        })
    });
    let text = move |which: usize| {
        let words = app.words();
        facts.get().map(|(us, them, first)| {
            let (team, (points, tricks)) = if which == 0 { (first, us) } else { (first.other(), them) };
            let name = app.look(|seen| seen.team_name(team, words)).unwrap_or_default();
            view! { {name} " " <b>{points}</b> <small>{format!(" · {}", words.tricks_text(tricks))}</small> }
        })
    };
    let width = move |which: usize| {
        facts.get().map(|(us, them, _)| {
            let points = if which == 0 { us.0 } else { them.0 };
            format!("{:.1}%", f32::from(points) / 42.0 * 100.0)
        })
    };
    view! {
        <div class="count">
            <span class="side-count first">{live(move || text(0))}</span>
            <span class="meter" aria-hidden="true">
                <i class="first" style:width=move || width(0)></i>
                <i class="second" style:width=move || width(1)></i>
            </span>
            <span class="side-count second">{live(move || text(1))}</span>
        </div>
    }
}
