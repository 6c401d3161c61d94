//! Reads what a host stored, after killing it: is every acknowledged request there, and what did an action cost?

use std::{
    collections::HashSet,
    path::{Path, PathBuf},
};

use anyhow::{bail, ensure};
use rusqlite::Connection;

/// Pairs of table id and request id.
pub(crate) type Acknowledged = [(String, String)];

/// Every write of every table in order: table id and events as JSON.
pub(crate) struct Journal(Vec<(String, String)>);

/// The writes since the first action of each table.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Written {
    pub(crate) rows: usize,
    pub(crate) bytes: usize,
}

impl Journal {
    /// Reads the database of the native server.
    pub(crate) fn of_server(folder: &Path) -> anyhow::Result<Self> {
        let file = Connection::open(folder.join("texas42.sqlite"))?;
        let all =
            "SELECT games.id, log.events FROM log JOIN games ON games.number = log.game ORDER BY log.game, log.number";
        read(&file, all).map(Self)
    }

    /// Reads the database of each Durable Object from the folders of workerd.
    pub(crate) fn of_objects(folder: &Path) -> anyhow::Result<Self> {
        let mut rows = Vec::new();
        for path in databases(folder)? {
            let file = Connection::open(path)?;
            // workerd's internal databases have no log.
            if file.table_exists(None, "log")? {
                rows.extend(read(&file, "SELECT game.id, log.events FROM log, game ORDER BY log.first")?);
            }
        }
        Ok(Self(rows))
    }

    /// Checks that every acknowledged request is stored exactly once.
    pub(crate) fn check(&self, acknowledged: &Acknowledged) -> anyhow::Result<()> {
        let mut stored = HashSet::new();
        for (game, events) in &self.0 {
            for request in requests(events) {
                ensure!(stored.insert((game.as_str(), request)), "{request} was executed twice at {game}");
            }
        }
        let is_lost = |(game, request): &&(String, String)| !stored.contains(&(game.as_str(), request.as_str()));
        if let Some(lost) = acknowledged.iter().find(is_lost) {
            bail!("{lost:?} was acknowledged and is lost");
        }
        Ok(())
    }

    /// Counts writes from each table's first acknowledged action on; creating and joining come before it.
    pub(crate) fn written(&self, acknowledged: &Acknowledged) -> Written {
        let actions: HashSet<(&str, &str)> =
            acknowledged.iter().map(|(game, request)| (game.as_str(), request.as_str())).collect();
        let (mut written, mut playing) = (Written::default(), "");
        for (game, events) in &self.0 {
            if playing != game && requests(events).any(|request| actions.contains(&(game.as_str(), request))) {
                playing = game;
            }
            if playing == game {
                written.rows += 1;
                written.bytes += events.len();
            }
        }
        written
    }

    /// Total number of bytes written.
    pub(crate) fn bytes(&self) -> usize {
        self.0.iter().map(|(_, events)| events.len()).sum()
    }

    /// Average number of events per table.
    pub(crate) fn events_per_table(&self) -> f64 {
        let tables: HashSet<&str> = self.0.iter().map(|(game, _)| game.as_str()).collect();
        let events: usize = self.0.iter().map(|(_, events)| events.matches("\"at\":").count()).sum();
        events as f64 / (tables.len() as f64).max(1.0)
    }
}

fn read(file: &Connection, all: &str) -> anyhow::Result<Vec<(String, String)>> {
    let mut statement = file.prepare(all)?;
    let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
    Ok(rows.collect::<Result<_, _>>()?)
}

fn requests(events: &str) -> impl Iterator<Item = &str> {
    events.split("\"requestId\":\"").skip(1).filter_map(|rest| rest.split('"').next())
}

fn databases(folder: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            found.extend(databases(&path)?);
        } else if path.extension().is_some_and(|end| end == "sqlite") {
            found.push(path);
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(game: &str, request: &str) -> (String, String) {
        (game.to_owned(), format!(r#"[{{"at":1,"requestId":"{request}"}},{{"at":1}}]"#))
    }

    fn asked(game: &str, request: &str) -> (String, String) {
        (game.to_owned(), request.to_owned())
    }

    #[test]
    fn detects_missing_and_duplicate_requests() {
        let journal = Journal(vec![row("a", "i1"), row("a", "1"), row("b", "1")]);
        assert!(journal.check(&[asked("a", "1"), asked("b", "1")]).is_ok());
        assert!(journal.check(&[asked("b", "2")]).is_err());
        assert!(Journal(vec![row("a", "1"), row("a", "1")]).check(&[]).is_err());
    }

    #[test]
    fn counts_actions_but_not_joins() {
        let journal = Journal(vec![row("a", "i1"), row("a", "1"), row("a", "2"), row("b", "i1"), row("b", "3")]);
        let written = journal.written(&[asked("a", "1"), asked("a", "2"), asked("b", "3")]);
        assert_eq!(written, Written { rows: 3, bytes: 3 * row("a", "1").1.len() });
        assert_eq!(journal.events_per_table(), 5.0);
    }
}
