//! The form that starts a game: offline, at a new table of a server, or with a link; and that changes the rules of a table.

use std::path::PathBuf;

use ratatui::{
    Frame,
    layout::{Constraint, Layout},
    text::Line,
    widgets::{Block, Paragraph, Wrap},
};
use texas42_house_rules::{ALONE, HouseRules, Preset, SavedRules, Setting, TableSettings};
use texas42_protocol::{GameView, LobbyCode, Name, Role, TableOptions};
use texas42_sdk::{InviteLink, ServerAddress, Target};
use texas42_vocab::Config;

use super::{
    draw::{Look, wrapped},
    form_keys::FormResult,
    model::words,
};
use crate::saved_rules;

/// The purpose of the form: a kind of start, or changing a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FormMode {
    /// Resume the saved game.
    Resume,
    /// Play against bots, without a server.
    Offline,
    /// Create a table on a server.
    Online,
    /// Join the table of a link.
    Link,
    /// Change the rules of the current table.
    Table,
}

impl FormMode {
    const fn text(self) -> &'static str {
        match self {
            Self::Resume => "resume your saved game",
            Self::Offline => "play computer players offline",
            Self::Online => "create an online table",
            Self::Link => "join with a link or a code",
            Self::Table => "change the rules",
        }
    }
}

/// A complete start, from the form or from command-line flags.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Start {
    /// Resume the saved game.
    Resume,
    /// Play against bots, without a server.
    Offline(TableSettings, Name),
    /// Play one hand against bots, without a server: the daily challenge, or the hand of a seed.
    OneHand(Box<(Config, TableOptions)>, Name),
    /// Create a table on a server.
    Online(ServerAddress, TableSettings, Name),
    /// Join the table of a link.
    Link(InviteLink, Name),
    /// Ask to be let in at the table whose lobby has this code.
    Code(ServerAddress, LobbyCode, Name),
}

/// One line of the form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Row {
    Mode,
    Name,
    Server,
    Link,
    /// A preset, or saved rules.
    Rules,
    Setting(Setting),
    /// The name under which the rules are saved.
    Save,
}

/// The form and its contents. [`Screen::ask`](super::Screen::ask) shows it.
#[derive(Clone, Debug)]
pub struct Form {
    /// Whether there is a saved game.
    pub has_saved: bool,
    /// The selected kind of start.
    pub mode: FormMode,
    /// The name of the person.
    pub name: String,
    /// The address of the server.
    pub server: String,
    /// The invite link or table id.
    pub link: String,
    /// The table to create.
    pub table: TableSettings,
    /// The rules that the person saved.
    pub saved: SavedRules,
    /// The folder of the saved rules. Without it, rules cannot be saved.
    pub folder: Option<PathBuf>,
    /// The lines that the current table can no longer change.
    pub(super) fixed: Vec<Setting>,
    pub(super) save_name: String,
    pub(super) focus: usize,
    pub(super) notice: Option<String>,
    pub(super) has_color: bool,
}

impl Form {
    /// A form with the default rules and target.
    pub fn new(mode: FormMode, name: &str, server: &str) -> Self {
        Self {
            has_saved: mode == FormMode::Resume,
            mode,
            name: name.to_owned(),
            server: server.to_owned(),
            link: String::new(),
            table: TableSettings::new(Preset::default().rules()),
            saved: SavedRules::default(),
            folder: None,
            fixed: Vec::new(),
            save_name: String::new(),
            focus: 0,
            notice: None,
            has_color: false,
        }
    }

    /// A form that changes the rules of a table; `None` if they cannot be changed now.
    pub(super) fn of_table(view: &GameView, is_offline: bool) -> Option<Self> {
        let table = TableSettings::of_table(view)?;
        let is_fixed = |setting: &Setting| !setting.can_change(view) || (is_offline && setting.is_social());
        Some(Self { table, fixed: Setting::all().filter(is_fixed).collect(), ..Self::new(FormMode::Table, "", "") })
    }

    pub(super) fn modes(&self) -> Vec<FormMode> {
        let all = [FormMode::Resume, FormMode::Offline, FormMode::Online, FormMode::Link];
        all.into_iter().filter(|mode| self.has_saved || *mode != FormMode::Resume).collect()
    }

    /// The lines for the selected kind of start.
    pub(super) fn rows(&self) -> Vec<Row> {
        let is_online_only = |setting: &Setting| setting.is_social() || matches!(setting, Setting::Player(_));
        let offline: Vec<_> =
            self.alone().shown().filter(|setting| !is_online_only(setting)).map(Row::Setting).collect();
        let save = self.folder.iter().map(|_| Row::Save);
        match self.mode {
            FormMode::Resume => vec![Row::Mode],
            FormMode::Link => vec![Row::Mode, Row::Name, Row::Link, Row::Server],
            FormMode::Offline => [Row::Mode, Row::Name, Row::Rules].into_iter().chain(offline).chain(save).collect(),
            FormMode::Online => [Row::Mode, Row::Name, Row::Server, Row::Rules]
                .into_iter()
                .chain(self.table.shown().map(Row::Setting))
                .chain(save)
                .collect(),
            FormMode::Table => {
                let shown = self.table.shown().filter(|setting| !self.fixed.contains(setting));
                [Row::Rules].into_iter().chain(shown.map(Row::Setting)).chain(save).collect()
            }
        }
    }

    /// The table against bots, which its creator plays at.
    fn alone(&self) -> TableSettings {
        TableSettings { players: ALONE, role: Role::Player, ..self.table.clone() }
    }

    /// The presets and the saved rules, with their names.
    pub(super) fn rule_sets(&self) -> Vec<(&str, HouseRules)> {
        saved_rules::sets(&self.saved).collect()
    }

    /// Loads the saved rules of a folder, and saves new ones there.
    #[must_use]
    pub fn with_saved_rules(mut self, folder: PathBuf) -> Self {
        match saved_rules::read(&folder) {
            Ok(saved) => (self.saved, self.folder) = (saved, Some(folder)),
            Err(error) => self.notice = Some(format!("{error:#}")),
        }
        self
    }

    /// Saves the rules under the entered name.
    pub(super) fn save_rules(&mut self) {
        let Some(folder) = &self.folder else { return };
        self.notice = Some(match saved_rules::save(folder, &self.save_name, &self.table.rules) {
            Ok(saved) => {
                self.saved = saved;
                format!("Saved as {:?}.", std::mem::take(&mut self.save_name).trim())
            }
            Err(error) => format!("{error:#}"),
        });
    }

    pub(super) fn focused(&self) -> Row {
        self.rows().get(self.focus).copied().unwrap_or(Row::Mode)
    }

    /// The result of submitting the form.
    ///
    /// # Errors
    /// When a field is invalid.
    pub(super) fn result(&self) -> anyhow::Result<FormResult> {
        let name = || Ok::<_, anyhow::Error>(Name::try_from(self.name.as_str())?);
        let start = match self.mode {
            FormMode::Table => return Ok(FormResult::Change(Box::new(self.table.clone()))),
            FormMode::Resume => Start::Resume,
            FormMode::Offline => Start::Offline(self.alone(), name()?),
            FormMode::Online => {
                let name = name()?;
                Start::Online(ServerAddress::parse(&self.server)?, self.table.clone(), name)
            }
            FormMode::Link => {
                let name = name()?;
                match Target::read(&self.link, &self.server)? {
                    Target::Table(link) => Start::Link(link, name),
                    Target::Code(server, code) => Start::Code(server, code, name),
                    Target::Server(_) => anyhow::bail!("paste an invite link, or type a code or the id of a table"),
                }
            }
        };
        Ok(FormResult::Begin(Box::new(start)))
    }

    pub(super) fn line(&self, row: Row) -> String {
        let tick = |is_on: bool| if is_on { "[x]" } else { "[ ]" };
        let cursor = if self.focused() == row { "_" } else { "" };
        match row {
            Row::Mode => format!("‹ {} ›", self.mode.text()),
            Row::Name => format!("Name: {}{cursor}", self.name),
            Row::Server => format!("Server: {}{cursor}", self.server),
            Row::Link => format!("Link, code or table id: {}{cursor}", self.link),
            Row::Rules => {
                let sets = self.rule_sets();
                let chosen = sets.iter().find(|(_, rules)| *rules == self.table.rules).map(|(name, _)| *name);
                format!("{}: ‹ {} ›", words().house_rules, chosen.unwrap_or("your own"))
            }
            Row::Setting(setting) => match setting.switch(true) {
                Some(on) => format!("{} {}", tick(self.table.is_chosen(on)), switch_name(setting)),
                None => format!("{}: ‹ {} ›", setting.text(words()), self.value(setting)),
            },
            Row::Save => format!("{}: {}{cursor}", words().save_rules, self.save_name),
        }
    }

    /// The selected value of a line.
    fn value(&self, setting: Setting) -> String {
        let mut choices = self.table.choices(setting).into_iter();
        choices.find(|choice| self.table.is_chosen(*choice)).map_or(String::new(), |choice| choice.text(words()))
    }

    /// The explanation of the line under the cursor, or a notice.
    fn explanation(&self) -> String {
        let text = match self.focused() {
            Row::Mode => "← → choose how to begin.",
            Row::Name => "What the others call you.",
            Row::Server => "The address of the server, such as http://localhost:4242.",
            Row::Link => {
                "An invite link to play, watch or coach, the code that the host tells you, or the id of an open table."
            }
            Row::Rules => "← → choose a set of rules, or change single rules below.",
            Row::Setting(setting) => &match setting.switch(true) {
                Some(_) => setting.text(words()),
                None => format!("{}: {}. ← → choose.", setting.text(words()), self.value(setting)),
            },
            Row::Save => "Type a name; Enter saves the rules, and they appear in the list of house rules.",
        };
        self.notice.clone().unwrap_or_else(|| text.to_owned())
    }
}

/// The short name of a switch.
fn switch_name(setting: Setting) -> &'static str {
    match setting {
        Setting::PlayOn => "play on to the last trick",
        Setting::Spectators => "open to spectators",
        Setting::OpenHands => "open hands",
        other => other.name(),
    }
}

/// A line of the form, wrapped to the width of its box.
fn row_lines(text: &str, is_focused: bool, width: u16, look: Look) -> impl Iterator<Item = Line<'static>> {
    const BORDERS_AND_CURSOR: u16 = 4;
    // Keeps the closing arrow of a value beside its last word.
    let kept = text.replace(" ›", "\u{1}›");
    let parts = wrapped(&[kept], width.saturating_sub(BORDERS_AND_CURSOR));
    parts.into_iter().map(|part| part.replace('\u{1}', " ")).enumerate().map(move |(number, part)| {
        match (is_focused, number) {
            (true, 0) => Line::styled(format!("▶ {part}"), look.selected()),
            (true, _) => Line::styled(format!("  {part}"), look.selected()),
            (false, _) => Line::raw(format!("  {part}")),
        }
    })
}

/// Draws the form.
pub(super) fn draw(frame: &mut Frame<'_>, form: &Form) {
    let look = Look::new(form.has_color);
    let [body, explanation, keys] =
        Layout::vertical([Constraint::Min(3), Constraint::Length(3), Constraint::Length(2)]).areas(frame.area());
    let mut lines: Vec<Line<'_>> = Vec::new();
    let mut last_of_focused = 0;
    for (number, row) in form.rows().into_iter().enumerate() {
        let is_focused = number == form.focus;
        lines.extend(row_lines(&form.line(row), is_focused, body.width, look));
        last_of_focused = if is_focused { lines.len() - 1 } else { last_of_focused };
    }
    let hidden = u16::try_from(last_of_focused).unwrap_or_default().saturating_sub(body.height.saturating_sub(3));
    let block = Block::bordered().title(Line::styled(format!(" {} ", words().title), look.strong()));
    frame.render_widget(Paragraph::new(lines).scroll((hidden, 0)).block(block), body);
    frame.render_widget(Paragraph::new(form.explanation()).wrap(Wrap { trim: true }), explanation);
    let help = match form.mode {
        FormMode::Table => "↑↓ move · ←→ change · Space toggle · Enter use these rules · Esc back",
        _ => "↑↓ move · ←→ change · Space toggle · Enter begin · Esc quit",
    };
    frame.render_widget(Paragraph::new(Line::styled(help, look.quiet())).wrap(Wrap { trim: true }), keys);
}
