// What the tests and the benchmark have in common in their Playwright configuration.
export const LAUNCH = {
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  chromiumSandbox: false,
  args: ["--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"],
};

// No test waits for a fixed time. These are bounds for a broken page, far beyond what a busy machine needs.
export const BOUNDS = { timeout: 900_000, expect: { timeout: 240_000 }, use: { actionTimeout: 240_000, navigationTimeout: 240_000 } };
