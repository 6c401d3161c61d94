//! The suite against the table host itself.

texas42_conformance::conformance!(texas42_conformance::in_process::InProcess::new());
