//! Structs that refuse unknown fields also do so when they are read by way of a value.

#![expect(clippy::disallowed_methods, reason = "the test reads the sources of the workspace")]

use std::{
    fs,
    path::{Path, PathBuf},
};

fn sources(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path());
    entries.flat_map(|path| if path.is_dir() { sources(&path) } else { vec![path] }).collect()
}

fn is_source(path: &Path) -> bool {
    let is_test = path.components().any(|part| part.as_os_str() == "tests");
    !is_test && path.extension().is_some_and(|ending| ending == "rs")
}

/// `texas42_vocab::read` recognizes such structs by what they expect, and cannot read fields with several names.
#[test]
fn attributes_say_what_read_needs_to_know() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).expect("the root of the workspace");
    let mut strict = 0;
    let folders = ["crates", "clients", "hosts"].iter();
    for path in folders.flat_map(|folder| sources(&root.join(folder))).filter(|path| is_source(path)) {
        let text = fs::read_to_string(&path).expect("a source file");
        for attribute in text.split("#[serde(").skip(1).filter_map(|behind| behind.split(")]").next()) {
            assert!(!attribute.contains("alias"), "{}: {attribute}", path.display());
            if attribute.contains("deny_unknown_fields") {
                assert!(attribute.contains("without other fields\""), "{}: {attribute}", path.display());
                strict += 1;
            }
        }
    }
    assert!(strict > 10, "{strict}");
}
