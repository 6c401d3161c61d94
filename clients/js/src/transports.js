// The ways to a table: a WebSocket, HTTP requests, or a Web Worker. All of them carry the same messages.
/** @import { ClientMessage, GameView, ServerMessage } from "./messages.js" */
import { ENDPOINTS } from "./endpoints.js";

/**
 * What a transport reports.
 *
 * @typedef {object} TransportEvents
 * @property {() => void} opened
 * @property {(message: ServerMessage) => void} message a message of the table has arrived
 * @property {(code?: number) => void} closed the connection is lost or could not be opened
 */

/**
 * A way to a table. `open` is called again after each `closed`.
 *
 * @typedef {object} Transport
 * @property {(gameId: string | undefined, events: TransportEvents) => void} open
 * @property {(message: ClientMessage, key: string | undefined) => void} send
 * @property {() => void} close
 */

/**
 * The part of the WebSocket interface that this client uses; browsers, Node 22 and the package `ws` provide it.
 *
 * @typedef {new (url: string) => { send(text: string): void, close(): void, onopen: any, onmessage: any, onclose: any, onerror: any }} WebSocketClass
 */

/**
 * @param {{ baseUrl: string, WebSocket?: WebSocketClass }} config
 * @returns {Transport}
 */
export function webSocketTransport({ baseUrl, WebSocket = globalThis.WebSocket }) {
  if (!WebSocket) {
    throw new TypeError("this platform has no WebSocket: pass the class of the package `ws` as `WebSocket`, or use the mode `http`");
  }
  const base = baseUrl.replace(/\/+$/, "").replace(/^http/, "ws");
  /** @type {InstanceType<WebSocketClass> | undefined} */
  let socket;
  return {
    open(gameId, events) {
      const opened = new WebSocket(gameId === undefined ? `${base}/api/ws` : `${base}/api/games/${gameId}/ws`);
      socket = opened;
      opened.onopen = () => events.opened();
      opened.onmessage = (/** @type {{ data: unknown }} */ event) => events.message(JSON.parse(String(event.data)));
      opened.onclose = (/** @type {{ code?: number }} */ event) => events.closed(event.code);
      // An error is followed by `close`.
      opened.onerror = () => {};
    },
    send: (message) => socket?.send(JSON.stringify(message)),
    close: () => socket?.close(),
  };
}

/**
 * Sends each message as a request, and asks for the table at regular intervals; and, until they are there, for the hints of a
 * decision, if the session may see them.
 *
 * @param {{ baseUrl: string, pollEvery?: number, fetch?: typeof globalThis.fetch }} config
 * @returns {Transport}
 */
export function httpTransport({ baseUrl, pollEvery = 1_000, fetch = globalThis.fetch }) {
  const base = baseUrl.replace(/\/+$/, "");
  /** @type {AbortController} */
  let current = new AbortController();
  /** @type {TransportEvents | undefined} */
  let events;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  /** The decision whose hints have arrived. @type {string | undefined} */
  let hinted;

  /** @param {ClientMessage} message @param {string | undefined} key @returns {Promise<void>} */
  async function call(message, key) {
    const { signal } = current;
    const answer = await exchange(message, key, signal).catch(() => undefined);
    if (signal.aborted) return;
    if (!answer) return lost();
    if (message.type === "SUBSCRIBE") {
      schedule(message, key);
      if (answer.type === "ERROR") {
        const isOver = ["not-joined", "bad-key", "no-such-game"].includes(answer.error.code);
        if (isOver) events?.message({ type: "LEFT", gameId: message.gameId });
        return;
      }
    }
    events?.message(answer);
    if (answer.type === "STATE_UPDATE" && answer.view) await askForHints(answer.gameId, answer.view, key, signal);
    if (answer.type === "JOINED" || answer.type === "GAME_CREATED") {
      const sessionKey = answer.key ?? ("sessionKey" in message ? message.sessionKey : undefined) ?? key;
      schedule({ type: "SUBSCRIBE", gameId: answer.gameId }, sessionKey);
    }
  }

  /** @param {string} gameId @param {GameView} view @param {string | undefined} key @param {AbortSignal} signal */
  async function askForHints(gameId, view, key, signal) {
    const decision = `${view.metadata.gameNumber}/${view.state.events}`;
    if (decision === hinted || !view.validActions.some(({ hint }) => hint)) return;
    const answer = await get(ENDPOINTS.HINTS.path, gameId, key, signal).catch(() => undefined);
    if (signal.aborted || !answer?.hints) return;
    hinted = decision;
    events?.message({ type: "HINTS", gameId, version: answer.version, hints: answer.hints });
  }

  /** @param {string} path @param {string} gameId @param {string | undefined} key @param {AbortSignal} signal */
  async function get(path, gameId, key, signal) {
    const headers = key ? { authorization: `Bearer ${key}` } : undefined;
    const response = await fetch(base + path.replace("{id}", encodeURIComponent(gameId)), { ...(headers ? { headers } : {}), signal });
    return response.json();
  }

  /** @param {ClientMessage} message @param {string | undefined} key */
  function schedule(message, key) {
    clearTimeout(timer);
    timer = setTimeout(() => call(message, key), pollEvery);
  }

  function lost() {
    reset();
    events?.closed();
  }

  function reset() {
    clearTimeout(timer);
    current.abort();
    current = new AbortController();
  }

  /** @param {ClientMessage} message @param {string | undefined} key @param {AbortSignal} signal @returns {Promise<ServerMessage>} */
  async function exchange(message, key, signal) {
    const { type, ...fields } = message;
    const endpoint = ENDPOINTS[type];
    const requestId = "requestId" in message ? message.requestId : undefined;
    if (!endpoint) return refusal(type, requestId);
    const { gameId, ...body } = /** @type {Record<string, any>} */ (fields);
    const brings = type === "JOIN_GAME" || type === "KNOCK";
    if (brings) delete body.key;
    const bearer = brings ? message.key : key;
    const response = await fetch(base + endpoint.path.replace("{id}", encodeURIComponent(gameId ?? "")), {
      method: endpoint.method,
      headers: bearer ? { authorization: `Bearer ${bearer}` } : {},
      body: endpoint.method === "GET" ? undefined : JSON.stringify(body),
      signal,
    });
    const answer = await response.json();
    if (answer.type === "STATE_UPDATE" && answer.ack && !answer.view) {
      // An answered call shows its effect, so the answer gets the table.
      const state = await exchange({ type: "SUBSCRIBE", gameId }, key, signal);
      return state.type === "STATE_UPDATE" ? { ...state, ack: answer.ack } : answer;
    }
    return answer.type === "ERROR" ? { requestType: type, ...(requestId ? { requestId } : {}), ...answer } : answer;
  }

  return {
    open(_gameId, listener) {
      reset();
      events = listener;
      queueMicrotask(() => listener.opened());
    },
    // There is no connection to keep alive, and no subscription to end.
    send: (message, key) => void (message.type === "PING" || message.type === "UNSUBSCRIBE" || call(message, key)),
    close: reset,
  };
}

/** @param {string} type @param {string | null | undefined} requestId @returns {ServerMessage} */
const refusal = (type, requestId) => ({
  type: "ERROR",
  requestType: type,
  requestId,
  error: { code: "bad-message", message: `${type} needs a connection: use the mode websocket` },
});

/**
 * A table in a Web Worker of this browser: the worker script of the page, on the same origin.
 *
 * @param {{ workerUrl: string | URL, bots?: { leastWait: number, mostWait: number, level: string } }} config
 * @returns {Transport}
 */
export function workerTransport({ workerUrl, bots = { leastWait: 700, mostWait: 1_900, level: "intermediate" } }) {
  /** @type {Worker | undefined} */
  let worker;
  return {
    open(_gameId, events) {
      worker?.terminate();
      const started = new Worker(workerUrl, { type: "module" });
      worker = started;
      started.onmessage = ({ data }) => {
        const message = JSON.parse(data);
        if (message.frame) events.message(JSON.parse(message.frame.text));
        if (message === "storageFailed") events.closed();
      };
      started.onerror = () => events.closed();
      started.postMessage(JSON.stringify({ configureBots: bots }));
      queueMicrotask(() => events.opened());
    },
    send: (message) => worker?.postMessage(JSON.stringify({ frame: { channel: 0, text: JSON.stringify(message) } })),
    close: () => worker?.terminate(),
  };
}
