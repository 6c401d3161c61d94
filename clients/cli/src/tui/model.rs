//! The state that the terminal draws: the view of the table, the session that it belongs to, and the cursor. Everything about
//! the game is looked up in the view; this module implements no rule.

use std::collections::VecDeque;

use texas42_client::{ClientCore, Lobby};
use texas42_house_rules::TableSettings;
use texas42_phrases::{Language, Phrase, Words, fill};
use texas42_protocol::{ActionHint, Capability, GameView, PlayerId, PlayerView, ValidAction};
use texas42_vocab::{Action, Control, Domino, Hand, Phase, Seat, Team};

use super::events;
use crate::{
    invites::{self, MadeLink},
    show,
    speech::{self, Muted},
};

/// The maximum number of lines in the log.
const MAX_EVENTS: usize = 200;
/// The maximum length of the typed text.
const MAX_INPUT: usize = 32;

/// A window over the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Overlay {
    /// The keys.
    Help,
    /// The question whether to quit.
    Quit,
    /// The invite links.
    Links,
    /// The phrases to say.
    Say,
}

/// A table as the terminal shows it.
#[derive(Clone, Debug, Default)]
pub(crate) struct TableModel {
    /// The latest view; none before the client joined.
    pub(crate) view: Option<GameView>,
    /// The host's hints for the current decision.
    pub(crate) hints: Vec<ActionHint>,
    /// The seat of this session.
    pub(crate) seat: Option<Seat>,
    /// What the session may do and see.
    pub(crate) capabilities: Vec<Capability>,
    /// Whether the table is in this process.
    pub(crate) is_offline: bool,
    /// Whether the client is at the table now.
    pub(crate) is_joined: bool,
    /// Whether a request is not answered yet.
    pub(crate) is_waiting: bool,
    /// Whether the table waits for this person to declare readiness.
    pub(crate) must_declare_ready: bool,
    /// Whether somebody asks this person to allow an undo.
    pub(crate) is_asked_to_undo: bool,
    /// How many events the game had before this person's last move.
    pub(crate) moved_at: Option<u16>,
    /// The invite links that were made, and the code of the lobby.
    pub(crate) links: Vec<MadeLink>,
    /// The lobby, if this person manages the table.
    pub(crate) lobby: Lobby,
    /// The log, in sentences.
    pub(crate) events: VecDeque<String>,
    /// The people whom this person has muted.
    pub(crate) muted: Muted,
    /// The latest notice, such as a refusal or a lost connection.
    pub(crate) notice: Option<String>,
    /// The choice under the cursor.
    pub(crate) selected: Option<usize>,
    /// The text typed so far.
    pub(crate) input: String,
    /// The open overlay.
    pub(crate) overlay: Option<Overlay>,
    /// Whether colors may be used.
    pub(crate) has_color: bool,
}

/// The phrases of the terminal's language.
pub(crate) fn words() -> &'static Words {
    Language::English.words()
}

// Updates.
impl TableModel {
    /// Copies the state of the client, and adds the changes since the last update to the log.
    pub(crate) fn update(&mut self, client: &ClientCore) {
        self.seat = client.seat();
        self.capabilities = client.capabilities().to_vec();
        self.is_joined = client.is_joined();
        self.is_waiting = client.is_waiting();
        self.must_declare_ready = client.must_declare_ready();
        self.is_asked_to_undo = client.is_asked_to_undo();
        self.hints = client.hints().to_vec();
        self.show_lobby(client.lobby());
        if let Some((_, view)) = client.table() {
            self.show(view.clone());
        }
    }

    /// Shows the lobby, and asks about the guests who have come.
    pub(crate) fn show_lobby(&mut self, lobby: &Lobby) {
        let before = std::mem::replace(&mut self.lobby, lobby.clone());
        for (number, guest) in invites::new_guests(&before, lobby) {
            let question = invites::guest_question(number, guest);
            self.events.push_back(question.clone());
            self.notice = Some(question);
        }
    }

    /// Replaces the view, and adds the changes to the log.
    pub(crate) fn show(&mut self, view: GameView) {
        let actions = |view: &GameView| view.valid_actions.iter().map(|valid| valid.action).collect::<Vec<_>>();
        let before = self.view.replace(view);
        let after = self.view.as_ref().expect("it was put there");
        let sentences = events::between(before.as_ref(), after, self.seat);
        if before.is_none_or(|before| actions(&before) != actions(after)) {
            self.input.clear();
            self.selected = (self.choices().len() == 1).then_some(0);
        }
        self.add_to_log(sentences);
    }

    fn add_to_log(&mut self, sentences: impl IntoIterator<Item = String>) {
        self.events.extend(sentences);
        self.events.drain(..self.events.len().saturating_sub(MAX_EVENTS));
    }

    /// Adds what somebody said to the log, unless that person is muted. What a coach says is also the latest notice.
    pub(crate) fn hear(&mut self, player: &PlayerId, phrase: Phrase, domino: Option<Domino>) {
        let Some(view) = self.view.as_ref().filter(|_| self.muted.hears(player)) else { return };
        let sentence = speech::sentence(view, player, phrase, domino);
        if phrase.kind().is_for_coaches() {
            self.notice = Some(sentence.clone());
        }
        self.add_to_log([sentence]);
    }

    /// Adds a character to the typed text, and moves the cursor to the choice that it names.
    pub(crate) fn type_in(&mut self, letter: char) {
        if self.input.chars().count() < MAX_INPUT {
            self.input.push(letter);
        }
        self.follow_input();
    }

    /// Deletes the last character.
    pub(crate) fn erase(&mut self) {
        self.input.pop();
        self.follow_input();
    }

    fn follow_input(&mut self) {
        let named = self.find_choice(&self.input).map(|(number, _)| number);
        self.selected = named.or(self.selected);
    }
}

// The game.
impl TableModel {
    /// The phase of the game; none before the client joined.
    pub(crate) fn phase(&self) -> Option<Phase> {
        self.view.as_ref().map(|view| view.state.phase)
    }

    /// The seat that is drawn at the bottom: this session's seat, or the seat that it coaches.
    pub(crate) fn bottom(&self) -> Seat {
        self.seat.or(self.student()).unwrap_or(Seat::ALL[0])
    }

    /// The seat that the session coaches.
    pub(crate) fn student(&self) -> Option<Seat> {
        Capability::coached_seat(&self.capabilities)
    }

    /// Whether people talk at this table.
    pub(crate) fn may_talk(&self) -> bool {
        !self.is_offline && self.view.as_ref().is_some_and(|view| !view.metadata.table.rated)
    }

    /// What this person can say now. A coach points at the domino under the cursor.
    pub(crate) fn sayings(&self) -> Vec<(Phrase, Option<Domino>)> {
        let is_coach = self.seat.is_none() && self.student().is_some();
        let chosen = self.selected.and_then(|at| played(self.choices().get(at)?.action)).filter(|_| is_coach);
        let pointing = Phrase::pointing().flat_map(|phrase| chosen.map(|domino| (phrase, Some(domino))));
        Phrase::offered(is_coach).map(|phrase| (phrase, None)).chain(pointing).collect()
    }

    /// The legal actions of the seat at the bottom.
    pub(crate) fn choices(&self) -> Vec<&ValidAction> {
        let bottom = self.bottom();
        let valid = self.view.iter().flat_map(|view| &view.valid_actions);
        valid.filter(|valid| valid.action.player().is_none_or(|player| player == bottom)).collect()
    }

    /// The choice that a text names by its shortcut, number, label or domino, in this order.
    pub(crate) fn find_choice(&self, text: &str) -> Option<(usize, Action)> {
        let choices = self.choices();
        let number = show::find_choice(&choices, text)?;
        Some((number, choices[number].action))
    }

    /// The choice that plays a domino.
    pub(crate) fn play_of(&self, domino: Domino) -> Option<usize> {
        self.choices().iter().position(|valid| played(valid.action) == Some(domino))
    }

    /// Whether this session can change the rules of the table now.
    pub(crate) fn may_change_rules(&self) -> bool {
        let can_change = || self.view.as_ref().and_then(TableSettings::of_table).is_some();
        self.capabilities.contains(&Capability::ConfigureVariant) && can_change()
    }

    /// Whether a key gets a code for the table. During a hand, `code` can be typed.
    pub(crate) fn may_open_lobby(&self) -> bool {
        !self.is_offline && self.may_change_rules()
    }

    /// Whether this session has a seat and the seat has a choice.
    pub(crate) fn is_my_turn(&self) -> bool {
        self.seat.is_some() && !self.choices().is_empty()
    }

    /// The `to` of the undo that this person can request or agree to. A pending request takes precedence over this person's own
    /// move.
    pub(crate) fn undo(&self) -> Option<u16> {
        let view = self.view.as_ref().filter(|_| self.capabilities.contains(&Capability::UndoActions))?;
        if let Some(asked) = &view.metadata.undo {
            return Some(asked.to).filter(|_| self.seat.is_some_and(|seat| !asked.agreed.contains(&seat)));
        }
        let is_open = view.state.phase != Phase::Scoring && !view.state.phase.is_over();
        self.moved_at.filter(|at| is_open && *at < view.state.events)
    }

    /// The text about a pending undo request.
    pub(crate) fn undo_text(&self) -> Option<String> {
        let asked = self.view.as_ref()?.metadata.undo.as_ref()?;
        let seat = self.seat?;
        if asked.agreed.contains(&seat) {
            return Some(words().others_have_to_agree.to_owned());
        }
        let names: Vec<String> = asked.agreed.iter().map(|seat| self.name(*seat)).collect();
        Some(format!("{} u agrees, n declines.", fill(words().asks_to_take_back, &[&names.join(", ")])))
    }

    /// The dominoes of a seat that this session may see.
    pub(crate) fn hand(&self, seat: Seat) -> Hand {
        self.view.as_ref().map(|view| view.state.players[seat.index()].hand).unwrap_or_default()
    }
}

// People.
impl TableModel {
    /// The player on a seat.
    pub(crate) fn player_on(&self, seat: Seat) -> Option<&PlayerView> {
        player_on(self.view.as_ref()?, seat)
    }

    /// The name of the player on a seat.
    pub(crate) fn name(&self, seat: Seat) -> String {
        self.view.as_ref().map_or_else(String::new, |view| name(view, seat))
    }

    /// The name of a team: "us" and "them" for a player, neutral for a spectator.
    pub(crate) fn team_name(&self, team: Team) -> &'static str {
        match (self.seat.map(Seat::team), team.index()) {
            (Some(own), _) if own == team => words().us,
            (Some(_), _) => words().them,
            (None, 0) => words().side_even,
            (None, _) => words().side_odd,
        }
    }

    /// Both teams, the one at the bottom first.
    pub(crate) fn teams(&self) -> [Team; 2] {
        let first = self.bottom().team();
        [first, first.other()]
    }

    /// Whether a bot plays this session's seat.
    pub(crate) fn is_played_by_bot(&self) -> bool {
        let player = self.seat.and_then(|seat| self.player_on(seat));
        player.is_some_and(|player| player.control_type == Control::Ai)
    }

    /// Whether this session took its seat too late for this deal.
    pub(crate) fn waits_for_deal(&self) -> bool {
        let player = self.seat.and_then(|seat| self.player_on(seat));
        player.is_some_and(|player| player.waits_for_deal)
    }
}

pub(crate) fn player_on(view: &GameView, seat: Seat) -> Option<&PlayerView> {
    view.players.iter().find(|player| player.player_index == Some(seat))
}

/// The name of the player on a seat, or the number of an empty seat, counted from 1.
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
