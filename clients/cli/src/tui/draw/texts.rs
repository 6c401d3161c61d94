//! The texts of a table: headline, contract, whose turn it is, results. All facts come from the view.

use texas42_phrases::{capitalized, fill};
use texas42_protocol::{ActionGroup, ActionHint, ContractView, GameView, ValidAction};
use texas42_vocab::{Action, Bid, BidKind, Control, Phase, Scoring, Seat};

use super::{is_in_play, side};
use crate::{
    show,
    tui::model::{TableModel, words},
};

/// The headline in several lengths, the longest first.
pub(super) fn header(model: &TableModel) -> Vec<String> {
    let Some(view) = &model.view else { return vec![words().title.to_owned()] };
    let state = &view.state;
    let [first, second] = model.teams().map(|team| format!("{} {}", side(model, team), state.score[team.index()]));
    let hand = state.hand_number + 1;
    let place = if model.is_offline { "offline" } else { "online" };
    let to = match state.scoring {
        Scoring::Marks => words().marks_text(state.target),
        Scoring::Points => fill(words().some_points, &[&state.target.to_string()]),
    };
    if state.one_hand {
        // The hand is the whole game, and the score says nothing.
        return vec![format!("{} · {place} · one hand", words().title), "one hand".to_owned()];
    }
    vec![
        format!("{} · {place} · hand {hand} · {first}, {second} · game to {to}", words().title),
        format!("hand {hand} · {first}, {second} · to {to}"),
        format!("{first}, {second}"),
    ]
}

/// The contract and the points of both sides in this hand; in a wide terminal with the number of tricks.
pub(super) fn contract(model: &TableModel, is_wide: bool) -> Option<String> {
    let state = &model.view.as_ref()?.state;
    let contract = state.contract.filter(|_| is_in_play(model))?;
    let trump = contract.trump.map(|trump| format!(" · trumps: {}", words().trump_text(trump))).unwrap_or_default();
    let bid = format!("{} bid {}{trump}", model.name(contract.bidder), words().bid_text(contract.bid));
    let taken = model.teams().map(|team| {
        let (points, tricks) = (state.points[team.index()], state.tricks_taken[team.index()]);
        match is_wide {
            true => format!("{} {} ({})", side(model, team), words().points_text(points), words().tricks_text(tricks)),
            false => format!("{} {points}", side(model, team)),
        }
    });
    let label = if is_wide { "" } else { "points: " };
    Some(if contract.trump.is_some() { format!("{bid} · {label}{}", taken.join(", ")) } else { bid })
}

/// The goal of a daily challenge, while its hand is played.
pub(super) fn goal(model: &TableModel) -> Option<String> {
    show::goal(model.view.as_ref().filter(|_| is_in_play(model))?)
}

/// The title of the table while a hand is played.
pub(super) fn trick_title(model: &TableModel) -> String {
    let Some(view) = model.view.as_ref().filter(|view| view.state.phase == Phase::Playing) else {
        return phase_name(model);
    };
    let number = (view.state.tricks.len() + 1).min(7);
    match view.derived.led_suit {
        Some(suit) => format!("Trick {number} of 7 · {} led", words().suit_text(suit)),
        None => format!("Trick {number} of 7"),
    }
}

fn phase_name(model: &TableModel) -> String {
    model.phase().map_or_else(|| "Table".to_owned(), |phase| capitalized(show::phase_text(phase)))
}

/// The title and text that replace the trick while players gather, when a hand is scored, and when the game is over.
pub(super) fn panel(model: &TableModel) -> Option<(String, Vec<String>)> {
    let Some(view) = &model.view else { return Some(("Table".to_owned(), vec![words().connecting.to_owned()])) };
    match view.state.phase {
        Phase::Setup => Some((words().gathering.to_owned(), lobby(model, view))),
        Phase::Scoring => Some((words().hand_result.to_owned(), result(model, view))),
        Phase::GameEnd | Phase::OneHandComplete => Some(("The game is over".to_owned(), ending(model, view))),
        Phase::Bidding | Phase::TrumpSelection | Phase::Playing => None,
    }
}

fn lobby(model: &TableModel, view: &GameView) -> Vec<String> {
    let seat_line = |seat: Seat| {
        let player = model.player_on(seat);
        let what = match player.map(|player| player.control_type) {
            None => words().nobody,
            Some(Control::Ai) => "computer player",
            Some(Control::Human) if view.metadata.ready.contains(&seat) => words().ready,
            Some(Control::Human) => "here",
        };
        let own = if model.seat == Some(seat) { " (you)" } else { "" };
        let name = player.map(|player| format!("{}{own}: ", player.name)).unwrap_or_default();
        format!("{}. {name}{what}", seat.index() + 1)
    };
    let links = model.links.iter().flat_map(|made| [String::new(), format!("{}:", made.purpose), made.link.clone()]);
    Seat::ALL.into_iter().map(seat_line).chain(links).collect()
}

fn result(model: &TableModel, view: &GameView) -> Vec<String> {
    let state = &view.state;
    let (Some(contract), Some(outcome)) = (state.contract, &state.outcome) else { return Vec::new() };
    let team = contract.bidder.team();
    let took = words().points_text(state.points[team.index()]);
    let bid = bid_and_trump(contract);
    let gains = if outcome.made { team } else { team.other() };
    let stake = match state.scoring {
        Scoring::Marks => {
            format!("{} to {}.", words().marks_text(contract.stake.into()), side(model, gains).to_lowercase())
        }
        Scoring::Points => String::new(),
    };
    let claim = state.claim.map(|claim| {
        let text = if claim.stands { words().claim_stood } else { words().claim_failed };
        fill(text, &[&model.name(claim.player)])
    });
    [
        Some(headline(model, contract, outcome.made).to_owned()),
        Some(fill(words().bid_and_took, &[&model.name(contract.bidder), &bid, &took])),
        Some(claim.unwrap_or_else(|| format!("{}.", capitalized(words().outcome(outcome.reason))))),
        Some(stake).filter(|stake| !stake.is_empty()),
    ]
    .into_iter()
    .flatten()
    .collect()
}

fn bid_and_trump(contract: ContractView) -> String {
    let bid = words().bid_text(contract.bid);
    contract.trump.map_or_else(|| bid.clone(), |trump| format!("{bid} ({})", words().trump_text(trump)))
}

/// How a contract ended, from this session's point of view.
fn headline(model: &TableModel, contract: ContractView, made: bool) -> &'static str {
    let is_own = model.seat.map(|seat| seat.team() == contract.bidder.team());
    match (is_own, made) {
        (Some(true), true) => words().you_made,
        (Some(true), false) => words().you_set,
        (Some(false), true) => words().they_made,
        (Some(false), false) => words().they_set,
        (None, true) => words().made,
        (None, false) => words().set,
    }
}

fn ending(model: &TableModel, view: &GameView) -> Vec<String> {
    let winner = view.derived.winner.map(|team| match model.seat.map(Seat::team) {
        Some(own) if own == team => words().you_win.to_owned(),
        Some(_) => words().you_lose.to_owned(),
        None => fill(words().side_wins, &[side(model, team)]),
    });
    let score = model.teams().map(|team| format!("{} {}", side(model, team), view.state.score[team.index()]));
    let hands = view.metadata.result.iter().flat_map(|result| result.hands.iter().enumerate());
    let story = hands.map(|(number, hand)| {
        let how = if hand.made { "made" } else { "set" };
        let (bid, trump) = (words().bid_text(hand.bid), words().trump_text(hand.trump));
        format!("Hand {}: {} bid {bid} ({trump}), {how}", number + 1, model.name(hand.bidder))
    });
    let stars = show::stars(view).into_iter().chain(show::goal(view));
    let shared = show::shareable_lines(view, None);
    winner.into_iter().chain(stars).chain([format!("{}.", score.join(", "))]).chain(story).chain(shared).collect()
}

/// A choice in words, with the key for it.
pub(super) fn choice(valid: &ValidAction) -> String {
    let text = words().action_text(valid.action);
    match (valid.group, valid.action) {
        (ActionGroup::Bid, Action::Bid { bid: Bid { kind: BidKind::Points, .. }, .. }) => text,
        (ActionGroup::Table, _) => text,
        _ => format!("{} {text}", valid.shortcut),
    }
}

/// Whose turn it is.
pub(super) fn status(model: &TableModel) -> String {
    let Some(view) = &model.view else { return words().connecting.to_owned() };
    if !model.is_joined {
        return words().reconnecting.to_owned();
    }
    match view.derived.to_act {
        Some(seat) if model.seat == Some(seat) => status_of_own_turn(model, view).to_owned(),
        Some(seat) => format!("{}.", status_of_other(model, view, seat)),
        None => status_of_table(model, view),
    }
}

fn status_of_own_turn(model: &TableModel, view: &GameView) -> &'static str {
    match view.state.phase {
        _ if model.waits_for_deal() => "A computer player plays for you until the next deal.",
        _ if model.is_played_by_bot() => "A computer player plays for you. Type b and press Enter to play yourself.",
        Phase::Bidding => "Your bid.",
        Phase::TrumpSelection => "Call trumps.",
        Phase::Playing if view.state.trick.as_ref().is_none_or(|trick| trick.plays.is_empty()) => "Your lead.",
        _ => "Your turn.",
    }
}

fn status_of_other(model: &TableModel, view: &GameView, seat: Seat) -> String {
    let text = match view.state.phase {
        Phase::Bidding => words().waits_bid,
        Phase::TrumpSelection => words().waits_trumps,
        _ => words().waits_play,
    };
    let waits = fill(text, &[&model.name(seat)]);
    if model.seat.is_none() { format!("{waits}. {}", watching(model)) } else { waits }
}

fn watching(model: &TableModel) -> String {
    match model.student() {
        Some(seat) => format!("You are coaching {}", model.name(seat)),
        None => words().watching.trim_end_matches('.').to_owned(),
    }
}

fn status_of_table(model: &TableModel, view: &GameView) -> String {
    let goes_on = model.is_my_turn();
    match view.state.phase {
        Phase::Setup if model.must_declare_ready => "We start when everybody's ready. Are you? Press y.".to_owned(),
        Phase::Setup => words().begins_when_ready.to_owned(),
        Phase::Playing => {
            let winner = view.derived.trick_winner.map(|seat| match model.seat == Some(seat) {
                true => format!("{}.", words().trick_yours),
                false => fill(words().trick_taken, &[&model.name(seat)]) + ".",
            });
            let next = goes_on.then(|| "Press Enter to go on.".to_owned());
            winner.into_iter().chain(next).collect::<Vec<_>>().join(" ")
        }
        Phase::Scoring if goes_on => "Press Enter to go on.".to_owned(),
        Phase::GameEnd | Phase::OneHandComplete if model.seat.is_some() => "Press r to play again.".to_owned(),
        _ if model.seat.is_none() => format!("{}.", watching(model)),
        _ => "Waiting for the others to go on.".to_owned(),
    }
}

/// The most important remark, in this order: the typed text, a notice, an undo request, a hint, a blocked domino.
pub(super) fn remark(model: &TableModel) -> Option<String> {
    let typed = Some(&model.input).filter(|input| !input.is_empty()).map(|input| format!("> {input}_"));
    let undo = || model.undo_text();
    typed.or_else(|| model.notice.clone()).or_else(undo).or_else(|| hint(model)).or_else(|| blocked(model))
}

/// The hint about the selected choice: what the host's expert thinks of it, or else the table's rule of thumb. If there is none,
/// what the expert would choose.
fn hint(model: &TableModel) -> Option<String> {
    let choices = model.choices();
    let selected = model.selected.and_then(|number| choices.get(number));
    let expert = |is_wanted: &dyn Fn(&ActionHint) -> bool| {
        let is_offered = |hint: &ActionHint| choices.iter().any(|choice| choice.action == hint.action);
        let hint = model.hints.iter().find(|hint| is_wanted(hint) && is_offered(hint))?;
        Some(show::expert_hint(hint.action, hint))
    };
    let rule_of_thumb = || {
        let choice = selected?;
        Some(format!("{}: {}", show::choice_text(choice.action), words().hint(choice.hint?)))
    };
    let of_selected = expert(&|hint| selected.is_some_and(|choice| choice.action == hint.action));
    let hint = of_selected.or_else(rule_of_thumb).or_else(|| expert(&|hint| hint.recommended))?;
    Some(format!("Hint: {hint}"))
}

/// Why the dominoes that are marked with an x may not be played.
fn blocked(model: &TableModel) -> Option<String> {
    let blocked = model.view.as_ref()?.derived.blocked.first()?;
    Some(format!("x: {}.", words().refusal(blocked.reason)))
}
