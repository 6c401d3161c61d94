//! One table of the arena: a hand or a whole game between two sides, each played by one player.

use std::{collections::BTreeMap, str::FromStr, time::Duration};

use anyhow::Context;
use cpu_time::ThreadTime;
use texas42_ai::{Decision, DecisionPoint, HandEstimate, Strategy, UnknownStrategy};
use texas42_engine::Contract;
use texas42_room::HeadlessRoom;
use texas42_vocab::{Action, BidKind, Config, Layer, OneHand, Script, Seat, SeedText, Team, Trump};

/// A player of the arena: a strategy, perhaps with another number of worlds than usual.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Player {
    pub(crate) strategy: Strategy,
    pub(crate) worlds: Option<u32>,
}

/// Why a player cannot be had.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum NoPlayer {
    #[error(transparent)]
    Unknown(#[from] UnknownStrategy),
    #[error("after the colon stands a number of worlds, 1 to {MAX_WORLDS}")]
    Worlds,
    #[error("{0} does not look at worlds, so it takes no number of them")]
    NoWorlds(Strategy),
}

/// More take longer than anybody waits.
pub(crate) const MAX_WORLDS: u32 = 100_000;

impl FromStr for Player {
    type Err = NoPlayer;

    fn from_str(text: &str) -> Result<Self, NoPlayer> {
        let (name, worlds) = text.split_once(':').map_or((text, None), |(name, worlds)| (name, Some(worlds)));
        let strategy: Strategy = name.parse()?;
        let number = |worlds: &str| worlds.parse().ok().filter(|worlds| (1..=MAX_WORLDS).contains(worlds));
        match worlds {
            Some(_) if strategy.effort().is_none() => Err(NoPlayer::NoWorlds(strategy)),
            Some(worlds) => Ok(Self { strategy, worlds: Some(number(worlds).ok_or(NoPlayer::Worlds)?) }),
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

/// How often each kind of contract was made and set.
pub(crate) type Contracts = BTreeMap<String, [u64; 2]>;

/// What came of a table, by team.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Outcome {
    pub(crate) score: [u64; 2],
    pub(crate) winner: Option<Team>,
    /// Contracts made and set, by their kind.
    pub(crate) contracts: [Contracts; 2],
    pub(crate) decisions: [u64; 2],
    /// Of the processor, so that other work on the machine does not count.
    pub(crate) time: [Duration; 2],
    /// A fingerprint of everything that was done.
    pub(crate) course: u64,
}

/// A single hand for 30. Seats take turns to declare; trumps are what a beginner would name.
pub(crate) fn play_hand(players: [Player; 2], seed: &SeedText, deal: u64) -> anyhow::Result<Outcome> {
    let seed = numbered(seed, deal)?;
    let declarer = Seat::ALL[(deal % 4) as usize];
    let dealt = HeadlessRoom::new(&Config { seed: Some(seed), ..Config::default() })?;
    let trump = HandEstimate::best(dealt.state().hands[declarer.index()]).trump;
    let script = Script { player: declarer, bid: BidKind::Points, value: 30, trump };
    let layer = Layer::OneHand(OneHand { script: Some(script), ..OneHand::default() });
    play_out(&Config { layers: vec![layer], seed: Some(seed), ..Config::default() }, players, deal)
}

/// A whole game.
pub(crate) fn play_game(rules: &Config, players: [Player; 2], seed: &SeedText, deal: u64) -> anyhow::Result<Outcome> {
    play_out(&Config { seed: Some(numbered(seed, deal)?), ..rules.clone() }, players, deal)
}

/// The seed of a deal of a run.
pub(crate) fn numbered(seed: &SeedText, deal: u64) -> anyhow::Result<SeedText> {
    format!("{seed}.{deal}").parse().context("the seed is too long to be numbered")
}

/// The seed of one decision: another for each.
fn decide_seed(deal: u64, event: usize) -> u64 {
    deal.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ (event as u64).wrapping_mul(0xd1b5_4a32_d192_ed03)
}

/// Plays to the end; the first player has seats 0 and 2.
pub(crate) fn play_out(config: &Config, players: [Player; 2], deal: u64) -> anyhow::Result<Outcome> {
    finish(HeadlessRoom::new(config)?, players, deal)
}

/// Plays a game that is on to its end.
pub(crate) fn finish(mut room: HeadlessRoom, players: [Player; 2], deal: u64) -> anyhow::Result<Outcome> {
    let mut outcome = Outcome::default();
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
    outcome.course = fingerprint(room.game().log())?;
    Ok(outcome)
}

/// FNV-1a over the actions in JSON: journals are kept for longer than a version of Rust.
fn fingerprint(log: &[Action]) -> anyhow::Result<u64> {
    let fold = |hash: u64, byte: &u8| (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3);
    Ok(serde_json::to_vec(log)?.iter().fold(0xcbf2_9ce4_8422_2325, fold))
}

/// What a player does.
pub(crate) fn decide(room: &HeadlessRoom, player: Player, seat: Seat, deal: u64) -> anyhow::Result<Decision> {
    let view = room.view(seat);
    let ask = DecisionPoint {
        worlds: player.worlds,
        ..DecisionPoint::new(&view, seat, decide_seed(deal, room.game().log().len()))
    };
    player.strategy.decide(&ask).context("a player had nothing to say")
}

fn note_hand(room: &HeadlessRoom, outcome: &mut Outcome) {
    let Some(hand) = room.state().last_hand else { return };
    let bidders = hand.contract.bidder.team().index();
    let kind = outcome.contracts[bidders].entry(kind_of(&hand.contract)).or_default();
    kind[usize::from(!hand.outcome.made)] += 1;
}

/// What players call a contract: nello and sevens by what was named, the others by what was bid.
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

    /// FNV-1a of `[]` and of `[{"type":"redeal"}]`, as anybody else would reckon it.
    #[test]
    fn a_fingerprint_is_the_same_in_every_version() {
        assert_eq!(fingerprint(&[]).unwrap(), 0x0961_2b07_b5ec_b5a5);
        assert_eq!(fingerprint(&[Action::Redeal]).unwrap(), 0x43c3_69c3_8b04_99b4);
    }
}
