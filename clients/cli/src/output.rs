//! Writes to standard output. Removes styles where they are unwanted, such as in a pipe. A closed pipe
//! (`texas42 explain … | head`) is not an error.

use std::{
    fmt::Display,
    io::{self, ErrorKind, Write},
};

/// The width of the terminal; unlimited when standard output is not a terminal. The variable `COLUMNS` overrides it.
pub(crate) fn columns() -> usize {
    let variable = std::env::var("COLUMNS").ok().and_then(|text| text.parse().ok());
    variable.or_else(terminal_columns).filter(|columns| *columns > 0).unwrap_or(usize::MAX)
}

#[cfg(unix)]
fn terminal_columns() -> Option<usize> {
    rustix::termios::tcgetwinsize(io::stdout()).ok().map(|size| size.ws_col.into())
}

#[cfg(not(unix))]
const fn terminal_columns() -> Option<usize> {
    None
}

/// Prints a text, without its styles where they are unwanted.
pub(crate) fn print(text: impl Display) -> io::Result<()> {
    let mut stdout = anstream::stdout().lock();
    match write!(stdout, "{text}").and_then(|()| stdout.flush()) {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        result => result,
    }
}

/// Prints a value as indented JSON.
pub(crate) fn print_json(value: &impl serde::Serialize) -> anyhow::Result<()> {
    Ok(print(format_args!("{}\n", serde_json::to_string_pretty(value)?))?)
}
