// Playing with others, through the native server with the page inside.
import { fits } from "./boxes.js";
import { check, test, until } from "./harness.js";
import { hand, phase, playTo, step } from "./player.js";
import { startServer } from "./server.js";

const withServer = (work) => async (world) => {
  const server = await startServer(world.root);
  try {
    await work({ ...world, url: server.url });
  } finally {
    await server.stop();
  }
};

// Sets a table for two people and two programs; the link that it gives is the invitation.
async function setTable(page, url) {
  await page.goto(`${url}#new`);
  await page.waitForSelector(".preset");
  await page.click("button.primary.big");
  return until("an invitation", () => page.inputValue("input.link").catch(() => ""));
}

async function sitDown(page, link, name) {
  await page.goto(link);
  await page.fill("input[autocomplete=nickname]", name);
  await page.click("button.primary.big");
  await page.waitForSelector("#hand .tile");
}

test("two people and two programs play a hand; one is cut off and comes back", withServer(async ({ visit, url, shots }) => {
  const ann = await visit({ settings: { name: "Ann" } });
  const bob = await visit({ settings: { name: "Bob" }, width: 820, height: 1180 });
  const link = await setTable(ann, url);
  check(link.startsWith(url) && link.includes("#join/"), `the key is behind #: ${link}`);
  await ann.waitForTimeout(300);
  await ann.screenshot({ path: `${shots}/lobby.png` });
  await fits(ann, "lobby");
  await sitDown(bob, link, "Bob");
  await ann.waitForSelector("#hand .tile");
  const playBoth = async (phases) => until(`both reach ${phases}`, async () => {
    if (phases.includes(await phase(ann)) && phases.includes(await phase(bob))) return true;
    await step(ann);
    await step(bob);
    return false;
  }, 120);
  await playBoth(["playing"]);
  const [before, context] = [await hand(bob), bob.context()];
  await bob.close();
  await until("Ann sees that Bob is away", () => ann.$(".seat.away"));
  const again = await context.newPage();
  await again.goto(`${url}`);
  await again.click("[data-way=back]");
  await again.waitForSelector("#hand .tile");
  check((await hand(again)).every((domino) => before.includes(domino)), "Bob has his hand back");
  await until("Ann sees that Bob is there", async () => !(await ann.$(".seat.away")));
  await until("the hand is scored", async () => {
    if ((await phase(ann)) === "scoring") return true;
    await step(ann);
    await step(again);
    return false;
  }, 120);
}));

test("a program takes a seat over and gives it back in the middle of a hand", withServer(async ({ visit, url }) => {
  const ann = await visit({ settings: { name: "Ann" } });
  await setTable(ann, url);
  await ann.click(".invitation ~ .row .small:not(.quiet)");
  await ann.waitForSelector("#hand .tile");
  await playTo(ann, ["playing"]);
  await ann.click(".bar > .icon");
  await ann.click("dialog .stack button >> nth=1");
  await ann.waitForSelector("text=Take my seat back");
  await ann.click("text=Take my seat back");
  await until("Ann moves again", async () => (await ann.$("#hand .playable")) || (await phase(ann)) !== "playing");
}));

test("a lost line is shown and mended", withServer(async ({ visit, url }) => {
  const ann = await visit({ settings: { name: "Ann" } });
  await setTable(ann, url);
  await ann.click(".invitation ~ .row .small:not(.quiet)");
  await ann.waitForSelector("#hand .tile");
  const before = await hand(ann);
  await ann.reload();
  await ann.waitForSelector("#hand .tile");
  check((await hand(ann)).every((domino) => before.includes(domino)), "a reload leads back to the table");
}));
