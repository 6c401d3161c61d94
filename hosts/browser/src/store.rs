//! The logs of tables in IndexedDB: one row per event, keyed by table id and event number.
//!
//! Rows are only added. If two workers write the same event, the second write fails.

use js_sys::{Array, Function, Promise};
use texas42_protocol::GameId;
use texas42_room::StoredEvent;
use wasm_bindgen::{JsCast, JsValue, closure::Closure};
use wasm_bindgen_futures::JsFuture;
use web_sys::{IdbDatabase, IdbKeyRange, IdbRequest, IdbTransactionMode, WorkerGlobalScope};

const DATABASE: &str = "texas42";
const EVENTS: &str = "events";

/// The database of this browser.
pub(crate) struct Store(IdbDatabase);

impl Store {
    /// Opens the database. A browser may refuse, for example in a private window.
    pub(crate) async fn open() -> Result<Self, JsValue> {
        let scope: WorkerGlobalScope = js_sys::global().unchecked_into();
        let factory = scope.indexed_db()?.ok_or("this browser has no IndexedDB")?;
        let request = factory.open_with_u32(DATABASE, 1)?;
        let opening = request.clone();
        let upgrade = Closure::once(move || -> Result<(), JsValue> {
            let database: IdbDatabase = opening.result()?.unchecked_into();
            database.create_object_store(EVENTS).map(|_| ())
        });
        request.set_onupgradeneeded(Some(upgrade.as_ref().unchecked_ref()));
        let database = result_of(&request).await?.unchecked_into();
        Ok(Self(database))
    }

    /// Adds events, all or none; completes when they are on disk.
    pub(crate) async fn add(&self, game: &GameId, first: u64, events: &[StoredEvent]) -> Result<(), JsValue> {
        let transaction = self.0.transaction_with_str_and_mode(EVENTS, IdbTransactionMode::Readwrite)?;
        let rows = transaction.object_store(EVENTS)?;
        for (number, event) in (first..).zip(events) {
            let event = texas42_protocol::to_json(event);
            rows.add_with_key(&JsValue::from_str(&event), &key(game, number as f64))?;
        }
        let promise = Promise::new(&mut |resolve: Function, reject: Function| {
            transaction.set_oncomplete(Some(&resolve));
            transaction.set_onabort(Some(&reject));
        });
        JsFuture::from(promise).await.map(|_| ())
    }

    /// The log of a table; empty if there is none.
    pub(crate) async fn log(&self, game: &GameId) -> Result<Vec<StoredEvent>, JsValue> {
        let texts = self.texts(game).await?;
        texts.iter().map(|text| texas42_protocol::read(text).map_err(|error| error.to_string().into())).collect()
    }

    /// The log of a table as stored, one JSON text per event.
    pub(crate) async fn texts(&self, game: &GameId) -> Result<Vec<String>, JsValue> {
        let rows = self.0.transaction_with_str(EVENTS)?.object_store(EVENTS)?;
        let range = IdbKeyRange::bound(&key(game, 0.0), &key(game, f64::MAX))?;
        let found: Array = result_of(&rows.get_all_with_key(&range)?).await?.unchecked_into();
        Ok(found.iter().filter_map(|row| row.as_string()).collect())
    }
}

fn key(game: &GameId, number: f64) -> JsValue {
    Array::of2(&game.as_str().into(), &number.into()).into()
}

/// Waits for the result of a request.
async fn result_of(request: &IdbRequest) -> Result<JsValue, JsValue> {
    let promise = Promise::new(&mut |resolve: Function, reject: Function| {
        request.set_onsuccess(Some(&resolve));
        request.set_onerror(Some(&reject));
    });
    JsFuture::from(promise).await?;
    request.result()
}
