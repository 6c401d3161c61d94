// Paths of files that `cargo xtask e2e` builds, and of the tests' output.
import { fileURLToPath } from "node:url";

// `cargo xtask` sets CARGO_TARGET_DIR.
const target = `${process.env.CARGO_TARGET_DIR ?? fileURLToPath(new URL("../../target", import.meta.url))}/`;

// The bundle of the page, as a static host would serve it.
export const DIST = `${target}web-dist`;
// The `texas42` binary: the native server and the commands that read records.
export const PROGRAM = `${target}debug/texas42`;
// The Worker for the edge.
export const EDGE = `${target}edge-dist/workerd.capnp`;
// Screenshots for review.
export const SHOTS = `${target}e2e`;
// Output of failed tests: traces and screenshots.
export const RESULTS = `${target}e2e-results`;
// The picture in the README.
export const PICTURE = fileURLToPath(new URL("../../docs/screenshot.jpg", import.meta.url));
