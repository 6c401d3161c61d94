//! What a table committed to before each hand and revealed afterwards, stored in this browser, so that the deals of a
//! game can be verified at its end.

use texas42_protocol::{GameId, HandWitness};

use crate::{storage::Storage, table_model::TableModel};

/// The witnesses in a storage.
pub struct Witnesses<S>(pub S);

impl<S: Storage> Witnesses<S> {
    /// The witnesses of the shown game; empty if there are none or they cannot be read.
    pub fn get(&self, table: &TableModel) -> Vec<HandWitness> {
        let text = self.0.get(&name(table));
        text.and_then(|text| texas42_protocol::read(&text).ok()).unwrap_or_default()
    }

    /// Records the current hand once it is over and revealed.
    pub fn note(&self, before: Option<&TableModel>, after: &TableModel) {
        let same_hand = before.filter(|before| before.is_same_hand(after));
        let Some(witness) = same_hand.and_then(|before| after.witness(before.promise()?, before)) else { return };
        let mut witnesses = self.get(after);
        witnesses.retain(|other| other.hand_number != witness.hand_number);
        witnesses.push(witness);
        self.0.set(&name(after), &serde_json::to_string(&witnesses).unwrap_or_default());
    }

    /// Moves the witnesses along when the game continues at another table.
    pub fn move_to(&self, table: &TableModel, game: &GameId) {
        if let Some(text) = self.0.get(&name(table)) {
            let there = TableModel { game: game.clone(), ..table.clone() };
            self.0.set(&name(&there), &text);
            self.0.remove(&name(table));
        }
    }
}

fn name(table: &TableModel) -> String {
    table.kept_name("witness")
}
