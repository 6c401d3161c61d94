//! Dominoes as SVG: the content of an SVG of 100 by 200, with pips and a little depth.
//!
//! A drawing is a text that is handed to the browser as a whole, since the page shows dozens of them and they never
//! change. The page defines the gradients (`#ivory`, `#pip`, `#back`) once.

use core::{cell::OnceCell, fmt::Write as _};
use std::sync::Arc;

use texas42_vocab::{Domino, Hand, Pip, Trump, sort_by_rank};

/// The positions of the pips on a grid of three by three, as column and row.
const GRID: [&[(u8, u8)]; 7] = [
    &[],
    &[(1, 1)],
    &[(0, 0), (2, 2)],
    &[(0, 0), (1, 1), (2, 2)],
    &[(0, 0), (2, 0), (0, 2), (2, 2)],
    &[(0, 0), (2, 0), (1, 1), (0, 2), (2, 2)],
    &[(0, 0), (2, 0), (0, 1), (2, 1), (0, 2), (2, 2)],
];

thread_local! {
    /// Cached faces by domino index; the page shows each many times.
    static FACES: [OnceCell<Arc<str>>; 28] = const { [const { OnceCell::new() }; 28] };
}

/// The face of a domino, with the higher end on top.
pub fn face(domino: Domino) -> Arc<str> {
    FACES.with(|faces| faces[domino.index()].get_or_init(|| drawn_face(domino).into()).clone())
}

fn drawn_face(domino: Domino) -> String {
    let mut svg = String::from(
        "<rect class='d-edge' x='3' y='8' width='94' height='190' rx='15'/>\
         <rect class='d-face' x='3' y='2' width='94' height='189' rx='15' fill='url(#ivory)'/>\
         <rect class='d-gleam' x='7' y='5' width='86' height='182' rx='12' fill='none'/>\
         <line class='d-bar' x1='16' x2='84' y1='97' y2='97'/>\
         <circle class='d-pin' cx='50' cy='97' r='4.6'/>",
    );
    half(&mut svg, domino.high(), 3);
    half(&mut svg, domino.low(), 98);
    svg
}

/// One end of a domino, for a suit: the content of an SVG of 100 by 100.
pub fn end(pip: Pip) -> String {
    let mut svg = String::from(
        "<rect class='d-edge' x='3' y='7' width='94' height='91' rx='15'/>\
         <rect class='d-face' x='3' y='2' width='94' height='91' rx='15' fill='url(#ivory)'/>",
    );
    half(&mut svg, pip, 1);
    svg
}

fn half(svg: &mut String, pip: Pip, top: u16) {
    for (column, row) in GRID[usize::from(pip)] {
        let (x, y) = (24 + 26 * u16::from(*column), top + 21 + 26 * u16::from(*row));
        let _ = write!(svg, "<circle class='pip p{pip}' cx='{x}' cy='{y}' r='9.6'/>");
    }
}

/// The back of a domino: a lone star.
pub const fn back() -> &'static str {
    "<rect class='d-edge' x='3' y='8' width='94' height='190' rx='15'/>\
         <rect class='d-back' x='3' y='2' width='94' height='189' rx='15' fill='url(#back)'/>\
         <rect class='d-back-line' x='12' y='11' width='76' height='171' rx='9' fill='none'/>\
         <path class='d-star' d='M50 66 57.6 87.500 80.400 88.100 62.400 102 68.800 123.900 50 111 31.200 123.900 37.600 102 19.600 88.100 42.400 87.500Z'/>"
}

/// Sorts a hand for display: trumps first, then by the higher end, each double first in its suit. This is only an order
/// for the eye; the table says what may be played.
pub fn sorted(hand: Hand, trump: Option<Trump>) -> Vec<Domino> {
    let mut dominoes: Vec<Domino> = hand.into_iter().collect();
    let rank = |domino: &Domino| {
        let (in_front, (pip, is_double, other)) = place(*domino, trump);
        let [is_behind, is_later] = [!in_front, !domino.is_double() || !in_front];
        u64::from_be_bytes([0, 0, 0, is_behind.into(), is_later.into(), 6 - pip, (!is_double).into(), 6 - other])
    };
    sort_by_rank(&mut dominoes, rank);
    dominoes
}

/// Whether a domino belongs to the trumps, and its sort key, highest first.
fn place(domino: Domino, trump: Option<Trump>) -> (bool, (Pip, bool, Pip)) {
    let usual = (domino.high(), domino.is_double(), domino.low());
    match (trump, trump.and_then(Trump::pip)) {
        (_, Some(pip)) if domino.has(pip) => (true, (pip, domino.is_double(), domino.pips() - pip)),
        (Some(Trump::Doubles | Trump::Nello), _) if domino.is_double() => (true, usual),
        _ => (false, usual),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(hand: &str, trump: Option<Trump>) -> String {
        let hand = hand.split(' ').map(|domino| domino.parse::<Domino>().unwrap()).collect();
        sorted(hand, trump).iter().map(ToString::to_string).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn every_face_has_the_right_number_of_pips() {
        for domino in Domino::all() {
            assert_eq!(face(domino).matches("class='pip").count(), usize::from(domino.pips()), "{domino}");
        }
        for pip in 0..=6 {
            assert_eq!(end(pip).matches("class='pip").count(), usize::from(pip));
        }
    }

    #[test]
    fn trumps_are_sorted_first() {
        let hand = "0-0 6-5 5-5 5-1 6-6 4-3 6-2";
        assert_eq!(shown(hand, None), "6-6 6-5 6-2 5-5 5-1 4-3 0-0");
        assert_eq!(shown(hand, Some(Trump::Fives)), "5-5 6-5 5-1 6-6 6-2 4-3 0-0");
        assert_eq!(shown(hand, Some(Trump::Doubles)), "6-6 5-5 0-0 6-5 6-2 5-1 4-3");
    }
}
