// Generated: `UPDATE_GOLDEN=1 cargo test -p texas42-cli --test javascript` writes this file, and the test compares it.
// The endpoint for each message that a client can send over HTTP, and for the hints.

/** @type {Record<string, { method: string, path: string }>} */
export const ENDPOINTS = {
  CREATE_GAME: { method: "POST", path: "/api/games" },
  SUBSCRIBE: { method: "GET", path: "/api/games/{id}/state" },
  HINTS: { method: "GET", path: "/api/games/{id}/actions" },
  EXECUTE_ACTION: { method: "POST", path: "/api/games/{id}/action" },
  JOIN_GAME: { method: "POST", path: "/api/games/{id}/join" },
  CONFIGURE: { method: "POST", path: "/api/games/{id}/configure" },
  INVITE: { method: "POST", path: "/api/games/{id}/invite" },
  OPEN_LOBBY: { method: "POST", path: "/api/games/{id}/lobby" },
  CLOSE_LOBBY: { method: "POST", path: "/api/games/{id}/close-lobby" },
  KNOCK: { method: "POST", path: "/api/games/{id}/knock" },
  TURN_AWAY: { method: "POST", path: "/api/games/{id}/turn-away" },
  SET_PLAYER_CONTROL: { method: "POST", path: "/api/games/{id}/control" },
  READY: { method: "POST", path: "/api/games/{id}/ready" },
  DECLINE_UNDO: { method: "POST", path: "/api/games/{id}/decline-undo" },
  SAY: { method: "POST", path: "/api/games/{id}/say" },
  ALLOW_COACH: { method: "POST", path: "/api/games/{id}/coach" },
  REMATCH: { method: "POST", path: "/api/games/{id}/rematch" },
  LEAVE_GAME: { method: "POST", path: "/api/games/{id}/leave" },
  GIVE_UP_SEAT: { method: "POST", path: "/api/games/{id}/give-up" },
};
