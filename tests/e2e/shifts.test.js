// No layout shifts: from the deal to the result, the browser must report no shift that the person did not cause.
import { SIZES } from "./audit.js";
import { expect, test } from "./fixtures.js";
import { clickTo, settled, startSeeded } from "./player.js";

// Runs in every page before its scripts.
function watchShifts() {
  window.shifts = [];
  const describe = ({ node, previousRect, currentRect }) => `${node.className ?? node.nodeName} from ${previousRect.x.toFixed()},${previousRect.y.toFixed()} to ${currentRect.x.toFixed()},${currentRect.y.toFixed()}`;
  // Expected shifts: the hand and the tracker close the gap of a played domino, and the row above the hand makes room after the
  // person's action.
  // Elements that have been removed by the time of the report are ignored.
  const within = ({ node }, place) => (node.closest ? node : node.parentElement)?.closest(place);
  const isUnexpected = (source, hadRecentInput) => source.node && !within(source, ".hand, .still-out") && !(hadRecentInput && within(source, ".own"));
  new PerformanceObserver((list) => list.getEntries().forEach(({ sources, hadRecentInput }) => {
    const moved = sources.filter((source) => isUnexpected(source, hadRecentInput));
    if (moved.length) window.shifts.push(`${document.querySelector(".table-page")?.dataset.phase}: ${moved.map(describe).join(", ")}`);
  })).observe({ type: "layout-shift", buffered: true });
}

for (const [size, window] of Object.entries(SIZES)) {
  test(`nothing shifts from the deal to the result: ${size}`, async ({ visit, files: { url } }) => {
    const page = await visit({ ...window, settings: { pace: "fast" } });
    await page.addInitScript(watchShifts);
    await page.goto(url);
    await expect(page.locator("[data-way=play]")).toBeVisible();
    expect(await page.evaluate(() => window.shifts)).toEqual([]);
    await startSeeded(page, url, "plano");
    // The browser marks shifts after real clicks as caused by the person.
    await clickTo(page, ["scoring"]);
    // The other hands are turned over a moment later.
    await expect(page.locator(".held .mini.open").first()).toBeAttached();
    await settled(page);
    expect(await page.evaluate(() => window.shifts)).toEqual([]);
  });
}
