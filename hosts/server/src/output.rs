//! Writing to standard output. A reader that has seen enough (`texas42 explain … | head`) is no error.

use std::{
    fmt::Display,
    io::{self, ErrorKind, Write},
};

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
