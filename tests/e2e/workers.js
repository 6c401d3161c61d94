// The Web Workers of a page, under the control of a test. A few lines in front of the worker's script give it a clock that jumps:
// what the worker waits for comes at once, and its clock says that the time has passed. So computer players move without a pause,
// and in the same order on every machine. A search for a deal works in slices with a timer in between, so that it can be held.
const SHORT = 10_000;

// Runs in the worker, in front of its script.
function controlTime({ isHeld, most }) {
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
    if (delay > most) return wait(work, delay);
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

// Random numbers from a seed, in a page or a worker: the same hands are dealt in every run. Mulberry32.
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

const controls = new WeakMap();

// Takes control of all workers of a browser context. Service workers must be blocked in it: what they keep is not seen here.
export async function controlWorkers(context, seed) {
  const control = { isTimeHeld: false, door: null, count: 0 };
  controls.set(context, control);
  await context.route("**/worker.js", async (route) => {
    // The page also has it fetched in advance.
    if (route.request().resourceType() !== "script") return route.continue();
    if (control.door && control.door.left-- <= 0) await control.door.opened;
    const response = await route.fetch();
    const { "content-encoding": _, "content-length": __, ...headers } = response.headers();
    control.count += 1;
    const time = `(${controlTime})(${JSON.stringify({ isHeld: control.isTimeHeld, most: SHORT })})`;
    const shim = `${time};(${seedRandom})(${seed + control.count});\n`;
    await route.fulfill({ response, headers, body: shim + (await response.text()) });
  });
}

// The time of workers that begin from now on stands still, and a search with it, until it is released.
export const holdTime = (page) => void (controls.get(page.context()).isTimeHeld = true);

export async function releaseTime(page) {
  controls.get(page.context()).isTimeHeld = false;
  await Promise.all(page.workers().map((worker) => worker.evaluate(() => self.releaseTime())));
}

// So many workers may begin from now on; the others wait until the function that this gives is called.
export function holdWorkersAfter(page, left) {
  const control = controls.get(page.context());
  const door = { left };
  door.opened = new Promise((open) => (door.open = open));
  control.door = door;
  return () => {
    control.door = null;
    door.open();
  };
}
