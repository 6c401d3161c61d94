//! Keeps functions that are the same only once. The compiler makes some for every type that is used in a place, though nothing in
//! them depends on it. Rust promises nothing about the addresses of functions, so two may well have the same.

use std::collections::HashMap;

use anyhow::Result;

use crate::functions::Functions;

/// The same module, in which no two functions are the same.
pub(crate) fn once(module: &[u8]) -> Result<Vec<u8>> {
    let mut module = module.to_vec();
    loop {
        let functions = Functions::of(&module)?;
        let instead = first_of_each(&functions);
        let order: Vec<usize> = (0..instead.len()).filter(|function| instead[*function] == *function).collect();
        if order.len() == instead.len() {
            return Ok(module);
        }
        // Those that call one of them may be the same now, too.
        module = functions.write(&order, |function| instead[function])?;
    }
}

/// For each function the first that is the same.
fn first_of_each(functions: &Functions<'_>) -> Vec<usize> {
    let mut first = HashMap::new();
    let both = functions.types.iter().zip(&functions.bodies);
    both.enumerate().map(|(number, function)| *first.entry(function).or_insert(number)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wasm::{CODE, ELEMENTS, EXPORTS, FUNCTION, FUNCTIONS, IMPORTS, TYPES, joined, write_sections};

    #[test]
    fn what_is_the_same_is_kept_once_and_so_is_what_calls_it() {
        let one = vec![0x00, 0x41, 1, 0x1a, 0x0b];
        let calls = |number: u8| vec![0x00, 0x10, number, 0x0b];
        // 1 and 3 are the same, so 4 and 5 are, which call them; 2 is of another type, and 0 comes from outside.
        let bodies = [one.clone(), one.clone(), one, calls(1), calls(3), calls(5), calls(0)];
        let module = write_sections(&[
            (TYPES, vec![2, 0x60, 0, 0, 0x60, 1, 0x7f, 0]),
            (IMPORTS, vec![1, 1, b'm', 1, b'f', FUNCTION, 0]),
            (FUNCTIONS, vec![7, 0, 1, 0, 0, 0, 0, 0]),
            (EXPORTS, vec![2, 1, b'a', FUNCTION, 5, 1, b'b', FUNCTION, 4]),
            (ELEMENTS, vec![1, 0, 0x41, 0, 0x0b, 3, 3, 2, 7]),
            (CODE, joined(&bodies)),
        ]);
        let expected = write_sections(&[
            (TYPES, vec![2, 0x60, 0, 0, 0x60, 1, 0x7f, 0]),
            (IMPORTS, vec![1, 1, b'm', 1, b'f', FUNCTION, 0]),
            (FUNCTIONS, vec![5, 0, 1, 0, 0, 0]),
            (EXPORTS, vec![2, 1, b'a', FUNCTION, 3, 1, b'b', FUNCTION, 3]),
            (ELEMENTS, vec![1, 0, 0x41, 0, 0x0b, 3, 1, 2, 5]),
            (CODE, joined(&[bodies[0].clone(), bodies[1].clone(), calls(1), calls(3), calls(0)])),
        ]);
        assert_eq!(once(&module).unwrap(), expected);
        assert_eq!(once(&expected).unwrap(), expected);
    }
}
