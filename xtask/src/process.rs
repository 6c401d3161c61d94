//! Runs other programs from the root of the repository. Errors contain the command line.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::OnceLock;

use anyhow::{Context, Result, bail};

use crate::metadata;

/// The root of the repository: the parent of this crate's folder.
pub(crate) fn root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.parent().expect("the crate lies in a folder of the repository").to_owned()
}

/// A file or folder in cargo's target directory, which the environment or cargo's configuration may change.
pub(crate) fn target(path: &str) -> PathBuf {
    static DIRECTORY: OnceLock<PathBuf> = OnceLock::new();
    let directory = || metadata::target_directory().expect("the cargo that runs us has read this workspace before");
    DIRECTORY.get_or_init(directory).join(path)
}

/// A command that runs in the root of the repository, with the absolute target directory in `CARGO_TARGET_DIR`.
pub(crate) fn program(name: impl AsRef<OsStr>, args: &[&str]) -> Command {
    let mut command = Command::new(name);
    command.args(args).current_dir(root()).env("CARGO_TARGET_DIR", target(""));
    command
}

/// A command for the cargo that runs this program, so that nested calls use the same toolchain.
pub(crate) fn cargo(args: &[&str]) -> Command {
    program(cargo_path(), args)
}

/// The path of the cargo that runs this program.
pub(crate) fn cargo_path() -> String {
    std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned())
}

/// The command that builds a program of the workspace, without compiling dependencies again that `cargo test` has compiled.
///
/// The features of a dependency depend on the packages and targets that cargo builds. With the whole workspace and any test,
/// they are the same as in `cargo test --workspace`.
pub(crate) fn cargo_build(program: &str) -> Command {
    cargo(&["build", "--quiet", "--locked", "--workspace", "--bin", program, "--test", "deal_vectors"])
}

/// Builds a program of the workspace and returns the command that starts it.
pub(crate) fn built(name: &str, args: &[&str]) -> Result<Command> {
    run(cargo_build(name))?;
    Ok(program(target("debug").join(name), args))
}

/// Runs a command to its end and shows its output.
pub(crate) fn run(mut command: Command) -> Result<()> {
    let line = shown(&command);
    println!("    {line}");
    let status = command.status().with_context(|| format!("could not start `{line}`"))?;
    if !status.success() {
        bail!("`{line}` failed ({status})");
    }
    Ok(())
}

/// Runs a command to its end and returns its standard output. The error of a failed command contains its standard error.
pub(crate) fn capture(command: Command) -> Result<String> {
    let line = shown(&command);
    let output = finish(command)?;
    if !output.status.success() {
        bail!("`{line}` failed ({})\n{}", output.status, String::from_utf8_lossy(&output.stderr).trim_end());
    }
    String::from_utf8(output.stdout).with_context(|| format!("`{line}` did not print UTF-8"))
}

/// Whether the program exists and succeeds. Its output is discarded.
pub(crate) fn succeeds(command: Command) -> bool {
    finish(command).is_ok_and(|output| output.status.success())
}

fn finish(mut command: Command) -> Result<Output> {
    let line = shown(&command);
    command.stdin(Stdio::null()).output().with_context(|| format!("could not start `{line}`"))
}

/// The command as a person would type it, without the folder of the program.
pub(crate) fn shown(command: &Command) -> String {
    let name = Path::new(command.get_program()).file_name().unwrap_or(command.get_program());
    let words = std::iter::once(name).chain(command.get_args());
    words.map(|word| word.to_string_lossy().into_owned()).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_is_shown_without_its_folder() {
        assert_eq!(shown(&program("/opt/bin/cargo", &["test", "--locked"])), "cargo test --locked");
    }

    #[test]
    fn every_program_gets_the_target_directory() {
        let command = program("cargo", &[]);
        let passed = command.get_envs().find(|(name, _)| *name == "CARGO_TARGET_DIR").and_then(|(_, value)| value);
        assert_eq!(passed.map(Path::new), Some(target("").as_path()));
        // The executable of this test is in the target directory.
        assert!(std::env::current_exe().unwrap().starts_with(target("")), "{}", target("").display());
    }

    #[test]
    fn a_program_that_does_not_exist_is_named() {
        let error = run(program("texas42-no-such-program", &[])).unwrap_err().to_string();
        assert!(error.contains("texas42-no-such-program"), "{error}");
    }
}
