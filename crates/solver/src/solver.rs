//! Questions and answers: exact values, make or set, every move, the line of best play.

use alloc::boxed::Box;

use arrayvec::ArrayVec;
use texas42_engine::Suits;
use texas42_vocab::{Domino, Hand, Seat};

use crate::{
    board::Board,
    memory::Memory,
    position::Position,
    search::{Limit, Search, Trick},
    tables::Tables,
    value::{Value, needed},
};

/// Every legal move of a position with its value, by rising number of the domino.
pub type MoveValues = ArrayVec<(Domino, Value), { Hand::DEALT }>;

/// Who plays what to the end of the hand, when everybody plays as well as can be.
pub type Line = ArrayVec<(Seat, Domino), { Domino::COUNT }>;

/// The search was stopped before it had an answer: the budget is used up, or somebody cancelled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the search was stopped before it had an answer; give it more nodes")]
pub struct OutOfNodes;

/// Solves positions. It remembers what it found, so keep one and ask it again: later moments of the same hand are quick.
#[derive(Clone, Debug)]
pub struct Solver {
    memory: Memory,
    /// What the memory is about.
    board: Option<Board>,
    /// One for each suit system that was asked about.
    tables: ArrayVec<Box<Tables>, 12>,
    nodes: u64,
}

impl Default for Solver {
    fn default() -> Self {
        Self::new()
    }
}

impl Solver {
    /// A solver that knows nothing yet; it holds about a quarter of a megabyte.
    pub fn new() -> Self {
        Self { memory: Memory::new(), board: None, tables: ArrayVec::new(), nodes: 0 }
    }

    /// The nodes of all searches so far: a node is a position in which a seat is to play and that is not read off.
    pub const fn nodes(&self) -> u64 {
        self.nodes
    }

    /// Drops what it remembers, so that the next search is as if it were the first.
    pub fn forget(&mut self) {
        self.memory.forget();
        self.board = None;
    }

    /// What the bidders end with.
    pub fn value(&mut self, position: &Position) -> Value {
        unlimited(self.with_budget(u64::MAX).value(position))
    }

    /// Whether the bidders make their contract; much quicker than the value.
    pub fn makes(&mut self, position: &Position) -> bool {
        unlimited(self.with_budget(u64::MAX).makes(position))
    }

    /// Those of some legal plays after which the bidders make their contract; quicker than one question for each.
    pub fn making(&mut self, position: &Position, plays: Hand) -> Hand {
        unlimited(self.with_budget(u64::MAX).making(position, plays))
    }

    /// How many points the bidders end with, as far as it matters: less than `least` is told as `least - 1` and more than
    /// `most` as `most`. The narrower, the quicker.
    pub fn points_within(&mut self, position: &Position, least: u8, most: u8) -> u8 {
        unlimited(self.with_budget(u64::MAX).points_within(position, least, most))
    }

    /// The value of every legal move.
    pub fn moves(&mut self, position: &Position) -> MoveValues {
        unlimited(self.with_budget(u64::MAX).moves(position))
    }

    /// A line of best play to the end of the hand.
    pub fn line(&mut self, position: &Position) -> Line {
        unlimited(self.with_budget(u64::MAX).line(position))
    }

    /// The same questions with at most so many nodes for all of them together.
    pub fn with_budget(&mut self, nodes: u64) -> Limited<'_> {
        Limited { solver: self, limit: Limit { nodes, cancelled: None } }
    }

    /// The number of the tables of a suit system.
    fn tables_for(&mut self, suits: Suits) -> usize {
        if let Some(number) = self.tables.iter().position(|tables| tables.suits() == suits) {
            return number;
        }
        self.tables.push(Box::new(Tables::new(suits)));
        self.tables.len() - 1
    }

    /// Makes sure that the memory is about this hand.
    fn turn_to(&mut self, position: &Position) -> Board {
        let board = Board::new(position);
        match self.board {
            Some(known) if known.covers(&board) => known,
            _ => {
                self.memory.forget();
                self.board = Some(board);
                board
            }
        }
    }
}

fn unlimited<T>(answer: Result<T, OutOfNodes>) -> T {
    answer.expect("without a limit nothing stops a search")
}

/// A solver with a limit. A question that is stopped changes no later answer.
pub struct Limited<'a> {
    solver: &'a mut Solver,
    limit: Limit<'a>,
}

impl<'a> Limited<'a> {
    /// Also stops when `cancelled` says so; it is asked before each question and about every thousand nodes.
    #[must_use]
    pub fn unless(mut self, cancelled: &'a mut dyn FnMut() -> bool) -> Self {
        self.limit.cancelled = Some(cancelled);
        self
    }

    /// As [`Solver::value`].
    ///
    /// # Errors
    /// When the search was stopped.
    pub fn value(&mut self, position: &Position) -> Result<Value, OutOfNodes> {
        Ok(Value::new(position.terms().goal, self.gained(position)?))
    }

    /// As [`Solver::makes`].
    ///
    /// # Errors
    /// When the search was stopped.
    pub fn makes(&mut self, position: &Position) -> Result<bool, OutOfNodes> {
        let need = needed(position.terms().goal);
        self.asking(position, |question| Ok(question.bound(need)? >= need))
    }

    /// As [`Solver::making`].
    ///
    /// # Errors
    /// When the search was stopped.
    pub fn making(&mut self, position: &Position, plays: Hand) -> Result<Hand, OutOfNodes> {
        let need = needed(position.terms().goal);
        self.asking(position, |question| question.making(position.legal() & plays, need))
    }

    /// As [`Solver::points_within`].
    ///
    /// # Errors
    /// When the search was stopped.
    pub fn points_within(&mut self, position: &Position, least: u8, most: u8) -> Result<u8, OutOfNodes> {
        let below = i32::from(least.min(most)) - 1;
        let found = self.gained_within(position, below, i32::from(most))?;
        Ok(found.clamp(below.max(0), i32::from(most)) as u8)
    }

    /// As [`Solver::moves`].
    ///
    /// # Errors
    /// When the search was stopped.
    pub fn moves(&mut self, position: &Position) -> Result<MoveValues, OutOfNodes> {
        let goal = position.terms().goal;
        self.asking(position, |question| {
            let values = |domino| Ok((domino, Value::new(goal, question.exact_after(domino)?)));
            position.legal().into_iter().map(values).collect()
        })
    }

    /// As [`Solver::line`].
    ///
    /// # Errors
    /// When the search was stopped.
    pub fn line(&mut self, position: &Position) -> Result<Line, OutOfNodes> {
        let gained = self.gained(position)?;
        let mut line = Line::new();
        let mut at = position.clone();
        while let Some(seat) = at.to_play() {
            let domino = self.asking(&at, |question| question.keeping(gained))?;
            line.push((seat, domino));
            at = at.play(domino).expect("the search plays what is legal");
        }
        Ok(line)
    }

    fn gained(&mut self, position: &Position) -> Result<i32, OutOfNodes> {
        self.gained_within(position, i32::MIN, i32::MAX)
    }

    /// Exact between the two; what is below or above is told as some number that is.
    fn gained_within(&mut self, position: &Position, low: i32, high: i32) -> Result<i32, OutOfNodes> {
        self.asking(position, |question| {
            let (low, high) = (position.gained().max(low), question.most().min(high));
            pinned(low, high, |need| question.bound(need))
        })
    }

    fn asking<T>(
        &mut self,
        position: &Position,
        ask: impl FnOnce(&mut Question<'_, '_, 'a>) -> Result<T, OutOfNodes>,
    ) -> Result<T, OutOfNodes> {
        let board = self.solver.turn_to(position);
        let number = self.solver.tables_for(position.suits());
        let stopped = self.limit.is_cancelled();
        let search = Search {
            board: &board,
            tables: &self.solver.tables[number],
            memory: &mut self.solver.memory,
            limit: &mut self.limit,
            nodes: 0,
            look_at: 0,
            stopped,
        };
        let mut question = Question { position, search };
        let answer = ask(&mut question);
        let nodes = question.search.nodes;
        self.solver.nodes += nodes;
        self.limit.nodes = self.limit.nodes.saturating_sub(nodes);
        answer
    }
}

/// One position and a search on it. Everything is said in what the bidders have at the end of the hand.
struct Question<'p, 'a, 'b> {
    position: &'p Position,
    search: Search<'a, 'b>,
}

impl Question<'_, '_, '_> {
    fn left(&self) -> u32 {
        self.position.hands().iter().fold(0, |left, hand| left | hand.bits())
    }

    /// The trick on the table, if one is begun.
    fn trick(&self) -> Option<Trick> {
        let (winner, best) = self.position.best()?;
        let trick = self.position.trick();
        let called = usize::from(self.position.suits().called(*trick.first()?));
        let (best, winner) = (best.index(), winner.index());
        let count = trick.iter().map(|domino| i32::from(self.position.count(*domino))).sum();
        let to_play = self.search.board.size - trick.len();
        Some(Trick { called, best, winner, above: self.search.tables.above(called, best), count, to_play })
    }

    /// A bound that answers whether the bidders get so much.
    fn bound(&mut self, need: i32) -> Result<i32, OutOfNodes> {
        let (left, seat, gained) = (self.left(), self.position.turn().index(), self.position.gained());
        let (need, total) = (need - gained, self.most() - gained);
        let rest = match self.trick() {
            None => self.search.lead(left, seat, need, total),
            Some(trick) => self.search.follow(left, seat, &trick, need, total),
        };
        self.finished(gained + rest)
    }

    /// The same after a play.
    fn bound_after(&mut self, domino: Domino, need: i32) -> Result<i32, OutOfNodes> {
        let (left, seat, gained) = (self.left(), self.position.turn().index(), self.position.gained());
        let (domino, need, total) = (domino.index(), need - gained, self.most() - gained);
        let rest = match self.trick() {
            None => self.search.led(left, seat, domino, need, total),
            Some(trick) => self.search.laid(left, seat, &trick, domino, need, total),
        };
        self.finished(gained + rest)
    }

    fn finished(&self, bound: i32) -> Result<i32, OutOfNodes> {
        if self.search.stopped { Err(OutOfNodes) } else { Ok(bound) }
    }

    /// The most that the bidders can have at the end.
    fn most(&self) -> i32 {
        let on_table = self.trick().map_or(0, |trick| trick.count);
        let in_hands = self.search.board.counts(self.left());
        let tricks = self.position.hands().iter().map(|hand| hand.len()).max().unwrap_or(0) as i32;
        self.position.gained() + tricks + in_hands + on_table
    }

    fn exact_after(&mut self, domino: Domino) -> Result<i32, OutOfNodes> {
        let (low, high) = (self.position.gained(), self.most());
        pinned(low, high, |need| self.bound_after(domino, need))
    }

    /// The plays that get so much. Often none does, or all of them, and that is known before each is tried.
    fn making(&mut self, plays: Hand, need: i32) -> Result<Hand, OutOfNodes> {
        let wants = self.search.board.wants(self.position.turn().index());
        if plays.len() >= MANY && (self.bound(need)? >= need) != wants {
            return Ok(if wants { Hand::EMPTY } else { plays });
        }
        let (mut untried, mut making) = (plays, Hand::EMPTY);
        while let Some(domino) = untried.into_iter().next() {
            let alike = self.alike(domino, untried);
            if self.bound_after(domino, need)? >= need {
                making |= alike;
            }
            untried = untried - alike;
        }
        Ok(making)
    }

    /// A domino and those of a set that cannot be told from it.
    fn alike(&self, domino: Domino, among: Hand) -> Hand {
        let on_table = self.trick().map_or(0, |trick| 1 << trick.best);
        let foreign = (self.left() | on_table) & !self.search.board.dealt[self.position.turn().index()];
        Hand::from_bits(self.search.twins(domino.index(), among.bits(), foreign) | 1 << domino.index())
    }

    /// A play that keeps what the position is worth.
    fn keeping(&mut self, gained: i32) -> Result<Domino, OutOfNodes> {
        let wants = self.search.board.wants(self.position.turn().index());
        let need = if wants { gained } else { gained + 1 };
        let mut last = None;
        for domino in self.position.legal() {
            last = Some(domino);
            if (self.bound_after(domino, need)? >= need) == wants {
                break;
            }
        }
        last.ok_or(OutOfNodes)
    }
}

/// For so many plays it pays to ask first whether any of them is of use.
const MANY: usize = 4;

/// Where between two bounds to ask, in thirty-seconds: most values are near the upper one.
const GUESS: i32 = 27;

/// The exact value from bounds: everything first, because that is refused quickly, then what divides them well.
fn pinned(
    mut low: i32,
    mut high: i32,
    mut bound: impl FnMut(i32) -> Result<i32, OutOfNodes>,
) -> Result<i32, OutOfNodes> {
    let mut need = high;
    while low < high {
        let found = bound(need)?;
        if found >= need {
            low = found;
        } else {
            high = found;
        }
        need = low + 1 + (high - low - 1).max(0) * GUESS / 32;
    }
    Ok(low)
}
