//! Options of our commands: a name and a value, in any order.

use anyhow::{Context, Error, Result, anyhow};

/// The names and values of a command line.
pub(crate) fn pairs(args: &[String]) -> Result<Vec<(&str, &str)>> {
    args.chunks(2)
        .map(|pair| match pair {
            [name, value] => Ok((name.as_str(), value.as_str())),
            _ => Err(anyhow!("`{}` wants a value", pair[0])),
        })
        .collect()
}

/// A value that has to be a number.
pub(crate) fn number((name, value): (&str, &str)) -> Result<u64> {
    value.parse().with_context(|| format!("`{name} {value}`: not a number"))
}

/// What a command says about an option that it does not have.
pub(crate) fn unknown(command: &str, name: &str, help: &str) -> Error {
    anyhow!("`cargo xtask {command}` knows no `{name}`\n\n{help}")
}
