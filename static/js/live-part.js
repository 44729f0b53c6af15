/* A page that is read again every two seconds (data-live-part of #page: its address). The server answers 304 while nothing
   has changed. When reading fails, the page says at once how old it is, and goes on trying. */

import { formatTime, noteServerTime } from "./facility-time.js";
import { morph } from "./live.js";

const INTERVAL = 2_000, READ_TIMEOUT = 5_000, TICK = 1_000;
const STALE_AFTER = 5_000, OFFLINE_AFTER = 12_000;
const root = document.documentElement;
const page = () => document.getElementById("page");

/* What the page says about its age: the status, the badge, and the sentence of the box; "" where it is live. */
export function ageText(age, isOnline, time) {
  const seconds = Math.round(age / 1_000), asOf = `As of ${time}.`;
  if (age < STALE_AFTER && isOnline) return { status: "live", badge: "LIVE", heading: "", text: "" };
  if (!isOnline || age >= OFFLINE_AFTER)
    return { status: "dead", badge: `OFFLINE ${seconds} s`, heading: `Offline for ${seconds} s.`, text: `${asOf} Nothing can be signed until the connection is back.` };
  return { status: "stale", badge: `STALE ${seconds} s`, heading: `Not updated for ${seconds} s.`, text: `${asOf} What you see may be old. An act is checked before it counts.` };
}

class LivePart {
  constructor(load = (...request) => fetch(...request)) {
    Object.assign(this, { load, tag: "", readTime: Date.now(), triedTime: Date.now(), reading: false });
  }

  async tick() {
    this.paint();
    if (document.hidden || this.reading || Date.now() - this.triedTime < INTERVAL) return;
    await this.read();
  }

  /* Reads the part at once, or as soon as the reading under way has ended: its address may have changed since. */
  async readNow() {
    if (this.reading) this.again = true;
    else await this.read();
  }

  async read() {
    Object.assign(this, { reading: true, again: false, triedTime: Date.now() });
    const address = page().dataset.livePart;
    try {
      const response = await this.load(address, {
        cache: "no-store", redirect: "error", headers: this.tag ? { "If-None-Match": this.tag } : {},
        signal: AbortSignal.timeout(READ_TIMEOUT),
      });
      noteServerTime(response.headers.get("Date"));
      if ([401, 403, 423].includes(response.status)) return location.reload();
      if (response.status === 304) this.readTime = Date.now();
      if (response.ok && !this.again) this.apply(await response.text(), response.headers.get("ETag") ?? "");
    } catch { /* no answer: the page says how old it is */ } finally {
      this.reading = false;
    }
    this.paint();
    if (this.again) await this.read();
  }

  apply(html, tag) {
    const template = document.createElement("template");
    template.innerHTML = html;
    page().dispatchEvent(new CustomEvent("screen:applying", { bubbles: true }));
    morph(page(), template.content.firstElementChild);
    Object.assign(this, { tag, readTime: Date.now() });
    dispatchEvent(new CustomEvent("screen:applied"));
  }

  paint() {
    const { status, badge, heading, text } = ageText(Date.now() - this.readTime, navigator.onLine, formatTime(this.readTime, true));
    root.dataset.live = status;
    const label = document.querySelector("#live span"), box = document.getElementById("stale-say");
    if (label && label.textContent !== badge) label.textContent = badge;
    if (!box) return;
    box.hidden = status === "live";
    box.replaceChildren(Object.assign(document.createElement("b"), { textContent: heading }), ` ${text}`);
  }
}

if (page()?.dataset.livePart) {
  const part = new LivePart();
  const readNow = () => { if (!document.hidden && !part.reading) part.read(); };
  addEventListener("part:read", () => part.readNow());
  setInterval(() => part.tick(), TICK);
  for (const name of ["online", "offline"]) addEventListener(name, readNow);
  document.addEventListener("visibilitychange", readNow);
  part.paint();
}
