//! Functions have numbers by their order. Whoever moves or takes out some writes everything anew that names one: calls, exports,
//! tables.

use anyhow::{Context, Result, ensure};

use crate::wasm::{
    Bytes, CODE, ELEMENTS, EXPORTS, FUNCTION, FUNCTIONS, IMPORTS, START, Step, TYPES, blocks, imports, joined, numbers,
    parameters, rewritten, section, sections, write_block, write_number, write_sections,
};

/// The functions of a module, without those that come from outside. They are counted from nought here.
pub(crate) struct Functions<'a> {
    parts: Vec<(u8, &'a [u8])>,
    pub(crate) imported: usize,
    pub(crate) types: Vec<usize>,
    pub(crate) bodies: Vec<&'a [u8]>,
}

impl<'a> Functions<'a> {
    pub(crate) fn of(module: &'a [u8]) -> Result<Self> {
        let parts = sections(module)?;
        ensure!(
            parts.iter().all(|(number, _)| *number != START),
            "a function that begins by itself is not renumbered here"
        );
        let imported = imports(section(&parts, IMPORTS))?;
        let (types, bodies) = (numbers(section(&parts, FUNCTIONS))?, blocks(section(&parts, CODE))?);
        ensure!(types.len() == bodies.len(), "{} functions have {} bodies", types.len(), bodies.len());
        Ok(Self { parts, imported, types, bodies })
    }

    /// How many parameters each function has.
    pub(crate) fn parameters(&self) -> Result<Vec<usize>> {
        let by_type = parameters(section(&self.parts, TYPES))?;
        let known = |kind: &usize| by_type.get(*kind).copied().with_context(|| format!("there is no type {kind}"));
        self.types.iter().map(known).collect()
    }

    /// The same module with other bodies.
    pub(crate) fn with_bodies(&self, bodies: &[Vec<u8>]) -> Vec<u8> {
        let content = |number: u8, content: &[u8]| if number == CODE { joined(bodies) } else { content.to_vec() };
        let parts = self.parts.iter().map(|(number, old)| (*number, content(*number, old)));
        write_sections(&parts.collect::<Vec<_>>())
    }

    /// The module with these of its functions, in this order. For each function another may be called instead, or itself.
    pub(crate) fn write(&self, order: &[usize], instead: impl Fn(usize) -> usize) -> Result<Vec<u8>> {
        let new = New::of(self, order, instead)?;
        let written = self.parts.iter().map(|(number, content)| {
            let content = match *number {
                FUNCTIONS => list(order.iter().map(|old| self.types[*old])),
                CODE => {
                    let bodies = order.iter().map(|old| new.body(self.bodies[*old]));
                    joined(&bodies.collect::<Result<Vec<_>>>()?)
                }
                EXPORTS => new.exports(content)?,
                ELEMENTS => new.elements(content)?,
                _ => content.to_vec(),
            };
            Ok((*number, content))
        });
        Ok(write_sections(&written.collect::<Result<Vec<_>>>()?))
    }
}

/// The new number of each function by its old one.
struct New(Vec<usize>);

impl New {
    /// Those that come from outside keep theirs.
    fn of(functions: &Functions<'_>, order: &[usize], instead: impl Fn(usize) -> usize) -> Result<Self> {
        let imported = functions.imported;
        let mut places = vec![None; functions.bodies.len()];
        for (at, old) in order.iter().enumerate() {
            places[*old] = Some(imported + at);
        }
        let place = |old: usize| places[instead(old)].with_context(|| format!("nothing stands for function {old}"));
        let own = (0..places.len()).map(place).collect::<Result<Vec<_>>>()?;
        Ok(Self((0..imported).chain(own).collect()))
    }

    fn number(&self, old: usize) -> Result<usize> {
        self.0.get(old).copied().with_context(|| format!("there is no function {old}"))
    }

    fn body(&self, body: &[u8]) -> Result<Vec<u8>> {
        rewritten(body, |step, old, new| {
            match step {
                Step::Call(function) | Step::Named(function) => {
                    new.push(old[0]);
                    write_number(new, self.number(function)?);
                }
                _ => new.extend(old),
            }
            Ok(())
        })
    }

    fn exports(&self, section: &[u8]) -> Result<Vec<u8>> {
        let (mut bytes, mut new) = (Bytes { left: section }, Vec::new());
        let count = bytes.number()?;
        write_number(&mut new, count);
        for _ in 0..count {
            write_block(&mut new, bytes.block()?);
            let (kind, number) = (bytes.byte()?, bytes.number()?);
            new.push(kind);
            write_number(&mut new, if kind == FUNCTION { self.number(number)? } else { number });
        }
        Ok(new)
    }

    /// Tables of functions, as linkers write them: from a fixed place on, one number after the other.
    fn elements(&self, section: &[u8]) -> Result<Vec<u8>> {
        let (mut bytes, mut new) = (Bytes { left: section }, Vec::new());
        let count = bytes.number()?;
        write_number(&mut new, count);
        for _ in 0..count {
            let rest = bytes.left;
            ensure!(bytes.number()? == 0, "only plain tables of functions are known");
            while bytes.step()? != Step::End {}
            new.extend(&rest[..rest.len() - bytes.left.len()]);
            let functions = bytes.number()?;
            write_number(&mut new, functions);
            for _ in 0..functions {
                write_number(&mut new, self.number(bytes.number()?)?);
            }
        }
        Ok(new)
    }
}

fn list(numbers: impl ExactSizeIterator<Item = usize>) -> Vec<u8> {
    let mut section = Vec::new();
    write_number(&mut section, numbers.len());
    numbers.for_each(|number| write_number(&mut section, number));
    section
}
