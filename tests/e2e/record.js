// The record of a game as a file, and the commands that read it.
import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { check } from "./harness.js";

const run = promisify(execFile);

// Saves the record of the game that is shown, and gives it to a command of the program.
export async function saveAndRead(page, root, ...commands) {
  const [download] = await Promise.all([page.waitForEvent("download"), page.click("[data-do=save-record]")]);
  check(download.suggestedFilename() === "texas42-record.json", "the file has a name");
  return readWith(root, await download.path(), commands);
}

// What commands of the program say about the text of a record.
export async function readText(root, text, ...commands) {
  const folder = mkdtempSync(join(tmpdir(), "texas42-record-"));
  try {
    const file = join(folder, "record.json");
    writeFileSync(file, text);
    return await readWith(root, file, commands);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const readWith = (root, file, commands) =>
  Promise.all(commands.map(async (words) => (await run(`${root}target/debug/texas42`, [...words, file])).stdout));

// The three commands that read the record of a game that is over, and what each of them has to say.
const ALL = [["review", "--worlds", "2"], ["replay"], ["verify-deal"]];
export async function checkFinished(read) {
  const [review, replay, deals] = await read(...ALL);
  check(/seat +decisions/.test(review), `the game is reviewed: ${review}`);
  check(/game-end|game end/i.test(replay), `it is replayed to its end: ${replay}`);
  check(/dealt|deal/i.test(deals), `its deals are checked: ${deals}`);
}
