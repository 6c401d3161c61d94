//! Runs the conformance suite against the edge host on workerd.

texas42_conformance::conformance!(texas42_edge_tests::Workerd::new());
