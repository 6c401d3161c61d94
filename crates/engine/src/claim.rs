//! Lay-downs: does a seat take the rest, whatever the others hold and play? Decided exactly, from what everybody has
//! seen and the hand that is laid down; the true hands of the others are never looked at.
//!
//! Three facts make it short. A claimant who takes every trick leads to every trick, so its play is one fixed order of
//! its dominoes. The claim fails as soon as *one* other seat can take *one* trick, and that seat's own plays before are
//! the only ones that matter. And whether some layout lets that seat hold what it needs is a question of matching: each
//! unseen domino has to find a place in a hand that has not shown to be without it.
//!
//! Where the contract is to take nothing, the bidder instead has to find a domino under every lead that the others may
//! make; the third hand is never counted on to help. What a bid tells about a hand does not count as seen.

use alloc::collections::BTreeMap;

use arrayvec::ArrayVec;
use texas42_vocab::{Domino, Hand, Seat};

use crate::{
    state::State,
    suits::{Suit, Suits},
    terms::{Goal, Terms},
};

/// Whether the seat, whose turn it is, has the rest.
pub fn stands(state: &State, claimant: Seat) -> bool {
    let Some(terms) = &state.terms else { return false };
    let facts = Facts::seen_by_all(state, terms, claimant);
    match terms.goal {
        Goal::NoTrick => Ducking { facts: &facts, known: BTreeMap::new() }.takes_nothing(),
        Goal::Points(_) | Goal::EveryTrick => facts.takes_everything(),
    }
}

/// One of the others, as far as everybody knows.
#[derive(Clone, Copy, Debug)]
struct Other {
    /// What it may hold.
    may_hold: Hand,
    /// How many it holds.
    count: usize,
    /// Whether it still plays to the trick on the table.
    still_to_play: bool,
    /// Whether it plays at all.
    plays: bool,
}

/// What everybody knows when a hand is laid down.
#[derive(Debug)]
struct Facts {
    suits: Suits,
    /// The hand that is laid down.
    hand: Hand,
    /// The suit that the trick on the table called, and the strength of its best domino.
    table: Option<(Suit, u8)>,
    others: ArrayVec<Other, 3>,
    /// Where only the claimant's domino is missing from the trick: what whoever has it so far may hold.
    winner_may_hold: Option<Hand>,
}

/// A trick as the claimant would play it.
#[derive(Clone, Copy, Debug)]
struct Step {
    called: Suit,
    /// The strength of the claimant's domino.
    power: u8,
    /// Whether it is the trick that lies on the table already.
    on_table: bool,
}

impl Facts {
    fn seen_by_all(state: &State, terms: &Terms, claimant: Seat) -> Self {
        let hand = state.hands[claimant.index()];
        let unseen = !(state.seen() | hand);
        let ruled_out = shown_to_lack(state, terms);
        let other = |seat: Seat| Other {
            may_hold: unseen - ruled_out[seat.index()],
            count: state.hands[seat.index()].len(),
            still_to_play: terms.sits_out != Some(seat) && !state.trick.plays().any(|(played, _)| played == seat),
            plays: terms.sits_out != Some(seat),
        };
        let table = terms.called(&state.trick).map(|called| (called, terms.best_power(&state.trick)));
        let others: ArrayVec<Other, 3> = claimant.round().skip(1).map(other).collect();
        let is_last = !others.iter().any(|other| other.still_to_play);
        let winner = terms.trick_winner(&state.trick).filter(|_| is_last);
        let winner_may_hold = winner.map(|seat| unseen - ruled_out[seat.index()]);
        Self { suits: terms.suits, hand, table, others, winner_may_hold }
    }

    fn takes_everything(&self) -> bool {
        self.order_exists(self.hand, &mut ArrayVec::new())
    }

    /// Whether the dominoes that are left can be played in some order that nobody can break.
    fn order_exists(&self, left: Hand, order: &mut ArrayVec<Step, 7>) -> bool {
        if left.is_empty() {
            return true;
        }
        let table = self.table.filter(|_| order.is_empty());
        let choices = self.suits.playable(left, table.map(|(called, _)| called));
        let choices = strongest_first(self.suits, choices);
        for (number, domino) in choices.iter().copied().enumerate() {
            // Of leads that are alike one is enough.
            if choices[..number].iter().any(|tried| self.are_alike(*tried, domino)) {
                continue;
            }
            let (called, best) = table.unwrap_or_else(|| (self.suits.called(domino), 0));
            let power = self.suits.power(called, domino);
            if power <= best {
                continue;
            }
            order.push(Step { called, power, on_table: table.is_some() });
            if !self.last_can_be_taken(order) && self.order_exists(left.without(domino), order) {
                return true;
            }
            order.pop();
        }
        false
    }

    /// Whether two leads cannot be told apart: they call the same suit, and nothing that is unseen stands between them.
    fn are_alike(&self, stronger: Domino, weaker: Domino) -> bool {
        let called = self.suits.called(stronger);
        let power = |domino| self.suits.power(called, domino);
        let between = |domino| (power(weaker)..power(stronger)).contains(&power(domino));
        let mut unseen = self.others.iter().flat_map(|other| other.may_hold);
        called == self.suits.called(weaker) && !unseen.any(between)
    }

    /// Whether some layout and some play let somebody take the last trick of the order.
    fn last_can_be_taken(&self, order: &[Step]) -> bool {
        let Some((last, before)) = order.split_last() else { return false };
        (0..self.others.len()).any(|taker| self.can_take(taker, last, before))
    }

    fn can_take(&self, taker: usize, last: &Step, before: &[Step]) -> bool {
        let other = &self.others[taker];
        if !takes_part(other, last) {
            return false;
        }
        let before: ArrayVec<Step, 7> = before.iter().copied().filter(|step| takes_part(other, step)).collect();
        let beats = |domino: &Domino| self.suits.power(last.called, *domino) > last.power;
        other.may_hold.into_iter().filter(beats).any(|winner| self.can_keep(taker, winner, last, &before))
    }

    /// Whether the taker can hold `winner` until the last trick and may then play it there.
    fn can_keep(&self, taker: usize, winner: Domino, last: &Step, before: &[Step]) -> bool {
        let may_hold = self.others[taker].may_hold.without(winner);
        let mut places = ArrayVec::from_iter([Hand::EMPTY.with(winner)]);
        if self.suits == Suits::NearestSeven {
            return self.can_keep_nearest(taker, winner, before.len(), &mut places);
        }
        self.can_follow_on(taker, winner, last, before, may_hold, &mut places)
    }

    /// Where the nearest goes first, everything played before is at least as near, and everything kept at most.
    fn can_keep_nearest(&self, taker: usize, winner: Domino, before: usize, places: &mut Places) -> bool {
        let may_hold = self.others[taker].may_hold.without(winner);
        let nearness = |domino| self.suits.power(0, domino);
        let as_near = may_hold.into_iter().filter(|domino| nearness(*domino) >= nearness(winner)).collect();
        let no_nearer = may_hold.into_iter().filter(|domino| nearness(*domino) <= nearness(winner)).collect();
        places.extend((0..before).map(|_| as_near));
        places.extend((places.len()..self.others[taker].count).map(|_| no_nearer));
        self.has_layout(taker, places)
    }

    /// Walks through the earlier tricks: to each, the taker follows suit or shows that it cannot and throws something away.
    fn can_follow_on(
        &self,
        taker: usize,
        winner: Domino,
        last: &Step,
        before: &[Step],
        may_keep: Hand,
        places: &mut Places,
    ) -> bool {
        let Some((step, later)) = before.split_first() else {
            return self.can_play_now(taker, winner, last, may_keep, places);
        };
        let suit = self.suits.members(step.called);
        let mut branch = |played: Hand, keeps: Hand| {
            places.push(played);
            let found = !played.is_empty() && self.can_follow_on(taker, winner, last, later, keeps, places);
            places.pop();
            found
        };
        branch(may_keep & suit, may_keep) || (!suit.contains(winner) && branch(may_keep - suit, may_keep - suit))
    }

    fn can_play_now(&self, taker: usize, winner: Domino, last: &Step, may_keep: Hand, places: &Places) -> bool {
        let suit = self.suits.members(last.called);
        let kept = if suit.contains(winner) { may_keep } else { may_keep - suit };
        let mut places = places.clone();
        places.extend((places.len()..self.others[taker].count).map(|_| kept));
        self.has_layout(taker, &places)
    }

    /// Whether the unseen dominoes can be dealt so that the taker fills these places and everybody else is content.
    fn has_layout(&self, taker: usize, places: &Places) -> bool {
        let mut all = places.clone();
        for (_, other) in self.others.iter().enumerate().filter(|(number, _)| *number != taker) {
            all.extend((0..other.count).map(|_| other.may_hold));
        }
        matches_all(&all)
    }
}

fn takes_part(other: &Other, step: &Step) -> bool {
    if step.on_table { other.still_to_play } else { other.plays }
}

/// What each seat has shown not to hold, from every domino that it has played.
fn shown_to_lack(state: &State, terms: &Terms) -> [Hand; 4] {
    let mut lacks = [Hand::EMPTY; 4];
    for trick in state.taken().iter().chain([&state.trick]) {
        let Some(called) = terms.called(trick) else { continue };
        for (seat, domino) in trick.plays() {
            lacks[seat.index()] |= terms.suits.ruled_out(called, domino);
        }
    }
    lacks
}

/// Trumps from the top, then the rest from the top: the order that nearly always works is tried first.
fn strongest_first(suits: Suits, choices: Hand) -> ArrayVec<Domino, 7> {
    let mut order: ArrayVec<Domino, 7> = choices.into_iter().collect();
    order.sort_by_key(|domino| core::cmp::Reverse(suits.power(suits.called(*domino), *domino)));
    order
}

/// Sets of dominoes from each of which a different one has to be taken.
type Places = ArrayVec<Hand, { Domino::COUNT }>;

/// Whether every place can have a domino of its own (augmenting paths).
fn matches_all(places: &Places) -> bool {
    let mut holder = [None; Domino::COUNT];
    (0..places.len()).all(|place| {
        let mut tried = Hand::EMPTY;
        find_domino(places, place, &mut holder, &mut tried)
    })
}

fn find_domino(places: &Places, place: usize, holder: &mut [Option<usize>; Domino::COUNT], tried: &mut Hand) -> bool {
    for domino in places[place] {
        if tried.contains(domino) {
            continue;
        }
        *tried = tried.with(domino);
        let free = match holder[domino.index()] {
            None => true,
            Some(other) => find_domino(places, other, holder, tried),
        };
        if free {
            holder[domino.index()] = Some(place);
            return true;
        }
    }
    false
}

/// The search of a bidder who has to take nothing.
struct Ducking<'a> {
    facts: &'a Facts,
    /// For a hand and the leads that are gone: whether the rest can be ducked.
    known: BTreeMap<(u32, u32), bool>,
}

impl Ducking<'_> {
    fn takes_nothing(&mut self) -> bool {
        let facts = self.facts;
        let choices = facts.suits.playable(facts.hand, facts.table.map(|(called, _)| called));
        choices.into_iter().any(|domino| {
            let (called, best) = facts.table.unwrap_or_else(|| (facts.suits.called(domino), 0));
            let power = facts.suits.power(called, domino);
            let loses = power < best || self.is_surely_beaten(called, power);
            let leads = facts.winner_may_hold.unwrap_or_else(|| self.every_lead());
            loses && self.ducks_all(facts.hand.without(domino), Hand::EMPTY, leads)
        })
    }

    /// Whether one of those still to play has to take the trick, in every layout.
    fn is_surely_beaten(&self, called: Suit, power: u8) -> bool {
        let facts = self.facts;
        let suit = facts.suits.members(called);
        let higher: Hand = suit.into_iter().filter(|domino| facts.suits.power(called, *domino) > power).collect();
        let to_play: ArrayVec<usize, 3> = (0..facts.others.len()).filter(|n| facts.others[*n].still_to_play).collect();
        // Each of them can stay below either by holding nothing higher or by holding something lower to follow with.
        let ways = 1 << to_play.len();
        !(0..ways).any(|way: usize| {
            let mut places = Places::new();
            for (number, other) in facts.others.iter().enumerate() {
                let bit = to_play.iter().position(|n| *n == number);
                let follows_low = bit.is_some_and(|bit| way >> bit & 1 == 1);
                if follows_low {
                    places.push(other.may_hold & (suit - higher));
                }
                let held = if bit.is_some() && !follows_low { other.may_hold - higher } else { other.may_hold };
                places.extend((usize::from(follows_low)..other.count).map(|_| held));
            }
            matches_all(&places)
        })
    }

    /// Whether every lead that the others may still make can be ducked, and every lead after it.
    fn ducks(&mut self, hand: Hand, gone: Hand) -> bool {
        if let Some(known) = self.known.get(&(hand.bits(), gone.bits())) {
            return *known;
        }
        let answer = self.ducks_all(hand, gone, self.every_lead() - gone);
        self.known.insert((hand.bits(), gone.bits()), answer);
        answer
    }

    /// Whether each of these leads can be ducked, and every lead after it.
    fn ducks_all(&mut self, hand: Hand, gone: Hand, leads: Hand) -> bool {
        if hand.is_empty() {
            return true;
        }
        let (leads, elsewhere) = self.unlike_leads(hand, leads);
        leads.into_iter().all(|lead| self.ducks_under(hand, gone, lead)) && (!elsewhere || self.throws_away(hand, gone))
    }

    /// Whatever somebody who plays may hold, and so may lead.
    fn every_lead(&self) -> Hand {
        let players = self.facts.others.iter().filter(|other| other.plays);
        players.fold(Hand::EMPTY, |leads, other| leads | other.may_hold)
    }

    fn ducks_under(&mut self, hand: Hand, gone: Hand, lead: Domino) -> bool {
        let suits = self.facts.suits;
        let called = suits.called(lead);
        let under = |domino: &Domino| suits.power(called, *domino) < suits.power(called, lead);
        let choices = suits.playable(hand, Some(called));
        choices.into_iter().filter(under).any(|domino| self.ducks(hand.without(domino), gone.with(lead)))
    }

    /// A lead of a suit that the bidder does not hold lets it throw away what it likes.
    fn throws_away(&mut self, hand: Hand, gone: Hand) -> bool {
        hand.into_iter().any(|domino| self.ducks(hand.without(domino), gone))
    }

    /// One lead for each suit and each gap between the bidder's dominoes of it, because leads in one gap are all alike;
    /// and whether a suit can be led that the bidder does not hold.
    fn unlike_leads(&self, hand: Hand, possible: Hand) -> (ArrayVec<Domino, { Domino::COUNT }>, bool) {
        let suits = self.facts.suits;
        let mut gaps: ArrayVec<(Suit, usize), { Domino::COUNT }> = ArrayVec::new();
        let (mut chosen, mut elsewhere) = (ArrayVec::new(), false);
        for lead in possible {
            let called = suits.called(lead);
            let held = hand & suits.members(called);
            let below = held.into_iter().filter(|d| suits.power(called, *d) < suits.power(called, lead)).count();
            elsewhere |= held.is_empty();
            if !held.is_empty() && !gaps.contains(&(called, below)) {
                gaps.push((called, below));
                chosen.push(lead);
            }
        }
        (chosen, elsewhere)
    }
}
