//! Static bounds: tricks that the leader can cash, and tricks that high trumps take.
//!
//! Only on plain boards (see [`Board::plain`]). Invariant: the true value lies between the bounds.

use crate::{
    board::{Board, each},
    tables::Tables,
};

/// Lower bounds of what the trumps of a seat's team and of the other team take, independent of who leads.
///
/// The trumps of a seat fall in different tricks, and each loses only to a higher trump of the opponents, a different
/// one each time. Matching them from the top down gives the number of trumps that win. Only trumps above every opposing
/// trump are certain winners, so only their count is added.
pub(crate) fn trumped(board: &Board, tables: &Tables, left: u32, of: usize) -> [i32; 2] {
    let (mut tricks, mut higher) = ([0; 4], [0; 4]);
    let (mut counts, mut topped) = ([0; 2], [false; 2]);
    for domino in tables.ladder().filter(|domino| left >> domino & 1 == 1) {
        let seat = board.owner(domino);
        if higher[seat] > 0 {
            higher[seat] -= 1;
        } else {
            tricks[seat] += 1;
        }
        higher[(seat + 1) & 3] += 1;
        higher[(seat + 3) & 3] += 1;
        topped[1 - (seat & 1)] = true;
        if !topped[seat & 1] {
            counts[seat & 1] += board.count(domino);
        }
    }
    let side = |side: usize| tricks[side].max(tricks[side + 2]) + counts[side];
    [side(of & 1), side(1 - (of & 1))]
}

/// A lower bound of what the leader's team takes if the leader cashes every domino that no other seat can beat.
///
/// Trumps come first. Once they are all drawn, a domino of another suit wins if no other seat has a higher one, or if
/// earlier leads have drawn the suit. The partner counts as another seat, because it might be forced to take the lead.
pub(crate) fn cashed(board: &Board, tables: &Tables, left: u32, leader: usize, total: i32) -> i32 {
    let hand = board.hand(left, leader);
    let others = left & !hand;
    let trumps = tables.trumps();
    let mut winners = 0;
    let mut suits = hand & !trumps;
    if others & trumps != 0 {
        let own = hand & trumps;
        if own == 0 {
            return 0;
        }
        winners = cashed_of(board, tables, left, leader, own, trumps);
        if winners.count_ones() < longest(board, left, leader, trumps) {
            suits = 0;
        }
    } else {
        winners |= hand & trumps;
    }
    while suits != 0 {
        let suit = tables.called(suits.trailing_zeros() as usize);
        let own = suits & tables.calling(suit);
        suits &= !own;
        winners |= cashed_of(board, tables, left, leader, own, tables.members(suit));
    }
    let lost = hand & !winners;
    if lost == 0 {
        return total;
    }
    let tricks = lost.count_ones();
    let at_worst = tricks as i32 + board.counts(lost) + board.richest(others, 3 * tricks);
    (total - at_worst).max(winners.count_ones() as i32 + board.counts(winners))
}

/// The leader's dominoes of a suit that win if they are led from the top.
fn cashed_of(board: &Board, tables: &Tables, left: u32, leader: usize, own: u32, members: u32) -> u32 {
    let others = left & members & !board.dealt[leader & 3];
    let suit = tables.called(own.trailing_zeros() as usize);
    let top: u32 = each(own).filter(|domino| tables.above(suit, *domino) & others == 0).fold(0, |set, d| set | 1 << d);
    if top == own || top == 0 || top.count_ones() < longest(board, left, leader, members) { top } else { own }
}

/// The most dominoes of a set that any other seat holds.
fn longest(board: &Board, left: u32, leader: usize, set: u32) -> u32 {
    let held = |step: usize| (board.hand(left, leader + step) & set).count_ones();
    held(1).max(held(2)).max(held(3))
}
