// Every screen at every size. The hands come from a seed, so that every run meets the same screens: the person bids last and
// can outbid everybody.
import { SIZES, audit } from "./audit.js";
import { fits, inSight } from "./boxes.js";
import { expect, test } from "./fixtures.js";
import { SHOTS } from "./paths.js";
import { choices, declare, openMenu, outbid, playTo, playUntil, playable, startOffline, startSeeded, step } from "./player.js";
import { holdWorkersAfter } from "./workers.js";

const SEED = "lubbock";

// Shows the screens of a hand one after the other; each of them waits for the person, so nothing moves while it is looked at.
async function walkThroughAHand(page, url, look) {
  await startSeeded(page, url, SEED);
  await expect(choices(page)).toBeVisible();
  await look("bidding");
  await outbid(page);
  await look("declaring");
  await declare(page);
  await look("leading");
  // The own turn in a trick of somebody else.
  await step(page);
  await playUntil(page, [".table-page:has(.played):has(#hand .playable)"]);
  await look("playing");
  await playTo(page, ["scoring"]);
  await expect(page.locator(".result .primary")).toBeVisible();
  await turnedOver(page);
  await look("scoring");
}

// The others turn over what they hold a moment after the result is there.
const turnedOver = (page) => expect(page.locator(".held .mini.open").first()).toBeAttached();

for (const [size, window] of Object.entries(SIZES)) {
  test(`every screen fits and can be read: ${size}`, async ({ visit, files: { url } }) => {
    const page = await visit({ ...window, settings: { still: true } });
    const look = (name) => audit(page, `${size}-${name}`);
    const dialog = page.locator("dialog[open]");
    await page.goto(url);
    await expect(page.locator("[data-way=play]")).toBeVisible();
    await look("start");
    await walkThroughAHand(page, url, look);
    for (const [key, name] of [["h", "history"], ["l", "last-trick"], ["s", "settings"], ["?", "rules"]]) {
      await page.keyboard.press(key);
      await expect(dialog).toBeVisible();
      await look(name);
      await page.keyboard.press("Escape");
      await expect(dialog).toHaveCount(0);
    }
    await openMenu(page);
    await expect(dialog).toBeVisible();
    await look("menu");
    await page.goto(`${url}#new`);
    await page.reload();
    await page.locator(".house summary").click();
    await look("creating");
    await page.goto(`${url}#join/abc/${"A".repeat(22)}`);
    await page.reload();
    await expect(page.locator("input[autocomplete=nickname]")).toBeVisible();
    await look("joining");
    await startSeeded(page, url, SEED, 1);
    await playTo(page, ["game-end"]);
    await look("game-end");
  });
}

// Windows that nobody designs for: a phone with the bars of its browser, a small phone on its side, a laptop, a window beside another
// one. The words are the longer ones, and the partner shakes.
for (const [width, height] of [[360, 600], [667, 331], [1024, 768], [700, 800]]) {
  test(`odd windows show a whole hand: ${width} x ${height}`, async ({ visit, files: { url } }) => {
    const page = await visit({ width, height, locale: "es-MX", settings: { still: true } });
    await walkThroughAHand(page, url, async (name) => {
      await page.screenshot({ path: `${SHOTS}/odd-${width}x${height}-${name}.png` });
      await fits(page, `${width}x${height} ${name}`);
    });
    await startSeeded(page, url, "waco", 1);
    await playTo(page, ["playing"]);
    await expect(playable(page).first()).toBeVisible();
    await fits(page, `${width}x${height} the partner shakes`);
  });
}

// Where things to choose from lie. What moves when advice comes is missed by the finger that is on its way.
const places = (page) => page.locator(".choices button").evaluateAll((buttons) => buttons.map((button) => {
  const { x, y, width, height } = button.getBoundingClientRect();
  return [button.textContent, x, y, width, height].join(" ");
}));

// With hints the card of the auction is highest, and other languages have longer words. Where there is room, every bid is in sight.
const LAPTOP = { width: 1280, height: 800 };
for (const language of ["en", "es"]) {
  for (const [size, window] of Object.entries({ ...SIZES, laptop: LAPTOP })) {
    test(`to pass is always in sight: ${language}, ${size}`, async ({ visit, files: { url } }) => {
      const page = await visit({ ...window, settings: { still: true, language } });
      const isInSight = async (name) => {
        // Who has to bid finds the marks there.
        await inSight(page, ".choices > :last-child", name);
        if (["laptop", "desk"].includes(size)) await inSight(page, ".marks", name);
        await fits(page, name);
        await page.screenshot({ path: `${SHOTS}/pass-${name}.png` });
      };
      await startSeeded(page, url, SEED);
      await expect(choices(page)).toBeVisible();
      await isInSight(`${language}-${size}-play`);
      // The expert thinks in a worker of its own, which comes after that of the table. It waits until the places are known.
      const letExpertThink = holdWorkersAfter(page, 1);
      await startOffline(page, url, "learn");
      await expect(choices(page)).toBeVisible();
      await isInSight(`${language}-${size}-learn`);
      const before = await places(page);
      letExpertThink();
      await expect(page.locator(".choices .best")).toBeVisible();
      expect(await places(page), "the choices stay where they are when advice comes").toEqual(before);
      await isInSight(`${language}-${size}-advised`);
    });
  }
}

for (const theme of ["dark", "contrast"]) {
  test(`the ${theme} colours can be read`, async ({ visit, files: { url } }) => {
    const page = await visit({ width: 1180, height: 820, settings: { theme, still: true } });
    const look = (name) => audit(page, `${theme}-${name}`);
    await page.goto(url);
    await expect(page.locator("[data-way=play]")).toBeVisible();
    await look("start");
    await walkThroughAHand(page, url, look);
    await page.keyboard.press("s");
    await expect(page.locator("dialog[open]")).toBeVisible();
    await look("settings");
  });
}

test("a complete trick waits for a tap where that is wanted", async ({ visit, files: { url } }) => {
  const page = await visit({ ...SIZES.phone, settings: { still: true, pace: "tap" } });
  await startSeeded(page, url, SEED);
  await outbid(page);
  await declare(page);
  await step(page);
  const goOn = page.locator(".go-on");
  await expect(goOn).toBeVisible();
  await audit(page, "phone-trick");
  await goOn.click();
  await expect(goOn, "the trick is taken in").toHaveCount(0);
});
