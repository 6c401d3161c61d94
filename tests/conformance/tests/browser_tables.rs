//! The suite against the browser host, driven natively.

texas42_conformance::conformance!(texas42_conformance::browser::Browser::new());
