//! Proof that the deals of a finished game were not chosen by anybody: the record that a table hands out, and its
//! verification, which needs nothing but the record.

use alloc::{format, string::String, string::ToString, vec::Vec};

use serde::{Deserialize, Serialize};
use texas42_engine::{
    Context, Game,
    deal::{Hex, Key, Source, combined_entropy, commitment, hand_share, hash_of_log, key_from_hex},
    record::Checkpoint,
    state_hash,
};
use texas42_protocol::Entropy;
use texas42_vocab::{Action, Config, Deal};

/// A finished game of secret deals, with everything that was hidden.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct FairRecord {
    /// What was played.
    pub config: Config,
    /// Everything that happened.
    pub actions: Vec<Action>,
    /// The hash of the secret, shown with the first view of the table.
    pub secret_commitment: String,
    /// The hash of each hand's share, shown before the hand was dealt.
    pub hand_commitments: Vec<String>,
    /// The secret.
    pub secret: String,
    /// What each seat gave, in order.
    pub entropy: [Option<Entropy>; 4],
    /// How many games were played at the table before.
    pub game_number: u32,
    /// The hash of everything that happened in the game before at this table: what every player did there is part of
    /// the randomness of this one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<String>,
    /// The hands as they were dealt.
    pub deals: Vec<Deal>,
    /// The state at the end.
    pub end: Checkpoint,
}

/// Why a record does not prove a fair deal.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unfair {
    /// It is no record.
    #[error("the record cannot be read: {0}")]
    Unreadable(String),
    /// The secret is another one than the one that was committed.
    #[error("the secret is not the one that was committed before the game")]
    AnotherSecret,
    /// A hand's share is another one than the one that was committed.
    #[error("hand {hand}: its share of the secret is not the one that was committed before it was dealt")]
    AnotherShare {
        /// Which hand, counted from 0.
        hand: usize,
    },
    /// A hand was dealt otherwise.
    #[error("hand {hand}: the secret and the players' randomness deal other dominoes than were played")]
    AnotherDeal {
        /// Which hand, counted from 0.
        hand: usize,
    },
    /// A hand was given with the configuration, not dealt.
    #[error("hand {hand}: it was chosen when the table was set up, not dealt")]
    ChosenDeal {
        /// Which hand, counted from 0.
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
    /// When it is none.
    pub fn from_json(text: &str) -> Result<Self, Unfair> {
        texas42_protocol::read(text).map_err(|error| Unfair::Unreadable(error.to_string()))
    }

    /// The record of a finished game.
    pub(crate) fn of(game: &Game, secret: &Key, given: &Given, game_number: u32) -> Self {
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

    /// Recomputes every deal and replays the game. Returns how many hands were checked.
    ///
    /// # Errors
    /// What does not fit.
    pub fn verify(&self) -> Result<usize, Unfair> {
        self.replay().map(|_| self.deals.len())
    }

    /// The game, after everything that [`FairRecord::verify`] checks.
    ///
    /// # Errors
    /// What does not fit.
    pub fn replay(&self) -> Result<Game, Unfair> {
        let secret = self.committed_secret()?;
        self.check_shares(&secret)?;
        let source = Source::Secret { secret, entropy: self.combined_entropy()? };
        self.check_deals(&source)?;
        self.replayed(source)
    }

    fn committed_secret(&self) -> Result<Key, Unfair> {
        let secret = key_from_hex(&self.secret).ok_or_else(|| Unfair::Unreadable("secret: 64 digits".to_string()))?;
        let committed = key_from_hex(&self.secret_commitment);
        if committed == Some(commitment(&secret)) { Ok(secret) } else { Err(Unfair::AnotherSecret) }
    }

    fn check_shares(&self, secret: &Key) -> Result<(), Unfair> {
        if self.hand_commitments.len() != self.deals.len() {
            return Err(Unfair::Unreadable("each deal has one commitment".to_string()));
        }
        for (hand, committed) in self.hand_commitments.iter().enumerate() {
            if key_from_hex(committed) != Some(commitment(&hand_share(secret, hand as u32))) {
                return Err(Unfair::AnotherShare { hand });
            }
        }
        Ok(())
    }

    fn combined_entropy(&self) -> Result<Key, Unfair> {
        let unreadable = || Unfair::Unreadable("before: 64 digits".to_string());
        let before = self.before.as_ref().map(|hex| key_from_hex(hex).ok_or_else(unreadable)).transpose()?;
        Ok(Given { entropy: self.entropy.clone(), before }.combined(self.game_number))
    }

    fn check_deals(&self, source: &Source) -> Result<(), Unfair> {
        if !self.config.deals.is_empty() {
            return Err(Unfair::ChosenDeal { hand: 0 });
        }
        for (hand, dealt) in self.deals.iter().enumerate() {
            if texas42_engine::deal::deal(&source.key(hand as u32)) != *dealt {
                return Err(Unfair::AnotherDeal { hand });
            }
        }
        Ok(())
    }

    fn replayed(&self, source: Source) -> Result<Game, Unfair> {
        let another = |error: String| Unfair::AnotherGame(error);
        let ctx = Context::compose_dealing(&self.config, source).map_err(|error| another(error.to_string()))?;
        let game = Game::replayed(ctx, &self.actions).map_err(|error| another(error.to_string()))?;
        let end = Checkpoint { at: game.log().len(), hash: state_hash(game.state()) };
        if end != self.end {
            return Err(another(format!("after {} events the replay stands elsewhere", end.at)));
        }
        Ok(game)
    }
}

/// What the players bring to the randomness of a game.
#[derive(Clone, Debug, Default)]
pub(crate) struct Given {
    /// What each seat gave, in order.
    pub(crate) entropy: [Option<Entropy>; 4],
    /// The hash of the game before, in which everybody had a hand.
    pub(crate) before: Option<Key>,
}

impl Given {
    /// Hashed together with the number of the game, so that a second game of the same players is another one.
    pub(crate) fn combined(&self, game_number: u32) -> Key {
        let number = game_number.to_le_bytes();
        let given = self.entropy.iter().map(|given| given.as_ref().map_or(&[][..], |text| text.as_str().as_bytes()));
        let before = self.before.as_ref().map(|hash| &hash[..]);
        combined_entropy(given.chain([&number[..]]).chain(before))
    }
}

/// The hash of everything that happened in a game: of its actions as they stand in its record.
pub(crate) fn hash_of_game(game: &Game) -> Key {
    let actions = serde_json::to_vec(game.log()).expect("actions have only text keys");
    hash_of_log(&actions)
}
