// Controls the Web Workers of a page. A shim in front of the worker's script gives it a clock that jumps: timers fire at once, and
// the clock shows that the time has passed. So bots move without a pause, and in the same order on every machine. A deal search
// works in slices with a timer in between, so it can be paused.
const MAX_CONTROLLED_DELAY = 10_000;

// Runs in the worker before its script.
function controlTime({ isHeld, maxDelay }) {
  const [wait, now] = [self.setTimeout.bind(self), Date.now.bind(Date)];
  const timers = new Map();
  let [count, jumped] = [0, 0];
  const fire = (number) => {
    const timer = timers.get(number);
    if (isHeld || !timers.delete(number)) return;
    jumped += timer.delay;
    timer.work();
  };
  Date.now = () => now() + jumped;
  self.setTimeout = (work, delay = 0) => {
    if (delay > maxDelay) return wait(work, delay);
    timers.set((count += 1), { work, delay });
    wait(fire, 0, count);
    return -count;
  };
  const stop = self.clearTimeout.bind(self);
  self.clearTimeout = (number) => (number < 0 ? timers.delete(-number) : stop(number));
  self.releaseTime = () => {
    isHeld = false;
    for (const number of [...timers.keys()]) wait(fire, 0, number);
  };
}

// Seeds the random numbers of a page or worker, so that the same hands are dealt in every run. Mulberry32.
export function seedRandom(seed) {
  let state = seed;
  const byte = () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return (mixed ^ (mixed >>> 14)) & 255;
  };
  Crypto.prototype.getRandomValues = (array) => {
    new Uint8Array(array.buffer, array.byteOffset, array.byteLength).forEach((_, at, bytes) => (bytes[at] = byte()));
    return array;
  };
}

// Runs in a worker that may not store anything, as in some private windows.
function refuseStorage() {
  IDBFactory.prototype.open = () => {
    throw new DOMException("not allowed", "SecurityError");
  };
}

const controls = new WeakMap();

// Takes control of all workers of a browser context. Service workers must be blocked, because requests they answer are not seen here.
export async function controlWorkers(context, seed) {
  const control = { isTimeHeld: false, hasStorage: true, gate: null, count: 0 };
  controls.set(context, control);
  await context.route("**/worker.js", async (route) => {
    // The page also prefetches the script.
    if (route.request().resourceType() !== "script") return route.continue();
    if (control.gate && control.gate.left-- <= 0) await control.gate.opened;
    // A new connection each time: the server may close an idle one just when a request reuses it.
    const response = await route.fetch({ headers: { ...route.request().headers(), connection: "close" } });
    const { "content-encoding": _, "content-length": __, ...headers } = response.headers();
    control.count += 1;
    const time = `(${controlTime})(${JSON.stringify({ isHeld: control.isTimeHeld, maxDelay: MAX_CONTROLLED_DELAY })})`;
    const storage = control.hasStorage ? "" : `(${refuseStorage})();`;
    const shim = `${time};${storage}(${seedRandom})(${seed + control.count});\n`;
    await route.fulfill({ response, headers, body: shim + (await response.text()) });
  });
}

// Stops the time of workers that start from now on, which also pauses a deal search, until it is released.
export const holdTime = (page) => void (controls.get(page.context()).isTimeHeld = true);

export async function releaseTime(page) {
  controls.get(page.context()).isTimeHeld = false;
  await Promise.all(page.workers().map((worker) => worker.evaluate(() => self.releaseTime())));
}

// Workers that start from now on may not store anything.
export const withoutStorage = (page) => void (controls.get(page.context()).hasStorage = false);

// Throws an error in the worker that was started last. The test has to expect it.
export const SIMULATED = /a simulated failure/;
export const failWorker = (page) => page.workers().at(-1).evaluate(() => void setTimeout(() => {
  throw new Error("a simulated failure");
}));

// Lets `left` more workers start; the others wait until the returned function is called.
export function holdWorkersAfter(page, left) {
  const control = controls.get(page.context());
  const gate = { left };
  gate.opened = new Promise((open) => (gate.open = open));
  control.gate = gate;
  return () => {
    control.gate = null;
    gate.open();
  };
}
