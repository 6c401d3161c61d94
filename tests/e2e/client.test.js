// The JavaScript client in a browser: its example page plays a hand in every mode.
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "./fixtures.js";
import { LAUNCH } from "./options.js";

const FOLDER = "clients/js/";
// The test fulfills the requests for the page itself, so that Chromium does not see that page and server have one address.
const ONE_ADDRESS = "--disable-features=LocalNetworkAccessChecks,LocalNetworkAccessChecksWebSockets";
const TYPES = { html: "text/html", js: "text/javascript" };

/** Serves the client from the origin of the server. */
async function serveClient(page, server) {
  await page.context().route(`${server.url}${FOLDER}**`, (route) => {
    const path = new URL(route.request().url()).pathname.slice(1);
    const body = readFileSync(fileURLToPath(new URL(`../../${path}`, import.meta.url)), "utf8");
    return route.fulfill({ body, contentType: TYPES[path.split(".").at(-1)] });
  });
}

for (const mode of ["websocket", "http", "worker"]) {
  test(`the example page plays a hand, ${mode}`, async ({ playwright, server }) => {
    const browser = await playwright.chromium.launch({ ...LAUNCH, args: [...LAUNCH.args, ONE_ADDRESS] });
    const page = await browser.newPage();
    const errors = [];
    page.on("pageerror", (error) => errors.push(error));
    await serveClient(page, server);
    await page.goto(`${server.url}${FOLDER}examples/page.html?mode=${mode}`);
    // Looks and clicks in one step, so that no update can come between the two.
    await page.waitForFunction(() => {
      const isOver = document.getElementById("phase").textContent === "one-hand-complete";
      if (!isOver) [...document.querySelectorAll("#actions button:enabled")].at(-1)?.click();
      return isOver || document.getElementById("error").textContent !== "";
    });
    await expect(page.locator("#error")).toBeEmpty();
    expect(errors).toEqual([]);
    await browser.close();
  });
}
