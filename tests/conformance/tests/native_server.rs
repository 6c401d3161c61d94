//! The suite against the native server over real sockets.

texas42_conformance::conformance!(texas42_conformance::native::Native::new());
