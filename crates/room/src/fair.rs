//! Fairness proofs: a record of a finished game that shows that nobody chose its deals, and its verification, which
//! needs only the record.

use alloc::{format, string::String, string::ToString, vec::Vec};

use serde::{Deserialize, Serialize};
use texas42_engine::{
    Context, Game,
    deal::{DealSource, Hex, Key, LaterSecret, SecretDeals, combined_entropy, commitment, key_from_hex, log_hash},
    record::Checkpoint,
    state_hash,
};
use texas42_protocol::Entropy;
use texas42_vocab::{Action, Config, Deal, Seat};

/// A finished game with secret deals, including everything that was hidden.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, expecting = "struct FairRecord without other fields", rename_all = "camelCase")]
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
    /// Who shook first. Absent in records of earlier versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shaker: Option<Seat>,
    /// Whether the draw for the first shaker depends on the secret. In games that an earlier version started, it depends
    /// on the players' randomness alone.
    #[serde(default, skip_serializing_if = "core::ops::Not::not")]
    pub secret_draw: bool,
    /// For a game that was imported: the hands that its new table dealt. A player's device dealt the hands before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub later: Option<LaterRecord>,
    /// The dealt hands.
    pub deals: Vec<Deal>,
    /// The final state.
    pub end: Checkpoint,
}

/// The secret of the later hands of an imported game.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, expecting = "struct LaterRecord without other fields", rename_all = "camelCase")]
pub struct LaterRecord {
    /// The number of the first of these hands.
    pub from_hand: u32,
    /// The hash of the secret, shown from the import on.
    pub secret_commitment: String,
    /// The secret.
    pub secret: String,
}

/// Why a record does not prove a fair deal.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FairnessError {
    /// The record cannot be read.
    #[error("the record cannot be read: {0}")]
    Unreadable(String),
    /// The secret does not match its commitment.
    #[error("the secret is not the one that was committed before the game")]
    SecretMismatch,
    /// A hand's share does not match its commitment.
    #[error("hand {}: its share of the secret is not the one that was committed before it was dealt", hand + 1)]
    ShareMismatch {
        /// The number of the hand, starting at 0.
        hand: usize,
    },
    /// The recomputed deal differs.
    #[error("hand {}: the secret and the players' randomness deal different dominoes than were played", hand + 1)]
    DealMismatch {
        /// The number of the hand, starting at 0.
        hand: usize,
    },
    /// The hand was part of the configuration, not dealt.
    #[error("hand {}: it was chosen when the table was set up, not dealt", hand + 1)]
    ChosenDeal {
        /// The number of the hand, starting at 0.
        hand: usize,
    },
    /// The recomputed draw has a different first shaker.
    #[error("the secret and the players' randomness draw a different first shaker")]
    ShakerMismatch,
    /// The game does not follow from its deals.
    #[error("the game does not follow from the deals: {0}")]
    ReplayMismatch(String),
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
    pub(crate) fn of(game: &Game, deals: &SecretDeals, players: &DealEntropy, game_number: u32) -> Self {
        let hands = game.state().hand_number + 1;
        let hex = |bytes: Key| Hex(&bytes).to_string();
        let config = game.ctx().config().clone();
        Self {
            actions: game.log().to_vec(),
            secret_commitment: hex(commitment(&deals.secret)),
            hand_commitments: (0..hands).map(|hand| hex(commitment(&deals.share(hand)))).collect(),
            secret: hex(deals.secret),
            entropy: players.entropy.clone(),
            game_number,
            before: players.before.map(hex),
            shaker: Some(game.ctx().first_state().shaker),
            secret_draw: deals.secret_draw,
            later: deals.later.map(|later| LaterRecord {
                from_hand: later.from_hand,
                secret_commitment: hex(commitment(&later.secret)),
                secret: hex(later.secret),
            }),
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
        let source = self.committed_deals()?;
        self.check_shares(&source)?;
        self.check_deals(&source)?;
        self.replayed(source)
    }

    /// Whether the record proves that nobody chose the first shaker: the draw depends on the secret, and the rules do not
    /// name the shaker.
    pub fn proves_shaker(&self) -> bool {
        self.secret_draw && self.config.shaker.is_none()
    }

    /// How many of the hands were dealt on the device of a player, who could know them.
    pub fn hands_from_device(&self) -> usize {
        self.later.as_ref().map_or(0, |later| self.deals.len().min(later.from_hand as usize))
    }

    fn committed_deals(&self) -> Result<SecretDeals, FairnessError> {
        let secret = committed_secret(&self.secret, &self.secret_commitment)?;
        let of_later = |later: &LaterRecord| {
            let secret = committed_secret(&later.secret, &later.secret_commitment)?;
            Ok(LaterSecret { from_hand: later.from_hand, secret })
        };
        let later = self.later.as_ref().map(of_later).transpose()?;
        Ok(SecretDeals { secret, entropy: self.combined_entropy()?, secret_draw: self.secret_draw, later })
    }

    fn check_shares(&self, source: &SecretDeals) -> Result<(), FairnessError> {
        if self.hand_commitments.len() != self.deals.len() {
            return Err(FairnessError::Unreadable("each deal needs one commitment".to_string()));
        }
        for (hand, committed) in self.hand_commitments.iter().enumerate() {
            if key_from_hex(committed) != Some(commitment(&source.share(hand as u32))) {
                return Err(FairnessError::ShareMismatch { hand });
            }
        }
        Ok(())
    }

    fn combined_entropy(&self) -> Result<Key, FairnessError> {
        let unreadable = || FairnessError::Unreadable("`before` is 64 hexadecimal digits".to_string());
        let before = self.before.as_ref().map(|hex| key_from_hex(hex).ok_or_else(unreadable)).transpose()?;
        Ok(DealEntropy { entropy: self.entropy.clone(), before }.combined(self.game_number))
    }

    fn check_deals(&self, source: &SecretDeals) -> Result<(), FairnessError> {
        if !self.config.deals.is_empty() {
            return Err(FairnessError::ChosenDeal { hand: 0 });
        }
        for (hand, dealt) in self.deals.iter().enumerate() {
            if texas42_engine::deal::deal(&source.key(hand as u32)) != *dealt {
                return Err(FairnessError::DealMismatch { hand });
            }
        }
        Ok(())
    }

    fn replayed(&self, source: SecretDeals) -> Result<Game, FairnessError> {
        let replay_mismatch = |error: String| FairnessError::ReplayMismatch(error);
        let ctx = Context::compose_with_source(&self.config, DealSource::Secret(source));
        let ctx = ctx.map_err(|error| replay_mismatch(error.to_string()))?;
        if self.shaker.is_some_and(|shaker| shaker != ctx.first_state().shaker) {
            return Err(FairnessError::ShakerMismatch);
        }
        let game = Game::replayed(ctx, &self.actions).map_err(|error| replay_mismatch(error.to_string()))?;
        let end = Checkpoint { at: game.log().len(), hash: state_hash(game.state()) };
        if end != self.end {
            return Err(replay_mismatch(format!("after {} events the replay has a different state", end.at)));
        }
        Ok(game)
    }
}

/// A secret, if it matches its commitment.
fn committed_secret(secret: &str, committed: &str) -> Result<Key, FairnessError> {
    let secret = key_from_hex(secret)
        .ok_or_else(|| FairnessError::Unreadable("a secret is 64 hexadecimal digits".to_string()))?;
    if key_from_hex(committed) == Some(commitment(&secret)) { Ok(secret) } else { Err(FairnessError::SecretMismatch) }
}

/// What players contribute to the randomness of a game.
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
        let texts = self.entropy.iter().map(|text| text.as_ref().map_or(&[][..], |text| text.as_str().as_bytes()));
        let before = self.before.as_ref().map(|hash| &hash[..]);
        combined_entropy(texts.chain([&number[..]]).chain(before))
    }
}

/// The hash of a game's log, with the actions as in its record.
pub(crate) fn hash_of_game(game: &Game) -> Key {
    log_hash(texas42_protocol::to_json(game.log()).as_bytes())
}
