// Compiled, not run: the types of the package say what the calls accept. A line marked as an error must be one.
import { createGameClient, findLobby, type GameClient } from "../src/index.js";
import type { Action, GameView } from "../src/messages.js";

const client: GameClient = createGameClient("websocket", { baseUrl: "http://localhost:4242" });
const bid: Action = { type: "bid", player: 0, bid: "points", value: 30 };

export async function play(): Promise<GameView> {
  const session = await client.joinGame({ gameId: "table", key: "key", name: "Ann", role: "player", sessionKey: "key" });
  const deaf: () => void = client.onEnd((error) => console.log(error.code));
  deaf();
  await client.createGame({ name: "Ann", role: "coach", seat: 1, table: { openHands: true } });
  await client.declareReady();
  await client.declineUndo();
  await client.say("hello");
  await client.say("lead-this", "6-4");
  await client.allowCoach(false);
  client.listen(({ player, phrase }) => console.log(player, phrase))();
  await client.setControl(0, "ai");
  await client.configure({ config: { target: 3 }, table: { pause: 0 } });
  await client.rematch({ config: { target: 1 } });
  const { invitation } = await client.invite({ role: "player", seat: 1 });
  await client.revoke(invitation);
  const { code, guests } = await client.openLobby({ renew: true });
  const found = await findLobby({ baseUrl: "http://localhost:4242", code: code ?? "BCDFGH" });
  await client.knock({ ...found, name: "Cid" });
  const [guest] = guests;
  if (guest) await client.admit(guest.guest, { role: "player", seat: 1 });
  await client.turnAway("g1");
  await client.closeLobby();
  await client.request({ type: "GIVE_UP_SEAT" });
  const { view, version } = await client.executeAction(bid);
  const stop: () => void = client.subscribe((table) => console.log(table.view.state.phase === "playing", table.version));
  stop();
  await client.executeAction(bid, { version, intent: "It looked good." });
  const chances = (await client.getHints()).map((hint) => hint.chance);
  await client.giveUpSeat();
  const labels: string[] = (await client.getActions()).map((valid) => valid.label);
  console.log(labels, chances, session.seat, version);
  return view;
}

// @ts-expect-error there is no such mode
createGameClient("pigeon", { baseUrl: "http://localhost:4242" });
// @ts-expect-error a worker needs its script
createGameClient("worker", { baseUrl: "http://localhost:4242" });
// @ts-expect-error an action has a player
export const wrong: Action = { type: "pass" };
// @ts-expect-error nobody creates a table as an admin
client.createGame({ name: "Ann", role: "admin" });
// @ts-expect-error there is no such request
client.request({ type: "SHUFFLE" });
// @ts-expect-error there is no such phrase
client.say("I have the double");
// @ts-expect-error there is no such phase
export const never = (view: GameView) => view.state.phase === "dancing";
// @ts-expect-error a seat is played by a person or a bot
client.setControl(0, "robot");
