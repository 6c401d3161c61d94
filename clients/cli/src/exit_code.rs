//! The exit codes of the program, for scripts.

use std::{error::Error, fmt};

use texas42_sdk::{ClientError, ConnectionError};

/// The command succeeded.
pub(crate) const SUCCESS: u8 = 0;
/// The command failed.
pub(crate) const FAILURE: u8 = 1;
/// The arguments are wrong. clap exits with this code, and so do commands that refuse a value themselves: [`usage`].
pub(crate) const USAGE: u8 = 2;
/// No server answers at the address.
pub(crate) const UNREACHABLE: u8 = 3;

/// Every code with its meaning, as `--help` and `docs/headless.md` list them.
pub(crate) const ALL: [(u8, &str); 4] = [
    (SUCCESS, "success"),
    (FAILURE, "failure: a file, record, code, link or request is wrong, or the input ended in mid-game"),
    (USAGE, "wrong usage: no such command, flag or value, or values that exclude each other"),
    (UNREACHABLE, "the server cannot be reached"),
];

/// An argument that clap accepts and the command refuses.
#[derive(Debug)]
struct WrongUsage(anyhow::Error);

impl fmt::Display for WrongUsage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:#}", self.0)
    }
}

impl Error for WrongUsage {}

/// Marks an error as one of the arguments.
pub(crate) fn usage<T>(result: Result<T, impl Into<anyhow::Error>>) -> anyhow::Result<T> {
    result.map_err(|error| WrongUsage(error.into()).into())
}

/// The exit code for an error.
pub(crate) fn of(error: &anyhow::Error) -> u8 {
    // The lookup of a code fails with the error of a request, and a table with that of its connection.
    let connection = match error.downcast_ref() {
        Some(ClientError::Unreachable(connection)) => Some(connection),
        _ => error.downcast_ref(),
    };
    match connection {
        Some(ConnectionError::Unreachable { .. }) => UNREACHABLE,
        _ if error.is::<WrongUsage>() => USAGE,
        _ => FAILURE,
    }
}
