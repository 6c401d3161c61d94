//! Fairness proofs: a record of a finished game that shows that nobody chose its deals, and its verification, which
//! needs only the record.

use alloc::{format, string::String, string::ToString, vec::Vec};

use serde::{Deserialize, Serialize};
use texas42_engine::{
    Context, Game,
    deal::{DealSource, Hex, Key, combined_entropy, commitment, hand_share, key_from_hex, log_hash},
    record::Checkpoint,
    state_hash,
};
use texas42_protocol::Entropy;
use texas42_vocab::{Action, Config, Deal};

/// A finished game with secret deals, including everything that was hidden.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct FairRecord {
    /// The rules of the game.
    pub config: Config,
    /// All actions.
    pub actions: Vec<Action>,
    /// The hash of the secret, shown from the first view on.
    pub secret_commitment: String,
    /// The hash of each hand's share, shown before the hand was dealt.
    pub hand_commitments: Vec<String>,
    /// The secret.
    pub secret: String,
    /// The randomness of each seat.
    pub entropy: [Option<Entropy>; 4],
    /// The number of games played at the table before.
    pub game_number: u32,
    /// The hash of the previous game's log. It makes the actions of all players part of this game's randomness.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<String>,
    /// The dealt hands.
    pub deals: Vec<Deal>,
    /// The final state.
    pub end: Checkpoint,
}

/// Why a record does not prove a fair deal.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FairnessError {
    /// The record cannot be read.
    #[error("the record cannot be read: {0}")]
    Unreadable(String),
    /// The secret does not match its commitment.
    #[error("the secret is not the one that was committed before the game")]
    AnotherSecret,
    /// A hand's share does not match its commitment.
    #[error("hand {hand}: its share of the secret is not the one that was committed before it was dealt")]
    AnotherShare {
        /// The number of the hand, starting at 0.
        hand: usize,
    },
    /// The recomputed deal differs.
    #[error("hand {hand}: the secret and the players' randomness deal other dominoes than were played")]
    AnotherDeal {
        /// The number of the hand, starting at 0.
        hand: usize,
    },
    /// The hand was part of the configuration, not dealt.
    #[error("hand {hand}: it was chosen when the table was set up, not dealt")]
    ChosenDeal {
        /// The number of the hand, starting at 0.
        hand: usize,
    },
    /// The game does not follow from its deals.
    #[error("the game does not follow from the deals: {0}")]
    AnotherGame(String),
}

impl FairRecord {
    /// Reads a record.
    ///
    /// # Errors
    /// If the text is not a record.
    pub fn from_json(text: &str) -> Result<Self, FairnessError> {
        texas42_protocol::read(text).map_err(|error| FairnessError::Unreadable(error.to_string()))
    }

    /// The record of a finished game.
    pub(crate) fn of(game: &Game, secret: &Key, given: &DealEntropy, game_number: u32) -> Self {
        let hands = game.state().hand_number + 1;
        let hex = |bytes: Key| Hex(&bytes).to_string();
        let config = game.ctx().config().clone();
        Self {
            actions: game.log().to_vec(),
            secret_commitment: hex(commitment(secret)),
            hand_commitments: (0..hands).map(|hand| hex(commitment(&hand_share(secret, hand)))).collect(),
            secret: hex(*secret),
            entropy: given.entropy.clone(),
            game_number,
            before: given.before.map(hex),
            deals: (0..hands).map(|hand| game.ctx().deal(hand)).collect(),
            end: Checkpoint { at: game.log().len(), hash: state_hash(game.state()) },
            config,
        }
    }

    /// Recomputes every deal and replays the game. Returns the number of verified hands.
    ///
    /// # Errors
    /// The first mismatch.
    pub fn verify(&self) -> Result<usize, FairnessError> {
        self.replay().map(|_| self.deals.len())
    }

    /// Replays the game after all checks of [`FairRecord::verify`].
    ///
    /// # Errors
    /// The first mismatch.
    pub fn replay(&self) -> Result<Game, FairnessError> {
        let secret = self.committed_secret()?;
        self.check_shares(&secret)?;
        let source = DealSource::Secret { secret, entropy: self.combined_entropy()? };
        self.check_deals(&source)?;
        self.replayed(source)
    }

    fn committed_secret(&self) -> Result<Key, FairnessError> {
        let secret =
            key_from_hex(&self.secret).ok_or_else(|| FairnessError::Unreadable("secret: 64 digits".to_string()))?;
        let committed = key_from_hex(&self.secret_commitment);
        if committed == Some(commitment(&secret)) { Ok(secret) } else { Err(FairnessError::AnotherSecret) }
    }

    fn check_shares(&self, secret: &Key) -> Result<(), FairnessError> {
        if self.hand_commitments.len() != self.deals.len() {
            return Err(FairnessError::Unreadable("each deal has one commitment".to_string()));
        }
        for (hand, committed) in self.hand_commitments.iter().enumerate() {
            if key_from_hex(committed) != Some(commitment(&hand_share(secret, hand as u32))) {
                return Err(FairnessError::AnotherShare { hand });
            }
        }
        Ok(())
    }

    fn combined_entropy(&self) -> Result<Key, FairnessError> {
        let unreadable = || FairnessError::Unreadable("before: 64 digits".to_string());
        let before = self.before.as_ref().map(|hex| key_from_hex(hex).ok_or_else(unreadable)).transpose()?;
        Ok(DealEntropy { entropy: self.entropy.clone(), before }.combined(self.game_number))
    }

    fn check_deals(&self, source: &DealSource) -> Result<(), FairnessError> {
        if !self.config.deals.is_empty() {
            return Err(FairnessError::ChosenDeal { hand: 0 });
        }
        for (hand, dealt) in self.deals.iter().enumerate() {
            if texas42_engine::deal::deal(&source.key(hand as u32)) != *dealt {
                return Err(FairnessError::AnotherDeal { hand });
            }
        }
        Ok(())
    }

    fn replayed(&self, source: DealSource) -> Result<Game, FairnessError> {
        let another = |error: String| FairnessError::AnotherGame(error);
        let ctx = Context::compose_with_source(&self.config, source).map_err(|error| another(error.to_string()))?;
        let game = Game::replayed(ctx, &self.actions).map_err(|error| another(error.to_string()))?;
        let end = Checkpoint { at: game.log().len(), hash: state_hash(game.state()) };
        if end != self.end {
            return Err(another(format!("after {} events the replay stands elsewhere", end.at)));
        }
        Ok(game)
    }
}

/// The players' contribution to the randomness of a game.
#[derive(Clone, Debug, Default)]
pub(crate) struct DealEntropy {
    /// The randomness of each seat.
    pub(crate) entropy: [Option<Entropy>; 4],
    /// The hash of the previous game, which all players influenced.
    pub(crate) before: Option<Key>,
}

impl DealEntropy {
    /// Hashes everything with the number of the game, so that a rematch of the same players differs.
    pub(crate) fn combined(&self, game_number: u32) -> Key {
        let number = game_number.to_le_bytes();
        let given = self.entropy.iter().map(|given| given.as_ref().map_or(&[][..], |text| text.as_str().as_bytes()));
        let before = self.before.as_ref().map(|hash| &hash[..]);
        combined_entropy(given.chain([&number[..]]).chain(before))
    }
}

/// The hash of a game's log, with the actions as in its record.
pub(crate) fn hash_of_game(game: &Game) -> Key {
    let actions = serde_json::to_vec(game.log()).expect("actions have only text keys");
    log_hash(&actions)
}
