// A person who looks elsewhere notices their turn: the title says it, and on request the phone vibrates and a notification is shown.
import { expect, test } from "./fixtures.js";
import { choices, outbid, playUntil, startPlaying, startSeeded, step } from "./player.js";

// Runs in every page before its scripts: the test decides whether the page is hidden, and records alerts.
function controlVisibility() {
  let isHidden = false;
  Object.defineProperty(document, "hidden", { get: () => isHidden });
  window.hide = (on) => {
    isHidden = on;
    document.dispatchEvent(new Event("visibilitychange"));
  };
  window.alerts = [];
  navigator.vibrate = () => window.alerts.push("vibration");
  const registration = {
    showNotification: async (text) => window.alerts.push(text),
    getNotifications: async () => [{ close: () => window.alerts.push("closed") }],
  };
  Object.defineProperty(navigator, "serviceWorker", { value: { ready: Promise.resolve(registration), register: async () => { throw new Error("off"); }, addEventListener() {} } });
}

async function startHidden(visit, url, settings) {
  const page = await visit({ settings: { still: true, ...settings } });
  await page.addInitScript(controlVisibility);
  await startSeeded(page, url, "lubbock");
  await expect(choices(page)).toBeVisible();
  return page;
}

const alerts = (page) => page.evaluate(() => window.alerts);

test("the title of a hidden tab says that it is the person's turn", async ({ visit, files }) => {
  const page = await startHidden(visit, files.url);
  await expect(page).toHaveTitle("Texas 42");
  await page.evaluate(() => window.hide(true));
  await expect(page).toHaveTitle("● Your bid · Texas 42");
  await page.evaluate(() => window.hide(false));
  await expect(page).toHaveTitle("Texas 42");
  expect(await alerts(page), "alerts are off by default").not.toContain("vibration");
});

test("alerts vibrate at each turn, and notify while the tab is hidden", async ({ visit, files }) => {
  const page = await startHidden(visit, files.url, { alerts: true, pace: "tap" });
  expect(await alerts(page), "a turn on a visible page").toEqual(["vibration"]);
  await page.evaluate(() => { window.alerts.length = 0; window.hide(true); });
  await outbid(page);
  await expect.poll(() => alerts(page), "the next turn while the tab is hidden").toEqual(expect.arrayContaining(["vibration", expect.stringMatching(/Your|Call/)]));
  await page.evaluate(() => window.hide(false));
  await expect.poll(() => alerts(page), "the notification disappears when the person looks").toContain("closed");
});

// Runs in every page before its scripts: records the pitch of every tone.
function recordTones() {
  window.tones = [];
  const param = (note) => ({ setValueAtTime: (value) => note?.(value), exponentialRampToValueAtTime() {} });
  window.AudioContext = class {
    currentTime = 0;
    destination = {};
    createOscillator = () => ({ frequency: param((pitch) => window.tones.push(pitch)), connect: (node) => node, start() {}, stop() {} });
    createGain = () => ({ gain: param(), connect: (node) => node });
  };
}

test("a turn sounds even if it comes with the domino of the player before", async ({ visit, files }) => {
  const page = await visit({ settings: { still: true, sounds: true } });
  await page.addInitScript(recordTones);
  await startPlaying(page, files.url);
  const [CLACK, KNOCK] = [320, 520];
  // Leads until somebody else does.
  while (!(await page.locator(".table-page:has(.played):has(#hand .playable)").count())) {
    await page.evaluate(() => { window.tones = []; });
    await step(page);
    await playUntil(page, ["#hand .playable", ".go-on"]);
  }
  const tones = await page.evaluate(() => window.tones);
  expect(tones, "the domino must sound").toContain(CLACK);
  expect(tones.at(-1), "and the turn after it").toBe(KNOCK);
});

test("switching alerts on asks for permission", async ({ visit, files }) => {
  const page = await visit();
  await page.addInitScript(() => { window.Notification = { requestPermission: () => { window.isAsked = true; } }; });
  await page.goto(files.url);
  await page.locator(".foot button:not(.install)").last().click();
  expect(await page.evaluate(() => window.isAsked)).toBeUndefined();
  await page.getByLabel("Alert me when it's my turn").check();
  await expect.poll(() => page.evaluate(() => window.isAsked)).toBe(true);
});
