//! Searches for a deal of a given difficulty, as judged by the strategies of `crates/ai`.

use alloc::boxed::Box;

use texas42_ai::seeds::Search;
use texas42_room::{DealRequest, DealSearch, SearchStep};

/// A search for the requested deal, for [`texas42_room::Creation`].
pub(crate) fn search_for(wanted: DealRequest) -> Box<dyn DealSearch> {
    let DealRequest { words, difficulty, seat, script } = wanted;
    let search = Search::new(words, difficulty, seat);
    Box::new(AiDealSearch(match script {
        Some(script) => search.for_contract(script.bid(), script.trump),
        None => search,
    }))
}

struct AiDealSearch(Search);

impl DealSearch for AiDealSearch {
    /// Examines a single deal, to block the host as briefly as possible.
    fn look(&mut self) -> SearchStep {
        self.0.look(1);
        match self.0.found() {
            Some(found) => SearchStep::Found { number: found.number, seed: found.seed },
            None => SearchStep::NotYet(self.0.progress()),
        }
    }
}
