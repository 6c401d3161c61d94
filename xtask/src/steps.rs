//! Steps of a longer command: each is announced, timed, and listed in a table at the end.

use std::fmt::Write as _;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};

/// What has been done so far, in order.
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
    /// Does one step; an error says which step it was.
    pub(crate) fn run(&mut self, title: &'static str, work: impl FnOnce() -> Result<()>) -> Result<()> {
        println!("==> {title}");
        let started = Instant::now();
        let result = work();
        let step = Step { title, took: started.elapsed(), passed: result.is_ok() };
        println!("{}", step.line());
        self.done.push(step);
        result.with_context(|| format!("the step \"{title}\" failed"))
    }

    /// One line per step, failed ones included, and the whole time.
    pub(crate) fn table(&self) -> String {
        let mut text = String::new();
        for step in &self.done {
            let _ = writeln!(text, "{}", step.line());
        }
        let whole: Duration = self.done.iter().map(|step| step.took).sum();
        let _ = writeln!(text, "    {:<44} {:>8.1} s", "together", whole.as_secs_f64());
        text
    }
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
    fn the_table_lists_good_and_bad_steps() {
        let mut steps = Steps::default();
        steps.run("good", || Ok(())).unwrap();
        let error = steps.run("bad", || anyhow::bail!("because")).unwrap_err();
        assert_eq!(format!("{error:#}"), "the step \"bad\" failed: because");
        let table = steps.table();
        assert!(table.lines().any(|line| line.contains("good") && line.ends_with("ok")), "{table}");
        assert!(table.lines().any(|line| line.contains("bad") && line.ends_with("FAILED")), "{table}");
    }
}
