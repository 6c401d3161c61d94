//! A game without a table: no sessions, transport or clock. Tools, simulations, replays and tests use it and see the
//! same views as at a table.

use alloc::string::String;

use texas42_engine::{
    Annotated, ConfigError, Context, Explanation, Game, Offers, Refusal, ReplayError, State,
    code::{self, Code, CodeError},
    explain,
    record::{Record, RecordError},
};
use texas42_kernel::{TableMetadata, Viewer};
use texas42_protocol::GameView;
use texas42_vocab::{Action, Config, Seat};

use crate::{FairRecord, FairnessError};

/// Why a stored game cannot be opened.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum OpenError {
    /// The configuration is not playable.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// The log contains an illegal action.
    #[error(transparent)]
    Replay(#[from] ReplayError),
    /// The record is damaged.
    #[error(transparent)]
    Record(#[from] RecordError),
    /// The fairness proof is invalid.
    #[error(transparent)]
    Proof(#[from] FairnessError),
    /// The code is damaged.
    #[error(transparent)]
    Code(#[from] CodeError),
}

/// A game without sessions, for tools.
#[derive(Debug)]
pub struct HeadlessRoom {
    game: Game,
}

impl HeadlessRoom {
    /// A new game.
    ///
    /// # Errors
    /// If the configuration is not playable.
    pub fn new(config: &Config) -> Result<Self, ConfigError> {
        Ok(Self { game: Game::new(Context::compose(config)?) })
    }

    /// Replays a game from its configuration and its log.
    ///
    /// # Errors
    /// If the configuration is not playable, or the log does not follow from it.
    pub fn replay(config: &Config, actions: &[Action]) -> Result<Self, OpenError> {
        Ok(Self { game: Game::replayed(Context::compose(config)?, actions)? })
    }

    /// Replays a game from its record, verifying every checkpoint, or from a fairness proof, verifying every deal.
    ///
    /// # Errors
    /// If the record cannot be read or replayed.
    pub fn from_record(json: &str) -> Result<Self, OpenError> {
        if let Ok(proof) = FairRecord::from_json(json) {
            return Ok(Self { game: proof.replay()? });
        }
        let record = Record::from_json(json)?;
        Ok(Self { game: record.replay(Context::compose(&record.config)?)? })
    }

    /// Replays a game from the code in a link.
    ///
    /// # Errors
    /// If the code is damaged.
    pub fn from_code(text: &str) -> Result<Self, OpenError> {
        let code = Code::parse(text)?;
        Ok(Self { game: code.game(Context::compose(code.config())?)? })
    }

    /// The game.
    pub fn game(&self) -> &Game {
        &self.game
    }

    /// The current state, with nothing hidden.
    pub fn state(&self) -> &State {
        self.game.state()
    }

    /// The legal actions.
    pub fn legal(&self) -> Offers {
        self.game.legal()
    }

    /// The legal actions with their annotations.
    pub fn offers(&self) -> Annotated {
        self.game.ctx().annotated(self.state())
    }

    /// Executes an action.
    ///
    /// # Errors
    /// If the action is not legal now. Then nothing has changed.
    pub fn execute(&mut self, action: Action) -> Result<&State, Refusal> {
        self.game.apply(action)
    }

    /// The table as the player at `seat` sees it.
    pub fn view(&self, seat: Seat) -> GameView {
        self.view_of(&Viewer::player(seat))
    }

    /// The table as `viewer` sees it.
    pub fn view_of(&self, viewer: &Viewer) -> GameView {
        texas42_kernel::view(self.game.ctx(), self.state(), viewer, &TableMetadata::default())
    }

    /// The game as a record.
    pub fn record(&self) -> Record {
        Record::of(&self.game)
    }

    /// The game as a code for a link.
    pub fn code(&self) -> String {
        code::encode(&self.game)
    }

    /// Explains which layer decides what.
    pub fn explain(&self) -> Explanation {
        explain(self.game.ctx())
    }
}
