// Takes the picture in the README: an offline hand from a fixed seed, in the person's own turn. Every run shows the same hand; only the
// browser's rounding of colors differs between runs.
import { expect, test } from "./fixtures.js";
import { PICTURE } from "./paths.js";
import { declare, outbid, playUntil, settled, startSeeded, step } from "./player.js";

const MAX_BYTES = 60_000;
// The tricks that are played before the picture.
const TRICKS = 2;

test("the picture in the README", async ({ visit, files }) => {
  const page = await visit({ width: 1040, height: 680, settings: { still: true } });
  await startSeeded(page, files.url, "lubbock");
  await outbid(page);
  await declare(page);
  for (let trick = 0; trick < TRICKS; trick += 1) {
    await step(page);
    await playUntil(page, [".table-page:has(.played):has(#hand .playable)"]);
  }
  // Move the pointer away, so that no domino is highlighted.
  await page.mouse.move(0, 0);
  await settled(page);
  // The browser dithers the felt, which PNG cannot compress.
  const picture = await page.screenshot({ path: PICTURE, animations: "disabled", type: "jpeg", quality: 75 });
  expect(picture.length, "the picture is small enough for a README").toBeLessThan(MAX_BYTES);
});
