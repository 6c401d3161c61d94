//! How many visitors a table and each of its invites admit. Each of them is logged, and every view lists
//! those who are here. Without a limit for each invite, one link to watch could use up the log of a table and keep out the
//! visitors of all other invites.
//!
//! The counts follow from the log. Invites of earlier versions are counted in the same way; visitors who joined then stay.

use texas42_phrases::Problem;

use crate::allowance::{Allowance, Limit};

/// The maximum number of visitors. Every view lists them.
pub(crate) const MAX_VISITORS: usize = 32;
/// The maximum number of visitors with one invite, so that there is always room for those of others.
pub(crate) const MAX_VISITORS_OF_INVITE: usize = 24;
/// The maximum number of visitors over the lifetime of a table.
const MAX_TOTAL: u16 = 10_000;
/// The maximum number of visitors over the lifetime of an invite: a tenth of what the table admits.
const MAX_TOTAL_OF_INVITE: u16 = 1_000;
/// How fast visitors may come with one invite. A whole club comes at once, but a program that joins and leaves all the time
/// adds an event every half minute.
const ARRIVALS: Limit = Limit { burst: 60, interval: 60_000 };

/// The visitors who came to a table or with an invite, including those who left.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct VisitorCount {
    total: u16,
    arrivals: Allowance,
}

impl VisitorCount {
    /// Notes a visitor.
    pub(crate) fn note(&mut self, at: u64) {
        self.total = self.total.saturating_add(1);
        self.arrivals.note(ARRIVALS, at);
    }

    /// Checks that the table admits another visitor.
    pub(crate) const fn check_table(self) -> Result<(), Problem> {
        if self.total < MAX_TOTAL { Ok(()) } else { Err(Problem::TooManyGuests) }
    }

    /// Checks that the invite admits another visitor now.
    pub(crate) const fn check_invite(self, now: u64) -> Result<(), Problem> {
        if self.total >= MAX_TOTAL_OF_INVITE {
            return Err(Problem::InviteWornOut);
        }
        if self.arrivals.is_free(ARRIVALS, now) { Ok(()) } else { Err(Problem::TooManyWithInvite) }
    }
}
