// Every screen at every size. The hands come from a seed, so that every run meets the same screens: the person bids last and
// can outbid everybody.
import { SIZES, audit } from "./audit.js";
import { fits, inSight } from "./boxes.js";
import { check, test, until } from "./harness.js";
import { declare, outbid, phase, playTo, startOffline, startSeeded, step } from "./player.js";
import { withFiles } from "./static-server.js";

const SEED = "lubbock";

// Shows the screens of a hand one after the other; each of them waits for the person, so nothing moves while it is looked at.
async function walkThroughAHand(page, url, look) {
  await startSeeded(page, url, SEED);
  await page.waitForSelector(".choices");
  await look("bidding");
  await outbid(page);
  await look("declaring");
  await declare(page);
  await look("leading");
  await until("the own turn in a trick of somebody else", async () => {
    if ((await page.$("#hand .playable")) && (await page.$(".played"))) return true;
    await step(page);
    return false;
  });
  await look("playing");
  await playTo(page, ["scoring"]);
  await page.waitForSelector(".result .primary");
  await page.waitForSelector(".held .mini.open", { state: "attached" });
  await look("scoring");
}

for (const [size, window] of Object.entries(SIZES)) {
  test(`every screen fits and can be read: ${size}`, withFiles(async ({ visit, url, shots }) => {
    const page = await visit({ ...window, settings: { still: true } });
    const look = (name) => audit(page, `${size}-${name}`, shots);
    const lookAtDialog = async (key, name) => {
      await page.keyboard.press(key);
      await page.waitForSelector("dialog[open]");
      await look(name);
      await page.keyboard.press("Escape");
      await page.waitForSelector("dialog[open]", { state: "detached" });
    };
    await page.goto(url);
    await page.waitForSelector("[data-way=play]");
    await look("start");
    await walkThroughAHand(page, url, look);
    for (const [key, name] of [["h", "history"], ["l", "last-trick"], ["s", "settings"], ["?", "rules"]]) await lookAtDialog(key, name);
    await page.click(".bar > .icon");
    await page.waitForSelector("dialog[open]");
    await look("menu");
    await page.goto(`${url}#new`);
    await page.reload();
    await page.waitForSelector(".preset");
    await page.click(".house summary");
    await look("creating");
    await page.goto(`${url}#join/abc/${"A".repeat(22)}`);
    await page.reload();
    await page.waitForSelector("input[autocomplete=nickname]");
    await look("joining");
    await startSeeded(page, url, SEED, 1);
    await playTo(page, ["game-end"]);
    await look("game-end");
  }));
}

// Windows that nobody designs for: a phone with the bars of its browser, a small phone on its side, a laptop, a window beside another
// one. The words are the longer ones, and the partner shakes.
test("odd windows show a whole hand", withFiles(async ({ visit, url, shots }) => {
  for (const [width, height] of [[360, 600], [667, 331], [1024, 768], [700, 800]]) {
    const page = await visit({ width, height, locale: "es-MX", settings: { still: true } });
    await walkThroughAHand(page, url, async (name) => {
      await page.screenshot({ path: `${shots}/odd-${width}x${height}-${name}.png` });
      await fits(page, `${width}x${height} ${name}`);
    });
    await startSeeded(page, url, "waco", 1);
    await playTo(page, ["playing"]);
    await page.waitForSelector("#hand .playable");
    await fits(page, `${width}x${height} the partner shakes`);
  }
}));

// Where things to choose from lie. What moves when advice comes is missed by the finger that is on its way.
const places = (page) => page.$$eval(".choices button", (buttons) => buttons.map((button) => {
  const { x, y, width, height } = button.getBoundingClientRect();
  return [button.textContent, x, y, width, height].join(" ");
}).join("\n"));

// With hints the card of the auction is highest, and other languages have longer words.
for (const language of ["en", "es"]) {
  test(`to pass is always in sight: ${language}`, withFiles(async ({ visit, url, shots }) => {
    for (const [size, window] of Object.entries(SIZES)) {
      for (const way of ["play", "learn"]) {
        const name = `${language}-${size}-${way}`;
        const page = await visit({ ...window, settings: { still: true, language } });
        await (way === "learn" ? startOffline(page, url, way) : startSeeded(page, url, SEED));
        await page.waitForSelector(".choices");
        // Who has to bid finds the marks there.
        await inSight(page, ".choices > :last-child", name);
        await fits(page, name);
        if (way === "learn") {
          const before = await places(page);
          await page.waitForSelector(".choices .best");
          check((await places(page)) === before, `${name}: the choices stay where they are when advice comes`);
          await inSight(page, ".choices > :last-child", name);
          await fits(page, `${name}-advised`);
        }
        await page.screenshot({ path: `${shots}/pass-${name}.png` });
        await page.context().close();
      }
    }
  }));
}

for (const theme of ["dark", "contrast"]) {
  test(`the ${theme} colours can be read`, withFiles(async ({ visit, url, shots }) => {
    const page = await visit({ width: 1180, height: 820, settings: { theme, still: true } });
    const look = (name) => audit(page, `${theme}-${name}`, shots);
    await page.goto(url);
    await page.waitForSelector("[data-way=play]");
    await look("start");
    await walkThroughAHand(page, url, look);
    await page.keyboard.press("s");
    await page.waitForSelector("dialog[open]");
    await look("settings");
  }));
}

test("a complete trick waits for a tap where that is wanted", withFiles(async ({ visit, url, shots }) => {
  const page = await visit({ ...SIZES.phone, settings: { still: true, pace: "tap" } });
  await startSeeded(page, url, SEED);
  await page.waitForSelector(".choices");
  await outbid(page);
  await declare(page);
  await page.click("#hand .playable >> nth=0");
  await page.waitForSelector(".go-on");
  await audit(page, "phone-trick", shots);
  await page.click(".go-on");
  await until("the trick is taken in", async () => !(await page.$(".go-on")) || (await phase(page)) !== "playing");
}));
