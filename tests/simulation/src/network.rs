//! The way between clients and hosts. Some ways are calm, some slow, and some wild: those lose, double and reorder.
//!
//! A calm or slow way keeps its order and loses nothing while it is open, like a WebSocket; a wild one is worse than
//! anything that players meet.

use std::collections::BTreeMap;

use texas42_hosting::ConnectionIds;
use texas42_room::ConnectionId;

use crate::{dice::Dice, report::Report};

/// How good a way is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Quality {
    Calm,
    Slow,
    Wild,
}

/// In which direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Way {
    Up,
    Down,
}

/// A connection. Each end learns in its own time that it is closed.
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
    /// Nothing goes wrong any more.
    pub(crate) is_healed: bool,
}

impl Network {
    pub(crate) fn open(&mut self, client: usize, table: usize, wished: Quality) -> ConnectionId {
        let id = self.ids.next(|_| false);
        let quality = if self.is_healed { Quality::Calm } else { wished };
        let link = Link { client, table, quality, open_at_client: true, open_at_host: true, last_arrival: [0; 2] };
        self.links.insert(id, link);
        id
    }

    /// Links of a table whose host end is open.
    pub(crate) fn of_table(&self, table: usize) -> Vec<ConnectionId> {
        let open = self.links.iter().filter(|(_, link)| link.table == table && link.open_at_host);
        open.map(|(id, _)| *id).collect()
    }

    /// When a request over HTTP arrives: never, once or, sent again by something on the way, twice.
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

    /// When the answer to a request arrives, if it does.
    pub(crate) fn carry_answer(&self, quality: Quality, dice: &mut Dice, report: &mut Report) -> Option<u64> {
        let is_lost = !self.is_healed && dice.percent(if quality == Quality::Wild { 25 } else { 5 });
        report.lost_answers += u64::from(is_lost);
        (!is_lost).then(|| dice.between(2, 300))
    }

    /// When a message that is sent now arrives: never, once or twice.
    pub(crate) fn carry(
        &mut self,
        now: u64,
        link: ConnectionId,
        way: Way,
        dice: &mut Dice,
        report: &mut Report,
    ) -> Vec<u64> {
        let Some(link) = self.links.get_mut(&link) else { return Vec::new() };
        match link.quality {
            Quality::Calm => vec![link.in_order(way, now + dice.between(2, 30))],
            Quality::Slow => vec![link.in_order(way, now + dice.between(40, 700))],
            Quality::Wild => link.carry_wildly(now, way, dice, report),
        }
    }
}

impl Link {
    fn in_order(&mut self, way: Way, arrival: u64) -> u64 {
        let last = &mut self.last_arrival[way as usize];
        *last = arrival.max(*last);
        *last
    }

    fn carry_wildly(&mut self, now: u64, way: Way, dice: &mut Dice, report: &mut Report) -> Vec<u64> {
        if dice.percent(6) {
            report.drops += 1;
            return Vec::new();
        }
        let mut arrivals = vec![now + dice.between(1, 250)];
        if dice.percent(8) {
            report.duplicates += 1;
            // Some repetitions come when everybody has forgotten the first.
            let late = if dice.once_in(4) { 20_000 } else { 900 };
            arrivals.push(now + dice.between(1, late));
        }
        let last = &mut self.last_arrival[way as usize];
        if arrivals[0] < *last {
            report.reorders += 1;
        }
        *last = arrivals[0].max(*last);
        arrivals
    }
}
