//! `texas42 explain`: which layer of a configuration decides each rule, and what each layer does to the offered moves.

use std::path::PathBuf;

use texas42_engine::{Explanation, LayerEffect, Ruling};
use texas42_room::HeadlessRoom;

use crate::{files, output, text_table};

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The configuration, a JSON file like {"layers":[{"type":"nello"}]}; "-" reads standard input; without it, straight 42
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Print JSON instead of tables
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &Args) -> anyhow::Result<()> {
    let room = HeadlessRoom::new(&files::read_config(args.config.as_deref())?)?;
    let explanation = room.explain();
    if args.json {
        return output::print_json(&explanation);
    }
    Ok(output::print(tables(&explanation, output::columns()))?)
}

fn tables(explanation: &Explanation, columns: usize) -> String {
    let layers = format!("Layers; a later one overrides an earlier one: {}", explanation.layers.join(" < "));
    let rulings = explanation.rulings.iter().map(ruling_row);
    let rules = text_table::render(&["rule", "case", "answer", "decided by"], rulings, usize::MAX, columns);
    let effects = without_repeats(&explanation.effects).map(effect_row);
    let offers =
        text_table::render(&["decision", "layer", "what it does to the offered moves"], effects, usize::MAX, columns);
    format!("{}\n\n{rules}\n{offers}", texas42_cli::show::fit(&layers, columns))
}

fn ruling_row(Ruling { rule, case, answer, decided_by }: &Ruling) -> Vec<String> {
    let case = if case.is_empty() { "always" } else { case };
    vec![(*rule).to_owned(), case.to_owned(), answer.clone(), (*decided_by).to_owned()]
}

/// Each effect with its decision, which is blank if it is the same as in the effect before.
fn without_repeats(effects: &[LayerEffect]) -> impl Iterator<Item = (&'static str, &LayerEffect)> {
    let before = std::iter::once("").chain(effects.iter().map(|effect| effect.decision));
    effects.iter().zip(before).map(|(effect, before)| {
        let decision = if effect.decision == before { "" } else { effect.decision };
        (decision, effect)
    })
}

fn effect_row((decision, effect): (&str, &LayerEffect)) -> Vec<String> {
    vec![decision.to_owned(), effect.layer.to_owned(), without_seats(&effect.effect)]
}

/// Removes the seat ids of the example hand, which say nothing about the rules: `0: pass` becomes `pass`.
fn without_seats(effect: &str) -> String {
    let is_seat = |word: &&str| matches!(*word, "0:" | "1:" | "2:" | "3:");
    effect.split(' ').filter(|word| !is_seat(word)).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn effects_name_no_seats() {
        assert_eq!(without_seats("offers 15: 0: pass … 0: bid 2 marks"), "offers 15: pass … bid 2 marks");
        assert_eq!(without_seats("removes complete-trick; offers 3: claim"), "removes complete-trick; offers claim");
    }
}
