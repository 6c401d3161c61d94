//! Sessions: people and bots at a table, with or without a seat, and what they may do and see.

use alloc::vec::Vec;

use serde::{Deserialize, Serialize};
use texas42_protocol::{Capability, Grant, Name, PlayerId, PlayerView, Role};
use texas42_vocab::{Control, Seat};

use crate::key::KeyHash;

/// A person or a bot at a table.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Session {
    /// The public id.
    pub player_id: PlayerId,
    /// The seat, which never changes once taken.
    pub seat: Option<Seat>,
    /// The name.
    pub name: Name,
    /// A person or a bot.
    pub control: Control,
    /// What it may do and see.
    pub capabilities: Vec<Capability>,
    /// The hash of the key to reconnect with.
    pub key: KeyHash,
    /// How many whole hands its view lags behind.
    #[serde(default)]
    pub delay_hands: u8,
    /// Whether its client asked for capabilities without `see-hints`. Then a table with hints grants none.
    #[serde(default, skip_serializing_if = "core::ops::Not::not")]
    pub declines_hints: bool,
    /// The number of the invite that it joined with.
    #[serde(rename = "invitation", default, skip_serializing_if = "Option::is_none")]
    pub invite: Option<u32>,
}

impl Session {
    /// Whether it has a capability.
    pub fn may(&self, capability: Capability) -> bool {
        self.capabilities.contains(&capability)
    }

    /// Whether it is a bot that joined with an invite. Other bots belong to the host.
    pub const fn is_invited_bot(&self) -> bool {
        matches!(self.control, Control::Ai) && self.invite.is_some()
    }

    /// Whether it is a bot of the host, which shows its hand to nobody.
    pub const fn is_host_bot(&self) -> bool {
        matches!(self.control, Control::Ai) && self.invite.is_none()
    }

    /// Whether [`Session::view`] would return `shown`.
    pub fn is_shown_as(&self, shown: &PlayerView, control: Control, is_connected: bool, waits: bool) -> bool {
        let PlayerView {
            player_id,
            player_index,
            name,
            control_type,
            is_connected: connected,
            waits_for_deal,
            capabilities,
        } = shown;
        *player_id == self.player_id
            && *player_index == self.seat
            && *name == self.name
            && *control_type == control
            && *connected == is_connected
            && *waits_for_deal == waits
            && *capabilities == self.capabilities
    }

    /// The session as all viewers see it.
    pub fn view(&self, control: Control, is_connected: bool, waits_for_deal: bool) -> PlayerView {
        PlayerView {
            player_id: self.player_id.clone(),
            player_index: self.seat,
            name: self.name.clone(),
            control_type: control,
            is_connected,
            waits_for_deal,
            capabilities: self.capabilities.clone(),
        }
    }
}

/// The capabilities of a new session: the granted ones, limited to `asked`.
///
/// A client can ask for less than it is granted, never for more.
pub fn granted(grant: &Grant, seat: Option<Seat>, asked: Option<&[Capability]>) -> Vec<Capability> {
    let mut allowed = grant.role.capabilities(seat.or(grant.seat));
    if grant.open_hands && grant.role == Role::Spectator {
        allowed.push(Capability::ObserveAllHands);
    }
    match asked {
        None => allowed,
        Some(asked) => allowed.into_iter().filter(|capability| asked.contains(capability)).collect(),
    }
}

#[cfg(test)]
mod tests {
    use texas42_protocol::SecretKey;

    use super::*;

    fn session(control: Control, invite: Option<u32>) -> Session {
        Session {
            player_id: PlayerId::try_from("p1").unwrap(),
            seat: Seat::new(1),
            name: Name::try_from("Ann").unwrap(),
            control,
            capabilities: Role::Player.capabilities(Seat::new(1)),
            key: KeyHash::of(&SecretKey::new([1; 16])),
            delay_hands: 0,
            declines_hints: false,
            invite,
        }
    }

    #[test]
    fn a_list_of_players_is_outdated_once_anything_about_one_changes() {
        let session = session(Control::Human, None);
        let shown = session.view(Control::Human, true, false);
        let is_current = |shown: &PlayerView| session.is_shown_as(shown, Control::Human, true, false);
        assert!(is_current(&shown));
        for outdated in [
            PlayerView { player_id: PlayerId::try_from("p2").unwrap(), ..shown.clone() },
            PlayerView { player_index: None, ..shown.clone() },
            PlayerView { name: Name::try_from("Bob").unwrap(), ..shown.clone() },
            PlayerView { control_type: Control::Ai, ..shown.clone() },
            PlayerView { is_connected: false, ..shown.clone() },
            PlayerView { waits_for_deal: true, ..shown.clone() },
            PlayerView { capabilities: Vec::new(), ..shown.clone() },
        ] {
            assert!(!is_current(&outdated), "{outdated:?}");
        }
    }

    #[test]
    fn a_bot_belongs_to_the_host_unless_it_was_invited() {
        let kinds = |control, invite| {
            let session = session(control, invite);
            (session.is_host_bot(), session.is_invited_bot())
        };
        assert_eq!(kinds(Control::Ai, None), (true, false));
        assert_eq!(kinds(Control::Ai, Some(1)), (false, true));
        assert_eq!(kinds(Control::Human, None), (false, false));
        assert_eq!(kinds(Control::Human, Some(1)), (false, false));
    }

    #[test]
    fn asking_for_more_than_granted_has_no_effect() {
        let grant = Grant::of(Role::Spectator);
        let asked = [Capability::ObserveAllHands, Capability::ActAsPlayer { player_index: Seat::ALL[0] }];
        assert!(granted(&grant, None, Some(&asked)).is_empty());
        let open = Grant { open_hands: true, ..grant };
        assert_eq!(granted(&open, None, Some(&asked)), [Capability::ObserveAllHands]);
    }

    #[test]
    fn asking_for_less_gives_less() {
        let grant = Grant { seat: Seat::new(1), ..Grant::of(Role::Player) };
        let own = [Capability::ObserveOwnHand];
        assert_eq!(granted(&grant, Seat::new(1), Some(&own)), own);
    }
}
