// Replays of finished games by their links and the module that draws them, the goal and the days of the daily challenge, and the hand of a seed.
import { SIZES, auditEverywhere } from "./audit.js";
import { expectInView } from "./boxes.js";
import { expect, test } from "./fixtures.js";
import { atPhase, declare, dominoes, expectFilesCached, expectHand, expectNotice, hand, outbid, playTo, said, startOffline, startSeeded } from "./player.js";

const position = (page) => page.locator(".steps output");
const openHands = (page) => page.locator(".held .mini.open");
const jump = (page, key) => page.locator(`.steps [data-jump=${key}]`);
const sentence = (page) => page.locator("main.waiting [role=status]");

// Plays a game of one mark and opens its replay. Returns the dealt hand and the number of the last step.
async function openReplay(page, url) {
  await startSeeded(page, url, "lubbock", 1);
  const dealt = await dominoes(page);
  await playTo(page, ["game-end"]);
  await page.locator("[data-do=replay]").click();
  await expect(position(page)).toHaveText(/^0 of \d+$/);
  const [, last] = (await position(page).textContent()).match(/of (\d+)/);
  return { dealt, last: Number(last) };
}

test("a finished game is replayed step by step, by buttons and by keys", async ({ visit, files }) => {
  const page = await visit();
  const { dealt, last } = await openReplay(page, files.url);
  expect(page.url()).toMatch(/#replay\/b[\w-]+$/);
  expect(last).toBeGreaterThan(10);
  // It begins with the first deal, and gives nothing away.
  await expectHand(page, dealt, "the hand of seat 1 must be at the bottom");
  await expect(page.locator(".replaying[data-phase=bidding]")).toBeVisible();
  for (const key of ["Home", "ArrowLeft"]) await expect(jump(page, key)).toHaveAttribute("aria-disabled", "true");
  await jump(page, "ArrowRight").click();
  await expect(position(page)).toHaveText(`1 of ${last}`);
  await expect(said(page).last(), "each step must be announced").toHaveText(/Seat \d/);
  await page.keyboard.press("ArrowRight");
  await expect(position(page)).toHaveText(`2 of ${last}`);
  await page.keyboard.press("ArrowLeft");
  await expect(position(page)).toHaveText(`1 of ${last}`);
  await page.keyboard.press("End");
  await expect(position(page)).toHaveText(`${last} of ${last}`);
  await expect(page.locator(".ending h2")).toBeVisible();
  for (const key of ["End", "ArrowRight"]) await expect(jump(page, key)).toHaveAttribute("aria-disabled", "true");
  await page.keyboard.press("Home");
  await expect(position(page)).toHaveText(`0 of ${last}`);
  // Every step shows something else than the one before.
  for (let at = 1; at <= last; at++) {
    await page.keyboard.press("ArrowRight");
    await expect(position(page)).toHaveText(`${at} of ${last}`);
  }
  await expect(page.locator(".ending h2")).toBeVisible();
});

test("a replay is seen from any seat, with all hands open or one", async ({ visit, files }) => {
  const page = await visit();
  const { dealt } = await openReplay(page, files.url);
  await expect(openHands(page)).toHaveCount(21);
  await page.locator(".steps input").uncheck();
  await expect(openHands(page)).toHaveCount(0);
  await expectHand(page, dealt, "the hand at the bottom stays open");
  await page.locator(".steps select").selectOption({ label: "Seat 3" });
  await expect(page.locator(".own-bar .who b")).toHaveText("Seat 3");
  await expect(hand(page)).toHaveCount(7);
  expect(await dominoes(page), "another seat has another hand").not.toEqual(dealt);
  await expect(openHands(page)).toHaveCount(0);
  await page.locator(".steps input").check();
  await expect(openHands(page)).toHaveCount(21);
});

test("a replay link works offline, and leaves the unfinished game alone", async ({ visit, files }) => {
  const first = await visit();
  await openReplay(first, files.url);
  const link = first.url();
  const page = await visit({ serviceWorkers: "allow", settings: { pace: "fast" } });
  await page.goto(files.url);
  await page.locator("[data-way=play]").click();
  await expect(hand(page)).toHaveCount(7);
  await expectFilesCached(page);
  await files.close();
  await page.goto("about:blank");
  await page.goto(link);
  await expect(position(page)).toHaveText(/^0 of/);
  await page.keyboard.press("End");
  await page.getByRole("button", { name: "Home", exact: true }).click();
  await page.locator("[data-way=continue]").click();
  await expect(hand(page).first()).toBeVisible();
});

test("a link that leads to no game is explained", async ({ visit, files }) => {
  const page = await visit();
  await openReplay(page, files.url);
  const link = page.url();
  const damaged = link.slice(0, -4);
  for (const [bad, text] of [[damaged, /may be missing/], [`${files.url}#replay/nonsense`, /may be missing/], [`${files.url}#replay/b_2xhdGVygVam`, /newer rules/]]) {
    await page.goto(bad);
    await expect(sentence(page)).toHaveText(text);
  }
  await page.goto(link);
  await expect(position(page)).toHaveText(/^0 of/);
});

// A fixed day, which cannot end while a test runs.
const DAY = new Date("2026-11-18T12:00:00");

test("the daily challenge shows its goal from the first bid to the result", async ({ visit, files }) => {
  const page = await visit();
  await page.clock.setFixedTime(DAY);
  await startOffline(page, files.url, "daily-easy");
  const dealt = await dominoes(page);
  const goal = page.locator(".goal");
  const texts = await goal.locator(".unseen").allTextContents();
  expect(texts.map((text) => text.replace(/\d+ points/, "# points"))).toEqual(["3 stars: # points", "2 stars: # points", "1 star: # points"]);
  const points = texts.map((text) => Number(text.match(/(\d+) points/)[1]));
  expect(points, "more stars need more points").toEqual(points.toSorted((one, other) => other - one));
  await playTo(page, ["one-hand-complete"]);
  await expect(goal).toBeVisible();
  const reached = await goal.locator(".reached").count();
  await expect(page.locator(".stars .unseen"), "the stars must follow from the goal").toHaveText(`${reached} of 3 stars`);
  await expect(page.locator(".share-text")).toHaveText(`Texas 42, 2026-11-18 (easy): ${reached} of 3 stars`);
  await page.locator(".ending .primary").click();
  await expect(atPhase(page, "bidding")).toBeVisible();
  await expectHand(page, dealt, "playing again must deal the same hand");
});

test("earlier days of the daily challenge can be played, and later days cannot", async ({ visit, files }) => {
  const page = await visit();
  await page.clock.setFixedTime(DAY);
  await page.goto(files.url);
  await page.locator("input[type=date]").fill("2026-11-17");
  await page.locator("[data-way=daily-easy]").click();
  await expect(hand(page)).toHaveCount(7);
  const yesterday = await dominoes(page);
  await playTo(page, ["one-hand-complete"]);
  await expect(page.locator(".share-text")).toHaveText(/2026-11-17/);
  await page.locator("[data-way=day-after]").click();
  await expect(atPhase(page, "bidding")).toBeVisible();
  expect(await dominoes(page), "another day has another hand").not.toEqual(yesterday);
  await playTo(page, ["one-hand-complete"]);
  await expect(page.locator(".share-text")).toHaveText(/2026-11-18/);
  await expect(page.locator("[data-way=day-after]"), "tomorrow must not be offered").toHaveCount(0);
  await page.locator("[data-way=day-before]").click();
  await expect(atPhase(page, "bidding")).toBeVisible();
  await expectHand(page, yesterday, "the day before must be the same hand again");
  // The same day by its link, in another browser, and a day to come.
  const other = await visit();
  await other.clock.setFixedTime(DAY);
  await other.goto(`${files.url}#daily/easy/2026-11-17`);
  await expectHand(other, yesterday, "the link must lead to the same hand");
  await other.goto("about:blank");
  await other.goto(files.url);
  await other.locator("input[type=date]").fill("2026-11-19");
  await other.locator("[data-way=daily-easy]").click();
  await expectNotice(other, /isn't here yet/);
});

test("a seed link of one hand deals its hand", async ({ visit, files }) => {
  const page = await visit();
  const play = async () => {
    await page.goto(`${files.url}#hand/monday-easy-3`);
    await expect(hand(page)).toHaveCount(7);
  };
  await play();
  const dealt = await dominoes(page);
  await expect(page.locator(".score"), "there must be no score beyond this hand").toContainText("of 42 points");
  await playTo(page, ["one-hand-complete"]);
  await page.goto("about:blank");
  await play();
  await expectHand(page, dealt, "the same seed must deal the same hand");
});

// What a person looks for at the end of a daily challenge.
const RESULT = [".goal", ".ending h2", ".stars", ".gain", ".share-text", ".share", "[data-way=day-before]", "[data-way=day-after]", ".ending .primary"];

test("a replay and a daily challenge fit and are readable", async ({ visit, files }) => {
  const page = await visit({ settings: { still: true } });
  await page.clock.setFixedTime(DAY);
  // A day before today, so that the result offers the days on both sides.
  await page.goto(`${files.url}#daily/easy/2026-11-17`);
  await expect(hand(page)).toHaveCount(7);
  await expect(page.locator(".goal")).toBeVisible();
  await auditEverywhere(page, "daily-bidding");
  await outbid(page);
  await declare(page);
  await auditEverywhere(page, "daily-playing");
  await playTo(page, ["one-hand-complete"]);
  await auditEverywhere(page, "daily-result");
  for (const size of ["tablet", "desk"]) {
    await page.setViewportSize(SIZES[size]);
    for (const part of RESULT) await expectInView(page, part, size);
    const hidden = await page.locator(".ending").evaluate(({ scrollHeight, clientHeight }) => scrollHeight - clientHeight);
    expect(hidden, `${size}: the card of the result must not scroll`).toBe(0);
  }
  await page.locator("[data-do=replay]").click();
  await expect(position(page)).toHaveText(/^0 of/);
  await auditEverywhere(page, "replay-deal");
  for (let at = 1; at <= 16; at++) {
    await page.keyboard.press("ArrowRight");
    await expect(position(page)).toHaveText(new RegExp(`^${at} of`));
  }
  await auditEverywhere(page, "replay-playing");
  await page.keyboard.press("End");
  await expect(page.locator(".ending h2")).toBeVisible();
  await auditEverywhere(page, "replay-result");
});
