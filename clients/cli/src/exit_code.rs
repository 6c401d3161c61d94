//! The exit codes of the program, for scripts.

use std::process::ExitCode;

use texas42_sdk::ConnectionError;

/// The command succeeded.
pub(crate) const SUCCESS: u8 = 0;
/// The command failed.
pub(crate) const FAILURE: u8 = 1;
/// The arguments are wrong. clap exits with this code.
pub(crate) const USAGE: u8 = 2;
/// No server answers at the address.
pub(crate) const UNREACHABLE: u8 = 3;

/// Every code with its meaning, as `--help` and `docs/headless.md` list them.
pub(crate) const ALL: [(u8, &str); 4] = [
    (SUCCESS, "success"),
    (FAILURE, "failure: a file, a record, a code, a link or a request is wrong"),
    (USAGE, "wrong usage: no such command, flag or value"),
    (UNREACHABLE, "the server cannot be reached"),
];

/// The exit code for an error.
pub(crate) fn of(error: &anyhow::Error) -> ExitCode {
    let is_unreachable = matches!(error.downcast_ref(), Some(ConnectionError::Unreachable { .. }));
    ExitCode::from(if is_unreachable { UNREACHABLE } else { FAILURE })
}
