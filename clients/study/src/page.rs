//! What a screen of this module asks of the page around it: to announce something, to show a notice, and to go elsewhere.

use js_sys::Function;
use leptos::prelude::*;
use texas42_display::browser;
use wasm_bindgen::JsValue;

/// The page around the screen. A cheap handle that is copied freely.
#[derive(Clone, Copy)]
pub(crate) struct Page {
    log: StoredValue<Function, LocalStorage>,
    notice: StoredValue<Function, LocalStorage>,
}

impl Page {
    /// The page with its functions for the log of events and for notices. Both take a text.
    pub(crate) fn new(log: Function, notice: Function) -> Self {
        Self { log: StoredValue::new_local(log), notice: StoredValue::new_local(notice) }
    }

    /// Adds sentences to the log of events, which screen readers announce.
    pub(crate) fn log(self, sentences: &[String]) {
        sentences.iter().for_each(|sentence| call(self.log, sentence));
    }

    /// Shows a notice for a few seconds.
    pub(crate) fn show_notice(self, text: &str) {
        call(self.notice, text);
    }

    /// Leads to the start page.
    pub(crate) fn go_home(self) {
        browser::go("");
    }
}

fn call(function: StoredValue<Function, LocalStorage>, text: &str) {
    function.with_value(|function| function.call1(&JsValue::NULL, &text.into())).ok();
}

/// The page around the screen, from anywhere in the component tree.
pub(crate) fn page() -> Page {
    expect_context::<Page>()
}
