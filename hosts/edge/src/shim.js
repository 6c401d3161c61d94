// The entry point that the runtime loads. It passes every event to the WebAssembly module and recovers from its panics.
//
// A panic leaves the module's memory in an undefined state, and the promises of pending calls never settle. The module's
// panic hook sets `criticalError`. The setter below rejects every pending call, and the next event creates a fresh
// instance. All tables of the instance are then rebuilt from storage, which causes a short delay but loses no move.
import { DurableObject } from "cloudflare:workers";
import module from "./edge_bg.wasm";
import * as edge from "./edge.js";

edge.initSync({ module });

// The value of `close::RESTORED`: the table restarts from storage, and the client should reconnect.
const RESTORED = 4004;
const pending = new Set();
let isBroken = false;
let instance = 0;

Object.defineProperty(edge.__worker_init_state(), "criticalError", {
  get: () => isBroken,
  set: (value) => value && failPending(new Error("the module panicked")),
});

function failPending(error) {
  isBroken = true;
  for (const fail of pending) fail(error);
  pending.clear();
}

function resetIfBroken() {
  if (!isBroken) return;
  edge.__wbg_reset_state();
  isBroken = false;
  instance += 1;
}

async function guarded(call) {
  resetIfBroken();
  let fail;
  const crash = new Promise((_, reject) => pending.add((fail = reject)));
  try {
    return await Promise.race([call(), crash]);
  } catch (error) {
    console.error("a call failed:", error?.stack ?? error, error?.cause?.stack ?? "");
    // The module answers expected errors itself. Any other exception leaves it in an undefined state.
    if (!isBroken) failPending(error);
    throw error;
  } finally {
    pending.delete(fail);
  }
}

function unavailable() {
  const error = { code: "not-stored", message: "the table is not there now; try again" };
  return Response.json({ type: "ERROR", error }, { status: 503, headers: { "cache-control": "no-store" } });
}

export class Table extends DurableObject {
  #inside;
  #instance;

  // Returns this table's object in the current instance of the module.
  inside() {
    if (this.#instance !== instance || !this.#inside) {
      this.#inside = new edge.Table(this.ctx, this.env);
      this.#instance = instance;
    }
    return this.#inside;
  }

  // Disconnects all clients. They reconnect and resend unanswered requests.
  beginAgain() {
    this.#inside = undefined;
    for (const socket of this.ctx.getWebSockets()) socket.close(RESTORED, "the table begins again; come back");
  }

  async dispatch(call) {
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
      return unavailable();
    }
  }

  webSocketMessage(socket, message) {
    return this.dispatch((inside) => inside.webSocketMessage(socket, message));
  }

  webSocketClose(socket, code, reason, wasClean) {
    return this.dispatch((inside) => inside.webSocketClose(socket, code, reason, wasClean));
  }

  webSocketError(socket, error) {
    return this.dispatch((inside) => inside.webSocketError(socket, error));
  }

  // The platform retries an alarm that fails.
  async alarm() {
    try {
      await guarded(() => this.inside().alarm());
    } catch (error) {
      this.beginAgain();
      throw error;
    }
  }
}

// The relay of a socket without a table lives in the module's memory. Closes the socket when the module fails.
function closeWithModule(socket) {
  let ended;
  new Promise((resolve) => pending.add((ended = resolve))).then(() => socket.close(RESTORED, "come back"));
  socket.addEventListener("close", () => pending.delete(ended));
}

export default {
  async fetch(request, env, context) {
    try {
      const response = await guarded(() => edge.fetch(request, env, context));
      if (request.relaySocket) closeWithModule(request.relaySocket);
      return response;
    } catch {
      return unavailable();
    }
  },
};
