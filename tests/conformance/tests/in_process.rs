//! The suite against the room itself.

texas42_conformance::conformance!(texas42_conformance::in_process::InProcess::new());
