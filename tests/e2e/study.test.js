// The module with the screens that study a game: when it is loaded, and what happens if it cannot be loaded.
import { expect, test } from "./fixtures.js";
import { expectFilesCached, playTo, said, startSeeded } from "./player.js";
import { NOT_LOADED } from "./static-server.js";

// A finished game of one mark: the link of its replay is `#replay/` and the code.
async function finishGame(page, url) {
  await startSeeded(page, url, "lubbock", 1);
  await playTo(page, ["game-end"]);
}

async function replayLink(visit, url) {
  const page = await visit();
  await finishGame(page, url);
  await page.locator("[data-do=replay]").click();
  await expectReplay(page);
  return page.url();
}

const replay = (page) => page.locator(".replaying");
const expectReplay = (page) => expect(page.locator(".steps output")).toHaveText(/^0 of/);
const retry = (page) => page.locator("[data-do=try-again]");
const FILES = ["study-worker.js", "study.css", "study.js", "study_bg.wasm"];

// The names of the module's files that a page has requested so far, in alphabetical order.
function watchFiles(page) {
  const names = new Set();
  page.on("request", (request) => names.add(new URL(request.url()).pathname.split("/").at(-1)));
  return () => [...names].filter((name) => name.startsWith("study")).sort();
}

test("the module is loaded when a game has ended, because it can be replayed", async ({ visit, files }) => {
  const page = await visit();
  const loaded = watchFiles(page);
  await finishGame(page, files.url);
  await expect.poll(loaded, "the end of a game offers a replay").toEqual(FILES.slice(1));
  await page.locator("[data-do=replay]").click();
  await expectReplay(page);
  expect(loaded()).toEqual(FILES);
});

test("a visit of the start page and a game does not load the module", async ({ visit, files }) => {
  const page = await visit();
  const loaded = watchFiles(page);
  await startSeeded(page, files.url, "lubbock", 3);
  await playTo(page, ["scoring"]);
  expect(loaded()).toEqual([]);
});

test("a replay link loads the module, and the way back and forth leads through it", async ({ visit, files }) => {
  const link = await replayLink(visit, files.url);
  const page = await visit();
  const loaded = watchFiles(page);
  await page.goto(files.url);
  await expect(page.locator("[data-way=play]")).toBeVisible();
  expect(loaded()).toEqual([]);
  await page.evaluate((hash) => { location.hash = hash; }, new URL(link).hash);
  await expectReplay(page);
  expect(loaded()).toEqual(FILES);
  await page.goBack();
  await expect(page.locator("[data-way=play]")).toBeVisible();
  await expect(replay(page), "the screen must be removed").toHaveCount(0);
  await expect.poll(() => page.workers().length, "its worker must end").toBe(0);
  await page.goForward();
  await expectReplay(page);
  await page.reload();
  await expectReplay(page);
  await page.getByRole("button", { name: "Home", exact: true }).click();
  await expect(page.locator("[data-way=play]")).toBeVisible();
  expect(new URL(page.url()).hash).toBe("");
});

test("a replay takes the focus and is announced where the page announces", async ({ visit, files }) => {
  const page = await visit();
  await finishGame(page, files.url);
  await page.locator("[data-do=replay]").press("Enter");
  await expectReplay(page);
  await expect(page.locator("#table")).toBeFocused();
  await expect(page.locator("[data-said]"), "the screen must not have a log of its own").toHaveCount(1);
  await expect(said(page).last()).toHaveText(/^0 of/);
});

for (const missing of [/study\.js/, /study_bg/, /study\.css/]) {
  test(`without ${missing.source} a replay says so, and can be loaded again`, async ({ visit, files, expectedErrors }) => {
    expectedErrors.push(NOT_LOADED);
    const link = await replayLink(visit, files.url);
    const page = await visit();
    files.withhold(missing);
    await page.goto(link);
    await expect(page.getByRole("status").filter({ hasText: "couldn't be loaded" })).toBeVisible();
    await retry(page).click();
    await expect(retry(page), "it is still missing").toBeVisible();
    files.withhold(null);
    await retry(page).click();
    await expectReplay(page);
    await expect(retry(page)).toHaveCount(0);
  });
}

test("a replay that arrives after the person has left does not appear", async ({ visit, files }) => {
  const link = await replayLink(visit, files.url);
  const page = await visit();
  let release;
  const released = new Promise((done) => { release = done; });
  await page.route("**/study_bg.wasm", async (route) => {
    await released;
    await route.continue();
  });
  await page.goto(link);
  await expect(page.locator("main.waiting [role=status]")).toBeVisible();
  await page.getByRole("button", { name: "Home", exact: true }).click();
  await expect(page.locator("[data-way=play]")).toBeVisible();
  const arrived = page.waitForResponse(/study_bg/);
  release();
  await (await arrived).finished();
  // A second visit gets the module that has arrived: if the first were mounted late, there would be two replays.
  await page.evaluate((hash) => { location.hash = hash; }, new URL(link).hash);
  await expectReplay(page);
  await expect(replay(page)).toHaveCount(1);
});

test("a replay opens offline after the page was visited once, even if its files came later", async ({ visit, files }) => {
  const link = await replayLink(visit, files.url);
  files.withhold(/study/);
  const page = await visit({ serviceWorkers: "allow" });
  await page.goto(files.url);
  await expectFilesCached(page);
  files.withhold(null);
  // The page is controlled by its service worker now, which caches the files on their first use.
  await page.goto("about:blank");
  await page.goto(link);
  await expectReplay(page);
  await files.close();
  await page.goto("about:blank");
  await page.goto(link);
  await expectReplay(page);
});
