//! The page's model of a table: the view that the table sent, and who looks at it. It only looks things up and applies
//! no rules.

use texas42_client::GameClient;
use texas42_phrases::{Refusal, Remark};
use texas42_protocol::{
    ActionGroup, Call, Capability, DealKind, GameId, GameView, HandWitness, PlayerId, PlayerView, Role, ValidAction,
};
use texas42_vocab::{Action, Bid, Control, Domino, Hand, Phase, Seat, Team, Trump};

use texas42_worker_protocol::Advice;

use crate::words::{Words, fill};

/// Where the table runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Home {
    /// In this browser.
    Browser,
    /// On the server that served the page.
    Server,
}

/// What a team has taken in a hand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Taken {
    /// The name of the team.
    pub name: &'static str,
    /// Its points.
    pub points: u8,
    /// Its tricks.
    pub tricks: u8,
}

/// A table as this page sees it.
#[derive(Clone, Debug, PartialEq)]
pub struct TableModel {
    /// The id of the table.
    pub game: GameId,
    /// Where it runs.
    pub home: Home,
    /// The version of the view.
    pub version: u64,
    /// The view that the table sent.
    pub view: GameView,
    /// The id of this session.
    pub player_id: Option<PlayerId>,
    /// The seat of this session.
    pub seat: Option<Seat>,
    /// What the session may do and see.
    pub capabilities: Vec<Capability>,
    /// The seat drawn at the bottom.
    pub bottom: Seat,
    /// The expert's choice for the seat at the bottom, once it is computed.
    pub best: Option<Action>,
    /// The expert's remarks about the choices.
    pub expert: Vec<(Action, Vec<Remark>)>,
}

impl TableModel {
    /// The table of a client; `None` before the table has sent a view. A coach sees it from the student's seat.
    pub fn of_client(client: &GameClient, home: Home) -> Option<Self> {
        let (version, view) = client.table()?;
        let own = view.players.iter().find(|player| Some(&player.player_id) == client.player_id());
        let seat = client.seat().or_else(|| own?.player_index);
        let mut table = Self {
            game: client.game_id()?.clone(),
            home,
            version,
            view: view.clone(),
            player_id: client.player_id().cloned(),
            seat,
            capabilities: client.capabilities().to_vec(),
            bottom: Seat::ALL[0],
            best: None,
            expert: Vec::new(),
        };
        table.bottom = seat.or(table.student()).unwrap_or(table.bottom);
        Some(table)
    }

    /// The four seats in drawing order: bottom, left, top, right.
    pub fn seats_from_bottom(&self) -> [Seat; 4] {
        let mut seats = self.bottom.round();
        core::array::from_fn(|_| seats.next().unwrap_or(self.bottom))
    }

    /// Where a seat is drawn: 0 bottom, 1 left, 2 top, 3 right.
    pub fn place(&self, seat: Seat) -> usize {
        self.seats_from_bottom().iter().position(|other| *other == seat).unwrap_or(0)
    }

    /// The player on a seat: the person, if there is one.
    pub fn player_on(&self, seat: Seat) -> Option<&PlayerView> {
        let on_seat = |player: &&PlayerView| player.player_index == Some(seat);
        let own = self.view.players.iter().find(|player| Some(&player.player_id) == self.player_id.as_ref());
        own.filter(on_seat).or_else(|| self.view.players.iter().find(on_seat))
    }

    /// Whether the person on a seat is disconnected.
    pub fn is_away(&self, seat: Seat) -> bool {
        let is_away = |player: &PlayerView| !player.is_connected && player.control_type == Control::Human;
        self.player_on(seat).is_some_and(is_away)
    }

    /// The seats of disconnected people that this session may hand over to a bot.
    pub fn replaceable(&self) -> Vec<Seat> {
        let table = &self.view.metadata.table;
        let has_clock = table.rated && table.turn_seconds.is_some();
        let may = self.capabilities.contains(&Capability::ConfigureVariant) && !has_clock && !self.phase().is_over();
        Seat::ALL.into_iter().filter(|seat| may && self.is_away(*seat)).collect()
    }

    /// The name of the player on a seat.
    pub fn name(&self, seat: Seat, words: &Words) -> String {
        self.player_on(seat).map_or_else(|| words.nobody.to_owned(), |player| player.name.to_string())
    }

    /// The name of the player on a seat; "You" for the person's own seat.
    pub fn name_or_you(&self, seat: Seat, words: &Words) -> String {
        if self.seat == Some(seat) { words.you.to_owned() } else { self.name(seat, words) }
    }

    /// The name of a team from the viewer's perspective.
    pub fn team_name(&self, team: Team, words: &Words) -> &'static str {
        match (self.seat.map(Seat::team), team.index()) {
            (Some(own), _) if own == team => words.us,
            (Some(_), _) => words.them,
            (None, 0) => words.side_even,
            (None, _) => words.side_odd,
        }
    }

    /// The team that is listed first: that of the seat at the bottom.
    pub fn first_team(&self) -> Team {
        self.bottom.team()
    }

    /// What both teams have taken in this hand, in listing order.
    pub fn taken(&self, words: &Words) -> [Taken; 2] {
        let (first, state) = (self.first_team(), &self.view.state);
        [first, first.other()].map(|team| Taken {
            name: self.team_name(team, words),
            points: state.points[team.index()],
            tricks: state.tricks_taken[team.index()],
        })
    }

    /// The call of a seat in this auction.
    pub fn call(&self, seat: Seat) -> Option<Call> {
        self.view.state.auction.iter().copied().find(|call| call.player == seat)
    }

    /// The highest bid, and who made it.
    pub fn standing(&self) -> Option<(Seat, Bid)> {
        self.view.state.auction.iter().rev().find_map(|call| Some((call.player, call.bid?)))
    }

    /// The trumps, once they are named.
    pub fn trump(&self) -> Option<Trump> {
        self.view.state.contract.and_then(|contract| contract.trump)
    }

    /// The phase of the game.
    pub const fn phase(&self) -> Phase {
        self.view.state.phase
    }

    /// The visible dominoes of a seat.
    pub const fn hand(&self, seat: Seat) -> Hand {
        self.view.state.players[seat.index()].hand
    }

    /// The number of dominoes that a seat holds.
    pub const fn hand_count(&self, seat: Seat) -> u8 {
        self.view.state.players[seat.index()].hand_count
    }

    /// This seat's valid actions of a group; without hints, which may change while the choices stay the same.
    pub fn offered(&self, group: ActionGroup) -> Vec<ValidAction> {
        let own = |valid: &&ValidAction| valid.group == group && self.is_own(valid.action);
        let bare = |valid: &ValidAction| ValidAction { hint: None, ..valid.clone() };
        self.view.valid_actions.iter().filter(own).map(bare).collect()
    }

    /// Whether an action is for this session's seat; coaches also see those of their student.
    pub fn is_own(&self, action: Action) -> bool {
        self.seat.is_some() && action.player() == self.seat
    }

    /// The valid action that plays a domino.
    pub fn play_offer(&self, domino: Domino) -> Option<&ValidAction> {
        let is_it = |valid: &&ValidAction| {
            matches!(valid.action, Action::Play { domino: offered, .. } if offered == domino)
                && self.is_own(valid.action)
        };
        self.view.valid_actions.iter().find(is_it)
    }

    /// The remark about an action for the person at the bottom seat, a player or a coach.
    pub fn remark(&self, action: Action, words: &Words) -> Option<String> {
        let choice = self.choices().find(|valid| valid.action == action)?;
        let hint = self.said_about(choice, words)?;
        Some(if self.is_best(action) { [words.experts_choice, ". ", &hint].concat() } else { hint })
    }

    /// The advice for a group of choices, and whether it is about the expert's choice.
    pub fn advice(&self, group: ActionGroup, words: &Words) -> Option<(bool, String)> {
        let said = self.choices().filter(|valid| valid.group == group && valid.hint.is_some());
        let choice = said.min_by_key(|valid| !self.is_best(valid.action))?;
        Some((self.is_best(choice.action), self.said_about(choice, words)?))
    }

    /// The expert's remarks about a choice, or the table's hint until those are computed.
    fn said_about(&self, choice: &ValidAction, words: &Words) -> Option<String> {
        let expert = self.expert.iter().find(|(action, _)| *action == choice.action);
        expert.map(|(_, why)| words.remarks(why)).or_else(|| Some(words.hint(choice.hint?)))
    }

    /// Whether an action is the expert's choice.
    pub fn is_best(&self, action: Action) -> bool {
        self.best == Some(action)
    }

    /// The valid actions of the seat at the bottom.
    fn choices(&self) -> impl Iterator<Item = &ValidAction> {
        self.view.valid_actions.iter().filter(|valid| valid.action.player() == Some(self.bottom))
    }

    /// Whether there is a choice to make for which hints are given.
    pub fn wants_advice(&self) -> bool {
        self.choices().count() > 1 && self.choices().any(|valid| valid.hint.is_some())
    }

    /// The table with the expert's advice, which is in the order of the choices.
    #[must_use]
    pub fn advised(&self, advice: &[Advice]) -> Self {
        let choices = || self.choices().map(|valid| valid.action).zip(advice);
        let best = choices().find(|(_, advice)| advice.is_best).map(|(action, _)| action);
        let expert = choices().map(|(action, advice)| (action, advice.why.clone())).collect();
        Self { best, expert, ..self.clone() }
    }

    /// The intent of a bot with its last move, if it is visible.
    pub fn intent(&self, seat: Seat, words: &Words) -> Option<String> {
        let intents = &self.view.derived.intents;
        intents.iter().find(|shown| shown.player == seat).map(|shown| shown.intent.said(words))
    }

    /// The seat that this session coaches.
    pub fn student(&self) -> Option<Seat> {
        self.capabilities.iter().find_map(|capability| match capability {
            Capability::ObserveHand { player_index } => Some(*player_index),
            _ => None,
        })
    }

    /// The valid action that agrees to continue after a trick or a hand.
    pub fn agree_offer(&self) -> Option<&ValidAction> {
        let agrees = |action: Action| {
            matches!(action, Action::AgreeCompleteTrick { .. } | Action::AgreeScoreHand { .. }) && self.is_own(action)
        };
        self.view.valid_actions.iter().find(|valid| agrees(valid.action))
    }

    /// Why a domino of the person's hand is not legal now.
    pub fn why_blocked(&self, domino: Domino) -> Option<Refusal> {
        let blocked = self.view.derived.blocked.iter().find(|blocked| blocked.domino == domino)?;
        Some(blocked.reason)
    }

    /// Whether it is this session's turn.
    pub fn is_my_turn(&self) -> bool {
        self.seat.is_some() && self.view.derived.to_act == self.seat && !self.view.valid_actions.is_empty()
    }

    /// Whether a bot currently plays for this seat.
    pub fn is_replaced(&self) -> bool {
        let control = self.seat.and_then(|seat| self.player_on(seat)).map(|player| player.control_type);
        control == Some(Control::Ai)
    }

    /// Whether this seat can be handed over to a bot.
    pub fn may_be_replaced(&self) -> bool {
        self.seat.is_some() && !self.is_replaced() && !self.phase().is_over()
    }

    /// When the time for the current decision runs out, by the table's clock.
    pub fn deadline(&self) -> Option<u64> {
        self.view.metadata.deadline.filter(|_| self.view.derived.to_act.is_some())
    }

    /// When the current decision started, by the table's clock, if there is a time limit.
    pub fn decision_since(&self) -> Option<u64> {
        let metadata = &self.view.metadata;
        Some(metadata.deadline?.saturating_sub(u64::from(metadata.table.turn_seconds?) * 1000))
    }

    /// The seat that a bot has taken over from a person since `before`.
    pub fn taken_over(&self, before: &Self) -> Option<Seat> {
        let control = |table: &Self, seat| table.player_on(seat).map(|player| player.control_type);
        Seat::ALL
            .into_iter()
            .find(|seat| control(before, *seat) == Some(Control::Human) && control(self, *seat) == Some(Control::Ai))
    }

    /// Whether this session may ask to undo.
    pub fn takes_back(&self) -> bool {
        self.capabilities.contains(&Capability::UndoActions)
    }

    /// The local-storage name of a value about this game.
    pub fn kept_name(&self, what: &str) -> String {
        format!("{what}.{}.{}", self.game, self.view.metadata.game_number)
    }

    /// The commitment to the current hand, until the hand is revealed.
    pub fn promise(&self) -> Option<&str> {
        let proof = self.view.metadata.deal.as_ref()?;
        let is_shown = proof.revealed.as_ref().is_some_and(|hand| hand.hand_number == self.view.state.hand_number);
        (!is_shown).then_some(&*proof.hand_commitment)
    }

    /// The current hand with everything that was hidden, once it is over. After a claim, only the view before it shows
    /// the dominoes of the unfinished trick.
    pub fn witness(&self, promise: &str, before: &Self) -> Option<HandWitness> {
        let state = &self.view.state;
        let shown = self.view.metadata.deal.as_ref()?.revealed.as_ref()?;
        let mut dealt = Seat::ALL.map(|seat| self.hand(seat));
        let laid = state.tricks.iter().chain(&state.trick).chain(&before.view.state.trick);
        for play in laid.flat_map(|trick| &trick.plays) {
            let hand = &mut dealt[play.player.index()];
            *hand = hand.with(play.domino);
        }
        let is_whole = shown.hand_number == state.hand_number && dealt.iter().all(|hand| hand.len() == 7);
        is_whole.then(|| HandWitness {
            hand_number: shown.hand_number,
            commitment: promise.to_owned(),
            share: shown.share.clone(),
            entropy: shown.entropy.clone(),
            dealt,
        })
    }

    /// Whether both show the same hand of the same game.
    pub fn is_same_hand(&self, other: &Self) -> bool {
        let hand = |table: &Self| (table.game.clone(), table.view.metadata.game_number, table.view.state.hand_number);
        hand(self) == hand(other)
    }

    /// Whether this is the game after a finished one at the same table.
    pub fn is_next_game(&self, before: &Self) -> bool {
        let number = |table: &Self| table.view.metadata.game_number;
        before.phase().is_over() && self.game == before.game && number(self) != number(before)
    }

    /// Whether this session may see everything.
    pub fn sees_everything(&self) -> bool {
        self.capabilities.contains(&Capability::ObserveFullState)
    }

    /// Whether the table waits for this person to be ready.
    pub fn must_declare_ready(&self) -> bool {
        self.view.not_ready().any(|seat| Some(seat) == self.seat)
    }

    /// The sentence about the claim that ended the hand.
    pub fn claim_text(&self, words: &Words) -> Option<String> {
        let claim = self.view.state.claim?;
        let text = if claim.stands { words.claim_stood } else { words.claim_failed };
        Some(fill(text, &[&self.name(claim.player, words)]))
    }

    /// Whether others can join: not if the deals are public.
    pub fn is_open_to_others(&self) -> bool {
        self.view.metadata.table.deal != DealKind::Seeded
    }

    /// The roles to which this session may invite others, the most common first.
    pub fn invites_to(&self) -> Vec<Role> {
        let looks_after = self.capabilities.contains(&Capability::ConfigureVariant);
        let is_student = self.seat.is_some() && !self.view.metadata.table.rated;
        let roles = [
            (Role::Player, looks_after && self.is_open_to_others()),
            (Role::Spectator, looks_after),
            (Role::Coach, is_student),
            (Role::Admin, looks_after && self.has_open_hands()),
        ];
        let may = roles.into_iter().filter(|(_, may)| *may && self.home == Home::Server);
        may.map(|(role, _)| role).collect()
    }

    /// Whether the game was imported from another person's device, which dealt it.
    pub fn is_guest_of_an_imported_table(&self) -> bool {
        let is_its_owner = self.capabilities.contains(&Capability::ConfigureVariant);
        self.home == Home::Server && self.view.metadata.table.brought && !is_its_owner
    }

    /// Whether the table allows invites that show all hands.
    pub fn has_open_hands(&self) -> bool {
        self.view.metadata.table.open_hands
    }
}
