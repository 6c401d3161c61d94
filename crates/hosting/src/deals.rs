//! Searches for a deal of a given difficulty, as judged by the strategies of `crates/ai`, and computes its par.

use alloc::boxed::Box;

use texas42_ai::seeds::Search;
pub(crate) use texas42_ai::seeds::par;
use texas42_room::{DealRequest, DealSearch, SearchStep};

/// A search for the requested deal, for [`texas42_room::Creation`].
pub(crate) fn search_for(request: DealRequest) -> Box<dyn DealSearch> {
    let DealRequest { words, difficulty, seat, script } = request;
    let search = Search::new(words, difficulty, seat);
    Box::new(AiDealSearch(match script {
        Some(script) => search.for_contract(script.bid(), script.trump),
        None => search,
    }))
}

struct AiDealSearch(Search);

impl DealSearch for AiDealSearch {
    /// Examines a single deal, to block the host as briefly as possible.
    fn advance(&mut self) -> SearchStep {
        self.0.advance(1);
        match self.0.found() {
            Some(found) => SearchStep::Found { number: found.number, seed: found.seed },
            None => SearchStep::NotYet(self.0.progress()),
        }
    }
}
