//! Colors on a terminal: when they are used, and which styles there are. Every styled text reads the same without its style.

use std::ffi::OsStr;

use anstyle::{AnsiColor, Style};
use clap::ValueEnum;

/// Headings and emphasized text.
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
    /// Reads `--color` from unparsed arguments. Help texts and usage errors are printed before arguments are parsed.
    pub(crate) fn from_raw_args<'a>(args: impl IntoIterator<Item = &'a OsStr>) -> Self {
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

    /// Applies the choice to all later output, including clap's.
    pub(crate) fn apply(self) {
        let choice = match self {
            Self::Auto => anstream::ColorChoice::Auto,
            Self::Always => anstream::ColorChoice::Always,
            Self::Never => anstream::ColorChoice::Never,
        };
        choice.write_global();
    }
}

/// Wraps a text in the escape codes of a style.
pub(crate) fn styled(style: Style, text: &str) -> String {
    format!("{style}{text}{style:#}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_choice_is_read_from_raw_arguments() {
        let color_of = |line: &str| Color::from_raw_args(line.split(' ').map(OsStr::new));
        assert_eq!(color_of("replay --color never --help"), Color::Never);
        assert_eq!(color_of("--color=always --help"), Color::Always);
        assert_eq!(color_of("--color=never --color always"), Color::Always);
        assert_eq!(color_of("--color purple"), Color::Auto);
        assert_eq!(color_of("--color"), Color::Auto);
        assert_eq!(color_of("seeds -- --color=never"), Color::Auto);
    }
}
