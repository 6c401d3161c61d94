//! An independent model of a table, derived from its log alone. For every version it knows who sat where, who could see
//! what, and the state of the game. The room's messages are compared with it.
//!
//! Applying an event checks the invariants of every log: the dominoes form a partition, a request is executed once, time
//! does not run backwards, actions are authorized, an undo has consent, and no game continues after its secret is revealed.

use std::collections::{BTreeMap, BTreeSet};

use texas42_engine::{
    Context, Game, HAND_POINTS, HAND_TRICKS, State,
    deal::{DealSource, Key, LaterSecret, SecretDeals, combined_entropy, key_from_hex, log_hash},
};
use texas42_kernel::{KeyHash, Session};
use texas42_protocol::{Capability, DealKind, Entropy, Grant, PlayerId, RequestId, Role, SecretKey, TableOptions};
use texas42_room::{Event, LaterDeals, Secret, StoredEvent};
use texas42_vocab::{Action, Config, Control, Hand, Layer, Phase, Seat};

use crate::report::Report;

/// How long all hosts are absent before another person acts as host, in milliseconds.
const HOST_ABSENCE_TIME: u64 = 300_000;
/// How long a table waits before every person may ask for a bot, in milliseconds.
const PATIENCE: u64 = 300_000;
/// How often the wait for a seat starts over before the first game.
const MAX_LOBBY_RESTARTS: u8 = 5;
/// How long an invited bot may take to decide at a table without a time limit, in milliseconds.
const BOT_TIME: u64 = 120_000;

/// A session and the versions in which it was at the table.
#[derive(Debug)]
pub(crate) struct Participant {
    pub(crate) session: Session,
    pub(crate) joined_at: u64,
    pub(crate) ended_at: Option<u64>,
    /// The first deal whose hand it may see, each with the version from which that applies.
    first_deals: Vec<(u64, FirstDeal)>,
}

/// A game, and the first deal of it whose hand a participant may see.
type FirstDeal = (u32, u32);

impl Participant {
    pub(crate) fn is_there_at(&self, version: u64) -> bool {
        self.joined_at <= version && self.ended_at.is_none_or(|ended| version < ended)
    }

    fn first_deal_at(&self, version: u64) -> FirstDeal {
        let known = self.first_deals.iter().rev().find(|(from, _)| *from <= version);
        known.map_or((0, 0), |(_, first_deal)| *first_deal)
    }
}

/// An invite that was not revoked.
#[derive(Debug)]
struct OpenInvite {
    number: u32,
    key: KeyHash,
    grant: Grant,
    /// The version after its creation.
    made_at: u64,
    /// How many sessions joined with it.
    uses: u8,
}

/// The newest deal of a game, and everybody who could see a hand of it while it was in play.
#[derive(Debug)]
struct NewestDeal {
    game: u32,
    number: u32,
    dealt_at: u64,
    watchers: BTreeSet<PlayerId>,
    /// Whether the hands were open once.
    is_open: bool,
}

impl OpenInvite {
    fn is_used_up(&self) -> bool {
        self.grant.max_uses().is_some_and(|most| self.uses >= most)
    }
}

/// The inputs of a deal.
#[derive(Clone, Copy, Debug)]
pub(crate) struct DealInputs {
    pub(crate) secret: Key,
    /// The secret of the next game.
    pub(crate) next: Option<Key>,
    pub(crate) entropy: Key,
    /// The first hand of an imported game that this table deals, and the secret it comes from.
    pub(crate) later: Option<(u32, Key)>,
}

impl DealInputs {
    pub(crate) fn deals(&self) -> SecretDeals {
        let later = self.later.map(|(from_hand, secret)| LaterSecret { from_hand, secret });
        SecretDeals { secret: self.secret, entropy: self.entropy, secret_draw: true, later }
    }
}

/// The state of the table after one event.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Moment {
    version: u64,
    pub(crate) state: Option<State>,
    pub(crate) control: [Control; 4],
    /// The seats that an invited bot plays, unless a person does.
    invited: [bool; 4],
    pub(crate) dealing: DealInputs,
    game_number: u32,
    has_open_hands: bool,
}

impl Moment {
    /// The number of the deal whose hands are hidden.
    fn deal_in_play(&self) -> Option<u32> {
        let is_hidden = |state: &State| !state.phase.is_over() && state.phase != Phase::Scoring;
        self.state.filter(is_hidden).map(|state| state.hand_number)
    }

    /// Whether a participant joined too late for the deal in play and has to wait for the next one.
    fn must_wait(&self, participant: &Participant) -> bool {
        let (game, first) = participant.first_deal_at(self.version);
        game == self.game_number && self.deal_in_play().is_some_and(|deal| deal < first)
    }

    /// Whether a participant can find out the hand of its seat by trying plays, even if it does not see the hand.
    fn can_try_plays(&self, participant: &Participant) -> bool {
        let session = &participant.session;
        let acts = session.seat.is_some_and(|player_index| session.may(Capability::ActAsPlayer { player_index }));
        acts && !self.must_wait(participant)
    }

    /// Whether a session plays its seat now.
    pub(crate) fn is_mover(&self, session: &Session) -> bool {
        session.seat.is_some_and(|seat| {
            session.control == self.control[seat.index()]
                && (session.control == Control::Human || session.is_invited_bot() == self.invited[seat.index()])
        })
    }
}

/// The model. [`Self::new`] takes the first event of a log, and [`Self::apply`] each further event in order.
pub(crate) struct Audit {
    pub(crate) config: Config,
    pub(crate) options: TableOptions,
    pub(crate) game: Option<Game>,
    /// `moments[v - 1]` is the state at version `v`.
    moments: Vec<Moment>,
    pub(crate) participants: BTreeMap<PlayerId, Participant>,
    requests: BTreeMap<(PlayerId, RequestId), u64>,
    open_invites: Vec<OpenInvite>,
    control: [Control; 4],
    /// The seats whose invited bot is away.
    absent_bots: BTreeSet<Seat>,
    /// Absent people, with the time when their absence began.
    absent: BTreeMap<PlayerId, u64>,
    /// Of these, the people who left. Nobody waits for them to be ready.
    left: BTreeSet<PlayerId>,
    /// Who acts as host while the hosts are absent.
    acting_host: Option<PlayerId>,
    /// The time when the table began to wait for the current decision.
    waiting_since: u64,
    /// The time when it began to wait for each seat before the first game, and how often that wait started over.
    lobby_waits: [(u64, u8); 4],
    /// The entropy that the player on each seat contributed to the deals.
    player_entropy: [Option<Entropy>; 4],
    dealing: DealInputs,
    newest_deal: Option<NewestDeal>,
    game_number: u32,
    is_secret_revealed: bool,
    /// The version of the last event that changed what there is to decide.
    pub(crate) game_version: u64,
    /// The players who are ready to start.
    ready: BTreeSet<PlayerId>,
    /// The players who see hints because the options say so.
    hinted: BTreeSet<PlayerId>,
    /// The pending undo request: its target, and the seats that agreed.
    undo_request: Option<(u16, Vec<Seat>)>,
    last_at: u64,
}

impl Audit {
    /// Creates the model from the first event of a log.
    pub(crate) fn new(first: &StoredEvent) -> Result<Self, String> {
        let Event::Created { config, table, secret, later, .. } = &first.event else {
            return Err("a log must start with the creation of the table".into());
        };
        let of_later = |later: &LaterDeals| Ok::<_, String>((later.from_hand, bytes_of(&later.secret)?));
        let later = later.as_ref().map(of_later).transpose()?;
        let dealing = DealInputs { secret: bytes_of(secret)?, next: None, entropy: [0; 32], later };
        let moment = Moment {
            version: 1,
            state: None,
            control: config.players,
            invited: [false; 4],
            dealing,
            game_number: 0,
            has_open_hands: table.open_hands,
        };
        Ok(Self {
            config: config.clone(),
            options: table.clone(),
            game: None,
            moments: vec![moment],
            participants: BTreeMap::new(),
            requests: BTreeMap::new(),
            open_invites: Vec::new(),
            control: config.players,
            absent_bots: BTreeSet::new(),
            absent: BTreeMap::new(),
            left: BTreeSet::new(),
            acting_host: None,
            waiting_since: first.at,
            lobby_waits: [(first.at, 0); 4],
            player_entropy: [const { None }; 4],
            dealing,
            newest_deal: None,
            game_number: 0,
            is_secret_revealed: false,
            game_version: 1,
            ready: BTreeSet::new(),
            hinted: BTreeSet::new(),
            undo_request: None,
            last_at: first.at,
        })
    }

    /// Creates the model from a whole log.
    pub(crate) fn of(log: &[StoredEvent]) -> Result<Self, String> {
        let (first, rest) = log.split_first().ok_or("an empty log")?;
        let mut audit = Self::new(first)?;
        rest.iter().try_for_each(|stored| audit.apply(stored, &mut Report::default()))?;
        Ok(audit)
    }

    pub(crate) fn version(&self) -> u64 {
        self.moments.len() as u64
    }

    pub(crate) fn moment(&self, version: u64) -> Option<&Moment> {
        self.moments.get(usize::try_from(version).ok()?.checked_sub(1)?)
    }

    pub(crate) fn now(&self) -> &Moment {
        self.moments.last().expect("a log has a first event")
    }

    /// The version at which a request was executed.
    pub(crate) fn executed_at(&self, player: &PlayerId, request: &RequestId) -> Option<u64> {
        self.requests.get(&(player.clone(), request.clone())).copied()
    }

    /// How often a request was executed, for any player.
    pub(crate) fn times_executed(&self, request: &RequestId) -> usize {
        self.requests.keys().filter(|(_, executed)| executed == request).count()
    }

    /// The number of events in the current game.
    pub(crate) fn game_events(&self) -> usize {
        self.game.as_ref().map_or(0, |game| game.log().len())
    }

    pub(crate) fn is_secret(&self) -> bool {
        self.options.deal == DealKind::Secret
    }

    /// The sessions that are at the table.
    fn present(&self) -> impl Iterator<Item = &Participant> {
        self.participants.values().filter(|participant| participant.ended_at.is_none())
    }

    /// The person on a seat, even while a bot plays it.
    fn person(&self, seat: Seat) -> Option<&Participant> {
        self.present()
            .find(|participant| participant.session.seat == Some(seat) && participant.session.control == Control::Human)
    }

    /// The player whose session a key opens.
    pub(crate) fn holder(&self, key: &SecretKey) -> Option<PlayerId> {
        let key = KeyHash::of(key);
        self.present()
            .find(|participant| participant.session.key == key)
            .map(|participant| participant.session.player_id.clone())
    }

    /// The invite that a key opens, unless it is used up.
    pub(crate) fn open_invite(&self, key: &SecretKey) -> Option<(u32, &Grant)> {
        let key = KeyHash::of(key);
        let open = self.open_invites.iter().find(|open| open.key == key && !open.is_used_up())?;
        Some((open.number, &open.grant))
    }

    /// Whether a player has a seat.
    pub(crate) fn has_seat(&self, player: &PlayerId) -> bool {
        self.participants.get(player).is_some_and(|participant| participant.session.seat.is_some())
    }

    /// Whether a bot plays the seat of a person, or of an invited bot that is away.
    pub(crate) fn is_replaced(&self, player: &PlayerId) -> bool {
        let session = self.participants.get(player).map(|participant| &participant.session);
        session.is_some_and(|session| session.seat.is_some() && !self.now().is_mover(session))
    }

    /// Whether a player is an invited bot that is away.
    pub(crate) fn is_absent_bot(&self, player: &PlayerId) -> bool {
        self.invited_seat(player).is_ok_and(|seat| self.absent_bots.contains(&seat))
    }

    /// The seats that an invited bot plays, unless a person does.
    fn invited_bots(&self) -> [bool; 4] {
        Seat::ALL.map(|seat| {
            let is_it = |participant: &Participant| {
                participant.session.seat == Some(seat) && participant.session.is_invited_bot()
            };
            self.present().any(is_it) && !self.absent_bots.contains(&seat)
        })
    }

    /// Checks that, once a game has started, a bot plays every seat whose person has left.
    pub(crate) fn check_seats(&self) -> Result<(), String> {
        let is_left = |seat: &Seat| self.control[seat.index()] == Control::Human && self.person(*seat).is_none();
        match Seat::ALL.into_iter().find(is_left).filter(|_| self.game.is_some()) {
            Some(seat) => Err(format!("{seat} is empty, and no bot has taken over")),
            None => Ok(()),
        }
    }

    /// Applies one more event.
    pub(crate) fn apply(&mut self, stored: &StoredEvent, report: &mut Report) -> Result<(), String> {
        let version = self.version() + 1;
        if stored.at < self.last_at {
            return Err(format!("event {version} has an earlier timestamp than its predecessor"));
        }
        self.last_at = stored.at;
        self.note_request(&stored.event, version)?;
        if matches!(stored.event, Event::Started { .. } | Event::Rematch { .. } | Event::Acted { .. }) {
            self.game_version = version;
        }
        if self.game.is_none() {
            self.note_lobby_event(&stored.event);
        }
        let before = self.now().state;
        self.apply_event(&stored.event, version, report)?;
        self.note_host_event(&stored.event);
        if is_decision(&stored.event) {
            self.waiting_since = stored.at;
        }
        let state = self.game.as_ref().map(|game| *game.state());
        if let Some(state) = &state {
            check_state(state, before.as_ref(), report).map_err(|error| format!("event {version}: {error}"))?;
        }
        self.check_secret(state.as_ref()).map_err(|error| format!("event {version}: {error}"))?;
        self.check_known_deals(state.as_ref()).map_err(|error| format!("event {version}: {error}"))?;
        self.moments.push(Moment {
            version,
            state,
            control: self.control,
            invited: self.invited_bots(),
            dealing: self.dealing,
            game_number: self.game_number,
            has_open_hands: self.options.open_hands,
        });
        self.note_watchers(version);
        report.events += 1;
        Ok(())
    }

    /// Before the first game, taking or giving up a seat starts the wait for it over, five times at most.
    fn note_lobby_event(&mut self, event: &Event) {
        let seat = match event {
            Event::Joined { session, .. } if !is_host_bot(session) => session.seat,
            Event::GaveUp { player_id } => self.participants.get(player_id).and_then(|gone| gone.session.seat),
            _ => None,
        };
        let now = self.last_at;
        if let Some((since, restarts)) = seat.map(|seat| &mut self.lobby_waits[seat.index()])
            && *restarts < MAX_LOBBY_RESTARTS
        {
            (*since, *restarts) = (now, *restarts + 1);
        }
        if matches!(event, Event::Configured { .. }) {
            self.lobby_waits.iter_mut().for_each(|(since, _)| *since = now);
        }
    }

    fn note_request(&mut self, event: &Event, version: u64) -> Result<(), String> {
        let Some((by, request)) = event.request() else { return Ok(()) };
        if self.participant_at(by, self.version()).is_none() {
            return Err(format!("{by}'s request {request} was executed, but {by} is not at the table"));
        }
        match self.requests.insert((by.clone(), request.clone()), version) {
            None => Ok(()),
            Some(first) => Err(format!("{by}'s request {request} was executed twice, as events {first} and {version}")),
        }
    }

    fn apply_event(&mut self, event: &Event, version: u64, report: &mut Report) -> Result<(), String> {
        match event {
            Event::Created { .. } => return Err("a table is created once".into()),
            Event::Invited { number, key, grant, .. } => {
                let grant = grant.clone();
                self.open_invites.push(OpenInvite { number: *number, key: *key, grant, made_at: version, uses: 0 });
            }
            Event::Revoked { number, .. } => self.open_invites.retain(|open| open.number != *number),
            Event::Joined { session, entropy, waits } => {
                self.check_join(session)?;
                report.newcomers += u64::from(*waits);
                self.check_newcomer(session, *waits)?;
                self.join(session, entropy.as_ref(), *waits, version);
            }
            Event::Left { player_id } | Event::GaveUp { player_id } => {
                report.leaves += u64::from(matches!(event, Event::Left { .. }));
                report.give_ups += u64::from(matches!(event, Event::GaveUp { .. }));
                let had_host = self.has_host();
                if let Ok(seat) = self.invited_seat(player_id) {
                    self.absent_bots.remove(&seat);
                }
                self.end(version, |participant| participant.session.player_id == *player_id);
                self.absent.remove(player_id);
                self.end_coaches(player_id, version);
                if had_host && !self.has_host() {
                    self.transfer_management();
                }
            }
            Event::BotAbsent { player_id, is_late } => {
                report.bot_absences += 1;
                report.late_bots += u64::from(*is_late);
                let seat = self.invited_seat(player_id)?;
                self.check_late_bot(seat, *is_late)?;
                self.absent_bots.insert(seat);
            }
            Event::BotReturned { player_id } => {
                report.bot_returns += 1;
                let seat = self.invited_seat(player_id)?;
                if !self.absent_bots.remove(&seat) {
                    return Err(format!("{player_id} returned, but was not away"));
                }
                self.end(version, |participant| {
                    participant.session.seat == Some(seat) && is_host_bot(&participant.session)
                });
            }
            Event::PersonAbsent { player_id, has_left } => {
                report.absences += 1;
                self.left.extend(has_left.then(|| player_id.clone()));
                self.note_absent(player_id, *has_left)?;
            }
            Event::PersonReturned { player_id } => {
                report.returns += 1;
                self.left.remove(player_id);
                let was_absent = self.absent.remove(player_id).is_some();
                return was_absent.then_some(()).ok_or_else(|| format!("{player_id} returned, but was not absent"));
            }
            Event::HostPassed { player_id } => {
                report.hosts_passed += 1;
                self.pass_host_rights(player_id)?;
            }
            Event::WaitsForDeal { player_id, first_deal } => {
                report.waits_for_deal += 1;
                self.note_wait(player_id, *first_deal, version)?;
            }
            Event::Ready { by, .. } => {
                report.readies += 1;
                self.note_ready(by)?;
            }
            Event::CoachAllowed { by, .. } => {
                report.coach_changes += 1;
                self.check_has_student_seat(by)?;
            }
            Event::Configured { by, config, table, .. } => {
                report.configurations += 1;
                self.check_may_configure(by)?;
                self.configure(config, table, version)?;
            }
            Event::Started { next, secret_draw } => {
                self.check_ready()?;
                self.start(next, *secret_draw)?;
            }
            Event::Acted { by, request_id, action, .. } => {
                self.check_authorized(by.as_ref(), *action, request_id.is_some())?;
                self.act(by.as_ref(), *action, version, report)?;
            }
            Event::UndoAsked { by, to, .. } => {
                report.undo_asks += 1;
                self.note_undo_request(by, *to)?;
            }
            Event::UndoDeclined { by, .. } => {
                report.undo_refusals += 1;
                self.note_undo_declined(by)?;
            }
            Event::Rematch { by, entropy, next, secret_draw, config, table, .. } => {
                if config.is_some() || table.is_some() {
                    report.configurations += 1;
                    self.check_may_configure(by)?;
                }
                let is_imported = self.options.brought;
                self.set_rules(config.as_ref(), table.as_ref())?;
                self.options.brought = is_imported;
                self.dealing.later = None;
                self.dealing.secret = self.dealing.next.ok_or("a rematch before the first game")?;
                self.game_number += 1;
                self.is_secret_revealed = false;
                report.rematches += 1;
                self.renew_entropy(by, entropy.as_ref());
                self.start(next, *secret_draw)?;
            }
        }
        Ok(())
    }

    /// Whether a hand is not over and was dealt by the device of the player who imported the table.
    fn is_from_device(&self, state: &State) -> bool {
        let is_known = self.dealing.later.is_some_and(|(from_hand, _)| state.hand_number < from_hand);
        is_known && state.phase != Phase::Scoring && !state.phase.is_over()
    }

    /// Whether somebody can choose or compute the hands.
    pub(crate) fn has_known_deals(&self) -> bool {
        !self.is_secret() || !self.config.deals.is_empty()
    }

    /// Checks that nobody plays with a person who can choose or know the hands.
    fn check_known_deals(&self, state: Option<&State>) -> Result<(), String> {
        let people = Seat::ALL.into_iter().filter(|seat| self.person(*seat).is_some());
        if people.clone().count() > 1 && self.has_known_deals() {
            return Err("several people have seats at a table with known deals".into());
        }
        let has_invited_bot = self.present().any(|participant| participant.session.is_invited_bot());
        if has_invited_bot && (self.has_known_deals() || self.options.rated) {
            return Err("an invited bot has a seat at a rated table or one with known deals".into());
        }
        let players = people.filter(|seat| self.control[seat.index()] == Control::Human).count();
        if players > 1 && state.is_some_and(|state| self.is_from_device(state)) {
            return Err("several people play a hand that a player's device dealt".into());
        }
        Ok(())
    }

    /// Checks that a person takes a free seat, an invite's limit is respected, and a key opens one session.
    fn check_join(&mut self, session: &Session) -> Result<(), String> {
        let player = &session.player_id;
        let is_person = session.control == Control::Human;
        if let Some(seat) = session.seat.filter(|_| is_person)
            && self.person(seat).is_some()
        {
            return Err(format!("{player} joined on an occupied seat"));
        }
        let is_same = |participant: &&Participant| {
            participant.session.key == session.key && participant.session.control == session.control
        };
        if let Some(first) = self.present().find(is_same).filter(|_| is_person) {
            return Err(format!("{} joined again as {player}", first.session.player_id));
        }
        let Some(number) = session.invite else { return Ok(()) };
        let invite = self.open_invites.iter_mut().find(|open| open.number == number && !open.is_used_up());
        let invite = invite.ok_or_else(|| format!("{player} joined with an invite that is not open"))?;
        invite.uses += 1;
        Ok(())
    }

    /// The seat of an invited bot.
    fn invited_seat(&self, player: &PlayerId) -> Result<Seat, String> {
        let session = self.participant_at(player, self.version()).map(|participant| &participant.session);
        let seat = session.filter(|session| session.is_invited_bot()).and_then(|session| session.seat);
        seat.ok_or_else(|| format!("{player} is not an invited bot"))
    }

    /// Checks that an invited bot lost its seat for being late only when it was to act and its time was up.
    fn check_late_bot(&self, seat: Seat, is_late: bool) -> Result<(), String> {
        let limit = self.options.turn_seconds.map_or(BOT_TIME, |seconds| u64::from(seconds) * 1000);
        let is_awaited = self.now().state.is_some_and(|state| state.to_act() == Some(seat));
        match is_late && !(is_awaited && self.last_at >= self.waiting_since + limit) {
            true => Err(format!("the bot on {seat} was late before its time was up")),
            false => Ok(()),
        }
    }

    /// Checks that a newcomer gets no hand in play if a player's device dealt it, or if the newcomer could have seen a hand
    /// of the deal.
    fn check_newcomer(&self, session: &Session, waits: bool) -> Result<(), String> {
        let (player, hidden) = (&session.player_id, self.now().deal_in_play());
        if session.seat.is_none() || is_host_bot(session) || hidden.is_none() {
            return if waits { Err(format!("{player} waits for nothing")) } else { Ok(()) };
        }
        let Some(deal) = &self.newest_deal else { return Err("hands are in play that were not dealt".into()) };
        let invite = self.open_invites.iter().find(|invite| Some(invite.number) == session.invite);
        let is_late_invite = !deal.watchers.is_empty() && invite.is_none_or(|invite| invite.made_at > deal.dealt_at);
        let may_be = |watcher: &PlayerId| {
            self.participants.get(watcher).is_none_or(|participant| {
                let plays = participant.ended_at.is_none() && self.now().is_mover(&participant.session);
                !plays || participant.session.invite == session.invite
            })
        };
        let is_known = hidden.is_some_and(|hidden| hidden < self.first_unknown_hand());
        let is_suspect =
            self.options.rated || is_known || deal.is_open || hidden != Some(deal.number) || is_late_invite;
        match !waits && (is_suspect || deal.watchers.iter().any(may_be)) {
            true => Err(format!("{player} got a hand in play that could be known")),
            false => Ok(()),
        }
    }

    /// Notes who can see a hand of the newest deal.
    fn note_watchers(&mut self, version: u64) {
        let Some(state) = self.now().state else { return };
        let is_newest = |deal: &NewestDeal| deal.game == self.game_number && deal.number >= state.hand_number;
        let newest = self.newest_deal.take().filter(is_newest);
        let mut newest = newest.unwrap_or_else(|| NewestDeal {
            game: self.game_number,
            number: state.hand_number,
            dealt_at: version,
            watchers: BTreeSet::new(),
            is_open: false,
        });
        newest.is_open |= self.now().deal_in_play().is_none();
        let learns_now = |participant: &&Participant| {
            let player = &participant.session.player_id;
            let sees =
                participant.session.delay_hands == 0 && Seat::ALL.iter().any(|seat| self.sees(player, version, *seat));
            !is_host_bot(&participant.session) && (sees || self.now().can_try_plays(participant))
        };
        newest
            .watchers
            .extend(self.present().filter(learns_now).map(|participant| participant.session.player_id.clone()));
        self.newest_deal = Some(newest);
    }

    /// The first hand of the current game that nobody's device dealt.
    fn first_unknown_hand(&self) -> u32 {
        self.dealing.later.map_or(0, |(from_hand, _)| from_hand)
    }

    /// The first deal whose hand a new session may see, with the number of the game. A bot of the host waits for none.
    fn first_deal(&self, session: &Session, waits: bool) -> (u32, u32) {
        let newest = self.newest_deal.as_ref().filter(|deal| deal.game == self.game_number && !is_host_bot(session));
        let is_late = waits || self.now().deal_in_play().is_none();
        let first_unknown = self.first_unknown_hand();
        (self.game_number, newest.map_or(0, |deal| first_unknown.max(deal.number + u32::from(is_late))))
    }

    /// Checks that a player waits for a deal only after leaving the seat to a bot in a rated game.
    fn note_wait(&mut self, player: &PlayerId, first_deal: u32, version: u64) -> Result<(), String> {
        let state = self.now().state.filter(|state| self.options.rated && !state.phase.is_over());
        let over = state.map(|state| state.hand_number + 1 + u32::from(self.now().deal_in_play().is_none()));
        let game = self.game_number;
        let (replaced, participant) = (self.is_replaced(player), self.participants.get_mut(player));
        let participant = participant.filter(|participant| replaced && participant.session.control == Control::Human);
        match participant {
            Some(participant) if over == Some(first_deal) => {
                participant.first_deals.push((version, (game, first_deal)));
                Ok(())
            }
            _ => Err(format!("{player} waits for deal {first_deal}")),
        }
    }

    /// Whether a player waited for a deal, and a bot plays the seat.
    pub(crate) fn is_newcomer(&self, player: &PlayerId) -> bool {
        let waited = |participant: &Participant| participant.first_deal_at(self.version()).1 > 0;
        self.participants.get(player).is_some_and(waited) && self.is_replaced(player)
    }

    fn join(&mut self, session: &Session, entropy: Option<&Entropy>, waits: bool, version: u64) {
        if let Some(seat) = session.seat {
            let control = session.control;
            let joins_for_host = is_host_bot(session);
            self.end(version, |participant| {
                let is_alike =
                    participant.session.control == control && !(joins_for_host && participant.session.is_invited_bot());
                participant.session.seat == Some(seat) && is_alike && !(waits && is_host_bot(&participant.session))
            });
            if session.is_invited_bot() {
                self.absent_bots.remove(&seat);
                self.absent_bots.extend(waits.then_some(seat));
            }
            if control == Control::Human {
                self.player_entropy[seat.index()] = entropy.cloned();
            }
        }
        let mut session = session.clone();
        self.grant_hints(&mut session);
        let has_host = session.may(Capability::ConfigureVariant) || self.has_host();
        if session.seat.is_some() && session.control == Control::Human && !has_host {
            session.capabilities.push(Capability::ConfigureVariant);
        }
        let first_deals = vec![(version, self.first_deal(&session, waits))];
        let participant = Participant { session: session.clone(), joined_at: version, ended_at: None, first_deals };
        self.participants.insert(session.player_id.clone(), participant);
    }

    fn check_may_configure(&self, by: &PlayerId) -> Result<(), String> {
        let participant = self.participant_at(by, self.version());
        match participant.is_some_and(|participant| participant.session.may(Capability::ConfigureVariant)) {
            true => Ok(()),
            false => Err(format!("{by} changed the rules without permission")),
        }
    }

    /// Changes the table before its first game. People who have joined keep their seats.
    fn configure(&mut self, config: &Config, options: &TableOptions, version: u64) -> Result<(), String> {
        if self.game.is_some() {
            return Err("the rules changed during a game".into());
        }
        for seat in Seat::ALL {
            let kind = config.players[seat.index()];
            match self.person(seat) {
                None => self.control[seat.index()] = kind,
                Some(_) if self.control[seat.index()] == Control::Human && kind == Control::Ai => {
                    return Err(format!("the person on {seat} was replaced"));
                }
                Some(_) => {}
            }
            if self.control[seat.index()] == Control::Human {
                self.end(version, |participant| {
                    participant.session.seat == Some(seat) && participant.session.control == Control::Ai
                });
            }
        }
        self.ready.clear();
        self.set_rules(Some(config), Some(options))
    }

    fn set_rules(&mut self, config: Option<&Config>, options: Option<&TableOptions>) -> Result<(), String> {
        self.config = config.unwrap_or(&self.config).clone();
        let Some(options) = options else { return Ok(()) };
        self.options = options.clone();
        let present: Vec<PlayerId> = self.present().map(|participant| participant.session.player_id.clone()).collect();
        for player in present {
            let Some(participant) = self.participants.get(&player) else { continue };
            let mut session = participant.session.clone();
            self.grant_hints(&mut session);
            let watches = session.seat.is_none() && session.delay_hands == 0 && session.control == Control::Human;
            let sees_all = session.may(Capability::ObserveAllHands);
            if watches && sees_all && !options.open_hands {
                return Err(format!("{player} sees the hands at a table without open hands"));
            }
            if let Some(participant) = self.participants.get_mut(&player) {
                participant.session = session;
            }
        }
        Ok(())
    }

    /// A table with the option `hints` grants `see-hints` to people who act for their seat and see its hand. Without the
    /// option, it takes back what it granted.
    fn grant_hints(&mut self, session: &mut Session) {
        if self.hinted.contains(&session.player_id) && !self.options.hints {
            self.hinted.remove(&session.player_id);
            session.capabilities.retain(|capability| *capability != Capability::SeeHints);
        }
        let grants = self.options.hints && !session.declines_hints;
        let Some(player_index) = session.seat.filter(|_| grants && session.control == Control::Human) else {
            return;
        };
        let sees = [
            Capability::ObserveOwnHand,
            Capability::ObserveHand { player_index },
            Capability::ObserveAllHands,
            Capability::ObserveFullState,
        ];
        let plays = session.may(Capability::ActAsPlayer { player_index }) && sees.iter().any(|sees| session.may(*sees));
        if plays && !session.may(Capability::SeeHints) {
            session.capabilities.push(Capability::SeeHints);
            self.hinted.insert(session.player_id.clone());
        }
    }

    /// What a view lists for a participant now. A bot of the host makes no room for a person if it stands in for somebody, or
    /// if a person plays who could know the deals.
    pub(crate) fn listed_capabilities(&self, participant: &Participant) -> Vec<Capability> {
        let session = &participant.session;
        let keeps_seat = |other: &Participant| {
            let waits = other.session.is_invited_bot() && self.waits(other);
            let is_kept = other.session.control == Control::Human || waits && !other.session.may(Capability::ReplaceAi);
            other.session.seat == session.seat && is_kept
        };
        let stands_in = is_host_bot(session) && self.present().any(keeps_seat);
        let is_closed = is_host_bot(session)
            && self.has_known_deals()
            && Seat::ALL.into_iter().any(|seat| self.person(seat).is_some());
        let is_listed = |capability: &&Capability| !(stands_in || is_closed) || **capability != Capability::ReplaceAi;
        session.capabilities.iter().filter(is_listed).copied().collect()
    }

    /// Whether a participant waits for a later deal than the one in play, or the next.
    fn waits(&self, participant: &Participant) -> bool {
        let (game, first) = participant.first_deal_at(self.version());
        let moment = self.now();
        let next = |state: &State| state.hand_number + u32::from(state.phase == Phase::Scoring);
        let state = moment.state.filter(|state| !state.phase.is_over());
        game == moment.game_number && state.is_some_and(|state| next(&state) < first)
    }

    /// Whether a player left the table and has not returned.
    pub(crate) fn has_left(&self, player: &PlayerId) -> bool {
        self.left.contains(player)
    }

    fn has_host(&self) -> bool {
        self.present().any(|participant| participant.session.may(Capability::ConfigureVariant))
    }

    /// Checks that a person is not absent alone or twice, except to leave.
    fn note_absent(&mut self, player: &PlayerId, has_left: bool) -> Result<(), String> {
        let people = self.people().count();
        let is_person = self.people().any(|participant| participant.session.player_id == *player);
        let is_new = self.absent.insert(player.clone(), self.last_at).is_none();
        match is_person && (has_left || (is_new && people > 1)) {
            true => Ok(()),
            false => Err(format!("{player} is absent, one of {people} people")),
        }
    }

    /// Checks that all hosts have been absent for long, and that the new one is a present player.
    fn pass_host_rights(&mut self, player: &PlayerId) -> Result<(), String> {
        let latest = self.last_at.checked_sub(HOST_ABSENCE_TIME);
        let is_long_absent = |participant: &Participant| {
            let since = self.absent.get(&participant.session.player_id);
            since.zip(latest).is_some_and(|(since, latest)| *since <= latest)
        };
        let is_host = |participant: &&Participant| participant.session.may(Capability::ConfigureVariant);
        let are_absent = self.present().filter(is_host).all(is_long_absent);
        if !are_absent {
            return Err(format!("{player} became the host although a host was there"));
        }
        self.end_acting_host();
        let is_absent = self.absent.contains_key(player);
        let successor =
            self.participants.get_mut(player).filter(|participant| participant.ended_at.is_none() && !is_absent);
        let successor = successor
            .filter(|participant| participant.session.seat.is_some() && participant.session.control == Control::Human);
        let successor = successor.ok_or_else(|| format!("{player} became the host, but does not play here"))?;
        successor.session.capabilities.push(Capability::ConfigureVariant);
        self.acting_host = Some(player.clone());
        Ok(())
    }

    /// Ends the rights of the acting host when a host returns or requests something.
    fn note_host_event(&mut self, event: &Event) {
        let back = match event {
            Event::PersonReturned { player_id } | Event::Acted { by: Some(player_id), .. } => Some(player_id),
            event => event.request().map(|(by, _)| by),
        };
        let acting = self.acting_host.clone();
        let is_host = |participant: &&Participant| {
            participant.session.may(Capability::ConfigureVariant)
                && Some(&participant.session.player_id) != acting.as_ref()
        };
        let hosts: Vec<&PlayerId> =
            self.present().filter(is_host).map(|participant| &participant.session.player_id).collect();
        let is_back = back.is_some_and(|back| hosts.contains(&back));
        if hosts.is_empty() {
            self.acting_host = None;
        } else if is_back {
            self.end_acting_host();
        }
    }

    fn end_acting_host(&mut self) {
        let acting = self.acting_host.take().and_then(|acting| self.participants.get_mut(&acting));
        if let Some(participant) = acting {
            participant.session.capabilities.retain(|capability| *capability != Capability::ConfigureVariant);
        }
    }

    /// The people who play or manage the table.
    pub(crate) fn people(&self) -> impl Iterator<Item = &Participant> {
        let manages = |session: &Session| session.seat.is_some() || session.may(Capability::ConfigureVariant);
        self.present()
            .filter(move |participant| participant.session.control == Control::Human && manages(&participant.session))
    }

    /// Whether a person may ask for a bot on a seat because the table has waited for it for long.
    fn may_ask_for_bot(&self, player: &PlayerId, seat: Seat, control: Control) -> bool {
        let is_person = self.people().any(|participant| participant.session.player_id == *player);
        let since = if self.game.is_some() { self.waiting_since } else { self.lobby_waits[seat.index()].0 };
        is_person && control == Control::Ai && self.last_at >= since + PATIENCE
    }

    /// Hands the management of the table to the next seated person.
    fn transfer_management(&mut self) {
        let sits = |participant: &&mut Participant| {
            participant.ended_at.is_none()
                && participant.session.seat.is_some()
                && participant.session.control == Control::Human
        };
        if let Some(successor) =
            self.participants.values_mut().filter(sits).min_by_key(|participant| participant.session.seat)
        {
            successor.session.capabilities.push(Capability::ConfigureVariant);
        }
    }

    /// Ends the sessions and invites of coaches whose student leaves.
    fn end_coaches(&mut self, leaver: &PlayerId, version: u64) {
        let student = self.participants.get(leaver).filter(|participant| participant.session.control == Control::Human);
        let Some(seat) = student.and_then(|student| student.session.seat) else { return };
        let sees = Capability::ObserveHand { player_index: seat };
        self.end(version, |participant| participant.session.seat.is_none() && participant.session.may(sees));
        self.open_invites.retain(|open| open.grant.role != Role::Coach || open.grant.seat != Some(seat));
    }

    fn end(&mut self, version: u64, is_affected: impl Fn(&Participant) -> bool) {
        let there = self.participants.values_mut().filter(|participant| participant.ended_at.is_none());
        there
            .filter(|participant| is_affected(participant))
            .for_each(|participant| participant.ended_at = Some(version));
    }

    fn renew_entropy(&mut self, by: &PlayerId, entropy: Option<&Entropy>) {
        let seat = self.participants.get(by).and_then(|participant| participant.session.seat);
        if let (Some(seat), Some(entropy)) = (seat, entropy) {
            self.player_entropy[seat.index()] = Some(entropy.clone());
        }
    }

    /// Checks that somebody who decides about coaches is a person with a seat.
    fn check_has_student_seat(&self, by: &PlayerId) -> Result<(), String> {
        let session = self.participant_at(by, self.version()).map(|participant| &participant.session);
        let sits = session.is_some_and(|session| session.seat.is_some() && session.control == Control::Human);
        if sits { Ok(()) } else { Err(format!("{by} decides about coaches without a seat")) }
    }

    fn note_ready(&mut self, by: &PlayerId) -> Result<(), String> {
        let sits = |participant: &Participant| {
            participant.session.seat.is_some() && participant.session.control == Control::Human
        };
        if !self.options.ready || self.game.is_some() || !self.participant_at(by, self.version()).is_some_and(sits) {
            return Err(format!("{by} is ready although nothing is about to start"));
        }
        if self.ready.insert(by.clone()) { Ok(()) } else { Err(format!("{by} is ready twice")) }
    }

    /// Checks that all players are seated, and ready if the table requires it.
    fn check_ready(&self) -> Result<(), String> {
        let is_ready = |player: &PlayerId| self.ready.contains(player) || self.left.contains(player);
        let is_there = |seat: Seat| {
            self.participants.values().any(|participant| {
                let sits = participant.ended_at.is_none() && participant.session.seat == Some(seat);
                sits && participant.session.control == Control::Human
                    && (!self.options.ready || is_ready(&participant.session.player_id))
            })
        };
        let mut people = Seat::ALL.into_iter().filter(|seat| self.control[seat.index()] == Control::Human);
        match people.find(|seat| !is_there(*seat)) {
            Some(seat) => Err(format!("the game started before {seat} was ready")),
            None => Ok(()),
        }
    }

    fn start(&mut self, next: &Secret, secret_draw: bool) -> Result<(), String> {
        if !secret_draw {
            return Err("the first shaker is drawn without the secret".into());
        }
        self.dealing.next = Some(bytes_of(next)?);
        let number = self.game_number.to_le_bytes();
        let contributed =
            self.player_entropy.iter().map(|entropy| entropy.as_ref().map_or(&[][..], |text| text.as_str().as_bytes()));
        let before = self.game.as_ref().map(|game| serde_json::to_vec(game.log())).transpose();
        let before = before.map_err(|error| error.to_string())?.map(|actions| log_hash(&actions));
        let before = before.as_ref().map(|hash| &hash[..]);
        self.dealing.entropy = combined_entropy(contributed.chain([&number[..]]).chain(before));
        let config = Config { players: self.control, ..self.config.clone() };
        let context = match self.options.deal {
            DealKind::Seeded => Context::compose(&config),
            DealKind::Secret => Context::compose_with_source(&config, DealSource::Secret(self.dealing.deals())),
        };
        self.game = Some(Game::new(context.map_err(|error| error.to_string())?));
        Ok(())
    }

    fn act(&mut self, by: Option<&PlayerId>, action: Action, version: u64, report: &mut Report) -> Result<(), String> {
        self.check_consent(action)?;
        self.count_action(by, action, report);
        if let Action::SetControl { player, control_type } = action {
            self.control[player.index()] = control_type;
            if control_type == Control::Human {
                self.end(version, |participant| {
                    participant.session.seat == Some(player) && participant.session.control == Control::Ai
                });
                self.absent_bots.remove(&player);
            }
        }
        let Some(game) = &mut self.game else { return Ok(()) };
        game.apply(action).map_err(|refusal| format!("the stored action {action} is illegal: {refusal}"))?;
        if matches!(action, Action::Undo { .. }) {
            self.keep_control()?;
        }
        Ok(())
    }

    fn note_undo_request(&mut self, by: &PlayerId, to: u16) -> Result<(), String> {
        let session = &self.participant_at(by, self.version()).ok_or("a stranger asks for an undo")?.session;
        let seat = session.seat.filter(|_| session.may(Capability::UndoActions));
        let seat = seat.ok_or("a session asks for an undo without permission")?;
        let mut agreed =
            self.undo_request.take().filter(|(target, _)| *target == to).map_or_else(Vec::new, |(_, agreed)| agreed);
        agreed.push(seat);
        self.undo_request = Some((to, agreed));
        Ok(())
    }

    /// Checks that a player who was asked ended the request.
    fn note_undo_declined(&mut self, by: &PlayerId) -> Result<(), String> {
        let session = &self.participant_at(by, self.version()).ok_or("a stranger declines an undo")?.session;
        let seat = session.seat.filter(|_| session.may(Capability::UndoActions));
        let seat = seat.ok_or("a session declines an undo without permission")?;
        match self.undo_request.take() {
            Some((_, agreed)) if !agreed.contains(&seat) => Ok(()),
            _ => Err(format!("{by} declined an undo without being asked")),
        }
    }

    /// Checks that all players agreed to an undo.
    fn check_consent(&mut self, action: Action) -> Result<(), String> {
        let pending = self.undo_request.take();
        let Action::Undo { to } = action else { return Ok(()) };
        let agreed = pending.filter(|(target, _)| *target == to).ok_or("an undo happened without a request")?.1;
        let people = Seat::ALL.into_iter().filter(|seat| self.control[seat.index()] == Control::Human);
        match people.into_iter().find(|seat| !agreed.contains(seat)) {
            Some(seat) => Err(format!("an undo happened without the consent of {seat}")),
            None => Ok(()),
        }
    }

    /// Checks that an action was taken by the player of its seat, or by the table because there was no choice.
    fn check_authorized(&self, by: Option<&PlayerId>, action: Action, is_request: bool) -> Result<(), String> {
        let (Some(seat), true) = (action.player(), action.is_move()) else {
            return self.check_table_action(by, action, is_request);
        };
        let Some(by) = by else {
            // An imported log names no bots in its first game.
            let is_imported = self.options.brought && self.game_number == 0;
            let may = is_imported || self.config.layers.iter().any(moves_without_choice);
            return if may { Ok(()) } else { Err(format!("{action} was taken by nobody")) };
        };
        let session = self.participant_at(by, self.version()).map(|participant| &participant.session);
        let may = session.is_some_and(|session| {
            session.may(Capability::ActAsPlayer { player_index: seat }) && self.now().is_mover(session)
        });
        if may { Ok(()) } else { Err(format!("{action} was taken by {by} without permission")) }
    }

    fn check_table_action(&self, by: Option<&PlayerId>, action: Action, is_request: bool) -> Result<(), String> {
        if let Action::SetControl { player, control_type: Control::Human } = action
            && self.person(player).is_some_and(|person| self.now().must_wait(person))
        {
            return Err(format!("{player} is taken before its person may play"));
        }
        let Some(by) = by else { return Ok(()) };
        let Action::SetControl { player, control_type } = action else { return Err(format!("{by} did {action}")) };
        let session = self.participant_at(by, self.version()).map(|participant| &participant.session);
        let may = session.is_some_and(|session| {
            session.may(Capability::ActAsPlayer { player_index: player }) || session.may(Capability::ConfigureVariant)
        });
        let is_own = session.is_some_and(|session| session.seat == Some(player) && session.control == Control::Human);
        if is_own && control_type == Control::Ai && self.options.rated && self.now().deal_in_play().is_some() && may {
            return Err(format!("{by} handed a rated hand to a bot"));
        }
        // A person who joins or returns gets the seat, regardless of what else the session may do.
        let arrives =
            |session: &Session| session.seat == Some(player) && session.control == control_type && !is_request;
        let has_arrived = session.is_some_and(arrives);
        if may || has_arrived || self.may_ask_for_bot(by, player, control_type) {
            return Ok(());
        }
        Err(format!("{action} was taken by {by} without permission"))
    }

    /// Keeps the control of each seat, which an undo does not revert.
    fn keep_control(&mut self) -> Result<(), String> {
        let Some(game) = &mut self.game else { return Ok(()) };
        for (player, control_type) in Seat::ALL.into_iter().zip(self.control) {
            if game.state().humans.contains(player) != (control_type == Control::Human) {
                game.apply(Action::SetControl { player, control_type }).map_err(|refusal| refusal.to_string())?;
            }
        }
        Ok(())
    }

    fn count_action(&self, by: Option<&PlayerId>, action: Action, report: &mut Report) {
        let in_trick = self.now().state.is_some_and(|state| state.phase == Phase::Playing && !state.trick.is_empty());
        match action {
            Action::SetControl { .. } if by.is_some() => {
                report.swaps += 1;
                report.swaps_in_tricks += u64::from(in_trick);
            }
            Action::SetControl { .. } => report.takeovers += 1,
            Action::Undo { .. } => report.undos += 1,
            Action::Claim { .. } => report.claims += 1,
            Action::ScoreHand | Action::EndGame => report.hands += 1,
            _ => {}
        }
    }

    /// Checks that no game continues after its secret was revealed.
    fn check_secret(&mut self, state: Option<&State>) -> Result<(), String> {
        let is_over = state.is_some_and(|state| state.phase.is_over());
        if self.is_secret() && self.is_secret_revealed && !is_over {
            return Err("the game continues with a revealed secret".into());
        }
        self.is_secret_revealed |= is_over;
        Ok(())
    }

    /// Whether a session of this player may see a seat's hand while it is hidden.
    pub(crate) fn sees(&self, player: &PlayerId, version: u64, seat: Seat) -> bool {
        let Some((participant, moment)) = self.participant_at(player, version).zip(self.moment(version)) else {
            return false;
        };
        let own = participant.session.seat == Some(seat)
            && participant.session.may(Capability::ObserveOwnHand)
            && !moment.must_wait(participant);
        let waits = |other: &Participant| {
            other.is_there_at(version) && other.session.seat == Some(seat) && moment.must_wait(other)
        };
        let coaches = participant.session.may(Capability::ObserveHand { player_index: seat })
            && (moment.has_open_hands || !self.participants.values().any(waits));
        own || coaches
            || participant.session.may(Capability::ObserveAllHands)
            || participant.session.may(Capability::ObserveFullState)
    }

    pub(crate) fn participant_at(&self, player: &PlayerId, version: u64) -> Option<&Participant> {
        self.participants.get(player).filter(|participant| participant.is_there_at(version))
    }
}

/// Whether an event ends the wait for a decision.
fn is_decision(event: &Event) -> bool {
    match event {
        Event::Acted { action, .. } => !matches!(action, Action::SetControl { .. }),
        event => matches!(event, Event::Started { .. } | Event::Rematch { .. }),
    }
}

/// Whether a session is a bot of the host.
fn is_host_bot(session: &Session) -> bool {
    session.control == Control::Ai && !session.is_invited_bot()
}

/// Whether a layer acts for a seat that has no choice.
fn moves_without_choice(layer: &Layer) -> bool {
    match layer {
        Layer::Speed(_) | Layer::OneHand(_) => true,
        Layer::Nello(_)
        | Layer::Plunge(_)
        | Layer::Splash(_)
        | Layer::Sevens(_)
        | Layer::Tournament(_)
        | Layer::ForcedBid(_)
        | Layer::Hints(_)
        | Layer::Consensus(_)
        | Layer::DailyChallenge(_) => false,
    }
}

/// Returns the bytes of a secret by serializing it, the only way to read one.
fn bytes_of(secret: &Secret) -> Result<Key, String> {
    let text = serde_json::to_value(secret).map_err(|error| error.to_string())?;
    text.as_str().and_then(key_from_hex).ok_or_else(|| "a secret has 64 hexadecimal digits".into())
}

fn check_state(state: &State, before: Option<&State>, report: &mut Report) -> Result<(), String> {
    let parts = state.hands.into_iter().chain([state.seen()]);
    let (union, count) = parts.fold((Hand::EMPTY, 0), |(union, count), part| (union | part, count + part.len()));
    if union != Hand::FULL || count != Hand::FULL.len() {
        return Err(format!("{count} dominoes, {} distinct", union.len()));
    }
    let just_over = state.phase == Phase::Scoring && before.is_some_and(|before| before.phase == Phase::Playing);
    if just_over && state.tally.tricks_played() == HAND_TRICKS && state.hands.iter().all(|hand| hand.is_empty()) {
        report.full_hands += 1;
        if state.tally.points.iter().sum::<u8>() != HAND_POINTS {
            return Err(format!("a fully played hand is worth {:?}", state.tally.points));
        }
    }
    let ended = state.phase.is_over() && before.is_some_and(|before| !before.phase.is_over());
    report.games += u64::from(ended);
    Ok(())
}
