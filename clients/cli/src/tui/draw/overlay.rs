//! The overlays: the keys, the question whether to quit, the invite links, and the phrases to say.

use ratatui::{
    Frame,
    layout::{Constraint, Flex, Layout, Rect},
    text::{Line, Span},
    widgets::{Block, Clear, Paragraph},
};
use texas42_phrases::Phrase;
use texas42_vocab::Domino;

use super::{Look, wrapped};
use crate::{
    invites::MadeLink,
    tui::{
        keys::{HELP, LETTERS},
        model::{Overlay, TableModel, words},
    },
};

pub(super) fn draw(frame: &mut Frame<'_>, model: &TableModel, look: Look) {
    let Some(overlay) = model.overlay else { return };
    let (title, lines) = match overlay {
        Overlay::Help => ("Keys (any key closes this)", help(frame.area().width)),
        Overlay::Quit => ("Quit?", ways_to_quit(model)),
        Overlay::Links => ("Links (any other key closes this)", links(model)),
        Overlay::Say => ("Say something (another key closes this)", sayings(model)),
    };
    let width = frame.area().width.min(66);
    let lines = wrapped(&lines, width.saturating_sub(2));
    let area = centered(frame.area(), width, u16::try_from(lines.len() + 2).unwrap_or(u16::MAX));
    let block = Block::bordered().title(Span::styled(format!(" {title} "), look.strong()));
    let lines: Vec<Line<'_>> = lines.into_iter().map(Line::raw).collect();
    frame.render_widget(Clear, area);
    frame.render_widget(Paragraph::new(lines).block(block), area);
}

fn centered(area: Rect, width: u16, height: u16) -> Rect {
    let [area] = Layout::vertical([Constraint::Length(height)]).flex(Flex::Center).areas(area);
    let [area] = Layout::horizontal([Constraint::Length(width)]).flex(Flex::Center).areas(area);
    area
}

fn help(width: u16) -> Vec<String> {
    let column = if width < super::MIN_COLUMNS_AROUND { 0 } else { 14 };
    HELP.iter().map(|(key, what)| format!("{key:<column$} {what}")).collect()
}

/// The keys that quit, leave or stay.
fn ways_to_quit(model: &TableModel) -> Vec<String> {
    if model.is_offline {
        return vec!["Your game is saved.".into(), "Enter: quit".into(), "Esc: stay".into()];
    }
    if model.seat.is_none() {
        return vec!["Enter: quit".into(), "Esc: stay".into()];
    }
    let keys = [
        "Enter: quit, and keep the seat",
        "l: leave; a bot plays until you return",
        "g: give the seat up for good",
        "Esc: stay",
    ];
    keys.map(Into::into).into()
}

/// The invite links with their numbers, and the code of the lobby.
fn links(model: &TableModel) -> Vec<String> {
    if model.links.is_empty() {
        return vec!["No links yet. Type :invite and press Enter to invite a player.".to_owned()];
    }
    let number = |made: &MadeLink| made.number.map_or_else(String::new, |number| format!("{number}. "));
    let links = model.links.iter().flat_map(|made| [format!("{}{}:", number(made), made.purpose), made.link.clone()]);
    links.chain(["The number of a link revokes it.".to_owned()]).collect()
}

/// The phrases with their letters.
fn sayings(model: &TableModel) -> Vec<String> {
    let sayings = model.sayings();
    let line = |(letter, (phrase, domino)): (char, &(Phrase, Option<Domino>))| {
        let about = domino.map(|domino| format!(" {domino}")).unwrap_or_default();
        format!("{letter}: {}{about}", words().phrase_text(*phrase))
    };
    LETTERS.chars().zip(&sayings).map(line).collect()
}
