// A player who uses clicks or keys. After every decision it waits until the table has accepted it, so that nothing is clicked
// twice or while it is disappearing.
import { expect } from "./fixtures.js";

export const hand = (page) => page.locator("#hand .tile");
export const playable = (page) => page.locator("#hand .playable");
export const choices = (page) => page.locator(".choices");
export const said = (page) => page.locator("[data-said] p");
export const atPhase = (page, ...phases) => page.locator(phases.map(inPhase).join());
const inPhase = (phase) => `.table-page[data-phase=${phase}]`;

// The dominoes of the hand. Use it only while nothing can change them.
export async function dominoes(page) {
  await expect(hand(page).first()).toBeVisible();
  return hand(page).evaluateAll((tiles) => tiles.map((tile) => tile.dataset.domino));
}

export const expectHand = (page, expected, message) =>
  expect.poll(() => hand(page).evaluateAll((tiles) => tiles.map((tile) => tile.dataset.domino)), message).toEqual(expected);

// Expects that the service worker has stored all files of the page.
export async function expectFilesCached(page) {
  const countCached = () => page.evaluate(async () => {
    const versions = await Promise.all((await caches.keys()).map((name) => caches.open(name)));
    const files = await Promise.all(versions.map((version) => version.keys()));
    return Math.max(0, ...files.map(({ length }) => length));
  });
  await page.evaluate(() => navigator.serviceWorker.ready);
  await expect.poll(countCached, "all files must be cached").toBeGreaterThan(8);
}

// Expects that a notice was shown, even if it has disappeared.
export const expectNotice = (page, pattern, message) =>
  expect.poll(() => page.evaluate(() => window.notices.join("\n")), message).toMatch(pattern);

// The elements that ask for a decision, in order of preference: bids as little as possible, or passes if allowed, and names
// fives.
const decisions = (bid) => {
  const kinds = bid === "pass" ? ["pass", "point", "mark"] : ["point", "mark", "pass"];
  return [...kinds.map((kind) => `.choices .${kind}`), SUIT, ".result .primary", ".go-on", "#hand .playable"];
};
const SUIT = ".suits > :nth-child(6)";

// The first of these selectors that matches an element; waits until one does. It checks after each frame, when the page has
// finished drawing. If the page takes in tricks automatically, it does not press the button.
const firstOf = (page, selectors) => page.evaluate((selectors) => new Promise((done) => {
  const waitsForTap = JSON.parse(localStorage.getItem("texas42.settings")).pace === "tap";
  const look = () => {
    const found = selectors.find((selector) => (waitsForTap || selector !== ".go-on") && document.querySelector(selector));
    if (found) done(found);
    else requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
}), selectors);

// Presses a button that disappears when the table has accepted the action.
async function press(button) {
  const element = await button.elementHandle();
  await element.click();
  await element.waitForElementState("hidden");
}

// Waits for the next decision of this person and makes it.
export const step = async (page, bid) => press(page.locator(await firstOf(page, decisions(bid))).first());

// Plays with real clicks until the table is in one of these phases.
export async function clickTo(page, phases, bid) {
  const goals = phases.map(inPhase);
  for (;;) {
    const found = await firstOf(page, [...goals, ...decisions(bid)]);
    if (goals.includes(found)) return;
    await press(page.locator(found).first());
  }
}

// Plays until one of these selectors matches, and returns it. A script in the page presses the buttons, which is much faster
// than real clicks, and waits each time until the table has accepted the action.
export const playUntil = (page, goals, bid) => page.evaluate(([goals, decisions]) => new Promise((done) => {
  const waitsForTap = JSON.parse(localStorage.getItem("texas42.settings")).pace === "tap";
  const find = (selectors) => selectors.find((selector) => document.querySelector(selector));
  let pressed;
  const look = () => {
    const goal = find(goals);
    if (goal) return done(goal);
    requestAnimationFrame(look);
    if (pressed?.isConnected) return;
    const decision = find(decisions.filter((selector) => waitsForTap || selector !== ".go-on"));
    pressed = decision && document.querySelector(decision);
    pressed?.dispatchEvent(new MouseEvent("click", { bubbles: true, cancelable: true, detail: 1 }));
  };
  requestAnimationFrame(look);
}), [goals, decisions(bid)]);

// Plays until the table is in one of these phases.
export async function playTo(page, phases, bid) {
  await playUntil(page, phases.map(inPhase), bid);
}

// Plays until it is the person's turn to play a domino. If a hand has no such turn (a partner's nello, a claim), plays another.
export async function playToOwnTurn(page, bid) {
  await playUntil(page, ["#hand .playable"], bid);
}

// The page of the person whose decision the table is waiting for.
export async function whoDecides(pages) {
  let decider;
  await expect.poll(async () => {
    const counts = await Promise.all(pages.map((page) => page.locator(decisions().join()).count()));
    decider = pages[counts.findIndex((count) => count > 0)];
    return decider !== undefined;
  }, "the table must wait for one of them").toBe(true);
  return decider;
}

// Plays with keys only until the hand is scored. The page's clock is stopped, so that no machine types too slowly.
export async function playByKeys(page) {
  await page.clock.setFixedTime(new Date());
  for (;;) {
    const found = await firstOf(page, [inPhase("scoring"), ...decisions()]);
    if (found === inPhase("scoring")) return;
    const asked = await page.locator(found).first().elementHandle();
    await page.keyboard.type(await asked.evaluate(keysFor));
    await asked.waitForElementState("hidden");
  }
}

// Runs in the page.
const keysFor = ({ dataset: { domino, shortcut } }) => domino?.replace("-", "") ?? shortcut ?? "\n";

export async function startOffline(page, url, way = "play") {
  await page.goto(url);
  await page.locator(`[data-way=${way}]`).click();
  await expect(hand(page)).toHaveCount(7);
}

// Starts a game with the same hands and bots in every run; the target determines its length.
export async function startSeeded(page, url, seed, target) {
  await page.goto("about:blank");
  await page.goto(`${url}#seed/${seed}${target ? `/${target}` : ""}`);
  await expect(hand(page)).toHaveCount(7);
}

// Waits until all animations have finished, except those that run forever.
export const settled = (page) => expect.poll(() => page.evaluate(`document.getAnimations().filter(${isMoving}).length`), "everything has settled").toBe(0);
const isMoving = ({ playState, effect }) => playState === "running" && effect.getComputedTiming().endTime !== Infinity;

// Bids higher than anyone else.
export async function outbid(page) {
  await page.locator(".choices .mark").last().click();
  await expect(page.locator(".suit").first()).toBeVisible();
}

export async function declare(page) {
  await page.locator(".suit").nth(5).click();
  await expect(playable(page).first()).toBeVisible();
}

// Starts a hand in which the person plays for sure; during a partner's nello they would sit out.
export async function startPlaying(page, url) {
  await startSeeded(page, url, "lubbock");
  await outbid(page);
  await declare(page);
}

// The input or the list of a line of the form for a new table.
export const setting = (page, name) => page.locator(`[data-setting=${name}]`).locator("input, select");

// Creates a table for two people and two bots, declares the creator ready, and returns the invite link.
export async function setTable(page, url, { openHands = false, people = 2, preset = "casual", ready = true, seconds, target = 7 } = {}) {
  await page.goto(`${url}#new`);
  await page.locator(".preset").nth(["tournament", "casual", "family"].indexOf(preset)).click();
  await setting(page, "target-marks").selectOption({ index: [1, 2, 3, 5, 7, 10, 14].indexOf(target) });
  if (people > 2) await page.locator(".seat-choice select").first().selectOption({ index: 0 });
  if (seconds) await setting(page, "clock").selectOption({ index: [undefined, 5, 10, 20, 45, 90, 300, 600].indexOf(seconds) });
  if (openHands) {
    await page.locator(".house summary").click();
    await setting(page, "open-hands").check();
  }
  await page.locator("button.primary.big").click();
  const link = await invitation(page);
  if (ready) await sayReady(page);
  return link;
}

// The invite link that the page shows; waits until there is one.
export async function invitation(page, field = page.locator("input.link").first()) {
  await expect(field).toHaveValue(/./);
  return field.inputValue();
}

export async function sayReady(page) {
  await press(page.locator("button.ready"));
}

export async function sitDown(page, link, name) {
  await page.goto(link);
  await page.locator("input[autocomplete=nickname]").fill(name);
  await page.locator("button.primary.big").click();
  // A running game does not ask whether a player is ready. A person who comes too late for a hand waits for the next deal.
  const found = await firstOf(page, ["#hand .tile", "button.ready", ".waits-for-deal"]);
  if (found === "button.ready") await sayReady(page);
  if (found !== ".waits-for-deal") await expect(hand(page).first()).toBeVisible();
}

// Fills the free seats with bots, which starts the game.
export async function fillSeats(page) {
  await page.locator("[data-do=fill-seats]").click();
  await expect(hand(page).first()).toBeVisible();
}

// Closes the open dialog and waits until its content is gone, so that a locator finds only the page.
export async function closeDialog(page) {
  await page.keyboard.press("Escape");
  await expect(page.locator("#dialog-title")).toBeEmpty();
}

// Creates a link for another role; the dialog shows one link at a time.
export async function linkFor(page, name) {
  const field = page.locator("input.link").first();
  const before = await field.inputValue();
  await page.getByText(name).first().click();
  await expect(field).not.toHaveValue(before);
  return field.inputValue();
}

export const openInvite = (page) => page.locator("[data-do=invite]").click();

export const openMenu = (page) => page.locator(".bar > .icon").first().click();
