//! Puts the bundle of the web client into the binary, if there is one: the folder that `TEXAS42_WEB_DIST` names, or
//! `web-dist` in cargo's target directory when it is there already. Without one the server has its small page.

use std::{
    env, fs,
    path::{Path, PathBuf},
};

fn main() {
    println!("cargo::rerun-if-env-changed=TEXAS42_WEB_DIST");
    println!("cargo::rerun-if-changed=build.rs");
    let out = PathBuf::from(env::var("OUT_DIR").expect("cargo sets it"));
    let folder = env::var("TEXAS42_WEB_DIST").map_or_else(|_| packed_before(&out), |named| Some(PathBuf::from(named)));
    let mut files = Vec::new();
    // A path that is missing would make cargo build the server anew every time; who makes the first bundle names it in
    // the environment.
    if let Some(folder) = folder.filter(|folder| folder.join("index.html").exists()) {
        println!("cargo::rerun-if-changed={}", folder.display());
        collect(&folder, &folder, &mut files);
    }
    files.sort();
    let entries: String =
        files.iter().map(|(name, path)| format!("    ({name:?}, include_bytes!({path:?})),\n")).collect();
    let code = format!(
        "/// The files of the web client by their paths, in order.\nstatic BUNDLE: &[(&str, &[u8])] = &[\n{entries}];\n"
    );
    fs::write(out.join("bundle.rs"), code).expect("the output folder can be written");
}

/// A bundle in the target directory, which is four folders above `OUT_DIR`, or five in a build for another target.
fn packed_before(out: &Path) -> Option<PathBuf> {
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
