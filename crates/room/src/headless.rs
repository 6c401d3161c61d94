//! A game without a table around it: no sessions, no transport, no clock. Tools, simulations, replays and tests use it,
//! and what they see is what a room would show.

use alloc::string::String;

use texas42_engine::{
    Annotated, ConfigError, Context, Explanation, Game, Offers, Refusal, ReplayError, State,
    code::{self, Code, CodeError},
    explain,
    record::{Record, RecordError},
};
use texas42_kernel::{Around, Viewer};
use texas42_protocol::GameView;
use texas42_vocab::{Action, Config, Seat};

use crate::{FairRecord, Unfair};

/// Why a stored game cannot be opened.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum OpenError {
    /// Its configuration cannot be played.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// Its log has an event that could not happen.
    #[error(transparent)]
    Replay(#[from] ReplayError),
    /// Its record is damaged.
    #[error(transparent)]
    Record(#[from] RecordError),
    /// Its proof does not hold.
    #[error(transparent)]
    Proof(#[from] Unfair),
    /// Its code is damaged.
    #[error(transparent)]
    Code(#[from] CodeError),
}

/// A game for tools.
#[derive(Debug)]
pub struct HeadlessRoom {
    game: Game,
}

impl HeadlessRoom {
    /// A new game.
    ///
    /// # Errors
    /// When the configuration cannot be played.
    pub fn new(config: &Config) -> Result<Self, ConfigError> {
        Ok(Self { game: Game::new(Context::compose(config)?) })
    }

    /// A game from its configuration and its log.
    ///
    /// # Errors
    /// When the configuration cannot be played, or the log does not follow from it.
    pub fn replay(config: &Config, actions: &[Action]) -> Result<Self, OpenError> {
        Ok(Self { game: Game::replayed(Context::compose(config)?, actions)? })
    }

    /// A game from its record, with every checkpoint checked; or from the proof of a finished game, with every deal checked.
    ///
    /// # Errors
    /// When the record cannot be read or does not replay.
    pub fn from_record(json: &str) -> Result<Self, OpenError> {
        if let Ok(proof) = FairRecord::from_json(json) {
            return Ok(Self { game: proof.replay()? });
        }
        let record = Record::from_json(json)?;
        Ok(Self { game: record.replay(Context::compose(&record.config)?)? })
    }

    /// A game from the code of a link.
    ///
    /// # Errors
    /// When the code is damaged.
    pub fn from_code(text: &str) -> Result<Self, OpenError> {
        let code = Code::parse(text)?;
        Ok(Self { game: code.game(Context::compose(code.config())?)? })
    }

    /// The game.
    pub fn game(&self) -> &Game {
        &self.game
    }

    /// Where it stands, with nothing hidden.
    pub fn state(&self) -> &State {
        self.game.state()
    }

    /// What may be done now.
    pub fn legal(&self) -> Offers {
        self.game.legal()
    }

    /// What may be done now, with what the layers say about it.
    pub fn offers(&self) -> Annotated {
        self.game.ctx().annotated(self.state())
    }

    /// Does it.
    ///
    /// # Errors
    /// When it cannot be done now; then nothing has changed.
    pub fn execute(&mut self, action: Action) -> Result<&State, Refusal> {
        self.game.apply(action)
    }

    /// The table through a seat's eyes.
    pub fn view(&self, seat: Seat) -> GameView {
        self.view_of(&Viewer::player(seat))
    }

    /// The table through anybody's eyes.
    pub fn view_of(&self, viewer: &Viewer) -> GameView {
        texas42_kernel::view(self.game.ctx(), self.state(), viewer, &Around::default())
    }

    /// The game as a record.
    pub fn record(&self) -> Record {
        Record::of(&self.game)
    }

    /// The game as a code for a link.
    pub fn code(&self) -> String {
        code::encode(&self.game)
    }

    /// Which layer decides what at this table.
    pub fn explain(&self) -> Explanation {
        explain(self.game.ctx())
    }
}
