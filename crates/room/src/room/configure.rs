//! Changing the rules and options of a table before its first game and between games.
//!
//! New rules pass the checks of a new table, and two more: nobody loses a seat, and nobody sees more than the new options
//! allow.

use texas42_engine::Context;
use texas42_kernel::Session;
use texas42_phrases::Problem;
use texas42_protocol::{Capability, Grant, RequestId, Role, TableOptions, WireError};
use texas42_vocab::{Config, Control, Seat};

use super::{ConnectionId, Rejection, Room, check_options, check_secret_deals, config_error, has_known_deals, reject};
use crate::{creation::needs_search, event::Event};

/// How often the rules of a table can be changed before its first game. After each change everyone has to be ready again,
/// so without a limit a host could keep the others waiting and fill the log.
const MAX_CONFIGURATIONS: u16 = 100;

/// The rules and options of a table from its next game on. Absent parts stay as they are.
#[derive(Clone, Debug, Default)]
pub(super) struct NewRules {
    pub(super) config: Option<Config>,
    pub(super) table: Option<TableOptions>,
}

impl NewRules {
    pub(super) const fn is_empty(&self) -> bool {
        self.config.is_none() && self.table.is_none()
    }
}

impl Room {
    /// Changes a table before its first game. Everyone has to be ready again. The game starts if all people whom the new
    /// rules require are there.
    pub(super) fn configure(
        &mut self,
        from: ConnectionId,
        request_id: RequestId,
        new: NewRules,
    ) -> Result<(), Rejection> {
        let session = self.session_on(from)?.clone();
        if self.repeat_reply(from, &session.player_id, &request_id) {
            return Ok(());
        }
        check_may_configure(&session)?;
        if self.table.game.is_some() {
            return Err(reject(Problem::GameHasStarted).with_view());
        }
        self.check_table_limit()?;
        if self.table.configurations >= MAX_CONFIGURATIONS {
            return Err(reject(Problem::TooManyConfigurations));
        }
        let config = new.config.unwrap_or_else(|| self.with_seats(self.table.config.clone()));
        let table = new.table.unwrap_or_else(|| self.table.options.clone());
        self.check_rules(&config, &table)?;
        self.check_people_keep_seats(&config)?;
        let before = Seat::ALL.map(|seat| self.table.control(seat));
        self.commit(Event::Configured { by: session.player_id, request_id, config, table }, None);
        self.replace_bots(before);
        self.start_when_complete();
        Ok(())
    }

    /// The checked rules for a rematch. Who controls the seats does not change.
    pub(super) fn rules_of_rematch(&self, session: &Session, new: NewRules) -> Result<NewRules, Rejection> {
        if new.is_empty() {
            // Earlier versions let several people play a daily challenge, and invited bots a rated game.
            self.check_people_know_no_deals(&self.table.config, &self.table.options)?;
            self.check_invited_bots(&self.table.config, &self.table.options)?;
            return Ok(new);
        }
        check_may_configure(session)?;
        let config = new.config.map(|config| self.with_seats(config));
        let table = new.table.map(|table| self.without_own_mark(table));
        let old_config = self.with_seats(self.table.config.clone());
        let old_table = self.without_own_mark(self.table.options.clone());
        self.check_rules(config.as_ref().unwrap_or(&old_config), table.as_ref().unwrap_or(&old_table))?;
        Ok(NewRules { config, table })
    }

    /// The options without the mark of an imported table. Clients send the mark back, and the table keeps its own.
    fn without_own_mark(&self, mut table: TableOptions) -> TableOptions {
        table.brought &= !self.table.options.brought;
        table
    }

    /// Rejects deals that somebody knows while more than one person has a seat.
    fn check_people_know_no_deals(&self, config: &Config, options: &TableOptions) -> Result<(), WireError> {
        let people = Seat::ALL.into_iter().filter(|seat| self.table.person(*seat).is_some()).count();
        if people > 1 { check_secret_deals(config, options) } else { Ok(()) }
    }

    /// The configuration with the seats as they are controlled now.
    fn with_seats(&self, config: Config) -> Config {
        Config { players: Seat::ALL.map(|seat| self.table.control(seat)), ..config }
    }

    /// Validates new rules like those of a new table, and against the sessions at the table.
    fn check_rules(&self, config: &Config, options: &TableOptions) -> Result<(), WireError> {
        let invalid = |field: &str, problem: Problem| Err(WireError::new(problem).at(field));
        check_options(config, options)?;
        Context::compose(config).map_err(|error| config_error(&error))?;
        self.check_people_know_no_deals(config, options)?;
        // The host finds the hand of a daily challenge and decides how it is rated, when it creates a table.
        let is_other_challenge = config.daily_challenge() != self.table.config.daily_challenge();
        if needs_search(config, options) || (is_other_challenge && config.daily_challenge().is_some()) {
            return invalid("config.layers", Problem::SearchedAtCreation);
        }
        self.check_invited_bots(config, options)?;
        self.check_visibility(options)
    }

    /// Rejects a rated table and known deals while an invited bot is here or could join: the person who runs it would see
    /// a hand, or know all of them.
    fn check_invited_bots(&self, config: &Config, options: &TableOptions) -> Result<(), WireError> {
        let mut invites = self.table.invites.iter().filter(|invite| !invite.is_used_up());
        let is_expected = invites.any(|invite| invite.grant.role == Role::Ai);
        let is_here = self.table.sessions.iter().any(Session::is_invited_bot);
        if (is_here || is_expected) && (options.rated || has_known_deals(config, options)) {
            return Err(WireError::new(Problem::SomeoneSeesMore).at("table"));
        }
        Ok(())
    }

    /// A person who sits at the table and plays keeps the seat.
    fn check_people_keep_seats(&self, config: &Config) -> Result<(), WireError> {
        let plays = |seat: &Seat| self.table.person(*seat).is_some() && self.table.control(*seat) == Control::Human;
        match Seat::ALL.into_iter().find(|seat| plays(seat) && config.players[seat.index()] == Control::Ai) {
            Some(seat) => Err(WireError::new(Problem::SeatHasPerson { seat }).at("config.players")),
            None => Ok(()),
        }
    }

    /// Rejects options under which a session or the holder of an open invite could see more than is allowed: at a rated
    /// table, hands in play or hints for single players; at a table that no longer has open hands, hands in play.
    fn check_visibility(&self, options: &TableOptions) -> Result<(), WireError> {
        let is_closed = self.table.options.open_hands && !options.open_hands;
        let invites = self.table.invites.iter().filter(|invite| !invite.is_used_up());
        let invited = invites.map(|invite| Visibility::of_grant(&invite.grant));
        let present = self.table.sessions.iter().map(|session| Visibility {
            hands: self.table.sees_hands(session),
            is_delayed: session.delay_hands > 0,
            hints: self.table.has_own_hints(session),
        });
        let is_forbidden = |seen: &Visibility| {
            (options.rated && (seen.hands || seen.hints)) || (is_closed && seen.hands && !seen.is_delayed)
        };
        if invited.chain(present).any(|seen| is_forbidden(&seen)) {
            return Err(WireError::new(Problem::SomeoneSeesMore).at("table"));
        }
        Ok(())
    }

    /// Requests bots for the seats that they control from now on, and releases the others.
    fn replace_bots(&mut self, before: [Control; 4]) {
        for (seat, before) in Seat::ALL.into_iter().zip(before) {
            match (before, self.table.control(seat)) {
                (Control::Human, Control::Ai) => self.request_bot(seat),
                (Control::Ai, Control::Human) => self.release_bot(seat),
                _ => {}
            }
        }
    }
}

/// What a visitor sees in addition to the public view.
#[derive(Clone, Copy, Debug)]
struct Visibility {
    hands: bool,
    /// Whether the view lags some hands behind.
    is_delayed: bool,
    hints: bool,
}

impl Visibility {
    const fn of_grant(grant: &Grant) -> Self {
        Self {
            hands: grant.open_hands || matches!(grant.role, Role::Coach | Role::Admin),
            is_delayed: grant.delay_hands > 0,
            hints: matches!(grant.role, Role::Coach | Role::Admin | Role::Student),
        }
    }
}

fn check_may_configure(session: &Session) -> Result<(), Rejection> {
    if session.may(Capability::ConfigureVariant) { Ok(()) } else { Err(reject(Problem::CannotConfigure)) }
}
