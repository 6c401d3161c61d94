// The minimal page: creates or joins a table, follows it, and sends the chosen actions. It contains no rules of the game.
const byId = (id) => document.getElementById(id);
const showStatus = (text) => { byId("status").textContent = text; };
let socket, game, key, view, version, people = 1, requests = 0;

const merge = (target, patch) => {
  if (patch === null || typeof patch !== "object" || Array.isArray(patch)) return patch;
  const result = target !== null && typeof target === "object" && !Array.isArray(target) ? { ...target } : {};
  for (const [name, change] of Object.entries(patch)) {
    if (change === null) delete result[name]; else result[name] = merge(result[name], change);
  }
  return result;
};

const send = (message) => socket.send(JSON.stringify({ requestId: `page-${Date.now()}-${++requests}`, ...message }));

const connect = (first) => {
  socket = new WebSocket(`${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/api/ws`);
  socket.onopen = () => send(first);
  socket.onmessage = (event) => handleMessage(JSON.parse(event.data));
  socket.onclose = (event) => {
    showStatus(`Connection lost (${event.reason || event.code}).`);
    if (event.code !== 4001 && game && key) setTimeout(() => connect({ type: "JOIN_GAME", gameId: game, key, name: "back" }), 1000);
  };
};

const handleMessage = (message) => {
  switch (message.type) {
    case "GAME_CREATED":
    case "JOINED":
      ({ gameId: game, version, view } = message);
      key = message.key ?? key;
      showStatus(`Table ${game}, you are ${message.playerId}.`);
      if (message.type === "GAME_CREATED") invite();
      break;
    case "STATE_UPDATE":
      if (message.view) ({ version, view } = message);
      else if (message.patch && message.version === version + 1) { view = merge(view, message.patch); version += 1; }
      else if (message.version > version) return socket.send(JSON.stringify({ type: "SUBSCRIBE", gameId: game }));
      break;
    case "INVITED": {
      const item = document.createElement("li");
      item.textContent = `Invite a player with this link: ${location.origin}/#join/${game}/${message.key}`;
      byId("invitations").append(item);
      return;
    }
    case "ERROR":
      showStatus(message.error.message);
      if (message.view) ({ version, view } = message);
      break;
    default:
      return;
  }
  draw();
};

const invite = () => {
  // The creator sits first; the other people's seats follow.
  for (let seat = 1; seat < people; seat += 1) send({ type: "INVITE", gameId: game, grant: { role: "player", seat } });
};

const draw = () => {
  const { state, derived } = view;
  const name = (seat) => view.players.find((one) => one.playerIndex === seat)?.name ?? `seat ${seat + 1}`;
  const lines = [`${state.phase}, hand ${state.handNumber + 1}, score ${state.score.join(" : ")} of ${state.target}`];
  state.players.forEach((hand, seat) => {
    lines.push(`${derived.toAct === seat ? "> " : "  "}${name(seat)}: ${hand.hand.join("  ") || `${hand.handCount} dominoes`}`);
  });
  for (const call of state.auction) lines.push(`  ${name(call.player)} ${call.bid ? `bids ${call.bid} ${call.value ?? ""}` : "passes"}`);
  if (state.trick) lines.push("on the table: " + state.trick.plays.map((play) => `${name(play.player)} ${play.domino}`).join(", "));
  byId("table").textContent = lines.join("\n");
  byId("actions").replaceChildren(...view.validActions.map((valid) => {
    const button = document.createElement("button");
    button.textContent = valid.label;
    button.onclick = () => send({ type: "EXECUTE_ACTION", gameId: game, version, action: valid.action });
    return button;
  }));
};

byId("create").onsubmit = (event) => {
  event.preventDefault();
  const form = new FormData(event.target);
  people = Number(form.get("people"));
  const players = [0, 1, 2, 3].map((seat) => (seat < people ? "human" : "ai"));
  connect({ type: "CREATE_GAME", name: form.get("name"), config: { players } });
};

const link = location.hash.match(/^#join\/([^/]+)\/([^/]+)$/);
if (link) {
  history.replaceState(null, "", "/");
  game = link[1];
  connect({ type: "JOIN_GAME", gameId: link[1], key: link[2], name: prompt("Your name") || "Guest" });
}
