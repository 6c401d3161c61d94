//! Progress bars for long commands. They are hidden when standard error is not a terminal.

use std::{fmt, io::IsTerminal};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};

/// A bar that counts things: deals, games, events.
pub(crate) fn counted(steps: u64, unit: &str) -> ProgressBar {
    bar(steps, &format!("{{human_pos}}/{{human_len}} {unit}, {{rate}}"))
}

/// A bar for steps without a unit, in percent.
pub(crate) fn in_percent(steps: u64) -> ProgressBar {
    bar(steps, "{percent} %")
}

fn bar(steps: u64, what: &str) -> ProgressBar {
    let bar = ProgressBar::new(steps);
    if !std::io::stderr().is_terminal() {
        bar.set_draw_target(ProgressDrawTarget::hidden());
    }
    bar.with_style(style(what))
}

fn style(what: &str) -> ProgressStyle {
    let style = ProgressStyle::with_template(&format!("{{bar:40}} {what}, {{eta}} left"));
    style.expect("the template is well-formed").with_key("rate", |state: &ProgressState, text: &mut dyn fmt::Write| {
        // Writing to a string cannot fail.
        let _ = text.write_str(&rate(state.per_sec()));
    })
}

/// Rates below 10 have a decimal: strong players need seconds per deal, weak ones play thousands of deals per second.
fn rate(per_second: f64) -> String {
    if per_second < 10.0 { format!("{per_second:.1}/s") } else { format!("{per_second:.0}/s") }
}

#[cfg(test)]
mod tests {
    use std::{
        io,
        sync::{Arc, Mutex},
    };

    use indicatif::TermLike;

    use super::*;

    /// A terminal that records its output.
    #[derive(Clone, Debug, Default)]
    struct RecordingTerminal(Arc<Mutex<String>>);

    impl TermLike for RecordingTerminal {
        fn width(&self) -> u16 {
            120
        }
        fn move_cursor_up(&self, _: usize) -> io::Result<()> {
            Ok(())
        }
        fn move_cursor_down(&self, _: usize) -> io::Result<()> {
            Ok(())
        }
        fn move_cursor_right(&self, _: usize) -> io::Result<()> {
            Ok(())
        }
        fn move_cursor_left(&self, _: usize) -> io::Result<()> {
            Ok(())
        }
        fn write_line(&self, line: &str) -> io::Result<()> {
            self.write_str(line)
        }
        fn write_str(&self, text: &str) -> io::Result<()> {
            self.0.lock().unwrap().push_str(text);
            Ok(())
        }
        fn clear_line(&self) -> io::Result<()> {
            Ok(())
        }
        fn flush(&self) -> io::Result<()> {
            Ok(())
        }
    }

    fn shown(bar: &ProgressBar) -> String {
        let terminal = RecordingTerminal::default();
        bar.set_draw_target(ProgressDrawTarget::term_like(Box::new(terminal.clone())));
        bar.set_position(1200);
        bar.tick();
        terminal.0.lock().unwrap().clone()
    }

    #[test]
    fn a_bar_shows_its_unit() {
        let events = shown(&counted(4800, "events"));
        assert!(events.contains("1,200/4,800 events, "), "{events}");
        let percent = shown(&in_percent(4800));
        assert!(percent.contains(" 25 %, ") && !percent.contains("4,800"), "{percent}");
    }

    #[test]
    fn only_rates_below_ten_have_a_decimal() {
        assert_eq!([0.254, 9.5, 89.2097, 12345.6].map(rate), ["0.3/s", "9.5/s", "89/s", "12346/s"]);
    }
}
