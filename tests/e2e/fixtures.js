// What the tests are made of. `visit` opens the page for a person in a browser context of its own, `files` serves the bundle as
// plain files, `server` is a server with the page inside, `launch` starts a browser whose folder outlives it.
// A test fails when a page throws, logs an error, or breaks its own security policy.
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
  visit: async ({ browser }, use) => {
    const [contexts, complaints] = [[], []];
    await use(async (options) => {
      const context = await newPerson(browser, contexts.length + 1, options);
      listen(context, complaints);
      contexts.push(context);
      return context.newPage();
    });
    for (const context of contexts) await context.close();
    expect(complaints, "the page complains about nothing").toEqual([]);
  },

  // The folder of the browser of `launch`. It is removed when no process of a browser can write into it any more.
  folder: async ({}, use) => {
    const folder = mkdtempSync(join(tmpdir(), "texas42-profile-"));
    await use(folder);
    await expect.poll(() => processesIn(folder), "every process of the browser has ended").toEqual([]);
    rmSync(folder, { recursive: true, force: true });
  },

  launch: async ({ playwright, folder }, use) => {
    const contexts = [];
    await use(async () => {
      const context = await playwright.chromium.launchPersistentContext(folder, { ...LAUNCH, viewport: DESK });
      contexts.push(context);
      // A service worker may answer for its worker, whose clock does not jump: so the computer players are in a hurry.
      await context.addInitScript({ content: `(${prepare})(${JSON.stringify(settled({ pace: "fast" }))}, (${seedRandom}), 0)` });
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

// The ids of the processes that were started with a folder.
export function processesIn(folder) {
  const usesFolder = (id) => {
    try {
      return readFileSync(`/proc/${id}/cmdline`, "utf8").includes(folder);
    } catch {
      // It has ended meanwhile.
      return false;
    }
  };
  return readdirSync("/proc").filter((name) => /^\d+$/.test(name)).filter(usesFolder).map(Number);
}

// Every page and every worker of every person has a seed of its own.
const SEEDS = 1_000;
const DESK = { width: 1440, height: 900 };

// Nothing at a table goes on before somebody taps, unless a test wants it otherwise: then nothing changes while a test looks.
const settled = (settings) => JSON.stringify({ pace: "tap", theme: "light", name: "Maria", ...settings });

async function newPerson(browser, number, { width = DESK.width, height = DESK.height, settings = {}, touch = false, ...more } = {}) {
  const context = await browser.newContext({ viewport: { width, height }, hasTouch: touch, locale: "en-US", serviceWorkers: "block", ...more });
  await context.addInitScript({ content: `(${prepare})(${JSON.stringify(settled(settings))}, (${seedRandom}), ${number * SEEDS})` });
  if (more.serviceWorkers !== "allow") await controlWorkers(context, number * SEEDS + SEEDS / 2);
  return context;
}

// Runs in every page before its own scripts. Random numbers come from a seed, another one after each reload. Keeps the notices, which may be gone before a test looks.
function prepare(settings, seedRandom, seed) {
  // An empty page has no storage.
  if (location.protocol === "about:") return;
  localStorage.getItem("texas42.settings") ?? localStorage.setItem("texas42.settings", settings);
  const loads = Number(localStorage.getItem("e2e.loads")) + 1;
  localStorage.setItem("e2e.loads", loads);
  seedRandom(seed + loads);
  window.notices = [];
  const note = () => {
    const text = document.querySelector(".notice.on")?.textContent;
    if (text && window.notices.at(-1) !== text) window.notices.push(text);
  };
  new MutationObserver(note).observe(document, { subtree: true, childList: true, characterData: true, attributeFilter: ["class"] });
}

// A server that a test has stopped is no mistake of the page.
const EXPECTED = /ERR_CONNECTION|ERR_INTERNET|WebSocket|Failed to load resource/;

function listen(context, complaints) {
  context.on("weberror", (error) => complaints.push(error.error().message));
  context.on("console", (message) => {
    if (message.type() === "error" && !EXPECTED.test(message.text())) complaints.push(message.text());
  });
}
