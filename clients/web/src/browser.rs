//! Browser APIs: storage, time, random numbers, requests to the server, and those that all modules of the page share.

use leptos::prelude::{document, window};
use texas42_display::browser::fetch_text;
pub(crate) use texas42_display::browser::{
    address, dispatch, focus, focus_later, focused, fragment, has_lost_focus, is_dialog_open, is_writing, log_cause,
    log_error, set_fragment,
};
use texas42_protocol::{Entropy, GameId, SecretKey};
use texas42_vocab::Date;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{Headers, HtmlElement, RequestInit};

use crate::{hot_seat_players::HotSeatPlayers, storage::Storage, tickets::Tickets, witnesses::Witnesses};

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

/// The width of the window in pixels.
pub(crate) fn width() -> f64 {
    window().inner_width().ok().and_then(|width| width.as_f64()).unwrap_or(0.0)
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
