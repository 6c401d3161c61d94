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

/// A command line as a list, for tests of commands.
#[cfg(test)]
pub(crate) fn words(line: &str) -> Vec<String> {
    line.split_whitespace().map(str::to_owned).collect()
}

/// Whether a command refuses a value that is no number, an option without a value and one it does not know, each by name.
#[cfg(test)]
pub(crate) fn assert_names_what_is_wrong<T: std::fmt::Debug>(read: impl Fn(&[String]) -> Result<T>, no_number: &str) {
    for (line, named) in [(no_number, no_number), ("--seed", "--seed"), ("--fast 1", "--fast")] {
        let error = read(&words(line)).unwrap_err().to_string();
        assert!(error.contains(named), "{line}: {error}");
    }
}
