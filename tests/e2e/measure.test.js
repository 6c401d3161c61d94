// How fast it feels: printed, because machines differ; what must hold on any machine is checked.
import { SIZES } from "./audit.js";
import { check, test, until } from "./harness.js";
import { phase, settled, startPlaying, step } from "./player.js";
import { withFiles } from "./static-server.js";

// Watches a page from its first moment: shifts of the layout, long tasks, and what a change of the table takes: the work of the
// page and of the browser, and how long it is until the frame is ready, which also waits for the screen.
function watch() {
  window.measured = { shifts: [], long: [], paints: [] };
  const tell = ({ node, previousRect, currentRect }) => `${node.className ?? node.nodeName} from ${previousRect.x.toFixed()},${previousRect.y.toFixed()} to ${currentRect.x.toFixed()},${currentRect.y.toFixed()}`;
  // What shifts at the end of the hand is another screen.
  const isPlaying = () => document.querySelector(".table-page")?.dataset.phase === "playing";
  // Hands close ranks when a domino is played, and the line below the felt says other words at every turn. What is gone when a
  // shift is reported has no place any more.
  const isOfTheTable = ({ node }) => node && !(node.closest ? node : node.parentElement)?.closest(".own-bar, .held, .hand");
  new PerformanceObserver((list) => list.getEntries().forEach((entry) => {
    const moved = entry.sources.filter(isOfTheTable);
    if (isPlaying() && moved.length) window.measured.shifts.push(moved.map(tell).join(", "));
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
  test(`nothing shifts while a hand is played, and nothing takes long: ${size}`, withFiles(async ({ visit, url }) => {
    const page = await visit(window);
    await page.addInitScript(watch);
    await page.goto(url);
    await page.waitForSelector("[data-way=play]");
    const interactive = await page.evaluate(() => performance.now());
    await startPlaying(page, url);
    await settled(page);
    await page.evaluate(() => Object.assign(window.measured, { shifts: [], long: [], paints: [] }));
    await until("the end of the hand", async () => (await phase(page)) !== "playing" || void (await step(page)), 120);
    const { shifts, long, paints } = await page.evaluate(() => window.measured);
    console.log(`    interactive after ${Math.round(interactive)} ms; a change takes ${middle(paints.map(({ work }) => work)).toFixed(1)} ms and is drawn ${middle(paints.map(({ whole }) => whole)).toFixed(1)} ms after it came (middle of ${paints.length}, the slowest took ${Math.max(...paints.map(({ work }) => work)).toFixed(1)} ms); tasks over 50 ms: ${long.join(", ") || "none"}`);
    check(paints.length > 3, "changes were measured");
    check(shifts.length === 0, `the layout shifted: ${shifts.join("; ")}`);
    check(long.every((duration) => duration < 1000), `a task held the page for ${Math.max(...long)} ms`);
  }));
}
