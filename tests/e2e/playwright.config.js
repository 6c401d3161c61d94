// Tests of the page in a real browser. `cargo xtask e2e` builds what they need and runs them; CHROMIUM names the browser.
// If WORKERD names the runtime of the edge, only the online tests run, on the edge instead of the server.
import { existsSync } from "node:fs";
import { defineConfig } from "@playwright/test";
import { BOUNDS, LAUNCH } from "./options.js";
import { DIST, RESULTS } from "./paths.js";

if (!existsSync(`${DIST}/index.html`)) throw new Error("there is no bundle: run `cargo xtask e2e` or `cargo xtask bundle` first");

export default defineConfig({
  ...BOUNDS,
  testDir: ".",
  testMatch: process.env.WORKERD ? "online.test.js" : "*.test.js",
  outputDir: RESULTS,
  fullyParallel: true,
  workers: 2,
  retries: 0,
  forbidOnly: true,
  reporter: [["list"], ["./reporter.js"]],
  use: { ...BOUNDS.use, launchOptions: LAUNCH, screenshot: "only-on-failure", trace: { mode: "retain-on-failure", screenshots: false } },
});
