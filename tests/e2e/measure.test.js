// How fast it feels: printed, because machines differ; what must hold on any machine is checked.
import { SIZES } from "./audit.js";
import { check, test, until } from "./harness.js";
import { phase, settled, startPlaying, step } from "./player.js";
import { withFiles } from "./static-server.js";

// Watches a page from its first moment: shifts of the layout, long tasks, and how long after a change of the table the next
// frame was ready.
function watch() {
  window.measured = { shifts: [], long: [], paints: [] };
  const tell = ({ node, previousRect, currentRect }) => `${node?.className ?? node?.nodeName} from ${previousRect.x.toFixed()},${previousRect.y.toFixed()} to ${currentRect.x.toFixed()},${currentRect.y.toFixed()}`;
  // What shifts at the end of the hand is another screen.
  const isPlaying = () => document.querySelector(".table-page")?.dataset.phase === "playing";
  // Hands close ranks when a domino is played, and the line below the felt says other words at every turn.
  const isOfTheTable = ({ node }) => !(node?.closest ? node : node?.parentElement)?.closest(".own-bar, .held, .hand");
  new PerformanceObserver((list) => list.getEntries().forEach((entry) => {
    const moved = entry.sources.filter(isOfTheTable);
    if (isPlaying() && moved.length) window.measured.shifts.push(moved.map(tell).join(", "));
  })).observe({ type: "layout-shift", buffered: true });
  new PerformanceObserver((list) => list.getEntries().forEach((entry) => window.measured.long.push(Math.round(entry.duration)))).observe({ type: "longtask", buffered: true });
  // A frame of the worker: from its arrival to the end of the frame in which its changes are drawn.
  const take = Object.getOwnPropertyDescriptor(Worker.prototype, "onmessage").set;
  Object.defineProperty(Worker.prototype, "onmessage", {
    set(listener) {
      take.call(this, (event) => {
        const began = performance.now();
        listener.call(this, event);
        const channel = new MessageChannel();
        channel.port1.onmessage = () => window.measured.paints.push(performance.now() - began);
        requestAnimationFrame(() => channel.port2.postMessage(0));
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
    console.log(`    interactive after ${Math.round(interactive)} ms; a change is drawn after ${middle(paints).toFixed(1)} ms (middle of ${paints.length}); tasks over 50 ms: ${long.join(", ") || "none"}`);
    check(paints.length > 3, "changes were measured");
    check(shifts.length === 0, `the layout shifted: ${shifts.join("; ")}`);
    check(long.every((duration) => duration < 1000), `a task held the page for ${Math.max(...long)} ms`);
  }));
}
