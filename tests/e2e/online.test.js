// Playing with others, through the native server with the page inside, or through the edge.
import { SIZES, audit } from "./audit.js";
import { expect, test } from "./fixtures.js";
import { atPhase, choices, clickTo, dominoes, expectHand, expectNotice, fillSeats, hand, invitation, openMenu, playTo, playToOwnTurn, playable, said, sayReady, setTable, sitDown, startOffline, step, whoDecides } from "./player.js";
import { checkFinished, read, saveRecord } from "./record.js";

const away = (page) => page.locator(".seat.away");
const takeSeatBack = (page) => page.getByRole("button", { name: "Take my seat back" });

// Two people at a table with two computer players.
async function annAndBob(visit, { url }, table) {
  const ann = await visit({ settings: { name: "Ann", still: true } });
  const bob = await visit({ ...SIZES.phone, settings: { name: "Bob", still: true } });
  await sitDown(bob, await setTable(ann, url, table), "Bob");
  await expect(hand(ann)).toHaveCount(7);
  return [ann, bob];
}

// One person at a table with three computer players: it waits whenever it is the person's turn.
async function annAlone(visit, { url }, { hasClock = false, ...table } = {}) {
  const ann = await visit({ settings: { name: "Ann", still: true } });
  if (hasClock) await ann.clock.install();
  await setTable(ann, url, table);
  await fillSeats(ann);
  return ann;
}

test("two people and two programs play a hand; one is cut off and comes back", async ({ visit, server }) => {
  const ann = await visit({ settings: { name: "Ann", still: true } });
  const bob = await visit({ ...SIZES.phone, settings: { name: "Bob", still: true } });
  const link = await setTable(ann, server.url, { ready: false });
  expect(link, "the key is behind #").toContain(`${server.url}#join/`);
  for (const [size, window] of Object.entries(SIZES)) {
    await ann.setViewportSize(window);
    await audit(ann, `${size}-lobby`);
  }
  await ann.setViewportSize(SIZES.desk);
  await sayReady(ann);
  await sitDown(bob, link, "Bob");
  await expect(hand(ann)).toHaveCount(7);
  if ((await whoDecides([ann, bob])) === ann) await step(ann);
  await expect(choices(bob), "Bob is to bid").toBeVisible();
  await audit(ann, "desk-waiting");
  await Promise.all([ann, bob].map((page) => playTo(page, ["playing"])));
  // The table may wait for Ann meanwhile, who does nothing.
  const [before, context] = [await dominoes(bob), bob.context()];
  await bob.close();
  await expect(away(ann), "Ann sees that Bob is away").toBeVisible();
  const again = await context.newPage();
  await again.goto(server.url);
  await again.locator("[data-way=back]").click();
  await expectHand(again, before, "Bob has his hand back");
  await expect(away(ann), "Ann sees that Bob is there").toHaveCount(0);
  await Promise.all([ann, again].map((page) => clickTo(page, ["scoring"])));
  await step(ann);
  await expect(ann.locator(".result"), "Ann sees whom she waits for").toContainText("Waiting for Bob");
  await audit(ann, "desk-agreed");
});

test("a program takes a seat over and gives it back in the middle of a hand", async ({ visit, server }) => {
  // Without Bob, who does nothing meanwhile, the programs would play on to the end.
  const [ann, bob] = await annAndBob(visit, server);
  await Promise.all([ann, bob].map((page) => playTo(page, ["playing"])));
  await openMenu(ann);
  await ann.locator("dialog .stack button").nth(1).click();
  await takeSeatBack(ann).click();
  await expect(takeSeatBack(ann)).toHaveCount(0);
  // Ann moves again, unless the program has claimed the rest for her.
  const moves = playable(ann).or(atPhase(ann, "scoring")).first();
  while (!(await moves.isVisible())) await step(await whoDecides([ann, bob]));
});

test("a reload leads back to the table", async ({ visit, server }) => {
  const ann = await annAlone(visit, server);
  const before = await dominoes(ann);
  await ann.reload();
  await expectHand(ann, before, "the hand is the same");
});

test("Back leads from a table to the first page, which leads back to it", async ({ visit, server }) => {
  const ann = await visit({ settings: { name: "Ann", still: true } });
  await ann.goto(server.url);
  await expect(ann.locator("[data-way=friends]")).toBeVisible();
  await setTable(ann, server.url);
  await fillSeats(ann);
  const dealt = await dominoes(ann);
  await ann.goBack();
  await ann.locator("[data-way=back]").click();
  await expectHand(ann, dealt, "the same hand");
});

test("a table that is opened in a second tab goes on there, and comes back", async ({ visit, server }) => {
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
  await expectHand(ann, before, "the hand is the same");
  await expect(takes(second)).toBeVisible();
});

test("a lost line is shown and mended, and nothing that was said is lost", async ({ visit, server }) => {
  const ann = await annAlone(visit, server, { hasClock: true });
  const lost = ann.locator(".line.on");
  await playToOwnTurn(ann);
  const before = await dominoes(ann);
  await server.kill();
  await expect(lost).toBeVisible();
  await audit(ann, "desk-reconnecting");
  // What is asked for now is kept, and done when the table is there again.
  await playable(ann).first().click();
  await expectHand(ann, before, "nothing is shown as done before the table says so");
  await server.restart();
  // The wait before the next try is over.
  await ann.clock.fastForward(15_000);
  await expect(lost, "the line is mended").toHaveCount(0);
  await expect(hand(ann), "the domino is played once").toHaveCount(before.length - 1);
  await playTo(ann, ["scoring"]);
});

test("a move is taken back when the others agree", async ({ visit, server }) => {
  const [ann, bob] = await annAndBob(visit, server);
  // Whoever bids first asks, while the other is to bid.
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
  await expect(asker.locator(".asked"), "the question is answered").toHaveCount(0);
});

test("a game at a table is saved as a record that the tools read, by the page and from the server", async ({ visit, server }) => {
  const ann = await annAlone(visit, server, { target: 3 });
  await openMenu(ann);
  await expect(ann.locator("dialog .stack")).toBeVisible();
  await expect(ann.locator("[data-do=save-record]"), "no hand is over yet").toHaveCount(0);
  await ann.keyboard.press("Escape");
  await playTo(ann, ["scoring", "game-end"]);
  await playTo(ann, ["bidding", "game-end"]);
  if (await atPhase(ann, "bidding").count()) {
    await openMenu(ann);
    const [replay] = await read(await saveRecord(ann), ["replay"]);
    expect(replay, "the record ends where the hand did").toMatch(/scoring/i);
    await ann.keyboard.press("Escape");
  }
  await playTo(ann, ["game-end"]);
  const saved = await saveRecord(ann);
  await checkFinished(saved);
  const { gameId, key } = await ann.evaluate(() => JSON.parse(localStorage.getItem("texas42.online")));
  const ask = (authorization) => fetch(`${server.url}api/games/${gameId}/record`, { headers: { authorization } });
  expect(await (await ask(`Bearer ${key}`)).text(), "the server gives the same").toBe(saved);
  expect((await ask("Bearer AAAAAAAAAAAAAAAAAAAAAA")).status, "a stranger is not told").toBe(401);
});

test("a game ends with its story and with deals that can be checked, and is played again", async ({ visit, server }) => {
  const ann = await annAlone(visit, server, { target: 1 });
  await playTo(ann, ["game-end"]);
  await expect(ann.locator(".story tbody tr"), "the story tells the hands").not.toHaveCount(0);
  const story = await ann.locator(".story tbody").textContent();
  await ann.locator(".fair summary").click();
  await ann.locator(".fair .check").click();
  await expect(ann.locator(".verdict").first(), "the deals are fair").toContainText("dealt as it was promised");
  await audit(ann, "desk-game-end-checked");
  await ann.reload();
  await expect(ann.locator(".story tbody"), "the story is whole after a reload").toHaveText(story);
  await ann.locator(".ending .primary").first().click();
  await expect(atPhase(ann, "bidding"), "another game").toBeVisible();
  await expect(hand(ann)).toHaveCount(7);
});

test("whoever wants another game does not take the story away from the others", async ({ visit, server }) => {
  const [ann, bob] = await annAndBob(visit, server, { target: 1 });
  await Promise.all([ann, bob].map((page) => playTo(page, ["game-end"])));
  await expect(bob.locator(".story tbody tr"), "the story tells the hands").not.toHaveCount(0);
  const story = await bob.locator(".story tbody").textContent();
  await ann.locator(".ending .primary").first().click();
  await expect(hand(ann), "Ann has another game").toHaveCount(7);
  await expect(bob.locator(".ending"), "Bob is told").toContainText("next game has begun");
  await expect(bob.locator(".story tbody"), "and can still read the story").toHaveText(story);
  await audit(bob, "phone-next-game");
  await bob.locator(".ending .primary").first().click();
  await expect(atPhase(bob, "bidding"), "Bob is in the next game").toBeVisible();
  await expect(hand(bob)).toHaveCount(7);
});

test("nothing is dealt before everybody is ready, and everybody sees who is", async ({ visit, server }) => {
  const ann = await visit({ settings: { name: "Ann", still: true } });
  const bob = await visit({ ...SIZES.phone, settings: { name: "Bob", still: true } });
  const waits = bob.locator(".panel").first();
  await bob.goto(await setTable(ann, server.url, { ready: false }));
  await bob.locator("button.primary.big").click();
  await expect(bob.locator("button.ready")).toBeVisible();
  await audit(bob, "phone-ready");
  await sayReady(bob);
  await expect(waits, "Bob sees whom he waits for").toContainText("Waiting for Ann");
  await expect(ann.locator(".seat.place-2"), "Ann sees that Bob is ready").toHaveAttribute("aria-label", /ready/);
  await expect(said(ann).filter({ hasText: /^Bob is ready\.$/ }), "and hears of it").not.toHaveCount(0);
  await expect(hand(ann), "nothing is dealt yet").toHaveCount(0);
  await expect(atPhase(ann, "setup")).toBeVisible();
  await bob.reload();
  await expect(waits, "Bob's word counts after a reload").toContainText("Waiting for Ann");
  await audit(bob, "phone-waiting-for-ready");
  // Twice, before the table can answer.
  await ann.locator("button.ready").evaluate((button) => [1, 2].forEach(() => button.click()));
  for (const page of [ann, bob]) await expect(hand(page)).toHaveCount(7);
  expect(await ann.evaluate(() => window.notices), "to say it twice is no mistake").toEqual([]);
});

test("whoever opens the invitation again comes back and takes no second seat; for somebody away a program plays", async ({ visit, server }) => {
  const ann = await visit({ settings: { name: "Ann", still: true } });
  const bob = await visit({ settings: { name: "Bob", still: true } });
  const link = await setTable(ann, server.url);
  await sitDown(bob, link, "Bob");
  const dealt = await dominoes(bob);
  await bob.goto("about:blank");
  await expect(away(ann), "Ann sees that Bob is away").toBeVisible();
  await bob.goto(link);
  await expectHand(bob, dealt, "Bob has his hand again");
  await expect(away(ann)).toHaveCount(0);
  await bob.goto("about:blank");
  await expect(away(ann), "Bob is away again").toBeVisible();
  await openMenu(ann);
  await ann.locator("[data-do=replace]").click();
  await expect(away(ann), "a program plays for him").toHaveCount(0);
});

test("a guest who waits for others is not given a link that shows the own hand", async ({ visit, server }) => {
  const ann = await visit({ settings: { name: "Ann" } });
  const bob = await visit({ settings: { name: "" } });
  await bob.goto(await setTable(ann, server.url, { people: 3 }));
  const [name, go] = [bob.locator("input[autocomplete=nickname]"), bob.locator("button.primary.big")];
  await name.fill("B\u200bob");
  await go.click();
  await expect(bob.locator(".bad-name"), "the form says what is wrong with the name").toContainText("cannot be seen");
  await name.fill("");
  await go.click();
  await expect(bob.locator(".panel.calm")).toBeVisible();
  await expect(ann.locator(".felt"), "Ann sees a guest").toContainText("Guest");
  await expect(said(ann).filter({ hasText: /^Guest is here\.$/ }), "and hears of it").not.toHaveCount(0);
  await expect(bob.locator(".invitation"), "no link is shown").toHaveCount(0);
  await bob.locator("[aria-label=Invite]").click();
  await bob.locator("dialog .quiet").first().click();
  await invitation(bob, bob.locator("dialog input.link"));
});

test("an invitation that is refused costs nobody the game in the browser", async ({ visit, server }) => {
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

test("only free seats can be chosen, and a seat that is taken meanwhile costs nobody the way in", async ({ visit, server }) => {
  const ann = await visit({ settings: { name: "Ann", still: true } });
  const link = await setTable(ann, server.url);
  const bob = await visit({ settings: { name: "Bob", still: true } });
  const cid = await visit({ ...SIZES.phone, settings: { still: true } });
  const [list, go] = [(page) => page.locator("main.form select"), (page) => page.locator("button.primary.big")];
  const seat = (page, number) => list(page).locator("option").nth(number);
  for (const page of [bob, cid]) {
    await page.goto(link);
    await expect(seat(page, 1), "Ann's seat is named").toHaveText("Seat 1 · Ann");
    await expect(seat(page, 1), "and cannot be chosen").toBeDisabled();
    await expect(seat(page, 3), "the seat of nobody").toHaveText("Seat 3");
    await expect(seat(page, 2), "the seat of a program").toContainText("program");
    await list(page).selectOption("2");
  }
  await cid.locator("input[autocomplete=nickname]").fill("Cid");
  await go(bob).click();
  await sayReady(bob);
  await expect(hand(bob)).toHaveCount(7);
  await go(cid).click();
  await expect(cid.locator("main.form [role=alert]").first(), "Cid is told why").toContainText("sat down there");
  await expect(cid.locator("input[autocomplete=nickname]"), "and need not write the name again").toHaveValue("Cid");
  await expect(seat(cid, 3), "the seat is Bob's").toHaveText("Seat 3 · Bob");
  await expect(seat(cid, 3)).toBeDisabled();
  await expect(list(cid), "another seat has to be chosen").toHaveValue("");
  await audit(cid, "phone-seat-taken");
  await list(cid).selectOption("1");
  await go(cid).click();
  await expect(hand(cid).first()).toBeVisible();
});

test("an invitation that nobody can use any more says so at once", async ({ visit, server }) => {
  const ann = await visit({ settings: { name: "Ann", still: true } });
  const link = await setTable(ann, server.url);
  const bob = await visit({ settings: { name: "Bob", still: true } });
  await bob.goto(link.replace(/[^/]{4}([^/]*)$/, "AAAA$1"));
  await expect(bob.locator("main.form [role=alert]").first(), "Bob asks for another").toContainText("cannot be used any more");
});

test("a clock shows how long there is", async ({ visit, server }) => {
  // Longer than this test takes on any machine.
  const [ann, bob] = await annAndBob(visit, server, { seconds: 600 });
  for (const page of [ann, bob]) await expect(page.locator(".turn-clock"), "the seconds are shown").toHaveText(/^([1-5]?\d?\d|600) s$/);
  await audit(bob, "phone-clock");
});

test("it is said when time ran out and a program takes over", async ({ visit, server }) => {
  const ann = await visit({ settings: { name: "Ann", still: true } });
  const pong = ann.waitForEvent("websocket").then((socket) => socket.waitForEvent("framereceived", ({ payload }) => payload.includes("PONG")));
  await setTable(ann, server.url, { seconds: 5, target: 1 });
  // The page knows the time of the table as exactly as the answer was quick. On a clock that is ahead of that, time is over when the
  // table says so, on every machine.
  await pong;
  await ann.clock.setSystemTime(Date.now() + 10_000);
  await ann.locator("[data-do=fill-seats]").click();
  // Ann does nothing. From her first decision on, a program plays for her to the end.
  await expectNotice(ann, /Your time ran out/);
  await expect(takeSeatBack(ann)).toBeVisible();
});
