// Playing without a server: the table lives in a worker of the browser.
import { check, test, until } from "./harness.js";
import { hand, outbid, phase, playByKeys, playTo, playToOwnTurn, said, settled, startOffline, startPlaying, startSeeded, step } from "./player.js";
import { saveAndRead } from "./record.js";
import { withFiles } from "./static-server.js";

test("a whole hand by clicks, and on to the next", withFiles(async ({ visit, url }) => {
  const page = await visit();
  const began = Date.now();
  await page.goto(url);
  await page.waitForSelector("[data-way=play]");
  const drawn = Date.now() - began;
  await page.click("[data-way=play]");
  await page.waitForSelector("#hand .tile");
  console.log(`    drawn after ${drawn} ms, dealt ${Date.now() - began - drawn} ms after the click`);
  await playTo(page, ["scoring"]);
  await until("the result says how the points were split", () => page.isVisible(".split"));
  await page.click(".result .primary");
  await playTo(page, ["bidding", "game-end"]);
}));

test("a whole hand by keys alone, read aloud", withFiles(async ({ visit, url }) => {
  const page = await visit();
  await page.goto(url);
  await page.waitForSelector("[data-way=play]");
  for (let at = 0; at < 20 && !(await page.evaluate(() => document.activeElement?.dataset.way === "play")); at++) await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  await page.waitForSelector("#hand .tile");
  const atTheTable = () => page.evaluate(() => document.activeElement.id === "table");
  await until("who came by keys goes on at the table", atTheTable);
  await playByKeys(page);
  const text = (await said(page)).join("\n");
  for (const part of [/is dealt\. You hold \d-\d/, /(bids|passes)/, /wins the auction/, /names /, / plays \d-\d\./, /takes the trick, worth \d+/, /The contract is (made|set)/, /Your (turn|lead|bid)/]) {
    check(part.test(text), `nobody said ${part} in\n${text}`);
  }
  await page.keyboard.press("Enter");
  await until("the next hand", async () => (await phase(page)) === "bidding");
  await until("the button is gone, and the focus is at the table", atTheTable);
}));

test("arrow keys walk through the hand and letters open what they promise", withFiles(async ({ visit, url }) => {
  const page = await visit();
  await startOffline(page, url);
  await page.focus("#hand .tile >> nth=0");
  await page.keyboard.press("ArrowRight");
  await until("the second domino has the focus", () => page.evaluate(() => document.activeElement === document.querySelectorAll("#hand .tile")[1]));
  await page.keyboard.press("s");
  await until("the settings are open", async () => (await page.textContent("dialog h2")) === "Settings");
  // The browser tells the page afterwards that a dialog was closed; a key in between is heard, and what it opens stays open.
  await page.keyboard.press("Escape");
  await page.keyboard.press("h");
  await until("the hand so far is open", async () => (await page.textContent("dialog h2")) === "This hand");
  await until("the browser has told everything", () => page.evaluate(() => new Promise((done) => setTimeout(() => done(true), 50))));
  check(await page.$("dialog[open]"), "and stays open");
  await page.keyboard.press("Escape");
  await until("closed", async () => !(await page.$("dialog[open]")));
}));

test("who plays a domino by keys keeps the place in the hand, and goes on from there", withFiles(async ({ visit, url }) => {
  const page = await visit({ settings: { pace: "tap" } });
  await startPlaying(page, url);
  await page.focus("#hand .tile >> nth=2");
  const before = await hand(page);
  await page.keyboard.press("Enter");
  await until("the domino is played", async () => (await hand(page)).length === 6);
  const hasFocus = () => page.evaluate((next) => document.activeElement.dataset.domino === next, before[3]);
  await until("the next domino has the focus", hasFocus);
  await page.waitForSelector(".go-on");
  check((await said(page)).some((line) => /takes the trick, worth/.test(line)), "who has the trick is said while it lies there");
  await page.keyboard.press("Enter");
  await page.waitForSelector(".go-on", { state: "detached" });
  check(await hasFocus(), "and the focus is still there");
}));

test("a blocked domino says why", withFiles(async ({ visit, url }) => {
  const page = await visit();
  await startOffline(page, url);
  // A move that is on its way may end the turn under one's fingers: then there is another turn to try it in.
  const [domino, text] = await until("a blocked domino says why", async () => {
    const blocked = await page.$eval("#hand .blocked", (tile) => tile.dataset.domino).catch(() => null);
    if (!blocked) return void (await step(page, "pass"));
    await page.click(`#hand .blocked[data-domino="${blocked}"]`, { force: true, timeout: 3_000 }).catch(() => {});
    const reason = await page.textContent(".notice.on", { timeout: 3_000 }).catch(() => null);
    return reason && [blocked, reason];
  }, 240);
  check(/have to be followed/i.test(text), `the reason is a reason: ${text}`);
  check((await hand(page)).includes(domino), "it was not played");
}));

test("in nello the one who sits out is named and has no place in the trick", withFiles(async ({ visit, url }) => {
  const page = await visit();
  await startSeeded(page, url, "lubbock");
  await page.waitForSelector(".choices");
  await outbid(page);
  await page.click(".suit:has-text('Nello')");
  await page.waitForSelector(".trick");
  const places = await page.$$eval(".spot", (spots) => spots.filter((spot) => spot.offsetWidth > 0).map((spot) => spot.className));
  check(places.join() === "spot place-0,spot place-1,spot place-3", `three places: ${places}`);
  const partner = await page.textContent(".seat.place-2 .who b");
  await until("it is said who sits out", async () => (await said(page)).includes(`${partner} sits out this hand.`));
}));

test("a domino can be dragged to the table", withFiles(async ({ visit, url }) => {
  const page = await visit();
  await startPlaying(page, url);
  await settled(page);
  const before = await hand(page);
  const box = await (await page.$("#hand .playable")).boundingBox();
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width / 2, box.y - 120, { steps: 5 });
  await page.mouse.up();
  await until("one domino fewer", async () => (await hand(page)).length === before.length - 1);
}));

test("the last trick can be looked at again, and a move taken back", withFiles(async ({ visit, url }) => {
  const page = await visit();
  await startSeeded(page, url, "lubbock");
  await page.waitForSelector(".choices");
  const dealt = await hand(page);
  await page.click(".choices .pass, .choices .point >> nth=0");
  await page.waitForSelector(".take-back");
  await page.click(".take-back");
  await page.waitForSelector(".choices");
  await until("the hand is the same", async () => (await hand(page)).join() === dealt.join());
  await until("a trick was taken", async () => {
    if (!(await page.$(".last-trick"))) await page.keyboard.press("l");
    if ((await page.$$("dialog .last-trick figure")).length === 4) return true;
    await page.keyboard.press("Escape");
    await step(page);
    return false;
  }, 120);
  await until("the one who took it is marked", async () => (await page.$$("dialog .last-trick .winning")).length === 1);
}));

test("a game is saved as a record that the tools read", withFiles(async ({ visit, url, root }) => {
  const page = await visit();
  await startSeeded(page, url, "lubbock", 1);
  await page.click(".bar .icon >> nth=0");
  check(!(await page.$("[data-do=save-record]")), "no hand is over yet");
  await page.keyboard.press("Escape");
  await playTo(page, ["game-end"]);
  const [review] = await saveAndRead(page, root, ["review", "--worlds", "2"]);
  check(/seat +decisions/.test(review), `the game is reviewed: ${review}`);
}));

test("in the middle of a game the hands that are over are saved", withFiles(async ({ visit, url, root }) => {
  const page = await visit();
  await startOffline(page, url);
  await playTo(page, ["scoring"]);
  await playTo(page, ["bidding"]);
  await page.click(".bar .icon >> nth=0");
  const [replay] = await saveAndRead(page, root, ["replay"]);
  check(/scoring/i.test(replay), `the record ends where the hand did: ${replay}`);
}));

test("a reload in the middle of a hand loses nothing", withFiles(async ({ visit, url }) => {
  const page = await visit();
  await startPlaying(page, url);
  const [before, contract] = [await hand(page), await page.textContent(".contract .bid dd")];
  await page.reload();
  await page.waitForSelector("#hand .tile");
  await until("the hand is the same", async () => (await hand(page)).join() === before.join());
  await until("the contract is the same", async () => (await page.textContent(".contract .bid dd")) === contract);
  await playTo(page, ["scoring"]);
}));

test("Back leads from a table and from a form to the first page, and Forward there again", withFiles(async ({ visit, url }) => {
  const page = await visit();
  await page.goto(url);
  await page.click("[data-way=friends]");
  await page.waitForSelector(".preset");
  await page.reload();
  await page.waitForSelector(".preset");
  await page.goBack();
  await page.click("[data-way=play]");
  await page.waitForSelector("#hand .tile");
  const dealt = await hand(page);
  await page.goBack();
  await page.waitForSelector("[data-way=continue]");
  await page.goForward();
  await until("the same hand", async () => (await hand(page)).join() === dealt.join());
  await page.goBack();
  await page.click("[data-way=continue]");
  await until("the same hand again", async () => (await hand(page)).join() === dealt.join());
}));

test("a game that is opened in a second tab goes on there, and can be taken back", withFiles(async ({ visit, url, shots }) => {
  const first = await visit();
  await startPlaying(first, url);
  await playToOwnTurn(first);
  const held = await hand(first);
  const second = await first.context().newPage();
  await second.goto(`${url}#play`);
  await until("the second tab shows the game as it is", async () => (await hand(second)).join() === held.join());
  await until("the first says where it is", async () => /another tab/.test(await first.textContent("main")));
  check(!(await first.$("#hand .tile")), "and shows no game that could be an old one");
  await playToOwnTurn(second);
  await second.click("#hand .playable");
  await until("a domino is played there", async () => (await hand(second)).length === held.length - 1);
  const left = await hand(second);
  await first.click("main .primary");
  await until("the first tab has the game as it is now", async () => (await hand(first)).join() === left.join());
  await until("and the second lets go", async () => /another tab/.test(await second.textContent("main")));
}));

test("a closed tab finds its game from the first page", withFiles(async ({ visit, url }) => {
  const page = await visit();
  await startOffline(page, url);
  const before = await hand(page);
  const next = await page.context().newPage();
  await page.close();
  await next.goto(url);
  await next.click("[data-way=continue]");
  await next.waitForSelector("#hand .tile");
  await until("the hand is the same", async () => (await hand(next)).join() === before.join());
}));

test("the page works in flight mode, with the server stopped", withFiles(async ({ visit, url, server }) => {
  const page = await visit();
  await page.goto(url);
  await page.evaluate(() => navigator.serviceWorker.ready);
  await until("everything is kept", () => page.evaluate(async () => {
    const names = await caches.keys();
    const kept = await Promise.all(names.map(async (name) => (await (await caches.open(name)).keys()).length));
    return kept.some((count) => count > 8);
  }));
  await server.close();
  await page.reload();
  await page.click("[data-way=play]");
  await page.waitForSelector("#hand .tile");
  await playTo(page, ["playing", "scoring"]);
}));

test("a lesson gives hints", withFiles(async ({ visit, url }) => {
  const page = await visit();
  await startOffline(page, url, "learn");
  await page.waitForSelector(".choices");
  await until("an expert says what it would bid, and why", async () => /% of the time|pass brings/.test(await page.textContent(".hint >> nth=0")));
  await playToOwnTurn(page);
  await until("a hint at a domino", () => page.$("#hand .tile.hinted"));
  // An expert takes its time, and says nothing where there is one domino to play.
  await until("and at what an expert would do, which can be read without pointing at it", async () => {
    if (await page.isVisible(".own > .advice.best")) return true;
    // A hand may be over before there was anything to choose.
    if ((await phase(page)) === "one-hand-complete") await startOffline(page, url, "learn");
    if ((await page.$$("#hand .playable")).length < 2) await step(page);
    return false;
  }, 120);
  // Whoever has the rest for sure is told to claim it.
  const best = await page.$("#hand .tile.best");
  const label = best ? await best.getAttribute("aria-label") : "";
  check(/expert's choice/.test(label) || /The rest is/.test(await page.textContent(".own > .advice.best")), `those who listen hear which it is: ${label}`);
}));

test("the hand of the day is one hand, and ends with stars to share", withFiles(async ({ visit, url }) => {
  const page = await visit();
  await startOffline(page, url, "daily");
  const dealt = await hand(page);
  check(/of 42 points/.test(await page.textContent(".score")), "there is no score beyond this hand");
  await playTo(page, ["one-hand-complete"]);
  await until("there are three stars, full or not", async () => /^[★☆]{3}$/.test(await page.textContent(".ending .stars [aria-hidden]")));
  await until("the result can be shared", () => page.isVisible(".ending .small"));
  const other = await visit();
  await startOffline(other, url, "daily");
  await until("everybody gets the same hand", async () => (await hand(other)).join() === dealt.join());
}));

test("the hand of the day is as hard as the person likes, and who leaves while it is looked for has not begun it", withFiles(async ({ visit, url }) => {
  const dealt = {};
  for (const way of ["daily-easy", "daily", "daily-hard"]) {
    const page = await visit();
    await startOffline(page, url, way);
    dealt[way] = (await hand(page)).join();
  }
  check(new Set(Object.values(dealt)).size === 3, `three hands: ${JSON.stringify(dealt)}`);
  const page = await visit();
  await page.goto(url);
  await page.click("[data-way=daily-easy]");
  await page.waitForSelector(".waiting [role=status]");
  await page.click(".waiting .quiet");
  await page.waitForSelector("[data-way=daily]");
  await page.waitForTimeout(2_000);
  check(!(await page.evaluate(() => localStorage.getItem("texas42.offline"))), "no game is kept");
  await page.click("[data-way=daily-easy]");
  await page.waitForSelector(".waiting [role=status]");
  await page.goBack();
  await page.waitForSelector("[data-way=daily]");
  check(page.url() === url, `Back leads to the first page: ${page.url()}`);
  await page.goto(`${url}#daily/easy`);
  await until("and it can be begun again, also by a link", async () => (await hand(page)).join() === dealt["daily-easy"]);
}));

test("a link with a seed deals the same hands, and the programs play alike", withFiles(async ({ visit, url }) => {
  const heard = [];
  for (let time = 0; time < 2; time++) {
    const page = await visit();
    await startSeeded(page, url, "lubbock");
    await playTo(page, ["scoring"]);
    heard.push((await said(page)).filter((line) => / (bids|passes|names|plays|takes) /.test(line)).join("\n"));
  }
  check(heard[0] === heard[1] && /plays/.test(heard[0]), `two runs differ:\n${heard.join("\n---\n")}`);
}));

test("Spanish all over", withFiles(async ({ visit, url }) => {
  const page = await visit({ locale: "es-MX" });
  await startOffline(page, url);
  await until("the page says that it is Spanish", async () => (await page.getAttribute("html", "lang")) === "es");
  await playTo(page, ["playing"]);
  await until("the contract is in Spanish", async () => /Triunfos/.test(await page.textContent(".contract")));
  // The settings are read in the language that is chosen in them, at once.
  await page.keyboard.press("s");
  await page.click("dialog .segments input >> nth=0");
  await until("now it is English", async () => (await page.textContent("dialog h2")) === "Settings" && /Language/.test(await page.textContent("dialog legend >> nth=0")));
  await page.click("dialog .segments input >> nth=1");
  await until("and Spanish again", async () => (await page.textContent("dialog h2")) === "Ajustes");
  await page.keyboard.press("Escape");
  await until("what is read aloud is in Spanish", async () => (await said(page)).some((line) => /puja|pasa/.test(line)));
}));

test("an open game is given up only when the person wants it", withFiles(async ({ visit, url }) => {
  const page = await visit();
  const questions = [];
  let wants = false;
  page.on("dialog", (question) => {
    questions.push(question.message());
    return wants ? question.accept() : question.dismiss();
  });
  await page.goto(url);
  await page.click("[data-way=play]");
  await until("a hand is dealt", async () => (await hand(page)).length === 7);
  const before = await hand(page);
  const kept = () => page.evaluate(() => localStorage.getItem("texas42.offline"));
  const ticket = await kept();
  await page.goto("about:blank");
  await page.goto(url);
  for (const way of ["play", "learn", "daily"]) await page.click(`[data-way=${way}]`);
  await page.goto("about:blank");
  await page.goto(`${url}#seed/lubbock`);
  await page.waitForSelector("[data-way=continue]");
  check(questions.length === 4 && questions.every((question) => /not over/.test(question)), `it asks each time: ${questions}`);
  check((await kept()) === ticket, "the game is still the one that is kept");
  await page.click("[data-way=continue]");
  await page.waitForSelector("#hand .tile");
  check((await hand(page)).every((domino) => before.includes(domino)), "the hand is the same");
  wants = true;
  await page.goto("about:blank");
  await page.goto(`${url}#seed/lubbock/1`);
  await until("another game", async () => ![null, ticket].includes(await kept()));
  check(questions.length === 5, "it asked once more");
  await playTo(page, ["game-end"]);
  await page.click(".bar > .icon");
  await page.click("dialog .primary");
  await page.click("[data-way=play]");
  await until("the next game", async () => (await phase(page)) === "bidding");
  check(questions.length === 5, "a game that is over is not asked for");
}));

test("where no server answers, friends are not waited for, and what was filled in stays", withFiles(async ({ visit, url }) => {
  const page = await visit();
  await page.goto(`${url}#new`);
  await page.selectOption(".pair select >> nth=0", "3");
  await page.selectOption(".pair select >> nth=1", "45");
  await page.click("button.primary.big");
  await until("it is said", async () => /No server answers/.test(await page.textContent(".notice")));
  await page.waitForSelector("button.primary.big");
  const chosen = await page.$$eval(".pair select", (lists) => lists.map((list) => list.value).join());
  check(chosen === "3,45", `the form is as it was: ${chosen}`);
}));

test("a link that leads nowhere says so", withFiles(async ({ visit, url }) => {
  for (const [link, sentence] of [["#join/%%%", /not an invitation/], ["#join/abc/short", /not an invitation/], ["#table/abc", /no seat at that table/], ["#seed/abc/999999", /No hands can be dealt/], ["#seed/abc/0", /0 is out of range/]]) {
    const page = await visit();
    await page.goto(url + link);
    await until(`${link} is explained`, async () => sentence.test(await page.textContent(".notice")));
    await page.waitForSelector("[data-way=play]");
  }
}));
