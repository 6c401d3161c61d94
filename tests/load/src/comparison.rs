//! Measures two server binaries under the same load, alternating in one run, so that background noise affects both.

use std::path::Path;

use crate::{
    Args, Play,
    process::Server,
    scenario::{self, PlayResult},
};

/// How many times each server is measured.
const ROUNDS: usize = 3;

/// Measures another binary, usually an earlier version, in turns with ours, and prints the ratio.
pub(crate) async fn compare(args: &Args, other: &Path, play: &Play) -> anyhow::Result<()> {
    let (mut before, mut now) = (PlayResult::default(), PlayResult::default());
    for round in 1..=ROUNDS {
        for (program, played) in [(other, &mut before), (args.server.as_path(), &mut now)] {
            println!("round {round} of {ROUNDS}, {}", program.display());
            let server = Server::start(program, &args.data, !play.no_grouping).await?;
            played.add(&scenario::play(server, play).await?);
        }
    }
    print!("{}", report(&mut before, &mut now));
    Ok(())
}

fn report(before: &mut PlayResult, now: &mut PlayResult) -> String {
    let (other_rate, our_rate) = (before.actions_a_second(), now.actions_a_second());
    let [p50, p99] = [0.5, 0.99].map(|share| [before.times.percentile(share), now.times.percentile(share)]);
    format!(
        "{ROUNDS} rounds                other     ours\n\
         \x20 actions a second    {other_rate:7.0}  {our_rate:7.0}   {:.2} times\n\
         \x20 p50                 {:7.1}  {:7.1} ms\n\
         \x20 p99                 {:7.1}  {:7.1} ms\n",
        our_rate / other_rate,
        p50[0],
        p50[1],
        p99[0],
        p99[1],
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::times::Times;

    /// `actions` actions within one second that took `millis` milliseconds each.
    fn played(actions: usize, millis: u128) -> PlayResult {
        let mut times = Times::default();
        (0..actions).for_each(|_| times.add(millis * 1000));
        PlayResult { seconds: 1.0, times }
    }

    #[test]
    fn rounds_add_up_and_the_ratio_is_printed() {
        let mut before = played(100, 20);
        before.add(&played(100, 20));
        let text = report(&mut before, &mut played(150, 10));
        let lines: Vec<Vec<&str>> = text.lines().map(|line| line.split_whitespace().collect()).collect();
        assert_eq!(lines[1].join(" "), "actions a second 100 150 1.50 times");
        assert_eq!(lines[3].join(" "), "p99 20.0 10.0 ms");
    }
}
