// The worker's door: what arrives before the module is ready waits, so that nothing is lost.
import init, { Worker } from "./browser.js";

const waiting = [];
let tables;
let timer;

const take = (text) => {
  if (typeof text !== "string") return;
  if (text.startsWith("pace ")) {
    const [, least, most, level] = text.split(" ");
    tables.pace(Number(least), Number(most), level);
  } else {
    tables.receive(text);
  }
};
onmessage = (event) => (tables ? take(event.data) : waiting.push(event.data));

await init({ module_or_path: new URL("browser_bg.wasm", import.meta.url) });
const later = (milliseconds) => {
  clearTimeout(timer);
  timer = setTimeout(() => tables.wake(), milliseconds);
};
const opened = await Worker.open((text) => postMessage(text), later);
if (!opened.keeps()) postMessage("not-kept");
tables = opened;
waiting.splice(0).forEach(take);
