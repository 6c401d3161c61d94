// The Worker as it is, under a test that looks over its shoulder: every alarm runs twice, objects are counted when they are
// built, rows and alarms when they are written, and a test can spoil a log or take the randomness away, without which the
// module panics: that is the one thing it takes for granted.
import front, { Table as Plain } from "./index.js";

const counts = new Map();
const count = (what, more = 1) => counts.set(what, (counts.get(what) ?? 0) + more);

// What Cloudflare bills as rows written.
function watch(storage) {
  const { sql } = storage;
  const [exec, setAlarm] = [sql.exec.bind(sql), storage.setAlarm.bind(storage)];
  sql.exec = (...words) => {
    const cursor = exec(...words);
    count("rows written", cursor.rowsWritten);
    return cursor;
  };
  storage.setAlarm = (...words) => {
    count("alarms set");
    return setAlarm(...words);
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
    if (request.url.endsWith("?spoil")) {
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
