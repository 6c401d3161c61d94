//! Browser APIs: storage, time, random numbers, location, focus, fetch.

use std::time::Duration;

use leptos::prelude::{document, set_timeout, window};
use texas42_protocol::{Entropy, GameId, SecretKey};
use texas42_vocab::Date;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{AbortSignal, Headers, History, HtmlElement, RequestInit, Response};

use crate::{hot_seat_players::HotSeatPlayers, storage::Storage, tickets::Tickets, witnesses::Witnesses};

/// Timeout for requests to the server, in milliseconds.
const REQUEST_TIMEOUT: u32 = 15_000;

/// The tickets in the local storage of this browser.
pub(crate) const TICKETS: Tickets<LocalStorage> = Tickets(LocalStorage);
/// The witnesses in the local storage of this browser.
pub(crate) const WITNESSES: Witnesses<LocalStorage> = Witnesses(LocalStorage);

/// The people who play on this device, in the local storage of this browser.
pub(crate) const HOT_SEAT_PLAYERS: HotSeatPlayers<LocalStorage> = HotSeatPlayers(LocalStorage);

/// The local storage of this browser.
pub(crate) struct LocalStorage;

impl Storage for LocalStorage {
    fn get(&self, name: &str) -> Option<String> {
        load(name)
    }

    fn set(&self, name: &str, text: &str) {
        store(name, text);
    }

    fn remove(&self, name: &str) {
        forget(name);
    }
}

/// Reads a value from local storage.
pub(crate) fn load(name: &str) -> Option<String> {
    storage()?.get_item(&format!("texas42.{name}")).ok()?
}

/// Stores a value, if the browser allows it.
pub(crate) fn store(name: &str, text: &str) {
    if let Some(storage) = storage() {
        storage.set_item(&format!("texas42.{name}"), text).ok();
        notify_boot_script(name);
    }
}

/// Removes a value.
pub(crate) fn forget(name: &str) {
    if let Some(storage) = storage() {
        storage.remove_item(&format!("texas42.{name}")).ok();
        notify_boot_script(name);
    }
}

/// The boot script keeps a second copy of the ticket to this browser's game, next to its log in IndexedDB.
fn notify_boot_script(name: &str) {
    if name == "offline" {
        dispatch("texas42-ticket");
    }
}

/// Has the boot script delete the log of a game.
pub(crate) fn forget_log(game: &GameId) {
    set_root("data-forget", game.as_str());
    dispatch("texas42-forget");
}

/// Whether the device has a dialog to share a link, as the boot script has found out.
pub(crate) fn can_share() -> bool {
    document().document_element().is_some_and(|root| root.has_attribute("data-share"))
}

/// Opens the device's dialog to share a link.
pub(crate) fn share(url: &str) {
    set_root("data-link", url);
    dispatch("texas42-share");
}

/// Dispatches an event to the boot script.
pub(crate) fn dispatch(name: &str) {
    if let Ok(event) = web_sys::Event::new(name) {
        window().dispatch_event(&event).ok();
    }
}

fn storage() -> Option<web_sys::Storage> {
    window().local_storage().ok()?
}

/// Milliseconds since the Unix epoch.
pub(crate) fn now() -> u64 {
    js_sys::Date::now() as u64
}

/// Today's date in the local time zone.
pub(crate) fn today() -> Date {
    let date = js_sys::Date::new_0();
    Date::new(date.get_full_year() as u16, date.get_month() as u8 + 1, date.get_date() as u8)
        .or_else(|| Date::new(2026, 1, 1))
        .expect("January 1 is a valid date")
}

/// Random bytes.
pub(crate) fn random<const N: usize>() -> [u8; N] {
    let mut bytes = [0; N];
    let crypto = window().crypto().expect("every browser with WebAssembly has `crypto`");
    crypto.get_random_values_with_u8_array(&mut bytes).expect("a few bytes are within the limit");
    bytes
}

/// The person's contribution to the randomness of the deals, so that no server can choose them.
pub(crate) fn entropy() -> Option<Entropy> {
    Entropy::try_from(format!("{:032x}", u128::from_le_bytes(random()))).ok()
}

thread_local! {
    /// Cached, because every text needs it. `?lang=` in the URL overrides the browser's language and can select the
    /// pseudo-locale for tests.
    static LANGUAGE: String = language_in_address().or_else(|| window().navigator().language()).unwrap_or_default();
}

fn language_in_address() -> Option<String> {
    let search = window().location().search().ok()?;
    let mut pairs = search.trim_start_matches('?').split('&');
    pairs.find_map(|pair| pair.strip_prefix("lang=")).map(str::to_owned)
}

/// Reads the preferred language of the browser.
pub(crate) fn with_language<T>(ask: impl FnOnce(&str) -> T) -> T {
    LANGUAGE.with(|language| ask(language))
}

/// The URL without query and fragment.
pub(crate) fn address() -> String {
    let location = window().location();
    format!("{}{}", location.origin().unwrap_or_default(), location.pathname().unwrap_or_default())
}

/// The URL fragment, without the `#`.
pub(crate) fn fragment() -> String {
    window().location().hash().unwrap_or_default().trim_start_matches('#').to_owned()
}

/// Sets the fragment. Only steps to or from the start page add a history entry: Back leads from everything to the start
/// page, and a form or link that has led to a table is not a place to return to.
pub(crate) fn set_fragment(text: &str) {
    let before = fragment();
    if before != text {
        let is_step = before.is_empty() || text.is_empty();
        write_fragment(text, if is_step { History::push_state_with_url } else { History::replace_state_with_url });
    }
}

type Write = fn(&History, &JsValue, &str, Option<&str>) -> Result<(), JsValue>;

fn write_fragment(text: &str, write: Write) {
    // Keep the query, so that a reload uses the same language.
    let search = window().location().search().unwrap_or_default();
    let fragment = if text.is_empty() { String::new() } else { format!("#{text}") };
    let address = format!("{}{search}{fragment}", address());
    if let Ok(history) = window().history() {
        write(&history, &JsValue::NULL, "", Some(&address)).ok();
    }
}

/// The width of the window in pixels.
pub(crate) fn width() -> f64 {
    window().inner_width().ok().and_then(|width| width.as_f64()).unwrap_or(0.0)
}

/// Logs an error to the console.
pub(crate) fn log_error(text: &str) {
    web_sys::console::error_1(&text.into());
}

/// Copies a text to the clipboard.
pub(crate) fn copy(text: &str) {
    // If that is not allowed, the text is on the screen and can be selected.
    let _ = window().navigator().clipboard().write_text(text);
}

/// Downloads a text as a file.
pub(crate) fn download(name: &str, json: &str) {
    let Ok(link) = document().create_element("a") else { return };
    let content = format!("data:application/json,{}", String::from(js_sys::encode_uri_component(json)));
    link.set_attribute("href", &content).ok();
    link.set_attribute("download", name).ok();
    if let Ok(link) = link.dyn_into::<HtmlElement>() {
        link.click();
    }
}

/// Sets an attribute of the root element, for the style sheet.
pub(crate) fn set_root(name: &str, value: &str) {
    if let Some(root) = document().document_element() {
        root.set_attribute(name, value).ok();
    }
}

/// Sets the document title.
pub(crate) fn set_title(title: &str) {
    document().set_title(title);
}

/// The element that has the focus.
pub(crate) fn focused() -> Option<HtmlElement> {
    document().active_element()?.dyn_into().ok()
}

/// Whether a dialog is open that keeps the person from the table.
pub(crate) fn is_dialog_open() -> bool {
    document().query_selector("dialog[open]:not(.tray)").is_ok_and(|dialog| dialog.is_some())
}

/// Whether the focused element uses keys itself, such as an input or a list.
pub(crate) fn is_writing() -> bool {
    focused().is_some_and(|element| match element.tag_name().as_str() {
        "INPUT" => element.get_attribute("type").as_deref() != Some("checkbox"),
        name => matches!(name, "SELECT" | "TEXTAREA"),
    })
}

/// Moves the focus to the first element that matches a selector.
pub(crate) fn focus(selector: &str) {
    if let Ok(Some(element)) = document().query_selector(selector)
        && let Ok(element) = element.dyn_into::<HtmlElement>()
    {
        element.focus().ok();
    }
}

/// Moves the focus to the first element that matches, after the page has been redrawn.
pub(crate) fn focus_later(selector: &'static str) {
    set_timeout(move || focus(selector), Duration::ZERO);
}

/// Whether the focused element has disappeared.
pub(crate) fn has_lost_focus() -> bool {
    focused().is_none_or(|element| element.tag_name() == "BODY")
}

/// Pretty-prints JSON with the browser's own formatter.
pub(crate) fn pretty(json: &str) -> Option<String> {
    let value = js_sys::JSON::parse(json).ok()?;
    let text = js_sys::JSON::stringify_with_replacer_and_space(&value, &wasm_bindgen::JsValue::NULL, &2.into()).ok()?;
    Some(text.into())
}

/// Sends a GET, or with a body a POST, to the server and returns the response body of any status; `None` on failure.
pub(crate) async fn ask_server(key: Option<&SecretKey>, path: &str, body: Option<&str>) -> Option<String> {
    let request = request(key, body).ok()?;
    fetch_text(&format!("{}{path}", address()), &request).await.ok()
}

/// Sends a GET without a key to the server and returns the response body of any status; `None` on failure.
pub(crate) async fn ask_openly(path: &str) -> Option<String> {
    fetch_text(&format!("{}{path}", address()), &RequestInit::new()).await.ok()
}

/// Loads a file of this version of the page; `None` on failure.
pub(crate) async fn load_file(name: &str) -> Option<String> {
    fetch_text(&file_url(name), &RequestInit::new()).await.ok()
}

/// The URL of a file of this version of the page. It includes the hash of the build, so the page contains it, as the URL
/// of the worker's script.
pub(crate) fn file_url(name: &str) -> String {
    let link = document().query_selector("link[data-worker]").ok().flatten();
    let worker = link.and_then(|link| link.get_attribute("href")).unwrap_or_default();
    worker.replace("worker.js", name)
}

fn request(key: Option<&SecretKey>, body: Option<&str>) -> Result<RequestInit, JsValue> {
    let headers = Headers::new()?;
    if let Some(key) = key {
        headers.set("authorization", &format!("Bearer {}", String::from(key.clone())))?;
    }
    let request = RequestInit::new();
    if let Some(body) = body {
        headers.set("content-type", "application/json")?;
        request.set_method("POST");
        request.set_body(&body.into());
    }
    request.set_headers(&headers);
    Ok(request)
}

async fn fetch_text(url: &str, request: &RequestInit) -> Result<String, JsValue> {
    request.set_signal(Some(&AbortSignal::timeout_with_u32(REQUEST_TIMEOUT)));
    let fetching = window().fetch_with_str_and_init(url, request);
    let response: Response = JsFuture::from(fetching).await?.unchecked_into();
    JsFuture::from(response.text()?).await?.as_string().ok_or_else(|| "no text".into())
}
