// Runs the worker. Messages that arrive before the module is ready wait, so that none is lost.
import init, { Worker } from "./texas42.js";

const waiting = [];
let worker;
let timer;

onmessage = ({ data }) => (worker ? worker.receive(data) : waiting.push(data));

await init({ module_or_path: new URL("texas42_bg.wasm", import.meta.url) });
const later = (milliseconds) => {
  clearTimeout(timer);
  timer = setTimeout(() => worker.wake(), milliseconds);
};
worker = await Worker.open((text) => postMessage(text), later);
waiting.splice(0).forEach((data) => worker.receive(data));
