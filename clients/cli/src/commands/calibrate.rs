//! `texas42 calibrate`: measures how often bids are made, compared with their chance when all hands are open, and what a pass
//! is worth. It produced the tables in `crates/ai/src/calibration.rs`.
//!
//! In each deal, a seat chooses its best trump for a bid with the number of worlds that its strategy uses for bids. Four
//! players of one kind then play the hand. Hands that suit a nello are played as a nello. The success rates are grouped by each
//! tenth of the open chance, pulled slightly towards the diagonal, and made monotonic by pooling adjacent groups that decrease.

use std::fmt;

use serde::Serialize;
use texas42_ai::{
    Choice, Effort, Knowledge, OpenHandChance,
    calibration::{KNOTS, OwnHand, Standing},
};
use texas42_room::HeadlessRoom;
use texas42_vocab::{Action, Bid, BidKind, Config, Layer, Nello, OneHand, Phase, Script, Seat, SeedText, Trump};

use super::arena::{Player, decide, finish, numbered, play_out};
use crate::{output, progress};

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// How many deals to play for a bid, to search for a nello hand, and to play with an auction: this many of each
    #[arg(long, default_value_t = 200, value_parser = clap::value_parser!(u64).range(1..=10_000_000))]
    deals: u64,
    /// The seed of all deals and decisions
    #[arg(long, default_value = "calibrate")]
    seed: SeedText,
    /// Who plays on all four seats, such as beginner or expert:40
    #[arg(long, default_value = "expert:40")]
    player: Player,
    /// Print JSON instead of a table
    #[arg(long)]
    json: bool,
}

/// The weight of the diagonal in each knot, in hands. It stabilizes knots with few hands.
const DIAGONAL_WEIGHT: f64 = 5.0;
/// The bids to play, in turn; 42 stands for one mark.
const BIDS: [u8; 8] = [30, 32, 34, 30, 36, 42, 39, 42];

/// Hands played and made, grouped by each tenth of the open chance.
#[derive(Clone, Debug, Default, Serialize)]
struct Knots {
    hands: [u64; KNOTS],
    made: [u64; KNOTS],
    fit: [f64; KNOTS],
}

/// The average gain after passes in one situation.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Passes {
    standing: &'static str,
    to_speak: usize,
    hand: &'static str,
    passes: u64,
    marks: f64,
}

#[derive(Debug, Default, Serialize)]
struct CalibrationReport {
    points: Knots,
    everything: Knots,
    nothing: Knots,
    passes: Vec<Passes>,
}

pub(crate) fn run(args: &Args) -> anyhow::Result<()> {
    let bar = progress::counted(3 * args.deals, "hands");
    let mut report = CalibrationReport::default();
    for deal in 0..args.deals {
        let (bid, open, made) = play_bid(args, deal)?;
        let knots = if bid.kind == BidKind::Points { &mut report.points } else { &mut report.everything };
        knots.add(open, made);
        bar.inc(1);
    }
    for deal in 0..args.deals {
        if let Some((open, made)) = play_nello(args, deal)? {
            report.nothing.add(open, made);
        }
        bar.inc(1);
    }
    for deal in 0..args.deals {
        note_passes(args, deal, &mut report.passes)?;
        bar.inc(1);
    }
    bar.finish_and_clear();
    report.points.fit();
    report.everything.fit();
    report.nothing.fit();
    if args.json { output::print_json(&report) } else { Ok(output::print(&report)?) }
}

/// Plays one hand for a bid. Returns the bid, its chance with all hands open, and whether it was made.
fn play_bid(args: &Args, deal: u64) -> anyhow::Result<(Bid, f64, bool)> {
    let seed = numbered(&args.seed, deal)?;
    let seat = Seat::ALL[(deal % 4) as usize];
    let points = BIDS[(deal / 4 % BIDS.len() as u64) as usize];
    let bid = if points < 42 { Bid::points(points) } else { Bid::marks(1) };
    let knowledge = knowledge_of(&table(seed, seat, Vec::new())?, seat);
    let open =
        OpenHandChance::of_points(&knowledge, points, bidding_effort(args), deal).expect("there are trumps to name");
    let script = Script { player: seat, bid: bid.kind, value: bid.value, trump: open.trump };
    let layer = Layer::OneHand(OneHand { script: Some(script), ..OneHand::default() });
    let config = Config { layers: vec![layer], seed: Some(seed), ..Config::default() };
    let outcome = play_out(&config, [args.player; 2], deal)?;
    Ok((bid, open.chance, outcome.winner == Some(seat.team())))
}

/// A game to one mark in which this seat bids first.
fn table(seed: SeedText, seat: Seat, layers: Vec<Layer>) -> anyhow::Result<HeadlessRoom> {
    let shaker = Some(seat.partner().left());
    Ok(HeadlessRoom::new(&Config { layers, seed: Some(seed), shaker, target: Some(1), ..Config::default() })?)
}

fn knowledge_of(room: &HeadlessRoom, seat: Seat) -> Knowledge {
    Knowledge::new(&room.view(seat), seat).expect("a hand is dealt")
}

/// The effort of the player for bids, which does not depend on its number of worlds for plays.
fn bidding_effort(args: &Args) -> Effort {
    args.player.strategy.effort().unwrap_or(Effort::INTERMEDIATE)
}

/// Plays a nello with the first seat whose hand suits one. Returns its chance with all hands open, and whether it was made.
fn play_nello(args: &Args, deal: u64) -> anyhow::Result<Option<(f64, bool)>> {
    let seed = numbered(&args.seed, deal)?;
    for seat in Seat::ALL[(deal % 4) as usize].round() {
        let mut room = table(seed, seat, vec![Layer::Nello(Nello::default())])?;
        let Some(open) = OpenHandChance::nello(&knowledge_of(&room, seat), bidding_effort(args), deal) else {
            continue;
        };
        room.execute(Action::Bid { player: seat, bid: Bid::marks(1) })?;
        for player in seat.round().skip(1) {
            room.execute(Action::Pass { player })?;
        }
        room.execute(Action::SelectTrump { player: seat, trump: Trump::Nello })?;
        let outcome = finish(room, [args.player; 2], deal)?;
        return Ok(Some((open, outcome.winner == Some(seat.team()))));
    }
    Ok(None)
}

/// Plays one hand with its auction, and adds the gain of each pass.
fn note_passes(args: &Args, deal: u64, passes: &mut Vec<Passes>) -> anyhow::Result<()> {
    let seed = numbered(&args.seed, deal)?;
    let mut room = HeadlessRoom::new(&Config { seed: Some(seed), ..Config::default() })?;
    let mut noted = Vec::new();
    while room.state().hand_number == 0 {
        let offers = room.legal();
        let Some(mut action) = offers.nth(0) else { break };
        if let Some(seat) = room.state().to_act().filter(|_| offers.len() > 1) {
            let decision = decide(&room, args.player, seat, deal)?;
            action = decision.action;
            if let Action::Pass { player } = action {
                let auction = &room.state().auction;
                let standing = Standing::of(auction.standing(), player).name();
                let situation = (standing, 3 - auction.len(), own_hand(&decision.choices));
                noted.push((player.team(), situation));
            }
        }
        if room.state().phase == Phase::Bidding && action == Action::Redeal {
            noted.iter().for_each(|(_, situation)| add_pass(passes, *situation, 0.0));
            return Ok(());
        }
        room.execute(action)?;
    }
    let Some(hand) = room.state().last_hand else { return Ok(()) };
    let gained = hand.gained.map(f64::from);
    for (team, situation) in noted {
        add_pass(passes, situation, gained[team.index()] - gained[team.other().index()]);
    }
    Ok(())
}

/// The strength of a hand that passed, by the chance of its best bid.
fn own_hand(choices: &[Choice]) -> &'static str {
    let bids = choices.iter().filter(|choice| matches!(choice.action, Action::Bid { .. }));
    OwnHand::new(bids.map(|choice| choice.chance).fold(0.0, f64::max)).name()
}

/// The situation of a pass: who has bid, how many seats bid later, and the strength of the hand.
type Situation = (&'static str, usize, &'static str);

fn add_pass(passes: &mut Vec<Passes>, situation: Situation, marks: f64) {
    let known = passes.iter().position(|known| (known.standing, known.to_speak, known.hand) == situation);
    let at = known.unwrap_or_else(|| {
        let (standing, to_speak, hand) = situation;
        passes.push(Passes { standing, to_speak, hand, passes: 0, marks: 0.0 });
        passes.len() - 1
    });
    let known = &mut passes[at];
    known.passes += 1;
    known.marks += (marks - known.marks) / known.passes as f64;
}

impl Knots {
    fn add(&mut self, open: f64, made: bool) {
        let knot = (open * (KNOTS - 1) as f64).round() as usize;
        self.hands[knot] += 1;
        self.made[knot] += u64::from(made);
    }

    /// Computes monotonic rates by pooling adjacent violators.
    fn fit(&mut self) {
        let mut pools: Vec<(f64, f64, usize)> = Vec::new();
        for knot in 0..KNOTS {
            let straight = knot as f64 / (KNOTS - 1) as f64;
            let weight = self.hands[knot] as f64 + DIAGONAL_WEIGHT;
            pools.push((self.made[knot] as f64 + DIAGONAL_WEIGHT * straight, weight, 1));
            while let [.., before, last] = pools[..] {
                if before.0 / before.1 <= last.0 / last.1 {
                    break;
                }
                pools.truncate(pools.len() - 2);
                pools.push((before.0 + last.0, before.1 + last.1, before.2 + last.2));
            }
        }
        let fitted = pools.iter().flat_map(|(made, weight, knots)| vec![made / weight; *knots]);
        for (knot, rate) in fitted.enumerate() {
            self.fit[knot] = rate;
        }
    }
}

impl fmt::Display for CalibrationReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let all = [("points", &self.points), ("every trick", &self.everything), ("nello", &self.nothing)];
        for (name, knots) in all {
            writeln!(f, "{name:<12} {:>7} {:>7} {:>7}", "hands", "made", "fit")?;
            for knot in 0..KNOTS {
                let (hands, made) = (knots.hands[knot], knots.made[knot]);
                writeln!(f, "{:>10} % {hands:>7} {made:>7} {:>7.3}", knot * 10, knots.fit[knot])?;
            }
        }
        writeln!(f, "pass after   to speak  hand  passes   marks")?;
        for Passes { standing, to_speak, hand, passes, marks } in &self.passes {
            writeln!(f, "{standing:<12} {to_speak:>8}  {hand:<4} {passes:>7} {marks:>+7.3}")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fit_is_monotonic() {
        let mut knots = Knots::default();
        for (open, made, times) in [(0.1, true, 30), (0.5, false, 100), (0.5, true, 20), (0.9, true, 60)] {
            (0..times).for_each(|_| knots.add(open, made));
        }
        knots.fit();
        assert!(knots.fit.windows(2).all(|pair| pair[0] <= pair[1]), "{:?}", knots.fit);
        assert!(knots.fit[9] > 0.9 && knots.fit[5] < 0.4);
    }
}
