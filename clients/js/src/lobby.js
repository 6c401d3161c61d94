// The codes of lobbies: which table a code leads to.
/** @import { Config, LobbyPlayer } from "./messages.js" */
import { GameError } from "./errors.js";

/** What a stranger may know about a table. @typedef {{ gameId: string, code: string, host?: string, config: Config, players: LobbyPlayer[] }} FoundLobby */

/**
 * Looks up the table that a code leads to. Case, spaces and dashes in the code do not matter. A server answers only a few of these
 * requests in a row.
 *
 * @param {{ baseUrl: string, code: string, fetch?: typeof globalThis.fetch }} options
 * @returns {Promise<FoundLobby>}
 */
export async function findLobby({ baseUrl, code, fetch = globalThis.fetch }) {
  const response = await fetch(`${baseUrl.replace(/\/+$/, "")}/api/codes/${encodeURIComponent(code.trim())}`);
  const answer = await response.json();
  if (answer.type === "LOBBY_FOUND") return answer;
  throw new GameError(answer.error?.code ?? "unreachable", answer.error?.message ?? "the server does not know codes", answer.error);
}
