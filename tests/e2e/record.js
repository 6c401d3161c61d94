// The record of a game as a file, and the commands that read it.
import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect } from "./fixtures.js";
import { PROGRAM } from "./paths.js";

const run = promisify(execFile);

// Saves the record of the game that is shown, and gives it to a command of the program.
export async function saveAndRead(page, ...commands) {
  const [download] = await Promise.all([page.waitForEvent("download"), page.locator("[data-do=save-record]").click()]);
  expect(download.suggestedFilename()).toBe("texas42-record.json");
  return readWith(await download.path(), commands);
}

// What commands of the program say about the text of a record.
export async function readText(text, ...commands) {
  const folder = mkdtempSync(join(tmpdir(), "texas42-record-"));
  try {
    const file = join(folder, "record.json");
    writeFileSync(file, text);
    return await readWith(file, commands);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const readWith = (file, commands) =>
  Promise.all(commands.map(async (words) => (await run(PROGRAM, [...words, file])).stdout));

// The three commands that read the record of a game that is over, and what each of them has to say.
const ALL = [["review", "--worlds", "2"], ["replay"], ["verify-deal"]];
export async function checkFinished(read) {
  const [review, replay, deals] = await read(...ALL);
  expect(review, "the game is reviewed").toMatch(/seat +decisions/);
  expect(replay, "it is replayed to its end").toMatch(/game-end|game end/i);
  expect(deals, "its deals are checked").toMatch(/dealt|deal/i);
}
