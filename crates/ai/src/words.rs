//! Reasons in the words of players, with the numbers behind them. Everything said is what the seat itself knows.

use alloc::{
    format,
    string::{String, ToString},
    vec::Vec,
};

use texas42_engine::{Goal, suit_name};
use texas42_vocab::{Bid, Domino, Hand, Seat, Trump};

use crate::{ask::Choice, sight::Sight};

/// A chance as people say it.
pub(crate) fn percent(chance: f64) -> String {
    format!("{:.0} %", 100.0 * chance)
}

/// Why a domino is played: what it does, what is known about its suit, and the chance beside the next best.
pub(crate) fn of_a_play(sight: &Sight, domino: Domino, choices: &[Choice]) -> String {
    let mut parts = Vec::new();
    parts.extend(about(sight, domino));
    parts.extend(known_voids(sight, domino));
    parts.push(numbers(sight, choices));
    format!("{}.", capitalised(&parts.join("; ")))
}

fn about(sight: &Sight, domino: Domino) -> Option<String> {
    let terms = sight.terms?;
    let suits = terms.suits;
    let lead = sight.on_table()?.dominoes.first().copied();
    let called = suits.called(lead.unwrap_or(domino));
    let power = |domino| suits.power(called, domino);
    let out: Hand = sight.unseen().into_iter().filter(|other| power(*other) > power(domino)).collect();
    let partner_has_it = sight.best_on_table().is_some_and(|(seat, _)| seat == sight.seat.partner());
    let beats = sight.best_on_table().is_none_or(|(_, best)| power(domino) > power(best));
    let suit = if suits.members(called).is_empty() { "its place".to_string() } else { suit_name(called).to_string() };
    Some(match (terms.goal, lead) {
        (Goal::NoTrick, _) if sight.is_bidders() && beats && lead.is_some() => {
            format!("{domino} goes over, others may go higher")
        }
        (Goal::NoTrick, _) if sight.is_bidders() => format!("{domino} stays below"),
        (Goal::NoTrick, _) => format!("{domino} leaves the bidder the trick"),
        (_, None) if out.is_empty() && domino.is_double() => format!("{domino} walks, nothing of {suit} is higher"),
        (_, None) if out.is_empty() => format!("{suit} are walked, {domino} is the highest that is left"),
        (_, None) => format!("{domino} asks for {}", listed(out)),
        (_, Some(_)) if partner_has_it && !beats && domino.count() > 0 => {
            format!("{} to my partner's trick", domino.count())
        }
        (_, Some(_)) if beats && out.is_empty() => format!("{domino} takes it, nothing that is out beats it"),
        (_, Some(_)) if beats => format!("{domino} goes over, only {} beat it", listed(out)),
        (_, Some(_)) if domino.count() > 0 => format!("{domino} has to go"),
        (_, Some(_)) => format!("{domino} costs nothing"),
    })
}

fn listed(dominoes: Hand) -> String {
    let names: Vec<String> = dominoes.into_iter().rev().take(3).map(|domino| domino.to_string()).collect();
    let more = dominoes.len().saturating_sub(names.len());
    let names = names.join(", ");
    if more == 0 { names } else { format!("{names} and {more} more") }
}

/// Who has shown to be without the suit that is led.
fn known_voids(sight: &Sight, domino: Domino) -> Option<String> {
    let terms = sight.terms?;
    let trick = sight.on_table()?;
    if !trick.dominoes.is_empty() {
        return None;
    }
    let called = terms.suits.called(domino);
    let members = terms.suits.members(called) & sight.unseen();
    let is_without = |seat: Seat| !members.is_empty() && (members - sight.lacks[seat.index()]).is_empty();
    let who = |seat: Seat| {
        if seat == sight.seat.partner() {
            "partner"
        } else if seat == sight.seat.left() {
            "left"
        } else {
            "right"
        }
    };
    let without: Vec<&str> = sight.seat.round().skip(1).filter(|seat| is_without(*seat)).map(who).collect();
    (!without.is_empty()).then(|| format!("{} shows no {}", without.join(" and "), suit_name(called)))
}

fn numbers(sight: &Sight, choices: &[Choice]) -> String {
    let word = if sight.is_bidders() { "made" } else { "set" };
    let decided = sight.terms.is_none_or(|terms| terms.outcome(&sight.tally).is_some());
    match choices {
        _ if decided => "the contract is decided".to_string(),
        [] | [_] => "there is no other".to_string(),
        [best, next, ..] if best.chance == next.chance => {
            format!("{word} {} of the time, like the next", percent(best.chance))
        }
        [best, next, ..] => {
            format!("{word} {} of the time, {} with the next", percent(best.chance), percent(next.chance))
        }
    }
}

pub(crate) fn capitalised(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

/// Why something is named.
pub(crate) fn of_a_trump(sight: &Sight, trump: Trump, bid: Bid, choices: &[Choice]) -> String {
    let held = match trump.pip() {
        Some(pip) => format!("{} {trump} in hand", sight.hand.into_iter().filter(|domino| domino.has(pip)).count()),
        None if trump == Trump::Nello => "low all over".to_string(),
        None if trump == Trump::Sevens => "near seven all over".to_string(),
        None => format!("{} doubles in hand", sight.hand.doubles()),
    };
    let next = match choices {
        [best, next, ..] => {
            format!("{bid} is made {} of the time, {} with the next best", percent(best.chance), percent(next.chance))
        }
        [best] => format!("{bid} is made {} of the time", percent(best.chance)),
        [] => bid.to_string(),
    };
    format!("{}; {next}.", capitalised(&held))
}

/// Why a bid is made.
pub(crate) fn of_a_bid(bid: Bid, trump: Option<Trump>, chance: f64, marks: f64) -> String {
    let with = trump.map_or_else(|| "whatever my partner names".to_string(), |trump| trump.to_string());
    let with = capitalised(&with);
    format!("{with}: {bid} is made {} of the time, {marks:+.2} marks on average.", percent(chance))
}

/// Why a seat passes.
pub(crate) fn of_a_pass(partner_has_it: bool, marks: f64) -> String {
    let who = if partner_has_it { "My partner has it" } else { "Nothing here that pays" };
    format!("{who}; a pass brings {marks:+.2} marks on average.")
}
