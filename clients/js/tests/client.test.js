// The client without a server: what it sends when messages are lost, refused, or come in the wrong order.
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { afterEach, beforeEach, test } from "node:test";
import { GameClient, createGameClient, mergePatch, parseInvite } from "../src/index.js";

/** A transport that a test controls. */
class Wire {
  sent = [];
  opens = 0;

  open(gameId, events) {
    this.opens += 1;
    this.gameId = gameId;
    this.events = events;
  }

  send(message) {
    this.sent.push(message);
  }

  close() {}

  last() {
    return this.sent.at(-1);
  }

  welcome(version = 5) {
    this.events.opened();
    this.events.message({ type: "JOINED", gameId: "t", playerId: "p", seat: 2, capabilities: ["act-as-player"], version, view: view(version) });
  }
}

const view = (number) => ({ state: { phase: "bidding", number }, validActions: [{ action: PASS }], players: [{ playerId: "p", isConnected: true }] });
const PASS = { type: "pass", player: 2 };

let wire, client, joined;

beforeEach(() => {
  wire = new Wire();
  client = new GameClient(wire);
  joined = client.joinGame({ gameId: "t", key: "invite", name: "Ann" });
});

// Otherwise its timers would keep the process alive.
afterEach(() => {
  joined.catch(() => {});
  client.close();
});

test("a join sends the invite and a key of its own, and resolves with the session", async () => {
  wire.welcome();
  const { key, sessionKey, type } = wire.sent[0];
  assert.deepEqual([type, key, sessionKey.length], ["JOIN_GAME", "invite", 22]);
  const session = await joined;
  assert.deepEqual([session.seat, session.ticket], [2, { gameId: "t", key: sessionKey, name: "Ann" }]);
  assert.deepEqual(await client.getActions(), [{ action: PASS }]);
  await assert.rejects(client.joinGame({ gameId: "u", name: "Ann" }), { code: "already-joined" });
});

test("a refused join rejects, and the client can join again", async () => {
  wire.events.opened();
  wire.events.message({ type: "ERROR", requestType: "JOIN_GAME", error: { code: "bad-key", message: "no such key" } });
  await assert.rejects(joined, { code: "bad-key", message: "no such key" });
  await assert.rejects(client.getState(), { code: "not-joined" });
  const again = client.joinGame({ gameId: "t", name: "Ann" });
  wire.welcome();
  assert.equal((await again).gameId, "t");
});

test("patches of consecutive versions are applied, and a gap asks for a full view once", async () => {
  wire.welcome();
  const seen = [];
  client.subscribe(({ version, view }) => seen.push([version, view.state.number]));
  const patch = (version) => wire.events.message({ type: "STATE_UPDATE", gameId: "t", version, patch: { state: { number: version } } });
  [6, 8, 9, 6].forEach(patch);
  assert.deepEqual(seen, [[5, 5], [6, 6]]);
  assert.deepEqual(wire.sent.filter(({ type }) => type === "SUBSCRIBE"), [{ type: "SUBSCRIBE", gameId: "t" }]);
  wire.events.message({ type: "STATE_UPDATE", gameId: "t", version: 9, view: view(9) });
  patch(10);
  assert.deepEqual(seen.slice(2), [[9, 9], [10, 10]]);
});

test("a subscription ends", async () => {
  wire.welcome();
  let views = 0;
  const end = client.subscribe(() => (views += 1));
  end();
  wire.events.message({ type: "STATE_UPDATE", gameId: "t", version: 6, view: view(6) });
  assert.equal(views, 1);
});

test("presence changes a view between two versions", async () => {
  wire.welcome();
  wire.events.message({ type: "PLAYER_STATUS", gameId: "t", status: "disconnected", player: { playerId: "p", isConnected: false } });
  const table = await client.getState();
  assert.deepEqual([table.version, table.view.players[0].isConnected], [5, false]);
});

test("an unanswered request survives a lost connection under its id", async (context) => {
  context.mock.timers.enable({ apis: ["setTimeout", "Date"] });
  wire.welcome();
  await joined;
  const acted = client.executeAction(PASS);
  await Promise.resolve();
  await Promise.resolve();
  const request = wire.last();
  assert.equal(request.type, "EXECUTE_ACTION");
  wire.events.closed(1006);
  context.mock.timers.tick(15_000);
  assert.deepEqual([wire.opens, wire.gameId], [2, "t"]);
  wire.events.opened();
  assert.deepEqual([wire.last().type, wire.last().key, wire.last().version], ["JOIN_GAME", undefined, 5]);
  wire.events.message({ type: "JOINED", gameId: "t", playerId: "p", seat: 2, capabilities: [], version: 5, view: view(5) });
  assert.deepEqual(wire.last(), request);
  wire.events.message({ type: "STATE_UPDATE", gameId: "t", version: 6, ack: { requestId: request.requestId, version: 6 }, view: view(6) });
  assert.equal((await acted).version, 6);
});

test("a request that gets no answer is repeated", async (context) => {
  context.mock.timers.enable({ apis: ["setTimeout", "Date"] });
  wire.welcome();
  await joined;
  const ready = client.request({ type: "READY" });
  const request = wire.last();
  wire.sent.length = 0;
  for (let second = 0; second < 6; second += 1) context.mock.timers.tick(1_000);
  assert.deepEqual(wire.sent, [request]);
  wire.events.message({ type: "ERROR", requestType: "READY", requestId: request.requestId, error: { code: "not-started", message: "no" } });
  await assert.rejects(ready, { code: "not-started" });
});

test("silence leads to a ping, and more silence to a new connection", async (context) => {
  context.mock.timers.enable({ apis: ["setTimeout", "Date"] });
  wire.welcome();
  await joined;
  for (let second = 0; second < 21; second += 1) context.mock.timers.tick(1_000);
  assert.equal(wire.last().type, "PING");
  for (let second = 0; second < 60; second += 1) context.mock.timers.tick(1_000);
  assert.equal(wire.opens, 2);
});

const left = (requestId, isSeatKept) => wire.events.message({ type: "LEFT", requestId, gameId: "t", isSeatKept });
const refuse = (requestType, requestId) => wire.events.message({ type: "ERROR", requestType, requestId, error: { code: "bad-key", message: "no such key" } });

for (const [type, leave] of [
  ["LEAVE_GAME", () => client.leaveGame()],
  ["GIVE_UP_SEAT", () => client.giveUpSeat()],
  ["GIVE_UP_SEAT", () => client.request({ type: "GIVE_UP_SEAT" })],
]) {
  test(`${type} is answered, and ends the session: ${leave}`, async () => {
    wire.welcome();
    await joined;
    const [leaving, other] = [leave(), client.declareReady()];
    const request = wire.sent.at(-2);
    assert.equal(request.type, type);
    left(request.requestId, type === "LEAVE_GAME");
    await leaving;
    await assert.rejects(other, { code: "ended" });
    await assert.rejects(client.getState(), { code: "not-joined" });
  });

  test(`${type} is repeated after a lost connection, and is done if the session is gone: ${leave}`, async (context) => {
    context.mock.timers.enable({ apis: ["setTimeout", "Date"] });
    wire.welcome();
    await joined;
    const leaving = leave();
    const request = wire.last();
    wire.events.closed(1006);
    context.mock.timers.tick(15_000);
    wire.welcome();
    assert.deepEqual(wire.last(), request);
    wire.events.closed(1006);
    context.mock.timers.tick(15_000);
    wire.events.opened();
    refuse("JOIN_GAME", wire.last().requestId);
    await leaving;
    await assert.rejects(client.getState(), { code: "not-joined" });
  });

  test(`${type} is done if repeating it is refused because the session is gone: ${leave}`, async () => {
    wire.welcome();
    await joined;
    const leaving = leave();
    refuse(type, wire.last().requestId);
    await leaving;
  });

  test(`${type} is done if joining again leads to another session: ${leave}`, async (context) => {
    context.mock.timers.enable({ apis: ["setTimeout", "Date"] });
    wire.welcome();
    await joined;
    const leaving = leave();
    wire.events.closed(1006);
    context.mock.timers.tick(15_000);
    wire.events.opened();
    wire.events.message({ type: "JOINED", gameId: "t", playerId: "w7", seat: null, capabilities: [], version: 5, view: view(5) });
    await leaving;
  });
}

test("a seat is not given up when somebody else leaves with the same key", async () => {
  wire.welcome();
  await joined;
  const leaving = client.giveUpSeat();
  left(undefined, true);
  await assert.rejects(leaving, { code: "ended" });
});

test("a session that somebody else ends rejects its requests", async () => {
  wire.welcome();
  await joined;
  const ready = client.declareReady();
  left(undefined, false);
  await assert.rejects(ready, { code: "ended" });
});

test("the end of a session is told once, and only to those who listen", async () => {
  const ended = [];
  client.onEnd(({ code }) => ended.push(code));
  const stop = client.onEnd(() => assert.fail("ended subscriptions hear nothing"));
  stop();
  wire.welcome();
  await joined;
  left(undefined, false);
  assert.deepEqual(ended, ["ended"]);
  client.close();
  assert.deepEqual(ended, ["ended"]);
});

test("a join uses the key of the session that the program chose", async () => {
  const other = new Wire();
  const again = new GameClient(other);
  again.joinGame({ gameId: "t", key: "invite", name: "Ann", sessionKey: "mine" }).catch(() => {});
  other.events.opened();
  assert.equal(other.sent[0].sessionKey, "mine");
  again.close();
});

test("every call sends its request", async () => {
  wire.welcome();
  await joined;
  const sent = async (call, ...args) => {
    const done = client[call](...args);
    await null;
    await null;
    const { requestId, gameId, ...request } = wire.last();
    wire.events.message({ type: "STATE_UPDATE", gameId, version: 5, ack: { requestId, version: 5 } });
    await done;
    return request;
  };
  assert.deepEqual(await sent("declareReady"), { type: "READY" });
  assert.deepEqual(await sent("declineUndo"), { type: "DECLINE_UNDO" });
  assert.deepEqual(await sent("setControl", 2, "ai"), { type: "SET_PLAYER_CONTROL", player: 2, controlType: "ai" });
  assert.deepEqual(await sent("configure", { table: { pause: 0 } }), { type: "CONFIGURE", table: { pause: 0 } });
  assert.deepEqual(await sent("rematch"), { type: "REMATCH" });
  assert.deepEqual(await sent("rematch", { config: { target: 1 }, entropy: "x" }), { type: "REMATCH", config: { target: 1 }, entropy: "x" });
  assert.deepEqual(await sent("allowCoach", false), { type: "ALLOW_COACH", allowed: false });
  assert.deepEqual(await sent("revoke", 3), { type: "INVITE", revoke: 3 });
  assert.deepEqual(await sent("executeAction", PASS), { type: "EXECUTE_ACTION", version: 5, action: PASS });
  const withIntent = { type: "EXECUTE_ACTION", version: 4, action: PASS, intent: "Weak hand." };
  assert.deepEqual(await sent("executeAction", PASS, { version: 4, intent: "Weak hand." }), withIntent);
});

test("a phrase is answered to its speaker, and heard by the others", async () => {
  wire.welcome();
  await joined;
  const heard = [];
  const stop = client.listen((said) => heard.push(said));
  const done = client.say("lead-this", "6-4");
  const { requestId, ...request } = wire.last();
  assert.deepEqual(request, { type: "SAY", gameId: "t", phrase: "lead-this", domino: "6-4" });
  wire.events.message({ type: "SAID", gameId: "t", requestId, player: "p", phrase: "lead-this", domino: "6-4" });
  await done;
  assert.deepEqual(heard, []);
  wire.events.message({ type: "SAID", gameId: "t", player: "q", phrase: "thanks" });
  stop();
  wire.events.message({ type: "SAID", gameId: "t", player: "q", phrase: "sorry" });
  assert.deepEqual(heard, [{ player: "q", phrase: "thanks" }]);
});

test("hints arrive after the view, and last until the next action", async () => {
  wire.welcome();
  await joined;
  const hints = [{ action: PASS, reasons: [] }];
  const shown = [];
  client.subscribe((table) => shown.push(table.hints));
  const hint = (version) => wire.events.message({ type: "HINTS", gameId: "t", version, hints });
  const update = (version, events) =>
    wire.events.message({ type: "STATE_UPDATE", gameId: "t", version, view: { ...view(version), state: { phase: "bidding", events } } });
  update(6, 1);
  hint(5);
  assert.deepEqual(await client.getHints(), []);
  hint(6);
  assert.deepEqual(await client.getHints(), hints);
  update(7, 1);
  assert.deepEqual(await client.getHints(), hints);
  update(8, 2);
  assert.deepEqual(shown, [[], [], hints, hints, []]);
});

test("a session that is connected elsewhere is not taken back", async (context) => {
  context.mock.timers.enable({ apis: ["setTimeout", "Date"] });
  wire.welcome();
  await joined;
  const ready = client.request({ type: "READY" });
  wire.events.closed(4001);
  await assert.rejects(ready, { code: "ended" });
  context.mock.timers.tick(60_000);
  assert.equal(wire.opens, 1);
});

test("a server that never answers is given up", async (context) => {
  context.mock.timers.enable({ apis: ["setTimeout", "Date"] });
  for (let attempt = 0; attempt < 5; attempt += 1) {
    wire.events.closed(1006);
    context.mock.timers.tick(15_000);
  }
  await assert.rejects(joined, { code: "unreachable" });
  assert.equal(wire.opens, 5);
});

test("merge patches follow RFC 7396", () => {
  const cases = [
    [{ a: "b" }, { a: "c" }, { a: "c" }],
    [{ a: "b" }, { b: "c" }, { a: "b", b: "c" }],
    [{ a: "b", b: "c" }, { a: null }, { b: "c" }],
    [{ a: ["b"] }, { a: "c" }, { a: "c" }],
    [{ a: "c" }, { a: ["b"] }, { a: ["b"] }],
    [{ a: { b: "c" } }, { a: { b: "d", c: null } }, { a: { b: "d" } }],
    [{ a: [{ b: "c" }] }, { a: [1] }, { a: [1] }],
    [{ a: "foo" }, "bar", "bar"],
    [[1, 2], { a: "b", c: null }, { a: "b" }],
    [{}, { a: { bb: { ccc: null } } }, { a: { bb: {} } }],
  ];
  for (const [target, patch, result] of cases) {
    const before = structuredClone(target);
    assert.deepEqual(mergePatch(target, patch), result);
    assert.deepEqual(target, before);
  }
});

test("an invite link names its server, table and key", () => {
  assert.deepEqual(parseInvite("https://example.org/#join/abc/key"), { baseUrl: "https://example.org", gameId: "abc", key: "key" });
  assert.deepEqual(parseInvite("https://example.org/#bot/abc/key"), { baseUrl: "https://example.org", gameId: "abc", key: "key" });
  assert.deepEqual(parseInvite("http://localhost:4242/#watch/abc"), { baseUrl: "http://localhost:4242", gameId: "abc" });
  for (const wrong of ["http://localhost:4242/", "nonsense", "", "localhost:4242/#join/abc/key", "ftp://example.org/#join/abc/key"]) {
    assert.throws(() => parseInvite(wrong), { name: "GameError", code: "bad-message" }, wrong);
  }
});

test("a mode that does not exist and a platform without WebSocket are named", () => {
  assert.throws(() => createGameClient("pigeon", {}), /there is no mode pigeon: the modes are websocket, http, worker/);
  assert.throws(() => createGameClient("websocket", { baseUrl: "http://localhost", WebSocket: null }), /pass the class of the package `ws`/);
});

const path = (name) => new URL(`../${name}`, import.meta.url);

test("the package exports files that it contains", () => {
  const { exports } = JSON.parse(readFileSync(path("package.json"), "utf8"));
  assert.deepEqual(Object.keys(exports), [".", "./messages"]);
  for (const { types, default: source } of Object.values(exports)) {
    const [, name] = types.match(/^\.\/types\/(\w+)\.d\.ts$/);
    assert.ok(existsSync(path(`src/${name}.js`)) || existsSync(path(`src/${name}.ts`)), types);
    if (source) assert.ok(existsSync(path(source)), source);
  }
});

// The example stays short, because people start from it.
test("the example bot has about forty lines", () => {
  const lines = readFileSync(path("examples/bot.js"), "utf8").split("\n").map((line) => line.trim());
  const code = lines.filter((line) => line && !line.startsWith("//") && !line.startsWith("/**"));
  assert.ok(code.length <= 45, `${code.length} lines`);
});

test("a guest knocks until the host decides, and joins with the key that it sent", async (context) => {
  context.mock.timers.enable({ apis: ["setTimeout", "Date"] });
  const wire = new Wire();
  const guest = new GameClient(wire);
  const entered = guest.knock({ gameId: "t", code: "BCDFGH", name: "Cid" });
  wire.events.opened();
  const first = wire.last();
  assert.deepEqual([first.type, first.code], ["KNOCK", "BCDFGH"]);
  const knocked = (status) => wire.events.message({ type: "KNOCKED", gameId: "t", status });
  knocked("waiting");
  for (let second = 0; second < 6; second += 1) context.mock.timers.tick(1_000);
  assert.deepEqual([wire.last().type, wire.last().key], ["KNOCK", first.key]);
  assert.notEqual(wire.last().requestId, first.requestId);
  knocked("admitted");
  assert.deepEqual([wire.last().type, wire.last().key], ["JOIN_GAME", first.key]);
  wire.events.message({ type: "JOINED", gameId: "t", playerId: "p", seat: 2, capabilities: [], version: 5, view: view(5) });
  assert.equal((await entered).seat, 2);
  knocked("turned-away");
  assert.equal(guest.session?.seat, 2, "a late answer changes nothing");
});

test("a guest who is turned away is at no table", async () => {
  const wire = new Wire();
  const guest = new GameClient(wire);
  const entered = guest.knock({ gameId: "t", code: "BCDFGH", name: "Cid" });
  wire.events.opened();
  wire.events.message({ type: "KNOCKED", gameId: "t", status: "waiting" });
  wire.events.message({ type: "KNOCKED", gameId: "t", status: "turned-away" });
  await assert.rejects(entered, { code: "not-allowed" });
  await assert.rejects(guest.getState(), { code: "not-joined" });
});
