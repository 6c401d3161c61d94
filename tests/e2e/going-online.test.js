// An offline game becomes an online one, in the middle of a hand.
import { audit } from "./audit.js";
import { expect, test } from "./fixtures.js";
import { dominoes, expectHand, expectNotice, hand, invitation, openMenu, playTo, playToOwnTurn, playUntil, playable, said, sitDown, startOffline, startPlaying, step } from "./player.js";

// Plays offline to the person's turn in the middle of a hand, with a trick behind; a hand that is decided by its first trick
// is followed by another.
async function playIntoAHand(page, url) {
  await startOffline(page, url);
  const over = ".table-page[data-phase=game-end]";
  for (;;) {
    if ((await playUntil(page, [over, "#hand .playable"], "pass")) === over) await startOffline(page, url);
    else if ((await hand(page).count()) < 7) return;
    else await step(page);
  }
}

const shown = async (page) => ({
  hand: await dominoes(page),
  contract: await page.locator(".contract .bid dd").textContent(),
  played: await page.locator(".played").evaluateAll((tiles) => tiles.map((tile) => tile.getAttribute("aria-label").split(": ")[1])),
  names: await page.locator(".seat .who b").allTextContents(),
});

async function goOnline(page) {
  await openMenu(page);
  await page.locator("[data-do=go-online]").click();
}

test("an offline game goes online in mid-hand, and a friend takes the place of a program", async ({ visit, server }) => {
  const ann = await visit({ settings: { name: "Ann", still: true } });
  await playIntoAHand(ann, server.url);
  const before = await shown(ann);
  await goOnline(ann);
  const link = await invitation(ann);
  await audit(ann, "desk-online");
  expect(link, "the link leads to the table").toContain("#join/");
  await ann.keyboard.press("Escape");
  await expect.poll(() => shown(ann), "everything is as it was").toEqual(before);
  await expect(ann, "a reload leads to the server's table").toHaveURL(/#table\//);

  const bob = await visit({ settings: { name: "Bob", still: true } });
  await sitDown(bob, link, "Bob");
  await expect(ann.locator(".seat .who b").filter({ hasText: "Bob" }), "Ann sees Bob").toHaveCount(1);
  const brought = (page) => said(page).filter({ hasText: "began on another player's device" });
  await expect(brought(bob), "Bob is told where the game was dealt").not.toHaveCount(0);
  await expect(brought(ann), "Ann, who brought it, is not").toHaveCount(0);
  for (const domino of await dominoes(bob)) expect(before.hand, "Bob has a hand of his own").not.toContain(domino);
  await Promise.all([ann, bob].map((page) => playTo(page, ["scoring"])));
  await ann.goto(server.url);
  await expect(ann.locator("[data-way=back]")).toBeVisible();
  await expect(ann.locator("[data-way=continue]"), "the offline game is not offered any more").toHaveCount(0);
});

test("a game whose deals are known is not taken online", async ({ visit, server }) => {
  const page = await visit();
  await startPlaying(page, server.url);
  await openMenu(page);
  await expect(page.locator("dialog .stack")).toBeVisible();
  await expect(page.locator("[data-do=go-online]"), "nobody could be invited").toHaveCount(0);
});

test("a game stays where it is when nobody takes it", async ({ visit, files }) => {
  const page = await visit({ settings: { still: true } });
  await playIntoAHand(page, files.url);
  const before = await shown(page);
  await goOnline(page);
  await expectNotice(page, /No server answers/);
  await expect.poll(() => shown(page), "nothing has happened").toEqual(before);
  await playToOwnTurn(page);
  await playable(page).first().click();
  await expect(hand(page), "the game goes on").toHaveCount(before.hand.length - 1);
  await playTo(page, ["scoring"]);
});

test("a game stays where it is when the server is gone", async ({ visit, server }) => {
  const page = await visit({ settings: { still: true } });
  await playIntoAHand(page, server.url);
  const before = await dominoes(page);
  await server.kill();
  await goOnline(page);
  await expectNotice(page, /No server answers/);
  await expectHand(page, before, "nothing has happened");
  await playTo(page, ["scoring"]);
});
