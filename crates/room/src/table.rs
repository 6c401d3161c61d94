//! What follows from the log of a table: who sits where, what was granted, where the game stands. Live or restored, the
//! same events give the same table.

use alloc::{
    collections::BTreeMap,
    string::{String, ToString},
    sync::Arc,
    vec::Vec,
};

use texas42_engine::{
    Authority, ConfigError, Context, Game, MOST_EVENTS, Refusal, SeatSet, State, code,
    deal::{Hex, Key, Source, commitment, hand_share, key_from_hex},
    record::Record,
};
use texas42_kernel::{Around, KeyHash, Scene, Session, Viewer, composition, setup_view, story_hand, view};
use texas42_protocol::{
    Capability, ChallengeView, Composition, DealKind, DealProof, Entropy, GameView, Grant, Intent, IntentView,
    Metadata, PlayerId, PlayerView, RequestId, ResultView, RevealedHand, Role, StoryHand, TableOptions, UndoView,
};
use texas42_vocab::{Action, Config, Control, Layer, Phase, Seat};

use crate::{
    event::{Earlier, Event, Secret, Stored},
    fair::{FairRecord, Given, hash_of_game},
    room::RestoreError,
};

/// An invitation that was not taken back.
#[derive(Clone, Debug)]
pub(crate) struct Invitation {
    pub(crate) number: u32,
    pub(crate) key: KeyHash,
    pub(crate) grant: Grant,
    /// The version that it was made with.
    pub(crate) made_at: u64,
    used: u8,
}

impl Invitation {
    /// Whether as many have come with it as may.
    pub(crate) fn is_used_up(&self) -> bool {
        self.grant.most_uses().is_some_and(|most| self.used >= most)
    }
}

/// The most events of one table, its games together.
const MOST_VERSIONS: u64 = 100_000;

/// Somebody asks to take back.
#[derive(Clone, Copy, Debug)]
pub(crate) struct UndoAsk {
    pub(crate) to: u16,
    pub(crate) agreed: SeatSet,
}

/// What the proof of a deal depends on: the hand, and whether it and the game are over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Moment {
    hand: Option<u32>,
    hand_is_over: bool,
    game_is_over: bool,
}

impl Moment {
    fn of(state: Option<&State>) -> Self {
        Self {
            hand: state.map(|state| state.hand_number),
            hand_is_over: state.is_some_and(|state| state.phase == Phase::Scoring || state.phase.is_over()),
            game_is_over: state.is_some_and(|state| state.phase.is_over()),
        }
    }
}

/// A table as its log says.
#[derive(Debug)]
pub(crate) struct Table {
    pub(crate) config: Config,
    pub(crate) options: TableOptions,
    secret: Secret,
    /// The secret of the next game, once this one has begun.
    next_secret: Option<Secret>,
    pub(crate) sessions: Vec<Session>,
    /// Which layer decides what, once somebody is here who may know.
    composition: Option<Arc<Composition>>,
    pub(crate) invitations: Vec<Invitation>,
    pub(crate) next_invitation: u32,
    entropy: [Option<Entropy>; 4],
    /// What the game was dealt with: who comes later changes nothing.
    given: Given,
    /// The hash of the game before the first one here, where the table was brought from elsewhere.
    before: Option<Key>,
    /// Who moves each seat before there is a game that knows it.
    control: [Control; 4],
    pub(crate) game: Option<Game>,
    pub(crate) game_number: u32,
    /// Who has said that it may begin.
    pub(crate) ready: SeatSet,
    pub(crate) undo: Option<UndoAsk>,
    /// Seats of people that a program moves because they did not decide in time.
    taken_over: SeatSet,
    /// What programs had in mind with their last moves of this hand, where somebody may see it.
    intents: Vec<IntentView>,
    /// After how many events of the game each hand was over.
    hand_ends: Vec<usize>,
    proof: Option<(Moment, Arc<DealProof>)>,
    /// Every request that was accepted and the version that it led to: a repetition gets the same answer, however late.
    requests: BTreeMap<PlayerId, BTreeMap<RequestId, u64>>,
    /// Since when the table waits for the present decision. What happens around the game gives nobody more time.
    pub(crate) decision_since: u64,
    /// Whether the person who has to decide got the time anew.
    was_extended: bool,
    /// How often people have handed seats over in this game.
    pub(crate) swaps: u16,
    /// How often taking back was asked for since the last move.
    pub(crate) undo_asks: u8,
    /// How many have come to watch or to coach, gone or not.
    pub(crate) visits: u16,
    /// The version after the last event of the game. What happens around it makes no decision stale.
    game_version: u64,
    pub(crate) version: u64,
}

impl Table {
    /// The table that a whole log leads to.
    pub(crate) fn of<'a>(mut log: impl Iterator<Item = (usize, &'a Stored)>) -> Result<Self, RestoreError> {
        let Some((0, Stored { at, event: Event::Created { config, table, secret, earlier } })) = log.next() else {
            return Err(RestoreError::NoBeginning);
        };
        let mut table = Self::created(*at, config.clone(), table.clone(), *secret)?;
        table.game_number = earlier.as_ref().map_or(0, |earlier| earlier.games);
        table.before = earlier.as_ref().and_then(|earlier| key_from_hex(earlier.hash.as_ref()?));
        table.go_on(log)?;
        Ok(table)
    }

    /// Takes what follows in a log, numbered as there.
    pub(crate) fn go_on<'a>(&mut self, log: impl Iterator<Item = (usize, &'a Stored)>) -> Result<(), RestoreError> {
        for (at, Stored { at: time, event }) in log {
            if !self.can_hold(event) {
                return Err(RestoreError::Misplaced { at });
            }
            self.apply(*time, event).map_err(|refusal| RestoreError::Refused { at, refusal })?;
        }
        Ok(())
    }

    /// The table right after it was set up; the first event of every log.
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
            given: Given::default(),
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
            was_extended: false,
            swaps: 0,
            undo_asks: 0,
            visits: 0,
            game_version: 1,
            version: 1,
        })
    }

    /// Whether an event can come now at all: a table is set up once and started once, and plays before it plays again.
    pub(crate) fn can_hold(&self, event: &Event) -> bool {
        match event {
            Event::Created { .. } => false,
            Event::Ready { .. } | Event::Started { .. } => self.game.is_none(),
            Event::Rematch { .. } => self.game.is_some(),
            _ => true,
        }
    }

    /// Takes one more event. The room has checked that it may happen; a log that was stored has been checked then.
    pub(crate) fn apply(&mut self, at: u64, event: &Event) -> Result<(), Refusal> {
        match event {
            Event::Created { .. } => {}
            Event::Invited { number, key, grant, .. } => self.note_invitation(*number, *key, grant.clone()),
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
                    self.swaps = self.swaps.saturating_add(u16::from(by.is_some()));
                }
            }
            Event::UndoAsked { by, to, .. } => {
                self.undo_asks = self.undo_asks.saturating_add(1);
                self.note_undo(by, *to);
            }
            Event::Rematch { by, entropy, next, .. } => self.play_again(by, entropy.as_ref(), *next),
        }
        self.version += 1;
        if matches!(event, Event::Started { .. } | Event::Acted { .. } | Event::Rematch { .. }) {
            self.game_version = self.version;
        }
        self.note_decision(at, event);
        self.keep_proof();
        if let Some((by, request)) = event.request() {
            self.remember(by.clone(), request.clone());
        }
        Ok(())
    }

    /// Notes since when the table waits: for the next move, or for a person who takes the seat back to make this one.
    /// That person gets the time of a move once; taking a seat back again and again buys no more.
    fn note_decision(&mut self, at: u64, event: &Event) {
        match event {
            Event::Acted { action: Action::SetControl { player, control_type }, .. } => {
                let is_awaited = self.state().is_some_and(|state| state.to_act() == Some(*player));
                if is_awaited && *control_type == Control::Human && !self.was_extended {
                    self.was_extended = true;
                    self.decision_since = at;
                }
            }
            Event::Started { .. } | Event::Rematch { .. } | Event::Acted { .. } => {
                self.undo_asks = 0;
                self.was_extended = false;
                self.decision_since = at;
            }
            _ => {}
        }
    }

    /// Whether a decision that was made on a version is one about the game as it stands.
    pub(crate) fn is_current(&self, version: u64) -> bool {
        (self.game_version..=self.version).contains(&version)
    }

    /// Whether the game has as many events as it may have. An undo can bring a change of control for each seat.
    pub(crate) fn is_full(&self) -> bool {
        self.game.as_ref().is_some_and(|game| game.log().len() + 1 + Seat::ALL.len() > MOST_EVENTS)
    }

    /// Whether the table has written down as much as it may; then the game goes on, and nothing else.
    pub(crate) fn is_written_full(&self) -> bool {
        self.version >= MOST_VERSIONS
    }

    fn note_invitation(&mut self, number: u32, key: KeyHash, grant: Grant) {
        // One that nobody can use and with which nobody is here is not looked for any more.
        let is_here = |number: u32| self.sessions.iter().any(|session: &Session| session.invitation == Some(number));
        self.invitations.retain(|old| !old.is_used_up() || is_here(old.number));
        self.invitations.push(Invitation { number, key, grant, made_at: self.version + 1, used: 0 });
        self.next_invitation = number.saturating_add(1);
    }

    fn join(&mut self, session: &Session, entropy: Option<&Entropy>) {
        let came_with = |invitation: &&mut Invitation| Some(invitation.number) == session.invitation;
        if let Some(invitation) = self.invitations.iter_mut().find(came_with) {
            invitation.used = invitation.used.saturating_add(1);
        }
        if let Some(seat) = session.seat {
            // The person or the program that held the seat before is replaced by the newcomer of the same kind.
            self.sessions.retain(|other| other.seat != Some(seat) || other.control != session.control);
            if session.control == Control::Human {
                self.entropy[seat.index()] = entropy.cloned();
                self.ready = self.ready.set(seat, false);
            }
        }
        self.visits = self.visits.saturating_add(u16::from(session.seat.is_none()));
        let mut session = session.clone();
        let is_host = |session: &Session| session.may(Capability::ConfigureVariant);
        let has_host = is_host(&session) || self.sessions.iter().any(is_host);
        // A table that nobody looks after is looked after by the next person who sits down.
        if session.seat.is_some() && session.control == Control::Human && !has_host {
            session.capabilities.push(Capability::ConfigureVariant);
        }
        let is_wanted = cfg!(feature = "explain") && session.may(Capability::ObserveFullState);
        if is_wanted && self.composition.is_none() {
            let ctx = Context::compose(&self.config).ok();
            self.composition = ctx.map(|ctx| Arc::new(composition(&ctx)));
        }
        self.sessions.push(session);
    }

    /// Somebody leaves. Who looks after the table hands that on to the next person who sits.
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

    /// A coach was the student's: whoever sits there next is seen by nobody.
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
        self.swaps = 0;
        self.hand_ends.clear();
        self.given =
            Given { entropy: self.entropy.clone(), before: self.game.as_ref().map(hash_of_game).or(self.before) };
        let players = self.control;
        let config = Config { players, ..self.config.clone() };
        let ctx = match self.options.deal {
            DealKind::Seeded => Context::compose(&config),
            DealKind::Secret => Context::compose_dealing(&config, self.source()),
        };
        let ctx = ctx.expect("it was composed when the table was set up, and who moves a seat is no rule");
        self.game = Some(Game::new(ctx));
    }

    fn source(&self) -> Source {
        Source::Secret { secret: self.secret.0, entropy: self.combined_entropy() }
    }

    pub(crate) fn combined_entropy(&self) -> [u8; 32] {
        self.given.combined(self.game_number)
    }

    /// What the deals of the present game come from: the secret, what each seat gave, and what was played before.
    pub(crate) fn dealt_from(&self) -> (Secret, &[Option<Entropy>; 4], Option<Earlier>) {
        let hash = self.given.before.map(|hash| Hex(&hash).to_string());
        let earlier = (self.game_number > 0).then_some(Earlier { games: self.game_number, hash });
        (self.secret, &self.given.entropy, earlier)
    }

    /// The proof of a finished game of secret deals.
    pub(crate) fn fair_record(&self) -> Option<FairRecord> {
        let game = self.game.as_ref().filter(|game| game.state().phase.is_over())?;
        let is_secret = self.options.deal == DealKind::Secret;
        is_secret.then(|| FairRecord::of(game, &self.secret.0, &self.given, self.game_number))
    }

    /// The game up to the end of the last hand that is over. Secret deals are written into the configuration, those of
    /// the hands that are told and no other, and so is who shook first, which comes from the secret too.
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

    /// Plays a move, or takes note of an undo or a change of control. When the rules refuse it, nothing has changed.
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
                    self.dismiss_program(player);
                }
                Ok(())
            }
            Action::Undo { to } => {
                self.hand_ends.retain(|end| *end < usize::from(to));
                self.keep_control()
            }
            _ => Ok(()),
        }
    }

    /// What was in mind with a move is shown until the seat moves again; a new hand or a step back clears the table.
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

    /// Whether anybody at the table may see what programs have in mind.
    pub(crate) fn is_intent_seen(&self) -> bool {
        self.sessions.iter().any(|session| session.may(Capability::SeeAiIntent))
    }

    /// Who moves a seat is no move: it is not taken back, so the game is told again.
    fn keep_control(&mut self) -> Result<(), Refusal> {
        let Some(game) = &mut self.game else { return Ok(()) };
        for player in Seat::ALL {
            let control_type = self.control[player.index()];
            if game.state().humans.contains(player) != (control_type == Control::Human) {
                game.apply(Action::SetControl { player, control_type })?;
            }
        }
        Ok(())
    }

    /// A program that is no longer wanted loses its session.
    fn dismiss_program(&mut self, seat: Seat) {
        self.sessions.retain(|session| session.seat != Some(seat) || session.control != Control::Ai);
    }

    fn note_undo(&mut self, by: &PlayerId, to: u16) {
        let Some(seat) = self.session(by).and_then(|session| session.seat) else { return };
        let agreed = self.undo.filter(|ask| ask.to == to).map_or(SeatSet::default(), |ask| ask.agreed);
        self.undo = Some(UndoAsk { to, agreed: agreed.set(seat, true) });
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

    /// The version that a request led to, if it was accepted before.
    pub(crate) fn accepted(&self, by: &PlayerId, request: &RequestId) -> Option<u64> {
        self.requests.get(by)?.get(request).copied()
    }

    pub(crate) fn session(&self, id: &PlayerId) -> Option<&Session> {
        self.sessions.iter().find(|session| session.player_id == *id)
    }

    /// The person on a seat.
    pub(crate) fn person(&self, seat: Seat) -> Option<&Session> {
        self.on_seat(seat, Control::Human)
    }

    pub(crate) fn on_seat(&self, seat: Seat, control: Control) -> Option<&Session> {
        self.sessions.iter().find(|session| session.seat == Some(seat) && session.control == control)
    }

    /// Who moves a seat now.
    pub(crate) fn control(&self, seat: Seat) -> Control {
        self.control[seat.index()]
    }

    /// The seats that people move.
    pub(crate) fn human_seats(&self) -> impl Iterator<Item = Seat> {
        Seat::ALL.into_iter().filter(|seat| self.control(*seat) == Control::Human)
    }

    /// Whether a program moves the seat of a person who did not decide in time.
    pub(crate) fn was_taken_over(&self, seat: Seat) -> bool {
        self.taken_over.contains(seat)
    }

    /// Whether anybody has seen hidden dominoes since the first `to` events: a play, open hands, or the next deal.
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

    /// The seats that have to agree to taking back: those that people move, and where hidden dominoes have been seen,
    /// also those whose people have handed them to a program for the moment.
    pub(crate) fn asked_for_undo(&self, to: u16) -> impl Iterator<Item = Seat> {
        let is_revealed = self.was_revealed_since(to);
        Seat::ALL
            .into_iter()
            .filter(move |seat| self.control(*seat) == Control::Human || (is_revealed && self.person(*seat).is_some()))
    }

    /// Whether every seat that a person is to move has its person, who is ready where the table asks for that.
    pub(crate) fn is_complete(&self) -> bool {
        let is_ready = |seat: Seat| !self.options.ready || self.ready.contains(seat);
        self.human_seats().all(|seat| self.person(seat).is_some() && is_ready(seat))
    }

    pub(crate) fn state(&self) -> Option<&State> {
        self.game.as_ref().map(Game::state)
    }

    /// The next thing that the table does by itself, and how long it waits with it.
    pub(crate) fn automatic(&self) -> Option<(Action, u64)> {
        let game = self.game.as_ref().filter(|_| !self.is_full())?;
        let offers = game.ctx().annotated(game.state());
        let offer = offers.iter().find(|offer| offer.meta.auto_execute)?;
        let is_table = offer.action.player().is_none() && offer.meta.authority == Authority::System;
        let delay = if is_table { self.options.pause } else { offer.meta.delay };
        Some((offer.action, delay.into()))
    }

    /// The moment at which a program takes over from a person who does not decide.
    pub(crate) fn deadline(&self) -> Option<(Seat, u64)> {
        let seconds = self.options.turn_seconds?;
        let seat = self.awaited()?;
        Some((seat, self.decision_since.saturating_add(u64::from(seconds) * 1000)))
    }

    /// A person for whom the table waits: to decide, or to agree.
    fn awaited(&self) -> Option<Seat> {
        let game = self.game.as_ref().filter(|_| !self.is_full())?;
        let agrees = || game.legal().iter().find_map(Action::player);
        let seat = game.state().to_act().or_else(agrees)?;
        (self.control(seat) == Control::Human).then_some(seat)
    }

    /// What everybody sees around the game; `connected` says who is there. When `known` still says who is at the table, it
    /// is shared.
    pub(crate) fn around(&self, connected: &dyn Fn(&PlayerId) -> bool, known: Option<&Arc<Vec<PlayerView>>>) -> Around {
        let players = known.filter(|known| self.is_shown(known, connected)).cloned();
        Around {
            players: players.unwrap_or_else(|| Arc::new(self.players(connected))),
            metadata: Arc::new(self.metadata(self.state())),
            events: self.game.as_ref().map_or(0, |game| game.log().len() as u16),
            log: self.log_of_hand(),
            intents: self.intents.clone(),
            composition: self.composition.clone(),
        }
    }

    /// What happened since the hand began, where somebody at the table may see everything.
    fn log_of_hand(&self) -> Vec<Action> {
        let is_read = self.sessions.iter().any(|session| session.may(Capability::ObserveFullState));
        let Some(game) = self.game.as_ref().filter(|_| is_read) else { return Vec::new() };
        let began = self.hand_ends.last().map_or(0, |end| end + 1);
        game.log().get(began..).unwrap_or_default().to_vec()
    }

    fn players(&self, connected: &dyn Fn(&PlayerId) -> bool) -> Vec<PlayerView> {
        let shown = |session: &Session| session.view(self.mover(session), connected(&session.player_id));
        self.sessions.iter().map(shown).collect()
    }

    /// Whether a list says who is at the table now.
    fn is_shown(&self, players: &[PlayerView], connected: &dyn Fn(&PlayerId) -> bool) -> bool {
        let is_same = |(session, shown): (&Session, &PlayerView)| {
            session.is_shown_as(shown, self.mover(session), connected(&session.player_id))
        };
        players.len() == self.sessions.len() && self.sessions.iter().zip(players).all(is_same)
    }

    /// Who moves for a session now.
    fn mover(&self, session: &Session) -> Control {
        session.seat.map_or(session.control, |seat| self.control(seat))
    }

    /// The table as it stands, for everybody who is not some hands behind.
    pub(crate) fn scene<'a>(&'a self, around: &'a Around) -> Scene<'a> {
        match &self.game {
            Some(game) => Scene::new(game.ctx(), game.state(), around),
            None => Scene::setup(&self.config, around),
        }
    }

    /// Whether a session sees the game as it was some hands ago.
    pub(crate) fn is_behind(&self, session: Option<&Session>) -> bool {
        let is_delayed = session.is_some_and(|session| session.delay_hands > 0);
        is_delayed && self.state().is_some_and(|state| !state.phase.is_over())
    }

    /// The table as a session sees it.
    pub(crate) fn view(&self, session: Option<&Session>, scene: &Scene<'_>, around: &Around) -> GameView {
        let Some(game) = self.game.as_ref().filter(|_| self.is_behind(session)) else {
            return scene.view(&self.viewer(session));
        };
        let (events, earlier) = self.earlier_state(game, session).unzip();
        let metadata = Metadata { undo: None, deadline: None, ..self.metadata(earlier.as_ref()) };
        let around = Around {
            metadata: Arc::new(metadata),
            events: events.unwrap_or(0),
            players: around.players.clone(),
            ..Around::default()
        };
        match earlier {
            Some(state) => view(game.ctx(), &state, &self.viewer(session), &around),
            None => setup_view(&self.config, &around),
        }
    }

    /// What a session may see. Where a program moves the seat, the person only watches, and the other way round.
    fn viewer(&self, session: Option<&Session>) -> Viewer {
        let Some(session) = session else { return Viewer::bystander() };
        let viewer = Viewer::with(&session.capabilities, session.seat);
        let is_person = session.control == Control::Human;
        Viewer {
            hints: viewer.hints || (self.options.hints && is_person && viewer.seat.is_some()),
            seat: viewer.seat.filter(|seat| session.control == self.control(*seat)),
            ..viewer
        }
    }

    /// For those who are some hands behind: the end of the hand that they may see, if there is one.
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

    /// Hashing is most of the work of a view, and the proof changes only when a hand begins or ends: it is kept.
    fn proof_at(&self, state: Option<&State>) -> Arc<DealProof> {
        match &self.proof {
            Some((moment, proof)) if *moment == Moment::of(state) => proof.clone(),
            _ => Arc::new(self.deal_proof(state)),
        }
    }

    fn keep_proof(&mut self) {
        let moment = Moment::of(self.state());
        let is_kept = self.proof.as_ref().is_some_and(|(kept, _)| *kept == moment);
        if self.options.deal == DealKind::Secret && !is_kept {
            self.proof = Some((moment, Arc::new(self.deal_proof(self.state()))));
        }
    }

    /// Shares of hands that are over are shown; the secret itself only when the game is.
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

    /// The hands that were scored, in order. One that was thrown in is no part of the story.
    fn story(&self, game: &Game) -> Vec<StoryHand> {
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
            hands: self.story(game),
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
