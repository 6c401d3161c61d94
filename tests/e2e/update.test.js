// A new version of the page, a crashed tab, a restarted browser: nothing is lost.
import { once } from "node:events";
import { audit } from "./audit.js";
import { expect, processesIn, test } from "./fixtures.js";
import { dominoes, expectHand, startOffline, startPlaying } from "./player.js";

test("a new version waits for confirmation, and the game continues in it", async ({ visit, files }) => {
  const page = await visit({ serviceWorkers: "allow", settings: { still: true, pace: "fast" } });
  await page.goto(files.url);
  await expect.poll(() => page.evaluate(() => navigator.serviceWorker.controller !== null), "the service worker must control the page").toBe(true);
  await startPlaying(page, files.url);
  const before = await dominoes(page);
  files.change("sw.js", (text) => `${text}\n// another version`);
  await page.evaluate(async () => (await navigator.serviceWorker.getRegistration()).update());
  await expect(page.locator(".update")).toBeVisible();
  await audit(page, "desk-update");
  await expectHand(page, before, "the game must be unchanged");
  const reloaded = page.waitForEvent("load");
  await page.locator(".update button").click();
  await reloaded;
  await expectHand(page, before, "and must continue in the new version");
  await expect(page.locator(".update")).toHaveCount(0);
});

const expectRestoredHand = async (page, url, before) => {
  await page.goto(url);
  await page.locator("[data-way=continue]").click();
  await expectHand(page, before, "the hand must be the same");
};

test("the game survives a crashed tab", async ({ visit, files }) => {
  const page = await visit();
  await startPlaying(page, files.url);
  const before = await dominoes(page);
  const next = await page.context().newPage();
  const crashed = page.waitForEvent("crash");
  page.goto("chrome://crash").catch(() => {});
  await crashed;
  await expectRestoredHand(next, files.url, before);
});

// Kills every process that uses the profile folder, without warning, like a power failure.
function killBrowser(folder) {
  for (const id of processesIn(folder)) {
    try {
      process.kill(id, "SIGKILL");
    } catch {
      // The process has ended.
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

test("the game survives killing the browser right after the first deal", async ({ launch, folder, files }) => {
  const first = await launch();
  await startOffline(first, files.url);
  const before = await dominoes(first);
  await expect.poll(() => first.evaluate(ticketOnDisk), "the ticket must be stored").toBe(true);
  const gone = once(first.context(), "close");
  killBrowser(folder);
  await gone;
  await expectRestoredHand(await launch(), files.url, before);
});

test("the game survives a restart of the browser", async ({ launch, files }) => {
  const first = await launch();
  await startPlaying(first, files.url);
  const before = await dominoes(first);
  await first.context().close();
  await expectRestoredHand(await launch(), files.url, before);
});
