//! A game without a table: no sessions, transport or clock. Tools, simulations, replays and tests use it and see the
//! same views as at a table.

use alloc::{string::String, sync::Arc};

use texas42_engine::{
    Annotated, ConfigError, Context, Explanation, Game, Offers, Refusal, ReplayError, State,
    code::{self, Code, CodeError},
    explain,
    record::{Record, RecordError},
};
use texas42_kernel::{TableMetadata, Viewer};
use texas42_protocol::{DealKind, GameView, Metadata, ResultView, TableOptions};
use texas42_vocab::{Action, Config, Seat};

use crate::{FairRecord, FairnessError, result::result_view};

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

    /// Replays a game from its code.
    ///
    /// # Errors
    /// If the code is damaged.
    pub fn from_code(text: &str) -> Result<Self, OpenError> {
        Self::decoded(&Code::parse(text)?)
    }

    /// Replays a game from a replay link, or from the code in one.
    ///
    /// # Errors
    /// If the code is damaged, or was made with rules that this version does not know.
    pub fn from_link(link: &str) -> Result<Self, OpenError> {
        Self::decoded(&Code::parse_link(link)?)
    }

    fn decoded(code: &Code) -> Result<Self, OpenError> {
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
        let metadata = Arc::new(self.metadata());
        let table = TableMetadata { metadata, events: self.game.log().len() as u16, ..TableMetadata::default() };
        texas42_kernel::view(self.game.ctx(), self.state(), viewer, &table)
    }

    /// The metadata of a game without a table. Its deals follow from a public seed unless the configuration contains them.
    fn metadata(&self) -> Metadata {
        let deal = if self.game.ctx().config().deals.is_empty() { DealKind::Seeded } else { DealKind::Secret };
        Metadata { table: TableOptions { deal, ..TableOptions::default() }, ..Metadata::default() }
    }

    /// The table after `events` events, as the player at `seat` sees it or with all hands open; `None` if there are not
    /// that many events. The view after the last event has the result.
    pub fn view_after(&self, events: usize, seat: Option<Seat>) -> Option<GameView> {
        let is_last = events == self.game.log().len();
        let result = if is_last { self.result() } else { None };
        let metadata = Metadata { result, ..self.metadata() };
        let metadata =
            TableMetadata { metadata: Arc::new(metadata), events: events as u16, ..TableMetadata::default() };
        let viewer = seat.map_or_else(Viewer::all_hands, Viewer::player);
        Some(texas42_kernel::view(self.game.ctx(), &self.game.state_at(events)?, &viewer, &metadata))
    }

    /// The game as a record.
    pub fn record(&self) -> Record {
        Record::of(&self.game)
    }

    /// The game as a code for a link.
    pub fn code(&self) -> String {
        code::encode(&self.game)
    }

    /// The result, once the game is over. It has no list of hands.
    pub fn result(&self) -> Option<ResultView> {
        self.state().phase.is_over().then(|| result_view(&self.game, self.state(), true))
    }

    /// Explains which layer decides what.
    pub fn explain(&self) -> Explanation {
        explain(self.game.ctx())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::RandomPlayer;

    #[test]
    fn a_game_of_a_seed_is_shown_as_seeded() {
        let config = Config { seed: "public".parse().ok(), ..Config::default() };
        let room = HeadlessRoom::new(&config).unwrap();
        assert_eq!(room.view(Seat::ALL[0]).metadata.table.deal, DealKind::Seeded);
        assert_eq!(room.view_after(0, None).unwrap().metadata.table.deal, DealKind::Seeded);
    }

    #[test]
    fn views_contain_the_number_of_events_before_them() {
        let config = Config { target: Some(1), seed: "events".parse().ok(), ..Config::default() };
        let mut room = HeadlessRoom::new(&config).unwrap();
        let mut random = RandomPlayer::new(1);
        while let Some(action) = random.pick(&room.legal()) {
            assert_eq!(usize::from(room.view(Seat::ALL[0]).state.events), room.game().log().len());
            room.execute(action).unwrap();
        }
        let last = room.game().log().len();
        assert!(last > 20 && room.state().phase.is_over(), "{last}");
        for seat in [None, Seat::new(2)] {
            for events in 0..=last {
                let view = room.view_after(events, seat).unwrap();
                assert_eq!(usize::from(view.state.events), events);
                assert_eq!(view.metadata.result.is_some(), events == last, "the last view has the result");
            }
            assert_eq!(room.view_after(last + 1, seat), None);
        }
        assert_eq!(room.view_after(last, Seat::new(2)).map(|view| view.state), Some(room.view(Seat::ALL[2]).state));
    }
}
