//! Parts of the page behind one type each: a part of its own type would be compiled with its own copy of the code that
//! builds, watches and changes it, and a page has hundreds.

use std::sync::Arc;

use leptos::prelude::*;

/// Content that can be type-erased: every view of the page is built from a few concrete types.
pub(crate) trait ErasedView {
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

/// Several things one after the other.
pub(crate) trait AllDrawn: Iterator<Item: ErasedView> + Sized {
    /// All of them, drawn.
    fn all_drawn(self) -> AnyView {
        self.map(ErasedView::erased).collect::<Vec<_>>().into_any()
    }
}

impl<I: Iterator<Item: ErasedView>> AllDrawn for I {}

/// Something that follows what it reads.
pub(crate) fn live<T: 'static>(follow: impl FnMut() -> T + Send + 'static) -> Box<dyn FnMut() -> T + Send> {
    Box::new(follow)
}

/// A part of the page that follows what it reads.
pub(crate) fn drawn<V: ErasedView>(mut draw: impl FnMut() -> V + Send + 'static) -> AnyView {
    live(move || draw().erased()).into_any()
}

/// A part that is there only when something holds, and stays as it is while that does not change.
pub(crate) fn when<V: ErasedView>(
    holds: impl Fn() -> bool + Send + Sync + 'static,
    draw: impl Fn() -> V + Send + 'static,
) -> AnyView {
    let holds: Box<dyn Fn() -> bool + Send + Sync> = Box::new(holds);
    let holds = Memo::new(move |_| holds());
    drawn(move || holds.get().then(|| draw().erased()))
}

/// Something in a list, with a number by which it is known.
pub(crate) struct Part(u64, Box<dyn FnOnce() -> AnyView + Send>);

/// A part of a list, drawn when it is new.
pub(crate) fn part<V: ErasedView>(number: u64, draw: impl FnOnce() -> V + Send + 'static) -> Part {
    Part(number, Box::new(move || draw().erased()))
}

/// A part that is drawn anew, as something else in the same place, when its number changes: what was there does not move, it goes.
pub(crate) fn anew<V: ErasedView>(
    number: impl Fn() -> u64 + Send + Sync + 'static,
    draw: impl Fn() -> V + Send + Sync + 'static,
) -> AnyView {
    let draw: Arc<dyn Fn() -> AnyView + Send + Sync> = Arc::new(move || draw().erased());
    listed(move || {
        let draw = draw.clone();
        vec![part(number(), move || draw())]
    })
}

/// A number for a text: another one for nearly every other text.
pub(crate) fn number_of(text: &str) -> u64 {
    text.bytes().fold(0, |number, byte| number.wrapping_mul(31).wrapping_add(byte.into()))
}

/// A list whose parts stay as they are while their numbers are there. All lists are of one type: the code that finds out
/// what came, went and moved is large.
pub(crate) fn listed(parts: impl Fn() -> Vec<Part> + Send + Sync + 'static) -> AnyView {
    let parts: Box<dyn Fn() -> Vec<Part> + Send + Sync> = Box::new(parts);
    view! { <For each=parts key=|part| part.0 children=|part| part.1()/> }.into_any()
}
