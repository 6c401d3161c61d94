// Playing without a server: the table runs in a worker of the browser.
import { expect, test } from "./fixtures.js";
import { atPhase, choices, clickTo, dominoes, expectHand, expectNotice, hand, openMenu, outbid, playByKeys, playTo, playToOwnTurn, playUntil, playable, said, settled, startOffline, startPlaying, startSeeded, step } from "./player.js";
import { read, saveRecord } from "./record.js";
import { holdTime, releaseTime } from "./workers.js";

const hasFocus = (page, selector) => expect(page.locator(selector)).toBeFocused();

test("plays a whole hand by clicks and continues with the next", async ({ visit, files }) => {
  // This page takes in tricks automatically.
  const page = await visit({ settings: { pace: "fast" } });
  await page.goto(files.url);
  await page.locator("[data-way=play]").click();
  await clickTo(page, ["scoring"]);
  await expect(page.locator(".split"), "the result must show how the points were split").toBeVisible();
  await page.locator(".result .primary").click();
  await clickTo(page, ["bidding", "game-end"]);
});

test("plays a whole hand by keys alone, with announcements", async ({ visit, files }) => {
  const page = await visit();
  await page.goto(files.url);
  await expect(page.locator("[data-way=play]")).toBeVisible();
  for (let at = 0; at < 20 && !(await page.evaluate(() => document.activeElement?.dataset.way === "play")); at++) await page.keyboard.press("Tab");
  await hasFocus(page, "[data-way=play]");
  await page.keyboard.press("Enter");
  await expect(hand(page)).toHaveCount(7);
  // After navigating by keys, the table has the focus.
  await hasFocus(page, "#table");
  await playByKeys(page);
  const text = (await said(page).allTextContents()).join("\n");
  for (const part of [/is dealt\. You hold \d-\d/, /(bids|passes)/, /wins the auction/, /names /, / plays \d-\d\./, /takes the trick, worth \d+/, /The contract is (made|set)/, /Your (turn|lead|bid)/]) {
    expect(text).toMatch(part);
  }
  await hasFocus(page, ".result .primary");
  await page.keyboard.press("Enter");
  await expect(atPhase(page, "bidding")).toBeVisible();
  // The button has disappeared.
  await hasFocus(page, "#table");
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
  await page.keyboard.press("Escape");
  await expect(title).toHaveCount(0);
  await page.keyboard.press("s");
  await expect(title).toHaveText("Settings");
  // The close event of a dialog comes late. A dialog that a key opens in between must stay open.
  await page.evaluate(() => new Promise((told) => {
    const dialog = document.querySelector("dialog");
    dialog.addEventListener("close", told, { once: true });
    dialog.close();
    document.body.dispatchEvent(new KeyboardEvent("keydown", { key: "h", bubbles: true }));
  }));
  await expect(title).toHaveText("This hand");
  await page.keyboard.press("Escape");
  await expect(title).toHaveCount(0);
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
  await expect(said(page).filter({ hasText: /takes the trick, worth/ }), "the winner must be announced while the trick is shown").not.toHaveCount(0);
  await page.keyboard.press("Enter");
  await expect(page.locator(".go-on")).toHaveCount(0);
  await expect(next).toBeFocused();
});

test("tapping a blocked domino says why", async ({ visit, files }) => {
  const page = await visit();
  await startOffline(page, files.url);
  await playUntil(page, ["#hand .blocked"], "pass");
  const blocked = await page.locator("#hand .blocked").first().getAttribute("data-domino");
  // It is styled as disabled.
  await page.locator(`#hand [data-domino="${blocked}"]`).click({ force: true });
  await expectNotice(page, /have to be followed/i);
  expect(await dominoes(page), "it must not be played").toContain(blocked);
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

test("saves a game as a record that the tools can read", async ({ visit, files }) => {
  const page = await visit();
  await startSeeded(page, files.url, "lubbock", 1);
  await openMenu(page);
  await expect(page.locator("dialog .stack")).toBeVisible();
  await expect(page.locator("[data-do=save-record]"), "no hand is complete yet").toHaveCount(0);
  await page.keyboard.press("Escape");
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
  await page.evaluate(() => navigator.serviceWorker.ready);
  const kept = () => page.evaluate(async () => {
    const names = await caches.keys();
    return Math.max(0, ...(await Promise.all(names.map(async (name) => (await (await caches.open(name)).keys()).length))));
  });
  await expect.poll(kept, "all files must be cached").toBeGreaterThan(8);
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
  await expect(page.locator(".hint").first(), "the expert must recommend a bid with a reason").toHaveText(/% of the time|pass brings/);
  await playToOwnTurn(page);
  await expect(page.locator("#hand .tile.hinted").first(), "a domino must have a hint").toBeVisible();
  // The expert says nothing if only one domino is legal, and a hand may end before there is a choice.
  const over = ".table-page[data-phase=one-hand-complete]";
  while ((await playable(page).count()) < 2) {
    if ((await playUntil(page, [over, "#hand .playable"])) === over) await startOffline(page, files.url, "learn");
    else if ((await playable(page).count()) < 2) await step(page);
  }
  const advice = page.locator(".own > .advice.best");
  await expect(advice, "the advice must be visible without hovering").toBeVisible();
  // A player who is sure to take the rest is advised to claim.
  const labels = await page.locator("#hand .tile.best").evaluateAll((tiles) => tiles.map((tile) => tile.ariaLabel));
  expect([...labels, await advice.textContent()].join("\n"), "screen readers must announce the recommended domino").toMatch(/expert's choice|The rest is/);
});

// A fixed day, which cannot end while a test runs.
const DAY = new Date("2026-11-18T12:00:00");

test("the daily challenge is one hand and ends with stars to share", async ({ visit, files }) => {
  const [page, other] = [await visit(), await visit()];
  for (const each of [page, other]) await each.clock.setFixedTime(DAY);
  await startOffline(page, files.url, "daily");
  const dealt = await dominoes(page);
  await expect(page.locator(".score"), "there must be no score beyond this hand").toContainText("of 42 points");
  await playTo(page, ["one-hand-complete"]);
  await expect(page.locator(".ending .stars [aria-hidden]"), "there must be three stars, filled or not").toHaveText(/^[★☆]{3}$/);
  await expect(page.getByRole("button", { name: "Share" }), "the result must be shareable").toBeVisible();
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
  const look = async () => {
    await page.locator("[data-way=daily-easy]").click();
    await expect(page.locator(".waiting [role=status]"), "the search must be running").toBeVisible();
  };
  const hasLeft = async () => {
    await expect(page.locator("[data-way=daily]")).toBeVisible();
    await expect.poll(() => page.workers().length, "the search must have stopped").toBe(0);
    expect(await page.evaluate(() => localStorage.getItem("texas42.offline")), "no game must be stored").toBeNull();
  };
  await look();
  await page.locator(".waiting .quiet").click();
  await hasLeft();
  await look();
  await page.goBack();
  await hasLeft();
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
    heard.push((await said(page).allTextContents()).filter((line) => / (bids|passes|names|plays|takes) /.test(line)).join("\n"));
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
  await page.keyboard.press("Escape");
  await expect(said(page).filter({ hasText: /puja|pasa/ }), "announcements must be in Spanish").not.toHaveCount(0);
});

test("an unfinished game is replaced only after confirmation", async ({ visit, files }) => {
  const page = await visit();
  const questions = [];
  let wants = false;
  page.on("dialog", (question) => {
    questions.push(question.message());
    return wants ? question.accept() : question.dismiss();
  });
  const isAsked = (times) => expect.poll(() => questions.length, `the page must ask: ${questions}`).toBe(times);
  const kept = () => page.evaluate(() => localStorage.getItem("texas42.offline"));
  await page.goto(files.url);
  await page.locator("[data-way=play]").click();
  await expect(hand(page)).toHaveCount(7);
  const [before, ticket] = [await dominoes(page), await kept()];
  await page.goto("about:blank");
  await page.goto(files.url);
  for (const [at, way] of ["play", "learn", "daily"].entries()) {
    await page.locator(`[data-way=${way}]`).click();
    await isAsked(at + 1);
  }
  await page.goto("about:blank");
  await page.goto(`${files.url}#seed/lubbock`);
  await isAsked(4);
  for (const question of questions) expect(question).toMatch(/not over/);
  await page.locator("[data-way=continue]").click();
  await expectHand(page, before, "the hand must be the same");
  expect(await kept(), "the stored game must be the same").toBe(ticket);
  wants = true;
  await page.goto("about:blank");
  await page.goto(`${files.url}#seed/lubbock/1`);
  await isAsked(5);
  await expect.poll(kept, "the stored game must be a new one").not.toBe(ticket);
  await playTo(page, ["game-end"]);
  await openMenu(page);
  await page.locator("dialog .primary").click();
  await page.locator("[data-way=play]").click();
  await expect(atPhase(page, "bidding")).toBeVisible();
  expect(questions.length, "replacing a finished game must not ask").toBe(5);
});

test("without a server, creating a table fails and keeps the form", async ({ visit, files }) => {
  const page = await visit();
  await page.goto(`${files.url}#new`);
  const lists = page.locator(".pair select");
  await lists.nth(0).selectOption("3");
  await lists.nth(1).selectOption("45");
  await page.locator("button.primary.big").click();
  await expectNotice(page, /No server answers/);
  await expect(page.locator("button.primary.big")).toBeVisible();
  await expect(lists.nth(0)).toHaveValue("3");
  await expect(lists.nth(1)).toHaveValue("45");
});

test("an invalid link shows a notice", async ({ visit, files }) => {
  for (const [link, sentence] of [["#join/%%%", /not an invitation/], ["#join/abc/short", /not an invitation/], ["#table/abc", /no seat at that table/], ["#seed/abc/999999", /No hands can be dealt/], ["#seed/abc/0", /0 is out of range/]]) {
    const page = await visit();
    await page.goto(files.url + link);
    await expectNotice(page, sentence, link);
    await expect(page.locator("[data-way=play]")).toBeVisible();
  }
});
