// Nothing jumps: from the deal to the result, the browser reports no shift of the layout that the person did not cause.
import { SIZES } from "./audit.js";
import { expect, test } from "./fixtures.js";
import { clickTo, settled, startSeeded } from "./player.js";

// Runs in the page from its first moment.
function watchShifts() {
  window.shifts = [];
  const tell = ({ node, previousRect, currentRect }) => `${node.className ?? node.nodeName} from ${previousRect.x.toFixed()},${previousRect.y.toFixed()} to ${currentRect.x.toFixed()},${currentRect.y.toFixed()}`;
  // The own hand closes ranks when a domino is played, and the row above it makes room for what the person has just done. What is
  // gone when a shift is reported has no place any more.
  const within = ({ node }, place) => (node.closest ? node : node.parentElement)?.closest(place);
  const surprises = (source, hadRecentInput) => source.node && !within(source, ".hand") && !(hadRecentInput && within(source, ".own"));
  new PerformanceObserver((list) => list.getEntries().forEach(({ sources, hadRecentInput }) => {
    const moved = sources.filter((source) => surprises(source, hadRecentInput));
    if (moved.length) window.shifts.push(`${document.querySelector(".table-page")?.dataset.phase}: ${moved.map(tell).join(", ")}`);
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
    // A shift that a click causes is no surprise, so these have to be real.
    await clickTo(page, ["scoring"]);
    // The others turn over what they hold a moment later.
    await expect(page.locator(".held .mini.open").first()).toBeAttached();
    await settled(page);
    expect(await page.evaluate(() => window.shifts)).toEqual([]);
  });
}
