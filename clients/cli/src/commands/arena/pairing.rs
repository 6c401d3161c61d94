//! The statistics of two players: shares with confidence intervals, discordant pairs, contracts, time.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::{
    League,
    table::{Contracts, GameResult, Player},
};

/// The results of both games of one deal. In each array, the first player comes first.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Pair {
    marks: [u64; 2],
    wins: [u64; 2],
    contracts: [Contracts; 2],
    decisions: [u64; 2],
    nanos: [u64; 2],
    /// Fingerprints of the actions of both games.
    courses: [u64; 2],
}

impl Pair {
    /// The first player had team 0 in the first game and team 1 in the second.
    pub(crate) fn new(straight: &GameResult, swapped: &GameResult) -> Self {
        let mut pair = Self { courses: [straight.fingerprint, swapped.fingerprint], ..Self::default() };
        for (outcome, sides) in [(straight, [0, 1]), (swapped, [1, 0])] {
            for (player, team) in sides.into_iter().enumerate() {
                pair.marks[player] += outcome.score[team];
                pair.wins[player] += u64::from(outcome.winner.is_some_and(|winner| winner.index() == team));
                pair.decisions[player] += outcome.decisions[team];
                pair.nanos[player] += outcome.time[team].as_nanos() as u64;
                add(&mut pair.contracts[player], &outcome.contracts[team]);
            }
        }
        pair
    }

    /// Whether the same actions were played in both pairs.
    pub(crate) fn has_same_actions(&self, other: &Self) -> bool {
        self.courses == other.courses
    }
}

fn add(sum: &mut Contracts, more: &Contracts) {
    for (kind, [made, set]) in more {
        let sum = sum.entry(kind.clone()).or_default();
        *sum = [sum[0] + made, sum[1] + set];
    }
}

/// All deals of two players.
#[derive(Debug)]
pub(crate) struct Pairing {
    players: [Player; 2],
    league: League,
    pairs: Vec<Pair>,
}

/// The first player's share, with its 95 % confidence interval.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub(crate) struct Share {
    share: f64,
    low: f64,
    high: f64,
}

/// The report on two players.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct PairingReport {
    players: [String; 2],
    league: League,
    deals: usize,
    marks: Share,
    games: Share,
    /// In how many deals the first player won more games than the second, and the second more than the first.
    discordant: [u64; 2],
    z: f64,
    /// Contracts made and set by each player, by kind.
    contracts: [Contracts; 2],
    milliseconds_per_decision: [f64; 2],
}

impl Pairing {
    pub(crate) fn new(one: Player, other: Player, league: League) -> Self {
        Self { players: [one, other], league, pairs: Vec::new() }
    }

    pub(crate) fn add(&mut self, pair: &Pair) {
        self.pairs.push(pair.clone());
    }

    pub(crate) fn report(&self) -> PairingReport {
        let sum = |of: &dyn Fn(&Pair) -> u64| self.pairs.iter().map(of).sum::<u64>();
        let each = |of: &dyn Fn(&Pair, usize) -> u64| [0, 1].map(|player| sum(&|pair| of(pair, player)));
        let discordant =
            [sum(&|pair| u64::from(pair.wins[0] > pair.wins[1])), sum(&|pair| u64::from(pair.wins[1] > pair.wins[0]))];
        let [more, less] = discordant.map(|count| count as f64);
        let (nanos, decisions) =
            (each(&|pair, player| pair.nanos[player]), each(&|pair, player| pair.decisions[player]));
        PairingReport {
            players: self.players.map(|player| player.to_string()),
            league: self.league,
            deals: self.pairs.len(),
            marks: share(self.pairs.iter().map(|pair| pair.marks)),
            games: share(self.pairs.iter().map(|pair| pair.wins)),
            discordant,
            z: if more + less == 0.0 { 0.0 } else { (more - less) / (more + less).sqrt() },
            contracts: [0, 1].map(|player| self.contracts_of(player)),
            milliseconds_per_decision: [0, 1]
                .map(|player| nanos[player] as f64 / 1e6 / decisions[player].max(1) as f64),
        }
    }
}

impl Pairing {
    fn contracts_of(&self, player: usize) -> Contracts {
        let mut sum = Contracts::new();
        self.pairs.iter().for_each(|pair| add(&mut sum, &pair.contracts[player]));
        sum
    }
}

/// The first player's share of a total over independent pairs. The standard error of this ratio comes from the delta method.
fn share(pairs: impl Iterator<Item = [u64; 2]>) -> Share {
    let pairs: Vec<[f64; 2]> = pairs.map(|pair| pair.map(|count| count as f64)).collect();
    let [ours, all] = pairs.iter().fold([0.0, 0.0], |[ours, all], [one, other]| [ours + one, all + one + other]);
    if all == 0.0 {
        return Share { share: 0.5, low: 0.0, high: 1.0 };
    }
    let share = ours / all;
    let count = pairs.len() as f64;
    let residuals: f64 = pairs.iter().map(|[one, other]| (one - share * (one + other)).powi(2)).sum();
    if residuals < NO_RESIDUALS {
        return wilson(share, count);
    }
    let error = (residuals * count / (count - 1.0).max(1.0)).sqrt() / all;
    Share { share, low: (share - Z_95 * error).max(0.0), high: (share + Z_95 * error).min(1.0) }
}

/// Standard errors on either side of a 95 % interval.
const Z_95: f64 = 1.96;
/// Counts are whole numbers, so a smaller sum of squared residuals is a rounding error.
const NO_RESIDUALS: f64 = 1e-9;

/// The Wilson score interval. It replaces the delta method when all deals have the same result, or there is only one deal, so
/// that the residuals say nothing about the variance.
fn wilson(share: f64, deals: f64) -> Share {
    let spread = Z_95 * Z_95 / deals;
    let center = (share + spread / 2.0) / (1.0 + spread);
    let margin = (share * (1.0 - share) * spread + spread * spread / 4.0).sqrt() / (1.0 + spread);
    Share { share, low: (center - margin).max(0.0), high: (center + margin).min(1.0) }
}

impl fmt::Display for Share {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:5.1} %  [{:.1}, {:.1}]", 100.0 * self.share, 100.0 * self.low, 100.0 * self.high)
    }
}

impl fmt::Display for PairingReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [one, other] = &self.players;
        let what = if self.league == League::Play { "hands for 30" } else { "whole games" };
        let deals = if self.deals == 1 { "1 deal, played".to_owned() } else { format!("{} deals, each", self.deals) };
        writeln!(f, "{one} against {other}, {deals} twice: {what}")?;
        writeln!(f, "  share of marks   {}", self.marks)?;
        writeln!(f, "  share of games   {}", self.games)?;
        let [more, less] = self.discordant;
        writeln!(f, "  deals won both   {more} to {less}, z = {:.2}", self.z)?;
        for (player, (name, contracts)) in self.players.iter().zip(&self.contracts).enumerate() {
            let [made, set] = contracts.values().fold([0, 0], |[made, set], kind| [made + kind[0], set + kind[1]]);
            let time = self.milliseconds_per_decision[player];
            writeln!(f, "  {name:<16} made {made}, set {set}; {time:.2} ms a decision")?;
            if self.league == League::Games && !contracts.is_empty() {
                let kinds: Vec<String> =
                    contracts.iter().map(|(kind, [made, set])| format!("{kind} {made} of {}", made + set)).collect();
                writeln!(f, "  {:<16} {}", "", kinds.join(", "))?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_share_has_an_interval_that_shrinks_with_the_deals() {
        let of = |times: usize| share([[2, 0], [1, 1], [1, 1], [0, 2], [2, 0]].into_iter().cycle().take(5 * times));
        assert!((of(10).share - 0.6).abs() < 1e-9);
        assert!(of(10).low < 0.5 && of(200).low > 0.55, "{:?} {:?}", of(10), of(200));
    }

    #[test]
    fn identical_deals_still_have_a_wide_interval() {
        let near = |of: Share, share: f64, low: f64, high: f64| {
            let off = [of.share - share, of.low - low, of.high - high];
            assert!(off.iter().all(|off| off.abs() < 5e-4), "{of:?}");
        };
        near(share([[1, 1]].into_iter()), 0.5, 0.055, 0.945);
        near(share([[2, 0]; 20].into_iter()), 1.0, 0.839, 1.0);
        near(share([[0, 2]; 20].into_iter()), 0.0, 0.0, 0.161);
        near(share([[1, 2]; 30].into_iter()), 1.0 / 3.0, 0.192, 0.512);
    }

    #[test]
    fn a_player_without_contracts_has_no_line_for_their_kinds() {
        let player: Player = "beginner".parse().unwrap();
        let mut summary = Pairing::new(player, player, League::Games);
        let kinds = Contracts::from([("nello".to_owned(), [1, 0])]);
        summary.add(&Pair { contracts: [kinds, Contracts::new()], ..Pair::default() });
        let text = summary.report().to_string();
        assert_eq!(text.lines().filter(|line| line.contains("nello 1 of 1")).count(), 1, "{text}");
        assert!(text.lines().all(|line| !line.trim().is_empty()), "{text}");
    }

    #[test]
    fn results_are_added_to_players_and_not_to_sides() {
        let kind = |name: &str| Contracts::from([(name.to_owned(), [1, 0])]);
        let outcome = |name: &str| GameResult {
            score: [1, 0],
            contracts: [kind(name), Contracts::new()],
            ..GameResult::default()
        };
        let pair = Pair::new(&outcome("nello"), &outcome("points"));
        assert_eq!((pair.marks, pair.contracts), ([1, 1], [kind("nello"), kind("points")]));
    }
}
