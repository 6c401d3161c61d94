// Somebody who plays: by clicks, or by keys alone. Every decision is followed until the table has taken it, so that nothing is
// clicked twice and nothing that is about to go.
import { expect } from "./fixtures.js";

export const hand = (page) => page.locator("#hand .tile");
export const playable = (page) => page.locator("#hand .playable");
export const choices = (page) => page.locator(".choices");
export const said = (page) => page.locator("[data-said] p");
export const atPhase = (page, ...phases) => page.locator(phases.map(inPhase).join());
const inPhase = (phase) => `.table-page[data-phase=${phase}]`;

// The dominoes of the hand. Only for a moment in which nothing can change them.
export async function dominoes(page) {
  await expect(hand(page).first()).toBeVisible();
  return hand(page).evaluateAll((tiles) => tiles.map((tile) => tile.dataset.domino));
}

export const expectHand = (page, expected, message) =>
  expect.poll(() => hand(page).evaluateAll((tiles) => tiles.map((tile) => tile.dataset.domino)), message).toEqual(expected);

// What was said in passing, also when it is gone by now.
export const expectNotice = (page, pattern, message) =>
  expect.poll(() => page.evaluate(() => window.notices.join("\n")), message).toMatch(pattern);

// What the page can ask of its person, and what the person presses then: bids as little as possible, or passes where that is
// allowed, and names fives.
const decisions = (bid) => {
  const kinds = bid === "pass" ? ["pass", "point", "mark"] : ["point", "mark", "pass"];
  return [...kinds.map((kind) => `.choices .${kind}`), SUIT, ".result .primary", ".go-on", "#hand .playable"];
};
const SUIT = ".suits > :nth-child(6)";

// The first of these selectors that finds something, as soon as one does. It is looked for after frames, when the page has
// finished drawing. A page that takes tricks in by itself is not helped.
const firstOf = (page, selectors) => page.evaluate((selectors) => new Promise((done) => {
  const isTapped = JSON.parse(localStorage.getItem("texas42.settings")).pace === "tap";
  const look = () => {
    const found = selectors.find((selector) => (isTapped || selector !== ".go-on") && document.querySelector(selector));
    if (found) done(found);
    else requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
}), selectors);

// Presses something that goes away when the table has taken it.
async function press(button) {
  const element = await button.elementHandle();
  await element.click();
  await element.waitForElementState("hidden");
}

// Makes the next decision of this person, when there is one to make.
export const step = async (page, bid) => press(page.locator(await firstOf(page, decisions(bid))).first());

// Plays by real clicks until the table is in one of these phases.
export async function clickTo(page, phases, bid) {
  const goals = phases.map(inPhase);
  for (;;) {
    const found = await firstOf(page, [...goals, ...decisions(bid)]);
    if (goals.includes(found)) return;
    await press(page.locator(found).first());
  }
}

// Plays until one of these selectors finds something, and says which. The page itself presses what it asks for, which is many
// times faster than a real click, and waits each time until the table has taken it.
export const playUntil = (page, goals, bid) => page.evaluate(([goals, decisions]) => new Promise((done) => {
  const isTapped = JSON.parse(localStorage.getItem("texas42.settings")).pace === "tap";
  const find = (selectors) => selectors.find((selector) => document.querySelector(selector));
  let pressed;
  const look = () => {
    const goal = find(goals);
    if (goal) return done(goal);
    requestAnimationFrame(look);
    if (pressed?.isConnected) return;
    const decision = find(decisions.filter((selector) => isTapped || selector !== ".go-on"));
    pressed = decision && document.querySelector(decision);
    pressed?.dispatchEvent(new MouseEvent("click", { bubbles: true, cancelable: true, detail: 1 }));
  };
  requestAnimationFrame(look);
}), [goals, decisions(bid)]);

// Plays until the table is in one of these phases.
export async function playTo(page, phases, bid) {
  await playUntil(page, phases.map(inPhase), bid);
}

// Plays to the person's turn to play. A hand that goes by without one (a partner's nello, a claim) is followed by another.
export async function playToOwnTurn(page, bid) {
  await playUntil(page, ["#hand .playable"], bid);
}

// The one of these people whose decision the table waits for.
export async function whoDecides(pages) {
  let decider;
  await expect.poll(async () => {
    const counts = await Promise.all(pages.map((page) => page.locator(decisions().join()).count()));
    decider = pages[counts.findIndex((count) => count > 0)];
    return decider !== undefined;
  }, "the table waits for one of them").toBe(true);
  return decider;
}

// Plays by keys alone until the hand is scored. The clock of the page stands still, so that no machine is too slow to type.
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
  await giveUpFor(page, () => page.locator(`[data-way=${way}]`).click());
}

// Begins a game in the place of one that is not over. The question may come a while after the page is there.
async function giveUpFor(page, begin) {
  const accept = (question) => question.accept();
  page.on("dialog", accept);
  await begin();
  await expect(hand(page)).toHaveCount(7);
  page.off("dialog", accept);
}

// The same hands and the same computer players in every run; the target makes a game as short as a test wants it.
export async function startSeeded(page, url, seed, target) {
  await page.goto("about:blank");
  await giveUpFor(page, () => page.goto(`${url}#seed/${seed}${target ? `/${target}` : ""}`));
}

// Nothing moves any more, but for what moves always.
export const settled = (page) => expect.poll(() => page.evaluate(`document.getAnimations().filter(${isMoving}).length`), "everything has settled").toBe(0);
const isMoving = ({ playState, effect }) => playState === "running" && effect.getComputedTiming().endTime !== Infinity;

// Bids more than anybody.
export async function outbid(page) {
  await page.locator(".choices .mark").last().click();
  await expect(page.locator(".suit").first()).toBeVisible();
}

export async function declare(page) {
  await page.locator(".suit").nth(5).click();
  await expect(playable(page).first()).toBeVisible();
}

// A hand that the person plays for sure: with a partner's nello one only looks on.
export async function startPlaying(page, url) {
  await startSeeded(page, url, "lubbock");
  await outbid(page);
  await declare(page);
}

// Sets a table for two people and two computer players, and is ready; the link that it gives is the invitation.
export async function setTable(page, url, { openHands = false, people = 2, preset = "casual", ready = true, seconds, target = 7 } = {}) {
  await page.goto(`${url}#new`);
  await page.locator(".preset").nth(["tournament", "casual", "family"].indexOf(preset)).click();
  const [targets, clocks] = [page.locator(".pair select").nth(0), page.locator(".pair select").nth(1)];
  await targets.selectOption(String(target));
  if (people > 2) await page.locator(".seat-choice select").first().selectOption("human");
  if (seconds) {
    // Also shorter than the form offers.
    await clocks.evaluate((list, seconds) => list.append(new Option("", seconds)), seconds);
    await clocks.selectOption(String(seconds));
  }
  if (openHands) await page.locator("[data-option=open-hands]").click();
  await page.locator("button.primary.big").click();
  const link = await invitation(page);
  if (ready) await sayReady(page);
  return link;
}

// The link that the page shows, once there is one.
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
  // A game that goes on asks nobody whether it may begin.
  if ((await firstOf(page, ["#hand .tile", "button.ready"])) === "button.ready") await sayReady(page);
  await expect(hand(page).first()).toBeVisible();
}

// Computer players take the free seats, and the game begins.
export async function fillSeats(page) {
  await page.locator("[data-do=fill-seats]").click();
  await expect(hand(page).first()).toBeVisible();
}

export const openMenu = (page) => page.locator(".bar > .icon").first().click();
