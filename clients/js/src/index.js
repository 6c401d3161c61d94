// A client of Texas 42 tables, for browsers and Node. docs/clients.md explains it.
/** @import { WebSocketClass } from "./transports.js" */
import { GameClient } from "./client.js";
import { httpTransport, webSocketTransport, workerTransport } from "./transports.js";

export { GameClient } from "./client.js";
export { GameError } from "./errors.js";
export { parseInvite } from "./links.js";
export { findLobby } from "./lobby.js";
export { mergePatch } from "./merge-patch.js";

/**
 * The settings of each mode.
 *
 * @typedef {object} ModeConfigs
 * @property {{ baseUrl: string, WebSocket?: WebSocketClass }} websocket a server, which reports every change at once
 * @property {{ baseUrl: string, pollEvery?: number, fetch?: typeof globalThis.fetch }} http a server, which is asked at regular intervals
 * @property {{ workerUrl: string | URL, bots?: { leastWait: number, mostWait: number, level: string } }} worker a table in a Web Worker
 */

/** @type {{ [Mode in keyof ModeConfigs]: (config: ModeConfigs[Mode]) => import("./transports.js").Transport }} */
const TRANSPORTS = { websocket: webSocketTransport, http: httpTransport, worker: workerTransport };

/**
 * A client that is at no table yet. `mode` says where its table is; the calls are the same in every mode.
 *
 * @template {keyof ModeConfigs} Mode
 * @param {Mode} mode
 * @param {ModeConfigs[Mode]} config
 * @returns {GameClient}
 */
export function createGameClient(mode, config) {
  const transport = TRANSPORTS[mode];
  if (!transport) throw new TypeError(`there is no mode ${String(mode)}: the modes are ${Object.keys(TRANSPORTS).join(", ")}`);
  return new GameClient(transport(config));
}
