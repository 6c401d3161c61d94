//! Who sees hints for the current decision. The room computes no hints: the host does, from [`Room::seat_view`].

use alloc::vec::Vec;

use texas42_kernel::Viewer;
use texas42_protocol::GameView;
use texas42_vocab::{Control, Layer, Seat};

use super::{ConnectionId, Room};

/// A decision of a person at a table with hints.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HintPoint {
    /// The seat to act.
    pub seat: Seat,
    game_number: u32,
    events: usize,
}

impl Room {
    /// The current decision, if a person makes it at a table with hints.
    pub fn hint_point(&self) -> Option<HintPoint> {
        let game = self.table.game.as_ref()?;
        let has_hints = game.ctx().config().layers.iter().any(Layer::gives_hints);
        let seat = game.state().to_act().filter(|seat| has_hints && self.table.control(*seat) == Control::Human)?;
        Some(HintPoint { seat, game_number: self.table.game_number, events: game.log().len() })
    }

    /// The connections whose view has hints for the actions of a seat: its player, its coach, and sessions that see everything.
    pub fn hinted(&self, seat: Seat) -> Vec<ConnectionId> {
        let is_hinted = |view: &GameView| Self::shows_hints(view, seat);
        let hinted =
            self.connections.iter().filter(|(_, connection)| connection.shown.as_deref().is_some_and(is_hinted));
        hinted.map(|(id, _)| *id).collect()
    }

    /// Whether a view has hints for the actions of a seat.
    pub fn shows_hints(view: &GameView, seat: Seat) -> bool {
        view.valid_actions.iter().any(|valid| valid.hint.is_some() && valid.action.player() == Some(seat))
    }

    /// The table as an ordinary player at `seat` sees it, without additional capabilities of the session.
    pub fn seat_view(&self, seat: Seat) -> GameView {
        let metadata = self.table_metadata();
        self.table.scene(&metadata).view(&Viewer::player(seat))
    }
}
