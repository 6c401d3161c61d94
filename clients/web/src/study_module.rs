//! The study module: the screens that study a game, in a WebAssembly module of their own, which is loaded when a person opens one.
//!
//! The page gives it a place in the document, the address fragment, the language, and two functions: one for the log of events and one for
//! notices. It navigates by changing the fragment.

use std::cell::OnceCell;

use js_sys::{Function, Promise};
use wasm_bindgen::{JsCast, JsValue, closure::Closure, prelude::wasm_bindgen};
use wasm_bindgen_futures::{JsFuture, spawn_local};
use web_sys::HtmlElement;

use crate::{app::App, browser};

#[wasm_bindgen]
extern "C" {
    /// The class `Study` of the study module (`clients/study/src/study.rs`).
    type StudyClass;

    #[wasm_bindgen(method, catch)]
    async fn mount(
        this: &StudyClass,
        place: &HtmlElement,
        fragment: &str,
        language: &str,
        log: &Function,
        notice: &Function,
    ) -> Result<JsValue, JsValue>;

    /// A screen that is mounted.
    type MountedStudy;

    #[wasm_bindgen(method)]
    fn unmount(this: &MountedStudy);
}

thread_local! {
    static LOAD: OnceCell<Function> = const { OnceCell::new() };
}

/// Sets the function that loads the module.
pub(crate) fn provide(load: Function) {
    LOAD.with(|loader| loader.set(load).ok());
}

/// Loads the module in the background, because the person may open one of its screens next. A failure has no effect: the module is loaded
/// again when it is needed.
pub(crate) fn preload() {
    spawn_local(async {
        load().await.ok();
    });
}

async fn load() -> Result<StudyClass, JsValue> {
    let loading = LOAD.with(|load| load.get().map(|load| load.call0(&JsValue::NULL)));
    let promise: Promise = loading.ok_or("the page has no function that loads the module")??.unchecked_into();
    JsFuture::from(promise).await.map(JsCast::unchecked_into)
}

/// An open screen of the module.
pub(crate) struct OpenStudy {
    study: MountedStudy,
    /// The functions that the screen calls.
    _callbacks: [Closure<dyn Fn(String)>; 2],
}

impl OpenStudy {
    /// Loads the module and mounts the screen of a fragment; `None` if that is impossible.
    pub(crate) async fn open(app: App, place: &HtmlElement, fragment: &str) -> Option<Self> {
        let opened = Self::mount(app, place, fragment).await;
        opened.map_err(|error| browser::log_cause("the study module", &error)).ok()
    }

    async fn mount(app: App, place: &HtmlElement, fragment: &str) -> Result<Self, JsValue> {
        let class = load().await?;
        let log = Closure::<dyn Fn(String)>::new(move |text| app.announcements.log(vec![text]));
        let notice = Closure::<dyn Fn(String)>::new(move |text| app.announcements.show_notice(text));
        let function = |closure: &Closure<dyn Fn(String)>| closure.as_ref().unchecked_ref::<Function>().clone();
        let language = app.language().code();
        let study = class.mount(place, fragment, language, &function(&log), &function(&notice)).await?;
        Ok(Self { study: study.unchecked_into(), _callbacks: [log, notice] })
    }

    /// Unmounts the screen.
    pub(crate) fn close(self) {
        self.study.unmount();
    }
}
