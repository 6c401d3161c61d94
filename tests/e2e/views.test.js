// Those who do not play: somebody who watches, a coach behind a student, and somebody who may see everything.
import { SIZES, audit } from "./audit.js";
import { check, test, until } from "./harness.js";
import { fillSeats, hand, playToOwnTurn, setTable, step } from "./player.js";
import { withServer } from "./server.js";

// Another link than the one to play: the dialog shows one at a time.
async function linkFor(page, name) {
  const before = await page.inputValue("input.link");
  await page.click(`text=${name}`);
  return until(`a link: ${name}`, async () => {
    const link = await page.inputValue("input.link");
    return link !== before && link;
  });
}

async function come(visit, link, name, options = {}) {
  const page = await visit({ settings: { name, still: true }, ...options });
  await page.goto(link);
  await page.waitForSelector("main.form");
  check(!(await page.$("main.form select")), "no seat is offered to those who do not play");
  check(options.form.test(await page.textContent("main.form")), `the form says what it is for: ${await page.textContent("main.form")}`);
  if (options.shots) await audit(page, `form-${name.toLowerCase()}`, options.shots);
  await page.fill("input[autocomplete=nickname]", name);
  await page.click("button.primary.big");
  await page.waitForSelector(".table-page");
  return page;
}

// Waits until something reads like that, and says what it reads.
async function reads(page, selector, pattern, what) {
  return until(what, async () => {
    const text = await page.textContent(selector);
    return pattern.test(text) && text;
  });
}

const faces = (page) => page.$$eval(".held .mini.open", (tiles) => tiles.length);

test("who watches sees no hand and does nothing, a coach sees one hand, who looks behind the scenes sees all", withServer(async ({ visit, url, shots }) => {
  const ann = await visit({ settings: { name: "Ann", still: true, pace: "tap" } });
  await setTable(ann, url, { openHands: true, preset: "family" });
  const watch = await linkFor(ann, "Link to watch");
  const coach = await linkFor(ann, "Link for my coach");
  const admin = await linkFor(ann, "Link behind the scenes");
  await audit(ann, "desk-links", shots);
  await fillSeats(ann);
  const hers = await hand(ann);

  const cora = await come(visit, coach, "Cora", { ...SIZES.phone, form: /see their hand.*Sit behind them/, shots });
  await cora.waitForSelector("#hand .tile");
  await until("a coach sees the student's hand", async () => (await hand(cora)).join() === hers.join());
  await until("and is told so", async () => /Coach of Ann/.test(await cora.textContent(".status")));
  check((await faces(cora)) === 0, "and no other hand");
  check(!(await cora.$("#hand .tile:enabled")), "and cannot play it");

  const wes = await come(visit, watch, "Wes", { form: /will watch.*Watch/, shots });
  await wes.waitForSelector("#hand .tile");
  await until("who watches is told so", async () => /watching/.test(await wes.textContent(".status")));
  const seen = await wes.textContent(".own .who b");
  await wes.click(".own-bar .quiet");
  await until("another seat is below", async () => (await wes.textContent(".own .who b")) !== seen);
  await audit(wes, "desk-watching", shots);
  await wes.click("header button[aria-label=Menu]");
  const offered = await wes.$$eval("dialog .stack button", (buttons) => buttons.map((button) => button.textContent));
  check(offered.join() === "Home,Leave the table", `who watches is offered nothing else: ${offered}`);
  await wes.keyboard.press("Escape");

  const dev = await come(visit, admin, "Dev", { form: /every hand.*behind the scenes/ });
  await until("every hand is open", async () => (await faces(dev)) >= 20);
  await playToOwnTurn(ann);
  await audit(dev, "desk-admin", shots);
  await until("the coach sees advice on the dominoes", () => cora.$("#hand .tile.hinted"));
  await audit(cora, "phone-coach", shots);
  await dev.click("[aria-label='Behind the scenes']");
  await dev.waitForSelector("dialog[open] pre");
  const messages = await reads(dev, "dialog pre", /STATE_UPDATE|JOINED/, "messages are shown");
  const own = await dev.evaluate(() => JSON.parse(localStorage.getItem("texas42.online")).key);
  check(own.length >= 16 && !messages.includes(own), "the own key is not among them");
  check(messages.match(/"(key|sessionKey)":"…"/) && !messages.match(/"(key|sessionKey|entropy)":"[^…]/), "nor any other");
  await dev.click("dialog details >> nth=0");
  await dev.click("dialog details >> nth=-1");
  await reads(dev, "dialog", /"validActions"/, "the view is shown");
  await reads(dev, "dialog .layers", /Straight 42/, "the rules of the table are shown layer by layer");
  const decides = (layer) => dev.textContent(`dialog .layers > li:has(> b:text-is("${layer}")) ul`);
  await until("with what each layer decides", async () => /sits out, nello.*: the bidder's partner/.test(await decides("nello")));
  await until("and what is left to the layers below it", async () => /sits out, fives.*: nobody/.test(await decides("base")));
  await until("but not what the deals come from", async () => /deals from: …/.test(await decides("base")));
  await audit(dev, "desk-developer", shots);
  await dev.setViewportSize(SIZES.phone);
  await audit(dev, "phone-developer", shots);
  await dev.setViewportSize(SIZES.desk);
  await dev.keyboard.press("Escape");
  await until("who may see everything reads what a program had in mind", async () => (await dev.$(".intent")) || void (await step(ann)), 120);
  await until("in words", async () => (await dev.textContent(".intent >> nth=0")).length > 3);
  check(!(await ann.$(".intent")) && !(await wes.$(".intent")), "and nobody else does");
}));
