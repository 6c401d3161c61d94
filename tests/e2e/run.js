// The page in a real browser. `node run.js [part of a name]`; CHROMIUM names the browser.
// The static tests need the bundle in target/web-dist; those online need the server's binary with it inside. When WORKERD names
// the runtime of the edge, only those online run, with the Worker in target/edge-dist instead of the server.
import { existsSync, mkdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { run } from "./harness.js";

await import("./online.test.js");
if (!process.env.WORKERD) {
  await import("./offline.test.js");
  await import("./screens.test.js");
  await import("./going-online.test.js");
  await import("./views.test.js");
  await import("./update.test.js");
  await import("./measure.test.js");
}

const root = fileURLToPath(new URL("../../", import.meta.url));
const world = { root, dist: `${root}target/web-dist`, shots: `${root}target/e2e` };
mkdirSync(world.shots, { recursive: true });
if (!existsSync(`${world.dist}/index.html`)) {
  console.error("there is no bundle: run `cargo xtask bundle` first");
  process.exit(1);
}
process.exit((await run(world)) ? 1 : 0);
