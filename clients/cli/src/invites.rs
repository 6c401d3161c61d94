//! Typed commands about invites and the lobby: which role an invite is for, what it grants, what to do with its link, and how to
//! revoke it; how to get a code, and how to let guests in.

use texas42_client::{ClientCore, Lobby};
use texas42_house_rules::HouseRules;
use texas42_phrases::{Language, fill};
use texas42_protocol::{Capability, Grant, LobbyGuest, PlayerView, RequestId, Role};
use texas42_sdk::FoundLobby;
use texas42_vocab::{Control, Seat};

/// The role that a typed command invites to.
pub fn invited_role(line: &str) -> Option<Role> {
    Some(match line {
        "i" | "invite" => Role::Player,
        "invite student" => Role::Student,
        "invite watch" => Role::Spectator,
        "invite coach" => Role::Coach,
        "invite admin" => Role::Admin,
        "invite bot" => Role::Ai,
        _ => return None,
    })
}

/// The number of the invite that a typed command revokes.
pub fn revoked_number(line: &str) -> Option<u32> {
    line.strip_prefix("revoke ")?.trim().parse().ok()
}

/// The command that returns to a session, quoted for a shell.
pub fn return_command(name: &str, link: &str) -> String {
    let name = shlex::try_quote(name).expect("a name has no NUL");
    format!("texas42 join --name {name} '{link}'")
}

/// The table and the person who invite.
#[derive(Clone, Copy, Debug)]
pub struct Inviter {
    /// How many people the table is for.
    pub people: u8,
    /// The seat of the person. A coach sees its hand.
    pub seat: Option<Seat>,
    /// Whether the table has open hands, which spectators then see.
    pub has_open_hands: bool,
}

impl Inviter {
    /// What an invite to a role grants.
    pub fn grant(self, role: Role) -> Grant {
        let others = self.people.saturating_sub(1).max(1);
        let uses = Some(others).filter(|_| role == Role::Player);
        let seat = self.seat.filter(|_| role == Role::Coach);
        Grant { uses, seat, open_hands: role == Role::Spectator && self.has_open_hands, ..Grant::of(role) }
    }
}

/// The roles of the invites that are requested and not answered yet.
#[derive(Clone, Debug, Default)]
pub struct RequestedInvites(Vec<(RequestId, Role)>);

impl RequestedInvites {
    /// Remembers the role of a request.
    pub fn note(&mut self, request: Option<RequestId>, role: Role) {
        self.0.extend(request.map(|request| (request, role)));
    }

    /// Removes a request that is executed or refused, and returns the role that it invites to.
    pub fn remove(&mut self, request: &RequestId) -> Option<Role> {
        let at = self.0.iter().position(|(known, _)| known == request)?;
        Some(self.0.remove(at).1)
    }
}

/// An invite link that this person made, or the code of the lobby.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MadeLink {
    /// The number of the invite, which revokes it. A code has none.
    pub number: Option<u32>,
    /// What to do with the link.
    pub purpose: &'static str,
    /// The link.
    pub link: String,
}

/// What to do with the link of an invite.
pub const fn purpose(role: Role) -> &'static str {
    match role {
        Role::Player => "Invite players",
        Role::Student => "Invite a student",
        Role::Admin => "Invite somebody who sees and manages everything",
        Role::Spectator => "Invite somebody to watch",
        Role::Coach => "Invite your coach",
        Role::Ai => "Invite a bot (texas42 bot --url LINK)",
    }
}

/// A typed command about the lobby. Guests are counted from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LobbyCommand {
    /// Ask for the code.
    Open,
    /// Ask for another code.
    Renew,
    /// End the code.
    Close,
    /// Let a guest in, on a seat.
    Admit(usize, Option<Seat>),
    /// Turn a guest away.
    TurnAway(usize),
}

const NO_GUEST: &str = "nobody with that number is waiting";

impl LobbyCommand {
    /// The command of a typed line: `code`, `new code`, `end code`, `admit`, `admit 2`, `admit 2 4`, `deny`, `deny 2`.
    pub fn typed(line: &str) -> Option<Self> {
        let words: Vec<&str> = line.split_whitespace().collect();
        let number = |text: &str| text.parse::<usize>().ok().filter(|number| *number > 0);
        let seat = |text: &str| number(text).and_then(|number| Seat::ALL.get(number - 1).copied());
        Some(match words[..] {
            ["code"] => Self::Open,
            ["new", "code"] => Self::Renew,
            ["end", "code"] => Self::Close,
            ["admit"] => Self::Admit(1, None),
            ["admit", guest] => Self::Admit(number(guest)?, None),
            ["admit", guest, on] => Self::Admit(number(guest)?, Some(seat(on)?)),
            ["deny"] => Self::TurnAway(1),
            ["deny", guest] => Self::TurnAway(number(guest)?),
            _ => return None,
        })
    }

    /// Makes the request.
    ///
    /// # Errors
    /// If there is no such guest.
    pub fn run(self, client: &mut ClientCore, now: u64) -> Result<(), &'static str> {
        let guest = |client: &ClientCore, number: usize| {
            client.lobby().guests.get(number - 1).map(|guest| guest.guest.clone()).ok_or(NO_GUEST)
        };
        match self {
            Self::Open | Self::Renew => drop(client.open_lobby(now, self == Self::Renew)),
            Self::Close => drop(client.close_lobby(now)),
            Self::Admit(number, seat) => {
                let guest = guest(client, number)?;
                let seat = seat.or_else(|| partner_seat(client));
                client.admit(now, guest, Grant { seat, ..Grant::of(Role::Player) });
            }
            Self::TurnAway(number) => {
                let guest = guest(client, number)?;
                client.turn_away(now, guest);
            }
        }
        Ok(())
    }
}

/// The seat of this person's partner, if no person has it: friends usually play together.
fn partner_seat(client: &ClientCore) -> Option<Seat> {
    let (partner, (_, view)) = (client.seat()?.partner(), client.table()?);
    let is_taken = |player: &PlayerView| {
        player.player_index == Some(partner)
            && (player.control_type == Control::Human || !player.capabilities.contains(&Capability::ReplaceAi))
    };
    (!view.players.iter().any(is_taken)).then_some(partner)
}

/// The code of a lobby, and how others use it.
pub fn code_line(lobby: &Lobby, server: Option<&str>) -> Option<String> {
    let (code, _) = lobby.code?;
    let server = server.map(|server| format!(" --server {server}")).unwrap_or_default();
    Some(format!("{}, for up to 15 minutes: texas42 join {code}{server}", code.spaced()))
}

/// The guests who were not there before, with their numbers.
pub fn new_guests<'a>(before: &'a Lobby, after: &'a Lobby) -> impl Iterator<Item = (usize, &'a LobbyGuest)> {
    let is_new = |guest: &LobbyGuest| before.guests.iter().all(|known| known.guest != guest.guest);
    after.guests.iter().enumerate().filter(move |(_, guest)| is_new(guest)).map(|(at, guest)| (at + 1, guest))
}

/// A question about a guest, and the commands that answer it.
pub fn guest_question(number: usize, guest: &LobbyGuest) -> String {
    let asks = fill(Language::English.words().wants_to_join, &[guest.name.as_str()]);
    match number {
        1 => format!("{asks} admit lets them in, deny does not."),
        number => format!("{asks} admit {number} lets them in, deny {number} does not."),
    }
}

/// What a guest sees of the table.
pub fn found_line(found: &FoundLobby) -> String {
    let words = Language::English.words();
    let names: Vec<&str> = found.players.iter().map(|player| player.name.as_str()).collect();
    format!("{} ({})", HouseRules::of_config(&found.config).summary(words), names.join(", "))
}

/// The host for whom a guest waits.
pub fn waiting_line(host: Option<&str>) -> String {
    let words = Language::English.words();
    host.map_or_else(|| words.waits_for_any_host.to_owned(), |host| fill(words.waits_for_host, &[host]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_about_the_lobby_count_from_one() {
        for (line, command) in [
            ("code", LobbyCommand::Open),
            ("new code", LobbyCommand::Renew),
            ("end code", LobbyCommand::Close),
            ("admit", LobbyCommand::Admit(1, None)),
            ("admit 2", LobbyCommand::Admit(2, None)),
            ("admit 2 4", LobbyCommand::Admit(2, Some(Seat::ALL[3]))),
            ("deny", LobbyCommand::TurnAway(1)),
            ("deny 3", LobbyCommand::TurnAway(3)),
        ] {
            assert_eq!(LobbyCommand::typed(line), Some(command), "{line}");
        }
        for line in ["", "codes", "admit 0", "admit Bob", "admit 1 5", "admit 1 2 3", "deny 0"] {
            assert_eq!(LobbyCommand::typed(line), None, "{line}");
        }
    }

    #[test]
    fn an_invite_names_what_its_role_needs() {
        let seat = Some(Seat::ALL[1]);
        let inviter = Inviter { people: 3, seat, has_open_hands: false };
        assert_eq!(inviter.grant(Role::Player), Grant { uses: Some(2), ..Grant::of(Role::Player) });
        assert_eq!(inviter.grant(Role::Coach), Grant { seat, ..Grant::of(Role::Coach) });
        for role in [Role::Ai, Role::Student, Role::Spectator, Role::Admin] {
            assert_eq!(inviter.grant(role), Grant::of(role));
        }
        let open = Inviter { has_open_hands: true, ..inviter };
        assert_eq!(open.grant(Role::Spectator), Grant { open_hands: true, ..Grant::of(Role::Spectator) });
        assert_eq!(open.grant(Role::Admin), Grant::of(Role::Admin), "an admin sees the hands in any case");
    }

    #[test]
    fn an_answer_belongs_to_its_request() {
        let [first, second] = ["r1", "r2"].map(|text| RequestId::try_from(text).unwrap());
        let mut requested = RequestedInvites::default();
        requested.note(Some(first.clone()), Role::Spectator);
        requested.note(Some(second.clone()), Role::Coach);
        requested.note(None, Role::Admin);
        assert_eq!(requested.remove(&first), Some(Role::Spectator));
        assert_eq!(requested.remove(&first), None);
        assert_eq!(requested.remove(&second), Some(Role::Coach));
    }

    /// A shell reads the name as it is, with its invisible characters and the letters that mean something to a shell.
    #[test]
    fn the_command_to_return_has_the_name_as_it_is() {
        for name in ["Ann", "Ann Lee", "👩\u{200d}💻", "A$HOME`id`", "\\\"", "O'Neil!"] {
            let words = shlex::split(&return_command(name, "link")).unwrap();
            assert_eq!(words, ["texas42", "join", "--name", name, "link"]);
        }
    }

    #[test]
    fn a_revocation_names_a_number() {
        assert_eq!(
            (revoked_number("revoke 12"), revoked_number("revoke"), revoked_number("revoke x")),
            (Some(12), None, None)
        );
    }
}
