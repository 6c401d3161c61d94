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
    /// The number of the invite that it joined with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub invitation: Option<u32>,
}

impl Session {
    /// Whether it has a capability.
    pub fn may(&self, capability: Capability) -> bool {
        self.capabilities.contains(&capability)
    }

    /// Whether [`Session::view`] would return `shown`.
    pub fn is_shown_as(&self, shown: &PlayerView, control: Control, is_connected: bool) -> bool {
        let PlayerView { player_id, player_index, name, control_type, is_connected: connected, capabilities } = shown;
        *player_id == self.player_id
            && *player_index == self.seat
            && *name == self.name
            && *control_type == control
            && *connected == is_connected
            && *capabilities == self.capabilities
    }

    /// The session as all viewers see it.
    pub fn view(&self, control: Control, is_connected: bool) -> PlayerView {
        PlayerView {
            player_id: self.player_id.clone(),
            player_index: self.seat,
            name: self.name.clone(),
            control_type: control,
            is_connected,
            capabilities: self.capabilities.clone(),
        }
    }
}

/// The capabilities of a new session: those that the grant allows, limited to `asked`.
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
    use super::*;

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
