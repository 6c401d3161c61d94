// `cargo xtask bench page`: measures how fast the page feels, prints the numbers, and fails if they are too
// high. It is not one of the tests, because machines differ.
import { defineConfig } from "@playwright/test";
import { BOUNDS, LAUNCH } from "./options.js";
import { RESULTS } from "./paths.js";

export default defineConfig({
  ...BOUNDS,
  testDir: ".",
  testMatch: "page.bench.js",
  outputDir: `${RESULTS}-bench`,
  workers: 1,
  reporter: "line",
  use: { ...BOUNDS.use, launchOptions: LAUNCH },
});
