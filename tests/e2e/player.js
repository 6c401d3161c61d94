// Somebody who plays: by clicks, or by keys alone.
import { check, until } from "./harness.js";

export const phase = (page) => page.getAttribute(".table-page", "data-phase", { timeout: 60_000 });
export const hand = (page) => page.$$eval("#hand .tile", (tiles) => tiles.map((tile) => tile.dataset.domino));
export const said = (page) => page.$$eval("[data-said] p", (lines) => lines.map((line) => line.textContent));

const click = (page, selector) => page.click(selector, { timeout: 3_000 }).catch(() => {});

// Makes one decision of a phase, if there is one to make.
export async function step(page, bid = "first", now) {
  switch (now ?? (await phase(page))) {
    case "bidding": {
      const choice = bid === "pass" ? ".choices .pass, .choices .point, .choices .mark" : ".choices .point, .choices .mark";
      if (await page.$(choice)) await click(page, `:is(${choice}) >> nth=0`);
      break;
    }
    case "trump-selection":
      if (await page.$(".suit")) await click(page, ".suit >> nth=5");
      break;
    case "scoring":
      if (await page.$(".result .primary")) await click(page, ".result .primary");
      break;
    case "playing":
      if (await page.$(".go-on")) await click(page, ".go-on");
      else if (await page.$("#hand .playable")) await click(page, "#hand .playable >> nth=0");
      break;
  }
}

// Plays by clicks until the table is in one of these phases.
export async function playTo(page, phases, bid) {
  await until(`the phase ${phases}`, async () => {
    const now = await phase(page);
    if (phases.includes(now)) return true;
    await step(page, bid, now);
    return false;
  }, 240);
}

// Plays by clicks to the person's turn to play. A hand that goes by without one (a partner's nello, a claim) is followed by another.
export async function playToOwnTurn(page, bid) {
  await until("the own turn to play", async () => {
    if (await page.$("#hand .playable")) return true;
    await step(page, bid);
    return false;
  }, 240);
}

// Plays by keys alone until the hand is scored.
export async function playByKeys(page) {
  await until("the end of the hand", async () => {
    const now = await phase(page);
    if (now === "scoring") return true;
    if (now === "bidding") {
      const bid = await page.$eval(".choices", (choices) => choices.querySelector(".point")?.textContent ?? "p").catch(() => null);
      if (bid) await page.keyboard.type(bid);
    }
    if (now === "trump-selection" && (await page.$(".suit"))) await page.keyboard.type("5");
    if (now === "playing") {
      const ends = await page.$eval("#hand .playable", (tile) => tile.dataset.domino).catch(() => null);
      if (ends) await page.keyboard.type(ends.replace("-", ""));
    }
    return false;
  }, 120);
}

export async function startOffline(page, url, way = "play") {
  await page.goto(url);
  await giveUpFor(page, () => page.click(`[data-way=${way}]`));
}

// Begins a game in the place of one that is not over. The question may come a while after the page is there.
async function giveUpFor(page, begin) {
  const accept = (question) => question.accept();
  page.on("dialog", accept);
  await begin();
  await isDealt(page);
  page.off("dialog", accept);
}

// The same hands and the same programs in every run; the target makes a game as short as a test wants it.
export async function startSeeded(page, url, seed, target) {
  await page.goto("about:blank");
  await giveUpFor(page, () => page.goto(`${url}#seed/${seed}${target ? `/${target}` : ""}`));
}

async function isDealt(page) {
  await page.waitForSelector("#hand .tile");
  await until("seven dominoes are dealt", async () => (await hand(page)).length === 7);
}

// Nothing moves any more, but for what moves always.
export const settled = (page) => until("everything has settled", () => page.evaluate(`!document.getAnimations().some(${isMoving})`));
const isMoving = ({ playState, effect }) => playState === "running" && effect.getComputedTiming().endTime !== Infinity;

// Bids more than anybody.
export async function outbid(page) {
  await page.click(".choices .mark >> nth=-1");
  await page.waitForSelector(".suit");
}

export async function declare(page) {
  await page.click(".suit >> nth=5");
  await page.waitForSelector("#hand .playable");
}

// A hand that the person plays for sure: with a partner's nello one only looks on.
export async function startPlaying(page, url) {
  await startSeeded(page, url, "lubbock");
  await page.waitForSelector(".choices");
  await outbid(page);
  await declare(page);
}

// Sets a table for two people and two programs, and is ready; the link that it gives is the invitation.
export async function setTable(page, url, { openHands = false, people = 2, preset = "casual", ready = true, seconds, target = 7 } = {}) {
  await page.goto(`${url}#new`);
  await page.waitForSelector(".preset");
  await page.click(`.preset >> nth=${["tournament", "casual", "family"].indexOf(preset)}`);
  await page.selectOption(".pair select >> nth=0", String(target));
  if (people > 2) await page.selectOption(".seat-choice select >> nth=0", "human");
  // Shorter than the form offers, so that a test need not wait.
  if (seconds) {
    await page.$eval(".pair select >> nth=1", (list, seconds) => list.append(new Option("", seconds)), seconds);
    await page.selectOption(".pair select >> nth=1", String(seconds));
  }
  if (openHands) await page.click("[data-option=open-hands]");
  await page.click("button.primary.big");
  const link = await until("an invitation", () => page.inputValue("input.link").catch(() => ""));
  if (ready) await sayReady(page);
  return link;
}

export async function sayReady(page) {
  await page.click("button.ready");
  await page.waitForSelector("button.ready", { state: "detached" });
}

export async function sitDown(page, link, name) {
  await page.goto(link);
  await page.fill("input[autocomplete=nickname]", name);
  await page.click("button.primary.big");
  // A game that goes on asks nobody whether it may begin.
  await page.waitForSelector("button.ready, #hand .tile");
  if (await page.$("button.ready")) await sayReady(page);
  await page.waitForSelector("#hand .tile");
}

// Programs take the free seats, and the game begins.
export async function fillSeats(page) {
  await page.click(".invitation ~ .row .small:not(.quiet)");
  await page.waitForSelector("#hand .tile");
}
