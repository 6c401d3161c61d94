//! What lies over the table: the keys, the question whether to leave, the links.

use ratatui::{
    Frame,
    layout::{Constraint, Flex, Layout, Rect},
    text::{Line, Span},
    widgets::{Block, Clear, Paragraph},
};

use super::{Look, wrapped};
use crate::tui::{
    keys::HELP,
    model::{Overlay, TableModel},
};

pub(super) fn draw(frame: &mut Frame<'_>, model: &TableModel, look: Look) {
    let Some(overlay) = model.overlay else { return };
    let (title, lines) = match overlay {
        Overlay::Help => ("Keys (any key closes this)", help(frame.area().width)),
        Overlay::Leave => ("Leave the table?", leave(model)),
        Overlay::Links => ("Links (any key closes this)", links(model)),
    };
    let width = frame.area().width.min(66);
    let lines = wrapped(&lines, width.saturating_sub(2));
    let area = centred(frame.area(), width, u16::try_from(lines.len() + 2).unwrap_or(u16::MAX));
    let block = Block::bordered().title(Span::styled(format!(" {title} "), look.strong()));
    let lines: Vec<Line<'_>> = lines.into_iter().map(Line::raw).collect();
    frame.render_widget(Clear, area);
    frame.render_widget(Paragraph::new(lines).block(block), area);
}

fn centred(area: Rect, width: u16, height: u16) -> Rect {
    let [area] = Layout::vertical([Constraint::Length(height)]).flex(Flex::Center).areas(area);
    let [area] = Layout::horizontal([Constraint::Length(width)]).flex(Flex::Center).areas(area);
    area
}

fn help(width: u16) -> Vec<String> {
    let column = if width < super::AROUND { 0 } else { 14 };
    HELP.iter().map(|(key, what)| format!("{key:<column$} {what}")).collect()
}

fn leave(model: &TableModel) -> Vec<String> {
    if model.is_offline {
        return vec!["Your game is saved.".into(), "Enter: quit".into(), "Esc: stay".into()];
    }
    if model.seat.is_none() {
        return vec!["Enter: quit".into(), "Esc: stay".into()];
    }
    vec!["Enter: quit, and keep the seat".into(), "l: give the seat up".into(), "Esc: stay".into()]
}

fn links(model: &TableModel) -> Vec<String> {
    if model.links.is_empty() {
        return vec!["No links yet; i invites a player.".to_owned()];
    }
    model.links.iter().flat_map(|(what, link)| [format!("{what}:"), link.clone()]).collect()
}
