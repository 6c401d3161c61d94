// Caches the page for offline use. Files are named by their content hash, so cached files are never stale; only the entry page
// changes. A new version is downloaded completely and then waits until the person accepts it or no page is open.
//
// What the page loads only for some screens comes after the rest, so that a replay opens offline as well. It may fail, and a browser that
// saves data does without: it is then cached when the page loads it.
const VERSION = "{{version}}";
const FILES = {{list}};
const LATER = {{later}};
const PREFIX = "texas42-";

self.addEventListener("install", (event) => {
  event.waitUntil((async () => {
    const cache = await caches.open(PREFIX + VERSION);
    await cache.addAll(FILES);
    if (!navigator.connection?.saveData) await cache.addAll(LATER).catch(() => {});
  })());
});

// The version before stays: a page that still runs it may have to start its worker again.
self.addEventListener("activate", (event) => {
  event.waitUntil((async () => {
    const names = (await caches.keys()).filter((name) => name.startsWith(PREFIX));
    const old = names.filter((name) => name !== PREFIX + VERSION);
    await Promise.all(old.slice(0, -1).map((name) => caches.delete(name)));
    await self.clients.claim();
  })());
});

self.addEventListener("message", (event) => {
  if (event.data === "accept") self.skipWaiting();
});

// A notification of the person's turn leads back to the page.
self.addEventListener("notificationclick", (event) => {
  event.notification.close();
  event.waitUntil(self.clients.matchAll({ type: "window" }).then(([page]) => page?.focus()));
});

self.addEventListener("fetch", (event) => {
  const url = new URL(event.request.url);
  if (event.request.method !== "GET" || url.origin !== location.origin || url.pathname.includes("/api/")) return;
  event.respondWith((async () => {
    const cache = await caches.open(PREFIX + VERSION);
    const kept = event.request.mode === "navigate"
      ? await cache.match("./")
      : (await cache.match(event.request)) ?? (await caches.match(event.request));
    if (kept) return kept;
    const answer = await fetch(event.request);
    if (answer.ok && LATER.some((file) => url.href === new URL(file, self.registration.scope).href)) await cache.put(event.request, answer.clone());
    return answer;
  })());
});
