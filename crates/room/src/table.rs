//! What follows from the log of a table: who sits where, what was granted, where the game stands. Live or restored, the
//! same events give the same table.

use alloc::{collections::BTreeMap, format, string::ToString, sync::Arc, vec::Vec};

use texas42_engine::{
    Authority, ConfigError, Context, Game, MOST_EVENTS, Refusal, SeatSet, State, code,
    deal::{Hex, Source, commitment, hand_share},
};
use texas42_kernel::{Around, KeyHash, Session, Viewer, setup_view, view};
use texas42_protocol::{
    DealKind, DealProof, Entropy, GameView, Grant, Metadata, PlayerId, PlayerView, RequestId, ResultView, RevealedHand,
    TableOptions, UndoView,
};
use texas42_vocab::{Action, Config, Control, Layer, Phase, Seat};

use crate::{
    event::{Event, Secret},
    fair::{FairRecord, table_entropy},
};

/// An invitation that still opens the table.
#[derive(Clone, Debug)]
pub(crate) struct Invitation {
    pub(crate) number: u32,
    pub(crate) key: KeyHash,
    pub(crate) grant: Grant,
}

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
    pub(crate) sessions: Vec<Session>,
    pub(crate) invitations: Vec<Invitation>,
    pub(crate) next_invitation: u32,
    entropy: [Option<Entropy>; 4],
    /// The randomness that the game was dealt with: who comes later changes nothing.
    dealt_entropy: [Option<Entropy>; 4],
    /// Who moves each seat before there is a game that knows it.
    control: [Control; 4],
    pub(crate) game: Option<Game>,
    pub(crate) game_number: u32,
    pub(crate) undo: Option<UndoAsk>,
    /// Seats of people that a program moves because they did not decide in time.
    taken_over: SeatSet,
    /// After how many events of the game each hand was over.
    hand_ends: Vec<usize>,
    proof: Option<(Moment, DealProof)>,
    /// Every request that was accepted and the version that it led to: a repetition gets the same answer, however late.
    requests: BTreeMap<(PlayerId, RequestId), u64>,
    /// Since when the table waits for the present decision. What happens around the game gives nobody more time.
    pub(crate) decision_since: u64,
    /// The version after the last event of the game. What happens around it makes no decision stale.
    game_version: u64,
    pub(crate) version: u64,
}

impl Table {
    /// The table right after it was set up; the first event of every log.
    pub(crate) fn created(at: u64, config: Config, options: TableOptions, secret: Secret) -> Result<Self, ConfigError> {
        Context::compose(&config)?;
        Ok(Self {
            control: config.players,
            config,
            options,
            secret,
            sessions: Vec::new(),
            invitations: Vec::new(),
            next_invitation: 1,
            entropy: [const { None }; 4],
            dealt_entropy: [const { None }; 4],
            game: None,
            game_number: 0,
            undo: None,
            taken_over: SeatSet::default(),
            hand_ends: Vec::new(),
            proof: None,
            requests: BTreeMap::new(),
            decision_since: at,
            game_version: 1,
            version: 1,
        })
    }

    /// Takes one more event. The room has checked that it may happen; a log that was stored has been checked then.
    pub(crate) fn apply(&mut self, at: u64, event: &Event) -> Result<(), Refusal> {
        match event {
            Event::Created { .. } => {}
            Event::Invited { number, key, grant } => {
                self.invitations.push(Invitation { number: *number, key: *key, grant: grant.clone() });
                self.next_invitation = number.saturating_add(1);
            }
            Event::Revoked { number } => self.invitations.retain(|invitation| invitation.number != *number),
            Event::Joined { session, entropy } => self.join(session, entropy.as_ref()),
            Event::Left { player_id } => self.sessions.retain(|session| session.player_id != *player_id),
            Event::Started => self.start(),
            Event::Acted { by, action, .. } => {
                self.act(*action)?;
                if let Action::SetControl { player, control_type } = action {
                    let is_late = by.is_none() && *control_type == Control::Ai;
                    self.taken_over = self.taken_over.set(*player, is_late);
                }
            }
            Event::UndoAsked { by, to, .. } => self.note_undo(by, *to),
            Event::Rematch { secret, .. } => self.play_again(*secret),
        }
        self.version += 1;
        if matches!(event, Event::Started | Event::Acted { .. } | Event::Rematch { .. }) {
            self.game_version = self.version;
        }
        if self.is_new_decision(event) {
            self.decision_since = at;
        }
        self.keep_proof();
        if let Some((by, request)) = event.request() {
            self.remember(by.clone(), request.clone());
        }
        Ok(())
    }

    /// Whether the table waits anew after an event: for the next move, or for another one who makes the same.
    fn is_new_decision(&self, event: &Event) -> bool {
        match event {
            Event::Started | Event::Rematch { .. } => true,
            Event::Acted { action: Action::SetControl { player, .. }, .. } => {
                self.state().is_some_and(|state| state.to_act() == Some(*player))
            }
            Event::Acted { .. } => true,
            _ => false,
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

    fn join(&mut self, session: &Session, entropy: Option<&Entropy>) {
        if let Some(seat) = session.seat {
            // The person or the program that held the seat before is replaced by the newcomer of the same kind.
            self.sessions.retain(|other| other.seat != Some(seat) || other.control != session.control);
            if session.control == Control::Human {
                self.entropy[seat.index()] = entropy.cloned();
            }
        }
        self.sessions.push(session.clone());
    }

    fn start(&mut self) {
        self.hand_ends.clear();
        self.dealt_entropy = self.entropy.clone();
        let players = self.control;
        let config = Config { players, ..self.config.clone() };
        let ctx = match self.options.deal {
            DealKind::Seeded => Context::compose(&config),
            DealKind::Secret => Context::compose_dealing(&config, self.source()),
        };
        self.game = ctx.ok().map(Game::new);
    }

    fn source(&self) -> Source {
        Source::Secret { secret: self.secret.0, entropy: self.combined_entropy() }
    }

    pub(crate) fn combined_entropy(&self) -> [u8; 32] {
        table_entropy(&self.dealt_entropy, self.game_number)
    }

    /// The proof of a finished game of secret deals.
    pub(crate) fn fair_record(&self) -> Option<FairRecord> {
        let game = self.game.as_ref().filter(|game| game.state().phase.is_over())?;
        let is_secret = self.options.deal == DealKind::Secret;
        is_secret.then(|| FairRecord::of(game, &self.secret.0, self.dealt_entropy.clone(), self.game_number))
    }

    fn act(&mut self, action: Action) -> Result<(), Refusal> {
        if let Action::SetControl { player, control_type } = action {
            self.control[player.index()] = control_type;
            if control_type == Control::Human {
                self.dismiss_program(player);
            }
        }
        self.undo = None;
        let Some(game) = &mut self.game else { return Ok(()) };
        let before = game.state().hand_number;
        game.apply(action)?;
        match action {
            Action::Undo { to } => {
                self.hand_ends.retain(|end| *end < usize::from(to));
                self.keep_control()?;
            }
            _ if game.state().hand_number > before => self.hand_ends.push(game.log().len() - 1),
            _ => {}
        }
        Ok(())
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

    /// A program that is no longer wanted loses its session and every key that was made for it.
    fn dismiss_program(&mut self, seat: Seat) {
        self.sessions.retain(|session| session.seat != Some(seat) || session.control != Control::Ai);
        self.invitations.retain(|invitation| {
            invitation.grant.seat != Some(seat) || invitation.grant.role != texas42_protocol::Role::Ai
        });
    }

    fn note_undo(&mut self, by: &PlayerId, to: u16) {
        let Some(seat) = self.session(by).and_then(|session| session.seat) else { return };
        let agreed = self.undo.filter(|ask| ask.to == to).map_or(SeatSet::default(), |ask| ask.agreed);
        self.undo = Some(UndoAsk { to, agreed: agreed.set(seat, true) });
    }

    fn play_again(&mut self, secret: Secret) {
        self.secret = secret;
        self.proof = None;
        self.game_number += 1;
        self.undo = None;
        self.start();
    }

    fn remember(&mut self, by: PlayerId, request: RequestId) {
        self.requests.insert((by, request), self.version);
    }

    /// The version that a request led to, if it was accepted before.
    pub(crate) fn accepted(&self, by: &PlayerId, request: &RequestId) -> Option<u64> {
        self.requests.get(&(by.clone(), request.clone())).copied()
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

    /// Whether anybody has seen hidden dominoes since the first `to` events: somebody else's play, open hands, or the
    /// next deal.
    pub(crate) fn was_revealed_since(&self, to: u16) -> bool {
        let Some(game) = &self.game else { return false };
        let since = game.log().get(usize::from(to)..).unwrap_or_default();
        let opens = |action: &Action| {
            matches!(action, Action::Claim { .. } | Action::ScoreHand | Action::EndGame | Action::Redeal)
        };
        let plays = since.iter().filter(|action| matches!(action, Action::Play { .. })).count();
        // The last play, before anybody answered it, has shown nothing that its player did not know.
        plays > 1 || game.state().phase == Phase::Scoring || since.iter().any(opens)
    }

    /// The seats that have to agree to taking back: those that people move, and where hidden dominoes have been seen,
    /// also those whose people have handed them to a program for the moment.
    pub(crate) fn asked_for_undo(&self, to: u16) -> impl Iterator<Item = Seat> {
        let is_revealed = self.was_revealed_since(to);
        Seat::ALL
            .into_iter()
            .filter(move |seat| self.control(*seat) == Control::Human || (is_revealed && self.person(*seat).is_some()))
    }

    /// Whether every seat that a person is to move has its person.
    pub(crate) fn is_complete(&self) -> bool {
        self.human_seats().all(|seat| self.person(seat).is_some())
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
        Some((seat, self.decision_since + u64::from(seconds) * 1000))
    }

    /// A person for whom the table waits: to decide, or to agree.
    fn awaited(&self) -> Option<Seat> {
        let game = self.game.as_ref().filter(|_| !self.is_full())?;
        let agrees = || game.legal().iter().find_map(Action::player);
        let seat = game.state().to_act().or_else(agrees)?;
        (self.control(seat) == Control::Human).then_some(seat)
    }

    /// What everybody sees around the game; `connected` says who is there.
    pub(crate) fn around(&self, connected: &dyn Fn(&PlayerId) -> bool) -> Around {
        Around { players: Arc::new(self.players(connected)), metadata: Arc::new(self.metadata(self.state())) }
    }

    fn players(&self, connected: &dyn Fn(&PlayerId) -> bool) -> Vec<PlayerView> {
        let shown = |session: &Session| {
            let control = session.seat.map_or(session.control, |seat| self.control(seat));
            session.view(control, connected(&session.player_id))
        };
        self.sessions.iter().map(shown).collect()
    }

    /// The table as a session sees it.
    pub(crate) fn view(&self, session: Option<&Session>, around: &Around) -> GameView {
        let Some(game) = &self.game else { return setup_view(&self.config, around) };
        let is_behind = session.is_some_and(|session| session.delay_hands > 0) && !game.state().phase.is_over();
        if !is_behind {
            return view(game.ctx(), game.state(), &self.viewer(session), around);
        }
        let earlier = self.earlier_state(game, session);
        let around = Around { metadata: Arc::new(self.metadata(earlier.as_ref())), ..around.clone() };
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
    fn earlier_state(&self, game: &Game, session: Option<&Session>) -> Option<State> {
        let delay = session.map_or(0, |session| usize::from(session.delay_hands));
        let shown = self.hand_ends.len().checked_sub(delay)?;
        game.state_at(*self.hand_ends.get(shown)?)
    }

    fn metadata(&self, state: Option<&State>) -> Metadata {
        Metadata {
            deal: (self.options.deal == DealKind::Secret).then(|| self.proof_at(state)),
            undo: self.undo.map(|ask| UndoView { to: ask.to, agreed: ask.agreed.seats().collect() }),
            deadline: self.deadline().map(|(_, at)| at),
            result: state.filter(|state| state.phase.is_over()).and_then(|state| self.result(state)),
            game_number: self.game_number,
        }
    }

    /// Hashing is most of the work of a view, and the proof changes only when a hand begins or ends: it is kept.
    fn proof_at(&self, state: Option<&State>) -> DealProof {
        match &self.proof {
            Some((moment, proof)) if *moment == Moment::of(state) => proof.clone(),
            _ => self.deal_proof(state),
        }
    }

    fn keep_proof(&mut self) {
        let moment = Moment::of(self.state());
        let is_kept = self.proof.as_ref().is_some_and(|(kept, _)| *kept == moment);
        if self.options.deal == DealKind::Secret && !is_kept {
            self.proof = Some((moment, self.deal_proof(self.state())));
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
            revealed: revealed.map(|hand_number| RevealedHand {
                hand_number,
                share: hex(hand_share(&self.secret.0, hand_number)),
                entropy: hex(self.combined_entropy()),
            }),
            secret: state.filter(|state| state.phase.is_over()).map(|_| hex(self.secret.0)),
        }
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
            winner: game.ctx().winner(state),
            score: state.score,
            seed: is_seeded.then(|| *game.ctx().seed()),
            code: is_seeded.then(|| code::encode(game)),
            stars,
            share_text: challenge.zip(stars).map(|(challenge, stars)| {
                format!("Texas 42, {} ({}): {stars} of 3 stars", challenge.date, challenge.difficulty.name())
            }),
        })
    }
}
