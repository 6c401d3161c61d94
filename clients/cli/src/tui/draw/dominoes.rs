//! Dominoes: a hand as boxes or as text, and a domino on the table.

use ratatui::{
    style::Style,
    text::{Line, Span},
};
use texas42_vocab::Domino;

use super::Look;
use crate::tui::model::TableModel;

/// How a domino of the hand is drawn.
struct Piece {
    high: String,
    low: String,
    /// The text under it: its number among the choices, or `x` if it may not be played.
    mark: String,
    is_selected: bool,
    style: Style,
}

/// A domino on the table.
pub(super) fn on_table(domino: Domino) -> String {
    format!("[{}]", domino.to_string().replace('-', "|"))
}

/// The hand of the seat at the bottom, as lines.
pub(super) fn hand(model: &TableModel, width: u16, as_boxes: bool, look: Look) -> Vec<Line<'static>> {
    let pieces: Vec<Piece> = model.hand(model.bottom()).into_iter().map(|domino| piece(model, domino, look)).collect();
    if pieces.is_empty() {
        return Vec::new();
    }
    let gap = if 6 * pieces.len() <= width.into() { " " } else { "" };
    if as_boxes { boxes(&pieces, gap) } else { text(&pieces) }
}

fn piece(model: &TableModel, domino: Domino, look: Look) -> Piece {
    let text = domino.to_string();
    let (high, low) = text.split_once('-').unwrap_or((&text, ""));
    let play = model.play_of(domino);
    let is_selected = play.is_some() && play == model.selected;
    let is_blocked =
        model.view.as_ref().is_some_and(|view| view.derived.blocked.iter().any(|blocked| blocked.domino == domino));
    let mark = match play {
        Some(number) => (number + 1).to_string(),
        None if is_blocked => "x".to_owned(),
        None => " ".to_owned(),
    };
    let style = match (is_selected, is_blocked) {
        (true, _) => look.selected(),
        (_, true) => look.quiet(),
        _ => Style::new(),
    };
    Piece { high: high.to_owned(), low: low.to_owned(), mark, is_selected, style }
}

fn boxes(pieces: &[Piece], gap: &'static str) -> Vec<Line<'static>> {
    let row = |draw: &dyn Fn(&Piece) -> String| {
        let spans = pieces.iter().enumerate().flat_map(|(number, piece)| {
            let space = if number > 0 { gap } else { "" };
            [Span::raw(space), Span::styled(draw(piece), piece.style)]
        });
        Line::from(spans.collect::<Vec<_>>())
    };
    // A double border marks the domino under the cursor.
    let either = |piece: &Piece, chosen: &'static str, other: &'static str| match piece.is_selected {
        true => chosen.to_owned(),
        false => other.to_owned(),
    };
    vec![
        row(&|piece| either(piece, "╔═══╗", "┌───┐")),
        row(&|piece| format!("{0} {1} {0}", either(piece, "║", "│"), piece.high)),
        row(&|piece| either(piece, "╟───╢", "├───┤")),
        row(&|piece| format!("{0} {1} {0}", either(piece, "║", "│"), piece.low)),
        row(&|piece| either(piece, "╚═══╝", "└───┘")),
        row(&|piece| if piece.is_selected { format!(" [{}] ", piece.mark) } else { format!("  {}  ", piece.mark) }),
    ]
}

fn text(pieces: &[Piece]) -> Vec<Line<'static>> {
    let span = |piece: &Piece| {
        let Piece { high, low, is_selected, .. } = piece;
        let text = if *is_selected { format!("[{high}-{low}]") } else { format!(" {high}-{low} ") };
        Span::styled(text, piece.style)
    };
    vec![Line::from(pieces.iter().map(span).collect::<Vec<_>>())]
}
