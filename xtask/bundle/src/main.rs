//! Bundles the page for `cargo xtask bundle`: two WebAssembly modules with their bindings, style sheets and scripts, under a
//! hash of their contents, with compressed copies. With the argument `edge`, it bundles the Worker for `cargo xtask edge`.
//!
//! This is a separate program because wasm-bindgen's library takes a minute to compile, and most changes do not need it.

mod comments;
mod compress;
mod edge;

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::{Context, Result, ensure};
use sha2::{Digest, Sha256};
use texas42_phrases::Language;
use wasm_bindgen_cli_support::Bindgen;

/// A part of the page with a size limit: a WebAssembly module with its scripts and style.
struct Part {
    /// What it is, for the report.
    name: &'static str,
    /// The package of its module.
    package: &'static str,
    /// The name of the module and its bindings, without their endings. The files of every part but the first start with it.
    module: &'static str,
    /// The folder of its other files.
    folder: &'static str,
    /// Those files.
    files: &'static [&'static str],
    /// The size limit in Brotli-compressed bytes, without fonts and catalogues.
    budget: usize,
}

/// The page with its worker, which every visitor loads. The aim is 550,000 bytes.
const PAGE: Part = Part {
    name: "page and worker",
    package: "texas42-app",
    module: "texas42",
    folder: "clients/web/static",
    files: &["boot.js", "style.css", "worker.js"],
    budget: 552_000,
};
/// The screens that study a game, with their worker. A person who opens a link to one waits for it: on a phone at three megabits per
/// second, for about one second.
const STUDY: Part = Part {
    name: "study screens and worker",
    package: "texas42-study-app",
    module: "study",
    folder: "clients/study/static",
    files: &["study.css", "study-worker.js"],
    budget: 400_000,
};
/// Subsets of typefaces under the Open Font License, in `clients/web/static/fonts`. They do not count in the budget.
const FONTS: [&str; 3] = ["atkinson-hyperlegible-400.woff2", "atkinson-hyperlegible-700.woff2", "zilla-slab-700.woff2"];
const TARGET: &str = "wasm32-unknown-unknown";

/// The contents of files, by name.
type Files = BTreeMap<String, Vec<u8>>;

fn main() -> Result<()> {
    let root = root();
    if std::env::args().nth(1).as_deref() == Some("edge") {
        return edge::pack(&root);
    }
    let mut hashed = Files::new();
    for part in [&PAGE, &STUDY] {
        build(&root, part.package, &[])?;
        hashed.extend(bindings(part)?);
        for name in part.files {
            hashed.insert((*name).to_owned(), read(&root.join(part.folder).join(name))?);
        }
    }
    for name in FONTS {
        hashed.insert(name.to_owned(), read(&root.join("clients/web/static/fonts").join(name))?);
    }
    for (name, content) in &mut hashed {
        *content = comments::removed(name, core::mem::take(content))?;
    }
    hashed.extend(catalogues()?);
    let version = hash(&hashed);
    let files = entry_files(&root, &version, &hashed)?;
    let out = target("web-dist")?;
    if !is_written(&out, &version, &hashed, &files) {
        write_all(&out, &version, &hashed, &files)?;
    }
    report(&out, &version, &hashed, &files)
}

fn root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.ancestors().nth(2).expect("the crate is two folders below the root").to_owned()
}

/// A file or folder in cargo's target directory.
fn target(path: &str) -> Result<PathBuf> {
    let directory =
        std::env::var_os("CARGO_TARGET_DIR").context("CARGO_TARGET_DIR is not set; `cargo xtask` sets it")?;
    Ok(PathBuf::from(directory).join(path))
}

fn read(path: &Path) -> Result<Vec<u8>> {
    fs::read(path).with_context(|| format!("could not read {}", path.display()))
}

fn build(root: &Path, package: &str, more: &[&str]) -> Result<()> {
    let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned());
    let mut command = Command::new(cargo);
    command.current_dir(root).args(["rustc", "--locked", "--profile", "wasm", "--target", TARGET]);
    command.args(["--package", package]).args(more);
    command.arg("--config").arg(without_build_paths()?);
    // Do not inherit the flags of the outer cargo build.
    command.env_remove("CARGO_ENCODED_RUSTFLAGS").env_remove("RUSTFLAGS");
    ensure!(command.status()?.success(), "the module could not be built");
    Ok(())
}

/// Strips the registry folder from the paths in panic messages, so that the module is the same on every machine.
fn without_build_paths() -> Result<String> {
    let cargo_home = std::env::home_dir().map(|home| home.join(".cargo"));
    let cargo_home = std::env::var_os("CARGO_HOME").map(PathBuf::from).or(cargo_home).context("no CARGO_HOME")?;
    let prefix = cargo_home.join("registry/src");
    Ok(format!("target.{TARGET}.rustflags=['--remap-path-prefix={}=']", prefix.display()))
}

/// Generates the bindings of a part: the module and the script that loads it.
fn bindings(part: &Part) -> Result<Files> {
    let (package, name) = (part.package, part.module);
    let module = target(TARGET)?.join(format!("wasm/{}.wasm", package.replace('-', "_")));
    let scratch = target("web-scratch")?;
    fs::create_dir_all(&scratch)?;
    Bindgen::new()
        .input_path(module)
        .out_name(name)
        .web(true)?
        .omit_default_module_path(false)
        .typescript(false)
        .remove_name_section(true)
        .remove_producers_section(true)
        .generate(&scratch)
        .with_context(|| format!("no bindings for {package}"))?;
    let [script_name, module_name] = [format!("{name}.js"), format!("{name}_bg.wasm")];
    let mut files = Files::new();
    for name in [script_name, module_name] {
        let content = read(&scratch.join(&name))?;
        files.insert(name, content);
    }
    Ok(files)
}

/// The texts of every language that is not part of the module, in the order of the entries. The page loads only those of
/// its language, so they do not count in the budget.
fn catalogues() -> Result<Files> {
    let loaded = Language::ALL.iter().copied().filter(|language| *language != Language::English);
    loaded
        .map(|language| Ok((catalogue_name(language), serde_json::to_vec(language.words().texts().as_slice())?)))
        .collect()
}

fn catalogue_name(language: Language) -> String {
    format!("words-{}.json", language.code())
}

fn is_catalogue(name: &str) -> bool {
    name.ends_with(".json")
}

/// Whether a file is loaded only when a person opens a screen that studies a game.
fn is_of_study(name: &str) -> bool {
    name.starts_with(STUDY.module)
}

/// Twelve digits of the hash of all names and contents.
fn hash(files: &Files) -> String {
    let mut hasher = Sha256::new();
    for (name, content) in files {
        hasher.update(name.as_bytes());
        hasher.update((content.len() as u64).to_le_bytes());
        hasher.update(content);
    }
    hasher.finalize().iter().take(6).map(|byte| format!("{byte:02x}")).collect()
}

/// The files with fixed URLs, which refer to the hashed ones.
fn entry_files(root: &Path, version: &str, hashed: &Files) -> Result<Files> {
    let folder = root.join("clients/web/static");
    let mut files = Files::new();
    for name in ["index.html", "sw.js", "manifest.webmanifest", "icon.svg", "icon-192.png", "icon-512.png"] {
        files.insert(name.to_owned(), read(&folder.join(name))?);
    }
    let place = format!("a/{version}");
    replace(&mut files, "index.html", "{{files}}", &place)?;
    // The version of the service worker includes the entry files, because their names contain no hash.
    let whole = hash(&files.iter().chain(hashed).map(|(name, content)| (name.clone(), content.clone())).collect());
    // The pseudo-locale is for tests, so nobody needs it offline.
    let offline = hashed.keys().filter(|name| **name != catalogue_name(Language::Pseudo));
    let (later, first): (Vec<&String>, Vec<&String>) = offline.partition(|name| is_of_study(name));
    let inside = |names: Vec<&String>| names.into_iter().map(|name| format!("{place}/{name}")).collect::<Vec<_>>();
    let entries = ["./", "manifest.webmanifest", "icon.svg", "icon-192.png"].map(str::to_owned).to_vec();
    replace(&mut files, "sw.js", "{{version}}", &whole)?;
    replace(&mut files, "sw.js", "{{list}}", &list([entries, inside(first)].concat()))?;
    replace(&mut files, "sw.js", "{{later}}", &list(inside(later)))?;
    Ok(files)
}

/// A list of texts in JavaScript.
fn list(names: Vec<String>) -> String {
    let names: Vec<String> = names.into_iter().map(|name| format!("{name:?}")).collect();
    format!("[{}]", names.join(", "))
}

fn replace(files: &mut Files, name: &str, place: &str, value: &str) -> Result<()> {
    let content = files.get_mut(name).with_context(|| format!("{name} is missing"))?;
    let text = String::from_utf8(core::mem::take(content))?;
    ensure!(text.contains(place), "{name} has no {place}");
    *content = text.replace(place, value).into_bytes();
    Ok(())
}

/// Whether an identical bundle exists already. It is then kept, so that a server built with it is not rebuilt.
fn is_written(out: &Path, version: &str, hashed: &Files, files: &Files) -> bool {
    let is_there = |folder: &Path, files: &Files| {
        files.iter().all(|(name, content)| {
            // The gzip copy is written last.
            let is_packed = is_compressed(name) || folder.join(format!("{name}.gz")).exists();
            is_packed && fs::read(folder.join(name)).is_ok_and(|written| written == *content)
        })
    };
    is_there(&out.join("a").join(version), hashed) && is_there(out, files)
}

/// Whether a file is compressed by its format, so that it has no compressed copies.
fn is_compressed(name: &str) -> bool {
    name.ends_with(".png") || name.ends_with(".woff2")
}

/// Writes everything to an empty folder, so that no file of an older build remains.
fn write_all(out: &Path, version: &str, hashed: &Files, files: &Files) -> Result<()> {
    if out.exists() {
        fs::remove_dir_all(out)?;
    }
    for (folder, files) in [(out.join("a").join(version), hashed), (out.to_owned(), files)] {
        fs::create_dir_all(&folder)?;
        for (name, content) in files {
            fs::write(folder.join(name), content)?;
            if !is_compressed(name) {
                fs::write(folder.join(format!("{name}.br")), compress::brotli(content)?)?;
                fs::write(folder.join(format!("{name}.gz")), compress::gzip(content)?)?;
            }
        }
    }
    Ok(())
}

/// Prints the sizes of all files, and fails if those of a part exceed its budget.
fn report(out: &Path, version: &str, hashed: &Files, files: &Files) -> Result<()> {
    println!("    {:<32}{:>10}{:>10}", "file", "bytes", "brotli");
    let (mut page, mut study) = (0, 0);
    let index = ("index.html", &files["index.html"], out.to_owned());
    let inside = hashed.iter().map(|(name, content)| (name.as_str(), content, out.join("a").join(version)));
    for (name, content, folder) in inside.chain([index]) {
        if is_compressed(name) {
            println!("    {name:<32}{:>10}", content.len());
            continue;
        }
        let small = fs::metadata(folder.join(format!("{name}.br")))?.len() as usize;
        println!("    {name:<32}{:>10}{small:>10}", content.len());
        match name {
            name if is_catalogue(name) => {}
            name if is_of_study(name) => study += small,
            _ => page += small,
        }
    }
    println!("    version {version}");
    check_size(&PAGE, page)?;
    check_size(&STUDY, study)
}

fn check_size(Part { name, budget, .. }: &Part, size: usize) -> Result<()> {
    println!("    {name}: {size} bytes of brotli, at most {budget}");
    ensure!(size <= *budget, "too large: {name} take {size} Brotli-compressed bytes, and the limit is {budget}");
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_may_take_its_budget_and_no_more() {
        assert!(check_size(&PAGE, PAGE.budget).is_ok());
        let error = check_size(&STUDY, STUDY.budget + 1).unwrap_err().to_string();
        assert!(error.contains("too large: study screens and worker take"), "{error}");
    }

    #[test]
    fn only_the_page_loads_before_a_person_studies_a_game() {
        let names = |part: &Part| {
            let module = [format!("{}.js", part.module), format!("{}_bg.wasm", part.module)];
            part.files.iter().map(|name| (*name).to_owned()).chain(module).collect::<Vec<_>>()
        };
        assert!(names(&STUDY).iter().all(|name| is_of_study(name)));
        assert!(!names(&PAGE).iter().any(|name| is_of_study(name)));
    }
}
