//! What a key means: a function of the key and of what is shown.

use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use texas42_protocol::{ActionGroup, Role};
use texas42_vocab::{Action, Control, Phase};

use super::model::{Overlay, TableModel};

/// What a person wants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Command {
    /// Move the cursor to a choice.
    Select(usize),
    /// Type a character.
    Type(char),
    /// Take the last character back.
    Erase,
    /// Forget what was typed.
    Clear,
    /// Open something over the table.
    Open(Overlay),
    /// Close what lies over the table.
    Close,
    /// Tell the person something.
    Tell(&'static str),
    /// Do something at the table.
    Act(Action),
    /// Let a computer player move the own seat, or take it back.
    Control(Control),
    /// Make an invite link.
    Invite(Role),
    /// Say that the game may begin.
    Ready,
    /// Play again.
    Rematch,
    /// Give the seat up for good.
    Leave,
    /// Quit. The seat is kept.
    Quit,
}

const NOT_A_CHOICE: &str = "That is not among the choices; ? shows the keys.";
const CHOOSE_FIRST: &str = "Choose first: arrow keys, or type a number or a name.";
const ONLY_WATCHING: &str = "You are watching; only players can do that.";
const A_MOMENT: &str = "A moment: the table has not answered yet.";

/// What a key means.
pub(crate) fn command(key: KeyEvent, model: &TableModel) -> Option<Command> {
    if key.modifiers.contains(KeyModifiers::CONTROL) {
        return matches!(key.code, KeyCode::Char('c' | 'd')).then_some(Command::Quit);
    }
    match model.overlay {
        Some(Overlay::Leave) => leave_command(key.code, model),
        Some(_) => Some(Command::Close),
        None => table_command(key.code, model),
    }
}

fn leave_command(key: KeyCode, model: &TableModel) -> Option<Command> {
    match key {
        KeyCode::Enter | KeyCode::Char('q' | 'y') => Some(Command::Quit),
        KeyCode::Char('l') if !model.is_offline => Some(Command::Leave),
        KeyCode::Esc | KeyCode::Char('n') => Some(Command::Close),
        _ => None,
    }
}

fn table_command(key: KeyCode, model: &TableModel) -> Option<Command> {
    match key {
        KeyCode::Left | KeyCode::Up => step(model, false),
        KeyCode::Right | KeyCode::Down | KeyCode::Tab => step(model, true),
        KeyCode::Enter => Some(confirm(model)),
        KeyCode::Backspace => Some(Command::Erase),
        KeyCode::Esc => Some(Command::Clear),
        KeyCode::Char(letter) if model.input.is_empty() => {
            Some(at_once(letter, model).unwrap_or(Command::Type(letter)))
        }
        KeyCode::Char(letter) => Some(Command::Type(letter)),
        _ => None,
    }
}

/// Moves the cursor, around the end.
fn step(model: &TableModel, is_forward: bool) -> Option<Command> {
    let count = model.choices().len();
    let last = count.checked_sub(1)?;
    Some(Command::Select(match (model.selected, is_forward) {
        (None, true) => 0,
        (None, false) => last,
        (Some(at), true) => (at + 1) % count,
        (Some(at), false) => at.checked_sub(1).unwrap_or(last),
    }))
}

/// Keys that need no Enter.
fn at_once(letter: char, model: &TableModel) -> Option<Command> {
    match letter.to_ascii_lowercase() {
        '?' => Some(Command::Open(Overlay::Help)),
        'q' => Some(Command::Open(Overlay::Leave)),
        'u' => Some(undo(model)),
        'p' => pass(model),
        'y' if model.must_declare_ready => Some(Command::Ready),
        'r' if model.phase().is_some_and(Phase::is_over) => Some(Command::Rematch),
        'i' if model.phase() == Some(Phase::Setup) => Some(Command::Invite(Role::Player)),
        _ => None,
    }
}

/// Passing, unless the letter may be the beginning of something else (`p4` bids plunge).
fn pass(model: &TableModel) -> Option<Command> {
    let choices = model.choices();
    let meant: Vec<_> = choices.iter().filter(|valid| valid.shortcut.starts_with('p')).collect();
    match meant[..] {
        [] => Some(Command::Tell("You cannot pass now.")),
        [pass] if pass.shortcut == "p" => Some(act(pass.action, model)),
        _ => None,
    }
}

fn undo(model: &TableModel) -> Command {
    match model.undo() {
        Some(to) => Command::Act(Action::Undo { to }),
        None => Command::Tell("There is no move of yours to take back."),
    }
}

fn act(action: Action, model: &TableModel) -> Command {
    match model.seat {
        None => Command::Tell(ONLY_WATCHING),
        Some(_) if model.is_waiting => Command::Tell(A_MOMENT),
        Some(_) => Command::Act(action),
    }
}

fn confirm(model: &TableModel) -> Command {
    if !model.input.trim().is_empty() {
        return typed(model.input.trim(), model);
    }
    let choices = model.choices();
    match model.selected.and_then(|at| choices.get(at)) {
        Some(valid) => act(valid.action, model),
        None if choices.is_empty() => Command::Clear,
        None => Command::Tell(CHOOSE_FIRST),
    }
}

/// What a typed line means: a choice, or a command of the line mode.
fn typed(line: &str, model: &TableModel) -> Command {
    if let Some((_, action)) = model.meant(line) {
        return act(action, model);
    }
    match line.to_ascii_lowercase().as_str() {
        "?" | "help" => Command::Open(Overlay::Help),
        "q" | "quit" => Command::Open(Overlay::Leave),
        "w" | "show" => Command::Clear,
        "u" | "undo" => undo(model),
        "a" => Command::Control(Control::Ai),
        "b" => Command::Control(Control::Human),
        "i" | "invite" => Command::Invite(Role::Player),
        "invite watch" => Command::Invite(Role::Spectator),
        "invite coach" => Command::Invite(Role::Coach),
        "links" => Command::Open(Overlay::Links),
        "y" | "ready" => Command::Ready,
        "r" | "rematch" => Command::Rematch,
        "leave" if !model.is_offline => Command::Leave,
        _ => Command::Tell(NOT_A_CHOICE),
    }
}

/// The keys that can be used now, each with what it does, the most important first.
pub(crate) fn help(model: &TableModel) -> Vec<(&'static str, &'static str)> {
    let mut keys = Vec::new();
    let choices = model.choices();
    let group = choices.first().map(|valid| valid.group).filter(|_| model.is_my_turn());
    keys.extend(match group {
        Some(ActionGroup::Bid) => vec![("←→", "choose"), ("Enter", "bid"), ("p", "pass")],
        Some(ActionGroup::Trump) => vec![("←→", "choose"), ("Enter", "name trumps")],
        Some(ActionGroup::Play) => vec![("←→", "choose"), ("Enter", "play")],
        Some(ActionGroup::Table) => vec![("Enter", "go on")],
        None => Vec::new(),
    });
    keys.extend(model.must_declare_ready.then_some(("y", "ready")));
    keys.extend(model.phase().is_some_and(Phase::is_over).then_some(("r", "play again")));
    keys.extend((model.phase() == Some(Phase::Setup)).then_some(("i", "invite")));
    keys.extend(model.undo().map(|_| ("u", "undo")));
    keys.extend([("?", "help"), ("q", "leave")]);
    keys
}

/// Everything that keys and typed words do.
pub(crate) const HELP: &[(&str, &str)] = &[
    ("← →", "choose a bid, trumps or a domino"),
    ("Enter", "do what is chosen or typed"),
    ("31 m1 64 f", "type a bid, a domino or trumps"),
    ("p", "pass"),
    ("u", "undo, or agree to an undo"),
    ("y", "ready to begin"),
    ("r", "play again"),
    ("a / b", "let the computer play / play yourself"),
    ("i", "invite a player"),
    ("invite watch", "invite somebody to watch"),
    ("invite coach", "invite a coach"),
    ("links", "show the links again"),
    ("leave", "give the seat up"),
    ("q", "leave; the seat is kept"),
];
