//! What a layer can say: one method for each moment at which the game asks its rules.
//!
//! Every method gets the answer of the layers before it (`prev`, or the list to change in place) and by default leaves it
//! alone, so that a layer file says only what differs. The moments: the configuration is checked, the auction closes
//! (who declares), trumps are named (the terms of the hand), any decision (what is offered, what is said about it), and
//! the hand is scored (what comes next).

use core::fmt;

use texas42_vocab::{Bid, Config, Phase, Seat, SeedText};

use crate::{
    context::ConfigError,
    offers::{Annotated, Offers},
    state::State,
    terms::{Contract, Terms},
};

/// A layer of rules.
pub trait Rules: fmt::Debug + Send + Sync {
    /// Its word, as in the configuration.
    fn name(&self) -> &'static str;

    /// Whether its parameters are in range and it goes together with the rest of the table.
    ///
    /// # Errors
    /// A sentence that says what to change.
    fn check(&self, _config: &Config) -> Result<(), ConfigError> {
        Ok(())
    }

    /// The seed of the deals, where the layer brings its own.
    fn seed(&self, prev: SeedText) -> SeedText {
        prev
    }

    /// The auction is closed: who names trumps?
    fn declarer(&self, _bidder: Seat, _bid: Bid, prev: Seat) -> Seat {
        prev
    }

    /// Trumps are named: how is the hand played?
    fn terms(&self, _contract: &Contract, prev: Terms) -> Terms {
        prev
    }

    /// The phases in which [`Rules::offer`] is asked.
    fn offers_in(&self) -> &'static [Phase] {
        &[]
    }

    /// A decision is due: filter, add or replace what is offered.
    fn offer(&self, _state: &State, _offers: &mut Offers) {}

    /// The phases in which [`Rules::annotate`] is asked.
    fn annotates_in(&self) -> &'static [Phase] {
        &[]
    }

    /// A decision is due: say something about what is offered, without changing what it does.
    fn annotate(&self, _state: &State, _offers: &mut Annotated) {}

    /// A hand is scored: what comes next? `Bidding` means another hand.
    fn after_hand(&self, _state: &State, prev: Phase) -> Phase {
        prev
    }
}
