//! Chooses bids and trumps by the chance to make them at the table, the marks at stake and the score.
//!
//! It fixes a trump before averaging over worlds. Averaging over the best trump of each world would overbid, as if the
//! bidder saw all hands. The most promising trumps are tried in some worlds, and the best two are solved in all.

use alloc::vec::Vec;
use core::ops::RangeInclusive;

use texas42_engine::{Goal, HAND_POINTS, Tally, Terms};
use texas42_phrases::Remark;
use texas42_solver::Position;
use texas42_vocab::{Action, Bid, BidKind, Hand, Seat, Trump, sort_best_first};

use super::Expert;
use crate::{
    beginner::{HandEstimate, caught, from_seven},
    calibration::{Aim, OwnHand, Standing, pass_value, table_chance},
    decision::{Choice, Decision},
    reasons,
    stakes::{Stake, Stakes},
};

/// The number of trumps to try, and how many of them to solve in every world.
const TRIED: usize = 5;
const FINAL: usize = 2;
/// The bid, in points, for which trumps are tried, and the divisor of the number of worlds used for the trial.
const TRIAL_BID: u8 = 34;
const TRIAL_PART: usize = 4;
/// The limit of [`caught`] for considering a nello. Hardly one in twenty nellos above it is made.
const NELLO: f64 = 2.8;
/// The limit of [`from_seven`] for considering sevens.
const SEVENS: u32 = 12;

/// The results of one trump over all worlds.
#[derive(Clone, Debug)]
pub(crate) struct Prospect {
    pub(crate) trump: Trump,
    /// For each number of points, the number of worlds in which the team takes it with all hands open. Fewer points
    /// than the lowest bid count as zero.
    taken: [u32; HAND_POINTS as usize + 1],
    /// The points in each world, in the order of the worlds.
    by_world: Vec<u8>,
}

impl Prospect {
    /// The chance to take at least `points`, which is the value of a bid, with all hands open.
    pub(crate) fn open_chance(&self, points: u8) -> f64 {
        let enough: u32 = self.taken[usize::from(points.min(HAND_POINTS))..].iter().sum();
        f64::from(enough) / self.by_world.len().max(1) as f64
    }

    /// Whether the team takes at least `points`, world by world.
    pub(crate) fn takes(&self, points: u8) -> Vec<bool> {
        self.by_world.iter().map(|taken| *taken >= points).collect()
    }
}

/// The chance to make a bid at the table, and the trump to name.
#[derive(Clone, Copy, Debug)]
struct Promise {
    chance: f64,
    trump: Option<Trump>,
}

impl Promise {
    const NONE: Self = Self { chance: 0.0, trump: None };

    fn better(self, other: Self) -> Self {
        if other.chance > self.chance { other } else { self }
    }
}

impl Expert<'_> {
    pub(super) fn call(&mut self, valid: &[Action]) -> Option<Decision> {
        let names_trumps = valid.iter().any(|action| matches!(action, Action::SelectTrump { .. }));
        if names_trumps { self.declare(valid) } else { self.bid(valid) }
    }

    fn declare(&mut self, valid: &[Action]) -> Option<Decision> {
        let (bidder, bid) = self.knowledge.standing()?;
        let worlds = self.worlds(self.effort.bid_worlds);
        let named = valid.iter().filter_map(|action| match action {
            Action::SelectTrump { trump, .. } => Some(*trump),
            _ => None,
        });
        let named: Vec<Trump> = named.collect();
        let points = if bid.kind == BidKind::Points { bid.value } else { HAND_POINTS };
        let straight = self.prospects((bidder, bid), points..=points, &worlds);
        let mut promises: Vec<Promise> = straight
            .iter()
            .map(|prospect| Promise {
                chance: table_chance(aim(bid), prospect.open_chance(points)),
                trump: Some(prospect.trump),
            })
            .collect();
        for special in [Trump::Nello, Trump::Sevens].into_iter().filter(|special| named.contains(special)) {
            promises.push(self.special(special, bid, &worlds));
        }
        // Equal choices stay in the order of the estimate.
        sort_best_first(&mut promises, |promise| promise.chance);
        let stakes = self.stakes();
        let choice = |promise: &Promise| {
            let action = Action::SelectTrump { player: self.knowledge.seat, trump: promise.trump? };
            Some(stakes.weighed(action, promise.chance, stakes.of(bid)))
        };
        let choices: Vec<Choice> =
            promises.iter().filter_map(choice).filter(|choice| valid.contains(&choice.action)).collect();
        let best = *choices.first()?;
        let trump = promises.first()?.trump?;
        Some(Decision { action: best.action, why: reasons::for_trump(self.knowledge, trump, bid, &choices), choices })
    }

    fn bid(&mut self, valid: &[Action]) -> Option<Decision> {
        let seat = self.knowledge.seat;
        let worlds = self.worlds(self.effort.bid_worlds);
        let straight = self.prospects((seat, Bid::points(30)), least_points(valid)..=HAND_POINTS, &worlds);
        let stakes = self.stakes();
        let mut specials = None;
        let mut choices: Vec<(Choice, Vec<Remark>)> = Vec::new();
        for action in valid.iter().copied() {
            let Action::Bid { bid, .. } = action else { continue };
            let promise = match bid.kind {
                BidKind::Points => best_of(&straight, bid, bid.value),
                BidKind::Marks => {
                    let specials = specials.get_or_insert_with(|| self.specials(&worlds));
                    let allowed = specials.iter().filter(|(least, _)| *least <= bid.value).map(|(_, promise)| *promise);
                    allowed.fold(best_of(&straight, bid, HAND_POINTS), Promise::better)
                }
                BidKind::Plunge | BidKind::Splash => self.by_partner(bid, &worlds),
            };
            let choice = stakes.weighed(action, promise.chance, stakes.of(bid));
            choices.push((choice, reasons::for_bid(self.knowledge, bid, promise.trump, &choice)));
        }
        if let Some(pass) = valid.iter().find(|action| matches!(action, Action::Pass { .. })) {
            let best_chance = choices.iter().map(|(choice, _)| choice.chance).fold(0.0, f64::max);
            choices.insert(0, self.weigh_pass(*pass, OwnHand::new(best_chance), &stakes));
        }
        // The choices are in ascending order: ties go to the pass, then to the lower bid.
        sort_best_first(&mut choices, |(choice, _)| choice.marks);
        let (best, why) = choices.first()?.clone();
        Some(Decision { action: best.action, why, choices: choices.into_iter().map(|(choice, _)| choice).collect() })
    }

    pub(crate) fn weigh_pass(&self, action: Action, hand: OwnHand, stakes: &Stakes) -> (Choice, Vec<Remark>) {
        let to_speak = 3_usize.saturating_sub(self.knowledge.auction.len());
        let standing = Standing::of(self.knowledge.standing(), self.knowledge.seat);
        let is_ours = |seat: Seat| seat.team() == self.knowledge.seat.team();
        let stake = |(bidder, bid): (Seat, Bid)| stakes.as_seen(bid, is_ours(bidder));
        let stake = self.knowledge.standing().map_or(Stake::even(1), stake);
        let chance = (1.0 + pass_value(standing, to_speak, hand)) / 2.0;
        let choice = stakes.weighed(action, chance, stake);
        (choice, reasons::for_pass(self.knowledge, standing == Standing::Partner, choice.marks))
    }

    /// Solves the most promising trumps in all worlds, for each number of points in the range. Best first.
    pub(crate) fn prospects(
        &mut self,
        (bidder, bid): (Seat, Bid),
        points: RangeInclusive<u8>,
        worlds: &[[Hand; 4]],
    ) -> Vec<Prospect> {
        let mut tried: Vec<(Trump, f64)> =
            Trump::STRAIGHT.map(|trump| (trump, HandEstimate::new(self.knowledge.hand, trump).points)).into();
        sort_best_first(&mut tried, |(_, made)| *made);
        tried.truncate(TRIED);
        let trial = &worlds[..worlds.len().div_ceil(TRIAL_PART)];
        for (trump, made) in &mut tried {
            *made =
                trial.iter().filter(|hands| self.makes(bidder, Bid::points(TRIAL_BID), *trump, **hands)).count() as f64;
        }
        sort_best_first(&mut tried, |(_, made)| *made);
        tried.truncate(FINAL);
        let goal = Goal::Points(*points.start());
        let terms = |trump| Terms { goal, ..self.knowledge.terms_if(bidder, bid, trump) };
        let tried: Vec<(Trump, Terms)> = tried.into_iter().map(|(trump, _)| (trump, terms(trump))).collect();
        tried.iter().map(|(trump, terms)| self.prospect(*trump, terms, &points, worlds)).collect()
    }

    /// Solves one trump in all worlds, for each number of points in the range.
    pub(crate) fn prospect(
        &mut self,
        trump: Trump,
        terms: &Terms,
        points: &RangeInclusive<u8>,
        worlds: &[[Hand; 4]],
    ) -> Prospect {
        let mut prospect = Prospect { trump, taken: [0; HAND_POINTS as usize + 1], by_world: Vec::new() };
        for position in worlds.iter().filter_map(|hands| start(terms, *hands)) {
            let taken = self.solver.points_within(&position, *points.start(), *points.end());
            prospect.by_world.push(taken);
            prospect.taken[usize::from(taken)] += 1;
        }
        prospect
    }

    /// Whether a bid is made in a world, with all hands open.
    pub(crate) fn makes(&mut self, bidder: Seat, bid: Bid, trump: Trump, hands: [Hand; 4]) -> bool {
        let terms = self.knowledge.terms_if(bidder, bid, trump);
        start(&terms, hands).is_some_and(|position| self.solver.makes(&position))
    }

    pub(super) fn open_chance(
        &mut self,
        bidder: Seat,
        bid: Bid,
        worlds: &[[Hand; 4]],
        name: impl Fn(&[Hand; 4]) -> Trump,
    ) -> f64 {
        let made = worlds.iter().filter(|hands| self.makes(bidder, bid, name(hands), **hands)).count();
        made as f64 / worlds.len().max(1) as f64
    }

    /// Evaluates the special contracts of the table, each with its minimum bid in marks.
    fn specials(&mut self, worlds: &[[Hand; 4]]) -> Vec<(u8, Promise)> {
        let played = self.knowledge.special_contracts().into_iter();
        played.map(|(least, trump)| (least, self.special(trump, Bid::marks(least), worlds))).collect()
    }

    fn special(&mut self, trump: Trump, bid: Bid, worlds: &[[Hand; 4]]) -> Promise {
        let at_table = |open| at_table(Some(trump), bid, open);
        Promise { chance: self.open_special(trump, bid, worlds).map_or(0.0, at_table), trump: Some(trump) }
    }

    /// The chance of nello or sevens with all hands open; `None` if the hand is unsuitable.
    pub(super) fn open_special(&mut self, trump: Trump, bid: Bid, worlds: &[[Hand; 4]]) -> Option<f64> {
        self.is_hopeful(trump, bid).then(|| self.open_chance(self.knowledge.seat, bid, worlds, |_| trump))
    }

    /// Whether the hand suits a nello or sevens.
    pub(crate) fn is_hopeful(&self, trump: Trump, bid: Bid) -> bool {
        let hand = self.knowledge.hand;
        match trump {
            Trump::Nello => caught(hand, self.knowledge.terms_if(self.knowledge.seat, bid, trump).suits) < NELLO,
            _ => from_seven(hand) <= SEVENS,
        }
    }

    /// Evaluates a bid for which the partner names trumps. Assumes that the partner names its best trump.
    fn by_partner(&mut self, bid: Bid, worlds: &[[Hand; 4]]) -> Promise {
        let (seat, partner) = (self.knowledge.seat, self.knowledge.seat.partner());
        let open = self.open_chance(seat, bid, worlds, |hands| HandEstimate::best(hands[partner.index()]).trump);
        Promise { chance: table_chance(Aim::Everything, open), trump: None }
    }
}

/// The chance at the table to make a bid with this trump, from the chance with all hands open.
pub(crate) fn at_table(trump: Option<Trump>, bid: Bid, open: f64) -> f64 {
    match trump {
        Some(Trump::Nello) => table_chance(Aim::Nothing, open),
        // No choice in sevens matters, so the chance with open hands is the chance at the table.
        Some(Trump::Sevens) => open,
        _ => table_chance(aim(bid), open),
    }
}

/// The lowest legal point bid, or 42 if there is none.
pub(crate) fn least_points(valid: &[Action]) -> u8 {
    let points = valid.iter().filter_map(|action| match action {
        Action::Bid { bid: Bid { kind: BidKind::Points, value }, .. } => Some(*value),
        _ => None,
    });
    points.min().unwrap_or(HAND_POINTS)
}

pub(crate) fn aim(bid: Bid) -> Aim {
    if bid.kind == BidKind::Points { Aim::Points } else { Aim::Everything }
}

fn best_of(prospects: &[Prospect], bid: Bid, points: u8) -> Promise {
    let promise = |prospect: &Prospect| {
        let open = prospect.open_chance(points);
        Promise { chance: table_chance(aim(bid), open), trump: Some(prospect.trump) }
    };
    prospects.iter().map(promise).fold(Promise::NONE, Promise::better)
}

fn start(terms: &Terms, hands: [Hand; 4]) -> Option<Position> {
    Position::new(terms, hands, terms.leader, &[], &Tally::default())
}

#[cfg(test)]
mod tests {
    use alloc::format;

    use super::*;
    use crate::{
        DecisionPoint, Strategy,
        knowledge::tests::{bid_alone, table_with},
    };

    /// High doubles suit a nello only if they are the lowest of their suits.
    #[test]
    fn nello_is_evaluated_by_the_doubles_rule_of_the_table() {
        let nello = Action::SelectTrump { player: Seat::ALL[0], trump: Trump::Nello };
        let chance = |doubles: &str| {
            let rules = format!(r#"{{"layers":[{{"type":"nello","doubles":"{doubles}"}}]}}"#);
            let mut room = table_with(&rules, &["2-2 3-3 5-5 6-6 3-2 6-3 6-5"]);
            bid_alone(&mut room, Bid::marks(1));
            let view = room.view(Seat::ALL[0]);
            let decision = Strategy::Intermediate.decide(&DecisionPoint::new(&view, Seat::ALL[0], 1)).unwrap();
            decision.choices.iter().find(|choice| choice.action == nello).map_or(0.0, |choice| choice.chance)
        };
        let [own, low] = ["own", "low"].map(chance);
        assert!(own == 0.0 && low > 0.0, "{own} {low}");
    }

    /// With points scoring, being set costs more than making a bid gains. So leaving the contract to the opponents gets
    /// better, and leaving it to the partner gets worse.
    #[test]
    fn a_pass_is_evaluated_by_the_stake_of_the_standing_bid() {
        let passes = |rules: &str| {
            let mut room = table_with(rules, &["6-6 6-5 6-4 6-3 5-5 4-4 1-0"]);
            room.execute(Action::Bid { player: Seat::ALL[0], bid: Bid::points(30) }).unwrap();
            [Seat::ALL[1], Seat::ALL[2]].map(|player| {
                let (view, pass) = (room.view(player), Action::Pass { player });
                let point = DecisionPoint { worlds: Some(5), ..DecisionPoint::new(&view, player, 1) };
                let decision = Strategy::Expert.decide(&point).unwrap();
                room.execute(pass).unwrap();
                decision.choices.iter().find(|choice| choice.action == pass).unwrap().marks
            })
        };
        let ([others, partner], [older_others, older_partner]) = (passes("{}"), passes(r#"{"scoring":"points"}"#));
        assert!(older_others > others && older_partner < partner, "{older_others} {others} {older_partner} {partner}");
    }
}
