//! Deals that a viewer cannot distinguish from the real ones.

use texas42_engine::{
    State,
    deal::{deal, hand_key},
};
use texas42_room::{HeadlessRoom, RandomPlayer};
use texas42_vocab::{Action, Config, Deal, Domino, Hand, Phase};

use crate::participants::VisibleHands;

/// The number of given deals. Later hands are the same for all twins.
const HANDS: usize = 3;

/// The deals of a game.
pub(crate) fn random_deals(random: &mut RandomPlayer) -> Vec<Deal> {
    (0..HANDS).map(|_| random_deal(random)).collect()
}

fn random_deal(random: &mut RandomPlayer) -> Deal {
    deal(&hand_key(&[3; 32], random.below(1 << 31) as u32))
}

/// The part of a game's history that determines which deals are possible.
pub(crate) struct History<'a> {
    pub(crate) config: &'a Config,
    pub(crate) actions: &'a [Action],
    /// The state whose hidden dominoes are replaced.
    pub(crate) state: &'a State,
    /// The numbers of the hands that were thrown in and that an undo could restore.
    pub(crate) hidden_earlier: Vec<u32>,
}

impl History<'_> {
    /// Different deals with the same public history. `None` if nothing is hidden, or if no such deals were found.
    pub(crate) fn redealt(
        &self,
        visible_hands: VisibleHands,
        random: &mut RandomPlayer,
        tries: usize,
    ) -> Option<Vec<Deal>> {
        let deals = &self.config.deals;
        let number = self.state.hand_number as usize;
        if number >= deals.len() {
            return None;
        }
        let others = (0..tries).map(|_| self.shuffled(visible_hands, random));
        let mut others = others.filter(|others| others != deals);
        others.find(|others| self.is_possible(others))
    }

    fn shuffled(&self, visible_hands: VisibleHands, random: &mut RandomPlayer) -> Vec<Deal> {
        let mut deals = self.config.deals.clone();
        let number = self.state.hand_number as usize;
        if self.state.phase != Phase::Scoring {
            let held = self.state.hands;
            deals[number] = swapped(&deals[number], &held, visible_hands, random);
        }
        for earlier in &self.hidden_earlier {
            let dealt = deals[*earlier as usize];
            deals[*earlier as usize] = swapped(&dealt, &dealt, visible_hands, random);
        }
        deals[number + 1..].iter_mut().for_each(|later| *later = random_deal(random));
        deals
    }

    fn is_possible(&self, deals: &[Deal]) -> bool {
        let config = Config { deals: deals.to_vec(), ..self.config.clone() };
        HeadlessRoom::replay(&config, self.actions).is_ok()
    }
}

/// A deal in which the dominoes of the hidden seats are redistributed among these seats.
fn swapped(dealt: &Deal, held: &[Hand; 4], visible_hands: VisibleHands, random: &mut RandomPlayer) -> Deal {
    let hidden = visible_hands.hidden();
    let mut unseen: Vec<Domino> = hidden.iter().flat_map(|seat| held[seat.index()]).collect();
    for last in (1..unseen.len()).rev() {
        unseen.swap(last, random.below(last as u64 + 1) as usize);
    }
    let mut unseen = unseen.into_iter();
    let mut other = *dealt;
    for seat in hidden {
        let held = held[seat.index()];
        let played = dealt[seat.index()] - held;
        other[seat.index()] = played | unseen.by_ref().take(held.len()).collect::<Hand>();
    }
    other
}
