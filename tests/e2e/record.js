// The record of a game as a file, and the commands that read it.
import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect } from "./fixtures.js";
import { PROGRAM } from "./paths.js";

const run = promisify(execFile);

// Saves the record of the game that is shown.
export async function saveRecord(page) {
  const [download] = await Promise.all([page.waitForEvent("download"), page.locator("[data-do=save-record]").click()]);
  expect(download.suggestedFilename()).toBe("texas42-record.json");
  return readFileSync(await download.path(), "utf8");
}

// What commands of the program say about a record.
export async function read(record, ...commands) {
  const folder = mkdtempSync(join(tmpdir(), "texas42-record-"));
  try {
    const file = join(folder, "record.json");
    writeFileSync(file, record);
    return await Promise.all(commands.map(async (words) => (await run(PROGRAM, [...words, file])).stdout));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

// The three commands that read the record of a game that is over, and what each of them has to say.
export async function checkFinished(record) {
  const [review, replay, deals] = await read(record, ["review", "--worlds", "2"], ["replay"], ["verify-deal"]);
  expect(review, "the game is reviewed").toMatch(/seat +decisions/);
  expect(replay, "it is replayed to its end").toMatch(/game-end|game end/i);
  expect(deals, "its deals are checked").toMatch(/dealt|deal/i);
}
