//! The Durable Object of a code or a network: it stores a [`CodeEntry`] and deletes it with an alarm.

use futures_util::future::try_join;
use worker::{
    DurableObject, Env, Headers, Response, Result, ScheduledTime, SqlStorageValue, State, durable_object,
    web_sys::RequestInit,
};

use crate::{
    codes::{CodeAnswer, CodeEntry, CodeRequest},
    front::request,
    object::{js_date, now},
};

/// The header that carries a [`CodeRequest`] as JSON. Clients cannot reach these objects.
const HEADER: &str = "x-texas42-code";

/// The object of a code or a network.
#[durable_object]
pub struct Code {
    state: State,
}

impl DurableObject for Code {
    fn new(state: State, _: Env) -> Self {
        Self { state }
    }

    async fn fetch(&self, req: worker::Request) -> Result<Response> {
        let header = req.headers().get(HEADER)?.unwrap_or_default();
        let Ok(request) = serde_json::from_str::<CodeRequest>(&header) else { return Response::error("", 400) };
        let stored = self.read()?;
        let (answer, entry) = CodeEntry::handle(stored.clone(), now(), request);
        if entry != stored {
            self.write(entry).await?;
        }
        Response::ok(serde_json::to_string(&answer)?)
    }

    async fn alarm(&self) -> Result<Response> {
        let entry = self.read()?.filter(|entry| entry.until > now());
        self.write(entry).await?;
        Response::empty()
    }
}

impl Code {
    fn read(&self) -> Result<Option<CodeEntry>> {
        let sql = self.state.storage().sql();
        sql.exec("CREATE TABLE IF NOT EXISTS entry (text TEXT)", None)?;
        for row in sql.exec("SELECT text FROM entry", None)?.raw() {
            if let Some(SqlStorageValue::String(text)) = row?.into_iter().next() {
                return Ok(serde_json::from_str(&text).ok());
            }
        }
        Ok(None)
    }

    /// Stores the entry until its time is over. There is no `await` between reading and writing it, and both deletions
    /// start before anything else can happen to this object.
    async fn write(&self, entry: Option<CodeEntry>) -> Result<()> {
        let storage = self.state.storage();
        let Some(entry) = entry else {
            return try_join(storage.delete_alarm(), storage.delete_all()).await.map(drop);
        };
        storage.sql().exec("DELETE FROM entry", None)?;
        storage.sql().exec("INSERT INTO entry VALUES (?)", Some(vec![serde_json::to_string(&entry)?.into()]))?;
        storage.set_alarm(ScheduledTime::new(js_date(entry.until.max(now() + 1)))).await
    }
}

/// Asks the object with this name.
pub(crate) async fn ask(env: &Env, name: &str, question: &CodeRequest) -> Result<CodeAnswer> {
    let headers = Headers::new();
    headers.set(HEADER, &serde_json::to_string(question)?)?;
    let stub = env.durable_object("CODES")?.get_by_name(name)?;
    let mut response = stub.fetch_with_request(request("/", &headers, &RequestInit::new())?).await?;
    Ok(serde_json::from_str(&response.text().await?)?)
}
