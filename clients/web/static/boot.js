// Loads the page, and keeps it for flight mode. A new version waits until the person wants it.
import init, { start_page } from "./texas42.js";

// What leads back to the game of this browser stands beside its log as well: a browser that is killed right after the first
// deal has not written its localStorage yet.
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

// The game of this browser is played in one tab: the one that took it last.
const tabs = new BroadcastChannel("texas42");
tabs.onmessage = () => window.dispatchEvent(new Event("texas42-elsewhere"));
window.addEventListener("texas42-here", () => tabs.postMessage(0));

// Where the browser keeps nothing, there is nothing to remember.
Promise.all([init({ module_or_path: new URL("texas42_bg.wasm", import.meta.url) }), remember().catch(() => {})]).then(() => start_page());

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
