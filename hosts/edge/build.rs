//! Writes the OpenAPI document down, so that the Worker does not carry what it is made with.

use std::{env, fs, path::Path};

use texas42_hosting::{openapi, routes::HostKind};

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    let folder = env::var("OUT_DIR").expect("cargo names the folder");
    fs::write(Path::new(&folder).join("openapi.json"), openapi(HostKind::Edge).to_string()).expect("it can be written");
}
