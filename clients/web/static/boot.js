// Loads the page, and keeps it for flight mode. A new version waits until the person wants it.
import init, { start_page } from "./texas42.js";

init({ module_or_path: new URL("texas42_bg.wasm", import.meta.url) }).then(start_page);

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
