//! The score as players write it: seven marks spell ALL, stroke by stroke. Other targets get tally marks.

use core::fmt::Write as _;

/// The strokes of ALL on a canvas of 120 by 60, in drawing order.
const ALL: [(u8, u8, u8, u8); 7] = [
    (6, 54, 22, 6),
    (22, 6, 38, 54),
    (11, 38, 33, 38),
    (54, 6, 54, 54),
    (54, 54, 75, 54),
    (88, 6, 88, 54),
    (88, 54, 109, 54),
];

/// Maximum number of strokes; higher targets are shown as a number.
const MAX_STROKES: u16 = 15;

/// The SVG content for a score and its width, at a height of 60; `None` if the score is better shown as a number.
pub fn strokes(score: u16, target: u16) -> Option<(String, u16)> {
    match target {
        7 => Some((drawn(ALL.iter().copied(), score), 116)),
        1..=MAX_STROKES => Some((drawn(fives(target), score), 8 + 14 * target + 10 * target.div_ceil(5))),
        _ => None,
    }
}

/// Tally marks in groups of five, the fifth across the other four.
fn fives(target: u16) -> impl Iterator<Item = (u8, u8, u8, u8)> {
    (0..target.min(MAX_STROKES)).map(|number| {
        let left = (8 + 80 * (number / 5)) as u8;
        match number % 5 {
            4 => (left.saturating_sub(6), 46, left + 50, 14),
            within => (left + 14 * within as u8, 8, left + 14 * within as u8, 52),
        }
    })
}

fn drawn(lines: impl Iterator<Item = (u8, u8, u8, u8)>, score: u16) -> String {
    let mut svg = String::new();
    for (number, (x1, y1, x2, y2)) in lines.enumerate() {
        let class = if number < usize::from(score) { "stroke on" } else { "stroke" };
        let _ = write!(svg, "<line class='{class}' x1='{x1}' y1='{y1}' x2='{x2}' y2='{y2}'/>");
    }
    svg
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn draws_one_stroke_per_mark() {
        for (score, target) in [(0, 7), (3, 7), (7, 7), (2, 5), (9, 10)] {
            let (svg, _) = strokes(score, target).unwrap();
            assert_eq!(svg.matches("stroke on").count(), usize::from(score));
            assert_eq!(svg.matches("<line").count(), usize::from(target));
        }
        assert_eq!(strokes(120, 250), None);
    }
}
