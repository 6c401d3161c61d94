// Playing with others, through the native server or the edge.
import { SIZES, audit, auditEverywhere } from "./audit.js";
import { expect, test } from "./fixtures.js";
import { atPhase, choices, clickTo, closeDialog, dominoes, expectHand, expectNotice, fillSeats, hand, invitation, openInvite, openMenu, playTo, playToOwnTurn, playable, said, sayReady, setTable, setting, sitDown, startOffline, step, whoDecides } from "./player.js";
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
  await auditEverywhere(ann, "lobby");
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
  await ann.locator("[data-do=hand-over]").click();
  await takeSeatBack(ann).click();
  await expect(takeSeatBack(ann)).toHaveCount(0);
  // Ann moves again, unless the bot has claimed the rest for her.
  const moves = playable(ann).or(atPhase(ann, "scoring")).first();
  while (!(await moves.isVisible())) await step(await whoDecides([ann, bob]));
});

test("a person leaves, returns to the seat, and gives it up for good", async ({ visit, server }) => {
  const [, bob] = await annAndBob(visit, server);
  const back = bob.locator("[data-way=back]");
  await openMenu(bob);
  await bob.locator("[data-do=home]").click();
  await expect(bob.locator(".question"), "Home must not leave the others in silence").toContainText("Your seat is kept");
  await audit(bob, "phone-home-asked");
  await bob.keyboard.press("Enter");
  await expect(bob.locator("dialog[open]"), "Cancel must lead back to the table").toHaveCount(0);
  await openMenu(bob);
  await bob.locator("[data-do=leave]").click();
  await expect(bob.locator(".question"), "one click must not leave").toContainText("The computer plays your seat");
  await expect(bob.locator(".question .primary"), "Cancel must be the first choice").toBeFocused();
  await auditEverywhere(bob, "leave-asked");
  await bob.keyboard.press("Enter");
  await expect(bob.locator("dialog[open]"), "Cancel must lead back to the table").toHaveCount(0);
  await openMenu(bob);
  await bob.locator("[data-do=leave]").click();
  await bob.locator("[data-do=leave-yes]").click();
  await back.click();
  await expect(hand(bob), "Bob must be back at the table").toHaveCount(7);
  await expect(takeSeatBack(bob), "and play himself").toHaveCount(0);
  await openMenu(bob);
  await bob.locator("[data-do=give-up]").click();
  await bob.locator("[data-do=give-up-yes]").click();
  await expect(bob.locator("[data-way]").first(), "Bob must be on the start page").toBeVisible();
  await expect(back, "there is no way back").toHaveCount(0);
});

test("the page shares an invite and offers to install itself where the browser can", async ({ visit, server }) => {
  const ann = await visit({ settings: { name: "Ann", still: true } });
  await ann.addInitScript(() => {
    navigator.share = async (data) => {
      window.shared = data;
      throw new DOMException("changed their mind", "AbortError");
    };
  });
  await ann.goto(server.url);
  const install = ann.locator(".install");
  await expect(ann.locator("[data-way=play]")).toBeVisible();
  await expect(install, "there is no offer yet").toBeHidden();
  await ann.evaluate(() => {
    const offer = new Event("beforeinstallprompt", { cancelable: true });
    offer.prompt = () => { window.prompted = offer.defaultPrevented; };
    window.dispatchEvent(offer);
  });
  await install.click();
  expect(await ann.evaluate(() => window.prompted), "the browser must ask").toBe(true);
  await expect(install, "an offer can be used once").toBeHidden();
  const link = await setTable(ann, server.url);
  await ann.locator("[data-do=share]").click();
  expect(await ann.evaluate(() => window.shared)).toEqual({ title: "Texas 42", url: link });
  expect(await ann.evaluate(() => ({ ...document.documentElement.dataset })), "the link must not stay").not.toHaveProperty("link");
});

test("the host changes the rules before the first game and for the next one", async ({ visit, server }) => {
  const ann = await visit({ settings: { name: "Ann", still: true } });
  const bob = await visit({ ...SIZES.phone, settings: { name: "Bob", still: true } });
  const rule = (name) => setting(ann.locator("dialog"), name);
  const change = ann.locator("[data-do=change-rules]");
  const use = () => ann.locator("[data-do=use-rules]").click();
  const changes = said(bob).filter({ hasText: "The rules of the table changed." });
  await bob.goto(await setTable(ann, server.url, { ready: false, target: 5 }));
  await bob.locator("button.primary.big").click();
  await expect(bob.locator("button.ready")).toBeVisible();
  await expect(bob.locator("[data-do=change-rules]"), "only the host must be offered the form").toHaveCount(0);
  await change.click();
  await expect(rule("player").filter({ visible: true }), "the seats of people must not be offered").toHaveCount(2);
  await expect(rule("target-marks").locator("option:checked"), "the form must show the rules of the table").toHaveText("5 marks");
  await audit(ann, "desk-table-rules");
  await rule("target-marks").selectOption({ index: 0 });
  await rule("bot").filter({ visible: true }).first().selectOption({ index: 2 });
  await ann.locator("dialog details.house").evaluate((rules) => { rules.open = true; });
  await rule("play-on").check();
  await use();
  await expect(changes, "Bob must hear of the change").toHaveCount(1);
  await change.click();
  await expect(rule("play-on"), "the form must show the new rules").toBeChecked();
  await expect(rule("bot").filter({ visible: true }).first().locator("option").nth(2)).toHaveJSProperty("selected", true);
  await ann.locator("dialog details.house").evaluate((rules) => { rules.open = true; });
  await rule("play-on").uncheck();
  await use();
  await expect(changes).toHaveCount(2);
  for (const page of [ann, bob]) await sayReady(page);
  await Promise.all([ann, bob].map((page) => playTo(page, ["game-end"])));
  await change.click();
  await rule("target-marks").selectOption({ index: 2 });
  await use();
  await expect(hand(ann), "the next game must begin").toHaveCount(7);
  await expect(ann.locator(".score"), "by the new rules").toContainText("0 of 3 marks");
  await openMenu(ann);
  await expect(ann.locator("dialog[open]")).toBeVisible();
  await expect(change, "no change during a game").toHaveCount(0);
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
  const takeBackButton = (page) => page.locator(".waiting .primary");
  const second = await ann.context().newPage();
  await second.goto(address);
  await expect(hand(second)).toHaveCount(7);
  await expect(takeBackButton(ann)).toBeVisible();
  await second.reload();
  await expect(hand(second)).toHaveCount(7);
  await takeBackButton(ann).click();
  await expectHand(ann, before, "the hand must be the same");
  await expect(takeBackButton(second)).toBeVisible();
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
  await auditEverywhere(other, "asked-to-take-back");
  await expect(asker.locator(".asked")).toBeVisible();
  await other.locator(".asked .primary").click();
  await expect(choices(asker)).toBeVisible();
  await expect(asker.locator(".asked"), "the question must be answered").toHaveCount(0);
});

test("a request to undo can be declined", async ({ visit, server }) => {
  const [ann, bob] = await annAndBob(visit, server);
  const asker = await whoDecides([ann, bob]);
  const other = asker === ann ? bob : ann;
  await step(asker);
  await expect(choices(other)).toBeVisible();
  await asker.locator(".take-back").click();
  await other.locator("[data-do=decline-undo]").click();
  await expect(asker.locator(".asked"), "the request must be over").toHaveCount(0);
  const name = other === ann ? "Ann" : "Bob";
  await expectNotice(asker, new RegExp(`${name} said no to the undo`));
  await expect(said(asker).filter({ hasText: `${name} said no to the undo.` })).toHaveCount(1);
  await expect(said(other).filter({ hasText: "You said no to the undo." })).toHaveCount(1);
  await expect(choices(other), "and nothing is undone").toBeVisible();
  await expect(choices(asker)).toHaveCount(0);
});

test("a dialog announces what happens meanwhile, and shows its notices", async ({ visit, server }) => {
  const [ann, bob] = await annAndBob(visit, server);
  const mover = await whoDecides([ann, bob]);
  const reader = mover === ann ? bob : ann;
  await reader.keyboard.press("s");
  const dialog = reader.locator("dialog[open]");
  await expect(dialog).toBeVisible();
  await step(mover);
  await expect(dialog.locator("[role=log] p").filter({ hasText: / (bids|passes)/ }), "the page behind the dialog is inert").not.toHaveCount(0);
  await closeDialog(reader);
  await ann.locator("[aria-label=Invite]").click();
  await expect(ann.locator("dialog input.link")).toHaveValue(/./);
  await auditEverywhere(ann, "invite");
  await ann.locator("dialog .invitation .primary").click();
  await expect(ann.locator("dialog .notice.on"), "a notice must not be behind the dialog").toHaveText("Copied");
});

test("saves an online game as a record, the same from the page and the server", async ({ visit, server }) => {
  const ann = await annAlone(visit, server, { target: 3 });
  await openMenu(ann);
  await expect(ann.locator("dialog .stack")).toBeVisible();
  await expect(ann.locator("[data-do=save-record]"), "no hand is complete yet").toHaveCount(0);
  await closeDialog(ann);
  await playTo(ann, ["scoring", "game-end"]);
  await playTo(ann, ["bidding", "game-end"]);
  if (await atPhase(ann, "bidding").count()) {
    await openMenu(ann);
    const [replay] = await read(await saveRecord(ann), ["replay"]);
    expect(replay, "the record must end with the hand").toMatch(/scoring/i);
    await closeDialog(ann);
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
  const { height } = await ann.locator(".ending .scroll").boundingBox();
  expect(height, "the open proof must not squeeze the summary").toBeGreaterThan(60);
  await ann.locator(".fair .check").click();
  await expect(ann.locator(".verdict").first(), "the deals must be fair").toContainText("dealt as promised");
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
  await expect(bob.locator(".ending"), "Bob must be told").toContainText("next game has started");
  await expect(bob.locator(".story tbody"), "and must still see the summary").toHaveText(story);
  await audit(bob, "phone-next-game");
  await bob.locator(".ending .primary").first().click();
  await expect(atPhase(bob, "bidding"), "Bob must be in the next game").toBeVisible();
  await expect(hand(bob)).toHaveCount(7);
});

test("the deal waits until everyone is ready, and everyone sees who is", async ({ visit, server }) => {
  const ann = await visit({ settings: { name: "Ann", still: true } });
  const bob = await visit({ ...SIZES.phone, settings: { name: "Bob", still: true } });
  const panel = bob.locator(".panel").first();
  await bob.goto(await setTable(ann, server.url, { ready: false }));
  await bob.locator("button.primary.big").click();
  await expect(bob.locator("button.ready")).toBeVisible();
  await audit(bob, "phone-ready");
  await sayReady(bob);
  await expect(panel, "Bob must see whom he is waiting for").toContainText("Waiting for Ann");
  await expect(ann.locator(".seat.place-2"), "Ann must see that Bob is ready").toHaveAttribute("aria-label", /ready/);
  await expect(said(ann).filter({ hasText: /^Bob is ready\.$/ }), "and it must be announced").not.toHaveCount(0);
  await expect(hand(ann), "nothing must be dealt yet").toHaveCount(0);
  await expect(atPhase(ann, "setup")).toBeVisible();
  await bob.reload();
  await expect(panel, "Bob must still be ready after a reload").toContainText("Waiting for Ann");
  await audit(bob, "phone-waiting-for-ready");
  // Twice, before the table can reply.
  await ann.locator("button.ready").evaluate((button) => [1, 2].forEach(() => button.click()));
  for (const page of [ann, bob]) await expect(hand(page)).toHaveCount(7);
  expect(await ann.evaluate(() => window.notices), "pressing twice must not be an error").toEqual([]);
});

test("the texts before the first deal agree with each other", async ({ visit, server }) => {
  const ann = await visit({ settings: { name: "Ann", still: true } });
  const bob = await visit({ ...SIZES.phone, settings: { name: "Bob", still: true } });
  const [panels, title] = [[ann, bob].map((page) => page.locator(".panel").first()), "h2"];
  const link = await setTable(ann, server.url);
  await expect(panels[0].locator(title)).toHaveText("Waiting for players");
  await expect(panels[0], "a seat is free").not.toContainText(/Every seat is taken|Everybody's here|Waiting for Bob/);
  await bob.goto(link);
  await bob.locator("button.primary.big").click();
  await expect(panels[1].locator(title)).toHaveText("Everybody's here. Ready?");
  await expect(panels[1], "Bob is asked, so he waits for nobody").not.toContainText("Waiting for");
  await expect(panels[0].locator(title), "nobody else can come").toHaveText("Waiting for Bob");
  await expect(panels[0]).not.toContainText("Waiting for players");
});

test("the dots of a player who thinks cover no call", async ({ visit, server }) => {
  const [ann, bob] = await annAndBob(visit, server);
  await Promise.all([ann, bob].map((page) => playTo(page, ["playing"])));
  // Until Bob has to play.
  for (;;) {
    const decider = await whoDecides([ann, bob]);
    if (decider === bob && (await playable(bob).count())) break;
    await step(decider);
  }
  const seat = ann.locator(".seat.turn:has(.dots)");
  for (const [size, window] of Object.entries(SIZES)) {
    await ann.setViewportSize(window);
    await expect(seat.locator(".call")).toBeVisible();
    const [dots, call] = await Promise.all([".dots", ".call"].map((part) => seat.locator(part).boundingBox()));
    const isBeside = dots.y >= call.y + call.height || dots.y + dots.height <= call.y || dots.x >= call.x + call.width || dots.x + dots.width <= call.x;
    expect(isBeside, `${size}: ${JSON.stringify({ dots, call })}`).toBe(true);
  }
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

test("a newcomer who waits is not shown a link that reveals their hand", async ({ visit, server }) => {
  const ann = await visit({ settings: { name: "Ann" } });
  const bob = await visit({ settings: { name: "" } });
  await bob.goto(await setTable(ann, server.url, { people: 3 }));
  const [name, go] = [bob.locator("input[autocomplete=nickname]"), bob.locator("button.primary.big")];
  await name.fill("B\u200bob");
  await go.click();
  await expect(bob.locator(".bad-name"), "the form must explain what is wrong with the name").toContainText("can't be seen");
  await name.fill("");
  await go.click();
  await expect(bob.locator(".panel.calm")).toBeVisible();
  await expect(ann.locator(".felt"), "Ann must see who has come").toContainText("Guest");
  await expect(said(ann).filter({ hasText: /^Guest \d+ is here\.$/ }), "and it must be announced").not.toHaveCount(0);
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
  await expect(bob.locator("main.form .hint")).toBeVisible();
  await bob.locator("main.form .quiet").first().click();
  await bob.locator("[data-way=continue]").click();
  await expect(hand(bob)).toHaveCount(7);
});

test("only free seats can be chosen, and a seat taken meanwhile can be replaced by another", async ({ visit, server }) => {
  const ann = await visit({ settings: { name: "Ann", still: true } });
  const link = await setTable(ann, server.url);
  const bob = await visit({ settings: { name: "Bob", still: true } });
  const cid = await visit({ ...SIZES.phone, settings: { still: true } });
  const go = (page) => page.locator("button.primary.big");
  const seat = (page, number) => page.locator(`.seat-picture [data-seat="${number - 1}"]`);
  const choice = (page, number) => seat(page, number).locator("input");
  for (const page of [bob, cid]) {
    await page.goto(link);
    await expect(page.locator("h1"), "the form must say who invites").toHaveText("Ann invites you to a table");
    await expect(page.locator(".played-here summary"), "and what is played").toHaveText("House rules: Casual, to 7 marks");
    await page.locator(".played-here summary").click();
    await expect(page.locator(".rules-here li").filter({ hasText: "Nello: lose every trick" })).toBeVisible();
    await expect(seat(page, 1), "Ann's seat must show her name").toHaveText(/^ ?Ann ?Seat 1$/);
    await expect(choice(page, 1), "and must be disabled").toBeDisabled();
    await expect(seat(page, 3), "the seat of Ann's partner must say so").toHaveText(/^Ann's partner Free/);
    await expect(choice(page, 3), "and must be chosen already").toBeChecked();
    await expect(seat(page, 2), "a bot's seat must say that it plays against Ann").toHaveText(/^Against Ann .*Computer: you can take this seat/);
    if (page === bob) await auditEverywhere(page, "join-seats");
  }
  await cid.locator("input[autocomplete=nickname]").fill("Cid");
  await go(bob).click();
  await sayReady(bob);
  await expect(hand(bob)).toHaveCount(7);
  await go(cid).click();
  await expect(cid.locator("main.form .hint"), "Cid must be told why").toContainText("took that seat");
  await expect(cid.locator("input[autocomplete=nickname]"), "the form must keep the name").toHaveValue("Cid");
  await expect(seat(cid, 3), "the seat must be Bob's").toHaveText(/^Ann's partner Bob/);
  await expect(choice(cid, 3)).toBeDisabled();
  await expect(cid.locator(".seat-picture input:checked"), "another seat must be chosen").toHaveCount(0);
  await audit(cid, "phone-seat-taken");
  await choice(cid, 2).check();
  await go(cid).click();
  await expect(cid.locator(".waits-for-deal"), "the hand is dealt, so Cid plays the next").toBeVisible();
  await expect(cid.locator("#hand [data-domino]")).toHaveCount(0);
  await cid.keyboard.press("?");
  await expect(cid.locator("dialog .rules-here"), "the rules can be read during the game").toContainText("Nello: lose every trick");
  await audit(cid, "phone-rules-here");
});

test("a revoked link stops working, and everyone who came with it leaves", async ({ visit, server }) => {
  const ann = await visit({ settings: { name: "Ann", still: true } });
  const eve = await visit({ settings: { name: "Eve", still: true } });
  const dialog = ann.locator("dialog");
  const button = (name) => dialog.getByRole("button", { name, exact: true });
  const before = await setTable(ann, server.url, { openHands: true });
  await ann.locator("[aria-label=Invite]").click();
  await button("Link to watch").click();
  await expect(dialog.locator("input.link")).not.toHaveValue(before);
  const link = await invitation(ann, dialog.locator("input.link"));
  await eve.goto(link);
  await eve.locator("button.primary.big").click();
  await expect(eve.locator(".table-page")).toBeVisible();
  await ann.reload();
  await ann.locator("[aria-label=Invite]").click();
  await expect(button("Revoke: Link to play").first(), "a reload must forget no link").toBeVisible();
  await button("Revoke: Link to watch").click();
  await expect(button("Revoke: Link to watch")).toHaveCount(0);
  await expect(eve.locator("[data-way]").first(), "Eve must be on the start page").toBeVisible();
  await eve.goto("about:blank");
  await eve.goto(link);
  await eve.locator("button.primary.big").click();
  await expect(eve.locator("main.form .hint"), "the link must be refused").toBeVisible();
});

test("the creator of a table coaches or watches", async ({ visit, server }) => {
  const ann = await visit({ settings: { name: "Ann", still: true } });
  const seats = ann.locator(".seat-choice select");
  await ann.goto(`${server.url}#new`);
  await expect(setting(ann, "role").locator("option")).toHaveText(["Play", "Learn, with hints", "Coach seat 1, with open hands", "Watch"]);
  await setting(ann, "role").selectOption({ index: 2 });
  await expect(setting(ann, "open-hands"), "a coach needs open hands").toBeChecked();
  await expect(ann.locator(".seat-choice").first(), "the first seat is for the student").toContainText("Person");
  await setting(ann, "role").selectOption({ index: 3 });
  await expect(seats, "who watches may give away every seat").toHaveCount(4);
  await expect(seats.first()).toHaveValue("1");
  await seats.nth(2).selectOption({ index: 1 });
  await ann.locator("button.primary.big").click();
  await expect(ann.locator(".table-page")).toBeVisible();
  await expect(atPhase(ann, "playing"), "four bots must play").toBeVisible();
  await expect(ann.locator(".status"), "and Ann must watch").toContainText("watching");
  await expect(ann.locator("#hand .tile:enabled")).toHaveCount(0);
});

// Types a code on the start page.
async function typeCode(page, url, code) {
  await page.goto(url);
  await page.locator("#link").fill(code);
  await page.locator(".join-link button").click();
}

// The code of the host's table.
async function getCode(page, within = page.locator("body")) {
  await within.locator("[data-do=get-code]").click();
  await expect(within.locator(".lobby-code")).toHaveText(/^[A-Z]{3} [A-Z]{3}$/);
  return within.locator(".lobby-code").textContent();
}

const guest = (page, name) => page.locator(`[data-guest="${name}"]`);

test("a code that is typed leads to the lobby, where the host lets the guest in", async ({ visit, server }) => {
  const ann = await visit({ settings: { name: "Ann", still: true } });
  const bob = await visit({ ...SIZES.phone, settings: { still: true } });
  await setTable(ann, server.url);
  const code = await getCode(ann);
  await auditEverywhere(ann, "code");
  await typeCode(bob, server.url, "zzz zzz");
  await expectNotice(bob, /No table has this code/);
  await expect(bob.locator("#link"), "what was typed must stay").toHaveValue("zzz zzz");
  await bob.locator("#link").fill(code.toLowerCase().replace(" ", "-"));
  await bob.locator(".join-link button").click();
  await expect(bob.locator("h1"), "Bob must see whose table it is").toHaveText("Ann's table");
  await expect(bob.locator(".found"), "and what is played").toContainText("Casual, to 7 marks");
  await auditEverywhere(bob, "lobby-ask");
  await bob.locator("input[autocomplete=nickname]").fill("Bob");
  await bob.locator("[data-do=ask-to-join]").click();
  await expect(bob.locator(".waits")).toHaveText("Waiting for Ann to let you in.");
  await expect(bob.locator("[data-do=stop-waiting]"), "the keyboard must not be lost").toBeFocused();
  await auditEverywhere(bob, "lobby-waiting");
  await expect(guest(ann, "Bob")).toBeVisible();
  await expect(said(ann).filter({ hasText: "Bob wants to join." }), "the guest must be announced").toHaveCount(1);
  await auditEverywhere(ann, "lobby-guest");
  await guest(ann, "Bob").locator("[data-do=not-now]").click();
  await expect(bob.locator("main.form .hint"), "Bob must be told").toContainText("did not let you in");
  await expect(bob.locator("input[autocomplete=nickname]"), "the form must keep the name").toHaveValue("Bob");
  await audit(bob, "phone-lobby-refused");
  await bob.locator("[data-do=ask-to-join]").click();
  await guest(ann, "Bob").locator("[data-do=let-in]").focus();
  await ann.keyboard.press("Enter");
  await expect(guest(ann, "Bob")).toHaveCount(0);
  await sayReady(bob);
  await expect(hand(bob), "Bob must be at the table").toHaveCount(7);
  await expect(ann.locator(".seat.place-2"), "as Ann's partner").toContainText("Bob");
});

test("a guest who knocks during a game takes no focus and plays from the next deal; an ended code leads nowhere", async ({ visit, server }) => {
  const ann = await annAlone(visit, server);
  await playToOwnTurn(ann);
  await openInvite(ann);
  const dialog = ann.locator("dialog[open]");
  const code = await getCode(ann, dialog);
  await audit(ann, "desk-code-dialog");
  const cid = await visit({ settings: { name: "Cid", still: true } });
  await typeCode(cid, server.url, code);
  await cid.locator("[data-do=ask-to-join]").click();
  await expect(guest(dialog, "Cid"), "the dialog must show the guest, too").toBeVisible();
  await closeDialog(ann);
  await ann.locator("#table").focus();
  await expect(ann.locator(".at-the-door"), "the guest must be under the header").toBeVisible();
  await auditEverywhere(ann, "guest-in-game");
  await expect(ann.locator("#table"), "nothing must take the focus").toBeFocused();
  // On a phone the guest covers nothing: the invite button has a dot, and the dialog the answers.
  const dot = () => ann.locator("[data-do=invite]").evaluate((button) => getComputedStyle(button, "::after").content);
  for (const size of ["low", "phone", "landscape"]) {
    await ann.setViewportSize(SIZES[size]);
    await expect(ann.locator(".at-the-door"), `${size}: no line may cover the table`).toBeHidden();
    expect(await dot(), `${size}: the button must have a dot`).toBe('""');
  }
  await expect(ann.locator("[data-do=invite]"), "and say who waits").toHaveAccessibleName("Invite. Cid wants to join.");
  await openInvite(ann);
  await expect(guest(dialog, "Cid").locator("[data-do=let-in]")).toBeVisible();
  await closeDialog(ann);
  await ann.setViewportSize(SIZES.desk);
  expect(await dot(), "the line under the header says it").toBe("none");
  await guest(ann, "Cid").locator("[data-do=let-in]").click();
  await expect(ann.locator(".at-the-door")).toHaveCount(0);
  await expect(cid.locator(".waits-for-deal"), "Cid must be at the table and wait for the deal").toBeVisible();
  await openInvite(ann);
  await dialog.locator("[data-do=end-code]").click();
  await expect(dialog.locator("[data-do=get-code]")).toBeVisible();
  const dee = await visit({ settings: { name: "Dee", still: true } });
  await typeCode(dee, server.url, code);
  await expectNotice(dee, /No table has this code/);
});

test("an invalid invite says so immediately", async ({ visit, server }) => {
  const ann = await visit({ settings: { name: "Ann", still: true } });
  const link = await setTable(ann, server.url);
  const bob = await visit({ settings: { name: "Bob", still: true } });
  await bob.goto(link.replace(/[^/]{4}([^/]*)$/, "AAAA$1"));
  await expect(bob.locator("main.form .hint"), "Bob must be told to ask for another").toContainText("no longer works");
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
  await expect(ann.locator(".turn-clock")).toBeVisible();
  server.pass(5_000);
  // Ann does nothing, so a bot plays for her from her first decision to the end.
  await expectNotice(ann, /Time's up/);
  await expect(takeSeatBack(ann)).toBeVisible();
});

test("a tap shows at once, and a second one is not another move", async ({ visit, server }) => {
  const ann = await visit({ settings: { name: "Ann", still: true } });
  let release;
  const held = new Promise((done) => { release = done; });
  await ann.routeWebSocket(/\/ws$/, (socket) => {
    const host = socket.connectToServer();
    socket.onMessage(async (frame) => {
      if (String(frame).includes('"play"')) await held;
      host.send(frame);
    });
  });
  await setTable(ann, server.url);
  await fillSeats(ann);
  await playToOwnTurn(ann);
  const before = await dominoes(ann);
  const tile = ann.locator(`#hand [data-domino="${await playable(ann).first().getAttribute("data-domino")}"]`);
  await tile.click();
  await expect(tile, "the tap must show").toHaveClass(/sent/);
  await tile.click();
  await expectHand(ann, before, "nothing may be shown as done before the table confirms it");
  release();
  await expect(tile, "the domino must be played").toHaveCount(0);
  await expect(hand(ann), "and no other").toHaveCount(before.length - 1);
  expect(await ann.evaluate(() => window.notices), "tapping twice must not be an error").toEqual([]);
});

// The network fails without closing the socket: nothing arrives any more, in either direction.
test("a silent loss of the network is noticed, shown, and repaired", async ({ visit, server }) => {
  const ann = await visit({ settings: { name: "Ann", still: true } });
  let isCut = false;
  await ann.routeWebSocket(/\/ws$/, (socket) => {
    const host = socket.connectToServer();
    socket.onMessage((frame) => isCut || host.send(frame));
    host.onMessage((frame) => isCut || socket.send(frame));
    // A dead network also reports no end of a connection.
    socket.onClose((code, reason) => isCut || host.close({ code, reason }));
  });
  await ann.clock.install();
  await setTable(ann, server.url);
  await fillSeats(ann);
  await playToOwnTurn(ann);
  const [before, lost] = [await dominoes(ann), ann.locator(".line.on")];
  isCut = true;
  await playable(ann).first().click();
  // The heartbeat, and the deadline for its answer.
  await ann.clock.runFor(2_000);
  await ann.clock.runFor(3_000);
  await expect(lost, "the loss must be shown, with the move that waits").toContainText("Your last move will be sent");
  await playable(ann).last().click();
  await expectNotice(ann, /that was not sent/);
  await expectHand(ann, before, "nothing may be shown as done before the table confirms it");
  isCut = false;
  await ann.evaluate(() => window.dispatchEvent(new Event("online")));
  await expect(lost, "the connection must be restored").toHaveCount(0);
  await expect(hand(ann), "the domino must be played once").toHaveCount(before.length - 1);
  // A network that is known to be lost needs no heartbeat.
  isCut = true;
  await ann.evaluate(() => window.dispatchEvent(new Event("offline")));
  await expect(lost, "the loss must be shown at once").toBeVisible();
});
