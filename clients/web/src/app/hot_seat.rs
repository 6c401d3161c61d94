//! Several people at one device: whose dominoes are shown, and the cover while the device changes hands.

use leptos::prelude::*;
use texas42_vocab::{Control, Seat};

use crate::{app::App, browser, connection, table_model::TableModel, words::fill};

/// The people at this device.
#[derive(Clone, Copy)]
pub(crate) struct HotSeat {
    /// Their seats, in order; empty if one person plays.
    seats: RwSignal<Vec<Seat>>,
    /// Whether the shown person's dominoes are covered.
    is_covered: RwSignal<bool>,
}

impl HotSeat {
    pub(super) fn new() -> Self {
        Self { seats: RwSignal::new(Vec::new()), is_covered: RwSignal::new(false) }
    }

    /// The seats of the people at this device; empty if one person plays. Subscribes to them.
    pub(crate) fn seats(self) -> Vec<Seat> {
        self.seats.get()
    }

    /// Whether several people play on this device. Subscribes to them.
    pub(crate) fn is_shared(self) -> bool {
        self.seats.with(|seats| !seats.is_empty())
    }

    /// Whether the shown person's dominoes are covered. Subscribes to it.
    pub(crate) fn is_covered(self) -> bool {
        self.is_covered.get()
    }

    /// Whether the shown person's dominoes are covered, without subscribing to it.
    pub(super) fn is_covered_now(self) -> bool {
        self.is_covered.get_untracked()
    }

    /// Adds the seats of people at this device.
    pub(crate) fn add(self, seats: Vec<Seat>) {
        self.seats.update(|all| {
            *all = Seat::ALL.into_iter().filter(|seat| all.contains(seat) || seats.contains(seat)).collect();
        });
    }

    /// Covers the shown person's dominoes.
    pub(crate) fn cover(self) {
        self.is_covered.set(true);
    }

    pub(super) fn forget(self) {
        self.seats.set(Vec::new());
        self.is_covered.set(false);
    }

    /// The person at this device whose turn it is.
    pub(crate) fn next(self, table: &TableModel) -> Option<Seat> {
        let seat = table.view.derived.to_act?;
        let is_person = table.player_on(seat).is_some_and(|player| player.control_type == Control::Human);
        (is_person && self.seats.with(|seats| seats.contains(&seat))).then_some(seat)
    }
}

impl App {
    /// Covers the table when it is the turn of somebody else at this device.
    pub(super) fn pass_device(self, table: &TableModel) {
        let Some(seat) = self.hot_seat.next(table).filter(|seat| table.seat != Some(*seat)) else { return };
        if !self.hot_seat.is_covered_now() {
            self.hot_seat.cover();
            let words = self.words();
            self.announcements.log(vec![fill(words.pass_device, &[&table.name(seat, words)])]);
            browser::focus_later(".cover");
        }
    }

    /// Covers the table, because somebody else at this device wants to look.
    pub(crate) fn cover_now(self) {
        self.hot_seat.cover();
        browser::focus_later(".cover");
    }

    /// Uncovers the table for the person on a seat of this device.
    pub(crate) fn hand_device_to(self, seat: Seat) {
        connection::show_person(self, seat);
        self.hot_seat.is_covered.set(false);
        browser::focus_later("#hand button, #table");
    }
}
