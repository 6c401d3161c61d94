//! Writing to standard output. A reader that has seen enough (`texas42 explain … | head`) is no error.

use std::{
    fmt::Display,
    io::{self, ErrorKind, Write},
};

/// How many columns the terminal has; without one there is no end to a line. `COLUMNS` says it otherwise.
pub(crate) fn columns() -> usize {
    let said = std::env::var("COLUMNS").ok().and_then(|text| text.parse().ok());
    said.or_else(terminal_columns).filter(|columns| *columns > 0).unwrap_or(usize::MAX)
}

#[cfg(unix)]
fn terminal_columns() -> Option<usize> {
    rustix::termios::tcgetwinsize(io::stdout()).ok().map(|size| size.ws_col.into())
}

#[cfg(not(unix))]
const fn terminal_columns() -> Option<usize> {
    None
}

/// Prints a text as it is.
pub(crate) fn print(text: impl Display) -> io::Result<()> {
    match write!(io::stdout().lock(), "{text}").and_then(|()| io::stdout().flush()) {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        result => result,
    }
}

/// Prints a value as JSON for people.
pub(crate) fn print_json(value: &impl serde::Serialize) -> anyhow::Result<()> {
    Ok(print(format_args!("{}\n", serde_json::to_string_pretty(value)?))?)
}
