// The error of a failed call.
/** @import { WireError } from "./messages.js" */

/** Why a call failed. A request that the table refused has had no effect. */
export class GameError extends Error {
  /**
   * @param {string} code the code of the table's error, or `not-joined`, `already-joined`, `ended`, `unreachable`
   * @param {string} message
   * @param {WireError} [error] the table's error, whose `reason` is data
   */
  constructor(code, message, error) {
    super(message);
    this.name = "GameError";
    this.code = code;
    /** @type {WireError["field"]} */
    this.field = error?.field;
    /** @type {WireError["reason"]} */
    this.reason = error?.reason;
  }
}
