// The test fixtures. `visit` opens the page in a new browser context, `files` serves the bundle as static files, `server` runs
// a server that includes the page, and `launch` starts a browser whose profile outlives it.
// A test fails if a page throws, logs an error, or violates its security policy.
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test as base, expect } from "@playwright/test";
import { LAUNCH } from "./options.js";
import { SHOTS } from "./paths.js";
import { startServer } from "./server.js";
import { serveFiles } from "./static-server.js";
import { controlWorkers, seedRandom } from "./workers.js";

export { expect };

mkdirSync(SHOTS, { recursive: true });

export const test = base.extend({
  // The errors that a test expects, as patterns. A test that causes others adds them.
  expectedErrors: async ({}, use) => use([EXPECTED]),

  visit: async ({ browser, expectedErrors }, use) => {
    const [contexts, errors] = [[], []];
    await use(async (options) => {
      const context = await newContext(browser, contexts.length + 1, options);
      collectErrors(context, errors, expectedErrors);
      contexts.push(context);
      return context.newPage();
    });
    for (const context of contexts) await context.close();
    expect(errors, "the page must not report errors").toEqual([]);
  },

  // The profile folder of `launch`. It is removed after all processes of the browser have ended.
  folder: async ({}, use) => {
    const folder = mkdtempSync(join(tmpdir(), "texas42-profile-"));
    await use(folder);
    await expect.poll(() => processesIn(folder), "every process of the browser must end").toEqual([]);
    rmSync(folder, { recursive: true, force: true });
  },

  launch: async ({ playwright, folder }, use) => {
    const contexts = [];
    await use(async () => {
      const context = await playwright.chromium.launchPersistentContext(folder, { ...LAUNCH, viewport: DESK });
      contexts.push(context);
      // The service worker may serve the worker's script, so its clock cannot be controlled: bots play fast instead.
      await context.addInitScript({ content: `(${prepare})(${JSON.stringify(settingsJson({ pace: "fast" }))}, (${seedRandom}), 0)` });
      return context.pages()[0] ?? (await context.newPage());
    });
    for (const context of contexts) await context.close();
  },

  files: async ({}, use) => {
    const files = await serveFiles();
    await use(files);
    await files.close();
  },

  server: async ({}, use) => {
    const server = await startServer();
    await use(server);
    await server.stop();
  },
});

// The ids of all processes whose command line contains a folder.
export function processesIn(folder) {
  const usesFolder = (id) => {
    try {
      return readFileSync(`/proc/${id}/cmdline`, "utf8").includes(folder);
    } catch {
      // The process has ended.
      return false;
    }
  };
  return readdirSync("/proc").filter((name) => /^\d+$/.test(name)).filter(usesFolder).map(Number);
}

// Every page and worker of every person gets a different seed.
const SEEDS = 1_000;
const DESK = { width: 1440, height: 900 };

// By default the table waits for a tap before it continues, so that nothing changes while a test inspects the page.
const settingsJson = (settings) => JSON.stringify({ pace: "tap", theme: "light", name: "Maria", ...settings });

async function newContext(browser, number, { width = DESK.width, height = DESK.height, settings = {}, touch = false, ...more } = {}) {
  const context = await browser.newContext({ viewport: { width, height }, hasTouch: touch, locale: "en-US", serviceWorkers: "block", ...more });
  await context.addInitScript({ content: `(${prepare})(${JSON.stringify(settingsJson(settings))}, (${seedRandom}), ${number * SEEDS})` });
  if (more.serviceWorkers !== "allow") await controlWorkers(context, number * SEEDS + SEEDS / 2);
  return context;
}

// Runs in every page before its scripts. Seeds the random numbers, differently after each reload, and records notices, which may
// disappear before a test looks.
function prepare(settings, seedRandom, seed) {
  // A blank page has no storage.
  if (location.protocol === "about:") return;
  localStorage.getItem("texas42.settings") ?? localStorage.setItem("texas42.settings", settings);
  const loads = Number(localStorage.getItem("e2e.loads")) + 1;
  localStorage.setItem("e2e.loads", loads);
  seedRandom(seed + loads);
  window.notices = [];
  const recordNotice = () => {
    const text = document.querySelector(".notice.on")?.textContent;
    if (text && window.notices.at(-1) !== text) window.notices.push(text);
  };
  new MutationObserver(recordNotice).observe(document, { subtree: true, childList: true, characterData: true, attributeFilter: ["class"] });
  // Screen readers announce the changes of a live region that they know. A region must not appear together with its text, unless
  // it is part of a new screen. The error fails the test.
  const SCREENS = "main, .center";
  const isPart = (root) => root.matches(SCREENS) || root.querySelector(SCREENS);
  const regions = (root) => [root, ...root.querySelectorAll("*")].filter((element) => element.matches("[role=status], [role=alert], [role=log]"));
  new MutationObserver((changes) => {
    const added = changes.flatMap(({ addedNodes }) => [...addedNodes]).filter((node) => node instanceof Element && !isPart(node));
    for (const { textContent, outerHTML } of added.flatMap(regions)) {
      if (textContent.trim()) console.error(`a live region appeared together with its text: ${outerHTML.slice(0, 120)}`);
    }
  }).observe(document, { subtree: true, childList: true });
}

// Errors that occur when a test stops the server.
const EXPECTED = /ERR_CONNECTION|ERR_INTERNET|WebSocket|Failed to load resource/;

function collectErrors(context, errors, expected) {
  const collect = (text) => expected.some((pattern) => pattern.test(text)) || errors.push(text);
  context.on("weberror", (error) => collect(error.error().message));
  context.on("console", (message) => message.type() === "error" && collect(message.text()));
}
