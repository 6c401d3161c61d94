// Every screen at every size, zoomed, and in every theme. The hands derive from a seed, so that every run shows the
// same screens: the person bids last and can outbid everyone.
import { SIZES, audit, auditEverywhere } from "./audit.js";
import { expectFits, expectInView, expectLegible } from "./boxes.js";
import { expect, test } from "./fixtures.js";
import { SHOTS } from "./paths.js";
import { choices, closeDialog, declare, openMenu, outbid, playTo, playUntil, playable, startOffline, startPlaying, startSeeded, step } from "./player.js";
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
  await expectHandsOpen(page);
  await look("scoring");
}

// The other hands are turned over a moment after the result appears.
const expectHandsOpen = (page) => expect(page.locator(".held .mini.open").first()).toBeAttached();

const dialog = (page) => page.locator("dialog[open]");

async function lookAtDialog(page, open, name) {
  await open();
  await expect(dialog(page)).toBeVisible();
  await auditEverywhere(page, name);
  await closeDialog(page);
}

test("every screen fits and is readable: the start page and the forms", async ({ visit, files: { url } }) => {
  const page = await visit({ settings: { still: true } });
  await page.goto(url);
  await expect(page.locator("[data-way=play]")).toBeVisible();
  await auditEverywhere(page, "start");
  await page.goto(`${url}#new`);
  await page.locator(".house summary").click();
  await auditEverywhere(page, "creating");
  for (const role of ["join", "bot"]) {
    await page.goto(`${url}#${role}/abc/${"A".repeat(22)}`);
    await page.reload();
    await expect(page.locator("main.form.narrow")).toBeVisible();
    await auditEverywhere(page, `form-${role}`);
  }
});

test("every screen fits and is readable: a hand", async ({ visit, files: { url } }) => {
  const page = await visit({ settings: { still: true } });
  await walkThroughAHand(page, url, (name) => auditEverywhere(page, name));
});

test("every screen fits and is readable: the dialogs of a hand", async ({ visit, files: { url } }) => {
  const page = await visit({ settings: { still: true } });
  await startPlaying(page, url);
  await lookAtDialog(page, () => page.locator("button.claim").click(), "claim");
  await step(page);
  await playTo(page, ["scoring"]);
  for (const [key, name] of [["h", "history"], ["l", "last-trick"], ["s", "settings"], ["?", "rules"]]) {
    await lookAtDialog(page, () => page.keyboard.press(key), name);
  }
  await lookAtDialog(page, () => openMenu(page), "menu");
});

test("every screen fits and is readable: the end of a game", async ({ visit, files: { url } }) => {
  const page = await visit({ settings: { still: true } });
  await startSeeded(page, url, SEED, 1);
  await playTo(page, ["game-end"]);
  await auditEverywhere(page, "game-end");
});

// Unusual windows: a phone with the browser's toolbars, a small phone in landscape, a laptop, half a screen. In Spanish, which
// has longer texts, and with the partner as shaker.
for (const [width, height, touch] of [[360, 600, true], [375, 553, true], [360, 560, true], [667, 331, true], [1024, 768], [700, 800]]) {
  test(`unusual windows show a whole hand: ${width} x ${height}`, async ({ visit, files: { url } }) => {
    const page = await visit({ width, height, touch, locale: "es-MX", settings: { still: true } });
    await walkThroughAHand(page, url, async (name) => {
      await page.screenshot({ path: `${SHOTS}/odd-${width}x${height}-${name}.png` });
      await expectFits(page, `${width}x${height} ${name}`);
      await expectLegible(page, `${width}x${height} ${name}`);
    });
    await startSeeded(page, url, "waco", 1);
    await playTo(page, ["playing"]);
    await expect(playable(page).first()).toBeVisible();
    await expectFits(page, `${width}x${height} the partner shakes`);
  });
}

// The positions of the choices. If they moved when advice arrives, a person might tap the wrong one.
const positions = (page) => page.locator(".choices button").evaluateAll((buttons) => buttons.map((button) => {
  const { x, y, width, height } = button.getBoundingClientRect();
  return [button.textContent, x, y, width, height].join(" ");
}));

// With hints the auction card is tallest, and other languages have longer texts. On large screens every bid must be visible.
const LAPTOP = { width: 1280, height: 800 };
for (const language of ["en", "es"]) {
  for (const [size, window] of Object.entries({ ...SIZES, laptop: LAPTOP })) {
    test(`the pass button is always visible: ${language}, ${size}`, async ({ visit, files: { url } }) => {
      const page = await visit({ ...window, settings: { still: true, language } });
      const expectChoicesInView = async (name) => {
        // If passing is not allowed, the marks are there instead.
        await expectInView(page, ".choices > :last-child", name);
        if (["laptop", "desk"].includes(size)) await expectInView(page, ".marks", name);
        await expectFits(page, name);
        await page.screenshot({ path: `${SHOTS}/pass-${name}.png` });
      };
      await startSeeded(page, url, SEED);
      await expect(choices(page)).toBeVisible();
      await expectChoicesInView(`${language}-${size}-play`);
      // The expert runs in its own worker, which starts after the table's. It is held until the positions are known.
      const letExpertThink = holdWorkersAfter(page, 1);
      await startOffline(page, url, "learn");
      await expect(choices(page)).toBeVisible();
      await expectChoicesInView(`${language}-${size}-learn`);
      const before = await positions(page);
      letExpertThink();
      await expect(page.locator(".choices .best")).toBeVisible();
      expect(await positions(page), "choices must not move when advice arrives").toEqual(before);
      await expectChoicesInView(`${language}-${size}-advised`);
    });
  }
}

// The system replaces the page's colors with its own, so borders and shapes have to say what colors say otherwise.
for (const size of ["phone", "desk"]) {
  test(`forced colors keep turn, teams, meter and tally: ${size}`, async ({ visit, files: { url } }) => {
    const page = await visit({ ...SIZES[size], forcedColors: "active", settings: { still: true } });
    const computed = (selector, property) => page.locator(selector).first().evaluate((element, name) => getComputedStyle(element)[name], property);
    const expectDifferent = async (property, one, other) => expect(await computed(one, property), `${property} of ${one} and ${other}`).not.toBe(await computed(other, property));
    await startPlaying(page, url);
    await expectDifferent("outlineStyle", ".own.turn .plate", ".seat:not(.turn) > .plate");
    await expectDifferent("borderStyle", ".side.first", ".side.second");
    await expectDifferent("borderRadius", ".side.first .badge", ".side.second .badge");
    await expectDifferent("backgroundImage", ".meter .first", ".meter .second");
    await expectDifferent("backgroundColor", ".meter .first", ".meter");
    await page.screenshot({ path: `${SHOTS}/forced-${size}-playing.png` });
    await expectFits(page, `forced-${size}-playing`);
    await playUntil(page, [".stroke.on"]);
    await expectDifferent("stroke", ".stroke.on", ".stroke:not(.on)");
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
