//! Type-erased views. Every distinct view type is compiled with its own copy of the code that builds and updates it,
//! and the page has hundreds, so views are erased to a few types.

use std::sync::Arc;

use leptos::prelude::*;

use crate::computed::Computed;

/// Content that can be type-erased: every view of the page is built from a few concrete types.
pub trait ErasedView {
    /// The content as an `AnyView`.
    fn erased(self) -> AnyView;
}

impl ErasedView for AnyView {
    fn erased(self) -> AnyView {
        self
    }
}

impl<T: IntoAny> ErasedView for View<T> {
    fn erased(self) -> AnyView {
        self.into_inner().into_any()
    }
}

impl<T: ErasedView> ErasedView for Option<T> {
    fn erased(self) -> AnyView {
        self.map(ErasedView::erased).into_any()
    }
}

impl<T: ErasedView> ErasedView for Vec<T> {
    fn erased(self) -> AnyView {
        self.into_iter().all_drawn()
    }
}

impl ErasedView for String {
    fn erased(self) -> AnyView {
        self.into_any()
    }
}

impl ErasedView for &'static str {
    fn erased(self) -> AnyView {
        self.into_any()
    }
}

/// Renders an iterator of views.
pub trait AllDrawn: Iterator<Item: ErasedView> + Sized {
    /// Renders all items in order.
    fn all_drawn(self) -> AnyView {
        self.map(ErasedView::erased).collect::<Vec<_>>().into_any()
    }
}

impl<I: Iterator<Item: ErasedView>> AllDrawn for I {}

/// A boxed reactive value: it is recomputed when a signal that it reads changes.
pub fn live<T: 'static>(follow: impl FnMut() -> T + Send + 'static) -> Box<dyn FnMut() -> T + Send> {
    Box::new(follow)
}

/// A reactive view: it is redrawn when a signal that it reads changes.
pub fn drawn<V: ErasedView>(mut draw: impl FnMut() -> V + Send + 'static) -> AnyView {
    live(move || draw().erased()).into_any()
}

/// A view that exists only while a condition holds. It is not redrawn while the condition stays the same.
pub fn when<V: ErasedView>(
    holds: impl Fn() -> bool + Send + Sync + 'static,
    draw: impl Fn() -> V + Send + 'static,
) -> AnyView {
    let holds = Computed::new(holds);
    drawn(move || holds.get().then(|| draw().erased()))
}

/// An item of a keyed list.
pub struct Part(u64, Box<dyn FnOnce() -> AnyView + Send>);

/// Creates an item of a keyed list; it is drawn once per key.
pub fn part<V: ErasedView>(number: u64, draw: impl FnOnce() -> V + Send + 'static) -> Part {
    Part(number, Box::new(move || draw().erased()))
}

/// A view that is replaced by a new element when its key changes, so that animations do not carry over.
pub fn keyed<V: ErasedView>(
    number: impl Fn() -> u64 + Send + Sync + 'static,
    draw: impl Fn() -> V + Send + Sync + 'static,
) -> AnyView {
    let draw: Arc<dyn Fn() -> AnyView + Send + Sync> = Arc::new(move || draw().erased());
    listed(move || {
        let draw = draw.clone();
        vec![part(number(), move || draw())]
    })
}

/// A hash of a text, for use as a key.
pub fn number_of(text: &str) -> u64 {
    text.bytes().fold(0, |number, byte| number.wrapping_mul(31).wrapping_add(byte.into()))
}

/// A keyed list: items with the same key keep their elements. All lists have one type, because the code that compares
/// old and new items is large.
pub fn listed(parts: impl Fn() -> Vec<Part> + Send + Sync + 'static) -> AnyView {
    let parts: Box<dyn Fn() -> Vec<Part> + Send + Sync> = Box::new(parts);
    view! { <For each=parts key=|part| part.0 children=|part| part.1()/> }.into_any()
}
