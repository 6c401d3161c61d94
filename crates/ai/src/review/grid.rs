//! The bid review: the chance to make each bid with each trump, for the hand as its seat knew it.

use alloc::vec::Vec;

use texas42_engine::HAND_POINTS;
use texas42_protocol::review::{BidGrid, GridCell, GridRow};
use texas42_solver::Solver;
use texas42_vocab::{Action, Bid, BidKind, Hand, Trump};

use super::lens::{KnowledgeLens, share};
use crate::{expert::at_table, knowledge::Knowledge, stakes::Stakes};

/// What the rows of a grid are about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Row {
    /// Every bid of points and a mark, with this trump.
    Straight(Trump),
    /// Nello or sevens, and its least bid in marks.
    Special(u8, Trump),
    /// A plunge or a splash, if the seat was allowed to bid it.
    ByPartner(BidKind),
}

/// Computes a [`BidGrid`], one row for each [`BidGridBuilder::step`]. Uses the worlds of the review of the same decision.
#[derive(Debug)]
pub struct BidGridBuilder {
    knowledge: Knowledge,
    worlds: Vec<[Hand; 4]>,
    legal: Vec<Bid>,
    rows: Vec<Row>,
    grid: BidGrid,
}

impl BidGridBuilder {
    pub(super) fn new(event: u32, knowledge: Knowledge, worlds: Vec<[Hand; 4]>, options: &[Action]) -> Self {
        let bid = |action: &Action| match action {
            Action::Bid { bid, .. } => Some(*bid),
            _ => None,
        };
        let legal: Vec<Bid> = options.iter().filter_map(bid).collect();
        let specials = knowledge.special_contracts().into_iter().map(|(least, trump)| Row::Special(least, trump));
        let can_bid = |kind: &BidKind| legal.iter().any(|bid| bid.kind == *kind);
        let by_partner = [BidKind::Plunge, BidKind::Splash].into_iter().filter(can_bid).map(Row::ByPartner);
        let rows = Trump::STRAIGHT.into_iter().map(Row::Straight).chain(specials).chain(by_partner).collect();
        let grid = BidGrid { event, rows: Vec::new(), worlds: worlds.len() as u32 };
        Self { knowledge, worlds, legal, rows, grid }
    }

    /// The number of rows of the finished grid.
    pub fn total(&self) -> usize {
        self.rows.len()
    }

    /// The rows so far.
    pub const fn grid(&self) -> &BidGrid {
        &self.grid
    }

    /// Computes the next row. Returns false if there was none left.
    pub fn step(&mut self, solver: &mut Solver) -> bool {
        let Some(row) = self.rows.get(self.grid.rows.len()).copied() else { return false };
        let mut lens = KnowledgeLens::new(&self.knowledge, &self.worlds, solver);
        let (trump, chances): (Option<Trump>, Vec<(Bid, f64)>) = match row {
            Row::Straight(trump) => {
                let prospect = lens.prospect(trump);
                let bids = (30..HAND_POINTS).map(Bid::points).chain([Bid::marks(1)]);
                let points = |bid: Bid| if bid.kind == BidKind::Points { bid.value } else { HAND_POINTS };
                (Some(trump), bids.map(|bid| (bid, prospect.open_chance(points(bid)))).collect())
            }
            Row::Special(least, trump) => {
                let bid = Bid::marks(least);
                (Some(trump), [(bid, share(&lens.makes(bid, |_| trump)))].into())
            }
            Row::ByPartner(kind) => {
                let bids: Vec<Bid> = self.legal.iter().copied().filter(|bid| bid.kind == kind).collect();
                // Only the stake differs between these bids.
                let chance = bids.first().map_or(0.0, |bid| share(&lens.by_partner(*bid)));
                (None, bids.into_iter().map(|bid| (bid, chance)).collect())
            }
        };
        let stakes = Stakes::new(&self.knowledge.rules, self.knowledge.score);
        let pass = Action::Pass { player: self.knowledge.seat };
        let cell = |(bid, open)| {
            let weighed = stakes.weighed(pass, at_table(trump, bid, open), stakes.of(bid));
            GridCell { bid, chance: weighed.chance, marks: weighed.marks, legal: self.legal.contains(&bid) }
        };
        self.grid.rows.push(GridRow { trump, cells: chances.into_iter().map(cell).collect() });
        true
    }
}
