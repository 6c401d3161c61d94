//! Parses options: pairs of a name and a value, in any order.

use anyhow::{Context, Error, Result, anyhow};

/// The names and values of a command line.
pub(crate) fn pairs(args: &[String]) -> Result<Vec<(&str, &str)>> {
    args.chunks(2)
        .map(|pair| match pair {
            [name, value] => Ok((name.as_str(), value.as_str())),
            _ => Err(anyhow!("`{}` needs a value", pair[0])),
        })
        .collect()
}

/// Parses the value of a numeric option.
pub(crate) fn number((name, value): (&str, &str)) -> Result<u64> {
    value.parse().with_context(|| format!("`{name} {value}`: not a number"))
}

/// The error for an unknown option.
pub(crate) fn unknown(command: &str, name: &str, help: &str) -> Error {
    anyhow!("`cargo xtask {command}` has no option `{name}`\n\n{help}")
}

/// A command line as a list, for tests of commands.
#[cfg(test)]
pub(crate) fn words(line: &str) -> Vec<String> {
    line.split_whitespace().map(str::to_owned).collect()
}

/// Asserts that the errors for an invalid number, a missing value and an unknown option name the option.
#[cfg(test)]
pub(crate) fn assert_names_what_is_wrong<T: std::fmt::Debug>(read: impl Fn(&[String]) -> Result<T>, no_number: &str) {
    for (line, named) in [(no_number, no_number), ("--seed", "--seed"), ("--fast 1", "--fast")] {
        let error = read(&words(line)).unwrap_err().to_string();
        assert!(error.contains(named), "{line}: {error}");
    }
}
