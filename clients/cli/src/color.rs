//! Colors on a terminal: when they are used, and which styles there are. Every styled text reads the same without its style.

use std::ffi::OsStr;

use anstyle::{AnsiColor, Style};
use clap::ValueEnum;

/// Headings and what to look at first.
pub(crate) const STRONG: Style = Style::new().bold();
/// The heading of a part of the help.
pub(crate) const HEADING: Style = Style::new().bold().underline();
/// The word `error`.
pub(crate) const ERROR: Style = AnsiColor::Red.on_default().bold();

/// When to use colors.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Color {
    // Doc comments would add six lines to the help of every command.
    #[default]
    Auto,
    Always,
    Never,
}

impl Color {
    /// The value of `--color` among unparsed arguments. Help texts and usage errors are printed before arguments are parsed.
    pub(crate) fn among<'a>(args: impl IntoIterator<Item = &'a OsStr>) -> Self {
        let mut args = args.into_iter().map(|arg| arg.to_str().unwrap_or_default()).take_while(|arg| *arg != "--");
        let mut color = None;
        while let Some(arg) = args.next() {
            match arg.strip_prefix("--color") {
                Some("") => color = args.next(),
                Some(value) if value.starts_with('=') => color = Some(&value[1..]),
                _ => {}
            }
        }
        color.and_then(|value| Self::from_str(value, false).ok()).unwrap_or_default()
    }

    /// Applies to everything that is printed from here on, by clap as well.
    pub(crate) fn apply(self) {
        let choice = match self {
            Self::Auto => anstream::ColorChoice::Auto,
            Self::Always => anstream::ColorChoice::Always,
            Self::Never => anstream::ColorChoice::Never,
        };
        choice.write_global();
    }
}

/// A text in a style.
pub(crate) fn styled(style: Style, text: &str) -> String {
    format!("{style}{text}{style:#}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_choice_is_found_before_arguments_are_parsed() {
        let among = |line: &str| Color::among(line.split(' ').map(OsStr::new));
        assert_eq!(among("replay --color never --help"), Color::Never);
        assert_eq!(among("--color=always --help"), Color::Always);
        assert_eq!(among("--color=never --color always"), Color::Always);
        assert_eq!(among("--color purple"), Color::Auto);
        assert_eq!(among("--color"), Color::Auto);
        assert_eq!(among("seeds -- --color=never"), Color::Auto);
    }
}
