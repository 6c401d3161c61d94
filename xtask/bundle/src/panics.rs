//! Takes out of a module what it does when it panics. A page shows no panics: whatever would lead to one ends the instance at once,
//! and the text, the place and all that writes them can go. So can what is written for those who debug (`{:?}`), which no
//! page shows either, and what Leptos exports for servers.
//!
//! This is done before the bindings are made, because they throw out what nobody calls any more.

use std::{
    collections::{HashMap, HashSet},
    ops::Range,
};

use anyhow::{Result, ensure};

use crate::{
    shrink::UNWANTED,
    unused::{self, is_note},
    wasm::{Bytes, CODE, CUSTOM, DATA, IMPORTS, Step, blocks, imports, joined, sections, write_sections},
};

/// Where every panic goes through.
const PANIC: &str = "4core9panicking9panic_fmt";
/// What writes something for those who debug, in the two ways in which names are made.
const DEBUGGING: [&str; 2] = ["fmt..Debug$GT$3fmt", "5Debug3fmt"];
/// What the bindings are made from.
const DESCRIPTION: &str = "__wbindgen_describe";

/// A function that ends the instance: no variables, `unreachable`, the end. This fits every type.
pub(crate) const TRAP: [u8; 3] = [0x00, 0x00, 0x0b];
/// A function that writes nothing, and says that this went well.
const SILENCE: [u8; 4] = [0x00, 0x41, 0x00, 0x0b];

/// What has become of a function.
#[derive(Default)]
pub(crate) struct Short {
    pub(crate) body: Vec<u8>,
    /// What is left of it: from where on in the short body which part of the long one stands.
    kept: Vec<(usize, Range<usize>)>,
}

impl Short {
    /// Another function, of which nothing stood in the long one.
    pub(crate) fn other(body: &[u8]) -> Self {
        Self { body: body.to_vec(), kept: Vec::new() }
    }

    /// A function that is not shorter.
    #[cfg(test)]
    pub(crate) fn whole(body: &[u8]) -> Self {
        Self { body: body.to_vec(), kept: vec![(0, 0..body.len())] }
    }

    /// Whether what stood at a place of the long body is still there.
    pub(crate) fn keeps(&self, place: usize) -> bool {
        self.kept.iter().any(|(_, part)| part.contains(&place))
    }

    /// The next part of the long body stays.
    fn extend(&mut self, long: &[u8], part: Range<usize>) {
        let begin = self.body.len();
        self.body.extend(&long[part.clone()]);
        match self.kept.last_mut() {
            Some((start, last)) if last.end == part.start && *start + last.len() == begin => last.end = part.end,
            _ => self.kept.push((begin, part)),
        }
    }

    fn truncate(&mut self, length: usize) {
        self.body.truncate(length);
        self.kept.retain(|(start, _)| *start < length);
        if let Some((start, last)) = self.kept.last_mut() {
            last.end = last.end.min(last.start + length - *start);
        }
    }
}

/// What becomes of certain functions.
#[derive(Default)]
struct Fates {
    /// They never come back.
    ends: HashSet<usize>,
    /// They write nothing.
    silent: HashSet<usize>,
    /// They may speak with the browser, so that they cannot be left out.
    talking: HashSet<usize>,
}

/// The same module, which ends without a word where it would panic.
pub(crate) fn without_panics(module: &[u8]) -> Result<Vec<u8>> {
    let parts = sections(module)?;
    let (mut imported, mut bodies, mut fates) = (0, Vec::new(), Fates::default());
    for (number, content) in &parts {
        match *number {
            IMPORTS => imported = imports(content)?,
            CODE => bodies = blocks(content)?,
            CUSTOM => fates.learn(&names_in(content)?),
            _ => {}
        }
    }
    ensure!(!fates.ends.is_empty(), "the module names nothing that panics: where are its names?");
    let mut functions = fates.apply(&bodies, imported)?;
    let data = unused::empty(&parts, imported, &mut functions)?;
    let code = joined(&functions.into_iter().map(|function| function.body).collect::<Vec<_>>());
    let written = parts.into_iter().filter(|(number, content)| !is_note(*number, content)).map(|(number, content)| {
        let content = match number {
            CODE => code.clone(),
            DATA => data.clone(),
            _ => content.to_vec(),
        };
        (number, content)
    });
    Ok(write_sections(&written.collect::<Vec<_>>()))
}

impl Fates {
    /// What the names of functions tell.
    fn learn(&mut self, names: &HashMap<usize, String>) {
        for (number, name) in names {
            let is_unwanted = name.contains(UNWANTED) && !name.contains(DESCRIPTION);
            if name.contains(PANIC) || is_unwanted {
                self.ends.insert(*number);
            } else if DEBUGGING.iter().any(|part| name.contains(part)) {
                self.silent.insert(*number);
            }
        }
    }

    /// Shortens functions until no more is found that never comes back.
    fn apply(mut self, bodies: &[&[u8]], imported: usize) -> Result<Vec<Short>> {
        self.talking = (0..imported).collect();
        loop {
            let known = (self.ends.len(), self.talking.len());
            let small = (imported..).zip(bodies).map(|(number, body)| self.shorten(number, body)).collect();
            if known == (self.ends.len(), self.talking.len()) {
                return small;
            }
        }
    }

    fn shorten(&mut self, number: usize, body: &[u8]) -> Result<Short> {
        if self.ends.contains(&number) {
            return Ok(Short::other(&TRAP));
        }
        if self.silent.contains(&number) {
            return Ok(Short::other(&SILENCE));
        }
        let way = Way::through(body, &self.ends)?;
        if way.calls_anything || way.calls.iter().any(|call| self.talking.contains(call)) {
            self.talking.insert(number);
        } else if !way.is_live {
            self.ends.insert(number);
        }
        Ok(way.short)
    }
}

/// The way through a function, without what follows or leads up to a certain end.
#[derive(Default)]
struct Way {
    short: Short,
    /// Up to where the body has to stay: what comes behind it matters only if the function goes on.
    stays: usize,
    /// Whether the function can come to this point; at its end, whether it can come back.
    is_live: bool,
    /// How many parts began since it cannot.
    skipped: usize,
    /// What has begun and not ended yet.
    parts: Vec<Part>,
    calls: Vec<usize>,
    /// Whether it calls something that only the running module knows.
    calls_anything: bool,
}

struct Part {
    is_loop: bool,
    /// Whether something leads to what comes behind it.
    is_left: bool,
}

impl Way {
    fn through(body: &[u8], ends: &HashSet<usize>) -> Result<Self> {
        let mut bytes = Bytes { left: body };
        bytes.variables()?;
        let variables = body.len() - bytes.left.len();
        let mut way = Self { stays: variables, is_live: true, ..Self::default() };
        way.short.extend(body, 0..variables);
        way.begin(false, false);
        while !way.parts.is_empty() {
            let rest = bytes.left;
            let step = bytes.step()?;
            let is_end = step == Step::Trap || matches!(&step, Step::Call(number) if ends.contains(number));
            if way.skips(&step) {
                continue;
            } else if is_end {
                way.end();
            } else {
                way.short.extend(body, body.len() - rest.len()..body.len() - bytes.left.len());
                way.take(step);
            }
        }
        Ok(way)
    }

    fn begin(&mut self, is_loop: bool, is_left: bool) {
        self.parts.push(Part { is_loop, is_left });
    }

    /// What cannot be reached is left out, up to where its part ends.
    fn skips(&mut self, step: &Step) -> bool {
        if self.is_live || (self.skipped == 0 && matches!(step, Step::Else | Step::End)) {
            return false;
        }
        match step {
            Step::Block | Step::Loop | Step::If => self.skipped += 1,
            Step::End => self.skipped -= 1,
            _ => {}
        }
        true
    }

    /// Here the instance ends. Whatever was only laid ready for what comes next can go.
    fn end(&mut self) {
        self.short.truncate(self.stays);
        self.short.body.push(0x00);
        self.is_live = false;
    }

    fn take(&mut self, step: Step) {
        match step {
            Step::Other | Step::Variable(_) | Step::Named(_) => return,
            Step::Block => self.begin(false, false),
            Step::Loop => self.begin(true, false),
            // It may be passed by.
            Step::If => self.begin(false, true),
            Step::Else => self.is_live = true,
            Step::End => self.is_live |= self.parts.pop().is_some_and(|part| part.is_left),
            Step::BranchIf(part) => self.leave(part),
            Step::Branch(parts) => {
                parts.into_iter().for_each(|part| self.leave(part));
                self.is_live = false;
            }
            Step::Return => {
                self.leave(self.parts.len() - 1);
                self.is_live = false;
            }
            Step::Call(number) => self.calls.push(number),
            Step::CallAny => self.calls_anything = true,
            Step::Trap => self.is_live = false,
        }
        self.stays = self.short.body.len();
    }

    /// Something leads out of a part, counted from the innermost.
    fn leave(&mut self, part: usize) {
        let at = self.parts.len() - 1 - part;
        self.parts[at].is_left |= !self.parts[at].is_loop;
    }
}

/// The names of functions, where this is the section with names.
fn names_in(section: &[u8]) -> Result<HashMap<usize, String>> {
    let mut bytes = Bytes { left: section };
    let mut names = HashMap::new();
    if bytes.block()? != b"name" {
        return Ok(names);
    }
    while !bytes.left.is_empty() {
        let kind = bytes.byte()?;
        let mut list = Bytes { left: bytes.block()? };
        // One lists functions; others list variables, data and more.
        if kind == 1 {
            for _ in 0..list.number()? {
                let index = list.number()?;
                names.insert(index, String::from_utf8(list.block()?.to_vec())?);
            }
        }
    }
    Ok(names)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wasm::{write_block, write_number};

    fn way(body: &[u8]) -> (Vec<u8>, bool) {
        let way = Way::through(body, &HashSet::from([5])).unwrap();
        (way.short.body, way.is_live)
    }

    #[test]
    fn what_leads_up_to_a_panic_goes_and_what_happens_before_stays() {
        // A number is laid ready, 5 panics, and another number follows.
        assert_eq!(way(&[0, 0x41, 1, 0x10, 5, 0x41, 2, 0x0b]), (vec![0, 0x00, 0x0b], false));
        // 4 is called before, and one variable is declared.
        assert_eq!(
            way(&[1, 1, 0x7f, 0x10, 4, 0x41, 1, 0x10, 5, 0x00, 0x0b]),
            (vec![1, 1, 0x7f, 0x10, 4, 0x00, 0x0b], false)
        );
    }

    #[test]
    fn a_function_that_may_come_back_is_none_that_panics() {
        // If the variable is not nought: panic.
        let passes = [0, 0x20, 0, 0x04, 0x40, 0x41, 7, 0x10, 5, 0x00, 0x0b, 0x0b];
        assert_eq!(way(&passes), (vec![0, 0x20, 0, 0x04, 0x40, 0x00, 0x0b, 0x0b], true));
        // Out of a block, past the panic.
        let leaves = [0, 0x02, 0x40, 0x20, 0, 0x0d, 0, 0x10, 5, 0x02, 0x40, 0x0b, 0x0b, 0x0b];
        assert_eq!(way(&leaves), (vec![0, 0x02, 0x40, 0x20, 0, 0x0d, 0, 0x00, 0x0b, 0x0b], true));
        // Back to the beginning of a loop, or a panic: never out of it.
        assert!(!way(&[0, 0x03, 0x40, 0x20, 0, 0x0d, 0, 0x10, 5, 0x0b, 0x0b]).1);
        assert!(way(&[0, 0x20, 0, 0x04, 0x40, 0x0f, 0x0b, 0x10, 5, 0x0b]).1, "it returns");
    }

    /// A module with one import and functions with names.
    fn module(functions: &[(&str, &[u8])]) -> Vec<u8> {
        let mut names = Vec::new();
        write_number(&mut names, functions.len());
        for (index, (name, _)) in functions.iter().enumerate() {
            write_number(&mut names, index + 1);
            write_block(&mut names, name.as_bytes());
        }
        let mut custom = b"\x04name\x01".to_vec();
        write_block(&mut custom, &names);
        // Every function is to be kept.
        let kept: Vec<u8> = (1..=functions.len() as u8).flat_map(|number| [0, 0x90, 1, number]).collect();
        let symbols = [&[functions.len() as u8][..], &kept].concat();
        let linking = [b"\x07linking\x02\x08", &[symbols.len() as u8][..], &symbols].concat();
        let code = joined(&functions.iter().map(|(_, body)| body.to_vec()).collect::<Vec<_>>());
        let imports = b"\x01\x01a\x01b\x00\x00".to_vec();
        write_sections(&[(IMPORTS, imports), (CODE, code), (CUSTOM, linking), (CUSTOM, custom)])
    }

    fn packed(functions: &[(&str, &[u8])]) -> Vec<Vec<u8>> {
        let module = without_panics(&module(functions)).unwrap();
        let parts = sections(&module).unwrap();
        blocks(parts[1].1).unwrap().into_iter().map(<[u8]>::to_vec).collect()
    }

    #[test]
    fn whoever_only_panics_panics_at_once_and_whoever_speaks_with_the_browser_still_does() {
        let bodies = packed(&[
            ("_RNvNtCsx_4core9panicking9panic_fmt", &[0, 0x10, 0, 0x0b]),
            ("fails", &[0, 0x41, 3, 0x10, 1, 0x0b]),
            ("asks_one_that_fails", &[0, 0x41, 4, 0x10, 2, 0x0b]),
            ("throws", &[0, 0x10, 0, 0x00, 0x0b]),
            ("asks_one_that_throws", &[0, 0x10, 4, 0x00, 0x0b]),
            ("_<A as core..fmt..Debug$GT$3fmt17h", &[0, 0x20, 0, 0x0b]),
            ("__wbindgen_describe_intounderlyingsink_close", &[0, 0x20, 0, 0x0b]),
            ("intounderlyingsink_close", &[0, 0x20, 0, 0x0b]),
        ]);
        let expected: [&[u8]; 8] = [
            &TRAP,
            &TRAP,
            &TRAP,
            &[0, 0x10, 0, 0x00, 0x0b],
            &[0, 0x10, 4, 0x00, 0x0b],
            &SILENCE,
            &[0, 0x20, 0, 0x0b],
            &TRAP,
        ];
        assert_eq!(bodies, expected);
    }

    #[test]
    fn it_is_known_what_is_left_of_a_function() {
        // 4 is called, a number is laid ready, 5 panics in a part that is left out with what follows, and 6 is called behind it.
        let body = [0, 0x02, 0x40, 0x20, 0, 0x0d, 0, 0x10, 4, 0x41, 1, 0x10, 5, 0x41, 2, 0x1a, 0x0b, 0x10, 6, 0x0b];
        let short = Way::through(&body, &HashSet::from([5])).unwrap().short;
        assert_eq!(short.body, [0, 0x02, 0x40, 0x20, 0, 0x0d, 0, 0x10, 4, 0x00, 0x0b, 0x10, 6, 0x0b]);
        let kept: Vec<usize> = (0..body.len()).filter(|place| short.keeps(*place)).collect();
        assert_eq!(kept, (0..9).chain(16..20).collect::<Vec<_>>());
    }

    #[test]
    fn a_module_without_names_is_not_packed() {
        assert!(without_panics(&module(&[])).is_err());
    }
}
