/* A part of the dealer's tablet that is read each time it opens, because it changes without an act at this table (the relief
   view), or is no part of the table's state (the buy-ins of the day). */

import { paintClocks } from "./clocks.js";

/** Fills a box from the server. The answer to the newest request wins; `notRead` is said without one. */
export class FetchedView {
  constructor(box, address, notRead, load = (...request) => fetch(...request)) {
    Object.assign(this, { box, address, notRead, load, reads: 0 });
  }

  async show() {
    const read = ++this.reads;
    this.box.setAttribute("aria-busy", "true");
    const html = await this.read();
    if (read !== this.reads) return;
    this.box.removeAttribute("aria-busy");
    if (html === null) this.box.textContent = this.notRead;
    else this.box.innerHTML = html;
    paintClocks(this.box);
  }

  async read() {
    try {
      const response = await this.load(this.address, { cache: "no-store", redirect: "error", signal: AbortSignal.timeout(8_000) });
      return response.ok ? await response.text() : null;
    } catch {
      return null;
    }
  }
}
