// Audits a screen: everything fits, nothing overlaps, axe finds nothing serious, and text has enough contrast. Saves a
// screenshot for review.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { contrasts, fits } from "./boxes.js";
import { expect } from "./fixtures.js";
import { SHOTS } from "./paths.js";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

export const SIZES = {
  narrow: { width: 320, height: 640, touch: true },
  phone: { width: 360, height: 740, touch: true },
  landscape: { width: 740, height: 360, touch: true },
  tablet: { width: 820, height: 1180 },
  desk: { width: 1440, height: 900 },
};

export async function audit(page, name) {
  // Two frames, so that layout and colors of the last change are computed.
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
  await page.screenshot({ path: `${SHOTS}/${name}.png` });
  await fits(page, name);
  await contrasts(page, name);
  await page.evaluate(axe);
  const { violations } = await page.evaluate(() => window.axe.run(document, { resultTypes: ["violations"] }));
  const serious = violations.filter(({ impact }) => impact === "serious" || impact === "critical");
  expect(serious.map(({ id, nodes }) => `${id}: ${nodes[0].html.slice(0, 120)}`), `${name}: axe must find nothing serious`).toEqual([]);
}
