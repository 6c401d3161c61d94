//! The meaning of a key: a pure function of the key and the model.

use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use texas42_protocol::{ActionGroup, Role};
use texas42_vocab::{Action, Control, Phase};

use super::model::{Overlay, TableModel};
use crate::{
    invites::{LobbyCommand, invited_role, revoked_number},
    speech::{self, SpeechCommand},
};

/// What a key asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Command {
    /// Move the cursor to a choice.
    Select(usize),
    /// Type a character.
    Type(char),
    /// Delete the last character.
    Erase,
    /// Discard the typed text.
    Clear,
    /// Open an overlay.
    Open(Overlay),
    /// Close the overlay.
    Close,
    /// Show a notice.
    Notify(&'static str),
    /// Take an action at the table.
    Act(Action),
    /// Decline the undo that somebody asks for.
    DeclineUndo,
    /// Let a bot play this person's seat, or take the seat back.
    Control(Control),
    /// Let bots play the seats that the table waits for.
    AskForBots,
    /// Make an invite link.
    Invite(Role),
    /// Do something about the lobby.
    Lobby(LobbyCommand),
    /// Revoke the invite with this number.
    Revoke(u32),
    /// Declare this person ready.
    Ready,
    /// Play again.
    Rematch,
    /// Open the form that changes the rules of the table.
    ChangeRules,
    /// Say something, or decide whom to hear.
    Speak(SpeechCommand),
    /// Leave the table, and keep the seat.
    Leave,
    /// Give the seat up for good.
    GiveUp,
    /// Quit, and keep the seat.
    Quit,
}

const NOT_A_CHOICE: &str = "That is not among the choices; ? shows the keys.";
const CHOOSE_FIRST: &str = "Choose first: arrow keys, or type a number or a name.";
const ONLY_WATCHING: &str = "You are watching; only players can do that.";
const FIXED_RULES: &str = "The host changes the rules before the first game and between games.";
/// The keys of the phrases in the list.
pub(crate) const LETTERS: &str = "abcdefghijklmnopqrstuvwxyz";
const A_MOMENT: &str = "A moment: the table has not answered yet.";

/// The command of a key; none if the key does nothing now.
pub(crate) fn command(key: KeyEvent, model: &TableModel) -> Option<Command> {
    if key.modifiers.contains(KeyModifiers::CONTROL) {
        return matches!(key.code, KeyCode::Char('c' | 'd')).then_some(Command::Quit);
    }
    match model.overlay {
        Some(Overlay::Quit) => quit_command(key.code, model),
        Some(Overlay::Say) => Some(say_command(key.code, model)),
        Some(Overlay::Links) => Some(links_command(key.code, model)),
        Some(Overlay::Help) => Some(Command::Close),
        None => table_command(key.code, model),
    }
}

fn quit_command(key: KeyCode, model: &TableModel) -> Option<Command> {
    match key {
        KeyCode::Enter | KeyCode::Char('q' | 'y') => Some(Command::Quit),
        KeyCode::Char('l') if !model.is_offline && model.seat.is_some() => Some(Command::Leave),
        KeyCode::Char('g') if !model.is_offline && model.seat.is_some() => Some(Command::GiveUp),
        KeyCode::Esc | KeyCode::Char('n') => Some(Command::Close),
        _ => None,
    }
}

/// A number revokes the link that is listed with it; every other key closes the list.
fn links_command(key: KeyCode, model: &TableModel) -> Command {
    let number = match key {
        KeyCode::Char(letter) => letter.to_digit(10),
        _ => None,
    };
    let listed = number.filter(|number| model.links.iter().any(|made| made.number == Some(*number)));
    listed.map_or(Command::Close, Command::Revoke)
}

/// Says the phrase with this letter, or closes the list.
fn say_command(key: KeyCode, model: &TableModel) -> Command {
    let KeyCode::Char(letter) = key else { return Command::Close };
    let sayings = model.sayings();
    let chosen = sayings.iter().zip(LETTERS.chars()).find(|(_, own)| *own == letter);
    chosen.map_or(Command::Close, |((phrase, domino), _)| Command::Speak(SpeechCommand::Say(*phrase, *domino)))
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

/// Moves the cursor, and wraps around at the ends.
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

/// The command of a key that works without Enter.
fn at_once(letter: char, model: &TableModel) -> Option<Command> {
    match letter.to_ascii_lowercase() {
        '?' => Some(Command::Open(Overlay::Help)),
        'q' => Some(Command::Open(Overlay::Quit)),
        '/' => Some(Command::Open(Overlay::Say)),
        'u' => Some(undo(model)),
        'n' if model.is_asked_to_undo => Some(Command::DeclineUndo),
        'p' => pass(model),
        'y' if model.must_declare_ready => Some(Command::Ready),
        'r' if model.phase().is_some_and(Phase::is_over) => Some(Command::Rematch),
        'i' if model.phase() == Some(Phase::Setup) => Some(Command::Invite(Role::Player)),
        'c' if model.may_change_rules() => Some(Command::ChangeRules),
        'o' if model.may_open_lobby() => Some(Command::Lobby(LobbyCommand::Open)),
        _ => None,
    }
}

/// Passes, unless the letter can be the start of another choice, such as `p4` for a plunge bid.
fn pass(model: &TableModel) -> Option<Command> {
    let choices = model.choices();
    let matching: Vec<_> = choices.iter().filter(|valid| valid.shortcut.starts_with('p')).collect();
    match matching[..] {
        [] => Some(Command::Notify("You cannot pass now.")),
        [pass] if pass.shortcut == "p" => Some(act(pass.action, model)),
        _ => None,
    }
}

fn undo(model: &TableModel) -> Command {
    match model.undo() {
        Some(to) => Command::Act(Action::Undo { to }),
        None => Command::Notify("You have no move to undo."),
    }
}

fn act(action: Action, model: &TableModel) -> Command {
    match model.seat {
        None => Command::Notify(ONLY_WATCHING),
        Some(_) if model.is_waiting => Command::Notify(A_MOMENT),
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
        None => Command::Notify(CHOOSE_FIRST),
    }
}

/// The command of a typed line: a choice, or a command of the line mode. Some letters act at once at the start of a line,
/// so a line may begin with a colon.
fn typed(line: &str, model: &TableModel) -> Command {
    let line = line.strip_prefix(':').unwrap_or(line);
    if let Some((_, action)) = model.find_choice(line) {
        return act(action, model);
    }
    let line = line.to_ascii_lowercase();
    match model.view.as_ref().and_then(|view| speech::read(&line, view)) {
        Some(Ok(SpeechCommand::List)) => return Command::Open(Overlay::Say),
        Some(Ok(command)) => return Command::Speak(command),
        Some(Err(why)) => return Command::Notify(why),
        None => {}
    }
    if let Some(role) = invited_role(&line) {
        return Command::Invite(role);
    }
    if let Some(command) = LobbyCommand::typed(&line) {
        return Command::Lobby(command);
    }
    if let Some(number) = revoked_number(&line) {
        return Command::Revoke(number);
    }
    match line.as_str() {
        "?" | "help" => Command::Open(Overlay::Help),
        "q" | "quit" => Command::Open(Overlay::Quit),
        "w" | "show" => Command::Clear,
        "u" | "undo" => undo(model),
        "no" => Command::DeclineUndo,
        "a" => Command::Control(Control::Ai),
        "b" => Command::Control(Control::Human),
        "bot" => Command::AskForBots,
        "links" => Command::Open(Overlay::Links),
        "y" | "ready" => Command::Ready,
        "r" | "rematch" => Command::Rematch,
        "c" | "rules" if model.may_change_rules() => Command::ChangeRules,
        "c" | "rules" => Command::Notify(FIXED_RULES),
        "leave" if !model.is_offline => Command::Leave,
        "give up" if !model.is_offline => Command::GiveUp,
        _ => Command::Notify(NOT_A_CHOICE),
    }
}

/// The keys that work now, each with its effect, the most important first.
pub(crate) fn help(model: &TableModel) -> Vec<(&'static str, &'static str)> {
    let mut keys = Vec::new();
    let choices = model.choices();
    let group = choices.first().map(|valid| valid.group).filter(|_| model.is_my_turn());
    keys.extend(match group {
        Some(ActionGroup::Bid) => vec![("←→", "choose"), ("Enter", "bid"), ("p", "pass")],
        Some(ActionGroup::Trump) => vec![("←→", "choose"), ("Enter", "call trumps")],
        Some(ActionGroup::Play) => vec![("←→", "choose"), ("Enter", "play")],
        Some(ActionGroup::Table) => vec![("Enter", "go on")],
        None => Vec::new(),
    });
    keys.extend(model.must_declare_ready.then_some(("y", "ready")));
    keys.extend(model.phase().is_some_and(Phase::is_over).then_some(("r", "play again")));
    keys.extend((model.phase() == Some(Phase::Setup)).then_some(("i", "invite")));
    keys.extend((model.phase() == Some(Phase::Setup) && model.may_open_lobby()).then_some(("o", "code")));
    keys.extend(model.may_change_rules().then_some(("c", "rules")));
    keys.extend(model.undo().map(|_| ("u", "undo")));
    keys.extend(model.is_asked_to_undo.then_some(("n", "no undo")));
    keys.extend(model.may_talk().then_some(("/", "say")));
    keys.extend([("?", "help"), ("q", "quit")]);
    keys
}

/// All keys, which act at once, and all typed commands, each with its effect. A colon begins a command, so that none of its
/// letters acts as a key.
pub(crate) const HELP: &[(&str, &str)] = &[
    ("← →", "choose a bid, trumps or a domino"),
    ("Enter", "do what is chosen or typed"),
    ("31 m1 64 f", "a bid, a domino, or trumps"),
    ("p", "pass"),
    ("u", "undo, or agree to an undo"),
    ("n", "decline an undo"),
    ("y", "ready to begin"),
    ("r", "play again"),
    ("c", "the rules, between games"),
    ("i", "invite a player"),
    ("/", "say something"),
    ("q", "quit; it asks first"),
    (":", "begins a command; keys act at once"),
    (":a  :b", "let a bot play / play yourself"),
    (":invite", "watch coach student admin bot"),
    ("o / :code", "a code; :new code, :end code"),
    (":admit :deny", "a guest who waits"),
    (":coach off", "no advice; on: advice"),
    (":mute NAME", "or all; also: :unmute"),
    (":links", "show the links, or revoke one"),
    (":leave", "a bot plays until you return"),
    (":give up", "give the seat up for good"),
];
