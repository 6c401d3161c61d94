//! How a WebAssembly module is written: sections, numbers, blocks of bytes, instructions.

use std::ops::Range;

use anyhow::{Context, Result, bail, ensure};

/// The numbers of sections.
pub(crate) const TYPES: u8 = 1;
pub(crate) const IMPORTS: u8 = 2;
pub(crate) const FUNCTIONS: u8 = 3;
pub(crate) const EXPORTS: u8 = 7;
pub(crate) const START: u8 = 8;
pub(crate) const ELEMENTS: u8 = 9;
pub(crate) const CODE: u8 = 10;
pub(crate) const DATA: u8 = 11;
/// A section with a name of its own.
pub(crate) const CUSTOM: u8 = 0;
/// A kind of import and export.
pub(crate) const FUNCTION: u8 = 0;

/// What browsers allow.
const MOST_VARIABLES: usize = 50_000;

/// What every module begins with: a sign and the version of the format.
pub(crate) const BEGINNING: [u8; 8] = *b"\0asm\x01\0\0\0";

/// The sections of a module, each with its number.
pub(crate) fn sections(module: &[u8]) -> Result<Vec<(u8, &[u8])>> {
    let mut rest = Bytes { left: module.strip_prefix(&BEGINNING).context("this is no WebAssembly module")? };
    let mut sections = Vec::new();
    while !rest.left.is_empty() {
        sections.push((rest.byte()?, rest.block()?));
    }
    Ok(sections)
}

/// The section with a number, or an empty one.
pub(crate) fn section<'a>(parts: &[(u8, &'a [u8])], wanted: u8) -> &'a [u8] {
    parts.iter().find(|(number, _)| *number == wanted).map_or(&[0], |(_, content)| content)
}

/// A module of these sections.
pub(crate) fn write_sections(sections: &[(u8, Vec<u8>)]) -> Vec<u8> {
    let mut module = BEGINNING.to_vec();
    for (number, content) in sections {
        module.push(*number);
        write_block(&mut module, content);
    }
    module
}

/// Bytes that are read one after the other.
pub(crate) struct Bytes<'a> {
    pub(crate) left: &'a [u8],
}

impl<'a> Bytes<'a> {
    pub(crate) fn byte(&mut self) -> Result<u8> {
        Ok(self.take(1)?[0])
    }

    pub(crate) fn take(&mut self, count: usize) -> Result<&'a [u8]> {
        let (taken, left) = self.left.split_at_checked(count).context("the module ends too early")?;
        self.left = left;
        Ok(taken)
    }

    /// A number in groups of seven bits, the lowest first.
    pub(crate) fn number(&mut self) -> Result<usize> {
        let (mut number, mut shift) = (0, 0);
        loop {
            let byte = self.byte()?;
            number |= usize::from(byte & 127) << shift;
            shift += 7;
            if byte < 128 {
                return Ok(number);
            }
        }
    }

    /// A length, and so many bytes.
    pub(crate) fn block(&mut self) -> Result<&'a [u8]> {
        let length = self.number()?;
        self.take(length)
    }
}

pub(crate) fn write_number(out: &mut Vec<u8>, mut number: usize) {
    while number > 127 {
        out.push(number as u8 | 128);
        number >>= 7;
    }
    out.push(number as u8);
}

pub(crate) fn write_block(out: &mut Vec<u8>, content: &[u8]) {
    write_number(out, content.len());
    out.extend(content);
}

/// How many functions are imported.
pub(crate) fn imports(section: &[u8]) -> Result<usize> {
    let mut bytes = Bytes { left: section };
    let count = bytes.number()?;
    for _ in 0..count {
        bytes.block()?;
        bytes.block()?;
        ensure!(bytes.byte()? == FUNCTION, "only functions are imported");
        bytes.number()?;
    }
    Ok(count)
}

/// How many parameters each type of function has.
pub(crate) fn parameters(section: &[u8]) -> Result<Vec<usize>> {
    let mut bytes = Bytes { left: section };
    let count = bytes.number()?;
    let read = |_| {
        ensure!(bytes.byte()? == 0x60, "only types of functions are known");
        let parameters = bytes.block()?.len();
        bytes.block()?;
        Ok(parameters)
    };
    (0..count).map(read).collect()
}

/// A list of numbers.
pub(crate) fn numbers(section: &[u8]) -> Result<Vec<usize>> {
    let mut bytes = Bytes { left: section };
    (0..bytes.number()?).map(|_| bytes.number()).collect()
}

/// The blocks of a section, one after the other.
pub(crate) fn blocks(section: &[u8]) -> Result<Vec<&[u8]>> {
    let mut bytes = Bytes { left: section };
    (0..bytes.number()?).map(|_| bytes.block()).collect()
}

/// Where the blocks of a section stand in it.
pub(crate) fn places(section: &[u8]) -> Result<Vec<Range<usize>>> {
    let mut bytes = Bytes { left: section };
    let mut places = Vec::new();
    for _ in 0..bytes.number()? {
        let length = bytes.block()?.len();
        let end = section.len() - bytes.left.len();
        places.push(end - length..end);
    }
    Ok(places)
}

/// A section of these blocks.
pub(crate) fn joined(blocks: &[Vec<u8>]) -> Vec<u8> {
    let mut section = Vec::new();
    write_number(&mut section, blocks.len());
    for block in blocks {
        write_block(&mut section, block);
    }
    section
}

/// The same function with other instructions: `write` gets each with its bytes.
pub(crate) fn rewritten(
    body: &[u8],
    mut write: impl FnMut(Step, &[u8], &mut Vec<u8>) -> Result<()>,
) -> Result<Vec<u8>> {
    let mut bytes = Bytes { left: body };
    bytes.variables()?;
    let mut new = body[..body.len() - bytes.left.len()].to_vec();
    while !bytes.left.is_empty() {
        let rest = bytes.left;
        let step = bytes.step()?;
        write(step, &rest[..rest.len() - bytes.left.len()], &mut new)?;
    }
    Ok(new)
}

/// What an instruction means for the way through a function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    /// A part begins that can be left at its end.
    Block,
    /// A part begins that can be begun again.
    Loop,
    /// A part begins that may be passed by.
    If,
    Else,
    End,
    /// On to one of these parts, counted from the innermost, and never to what comes next.
    Branch(Vec<usize>),
    /// Perhaps on to this part.
    BranchIf(usize),
    Return,
    Trap,
    /// The function with this number is called.
    Call(usize),
    /// The function with this number is named, for somebody to call.
    Named(usize),
    /// A function is called that only the running module knows.
    CallAny,
    /// The variable with this number is read or written.
    Variable(usize),
    /// Anything that goes on with what comes next.
    Other,
}

impl Bytes<'_> {
    /// The types of the variables that a function begins with, without its parameters.
    pub(crate) fn variables(&mut self) -> Result<Vec<u8>> {
        let mut types = Vec::new();
        for _ in 0..self.number()? {
            let count = self.number()?;
            ensure!(types.len() + count <= MOST_VARIABLES, "no function has so many variables");
            types.resize(types.len() + count, self.byte()?);
        }
        Ok(types)
    }

    /// Reads one instruction.
    pub(crate) fn step(&mut self) -> Result<Step> {
        let numbers = |bytes: &mut Self, count: usize| (0..count).try_for_each(|_| bytes.number().map(drop));
        let code = self.byte()?;
        match code {
            0x02..=0x04 => {
                self.number()?;
                return Ok([Step::Block, Step::Loop, Step::If][usize::from(code) - 2].clone());
            }
            0x0e => {
                let count = self.number()?;
                return Ok(Step::Branch((0..=count).map(|_| self.number()).collect::<Result<_>>()?));
            }
            0x00 => return Ok(Step::Trap),
            0x05 => return Ok(Step::Else),
            0x0b => return Ok(Step::End),
            0x0c => return Ok(Step::Branch(vec![self.number()?])),
            0x0d => return Ok(Step::BranchIf(self.number()?)),
            0x0f => return Ok(Step::Return),
            0x10 => return Ok(Step::Call(self.number()?)),
            0xd2 => return Ok(Step::Named(self.number()?)),
            0x11 => {
                numbers(self, 2)?;
                return Ok(Step::CallAny);
            }
            0x1c => {
                let count = self.number()?;
                numbers(self, count)?;
            }
            0x20..=0x22 => return Ok(Step::Variable(self.number()?)),
            0x23..=0x26 | 0x3f..=0x42 | 0xd0 => numbers(self, 1)?,
            0x28..=0x3e => numbers(self, 2)?,
            0x43 => drop(self.take(4)?),
            0x44 => drop(self.take(8)?),
            0xfc => match self.number()? {
                0..=7 => {}
                9 | 11 | 13 | 15..=17 => numbers(self, 1)?,
                8 | 10 | 12 | 14 => numbers(self, 2)?,
                other => bail!("an instruction with the number {other} behind 0xfc is not known"),
            },
            0x01 | 0x1a | 0x1b | 0x45..=0xc4 | 0xd1 => {}
            _ => bail!("an instruction {code:#x} is not known"),
        }
        Ok(Step::Other)
    }
}
