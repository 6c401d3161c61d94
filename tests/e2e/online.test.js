// Playing with others, through the native server or the edge.
import { SIZES, audit } from "./audit.js";
import { expect, test } from "./fixtures.js";
import { atPhase, choices, clickTo, dominoes, expectHand, expectNotice, fillSeats, hand, invitation, openMenu, playTo, playToOwnTurn, playable, said, sayReady, setTable, sitDown, startOffline, step, whoDecides } from "./player.js";
import { checkFinished, read, saveRecord } from "./record.js";

const away = (page) => page.locator(".seat.away");
const takeSeatBack = (page) => page.getByRole("button", { name: "Take my seat back" });

// Two people at a table with two bots.
async function annAndBob(visit, { url }, table) {
  const ann = await visit({ settings: { name: "Ann", still: true } });
  const bob = await visit({ ...SIZES.phone, settings: { name: "Bob", still: true } });
  await sitDown(bob, await setTable(ann, url, table), "Bob");
  await expect(hand(ann)).toHaveCount(7);
  return [ann, bob];
}

// One person at a table with three bots, which waits on each of the person's turns.
async function annAlone(visit, { url }, { hasClock = false, ...table } = {}) {
  const ann = await visit({ settings: { name: "Ann", still: true } });
  if (hasClock) await ann.clock.install();
  await setTable(ann, url, table);
  await fillSeats(ann);
  return ann;
}

test("two people and two bots play a hand; one disconnects and rejoins", async ({ visit, server }) => {
  const ann = await visit({ settings: { name: "Ann", still: true } });
  const bob = await visit({ ...SIZES.phone, settings: { name: "Bob", still: true } });
  const link = await setTable(ann, server.url, { ready: false });
  expect(link, "the key must be in the fragment").toContain(`${server.url}#join/`);
  for (const [size, window] of Object.entries(SIZES)) {
    await ann.setViewportSize(window);
    await audit(ann, `${size}-lobby`);
  }
  await ann.setViewportSize(SIZES.desk);
  await sayReady(ann);
  await sitDown(bob, link, "Bob");
  await expect(hand(ann)).toHaveCount(7);
  if ((await whoDecides([ann, bob])) === ann) await step(ann);
  await expect(choices(bob), "it must be Bob's turn to bid").toBeVisible();
  await audit(ann, "desk-waiting");
  await Promise.all([ann, bob].map((page) => playTo(page, ["playing"])));
  // Meanwhile the table may be waiting for Ann, who does nothing.
  const [before, context] = [await dominoes(bob), bob.context()];
  await bob.close();
  await expect(away(ann), "Ann must see that Bob is away").toBeVisible();
  const again = await context.newPage();
  await again.goto(server.url);
  await again.locator("[data-way=back]").click();
  await expectHand(again, before, "Bob must have the same hand");
  await expect(away(ann), "Ann must see that Bob is back").toHaveCount(0);
  await Promise.all([ann, again].map((page) => clickTo(page, ["scoring"])));
  await step(ann);
  await expect(ann.locator(".result"), "Ann must see whom she is waiting for").toContainText("Waiting for Bob");
  await audit(ann, "desk-agreed");
});

test("a bot takes over a seat and gives it back in mid-hand", async ({ visit, server }) => {
  // Without Bob, who does nothing meanwhile, the bots would play to the end of the game.
  const [ann, bob] = await annAndBob(visit, server);
  await Promise.all([ann, bob].map((page) => playTo(page, ["playing"])));
  await openMenu(ann);
  await ann.locator("dialog .stack button").nth(1).click();
  await takeSeatBack(ann).click();
  await expect(takeSeatBack(ann)).toHaveCount(0);
  // Ann moves again, unless the bot has claimed the rest for her.
  const moves = playable(ann).or(atPhase(ann, "scoring")).first();
  while (!(await moves.isVisible())) await step(await whoDecides([ann, bob]));
});

test("a reload rejoins the table", async ({ visit, server }) => {
  const ann = await annAlone(visit, server);
  const before = await dominoes(ann);
  await ann.reload();
  await expectHand(ann, before, "the hand must be the same");
});

test("Back leads from a table to the start page, which offers to rejoin", async ({ visit, server }) => {
  const ann = await visit({ settings: { name: "Ann", still: true } });
  await ann.goto(server.url);
  await expect(ann.locator("[data-way=friends]")).toBeVisible();
  await setTable(ann, server.url);
  await fillSeats(ann);
  const dealt = await dominoes(ann);
  await ann.goBack();
  await ann.locator("[data-way=back]").click();
  await expectHand(ann, dealt, "the hand must be the same");
});

test("opening a table in a second tab moves it there, and it can be moved back", async ({ visit, server }) => {
  const ann = await annAlone(visit, server);
  const [before, address] = [await dominoes(ann), ann.url()];
  const takes = (page) => page.locator(".waiting .primary");
  const second = await ann.context().newPage();
  await second.goto(address);
  await expect(hand(second)).toHaveCount(7);
  await expect(takes(ann)).toBeVisible();
  await second.reload();
  await expect(hand(second)).toHaveCount(7);
  await takes(ann).click();
  await expectHand(ann, before, "the hand must be the same");
  await expect(takes(second)).toBeVisible();
});

test("a lost connection is shown and restored without losing a move", async ({ visit, server }) => {
  const ann = await annAlone(visit, server, { hasClock: true });
  const lost = ann.locator(".line.on");
  await playToOwnTurn(ann);
  const before = await dominoes(ann);
  await server.kill();
  await expect(lost).toBeVisible();
  await audit(ann, "desk-reconnecting");
  // An action that is chosen now is queued and sent after reconnecting.
  await playable(ann).first().click();
  await expectHand(ann, before, "nothing may be shown as done before the table confirms it");
  await server.restart();
  // Skip the delay before the next attempt.
  await ann.clock.fastForward(15_000);
  await expect(lost, "the connection must be restored").toHaveCount(0);
  await expect(hand(ann), "the domino must be played once").toHaveCount(before.length - 1);
  await playTo(ann, ["scoring"]);
});

test("a move is undone when the others agree", async ({ visit, server }) => {
  const [ann, bob] = await annAndBob(visit, server);
  // The person who bids first asks, while it is the other's turn.
  const asker = await whoDecides([ann, bob]);
  const other = asker === ann ? bob : ann;
  await step(asker);
  await expect(choices(other)).toBeVisible();
  await asker.locator(".take-back").click();
  await expect(other.locator(".asked .primary")).toBeVisible();
  await audit(other, "asked-to-take-back");
  await expect(asker.locator(".asked")).toBeVisible();
  await other.locator(".asked .primary").click();
  await expect(choices(asker)).toBeVisible();
  await expect(asker.locator(".asked"), "the question must be answered").toHaveCount(0);
});

test("saves an online game as a record, the same from the page and the server", async ({ visit, server }) => {
  const ann = await annAlone(visit, server, { target: 3 });
  await openMenu(ann);
  await expect(ann.locator("dialog .stack")).toBeVisible();
  await expect(ann.locator("[data-do=save-record]"), "no hand is complete yet").toHaveCount(0);
  await ann.keyboard.press("Escape");
  await playTo(ann, ["scoring", "game-end"]);
  await playTo(ann, ["bidding", "game-end"]);
  if (await atPhase(ann, "bidding").count()) {
    await openMenu(ann);
    const [replay] = await read(await saveRecord(ann), ["replay"]);
    expect(replay, "the record must end with the hand").toMatch(/scoring/i);
    await ann.keyboard.press("Escape");
  }
  await playTo(ann, ["game-end"]);
  const saved = await saveRecord(ann);
  await checkFinished(saved);
  const { gameId, key } = await ann.evaluate(() => JSON.parse(localStorage.getItem("texas42.online")));
  const ask = (authorization) => fetch(`${server.url}api/games/${gameId}/record`, { headers: { authorization } });
  expect(await (await ask(`Bearer ${key}`)).text(), "the server must return the same record").toBe(saved);
  expect((await ask("Bearer AAAAAAAAAAAAAAAAAAAAAA")).status, "a stranger must be refused").toBe(401);
});

test("a game ends with a summary, verifiable deals and a rematch", async ({ visit, server }) => {
  const ann = await annAlone(visit, server, { target: 1 });
  await playTo(ann, ["game-end"]);
  await expect(ann.locator(".story tbody tr"), "the summary must list the hands").not.toHaveCount(0);
  const story = await ann.locator(".story tbody").textContent();
  await ann.locator(".fair summary").click();
  await ann.locator(".fair .check").click();
  await expect(ann.locator(".verdict").first(), "the deals must be fair").toContainText("dealt as it was promised");
  await audit(ann, "desk-game-end-checked");
  await ann.reload();
  await expect(ann.locator(".story tbody"), "the summary must be complete after a reload").toHaveText(story);
  await ann.locator(".ending .primary").first().click();
  await expect(atPhase(ann, "bidding"), "the next game must start").toBeVisible();
  await expect(hand(ann)).toHaveCount(7);
});

test("a rematch does not remove the summary for the other players", async ({ visit, server }) => {
  const [ann, bob] = await annAndBob(visit, server, { target: 1 });
  await Promise.all([ann, bob].map((page) => playTo(page, ["game-end"])));
  await expect(bob.locator(".story tbody tr"), "the summary must list the hands").not.toHaveCount(0);
  const story = await bob.locator(".story tbody").textContent();
  await ann.locator(".ending .primary").first().click();
  await expect(hand(ann), "Ann must be in the next game").toHaveCount(7);
  await expect(bob.locator(".ending"), "Bob must be told").toContainText("next game has begun");
  await expect(bob.locator(".story tbody"), "and must still see the summary").toHaveText(story);
  await audit(bob, "phone-next-game");
  await bob.locator(".ending .primary").first().click();
  await expect(atPhase(bob, "bidding"), "Bob must be in the next game").toBeVisible();
  await expect(hand(bob)).toHaveCount(7);
});

test("the deal waits until everyone is ready, and everyone sees who is", async ({ visit, server }) => {
  const ann = await visit({ settings: { name: "Ann", still: true } });
  const bob = await visit({ ...SIZES.phone, settings: { name: "Bob", still: true } });
  const waits = bob.locator(".panel").first();
  await bob.goto(await setTable(ann, server.url, { ready: false }));
  await bob.locator("button.primary.big").click();
  await expect(bob.locator("button.ready")).toBeVisible();
  await audit(bob, "phone-ready");
  await sayReady(bob);
  await expect(waits, "Bob must see whom he is waiting for").toContainText("Waiting for Ann");
  await expect(ann.locator(".seat.place-2"), "Ann must see that Bob is ready").toHaveAttribute("aria-label", /ready/);
  await expect(said(ann).filter({ hasText: /^Bob is ready\.$/ }), "and it must be announced").not.toHaveCount(0);
  await expect(hand(ann), "nothing must be dealt yet").toHaveCount(0);
  await expect(atPhase(ann, "setup")).toBeVisible();
  await bob.reload();
  await expect(waits, "Bob must still be ready after a reload").toContainText("Waiting for Ann");
  await audit(bob, "phone-waiting-for-ready");
  // Twice, before the table can reply.
  await ann.locator("button.ready").evaluate((button) => [1, 2].forEach(() => button.click()));
  for (const page of [ann, bob]) await expect(hand(page)).toHaveCount(7);
  expect(await ann.evaluate(() => window.notices), "pressing twice must not be an error").toEqual([]);
});

test("opening the invite again rejoins without a second seat; a bot can replace a player who is away", async ({ visit, server }) => {
  const ann = await visit({ settings: { name: "Ann", still: true } });
  const bob = await visit({ settings: { name: "Bob", still: true } });
  const link = await setTable(ann, server.url);
  await sitDown(bob, link, "Bob");
  const dealt = await dominoes(bob);
  await bob.goto("about:blank");
  await expect(away(ann), "Ann must see that Bob is away").toBeVisible();
  await bob.goto(link);
  await expectHand(bob, dealt, "Bob must have the same hand");
  await expect(away(ann)).toHaveCount(0);
  await bob.goto("about:blank");
  await expect(away(ann), "Bob must be away again").toBeVisible();
  await openMenu(ann);
  await ann.locator("[data-do=replace]").click();
  await expect(away(ann), "a bot must play for him").toHaveCount(0);
});

test("a waiting guest is not shown a link that reveals their hand", async ({ visit, server }) => {
  const ann = await visit({ settings: { name: "Ann" } });
  const bob = await visit({ settings: { name: "" } });
  await bob.goto(await setTable(ann, server.url, { people: 3 }));
  const [name, go] = [bob.locator("input[autocomplete=nickname]"), bob.locator("button.primary.big")];
  await name.fill("B\u200bob");
  await go.click();
  await expect(bob.locator(".bad-name"), "the form must explain what is wrong with the name").toContainText("cannot be seen");
  await name.fill("");
  await go.click();
  await expect(bob.locator(".panel.calm")).toBeVisible();
  await expect(ann.locator(".felt"), "Ann must see a guest").toContainText("Guest");
  await expect(said(ann).filter({ hasText: /^Guest is here\.$/ }), "and it must be announced").not.toHaveCount(0);
  await expect(bob.locator(".invitation"), "no link must be shown").toHaveCount(0);
  await bob.locator("[aria-label=Invite]").click();
  await bob.locator("dialog .quiet").first().click();
  await invitation(bob, bob.locator("dialog input.link"));
});

test("a refused invite does not affect the game in the browser", async ({ visit, server }) => {
  const ann = await visit({ settings: { name: "Ann" } });
  const link = await setTable(ann, server.url);
  const bob = await visit({ settings: { name: "Bob" } });
  await startOffline(bob, server.url);
  await bob.goto("about:blank");
  await bob.goto(link.replace(/[^/]+$/, "A".repeat(22)));
  await bob.locator("button.primary.big").click();
  await expect(bob.locator("main.form [role=alert]").first()).toBeVisible();
  await bob.locator("main.form .quiet").first().click();
  await bob.locator("[data-way=continue]").click();
  await expect(hand(bob)).toHaveCount(7);
});

test("only free seats can be chosen, and a seat taken meanwhile can be replaced by another", async ({ visit, server }) => {
  const ann = await visit({ settings: { name: "Ann", still: true } });
  const link = await setTable(ann, server.url);
  const bob = await visit({ settings: { name: "Bob", still: true } });
  const cid = await visit({ ...SIZES.phone, settings: { still: true } });
  const [list, go] = [(page) => page.locator("main.form select"), (page) => page.locator("button.primary.big")];
  const seat = (page, number) => list(page).locator("option").nth(number);
  for (const page of [bob, cid]) {
    await page.goto(link);
    await expect(seat(page, 1), "Ann's seat must show her name").toHaveText("Seat 1 · Ann");
    await expect(seat(page, 1), "and must be disabled").toBeDisabled();
    await expect(seat(page, 3), "an empty seat must show only its number").toHaveText("Seat 3");
    await expect(seat(page, 2), "a bot's seat must say so").toContainText("program");
    await list(page).selectOption("2");
  }
  await cid.locator("input[autocomplete=nickname]").fill("Cid");
  await go(bob).click();
  await sayReady(bob);
  await expect(hand(bob)).toHaveCount(7);
  await go(cid).click();
  await expect(cid.locator("main.form [role=alert]").first(), "Cid must be told why").toContainText("sat down there");
  await expect(cid.locator("input[autocomplete=nickname]"), "the form must keep the name").toHaveValue("Cid");
  await expect(seat(cid, 3), "the seat must be Bob's").toHaveText("Seat 3 · Bob");
  await expect(seat(cid, 3)).toBeDisabled();
  await expect(list(cid), "another seat must be chosen").toHaveValue("");
  await audit(cid, "phone-seat-taken");
  await list(cid).selectOption("1");
  await go(cid).click();
  await expect(hand(cid).first()).toBeVisible();
});

test("an invalid invite says so immediately", async ({ visit, server }) => {
  const ann = await visit({ settings: { name: "Ann", still: true } });
  const link = await setTable(ann, server.url);
  const bob = await visit({ settings: { name: "Bob", still: true } });
  await bob.goto(link.replace(/[^/]{4}([^/]*)$/, "AAAA$1"));
  await expect(bob.locator("main.form [role=alert]").first(), "Bob must be told to ask for another").toContainText("cannot be used any more");
});

test("a clock shows the time left", async ({ visit, server }) => {
  // Longer than this test takes on any machine.
  const [ann, bob] = await annAndBob(visit, server, { seconds: 600 });
  for (const page of [ann, bob]) await expect(page.locator(".turn-clock"), "the seconds must be shown").toHaveText(/^([1-5]?\d?\d|600) s$/);
  await audit(bob, "phone-clock");
});

test("announces that time ran out and a bot takes over", async ({ visit, server }) => {
  const ann = await visit({ settings: { name: "Ann", still: true } });
  const pong = ann.waitForEvent("websocket").then((socket) => socket.waitForEvent("framereceived", ({ payload }) => payload.includes("PONG")));
  await setTable(ann, server.url, { seconds: 5, target: 1 });
  // The page's estimate of the table's clock is as accurate as the reply was fast. With the system clock set ahead of it, time is
  // up on every machine when the table says so.
  await pong;
  await ann.clock.setSystemTime(Date.now() + 10_000);
  await ann.locator("[data-do=fill-seats]").click();
  // Ann does nothing, so a bot plays for her from her first decision to the end.
  await expectNotice(ann, /Your time ran out/);
  await expect(takeSeatBack(ann)).toBeVisible();
});
