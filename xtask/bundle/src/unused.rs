//! Empties what a module does not use any more once it does not panic: texts, tables of methods, and the functions that only
//! those name. The linker notes every place that names a function or something in memory (`--emit-relocs`), so nothing is
//! guessed. The bindings throw out what is called by nobody, and brotli says emptied memory in next to nothing.

use std::ops::Range;

use anyhow::{Result, bail, ensure};

use crate::{
    panics::{Short, TRAP},
    shrink::Memory,
    wasm::{Bytes, CODE, CUSTOM, DATA, EXPORTS, FUNCTION, places, section},
};

/// The section in which the linker lists what can be named, and the part of it that is the list.
const LINKING: &[u8] = b"linking";
const SYMBOLS: u8 = 8;
/// The sections with the places that name something.
const IN_CODE: &[u8] = b"reloc.CODE";
const IN_DATA: &[u8] = b"reloc.DATA";
/// Marks of a symbol: it is defined elsewhere; it is exported; it has a name of its own; it is to be kept.
const ELSEWHERE: usize = 0x10;
const EXPORTED: usize = 0x20;
const NAMED: usize = 0x40;
const KEPT: usize = 0x80;

/// Something that can be named.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Symbol {
    Function(usize),
    /// Something in memory, by its bytes in the section of data.
    Memory(Range<usize>),
    /// Something that is not looked at here, and stays.
    Other,
}

/// What the linker noted.
#[derive(Default)]
pub(crate) struct Notes {
    symbols: Vec<Symbol>,
    /// The symbols that somebody outside may name.
    wanted: Vec<usize>,
    /// Places in the sections of code and data, and the symbol that each names; in order.
    code: Vec<(usize, usize)>,
    data: Vec<(usize, usize)>,
}

/// Whether a section is about linking. It is true no longer once functions are shortened.
pub(crate) fn is_note(number: u8, content: &[u8]) -> bool {
    let name = Bytes { left: content }.block();
    number == CUSTOM && name.is_ok_and(|name| [LINKING, IN_CODE, IN_DATA].contains(&name))
}

/// Empties functions that nothing used names. What comes back is the section of data without what nothing used names.
pub(crate) fn empty(parts: &[(u8, &[u8])], imported: usize, functions: &mut [Short]) -> Result<Vec<u8>> {
    let (data, exports) = (section(parts, DATA), section(parts, EXPORTS));
    let notes = Notes::read(parts, data)?;
    let mut used = Used {
        bodies: places(section(parts, CODE))?,
        functions: vec![false; imported + functions.len()],
        symbols: vec![false; notes.symbols.len()],
        notes: &notes,
        short: functions,
        imported,
        left: Vec::new(),
    };
    used.begin(exports)?;
    while let Some(symbol) = used.left.pop() {
        used.follow(&symbol);
    }
    let (used_functions, used_symbols) = (used.functions, used.symbols);
    for (function, _) in functions.iter_mut().zip(&used_functions[imported..]).filter(|(_, is_used)| !**is_used) {
        function.body = TRAP.to_vec();
    }
    Ok(notes.data(data, &used_symbols))
}

impl Notes {
    fn read(parts: &[(u8, &[u8])], data: &[u8]) -> Result<Self> {
        let mut notes = Self::default();
        for (_, content) in parts.iter().filter(|(number, content)| is_note(*number, content)) {
            let mut bytes = Bytes { left: content };
            match bytes.block()? {
                LINKING => notes.symbols(bytes, &Memory::read(data)?)?,
                IN_CODE => notes.code = named(bytes)?,
                _ => notes.data = named(bytes)?,
            }
        }
        ensure!(!notes.symbols.is_empty(), "the linker left no notes in the module: was it asked to?");
        Ok(notes)
    }

    fn symbols(&mut self, mut bytes: Bytes<'_>, memory: &Memory<'_>) -> Result<()> {
        bytes.number()?;
        while !bytes.left.is_empty() {
            let kind = bytes.byte()?;
            let mut list = Bytes { left: bytes.block()? };
            if kind == SYMBOLS {
                for number in 0..list.number()? {
                    let (symbol, marks) = symbol(&mut list, memory)?;
                    self.symbols.push(symbol);
                    if marks & (EXPORTED | KEPT) != 0 {
                        self.wanted.push(number);
                    }
                }
            }
        }
        Ok(())
    }

    /// The section of data without what is not used. What is used in part is kept as a whole.
    fn data(&self, section: &[u8], used: &[bool]) -> Vec<u8> {
        let mut small = section.to_vec();
        let with_use = |is_wanted: bool| {
            let symbols = self.symbols.iter().zip(used).filter(move |(_, is_used)| **is_used == is_wanted);
            symbols
                .filter_map(|(symbol, _)| if let Symbol::Memory(bytes) = symbol { Some(bytes.clone()) } else { None })
        };
        with_use(false).for_each(|bytes| small[bytes].fill(0));
        with_use(true).for_each(|bytes| small[bytes.clone()].copy_from_slice(&section[bytes]));
        small
    }
}

/// One symbol of the list, and its marks.
fn symbol(list: &mut Bytes<'_>, memory: &Memory<'_>) -> Result<(Symbol, usize)> {
    let (kind, marks) = (list.byte()?, list.number()?);
    let symbol = match kind {
        // A function, a global, an event, a table.
        0 | 2 | 4 | 5 => {
            let number = list.number()?;
            if marks & ELSEWHERE == 0 || marks & NAMED != 0 {
                list.block()?;
            }
            if kind == 0 { Symbol::Function(number) } else { Symbol::Other }
        }
        1 => {
            list.block()?;
            if marks & ELSEWHERE == 0 {
                let [part, begin, length] = [list.number()?, list.number()?, list.number()?];
                in_memory(memory, part, begin, length)?
            } else {
                Symbol::Other
            }
        }
        3 => {
            list.number()?;
            Symbol::Other
        }
        _ => bail!("a symbol of the kind {kind} is not known"),
    };
    Ok((symbol, marks))
}

/// What begins empty has no bytes in the section, and names nothing.
fn in_memory(memory: &Memory<'_>, part: usize, begin: usize, length: usize) -> Result<Symbol> {
    let Some((_, bytes)) = memory.parts.get(part) else { return Ok(Symbol::Other) };
    let place = bytes.start + begin..bytes.start + begin + length;
    ensure!(place.end <= bytes.end, "a symbol goes beyond its part of the data");
    Ok(Symbol::Memory(place))
}

/// The places of a list that name a function or something in memory, each with the number of the symbol.
fn named(mut bytes: Bytes<'_>) -> Result<Vec<(usize, usize)>> {
    bytes.number()?;
    let mut named = Vec::new();
    for _ in 0..bytes.number()? {
        let (kind, place, symbol) = (bytes.byte()?, bytes.number()?, bytes.number()?);
        match kind {
            // A function is called, or its number in the table is taken.
            0..=2 => named.push((place, symbol)),
            // An address is taken, at a distance from the symbol.
            3..=5 => {
                bytes.number()?;
                named.push((place, symbol));
            }
            // A type, a global, a table.
            6 | 7 | 20 => {}
            _ => bail!("a note of the kind {kind} is not known"),
        }
    }
    named.sort_unstable();
    Ok(named)
}

/// What is found to be used, and what that leads to.
struct Used<'a> {
    notes: &'a Notes,
    /// Where the functions stand in the section of code, and what has become of them.
    bodies: Vec<Range<usize>>,
    short: &'a [Short],
    imported: usize,
    functions: Vec<bool>,
    symbols: Vec<bool>,
    left: Vec<Symbol>,
}

impl Used<'_> {
    /// What is used by the world outside, or by memory that no symbol tells about.
    fn begin(&mut self, exports: &[u8]) -> Result<()> {
        let mut bytes = Bytes { left: exports };
        for _ in 0..bytes.number()? {
            bytes.block()?;
            let (kind, number) = (bytes.byte()?, bytes.number()?);
            if kind == FUNCTION {
                self.left.push(Symbol::Function(number));
            }
        }
        let notes = self.notes;
        notes.wanted.iter().for_each(|symbol| self.name(*symbol));
        let mut covered: Vec<&Range<usize>> = Vec::new();
        covered.extend(notes.symbols.iter().filter_map(|symbol| match symbol {
            Symbol::Memory(bytes) => Some(bytes),
            _ => None,
        }));
        for (place, symbol) in &notes.data {
            if !covered.iter().any(|bytes| bytes.contains(place)) {
                self.name(*symbol);
            }
        }
        Ok(())
    }

    fn name(&mut self, symbol: usize) {
        if let Some(is_used @ false) = self.symbols.get_mut(symbol) {
            *is_used = true;
            self.left.push(self.notes.symbols[symbol].clone());
        }
    }

    fn follow(&mut self, symbol: &Symbol) {
        let notes = self.notes;
        match symbol {
            Symbol::Function(number) if *number >= self.imported && !self.functions[*number] => {
                self.functions[*number] = true;
                let (body, short) = (self.bodies[number - self.imported].clone(), &self.short[number - self.imported]);
                for (place, symbol) in within(&notes.code, &body) {
                    if short.keeps(place - body.start) {
                        self.name(*symbol);
                    }
                }
            }
            Symbol::Memory(bytes) => within(&notes.data, bytes).iter().for_each(|(_, symbol)| self.name(*symbol)),
            Symbol::Function(_) | Symbol::Other => {}
        }
    }
}

/// The notes about a part of a section.
fn within<'a>(notes: &'a [(usize, usize)], bytes: &Range<usize>) -> &'a [(usize, usize)] {
    let before = |end: usize| notes.partition_point(|(place, _)| *place < end);
    &notes[before(bytes.start)..before(bytes.end)]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wasm::{joined, write_block};

    /// What is left of functions that are not shortened.
    fn long(bodies: &[Vec<u8>]) -> Vec<Short> {
        bodies.iter().map(|body| Short::whole(body)).collect()
    }

    /// The linker's list: functions by number, parts of the data by begin and length, each with its marks.
    fn linking(functions: &[(u8, u8)], data: &[(u8, u8, u8)]) -> Vec<u8> {
        let mut list = vec![(functions.len() + data.len()) as u8];
        functions.iter().for_each(|(number, marks)| list.extend([0, *marks, *number, 1, b'f']));
        data.iter().for_each(|(begin, length, marks)| list.extend([1, *marks, 1, b'd', 0, *begin, *length]));
        let mut section = b"\x07linking\x02\x08".to_vec();
        write_block(&mut section, &list);
        section
    }

    /// Notes: kind, place, symbol.
    fn notes(name: &[u8], notes: &[(u8, u8, u8)]) -> Vec<u8> {
        let mut section = Vec::new();
        write_block(&mut section, name);
        section.extend([0, notes.len() as u8]);
        for (kind, place, symbol) in notes {
            section.extend([*kind, *place, *symbol]);
            section.extend((3..=5).contains(kind).then_some(0));
        }
        section
    }

    /// Four functions: the first is exported and takes the address of the first text, the second takes that of the second. The
    /// third stands in a table at the end of the data, and the fourth in one that nobody names.
    fn emptied(first_marks: u8, shorten: impl Fn(&mut [Short])) -> (Vec<Vec<u8>>, Vec<u8>) {
        let takes = |address: u8| vec![0, 0x41, address, 0x1a, 0x0b];
        let bodies = [takes(0), takes(4), takes(8), takes(9)];
        // One part of twelve bytes at address nought: two texts, two tables, and one byte that no symbol covers.
        let data = [&[1, 0, 0x41, 0, 0x0b, 13][..], b"aabbTTTTtttt."].concat();
        let code = joined(&bodies);
        let list = linking(&[(0, 0), (1, 0), (2, 0), (3, 0)], &[(0, 2, 0), (2, 2, first_marks), (4, 4, 0), (8, 4, 0)]);
        // Each body is five bytes with its length before it; what it takes stands at the third.
        let in_code = notes(IN_CODE, &[(4, 4, 4), (4, 10, 5), (4, 4, 6)]);
        let in_data = notes(IN_DATA, &[(2, 6 + 4, 2), (2, 6 + 8, 3)]);
        let parts: Vec<(u8, &[u8])> = vec![
            (EXPORTS, &[1, 1, b'a', FUNCTION, 0]),
            (CODE, &code),
            (DATA, &data),
            (CUSTOM, &list),
            (CUSTOM, &in_code),
            (CUSTOM, &in_data),
        ];
        let mut functions = long(&bodies);
        shorten(&mut functions);
        let data = empty(&parts, 0, &mut functions).unwrap();
        (functions.into_iter().map(|function| function.body).collect(), data[6..].to_vec())
    }

    #[test]
    fn what_nothing_used_names_is_emptied_and_the_rest_stays() {
        let (bodies, data) = emptied(0, |_| {});
        let is_there: Vec<bool> = bodies.iter().map(|body| body[..] != TRAP).collect();
        assert_eq!(is_there, [true, false, true, false]);
        assert_eq!(data, b"aa\0\0TTTT\0\0\0\0.");
    }

    #[test]
    fn what_somebody_outside_may_name_stays() {
        assert_eq!(emptied(EXPORTED as u8, |_| {}).1, b"aabbTTTT\0\0\0\0.");
    }

    #[test]
    fn what_only_a_lost_part_of_a_function_named_is_not_used() {
        let (bodies, data) = emptied(0, |functions| functions[0] = Short::other(&TRAP));
        assert_eq!(bodies, [TRAP; 4]);
        assert_eq!(data, b"\0\0\0\0\0\0\0\0\0\0\0\0.");
    }

    #[test]
    fn a_module_without_notes_is_not_packed() {
        assert!(empty(&[], 0, &mut []).is_err());
    }
}
