//! The list of what may be done now: a fixed array, because it is made anew for every decision and must cost nothing.

use core::ops::{Deref, DerefMut};

use arrayvec::ArrayVec;
use texas42_vocab::{Action, Seat};

/// More than any decision offers: the widest auction has 18 choices.
const MOST: usize = 32;

/// The actions that may be taken now.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Offers(ArrayVec<Action, MOST>);

impl Offers {
    /// An empty list.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds an action.
    ///
    /// # Panics
    /// When a decision would have more than 32 choices, which no combination of layers comes near.
    pub fn push(&mut self, action: Action) {
        self.0.push(action);
    }

    /// Keeps the actions that pass.
    pub fn retain(&mut self, mut keep: impl FnMut(Action) -> bool) {
        self.0.retain(|action| keep(*action));
    }

    /// Leaves only this action.
    pub fn replace_all(&mut self, action: Action) {
        self.0.clear();
        self.0.push(action);
    }
}

impl Deref for Offers {
    type Target = [Action];

    fn deref(&self) -> &[Action] {
        &self.0
    }
}

impl DerefMut for Offers {
    fn deref_mut(&mut self) -> &mut [Action] {
        &mut self.0
    }
}

/// Who may start an action.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Authority {
    /// The seat that it names.
    #[default]
    Player,
    /// The table itself: nobody can send it.
    System,
}

/// What is said about an offered action. It never changes what the action does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Meta {
    /// Do it without being asked, after [`Meta::delay`].
    pub auto_execute: bool,
    /// Milliseconds.
    pub delay: u16,
    /// Why it is done without being asked.
    pub reason: Option<&'static str>,
    /// What a friend would say, for those who may see hints.
    pub hint: Option<Hint>,
    /// Who may start it.
    pub authority: Authority,
}

/// What a friend who sees only the seat's own cards would say about a choice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Hint {
    /// It is the only choice.
    OnlyChoice,
    /// Nothing that is unseen can beat it.
    CannotBeBeaten,
    /// It beats what lies on the table.
    BeatsTheTable,
    /// The partner has the trick so far, and it carries count.
    CountToPartner,
    /// It cannot win this trick and gives away count.
    GivesCountAway,
    /// It cannot win this trick and costs nothing.
    Safe,
    /// So many of the suit are held, the double among them or not.
    SuitLength {
        /// How many.
        held: u8,
        /// Whether the double is one of them.
        with_double: bool,
    },
    /// So many tricks look certain with the best trumps.
    SureTricks(u8),
    /// The rest is this seat's, whatever the others hold.
    RestIsYours,
    /// The rest is not certain.
    RestIsOpen,
}

/// An offered action with what is said about it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Offer {
    /// What may be done.
    pub action: Action,
    /// What is said about it.
    pub meta: Meta,
}

/// The offered actions with what the layers say about them.
pub type Annotated = ArrayVec<Offer, MOST>;

/// The one thing that a seat can do, when there is only one. A claim is a favour that nobody has to ask for: it does not
/// make a forced play a choice.
pub(crate) fn only_choice(offers: &mut [Offer], seat: Seat) -> Option<&mut Offer> {
    let is_choice =
        |offer: &&mut Offer| offer.action.player() == Some(seat) && !matches!(offer.action, Action::Claim { .. });
    let mut choices = offers.iter_mut().filter(is_choice);
    let only = choices.next()?;
    if choices.next().is_some() { None } else { Some(only) }
}

impl From<&Offers> for Annotated {
    fn from(offers: &Offers) -> Self {
        offers.iter().map(|action| Offer { action: *action, meta: Meta::default() }).collect()
    }
}
