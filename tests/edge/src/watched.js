// The Worker, instrumented for tests. Every alarm runs twice, and object creations, rows written and alarms are counted.
// A test can corrupt a log, or disable the random number generator, which makes the module panic.
import front, { Table as Plain } from "./index.js";

const counts = new Map();
const count = (what, more = 1) => counts.set(what, (counts.get(what) ?? 0) + more);

// Counts the rows written that Cloudflare bills, and the alarms set.
function watch(storage) {
  const { sql } = storage;
  const [exec, setAlarm] = [sql.exec.bind(sql), storage.setAlarm.bind(storage)];
  sql.exec = (...args) => {
    const cursor = exec(...args);
    count("rows written", cursor.rowsWritten);
    return cursor;
  };
  storage.setAlarm = (...args) => {
    count("alarms set");
    return setAlarm(...args);
  };
}

export class Table extends Plain {
  constructor(context, env) {
    super(context, env);
    watch(context.storage);
    count(`built ${context.id.name}`);
  }

  async alarm() {
    count("alarms rung");
    for (let time = 0; time < 2; time += 1) {
      count("alarms");
      await super.alarm();
    }
  }

  async fetch(request) {
    if (request.url.endsWith("?corrupt")) {
      this.ctx.storage.sql.exec("UPDATE log SET events = 'corrupted'");
      this.restart();
      return Response.json({});
    }
    return super.fetch(request);
  }
}

export default {
  async fetch(request, env, context) {
    const { pathname } = new URL(request.url);
    if (pathname === "/test/counts") return Response.json(Object.fromEntries(counts));
    if (pathname === "/test/take-randomness") {
      crypto.getRandomValues = () => {
        count("panics");
        throw new Error("there is no randomness");
      };
      return Response.json({});
    }
    if (pathname === "/test/give-randomness") return Response.json(delete crypto.getRandomValues);
    return front.fetch(request, env, context);
  },
};
