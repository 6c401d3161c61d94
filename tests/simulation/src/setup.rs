//! Creates tables as hosts do: from a `CREATE_GAME` over a connection or HTTP, or by importing a local game.

use serde_json::json;
use texas42_ai::Strategy;
use texas42_client::Pace;
use texas42_hosting::{
    BotSettings, Creator, DecisionTiming, NewHost, Output, Setup, SetupStep, TableHost, id_for, id_of, import,
};
use texas42_protocol::{ActionMessage, ClientMessage, GameId, RequestId, SecretKey};
use texas42_room::{ConnectionId, StoredEvent};
use texas42_vocab::Action;

use crate::{dice::Dice, report::Report, tables};

/// The connection of the only person in a local game.
const DEVICE: ConnectionId = 1000;

/// A new table that is not stored yet.
pub(crate) struct GeneratedTable {
    pub(crate) table: Box<TableHost>,
    pub(crate) bots: BotSettings,
    /// The key that the creator generated, if any.
    pub(crate) creator_key: Option<SecretKey>,
}

impl GeneratedTable {
    /// Creates a random table. Retries if the configuration is rejected.
    pub(crate) fn any(creator: Creator, dice: &mut Dice, report: &mut Report) -> Self {
        loop {
            let new_table = match creator {
                Creator::Call if dice.once_in(2) => Self::imported(dice, report),
                _ => Self::created(creator, tables::creation(dice), dice, report),
            };
            match new_table {
                Some(new_table) => return new_table,
                None => report.refused_tables += 1,
            }
        }
    }

    /// Creates the table of a `CREATE_GAME`, including the search for its deal.
    pub(crate) fn created(
        creator: Creator,
        message: ClientMessage,
        dice: &mut Dice,
        report: &mut Report,
    ) -> Option<Self> {
        let creator_key = match &message {
            ClientMessage::CreateGame { session_key, .. } => session_key.clone(),
            _ => None,
        };
        let bots = any_bots(dice);
        let new = new_host(id_for(&message, dice.bytes()), creator, bots, dice);
        let table = set_up(new, message, report)?;
        report.tables_by_call += u64::from(creator == Creator::Call);
        Some(Self { table, bots, creator_key })
    }

    /// Imports a local game, and checks that another key cannot.
    fn imported(dice: &mut Dice, report: &mut Report) -> Option<Self> {
        let key = SecretKey::new(dice.bytes());
        let log = local_game_log(&key, dice, report)?;
        let key = if dice.once_in(10) { SecretKey::new(dice.bytes()) } else { key };
        let bots = any_bots(dice);
        let new = new_host(id_of(&key), Creator::Call, bots, dice);
        let table = import(&new, &key, json!({ "log": log }).to_string().as_bytes()).ok()?;
        report.imported_tables += 1;
        Some(Self { table: Box::new(table), bots, creator_key: Some(key) })
    }
}

fn new_host(id: GameId, creator: Creator, bots: BotSettings, dice: &mut Dice) -> NewHost {
    NewHost { now: 0, id, creator, bots, randomness: dice.bytes(), seed: dice.bytes() }
}

fn set_up(new: NewHost, message: ClientMessage, report: &mut Report) -> Option<Box<TableHost>> {
    let mut setup = Setup::new(new, message);
    report.searches += u64::from(setup.is_searching());
    loop {
        match setup.poll() {
            SetupStep::Progress(_) => {}
            SetupStep::Ready(table) => return Some(table),
            SetupStep::Refused(_) => return None,
        }
    }
}

/// The log of a local game of one person and bots, up to a random move.
fn local_game_log(key: &SecretKey, dice: &mut Dice, report: &mut Report) -> Option<Vec<StoredEvent>> {
    let bots =
        BotSettings { pace: Pace::IMMEDIATE, strategy: Strategy::Random, adviser: Strategy::Beginner, worlds: None };
    let new = new_host(id_of(key), Creator::Connection(DEVICE), bots, dice);
    let mut table = set_up(new, tables::local_creation(key, dice), report)?;
    let mut log = Vec::new();
    for number in 0..dice.between(1, 40) {
        settle(&mut table, &mut log);
        if let Some(message) = any_move(&table, number, dice) {
            table.handle_message(0, DEVICE, message);
        }
    }
    settle(&mut table, &mut log);
    Some(log)
}

/// Runs everything that is due and appends the events to the log.
fn settle(table: &mut TableHost, log: &mut Vec<StoredEvent>) {
    table.handle_time(table.wake_at().unwrap_or_default());
    table.think(table.wake_at().unwrap_or_default(), DecisionTiming::Early);
    while let Some(output) = table.poll_output() {
        if let Output::Store { events, .. } = output {
            log.extend(events);
        }
    }
}

/// A random move that the person is offered.
fn any_move(table: &TableHost, number: u64, dice: &mut Dice) -> Option<ClientMessage> {
    let actions: Vec<Action> = table.room().view_for(DEVICE)?.valid_actions.iter().map(|valid| valid.action).collect();
    let action = ActionMessage((!actions.is_empty()).then(|| dice.pick(&actions))?);
    let request_id = RequestId::try_from(format!("d{number}")).ok()?;
    let (game_id, version) = (table.id().clone(), table.room().version());
    Some(ClientMessage::ExecuteAction { game_id, request_id, version, action, intent: None })
}

/// Random settings for the bots.
fn any_bots(dice: &mut Dice) -> BotSettings {
    let pace = dice.pick(&[Pace::IMMEDIATE, Pace { min: 50, max: 400 }, Pace { min: 300, max: 1500 }]);
    let strategy = dice.pick(&[Strategy::Random, Strategy::Random, Strategy::Random, Strategy::Beginner]);
    BotSettings { pace, strategy, adviser: Strategy::Beginner, worlds: None }
}
