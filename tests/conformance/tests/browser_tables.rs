//! The suite against the tables of a browser, driven natively.

texas42_conformance::conformance!(texas42_conformance::browser::Browser::new());
