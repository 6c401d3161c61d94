//! Tests that the server opens a journal written by an earlier version: every table is restored unchanged, play continues,
//! and a restart loses nothing.
//!
//! The journal was written once, by the version named in the README next to it, and never changes.

#![allow(clippy::unwrap_used, reason = "a failing test should panic where it fails")]

mod make;

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

use serde::{Deserialize, Serialize};
use texas42_client::Ticket;
use texas42_conformance::{
    Host,
    native::Native,
    player::{Player, catch_up, play_until},
    scratch::Scratch,
};
use texas42_protocol::{Intent, Name, SecretKey};
use texas42_server::serve::file_in;
use texas42_vocab::{Control, Domino, Hand, Phase, Seat, Team, Trump};

/// The tables of a journal by name.
type StoredTables = BTreeMap<String, StoredTable>;

/// The keys of a table, and its expected state.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct StoredTable {
    sessions: Vec<Session>,
    /// The key of an open invite.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    invite: Option<SecretKey>,
}

/// A session at a table, and what it saw last.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Session {
    ticket: Ticket,
    facts: Facts,
}

/// What a session sees of its table. The format of views may change between versions; this one must not.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Facts {
    version: u64,
    phase: Phase,
    to_act: Option<Seat>,
    seat: Option<Seat>,
    hand: Hand,
    hand_counts: [u8; 4],
    calls: Vec<String>,
    trump: Option<Trump>,
    trick: Vec<(Seat, Domino)>,
    tricks_taken: [u8; 2],
    points: [u8; 2],
    agreed: Vec<Seat>,
    ready: Vec<Seat>,
    score: [u16; 2],
    hand_number: u32,
    game_number: u32,
    winner: Option<Team>,
    names: Vec<(Option<Seat>, Name)>,
}

impl Facts {
    fn of(player: &Player) -> Self {
        let (view, seat) = (player.view(), player.client.seat());
        let state = &view.state;
        let call = |player: Seat, bid: Option<String>| format!("{player} {}", bid.as_deref().unwrap_or("pass"));
        Self {
            version: player.version(),
            phase: state.phase,
            to_act: view.derived.to_act,
            seat,
            hand: seat.map_or(Hand::EMPTY, |seat| state.players[seat.index()].hand),
            hand_counts: [0, 1, 2, 3].map(|seat| state.players[seat].hand_count),
            calls: state.auction.iter().map(|made| call(made.player, made.bid.map(|bid| bid.to_string()))).collect(),
            trump: state.contract.as_ref().and_then(|contract| contract.trump),
            trick: state.trick.iter().flat_map(|trick| &trick.plays).map(|play| (play.player, play.domino)).collect(),
            tricks_taken: state.tricks_taken,
            points: state.points,
            agreed: state.agreed.clone(),
            ready: view.metadata.ready.clone(),
            score: state.score,
            hand_number: state.hand_number,
            game_number: view.metadata.game_number,
            winner: view.derived.winner,
            names: view.players.iter().map(|player| (player.player_index, player.name.clone())).collect(),
        }
    }
}

fn path(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/compatibility").join(name)
}

fn expected() -> StoredTables {
    serde_json::from_str(&std::fs::read_to_string(path("expected.json")).unwrap()).unwrap()
}

fn copy_journal(folder: &Path) {
    std::fs::copy(path("journal.sqlite"), file_in(folder)).unwrap();
}

/// A server on a copy of the journal.
fn server() -> Native {
    Native::with(|settings| copy_journal(&settings.data))
}

/// Rejoins every session of a table and checks that each finds it as it left it.
fn rejoin(host: &mut Native, name: &str, table: StoredTable) -> Vec<Player> {
    let found = |Session { ticket, facts }| {
        let player = Player::resume(host, ticket);
        assert!(player.client.is_joined(), "{name}: {:?}", player.client.over());
        assert_eq!(Facts::of(&player), facts, "{name}");
        player
    };
    let mut players: Vec<Player> = table.sessions.into_iter().map(found).collect();
    if let Some(key) = table.invite {
        players.push(Player::join(host, &players[0].game(), Some(key), "Bob"));
    }
    players
}

/// Plays some moves, until the table waits for a person again.
fn play_on(players: &mut [&mut Player]) {
    if players[0].view().state.phase == Phase::Setup {
        players.last_mut().unwrap().declare_ready();
    }
    if players[0].is_over() {
        play_again(players[0]);
    }
    catch_up(players);
    let version = players[0].version() + 4;
    play_until(players, |players| players[0].is_over() || players[0].version() >= version && is_at_rest(players));
    catch_up(players);
}

/// Takes Ann's seat back from the bot and starts another game.
fn play_again(ann: &mut Player) {
    let seat = ann.seat();
    ann.set_control(seat, Control::Human);
    ann.client.rematch(0, None).unwrap();
    ann.wait("another game", |ann| ann.view().metadata.game_number == 1);
}

/// Whether the table waits for one of these people, as all of them have seen: then nothing happens before that person acts.
fn is_at_rest(players: &[&mut Player]) -> bool {
    let (version, to_act) = (players[0].version(), players[0].view().derived.to_act);
    let is_asked = |player: &&mut Player| player.choice().is_some() && player.client.seat() == to_act;
    to_act.is_some() && players.iter().all(|player| player.version() == version) && players.iter().any(is_asked)
}

#[test]
fn stored_tables_are_restored_played_on_and_survive_a_restart() {
    let mut host = server();
    let mut tables = Vec::new();
    for (name, table) in expected() {
        let mut players = rejoin(&mut host, &name, table);
        play_on(&mut players.iter_mut().collect::<Vec<_>>());
        let left: Vec<Facts> = players.iter().map(Facts::of).collect();
        tables.push((name, players, left));
    }
    host.restart();
    for (name, mut players, left) in tables {
        players.iter_mut().for_each(|player| player.reconnect(&mut host));
        assert_eq!(players.iter().map(Facts::of).collect::<Vec<_>>(), left, "{name}");
        play_until(&mut players.iter_mut().collect::<Vec<_>>(), |players| players[0].is_over());
        assert!(players[0].view().derived.winner.is_some(), "{name}");
    }
}

/// Bots of 0.1.0 stored their reasons as sentences, which are shown unchanged.
#[test]
fn stored_reasons_of_bots_are_still_shown() {
    let mut host = server();
    let eve = expected().remove("mid-trick").unwrap().sessions.pop().unwrap();
    let eve = Player::resume(&mut host, eve.ticket);
    let said = eve.view().derived.intents.iter().find(|view| view.player == Seat::ALL[2]).map(|view| &view.intent);
    let sentence = "1-1 walks unless somebody trumps it; made 100 % of the time, like the next.";
    assert_eq!(said, Some(&Intent::try_from(sentence).unwrap()));
}

/// The journal must contain every kind of event that this test covers.
#[test]
fn the_journal_contains_every_kind_of_event() {
    let copy = Scratch::new();
    copy_journal(copy.path());
    let journal = rusqlite::Connection::open(file_in(copy.path())).unwrap();
    let tables: i64 = journal.query_row("SELECT count(*) FROM games", [], |row| row.get(0)).unwrap();
    assert_eq!(tables, expected().len() as i64, "each table is listed");
    let events: String = journal.query_row("SELECT group_concat(events) FROM log", [], |row| row.get(0)).unwrap();
    let kinds =
        ["created", "invited", "revoked", "joined", "left", "ready", "started", "acted", "undo-asked", "rematch"];
    for kind in kinds.into_iter().chain(["undo", "set-control"]) {
        assert!(events.contains(&format!(r#"{{"type":"{kind}""#)), "{kind}");
    }
}
