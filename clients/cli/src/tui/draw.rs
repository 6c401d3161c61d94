//! Draws a table, as a pure function of the model. Colors carry no information that the characters do not.

mod dominoes;
mod overlay;
mod seats;
mod texts;

use ratatui::{
    Frame,
    layout::{Alignment, Constraint, Layout, Rect},
    style::{Color, Modifier, Style},
    text::{Line, Span},
    widgets::{Block, Paragraph, Wrap},
};
use texas42_protocol::ActionGroup;
use texas42_vocab::Phase;

use super::{
    keys,
    model::{TableModel, words},
};
use crate::show::fit;

/// With at least this many columns, players are drawn around the table; with fewer, as a list.
const MIN_COLUMNS_AROUND: u16 = 60;
/// With at least this many columns, the log is beside the table; with fewer, below it.
const MIN_COLUMNS_LOG_BESIDE: u16 = 76;
/// With at least this many rows, dominoes are drawn as boxes; with fewer, as text.
const MIN_ROWS_BOXES: u16 = 20;
/// The rows of the middle when players are drawn around the table, unless a text needs more.
const ROWS_AROUND: u16 = 11;
/// The rows of the middle when players are drawn as a list, unless a text needs more.
const ROWS_OF_LIST: u16 = 6;

/// The text styles, with or without color.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Look {
    has_color: bool,
}

impl Look {
    pub(crate) const fn new(has_color: bool) -> Self {
        Self { has_color }
    }

    /// The item under the cursor.
    pub(crate) fn selected(self) -> Style {
        self.colored(Color::Yellow).add_modifier(Modifier::BOLD)
    }

    /// Headings, and the seat that is to act.
    pub(crate) fn strong(self) -> Style {
        self.colored(Color::Cyan).add_modifier(Modifier::BOLD)
    }

    /// Less important text.
    pub(crate) const fn quiet(self) -> Style {
        Style::new().add_modifier(Modifier::DIM)
    }

    fn colored(self, color: Color) -> Style {
        if self.has_color { Style::new().fg(color) } else { Style::new() }
    }
}

/// Draws everything.
pub(crate) fn draw(frame: &mut Frame<'_>, model: &TableModel) {
    let (area, look) = (frame.area(), Look::new(model.has_color));
    let hand = dominoes::hand(model, area.width, area.height >= MIN_ROWS_BOXES, look);
    let choices = fitted(&choices(model, look), area.width);
    let contract = contract(model, area.width);
    let status = status(model, area.width, look);
    let rows = [
        Constraint::Length(1),
        Constraint::Min(3),
        rows(contract.len()),
        rows(hand.len()),
        rows(choices.len()),
        rows(status.len()),
        Constraint::Length(1),
    ];
    let [header_area, middle, contract_area, hand_area, choices_area, status_area, keys_area] =
        Layout::vertical(rows).areas(area);
    frame.render_widget(header(model, area.width, look), header_area);
    draw_middle(frame, model, middle, look);
    frame.render_widget(Paragraph::new(contract), contract_area);
    frame.render_widget(Paragraph::new(hand).alignment(Alignment::Center), hand_area);
    frame.render_widget(Paragraph::new(choices).alignment(Alignment::Center), choices_area);
    frame.render_widget(Paragraph::new(status), status_area);
    frame.render_widget(key_line(model, area.width, look), keys_area);
    overlay::draw(frame, model, look);
}

fn rows(count: usize) -> Constraint {
    Constraint::Length(u16::try_from(count).unwrap_or(u16::MAX))
}

fn header(model: &TableModel, width: u16, look: Look) -> Paragraph<'static> {
    let full = texts::header(model);
    let text = full.into_iter().find(|text| text.chars().count() <= usize::from(width)).unwrap_or_default();
    Paragraph::new(Line::styled(text, look.strong()))
}

/// The table and the log, side by side or one above the other.
fn draw_middle(frame: &mut Frame<'_>, model: &TableModel, area: Rect, look: Look) {
    let [table, log] = if area.width >= MIN_COLUMNS_LOG_BESIDE {
        Layout::horizontal([Constraint::Fill(1), Constraint::Length(area.width / 3)]).areas(area)
    } else {
        let rows = if area.width >= MIN_COLUMNS_AROUND { ROWS_AROUND } else { ROWS_OF_LIST };
        Layout::vertical([Constraint::Max(rows.max(panel_rows(model, area.width))), Constraint::Min(0)]).areas(area)
    };
    draw_table(frame, model, table, look);
    draw_log(frame, model, log, look);
}

/// The number of rows that a text in the middle of the table needs.
fn panel_rows(model: &TableModel, width: u16) -> u16 {
    let text = texts::panel(model).map_or(0, |(_, lines)| wrapped(&lines, width.saturating_sub(2)).len() + 2);
    u16::try_from(text).unwrap_or(u16::MAX)
}

fn draw_table(frame: &mut Frame<'_>, model: &TableModel, area: Rect, look: Look) {
    let panel = texts::panel(model);
    let title = panel.as_ref().map_or_else(|| texts::trick_title(model), |(title, _)| title.clone());
    let block = Block::bordered().title(Span::styled(format!(" {title} "), look.strong()));
    let inside = block.inner(area);
    frame.render_widget(block, area);
    match panel {
        Some((_, lines)) => {
            let lines: Vec<Line<'_>> = wrapped(&lines, inside.width).into_iter().map(Line::raw).collect();
            frame.render_widget(Paragraph::new(lines), inside);
        }
        // Beside the log, the table has less than the width of the terminal.
        None if area.width >= MIN_COLUMNS_AROUND * 4 / 5 => seats::draw_seats(frame, model, inside, look),
        None => seats::list(frame, model, inside, look),
    }
}

/// Wraps lines to `width` between words. A longer word, such as a link, is broken anywhere.
pub(super) fn wrapped(lines: &[String], width: u16) -> Vec<String> {
    let width = usize::from(width).max(1);
    let broken = |line: &str| {
        let letters: Vec<char> = line.chars().collect();
        letters.chunks(width).map(String::from_iter).collect::<Vec<_>>()
    };
    let fitted = |line: &String| if line.is_empty() { " ".to_owned() } else { fit(line, width) };
    lines.iter().flat_map(|line| fitted(line).lines().flat_map(broken).collect::<Vec<_>>()).collect()
}

/// Draws the last lines of the log, the newest at the bottom.
fn draw_log(frame: &mut Frame<'_>, model: &TableModel, area: Rect, look: Look) {
    if area.height < 3 {
        return;
    }
    let block = Block::bordered().title(Span::styled(" Log ", look.strong()));
    let inside = block.inner(area);
    let events: Vec<String> = model.events.iter().cloned().collect();
    let lines = wrapped(&events, inside.width);
    let hidden = lines.len().saturating_sub(inside.height.into());
    let shown: Vec<Line<'_>> = lines.into_iter().skip(hidden).map(Line::raw).collect();
    frame.render_widget(block, area);
    frame.render_widget(Paragraph::new(shown), inside);
}

fn contract(model: &TableModel, width: u16) -> Vec<Line<'static>> {
    let texts: Vec<String> =
        texts::goal(model).into_iter().chain(texts::contract(model, width >= MIN_COLUMNS_AROUND)).collect();
    wrapped(&texts, width).into_iter().map(Line::raw).collect()
}

/// The choices other than dominoes, as words.
fn choices(model: &TableModel, look: Look) -> Vec<Span<'static>> {
    let span = |number: usize, text: String| match model.selected == Some(number) {
        true => Span::styled(format!("[{text}]"), look.selected()),
        false => Span::raw(format!(" {text} ")),
    };
    let choices = model.choices().into_iter().enumerate();
    let named = choices.filter(|(_, valid)| valid.group != ActionGroup::Play || valid.shortcut == "c");
    named.map(|(number, valid)| span(number, texts::choice(valid))).collect()
}

/// Arranges spans in lines of at most `width` columns.
fn fitted(spans: &[Span<'static>], width: u16) -> Vec<Line<'static>> {
    let mut lines: Vec<Line<'static>> = Vec::new();
    for span in spans {
        match lines.last_mut() {
            Some(line) if line.width() + span.width() <= width.into() => line.push_span(span.clone()),
            _ => lines.push(Line::from(span.clone())),
        }
    }
    lines
}

/// Whose turn it is, and the most important remark.
fn status(model: &TableModel, width: u16, look: Look) -> Vec<Line<'static>> {
    let style = if model.is_my_turn() { look.strong() } else { Style::new() };
    let mark = if model.is_my_turn() { "▶ " } else { "" };
    let status = wrapped(&[format!("{mark}{}", texts::status(model))], width);
    let remark = wrapped(&[texts::remark(model).unwrap_or_default()], width);
    status.into_iter().map(|line| Line::styled(line, style)).chain(remark.into_iter().map(Line::raw)).collect()
}

/// The keys with their effects, or only the keys if there is no space.
fn key_line(model: &TableModel, width: u16, look: Look) -> Paragraph<'static> {
    let keys = keys::help(model);
    let long: Vec<String> = keys.iter().map(|(key, what)| format!("{key} {what}")).collect();
    let short: Vec<&str> = keys.iter().map(|(key, _)| *key).collect();
    let [long, short] = [long.join(" · "), short.join(" · ")];
    let text = if long.chars().count() <= usize::from(width) { long } else { short };
    Paragraph::new(Line::styled(text, look.quiet())).wrap(Wrap { trim: true })
}

/// Whether the middle of the table shows a trick.
pub(crate) fn is_in_play(model: &TableModel) -> bool {
    matches!(model.phase(), Some(Phase::Bidding | Phase::TrumpSelection | Phase::Playing))
}

/// The name of a side, from this session's point of view.
pub(crate) fn side(model: &TableModel, team: texas42_vocab::Team) -> &'static str {
    if model.seat.is_some() { model.team_name(team) } else { [words().side_even, words().side_odd][team.index()] }
}
