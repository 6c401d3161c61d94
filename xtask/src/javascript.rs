//! `cargo xtask javascript`: checks and tests the JavaScript client in `clients/js` with Node.
//!
//! TypeScript is installed from npm in the version that `clients/js/package.json` names. The client itself has no dependencies.

use std::process::Command;

use anyhow::Result;

use crate::process::{cargo_build, program, root, run as run_program};
use crate::{e2e, no_arguments};

pub(crate) const HELP: &str = "\
usage: cargo xtask javascript

Checks the types of the JavaScript client (clients/js) with the TypeScript compiler, which comes from npm, and runs its tests in
Node, with a server. `cargo xtask e2e client.test.js` tests the client in a browser.";

/// The folder of the client.
const FOLDER: &str = "clients/js";

/// Builds the server, checks the types and runs the tests.
pub(crate) fn run(args: &[String]) -> Result<()> {
    no_arguments("javascript", args)?;
    run_program(cargo_build("texas42"))?;
    check_types()?;
    run_program(tests())
}

/// Checks the types of the client, of its tests, and of the declarations that a package contains.
pub(crate) fn check_types() -> Result<()> {
    e2e::node()?;
    e2e::packages(FOLDER)?;
    run_program(in_folder(&["node_modules/typescript/bin/tsc", "--noEmit"]))?;
    let declarations = crate::process::target("js-types").display().to_string();
    run_program(in_folder(&[
        "node_modules/typescript/bin/tsc",
        "--project",
        "tsconfig.pack.json",
        "--outDir",
        &declarations,
    ]))
}

/// The command that runs the tests in Node. Its last line sums the results in the format of `cargo test`.
pub(crate) fn tests() -> Command {
    let mut command = in_folder(&["--experimental-websocket", "--test"]);
    for reporter in ["spec", "./tests/reporter.js"] {
        command.args(["--test-reporter", reporter, "--test-reporter-destination", "stdout"]);
    }
    command.args(["tests/client.test.js", "tests/server.test.js"]).env_remove("WORKERD");
    command
}

fn in_folder(args: &[&str]) -> Command {
    let mut command = program("node", args);
    command.current_dir(root().join(FOLDER));
    command
}
