/* A tablet as a kiosk (docs/tablets.md): the service worker and its updates, a screen that stays on, storage that the system
   does not clear, and the charge of the battery. Each part is left out where a browser lacks it. */

const CHECK_EVERY = 10 * 60_000;  // ms between two questions for a newer build

const LEAST_WIDTH = 820, PHONE = 600;  // of the layouts of the console; the shorter side of a larger glass than a phone

/* A phone is narrower than any layout of the console, and crushed the felt: it draws the upright one of a tablet, reduced. */
export function drawWhole() {
  if (Math.min(screen.width, screen.height) >= PHONE) return;
  document.querySelector("meta[name=viewport]").content = `width=${LEAST_WIDTH}, viewport-fit=cover`;
}

/* A newer build takes over once `mayUpdate()`: then the page is loaded again, if it `reloads`. */
export class Updates {
  static async watch({ mayUpdate, reloads = true }) {
    const workers = navigator.serviceWorker;
    if (!workers) return null;
    try {
      const registration = await workers.register("/service-worker.js", { updateViaCache: "none" });
      return registration && new Updates(workers, registration, { mayUpdate, reloads });
    } catch {
      return null;  // without a line, or forbidden by the browser: the next page tries again
    }
  }

  constructor(workers, registration, { mayUpdate, reloads }) {
    Object.assign(this, { workers, registration, mayUpdate, reloads, time: Date.now(), isTakingOver: false });
    registration.addEventListener("updatefound", () => {
      const { installing } = registration;
      installing?.addEventListener("statechange", () => this.offer());
    });
    workers.addEventListener("controllerchange", () => { if (this.isTakingOver && this.reloads) location.reload(); });
    this.offer();
  }

  /* Called whenever the screen has changed. */
  offer() {
    if (this.isTakingOver || !this.mayUpdate()) return;
    const { waiting } = this.registration;
    if (waiting && this.workers.controller) {
      this.isTakingOver = true;
      waiting.postMessage("take-over");  // oxlint-disable-line unicorn/require-post-message-target-origin -- no window
    } else if (Date.now() - this.time >= CHECK_EVERY) {
      this.time = Date.now();
      this.registration.update().catch(() => {});
    }
  }
}

/* The screen stays on. The browser lets it go whenever the page is hidden, so it is asked again when it is seen. */
export class WakeLock {
  static watch() {
    if (!navigator.wakeLock) return null;
    const lock = new WakeLock();
    document.addEventListener("visibilitychange", () => lock.ask());
    lock.ask();
    return lock;
  }

  async ask() {
    if (document.visibilityState !== "visible" || this.isAsking || (this.lock && !this.lock.released)) return;
    this.isAsking = true;
    try {
      this.lock = await navigator.wakeLock.request("screen");
    } catch { /* a low battery, or forbidden: the system's own time holds */ } finally {
      this.isAsking = false;
    }
  }
}

/* Whether the system may clear what this tablet keeps. Safari does so after seven days, unless the app is installed. */
export async function keepStorage() {
  let isKept = false;
  try {
    isKept = await navigator.storage.persist();
  } catch { /* not known: say that it may be lost */ }
  document.documentElement.toggleAttribute("data-storage-kept", isKept);
  dispatchEvent(new Event("storage:asked"));
  return isKept;
}

/* Tells the server how full the battery is, on every change and whenever the socket opens. Safari says nothing of it. */
export async function reportBattery(screen) {
  const battery = await navigator.getBattery?.().catch(() => null);
  if (!battery) return;
  const tell = () => screen.tell({ "battery": { "percent": Math.round(battery.level * 100), "charging": battery.charging } });
  battery.addEventListener("levelchange", tell);
  battery.addEventListener("chargingchange", tell);
  tell();
}
