// Audits a screen: everything fits, nothing overlaps, axe finds nothing, text has enough contrast, and screen readers know the live
// regions. Saves screenshots for review.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { expectContrast, expectFits, expectLegible, expectRegionsRendered } from "./boxes.js";
import { expect } from "./fixtures.js";
import { SHOTS } from "./paths.js";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

export const SIZES = {
  // The smallest phone, and one of its height with the toolbars of a browser.
  low: { width: 320, height: 553, touch: true },
  narrow: { width: 320, height: 640, touch: true },
  phone: { width: 360, height: 740, touch: true },
  landscape: { width: 740, height: 360, touch: true },
  tablet: { width: 820, height: 1180 },
  desk: { width: 1440, height: 900 },
};

// A zoomed page has a smaller window: a desktop and a tablet at 200 %, a desktop at 400 %, and the smallest window that WCAG names.
export const ZOOMED = {
  "desk-200": { width: 720, height: 450 },
  "tablet-200": { width: 410, height: 590 },
  "desk-400": { width: 360, height: 225 },
  reflow: { width: 320, height: 256 },
};

const THEMES = ["dark", "contrast"];

// The sizes at which a person looks at the screens in every theme: the nine combinations in docs/page.md.
const SHOWN = ["phone", "tablet", "desk"];

// Rules of axe that the page breaks on purpose, each with the reason.
const ACCEPTED = {
  // The page's security policy keeps axe from reading its style sheets; `expectContrast` computes the contrast.
  "color-contrast": { enabled: false },
};

// Two frames, so that layout and colors of the last change are computed.
const settle = (page) => page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));

export async function audit(page, name, { isShown = true } = {}) {
  await settle(page);
  if (isShown) await page.screenshot({ path: `${SHOTS}/${name}.png` });
  await expectFits(page, name);
  await expectContrast(page, name);
  await expectLegible(page, name);
  await expectRegionsRendered(page, name);
  if (!(await page.evaluate(() => window.axe !== undefined))) await page.evaluate(axe);
  const violations = await page.evaluate((rules) => window.axe.run(document, { resultTypes: ["violations"], rules }).then((found) => found.violations), ACCEPTED);
  expect(violations.map(({ id, nodes }) => `${id}: ${nodes[0].html.slice(0, 120)}`), `${name}: axe must find nothing`).toEqual([]);
}

// Audits what a page shows now at every size, zoomed, and in every theme. The window is resized, because a new page for each size would
// take most of the time. Nothing may change meanwhile.
export async function auditEverywhere(page, name) {
  const before = { ...page.viewportSize(), touch: await page.evaluate(() => matchMedia("(pointer: coarse)").matches) };
  const device = await page.context().newCDPSession(page);
  const resize = async ({ width, height, touch = false }) => {
    await device.send("Emulation.setTouchEmulationEnabled", { enabled: touch, maxTouchPoints: 1 });
    await page.setViewportSize({ width, height });
  };
  const show = (theme) => page.evaluate((theme) => { document.documentElement.dataset.theme = theme; }, theme);
  const theme = await page.evaluate(() => document.documentElement.dataset.theme);
  for (const [size, window] of Object.entries({ ...SIZES, ...ZOOMED })) {
    await resize(window);
    const isShown = SHOWN.includes(size);
    await audit(page, `${name}-${size}`, { isShown });
    for (const other of THEMES) {
      await show(other);
      await settle(page);
      await expectContrast(page, `${name}-${size}-${other}`);
      if (isShown) await page.screenshot({ path: `${SHOTS}/${name}-${size}-${other}.png` });
    }
    await show(theme);
  }
  await resize(before);
  await device.detach();
}
