// What people say to each other: a coach who points at dominoes, phrases, and spectators who see hands.
import { SIZES, audit, auditEverywhere } from "./audit.js";
import { expect, test } from "./fixtures.js";
import { choices, dominoes, expectNotice, fillSeats, linkFor, openMenu, said, setTable, step } from "./player.js";

// How long a bubble stays, in milliseconds: the only such timer of the page.
const BUBBLE = 4_000;

// Bubbles stay until the test removes them.
function holdBubbles(time) {
  const [wait, held] = [self.setTimeout.bind(self), []];
  self.setTimeout = (fire, after, ...rest) => (after === time ? -held.push(fire) : wait(fire, after, ...rest));
  self.removeBubbles = () => held.splice(0).forEach((fire) => fire());
}

async function enter(visit, name, window) {
  const page = await visit({ settings: { name, still: true }, ...window });
  await page.addInitScript(holdBubbles, BUBBLE);
  return page;
}

async function joinAs(visit, link, name, window) {
  const page = await enter(visit, name, window);
  await page.goto(link);
  await page.locator("button.primary.big").click();
  await expect(page.locator(".table-page")).toBeVisible();
  return page;
}

// Ann, with her coach Cora and with Wes, who sees every hand.
async function annCoraAndWes(visit, { url }) {
  const ann = await enter(visit, "Ann", SIZES.phone);
  await setTable(ann, url, { openHands: true });
  const [watch, coach] = [await linkFor(ann, "Link to watch"), await linkFor(ann, "Link for my coach")];
  await fillSeats(ann);
  return [ann, await joinAs(visit, coach, "Cora", SIZES.phone), await joinAs(visit, watch, "Wes")];
}

const tile = (page, domino) => page.locator(`#hand [data-domino="${domino}"]`);
const pointed = (page) => page.locator("#hand .pointed");
const tray = (page) => page.locator(".tray");
const openTray = (page) => page.locator("[data-do=say]").click();
const bubble = (page) => page.locator(".bubble");
const has = (page, sentence) => expect.poll(() => said(page).allTextContents(), sentence).toContain(sentence);

async function letCoachTalk(page, isAllowed) {
  await page.keyboard.press("s");
  const box = page.getByLabel("Let my coach talk to me");
  await (isAllowed ? box.check() : box.uncheck());
  await page.keyboard.press("Escape");
}

test("a coach points at a domino; the student sees it, and turns the coach off", async ({ visit, server }) => {
  const [ann, cora, wes] = await annCoraAndWes(visit, server);
  await expect(choices(ann), "the table must wait for Ann, so that nothing changes").toBeVisible();
  const [first, second, third] = await dominoes(ann);
  await tile(cora, first).click();
  await expect(pointed(ann), "Ann must see which domino").toHaveAttribute("data-domino", first);
  await expect(pointed(ann), "a screen reader must find it").toHaveAttribute("aria-label", /Cora points at it/);
  await expect(ann.locator("#hand .pointer"), "not by color alone").toBeVisible();
  await has(ann, `Cora points at ${first}`);
  await expect(pointed(cora), "Cora must see at which domino she points").toHaveAttribute("data-domino", first);
  await audit(ann, "phone-pointed");

  await openTray(cora);
  await expect(tray(cora)).toContainText("Only Ann hears it.");
  await expect(tray(cora).locator("[data-phrase=lead-this]"), "Cora may say more about that domino").toBeVisible();
  await audit(cora, "phone-coach-tray");
  await expectApart(cora, ".tray", "#hand");
  await cora.keyboard.press("Escape");
  await expect(cora.locator("[data-do=say]"), "Escape must close the tray and return the focus").toBeFocused();

  await openTray(wes);
  await expect(tray(wes), "the tray must say so first").toContainText("You can see hands; you can talk when the hand is over.");
  await audit(wes, "desk-tray");
  await tray(wes).locator("[data-phrase=applause]").click();
  await expectNotice(wes, /You can see hands; you can talk when the hand is over/, "who sees hands must be silent");

  await letCoachTalk(ann, false);
  await has(cora, "Ann plays without a coach for now.");
  await expect(pointed(ann), "a coach who is off points at nothing").toHaveCount(0);
  await expect(cora.locator("#hand .tile:enabled"), "and cannot point").toHaveCount(0);
  await letCoachTalk(ann, true);
  await expect(cora.locator("#hand .tile:enabled")).toHaveCount(7);
  await tile(cora, second).click();
  await expect(pointed(ann)).toHaveAttribute("data-domino", second);

  await openMenu(ann);
  await ann.getByText("Mute Cora").click();
  await expect(ann.getByText("Unmute Cora")).toBeVisible();
  await audit(ann, "phone-people");
  await ann.keyboard.press("Escape");
  await tile(cora, third).click();
  await expect(pointed(cora)).toHaveAttribute("data-domino", third);
  // By keys; what Cora said before has arrived then.
  await ann.keyboard.press("t");
  await expectApart(ann, ".tray", "#hand");
  await audit(ann, "phone-tray");
  await expect(tray(ann).locator("button").first(), "the focus must move to the tray").toBeFocused();
  for (let at = 0; at < 3; at++) await ann.keyboard.press("Tab");
  await ann.keyboard.press("Enter");
  await has(ann, "You: Thanks!");
  await expect(pointed(ann), "Ann must not notice who is muted").toHaveAttribute("data-domino", second);
  await has(cora, "Ann: Thanks!");
  await has(wes, "Ann: Thanks!");
  await step(ann);
  await expect(pointed(ann), "pointing must end when the game goes on").toHaveCount(0);
});

test("what people say is shown where they sit, on every screen, and goes away", async ({ visit, server }) => {
  const [ann, cora, wes] = await annCoraAndWes(visit, server);
  await expect(choices(ann), "the table must wait for Ann, so that nothing changes").toBeVisible();
  const [first] = await dominoes(ann);
  await tile(cora, first).click();
  await openTray(cora);
  await auditEverywhere(cora, "coach-tray");
  await tray(cora).locator("[data-phrase=follow-with-this]").click();
  await expect(bubble(ann)).toHaveText(`Cora: Follow with this (${first})`);
  await expect(pointed(ann)).toHaveAttribute("data-domino", first);
  await auditEverywhere(ann, "pointed");

  await openTray(ann);
  await expect(tray(ann)).toContainText("Everybody at the table hears it.");
  await auditEverywhere(ann, "tray");
  await tray(ann).locator("[data-phrase=one-moment]").click();
  await expect(ann.locator(".own .bubble")).toHaveText("Just a minute");
  await auditEverywhere(ann, "bubbles");
  for (const place of [1, 2, 3]) {
    await wes.locator(".own-bar .quiet").first().click();
    await expect(wes.locator(`.seat.place-${4 - place} .bubble`), "Ann's plate must show it").toHaveText("Just a minute");
    await auditEverywhere(wes, `bubble-${4 - place}`);
  }
  await ann.evaluate(() => self.removeBubbles());
  await expect(bubble(ann)).toHaveCount(0);
});

test("on the narrowest screens the menu opens the tray, and has the focus afterwards", async ({ visit, server }) => {
  const [ann] = await annCoraAndWes(visit, server);
  await ann.setViewportSize(SIZES.narrow);
  await expect(ann.locator("[data-do=say]")).toBeHidden();
  await openMenu(ann);
  await ann.locator("dialog").getByText("Say something").click();
  await expect(tray(ann).locator("button").first()).toBeFocused();
  await ann.keyboard.press("Escape");
  await expect(tray(ann)).toHaveCount(0);
  await expect(ann.locator(".bar > .icon")).toBeFocused();
});

// Expects that two elements do not overlap.
async function expectApart(page, one, other) {
  const [first, second] = await Promise.all([one, other].map((selector) => page.locator(selector).boundingBox()));
  expect(first.y + first.height, `${one} must leave ${other} free`).toBeLessThanOrEqual(second.y);
}
