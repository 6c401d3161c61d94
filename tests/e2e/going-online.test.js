// Moving an offline game to the server in the middle of a hand.
import { audit } from "./audit.js";
import { expect, test } from "./fixtures.js";
import { closeDialog, dominoes, expectHand, expectNotice, hand, invitation, openMenu, playTo, playToOwnTurn, playUntil, playable, said, sitDown, startOffline, startPlaying, step } from "./player.js";

// Plays offline until it is the person's turn in the middle of a hand, after at least one trick. If the first trick decides
// a hand, plays another one.
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

test("an offline game goes online in mid-hand, and a friend replaces a bot", async ({ visit, server }) => {
  const ann = await visit({ settings: { name: "Ann", still: true } });
  await playIntoAHand(ann, server.url);
  const before = await shown(ann);
  await goOnline(ann);
  const link = await invitation(ann);
  await audit(ann, "desk-online");
  expect(link, "the link must lead to the table").toContain("#join/");
  await closeDialog(ann);
  await expect.poll(() => shown(ann), "everything must be unchanged").toEqual(before);
  await expect(ann, "a reload must lead to the server's table").toHaveURL(/#table\//);

  const bob = await visit({ settings: { name: "Bob", still: true } });
  await sitDown(bob, link, "Bob");
  await expect(ann.locator(".seat .who b").filter({ hasText: "Bob" }), "Ann must see Bob").toHaveCount(1);
  const brought = (page) => said(page).filter({ hasText: "started on another player's device" });
  await expect(brought(bob), "Bob must be told where the game was dealt").not.toHaveCount(0);
  await expect(brought(ann), "Ann, who started the game, must not").toHaveCount(0);
  // Ann, who has seen her hand, could have opened the link herself.
  await expect(bob.locator(".waits-for-deal"), "Bob must be told when he plays").toBeVisible();
  await expect(bob.locator("#hand [data-domino]"), "Bob must see no hand of this deal").toHaveCount(0);
  await expect(bob.getByRole("button", { name: "Take my seat back" })).toHaveCount(0);
  await audit(bob, "desk-waits-for-deal");
  await Promise.all([ann, bob].map((page) => playTo(page, ["scoring"])));
  await Promise.all([ann, bob].map((page) => playTo(page, ["bidding"])));
  await expect(hand(bob), "Bob must play the next hand").toHaveCount(7);
  await expect(bob.locator(".waits-for-deal")).toHaveCount(0);
  await ann.goto(server.url);
  await expect(ann.locator("[data-way=back]")).toBeVisible();
  await expect(ann.locator("[data-way=continue]"), "the offline game must no longer be offered").toHaveCount(0);
});

test("a game with public deals cannot go online", async ({ visit, server }) => {
  const page = await visit();
  await startPlaying(page, server.url);
  await openMenu(page);
  await expect(page.locator("dialog .stack")).toBeVisible();
  await expect(page.locator("[data-do=go-online]"), "nobody may be invited").toHaveCount(0);
});

test("a game stays offline when there is no server", async ({ visit, files }) => {
  const page = await visit({ settings: { still: true } });
  await playIntoAHand(page, files.url);
  const before = await shown(page);
  await goOnline(page);
  await expectNotice(page, /server isn't answering/);
  await expect.poll(() => shown(page), "nothing must have changed").toEqual(before);
  await playToOwnTurn(page);
  await playable(page).first().click();
  await expect(hand(page), "the game must continue").toHaveCount(before.hand.length - 1);
  await playTo(page, ["scoring"]);
});

test("a game stays offline when the server is down", async ({ visit, server }) => {
  const page = await visit({ settings: { still: true } });
  await playIntoAHand(page, server.url);
  const before = await dominoes(page);
  await server.kill();
  await goOnline(page);
  await expectNotice(page, /server isn't answering/);
  await expectHand(page, before, "nothing must have changed");
  await playTo(page, ["scoring"]);
});
