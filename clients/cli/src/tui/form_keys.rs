//! What a key does to the start form.

use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use super::form::{Form, Row, Start, TARGETS};

/// The longest text in a field.
const MAX_TEXT: usize = 200;

/// What comes of a key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Answer {
    /// The form is still open.
    Open,
    /// A game begins.
    Begin(Box<Start>),
    /// The person wants no game.
    Quit,
}

/// Changes the form by a key.
pub(super) fn press(form: &mut Form, key: KeyEvent) -> Answer {
    form.notice = None;
    if key.modifiers.contains(KeyModifiers::CONTROL) {
        return if matches!(key.code, KeyCode::Char('c' | 'd')) { Answer::Quit } else { Answer::Open };
    }
    match key.code {
        KeyCode::Esc => return Answer::Quit,
        KeyCode::Enter => return begin(form),
        KeyCode::Up => form.focus = form.focus.checked_sub(1).unwrap_or(form.rows().len() - 1),
        KeyCode::Down | KeyCode::Tab => form.focus = (form.focus + 1) % form.rows().len(),
        KeyCode::Left => change(form, false),
        KeyCode::Right => change(form, true),
        KeyCode::Backspace => drop(text(form).and_then(String::pop)),
        KeyCode::Char(letter) => write(form, letter),
        _ => {}
    }
    Answer::Open
}

fn begin(form: &mut Form) -> Answer {
    match form.start() {
        Ok(start) => Answer::Begin(Box::new(start)),
        Err(error) => {
            form.notice = Some(format!("{error:#}"));
            Answer::Open
        }
    }
}

/// The text under the cursor.
fn text(form: &mut Form) -> Option<&mut String> {
    match form.focused() {
        Row::Name => Some(&mut form.name),
        Row::Server => Some(&mut form.server),
        Row::Link => Some(&mut form.link),
        Row::Way | Row::Rule(_) | Row::Target | Row::People | Row::Watchers => None,
    }
}

/// Adds a character to a text, and ticks a box with the space bar.
pub(super) fn write(form: &mut Form, letter: char) {
    match text(form) {
        Some(text) if text.chars().count() < MAX_TEXT && !letter.is_control() => text.push(letter),
        None if letter == ' ' => change(form, true),
        _ => {}
    }
}

fn change(form: &mut Form, is_forward: bool) {
    match form.focused() {
        Row::Way => form.way = neighbour(&form.ways(), form.way, is_forward),
        Row::Rule(layer) => form.table.rules.toggle(layer),
        Row::Target => form.table.target = Some(neighbour(&TARGETS, form.table.target.unwrap_or(7), is_forward)),
        Row::People => form.table.people = neighbour(&[1, 2, 3, 4], form.table.people, is_forward),
        Row::Watchers => form.table.open_to_spectators ^= true,
        Row::Name | Row::Server | Row::Link => {}
    }
}

/// The value beside this one, around the end.
fn neighbour<T: Copy + PartialEq>(values: &[T], value: T, is_forward: bool) -> T {
    let at = values.iter().position(|other| *other == value).unwrap_or(0);
    let step = if is_forward { 1 } else { values.len() - 1 };
    values[(at + step) % values.len()]
}
