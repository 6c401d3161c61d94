// The client of one table: joins, follows the table, repeats each request until it is answered, and reconnects.
/** @import { Action, ActionHint, Capability, ClientMessage, Config, Control, Domino, GameView, Grant, KnockStatus, LobbyGuest, Phrase, PlayerView, Role, Seat, ServerMessage, TableOptions, ValidAction, WireError } from "./messages.js" */
/** @import { Transport } from "./transports.js" */
import { GameError } from "./errors.js";
import { mergePatch } from "./merge-patch.js";

/** How long to wait for a reply before repeating the request, in milliseconds. */
const REPLY_TIMEOUT = 5_000;
/** How long to wait before repeating a request that the table asked to send later. */
const RETRY_DELAY = 1_000;
/** After how much silence the client sends a ping, and after how much the connection is considered dead. */
const PING_AFTER = 20_000;
const DEAD_AFTER = 45_000;
/** How often a client in a lobby asks how its request stands. The answer comes by itself over a WebSocket. */
const REPEAT_KNOCK = 5_000;
/** How often the client looks for requests to repeat. */
const TICK = 1_000;
/** The first and the longest delay before another attempt to connect. */
const FIRST_DELAY = 250;
const LONGEST_DELAY = 15_000;
/** How many times to try a server that has never answered. */
const MAX_ATTEMPTS = 5;
/** Close codes after which a client does not reconnect: it flooded the table, or the session is connected elsewhere. */
const FINAL_CODES = [4000, 4001];

/** Why a guest was not let in. @type {Partial<Record<KnockStatus, string>>} */
const NOT_LET_IN = {
  "turned-away": "the host did not let you in this time",
  expired: "the host did not answer; ask again",
  closed: "the host lets nobody in with a code now",
};

/** The codes of errors after which a session is gone. */
const GONE_CODES = ["bad-key", "no-such-game"];

/**
 * A table as one session sees it. The host's hints for the current decision arrive some time after the view, if the session may
 * see hints.
 *
 * @typedef {{ version: number, view: GameView, hints: ActionHint[] }} VersionedView
 */

/** A phrase that somebody else said: `player` is a public id, `domino` the one that a coach points at. @typedef {{ player: string, phrase: Phrase, domino?: Domino }} SaidPhrase */

/** What to store for `resumeGame`. It contains a secret key. @typedef {{ gameId: string, key: string, name: string }} Ticket */

/**
 * A session at a table.
 *
 * @typedef {object} Session
 * @property {string} gameId
 * @property {string} playerId
 * @property {Seat | null} seat
 * @property {Capability[]} capabilities
 * @property {Ticket} ticket
 */

/**
 * How to join a table: with the key of an invite, or without one to watch an open table.
 *
 * @typedef {object} JoinOptions
 * @property {string} gameId
 * @property {string} [key]
 * @property {string} name
 * @property {Role} [role]
 * @property {Seat} [seat]
 * @property {Capability[]} [capabilities]
 * @property {string} [entropy]
 * @property {string} [sessionKey] the secret key of the session: 16 random bytes in base64url, new without it. A program that joins
 *   with the same key again returns to its session, even if the invite is used up.
 */

/** How to ask the host of a table to be let in; `findLobby` finds the table of a code. @typedef {{ gameId: string, code: string, name: string, entropy?: string }} KnockOptions */

/** The lobby of a table, as its host sees it. Times are on the clock of the table. @typedef {{ code?: string, until?: number, guests: LobbyGuest[] }} Lobby */

/**
 * A new table. Its creator plays; or learns as a student, watches, or coaches the person on `seat`, who joins later. Without a seat,
 * a player or a student takes the first human seat. A coach needs a table with open hands.
 *
 * @typedef {object} CreateOptions
 * @property {string} name
 * @property {Partial<Config>} [config]
 * @property {Partial<TableOptions>} [table]
 * @property {Exclude<Role, "ai" | "admin">} [role]
 * @property {Seat} [seat]
 * @property {string} [entropy]
 */

/** A message without the fields that the client adds. @template T @typedef {T extends any ? Omit<T, "gameId" | "requestId"> : never} WithoutIds */

/** @typedef {Extract<ClientMessage, { requestId: string } | { type: "LEAVE_GAME" | "GIVE_UP_SEAT" }>} IdentifiedMessage */

/** @typedef {WithoutIds<IdentifiedMessage>} Request */

/** New rules or options. Each replaces the earlier ones whole, and stays if it is left out. @typedef {{ config?: Partial<Config>, table?: Partial<TableOptions> }} NewRules */

/** @typedef {{ message: ClientMessage, resendAt: number, resolve: (reply: ServerMessage) => void, reject: (error: GameError) => void }} Pending */

/**
 * A client of one table. Order of calls: `createGame`, `joinGame` or `resumeGame`, then any of the others. There are three ways to
 * stop: after `leaveGame`, the seat is kept and a bot plays it meanwhile; after `close`, the seat is kept and the table waits for
 * its player; after `giveUpSeat`, the seat is given up for good. Every call that fails rejects with a `GameError`.
 */
export class GameClient {
  #transport;
  /** @type {"idle" | "down" | "joining" | "waiting" | "joined"} */
  #state = "idle";
  /** @type {{ message: (requestId: string, version?: number) => ClientMessage, name: string, key: string, admitted?: (requestId: string) => ClientMessage, resolve: (session: Session) => void, reject: (error: GameError) => void } | undefined} */
  #entry;
  /** @type {Session | undefined} */
  #session;
  /** @type {VersionedView | undefined} */
  #table;
  #hasRequestedView = false;
  /** @type {Lobby} */
  #lobby = { guests: [] };
  /** @type {Set<(lobby: Lobby) => void>} */
  #lobbyListeners = new Set();
  #knockAgainAt = 0;
  /** @type {Map<string, Pending>} */
  #pending = new Map();
  /** @type {Set<(table: VersionedView) => void>} */
  #listeners = new Set();
  /** @type {Set<(error: GameError) => void>} */
  #endListeners = new Set();
  /** @type {Set<(said: SaidPhrase) => void>} */
  #phraseListeners = new Set();
  #prefix = randomKey().slice(0, 11);
  #requests = 0;
  #attempts = 0;
  #hasAnswered = false;
  #receivedAt = 0;
  #joiningSince = 0;
  #hasPinged = false;
  /** Distinguishes connections, so that late events of an earlier one are ignored. */
  #connection = 0;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #timer;

  /** @param {Transport} transport */
  constructor(transport) {
    this.#transport = transport;
  }

  /** The session, once the client has joined. */
  get session() {
    return this.#session;
  }

  /**
   * Creates a table and takes its first human seat, or has another role at it.
   *
   * @param {CreateOptions} options
   * @returns {Promise<Session>}
   */
  createGame({ name, config = {}, table = {}, role, seat, entropy }) {
    const key = randomKey();
    const creation = /** @type {any} */ ({ type: "CREATE_GAME", name, config, table, sessionKey: key, ...defined({ role, seat, entropy }) });
    return this.#enter(name, key, (requestId) => ({ ...creation, requestId }));
  }

  /**
   * Joins a table.
   *
   * @param {JoinOptions} options
   * @returns {Promise<Session>}
   */
  joinGame({ gameId, key, name, role, seat, capabilities, entropy, sessionKey = randomKey() }) {
    const fields = defined({ key, role, seat, capabilities, entropy });
    return this.#enter(name, sessionKey, (requestId) => ({ type: "JOIN_GAME", gameId, name, sessionKey, requestId, ...fields }), gameId);
  }

  /**
   * Asks the host of a table to be let in. Resolves when the host has done so and the client has joined, and rejects when the host
   * has not. `close` withdraws the request.
   *
   * @param {KnockOptions} options
   * @returns {Promise<Session>}
   */
  knock({ gameId, code, name, entropy }) {
    const [key, sessionKey] = [randomKey(), randomKey()];
    const join = (/** @type {string} */ requestId) => /** @type {const} */ ({ type: "JOIN_GAME", gameId, name, key, sessionKey, requestId, ...defined({ entropy }) });
    return this.#enter(name, sessionKey, (requestId) => ({ type: "KNOCK", gameId, code, name, key, requestId }), gameId, join);
  }

  /**
   * Returns to a session.
   *
   * @param {Ticket} ticket
   * @returns {Promise<Session>}
   */
  resumeGame({ gameId, key, name }) {
    return this.#enter(name, key, (requestId) => ({ type: "JOIN_GAME", gameId, name, sessionKey: key, requestId }), gameId);
  }

  /**
   * Leaves the table. A player keeps the seat, which a bot plays meanwhile, and returns with the ticket. Resolves when the table has
   * answered; the client can then join another one. If the table is away, the client waits for it like with every request; `close`
   * ends the wait.
   *
   * @returns {Promise<void>}
   */
  async leaveGame() {
    await this.request({ type: "LEAVE_GAME" });
  }

  /**
   * Gives up the seat for good and leaves the table; the ticket is then invalid. Resolves like `leaveGame`.
   *
   * @returns {Promise<void>}
   */
  async giveUpSeat() {
    await this.request({ type: "GIVE_UP_SEAT" });
  }

  /** Disconnects. The session keeps its seat, and the table waits for its player; the ticket leads back to it. */
  close() {
    this.#end(new GameError("ended", "the client was closed"));
  }

  /**
   * The table as the session sees it now.
   *
   * @returns {Promise<VersionedView>}
   */
  async getState() {
    if (!this.#table) throw notJoined();
    return this.#table;
  }

  /**
   * What the session may do now.
   *
   * @returns {Promise<ValidAction[]>}
   */
  async getActions() {
    return (await this.getState()).view.validActions;
  }

  /**
   * The host's hints for the current decision; see `VersionedView`.
   *
   * @returns {Promise<ActionHint[]>}
   */
  async getHints() {
    return (await this.getState()).hints;
  }

  /**
   * Executes an action. Resolves with the table after it. It is based on the current view, or on an earlier `version`, which the
   * table refuses if it is too old. `intent` is a bot's reason for the action.
   *
   * @param {Action} action
   * @param {{ version?: number, intent?: string }} [basis]
   * @returns {Promise<VersionedView>}
   */
  async executeAction(action, { version, intent } = {}) {
    const current = await this.getState();
    await this.request({ type: "EXECUTE_ACTION", version: version ?? current.version, action, ...defined({ intent }) });
    return this.getState();
  }

  /** Declares the player ready, at a table that waits for everybody. */
  async declareReady() {
    await this.request({ type: "READY" });
  }

  /** Declines the undo that another player asks for. To allow it, execute the same undo. */
  async declineUndo() {
    await this.request({ type: "DECLINE_UNDO" });
  }

  /**
   * Lets a bot play a seat, or takes the seat back from a bot.
   *
   * @param {Seat} player
   * @param {Control} controlType
   */
  async setControl(player, controlType) {
    await this.request({ type: "SET_PLAYER_CONTROL", player, controlType });
  }

  /**
   * Changes the rules or options before the first game, for sessions with `configure-variant`.
   *
   * @param {NewRules} rules
   */
  async configure(rules) {
    await this.request(/** @type {any} */ ({ type: "CONFIGURE", ...rules }));
  }

  /**
   * Starts another game at the same table. Without `entropy`, reuses the randomness of the last game. Sessions with
   * `configure-variant` can change the rules or options.
   *
   * @param {NewRules & { entropy?: string }} [game]
   */
  async rematch(game = {}) {
    await this.request(/** @type {any} */ ({ type: "REMATCH", ...game }));
  }

  /**
   * Says a phrase. A coach points at a domino of the student's hand with some of them.
   *
   * @param {Phrase} phrase
   * @param {Domino} [domino]
   */
  async say(phrase, domino) {
    await this.request({ type: "SAY", phrase, ...defined({ domino }) });
  }

  /**
   * Allows the coaches of this player to talk, or ends it.
   *
   * @param {boolean} allowed
   */
  async allowCoach(allowed) {
    await this.request({ type: "ALLOW_COACH", allowed });
  }

  /**
   * Calls `listener` with every phrase that somebody else says from now on. A table that is reached over HTTP delivers none.
   * Returns a function that ends it.
   *
   * @param {(said: SaidPhrase) => void} listener
   * @returns {() => void}
   */
  listen(listener) {
    this.#phraseListeners.add(listener);
    return () => void this.#phraseListeners.delete(listener);
  }

  /**
   * Creates an invite.
   *
   * @param {Omit<Partial<Grant>, "role"> & { role: Role }} grant
   * @returns {Promise<{ invitation: number, key: string }>}
   */
  async invite(grant) {
    const key = randomKey();
    const reply = await this.request({ type: "INVITE", grant: /** @type {Grant} */ (grant), key });
    if (reply.type !== "INVITED") throw new GameError("bad-message", `unexpected reply ${reply.type}`);
    return { invitation: reply.invitation, key };
  }

  /**
   * Revokes the invite with this number, and ends the sessions that joined with it.
   *
   * @param {number} invite
   */
  async revoke(invite) {
    await this.request({ type: "INVITE", revoke: invite });
  }

  /** The lobby of the table, for its host. A table that is reached over HTTP sends it only when asked with `openLobby`. */
  get lobby() {
    return this.#lobby;
  }

  /**
   * Opens the lobby of the table, or replaces its code. Resolves with the code that others type.
   *
   * @param {{ renew?: boolean }} [options]
   * @returns {Promise<Lobby>}
   */
  async openLobby({ renew = false } = {}) {
    await this.request({ type: "OPEN_LOBBY", ...(renew ? { renew } : {}) });
    return this.#lobby;
  }

  /** Ends the code of the table, and sends the guests who wait away. */
  async closeLobby() {
    await this.request({ type: "CLOSE_LOBBY" });
  }

  /**
   * Lets a guest in who waits in the lobby.
   *
   * @param {string} guest
   * @param {Omit<Partial<Grant>, "role"> & { role: Role }} [grant]
   */
  async admit(guest, grant = { role: "player" }) {
    await this.request({ type: "INVITE", grant: /** @type {Grant} */ (grant), guest });
  }

  /**
   * Turns a guest away who waits in the lobby.
   *
   * @param {string} guest
   */
  async turnAway(guest) {
    await this.request({ type: "TURN_AWAY", guest });
  }

  /**
   * Calls `listener` whenever the lobby changes. Returns a function that ends the subscription.
   *
   * @param {(lobby: Lobby) => void} listener
   * @returns {() => void}
   */
  onLobby(listener) {
    this.#lobbyListeners.add(listener);
    return () => void this.#lobbyListeners.delete(listener);
  }

  /**
   * Makes any request of the protocol, and waits for its answer. The client adds the table and the id of the request, and repeats
   * the request until it is answered; the table executes it once.
   *
   * @param {Request} request
   * @returns {Promise<ServerMessage>}
   */
  async request(request) {
    const gameId = this.#session?.gameId;
    if (!gameId) throw notJoined();
    const requestId = this.#nextId();
    const message = /** @type {IdentifiedMessage} */ ({ ...request, gameId, requestId });
    return new Promise((resolve, reject) => {
      this.#pending.set(requestId, { message, resendAt: Date.now() + REPLY_TIMEOUT, resolve, reject });
      if (this.#state === "joined") this.#send(message);
    });
  }

  /**
   * Calls `listener` with the current view, if there is one, with every later one, and again when hints for it arrive. Returns a
   * function that ends the subscription.
   *
   * @param {(table: VersionedView) => void} listener
   * @returns {() => void}
   */
  subscribe(listener) {
    this.#listeners.add(listener);
    if (this.#table) listener(this.#table);
    return () => void this.#listeners.delete(listener);
  }

  /**
   * Calls `listener` when the session ends: somebody took the seat of a bot or revoked its invite, it is connected elsewhere, or this
   * client left or was closed. The error says which; the client can then join again. Returns a function that ends the subscription.
   *
   * @param {(error: GameError) => void} listener
   * @returns {() => void}
   */
  onEnd(listener) {
    this.#endListeners.add(listener);
    return () => void this.#endListeners.delete(listener);
  }

  /**
   * @param {string} name
   * @param {string} key
   * @param {(requestId: string, version?: number) => ClientMessage} message
   * @param {string} [gameId]
   * @param {(requestId: string) => ClientMessage} [admitted] the message once the host has let the client in
   * @returns {Promise<Session>}
   */
  #enter(name, key, message, gameId, admitted) {
    if (this.#entry) return Promise.reject(new GameError("already-joined", "the client is at a table already"));
    return new Promise((resolve, reject) => {
      this.#entry = { message, name, key, resolve, reject, ...defined({ admitted }) };
      this.#connect(gameId);
    });
  }

  /** @param {string} [gameId] */
  #connect(gameId) {
    const number = ++this.#connection;
    /** @template {any[]} T @param {(...rest: T) => void} handle @returns {(...rest: T) => void} */
    const current = (handle) => (...rest) => void (number === this.#connection && handle(...rest));
    this.#state = "down";
    this.#transport.open(this.#session?.gameId ?? gameId, {
      opened: current(() => this.#join()),
      message: current((/** @type {ServerMessage} */ message) => this.#handleMessage(message)),
      closed: current((/** @type {number | undefined} */ code) => this.#reconnect(code, gameId)),
    });
  }

  #join() {
    if (!this.#entry) return;
    this.#state = "joining";
    this.#joiningSince = this.#receivedAt = Date.now();
    this.#hasPinged = false;
    const { gameId } = this.#session ?? {};
    const { message, name, key: sessionKey } = this.#entry;
    const requestId = this.#nextId();
    const version = defined({ version: this.#table?.version });
    this.#send(gameId ? { type: "JOIN_GAME", gameId, name, sessionKey, requestId, ...version } : message(requestId));
    this.#schedule();
  }

  /** @param {number | undefined} code @param {string | undefined} gameId */
  #reconnect(code, gameId) {
    if (code !== undefined && FINAL_CODES.includes(code)) return this.#end(new GameError("ended", `the table closed the connection (${code})`));
    this.#attempts += 1;
    if (!this.#hasAnswered && this.#attempts >= MAX_ATTEMPTS) return this.#end(new GameError("unreachable", "no server answers"));
    this.#state = "down";
    const delay = Math.min(FIRST_DELAY * 2 ** Math.min(this.#attempts - 1, 10), LONGEST_DELAY);
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#connect(gameId), delay * (1 - Math.random() / 2));
  }

  /** Resends unanswered requests, and checks that the connection is alive. */
  #tick() {
    const now = Date.now();
    if (now - this.#receivedAt >= DEAD_AFTER) {
      this.#transport.close();
      return this.#reconnect(undefined, this.#session?.gameId);
    }
    if (now - this.#receivedAt >= PING_AFTER && !this.#hasPinged) {
      this.#hasPinged = true;
      this.#send({ type: "PING", nonce: 0 });
    }
    if (this.#state === "joining" && now - this.#joiningSince >= REPLY_TIMEOUT) return this.#join();
    if (this.#state === "waiting" && this.#entry && now >= this.#knockAgainAt) {
      this.#knockAgainAt = now + REPEAT_KNOCK;
      this.#send(this.#entry.message(this.#nextId()));
    }
    if (this.#state === "joined") {
      for (const pending of this.#pending.values()) {
        if (now < pending.resendAt) continue;
        pending.resendAt = now + REPLY_TIMEOUT;
        this.#send(pending.message);
      }
    }
    this.#schedule();
  }

  #schedule() {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#tick(), TICK);
  }

  /** @param {ClientMessage} message */
  #send(message) {
    this.#transport.send(message, this.#entry?.key);
  }

  /** @param {ServerMessage} message */
  #handleMessage(message) {
    this.#receivedAt = Date.now();
    this.#hasPinged = false;
    this.#hasAnswered = true;
    this.#follow(message);
    switch (message.type) {
      case "GAME_CREATED":
      case "JOINED":
        return this.#joined(message);
      case "STATE_UPDATE":
        return message.ack ? this.#answer(message.ack.requestId, message) : undefined;
      case "INVITED":
        return this.#answer(message.requestId, message);
      case "LOBBY":
        this.#showLobby({ guests: message.guests, ...defined({ code: message.code ?? undefined, until: message.until ?? undefined }) });
        return message.requestId ? this.#answer(message.requestId, message) : undefined;
      case "KNOCKED":
        return this.#knocked(message.status);
      case "SAID":
        return message.requestId ? this.#answer(message.requestId, message) : this.#said(message);
      case "LEFT":
        return this.#left(message);
      case "ERROR":
        return this.#refused(message);
    }
  }

  /** @param {KnockStatus} status */
  #knocked(status) {
    const entry = this.#entry;
    if (!entry?.admitted || (this.#state !== "joining" && this.#state !== "waiting")) return;
    const refusal = NOT_LET_IN[status];
    if (refusal) return this.#end(new GameError("not-allowed", refusal));
    if (status === "waiting") {
      this.#state = "waiting";
      this.#knockAgainAt = Date.now() + REPEAT_KNOCK;
    } else {
      entry.message = entry.admitted;
      this.#join();
    }
  }

  /** @param {Lobby} lobby */
  #showLobby(lobby) {
    this.#lobby = lobby;
    for (const listener of [...this.#lobbyListeners]) listener(lobby);
  }

  /** @param {Extract<ServerMessage, { type: "GAME_CREATED" | "JOINED" }>} message */
  #joined(message) {
    const entry = this.#entry;
    if (!entry) return;
    if (this.#session && this.#session.playerId !== message.playerId && this.#hasLeft()) return;
    entry.key = message.key ?? entry.key;
    const me = message.view.players.find(({ playerId }) => playerId === message.playerId);
    const seat = message.type === "JOINED" ? message.seat : me?.playerIndex;
    const capabilities = message.type === "JOINED" ? message.capabilities : (me?.capabilities ?? []);
    const { gameId, playerId } = message;
    this.#session = { gameId, playerId, seat: seat ?? null, capabilities, ticket: { gameId, key: entry.key, name: entry.name } };
    this.#state = "joined";
    this.#attempts = 0;
    this.#hasRequestedView = false;
    // If anything is in the lobby, the table sends it next.
    if (this.#lobby.code || this.#lobby.guests.length > 0) this.#showLobby({ guests: [] });
    entry.resolve(this.#session);
    // The table executes repeated requests once.
    for (const pending of this.#pending.values()) {
      pending.resendAt = Date.now() + REPLY_TIMEOUT;
      this.#send(pending.message);
    }
  }

  /**
   * The session has left: at the request of this client, or of somebody with the same key.
   *
   * @param {Extract<ServerMessage, { type: "LEFT" }>} message
   */
  #left(message) {
    const leave = this.#executedLeave(message);
    leave?.resolve(message);
    this.#end(new GameError("ended", leave ? "the client left the table" : "the session has ended: somebody took the seat, or the invite was revoked"));
  }

  /**
   * The request to leave or to give up the seat that the table has executed. Without the id of the request, any of them whose effect
   * has come about.
   *
   * @param {{ requestId?: string | null, isSeatKept?: boolean }} left
   * @returns {Pending | undefined}
   */
  #executedLeave({ requestId, isSeatKept }) {
    return [...this.#pending.values()].find(({ message }) => {
      if (message.type !== "LEAVE_GAME" && message.type !== "GIVE_UP_SEAT") return false;
      return requestId ? message.requestId === requestId : message.type === "LEAVE_GAME" || !isSeatKept;
    });
  }

  /**
   * Ends the session if the table has executed a request to leave whose answer was lost. Then the session is gone: joining again
   * leads to another session or is refused, and so is repeating the request.
   *
   * @param {string | null} [requestId] the request that was repeated
   * @returns {boolean}
   */
  #hasLeft(requestId) {
    const leave = this.#executedLeave({ requestId });
    if (!leave || !this.#session || !("requestId" in leave.message)) return false;
    this.#left({ type: "LEFT", gameId: this.#session.gameId, requestId: leave.message.requestId });
    return true;
  }

  /** @param {Extract<ServerMessage, { type: "ERROR" }>} message */
  #refused({ requestId, requestType, error }) {
    const pending = requestId ? this.#pending.get(requestId) : undefined;
    const isKnocking = requestType === "KNOCK" && this.#state === "waiting";
    const isJoining = isKnocking || (this.#state === "joining" && ["JOIN_GAME", "CREATE_GAME", "KNOCK"].includes(requestType ?? ""));
    const refusal = new GameError(error.code, error.message, error);
    if (GONE_CODES.includes(error.code) && (isJoining || pending) && this.#hasLeft(isJoining ? undefined : requestId)) return;
    if (error.code === "not-stored" || error.code === "rate-limited") {
      if (pending) pending.resendAt = Date.now() + RETRY_DELAY;
      if (isJoining) this.#joiningSince = Date.now() - REPLY_TIMEOUT + RETRY_DELAY;
    } else if (error.code === "not-joined" && this.#state === "joined" && !isJoining) {
      this.#join();
    } else if (isJoining) {
      this.#end(refusal);
    } else if (pending && requestId) {
      this.#pending.delete(requestId);
      pending.reject(refusal);
    }
  }

  /** @param {string} requestId @param {ServerMessage} reply */
  #answer(requestId, reply) {
    const pending = this.#pending.get(requestId);
    this.#pending.delete(requestId);
    pending?.resolve(reply);
  }

  /** @param {Extract<ServerMessage, { type: "SAID" }>} message */
  #said({ player, phrase, domino }) {
    for (const listener of [...this.#phraseListeners]) listener({ player, phrase, ...defined({ domino: domino ?? undefined }) });
  }

  /** Applies a message to the view. A gap is never shown: the client asks for a full view. @param {ServerMessage} message */
  #follow(message) {
    const held = this.#table;
    if ("view" in message && message.view && typeof message.version === "number") {
      if (!held || message.version >= held.version) this.#show(message.version, message.view);
    } else if (message.type === "STATE_UPDATE" && message.patch) {
      if (held && message.version <= held.version) return;
      if (held && message.version === held.version + 1) {
        this.#show(message.version, mergePatch(held.view, message.patch));
      } else if (!this.#hasRequestedView && this.#session) {
        this.#hasRequestedView = true;
        this.#send({ type: "SUBSCRIBE", gameId: this.#session.gameId });
      }
    } else if (message.type === "PLAYER_STATUS" && held && (message.status === "connected" || message.status === "disconnected")) {
      const { playerId, isConnected } = message.player;
      const players = held.view.players.map((/** @type {PlayerView} */ known) => (known.playerId === playerId ? { ...known, isConnected } : known));
      this.#show(held.version, { ...held.view, players });
    } else if (message.type === "HINTS" && held && message.version === held.version) {
      this.#show(held.version, held.view, message.hints);
    }
  }

  /**
   * Shows a view, with hints for it or with those of the last one if the decision is still the same.
   *
   * @param {number} version
   * @param {GameView} view
   * @param {ActionHint[]} [hints]
   */
  #show(version, view, hints) {
    const held = this.#table;
    const isSameDecision = held && held.view.metadata?.gameNumber === view.metadata?.gameNumber && held.view.state.events === view.state.events;
    const table = { version, view, hints: hints ?? (isSameDecision ? held.hints : []) };
    this.#table = table;
    this.#hasRequestedView = false;
    for (const listener of [...this.#listeners]) listener(table);
  }

  /** @param {GameError} error */
  #end(error) {
    const [entry, session, pending] = [this.#entry, this.#session, [...this.#pending.values()]];
    this.#connection += 1;
    clearTimeout(this.#timer);
    this.#transport.close();
    this.#state = "idle";
    this.#entry = this.#session = this.#table = undefined;
    this.#lobby = { guests: [] };
    this.#pending.clear();
    this.#attempts = 0;
    entry?.reject(error);
    pending.forEach(({ reject }) => reject(error));
    if (session) for (const listener of [...this.#endListeners]) listener(error);
  }

  #nextId() {
    return `${this.#prefix}-${++this.#requests}`;
  }
}

const notJoined = () => new GameError("not-joined", "the client is at no table");

/** Without the fields that are undefined. @template {object} T @param {T} fields @returns {T} */
const defined = (fields) => /** @type {T} */ (Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)));

/** 16 random bytes in base64url. */
function randomKey() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return btoa(String.fromCharCode(...bytes)).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}
