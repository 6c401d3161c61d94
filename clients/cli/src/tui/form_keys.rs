//! The effect of a key on a form.

use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use texas42_house_rules::{HouseRules, TableSettings};

use super::form::{Form, Row, Start};

/// The maximum length of a text field.
const MAX_TEXT: usize = 200;

/// The result of a key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum FormResult {
    /// The form is still open.
    Open,
    /// A game begins.
    Begin(Box<Start>),
    /// The person requests these settings for the table.
    Change(Box<TableSettings>),
    /// The person leaves the form.
    Quit,
}

/// Applies a key to the form.
pub(super) fn press(form: &mut Form, key: KeyEvent) -> FormResult {
    form.notice = None;
    if key.modifiers.contains(KeyModifiers::CONTROL) {
        return if matches!(key.code, KeyCode::Char('c' | 'd')) { FormResult::Quit } else { FormResult::Open };
    }
    match key.code {
        KeyCode::Esc => return FormResult::Quit,
        KeyCode::Enter if form.focused() == Row::Save => form.save_rules(),
        KeyCode::Enter => return begin(form),
        KeyCode::Up => form.focus = form.focus.checked_sub(1).unwrap_or(form.rows().len() - 1),
        KeyCode::Down | KeyCode::Tab => form.focus = (form.focus + 1) % form.rows().len(),
        KeyCode::Left => change(form, false),
        KeyCode::Right => change(form, true),
        KeyCode::Backspace => drop(text(form).and_then(String::pop)),
        KeyCode::Char(letter) => write(form, letter),
        _ => {}
    }
    FormResult::Open
}

fn begin(form: &mut Form) -> FormResult {
    match form.result() {
        Ok(result) => result,
        Err(error) => {
            form.notice = Some(format!("{error:#}"));
            FormResult::Open
        }
    }
}

/// The text field under the cursor.
fn text(form: &mut Form) -> Option<&mut String> {
    match form.focused() {
        Row::Name => Some(&mut form.name),
        Row::Server => Some(&mut form.server),
        Row::Link => Some(&mut form.link),
        Row::Save => Some(&mut form.save_name),
        Row::Mode | Row::Rules | Row::Setting(_) => None,
    }
}

/// Adds a character to the text field under the cursor. In another field, the space bar changes the value.
pub(super) fn write(form: &mut Form, letter: char) {
    match text(form) {
        Some(text) if text.chars().count() < MAX_TEXT && !letter.is_control() => text.push(letter),
        None if letter == ' ' => change(form, true),
        _ => {}
    }
}

fn change(form: &mut Form, is_forward: bool) {
    match form.focused() {
        Row::Mode => form.mode = *neighbor(&form.modes(), &form.mode, is_forward),
        Row::Rules => {
            let sets: Vec<HouseRules> = form.rule_sets().into_iter().map(|(_, rules)| rules).collect();
            form.table.rules = neighbor(&sets, &form.table.rules, is_forward).clone();
        }
        Row::Setting(setting) => form.table.choose(form.table.neighbor(setting, is_forward)),
        Row::Name | Row::Server | Row::Link | Row::Save => {}
    }
}

/// The next or previous value, wrapping around at the ends.
fn neighbor<'a, T: PartialEq>(values: &'a [T], value: &T, is_forward: bool) -> &'a T {
    let at = values.iter().position(|other| other == value).unwrap_or(0);
    let step = if is_forward { 1 } else { values.len() - 1 };
    &values[(at + step) % values.len()]
}
