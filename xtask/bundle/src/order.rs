//! Puts functions that look alike side by side. A module does not mind the order of its functions, but brotli does: what stands
//! near to something like it is said in fewer bytes. For the page that is a thirtieth of its weight.

use std::{cmp::Reverse, collections::BTreeMap};

use anyhow::Result;

use crate::functions::Functions;

/// So many bytes in a row are looked at when functions are compared.
const ROW: usize = 4;
/// In so many words of 64 bits it is noted which rows a function has.
const WORDS: usize = 128;

/// The same module with its functions in another order.
pub(crate) fn alike_together(module: &[u8]) -> Result<Vec<u8>> {
    let functions = Functions::of(module)?;
    functions.write(&order(&functions.types, &functions.bodies), |function| function)
}

/// Functions of one type together, those of the commonest first, and among them each followed by the one that is most like it.
fn order(types: &[usize], bodies: &[&[u8]]) -> Vec<usize> {
    let looks: Vec<Look> = bodies.iter().map(|body| Look::of(body)).collect();
    let mut groups: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for (function, kind) in types.iter().enumerate() {
        groups.entry(*kind).or_default().push(function);
    }
    let mut groups: Vec<Vec<usize>> = groups.into_values().collect();
    groups.sort_by_key(|group| Reverse(group.len()));
    groups.into_iter().flat_map(|group| chain(group, bodies, &looks)).collect()
}

/// Begins with the shortest, and goes on with what is most like the last one.
fn chain(mut left: Vec<usize>, bodies: &[&[u8]], looks: &[Look]) -> Vec<usize> {
    let mut chain = Vec::new();
    let mut next = (0..left.len()).min_by_key(|at| bodies[left[*at]].len());
    while let Some(at) = next {
        // Not the quickest way to take one out, but what is equally alike stays in its order.
        let last = left.remove(at);
        chain.push(last);
        let likeness = |at: &usize| looks[last].likeness(&looks[left[*at]]);
        next = (0..left.len()).rev().max_by(|one, other| likeness(one).total_cmp(&likeness(other)));
    }
    chain
}

/// Which rows of bytes a function has, roughly.
struct Look {
    rows: [u64; WORDS],
    count: u32,
}

impl Look {
    fn of(body: &[u8]) -> Self {
        let mut rows = [0_u64; WORDS];
        for row in body.windows(ROW) {
            let place = place(row);
            rows[place / 64] |= 1 << (place % 64);
        }
        Self { count: rows.iter().map(|word| word.count_ones()).sum(), rows }
    }

    /// How much of what either has, both have.
    fn likeness(&self, other: &Self) -> f64 {
        let both: u32 = self.rows.iter().zip(&other.rows).map(|(own, others)| (own & others).count_ones()).sum();
        f64::from(both) / f64::from(self.count + other.count - both + 1)
    }
}

/// Where a row is noted.
fn place(row: &[u8]) -> usize {
    let mixed = row
        .iter()
        .fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3));
    (mixed >> 32) as usize % (64 * WORDS)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wasm::{
        CODE, ELEMENTS, EXPORTS, FUNCTION, FUNCTIONS, IMPORTS, blocks, joined, sections, write_sections,
    };

    /// A module with an imported function and four others: two long ones that are alike, one between them, and one that calls
    /// all and is exported; a table names two.
    fn module() -> Vec<u8> {
        let long = |last: u8| {
            let mut body = vec![0x00];
            (0..40).for_each(|number| body.extend([0x41, number, 0x1a]));
            body.extend([0x41, last, 0x1a, 0x0b]);
            body
        };
        let caller = vec![0x00, 0x10, 0x00, 0x10, 0x01, 0x10, 0x02, 0x10, 0x03, 0xd2, 0x03, 0x1a, 0x0b];
        let code = joined(&[long(1), vec![0x00, 0x01, 0x01, 0x0b], long(2), caller]);
        write_sections(&[
            (1, vec![1, 0x60, 0, 0]),
            (IMPORTS, vec![1, 1, b'm', 1, b'f', FUNCTION, 0]),
            (FUNCTIONS, vec![4, 0, 0, 0, 0]),
            (EXPORTS, vec![2, 1, b'a', FUNCTION, 4, 1, b'b', 2, 0]),
            (ELEMENTS, vec![1, 0, 0x41, 0, 0x0b, 2, 3, 0]),
            (CODE, code),
        ])
    }

    /// The bodies by number, what is exported as `a`, and what the table holds.
    fn read(module: &[u8]) -> (Vec<Vec<u8>>, u8, Vec<u8>) {
        let parts = sections(module).unwrap();
        let of = |wanted: u8| parts.iter().find(|(number, _)| *number == wanted).unwrap().1;
        let bodies = blocks(of(CODE)).unwrap().into_iter().map(<[u8]>::to_vec).collect();
        (bodies, of(EXPORTS)[4], of(ELEMENTS)[6..].to_vec())
    }

    #[test]
    fn what_looks_alike_lies_side_by_side_and_is_called_as_before() {
        let (before, _, _) = read(&module());
        let (after, exported, table) = read(&alike_together(&module()).unwrap());
        let place = |body: &Vec<u8>| after.iter().position(|other| other == body).unwrap();
        let (one, between, two) = (place(&before[0]), place(&before[1]), place(&before[2]));
        assert_eq!(one.abs_diff(two), 1, "{after:?}");
        let caller = usize::from(exported) - 1;
        let number = |place: usize| 1 + place as u8;
        let calls = [0x10, 0, 0x10, number(one), 0x10, number(between), 0x10, number(two), 0xd2, number(two), 0x1a];
        assert_eq!(after[caller][1..12], calls, "what comes from outside keeps its number");
        assert_eq!(table, [number(two), 0]);
    }

    #[test]
    fn a_damaged_module_is_refused() {
        let mut module = module();
        module.truncate(module.len() - 3);
        assert!(alike_together(&module).is_err());
    }
}
