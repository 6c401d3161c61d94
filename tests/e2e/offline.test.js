// Playing without a server: the table runs in a worker of the browser.
import { SIZES, audit } from "./audit.js";
import { expect, test } from "./fixtures.js";
import { atPhase, choices, clickTo, closeDialog, declare, dominoes, expectFilesCached, expectHand, expectNotice, fillSeats, hand, openMenu, outbid, playByKeys, playTo, playToOwnTurn, playUntil, playable, said, setTable, setting, settled, startOffline, startPlaying, startSeeded, step } from "./player.js";
import { read, saveRecord } from "./record.js";
import { holdTime, releaseTime } from "./workers.js";

const expectFocus = (page, selector) => expect(page.locator(selector)).toBeFocused();

test("plays a whole hand by clicks and continues with the next", async ({ visit, files }) => {
  // This page takes in tricks automatically.
  const page = await visit({ settings: { pace: "fast" } });
  await page.goto(files.url);
  await page.locator("[data-way=play]").click();
  await clickTo(page, ["scoring"]);
  await expect(page.locator(".result .count"), "the result must show how the points were split").toBeVisible();
  await clickTo(page, ["bidding", "game-end"]);
});

test("plays a whole hand by keys alone, with announcements", async ({ visit, files }) => {
  const page = await visit();
  await page.goto(files.url);
  await expect(page.locator("[data-way=play]")).toBeVisible();
  for (let at = 0; at < 20 && !(await page.evaluate(() => document.activeElement?.dataset.way === "play")); at++) await page.keyboard.press("Tab");
  await expectFocus(page, "[data-way=play]");
  await page.keyboard.press("Enter");
  await expect(hand(page)).toHaveCount(7);
  // After navigating by keys, the table has the focus.
  await expectFocus(page, "#table");
  await playByKeys(page);
  const text = (await said(page).allTextContents()).join("\n");
  for (const part of [/is dealt\. You have \d-\d/, /(bids|passes)/, / (has|have) the bid at \d/, /(calls|You call) /, / plays \d-\d\./, /takes? the trick, worth \d+\. Us \d+, Them \d+\./, /The bid is (made|set)/, /Your (turn|lead|bid)/]) {
    expect(text).toMatch(part);
  }
  await expectFocus(page, ".result .primary");
  await page.keyboard.press("Enter");
  await expect(atPhase(page, "bidding")).toBeVisible();
  // The button has disappeared.
  await expectFocus(page, "#table");
});

test("moves during an open dialog are announced inside it", async ({ visit, files }) => {
  const page = await visit();
  await startSeeded(page, files.url, "lubbock");
  await expect(choices(page)).toBeVisible();
  const log = page.locator("dialog[open] [role=log]");
  await page.keyboard.press("h");
  await expect(log, "what was announced before must not be repeated").toHaveText("");
  expect(await log.evaluate((region) => region.checkVisibility({ visibilityProperty: true })), "screen readers must know the log").toBe(true);
  // A script can press what is inert for the person.
  await page.locator(".choices .mark").last().evaluate((bid) => bid.click());
  await expect(log.locator("p").filter({ hasText: /^You bid / }), "the page behind the dialog is inert").toHaveCount(1);
  await expect(said(page).filter({ hasText: /^You bid / }), "the log of the page must be complete").toHaveCount(1);
  await closeDialog(page);
  await page.keyboard.press("h");
  await expect(log, "and nothing is repeated later").toHaveText("");
});

test("arrow keys move through the hand and letters open dialogs", async ({ visit, files }) => {
  const page = await visit();
  await startOffline(page, files.url);
  const title = page.locator("dialog[open] #dialog-title");
  await hand(page).first().focus();
  await page.keyboard.press("ArrowRight");
  await expect(hand(page).nth(1)).toBeFocused();
  await page.keyboard.press("s");
  await expect(title).toHaveText("Settings");
  await closeDialog(page);
  await page.keyboard.press("s");
  await expect(title).toHaveText("Settings");
  // The close event of a dialog comes late. A dialog that a key opens in between must stay open.
  await page.evaluate(() => new Promise((closed) => {
    const dialog = document.querySelector("dialog");
    dialog.addEventListener("close", closed, { once: true });
    dialog.close();
    document.body.dispatchEvent(new KeyboardEvent("keydown", { key: "h", bubbles: true }));
  }));
  await expect(title).toHaveText("This hand");
  await closeDialog(page);
});

test("playing a domino by key keeps the focus in the hand", async ({ visit, files }) => {
  const page = await visit();
  await startPlaying(page, files.url);
  const before = await dominoes(page);
  const next = page.locator(`#hand [data-domino="${before[3]}"]`);
  await hand(page).nth(2).focus();
  await page.keyboard.press("Enter");
  await expect(hand(page)).toHaveCount(6);
  await expect(next).toBeFocused();
  await expect(page.locator(".go-on")).toBeVisible();
  await expect(said(page).filter({ hasText: /takes? the trick, worth/ }), "the winner must be announced while the trick is shown").not.toHaveCount(0);
  await page.keyboard.press("Enter");
  await expect(page.locator(".go-on")).toHaveCount(0);
  await expect(next).toBeFocused();
});

test("tapping a blocked domino says why", async ({ visit, files }) => {
  const page = await visit();
  await startOffline(page, files.url);
  await playUntil(page, ["#hand .blocked"], "pass");
  const blocked = await page.locator("#hand .blocked").first().getAttribute("data-domino");
  // It is styled as disabled, so the click does not wait until the dominoes have stopped moving.
  await settled(page);
  await page.locator(`#hand [data-domino="${blocked}"]`).click({ force: true });
  await expectNotice(page, /have to follow suit/i);
  expect(await dominoes(page), "it must not be played").toContain(blocked);
});

test("a notice about a choice disappears with the choice", async ({ visit, files }) => {
  const page = await visit();
  await startOffline(page, files.url);
  await playUntil(page, ["#hand .blocked"], "pass");
  await settled(page);
  await page.locator("#hand .blocked").first().click({ force: true });
  await expect(page.locator(".notice.on")).toBeVisible();
  await playable(page).first().click();
  // It would also disappear by itself after some seconds, so this does not wait.
  expect(await page.locator(".notice.on").count(), "the notice must be gone").toBe(0);
});

test("a tap on a domino picks up one's own trick and leads the domino", async ({ visit, files }) => {
  const page = await visit();
  await startSeeded(page, files.url, "lubbock");
  // The double of trumps takes every trick.
  const double = (await dominoes(page)).find((domino) => domino[0] === domino[2]);
  expect(double, "the hand must have a double").toBeTruthy();
  await outbid(page);
  await page.locator(".suits > button").nth(Number(double[0])).click();
  await page.locator(`#hand [data-domino="${double}"]`).click();
  await expect(page.locator(".go-on")).toBeVisible();
  const [next] = await dominoes(page);
  await settled(page);
  // The domino is not offered before the trick is picked up, so it is marked as disabled.
  await page.locator(`#hand [data-domino="${next}"]`).click({ force: true });
  await expect(page.locator(`#hand [data-domino="${next}"]`), "it must be led").toHaveCount(0);
  await expect(hand(page)).toHaveCount(5);
});

test("the trick says who led, and calls that lost recede", async ({ visit, files }) => {
  const page = await visit();
  await startSeeded(page, files.url, "lubbock");
  await expect(choices(page)).toBeVisible();
  const lost = page.locator(".seat .call:not(.high)");
  const colors = (call) => call.evaluate((element) => [getComputedStyle(element).backgroundColor, getComputedStyle(element).borderTopColor].join());
  await outbid(page);
  await expect(lost, "the others have called").toHaveCount(3);
  const before = await Promise.all((await lost.all()).map(colors));
  await declare(page);
  const after = await Promise.all((await lost.all()).map(colors));
  after.forEach((color, at) => expect(color, `call ${at} must recede`).not.toBe(before[at]));
  expect(new Set(after), "all that lost look the same").toEqual(new Set(["rgba(0, 0, 0, 0),rgba(0, 0, 0, 0)"]));
  await expect(page.locator(".own .call.high"), "the high bid stays").toBeVisible();
  // Until somebody else leads.
  while (!(await page.locator(".table-page:has(.played):has(#hand .playable)").count())) {
    await step(page);
    await playUntil(page, ["#hand .playable", ".go-on"]);
  }
  const lead = page.locator(".played:has(.lead)");
  await expect(lead, "one domino is the lead").toHaveCount(1);
  await expect(lead.locator(".lead")).toHaveText("Led");
  const log = await said(page).allTextContents();
  const [, leader, domino] = log.slice(log.findLastIndex((line) => /takes? the trick/.test(line))).find((line) => / plays /.test(line)).match(/^(.+) plays (\d-\d)\.$/);
  await expect(lead, "it is that of the player who led").toHaveAttribute("aria-label", `${leader}: ${domino}, led` + ((await lead.getAttribute("class")).includes("winning") ? ", winning so far" : ""));
});

test("the result says who made or set the bid, and who gets the mark", async ({ visit, files }) => {
  const page = await visit();
  await startSeeded(page, files.url, "lubbock");
  await playTo(page, ["scoring"], "pass");
  const [headline, gain] = [page.locator(".result h2"), page.locator(".result .gain")];
  await expect(headline).toHaveText(/^(We made it|We got set|They made it|We set them): \d+ on a bid of \d+$/);
  const [, how, taken, bid] = (await headline.textContent()).match(/^(.+): (\d+) on a bid of (\d+)$/);
  expect(/made/.test(how), "the numbers must agree with it").toBe(Number(taken) >= Number(bid));
  const isOurs = /^We (made|set)/.test(how);
  await expect(gain).toHaveText(isOurs ? "+1 mark for Us" : "+1 mark for Them");
  await expect(gain).toHaveClass(isOurs ? /first/ : /second/);
  await page.locator(".result .primary").click();
  await expect(page.locator(".score"), "and the score says the same").toContainText(isOurs ? /Us.*1 of 7 marks.*Them.*0 of 7 marks/ : /Us.*0 of 7 marks.*Them.*1 of 7 marks/);
});

test("a game of one hand ends with one card", async ({ visit, files }) => {
  const page = await visit();
  await startOffline(page, files.url, "learn");
  // Notes every card that is shown on the way.
  await page.evaluate(() => {
    window.cards = new Set();
    new MutationObserver(() => document.querySelectorAll(".center .panel").forEach((card) => window.cards.add(card.className))).observe(document, { subtree: true, childList: true });
  });
  await playTo(page, ["one-hand-complete"]);
  const card = page.locator(".center .panel");
  await expect(card).toHaveCount(1);
  await expect(card.locator("h2")).toHaveText(/^(We made it|We got set|They made it|We set them)/);
  await expect(card.locator(".gain")).toHaveText(/^\+\d marks? for (Us|Them)$/);
  await expect(card.locator(".count")).toBeVisible();
  const cards = await page.evaluate(() => [...window.cards]);
  expect(cards.filter((name) => name.includes("result")), "there must be no result card before").toEqual([]);
});

test("in nello the player who sits out is announced and has no place in the trick", async ({ visit, files }) => {
  const page = await visit();
  await startSeeded(page, files.url, "lubbock");
  await outbid(page);
  await page.locator(".suit", { hasText: "Nello" }).click();
  await expect(page.locator(".trick")).toBeVisible();
  await expect(page.locator(".spot.place-2")).toBeHidden();
  for (const place of [0, 1, 3]) await expect(page.locator(`.spot.place-${place}`)).toBeVisible();
  const partner = await page.locator(".seat.place-2 .who b").textContent();
  await expect(said(page).filter({ hasText: `${partner} sits out this hand.` })).toHaveCount(1);
});

test("a domino can be dragged to the table", async ({ visit, files }) => {
  const page = await visit();
  await startPlaying(page, files.url);
  await settled(page);
  const before = await dominoes(page);
  const box = await playable(page).first().boundingBox();
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width / 2, box.y - 120, { steps: 5 });
  await page.mouse.up();
  await expect(hand(page)).toHaveCount(before.length - 1);
});

test("shows the last trick again and undoes a move", async ({ visit, files }) => {
  const page = await visit();
  await startSeeded(page, files.url, "lubbock");
  await expect(choices(page)).toBeVisible();
  const dealt = await dominoes(page);
  await step(page, "pass");
  await page.locator(".take-back").click();
  await expect(choices(page)).toBeVisible();
  await expectHand(page, dealt, "the hand must be the same");
  await outbid(page);
  await step(page);
  await playUntil(page, [".go-on"]);
  await page.locator(".go-on").click();
  await expect(page.locator(".go-on")).toHaveCount(0);
  await page.keyboard.press("l");
  await expect(page.locator("dialog .last-trick figure")).toHaveCount(4);
  await expect(page.locator("dialog .last-trick .winning"), "the winner must be marked").toHaveCount(1);
});

test("the panel beside the table shows what is still out, except where results count", async ({ visit, files, server }) => {
  const page = await visit({ settings: { still: true } });
  const tracker = page.locator(".beside .still-out");
  await startPlaying(page, files.url);
  await expect(tracker, "the panel must earn its space").toBeVisible();
  await page.keyboard.press("s");
  await page.getByLabel("Show the count and trumps still out").uncheck();
  await closeDialog(page);
  await expect(tracker, "and can be switched off").toHaveCount(0);
  const small = await visit({ ...SIZES.phone, settings: { still: true } });
  await startPlaying(small, files.url);
  await small.keyboard.press("h");
  await expect(small.locator("dialog .calls")).toBeVisible();
  await expect(small.locator("dialog .still-out"), "elsewhere on request only").toHaveCount(0);
  const ann = await visit({ settings: { still: true, name: "Ann" } });
  await setTable(ann, server.url, { preset: "tournament" });
  await fillSeats(ann);
  await playToOwnTurn(ann);
  await expect(ann.locator(".beside .calls")).toBeVisible();
  await expect(ann.locator(".beside .still-out"), "a tournament is played from memory").toHaveCount(0);
});

test("the count and the trumps that are out are shown on request", async ({ visit, files }) => {
  const page = await visit({ settings: { still: true, stillOut: true } });
  const tracked = (row) => page.locator(".beside .still-out .row-plays").nth(row).locator(".mini");
  await startPlaying(page, files.url);
  const own = await dominoes(page);
  await expect(tracked(1), "the trumps of the others").toHaveCount(7 - own.filter((domino) => domino.includes("5")).length);
  const counts = own.filter((domino) => ["5-5", "6-4", "5-0", "4-1", "3-2"].includes(domino)).length;
  await expect(tracked(0), "the count of the others").toHaveCount(5 - counts);
  await audit(page, "desk-tracker");
  await page.setViewportSize(SIZES.phone);
  await page.keyboard.press("h");
  await expect(page.locator("dialog .still-out .mini").first()).toBeVisible();
  await audit(page, "phone-tracker");
});

test("an unusual bid needs a second tap or key, if so configured", async ({ visit, files }) => {
  const page = await visit({ settings: { still: true, confirmBids: true } });
  await startSeeded(page, files.url, "lubbock");
  const mark = choices(page).locator(".mark").last();
  await mark.click();
  await expectNotice(page, /Tap again to bid/);
  await expect(mark, "the bid waits").toHaveClass(/chosen/);
  await page.keyboard.type(await mark.getAttribute("data-shortcut"));
  await expect(page.locator(".suit").first(), "the second time it counts").toBeVisible();
  await startSeeded(page, files.url, "lubbock");
  await choices(page).locator("button").first().click();
  await expect(choices(page), "the least bid is made at once").toHaveCount(0);
});

test("an expert says what the hand is worth, and nothing moves", async ({ visit, files }) => {
  const page = await visit({ settings: { still: true } });
  await startSeeded(page, files.url, "lubbock");
  const boxes = () => page.locator(".choices button, .own button").evaluateAll((buttons) => buttons.map((button) => JSON.stringify(button.getBoundingClientRect())));
  await expect(page.locator(".worth-asked")).toBeVisible();
  const before = await boxes();
  await page.locator(".worth-asked").click();
  await expectNotice(page, /^(Pass|\d+|.*marks?): .+\.$/);
  await expect(page.locator(".choices .best"), "the choice is marked").toHaveCount(1);
  expect(await boxes(), "nothing may move").toEqual(before);
  await step(page);
  await expect(page.locator(".worth-asked"), "the hand is bid on once").toHaveCount(0);
});

test("saves a game as a record that the tools can read", async ({ visit, files }) => {
  const page = await visit();
  await startSeeded(page, files.url, "lubbock", 1);
  await openMenu(page);
  await expect(page.locator("dialog .stack")).toBeVisible();
  await expect(page.locator("[data-do=save-record]"), "no hand is complete yet").toHaveCount(0);
  await closeDialog(page);
  await playTo(page, ["game-end"]);
  const [review] = await read(await saveRecord(page), ["review", "--worlds", "2"]);
  expect(review, "the game must be reviewed").toMatch(/seat +decisions/);
});

test("saves the completed hands in the middle of a game", async ({ visit, files }) => {
  const page = await visit();
  await startOffline(page, files.url);
  await playTo(page, ["scoring"]);
  await playTo(page, ["bidding"]);
  await openMenu(page);
  const [replay] = await read(await saveRecord(page), ["replay"]);
  expect(replay, "the record must end with the hand").toMatch(/scoring/i);
});

test("a reload in the middle of a hand loses nothing", async ({ visit, files }) => {
  const page = await visit();
  await startPlaying(page, files.url);
  const bid = page.locator(".contract .bid dd");
  const [before, contract] = [await dominoes(page), await bid.textContent()];
  await page.reload();
  await expectHand(page, before, "the hand must be the same");
  await expect(bid).toHaveText(contract);
  await playTo(page, ["scoring"]);
});

test("the form's rules exclude each other, are saved, and are played on this device", async ({ visit, files }) => {
  const page = await visit();
  await page.goto(files.url);
  await page.locator("[data-way=house-rules]").click();
  await page.locator(".house summary").click();
  await expect(setting(page, "spectators"), "nobody watches a table on this device").toBeHidden();
  await setting(page, "nello-lead").selectOption({ index: 1 });
  // One list for each computer player; its options are the usual level and four others.
  const bots = setting(page, "bot").filter({ visible: true });
  await expect(bots).toHaveCount(3);
  await bots.last().selectOption({ index: 4 });
  await expect(bots.last()).toHaveValue("4");
  await setting(page, "tournament").check();
  await expect(setting(page, "nello")).not.toBeChecked();
  await expect(setting(page, "nello-lead")).toBeHidden();
  await setting(page, "scoring").selectOption({ index: 1 });
  await expect(setting(page, "target-marks")).toBeHidden();
  await expect(setting(page, "target-points")).toBeVisible();
  await setting(page, "nello").check();
  await expect(setting(page, "tournament")).not.toBeChecked();
  await expect(setting(page, "scoring"), "nello is played for marks").toHaveValue("0");
  await setting(page, "nello-doubles").selectOption({ index: 2 });
  await setting(page, "target-marks").selectOption({ index: 6 });
  const name = page.locator(".save-rules input");
  await name.press("Enter");
  await expect(page.locator(".house [role=alert] p")).toBeVisible();
  await name.fill("Sunday");
  await name.press("Enter");
  await expect(page.locator(".saved")).toHaveText(/Sunday/);

  await page.reload();
  await page.locator("[name=where][data-offline=true]").check();
  await page.locator(".saved input").check();
  await page.locator(".house summary").click();
  await expect(setting(page, "nello-doubles")).toHaveValue("2");
  await expect(setting(page, "target-marks")).toHaveValue("6");
  await page.locator("button.primary.big").click();
  await expect(hand(page)).toHaveCount(7);
  await expect(page.locator(".score")).toContainText("0 of 14 marks");

  await page.goBack();
  await expect(page.locator("[data-way=play]"), "Play now must say what it plays").toContainText("House rules, to 14 marks");
  await page.locator("[data-way=house-rules]").click();
  await page.locator(".saved button").click();
  await expect(page.locator(".saved")).toHaveCount(0);
});

test("the rules of a table on this device can change for the next game", async ({ visit, files }) => {
  const page = await visit({ settings: { still: true } });
  const dialog = page.locator("dialog");
  await page.goto(`${files.url}#new`);
  await page.locator("[name=where][data-offline=true]").check();
  await setting(page, "target-marks").selectOption({ index: 0 });
  await page.locator("button.primary.big").click();
  await playTo(page, ["game-end"]);
  await page.locator("[data-do=change-rules]").click();
  await expect(setting(dialog, "spectators"), "nobody watches a table on this device").toBeHidden();
  await setting(dialog, "target-marks").selectOption({ index: 2 });
  await dialog.locator(".house summary").click();
  await dialog.locator(".save-rules input").fill("Short");
  await dialog.locator(".save-rules button").click();
  await expect(dialog.locator(".saved")).toHaveText(/Short/);
  await page.locator("[data-do=use-rules]").click();
  await expect(hand(page), "the next game must begin").toHaveCount(7);
  await expect(page.locator(".score"), "by the new rules").toContainText("0 of 3 marks");
  await page.goto(`${files.url}#new`);
  await expect(page.locator(".saved"), "the form for a new table must have the saved rules").toHaveText(/Short/);
});

test("Back leads from a table or form to the start page, and Forward returns", async ({ visit, files }) => {
  const page = await visit();
  await page.goto(files.url);
  await page.locator("[data-way=friends]").click();
  await expect(page.locator(".preset").first()).toBeVisible();
  await page.reload();
  await expect(page.locator(".preset").first()).toBeVisible();
  await page.goBack();
  await page.locator("[data-way=play]").click();
  await expect(hand(page)).toHaveCount(7);
  const dealt = await dominoes(page);
  await page.goBack();
  await expect(page.locator("[data-way=continue]")).toBeVisible();
  await page.goForward();
  await expectHand(page, dealt, "the hand must be the same");
  await page.goBack();
  await page.locator("[data-way=continue]").click();
  await expectHand(page, dealt, "the hand must still be the same");
});

test("opening a game in a second tab moves it there, and it can be moved back", async ({ visit, files }) => {
  const first = await visit();
  await startPlaying(first, files.url);
  const held = await dominoes(first);
  const second = await first.context().newPage();
  await second.goto(`${files.url}#play`);
  await expectHand(second, held, "the second tab must show the current game");
  await expect(first.locator("main"), "the first tab must say where the game is").toContainText("another tab");
  await expect(hand(first), "and must not show an outdated game").toHaveCount(0);
  await playToOwnTurn(second);
  await step(second);
  await expect(hand(second), "a domino must be played there").toHaveCount(held.length - 1);
  const left = await dominoes(second);
  await first.locator("main .primary").click();
  await expectHand(first, left, "the first tab must show the current game");
  await expect(second.locator("main"), "and the second tab must yield it").toContainText("another tab");
});

test("the start page offers the game of a closed tab", async ({ visit, files }) => {
  const page = await visit();
  await startOffline(page, files.url);
  const before = await dominoes(page);
  const next = await page.context().newPage();
  await page.close();
  await next.goto(files.url);
  await next.locator("[data-way=continue]").click();
  await expectHand(next, before, "the hand must be the same");
});

test("the page works offline, with the server stopped", async ({ visit, files }) => {
  const page = await visit({ serviceWorkers: "allow", settings: { pace: "fast" } });
  await page.goto(files.url);
  await expectFilesCached(page);
  await files.close();
  await page.reload();
  await page.locator("[data-way=play]").click();
  await expect(hand(page)).toHaveCount(7);
  await playTo(page, ["playing", "scoring"]);
});

test("a lesson gives hints", async ({ visit, files }) => {
  const page = await visit();
  await startOffline(page, files.url, "learn");
  await expect(choices(page)).toBeVisible();
  await expect(page.locator(".hint").first(), "the expert must recommend a bid with a reason").toHaveText(/% of the time|Not enough for a bid|has the bid/);
  // The player who leads has a choice; the table plays a forced domino automatically.
  await outbid(page);
  await declare(page);
  await expect(page.locator("#hand .tile.hinted").first(), "a domino must have a hint").toBeVisible();
  const advice = page.locator(".own > .advice.best");
  await expect(advice, "the advice must be visible without hovering").toBeVisible();
  // A player who is sure to take the rest is advised to claim.
  const labels = await page.locator("#hand .tile.best").evaluateAll((tiles) => tiles.map((tile) => tile.ariaLabel));
  expect([...labels, await advice.textContent()].join("\n"), "screen readers must announce the recommended domino").toMatch(/expert's choice|The rest is/);
  const held = await dominoes(page);
  await step(page);
  // The table waits for a tap after the trick.
  await expect(page.locator(".go-on")).toBeVisible();
  await expect(hand(page)).toHaveCount(held.length - 1);
  await page.locator(".take-back").click();
  await expectHand(page, held, "a student must be able to take a play back");
  await expect(playable(page), "and to choose again").toHaveCount(held.length);
});

// A fixed day, which cannot end while a test runs.
const DAY = new Date("2026-11-18T12:00:00");

test("the daily challenge is one hand and ends with stars to share", async ({ visit, files }) => {
  const [page, other] = [await visit(), await visit()];
  for (const each of [page, other]) await each.clock.setFixedTime(DAY);
  await startOffline(page, files.url, "daily");
  const dealt = await dominoes(page);
  await expect(page.locator(".goal"), "the goal must be shown from the start").toContainText(/Take.*★★★ \d+.*★★ \d+.*★ \d+/);
  await expect(page.locator(".score"), "there must be no score beyond this hand").toContainText("of 42 points");
  await playTo(page, ["one-hand-complete"]);
  await expect(page.locator(".ending .stars [aria-hidden]"), "there must be three stars, filled or not").toHaveText(/^[★☆]{3}$/);
  await expect(page.locator(".ending .stars + .sub"), "and the reason for them").toContainText(/three stars need \d+\. Stars count your points|winning a nello hand/);
  await expect(page.getByRole("button", { name: "Share" }), "the result must be shareable").toBeVisible();
  await page.goto("about:blank");
  await page.goto(files.url);
  await expect(page.locator("[data-way=daily]")).toBeVisible();
  await expect(page.locator("[data-way=continue]"), "a finished game cannot be continued").toHaveCount(0);
  await startOffline(other, files.url, "daily");
  await expectHand(other, dealt, "everyone must get the same hand");
});

test("the daily challenge has three difficulties, and leaving during the search starts no game", async ({ visit, files }) => {
  const dealt = {};
  for (const way of ["daily-easy", "daily", "daily-hard"]) {
    const page = await visit();
    await page.clock.setFixedTime(DAY);
    await startOffline(page, files.url, way);
    dealt[way] = await dominoes(page);
  }
  expect(new Set(Object.values(dealt).map(String)).size, `the hands must differ: ${JSON.stringify(dealt)}`).toBe(3);
  const page = await visit();
  await page.clock.setFixedTime(DAY);
  await page.goto(files.url);
  holdTime(page);
  const startSearch = async () => {
    await page.locator("[data-way=daily-easy]").click();
    await expect(page.locator(".waiting [role=status]"), "the search must be running").toBeVisible();
  };
  const expectSearchStopped = async () => {
    await expect(page.locator("[data-way=daily]")).toBeVisible();
    await expect.poll(() => page.workers().length, "the search must have stopped").toBe(0);
    expect(await page.evaluate(() => localStorage.getItem("texas42.offline")), "no game must be stored").toBeNull();
  };
  await startSearch();
  await page.locator(".waiting .quiet").click();
  await expectSearchStopped();
  await startSearch();
  await page.goBack();
  await expectSearchStopped();
  await expect(page, "Back must lead to the start page").toHaveURL(files.url);
  await releaseTime(page);
  await page.goto(`${files.url}#daily/easy`);
  await expectHand(page, dealt["daily-easy"], "the challenge can be started again, also by link");
});

test("a seed link deals the same hands, and the bots play the same way", async ({ visit, files }) => {
  const heard = [];
  for (let time = 0; time < 2; time++) {
    const page = await visit();
    await startSeeded(page, files.url, "lubbock");
    await playTo(page, ["scoring"]);
    heard.push((await said(page).allTextContents()).filter((line) => / (bids|passes|calls|plays|takes) /.test(line)).join("\n"));
  }
  expect(heard[0]).toMatch(/plays/);
  expect(heard[1], "both runs must be the same").toBe(heard[0]);
});

test("the whole page is in Spanish", async ({ visit, files }) => {
  const page = await visit({ locale: "es-MX" });
  await startOffline(page, files.url);
  await expect(page.locator("html")).toHaveAttribute("lang", "es");
  await playTo(page, ["playing"]);
  await expect(page.locator(".contract")).toContainText("Triunfos");
  // The settings dialog switches to the chosen language at once.
  const [title, languages] = [page.locator("#dialog-title"), page.locator("dialog .segments input")];
  await page.keyboard.press("s");
  await languages.nth(0).click();
  await expect(title).toHaveText("Settings");
  await expect(page.locator("dialog legend").first()).toContainText("Language");
  await languages.nth(1).click();
  await expect(title).toHaveText("Ajustes");
  await closeDialog(page);
  await expect(said(page).filter({ hasText: /apuesta|pasa/ }), "announcements must be in Spanish").not.toHaveCount(0);
});

test("a new game keeps the unfinished ones, which can be continued and deleted", async ({ visit, files }) => {
  const page = await visit({ ...SIZES.narrow, settings: { still: true } });
  const [others, saved] = [page.locator("[data-way=continue-other]"), page.locator(".saved-game")];
  const goHome = async () => {
    await page.goto("about:blank");
    await page.goto(files.url);
    await expect(page.locator("[data-way=play]")).toBeVisible();
  };
  const logs = () => page.evaluate(() => new Promise((done) => {
    const opening = indexedDB.open("texas42", 1);
    opening.onsuccess = () => {
      const asked = opening.result.transaction("events").objectStore("events").getAllKeys();
      asked.onsuccess = () => {
        opening.result.close();
        done(new Set(asked.result.filter(Array.isArray).map(([game]) => game)).size);
      };
    };
  }));
  await startOffline(page, files.url);
  const first = await dominoes(page);
  await startOffline(page, files.url, "learn");
  const second = await dominoes(page);
  expect(second, "it must be another game").not.toEqual(first);
  await goHome();
  await expect(page.locator("[data-way=continue]")).toHaveCount(1);
  await expect(others).toHaveText("Continue: Us 0 – Them 0Earlier game 1");
  await audit(page, "narrow-saved-games");
  await others.click();
  await expectHand(page, first, "the first game must go on");
  await goHome();
  await page.locator("[data-way=continue]").click();
  await expectHand(page, first, "it is the current one now");
  await goHome();
  await others.click();
  await expectHand(page, second, "and the second game must go on as well");
  await goHome();
  expect(await logs()).toBe(2);
  await saved.nth(1).locator("[data-do=delete-game]").click();
  await expect(page.locator(".question .primary"), "Cancel must be the first choice").toBeFocused();
  await page.keyboard.press("Enter");
  await expect(saved).toHaveCount(2);
  await saved.nth(1).locator("[data-do=delete-game]").click();
  await audit(page, "narrow-delete-game");
  await page.locator("[data-do=delete-game-yes]").click();
  await expect(saved).toHaveCount(1);
  await expect.poll(logs, "the log must be deleted").toBe(1);
  for (let count = 2; count <= 5; count++) await startSeeded(page, files.url, "lubbock");
  await goHome();
  await expect(saved).toHaveCount(5);
  await startSeeded(page, files.url, "lubbock");
  await expectNotice(page, /the oldest one was deleted/);
  await expect.poll(logs, "its log must be deleted").toBe(5);
  await goHome();
  await expect(saved).toHaveCount(5);
});

test("without a server, creating a table fails and keeps the form", async ({ visit, files }) => {
  const page = await visit();
  await page.goto(`${files.url}#new`);
  const [target, clock] = [setting(page, "target-marks"), setting(page, "clock")];
  await target.selectOption({ index: 2 });
  await clock.selectOption({ index: 4 });
  await page.locator(".house summary").click();
  await page.locator("button.primary.big").click();
  await expectNotice(page, /server isn't answering/);
  await expect(page.locator(".house"), "the house rules must stay open").toHaveAttribute("open");
  await expect(page.locator("button.primary.big")).toBeVisible();
  await expect(target).toHaveValue("2");
  await expect(clock).toHaveValue("4");
});

test("an invalid link shows a notice", async ({ visit, files }) => {
  for (const [link, sentence] of [["#join/%%%", /isn't an invite/], ["#join/abc/short", /isn't an invite/], ["#table/abc", /no seat at that table/], ["#seed/abc/999999", /no hand to deal/], ["#seed/abc/0", /0 is out of range/], ["#hand/a b", /no hand to deal/], ["#daily/easy/2026-02-30", /no hand to deal/], ["#daily/easy/9999-12-31", /isn't here yet/]]) {
    const page = await visit();
    await page.goto(files.url + link);
    await expectNotice(page, sentence, link);
    await expect(page.locator("[data-way=play]")).toBeVisible();
  }
});

test("at 400 % zoom every bid can be read and pressed", async ({ visit, files }) => {
  // A window of 1440 by 900 at 400 %.
  const page = await visit({ width: 360, height: 225 });
  await startSeeded(page, files.url, "lubbock");
  const bids = choices(page).locator("button");
  await expect(bids.first()).toBeVisible();
  // The list of the bids must not hide them either.
  const heights = await bids.evaluateAll((buttons) => buttons.map((button) => {
    const [box, list] = [button, button.closest(".offers") ?? button].map((element) => element.getBoundingClientRect());
    return Math.min(box.bottom, list.bottom) - Math.max(box.top, list.top);
  }));
  expect(Math.min(...heights), `no bid may be squeezed: ${heights}`).toBeGreaterThanOrEqual(24);
  await bids.last().click();
  await expect(atPhase(page, "bidding").locator(".choices"), "the bid must be made").toHaveCount(0);
});

test("a phone in landscape shows the points", async ({ visit, files }) => {
  const page = await visit({ width: 740, height: 360 });
  await startPlaying(page, files.url);
  await expect(page.locator(".count .side-count").first()).toBeVisible();
  await expect(page.locator(".count .side-count").first()).toContainText(/Us \d+/);
});

test("a key that is held down presses only once", async ({ visit, files }) => {
  const page = await visit();
  await startPlaying(page, files.url);
  const before = await dominoes(page);
  await playable(page).first().focus();
  await page.keyboard.down("Enter");
  await expect(page.locator(".go-on")).toBeVisible();
  // The browser repeats a held key.
  await page.keyboard.down("Enter");
  await expect(page.locator(".go-on"), "the trick must stay").toBeVisible();
  await expect(hand(page), "and one domino must be played").toHaveCount(before.length - 1);
});
