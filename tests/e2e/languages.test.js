// In the pseudo-locale, every text on every screen and in every state must come from the catalogue.
import { readFileSync } from "node:fs";
import { SIZES } from "./audit.js";
import { expect, test } from "./fixtures.js";
import { choices, declare, expectNotice, fillSeats, hand, invitation, openMenu, outbid, playTo, playToOwnTurn, playUntil, playable, sayReady, setTable, sitDown, startOffline, startSeeded, step, whoDecides } from "./player.js";
import { expectNoPlainText, watchTexts } from "./texts.js";
import { holdTime, releaseTime } from "./workers.js";

// The tours and what each of them visits. `Type::Variant` is a variant of an enum of the page.
const TOURS = {
  "the start page, its forms and dialogs": ["Screen::Home", "Dialog::Rules", "Dialog::Settings", "Screen::Create", "Screen::Join", "a link that leads nowhere", "no server"],
  "a hand in the browser": [
    "Screen::Table", "Phase::Bidding", "Phase::TrumpSelection", "Phase::Playing", "a blocked domino", "a second tap is required", "a complete trick", "Dialog::LastTrick", "Dialog::History",
    "Dialog::Claim", "Dialog::Leave", "Phase::Scoring", "ConnectionState::Elsewhere", "ConnectionState::None", "a new version",
  ],
  "a lesson": ["advice on bids", "advice on trumps", "advice on dominoes", "the end of a lesson"],
  "the daily challenge": ["ConnectionState::Looking", "Phase::OneHandComplete"],
  "a table with others": ["Phase::Setup", "Dialog::Invite", "an invite", "who is ready", "a request to undo", "a player is away", "a bot on the person's seat", "ConnectionState::Up", "ConnectionState::Down"],
  "the end of a game with others": ["ConnectionState::Connecting", "Phase::GameEnd", "verified deals", "the next game"],
  "spectators": ["links for others", "a coach", "a spectator", "Dialog::Developer"],
  "a game goes online": ["the game is online", "a guest at an imported game"],
};

const PSEUDO = "?lang=en-XA";
const pseudo = (link) => link.replace("#", `${PSEUDO}#`);

// A tour with people whose every text is watched. It must visit everything that it declares.
function tour(name, walk) {
  test(`every text comes from the catalogue: ${name}`, async ({ visit, files, server }) => {
    const seen = new Set();
    const watched = new Map();
    const come = async (options) => {
      const page = await visit({ settings: { still: true, name: "Ann" }, ...options });
      watched.set(page, await watchTexts(page));
      return page;
    };
    const look = async (page, stop) => {
      await expectNoPlainText(page, watched.get(page), stop);
      seen.add(stop);
    };
    await walk({ come, look, files: `${files.url}${PSEUDO}`, url: `${server.url}${PSEUDO}`, server });
    expect([...seen].sort(), "the tour must visit everything that it declares").toEqual(TOURS[name].toSorted());
  });
}

const dialog = (page) => page.locator("dialog[open]");

async function lookAtDialog(page, open, stop, look) {
  await open();
  await expect(dialog(page)).toBeVisible();
  await look(page, stop);
  await page.keyboard.press("Escape");
  await expect(dialog(page)).toHaveCount(0);
}

test("every screen, dialog, phase and connection state is on a tour", () => {
  const declared = new Set(Object.values(TOURS).flat());
  const variants = (file, type) => {
    const body = readFileSync(new URL(`../../${file}`, import.meta.url), "utf8").match(new RegExp(`enum ${type} \\{([^}]*)\\}`))[1];
    return [...body.matchAll(/^ {4}([A-Z]\w*)/gm)].map(([, variant]) => `${type}::${variant}`);
  };
  const all = [
    ["clients/web/src/app/navigation.rs", "Screen"], ["clients/web/src/app/dialog_state.rs", "Dialog"],
    ["clients/web/src/connection.rs", "ConnectionState"], ["crates/vocab/src/phase.rs", "Phase"],
  ].flatMap(([file, type]) => variants(file, type));
  expect(all.length).toBeGreaterThan(20);
  expect(all.filter((variant) => !declared.has(variant)), "every variant must be on a tour").toEqual([]);
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
  await expect.poll(() => found.filter((text) => !plain.some((told) => told.endsWith(`: ${text}`))), "every text must be detected").toEqual([]);
});

tour("the start page, its forms and dialogs", async ({ come, look, files }) => {
  const page = await come();
  await page.goto(files);
  await expect(page.locator("[data-way=play]")).toBeVisible();
  await look(page, "Screen::Home");
  await lookAtDialog(page, () => page.locator(".foot button").nth(0).click(), "Dialog::Rules", look);
  await lookAtDialog(page, () => page.locator(".foot button").nth(1).click(), "Dialog::Settings", look);
  await page.locator("#link").fill("?");
  await page.locator(".join-link button").click();
  await expectNotice(page, /⟦/);
  for (const fragment of ["table/abc", "seed/abc/many", "seed/abc/0", "join/abc/short"]) {
    await page.goto("about:blank");
    await page.goto(`${files}#${fragment}`);
    await expectNotice(page, /⟦/, fragment);
  }
  await look(page, "a link that leads nowhere");
  for (const role of ["join", "watch", "coach", "behind"]) {
    await page.goto(`${files}#${role}/abc/${"A".repeat(22)}`);
    await expect(page.locator("main.form.narrow")).toBeVisible();
    await look(page, "Screen::Join");
  }
  await page.locator("button.primary.big").click();
  await expect(page.locator("main.form [role=alert]")).toBeVisible();
  await look(page, "no server");
  await page.goto(`${files}#new`);
  await page.locator(".house summary").click();
  await page.locator("input[autocomplete=nickname]").fill("\u200b");
  await expect(page.locator(".bad-name")).toBeVisible();
  await look(page, "Screen::Create");
});

tour("a hand in the browser", async ({ come, look, files }) => {
  const page = await come();
  await startSeeded(page, files, "lubbock");
  await look(page, "Screen::Table");
  await expect(choices(page)).toBeVisible();
  await look(page, "Phase::Bidding");
  await step(page, "pass");
  await page.locator(".take-back").click();
  await expect(choices(page)).toBeVisible();
  await outbid(page);
  await look(page, "Phase::TrumpSelection");
  await declare(page);
  await look(page, "Phase::Playing");
  await lookAtDialog(page, () => page.locator("button.claim").click(), "Dialog::Claim", look);
  await step(page);
  await playUntil(page, [".go-on"]);
  // It is nobody's turn.
  await hand(page).first().click({ force: true });
  await expectNotice(page, /⟦/);
  await look(page, "a complete trick");
  await page.locator(".go-on").click();
  await expect(page.locator(".go-on")).toHaveCount(0);
  await lookAtDialog(page, () => page.keyboard.press("l"), "Dialog::LastTrick", look);
  await lookAtDialog(page, () => page.keyboard.press("h"), "Dialog::History", look);
  await playTo(page, ["scoring"]);
  await expect(page.locator(".held .mini.open").first()).toBeAttached();
  await look(page, "Phase::Scoring");
  await playUntil(page, ["#hand .blocked"], "pass");
  const told = await page.evaluate(() => window.notices.length);
  await page.locator("#hand .blocked").first().click({ force: true });
  await expect.poll(() => page.evaluate(() => window.notices.length), "the page must say why").toBeGreaterThan(told);
  await look(page, "a blocked domino");
  await lookAtDialog(page, async () => {
    await page.keyboard.press("s");
    await page.locator("dialog .switch").last().click();
  }, "a second tap is required", look);
  const tapped = await page.evaluate(() => window.notices.length);
  await playable(page).first().click();
  await expect.poll(() => page.evaluate(() => window.notices.length), "the page must ask for another tap").toBeGreaterThan(tapped);
  await look(page, "a second tap is required");
  await lookAtDialog(page, () => openMenu(page), "Dialog::Leave", look);
  await page.evaluate(() => window.dispatchEvent(new Event("texas42-update")));
  await expect(page.locator(".update")).toBeVisible();
  await look(page, "a new version");
  const second = await page.context().newPage();
  await second.goto(`${files}#play`);
  await expect(hand(second).first()).toBeVisible();
  await expect(page.locator("main.waiting .primary")).toBeVisible();
  await look(page, "ConnectionState::Elsewhere");
  await page.locator("main.waiting .quiet").click();
  await expect(page.locator("[data-way=continue]")).toBeVisible();
  await look(page, "ConnectionState::None");
});

tour("a lesson", async ({ come, look, files }) => {
  const page = await come();
  const best = page.locator(".advice.best");
  await startOffline(page, files, "learn");
  await expect(page.locator(".auction .advice.best")).toBeVisible();
  await look(page, "advice on bids");
  await outbid(page);
  await expect(page.locator(".naming .advice.best")).toBeVisible();
  await look(page, "advice on trumps");
  await declare(page);
  await expect(best).toBeVisible();
  await look(page, "advice on dominoes");
  await playTo(page, ["one-hand-complete"]);
  await look(page, "the end of a lesson");
});

tour("the daily challenge", async ({ come, look, files }) => {
  const page = await come();
  await page.clock.setFixedTime(new Date("2026-11-18T12:00:00"));
  await page.goto(files);
  holdTime(page);
  await page.locator("[data-way=daily]").click();
  await expect(page.locator(".waiting [role=status]")).toHaveText(/%/);
  await look(page, "ConnectionState::Looking");
  await releaseTime(page);
  await expect(hand(page)).toHaveCount(7);
  await playTo(page, ["one-hand-complete"]);
  await page.locator(".stars + button").click();
  await expect.poll(() => page.evaluate(() => window.copied), "the result must be copied").toMatch(/⟦/);
  await look(page, "Phase::OneHandComplete");
});

tour("a table with others", async ({ come, look, url, server }) => {
  const ann = await come();
  const bob = await come({ ...SIZES.phone, settings: { name: "Bob", still: true } });
  const link = pseudo(await setTable(ann, url, { ready: false, seconds: 600, target: 1 }));
  await look(ann, "Phase::Setup");
  await ann.locator(".invitation button").click();
  await expectNotice(ann, /⟦/);
  await bob.goto(link);
  await expect(bob.locator("main.form option").nth(1)).toContainText("Ann");
  await look(bob, "an invite");
  await bob.locator("button.primary.big").click();
  await sayReady(bob);
  await expect(ann.locator(".seat.place-2")).toContainText("Bob");
  for (const page of [ann, bob]) await look(page, "who is ready");
  await sayReady(ann);
  for (const page of [ann, bob]) await expect(hand(page)).toHaveCount(7);
  await look(ann, "ConnectionState::Up");
  await lookAtDialog(ann, async () => {
    await ann.locator(".tools .icon").first().click();
    await invitation(ann, ann.locator("dialog input.link"));
  }, "Dialog::Invite", look);
  const asker = await whoDecides([ann, bob]);
  const other = asker === ann ? bob : ann;
  await step(asker);
  await expect(choices(other)).toBeVisible();
  await asker.locator(".take-back").click();
  await expect(other.locator(".asked .primary")).toBeVisible();
  for (const page of [ann, bob]) await look(page, "a request to undo");
  await other.locator(".asked .primary").click();
  await expect(choices(asker)).toBeVisible();
  await openMenu(ann);
  await ann.locator("dialog .stack button").nth(1).click();
  await expect(ann.locator(".own-bar > .small")).toBeVisible();
  for (const page of [ann, bob]) await look(page, "a bot on the person's seat");
  await ann.locator(".own-bar > .small").click();
  await expect(ann.locator(".own-bar > .small")).toHaveCount(0);
  await bob.goto("about:blank");
  await expect(ann.locator(".seat.away")).toBeVisible();
  await openMenu(ann);
  await expect(ann.locator("[data-do=replace]")).toBeVisible();
  await look(ann, "a player is away");
  await ann.keyboard.press("Escape");
  await server.kill();
  await expect(ann.locator(".line.on")).toBeVisible();
  await look(ann, "ConnectionState::Down");
});

tour("the end of a game with others", async ({ come, look, url }) => {
  const ann = await come();
  const bob = await come({ ...SIZES.phone, settings: { name: "Bob", still: true } });
  await sitDown(bob, pseudo(await setTable(ann, url, { target: 1 })), "Bob");
  await Promise.all([ann, bob].map((page) => playTo(page, ["game-end"])));
  for (const page of [ann, bob]) await look(page, "Phase::GameEnd");
  await ann.locator(".fair summary").click();
  await ann.locator(".fair .check").click();
  await expect(ann.locator(".verdict")).toHaveText(/⟦/);
  await look(ann, "verified deals");
  await ann.locator(".ending .primary").first().click();
  await expect(hand(ann)).toHaveCount(7);
  await expect(bob.locator(".ending .hint")).toBeVisible();
  await look(bob, "the next game");
  // A table that does not answer.
  await ann.routeWebSocket("**/ws", () => {});
  await ann.reload();
  await expect(ann.locator("main.waiting [role=status]")).toHaveText(/⟦/);
  await look(ann, "ConnectionState::Connecting");
});

tour("spectators", async ({ come, look, url }) => {
  const ann = await come();
  await setTable(ann, url, { openHands: true, preset: "family" });
  const field = ann.locator("input.link").first();
  // Links for all roles but the one shown are offered, always in the same order.
  const links = {};
  for (let at = 0; at < 3; at++) {
    const before = await field.inputValue();
    await ann.locator(".invitation ~ .row .quiet").nth(at).click();
    await expect(field).not.toHaveValue(before);
    const link = await field.inputValue();
    links[link.match(/#(\w+)/)[1]] = pseudo(link);
  }
  await look(ann, "links for others");
  await fillSeats(ann);
  const comeBy = async (role, name) => {
    const page = await come({ settings: { name, still: true } });
    await page.goto(links[role]);
    await page.locator("button.primary.big").click();
    await expect(page.locator(".table-page")).toBeVisible();
    return page;
  };
  const [cora, wes, dev] = [await comeBy("coach", "Cora"), await comeBy("watch", "Wes"), await comeBy("behind", "Dev")];
  await playToOwnTurn(ann);
  await expect(cora.locator("#hand .tile.hinted").first()).toBeVisible();
  await look(cora, "a coach");
  await wes.locator(".own-bar .quiet").first().click();
  await look(wes, "a spectator");
  await step(ann);
  await playUntil(ann, [".go-on"]);
  await expect(dev.locator(".intent").first()).toHaveText(/⟦/);
  await dev.locator(".tools .icon").nth(-3).click();
  await dev.locator("dialog details").evaluateAll((parts) => parts.forEach((part) => (part.open = true)));
  await expect(dev.locator("dialog .layers > li").first()).toBeVisible();
  await look(dev, "Dialog::Developer");
});

tour("a game goes online", async ({ come, look, url }) => {
  const ann = await come();
  await startOffline(ann, url);
  await expect(choices(ann)).toBeVisible();
  await openMenu(ann);
  await ann.locator("[data-do=go-online]").click();
  const link = await invitation(ann);
  await look(ann, "the game is online");
  const bob = await come({ ...SIZES.phone, settings: { name: "Bob", still: true } });
  await sitDown(bob, pseudo(link), "Bob");
  await expectNotice(bob, /⟦/);
  await look(bob, "a guest at an imported game");
});
