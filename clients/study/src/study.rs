//! The entry point of the page: mounts a screen in the page's document, and unmounts it.

use std::any::Any;

use js_sys::Function;
use leptos::{mount::mount_to, prelude::*};
use texas42_display::{ShownTable, catalogue::Catalogue, words::Language};
use wasm_bindgen::{JsValue, prelude::wasm_bindgen};
use web_sys::HtmlElement;

use crate::{page::Page, replay_screen::Replay, study_screen::StudyScreen};

/// A mounted screen. The page calls [`Study::mount`], and [`Study::unmount`] when the person goes elsewhere.
#[wasm_bindgen]
pub struct Study {
    /// Unmounts the screen when it is dropped.
    handle: Box<dyn Any>,
}

#[wasm_bindgen]
impl Study {
    /// Mounts the screen of a URL fragment in an element, with texts in the language of a code. `log(text)` announces an event, and
    /// `notice(text)` shows a notice for a few seconds.
    ///
    /// # Errors
    /// If the texts cannot be loaded, or if the fragment leads to no screen of this module.
    pub async fn mount(
        place: HtmlElement,
        fragment: String,
        language: String,
        log: Function,
        notice: Function,
    ) -> Result<Study, JsValue> {
        let screen = StudyScreen::read(&fragment).ok_or("no such screen")?;
        let language =
            Language::ALL.iter().copied().find(|known| known.code() == language).unwrap_or(Language::English);
        let catalogue = Catalogue::load(language).await.ok_or("no texts")?;
        let handle = mount_to(place, move || {
            provide_context(Page::new(log, notice));
            provide_context(ShownTable::new(catalogue));
            match screen {
                StudyScreen::Replay(code) => view! { <Replay code/> }.into_any(),
            }
        });
        Ok(Self { handle: Box::new(handle) })
    }

    /// Removes the screen.
    pub fn unmount(self) {
        drop(self.handle);
    }
}
