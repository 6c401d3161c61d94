// Somebody who plays: by clicks, or by keys alone.
import { check, until } from "./harness.js";

export const phase = (page) => page.getAttribute(".table-page", "data-phase", { timeout: 60_000 });
export const hand = (page) => page.$$eval("#hand .tile", (tiles) => tiles.map((tile) => tile.dataset.domino));
export const said = (page) => page.$$eval("[data-said] p", (lines) => lines.map((line) => line.textContent));

const click = (page, selector) => page.click(selector, { timeout: 3_000 }).catch(() => {});

// Makes one decision, if there is one to make.
export async function step(page, bid = "first") {
  switch (await phase(page)) {
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
    case "game-end":
      if (await page.$(".ending .primary")) await click(page, ".ending .primary");
      break;
    case "playing":
      if (await page.$("#hand .playable")) await click(page, "#hand .playable >> nth=0");
      break;
  }
}

// Plays by clicks until the table is in one of these phases.
export async function playTo(page, phases, bid) {
  await until(`the phase ${phases}`, async () => {
    if (phases.includes(await phase(page))) return true;
    await step(page, bid);
    return false;
  }, 120);
}

// Plays by keys alone until the hand is scored.
export async function playByKeys(page) {
  await until("the end of the hand", async () => {
    const now = await phase(page);
    if (now === "scoring") return true;
    if (now === "bidding" && (await page.$(".choices"))) await page.keyboard.type((await page.$(".choices .point")) ? await page.textContent(".choices .point >> nth=0") : "p");
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
  await page.click(`[data-way=${way}]`);
  await page.waitForSelector("#hand .tile");
  check((await hand(page)).length === 7, "seven dominoes are dealt");
}
