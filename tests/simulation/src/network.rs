//! The network between clients and hosts.
//!
//! A calm or slow connection keeps the order and loses nothing while it is open, like a WebSocket. A wild connection loses,
//! duplicates and reorders messages, which is worse than any real network.

use std::collections::BTreeMap;

use texas42_hosting::ConnectionIds;
use texas42_room::ConnectionId;

use crate::{dice::Dice, report::Report};

/// The quality of a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Quality {
    Calm,
    Slow,
    Wild,
}

/// The direction of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Direction {
    Up,
    Down,
}

/// A connection. Each end notices a close at its own time.
#[derive(Debug)]
pub(crate) struct Link {
    pub(crate) client: usize,
    pub(crate) table: usize,
    pub(crate) quality: Quality,
    pub(crate) open_at_client: bool,
    pub(crate) open_at_host: bool,
    last_arrival: [u64; 2],
}

#[derive(Default)]
pub(crate) struct Network {
    pub(crate) links: BTreeMap<ConnectionId, Link>,
    ids: ConnectionIds,
    /// Whether faults are switched off.
    pub(crate) is_healed: bool,
}

impl Network {
    pub(crate) fn open(&mut self, client: usize, table: usize, requested: Quality) -> ConnectionId {
        let id = self.ids.next(|_| false);
        let quality = if self.is_healed { Quality::Calm } else { requested };
        let link = Link { client, table, quality, open_at_client: true, open_at_host: true, last_arrival: [0; 2] };
        self.links.insert(id, link);
        id
    }

    /// The links of a table that are open at the host's end.
    pub(crate) fn of_table(&self, table: usize) -> Vec<ConnectionId> {
        let open = self.links.iter().filter(|(_, link)| link.table == table && link.open_at_host);
        open.map(|(id, _)| *id).collect()
    }

    /// Returns the delays in milliseconds after which an HTTP request arrives: none if it is lost, two if it is duplicated.
    pub(crate) fn carry_request(&self, quality: Quality, dice: &mut Dice, report: &mut Report) -> Vec<u64> {
        match if self.is_healed { Quality::Calm } else { quality } {
            Quality::Calm => vec![dice.between(2, 30)],
            Quality::Slow => vec![dice.between(40, 700)],
            Quality::Wild if dice.percent(8) => {
                report.drops += 1;
                Vec::new()
            }
            Quality::Wild if dice.percent(10) => {
                report.duplicates += 1;
                vec![dice.between(1, 250), dice.between(1, 3000)]
            }
            Quality::Wild => vec![dice.between(1, 250)],
        }
    }

    /// Returns the delay in milliseconds after which an HTTP response arrives, or `None` if it is lost.
    pub(crate) fn carry_answer(&self, quality: Quality, dice: &mut Dice, report: &mut Report) -> Option<u64> {
        let is_lost = !self.is_healed && dice.percent(if quality == Quality::Wild { 25 } else { 5 });
        report.lost_answers += u64::from(is_lost);
        (!is_lost).then(|| dice.between(2, 300))
    }

    /// Returns the arrival times of a message that is sent now: none if it is lost, two if it is duplicated.
    pub(crate) fn carry(
        &mut self,
        now: u64,
        link: ConnectionId,
        direction: Direction,
        dice: &mut Dice,
        report: &mut Report,
    ) -> Vec<u64> {
        let Some(link) = self.links.get_mut(&link) else { return Vec::new() };
        match link.quality {
            Quality::Calm => vec![link.in_order(direction, now + dice.between(2, 30))],
            Quality::Slow => vec![link.in_order(direction, now + dice.between(40, 700))],
            Quality::Wild => link.carry_wildly(now, direction, dice, report),
        }
    }
}

impl Link {
    fn in_order(&mut self, direction: Direction, arrival: u64) -> u64 {
        let last = &mut self.last_arrival[direction as usize];
        *last = arrival.max(*last);
        *last
    }

    fn carry_wildly(&mut self, now: u64, direction: Direction, dice: &mut Dice, report: &mut Report) -> Vec<u64> {
        if dice.percent(6) {
            report.drops += 1;
            return Vec::new();
        }
        let mut arrivals = vec![now + dice.between(1, 250)];
        if dice.percent(8) {
            report.duplicates += 1;
            // Some duplicates arrive very late.
            let late = if dice.once_in(4) { 20_000 } else { 900 };
            arrivals.push(now + dice.between(1, late));
        }
        let last = &mut self.last_arrival[direction as usize];
        if arrivals[0] < *last {
            report.reorders += 1;
        }
        *last = arrivals[0].max(*last);
        arrivals
    }
}
