// Runs tests one after the other, each in a fresh browser context, and prints their results as cargo does.
// A test fails when the page throws, logs an error, or breaks its own security policy.
import { chromium } from "playwright-core";

const OPTIONS = {
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  chromiumSandbox: false,
  args: ["--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"],
};

const tests = [];
export const test = (name, work) => tests.push({ name, work });

export function check(holds, sentence) {
  if (!holds) throw new Error(sentence);
}

// Waits for something to become true; the time is a bound for a broken page, not a promise of speed.
export async function until(sentence, ask, seconds = 60) {
  const end = Date.now() + seconds * 1000;
  for (;;) {
    const value = await ask();
    if (value) return value;
    check(Date.now() < end, `it never happened: ${sentence}`);
    await new Promise((done) => setTimeout(done, 40));
  }
}

export async function run(world) {
  const only = process.argv[2];
  const chosen = tests.filter(({ name }) => !only || name.includes(only));
  const browser = await chromium.launch(OPTIONS);
  let failed = 0;
  console.log(`\nrunning ${chosen.length} tests`);
  for (const { name, work } of chosen) {
    const began = Date.now();
    const guests = [];
    const visit = (options) => guest(browser, guests, options);
    try {
      await work({ ...world, visit, launch });
      const complaints = guests.flatMap(({ complaints }) => complaints);
      check(complaints.length === 0, `the page complained: ${complaints.join("; ")}`);
      console.log(`test ${name} ... ok (${Date.now() - began} ms)`);
    } catch (error) {
      failed += 1;
      console.log(`test ${name} ... FAILED\n  ${error.stack ?? error}`);
      for (const { page } of guests) await page.screenshot({ path: `${world.shots}/failed-${failed}.png` }).catch(() => {});
    }
    for (const { context } of guests) await context.close().catch(() => {});
  }
  await browser.close();
  console.log(`\ntest result: ${failed ? "FAILED" : "ok"}. ${chosen.length - failed} passed; ${failed} failed; 0 ignored\n`);
  return failed;
}

// A browser with a folder of its own, so that what it keeps outlives it.
async function launch(folder) {
  const context = await chromium.launchPersistentContext(folder, { ...OPTIONS, viewport: { width: 1440, height: 900 } });
  await context.addInitScript(keepSettings, settled({}));
  const page = context.pages()[0] ?? (await context.newPage());
  return { page, close: () => context.close() };
}

const settled = (settings) => JSON.stringify({ pace: "fast", theme: "light", name: "Maria", ...settings });
// An empty page has no storage.
const keepSettings = (kept) => void (location.protocol !== "about:" && (localStorage.getItem("texas42.settings") ?? localStorage.setItem("texas42.settings", kept)));

// A person with a browser of their own.
async function guest(browser, guests, { width = 1440, height = 900, settings = {}, touch = false, locale = "en-US", ...more } = {}) {
  const context = await browser.newContext({ viewport: { width, height }, hasTouch: touch, locale, ...more });
  await context.addInitScript(keepSettings, settled(settings));
  const page = await context.newPage();
  const complaints = [];
  page.on("pageerror", (error) => complaints.push(error.message));
  page.on("console", (message) => {
    const isNetwork = /ERR_CONNECTION|ERR_INTERNET|WebSocket|Failed to load resource/.test(message.text());
    if (message.type() === "error" && !isNetwork) complaints.push(message.text());
  });
  guests.push({ context, page, complaints });
  return page;
}
