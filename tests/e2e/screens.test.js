// Every screen at three sizes: it fits, nothing overlaps, axe finds nothing serious, letters can be read.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { contrasts, fits } from "./boxes.js";
import { check, test, until } from "./harness.js";
import { phase, playTo, startOffline, step } from "./player.js";
import { serve } from "./static-server.js";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const SIZES = { phone: { width: 360, height: 740, touch: true }, tablet: { width: 820, height: 1180 }, desk: { width: 1440, height: 900 } };

async function audit(page, name, shots) {
  await page.waitForTimeout(60);
  await page.screenshot({ path: `${shots}/${name}.png` });
  await fits(page, name);
  await contrasts(page, name);
  await page.evaluate(axe);
  const { violations } = await page.evaluate(() => window.axe.run(document, { resultTypes: ["violations"] }));
  const serious = violations.filter(({ impact }) => impact === "serious" || impact === "critical");
  const text = serious.map(({ id, nodes }) => `${id}: ${nodes[0].html.slice(0, 120)}`).join("; ");
  check(serious.length === 0, `${name}: axe says ${text}`);
}

for (const [size, window] of Object.entries(SIZES)) {
  test(`every screen fits and can be read: ${size}`, async ({ visit, dist, shots }) => {
    const server = await serve(dist);
    try {
      const page = await visit({ ...window, settings: { still: true, pace: "fast" } });
      const look = (name) => audit(page, `${size}-${name}`, shots);
      await page.goto(server.url);
      await page.waitForSelector("[data-way=play]");
      await look("start");
      await startOffline(page, server.url);
      await until("the own bid", () => page.$(".choices, .suit, #hand .playable"));
      if (await page.$(".choices")) await look("bidding");
      await page.keyboard.press("s");
      await page.waitForSelector("dialog[open]");
      await look("settings");
      await page.keyboard.press("Escape");
      await until("the own bid", async () => {
        if (await page.$(".suit")) return true;
        const high = await page.$(".choices .mark >> nth=-1");
        if (high) await high.click().catch(() => {});
        if ((await phase(page)) !== "bidding") await step(page);
        return false;
      }, 180);
      await look("declaring");
      await page.click(".suit >> nth=5");
      await until("the own turn", () => page.$("#hand .playable"));
      await look("leading");
      await page.click("#hand .playable >> nth=0");
      await until("a trick with some dominoes, or the end", async () => (await page.$$(".played")).length >= 2 || (await phase(page)) === "scoring");
      if ((await phase(page)) === "playing") await look("playing");
      await playTo(page, ["scoring"]);
      await look("scoring");
      await page.keyboard.press("h");
      await page.waitForSelector("dialog[open]");
      await look("history");
      await page.keyboard.press("Escape");
      await page.goto(`${server.url}#new`);
      await page.reload();
      await page.waitForSelector(".preset");
      await page.click(".house summary");
      await look("creating");
    } finally {
      await server.close();
    }
  });
}

for (const theme of ["dark", "contrast"]) {
  test(`the ${theme} colours can be read`, async ({ visit, dist, shots }) => {
    const server = await serve(dist);
    try {
      const page = await visit({ width: 1180, height: 820, settings: { theme, still: true } });
      await page.goto(server.url);
      await page.waitForSelector("[data-way=play]");
      await audit(page, `${theme}-start`, shots);
      await startOffline(page, server.url);
      await until("the own bid", () => page.$(".choices, .suit, #hand .playable"));
      await audit(page, `${theme}-bidding`, shots);
      await playTo(page, ["playing"]);
      await until("the own turn", () => page.$("#hand .playable"));
      await audit(page, `${theme}-playing`, shots);
      await playTo(page, ["scoring"]);
      await audit(page, `${theme}-scoring`, shots);
    } finally {
      await server.close();
    }
  });
}
