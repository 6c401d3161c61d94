//! Deals that are as hard as a table wants them: the search that a room asks for, made of what the players of `crates/ai`
//! think of a hand.

use alloc::boxed::Box;

use texas42_ai::seeds::Search;
use texas42_room::{DealSearch, Looked, Wanted};

/// A search for the deal that a table wants, for [`texas42_room::Creation`].
pub(crate) fn look_for(wanted: Wanted) -> Box<dyn DealSearch> {
    let Wanted { words, difficulty, seat, script } = wanted;
    let search = Search::new(words, difficulty, seat);
    Box::new(Deals(match script {
        Some(script) => search.for_contract(script.bid(), script.trump),
        None => search,
    }))
}

struct Deals(Search);

impl DealSearch for Deals {
    /// One deal: the shortest time for which a host has to stand still.
    fn look(&mut self) -> Looked {
        self.0.look(1);
        match self.0.found() {
            Some(found) => Looked::Found { number: found.number, seed: found.seed },
            None => Looked::NotYet(self.0.progress()),
        }
    }
}
