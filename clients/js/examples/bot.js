// A bot for any server. It plays until the game is over, and prints the score. Node 20 needs a flag for its WebSocket:
//
//   node --experimental-websocket clients/js/examples/bot.js 'http://localhost:4242/#join/TABLE/KEY'
//   node clients/js/examples/bot.js 'http://localhost:4242/#join/TABLE/KEY' http
import { createHash } from "node:crypto";
import { pathToFileURL } from "node:url";
import { GameError, createGameClient, parseInvite } from "../src/index.js";

/** Your strategy goes here: this one takes any valid action. A failed claim costs the hand, so it never claims. */
function choose(view) {
  const actions = view.validActions.map((valid) => valid.action).filter((action) => action.type !== "claim");
  return actions[Math.floor(Math.random() * actions.length)];
}

/** Joins the table of a link and plays one game. Resolves with the score. */
export async function play(link, mode = "websocket", config = {}) {
  const { baseUrl, ...invite } = parseInvite(link);
  const client = createGameClient(mode, { baseUrl, ...config });
  const { seat } = await client.joinGame({ ...invite, name: "Node", sessionKey: sessionKey(invite.key) });
  for await (const { view } of views(client)) {
    if (["game-end", "one-hand-complete"].includes(view.state.phase)) return view.state.score;
    const { table, ready = [] } = view.metadata;
    const isAwaited = view.state.phase === "setup" && table.ready && !ready.includes(seat);
    const action = choose(view);
    try {
      if (isAwaited) await client.declareReady();
      else if (action) await client.executeAction(action);
    } catch (error) {
      // A refused request has no effect: somebody else was faster, and the next view says what to decide now.
      if (!(error instanceof GameError) || error.code === "ended") throw error;
    }
  }
}

/** The key of the session, derived from the link, so that a restarted bot returns to its seat. */
const sessionKey = (key) => createHash("sha256").update(`node bot ${key}`).digest().subarray(0, 16).toString("base64url");

/** The newest view, whenever there is one that was not seen yet. Fails when the session ends, and ends the connection at the end. */
async function* views(client) {
  let wake = () => {};
  let newest, ended;
  client.subscribe((table) => wake((newest = table)));
  client.onEnd((error) => wake((ended = error)));
  try {
    for (;;) {
      if (!newest && !ended) await new Promise((resolve) => (wake = resolve));
      if (!newest) throw ended;
      const table = newest;
      newest = undefined;
      yield table;
    }
  } finally {
    client.close();
  }
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  console.log("the game is over, %d to %d", ...(await play(...process.argv.slice(2))));
}
