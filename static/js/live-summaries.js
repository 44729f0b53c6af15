/* Parts of a table's page that are no part of its state: the tray, and who may relieve. Each is read again every few seconds;
   while it cannot be read it says how old it is. What somebody has chosen in it stays. */

import { paintClocks } from "./clocks.js";
import { formatTime } from "./facility-time.js";

const INTERVAL = 4_000, READ_TIMEOUT = 5_000;

class LiveSummary {
  constructor(name) {
    Object.assign(this, { name, tag: "", html: null, readTime: null });
  }

  get box() {
    return document.querySelector(`[data-live-summary][data-local="${this.name}"]`);
  }

  /* Whether to go on reading. */
  async read() {
    const address = this.box?.dataset.liveSummary;
    if (!address) return true;
    try {
      const response = await fetch(address, {
        cache: "no-store", redirect: "error", headers: this.tag && !this.box.hidden ? { "If-None-Match": this.tag } : {}, signal: AbortSignal.timeout(READ_TIMEOUT),
      });
      if ([401, 403, 423].includes(response.status)) return false;
      if (response.ok) {
        const html = await response.text();
        if (!html) return false;  // this table's chips are not kept
        this.tag = response.headers.get("ETag") ?? "";
        this.show(html);
      }
      if (response.ok || response.status === 304) {
        this.readTime = Date.now();
        this.sayAge(false);
      } else this.sayAge(true);
    } catch {
      this.sayAge(true);
    }
    return true;
  }

  show(html) {
    const { box } = this;
    if (box.hidden || html !== this.html) {
      const checkedIds = [...box.querySelectorAll("input:checked")].map(({ id }) => id);
      const focused = box.contains(document.activeElement) ? document.activeElement.id : "";
      box.innerHTML = html;
      for (const id of checkedIds) if (id && document.getElementById(id)) document.getElementById(id).checked = true;
      if (focused) document.getElementById(focused)?.focus({ preventScroll: true });
      box.hidden = false;
      paintClocks(box);
      box.dispatchEvent(new Event("summary:shown", { bubbles: true }));
    }
    this.html = html;
  }

  sayAge(isOld) {
    const age = this.box?.querySelector("[data-summary-age]");
    if (!age) return;
    age.hidden = !isOld;
    age.textContent = `Not updated since ${formatTime(this.readTime, true)}.`;
  }

  async run() {
    if (document.hidden || await this.read()) setTimeout(() => this.run(), INTERVAL);
  }
}

const summaries = ["tray", "relief"].map((name) => new LiveSummary(name));
for (const summary of summaries) summary.run();
addEventListener("summary:outdated", ({ detail }) => summaries.find(({ name }) => name === detail)?.read());
