//! Dominoes as elements, and the icons of buttons.

use leptos::prelude::*;
use texas42_vocab::Domino;

use crate::{
    domino::{back, face},
    words::{Words, fill},
};

/// A domino, face up.
#[component]
pub fn Tile(
    /// The domino.
    domino: Domino,
) -> impl IntoView {
    view! { <svg class="domino" viewBox="0 0 100 200" aria-hidden="true" inner_html=face(domino)></svg> }
}

/// A domino, face down.
#[component]
pub fn Back() -> impl IntoView {
    view! { <svg class="domino" viewBox="0 0 100 200" aria-hidden="true" inner_html=back()></svg> }
}

/// The picture of a button.
#[component]
pub fn Icon(
    /// The strokes, as an SVG path.
    path: &'static str,
) -> impl IntoView {
    view! { <svg class="glyph" viewBox="0 0 24 24" aria-hidden="true"><path d=path/></svg> }
}

/// The parts of the accessible label of a domino in a hand: the domino, and what it counts.
pub fn domino_label(domino: Domino, words: &Words) -> Vec<String> {
    let count = (domino.count() > 0).then(|| fill(words.domino_count, &[&domino.count().to_string()]));
    [words.domino_text(domino)].into_iter().chain(count).collect()
}

/// What a domino counts, drawn on it.
pub fn worth(domino: Domino) -> Option<AnyView> {
    let count = domino.count();
    (count > 0).then(|| view! { <i class="worth" aria-hidden="true">{count.to_string()}</i> }.into_any())
}
