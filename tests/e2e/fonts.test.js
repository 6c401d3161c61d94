// The bundled typefaces: every browser draws the page with the same letters, also offline, and nothing moves when they arrive.
import { expect, test } from "./fixtures.js";

const start = (page) => page.locator("[data-way=play]");
// The typefaces of the headline and of the text, and the state of every bundled font.
const fontState = (page) => page.evaluate(() => ({
  families: [".brand h1", ".brand p"].map((selector) => getComputedStyle(document.querySelector(selector)).fontFamily.split(",")[0]),
  fonts: [...document.fonts].map(({ family, weight, status }) => `${family} ${weight} ${status}`).sort(),
}));
const BUNDLED = {
  families: ['"Zilla Slab"', '"Atkinson Hyperlegible"'],
  fonts: ["Atkinson Hyperlegible 400 loaded", "Atkinson Hyperlegible 700 loaded", "Zilla Slab 700 loaded"],
};

test("the page brings its own typefaces, also from a server", async ({ visit, files, server }) => {
  for (const { url } of [files, server]) {
    const page = await visit();
    await page.goto(url);
    await expect(start(page)).toBeVisible();
    expect(await fontState(page), url).toEqual(BUNDLED);
  }
});

test("the typefaces load offline", async ({ visit, files }) => {
  const page = await visit({ serviceWorkers: "allow" });
  await page.goto(files.url);
  await expect.poll(() => page.evaluate(() => navigator.serviceWorker.controller !== null), "the service worker must control the page").toBe(true);
  await page.context().setOffline(true);
  await page.reload();
  await expect(start(page)).toBeVisible();
  expect(await fontState(page)).toEqual(BUNDLED);
});

test("the page starts even if no typeface arrives", async ({ visit, files }) => {
  const page = await visit();
  await page.route("**/*.woff2", (route) => route.abort());
  await page.goto(files.url);
  await expect(start(page)).toBeVisible();
});
