// Loads the page and registers the service worker for offline use. A new version waits until the person accepts it.
import init, { start_page } from "./texas42.js";

// The ticket to this browser's current game is stored in IndexedDB as well, next to its log: a browser that is killed right after the
// first deal may not have written its localStorage yet.
const TICKET = "texas42.offline";
const rows = (mode, work) => new Promise((done, failed) => {
  const opening = indexedDB.open("texas42", 1);
  opening.onupgradeneeded = () => opening.result.createObjectStore("events");
  opening.onerror = failed;
  opening.onsuccess = () => {
    const transaction = opening.result.transaction("events", mode);
    const asked = work(transaction.objectStore("events"));
    transaction.onabort = failed;
    transaction.oncomplete = () => {
      opening.result.close();
      done(asked.result);
    };
  };
});
const remember = async () => {
  if (localStorage.getItem(TICKET)) return;
  const ticket = await rows("readonly", (events) => events.get("ticket"));
  if (ticket) localStorage.setItem(TICKET, ticket);
};
window.addEventListener("texas42-ticket", () => {
  const ticket = localStorage.getItem(TICKET);
  rows("readwrite", (events) => (ticket ? events.put(ticket, "ticket") : events.delete("ticket"))).catch(() => {});
});
// The page deletes a game of this browser: its log goes as well.
window.addEventListener("texas42-forget", () => {
  const { forget } = document.documentElement.dataset;
  rows("readwrite", (events) => events.delete(IDBKeyRange.bound([forget, 0], [forget, Infinity]))).catch(() => {});
});

// Only one tab plays this browser's game: the one that opened it last.
const tabs = new BroadcastChannel("texas42");
tabs.onmessage = () => window.dispatchEvent(new Event("texas42-elsewhere"));
window.addEventListener("texas42-here", () => tabs.postMessage(0));

// A browser needs a millisecond or more for glyphs of a font size that it has not drawn yet, and a table has many sizes, so a new
// screen would miss its frame. Therefore every font of the style sheet is measured once, off screen, while the page is idle.
const LETTERS = "0123456789 abcdefghijklmnopqrstuvwxyz ABCDEFGHIJKLMNOPQRSTUVWXYZ áéíóúñ .,:;?!¿¡()+-–·★";
const idle = window.requestIdleCallback ?? ((work) => setTimeout(work, 60));
const warmFonts = () => {
  const rules = [...document.styleSheets].flatMap((sheet) => [...sheet.cssRules]).map((rule) => rule.cssText).join("");
  const sizes = new Set([...rules.matchAll(/font(?:-size)?:[^;{}]*?([\d.]+px)/g)].map(([, size]) => size));
  const fonts = [...sizes].flatMap((size) => [400, 600, 700].map((weight) => `${weight} ${size} var(--sans)`).concat(`700 ${size} var(--serif)`));
  const place = document.createElement("p");
  place.className = "warm";
  place.ariaHidden = "true";
  place.textContent = LETTERS;
  document.body.append(place);
  const next = () => {
    const font = fonts.pop();
    if (!font) return place.remove();
    place.style.font = font;
    place.getBoundingClientRect();
    idle(next);
  };
  idle(next);
};

// The fonts are small and arrive before the module. The page waits for them, so that nothing moves later, but not for long.
const LONGEST_WAIT = 1000;
const fonts = Promise.race([
  Promise.all([...document.fonts].map((font) => font.load())).catch(() => {}),
  new Promise((done) => setTimeout(done, LONGEST_WAIT)),
]);

// The screens that study a game are a module of their own, with its own style. They are loaded once, when a person opens one or may open
// one next. A browser may remember that a script could not be loaded, so another attempt has another address.
const here = (name) => new URL(name, import.meta.url);
const loadStyle = () => new Promise((done, failed) => {
  const link = Object.assign(document.createElement("link"), { rel: "stylesheet", href: here("study.css") });
  link.onload = done;
  link.onerror = () => {
    link.remove();
    failed(new Error("the style of the study module could not be loaded"));
  };
  document.head.append(link);
});
const importStudy = async (attempt) => {
  const module = await import(here(attempt ? `study.js?${attempt}` : "study.js"));
  await module.default({ module_or_path: here("study_bg.wasm") });
  return module.Study;
};
let [study, attempts] = [null, 0];
const loadStudy = () => {
  study ??= Promise.all([importStudy(attempts), loadStyle()]).then(([Study]) => Study).catch((error) => {
    study = null;
    attempts += 1;
    throw error;
  });
  return study;
};

// If storage is unavailable, there is no ticket to restore.
Promise.all([init({ module_or_path: new URL("texas42_bg.wasm", import.meta.url) }), remember().catch(() => {}), fonts]).then(async () => {
  await start_page(loadStudy);
  warmFonts();
});

// The person's turn. The page says it in `data-turn`: the title of a hidden tab shows it. With the setting `data-alerts` a phone
// vibrates, and a hidden page sends a notification, which disappears when the person looks.
const { documentElement: root } = document;
const TAG = "turn";
// The title without the turn. The page changes it with the language.
const title = () => document.title.replace(/^● .* · /, "");
let turn = "";
const notifications = (work) => navigator.serviceWorker?.ready.then(work).catch(() => {});
const showTurn = () => { document.title = document.hidden && turn ? `● ${turn} · ${title()}` : title(); };
const alertTurn = () => {
  navigator.vibrate?.(40);
  if (document.hidden) notifications((registration) => registration.showNotification(turn, { body: title(), tag: TAG, icon: "icon-192.png" }));
};
new MutationObserver((changes) => {
  const now = root.dataset.turn ?? "";
  if (now && now !== turn && root.dataset.alerts === "on") {
    turn = now;
    alertTurn();
  }
  turn = now;
  showTurn();
  const isSwitchedOn = changes.some(({ attributeName, oldValue }) => attributeName === "data-alerts" && oldValue === "off") && root.dataset.alerts === "on";
  if (isSwitchedOn) window.Notification?.requestPermission();
}).observe(root, { attributeFilter: ["data-turn", "data-alerts"], attributeOldValue: true });
document.addEventListener("visibilitychange", () => {
  showTurn();
  if (!document.hidden) notifications(async (registration) => (await registration.getNotifications({ tag: TAG })).forEach((one) => one.close()));
});

// What only some browsers have: a dialog to share a link, and an offer to install the page. Elsewhere the page shows no buttons for them.
if (navigator.share) root.dataset.share = "on";
window.addEventListener("texas42-share", () => {
  // A person may change their mind, which is an error to the browser.
  navigator.share({ title: title(), url: root.dataset.link }).catch(() => {});
  delete root.dataset.link;
});
let offer;
window.addEventListener("beforeinstallprompt", (event) => {
  event.preventDefault();
  offer = event;
  root.dataset.install = "on";
});
window.addEventListener("texas42-install", () => {
  offer?.prompt();
  delete root.dataset.install;
});

if ("serviceWorker" in navigator) {
  let wanted = false;
  const tell = () => window.dispatchEvent(new Event("texas42-update"));
  navigator.serviceWorker.register("sw.js").then((registration) => {
    const look = () => { if (registration.waiting && navigator.serviceWorker.controller) tell(); };
    look();
    registration.addEventListener("updatefound", () => {
      const coming = registration.installing;
      coming?.addEventListener("statechange", () => { if (coming.state === "installed") look(); });
    });
    window.addEventListener("texas42-accept-update", () => {
      wanted = true;
      registration.waiting?.postMessage("accept");
    });
  }).catch(() => {});
  navigator.serviceWorker.addEventListener("controllerchange", () => { if (wanted) location.reload(); });
}
