//! Browser APIs that every module of the page needs: the address, the focus, and the files of this version of the page.

use std::time::Duration;

use leptos::prelude::{document, set_timeout, window};
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{AbortSignal, History, HtmlElement, RequestInit, Response};

/// Timeout for requests to the server, in milliseconds.
const REQUEST_TIMEOUT: u32 = 15_000;

/// Dispatches an event to the window.
pub fn dispatch(name: &str) {
    if let Ok(event) = web_sys::Event::new(name) {
        window().dispatch_event(&event).ok();
    }
}

/// The URL without query and fragment.
pub fn address() -> String {
    let location = window().location();
    format!("{}{}", location.origin().unwrap_or_default(), location.pathname().unwrap_or_default())
}

/// The URL fragment, without the `#`.
pub fn fragment() -> String {
    window().location().hash().unwrap_or_default().trim_start_matches('#').to_owned()
}

/// Sets the fragment. Only steps to or from the start page add a history entry: Back leads from everything to the start
/// page, and a form or link that has led to a table is not a place to return to.
pub fn set_fragment(text: &str) {
    let before = fragment();
    if before != text {
        let is_step = before.is_empty() || text.is_empty();
        write_fragment(text, if is_step { History::push_state_with_url } else { History::replace_state_with_url });
    }
}

/// Leads the page to a fragment, as a link would.
pub fn go(fragment: &str) {
    set_fragment(fragment);
    dispatch("hashchange");
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

/// Logs an error to the console.
pub fn log_error(text: &str) {
    web_sys::console::error_1(&text.into());
}

/// Logs what could not be loaded or called, and why, to the console.
pub fn log_cause(text: &str, cause: &JsValue) {
    web_sys::console::error_2(&text.into(), cause);
}

/// The element that has the focus.
pub fn focused() -> Option<HtmlElement> {
    document().active_element()?.dyn_into().ok()
}

/// Whether a dialog is open that keeps the person from the table.
pub fn is_dialog_open() -> bool {
    document().query_selector("dialog[open]:not(.tray)").is_ok_and(|dialog| dialog.is_some())
}

/// Whether the focused element uses keys itself, such as an input or a list.
pub fn is_writing() -> bool {
    focused().is_some_and(|element| match element.tag_name().as_str() {
        "INPUT" => element.get_attribute("type").as_deref() != Some("checkbox"),
        name => matches!(name, "SELECT" | "TEXTAREA"),
    })
}

/// Moves the focus to the first element that matches a selector.
pub fn focus(selector: &str) {
    if let Ok(Some(element)) = document().query_selector(selector)
        && let Ok(element) = element.dyn_into::<HtmlElement>()
    {
        element.focus().ok();
    }
}

/// Moves the focus to the first element that matches, after the page has been redrawn.
pub fn focus_later(selector: &'static str) {
    set_timeout(move || focus(selector), Duration::ZERO);
}

/// Whether the focused element has disappeared.
pub fn has_lost_focus() -> bool {
    focused().is_none_or(|element| element.tag_name() == "BODY")
}

/// Loads a file of this version of the page; `None` on failure.
pub async fn load_file(name: &str) -> Option<String> {
    fetch_text(&file_url(name), &RequestInit::new()).await.ok()
}

/// The URL of a file of this version of the page. It includes the hash of the build, so the page contains it, as the URL
/// of the worker's script.
pub fn file_url(name: &str) -> String {
    let link = document().query_selector("link[data-worker]").ok().flatten();
    let worker = link.and_then(|link| link.get_attribute("href")).unwrap_or_default();
    worker.replace("worker.js", name)
}

/// Sends a request and returns the response body of any status.
///
/// # Errors
/// If there is no response in time.
pub async fn fetch_text(url: &str, request: &RequestInit) -> Result<String, JsValue> {
    request.set_signal(Some(&AbortSignal::timeout_with_u32(REQUEST_TIMEOUT)));
    let fetching = window().fetch_with_str_and_init(url, request);
    let response: Response = JsFuture::from(fetching).await?.unchecked_into();
    JsFuture::from(response.text()?).await?.as_string().ok_or_else(|| "no text".into())
}
