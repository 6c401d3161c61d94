//! What a table committed to before each hand and revealed afterwards, stored in this browser, so that the deals of a
//! game can be verified at its end.

use serde::{Deserialize, Serialize};
use texas42_protocol::{DrawWitness, GameId, HandWitness};
use texas42_vocab::Seat;

use crate::{storage::Storage, table_model::TableModel};

/// The draw of a game as seen during its first hand.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct SeenDraw {
    commitment: String,
    shaker: Seat,
}

/// The witnesses in a storage.
pub struct Witnesses<S>(pub S);

impl<S: Storage> Witnesses<S> {
    /// The witnesses of the shown game; empty if there are none or they cannot be read.
    pub fn get(&self, table: &TableModel) -> Vec<HandWitness> {
        let text = self.0.get(&name(table));
        text.and_then(|text| texas42_protocol::read(&text).ok()).unwrap_or_default()
    }

    /// The draw for the first shaker, if it was seen and the secret has been revealed.
    pub fn draw(&self, table: &TableModel) -> Option<DrawWitness> {
        let SeenDraw { commitment, shaker } = texas42_protocol::read(&self.0.get(&draw_name(table))?).ok()?;
        let proof = table.view.metadata.deal.as_ref()?;
        let entropy = proof.revealed.as_ref()?.entropy.clone();
        Some(DrawWitness { commitment, secret: proof.secret.clone()?, entropy, shaker })
    }

    /// Records the draw for the first shaker when it is first seen, and the current hand once it is over and revealed.
    pub fn note(&self, before: Option<&TableModel>, after: &TableModel) {
        if let Some((commitment, shaker)) = after.drawn_shaker()
            && self.0.get(&draw_name(after)).is_none()
        {
            let seen = SeenDraw { commitment: commitment.to_owned(), shaker };
            self.0.set(&draw_name(after), &texas42_protocol::to_json(&seen));
        }
        let same_hand = before.filter(|before| before.is_same_hand(after));
        let Some(witness) = same_hand.and_then(|before| after.witness(before.promise()?, before)) else { return };
        let mut witnesses = self.get(after);
        witnesses.retain(|other| other.hand_number != witness.hand_number);
        witnesses.push(witness);
        self.0.set(&name(after), &texas42_protocol::to_json(&witnesses));
    }

    /// Moves the witnesses along when the game continues at another table.
    pub fn move_to(&self, table: &TableModel, game: &GameId) {
        let there = TableModel { game: game.clone(), ..table.clone() };
        for name in [name, draw_name] {
            if let Some(text) = self.0.get(&name(table)) {
                self.0.set(&name(&there), &text);
                self.0.remove(&name(table));
            }
        }
    }
}

fn draw_name(table: &TableModel) -> String {
    table.kept_name("draw")
}

fn name(table: &TableModel) -> String {
    table.kept_name("witness")
}
