//! Takes out what a browser never needs: long names of imports, comments, spaces, the places in the source where something
//! could panic, which nobody sees there, and what Leptos exports for servers.

use std::{collections::HashMap, ops::Range};

use anyhow::{Context, Result, ensure};

use crate::wasm::{
    Bytes, CUSTOM, DATA, EXPORTS, FUNCTION, IMPORTS, sections, write_block, write_number, write_sections,
};
use crate::{order, same, variables};

/// Classes for streams between a server and its page. They are exported, so that no linker knows that nobody wants them.
pub(crate) const UNWANTED: &str = "intounderlying";

/// What is found out about a module on the way through it.
#[derive(Default)]
struct Found {
    /// Short names for long ones.
    names: HashMap<String, String>,
}

/// The same module and the script that loads it, smaller.
pub(crate) fn module_and_script(module: &[u8], script: &str) -> Result<(Vec<u8>, String)> {
    let mut found = Found::default();
    let mut small = Vec::new();
    for (section, content) in sections(module)? {
        let content = match section {
            IMPORTS => found.imports(content)?,
            EXPORTS => found.exports(content)?,
            DATA => without_places(content)?,
            // Notes for tools.
            CUSTOM => continue,
            _ => content.to_vec(),
        };
        small.push((section, content));
    }
    let module = variables::by_use(&write_sections(&small))?;
    let module = variables::as_before(&order::alike_together(&same::once(&module)?)?)?;
    wasmparser::validate(&module).context("the packed module is none")?;
    Ok((module, without_comments(&with_names(&without_unwanted(script), &found.names))))
}

/// A style without comments and needless spaces. What stands in quotes stays.
pub(crate) fn style(text: &str) -> String {
    let mut small = String::new();
    let mut rest = text;
    while let Some(next) = rest.chars().next() {
        if let Some((_, behind)) = rest.strip_prefix("/*").and_then(|comment| comment.split_once("*/")) {
            rest = behind;
        } else if let Some((quoted, behind)) = rest.strip_prefix('"').and_then(|quoted| quoted.split_once('"')) {
            small += &format!("\"{quoted}\"");
            rest = behind;
        } else {
            let is_needless =
                next.is_whitespace() && small.chars().next_back().is_none_or(|last| " {};:,".contains(last));
            if "{};,".contains(next) && small.ends_with(' ') {
                small.pop();
            }
            if !is_needless {
                small.push(if next.is_whitespace() { ' ' } else { next });
            }
            rest = &rest[next.len_utf8()..];
        }
    }
    small
}

impl Found {
    /// Imports with short names.
    fn imports(&mut self, section: &[u8]) -> Result<Vec<u8>> {
        let mut bytes = Bytes { left: section };
        let mut small = Vec::new();
        let count = bytes.number()?;
        write_number(&mut small, count);
        for _ in 0..count {
            write_block(&mut small, bytes.block()?);
            let name = std::str::from_utf8(bytes.block()?)?;
            write_block(&mut small, short_name(name, &mut self.names).as_bytes());
            ensure!(bytes.byte()? == FUNCTION, "only functions are imported, but {name} is none");
            small.push(FUNCTION);
            write_number(&mut small, bytes.number()?);
        }
        Ok(small)
    }

    /// Exports with short names, without those that nobody wants.
    fn exports(&mut self, section: &[u8]) -> Result<Vec<u8>> {
        let mut bytes = Bytes { left: section };
        let (mut small, mut count) = (Vec::new(), 0);
        for _ in 0..bytes.number()? {
            let name = std::str::from_utf8(bytes.block()?)?;
            let (kind, number) = (bytes.byte()?, bytes.number()?);
            if name.contains(UNWANTED) {
                continue;
            }
            count += 1;
            write_block(&mut small, short_name(name, &mut self.names).as_bytes());
            small.push(kind);
            write_number(&mut small, number);
        }
        let mut section = Vec::new();
        write_number(&mut section, count);
        section.extend(small);
        Ok(section)
    }
}

/// Names with a hash are made by a machine for a machine; all others are called by scripts of ours.
fn short_name(name: &str, names: &mut HashMap<String, String>) -> String {
    let is_hash = |part: &str| part.len() >= 16 && part.bytes().all(|byte| byte.is_ascii_hexdigit());
    if !name.split(['_', 'h']).any(is_hash) {
        return name.to_owned();
    }
    let number = names.len();
    names.entry(name.to_owned()).or_insert_with(|| format!("${number:x}")).clone()
}

/// A script with other names for some of its words.
fn with_names(script: &str, names: &HashMap<String, String>) -> String {
    let is_inside = |letter: char| letter.is_ascii_alphanumeric() || letter == '_' || letter == '$';
    let mut small = String::new();
    let mut rest = script;
    while !rest.is_empty() {
        let word = rest.find(|letter| !is_inside(letter)).unwrap_or(rest.len());
        small += names.get(&rest[..word]).map_or(&rest[..word], String::as_str);
        let behind = rest[word..].find(is_inside).map_or(rest.len(), |space| word + space);
        small += &rest[word..behind];
        rest = &rest[behind..];
    }
    small
}

/// A script without the statements about what nobody wants. Those at the top begin where a line is not indented.
fn without_unwanted(script: &str) -> String {
    let mut statements: Vec<Vec<&str>> = Vec::new();
    for line in script.split_inclusive('\n') {
        match statements.last_mut() {
            Some(statement) if line.starts_with([' ', '}', '\n']) => statement.push(line),
            _ => statements.push(vec![line]),
        }
    }
    let is_wanted = |statement: &String| !statement.to_ascii_lowercase().contains(UNWANTED);
    statements.iter().map(|lines| lines.concat()).filter(is_wanted).collect()
}

/// A script without lines of comments, empty lines and spaces in front.
pub(crate) fn without_comments(script: &str) -> String {
    let is_code = |line: &&str| !line.is_empty() && !["/*", "*", "//"].iter().any(|sign| line.starts_with(sign));
    script.lines().map(str::trim).filter(is_code).flat_map(|line| [line, "\n"]).collect()
}

/// Data in which no place of the source is named. A panic in a browser ends the instance without a word, so nobody reads
/// them, and they would tell where the module was built.
fn without_places(section: &[u8]) -> Result<Vec<u8>> {
    let memory = Memory::read(section)?;
    let places = memory.places();
    let mut small = section.to_vec();
    for (at, text) in places {
        small[text].fill(0);
        small[at..at + PLACE].fill(0);
        // A text of no length, and still no null.
        small[at] = 1;
    }
    Ok(small)
}

/// What a place of the source is in memory: where its file's name stands, how long that is, line and column.
const PLACE: usize = 16;

/// The data of a module, and what stands where in memory: the address of each part, and its bytes in the section.
pub(crate) struct Memory<'a> {
    section: &'a [u8],
    pub(crate) parts: Vec<(usize, Range<usize>)>,
}

impl<'a> Memory<'a> {
    pub(crate) fn read(section: &'a [u8]) -> Result<Self> {
        let mut bytes = Bytes { left: section };
        let mut parts = Vec::new();
        for _ in 0..bytes.number()? {
            ensure!(bytes.take(2)? == [0, 0x41], "data stands at a fixed place in memory");
            let address = bytes.number()?;
            ensure!(bytes.byte()? == 0x0b, "the place of data is one number");
            let length = bytes.block()?.len();
            let end = section.len() - bytes.left.len();
            parts.push((address, end - length..end));
        }
        Ok(Self { section, parts })
    }

    /// Where in the section something stands that is at an address.
    fn bytes_at(&self, address: usize, length: usize) -> Option<Range<usize>> {
        self.parts.iter().find_map(|(start, bytes)| {
            let begin = bytes.start + address.checked_sub(*start)?;
            (begin + length <= bytes.end).then_some(begin..begin + length)
        })
    }

    /// Where places of the source stand in the section, each with the name of its file.
    fn places(&self) -> Vec<(usize, Range<usize>)> {
        let aligned = self.parts.iter().flat_map(|(address, bytes)| {
            (bytes.start + address.next_multiple_of(4) - address..bytes.end.saturating_sub(PLACE)).step_by(4)
        });
        aligned.filter_map(|at| Some((at, self.file_at(at)?))).collect()
    }

    fn file_at(&self, at: usize) -> Option<Range<usize>> {
        let word = |number: usize| {
            let bytes = self.section.get(at + 4 * number..)?.first_chunk()?;
            usize::try_from(u32::from_le_bytes(*bytes)).ok()
        };
        let (length, line, column) = (word(1)?, word(2)?, word(3)?);
        if !(4..300).contains(&length) || !(1..100_000).contains(&line) || !(1..1_000).contains(&column) {
            return None;
        }
        let text = self.bytes_at(word(0)?, length)?;
        let name = std::str::from_utf8(&self.section[text.clone()]).ok()?;
        let is_file = name.ends_with(".rs") && name.chars().all(|letter| letter.is_ascii_graphic());
        is_file.then_some(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_style_stays_the_same_style() {
        let text =
            "/* felt */\n.a > .b,\n.c { color: red; margin: calc(1px + 2px) }\n.d::before { content: \"a , b\"; }\n";
        assert_eq!(style(text), ".a > .b,.c{color:red;margin:calc(1px + 2px)}.d::before{content:\"a , b\";}");
    }

    #[test]
    fn a_script_keeps_its_code() {
        let names = HashMap::from([("__wbg_now_1".to_owned(), "$0".to_owned())]);
        let script = "/**\n * Says more.\n */\nimports = {\n    __wbg_now_1: now,\n    __wbg_now_12: later,\n};\n";
        assert_eq!(without_comments(&with_names(script, &names)), "imports = {\n$0: now,\n__wbg_now_12: later,\n};\n");
    }

    #[test]
    fn only_names_with_a_hash_get_short() {
        let mut names = HashMap::new();
        assert_eq!(short_name("start_page", &mut names), "start_page");
        assert_eq!(short_name("__wbg_now_1e8503a8a690f0a3", &mut names), "$0");
        assert_eq!(short_name("closures_invoke__h6621de9b86ec0b6e_23", &mut names), "$1");
        assert_eq!(short_name("__wbg_now_1e8503a8a690f0a3", &mut names), "$0");
    }

    #[test]
    fn imports_are_renamed_and_nothing_else_changes() {
        let mut section = vec![1];
        write_block(&mut section, b"env");
        write_block(&mut section, b"now_1e8503a8a690f0a3");
        section.extend([FUNCTION, 5]);
        let mut found = Found::default();
        assert_eq!(found.imports(&section).unwrap(), [&[1, 3][..], b"env", &[2], b"$0", &[FUNCTION, 5]].concat());
    }

    #[test]
    fn what_nobody_wants_is_not_exported() {
        let mut section = vec![2];
        write_block(&mut section, b"start_page");
        section.extend([FUNCTION, 3]);
        write_block(&mut section, b"intounderlyingsink_close");
        section.extend([FUNCTION, 4]);
        let mut found = Found::default();
        assert_eq!(found.exports(&section).unwrap(), [&[1, 10][..], b"start_page", &[FUNCTION, 3]].concat());
        let script = "class IntoUnderlyingSink {\n    close() {}\n}\nclass Worker {\n    open() {}\n}\n";
        assert_eq!(without_unwanted(script), "class Worker {\n    open() {}\n}\n");
    }

    /// A part of data at an address, with a text and a place that names it.
    fn data(text: &str) -> Vec<u8> {
        let mut bytes = text.as_bytes().to_vec();
        bytes.resize(8, b' ');
        for word in [1024, text.len() as u32, 7, 9, 1] {
            bytes.extend(word.to_le_bytes());
        }
        // 1024 as a number of seven bits each.
        let mut section = vec![1, 0, 0x41, 0x80, 0x08, 0x0b];
        write_block(&mut section, &bytes);
        section
    }

    #[test]
    fn places_of_the_source_are_forgotten_and_other_data_is_kept() {
        let small = without_places(&data("src/a.rs")).unwrap();
        assert_eq!(&small[7..15], &[0; 8]);
        assert_eq!(&small[15..31], &[1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
        assert_eq!(&small[31..], &[1, 0, 0, 0]);
        let other = data("src/a.ra");
        assert_eq!(without_places(&other).unwrap(), other);
    }
}
