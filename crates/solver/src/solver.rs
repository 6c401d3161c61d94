//! The public interface: exact values, make or set, the value of every move, the principal variation.

use alloc::boxed::Box;

use arrayvec::ArrayVec;
use texas42_engine::Suits;
use texas42_vocab::{Domino, Hand, Seat};

use crate::{
    board::Board,
    position::Position,
    search::{Limit, OpenTrick, Search},
    tables::Tables,
    transposition::TranspositionTable,
    value::{Value, needed},
};

/// Every legal move of a position with its value, by ascending index of the domino.
pub type MoveValues = ArrayVec<(Domino, Value), { Hand::DEALT }>;

/// The plays to the end of the hand with perfect play (the principal variation).
pub type PrincipalVariation = ArrayVec<(Seat, Domino), { Domino::COUNT }>;

/// The search stopped without a result, because the node budget ran out or the caller canceled it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the search was stopped before it had an answer; give it more nodes")]
pub struct SearchStopped;

/// Solves positions exactly.
///
/// A solver owns a transposition table of about 256 KiB. Keep one solver and reuse it: later positions of the same hand
/// are fast. Results never depend on earlier queries. Prefer the narrowest query: [`Solver::makes`] is much faster than
/// [`Solver::value`].
///
/// Queries on the solver itself run to completion. [`Solver::with_budget`] bounds them and allows cancellation. The
/// crate documentation has an example.
#[derive(Clone, Debug)]
pub struct Solver {
    memory: TranspositionTable,
    /// The hand that the entries of the memory belong to.
    board: Option<Board>,
    /// The tables of the suit systems used so far.
    tables: ArrayVec<Box<Tables>, 12>,
    nodes: u64,
}

impl Default for Solver {
    fn default() -> Self {
        Self::new()
    }
}

impl Solver {
    /// A solver with an empty transposition table.
    pub fn new() -> Self {
        Self { memory: TranspositionTable::new(), board: None, tables: ArrayVec::new(), nodes: 0 }
    }

    /// The number of nodes of all searches so far. Positions decided without a search do not count.
    pub const fn nodes(&self) -> u64 {
        self.nodes
    }

    /// Clears the transposition table.
    pub fn forget(&mut self) {
        self.memory.forget();
        self.board = None;
    }

    /// The exact value of a position.
    pub fn value(&mut self, position: &Position) -> Value {
        unlimited(self.with_budget(u64::MAX).value(position))
    }

    /// Whether the contract is made. Much faster than [`Solver::value`].
    pub fn makes(&mut self, position: &Position) -> bool {
        unlimited(self.with_budget(u64::MAX).makes(position))
    }

    /// The subset of the legal `plays` after which the contract is made. Faster than one query per play.
    pub fn making(&mut self, position: &Position, plays: Hand) -> Hand {
        unlimited(self.with_budget(u64::MAX).making(position, plays))
    }

    /// The points of the bidding team, clamped to `least - 1..=most`. The narrower the range, the faster the search.
    pub fn points_within(&mut self, position: &Position, least: u8, most: u8) -> u8 {
        unlimited(self.with_budget(u64::MAX).points_within(position, least, most))
    }

    /// The value of every legal move.
    pub fn moves(&mut self, position: &Position) -> MoveValues {
        unlimited(self.with_budget(u64::MAX).moves(position))
    }

    /// The principal variation to the end of the hand.
    pub fn principal_variation(&mut self, position: &Position) -> PrincipalVariation {
        unlimited(self.with_budget(u64::MAX).principal_variation(position))
    }

    /// The same queries with a budget of `nodes` for all of them together.
    pub fn with_budget(&mut self, nodes: u64) -> BudgetedSolver<'_> {
        BudgetedSolver { solver: self, limit: Limit { nodes, cancelled: None } }
    }

    /// The index of the tables of a suit system.
    fn tables_for(&mut self, suits: Suits) -> usize {
        if let Some(number) = self.tables.iter().position(|tables| tables.suits() == suits) {
            return number;
        }
        self.tables.push(Box::new(Tables::new(suits)));
        self.tables.len() - 1
    }

    /// Clears the memory unless its entries belong to this hand.
    fn select_board(&mut self, position: &Position) -> Board {
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

fn unlimited<T>(answer: Result<T, SearchStopped>) -> T {
    answer.expect("an unlimited search always finishes")
}

/// A solver with a node budget, from [`Solver::with_budget`]. A stopped query does not affect later results.
pub struct BudgetedSolver<'a> {
    solver: &'a mut Solver,
    limit: Limit<'a>,
}

impl<'a> BudgetedSolver<'a> {
    /// Also stops when `cancelled` returns true. It is called before each query and about every 1000 nodes.
    #[must_use]
    pub fn unless(mut self, cancelled: &'a mut dyn FnMut() -> bool) -> Self {
        self.limit.cancelled = Some(cancelled);
        self
    }

    /// As [`Solver::value`].
    ///
    /// # Errors
    /// When the search was stopped.
    pub fn value(&mut self, position: &Position) -> Result<Value, SearchStopped> {
        Ok(Value::new(position.terms().goal, self.gained(position)?))
    }

    /// As [`Solver::makes`].
    ///
    /// # Errors
    /// When the search was stopped.
    pub fn makes(&mut self, position: &Position) -> Result<bool, SearchStopped> {
        let need = needed(position.terms().goal);
        self.query(position, |query| Ok(query.bound(need)? >= need))
    }

    /// As [`Solver::making`].
    ///
    /// # Errors
    /// When the search was stopped.
    pub fn making(&mut self, position: &Position, plays: Hand) -> Result<Hand, SearchStopped> {
        let need = needed(position.terms().goal);
        self.query(position, |query| query.making(position.legal() & plays, need))
    }

    /// As [`Solver::points_within`].
    ///
    /// # Errors
    /// When the search was stopped.
    pub fn points_within(&mut self, position: &Position, least: u8, most: u8) -> Result<u8, SearchStopped> {
        let below = i32::from(least.min(most)) - 1;
        let found = self.gained_within(position, below, i32::from(most))?;
        Ok(found.clamp(below.max(0), i32::from(most)) as u8)
    }

    /// As [`Solver::moves`].
    ///
    /// # Errors
    /// When the search was stopped.
    pub fn moves(&mut self, position: &Position) -> Result<MoveValues, SearchStopped> {
        let goal = position.terms().goal;
        self.query(position, |query| {
            let values = |domino| Ok((domino, Value::new(goal, query.exact_after(domino)?)));
            position.legal().into_iter().map(values).collect()
        })
    }

    /// As [`Solver::principal_variation`].
    ///
    /// # Errors
    /// When the search was stopped.
    pub fn principal_variation(&mut self, position: &Position) -> Result<PrincipalVariation, SearchStopped> {
        let gained = self.gained(position)?;
        let mut line = PrincipalVariation::new();
        let mut at = position.clone();
        while let Some(seat) = at.to_play() {
            let domino = self.query(&at, |query| query.value_preserving_play(gained))?;
            line.push((seat, domino));
            at = at.play(domino).expect("the search plays only legal moves");
        }
        Ok(line)
    }

    fn gained(&mut self, position: &Position) -> Result<i32, SearchStopped> {
        self.gained_within(position, i32::MIN, i32::MAX)
    }

    /// The exact result if it lies between `low` and `high`; otherwise a bound on the same side.
    fn gained_within(&mut self, position: &Position, low: i32, high: i32) -> Result<i32, SearchStopped> {
        self.query(position, |query| {
            let (low, high) = (position.gained().max(low), query.most().min(high));
            narrow(low, high, |need| query.bound(need))
        })
    }

    fn query<T>(
        &mut self,
        position: &Position,
        ask: impl FnOnce(&mut Query<'_, '_, 'a>) -> Result<T, SearchStopped>,
    ) -> Result<T, SearchStopped> {
        let board = self.solver.select_board(position);
        let number = self.solver.tables_for(position.suits());
        let stopped = self.limit.is_cancelled();
        let search = Search {
            board: &board,
            tables: &self.solver.tables[number],
            memory: &mut self.solver.memory,
            limit: &mut self.limit,
            nodes: 0,
            check_at: 0,
            stopped,
        };
        let mut query = Query { position, search };
        let answer = ask(&mut query);
        let nodes = query.search.nodes;
        self.solver.nodes += nodes;
        self.limit.nodes = self.limit.nodes.saturating_sub(nodes);
        answer
    }
}

/// A query on one position. All numbers are totals of the bidding team at the end of the hand.
struct Query<'p, 'a, 'b> {
    position: &'p Position,
    search: Search<'a, 'b>,
}

impl Query<'_, '_, '_> {
    fn left(&self) -> u32 {
        self.position.hands().iter().fold(0, |left, hand| left | hand.bits())
    }

    /// The trick on the table, if one is begun.
    fn trick(&self) -> Option<OpenTrick> {
        let (winner, best) = self.position.best()?;
        let trick = self.position.trick();
        let called = usize::from(self.position.suits().called(*trick.first()?));
        let (best, winner) = (best.index(), winner.index());
        let count = trick.iter().map(|domino| i32::from(self.position.count(*domino))).sum();
        let to_play = self.search.board.size - trick.len();
        Some(OpenTrick { called, best, winner, above: self.search.tables.above(called, best), count, to_play })
    }

    /// A bound that decides whether the bidding team reaches `need`.
    fn bound(&mut self, need: i32) -> Result<i32, SearchStopped> {
        let (left, seat, gained) = (self.left(), self.position.turn().index(), self.position.gained());
        let (need, total) = (need - gained, self.most() - gained);
        let rest = match self.trick() {
            None => self.search.lead(left, seat, need, total),
            Some(trick) => self.search.follow(left, seat, &trick, need, total),
        };
        self.finished(gained + rest)
    }

    /// The same after a play.
    fn bound_after(&mut self, domino: Domino, need: i32) -> Result<i32, SearchStopped> {
        let (left, seat, gained) = (self.left(), self.position.turn().index(), self.position.gained());
        let (domino, need, total) = (domino.index(), need - gained, self.most() - gained);
        let rest = match self.trick() {
            None => self.search.led(left, seat, domino, need, total),
            Some(trick) => self.search.play(left, seat, &trick, domino, need, total),
        };
        self.finished(gained + rest)
    }

    fn finished(&self, bound: i32) -> Result<i32, SearchStopped> {
        if self.search.stopped { Err(SearchStopped) } else { Ok(bound) }
    }

    /// An upper bound of the result.
    fn most(&self) -> i32 {
        let on_table = self.trick().map_or(0, |trick| trick.count);
        let in_hands = self.search.board.counts(self.left());
        let tricks = self.position.hands().iter().map(|hand| hand.len()).max().unwrap_or(0) as i32;
        self.position.gained() + tricks + in_hands + on_table
    }

    fn exact_after(&mut self, domino: Domino) -> Result<i32, SearchStopped> {
        let (low, high) = (self.position.gained(), self.most());
        narrow(low, high, |need| self.bound_after(domino, need))
    }

    /// The plays that reach `need`. Checks first whether none or all do, which is common.
    fn making(&mut self, plays: Hand, need: i32) -> Result<Hand, SearchStopped> {
        let wants = self.search.board.wants(self.position.turn().index());
        if plays.len() >= MANY_PLAYS && (self.bound(need)? >= need) != wants {
            return Ok(if wants { Hand::EMPTY } else { plays });
        }
        let (mut untried, mut making) = (plays, Hand::EMPTY);
        while let Some(domino) = untried.into_iter().next() {
            let equivalents = self.with_equivalents(domino, untried);
            if self.bound_after(domino, need)? >= need {
                making |= equivalents;
            }
            untried = untried - equivalents;
        }
        Ok(making)
    }

    /// A domino and its equivalents within a set.
    fn with_equivalents(&self, domino: Domino, among: Hand) -> Hand {
        let on_table = self.trick().map_or(0, |trick| 1 << trick.best);
        let foreign = (self.left() | on_table) & !self.search.board.dealt[self.position.turn().index()];
        Hand::from_bits(self.search.equivalents(domino.index(), among.bits(), foreign) | 1 << domino.index())
    }

    /// A play that keeps the value of the position.
    fn value_preserving_play(&mut self, gained: i32) -> Result<Domino, SearchStopped> {
        let wants = self.search.board.wants(self.position.turn().index());
        let need = if wants { gained } else { gained + 1 };
        let mut last = None;
        for domino in self.position.legal() {
            last = Some(domino);
            if (self.bound_after(domino, need)? >= need) == wants {
                break;
            }
        }
        last.ok_or(SearchStopped)
    }
}

/// The number of plays from which it pays to search the position before its plays.
const MANY_PLAYS: usize = 4;

/// Where to probe between two bounds, in 1/32: most values are near the upper bound.
const PROBE: i32 = 27;

/// Narrows the bounds to the exact value. Probes the upper bound first, because that fails quickly.
fn narrow(
    mut low: i32,
    mut high: i32,
    mut bound: impl FnMut(i32) -> Result<i32, SearchStopped>,
) -> Result<i32, SearchStopped> {
    let mut need = high;
    while low < high {
        let found = bound(need)?;
        if found >= need {
            low = found;
        } else {
            high = found;
        }
        need = low + 1 + (high - low - 1).max(0) * PROBE / 32;
    }
    Ok(low)
}
