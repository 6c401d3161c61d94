//! Decides claims (lay-downs): does a seat take the rest against every possible layout and play of the others? The
//! decision is exact and uses only public information and the claimant's hand.
//!
//! To take everything, the claimant must win and lead every trick, so its play is a fixed order of its dominoes. The
//! claim fails as soon as one other seat can take one trick, and only that seat's own earlier plays matter. Whether
//! some layout lets that seat hold what it needs is a matching problem: each unseen domino needs a place in a hand that
//! may hold it.
//!
//! In nello, the bidder needs an answer to everything that the two opponents may hold and play. It sees each domino
//! before it answers. The code searches all of that, after three shortcuts that decide most cases.
//!
//! Inferences from bids do not count.

use arrayvec::ArrayVec;
use texas42_vocab::{Domino, Hand, Seat, sort_by_rank};

use crate::{
    state::State,
    suits::{Suit, Suits},
    terms::{Goal, Terms},
};

/// Whether a claim of this seat, whose turn it is, is correct.
pub fn stands(state: &State, claimant: Seat) -> bool {
    let Some(terms) = &state.terms else { return false };
    let facts = Facts::seen_by_all(state, terms, claimant);
    match terms.goal {
        Goal::NoTrick if claimant == terms.bidder => {
            let position = NelloPosition::of(state, terms, &facts);
            NelloSearch::new(facts.suits, &position).takes_nothing(position)
        }
        Goal::NoTrick => false,
        Goal::Points(_) | Goal::EveryTrick => facts.takes_everything(),
    }
}

/// Public knowledge about another seat.
#[derive(Clone, Copy, Debug)]
struct Other {
    /// The dominoes that it may hold.
    may_hold: Hand,
    /// The number of dominoes that it holds.
    count: usize,
    /// Whether it is still to play to the trick on the table.
    still_to_play: bool,
    /// Whether it takes part in this hand. False for a seat that sits out.
    plays: bool,
}

/// Public knowledge when a hand is laid down.
#[derive(Debug)]
struct Facts {
    suits: Suits,
    /// The hand that is laid down.
    hand: Hand,
    /// The suit that the trick on the table called, and the strength of its best domino.
    table: Option<(Suit, u8)>,
    others: ArrayVec<Other, 3>,
}

/// A trick as the claimant would play it.
#[derive(Clone, Copy, Debug)]
struct Step {
    called: Suit,
    /// The strength of the claimant's domino.
    power: u8,
    /// Whether it is the trick that is already on the table.
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
        let others = claimant.round().skip(1).map(other).collect();
        Self { suits: terms.suits, hand, table, others }
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
            // Equivalent leads need to be tried only once.
            if choices[..number].iter().any(|tried| self.are_equivalent(*tried, domino)) {
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

    /// Whether two leads are equivalent: they call the same suit, and no unseen domino ranks between them.
    fn are_equivalent(&self, stronger: Domino, weaker: Domino) -> bool {
        let called = self.suits.called(stronger);
        let power = |domino| self.suits.power(called, domino);
        let between = |domino| (power(weaker)..power(stronger)).contains(&power(domino));
        let mut unseen = self.others.iter().flat_map(|other| other.may_hold);
        called == self.suits.called(weaker) && !unseen.any(between)
    }

    /// Whether another seat can take the last trick of the order, in some layout with some play.
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

    /// [`Self::can_keep`] under [`Suits::NearestSeven`]. A seat plays its nearest domino first, so each domino that the
    /// taker played before `winner` is at least as near to seven, and each domino that it still holds is no nearer.
    fn can_keep_nearest(&self, taker: usize, winner: Domino, before: usize, places: &mut Places) -> bool {
        let may_hold = self.others[taker].may_hold.without(winner);
        let nearness = |domino| self.suits.power(0, domino);
        let as_near = may_hold.into_iter().filter(|domino| nearness(*domino) >= nearness(winner)).collect();
        let no_nearer = may_hold.into_iter().filter(|domino| nearness(*domino) <= nearness(winner)).collect();
        places.extend((0..before).map(|_| as_near));
        places.extend((places.len()..self.others[taker].count).map(|_| no_nearer));
        self.has_layout(taker, places)
    }

    /// Walks through the earlier tricks: to each, the taker follows suit or shows that it cannot and throws something
    /// away.
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

    /// Whether the unseen dominoes can be dealt so that the taker fills these places and every other seat gets its
    /// number of dominoes.
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

/// The dominoes that each seat cannot hold, inferred from its plays.
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

/// Orders dominoes by strength, trumps first. This order nearly always works, so it is tried first.
fn strongest_first(suits: Suits, choices: Hand) -> ArrayVec<Domino, 7> {
    let mut order: ArrayVec<Domino, 7> = choices.into_iter().collect();
    let power = |domino: &Domino| suits.power(suits.called(*domino), *domino);
    sort_by_rank(&mut order, |domino| (u8::MAX - power(domino)).into());
    order
}

/// Sets of dominoes. A layout takes a different domino from each.
type Places = ArrayVec<Hand, { Domino::COUNT }>;

/// Whether every place can get its own domino (bipartite matching by augmenting paths).
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

/// The index of the bidder in a nello. The two defenders are 0 and 1, starting at the bidder's left.
const BIDDER: usize = 2;

/// A nello position: the bidder's hand and the public knowledge about the defenders.
///
/// The bidder's partner sits out and may hold any unseen domino, so it is not represented here.
#[derive(Clone, Copy, Debug)]
struct NelloPosition {
    /// The bidder's hand.
    hand: Hand,
    /// The dominoes that each defender may hold, and how many it holds.
    may_hold: [Hand; 2],
    counts: [usize; 2],
    /// The called suit of the trick, the strength of its best domino, and who played it.
    best: Option<(Suit, u8, usize)>,
    /// The number of plays to the trick, and who plays next.
    played: usize,
    turn: usize,
}

impl NelloPosition {
    fn of(state: &State, terms: &Terms, facts: &Facts) -> Self {
        let (mut may_hold, mut counts) = ([Hand::EMPTY; 2], [0; 2]);
        for (at, other) in facts.others.iter().filter(|other| other.plays).enumerate() {
            (may_hold[at], counts[at]) = (other.may_hold, other.count);
        }
        let best = facts.table.zip(terms.trick_winner(&state.trick));
        let best = best.map(|((called, power), seat)| (called, power, usize::from(seat != terms.bidder.left())));
        Self { hand: facts.hand, may_hold, counts, best, played: state.trick.len(), turn: BIDDER }
    }

    fn called(&self) -> Option<Suit> {
        self.best.map(|(called, _, _)| called)
    }

    /// The dominoes that a defender may still lead.
    fn leads(&self) -> Hand {
        self.may_hold[0] | self.may_hold[1]
    }

    fn bidder_plays(self, suits: Suits, domino: Domino) -> Self {
        Self { hand: self.hand.without(domino), ..self.with_play(suits, domino) }
    }

    /// The position after a defender plays this domino; `None` if no layout allows it.
    fn other_plays(self, suits: Suits, domino: Domino) -> Option<Self> {
        let mut next = self.with_play(suits, domino);
        let shown = self.called().map_or(Hand::EMPTY, |called| suits.ruled_out(called, domino));
        next.may_hold = self.may_hold.map(|held| held.without(domino));
        next.may_hold[self.turn] = next.may_hold[self.turn] - shown;
        next.counts[self.turn] -= 1;
        next.has_layout().then_some(next)
    }

    fn with_play(self, suits: Suits, domino: Domino) -> Self {
        let called = self.called().unwrap_or_else(|| suits.called(domino));
        let power = suits.power(called, domino);
        let best = self.best.filter(|best| best.1 >= power).or(Some((called, power, self.turn)));
        Self { best, played: self.played + 1, turn: (self.turn + 1) % 3, ..self }
    }

    /// Whether some layout gives both defenders their number of dominoes. The partner gets the rest.
    fn has_layout(&self) -> bool {
        let [one, other] = self.counts;
        self.may_hold[0].len() >= one && self.may_hold[1].len() >= other && self.leads().len() >= one + other
    }
}

/// Cached search results for one subset of the bidder's hand.
///
/// The results are monotonic: a hand that ducks some leads also ducks any subset of them, and a hand that is lost stays
/// lost if the defenders may hold more.
#[derive(Clone, Copy, Debug)]
struct CachedResults {
    /// Leads that the hand ducks, and leads that it cannot all duck (empty if unknown).
    ducked: Hand,
    catching: Hand,
    /// For each defender as leader: what both may hold so that the bidder survives, with the search depth in tricks, and
    /// what they may hold so that it does not.
    survived: [(usize, [Hand; 2]); 2],
    lost: [[Hand; 2]; 2],
}

impl CachedResults {
    const NOTHING: Self = Self {
        ducked: Hand::EMPTY,
        catching: Hand::EMPTY,
        survived: [(0, [Hand::EMPTY; 2]); 2],
        lost: [[Hand::FULL; 2]; 2],
    };
}

fn is_within(part: Hand, whole: Hand) -> bool {
    (part - whole).is_empty()
}

fn are_within(parts: [Hand; 2], wholes: [Hand; 2]) -> bool {
    is_within(parts[0], wholes[0]) && is_within(parts[1], wholes[1])
}

/// The nello search: can the bidder avoid every trick?
///
/// It tries every play of the defenders that some layout allows, and fixes what they hold only as they play it. The
/// bidder needs one answer to each play. Three shortcuts keep the search small. Two are sufficient conditions for the
/// bidder: it ducks every lead without help of the third hand ([`Self::ducks`]), or the defenders who could catch it
/// cannot get the lead in time ([`Self::is_out_of_reach`]). The third finds a single layout that catches the bidder
/// ([`Self::is_caught`]).
struct NelloSearch {
    suits: Suits,
    /// The hand that is laid down, and the dominoes that the defenders may lead.
    hand: Hand,
    leads: Hand,
    /// Results by subset of the hand, see [`Self::slot`].
    cache: [CachedResults; 1 << Hand::DEALT],
}

impl NelloSearch {
    fn new(suits: Suits, position: &NelloPosition) -> Self {
        Self { suits, hand: position.hand, leads: position.leads(), cache: [CachedResults::NOTHING; 1 << Hand::DEALT] }
    }

    /// Whether the bidder takes no trick. Deepens iteratively by one trick, because most claims that fail do so early.
    fn takes_nothing(&mut self, position: NelloPosition) -> bool {
        (0..=position.hand.len()).all(|tricks| self.survives(position, tricks))
    }

    /// Whether the bidder survives this trick and `tricks` more. `false` is final; `true` is final if no tricks are left
    /// after that.
    fn survives(&mut self, position: NelloPosition, tricks: usize) -> bool {
        match position.best {
            Some((_, _, BIDDER)) if position.played == 3 => false,
            Some((_, _, winner)) if position.played == 3 => {
                self.survives_lead(NelloPosition { best: None, played: 0, turn: winner, ..position }, tricks)
            }
            _ => self.ducks_trick(&position) || self.survives_play(position, tricks),
        }
    }

    /// [`Self::survives`] for a position in which a defender is to lead.
    fn survives_lead(&mut self, position: NelloPosition, tricks: usize) -> bool {
        if self.ducks(position.hand, position.leads()) {
            return true;
        }
        let (slot, leader) = (self.slot(position.hand), position.turn);
        let (seen, widest) = self.cache[slot].survived[leader];
        if are_within(self.cache[slot].lost[leader], position.may_hold) {
            return false;
        }
        if seen > tricks && are_within(position.may_hold, widest) {
            return true;
        }
        let answer = !self.is_caught(&position)
            && (tricks == 0 || self.is_out_of_reach(&position) || self.survives_play(position, tricks - 1));
        if answer {
            self.cache[slot].survived[leader] = (tricks + 1, position.may_hold);
        } else {
            self.cache[slot].lost[leader] = position.may_hold;
        }
        answer
    }

    /// [`Self::survives`] by trying the plays: one play of the bidder must succeed, against every play of the
    /// defenders.
    fn survives_play(&mut self, position: NelloPosition, tricks: usize) -> bool {
        let suits = self.suits;
        if position.turn == BIDDER {
            let choices = suits.playable(position.hand, position.called());
            return choices.into_iter().any(|domino| self.survives(position.bidder_plays(suits, domino), tricks));
        }
        // Try the plays that do not take the trick first. They are the most dangerous for the bidder.
        let held = position.may_hold[position.turn];
        let stays_below = |domino: &Domino| position.best.is_some_and(|best| suits.power(best.0, *domino) <= best.1);
        let below: Hand = held.into_iter().filter(stays_below).collect();
        let mut choices = below.into_iter().chain(held - below);
        choices.all(|domino| position.other_plays(suits, domino).is_none_or(|next| self.survives(next, tricks)))
    }

    /// Whether the bidder ducks this trick, without help of later plays, and all later leads.
    fn ducks_trick(&mut self, position: &NelloPosition) -> bool {
        let Some((called, power, winner)) = position.best else { return false };
        let has_played = position.turn != BIDDER && position.played > position.turn;
        if has_played {
            return winner != BIDDER && self.ducks(position.hand, position.leads());
        }
        let mut choices = self.below(position.hand, called, power).into_iter();
        choices.any(|domino| self.ducks(position.hand.without(domino), position.leads()))
    }

    /// The legal plays to a called suit that stay below a strength.
    fn below(&self, hand: Hand, called: Suit, power: u8) -> Hand {
        let choices = self.suits.playable(hand, Some(called)).into_iter();
        choices.filter(|domino| self.suits.power(called, *domino) < power).collect()
    }

    /// Whether the hand ducks these leads in any order, without help of the third hand.
    fn ducks(&mut self, hand: Hand, leads: Hand) -> bool {
        // Trying all leads first gives a result that answers most later queries.
        self.catching(hand, self.leads).is_empty() || self.catching(hand, leads).is_empty()
    }

    /// A subset of the leads with which one leader catches the hand; empty if the hand ducks them all.
    fn catching(&mut self, hand: Hand, leads: Hand) -> Hand {
        let slot = self.slot(hand);
        let CachedResults { ducked, catching, .. } = self.cache[slot];
        if hand.is_empty() || is_within(leads, ducked) {
            return Hand::EMPTY;
        }
        if !catching.is_empty() && is_within(catching, leads) {
            return catching;
        }
        let mut distinct = self.distinct_leads(hand, leads).into_iter();
        let answer = distinct.find_map(|lead| self.caught_by(hand, leads, lead));
        match answer {
            Some(catching) => self.cache[slot].catching = catching,
            None => self.cache[slot].ducked = leads,
        }
        answer.unwrap_or(Hand::EMPTY)
    }

    /// [`Self::catching`] with `lead` as the first lead; `None` if the hand ducks them all.
    fn caught_by(&mut self, hand: Hand, leads: Hand, lead: Domino) -> Option<Hand> {
        let called = self.suits.called(lead);
        let mut needed = Hand::EMPTY.with(lead);
        for domino in self.below(hand, called, self.suits.power(called, lead)) {
            let more = self.catching(hand.without(domino), leads.without(lead));
            if more.is_empty() {
                return None;
            }
            needed |= more;
        }
        Some(needed)
    }

    /// One lead of each group of equivalent leads: same suit, and the same number of the bidder's dominoes below. All
    /// leads of suits that the bidder does not hold form one group. Leads with the fewest dominoes below come first.
    fn distinct_leads(&self, hand: Hand, leads: Hand) -> ArrayVec<Domino, { Domino::COUNT }> {
        let suits = self.suits;
        let gap = |lead: Domino| {
            let called = suits.called(lead);
            let held = hand & suits.members(called);
            let below = self.below(held, called, suits.power(called, lead)).len() as u8;
            if held.is_empty() { (u8::MAX, 0) } else { (below, called) }
        };
        let mut distinct: ArrayVec<((u8, Suit), Domino), { Domino::COUNT }> = ArrayVec::new();
        // The highest lead of a group is the hardest for the third hand to beat.
        for (gap, lead) in leads.into_iter().rev().map(|lead| (gap(lead), lead)) {
            if !distinct.iter().any(|(known, _)| *known == gap) {
                distinct.push((gap, lead));
            }
        }
        sort_by_rank(&mut distinct, |((below, called), _)| u64::from(*below) << 8 | u64::from(*called));
        distinct.into_iter().map(|(_, lead)| lead).collect()
    }

    /// Whether the leader can hold leads that catch the bidder while the third hand holds nothing that beats any of
    /// them.
    fn is_caught(&mut self, position: &NelloPosition) -> bool {
        let suits = self.suits;
        let third = 1 - position.turn;
        let catching = self.catching(position.hand, position.may_hold[position.turn]);
        let power = |lead: Domino, domino| suits.power(suits.called(lead), domino);
        let is_harmless = |domino: &Domino| catching.into_iter().all(|lead| power(lead, *domino) < power(lead, lead));
        let mut layout = *position;
        layout.may_hold[third] = layout.may_hold[third].into_iter().filter(is_harmless).collect();
        !catching.is_empty() && layout.has_layout()
    }

    /// Whether the bidder can discard every domino that could be caught before a defender who could catch it leads. This
    /// assumes that leads never run out and that a defender who may beat a lead may lead next.
    fn is_out_of_reach(&self, position: &NelloPosition) -> bool {
        self.is_out_of_reach_of(position.turn, position.hand, position, &mut [[None; 2]; 1 << Hand::DEALT])
    }

    fn is_out_of_reach_of(&self, leader: usize, hand: Hand, position: &NelloPosition, cache: &mut ReachCache) -> bool {
        if hand.is_empty() {
            return true;
        }
        let slot = self.slot(hand);
        if let Some(answer) = cache[slot][leader] {
            return answer;
        }
        let answer = position.may_hold[leader].into_iter().all(|lead| {
            let (called, power) = (self.suits.called(lead), self.suits.power(self.suits.called(lead), lead));
            let beats = |domino| self.suits.power(called, domino) > power;
            let can_take_over = || (position.may_hold[1 - leader] & self.suits.members(called)).into_iter().any(beats);
            self.below(hand, called, power).into_iter().any(|domino| {
                let left = hand.without(domino);
                self.is_out_of_reach_of(leader, left, position, cache)
                    && (!can_take_over() || self.is_out_of_reach_of(1 - leader, left, position, cache))
            })
        });
        cache[slot][leader] = Some(answer);
        answer
    }

    /// The index of a subset of the hand.
    fn slot(&self, part: Hand) -> usize {
        let places = self.hand.into_iter().enumerate().filter(|(_, domino)| part.contains(*domino));
        places.map(|(place, _)| 1 << place).sum()
    }
}

/// Results of [`NelloSearch::is_out_of_reach_of`] by subset of the hand and leader.
type ReachCache = [[Option<bool>; 2]; 1 << Hand::DEALT];
