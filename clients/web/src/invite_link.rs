//! Invite links: table, key and role in the URL fragment; and who sits at the table.
//!
//! Servers never see the fragment. The role in the link only selects the form that is shown; the table decides what the
//! key grants.

use texas42_protocol::{Capability, GameId, PlayerId, PlayerView, Role, SecretKey};
use texas42_vocab::{Control, Seat};

/// An invite link.
#[derive(Clone, Debug, PartialEq)]
pub struct InviteLink {
    /// The id of the table.
    pub game: GameId,
    /// The key; `None` for a table that anyone may watch.
    pub key: Option<SecretKey>,
    /// The role of the invited person.
    pub role: Role,
}

/// The first word of the fragment, and its role.
const ROLE_WORDS: [(&str, Role); 5] = [
    ("join", Role::Player),
    ("watch", Role::Spectator),
    ("coach", Role::Coach),
    ("behind", Role::Admin),
    ("bot", Role::Ai),
];

impl InviteLink {
    /// The URL of the link for a page at `address`.
    pub fn url(&self, address: &str) -> String {
        format!("{address}#{}", self.fragment())
    }

    /// The fragment of the link, without the `#`.
    pub fn fragment(&self) -> String {
        let way = ROLE_WORDS.iter().find(|(_, role)| *role == self.role).map_or("join", |(way, _)| way);
        let key = self.key.clone().map(|key| format!("/{}", String::from(key))).unwrap_or_default();
        format!("{way}/{}{key}", self.game)
    }

    /// Parses a link or its fragment.
    pub fn read(text: &str) -> Option<Self> {
        let mut parts = text.trim().rsplit('#').next()?.split('/');
        let way = parts.next()?;
        let (_, role) = *ROLE_WORDS.iter().find(|(other, _)| *other == way)?;
        let game = GameId::try_from(parts.next()?).ok()?;
        let key = parts.next().map(|key| SecretKey::try_from(key.to_owned())).transpose().ok()?;
        // Without a key one can only watch.
        let role = if key.is_some() { role } else { Role::Spectator };
        Some(Self { game, key, role })
    }
}

impl InviteLink {
    /// Parses what a person typed: a link, or only table and key.
    pub fn typed(text: &str) -> Option<Self> {
        let of_a_code = || Self::read(&format!("join/{}", text.trim())).filter(|link| link.key.is_some());
        Self::read(text).or_else(of_a_code)
    }

    /// Whether a fragment looks like an invite link, even a damaged one.
    pub fn is_meant(fragment: &str) -> bool {
        ROLE_WORDS.iter().any(|(way, _)| fragment.split('/').next() == Some(way))
    }
}

/// Who occupies a seat, for the join form.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Occupant {
    /// Nobody.
    #[default]
    Nobody,
    /// A bot whose seat a person can take.
    Bot,
    /// The name of a person, or of a bot without `replace-ai`, who keeps the seat.
    Person(String),
}

impl Occupant {
    /// The name of the occupant, if the seat cannot be taken.
    pub fn name(&self) -> Option<&str> {
        match self {
            Self::Person(name) => Some(name),
            Self::Nobody | Self::Bot => None,
        }
    }
}

/// Who sits where, for a person who is invited.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Seating {
    /// Who occupies each seat.
    pub occupants: [Occupant; 4],
    /// The seat of the person who invites; at an open table, of the person who manages it.
    pub host: Option<Seat>,
    /// The name of the person who invites.
    pub host_name: Option<String>,
}

impl Seating {
    /// The seating of these players, for somebody whom one of them invites.
    pub fn of(players: &[PlayerView], invited_by: Option<&PlayerId>) -> Self {
        let invites = |player: &&PlayerView| Some(&player.player_id) == invited_by;
        let manages = |player: &&PlayerView| player.capabilities.contains(&Capability::ConfigureVariant);
        let host = players.iter().find(invites).or_else(|| players.iter().find(manages));
        Self {
            occupants: occupants(players),
            host: host.and_then(|host| host.player_index),
            host_name: host.map(|host| host.name.to_string()),
        }
    }

    /// Whether the table has told who sits where.
    pub fn is_known(&self) -> bool {
        *self != Self::default()
    }

    /// Whether a person can take this seat.
    pub fn is_free(&self, seat: Seat) -> bool {
        self.occupants[seat.index()].name().is_none()
    }

    /// The seat of the host's partner: friends usually play together.
    pub fn beside_host(&self) -> Option<Seat> {
        self.host.map(Seat::partner)
    }
}

/// Who occupies each seat.
fn occupants(players: &[PlayerView]) -> [Occupant; 4] {
    Seat::ALL.map(|seat| {
        let here: Vec<&PlayerView> = players.iter().filter(|player| player.player_index == Some(seat)).collect();
        // While a person is away, a bot plays for them, and the seat has two sessions.
        let person = here.iter().find(|player| player.control_type == Control::Human || here.len() > 1);
        let makes_room = |bot: &PlayerView| bot.capabilities.contains(&Capability::ReplaceAi);
        match person.or_else(|| here.first()) {
            None => Occupant::Nobody,
            Some(bot) if person.is_none() && makes_room(bot) => Occupant::Bot,
            Some(stays) => Occupant::Person(stays.name.to_string()),
        }
    })
}

#[cfg(test)]
mod tests {
    use texas42_protocol::Name;

    use super::*;

    fn invite(key: Option<SecretKey>, role: Role) -> InviteLink {
        InviteLink { game: GameId::try_from("abc").unwrap(), key, role }
    }

    #[test]
    fn a_link_encodes_the_role() {
        for (_, role) in ROLE_WORDS {
            let invite = invite(Some(SecretKey::new([7; 16])), role);
            let url = invite.url("https://example.org/");
            assert_eq!(InviteLink::read(&url), Some(invite.clone()), "{url}");
            assert_eq!(InviteLink::read(url.split_once('#').unwrap().1), Some(invite));
        }
        let player = invite(Some(SecretKey::new([7; 16])), Role::Player);
        let code = player.fragment().replacen("join/", " ", 1);
        assert_eq!((InviteLink::typed(&code), InviteLink::read(&code)), (Some(player), None), "{code}");
        assert_eq!(InviteLink::typed("abc"), None);
        assert_eq!(
            InviteLink::read(" #join/abc "),
            Some(invite(None, Role::Spectator)),
            "one can only watch without a key"
        );
        for text in ["", "#", "join", "join/", "play", "seed/abc", "join/abc/x", "sit/abc", "https://example.org/abc"] {
            assert_eq!(InviteLink::read(text), None, "{text}");
        }
    }

    fn player(seat: u8, name: &str, control_type: Control) -> PlayerView {
        PlayerView {
            player_id: PlayerId::try_from(name).unwrap(),
            player_index: Seat::new(seat),
            name: Name::try_from(name).unwrap(),
            control_type,
            is_connected: true,
            waits_for_deal: false,
            capabilities: if control_type == Control::Ai { vec![Capability::ReplaceAi] } else { Vec::new() },
        }
    }

    #[test]
    fn distinguishes_seats_of_people_from_seats_of_bots() {
        let players = [
            player(0, "Ann", Control::Human),
            player(1, "Bot", Control::Ai),
            // Bob is away, and a bot plays for him.
            player(2, "Bob", Control::Ai),
            player(2, "Stand-in", Control::Ai),
        ];
        let person = |name: &str| Occupant::Person(name.to_owned());
        assert_eq!(occupants(&players), [person("Ann"), Occupant::Bot, person("Bob"), Occupant::Nobody]);
        let stays = PlayerView { capabilities: Vec::new(), ..player(1, "Outside", Control::Ai) };
        assert_eq!(occupants(&[stays])[1], person("Outside"));
        assert_eq!(occupants(&[]), [const { Occupant::Nobody }; 4]);
    }

    #[test]
    fn the_seat_beside_the_host_is_the_partners() {
        let person = |seat: u8, name: &str| player(seat, name, Control::Human);
        let host = PlayerView { capabilities: vec![Capability::ConfigureVariant], ..person(1, "Ann") };
        let seating = Seating::of(&[person(0, "Bob"), host.clone()], None);
        assert_eq!((seating.host, seating.beside_host()), (Some(Seat::ALL[1]), Some(Seat::ALL[3])));
        assert_eq!((seating.host_name.as_deref(), Seating::default().host_name), (Some("Ann"), None));
        assert!(seating.is_free(Seat::ALL[3]) && !seating.is_free(Seat::ALL[0]));
        assert_eq!(Seating::of(&[person(0, "Bob")], None).beside_host(), None);
        let bob = person(0, "Bob");
        let by_bob = Seating::of(&[host, bob.clone()], Some(&bob.player_id));
        assert_eq!((by_bob.host_name.as_deref(), by_bob.beside_host()), (Some("Bob"), Seat::new(2)));
    }
}
