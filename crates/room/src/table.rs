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
    deal::{DealSource, Hex, Key, commitment, hand_share, key_from_hex},
    record::Record,
};
use texas42_kernel::{KeyHash, Scene, Session, TableMetadata, Viewer, composition, setup_view, story_hand, view};
use texas42_protocol::{
    Capability, ChallengeView, Composition, DealKind, DealProof, Entropy, GameView, Grant, Intent, IntentView,
    Metadata, PlayerId, PlayerView, RequestId, ResultView, RevealedHand, Role, StoryHand, TableOptions, UndoView,
};
use texas42_vocab::{Action, Config, Control, Layer, Phase, Seat};

use crate::{
    event::{EarlierGames, Event, Secret, StoredEvent},
    fair::{DealEntropy, FairRecord, hash_of_game},
    room::RestoreError,
};

/// An invite that has not been revoked.
#[derive(Clone, Debug)]
pub(crate) struct Invite {
    pub(crate) number: u32,
    pub(crate) key: KeyHash,
    pub(crate) grant: Grant,
    /// The version that it was created with.
    pub(crate) made_at: u64,
    used: u8,
}

impl Invite {
    /// Whether the invite has reached its maximum number of uses.
    pub(crate) fn is_used_up(&self) -> bool {
        self.grant.max_uses().is_some_and(|most| self.used >= most)
    }
}

/// The maximum number of events of a table, over all its games.
const MAX_TABLE_EVENTS: u64 = 100_000;

/// A pending undo request.
#[derive(Clone, Copy, Debug)]
pub(crate) struct UndoRequest {
    pub(crate) to: u16,
    pub(crate) agreed: SeatSet,
}

/// What a deal proof depends on: the hand, and whether it and the game are over.
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

/// A table as described by its log.
#[derive(Debug)]
pub(crate) struct Table {
    pub(crate) config: Config,
    pub(crate) options: TableOptions,
    secret: Secret,
    /// The secret of the next game, once this one has started.
    next_secret: Option<Secret>,
    pub(crate) sessions: Vec<Session>,
    /// Which layer decides what, once a session may see it.
    composition: Option<Arc<Composition>>,
    pub(crate) invitations: Vec<Invite>,
    pub(crate) next_invitation: u32,
    entropy: [Option<Entropy>; 4],
    /// The randomness used for the current game. Later players do not change it.
    given: DealEntropy,
    /// The hash of the game before the first one here, if the table was imported.
    before: Option<Key>,
    /// Who controls each seat, also before the game starts.
    control: [Control; 4],
    pub(crate) game: Option<Game>,
    pub(crate) game_number: u32,
    /// The seats that have declared themselves ready.
    pub(crate) ready: SeatSet,
    pub(crate) undo: Option<UndoRequest>,
    /// Seats of people that a bot controls because they ran out of time.
    taken_over: SeatSet,
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
    /// How often people have handed over seats in this game.
    pub(crate) handovers: u16,
    /// How often an undo was requested since the last action.
    pub(crate) undo_requests: u8,
    /// How many spectators and coaches have joined, including those who left.
    pub(crate) guests_joined: u16,
    /// The version after the last event of the game. Events around it make no decision stale.
    game_version: u64,
    pub(crate) version: u64,
}

impl Table {
    /// Replays a whole log.
    pub(crate) fn of<'a>(mut log: impl Iterator<Item = (usize, &'a StoredEvent)>) -> Result<Self, RestoreError> {
        let Some((0, StoredEvent { at, event: Event::Created { config, table, secret, earlier } })) = log.next() else {
            return Err(RestoreError::NoBeginning);
        };
        let mut table = Self::created(*at, config.clone(), table.clone(), *secret)?;
        table.game_number = earlier.as_ref().map_or(0, |earlier| earlier.games);
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
            next_secret: None,
            sessions: Vec::new(),
            composition: None,
            invitations: Vec::new(),
            next_invitation: 1,
            entropy: [const { None }; 4],
            given: DealEntropy::default(),
            before: None,
            game: None,
            game_number: 0,
            ready: SeatSet::default(),
            undo: None,
            taken_over: SeatSet::default(),
            intents: Vec::new(),
            hand_ends: Vec::new(),
            proof: None,
            requests: BTreeMap::new(),
            decision_since: at,
            was_timer_restarted: false,
            handovers: 0,
            undo_requests: 0,
            guests_joined: 0,
            game_version: 1,
            version: 1,
        })
    }

    /// Whether an event may occur now. A table is created once and started once, and a rematch needs a game.
    pub(crate) fn can_hold(&self, event: &Event) -> bool {
        match event {
            Event::Created { .. } => false,
            Event::Ready { .. } | Event::Started { .. } => self.game.is_none(),
            Event::Rematch { .. } => self.game.is_some(),
            _ => true,
        }
    }

    /// Applies an event. The room has checked that it is allowed; stored events were checked before they were stored.
    pub(crate) fn apply(&mut self, at: u64, event: &Event) -> Result<(), Refusal> {
        match event {
            Event::Created { .. } => {}
            Event::Invited { number, key, grant, .. } => self.add_invite(*number, *key, grant.clone()),
            Event::Revoked { number, .. } => self.invitations.retain(|invitation| invitation.number != *number),
            Event::Joined { session, entropy } => self.join(session, entropy.as_ref()),
            Event::Left { player_id } => self.leave(player_id),
            Event::Ready { by, .. } => self.note_ready(by),
            Event::Started { next } => self.start(*next),
            Event::Acted { by, action, intent, .. } => {
                self.act(*action)?;
                self.note_intent(*action, intent.as_ref());
                if let Action::SetControl { player, control_type } = action {
                    let own = self.person(*player).map(|person| &person.player_id);
                    let is_others = *control_type == Control::Ai && (by.is_none() || by.as_ref() != own);
                    self.taken_over = self.taken_over.set(*player, is_others);
                    self.handovers = self.handovers.saturating_add(u16::from(by.is_some()));
                }
            }
            Event::UndoAsked { by, to, .. } => {
                self.undo_requests = self.undo_requests.saturating_add(1);
                self.note_undo(by, *to);
            }
            Event::Rematch { by, entropy, next, .. } => self.play_again(by, entropy.as_ref(), *next),
        }
        self.version += 1;
        if matches!(event, Event::Started { .. } | Event::Acted { .. } | Event::Rematch { .. }) {
            self.game_version = self.version;
        }
        self.note_decision_time(at, event);
        self.cache_proof();
        if let Some((by, request)) = event.request() {
            self.remember(by.clone(), request.clone());
        }
        Ok(())
    }

    /// Restarts the decision timer for the next action, or once for a person who takes back the seat that is to act.
    /// Taking it back repeatedly gains no more time.
    fn note_decision_time(&mut self, at: u64, event: &Event) {
        match event {
            Event::Acted { action: Action::SetControl { player, control_type }, .. } => {
                let is_awaited = self.state().is_some_and(|state| state.to_act() == Some(*player));
                if is_awaited && *control_type == Control::Human && !self.was_timer_restarted {
                    self.was_timer_restarted = true;
                    self.decision_since = at;
                }
            }
            Event::Started { .. } | Event::Rematch { .. } | Event::Acted { .. } => {
                self.undo_requests = 0;
                self.was_timer_restarted = false;
                self.decision_since = at;
            }
            _ => {}
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

    fn add_invite(&mut self, number: u32, key: KeyHash, grant: Grant) {
        // Drops used-up invites whose guests have all left.
        let is_here = |number: u32| self.sessions.iter().any(|session: &Session| session.invitation == Some(number));
        self.invitations.retain(|old| !old.is_used_up() || is_here(old.number));
        self.invitations.push(Invite { number, key, grant, made_at: self.version + 1, used: 0 });
        self.next_invitation = number.saturating_add(1);
    }

    fn join(&mut self, session: &Session, entropy: Option<&Entropy>) {
        let came_with = |invitation: &&mut Invite| Some(invitation.number) == session.invitation;
        if let Some(invitation) = self.invitations.iter_mut().find(came_with) {
            invitation.used = invitation.used.saturating_add(1);
        }
        if let Some(seat) = session.seat {
            // The newcomer replaces the previous person or bot at the seat, whichever is of the same kind.
            self.sessions.retain(|other| other.seat != Some(seat) || other.control != session.control);
            if session.control == Control::Human {
                self.entropy[seat.index()] = entropy.cloned();
                self.ready = self.ready.set(seat, false);
            }
        }
        self.guests_joined = self.guests_joined.saturating_add(u16::from(session.seat.is_none()));
        let mut session = session.clone();
        let is_host = |session: &Session| session.may(Capability::ConfigureVariant);
        let has_host = is_host(&session) || self.sessions.iter().any(is_host);
        // The next person to take a seat hosts a table without a host.
        if session.seat.is_some() && session.control == Control::Human && !has_host {
            session.capabilities.push(Capability::ConfigureVariant);
        }
        let is_needed = cfg!(feature = "explain") && session.may(Capability::ObserveFullState);
        if is_needed && self.composition.is_none() {
            let ctx = Context::compose(&self.config).ok();
            self.composition = ctx.map(|ctx| Arc::new(composition(&ctx)));
        }
        self.sessions.push(session);
    }

    /// Removes a session. If it was the host's, the next seated person becomes the host.
    fn leave(&mut self, player: &PlayerId) {
        let is_host = |session: &Session| session.may(Capability::ConfigureVariant);
        let was_host = self.session(player).is_some_and(is_host);
        let student = self.session(player).filter(|session| session.control == Control::Human);
        if let Some(seat) = student.and_then(|student| student.seat) {
            self.end_coaching(seat);
            self.ready = self.ready.set(seat, false);
        }
        self.sessions.retain(|session| session.player_id != *player);
        let is_heir = |session: &&mut Session| session.seat.is_some() && session.control == Control::Human;
        if was_host
            && !self.sessions.iter().any(is_host)
            && let Some(heir) = self.sessions.iter_mut().filter(is_heir).min_by_key(|session| session.seat)
        {
            heir.capabilities.push(Capability::ConfigureVariant);
        }
    }

    /// Ends coaching when the student leaves, so that the coach cannot see the next player's hand.
    fn end_coaching(&mut self, seat: Seat) {
        let is_coach = |grant: &Grant| grant.role == Role::Coach && grant.seat == Some(seat);
        self.invitations.retain(|invitation| !is_coach(&invitation.grant));
        let sees = Capability::ObserveHand { player_index: seat };
        self.sessions.retain(|session| session.seat.is_some() || !session.may(sees));
    }

    fn note_ready(&mut self, by: &PlayerId) {
        if let Some(seat) = self.session(by).and_then(|session| session.seat) {
            self.ready = self.ready.set(seat, true);
        }
    }

    fn start(&mut self, next: Secret) {
        self.next_secret = Some(next);
        self.ready = SeatSet::default();
        self.handovers = 0;
        self.hand_ends.clear();
        self.given =
            DealEntropy { entropy: self.entropy.clone(), before: self.game.as_ref().map(hash_of_game).or(self.before) };
        let players = self.control;
        let config = Config { players, ..self.config.clone() };
        let ctx = match self.options.deal {
            DealKind::Seeded => Context::compose(&config),
            DealKind::Secret => Context::compose_with_source(&config, self.source()),
        };
        let ctx = ctx.expect("the configuration was composed at creation, and control does not affect the rules");
        self.game = Some(Game::new(ctx));
    }

    fn source(&self) -> DealSource {
        DealSource::Secret { secret: self.secret.0, entropy: self.combined_entropy() }
    }

    pub(crate) fn combined_entropy(&self) -> [u8; 32] {
        self.given.combined(self.game_number)
    }

    /// What the current game was dealt from: the secret, the randomness of each seat, and the games before.
    pub(crate) fn deal_sources(&self) -> (Secret, &[Option<Entropy>; 4], Option<EarlierGames>) {
        let hash = self.given.before.map(|hash| Hex(&hash).to_string());
        let earlier = (self.game_number > 0).then_some(EarlierGames { games: self.game_number, hash });
        (self.secret, &self.given.entropy, earlier)
    }

    /// The proof of a finished game with secret deals.
    pub(crate) fn fair_record(&self) -> Option<FairRecord> {
        let game = self.game.as_ref().filter(|game| game.state().phase.is_over())?;
        let is_secret = self.options.deal == DealKind::Secret;
        is_secret.then(|| FairRecord::of(game, &self.secret.0, &self.given, self.game_number))
    }

    /// The game up to the end of the last finished hand. For secret deals, the configuration is given the deals of
    /// those hands and the first shaker, which comes from the secret too.
    pub(crate) fn record(&self) -> Option<String> {
        if let Some(proof) = self.fair_record() {
            return serde_json::to_string(&proof).ok();
        }
        let game = self.game.as_ref()?;
        let is_over = game.state().phase == Phase::Scoring || game.state().phase.is_over();
        let end = if is_over { game.log().len() } else { *self.hand_ends.last()? };
        let mut config = game.ctx().config().clone();
        if self.options.deal == DealKind::Secret {
            let last = game.state_at(end)?.hand_number;
            config.shaker = Some(game.state_at(0)?.shaker);
            config.deals = (0..=last).map(|hand| game.ctx().deal(hand)).collect();
        }
        let told = Game::replayed(Context::compose(&config).ok()?, &game.log()[..end]).ok()?;
        Some(Record::of(&told).to_json())
    }

    /// Applies an action, an undo or a change of control. If the rules reject it, nothing has changed.
    fn act(&mut self, action: Action) -> Result<(), Refusal> {
        if let Some(game) = &mut self.game {
            let before = game.state().hand_number;
            if game.apply(action)?.hand_number > before {
                self.hand_ends.push(game.log().len() - 1);
            }
        }
        self.undo = None;
        match action {
            Action::SetControl { player, control_type } => {
                self.control[player.index()] = control_type;
                if control_type == Control::Human {
                    self.remove_bot(player);
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

    /// Whether any session may see the bots' reasons.
    pub(crate) fn shows_intents(&self) -> bool {
        self.sessions.iter().any(|session| session.may(Capability::SeeAiIntent))
    }

    /// An undo does not affect control, so it is applied to the game again.
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

    /// Removes the session of a bot that is no longer needed.
    fn remove_bot(&mut self, seat: Seat) {
        self.sessions.retain(|session| session.seat != Some(seat) || session.control != Control::Ai);
    }

    fn note_undo(&mut self, by: &PlayerId, to: u16) {
        let Some(seat) = self.session(by).and_then(|session| session.seat) else { return };
        let agreed = self.undo.filter(|ask| ask.to == to).map_or(SeatSet::default(), |ask| ask.agreed);
        self.undo = Some(UndoRequest { to, agreed: agreed.set(seat, true) });
    }

    fn play_again(&mut self, by: &PlayerId, entropy: Option<&Entropy>, next: Secret) {
        let seat = self.session(by).and_then(|session| session.seat);
        if let (Some(seat), Some(entropy)) = (seat, entropy) {
            self.entropy[seat.index()] = Some(entropy.clone());
        }
        self.secret = self.next_secret.unwrap_or(self.secret);
        self.proof = None;
        self.game_number = self.game_number.saturating_add(1);
        self.options.brought = false;
        self.undo = None;
        self.start(next);
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

    /// Who controls a seat now.
    pub(crate) fn control(&self, seat: Seat) -> Control {
        self.control[seat.index()]
    }

    /// The seats controlled by people.
    pub(crate) fn human_seats(&self) -> impl Iterator<Item = Seat> {
        Seat::ALL.into_iter().filter(|seat| self.control(*seat) == Control::Human)
    }

    /// Whether a bot controls the seat of a person who ran out of time.
    pub(crate) fn was_taken_over(&self, seat: Seat) -> bool {
        self.taken_over.contains(seat)
    }

    /// Whether hidden dominoes have been shown since the first `to` events: by a play, open hands, or the next deal.
    pub(crate) fn was_revealed_since(&self, to: u16) -> bool {
        let Some(game) = &self.game else { return false };
        let since = game.log().get(usize::from(to)..).unwrap_or_default();
        let opens = |action: &Action| {
            matches!(
                action,
                Action::Play { .. } | Action::Claim { .. } | Action::ScoreHand | Action::EndGame | Action::Redeal
            )
        };
        game.state().phase == Phase::Scoring || since.iter().any(opens)
    }

    /// The seats that must agree to an undo: those that people control and, if hidden dominoes have been shown, also
    /// those whose people handed them to a bot.
    pub(crate) fn must_agree_to_undo(&self, to: u16) -> impl Iterator<Item = Seat> {
        let is_revealed = self.was_revealed_since(to);
        Seat::ALL
            .into_iter()
            .filter(move |seat| self.control(*seat) == Control::Human || (is_revealed && self.person(*seat).is_some()))
    }

    /// Whether each human seat is taken and, if the table requires it, its person is ready.
    pub(crate) fn is_complete(&self) -> bool {
        let is_ready = |seat: Seat| !self.options.ready || self.ready.contains(seat);
        self.human_seats().all(|seat| self.person(seat).is_some() && is_ready(seat))
    }

    pub(crate) fn state(&self) -> Option<&State> {
        self.game.as_ref().map(Game::state)
    }

    /// The next automatic action of the table, and the delay before it.
    pub(crate) fn automatic(&self) -> Option<(Action, u64)> {
        let game = self.game.as_ref().filter(|_| !self.is_full())?;
        let offers = game.ctx().annotated(game.state());
        let offer = offers.iter().find(|offer| offer.meta.auto_execute)?;
        let is_table = offer.action.player().is_none() && offer.meta.authority == Authority::System;
        let delay = if is_table { self.options.pause } else { offer.meta.delay };
        Some((offer.action, delay.into()))
    }

    /// When a bot takes over from a person who does not decide.
    pub(crate) fn deadline(&self) -> Option<(Seat, u64)> {
        let seconds = self.options.turn_seconds?;
        let seat = self.awaited()?;
        Some((seat, self.decision_since.saturating_add(u64::from(seconds) * 1000)))
    }

    /// The seat of a person whom the table waits for, to decide or to agree.
    fn awaited(&self) -> Option<Seat> {
        let game = self.game.as_ref().filter(|_| !self.is_full())?;
        let agrees = || game.legal().iter().find_map(Action::player);
        let seat = game.state().to_act().or_else(agrees)?;
        (self.control(seat) == Control::Human).then_some(seat)
    }

    /// The parts of views that are not part of the game. `connected` tells who is connected. The list `known` is reused
    /// if it is still correct.
    pub(crate) fn around(
        &self,
        connected: &dyn Fn(&PlayerId) -> bool,
        known: Option<&Arc<Vec<PlayerView>>>,
    ) -> TableMetadata {
        let players = known.filter(|known| self.is_shown(known, connected)).cloned();
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
        let is_read = self.sessions.iter().any(|session| session.may(Capability::ObserveFullState));
        let Some(game) = self.game.as_ref().filter(|_| is_read) else { return Vec::new() };
        let began = self.hand_ends.last().map_or(0, |end| end + 1);
        game.log().get(began..).unwrap_or_default().to_vec()
    }

    fn players(&self, connected: &dyn Fn(&PlayerId) -> bool) -> Vec<PlayerView> {
        let shown = |session: &Session| session.view(self.controller(session), connected(&session.player_id));
        self.sessions.iter().map(shown).collect()
    }

    /// Whether a list shows everybody at the table correctly.
    fn is_shown(&self, players: &[PlayerView], connected: &dyn Fn(&PlayerId) -> bool) -> bool {
        let is_same = |(session, shown): (&Session, &PlayerView)| {
            session.is_shown_as(shown, self.controller(session), connected(&session.player_id))
        };
        players.len() == self.sessions.len() && self.sessions.iter().zip(players).all(is_same)
    }

    /// Who acts for a session now.
    fn controller(&self, session: &Session) -> Control {
        session.seat.map_or(session.control, |seat| self.control(seat))
    }

    /// The current scene, for all sessions without a delay.
    pub(crate) fn scene<'a>(&'a self, around: &'a TableMetadata) -> Scene<'a> {
        match &self.game {
            Some(game) => Scene::new(game.ctx(), game.state(), around),
            None => Scene::setup(&self.config, around),
        }
    }

    /// Whether a session sees the game with a delay now.
    pub(crate) fn is_behind(&self, session: Option<&Session>) -> bool {
        let is_delayed = session.is_some_and(|session| session.delay_hands > 0);
        is_delayed && self.state().is_some_and(|state| !state.phase.is_over())
    }

    /// The table as a session sees it.
    pub(crate) fn view(&self, session: Option<&Session>, scene: &Scene<'_>, around: &TableMetadata) -> GameView {
        let Some(game) = self.game.as_ref().filter(|_| self.is_behind(session)) else {
            return scene.view(&self.viewer(session));
        };
        let (events, earlier) = self.earlier_state(game, session).unzip();
        let metadata = Metadata { undo: None, deadline: None, ..self.metadata(earlier.as_ref()) };
        let around = TableMetadata {
            metadata: Arc::new(metadata),
            events: events.unwrap_or(0),
            players: around.players.clone(),
            ..TableMetadata::default()
        };
        match earlier {
            Some(state) => view(game.ctx(), &state, &self.viewer(session), &around),
            None => setup_view(&self.config, &around),
        }
    }

    /// What a session may see. While a bot controls the seat, its person only watches, and vice versa.
    fn viewer(&self, session: Option<&Session>) -> Viewer {
        let Some(session) = session else { return Viewer::spectator() };
        let viewer = Viewer::with(&session.capabilities, session.seat);
        let is_person = session.control == Control::Human;
        Viewer {
            hints: viewer.hints || (self.options.hints && is_person && viewer.seat.is_some()),
            seat: viewer.seat.filter(|seat| session.control == self.control(*seat)),
            ..viewer
        }
    }

    /// For a session with a delay: the end of the last hand that it may see.
    fn earlier_state(&self, game: &Game, session: Option<&Session>) -> Option<(u16, State)> {
        let delay = session.map_or(0, |session| usize::from(session.delay_hands));
        let shown = self.hand_ends.len().checked_sub(delay)?;
        let end = *self.hand_ends.get(shown)?;
        Some((end as u16, game.state_at(end)?))
    }

    fn metadata(&self, state: Option<&State>) -> Metadata {
        Metadata {
            deal: (self.options.deal == DealKind::Secret).then(|| self.proof_at(state)),
            undo: self.undo.map(|ask| UndoView { to: ask.to, agreed: ask.agreed.seats().collect() }),
            ready: self.ready.seats().collect(),
            deadline: self.deadline().map(|(_, at)| at),
            result: state.filter(|state| state.phase.is_over()).and_then(|state| self.result(state)),
            game_number: self.game_number,
            table: self.options.clone(),
        }
    }

    /// The cached proof, if it still applies. Hashing is most of the work of a view, and the proof changes only when a
    /// hand starts or ends.
    fn proof_at(&self, state: Option<&State>) -> Arc<DealProof> {
        match &self.proof {
            Some((moment, proof)) if *moment == ProofStage::of(state) => proof.clone(),
            _ => Arc::new(self.deal_proof(state)),
        }
    }

    fn cache_proof(&mut self) {
        let moment = ProofStage::of(self.state());
        let is_kept = self.proof.as_ref().is_some_and(|(kept, _)| *kept == moment);
        if self.options.deal == DealKind::Secret && !is_kept {
            self.proof = Some((moment, Arc::new(self.deal_proof(self.state()))));
        }
    }

    /// Reveals the share of a hand when the hand is over, and the secret when the game is.
    fn deal_proof(&self, state: Option<&State>) -> DealProof {
        let hand = state.map_or(0, |state| state.hand_number);
        let hex = |bytes: [u8; 32]| Hex(&bytes).to_string();
        let is_shown = state.is_some_and(|state| state.phase == Phase::Scoring || state.phase.is_over());
        let revealed = if is_shown { Some(hand) } else { hand.checked_sub(1) };
        DealProof {
            secret_commitment: hex(commitment(&self.secret.0)),
            hand_commitment: hex(commitment(&hand_share(&self.secret.0, hand))),
            next_commitment: self.next_secret.map(|next| hex(commitment(&next.0))),
            revealed: revealed.map(|hand_number| RevealedHand {
                hand_number,
                share: hex(hand_share(&self.secret.0, hand_number)),
                entropy: hex(self.combined_entropy()),
            }),
            secret: state.filter(|state| state.phase.is_over()).map(|_| hex(self.secret.0)),
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
        let is_seeded = self.options.deal == DealKind::Seeded;
        let challenge = self.config.layers.iter().find_map(|layer| match layer {
            Layer::DailyChallenge(challenge) => Some(challenge),
            _ => None,
        });
        let stars = game.ctx().stars(state);
        Some(ResultView {
            hands: self.scored_hands(game),
            winner: game.ctx().winner(state),
            score: state.score,
            seed: is_seeded.then(|| *game.ctx().seed()),
            code: is_seeded.then(|| code::encode(game)),
            stars,
            challenge: challenge
                .map(|challenge| ChallengeView { date: challenge.date, difficulty: challenge.difficulty }),
        })
    }
}
