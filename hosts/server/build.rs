//! Embeds the web client in the binary. The files come from the folder in `TEXAS42_WEB_DIST`, or else from `web-dist` in
//! Cargo's target directory. If neither exists, the server falls back to its minimal page.

use std::{
    env, fs,
    path::{Path, PathBuf},
};

fn main() {
    println!("cargo::rerun-if-env-changed=TEXAS42_WEB_DIST");
    println!("cargo::rerun-if-changed=build.rs");
    let out = PathBuf::from(env::var("OUT_DIR").expect("Cargo sets OUT_DIR"));
    let folder = env::var("TEXAS42_WEB_DIST").map_or_else(|_| existing_bundle(&out), |path| Some(PathBuf::from(path)));
    let mut files = Vec::new();
    // Watch only an existing folder: Cargo would rerun this script on every build for a missing path. A build after the
    // first bundle therefore needs `TEXAS42_WEB_DIST`.
    if let Some(folder) = folder.filter(|folder| folder.join("index.html").exists()) {
        println!("cargo::rerun-if-changed={}", folder.display());
        collect(&folder, &folder, &mut files);
    }
    files.sort();
    let entries: String =
        files.iter().map(|(name, path)| format!("    ({name:?}, include_bytes!({path:?})),\n")).collect();
    let code = format!(
        "/// The files of the web client, sorted by path.\nstatic BUNDLE: &[(&str, &[u8])] = &[\n{entries}];\n"
    );
    fs::write(out.join("bundle.rs"), code).expect("OUT_DIR is writable");
}

/// The bundle in the target directory, which is four folders above `OUT_DIR`, or five when cross-compiling.
fn existing_bundle(out: &Path) -> Option<PathBuf> {
    out.ancestors().skip(4).take(2).map(|target| target.join("web-dist")).find(|folder| folder.exists())
}

fn collect(root: &Path, folder: &Path, files: &mut Vec<(String, PathBuf)>) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            collect(root, &path, files);
        } else if let (Ok(name), Ok(full)) = (path.strip_prefix(root), path.canonicalize()) {
            files.push((name.to_string_lossy().replace('\\', "/"), full));
        }
    }
}
