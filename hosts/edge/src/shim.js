// What the runtime loads: it hands every event to the WebAssembly module, and outlives its panics.
//
// A panic leaves the module's memory in no known state, and the promise of whoever called it never settles. The module's
// panic hook sets `criticalError`; here that fails every call that is waiting, at once, and the next event gets a fresh
// instance. Tables are then built again from what they stored, their neighbours' too, which costs a moment and no move.
import { DurableObject } from "cloudflare:workers";
import module from "./edge_bg.wasm";
import * as edge from "./edge.js";

edge.initSync({ module });

// The code of `close::RESTORED`: the table begins again from what is stored, come back.
const COME_BACK = 4004;
const waiting = new Set();
let isBroken = false;
let instance = 0;

Object.defineProperty(edge.__worker_init_state(), "criticalError", {
  get: () => isBroken,
  set: (value) => value && breakDown(new Error("the module panicked")),
});

function breakDown(error) {
  isBroken = true;
  for (const fail of waiting) fail(error);
  waiting.clear();
}

function mend() {
  if (!isBroken) return;
  edge.__wbg_reset_state();
  isBroken = false;
  instance += 1;
}

async function guarded(call) {
  mend();
  let fail;
  const crash = new Promise((_, reject) => waiting.add((fail = reject)));
  try {
    return await Promise.race([call(), crash]);
  } catch (error) {
    console.error("a call failed:", error?.stack ?? error, error?.cause?.stack ?? "");
    // What the module can foresee it answers. Whatever comes out here has left it in no known state.
    if (!isBroken) breakDown(error);
    throw error;
  } finally {
    waiting.delete(fail);
  }
}

function failed() {
  const error = { code: "not-stored", message: "the table is not there now; try again" };
  return Response.json({ type: "ERROR", error }, { status: 503, headers: { "cache-control": "no-store" } });
}

export class Table extends DurableObject {
  #inside;
  #instance;

  // The object inside of the present instance of the module.
  inside() {
    if (this.#instance !== instance || !this.#inside) {
      this.#inside = new edge.Table(this.ctx, this.env);
      this.#instance = instance;
    }
    return this.#inside;
  }

  // What was said may be lost, and is asked for again by those who come back.
  beginAgain() {
    this.#inside = undefined;
    for (const socket of this.ctx.getWebSockets()) socket.close(COME_BACK, "the table begins again; come back");
  }

  async tell(call) {
    try {
      await guarded(() => call(this.inside()));
    } catch {
      this.beginAgain();
    }
  }

  async fetch(request) {
    try {
      return await guarded(() => this.inside().fetch(request));
    } catch {
      this.beginAgain();
      return failed();
    }
  }

  webSocketMessage(socket, message) {
    return this.tell((inside) => inside.webSocketMessage(socket, message));
  }

  webSocketClose(socket, code, reason, wasClean) {
    return this.tell((inside) => inside.webSocketClose(socket, code, reason, wasClean));
  }

  webSocketError(socket, error) {
    return this.tell((inside) => inside.webSocketError(socket, error));
  }

  // An alarm that fails is tried again by the platform.
  async alarm() {
    try {
      await guarded(() => this.inside().alarm());
    } catch (error) {
      this.beginAgain();
      throw error;
    }
  }
}

// A line to no table in particular lives in the memory of the module, and would fall silent with it.
function endWithModule(line) {
  let ended;
  new Promise((resolve) => waiting.add((ended = resolve))).then(() => line.close(COME_BACK, "come back"));
  line.addEventListener("close", () => waiting.delete(ended));
}

export default {
  async fetch(request, env, context) {
    try {
      const response = await guarded(() => edge.fetch(request, env, context));
      if (request.line) endWithModule(request.line);
      return response;
    } catch {
      return failed();
    }
  },
};
