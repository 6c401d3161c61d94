// An offline game becomes an online one, in the middle of a hand.
import { audit } from "./audit.js";
import { check, test, until } from "./harness.js";
import { hand, phase, playTo, said, sitDown, startOffline, startPlaying, step } from "./player.js";
import { withServer } from "./server.js";
import { withFiles } from "./static-server.js";

// Plays offline to the person's turn in the middle of a hand, with a trick behind; a hand that is decided by its first trick
// is followed by another.
async function playIntoAHand(page, url) {
  await startOffline(page, url);
  await until("the own turn after a trick", async () => {
    if ((await hand(page)).length < 7 && (await page.$("#hand .playable"))) return true;
    if ((await phase(page)) === "game-end") await startOffline(page, url);
    await step(page, "pass");
    return false;
  }, 180);
}

const shown = async (page) => ({
  hand: (await hand(page)).join(),
  contract: await page.textContent(".contract .bid dd"),
  played: await page.$$eval(".played", (tiles) => tiles.map((tile) => tile.getAttribute("aria-label").split(": ")[1]).join()),
  names: await page.$$eval(".seat .who b", (names) => names.map((name) => name.textContent).join()),
});

async function goOnline(page) {
  await page.click(".bar > .icon");
  await page.click("[data-do=go-online]");
}

test("an offline game goes online in mid-hand, and a friend takes the place of a program", withServer(async ({ visit, url, shots }) => {
  const ann = await visit({ settings: { name: "Ann", still: true } });
  await playIntoAHand(ann, url);
  const before = await shown(ann);
  await goOnline(ann);
  const link = await until("an invitation", () => ann.inputValue("input.link").catch(() => ""));
  await audit(ann, "desk-online", shots);
  check(link.includes("#join/"), `the link leads to the table: ${link}`);
  await ann.keyboard.press("Escape");
  const after = await shown(ann);
  for (const part of ["hand", "contract", "played", "names"]) check(before[part] === after[part], `${part} is as it was: ${before[part]} and ${after[part]}`);
  await until("a reload leads to the server's table", async () => (await ann.evaluate(() => location.hash)).startsWith("#table/"));

  const bob = await visit({ settings: { name: "Bob", still: true } });
  await sitDown(bob, link, "Bob");
  await until("Ann sees Bob", async () => (await shown(ann)).names.includes("Bob"));
  await until("Bob is told where the game was dealt", async () => (await said(bob)).some((line) => /began on another player's device/.test(line)));
  check(!(await said(ann)).some((line) => /another player's device/.test(line)), "Ann, who brought it, is not");
  await until("Bob has a hand of his own", async () => (await hand(bob)).every((domino) => !before.hand.includes(domino)));
  await until("the hand is scored", async () => {
    if ((await phase(ann)) === "scoring") return true;
    await step(ann);
    await step(bob);
    return false;
  }, 120);
  await ann.goto(url);
  await until("the offline game is not offered any more", async () => !(await ann.$("[data-way=continue]")));
}));

test("a game whose deals are known is not taken online", withServer(async ({ visit, url }) => {
  const page = await visit();
  await startPlaying(page, url);
  await page.click(".bar > .icon");
  await page.waitForSelector("dialog .stack");
  check(!(await page.$("[data-do=go-online]")), "nobody could be invited");
}));

test("a game stays where it is when nobody takes it", withFiles(async ({ visit, url }) => {
  const page = await visit({ settings: { still: true } });
  await playIntoAHand(page, url);
  const before = await shown(page);
  await goOnline(page);
  await until("the reason", async () => /No server answers/.test((await page.textContent(".notice")) ?? ""));
  const after = await shown(page);
  check(JSON.stringify(before) === JSON.stringify(after), "nothing has happened");
  await page.click("#hand .playable >> nth=0");
  await until("the game goes on", async () => (await hand(page)).join() !== before.hand);
  await playTo(page, ["scoring"]);
}));

test("a game stays where it is when the server is gone", withServer(async ({ visit, url, server }) => {
  const page = await visit({ settings: { still: true } });
  await playIntoAHand(page, url);
  await server.kill();
  await goOnline(page);
  await until("the reason", async () => /No server answers/.test((await page.textContent(".notice")) ?? ""));
  await playTo(page, ["scoring"]);
}));
