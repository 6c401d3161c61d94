// Where things lie. `cargo xtask e2e` builds what is read here.
import { fileURLToPath } from "node:url";

// `cargo xtask` says where cargo puts what it builds.
const target = `${process.env.CARGO_TARGET_DIR ?? fileURLToPath(new URL("../../target", import.meta.url))}/`;

// The bundle of the page, as any static host would serve it.
export const DIST = `${target}web-dist`;
// The native server, which also has the commands that read records.
export const PROGRAM = `${target}debug/texas42`;
// The Worker for the edge.
export const EDGE = `${target}edge-dist/workerd.capnp`;
// Pictures of the screens, for people to look at.
export const SHOTS = `${target}e2e`;
// What a failed test leaves: a trace of every page, and a picture.
export const RESULTS = `${target}e2e-results`;
