// A new version of the page, a tab that crashes, a browser that is started again: nothing is lost.
import { mkdtempSync, readFileSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { audit } from "./audit.js";
import { check, test, until } from "./harness.js";
import { hand, startOffline, startPlaying } from "./player.js";
import { withFiles } from "./static-server.js";

test("a new version waits until the person wants it, and the game goes on in it", withFiles(async ({ visit, url, server, shots }) => {
  const page = await visit({ settings: { still: true } });
  await page.goto(url);
  await page.evaluate(() => navigator.serviceWorker.ready);
  await until("the worker is in charge", () => page.evaluate(() => navigator.serviceWorker.controller !== null));
  await startPlaying(page, url);
  const before = await hand(page);
  server.change("sw.js", (text) => `${text}\n// another version`);
  await page.evaluate(async () => (await navigator.serviceWorker.getRegistration()).update());
  await page.waitForSelector(".update");
  await audit(page, "desk-update", shots);
  await until("the game is as it was", async () => (await hand(page)).join() === before.join());
  const reloaded = page.waitForNavigation();
  await page.click(".update button");
  await reloaded;
  await page.waitForSelector("#hand .tile");
  await until("and goes on in the new version", async () => (await hand(page)).join() === before.join());
}));

test("a tab that crashes finds its game again", withFiles(async ({ visit, url }) => {
  const page = await visit();
  await startPlaying(page, url);
  const before = await hand(page);
  const next = await page.context().newPage();
  const crashed = page.waitForEvent("crash");
  page.goto("chrome://crash").catch(() => {});
  await crashed;
  await next.goto(url);
  await next.click("[data-way=continue]");
  await next.waitForSelector("#hand .tile");
  await until("the hand is the same", async () => (await hand(next)).join() === before.join());
}));

// A browser that is killed may still write for a moment; what it leaves in a folder for such things is no failure of the page.
function forget(folder) {
  try {
    rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 });
  } catch (error) {
    console.log(`    ${folder} is left behind: ${error.code}`);
  }
}

// Without a word to it, as a battery that runs out: every process that uses the folder.
function killBrowser(folder) {
  for (const id of readdirSync("/proc").filter((name) => /^\d+$/.test(name))) {
    try {
      if (readFileSync(`/proc/${id}/cmdline`, "utf8").includes(folder)) process.kill(Number(id), "SIGKILL");
    } catch {
      // It has ended meanwhile.
    }
  }
}

test("a browser that is killed right after the first deal finds its game", withFiles(async ({ launch, url }) => {
  const folder = mkdtempSync(join(tmpdir(), "texas42-profile-"));
  try {
    const first = await launch(folder);
    await startOffline(first.page, url);
    const before = await hand(first.page);
    await until("the way back is written down", () => first.page.evaluate(ticketOnDisk));
    const gone = new Promise((done) => first.page.on("close", done));
    killBrowser(folder);
    await gone;
    await first.close().catch(() => {});
    await findsItsHand(launch, folder, url, before);
  } finally {
    forget(folder);
  }
}));

async function findsItsHand(launch, folder, url, before) {
  const { page, close } = await launch(folder);
  await page.goto(url);
  await page.click("[data-way=continue]");
  await page.waitForSelector("#hand .tile");
  await until("the hand is the same", async () => (await hand(page)).join() === before.join());
  await close();
}

const ticketOnDisk = () => new Promise((done) => {
  const opening = indexedDB.open("texas42", 1);
  opening.onsuccess = () => {
    const asked = opening.result.transaction("events").objectStore("events").get("ticket");
    asked.onsuccess = () => {
      opening.result.close();
      done(Boolean(asked.result));
    };
  };
});

test("a browser that is closed and started again finds its game", withFiles(async ({ launch, url }) => {
  const folder = mkdtempSync(join(tmpdir(), "texas42-profile-"));
  try {
    const first = await launch(folder);
    await startPlaying(first.page, url);
    const before = await hand(first.page);
    await first.close();
    await findsItsHand(launch, folder, url, before);
  } finally {
    forget(folder);
  }
}));
