// Downloads the record of a game and runs the commands that read it.
import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect } from "./fixtures.js";
import { PROGRAM } from "./paths.js";

const run = promisify(execFile);

// Downloads the record of the shown game.
export async function saveRecord(page) {
  const [download] = await Promise.all([page.waitForEvent("download"), page.locator("[data-do=save-record]").click()]);
  expect(download.suggestedFilename()).toBe("texas42-record.json");
  return readFileSync(await download.path(), "utf8");
}

// Runs `texas42` commands on a record and returns their output.
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

// Runs the three commands that read the record of a finished game and checks their output.
export async function checkFinished(record) {
  const [review, replay, deals] = await read(record, ["review", "--worlds", "2"], ["replay"], ["verify-deal"]);
  expect(review, "the game must be reviewed").toMatch(/seat +decisions/);
  expect(replay, "the replay must reach the end of the game").toMatch(/game-end|game over/i);
  expect(deals, "the deals must be verified").toMatch(/dealt|deal/i);
}
