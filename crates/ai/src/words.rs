//! Reasons in the words of players, with the numbers behind them. Everything said is what the seat itself knows.

use alloc::{
    format,
    string::{String, ToString},
    vec::Vec,
};

use texas42_engine::{Goal, Suits, suit_name};
use texas42_vocab::{Bid, Domino, Hand, Seat, Trump};

use crate::{ask::Choice, sight::Sight};

/// A chance as people say it.
pub(crate) fn percent(chance: f64) -> String {
    format!("{} %", whole(100.0 * chance))
}

/// The nearest whole number. Fractions are written by hand here: the code that writes any of them exactly is larger than
/// all the reasons together, and a browser loads it.
pub(crate) fn whole(number: f64) -> i64 {
    (number + if number < 0.0 { -0.5 } else { 0.5 }) as i64
}

/// Marks with their sign and two digits behind the point.
pub(crate) fn in_marks(number: f64) -> String {
    let hundredths = whole(100.0 * number);
    let sign = if hundredths < 0 { '-' } else { '+' };
    let (before, behind) = (hundredths.abs() / 100, hundredths.abs() % 100);
    format!("{sign}{before}.{behind:02} marks")
}

/// Why a domino is played: what it does, what is known about its suit, and the chance beside the next best.
pub(crate) fn of_a_play(sight: &Sight, domino: Domino, choices: &[Choice]) -> String {
    let mut parts = Vec::new();
    parts.extend(about(sight, domino));
    parts.extend(known_voids(sight, domino));
    parts.push(numbers(sight, choices));
    format!("{}.", capitalised(&parts.join("; ")))
}

/// What a domino does on the table.
fn about(sight: &Sight, domino: Domino) -> Option<String> {
    let terms = sight.terms?;
    let trick = sight.on_table()?;
    let lead = trick.dominoes.first().copied();
    let called = terms.suits.called(lead.unwrap_or(domino));
    let power = |domino| terms.suits.power(called, domino);
    let scene = Scene {
        domino,
        suit: if terms.suits == Suits::NearestSeven { None } else { Some(suit_name(called)) },
        higher: sight.unseen().into_iter().filter(|other| power(*other) > power(domino)).collect(),
        beats: sight.best_on_table().is_none_or(|(_, best)| power(domino) > power(best)),
        holder: sight.best_on_table().map(|(seat, _)| seat),
        is_last: trick.dominoes.len() + 1 == terms.trick_size(),
    };
    Some(match (terms.goal, lead) {
        (Goal::NoTrick, None) => scene.led_without_wanting(sight),
        (Goal::NoTrick, Some(_)) if sight.is_bidders() => scene.ducked(),
        (Goal::NoTrick, Some(_)) => scene.against_nello(terms.bidder),
        (_, None) => scene.led(),
        (_, Some(_)) => scene.followed(sight.seat.partner()),
    })
}

/// A domino that would be played, and the trick that it would fall on.
struct Scene {
    domino: Domino,
    /// The suit that is called; none where there are no suits.
    suit: Option<&'static str>,
    /// What is out and would beat it.
    higher: Hand,
    /// Whether it beats what lies there.
    beats: bool,
    /// Who has the trick before it falls.
    holder: Option<Seat>,
    /// Whether it ends the trick.
    is_last: bool,
}

impl Scene {
    /// What is out and would beat it, and what it does.
    fn higher_do(&self, one_does: &str, more_do: &str) -> String {
        format!("{} {}", listed(self.higher), if self.higher.len() == 1 { one_does } else { more_do })
    }

    fn led(&self) -> String {
        let domino = self.domino;
        match self.suit {
            None if self.higher.is_empty() => format!("{domino} walks, nothing that is out is nearer to seven"),
            Some(suit) if self.higher.is_empty() && domino.is_double() => {
                format!("{domino} walks, nothing of {suit} is higher")
            }
            Some(suit) if self.higher.is_empty() => format!("{suit} are walked, {domino} is the highest that is left"),
            _ => format!("{domino} asks for {}", listed(self.higher)),
        }
    }

    fn followed(&self, partner: Seat) -> String {
        let domino = self.domino;
        if self.beats {
            return match self.higher.is_empty() {
                _ if self.is_last => format!("{domino} takes the trick"),
                true => format!("{domino} takes it, nothing that is out beats it"),
                false => format!("{domino} goes over, only {} it", self.higher_do("beats", "beat")),
            };
        }
        match domino.count() {
            0 => format!("{domino} carries no count"),
            count if self.holder == Some(partner) => format!("{count} to my partner's trick"),
            _ => format!("{domino} is what I can spare"),
        }
    }

    fn led_without_wanting(&self, sight: &Sight) -> String {
        let domino = self.domino;
        match self.higher.len() {
            0 => format!("{domino} is led, nothing that is out goes over it"),
            _ if sight.is_bidders() => format!("{domino} is led, {} over it", self.higher_do("goes", "go")),
            _ => format!("{domino} is led for the bidder to go over, with {} out", listed(self.higher)),
        }
    }

    fn ducked(&self) -> String {
        let domino = self.domino;
        match (self.beats, self.is_last) {
            (false, _) => format!("{domino} stays below"),
            (true, true) => format!("{domino} takes the trick"),
            (true, false) => format!("{domino} goes over, {} could go higher", listed(self.higher)),
        }
    }

    fn against_nello(&self, bidder: Seat) -> String {
        let domino = self.domino;
        match (self.holder == Some(bidder), self.beats) {
            (true, false) => format!("{domino} leaves the bidder the trick"),
            (true, true) => format!("{domino} has to go over the bidder"),
            (false, _) => format!("{domino} goes while the bidder is below"),
        }
    }
}

fn listed(dominoes: Hand) -> String {
    if dominoes.is_empty() {
        return "nothing".to_string();
    }
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
    let shows = if without.len() == 1 { "shows" } else { "show" };
    (!without.is_empty()).then(|| format!("{} {shows} no {}", without.join(" and "), suit_name(called)))
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
    let mut text = String::from(text);
    text.get_mut(..1).map(str::make_ascii_uppercase);
    text
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
pub(crate) fn of_a_bid(bid: Bid, trump: Option<Trump>, Choice { chance, marks, .. }: &Choice) -> String {
    let with = trump.map_or_else(|| "whatever my partner names".to_string(), |trump| trump.to_string());
    let with = capitalised(&with);
    format!("{with}: {bid} is made {} of the time, {} on average.", percent(*chance), in_marks(*marks))
}

/// Why a seat passes.
pub(crate) fn of_a_pass(partner_has_it: bool, marks: f64) -> String {
    let who = if partner_has_it { "My partner has it" } else { "Nothing here that pays" };
    format!("{who}; a pass brings {} on average.", in_marks(marks))
}
