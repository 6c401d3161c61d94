// Measures how long a person waits: until the page is interactive, until a hand is dealt, until an update is drawn. Fails if that is
// longer than docs/page.md promises; run it on an idle machine.
import { SIZES } from "./audit.js";
import { expect, test } from "./fixtures.js";
import { clickTo, hand, startSeeded } from "./player.js";

// Runs in every page before its scripts. Records long tasks and, for each update, the work of page and browser and the time
// until the frame is ready, which includes waiting for the display.
function watch() {
  window.measured = { long: [], paints: [] };
  new PerformanceObserver((list) => list.getEntries().forEach((entry) => window.measured.long.push(Math.round(entry.duration)))).observe({ type: "longtask", buffered: true });
  const afterTask = (work) => {
    const channel = new MessageChannel();
    channel.port1.onmessage = work;
    channel.port2.postMessage(0);
  };
  // For a message of the worker: from its arrival to the end of the frame that draws its changes.
  const setOnMessage = Object.getOwnPropertyDescriptor(Worker.prototype, "onmessage").set;
  Object.defineProperty(Worker.prototype, "onmessage", {
    set(listener) {
      setOnMessage.call(this, (event) => {
        const started = performance.now();
        listener.call(this, event);
        let script;
        afterTask(() => { script = performance.now() - started; });
        requestAnimationFrame(() => {
          const frame = performance.now();
          afterTask(() => {
            const end = performance.now();
            window.measured.paints.push({ work: Math.min(script ?? Infinity, frame - started) + end - frame, whole: end - started });
          });
        });
      });
    },
  });
}

// In milliseconds: the longest task, the median work of an update, and the time until the first page can be used.
const [MAX_TASK, MAX_WORK, MAX_INTERACTIVE] = [50, 10, 400];

const median = (numbers) => [...numbers].sort((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? 0;
const withinFrame = (numbers) => `${numbers.filter((number) => number < 16).length} of ${numbers.length} in less than 16 ms`;

// The lowest phone draws the same page as the narrow one.
const { low, ...MEASURED } = SIZES;
for (const [size, window] of Object.entries(MEASURED)) {
  test(size, async ({ visit, files: { url } }) => {
    // As in real use: bots pause before they move, and every change gets its own frame.
    const page = await visit({ ...window, serviceWorkers: "allow", settings: { pace: "fast" } });
    await page.addInitScript(watch);
    await page.goto(url);
    const way = page.locator("[data-way=play]");
    await expect(way).toBeVisible();
    const interactive = await page.evaluate(() => performance.now());
    await way.click();
    await expect(hand(page)).toHaveCount(7);
    const dealt = (await page.evaluate(() => performance.now())) - interactive;
    await startSeeded(page, url, "plano");
    // Measure only updates, not the setup of the table.
    await page.evaluate(() => { window.measured.paints = []; });
    await clickTo(page, ["scoring"]);
    const { long, paints } = await page.evaluate(() => window.measured);
    const [works, wholes] = [paints.map(({ work }) => work), paints.map(({ whole }) => whole)];
    console.log(`${size}: interactive after ${Math.round(interactive)} ms, dealt ${Math.round(dealt)} ms after the click; a change takes ${median(works).toFixed(1)} ms (${withinFrame(works)}, the slowest ${Math.max(...works).toFixed(1)}) and is drawn ${median(wholes).toFixed(1)} ms after it came (${withinFrame(wholes)}); tasks over 50 ms: ${long.join(", ") || "none"}`);
    expect(paints.length, "updates must have been measured").toBeGreaterThan(10);
    expect.soft(long.filter((duration) => duration > MAX_TASK), `tasks over ${MAX_TASK} ms`).toEqual([]);
    expect.soft(median(works), "the median work of an update").toBeLessThanOrEqual(MAX_WORK);
    expect.soft(interactive, "the time until the first page can be used").toBeLessThan(MAX_INTERACTIVE);
  });
}
