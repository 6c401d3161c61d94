//! The search: does the bidding team get at least `need` from the rest of the hand?
//!
//! A fail-soft zero-window search: a result of at least `need` is a lower bound, and a smaller result is an upper
//! bound. Bounds of positions between two tricks are stored in a transposition table, and static bounds are tried
//! before searching.
//!
//! Invariant: every result is a true bound unless the search was stopped. A stopped search stores nothing.

use crate::{
    board::{Board, each},
    bounds::{cashed, trumped},
    order::{Choice, Moves},
    tables::Tables,
    transposition::{Entry, NO_LEAD, TranspositionTable},
};

/// The number of nodes between checks for cancellation.
const POLL_EVERY: u64 = 1 << 10;

/// The trick on the table.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OpenTrick {
    pub(crate) called: usize,
    /// The winning domino and the seat that played it.
    pub(crate) best: usize,
    pub(crate) winner: usize,
    /// The dominoes that beat `best`.
    pub(crate) above: u32,
    /// The count of the dominoes played, without the point for the trick.
    pub(crate) count: i32,
    /// The number of seats still to play.
    pub(crate) to_play: usize,
}

/// When to stop.
pub(crate) struct Limit<'a> {
    pub(crate) nodes: u64,
    pub(crate) cancelled: Option<&'a mut dyn FnMut() -> bool>,
}

impl Limit<'_> {
    pub(crate) fn is_cancelled(&mut self) -> bool {
        self.cancelled.as_mut().is_some_and(|cancelled| cancelled())
    }
}

/// One search on one board.
pub(crate) struct Search<'a, 'b> {
    pub(crate) board: &'a Board,
    pub(crate) tables: &'a Tables,
    pub(crate) memory: &'a mut TranspositionTable,
    pub(crate) limit: &'a mut Limit<'b>,
    pub(crate) nodes: u64,
    /// The node at which to check the limit next.
    pub(crate) check_at: u64,
    pub(crate) stopped: bool,
}

impl Search<'_, '_> {
    /// A bound of the rest of the hand, between two tricks. `total` is the worth of all remaining tricks, here and
    /// below.
    pub(crate) fn lead(&mut self, left: u32, leader: usize, need: i32, total: i32) -> i32 {
        let hand = self.board.hand(left, leader);
        if need <= 0 {
            return 0;
        }
        if need > total {
            return total;
        }
        if hand & hand.wrapping_sub(1) == 0 {
            return self.last_trick(left, leader, total);
        }
        let entry = match self.memory.find(left, leader) {
            Some(known) => known,
            None => self.static_bounds(left, leader, need, total),
        };
        if entry.lower >= need {
            return entry.lower;
        }
        if entry.upper < need {
            return entry.upper;
        }
        self.search_leads(left, leader, need, total, entry)
    }

    /// Static bounds, as tight as `need` requires.
    #[inline(always)]
    fn static_bounds(&self, left: u32, leader: usize, need: i32, total: i32) -> Entry {
        let mut entry = Entry { lower: 0, upper: total, lead: NO_LEAD };
        if !self.board.plain {
            return entry;
        }
        let cashed = cashed(self.board, self.tables, left, leader, total);
        let bidders = self.board.collects(leader);
        if bidders {
            entry.lower = cashed;
        } else {
            entry.upper = total - cashed;
        }
        if entry.lower < need && entry.upper >= need && left & self.tables.trumps() != 0 {
            let [ours, theirs] = trumped(self.board, self.tables, left, leader);
            let (lower, upper) = if bidders { (ours, total - theirs) } else { (theirs, total - ours) };
            (entry.lower, entry.upper) = (entry.lower.max(lower), entry.upper.min(upper));
        }
        entry
    }

    fn search_leads(&mut self, left: u32, leader: usize, need: i32, total: i32, mut entry: Entry) -> i32 {
        if self.count_node() {
            return 0;
        }
        let leads = self.without_equivalents(self.tables.leads(self.board.hand(left, leader)), left, leader);
        let moves = Moves::leads(&self.choice(left, leader, need, total), leads, entry.lead);
        let (value, best) = match self.immediate_cutoff(&moves, leader, need, total) {
            Some(bound) => (bound, entry.lead),
            None => self
                .best_of(&moves, leader, need, total, |search, domino| search.led(left, leader, domino, need, total)),
        };
        if self.stopped {
            return 0;
        }
        entry.lead = best;
        if value >= need {
            entry.lower = entry.lower.max(value);
        } else {
            entry.upper = entry.upper.min(value);
        }
        self.memory.keep(left, leader, entry);
        value
    }

    /// A bound of the rest of the hand after a lead.
    pub(crate) fn led(&mut self, left: u32, leader: usize, domino: usize, need: i32, total: i32) -> i32 {
        let called = self.tables.called(domino);
        let trick = OpenTrick {
            called,
            best: domino,
            winner: leader,
            above: self.tables.above(called, domino),
            count: self.board.count(domino),
            to_play: self.board.size - 1,
        };
        self.follow(left & !(1 << domino), self.board.next(leader), &trick, need, total)
    }

    /// A bound of the rest of the hand, including the trick on the table.
    pub(crate) fn follow(&mut self, left: u32, seat: usize, trick: &OpenTrick, need: i32, total: i32) -> i32 {
        if self.count_node() {
            return 0;
        }
        let legal = self.tables.follows(self.board.hand(left, seat), trick.called);
        if legal & (legal - 1) == 0 {
            return self.play(left, seat, trick, legal.trailing_zeros() as usize, need, total);
        }
        let legal = self.without_equivalents(legal, left | 1 << trick.best, seat);
        let moves = Moves::follows(&self.choice(left, seat, need, total), trick, legal);
        if let Some(bound) = self.immediate_cutoff(&moves, seat, need, total) {
            return bound;
        }
        if trick.to_play == 1
            && let Some(bound) = self.stored_cutoff(&moves, left, seat, trick, need)
        {
            return bound;
        }
        self.best_of(&moves, seat, need, total, |search, domino| search.play(left, seat, trick, domino, need, total)).0
    }

    /// The bound, if a move that ends the trick leads to a stored position that decides it.
    fn stored_cutoff(&self, moves: &Moves, left: u32, seat: usize, trick: &OpenTrick, need: i32) -> Option<i32> {
        let wants = self.board.wants(seat);
        moves.iter().find_map(|domino| {
            let wins = trick.above >> domino & 1 == 1;
            let winner = if wins { seat } else { trick.winner };
            let entry = self.memory.find(left & !(1 << domino), winner)?;
            let gain = if self.board.collects(winner) { trick.count + self.board.count(domino) + 1 } else { 0 };
            let bound = gain + if wants { entry.lower } else { entry.upper };
            ((bound >= need) == wants).then_some(bound)
        })
    }

    /// A bound of the rest of the hand after a play to a trick.
    #[inline(always)]
    pub(crate) fn play(&mut self, left: u32, seat: usize, on: &OpenTrick, domino: usize, need: i32, total: i32) -> i32 {
        let mut trick = OpenTrick { count: on.count + self.board.count(domino), to_play: on.to_play - 1, ..*on };
        if trick.above >> domino & 1 == 1 {
            (trick.best, trick.winner) = (domino, seat);
            trick.above = self.tables.above(trick.called, domino);
        }
        let left = left & !(1 << domino);
        if trick.to_play > 0 {
            return self.follow(left, self.board.next(seat), &trick, need, total);
        }
        let worth = trick.count + 1;
        let gain = if self.board.collects(trick.winner) { worth } else { 0 };
        gain + self.lead(left, trick.winner, need - gain, total - worth)
    }

    #[inline(always)]
    fn choice(&self, left: u32, seat: usize, need: i32, total: i32) -> Choice<'_> {
        let slack = if self.board.wants(seat) { total - need } else { need - 1 };
        Choice { board: self.board, tables: self.tables, left, seat, slack }
    }

    /// The bound, if taking the current trick decides it.
    #[inline(always)]
    fn immediate_cutoff(&self, moves: &Moves, seat: usize, need: i32, total: i32) -> Option<i32> {
        let sure = i32::from(moves.sure);
        if self.board.wants(seat) {
            (sure >= need).then_some(sure)
        } else {
            (total - sure < need).then_some(total - sure)
        }
    }

    /// The best move of a seat and its bound. Stops at the first move that decides it.
    #[inline(always)]
    fn best_of(
        &mut self,
        moves: &Moves,
        seat: usize,
        need: i32,
        total: i32,
        mut try_move: impl FnMut(&mut Self, usize) -> i32,
    ) -> (i32, usize) {
        let wants = self.board.wants(seat);
        // Pruned moves give the trick away: their value is at most the rest, or at least the trick.
        let pruned = i32::from(moves.pruned);
        let (mut best, mut chosen) = (if wants { total - pruned } else { pruned }, NO_LEAD);
        for domino in moves.iter() {
            let value = try_move(self, domino);
            if self.stopped {
                break;
            }
            if (wants && value > best) || (!wants && value < best) {
                (best, chosen) = (value, domino);
            }
            if wants == (best >= need) {
                break;
            }
        }
        (best, chosen)
    }

    /// The result when every seat has one domino.
    fn last_trick(&self, left: u32, leader: usize, total: i32) -> i32 {
        let mut best = self.board.hand(left, leader);
        if best == 0 {
            return 0;
        }
        let called = self.tables.called(best.trailing_zeros() as usize);
        let (mut winner, mut seat) = (leader, leader);
        for _ in 1..self.board.size {
            seat = self.board.next(seat);
            let domino = self.board.hand(left, seat);
            if self.tables.above(called, best.trailing_zeros() as usize) & domino != 0 {
                (winner, best) = (seat, domino);
            }
        }
        if self.board.collects(winner) { total } else { 0 }
    }

    /// One of each group of equivalent dominoes: same suits, same count, and nothing of their suit between them in
    /// another hand or on the table (`live`). Only dominoes of a single suit, such as trumps, can be equivalent.
    #[inline(always)]
    fn without_equivalents(&self, legal: u32, live: u32, seat: usize) -> u32 {
        let has_equivalents = legal & self.tables.has_equivalents();
        if has_equivalents & has_equivalents.wrapping_sub(1) == 0 {
            return legal;
        }
        let foreign = live & !self.board.dealt[seat & 3];
        let mut kept = legal;
        for domino in each(has_equivalents) {
            if kept >> domino & 1 == 1 {
                kept &= !self.equivalents(domino, kept, foreign);
            }
        }
        kept
    }

    /// The equivalents of a domino in a set: those that no foreign domino separates from it.
    pub(crate) fn equivalents(&self, domino: usize, set: u32, foreign: u32) -> u32 {
        let same_suits = set & self.tables.same_suits(domino) & self.board.same_count(domino);
        let called = self.tables.called(domino);
        let above = self.tables.above(called, domino);
        let separated = |twin: usize| (above ^ self.tables.above(called, twin)) & foreign != 0;
        each(same_suits).filter(|twin| !separated(*twin)).fold(0, |set, twin| set | 1 << twin)
    }

    /// Counts a node and returns whether to stop.
    #[inline(always)]
    fn count_node(&mut self) -> bool {
        self.nodes += 1;
        self.nodes >= self.check_at && self.check_limit()
    }

    /// Checks the limit and schedules the next check.
    #[cold]
    fn check_limit(&mut self) -> bool {
        if self.nodes > self.limit.nodes || (self.nodes.is_multiple_of(POLL_EVERY) && self.limit.is_cancelled()) {
            self.stopped = true;
        }
        if !self.stopped {
            self.check_at = (self.nodes + 1).next_multiple_of(POLL_EVERY).min(self.limit.nodes.saturating_add(1));
        }
        self.stopped
    }
}
