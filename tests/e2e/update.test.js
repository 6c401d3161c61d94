// A new version of the page, a tab that crashes, a browser that is started again: nothing is lost.
import { once } from "node:events";
import { audit } from "./audit.js";
import { expect, processesIn, test } from "./fixtures.js";
import { dominoes, expectHand, startOffline, startPlaying } from "./player.js";

test("a new version waits until the person wants it, and the game goes on in it", async ({ visit, files }) => {
  const page = await visit({ serviceWorkers: "allow", settings: { still: true, pace: "fast" } });
  await page.goto(files.url);
  await expect.poll(() => page.evaluate(() => navigator.serviceWorker.controller !== null), "the worker is in charge").toBe(true);
  await startPlaying(page, files.url);
  const before = await dominoes(page);
  files.change("sw.js", (text) => `${text}\n// another version`);
  await page.evaluate(async () => (await navigator.serviceWorker.getRegistration()).update());
  await expect(page.locator(".update")).toBeVisible();
  await audit(page, "desk-update");
  await expectHand(page, before, "the game is as it was");
  const reloaded = page.waitForEvent("load");
  await page.locator(".update button").click();
  await reloaded;
  await expectHand(page, before, "and goes on in the new version");
  await expect(page.locator(".update")).toHaveCount(0);
});

const findsItsHand = async (page, url, before) => {
  await page.goto(url);
  await page.locator("[data-way=continue]").click();
  await expectHand(page, before, "the hand is the same");
};

test("a tab that crashes finds its game again", async ({ visit, files }) => {
  const page = await visit();
  await startPlaying(page, files.url);
  const before = await dominoes(page);
  const next = await page.context().newPage();
  const crashed = page.waitForEvent("crash");
  page.goto("chrome://crash").catch(() => {});
  await crashed;
  await findsItsHand(next, files.url, before);
});

// Without a word to it, as a battery that runs out: every process that uses the folder.
function killBrowser(folder) {
  for (const id of processesIn(folder)) {
    try {
      process.kill(id, "SIGKILL");
    } catch {
      // It has ended meanwhile.
    }
  }
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

test("a browser that is killed right after the first deal finds its game", async ({ launch, folder, files }) => {
  const first = await launch();
  await startOffline(first, files.url);
  const before = await dominoes(first);
  await expect.poll(() => first.evaluate(ticketOnDisk), "the way back is written down").toBe(true);
  const gone = once(first.context(), "close");
  killBrowser(folder);
  await gone;
  await findsItsHand(await launch(), files.url, before);
});

test("a browser that is closed and started again finds its game", async ({ launch, files }) => {
  const first = await launch();
  await startPlaying(first, files.url);
  const before = await dominoes(first);
  await first.context().close();
  await findsItsHand(await launch(), files.url, before);
});
