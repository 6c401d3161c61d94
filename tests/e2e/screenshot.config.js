// `cargo xtask screenshot`: the picture in the README.
import { defineConfig } from "@playwright/test";
import { BOUNDS, LAUNCH } from "./options.js";
import { RESULTS } from "./paths.js";

export default defineConfig({
  ...BOUNDS,
  testDir: ".",
  testMatch: "screenshot.js",
  outputDir: `${RESULTS}-screenshot`,
  workers: 1,
  reporter: "line",
  use: { ...BOUNDS.use, launchOptions: LAUNCH },
});
