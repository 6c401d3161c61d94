//! Move ordering. It affects the speed of a search, never its result.
//!
//! A move is scored by whether it surely wins or loses the trick, by the domino's count and by its strength. The
//! weights were fitted on random deals.

use crate::{
    board::{Board, each},
    search::OpenTrick,
    tables::{ROW, Tables},
};

/// The moves of a seat, best first.
///
/// After each move, the team with the highest legal domino can take the trick if it wants to. That bounds the value of
/// the move, so some moves cut off at once and others can be pruned.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Moves {
    /// The score in the upper bits, the index of the domino in the lower ones.
    ranked: [u16; 8],
    len: u8,
    /// The most that a move surely takes with the current trick; 0 if none does.
    pub(crate) sure: i8,
    /// The least that a pruned move gives away with the current trick; `NONE` if none was pruned.
    pub(crate) pruned: i8,
}

/// More than any trick is worth.
const NONE: i8 = 99;

/// The score of a move that is known to be good.
const KNOWN: i16 = 1023;

/// Added to scores, so that none is negative.
const MIDDLE: i16 = 1024;

/// A move as its score above the index of its domino, so that better moves compare greater.
pub(crate) const fn ranked(score: i16, domino: usize) -> u16 {
    ((score + MIDDLE) as u16) << SCORE_SHIFT | domino as u16
}

/// The lowest bit of the score.
const SCORE_SHIFT: u32 = 5;

/// A decision of the search: `seat` is to play, and `left` are the remaining dominoes.
#[derive(Clone, Copy)]
pub(crate) struct Choice<'a> {
    pub(crate) board: &'a Board,
    pub(crate) tables: &'a Tables,
    pub(crate) left: u32,
    pub(crate) seat: usize,
    /// The most that the seat's team can lose with the trick and still reach its goal.
    pub(crate) slack: i32,
}

/// The legal plays of the seats that play later to the trick.
struct Later<'a> {
    opponents: u32,
    partner: u32,
    /// The dominoes that beat each domino in the called suit.
    above: &'a [u32; ROW],
}

impl Later<'_> {
    /// Whether the partner may play one of these so that no opponent can beat it.
    #[inline(always)]
    fn rescues(&self, with: u32) -> bool {
        each(self.partner & with).any(|domino| self.above[domino & (ROW - 1)] & self.opponents == 0)
    }
}

impl<'a> Choice<'a> {
    #[inline(always)]
    fn later(&self, to_play: usize, called: usize) -> Later<'a> {
        let plays = |step: usize| {
            if to_play > step {
                self.tables.follows(self.board.hand(self.left, (self.seat + step) & 3), called)
            } else {
                0
            }
        };
        Later { opponents: plays(1) | plays(3), partner: plays(2), above: self.tables.all_above(called) }
    }
}

impl Moves {
    const fn new() -> Self {
        Self { ranked: [0; 8], len: 0, sure: 0, pruned: NONE }
    }

    pub(crate) fn leads(choice: &Choice<'_>, leads: u32, known: usize) -> Self {
        let mut moves = Self::new();
        if !choice.board.plain {
            each(leads).for_each(|domino| moves.insert(ranked(-strength(choice.tables, domino), domino)));
            return moves;
        }
        let mut rest = leads;
        while rest != 0 {
            let called = choice.tables.called(rest.trailing_zeros() as usize);
            let suit = rest & choice.tables.calling(called);
            rest &= !suit;
            moves.add_leads(choice, called, suit, known);
        }
        moves
    }

    pub(crate) fn follows(choice: &Choice<'_>, trick: &OpenTrick, legal: u32) -> Self {
        let mut moves = Self::new();
        if !choice.board.plain {
            each(legal).for_each(|domino| moves.insert(ranked(ducking_mark(choice, trick, domino), domino)));
            return moves;
        }
        let later = choice.later(trick.to_play, trick.called);
        moves.add_losers(choice, &later, trick, legal & !trick.above);
        moves.add_winners(choice, &later, trick, legal & trick.above);
        moves
    }

    /// Leads of one suit.
    #[inline(always)]
    fn add_leads(&mut self, choice: &Choice<'_>, called: usize, leads: u32, known: usize) {
        let Choice { board, tables, left, seat, .. } = *choice;
        let later = choice.later(4, called);
        let foes = board.hand(left, (seat + 1) & 3) | board.hand(left, (seat + 3) & 3);
        let draws = leads & tables.trumps() != 0 && foes & tables.trumps() != 0;
        for domino in each(leads) {
            let above = tables.above(called, domino);
            let stands = later.opponents & above == 0;
            let is_ours = stands || later.rescues(above);
            if self.is_pruned(choice, is_ours, 1 + board.count(domino)) {
                continue;
            }
            let kind = match (stands, is_ours) {
                (true, _) => MoveKind::LeadStands,
                (false, true) => MoveKind::LeadToPartner,
                (false, false) => MoveKind::LeadLoses,
            };
            let drawing = if stands && draws { DRAWS << SCORE_SHIFT } else { 0 };
            self.insert(if domino == known { ranked(KNOWN, known) } else { tables.ranked(kind, domino) + drawing });
        }
    }

    /// Dominoes that do not beat the trick so far, and so do not affect who wins it.
    #[inline(always)]
    fn add_losers(&mut self, choice: &Choice<'_>, later: &Later<'_>, trick: &OpenTrick, losers: u32) {
        let Choice { board, tables, seat, .. } = *choice;
        let has = (trick.winner ^ seat) & 1 == 0;
        let stands = has && later.opponents & trick.above == 0;
        let is_ours = stands || later.rescues(trick.above);
        let kind = match (is_ours, stands) {
            (true, true) => MoveKind::PartnerHasIt,
            (true, false) => MoveKind::PartnerWill,
            (false, _) if has => MoveKind::TakenBack,
            (false, _) => MoveKind::Lost,
        };
        for domino in each(losers) {
            if !self.is_pruned(choice, is_ours, 1 + trick.count + board.count(domino)) {
                self.insert(tables.ranked(kind, domino));
            }
        }
    }

    /// Dominoes that beat the trick so far.
    #[inline(always)]
    fn add_winners(&mut self, choice: &Choice<'_>, later: &Later<'_>, trick: &OpenTrick, winners: u32) {
        let Choice { board, tables, .. } = *choice;
        for domino in each(winners) {
            let above = tables.above(trick.called, domino);
            let stands = later.opponents & above == 0;
            let is_ours = stands || later.rescues(above);
            if self.is_pruned(choice, is_ours, 1 + trick.count + board.count(domino)) {
                continue;
            }
            let kind = match (is_ours, stands) {
                (true, true) => MoveKind::Wins,
                (true, false) => MoveKind::PartnerWill,
                (false, _) => MoveKind::TakenBack,
            };
            self.insert(tables.ranked(kind, domino));
        }
    }

    /// Records what a move takes or gives away with this trick, and returns whether to prune it.
    #[inline(always)]
    fn is_pruned(&mut self, choice: &Choice<'_>, is_ours: bool, worth: i32) -> bool {
        if is_ours {
            self.sure = self.sure.max(worth as i8);
        } else if worth > choice.slack {
            self.pruned = self.pruned.min(worth as i8);
            return true;
        }
        false
    }

    #[inline(always)]
    fn insert(&mut self, ranked: u16) {
        let mut place = usize::from(self.len) & 7;
        while place > 0 && self.ranked[place - 1] < ranked {
            self.ranked[place] = self.ranked[place - 1];
            place -= 1;
        }
        self.ranked[place] = ranked;
        self.len += 1;
    }

    #[inline(always)]
    pub(crate) fn iter(&self) -> impl Iterator<Item = usize> {
        self.ranked[..usize::from(self.len) & 7].iter().map(|ranked| usize::from(ranked & 31))
    }
}

/// The strength of a domino in the suit that it calls.
#[inline(always)]
fn strength(tables: &Tables, domino: usize) -> i16 {
    i16::from(tables.power(tables.called(domino), domino))
}

/// In nello, the bidder plays the highest domino that stays below; the defenders stay low.
fn ducking_mark(choice: &Choice<'_>, trick: &OpenTrick, domino: usize) -> i16 {
    let wins = trick.above >> domino & 1 == 1;
    let strength = strength(choice.tables, domino);
    let ducks = !choice.board.collects(choice.seat) && !wins;
    if ducks { 100 + strength } else { -strength }
}

/// The kinds of moves.
#[derive(Clone, Copy, Debug)]
pub(crate) enum MoveKind {
    /// A lead that no opponent can beat.
    LeadStands,
    /// A lead that the partner can take and keep.
    LeadToPartner,
    /// A lead that an opponent can take and keep.
    LeadLoses,
    /// A play that takes the trick for certain.
    Wins,
    /// The partner has the trick and keeps it.
    PartnerHasIt,
    /// The partner can take the trick and keep it.
    PartnerWill,
    /// Our team is winning the trick, and an opponent can take it.
    TakenBack,
    /// The opponents take the trick.
    Lost,
}

/// How many kinds of moves there are.
pub(crate) const MOVE_KINDS: usize = 8;

/// For each kind of move: its base score, and what is added per point of count, per step of rank, and for a trump.
const WEIGHTS: [[i16; 4]; MOVE_KINDS] = [
    [200, 2, -3, -9],
    [151, 2, -1, 20],
    [-5, -15, 3, 1],
    [199, 5, -5, 70],
    [222, 6, -7, -34],
    [101, 1, -1, -10],
    [90, 3, -1, -11],
    [49, -5, -4, -45],
];

/// Added to the score of a trump that draws trumps of the opponents.
const DRAWS: u16 = 22;

/// The score of a kind of move with a domino.
pub(crate) fn score(kind: usize, count: u8, strength: u8, is_trump: bool) -> i16 {
    let [base, for_count, for_rank, for_trump] = WEIGHTS[kind];
    base + for_count * i16::from(count) + for_rank * i16::from(strength) + for_trump * i16::from(is_trump)
}
