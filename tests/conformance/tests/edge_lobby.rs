//! The cases about the lobby against an object of the edge, whose clock is advanced.

mod edge;

use edge::Edge;
use texas42_conformance::{Case, cases_of};

#[test]
fn a_code_leads_to_the_lobby_of_a_table() {
    let cases: Vec<Case> = cases_of("lobby").collect();
    assert!(cases.len() > 5, "the cases about the lobby have another name");
    cases.into_iter().for_each(|case| case(&mut Edge::new()));
}
