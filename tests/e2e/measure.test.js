// How fast it feels: printed, because machines differ; what must hold on any machine is checked.
import { SIZES } from "./audit.js";
import { check, test } from "./harness.js";
import { playTo, settled, startSeeded } from "./player.js";
import { withFiles } from "./static-server.js";

// Watches a page from its first moment: shifts of the layout, long tasks, and what a change of the table takes: the work of the
// page and of the browser, and how long it is until the frame is ready, which also waits for the screen.
function watch() {
  window.measured = { shifts: [], long: [], paints: [] };
  const tell = ({ node, previousRect, currentRect }) => `${node.className ?? node.nodeName} from ${previousRect.x.toFixed()},${previousRect.y.toFixed()} to ${currentRect.x.toFixed()},${currentRect.y.toFixed()}`;
  // The own hand closes ranks when a domino is played, and the row above it makes room for what the person has just done. What is
  // gone when a shift is reported has no place any more.
  const within = ({ node }, place) => (node.closest ? node : node.parentElement)?.closest(place);
  const surprises = (source, hadRecentInput) => source.node && !within(source, ".hand") && !(hadRecentInput && within(source, ".own"));
  new PerformanceObserver((list) => list.getEntries().forEach(({ sources, hadRecentInput }) => {
    const moved = sources.filter((source) => surprises(source, hadRecentInput));
    if (moved.length) window.measured.shifts.push(`${document.querySelector(".table-page")?.dataset.phase}: ${moved.map(tell).join(", ")}`);
  })).observe({ type: "layout-shift", buffered: true });
  new PerformanceObserver((list) => list.getEntries().forEach((entry) => window.measured.long.push(Math.round(entry.duration)))).observe({ type: "longtask", buffered: true });
  const later = (work) => {
    const channel = new MessageChannel();
    channel.port1.onmessage = work;
    channel.port2.postMessage(0);
  };
  // A message of the worker: from its arrival to the end of the frame in which its changes are drawn.
  const take = Object.getOwnPropertyDescriptor(Worker.prototype, "onmessage").set;
  Object.defineProperty(Worker.prototype, "onmessage", {
    set(listener) {
      take.call(this, (event) => {
        const began = performance.now();
        listener.call(this, event);
        let script;
        later(() => { script = performance.now() - began; });
        requestAnimationFrame(() => {
          const frame = performance.now();
          later(() => {
            const end = performance.now();
            window.measured.paints.push({ work: Math.min(script ?? Infinity, frame - began) + end - frame, whole: end - began });
          });
        });
      });
    },
  });
}

const middle = (numbers) => [...numbers].sort((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? 0;

for (const [size, window] of Object.entries(SIZES)) {
  test(`nothing shifts from the deal to the result, and nothing takes long: ${size}`, withFiles(async ({ visit, url }) => {
    const page = await visit(window);
    await page.addInitScript(watch);
    await page.goto(url);
    await page.waitForSelector("[data-way=play]");
    const interactive = await page.evaluate(() => performance.now());
    await startSeeded(page, url, "plano");
    // What follows are changes; before that the table was set.
    await page.evaluate(() => { window.measured.paints = []; });
    await playTo(page, ["scoring"]);
    // The others turn over what they hold a moment later.
    await page.waitForSelector(".held .mini.open", { state: "attached" });
    await settled(page);
    const { shifts, long, paints } = await page.evaluate(() => window.measured);
    const [works, wholes] = [paints.map(({ work }) => work), paints.map(({ whole }) => whole)];
    const quick = (numbers) => `${numbers.filter((number) => number < 16).length} of ${numbers.length} in less than 16 ms`;
    console.log(`    interactive after ${Math.round(interactive)} ms; a change takes ${middle(works).toFixed(1)} ms (${quick(works)}, the slowest ${Math.max(...works).toFixed(1)}) and is drawn ${middle(wholes).toFixed(1)} ms after it came (${quick(wholes)}); tasks over 50 ms: ${long.join(", ") || "none"}`);
    check(paints.length > 10, "changes were measured");
    check(shifts.length === 0, `the layout shifted: ${shifts.join("; ")}`);
    check(long.every((duration) => duration < 1000), `a task held the page for ${Math.max(...long)} ms`);
  }));
}
