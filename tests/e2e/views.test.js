// Sessions without a seat: a spectator, a coach, and an admin who may see everything.
import { SIZES, audit, auditEverywhere } from "./audit.js";
import { expect, test } from "./fixtures.js";
import { closeDialog, dominoes, expectHand, expectNotice, fillSeats, hand, linkFor, playToOwnTurn, playUntil, setTable, step } from "./player.js";

async function join(visit, link, name, { form, title, ...window }) {
  const page = await visit({ settings: { name, still: true }, ...window });
  await page.goto(link);
  await expect(page.locator("main.form"), "the form must explain the role").toHaveText(form);
  await expect(page.locator("h1"), "and say who invites").toHaveText(title);
  await expect(page.locator(".seat-picture [data-seat='0']"), "who plays").toContainText("Ann");
  await expect(page.locator(".seat-picture input"), "no seat must be offered").toHaveCount(0);
  await expect(page.locator(".played-here summary"), "and what is played").toHaveText(/^House rules: Family, to 7 marks/);
  await auditEverywhere(page, `form-${name.toLowerCase()}`);
  await page.locator("input[autocomplete=nickname]").fill(name);
  await page.locator("button.primary.big").click();
  await expect(page.locator(".table-page")).toBeVisible();
  return page;
}

const faces = (page) => page.locator(".held .mini.open");

test("a spectator sees no hand, a coach sees one, and an admin sees all", async ({ visit, server }) => {
  const ann = await visit({ settings: { name: "Ann", still: true } });
  await setTable(ann, server.url, { openHands: true, preset: "family" });
  const watch = await linkFor(ann, "Link to watch");
  const coach = await linkFor(ann, "Link for my coach");
  const admin = await linkFor(ann, "Link behind the scenes");
  await audit(ann, "desk-links");
  await fillSeats(ann);
  const hers = await dominoes(ann);

  const cora = await join(visit, coach, "Cora", { ...SIZES.phone, form: /see the hand of the player.*Sit behind them/, title: "Ann invites you to coach" });
  await expectHand(cora, hers, "a coach must see the student's hand");
  await expect(cora.locator(".status"), "and her role").toContainText("Coach of Ann");
  await expect(faces(cora), "but no other hand").toHaveCount(0);
  await expect(cora.locator("#hand .tile[title='Point at a domino']"), "and must be able to point at its dominoes").toHaveCount(7);

  const wes = await join(visit, watch, "Wes", { form: /You'll watch.*Watch/, title: "Ann invites you to watch" });
  await expect(hand(wes)).toHaveCount(7);
  await expect(wes.locator(".status"), "a spectator must see his role").toContainText("watching");
  const below = wes.locator(".own .who b");
  const seen = await below.textContent();
  await wes.locator(".own-bar .quiet").first().click();
  await expect(below, "another seat must be at the bottom").not.toHaveText(seen);
  await auditEverywhere(wes, "watching");
  await wes.locator("header button[aria-label=Menu]").click();
  await expect(wes.locator("dialog .stack button"), "a spectator must have no other options").toHaveText(["Mute Ann", "Mute Cora", "Home", "Say something", "How to play", "Settings", "Leave the table"]);
  await closeDialog(wes);

  const visitors = ann.locator(".visitors");
  await expect(visitors, "Ann must see how many people watch").toHaveText("2");
  await visitors.click();
  await expectNotice(ann, /Wes is watching and sees every hand\./);
  await expectNotice(ann, /Cora is coaching you\./);
  await audit(ann, "desk-visitors");
  await expect(cora.locator(".visitors"), "Cora must see Wes, but not herself").toHaveAttribute("aria-label", "1 watching: Wes is watching and sees every hand.");

  const dev = await join(visit, admin, "Dev", { form: /every hand.*behind the scenes/, title: "Ann invites you behind the scenes" });
  await expect(faces(dev).nth(19), "every hand must be open").toBeAttached();
  await playToOwnTurn(ann);
  await audit(dev, "desk-admin");
  await expect(cora.locator("#hand .tile.hinted").first(), "the coach must see advice on the dominoes").toBeVisible();
  await audit(cora, "phone-coach");
  await checkDeveloperDialog(dev);
  // When the trick is complete, every bot has played with an intent.
  await step(ann);
  await playUntil(ann, [".go-on"]);
  await expect(dev.locator(".intent").first(), "an admin must see the bots' intents").toHaveText(/.{4}/);
  for (const page of [ann, wes]) await expect(page.locator(".intent"), "and nobody else").toHaveCount(0);
});

async function checkDeveloperDialog(dev) {
  await dev.locator("[aria-label='Behind the scenes']").click();
  const messages = dev.locator("dialog[open] pre").first();
  await expect(messages, "messages must be shown").toContainText(/STATE_UPDATE|JOINED/);
  const own = await dev.evaluate(() => JSON.parse(localStorage.getItem("texas42.online")).key);
  expect(own.length).toBeGreaterThanOrEqual(16);
  await expect(messages, "the session's key must be redacted").not.toContainText(own);
  await expect(messages, "and all other keys").toContainText(/"(key|sessionKey)":"…"/);
  await expect(messages).not.toContainText(/"(key|sessionKey|entropy)":"[^…]/);
  await dev.locator("dialog details").first().click();
  await dev.locator("dialog details").last().click();
  await expect(dev.locator("dialog"), "the view must be shown").toContainText('"validActions"');
  await expect(dev.locator("dialog .layers").first(), "the rules of the table must be shown layer by layer").toContainText("Straight 42");
  const decides = (layer) => dev.locator(`dialog .layers > li:has(> b:text-is("${layer}")) ul`).first();
  await expect(decides("nello"), "with what each layer decides").toContainText(/sits out, nello.*: the bidder's partner/);
  await expect(decides("base"), "and what it leaves to the layers below").toContainText(/sits out, fives.*: nobody/);
  await expect(decides("base"), "but not the source of the deals").toContainText(/deals from: …/);
  await auditEverywhere(dev, "developer");
  await closeDialog(dev);
}
