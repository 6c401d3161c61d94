//! Reads cargo's metadata of the workspace and its dependencies, reduced to what the commands need.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};
use serde_json::Value;

use crate::process::{capture, cargo, cargo_path, root};

/// A package of the workspace, or a dependency.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Package {
    pub(crate) name: String,
    pub(crate) version: String,
    /// Its folder below the root of the repository; none for packages from a registry.
    pub(crate) folder: Option<String>,
    pub(crate) dependencies: Vec<Dependency>,
}

/// A dependency of a package.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Dependency {
    pub(crate) name: String,
    /// Whether it is in `[dependencies]`, as opposed to a dev or build dependency.
    pub(crate) is_normal: bool,
}

impl Package {
    /// Whether the package is in this repository.
    pub(crate) fn is_ours(&self) -> bool {
        self.folder.is_some()
    }

    /// Whether the package may do no I/O, as everything in `crates/`.
    pub(crate) fn is_pure(&self) -> bool {
        self.folder.as_ref().is_some_and(|folder| folder.starts_with("crates/"))
    }
}

/// Cargo's target directory. Cargo resolves a relative `CARGO_TARGET_DIR` against the current folder, so this does not change
/// to the root first.
pub(crate) fn target_directory() -> Result<PathBuf> {
    let mut command = Command::new(cargo_path());
    command.args(["metadata", "--format-version=1", "--no-deps", "--manifest-path"]).arg(root().join("Cargo.toml"));
    let metadata: Value = serde_json::from_str(&capture(command)?).context("cargo metadata did not print JSON")?;
    text(&metadata, "target_directory").map(PathBuf::from).context("cargo metadata names no target directory")
}

/// Every package of the lock file, those of the workspace first.
pub(crate) fn packages() -> Result<Vec<Package>> {
    let text = capture(cargo(&["metadata", "--format-version=1", "--locked"]))?;
    parse(&text, &root())
}

fn parse(text: &str, root: &Path) -> Result<Vec<Package>> {
    let metadata: Value = serde_json::from_str(text).context("cargo metadata did not print JSON")?;
    let mut packages: Vec<Package> = items(&metadata, "packages").map(|value| package(value, root)).collect();
    packages.sort_by_key(|package| (!package.is_ours(), package.name.clone(), package.version.clone()));
    Ok(packages)
}

fn package(value: &Value, root: &Path) -> Package {
    let is_local = value["source"].is_null();
    let folder = if is_local { folder_below(value, root) } else { None };
    Package {
        name: text(value, "name").unwrap_or_default(),
        version: text(value, "version").unwrap_or_default(),
        folder,
        dependencies: items(value, "dependencies").map(dependency).collect(),
    }
}

fn dependency(value: &Value) -> Dependency {
    Dependency { name: text(value, "name").unwrap_or_default(), is_normal: value["kind"].is_null() }
}

fn folder_below(package: &Value, root: &Path) -> Option<String> {
    let manifest = text(package, "manifest_path")?;
    let folder = Path::new(&manifest).parent()?.strip_prefix(root).ok()?;
    Some(folder.to_string_lossy().replace('\\', "/"))
}

fn text(value: &Value, key: &str) -> Option<String> {
    value[key].as_str().map(str::to_owned)
}

fn items<'a>(value: &'a Value, key: &str) -> impl Iterator<Item = &'a Value> {
    value[key].as_array().into_iter().flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    const SAMPLE: &str = r#"{"packages": [
        {"name": "serde", "version": "1.0.0", "source": "registry+x", "dependencies": []},
        {"name": "texas42-engine", "version": "0.1.0", "source": null,
         "manifest_path": "/repo/crates/engine/Cargo.toml",
         "dependencies": [
            {"name": "texas42-vocab", "kind": null},
            {"name": "proptest", "kind": "dev"}]}]}"#;

    #[test]
    fn packages_of_the_workspace_come_first_with_their_folder() {
        let packages = parse(SAMPLE, Path::new("/repo")).unwrap();
        assert_eq!(packages[0].folder.as_deref(), Some("crates/engine"));
        assert!(packages[0].is_pure());
        assert!(!packages[1].is_ours());
    }

    #[test]
    fn dependencies_keep_their_kind() {
        let packages = parse(SAMPLE, Path::new("/repo")).unwrap();
        let [vocab, proptest] = &packages[0].dependencies[..] else { panic!("two dependencies") };
        assert!(vocab.is_normal && !proptest.is_normal);
    }
}
