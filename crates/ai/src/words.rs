//! Reasons in the words of players, with the numbers behind them. Everything said is what the seat itself knows.

use alloc::{
    format,
    string::{String, ToString},
    vec::Vec,
};

use core::{cmp::Reverse, iter::successors};

use texas42_engine::{Goal, Suit, Suits, Terms, suit_name};
use texas42_vocab::{Bid, BidKind, Domino, Hand, Scoring, Seat, Trump};

use crate::{ask::Choice, sight::Sight, stakes::POINTS_A_HAND};

/// A chance as people say it.
pub(crate) fn percent(chance: f64) -> String {
    format!("{} %", whole(100.0 * chance))
}

/// The nearest whole number. Fractions are written by hand here: the code that writes any of them exactly is larger than
/// all the reasons together, and a browser loads it.
pub(crate) fn whole(number: f64) -> i64 {
    (number + if number < 0.0 { -0.5 } else { 0.5 }) as i64
}

/// What is won, with its sign: marks with two digits behind the point, or the points of the older game.
pub(crate) fn gain(scoring: Scoring, marks: f64) -> String {
    if scoring == Scoring::Points {
        let points = whole(f64::from(POINTS_A_HAND) * marks);
        return format!("{}{points} points", if points < 0 { "" } else { "+" });
    }
    let hundredths = whole(100.0 * marks);
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
    let scene = Scene::new(sight, domino)?;
    Some(match (scene.terms.goal, scene.leads) {
        (Goal::NoTrick, true) => scene.led_without_wanting(),
        (Goal::NoTrick, false) if sight.is_bidders() => scene.ducked(),
        (Goal::NoTrick, false) => scene.against_nello(),
        (_, true) => scene.led(),
        (_, false) => scene.followed(),
    })
}

/// A domino that would be played, and the trick that it would fall on.
struct Scene<'a> {
    sight: &'a Sight,
    terms: Terms,
    domino: Domino,
    /// The suit that is called.
    called: Suit,
    leads: bool,
    /// Who has the trick before it falls.
    holder: Option<Seat>,
    /// Whether it beats what lies there.
    beats: bool,
    /// Who plays after it.
    later: Vec<Seat>,
    /// What those who play after it may hold and would beat it with, the strongest first.
    higher: Vec<Domino>,
}

impl<'a> Scene<'a> {
    fn new(sight: &'a Sight, domino: Domino) -> Option<Self> {
        let (terms, trick) = (sight.terms?, sight.on_table()?);
        let called = terms.suits.called(trick.dominoes.first().copied().unwrap_or(domino));
        let power = |domino| terms.suits.power(called, domino);
        let still_to_play = terms.trick_size().saturating_sub(trick.dominoes.len() + 1);
        let next = |seat: &Seat| Some(terms.next_player(*seat));
        let later: Vec<Seat> = successors(next(&sight.seat), next).take(still_to_play).collect();
        let may_hold = |seat: &Seat| sight.unseen() - sight.lacks[seat.index()];
        let out = later.iter().map(may_hold).fold(Hand::EMPTY, |out, held| out | held);
        let mut higher: Vec<Domino> = out.into_iter().filter(|other| power(*other) > power(domino)).collect();
        higher.sort_by_key(|domino| Reverse(power(*domino)));
        let best = sight.best_on_table();
        Some(Self {
            sight,
            terms,
            domino,
            called,
            leads: trick.dominoes.is_empty(),
            holder: best.map(|(seat, _)| seat),
            beats: best.is_none_or(|(_, best)| power(domino) > power(best)),
            later,
            higher,
        })
    }

    /// What is out and would beat it, and what it does.
    fn higher_do(&self, one_does: &str, more_do: &str) -> String {
        format!("{} {}", listed(&self.higher), if self.higher.len() == 1 { one_does } else { more_do })
    }

    fn led(&self) -> String {
        let domino = self.domino;
        if self.terms.suits == Suits::NearestSeven {
            return match self.higher[..] {
                [] => format!("{domino} walks, nothing that is out is nearer to seven"),
                _ => format!("{domino} asks for {}", listed(&self.higher)),
            };
        }
        let (suit, members) = (suit_name(self.called), self.terms.suits.members(self.called));
        let of_the_suit: Vec<Domino> = self.higher.iter().copied().filter(|other| members.contains(*other)).collect();
        let power = |domino| self.terms.suits.power(self.called, domino);
        let own_is_higher = (self.sight.hand & members).into_iter().any(|own| power(own) > power(domino));
        match (self.higher.is_empty(), of_the_suit.is_empty()) {
            (true, _) if domino.is_double() => format!("{domino} walks, nothing of {suit} is higher"),
            (true, _) if own_is_higher => format!("{domino} walks, what is higher in {suit} is mine"),
            (true, _) => format!("{suit} are walked, {domino} is the highest that is left"),
            (false, true) => format!("{domino} walks unless somebody trumps it"),
            (false, false) => format!("{domino} asks for {}", listed(&of_the_suit)),
        }
    }

    fn followed(&self) -> String {
        let domino = self.domino;
        if self.beats {
            return match (self.later.is_empty(), self.higher.is_empty()) {
                (true, _) => format!("{domino} takes the trick"),
                (false, true) => format!("{domino} takes it, nothing that is out beats it"),
                (false, false) => format!("{domino} goes over, {} it", self.higher_do("beats", "beat")),
            };
        }
        match domino.count() {
            0 => format!("{domino} carries no count"),
            count if self.holder == Some(self.sight.seat.partner()) => format!("{count} to my partner's trick"),
            _ => format!("{domino} is what I can spare"),
        }
    }

    fn led_without_wanting(&self) -> String {
        let domino = self.domino;
        match self.higher[..] {
            [] => format!("{domino} is led, nothing that is out goes over it"),
            _ if self.sight.is_bidders() => format!("{domino} is led, {} over it", self.higher_do("goes", "go")),
            _ => format!("{domino} is led for the bidder to go over, with {} out", listed(&self.higher)),
        }
    }

    fn ducked(&self) -> String {
        let domino = self.domino;
        match (self.beats, self.later.is_empty()) {
            (false, _) => format!("{domino} stays below"),
            (true, true) => format!("{domino} takes the trick"),
            (true, false) => format!("{domino} goes over, {} could go higher", listed(&self.higher)),
        }
    }

    fn against_nello(&self) -> String {
        let (domino, bidder) = (self.domino, self.terms.bidder);
        match (self.holder == Some(bidder), self.beats) {
            (true, false) => format!("{domino} leaves the bidder the trick"),
            (true, true) => format!("{domino} has to go over the bidder"),
            _ if self.later.contains(&bidder) => format!("{domino} lies there for the bidder to go over"),
            _ => format!("{domino} goes while the bidder is below"),
        }
    }
}

fn listed(dominoes: &[Domino]) -> String {
    let (named, more) = dominoes.split_at(dominoes.len().min(3));
    let mut names: Vec<String> = named.iter().map(ToString::to_string).collect();
    if !more.is_empty() {
        names.push(format!("{} more", more.len()));
    }
    and(&names).unwrap_or_else(|| "nothing".to_string())
}

/// "a, b and c"; none of nothing.
fn and(words: &[String]) -> Option<String> {
    let (last, before) = words.split_last()?;
    Some(if before.is_empty() { last.clone() } else { format!("{} and {last}", before.join(", ")) })
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
        let word = if seat == sight.seat.partner() {
            "partner"
        } else if seat == sight.seat.left() {
            "left"
        } else {
            "right"
        };
        word.to_string()
    };
    let without: Vec<String> = sight.seat.round().skip(1).filter(|seat| is_without(*seat)).map(who).collect();
    let shows = if without.len() == 1 { "shows" } else { "show" };
    Some(format!("{} {shows} no {}", and(&without)?, suit_name(called)))
}

fn numbers(sight: &Sight, choices: &[Choice]) -> String {
    let word = if sight.is_bidders() { "made" } else { "set" };
    let decided = sight.terms.is_none_or(|terms| terms.outcome(&sight.tally).is_some());
    match choices {
        _ if decided => "the contract is decided".to_string(),
        [] | [_] => "there is no other".to_string(),
        [best, next, ..] => format!("{word} {}", beside(best, next, "the next")),
    }
}

/// A chance beside that of what comes next.
fn beside(best: &Choice, next: &Choice, next_is: &str) -> String {
    let [best, next] = [best, next].map(|choice| percent(choice.chance));
    if best == next {
        format!("{best} of the time, like {next_is}")
    } else {
        format!("{best} of the time, {next} with {next_is}")
    }
}

/// A bid that is made, or bids that are.
fn is_made(bid: Bid) -> String {
    let are_several = bid.kind == BidKind::Marks && bid.value > 1;
    format!("{bid} {} made", if are_several { "are" } else { "is" })
}

pub(crate) fn capitalised(text: &str) -> String {
    let mut text = String::from(text);
    text.get_mut(..1).map(str::make_ascii_uppercase);
    text
}

/// Why something is named.
pub(crate) fn of_a_trump(sight: &Sight, trump: Trump, bid: Bid, choices: &[Choice]) -> String {
    let held = match trump.pip() {
        Some(pip) => match sight.hand.into_iter().filter(|domino| domino.has(pip)).count() {
            1 => format!("one of {trump} in hand"),
            held => format!("{held} {trump} in hand"),
        },
        None if trump == Trump::Nello => "low all over".to_string(),
        None if trump == Trump::Sevens => "near seven all over".to_string(),
        None => match sight.hand.doubles() {
            1 => "one double in hand".to_string(),
            doubles => format!("{doubles} doubles in hand"),
        },
    };
    let next = match choices {
        [best, next, ..] => format!("{} {}", is_made(bid), beside(best, next, "the next best")),
        [best] => format!("{} {} of the time", is_made(bid), percent(best.chance)),
        [] => bid.to_string(),
    };
    format!("{}; {next}.", capitalised(&held))
}

/// Why a bid is made.
pub(crate) fn of_a_bid(sight: &Sight, bid: Bid, trump: Option<Trump>, choice: &Choice) -> String {
    let with = trump.map_or_else(|| "whatever my partner names".to_string(), |trump| trump.to_string());
    let with = capitalised(&with);
    format!(
        "{with}: {} {} of the time, {} on average.",
        is_made(bid),
        percent(choice.chance),
        gain(sight.rules.scoring, choice.marks)
    )
}

/// Why a seat passes.
pub(crate) fn of_a_pass(sight: &Sight, partner_has_it: bool, marks: f64) -> String {
    let who = if partner_has_it { "My partner has it" } else { "Nothing here that pays" };
    format!("{who}; a pass brings {} on average.", gain(sight.rules.scoring, marks))
}
