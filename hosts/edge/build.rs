//! Generates the OpenAPI document at build time, so that the Worker ships without the schema generator.

use std::{env, fs, path::Path};

use texas42_hosting::{openapi, routes::HostKind};

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    let folder = env::var("OUT_DIR").expect("Cargo sets OUT_DIR");
    fs::write(Path::new(&folder).join("openapi.json"), openapi(HostKind::Edge).to_string())
        .expect("OUT_DIR is writable");
}
