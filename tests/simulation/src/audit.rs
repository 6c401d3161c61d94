//! An independent model of a table, derived from its log alone. For every version it knows who sat where, who could see
//! what, and the state of the game. The room's messages are compared with it.
//!
//! Applying an event checks the invariants of every log: the dominoes form a partition, a request is executed once, time
//! does not run backwards, actions are authorized, an undo has consent, and no game continues after its secret is revealed.

use std::collections::{BTreeMap, BTreeSet};

use texas42_engine::{
    Context, Game, HAND_POINTS, HAND_TRICKS, State,
    deal::{DealSource, Key, combined_entropy, key_from_hex, log_hash},
};
use texas42_kernel::{KeyHash, Session};
use texas42_protocol::{Capability, DealKind, Entropy, Grant, PlayerId, RequestId, Role, SecretKey, TableOptions};
use texas42_room::{Event, Secret, StoredEvent};
use texas42_vocab::{Action, Config, Control, Hand, Layer, Phase, Seat};

use crate::report::Report;

/// A session and the versions in which it was at the table.
#[derive(Debug)]
pub(crate) struct Guest {
    pub(crate) session: Session,
    pub(crate) joined_at: u64,
    pub(crate) ended_at: Option<u64>,
}

impl Guest {
    pub(crate) fn is_there_at(&self, version: u64) -> bool {
        self.joined_at <= version && self.ended_at.is_none_or(|ended| version < ended)
    }
}

/// An invite that was not revoked.
#[derive(Debug)]
struct OpenInvite {
    number: u32,
    key: KeyHash,
    grant: Grant,
    /// How many sessions joined with it.
    uses: u8,
}

impl OpenInvite {
    fn is_used_up(&self) -> bool {
        self.grant.max_uses().is_some_and(|most| self.uses >= most)
    }
}

/// The inputs of a deal.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Dealing {
    pub(crate) secret: Key,
    /// The secret of the next game.
    pub(crate) next: Option<Key>,
    pub(crate) entropy: Key,
}

/// The state of the table after one event.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Moment {
    pub(crate) state: Option<State>,
    pub(crate) control: [Control; 4],
    pub(crate) dealing: Dealing,
}

pub(crate) struct Audit {
    pub(crate) config: Config,
    pub(crate) options: TableOptions,
    pub(crate) game: Option<Game>,
    /// `moments[v - 1]` is the state at version `v`.
    moments: Vec<Moment>,
    pub(crate) guests: BTreeMap<PlayerId, Guest>,
    requests: BTreeMap<(PlayerId, RequestId), u64>,
    invitations: Vec<OpenInvite>,
    control: [Control; 4],
    given: [Option<Entropy>; 4],
    dealing: Dealing,
    game_number: u32,
    secret_is_out: bool,
    /// The version of the last event that changed what there is to decide.
    pub(crate) game_version: u64,
    /// The players who are ready to start.
    ready: BTreeSet<PlayerId>,
    /// The pending undo request: its target, and the seats that agreed.
    asked: Option<(u16, Vec<Seat>)>,
    last_at: u64,
}

impl Audit {
    /// Creates the model from the first event of a log.
    pub(crate) fn new(first: &StoredEvent) -> Result<Self, String> {
        let Event::Created { config, table, secret, .. } = &first.event else {
            return Err("a log must start with the creation of the table".into());
        };
        let dealing = Dealing { secret: bytes_of(secret)?, next: None, entropy: [0; 32] };
        let moment = Moment { state: None, control: config.players, dealing };
        Ok(Self {
            config: config.clone(),
            options: table.clone(),
            game: None,
            moments: vec![moment],
            guests: BTreeMap::new(),
            requests: BTreeMap::new(),
            invitations: Vec::new(),
            control: config.players,
            given: [const { None }; 4],
            dealing,
            game_number: 0,
            secret_is_out: false,
            game_version: 1,
            ready: BTreeSet::new(),
            asked: None,
            last_at: first.at,
        })
    }

    /// Creates the model from a whole log.
    pub(crate) fn of(log: &[StoredEvent]) -> Result<Self, String> {
        let (first, rest) = log.split_first().ok_or("an empty log")?;
        let mut audit = Self::new(first)?;
        rest.iter().try_for_each(|stored| audit.take(stored, &mut Report::default()))?;
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
    pub(crate) fn done_at(&self, player: &PlayerId, request: &RequestId) -> Option<u64> {
        self.requests.get(&(player.clone(), request.clone())).copied()
    }

    /// How often a request was executed, for any player.
    pub(crate) fn times_done(&self, request: &RequestId) -> usize {
        self.requests.keys().filter(|(_, done)| done == request).count()
    }

    /// The number of events in the current game.
    pub(crate) fn game_events(&self) -> usize {
        self.game.as_ref().map_or(0, |game| game.log().len())
    }

    pub(crate) fn is_secret(&self) -> bool {
        self.options.deal == DealKind::Secret
    }

    /// The sessions that are at the table.
    fn living(&self) -> impl Iterator<Item = &Guest> {
        self.guests.values().filter(|guest| guest.ended_at.is_none())
    }

    /// The person on a seat, even while a bot plays it.
    fn person(&self, seat: Seat) -> Option<&Guest> {
        self.living().find(|guest| guest.session.seat == Some(seat) && guest.session.control == Control::Human)
    }

    /// The player whose session a key opens.
    pub(crate) fn holder(&self, key: &SecretKey) -> Option<PlayerId> {
        let key = KeyHash::of(key);
        self.living().find(|guest| guest.session.key == key).map(|guest| guest.session.player_id.clone())
    }

    /// The invite that a key opens, unless it is used up.
    pub(crate) fn open_invitation(&self, key: &SecretKey) -> Option<(u32, &Grant)> {
        let key = KeyHash::of(key);
        let open = self.invitations.iter().find(|open| open.key == key && !open.is_used_up())?;
        Some((open.number, &open.grant))
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
    pub(crate) fn take(&mut self, stored: &StoredEvent, report: &mut Report) -> Result<(), String> {
        let version = self.version() + 1;
        if stored.at < self.last_at {
            return Err(format!("event {version} has an earlier timestamp than its predecessor"));
        }
        self.last_at = stored.at;
        self.note_request(&stored.event, version)?;
        if matches!(stored.event, Event::Started { .. } | Event::Rematch { .. } | Event::Acted { .. }) {
            self.game_version = version;
        }
        let before = self.now().state;
        self.follow(&stored.event, version, report)?;
        let state = self.game.as_ref().map(|game| *game.state());
        if let Some(state) = &state {
            check_state(state, before.as_ref(), report).map_err(|error| format!("event {version}: {error}"))?;
        }
        self.check_secret(state.as_ref()).map_err(|error| format!("event {version}: {error}"))?;
        self.moments.push(Moment { state, control: self.control, dealing: self.dealing });
        report.events += 1;
        Ok(())
    }

    fn note_request(&mut self, event: &Event, version: u64) -> Result<(), String> {
        let Some((by, request)) = event.request() else { return Ok(()) };
        if self.guest_at(by, self.version()).is_none() {
            return Err(format!("{by}'s request {request} was executed, but {by} is not at the table"));
        }
        match self.requests.insert((by.clone(), request.clone()), version) {
            None => Ok(()),
            Some(first) => Err(format!("{by}'s request {request} was executed twice, as events {first} and {version}")),
        }
    }

    fn follow(&mut self, event: &Event, version: u64, report: &mut Report) -> Result<(), String> {
        match event {
            Event::Created { .. } => return Err("a table is created once".into()),
            Event::Invited { number, key, grant, .. } => {
                let grant = grant.clone();
                self.invitations.push(OpenInvite { number: *number, key: *key, grant, uses: 0 });
            }
            Event::Revoked { number, .. } => self.invitations.retain(|open| open.number != *number),
            Event::Joined { session, entropy } => {
                self.check_join(session)?;
                self.join(session, entropy.as_ref(), version);
            }
            Event::Left { player_id } => {
                report.leaves += 1;
                self.end(version, |guest| guest.session.player_id == *player_id);
                self.hand_on(player_id);
                self.end_coaching(player_id, version);
            }
            Event::Ready { by, .. } => {
                report.readies += 1;
                self.note_ready(by)?;
            }
            Event::Started { next } => {
                self.check_ready()?;
                self.start(next)?;
            }
            Event::Acted { by, action, .. } => self.act(by.as_ref(), *action, version, report)?,
            Event::UndoAsked { by, to, .. } => {
                report.undo_asks += 1;
                self.ask(by, *to)?;
            }
            Event::Rematch { by, entropy, next, .. } => {
                self.dealing.secret = self.dealing.next.ok_or("a rematch before the first game")?;
                self.game_number += 1;
                self.secret_is_out = false;
                report.rematches += 1;
                self.renew_entropy(by, entropy.as_ref());
                self.start(next)?;
            }
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
        let is_same = |guest: &&Guest| guest.session.key == session.key && guest.session.control == session.control;
        if let Some(first) = self.living().find(is_same).filter(|_| is_person) {
            return Err(format!("{} joined again as {player}", first.session.player_id));
        }
        let Some(number) = session.invitation else { return Ok(()) };
        let invitation = self.invitations.iter_mut().find(|open| open.number == number && !open.is_used_up());
        let invitation = invitation.ok_or_else(|| format!("{player} joined with an invite that is not open"))?;
        invitation.uses += 1;
        Ok(())
    }

    fn join(&mut self, session: &Session, entropy: Option<&Entropy>, version: u64) {
        if let Some(seat) = session.seat {
            let control = session.control;
            self.end(version, |guest| guest.session.seat == Some(seat) && guest.session.control == control);
            if control == Control::Human {
                self.given[seat.index()] = entropy.cloned();
            }
        }
        let is_host = |guest: &Guest| guest.ended_at.is_none() && guest.session.may(Capability::ConfigureVariant);
        let mut session = session.clone();
        let has_host = session.may(Capability::ConfigureVariant) || self.guests.values().any(is_host);
        if session.seat.is_some() && session.control == Control::Human && !has_host {
            session.capabilities.push(Capability::ConfigureVariant);
        }
        let guest = Guest { session: session.clone(), joined_at: version, ended_at: None };
        self.guests.insert(session.player_id.clone(), guest);
    }

    /// Hands the management of the table to the next seated person when its manager leaves.
    fn hand_on(&mut self, leaver: &PlayerId) {
        let is_host = |guest: &Guest| guest.session.may(Capability::ConfigureVariant);
        let was_host = self.guests.get(leaver).is_some_and(is_host);
        let sits = |guest: &&mut Guest| {
            guest.ended_at.is_none() && guest.session.seat.is_some() && guest.session.control == Control::Human
        };
        if was_host && let Some(heir) = self.guests.values_mut().filter(sits).min_by_key(|guest| guest.session.seat) {
            heir.session.capabilities.push(Capability::ConfigureVariant);
        }
    }

    /// A coach leaves with the student.
    fn end_coaching(&mut self, leaver: &PlayerId, version: u64) {
        let student = self.guests.get(leaver).filter(|guest| guest.session.control == Control::Human);
        let Some(seat) = student.and_then(|student| student.session.seat) else { return };
        let sees = Capability::ObserveHand { player_index: seat };
        self.end(version, |guest| guest.session.seat.is_none() && guest.session.may(sees));
        self.invitations.retain(|open| open.grant.role != Role::Coach || open.grant.seat != Some(seat));
    }

    fn end(&mut self, version: u64, is_meant: impl Fn(&Guest) -> bool) {
        let there = self.guests.values_mut().filter(|guest| guest.ended_at.is_none());
        there.filter(|guest| is_meant(guest)).for_each(|guest| guest.ended_at = Some(version));
    }

    fn renew_entropy(&mut self, by: &PlayerId, entropy: Option<&Entropy>) {
        let seat = self.guests.get(by).and_then(|guest| guest.session.seat);
        if let (Some(seat), Some(entropy)) = (seat, entropy) {
            self.given[seat.index()] = Some(entropy.clone());
        }
    }

    fn note_ready(&mut self, by: &PlayerId) -> Result<(), String> {
        let sits = |guest: &Guest| guest.session.seat.is_some() && guest.session.control == Control::Human;
        if !self.options.ready || self.game.is_some() || !self.guest_at(by, self.version()).is_some_and(sits) {
            return Err(format!("{by} is ready although nothing is about to start"));
        }
        if self.ready.insert(by.clone()) { Ok(()) } else { Err(format!("{by} is ready twice")) }
    }

    /// Checks that all players are seated, and ready if the table requires it.
    fn check_ready(&self) -> Result<(), String> {
        let is_there = |seat: Seat| {
            self.guests.values().any(|guest| {
                let sits = guest.ended_at.is_none() && guest.session.seat == Some(seat);
                sits && guest.session.control == Control::Human
                    && (!self.options.ready || self.ready.contains(&guest.session.player_id))
            })
        };
        let mut people = Seat::ALL.into_iter().filter(|seat| self.control[seat.index()] == Control::Human);
        match people.find(|seat| !is_there(*seat)) {
            Some(seat) => Err(format!("the game started before {seat} was ready")),
            None => Ok(()),
        }
    }

    fn start(&mut self, next: &Secret) -> Result<(), String> {
        self.dealing.next = Some(bytes_of(next)?);
        let number = self.game_number.to_le_bytes();
        let given = self.given.iter().map(|given| given.as_ref().map_or(&[][..], |text| text.as_str().as_bytes()));
        let before = self.game.as_ref().map(|game| serde_json::to_vec(game.log())).transpose();
        let before = before.map_err(|error| error.to_string())?.map(|actions| log_hash(&actions));
        let before = before.as_ref().map(|hash| &hash[..]);
        self.dealing.entropy = combined_entropy(given.chain([&number[..]]).chain(before));
        let config = Config { players: self.control, ..self.config.clone() };
        let Dealing { secret, entropy, .. } = self.dealing;
        let context = match self.options.deal {
            DealKind::Seeded => Context::compose(&config),
            DealKind::Secret => Context::compose_with_source(&config, DealSource::Secret { secret, entropy }),
        };
        self.game = Some(Game::new(context.map_err(|error| error.to_string())?));
        Ok(())
    }

    fn act(&mut self, by: Option<&PlayerId>, action: Action, version: u64, report: &mut Report) -> Result<(), String> {
        self.check_right(by, action)?;
        self.check_consent(action)?;
        self.count(by, action, report);
        if let Action::SetControl { player, control_type } = action {
            self.control[player.index()] = control_type;
            if control_type == Control::Human {
                self.end(version, |guest| guest.session.seat == Some(player) && guest.session.control == Control::Ai);
            }
        }
        let Some(game) = &mut self.game else { return Ok(()) };
        game.apply(action).map_err(|refusal| format!("the stored action {action} is illegal: {refusal}"))?;
        if matches!(action, Action::Undo { .. }) {
            self.keep_control()?;
        }
        Ok(())
    }

    fn ask(&mut self, by: &PlayerId, to: u16) -> Result<(), String> {
        let session = &self.guest_at(by, self.version()).ok_or("a stranger asks for an undo")?.session;
        let seat = session.seat.filter(|_| session.may(Capability::UndoActions));
        let seat = seat.ok_or("a session asks for an undo without permission")?;
        let mut agreed =
            self.asked.take().filter(|(asked, _)| *asked == to).map_or_else(Vec::new, |(_, agreed)| agreed);
        agreed.push(seat);
        self.asked = Some((to, agreed));
        Ok(())
    }

    /// Checks that all players agreed to an undo.
    fn check_consent(&mut self, action: Action) -> Result<(), String> {
        let asked = self.asked.take();
        let Action::Undo { to } = action else { return Ok(()) };
        let agreed = asked.filter(|(asked, _)| *asked == to).ok_or("an undo happened without a request")?.1;
        let people = Seat::ALL.into_iter().filter(|seat| self.control[seat.index()] == Control::Human);
        match people.into_iter().find(|seat| !agreed.contains(seat)) {
            Some(seat) => Err(format!("an undo happened without the consent of {seat}")),
            None => Ok(()),
        }
    }

    /// Checks that an action was taken by the player of its seat, or by the table because there was no choice.
    fn check_right(&self, by: Option<&PlayerId>, action: Action) -> Result<(), String> {
        let (Some(seat), true) = (action.player(), action.is_move()) else {
            return self.check_no_right_needed(by, action);
        };
        let Some(by) = by else {
            // An imported log names no bots in its first game.
            let is_brought = self.options.brought && self.game_number == 0;
            let may = is_brought || self.config.layers.iter().any(moves_without_choice);
            return if may { Ok(()) } else { Err(format!("{action} was taken by nobody")) };
        };
        let session = self.guest_at(by, self.version()).map(|guest| &guest.session);
        let may = session.is_some_and(|session| {
            session.may(Capability::ActAsPlayer { player_index: seat }) && session.control == self.control[seat.index()]
        });
        if may { Ok(()) } else { Err(format!("{action} was taken by {by} without permission")) }
    }

    fn check_no_right_needed(&self, by: Option<&PlayerId>, action: Action) -> Result<(), String> {
        let Some(by) = by else { return Ok(()) };
        let Action::SetControl { player, .. } = action else { return Err(format!("{by} did {action}")) };
        let session = self.guest_at(by, self.version()).map(|guest| &guest.session);
        let may = session.is_some_and(|session| {
            session.may(Capability::ActAsPlayer { player_index: player }) || session.may(Capability::ConfigureVariant)
        });
        if may { Ok(()) } else { Err(format!("{action} was taken by {by} without permission")) }
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

    fn count(&self, by: Option<&PlayerId>, action: Action, report: &mut Report) {
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
        if self.is_secret() && self.secret_is_out && !is_over {
            return Err("the game continues with a revealed secret".into());
        }
        self.secret_is_out |= is_over;
        Ok(())
    }

    /// Whether a session of this player may see a seat's hand while it is hidden.
    pub(crate) fn sees(&self, player: &PlayerId, version: u64, seat: Seat) -> bool {
        let Some(guest) = self.guest_at(player, version) else { return false };
        let own = guest.session.seat == Some(seat)
            && (guest.session.may(Capability::ObserveOwnHand)
                || guest.session.may(Capability::ActAsPlayer { player_index: seat }));
        own || guest.session.may(Capability::ObserveHand { player_index: seat })
            || guest.session.may(Capability::ObserveAllHands)
            || guest.session.may(Capability::ObserveFullState)
    }

    pub(crate) fn guest_at(&self, player: &PlayerId, version: u64) -> Option<&Guest> {
        self.guests.get(player).filter(|guest| guest.is_there_at(version))
    }
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
