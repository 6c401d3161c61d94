//! The form that starts a game: offline, at a new table of a server, or with a link; and its screen.

use ratatui::{
    Frame,
    layout::{Constraint, Layout},
    text::Line,
    widgets::{Block, Paragraph, Wrap},
};
use texas42_protocol::Name;
use texas42_vocab::Layer;

use super::{draw::Look, model::words};
use crate::{
    house_rules::{HouseRules, NewTable, choices},
    invite_link::{InviteLink, Target},
    wire::Place,
};

/// The scores that the form offers to play to, in marks.
pub(super) const TARGETS: [u16; 5] = [1, 3, 5, 7, 10];

/// How a game begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// Go on with the saved game.
    Resume,
    /// Play computer players, without a server.
    Offline,
    /// Create a table on a server.
    Online,
    /// Use a link.
    Link,
}

impl Way {
    const fn text(self) -> &'static str {
        match self {
            Self::Resume => "resume your saved game",
            Self::Offline => "play computer players offline",
            Self::Online => "create an online table",
            Self::Link => "join with a link",
        }
    }
}

/// What was chosen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Start {
    /// Go on with the saved game.
    Resume,
    /// Play computer players, without a server.
    Offline(NewTable, Name),
    /// Create a table on a server.
    Online(Place, NewTable, Name),
    /// Use a link.
    Link(InviteLink, Name),
}

/// One line of the form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Row {
    Way,
    Name,
    Server,
    Link,
    Rule(Layer),
    Target,
    People,
    Watchers,
}

/// The form, and what has been filled in.
#[derive(Clone, Debug)]
pub struct Form {
    /// Whether there is a saved game.
    pub has_saved: bool,
    /// How the game begins.
    pub way: Way,
    /// What the person is called.
    pub name: String,
    /// The address of the server.
    pub server: String,
    /// The link.
    pub link: String,
    /// The table that is created.
    pub table: NewTable,
    pub(super) focus: usize,
    pub(super) notice: Option<String>,
    pub(super) has_colour: bool,
}

impl Form {
    /// A form that is filled in as usual.
    pub fn new(way: Way, name: &str, server: &str) -> Self {
        Self {
            has_saved: way == Way::Resume,
            way,
            name: name.to_owned(),
            server: server.to_owned(),
            link: String::new(),
            table: NewTable { target: Some(7), ..NewTable::new(HouseRules::casual()) },
            focus: 0,
            notice: None,
            has_colour: false,
        }
    }

    pub(super) fn ways(&self) -> Vec<Way> {
        let all = [Way::Resume, Way::Offline, Way::Online, Way::Link];
        all.into_iter().filter(|way| self.has_saved || *way != Way::Resume).collect()
    }

    /// The lines that matter for the chosen way.
    pub(super) fn rows(&self) -> Vec<Row> {
        let rules = choices().into_iter().map(Row::Rule);
        match self.way {
            Way::Resume => vec![Row::Way],
            Way::Link => vec![Row::Way, Row::Name, Row::Link, Row::Server],
            Way::Offline => [Row::Way, Row::Name].into_iter().chain(rules).chain([Row::Target]).collect(),
            Way::Online => [Row::Way, Row::Name, Row::Server]
                .into_iter()
                .chain(rules)
                .chain([Row::Target, Row::People, Row::Watchers])
                .collect(),
        }
    }

    pub(super) fn focused(&self) -> Row {
        self.rows().get(self.focus).copied().unwrap_or(Row::Way)
    }

    /// What was chosen.
    ///
    /// # Errors
    /// When a field cannot be used as it is.
    pub(super) fn start(&self) -> anyhow::Result<Start> {
        if self.way == Way::Resume {
            return Ok(Start::Resume);
        }
        let name = Name::try_from(self.name.as_str())?;
        match self.way {
            Way::Resume => Ok(Start::Resume),
            Way::Offline => Ok(Start::Offline(NewTable { people: 1, ..self.table.clone() }, name)),
            Way::Online => Ok(Start::Online(Place::parse(&self.server)?, self.table.clone(), name)),
            Way::Link => match Target::read(&self.link, &self.server)? {
                Target::Table(link) => Ok(Start::Link(link, name)),
                Target::Server(_) => anyhow::bail!("paste an invite link, or type the id of a table"),
            },
        }
    }

    fn line(&self, row: Row) -> String {
        let tick = |is_on: bool| if is_on { "[x]" } else { "[ ]" };
        let cursor = if self.focused() == row { "_" } else { "" };
        match row {
            Row::Way => format!("‹ {} ›", self.way.text()),
            Row::Name => format!("Name: {}{cursor}", self.name),
            Row::Server => format!("Server: {}{cursor}", self.server),
            Row::Link => format!("Link or table id: {}{cursor}", self.link),
            Row::Rule(layer) => format!("{} {}", tick(self.table.rules.has(&layer)), layer.name()),
            Row::Target => format!("Game to: ‹ {} ›", words().marks_text(self.table.target.unwrap_or(7))),
            Row::People => format!("People: ‹ {} ›", self.table.people),
            Row::Watchers => format!("{} open to spectators", tick(self.table.open_to_spectators)),
        }
    }

    /// What the line under the cursor means.
    fn explanation(&self) -> String {
        let text = match self.focused() {
            Row::Way => "← → choose how to begin.",
            Row::Name => "What the others call you.",
            Row::Server => "The address of the server, such as http://localhost:4242.",
            Row::Link => "An invite link to play, watch or coach, or the id of a table that is open to spectators.",
            Row::Rule(layer) => words().layer_text(&layer).unwrap_or_default(),
            Row::Target => "← → choose the marks that win the game.",
            Row::People => "How many people play, you included. Computer players take the other seats.",
            Row::Watchers => words().watchers,
        };
        self.notice.clone().unwrap_or_else(|| text.to_owned())
    }
}

/// Draws the form.
pub(super) fn draw(frame: &mut Frame<'_>, form: &Form) {
    let look = Look::new(form.has_colour);
    let [body, explanation, keys] =
        Layout::vertical([Constraint::Min(3), Constraint::Length(3), Constraint::Length(2)]).areas(frame.area());
    let line = |(number, row): (usize, Row)| {
        let text = form.line(row);
        match number == form.focus {
            true => Line::styled(format!("▶ {text}"), look.selected()),
            false => Line::raw(format!("  {text}")),
        }
    };
    let lines: Vec<Line<'_>> = form.rows().into_iter().enumerate().map(line).collect();
    let hidden = u16::try_from(form.focus).unwrap_or_default().saturating_sub(body.height.saturating_sub(3));
    let block = Block::bordered().title(Line::styled(format!(" {} ", words().title), look.strong()));
    frame.render_widget(Paragraph::new(lines).scroll((hidden, 0)).block(block), body);
    frame.render_widget(Paragraph::new(form.explanation()).wrap(Wrap { trim: true }), explanation);
    let help = "↑↓ move · ←→ change · Space tick · Enter begin · Esc quit";
    frame.render_widget(Paragraph::new(Line::styled(help, look.quiet())).wrap(Wrap { trim: true }), keys);
}
