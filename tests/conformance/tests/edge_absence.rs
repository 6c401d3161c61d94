//! The cases about absence against an object of the edge, whose clock is advanced.

mod edge;

use edge::Edge;
use texas42_conformance::{Case, cases_of};

#[test]
fn a_table_continues_without_absent_and_silent_people() {
    let cases: Vec<Case> = cases_of("absence").collect();
    assert!(cases.len() > 5, "the cases about absence have another name");
    cases.into_iter().for_each(|case| case(&mut Edge::new()));
}
