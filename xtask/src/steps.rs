//! The steps of a longer command: announces and times each step, and prints a table of all steps and of the slowest ones at the
//! end.

use std::fmt::Write as _;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};

/// How many of the slowest steps and test programs to list.
const SLOWEST: usize = 10;

/// The steps run so far, in order.
#[derive(Default)]
pub(crate) struct Steps {
    done: Vec<Step>,
}

struct Step {
    title: &'static str,
    took: Duration,
    passed: bool,
}

impl Steps {
    /// Runs one step. An error names the step.
    pub(crate) fn run(&mut self, title: &'static str, work: impl FnOnce() -> Result<()>) -> Result<()> {
        println!("==> {title}");
        let started = Instant::now();
        let result = work();
        let step = Step { title, took: started.elapsed(), passed: result.is_ok() };
        println!("{}", step.line());
        self.done.push(step);
        result.with_context(|| format!("the step \"{title}\" failed"))
    }

    /// One line per step, including failed ones, and the total time.
    pub(crate) fn table(&self) -> String {
        let mut text = String::new();
        for step in &self.done {
            let _ = writeln!(text, "{}", step.line());
        }
        let whole: Duration = self.done.iter().map(|step| step.took).sum();
        let _ = writeln!(text, "    {:<44} {:>8.1} s", "total", whole.as_secs_f64());
        text + &slowest("steps", self.done.iter().map(|step| (step.title, step.took)))
    }
}

/// A list of the slowest items, the slowest first.
pub(crate) fn slowest<'a>(what: &str, timed: impl Iterator<Item = (&'a str, Duration)>) -> String {
    let mut timed: Vec<_> = timed.collect();
    timed.sort_by_key(|(_, took)| core::cmp::Reverse(*took));
    timed.truncate(SLOWEST);
    let mut text = format!("the {} slowest {what}\n", timed.len());
    for (title, took) in timed {
        let _ = writeln!(text, "    {title:<44} {:>8.1} s", took.as_secs_f64());
    }
    text
}

impl Step {
    fn line(&self) -> String {
        let verdict = if self.passed { "ok" } else { "FAILED" };
        format!("    {:<44} {:>8.1} s  {verdict}", self.title, self.took.as_secs_f64())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_lists_passed_and_failed_steps() {
        let mut steps = Steps::default();
        steps.run("good", || Ok(())).unwrap();
        let error = steps.run("bad", || anyhow::bail!("because")).unwrap_err();
        assert_eq!(format!("{error:#}"), "the step \"bad\" failed: because");
        let table = steps.table();
        assert!(table.lines().any(|line| line.contains("good") && line.ends_with("ok")), "{table}");
        assert!(table.lines().any(|line| line.contains("bad") && line.ends_with("FAILED")), "{table}");
        assert!(table.contains("the 2 slowest steps\n"), "{table}");
    }

    #[test]
    fn the_ten_slowest_are_listed_from_the_slowest_on() {
        let names: Vec<String> = (1..=12).map(|number| format!("step {number}")).collect();
        let timed = names.iter().zip(1..).map(|(name, seconds)| (name.as_str(), Duration::from_secs(seconds)));
        let text = slowest("steps", timed);
        let mut lines = text.lines();
        assert_eq!(lines.next(), Some("the 10 slowest steps"));
        let listed: Vec<&str> = lines.map(str::trim).collect();
        assert_eq!(listed.len(), 10);
        assert!(listed[0].starts_with("step 12 ") && listed[0].ends_with(" 12.0 s"), "{text}");
        assert!(listed[9].starts_with("step 3 "), "{text}");
    }
}
