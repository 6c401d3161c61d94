// Options that the configurations of the tests and of the benchmark share.
export const LAUNCH = {
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  chromiumSandbox: false,
  args: ["--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"],
};

// No test waits for a fixed time. These timeouts catch a broken page and are far longer than a busy machine needs.
export const BOUNDS = { timeout: 900_000, expect: { timeout: 240_000 }, use: { actionTimeout: 240_000, navigationTimeout: 240_000 } };
