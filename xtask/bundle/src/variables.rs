//! Gives the variables of functions other numbers. A function does not mind what numbers its variables have, as long as those of
//! one type stand together and its parameters come first, but two that do the same thing with other variables are the same only
//! when the numbers are. First the most used get the lowest numbers; later, when it is clear which functions come before,
//! each gets the number that was used in places like its own.

use std::{
    cmp::Reverse,
    collections::{BTreeMap, HashMap},
};

use anyhow::{Context, Result, ensure};

use crate::{
    functions::Functions,
    wasm::{Bytes, Step, rewritten, write_number},
};

/// Places are compared by so many instructions before and behind them.
const REACHES: [usize; 4] = [1, 2, 4, 8];
/// What it counts that a place was like another, and what it counts that a variable has a number already.
const LIKE: usize = 10;
const OWN: usize = 1;

/// The same module, in which variables that are used often have low numbers. Loads and stores say how well their address is
/// aligned, which machines find out for themselves: they all say the same here.
pub(crate) fn by_use(module: &[u8]) -> Result<Vec<u8>> {
    let functions = Functions::of(module)?;
    let bodies = functions.bodies.iter().zip(functions.parameters()?).map(|(body, parameters)| {
        let function = Function::read(body, parameters)?;
        let mut uses = vec![0_usize; function.types.len()];
        function.used().for_each(|(_, variable)| uses[variable] += 1);
        let mut order: Vec<usize> = (0..uses.len()).collect();
        order.sort_by_key(|variable| (Reverse(function.types[*variable]), Reverse(uses[*variable])));
        let mut new = vec![0; order.len()];
        order.into_iter().enumerate().for_each(|(number, variable)| new[variable] = number);
        aligned(&function.renumbered(&new)?)
    });
    Ok(functions.with_bodies(&bodies.collect::<Result<Vec<_>>>()?))
}

/// The same module, in which variables have the numbers of those that were used in the same way before.
pub(crate) fn as_before(module: &[u8]) -> Result<Vec<u8>> {
    let functions = Functions::of(module)?;
    let mut before = HashMap::new();
    let bodies = functions.bodies.iter().zip(functions.parameters()?).map(|(body, parameters)| {
        let function = Function::read(body, parameters)?;
        let new = function.numbers_like(&before);
        for (place, variable) in function.used() {
            before.extend(function.looks(place).map(|look| (look, new[variable] + parameters)));
        }
        function.renumbered(&new)
    });
    Ok(functions.with_bodies(&bodies.collect::<Result<Vec<_>>>()?))
}

/// A function whose variables may get other numbers. They are counted without the parameters here.
struct Function<'a> {
    body: &'a [u8],
    parameters: usize,
    types: Vec<u8>,
    /// What stands in each instruction, without the number of a variable.
    signs: Vec<u64>,
    /// The variable that each instruction reads or writes.
    variables: Vec<Option<usize>>,
}

impl<'a> Function<'a> {
    fn read(body: &'a [u8], parameters: usize) -> Result<Self> {
        let mut bytes = Bytes { left: body };
        let mut function =
            Self { body, parameters, types: bytes.variables()?, signs: Vec::new(), variables: Vec::new() };
        while !bytes.left.is_empty() {
            let rest = bytes.left;
            let (step, instruction) = (bytes.step()?, &rest[..rest.len() - bytes.left.len()]);
            let is_variable = matches!(step, Step::Variable(_));
            function.signs.push(sign(if is_variable { &instruction[..1] } else { instruction }));
            let variable = if let Step::Variable(number) = step { number.checked_sub(parameters) } else { None };
            ensure!(variable.is_none_or(|number| number < function.types.len()), "there is no variable {variable:?}");
            function.variables.push(variable);
        }
        Ok(function)
    }

    /// The places at which variables are used, and which.
    fn used(&self) -> impl Iterator<Item = (usize, usize)> {
        self.variables.iter().enumerate().filter_map(|(place, variable)| Some((place, (*variable)?)))
    }

    /// How a place looks from near and from farther away.
    fn looks(&self, place: usize) -> impl Iterator<Item = (usize, u64)> {
        REACHES.into_iter().map(move |reach| {
            let begin = place.saturating_sub(reach);
            let around = &self.signs[begin..self.signs.len().min(place + reach + 1)];
            let start = (place - begin) as u64;
            (reach, around.iter().fold(start, |look, sign| mixed(look ^ sign)))
        })
    }

    /// The numbers that variables had in places that looked the same. The clearest case comes first, and every number is given
    /// once and stays in its type.
    fn numbers_like(&self, before: &HashMap<(usize, u64), usize>) -> Vec<usize> {
        let mut wishes: BTreeMap<(usize, usize), usize> = BTreeMap::new();
        for (place, variable) in self.used() {
            *wishes.entry((variable, variable)).or_default() += OWN;
            let numbers = self.looks(place).filter_map(|look| before.get(&look)?.checked_sub(self.parameters));
            numbers.for_each(|number| *wishes.entry((variable, number)).or_default() += LIKE);
        }
        let mut wishes: Vec<((usize, usize), usize)> = wishes.into_iter().collect();
        wishes.sort_by_key(|(_, weight)| Reverse(*weight));
        let mut places = Places { types: &self.types, new: vec![None; self.types.len()], is_taken: Vec::new() };
        places.is_taken.resize(self.types.len(), false);
        for ((variable, number), _) in wishes {
            places.take(variable, number);
        }
        places.all()
    }

    /// The function with its variables under these numbers.
    fn renumbered(&self, new: &[usize]) -> Result<Vec<u8>> {
        let mut types = self.types.clone();
        new.iter().zip(&self.types).for_each(|(number, kind)| types[*number] = *kind);
        let mut body = declared(&types);
        let mut bytes = Bytes { left: self.body };
        bytes.variables()?;
        let code = [&[0], bytes.left].concat();
        let code = rewritten(&code, |step, old, out| {
            match step {
                Step::Variable(number) if number >= self.parameters => {
                    out.push(old[0]);
                    write_number(out, self.parameters + new[number - self.parameters]);
                }
                _ => out.extend(old),
            }
            Ok(())
        })?;
        body.extend(&code[1..]);
        Ok(body)
    }
}

/// Numbers that are given to variables.
struct Places<'a> {
    types: &'a [u8],
    new: Vec<Option<usize>>,
    is_taken: Vec<bool>,
}

impl Places<'_> {
    fn is_free(&self, variable: usize, number: usize) -> bool {
        self.is_taken.get(number) == Some(&false) && self.types[number] == self.types[variable]
    }

    fn take(&mut self, variable: usize, number: usize) {
        if self.new[variable].is_none() && self.is_free(variable, number) {
            self.new[variable] = Some(number);
            self.is_taken[number] = true;
        }
    }

    /// Whoever has none yet takes the lowest that is left.
    fn all(mut self) -> Vec<usize> {
        for variable in 0..self.new.len() {
            if let Some(number) = (0..self.new.len()).find(|number| self.is_free(variable, *number)) {
                self.take(variable, number);
            }
        }
        // There are as many numbers of each type as variables, so nobody is left without.
        self.new.into_iter().flatten().collect()
    }
}

/// What a function begins with: how many variables it has of each type.
fn declared(types: &[u8]) -> Vec<u8> {
    let rows: Vec<&[u8]> = types.chunk_by(|one, next| one == next).collect();
    let mut begin = Vec::new();
    write_number(&mut begin, rows.len());
    for row in rows {
        write_number(&mut begin, row.len());
        begin.push(row[0]);
    }
    begin
}

/// The function with loads and stores that say what is usual about their address.
fn aligned(body: &[u8]) -> Result<Vec<u8>> {
    rewritten(body, |_, old, new| {
        new.extend(old);
        if let [code @ 0x28..=0x3e, ..] = old {
            let place = new.len() - old.len() + 1;
            ensure!(new[place] < 4, "only plain loads and stores are known");
            new[place] = usual(*code).context("a load or store of an unknown size")?;
        }
        Ok(())
    })
}

/// How well aligned the address of a load or store usually is: as well as what is there is long.
fn usual(code: u8) -> Option<u8> {
    match code {
        0x2c | 0x2d | 0x30 | 0x31 | 0x3a | 0x3c => Some(0),
        0x2e | 0x2f | 0x32 | 0x33 | 0x3b | 0x3d => Some(1),
        0x28 | 0x2a | 0x34..=0x36 | 0x38 | 0x3e => Some(2),
        0x29 | 0x2b | 0x37 | 0x39 => Some(3),
        _ => None,
    }
}

fn sign(instruction: &[u8]) -> u64 {
    instruction.iter().fold(instruction.len() as u64, |sign, byte| mixed(sign ^ u64::from(*byte)))
}

/// A number that looks like chance, and is the same for the same.
fn mixed(number: u64) -> u64 {
    (number ^ (number >> 29)).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(23)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wasm::{CODE, FUNCTIONS, TYPES, blocks, joined, section, sections, write_sections};

    /// The bodies of functions with one parameter behind a pass.
    fn after(pass: impl Fn(&[u8]) -> Result<Vec<u8>>, bodies: &[Vec<u8>]) -> Vec<Vec<u8>> {
        let functions = [&[bodies.len() as u8][..], &vec![0; bodies.len()]].concat();
        let types = vec![1, 0x60, 1, 0x7f, 0];
        let module = pass(&write_sections(&[(TYPES, types), (FUNCTIONS, functions), (CODE, joined(bodies))])).unwrap();
        wasmparser::validate(&module).unwrap();
        let parts = sections(&module).unwrap();
        blocks(section(&parts, CODE)).unwrap().into_iter().map(<[u8]>::to_vec).collect()
    }

    /// Two numbers go to two variables, the second is read, and a third variable holds a long number.
    fn body(first: u8, second: u8, long: u8, declared: &[u8]) -> Vec<u8> {
        let code = [0x41, 5, 0x21, first, 0x41, 6, 0x21, second, 0x20, second, 0x1a, 0x42, 7, 0x21, long, 0x0b];
        [declared, &code].concat()
    }

    #[test]
    fn functions_that_do_the_same_with_other_variables_become_the_same() {
        let bodies = [body(1, 2, 3, &[2, 2, 0x7f, 1, 0x7e]), body(3, 1, 2, &[3, 1, 0x7f, 1, 0x7e, 1, 0x7f])];
        let expected = body(2, 1, 3, &[2, 2, 0x7f, 1, 0x7e]);
        assert_eq!(after(by_use, &bodies), [expected.clone(), expected]);
    }

    #[test]
    fn a_variable_gets_the_number_of_one_that_was_used_like_it() {
        let declared = [2, 2, 0x7f, 1, 0x7e];
        let (one, other) = (body(2, 1, 3, &declared), body(1, 2, 3, &declared));
        assert_eq!(after(as_before, &[one.clone(), other.clone()]), [one.clone(), one.clone()]);
        assert_eq!(after(as_before, &[other.clone(), one]), [other.clone(), other]);
    }

    #[test]
    fn every_variable_keeps_its_type_and_parameters_stay() {
        // The parameter is read where the other function read a variable, and a long number is where a short one was.
        let short = vec![1, 2, 0x7f, 0x20, 1, 0x1a, 0x20, 2, 0x1a, 0x0b];
        let long = vec![2, 1, 0x7f, 1, 0x7e, 0x20, 0, 0x1a, 0x20, 2, 0x1a, 0x0b];
        assert_eq!(after(as_before, &[short.clone(), long.clone()]), [short, long]);
    }

    #[test]
    fn a_variable_that_is_not_there_is_refused() {
        assert!(Function::read(&[1, 1, 0x7f, 0x20, 2, 0x1a, 0x0b], 1).is_err());
    }

    #[test]
    fn loads_and_stores_say_what_is_usual() {
        // A long load and a short store, at a distance of 2.
        let body = [0, 0x29, 0, 2, 0x3b, 0, 2, 0x0b];
        assert_eq!(aligned(&body).unwrap(), [0, 0x29, 3, 2, 0x3b, 1, 2, 0x0b]);
        assert!(aligned(&[0, 0x28, 0x40, 0, 2, 0x0b]).is_err(), "it names a memory");
    }
}
