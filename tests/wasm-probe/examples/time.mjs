// Times the solver and the expert as WebAssembly: node time.mjs PROBE.wasm
import { readFile } from "node:fs/promises";

const { instance } = await WebAssembly.instantiate(await readFile(process.argv[2]));
const { solve, think } = instance.exports;
const time = (ask) => {
  ask();
  const started = performance.now();
  ask();
  return (performance.now() - started).toFixed(1);
};
console.log(time(() => solve(1, 400)), time(() => think(1, 100, 40)));
