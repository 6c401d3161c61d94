// The review of a replay: its progress, both lenses, the chart, the grid of a bid, learning from mistakes, and that its numbers are those of the
// `review` command.
import { execFileSync } from "node:child_process";
import { auditEverywhere } from "./audit.js";
import { expect, test } from "./fixtures.js";
import { PROGRAM } from "./paths.js";

// A complete game to two marks, with errors of seats 1, 2 and 4.
const CODE = "aSenyngE-40rg8N-erZke88Wzr4fAFcQ";

const review = (page) => page.locator(".review");
const position = (page) => page.locator(".steps output");
const start = (page) => review(page).locator("[data-do=review]");
const news = (page) => review(page).locator(".review-news");
const player = (page, seat) => review(page).locator(`.players [data-seat="${seat}"]`);

async function open(page, url) {
  await page.goto(`${url}#replay/${CODE}`);
  await expect(position(page)).toHaveText(/^0 of \d+$/);
}

async function reviewed(page, url) {
  await open(page, url);
  await start(page).click();
  await expect(news(page)).toHaveText("The review is finished.", { timeout: 60_000 });
}

// The review of the same game by the command, with its defaults.
const byCommand = () => JSON.parse(execFileSync(PROGRAM, ["review", "--json", "--code", CODE], { encoding: "utf8" }));

test("a review shows its first results, can be stopped, and continues", async ({ visit, files }) => {
  const page = await visit();
  await open(page, files.url);
  await expect(review(page).locator(".review-parts")).toHaveCount(0);
  // The review is below the table; a button of the replay leads there.
  await page.locator("[data-do=to-review]").click();
  await expect(page.locator("#review-title")).toBeFocused();
  await expect(page.locator("#review-title")).toBeInViewport();
  // Stopped as soon as it shows progress: the first decision is still to come.
  await page.evaluate(async () => {
    document.querySelector("[data-do=review]").click();
    while (!document.querySelector("[data-do=stop-review]")) await new Promise((done) => queueMicrotask(done));
    document.querySelector("[data-do=stop-review]").click();
  });
  await expect(news(page)).toHaveText("The review is paused.");
  // The part that was on its way is kept.
  await expect(review(page).locator(".review-parts")).toBeVisible();
  await expect(review(page).locator("progress")).toHaveCount(0);
  await start(page).click();
  await expect(news(page)).toHaveText("The review is finished.", { timeout: 60_000 });
  await expect(start(page)).toHaveCount(0);
});

test("the numbers of a review are those of the command", async ({ visit, files }) => {
  const page = await visit();
  await reviewed(page, files.url);
  const report = byCommand();
  for (const [seat, { accuracy }] of report.seats.entries()) {
    await expect(player(page, seat).locator(".accuracy")).toHaveText(`Accuracy ${accuracy === undefined ? "–" : accuracy.toFixed(0)}`);
  }
  const NAMES = { best: "best", "only-move": "only move", "too-close": "too close to call", good: "good", inaccuracy: "inaccuracy", mistake: "mistake", blunder: "blunder" };
  for (const { event, seat, class: name, choices } of report.decisions) {
    await player(page, seat).evaluate((details) => { details.open = true; });
    const button = player(page, seat).locator(`[data-event="${event}"]`);
    await expect(button.locator(".what small")).toHaveText(new RegExp(`^${NAMES[name]}`));
    await button.click();
    await expect(button).toHaveAttribute("aria-current", "step");
    const chances = review(page).locator(".lens.known tbody td:nth-of-type(1)");
    await expect(chances).toHaveText(choices.map(({ chance }) => `${(100 * chance).toFixed(0)}%`));
    const open = review(page).locator(".lens.open tbody td");
    await expect(open).toHaveText(choices.map(({ open }) => (open ? new RegExp(`^${open.made ? "made" : "set"}`) : "–")));
  }
});

test("the chart and its table lead to a step", async ({ visit, files }) => {
  const page = await visit();
  await reviewed(page, files.url);
  const point = review(page).locator(".chart-drawing g").last();
  await point.focus();
  await page.keyboard.press("Enter");
  await expect(position(page)).not.toHaveText(/^0 of/);
  const there = await position(page).textContent();
  await page.keyboard.press("Home");
  await expect(position(page)).toHaveText(/^0 of/);
  await review(page).locator(".chart-table summary").click();
  await review(page).locator(".moment").last().click();
  await expect(position(page)).toHaveText(there);
  await expect(review(page).locator(".turning")).toHaveCount(1);
});

test("a bid has a grid of its chances", async ({ visit, files }) => {
  const page = await visit();
  await reviewed(page, files.url);
  await review(page).locator("[data-do=grid]").click();
  await expect(review(page).locator(".grid tbody tr")).toHaveCount(13);
  await expect(review(page).locator(".grid tbody tr").first().locator("td")).toHaveCount(9, { timeout: 30_000 });
  await expect(review(page).locator(".bid-grid p")).toHaveText(/^An expert at this score: .* Here: 32/);
});

test("a person learns from a mistake", async ({ visit, files }) => {
  const page = await visit();
  await reviewed(page, files.url);
  const errors = byCommand().decisions.filter(({ seat, class: name }) => seat === 1 && ["inaccuracy", "mistake", "blunder"].includes(name));
  const [first, second] = errors;
  await page.locator(".steps select").selectOption({ label: "Seat 2" });
  await review(page).locator("[data-do=learn]").click();
  await expect(review(page).locator(".ask")).toHaveText(/^Seat 2 to choose/);
  await expect(page.locator(".steps input"), "the other hands must be hidden").not.toBeChecked();
  await expect(review(page).locator(".lens"), "the answer must be hidden").toHaveCount(0);
  const name = ({ type, bid, value }) => (type === "pass" ? "Pass" : bid === "marks" ? `${value} mark${value > 1 ? "s" : ""}` : String(value));
  await review(page).locator(`[data-try="${name(first.done)}"]`).click();
  await expect(review(page).locator(".learn-answer")).toHaveText(/not better\. Try again\./);
  await review(page).locator(`[data-try="${name(first.best)}"]`).click();
  await expect(review(page).locator(".learn-answer")).toHaveText(/: right\./);
  await review(page).locator("[data-do=next-mistake]").click();
  if (second) await expect(review(page).locator(".ask")).toBeVisible();
  await review(page).locator("[data-do=end-learning]").click();
  await expect(review(page).locator(".ask")).toHaveCount(0);
});

test("a review fits and is readable", async ({ visit, files }) => {
  const page = await visit({ settings: { still: true } });
  await open(page, files.url);
  await auditEverywhere(page, "review-start");
  await reviewed(page, files.url);
  await review(page).locator("[data-do=grid]").click();
  await expect(review(page).locator(".grid tbody tr").first().locator("td")).toHaveCount(9, { timeout: 30_000 });
  await review(page).locator(".chart-table summary").click();
  await player(page, 1).locator("summary").click();
  await review(page).scrollIntoViewIfNeeded();
  await auditEverywhere(page, "review-bid", { isThemed: true });
  await player(page, 1).locator(".decision").last().click();
  await auditEverywhere(page, "review-play");
  await page.locator(".steps select").selectOption({ label: "Seat 2" });
  await review(page).locator("[data-do=learn]").click();
  await auditEverywhere(page, "review-learn");
});
