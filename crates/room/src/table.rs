//! The state of a table, derived from its log: sessions, invites, and the game. The same events produce the same table,
//! live or restored.

use alloc::{
    collections::BTreeMap,
    string::{String, ToString},
    sync::Arc,
    vec::Vec,
};

use texas42_engine::{
    Authority, ConfigError, Context, Game, MAX_EVENTS, Refusal, SeatSet, State, code,
    deal::{DealSource, Hex, Key, LaterSecret, SecretDeals, commitment, key_from_hex},
    record::Record,
};
use texas42_kernel::{KeyHash, Scene, Session, TableMetadata, Viewer, composition, setup_view, story_hand, view};
use texas42_phrases::Problem;
use texas42_protocol::{
    Capability, Composition, DealKind, DealProof, Entropy, GameView, Grant, Intent, IntentView, LaterProof, Metadata,
    PlayerId, PlayerView, RequestId, ResultView, RevealedHand, Role, StoryHand, TableOptions, UndoView,
};
use texas42_vocab::{Action, Config, Control, Phase, Seat};

mod waiting;

pub(crate) use waiting::is_person;

use crate::{
    attendance::{AttendanceBook, LobbyWaits},
    event::{EarlierGames, Event, LaterDeals, Secret, StoredEvent},
    fair::{DealEntropy, FairRecord, hash_of_game},
    result::result_view,
    room::{RestoreError, has_known_deals},
    seen_hands::{SeenHands, hand_to_play},
    visitor_limits::VisitorCount,
};

/// An invite that has not been revoked.
#[derive(Clone, Debug)]
pub(crate) struct Invite {
    pub(crate) number: u32,
    pub(crate) key: KeyHash,
    pub(crate) grant: Grant,
    /// Who created it.
    pub(crate) by: PlayerId,
    /// The version after its creation.
    pub(crate) created_at: u64,
    used: u8,
    /// The visitors who came with it.
    visitors: VisitorCount,
}

impl Invite {
    /// Whether the invite has reached its maximum number of uses.
    pub(crate) fn is_used_up(&self) -> bool {
        self.grant.max_uses().is_some_and(|most| self.used >= most)
    }
}

/// The precision of the time of the last action, in milliseconds. With a higher one, every update would contain the time.
const LAST_ACTION_PRECISION: u64 = 60_000;

/// The maximum number of events of a table, over all its games.
const MAX_TABLE_EVENTS: u64 = 100_000;

/// How many whole hands the view of a session lags behind.
fn delay_of(session: Option<&Session>) -> u8 {
    session.map_or(0, |session| session.delay_hands)
}

/// A pending undo request.
#[derive(Clone, Copy, Debug)]
pub(crate) struct UndoRequest {
    pub(crate) to: u16,
    pub(crate) agreed: SeatSet,
}

/// The secret and the randomness that a game was dealt from.
pub(crate) struct DealSources {
    pub(crate) secret: Secret,
    /// The randomness of each seat.
    pub(crate) entropy: [Option<Entropy>; 4],
    /// The games before.
    pub(crate) earlier: Option<EarlierGames>,
    /// Whether the draw for the first shaker depends on the secret.
    pub(crate) secret_draw: bool,
}

/// What a deal proof depends on: the number of the hand, and whether the hand and the game are over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct ProofStage {
    hand: Option<u32>,
    hand_is_over: bool,
    game_is_over: bool,
}

impl ProofStage {
    fn of(state: Option<&State>) -> Self {
        Self {
            hand: state.map(|state| state.hand_number),
            hand_is_over: state.is_some_and(|state| state.phase == Phase::Scoring || state.phase.is_over()),
            game_is_over: state.is_some_and(|state| state.phase.is_over()),
        }
    }
}

/// Grants `see-hints` to a person who plays if the options show hints and the client did not leave it out, and otherwise
/// revokes this grant. Stored sessions do not contain it, because it follows from the options. Returns the updated `hinted`.
fn grant_hints(session: &mut Session, options: &TableOptions, hinted: SeatSet) -> SeatSet {
    let viewer = Viewer::with(&session.capabilities, session.seat);
    let Some(seat) = viewer.seat.filter(|_| session.control == Control::Human) else { return hinted };
    let (is_granted, grants) = (hinted.contains(seat) && viewer.hints, options.hints && !session.declines_hints);
    if is_granted && !grants {
        session.capabilities.retain(|capability| *capability != Capability::SeeHints);
    }
    if grants && !viewer.hints {
        session.capabilities.push(Capability::SeeHints);
    }
    hinted.set(seat, grants && (is_granted || !viewer.hints))
}

/// Corrects the capabilities of a session that an earlier version stored. An invited bot has what it asked for. Nobody takes
/// a person's seat, and a session without a seat cannot undo.
fn correct_capabilities(session: &mut Session) {
    let (is_bot, has_seat) = (session.control == Control::Ai, session.seat.is_some());
    session.capabilities.retain(|capability| match capability {
        Capability::ReplaceAi => is_bot && has_seat,
        Capability::UndoActions => has_seat,
        _ => true,
    });
}

/// Whether the session belongs to a creator who only watches.
fn is_spectating_creator(session: &Session) -> bool {
    let coaches = || Seat::ALL.into_iter().any(|seat| session.may(Capability::ObserveHand { player_index: seat }));
    session.seat.is_none() && session.invite.is_none() && !coaches()
}

/// Shows the hands to a creator who only watches if the table has open hands.
fn show_hands_to_creator(session: &mut Session, options: &TableOptions) {
    if !is_spectating_creator(session) || options.open_hands == session.may(Capability::ObserveAllHands) {
        return;
    }
    match options.open_hands {
        true => session.capabilities.push(Capability::ObserveAllHands),
        false => session.capabilities.retain(|capability| *capability != Capability::ObserveAllHands),
    }
}

/// A table as described by its log.
#[derive(Debug)]
pub(crate) struct Table {
    pub(crate) config: Config,
    pub(crate) options: TableOptions,
    secret: Secret,
    /// The later hands of the current game, if the table was imported and its device dealt the others.
    later: Option<LaterDeals>,
    /// Whether the draw for the first shaker of the current game depends on the secret.
    secret_draw: bool,
    /// How many hands of the current game have been dealt, including those that were undone.
    pub(crate) hands_dealt: u32,
    /// Whether a game at this table had deals that somebody could choose or know.
    had_known_deals: bool,
    /// The secret of the next game, once this one has started.
    next_secret: Option<Secret>,
    pub(crate) sessions: Vec<Session>,
    /// Which layer decides what, once a session may see it.
    composition: Option<Arc<Composition>>,
    pub(crate) invites: Vec<Invite>,
    pub(crate) next_invite: u32,
    entropy: [Option<Entropy>; 4],
    /// The randomness used for the current game. Later players do not change it.
    deal_entropy: DealEntropy,
    /// The hash of the game before the first one here, if the table was imported.
    before: Option<Key>,
    /// Who controls each seat, also before the game starts.
    control: [Control; 4],
    pub(crate) game: Option<Game>,
    pub(crate) game_number: u32,
    /// The seats that have declared themselves ready.
    pub(crate) ready: SeatSet,
    /// The seats whose players do not let their coaches talk to them.
    pub(crate) coach_off: SeatSet,
    pub(crate) undo: Option<UndoRequest>,
    /// The seat that declined the last undo request, until the next request or action.
    undo_declined: Option<Seat>,
    /// Seats that a bot took over without a request of their people.
    taken_over: SeatSet,
    /// Seats whose people see hints only because the options say so.
    hinted: SeatSet,
    /// Seats whose invited bot is away, so that a bot of the host plays.
    absent_bots: SeatSet,
    /// Of these, the seats whose invited bot did not decide in time in this hand.
    late_bots: SeatSet,
    pub(crate) seen_hands: SeenHands,
    /// The bots' reasons for their last actions in this hand, if a session may see them.
    intents: Vec<IntentView>,
    /// The number of game events after which each hand ended.
    hand_ends: Vec<usize>,
    proof: Option<(ProofStage, Arc<DealProof>)>,
    /// Every accepted request and its resulting version. A repeated request gets the same reply, however late.
    requests: BTreeMap<PlayerId, BTreeMap<RequestId, u64>>,
    /// When the table started to wait for the current decision. Events around the game do not restart the timer.
    pub(crate) decision_since: u64,
    /// Whether the person to act has already been granted a new time limit.
    was_timer_restarted: bool,
    pub(crate) attendance: AttendanceBook,
    lobby: LobbyWaits,
    /// How often an undo was requested since the last action.
    pub(crate) undo_requests: u8,
    /// How often the rules were changed before the first game.
    pub(crate) configurations: u16,
    /// The spectators and coaches who have joined, including those who left.
    visitors: VisitorCount,
    /// The version after the last event of the game. Events around it make no decision stale.
    game_version: u64,
    /// When the table was created.
    created_at: u64,
    /// The minute in which the last event of a game happened, but not before the table was created.
    last_action_at: u64,
    pub(crate) version: u64,
}

impl Table {
    /// Replays a whole log.
    pub(crate) fn of<'a>(mut log: impl Iterator<Item = (usize, &'a StoredEvent)>) -> Result<Self, RestoreError> {
        let Some((0, StoredEvent { at, event: Event::Created { config, table, secret, earlier, later } })) = log.next()
        else {
            return Err(RestoreError::NoBeginning);
        };
        let mut table = Self::created(*at, config.clone(), table.clone(), *secret)?;
        table.game_number = earlier.as_ref().map_or(0, |earlier| earlier.games);
        table.later = *later;
        table.before = earlier.as_ref().and_then(|earlier| key_from_hex(earlier.hash.as_ref()?));
        table.resume(log)?;
        Ok(table)
    }

    /// Replays the rest of a log, with indices into the whole log.
    pub(crate) fn resume<'a>(
        &mut self,
        log: impl Iterator<Item = (usize, &'a StoredEvent)>,
    ) -> Result<(), RestoreError> {
        for (at, StoredEvent { at: time, event }) in log {
            if !self.can_hold(event) {
                return Err(RestoreError::Misplaced { at });
            }
            if let Some(config) = event.new_config() {
                Context::compose(config)?;
            }
            self.apply(*time, event).map_err(|refusal| RestoreError::Refused { at, refusal })?;
        }
        Ok(())
    }

    /// The table after the first event of its log.
    pub(crate) fn created(at: u64, config: Config, options: TableOptions, secret: Secret) -> Result<Self, ConfigError> {
        Context::compose(&config)?;
        Ok(Self {
            control: config.players,
            config,
            options,
            secret,
            later: None,
            secret_draw: false,
            hands_dealt: 0,
            had_known_deals: false,
            next_secret: None,
            sessions: Vec::new(),
            composition: None,
            invites: Vec::new(),
            next_invite: 1,
            entropy: [const { None }; 4],
            deal_entropy: DealEntropy::default(),
            before: None,
            game: None,
            game_number: 0,
            ready: SeatSet::default(),
            coach_off: SeatSet::default(),
            undo: None,
            undo_declined: None,
            taken_over: SeatSet::default(),
            hinted: SeatSet::default(),
            absent_bots: SeatSet::default(),
            late_bots: SeatSet::default(),
            seen_hands: SeenHands::default(),
            intents: Vec::new(),
            hand_ends: Vec::new(),
            proof: None,
            requests: BTreeMap::new(),
            decision_since: at,
            was_timer_restarted: false,
            attendance: AttendanceBook::default(),
            lobby: LobbyWaits::new(at),
            undo_requests: 0,
            configurations: 0,
            visitors: VisitorCount::default(),
            game_version: 1,
            created_at: at,
            last_action_at: at,
            version: 1,
        })
    }

    /// Whether an event may occur now. A table is created once and started once, and a rematch needs a game.
    pub(crate) fn can_hold(&self, event: &Event) -> bool {
        match event {
            Event::Created { .. } => false,
            Event::Ready { .. } | Event::Started { .. } | Event::Configured { .. } => self.game.is_none(),
            Event::Rematch { .. } => self.game.is_some(),
            Event::UndoDeclined { .. } => self.undo.is_some(),
            _ => true,
        }
    }

    /// Applies an event. The room has checked that it is allowed; stored events were checked before they were stored.
    pub(crate) fn apply(&mut self, at: u64, event: &Event) -> Result<(), Refusal> {
        let hand = self.state().map(|state| state.hand_number);
        let is_lobby = self.game.is_none();
        let (was_nobody_ready, seat) = (self.ready.is_empty(), self.seat_of(event));
        self.change_by(event)?;
        self.version += 1;
        self.seen_hands.note_state(self.game.as_ref().map(Game::state), self.version);
        if matches!(event, Event::Started { .. } | Event::Acted { .. } | Event::Rematch { .. }) {
            self.game_version = self.version;
            self.last_action_at = (at - at % LAST_ACTION_PRECISION).max(self.created_at);
        }
        self.note_visitor(at, event);
        self.note_decision_time(at, event);
        let control_changed_by = self.control_changed_by(event).cloned();
        self.attendance.note(at, event, control_changed_by.as_ref());
        if is_lobby {
            self.lobby.note(at, event, seat);
            if was_nobody_ready && !self.ready.is_empty() {
                self.lobby.note_first_ready(at);
            }
        }
        if hand != self.state().map(|state| state.hand_number) {
            self.attendance.begin_hand();
            self.late_bots = SeatSet::default();
        }
        self.note_host_event(event);
        self.mark_replaceable_bots();
        self.cache_proof();
        if let Some((by, request)) = event.request() {
            self.remember(by.clone(), request.clone());
        }
        Ok(())
    }

    /// Makes the change that an event describes: to the sessions, the invites, the rules or the game.
    fn change_by(&mut self, event: &Event) -> Result<(), Refusal> {
        match event {
            Event::Created { .. } => {}
            Event::Invited { by, number, key, grant, .. } => self.add_invite(by, *number, *key, grant.clone()),
            Event::Revoked { number, .. } => self.invites.retain(|invite| invite.number != *number),
            Event::Joined { session, entropy, waits } => self.join(session, entropy.as_ref(), *waits),
            Event::Left { player_id } | Event::GaveUp { player_id } => self.leave(player_id),
            Event::BotAbsent { player_id, is_late } => self.note_bot_absent(player_id, *is_late),
            Event::BotReturned { player_id } => self.return_bot(player_id),
            Event::PersonAbsent { .. } | Event::PersonReturned { .. } => {}
            Event::HostPassed { player_id } => self.pass_host_rights(player_id),
            Event::WaitsForDeal { player_id, first_deal } => self.seen_hands.note_wait(player_id, *first_deal),
            Event::Ready { by, .. } => self.note_ready(by),
            Event::CoachAllowed { by, allowed, .. } => self.note_coach_allowed(by, *allowed),
            Event::Configured { config, table, .. } => self.configure(config, table),
            Event::Started { next, secret_draw } => self.start(*next, *secret_draw),
            Event::Acted { by, action, intent, .. } => {
                self.act(*action)?;
                self.note_intent(*action, intent.as_ref());
                if let Action::SetControl { player, control_type } = action {
                    let own = self.person(*player).map(|person| &person.player_id);
                    let is_taken_over = *control_type == Control::Ai && (by.is_none() || by.as_ref() != own);
                    self.taken_over = self.taken_over.set(*player, is_taken_over);
                    self.note_seat_control(*player, *control_type);
                }
            }
            Event::UndoAsked { by, to, .. } => {
                self.undo_requests = self.undo_requests.saturating_add(1);
                self.note_undo(by, *to);
            }
            Event::UndoDeclined { by, .. } => {
                self.end_undo();
                self.undo_declined = self.session(by).and_then(|session| session.seat);
            }
            Event::Rematch { by, entropy, next, secret_draw, config, table, .. } => {
                let is_imported = self.options.brought;
                self.set_rules(config.as_ref(), table.as_ref());
                self.options.brought = is_imported;
                self.prepare_rematch(by, entropy.as_ref());
                self.start(*next, *secret_draw);
            }
        }
        Ok(())
    }

    /// Restarts the decision timer for the next action, or once for a person or an invited bot that takes back the seat
    /// that is to act. Taking it back repeatedly gains no more time.
    fn note_decision_time(&mut self, at: u64, event: &Event) {
        match event {
            Event::Acted { action: Action::SetControl { player, control_type }, .. } => {
                self.restart_timer_once(at, Some(*player).filter(|_| *control_type == Control::Human));
            }
            Event::BotReturned { player_id } => {
                self.restart_timer_once(at, self.session(player_id).and_then(|bot| bot.seat));
            }
            Event::Started { .. } | Event::Rematch { .. } | Event::Acted { .. } => {
                self.undo_requests = 0;
                self.was_timer_restarted = false;
                self.decision_since = at;
            }
            _ => {}
        }
    }

    fn restart_timer_once(&mut self, at: u64, returned: Option<Seat>) {
        let is_awaited = returned.is_some() && self.state().is_some_and(|state| state.to_act() == returned);
        if is_awaited && !self.was_timer_restarted {
            self.was_timer_restarted = true;
            self.decision_since = at;
        }
    }

    /// The seat that a person or an invited bot takes or gives up with an event that has not been applied.
    fn seat_of(&self, event: &Event) -> Option<Seat> {
        match event {
            Event::Joined { session, .. } if !session.is_host_bot() => session.seat,
            Event::GaveUp { player_id } => self.session(player_id).and_then(|session| session.seat),
            _ => None,
        }
    }

    /// The session that changed who plays its own seat; `None` if it changed another seat.
    fn control_changed_by<'a>(&self, event: &'a Event) -> Option<&'a PlayerId> {
        match event {
            Event::BotReturned { player_id } => Some(player_id),
            Event::Acted { by: Some(by), action: Action::SetControl { player, .. }, .. } => {
                Some(by).filter(|by| self.session(by).is_some_and(|session| session.seat == Some(*player)))
            }
            _ => None,
        }
    }

    /// Whether a decision based on `version` still concerns the current state of the game.
    pub(crate) fn is_current(&self, version: u64) -> bool {
        (self.game_version..=self.version).contains(&version)
    }

    /// Whether the game has reached its maximum number of events. An undo may add a change of control for each seat.
    pub(crate) fn is_full(&self) -> bool {
        self.game.as_ref().is_some_and(|game| game.log().len() + 1 + Seat::ALL.len() > MAX_EVENTS)
    }

    /// Whether the table has reached its maximum number of events. From then on, only the running game continues.
    pub(crate) fn is_at_event_limit(&self) -> bool {
        self.version >= MAX_TABLE_EVENTS
    }

    fn add_invite(&mut self, by: &PlayerId, number: u32, key: KeyHash, grant: Grant) {
        // Drops used-up invites with which nobody is here any more.
        let is_here = |number: u32| self.sessions.iter().any(|session: &Session| session.invite == Some(number));
        self.invites.retain(|old| !old.is_used_up() || is_here(old.number));
        let visitors = VisitorCount::default();
        self.invites.push(Invite {
            number,
            key,
            grant,
            by: by.clone(),
            created_at: self.version + 1,
            used: 0,
            visitors,
        });
        self.next_invite = number.saturating_add(1);
    }

    /// Checks that the table and this invite admit another visitor.
    pub(crate) fn check_visitors(&self, invite: Option<u32>, now: u64) -> Result<(), Problem> {
        self.visitors.check_table()?;
        let invite = self.invites.iter().find(|known| Some(known.number) == invite);
        invite.map_or(Ok(()), |invite| invite.visitors.check_invite(now))
    }

    /// Counts a visitor who has joined.
    fn note_visitor(&mut self, at: u64, event: &Event) {
        let Event::Joined { session: Session { seat: None, invite, .. }, .. } = event else { return };
        self.visitors.note(at);
        if let Some(invite) = self.invites.iter_mut().find(|known| Some(known.number) == *invite) {
            invite.visitors.note(at);
        }
    }

    fn join(&mut self, session: &Session, entropy: Option<&Entropy>, waits: bool) {
        let is_used = |invite: &&mut Invite| Some(invite.number) == session.invite;
        if let Some(invite) = self.invites.iter_mut().find(is_used) {
            invite.used = invite.used.saturating_add(1);
        }
        if let Some(seat) = session.seat {
            // A person replaces the previous person at the seat, and a bot the previous bot, with two exceptions: an invited
            // bot keeps its session when a bot of the host plays for it, and a bot of the host plays on while the new
            // invited bot waits for the next deal.
            let is_kept = |other: &Session| {
                other.seat != Some(seat)
                    || other.control != session.control
                    || (session.is_host_bot() && other.is_invited_bot())
                    || (waits && other.is_host_bot())
            };
            self.note_departures(|other| !is_kept(other));
            self.sessions.retain(is_kept);
            if session.is_invited_bot() {
                self.absent_bots = self.absent_bots.set(seat, waits);
            }
            if session.control == Control::Human {
                self.entropy[seat.index()] = entropy.cloned();
                self.ready = self.ready.set(seat, false);
                self.coach_off = self.coach_off.set(seat, false);
                self.hinted = self.hinted.set(seat, false);
                self.taken_over = self.taken_over.set(seat, waits);
            }
        }
        self.note_newcomer(session, waits);
        let mut session = session.clone();
        correct_capabilities(&mut session);
        self.hinted = grant_hints(&mut session, &self.options, self.hinted);
        let is_host = |session: &Session| session.may(Capability::ConfigureVariant);
        let has_host = is_host(&session) || self.sessions.iter().any(is_host);
        // If the table has no host, the next person to take a seat becomes the host.
        if session.seat.is_some() && session.control == Control::Human && !has_host {
            session.capabilities.push(Capability::ConfigureVariant);
        }
        // Clients show the first session of a seat, which is its person rather than the bot that plays.
        let is_on_seat = |other: &Session| session.seat.is_some() && other.seat == session.seat;
        let place = self.sessions.iter().position(is_on_seat).filter(|_| waits).unwrap_or(self.sessions.len());
        self.sessions.insert(place, session);
        self.note_composition();
    }

    /// Gives `replace-ai` to the bots of the host whose seats a person may take, and to no others: not to those that stand
    /// in for a person who keeps the seat, or for an invited bot without it that waits for a deal, nor where the person at the
    /// table could know the deals.
    fn mark_replaceable_bots(&mut self) {
        let is_closed = self.is_for_one_person();
        let keeps_seat = |session: &Session| {
            session.control == Control::Human || (self.is_waiting_bot(session) && !session.may(Capability::ReplaceAi))
        };
        let kept = |seat: Seat| self.sessions.iter().any(|other| other.seat == Some(seat) && keeps_seat(other));
        let is_kept = Seat::ALL.map(kept);
        for bot in self.sessions.iter_mut().filter(|session| session.is_host_bot()) {
            let makes_room = !is_closed && bot.seat.is_some_and(|seat| !is_kept[seat.index()]);
            match (makes_room, bot.may(Capability::ReplaceAi)) {
                (true, false) => bot.capabilities.push(Capability::ReplaceAi),
                (false, true) => bot.capabilities.retain(|capability| *capability != Capability::ReplaceAi),
                (true, true) | (false, false) => {}
            }
        }
    }

    /// Explains the rules, if they are not explained yet and a session may see the explanation.
    fn note_composition(&mut self) {
        let is_seen = || self.sessions.iter().any(|session| session.may(Capability::ObserveFullState));
        if cfg!(feature = "explain") && self.composition.is_none() && is_seen() {
            let ctx = Context::compose(&self.config).ok();
            self.composition = ctx.map(|ctx| Arc::new(composition(&ctx)));
        }
    }

    /// Changes the table before its first game. Seats without a person are controlled as the new rules say.
    fn configure(&mut self, config: &Config, options: &TableOptions) {
        for seat in Seat::ALL {
            if self.person(seat).is_none() {
                self.control[seat.index()] = config.players[seat.index()];
            }
            if self.control(seat) == Control::Human {
                self.remove_bots(seat);
            }
        }
        self.ready = SeatSet::default();
        self.configurations = self.configurations.saturating_add(1);
        self.set_rules(Some(config), Some(options));
    }

    /// Replaces the given rules and options, and updates the capabilities that follow from them.
    fn set_rules(&mut self, config: Option<&Config>, options: Option<&TableOptions>) {
        if let Some(config) = config {
            self.config = config.clone();
            self.composition = None;
            self.note_composition();
        }
        if let Some(options) = options {
            self.options = options.clone();
            for session in &mut self.sessions {
                self.hinted = grant_hints(session, &self.options, self.hinted);
                show_hands_to_creator(session, &self.options);
            }
        }
    }

    /// Whether a session sees hands in play, apart from its own. The creator's view follows the options.
    pub(crate) fn sees_hands(&self, session: &Session) -> bool {
        let sees_one = Seat::ALL.into_iter().any(|seat| session.may(Capability::ObserveHand { player_index: seat }));
        let sees_all = session.may(Capability::ObserveAllHands) || session.may(Capability::ObserveFullState);
        sees_one || (sees_all && !is_spectating_creator(session))
    }

    /// Whether a session sees hints that the options do not give to all people.
    pub(crate) fn has_own_hints(&self, session: &Session) -> bool {
        session.may(Capability::SeeHints) && !session.seat.is_some_and(|seat| self.hinted.contains(seat))
    }

    /// The seat of the host, if the host plays.
    pub(crate) fn host_seat(&self) -> Option<Seat> {
        let hosts = self.sessions.iter().filter(|session| session.may(Capability::ConfigureVariant));
        hosts.filter_map(|session| session.seat).next()
    }

    /// Removes a session. If the table loses its host, the next seated person becomes the host.
    fn leave(&mut self, player: &PlayerId) {
        let is_host = |session: &Session| session.may(Capability::ConfigureVariant);
        let had_host = self.sessions.iter().any(is_host);
        let student = self.session(player).filter(|session| session.control == Control::Human);
        if let Some(seat) = student.and_then(|student| student.seat) {
            self.end_coaching(seat);
            self.ready = self.ready.set(seat, false);
            self.coach_off = self.coach_off.set(seat, false);
        }
        if let Some(seat) = self.session(player).filter(|session| session.is_invited_bot()).and_then(|bot| bot.seat) {
            self.absent_bots = self.absent_bots.set(seat, false);
        }
        self.note_departures(|session| session.player_id == *player);
        self.sessions.retain(|session| session.player_id != *player);
        let is_person = |session: &&mut Session| session.seat.is_some() && session.control == Control::Human;
        if had_host
            && !self.sessions.iter().any(is_host)
            && let Some(successor) = self.sessions.iter_mut().filter(is_person).min_by_key(|session| session.seat)
        {
            successor.capabilities.push(Capability::ConfigureVariant);
        }
    }

    fn note_bot_absent(&mut self, player: &PlayerId, is_late: bool) {
        if let Some(seat) = self.session(player).and_then(|bot| bot.seat) {
            self.absent_bots = self.absent_bots.set(seat, true);
            self.late_bots = self.late_bots.set(seat, is_late);
            self.note_control_change(player, false);
        }
    }

    /// Gives an invited bot its seat back. The session of the host's bot ends.
    fn return_bot(&mut self, player: &PlayerId) {
        let Some(seat) = self.session(player).and_then(|bot| bot.seat) else { return };
        self.absent_bots = self.absent_bots.set(seat, false);
        self.note_control_change(player, true);
        let is_deputy = |other: &Session| other.control == Control::Ai && !other.is_invited_bot();
        self.sessions.retain(|other| other.seat != Some(seat) || !is_deputy(other));
    }

    /// Ends coaching when the student leaves, so that the coach cannot see the next player's hand.
    fn end_coaching(&mut self, seat: Seat) {
        let is_coach = |grant: &Grant| grant.role == Role::Coach && grant.seat == Some(seat);
        self.invites.retain(|invite| !is_coach(&invite.grant));
        let sees = Capability::ObserveHand { player_index: seat };
        self.note_departures(|session| session.seat.is_none() && session.may(sees));
        self.sessions.retain(|session| session.seat.is_some() || !session.may(sees));
    }

    fn note_ready(&mut self, by: &PlayerId) {
        if let Some(seat) = self.session(by).and_then(|session| session.seat) {
            self.ready = self.ready.set(seat, true);
        }
    }

    fn note_coach_allowed(&mut self, by: &PlayerId, allowed: bool) {
        if let Some(seat) = self.session(by).and_then(|session| session.seat) {
            self.coach_off = self.coach_off.set(seat, !allowed);
        }
    }

    fn start(&mut self, next: Secret, secret_draw: bool) {
        self.next_secret = Some(next);
        self.secret_draw = secret_draw;
        self.hands_dealt = 1;
        self.had_known_deals |= has_known_deals(&self.config, &self.options);
        self.ready = SeatSet::default();
        self.hand_ends.clear();
        self.late_bots = SeatSet::default();
        self.seen_hands.note_new_game();
        self.deal_entropy =
            DealEntropy { entropy: self.entropy.clone(), before: self.game.as_ref().map(hash_of_game).or(self.before) };
        let players = self.control;
        let config = Config { players, ..self.config.clone() };
        let ctx = match self.options.deal {
            DealKind::Seeded => Context::compose(&config),
            DealKind::Secret => Context::compose_with_source(&config, DealSource::Secret(self.deals())),
        };
        let Ok(ctx) = ctx else {
            unreachable!("the configuration was composed at creation, and control does not affect the rules");
        };
        self.game = Some(Game::new(ctx));
    }

    /// The source of the deals of the current game.
    fn deals(&self) -> SecretDeals {
        let later = self.later.map(|later| LaterSecret { from_hand: later.from_hand, secret: later.secret.0 });
        let entropy = self.combined_entropy();
        SecretDeals { secret: self.secret.0, entropy, secret_draw: self.secret_draw, later }
    }

    /// The first hand of the current game that the table dealt itself, not a player's device.
    pub(crate) fn first_unknown_hand(&self) -> u32 {
        self.later.map_or(0, |later| later.from_hand)
    }

    /// Whether an undo to this number of events leads into a hand that somebody could know, because a player's device
    /// dealt it.
    pub(crate) fn leads_to_known_hand(&self, to: u16) -> bool {
        let is_known = |state: &State| !state.phase.is_over() && hand_to_play(state) < self.first_unknown_hand();
        let earlier = self.game.as_ref().filter(|_| self.later.is_some()).and_then(|game| game.state_at(to.into()));
        earlier.is_some_and(|state| is_known(&state))
    }

    pub(crate) fn combined_entropy(&self) -> [u8; 32] {
        self.deal_entropy.combined(self.game_number)
    }

    /// The secret and the randomness that the current game was dealt from, to continue it at another table.
    pub(crate) fn deal_sources(&self) -> DealSources {
        let hash = self.deal_entropy.before.map(|hash| Hex(&hash).to_string());
        let earlier = (self.game_number > 0).then_some(EarlierGames { games: self.game_number, hash });
        let entropy = self.deal_entropy.entropy.clone();
        DealSources { secret: self.secret, entropy, earlier, secret_draw: self.secret_draw }
    }

    /// The proof of a finished game with secret deals.
    pub(crate) fn fair_record(&self) -> Option<FairRecord> {
        let game = self.game.as_ref().filter(|game| game.state().phase.is_over())?;
        let is_secret = self.options.deal == DealKind::Secret;
        is_secret.then(|| FairRecord::of(game, &self.deals(), &self.deal_entropy, self.game_number))
    }

    /// The finished hands as JSON: the fairness proof, or a record of the engine.
    pub(crate) fn record(&self) -> Option<String> {
        if let Some(proof) = self.fair_record() {
            return Some(texas42_protocol::to_json(&proof));
        }
        Some(Record::of(&self.finished_game()?).to_json())
    }

    /// The game up to the end of the last finished hand. For secret deals, the configuration is given the deals of
    /// those hands and the first shaker, which comes from the secret too. It ends before the first hand that was thrown
    /// in and that an undo could restore: nobody has seen the other hands of that deal.
    fn finished_game(&self) -> Option<Game> {
        let game = self.game.as_ref()?;
        let is_over = game.state().phase == Phase::Scoring || game.state().phase.is_over();
        let last = if is_over { Some(game.log().len()) } else { self.hand_ends.last().copied() };
        let end = match (0..).take(self.hand_ends.len()).find(|hand| self.is_hidden_for_undo(*hand)) {
            Some(first_hidden) => self.hand_ends.get((first_hidden as usize).checked_sub(1)?).copied(),
            None => last,
        }?;
        let mut config = game.ctx().config().clone();
        if self.options.deal == DealKind::Secret {
            let last = game.state_at(end)?.hand_number;
            config.shaker = Some(game.state_at(0)?.shaker);
            config.deals = (0..=last).map(|hand| game.ctx().deal(hand)).collect();
        }
        Game::replayed(Context::compose(&config).ok()?, &game.log()[..end]).ok()
    }

    /// Whether a finished hand must stay hidden: its deal was thrown in, and an undo could bring it back. A rated table
    /// allows no undo of a redeal, a finished game no undo at all, and known deals hide nothing.
    fn is_hidden_for_undo(&self, hand: u32) -> bool {
        let end = self.hand_ends.get(hand as usize).copied();
        let last = end.and_then(|end| self.game.as_ref()?.log().get(end).copied());
        let is_over = self.state().is_some_and(|state| state.phase.is_over());
        let can_undo = self.options.deal == DealKind::Secret && !self.options.rated && !is_over;
        can_undo && last == Some(Action::Redeal)
    }

    /// Applies an action, an undo or a change of control. If the rules reject it, nothing has changed.
    fn act(&mut self, action: Action) -> Result<(), Refusal> {
        if let Some(game) = &mut self.game {
            let before = game.state().hand_number;
            let after = game.apply(action)?.hand_number;
            if after > before {
                self.hand_ends.push(game.log().len() - 1);
            }
            self.hands_dealt = self.hands_dealt.max(after + 1);
        }
        self.end_undo();
        match action {
            Action::SetControl { player, control_type } => {
                self.control[player.index()] = control_type;
                if control_type == Control::Human {
                    self.remove_bots(player);
                }
                Ok(())
            }
            Action::Undo { to } => {
                self.hand_ends.retain(|end| *end < usize::from(to));
                self.restore_control()
            }
            _ => Ok(()),
        }
    }

    /// Shows a bot's reason until the seat acts again. A new hand or an undo clears all reasons.
    fn note_intent(&mut self, action: Action, intent: Option<&Intent>) {
        match action.player() {
            Some(player) => {
                self.intents.retain(|shown| shown.player != player);
                self.intents.extend(intent.cloned().map(|intent| IntentView { player, intent }));
            }
            None if matches!(action, Action::CompleteTrick) => {}
            None => self.intents.clear(),
        }
    }

    /// Whether any session may see the reasons of bots.
    pub(crate) fn shows_intents(&self) -> bool {
        self.sessions.iter().any(|session| session.may(Capability::SeeAiIntent))
    }

    /// Applies the current control to the game again after an undo, which must not change it.
    fn restore_control(&mut self) -> Result<(), Refusal> {
        let Some(game) = &mut self.game else { return Ok(()) };
        for player in Seat::ALL {
            let control_type = self.control[player.index()];
            if game.state().humans.contains(player) != (control_type == Control::Human) {
                game.apply(Action::SetControl { player, control_type })?;
            }
        }
        Ok(())
    }

    /// Removes the sessions of bots whose seat a person takes.
    fn remove_bots(&mut self, seat: Seat) {
        self.absent_bots = self.absent_bots.set(seat, false);
        self.note_departures(|session| session.seat == Some(seat) && session.control == Control::Ai);
        self.sessions.retain(|session| session.seat != Some(seat) || session.control != Control::Ai);
    }

    fn note_undo(&mut self, by: &PlayerId, to: u16) {
        let Some(seat) = self.session(by).and_then(|session| session.seat) else { return };
        let agreed = self.undo.filter(|undo| undo.to == to).map_or(SeatSet::default(), |undo| undo.agreed);
        self.undo = Some(UndoRequest { to, agreed: agreed.set(seat, true) });
        self.undo_declined = None;
    }

    /// Ends the pending undo request.
    fn end_undo(&mut self) {
        self.undo = None;
        self.undo_declined = None;
    }

    /// Makes the next game's secret the current one.
    fn prepare_rematch(&mut self, by: &PlayerId, entropy: Option<&Entropy>) {
        let seat = self.session(by).and_then(|session| session.seat);
        if let (Some(seat), Some(entropy)) = (seat, entropy) {
            self.entropy[seat.index()] = Some(entropy.clone());
        }
        self.secret = self.next_secret.unwrap_or(self.secret);
        self.later = None;
        self.proof = None;
        self.game_number = self.game_number.saturating_add(1);
        self.end_undo();
    }

    fn remember(&mut self, by: PlayerId, request: RequestId) {
        self.requests.entry(by).or_default().insert(request, self.version);
    }

    /// The version that an accepted request resulted in.
    pub(crate) fn accepted(&self, by: &PlayerId, request: &RequestId) -> Option<u64> {
        self.requests.get(by)?.get(request).copied()
    }

    pub(crate) fn session(&self, id: &PlayerId) -> Option<&Session> {
        self.sessions.iter().find(|session| session.player_id == *id)
    }

    /// The person at a seat.
    pub(crate) fn person(&self, seat: Seat) -> Option<&Session> {
        self.on_seat(seat, Control::Human)
    }

    pub(crate) fn on_seat(&self, seat: Seat, control: Control) -> Option<&Session> {
        self.sessions.iter().find(|session| session.seat == Some(seat) && session.control == control)
    }

    /// The bot of the host at a seat.
    pub(crate) fn host_bot(&self, seat: Seat) -> Option<&Session> {
        self.sessions.iter().find(|session| session.is_host_bot() && session.seat == Some(seat))
    }

    /// The invited bot that plays a seat. One that is away does not.
    pub(crate) fn invited_bot(&self, seat: Seat) -> Option<&Session> {
        let mut bots = self.sessions.iter().filter(|session| session.is_invited_bot());
        bots.find(|session| session.seat == Some(seat)).filter(|_| !self.absent_bots.contains(seat))
    }

    /// Whether a seat belongs to an invited bot, which may be away.
    pub(crate) fn belongs_to_invited_bot(&self, seat: Seat) -> bool {
        self.sessions.iter().any(|session| session.is_invited_bot() && session.seat == Some(seat))
    }

    /// Whether an invited bot is away, so that a bot of the host plays its seat.
    pub(crate) fn is_absent_bot(&self, session: &Session) -> bool {
        session.is_invited_bot() && session.seat.is_some_and(|seat| self.absent_bots.contains(seat))
    }

    /// Whether a person may take a seat that belongs to no person: it is free, or its bots have `replace-ai`. An invited bot
    /// that is present and waits for a deal counts. While an invited bot is away, the bot of the host that plays for it
    /// decides.
    pub(crate) fn makes_room(&self, seat: Seat, is_present: impl Fn(&PlayerId) -> bool) -> bool {
        let waits_here = |bot: &Session| self.is_waiting_bot(bot) && is_present(&bot.player_id);
        let decides = |bot: &&Session| bot.control == Control::Ai && (self.is_in_control(bot) || waits_here(bot));
        let mut bots = self.sessions.iter().filter(|session| session.seat == Some(seat)).filter(decides);
        bots.all(|bot| bot.is_host_bot() || bot.may(Capability::ReplaceAi))
    }

    /// Whether a person plays who could know the deals, so that nobody else may.
    pub(crate) fn is_for_one_person(&self) -> bool {
        has_known_deals(&self.config, &self.options) && Seat::ALL.into_iter().any(|seat| self.person(seat).is_some())
    }

    /// Whether an invited bot has the seat and waits for a deal.
    pub(crate) fn is_waiting_bot(&self, session: &Session) -> bool {
        session.is_invited_bot() && self.waits_for_deal(session)
    }

    /// Whether an invited bot did not decide in time in this hand, and has not moved since.
    pub(crate) fn is_late_bot(&self, session: &Session) -> bool {
        self.is_absent_bot(session) && session.seat.is_some_and(|seat| self.late_bots.contains(seat))
    }

    /// Whether the host must provide a bot for a seat.
    pub(crate) fn needs_host_bot(&self, seat: Seat) -> bool {
        self.control(seat) == Control::Ai && self.invited_bot(seat).is_none()
    }

    /// Whether a session controls its seat now.
    pub(crate) fn is_in_control(&self, session: &Session) -> bool {
        let Some(seat) = session.seat.filter(|seat| self.control(*seat) == session.control) else { return false };
        session.control == Control::Human || session.is_invited_bot() == self.invited_bot(seat).is_some()
    }

    /// Who controls a seat now.
    pub(crate) fn control(&self, seat: Seat) -> Control {
        self.control[seat.index()]
    }

    /// The seats controlled by people.
    pub(crate) fn human_seats(&self) -> impl Iterator<Item = Seat> {
        Seat::ALL.into_iter().filter(|seat| self.control(*seat) == Control::Human)
    }

    /// Whether a bot took over the seat without a request of its person.
    pub(crate) fn was_taken_over(&self, seat: Seat) -> bool {
        self.taken_over.contains(seat)
    }

    /// Whether hidden dominoes have been shown since the first `to` events: by a play, open hands, or the next deal.
    pub(crate) fn was_revealed_since(&self, to: u16) -> bool {
        let Some(game) = &self.game else { return false };
        let since = game.log().get(usize::from(to)..).unwrap_or_default();
        let reveals = |action: &Action| {
            matches!(
                action,
                Action::Play { .. } | Action::Claim { .. } | Action::ScoreHand | Action::EndGame | Action::Redeal
            )
        };
        game.state().phase == Phase::Scoring || since.iter().any(reveals)
    }

    /// The seats that must agree to an undo: those that people control and, if hidden dominoes have been shown, also
    /// those that people let a bot play. A person without `undo-actions` counts as well, and cannot agree;
    /// [`Self::cannot_agree_to_undo`] finds that seat.
    pub(crate) fn must_agree_to_undo(&self, to: u16) -> impl Iterator<Item = Seat> {
        let is_revealed = self.was_revealed_since(to);
        // A newcomer who waits for the next deal takes no part in this one.
        let has_person = |seat: Seat| self.person(seat).is_some_and(|person| !self.waits_for_deal(person));
        Seat::ALL
            .into_iter()
            .filter(move |seat| self.control(*seat) == Control::Human || (is_revealed && has_person(*seat)))
    }

    /// A seat that must agree to an undo, and whose person joined without `undo-actions`. Without that person's consent,
    /// the others could take back plays after seeing dominoes of that hand, so the table undoes nothing instead.
    pub(crate) fn cannot_agree_to_undo(&self, to: u16) -> Option<Seat> {
        let cannot_agree = |person: &Session| !person.may(Capability::UndoActions);
        self.must_agree_to_undo(to).find(|seat| self.person(*seat).is_some_and(cannot_agree))
    }

    /// Whether each human seat is taken and, if the table requires it, its person is ready. Nobody waits for people who
    /// left, but no game starts without any person who is to play it.
    pub(crate) fn is_complete(&self) -> bool {
        let is_ready = |seat: Seat| !self.options.ready || self.ready.contains(seat) || self.has_left(seat);
        let mut people = self.human_seats().peekable();
        let is_abandoned = people.peek().is_some() && self.human_seats().all(|seat| self.has_left(seat));
        !is_abandoned && people.all(|seat| self.person(seat).is_some() && is_ready(seat))
    }

    pub(crate) fn state(&self) -> Option<&State> {
        self.game.as_ref().map(Game::state)
    }

    /// The next automatic action of the table, and the delay before it.
    pub(crate) fn automatic(&self) -> Option<(Action, u64)> {
        let game = self.game.as_ref().filter(|_| !self.is_full())?;
        let offers = game.ctx().annotated(game.state());
        let offer = offers.iter().find(|offer| offer.meta.auto_execute)?;
        let is_table_action = offer.action.player().is_none() && offer.meta.authority == Authority::System;
        let delay = if is_table_action { self.options.pause } else { offer.meta.delay };
        Some((offer.action, delay.into()))
    }

    /// The parts of views that are not part of the game. `connected` returns whether a player is connected. The list
    /// `known` is reused if it is still correct.
    pub(crate) fn table_metadata(
        &self,
        connected: &dyn Fn(&PlayerId) -> bool,
        known: Option<&Arc<Vec<PlayerView>>>,
    ) -> TableMetadata {
        let players = known.filter(|known| self.is_current_list(known, connected)).cloned();
        TableMetadata {
            players: players.unwrap_or_else(|| Arc::new(self.players(connected))),
            metadata: Arc::new(self.metadata(self.state())),
            events: self.game.as_ref().map_or(0, |game| game.log().len() as u16),
            log: self.log_of_hand(),
            intents: self.intents.clone(),
            composition: self.composition.clone(),
        }
    }

    /// The actions since the hand began, if any session may see the full state.
    fn log_of_hand(&self) -> Vec<Action> {
        let is_visible = self.sessions.iter().any(|session| session.may(Capability::ObserveFullState));
        let Some(game) = self.game.as_ref().filter(|_| is_visible) else { return Vec::new() };
        let began = self.hand_ends.last().map_or(0, |end| end + 1);
        game.log().get(began..).unwrap_or_default().to_vec()
    }

    fn players(&self, connected: &dyn Fn(&PlayerId) -> bool) -> Vec<PlayerView> {
        let shown = |session: &Session| {
            session.view(self.controller(session), connected(&session.player_id), self.waits_for_deal(session))
        };
        self.sessions.iter().map(shown).collect()
    }

    /// Whether a list shows exactly the current sessions, with their current control and presence.
    fn is_current_list(&self, players: &[PlayerView], connected: &dyn Fn(&PlayerId) -> bool) -> bool {
        let is_same = |(session, shown): (&Session, &PlayerView)| {
            let waits = self.waits_for_deal(session);
            session.is_shown_as(shown, self.controller(session), connected(&session.player_id), waits)
        };
        players.len() == self.sessions.len() && self.sessions.iter().zip(players).all(is_same)
    }

    /// Who acts for a session now.
    fn controller(&self, session: &Session) -> Control {
        session.seat.map_or(session.control, |seat| self.control(seat))
    }

    /// The current scene, for all sessions without a delay.
    pub(crate) fn scene<'a>(&'a self, metadata: &'a TableMetadata) -> Scene<'a> {
        match &self.game {
            Some(game) => Scene::new(game.ctx(), game.state(), metadata),
            None => Scene::setup(&self.config, metadata),
        }
    }

    /// Whether a delay of whole hands has an effect now.
    fn is_delayed(&self, delay_hands: u8) -> bool {
        delay_hands > 0 && self.state().is_some_and(|state| !state.phase.is_over())
    }

    /// The table as a session sees it. `scene` and `current` describe the current state; sessions with a delay get an
    /// earlier one.
    pub(crate) fn view(&self, session: Option<&Session>, scene: &Scene<'_>, current: &TableMetadata) -> GameView {
        self.view_with_delay(delay_of(session), &self.viewer(session), scene, current)
    }

    /// The table as a person with an invite sees it before joining: without hands, and with the delay of the invite.
    pub(crate) fn preview(&self, invite: &Invite, scene: &Scene<'_>, current: &TableMetadata) -> GameView {
        let mut view = self.view_with_delay(invite.grant.delay_hands, &self.viewer(None), scene, current);
        Arc::make_mut(&mut view.metadata).invited_by = Some(invite.by.clone());
        view
    }

    fn view_with_delay(
        &self,
        delay_hands: u8,
        viewer: &Viewer,
        scene: &Scene<'_>,
        current: &TableMetadata,
    ) -> GameView {
        let Some(game) = self.game.as_ref().filter(|_| self.is_delayed(delay_hands)) else {
            return scene.view(viewer);
        };
        let (events, earlier) = self.earlier_state(game, delay_hands).unzip();
        let metadata = Metadata {
            undo: None,
            undo_declined: None,
            deadline: None,
            last_action_at: None,
            ..self.metadata(earlier.as_ref())
        };
        let delayed = TableMetadata {
            metadata: Arc::new(metadata),
            events: events.unwrap_or(0),
            players: current.players.clone(),
            ..TableMetadata::default()
        };
        match earlier {
            Some(state) => view(game.ctx(), &state, viewer, &delayed),
            None => setup_view(&self.config, &delayed),
        }
    }

    /// What a session may see. While a bot controls the seat, its person only watches, and vice versa. A newcomer who
    /// waits for the next deal does not see the hand.
    pub(crate) fn viewer(&self, session: Option<&Session>) -> Viewer {
        let Some(session) = session else { return Viewer::spectator() };
        let viewer = Viewer::with(&session.capabilities, session.seat);
        let viewer = self.without_withheld_hands(session, viewer);
        Viewer { seat: viewer.seat.filter(|_| self.is_in_control(session)), ..viewer }
    }

    /// With a delay: the end of the last hand that may be seen. That excludes hands that were thrown in and that an undo
    /// could bring back.
    fn earlier_state(&self, game: &Game, delay_hands: u8) -> Option<(u16, State)> {
        let latest = self.hand_ends.len().checked_sub(usize::from(delay_hands))?;
        let shown = (0..=latest).rev().find(|hand| !self.is_hidden_for_undo(*hand as u32))?;
        let end = *self.hand_ends.get(shown)?;
        Some((end as u16, game.state_at(end)?))
    }

    fn metadata(&self, state: Option<&State>) -> Metadata {
        Metadata {
            deal: (self.options.deal == DealKind::Secret).then(|| self.proof_at(state)),
            undo: self.undo.map(|undo| UndoView { to: undo.to, agreed: undo.agreed.seats().collect() }),
            undo_declined: self.undo_declined,
            invited_by: None,
            ready: self.ready.seats().collect(),
            coach_off: self.coach_off.seats().collect(),
            deadline: self.shown_deadline(),
            result: state.filter(|state| state.phase.is_over()).and_then(|state| self.result(state)),
            game_number: self.game_number,
            known_deals: self.has_marked_deals(),
            created_at: Some(self.created_at),
            last_action_at: Some(self.last_action_at),
            table: self.options.clone(),
        }
    }

    /// Whether somebody could choose or know the deals of this game or an earlier one here.
    fn has_marked_deals(&self) -> bool {
        self.had_known_deals || self.options.brought || has_known_deals(&self.config, &self.options)
    }

    /// The cached proof, if it still applies. Hashing is most of the work of a view, and the proof changes only when a
    /// hand starts or ends.
    fn proof_at(&self, state: Option<&State>) -> Arc<DealProof> {
        match &self.proof {
            Some((stage, proof)) if *stage == ProofStage::of(state) => proof.clone(),
            _ => Arc::new(self.deal_proof(state)),
        }
    }

    fn cache_proof(&mut self) {
        let stage = ProofStage::of(self.state());
        let is_cached = self.proof.as_ref().is_some_and(|(cached, _)| *cached == stage);
        if self.options.deal == DealKind::Secret && !is_cached {
            self.proof = Some((stage, Arc::new(self.deal_proof(self.state()))));
        }
    }

    /// Reveals the share of a hand when the hand is over, and the secret when the game is.
    fn deal_proof(&self, state: Option<&State>) -> DealProof {
        let hand = state.map_or(0, |state| state.hand_number);
        let hex = |bytes: [u8; 32]| Hex(&bytes).to_string();
        let is_shown = state.is_some_and(|state| state.phase == Phase::Scoring || state.phase.is_over());
        let is_game_over = state.is_some_and(|state| state.phase.is_over());
        let before = || hand.checked_sub(1).filter(|hand| !self.is_hidden_for_undo(*hand));
        let revealed = if is_shown { Some(hand) } else { before() };
        let deals = self.deals();
        DealProof {
            secret_commitment: hex(commitment(&self.secret.0)),
            hand_commitment: hex(commitment(&deals.share(hand))),
            next_commitment: self.next_secret.map(|next| hex(commitment(&next.0))),
            revealed: revealed.map(|hand_number| RevealedHand {
                hand_number,
                share: hex(deals.share(hand_number)),
                entropy: hex(deals.entropy),
            }),
            secret: is_game_over.then(|| hex(self.secret.0)),
            secret_draw: self.secret_draw && self.config.shaker.is_none(),
            later: self.later.map(|later| LaterProof {
                from_hand: later.from_hand,
                secret_commitment: hex(commitment(&later.secret.0)),
                secret: is_game_over.then(|| hex(later.secret.0)),
            }),
        }
    }

    /// The scored hands, in order. Hands that were thrown in are omitted.
    fn scored_hands(&self, game: &Game) -> Vec<StoryHand> {
        let is_scored = |end: &&usize| matches!(game.log().get(**end), Some(Action::ScoreHand));
        let scored = self.hand_ends.iter().filter(is_scored).filter_map(|end| game.state_at(end + 1)?.last_hand);
        scored.chain(game.state().last_hand).map(|result| story_hand(&result)).collect()
    }

    fn result(&self, state: &State) -> Option<ResultView> {
        let game = self.game.as_ref()?;
        let is_public = self.options.deal == DealKind::Seeded;
        let mut result = result_view(game, state, is_public);
        if !is_public {
            result.replay_link = self.finished_game().map(|finished| code::link(&code::encode(&finished)));
        }
        result.hands = self.scored_hands(game);
        Some(result)
    }
}
