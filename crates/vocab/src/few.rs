//! Sorting a handful: a hand has seven dominoes, a set twenty-eight. The sort of the standard library is made for millions, and
//! each kind of thing that it sorts adds kilobytes to what browsers and Workers load.

use core::cmp::Ordering;

/// Sorts in place; what is alike stays in the order in which it stood. For a few dozen things at most.
///
/// ```
/// let mut bids = [31, 30, 42];
/// texas42_vocab::sort_few(&mut bids, Ord::cmp);
/// assert_eq!(bids, [30, 31, 42]);
/// ```
pub fn sort_few<T>(items: &mut [T], compare: impl Fn(&T, &T) -> Ordering) {
    for end in 1..items.len() {
        let mut at = end;
        while at > 0 && compare(&items[at], &items[at - 1]) == Ordering::Less {
            items.swap(at, at - 1);
            at -= 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;

    use super::*;

    #[test]
    fn it_sorts_like_the_standard_library() {
        for seed in 0..200_u32 {
            let mut ours: Vec<(u32, u32)> =
                (0..seed % 29).map(|at| ((at * 7919 + seed).wrapping_mul(2_654_435_761) >> 29, at)).collect();
            let mut theirs = ours.clone();
            sort_few(&mut ours, |a, b| a.0.cmp(&b.0));
            theirs.sort_by_key(|item| item.0);
            assert_eq!(ours, theirs);
        }
    }
}
