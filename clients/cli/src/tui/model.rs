//! What the terminal shows of a table: the view that the table sent, who looks at it, and where the cursor is. Questions about
//! the game are answered by looking them up in the view, never by a rule.

use std::collections::VecDeque;

use texas42_client::GameClient;
use texas42_phrases::{Language, Words, fill};
use texas42_protocol::{Capability, GameView, PlayerView, ValidAction};
use texas42_vocab::{Action, Control, Domino, Hand, Phase, Seat, Team};

use super::events;

/// The most lines of the log that are kept.
const MAX_EVENTS: usize = 200;
/// The longest text that can be typed.
const MAX_INPUT: usize = 24;

/// What lies over the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Overlay {
    /// The keys.
    Help,
    /// The question whether to leave.
    Leave,
    /// The links that were made.
    Links,
}

/// A table as the terminal shows it.
#[derive(Clone, Debug, Default)]
pub(crate) struct TableModel {
    /// What the table sent last; nothing before the client joined.
    pub(crate) view: Option<GameView>,
    /// The own seat.
    pub(crate) seat: Option<Seat>,
    /// What the session may do and see.
    pub(crate) capabilities: Vec<Capability>,
    /// Whether the table is in this process.
    pub(crate) is_offline: bool,
    /// Whether the client is at the table now.
    pub(crate) is_joined: bool,
    /// Whether a request is not answered yet.
    pub(crate) is_waiting: bool,
    /// Whether the table waits for this person to be ready.
    pub(crate) must_declare_ready: bool,
    /// How many events the game had before the own last move.
    pub(crate) moved_at: Option<u16>,
    /// The invite links that were made, each with what it is for.
    pub(crate) links: Vec<(&'static str, String)>,
    /// What happened, in sentences.
    pub(crate) events: VecDeque<String>,
    /// The last thing to tell: a refusal, or trouble with the connection.
    pub(crate) notice: Option<String>,
    /// The choice under the cursor.
    pub(crate) selected: Option<usize>,
    /// What is being typed.
    pub(crate) input: String,
    /// What lies over the table.
    pub(crate) overlay: Option<Overlay>,
    /// Whether colours may be used.
    pub(crate) has_colour: bool,
}

/// The words of the terminal.
pub(crate) fn words() -> &'static Words {
    Language::English.words()
}

// Taking in.
impl TableModel {
    /// Takes over what the client knows. What happened since is added to the log.
    pub(crate) fn update(&mut self, client: &GameClient) {
        self.seat = client.seat();
        self.capabilities = client.capabilities().to_vec();
        self.is_joined = client.is_joined();
        self.is_waiting = client.is_waiting();
        self.must_declare_ready = client.must_declare_ready();
        if let Some((_, view)) = client.table() {
            self.show(view.clone());
        }
    }

    /// Shows another view.
    pub(crate) fn show(&mut self, view: GameView) {
        let actions = |view: &GameView| view.valid_actions.iter().map(|valid| valid.action).collect::<Vec<_>>();
        let before = self.view.replace(view);
        let after = self.view.as_ref().expect("it was put there");
        let said = events::between(before.as_ref(), after);
        if before.is_none_or(|before| actions(&before) != actions(after)) {
            self.input.clear();
            self.selected = (self.choices().len() == 1).then_some(0);
        }
        self.events.extend(said);
        self.events.drain(..self.events.len().saturating_sub(MAX_EVENTS));
    }

    /// Adds a character to what is typed, and moves the cursor to what is meant.
    pub(crate) fn type_in(&mut self, letter: char) {
        if self.input.chars().count() < MAX_INPUT {
            self.input.push(letter);
        }
        self.follow_input();
    }

    /// Takes the last character back.
    pub(crate) fn erase(&mut self) {
        self.input.pop();
        self.follow_input();
    }

    fn follow_input(&mut self) {
        let meant = self.meant(&self.input).map(|(number, _)| number);
        self.selected = meant.or(self.selected);
    }
}

// The game.
impl TableModel {
    /// The part of the game; none before the client joined.
    pub(crate) fn phase(&self) -> Option<Phase> {
        self.view.as_ref().map(|view| view.state.phase)
    }

    /// The seat that is drawn at the bottom: the own, or that of the coached player.
    pub(crate) fn bottom(&self) -> Seat {
        self.seat.or(self.student()).unwrap_or(Seat::ALL[0])
    }

    /// The seat that the session coaches.
    pub(crate) fn student(&self) -> Option<Seat> {
        self.capabilities.iter().find_map(|capability| match capability {
            Capability::ObserveHand { player_index } => Some(*player_index),
            _ => None,
        })
    }

    /// What can be done by the seat at the bottom.
    pub(crate) fn choices(&self) -> Vec<&ValidAction> {
        let bottom = self.bottom();
        let valid = self.view.iter().flat_map(|view| &view.valid_actions);
        valid.filter(|valid| valid.action.player().is_none_or(|player| player == bottom)).collect()
    }

    /// The choice that a text means, by its shortcut, its number, its name or its domino.
    pub(crate) fn meant(&self, text: &str) -> Option<(usize, Action)> {
        let choices = self.choices();
        let found = |test: &dyn Fn(&ValidAction) -> bool| choices.iter().position(|valid| test(valid));
        let by_shortcut = || found(&|valid| valid.shortcut.eq_ignore_ascii_case(text));
        let by_number = || text.parse::<usize>().ok()?.checked_sub(1).filter(|number| *number < choices.len());
        let by_label = || found(&|valid| valid.label.eq_ignore_ascii_case(text));
        let by_domino = || {
            let wanted: Domino = text.parse().ok()?;
            found(&|valid| played(valid.action) == Some(wanted))
        };
        let number = by_shortcut().or_else(by_number).or_else(by_label).or_else(by_domino)?;
        Some((number, choices[number].action))
    }

    /// The choice that plays a domino.
    pub(crate) fn play_of(&self, domino: Domino) -> Option<usize> {
        self.choices().iter().position(|valid| played(valid.action) == Some(domino))
    }

    /// Whether the decision is the own seat's.
    pub(crate) fn is_my_turn(&self) -> bool {
        self.seat.is_some() && !self.choices().is_empty()
    }

    /// To how many events the own last move can be taken back, or a request of somebody else agreed to.
    pub(crate) fn undo(&self) -> Option<u16> {
        let view = self.view.as_ref().filter(|_| self.capabilities.contains(&Capability::UndoActions))?;
        if let Some(asked) = &view.metadata.undo {
            return Some(asked.to).filter(|_| self.seat.is_some_and(|seat| !asked.agreed.contains(&seat)));
        }
        let is_open = view.state.phase != Phase::Scoring && !view.state.phase.is_over();
        self.moved_at.filter(|at| is_open && *at < view.state.events)
    }

    /// What there is to say about taking back.
    pub(crate) fn undo_text(&self) -> Option<String> {
        let asked = self.view.as_ref()?.metadata.undo.as_ref()?;
        let seat = self.seat?;
        if asked.agreed.contains(&seat) {
            return Some(words().others_have_to_agree.to_owned());
        }
        let names: Vec<String> = asked.agreed.iter().map(|seat| self.name(*seat)).collect();
        Some(format!("{} u agrees; playing on declines.", fill(words().asks_to_take_back, &[&names.join(", ")])))
    }

    /// What a seat holds, as far as it may be seen.
    pub(crate) fn hand(&self, seat: Seat) -> Hand {
        self.view.as_ref().map(|view| view.state.players[seat.index()].hand).unwrap_or_default()
    }
}

// People.
impl TableModel {
    /// Who sits on a seat.
    pub(crate) fn player_on(&self, seat: Seat) -> Option<&PlayerView> {
        player_on(self.view.as_ref()?, seat)
    }

    /// What somebody on a seat is called.
    pub(crate) fn name(&self, seat: Seat) -> String {
        self.view.as_ref().map_or_else(String::new, |view| name(view, seat))
    }

    /// What a team is called by the one who looks.
    pub(crate) fn team_name(&self, team: Team) -> &'static str {
        match (self.seat.map(Seat::team), team.index()) {
            (Some(own), _) if own == team => words().us,
            (Some(_), _) => words().them,
            (None, 0) => words().side_even,
            (None, _) => words().side_odd,
        }
    }

    /// Both teams, the one that is named first in front.
    pub(crate) fn teams(&self) -> [Team; 2] {
        let first = self.bottom().team();
        [first, first.other()]
    }

    /// Whether a computer player moves the own seat for now.
    pub(crate) fn is_replaced(&self) -> bool {
        let player = self.seat.and_then(|seat| self.player_on(seat));
        player.is_some_and(|player| player.control_type == Control::Ai)
    }
}

pub(crate) fn player_on(view: &GameView, seat: Seat) -> Option<&PlayerView> {
    view.players.iter().find(|player| player.player_index == Some(seat))
}

/// What somebody on a seat is called. Seats are counted from 1 for people.
pub(crate) fn name(view: &GameView, seat: Seat) -> String {
    let nobody = || fill(words().seat, &[&(seat.index() + 1).to_string()]);
    player_on(view, seat).map_or_else(nobody, |player| player.name.to_string())
}

const fn played(action: Action) -> Option<Domino> {
    match action {
        Action::Play { domino, .. } => Some(domino),
        _ => None,
    }
}
