//! Who is connected: a list in the order of the numbers. Hosts count upwards, so newcomers go to its end. A search tree would do
//! the same with kilobytes more of what every browser loads.

use alloc::{sync::Arc, vec::Vec};

use texas42_protocol::{GameView, PlayerId};

use super::ConnectionId;

#[derive(Debug)]
pub(super) struct Connection {
    /// The session behind it; watchers without a key have an id and no session.
    pub(super) player_id: PlayerId,
    /// The view that the other side has, while it is subscribed. Those who see the same share it.
    pub(super) shown: Option<Arc<GameView>>,
    /// It is there for one request only, and nobody is shown as present by it.
    pub(super) is_passing: bool,
    /// Nothing but watching came with it: it has no session.
    pub(super) is_watching: bool,
}

/// The connections of a table.
#[derive(Debug, Default)]
pub(super) struct Connections(Vec<(ConnectionId, Connection)>);

impl Connections {
    fn place(&self, id: ConnectionId) -> Result<usize, usize> {
        self.0.binary_search_by_key(&id, |(id, _)| *id)
    }

    pub(super) fn get(&self, id: ConnectionId) -> Option<&Connection> {
        self.place(id).ok().map(|at| &self.0[at].1)
    }

    pub(super) fn get_mut(&mut self, id: ConnectionId) -> Option<&mut Connection> {
        self.place(id).ok().map(|at| &mut self.0[at].1)
    }

    /// Takes the place of a connection with the same number.
    pub(super) fn insert(&mut self, id: ConnectionId, connection: Connection) {
        match self.place(id) {
            Ok(at) => self.0[at].1 = connection,
            Err(at) => self.0.insert(at, (id, connection)),
        }
    }

    pub(super) fn remove(&mut self, id: ConnectionId) -> Option<Connection> {
        self.place(id).ok().map(|at| self.0.remove(at).1)
    }

    pub(super) fn retain(&mut self, mut stays: impl FnMut(ConnectionId, &Connection) -> bool) {
        self.0.retain(|(id, connection)| stays(*id, connection));
    }

    /// All of them, in the order of their numbers.
    pub(super) fn iter(&self) -> impl Iterator<Item = (ConnectionId, &Connection)> {
        self.0.iter().map(|(id, connection)| (*id, connection))
    }

    pub(super) fn values(&self) -> impl Iterator<Item = &Connection> {
        self.iter().map(|(_, connection)| connection)
    }

    pub(super) fn values_mut(&mut self) -> impl Iterator<Item = &mut Connection> {
        self.0.iter_mut().map(|(_, connection)| connection)
    }

    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn connection(player: &str) -> Connection {
        let player_id = PlayerId::try_from(player).unwrap();
        Connection { player_id, shown: None, is_passing: false, is_watching: false }
    }

    #[test]
    fn they_are_found_by_number_and_stand_in_its_order() {
        let mut all = Connections::default();
        for (id, player) in [(5, "a"), (9, "b"), (1, "c"), (7, "d"), (5, "e")] {
            all.insert(id, connection(player));
        }
        let order = |all: &Connections| all.iter().map(|(id, _)| id).collect::<Vec<_>>();
        assert_eq!((order(&all), all.len()), (Vec::from([1, 5, 7, 9]), 4));
        assert_eq!(all.get(5).unwrap().player_id.as_str(), "e", "the newer one took the place");
        assert!(all.remove(7).is_some() && all.remove(7).is_none() && all.get(7).is_none());
        all.retain(|id, _| id > 1);
        assert_eq!(order(&all), [5, 9]);
        for connection in all.values_mut() {
            connection.is_passing = true;
        }
        assert!(all.values().all(|connection| connection.is_passing) && !all.is_empty());
        assert!(all.get_mut(9).is_some());
    }
}
