// Several people at one device take turns; the table covers the dominoes while the device changes hands.
import { auditEverywhere } from "./audit.js";
import { expect, test } from "./fixtures.js";
import { atPhase, choices, closeDialog, dominoes, hand, openMenu, playUntil, startOffline } from "./player.js";

const cover = (page) => page.locator(".cover");
const person = (page, seat) => cover(page).locator(`[data-person="${seat}"]`);

// Creates a table on this device for Maria at the first seat, Bea across from her, and two bots.
async function startHotSeat(page, url, { names = { 3: "Bea" } } = {}) {
  await page.goto(`${url}#new`);
  await page.locator("[data-offline=true]").check();
  for (const [number, name] of Object.entries(names)) {
    await page.locator(".seat-choice select").nth(number - 2).selectOption({ index: 0 });
    await page.locator(`input[data-name="${number}"]`).fill(name);
  }
  await page.locator("button.primary.big").click();
}

// Both people bid as little as possible, so that they also play.
const GOALS = [".cover", ".table-page[data-phase=scoring]"];

test("two people play a whole hand on one device, and neither sees the other's dominoes", async ({ visit, files }) => {
  const page = await visit();
  await startHotSeat(page, files.url);
  const seen = { 0: new Set(), 2: new Set() };
  const note = async (seat) => { for (const domino of await dominoes(page)) seen[seat].add(domino); };
  await expect(hand(page).or(cover(page)).first()).toBeVisible();
  let [shown, turns] = [0, 0];
  if (!(await cover(page).count())) await note(shown);
  for (;;) {
    if ((await playUntil(page, GOALS)) !== ".cover") break;
    await expect(hand(page), "covered dominoes are not in the page").toHaveCount(0);
    const next = Number(await cover(page).locator(".primary").getAttribute("data-person"));
    expect(next, "the cover asks for the other person").not.toBe(shown);
    await expect(page.locator(".still-out"), "nor is what they leave for the others").toHaveCount(0);
    await expect(cover(page)).toContainText(next === 0 ? "Pass the device to Maria." : "Pass the device to Bea.");
    await person(page, next).click();
    await expect(cover(page)).toHaveCount(0);
    [shown, turns] = [next, turns + 1];
    await note(shown);
  }
  expect(turns, "the device must change hands").toBeGreaterThan(1);
  for (const seat of [0, 2]) expect(seen[seat].size, "each person holds seven dominoes").toBe(7);
  expect([...seen[0]].filter((domino) => seen[2].has(domino)), "no domino is in both hands").toEqual([]);
  // One tap continues for both.
  await page.locator(".result .primary").click();
  await expect(atPhase(page, "bidding")).toBeVisible();
});

test("after a reload everybody is still at the table, and nothing is shown before somebody says who looks", async ({ visit, files }) => {
  const page = await visit();
  await startHotSeat(page, files.url);
  await expect(hand(page).or(cover(page)).first()).toBeVisible();
  await page.reload();
  await expect(cover(page)).toBeVisible();
  await expect(hand(page)).toHaveCount(0);
  await person(page, 2).click();
  const bea = await dominoes(page);
  await expect(page.locator(".seat.place-2 .who b")).toHaveText("Maria");
  await page.locator("[data-do=switch-player]").click();
  await expect(cover(page)).toBeFocused();
  await expect(hand(page)).toHaveCount(0);
  await person(page, 0).click();
  const maria = await dominoes(page);
  expect(maria.filter((domino) => bea.includes(domino))).toEqual([]);
  expect([maria.length, bea.length]).toEqual([7, 7]);
});

test("a person's decision is covered with the dominoes", async ({ visit, files }) => {
  const page = await visit();
  await startHotSeat(page, files.url);
  for (;;) {
    await expect(choices(page).or(cover(page)).first()).toBeVisible();
    if (await choices(page).count()) break;
    await cover(page).locator(".primary").click();
  }
  await page.locator("[data-do=switch-player]").click();
  await expect(choices(page)).toHaveCount(0);
  await page.keyboard.type("p");
  await expect(cover(page)).toBeVisible();
});

test("a table of one device offers no way online, and one person needs no cover", async ({ visit, files }) => {
  const page = await visit();
  await startHotSeat(page, files.url);
  await expect(hand(page).or(cover(page)).first()).toBeVisible();
  await openMenu(page);
  await expect(page.locator("dialog[open]")).toBeVisible();
  await expect(page.locator("[data-do=go-online]")).toHaveCount(0);
  await closeDialog(page);
  await startOffline(page, files.url);
  await expect(page.locator("[data-do=switch-player]")).toHaveCount(0);
  await playUntil(page, [".table-page[data-phase=scoring]", ".cover"]);
  await expect(cover(page)).toHaveCount(0);
});

test("everybody at a device needs a name of their own", async ({ visit, files }) => {
  const page = await visit();
  await startHotSeat(page, files.url, { names: { 2: "Bea", 3: "Bea" } });
  await expect(page.locator(".bad-name")).toHaveText("Enter a name nobody else at this table has.");
  await expect(page.locator("input[data-name='3']")).toBeFocused();
  await page.locator("input[data-name='3']").fill("");
  await page.locator("button.primary.big").click();
  await expect(hand(page).or(cover(page)).first()).toBeVisible();
  await expect(page.locator(".seat .who b", { hasText: "Seat 3" })).toHaveCount(1);
});

test("the form and the cover fit and are readable", async ({ visit, files }) => {
  const page = await visit({ settings: { still: true } });
  await page.goto(`${files.url}#new`);
  await page.locator("[data-offline=true]").check();
  await page.locator(".seat-choice select").nth(1).selectOption({ index: 0 });
  await expect(page.locator("input[data-name='3']")).toBeVisible();
  await page.locator(".house summary").click();
  await auditEverywhere(page, "hot-seat-form");
  await startHotSeat(page, files.url);
  await expect(hand(page).or(cover(page)).first()).toBeVisible();
  await page.locator("[data-do=switch-player]").click();
  await expect(cover(page)).toBeVisible();
  await auditEverywhere(page, "hot-seat-cover");
});
