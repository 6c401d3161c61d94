// The client at tables of the native server, in Node: every call in both modes, the example bot, and the examples of the document.
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";
import { startServer } from "../../../tests/e2e/server.js";
import { play } from "../examples/bot.js";
import { createGameClient, findLobby } from "../src/index.js";

let server;
before(async () => void (server = await startServer()));
after(() => server.stop());

const ONE_HAND = { config: { layers: [{ type: "one-hand" }], players: ["human", "ai", "ai", "ai"] }, table: { pause: 0 } };
const CONFIG = { websocket: {}, http: { pollEvery: 20 } };
const isOver = ({ view }) => view.state.phase === "one-hand-complete";

/** Resolves with the first view that satisfies a condition. */
const until = (client, condition) =>
  new Promise((resolve) => {
    const end = client.subscribe((table) => {
      if (!condition(table)) return;
      queueMicrotask(() => end());
      resolve(table);
    });
  });

/** Takes any valid action until the hand is over. */
async function playHand(client) {
  const act = ({ view }) => {
    const valid = view.validActions.find(({ action }) => action.type !== "claim");
    if (valid) client.executeAction(valid.action).catch(() => {});
  };
  const end = client.subscribe(act);
  const table = await until(client, isOver);
  end();
  return table;
}

for (const mode of ["websocket", "http"]) {
  const create = () => createGameClient(mode, { baseUrl: server.url, ...CONFIG[mode] });

  test(`${mode}: create, look, act, be refused, leave`, async () => {
    const client = create();
    const session = await client.createGame({ name: "Ann", ...ONE_HAND });
    assert.equal(session.seat, 0);
    const { version } = await until(client, ({ view }) => view.validActions.length > 0);
    const [{ action }] = await client.getActions();
    const wrong = { type: "play", player: 0, domino: "6-6" };
    await assert.rejects(client.executeAction(wrong), { code: "refused" });
    await assert.rejects(client.executeAction(action, { version: 0, intent: "It looked good." }), { code: "stale" });
    const acted = await client.executeAction(action, { version });
    assert.ok(acted.version > version, `${acted.version}`);
    assert.deepEqual(await client.getHints(), []);
    await client.leaveGame();
    await assert.rejects(client.getState(), { code: "not-joined" });
  });

  test(`${mode}: invite, revoke, configure, be ready, change control, play again, leave, return, give up`, async () => {
    const [ann, bob] = [create(), create()];
    const config = { ...ONE_HAND.config, players: ["human", "human", "ai", "ai"] };
    const { gameId, ticket } = await ann.createGame({ name: "Ann", config: { ...config, target: 7 }, table: { pause: 0, ready: true } });
    const { key } = await ann.invite({ role: "player", seat: 1 });
    await bob.joinGame({ gameId, key, name: "Bob" });
    const spare = await ann.invite({ role: "spectator" });
    const eve = create();
    const watching = await eve.joinGame({ gameId, key: spare.key, name: "Eve" });
    const isListed = ({ view }) => view.players.some(({ name }) => name === "Eve");
    await until(ann, isListed);
    await ann.revoke(spare.invitation);
    await until(ann, (table) => !isListed(table));
    eve.close();
    await assert.rejects(create().resumeGame(watching.ticket), { code: "bad-key" });
    await assert.rejects(create().joinGame({ gameId, key: spare.key, name: "Eve" }), { code: "bad-key" });

    const heard = new Promise((resolve) => bob.listen(resolve));
    await ann.say("hello");
    if (mode === "websocket") assert.deepEqual(await heard, { player: ann.session.playerId, phrase: "hello" });
    await assert.rejects(ann.say("look", "6-4"), { code: "not-allowed" });
    await bob.allowCoach(false);
    assert.deepEqual((await bob.getState()).view.metadata.coachOff, [1]);

    await ann.configure({ config: { ...config, target: 3 } });
    assert.equal((await ann.getState()).view.state.target, 3);
    await assert.rejects(ann.rematch(), { name: "GameError" });
    await ann.declareReady();
    await bob.declareReady();
    await until(ann, ({ view }) => view.state.phase === "bidding");
    await assert.rejects(ann.configure({ table: { pause: 10 } }), { name: "GameError" });

    await bob.setControl(1, "ai");
    assert.equal((await bob.getState()).view.players.find(({ playerIndex }) => playerIndex === 1).controlType, "ai");
    await playHand(ann);
    await ann.rematch({ config: { ...config, target: 5 } });
    const { view } = await ann.getState();
    assert.deepEqual([view.metadata.gameNumber, view.state.target], [1, 5]);
    await bob.setControl(1, "human");

    await ann.leaveGame();
    await ann.resumeGame(ticket);
    await bob.giveUpSeat();
    await ann.request({ type: "GIVE_UP_SEAT" });
    await assert.rejects(ann.resumeGame(ticket), { code: "bad-key" });
  });

  test(`${mode}: open the lobby, knock with its code, be let in, be turned away`, async () => {
    const [ann, bob, eve] = [create(), create(), create()];
    const config = { ...ONE_HAND.config, players: ["human", "human", "ai", "ai"] };
    const { gameId } = await ann.createGame({ name: "Ann", ...ONE_HAND, config });
    const { code, guests } = await ann.openLobby();
    assert.deepEqual([code.length, guests], [6, []]);
    const found = await findLobby({ baseUrl: server.url, code: ` ${code.slice(0, 3)}-${code.slice(3)} `.toLowerCase() });
    assert.deepEqual([found.gameId, found.host], [gameId, "Ann"]);
    /** Resolves with the guest of this name. Over HTTP, the host has to ask. */
    const guest = async (name) => {
      for (;;) {
        const waiting = (mode === "http" ? await ann.openLobby() : ann.lobby).guests.find((other) => other.name === name);
        if (waiting) return waiting.guest;
        if (mode === "websocket") await new Promise((resolve) => { const end = ann.onLobby(() => { end(); resolve(); }); });
      }
    };
    const joined = bob.knock({ ...found, name: "Bob" });
    await ann.admit(await guest("Bob"), { role: "player", seat: 1 });
    assert.equal((await joined).seat, 1);
    await ann.setControl(1, "ai").catch(() => {});
    await bob.giveUpSeat();
    const refused = assert.rejects(eve.knock({ ...found, name: "Eve" }), { code: "not-allowed" });
    await ann.turnAway(await guest("Eve"));
    await refused;
    await ann.closeLobby();
    await assert.rejects(findLobby({ baseUrl: server.url, code }), { code: "no-such-game" });
    ann.close();
  });

  test(`${mode}: a creator watches a game of bots, or learns on a seat of their choice`, async () => {
    const client = create();
    const { config, table } = ONE_HAND;
    const session = await client.createGame({ name: "Ann", table, config: { ...config, players: ["ai", "ai", "ai", "ai"] }, role: "spectator" });
    assert.equal(session.seat, null);
    await until(client, isOver);
    await client.leaveGame();
    const learning = { ...config, players: ["human", "human", "ai", "ai"] };
    const { seat, capabilities } = await client.createGame({ name: "Ann", table, config: learning, role: "student", seat: 1 });
    assert.equal(seat, 1);
    assert.ok(capabilities.some(({ type }) => type === "see-hints"));
    client.close();
  });

  test(`${mode}: a ticket leads back to the seat after the client has gone`, async () => {
    const client = create();
    const { ticket, playerId, seat } = await client.createGame({ name: "Ann", ...ONE_HAND });
    client.close();
    const again = create();
    const session = await again.resumeGame(ticket);
    again.close();
    assert.deepEqual([session.playerId, session.seat], [playerId, seat]);
  });

  test(`${mode}: the hints of the host arrive for every choice`, async () => {
    const client = create();
    const config = { layers: [{ type: "hints" }], players: ["human", "ai", "ai", "ai"] };
    await client.createGame({ name: "Ann", config, table: { pause: 0, hints: true } });
    const { view, hints } = await until(client, (table) => table.hints.length > 0);
    assert.deepEqual(hints.map(({ action }) => action), view.validActions.map(({ action }) => action));
    assert.deepEqual(await client.getHints(), hints);
    client.close();
  });

  test(`${mode}: the example bot plays a hand with another client`, async () => {
    const ann = createGameClient("websocket", { baseUrl: server.url });
    const config = { ...ONE_HAND.config, players: ["human", "human", "ai", "ai"] };
    const { gameId } = await ann.createGame({ name: "Ann", ...ONE_HAND, config });
    const { key } = await ann.invite({ role: "player", seat: 1 });
    const over = playHand(ann);
    const score = await play(`${server.url}#join/${gameId}/${key}`, mode, CONFIG[mode]);
    assert.deepEqual(score, (await over).view.state.score);
    ann.close();
  });
}

test("the example bot returns to its seat after a restart, and says when a person took it", async () => {
  const ann = createGameClient("websocket", { baseUrl: server.url });
  const { gameId } = await ann.createGame({ name: "Ann", ...ONE_HAND });
  const { key } = await ann.invite({ role: "ai", seat: 1, uses: 1 });
  const link = `${server.url}#bot/${gameId}/${key}`;
  const isSeated = ({ view }) => view.players.some(({ name, isConnected }) => name === "Node" && isConnected);
  const first = play(link).catch((error) => error.code);
  await until(ann, isSeated);
  const second = play(link).catch((error) => error.message);
  assert.equal(await first, "ended");
  await until(ann, isSeated);
  const person = await ann.invite({ role: "player", seat: 1 });
  const bob = createGameClient("websocket", { baseUrl: server.url });
  await bob.joinGame({ gameId, key: person.key, name: "Bob" });
  ann.subscribe(() => {});
  const stop = [playHand(ann), playHand(bob)];
  assert.match(await second, /somebody took the seat/);
  await Promise.allSettled(stop);
  ann.close();
  bob.close();
});

/** The worker of a browser, which creates a table and does nothing else. */
class WorkerDouble {
  static started = [];
  received = [];

  constructor(url, options) {
    Object.assign(this, { url, options });
    WorkerDouble.started.push(this);
  }

  postMessage(text) {
    const message = JSON.parse(text);
    this.received.push(message);
    if (!message.frame || JSON.parse(message.frame.text).type !== "CREATE_GAME") return;
    const view = { state: { phase: "setup" }, validActions: [], players: [{ playerId: "p", playerIndex: 0, capabilities: [] }] };
    const created = JSON.stringify({ type: "GAME_CREATED", gameId: "t", playerId: "p", version: 1, view });
    this.onmessage({ data: JSON.stringify({ frame: { channel: 0, text: created } }) });
  }

  terminate() {}
}

test("the examples of docs/clients.md work", async () => {
  globalThis.Worker = WorkerDouble;
  const host = createGameClient("http", { baseUrl: server.url });
  const { gameId } = await host.createGame({ name: "Host", config: { players: ["human", "human", "ai", "ai"] } });
  const { key } = await host.invite({ role: "player" });
  host.close();
  const folder = mkdtempSync(join(tmpdir(), "texas42-docs-"));
  const document = readFileSync(new URL("../../../docs/clients.md", import.meta.url), "utf8");
  const examples = [...document.matchAll(/```js\n(.*?)```/gs)].map(([, code]) => code);
  const seats = [];
  for (const [number, code] of examples.entries()) {
    const file = join(folder, `${number}.mjs`);
    const there = { "texas42-client": import.meta.resolve("../src/index.js"), "http://localhost:4242": server.url.slice(0, -1), TABLE: gameId, KEY: key };
    writeFileSync(file, Object.entries(there).reduce((text, [from, to]) => text.replaceAll(from, to), code));
    const { client } = await import(pathToFileURL(file).href);
    seats.push(client.session.seat);
    client.close();
  }
  rmSync(folder, { recursive: true });
  assert.deepEqual(seats, [1, 0, 0]);
  const [{ url, received }] = WorkerDouble.started;
  const bots = { level: "intermediate", leastWait: 700, mostWait: 1_900 };
  assert.deepEqual([url, received[0]], ["/worker.js", { configureBots: bots }]);
});
