//! The liveness law: as long as one person acts, the table reaches its next hand, its end and a rematch within bounded
//! time. Of the others, some are connected and silent, some take their seat back from a bot whenever they can, some have
//! vanished, and one may have used up every limit that a person can use up. Invited bots are connected and silent.
//!
//! The acting people do only what their views and the protocol allow, and the bots move at once.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use texas42_kernel::Session;
use texas42_protocol::{GameId, GameView, PlayerId, SecretKey};
use texas42_room::{ConnectionId, ConnectionOwner, Effect, Event, Room, StoredEvent, SurvivingConnection};
use texas42_vocab::{Action, Control, Phase, Seat};

use crate::dice::Dice;

/// The time of the table within which it must continue, in milliseconds: several waits for absent or silent people.
const MAX_TIME: u64 = 3_600_000;
/// The pause after which acting people repeat their requests, in milliseconds.
const PAUSE: u64 = 30_000;
/// The maximum number of steps to continue.
const MAX_STEPS: usize = 4000;
/// More requests than one person may use up.
const TOO_MANY: usize = 500;

/// What a person does from now on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Behavior {
    Acts,
    IsSilent,
    /// Takes the seat back whenever a bot plays it, and does nothing else.
    TakesBack,
    IsGone,
}

/// What each person at a table does from now on.
#[derive(Clone, Debug)]
pub(crate) struct Group {
    people: Vec<(PlayerId, Behavior)>,
    /// Whether the first silent person first uses up its limit of control changes.
    exhausts_limits: bool,
}

impl Group {
    /// A random group in which at least one of the people who are able to acts.
    pub(crate) fn any(able: &[&Session], limited: &[&Session], dice: &mut Dice) -> Self {
        let choices = [Behavior::Acts, Behavior::IsSilent, Behavior::TakesBack, Behavior::IsGone];
        let acts = dice.below(able.len() as u64) as usize;
        let people = able.iter().chain(limited).enumerate().map(|(number, person)| {
            let behavior = if number == acts { Behavior::Acts } else { dice.pick(&choices) };
            (person.player_id.clone(), behavior)
        });
        Self { people: people.collect(), exhausts_limits: dice.once_in(12) }
    }

    /// Checks that the table of a log continues.
    pub(crate) fn continues(&self, id: &GameId, log: &[StoredEvent], dice: &mut Dice) -> Result<(), String> {
        let mut table = Continuation::new(id, log, self)?;
        if self.exhausts_limits {
            table.use_up(self);
        }
        table.run(dice).map_err(|stuck| format!("with {:?}, the table {stuck}", self.people))
    }

    fn behavior(&self, number: usize) -> Behavior {
        self.people[number].1
    }

    fn with(&self, behavior: Behavior) -> impl Iterator<Item = ConnectionId> {
        (0..self.people.len()).filter(move |number| self.behavior(*number) == behavior).map(connection)
    }
}

/// The connection of a person.
const fn connection(number: usize) -> ConnectionId {
    100 + number as ConnectionId
}

/// The connection of the invited bot that joined with an event, if it is one.
fn silent_bot(number: usize, event: &Event) -> Option<SurvivingConnection> {
    let Event::Joined { session, .. } = event else { return None };
    session.is_invited_bot().then(|| SurvivingConnection {
        connection: 1000 + number as ConnectionId,
        who: ConnectionOwner::Player(session.player_id.clone()),
        is_subscribed: true,
    })
}

/// A table that continues from its log.
struct Continuation {
    room: Room,
    now: u64,
    began: u64,
    requests: u64,
    requested_bots: BTreeMap<Seat, SecretKey>,
    acting: Vec<ConnectionId>,
    take_back: Vec<ConnectionId>,
    /// The game and the hand from which it continues; later the hand of the game that was reached.
    from: (u32, Option<u32>),
}

impl Continuation {
    fn new(id: &GameId, log: &[StoredEvent], group: &Group) -> Result<Self, String> {
        let now = log.last().map_or(0, |last| last.at);
        let connected = group.people.iter().enumerate().filter(|(_, (_, behavior))| *behavior != Behavior::IsGone);
        let people = connected.map(|(number, (player, _))| SurvivingConnection {
            connection: connection(number),
            who: ConnectionOwner::Player(player.clone()),
            is_subscribed: true,
        });
        let bots = log.iter().enumerate().filter_map(|(number, stored)| silent_bot(number, &stored.event));
        let survivors: Vec<SurvivingConnection> = people.chain(bots).collect();
        let room = Room::restore_with_connections(now, id.clone(), &[3; 32], log, &survivors);
        let room = room.map_err(|error| format!("a log cannot be restored: {error}"))?;
        let mut table = Self {
            room,
            now,
            began: now,
            requests: 0,
            requested_bots: BTreeMap::new(),
            acting: group.with(Behavior::Acts).collect(),
            take_back: group.with(Behavior::TakesBack).collect(),
            from: (0, None),
        };
        table.drain();
        table.from = table.position();
        Ok(table)
    }

    /// The number of the game, and of the hand if one has been dealt.
    fn position(&self) -> (u32, Option<u32>) {
        let game = self.view().map_or(0, |view| view.metadata.game_number);
        (game, self.room.state().map(|state| state.hand_number))
    }

    fn view(&self) -> Option<GameView> {
        self.acting.first().and_then(|acting| self.room.view_for(*acting))
    }

    fn drain(&mut self) {
        while let Some(effect) = self.room.poll_effect() {
            match effect {
                Effect::RequestBot { seat, key } => drop(self.requested_bots.insert(seat, key)),
                Effect::ReleaseBot { seat } => drop(self.requested_bots.remove(&seat)),
                Effect::Store(_) | Effect::Send { .. } | Effect::ClaimCode(_) | Effect::ReleaseCode(_) => {}
            }
        }
    }

    /// Sends a message. Returns whether it changed the table.
    fn say(&mut self, from: ConnectionId, mut message: Value) -> bool {
        let version = self.room.version();
        self.requests += 1;
        message["gameId"] = json!(self.room.id());
        if message["type"] != "JOIN_GAME" {
            message["requestId"] = json!(format!("liveness-{}", self.requests));
        }
        let message = serde_json::from_value(message).expect("the message is valid");
        self.room.handle_message(self.now, from, message);
        self.drain();
        self.room.version() != version
    }

    fn set_control(&mut self, from: ConnectionId, seat: Seat, control: &str) -> bool {
        self.say(from, json!({ "type": "SET_PLAYER_CONTROL", "player": seat, "controlType": control }))
    }

    /// Lets a silent person change who plays its seat until the table refuses.
    fn use_up(&mut self, group: &Group) {
        let silent = (0..group.people.len()).find(|number| group.behavior(*number) == Behavior::IsSilent);
        let Some(number) = silent else { return };
        let Some((seat, _)) = self.own_seat(connection(number)) else { return };
        for _ in 0..TOO_MANY {
            self.set_control(connection(number), seat, "ai");
            self.set_control(connection(number), seat, "human");
        }
    }

    /// The seat of a person, and who plays it.
    fn own_seat(&self, connection: ConnectionId) -> Option<(Seat, Control)> {
        let (player, _) = self.room.bound(connection)?;
        let players = self.room.view_for(connection)?.players;
        let own = players.iter().find(|other| other.player_id == *player)?;
        Some((own.player_index?, own.control_type))
    }

    /// Lets people take their seats back from bots. Returns whether somebody did.
    fn take_seats_back(&mut self) -> bool {
        self.take_back.clone().into_iter().any(|person| match self.own_seat(person) {
            Some((seat, Control::Ai)) => self.set_control(person, seat, "human"),
            _ => false,
        })
    }

    /// Runs until the table has continued: a hand later, or in another game if this one is over.
    fn run(&mut self, dice: &mut Dice) -> Result<(), String> {
        for _ in 0..MAX_STEPS {
            if self.has_continued() {
                return Ok(());
            }
            if !self.take_seats_back() && !self.seat_bots() && !self.move_somebody(dice) && !self.request_anything() {
                self.advance_time();
            }
            if self.now > self.began + MAX_TIME {
                return Err(format!("waits forever in {:?}", self.room.phase()));
            }
        }
        Err(format!("makes no progress in {:?}", self.room.phase()))
    }

    fn has_continued(&self) -> bool {
        let (game, hand) = self.position();
        let (from_game, from_hand) = self.from;
        game > from_game || hand > from_hand.or(Some(0))
    }

    fn seat_bots(&mut self) -> bool {
        let Some((seat, key)) = self.requested_bots.pop_first() else { return false };
        let join = json!({ "type": "JOIN_GAME", "key": key, "name": "Bot" });
        self.say(seat.index() as ConnectionId, join)
    }

    /// Lets a bot or an acting person move.
    fn move_somebody(&mut self, dice: &mut Dice) -> bool {
        let bots = Seat::ALL.map(|seat| seat.index() as ConnectionId);
        let movers: Vec<ConnectionId> = bots.into_iter().chain(self.acting.iter().copied()).collect();
        movers.into_iter().any(|mover| {
            let Some(view) = self.room.view_for(mover) else { return false };
            let offered = view.valid_actions.iter().map(|valid| valid.action);
            let actions: Vec<Action> = offered.filter(|action| !matches!(action, Action::Claim { .. })).collect();
            if actions.is_empty() {
                return false;
            }
            let (version, action) = (self.room.version(), dice.pick(&actions));
            self.say(mover, json!({ "type": "EXECUTE_ACTION", "version": version, "action": action }))
        })
    }

    /// Lets the acting people make every request that could let the table continue. The table refuses those that they may not
    /// make.
    fn request_anything(&mut self) -> bool {
        let phase = self.room.phase();
        for acting in self.acting.clone() {
            let has_changed = match phase {
                Phase::Setup => self.say(acting, json!({ "type": "READY" })) || self.put_bots(acting),
                phase if phase.is_over() => self.say(acting, json!({ "type": "REMATCH" })),
                _ => self.put_bots(acting) || self.say(acting, json!({ "type": "REMATCH" })),
            };
            if has_changed {
                return true;
            }
        }
        false
    }

    /// Asks for a bot on the seats that other people control.
    fn put_bots(&mut self, acting: ConnectionId) -> bool {
        let own = self.room.bound(acting).map(|(player, _)| player.clone());
        let players = self.room.view_for(acting).map(|view| view.players).unwrap_or_default();
        let sits = |seat: Seat| {
            players.iter().any(|player| player.player_index == Some(seat) && Some(&player.player_id) == own.as_ref())
        };
        Seat::ALL.into_iter().filter(|seat| !sits(*seat)).any(|seat| self.set_control(acting, seat, "ai"))
    }

    fn advance_time(&mut self) {
        let repeats_at = self.now + PAUSE;
        let at = self.room.wake_at().map_or(repeats_at, |at| at.clamp(self.now, repeats_at));
        self.now = at;
        self.room.handle_time(at);
        self.drain();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use texas42_room::NewTable;

    const BEHAVIORS: [Behavior; 4] = [Behavior::Acts, Behavior::IsSilent, Behavior::TakesBack, Behavior::IsGone];

    /// A table and its log. The people are connected from 100 on, in the order in which they join.
    struct Prepared {
        table: Continuation,
        log: Vec<StoredEvent>,
    }

    impl Prepared {
        fn new(role: &str, seats: &str, table: &Value) -> Self {
            let players: Vec<&str> = seats.chars().map(|seat| if seat == 'h' { "human" } else { "ai" }).collect();
            let create = json!({
                "type": "CREATE_GAME", "name": "Ann", "role": role, "config": { "players": players, "target": 1 },
                "table": table,
            });
            let id = GameId::try_from("table").unwrap();
            let new = NewTable { id, randomness: [7; 32], connection: connection(0) };
            let room = Room::create(0, new, serde_json::from_value(create).unwrap()).unwrap();
            let table = Continuation {
                room,
                now: 0,
                began: 0,
                requests: 0,
                requested_bots: BTreeMap::new(),
                acting: Vec::new(),
                take_back: Vec::new(),
                from: (0, None),
            };
            Self { table, log: Vec::new() }
        }

        fn store(&mut self) {
            while let Some(effect) = self.table.room.poll_effect() {
                if let Effect::Store(events) = effect {
                    self.log.extend(events);
                }
            }
        }

        fn say(&mut self, from: usize, mut message: Value) {
            message["gameId"] = json!("table");
            self.table.room.handle_message(0, connection(from), serde_json::from_value(message).unwrap());
            self.store();
        }

        /// Lets people join with one invite.
        fn joined(mut self, people: usize) -> Self {
            let key = SecretKey::new([9; 16]);
            self.store();
            let grant = json!({ "role": "player", "uses": 4 });
            self.say(0, json!({ "type": "INVITE", "requestId": "i", "grant": grant, "key": key }));
            for number in 1..=people {
                self.say(number, json!({ "type": "JOIN_GAME", "key": key, "name": format!("Guest {number}") }));
            }
            self
        }

        /// Lets invited bots join before the first deal.
        fn with_bots(mut self, bots: usize) -> Self {
            self.store();
            for number in 0..bots {
                let key = SecretKey::new([20 + number as u8; 16]);
                let grant = json!({ "role": "ai" });
                self.say(0, json!({ "type": "INVITE", "requestId": format!("b{number}"), "grant": grant, "key": key }));
                self.say(90 + number, json!({ "type": "JOIN_GAME", "key": key, "name": format!("Program {number}") }));
            }
            self
        }

        /// Checks every choice of what the people do.
        fn check(&self) {
            let audit = crate::audit::Audit::of(&self.log).unwrap();
            let people: Vec<PlayerId> =
                audit.people().map(|participant| participant.session.player_id.clone()).collect();
            for choice in 0..4_usize.pow(people.len() as u32) {
                let behavior = |number: usize| BEHAVIORS[choice / 4_usize.pow(number as u32) % 4];
                let chosen = people.iter().enumerate().map(|(number, person)| (person.clone(), behavior(number)));
                let people: Vec<(PlayerId, Behavior)> = chosen.collect();
                if people.iter().all(|(_, behavior)| *behavior != Behavior::Acts) {
                    continue;
                }
                for exhausts_limits in [false, true] {
                    let group = Group { people: people.clone(), exhausts_limits };
                    let id = GameId::try_from("table").unwrap();
                    group.continues(&id, &self.log, &mut Dice::new(choice as u64)).unwrap();
                }
            }
        }
    }

    fn options() -> [Value; 5] {
        [
            json!({ "pause": 0 }),
            json!({ "pause": 0, "rated": true }),
            json!({ "pause": 0, "rated": true, "turnSeconds": 30 }),
            json!({ "pause": 0, "rated": true, "turnSeconds": 30, "ready": true }),
            json!({ "pause": 0, "ready": true }),
        ]
    }

    #[test]
    fn a_table_of_two_continues_when_people_vanish_or_are_silent() {
        options().into_iter().for_each(|table| Prepared::new("player", "haha", &table).joined(1).check());
    }

    #[test]
    fn a_table_of_three_continues_when_people_vanish_or_are_silent() {
        options().into_iter().for_each(|table| Prepared::new("player", "hhha", &table).joined(2).check());
    }

    #[test]
    fn a_table_with_silent_invited_bots_continues() {
        for mut table in options().into_iter().filter(|table| table["rated"] != true) {
            Prepared::new("player", "haha", &table).with_bots(1).joined(1).check();
            table["turnSeconds"] = json!(30);
            Prepared::new("player", "haha", &table).with_bots(2).joined(1).check();
        }
    }

    #[test]
    fn a_table_with_an_empty_seat_continues_when_people_vanish_or_are_silent() {
        options().into_iter().for_each(|table| Prepared::new("player", "hhha", &table).joined(1).check());
    }

    #[test]
    fn a_table_of_a_spectating_creator_continues_when_people_vanish_or_are_silent() {
        options().into_iter().for_each(|table| Prepared::new("spectator", "haha", &table).joined(2).check());
    }
}
