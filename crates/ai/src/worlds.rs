//! The worlds that a seat thinks possible: every way in which the dominoes that it does not see can lie, after what
//! everybody has shown.
//!
//! The dominoes are dealt one by one, each to a seat that may hold it, and a table says in how many ways the rest can
//! then be dealt. So a world is a number below the count of all worlds: drawing a number draws every world with the same
//! chance, without a try that fails, and counting up goes through all of them.

use alloc::{vec, vec::Vec};

use arrayvec::ArrayVec;
use texas42_vocab::{Domino, Hand, Seat};

use crate::{random::Random, sight::Sight};

/// The ways to hold so many dominoes of the first and of the second hidden seat, 0 to 7 each, while a seat that bid on its
/// doubles still needs so many of them, 0 to 4.
const PER_DOMINO: usize = 8 * 8 * DOUBLES;
const DOUBLES: usize = 5;

/// What is still to be dealt: to the first two hidden seats, and doubles to the seat that has to have some.
#[derive(Clone, Copy, Debug)]
struct Needs {
    dominoes: [usize; 2],
    doubles: usize,
}

/// All worlds that are possible for a seat.
#[derive(Clone, Debug)]
pub struct Worlds {
    /// What is seen of each hand.
    shown: [Hand; 4],
    /// The dominoes that lie somewhere, and the seats that hold them: who, what it may hold, how many.
    unseen: ArrayVec<Domino, { Domino::COUNT }>,
    hidden: [(Seat, Hand, usize); 3],
    /// The hidden seat that has to have doubles, and how many.
    doubles: (usize, usize),
    /// For each domino, and what is needed when it is dealt: the ways to deal it and the rest.
    ways: Vec<u64>,
}

impl Worlds {
    /// The worlds that fit to what a seat sees.
    pub fn new(sight: &Sight) -> Self {
        let unseen = sight.unseen();
        let mut seats = Seat::ALL.into_iter().filter(|seat| sight.shown[seat.index()].is_none());
        let hidden = [(); 3].map(|()| match seats.next() {
            Some(seat) => (seat, unseen - sight.lacks[seat.index()], sight.counts[seat.index()]),
            None => (sight.seat, Hand::EMPTY, 0),
        });
        let (seat, least) = sight.doubles_bid().unwrap_or((sight.seat, 0));
        let doubles = hidden.iter().position(|(of, ..)| *of == seat).map_or((0, 0), |at| (at, least.min(DOUBLES - 1)));
        Self::deal(sight.shown.map(Option::unwrap_or_default), unseen, hidden, doubles)
    }

    fn deal(shown: [Hand; 4], unseen: Hand, hidden: [(Seat, Hand, usize); 3], doubles: (usize, usize)) -> Self {
        let unseen: ArrayVec<Domino, { Domino::COUNT }> = unseen.into_iter().collect();
        let mut worlds = Self { shown, unseen, hidden, doubles, ways: Vec::new() };
        worlds.count_ways();
        worlds
    }

    /// From the last domino to the first: the ways to deal the rest are known when a domino is dealt.
    fn count_ways(&mut self) {
        let dominoes = self.unseen.len();
        self.ways = vec![0; (dominoes + 1) * PER_DOMINO];
        self.ways[dominoes * PER_DOMINO] =
            u64::from(dominoes == self.hidden.iter().map(|(.., need)| *need).sum::<usize>());
        for at in (0..dominoes).rev() {
            for number in 0..PER_DOMINO {
                let (places, doubles) = (number / DOUBLES, number % DOUBLES);
                let needs = Needs { dominoes: [places >> 3, places & 7], doubles };
                self.ways[at * PER_DOMINO + number] = (0..3).map(|to| self.ways_to(at, needs, to)).sum();
            }
        }
    }

    /// The ways to deal a domino to one of the hidden seats, and then the rest.
    fn ways_to(&self, at: usize, needs: Needs, to: usize) -> u64 {
        let left = self.unseen.len() - at;
        let [first, second] = needs.dominoes;
        let third = left.checked_sub(first + second).filter(|third| *third <= Hand::DEALT);
        let Some(third) = third else { return 0 };
        if [first, second, third][to] == 0 || !self.hidden[to].1.contains(self.unseen[at]) {
            return 0;
        }
        self.ways[(at + 1) * PER_DOMINO + self.after(at, needs, to).slot()]
    }

    /// What is needed after a domino was dealt to one of the hidden seats.
    fn after(&self, at: usize, mut needs: Needs, to: usize) -> Needs {
        if let Some(need) = needs.dominoes.get_mut(to) {
            *need -= 1;
        }
        if to == self.doubles.0 && self.unseen[at].is_double() {
            needs.doubles = needs.doubles.saturating_sub(1);
        }
        needs
    }

    /// How many worlds there are. At least one, where the view is of a game that can be played.
    pub fn count(&self) -> u64 {
        self.ways.get(self.needs().slot()).copied().unwrap_or(0)
    }

    fn needs(&self) -> Needs {
        Needs { dominoes: [self.hidden[0].2, self.hidden[1].2], doubles: self.doubles.1 }
    }

    /// What everybody holds in the world with this number, below the count.
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

    /// Worlds to look at: all of them where they are at most `all`, else so many that are drawn.
    pub fn some(&self, drawn: u32, all: u64, random: &mut Random) -> Vec<[Hand; 4]> {
        let count = self.count();
        if count <= all.max(u64::from(drawn)) {
            return (0..count).map(|number| self.world(number)).collect();
        }
        (0..drawn).map(|_| self.world(random.below(count))).collect()
    }
}

impl Needs {
    const fn slot(self) -> usize {
        (self.dominoes[0] << 3 | self.dominoes[1]) * DOUBLES + self.doubles
    }
}

#[cfg(test)]
mod tests {
    use alloc::collections::BTreeMap;

    use super::*;

    fn hand(numbers: impl IntoIterator<Item = u8>) -> Hand {
        numbers.into_iter().filter_map(Domino::from_index).collect()
    }

    /// What may be held, and how many: three seats over the dominoes below `dominoes`.
    fn worlds(dominoes: u8, may: [Hand; 3], needs: [usize; 3], doubles: (usize, usize)) -> Worlds {
        let seats = [Seat::ALL[1], Seat::ALL[2], Seat::ALL[3]];
        let hidden = [0, 1, 2].map(|at| (seats[at], may[at], needs[at]));
        Worlds::deal([Hand::EMPTY; 4], hand(0..dominoes), hidden, doubles)
    }

    fn random_case(random: &mut Random) -> (u8, [Hand; 3], [usize; 3], (usize, usize)) {
        let needs = [(); 3].map(|()| 1 + random.below(3) as usize);
        let dominoes = needs.iter().sum::<usize>() as u8;
        let may = [(); 3].map(|()| hand((0..dominoes).filter(|_| random.below(4) > 0)));
        (dominoes, may, needs, (random.below(3) as usize, random.below(3) as usize))
    }

    fn fits(hands: [Hand; 4], dominoes: u8, may: [Hand; 3], needs: [usize; 3], doubles: (usize, usize)) -> bool {
        let three = [hands[1], hands[2], hands[3]];
        let all = three.iter().fold(Hand::EMPTY, |all, hand| all | *hand);
        all == hand(0..dominoes)
            && three[doubles.0].doubles() >= doubles.1
            && (0..3).all(|at| three[at].len() == needs[at] && (three[at] - may[at]).is_empty())
    }

    fn by_brute_force(dominoes: u8, may: [Hand; 3], needs: [usize; 3], doubles: (usize, usize)) -> u64 {
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
        assert_eq!(worlds(21, [Hand::FULL; 3], [7; 3], (0, 0)).count(), 399_072_960);
    }

    #[test]
    fn counts_are_those_of_brute_force_and_every_number_is_another_world() {
        let mut random = Random::new(6);
        for _ in 0..60 {
            let (dominoes, may, needs, doubles) = random_case(&mut random);
            let worlds = worlds(dominoes, may, needs, doubles);
            assert_eq!(worlds.count(), by_brute_force(dominoes, may, needs, doubles));
            let all: BTreeMap<_, _> = (0..worlds.count()).map(|n| (worlds.world(n).map(Hand::bits), n)).collect();
            assert_eq!(all.len() as u64, worlds.count());
            assert!((0..worlds.count()).all(|number| fits(worlds.world(number), dominoes, may, needs, doubles)));
        }
    }

    /// A chi-square test with a fixed seed: each of the worlds is drawn about as often as the others.
    #[test]
    fn every_world_is_drawn_as_often_as_the_others() {
        let may = [hand([0, 1, 2, 3, 5]), hand([0, 1, 2, 3, 4, 5, 6]), hand([0, 2, 4, 5, 6])];
        let worlds = worlds(7, may, [2, 3, 2], (0, 0));
        let count = worlds.count();
        let draws = 200 * count;
        let mut drawn = BTreeMap::<_, f64>::new();
        let mut random = Random::new(42);
        for _ in 0..draws / 10 {
            for world in worlds.some(10, 0, &mut random) {
                *drawn.entry(world.map(Hand::bits)).or_default() += 1.0;
            }
        }
        assert!(count > 30 && drawn.len() as u64 == count, "{count}");
        let expected = (draws / 10 * 10) as f64 / count as f64;
        let chi_square: f64 = drawn.values().map(|seen| (seen - expected) * (seen - expected) / expected).sum();
        // Four standard deviations above the mean of the distribution.
        let freedom = (count - 1) as f64;
        assert!((chi_square - freedom) * (chi_square - freedom) < 16.0 * 2.0 * freedom, "{chi_square} of {freedom}");
    }
}
