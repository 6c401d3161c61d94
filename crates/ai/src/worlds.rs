//! The worlds of a seat: every deal of the unseen dominoes that is consistent with what it knows.
//!
//! A table counts the ways to deal the remaining dominoes, one by one, to the seats that may hold them. So a world is a
//! number below the count: a random number draws a uniform world without rejection, and counting up enumerates them.
//!
//! Trumps and high dominoes are dealt first, so that worlds with nearby numbers agree on what matters most. Stratified
//! sampling makes use of this: each world stays equally likely, but the trumps are distributed in a small sample about
//! as in all worlds.

use alloc::{vec, vec::Vec};

use arrayvec::ArrayVec;
use texas42_vocab::{Domino, Hand, Seat, sort_by_rank};

use crate::{knowledge::Knowledge, random::Random};

/// The number of combinations of dominoes needed by the first two hidden seats, 0 to 7 each.
const HELD: usize = 8 * 8;

/// What is still to be dealt: dominoes to the first two hidden seats, and promised doubles to all three.
#[derive(Clone, Copy, Debug)]
struct Needs {
    dominoes: [usize; 2],
    /// The doubles due to the three seats as one number, see [`Promises`].
    doubles: usize,
}

/// The minimum number of doubles of each hidden seat. The doubles still due are encoded as one mixed-radix number with
/// a digit per seat, so that the table is small if there are no promises.
#[derive(Clone, Copy, Debug)]
struct Promises([usize; 3]);

impl Promises {
    /// All promised doubles are due.
    fn all(self) -> usize {
        self.weight(3) - 1
    }

    /// The weight of a seat's digit. For `seat == 3`, the number of codes.
    fn weight(self, seat: usize) -> usize {
        self.0[..seat].iter().map(|least| least + 1).product()
    }

    /// The doubles due after a seat is dealt a double.
    fn after(self, due: usize, seat: usize) -> usize {
        let weight = self.weight(seat);
        let digit = due / weight % (self.0[seat] + 1);
        due - weight * digit.min(1)
    }
}

/// Dominoes in the order in which they are dealt.
type InOrder = ArrayVec<Domino, { Domino::COUNT }>;

/// The dominoes that a seat does not see, trumps and high dominoes first. Before trumps are named, doubles and count
/// dominoes come first.
fn most_important_first(knowledge: &Knowledge) -> InOrder {
    let mut unseen: InOrder = knowledge.unseen().into_iter().collect();
    let power = |domino: Domino| match knowledge.terms {
        Some(terms) => terms.suits.power(terms.suits.called(domino), domino),
        None => u8::from(domino.is_double()),
    };
    let worth = |domino: &Domino| [power(*domino), domino.count(), domino.index() as u8];
    sort_by_rank(&mut unseen, |domino| {
        worth(domino).iter().fold(0, |rank, part| rank << 8 | u64::from(u8::MAX - part))
    });
    unseen
}

/// All worlds that are consistent with what a seat knows, numbered from 0.
#[derive(Clone, Debug)]
pub struct Worlds {
    /// The visible hands.
    shown: [Hand; 4],
    /// The hidden dominoes, and the seats that hold them: the seat, the dominoes it may hold, and how many it holds.
    unseen: InOrder,
    hidden: [(Seat, Hand, usize); 3],
    promises: Promises,
    /// The number of ways to deal a domino and all later ones, for each domino and what is still needed then.
    ways: Vec<u64>,
}

impl Worlds {
    /// The worlds that are consistent with what a seat knows.
    pub fn new(knowledge: &Knowledge) -> Self {
        let unseen = knowledge.unseen();
        let mut seats = Seat::ALL.into_iter().filter(|seat| knowledge.shown[seat.index()].is_none());
        let hidden = [(); 3].map(|()| match seats.next() {
            Some(seat) => (seat, unseen - knowledge.lacks[seat.index()], knowledge.counts[seat.index()]),
            None => (knowledge.seat, Hand::EMPTY, 0),
        });
        let promised = |(seat, _, count): (Seat, Hand, usize)| knowledge.promised_doubles(seat).min(count);
        let promises = Promises(hidden.map(promised));
        Self::deal(knowledge.shown.map(Option::unwrap_or_default), most_important_first(knowledge), hidden, promises)
    }

    fn deal(shown: [Hand; 4], unseen: InOrder, hidden: [(Seat, Hand, usize); 3], promises: Promises) -> Self {
        let mut worlds = Self { shown, unseen, hidden, promises, ways: Vec::new() };
        worlds.count_ways();
        worlds
    }

    /// Fills the table from the last domino to the first.
    fn count_ways(&mut self) {
        let dominoes = self.unseen.len();
        let last = self.place(dominoes, Needs { dominoes: [0; 2], doubles: 0 });
        let most = self.needs();
        self.ways = vec![0; self.place(dominoes + 1, Needs { dominoes: [0; 2], doubles: 0 })];
        self.ways[last] = u64::from(dominoes == self.hidden.iter().map(|(.., need)| *need).sum::<usize>());
        for at in (0..dominoes).rev() {
            for first in 0..=most.dominoes[0] {
                for second in 0..=most.dominoes[1] {
                    for doubles in 0..=most.doubles {
                        let needs = Needs { dominoes: [first, second], doubles };
                        let place = self.place(at, needs);
                        self.ways[place] = (0..3).map(|to| self.ways_to(at, needs, to)).sum();
                    }
                }
            }
        }
    }

    /// The index into the table of ways.
    fn place(&self, at: usize, needs: Needs) -> usize {
        let [first, second] = needs.dominoes;
        (at * HELD + (first << 3 | second)) * self.promises.weight(3) + needs.doubles
    }

    /// The number of ways to deal a domino to one of the hidden seats, and then the rest.
    fn ways_to(&self, at: usize, needs: Needs, to: usize) -> u64 {
        let left = self.unseen.len() - at;
        let [first, second] = needs.dominoes;
        let third = left.checked_sub(first + second).filter(|third| *third <= Hand::DEALT);
        let Some(third) = third else { return 0 };
        if [first, second, third][to] == 0 || !self.hidden[to].1.contains(self.unseen[at]) {
            return 0;
        }
        self.ways[self.place(at + 1, self.after(at, needs, to))]
    }

    /// What is still needed after dealing a domino to one of the hidden seats.
    fn after(&self, at: usize, mut needs: Needs, to: usize) -> Needs {
        if let Some(need) = needs.dominoes.get_mut(to) {
            *need -= 1;
        }
        if self.unseen[at].is_double() {
            needs.doubles = self.promises.after(needs.doubles, to);
        }
        needs
    }

    /// The number of worlds. At least one, if the view is of a valid game.
    pub fn count(&self) -> u64 {
        self.ways.get(self.place(0, self.needs())).copied().unwrap_or(0)
    }

    fn needs(&self) -> Needs {
        Needs { dominoes: [self.hidden[0].2, self.hidden[1].2], doubles: self.promises.all() }
    }

    /// The hands in the world with this number, which must be below [`Worlds::count`].
    pub fn world(&self, mut number: u64) -> [Hand; 4] {
        let mut hands = self.shown;
        let mut needs = self.needs();
        for (at, domino) in self.unseen.iter().enumerate() {
            for to in 0..3 {
                let ways = self.ways_to(at, needs, to);
                if number < ways {
                    let hand = &mut hands[self.hidden[to].0.index()];
                    *hand = hand.with(*domino);
                    needs = self.after(at, needs, to);
                    break;
                }
                number -= ways;
            }
        }
        hands
    }

    /// All worlds, in order.
    pub fn all(&self) -> Vec<[Hand; 4]> {
        (0..self.count()).map(|number| self.world(number)).collect()
    }

    /// A sample of `many` worlds, drawn independently with replacement.
    pub fn sample(&self, many: u32, random: &mut Random) -> Vec<[Hand; 4]> {
        let count = self.count();
        (0..many).map(|_| self.world(random.below(count))).collect()
    }

    /// A stratified sample: one world from each of `many` equal parts, in random order. There must be at least `many`
    /// worlds.
    pub fn sample_stratified(&self, many: u32, random: &mut Random) -> Vec<[Hand; 4]> {
        let count = self.count();
        // The parts can differ in size by one world. A random start keeps every world equally likely.
        let first = random.below(count);
        let start = |part: u32| count * u64::from(part) / u64::from(many);
        let from = |part: u32| (first + start(part) + random.below(start(part + 1) - start(part))) % count;
        let mut worlds: Vec<[Hand; 4]> = (0..many).map(from).map(|number| self.world(number)).collect();
        random.shuffle(&mut worlds);
        worlds
    }
}

#[cfg(test)]
mod tests {
    use alloc::collections::BTreeMap;

    use super::*;

    fn hand(numbers: impl IntoIterator<Item = u8>) -> Hand {
        numbers.into_iter().filter_map(Domino::from_index).collect()
    }

    /// Worlds of three hidden seats over the dominoes below `dominoes`.
    fn worlds(dominoes: u8, may: [Hand; 3], needs: [usize; 3], doubles: [usize; 3]) -> Worlds {
        let seats = [Seat::ALL[1], Seat::ALL[2], Seat::ALL[3]];
        let hidden = [0, 1, 2].map(|at| (seats[at], may[at], needs[at]));
        Worlds::deal([Hand::EMPTY; 4], hand(0..dominoes).into_iter().collect(), hidden, Promises(doubles))
    }

    fn random_case(random: &mut Random) -> (u8, [Hand; 3], [usize; 3], [usize; 3]) {
        let needs = [(); 3].map(|()| 1 + random.below(3) as usize);
        let dominoes = needs.iter().sum::<usize>() as u8;
        let may = [(); 3].map(|()| hand((0..dominoes).filter(|_| random.below(4) > 0)));
        (dominoes, may, needs, [(); 3].map(|()| random.below(3) as usize))
    }

    fn fits(hands: [Hand; 4], dominoes: u8, may: [Hand; 3], needs: [usize; 3], doubles: [usize; 3]) -> bool {
        let three = [hands[1], hands[2], hands[3]];
        let all = three.iter().fold(Hand::EMPTY, |all, hand| all | *hand);
        all == hand(0..dominoes)
            && (0..3).all(|at| three[at].len() == needs[at] && (three[at] - may[at]).is_empty())
            && (0..3).all(|at| three[at].doubles() >= doubles[at])
    }

    fn by_brute_force(dominoes: u8, may: [Hand; 3], needs: [usize; 3], doubles: [usize; 3]) -> u64 {
        let deals = 3_u64.pow(u32::from(dominoes));
        let dealt = |mut number: u64| {
            let mut hands = [Hand::EMPTY; 4];
            for domino in hand(0..dominoes) {
                let seat = 1 + (number % 3) as usize;
                hands[seat] = hands[seat].with(domino);
                number /= 3;
            }
            hands
        };
        (0..deals).filter(|number| fits(dealt(*number), dominoes, may, needs, doubles)).count() as u64
    }

    #[test]
    fn a_fresh_deal_has_399_072_960_worlds() {
        assert_eq!(worlds(21, [Hand::FULL; 3], [7; 3], [0; 3]).count(), 399_072_960);
    }

    #[test]
    fn counts_match_brute_force_and_numbers_give_distinct_worlds() {
        let mut random = Random::new(6);
        let mut promised = [0; 4];
        for _ in 0..120 {
            let (dominoes, may, needs, doubles) = random_case(&mut random);
            let worlds = worlds(dominoes, may, needs, doubles);
            assert_eq!(worlds.count(), by_brute_force(dominoes, may, needs, doubles));
            let by = doubles.iter().filter(|least| **least > 0).count();
            promised[by] += u32::from(worlds.count() > 0);
            let all: BTreeMap<_, _> = (0..worlds.count()).map(|n| (worlds.world(n).map(Hand::bits), n)).collect();
            assert_eq!(all.len() as u64, worlds.count());
            assert!((0..worlds.count()).all(|number| fits(worlds.world(number), dominoes, may, needs, doubles)));
        }
        assert!(promised.iter().all(|cases| *cases > 0), "{promised:?}");
    }

    /// A chi-square test with a fixed seed.
    #[test]
    fn samples_are_uniform() {
        let may = [hand([0, 1, 2, 3, 5]), hand([0, 1, 2, 3, 4, 5, 6]), hand([0, 2, 4, 5, 6])];
        let worlds = worlds(7, may, [2, 3, 2], [0; 3]);
        let count = worlds.count();
        assert!(count > 30 && !count.is_multiple_of(10), "{count}");
        for draw in [Worlds::sample, Worlds::sample_stratified] {
            let mut drawn = BTreeMap::<_, f64>::new();
            let mut random = Random::new(42);
            for _ in 0..20 * count {
                for world in draw(&worlds, 10, &mut random) {
                    *drawn.entry(world.map(Hand::bits)).or_default() += 1.0;
                }
            }
            assert_eq!(drawn.len() as u64, count);
            let chi_square: f64 = drawn.values().map(|seen| (seen - 200.0) * (seen - 200.0) / 200.0).sum();
            // At most four standard deviations above the mean of the distribution.
            let freedom = (count - 1) as f64;
            assert!(chi_square < freedom + 4.0 * (2.0 * freedom).sqrt(), "{chi_square} of {freedom}");
        }
    }

    /// In a stratified sample, each seat holds the first domino as often as in all worlds, to within one.
    #[test]
    fn stratified_samples_distribute_the_first_domino_evenly() {
        let worlds = worlds(21, [Hand::FULL; 3], [7; 3], [0; 3]);
        let mut random = Random::new(7);
        for _ in 0..50 {
            let holds = |hands: &[Hand; 4]| hands[1].contains(hand([0]).into_iter().next().unwrap());
            let held = worlds.sample_stratified(30, &mut random).iter().filter(|hands| holds(hands)).count();
            assert!((9..=11).contains(&held), "{held} of 30");
        }
    }
}
