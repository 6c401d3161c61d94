// In the pseudo-locale, every text on every screen and in every state must come from the catalogue.
import { readFileSync, readdirSync } from "node:fs";
import { SIZES } from "./audit.js";
import { expect, test } from "./fixtures.js";
import { choices, closeDialog, declare, expectNotice, fillSeats, hand, invitation, openInvite, openMenu, outbid, playTo, playToOwnTurn, playUntil, playable, said, sayReady, setTable, sitDown, startOffline, startSeeded, step, whoDecides } from "./player.js";
import { expectNoPlainText, watchTexts } from "./texts.js";
import { NOT_LOADED } from "./static-server.js";
import { SIMULATED, failWorker, holdTime, releaseTime, withoutStorage } from "./workers.js";

// The tours and what each of them visits. `Type::Variant` is a variant of an enum of the page, `words.entry` a notice with that
// entry of the catalogue.
const TOURS = {
  "the start page, its forms and dialogs": ["Screen::Home", "Dialog::Rules", "Dialog::Settings", "Screen::Create", "Screen::Join", "a link that leads nowhere", "no server", "words.bad_link", "words.no_such_table", "words.bad_seed", "words.refused", "words.day_to_come"],
  "a hand in the browser": [
    "Screen::Table", "Phase::Bidding", "Phase::TrumpSelection", "Phase::Playing", "a blocked domino", "a second tap is required", "a complete trick", "Dialog::LastTrick", "Dialog::History",
    "Dialog::Claim", "Dialog::Leave", "Phase::Scoring", "ConnectionState::Elsewhere", "ConnectionState::None", "a new version",
    "words.tap_again",
  ],
  "a lesson": ["advice on bids", "advice on trumps", "advice on dominoes", "the end of a lesson"],
  "the daily challenge": ["ConnectionState::SearchingDeal", "the goal of the day", "Phase::OneHandComplete"],
  "several people on a device": ["a form for one device", "a name twice", "the cover", "the dominoes of the next person"],
  "four people on a device who pass": ["words.no_record"],
  "more games than a device keeps": ["words.game_dropped"],
  "failures in the browser": ["words.no_catalogue", "words.not_kept", "words.worker_failed"],
  "a replay": ["words.calculation_failed", "Screen::Study", "StudyScreen::Replay", "a screen that is not loaded", "a replay at its end", "a replay from a seat", "a link that leads to no game"],
  "a table with others": ["Phase::Setup", "Dialog::Invite", "Dialog::TableRules", "an invite", "who is ready", "a request to undo", "a player is away", "a bot on the person's seat", "ConnectionState::Up", "ConnectionState::Down", "words.copied", "words.undo_expired", "words.says_undo_declined", "words.says_undo_declined_you"],
  "the lobby": ["a code", "Screen::Lobby", "a guest waits", "a guest before the game", "a refused guest", "a guest during a game"],
  "a seat is taken, and time runs out": ["words.seat_gone", "words.time_out", "words.time_out_yours"],
  "a move without a connection": ["words.not_sent"],
  "the end of a game with others": ["words.not_your_turn", "ConnectionState::Connecting", "Phase::GameEnd", "verified deals", "the next game"],
  "spectators": ["links for others", "words.revoked", "who watches", "a coach", "what people say", "a coach who points", "a spectator", "Dialog::Developer"],
  "a game goes online": ["words.going_online", "words.needs_server", "words.stays_offline", "words.brought", "the game is online", "a newcomer at an imported game"],
};

const source = (file) => readFileSync(new URL(`../../${file}`, import.meta.url), "utf8");
const [PLAIN, ACCENTED] = ["PLAIN", "ACCENTED"].map((name) => [...source("crates/phrases/src/pseudo.rs").match(new RegExp(`${name}: &str = "(.*)"`))[1]]);

// Matches an entry of the catalogue in the pseudo-locale, with anything in place of its placeholders.
function pseudoText(entry) {
  const [, english] = source("crates/phrases/src/english.rs").match(new RegExp(`^ {4}${entry}: "(.*)",$`, "m"));
  const accented = (text) => [...text].map((letter) => ACCENTED[PLAIN.indexOf(letter)] ?? letter).join("");
  const literally = (text) => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
  return new RegExp(english.split(/\{\d\}/).map((part) => literally(accented(part))).join(".*"));
}

// The entries of the catalogue in the notices of the page.
function noticeEntries() {
  const folders = ["clients/display/src/", "clients/study/src/", "clients/web/src/"];
  const files = folders.flatMap((folder) => readdirSync(new URL(`../../${folder}`, import.meta.url), { recursive: true }).filter((file) => file.endsWith(".rs")).map((file) => folder + file));
  return files.flatMap((file) => noticesIn(source(file))).flatMap((call) => [...call.matchAll(/words(?:\(\))?\.(\w+)\b(?!\()/g)].map(([, entry]) => entry));
}

// The calls that show a notice, up to their closing parentheses.
const noticesIn = (text) => [...text.matchAll(/\.(?:tell|show_notice|return_to_form)\(/g)].map(({ index, 0: call }) => {
  let [end, depth] = [index + call.length, 1];
  while (depth > 0) depth += { "(": 1, ")": -1 }[text[end++]] ?? 0;
  return text.slice(index, end);
});

const PSEUDO = "?lang=en-XA";
const pseudo = (link) => link.replace("#", `${PSEUDO}#`);

// A tour with people whose every text is watched. It must visit everything that it declares.
function tour(name, walk) {
  test(`every text comes from the catalogue: ${name}`, async ({ visit, files, server, expectedErrors }) => {
    const visited = new Set();
    const plainTexts = new Map();
    const newPage = async (options) => {
      const page = await visit({ settings: { still: true, name: "Ann" }, ...options });
      plainTexts.set(page, await watchTexts(page));
      return page;
    };
    const check = async (page, stop) => {
      await expectNoPlainText(page, plainTexts.get(page), stop);
      visited.add(stop);
    };
    const notice = async (page, entry) => {
      await expectNotice(page, pseudoText(entry));
      await check(page, `words.${entry}`);
    };
    await walk({ newPage, check, notice, expectedErrors, withhold: files.withhold, files: `${files.url}${PSEUDO}`, url: `${server.url}${PSEUDO}`, server });
    expect([...visited].sort(), "the tour must visit everything that it declares").toEqual(TOURS[name].toSorted());
  });
}

const dialog = (page) => page.locator("dialog[open]");

async function checkDialog(page, open, stop, check) {
  await open();
  await expect(dialog(page)).toBeVisible();
  await check(page, stop);
  await closeDialog(page);
}

test("every screen, dialog, phase and connection state is on a tour", () => {
  const declared = new Set(Object.values(TOURS).flat());
  const variants = (file, type) => {
    const body = source(file).match(new RegExp(`enum ${type} \\{([^}]*)\\}`))[1];
    return [...body.matchAll(/^ {4}([A-Z]\w*)/gm)].map(([, variant]) => `${type}::${variant}`);
  };
  const all = [
    ["clients/web/src/app/navigation.rs", "Screen"], ["clients/web/src/app/dialog_state.rs", "Dialog"],
    ["clients/study/src/study_screen.rs", "StudyScreen"], ["clients/web/src/connection.rs", "ConnectionState"], ["crates/vocab/src/phase.rs", "Phase"],
  ].flatMap(([file, type]) => variants(file, type));
  expect(all.length).toBeGreaterThan(20);
  expect(all.filter((variant) => !declared.has(variant)), "every variant must be on a tour").toEqual([]);
});

test("every notice is on a tour", () => {
  const declared = new Set(Object.values(TOURS).flat());
  const entries = [...new Set(noticeEntries())];
  expect(entries.length).toBeGreaterThan(15);
  expect(entries.filter((entry) => !declared.has(`words.${entry}`)), "every notice must be on a tour").toEqual([]);
});

test("detects texts from outside the catalogue", async ({ visit, files }) => {
  const page = await visit();
  const plain = await watchTexts(page);
  await page.goto(`${files.url}${PSEUDO}`);
  await expect(page.locator("[data-way=play]")).toBeVisible();
  expect(plain).toEqual([]);
  await page.evaluate(() => {
    document.querySelector("h1").append("Text");
    document.querySelector("#link").placeholder = "Place";
    document.querySelector("main").insertAdjacentHTML("beforeend", "<p>⟦åƀ⟧ <img alt='Picture'></p><button aria-label='Ann: Name'></button>");
    document.querySelector("[data-said]").append("Said");
    navigator.clipboard.writeText("Copy");
    confirm("Question");
  });
  const found = ["Text", "Place", "Picture", "Ann: Name", "Said", "Copy", "Question"];
  await expect.poll(() => found.filter((text) => !plain.some((reported) => reported.endsWith(`: ${text}`))), "every text must be detected").toEqual([]);
});

tour("the start page, its forms and dialogs", async ({ newPage, check, notice, files }) => {
  const page = await newPage();
  await page.goto(files);
  await expect(page.locator("[data-way=play]")).toBeVisible();
  await check(page, "Screen::Home");
  await checkDialog(page, () => page.locator(".foot button").nth(1).click(), "Dialog::Rules", check);
  await checkDialog(page, () => page.locator(".foot button").nth(2).click(), "Dialog::Settings", check);
  await page.locator("#link").fill("?");
  await page.locator(".join-link button").click();
  await notice(page, "bad_link");
  const wrong = { "table/abc": "no_such_table", "seed/abc/many": "bad_seed", "seed/abc/0": "refused", "join/abc/short": "bad_link", "daily/easy/9999-01-01": "day_to_come" };
  for (const [fragment, entry] of Object.entries(wrong)) {
    await page.goto("about:blank");
    await page.goto(`${files}#${fragment}`);
    await notice(page, entry);
  }
  await check(page, "a link that leads nowhere");
  for (const role of ["bot", "join", "watch", "coach", "behind"]) {
    await page.goto(`${files}#${role}/abc/${"A".repeat(22)}`);
    await expect(page.locator("main.form.narrow")).toBeVisible();
    await check(page, "Screen::Join");
  }
  await page.locator("button.primary.big").click();
  await expect(page.locator("main.form .hint")).toBeVisible();
  await check(page, "no server");
  await page.goto(`${files}#new`);
  await page.locator(".house summary").click();
  await page.locator("input[autocomplete=nickname]").fill("\u200b");
  await expect(page.locator(".bad-name")).toBeVisible();
  await check(page, "Screen::Create");
});

tour("a hand in the browser", async ({ newPage, check, notice, files }) => {
  const page = await newPage();
  await startSeeded(page, files, "lubbock");
  await check(page, "Screen::Table");
  await expect(choices(page)).toBeVisible();
  await check(page, "Phase::Bidding");
  await step(page, "pass");
  await page.locator(".take-back").click();
  await expect(choices(page)).toBeVisible();
  await outbid(page);
  await check(page, "Phase::TrumpSelection");
  await declare(page);
  await check(page, "Phase::Playing");
  await checkDialog(page, () => page.locator("button.claim").click(), "Dialog::Claim", check);
  await step(page);
  await playUntil(page, [".go-on"]);
  await check(page, "a complete trick");
  await page.locator(".go-on").click();
  await expect(page.locator(".go-on")).toHaveCount(0);
  await checkDialog(page, () => page.keyboard.press("l"), "Dialog::LastTrick", check);
  await checkDialog(page, () => page.keyboard.press("h"), "Dialog::History", check);
  await playTo(page, ["scoring"]);
  await expect(page.locator(".held .mini.open").first()).toBeAttached();
  await check(page, "Phase::Scoring");
  await playUntil(page, ["#hand .blocked"], "pass");
  const noticesBefore = await page.evaluate(() => window.notices.length);
  await page.locator("#hand .blocked").first().click({ force: true });
  await expect.poll(() => page.evaluate(() => window.notices.length), "the page must say why").toBeGreaterThan(noticesBefore);
  await check(page, "a blocked domino");
  await checkDialog(page, async () => {
    await page.keyboard.press("s");
    await page.locator("dialog .switch").last().click();
  }, "a second tap is required", check);
  await playable(page).first().click();
  await notice(page, "tap_again");
  await check(page, "a second tap is required");
  await checkDialog(page, () => openMenu(page), "Dialog::Leave", check);
  await page.evaluate(() => window.dispatchEvent(new Event("texas42-update")));
  await expect(page.locator(".update")).toBeVisible();
  await check(page, "a new version");
  const second = await page.context().newPage();
  await second.goto(`${files}#play`);
  await expect(hand(second).first()).toBeVisible();
  await expect(page.locator("main.waiting .primary")).toBeVisible();
  await check(page, "ConnectionState::Elsewhere");
  await page.locator("main.waiting .quiet").click();
  await expect(page.locator("[data-way=continue]")).toBeVisible();
  await check(page, "ConnectionState::None");
});

tour("a lesson", async ({ newPage, check, files }) => {
  const page = await newPage();
  const best = page.locator(".advice.best");
  await startOffline(page, files, "learn");
  await expect(page.locator(".auction .advice.best")).toBeVisible();
  await check(page, "advice on bids");
  await outbid(page);
  await expect(page.locator(".naming .advice.best")).toBeVisible();
  await check(page, "advice on trumps");
  await declare(page);
  await expect(best).toBeVisible();
  await check(page, "advice on dominoes");
  await playTo(page, ["one-hand-complete"]);
  await check(page, "the end of a lesson");
});

tour("the daily challenge", async ({ newPage, check, files }) => {
  const page = await newPage();
  await page.clock.setFixedTime(new Date("2026-11-18T12:00:00"));
  await page.goto(files);
  holdTime(page);
  await page.locator("[data-way=daily]").click();
  await expect(page.locator(".waiting [role=status]")).toHaveText(/%/);
  await check(page, "ConnectionState::SearchingDeal");
  await releaseTime(page);
  await expect(hand(page)).toHaveCount(7);
  await expect(page.locator(".goal li")).toHaveCount(3);
  await check(page, "the goal of the day");
  await playTo(page, ["one-hand-complete"]);
  await page.locator(".share").click();
  await expect.poll(() => page.evaluate(() => window.copied), "the result must be copied").toMatch(/⟦/);
  await check(page, "Phase::OneHandComplete");
});

tour("several people on a device", async ({ newPage, check, files }) => {
  const page = await newPage();
  await page.goto(`${files}#new`);
  await page.locator("[data-offline=true]").check();
  await page.locator(".seat-choice select").nth(1).selectOption({ index: 0 });
  const name = page.locator("input[data-name='3']");
  await expect(name).toBeVisible();
  await check(page, "a form for one device");
  await name.fill("Ann");
  await expect(page.locator(".bad-name")).toBeVisible();
  await check(page, "a name twice");
  await name.fill("Bob");
  await page.locator("button.primary.big").click();
  await expect(page.locator("[data-do=switch-player]")).toBeVisible();
  await page.locator("[data-do=switch-player]").click();
  await check(page, "the cover");
  await page.locator(".cover [data-person='2']").click();
  await expect(hand(page)).toHaveCount(7);
  await check(page, "the dominoes of the next person");
});

tour("four people on a device who pass", async ({ newPage, notice, files }) => {
  const page = await newPage();
  await page.goto(`${files}#new`);
  await page.locator("[data-offline=true]").check();
  // Straight 42, in which nobody has to bid.
  await page.locator(".preset").first().click();
  for (const [number, name] of [[2, "Bob"], [3, "Cora"], [4, "Dev"]]) {
    await page.locator(".seat-choice select").nth(number - 2).selectOption({ index: 0 });
    await page.locator(`input[data-name='${number}']`).fill(name);
  }
  await page.locator("button.primary.big").click();
  const uncover = async () => {
    await page.locator(".cover .primary").click();
    await expect(page.locator(".cover")).toHaveCount(0);
  };
  for (let passed = 0; passed < 4;) {
    if ((await playUntil(page, [".cover", ".choices .pass"])) === ".cover") {
      await uncover();
    } else {
      await step(page, "pass");
      passed += 1;
    }
  }
  // An undo could restore the deal that was thrown in, so the record does not show it.
  if ((await playUntil(page, [".cover", ".choices"])) === ".cover") await uncover();
  await openMenu(page);
  await page.locator("[data-do=save-record]").click();
  await notice(page, "no_record");
});

tour("more games than a device keeps", async ({ newPage, notice, files }) => {
  const page = await newPage();
  for (const seed of ["amarillo", "brenham", "crockett", "denton", "elgin", "flatonia"]) await startSeeded(page, files, seed);
  await notice(page, "game_dropped");
});

tour("failures in the browser", async ({ newPage, notice, expectedErrors, files }) => {
  expectedErrors.push(SIMULATED);
  const page = await newPage();
  await startOffline(page, files);
  await failWorker(page);
  await notice(page, "worker_failed");
  await expect(hand(page)).toHaveCount(7);
  const other = await newPage();
  withoutStorage(other);
  await startOffline(other, files);
  await notice(other, "not_kept");
  await other.evaluate(() => {
    const load = window.fetch;
    window.fetch = (file, ...more) => (`${file}`.includes("words-es") ? Promise.reject(new TypeError("no network")) : load(file, ...more));
  });
  await other.keyboard.press("s");
  await other.locator("dialog input[name=language]").nth(1).click();
  await notice(other, "no_catalogue");
});

tour("a replay", async ({ newPage, check, notice, expectedErrors, files, withhold }) => {
  expectedErrors.push(SIMULATED);

  const page = await newPage();
  await startSeeded(page, files, "lubbock", 1);
  await playTo(page, ["game-end"]);
  await page.locator("[data-do=copy-replay]").click();
  await expect.poll(() => page.evaluate(() => window.copied), "the link must be copied").toMatch(/^http.*#replay\/b/);
  await page.locator("[data-do=replay]").click();
  await expect(page.locator(".steps output")).toHaveText(/0/);
  await check(page, "Screen::Study");
  await check(page, "StudyScreen::Replay");
  await page.keyboard.press("End");
  await expect(page.locator(".ending")).toBeVisible();
  await check(page, "a replay at its end");
  await page.locator(".steps select").selectOption("1");
  await page.locator(".steps input").uncheck();
  await page.keyboard.press("Home");
  await expect(page.locator(".replaying[data-phase=bidding]")).toBeVisible();
  await check(page, "a replay from a seat");
  await failWorker(page);
  await notice(page, "calculation_failed");
  for (const code of ["x", "b_2xhdGVygVam"]) {
    await page.goto("about:blank");
    await page.goto(`${files}#replay/${code}`);
    // Not the notice that the game is being loaded.
    await expect(page.locator("main.waiting [role=status]")).toHaveText(/⟦Ţĥîş/);
    await check(page, "a link that leads to no game");
  }
  expectedErrors.push(NOT_LOADED);
  withhold(/study/);
  await page.goto("about:blank");
  await page.goto(`${files}#replay/x`);
  await expect(page.locator("[data-do=try-again]")).toBeVisible();
  await check(page, "a screen that is not loaded");
});

tour("a table with others", async ({ newPage, check, notice, url, server }) => {
  const ann = await newPage();
  const bob = await newPage({ ...SIZES.phone, settings: { name: "Bob", still: true } });
  const link = pseudo(await setTable(ann, url, { ready: false, seconds: 600, target: 1 }));
  await check(ann, "Phase::Setup");
  await checkDialog(ann, () => ann.locator("[data-do=change-rules]").click(), "Dialog::TableRules", check);
  await ann.locator(".invitation button").click();
  await notice(ann, "copied");
  await bob.goto(link);
  await expect(bob.locator(".seat-picture [data-seat=\"0\"]")).toContainText("Ann");
  await check(bob, "an invite");
  await bob.locator("button.primary.big").click();
  await sayReady(bob);
  await expect(ann.locator(".seat.place-2")).toContainText("Bob");
  for (const page of [ann, bob]) await check(page, "who is ready");
  await sayReady(ann);
  for (const page of [ann, bob]) await expect(hand(page)).toHaveCount(7);
  await check(ann, "ConnectionState::Up");
  await checkDialog(ann, async () => {
    await openInvite(ann);
    await invitation(ann, ann.locator("dialog input.link"));
  }, "Dialog::Invite", check);
  const asker = await whoDecides([ann, bob]);
  const other = asker === ann ? bob : ann;
  await step(asker);
  await expect(choices(other)).toBeVisible();
  await asker.locator(".take-back").click();
  await expect(other.locator(".asked .primary")).toBeVisible();
  for (const page of [ann, bob]) await check(page, "a request to undo");
  await other.locator("[data-do=decline-undo]").click();
  await notice(asker, "says_undo_declined");
  await notice(other, "says_undo_declined_you");
  await asker.locator(".take-back").click();
  await expect(other.locator(".asked .primary")).toBeVisible();
  await other.locator(".asked .primary").click();
  await expect(choices(asker)).toBeVisible();
  await step(asker);
  await expect(choices(other)).toBeVisible();
  await asker.locator(".take-back").click();
  await expect(other.locator(".asked .primary")).toBeVisible();
  await step(other);
  for (const page of [ann, bob]) await notice(page, "undo_expired");
  await openMenu(ann);
  await ann.locator("[data-do=hand-over]").click();
  await expect(ann.locator(".own-bar > .small")).toBeVisible();
  for (const page of [ann, bob]) await check(page, "a bot on the person's seat");
  await ann.locator(".own-bar > .small").click();
  await expect(ann.locator(".own-bar > .small")).toHaveCount(0);
  await bob.goto("about:blank");
  await expect(ann.locator(".seat.away")).toBeVisible();
  await openMenu(ann);
  await expect(ann.locator("[data-do=replace]")).toBeVisible();
  await check(ann, "a player is away");
  await closeDialog(ann);
  await server.kill();
  await expect(ann.locator(".line.on")).toBeVisible();
  await check(ann, "ConnectionState::Down");
});

tour("the lobby", async ({ newPage, check, url }) => {
  const ann = await newPage();
  const bob = await newPage({ ...SIZES.phone, settings: { name: "Bob", still: true } });
  await setTable(ann, url);
  await ann.locator("[data-do=get-code]").click();
  await expect(ann.locator(".lobby-code")).toBeVisible();
  await check(ann, "a code");
  await bob.goto(url);
  await bob.locator("#link").fill(await ann.locator(".lobby-code").textContent());
  await bob.locator(".join-link button").click();
  await expect(bob.locator(".found")).toBeVisible();
  await check(bob, "Screen::Lobby");
  await bob.locator("[data-do=ask-to-join]").click();
  const guest = ann.locator("[data-guest=Bob]");
  await expect(guest).toBeVisible();
  await check(bob, "a guest waits");
  await check(ann, "a guest before the game");
  await guest.locator("[data-do=not-now]").click();
  await expect(bob.locator("main.form .hint")).toBeVisible();
  await check(bob, "a refused guest");
  await fillSeats(ann);
  await bob.locator("[data-do=ask-to-join]").click();
  await expect(ann.locator(".at-the-door")).toBeVisible();
  await check(ann, "a guest during a game");
});

tour("a seat is taken, and time runs out", async ({ newPage, check, notice, url, server }) => {
  const ann = await newPage();
  const bob = await newPage({ ...SIZES.phone, settings: { name: "Bob", still: true } });
  const cora = await newPage({ settings: { name: "Cora", still: true } });
  // The page's estimate of the table's clock is as accurate as the reply was fast. With the system clock set ahead of it, time is
  // up on every machine when the table says so.
  const pongs = [ann, bob].map((page) => new Promise((heard) => page.on("websocket", (socket) => socket.on("framereceived", ({ payload }) => payload.includes("PONG") && heard()))));
  const link = pseudo(await setTable(ann, url, { seconds: 5, target: 1 }));
  await cora.goto(link);
  await expect(cora.locator(".seat-picture input:checked")).toHaveCount(1);
  await sitDown(bob, link, "Bob");
  await cora.locator("button.primary.big").click();
  await expect(cora.locator("main.form [role=alert]").first()).toHaveText(pseudoText("seat_gone"));
  await check(cora, "words.seat_gone");
  await Promise.all(pongs);
  for (const page of [ann, bob]) await page.clock.setSystemTime(Date.now() + 10_000);
  const decider = await whoDecides([ann, bob]);
  await expect(decider.locator(".turn-clock")).toBeVisible();
  server.pass(5_000);
  await notice(decider, "time_out_yours");
  await notice(decider === ann ? bob : ann, "time_out");
});

tour("a move without a connection", async ({ newPage, notice, url, server }) => {
  const ann = await newPage();
  await setTable(ann, url);
  await fillSeats(ann);
  await playToOwnTurn(ann);
  await server.kill();
  await expect(ann.locator(".line.on")).toBeVisible();
  await playable(ann).first().click();
  await playable(ann).last().click();
  await notice(ann, "not_sent");
});

tour("the end of a game with others", async ({ newPage, check, notice, url }) => {
  const ann = await newPage();
  const bob = await newPage({ ...SIZES.phone, settings: { name: "Bob", still: true } });
  await sitDown(bob, pseudo(await setTable(ann, url, { target: 1 })), "Bob");
  await Promise.all([ann, bob].map((page) => playTo(page, ["playing"])));
  const waiting = (await whoDecides([ann, bob])) === ann ? bob : ann;
  await hand(waiting).first().click({ force: true });
  await notice(waiting, "not_your_turn");
  await Promise.all([ann, bob].map((page) => playTo(page, ["game-end"])));
  for (const page of [ann, bob]) await check(page, "Phase::GameEnd");
  await ann.locator(".fair summary").click();
  await ann.locator(".fair .check").click();
  await expect(ann.locator(".verdict")).toHaveText(/⟦/);
  await check(ann, "verified deals");
  await ann.locator(".ending .primary").first().click();
  await expect(hand(ann)).toHaveCount(7);
  await expect(bob.locator(".ending .hint")).toBeVisible();
  await check(bob, "the next game");
  // A table that does not answer.
  await ann.routeWebSocket("**/ws", () => {});
  await ann.reload();
  await expect(ann.locator("main.waiting [role=status]")).toHaveText(/⟦/);
  await check(ann, "ConnectionState::Connecting");
});

tour("spectators", async ({ newPage, check, notice, url }) => {
  const ann = await newPage();
  await setTable(ann, url, { openHands: true, preset: "family" });
  const field = ann.locator("input.link").first();
  // Links for all roles but the one shown are offered, always in the same order.
  const links = {};
  for (let at = 0; at < 5; at++) {
    const before = await field.inputValue();
    await ann.locator(".ways-in ~ .row .quiet:not([data-do])").nth(at).click();
    await expect(field).not.toHaveValue(before);
    const link = await field.inputValue();
    links[link.match(/#(\w+)/)[1]] = pseudo(link);
  }
  await check(ann, "links for others");
  await openInvite(ann);
  await dialog(ann).locator("[data-do=revoke]").last().click();
  await notice(ann, "revoked");
  await closeDialog(ann);
  await fillSeats(ann);
  const joinAs = async (role, name) => {
    const page = await newPage({ settings: { name, still: true } });
    await page.goto(links[role]);
    await page.locator("button.primary.big").click();
    await expect(page.locator(".table-page")).toBeVisible();
    return page;
  };
  const [cora, wes, dev] = [await joinAs("coach", "Cora"), await joinAs("watch", "Wes"), await joinAs("behind", "Dev")];
  await playToOwnTurn(ann);
  await expect(cora.locator("#hand .tile.hinted").first()).toBeVisible();
  await check(cora, "a coach");
  await expect(ann.locator(".visitors")).toBeVisible();
  await check(ann, "who watches");
  await ann.locator("[data-do=say]").click();
  await expect(ann.locator(".tray [data-phrase]")).toHaveCount(12);
  await check(ann, "what people say");
  await ann.keyboard.press("Escape");
  await cora.locator("#hand .tile").first().click();
  await expect(ann.locator("#hand .pointed")).toHaveCount(1);
  await cora.locator("[data-do=say]").click();
  await cora.locator("[data-phrase=lead-this]").click();
  await expect(said(ann).last()).toContainText(pseudoText("phrase_lead_this"));
  await cora.locator("[data-do=say]").click();
  await cora.locator("[data-phrase=wow]").click();
  await expect(said(ann).last()).toContainText(pseudoText("phrase_wow"));
  await check(ann, "a coach who points");
  await check(cora, "a coach who points");
  await wes.locator(".own-bar .quiet").first().click();
  await check(wes, "a spectator");
  await step(ann);
  await playUntil(ann, [".go-on"]);
  await expect(dev.locator(".intent").first()).toHaveText(/⟦/);
  await dev.locator(".tools .icon").nth(-3).click();
  await dev.locator("dialog details").evaluateAll((parts) => parts.forEach((part) => (part.open = true)));
  await expect(dev.locator("dialog .layers > li").first()).toBeVisible();
  await check(dev, "Dialog::Developer");
});

tour("a game goes online", async ({ newPage, check, notice, url }) => {
  const ann = await newPage();
  await startOffline(ann, url);
  await expect(choices(ann)).toBeVisible();
  const goOnline = async () => {
    await openMenu(ann);
    await ann.locator("[data-do=go-online]").click();
  };
  const whenUploading = async (answer, entry) => {
    await ann.route("**/api/games/import", answer);
    await goOnline();
    await notice(ann, entry);
    await ann.unroute("**/api/games/import");
  };
  await whenUploading((route) => route.abort(), "needs_server");
  await whenUploading((route) => route.continue({ headers: { ...route.request().headers(), authorization: "a stranger" } }), "stays_offline");
  await goOnline();
  await notice(ann, "going_online");
  const link = await invitation(ann);
  await check(ann, "the game is online");
  const bob = await newPage({ ...SIZES.phone, settings: { name: "Bob", still: true } });
  await sitDown(bob, pseudo(link), "Bob");
  await notice(bob, "brought");
  await check(bob, "a newcomer at an imported game");
});
