// Playing with others, through the native server with the page inside.
import { SIZES, audit } from "./audit.js";
import { check, test, until } from "./harness.js";
import { fillSeats, hand, phase, playTo, playToOwnTurn, said, sayReady, setTable, sitDown, startOffline, step } from "./player.js";
import { checkFinished, readText, saveAndRead } from "./record.js";
import { withServer } from "./server.js";

test("two people and two programs play a hand; one is cut off and comes back", withServer(async ({ visit, url, shots }) => {
  // Neither goes on by itself after a hand, so that the one who has agreed is seen waiting.
  const ann = await visit({ settings: { name: "Ann", still: true } });
  const bob = await visit({ ...SIZES.phone, settings: { name: "Bob", still: true, pace: "tap" } });
  const link = await setTable(ann, url, { ready: false });
  check(link.startsWith(url) && link.includes("#join/"), `the key is behind #: ${link}`);
  for (const [size, window] of Object.entries(SIZES)) {
    await ann.setViewportSize(window);
    await audit(ann, `${size}-lobby`, shots);
  }
  await ann.setViewportSize(SIZES.desk);
  await sayReady(ann);
  await sitDown(bob, link, "Bob");
  await ann.waitForSelector("#hand .tile");
  const playBoth = async (phases) => until(`both reach ${phases}`, async () => {
    if (phases.includes(await phase(ann)) && phases.includes(await phase(bob))) return true;
    await step(ann);
    await step(bob);
    return false;
  }, 120);
  await until("Bob is to bid", async () => (await bob.$(".choices")) || void (await step(ann)));
  await audit(ann, "desk-waiting", shots);
  await playBoth(["playing"]);
  const [before, context] = [await hand(bob), bob.context()];
  await bob.close();
  await until("Ann sees that Bob is away", () => ann.$(".seat.away"));
  const again = await context.newPage();
  await again.goto(`${url}`);
  await again.click("[data-way=back]");
  await again.waitForSelector("#hand .tile");
  await until("Bob has his hand back", async () => (await hand(again)).every((domino) => before.includes(domino)));
  await until("Ann sees that Bob is there", async () => !(await ann.$(".seat.away")));
  await until("the hand is scored", async () => {
    // Both only play: whoever looked again might find the result there, and agree.
    for (const page of [ann, again]) await step(page, "first", "playing");
    return (await phase(ann)) === "scoring";
  }, 120);
  await ann.click(".result .primary");
  await ann.waitForSelector(".result .primary", { state: "detached" });
  await until("Ann sees whom she waits for", async () => /Waiting for Bob/.test(await ann.textContent(".result")));
  await audit(ann, "desk-agreed", shots);
}));

test("a program takes a seat over and gives it back in the middle of a hand", withServer(async ({ visit, url }) => {
  const ann = await visit({ settings: { name: "Ann" } });
  await setTable(ann, url);
  await fillSeats(ann);
  await playTo(ann, ["playing"]);
  await ann.click(".bar > .icon");
  await ann.click("dialog .stack button >> nth=1");
  await ann.waitForSelector("text=Take my seat back");
  await ann.click("text=Take my seat back");
  await until("Ann moves again", async () => (await ann.$("#hand .playable")) || (await phase(ann)) !== "playing");
}));

test("a reload leads back to the table", withServer(async ({ visit, url }) => {
  const ann = await visit({ settings: { name: "Ann" } });
  await setTable(ann, url);
  await fillSeats(ann);
  const before = await hand(ann);
  await ann.reload();
  await ann.waitForSelector("#hand .tile");
  await until("the hand is the same", async () => (await hand(ann)).every((domino) => before.includes(domino)));
}));

test("Back leads from a table to the first page, which leads back to it", withServer(async ({ visit, url }) => {
  const ann = await visit({ settings: { name: "Ann", still: true } });
  await ann.goto(url);
  await ann.waitForSelector("[data-way=friends]");
  await setTable(ann, url);
  await fillSeats(ann);
  const dealt = await hand(ann);
  await ann.goBack();
  await ann.click("[data-way=back]");
  await until("the same hand", async () => (await hand(ann)).join() === dealt.join());
}));

test("a table that is opened in a second tab goes on there, and comes back", withServer(async ({ visit, url }) => {
  const ann = await visit({ settings: { name: "Ann" } });
  await setTable(ann, url);
  await fillSeats(ann);
  const [before, address] = [await hand(ann), ann.url()];
  const second = await ann.context().newPage();
  await second.goto(address);
  await second.waitForSelector("#hand .tile");
  await ann.waitForSelector(".waiting .primary");
  await second.reload();
  await second.waitForSelector("#hand .tile");
  await ann.click(".waiting .primary");
  await ann.waitForSelector("#hand .tile");
  await second.waitForSelector(".waiting .primary");
  await until("the hand is the same", async () => (await hand(ann)).every((domino) => before.includes(domino)));
}));

test("a lost line is shown and mended, and nothing that was said is lost", withServer(async ({ visit, url, server, shots }) => {
  const ann = await visit({ settings: { name: "Ann", still: true } });
  await setTable(ann, url);
  await fillSeats(ann);
  await playToOwnTurn(ann);
  const before = await hand(ann);
  await server.kill();
  await ann.waitForSelector(".line.on");
  await audit(ann, "desk-reconnecting", shots);
  // What is asked for now is kept, and done when the table is there again.
  await ann.click("#hand .playable >> nth=0");
  check((await hand(ann)).join() === before.join(), "nothing is shown as done before the table says so");
  await server.restart();
  await until("the line is mended", async () => !(await ann.$(".line.on")), 120);
  await until("the domino is played once", async () => (await hand(ann)).length === before.length - 1);
  await playTo(ann, ["scoring"]);
}));

test("a move is taken back when the others agree", withServer(async ({ visit, url, shots }) => {
  const ann = await visit({ settings: { name: "Ann", still: true, pace: "tap" } });
  const bob = await visit({ ...SIZES.phone, settings: { name: "Bob", still: true, pace: "tap" } });
  await sitDown(bob, await setTable(ann, url), "Bob");
  await ann.waitForSelector("#hand .tile");
  // Whoever of the two has moved while the other is to move asks.
  const waiting = async (page) => (await page.$(".take-back")) && (await phase(page)) === "bidding";
  const [asker, other] = await until("one has bid and the other is to", async () => {
    if ((await waiting(ann)) && (await bob.$(".choices"))) return [ann, bob];
    if ((await waiting(bob)) && (await ann.$(".choices"))) return [bob, ann];
    if ((await phase(ann)) !== "bidding") check(false, "the auction went by");
    const mover = (await ann.$(".choices")) ? ann : (await bob.$(".choices")) ? bob : null;
    if (mover && !(await waiting(mover === ann ? bob : ann))) await step(mover);
    return false;
  });
  await asker.click(".take-back");
  await other.waitForSelector(".asked .primary");
  await audit(other, "asked-to-take-back", shots);
  await asker.waitForSelector(".asked");
  await other.click(".asked .primary");
  await asker.waitForSelector(".choices");
  await until("the question is answered", async () => !(await asker.$(".asked")));
}));

test("a game at a table is saved as a record that the tools read, by the page and from the server", withServer(async ({ visit, url, root }) => {
  const ann = await visit({ settings: { name: "Ann", still: true, pace: "fast" } });
  await setTable(ann, url, { target: 3 });
  await fillSeats(ann);
  await ann.click(".bar > .icon");
  await ann.waitForSelector("dialog .stack");
  check(!(await ann.$("[data-do=save-record]")), "no hand is over yet");
  await ann.keyboard.press("Escape");
  await playTo(ann, ["scoring", "game-end"]);
  await playTo(ann, ["bidding", "game-end"]);
  if ((await phase(ann)) === "bidding") {
    await ann.click(".bar > .icon");
    const [replay] = await saveAndRead(ann, root, ["replay"]);
    check(/scoring/i.test(replay), `the record ends where the hand did: ${replay}`);
  }
  await playTo(ann, ["game-end"]);
  await checkFinished((...commands) => saveAndRead(ann, root, ...commands));
  const { gameId, key } = await ann.evaluate(() => JSON.parse(localStorage.getItem("texas42.online")));
  const ask = (authorization) => fetch(`${url}api/games/${gameId}/record`, { headers: { authorization } });
  const text = await (await ask(`Bearer ${key}`)).text();
  await checkFinished((...commands) => readText(root, text, ...commands));
  check((await ask("Bearer AAAAAAAAAAAAAAAAAAAAAA")).status === 401, "a stranger is not told");
}));

test("a game ends with its story and with deals that can be checked, and is played again", withServer(async ({ visit, url, shots }) => {
  const ann = await visit({ settings: { name: "Ann", still: true } });
  await setTable(ann, url, { target: 1 });
  await fillSeats(ann);
  await playTo(ann, ["game-end"]);
  await until("the story tells the hands", async () => (await ann.$$(".story tbody tr")).length >= 1);
  const story = await ann.textContent(".story tbody");
  await ann.click(".fair summary");
  await ann.click(".fair .check");
  const verdict = await until("a verdict", () => ann.textContent(".verdict"));
  check(/dealt as it was promised/.test(verdict), `the deals are fair: ${verdict}`);
  await audit(ann, "desk-game-end-checked", shots);
  await ann.reload();
  await ann.waitForSelector(".story tbody tr");
  await until("the story is whole after a reload", async () => (await ann.textContent(".story tbody")) === story);
  await ann.click(".ending .primary");
  await until("another game", async () => (await phase(ann)) === "bidding" && (await hand(ann)).length === 7);
}));

test("whoever wants another game does not take the story away from the others", withServer(async ({ visit, url, shots }) => {
  const ann = await visit({ settings: { name: "Ann", still: true, pace: "fast" } });
  const bob = await visit({ ...SIZES.phone, settings: { name: "Bob", still: true, pace: "fast" } });
  await sitDown(bob, await setTable(ann, url, { target: 1 }), "Bob");
  await Promise.all([playTo(ann, ["game-end"]), playTo(bob, ["game-end"])]);
  await until("the story tells the hands", async () => (await bob.$$(".story tbody tr")).length >= 1);
  const story = await bob.textContent(".story tbody");
  await ann.click(".ending .primary");
  await until("Ann has another game", async () => (await hand(ann)).length === 7);
  await until("Bob is told", async () => /next game has begun/.test(await bob.textContent(".ending")));
  check((await bob.textContent(".story tbody")) === story, "and can still read the story");
  await audit(bob, "phone-next-game", shots);
  await bob.click(".ending .primary");
  await until("Bob is in the next game", async () => (await phase(bob)) === "bidding" && (await hand(bob)).length === 7);
}));

test("nothing is dealt before everybody is ready, and everybody sees who is", withServer(async ({ visit, url, shots }) => {
  const ann = await visit({ settings: { name: "Ann", still: true } });
  const bob = await visit({ ...SIZES.phone, settings: { name: "Bob", still: true } });
  const link = await setTable(ann, url, { ready: false });
  await bob.goto(link);
  await bob.click("button.primary.big");
  await bob.waitForSelector("button.ready");
  await audit(bob, "phone-ready", shots);
  await sayReady(bob);
  await until("Bob sees whom he waits for", async () => /Waiting for Ann/.test(await bob.textContent(".panel")));
  await until("Ann sees that Bob is ready", async () => /ready/.test(await ann.getAttribute(".seat.place-2", "aria-label")));
  await until("and hears of it", async () => (await said(ann)).includes("Bob is ready."));
  check((await hand(ann)).length === 0 && (await phase(ann)) === "setup", "nothing is dealt yet");
  await bob.reload();
  await until("Bob's word counts after a reload", async () => /Waiting for Ann/.test(await bob.textContent(".panel").catch(() => "")));
  await audit(bob, "phone-waiting-for-ready", shots);
  await ann.dblclick("button.ready", { force: true });
  for (const page of [ann, bob]) await until("seven dominoes", async () => (await hand(page)).length === 7);
  check(!(await ann.$(".notice.on")), "to say it twice is no mistake");
}));

test("whoever opens the invitation again comes back and takes no second seat; for somebody away a program plays", withServer(async ({ visit, url }) => {
  const ann = await visit({ settings: { name: "Ann", still: true } });
  const bob = await visit({ settings: { name: "Bob", still: true } });
  const link = await setTable(ann, url);
  await sitDown(bob, link, "Bob");
  const dealt = await hand(bob);
  await bob.goto("about:blank");
  await until("Ann sees that Bob is away", () => ann.$(".seat.away"));
  await bob.goto(link);
  await until("Bob has his hand again", async () => (await hand(bob)).join() === dealt.join());
  await bob.goto("about:blank");
  await until("Bob is away again", () => ann.$(".seat.away"));
  await ann.click(".bar > .icon");
  await ann.click("[data-do=replace]");
  await until("a program plays for him", async () => !(await ann.$(".seat.away")));
}));

test("a guest who waits for others is not given a link that shows the own hand", withServer(async ({ visit, url }) => {
  const ann = await visit({ settings: { name: "Ann" } });
  const bob = await visit({ settings: { name: "" } });
  const link = await setTable(ann, url, { people: 3 });
  await bob.goto(link);
  await bob.fill("input[autocomplete=nickname]", "B\u200bob");
  await bob.click("button.primary.big");
  await until("the form says what is wrong with the name", async () => /cannot be seen/.test(await bob.textContent(".bad-name")));
  await bob.fill("input[autocomplete=nickname]", "");
  await bob.click("button.primary.big");
  await bob.waitForSelector(".panel.calm");
  await until("Ann sees a guest", async () => /Guest/.test(await ann.textContent(".felt")));
  await until("and hears of it", async () => (await said(ann)).includes("Guest is here."));
  check(!(await bob.$(".invitation")), "no link is shown");
  await bob.click("[aria-label=Invite]");
  await bob.click("dialog .quiet");
  await until("whoever asks for it gets it", () => bob.inputValue("dialog input.link").catch(() => ""));
}));

test("an invitation that is refused costs nobody the game in the browser", withServer(async ({ visit, url }) => {
  const ann = await visit({ settings: { name: "Ann" } });
  const link = await setTable(ann, url);
  const bob = await visit({ settings: { name: "Bob" } });
  await startOffline(bob, url);
  await bob.goto("about:blank");
  await bob.goto(link.replace(/[^/]+$/, "A".repeat(22)));
  await bob.click("button.primary.big");
  await bob.waitForSelector("main.form [role=alert]");
  await bob.click("main.form .quiet");
  await bob.click("[data-way=continue]");
  await bob.waitForSelector("#hand .tile");
}));

test("only free seats can be chosen, and a seat that is taken meanwhile costs nobody the way in", withServer(async ({ visit, url, shots }) => {
  const ann = await visit({ settings: { name: "Ann", still: true } });
  const link = await setTable(ann, url);
  const bob = await visit({ settings: { name: "Bob", still: true } });
  const cid = await visit({ ...SIZES.phone, settings: { still: true } });
  const seats = (page) => page.$$eval("main.form select option", (options) => options.map(({ text, disabled }) => `${text}${disabled ? " !" : ""}`));
  for (const page of [bob, cid]) {
    await page.goto(link);
    await until("Ann's seat is named and cannot be chosen", async () => (await seats(page))[1] === "Seat 1 · Ann !");
    check((await seats(page))[3] === "Seat 3", `the seat of nobody: ${await seats(page)}`);
    check(/program/.test((await seats(page))[2]), `the seat of a program: ${await seats(page)}`);
    await page.selectOption("main.form select", "2");
  }
  await cid.fill("input[autocomplete=nickname]", "Cid");
  await bob.click("button.primary.big");
  await sayReady(bob);
  await bob.waitForSelector("#hand .tile");
  await cid.click("button.primary.big");
  await cid.waitForSelector("main.form [role=alert]");
  check(/sat down there/.test(await cid.textContent("main.form [role=alert]")), "Cid is told why");
  check((await cid.inputValue("input[autocomplete=nickname]")) === "Cid", "and need not write the name again");
  await until("the seat is Bob's", async () => (await seats(cid))[3] === "Seat 3 · Bob !");
  check((await cid.inputValue("main.form select")) === "", "another seat has to be chosen");
  await audit(cid, "phone-seat-taken", shots);
  await cid.selectOption("main.form select", "1");
  await cid.click("button.primary.big");
  await cid.waitForSelector("#hand .tile");
}));

test("an invitation that nobody can use any more says so at once", withServer(async ({ visit, url }) => {
  const ann = await visit({ settings: { name: "Ann", still: true } });
  const link = await setTable(ann, url);
  const bob = await visit({ settings: { name: "Bob", still: true } });
  await bob.goto(link.replace(/[^/]{4}([^/]*)$/, "AAAA$1"));
  await bob.waitForSelector("main.form [role=alert]");
  check(/cannot be used any more/.test(await bob.textContent("main.form [role=alert]")), "Bob asks for another");
}));

test("a clock shows how long there is, and it is said when a program takes over", withServer(async ({ visit, url, shots }) => {
  const ann = await visit({ settings: { name: "Ann", still: true } });
  const bob = await visit({ ...SIZES.phone, settings: { name: "Bob", still: true } });
  await sitDown(bob, await setTable(ann, url, { seconds: 45 }), "Bob");
  await bob.waitForSelector(".turn-clock");
  await audit(bob, "phone-clock", shots);
  await sitDown(bob, await setTable(ann, url, { seconds: 5 }), "Bob");
  await ann.waitForSelector("#hand .tile");
  // Neither does anything, so the first who is to act runs out of time.
  for (const page of [ann, bob]) {
    const shown = await until("the seconds are shown", () => page.textContent(".turn-clock", { timeout: 1_000 }).catch(() => ""));
    check(/^[0-5] s$/.test(shown), `at most five seconds: ${shown}`);
  }
  const told = await until("somebody is told", async () => {
    for (const page of [ann, bob]) if (/Your time ran out/.test(await page.textContent(".notice"))) return page;
    return null;
  });
  await told.waitForSelector("text=Take my seat back");
}));
