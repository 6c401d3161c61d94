//! One game of the arena: a hand or a whole game between two sides, each played by one player.

use std::{collections::BTreeMap, str::FromStr, time::Duration};

use anyhow::Context;
use cpu_time::ThreadTime;
use texas42_ai::{Decision, DecisionPoint, HandEstimate, Strategy, UnknownStrategy};
use texas42_engine::Contract;
use texas42_room::HeadlessRoom;
use texas42_vocab::{Action, BidKind, Config, Layer, OneHand, Script, Seat, SeedText, Team, Trump};

/// A player of the arena: a strategy, and optionally the number of worlds that it looks at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Player {
    pub(crate) strategy: Strategy,
    pub(crate) worlds: Option<u32>,
}

/// Why a text does not name a player.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum ParsePlayerError {
    #[error(transparent)]
    Unknown(#[from] UnknownStrategy),
    #[error("the number of worlds after the colon must be 1 to {MAX_WORLDS}")]
    Worlds,
    #[error("{0} samples no worlds, so it takes no number of worlds")]
    NoWorlds(Strategy),
}

/// The maximum number of worlds. More would take too long to be useful.
pub(crate) const MAX_WORLDS: u32 = 100_000;

impl FromStr for Player {
    type Err = ParsePlayerError;

    fn from_str(text: &str) -> Result<Self, ParsePlayerError> {
        let (name, worlds) = text.split_once(':').map_or((text, None), |(name, worlds)| (name, Some(worlds)));
        let strategy: Strategy = name.parse()?;
        let number = |worlds: &str| worlds.parse().ok().filter(|worlds| (1..=MAX_WORLDS).contains(worlds));
        match worlds {
            Some(_) if strategy.effort().is_none() => Err(ParsePlayerError::NoWorlds(strategy)),
            Some(worlds) => Ok(Self { strategy, worlds: Some(number(worlds).ok_or(ParsePlayerError::Worlds)?) }),
            None => Ok(Self { strategy, worlds: None }),
        }
    }
}

impl std::fmt::Display for Player {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.worlds {
            Some(worlds) => f.pad(&format!("{}:{worlds}", self.strategy)),
            None => f.pad(self.strategy.name()),
        }
    }
}

/// How often each kind of contract was made, and how often it was set.
pub(crate) type Contracts = BTreeMap<String, [u64; 2]>;

/// The result of a game, by team.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct GameResult {
    pub(crate) score: [u64; 2],
    pub(crate) winner: Option<Team>,
    /// Contracts made and set, by kind.
    pub(crate) contracts: [Contracts; 2],
    pub(crate) decisions: [u64; 2],
    /// CPU time for decisions, so that other work on the machine does not count.
    pub(crate) time: [Duration; 2],
    /// A fingerprint of the actions.
    pub(crate) fingerprint: u64,
}

/// Plays a single hand for a bid of 30. The seats take turns to declare; the declarer names the trumps that a beginner would.
pub(crate) fn play_hand(players: [Player; 2], seed: &SeedText, deal: u64) -> anyhow::Result<GameResult> {
    let seed = numbered(seed, deal)?;
    let declarer = Seat::ALL[(deal % 4) as usize];
    let dealt = HeadlessRoom::new(&Config { seed: Some(seed), ..Config::default() })?;
    let trump = HandEstimate::best(dealt.state().hands[declarer.index()]).trump;
    let script = Script { player: declarer, bid: BidKind::Points, value: 30, trump };
    let layer = Layer::OneHand(OneHand { script: Some(script), ..OneHand::default() });
    play_out(&Config { layers: vec![layer], seed: Some(seed), ..Config::default() }, players, deal)
}

/// Plays a whole game.
pub(crate) fn play_game(
    rules: &Config,
    players: [Player; 2],
    seed: &SeedText,
    deal: u64,
) -> anyhow::Result<GameResult> {
    play_out(&Config { seed: Some(numbered(seed, deal)?), ..rules.clone() }, players, deal)
}

/// The seed of one deal of a run.
pub(crate) fn numbered(seed: &SeedText, deal: u64) -> anyhow::Result<SeedText> {
    format!("{seed}.{deal}").parse().context("the seed is too long to be numbered")
}

/// The seed of one decision, different for each.
fn decision_seed(deal: u64, event: usize) -> u64 {
    deal.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ (event as u64).wrapping_mul(0xd1b5_4a32_d192_ed03)
}

/// Plays to the end. The first player has seats 0 and 2.
pub(crate) fn play_out(config: &Config, players: [Player; 2], deal: u64) -> anyhow::Result<GameResult> {
    finish(HeadlessRoom::new(config)?, players, deal)
}

/// Plays a game in progress to its end.
pub(crate) fn finish(mut room: HeadlessRoom, players: [Player; 2], deal: u64) -> anyhow::Result<GameResult> {
    let mut outcome = GameResult::default();
    loop {
        let offers = room.legal();
        let Some(only) = offers.nth(0) else { break };
        let action = match room.state().to_act() {
            Some(seat) if offers.len() > 1 => {
                let (team, started) = (seat.team().index(), ThreadTime::now());
                let action = decide(&room, players[team], seat, deal)?.action;
                outcome.time[team] += started.elapsed();
                outcome.decisions[team] += 1;
                action
            }
            _ => only,
        };
        room.execute(action).context("a decision was refused")?;
        if matches!(action, Action::ScoreHand | Action::EndGame) {
            note_hand(&room, &mut outcome);
        }
    }
    outcome.winner = room.game().ctx().winner(room.state());
    outcome.score = room.state().score.map(u64::from);
    outcome.fingerprint = fingerprint(room.game().log())?;
    Ok(outcome)
}

/// FNV-1a over the actions as JSON. The hashers of `std` may change between versions of Rust, and journals are kept for longer.
fn fingerprint(log: &[Action]) -> anyhow::Result<u64> {
    let fold = |hash: u64, byte: &u8| (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3);
    Ok(serde_json::to_vec(log)?.iter().fold(0xcbf2_9ce4_8422_2325, fold))
}

/// The decision of a player.
pub(crate) fn decide(room: &HeadlessRoom, player: Player, seat: Seat, deal: u64) -> anyhow::Result<Decision> {
    let view = room.view(seat);
    let ask = DecisionPoint {
        worlds: player.worlds,
        ..DecisionPoint::new(&view, seat, decision_seed(deal, room.game().log().len()))
    };
    player.strategy.decide(&ask).context("a player made no decision")
}

fn note_hand(room: &HeadlessRoom, outcome: &mut GameResult) {
    let Some(hand) = room.state().last_hand else { return };
    let bidders = hand.contract.bidder.team().index();
    let kind = outcome.contracts[bidders].entry(kind_of(&hand.contract)).or_default();
    kind[usize::from(!hand.outcome.made)] += 1;
}

/// The kind of a contract: for nello and sevens the declaration, for others the bid.
fn kind_of(contract: &Contract) -> String {
    match (contract.trump, contract.bid.kind) {
        (trump @ (Trump::Nello | Trump::Sevens), _) => trump.to_string(),
        (_, BidKind::Marks) => contract.bid.to_string(),
        (_, kind) => kind.name().to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// FNV-1a of `[]` and of `[{"type":"redeal"}]`, computed by another implementation.
    #[test]
    fn a_fingerprint_is_the_same_in_every_version() {
        assert_eq!(fingerprint(&[]).unwrap(), 0x0961_2b07_b5ec_b5a5);
        assert_eq!(fingerprint(&[Action::Redeal]).unwrap(), 0x43c3_69c3_8b04_99b4);
    }
}
