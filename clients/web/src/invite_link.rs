//! Invite links: which table, with which key, in which role; and who sits at that table.
//!
//! All of it stands behind `#`, which no server sees. What the link says about the role is for the form that it opens; what
//! the key grants is known to the table alone.

use texas42_protocol::{GameId, PlayerView, Role, SecretKey};
use texas42_vocab::{Control, Seat};

/// An invitation to a table, as a link carries it.
#[derive(Clone, Debug, PartialEq)]
pub struct InviteLink {
    /// Which table.
    pub game: GameId,
    /// What opens it; nothing where everybody may watch.
    pub key: Option<SecretKey>,
    /// As what.
    pub role: Role,
}

/// What a link begins with, and as what one comes.
const WAYS: [(&str, Role); 4] =
    [("join", Role::Player), ("watch", Role::Spectator), ("coach", Role::Coach), ("behind", Role::Admin)];

impl InviteLink {
    /// The URL of the link for a page at `address`.
    pub fn url(&self, address: &str) -> String {
        format!("{address}#{}", self.fragment())
    }

    /// What stands behind `#` of the link.
    pub fn fragment(&self) -> String {
        let way = WAYS.iter().find(|(_, role)| *role == self.role).map_or("join", |(way, _)| way);
        let key = self.key.clone().map(|key| format!("/{}", String::from(key))).unwrap_or_default();
        format!("{way}/{}{key}", self.game)
    }

    /// Reads a link, or what stands behind its `#`.
    pub fn read(text: &str) -> Option<Self> {
        let mut parts = text.trim().rsplit('#').next()?.split('/');
        let way = parts.next()?;
        let (_, role) = *WAYS.iter().find(|(other, _)| *other == way)?;
        let game = GameId::try_from(parts.next()?).ok()?;
        let key = parts.next().map(|key| SecretKey::try_from(key.to_owned())).transpose().ok()?;
        // Without a key there is nothing but watching.
        let role = if key.is_some() { role } else { Role::Spectator };
        Some(Self { game, key, role })
    }
}

impl InviteLink {
    /// Reads what somebody typed: a link, or only the table and the key, as a code that was told.
    pub fn typed(text: &str) -> Option<Self> {
        let of_a_code = || Self::read(&format!("join/{}", text.trim())).filter(|link| link.key.is_some());
        Self::read(text).or_else(of_a_code)
    }

    /// Whether what stands behind `#` was meant as such a link.
    pub fn is_meant(fragment: &str) -> bool {
        WAYS.iter().any(|(way, _)| fragment.split('/').next() == Some(way))
    }
}

/// Who sits on a seat, as the join form shows it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Sitter {
    /// Nobody.
    #[default]
    Nobody,
    /// A program, which makes room for a person.
    Program,
    /// A person of this name.
    Person(String),
}

/// Who sits where.
pub fn sitters(players: &[PlayerView]) -> [Sitter; 4] {
    Seat::ALL.map(|seat| {
        let here: Vec<&PlayerView> = players.iter().filter(|player| player.player_index == Some(seat)).collect();
        // For somebody who is away a program plays, and then there are two.
        let person = here.iter().find(|player| player.control_type == Control::Human || here.len() > 1);
        match (person, here.first()) {
            (Some(person), _) => Sitter::Person(person.name.to_string()),
            (None, Some(_)) => Sitter::Program,
            (None, None) => Sitter::Nobody,
        }
    })
}

#[cfg(test)]
mod tests {
    use texas42_protocol::{Name, PlayerId};

    use super::*;

    fn invite(key: Option<SecretKey>, role: Role) -> InviteLink {
        InviteLink { game: GameId::try_from("abc").unwrap(), key, role }
    }

    #[test]
    fn a_link_says_as_what_one_comes() {
        for (_, role) in WAYS {
            let invite = invite(Some(SecretKey::new([7; 16])), role);
            let url = invite.url("https://example.org/");
            assert_eq!(InviteLink::read(&url), Some(invite.clone()), "{url}");
            assert_eq!(InviteLink::read(url.split_once('#').unwrap().1), Some(invite));
        }
        let player = invite(Some(SecretKey::new([7; 16])), Role::Player);
        let code = player.fragment().replacen("join/", " ", 1);
        assert_eq!((InviteLink::typed(&code), InviteLink::read(&code)), (Some(player), None), "{code}");
        assert_eq!(InviteLink::typed("abc"), None);
        assert_eq!(InviteLink::read(" #join/abc "), Some(invite(None, Role::Spectator)), "without a key one watches");
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
            capabilities: Vec::new(),
        }
    }

    #[test]
    fn seats_of_people_are_told_from_those_of_programs() {
        let players = [
            player(0, "Ann", Control::Human),
            player(1, "Bot", Control::Ai),
            // Bob is away, and a program plays for him.
            player(2, "Bob", Control::Ai),
            player(2, "Stand-in", Control::Ai),
        ];
        let person = |name: &str| Sitter::Person(name.to_owned());
        assert_eq!(sitters(&players), [person("Ann"), Sitter::Program, person("Bob"), Sitter::Nobody]);
        assert_eq!(sitters(&[]), [const { Sitter::Nobody }; 4]);
    }
}
