//! The suite covers every message and every error of the protocol; a new one without a case fails here.

#![allow(clippy::unwrap_used, reason = "a test reports where it fails by panicking")]

use std::{cell::RefCell, collections::BTreeSet, rc::Rc};

use serde_json::Value;
use texas42_conformance::{
    CASES,
    in_process::InProcess,
    recording::{Coverage, Recording},
};

/// Errors that only a host with a disk produces; `hosts/server/tests/hardened.rs` covers them.
const SERVER_ONLY_ERRORS: [&str; 1] = ["not-stored"];

/// The constants that a schema allows at a JSON pointer.
fn constants(schema: &Value, pointer: &str) -> BTreeSet<String> {
    let variants = schema["oneOf"].as_array().into_iter().flatten();
    let named = variants.filter_map(|variant| variant.pointer(pointer).and_then(Value::as_str));
    let listed = schema["enum"].as_array().into_iter().flatten().filter_map(Value::as_str);
    named.chain(listed).map(str::to_owned).collect()
}

#[test]
fn every_message_and_every_error_has_a_case() {
    let coverage = Rc::new(RefCell::new(Coverage::default()));
    for (_, case) in CASES {
        case(&mut Recording::new(InProcess::new(), &coverage));
    }
    let coverage = coverage.borrow();
    let document = texas42_server::serve::openapi();
    let schemas = &document["components"]["schemas"];
    let missing = |all: BTreeSet<String>, covered: &BTreeSet<String>| {
        assert!(all.len() > 5, "the schema was not read: {all:?}");
        all.difference(covered).cloned().collect::<Vec<_>>()
    };
    let none: Vec<String> = Vec::new();
    assert_eq!(
        missing(constants(&schemas["ClientMessage"], "/properties/type/const"), &coverage.client_messages),
        none
    );
    assert_eq!(
        missing(constants(&schemas["ServerMessage"], "/properties/type/const"), &coverage.server_messages),
        none
    );
    assert_eq!(missing(constants(&schemas["ErrorCode"], "/const"), &coverage.error_codes), SERVER_ONLY_ERRORS);
    let hardened = include_str!("../../../hosts/server/tests/hardened.rs");
    assert!(SERVER_ONLY_ERRORS.iter().all(|code| hardened.contains(&format!("\"{code}\""))));
}
