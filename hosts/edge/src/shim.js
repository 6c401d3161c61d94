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
const RESTORED_REASON = "the table restarts from its log; reconnect";
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
  const error = { code: "not-stored", message: "the table is not available now; try again" };
  return Response.json({ type: "ERROR", error }, { status: 503, headers: { "cache-control": "no-store", "x-content-type-options": "nosniff" } });
}

// A Durable Object whose state lives in the module. It is rebuilt when the module has a new instance.
class RecoverableObject extends DurableObject {
  #inner;
  #instance;

  // Returns this object in the current instance of the module.
  inner() {
    if (this.#instance !== instance || !this.#inner) {
      this.#inner = this.create();
      this.#instance = instance;
    }
    return this.#inner;
  }

  restart() {
    this.#inner = undefined;
  }

  async fetch(request) {
    try {
      return await guarded(() => this.inner().fetch(request));
    } catch {
      this.restart();
      return unavailable();
    }
  }

  // The platform retries an alarm that fails.
  async alarm() {
    try {
      await guarded(() => this.inner().alarm());
    } catch (error) {
      this.restart();
      throw error;
    }
  }
}

export class Code extends RecoverableObject {
  create() {
    return new edge.Code(this.ctx, this.env);
  }
}

export class Table extends RecoverableObject {
  create() {
    return new edge.Table(this.ctx, this.env);
  }

  // Disconnects all clients. They reconnect and resend unanswered requests.
  restart() {
    super.restart();
    for (const socket of this.ctx.getWebSockets()) socket.close(RESTORED, RESTORED_REASON);
  }

  async dispatch(call) {
    try {
      await guarded(() => call(this.inner()));
    } catch {
      this.restart();
    }
  }

  webSocketMessage(socket, message) {
    return this.dispatch((inner) => inner.webSocketMessage(socket, message));
  }

  webSocketClose(socket, code, reason, wasClean) {
    return this.dispatch((inner) => inner.webSocketClose(socket, code, reason, wasClean));
  }

  webSocketError(socket, error) {
    return this.dispatch((inner) => inner.webSocketError(socket, error));
  }
}

// The relay of a socket without a table lives in the module's memory. Closes the socket when the module fails.
function closeWithModule(socket) {
  let ended;
  new Promise((resolve) => pending.add((ended = resolve))).then(() => socket.close(RESTORED, RESTORED_REASON));
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
