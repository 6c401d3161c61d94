//! Programs of other projects, in pinned versions: found on the search path, or installed to `target/tools`.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::Result;

use crate::process::{capture, cargo, program, run, target};

/// A program that cargo can install.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tool {
    pub(crate) name: &'static str,
    /// The version in use. Another version may behave differently.
    pub(crate) version: &'static str,
    /// The arguments that print the name and the version.
    pub(crate) version_args: &'static [&'static str],
}

impl Tool {
    /// The pinned version: from `target/tools`, else from the search path, else installed now.
    pub(crate) fn find_or_install(self) -> Result<PathBuf> {
        let ours = target("tools/bin").join(self.name);
        let candidates = [ours.clone(), PathBuf::from(self.name)];
        if let Some(path) = candidates.into_iter().find(|path| self.is_pinned(path)) {
            return Ok(path);
        }
        println!("    {} {} is missing, installing it to target/tools", self.name, self.version);
        run(self.install())?;
        Ok(ours)
    }

    /// Whether this program is the pinned version.
    pub(crate) fn is_pinned(self, path: &Path) -> bool {
        let version = capture(program(path, self.version_args));
        version.is_ok_and(|text| text.trim() == format!("{} {}", self.name, self.version))
    }

    /// In the dev profile: optimizing a tool would take longer than it saves.
    pub(crate) fn install(self) -> Command {
        let mut command = cargo(&["install", "--quiet", "--locked", "--profile", "dev", "--force"]);
        command.arg("--root").arg(target("tools")).arg("--target-dir").arg(target("tools/build"));
        command.arg(format!("{}@{}", self.name, self.version));
        command.env("CARGO_PROFILE_DEV_DEBUG", "0");
        command
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::process::shown;

    const TOOL: Tool = Tool { name: "cargo-deny", version: "1.2.3", version_args: &["--version"] };

    #[test]
    fn the_installed_version_is_pinned_and_locked() {
        let line = shown(&TOOL.install());
        assert!(line.ends_with("cargo-deny@1.2.3") && line.contains("--locked"), "{line}");
    }

    #[test]
    fn another_program_does_not_pass_for_the_tool() {
        assert!(!TOOL.is_pinned("rustc".as_ref()));
        assert!(!TOOL.is_pinned("texas42-no-such-program".as_ref()));
    }
}
