//! The trait that every layer implements, with one method for each moment at which the game consults its rules.
//!
//! Every method gets the answer of the layers before it (`prev`, or a list to change in place) and by default leaves it
//! unchanged, so a layer implements only what differs.

use core::fmt;

use texas42_vocab::{Bid, Config, Phase, Seat, SeedText};

use crate::{
    context::ConfigError,
    offers::{Annotated, Offers},
    state::State,
    terms::{Contract, Terms},
};

/// A layer of rules.
///
/// [`Context::compose`](crate::Context::compose) calls `check` and `seed`. During a game, `declarer` is called when the
/// auction closes, `terms` when trumps are named, `offer` and `annotate` at each decision, and `after_hand` when a hand
/// is scored. Layers are called in the order of the configuration, so the last one has the last word.
///
/// Implementations must be pure, and must not look at the hands of seats other than the acting one. CONTRIBUTING.md
/// walks through adding a layer.
pub trait Rules: fmt::Debug + Send + Sync {
    /// The name of the layer in the configuration.
    fn name(&self) -> &'static str;

    /// Checks that the parameters are in range and that the layer is compatible with the rest of the configuration.
    ///
    /// # Errors
    /// Returns the problem, which tells the user what to change.
    fn check(&self, _config: &Config) -> Result<(), ConfigError> {
        Ok(())
    }

    /// The seed of the deals.
    fn seed(&self, prev: SeedText) -> SeedText {
        prev
    }

    /// The seat that names trumps after the auction.
    fn declarer(&self, _bidder: Seat, _bid: Bid, prev: Seat) -> Seat {
        prev
    }

    /// The terms of the hand after trumps are named.
    fn terms(&self, _contract: &Contract, prev: Terms) -> Terms {
        prev
    }

    /// The phases in which [`Rules::offer`] is called.
    fn offers_in(&self) -> &'static [Phase] {
        &[]
    }

    /// Adds, removes or replaces offered actions.
    fn offer(&self, _state: &State, _offers: &mut Offers) {}

    /// The phases in which [`Rules::annotate`] is called.
    fn annotates_in(&self) -> &'static [Phase] {
        &[]
    }

    /// Annotates the offered actions.
    fn annotate(&self, _state: &State, _offers: &mut Annotated) {}

    /// The phase after a scored hand. `Bidding` means another hand.
    fn after_hand(&self, _state: &State, prev: Phase) -> Phase {
        prev
    }
}
