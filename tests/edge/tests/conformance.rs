//! The suite against the edge, on workerd.

texas42_conformance::conformance!(texas42_edge_tests::Workerd::new());
