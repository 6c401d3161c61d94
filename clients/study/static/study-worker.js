// Runs the worker of the screens that study a game. Messages that arrive before the module is ready wait, so that none is lost.
import init, { StudyWorker } from "./study.js";

const waiting = [];
let worker;

onmessage = ({ data }) => (worker ? worker.receive(data) : waiting.push(data));

await init({ module_or_path: new URL("study_bg.wasm", import.meta.url) });
worker = new StudyWorker((text) => postMessage(text));
waiting.splice(0).forEach((data) => worker.receive(data));
