// The Worker as it is, under a test that looks over its shoulder: every alarm runs twice, objects are counted when they are
// built, and a test can spoil a log or let the module break down.
import front, { Table as Plain } from "./index.js";
import { __worker_init_state } from "./edge.js";

const counts = new Map();
const count = (what) => counts.set(what, (counts.get(what) ?? 0) + 1);

export class Table extends Plain {
  constructor(context, env) {
    super(context, env);
    count(`built ${context.id.name}`);
  }

  async alarm() {
    for (let time = 0; time < 2; time += 1) {
      count("alarms");
      await super.alarm();
    }
  }

  async fetch(request) {
    if (request.url.endsWith("/spoil")) {
      this.ctx.storage.sql.exec("UPDATE log SET events = 'spoilt'");
      this.beginAgain();
      return Response.json({});
    }
    return super.fetch(request);
  }
}

export default {
  async fetch(request, env, context) {
    const { pathname } = new URL(request.url);
    if (pathname === "/test/counts") return Response.json(Object.fromEntries(counts));
    if (pathname === "/test/break-down") {
      __worker_init_state().criticalError = true;
      return Response.json({});
    }
    return front.fetch(request, env, context);
  },
};
