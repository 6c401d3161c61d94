// Every screen at every size. The hands derive from a seed, so that every run shows the same screens: the person bids last and
// can outbid everyone.
import { SIZES, audit } from "./audit.js";
import { fits, inSight } from "./boxes.js";
import { expect, test } from "./fixtures.js";
import { SHOTS } from "./paths.js";
import { choices, declare, openMenu, outbid, playTo, playUntil, playable, startOffline, startSeeded, step } from "./player.js";
import { holdWorkersAfter } from "./workers.js";

const SEED = "lubbock";

// Shows the screens of a hand. Each of them waits for the person, so that nothing moves during the audit.
async function walkThroughAHand(page, url, look) {
  await startSeeded(page, url, SEED);
  await expect(choices(page)).toBeVisible();
  await look("bidding");
  await outbid(page);
  await look("declaring");
  await declare(page);
  await look("leading");
  // The person's turn in a trick that someone else leads.
  await step(page);
  await playUntil(page, [".table-page:has(.played):has(#hand .playable)"]);
  await look("playing");
  await playTo(page, ["scoring"]);
  await expect(page.locator(".result .primary")).toBeVisible();
  await turnedOver(page);
  await look("scoring");
}

// The other hands are turned over a moment after the result appears.
const turnedOver = (page) => expect(page.locator(".held .mini.open").first()).toBeAttached();

for (const [size, window] of Object.entries(SIZES)) {
  test(`every screen fits and is readable: ${size}`, async ({ visit, files: { url } }) => {
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

// Unusual windows: a phone with the browser's toolbars, a small phone in landscape, a laptop, half a screen. In Spanish, which
// has longer texts, and with the partner as shaker.
for (const [width, height] of [[360, 600], [667, 331], [1024, 768], [700, 800]]) {
  test(`unusual windows show a whole hand: ${width} x ${height}`, async ({ visit, files: { url } }) => {
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

// The positions of the choices. If they moved when advice arrives, a person might tap the wrong one.
const places = (page) => page.locator(".choices button").evaluateAll((buttons) => buttons.map((button) => {
  const { x, y, width, height } = button.getBoundingClientRect();
  return [button.textContent, x, y, width, height].join(" ");
}));

// With hints the auction card is tallest, and other languages have longer texts. On large screens every bid must be visible.
const LAPTOP = { width: 1280, height: 800 };
for (const language of ["en", "es"]) {
  for (const [size, window] of Object.entries({ ...SIZES, laptop: LAPTOP })) {
    test(`the pass button is always visible: ${language}, ${size}`, async ({ visit, files: { url } }) => {
      const page = await visit({ ...window, settings: { still: true, language } });
      const isInSight = async (name) => {
        // If passing is not allowed, the marks are there instead.
        await inSight(page, ".choices > :last-child", name);
        if (["laptop", "desk"].includes(size)) await inSight(page, ".marks", name);
        await fits(page, name);
        await page.screenshot({ path: `${SHOTS}/pass-${name}.png` });
      };
      await startSeeded(page, url, SEED);
      await expect(choices(page)).toBeVisible();
      await isInSight(`${language}-${size}-play`);
      // The expert runs in its own worker, which starts after the table's. It is held until the positions are known.
      const letExpertThink = holdWorkersAfter(page, 1);
      await startOffline(page, url, "learn");
      await expect(choices(page)).toBeVisible();
      await isInSight(`${language}-${size}-learn`);
      const before = await places(page);
      letExpertThink();
      await expect(page.locator(".choices .best")).toBeVisible();
      expect(await places(page), "choices must not move when advice arrives").toEqual(before);
      await isInSight(`${language}-${size}-advised`);
    });
  }
}

for (const theme of ["dark", "contrast"]) {
  test(`the ${theme} theme is readable`, async ({ visit, files: { url } }) => {
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

test("a complete trick waits for a tap if so configured", async ({ visit, files: { url } }) => {
  const page = await visit({ ...SIZES.phone, settings: { still: true, pace: "tap" } });
  await startSeeded(page, url, SEED);
  await outbid(page);
  await declare(page);
  await step(page);
  const goOn = page.locator(".go-on");
  await expect(goOn).toBeVisible();
  await audit(page, "phone-trick");
  await goOn.click();
  await expect(goOn, "the trick must be taken in").toHaveCount(0);
});
