// Invite links: `https://host/#join/TABLE/KEY`.
import { GameError } from "./errors.js";

/**
 * Parses an invite link. Throws a `GameError` if it is none.
 *
 * @param {string} link
 * @returns {{ baseUrl: string, gameId: string, key?: string }}
 */
export function parseInvite(link) {
  const url = URL.canParse(link) ? new URL(link) : undefined;
  const isAddress = url && ["http:", "https:"].includes(url.protocol);
  const [role, gameId, key] = isAddress ? url.hash.replace(/^#/, "").split("/") : [];
  if (!url || !["join", "watch", "coach", "behind", "bot"].includes(role) || !gameId) {
    throw new GameError("bad-message", `an invite link looks like http://localhost:4242/#join/TABLE/KEY, not ${link}`);
  }
  return key ? { baseUrl: url.origin, gameId, key } : { baseUrl: url.origin, gameId };
}
