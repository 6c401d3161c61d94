//! The page's model of a table: the view that the table sent, and who looks at it. It only looks things up and applies
//! no rules.

use texas42_client::ClientCore;
use texas42_house_rules::{SettingValue, TableSettings};
use texas42_phrases::{OutcomeReason, Refusal, Remark};
use texas42_protocol::{
    ActionGroup, BotLevel, Call, Capability, ChallengeView, DealKind, GameId, GameView, HandSummary, HandWitness,
    PlayerId, PlayerView, Role, TrickView, ValidAction,
};
use texas42_vocab::{Action, Bid, BidKind, Control, Domino, Hand, Layer, Phase, Scoring, Seat, Team, Trump};

use texas42_worker_protocol::ActionAdvice;

use crate::words::{Words, fill, lowercase};

/// The points of a hand.
pub const ALL_POINTS: u8 = 42;

/// A bid of this many points more than necessary is unusual.
const UNUSUAL_JUMP: u8 = 5;

/// Where the table runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HostKind {
    /// In this browser.
    Browser,
    /// On the server that served the page.
    Server,
}

/// What a team has taken in a hand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TeamTotal {
    /// The team.
    pub team: Team,
    /// The name of the team.
    pub name: &'static str,
    /// Its points.
    pub points: u8,
    /// Its tricks.
    pub tricks: u8,
}

/// How far both teams are from deciding a bid of points.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Race {
    /// The team of the bidder.
    pub bidders: Team,
    /// The points that they bid.
    pub bid: u8,
    /// The points that they still need.
    pub needed: u8,
    /// The points that the others still need to set them.
    pub to_set: u8,
}

/// The dominoes that the seat at the bottom has not seen: neither in its hand nor played.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StillOut {
    /// Those that count.
    pub counts: Hand,
    /// The trumps; `None` while none are named and in a hand without trumps.
    pub trumps: Option<Hand>,
}

/// A table as this page sees it.
#[derive(Clone, Debug, PartialEq)]
pub struct TableModel {
    /// The id of the table.
    pub game: GameId,
    /// Where it runs.
    pub home: HostKind,
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
    pub fn of_client(client: &ClientCore, home: HostKind) -> Option<Self> {
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

    /// The seats that this session may let a bot play: those of disconnected people, if it is the host, and those
    /// that a table without a time limit waits for. The table refuses the latter until it has waited for long.
    pub fn replaceable(&self) -> Vec<Seat> {
        let table = &self.view.metadata.table;
        let has_clock = table.rated && table.turn_seconds.is_some();
        let may = self.is_host() && !has_clock && !self.phase().is_over();
        let has_limit = table.turn_seconds.is_some() && self.phase() != Phase::Setup;
        let may_ask = |seat: Seat| self.seat.is_some_and(|own| own != seat) && !has_limit;
        let is_slow = |seat: Seat| may_ask(seat) && self.view.waits_for().any(|awaited| awaited == seat);
        Seat::ALL.into_iter().filter(|seat| (may && self.is_away(*seat)) || is_slow(*seat)).collect()
    }

    /// Whether this session manages the table.
    pub fn is_host(&self) -> bool {
        self.capabilities.contains(&Capability::ConfigureVariant)
    }

    /// Whether this session can change the rules of the table now.
    pub fn may_change_rules(&self) -> bool {
        self.is_host() && TableSettings::of_table(&self.view).is_some()
    }

    /// The name of the player on a seat.
    pub fn name(&self, seat: Seat, words: &Words) -> String {
        self.player_on(seat).map_or_else(|| words.nobody.to_owned(), |player| player.name.to_string())
    }

    /// The name of the player on a seat; "You" for the person's own seat.
    pub fn name_or_you(&self, seat: Seat, words: &Words) -> String {
        if self.seat == Some(seat) { words.you.to_owned() } else { self.name(seat, words) }
    }

    /// The name of the player on a seat; "your partner" for the person's partner.
    pub fn name_or_partner(&self, seat: Seat, words: &Words) -> String {
        match self.seat == Some(seat.partner()) {
            true => words.your_partner.to_owned(),
            false => self.name_or_you(seat, words),
        }
    }

    /// The trick that is complete and still lies on the table.
    pub fn complete_trick(&self) -> Option<&TrickView> {
        let is_complete = self.phase() == Phase::Playing && self.view.derived.to_act.is_none();
        self.view.state.trick.as_ref().filter(|_| is_complete)
    }

    /// Who takes a complete trick, and what it is worth.
    pub fn trick_text(&self, trick: &TrickView, words: &Words) -> Option<String> {
        let winner = trick.winner?;
        let text = match self.seat == Some(winner) {
            true => words.trick_yours.to_owned(),
            false => fill(words.trick_taken, &[&self.name(winner, words)]),
        };
        Some(format!("{text}, {}", fill(words.trick_worth, &[&trick.points.to_string()])))
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
    pub fn taken(&self, words: &Words) -> [TeamTotal; 2] {
        let (first, state) = (self.first_team(), &self.view.state);
        [first, first.other()].map(|team| TeamTotal {
            team,
            name: self.team_name(team, words),
            points: state.points[team.index()],
            tricks: state.tricks_taken[team.index()],
        })
    }

    /// What decided the hand, from the viewer's perspective: a sentence without capitalization or a period.
    pub fn outcome_text(&self, words: &Words) -> Option<&'static str> {
        let reason = self.view.state.outcome.as_ref()?.reason;
        let is_own =
            self.view.state.contract.zip(self.seat).map(|(contract, own)| contract.bidder.team() == own.team());
        Some(match (reason, is_own) {
            (OutcomeReason::BidReached, Some(true)) => words.outcome_bid_reached_us,
            (OutcomeReason::BidReached, Some(false)) => words.outcome_bid_reached_them,
            _ => words.outcome(reason),
        })
    }

    /// Who has which bid, once the auction is over.
    pub fn bid_text(&self, words: &Words) -> Option<String> {
        let contract = self.view.state.contract?;
        let text = if self.seat == Some(contract.bidder) { words.says_wins_bid_you } else { words.says_wins_bid };
        Some(fill(text, &[&self.name(contract.bidder, words), &words.bid_text(contract.bid)]))
    }

    /// What plays on a seat if it is a bot, such as "computer · expert". `usual` is the level of this browser's bots.
    pub fn bot_text(&self, seat: Seat, usual: Option<BotLevel>, words: &Words) -> Option<String> {
        self.player_on(seat).filter(|player| player.control_type == Control::Ai)?;
        // A replay does not know how strong the bots were.
        let usual = usual.filter(|_| self.home == HostKind::Browser && self.player_id.is_some());
        Some(match self.view.metadata.table.bots[seat.index()].or(usual) {
            Some(level) => {
                let level = lowercase(&SettingValue::Bot(seat, Some(level)).text(words));
                format!("{}\u{a0}· {level}", words.bot)
            }
            None => words.bot.to_owned(),
        })
    }

    /// How far both teams are from deciding the hand, if the bid is one of points.
    pub fn race(&self) -> Option<Race> {
        let contract = self.view.state.contract.filter(|contract| contract.bid.kind == BidKind::Points)?;
        let (bidders, bid, points) = (contract.bidder.team(), contract.bid.value, self.view.state.points);
        let needed = bid.saturating_sub(points[bidders.index()]);
        let to_set = (ALL_POINTS + 1).saturating_sub(bid).saturating_sub(points[bidders.other().index()]);
        Some(Race { bidders, bid, needed, to_set })
    }

    /// Where the bid is on the meter, which counts the points of the first team from the left.
    pub fn bid_on_meter(&self) -> Option<u8> {
        let race = self.race()?;
        Some(if race.bidders == self.first_team() { race.bid } else { ALL_POINTS - race.bid })
    }

    /// What a team that bid marks needs, until it is decided: every trick, or none in nello.
    fn needs_tricks(&self, team: Team, words: &Words) -> Option<&'static str> {
        let state = &self.view.state;
        let is_theirs = |bidder: Seat, kind| bidder.team() == team && kind != BidKind::Points;
        let contract = state.contract.filter(|contract| is_theirs(contract.bidder, contract.bid.kind))?;
        let (text, spoiler) = match contract.trump? {
            Trump::Nello => (words.loses_all, team),
            _ => (words.needs_all, team.other()),
        };
        (state.tricks_taken[spoiler.index()] == 0 && state.outcome.is_none()).then_some(text)
    }

    /// What a team still needs in this hand, or the number of its tricks if there is nothing to say.
    pub fn needs(&self, taken: &TeamTotal, words: &Words) -> String {
        match self.race() {
            Some(Race { bidders, needed: needed @ 1.., to_set: 1.., .. }) if taken.team == bidders => {
                fill(words.needs_more, &[&needed.to_string()])
            }
            Some(Race { needed: 1.., to_set: to_set @ 1.., .. }) => fill(words.to_set, &[&to_set.to_string()]),
            _ => self.needs_tricks(taken.team, words).map_or_else(|| words.tricks_text(taken.tricks), str::to_owned),
        }
    }

    /// The team that scores in this hand and its marks; `None` before the result and in a game for points.
    pub fn gain(&self) -> Option<(Team, u16)> {
        let state = &self.view.state;
        let (outcome, contract) = (state.outcome.as_ref()?, state.contract?);
        let team = contract.bidder.team();
        let team = if outcome.made { team } else { team.other() };
        (state.scoring == Scoring::Marks).then(|| (team, contract.stake.into()))
    }

    /// Whether the result of the hand is shown together with the end of the game, since the hand is the game.
    pub fn skips_result(&self) -> bool {
        self.view.state.one_hand && self.home == HostKind::Browser && self.agree_offer().is_some()
    }

    /// Whether the scored hand ends the game.
    pub fn ends_game(&self) -> bool {
        let state = &self.view.state;
        state.one_hand || self.gain().is_some_and(|(team, marks)| state.score[team.index()] + marks >= state.target)
    }

    /// The points that each star of a daily challenge needs. A table of an early version does not show them.
    pub fn goal(&self) -> Option<ChallengeView> {
        self.view.state.challenge.filter(|challenge| challenge.star_thresholds[0] > 0)
    }

    /// The points that count for the stars of a daily challenge: those of the team that earns them, or all 42 for a won nello.
    pub fn points_for_stars(&self) -> u8 {
        let team = self.view.state.challenge.map_or(0, |challenge| challenge.team.index());
        let is_won = |hand: &HandSummary| hand.gained[team] > 0;
        match self.trump() {
            Some(Trump::Nello) => {
                self.view.state.last_hand.as_ref().map_or(0, |hand| if is_won(hand) { 42 } else { 0 })
            }
            _ => self.view.state.points[team],
        }
    }

    /// Why a finished daily challenge has its stars: they count points against par, and do not depend on the contract.
    pub fn stars_explained(&self, words: &Words) -> Option<String> {
        let ChallengeView { star_thresholds: [.., three], team, .. } = self.goal()?;
        let hand = self.view.state.last_hand.as_ref()?;
        Some(match hand.contract.trump {
            Some(Trump::Nello) => words.stars_nello.to_owned(),
            _ => {
                let taken = words.points_text(hand.points[team.index()]);
                fill(words.stars_explained, &[&taken, &three.to_string()])
            }
        })
    }

    /// The link that replays the finished game: the part of the page's URL from `#` on.
    pub fn replay_link(&self) -> Option<&str> {
        self.view.metadata.result.as_ref()?.replay_link.as_deref()
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

    /// Whether nothing is at stake: results do not count, and it is no tournament.
    pub fn is_casual(&self) -> bool {
        let is_tournament = self.view.state.layers.iter().any(|layer| matches!(layer, Layer::Tournament(_)));
        !self.view.metadata.table.rated && !is_tournament
    }

    /// What is still out for the seat at the bottom. Everyone at the seat could keep track of it.
    pub fn still_out(&self) -> Option<StillOut> {
        let state = &self.view.state;
        let plays = state.tricks.iter().chain(&state.trick).flat_map(|trick| &trick.plays);
        let seen = plays.fold(self.hand(self.bottom), |seen, play| seen.with(play.domino));
        let out = (Hand::FULL - seen).into_iter();
        let trumps = self.trump().filter(|trump| trump.pip().is_some() || *trump == Trump::Doubles);
        let is_trump = |trump: Trump, domino: Domino| trump.pip().map_or(domino.is_double(), |pip| domino.has(pip));
        (self.phase() != Phase::Setup).then(|| StillOut {
            counts: out.clone().filter(|domino| domino.count() > 0).collect(),
            trumps: trumps.map(|trump| out.filter(|domino| is_trump(trump, *domino)).collect()),
        })
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

    /// Whether a bid is far higher than necessary, as after a slip of the finger: a jump in points, or marks that need
    /// not be bid.
    pub fn is_unusual(&self, bid: Bid) -> bool {
        let offered = self.view.valid_actions.iter().filter(|valid| self.is_own(valid.action));
        let mut bids = offered.filter_map(|valid| match valid.action {
            Action::Bid { bid: other, .. } => Some(other),
            _ => None,
        });
        let is_far_below = |other: Bid| match (other.kind, bid.kind) {
            (BidKind::Points, BidKind::Points) => other.value + UNUSUAL_JUMP <= bid.value,
            (BidKind::Points, _) => true,
            (BidKind::Marks, _) => bid.kind != BidKind::Points && other.value < bid.value,
            (BidKind::Plunge | BidKind::Splash, _) => false,
        };
        bids.any(is_far_below)
    }

    /// Whether an action is for this session's seat; coaches also see those of their student.
    pub fn is_own(&self, action: Action) -> bool {
        self.seat.is_some() && action.player() == self.seat
    }

    /// Whether the table takes this action automatically, because it is the only choice.
    pub fn is_automatic(&self, action: Action) -> bool {
        self.view.valid_actions.iter().any(|valid| valid.auto_execute && valid.action == action)
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
        let hint = self.remark_on(choice, words)?;
        Some(if self.is_best(action) { [words.experts_choice, ". ", &hint].concat() } else { hint })
    }

    /// The advice for a group of choices, and whether it is about the expert's choice.
    pub fn advice(&self, group: ActionGroup, words: &Words) -> Option<(bool, String)> {
        let hinted = self.choices().filter(|valid| valid.group == group && valid.hint.is_some());
        let choice = hinted.min_by_key(|valid| !self.is_best(valid.action))?;
        Some((self.is_best(choice.action), self.remark_on(choice, words)?))
    }

    /// The expert's remarks about a choice, or the table's hint until those are computed.
    fn remark_on(&self, choice: &ValidAction, words: &Words) -> Option<String> {
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

    /// Whether this person may ask what the hand is worth before bidding: where the table grants hints, and in casual games of
    /// this browser. Where hints are shown anyway, there is nothing to ask.
    pub fn may_ask_worth(&self) -> bool {
        let state = &self.view.state;
        let is_practice = self.home == HostKind::Browser && state.challenge.is_none() && self.is_casual();
        let may = self.capabilities.contains(&Capability::SeeHints) || is_practice;
        may && !self.view.metadata.table.rated
            && state.phase == Phase::Bidding
            && self.is_my_turn()
            && !self.wants_advice()
    }

    /// What the hand is worth: the expert's choice and its reason.
    pub fn worth(&self, words: &Words) -> Option<String> {
        let (action, why) = self.expert.iter().find(|(action, _)| self.is_best(*action))?;
        Some(fill(words.worth, &[&words.action_text(*action), &words.remarks(why)]))
    }

    /// The table with the expert's advice, which is in the order of the choices.
    #[must_use]
    pub fn advised(&self, advice: &[ActionAdvice]) -> Self {
        let choices = || self.choices().map(|valid| valid.action).zip(advice);
        let best = choices().find(|(_, advice)| advice.is_best).map(|(action, _)| action);
        let expert = choices().map(|(action, advice)| (action, advice.why.clone())).collect();
        Self { best, expert, ..self.clone() }
    }

    /// The intent of a bot with its last move, if it is visible.
    pub fn intent(&self, seat: Seat, words: &Words) -> Option<String> {
        let intents = &self.view.derived.intents;
        intents.iter().find(|shown| shown.player == seat).map(|shown| shown.intent.sentence(words))
    }

    /// The seat that this session coaches.
    pub fn student(&self) -> Option<Seat> {
        Capability::coached_seat(&self.capabilities)
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

    /// Whether this session took its seat too late for this deal.
    pub fn waits_for_deal(&self) -> bool {
        self.seat.and_then(|seat| self.player_on(seat)).is_some_and(|player| player.waits_for_deal)
    }

    /// Whether the person can let a bot play this seat.
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
        // Before the first game, the deadline belongs to an absent person.
        let metadata = (self.phase() != Phase::Setup).then_some(metadata)?;
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

    /// The commitment to the secret and the first shaker, during the first hand of a game that draws it from the secret.
    pub fn drawn_shaker(&self) -> Option<(&str, Seat)> {
        let proof = self.view.metadata.deal.as_ref().filter(|proof| proof.secret_draw)?;
        let shaker = self.view.state.shaker.filter(|_| self.view.state.hand_number == 0)?;
        (self.phase() != Phase::Setup).then_some((&*proof.secret_commitment, shaker))
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
        let text = match (self.seat == Some(claim.player), claim.stands) {
            (false, true) => words.claim_stood,
            (false, false) => words.claim_failed,
            (true, true) => words.claim_stood_you,
            (true, false) => words.claim_failed_you,
        };
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
            (Role::Student, looks_after && self.is_open_to_others() && !self.view.metadata.table.rated),
            (Role::Admin, looks_after && self.has_open_hands()),
            (Role::Ai, looks_after && self.is_open_to_others() && !self.view.metadata.table.rated),
        ];
        let may = roles.into_iter().filter(|(_, may)| *may && self.home == HostKind::Server);
        may.map(|(role, _)| role).collect()
    }

    /// Whether the game was imported from another person's device, which dealt it.
    pub fn is_newcomer_to_an_imported_table(&self) -> bool {
        let is_its_owner = self.capabilities.contains(&Capability::ConfigureVariant);
        self.home == HostKind::Server && self.view.metadata.table.brought && !is_its_owner
    }

    /// Whether the table allows invites that show all hands.
    pub fn has_open_hands(&self) -> bool {
        self.view.metadata.table.open_hands
    }
}
