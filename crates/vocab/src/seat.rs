//! The four seats and the two teams.

use core::fmt;

use serde::{Deserialize, Serialize};

use crate::ParseError;

/// A seat at the table, 0 to 3 clockwise.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "u8", into = "u8")]
pub struct Seat(u8);

impl Seat {
    /// The four seats in order.
    pub const ALL: [Self; 4] = [Self(0), Self(1), Self(2), Self(3)];

    /// The seat with this number, 0 to 3.
    pub const fn new(number: u8) -> Option<Self> {
        if number < 4 { Some(Self(number)) } else { None }
    }

    /// The number of this seat, 0 to 3.
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// The next seat clockwise, which bids and plays next.
    #[must_use]
    pub const fn left(self) -> Self {
        Self((self.0 + 1) & 3)
    }

    /// The seat across the table.
    #[must_use]
    pub const fn partner(self) -> Self {
        Self(self.0 ^ 2)
    }

    /// The team: even seats are team 0, odd seats team 1.
    pub const fn team(self) -> Team {
        Team(self.0 & 1)
    }

    /// All four seats, clockwise from this one.
    pub fn round(self) -> impl Iterator<Item = Self> + Clone {
        (0..4).map(move |step| Self((self.0 + step) & 3))
    }
}

/// A partnership: seats 0 and 2 are team 0, seats 1 and 3 are team 1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "u8", into = "u8")]
pub struct Team(u8);

impl Team {
    /// Both teams.
    pub const BOTH: [Self; 2] = [Self(0), Self(1)];

    /// The number of this team, 0 or 1.
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// The opposing team.
    #[must_use]
    pub const fn other(self) -> Self {
        Self(self.0 ^ 1)
    }
}

impl TryFrom<u8> for Seat {
    type Error = ParseError;

    fn try_from(number: u8) -> Result<Self, ParseError> {
        Self::new(number).ok_or(ParseError::Seat)
    }
}

impl From<Seat> for u8 {
    fn from(seat: Seat) -> Self {
        seat.0
    }
}

impl TryFrom<u8> for Team {
    type Error = ParseError;

    fn try_from(number: u8) -> Result<Self, ParseError> {
        if number < 2 { Ok(Self(number)) } else { Err(ParseError::Team) }
    }
}

impl From<Team> for u8 {
    fn from(team: Team) -> Self {
        team.0
    }
}

impl fmt::Display for Seat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl fmt::Debug for Seat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "seat {}", self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn partners_sit_across_and_share_a_team() {
        for seat in Seat::ALL {
            assert_eq!(seat.left().left(), seat.partner());
            assert_eq!(seat.team(), seat.partner().team());
            assert_eq!(seat.team().other(), seat.left().team());
            assert_eq!(seat.round().count(), 4);
        }
        assert!(serde_json::from_str::<Seat>("4").is_err());
    }
}
