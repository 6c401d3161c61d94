// The worker's door: what arrives before the module is ready waits, so that nothing is lost.
import init, { Worker } from "./texas42.js";

const waiting = [];
let tables;
let timer;

// What is no frame of the table begins with a word.
const words = {
  pace: (rest) => {
    const [least, most, level] = rest.split(" ");
    tables.pace(Number(least), Number(most), level);
  },
  export: (rest) => tables.export(rest),
  release: () => tables.release(),
  record: (rest) => postMessage(`recorded ${tables.record(rest) ?? ""}`),
  // The number of the question comes back with the answer.
  advise: (rest) => {
    const [number] = rest.split(" ", 1);
    postMessage(`advised ${number} ${tables.advise(rest.slice(number.length + 1)) ?? ""}`);
  },
  verify: (rest) => postMessage(`verified ${tables.verify(rest) ?? "null"}`),
};
const take = (text) => {
  if (typeof text !== "string") return;
  const [word] = text.split(" ", 1);
  words[word] ? words[word](text.slice(word.length + 1)) : tables.receive(text);
};
onmessage = (event) => (tables ? take(event.data) : waiting.push(event.data));

await init({ module_or_path: new URL("texas42_bg.wasm", import.meta.url) });
const later = (milliseconds) => {
  clearTimeout(timer);
  timer = setTimeout(() => tables.wake(), milliseconds);
};
const opened = await Worker.open((text) => postMessage(text), later);
if (!opened.keeps()) postMessage("not-kept");
tables = opened;
waiting.splice(0).forEach(take);
